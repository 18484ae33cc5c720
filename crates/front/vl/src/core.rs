//! Core programs: procedures with resolved captures, bodies in steps that name every intermediate value.
//!
//! The interpreter runs them, the analysis interprets them abstractly, and code is generated along them.

use std::rc::Rc;
use std::sync::Arc;

use planish_ir::source::Span;

use crate::expand::Shape;
use crate::terms::{Constant, Pattern};

/// A procedure's text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct LambdaId(pub(crate) u32);

/// A value that a step may use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Atom {
    /// The result of a step, or a parameter, in this slot of the frame.
    Slot(u32),
    /// A captured variable.
    Captured(u32),
    /// A procedure of the same group, which shares the captures.
    Member(u32),
    Const(Constant),
}

/// Steps, and the value that they lead to.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) steps: Vec<Step>,
    pub(crate) value: Atom,
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) operation: Operation,
    /// The (first) slot that gets the result.
    pub(crate) slot: u32,
    pub(crate) span: Span,
}

/// The operation of a step.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Pair(Atom, Atom),
    /// Applies the first to the second.
    Apply(Atom, Atom),
    /// The value of the first block unless the atom is `#f`, else that of the second.
    If(Atom, Box<(Block, Block)>),
    /// Makes the procedures of a group, each in a slot of its own.
    Close(Rc<[LambdaId]>, Box<[Atom]>),
    /// Takes a value apart.
    Match(Pattern<u32>, Atom),
    /// Ends the program.
    Error(Arc<str>),
}

/// A procedure's text: a member of a group of mutually recursive procedures.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) group: Rc<[LambdaId]>,
    /// Names of what the group captures.
    pub(crate) captures: Rc<[Arc<str>]>,
    pub(crate) pattern: Pattern<u32>,
    /// Names of the slots that the pattern fills, in its order.
    pub(crate) parameters: Vec<Arc<str>>,
    pub(crate) body: Block,
    /// Slots of a frame.
    pub(crate) slots: u32,
    /// Whether it belongs to the standard library.
    pub(crate) in_library: bool,
}

/// A procedure for the world.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    pub(crate) name: Arc<str>,
    pub(crate) span: Span,
    pub(crate) value: Atom,
    /// Arguments of successive applications; `None`: inferred from the parameters.
    pub(crate) arguments: Option<Vec<Shape>>,
    /// The declared shape of the last result.
    pub(crate) result: Option<Shape>,
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub(crate) lambdas: Vec<Lambda>,
    /// The top level.
    pub(crate) main: Block,
    /// Slots of its frame.
    pub(crate) slots: u32,
    /// Whether the value of `main` is the program's; if not, the program only exports.
    pub(crate) has_value: bool,
    /// The name of the value, if it is one.
    pub(crate) value_name: Option<Arc<str>>,
    pub(crate) exports: Vec<Exported>,
    /// The place of the value.
    pub(crate) span: Span,
}

impl Core {
    /// Every `error`: its span and its message.
    pub(crate) fn errors(&self) -> Vec<(Span, Arc<str>)> {
        let mut errors = Vec::new();
        let mut open: Vec<&Block> = self.lambdas.iter().map(|lambda| &lambda.body).collect();
        open.push(&self.main);
        while let Some(block) = open.pop() {
            for step in &block.steps {
                match &step.operation {
                    Operation::Error(message) => errors.push((step.span, message.clone())),
                    Operation::If(_, blocks) => open.extend([&blocks.0, &blocks.1]),
                    _ => {}
                }
            }
        }
        errors
    }

    pub(crate) fn lambda(&self, id: LambdaId) -> &Lambda {
        &self.lambdas[id.0 as usize]
    }
}
