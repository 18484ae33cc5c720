//! Neighbouring elements in memory, as 128-bit values.
//!
//! ```text
//! %0: f32 = memory_load[memory0 u32] %p                    %8: v128 = memory_load[memory0 v128] %p
//! %1: f32 = memory_load[memory0 u32 offset 4] %p           %9: v128 = memory_load[memory0 v128 offset 16] %p
//! …
//! %8: vec8 = construct_vector_from_multiple %0, %1, …
//!
//! %0 = extract_vector_component[0] %v                      memory_store[memory0 v128] %p, %v_0
//! memory_store[memory0 u32] %p, %0                         memory_store[memory0 v128 offset 16] %p, %v_1
//! …
//! ```
//!
//! The accesses of all lanes follow each other, in the order of the lanes; stores are known to be in bounds. Integers of 8 and 16 bits are extended after they were loaded, and narrowed
//! before they are stored.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Node, Value};
use planish_ir::ops::{Imm, LaneShape, MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};

use super::copy::Lowerer;
use super::lanes::{lanes_of, number, simd};
use super::values::Parts;

use LaneShape::{I16x8, I32x4, I64x2, U8x16, U16x8, U32x4};

/// Bytes of a 128-bit value.
const WIDE: u32 = 16;

impl Lowerer<'_, '_> {
    /// Lanes that are loaded one after the other, by the nodes just before; `before` are the nodes of the block up to this one.
    pub(super) fn packed_load(&mut self, node: Node, before: &[Node], b: &mut Builder<'_, '_>) -> Option<Parts> {
        let n = self.lanes()?;
        let args = self.body.args(node);
        if args.len() != usize::from(n) || before.len() < args.len() {
            return None;
        }
        let scalar = self.old.types.scalar_of(self.body.local_type(self.body.result(node)?))?;
        let loads = &before[before.len() - args.len()..];
        let first = self.place_of_access(loads[0], Op::MemoryLoad)?;
        for (l, (&load, &arg)) in (0..).zip(loads.iter().zip(args)) {
            let follows = self.place_of_access(load, Op::MemoryLoad) == Some((first.0, following(first.1, l)?));
            (follows && self.body.result(load).map(Value::from) == Some(arg)).then_some(())?;
        }
        let address = self.parts(first.0, b)[0];
        load(b, (address, first.1), scalar, n)
    }

    /// Stores lanes that are stored one after the other by these nodes; returns their number.
    pub(super) fn packed_store(&mut self, nodes: &[Node], b: &mut Builder<'_, '_>) -> Option<usize> {
        let n = self.lanes()?;
        let nodes = nodes.get(..2 * usize::from(n))?;
        let lanes = *self.body.args(nodes[0]).first()?;
        let (scalar, _) = lanes_of(&self.old.types, self.old.type_of(self.body, lanes), Some(n))?;
        // (Of stores that may trap, the first ones count.)
        let first = self.place_of_access(nodes[1], Op::MemoryStore).filter(|(_, arg)| arg.in_bounds)?;
        for (l, pair) in (0..).zip(nodes.chunks(2)) {
            let data = self.body.node(pair[0]);
            let takes =
                data.op == Op::ExtractVectorComponent && data.imm.as_index() == l && self.body.args(pair[0]) == [lanes];
            let follows = self.place_of_access(pair[1], Op::MemoryStore) == Some((first.0, following(first.1, l)?));
            let stores = follows && self.body.args(pair[1])[1].as_local() == self.body.result(pair[0]);
            (takes && stores).then_some(())?;
        }
        let (address, parts) = (self.parts(first.0, b)[0], self.parts(lanes, b));
        store(b, (address, first.1), scalar, &parts)?;
        // Something else may use the components.
        nodes.iter().step_by(2).for_each(|&extract| self.node(extract, b));
        Some(nodes.len())
    }

    /// Address and place of an access.
    fn place_of_access(&self, node: Node, op: Op) -> Option<(Value, MemArg)> {
        let data = self.body.node(node);
        (data.op == op).then(|| (self.body.args(node)[0], data.imm.as_mem_arg()))
    }
}

/// The access to the element so many places behind that of another one.
fn following(arg: MemArg, elements: u32) -> Option<MemArg> {
    Some(MemArg { offset: arg.offset.checked_add(elements * arg.width.bytes())?, ..arg })
}

fn wide_load(b: &mut Builder<'_, '_>, address: Value, arg: MemArg, bytes: u32) -> Option<Value> {
    let ty = b.module.types.intern(TypeKind::V128);
    let arg = MemArg { offset: arg.offset.checked_add(bytes)?, width: Width::B128, signed: false, ..arg };
    Some(b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty)))
}

fn load(b: &mut Builder<'_, '_>, (address, arg): (Value, MemArg), scalar: Scalar, n: u8) -> Option<Parts> {
    let bytes = arg.width.bytes() * u32::from(n);
    if arg.width.bytes() * 8 == scalar.bits() {
        // The last one first: if it is in bounds, so are the others.
        let parts: Option<Parts> = (0..bytes / WIDE).rev().map(|i| wide_load(b, address, arg, i * WIDE)).collect();
        return Some(parts?.into_iter().rev().collect());
    }
    // Eight elements at once.
    let (half, whole) = if arg.signed { (I16x8, I32x4) } else { (U16x8, U32x4) };
    let mut parts = Parts::new();
    for eight in 0..u32::from(n) / 8 {
        let at = eight * 8 * arg.width.bytes();
        let halves = match (arg.width, scalar) {
            (Width::B8, Scalar::I32 | Scalar::U32) => {
                let ty = b.module.types.scalar(Scalar::I64);
                let arg = MemArg { offset: arg.offset.checked_add(at)?, width: Width::B64, signed: false, ..arg };
                let bytes = b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty));
                let bytes = simd(b, Op::SimdSplat, I64x2, &[bytes]);
                simd(b, Op::SimdExtendLow, half, &[bytes])
            }
            (Width::B16, Scalar::I32 | Scalar::U32) => wide_load(b, address, arg, at)?,
            _ => return None,
        };
        parts.push(simd(b, Op::SimdExtendLow, whole, &[halves]));
        parts.push(simd(b, Op::SimdExtendHigh, whole, &[halves]));
    }
    Some(parts)
}

fn store(b: &mut Builder<'_, '_>, (address, arg): (Value, MemArg), scalar: Scalar, parts: &[Value]) -> Option<()> {
    let put = |b: &mut Builder<'_, '_>, value: Value, (width, at): (Width, u32)| {
        let arg = MemArg { offset: arg.offset.checked_add(at)?, width, signed: false, ..arg };
        b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(arg));
        Some(())
    };
    if arg.width.bytes() * 8 == scalar.bits() {
        // The last one first, as loads.
        return (0..parts.len() as u32)
            .zip(parts)
            .rev()
            .try_for_each(|(i, &part)| put(b, part, (Width::B128, i * WIDE)));
    }
    let mask = match (arg.width, scalar) {
        (Width::B8, Scalar::I32 | Scalar::U32) => 255.0,
        (Width::B16, Scalar::I32 | Scalar::U32) => 65_535.0,
        _ => return None,
    };
    let mask = number(b, Scalar::I32, mask);
    for (i, pair) in (0..).zip(parts.chunks(2)) {
        let low = [0, 1].map(|part| b.op(Op::SimdAnd, &[pair[part], mask]));
        let halves = simd(b, Op::SimdNarrow, U16x8, &low);
        match arg.width {
            Width::B16 => put(b, halves, (Width::B128, i * WIDE))?,
            _ => {
                let bytes = simd(b, Op::SimdNarrow, U8x16, &[halves, halves]);
                let bytes = b.op_imm(Op::SimdExtract, Imm::lane(I64x2, 0), &[bytes]);
                put(b, bytes, (Width::B64, i * WIDE / 2))?;
            }
        }
    }
    Some(())
}
