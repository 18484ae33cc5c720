//! Restrictions of pointers, which make aliasing a question of roots: from the relations in the op table.

use super::VerifyError;
use super::function::{FunctionVerifier, Place};
use crate::aliasing::{Root, root};
use crate::entity::{Local, Node, Type, Value};
use crate::ops::Class;
use crate::source::Span;
use crate::types::AddressSpace;

impl FunctionVerifier<'_, '_> {
    /// Checks that no pointer becomes one of several, or is contained in something. The operands have the given types.
    pub(super) fn check_restrictions(&mut self, place: Place, node: Node, operands: &[Type]) {
        let op = self.body.node(node).op;
        let (class, relations) = (op.info().class, op.info().relations);
        if matches!(class, Class::Access | Class::Call | Class::Custom) {
            return;
        }
        for (index, &ty) in operands.iter().enumerate() {
            let why = match () {
                () if !self.is_restricted(ty) => continue,
                () if relations.alias.has(index) => {
                    "gives one of several pointers, so that a write through it is ambiguous"
                }
                () if relations.contain.has(index) => "keeps a pointer in other memory, which may change on its own",
                () => continue,
            };
            let pointer = self.body.args(node)[index];
            self.restricted(place, pointer, format!("`{}` {why}", op.text()));
        }
    }

    /// Checks that no input of a block but the entry is a pointer.
    pub(super) fn check_restricted_input(&mut self, place: Place, input: Local) {
        if self.is_restricted(self.body.local(input).ty) {
            let message = format!("input {input} is one of several pointers, so that a write through it is ambiguous");
            self.restricted(place, input.into(), message);
        }
    }

    fn is_restricted(&self, ty: Type) -> bool {
        self.cx.types.pointee(ty).is_some_and(|(_, space)| space != AddressSpace::Handle)
    }

    fn restricted(&mut self, place: Place, pointer: Value, message: String) {
        let module = self.cx.module;
        let memory = match root(self.body, pointer) {
            Some(Root::Var(var)) => module.vars.get(var).map(|data| data.span),
            Some(Root::Param(param)) => module.funcs[self.func].params.get(param as usize).map(|param| param.span),
            None => None,
        };
        self.cx.errors.push(VerifyError {
            func: Some(self.func),
            block: Some(place.block),
            node: place.node,
            message,
            span: place.span,
            memory: Some(memory.unwrap_or(Span::NONE)),
        });
    }
}
