//! Options of the caller.

use planish_interface::Numbering;
use planish_ir::entity::Local;
use planish_ir::ops::{Class, Op};
use planish_ir::source::SourceMap;

/// Options of a graph.
#[derive(Clone)]
pub struct Options<'a> {
    /// Cost of an op.
    pub cost: &'a dyn Fn(Op) -> u32,
    /// Ops that a preshader cannot contain: they and their users are computed per pixel.
    pub barrier: &'a dyn Fn(Op) -> bool,
    /// Name of a value, if it has one.
    pub name: &'a dyn Fn(Local) -> Option<String>,
    /// Names of leaves besides the decorated ones: calls of them are nodes, computed per pixel.
    pub leaves: &'a [String],
    /// The source files, if nodes have source locations.
    pub map: Option<&'a SourceMap>,
    /// Numbering of interface variables without location or binding.
    pub numbering: Numbering,
}

impl Default for Options<'_> {
    /// Cost 1 for every op, textures as barriers, no names and locations.
    fn default() -> Self {
        Options {
            cost: &|_| 1,
            barrier: &|op| op.info().class == Class::Texture,
            name: &|_| None,
            leaves: &[],
            map: None,
            numbering: Numbering::default(),
        }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("leaves", &self.leaves).finish_non_exhaustive()
    }
}
