//! Values that cross between modules and their host, of the types of WebAssembly, and slices of numbers.

use crate::entity::{Func, Memory, Type};
use crate::ops::Width;
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

/// Type of a number in memory of the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HostNumber {
    /// 8 bits with a sign.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits with a sign.
    I16,
    /// 16 bits.
    U16,
    /// 32 bits with a sign.
    I32,
    /// 32 bits.
    U32,
    /// 64 bits with a sign.
    I64,
    /// 64 bits.
    U64,
    /// A binary32.
    F32,
    /// A binary64.
    F64,
}

impl HostNumber {
    /// Its size.
    pub const fn width(self) -> Width {
        match self {
            HostNumber::I8 | HostNumber::U8 => Width::B8,
            HostNumber::I16 | HostNumber::U16 => Width::B16,
            HostNumber::I32 | HostNumber::U32 | HostNumber::F32 => Width::B32,
            HostNumber::I64 | HostNumber::U64 | HostNumber::F64 => Width::B64,
        }
    }

    /// The type of the value of a load of it: an integer of 8 or 16 bits becomes one of 32 bits.
    pub const fn scalar(self) -> Scalar {
        match self {
            HostNumber::I8 | HostNumber::I16 | HostNumber::I32 => Scalar::I32,
            HostNumber::U8 | HostNumber::U16 | HostNumber::U32 => Scalar::U32,
            HostNumber::I64 => Scalar::I64,
            HostNumber::U64 => Scalar::U64,
            HostNumber::F32 => Scalar::F32,
            HostNumber::F64 => Scalar::F64,
        }
    }

    /// Whether a load of it copies its sign bit to the bits above.
    pub const fn extends_sign(self) -> bool {
        matches!(self, HostNumber::I8 | HostNumber::I16)
    }

    /// Its name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            HostNumber::I8 => "i8",
            HostNumber::U8 => "u8",
            HostNumber::I16 => "i16",
            HostNumber::U16 => "u16",
            HostNumber::I32 => "i32",
            HostNumber::U32 => "u32",
            HostNumber::I64 => "i64",
            HostNumber::U64 => "u64",
            HostNumber::F32 => "f32",
            HostNumber::F64 => "f64",
        }
    }
}

/// A slice that the host passes to a function, which works on it in place.
///
/// In the module the slice is a memory without pages, as long as the slice is while the function runs, and one of the function's parameters is
/// the number of elements, a `u32`. No other function reads or writes the memory, nothing asks for its size, and no two slices overlap if one
/// of them is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceParam {
    /// The function.
    pub func: Func,
    /// The number of the parameter that is the number of elements.
    pub param: usize,
    /// The memory.
    pub memory: Memory,
    /// Type of the numbers of an element.
    pub number: HostNumber,
    /// The numbers of an element, which follow each other; 0 for elements without bytes.
    pub count: u32,
    /// Whether the function may write it.
    pub is_written: bool,
}

impl SliceParam {
    /// Bytes of an element.
    pub const fn stride(&self) -> u32 {
        self.count * self.number.width().bytes()
    }
}
