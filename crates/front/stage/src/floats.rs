//! Floats.

use std::panic::Location;

use planish_ir::ops::Op;

use crate::ops::{Signed, apply};
use crate::rep::Rep;

/// `f32` and `f64`.
pub trait Float: Signed {}

impl Float for f32 {}
impl Float for f64 {}

impl<T: Float> Rep<T> {
    /// Whether it is NaN.
    #[track_caller]
    #[must_use]
    pub fn is_nan(self) -> Rep<bool> {
        apply(Op::IsNan, &[self.part], Location::caller())
    }

    /// To a power that is known now, by repeated squares.
    #[track_caller]
    #[must_use]
    pub fn powi(self, power: i32) -> Rep<T> {
        let place = Location::caller();
        let (mut square, mut rest) = (self, power.unsigned_abs());
        let mut product: Option<Rep<T>> = None;
        while rest > 0 {
            if rest & 1 == 1 {
                product = Some(match product {
                    Some(product) => apply(Op::Multiply, &[product.part, square.part], place),
                    None => square,
                });
            }
            rest >>= 1;
            if rest > 0 {
                square = apply(Op::Multiply, &[square.part, square.part], place);
            }
        }
        let one = Rep::one(place);
        match product {
            Some(product) if power < 0 => apply(Op::Divide, &[one.part, product.part], place),
            product => product.unwrap_or(one),
        }
    }

    #[track_caller]
    fn one(place: crate::session::Place) -> Rep<T> {
        let one = Rep::new(1.0f32);
        if T::SCALAR == planish_ir::types::Scalar::F32 {
            return Rep::of(one.part);
        }
        apply(Op::ConstructScalarFromScalar, &[one.part], place)
    }
}
