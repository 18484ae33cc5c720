//! Scalar ops that are one instruction.

use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Support, TargetInfo};
use wasm_encoder::Instruction as I;
use wasm_encoder::MemArgTarget;

/// One instruction for each type: `i32`, `i64`, `f32`, `f64`; `-` where there is none, as for numbers of 8 and 16 bits.
macro_rules! pick {
    (@ -) => { None };
    (@ $one:ident) => { Some(I::$one) };
    ($scalar:expr, $a:tt $b:tt $c:tt $d:tt) => {
        match $scalar {
            Scalar::Bool | Scalar::I32 | Scalar::U32 => pick!(@ $a),
            Scalar::I64 | Scalar::U64 => pick!(@ $b),
            Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::F16 => None,
            Scalar::F32 => pick!(@ $c),
            Scalar::F64 => pick!(@ $d),
        }
    };
}

/// As `pick`, with other instructions for unsigned integers.
macro_rules! signs {
    ($scalar:expr, $a:ident $b:ident, $ua:ident $ub:ident, $c:tt $d:tt) => {
        match $scalar {
            Scalar::Bool | Scalar::U32 => Some(I::$ua),
            Scalar::U64 => Some(I::$ub),
            _ => pick!($scalar, $a $b $c $d),
        }
    };
}

/// The instruction for the negation of a comparison; `None` for most of floating-point numbers, as NaN is neither less
/// nor greater or equal.
pub(crate) fn opposite(op: Op, scalar: Scalar) -> Option<I<'static>> {
    let opposite = match op {
        Op::Equal => Op::NotEqual,
        Op::NotEqual => Op::Equal,
        Op::LessThan => Op::GreaterThanEqual,
        Op::GreaterThanEqual => Op::LessThan,
        Op::GreaterThan => Op::LessThanEqual,
        Op::LessThanEqual => Op::GreaterThan,
        _ => return None,
    };
    let has_opposite = scalar.is_integer() || matches!(op, Op::Equal | Op::NotEqual);
    has_opposite.then(|| arithmetic(opposite, scalar)).flatten()
}

/// The instruction for an op on scalars, whose operands it finds on the stack in their order; `scalar` is the type of the
/// first. A division must not trap: [`info`].
pub(crate) fn arithmetic(op: Op, s: Scalar) -> Option<I<'static>> {
    match op {
        Op::Add => pick!(s, I32Add I64Add F32Add F64Add),
        Op::Subtract => pick!(s, I32Sub I64Sub F32Sub F64Sub),
        Op::Multiply => pick!(s, I32Mul I64Mul F32Mul F64Mul),
        Op::Divide if s.is_float() => pick!(s, - - F32Div F64Div),
        Op::Divide | Op::DivideTrapping => signs!(s, I32DivS I64DivS, I32DivU I64DivU, - -),
        Op::Remainder | Op::RemainderTrapping => signs!(s, I32RemS I64RemS, I32RemU I64RemU, - -),
        Op::BitwiseAnd => pick!(s, I32And I64And - -),
        Op::BitwiseOr => pick!(s, I32Or I64Or - -),
        Op::BitwiseXor => pick!(s, I32Xor I64Xor - -),
        Op::LogicalAnd => pick!(s, I32And - - -),
        Op::LogicalOr => pick!(s, I32Or - - -),
        Op::LogicalXor => pick!(s, I32Xor - - -),
        Op::LogicalNot => pick!(s, I32Eqz - - -),
        Op::ShiftLeft => pick!(s, I32Shl I64Shl - -),
        Op::ShiftRight => signs!(s, I32ShrS I64ShrS, I32ShrU I64ShrU, - -),
        Op::RotateLeft => pick!(s, I32Rotl I64Rotl - -),
        Op::RotateRight => pick!(s, I32Rotr I64Rotr - -),
        Op::CountLeadingZeros => pick!(s, I32Clz I64Clz - -),
        Op::CountTrailingZeros => pick!(s, I32Ctz I64Ctz - -),
        Op::BitCount => pick!(s, I32Popcnt I64Popcnt - -),
        Op::SignExtend8 => pick!(s, I32Extend8S I64Extend8S - -),
        Op::SignExtend16 => pick!(s, I32Extend16S I64Extend16S - -),
        Op::SignExtend32 => pick!(s, Nop I64Extend32S - -),
        Op::Negate => pick!(s, - - F32Neg F64Neg),
        Op::Abs => pick!(s, - - F32Abs F64Abs),
        Op::Sqrt => pick!(s, - - F32Sqrt F64Sqrt),
        Op::Floor => pick!(s, - - F32Floor F64Floor),
        Op::Ceil => pick!(s, - - F32Ceil F64Ceil),
        Op::Trunc => pick!(s, - - F32Trunc F64Trunc),
        Op::Round | Op::RoundEven => pick!(s, - - F32Nearest F64Nearest),
        Op::Minimum => pick!(s, - - F32Min F64Min),
        Op::Maximum => pick!(s, - - F32Max F64Max),
        Op::CopySign => pick!(s, - - F32Copysign F64Copysign),
        Op::Equal => pick!(s, I32Eq I64Eq F32Eq F64Eq),
        Op::NotEqual => pick!(s, I32Ne I64Ne F32Ne F64Ne),
        Op::LessThan => signs!(s, I32LtS I64LtS, I32LtU I64LtU, F32Lt F64Lt),
        Op::LessThanEqual => signs!(s, I32LeS I64LeS, I32LeU I64LeU, F32Le F64Le),
        Op::GreaterThan => signs!(s, I32GtS I64GtS, I32GtU I64GtU, F32Gt F64Gt),
        Op::GreaterThanEqual => signs!(s, I32GeS I64GeS, I32GeU I64GeU, F32Ge F64Ge),
        _ => None,
    }
}

/// Operations that WebAssembly has, for the legalizer.
pub fn info() -> TargetInfo<'static> {
    TargetInfo { name: "WebAssembly", support: &support, is_shading_language: false }
}

fn support(operation: &Operation) -> Support {
    let op = operation.op;
    let scalar = match operation.on_scalars() {
        Ok(scalar) => scalar,
        Err(support) => return support,
    };
    match op {
        Op::Divide if scalar.is_integer() => Support::Guard,
        Op::Remainder => Support::GuardZero,
        Op::Pow if scalar == Scalar::F64 => Support::Guard,
        Op::Select | Op::ConstructScalarFromScalar | Op::Bitcast | Op::TruncateTrapping => Support::Yes,
        _ if arithmetic(op, scalar).is_some() || scalar == Scalar::F64 && crate::math::function(op).is_some() => {
            Support::Yes
        }
        _ => Support::Expand,
    }
}

/// The test for 0 of an integer.
pub(crate) fn is_zero(scalar: Scalar) -> I<'static> {
    if scalar.bits() == 64 { I::I64Eqz } else { I::I32Eqz }
}

/// The instructions of a conversion ([`Op::ConstructScalarFromScalar`]); none where the bits stay. `None` for numbers of 8 and 16 bits.
pub(crate) fn convert(from: Scalar, to: Scalar) -> Option<Vec<I<'static>>> {
    use Scalar::{Bool, F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    let one = match (from, to) {
        (I8 | U8 | I16 | U16 | F16, _) | (_, I8 | U8 | I16 | U16 | F16) => return None,
        (Bool, Bool | I32 | U32) | (I32 | U32, I32 | U32) | (I64 | U64, I64 | U64) | (F32, F32) | (F64, F64) => {
            return Some(vec![]);
        }
        (I32 | U32, Bool) => return Some(vec![I::I32Const(0), I::I32Ne]),
        (I64 | U64, Bool) => return Some(vec![I::I64Const(0), I::I64Ne]),
        (F32, Bool) => return Some(vec![I::F32Const(0f32.into()), I::F32Ne]),
        (F64, Bool) => return Some(vec![I::F64Const(0f64.into()), I::F64Ne]),
        (I32, I64 | U64) => I::I64ExtendI32S,
        (Bool | U32, I64 | U64) => I::I64ExtendI32U,
        (I64 | U64, I32 | U32) => I::I32WrapI64,
        (I32, F32) => I::F32ConvertI32S,
        (Bool | U32, F32) => I::F32ConvertI32U,
        (I64, F32) => I::F32ConvertI64S,
        (U64, F32) => I::F32ConvertI64U,
        (I32, F64) => I::F64ConvertI32S,
        (Bool | U32, F64) => I::F64ConvertI32U,
        (I64, F64) => I::F64ConvertI64S,
        (U64, F64) => I::F64ConvertI64U,
        (F32, F64) => I::F64PromoteF32,
        (F64, F32) => I::F32DemoteF64,
        (F32, I32) => I::I32TruncSatF32S,
        (F32, U32) => I::I32TruncSatF32U,
        (F32, I64) => I::I64TruncSatF32S,
        (F32, U64) => I::I64TruncSatF32U,
        (F64, I32) => I::I32TruncSatF64S,
        (F64, U32) => I::I32TruncSatF64U,
        (F64, I64) => I::I64TruncSatF64S,
        (F64, U64) => I::I64TruncSatF64U,
    };
    Some(vec![one])
}

/// The instruction of [`Op::TruncateTrapping`].
pub(crate) fn truncate(from: Scalar, to: Scalar) -> Option<I<'static>> {
    use Scalar::{F32, F64, I32, I64, U32, U64};
    Some(match (from, to) {
        (F32, I32) => I::I32TruncF32S,
        (F32, U32) => I::I32TruncF32U,
        (F32, I64) => I::I64TruncF32S,
        (F32, U64) => I::I64TruncF32U,
        (F64, I32) => I::I32TruncF64S,
        (F64, U32) => I::I32TruncF64U,
        (F64, I64) => I::I64TruncF64S,
        (F64, U64) => I::I64TruncF64U,
        _ => return None,
    })
}

/// The instruction of [`Op::Bitcast`], if the bits move between registers of two kinds.
pub(crate) fn bitcast(from: Scalar, to: Scalar) -> Option<I<'static>> {
    match (from, to) {
        (Scalar::F32, Scalar::I32 | Scalar::U32) => Some(I::I32ReinterpretF32),
        (Scalar::F64, Scalar::I64 | Scalar::U64) => Some(I::I64ReinterpretF64),
        (Scalar::I32 | Scalar::U32, Scalar::F32) => Some(I::F32ReinterpretI32),
        (Scalar::I64 | Scalar::U64, Scalar::F64) => Some(I::F64ReinterpretI64),
        _ => None,
    }
}

/// Whether a conversion or bitcast leaves the bits in their place.
pub(crate) fn is_nothing(op: Op, from: Scalar, to: Scalar) -> bool {
    match op {
        Op::Bitcast => bitcast(from, to).is_none(),
        Op::ConstructScalarFromScalar => convert(from, to).is_some_and(|code| code.is_empty()),
        _ => false,
    }
}

fn access(arg: MemArg, memory: u32) -> wasm_encoder::MemArg {
    wasm_encoder::MemArg {
        offset: arg.offset.into(),
        align: arg.width as u32,
        target: MemArgTarget::Memory(memory),
        ordering: None,
    }
}

/// The load of a scalar (`None`: of 128 bits).
pub(crate) fn load(arg: MemArg, memory: u32, scalar: Option<Scalar>) -> Option<I<'static>> {
    let at = access(arg, memory);
    Some(match (scalar, arg.width, arg.signed) {
        (None, Width::B128, _) => I::V128Load(at),
        (Some(Scalar::F32), Width::B32, _) => I::F32Load(at),
        (Some(Scalar::F64), Width::B64, _) => I::F64Load(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B32, _) => I::I32Load(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B16, true) => I::I32Load16S(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B16, false) => I::I32Load16U(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B8, true) => I::I32Load8S(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B8, false) => I::I32Load8U(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B64, _) => I::I64Load(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B32, true) => I::I64Load32S(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B32, false) => I::I64Load32U(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B16, true) => I::I64Load16S(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B16, false) => I::I64Load16U(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B8, true) => I::I64Load8S(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B8, false) => I::I64Load8U(at),
        _ => return None,
    })
}

/// The store of a scalar (`None`: of 128 bits).
pub(crate) fn store(arg: MemArg, memory: u32, scalar: Option<Scalar>) -> Option<I<'static>> {
    let at = access(arg, memory);
    Some(match (scalar, arg.width) {
        (None, Width::B128) => I::V128Store(at),
        (Some(Scalar::F32), Width::B32) => I::F32Store(at),
        (Some(Scalar::F64), Width::B64) => I::F64Store(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B32) => I::I32Store(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B16) => I::I32Store16(at),
        (Some(Scalar::I32 | Scalar::U32), Width::B8) => I::I32Store8(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B64) => I::I64Store(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B32) => I::I64Store32(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B16) => I::I64Store16(at),
        (Some(Scalar::I64 | Scalar::U64), Width::B8) => I::I64Store8(at),
        _ => return None,
    })
}
