//! What functions take and give in registers.

use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;

use crate::isa::Kind;
use crate::lower::types::{Shapes, push_kinds};

/// The kinds of registers that a function takes and gives, in order.
///
/// Composites are their components, depth first. What a parameter points to (`out`, `inout`) goes in with the arguments, and
/// comes back behind the results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// What it takes.
    pub params: Vec<Kind>,
    /// What it gives.
    pub results: Vec<Kind>,
}

/// The signatures of a module's function types.
#[derive(Debug)]
pub struct Signatures<'m> {
    module: &'m Module,
    shapes: Shapes,
}

impl<'m> Signatures<'m> {
    /// For a module. Linear in the number of its types.
    pub fn new(module: &'m Module) -> Self {
        let mut shapes = Shapes::default();
        shapes.extend(module);
        Signatures { module, shapes }
    }

    /// The signature of a function type; `None` if it is none, or if a value of it does not fit registers, so that such a
    /// function does not become code.
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
