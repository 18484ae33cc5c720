//! Pointers: while the program is lowered they are places, and only addresses are left of them.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Const, Memory, Type, Value, Var};
use planish_ir::layout::{Rule, is_row_major};
use planish_ir::meaning;
use planish_ir::ops::{Imm, LaneShape, MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};
use smallvec::SmallVec;

use super::memory::{Home, Plan, scalar_constants, size_of};

/// The location of one scalar.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cell {
    Var(Var),
    Byte {
        memory: Memory,
        base: Option<Value>,
        offset: u32,
        scalar: Scalar,
    },
    /// 32 bits of 128 that are loaded together: `offset` is that of the whole.
    Lane {
        memory: Memory,
        base: Value,
        offset: u32,
        scalar: Scalar,
        lane: u8,
    },
    /// 128 bits.
    Wide {
        memory: Memory,
        base: Option<Value>,
        offset: u32,
    },
    /// 128 bits of numbers that lie `step` bytes apart: a column of a matrix by rows.
    Apart {
        memory: Memory,
        base: Option<Value>,
        offset: u32,
        scalar: Scalar,
        step: u32,
    },
}

/// The pointee of a pointer.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) ty: Type,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    /// These scalars.
    Cells(Vec<Cell>),
    /// A value in memory. `step` is from one component of a vector to the next, where that is not its size.
    /// `length` is the variable with the number of elements of an array without a size.
    Memory {
        memory: Memory,
        base: Option<Value>,
        offset: u32,
        rule: Rule,
        row_major: bool,
        step: Option<u32>,
        length: Option<Var>,
    },
}

impl What {
    /// Memory that lies as function-local variables do.
    fn in_frame(plan: &Plan, base: Option<Value>, offset: u32) -> What {
        let (memory, rule) = (plan.memory, Rule::Std430);
        What::Memory { memory, base, offset, rule, row_major: false, step: None, length: None }
    }
}

impl Place {
    /// A variable.
    pub(super) fn of(plan: &mut Plan, b: &mut Builder<'_, '_>, var: Var) -> Option<Place> {
        let ty = b.module.vars[var].ty;
        let what = match plan.home(b.module, var)? {
            Home::Parts(vars) => What::Cells(vars.iter().map(|&v| Cell::Var(v)).collect()),
            Home::Memory { memory, address, rule, row_major, length } => {
                What::Memory { memory, base: None, offset: address, rule, row_major, step: None, length }
            }
        };
        Some(Place { ty, what })
    }

    /// The pointee of an address that is a parameter.
    pub(super) fn behind(plan: &Plan, address: Value, ty: Type) -> Place {
        Place { ty, what: What::in_frame(plan, Some(address), 0) }
    }

    /// A place in memory that lies as function-local variables do.
    pub(super) fn at(plan: &Plan, offset: u32, ty: Type) -> Place {
        Place { ty, what: What::in_frame(plan, None, offset) }
    }

    /// The variable with the number of elements of the array without a size that this is.
    pub(super) fn length(&self) -> Option<Var> {
        match self.what {
            What::Memory { length, .. } => length,
            What::Cells(_) => None,
        }
    }

    /// The address, for a callee that takes the place to lie as variables do.
    pub(super) fn address(&self, plan: &Plan, b: &mut Builder<'_, '_>) -> Option<Value> {
        match self.what {
            What::Memory { memory, base, offset, rule: Rule::Std430, row_major: false, step: None, .. }
                if memory == plan.memory =>
            {
                let offset_value = b.i32(offset as i32);
                Some(match base {
                    None => offset_value,
                    Some(base) if offset == 0 => base,
                    Some(base) => b.op(Op::Add, &[base, offset_value]),
                })
            }
            _ => None,
        }
    }

    /// The place that an access op leads to.
    pub(super) fn access(
        &self,
        plan: &mut Plan,
        b: &mut Builder<'_, '_>,
        op: Op,
        imm: Imm,
        index: Option<Value>,
    ) -> Option<Place> {
        if op == Op::AccessVectorComponentMulti {
            let cells = self.cells(plan, b)?;
            let scalar = b.module.types.scalar_of(self.ty)?;
            let ty = b.module.types.vector(scalar, imm.as_lanes().len() as u8);
            let picked = imm.as_lanes().iter().map(|l| cells[l as usize]).collect();
            return Some(Place { ty, what: What::Cells(picked) });
        }
        let count = b.module.types.part_count(self.ty);
        let known = match index {
            None => Some(imm.as_index()),
            Some(value) => {
                let bits = value.as_const().and_then(|c| b.module.consts.as_bits(c));
                bits.map(|bits| count.map_or(bits as u32, |count| meaning::clamp_index(bits, count)))
            }
        };
        let ty = b.module.types.part(self.ty, known.unwrap_or(0))?;
        match &self.what {
            What::Cells(cells) => {
                let (start, size) = match plan.lanes {
                    None => meaning::place(&b.module.types, self.ty, known?)?,
                    // Lanes are fewer cells than components.
                    Some(_) => {
                        let mut count = |i: u32| {
                            let (part, mut cells) = (b.module.types.part(self.ty, i)?, Vec::new());
                            super::scalars(b.module, part, plan.lanes, &mut cells).then_some(cells.len())
                        };
                        (0..known?).map(&mut count).sum::<Option<usize>>().zip(count(known?))?
                    }
                };
                Some(Place { ty, what: What::Cells(cells.get(start..start + size)?.to_vec()) })
            }
            &What::Memory { memory, base, offset, rule, row_major, step, length } => {
                if let (TypeKind::Vector(scalar, 4), Some(base), Some(lane), None, Some(_)) =
                    (&b.module.types[self.ty], base, known, step, plan.lanes)
                    && scalar.bits() == 32
                    && *scalar != Scalar::Bool
                {
                    let cell = Cell::Lane { memory, base, offset, scalar: *scalar, lane: lane as u8 };
                    return Some(Place { ty, what: What::Cells(vec![cell]) });
                }
                let layout = plan.layout(&b.module.types, self.ty, rule, row_major)?;
                let mut next = (row_major, None);
                let stride = match b.module.types[self.ty].clone() {
                    TypeKind::Struct(s) => {
                        let member = layout.members.get(known? as usize)?;
                        let row_major = is_row_major(&s.members[known? as usize].decorations, row_major);
                        let offset = offset + member.offset;
                        let what = What::Memory { memory, base, offset, rule, row_major, step: None, length };
                        return Some(Place { ty, what });
                    }
                    TypeKind::Vector(scalar, _) => step.unwrap_or(size_of(scalar)),
                    TypeKind::Matrix { scalar, .. } if row_major => {
                        next = (false, Some(layout.stride));
                        size_of(scalar)
                    }
                    _ => layout.stride,
                };
                let is_sized = !matches!(b.module.types[self.ty], TypeKind::RuntimeArray { .. });
                if let Some(length) = length.filter(|_| !is_sized) {
                    let base = Some(scaled_within(b, base, index?, length, stride));
                    let what = What::Memory { memory, base, offset, rule, row_major, step: None, length: None };
                    return Some(Place { ty, what });
                }
                // An index of an array without a size may lead beyond all memory; it then wraps around as an unknown one does.
                let (base, offset) = match known.and_then(|index| offset.checked_add(index.checked_mul(stride)?)) {
                    Some(offset) => (base, offset),
                    None => (Some(scaled(b, base, index?, count, stride)), offset),
                };
                let (row_major, step) = next;
                Some(Place { ty, what: What::Memory { memory, base, offset, rule, row_major, step, length: None } })
            }
        }
    }

    /// The scalars of the place, in order. Recurses as deep as types are nested.
    pub(super) fn cells(&self, plan: &mut Plan, b: &mut Builder<'_, '_>) -> Option<Vec<Cell>> {
        match &self.what {
            What::Cells(cells) => Some(cells.clone()),
            &What::Memory { memory, base, offset, step, .. } => match b.module.types[self.ty] {
                TypeKind::Scalar(scalar) => Some(vec![Cell::Byte { memory, base, offset, scalar }]),
                TypeKind::Vector(scalar, n) if Some(n) == plan.lanes => {
                    let parts = super::lanes::parts_of(scalar, n) as u32;
                    let part = |i: u32| match step {
                        None => Cell::Wide { memory, base, offset: offset + 16 * i },
                        Some(step) => {
                            let before = i * super::lanes::width(scalar) as u32;
                            Cell::Apart { memory, base, offset: offset + before * step, scalar, step }
                        }
                    };
                    Some((0..parts).map(part).collect())
                }
                _ => {
                    let mut all = Vec::new();
                    for i in 0..b.module.types.part_count(self.ty)? {
                        let index = b.u32(i);
                        let is_array = matches!(b.module.types[self.ty], TypeKind::Struct(_));
                        let index = (!is_array).then_some(index);
                        let part = self.access(plan, b, Op::AccessStructField, Imm::index(i), index)?;
                        all.extend(part.cells(plan, b)?);
                    }
                    Some(all)
                }
            },
        }
    }
}

/// `base + min(index, count - 1) * stride`, the index as unsigned.
fn scaled(b: &mut Builder<'_, '_>, base: Option<Value>, index: Value, count: Option<u32>, stride: u32) -> Value {
    let index = unsigned(b, index);
    let index = match count {
        None => index,
        Some(count) if stride.is_power_of_two() && base.is_none() => {
            if let Some(offset) = scaled_lanes(b, index, count, stride) {
                return offset;
            }
            bounded(b, index, count)
        }
        Some(count) => bounded(b, index, count),
    };
    let stride = b.u32(stride);
    let offset = b.op(Op::Multiply, &[index, stride]);
    let offset = b.op_typed(Op::Bitcast, &[offset], Type::I32);
    base.map_or(offset, |base| b.op(Op::Add, &[base, offset]))
}

/// `base + min(index, max(length, 1) - 1) * stride`, the index as unsigned: beyond an empty array there is nothing.
fn scaled_within(b: &mut Builder<'_, '_>, base: Option<Value>, index: Value, length: Var, stride: u32) -> Value {
    let index = unsigned(b, index);
    let (one, length) = (b.u32(1), b.load(length.into()));
    let length = b.op(Op::Max, &[length, one]);
    let last = b.op(Op::Subtract, &[length, one]);
    let below = b.op(Op::LessThan, &[index, last]);
    let index = b.op(Op::Select, &[below, index, last]);
    scaled(b, base, index, None, stride)
}

fn bounded(b: &mut Builder<'_, '_>, index: Value, count: u32) -> Value {
    let last = b.u32(count.saturating_sub(1));
    let below = b.op(Op::LessThan, &[index, last]);
    b.op(Op::Select, &[below, index, last])
}

/// The same where the index is a lane of a 128-bit value: computed on all lanes, and taken out after.
fn scaled_lanes(b: &mut Builder<'_, '_>, index: Value, count: u32, stride: u32) -> Option<Value> {
    let mut lane = index;
    let (lanes, imm) = loop {
        match b.definition(lane)? {
            (Op::Bitcast, _, &[inner]) => lane = inner,
            (Op::SimdExtract, imm, &[lanes]) if imm.as_shape() == LaneShape::I32x4 => break (lanes, imm),
            _ => return None,
        }
    };
    let last = super::lanes::number(b, Scalar::U32, f64::from(count.saturating_sub(1)));
    let bounded = super::lanes::simd(b, Op::SimdMin, LaneShape::U32x4, &[lanes, last]);
    let amount = b.i32(stride.trailing_zeros() as i32);
    let offsets = super::lanes::simd(b, Op::SimdShiftLeft, LaneShape::I32x4, &[bounded, amount]);
    Some(b.op_imm(Op::SimdExtract, imm, &[offsets]))
}

/// An index as `u32`, or in every lane; a wider one that does not fit is the greatest.
pub(crate) fn unsigned(b: &mut Builder<'_, '_>, index: Value) -> Value {
    let ty = b.type_of(index);
    let narrow = b.module.types.with_scalar(ty, Scalar::U32);
    match b.module.types.scalar_of(ty) {
        Some(Scalar::U32) => index,
        Some(Scalar::I32) => b.op_typed(Op::Bitcast, &[index], narrow),
        _ => {
            let wide_type = b.module.types.with_scalar(ty, Scalar::U64);
            let wide = b.convert(index, wide_type);
            let most = b.module.consts.splat(&mut b.module.types, wide_type, u64::from(u32::MAX));
            let most: Value = most.expect("a scalar or vector").into();
            let fits = b.op(Op::LessThan, &[wide, most]);
            let small = b.op(Op::Select, &[fits, wide, most]);
            b.convert(small, narrow)
        }
    }
}

fn argument(memory: Memory, offset: u32, scalar: Scalar) -> MemArg {
    let width = if scalar.bits() == 64 { Width::B64 } else { Width::B32 };
    MemArg { memory, offset, width, signed: false, in_bounds: false }
}

fn wide_argument(memory: Memory, offset: u32) -> MemArg {
    MemArg { memory, offset, width: Width::B128, signed: false, in_bounds: false }
}

/// Reads a scalar.
/// Recursion: one level, as the parts of a cell are scalars.
pub(super) fn load(b: &mut Builder<'_, '_>, cell: Cell) -> Value {
    match cell {
        Cell::Var(var) => b.load(var.into()),
        Cell::Byte { memory, base, offset, scalar } => {
            let address = base.unwrap_or_else(|| b.i32(0));
            let ty = if scalar == Scalar::Bool { Type::U32 } else { b.module.types.scalar(scalar) };
            let arg = argument(memory, offset, scalar);
            let value = b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(ty));
            if scalar == Scalar::Bool { b.convert(value, Type::BOOL) } else { value }
        }
        Cell::Lane { memory, base, offset, scalar, lane } => {
            let ty = b.module.types.intern(TypeKind::V128);
            let all = b.make(Request::new(Op::MemoryLoad, &[base]).imm(wide_argument(memory, offset)).ty(ty));
            let shape = super::lanes::shape(scalar);
            let value = b.op_imm(Op::SimdExtract, Imm::lane(shape, lane), &[all]);
            if scalar == Scalar::U32 { b.op_typed(Op::Bitcast, &[value], Type::U32) } else { value }
        }
        Cell::Wide { memory, base, offset } => {
            let address = base.unwrap_or_else(|| b.i32(0));
            let ty = b.module.types.intern(TypeKind::V128);
            b.make(Request::new(Op::MemoryLoad, &[address]).imm(wide_argument(memory, offset)).ty(ty))
        }
        Cell::Apart { memory, base, offset, scalar, step } => {
            let shape = super::lanes::shape(scalar);
            let first = load(b, Cell::Byte { memory, base, offset, scalar });
            let mut all = super::lanes::simd(b, Op::SimdSplat, shape, &[first]);
            for lane in 1..super::lanes::width(scalar) as u8 {
                let offset = offset + u32::from(lane) * step;
                let value = load(b, Cell::Byte { memory, base, offset, scalar });
                all = b.op_imm(Op::SimdInsert, Imm::lane(shape, lane), &[all, value]);
            }
            all
        }
    }
}

/// Writes a scalar.
/// Recursion: one level, as the parts of a cell are scalars.
pub(super) fn store(b: &mut Builder<'_, '_>, cell: Cell, value: Value) {
    match cell {
        Cell::Var(var) => b.store(var.into(), value),
        Cell::Lane { memory, base, offset, scalar, lane } => {
            let arg = argument(memory, offset + 4 * u32::from(lane), scalar);
            b.make_all(Request::new(Op::MemoryStore, &[base, value]).imm(arg));
        }
        Cell::Byte { memory, base, offset, scalar } => {
            let address = base.unwrap_or_else(|| b.i32(0));
            let value = if scalar == Scalar::Bool { b.convert(value, Type::U32) } else { value };
            b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(argument(memory, offset, scalar)));
        }
        Cell::Wide { memory, base, offset } => {
            let address = base.unwrap_or_else(|| b.i32(0));
            b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(wide_argument(memory, offset)));
        }
        Cell::Apart { memory, base, offset, scalar, step } => {
            for lane in 0..super::lanes::width(scalar) as u8 {
                let one = b.op_imm(Op::SimdExtract, Imm::lane(super::lanes::shape(scalar), lane), &[value]);
                store(b, Cell::Byte { memory, base, offset: offset + u32::from(lane) * step, scalar }, one);
            }
        }
    }
}

/// The scalars of a constant, in order.
pub(super) fn constants(b: &mut Builder<'_, '_>, constant: Const, lanes: Option<u8>) -> SmallVec<[Value; 4]> {
    scalar_constants(b.module, constant, lanes).into_iter().map(Value::from).collect()
}
