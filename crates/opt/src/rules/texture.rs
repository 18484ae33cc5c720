//! Arguments of texture ops that do nothing.

use planish_ir::entity::{Type, Value};
use planish_ir::ops::{Op, TextureFlags};
use smallvec::SmallVec;

use super::Law::Exact;
use super::{Rule, Site, rule};

const SAMPLES: &[Op] = &[Op::TextureSample, Op::TextureSampleLod, Op::TextureSampleGrad];
const OFFSETS: &[Op] =
    &[Op::TextureSample, Op::TextureSampleLod, Op::TextureSampleGrad, Op::TextureGather, Op::TextureFetch];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("no_bias", &[Op::TextureSample], Exact, "sample(t, p, bias 0.0) → sample(t, p)", |s| {
        let bias = s.arg(s.imm().as_texture().operand(TextureFlags::BIAS)?);
        s.is_zero(bias).then(|| without(s, TextureFlags::BIAS))
    }),
    rule("no_offset", OFFSETS, Exact, "sample(t, p, offset 0) → sample(t, p); also gathers and fetches", |s| {
        let offset = s.arg(s.imm().as_texture().operand(TextureFlags::OFFSET)?);
        s.is_zero(offset).then(|| without(s, TextureFlags::OFFSET))
    }),
    rule("no_projection", SAMPLES, Exact, "sample(t, vector(p, 1.0), proj) → sample(t, p)", no_projection),
];

/// The node without an optional operand.
fn without(s: &mut Site<'_, '_, '_>, flag: TextureFlags) -> Value {
    let flags = s.imm().as_texture();
    let position = flags.operand(flag);
    let kept: SmallVec<[Value; 8]> =
        s.args().iter().enumerate().filter(|&(i, _)| Some(i) != position).map(|(_, &a)| a).collect();
    s.make_imm(s.op(), flags.without(flag), &kept)
}

/// A projection by a constant one, whose operand is a value of its own.
fn no_projection(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let flags = s.imm().as_texture();
    if !flags.has(TextureFlags::PROJ) {
        return None;
    }
    let image = s.b.module.types.as_image(s.type_of(s.arg(0)))?;
    let (Op::ConstructVectorFromMultiple, _, parts) = s.def(s.arg(1))? else { return None };
    let (&last, rest) = parts.split_last()?;
    let &[point] = rest else { return None };
    let fits = s.size_of(point) == image.coordinates() && s.scalar_of(point) == s.scalar_of(s.arg(1));
    if !fits || s.type_of(last) != Type::F32 || !s.is_number(last, 1.0) {
        return None;
    }
    let mut args: SmallVec<[Value; 8]> = s.args().into();
    args[1] = point;
    Some(s.make_imm(s.op(), flags.without(TextureFlags::PROJ), &args))
}
