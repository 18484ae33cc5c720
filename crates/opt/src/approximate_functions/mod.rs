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
//! | `sin`, `cos`, `tan` | the multiple of π (of π/2, and for both sine and cosine of one angle) taken off in five parts, or in three below 190, a polynomial; where a lane is beyond 25,000 in `f64`, where one is beyond 2^25 the exact functions |
//! | `atan`, `atan2` | the quotient brought below `tan(π/8)` with one division |
//! | `asin`, `acos` | beyond 1/2 by the root of `(1 - \|x\|) / 2` |
//! | `tanh` | beyond 0.63 `1 - 2 / (exp(2x) + 1)` |
//! | `inverse_sqrt` | `1 / sqrt(x)` |
//!
//! Polynomials are Chebyshev interpolants, as Cephes and musl have them with other coefficients; none has a fused operation.
//! `docs/numerics.md` has the errors. Other ops, and all others of these than on `lanes` lanes of `f32`, are left alone. Holds before: a
//! valid module.

mod angles;
mod bounds;
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
use planish_ir::walk;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use self::bounds::Bounds;
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
    run_with(module, lanes, None);
}

/// As [`run`], where the parameters of one function have greatest magnitudes.
pub fn run_with(module: &mut Module, lanes: u8, params: Option<(Func, &[f64])>) {
    let ty = module.types.vector(Scalar::F32, lanes);
    let has = |body: &Body| {
        body.nodes().any(|(node, data)| {
            APPROXIMATED.contains(&data.op) && body.result(node).is_some_and(|local| body.local_type(local) == ty)
        })
    };
    let funcs: Vec<Func> =
        module.funcs.iter().filter(|(_, f)| f.body.as_ref().is_some_and(has)).map(|(func, _)| func).collect();
    let mut stage = Approximate { ty, functions: FxHashMap::default(), plans: FxHashMap::default(), both: Vec::new() };
    for func in funcs {
        let body = module.funcs[func].body.as_ref().expect("it has a body");
        let magnitudes = params.filter(|&(of, _)| of == func).map_or(&[][..], |(_, magnitudes)| magnitudes);
        stage.plan(&Bounds { module, body, params: magnitudes });
        restage(module, func, Policy::PLAIN, &mut stage);
    }
    for (key, func) in stage.functions {
        write::function(module, func, key);
    }
}

struct Approximate {
    /// Lanes of `f32`.
    ty: Type,
    functions: FxHashMap<Key, Func>,
    /// By node of the function that is read, a function of an angle.
    plans: FxHashMap<Node, Plan>,
    /// The sine and cosine of one angle, once they are computed.
    both: Vec<Option<[Value; 2]>>,
}

/// The function that computes an op.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    op: Op,
    /// Sine and cosine.
    is_both: bool,
    /// The bits of its second operand, if that is known and the same in all lanes.
    known: Option<u32>,
    reach: Reach,
}

/// The magnitudes of angles that a function takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Reach {
    /// At most [`angles::SMALL_ANGLE`].
    Small,
    /// At most [`angles::LARGE_ANGLE`].
    Ordinary,
    All,
}

/// The function of an angle.
#[derive(Clone, Copy, Debug)]
struct Plan {
    reach: Reach,
    /// The number of the angle, if both its sine and its cosine are computed in the block.
    both: Option<usize>,
}

impl Approximate {
    /// Finds the bounds of angles, and those of which both sine and cosine are computed.
    fn plan(&mut self, bounds: &Bounds<'_>) {
        let body = bounds.body;
        self.plans.clear();
        self.both.clear();
        for block in walk::blocks(body) {
            let mut angles: FxHashMap<Value, SmallVec<[Node; 2]>> = FxHashMap::default();
            for &node in &body.blocks[block].nodes {
                if matches!(body.node(node).op, Op::Sin | Op::Cos | Op::Tan) && self.is_ours(body, node) {
                    angles.entry(body.args(node)[0]).or_default().push(node);
                }
            }
            for (angle, nodes) in angles {
                let magnitude = bounds.magnitude(angle);
                let reach = match magnitude {
                    _ if magnitude <= angles::SMALL_ANGLE => Reach::Small,
                    _ if magnitude <= angles::LARGE_ANGLE => Reach::Ordinary,
                    _ => Reach::All,
                };
                let has = |op: Op| nodes.iter().any(|&node| body.node(node).op == op);
                let both = (has(Op::Sin) && has(Op::Cos)).then_some(self.both.len());
                self.both.extend(both.map(|_| None));
                for node in nodes {
                    let both = both.filter(|_| body.node(node).op != Op::Tan);
                    self.plans.insert(node, Plan { reach, both });
                }
            }
        }
    }

    fn is_ours(&self, body: &Body, node: Node) -> bool {
        body.result(node).is_some_and(|local| body.local_type(local) == self.ty)
    }

    /// The function of a key, which is written later.
    fn function(&mut self, module: &mut Module, key: Key, count: usize) -> Func {
        let ty = self.ty;
        *self.functions.entry(key).or_insert_with(|| {
            let name = if key.is_both { "sin_cos" } else { key.op.text() };
            declare(module, &format!("{name}_lanes"), ty, [count, 1 + usize::from(key.is_both)])
        })
    }
}

impl Stage for Approximate {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let op = old.node(node).op;
        if !self.is_ours(old, node) || !APPROXIMATED.contains(&op) {
            return copy_node(old, node, args, builder);
        }
        let known = args.get(1).and_then(|&arg| splat(builder, arg));
        if op == Op::Pow
            && let Some(value) = known.and_then(|bits| powers::product(builder, args[0], f32::from_bits(bits)))
        {
            return smallvec![value];
        }
        let plan = self.plans.get(&node).copied().unwrap_or(Plan { reach: Reach::All, both: None });
        if let Some(number) = plan.both {
            let key = Key { op: Op::Sin, is_both: true, known: None, reach: plan.reach };
            let func = self.function(builder.module, key, 1);
            let found = self.both[number].get_or_insert_with(|| {
                let results = builder.call(func.into(), args);
                [results[0], results[1]]
            });
            return smallvec![found[usize::from(op == Op::Cos)]];
        }
        let count = if known.is_some() { 1 } else { args.len() };
        let func = self.function(builder.module, Key { op, is_both: false, known, reach: plan.reach }, count);
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

/// A function of lanes.
fn declare(module: &mut Module, name: &str, ty: Type, [count, results]: [usize; 2]) -> Func {
    let param = |i: usize| Param::new(Name::new(["x", "y"][i], NameSource::Internal), ty);
    let name = Name::new(name, NameSource::Internal);
    module.add_func(name, (0..count).map(param).collect(), vec![ResultType::new(ty); results], Span::NONE)
}
