//! Layout of values in memory of C: its natural alignment, components in the order in which functions pass them.

use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;
use planish_machine::isa::Kind;

/// Size and alignment of a value in C, and its components.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CLayout {
    /// Bytes, with those at the end that align the next.
    pub size: u32,
    /// Bytes.
    pub align: u32,
    /// Offset and kind of each component.
    pub parts: Vec<(u32, Kind)>,
}

/// Maximum number of bytes of a value that is passed.
const MAX_SIZE: u64 = 1 << 24;

impl CLayout {
    /// Of a type; `None` if C has no such values: references to functions, images, arrays without a length, what has no
    /// components.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub fn of(module: &Module, ty: Type) -> Option<CLayout> {
        let repeated = |element: &CLayout, count: u32| {
            let size = u64::from(element.size) * u64::from(count);
            let mut layout = CLayout { size: 0, align: element.align, parts: vec![] };
            layout.size = u32::try_from(size).ok().filter(|&size| u64::from(size) <= MAX_SIZE)?;
            for i in 0..count {
                layout.parts.extend(element.parts.iter().map(|&(at, kind)| (i * element.size + at, kind)));
            }
            Some(layout)
        };
        match &module.types[ty] {
            &TypeKind::Vector(scalar, n) => repeated(&CLayout::scalar(Kind::of(scalar))?, n.into()),
            &TypeKind::Matrix { scalar, columns, rows } => {
                repeated(&CLayout::scalar(Kind::of(scalar))?, u32::from(columns) * u32::from(rows))
            }
            &TypeKind::Array { len: 0, .. } => None,
            &TypeKind::Array { element, len } => repeated(&CLayout::of(module, element)?, len),
            TypeKind::Struct(s) if s.members.is_empty() => None,
            TypeKind::Struct(s) => {
                let members: Vec<Type> = s.members.iter().map(|member| member.ty).collect();
                CLayout::of_members(module, &members)
            }
            other => CLayout::scalar(Kind::of_type(other)?),
        }
    }

    /// Of a structure with members of types.
    pub fn of_members(module: &Module, members: &[Type]) -> Option<CLayout> {
        let mut layout = CLayout { size: 0, align: 1, parts: vec![] };
        for &ty in members {
            let member = CLayout::of(module, ty)?;
            let start = layout.size.next_multiple_of(member.align);
            layout.parts.extend(member.parts.iter().map(|&(at, kind)| (start + at, kind)));
            layout.size = start.checked_add(member.size).filter(|&size| u64::from(size) <= MAX_SIZE)?;
            layout.align = layout.align.max(member.align);
        }
        layout.size = layout.size.next_multiple_of(layout.align);
        Some(layout)
    }

    fn scalar(kind: Kind) -> Option<CLayout> {
        let (size, align) = match kind {
            Kind::Bool => (1, 1),
            Kind::I32 | Kind::U32 | Kind::F32 => (4, 4),
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::Extern => (8, 8),
            Kind::V128 => (16, 1),
            Kind::None | Kind::Func | Kind::Token | Kind::Opaque => return None,
        };
        Some(CLayout { size, align, parts: vec![(0, kind)] })
    }
}

/// The scalar kind of a type that C passes by value.
pub fn scalar_of(module: &Module, ty: Type) -> Option<Kind> {
    match &module.types[ty] {
        TypeKind::Vector(..) | TypeKind::Matrix { .. } | TypeKind::Array { .. } | TypeKind::Struct(_) => None,
        other => Kind::of_type(other).filter(|&kind| kind != Kind::V128 && CLayout::scalar(kind).is_some()),
    }
}
