//! Makes `f32` of `f16`, for targets without the latter, and rounds what is computed: every result stays as it is.
//!
//! ```text
//! before: fn @f(%x: f16, %y: f16) -> (f16)     after: fn @f(%x: f32, %y: f32) -> (f32)
//!           %1 = multiply %x, %y                        %1 = multiply %x, %y
//!           return %1                                   %2 = round %1      (pack_half2x16, unpack_half2x16)
//!                                                       return %2
//! ```
//!
//! Ops that are several steps (`mix`, `dot`, products of matrices) are expanded before, as [`legalize`] does it, since each step rounds. What
//! chooses, moves or changes a sign is not rounded, nor what has an integer as its result. `docs/numerics.md` says why an op on `f32` with one
//! rounding after it is that on `f16`; `fma` and the conversion of an `f64` are rounded to odd first.
//!
//! Variables of the program, of its stages' inputs and outputs too, hold `f32`; what is loaded of an input is rounded. **Not lowered**, but an
//! error (E0602): memory whose bytes the host sees, and ops on the bits of lanes and memories. Holds before: a valid module.

use planish_ir::builder::{Builder, Request, Results};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Meaning, Op};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_target::legal::{Operation, Support, TargetInfo};
use planish_target::scalars::holds;
use smallvec::smallvec;

use crate::context::Context;
use crate::legalize::{self, float, integer};
use crate::lower_small::obstacles;
use crate::restage::{Stage, copy_node};
use crate::retype::{self, Retyped};

/// Runs on the whole module.
///
/// # Errors
/// The places where the bytes of an `f16` are visible.
pub fn run(module: &mut Module, target: &str, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let errors = obstacles(module, target, &[Scalar::F16]);
    if !errors.is_empty() {
        return Err(errors);
    }
    let steps = TargetInfo { name: target, support: &support, is_shading_language: false };
    legalize::run(module, &steps, context)?;
    let mut lower = Lower(Retyped::new(module, &[(Scalar::F16, Scalar::F32)]));
    retype::bodies(module, &mut lower);
    context.changed();
    Ok(())
}

/// Support of one step after the other: what has several of `f16` is expanded.
fn support(operation: &Operation) -> Support {
    let is_half = operation.scalar() == Some(Scalar::F16);
    let makes_half = operation.result.scalar == Some(Scalar::F16);
    match operation.op {
        Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple
            if makes_half =>
        {
            Support::Guard
        }
        Op::ConstructMatrixFromScalar | Op::ConstructMatrixFromMatrix if makes_half && !is_half => Support::Expand,
        Op::Transpose | Op::HorizontalMin | Op::HorizontalMax => Support::Yes,
        Op::Mod | Op::Hypot | Op::Mix | Op::Lerp | Op::SmoothStep | Op::MultiplyAdd | Op::Radians | Op::Degrees
            if is_half =>
        {
            Support::Expand
        }
        Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse if is_half => Support::Expand,
        op if is_half && op.info().meaning == Meaning::Algebra => Support::Expand,
        _ => Support::Yes,
    }
}

/// Whether the result of an op on halves, computed in `f32`, is a half: it is an operand or a part of one, perhaps with another sign, or an
/// integer.
fn is_exact(op: Op) -> bool {
    matches!(
        op,
        Op::Negate | Op::Abs | Op::CopySign | Op::Sign | Op::Step | Op::Min | Op::Max | Op::Minimum | Op::Maximum
    ) || matches!(op, Op::Clamp | Op::Saturate | Op::Select | Op::Transpose | Op::HorizontalMin | Op::HorizontalMax)
        || matches!(op, Op::Floor | Op::Ceil | Op::Trunc | Op::Round | Op::RoundEven | Op::Modf | Op::Frexp)
}

/// The stage.
struct Lower(Retyped);

impl Stage for Lower {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let Some(result) = old.result(node) else { return copy_node(old, node, args, b) };
        let before = old.local_type(result);
        let ty = self.0.ty(before);
        b.set_precise(data.precise);
        let request = Request { op: data.op, imm: data.imm, args, ty: Some(ty), precision: Some(data.precision) };
        // The types of the twins are found by the source: those of the new operands are `f32` in both cases.
        let makes_half = b.module.types.scalar_of(before) == Some(Scalar::F16);
        let class = data.op.info().class;
        match data.op {
            Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple if args.len() == 1 => {
                let from = b.type_of(args[0]);
                let is_same = from == ty;
                let was_half = is_same && self.is_half(old, node, b);
                match b.module.types.scalar_of(from) {
                    _ if is_same && (!makes_half || was_half) => return smallvec![args[0]],
                    Some(Scalar::F64) if makes_half => return smallvec![round_double(b, args[0], ty)],
                    Some(Scalar::Bool) => return b.make_all(request),
                    _ if makes_half => {
                        let value = if is_same { args[0] } else { b.make(request) };
                        return smallvec![round(b, value)];
                    }
                    _ => return b.make_all(request),
                }
            }
            Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement if makes_half => {
                return smallvec![increment(b, data.op, args[0])];
            }
            Op::Fma if makes_half => return smallvec![fused(b, args)],
            _ => {}
        }
        let is_input = |value: Value| {
            b.module.types.pointee(b.type_of(value)).is_some_and(|(_, space)| space == AddressSpace::Input)
        };
        let rounds = match class {
            Class::Unary | Class::Binary | Class::BuiltIn | Class::Subgroup => makes_half && !is_exact(data.op),
            Class::Stage | Class::Memory => {
                holds(b.module, before, Scalar::F16) && args.first().copied().is_some_and(is_input)
            }
            _ => false,
        };
        let mut results = b.make_all(request);
        if rounds {
            results[0] = round(b, results[0]);
        }
        results
    }

    fn input_type(&self, ty: Type) -> Type {
        self.0.ty(ty)
    }

    fn outer_value(&mut self, value: Value) -> Value {
        self.0.outer_value(value)
    }
}

impl Lower {
    /// Whether the first operand of a node is of halves.
    fn is_half(&self, old: &Body, node: Node, b: &Builder<'_, '_>) -> bool {
        b.module.types.scalar_of(b.module.type_of(old, old.args(node)[0])) == Some(Scalar::F16)
    }
}

/// Every number of a value rounded to a half: of a scalar, vector, or composite.
fn round(b: &mut Builder<'_, '_>, value: Value) -> Value {
    let ty = b.type_of(value);
    retype::map_numbers(b, ty, value, &|b, scalar, value| {
        if scalar == Scalar::F32 { b.round_to_half(value) } else { value }
    })
}

/// One more or one less in memory.
fn increment(b: &mut Builder<'_, '_>, op: Op, pointer: Value) -> Value {
    let old = b.load(pointer);
    let ty = b.type_of(old);
    let one = match b.module.types[ty] {
        TypeKind::Matrix { columns, rows, .. } => {
            let column = b.module.types.vector(Scalar::F32, rows);
            let column = float(b, column, 1.0).as_const().expect("a constant");
            b.module.consts.composite(ty, vec![column; columns.into()]).into()
        }
        _ => float(b, ty, 1.0),
    };
    let adds = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
    let new = b.op(if adds { Op::Add } else { Op::Subtract }, &[old, one]);
    let new = round(b, new);
    b.store(pointer, new);
    if matches!(op, Op::PrefixIncrement | Op::PrefixDecrement) { new } else { old }
}

/// `x * y + z`, rounded once. The product of halves is exact; the error of the sum, exact too (Knuth's "TwoSum"), rounds it to odd.
fn fused(b: &mut Builder<'_, '_>, args: &[Value]) -> Value {
    let &[x, y, z] = args else { unreachable!("it has three operands") };
    // No law of real numbers may touch the error.
    let was = b.set_precise(true);
    let product = b.op(Op::Multiply, &[x, y]);
    let sum = b.op(Op::Add, &[product, z]);
    let second = b.op(Op::Subtract, &[sum, product]);
    let first = b.op(Op::Subtract, &[sum, second]);
    let (first, second) = (b.op(Op::Subtract, &[product, first]), b.op(Op::Subtract, &[z, second]));
    let error = b.op(Op::Add, &[first, second]);
    let odd = round_to_odd(b, sum, error, sum);
    b.set_precise(was);
    round(b, odd)
}

/// An `f64` as a half, rounded once.
fn round_double(b: &mut Builder<'_, '_>, x: Value, ty: Type) -> Value {
    let was = b.set_precise(true);
    let near = b.convert(x, ty);
    let back = b.convert(near, b.type_of(x));
    let error = b.op(Op::Subtract, &[x, back]);
    let odd = round_to_odd(b, near, error, x);
    b.set_precise(was);
    round(b, odd)
}

/// An `f32` that was rounded to nearest, rounded to odd: of the two neighbours of an exact number the one with an odd significand, so that
/// another rounding to fewer bits is the only one that counts. `error` is what was lost, `whole` has the sign of the exact number.
fn round_to_odd(b: &mut Builder<'_, '_>, near: Value, error: Value, whole: Value) -> Value {
    let (ty, error_type, whole_type) = (b.type_of(near), b.type_of(error), b.type_of(whole));
    let words = b.module.types.with_scalar(ty, Scalar::U32);
    let bits = b.op_typed(Op::Bitcast, &[near], words);
    let [zero_error, zero_whole] = [error_type, whole_type].map(|ty| float(b, ty, 0.0));
    let (below, above) = (b.op(Op::LessThan, &[error, zero_error]), b.op(Op::GreaterThan, &[error, zero_error]));
    let negative = b.op(Op::LessThan, &[whole, zero_whole]);
    let [zero, one, down] = [0, 1, 0xffff_ffff].map(|bits| integer(b, words, bits));
    // Away from zero where the error has the sign of the number. Of NaN and infinities nothing was lost.
    let (up_if_positive, up_if_negative) =
        (b.op(Op::Select, &[above, one, zero]), b.op(Op::Select, &[above, down, zero]));
    let (positive, opposite) =
        (b.op(Op::Select, &[below, down, up_if_positive]), b.op(Op::Select, &[below, one, up_if_negative]));
    let step = b.op(Op::Select, &[negative, opposite, positive]);
    let last = b.op(Op::BitwiseAnd, &[bits, one]);
    let is_even = b.op(Op::Equal, &[last, zero]);
    let step = b.op(Op::Select, &[is_even, step, zero]);
    let odd = b.op(Op::Add, &[bits, step]);
    b.op_typed(Op::Bitcast, &[odd], ty)
}
