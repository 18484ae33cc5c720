//! What the user or the back end asks for.

use planish_ir::decoration::Decoration;
use planish_ir::entity::Func;
use planish_ir::module::Module;
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
    /// Functions that the target has itself: calls of them stay.
    pub leaves: Vec<Leaf>,
    /// Bounds; those of flat functions begin with `flat_`.
    pub limits: Limits,
}

/// A function that the target has itself. What it gives depends on its arguments only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Its name; all functions that share it are meant.
    pub name: String,
    /// Whether it can only be called for each pixel; one that is no barrier is called once a draw where its arguments are uniform.
    pub is_barrier: bool,
}

impl Leaf {
    /// A leaf as the command line has it: `NAME`, or `NAME:barrier`. `None` if what follows the colon is another word.
    pub fn parse(text: &str) -> Option<Self> {
        match text.rsplit_once(':') {
            None => Some(Leaf { name: text.to_owned(), is_barrier: false }),
            Some((name, "barrier")) => Some(Leaf { name: name.to_owned(), is_barrier: true }),
            Some(_) => None,
        }
    }
}

/// Decorates the functions that are leaves, all of each name; gives the names that no function has.
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
