//! Types of a graph: a name and a description, so that a reader need not parse names.

use planish_ir::entity::Type;
use planish_ir::text::type_text;
use planish_ir::types::{ImageType, Scalar, TypeKind, Types};
use rustc_hash::FxHashMap;

/// Index of a type in [`crate::Graph::types`].
pub type TypeId = u32;

/// A type and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeRow {
    /// Its name: as in the text form of the IR, a tuple as `(f32, i32)`.
    pub name: String,
    /// Description.
    pub shape: Shape,
}

/// Description of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One component.
    Scalar(Scalar),
    /// 2 to 4 components.
    Vector(Scalar, u8),
    /// Matrix by columns.
    Matrix {
        /// Component type.
        scalar: Scalar,
        /// 2 to 4.
        columns: u8,
        /// 2 to 4.
        rows: u8,
    },
    /// Equal elements.
    Array(TypeId, u32),
    /// Members by name.
    Struct(Vec<(String, TypeId)>),
    /// A texture or storage image, possibly with its sampler.
    Image(ImageType),
    /// A sampler.
    Sampler {
        /// Whether it compares with a depth.
        comparison: bool,
    },
    /// A YUV standard.
    Yuv,
    /// The results of an op with several results.
    Tuple(Vec<TypeId>),
}

/// The types of a graph during construction.
#[derive(Default)]
pub(crate) struct Shapes {
    pub(crate) rows: Vec<TypeRow>,
    by_type: FxHashMap<Type, TypeId>,
    by_name: FxHashMap<String, TypeId>,
}

impl Shapes {
    /// The index of a type; `None` if values of a graph cannot have it. Recursion is bounded by the nesting of the
    /// type.
    pub(crate) fn of(&mut self, types: &Types, ty: Type) -> Option<TypeId> {
        if let Some(&id) = self.by_type.get(&ty) {
            return Some(id);
        }
        let shape = match &types[ty] {
            &TypeKind::Scalar(s) => Shape::Scalar(s),
            &TypeKind::Vector(s, n) => Shape::Vector(s, n),
            &TypeKind::Matrix { scalar, columns, rows } => Shape::Matrix { scalar, columns, rows },
            &TypeKind::Array { element, len } => Shape::Array(self.of(types, element)?, len),
            TypeKind::Struct(s) => {
                let member = |m: &planish_ir::types::Member| Some((m.name.to_string(), self.of(types, m.ty)?));
                Shape::Struct(s.members.iter().map(member).collect::<Option<_>>()?)
            }
            &TypeKind::Image(image) => Shape::Image(image),
            &TypeKind::Sampler { comparison } => Shape::Sampler { comparison },
            TypeKind::YuvCsc => Shape::Yuv,
            _ => return None,
        };
        let id = self.add(type_text(types, ty), shape);
        self.by_type.insert(ty, id);
        Some(id)
    }

    /// The tuple of the results of an op.
    pub(crate) fn tuple(&mut self, parts: Vec<TypeId>) -> TypeId {
        let names: Vec<&str> = parts.iter().map(|&p| &self.rows[p as usize].name[..]).collect();
        let name = format!("({})", names.join(", "));
        match self.by_name.get(&name) {
            Some(&id) if self.rows[id as usize].shape == Shape::Tuple(parts.clone()) => id,
            _ => self.add(name, Shape::Tuple(parts)),
        }
    }

    /// The index of a scalar type.
    pub(crate) fn scalar(&mut self, scalar: Scalar) -> TypeId {
        match self.by_name.get(scalar.name()) {
            Some(&id) => id,
            None => self.add(scalar.name().into(), Shape::Scalar(scalar)),
        }
    }

    /// Adds a row; different types with equal names (two structs) have different rows.
    fn add(&mut self, name: String, shape: Shape) -> TypeId {
        let mut unique = name.clone();
        let mut number = 1;
        while let Some(&id) = self.by_name.get(&unique) {
            if self.rows[id as usize].shape == shape {
                return id;
            }
            number += 1;
            unique = format!("{name}.{number}");
        }
        let id = self.rows.len() as TypeId;
        self.by_name.insert(unique.clone(), id);
        self.rows.push(TypeRow { name: unique, shape });
        id
    }

    pub(crate) fn shape(&self, ty: TypeId) -> &Shape {
        &self.rows[ty as usize].shape
    }

    /// The type of a direct part.
    pub(crate) fn part(&mut self, ty: TypeId, index: u32) -> Option<TypeId> {
        match *self.shape(ty) {
            Shape::Vector(scalar, n) => (index < n.into()).then(|| self.scalar(scalar)),
            Shape::Matrix { scalar, columns, rows } => (index < columns.into()).then(|| self.vector(scalar, rows)),
            Shape::Array(element, len) => (index < len).then_some(element),
            Shape::Struct(ref members) => members.get(index as usize).map(|m| m.1),
            _ => None,
        }
    }

    /// The index of a vector type, or for one component of the scalar.
    pub(crate) fn vector(&mut self, scalar: Scalar, size: u8) -> TypeId {
        if size == 1 {
            return self.scalar(scalar);
        }
        let mut types = Types::new();
        let ty = types.vector(scalar, size);
        self.add(type_text(&types, ty), Shape::Vector(scalar, size))
    }
}
