//! Arguments and results of an evaluation.

use planish_ir::entity::{Const, Func, Type};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::types::{Scalar, Types};

/// A value: its type, and the bits of its components, depth first, each zero-extended.
///
/// A function reference is its index plus one, and null is zero; a token is a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EvalValue {
    /// The type.
    pub ty: Type,
    /// The components' bits.
    pub bits: Vec<u64>,
}

impl EvalValue {
    /// A `bool`.
    pub fn bool(x: bool) -> Self {
        EvalValue { ty: Type::BOOL, bits: vec![x.into()] }
    }

    /// An `i32`.
    pub fn i32(x: i32) -> Self {
        EvalValue { ty: Type::I32, bits: vec![(x as u32).into()] }
    }

    /// A `u32`.
    pub fn u32(x: u32) -> Self {
        EvalValue { ty: Type::U32, bits: vec![x.into()] }
    }

    /// An `f32`.
    pub fn f32(x: f32) -> Self {
        EvalValue { ty: Type::F32, bits: vec![x.to_bits().into()] }
    }

    /// A vector of 2 to 4 floats, or for one the scalar.
    pub fn floats(x: &[f32]) -> Self {
        let ty = match x.len() {
            2 => Type::VEC2,
            3 => Type::VEC3,
            4 => Type::VEC4,
            _ => Type::F32,
        };
        EvalValue { ty, bits: x.iter().map(|x| x.to_bits().into()).collect() }
    }

    /// A scalar of a type without a constructor of its own.
    pub fn scalar(types: &mut Types, scalar: Scalar, bits: u64) -> Self {
        EvalValue { ty: types.scalar(scalar), bits: vec![bits] }
    }

    /// A reference to a function, of type `funcref`.
    pub fn func_ref(ty: Type, func: Option<Func>) -> Self {
        EvalValue { ty, bits: vec![func.map_or(0, |f| u64::from(f.as_u32()) + 1)] }
    }

    /// Zero of a type; `None` for `void` and runtime-sized arrays.
    pub fn zero(types: &Types, ty: Type) -> Option<Self> {
        Some(EvalValue { ty, bits: vec![0; types.components(ty)?] })
    }

    /// A constant's value.
    pub fn constant(module: &Module, c: Const) -> Self {
        let mut bits = Vec::new();
        crate::program::flatten(module, c, &mut bits);
        EvalValue { ty: module.consts[c].ty, bits }
    }

    /// Component `index` as `f32`.
    pub fn as_f32(&self, index: usize) -> Option<f32> {
        self.bits.get(index).map(|&b| f32::from_bits(b as u32))
    }

    /// Component `index` as `i32`.
    pub fn as_i32(&self, index: usize) -> Option<i32> {
        self.bits.get(index).map(|&b| b as u32 as i32)
    }
}
