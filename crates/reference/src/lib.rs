//! The reference semantics of the IR: an interpreter of one invocation, written to be read beside `docs/numerics.md`
//! and `docs/ops.md`.
//!
//! It is simple rather than fast: values are trees, one block runs at a time, and no code is shared with the folder or
//! the evaluator (`planish_ir::meaning` is never called). The evaluator, which runs many invocations under masks, is
//! checked against it op by op and on random programs. If the two differ, `docs/numerics.md` decides.
//!
//! One invocation has no neighbours, so derivatives, and textures with implicit ones, are [`Stop::Unsupported`]: see
//! [`is_supported`].
//!
//! # Example
//! ```
//! use planish_reference::{Limits, Reference, Value};
//!
//! let text = "module ir\nfn @half(%0 x: i32) -> (i32) {\nb0:\n  %1 = divide %0, 2\n  return %1\n}\n";
//! let module = planish_ir::text::parse_str(text).unwrap();
//! let half = module.funcs_named("half").next().unwrap();
//! let mut reference = Reference::new(&module, Limits::default()).unwrap();
//! assert_eq!(reference.call(half, &[Value::I32(-7)]).unwrap(), [Value::I32(-3)]);
//! ```

mod bytes;
mod call;
mod control;
mod machine;
mod memory;
mod ops;
mod stop;
mod value;

pub use call::HostCall;
pub use machine::Reference;
pub use ops::is_supported;
pub use stop::{Limits, Stop};
pub use value::{Pointer, Value};
