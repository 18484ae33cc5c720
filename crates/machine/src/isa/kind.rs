//! Kinds of values in registers.

use planish_ir::types::{Scalar, TypeKind};

/// Kind of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Kind {
    /// No value.
    #[default]
    None,
    /// 0 or 1.
    Bool,
    /// 32-bit integer, signed or sign-less.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit integer, signed or sign-less.
    I64,
    /// 64-bit unsigned integer.
    U64,
    /// binary32.
    F32,
    /// binary64.
    F64,
    /// 128 bits.
    V128,
    /// A function reference; 0 is null.
    Func,
    /// A host reference; 0 is null.
    Extern,
    /// A token.
    Token,
    /// An image, a sampler, or another opaque object of the host.
    Opaque,
}

impl Kind {
    /// Every kind except [`Kind::None`].
    pub const ALL: [Kind; 12] = [
        Kind::Bool,
        Kind::I32,
        Kind::U32,
        Kind::I64,
        Kind::U64,
        Kind::F32,
        Kind::F64,
        Kind::V128,
        Kind::Func,
        Kind::Extern,
        Kind::Token,
        Kind::Opaque,
    ];

    /// The kind of a scalar. No function has values of 8 or 16 bits, which the compiler refuses: their kind is that of what they are lowered to.
    pub const fn of(scalar: Scalar) -> Kind {
        match scalar {
            Scalar::Bool => Kind::Bool,
            Scalar::I8 | Scalar::I16 | Scalar::I32 => Kind::I32,
            Scalar::U8 | Scalar::U16 | Scalar::U32 => Kind::U32,
            Scalar::I64 => Kind::I64,
            Scalar::U64 => Kind::U64,
            Scalar::F16 | Scalar::F32 => Kind::F32,
            Scalar::F64 => Kind::F64,
        }
    }

    /// The kind of a type that is one value; `None` for composites and pointers.
    pub const fn of_type(ty: &TypeKind) -> Option<Kind> {
        Some(match ty {
            TypeKind::Scalar(s) => Kind::of(*s),
            TypeKind::V128 => Kind::V128,
            TypeKind::Function { .. } | TypeKind::FuncRef => Kind::Func,
            TypeKind::ExternRef => Kind::Extern,
            TypeKind::Token => Kind::Token,
            TypeKind::YuvCsc => Kind::I32,
            TypeKind::Image(_) | TypeKind::Sampler { .. } | TypeKind::AtomicCounter => Kind::Opaque,
            _ => return None,
        })
    }

    /// The scalar type, or `None` for other kinds.
    pub const fn scalar(self) -> Option<Scalar> {
        Some(match self {
            Kind::Bool => Scalar::Bool,
            Kind::I32 => Scalar::I32,
            Kind::U32 => Scalar::U32,
            Kind::I64 => Scalar::I64,
            Kind::U64 => Scalar::U64,
            Kind::F32 => Scalar::F32,
            Kind::F64 => Scalar::F64,
            _ => return None,
        })
    }

    /// Width of a value in bits. References, tokens and handles have the width of a word.
    pub const fn bits(self, word_bits: u32) -> u32 {
        match self {
            Kind::None => 0,
            Kind::Bool => 1,
            Kind::I32 | Kind::U32 | Kind::F32 => 32,
            Kind::I64 | Kind::U64 | Kind::F64 => 64,
            Kind::V128 => 128,
            Kind::Func | Kind::Extern | Kind::Token | Kind::Opaque => word_bits,
        }
    }

    /// Number of registers of a value.
    pub const fn words(self, word_bits: u32) -> u32 {
        self.bits(word_bits).div_ceil(word_bits)
    }

    /// Whether it is `f32` or `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Whether it is an integer of either sign.
    pub const fn is_integer(self) -> bool {
        matches!(self, Kind::I32 | Kind::U32 | Kind::I64 | Kind::U64)
    }

    /// Its name in assembly.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::None => "none",
            Kind::Bool => "bool",
            Kind::I32 => "i32",
            Kind::U32 => "u32",
            Kind::I64 => "i64",
            Kind::U64 => "u64",
            Kind::F32 => "f32",
            Kind::F64 => "f64",
            Kind::V128 => "v128",
            Kind::Func => "func",
            Kind::Extern => "extern",
            Kind::Token => "token",
            Kind::Opaque => "opaque",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
