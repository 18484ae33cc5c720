//! Arrays without a length: those whose indices give it, and those whose length the host knows.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};

use super::operand::Operand;
use super::{Checked, Checker};
use crate::ast::*;

/// The extension of arrays of textures and blocks without a length.
pub(super) const OPEN_ARRAYS: &str = "GL_EXT_nonuniform_qualifier";

impl Checker<'_, '_> {
    /// In desktop versions, the length of an array without a size is determined by its constant indices.
    pub(super) fn implicitly_sized(&mut self, ty: Type, name: Name) -> Type {
        let TypeKind::RuntimeArray { element } = *self.kind(ty) else { return ty };
        if self.is_es() {
            return ty;
        }
        let ast = self.ast;
        let constant_index = |expr: &Expr| match expr.kind {
            ExprKind::Index { base, index } if ast[base].kind == ExprKind::Name(name.symbol) => match ast[index].kind {
                ExprKind::Int { bits, .. } => bits.checked_add(1),
                _ => None,
            },
            _ => None,
        };
        let is_dynamic = |expr: &Expr| match expr.kind {
            ExprKind::Index { base, .. } => {
                ast[base].kind == ExprKind::Name(name.symbol) && constant_index(expr).is_none()
            }
            _ => false,
        };
        if self.is_opaque(element) && self.has_extension(OPEN_ARRAYS) && ast.exprs.iter().any(is_dynamic) {
            return ty;
        }
        let Some(len) = ast.exprs.iter().filter_map(constant_index).max() else { return ty };
        self.array_of(element, len, name.span).unwrap_or(ty)
    }

    pub(super) fn check_sized(&mut self, ty: Type, span: Span) -> Checked<()> {
        if self.is_unsized(ty) {
            return Err(self.error(
                Diagnostic::error(Code::E0411, span, "the size of the array is missing")
                    .help("write it between the brackets"),
            ));
        }
        Ok(())
    }

    /// Whether an address without a length is the last member of a buffer.
    pub(super) fn ends_buffer(&self, address: Value) -> bool {
        let ty = self.b.type_of(address);
        let is_storage = self.b.module.types.pointee(ty).is_some_and(|(_, space)| space == AddressSpace::Storage);
        is_storage && address.as_var().is_none()
    }

    /// Whether an array without a length can be indexed: the last member of a buffer, bound or behind a reference, and under the extension an array of textures
    /// or blocks.
    pub(super) fn is_counted_by_host(&self, base: Operand) -> bool {
        if base.spot.is_some() {
            return true;
        }
        let space = self.b.module.types.pointee(self.b.type_of(base.value)).map(|(_, space)| space);
        let is_array_of_bindings = matches!(
            space,
            Some(AddressSpace::Storage | AddressSpace::Uniform | AddressSpace::Handle | AddressSpace::Spirv)
        );
        self.ends_buffer(base.value) || is_array_of_bindings && self.has_extension(OPEN_ARRAYS)
    }
}
