//! A small language of matrices and vectors, on Planish: its operations are ops of its own, which stay whole until the rules about
//! them rest, and are then lowered to loops ([`language`]). [`syntax`] reads it.
//!
//! ```
//! use linear_algebra::{compile, optimizer};
//! use planish::ir::text::print;
//!
//! let mut module = compile("f(A: 3x3, B: 3x3, v: 3) = A * B * v").expect("is well-formed");
//! assert!(print(&module).contains("custom[mat_mul"));
//! optimizer("2").run(&mut module, &mut |pass, module| {
//!     if pass == "propagate_precision" {
//!         // Before anything is lowered, (A·B)·v has become A·(B·v).
//!         let text = print(module);
//!         assert!(!text.contains("custom[mat_mul") && text.matches("custom[mat_vec").count() == 2);
//!     }
//! });
//! assert!(!print(&module).contains("= custom["));
//! ```

#![forbid(unsafe_code)]

pub mod language;
pub mod syntax;

use planish::Optimizer;

pub use syntax::{Error, compile};

/// The optimizer of a level (`0`, `1`, `2` or `s`) with the rules and phases of the language.
///
/// # Panics
/// If there is no such level.
pub fn optimizer(level: &str) -> Optimizer {
    let mut optimizer = Optimizer::level(level).expect("is a level");
    optimizer.options.rules = language::rules();
    optimizer.options.phases = language::phases();
    optimizer
}

/// The examples of `docs/extending.md`, which are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
struct Extending;
