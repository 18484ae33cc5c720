//! Flattening: any function as branch-free, call-free dataflow, for targets that hold nothing else (shader graphs, node
//! materials, SIMD lanes, tapes, circuits).
//!
//! The stages, each of which takes and leaves a valid, placed function, so that a back end can run them one by one and look:
//!
//! ```text
//! lower     calls inlined, loops written out, branches predicated: one block
//! fold      the rules of the optimizer, to a fixpoint
//! optimize  what is uniform is computed once a draw; equal subtrees are shared
//! fuse      mad, lerp, dot, hadd, lanes put together
//! ```

#![forbid(unsafe_code)]

pub mod dynamic;
mod fold;
mod lower;
mod options;
mod place;
mod rebuild;
mod same;
mod sharing;
mod stages;
pub mod uses;

pub use dynamic::DYNAMIC;
pub use lower::{is_flat, lower};
pub use options::{Options, Visible};
pub use stages::{STAGES, Stage, stage};
