//! Memory layouts of buffers: the rule of each, and which structs need offsets of their own.
//!
//! A block has the first of its space's usual rules that gives the offsets and strides of the binary. If none does, all offsets
//! are given, and the rule is the first that gives the strides; an element of an array with a wider stride is padded.

use planish_ir::decoration::BlockLayout;
use planish_ir::layout::{Rule, scalar_size};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Decoration, Op, StorageClass};

use crate::types::{TypeDef, TypeDefs};
use crate::words::{Binary, Decorated, find};

/// Layouts of the buffers of a binary.
#[derive(Default)]
pub(crate) struct Layouts {
    /// By variable.
    rules: FxHashMap<u32, BlockLayout>,
    /// Structs that have offsets of their own.
    explicit: FxHashSet<u32>,
    /// Offset of the member that fills a struct.
    padding: FxHashMap<u32, u32>,
}

/// Order of matrices, and the distance of their columns (or rows), as members have them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Order {
    pub(crate) row_major: bool,
    pub(crate) stride: Option<u32>,
}

impl Order {
    /// That of a member with these decorations.
    pub(crate) fn of(decorations: &[Decorated]) -> Order {
        let row_major = decorations.iter().any(|d| d.0 == Decoration::RowMajor);
        Order { row_major, stride: find(decorations, Decoration::MatrixStride) }
    }
}

struct Check<'a> {
    binary: &'a Binary<'a>,
    defs: &'a TypeDefs,
    rule: Rule,
    /// Whether offsets are given.
    explicit: bool,
    structs: Vec<u32>,
    padding: FxHashMap<u32, u32>,
}

impl Layouts {
    pub(crate) fn find(binary: &Binary<'_>, defs: &TypeDefs) -> Layouts {
        let mut layouts = Layouts::default();
        let variables = binary.declarations.iter().map(|&i| &binary.insts[i]).filter(|i| i.op == Op::Variable);
        for variable in variables {
            let Some((class, mut ty)) = defs.pointer(variable.ty) else { continue };
            let is_buffer = matches!(
                class,
                StorageClass::Uniform
                    | StorageClass::StorageBuffer
                    | StorageClass::PushConstant
                    | StorageClass::ShaderRecordBufferKHR
            );
            if !is_buffer {
                continue;
            }
            while let Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) = defs.get(ty) {
                ty = *element;
            }
            let is_uniform = class == StorageClass::Uniform && !binary.has(ty, Decoration::BufferBlock);
            layouts.choose(binary, defs, variable.result, ty, is_uniform);
        }
        layouts
    }

    fn choose(&mut self, binary: &Binary<'_>, defs: &TypeDefs, variable: u32, ty: u32, is_uniform: bool) {
        let order = match is_uniform {
            true => [BlockLayout::Std140, BlockLayout::Std430, BlockLayout::Scalar],
            false => [BlockLayout::Std430, BlockLayout::Std140, BlockLayout::Scalar],
        };
        for explicit in [false, true] {
            for layout in order {
                let (structs, padding) = (vec![], FxHashMap::default());
                let mut check = Check { binary, defs, rule: layout.into(), explicit, structs, padding };
                if check.place(ty, Order::default()).is_some() {
                    self.rules.insert(variable, layout);
                    if explicit {
                        self.explicit.extend(check.structs);
                        self.padding.extend(check.padding);
                    }
                    return;
                }
            }
        }
    }

    /// The rule of a buffer; `None` if there is none.
    pub(crate) fn rule(&self, variable: u32) -> Option<BlockLayout> {
        self.rules.get(&variable).copied()
    }

    /// The offset that a member has to have by a decoration.
    pub(crate) fn explicit_offset(&self, binary: &Binary<'_>, ty: u32, member: u32) -> Option<u32> {
        let offset = find(binary.member_decorations(ty, member), Decoration::Offset);
        offset.filter(|_| self.explicit.contains(&ty))
    }

    /// The offset of the member that fills a struct.
    pub(crate) fn padding(&self, ty: u32) -> Option<u32> {
        self.padding.get(&ty).copied()
    }
}

impl Check<'_> {
    /// Size and alignment of a type if its layout is that of the rule.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn place(&mut self, id: u32, order: Order) -> Option<(u32, u32)> {
        match self.defs.get(id)? {
            TypeDef::Scalar(scalar) => Some((scalar_size(*scalar), scalar_size(*scalar))),
            TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, _) => Some((8, 8)),
            TypeDef::Vector(scalar, size) => self.vector(*scalar, *size),
            TypeDef::Matrix(column, columns) => {
                let TypeDef::Vector(scalar, rows) = *self.defs.get(*column)? else { return None };
                let (count, size) = if order.row_major { (rows, *columns) } else { (*columns, rows) };
                let (size, align) = self.vector(scalar, size)?;
                let align = self.round(align);
                let stride = size.next_multiple_of(align);
                (order.stride.is_none_or(|s| s == stride)).then_some((stride.checked_mul(count)?, align))
            }
            TypeDef::Array(element, len) => {
                let (stride, align) = self.array(id, *element, order)?;
                Some((stride.checked_mul(*len)?, align))
            }
            TypeDef::RuntimeArray(element) => {
                let (_, align) = self.array(id, *element, order)?;
                Some((0, align))
            }
            TypeDef::Struct(parts) => self.structure(id, &parts.clone()),
            _ => None,
        }
    }

    fn vector(&self, scalar: u32, size: u32) -> Option<(u32, u32)> {
        let TypeDef::Scalar(scalar) = self.defs.get(scalar)? else { return None };
        let unit = scalar_size(*scalar);
        let align = match (self.rule, size) {
            (Rule::Scalar, _) => unit,
            (_, 2) => 2 * unit,
            _ => 4 * unit,
        };
        Some((unit.checked_mul(size)?, align))
    }

    fn array(&mut self, id: u32, element: u32, order: Order) -> Option<(u32, u32)> {
        let (size, align) = self.place(element, order)?;
        let align = self.round(align);
        let natural = size.checked_next_multiple_of(align)?;
        let stride = self.binary.decoration(id, Decoration::ArrayStride).unwrap_or(natural);
        if stride == natural {
            return Some((stride, align));
        }
        let is_struct = matches!(self.defs.get(element), Some(TypeDef::Struct(_)));
        let fills = self.explicit && is_struct && stride >= size + 4 && stride.is_multiple_of(align);
        if !fills || self.padding.insert(element, stride - 4).is_some_and(|other| other != stride - 4) {
            return None;
        }
        Some((stride, align))
    }

    fn structure(&mut self, id: u32, parts: &[u32]) -> Option<(u32, u32)> {
        let (mut size, mut align) = (0u32, 1);
        self.structs.push(id);
        for (i, &part) in parts.iter().enumerate() {
            let decorations = self.binary.member_decorations(id, i as u32);
            let order = Order::of(decorations);
            let offset = find(decorations, Decoration::Offset);
            let (part_size, part_align) = self.place(part, order)?;
            let natural = size.checked_next_multiple_of(part_align)?;
            let offset = offset.unwrap_or(natural);
            let fits = if self.explicit { offset.is_multiple_of(part_align) } else { offset == natural };
            if !fits {
                return None;
            }
            align = align.max(part_align);
            size = size.max(offset.checked_add(part_size)?);
        }
        let align = self.round(align);
        if self.rule != Rule::Scalar {
            size = size.checked_next_multiple_of(align)?;
        }
        Some((size, align))
    }

    fn round(&self, align: u32) -> u32 {
        if self.rule == Rule::Std140 { align.max(16) } else { align }
    }
}
