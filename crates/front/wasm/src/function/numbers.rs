//! Arithmetic on integers and floats. Integers are signed; unsigned operations see their bits as `u32` or `u64`.

use planish_ir::entity::Type;
use planish_ir::ops::Op;
use wasmparser::Operator;

use super::{Operand, Translator};

impl Translator<'_, '_> {
    pub(super) fn number(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let u64 = self.env.values.u64;
        match op {
            I32Add | I64Add | F32Add | F64Add => self.binary(Op::Add),
            I32Sub | I64Sub | F32Sub | F64Sub => self.binary(Op::Subtract),
            I32Mul | I64Mul | F32Mul | F64Mul => self.binary(Op::Multiply),
            I32DivS | I64DivS => self.binary(Op::DivideTrapping),
            I32RemS | I64RemS => self.binary(Op::RemainderTrapping),
            I32DivU => self.unsigned_binary(Op::DivideTrapping, Type::U32),
            I64DivU => self.unsigned_binary(Op::DivideTrapping, u64),
            I32RemU => self.unsigned_binary(Op::RemainderTrapping, Type::U32),
            I64RemU => self.unsigned_binary(Op::RemainderTrapping, u64),
            I32And => self.bitwise(Op::BitwiseAnd, Op::LogicalAnd),
            I32Or => self.bitwise(Op::BitwiseOr, Op::LogicalOr),
            I32Xor => self.bitwise(Op::BitwiseXor, Op::LogicalXor),
            I64And => self.binary(Op::BitwiseAnd),
            I64Or => self.binary(Op::BitwiseOr),
            I64Xor => self.binary(Op::BitwiseXor),
            I32Shl | I64Shl => self.binary(Op::ShiftLeft),
            I32ShrS | I64ShrS => self.binary(Op::ShiftRight),
            I32ShrU => self.unsigned_shift(Type::U32),
            I64ShrU => self.unsigned_shift(u64),
            I32Rotl | I64Rotl => self.binary(Op::RotateLeft),
            I32Rotr | I64Rotr => self.binary(Op::RotateRight),
            I32Clz | I64Clz => self.unary(Op::CountLeadingZeros),
            I32Ctz | I64Ctz => self.unary(Op::CountTrailingZeros),
            I32Popcnt | I64Popcnt => self.unary(Op::BitCount),
            I32Extend8S | I64Extend8S => self.unary(Op::SignExtend8),
            I32Extend16S | I64Extend16S => self.unary(Op::SignExtend16),
            I64Extend32S => self.unary(Op::SignExtend32),
            F32Abs | F64Abs => self.unary(Op::Abs),
            F32Neg | F64Neg => self.unary(Op::Negate),
            F32Ceil | F64Ceil => self.unary(Op::Ceil),
            F32Floor | F64Floor => self.unary(Op::Floor),
            F32Trunc | F64Trunc => self.unary(Op::Trunc),
            F32Nearest | F64Nearest => self.unary(Op::RoundEven),
            F32Sqrt | F64Sqrt => self.unary(Op::Sqrt),
            F32Div | F64Div => self.binary(Op::Divide),
            F32Min | F64Min => self.binary(Op::Minimum),
            F32Max | F64Max => self.binary(Op::Maximum),
            F32Copysign | F64Copysign => self.binary(Op::CopySign),
            _ => return false,
        }
        true
    }

    /// An op on the bits of both operands as unsigned numbers, whose result is unsigned, too.
    fn unsigned_binary(&mut self, op: Op, unsigned: Type) {
        let (x, y) = self.pop2();
        let ty = self.b.type_of(x);
        let (x, y) = (self.bitcast(x, unsigned), self.bitcast(y, unsigned));
        let value = self.op(op, &[x, y], unsigned);
        let value = self.bitcast(value, ty);
        self.push(value);
    }

    fn unsigned_shift(&mut self, unsigned: Type) {
        let (x, amount) = self.pop2();
        let ty = self.b.type_of(x);
        let x = self.bitcast(x, unsigned);
        let value = self.op(Op::ShiftRight, &[x, amount], unsigned);
        let value = self.bitcast(value, ty);
        self.push(value);
    }

    /// An op on bits, or on two `bool`s the logical one.
    fn bitwise(&mut self, op: Op, logical: Op) {
        let (second, first) = (self.pop_operand(), self.pop_operand());
        if first.is_bool && second.is_bool {
            let value = self.op(logical, &[first.value, second.value], Type::BOOL);
            self.push_bool(value);
            return;
        }
        let [x, y] = [first, second].map(|operand: Operand| self.plain(operand));
        let value = self.op(op, &[x, y], Type::I32);
        self.push(value);
    }
}
