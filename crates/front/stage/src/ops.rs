//! Operators and comparisons.

use std::ops;
use std::panic::Location;

use planish_ir::builder::Request;
use planish_ir::entity::Value;
use planish_ir::ops::{Imm, ImmKind, Op};

use crate::control::select;
use crate::floats::Float;
use crate::ints::Integer;
use crate::rep::{Element, Part, Rep};
use crate::session::{self, Place};
use crate::staged::Stage;

/// An op on staged values.
#[track_caller]
pub(crate) fn apply<T: Element>(op: Op, parts: &[Part], place: Place) -> Rep<T> {
    let may_be_free = op.info().imm == ImmKind::Order && T::SCALAR.is_float();
    let is_free = may_be_free && session::with(|session| session.reassociates());
    apply_imm(op, if is_free { Imm::REASSOCIABLE } else { Imm::NONE }, parts, place)
}

/// An op with an immediate on staged values.
#[track_caller]
pub(crate) fn apply_imm<T: Element>(op: Op, imm: Imm, parts: &[Part], place: Place) -> Rep<T> {
    session::with(|session| {
        let args: Vec<Value> = parts.iter().map(|&part| session.used(part, place)).collect();
        let ty = T::ty(&mut session.module.types);
        let value = session.build(place, |b| {
            let request = Request::new(op, &args).imm(imm);
            b.make(request.ty(ty))
        });
        Rep::of(session.part(value, place, T::ty))
    })
}

/// Numbers.
pub trait Number: Element {
    /// The sum of nothing: 0, of floats -0, which changes no other.
    const ZERO: Self;
    /// The product of nothing: 1.
    const UNIT: Self;

    /// Whether one stands before another in ascending order; floats by [`f64::total_cmp`].
    #[doc(hidden)]
    fn is_before(a: Rep<Self>, b: Rep<Self>) -> Rep<bool>;
}

macro_rules! numbers {
    ($($scalar:ty: $zero:literal $unit:literal, $x:ident => $rank:expr;)*) => {$(
        impl Number for $scalar {
            const ZERO: Self = $zero;
            const UNIT: Self = $unit;

            fn is_before(a: Rep<Self>, b: Rep<Self>) -> Rep<bool> {
                let rank = |$x: Rep<Self>| $rank;
                rank(a).lt(rank(b))
            }
        }
    )*};
}

numbers! {
    i32: 0 1, x => x;
    u32: 0 1, x => x;
    i64: 0 1, x => x;
    u64: 0 1, x => x;
    // (Of negative floats the other bits count backwards.)
    f32: -0.0 1.0, x => { let bits = x.bitcast::<i32>(); bits ^ ((bits >> 31).bitcast::<u32>() >> 1).bitcast::<i32>() };
    f64: -0.0 1.0, x => { let bits = x.bitcast::<i64>(); bits ^ ((bits >> 63).bitcast::<u64>() >> 1).bitcast::<i64>() };
}

/// The result of `min` or `max`.
#[track_caller]
fn bound<T: Number>(op: Op, x: Rep<T>, other: impl Stage<Rep<T>>) -> Rep<T> {
    let (place, other) = (Location::caller(), other.stage());
    let bound: Rep<T> = apply(op, &[x.part, other.part], place);
    // The op gives its first operand if one is NaN.
    if T::SCALAR.is_float() { select(apply(Op::IsNan, &[x.part], place), other, bound) } else { bound }
}

impl<T: Number> Rep<T> {
    /// The lesser of both; of a NaN and a number, the number.
    #[track_caller]
    #[must_use]
    pub fn min(self, other: impl Stage<Rep<T>>) -> Rep<T> {
        bound(Op::Min, self, other)
    }

    /// The greater of both; of a NaN and a number, the number.
    #[track_caller]
    #[must_use]
    pub fn max(self, other: impl Stage<Rep<T>>) -> Rep<T> {
        bound(Op::Max, self, other)
    }
}

/// Operators between staged values, and between a staged value and a constant on either side.
macro_rules! binary {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident, $bound:ident, $op:expr, for $($scalar:ident)*;)*) => {$(
        impl<T: $bound> ops::$trait<Rep<T>> for Rep<T> {
            type Output = Rep<T>;

            #[track_caller]
            fn $method(self, other: Rep<T>) -> Rep<T> {
                apply($op(T::SCALAR), &[self.part, other.part], Location::caller())
            }
        }

        impl<T: $bound> ops::$trait<T> for Rep<T> {
            type Output = Rep<T>;

            #[track_caller]
            fn $method(self, other: T) -> Rep<T> {
                apply($op(T::SCALAR), &[self.part, other.stage().part], Location::caller())
            }
        }

        impl<T: $bound, R> ops::$assign<R> for Rep<T>
        where
            Rep<T>: ops::$trait<R, Output = Rep<T>>,
        {
            #[track_caller]
            fn $assign_method(&mut self, other: R) {
                *self = ops::$trait::$method(*self, other);
            }
        }

        $(impl ops::$trait<Rep<$scalar>> for $scalar {
            type Output = Rep<$scalar>;

            #[track_caller]
            fn $method(self, other: Rep<$scalar>) -> Rep<$scalar> {
                apply($op(<$scalar as Element>::SCALAR), &[self.stage().part, other.part], Location::caller())
            }
        })*
    )*};
}

use planish_ir::types::Scalar;

fn divide(scalar: Scalar) -> Op {
    if scalar.is_float() { Op::Divide } else { Op::DivideTrapping }
}

fn and(scalar: Scalar) -> Op {
    if scalar == Scalar::Bool { Op::LogicalAnd } else { Op::BitwiseAnd }
}

fn or(scalar: Scalar) -> Op {
    if scalar == Scalar::Bool { Op::LogicalOr } else { Op::BitwiseOr }
}

fn xor(scalar: Scalar) -> Op {
    if scalar == Scalar::Bool { Op::LogicalXor } else { Op::BitwiseXor }
}

/// Integers and booleans.
pub trait Bits: Element {}

impl Bits for bool {}
impl Bits for i32 {}
impl Bits for u32 {}
impl Bits for i64 {}
impl Bits for u64 {}

binary! {
    Add add AddAssign add_assign, Number, |_| Op::Add, for i32 u32 i64 u64 f32 f64;
    Sub sub SubAssign sub_assign, Number, |_| Op::Subtract, for i32 u32 i64 u64 f32 f64;
    Mul mul MulAssign mul_assign, Number, |_| Op::Multiply, for i32 u32 i64 u64 f32 f64;
    Div div DivAssign div_assign, Number, divide, for i32 u32 i64 u64 f32 f64;
    Rem rem RemAssign rem_assign, Integer, |_| Op::RemainderTrapping, for i32 u32 i64 u64;
    BitAnd bitand BitAndAssign bitand_assign, Bits, and, for bool i32 u32 i64 u64;
    BitOr bitor BitOrAssign bitor_assign, Bits, or, for bool i32 u32 i64 u64;
    BitXor bitxor BitXorAssign bitxor_assign, Bits, xor, for bool i32 u32 i64 u64;
    Shl shl ShlAssign shl_assign, Integer, |_| Op::ShiftLeft, for i32 u32 i64 u64;
    Shr shr ShrAssign shr_assign, Integer, |_| Op::ShiftRight, for i32 u32 i64 u64;
}

/// Numbers with a sign.
pub trait Signed: Number {}

impl Signed for i32 {}
impl Signed for i64 {}
impl Signed for f32 {}
impl Signed for f64 {}

impl<T: Signed> ops::Neg for Rep<T> {
    type Output = Rep<T>;

    #[track_caller]
    fn neg(self) -> Rep<T> {
        apply(Op::Negate, &[self.part], Location::caller())
    }
}

impl<T: Bits> ops::Not for Rep<T> {
    type Output = Rep<T>;

    #[track_caller]
    fn not(self) -> Rep<T> {
        let op = if T::SCALAR == Scalar::Bool { Op::LogicalNot } else { Op::BitwiseNot };
        apply(op, &[self.part], Location::caller())
    }
}

impl<T: Number> std::iter::Sum for Rep<T>
where
    T: Default,
{
    #[track_caller]
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.reduce(|sum, term| sum + term).unwrap_or_else(|| Rep::new(T::default()))
    }
}

macro_rules! comparisons {
    ($($(#[doc = $doc:literal])* $name:ident $op:ident;)*) => {
        /// Comparisons. They give a staged truth value, which Rust cannot branch on: `if_` and `while_` can.
        impl<T: Element> Rep<T> {
            $($(#[doc = $doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(self, other: impl Stage<Rep<T>>) -> Rep<bool> {
                let place = Location::caller();
                apply(Op::$op, &[self.part, other.stage().part], place)
            })*
        }
    };
}

comparisons! {
    /// Whether both are equal; a NaN equals nothing.
    eq Equal;
    /// Whether both differ; a NaN differs from everything.
    ne NotEqual;
    /// Whether it is less.
    lt LessThan;
    /// Whether it is less or equal.
    le LessThanEqual;
    /// Whether it is greater.
    gt GreaterThan;
    /// Whether it is greater or equal.
    ge GreaterThanEqual;
}

impl Rep<bool> {
    /// Both; the other one is only computed if this one holds.
    #[track_caller]
    #[must_use]
    pub fn and<R: Stage<Rep<bool>>>(self, other: impl FnOnce() -> R) -> Rep<bool> {
        crate::if_(self, other, || false)
    }

    /// At least one; the other one is only computed if this one does not hold.
    #[track_caller]
    #[must_use]
    pub fn or<R: Stage<Rep<bool>>>(self, other: impl FnOnce() -> R) -> Rep<bool> {
        crate::if_(self, || true, other)
    }
}

impl<T: Number> Rep<T> {
    /// Converts to another type of numbers, as Rust's `as`: floats are truncated and saturate, NaN becomes 0, integers lose their high
    /// bits.
    #[track_caller]
    #[must_use]
    pub fn as_<U: Number>(self) -> Rep<U> {
        if T::SCALAR == U::SCALAR {
            return Rep::of(self.part);
        }
        apply(Op::ConstructScalarFromScalar, &[self.part], Location::caller())
    }

    /// The same bits as another type of the same width.
    ///
    /// # Panics
    /// If the widths differ.
    #[track_caller]
    #[must_use]
    pub fn bitcast<U: Number>(self) -> Rep<U> {
        assert_eq!(T::SCALAR.bits(), U::SCALAR.bits(), "the width of the bits");
        if T::SCALAR == U::SCALAR {
            return Rep::of(self.part);
        }
        apply(Op::Bitcast, &[self.part], Location::caller())
    }
}

impl Rep<bool> {
    /// 1 for true, 0 for false.
    #[track_caller]
    #[must_use]
    pub fn as_<U: Number>(self) -> Rep<U> {
        apply(Op::ConstructScalarFromScalar, &[self.part], Location::caller())
    }
}

/// A method with a staged receiver and operands.
macro_rules! methods {
    ($bound:ident: $($(#[doc = $doc:literal])* $name:ident($($arg:ident),*) $op:ident;)*) => {
        impl<T: $bound> Rep<T> {
            $($(#[doc = $doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(self $(, $arg: impl Stage<Rep<T>>)*) -> Rep<T> {
                let place = Location::caller();
                crate::ops::apply(Op::$op, &[self.part $(, $arg.stage().part)*], place)
            })*
        }
    };
}
pub(crate) use methods;

methods! { Float:
    /// Square root, correctly rounded.
    sqrt() Sqrt;
    /// Sine of an angle in radians.
    sin() Sin;
    /// Cosine of an angle in radians.
    cos() Cos;
    /// Tangent of an angle in radians.
    tan() Tan;
    /// Arc sine.
    asin() Asin;
    /// Arc cosine.
    acos() Acos;
    /// Arc tangent.
    atan() Atan;
    /// Angle of the point (`x`, self).
    atan2(x) Atan2;
    /// Hyperbolic sine.
    sinh() Sinh;
    /// Hyperbolic cosine.
    cosh() Cosh;
    /// Hyperbolic tangent.
    tanh() Tanh;
    /// e to the power of self.
    exp() Exp;
    /// 2 to the power of self.
    exp2() Exp2;
    /// Natural logarithm.
    ln() Log;
    /// Logarithm to base 2.
    log2() Log2;
    /// Length of the hypotenuse, without undue overflow.
    hypot(other) Hypot;
    /// Rounded down.
    floor() Floor;
    /// Rounded up.
    ceil() Ceil;
    /// Rounded towards zero.
    trunc() Trunc;
    /// Rounded to nearest, halfway cases to even.
    round_ties_even() RoundEven;
    /// The lesser of both; NaN if one is NaN.
    minimum(other) Minimum;
    /// The greater of both; NaN if one is NaN.
    maximum(other) Maximum;
    /// With the sign of another.
    copysign(sign) CopySign;
    /// `self * a + b`, rounded once.
    mul_add(a, b) Fma;
}

methods! { Signed:
    /// Absolute value; the least integer stays itself.
    abs() Abs;
}
