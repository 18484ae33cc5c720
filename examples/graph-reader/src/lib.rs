//! A second reader of Planish's dataflow graphs: it reads the JSON of `--emit=graph`, checks it, and runs it. It is
//! written from `docs/targets/graph.md`, `docs/ops.md` and `docs/numerics.md` alone, and so shows that they are
//! complete.
//!
//! ```
//! use graph_reader::{Machine, NoHost, Program};
//!
//! let json = r#"{
//!     "format": "planish-graph", "version": 1, "function": "double",
//!     "types": {"f32": {"kind": "scalar", "scalar": "f32"}},
//!     "inputs": [{"node": 0, "name": "x", "type": "f32", "kind": "parameter"}],
//!     "uniforms": [], "resources": [],
//!     "outputs": [{"node": 2, "name": "result", "type": "f32"}],
//!     "nodes": [
//!         {"id": 0, "op": "input", "type": "f32", "index": 0},
//!         {"id": 1, "op": "add", "type": "f32", "inputs": [0, 0], "group": "pixel", "cost": 1},
//!         {"id": 2, "op": "output", "type": "f32", "inputs": [1], "index": 0}
//!     ]
//! }"#;
//! let program = Program::read(json).unwrap();
//! let mut machine = Machine::new(&program);
//! machine.set_input(0, &[1.5f32.to_bits()]);
//! machine.preshader(&mut NoHost).unwrap();
//! let kept = machine.pixel(&mut NoHost).unwrap();
//! assert!(kept);
//! assert_eq!(f32::from_bits(machine.output(0)[0]), 3.0);
//! ```
//!
//! It runs `f32`, `i32`, `u32` and `bool`. Textures and the target's own functions are provided by a [`Host`];
//! derivatives, which need the neighbouring pixels, the interpolation functions and the YUV conversions are refused.
//! Functions such as `sin` are computed in `f64` by the `libm` crate and rounded, as specified in `docs/numerics.md`.

#![forbid(unsafe_code)]

mod component;
mod error;
mod machine;
mod program;
mod types;
mod whole;

pub use error::Error;
pub use machine::{Host, Machine, NoHost, TextureCall};
pub use program::{Named, Program};
pub use types::{Scalar, Type};
