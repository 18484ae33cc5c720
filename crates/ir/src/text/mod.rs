//! The text form of a module: compact, line oriented, printed and parsed without loss. Its grammar is `docs/ir.md`.
//!
//! Modules: `print.rs` prints a module and `body.rs` the body of a function; `lex.rs` and the `parse` files parse them;
//! `types.rs`, `constants.rs`, `words.rs` and `labels.rs` hold the syntax shared by both directions.
mod body;
mod constants;
mod labels;
mod lex;
mod parse;
mod parse_body;
mod parse_imm;
mod parse_value;
mod print;
mod signature;
mod types;
pub(crate) mod words;

pub(crate) use body::{barrier_words, pair_word, texture_words};
pub use constants::const_text;
pub use parse::{parse, parse_str};
pub use print::{print, print_function};
pub(crate) use signature::write_signature;
pub(crate) use types::dim_name;
pub use types::type_text;
