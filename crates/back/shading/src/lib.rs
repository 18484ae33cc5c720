//! The shared part of back ends that write a shading language with separate textures and samplers, typed memory that the host
//! shares, and entry points with parameters and a result: WGSL, MSL, HLSL.
//!
//! A language is a [`Language`]: facts, the spelling of nodes, and that of the text. [`write()`] plans declarations and entry points,
//! and writes the functions; the language puts the parts together.
//!
//! | module | contents |
//! | --- | --- |
//! | `globals` | variables of the program to declarations: blocks, gathered uniforms, textures one by one, overrides |
//! | `memory` | memory of the host: the layout of the source in the types of the language |
//! | `registers`, `bytes` | memory of Direct3D: constant buffers in registers, buffers that are addressed by bytes |
//! | `places`, `transfers` | pointers, loads and stores, where memory differs from the value in it |
//! | `entry` | inputs and outputs of entry points |
//! | `writer` | the state of an output; the head and the end of functions |
//! | `texture` | operands of texture operations |
#![forbid(unsafe_code)]

pub mod bytes;
mod dialect;
pub mod entry;
pub mod globals;
pub mod images;
mod language;
pub mod memory;
pub mod ops;
pub mod places;
mod registers;
pub mod texture;
pub mod transfers;
mod write;
mod writer;

pub use dialect::Lower;
pub use language::Language;
pub use write::{assign_names, write};
pub use writer::Writer;

pub use planish_interface::Numbering;

/// Options of a back end.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Negate the y of `gl_Position` at the end of vertex shaders.
    pub flip_y: bool,
    /// Map the depth of `gl_Position` from OpenGL's -w to w to 0 to w at the end of vertex shaders.
    pub adjust_depth: bool,
    /// Replaces `gl_PointCoord`, where the language lacks it, by the middle of the point, which is right for points of one
    /// pixel. If false, it is an error.
    pub point_coord_is_centre: bool,
    /// Numbering of resources, varyings and attributes without a number.
    pub numbering: Numbering,
    /// Short names, no spaces.
    pub minify: bool,
}
