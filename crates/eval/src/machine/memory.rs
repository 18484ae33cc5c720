//! Variables: addresses of parts, loads, stores and atomics.
//!
//! Only running lanes store. Helper lanes store to their own variables, never to memory visible to others.

use planish_ir::entity::Type;
use planish_ir::function::Body;
use planish_ir::meaning::{Kernel, Shape, clamp_index, kernel, place};
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use super::{Machine, Place, blend, spread};
use crate::mask::Mask;
use crate::pointer::Pointer;
use crate::program::{Code, Inst, Operand};
use crate::stop::Stop;

/// A component beyond the end of every growable array: components of elements behind it have addresses, too.
const BEYOND: usize = 1 << 31;

impl<'m> Machine<'m> {
    /// The pointee of a node's first operand.
    fn pointee(&self, body: &Body, inst: &Inst) -> Option<Type> {
        let module = self.program().module;
        let pointer = module.type_of(body, *body.args(inst.node).first()?);
        module.types.pointee(pointer).map(|(ty, _)| ty)
    }

    /// The pointer of all running lanes, if they have the same.
    fn common_pointer(&self, operand: Operand) -> Option<Pointer> {
        let column = self.view().column(operand, 0);
        if let [one] = *column {
            return Some(Pointer(one));
        }
        let first = column[self.cx.active.first_lane()?];
        let same = if self.cx.full {
            column.iter().all(|&p| p == first)
        } else {
            self.cx.active.lanes().all(|lane| column[lane] == first)
        };
        same.then_some(Pointer(first))
    }

    /// A pointer to a part.
    pub(super) fn access(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let Some(pointee) = self.pointee(body, inst) else {
            return Err(Stop::unsupported("an access through no pointer", self.span()));
        };
        let types = &self.program().module.types;
        let args = code.args(inst);
        let n = self.n;
        let to_part: Box<dyn Fn(Pointer) -> Pointer> = match inst.op {
            Op::AccessStructField => {
                let start = place(types, pointee, inst.imm.as_index())
                    .map_or_else(|| runtime_member(types, pointee, inst.imm.as_index()), |(start, _)| start);
                Box::new(move |p| p.plus(start))
            }
            Op::AccessVectorComponent => {
                let index = inst.imm.as_index() as usize;
                Box::new(move |p| p.to_component(index))
            }
            Op::AccessVectorComponentMulti => {
                let lanes = inst.imm.as_lanes();
                Box::new(move |p| p.to_lanes(lanes))
            }
            _ => return self.access_dynamic(inst, args, pointee),
        };
        let view = self.view();
        let column: Vec<u64> = match *view.column(args[0], 0) {
            [one] => vec![to_part(Pointer(one)).0],
            ref column => column[..n].iter().map(|&p| to_part(Pointer(p)).0).collect(),
        };
        self.write(inst, 0, &column);
        Ok(())
    }

    fn access_dynamic(&mut self, inst: &Inst, args: &[Operand], pointee: Type) -> Result<(), Stop> {
        let types = &self.program().module.types;
        let (size, count) = match types[pointee] {
            TypeKind::Vector(_, n) => (0, Some(n.into())),
            TypeKind::Matrix { columns, rows, .. } => (rows as usize, Some(columns.into())),
            TypeKind::Array { element, len } => (types.components(element).unwrap_or(0), Some(len)),
            TypeKind::RuntimeArray { element } => (types.components(element).unwrap_or(0).max(1), None),
            _ => return Err(Stop::unsupported("an access to what has no elements", self.span())),
        };
        let view = self.view();
        let part = |pointer: Pointer, index: u64| {
            if self.is_growable(pointer) {
                // It may grow until the access.
                return pointer.plus((u64::from(index as u32) as usize).saturating_mul(size).min(BEYOND)).0;
            }
            let count = count.unwrap_or_else(|| {
                let whole = self.objects.get(pointer.object()).map_or(0, |o| o.size);
                u32::try_from(whole.saturating_sub(pointer.offset()) / size).unwrap_or(u32::MAX)
            });
            let index = clamp_index(index, count) as usize;
            if size == 0 { pointer.to_component(index).0 } else { pointer.plus(index * size).0 }
        };
        let (pointers, indices) = (view.column(args[0], 0), view.column(args[1], 0));
        let column: Vec<u64> = match (pointers, indices) {
            (&[p], &[i]) => vec![part(Pointer(p), i)],
            _ => {
                // Inactive lanes may contain arbitrary words.
                let mut column = vec![0; self.n];
                for lane in self.cx.active.lanes() {
                    column[lane] = part(Pointer(view.get(args[0], 0, lane)), view.get(args[1], 0, lane));
                }
                column
            }
        };
        self.write(inst, 0, &column);
        Ok(())
    }

    /// Component `c` at a pointer, in one lane; zero outside the object.
    pub(super) fn load_word(&self, pointer: Pointer, c: usize, lane: usize) -> u64 {
        let Some(&object) = self.objects.get(pointer.object()) else { return 0 };
        let at = pointer.component(c);
        let word = match object.place {
            Place::Lanes if at >= object.size => None,
            Place::Lanes => Some(self.lane_words[object.at + at * self.n + lane]),
            Place::Shared => self.shared[object.at].get(at).copied(),
            Place::Growable => self.growable[object.at + lane].get(at).copied(),
        };
        word.unwrap_or(0)
    }

    /// Stores component `c` at a pointer, in one lane; no effect outside the object.
    fn store_word(&mut self, pointer: Pointer, c: usize, lane: usize, bits: u64) {
        let Some(&object) = self.objects.get(pointer.object()) else { return };
        let at = pointer.component(c);
        let word = match object.place {
            Place::Lanes if at >= object.size => None,
            Place::Lanes => Some(&mut self.lane_words[object.at + at * self.n + lane]),
            Place::Shared if self.helpers.has(lane) => None,
            Place::Shared => self.shared[object.at].get_mut(at),
            Place::Growable => self.growable[object.at + lane].get_mut(at),
        };
        if let Some(word) = word {
            *word = bits;
        }
    }

    /// Loads a value.
    pub(super) fn load(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let operand = code.args(inst)[0];
        let n = self.n;
        let common = self.common_pointer(operand).filter(|pointer| !self.is_growable(*pointer));
        let Some(pointer) = common else {
            for lane in self.cx.active.lanes() {
                let pointer = Pointer(self.read(operand, 0, lane));
                for c in 0..inst.out.1 as usize {
                    let word = self.load_word(pointer, c, lane);
                    self.write_lane(inst, c, lane, word);
                }
            }
            return Ok(());
        };
        let Some(&object) = self.objects.get(pointer.object()) else {
            return Err(Stop::unsupported("a load through no pointer", self.span()));
        };
        let all = self.cx.full || !self.cx.sticky;
        for c in 0..inst.out.1 as usize {
            let at = pointer.component(c);
            let to = self.cx.regs + (inst.out.0 as usize + c) * n;
            let to = &mut self.regs[to..to + n];
            if at >= object.size {
                blend(to, &[0], &self.cx.active, all);
            } else if object.place == Place::Lanes {
                blend(to, &self.lane_words[object.at + at * n..][..n], &self.cx.active, all);
            } else {
                blend(to, &self.shared[object.at][at..at + 1], &self.cx.active, all);
            }
        }
        Ok(())
    }

    /// Stores the second operand to the first.
    fn store(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let &[pointer, value] = code.args(inst) else {
            return Err(Stop::unsupported("a store without a value", self.span()));
        };
        let n = self.n;
        if let Some(common) = self.common_pointer(pointer)
            && let Some(&object) = self.objects.get(common.object())
            && object.place == Place::Lanes
        {
            for c in 0..value.size() {
                let at = common.component(c);
                if at >= object.size {
                    continue;
                }
                let to = object.at + at * n;
                let from = super::View {
                    regs: &self.regs,
                    consts: &self.instances[self.at].program.consts,
                    vars: &self.vars[self.cx.vars..],
                    globals: &self.instances[self.at].globals,
                    base: self.cx.regs,
                    n,
                }
                .column(value, c);
                blend(&mut self.lane_words[to..to + n], from, &self.cx.active, self.cx.full);
            }
            return Ok(());
        }
        for lane in self.cx.active.lanes() {
            let to = Pointer(self.read(pointer, 0, lane));
            for c in 0..value.size() {
                let bits = self.read(value, c, lane);
                self.store_word(to, c, lane, bits);
            }
        }
        Ok(())
    }

    /// `++` and `--` on memory.
    pub(super) fn increment(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let scalar = self.pointee(body, inst).and_then(|ty| self.program().module.types.scalar_of(ty));
        let up = matches!(inst.op, Op::PrefixIncrement | Op::PostfixIncrement);
        let op = if up { Op::Add } else { Op::Subtract };
        let Some(Kernel::Binary(step)) = scalar.and_then(|s| kernel(op, s)) else {
            return Err(Stop::unsupported("an increment of a value that is not a number", self.span()));
        };
        let one = match scalar {
            Some(Scalar::F32) => 1f32.to_bits().into(),
            Some(Scalar::F64) => 1f64.to_bits(),
            _ => 1,
        };
        let prefix = matches!(inst.op, Op::PrefixIncrement | Op::PrefixDecrement);
        let operand = code.args(inst)[0];
        for lane in self.cx.active.lanes() {
            let pointer = Pointer(self.read(operand, 0, lane));
            for c in 0..inst.out.1 as usize {
                let old = self.load_word(pointer, c, lane);
                let new = (step.one)(old, one);
                self.store_word(pointer, c, lane, new);
                self.write_lane(inst, c, lane, if prefix { new } else { old });
            }
        }
        Ok(())
    }

    /// Length of a runtime-sized array.
    pub(super) fn array_length(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let types = &self.program().module.types;
        let Some(TypeKind::RuntimeArray { element }) = self.pointee(body, inst).map(|ty| &types[ty]) else {
            return Err(Stop::unsupported("the length of a value that is not a runtime-sized array", self.span()));
        };
        let size = types.components(*element).unwrap_or(0).max(1);
        let operand = code.args(inst)[0];
        for lane in self.cx.active.lanes() {
            let pointer = Pointer(self.read(operand, 0, lane));
            let whole = self.objects.get(pointer.object()).map_or(0, |o| o.size);
            let whole = self.growable_array(pointer, lane).map_or(whole, |array| array.len());
            let count = whole.saturating_sub(pointer.offset()) / size;
            self.write_lane(inst, 0, lane, count as u32 as u64);
        }
        Ok(())
    }

    /// Loads, stores and atomics.
    pub(super) fn memory(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        match inst.op {
            Op::Load | Op::AtomicCounterLoad => self.load(code, inst),
            Op::Store => self.store(code, inst),
            Op::Append => self.append(code, inst),
            _ => self.atomic(code, inst),
        }
    }

    fn append(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let &[pointer, value] = code.args(inst) else {
            return Err(Stop::unsupported("nothing that is added", self.span()));
        };
        for lane in self.cx.active.lanes() {
            let object = self.objects.get(Pointer(self.read(pointer, 0, lane)).object()).copied();
            let Some(object) = object.filter(|object| object.place == Place::Growable) else {
                return Err(Stop::unsupported("adding to an array that does not grow", self.span()));
            };
            if self.growable[object.at + lane].len() + value.size() > BEYOND {
                return Err(Stop::MemoryLimit);
            }
            for c in 0..value.size() {
                let word = self.read(value, c, lane);
                self.growable[object.at + lane].push(word);
            }
            self.grown += value.size();
        }
        self.check_memory(0)
    }

    /// Ends the growable arrays from a number on.
    pub(super) fn end_growable(&mut self, from: usize) {
        self.grown -= self.growable.drain(from..).map(|array| array.len()).sum::<usize>();
    }

    fn is_growable(&self, pointer: Pointer) -> bool {
        self.objects.get(pointer.object()).is_some_and(|object| object.place == Place::Growable)
    }

    /// The growable array of a lane that a pointer leads to.
    fn growable_array(&self, pointer: Pointer, lane: usize) -> Option<&[u64]> {
        let object = self.objects.get(pointer.object()).filter(|object| object.place == Place::Growable)?;
        Some(&self.growable[object.at + lane])
    }

    /// An atomic: the lanes execute it in order.
    fn atomic(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        let args = code.args(inst);
        let scalar = self.program().module.types.scalar_of(inst.ty).unwrap_or(Scalar::U32);
        for lane in self.cx.active.lanes() {
            let pointer = Pointer(self.read(args[0], 0, lane));
            let old = self.load_word(pointer, 0, lane);
            let value = |i: usize| self.read(args[i], 0, lane);
            let (new, result) = match inst.op {
                Op::AtomicCounterIncrement => (u64::from((old as u32).wrapping_add(1)), old),
                Op::AtomicCounterDecrement => {
                    let new = u64::from((old as u32).wrapping_sub(1));
                    (new, new)
                }
                Op::AtomicCompareExchange => (if old == value(1) { value(2) } else { old }, old),
                Op::AtomicExchange => (value(1), old),
                op => (combine(op, scalar, old, value(1)).ok_or_else(|| self.bad_atomic())?, old),
            };
            self.store_word(pointer, 0, lane, new);
            self.write_lane(inst, 0, lane, result);
        }
        Ok(())
    }

    pub(super) fn bad_atomic(&self) -> Stop {
        Stop::unsupported("an atomic on what it does not take", self.span())
    }

    /// The input, extrapolated by its derivatives.
    pub(super) fn interpolate_at_offset(&mut self, code: &Code, inst: &Inst) -> Result<(), Stop> {
        use super::quad::Axis;
        let &[operand, offset] = code.args(inst) else {
            return Err(Stop::unsupported("an interpolation without an offset", self.span()));
        };
        for c in 0..inst.out.1 as usize {
            let mut column = vec![0; self.n];
            let at = |lane| f32::from_bits(self.load_word(Pointer(self.read(operand, 0, lane)), c, lane) as u32);
            for lane in self.cx.active.lanes() {
                let slope = |axis| match self.neighbours(lane, axis, false) {
                    Some((low, high)) => at(high) - at(low),
                    None => 0.0,
                };
                let by = |i| f32::from_bits(self.read(offset, i, lane) as u32);
                let moved = at(lane) + by(0) * slope(Axis::X) + by(1) * slope(Axis::Y);
                column[lane] = moved.to_bits().into();
            }
            self.write(inst, c, &column);
        }
        Ok(())
    }

    /// Sets a whole shared or per-lane variable from its components.
    pub(crate) fn set_global(&mut self, var: planish_ir::entity::Var, bits: &[u64]) {
        let object = self.object(var);
        for (c, &word) in bits.iter().enumerate().take(object.size) {
            if object.place == Place::Lanes {
                spread(&mut self.lane_words[object.at + c * self.n..][..self.n], &[word]);
            } else {
                self.shared[object.at][c] = word;
            }
        }
    }

    /// Lanes whose fragments were not discarded, of the first `count`.
    pub(crate) fn survivors(&self, count: usize) -> Mask {
        Mask::first(count).without(&self.helpers)
    }
}

/// Component offset of a member after fixed ones, for structs that end with a runtime-sized array.
fn runtime_member(types: &planish_ir::types::Types, ty: Type, index: u32) -> usize {
    let Some(s) = types.as_struct(ty) else { return 0 };
    s.members.iter().take(index as usize).map(|m| crate::program::fixed_size(types, m.ty)).sum()
}

/// The stored result of an atomic; `None` if it does not support the type.
pub(super) fn combine(op: Op, scalar: Scalar, old: u64, value: u64) -> Option<u64> {
    let op = match op {
        Op::AtomicAdd | Op::ImageAtomicAdd => Op::Add,
        Op::AtomicMin | Op::ImageAtomicMin => Op::Min,
        Op::AtomicMax | Op::ImageAtomicMax => Op::Max,
        Op::AtomicAnd | Op::ImageAtomicAnd => Op::BitwiseAnd,
        Op::AtomicOr | Op::ImageAtomicOr => Op::BitwiseOr,
        Op::AtomicXor | Op::ImageAtomicXor => Op::BitwiseXor,
        _ => return None,
    };
    match kernel(op, scalar)? {
        Kernel::Binary(f) => Some((f.one)(old, value)),
        _ => None,
    }
}
