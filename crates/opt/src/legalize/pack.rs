//! Packing of floats into words, and back, on components that are scalars, or vectors with a value for each lane: the definitions in
//! `docs/numerics.md`.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

use super::algebra::Parts;
use super::{Legalizer, float, integer};

/// The components of the result of an op on operands given by components; `None` if it packs nothing, or lanes of 64 bits. With a
/// legalizer, of operations that the target has; `None`, too, if it lacks one.
pub(crate) fn lower(
    b: &mut Builder<'_, '_>,
    legalizer: Option<&mut Legalizer<'_>>,
    op: Op,
    parts: &[Parts],
) -> Option<Parts> {
    let [x] = parts else { return None };
    let mut writer = Writer { like: b.type_of(*x.first()?), b, legalizer, is_lacking: false };
    let result = writer.result(op, x)?;
    (!writer.is_lacking).then_some(result)
}

/// Writes operations on values of one shape.
struct Writer<'w, 'm, 'r, 'l, 't> {
    b: &'w mut Builder<'m, 'r>,
    legalizer: Option<&'l mut Legalizer<'t>>,
    /// A type of the shape.
    like: Type,
    /// The target lacks an operation.
    is_lacking: bool,
}

impl Writer<'_, '_, '_, '_, '_> {
    fn result(&mut self, op: Op, x: &Parts) -> Option<Parts> {
        let is_scalar = matches!(self.b.module.types[self.like], TypeKind::Scalar(_));
        let (width, unpack) = match op {
            Op::PackDouble2x32 if is_scalar => return Some(self.double_of_words(x)),
            Op::UnpackDouble2x32 if is_scalar => return Some(self.words_of_double(x[0])),
            Op::PackSnorm2x16 | Op::PackUnorm2x16 | Op::PackHalf2x16 => (16, false),
            Op::PackSnorm4x8 | Op::PackUnorm4x8 => (8, false),
            Op::UnpackSnorm2x16 | Op::UnpackUnorm2x16 | Op::UnpackHalf2x16 => (16, true),
            Op::UnpackSnorm4x8 | Op::UnpackUnorm4x8 => (8, true),
            _ => return None,
        };
        let is_signed = matches!(op, Op::PackSnorm2x16 | Op::PackSnorm4x8 | Op::UnpackSnorm2x16 | Op::UnpackSnorm4x8);
        let is_half = matches!(op, Op::PackHalf2x16 | Op::UnpackHalf2x16);
        let scale = f64::from((1u32 << (width - u32::from(is_signed))) - 1);
        if unpack {
            return Some((0..32 / width).map(|i| self.field(x[0], (width, i), (is_signed, is_half), scale)).collect());
        }
        let mut word: Option<Value> = None;
        for (i, &component) in x.iter().enumerate() {
            let bits = if is_half { self.half(component) } else { self.fraction(component, is_signed, scale) };
            let mask = self.word(u32::MAX >> (32 - width));
            let bits = self.op(Op::BitwiseAnd, &[bits, mask]);
            let bits = self.shift(Op::ShiftLeft, bits, width * i as u32);
            word = Some(match word {
                Some(word) => self.op(Op::BitwiseOr, &[word, bits]),
                None => bits,
            });
        }
        word.map(|word| std::iter::once(word).collect())
    }

    /// The two words of a double, the lower one first.
    fn words_of_double(&mut self, x: Value) -> Parts {
        let whole = self.b.module.types.scalar(Scalar::U64);
        let bits = self.typed(Op::Bitcast, &[x], whole);
        let top = self.shift(Op::ShiftRight, bits, 32);
        [bits, top].into_iter().map(|word| self.typed(Op::ConstructScalarFromScalar, &[word], Type::U32)).collect()
    }

    fn double_of_words(&mut self, words: &Parts) -> Parts {
        let [whole, double] = [Scalar::U64, Scalar::F64].map(|scalar| self.b.module.types.scalar(scalar));
        let [low, high] = [0, 1].map(|i| self.typed(Op::ConstructScalarFromScalar, &[words[i]], whole));
        let high = self.shift(Op::ShiftLeft, high, 32);
        let bits = self.op(Op::BitwiseOr, &[low, high]);
        std::iter::once(self.typed(Op::Bitcast, &[bits], double)).collect()
    }

    fn request(&mut self, request: Request<'_>) -> Value {
        let Some(legalizer) = &mut self.legalizer else { return self.b.make(request) };
        match legalizer.legalize(self.b, request) {
            Some(results) => results[0],
            None => {
                self.is_lacking = true;
                self.word(0)
            }
        }
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.request(Request::new(op, args))
    }

    fn typed(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.request(Request::new(op, args).ty(ty))
    }

    fn ty(&mut self, scalar: Scalar) -> Type {
        self.b.module.types.with_scalar(self.like, scalar)
    }

    fn word(&mut self, bits: u32) -> Value {
        let ty = self.ty(Scalar::U32);
        integer(self.b, ty, bits.into())
    }

    fn number(&mut self, value: f64) -> Value {
        let ty = self.ty(Scalar::F32);
        float(self.b, ty, value)
    }

    fn convert(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = self.ty(scalar);
        match self.b.module.types[ty] {
            TypeKind::Scalar(_) => self.typed(Op::ConstructScalarFromScalar, &[value], ty),
            _ => self.b.convert(value, ty),
        }
    }

    fn bits(&mut self, value: Value, scalar: Scalar) -> Value {
        let ty = self.ty(scalar);
        self.typed(Op::Bitcast, &[value], ty)
    }

    fn shift(&mut self, op: Op, value: Value, by: u32) -> Value {
        if by == 0 {
            return value;
        }
        let ty = self.b.type_of(value);
        let by = integer(self.b, ty, by.into());
        self.op(op, &[value, by])
    }

    /// A float as a fraction of `scale`.
    fn fraction(&mut self, x: Value, is_signed: bool, scale: f64) -> Value {
        let (low, high, scale) =
            (self.number(if is_signed { -1.0 } else { 0.0 }), self.number(1.0), self.number(scale));
        let x = self.op(Op::Clamp, &[x, low, high]);
        let x = self.op(Op::Multiply, &[x, scale]);
        let x = self.op(Op::RoundEven, &[x]);
        let whole = self.convert(x, if is_signed { Scalar::I32 } else { Scalar::U32 });
        if is_signed { self.bits(whole, Scalar::U32) } else { whole }
    }

    /// The field of a word that begins at bit `width * i`, as a float.
    fn field(&mut self, word: Value, (width, i): (u32, u32), (is_signed, is_half): (bool, bool), scale: f64) -> Value {
        // To the top, and down again with its sign.
        let top = self.shift(Op::ShiftLeft, word, 32 - width - width * i);
        if is_half {
            return self.float_of_half(top);
        }
        let top = if is_signed { self.bits(top, Scalar::I32) } else { top };
        let field = self.shift(Op::ShiftRight, top, 32 - width);
        let x = self.convert(field, Scalar::F32);
        let scale = self.number(scale);
        let x = self.op(Op::Divide, &[x, scale]);
        if !is_signed {
            return x;
        }
        let (low, high) = (self.number(-1.0), self.number(1.0));
        self.op(Op::Clamp, &[x, low, high])
    }

    fn select(&mut self, condition: Value, then: Value, otherwise: Value) -> Value {
        self.op(Op::Select, &[condition, then, otherwise])
    }

    /// The bits of the nearest binary16.
    fn half(&mut self, x: Value) -> Value {
        let bits = self.bits(x, Scalar::U32);
        let (sign, size) = (self.word(0x8000), self.word(0x7fff_ffff));
        let top = self.shift(Op::ShiftRight, bits, 16);
        let sign = self.op(Op::BitwiseAnd, &[top, sign]);
        let magnitude = self.op(Op::BitwiseAnd, &[bits, size]);
        // A normal number: another bias, and the bits that are cut off rounded to even.
        let (bias, below, one) = (self.word(112 << 23), self.word(0xfff), self.word(1));
        let rebiased = self.op(Op::Subtract, &[magnitude, bias]);
        let last = self.shift(Op::ShiftRight, rebiased, 13);
        let last = self.op(Op::BitwiseAnd, &[last, one]);
        let rounded = self.op(Op::Add, &[rebiased, below]);
        let rounded = self.op(Op::Add, &[rounded, last]);
        let normal = self.shift(Op::ShiftRight, rounded, 13);
        // A subnormal one: in units of 2^-24.
        let unit = self.number(16_777_216.0);
        let positive = self.op(Op::Abs, &[x]);
        let units = self.op(Op::Multiply, &[positive, unit]);
        let units = self.op(Op::RoundEven, &[units]);
        let subnormal = self.convert(units, Scalar::U32);
        let (least, most, infinity) = (self.word(0x3880_0000), self.word(0x477f_f000), self.word(0x7c00));
        let is_subnormal = self.op(Op::LessThan, &[magnitude, least]);
        let is_large = self.op(Op::GreaterThanEqual, &[magnitude, most]);
        let half = self.select(is_subnormal, subnormal, normal);
        let half = self.select(is_large, infinity, half);
        let half = self.op(Op::BitwiseOr, &[half, sign]);
        let (nan, is_nan) = (self.word(0x7e00), self.op(Op::IsNan, &[x]));
        self.select(is_nan, nan, half)
    }

    /// The float that a binary16 in the upper half of a word is.
    fn float_of_half(&mut self, top: Value) -> Value {
        let (mask, sign) = (self.word(0x7fff), self.word(0x8000_0000));
        let sign = self.op(Op::BitwiseAnd, &[top, sign]);
        let low = self.shift(Op::ShiftRight, top, 16);
        let magnitude = self.op(Op::BitwiseAnd, &[low, mask]);
        let bias = self.word(112 << 23);
        let wide = self.shift(Op::ShiftLeft, magnitude, 13);
        let normal = self.op(Op::Add, &[wide, bias]);
        let units = self.convert(magnitude, Scalar::F32);
        let unit = self.number(16_777_216.0);
        let subnormal = self.op(Op::Divide, &[units, unit]);
        let subnormal = self.bits(subnormal, Scalar::U32);
        let (least, infinite) = (self.word(0x400), self.word(0x7c00));
        let is_subnormal = self.op(Op::LessThan, &[magnitude, least]);
        let is_infinite = self.op(Op::Equal, &[magnitude, infinite]);
        let is_nan = self.op(Op::GreaterThan, &[magnitude, infinite]);
        let (infinity, nan) = (self.word(0x7f80_0000), self.word(0x7fc0_0000));
        let bits = self.select(is_subnormal, subnormal, normal);
        let bits = self.select(is_infinite, infinity, bits);
        let bits = self.op(Op::BitwiseOr, &[bits, sign]);
        let bits = self.select(is_nan, nan, bits);
        self.bits(bits, Scalar::F32)
    }
}
