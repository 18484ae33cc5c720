//! Places in buffers that references lead to: their parts, loads, stores and atomic operations.
//!
//! The address of a place is a number, to which parts of it add offsets and strides. A load or store of a matrix, array or struct is one of each
//! number or vector in it.

use std::num::NonZeroU32;

use planish_ir::builder::Request;
use planish_ir::decoration::Decoration;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::layout::{Rule, scalar_size};
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use super::names::Access;
use super::operand::Operand;
use super::{Checked, Checker, Reported};
use crate::ast::Name;

/// Maximum number of numbers and vectors in what is loaded or stored as a whole.
const MAX_PARTS: u32 = 4096;

/// Number of a [`Spot`] of the program, plus one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpotId(NonZeroU32);

/// A place in a buffer, beside its address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spot {
    /// Bytes after the address.
    offset: u32,
    /// The address is a multiple of this number of bytes, a power of two.
    align: u32,
    rule: Rule,
    /// Whether matrices are stored by rows.
    row_major: bool,
    access: Access,
    /// Of a vector that is a column of a matrix stored by rows: bytes from one component to the next.
    stride: Option<u32>,
    /// The components of a vector that the place consists of.
    lanes: Option<Lanes>,
}

impl Spot {
    /// The place so many bytes further on; `None` if that is beyond 4 GiB.
    fn at(self, bytes: u32) -> Option<Spot> {
        Some(Spot { offset: self.offset.checked_add(bytes)?, ..self })
    }

    /// Alignment of an access of numbers of a type, whose addresses are always multiples of their size.
    fn align_of(self, scalar: Scalar) -> u32 {
        let of_offset = if self.offset == 0 { u32::MAX } else { 1 << self.offset.trailing_zeros() };
        self.align.min(of_offset).max(scalar_size(scalar))
    }
}

impl Checker<'_, '_> {
    /// The place of an operand in a buffer, if a reference leads to it.
    pub(super) fn spot(&self, operand: Operand) -> Option<Spot> {
        operand.spot.map(|id| self.spots[id.0.get() as usize - 1])
    }

    fn at_address(&mut self, address: Value, spot: Spot, ty: Type) -> Operand {
        self.spots.push(spot);
        let id = NonZeroU32::new(self.spots.len() as u32).expect("one has just been added");
        Operand::at_address(address, SpotId(id), ty)
    }

    // ------------------------------------------------------------------------------------------ parts

    /// `reference.name`: a place in the buffer.
    pub(super) fn referenced_field(&mut self, base: Operand, name: Name, span: Span) -> Checked<Operand> {
        let block = self.defined(base.ty, name)?;
        let (Some(reference), Some(data)) = (self.reference(base.ty), self.b.module.types.as_struct(block).cloned())
        else {
            return Err(Reported);
        };
        let text = self.text(name.symbol);
        let Some(index) = data.members.iter().position(|member| &*member.name == text) else {
            return Err(self.no_such_field(block, name));
        };
        let member = &data.members[index];
        let access = match reference.access {
            Access::ReadWrite if member.decorations.has(Decoration::ReadOnly) => Access::ReadOnly,
            Access::ReadWrite if member.decorations.has(Decoration::WriteOnly) => Access::WriteOnly,
            access => access,
        };
        if access == Access::WriteOnly && !self.frame.flow.suppressed {
            return Err(self.unreadable(name.symbol, span));
        }
        let place = self.layout_at_address(block, reference.rule, false).members[index];
        let address = self.load(base);
        let spot = Spot {
            offset: place.offset,
            align: reference.align,
            rule: reference.rule,
            row_major: place.row_major,
            access,
            stride: None,
            lanes: None,
        };
        Ok(self.at_address(address, spot, member.ty))
    }

    /// A member of a struct at an address.
    pub(super) fn field_at_address(&mut self, base: Operand, spot: Spot, index: u32, ty: Type) -> Operand {
        let place = self.layout_at_address(base.ty, spot.rule, spot.row_major).members[index as usize];
        let part = spot.at(place.offset).map(|spot| Spot { row_major: place.row_major, ..spot });
        self.part_at(base, spot, part, place.offset, ty)
    }

    /// A component, or several, of a vector at an address.
    pub(super) fn lanes_at_address(&mut self, base: Operand, spot: Spot, lanes: Lanes, ty: Type) -> Operand {
        let of = |lane: u8| spot.lanes.map_or(lane, |outer| outer.get(lane.into()));
        let inner: SmallVec<[u8; 4]> = lanes.iter().map(of).collect();
        if let [lane] = inner[..] {
            let bytes = u32::from(lane) * self.component_stride(spot, base.ty);
            let part = spot.at(bytes).map(|spot| Spot { stride: None, lanes: None, ..spot });
            return self.part_at(base, spot, part, bytes, ty);
        }
        self.at_address(base.value, Spot { lanes: Some(Lanes::new(&inner)), ..spot }, ty)
    }

    /// An element of an array, a column of a matrix or a component of a vector at an address.
    pub(super) fn element_at_address(&mut self, base: Operand, spot: Spot, index: Value, ty: Type) -> Operand {
        let (stride, part) = match *self.kind(base.ty) {
            TypeKind::Vector(..) if spot.lanes.is_some() => {
                let whole = self.load(base);
                return Operand::value(self.node(Op::ExtractVectorComponentDynamic, &[whole, index]), ty);
            }
            TypeKind::Vector(..) => (self.component_stride(spot, base.ty), Spot { stride: None, ..spot }),
            TypeKind::Matrix { scalar, .. } if spot.row_major => {
                let rows = self.layout_at_address(base.ty, spot.rule, true).stride;
                (scalar_size(scalar), Spot { stride: Some(rows), ..spot })
            }
            _ => (self.layout_at_address(base.ty, spot.rule, spot.row_major).stride, spot),
        };
        let constant = index.as_const().and_then(|c| self.b.module.consts.as_bits(c));
        let constant = constant.and_then(|index| u32::try_from(index).ok()?.checked_mul(stride));
        if let Some(part) = constant.and_then(|bytes| part.at(bytes)) {
            return self.at_address(base.value, part, ty);
        }
        let bytes = self.scaled(index, stride);
        let address = self.node(Op::Add, &[base.value, bytes]);
        let align = if stride == 0 { part.align } else { part.align.min(1 << stride.trailing_zeros()) };
        self.at_address(address, Spot { align, ..part }, ty)
    }

    /// A part at a constant offset, which is added to the address if it is beyond 4 GiB from there.
    fn part_at(&mut self, base: Operand, spot: Spot, part: Option<Spot>, bytes: u32, ty: Type) -> Operand {
        if let Some(part) = part {
            return self.at_address(base.value, part, ty);
        }
        let address = self.further(base.value, spot.offset);
        self.at_address(address, Spot { offset: bytes, align: 1, ..spot }, ty)
    }

    /// Bytes from a component of a vector to the next.
    fn component_stride(&self, spot: Spot, vector: Type) -> u32 {
        let of_scalar = || self.b.module.types.scalar_of(vector).map_or(0, scalar_size);
        spot.stride.unwrap_or_else(of_scalar)
    }

    fn further(&mut self, address: Value, offset: u32) -> Value {
        if offset == 0 {
            return address;
        }
        let ty = self.b.module.types.scalar(Scalar::U64);
        let offset = self.b.module.consts.bits(ty, offset.into());
        self.node(Op::Add, &[address, offset.into()])
    }

    // ------------------------------------------------------------------------------------------ loads and stores

    /// The value at an address.
    pub(super) fn load_at_address(&mut self, place: Operand) -> Value {
        let Some(spot) = self.spot(place) else { return place.value };
        let ty = self.ir_type(place.ty);
        if self.is_too_large(ty) {
            return self.zero_for_error(ty);
        }
        self.load_spot(place.value, spot, ty)
    }

    /// Puts a value to an address.
    pub(super) fn store_at_address(&mut self, place: Operand, value: Value) {
        let Some(spot) = self.spot(place) else { return };
        let ty = self.ir_type(place.ty);
        if !self.is_too_large(ty) {
            self.store_spot(place.value, spot, ty, value);
        }
    }

    /// Reports what has too many parts to be loaded or stored at once.
    fn is_too_large(&mut self, ty: Type) -> bool {
        let is_too_large = self.part_count(ty) > MAX_PARTS;
        if is_too_large {
            let name = self.type_name(ty);
            let span = self.b.span();
            self.error(
                Diagnostic::error(Code::E0506, span, format!("`{name}` is too large to be loaded or stored at once"))
                    .note(format!("by a reference, at most {MAX_PARTS} numbers and vectors are"))
                    .help("copy it in a loop"),
            );
        }
        is_too_large
    }

    fn zero_for_error(&mut self, ty: Type) -> Value {
        let module = &mut *self.b.module;
        module.consts.zero(&mut module.types, ty).map_or(planish_ir::entity::Const::FALSE.into(), Value::from)
    }

    /// Numbers and vectors in a type.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn part_count(&self, ty: Type) -> u32 {
        match self.kind(ty) {
            TypeKind::Matrix { columns, .. } => (*columns).into(),
            TypeKind::Array { element, len } => len.saturating_mul(self.part_count(*element)),
            TypeKind::Struct(s) => s.members.iter().map(|m| self.part_count(m.ty)).fold(0, u32::saturating_add),
            _ => 1,
        }
    }

    /// The parts of a struct or array at an address, with their offsets and orders of matrices.
    fn parts_at_address(&mut self, ty: Type, spot: Spot) -> Vec<(Spot, Type)> {
        let layout = self.layout_at_address(ty, spot.rule, spot.row_major);
        let far = |bytes: u32| spot.at(bytes).unwrap_or(spot);
        match self.kind(ty) {
            TypeKind::Struct(s) => {
                let members = layout.members.iter().zip(&s.members);
                members.map(|(at, m)| (Spot { row_major: at.row_major, ..far(at.offset) }, m.ty)).collect()
            }
            TypeKind::Array { element, len } => {
                (0..*len).map(|i| (far(i.saturating_mul(layout.stride)), *element)).collect()
            }
            _ => vec![],
        }
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn load_spot(&mut self, address: Value, spot: Spot, ty: Type) -> Value {
        match *self.kind(ty) {
            TypeKind::Vector(scalar, size) if spot.stride.is_some() || spot.lanes.is_some() => {
                let component = self.b.module.types.scalar(scalar);
                let places = self.components_of(spot, ty, size);
                let parts: SmallVec<[Value; 4]> =
                    places.into_iter().map(|place| self.load_spot(address, place, component)).collect();
                self.b.op_typed(Op::ConstructVectorFromMultiple, &parts, ty)
            }
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) => {
                let stored = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
                let stored_ty = self.b.module.types.with_scalar(ty, stored);
                let address = self.further(address, spot.offset);
                let align = Imm::index(spot.align_of(stored));
                let value = self.b.make(Request::new(Op::ReferenceLoad, &[address]).imm(align).ty(stored_ty));
                self.b.convert(value, ty)
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let (outer, inner) = if spot.row_major { (rows, columns) } else { (columns, rows) };
                let stride = self.layout_at_address(ty, spot.rule, spot.row_major).stride;
                let vector = self.b.module.types.vector(scalar, inner);
                let parts: SmallVec<[Value; 4]> = (0..u32::from(outer))
                    .map(|i| self.load_spot(address, spot.at(i * stride).unwrap_or(spot), vector))
                    .collect();
                let stored = self.b.module.types.matrix(scalar, outer, inner);
                let matrix = self.b.op_typed(Op::ConstructMatrixFromMultiple, &parts, stored);
                if spot.row_major { self.node(Op::Transpose, &[matrix]) } else { matrix }
            }
            ref kind => {
                let op = if matches!(kind, TypeKind::Struct(_)) { Op::ConstructStruct } else { Op::ConstructArray };
                let parts = self.parts_at_address(ty, spot);
                let values: Vec<Value> =
                    parts.into_iter().map(|(spot, part)| self.load_spot(address, spot, part)).collect();
                self.b.op_typed(op, &values, ty)
            }
        }
    }

    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn store_spot(&mut self, address: Value, spot: Spot, ty: Type, value: Value) {
        match *self.kind(ty) {
            TypeKind::Vector(scalar, size) if spot.stride.is_some() || spot.lanes.is_some() => {
                let component = self.b.module.types.scalar(scalar);
                for (lane, place) in self.components_of(spot, ty, size).into_iter().enumerate() {
                    let part = self.b.op_imm(Op::ExtractVectorComponent, Imm::index(lane as u32), &[value]);
                    self.store_spot(address, place, component, part);
                }
            }
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) => {
                let stored = if scalar == Scalar::Bool { Scalar::U32 } else { scalar };
                let stored_ty = self.b.module.types.with_scalar(ty, stored);
                let value = self.b.convert(value, stored_ty);
                let address = self.further(address, spot.offset);
                let align = Imm::index(spot.align_of(stored));
                self.b.make_all(Request::new(Op::ReferenceStore, &[address, value]).imm(align));
            }
            TypeKind::Matrix { scalar, columns, rows } => {
                let (outer, inner) = if spot.row_major { (rows, columns) } else { (columns, rows) };
                let stride = self.layout_at_address(ty, spot.rule, spot.row_major).stride;
                let vector = self.b.module.types.vector(scalar, inner);
                let matrix = if spot.row_major { self.node(Op::Transpose, &[value]) } else { value };
                for i in 0..u32::from(outer) {
                    let index = self.b.i32(i as i32);
                    let part = self.node(Op::ExtractMatrixColumn, &[matrix, index]);
                    self.store_spot(address, spot.at(i * stride).unwrap_or(spot), vector, part);
                }
            }
            ref kind => {
                let is_struct = matches!(kind, TypeKind::Struct(_));
                for (i, (spot, part)) in self.parts_at_address(ty, spot).into_iter().enumerate() {
                    let part_value = if is_struct {
                        self.b.op_imm(Op::ExtractStructField, Imm::index(i as u32), &[value])
                    } else {
                        let index = self.b.i32(i as i32);
                        self.node(Op::ExtractArrayElement, &[value, index])
                    };
                    self.store_spot(address, spot, part, part_value);
                }
            }
        }
    }

    /// The components of a vector that is not stored as one.
    fn components_of(&self, spot: Spot, ty: Type, size: u8) -> SmallVec<[Spot; 4]> {
        let stride = self.component_stride(spot, ty);
        let lane = |i: u8| spot.lanes.map_or(i, |lanes| lanes.get(i.into()));
        let alone = Spot { stride: None, lanes: None, ..spot };
        (0..size).map(|i| alone.at(u32::from(lane(i)) * stride).unwrap_or(alone)).collect()
    }

    // ------------------------------------------------------------------------------------------ uses

    /// Reports places that are `readonly`, and if they are read too, `writeonly`.
    pub(super) fn check_spot(&mut self, place: Operand, reads: bool, span: Span) -> Checked<()> {
        let access = self.spot(place).map(|spot| spot.access);
        let message = match access {
            Some(Access::ReadOnly) => "this cannot be written: the buffer, or this member of it, is `readonly`",
            Some(Access::WriteOnly) if reads => "this cannot be read: the buffer, or this member of it, is `writeonly`",
            _ => return Ok(()),
        };
        Err(self.fail(Code::E0308, span, message))
    }

    /// `++` and `--` of a number at an address: the value before or after.
    pub(super) fn increment_at_address(&mut self, op: Op, place: Operand) -> Value {
        let ty = self.ir_type(place.ty);
        let before = self.load_at_address(place);
        let scalar = self.b.module.types.scalar_of(ty).unwrap_or(Scalar::I32);
        let (one, scalar) = (self.b.i32(1), self.b.module.types.scalar(scalar));
        let mut one = self.b.convert(one, scalar);
        if scalar != ty {
            one = self.splat(one, ty);
        }
        let adds = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
        let after = self.node(if adds { Op::Add } else { Op::Subtract }, &[before, one]);
        self.store_at_address(place, after);
        if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { after } else { before }
    }

    /// An atomic operation on the number at an address; `args` are the other arguments.
    pub(super) fn atomic_at_address(&mut self, op: Op, place: Operand, args: &[Value], span: Span) -> Checked<Value> {
        let offset = self.spot(place).map_or(0, |spot| spot.offset);
        let op = match op {
            Op::AtomicAdd => Op::ReferenceAtomicAdd,
            Op::AtomicMin => Op::ReferenceAtomicMin,
            Op::AtomicMax => Op::ReferenceAtomicMax,
            Op::AtomicAnd => Op::ReferenceAtomicAnd,
            Op::AtomicOr => Op::ReferenceAtomicOr,
            Op::AtomicXor => Op::ReferenceAtomicXor,
            Op::AtomicExchange => Op::ReferenceAtomicExchange,
            Op::AtomicCompareExchange => Op::ReferenceAtomicCompareExchange,
            _ => {
                return Err(self.fail(
                    Code::E0508,
                    span,
                    "this function does not take a place in a buffer by reference",
                ));
            }
        };
        let mut values: SmallVec<[Value; 3]> = SmallVec::new();
        values.push(self.further(place.value, offset));
        values.extend_from_slice(args);
        Ok(self.node(op, &values))
    }
}
