//! Values that cross between instances and their host, independent of a module.

use planish_ir::host::ValType;

use super::FuncAddr;

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
    /// A reference of the host by its number, or null.
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

    /// Its words, as in registers: a null is 0, a reference its number plus one.
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

    /// Inverse of [`Val::words`].
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
