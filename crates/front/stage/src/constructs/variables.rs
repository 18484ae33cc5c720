//! Variables of the user's that constructs of the generated program change.

use std::any::Any;

use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Block;
use planish_ir::function::{Args, Exit, TrapKind};

use crate::rep::Part;
use crate::session::{self, Place, Session};
use crate::staged::{Staged, parts_of};

/// A variable that a construct may change.
pub trait Join {
    /// Its values in the generated program.
    fn output(&self, _: &mut Vec<Part>) {}
    /// Takes new ones.
    fn input(&mut self, _: &mut dyn Iterator<Item = Part>) {}
    /// A copy of what the generated program does not have.
    fn copy(&self) -> Option<Box<dyn Any>> {
        None
    }
    /// Its name, if it differs from that copy.
    fn differs(&self, _: &dyn Any) -> Option<&'static str> {
        None
    }
}

/// Variables that a construct may change.
pub type Vars<'a, 'b> = &'a mut [Box<dyn Join + 'b>];

/// A variable, whose type chooses how it is joined: by the first of three traits that has a `join` for it.
#[derive(Debug)]
pub struct Variable<'a, T>(pub Option<&'a mut T>, pub &'static str);

/// Variables of the generated program.
pub trait JoinStaged<'a> {
    /// The variable.
    fn join(self) -> Box<dyn Join + 'a>;
}

/// Variables of Rust that can be compared.
pub trait JoinCompared<'a> {
    /// The variable.
    fn join(self) -> Box<dyn Join + 'a>;
}

/// Other variables of Rust.
pub trait JoinOther<'a> {
    /// The variable.
    fn join(self) -> Box<dyn Join + 'a>;
}

struct OfProgram<'a, S>(&'a mut S);
struct Compared<'a, T>(&'a T, &'static str);
struct Other;

impl<'a, S: Staged> JoinStaged<'a> for &mut &mut &mut Variable<'a, S> {
    fn join(self) -> Box<dyn Join + 'a> {
        joined(self.0.take().expect("it is joined once"))
    }
}

impl<'a, T: Clone + PartialEq + 'static> JoinCompared<'a> for &mut &mut Variable<'a, T> {
    fn join(self) -> Box<dyn Join + 'a> {
        Box::new(Compared(self.0.take().expect("it is joined once"), self.1))
    }
}

impl<'a, T> JoinOther<'a> for &mut Variable<'a, T> {
    fn join(self) -> Box<dyn Join + 'a> {
        Box::new(Other)
    }
}

impl<S: Staged> Join for OfProgram<'_, S> {
    fn output(&self, out: &mut Vec<Part>) {
        self.0.parts(out);
    }

    fn input(&mut self, parts: &mut dyn Iterator<Item = Part>) {
        *self.0 = S::from_parts(parts);
    }
}

impl<T: Clone + PartialEq + 'static> Join for Compared<'_, T> {
    fn copy(&self) -> Option<Box<dyn Any>> {
        Some(Box::new(self.0.clone()))
    }

    fn differs(&self, copy: &dyn Any) -> Option<&'static str> {
        copy.downcast_ref::<T>().filter(|copy| *copy != self.0).map(|_| self.1)
    }
}

impl Join for Other {}

/// A variable of the generated program.
pub(crate) fn joined<S: Staged>(var: &mut S) -> Box<dyn Join + '_> {
    Box::new(OfProgram(var))
}

/// The values of variables in the generated program.
pub(super) fn outputs(vars: Vars<'_, '_>) -> Vec<Part> {
    let mut parts = Vec::new();
    vars.iter().for_each(|var| var.output(&mut parts));
    parts
}

/// Gives the variables new values.
pub(super) fn assign(vars: Vars<'_, '_>, parts: &[Part]) {
    let mut parts = parts.iter().copied();
    vars.iter_mut().for_each(|var| var.input(&mut parts));
}

/// Variables as they were where a construct began.
pub(super) struct Before {
    pub(super) parts: Vec<Part>,
    copies: Vec<Option<Box<dyn Any>>>,
}

impl Before {
    pub(super) fn of(vars: Vars<'_, '_>) -> Self {
        Before { copies: vars.iter().map(|var| var.copy()).collect(), parts: outputs(vars) }
    }

    /// An error if a variable of Rust was changed by code that the generated program runs under a condition, or several times.
    pub(super) fn check(&self, vars: Vars<'_, '_>, place: Place) {
        for (var, copy) in vars.iter().zip(&self.copies) {
            let Some(name) = copy.as_ref().and_then(|copy| var.differs(&**copy)) else { continue };
            session::with(|session| {
                let here = session.span(place);
                let message =
                    format!("`{name}` is a variable of Rust, and changes where only the program knows how often");
                let help = format!("make it one of the program: `let mut {name} = Rep::new(…)`");
                session.error(Diagnostic::error(Code::E1405, here, message).help(help));
            });
        }
    }
}

impl Session {
    pub(super) fn args(&mut self, parts: &[Part], place: Place) -> Args {
        parts.iter().map(|&part| self.used(part, place)).collect()
    }

    /// New inputs of a block, of the types of these values.
    pub(super) fn inputs_like(&mut self, block: Block, parts: &[Part], place: Place) -> Vec<Part> {
        let mut inputs = Vec::with_capacity(parts.len());
        for part in parts {
            let ty = (part.ty)(&mut self.module.types);
            let value = self.build(place, |b| b.add_input(block, ty, Precision::None));
            inputs.push(self.part(value, place, part.ty));
        }
        inputs
    }

    /// Ends the block, whose scope is the innermost.
    pub(super) fn end_block(&mut self, exit: Exit, place: Place) {
        self.build(place, |b| b.exit(exit));
        session::close_scope(self);
    }

    /// Ends a block that a jump has left.
    pub(super) fn end_unreached(&mut self, place: Place) {
        self.end_block(Exit::Trap(TrapKind::Unreachable), place);
    }
}

/// The parts of a value, and then those of variables.
pub(super) fn with_vars<S: Staged>(value: &S, vars: Vars<'_, '_>) -> Vec<Part> {
    let mut parts = parts_of(value);
    vars.iter().for_each(|var| var.output(&mut parts));
    parts
}
