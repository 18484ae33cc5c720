//! How a target reports which operations it has.
//!
//! A back end exports one function from [`Operation`] to [`Support`]; the legalizer (`planish_opt::legalize`) rewrites a
//! module until every operation in it is supported, and back ends print what is left one to one.

use planish_ir::ops::{Imm, Op};
use planish_ir::types::Scalar;

/// How a target gets the result of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Support {
    /// An instruction or function of the target with exactly the meaning of `docs/numerics.md`.
    Yes,
    /// An instruction of the target that is undefined for some operands: they are replaced by defined ones before it.
    Guard,
    /// Other operations in its place.
    Expand,
    /// A call of a function of the IR that computes it, one for each type: for large expansions.
    Call,
}

/// Form of the first operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// One number or boolean.
    Scalar,
    /// A vector of 2 to 4 components.
    Vector(u8),
    /// A matrix of 2 to 4 columns and rows.
    Matrix {
        /// Number of columns.
        columns: u8,
        /// Number of rows.
        rows: u8,
    },
    /// Any other type.
    Other,
}

/// An operation on operands of a type.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// The op.
    pub op: Op,
    /// Its immediate.
    pub imm: Imm,
    /// Component type of the first operand; `None` if it has none.
    pub scalar: Option<Scalar>,
    /// Form of the first operand.
    pub shape: Shape,
}
