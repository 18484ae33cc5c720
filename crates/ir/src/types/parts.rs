//! The parts of types.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{ImageType, PREDEFINED_TYPES, StructType, TypeKind, Types};
use crate::arena::Id;
use crate::entity::Type;
use crate::types::{AddressSpace, Scalar};

impl Types {
    /// The component type of a scalar, vector or matrix.
    #[inline]
    pub fn scalar_of(&self, ty: Type) -> Option<Scalar> {
        match self.kinds[ty] {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => Some(s),
            _ => None,
        }
    }

    /// Components of a scalar (1) or vector.
    pub fn vector_size(&self, ty: Type) -> Option<u8> {
        match self.kinds[ty] {
            TypeKind::Scalar(_) => Some(1),
            TypeKind::Vector(_, n) => Some(n),
            _ => None,
        }
    }

    /// Pointee and address space of a pointer.
    pub fn pointee(&self, ty: Type) -> Option<(Type, AddressSpace)> {
        match self.kinds[ty] {
            TypeKind::Pointer { pointee, space } => Some((pointee, space)),
            _ => None,
        }
    }

    /// The elements of the growable array that a pointer leads to: a variable of a function whose type is a runtime-sized array.
    pub fn growable(&self, pointer: Type) -> Option<Type> {
        let (array, AddressSpace::Function) = self.pointee(pointer)? else { return None };
        if let TypeKind::RuntimeArray { element } = self.kinds[array] { Some(element) } else { None }
    }

    /// The struct, or `None` for other types.
    pub fn as_struct(&self, ty: Type) -> Option<&Arc<StructType>> {
        if let TypeKind::Struct(s) = &self.kinds[ty] { Some(s) } else { None }
    }

    /// Whether it is an array of textures, samplers or blocks whose length the host decides on.
    pub fn is_open_array(&self, ty: Type) -> bool {
        matches!(self.kinds[ty], TypeKind::RuntimeArray { element } if self.is_binding(element))
    }

    /// Whether it is a texture, a sampler, a block, or an array of such.
    pub fn is_binding(&self, ty: Type) -> bool {
        self.contains(ty, &mut |kind| match kind {
            TypeKind::Image(_) | TypeKind::Sampler { .. } => true,
            TypeKind::Struct(s) => s.is_block,
            _ => false,
        })
    }

    /// The image, or `None` for other types.
    pub fn as_image(&self, ty: Type) -> Option<ImageType> {
        if let TypeKind::Image(i) = self.kinds[ty] { Some(i) } else { None }
    }

    /// The type of direct part `index` of a composite (component, column, element, member); `None` if out of range or
    /// not a composite.
    pub fn part(&mut self, ty: Type, index: u32) -> Option<Type> {
        match &self.kinds[ty] {
            &TypeKind::Vector(s, n) => (index < n.into()).then(|| self.scalar(s)),
            &TypeKind::Matrix { scalar, columns, rows } => (index < columns.into()).then(|| self.vector(scalar, rows)),
            &TypeKind::Array { element, len } => (index < len).then_some(element),
            &TypeKind::RuntimeArray { element } => Some(element),
            TypeKind::Struct(s) => s.members.get(index as usize).map(|m| m.ty),
            _ => None,
        }
    }

    /// Number of direct parts of a composite: components, columns, elements, members; `None` for other types.
    pub fn part_count(&self, ty: Type) -> Option<u32> {
        match &self.kinds[ty] {
            &TypeKind::Vector(_, n) => Some(n.into()),
            &TypeKind::Matrix { columns, .. } => Some(columns.into()),
            &TypeKind::Array { len, .. } => Some(len),
            TypeKind::Struct(s) => Some(s.members.len() as u32),
            _ => None,
        }
    }

    /// Whether the type or any type nested in it satisfies `test`.
    pub fn contains(&self, ty: Type, test: &mut dyn FnMut(&TypeKind) -> bool) -> bool {
        if ty.index() < PREDEFINED_TYPES {
            // Components of scalars, vectors and matrices are not tested.
            return test(&self.kinds[ty]);
        }
        let mut stack: SmallVec<[Type; 8]> = SmallVec::from_slice(&[ty]);
        while let Some(ty) = stack.pop() {
            let kind = &self.kinds[ty];
            if test(kind) {
                return true;
            }
            match kind {
                TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => stack.push(*element),
                TypeKind::Struct(s) => stack.extend(s.members.iter().map(|m| m.ty)),
                _ => {}
            }
        }
        false
    }

    /// Whether a value of the type contains images, samplers or atomic counters.
    pub fn is_opaque(&self, ty: Type) -> bool {
        self.contains(ty, &mut |k| matches!(k, TypeKind::Image(_) | TypeKind::Sampler { .. } | TypeKind::AtomicCounter))
    }
}
