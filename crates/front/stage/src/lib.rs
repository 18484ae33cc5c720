//! Staged Rust: Rust that writes programs.
//!
//! A [`Rep<T>`](Rep) is a value of a program that is being made: an operator on it does not compute, it writes an operation. Code on plain Rust
//! values runs now, while the program is made, and leaves nothing of itself behind: abstraction is paid when the generator runs, not in what
//! it generates.
//!
//! ```
//! use planish_front_stage::{Rep, build};
//!
//! // The exponent is known now: the loop and its tests are gone from the program.
//! fn power<T: Copy + std::ops::Mul<Output = T>>(x: T, n: u32, one: T) -> T {
//!     match n {
//!         0 => one,
//!         n if n % 2 == 0 => power(x * x, n / 2, one),
//!         n => x * power(x, n - 1, one),
//!     }
//! }
//!
//! let program = build("x_to_the_5th", |x: Rep<f64>| power(x, 5, Rep::new(1.0))).expect("it is valid");
//! let text = planish_ir::text::print(&program.module);
//! assert_eq!(text.matches("multiply").count(), 4, "{text}");
//! assert_eq!(power(2.0, 5, 1.0), 32.0);
//! ```
//!
//! Every operation has the file, line and column of the Rust that wrote it, in errors, remarks and traps.

mod arity;
mod cell;
#[doc(hidden)]
pub mod constructs;
mod control;
mod derivative;
mod enums;
mod floats;
mod function;
mod grid;
mod groups;
mod host;
mod ints;
mod list;
mod ops;
mod params;
mod reassociate;
mod rep;
mod seq;
mod session;
mod slices;
mod staged;
mod stream;
mod vector;

pub use cell::{Var, var};
pub use control::{
    Label, Loop, Never, Switch, block, check, fold, for_, if_, loop_, return_, select, switch, trap, when, while_,
};
pub use derivative::{Differentiable, DifferentiableParam, DifferentiableParams, Fixed, Group, Real, counts_of};
pub use enums::{Enum, Tagged, Variants};
pub use floats::Float;
pub use function::{Built, Callable, Errors, Generator, build, func, recursive, specialized};
pub use grid::{Boundary, Grid, Neighbours, matmul};
pub use groups::{GroupBy, GroupLists, Groups, Key, list};
pub use host::{HOST_PHASE, Host, HostFunction, OnHost, host};
pub use ints::Integer;
pub use list::List;
pub use ops::{Bits, Number, Signed};
pub use params::{Param, Params, Slice, params_of};
pub use planish_ir::custom::CustomEffect as Effect;
pub use reassociate::{Reassociated, reassociate};
pub use rep::{Element, Part, Rep};
pub use seq::{Seq, range};
pub use slices::{In, Item, Out};
pub use staged::{Kind, Stage, Staged, scalars_of};
pub use stream::Stream;
pub use vector::{Matrix, Vector};
