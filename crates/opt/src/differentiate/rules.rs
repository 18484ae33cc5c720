//! Partial derivatives of ops, one row an op. The formulas, with their order of operations, are those of VL's library
//! (`crates/front/vl/library/standard.vl`) wherever it has the function.
//! whole: one table.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Type, Value};
use planish_ir::meaning::float_bits;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use smallvec::SmallVec;

/// An expression of the operands and the result of a node.
#[derive(Debug)]
pub(super) enum Expr {
    /// An operand.
    Arg(u8),
    /// The result.
    Result,
    /// A number, in each component.
    Number(f64),
    /// An op of one operand.
    Of(Op, &'static Expr),
    /// An op of two operands.
    Of2(Op, &'static Expr, &'static Expr),
    /// An op of three operands.
    Of3(Op, &'static Expr, &'static Expr, &'static Expr),
}

/// The change of the result by a change of an operand: a linear function of it.
#[derive(Debug)]
pub(super) enum Partial {
    /// Nothing.
    Zero,
    /// The same.
    Same,
    /// The opposite.
    Opposite,
    /// A multiple.
    Times(Expr),
    /// It divided by something.
    Over(Expr),
    /// The opposite of it divided by something.
    OppositeOver(Expr),
    /// The opposite where a condition holds, else the same.
    OppositeWhere(Expr),
    /// The same where a condition holds, else nothing.
    Where(Expr),
    /// Nothing where a condition holds, else the same.
    Unless(Expr),
    /// It times two to the power of an operand.
    Scaled(u8),
}

/// The change of the result of an op with its operands.
#[derive(Debug)]
pub(super) enum Rule {
    /// Not at all: it is no float, or constant between jumps.
    Constant,
    /// By the sum of what each operand changes it by.
    Sum(&'static [Partial]),
    /// As one of two operands: the first where a condition holds.
    Choice(Expr, u8, u8),
    /// By a rule of `linear`: composites and their algebra.
    Linear,
    /// By that of its memory, or of the function that is called.
    Other,
}

use Expr::{Arg, Number, Of, Of2, Of3, Result};
use Partial::{Opposite, OppositeOver, OppositeWhere, Over, Same, Scaled, Times, Unless, Where, Zero};

const X: Expr = Arg(0);
const Y: Expr = Arg(1);
const Z: Expr = Arg(2);
const RECIPROCAL: Expr = Of2(Op::Divide, &Number(1.0), &Y);
const SQUARE: Expr = Of2(Op::Multiply, &X, &X);
const RESULT_SQUARE: Expr = Of2(Op::Multiply, &Result, &Result);
/// `x² + y²`
const NORM: Expr = Of2(Op::Add, &Of2(Op::Multiply, &Y, &Y), &SQUARE);
const X_LESS: Expr = Of2(Op::LessThan, &X, &Y);
/// Of `clamp`: whether the upper bound is taken.
const ABOVE: Expr = Of2(Op::LessThan, &Z, &Of2(Op::Max, &X, &Y));
const LN_2: f64 = std::f64::consts::LN_2;

/// The rule of an op; `None` if there is none.
pub(super) fn rule(op: Op) -> Option<Rule> {
    use Rule::{Choice, Constant, Linear, Other, Sum};
    Some(match op {
        Op::Negate => Sum(&[Opposite]),
        Op::Add => Sum(&[Same, Same]),
        Op::Subtract => Sum(&[Same, Opposite]),
        Op::Multiply | Op::MatrixComponentMultiply => Sum(&[Times(Y), Times(X)]),
        Op::Divide => Sum(&[
            Times(Of2(Op::Divide, &Number(1.0), &Y)),
            Times(Of(Op::Negate, &Of2(Op::Multiply, &Of2(Op::Multiply, &X, &RECIPROCAL), &RECIPROCAL))),
        ]),
        Op::Radians => Sum(&[Times(Number(std::f64::consts::PI / 180.0))]),
        Op::Degrees => Sum(&[Times(Number(180.0 / std::f64::consts::PI))]),
        Op::Sin => Sum(&[Times(Of(Op::Cos, &X))]),
        Op::Cos => Sum(&[Times(Of(Op::Negate, &Of(Op::Sin, &X)))]),
        Op::Tan => Sum(&[Times(Of2(Op::Add, &Number(1.0), &RESULT_SQUARE))]),
        Op::Asin => Sum(&[Over(Of(Op::Sqrt, &Of2(Op::Subtract, &Number(1.0), &SQUARE)))]),
        Op::Acos => Sum(&[OppositeOver(Of(Op::Sqrt, &Of2(Op::Subtract, &Number(1.0), &SQUARE)))]),
        Op::Atan => Sum(&[Over(Of2(Op::Add, &Number(1.0), &SQUARE))]),
        Op::Sinh => Sum(&[Times(Of(Op::Cosh, &X))]),
        Op::Cosh => Sum(&[Times(Of(Op::Sinh, &X))]),
        Op::Tanh => Sum(&[Times(Of2(Op::Subtract, &Number(1.0), &RESULT_SQUARE))]),
        Op::Asinh => Sum(&[Over(Of(Op::Sqrt, &Of2(Op::Add, &SQUARE, &Number(1.0))))]),
        Op::Acosh => Sum(&[Over(Of(Op::Sqrt, &Of2(Op::Subtract, &SQUARE, &Number(1.0))))]),
        Op::Atanh => Sum(&[Over(Of2(Op::Subtract, &Number(1.0), &SQUARE))]),
        Op::Exp => Sum(&[Times(Result)]),
        Op::Log => Sum(&[Over(X)]),
        Op::Exp2 => Sum(&[Times(Of2(Op::Multiply, &Result, &Number(LN_2)))]),
        Op::Log2 => Sum(&[Over(Of2(Op::Multiply, &X, &Number(LN_2)))]),
        Op::Sqrt => Sum(&[Times(Of2(Op::Multiply, &Number(0.5), &Of2(Op::Divide, &Number(1.0), &Result)))]),
        Op::InverseSqrt => Sum(&[Times(Of2(Op::Multiply, &Number(-0.5), &Of2(Op::Divide, &Result, &X)))]),
        Op::Abs => Sum(&[OppositeWhere(Of2(Op::LessThan, &X, &Number(0.0)))]),
        Op::Fract => Sum(&[Same]),
        Op::Saturate => Sum(&[Unless(Of2(
            Op::LogicalOr,
            &Of2(Op::LessThan, &X, &Number(0.0)),
            &Of2(Op::LessThan, &Number(1.0), &X),
        ))]),
        Op::Atan2 => Sum(&[Times(Of2(Op::Divide, &Y, &NORM)), Times(Of(Op::Negate, &Of2(Op::Divide, &X, &NORM)))]),
        Op::Hypot => Sum(&[Times(Of2(Op::Divide, &X, &Result)), Times(Of2(Op::Divide, &Y, &Result))]),
        Op::Pow => Sum(&[
            Times(Of3(
                Op::Select,
                &Of2(Op::Equal, &Y, &Number(0.0)),
                &Number(0.0),
                &Of2(Op::Multiply, &Y, &Of2(Op::Pow, &X, &Of2(Op::Subtract, &Y, &Number(1.0)))),
            )),
            Times(Of3(
                Op::Select,
                &Of2(Op::Equal, &X, &Number(0.0)),
                &Number(0.0),
                &Of2(Op::Multiply, &Result, &Of(Op::Log, &X)),
            )),
        ]),
        Op::Mod => Sum(&[Same, Times(Of(Op::Negate, &Of(Op::Floor, &Of2(Op::Divide, &X, &Y))))]),
        Op::Max | Op::Maximum => Choice(X_LESS, 1, 0),
        Op::Min | Op::Minimum => Choice(Of2(Op::LessThan, &Y, &X), 1, 0),
        Op::Select => Choice(X, 1, 2),
        Op::Clamp => Sum(&[
            Unless(Of2(Op::LogicalOr, &ABOVE, &X_LESS)),
            Unless(Of2(Op::LogicalOr, &ABOVE, &Of(Op::LogicalNot, &X_LESS))),
            Where(Of2(Op::LessThan, &Z, &Of2(Op::Max, &X, &Y))),
        ]),
        Op::CopySign => Sum(&[
            Times(Of2(Op::Multiply, &Of2(Op::CopySign, &Number(1.0), &X), &Of2(Op::CopySign, &Number(1.0), &Y))),
            Zero,
        ]),
        Op::Mix => Sum(&[Times(Of2(Op::Subtract, &Number(1.0), &Z)), Times(Z), Times(Of2(Op::Subtract, &Y, &X))]),
        Op::Lerp => Sum(&[Times(Of2(Op::Subtract, &Number(1.0), &Z)), Times(Z), Times(Of2(Op::Subtract, &Y, &X))]),
        Op::Fma | Op::MultiplyAdd => Sum(&[Times(Y), Times(X), Same]),
        Op::Ldexp => Sum(&[Scaled(1), Zero]),
        Op::Sign | Op::Floor | Op::Trunc | Op::Round | Op::RoundEven | Op::Ceil | Op::Step => Constant,
        Op::IsNan | Op::IsInf | Op::ArrayLength | Op::TruncateTrapping => Constant,
        Op::Equal | Op::NotEqual | Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual => {
            Constant
        }
        Op::AggregateEqual | Op::MemorySize => Constant,
        Op::ConstructScalarFromScalar
        | Op::ConstructVectorFromScalar
        | Op::ConstructVectorFromMultiple
        | Op::ConstructMatrixFromScalar
        | Op::ConstructMatrixFromMatrix
        | Op::ConstructMatrixFromMultiple
        | Op::ExtractVectorComponent
        | Op::ExtractVectorComponentMulti
        | Op::ExtractVectorComponentDynamic
        | Op::ExtractMatrixColumn
        | Op::InsertVectorComponent
        | Op::InsertVectorComponentDynamic
        | Op::InsertMatrixColumn
        | Op::HorizontalAdd
        | Op::Dot
        | Op::Length
        | Op::Distance
        | Op::Normalize
        | Op::Cross
        | Op::Transpose
        | Op::Determinant
        | Op::Inverse
        | Op::MatrixTimesScalar
        | Op::MatrixTimesVector
        | Op::VectorTimesMatrix
        | Op::MatrixTimesMatrix
        | Op::OuterProduct => Linear,
        Op::Load | Op::Store | Op::Append | Op::AccessArrayElement | Op::MemoryLoad | Op::MemoryStore | Op::Call => {
            Other
        }
        Op::Custom | Op::CustomTrapping | Op::CustomOrdered => Other,
        _ => return None,
    })
}

/// Operands, by number, and perhaps the result.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Needs {
    pub(super) args: u32,
    pub(super) result: bool,
}

impl Needs {
    pub(super) fn add(&mut self, other: Needs) {
        self.args |= other.args;
        self.result |= other.result;
    }

    pub(super) fn of_args(args: u32) -> Self {
        Needs { args, result: false }
    }
}

impl Expr {
    pub(super) fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        match self {
            Arg(index) => needs.args = 1 << index,
            Result => needs.result = true,
            Number(_) => {}
            Of(_, x) => needs.add(x.needs()),
            Of2(_, x, y) => [x, y].into_iter().for_each(|x| needs.add(x.needs())),
            Of3(_, x, y, z) => [x, y, z].into_iter().for_each(|x| needs.add(x.needs())),
        }
        needs
    }
}

impl Partial {
    pub(super) fn needs(&self) -> Needs {
        match self {
            Zero | Same | Opposite => Needs::default(),
            Times(e) | Over(e) | OppositeOver(e) | OppositeWhere(e) | Where(e) | Unless(e) => e.needs(),
            Scaled(index) => Needs::of_args(1 << index),
        }
    }
}

/// The operands and the result of a node, where its derivative is written.
pub(super) trait Primal {
    /// An operand.
    fn arg(&mut self, index: usize, b: &mut Builder<'_, '_>) -> Value;
    /// The result.
    fn result(&mut self, b: &mut Builder<'_, '_>) -> Value;
}

/// A number in each component of a type of floats.
pub(super) fn number(b: &mut Builder<'_, '_>, ty: Type, number: f64) -> Value {
    let scalar = b.module.types.scalar_of(ty).expect("floats");
    let bits = float_bits(scalar, number);
    let module = &mut *b.module;
    module.consts.unflatten(&mut module.types, ty, &mut std::iter::repeat(bits)).expect("a type of floats").into()
}

/// The op of a product of the components of two values.
pub(super) fn times(b: &mut Builder<'_, '_>, x: Value, y: Value) -> Value {
    let is_matrix = matches!(b.module.types[b.type_of(x)], TypeKind::Matrix { .. });
    b.op(if is_matrix { Op::MatrixComponentMultiply } else { Op::Multiply }, &[x, y])
}

/// Writes an expression; numbers in it are of a type.
/// Recursion: over an expression of the table.
pub(super) fn write(e: &Expr, ty: Type, primal: &mut dyn Primal, b: &mut Builder<'_, '_>) -> Value {
    let mut operand = |e: &Expr, b: &mut Builder<'_, '_>| write(e, ty, primal, b);
    let (op, args): (Op, SmallVec<[Value; 3]>) = match e {
        Arg(index) => return primal.arg((*index).into(), b),
        Result => return primal.result(b),
        Number(x) => return number(b, ty, *x),
        Of(op, x) => (*op, [operand(x, b)].into_iter().collect()),
        Of2(op, x, y) => (*op, [operand(x, b), operand(y, b)].into_iter().collect()),
        Of3(op, x, y, z) => (*op, [operand(x, b), operand(y, b), operand(z, b)].into_iter().collect()),
    };
    match (op, &args[..]) {
        (Op::Multiply, &[x, y]) => times(b, x, y),
        _ => b.make(Request::new(op, &args)),
    }
}

/// The change of the result by a change (a tangent) of an operand; the same function takes an adjoint of the result to one of the operand.
/// `None`: it has no influence.
pub(super) fn apply(partial: &Partial, t: Value, primal: &mut dyn Primal, b: &mut Builder<'_, '_>) -> Option<Value> {
    let ty = b.type_of(t);
    // (Nothing is -0, which changes no sum.)
    let nothing = |b: &mut Builder<'_, '_>| number(b, ty, -0.0);
    Some(match partial {
        Zero => return None,
        Same => t,
        Opposite => b.op(Op::Negate, &[t]),
        Times(e) => {
            let factor = write(e, ty, primal, b);
            times(b, factor, t)
        }
        Over(e) | OppositeOver(e) => {
            let divisor = write(e, ty, primal, b);
            let quotient = b.op(Op::Divide, &[t, divisor]);
            if matches!(partial, Over(_)) { quotient } else { b.op(Op::Negate, &[quotient]) }
        }
        OppositeWhere(e) => {
            let (condition, opposite) = (write(e, ty, primal, b), b.op(Op::Negate, &[t]));
            b.op(Op::Select, &[condition, opposite, t])
        }
        Where(e) => {
            let (condition, nothing) = (write(e, ty, primal, b), nothing(b));
            b.op(Op::Select, &[condition, t, nothing])
        }
        Unless(e) => {
            let (condition, nothing) = (write(e, ty, primal, b), nothing(b));
            b.op(Op::Select, &[condition, nothing, t])
        }
        Scaled(index) => {
            let exponent = primal.arg((*index).into(), b);
            b.op(Op::Ldexp, &[t, exponent])
        }
    })
}

/// The change of one of two operands: where a condition holds that of the first.
pub(super) fn choose(
    condition: &Expr,
    tangents: [Option<Value>; 2],
    primal: &mut dyn Primal,
    b: &mut Builder<'_, '_>,
) -> Option<Value> {
    let ty = b.type_of(tangents[0].or(tangents[1])?);
    let [x, y] = tangents.map(|t| t.unwrap_or_else(|| number(b, ty, 0.0)));
    let condition = write(condition, ty, primal, b);
    Some(b.op(Op::Select, &[condition, x, y]))
}
