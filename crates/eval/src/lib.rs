//! The evaluator: runs any function, draws shaders.
//!
//! All other tests compare with it, and it is compared with `planish-reference`, the reference semantics of the IR. It
//! runs many *lanes* (invocations) in lockstep under masks, which shares the cost of dispatch: one for a plain call,
//! four for a quad with derivatives, more for drawing.
//!
//! [`Evaluator`] runs one module; [`world::World`] holds instances of several modules that import from each other.
//!
//! # Example
//! ```
//! use planish_eval::{EvalValue, Evaluator, Limits};
//! use planish_ir::builder::{Builder, Policy};
//! use planish_ir::decoration::{Name, Precision};
//! use planish_ir::entity::Type;
//! use planish_ir::function::{Direction, Param, ResultType};
//! use planish_ir::module::{Language, Module};
//! use planish_ir::ops::Op;
//! use planish_ir::source::Span;
//!
//! let mut module = Module::new(Language::Ir);
//! let (precision, span) = (Precision::None, Span::NONE);
//! let x = Param { name: Name::temporary("x"), ty: Type::F32, precision, direction: Direction::In, span };
//! let func = module.add_func(Name::temporary("square"), vec![x], vec![ResultType { ty: Type::F32, precision }], span);
//! let mut b = Builder::new(&mut module, func, Policy::PLAIN);
//! let x = b.param(0);
//! let square = b.op(Op::Multiply, &[x, x]);
//! b.ret(&[square]);
//! b.finish();
//!
//! let mut evaluator = Evaluator::new(&module, Limits::default()).unwrap();
//! let results = evaluator.call(func, &[EvalValue::f32(3.0)]).unwrap();
//! assert_eq!(results[0].as_f32(0), Some(9.0));
//! ```

mod evaluator;
mod machine;
mod mask;
mod place;
mod pointer;
mod program;
pub mod shade;
mod stop;
pub mod texture;
mod value;
pub mod world;

pub use evaluator::Evaluator;
pub use machine::host::HostCall;
pub use machine::watch::{Event, EventKind, MAX_EVENTS};
pub use mask::MAX_LANES;
pub use stop::{Limits, Stop};
pub use value::EvalValue;
