//! Memory: variables of an invocation hold lanes, shared memory is accessed lane by lane where lanes differ.

use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

use super::control::Widener;
use super::lanes::{broadcast, is_all, is_lanes, join, lane};
use super::{is_own, lanes_in_memory};
use crate::legalize::number;
use crate::lower_to_scalars::values::Parts;

/// The pointee of a pointer of the source.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// A pointer to the part that all lanes have in common.
    pointer: Value,
    /// Type of that part in the source.
    base: Type,
    /// From there on, to the pointee.
    steps: SmallVec<[Step; 2]>,
    /// Components of the vector that is the pointee.
    swizzle: Option<Imm>,
    /// Type of the pointee in the source, before the swizzle.
    ty: Type,
    /// Whether the memory holds lanes.
    pub(super) is_own: bool,
}

/// A step from memory to a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A member.
    Field(u32),
    /// An element by a scalar, or by lanes.
    Element(Value),
}

impl Place {
    /// The pointee of a pointer, itself that of all lanes.
    pub(super) fn behind(pointer: Value, ty: Type, is_own: bool) -> Self {
        Place { pointer, base: ty, steps: SmallVec::new(), swizzle: None, ty, is_own }
    }

    /// The pointer to the part that all lanes have in common, and the steps from there.
    pub(super) fn path(&self) -> (Value, &[Step]) {
        (self.pointer, &self.steps)
    }

    /// The pointer to the part that all lanes have in common.
    pub(super) fn pointer(&self) -> Value {
        self.pointer
    }

    /// The pointer that leads there, if it is one for all lanes.
    pub(super) fn direct(&self) -> Option<Value> {
        (self.steps.is_empty() && self.swizzle.is_none()).then_some(self.pointer)
    }
}

impl Widener<'_, '_> {
    /// The place that a pointer of the source leads to.
    pub(super) fn place(&mut self, pointer: Value, b: &mut Builder<'_, '_>) -> Option<Place> {
        let Some(var) = pointer.as_var() else { return self.places[pointer.as_local()?].clone() };
        if let Some(place) = self.place_by_batch(var, b) {
            return Some(place);
        }
        let shared = self.work.in_place_of(var);
        let (ty, space) = (b.module.vars[shared].ty, b.module.vars[shared].space);
        if !is_own(space) {
            return Some(Place::behind(shared.into(), ty, false));
        }
        let lanes = self.work.variable(b.module, self.old, var)?;
        Some(Place::behind(lanes.into(), ty, true))
    }

    pub(super) fn access(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let result = self.body.result(node)?;
        let mut place = self.place(args[0], b)?;
        let imm = data.imm;
        match data.op {
            Op::AccessVectorComponentMulti => {
                // Of the lanes of a swizzle before it.
                place.swizzle = Some(match place.swizzle {
                    Some(before) => {
                        let lanes: SmallVec<[u8; 4]> =
                            imm.as_lanes().iter().map(|lane| before.as_lanes().get(lane.into())).collect();
                        Lanes::new(&lanes).into()
                    }
                    None => imm,
                });
            }
            Op::AccessStructField => self.step(&mut place, Step::Field(imm.as_index()), b)?,
            Op::AccessVectorComponent => {
                let index = match place.swizzle.take() {
                    Some(lanes) => lanes.as_lanes().get(imm.as_index() as usize).into(),
                    None => imm.as_index(),
                };
                let index = b.i32(index as i32);
                self.step(&mut place, Step::Element(index), b)?;
            }
            _ if place.swizzle.is_some() => return None,
            _ => {
                let index = self.parts(args[1], b)[0];
                self.step(&mut place, Step::Element(index), b)?;
            }
        }
        self.places[result] = Some(place);
        Some(())
    }

    fn step(&mut self, place: &mut Place, step: Step, b: &mut Builder<'_, '_>) -> Option<()> {
        let index = match step {
            Step::Field(index) => index,
            Step::Element(_) => 0,
        };
        let part = b.module.types.part(place.ty, index)?;
        let varies = matches!(step, Step::Element(index) if is_lanes(b, index));
        // Ops on images are outlined with the whole path.
        let is_handle = self.old.types.is_opaque(place.ty);
        if place.steps.is_empty() && !varies && !is_handle {
            place.pointer = part_of(b, (place.pointer, place.ty), step, place.is_own);
            place.base = part;
        } else {
            place.steps.push(step);
        }
        place.ty = part;
        Some(())
    }

    /// The pointer to a place in one lane.
    fn pointer_in(&self, place: &Place, l: u8, b: &mut Builder<'_, '_>) -> Option<Value> {
        let (mut pointer, mut ty) = (place.pointer, place.base);
        for &step in &place.steps {
            let (step, index) = match step {
                Step::Element(index) => (Step::Element(lane(b, index, l)), 0),
                Step::Field(index) => (step, index),
            };
            pointer = part_of(b, (pointer, ty), step, place.is_own);
            ty = b.module.types.part(ty, index)?;
        }
        Some(pointer)
    }

    /// The components of the value at a place; scalars if it is shared and the same for all lanes.
    pub(super) fn load(&mut self, place: &Place, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let parts: Parts = if place.steps.is_empty() {
            let cells = cells(b, place, place.pointer)?;
            cells.into_iter().map(|cell| b.load(cell)).collect()
        } else {
            let mut columns: Vec<Vec<Value>> = Vec::new();
            for l in 0..self.n {
                let pointer = self.pointer_in(place, l, b)?;
                let mut parts = Parts::new();
                for cell in cells(b, place, pointer)? {
                    let value = b.load(cell);
                    parts.push(lane(b, value, l));
                }
                columns.resize(parts.len(), Vec::new());
                columns.iter_mut().zip(parts).for_each(|(column, part)| column.push(part));
            }
            columns.iter().map(|column| join(b, column)).collect()
        };
        Some(match place.swizzle {
            Some(imm) => imm.as_lanes().iter().map(|l| parts[usize::from(l)]).collect(),
            None => parts,
        })
    }

    /// Puts the components of a value at a place, in the active lanes.
    pub(super) fn store(&mut self, place: &Place, parts: &[Value], b: &mut Builder<'_, '_>) -> Option<()> {
        if !place.is_own {
            let (place, parts) = (place.clone(), Parts::from_slice(parts));
            self.one_by_one(&[], false, b, &mut |this, l, b| {
                this.store_shared(&place, l, &parts, b)?;
                Some(Parts::new())
            })?;
            return Some(());
        }
        if place.steps.is_empty() {
            for (cell, &part) in picked(b, place, place.pointer)?.into_iter().zip(parts) {
                self.store_lanes(cell, part, b);
            }
            return Some(());
        }
        for l in 0..self.n {
            let here = lane(b, self.active, l);
            let pointer = self.pointer_in(place, l, b)?;
            for (cell, &part) in picked(b, place, pointer)?.into_iter().zip(parts) {
                let old = b.load(cell);
                let (new, kept) = (lane(b, part, l), lane(b, old, l));
                let value = if is_all(b, self.active) { new } else { b.op(Op::Select, &[here, new, kept]) };
                let value = b.op_imm(Op::InsertVectorComponent, Imm::index(l.into()), &[old, value]);
                b.store(cell, value);
            }
        }
        Some(())
    }

    /// Stores lanes, in the active ones.
    pub(super) fn store_lanes(&mut self, cell: Value, value: Value, b: &mut Builder<'_, '_>) {
        let mut value = broadcast(b, value, self.n);
        if !is_all(b, self.active) {
            let old = b.load(cell);
            value = b.op(Op::Select, &[self.active, value, old]);
        }
        b.store(cell, value);
    }

    fn store_shared(&mut self, place: &Place, l: u8, parts: &[Value], b: &mut Builder<'_, '_>) -> Option<()> {
        let pointer = self.pointer_in(place, l, b)?;
        for (cell, &part) in picked(b, place, pointer)?.into_iter().zip(parts) {
            let value = lane(b, part, l);
            b.store(cell, value);
        }
        Some(())
    }

    /// The components of what a node loads.
    pub(super) fn loaded(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let place = self.place(self.body.args(node)[0], b)?;
        self.load(&place, b)
    }

    /// Loads, stores, increments and atomics.
    pub(super) fn memory(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        let args = self.body.args(node);
        let place = self.place(args[0], b)?;
        let result = self.body.result(node);
        match data.op {
            Op::Load if self.is_handle(place.ty) => {
                // Ops on images take the pointer along, since its index may vary.
                self.places[result?] = Some(place);
                Some(())
            }
            Op::Load | Op::AtomicCounterLoad | Op::InterpolateAtCentroid | Op::InterpolateAtSample => {
                let parts = if data.op == Op::AtomicCounterLoad {
                    return self.atomic(node, &place, b);
                } else {
                    self.load(&place, b)?
                };
                self.set(result?, parts, b);
                Some(())
            }
            Op::Store => {
                let parts = self.parts(args[1], b);
                self.store(&place, &parts, b)
            }
            Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement => {
                let old = self.load(&place, b)?;
                let up = matches!(data.op, Op::PrefixIncrement | Op::PostfixIncrement);
                let mut new = Parts::new();
                for &part in &old {
                    let one = number(b, b.type_of(part), 1);
                    new.push(b.op(if up { Op::Add } else { Op::Subtract }, &[part, one]));
                }
                self.store(&place, &new, b)?;
                let prefix = matches!(data.op, Op::PrefixIncrement | Op::PrefixDecrement);
                self.set(result?, if prefix { new } else { old }, b);
                Some(())
            }
            _ => self.atomic(node, &place, b),
        }
    }

    /// An atomic: the active lanes run it in order. Helper invocations read only, and get what the others would.
    fn atomic(&mut self, node: Node, place: &Place, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        let result = self.body.result(node)?;
        if place.is_own {
            return None;
        }
        let mut operands: Vec<Value> = Vec::new();
        for &arg in &self.body.args(node)[1..] {
            operands.push(self.parts(arg, b)[0]);
        }
        let (op, step) = match data.op {
            Op::AtomicCounterLoad => (Op::Load, None),
            Op::AtomicCounterIncrement => (Op::AtomicAdd, Some(1)),
            Op::AtomicCounterDecrement => (Op::AtomicAdd, Some(u32::MAX)),
            op => (op, None),
        };
        let ty = self.body.local_type(result);
        let has_helpers = self.has_helpers() && op != Op::Load;
        let parts = self.one_by_one(&[ty], true, b, &mut |this, l, b| {
            let pointer = this.pointer_in(place, l, b)?;
            let mut args = vec![pointer];
            for &operand in &operands {
                args.push(lane(b, operand, l));
            }
            args.extend(step.map(|step| b.u32(step)));
            let make = |b: &mut Builder<'_, '_>| b.make(Request::new(op, &args).imm(data.imm));
            if !has_helpers {
                return Some(Parts::from_slice(&[make(b)]));
            }
            let helpers = b.load(this.work.helpers.into());
            let is_helper = lane(b, helpers, l);
            let blocks = b.if_(is_helper);
            b.switch_to(blocks.then);
            let old = b.load(pointer);
            b.merge(&[old]);
            b.switch_to(blocks.otherwise);
            let old = make(b);
            b.merge(&[old]);
            b.switch_to(blocks.merge);
            Some(Parts::from_slice(&[b.add_input(blocks.merge, ty, Precision::None)]))
        })?;
        let parts = match data.op {
            Op::AtomicCounterDecrement => {
                let one = number(b, b.type_of(parts[0]), 1);
                Parts::from_slice(&[b.op(Op::Subtract, &[parts[0], one])])
            }
            _ => parts,
        };
        self.set(result, parts, b);
        Some(())
    }

    pub(super) fn array_length(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let place = self.place(self.body.args(node)[0], b)?;
        let parts = match place.direct() {
            _ if let TypeKind::Array { len, .. } = b.module.types[place.ty] => Parts::from_slice(&[b.i32(len as i32)]),
            Some(pointer) => Parts::from_slice(&[b.op(Op::ArrayLength, &[pointer])]),
            None => {
                let mut column = Vec::new();
                for l in 0..self.n {
                    let pointer = self.pointer_in(&place, l, b)?;
                    column.push(b.op(Op::ArrayLength, &[pointer]));
                }
                Parts::from_slice(&[join(b, &column)])
            }
        };
        self.set(self.body.result(node)?, parts, b);
        Some(())
    }

    fn is_handle(&self, ty: Type) -> bool {
        matches!(self.old.types[ty], TypeKind::Image(_) | TypeKind::Sampler { .. })
    }

    /// A new variable with the lanes of a value of a type, and the place that it is.
    pub(super) fn temporary(&mut self, ty: Type, b: &mut Builder<'_, '_>) -> Option<Place> {
        let lanes = lanes_in_memory(b.module, ty, self.n)?;
        let var = self.declare(lanes, "temporary", b);
        Some(Place::behind(var.into(), ty, true))
    }
}

/// The pointer to a part.
fn part_of(b: &mut Builder<'_, '_>, (pointer, ty): (Value, Type), step: Step, is_own: bool) -> Value {
    let (op, index) = match (step, &b.module.types[ty]) {
        (Step::Field(index), _) => return b.op_imm(Op::AccessStructField, Imm::index(index), &[pointer]),
        (Step::Element(index), TypeKind::Vector(..)) if !is_own => (Op::AccessVectorComponentDynamic, index),
        (Step::Element(index), TypeKind::Matrix { .. }) if !is_own => (Op::AccessMatrixColumn, index),
        (Step::Element(index), _) => (Op::AccessArrayElement, index),
    };
    let known = index.as_const().and_then(|c| b.module.consts.as_bits(c));
    match (op, known) {
        (Op::AccessVectorComponentDynamic, Some(bits)) => {
            let count = b.module.types.part_count(ty).unwrap_or(1);
            let index = planish_ir::meaning::clamp_index(bits, count);
            b.op_imm(Op::AccessVectorComponent, Imm::index(index), &[pointer])
        }
        _ => b.op(op, &[pointer, index]),
    }
}

/// The pointers to the lanes of each component of a variable.
pub(super) fn cells_of(b: &mut Builder<'_, '_>, place: &Place) -> Option<Vec<Value>> {
    cells(b, place, place.pointer)
}

/// The pointers to the components of a place, or to the lanes of each.
fn cells(b: &mut Builder<'_, '_>, place: &Place, pointer: Value) -> Option<Vec<Value>> {
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn collect(b: &mut Builder<'_, '_>, pointer: Value, ty: Type, is_own: bool, out: &mut Vec<Value>) -> Option<()> {
        if matches!(b.module.types[ty], TypeKind::Scalar(_)) {
            out.push(pointer);
            return Some(());
        }
        for i in 0..b.module.types.part_count(ty)? {
            let index = b.i32(i as i32);
            let is_struct = matches!(b.module.types[ty], TypeKind::Struct(_));
            let step = if is_struct { Step::Field(i) } else { Step::Element(index) };
            let part = part_of(b, (pointer, ty), step, is_own);
            let inner = b.module.types.part(ty, i)?;
            collect(b, part, inner, is_own, out)?;
        }
        Some(())
    }
    let mut all = Vec::new();
    collect(b, pointer, place.ty, place.is_own, &mut all)?;
    Some(all)
}

/// The pointers to the lanes of what a place is, after its swizzle.
fn picked(b: &mut Builder<'_, '_>, place: &Place, pointer: Value) -> Option<Vec<Value>> {
    let all = cells(b, place, pointer)?;
    Some(match place.swizzle {
        Some(imm) => imm.as_lanes().iter().map(|l| all[usize::from(l)]).collect(),
        None => all,
    })
}
