//! Types: those of the binary, and their translations.
//!
//! A struct that is an interface block has two translations: the block, for variables in memory, and a plain struct for values of it.

use std::cell::Cell;
use std::sync::Arc;

use planish_ir::decoration::{Decoration as Ours, Decorations, Precision};
use planish_ir::entity::Type;
use planish_ir::spirv::{SpirvType, SpirvTypeOperand};
use planish_ir::types::{
    AddressSpace, Dim, ImageFormat, ImageKind, ImageType, MAX_TYPE_NESTING, Member, Scalar, StructType, TypeKind, Types,
};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Decoration, Op, StorageClass};

use crate::globals;
use crate::grammar;
use crate::layouts::Layouts;
use crate::report::{Res, too_deep};
use crate::spirv_parts;
use crate::words::{Binary, Inst};

/// A type of the binary. Numbers are ids of types.
#[derive(Clone, Debug)]
pub(crate) enum TypeDef {
    Void,
    Scalar(Scalar),
    /// Its description.
    Unsupported(&'static str),
    Vector(u32, u32),
    Matrix(u32, u32),
    /// Element and length.
    Array(u32, u32),
    RuntimeArray(u32),
    Struct(Vec<u32>),
    Pointer(StorageClass, u32),
    Function(u32, Vec<u32>),
    /// An image without its comparison, and whether it is declared as a depth image.
    Image(ImageType, bool),
    SampledImage(u32),
    Sampler,
    /// A type that the IR does not know: the instruction and its operands, each with whether it is an id.
    Spirv(Op, Vec<(bool, u32)>),
}

/// The types of the binary by id.
#[derive(Default)]
pub(crate) struct TypeDefs {
    defs: FxHashMap<u32, TypeDef>,
    nesting: FxHashMap<u32, u32>,
    has_spirv: bool,
}

impl TypeDefs {
    pub(crate) fn get(&self, id: u32) -> Option<&TypeDef> {
        self.defs.get(&id)
    }

    /// Whether there is a type that the IR does not know.
    pub(crate) fn has_spirv(&self) -> bool {
        self.has_spirv
    }

    /// Whether the IR does not know a type.
    pub(crate) fn is_spirv(&self, id: u32) -> bool {
        matches!(self.defs.get(&id), Some(TypeDef::Spirv(..)))
    }

    /// Whether values of the type are of one that the IR does not know, or arrays of such.
    pub(crate) fn is_spirv_array(&self, mut id: u32) -> bool {
        while let Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) = self.defs.get(&id) {
            id = *element;
        }
        self.is_spirv(id)
    }

    /// Storage class and pointee of a pointer type.
    pub(crate) fn pointer(&self, id: u32) -> Option<(StorageClass, u32)> {
        match self.defs.get(&id) {
            Some(&TypeDef::Pointer(class, pointee)) => Some((class, pointee)),
            _ => None,
        }
    }

    /// Whether values of the type are images or samplers, or arrays of such.
    pub(crate) fn is_handle(&self, mut id: u32) -> bool {
        loop {
            match self.defs.get(&id) {
                Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) => id = *element,
                Some(TypeDef::Image(..) | TypeDef::SampledImage(_) | TypeDef::Sampler) => return true,
                _ => return false,
            }
        }
    }

    /// Adds a type of addresses, which may stand before its pointee.
    pub(crate) fn announce(&mut self, inst: &Inst<'_>) {
        if let (Op::TypePointer, &[class, pointee]) = (inst.op, inst.operands)
            && class == StorageClass::PhysicalStorageBuffer as u32
        {
            self.defs.insert(inst.result, TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, pointee));
        }
    }

    /// Adds the type that an instruction declares, if it does; the parts of types precede them.
    pub(crate) fn declare(&mut self, binary: &Binary<'_>, inst: &Inst<'_>) -> Res<()> {
        let def = match inst.op {
            Op::TypeVoid => TypeDef::Void,
            Op::TypeBool => TypeDef::Scalar(Scalar::Bool),
            Op::TypeInt => match (inst.word(0)?, inst.word(1)?) {
                (32, 0) => TypeDef::Scalar(Scalar::U32),
                (32, _) => TypeDef::Scalar(Scalar::I32),
                (64, 0) => TypeDef::Scalar(Scalar::U64),
                (64, _) => TypeDef::Scalar(Scalar::I64),
                (8, 0) => TypeDef::Scalar(Scalar::U8),
                (8, _) => TypeDef::Scalar(Scalar::I8),
                (16, 0) => TypeDef::Scalar(Scalar::U16),
                (16, _) => TypeDef::Scalar(Scalar::I16),
                (width, _) => return inst.invalid(&format!("there are no integers of {width} bits")),
            },
            // With an encoding of its own.
            Op::TypeFloat if inst.operands.len() > 1 => spirv(inst)?,
            Op::TypeFloat => match inst.word(0)? {
                32 => TypeDef::Scalar(Scalar::F32),
                64 => TypeDef::Scalar(Scalar::F64),
                16 => TypeDef::Scalar(Scalar::F16),
                width => return inst.invalid(&format!("there are no floats of {width} bits")),
            },
            Op::TypeVector if self.is_spirv(inst.word(0)?) => spirv(inst)?,
            Op::TypeVector => TypeDef::Vector(self.part(inst, 0)?, inst.word(1)?),
            Op::TypeMatrix => TypeDef::Matrix(self.part(inst, 0)?, inst.word(1)?),
            Op::TypeArray => match integer(binary, inst.word(1)?) {
                Some(len) if len > 0 && u32::try_from(len).is_ok() => TypeDef::Array(self.part(inst, 0)?, len as u32),
                _ => return inst.invalid("the length of the array is no positive constant"),
            },
            Op::TypeRuntimeArray => TypeDef::RuntimeArray(self.part(inst, 0)?),
            Op::TypeStruct => {
                let parts: Res<Vec<u32>> = (0..inst.operands.len()).map(|i| self.part(inst, i)).collect();
                TypeDef::Struct(parts?)
            }
            Op::TypePointer => match StorageClass::from_u32(inst.word(0)?) {
                Some(class) => TypeDef::Pointer(class, inst.word(1)?),
                None => return inst.invalid("the storage class is unknown"),
            },
            Op::TypeFunction => {
                let result = inst.word(0)?;
                TypeDef::Function(result, inst.rest(1).to_vec())
            }
            Op::TypeImage => self.image(inst)?,
            Op::TypeSampledImage if self.is_spirv(inst.word(0)?) => spirv(inst)?,
            Op::TypeSampledImage => TypeDef::SampledImage(self.part(inst, 0)?),
            Op::TypeSampler => TypeDef::Sampler,
            Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier
            | Op::TypeOpaque => TypeDef::Unsupported("a type of kernels"),
            op if grammar::is_type(op) => spirv(inst)?,
            _ => return Ok(()),
        };
        let inside = |id: &u32| self.nesting.get(id).map_or(0, |n| n + 1);
        let nesting = match &def {
            TypeDef::Array(part, _) | TypeDef::RuntimeArray(part) => inside(part),
            TypeDef::Struct(parts) => parts.iter().map(inside).max().unwrap_or(0),
            TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, _) => 0,
            TypeDef::Pointer(_, pointee) => inside(pointee),
            _ => 0,
        };
        if nesting > MAX_TYPE_NESTING - 2 {
            return too_deep(inst.span(), format!("types are nested more than {MAX_TYPE_NESTING} levels deep here"));
        }
        self.has_spirv |= matches!(def, TypeDef::Spirv(..));
        self.nesting.insert(inst.result, nesting);
        self.defs.insert(inst.result, def);
        Ok(())
    }

    fn part(&self, inst: &Inst<'_>, index: usize) -> Res<u32> {
        let id = inst.word(index)?;
        match self.defs.get(&id) {
            Some(TypeDef::Void | TypeDef::Function(..)) | None => {
                inst.invalid(&format!("operand %{id} is no type of a part"))
            }
            Some(_) => Ok(id),
        }
    }

    fn image(&self, inst: &Inst<'_>) -> Res<TypeDef> {
        let (sampled, dim, depth) = (inst.word(0)?, inst.word(1)?, inst.word(2)?);
        let (arrayed, multisampled, use_) = (inst.word(3)? != 0, inst.word(4)? != 0, inst.word(5)?);
        let format = inst.word(6)?;
        let sampled = match self.defs.get(&sampled) {
            Some(TypeDef::Scalar(s @ (Scalar::F32 | Scalar::I32 | Scalar::U32))) => *s,
            _ => return spirv(inst),
        };
        let dim = match spirv::Dim::from_u32(dim) {
            Some(spirv::Dim::Dim1D) => Dim::D1,
            Some(spirv::Dim::Dim2D) => Dim::D2,
            Some(spirv::Dim::Dim3D) => Dim::D3,
            Some(spirv::Dim::DimCube) => Dim::Cube,
            Some(spirv::Dim::DimRect) => Dim::Rect,
            Some(spirv::Dim::DimBuffer) => Dim::Buffer,
            Some(spirv::Dim::DimSubpassData) => Dim::Subpass,
            _ => return spirv(inst),
        };
        let kind = match (use_, dim) {
            (2, Dim::Subpass) => ImageKind::Texture,
            (2, _) => match spirv::ImageFormat::from_u32(format).and_then(image_format) {
                Some(format) => ImageKind::Storage(format),
                None => return spirv(inst),
            },
            _ => ImageKind::Texture,
        };
        let image = ImageType { kind, dim, arrayed, multisampled, shadow: false, sampled };
        Ok(TypeDef::Image(image, depth == 1))
    }
}

/// A type that the IR does not know.
fn spirv(inst: &Inst<'_>) -> Res<TypeDef> {
    match grammar::operands(inst.op, inst.operands) {
        Some(operands) => Ok(TypeDef::Spirv(inst.op, operands)),
        None => inst.invalid("its operands do not fit"),
    }
}

/// Operations on constants that the length of an array may take.
const MOST_OPERATIONS: u32 = 1000;

/// The default value of a condition, for lengths of arrays.
/// Recursion: at most `MOST_OPERATIONS` levels.
fn boolean(binary: &Binary<'_>, id: u32, left: &Cell<u32>) -> Option<bool> {
    let inst = binary.def(id)?;
    left.set(left.get().checked_sub(1)?);
    let Some(op) = inst.operands.first().and_then(|&op| Op::from_u32(op)).filter(|_| inst.op == Op::SpecConstantOp)
    else {
        return match inst.op {
            Op::ConstantTrue | Op::SpecConstantTrue => Some(true),
            Op::ConstantFalse | Op::SpecConstantFalse => Some(false),
            _ => None,
        };
    };
    let operand = |i: usize| inst.operands.get(i).copied();
    match op {
        Op::LogicalNot => Some(!boolean(binary, operand(1)?, left)?),
        Op::LogicalAnd => Some(boolean(binary, operand(1)?, left)? & boolean(binary, operand(2)?, left)?),
        Op::LogicalOr => Some(boolean(binary, operand(1)?, left)? | boolean(binary, operand(2)?, left)?),
        Op::LogicalEqual => Some(boolean(binary, operand(1)?, left)? == boolean(binary, operand(2)?, left)?),
        Op::LogicalNotEqual => Some(boolean(binary, operand(1)?, left)? != boolean(binary, operand(2)?, left)?),
        _ => {
            let (a, b) = (integer_within(binary, operand(1)?, left)?, integer_within(binary, operand(2)?, left)?);
            Some(match op {
                Op::IEqual => a == b,
                Op::INotEqual => a != b,
                Op::SLessThan | Op::ULessThan => a < b,
                Op::SLessThanEqual | Op::ULessThanEqual => a <= b,
                Op::SGreaterThan | Op::UGreaterThan => a > b,
                Op::SGreaterThanEqual | Op::UGreaterThanEqual => a >= b,
                _ => return None,
            })
        }
    }
}

/// The default value of an integer constant, for lengths of arrays.
pub(crate) fn integer(binary: &Binary<'_>, id: u32) -> Option<i64> {
    integer_within(binary, id, &Cell::new(MOST_OPERATIONS))
}

/// Recursion: at most `MOST_OPERATIONS` levels.
fn integer_within(binary: &Binary<'_>, id: u32, left: &Cell<u32>) -> Option<i64> {
    let inst = binary.def(id)?;
    let ty = binary.def(inst.ty)?;
    left.set(left.get().checked_sub(1)?);
    if ty.op != Op::TypeInt {
        return None;
    }
    let value = match inst.op {
        Op::Constant | Op::SpecConstant => {
            let low = u64::from(*inst.operands.first()?);
            low | u64::from(inst.operands.get(1).copied().unwrap_or(0)) << 32
        }
        Op::SpecConstantOp if inst.operands.first() == Some(&(Op::CompositeExtract as u32)) => {
            let composite = binary.def(*inst.operands.get(1)?)?;
            let is_composite = matches!(composite.op, Op::ConstantComposite | Op::SpecConstantComposite);
            let index = *inst.operands.get(2)? as usize;
            integer_within(binary, *composite.operands.get(index).filter(|_| is_composite)?, left)? as u64
        }
        Op::SpecConstantOp if inst.operands.first() == Some(&(Op::Select as u32)) => {
            let chosen = if boolean(binary, *inst.operands.get(1)?, left)? { 2 } else { 3 };
            integer_within(binary, *inst.operands.get(chosen)?, left)? as u64
        }
        Op::ConstantNull => 0,
        Op::SpecConstantOp => {
            let operand = |i: usize| integer_within(binary, *inst.operands.get(i)?, left);
            let (a, b) = (operand(1)?, operand(2));
            (match Op::from_u32(*inst.operands.first()?)? {
                Op::IAdd => a.wrapping_add(b?),
                Op::ISub => a.wrapping_sub(b?),
                Op::IMul => a.wrapping_mul(b?),
                Op::SDiv | Op::UDiv => a.checked_div(b?)?,
                Op::SRem | Op::UMod => a.checked_rem(b?)?,
                // The sign is the divisor's.
                Op::SMod => a.checked_rem(b?)?.wrapping_add(b?).checked_rem(b?)?,
                Op::ShiftLeftLogical => a.checked_shl(u32::try_from(b?).ok()?)?,
                Op::ShiftRightArithmetic => a.checked_shr(u32::try_from(b?).ok()?)?,
                Op::ShiftRightLogical => {
                    let bits = if ty.operands.first() == Some(&64) { a as u64 } else { u64::from(a as u32) };
                    bits.checked_shr(u32::try_from(b?).ok()?)? as i64
                }
                Op::BitwiseAnd => a & b?,
                Op::BitwiseOr => a | b?,
                Op::BitwiseXor => a ^ b?,
                Op::Not => !a,
                Op::SNegate => a.wrapping_neg(),
                Op::Bitcast | Op::UConvert | Op::SConvert => a,
                _ => return None,
            }) as u64
        }
        _ => return None,
    };
    Some(match ty.operands {
        [32, 0] => i64::from(value as u32),
        [32, _] => i64::from(value as u32 as i32),
        _ => value as i64,
    })
}

/// Translations of types.
#[derive(Default)]
pub(crate) struct TypeMap {
    /// Types of values.
    values: FxHashMap<u32, Result<Type, &'static str>>,
    /// Types of memory: with interface blocks.
    memory: FxHashMap<u32, Type>,
    /// Value structs by their blocks.
    plain: FxHashMap<Type, Type>,
    /// Structs of variables that the IR does not know.
    pub(crate) spirv_structs: FxHashSet<u32>,
    names: FxHashMap<String, Vec<(Vec<Member>, bool)>>,
    taken: FxHashSet<String>,
}

impl TypeMap {
    /// The type of values, or the description of an unsupported one.
    pub(crate) fn value(&self, id: u32) -> Result<Type, &'static str> {
        self.values.get(&id).copied().unwrap_or(Err("a value of this type"))
    }

    /// The type of memory.
    pub(crate) fn memory(&self, id: u32) -> Result<Type, &'static str> {
        self.memory.get(&id).copied().map_or_else(|| self.value(id), Ok)
    }

    /// The value struct of an interface block; `None` for other types.
    pub(crate) fn plain(&self, block: Type) -> Option<Type> {
        self.plain.get(&block).copied()
    }

    /// Translates a type of addresses, which may stand before its pointee.
    pub(crate) fn announce(&mut self, types: &mut Types, defs: &TypeDefs, inst: &Inst<'_>) {
        if inst.op == Op::TypePointer && defs.reference(inst.result).is_some() {
            self.values.insert(inst.result, Ok(types.scalar(Scalar::U64)));
        }
    }

    /// Translates a type; those of its parts are there.
    pub(crate) fn translate(
        &mut self,
        types: &mut Types,
        binary: &Binary<'_>,
        defs: &TypeDefs,
        layouts: &Layouts,
        id: u32,
    ) {
        let Some(def) = defs.get(id) else { return };
        let value = self.translate_value(types, binary, defs, layouts, id, def);
        self.values.insert(id, value);
        let memory = match def {
            TypeDef::Array(element, len) => self.memory.get(element).copied().map(|e| types.array(e, *len)),
            TypeDef::RuntimeArray(element) => {
                self.memory.get(element).copied().map(|element| types.intern(TypeKind::RuntimeArray { element }))
            }
            _ => None,
        };
        if let Some(memory) = memory {
            self.memory.insert(id, memory);
        }
    }

    fn translate_value(
        &mut self,
        types: &mut Types,
        binary: &Binary<'_>,
        defs: &TypeDefs,
        layouts: &Layouts,
        id: u32,
        def: &TypeDef,
    ) -> Result<Type, &'static str> {
        Ok(match def {
            TypeDef::Void => Type::VOID,
            TypeDef::Scalar(scalar) => types.scalar(*scalar),
            TypeDef::Unsupported(what) => return Err(what),
            TypeDef::Vector(scalar, size) => match (defs.get(*scalar), size) {
                (Some(TypeDef::Scalar(scalar)), 2..=4) => types.vector(*scalar, *size as u8),
                (Some(TypeDef::Unsupported(what)), _) => return Err(what),
                _ => return Err("a vector of this size"),
            },
            TypeDef::Matrix(column, columns) => match (defs.get(*column), columns) {
                (Some(TypeDef::Vector(scalar, rows @ 2..=4)), 2..=4) => match defs.get(*scalar) {
                    Some(TypeDef::Scalar(s)) if s.is_float() => types.matrix(*s, *columns as u8, *rows as u8),
                    Some(TypeDef::Unsupported(what)) => return Err(what),
                    _ => return Err("a matrix of integers"),
                },
                _ => return Err("a matrix of this size"),
            },
            TypeDef::Array(element, len) => {
                let element = self.sized(types, *element)?;
                types.array(element, *len)
            }
            TypeDef::RuntimeArray(element) => {
                let element = self.sized(types, *element)?;
                types.intern(TypeKind::RuntimeArray { element })
            }
            TypeDef::Struct(parts) => return self.structure(types, binary, layouts, id, parts),
            TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, _) => types.scalar(Scalar::U64),
            // By address, or by the variable that they come from.
            TypeDef::Pointer(..) | TypeDef::Function(..) => return Err("a pointer as a part of a value"),
            TypeDef::Image(image, _) => types.intern(TypeKind::Image(*image)),
            TypeDef::SampledImage(image) => match defs.get(*image) {
                Some(TypeDef::Image(image, _)) => {
                    types.intern(TypeKind::Image(ImageType { kind: ImageKind::Combined, ..*image }))
                }
                Some(TypeDef::Unsupported(what)) => return Err(what),
                _ => return Err("a sampled image of this type"),
            },
            TypeDef::Sampler => types.intern(TypeKind::Sampler { comparison: false }),
            TypeDef::Spirv(op, operands) => {
                let mut list = Vec::with_capacity(operands.len());
                for &(is_id, word) in operands {
                    list.push(match (is_id, binary.def(word).filter(|_| is_id)) {
                        (true, Some(def)) if grammar::is_type(def.op) => SpirvTypeOperand::Type(self.value(word)?),
                        (true, Some(def)) if def.op == Op::Constant => {
                            SpirvTypeOperand::Constant(def.operands.first().copied().unwrap_or(0))
                        }
                        (true, _) => return Err("a type whose size is a specialization constant"),
                        (false, _) => SpirvTypeOperand::Literal(word),
                    });
                }
                let ty = SpirvType { name: grammar::name(*op).into(), opcode: *op as u16, operands: list };
                types.intern(TypeKind::Spirv(Arc::new(ty)))
            }
        })
    }

    fn sized(&self, types: &Types, element: u32) -> Result<Type, &'static str> {
        match self.value(element)? {
            ty if matches!(types[ty], TypeKind::RuntimeArray { .. }) => Err("an array of arrays without a length"),
            ty => Ok(ty),
        }
    }

    fn structure(
        &mut self,
        types: &mut Types,
        binary: &Binary<'_>,
        layouts: &Layouts,
        id: u32,
        parts: &[u32],
    ) -> Result<Type, &'static str> {
        let is_block = binary.has(id, Decoration::Block) || binary.has(id, Decoration::BufferBlock);
        let mut members = Vec::with_capacity(parts.len());
        let mut names = FxHashSet::default();
        for (i, &part) in parts.iter().enumerate() {
            let (number, ty) = (i as u32, self.value(part)?);
            let unsized_ = matches!(types[ty], TypeKind::RuntimeArray { .. });
            if types.is_opaque(ty) || unsized_ && i + 1 < parts.len() {
                return Err("a struct with a member of this type");
            }
            let mut name = binary.member_name(id, number);
            if !names.insert(name.clone()) {
                name = format!("member_{number}_{name}");
                names.insert(name.clone());
            }
            let mut decorations = match self.spirv_structs.contains(&id) {
                true => spirv_parts::decorations(binary.member_decorations(id, number)),
                false => globals::qualifiers(binary.member_decorations(id, number)),
            };
            if let Some(offset) = layouts.explicit_offset(binary, id, number) {
                decorations.add(Ours::Offset(offset));
            }
            if binary.member_decorations(id, number).iter().any(|d| d.0 == Decoration::RowMajor) {
                decorations.add(Ours::RowMajor);
            }
            members.push(Member { name: name.into(), ty, precision: Precision::None, decorations });
        }
        // No language has structs without members.
        let padding = layouts.padding(id).map(|offset| Decorations::from_iter([Ours::Offset(offset)]));
        if let Some(decorations) = padding.or_else(|| members.is_empty().then(Decorations::new)) {
            members.push(Member { name: PADDING.into(), ty: Type::U32, precision: Precision::None, decorations });
        }
        let base = match binary.name(id) {
            "" => format!("Struct{id}"),
            name => name.trim_start_matches("type.").replace('.', "_"),
        };
        if is_block {
            let name = self.unique_name(&base, &members, true);
            let block = types.intern(structure(&name, members.clone(), true));
            self.memory.insert(id, block);
            if !binary.is_value_type(id) {
                return Err("a block as a value");
            }
            let mut value = members;
            value.iter_mut().for_each(|m| m.decorations = Decorations::new());
            let name = self.unique_name(&format!("{name}_value"), &value, false);
            let plain = types.intern(structure(&name, value, false));
            self.plain.insert(block, plain);
            return Ok(plain);
        }
        let name = self.unique_name(&base, &members, false);
        Ok(types.intern(structure(&name, members, false)))
    }

    /// A name that no struct with other members has.
    fn unique_name(&mut self, base: &str, members: &[Member], is_block: bool) -> String {
        let known = self.names.entry(base.to_owned()).or_default();
        let key = (members.to_vec(), is_block);
        let number = known.iter().position(|k| *k == key).unwrap_or_else(|| {
            known.push(key);
            known.len() - 1
        });
        let name = if number == 0 { base.to_owned() } else { format!("{base}_{number}") };
        self.taken.insert(name.clone());
        name
    }
}

/// Name of the member that fills a struct up to the stride of the array around it.
const PADDING: &str = "_planish_padding";

fn structure(name: &str, members: Vec<Member>, is_block: bool) -> TypeKind {
    TypeKind::Struct(Arc::new(StructType { name: name.into(), members, is_block }))
}

/// The address space of variables of a storage class, whose pointee is this type.
pub(crate) fn address_space(
    binary: &Binary<'_>,
    defs: &TypeDefs,
    class: StorageClass,
    pointee: u32,
) -> Option<AddressSpace> {
    Some(match class {
        StorageClass::Function => AddressSpace::Function,
        StorageClass::Private => AddressSpace::Private,
        StorageClass::Workgroup => AddressSpace::Workgroup,
        StorageClass::Input => AddressSpace::Input,
        StorageClass::Output => AddressSpace::Output,
        StorageClass::Uniform => {
            let mut base = pointee;
            while let Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) = defs.get(base) {
                base = *element;
            }
            if binary.has(base, Decoration::BufferBlock) { AddressSpace::Storage } else { AddressSpace::Uniform }
        }
        StorageClass::StorageBuffer => AddressSpace::Storage,
        StorageClass::PushConstant => AddressSpace::PushConstant,
        StorageClass::UniformConstant if defs.is_handle(pointee) => AddressSpace::Handle,
        StorageClass::UniformConstant if defs.is_spirv_array(pointee) => AddressSpace::Spirv,
        StorageClass::UniformConstant => AddressSpace::Uniform,
        StorageClass::AtomicCounter
        | StorageClass::RayPayloadKHR
        | StorageClass::IncomingRayPayloadKHR
        | StorageClass::CallableDataKHR
        | StorageClass::IncomingCallableDataKHR
        | StorageClass::HitAttributeKHR
        | StorageClass::HitObjectAttributeNV
        | StorageClass::ShaderRecordBufferKHR
        | StorageClass::TaskPayloadWorkgroupEXT
        | StorageClass::TileImageEXT => AddressSpace::Spirv,
        _ => return None,
    })
}

fn image_format(format: spirv::ImageFormat) -> Option<ImageFormat> {
    use ImageFormat as F;
    use spirv::ImageFormat as S;
    Some(match format {
        S::Unknown => F::Unknown,
        S::Rgba32f => F::Rgba32f,
        S::Rgba16f => F::Rgba16f,
        S::R32f => F::R32f,
        S::Rgba8 => F::Rgba8,
        S::Rgba8Snorm => F::Rgba8Snorm,
        S::Rg32f => F::Rg32f,
        S::Rg16f => F::Rg16f,
        S::R11fG11fB10f => F::R11fG11fB10f,
        S::R16f => F::R16f,
        S::Rgba16 => F::Rgba16,
        S::Rgb10A2 => F::Rgb10A2,
        S::Rg16 => F::Rg16,
        S::Rg8 => F::Rg8,
        S::R16 => F::R16,
        S::R8 => F::R8,
        S::Rgba16Snorm => F::Rgba16Snorm,
        S::Rg16Snorm => F::Rg16Snorm,
        S::Rg8Snorm => F::Rg8Snorm,
        S::R16Snorm => F::R16Snorm,
        S::R8Snorm => F::R8Snorm,
        S::Rgba32i => F::Rgba32i,
        S::Rgba16i => F::Rgba16i,
        S::Rgba8i => F::Rgba8i,
        S::R32i => F::R32i,
        S::Rg32i => F::Rg32i,
        S::Rg16i => F::Rg16i,
        S::Rg8i => F::Rg8i,
        S::R16i => F::R16i,
        S::R8i => F::R8i,
        S::Rgba32ui => F::Rgba32ui,
        S::Rgba16ui => F::Rgba16ui,
        S::Rgba8ui => F::Rgba8ui,
        S::R32ui => F::R32ui,
        S::Rgb10a2ui => F::Rgb10A2ui,
        S::Rg32ui => F::Rg32ui,
        S::Rg16ui => F::Rg16ui,
        S::Rg8ui => F::Rg8ui,
        S::R16ui => F::R16ui,
        S::R8ui => F::R8ui,
        S::R64ui | S::R64i => return None,
    })
}
