//! Types of values that cross between modules and their host: those of WebAssembly.

use crate::entity::Type;
use crate::types::{Scalar, TypeKind, Types};

/// Type of a value that can cross between modules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValType {
    /// A 32-bit integer.
    I32,
    /// A 64-bit integer.
    I64,
    /// A binary32.
    F32,
    /// A binary64.
    F64,
    /// 128 bits.
    V128,
    /// Function reference or null.
    FuncRef,
    /// Opaque host reference or null.
    ExternRef,
}

impl ValType {
    /// The host type of a type of the module, without signedness; a boolean is an `i32`. `None` for types that
    /// WebAssembly does not have.
    pub fn of(types: &Types, ty: Type) -> Option<ValType> {
        Some(match types[ty] {
            TypeKind::Scalar(Scalar::Bool | Scalar::I32 | Scalar::U32) => ValType::I32,
            TypeKind::Scalar(Scalar::I64 | Scalar::U64) => ValType::I64,
            TypeKind::Scalar(Scalar::F32) => ValType::F32,
            TypeKind::Scalar(Scalar::F64) => ValType::F64,
            TypeKind::V128 => ValType::V128,
            TypeKind::FuncRef => ValType::FuncRef,
            TypeKind::ExternRef => ValType::ExternRef,
            _ => return None,
        })
    }

    /// Number of 64-bit words of a value.
    pub const fn words(self) -> u32 {
        if matches!(self, ValType::V128) { 2 } else { 1 }
    }

    /// Whether it is a reference type, an element type of tables.
    pub const fn is_reference(self) -> bool {
        matches!(self, ValType::FuncRef | ValType::ExternRef)
    }

    /// Its name in WebAssembly's text format.
    pub const fn name(self) -> &'static str {
        match self {
            ValType::I32 => "i32",
            ValType::I64 => "i64",
            ValType::F32 => "f32",
            ValType::F64 => "f64",
            ValType::V128 => "v128",
            ValType::FuncRef => "funcref",
            ValType::ExternRef => "externref",
        }
    }
}

impl std::fmt::Display for ValType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Type of a function that can be called from other modules or from the host. `Display` writes `(i32, f64) -> (i32)`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FuncType {
    params: Box<[ValType]>,
    results: Box<[ValType]>,
}

impl FuncType {
    /// A type from parameters and results.
    pub fn new(params: impl IntoIterator<Item = ValType>, results: impl IntoIterator<Item = ValType>) -> Self {
        FuncType { params: params.into_iter().collect(), results: results.into_iter().collect() }
    }

    /// The host type of a function type of the module; `None` if a parameter or result has none.
    pub fn of(types: &Types, ty: Type) -> Option<FuncType> {
        let TypeKind::Function { params, results } = &types[ty] else { return None };
        let known = |list: &[Type]| list.iter().map(|&t| ValType::of(types, t)).collect::<Option<_>>();
        Some(FuncType { params: known(params)?, results: known(results)? })
    }

    /// Types of the parameters.
    pub fn params(&self) -> &[ValType] {
        &self.params
    }

    /// Types of the results.
    pub fn results(&self) -> &[ValType] {
        &self.results
    }

    /// Numbers of 64-bit words of the arguments and of the results.
    pub fn words(&self) -> (u32, u32) {
        let words = |types: &[ValType]| types.iter().map(|t| t.words()).sum();
        (words(&self.params), words(&self.results))
    }
}

impl std::fmt::Display for FuncType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |types: &[ValType]| types.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ");
        write!(f, "({}) -> ({})", list(&self.params), list(&self.results))
    }
}
