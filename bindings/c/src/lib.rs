//! Planish for C and C++: the functions of `planish.h`.
//!
//! Objects are opaque, made by a function that ends in `_new` (or that returns one), and freed by the one that ends in `_free`, which takes
//! NULL, too. A function that can fail returns NULL or `false`, and gives the reason as messages. No call ends the process or throws: a
//! mistake of the library's own is the message "internal error". Objects may move between threads; one of them may be used by one thread
//! at a time, and a program, which never changes, by several.

mod call;
mod draw;
mod message;
mod output;
mod program;
mod settings;
mod text;

pub use call::{
    planish_call, planish_function_count, planish_function_name, planish_function_type, planish_functions,
    planish_functions_free, planish_functions_new, planish_type, planish_value,
};
pub use draw::{
    planish_drawing, planish_drawing_draw, planish_drawing_free, planish_drawing_new, planish_drawing_set_mouse,
    planish_drawing_set_output, planish_drawing_set_texture, planish_drawing_set_time, planish_drawing_set_uniform,
};
pub use message::{
    planish_format, planish_message, planish_messages, planish_messages_count, planish_messages_free,
    planish_messages_get, planish_messages_text, planish_severity,
};
pub use output::{
    planish_output, planish_output_data, planish_output_free, planish_output_header, planish_output_size,
};
pub use program::{
    planish_check, planish_compile, planish_explain, planish_program, planish_program_emit, planish_program_free,
    planish_program_new, planish_source, planish_stages_new, planish_target_name, planish_version,
};
pub use settings::{
    planish_include, planish_settings, planish_settings_add_file, planish_settings_free, planish_settings_new,
    planish_settings_set, planish_settings_set_include, planish_text,
};
