//! Options of the user or the back end.

use std::fmt;

use planish_ir::decoration::Decoration;
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_opt::Limits;
use planish_target::ops::OpSet;

/// Options of flattening.
#[derive(Clone)]
pub struct Options {
    /// Whether float values may change by the laws of real numbers; otherwise the flat function computes the same bits.
    pub fast_math: bool,
    /// Whether `lerp` is expanded: for targets without such an instruction.
    pub expand_lerp: bool,
    /// Fused ops of the target.
    pub visible: Visible,
    /// Whether a vector operation costs no more than a scalar one, so that isomorphic scalar operations are packed:
    /// true for graphs and lanes, not for a shading language on current GPUs, where it only makes the text harder to
    /// read.
    pub pack: bool,
    /// Ops that a preshader cannot contain: their users are computed per pixel.
    pub barriers: fn(Op) -> bool,
    /// Ops of the target: what others compute is expanded, or an error. `None`: all.
    pub ops: Option<OpSet>,
    /// Functions of the target: calls of them stay.
    pub leaves: Vec<Leaf>,
    /// Limits; those of flat functions begin with `flat_`.
    pub limits: Limits,
}

impl fmt::Debug for Options {
    /// The same text for the same options, in every process.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options { fast_math, expand_lerp, visible, pack, barriers, ops, leaves, limits } = self;
        let barriers: Vec<Op> = Op::all().filter(|&op| barriers(op)).collect();
        f.debug_struct("Options")
            .field("fast_math", fast_math)
            .field("expand_lerp", expand_lerp)
            .field("visible", visible)
            .field("pack", pack)
            .field("barriers", &barriers)
            .field("ops", ops)
            .field("leaves", leaves)
            .field("limits", limits)
            .finish()
    }
}

/// A function that the target provides. Its results depend on its arguments only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Name of all functions that are meant.
    pub name: String,
    /// Whether it must be called for each pixel; otherwise it is called once per draw if its arguments are uniform.
    pub is_barrier: bool,
}

impl Leaf {
    /// Parses a leaf as on the command line: `NAME`, or `NAME:barrier`. `None` if another word follows the colon.
    pub fn parse(text: &str) -> Option<Self> {
        match text.rsplit_once(':') {
            None => Some(Leaf { name: text.to_owned(), is_barrier: false }),
            Some((name, "barrier")) => Some(Leaf { name: name.to_owned(), is_barrier: true }),
            Some(_) => None,
        }
    }
}

/// Decorates all functions that are leaves; returns the names without a function.
pub fn mark_leaves<'a>(module: &mut Module, leaves: &'a [Leaf]) -> Vec<&'a str> {
    let mut unknown = Vec::new();
    for leaf in leaves {
        let named: Vec<Func> = module.funcs_named(&leaf.name).collect();
        if named.is_empty() {
            unknown.push(&*leaf.name);
        }
        let decoration = if leaf.is_barrier { Decoration::LeafBarrier } else { Decoration::Leaf };
        for func in named {
            let decorations = &mut module.funcs[func].decorations;
            decorations.remove(Decoration::Leaf);
            decorations.remove(Decoration::LeafBarrier);
            decorations.add(decoration);
        }
    }
    unknown
}

/// Fused ops of a target.
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
    /// `horizontal_min`.
    pub hmin: bool,
    /// `horizontal_max`.
    pub hmax: bool,
}

impl Visible {
    /// None of them.
    pub const NONE: Visible = Visible { mad: false, lerp: false, dot: false, hadd: false, hmin: false, hmax: false };
    /// All of them, for graphs.
    pub const ALL: Visible = Visible { mad: true, lerp: true, dot: true, hadd: true, hmin: true, hmax: true };
    /// Those of a shading language.
    pub const TEXT: Visible = Visible { dot: true, ..Visible::NONE };

    /// Those that a target has too.
    #[must_use]
    pub fn among(self, ops: &OpSet) -> Visible {
        Visible {
            mad: self.mad && ops.has(Op::MultiplyAdd),
            lerp: self.lerp && ops.has(Op::Lerp),
            dot: self.dot && ops.has(Op::Dot),
            hadd: self.hadd && ops.has(Op::HorizontalAdd),
            hmin: self.hmin && ops.has(Op::HorizontalMin),
            hmax: self.hmax && ops.has(Op::HorizontalMax),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fast_math: false,
            expand_lerp: false,
            visible: Visible::ALL,
            pack: true,
            barriers: |op| op.info().class == Class::Texture,
            ops: None,
            leaves: Vec::new(),
            limits: Limits::default(),
        }
    }
}

impl Options {
    /// The options for the optimizer, whose rules are used by `fold`.
    pub fn optimizer(&self) -> planish_opt::Options {
        planish_opt::Options {
            fast_math: self.fast_math,
            keep_selects: true,
            limits: self.limits,
            ..planish_opt::Options::default()
        }
    }
}
