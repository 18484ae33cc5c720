//! Integers.

use std::panic::Location;

use planish_ir::ops::Op;

use crate::ops::{Bits, Number, methods};
use crate::rep::Rep;
use crate::staged::Stage;

/// `i32`, `u32`, `i64` and `u64`.
pub trait Integer: Number + Bits + PartialEq {
    /// 1.
    const ONE: Self;
}

impl Integer for i32 {
    const ONE: Self = 1;
}
impl Integer for u32 {
    const ONE: Self = 1;
}
impl Integer for i64 {
    const ONE: Self = 1;
}
impl Integer for u64 {
    const ONE: Self = 1;
}

methods! { Integer:
    /// The quotient; by 0 it is self, and of the least integer by -1 that integer. (`/` traps.)
    div_or_self(other) Divide;
    /// The remainder with the sign of self; by 0 it is 0. (`%` traps.)
    rem_or_zero(other) Remainder;
    /// The bits rotated upwards.
    rotate_left(amount) RotateLeft;
    /// The bits rotated downwards.
    rotate_right(amount) RotateRight;
    /// The bits in reverse order.
    reverse_bits() BitReverse;
}

macro_rules! counts {
    ($($(#[doc = $doc:literal])* $name:ident $op:ident;)*) => {
        impl<T: Integer> Rep<T> {
            $($(#[doc = $doc])*
            #[track_caller]
            #[must_use]
            pub fn $name(self) -> Rep<T> {
                crate::ops::apply(Op::$op, &[self.part], Location::caller())
            })*
        }
    };
}

counts! {
    /// Number of zero bits above the highest one bit.
    leading_zeros CountLeadingZeros;
    /// Number of zero bits below the lowest one bit.
    trailing_zeros CountTrailingZeros;
}
