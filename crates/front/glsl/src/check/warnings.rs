//! Warnings: legal, but probably not what was meant.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Value, Var};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;
use rustc_hash::FxHashMap;

use super::Checker;
use super::names::{Binding, Entity};
use crate::ast::ExprId;

/// What is known about the local variables that have not been written yet.
#[derive(Default)]
pub(super) struct Flow {
    /// Declared without an initializer and not written so far: where, and how many loops were around.
    unwritten: FxHashMap<Var, (Span, u32)>,
    /// Loops around.
    pub(super) loops: u32,
    /// Whether names are read only to write to what they stand for.
    pub(super) suppressed: bool,
}

impl Checker<'_, '_> {
    /// A local variable without an initializer is declared.
    pub(super) fn note_unwritten(&mut self, var: Var, span: Span) {
        let loops = self.frame.flow.loops;
        self.frame.flow.unwritten.insert(var, (span, loops));
    }

    /// A variable is read, or a part of it.
    pub(super) fn note_read(&mut self, address: Value, span: Span) {
        let flow = &mut self.frame.flow;
        if flow.suppressed || flow.unwritten.is_empty() {
            return;
        }
        let Some(var) = address.as_var() else { return };
        let Some(&(declared, loops)) = flow.unwritten.get(&var) else { return };
        flow.unwritten.remove(&var);
        // An earlier round of a loop may have written it further down.
        if loops == flow.loops && self.frame.reachable {
            self.warn_unwritten(var, span, declared);
        }
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
            self.frame.flow.unwritten.remove(&var);
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
