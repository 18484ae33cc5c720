//! What the user or the back end asks for.

use planish_ir::ops::{Class, Op};
use planish_opt::Limits;

/// What flattening is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether float values may change by the laws of real numbers; without it the flat function gives the same bits.
    pub fast_math: bool,
    /// Whether `lerp` is taken apart like `mad`: for targets that have no such instruction.
    pub expand_lerp: bool,
    /// The fused ops that the target has.
    pub visible: Visible,
    /// Whether an operation on a vector costs no more than one on a scalar, so that equal scalar operations are packed: true of
    /// graphs and lanes, not of a shading language on today's GPUs, where it is only harder to read.
    pub pack: bool,
    /// Ops that a preshader cannot hold: what needs one stays per pixel.
    pub barriers: fn(Op) -> bool,
    /// Ops that the target has.
    pub has: fn(Op) -> bool,
    /// Names of functions that the target has itself: calls of them stay.
    pub leaves: Vec<String>,
    /// Bounds; those of flat functions begin with `flat_`.
    pub limits: Limits,
}

/// The fused ops that a target has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visible {
    /// `multiply_add`.
    pub mad: bool,
    /// `lerp`.
    pub lerp: bool,
    /// `dot`.
    pub dot: bool,
    /// `horizontal_add`.
    pub hadd: bool,
}

impl Visible {
    /// All of them: what a graph can hold.
    pub const ALL: Visible = Visible { mad: true, lerp: true, dot: true, hadd: true };
    /// What a shading language has.
    pub const TEXT: Visible = Visible { mad: false, lerp: false, dot: true, hadd: false };
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fast_math: false,
            expand_lerp: false,
            visible: Visible::ALL,
            pack: true,
            barriers: |op| op.info().class == Class::Texture,
            has: |_| true,
            leaves: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The same for the optimizer, whose rules fold.
    pub fn optimizer(&self) -> planish_opt::Options {
        planish_opt::Options {
            fast_math: self.fast_math,
            keep_selects: true,
            limits: self.limits,
            ..planish_opt::Options::default()
        }
    }
}
