//! Functions of floats: signs, roundings, powers, roots, and vectors as geometry.

use planish_ir::entity::Value;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use super::Law::{AnyNan, Associative, Exact, Finite, RealFunctions};
use super::boolean::either_way;
use super::site::float;
use super::{Rule, Site, rule};

const ROUNDINGS: &[Op] = &[Op::Floor, Op::Ceil, Op::Trunc, Op::Round, Op::RoundEven];
const EVEN: &[Op] = &[Op::Cos, Op::Cosh, Op::Abs, Op::Length];

/// The rules.
pub(super) static RULES: &[Rule] = &[
    rule("abs_of_positive", &[Op::Abs], Exact, "abs(x) → x where x has no sign: exp, length, x * x, unsigned", |s| {
        let x = s.arg(0);
        if s.unsigned().is_some() {
            return Some(x);
        }
        s.floats()?;
        let positive = match s.def(x)? {
            (Op::Exp | Op::Exp2 | Op::Cosh | Op::Length | Op::Distance, ..) => true,
            (Op::Multiply, _, &[a, b]) => a == b,
            _ => false,
        };
        positive.then_some(x)
    }),
    rule("even_function", EVEN, Exact, "abs(-x) → abs(x), abs(abs(x)) → abs(x); also cos, cosh, length", |s| {
        let (inner, _, &[x, ..]) = s.def(s.arg(0))? else { return None };
        match inner {
            Op::Negate => Some(s.make(s.op(), &[x])),
            Op::Abs if s.op() == Op::Abs => Some(s.arg(0)),
            Op::Abs if s.is_float(x) => Some(s.make(s.op(), &[x])),
            Op::CopySign if s.op() == Op::Abs => Some(s.make(Op::Abs, &[x])),
            _ => None,
        }
    }),
    rule("sign_of_sign", &[Op::Sign], Exact, "sign(sign(x)) → sign(x)", |s| {
        s.unary(s.arg(0), Op::Sign).map(|_| s.arg(0))
    }),
    rule(
        "round_rounded",
        ROUNDINGS,
        Exact,
        "floor(ceil(x)) → ceil(x), floor(float(i)) → float(i); all roundings",
        |s| {
            let whole = match s.def(s.arg(0))? {
                (op, ..) if ROUNDINGS.contains(&op) || op == Op::Sign => true,
                (Op::ConstructScalarFromScalar, _, &[x]) => s.scalar_of(x).is_some_and(Scalar::is_integer),
                _ => false,
            };
            whole.then(|| s.arg(0))
        },
    ),
    rule("fraction_of_rounded", &[Op::Fract], Finite, "fract(floor(x)) → 0.0", |s| {
        let (op, ..) = s.def(s.arg(0))?;
        ROUNDINGS.contains(&op).then(|| s.zero())
    }),
    rule("subtract_floor", &[Op::Subtract], Exact, "x - floor(x) → fract(x)", |s| {
        let (x, floor) = s.pair();
        (s.unary(floor, Op::Floor) == Some(x)).then(|| s.make(Op::Fract, &[x]))
    }),
    rule("subtract_fraction", &[Op::Subtract], Associative, "x - fract(x) → floor(x)", |s| {
        let (x, fraction) = s.pair();
        (s.unary(fraction, Op::Fract) == Some(x)).then(|| s.make(Op::Floor, &[x]))
    }),
    rule("mod_one", &[Op::Mod], Exact, "mod(x, 1.0) → fract(x)", |s| {
        s.is_number(s.arg(1), 1.0).then(|| s.make(Op::Fract, &[s.arg(0)]))
    }),
    rule(
        "fma_constants",
        &[Op::Fma],
        Exact,
        "fma(x, 1.0, z) → x + z, fma(x, -1.0, z) → z - x, fma(x, y, -0.0) → x * y",
        |s| {
            let (x, y, z) = (s.arg(0), s.arg(1), s.arg(2));
            if s.is_number(z, -0.0) {
                return Some(s.make(Op::Multiply, &[x, y]));
            }
            let (x, y) = if x.as_const().is_some() { (y, x) } else { (x, y) };
            if s.is_number(y, 1.0) {
                return Some(s.make(Op::Add, &[x, z]));
            }
            s.is_number(y, -1.0).then(|| s.make(Op::Subtract, &[z, x]))
        },
    ),
    rule("fma_negated", &[Op::Fma], Exact, "fma(-x, -y, z) → fma(x, y, z)", |s| {
        let (x, y) = (s.unary(s.arg(0), Op::Negate)?, s.unary(s.arg(1), Op::Negate)?);
        Some(s.make(Op::Fma, &[x, y, s.arg(2)]))
    }),
    rule("load_exponent", &[Op::Ldexp], Exact, "ldexp(x, c) → x * 2^c", |s| {
        let scalar = s.scalar_of(s.arg(0))?;
        let exponents = s.arg(1);
        let limit = match scalar {
            Scalar::F16 => 14,
            Scalar::F32 => 126,
            _ => 1022,
        };
        if !s.all(exponents, |bits| (bits as u32 as i32).unsigned_abs() <= limit) {
            return None;
        }
        let one = s.number(s.ty(), 1.0);
        let power = s.fold(Op::Ldexp, &[one, exponents])?;
        Some(s.make(Op::Multiply, &[s.arg(0), power]))
    }),
    rule("copy_own_sign", &[Op::CopySign], Exact, "copy_sign(x, x) → x, copy_sign(x, 1.0) → abs(x)", |s| {
        let (x, y) = s.pair();
        if x == y {
            return Some(x);
        }
        let sign = u64::from(s.scalar_of(x)?.bits() - 1);
        s.all(y, |bits| bits >> sign & 1 == 0).then(|| s.make(Op::Abs, &[x]))
    }),
    rule(
        "copy_sign_to",
        &[Op::CopySign],
        Exact,
        "copy_sign(-x, y) → copy_sign(x, y); also abs(x), copy_sign(x, z)",
        |s| {
            let (Op::Negate | Op::Abs | Op::CopySign, _, &[x, ..]) = s.def(s.arg(0))? else { return None };
            Some(s.make(Op::CopySign, &[x, s.arg(1)]))
        },
    ),
    rule("dot_of_scalars", &[Op::Dot], Exact, "dot(x, y) → x * y (scalars)", |s| {
        (s.size_of(s.arg(0)) == 1).then(|| s.make(Op::Multiply, s.args()))
    }),
    rule("length_of_scalar", &[Op::Length], AnyNan, "length(x) → abs(x) (a scalar)", |s| {
        (s.size_of(s.arg(0)) == 1).then(|| s.make(Op::Abs, s.args()))
    }),
    rule("length_of_difference", &[Op::Length], Exact, "length(x - y) → distance(x, y)", |s| {
        let (x, y) = s.binary(s.arg(0), Op::Subtract)?;
        Some(s.make(Op::Distance, &[x, y]))
    }),
    rule("root_of_dot", &[Op::Sqrt], Exact, "sqrt(dot(x, x)) → length(x) (vectors)", |s| {
        let (x, y) = s.binary(s.arg(0), Op::Dot)?;
        (x == y && s.size_of(x) > 1).then(|| s.make(Op::Length, &[x]))
    }),
    rule("divide_by_length", &[Op::Divide], Exact, "x / vector(length(x)) → normalize(x)", |s| {
        let (x, y) = s.pair();
        let length = s.unary(y, Op::ConstructVectorFromScalar)?;
        (s.unary(length, Op::Length) == Some(x)).then(|| s.make(Op::Normalize, &[x]))
    }),
    rule("distance_to_zero", &[Op::Distance], Exact, "distance(x, 0) → length(x)", |s| {
        let (x, y) = s.pair();
        match () {
            _ if s.is_zero(y) => Some(s.make(Op::Length, &[x])),
            _ if s.is_zero(x) => Some(s.make(Op::Length, &[y])),
            _ => None,
        }
    }),
    rule(
        "distance_in_order",
        &[Op::Distance],
        Exact,
        "distance(y, x) → distance(x, y), distance(-x, -y) → distance(x, y)",
        |s| {
            let (x, y) = s.pair();
            if let (Some(x), Some(y)) = (s.unary(x, Op::Negate), s.unary(y, Op::Negate)) {
                return Some(s.make(Op::Distance, &[x, y]));
            }
            (x > y).then(|| s.make(Op::Distance, &[y, x]))
        },
    ),
    rule("product_of_negated_vectors", &[Op::Dot, Op::Cross], Exact, "dot(-x, -y) → dot(x, y); also cross", |s| {
        let (x, y) = s.pair();
        let (x, y) = (s.unary(x, Op::Negate)?, s.unary(y, Op::Negate)?);
        Some(s.make(s.op(), &[x, y]))
    }),
    rule("dot_zero", &[Op::Dot, Op::Cross], Finite, "dot(x, 0) → 0, cross(x, 0) → 0, cross(x, x) → 0", |s| {
        let (x, y) = s.pair();
        let parallel = s.op() == Op::Cross && x == y;
        (s.is_zero(x) || s.is_zero(y) || parallel).then(|| s.zero())
    }),
    rule("dot_of_scaled", &[Op::Dot], Associative, "dot(x * c, d) → dot(x, c * d)", |s| {
        let (product, d) = s.pair();
        let (x, c) = s.binary(product, Op::Multiply)?;
        let both = s.fold(Op::Multiply, &[c, d])?;
        Some(s.make(Op::Dot, &[x, both]))
    }),
    rule("dot_with_unit", &[Op::Dot], Finite, "dot(v, (0, 1, 0)) → v.y", |s| {
        let (v, unit) = s.pair();
        let parts: smallvec::SmallVec<[Value; 4]> =
            s.b.module.consts.as_parts(unit.as_const()?)?.iter().map(|&c| c.into()).collect();
        let lane = parts.iter().position(|&p| !s.is_zero(p))?;
        let others = parts.iter().enumerate().all(|(i, &p)| i == lane || s.is_zero(p));
        let unit = others && s.is_number(parts[lane], 1.0);
        let index = planish_ir::ops::Imm::index(lane as u32);
        unit.then(|| s.make_imm(Op::ExtractVectorComponent, index, &[v]))
    }),
    rule("normalize_scalar", &[Op::Normalize], Finite, "normalize(x) → sign(x) (a scalar)", |s| {
        (s.size_of(s.arg(0)) == 1).then(|| s.make(Op::Sign, s.args()))
    }),
    rule("normalize_normalized", &[Op::Normalize], RealFunctions, "normalize(normalize(x)) → normalize(x)", |s| {
        s.unary(s.arg(0), Op::Normalize).map(|_| s.arg(0))
    }),
    rule(
        "normalize_scaled",
        &[Op::Normalize],
        RealFunctions,
        "normalize(x * c) → normalize(x) (c one positive number)",
        |s| {
            let (x, c) = s.binary(s.arg(0), Op::Multiply)?;
            let (bits, scalar) = (s.uniform_bits(c)?, s.scalar_of(c)?);
            (float(scalar, bits) > 0.0).then(|| s.make(Op::Normalize, &[x]))
        },
    ),
    rule("length_of_normalized", &[Op::Length], RealFunctions, "length(normalize(x)) → 1.0", |s| {
        s.unary(s.arg(0), Op::Normalize)?;
        Some(s.number(s.ty(), 1.0))
    }),
    rule(
        "normalize_by_root",
        &[Op::Multiply],
        RealFunctions,
        "x * vector(inverse_sqrt(dot(x, x))) → normalize(x)",
        |s| {
            either_way(s, |s, x, y| {
                let root = s.unary(y, Op::ConstructVectorFromScalar)?;
                let dot = s.unary(root, Op::InverseSqrt)?;
                (s.binary(dot, Op::Dot) == Some((x, x))).then(|| s.make(Op::Normalize, &[x]))
            })
        },
    ),
    rule(
        "inverse_of_root",
        &[Op::Divide],
        RealFunctions,
        "1.0 / sqrt(x) → inverse_sqrt(x), 1.0 / inverse_sqrt(x) → sqrt(x)",
        |s| {
            let (one, y) = s.pair();
            if !s.is_number(one, 1.0) {
                return None;
            }
            inverse_root(s, y)
        },
    ),
    rule(
        "divide_by_root",
        &[Op::Divide],
        RealFunctions,
        "x / sqrt(x) → sqrt(x), sqrt(x) / x → inverse_sqrt(x)",
        |s| {
            let (x, y) = s.pair();
            if s.unary(y, Op::Sqrt) == Some(x) {
                return Some(y);
            }
            (s.unary(x, Op::Sqrt) == Some(y)).then(|| s.make(Op::InverseSqrt, &[y]))
        },
    ),
    rule(
        "root_times_root",
        &[Op::Multiply],
        RealFunctions,
        "sqrt(x) * sqrt(x) → x, sqrt(x) * inverse_sqrt(x) → 1.0",
        root_times_root,
    ),
    rule("root_of_square", &[Op::Sqrt], RealFunctions, "sqrt(x * x) → abs(x)", |s| {
        let (x, y) = s.binary(s.arg(0), Op::Multiply)?;
        (x == y).then(|| s.make(Op::Abs, &[x]))
    }),
    rule(
        "compare_root",
        &[Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual],
        RealFunctions,
        "sqrt(x) < c → x < c * c, length(v) < c → dot(v, v) < c * c (c positive)",
        |s| {
            let (root, c) = s.pair();
            let (op, _, &[x]) = s.def(root)? else { return None };
            let scalar = s.scalar_of(c)?;
            if !matches!(op, Op::Sqrt | Op::Length) || !s.all(c, |bits| (1e-15..1e15).contains(&float(scalar, bits))) {
                return None;
            }
            let square = s.fold(Op::Multiply, &[c, c])?;
            let x = if op == Op::Sqrt { x } else { s.make(Op::Dot, &[x, x]) };
            Some(s.make(s.op(), &[x, square]))
        },
    ),
    rule(
        "inverse_functions",
        &[Op::Exp, Op::Log, Op::Exp2, Op::Log2, Op::Radians, Op::Degrees, Op::Sin, Op::Cos, Op::Tan],
        RealFunctions,
        "exp(log(x)) → x, log(exp(x)) → x, sin(asin(x)) → x, …",
        |s| {
            let inverse = match s.op() {
                Op::Exp => Op::Log,
                Op::Log => Op::Exp,
                Op::Exp2 => Op::Log2,
                Op::Log2 => Op::Exp2,
                Op::Radians => Op::Degrees,
                Op::Degrees => Op::Radians,
                Op::Sin => Op::Asin,
                Op::Cos => Op::Acos,
                _ => Op::Atan,
            };
            s.unary(s.arg(0), inverse)
        },
    ),
    rule("sine_by_cosine", &[Op::Divide], RealFunctions, "sin(x) / cos(x) → tan(x)", |s| {
        let (sine, cosine) = s.pair();
        let x = s.unary(sine, Op::Sin)?;
        (s.unary(cosine, Op::Cos) == Some(x)).then(|| s.make(Op::Tan, &[x]))
    }),
    rule("squares_of_sine_and_cosine", &[Op::Add], RealFunctions, "sin(x) * sin(x) + cos(x) * cos(x) → 1.0", |s| {
        let square = |v, op| {
            let (x, y) = s.binary(v, Op::Multiply)?;
            if x == y { s.unary(x, op) } else { None }
        };
        let (p, q) = s.pair();
        let x = square(p, Op::Sin).or_else(|| square(q, Op::Sin))?;
        let other = square(q, Op::Cos).or_else(|| square(p, Op::Cos))?;
        (x == other).then(|| s.number(s.ty(), 1.0))
    }),
    rule("power_of_one", &[Op::Pow], Exact, "pow(1.0, y) → 1.0", |s| s.is_number(s.arg(0), 1.0).then(|| s.arg(0))),
    rule("power_of_two", &[Op::Pow], RealFunctions, "pow(2.0, y) → exp2(y)", |s| {
        s.is_number(s.arg(0), 2.0).then(|| s.make(Op::Exp2, &[s.arg(1)]))
    }),
    rule(
        "constant_power",
        &[Op::Pow],
        RealFunctions,
        "pow(x, 0.0) → 1.0, pow(x, 2.0) → x * x, pow(x, 0.5) → sqrt(x), … (0, ±0.5, ±1, 2, 3, 4, 5, 6, 8)",
        constant_power,
    ),
    rule("power_of_power", &[Op::Pow], RealFunctions, "pow(pow(x, c), d) → pow(x, c * d) (constants)", |s| {
        let (inner, d) = s.pair();
        let (x, c) = s.binary(inner, Op::Pow)?;
        let both = s.fold(Op::Multiply, &[c, d])?;
        Some(s.make(Op::Pow, &[x, both]))
    }),
];

/// `1 / sqrt(y)` or `1 / inverse_sqrt(y)`.
fn inverse_root(s: &mut Site<'_, '_, '_>, y: Value) -> Option<Value> {
    let (op, _, &[x]) = s.def(y)? else { return None };
    match op {
        Op::Sqrt => Some(s.make(Op::InverseSqrt, &[x])),
        Op::InverseSqrt => Some(s.make(Op::Sqrt, &[x])),
        _ => None,
    }
}

/// Products of roots of one number. `x * inverse_sqrt(x)` stays: programs that contain it also use the inverse elsewhere.
fn root_times_root(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    either_way(s, |s, x, y| {
        let (op, _, &[of]) = s.def(y)? else { return None };
        match op {
            Op::Sqrt if x == y => Some(of),
            Op::InverseSqrt if s.unary(x, Op::Sqrt) == Some(of) => Some(s.number(s.ty(), 1.0)),
            _ => None,
        }
    })
}

/// Small powers as products and roots.
fn constant_power(s: &mut Site<'_, '_, '_>) -> Option<Value> {
    let (x, y) = s.pair();
    let power = float(s.scalar_of(y)?, s.uniform_bits(y)?);
    match power {
        0.0 => Some(s.number(s.ty(), 1.0)),
        1.0 => Some(x),
        2.0 => Some(s.make(Op::Multiply, &[x, x])),
        3.0 => {
            let square = s.make(Op::Multiply, &[x, x]);
            Some(s.make(Op::Multiply, &[square, x]))
        }
        4.0 | 5.0 | 6.0 | 8.0 => {
            let square = s.make(Op::Multiply, &[x, x]);
            let fourth = s.make(Op::Multiply, &[square, square]);
            match power {
                4.0 => Some(fourth),
                5.0 => Some(s.make(Op::Multiply, &[fourth, x])),
                6.0 => Some(s.make(Op::Multiply, &[fourth, square])),
                _ => Some(s.make(Op::Multiply, &[fourth, fourth])),
            }
        }
        0.5 => Some(s.make(Op::Sqrt, &[x])),
        -0.5 => Some(s.make(Op::InverseSqrt, &[x])),
        -1.0 => {
            let one = s.number(s.ty(), 1.0);
            Some(s.make(Op::Divide, &[one, x]))
        }
        _ => None,
    }
}
