//! GLSL in: preprocessor, parser, type checker, and lowering to the IR of `planish-ir`.

#![forbid(unsafe_code)]

pub mod ast;
pub mod builtins;
mod check;
mod compile;
mod device;
mod lex;
pub mod parse;
pub mod preprocess;
pub mod symbol;
pub mod token;
pub mod version;
mod webgl;

pub use compile::{Options, Output, compile};
pub use webgl::WebGl;
