//! What a register (or several) holds.

use planish_ir::types::{Scalar, TypeKind};

/// What a value is, as far as a machine needs to know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Kind {
    /// Nothing.
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
    /// A reference to a function; 0 is null.
    Func,
    /// A reference of the host; 0 is null.
    Extern,
    /// A token.
    Token,
    /// An image, a sampler, or another thing that only the host knows.
    Opaque,
}

impl Kind {
    /// Every kind but [`Kind::None`].
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

    /// The kind of a scalar.
    pub const fn of(scalar: Scalar) -> Kind {
        match scalar {
            Scalar::Bool => Kind::Bool,
            Scalar::I32 => Kind::I32,
            Scalar::U32 => Kind::U32,
            Scalar::I64 => Kind::I64,
            Scalar::U64 => Kind::U64,
            Scalar::F32 => Kind::F32,
            Scalar::F64 => Kind::F64,
        }
    }

    /// The kind of a type that is one value here; composites are several, and pointers none.
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

    /// The scalar, if it is one.
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

    /// Bits of a value. References, tokens and handles are 32-bit numbers to a machine of 32-bit words, and 64-bit ones to
    /// others.
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

    /// Registers that a value takes.
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
