//! What passes between instances and their host: values that belong to no module, and their types.

use planish_ir::entity::Type;
use planish_ir::types::{Scalar, TypeKind, Types};

use super::FuncAddr;

/// The type of a value that can pass between modules.
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
    /// A reference to a function.
    FuncRef,
    /// A reference to something of the host's.
    ExternRef,
}

impl ValType {
    /// The type of a module as one that others know too; `None` for all that only languages other than WebAssembly have.
    pub fn of(types: &Types, ty: Type) -> Option<ValType> {
        Some(match types[ty] {
            TypeKind::Scalar(Scalar::I32) => ValType::I32,
            TypeKind::Scalar(Scalar::I64) => ValType::I64,
            TypeKind::Scalar(Scalar::F32) => ValType::F32,
            TypeKind::Scalar(Scalar::F64) => ValType::F64,
            TypeKind::V128 => ValType::V128,
            TypeKind::FuncRef => ValType::FuncRef,
            TypeKind::ExternRef => ValType::ExternRef,
            _ => return None,
        })
    }

    /// Words of a value.
    pub(crate) fn words(self) -> usize {
        if self == ValType::V128 { 2 } else { 1 }
    }

    /// Its name in WebAssembly's text form.
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

/// The type of a function that can be called from another module, or from the host.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct FuncType {
    /// Types of its parameters.
    pub params: Vec<ValType>,
    /// Types of its results.
    pub results: Vec<ValType>,
}

impl FuncType {
    /// A type.
    pub fn new(params: impl Into<Vec<ValType>>, results: impl Into<Vec<ValType>>) -> Self {
        FuncType { params: params.into(), results: results.into() }
    }

    /// The function type of a module as one that others know too; `None` if it takes or gives what only the module knows.
    pub fn of(types: &Types, ty: Type) -> Option<FuncType> {
        let TypeKind::Function { params, results } = &types[ty] else { return None };
        let known = |list: &[Type]| list.iter().map(|&t| ValType::of(types, t)).collect::<Option<Vec<_>>>();
        Some(FuncType { params: known(params)?, results: known(results)? })
    }
}

impl std::fmt::Display for FuncType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = |list: &[ValType]| list.iter().map(|t| t.name()).collect::<Vec<_>>().join(", ");
        write!(f, "({}) -> ({})", names(&self.params), names(&self.results))
    }
}

/// A value. Floats are their bits, so that a NaN keeps its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Val {
    /// A 32-bit integer.
    I32(i32),
    /// A 64-bit integer.
    I64(i64),
    /// The bits of a binary32.
    F32(u32),
    /// The bits of a binary64.
    F64(u64),
    /// 128 bits.
    V128(u128),
    /// A function, or null.
    FuncRef(Option<FuncAddr>),
    /// A number by which the host knows something of its own, or null.
    ExternRef(Option<u32>),
}

impl Val {
    /// Its type.
    pub fn ty(self) -> ValType {
        match self {
            Val::I32(_) => ValType::I32,
            Val::I64(_) => ValType::I64,
            Val::F32(_) => ValType::F32,
            Val::F64(_) => ValType::F64,
            Val::V128(_) => ValType::V128,
            Val::FuncRef(_) => ValType::FuncRef,
            Val::ExternRef(_) => ValType::ExternRef,
        }
    }

    /// Zero, or null.
    pub fn zero(ty: ValType) -> Self {
        Val::from_words(ty, &[0, 0])
    }

    /// A float.
    pub fn f32(x: f32) -> Self {
        Val::F32(x.to_bits())
    }

    /// A float.
    pub fn f64(x: f64) -> Self {
        Val::F64(x.to_bits())
    }

    /// Its words, as registers hold them: a null is 0, a reference its number plus one.
    pub(crate) fn words(self) -> Vec<u64> {
        let reference = |number: Option<u32>| number.map_or(0, |n| u64::from(n) + 1);
        match self {
            Val::I32(x) => vec![(x as u32).into()],
            Val::I64(x) => vec![x as u64],
            Val::F32(x) => vec![x.into()],
            Val::F64(x) => vec![x],
            Val::V128(x) => vec![x as u64, (x >> 64) as u64],
            Val::FuncRef(f) => vec![reference(f.map(|f| f.0))],
            Val::ExternRef(x) => vec![reference(x)],
        }
    }

    /// The reverse of [`Val::words`].
    pub(crate) fn from_words(ty: ValType, words: &[u64]) -> Self {
        let word = words[0];
        let reference = word.checked_sub(1).map(|n| n as u32);
        match ty {
            ValType::I32 => Val::I32(word as u32 as i32),
            ValType::I64 => Val::I64(word as i64),
            ValType::F32 => Val::F32(word as u32),
            ValType::F64 => Val::F64(word),
            ValType::V128 => Val::V128(u128::from(word) | u128::from(words[1]) << 64),
            ValType::FuncRef => Val::FuncRef(reference.map(FuncAddr)),
            ValType::ExternRef => Val::ExternRef(reference),
        }
    }
}
