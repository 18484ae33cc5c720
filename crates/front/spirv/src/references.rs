//! Addresses of buffers: pointers of the storage class `PhysicalStorageBuffer`, which are numbers of 64 bits.
//!
//! An access chain adds offsets and strides, which the types' decorations give. A load or store of a matrix, array or struct is one of
//! each number or vector in it.

use planish_ir::builder::Request;
use planish_ir::entity::Value;
use planish_ir::layout::scalar_size;
use planish_ir::ops::{Imm, Op as Ir};
use planish_ir::types::Scalar;
use spirv::{Decoration, Op, StorageClass};

use crate::function::{Scope, Val};
use crate::layouts::Order;
use crate::report::Res;
use crate::types::{TypeDef, TypeDefs};
use crate::words::{Inst, find};

/// Most parts, in all levels, of what is loaded or stored as a whole.
const MOST_PARTS: u32 = 4096;

/// The bit of a memory access that an alignment follows.
const ALIGNED: u32 = 0x2;

/// A place in memory.
#[derive(Clone, Copy)]
struct Spot {
    address: Value,
    /// Bytes after the address.
    offset: u32,
    /// The type there, in the binary.
    ty: u32,
    order: Order,
    /// Alignment of the address.
    align: u32,
}

fn too_large<T>(inst: &Inst<'_>) -> Res<T> {
    inst.unsupported(&format!("a load or store of more than {MOST_PARTS} parts at once, or beyond 4 GiB,"))
}

impl TypeDefs {
    /// The pointee of a type of addresses.
    pub(crate) fn reference(&self, id: u32) -> Option<u32> {
        match self.get(id) {
            Some(&TypeDef::Pointer(StorageClass::PhysicalStorageBuffer, pointee)) => Some(pointee),
            _ => None,
        }
    }
}

impl<'w> Scope<'_, 'w, '_> {
    /// The type that an id is the address of, if it is one.
    pub(crate) fn referent(&self, id: u32) -> Option<u32> {
        self.cx.defs.reference(self.cx.binary.def(id)?.ty)
    }

    /// An instruction on addresses; `None` if it is another one.
    pub(crate) fn reference(&mut self, inst: &Inst<'w>) -> Res<Option<Option<Val>>> {
        let first = inst.operands.first().and_then(|&id| self.referent(id));
        let second = inst.operands.get(1).and_then(|&id| self.referent(id));
        let value = match (inst.op, first) {
            (Op::AccessChain | Op::InBoundsAccessChain, Some(pointee)) => {
                let base = self.operand(inst, 0)?;
                self.chained(inst, base, pointee, 1)?
            }
            (Op::PtrAccessChain | Op::InBoundsPtrAccessChain, Some(pointee)) => {
                let Some(stride) = self.stride_of_reference(inst.word(0)?) else {
                    return inst.invalid("its pointer has no stride");
                };
                let (base, index) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let base = self.stepped(inst, base, index, stride)?;
                self.chained(inst, base, pointee, 2)?
            }
            (Op::Load, Some(ty)) => {
                let spot = self.spot(inst, 0, ty, 1)?;
                self.load_spot(inst, spot)?
            }
            (Op::Store, Some(ty)) => {
                let (spot, value) = (self.spot(inst, 0, ty, 2)?, self.operand(inst, 1)?);
                self.store_spot(inst, spot, value)?;
                return Ok(Some(None));
            }
            (Op::CopyMemory, _) if first.is_some() || second.is_some() => {
                let value = match second {
                    Some(ty) => {
                        let spot = self.spot(inst, 1, ty, 2)?;
                        self.load_spot(inst, spot)?
                    }
                    None => {
                        let from = self.address(inst, inst.word(1)?)?;
                        self.op(inst, Ir::Load, &[from])?
                    }
                };
                match first {
                    Some(ty) => {
                        let spot = self.spot(inst, 0, ty, 2)?;
                        self.store_spot(inst, spot, value)?;
                    }
                    None => self.store_to(inst, inst.word(0)?, value)?,
                }
                return Ok(Some(None));
            }
            (Op::ConvertPtrToU, Some(_)) => {
                let (address, ty) = (self.operand(inst, 0)?, self.result_type(inst)?);
                match self.b.module.types.scalar_of(ty) {
                    Some(scalar) => self.converted(inst, address, scalar)?,
                    None => return inst.invalid("its result is no integer"),
                }
            }
            (Op::ConvertUToPtr, _) if self.cx.defs.reference(inst.ty).is_some() => {
                let number = self.operand(inst, 0)?;
                self.converted(inst, number, Scalar::U64)?
            }
            (Op::Bitcast, None) if self.cx.defs.reference(inst.ty).is_some() => self.address_from(inst)?,
            (Op::Bitcast, Some(_)) => self.address_as(inst)?,
            (Op::PtrEqual | Op::PtrNotEqual, Some(_)) => {
                let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.op(inst, if inst.op == Op::PtrEqual { Ir::Equal } else { Ir::NotEqual }, &[a, b])?
            }
            (Op::PtrDiff, Some(_)) => {
                let Some(stride) = self.stride_of_reference(inst.word(0)?).filter(|&stride| stride > 0) else {
                    return inst.invalid("its pointers have no stride");
                };
                let (a, b) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let bytes = self.op(inst, Ir::Subtract, &[a, b])?;
                let (bytes, stride) = (self.with_sign(inst, bytes, true)?, self.number(stride.into()));
                let stride = self.with_sign(inst, stride, true)?;
                let elements = self.op(inst, Ir::Divide, &[bytes, stride])?;
                self.counted(inst, elements)?
            }
            (Op::AtomicLoad, Some(ty)) => {
                let mut spot = self.spot(inst, 0, ty, inst.operands.len())?;
                spot.align = spot.align.max(4);
                self.load_spot(inst, spot)?
            }
            (Op::AtomicStore, Some(ty)) => {
                let mut spot = self.spot(inst, 0, ty, inst.operands.len())?;
                spot.align = spot.align.max(4);
                let value = self.operand(inst, 3)?;
                self.store_spot(inst, spot, value)?;
                return Ok(Some(None));
            }
            _ => return Ok(None),
        };
        Ok(Some(Some(Val::Value(value))))
    }

    /// A number of 64 bits, or two words, as an address.
    fn address_from(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let value = self.operand(inst, 0)?;
        let ty = self.b.type_of(value);
        if self.b.module.types.vector_size(ty) == Some(1) {
            return self.converted(inst, value, Scalar::U64);
        }
        let value = self.with_sign(inst, value, false)?;
        let mut parts = [value; 2];
        for (lane, part) in parts.iter_mut().enumerate() {
            let word = self.swizzle(inst, value, &[lane as u8])?;
            *part = self.converted(inst, word, Scalar::U64)?;
        }
        let by = self.number(32);
        let high = self.op(inst, Ir::ShiftLeft, &[parts[1], by])?;
        self.op(inst, Ir::BitwiseOr, &[parts[0], high])
    }

    /// An address as one of another type, a number of 64 bits, or two words.
    fn address_as(&mut self, inst: &Inst<'w>) -> Res<Value> {
        let (address, ty) = (self.operand(inst, 0)?, self.result_type(inst)?);
        let types = &self.b.module.types;
        let Some(scalar) = types.scalar_of(ty) else { return inst.invalid("its result is no number") };
        if types.vector_size(ty) == Some(1) {
            return self.converted(inst, address, scalar);
        }
        let by = self.number(32);
        let high = self.op(inst, Ir::ShiftRight, &[address, by])?;
        let mut words = vec![];
        for part in [address, high] {
            words.push(self.converted(inst, part, scalar)?);
        }
        self.construct(inst, words, ty)
    }

    fn number(&mut self, number: u64) -> Value {
        let ty = self.b.module.types.scalar(Scalar::U64);
        self.b.module.consts.bits(ty, number).into()
    }

    /// The stride of an address as that of an element of an array.
    fn stride_of_reference(&self, id: u32) -> Option<u32> {
        self.cx.binary.decoration(self.cx.binary.def(id)?.ty, Decoration::ArrayStride)
    }

    /// The address so many strides further.
    fn stepped(&mut self, inst: &Inst<'w>, base: Value, index: Value, stride: u32) -> Res<Value> {
        let index = self.with_sign(inst, index, true)?;
        let index = self.converted(inst, index, Scalar::I64)?;
        let index = self.with_sign(inst, index, false)?;
        let stride = self.number(stride.into());
        let bytes = self.op(inst, Ir::Multiply, &[index, stride])?;
        self.op(inst, Ir::Add, &[base, bytes])
    }

    /// The address of a part, by the operands from one on.
    fn chained(&mut self, inst: &Inst<'w>, mut address: Value, pointee: u32, from: usize) -> Res<Value> {
        let mut ty = pointee;
        let mut order = self.orders.get(&inst.word(0)?).copied().unwrap_or_default();
        for &id in inst.rest(from) {
            let def = self.cx.defs.get(ty).cloned();
            let stride = match def {
                Some(TypeDef::Struct(parts)) => {
                    let member = self.integer(inst, id)?;
                    let Some(&part) = parts.get(member as usize) else { return inst.invalid("no such member") };
                    let decorations = self.cx.binary.member_decorations(ty, member);
                    let Some(offset) = find(decorations, Decoration::Offset) else {
                        return inst.invalid("a member without an offset");
                    };
                    order = Order::of(decorations);
                    (address, ty) = (self.further(inst, address, offset)?, part);
                    continue;
                }
                Some(TypeDef::Array(element, _) | TypeDef::RuntimeArray(element)) => {
                    let stride = self.cx.binary.decoration(ty, Decoration::ArrayStride);
                    ty = element;
                    stride
                }
                Some(TypeDef::Matrix(column, _)) => {
                    let stride = if order.row_major { self.size_in(column) } else { order.stride };
                    ty = column;
                    stride
                }
                Some(TypeDef::Vector(component, _)) => {
                    let stride = if order.row_major { order.stride } else { self.size_in(ty) };
                    (ty, order) = (component, Order::default());
                    stride
                }
                _ => return inst.invalid("an index of something without parts"),
            };
            let Some(stride) = stride else { return inst.invalid("an array or matrix without a stride") };
            let index = self.value(inst, id)?;
            address = self.stepped(inst, address, index, stride)?;
        }
        // The order of a matrix belongs to its address, and to those of its parts.
        if order.stride.is_some() {
            self.orders.insert(inst.result, order);
        }
        Ok(address)
    }

    /// Bytes of a component of a vector.
    fn size_in(&self, vector: u32) -> Option<u32> {
        let Some(&TypeDef::Vector(component, _)) = self.cx.defs.get(vector) else { return None };
        match self.cx.defs.get(component) {
            Some(TypeDef::Scalar(scalar)) => Some(scalar_size(*scalar)),
            _ => None,
        }
    }

    fn further(&mut self, inst: &Inst<'w>, address: Value, offset: u32) -> Res<Value> {
        if offset == 0 {
            return Ok(address);
        }
        let offset = self.number(offset.into());
        self.op(inst, Ir::Add, &[address, offset])
    }

    /// The place that an operand is the address of; the memory access stands from an operand on.
    fn spot(&mut self, inst: &Inst<'w>, pointer: usize, ty: u32, access: usize) -> Res<Spot> {
        let address = self.operand(inst, pointer)?;
        let id = inst.word(pointer)?;
        let align = match inst.rest(access) {
            [mask, align, ..] if mask & ALIGNED != 0 => *align,
            _ => 1,
        };
        let order = self.orders.get(&id).copied().unwrap_or_default();
        Ok(Spot { address, offset: 0, ty, order, align: align.max(1) })
    }

    /// The parts of a place: of each its offset, type and order.
    fn parts_of(&mut self, inst: &Inst<'w>, spot: Spot) -> Res<Vec<(u32, u32, Order)>> {
        let list = |count: u32, stride: Option<u32>, ty: u32, order: Order| {
            let Some(stride) = stride else { return inst.invalid("an array or matrix without a stride") };
            if count > MOST_PARTS {
                return too_large(inst);
            }
            Ok((0..count).map(|i| (i.saturating_mul(stride), ty, order)).collect())
        };
        match self.cx.defs.get(spot.ty).cloned() {
            Some(TypeDef::Struct(parts)) => {
                let mut found = vec![];
                for (i, &part) in parts.iter().enumerate() {
                    let decorations = self.cx.binary.member_decorations(spot.ty, i as u32);
                    let Some(offset) = find(decorations, Decoration::Offset) else {
                        return inst.invalid("a member without an offset");
                    };
                    found.push((offset, part, Order::of(decorations)));
                }
                Ok(found)
            }
            Some(TypeDef::Array(element, count)) => {
                list(count, self.cx.binary.decoration(spot.ty, Decoration::ArrayStride), element, spot.order)
            }
            Some(TypeDef::Matrix(column, count)) => {
                let stride = if spot.order.row_major { self.size_in(column) } else { spot.order.stride };
                list(count, stride, column, spot.order)
            }
            Some(TypeDef::Vector(component, count)) => list(count, spot.order.stride, component, Order::default()),
            _ => inst.unsupported("a load or store of this type"),
        }
    }

    /// Whether a type is loaded and stored by one operation.
    fn is_whole(&self, ty: u32, order: Order) -> bool {
        match self.cx.defs.get(ty) {
            Some(TypeDef::Scalar(scalar)) => *scalar != Scalar::Bool,
            Some(TypeDef::Vector(..)) => !order.row_major,
            _ => self.cx.defs.reference(ty).is_some(),
        }
    }

    /// A part of a place; `left`: the parts that the instruction may still have.
    fn part_of(inst: &Inst<'w>, spot: Spot, (offset, ty, order): (u32, u32, Order), left: &mut u32) -> Res<Spot> {
        let (Some(offset), Some(rest)) = (spot.offset.checked_add(offset), left.checked_sub(1)) else {
            return too_large(inst);
        };
        *left = rest;
        Ok(Spot { offset, ty, order, ..spot })
    }

    /// The address with its offset, and the alignment that it is known to have.
    fn aligned(&mut self, inst: &Inst<'w>, spot: Spot) -> Res<(Value, Imm)> {
        let address = self.further(inst, spot.address, spot.offset)?;
        let of_offset = if spot.offset == 0 { u32::MAX } else { 1 << spot.offset.trailing_zeros() };
        Ok((address, Imm::index(spot.align.min(of_offset))))
    }

    fn load_spot(&mut self, inst: &Inst<'w>, spot: Spot) -> Res<Value> {
        self.load_parts(inst, spot, &mut { MOST_PARTS })
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn load_parts(&mut self, inst: &Inst<'w>, spot: Spot, left: &mut u32) -> Res<Value> {
        let ty = match self.cx.types.value(spot.ty) {
            Ok(ty) => ty,
            Err(what) => return inst.unsupported(what),
        };
        if self.is_whole(spot.ty, spot.order) {
            let (address, align) = self.aligned(inst, spot)?;
            let results = self.make_all(inst, Request::new(Ir::ReferenceLoad, &[address]).imm(align).ty(ty))?;
            return Ok(results[0]);
        }
        let mut parts = vec![];
        for part in self.parts_of(inst, spot)? {
            parts.push(self.load_parts(inst, Self::part_of(inst, spot, part, left)?, left)?);
        }
        self.construct(inst, parts, ty)
    }

    fn store_spot(&mut self, inst: &Inst<'w>, spot: Spot, value: Value) -> Res<()> {
        self.store_parts(inst, spot, value, &mut { MOST_PARTS })
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn store_parts(&mut self, inst: &Inst<'w>, spot: Spot, value: Value, left: &mut u32) -> Res<()> {
        if self.is_whole(spot.ty, spot.order) {
            let (address, align) = self.aligned(inst, spot)?;
            self.make_all(inst, Request::new(Ir::ReferenceStore, &[address, value]).imm(align))?;
            return Ok(());
        }
        for (i, part) in self.parts_of(inst, spot)?.into_iter().enumerate() {
            let taken = self.part(inst, value, i as u32)?;
            self.store_parts(inst, Self::part_of(inst, spot, part, left)?, taken, left)?;
        }
        Ok(())
    }

    /// An atomic op on the value at an address.
    pub(crate) fn atomic_at(&mut self, inst: &Inst<'w>, op: Ir, address: Value, values: &[Value]) -> Res<Value> {
        let op = match op {
            Ir::AtomicAdd => Ir::ReferenceAtomicAdd,
            Ir::AtomicMin => Ir::ReferenceAtomicMin,
            Ir::AtomicMax => Ir::ReferenceAtomicMax,
            Ir::AtomicAnd => Ir::ReferenceAtomicAnd,
            Ir::AtomicOr => Ir::ReferenceAtomicOr,
            Ir::AtomicXor => Ir::ReferenceAtomicXor,
            Ir::AtomicExchange => Ir::ReferenceAtomicExchange,
            Ir::AtomicCompareExchange => Ir::ReferenceAtomicCompareExchange,
            _ => return inst.unsupported("this at an address"),
        };
        let mut args = vec![address];
        args.extend_from_slice(values);
        self.op(inst, op, &args)
    }
}
