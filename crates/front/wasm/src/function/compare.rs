//! Comparisons. Their result stays a `bool` until something needs an `i32`.

use planish_ir::entity::Type;
use planish_ir::ops::Op;
use wasmparser::Operator;

use super::Translator;

impl Translator<'_, '_> {
    pub(super) fn comparison(&mut self, op: &Operator<'_>) -> bool {
        use Operator::*;
        let u64 = self.env.values.u64;
        match op {
            I32Eqz => self.is_zero(),
            I64Eqz => {
                let zero = self.b.module.consts.bits(self.env.values.i64[0], 0);
                self.push(zero.into());
                self.compare(Op::Equal);
            }
            I32Eq | I64Eq | F32Eq | F64Eq => self.compare(Op::Equal),
            I32Ne | I64Ne | F32Ne | F64Ne => self.compare(Op::NotEqual),
            I32LtS | I64LtS | F32Lt | F64Lt => self.compare(Op::LessThan),
            I32GtS | I64GtS | F32Gt | F64Gt => self.compare(Op::GreaterThan),
            I32LeS | I64LeS | F32Le | F64Le => self.compare(Op::LessThanEqual),
            I32GeS | I64GeS | F32Ge | F64Ge => self.compare(Op::GreaterThanEqual),
            I32LtU => self.compare_unsigned(Op::LessThan, Type::U32),
            I32GtU => self.compare_unsigned(Op::GreaterThan, Type::U32),
            I32LeU => self.compare_unsigned(Op::LessThanEqual, Type::U32),
            I32GeU => self.compare_unsigned(Op::GreaterThanEqual, Type::U32),
            I64LtU => self.compare_unsigned(Op::LessThan, u64),
            I64GtU => self.compare_unsigned(Op::GreaterThan, u64),
            I64LeU => self.compare_unsigned(Op::LessThanEqual, u64),
            I64GeU => self.compare_unsigned(Op::GreaterThanEqual, u64),
            _ => return false,
        }
        true
    }

    /// `i32.eqz`; of a truth value its opposite.
    fn is_zero(&mut self) {
        let operand = self.pop_operand();
        let value = if operand.is_bool {
            self.op(Op::LogicalNot, &[operand.value], Type::BOOL)
        } else {
            let zero = self.b.i32(0);
            self.op(Op::Equal, &[operand.value, zero], Type::BOOL)
        };
        self.push_bool(value);
    }

    fn compare(&mut self, op: Op) {
        let (x, y) = self.pop2();
        let value = self.op(op, &[x, y], Type::BOOL);
        self.push_bool(value);
    }

    fn compare_unsigned(&mut self, op: Op, unsigned: Type) {
        let (x, y) = self.pop2();
        let (x, y) = (self.bitcast(x, unsigned), self.bitcast(y, unsigned));
        let value = self.op(op, &[x, y], Type::BOOL);
        self.push_bool(value);
    }
}
