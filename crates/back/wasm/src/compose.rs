//! Ops that are short sequences of instructions in WebAssembly. They read their operands more than once, so each is in
//! a local variable or a constant.

use planish_ir::entity::{Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use wasm_encoder::Instruction as I;

use crate::function::Emitter;
use crate::ops::arithmetic;

/// Whether the node is made of several instructions that read its operands again. `false` for the rest, also for ops
/// that the target lacks.
pub(crate) fn is_composed(module: &Module, body: &Body, node: Node) -> bool {
    let Some(&first) = body.args(node).first() else { return false };
    let TypeKind::Scalar(scalar) = module.types[module.type_of(body, first)] else { return false };
    match body.node(node).op {
        Op::Min | Op::Max | Op::Clamp | Op::Pow => true,
        Op::Abs => matches!(scalar, Scalar::I32 | Scalar::I64),
        Op::Divide | Op::Remainder => scalar.is_integer() && safe_division(module, body, node, scalar).is_none(),
        _ => false,
    }
}

/// The instruction of an integer division that cannot trap, since its divisor is a constant other than 0 (and -1).
pub(crate) fn safe_division(module: &Module, body: &Body, node: Node, scalar: Scalar) -> Option<I<'static>> {
    let op = body.node(node).op;
    if !scalar.is_integer() || !matches!(op, Op::Divide | Op::Remainder) {
        return None;
    }
    let divisor = body.args(node)[1].as_const()?;
    match module.consts.as_integer(&module.types, divisor)? {
        0 => None,
        -1 if op == Op::Divide => None,
        _ => arithmetic(if op == Op::Divide { Op::DivideTrapping } else { Op::RemainderTrapping }, scalar),
    }
}

impl Emitter<'_> {
    /// Emits a composed node.
    pub(crate) fn compose(&mut self, node: Node, scalar: Scalar) {
        let args: Vec<Value> = self.body.args(node).to_vec();
        match (self.body.node(node).op, &args[..]) {
            (op @ (Op::Min | Op::Max), &[x, y]) => self.bound(op, x, y, scalar),
            (Op::Clamp, &[x, low, high]) => {
                self.bound(Op::Max, x, low, scalar);
                let ty = crate::types::val_type(&self.module.types, self.module.type_of(self.body, x));
                let above = self.code.slot(ty.expect("scalars have types"));
                self.code.set(above);
                // min(above, high) is `high < above ? high : above`.
                self.value(high);
                self.code.get(above);
                self.value(high);
                self.code.get(above);
                self.plain(Op::LessThan, scalar);
                self.code.push(I::Select);
            }
            (Op::Abs, &[x]) => {
                self.zero(scalar);
                self.value(x);
                self.plain(Op::Subtract, scalar);
                self.value(x);
                self.value(x);
                self.zero(scalar);
                self.plain(Op::LessThan, scalar);
                self.code.push(I::Select);
            }
            (Op::Pow, &[x, y]) => self.power(x, y, scalar),
            (op, &[x, y]) => self.total_division(op, x, y, scalar),
            _ => unreachable!("`is_composed` names what is here"),
        }
    }

    fn zero(&mut self, scalar: Scalar) {
        self.integer(0, scalar);
    }

    pub(crate) fn integer(&mut self, value: i64, scalar: Scalar) {
        self.code.push(if scalar.bits() == 64 { I::I64Const(value) } else { I::I32Const(value as i32) });
    }

    pub(crate) fn plain(&mut self, op: Op, scalar: Scalar) {
        self.code.push(arithmetic(op, scalar).expect("every number has it"));
    }

    /// `min(x, y)` is `y < x ? y : x`, `max(x, y)` is `x < y ? y : x`.
    fn bound(&mut self, op: Op, x: Value, y: Value, scalar: Scalar) {
        self.value(y);
        self.value(x);
        let (a, b) = if op == Op::Min { (y, x) } else { (x, y) };
        self.value(a);
        self.value(b);
        self.plain(Op::LessThan, scalar);
        self.code.push(I::Select);
    }

    /// Division that does not trap: by 1 where it would. `x / 1` is `x` and `x % 1` is 0, as `docs/numerics.md` asks.
    fn total_division(&mut self, op: Op, x: Value, y: Value, scalar: Scalar) {
        let is_zero = if scalar.bits() == 64 { I::I64Eqz } else { I::I32Eqz };
        self.value(x);
        self.integer(1, scalar);
        self.value(y);
        self.value(y);
        self.code.push(is_zero);
        if scalar.is_signed() && op == Op::Divide {
            self.value(x);
            self.integer(if scalar.bits() == 64 { i64::MIN } else { i32::MIN.into() }, scalar);
            self.plain(Op::Equal, scalar);
            self.value(y);
            self.integer(-1, scalar);
            self.plain(Op::Equal, scalar);
            self.code.push(I::I32And);
            self.code.push(I::I32Or);
        }
        self.code.push(I::Select);
        self.plain(if op == Op::Divide { Op::DivideTrapping } else { Op::RemainderTrapping }, scalar);
    }

    /// `pow` of the host is IEEE's: NaN for a negative x and the absolute value of x otherwise are added here.
    fn power(&mut self, x: Value, y: Value, scalar: Scalar) {
        let promote = scalar == Scalar::F32;
        self.code.push(if promote { I::F32Const(f32::NAN.into()) } else { I::F64Const(f64::NAN.into()) });
        self.value(x);
        self.plain(Op::Abs, scalar);
        if promote {
            self.code.push(I::F64PromoteF32);
        }
        self.value(y);
        if promote {
            self.code.push(I::F64PromoteF32);
        }
        self.code.push(I::Call(self.indices.math("pow").expect("it was imported")));
        if promote {
            self.code.push(I::F32DemoteF64);
        }
        self.value(x);
        self.code.push(if promote { I::F32Const(0f32.into()) } else { I::F64Const(0f64.into()) });
        self.plain(Op::LessThan, scalar);
        self.code.push(I::Select);
    }
}
