//! The shared part of all back ends that write a programming language: from the blocks of the IR to statements and
//! expressions with names.
//!
//! A language is a [`Dialect`]: [`lower::write_function`] asks it for the expression of each node and for what the language can
//! say ([`Abilities`]), and never which language it is.
//!
//! - [`tree`]: statements, expressions and symbols of one output.
//! - [`dialect`]: what a language answers: [`Dialect`] and [`Abilities`].
//! - [`text`]: state of one output that all languages have ([`Text`]): the module, the tree, messages, symbols.
//! - [`lower`]: a function's blocks as statements.
//! - [`effects`]: what expressions and functions read and write; the order of functions.
#![forbid(unsafe_code)]

mod abilities;
mod assigned;
mod calls;
mod coalesce;
mod control;
mod copies;
pub mod dialect;
pub mod effects;
mod insert;
pub mod lower;
mod memory;
pub mod names;
mod nesting;
mod nodes;
pub mod number;
pub mod order;
pub mod print;
pub mod program;
pub mod shrink;
pub mod syntax;
pub mod text;
pub mod tree;
mod uses;
mod values;
mod variables;

pub use abilities::{Abilities, Choice, FarJumps, ForLoops, Parameters, Results};
pub use dialect::{Dialect, Words};
pub use lower::{Lower, Written};
pub use print::Printer;
pub use syntax::{Cases, Casts, Place, Style, Syntax};
pub use text::Text;
