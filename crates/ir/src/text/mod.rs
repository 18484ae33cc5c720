//! The text form of a module: compact, line oriented, printed and parsed without loss. Its grammar is `docs/ir.md`.
//!
//! The rooms: `print.rs` writes a module and `body.rs` the inside of a function; `lex.rs` and the `parse` files read
//! them; `types.rs`, `constants.rs`, `words.rs` and `labels.rs` say how each thing is written, for both directions.
mod body;
mod constants;
mod labels;
mod lex;
mod parse;
mod parse_body;
mod parse_imm;
mod parse_value;
mod print;
mod types;
pub(crate) mod words;

pub(crate) use body::{barrier_words, pair_word, texture_words};
pub use parse::{parse, parse_str};
pub use print::{print, print_function};
pub(crate) use types::dim_name;
pub use types::type_text;
