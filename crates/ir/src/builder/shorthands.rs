//! Shorthands for common nodes and constants.

use smallvec::SmallVec;

use super::{Builder, Request, Results};
use crate::entity::{Type, Value};
use crate::ops::{Imm, Lanes, Op};
use crate::types::TypeKind;

impl Builder<'_, '_> {
    /// Loads from a pointer.
    pub fn load(&mut self, pointer: Value) -> Value {
        self.op(Op::Load, &[pointer])
    }

    /// Stores to a pointer.
    pub fn store(&mut self, pointer: Value, value: Value) {
        self.make_all(Request::new(Op::Store, &[pointer, value]));
    }

    /// Converts a scalar or vector to another type of as many components; returns the value itself if it has the type.
    pub fn convert(&mut self, value: Value, ty: Type) -> Value {
        self.convert_imm(Imm::NONE, value, ty)
    }

    /// Like [`Builder::convert`]; with [`Imm::OPEN`] the result is undefined for NaN and for floats out of range.
    pub fn convert_imm(&mut self, imm: Imm, value: Value, ty: Type) -> Value {
        if self.type_of(value) == ty {
            return value;
        }
        let is_scalar = matches!(self.module.types[ty], TypeKind::Scalar(_));
        let op = if is_scalar { Op::ConstructScalarFromScalar } else { Op::ConstructVectorFromMultiple };
        self.make(Request::new(op, &[value]).imm(imm).ty(ty))
    }

    /// Floats of 32 bits, a scalar or vector, rounded to the nearest numbers of 16 bits: with as many ops as there are pairs of components.
    pub fn round_to_half(&mut self, x: Value) -> Value {
        let ty = self.type_of(x);
        let size = match self.module.types[ty] {
            TypeKind::Vector(_, size) => size,
            _ => 1,
        };
        let mut parts: SmallVec<[Value; 16]> = SmallVec::new();
        for lane in (0..size).step_by(2) {
            let is_pair = lane + 1 < size;
            let pair = match size {
                2 => x,
                1 => self.op_typed(Op::ConstructVectorFromScalar, &[x], Type::VEC2),
                _ => {
                    let second = if is_pair { lane + 1 } else { lane };
                    let [first, second] = [lane, second]
                        .map(|lane| self.op_imm(Op::ExtractVectorComponent, Imm::index(lane.into()), &[x]));
                    self.op_typed(Op::ConstructVectorFromMultiple, &[first, second], Type::VEC2)
                }
            };
            let word = self.op(Op::PackHalf2x16, &[pair]);
            let pair = self.op(Op::UnpackHalf2x16, &[word]);
            if size == 2 {
                return pair;
            }
            parts.extend((0..=u8::from(is_pair)).map(|i| self.swizzle(pair, &[i])));
        }
        match parts[..] {
            [one] => one,
            ref parts => self.op_typed(Op::ConstructVectorFromMultiple, parts, ty),
        }
    }

    /// A swizzle of a vector, or for one lane the component.
    pub fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        match lanes {
            [lane] => self.op_imm(Op::ExtractVectorComponent, Imm::index(*lane as u32), &[vector]),
            _ => self.op_imm(Op::ExtractVectorComponentMulti, Lanes::new(lanes), &[vector]),
        }
    }

    /// Calls a function; returns all results.
    pub fn call(&mut self, callee: Value, args: &[Value]) -> Results {
        let operands: SmallVec<[Value; 8]> = std::iter::once(callee).chain(args.iter().copied()).collect();
        self.make_all(Request::new(Op::Call, &operands))
    }

    /// An `f32` constant.
    pub fn f32(&mut self, value: f32) -> Value {
        self.module.consts.f32(value).into()
    }

    /// An `i32` constant.
    #[inline]
    pub fn i32(&mut self, value: i32) -> Value {
        self.module.consts.i32(value).into()
    }

    /// A `u32` constant.
    pub fn u32(&mut self, value: u32) -> Value {
        self.module.consts.u32(value).into()
    }

    /// A `bool` constant.
    pub fn bool(&mut self, value: bool) -> Value {
        self.module.consts.bool(value).into()
    }
}
