//! Constants, each made once.

use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Type};
use planish_ir::meaning::{float_bits, integer_value};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use spirv::Op;

use crate::assemble::{Id, Sections};
use crate::function::FunctionWriter;
use crate::module::Context;
use crate::types::{Res, fail};

impl Context<'_> {
    /// A `u32`.
    pub(crate) fn u32(&mut self, value: u32) -> Id {
        self.scalar(Scalar::U32, value.into())
    }

    /// A scalar with these bits.
    pub(crate) fn scalar(&mut self, scalar: Scalar, bits: u64) -> Id {
        let ty = self.scalar_type(scalar);
        self.need_small(scalar);
        match scalar {
            Scalar::Bool if bits != 0 => self.out.constant(Op::ConstantTrue, ty, &[]),
            Scalar::Bool => self.out.constant(Op::ConstantFalse, ty, &[]),
            _ if scalar.bits() == 64 => self.out.constant(Op::Constant, ty, &[bits as u32, (bits >> 32) as u32]),
            _ => self.out.constant(Op::Constant, ty, &[word(scalar, bits)]),
        }
    }

    /// A scalar or vector type's constant with these bits in every component.
    pub(crate) fn splat(&mut self, ty: Type, bits: u64) -> Id {
        let scalar = self.types.scalar_of(ty).expect("a number");
        let part = self.scalar(scalar, bits);
        match self.types.vector_size(ty) {
            Some(1) => part,
            Some(n) => {
                let ty = self.number(ty);
                self.out.constant(Op::ConstantComposite, ty, &vec![part; n.into()])
            }
            None => part,
        }
    }

    /// A small number in every component of a scalar or vector type.
    pub(crate) fn splat_number(&mut self, ty: Type, value: i32) -> Id {
        let scalar = self.types.scalar_of(ty).expect("a number");
        self.splat(ty, bits_of(scalar, value))
    }

    /// Zero of any type.
    pub(crate) fn null(&mut self, ty: Type, span: Span) -> Res<Id> {
        let ty = self.value_type(ty, span)?;
        Ok(self.out.constant(Op::ConstantNull, ty, &[]))
    }

    /// A constant of the IR.
    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn constant(&mut self, c: Const, span: Span) -> Res<Id> {
        if let Some(&known) = self.const_ids.get(&c) {
            return Ok(known);
        }
        let data = self.module.consts[c].clone();
        let id = match data.value {
            ConstValue::Bits(bits) => {
                let TypeKind::Scalar(scalar) = self.types[data.ty] else {
                    return fail(Code::E0602, span, "SPIR-V has no constants of this type");
                };
                self.scalar(scalar, bits)
            }
            ConstValue::Composite(parts) => {
                if self.is_zero(&parts) {
                    self.null(data.ty, span)?
                } else {
                    self.composite(data.ty, &parts, span)?
                }
            }
            ConstValue::Wide(_) => return fail(Code::E0602, span, "SPIR-V has no 128-bit values"),
            ConstValue::Null => return fail(Code::E0602, span, "SPIR-V has no null references"),
        };
        self.const_ids.insert(c, id);
        Ok(id)
    }

    /// Recurses as deep as types are nested, which front ends limit.
    fn composite(&mut self, ty: Type, parts: &[Const], span: Span) -> Res<Id> {
        if Sections::fits(parts.len() + 2).is_err() {
            return fail(Code::E0602, span, format!("SPIR-V has no constant array of {} elements", parts.len()));
        }
        let ids = parts.iter().map(|&part| self.constant(part, span)).collect::<Res<Vec<Id>>>()?;
        let ty = self.value_type(ty, span)?;
        Ok(self.out.constant(Op::ConstantComposite, ty, &ids))
    }

    /// Whether all bits of the parts of a composite are zero.
    fn is_zero(&self, parts: &[Const]) -> bool {
        let consts = &self.module.consts;
        let all_alike = parts.windows(2).all(|pair| pair[0] == pair[1]);
        let mut bits = vec![];
        let distinct = if all_alike { &parts[..parts.len().min(1)] } else { parts };
        distinct.iter().all(|&c| consts.flatten(c, &mut bits)) && bits.iter().all(|&b| b == 0)
    }

    /// Whether no float in a constant is NaN or infinite.
    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn is_finite(&mut self, c: Const) -> bool {
        if let Some(&known) = self.finite.get(&c) {
            return known;
        }
        let data = &self.module.consts[c];
        let finite = match (&data.value, &self.types[data.ty]) {
            (ConstValue::Bits(bits), TypeKind::Scalar(Scalar::F32)) => f32::from_bits(*bits as u32).is_finite(),
            (ConstValue::Bits(bits), TypeKind::Scalar(Scalar::F64)) => f64::from_bits(*bits).is_finite(),
            (ConstValue::Composite(parts), _) => {
                let parts = parts.clone();
                parts.iter().all(|&part| self.is_finite(part))
            }
            _ => true,
        };
        self.finite.insert(c, finite);
        finite
    }

    /// The bits of the components of a constant scalar or vector.
    pub(crate) fn const_bits(&self, value: planish_ir::entity::Value) -> Option<Vec<u64>> {
        let mut bits = vec![];
        self.module.consts.flatten(value.as_const()?, &mut bits).then_some(bits)
    }
}

/// The word of a constant of at most 32 bits: an integer is extended by its sign.
pub(crate) fn word(scalar: Scalar, bits: u64) -> u32 {
    if scalar.is_integer() { integer_value(scalar, bits) as u32 } else { bits as u32 }
}

/// A small number as the bits of a scalar.
pub(crate) fn bits_of(scalar: Scalar, value: i32) -> u64 {
    match scalar {
        Scalar::Bool => (value != 0).into(),
        Scalar::F16 | Scalar::F32 | Scalar::F64 => float_bits(scalar, value.into()),
        integer => i64::from(value) as u64 & u64::MAX >> (64 - integer.bits()),
    }
}

impl FunctionWriter<'_, '_> {
    /// A constant as a value. NaN and infinity are made of their bits: readers for WebGPU refuse them as constants.
    /// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn constant(&mut self, c: Const) -> Res<Id> {
        if self.cx.is_finite(c) {
            return self.cx.constant(c, self.span);
        }
        let data = self.cx.module.consts[c].clone();
        match data.value {
            ConstValue::Bits(bits) => {
                let word = if self.shape(data.ty).0 == Scalar::F64 { Scalar::U64 } else { Scalar::U32 };
                let bits = self.cx.scalar(word, bits);
                Ok(self.op1(Op::Bitcast, data.ty, bits))
            }
            ConstValue::Composite(parts) => {
                crate::composites::check_length(parts.len() as u32, self.span)?;
                let ids = parts.iter().map(|&part| self.constant(part)).collect::<Res<Vec<Id>>>()?;
                let ty = self.cx.value_type(data.ty, self.span)?;
                Ok(self.emit(Op::CompositeConstruct, ty, &ids))
            }
            ConstValue::Null | ConstValue::Wide(_) => self.cx.constant(c, self.span),
        }
    }
}
