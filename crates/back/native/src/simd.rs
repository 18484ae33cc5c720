//! Operations on 128-bit vectors. A vector is sixteen bytes; an operation reads it as the lanes that it works on.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use planish_ir::meaning::{NAN_F32, NAN_F64};
use planish_ir::ops::{LaneShape, Op};
use planish_machine::code::{ArgKind, Node};

use crate::body::{Builder, bitcast_flags, type_of};
use crate::masks::is_mask;

/// The type of the lanes of a shape.
fn lanes_of(shape: LaneShape) -> Type {
    match shape {
        LaneShape::I8x16 | LaneShape::U8x16 => types::I8X16,
        LaneShape::I16x8 | LaneShape::U16x8 => types::I16X8,
        LaneShape::I32x4 | LaneShape::U32x4 => types::I32X4,
        LaneShape::I64x2 | LaneShape::U64x2 => types::I64X2,
        LaneShape::F32x4 => types::F32X4,
        LaneShape::F64x2 => types::F64X2,
    }
}

/// Lanes of half the width, and twice as many.
fn half(ty: Type) -> Type {
    match ty {
        types::I16X8 => types::I8X16,
        types::I32X4 => types::I16X8,
        _ => types::I32X4,
    }
}

/// Lanes of twice the width, and half as many.
fn double(ty: Type) -> Type {
    match ty {
        types::I8X16 => types::I16X8,
        types::I16X8 => types::I32X4,
        _ => types::I64X2,
    }
}

impl Builder<'_, '_> {
    /// Operand `i`, as lanes.
    fn lanes(&mut self, node: &Node, i: usize, ty: Type) -> Value {
        let value = self.arg(self.code.args_of(node)[i], types::I8X16);
        self.as_type(value, ty)
    }

    /// An operation on vectors; `None` if there are no instructions for it.
    pub(crate) fn vector(&mut self, node: &Node) -> Option<Value> {
        let shape = node.imm.as_shape();
        let (ty, signed, float) = (lanes_of(shape), shape.is_signed(), shape.is_float());
        let args = self.code.args_of(node);
        let value = match node.op {
            Op::SimdSplat => {
                let x = self.scalar(node, 0, ty);
                self.b.ins().splat(ty, x)
            }
            Op::SimdLow => {
                let of = type_of(node.operand);
                let x = self.arg(args[0], of);
                self.b.ins().scalar_to_vector(of.by(128 / of.bits())?, x)
            }
            Op::SimdExtract => {
                let x = self.lanes(node, 0, ty);
                let lane = self.b.ins().extractlane(x, node.imm.as_lane());
                let to = type_of(node.result);
                return Some(match () {
                    () if ty.lane_type().bits() == to.bits() => lane,
                    () if signed => self.b.ins().sextend(to, lane),
                    () => self.b.ins().uextend(to, lane),
                });
            }
            Op::SimdInsert => {
                let (x, lane) = (self.lanes(node, 0, ty), self.scalar(node, 1, ty));
                self.b.ins().insertlane(x, lane, node.imm.as_lane())
            }
            Op::SimdShuffle => {
                let ArgKind::Const(which) = args[2].kind() else { return None };
                let which = self.code.bits(which).to_le_bytes().map(|byte| byte % 32);
                let (x, y) = (self.lanes(node, 0, types::I8X16), self.lanes(node, 1, types::I8X16));
                let mask = self.b.func.dfg.immediates.push(which.as_slice().into());
                self.b.ins().shuffle(x, y, mask)
            }
            Op::SimdAnyTrue | Op::SimdAllTrue | Op::SimdBitmask => {
                let of = if node.op == Op::SimdAnyTrue { types::I8X16 } else { ty };
                let x = self.lanes(node, 0, of);
                let bit = match node.op {
                    Op::SimdAnyTrue => self.b.ins().vany_true(x),
                    Op::SimdAllTrue => self.b.ins().vall_true(x),
                    _ => return Some(self.b.ins().vhigh_bits(types::I32, x)),
                };
                return Some(self.b.ins().uextend(types::I32, bit));
            }
            Op::SimdSelect if is_mask(self.code, &self.masks, args[2]) => {
                let [x, y, which] = [0, 1, 2].map(|i| self.lanes(node, i, types::I32X4));
                self.b.ins().blendv(which, x, y)
            }
            Op::SimdSelect => {
                let [x, y, which] = [0, 1, 2].map(|i| self.lanes(node, i, types::I8X16));
                self.b.ins().bitselect(which, x, y)
            }
            Op::SimdShiftLeft | Op::SimdShiftRight => {
                let x = self.lanes(node, 0, ty);
                let by = self.arg(args[1], types::I32);
                match (node.op, signed) {
                    (Op::SimdShiftLeft, _) => self.b.ins().ishl(x, by),
                    (_, true) => self.b.ins().sshr(x, by),
                    (_, false) => self.b.ins().ushr(x, by),
                }
            }
            op if args.len() == 1 => self.vector_unary(node, op, ty, signed, float)?,
            op => self.vector_binary(node, op, ty, signed, float)?,
        };
        Some(self.as_type(value, types::I8X16))
    }

    /// A scalar operand as a lane.
    fn scalar(&mut self, node: &Node, i: usize, ty: Type) -> Value {
        let lane = ty.lane_type();
        let wide = if lane.bits() < 32 { types::I32 } else { lane };
        let value = self.arg(self.code.args_of(node)[i], wide);
        if lane == wide { value } else { self.b.ins().ireduce(lane, value) }
    }

    fn vector_unary(&mut self, node: &Node, op: Op, ty: Type, signed: bool, float: bool) -> Option<Value> {
        // The type that the operand is read as.
        let of = match op {
            Op::SimdNot | Op::SimdBitCount => types::I8X16,
            Op::SimdExtendLow | Op::SimdExtendHigh | Op::SimdAddPairs => half(ty),
            Op::SimdTruncate | Op::SimdPromote => types::F32X4,
            Op::SimdTruncateLow | Op::SimdDemote => types::F64X2,
            _ => ty,
        };
        let x = self.lanes(node, 0, of);
        let rounds = self.env.rounds;
        let ins = self.b.ins();
        let value = match op {
            Op::SimdNot => ins.bnot(x),
            Op::SimdBitCount => ins.popcnt(x),
            Op::SimdAbs if float => ins.fabs(x),
            Op::SimdAbs => ins.iabs(x),
            Op::SimdNegate if float => ins.fneg(x),
            Op::SimdNegate => ins.ineg(x),
            Op::SimdExtendLow if signed => ins.swiden_low(x),
            Op::SimdExtendLow => ins.uwiden_low(x),
            Op::SimdExtendHigh if signed => ins.swiden_high(x),
            Op::SimdExtendHigh => ins.uwiden_high(x),
            Op::SimdAddPairs => {
                let [low, high] = self.widened(x, signed);
                self.b.ins().iadd_pairwise(low, high)
            }
            Op::SimdConvert if signed => ins.fcvt_from_sint(types::F32X4, x),
            Op::SimdConvert => ins.fcvt_from_uint(types::F32X4, x),
            Op::SimdConvertLow if signed => {
                let wide = ins.swiden_low(x);
                self.b.ins().fcvt_from_sint(types::F64X2, wide)
            }
            Op::SimdConvertLow => {
                let wide = ins.uwiden_low(x);
                self.b.ins().fcvt_from_uint(types::F64X2, wide)
            }
            Op::SimdTruncate if self.env.module.facts.open_conversions && self.env.isa.name() == "x64" => {
                return Some(self.truncated_lanes(x, signed));
            }
            Op::SimdTruncate if signed => ins.fcvt_to_sint_sat(types::I32X4, x),
            Op::SimdTruncate => ins.fcvt_to_uint_sat(types::I32X4, x),
            Op::SimdTruncateLow => {
                let wide =
                    if signed { ins.fcvt_to_sint_sat(types::I64X2, x) } else { ins.fcvt_to_uint_sat(types::I64X2, x) };
                let zero = self.constant(0, types::I64X2);
                if signed { self.b.ins().snarrow(wide, zero) } else { self.b.ins().uunarrow(wide, zero) }
            }
            Op::SimdDemote => {
                let value = ins.fvdemote(x);
                return Some(self.canonical_lanes(node, value));
            }
            Op::SimdPromote => {
                let value = ins.fvpromote_low(x);
                return Some(self.canonical_lanes(node, value));
            }
            Op::SimdSqrt => ins.sqrt(x),
            Op::SimdCeil if rounds => ins.ceil(x),
            Op::SimdFloor if rounds => ins.floor(x),
            Op::SimdTrunc if rounds => ins.trunc(x),
            Op::SimdRoundEven if rounds => ins.nearest(x),
            _ => return None,
        };
        match op {
            Op::SimdAbs | Op::SimdNegate | Op::SimdConvert | Op::SimdConvertLow => Some(value),
            _ if float => Some(self.canonical_lanes(node, value)),
            _ => Some(value),
        }
    }

    /// Floats as integers, by the processor's conversion: of what is out of range, anything.
    fn truncated_lanes(&mut self, x: Value, signed: bool) -> Value {
        let small = self.b.ins().x86_cvtt2dq(types::I32X4, x);
        if signed {
            return small;
        }
        // From 2^31 on the conversion is the least integer, which has the sign.
        let half = self.constant(0x4f00_0000_4f00_0000_4f00_0000_4f00_0000, types::F32X4);
        let above = self.b.ins().fsub(x, half);
        let above = self.b.ins().x86_cvtt2dq(types::I32X4, above);
        let by = self.b.ins().iconst(types::I32, 31);
        let is_large = self.b.ins().sshr(small, by);
        let above = self.b.ins().band(above, is_large);
        self.b.ins().bor(small, above)
    }

    /// Both halves of a vector, as lanes of twice the width.
    fn widened(&mut self, x: Value, signed: bool) -> [Value; 2] {
        if signed {
            [self.b.ins().swiden_low(x), self.b.ins().swiden_high(x)]
        } else {
            [self.b.ins().uwiden_low(x), self.b.ins().uwiden_high(x)]
        }
    }

    fn vector_binary(&mut self, node: &Node, op: Op, ty: Type, signed: bool, float: bool) -> Option<Value> {
        let of = match op {
            Op::SimdSwizzle | Op::SimdAnd | Op::SimdAndNot | Op::SimdOr | Op::SimdXor => types::I8X16,
            Op::SimdNarrow => double(ty),
            Op::SimdMultiplyLow | Op::SimdMultiplyHigh => half(ty),
            Op::SimdDot | Op::SimdMultiplyQ15 => types::I16X8,
            _ => ty,
        };
        let (x, y) = (self.lanes(node, 0, of), self.lanes(node, 1, of));
        if let Some(value) = self.vector_comparison(op, signed, float, x, y) {
            return Some(value);
        }
        let ins = self.b.ins();
        let value = match op {
            Op::SimdSwizzle => ins.swizzle(x, y),
            Op::SimdAnd => ins.band(x, y),
            Op::SimdAndNot => ins.band_not(x, y),
            Op::SimdOr => ins.bor(x, y),
            Op::SimdXor => ins.bxor(x, y),
            Op::SimdAdd if float => ins.fadd(x, y),
            Op::SimdSubtract if float => ins.fsub(x, y),
            Op::SimdMultiply if float => ins.fmul(x, y),
            Op::SimdDivide => ins.fdiv(x, y),
            Op::SimdMin if float => ins.fmin(x, y),
            Op::SimdMax if float => ins.fmax(x, y),
            Op::SimdPseudoMin | Op::SimdPseudoMax => {
                let (a, b) = if op == Op::SimdPseudoMin { (y, x) } else { (x, y) };
                let less = ins.fcmp(FloatCC::LessThan, a, b);
                // (In this form Cranelift finds the minimum and maximum of x86-64.)
                let which = self.as_type(less, ty);
                return Some(self.b.ins().bitselect(which, y, x));
            }
            Op::SimdAdd => ins.iadd(x, y),
            Op::SimdSubtract => ins.isub(x, y),
            Op::SimdMultiply => ins.imul(x, y),
            Op::SimdAddSaturate if signed => ins.sadd_sat(x, y),
            Op::SimdAddSaturate => ins.uadd_sat(x, y),
            Op::SimdSubtractSaturate if signed => ins.ssub_sat(x, y),
            Op::SimdSubtractSaturate => ins.usub_sat(x, y),
            Op::SimdMin if signed => ins.smin(x, y),
            Op::SimdMin => ins.umin(x, y),
            Op::SimdMax if signed => ins.smax(x, y),
            Op::SimdMax => ins.umax(x, y),
            Op::SimdAverage => ins.avg_round(x, y),
            Op::SimdNarrow if signed => ins.snarrow(x, y),
            Op::SimdNarrow => ins.unarrow(x, y),
            Op::SimdMultiplyLow | Op::SimdMultiplyHigh => {
                let high = usize::from(op == Op::SimdMultiplyHigh);
                let (x, y) = (self.widened(x, signed)[high], self.widened(y, signed)[high]);
                self.b.ins().imul(x, y)
            }
            Op::SimdDot => {
                let (x, y) = (self.widened(x, true), self.widened(y, true));
                let (low, high) = (self.b.ins().imul(x[0], y[0]), self.b.ins().imul(x[1], y[1]));
                self.b.ins().iadd_pairwise(low, high)
            }
            Op::SimdMultiplyQ15 => ins.sqmul_round_sat(x, y),
            _ => return None,
        };
        Some(if float && of == ty && of != types::I8X16 { self.canonical_lanes(node, value) } else { value })
    }

    fn vector_comparison(&mut self, op: Op, signed: bool, float: bool, x: Value, y: Value) -> Option<Value> {
        let (int, of_float) = match (op, signed) {
            (Op::SimdEqual, _) => (IntCC::Equal, FloatCC::Equal),
            (Op::SimdNotEqual, _) => (IntCC::NotEqual, FloatCC::NotEqual),
            (Op::SimdLessThan, true) => (IntCC::SignedLessThan, FloatCC::LessThan),
            (Op::SimdLessThan, false) => (IntCC::UnsignedLessThan, FloatCC::LessThan),
            (Op::SimdLessThanEqual, true) => (IntCC::SignedLessThanOrEqual, FloatCC::LessThanOrEqual),
            (Op::SimdLessThanEqual, false) => (IntCC::UnsignedLessThanOrEqual, FloatCC::LessThanOrEqual),
            (Op::SimdGreaterThan, true) => (IntCC::SignedGreaterThan, FloatCC::GreaterThan),
            (Op::SimdGreaterThan, false) => (IntCC::UnsignedGreaterThan, FloatCC::GreaterThan),
            (Op::SimdGreaterThanEqual, true) => (IntCC::SignedGreaterThanOrEqual, FloatCC::GreaterThanOrEqual),
            (Op::SimdGreaterThanEqual, false) => (IntCC::UnsignedGreaterThanOrEqual, FloatCC::GreaterThanOrEqual),
            _ => return None,
        };
        Some(if float { self.b.ins().fcmp(of_float, x, y) } else { self.b.ins().icmp(int, x, y) })
    }

    /// Lanes of floats with one NaN, if their bits may be seen.
    fn canonical_lanes(&mut self, node: &Node, value: Value) -> Value {
        if self.env.module.facts.any_nan || self.nodes.is_only_number(node.outs) {
            return value;
        }
        let ty = self.b.func.dfg.value_type(value);
        let nan = if ty == types::F32X4 {
            let pair = u64::from(NAN_F32) << 32 | u64::from(NAN_F32);
            u128::from(pair) << 64 | u128::from(pair)
        } else {
            u128::from(NAN_F64) << 64 | u128::from(NAN_F64)
        };
        let nan = self.constant(nan, ty);
        let is_nan = self.b.ins().fcmp(FloatCC::Unordered, value, value);
        let which = self.b.ins().bitcast(ty, bitcast_flags(), is_nan);
        self.b.ins().bitselect(which, nan, value)
    }
}
