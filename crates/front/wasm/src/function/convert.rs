//! Conversions between numbers.

use planish_ir::entity::Type;
use planish_ir::ops::Op;
use wasmparser::Operator;

use super::Translator;

impl Translator<'_, '_> {
    pub(super) fn conversion(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let values = self.env.values;
        let (i64, u64, f64) = (values.i64[0], values.u64, values.f64[0]);
        match op {
            I32WrapI64 => self.convert(Type::I32),
            I64ExtendI32S => self.convert(i64),
            I64ExtendI32U => self.extend_unsigned(),
            I32TruncF32S | I32TruncF64S => self.truncate(Type::I32),
            I64TruncF32S | I64TruncF64S => self.truncate(i64),
            I32TruncF32U | I32TruncF64U => self.convert_to_unsigned(Op::TruncateTrapping, Type::U32, Type::I32),
            I64TruncF32U | I64TruncF64U => self.convert_to_unsigned(Op::TruncateTrapping, u64, i64),
            I32TruncSatF32S | I32TruncSatF64S => self.convert(Type::I32),
            I64TruncSatF32S | I64TruncSatF64S => self.convert(i64),
            I32TruncSatF32U | I32TruncSatF64U => {
                self.convert_to_unsigned(Op::ConstructScalarFromScalar, Type::U32, Type::I32);
            }
            I64TruncSatF32U | I64TruncSatF64U => self.convert_to_unsigned(Op::ConstructScalarFromScalar, u64, i64),
            F32ConvertI32S | F32ConvertI64S | F32DemoteF64 => self.convert(Type::F32),
            F64ConvertI32S | F64ConvertI64S | F64PromoteF32 => self.convert(f64),
            F32ConvertI32U => self.convert_unsigned(Type::U32, Type::F32),
            F32ConvertI64U => self.convert_unsigned(u64, Type::F32),
            F64ConvertI32U => self.convert_unsigned(Type::U32, f64),
            F64ConvertI64U => self.convert_unsigned(u64, f64),
            I32ReinterpretF32 => self.reinterpret(Type::I32),
            I64ReinterpretF64 => self.reinterpret(i64),
            F32ReinterpretI32 => self.reinterpret(Type::F32),
            F64ReinterpretI64 => self.reinterpret(f64),
            _ => return false,
        }
        true
    }

    fn convert(&mut self, to: Type) {
        let x = self.pop();
        let value = self.op(Op::ConstructScalarFromScalar, &[x], to);
        self.push(value);
    }

    fn truncate(&mut self, to: Type) {
        let x = self.pop();
        let value = self.op(Op::TruncateTrapping, &[x], to);
        self.push(value);
    }

    /// `i64.extend_i32_u`; a truth value becomes 0 or 1 at once.
    fn extend_unsigned(&mut self) {
        let operand = self.pop_operand();
        let x = if operand.is_bool { operand.value } else { self.bitcast(operand.value, Type::U32) };
        let value = self.op(Op::ConstructScalarFromScalar, &[x], self.env.values.i64[0]);
        self.push(value);
    }

    fn convert_to_unsigned(&mut self, op: Op, unsigned: Type, to: Type) {
        let x = self.pop();
        let value = self.op(op, &[x], unsigned);
        let value = self.bitcast(value, to);
        self.push(value);
    }

    fn convert_unsigned(&mut self, unsigned: Type, to: Type) {
        let x = self.pop();
        let x = self.bitcast(x, unsigned);
        let value = self.op(Op::ConstructScalarFromScalar, &[x], to);
        self.push(value);
    }

    fn reinterpret(&mut self, to: Type) {
        let x = self.pop();
        let value = self.bitcast(x, to);
        self.push(value);
    }
}
