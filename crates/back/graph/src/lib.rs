//! The dataflow graph of a flat function: one node per value, no branches, no memory; for shader graphs of engines,
//! node editors, tapes and circuits. As JSON, as a listing, for Graphviz, as a picture.
//!
//! ```
//! use planish_back_graph::{Graph, Options, listing};
//!
//! let text = "module ir
//! fn @twice(%0 x: f32) -> (f32) {
//! b0:
//!   %1 = multiply %0, 2.0
//!   return %1
//! }
//! ";
//! let module = planish_ir::text::parse_str(text).unwrap();
//! let func = module.funcs.keys().next().unwrap();
//! let graph = Graph::new(&module, func, &Options::default()).unwrap();
//! assert!(listing::text(&graph).contains("%2 f32 multiply %0 2.0"));
//! ```
//!
//! Input: a function of one block, possibly ending with `if mask { discard }`, whose memory is its inputs, uniforms and
//! outputs (`planish-flatten` makes one from any function). Output: [`json`], with the schema
//! `docs/targets/graph.schema.json` and its description `docs/targets/graph.md`; [`listing`]; [`dot`]; [`svg`]; [`mtlx`], for material editors.

#![forbid(unsafe_code)]

mod build;
pub mod dot;
mod graph;
mod hints;
mod interface;
pub mod json;
mod label;
pub mod listing;
mod literal;
pub mod mtlx;
mod options;
mod order;
mod places;
mod shape;
mod stats;
pub mod svg;

pub use graph::{
    Graph, Group, HintError, Input, InputKind, Kind, Node, NodeId, Output, Resource, Source, Uniform, UniformKind,
    opcodes,
};
pub use literal::Literal;
pub use options::Options;
pub use shape::{Shape, TypeId, TypeRow};
pub use stats::{Of, Stats};
