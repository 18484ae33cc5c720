//! Elementary functions of lanes become functions of the IR, in `f32`: polynomials instead of a call of the exact one for each lane.
//!
//! ```text
//! before: %2 = sin %1        after: %2 = call @sin_lanes, %1
//! ```
//!
//! | op | method |
//! | --- | --- |
//! | `exp`, `exp2` | `2^k · p(f)` with `\|f\| ≤ 1/2`; the factor in two steps, so that subnormal results are rounded once |
//! | `log`, `log2` | exponent and `f - f²/2 + s·(f²/2 + p(s²))` with `s = f / (2 + f)` for the significand `1 + f` in [√½, √2) |
//! | `pow` | `exp2(y · log2(x))`, logarithm and product as sums of two numbers; products and a root for exponents 1/2, 1, 3/2, 2, 3, 4, 5, 6 and 8 |
//! | `sin`, `cos`, `tan` | the multiple of π (of π/2) taken off in five parts, a polynomial; where a lane is beyond 25,000 in `f64`, where one is beyond 2^25 the exact functions |
//! | `atan`, `atan2` | the quotient brought below `tan(π/8)` with one division |
//! | `asin`, `acos` | beyond 1/2 by the root of `(1 - \|x\|) / 2` |
//! | `tanh` | beyond 0.63 `1 - 2 / (exp(2x) + 1)` |
//! | `inverse_sqrt` | `1 / sqrt(x)` |
//!
//! Polynomials are Chebyshev interpolants, as Cephes and musl have them with other coefficients; none has a fused operation.
//! `docs/numerics.md` has the errors. Other ops, and all others of these than on `lanes` lanes of `f32`, are left alone. Holds before: a
//! valid module.

mod angles;
mod powers;
mod write;

use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::{Body, Param, ResultType};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::restage::{Stage, copy_node, restage};

/// The ops that are approximated.
pub const APPROXIMATED: [Op; 14] = [
    Op::Exp,
    Op::Exp2,
    Op::Log,
    Op::Log2,
    Op::Pow,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Atan2,
    Op::Tanh,
    Op::InverseSqrt,
];

/// Greatest errors in units of the last place, as `docs/numerics.md` has them.
pub const MOST_ERRORS: &[(Op, f64)] = &[
    (Op::Exp, 1.1),
    (Op::Exp2, 1.2),
    (Op::Log, 0.85),
    (Op::Log2, 0.85),
    (Op::Pow, 16.0),
    (Op::Sin, 2.4),
    (Op::Cos, 2.4),
    (Op::Tan, 4.0),
    (Op::Asin, 2.6),
    (Op::Acos, 1.4),
    (Op::Atan, 2.2),
    (Op::Atan2, 2.3),
    (Op::Tanh, 1.4),
    (Op::InverseSqrt, 1.5),
];

/// The error of a result in units of the last place of the exact one; infinite if it is of another kind, or a zero of the other sign.
pub fn error(found: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if rounded.is_nan() || found.is_nan() {
        return if rounded.is_nan() && found.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if rounded == 0.0 && found == 0.0 {
        return if rounded.is_sign_negative() == found.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    // As if there were exponents beyond those of `f32`.
    let number = |x: f64| if x.is_infinite() { 2.0f64.powi(128).copysign(x) } else { x };
    if exact.is_infinite() && found.is_finite() {
        return f64::INFINITY;
    }
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    let unit = 2.0f64.powi(exponent.clamp(-126, 127) - 23);
    let exact = if exact.abs() >= 2.0f64.powi(128) { 2.0f64.powi(128).copysign(exact) } else { exact };
    (number(found.into()) - exact).abs() / unit
}

/// Approximates the elementary functions of `lanes` lanes in every function.
pub fn run(module: &mut Module, lanes: u8) {
    let ty = module.types.vector(Scalar::F32, lanes);
    let has = |body: &Body| {
        body.nodes().any(|(node, data)| {
            APPROXIMATED.contains(&data.op) && body.result(node).is_some_and(|local| body.local_type(local) == ty)
        })
    };
    let funcs: Vec<Func> =
        module.funcs.iter().filter(|(_, f)| f.body.as_ref().is_some_and(has)).map(|(func, _)| func).collect();
    let mut stage = Approximate { ty, functions: FxHashMap::default() };
    for func in funcs {
        restage(module, func, Policy::PLAIN, &mut stage);
    }
    for ((op, known), func) in stage.functions {
        write::function(module, func, op, known);
    }
}

struct Approximate {
    /// Lanes of `f32`.
    ty: Type,
    functions: FxHashMap<Key, Func>,
}

/// An op, and the bits of its second operand, if that is known and the same in all lanes.
type Key = (Op, Option<u32>);

impl Stage for Approximate {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let op = old.node(node).op;
        let is_ours = old.result(node).is_some_and(|local| old.local_type(local) == self.ty);
        if !is_ours || !APPROXIMATED.contains(&op) {
            return copy_node(old, node, args, builder);
        }
        let known = args.get(1).and_then(|&arg| splat(builder, arg));
        if op == Op::Pow
            && let Some(value) = known.and_then(|bits| powers::product(builder, args[0], f32::from_bits(bits)))
        {
            return smallvec![value];
        }
        let (ty, count) = (self.ty, if known.is_some() { 1 } else { args.len() });
        let func = *self.functions.entry((op, known)).or_insert_with(|| declare(builder.module, op, ty, count));
        builder.call(func.into(), &args[..count])
    }
}

/// The bits of a constant that is the same in all lanes.
fn splat(b: &Builder<'_, '_>, value: Value) -> Option<u32> {
    let consts = &b.module.consts;
    let mut parts = consts.as_parts(value.as_const()?)?.iter().map(|&part| consts.as_bits(part));
    let first = parts.next()??;
    parts.all(|part| part == Some(first)).then_some(first as u32)
}

fn declare(module: &mut Module, op: Op, ty: Type, count: usize) -> Func {
    let param = |i: usize| Param::new(Name::new(["x", "y"][i], NameSource::Internal), ty);
    let name = Name::new(format!("{}_lanes", op.text()), NameSource::Internal);
    module.add_func(name, (0..count).map(param).collect(), vec![ResultType::new(ty)], Span::NONE)
}
