//! Built-in functions: single ops, and expansions.

use naga::MathFunction as F;
use planish_ir::builder::Request;
use planish_ir::entity::{Type, Value};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use crate::function::Scope;
use crate::module::Lower;

impl Scope<'_, '_> {
    /// A built-in function on its arguments.
    pub(crate) fn math(&mut self, function: F, arguments: &[Value], span: naga::Span) -> Lower<Value> {
        if let Some(op) = plain_op(function) {
            return Ok(self.b.op(op, arguments));
        }
        let x = arguments[0];
        let argument = |i: usize| arguments.get(i).copied().unwrap_or(x);
        let ty = self.b.type_of(x);
        let scalar = self.b.module.types.scalar_of(ty).unwrap_or(Scalar::F32);
        Ok(match function {
            F::Modf => self.two_results(Op::Modf, x, "modf", span)?,
            F::Frexp => self.two_results(Op::Frexp, x, "frexp", span)?,
            F::Mix => {
                let weight = self.splat_like(argument(2), x);
                self.b.op(Op::Mix, &[x, argument(1), weight])
            }
            F::Dot if scalar.is_float() => self.b.op(Op::Dot, arguments),
            F::Dot => self.integer_dot(x, argument(1)),
            F::Dot4I8Packed => {
                let (a, b) = (self.bytes(x, Scalar::I32), self.bytes(argument(1), Scalar::I32));
                self.sum_of_products(&a, &b)
            }
            F::Dot4U8Packed => {
                let (a, b) = (self.bytes(x, Scalar::U32), self.bytes(argument(1), Scalar::U32));
                self.sum_of_products(&a, &b)
            }
            F::QuantizeToF16 => self.b.round_to_half(x),
            F::CountOneBits => self.bit_query(Op::BitCount, x),
            F::FirstTrailingBit => self.bit_query(Op::FindLsb, x),
            F::FirstLeadingBit => self.bit_query(Op::FindMsb, x),
            F::ExtractBits => {
                let (offset, count) = self.bit_field(scalar, argument(1), argument(2));
                self.b.op(Op::BitfieldExtract, &[x, offset, count])
            }
            F::InsertBits => {
                let (offset, count) = self.bit_field(scalar, argument(2), argument(3));
                self.b.op(Op::BitfieldInsert, &[x, argument(1), offset, count])
            }
            F::Pack4xI8 | F::Pack4xU8 => self.pack_bytes(x),
            F::Pack4xI8Clamp => {
                let clamped = self.clamp_to(x, -128, 127);
                self.pack_bytes(clamped)
            }
            F::Pack4xU8Clamp => {
                let low = self.b.u32(0);
                let high = self.b.u32(255);
                let (low, high) = (self.splat(low, 4), self.splat(high, 4));
                let clamped = self.b.op(Op::Clamp, &[x, low, high]);
                self.pack_bytes(clamped)
            }
            F::Unpack4xI8 => {
                let bytes = self.bytes(x, Scalar::I32);
                self.b.op_typed(Op::ConstructVectorFromMultiple, &bytes, Type::IVEC4)
            }
            F::Unpack4xU8 => {
                let bytes = self.bytes(x, Scalar::U32);
                self.b.op_typed(Op::ConstructVectorFromMultiple, &bytes, Type::UVEC4)
            }
            _ => return Err(self.maps.unsupported(span, &format!("the built-in function `{function:?}`"))),
        })
    }

    /// `modf` and `frexp`, whose result in naga is a struct of two members.
    fn two_results(&mut self, op: Op, x: Value, name: &str, span: naga::Span) -> Lower<Value> {
        let ty = self.b.type_of(x);
        let size = self.b.module.types.vector_size(ty).unwrap_or(1);
        let scalar = self.b.module.types.scalar_of(ty).unwrap_or(Scalar::F32);
        let struct_type = self.maps.predeclared(op == Op::Modf, size, scalar);
        let Some(struct_type) = struct_type else {
            return Err(self.maps.unsupported(span, &format!("`{name}` of this type")));
        };
        let struct_type = self.maps.ty(struct_type, span)?;
        let mut results = self.b.make_all(Request::new(op, &[x]));
        // naga's exponent has the width of the float.
        let exponent = match scalar {
            Scalar::F16 => Scalar::I16,
            Scalar::F64 => Scalar::I64,
            _ => Scalar::I32,
        };
        if op == Op::Frexp && exponent != Scalar::I32 {
            results[1] = self.convert(results[1], exponent);
        }
        Ok(self.b.op_typed(Op::ConstructStruct, &results, struct_type))
    }

    fn integer_dot(&mut self, a: Value, b: Value) -> Value {
        let size = self.b.module.types.vector_size(self.b.type_of(a)).unwrap_or(1);
        let product = self.b.op(Op::Multiply, &[a, b]);
        let mut sum = self.b.swizzle(product, &[0]);
        for lane in 1..size {
            let term = self.b.swizzle(product, &[lane]);
            sum = self.b.op(Op::Add, &[sum, term]);
        }
        sum
    }

    fn sum_of_products(&mut self, a: &[Value], b: &[Value]) -> Value {
        let mut sum = self.b.op(Op::Multiply, &[a[0], b[0]]);
        for (&a, &b) in a.iter().zip(b).skip(1) {
            let term = self.b.op(Op::Multiply, &[a, b]);
            sum = self.b.op(Op::Add, &[sum, term]);
        }
        sum
    }

    /// The four bytes of a word, lowest first, sign- or zero-extended according to the scalar.
    fn bytes(&mut self, word: Value, scalar: Scalar) -> [Value; 4] {
        let word = self.bitcast(word, scalar);
        [0, 8, 16, 24].map(|offset| {
            let (offset, count) = (self.b.i32(offset), self.b.i32(8));
            self.b.op(Op::BitfieldExtract, &[word, offset, count])
        })
    }

    /// The low bytes of four integers as one word.
    fn pack_bytes(&mut self, x: Value) -> Value {
        let x = self.bitcast(x, Scalar::U32);
        let mut word = self.b.u32(0);
        for lane in 0..4 {
            let byte = self.b.swizzle(x, &[lane]);
            let (offset, count) = (self.b.i32(8 * i32::from(lane)), self.b.i32(8));
            word = self.b.op(Op::BitfieldInsert, &[word, byte, offset, count]);
        }
        word
    }

    fn clamp_to(&mut self, x: Value, low: i32, high: i32) -> Value {
        let (low, high) = (self.b.i32(low), self.b.i32(high));
        let (low, high) = (self.splat(low, 4), self.splat(high, 4));
        self.b.op(Op::Clamp, &[x, low, high])
    }

    /// Converts the result of an op, an `i32`, to the operand's type, as naga requires; "none" is all ones.
    fn bit_query(&mut self, op: Op, x: Value) -> Value {
        let scalar = self.b.module.types.scalar_of(self.b.type_of(x)).unwrap_or(Scalar::I32);
        let result = self.b.op(op, &[x]);
        self.bitcast(result, scalar)
    }

    /// WGSL clamps a bit field to the word: offset at most its width, and count at most the rest.
    fn bit_field(&mut self, scalar: Scalar, offset: Value, count: Value) -> (Value, Value) {
        let width = self.b.u32(scalar.bits());
        let (offset, count) = (self.bitcast(offset, Scalar::U32), self.bitcast(count, Scalar::U32));
        let offset = self.b.op(Op::Min, &[offset, width]);
        let left = self.b.op(Op::Subtract, &[width, offset]);
        let count = self.b.op(Op::Min, &[count, left]);
        (self.bitcast(offset, Scalar::I32), self.bitcast(count, Scalar::I32))
    }
}

/// The op equivalent to the function, operand for operand.
fn plain_op(function: F) -> Option<Op> {
    Some(match function {
        F::Abs => Op::Abs,
        F::Min => Op::Min,
        F::Max => Op::Max,
        F::Clamp => Op::Clamp,
        F::Saturate => Op::Saturate,
        F::Cos => Op::Cos,
        F::Cosh => Op::Cosh,
        F::Sin => Op::Sin,
        F::Sinh => Op::Sinh,
        F::Tan => Op::Tan,
        F::Tanh => Op::Tanh,
        F::Acos => Op::Acos,
        F::Asin => Op::Asin,
        F::Atan => Op::Atan,
        F::Atan2 => Op::Atan2,
        F::Asinh => Op::Asinh,
        F::Acosh => Op::Acosh,
        F::Atanh => Op::Atanh,
        F::Radians => Op::Radians,
        F::Degrees => Op::Degrees,
        F::Ceil => Op::Ceil,
        F::Floor => Op::Floor,
        F::Round => Op::RoundEven,
        F::Fract => Op::Fract,
        F::Trunc => Op::Trunc,
        F::Ldexp => Op::Ldexp,
        F::Exp => Op::Exp,
        F::Exp2 => Op::Exp2,
        F::Log => Op::Log,
        F::Log2 => Op::Log2,
        F::Pow => Op::Pow,
        F::Outer => Op::OuterProduct,
        F::Cross => Op::Cross,
        F::Distance => Op::Distance,
        F::Length => Op::Length,
        F::Normalize => Op::Normalize,
        F::FaceForward => Op::FaceForward,
        F::Reflect => Op::Reflect,
        F::Refract => Op::Refract,
        F::Sign => Op::Sign,
        F::Fma => Op::Fma,
        F::Step => Op::Step,
        F::SmoothStep => Op::SmoothStep,
        F::Sqrt => Op::Sqrt,
        F::InverseSqrt => Op::InverseSqrt,
        F::Inverse => Op::Inverse,
        F::Transpose => Op::Transpose,
        F::Determinant => Op::Determinant,
        F::CountTrailingZeros => Op::CountTrailingZeros,
        F::CountLeadingZeros => Op::CountLeadingZeros,
        F::ReverseBits => Op::BitReverse,
        F::Pack4x8snorm => Op::PackSnorm4x8,
        F::Pack4x8unorm => Op::PackUnorm4x8,
        F::Pack2x16snorm => Op::PackSnorm2x16,
        F::Pack2x16unorm => Op::PackUnorm2x16,
        F::Pack2x16float => Op::PackHalf2x16,
        F::Unpack4x8snorm => Op::UnpackSnorm4x8,
        F::Unpack4x8unorm => Op::UnpackUnorm4x8,
        F::Unpack2x16snorm => Op::UnpackSnorm2x16,
        F::Unpack2x16unorm => Op::UnpackUnorm2x16,
        F::Unpack2x16float => Op::UnpackHalf2x16,
        _ => return None,
    })
}
