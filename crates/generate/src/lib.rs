//! Random programs for tests and fuzzing: valid GLSL ES 3.00 fragment shaders with every type, every kind of statement and
//! functions with `in`, `out` and `inout` parameters; in GLSL 4.50 with numbers of 8 and 16 bits as well ([`narrow_glsl`]); a reducer that shrinks one while it still fails; random modules of the IR without
//! stages ([`modules`]); compute shaders with blocks of memory, barriers and subgroups ([`kernels`]); WebAssembly functions that access byte memories ([`accesses()`]); and random bytes from seeds.
//!
//! All programs end, and are defined by the rules of `docs/numerics.md`.
//!
//! ```
//! use planish_generate::{Choices, glsl};
//! let program = glsl(&mut Choices::from_seed(7));
//! assert!(program.to_string().starts_with("#version 300 es\n"));
//! ```

#![forbid(unsafe_code)]

mod accesses;
mod choices;
mod generate;
pub mod kernels;
pub mod modules;
pub mod nested;
mod print;
mod program;
mod reduce;
mod seeds;

pub use accesses::accesses;
pub use choices::Choices;
pub use generate::{glsl, narrow_glsl, ordered_narrow_glsl, tame_glsl};
pub use program::{Expr, Function, Param, Passing, Program, Scalar, Stmt, Ty};
pub use reduce::reduce;
pub use seeds::for_each_seed;
