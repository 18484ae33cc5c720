//! Warnings about valid code that was probably not intended.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Value, Var};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::Checker;
use super::names::{Binding, Entity};
use crate::ast::{ExprId, StmtId};

/// Local variables declared without a value and not written on any path to the current position, with the spans of
/// their declarations.
pub(super) type Unwritten = SmallVec<[(Var, Span); 4]>;

/// Maximum number of variables tracked at a time: every condition copies their state.
const MAX_UNWRITTEN: usize = 64;

/// State of the analysis of local variables that have not been written.
#[derive(Default)]
pub(super) struct Flow {
    pub(super) unwritten: Unwritten,
    /// Enclosing loops, innermost last.
    loops: Vec<LoopFlow>,
    /// Number of enclosing conditions.
    pub(super) conditions: u32,
    /// Whether names are currently evaluated as places only.
    pub(super) suppressed: bool,
    /// Whether the current expression runs later than its position suggests: the last part of a `for`.
    out_of_order: bool,
}

/// An enclosing loop. In its first iteration, variables not written before it are unwritten; but a condition in the
/// loop may test whether this is the first iteration.
struct LoopFlow {
    /// Conditions around its body.
    conditions: u32,
    /// Variables unwritten before it and written in it.
    written: Unwritten,
    /// Whether a `continue` may end an iteration early.
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

    /// Enters a condition; returns the variables that are unwritten before it.
    pub(super) fn enter_condition(&mut self) -> Unwritten {
        self.frame.flow.conditions += 1;
        self.frame.flow.unwritten.clone()
    }

    /// Merges another path to the current position, on which the variables `unwritten` are.
    pub(super) fn join_flow(&mut self, unwritten: Unwritten, reachable: bool) {
        let here = &mut self.frame.flow.unwritten;
        if !self.frame.reachable {
            *here = unwritten;
        } else if reachable {
            here.retain(|entry| unwritten.contains(entry));
        }
    }

    /// The variables that are unwritten now and written somewhere in the statements.
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

    /// Ends a loop: on each of its exits the variables that it writes may have been written.
    pub(super) fn leave_loop(&mut self) {
        let flow = &mut self.frame.flow;
        let Some(LoopFlow { written, .. }) = flow.loops.pop() else { return };
        flow.unwritten.retain(|entry| !written.contains(entry));
    }

    /// A `continue` of the innermost loop.
    pub(super) fn note_continue(&mut self) {
        if let Some(around) = self.frame.flow.loops.last_mut() {
            around.continued = true;
        }
    }

    /// Checks the last part of a `for`, which runs after the body.
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

    /// A place is written; `read`: it is read first, as in `+=`.
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

    /// Ends a scope, and warns of its unused variables.
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

    /// Warns of unreachable statements, once for each place.
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
