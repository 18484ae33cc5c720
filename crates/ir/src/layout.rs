//! Memory layout of types: the rules `std140`, `std430` and `scalar` of the OpenGL and Vulkan specifications.
//!
//! A layout is a function of a type, the rule, and the matrix order; it is not part of the type. Members may have their
//! own `offset`, `align`, `row_major` and `column_major`. Sources: OpenGL 4.6, 7.6.2.2 "Standard uniform block layout";
//! GLSL 4.60, 4.4.5; `GL_EXT_scalar_block_layout`.
//!
//! # Example
//! ```
//! use planish_ir::entity::Type;
//! use planish_ir::layout::{Rule, layout_of};
//! use planish_ir::types::Types;
//!
//! let mut types = Types::new();
//! let array = types.array(Type::VEC3, 4);
//! let layout = layout_of(&types, array, Rule::Std140, false).unwrap();
//! assert_eq!((layout.size, layout.align, layout.stride), (64, 16, 16));
//! ```

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::decoration::{BlockLayout, Decoration, Decorations};
use crate::entity::Type;
use crate::types::{Scalar, StructType, TypeKind, Types};

/// A set of rules for offsets, alignments and strides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rule {
    /// Arrays, matrices and structs are aligned to 16 bytes.
    Std140,
    /// As `std140`, without the rounding to 16 bytes.
    Std430,
    /// Everything is aligned like its largest scalar.
    Scalar,
}

impl From<BlockLayout> for Rule {
    fn from(layout: BlockLayout) -> Self {
        match layout {
            BlockLayout::Std140 | BlockLayout::Shared | BlockLayout::Packed => Rule::Std140,
            BlockLayout::Std430 => Rule::Std430,
            BlockLayout::Scalar => Rule::Scalar,
        }
    }
}

/// Memory layout of a type. All figures in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Size. A runtime-sized array has size 0, so that a block that ends with one has the size of its fixed part.
    pub size: u32,
    /// Alignment of its address.
    pub align: u32,
    /// Distance between elements of an array, or columns (stored by rows: rows) of a matrix; 0 for other types.
    pub stride: u32,
    /// Members of a struct, in order.
    pub members: Vec<MemberLayout>,
}

/// Layout of a member of a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemberLayout {
    /// Offset from the start of the struct, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// The member's stride (arrays, matrices), in bytes; otherwise 0.
    pub stride: u32,
    /// Whether matrices in it are stored by rows.
    pub row_major: bool,
}

/// Error of a type without a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutError {
    /// The type, or a part of it, does not consist of numbers and booleans.
    Opaque(Type),
    /// It exceeds 4 GiB.
    TooLarge(Type),
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LayoutError::Opaque(_) => "a type without numbers has no place in memory",
            LayoutError::TooLarge(_) => "the type is larger than 4 GiB",
        })
    }
}

impl std::error::Error for LayoutError {}

/// The layout of `ty` under `rule`; `row_major` is the order of matrices without a qualifier.
///
/// For many types under one rule, [`Layouts`] is faster.
///
/// # Errors
/// If the type contains an opaque type, or is too large.
pub fn layout_of(types: &Types, ty: Type, rule: Rule, row_major: bool) -> Result<Arc<Layout>, LayoutError> {
    Layouts::new(rule).get(types, ty, row_major)
}

/// Number of locations of a stage input or output. A vector of more than 16 bytes takes two.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub fn location_count(types: &Types, ty: Type) -> u32 {
    let vector = |scalar: Scalar, size: u8| if scalar.bits() == 64 && size > 2 { 2 } else { 1 };
    match &types[ty] {
        TypeKind::Vector(scalar, size) => vector(*scalar, *size),
        TypeKind::Matrix { scalar, columns, rows } => u32::from(*columns) * vector(*scalar, *rows),
        TypeKind::Array { element, len } => len.saturating_mul(location_count(types, *element)),
        TypeKind::Struct(s) => s.members.iter().map(|m| location_count(types, m.ty)).fold(0, u32::saturating_add),
        _ => 1,
    }
}

/// Whether matrices in a declaration with these decorations are stored by rows; `outer` is the default.
pub fn is_row_major(decorations: &Decorations, outer: bool) -> bool {
    if decorations.has(Decoration::RowMajor) {
        true
    } else if decorations.has(Decoration::ColumnMajor) {
        false
    } else {
        outer
    }
}

/// Layouts under one rule, memoized. Total time is linear in the number of different types.
#[derive(Clone, Debug)]
pub struct Layouts {
    rule: Rule,
    known: FxHashMap<(Type, bool), Arc<Layout>>,
}

impl Layouts {
    /// No layouts yet.
    pub fn new(rule: Rule) -> Self {
        Layouts { rule, known: FxHashMap::default() }
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The layout of `ty`; `row_major` is the order of matrices without a qualifier.
    ///
    /// # Errors
    /// If the type contains an opaque type, or is too large.
    pub fn get(&mut self, types: &Types, ty: Type, row_major: bool) -> Result<Arc<Layout>, LayoutError> {
        if let Some(known) = self.known.get(&(ty, row_major)) {
            return Ok(known.clone());
        }
        let layout = Arc::new(self.work_out(types, ty, row_major)?);
        self.known.insert((ty, row_major), layout.clone());
        Ok(layout)
    }

    /// Recursion depth is bounded by the nesting of types, which front ends limit.
    fn work_out(&mut self, types: &Types, ty: Type, row_major: bool) -> Result<Layout, LayoutError> {
        match &types[ty] {
            &TypeKind::Scalar(scalar) => Ok(self.vector(scalar, 1)),
            &TypeKind::Vector(scalar, size) => Ok(self.vector(scalar, size)),
            &TypeKind::Matrix { scalar, columns, rows } => {
                let (count, size) = if row_major { (rows, columns) } else { (columns, rows) };
                let part = self.vector(scalar, size);
                self.array(ty, &part, count.into())
            }
            &TypeKind::Array { element, len } => {
                let part = self.get(types, element, row_major)?;
                self.array(ty, &part, len)
            }
            &TypeKind::RuntimeArray { element } => {
                let part = self.get(types, element, row_major)?;
                self.array(ty, &part, 0)
            }
            TypeKind::Struct(s) => self.structure(types, ty, s, row_major),
            _ => Err(LayoutError::Opaque(ty)),
        }
    }

    fn vector(&self, scalar: Scalar, size: u8) -> Layout {
        let unit = scalar_size(scalar);
        let align = match (self.rule, size) {
            (Rule::Scalar, _) | (_, 1) => unit,
            (_, 2) => 2 * unit,
            _ => 4 * unit,
        };
        Layout { size: unit * u32::from(size), align, stride: 0, members: vec![] }
    }

    fn array(&self, ty: Type, part: &Layout, len: u32) -> Result<Layout, LayoutError> {
        let too_large = LayoutError::TooLarge(ty);
        let align = self.round(part.align);
        let stride = part.size.checked_next_multiple_of(align).ok_or(too_large)?;
        let size = stride.checked_mul(len).ok_or(too_large)?;
        Ok(Layout { size, align, stride, members: vec![] })
    }

    fn structure(&mut self, types: &Types, ty: Type, s: &StructType, outer: bool) -> Result<Layout, LayoutError> {
        let too_large = LayoutError::TooLarge(ty);
        let (mut size, mut align) = (0u32, 1);
        let mut members = Vec::with_capacity(s.members.len());
        for member in &s.members {
            let row_major = is_row_major(&member.decorations, outer);
            let part = self.get(types, member.ty, row_major)?;
            let wanted = member.decorations.find(|d| if let Decoration::Align(n) = d { Some(n) } else { None });
            let at = member.decorations.offset().unwrap_or(size);
            let offset = at.checked_next_multiple_of(part.align.max(wanted.unwrap_or(1))).ok_or(too_large)?;
            members.push(MemberLayout { offset, size: part.size, stride: part.stride, row_major });
            align = align.max(part.align);
            size = size.max(offset.checked_add(part.size).ok_or(too_large)?);
        }
        let align = self.round(align);
        // Under `scalar`, the tail padding of a struct may be used by the next member; strides of arrays are rounded
        // nevertheless.
        if self.rule != Rule::Scalar {
            size = size.checked_next_multiple_of(align).ok_or(too_large)?;
        }
        Ok(Layout { size, align, stride: 0, members })
    }

    /// Alignment of an array or struct, given that of its largest part.
    fn round(&self, align: u32) -> u32 {
        if self.rule == Rule::Std140 { align.max(16) } else { align }
    }
}

/// Size of a scalar in bytes; a `bool` is stored as a `uint`.
pub const fn scalar_size(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::I8 | Scalar::U8 => 1,
        Scalar::I16 | Scalar::U16 | Scalar::F16 => 2,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoration::Precision;
    use crate::types::{AddressSpace, Member};

    fn structure(types: &mut Types, name: &str, members: &[(Type, &[Decoration])]) -> Type {
        let members = members
            .iter()
            .enumerate()
            .map(|(i, (ty, decorations))| Member {
                name: format!("m{i}").into(),
                ty: *ty,
                precision: Precision::None,
                decorations: decorations.iter().copied().collect(),
            })
            .collect();
        types.intern(TypeKind::Struct(Arc::new(StructType { name: name.into(), members, is_block: false })))
    }

    fn offsets(types: &Types, ty: Type, rule: Rule) -> Vec<u32> {
        layout_of(types, ty, rule, false).unwrap().members.iter().map(|m| m.offset).collect()
    }

    fn figures(types: &Types, ty: Type, rule: Rule, row_major: bool) -> (u32, u32, u32) {
        let l = layout_of(types, ty, rule, row_major).unwrap();
        (l.size, l.align, l.stride)
    }

    #[test]
    fn vectors_are_aligned_to_their_power_of_two() {
        let types = Types::new();
        for (ty, size, align) in
            [(Type::F32, 4, 4), (Type::VEC2, 8, 8), (Type::VEC3, 12, 16), (Type::VEC4, 16, 16), (Type::BVEC3, 12, 16)]
        {
            assert_eq!(figures(&types, ty, Rule::Std140, false), (size, align, 0));
            assert_eq!(figures(&types, ty, Rule::Std430, false), (size, align, 0));
            assert_eq!(figures(&types, ty, Rule::Scalar, false), (size, 4, 0));
        }
    }

    #[test]
    fn doubles_count_twice() {
        let mut types = Types::new();
        let dvec3 = types.vector(Scalar::F64, 3);
        assert_eq!(figures(&types, dvec3, Rule::Std140, false), (24, 32, 0));
        let dmat2 = types.matrix(Scalar::F64, 2, 2);
        assert_eq!(figures(&types, dmat2, Rule::Std430, false), (32, 16, 16));
    }

    /// The example of the OpenGL specification, 7.6.2.2, with the offsets printed there.
    #[test]
    fn the_specification_s_example() {
        let mut types = Types::new();
        let a2 = types.array(Type::BOOL, 2);
        let f = structure(&mut types, "f", &[(Type::I32, &[]), (Type::BVEC2, &[])]);
        let i3 = types.array(Type::UVEC3, 3);
        let h = structure(&mut types, "o", &[(Type::UVEC3, &[]), (Type::VEC2, &[]), (a2, &[]), (Type::MAT2X3, &[])]);
        let h2 = types.array(h, 2);
        let members: [(Type, &[Decoration]); 8] = [
            (Type::F32, &[]),
            (Type::VEC2, &[]),
            (Type::VEC3, &[]),
            (f, &[]),
            (Type::F32, &[]),
            (a2, &[]),
            (Type::MAT2X3, &[]),
            (h2, &[]),
        ];
        let block = structure(&mut types, "Example", &members);
        assert_eq!(offsets(&types, block, Rule::Std140), [0, 8, 16, 32, 48, 64, 96, 128]);
        assert_eq!(offsets(&types, f, Rule::Std140), [0, 8]);
        assert_eq!(offsets(&types, h, Rule::Std140), [0, 16, 32, 64]);
        let whole = layout_of(&types, block, Rule::Std140, false).unwrap();
        assert_eq!((whole.size, whole.align), (320, 16));
        assert_eq!((whole.members[5].stride, whole.members[6].stride, whole.members[7].stride), (16, 16, 96));
        assert_eq!(figures(&types, i3, Rule::Std140, false), (48, 16, 16));
    }

    #[test]
    fn std430_does_not_round_to_sixteen() {
        let mut types = Types::new();
        let floats = types.array(Type::F32, 5);
        let vec3s = types.array(Type::VEC3, 2);
        let s = structure(&mut types, "S", &[(Type::F32, &[]), (floats, &[]), (vec3s, &[]), (Type::F32, &[])]);
        assert_eq!(offsets(&types, s, Rule::Std430), [0, 4, 32, 64]);
        assert_eq!(offsets(&types, s, Rule::Std140), [0, 16, 96, 128]);
        assert_eq!(offsets(&types, s, Rule::Scalar), [0, 4, 24, 48]);
        assert_eq!(figures(&types, s, Rule::Std430, false), (80, 16, 0));
        assert_eq!(figures(&types, s, Rule::Std140, false), (144, 16, 0));
    }

    #[test]
    fn matrices_by_columns_and_by_rows() {
        let types = Types::new();
        assert_eq!(figures(&types, Type::MAT3, Rule::Std140, false), (48, 16, 16));
        assert_eq!(figures(&types, Type::MAT2, Rule::Std140, false), (32, 16, 16));
        assert_eq!(figures(&types, Type::MAT2, Rule::Std430, false), (16, 8, 8));
        assert_eq!(figures(&types, Type::MAT2X3, Rule::Std430, false), (32, 16, 16));
        assert_eq!(figures(&types, Type::MAT2X3, Rule::Std430, true), (24, 8, 8));
        assert_eq!(figures(&types, Type::MAT3, Rule::Scalar, false), (36, 4, 12));
        assert_eq!(figures(&types, Type::MAT2X3, Rule::Std140, true), (48, 16, 16));
    }

    #[test]
    fn a_member_s_own_order_wins() {
        let mut types = Types::new();
        let inner = structure(&mut types, "I", &[(Type::MAT2X3, &[]), (Type::MAT2X3, &[Decoration::ColumnMajor])]);
        let outer = structure(&mut types, "O", &[(inner, &[Decoration::RowMajor]), (inner, &[])]);
        let layout = layout_of(&types, outer, Rule::Std430, false).unwrap();
        assert!(layout.members[0].row_major && !layout.members[1].row_major);
        let by_rows = layout_of(&types, inner, Rule::Std430, true).unwrap();
        assert_eq!(
            by_rows.members.iter().map(|m| (m.offset, m.row_major)).collect::<Vec<_>>(),
            [(0, true), (32, false)]
        );
        assert_eq!(layout.members[0].size, 64);
    }

    #[test]
    fn explicit_offset_and_align() {
        let mut types = Types::new();
        let s = structure(
            &mut types,
            "S",
            &[
                (Type::F32, &[Decoration::Offset(32)]),
                (Type::F32, &[]),
                (Type::F32, &[Decoration::Align(16)]),
                (Type::VEC2, &[Decoration::Offset(56), Decoration::Align(64)]),
                (Type::F32, &[Decoration::Offset(4)]),
            ],
        );
        assert_eq!(offsets(&types, s, Rule::Std140), [32, 36, 48, 64, 4]);
        assert_eq!(figures(&types, s, Rule::Std140, false), (80, 16, 0));
    }

    #[test]
    fn arrays_of_arrays_and_runtime_arrays() {
        let mut types = Types::new();
        let inner = types.array(Type::F32, 3);
        let outer = types.array(inner, 2);
        assert_eq!(figures(&types, outer, Rule::Std140, false), (96, 16, 48));
        assert_eq!(figures(&types, outer, Rule::Std430, false), (24, 4, 12));
        let element = structure(&mut types, "E", &[(Type::VEC3, &[]), (Type::F32, &[]), (Type::F32, &[])]);
        let tail = types.intern(TypeKind::RuntimeArray { element });
        let block = structure(&mut types, "B", &[(Type::U32, &[]), (tail, &[])]);
        let layout = layout_of(&types, block, Rule::Std430, false).unwrap();
        assert_eq!((layout.members[1].offset, layout.members[1].stride, layout.size), (16, 32, 16));
        let packed = layout_of(&types, block, Rule::Scalar, false).unwrap();
        assert_eq!((packed.members[1].offset, packed.members[1].stride, packed.size), (4, 20, 4));
    }

    #[test]
    fn what_has_no_layout_says_so() {
        let mut types = Types::new();
        let pointer = types.pointer(Type::F32, AddressSpace::Function);
        assert_eq!(layout_of(&types, pointer, Rule::Std140, false), Err(LayoutError::Opaque(pointer)));
        let huge = types.array(Type::VEC4, u32::MAX);
        assert_eq!(layout_of(&types, huge, Rule::Std430, false), Err(LayoutError::TooLarge(huge)));
    }

    #[test]
    fn shared_types_are_worked_out_once() {
        let mut types = Types::new();
        let mut ty = Type::F32;
        for i in 0..26 {
            ty = structure(&mut types, &format!("S{i}"), &[(ty, &[]), (ty, &[])]);
        }
        assert_eq!(layout_of(&types, ty, Rule::Scalar, false).unwrap().size, 1 << 28);
        assert!(matches!(layout_of(&types, ty, Rule::Std140, false).map(|l| l.size), Ok(n) if n == 1 << 29));
    }
}
