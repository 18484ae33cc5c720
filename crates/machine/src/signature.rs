//! Signatures of functions in registers.

use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;

use crate::isa::Kind;
use crate::lower::types::{Shapes, push_kinds};

/// Kinds of the registers of parameters and results, in order.
///
/// Composites are their components, depth first. The pointee of an `out` or `inout` parameter is passed with the
/// arguments, and returned after the results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// Parameters.
    pub params: Vec<Kind>,
    /// Results.
    pub results: Vec<Kind>,
}

/// The signatures of a module's function types.
#[derive(Debug)]
pub struct Signatures<'m> {
    module: &'m Module,
    shapes: Shapes,
}

impl<'m> Signatures<'m> {
    /// Signatures of a module. Linear in the number of its types.
    pub fn new(module: &'m Module) -> Self {
        let mut shapes = Shapes::default();
        shapes.extend(module);
        Signatures { module, shapes }
    }

    /// The signature of a function type; `None` for other types, or if one of its values does not fit registers, so
    /// that functions of the type cannot be compiled.
    pub fn of(&self, ty: Type) -> Option<Signature> {
        let TypeKind::Function { params, results } = &self.module.types[ty] else { return None };
        let mut signature = Signature::default();
        for &ty in results.iter() {
            self.append(ty, &mut signature.results)?;
        }
        for &ty in params.iter() {
            let behind = self.module.types.pointee(ty).map(|(pointee, _)| pointee);
            self.append(behind.unwrap_or(ty), &mut signature.params)?;
            if let Some(behind) = behind {
                self.append(behind, &mut signature.results)?;
            }
        }
        Some(signature)
    }

    fn append(&self, ty: Type, kinds: &mut Vec<Kind>) -> Option<()> {
        self.shapes.components(ty)?;
        push_kinds(self.module, ty, kinds);
        Some(())
    }
}
