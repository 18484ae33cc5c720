//! What the caller knows and the graph does not.

use planish_interface::Numbering;
use planish_ir::entity::Local;
use planish_ir::ops::{Class, Op};
use planish_ir::source::SourceMap;

/// How a graph is made.
#[derive(Clone)]
pub struct Options<'a> {
    /// What a node of an op costs.
    pub cost: &'a dyn Fn(Op) -> u32,
    /// Ops that a preshader cannot hold: what needs one is computed per pixel.
    pub barrier: &'a dyn Fn(Op) -> bool,
    /// The name of a value, if it has one.
    pub name: &'a dyn Fn(Local) -> Option<String>,
    /// Names of functions that the target has itself, besides those that are decorated so: calls of them are nodes, of these for
    /// each pixel.
    pub leaves: &'a [String],
    /// The source, if nodes shall say where they come from.
    pub map: Option<&'a SourceMap>,
    /// How what has no location or binding is numbered.
    pub numbering: Numbering,
}

impl Default for Options<'_> {
    /// Every op costs 1, textures are barriers, nothing has a name or a place.
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
