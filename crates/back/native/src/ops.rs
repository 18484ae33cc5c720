//! Operations on scalars.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::ops::{Class, Op};
use planish_machine::code::{Arg, ArgKind, Node, What};
use planish_machine::isa::{Kind, is_comparison};

use crate::Reason;
use crate::body::{Builder, type_of};

impl Builder<'_, '_> {
    pub(crate) fn operation(&mut self, node: &Node) {
        match node.op {
            Op::MemoryLoad => self.memory_load(node),
            Op::MemoryStore => self.memory_store(node),
            Op::MemorySize => self.memory_size(node),
            Op::MemoryCopy if self.env.object.is_none() => self.memory_copy(node),
            Op::MemoryFill if self.env.object.is_none() => self.memory_fill(node),
            Op::Load => self.variable_load(node),
            Op::Store => self.variable_store(node),
            _ => match self.value(node) {
                Some(value) => {
                    // (A truth value may be an `i32`.)
                    let value = self.as_type(value, type_of(self.code.values[node.outs as usize].kind));
                    self.set(node.outs, value);
                }
                None => self.through_runtime(node),
            },
        }
    }

    /// The result of an operation without effect; `None` if there are no instructions for it.
    fn value(&mut self, node: &Node) -> Option<Value> {
        if node.op.info().class == Class::Simd {
            return self.vector(node);
        }
        let kind = node.operand;
        let ty = type_of(kind);
        let args = self.code.args_of(node);
        Some(match node.op {
            Op::RefFunc if args.is_empty() => self.reference(Func::from_u32(node.imm.as_pair().0)),
            Op::RefFunc => self.arg(args[0], types::I64),
            Op::RefIsNull => {
                let x = self.arg(args[0], types::I64);
                self.b.ins().icmp_imm_s(IntCC::Equal, x, 0)
            }
            Op::TokenEqual | Op::TokenLess => {
                let (x, y) = (self.arg(args[0], types::I64), self.arg(args[1], types::I64));
                let cc = if node.op == Op::TokenEqual { IntCC::Equal } else { IntCC::UnsignedLessThan };
                self.b.ins().icmp(cc, x, y)
            }
            Op::Select => {
                let condition = self.arg(args[0], types::I8);
                let sees = !self.raw(node.outs) && !self.nodes.is_only_number(node.outs);
                let arms = [args[1], args[2]].map(|arg| match sees && self.is_raw_here(arg, ty) {
                    true => (self.number(arg, ty), true),
                    false => (self.chosen(arg, node.outs, ty), false),
                });
                let [(x, _), (y, _)] = arms;
                let chosen = match self.mask_of(args[0], ty) {
                    Some(mask) => self.blend(mask, x, y),
                    None => self.b.ins().select(condition, x, y),
                };
                self.canonical_choice(condition, chosen, arms)
            }
            Op::Bitcast => self.arg(args[0], type_of(node.result)),
            Op::Any | Op::All if kind == Kind::Bool => self.arg(args[0], types::I8),
            Op::ConstructScalarFromScalar => {
                let x = self.number(args[0], ty);
                self.converted(x, kind, node.result)
            }
            Op::TruncateTrapping => {
                let x = self.number(args[0], ty);
                self.truncated(x, kind, node.result)
            }
            op if is_comparison(op) && kind != Kind::V128 => {
                let (x, y) = (self.number(args[0], ty), self.number(args[1], ty));
                self.comparison(op, kind, x, y)
            }
            op if args.len() == 1 => {
                let moves_bits = matches!(op, Op::Negate | Op::Abs);
                let x = if moves_bits { self.chosen(args[0], node.outs, ty) } else { self.number(args[0], ty) };
                self.unary(op, kind, x)?
            }
            Op::DivideTrapping | Op::RemainderTrapping | Op::Divide | Op::Remainder if kind.is_integer() => {
                self.division(node)
            }
            Op::ShiftLeft | Op::ShiftRight | Op::RotateLeft | Op::RotateRight => {
                let x = self.arg(args[0], ty);
                // The amount may have another width.
                let of = self.code.kind_of(args[1]);
                let by = self.arg(args[1], if of == Kind::None { ty } else { type_of(of) });
                match node.op {
                    Op::ShiftLeft => self.b.ins().ishl(x, by),
                    Op::ShiftRight if is_signed(kind) => self.b.ins().sshr(x, by),
                    Op::ShiftRight => self.b.ins().ushr(x, by),
                    Op::RotateLeft => self.b.ins().rotl(x, by),
                    _ => self.b.ins().rotr(x, by),
                }
            }
            op if args.len() == 2 => {
                if let (Op::Subtract, true, Some(bits)) = (op, kind.is_integer(), self.known(args[1])) {
                    // Processors add to an address, and do not subtract.
                    let (x, y) = (self.arg(args[0], ty), self.constant(u128::from(bits.wrapping_neg()), ty));
                    return Some(self.b.ins().iadd(x, y));
                }
                let args = self.with_loads_last(op, args);
                // The sign of a NaN is seen.
                let read = if op == Op::CopySign { Self::arg } else { Self::number };
                let (x, y) = (read(self, args[0], ty), read(self, args[1], ty));
                self.binary(op, kind, x, y)?
            }
            Op::Clamp if kind.scalar().is_some() => {
                let [x, low, high] = [0, 1, 2].map(|i| self.number(args[i], ty));
                let x = self.binary(Op::Max, kind, x, low)?;
                self.binary(Op::Min, kind, x, high)?
            }
            Op::MultiplyAdd if kind.is_float() || kind.is_integer() => {
                let [x, y, z] = [0, 1, 2].map(|i| self.number(args[i], ty));
                let product = self.binary(Op::Multiply, kind, x, y)?;
                self.binary(Op::Add, kind, product, z)?
            }
            _ => return None,
        })
    }

    /// Operands of an op, exchanged if the first one is loaded and that does not matter: an instruction takes its last operand
    /// from memory.
    fn with_loads_last(&self, op: Op, args: &[Arg]) -> [Arg; 2] {
        let is_loaded = |arg: Arg| {
            let node = arg.as_value().map(|v| &self.code.nodes[self.code.values[v as usize].node as usize]);
            node.is_some_and(|node| node.what == What::Operation && node.op == Op::MemoryLoad)
        };
        let (x, y) = (args[0], args[1]);
        if matches!(op, Op::Add | Op::Multiply) && is_loaded(x) && !is_loaded(y) { [y, x] } else { [x, y] }
    }

    fn unary(&mut self, op: Op, kind: Kind, x: Value) -> Option<Value> {
        let ty = self.b.func.dfg.value_type(x);
        let rounds = self.env.rounds;
        let ins = self.b.ins();
        Some(match (op, kind.is_float()) {
            (Op::Negate, false) => ins.ineg(x),
            (Op::Negate, true) => ins.fneg(x),
            (Op::Abs, false) if is_signed(kind) => ins.iabs(x),
            (Op::Abs, false) => x,
            (Op::Abs, true) => ins.fabs(x),
            (Op::BitwiseNot, false) => ins.bnot(x),
            (Op::LogicalNot, _) => ins.bxor_imm_s(x, 1),
            (Op::Sqrt, true) => ins.sqrt(x),
            (Op::Floor, true) if rounds => ins.floor(x),
            (Op::Ceil, true) if rounds => ins.ceil(x),
            (Op::Trunc, true) if rounds => ins.trunc(x),
            (Op::Round | Op::RoundEven, true) if rounds => ins.nearest(x),
            (Op::IsNan, true) => ins.fcmp(FloatCC::Unordered, x, x),
            (Op::CountLeadingZeros, false) => ins.clz(x),
            (Op::CountTrailingZeros, false) => ins.ctz(x),
            (Op::BitCount, false) => ins.popcnt(x),
            (Op::BitReverse, false) => ins.bitrev(x),
            (Op::SignExtend8, false) => {
                let low = ins.ireduce(types::I8, x);
                self.b.ins().sextend(ty, low)
            }
            (Op::SignExtend16, false) => {
                let low = ins.ireduce(types::I16, x);
                self.b.ins().sextend(ty, low)
            }
            (Op::SignExtend32, false) if ty == types::I64 => {
                let low = ins.ireduce(types::I32, x);
                self.b.ins().sextend(ty, low)
            }
            (Op::SignExtend32, false) => x,
            _ => return None,
        })
    }

    fn binary(&mut self, op: Op, kind: Kind, x: Value, y: Value) -> Option<Value> {
        let ins = self.b.ins();
        Some(match (op, kind.is_float()) {
            (Op::Add, false) => ins.iadd(x, y),
            (Op::Subtract, false) => ins.isub(x, y),
            (Op::Multiply, false) => ins.imul(x, y),
            (Op::Add, true) => ins.fadd(x, y),
            (Op::Subtract, true) => ins.fsub(x, y),
            (Op::Multiply, true) => ins.fmul(x, y),
            (Op::Divide, true) => ins.fdiv(x, y),
            (Op::BitwiseAnd | Op::LogicalAnd, false) => ins.band(x, y),
            (Op::BitwiseOr | Op::LogicalOr, false) => ins.bor(x, y),
            (Op::BitwiseXor | Op::LogicalXor, false) => ins.bxor(x, y),
            (Op::Min, false) if is_signed(kind) => ins.smin(x, y),
            (Op::Min, false) => ins.umin(x, y),
            (Op::Max, false) if is_signed(kind) => ins.smax(x, y),
            (Op::Max, false) => ins.umax(x, y),
            // As `y < x ? y : x`, which is what a processor's minimum does with its operands exchanged.
            (Op::Min, true) => {
                let less = ins.fcmp(FloatCC::LessThan, y, x);
                self.b.ins().select(less, y, x)
            }
            (Op::Max, true) => {
                let less = ins.fcmp(FloatCC::LessThan, x, y);
                self.b.ins().select(less, y, x)
            }
            (Op::Minimum, true) => ins.fmin(x, y),
            (Op::Maximum, true) => ins.fmax(x, y),
            (Op::CopySign, true) => ins.fcopysign(x, y),
            _ => return None,
        })
    }

    fn comparison(&mut self, op: Op, kind: Kind, x: Value, y: Value) -> Value {
        if kind.is_float() {
            return self.b.ins().fcmp(float_cc(op), x, y);
        }
        let cc = match (op, is_signed(kind)) {
            (Op::Equal, _) => IntCC::Equal,
            (Op::NotEqual, _) => IntCC::NotEqual,
            (Op::LessThan, true) => IntCC::SignedLessThan,
            (Op::LessThan, false) => IntCC::UnsignedLessThan,
            (Op::LessThanEqual, true) => IntCC::SignedLessThanOrEqual,
            (Op::LessThanEqual, false) => IntCC::UnsignedLessThanOrEqual,
            (Op::GreaterThan, true) => IntCC::SignedGreaterThan,
            (Op::GreaterThan, false) => IntCC::UnsignedGreaterThan,
            (_, true) => IntCC::SignedGreaterThanOrEqual,
            (_, false) => IntCC::UnsignedGreaterThanOrEqual,
        };
        self.b.ins().icmp(cc, x, y)
    }

    /// The first lane of a mask, if a condition compares floats of the type that it selects, and the processor selects by masks: it would branch otherwise, and
    /// guess wrong where the data varies.
    fn mask_of(&mut self, condition: Arg, ty: Type) -> Option<Value> {
        let code = self.code;
        let node = &code.nodes[code.values[condition.as_value()? as usize].node as usize];
        let compares = node.what == What::Operation && is_comparison(node.op) && type_of(node.operand) == ty;
        if !self.env.blends || !ty.is_float() || !compares {
            return None;
        }
        let args = code.args_of(node);
        let [x, y] = [args[0], args[1]].map(|arg| {
            let value = self.number(arg, ty);
            self.b.ins().splat(vector_of(ty), value)
        });
        Some(self.b.ins().fcmp(float_cc(node.op), x, y))
    }

    /// `x` where a mask is set, `y` where it is not.
    fn blend(&mut self, mask: Value, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let [x, y] = [x, y].map(|value| self.b.ins().splat(vector_of(ty), value));
        let [mask, x, y] = [mask, x, y].map(|value| self.as_type(value, types::I32X4));
        let lanes = self.b.ins().blendv(mask, x, y);
        let lanes = self.as_type(lanes, vector_of(ty));
        self.b.ins().extractlane(lanes, 0)
    }

    /// Division of integers: one kind traps, the other gives the dividend for a divisor of 0.
    fn division(&mut self, node: &Node) -> Value {
        let kind = node.operand;
        let ty = type_of(kind);
        let args = self.code.args_of(node);
        let (x, y) = (self.arg(args[0], ty), self.arg(args[1], ty));
        let signed = is_signed(kind);
        let known = match args[1].kind() {
            ArgKind::Const(c) => Some(self.code.bits(c) as u64),
            _ => None,
        };
        let minus_one = u64::MAX >> (64 - ty.bits());
        // 1 takes the place of a divisor with which the instruction would trap.
        let (may_be_zero, may_overflow) = match known {
            Some(bits) => (bits == 0, signed && bits == minus_one),
            None => (true, signed),
        };
        let is_quotient = matches!(node.op, Op::Divide | Op::DivideTrapping);
        let traps = matches!(node.op, Op::DivideTrapping | Op::RemainderTrapping);
        let mut bad = None;
        if may_be_zero {
            let zero = self.b.ins().icmp_imm_s(IntCC::Equal, y, 0);
            if traps {
                self.stop_if(zero, Reason::Trap(TrapKind::DivisionByZero));
            } else {
                bad = Some(zero);
            }
        }
        if may_overflow {
            let one = self.b.ins().icmp_imm_s(IntCC::Equal, y, -1);
            let overflows = if is_quotient {
                let least = self.constant(1 << (ty.bits() - 1), ty);
                let least = self.b.ins().icmp(IntCC::Equal, x, least);
                self.b.ins().band(one, least)
            } else {
                // Every remainder by -1 is 0, as by 1.
                one
            };
            if traps && is_quotient {
                self.stop_if(overflows, Reason::Trap(TrapKind::IntegerOverflow));
            } else {
                bad = Some(bad.map_or(overflows, |bad| self.b.ins().bor(bad, overflows)));
            }
        }
        let y = match bad {
            Some(bad) => {
                let one = self.b.ins().iconst(ty, 1);
                self.b.ins().select(bad, one, y)
            }
            None => y,
        };
        match (is_quotient, signed) {
            (true, true) => self.b.ins().sdiv(x, y),
            (true, false) => self.b.ins().udiv(x, y),
            (false, true) => self.b.ins().srem(x, y),
            (false, false) => self.b.ins().urem(x, y),
        }
    }

    /// A conversion of numbers.
    fn converted(&mut self, x: Value, from: Kind, to: Kind) -> Value {
        let ty = type_of(to);
        match (from, to) {
            (Kind::Bool, Kind::F32 | Kind::F64) => {
                let word = self.b.ins().uextend(types::I32, x);
                self.b.ins().fcvt_from_uint(ty, word)
            }
            (_, Kind::Bool) if from.is_float() => {
                let zero = self.constant(0, type_of(from));
                self.b.ins().fcmp(FloatCC::NotEqual, x, zero)
            }
            (Kind::Bool, _) => self.as_type(x, ty),
            (_, Kind::Bool) => self.b.ins().icmp_imm_s(IntCC::NotEqual, x, 0),
            (Kind::F32, Kind::F64) => self.b.ins().fpromote(ty, x),
            (Kind::F64, Kind::F32) => self.b.ins().fdemote(ty, x),
            _ if from.is_float() && to.is_integer() => {
                if is_signed(to) {
                    self.b.ins().fcvt_to_sint_sat(ty, x)
                } else {
                    self.b.ins().fcvt_to_uint_sat(ty, x)
                }
            }
            _ if to.is_float() && from.is_integer() => {
                if is_signed(from) {
                    self.b.ins().fcvt_from_sint(ty, x)
                } else {
                    self.b.ins().fcvt_from_uint(ty, x)
                }
            }
            (Kind::I32, Kind::I64 | Kind::U64) => self.b.ins().sextend(ty, x),
            _ => self.as_type(x, ty),
        }
    }

    /// A float as an integer, if it fits.
    fn truncated(&mut self, x: Value, from: Kind, to: Kind) -> Value {
        let (low, high) = bounds(from, to);
        let nan = self.b.ins().fcmp(FloatCC::Unordered, x, x);
        self.stop_if(nan, Reason::Trap(TrapKind::InvalidConversion));
        let float: Type = type_of(from);
        let (low, high) = if float == types::F32 {
            (u64::from((low as f32).to_bits()), u64::from((high as f32).to_bits()))
        } else {
            (low.to_bits(), high.to_bits())
        };
        let (low, high) = (self.constant(low.into(), float), self.constant(high.into(), float));
        let below = self.b.ins().fcmp(FloatCC::LessThanOrEqual, x, low);
        let above = self.b.ins().fcmp(FloatCC::GreaterThanOrEqual, x, high);
        let beyond = self.b.ins().bor(below, above);
        self.stop_if(beyond, Reason::Trap(TrapKind::IntegerOverflow));
        self.converted(x, from, to)
    }
}

/// The greatest float whose whole part is too small for an integer type, and the least that is too large.
fn bounds(from: Kind, to: Kind) -> (f64, f64) {
    match (from, to) {
        (_, Kind::U32) => (-1.0, 4_294_967_296.0),
        (_, Kind::U64) => (-1.0, 18_446_744_073_709_551_616.0),
        (Kind::F32, Kind::I32) => (-2_147_483_904.0, 2_147_483_648.0),
        (_, Kind::I32) => (-2_147_483_649.0, 2_147_483_648.0),
        (Kind::F32, _) => (-9_223_373_136_366_403_584.0, 9_223_372_036_854_775_808.0),
        (_, _) => (-9_223_372_036_854_777_856.0, 9_223_372_036_854_775_808.0),
    }
}

fn is_signed(kind: Kind) -> bool {
    matches!(kind, Kind::I32 | Kind::I64)
}

/// The vector of 128 bits with lanes of a float type.
fn vector_of(ty: Type) -> Type {
    if ty == types::F32 { types::F32X4 } else { types::F64X2 }
}

/// The condition of a comparison of floats.
fn float_cc(op: Op) -> FloatCC {
    match op {
        Op::Equal => FloatCC::Equal,
        Op::NotEqual => FloatCC::NotEqual,
        Op::LessThan => FloatCC::LessThan,
        Op::LessThanEqual => FloatCC::LessThanOrEqual,
        Op::GreaterThan => FloatCC::GreaterThan,
        _ => FloatCC::GreaterThanOrEqual,
    }
}
