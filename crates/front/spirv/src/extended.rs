//! Instructions of `GLSL.std.450`.

use planish_ir::builder::Request;
use planish_ir::entity::Value;
use planish_ir::ops::Op as Ir;
use planish_ir::types::Scalar;
use spirv::GlslStd450Op as G;

use crate::function::{Scope, Val};
use crate::report::Res;
use crate::words::Inst;

/// The sign of integer operands; `None` for instructions on floats.
type Sign = Option<bool>;

/// Instructions that are one op.
fn plain(op: G) -> Option<(Ir, Sign)> {
    let float = |op: Ir| Some((op, None));
    match op {
        // The IR's `round` takes halves to even, as this instruction may.
        G::Round => float(Ir::RoundEven),
        G::RoundEven => float(Ir::RoundEven),
        G::Trunc => float(Ir::Trunc),
        G::FAbs => float(Ir::Abs),
        G::SAbs => Some((Ir::Abs, Some(true))),
        G::FSign => float(Ir::Sign),
        G::SSign => Some((Ir::Sign, Some(true))),
        G::Floor => float(Ir::Floor),
        G::Ceil => float(Ir::Ceil),
        G::Fract => float(Ir::Fract),
        G::Radians => float(Ir::Radians),
        G::Degrees => float(Ir::Degrees),
        G::Sin => float(Ir::Sin),
        G::Cos => float(Ir::Cos),
        G::Tan => float(Ir::Tan),
        G::Asin => float(Ir::Asin),
        G::Acos => float(Ir::Acos),
        G::Atan => float(Ir::Atan),
        G::Sinh => float(Ir::Sinh),
        G::Cosh => float(Ir::Cosh),
        G::Tanh => float(Ir::Tanh),
        G::Asinh => float(Ir::Asinh),
        G::Acosh => float(Ir::Acosh),
        G::Atanh => float(Ir::Atanh),
        G::Atan2 => float(Ir::Atan2),
        G::Pow => float(Ir::Pow),
        G::Exp => float(Ir::Exp),
        G::Log => float(Ir::Log),
        G::Exp2 => float(Ir::Exp2),
        G::Log2 => float(Ir::Log2),
        G::Sqrt => float(Ir::Sqrt),
        G::InverseSqrt => float(Ir::InverseSqrt),
        G::Determinant => float(Ir::Determinant),
        G::MatrixInverse => float(Ir::Inverse),
        G::FMin => float(Ir::Min),
        G::UMin => Some((Ir::Min, Some(false))),
        G::SMin => Some((Ir::Min, Some(true))),
        G::FMax => float(Ir::Max),
        G::UMax => Some((Ir::Max, Some(false))),
        G::SMax => Some((Ir::Max, Some(true))),
        G::FClamp => float(Ir::Clamp),
        G::UClamp => Some((Ir::Clamp, Some(false))),
        G::SClamp => Some((Ir::Clamp, Some(true))),
        G::FMix => float(Ir::Mix),
        G::Step => float(Ir::Step),
        G::SmoothStep => float(Ir::SmoothStep),
        G::Fma => float(Ir::Fma),
        G::PackSnorm4x8 => float(Ir::PackSnorm4x8),
        G::PackUnorm4x8 => float(Ir::PackUnorm4x8),
        G::PackSnorm2x16 => float(Ir::PackSnorm2x16),
        G::PackUnorm2x16 => float(Ir::PackUnorm2x16),
        G::PackHalf2x16 => float(Ir::PackHalf2x16),
        G::PackDouble2x32 => Some((Ir::PackDouble2x32, Some(false))),
        G::UnpackSnorm2x16 => Some((Ir::UnpackSnorm2x16, Some(false))),
        G::UnpackUnorm2x16 => Some((Ir::UnpackUnorm2x16, Some(false))),
        G::UnpackHalf2x16 => Some((Ir::UnpackHalf2x16, Some(false))),
        G::UnpackSnorm4x8 => Some((Ir::UnpackSnorm4x8, Some(false))),
        G::UnpackUnorm4x8 => Some((Ir::UnpackUnorm4x8, Some(false))),
        G::UnpackDouble2x32 => float(Ir::UnpackDouble2x32),
        G::Length => float(Ir::Length),
        G::Distance => float(Ir::Distance),
        G::Cross => float(Ir::Cross),
        G::Normalize => float(Ir::Normalize),
        G::FaceForward => float(Ir::FaceForward),
        G::Reflect => float(Ir::Reflect),
        G::Refract => float(Ir::Refract),
        G::FindILsb => Some((Ir::FindLsb, Some(false))),
        G::FindSMsb => Some((Ir::FindMsb, Some(true))),
        G::FindUMsb => Some((Ir::FindMsb, Some(false))),
        _ => None,
    }
}

impl<'w> Scope<'_, 'w, '_> {
    /// An instruction of the set.
    pub(crate) fn extended(&mut self, inst: &Inst<'w>) -> Res<Option<Val>> {
        let Some(op) = G::from_u32(inst.word(1)?) else { return inst.invalid("the instruction of the set is unknown") };
        if let Some((ours, sign)) = plain(op) {
            let mut args = self.values(inst, 2)?;
            if let Some(signed) = sign {
                for value in &mut args {
                    *value = self.with_sign(inst, *value, signed)?;
                }
            }
            let value = self.op(inst, ours, &args)?;
            let is_query = ours.info().rule.is_query();
            return Ok(Some(Val::Value(if is_query { self.counted(inst, value)? } else { value })));
        }
        let value = match op {
            // If one operand is NaN, the result is the other.
            G::NMin | G::NMax => {
                let (a, b) = (self.operand(inst, 2)?, self.operand(inst, 3)?);
                self.of_numbers(inst, op, a, b)?
            }
            G::NClamp => {
                let (x, low, high) = (self.operand(inst, 2)?, self.operand(inst, 3)?, self.operand(inst, 4)?);
                let above = self.of_numbers(inst, G::NMax, x, low)?;
                self.of_numbers(inst, G::NMin, above, high)?
            }
            G::Ldexp => {
                let (x, exponent) = (self.operand(inst, 2)?, self.as_i32(inst, 3)?);
                self.op(inst, Ir::Ldexp, &[x, exponent])?
            }
            G::Modf | G::Frexp => {
                let x = self.operand(inst, 2)?;
                let ours = if op == G::Modf { Ir::Modf } else { Ir::Frexp };
                let results = self.make_all(inst, Request::new(ours, &[x]))?;
                let [part, mut whole] = results[..] else { return inst.invalid("it has two results") };
                if op == G::Frexp {
                    let pointer = self.address(inst, inst.word(3)?)?;
                    let exponent = self.pointee(pointer).and_then(|(ty, _)| self.b.module.types.scalar_of(ty));
                    whole = self.converted(inst, whole, exponent.unwrap_or(Scalar::I32))?;
                }
                self.store_to(inst, inst.word(3)?, whole)?;
                part
            }
            G::ModfStruct | G::FrexpStruct => {
                let (x, ty) = (self.operand(inst, 2)?, self.result_type(inst)?);
                let ours = if op == G::ModfStruct { Ir::Modf } else { Ir::Frexp };
                let mut results = self.make_all(inst, Request::new(ours, &[x]))?.to_vec();
                let exponent = self.b.module.types.part(ty, 1).and_then(|ty| self.b.module.types.scalar_of(ty));
                if let (G::FrexpStruct, Some(scalar), [_, whole]) = (op, exponent, &mut results[..]) {
                    *whole = self.converted(inst, *whole, scalar)?;
                }
                self.construct(inst, results, ty)?
            }
            G::InterpolateAtCentroid => {
                let input = self.address(inst, inst.word(2)?)?;
                self.op(inst, Ir::InterpolateAtCentroid, &[input])?
            }
            G::InterpolateAtSample => {
                let (input, sample) = (self.address(inst, inst.word(2)?)?, self.as_i32(inst, 3)?);
                self.op(inst, Ir::InterpolateAtSample, &[input, sample])?
            }
            G::InterpolateAtOffset => {
                let (input, offset) = (self.address(inst, inst.word(2)?)?, self.operand(inst, 3)?);
                self.op(inst, Ir::InterpolateAtOffset, &[input, offset])?
            }
            _ => return inst.unsupported(&format!("`{op:?}`")),
        };
        Ok(Some(Val::Value(value)))
    }

    /// Minimum or maximum where a NaN yields to a number. The IR's gives the first operand unless the second is beyond it.
    fn of_numbers(&mut self, inst: &Inst<'_>, op: G, a: Value, b: Value) -> Res<Value> {
        let ours = if op == G::NMin { Ir::Min } else { Ir::Max };
        let value = self.op(inst, ours, &[a, b])?;
        let scalar = self.b.module.types.scalar_of(self.b.type_of(a));
        if !scalar.is_some_and(Scalar::is_float) {
            return inst.invalid("its operands are no floats");
        }
        let is_nan = self.op(inst, Ir::IsNan, &[a])?;
        let mut bits = vec![];
        let is_known = is_nan.as_const().is_some_and(|c| self.b.module.consts.flatten(c, &mut bits));
        if is_known && bits.iter().all(|bit| *bit == 0) {
            return Ok(value);
        }
        self.op(inst, Ir::Select, &[is_nan, b, value])
    }
}
