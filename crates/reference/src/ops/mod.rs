//! Ops on values. `docs/numerics.md` gives the rules with their reasons; `docs/ops.md` lists all ops.

mod convert;
mod custom;
mod float;
mod geometry;
mod half;
mod integer;
mod pack;
mod parts;
mod simd;

use planish_ir::entity::Type;
use planish_ir::function::TrapKind;
use planish_ir::ops::{Class, Effect, Imm, Op};
use planish_ir::types::{Scalar, TypeKind, Types};

use crate::stop::Stop;
use crate::value::{Value, composite};

pub(crate) use convert::like;
pub(crate) use custom::custom;
pub(crate) use parts::{clamp_index, swizzle};

/// Whether an invocation can execute the op alone: no derivatives, textures, samples, or primitives.
pub fn is_supported(op: Op) -> bool {
    let info = op.info();
    match info.class {
        Class::Texture | Class::Subgroup => false,
        Class::Stage => matches!(
            op,
            Op::ControlBarrier | Op::MemoryBarrier | Op::Demote | Op::IsHelper | Op::BeginInterlock | Op::EndInterlock
        ),
        _ => info.effect != Effect::Quad,
    }
}

/// The results of an op on values.
pub(crate) fn evaluate(types: &Types, op: Op, imm: Imm, args: &[Value], results: &[Type]) -> Result<Vec<Value>, Stop> {
    if let Some(value) = trapping(types, op, args, results)? {
        return Ok(vec![value]);
    }
    if let Some(pair) = two_results(op, args) {
        return Ok(pair.to_vec());
    }
    let result = *results.first().ok_or(Stop::Unsupported(op))?;
    let value = match op.info().class {
        Class::Construct => parts::construct(types, op, args, result),
        Class::Extract => parts::extract(op, imm, args),
        Class::Simd => simd::lanes(types, op, imm, args, result),
        Class::Token => match (op, args) {
            (Op::TokenEqual, [x, y]) => Some(Value::Bool(word(x) == word(y))),
            (Op::TokenLess, [x, y]) => Some(Value::Bool(word(x) < word(y))),
            _ => None,
        },
        _ => reduction(op, args)
            .or_else(|| geometry::geometry(op, args))
            .or_else(|| pack::pack(op, args))
            .or_else(|| componentwise(op, args)),
    };
    Ok(vec![value.ok_or(Stop::Unsupported(op))?])
}

/// The bits of a scalar as one word.
pub(crate) fn word(value: &Value) -> u64 {
    let mut words = Vec::new();
    value.words(&mut words);
    words.first().copied().unwrap_or(0)
}

/// An op on each component. A scalar operand applies to every component of the others.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn componentwise(op: Op, args: &[Value]) -> Option<Value> {
    if let (Op::Select, [Value::Bool(condition), yes, no]) = (op, args) {
        return Some(if *condition { yes.clone() } else { no.clone() });
    }
    let Some(count) = args.iter().find_map(|arg| matches!(arg, Value::Composite(_)).then(|| arg.parts().len())) else {
        return scalar(op, args);
    };
    let component = |i: usize| {
        let part = |arg: &Value| if let Value::Composite(parts) = arg { parts[i].clone() } else { arg.clone() };
        componentwise(op, &args.iter().map(part).collect::<Vec<_>>())
    };
    Some(composite((0..count).map(component).collect::<Option<Vec<_>>>()?))
}

/// An op on scalars.
fn scalar(op: Op, args: &[Value]) -> Option<Value> {
    match *args {
        [Value::Bool(x)] => (op == Op::LogicalNot).then_some(Value::Bool(!x)),
        [Value::Bool(x), Value::Bool(y)] => boolean(op, x, y),
        [Value::F16(x)] => half::unary(op, x),
        [Value::F32(x)] => float::f32::unary(op, x),
        [Value::F64(x)] => float::f64::unary(op, x),
        [Value::F16(x), Value::F16(y)] => half::binary(op, x, y),
        [Value::F32(x), Value::F32(y)] => float::f32::binary(op, x, y),
        [Value::F64(x), Value::F64(y)] => float::f64::binary(op, x, y),
        [Value::F16(x), Value::F16(y), Value::F16(z)] => half::ternary(op, x, y, z),
        [Value::F32(x), Value::F32(y), Value::F32(z)] => float::f32::ternary(op, x, y, z),
        [Value::F64(x), Value::F64(y), Value::F64(z)] => float::f64::ternary(op, x, y, z),
        [Value::F16(x), Value::I32(exponent)] if op == Op::Ldexp => Some(half::load_exponent(x, exponent)),
        [Value::F32(x), Value::I32(exponent)] if op == Op::Ldexp => Some(float::f32::load_exponent(x, exponent)),
        [Value::F64(x), Value::I32(exponent)] if op == Op::Ldexp => Some(float::f64::load_exponent(x, exponent)),
        _ => integer::integer(op, args),
    }
}

fn boolean(op: Op, x: bool, y: bool) -> Option<Value> {
    Some(Value::Bool(match op {
        Op::LogicalAnd => x && y,
        Op::LogicalOr => x || y,
        Op::LogicalXor | Op::NotEqual => x != y,
        Op::Equal => x == y,
        _ => return None,
    }))
}

/// `any`, `all`, and the equality of composites: floats are compared as numbers, so -0 equals 0 and a NaN nothing.
fn reduction(op: Op, args: &[Value]) -> Option<Value> {
    let all_equal = |x: &Value, y: &Value| {
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        x.leaves(&mut xs);
        y.leaves(&mut ys);
        xs.iter().zip(&ys).all(|(x, y)| scalar(Op::Equal, &[x.clone(), y.clone()]) == Some(Value::Bool(true)))
    };
    Some(Value::Bool(match (op, args) {
        (Op::Any, [x]) => x.parts().contains(&Value::Bool(true)),
        (Op::All, [x]) => !x.parts().contains(&Value::Bool(false)),
        (Op::AggregateEqual, [x, y]) => all_equal(x, y),
        _ => return None,
    }))
}

/// The ops that may trap.
fn trapping(types: &Types, op: Op, args: &[Value], results: &[Type]) -> Result<Option<Value>, Stop> {
    match (op, args) {
        (Op::DivideTrapping | Op::RemainderTrapping, [x, y]) => {
            let quotients = x.parts().iter().zip(y.parts()).map(|(x, y)| integer::divide_trapping(op, x, y));
            let quotients = quotients.collect::<Result<Vec<_>, _>>().map_err(Stop::Trap)?;
            Ok(Some(if let Value::Composite(_) = x { composite(quotients) } else { quotients[0].clone() }))
        }
        (Op::TruncateTrapping, [x]) => match (convert::as_f64(x), results.first().map(|&ty| &types[ty])) {
            (Some(x), Some(&TypeKind::Scalar(to))) => truncate_trapping(x, to).map(Some).map_err(Stop::Trap),
            _ => Err(Stop::Unsupported(op)),
        },
        _ => Ok(None),
    }
}

/// Float to integer; traps for NaN and out-of-range values.
fn truncate_trapping(x: f64, to: Scalar) -> Result<Value, TrapKind> {
    if x.is_nan() {
        return Err(TrapKind::InvalidConversion);
    }
    let whole = x.trunc();
    let (least, beyond) = match to {
        Scalar::I32 => (-(2f64.powi(31)), 2f64.powi(31)),
        Scalar::U32 => (0.0, 2f64.powi(32)),
        Scalar::I64 => (-(2f64.powi(63)), 2f64.powi(63)),
        _ => (0.0, 2f64.powi(64)),
    };
    if whole < least || whole >= beyond {
        return Err(TrapKind::IntegerOverflow);
    }
    Ok(convert::convert(&Value::F64(whole), to).expect("floats can be converted"))
}

/// The ops with two results, which are componentwise.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn two_results(op: Op, args: &[Value]) -> Option<[Value; 2]> {
    if let [Value::Composite(_), ..] = args {
        let count = args[0].parts().len();
        let component = |i: usize| two_results(op, &args.iter().map(|arg| arg.parts()[i].clone()).collect::<Vec<_>>());
        let pairs = (0..count).map(component).collect::<Option<Vec<_>>>()?;
        return Some([0, 1].map(|which| composite(pairs.iter().map(|pair| pair[which].clone()))));
    }
    match (op, args) {
        (Op::Modf, [Value::F16(x)]) => Some(half::fraction_and_whole(*x)),
        (Op::Frexp, [Value::F16(x)]) => Some(half::significand_and_exponent(*x)),
        (Op::Modf, [Value::F32(x)]) => Some(float::f32::fraction_and_whole(*x)),
        (Op::Modf, [Value::F64(x)]) => Some(float::f64::fraction_and_whole(*x)),
        (Op::Frexp, [Value::F32(x)]) => Some(float::f32::significand_and_exponent(*x)),
        (Op::Frexp, [Value::F64(x)]) => Some(float::f64::significand_and_exponent(*x)),
        (Op::AddCarry | Op::SubtractBorrow | Op::MultiplyExtended, [x, y]) => integer::two_words(op, x, y),
        _ => None,
    }
}
