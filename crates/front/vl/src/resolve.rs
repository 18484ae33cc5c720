//! Terms to core: groups of procedures, captures, the points where closures are created, and a slot for every
//! intermediate value.
//!
//! Closures are created at their first use, with the others of their group (a strongly connected component of the
//! references), so definitions may be in any order; values are computed in the order of the source. A procedure that
//! needs a value before it is computed is an error here, not at run time.

mod groups;

use std::rc::Rc;
use std::sync::Arc;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use rustc_hash::FxHashMap;

use crate::core::{Atom, Block, Core, Exported, Lambda, LambdaId, Operation, Step};
use crate::expand::Source;
use crate::terms::{Constant, Item, Pattern, Term, TermId, Terms, VarId};
use groups::{Free, Set};

/// Resolves a program to core; `library` is the span of the standard library's text.
pub(crate) fn resolve(source: &Source, library: Span, diagnostics: &mut Vec<Diagnostic>) -> Core {
    let mut resolver =
        Resolver { terms: &source.terms, lambdas: Vec::new(), free: FxHashMap::default(), library, diagnostics };
    let mut frame = Frame::default();
    let exported: Vec<VarId> = source.exports.iter().map(|e| e.value).collect();
    let main = resolver.main(source.body, &exported, &mut frame);
    let exports = source
        .exports
        .iter()
        .map(|export| Exported {
            name: export.name.clone(),
            span: export.span,
            value: frame.atoms.get(&export.value).copied().unwrap_or(Atom::Const(Constant::Nil)),
            arguments: Some(export.arguments.clone()).filter(|lists| !lists.is_empty()),
            result: export.result.clone(),
        })
        .collect();
    let lambdas = resolver.lambdas.into_iter().map(|l| l.expect("every procedure was made")).collect();
    Core {
        lambdas,
        main,
        slots: frame.slots,
        has_value: source.has_value,
        value_name: source.value_name.clone(),
        exports,
        span: source.span,
    }
}

/// Variables of the procedure being resolved.
#[derive(Default)]
struct Frame {
    atoms: FxHashMap<VarId, Atom>,
    slots: u32,
}

impl Frame {
    fn slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    fn bind(&mut self, pattern: &Pattern<VarId>) -> Pattern<u32> {
        pattern.map(&mut |&var| {
            let slot = self.slot();
            self.atoms.insert(var, Atom::Slot(slot));
            slot
        })
    }
}

struct Resolver<'a> {
    terms: &'a Terms,
    /// `None` while under construction.
    lambdas: Vec<Option<Lambda>>,
    free: Free,
    /// Span of the standard library's text.
    library: Span,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn main(&mut self, body: TermId, exported: &[VarId], frame: &mut Frame) -> Block {
        let mut steps = Vec::new();
        let value = match self.terms.term(body) {
            Term::Body(items, last) => self.body(items, *last, exported, frame, &mut steps),
            _ => self.term(body, frame, &mut steps),
        };
        Block { steps, value }
    }

    fn step(&mut self, operation: Operation, span: Span, frame: &mut Frame, steps: &mut Vec<Step>) -> Atom {
        let slot = frame.slot();
        steps.push(Step { operation, slot, span });
        Atom::Slot(slot)
    }

    fn term(&mut self, id: TermId, frame: &mut Frame, steps: &mut Vec<Step>) -> Atom {
        let span = self.terms.span(id);
        match self.terms.term(id) {
            &Term::Const(constant) => Atom::Const(constant),
            &Term::Var(var) => self.variable(var, span, frame),
            Term::Lambda(..) => {
                let captures = self.free_of(id).iter().copied().collect();
                let slot = self.close(&[(None, id)], &captures, span, frame, steps);
                Atom::Slot(slot)
            }
            &Term::Apply(procedure, argument) => {
                let procedure = self.term(procedure, frame, steps);
                let argument = self.term(argument, frame, steps);
                self.step(Operation::Apply(procedure, argument), span, frame, steps)
            }
            &Term::If(test, then, otherwise) => {
                let test = self.term(test, frame, steps);
                let then = self.block(then, frame);
                let otherwise = self.block(otherwise, frame);
                self.step(Operation::If(test, Box::new((then, otherwise))), span, frame, steps)
            }
            Term::List(items, tail) => {
                let items: Vec<Atom> = items.iter().map(|&item| self.term(item, frame, steps)).collect();
                let mut list = self.term(*tail, frame, steps);
                for item in items.into_iter().rev() {
                    list = self.step(Operation::Pair(item, list), span, frame, steps);
                }
                list
            }
            Term::Body(items, last) => self.body(items, *last, &[], frame, steps),
            Term::Error(message) => self.step(Operation::Error(message.clone()), span, frame, steps),
        }
    }

    /// Recursion: as deep as terms nest, at most `expand::MAX_DEPTH`.
    fn block(&mut self, id: TermId, frame: &mut Frame) -> Block {
        let mut steps = Vec::new();
        let value = self.term(id, frame, &mut steps);
        Block { steps, value }
    }

    fn variable(&mut self, var: VarId, span: Span, frame: &Frame) -> Atom {
        if let Some(&atom) = frame.atoms.get(&var) {
            return atom;
        }
        self.too_early(var, span);
        Atom::Const(Constant::Nil)
    }

    fn too_early(&mut self, var: VarId, span: Span) {
        let info = &self.terms.vars[var.0 as usize];
        let message = format!("`{}` is used before it has a value", info.name);
        let diagnostic = Diagnostic::error(Code::E0808, span, message)
            .also(info.span, "it gets its value here")
            .help("values are computed in the order of the source: move the definition up");
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn free_of(&mut self, id: TermId) -> Rc<[VarId]> {
        groups::free(self.terms, id, &mut self.free)
    }

    /// The value of a body; `also`: further variables that must be defined at its end.
    fn body(&mut self, items: &[Item], last: TermId, also: &[VarId], frame: &mut Frame, steps: &mut Vec<Step>) -> Atom {
        let mut procedures: FxHashMap<VarId, TermId> = FxHashMap::default();
        for item in items {
            if let &Item::Define(var, term) = item
                && matches!(self.terms.term(term), Term::Lambda(..))
            {
                procedures.insert(var, term);
            }
        }
        for item in items {
            let term = item.term();
            if matches!(item, Item::Define(var, _) if procedures.contains_key(var)) {
                continue;
            }
            let needed = self.free_of(term);
            self.make(&needed, &procedures, self.terms.span(term), frame, steps);
            match item {
                Item::Define(var, _) => {
                    let value = self.term(term, frame, steps);
                    frame.atoms.insert(*var, value);
                }
                Item::Bind(Pattern::Var(var), _) => {
                    let value = self.term(term, frame, steps);
                    frame.atoms.insert(*var, value);
                }
                Item::Bind(pattern, _) => {
                    let value = self.term(term, frame, steps);
                    let span = self.terms.span(term);
                    let pattern = frame.bind(pattern);
                    let slot = frame.slots;
                    steps.push(Step { operation: Operation::Match(pattern, value), slot, span });
                }
                Item::Effect(_) => {
                    self.term(term, frame, steps);
                }
            }
        }
        let mut needed: Vec<VarId> = self.free_of(last).to_vec();
        needed.extend(also);
        self.make(&needed, &procedures, self.terms.span(last), frame, steps);
        self.term(last, frame, steps)
    }

    /// Creates the procedures among `needed` that do not exist yet, and all that they depend on.
    fn make(
        &mut self,
        needed: &[VarId],
        procedures: &FxHashMap<VarId, TermId>,
        span: Span,
        frame: &mut Frame,
        steps: &mut Vec<Step>,
    ) {
        for group in groups::components(self.terms, needed, procedures, &frame.atoms, &mut self.free) {
            let members: Vec<(Option<VarId>, TermId)> =
                group.iter().map(|&var| (Some(var), procedures[&var])).collect();
            let mut captures = Set::new();
            for &(_, term) in &members {
                captures.extend(self.free_of(term).iter().copied().filter(|var| !group.contains(var)));
            }
            let missing: Vec<VarId> = captures.iter().copied().filter(|var| !frame.atoms.contains_key(var)).collect();
            for var in missing {
                self.too_early(var, span);
                captures.remove(&var);
                frame.atoms.insert(var, Atom::Const(Constant::Nil));
            }
            let slot = self.close(&members, &captures, self.terms.span(members[0].1), frame, steps);
            for (index, &var) in group.iter().enumerate() {
                frame.atoms.insert(var, Atom::Slot(slot + index as u32));
            }
        }
    }

    /// Creates the procedures of a group, in slots from the returned one on.
    fn close(
        &mut self,
        members: &[(Option<VarId>, TermId)],
        captures: &Set,
        span: Span,
        frame: &mut Frame,
        steps: &mut Vec<Step>,
    ) -> u32 {
        let first = self.lambdas.len() as u32;
        self.lambdas.extend(members.iter().map(|_| None));
        let group: Rc<[LambdaId]> = (0..members.len() as u32).map(|i| LambdaId(first + i)).collect();
        let names: Rc<[Arc<str>]> = captures.iter().map(|var| self.terms.vars[var.0 as usize].name.clone()).collect();
        let atoms: Box<[Atom]> = captures.iter().map(|&var| self.variable(var, span, frame)).collect();
        for (&id, &(_, term)) in group.iter().zip(members) {
            let lambda = self.lambda(term, &group, members, captures, &names);
            self.lambdas[id.0 as usize] = Some(lambda);
        }
        let slot = frame.slots;
        frame.slots += members.len() as u32;
        steps.push(Step { operation: Operation::Close(group, atoms), slot, span });
        slot
    }

    fn lambda(
        &mut self,
        term: TermId,
        group: &Rc<[LambdaId]>,
        members: &[(Option<VarId>, TermId)],
        captures: &Set,
        names: &Rc<[Arc<str>]>,
    ) -> Lambda {
        let Term::Lambda(name, pattern, body) = self.terms.term(term) else { unreachable!("members are procedures") };
        let mut frame = Frame::default();
        for (index, &var) in captures.iter().enumerate() {
            frame.atoms.insert(var, Atom::Captured(index as u32));
        }
        for (index, (var, _)) in members.iter().enumerate() {
            if let Some(var) = var {
                frame.atoms.insert(*var, Atom::Member(index as u32));
            }
        }
        let mut parameters = Vec::new();
        pattern.for_each(&mut |var| parameters.push(self.terms.vars[var.0 as usize].name.clone()));
        let pattern = frame.bind(pattern);
        let body = self.block(*body, &mut frame);
        let span = self.terms.span(term);
        Lambda {
            name: name.clone(),
            span,
            group: group.clone(),
            captures: names.clone(),
            pattern,
            parameters,
            body,
            slots: frame.slots,
            in_library: self.library.start <= span.start && span.end <= self.library.end,
        }
    }
}
