//! The text form of a module: compact, line oriented, printed and parsed without loss. Its grammar is `docs/ir.md`.
//!
//! The rooms: [`types`](self::type_text) writes types.
mod types;

pub use types::type_text;
