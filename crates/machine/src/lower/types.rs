//! Representation of types on a machine: nothing, one value, several values, or a pointer, which no register holds.

use planish_ir::arena::Id;
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;

use crate::isa::Kind;

/// The values that a value of a type consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// None.
    Void,
    /// One.
    One(Kind),
    /// So many components, depth first.
    Many(u32),
    /// The address of a variable or a part of one.
    Pointer,
    /// Something too large to be in registers, or without a size.
    TooLarge,
}

/// More components than this are no value of registers.
const MAX_COMPONENTS: u32 = 4096;

/// The shapes of all types of a module.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    shapes: Vec<Shape>,
    /// For each type: the kind of its values, if each is one; else [`Kind::None`].
    kinds: Vec<Kind>,
    /// Whether there are types of numbers of 8 or 16 bits, which functions may not have.
    pub(super) has_small: bool,
}

impl Shapes {
    /// Looks at the types that have come since.
    pub(crate) fn extend(&mut self, module: &Module) {
        if self.shapes.len() == module.types.len() {
            return;
        }
        // Parts are interned before what they are parts of.
        for (_, kind) in module.types.iter().skip(self.shapes.len()) {
            self.has_small |= match kind {
                TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => s.widened() != *s,
                _ => false,
            };
            let shape = self.shape_of(kind);
            self.shapes.push(shape);
            self.kinds.push(if let Shape::One(kind) = shape { kind } else { Kind::None });
        }
    }

    #[inline]
    pub(super) fn of(&self, ty: Type) -> Shape {
        self.shapes[ty.index()]
    }

    /// The kind of a type's values, if each is one; else [`Kind::None`].
    #[inline]
    pub(super) fn kind(&self, ty: Type) -> Kind {
        self.kinds[ty.index()]
    }

    /// Number of components; `None` for what is no value in registers.
    pub(crate) fn components(&self, ty: Type) -> Option<u32> {
        match self.of(ty) {
            Shape::Void => Some(0),
            Shape::One(_) => Some(1),
            Shape::Many(n) => Some(n),
            Shape::Pointer | Shape::TooLarge => None,
        }
    }

    fn shape_of(&self, kind: &TypeKind) -> Shape {
        let count = match kind {
            TypeKind::Void => return Shape::Void,
            TypeKind::Pointer { .. } => return Shape::Pointer,
            TypeKind::RuntimeArray { .. } => return Shape::TooLarge,
            &TypeKind::Vector(_, n) => Some(u32::from(n)),
            &TypeKind::Matrix { columns, rows, .. } => Some(u32::from(columns) * u32::from(rows)),
            &TypeKind::Array { element, len } => self.components(element).and_then(|n| n.checked_mul(len)),
            TypeKind::Struct(s) => s.members.iter().try_fold(0u32, |sum, m| sum.checked_add(self.components(m.ty)?)),
            other => return Kind::of_type(other).map_or(Shape::TooLarge, Shape::One),
        };
        match count {
            Some(n) if n <= MAX_COMPONENTS => Shape::Many(n),
            _ => Shape::TooLarge,
        }
    }
}

/// Appends the kinds of a type's components, depth first. Its shape must be known not to be too large.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn push_kinds(module: &Module, ty: Type, kinds: &mut Vec<Kind>) {
    match &module.types[ty] {
        TypeKind::Void | TypeKind::Pointer { .. } | TypeKind::RuntimeArray { .. } => {}
        &TypeKind::Vector(scalar, n) => kinds.extend((0..n).map(|_| Kind::of(scalar))),
        &TypeKind::Matrix { scalar, columns, rows } => kinds.extend((0..columns * rows).map(|_| Kind::of(scalar))),
        &TypeKind::Array { element, len } => {
            let first = kinds.len();
            push_kinds(module, element, kinds);
            let end = kinds.len();
            for _ in 1..len {
                kinds.extend_from_within(first..end);
            }
        }
        TypeKind::Struct(s) => s.members.iter().for_each(|m| push_kinds(module, m.ty, kinds)),
        other => kinds.extend(Kind::of_type(other)),
    }
}
