//! Arrays without a length: those whose indices give it, and those whose length the host knows.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};

use super::names::Entity;
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
        let declared = ast.declarators.iter().filter(|declarator| declarator.name.symbol == name.symbol);
        let sizes = declared.filter_map(|declarator| ast[declarator.dims].first()?.size);
        let declared = sizes.filter_map(|size| match ast[size].kind {
            ExprKind::Int { bits, .. } => Some(bits),
            _ => None,
        });
        let Some(len) = ast.exprs.iter().filter_map(constant_index).chain(declared).max() else { return ty };
        self.array_of(element, len, name.span).unwrap_or(ty)
    }

    /// Declares an array again, whose first declaration leaves the length open (GLSL 4.60.8, section 4.1.9); `false` if it is no such.
    pub(super) fn sized_again(&mut self, name: Name, ty: Type) -> Checked<bool> {
        let earlier = self.scopes.lookup_here(name.symbol).map(|binding| (binding.entity, binding.span));
        let Some((Entity::Variable { address, ty: known, .. }, earlier)) = earlier else { return Ok(false) };
        let Some(var) = address.as_var().filter(|var| self.program_facts.open_arrays.contains(var)) else {
            return Ok(false);
        };
        let (TypeKind::Array { element, len }, TypeKind::Array { element: of, len: used }) =
            (self.kind(ty).clone(), self.kind(known).clone())
        else {
            return Ok(false);
        };
        if element != of {
            return Ok(false);
        }
        if len < used {
            let text = self.text(name.symbol);
            let message = format!("`{text}` gets {len} elements, but one at index {} is used", used - 1);
            return Err(self.error(
                Diagnostic::error(Code::E0411, name.span, message).also(earlier, "declared without a length here"),
            ));
        }
        self.program_facts.open_arrays.remove(&var);
        Ok(true)
    }

    /// Notes a variable that was declared as an array without a length.
    pub(super) fn note_open_array(&mut self, name: Name) {
        let entity = self.scopes.lookup_here(name.symbol).map(|binding| binding.entity);
        if let Some(Entity::Variable { address, .. }) = entity
            && let Some(var) = address.as_var()
        {
            self.program_facts.open_arrays.insert(var);
        }
    }

    /// Reports a use of an array that needs its length, where no declaration has given one. Constant indices need none.
    pub(super) fn check_length_is_known(&mut self, base: Operand, span: Span) -> Checked<()> {
        let var = base.value.as_var().filter(|_| base.place);
        if !var.is_some_and(|var| self.program_facts.open_arrays.contains(&var)) {
            return Ok(());
        }
        Err(self.error(
            Diagnostic::error(Code::E0411, span, "the length of this array is not known yet")
                .note("without a length, only elements at constant indices can be used")
                .help("declare it with a length before"),
        ))
    }

    /// Elements of a built-in array of at most `most` that the program uses by constant indices; all of them if some index is no number.
    pub(super) fn indexed_elements(&self, name: &str, most: u32) -> u32 {
        let ast = self.ast;
        let is_it = |base: ExprId| matches!(ast[base].kind, ExprKind::Name(symbol) if self.text(symbol) == name);
        let indices = ast.exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Index { base, index } if is_it(base) => Some(index),
            _ => None,
        });
        let lengths = indices.map(|index| match ast[index].kind {
            ExprKind::Int { bits, .. } => bits.saturating_add(1),
            _ => most,
        });
        lengths.max().unwrap_or(most).min(most)
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
