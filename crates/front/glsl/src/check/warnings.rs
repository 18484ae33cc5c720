//! Warnings: legal, but probably not what was meant.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Value, Var};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::Checker;
use super::names::{Binding, Entity};
use crate::ast::{ExprId, StmtId};

/// Local variables that are declared without a value and written on no way that leads to where we are: where they are
/// declared.
pub(super) type Unwritten = SmallVec<[(Var, Span); 4]>;

/// So many variables are watched at a time: every condition copies what is known of them.
const MAX_UNWRITTEN: usize = 64;

/// What is known about the local variables that have not been written yet.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) unwritten: Unwritten,
    /// Loops around, innermost last.
    loops: Vec<LoopFlow>,
    /// How many conditions around decide whether we are reached.
    pub(super) conditions: u32,
    /// Whether names are read only to write to what they stand for.
    pub(super) suppressed: bool,
    /// Whether what is looked at runs later than its place tells: the last part of a `for`.
    out_of_order: bool,
}

/// A loop around. Its first round finds unwritten what nothing before it wrote; but where a condition decides, that
/// condition may ask whether this is the first round.
struct LoopFlow {
    /// Conditions around its body.
    conditions: u32,
    /// What was unwritten before it and is written in it.
    written: Unwritten,
    /// Whether a `continue` lets some rounds end early.
    continued: bool,
}

impl Checker<'_, '_> {
    /// A local variable without an initializer is declared.
    pub(super) fn note_unwritten(&mut self, var: Var, span: Span) {
        let unwritten = &mut self.frame.flow.unwritten;
        if unwritten.len() < MAX_UNWRITTEN {
            unwritten.push((var, span));
        }
    }

    /// A variable is read, or a part of it.
    pub(super) fn note_read(&mut self, address: Value, span: Span) {
        let flow = &mut self.frame.flow;
        if flow.suppressed || flow.out_of_order || flow.unwritten.is_empty() {
            return;
        }
        let Some(var) = address.as_var() else { return };
        let Some(index) = flow.unwritten.iter().position(|(v, _)| *v == var) else { return };
        let may_be_later =
            |l: &LoopFlow| (flow.conditions > l.conditions || l.continued) && l.written.iter().any(|(v, _)| *v == var);
        if self.frame.reachable && !flow.loops.iter().any(may_be_later) {
            let (_, declared) = flow.unwritten.swap_remove(index);
            self.warn_unwritten(var, span, declared);
        }
    }

    /// What comes next runs under a condition; gives what is unwritten before it.
    pub(super) fn enter_condition(&mut self) -> Unwritten {
        self.frame.flow.conditions += 1;
        self.frame.flow.unwritten.clone()
    }

    /// Another way leads to where we are, on which `unwritten` is what it says.
    pub(super) fn join_flow(&mut self, unwritten: Unwritten, reachable: bool) {
        let here = &mut self.frame.flow.unwritten;
        if !self.frame.reachable {
            *here = unwritten;
        } else if reachable {
            here.retain(|entry| unwritten.contains(entry));
        }
    }

    /// What is unwritten now and written somewhere in a statement.
    pub(super) fn unwritten_but_written_in(&mut self, statements: &[StmtId]) -> Unwritten {
        let mut written = Unwritten::new();
        if self.frame.flow.unwritten.is_empty() {
            return written;
        }
        for &statement in statements {
            for name in self.written_names(statement) {
                let Some(Entity::Variable { address, .. }) = self.scopes.lookup(name).map(|b| b.entity) else {
                    continue;
                };
                let unwritten = &self.frame.flow.unwritten;
                written.extend(unwritten.iter().filter(|(var, _)| address.as_var() == Some(*var)).copied());
            }
        }
        written
    }

    /// A loop begins, whose body runs under `conditions` more conditions than the loop.
    pub(super) fn enter_loop(&mut self, statement: StmtId, conditions: u32) {
        let written = self.unwritten_but_written_in(&[statement]);
        let flow = &mut self.frame.flow;
        flow.loops.push(LoopFlow { conditions: flow.conditions + conditions, written, continued: false });
    }

    /// A loop ends: each of its ways out may have written what it writes.
    pub(super) fn leave_loop(&mut self) {
        let flow = &mut self.frame.flow;
        let Some(LoopFlow { written, .. }) = flow.loops.pop() else { return };
        flow.unwritten.retain(|entry| !written.contains(entry));
    }

    /// A round of the innermost loop ends early.
    pub(super) fn note_continue(&mut self) {
        if let Some(around) = self.frame.flow.loops.last_mut() {
            around.continued = true;
        }
    }

    /// Looks at the last part of a `for`, which runs behind the body.
    pub(super) fn loop_step(&mut self, step: ExprId) {
        let unwritten = self.frame.flow.unwritten.clone();
        let outer = std::mem::replace(&mut self.frame.flow.out_of_order, true);
        let _ = self.expression(step);
        self.frame.flow.out_of_order = outer;
        self.frame.flow.unwritten = unwritten;
    }

    #[cold]
    fn warn_unwritten(&mut self, var: Var, span: Span, declared: Span) {
        let text = self.b.module.vars[var].name.text.clone();
        self.warn(
            Diagnostic::warning(Code::W0102, span, format!("`{text}` is read before anything is written to it"))
                .also(declared, "declared without a value here"),
        );
    }

    /// A place is written; `read` tells whether it was read as well.
    pub(super) fn note_write(&mut self, target: ExprId, read: bool) {
        if self.frame.flow.unwritten.is_empty() {
            return;
        }
        let Some(root) = self.root(target) else { return };
        let Some(binding) = self.scopes.lookup(root) else { return };
        let Entity::Variable { address, .. } = binding.entity else { return };
        if read {
            let suppressed = std::mem::replace(&mut self.frame.flow.suppressed, false);
            self.note_read(address, self.span_of(target));
            self.frame.flow.suppressed = suppressed;
        }
        if let Some(var) = address.as_var() {
            self.frame.flow.unwritten.retain(|(v, _)| *v != var);
        }
    }

    /// Ends a scope, and warns of its variables that nobody uses.
    pub(super) fn pop_scope(&mut self) {
        self.precisions.pop();
        let unused: Vec<Binding> = self.scopes.pop().filter(|b| b.warn && !b.used).collect();
        for binding in unused {
            self.warn_unused(&binding);
        }
    }

    #[cold]
    fn warn_unused(&mut self, binding: &Binding) {
        let text = self.text(binding.symbol);
        if !text.starts_with('_') {
            self.warn(Diagnostic::warning(Code::W0101, binding.span, format!("the variable `{text}` is never used")));
        }
    }

    /// Warns of statements that nothing leads to, once for each place.
    pub(super) fn warn_unreachable(&mut self, span: Span) {
        if !self.frame.reachable && !self.frame.warned_unreachable {
            self.frame.warned_unreachable = true;
            self.warn(Diagnostic::warning(Code::W0103, span, "this statement is never reached"));
        }
    }

    /// Warns of an integer division by a constant zero, or a float division by a literal zero.
    pub(super) fn warn_division(&mut self, divisor: Value, span: Span) {
        let Some(c) = divisor.as_const() else { return };
        let module = &self.b.module;
        let is_integer = module.types.scalar_of(module.consts[c].ty).is_some_and(|s| s.is_integer());
        let mut bits = vec![];
        if !matches!(module.types[module.consts[c].ty], TypeKind::Scalar(_) | TypeKind::Vector(..))
            || !module.consts.flatten(c, &mut bits)
        {
            return;
        }
        let zero = |b: &u64| if is_integer { *b == 0 } else { *b as u32 & 0x7fff_ffff == 0 };
        if bits.iter().any(zero) {
            let d = Diagnostic::warning(Code::W0105, span, "division by zero");
            self.warn(if is_integer { d.note("here `x / 0` gives `x`; elsewhere it may give anything") } else { d });
        }
    }
}
