//! Vectors and matrices of floats.

use std::ops;
use std::panic::Location;

use planish_ir::entity::Type;
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::types::{Scalar, Types};

use crate::floats::Float;
use crate::ops::{apply, apply_imm};
use crate::rep::{Element, Part, Rep};
use crate::staged::Stage;

/// A vector of 2, 3 or 4 components.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vector<T, const N: usize>(pub [T; N]);

/// A matrix of 2, 3 or 4 columns, each of as many rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Matrix<T, const COLUMNS: usize, const ROWS: usize>(pub [[T; ROWS]; COLUMNS]);

impl<T: Float, const N: usize> Element for Vector<T, N> {
    const SCALARS: usize = {
        assert!(N >= 2 && N <= 4, "vectors have 2, 3 or 4 components");
        N
    };
    const SCALAR: Scalar = T::SCALAR;

    fn ty(types: &mut Types) -> Type {
        types.vector(T::SCALAR, Self::SCALARS as u8)
    }

    fn bits(self, out: &mut Vec<u64>) {
        self.0.into_iter().for_each(|component| component.bits(out));
    }

    fn from_bits(bits: &mut dyn Iterator<Item = u64>) -> Self {
        Vector(std::array::from_fn(|_| T::from_bits(bits)))
    }
}

impl<T: Float, const COLUMNS: usize, const ROWS: usize> Element for Matrix<T, COLUMNS, ROWS> {
    const SCALARS: usize = {
        let in_range = COLUMNS >= 2 && COLUMNS <= 4 && ROWS >= 2 && ROWS <= 4;
        assert!(in_range, "matrices have 2, 3 or 4 columns and rows");
        COLUMNS * ROWS
    };
    const SCALAR: Scalar = T::SCALAR;

    fn ty(types: &mut Types) -> Type {
        assert!(Self::SCALARS > 0, "checked when it is compiled");
        types.matrix(T::SCALAR, COLUMNS as u8, ROWS as u8)
    }

    fn bits(self, out: &mut Vec<u64>) {
        self.0.into_iter().flatten().for_each(|component| component.bits(out));
    }

    fn from_bits(bits: &mut dyn Iterator<Item = u64>) -> Self {
        Matrix(std::array::from_fn(|_| std::array::from_fn(|_| T::from_bits(bits))))
    }
}

impl<T: Float, const N: usize> Rep<Vector<T, N>> {
    /// The vector of components.
    #[track_caller]
    #[must_use]
    pub fn from_components(components: [Rep<T>; N]) -> Self {
        let parts: Vec<Part> = components.iter().map(|component| component.part).collect();
        apply(Op::ConstructVectorFromMultiple, &parts, Location::caller())
    }

    /// The vector whose components are all the same.
    #[track_caller]
    #[must_use]
    pub fn splat(component: impl Stage<Rep<T>>) -> Self {
        let place = Location::caller();
        apply(Op::ConstructVectorFromScalar, &[component.stage().part], place)
    }

    /// A component.
    ///
    /// # Panics
    /// If there is no such component.
    #[track_caller]
    #[must_use]
    pub fn component(self, index: usize) -> Rep<T> {
        assert!(index < N, "a vector of {N} components has none at {index}");
        apply_imm(Op::ExtractVectorComponent, Imm::index(index as u32), &[self.part], Location::caller())
    }

    /// Its components.
    #[track_caller]
    #[must_use]
    pub fn components(self) -> [Rep<T>; N] {
        let place = Location::caller();
        std::array::from_fn(|index| {
            apply_imm(Op::ExtractVectorComponent, Imm::index(index as u32), &[self.part], place)
        })
    }

    /// The vector of the components at these indices.
    ///
    /// # Panics
    /// If there is no such component.
    #[track_caller]
    #[must_use]
    pub fn swizzle<const M: usize>(self, indices: [usize; M]) -> Rep<Vector<T, M>> {
        let lanes = indices.map(|index| {
            assert!(index < N, "a vector of {N} components has none at {index}");
            index as u8
        });
        apply_imm(Op::ExtractVectorComponentMulti, Lanes::new(&lanes).into(), &[self.part], Location::caller())
    }

    /// Sum of the products of the components.
    #[track_caller]
    #[must_use]
    pub fn dot(self, other: impl Stage<Rep<Vector<T, N>>>) -> Rep<T> {
        let place = Location::caller();
        apply(Op::Dot, &[self.part, other.stage().part], place)
    }

    /// Euclidean length.
    #[track_caller]
    #[must_use]
    pub fn length(self) -> Rep<T> {
        apply(Op::Length, &[self.part], Location::caller())
    }

    /// Of the same direction and of length 1.
    #[track_caller]
    #[must_use]
    pub fn normalize(self) -> Self {
        apply(Op::Normalize, &[self.part], Location::caller())
    }
}

impl<T: Float> Rep<Vector<T, 3>> {
    /// The cross product.
    #[track_caller]
    #[must_use]
    pub fn cross(self, other: impl Stage<Rep<Vector<T, 3>>>) -> Self {
        let place = Location::caller();
        apply(Op::Cross, &[self.part, other.stage().part], place)
    }
}

macro_rules! componentwise {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl<T: Float, const N: usize> ops::$trait for Rep<Vector<T, N>> {
            type Output = Self;

            #[track_caller]
            fn $method(self, other: Self) -> Self {
                apply(Op::$op, &[self.part, other.part], Location::caller())
            }
        }

        impl<T: Float, const N: usize> ops::$trait<Rep<T>> for Rep<Vector<T, N>> {
            type Output = Self;

            #[track_caller]
            fn $method(self, other: Rep<T>) -> Self {
                let place = Location::caller();
                let other: Self = apply(Op::ConstructVectorFromScalar, &[other.part], place);
                apply(Op::$op, &[self.part, other.part], place)
            }
        }

        impl<T: Float, const N: usize> ops::$trait<T> for Rep<Vector<T, N>> {
            type Output = Self;

            #[track_caller]
            fn $method(self, other: T) -> Self {
                let place = Location::caller();
                let other = Rep::new(Vector([other; N]));
                apply(Op::$op, &[self.part, other.part], place)
            }
        }
    )*};
}

componentwise! {
    Add add Add;
    Sub sub Subtract;
    Mul mul Multiply;
    Div div Divide;
}

impl<T: Float, const N: usize> ops::Neg for Rep<Vector<T, N>> {
    type Output = Self;

    #[track_caller]
    fn neg(self) -> Self {
        apply(Op::Negate, &[self.part], Location::caller())
    }
}

impl<T: Float, const COLUMNS: usize, const ROWS: usize> Rep<Matrix<T, COLUMNS, ROWS>> {
    /// The matrix of columns.
    #[track_caller]
    #[must_use]
    pub fn from_columns(columns: [Rep<Vector<T, ROWS>>; COLUMNS]) -> Self {
        let parts: Vec<Part> = columns.iter().map(|column| column.part).collect();
        apply(Op::ConstructMatrixFromMultiple, &parts, Location::caller())
    }

    /// A column.
    ///
    /// # Panics
    /// If there is no such column.
    #[track_caller]
    #[must_use]
    pub fn column(self, index: usize) -> Rep<Vector<T, ROWS>> {
        assert!(index < COLUMNS, "a matrix of {COLUMNS} columns has none at {index}");
        let place = Location::caller();
        let index = Rep::new(index as i32);
        apply(Op::ExtractMatrixColumn, &[self.part, index.part], place)
    }

    /// The transposed matrix.
    #[track_caller]
    #[must_use]
    pub fn transpose(self) -> Rep<Matrix<T, ROWS, COLUMNS>> {
        apply(Op::Transpose, &[self.part], Location::caller())
    }
}

impl<T: Float, const N: usize> Rep<Matrix<T, N, N>> {
    /// The determinant.
    #[track_caller]
    #[must_use]
    pub fn determinant(self) -> Rep<T> {
        apply(Op::Determinant, &[self.part], Location::caller())
    }

    /// The inverse matrix.
    #[track_caller]
    #[must_use]
    pub fn inverse(self) -> Self {
        apply(Op::Inverse, &[self.part], Location::caller())
    }
}

impl<T: Float, const COLUMNS: usize, const ROWS: usize> ops::Mul<Rep<Vector<T, COLUMNS>>>
    for Rep<Matrix<T, COLUMNS, ROWS>>
{
    type Output = Rep<Vector<T, ROWS>>;

    #[track_caller]
    fn mul(self, other: Rep<Vector<T, COLUMNS>>) -> Self::Output {
        apply(Op::MatrixTimesVector, &[self.part, other.part], Location::caller())
    }
}

impl<T: Float, const COLUMNS: usize, const ROWS: usize, const INNER: usize> ops::Mul<Rep<Matrix<T, COLUMNS, INNER>>>
    for Rep<Matrix<T, INNER, ROWS>>
{
    type Output = Rep<Matrix<T, COLUMNS, ROWS>>;

    #[track_caller]
    fn mul(self, other: Rep<Matrix<T, COLUMNS, INNER>>) -> Self::Output {
        apply(Op::MatrixTimesMatrix, &[self.part, other.part], Location::caller())
    }
}
