//! Values as the embedder sees them, and their types.

use planish_ir::host::ValType;
use planish_machine::isa::Kind;
use smallvec::SmallVec;

use crate::func::Func;
use crate::store::{ExternRef, StoreInner};

/// Type of a register of a kind, ignoring signedness and booleans; `None` if the host has no such type.
pub(crate) const fn type_of_kind(kind: Kind) -> Option<ValType> {
    Some(match kind {
        Kind::Bool | Kind::I32 | Kind::U32 => ValType::I32,
        Kind::I64 | Kind::U64 => ValType::I64,
        Kind::F32 => ValType::F32,
        Kind::F64 => ValType::F64,
        Kind::V128 => ValType::V128,
        Kind::Func => ValType::FuncRef,
        Kind::Extern | Kind::Token => ValType::ExternRef,
        Kind::Opaque | Kind::None => return None,
    })
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub enum Val {
    /// 32-bit integer.
    I32(i32),
    /// 64-bit integer.
    I64(i64),
    /// binary32, as bits.
    F32(u32),
    /// binary64, as bits.
    F64(u64),
    /// 128 bits.
    V128(u128),
    /// A function, or null.
    FuncRef(Option<Func>),
    /// Something of the host's, or null.
    ExternRef(Option<ExternRef>),
}

impl Val {
    /// Its type.
    pub const fn ty(&self) -> ValType {
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
    pub const fn default_of(ty: ValType) -> Val {
        match ty {
            ValType::I32 => Val::I32(0),
            ValType::I64 => Val::I64(0),
            ValType::F32 => Val::F32(0),
            ValType::F64 => Val::F64(0),
            ValType::V128 => Val::V128(0),
            ValType::FuncRef => Val::FuncRef(None),
            ValType::ExternRef => Val::ExternRef(None),
        }
    }

    /// The number, if it is an `i32`.
    pub const fn i32(&self) -> Option<i32> {
        if let Val::I32(x) = *self { Some(x) } else { None }
    }

    /// The number, if it is an `i64`.
    pub const fn i64(&self) -> Option<i64> {
        if let Val::I64(x) = *self { Some(x) } else { None }
    }

    /// The number, if it is an `f32`.
    pub const fn f32(&self) -> Option<f32> {
        if let Val::F32(x) = *self { Some(f32::from_bits(x)) } else { None }
    }

    /// The number, if it is an `f64`.
    pub const fn f64(&self) -> Option<f64> {
        if let Val::F64(x) = *self { Some(f64::from_bits(x)) } else { None }
    }

    /// Appends its words, for code of a store.
    ///
    /// # Panics
    /// If it is a function of another store.
    pub(crate) fn put<A: smallvec::Array<Item = u64>>(&self, store: &StoreInner, words: &mut SmallVec<A>) {
        if let Val::FuncRef(Some(func)) = self {
            store.check(func.store);
        }
        match *self {
            Val::I32(x) => words.push(x as u32 as u64),
            Val::I64(x) => words.push(x as u64),
            Val::F32(x) => words.push(x.into()),
            Val::F64(x) => words.push(x),
            Val::V128(x) => words.extend([x as u64, (x >> 64) as u64]),
            Val::FuncRef(f) => words.push(f.map_or(0, |f| f.entry.word())),
            Val::ExternRef(r) => words.push(r.map_or(0, |r| u64::from(r.0) + 1)),
        }
    }
}

macro_rules! from {
    ($($t:ident $variant:ident |$x:ident| $value:expr;)*) => { $(
        impl From<$t> for Val {
            fn from($x: $t) -> Val { Val::$variant($value) }
        }
    )* };
}

from! {
    i32 I32 |x| x;
    u32 I32 |x| x as i32;
    i64 I64 |x| x;
    u64 I64 |x| x as i64;
    f32 F32 |x| x.to_bits();
    f64 F64 |x| x.to_bits();
    u128 V128 |x| x;
}
