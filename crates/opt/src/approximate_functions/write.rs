//! The bodies of the functions, and what all of them use.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Func, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::angles::Angle;
use super::{Key, Reach};
use crate::legalize::{float, integer};

/// 1.5 · 2^23: a number of at most 2^22 added to it is rounded to an integer, in the low bits.
const MAGIC: f64 = 12_582_912.0;
pub(super) const SIGN: u64 = 1 << 31;

/// Writes the body of the function that computes an op on lanes of `f32`; `known` are the bits of a second operand that is no parameter.
pub(super) fn function(module: &mut Module, func: Func, Key { op, is_both, known, reach }: Key) {
    if let Op::Sin | Op::Cos | Op::Tan = op {
        return angle(module, func, if is_both { Angle::SinCos } else { Angle::One(op) }, reach);
    }
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let count = builder.module.funcs[func].params.len();
    let mut args: Vec<Value> = (0..count).map(|i| builder.param(i)).collect();
    let single = builder.type_of(args[0]);
    args.extend(known.map(|bits| float(&mut builder, single, f32::from_bits(bits).into())));
    let word = builder.module.types.with_scalar(single, Scalar::U32);
    let mut writer = Writer { b: &mut builder, single, word };
    let result = match op {
        Op::Exp2 => writer.exp2(args[0]),
        Op::Exp => writer.exp(args[0]),
        Op::Log2 => writer.log2(args[0]),
        Op::Log => writer.log(args[0]),
        Op::Pow => writer.pow(args[0], args[1]),
        Op::Atan2 => writer.atan2(args[0], args[1]),
        Op::Atan => {
            let one = writer.number(1.0);
            writer.atan2(args[0], one)
        }
        Op::Tanh => writer.tanh(args[0]),
        Op::InverseSqrt => writer.inverse_sqrt(args[0]),
        Op::Asin => writer.asin(args[0]),
        _ => writer.acos(args[0]),
    };
    builder.ret(&[result]);
    builder.finish();
}

/// Writes the body of a function of angles, and a function for large ones if there may be any.
fn angle(module: &mut Module, func: Func, angle: Angle, reach: Reach) {
    let far = (reach == Reach::All).then(|| {
        let function = &module.funcs[func];
        let (ty, count) = (function.params[0].ty, function.results.len());
        // It stays a function: its code would take registers where no angle is large.
        let far = super::declare(module, &format!("{}_far", function.name.text), ty, [1, count]);
        module.funcs[far].decorations.add(Decoration::Leaf);
        with_writer(module, far, |writer, x| writer.far_angle(angle, x));
        far
    });
    with_writer(module, func, |writer, x| writer.angle(angle, x, (reach, far)));
}

/// Writes a function of one parameter.
fn with_writer(module: &mut Module, func: Func, write: impl FnOnce(&mut Writer<'_, '_, '_>, Value) -> Results) {
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let x = builder.param(0);
    let single = builder.type_of(x);
    let word = builder.module.types.with_scalar(single, Scalar::U32);
    let results = write(&mut Writer { b: &mut builder, single, word }, x);
    builder.ret(&results);
    builder.finish();
}

/// Writes operations on lanes of `f32`.
pub(super) struct Writer<'w, 'm, 'r> {
    pub(super) b: &'w mut Builder<'m, 'r>,
    pub(super) single: Type,
    /// Lanes of `u32`.
    pub(super) word: Type,
}

impl Writer<'_, '_, '_> {
    pub(super) fn number(&mut self, value: f64) -> Value {
        float(self.b, self.single, value)
    }

    pub(super) fn integer(&mut self, value: u64) -> Value {
        integer(self.b, self.word, value)
    }

    pub(super) fn two(&mut self, op: Op, x: Value, y: Value) -> Value {
        self.b.op(op, &[x, y])
    }

    pub(super) fn add(&mut self, x: Value, y: Value) -> Value {
        self.two(Op::Add, x, y)
    }

    pub(super) fn subtract(&mut self, x: Value, y: Value) -> Value {
        self.two(Op::Subtract, x, y)
    }

    pub(super) fn multiply(&mut self, x: Value, y: Value) -> Value {
        self.two(Op::Multiply, x, y)
    }

    /// `x · factor`
    pub(super) fn scale(&mut self, x: Value, factor: f64) -> Value {
        let factor = self.number(factor);
        self.multiply(x, factor)
    }

    pub(super) fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.b.op(Op::Select, &[condition, then, otherwise])
    }

    /// One of two constants.
    pub(super) fn choose(&mut self, condition: Value, then: f64, otherwise: f64) -> Value {
        let (then, otherwise) = (self.number(then), self.number(otherwise));
        self.select(condition, then, otherwise)
    }

    pub(super) fn bits_of(&mut self, x: Value) -> Value {
        self.b.op_typed(Op::Bitcast, &[x], self.word)
    }

    pub(super) fn float_of(&mut self, x: Value) -> Value {
        self.b.make(Request::new(Op::Bitcast, &[x]).ty(self.single))
    }

    /// `op(bits, constant)`
    pub(super) fn word_op(&mut self, op: Op, bits: Value, constant: u64) -> Value {
        let constant = self.integer(constant);
        self.two(op, bits, constant)
    }

    /// A number without the low half of its significand: the product of two such is exact.
    pub(super) fn upper_part(&mut self, x: Value) -> Value {
        let bits = self.bits_of(x);
        let bits = self.word_op(Op::BitwiseAnd, bits, 0xffff_f000);
        self.float_of(bits)
    }

    /// `c0 + x (c1 + x (c2 + …))`
    pub(super) fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let mut sum = self.number(coefficients[coefficients.len() - 1]);
        for &coefficient in coefficients.iter().rev().skip(1) {
            let product = self.multiply(sum, x);
            let coefficient = self.number(coefficient);
            sum = self.add(product, coefficient);
        }
        sum
    }

    /// `x + x·u·P(u)`
    pub(super) fn odd(&mut self, x: Value, u: Value, coefficients: &[f64]) -> Value {
        let series = self.polynomial(u, coefficients);
        let cube = self.multiply(u, x);
        let rest = self.multiply(series, cube);
        self.add(rest, x)
    }

    /// The nearest integer as a number, and in the low bits of a word. `x` is at most 2^22.
    pub(super) fn nearest(&mut self, x: Value) -> (Value, Value) {
        let magic = self.number(MAGIC);
        let shifted = self.add(x, magic);
        let bits = self.bits_of(shifted);
        (self.subtract(shifted, magic), bits)
    }

    pub(super) fn is_set(&mut self, word: Value, bit: u32) -> Value {
        let set = self.word_op(Op::BitwiseAnd, word, 1 << bit);
        let zero = self.integer(0);
        self.two(Op::NotEqual, set, zero)
    }

    /// The sign bit of a number.
    pub(super) fn sign_of(&mut self, x: Value) -> Value {
        let bits = self.bits_of(x);
        self.word_op(Op::BitwiseAnd, bits, SIGN)
    }

    /// A number with its sign changed where the highest bit of a word is set; its other bits are 0.
    pub(super) fn flip(&mut self, x: Value, sign: Value) -> Value {
        let bits = self.bits_of(x);
        let bits = self.two(Op::BitwiseXor, bits, sign);
        self.float_of(bits)
    }

    /// The magnitude of a number with the sign bit of a word.
    pub(super) fn with_sign(&mut self, x: Value, sign: Value) -> Value {
        let size = self.b.op(Op::Abs, &[x]);
        let bits = self.bits_of(size);
        let bits = self.two(Op::BitwiseOr, bits, sign);
        self.float_of(bits)
    }

    fn inverse_sqrt(&mut self, x: Value) -> Value {
        let one = self.number(1.0);
        let root = self.b.op(Op::Sqrt, &[x]);
        self.two(Op::Divide, one, root)
    }
}
