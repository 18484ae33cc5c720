//! The handlers of each op.

use planish_ir::ops::{MemArg, Op, Width};
use planish_machine::isa::{Comparison, Kind};

use crate::dispatch::bytes::{Load, LoadForms, Store, StoreForms};
use crate::dispatch::jumps::{Jump, JumpForms, Kept, Step};
use crate::dispatch::load_jumps::{LoadJumps, Loaded};
use crate::dispatch::operands::{Bank, Forms, Pair};
use crate::dispatch::scalar::{Binary, BinaryForms, Unary};
use crate::dispatch::{bytes, generic, jumps, scalar};

/// The handlers of an op for each kind.
macro_rules! by_kind {
    ($kind:expr, $($k:pat => $a:ident :: $b:ident),* $(,)?) => {
        match $kind { $($k => Some(&$a::$b::FORMS),)* _ => None }
    };
}

/// The accumulator of a kind.
pub(super) fn bank(kind: Kind) -> Bank {
    match kind {
        Kind::F32 => Bank::Single,
        Kind::F64 => Bank::Double,
        _ => Bank::Int,
    }
}

/// An op with two operands; `None` if it has no handlers of its own.
pub(super) fn binary(op: Op, kind: Kind) -> Option<&'static BinaryForms> {
    use Kind::{Bool, F32, F64, Func, I32, I64, U32, U64};
    match op {
        Op::Add => by_kind!(kind, I32 | U32 => scalar::add_i32, I64 | U64 => scalar::add_i64,
            F32 => scalar::add_f32, F64 => scalar::add_f64),
        Op::Subtract => by_kind!(kind, I32 | U32 => scalar::sub_i32, I64 | U64 => scalar::sub_i64,
            F32 => scalar::sub_f32, F64 => scalar::sub_f64),
        Op::Multiply => by_kind!(kind, I32 | U32 => scalar::mul_i32, I64 | U64 => scalar::mul_i64,
            F32 => scalar::mul_f32, F64 => scalar::mul_f64),
        Op::Divide => by_kind!(kind, I32 => scalar::quotient_i32, U32 => scalar::quotient_u32,
            I64 => scalar::quotient_i64, U64 => scalar::quotient_u64, F32 => scalar::div_f32, F64 => scalar::div_f64),
        Op::BitwiseAnd | Op::LogicalAnd => {
            by_kind!(kind, Bool | I32 | U32 => scalar::and_i32, I64 | U64 => scalar::and_i64)
        }
        Op::BitwiseOr | Op::LogicalOr => {
            by_kind!(kind, Bool | I32 | U32 => scalar::or_i32, I64 | U64 => scalar::or_i64)
        }
        Op::BitwiseXor | Op::LogicalXor => {
            by_kind!(kind, Bool | I32 | U32 => scalar::xor_i32, I64 | U64 => scalar::xor_i64)
        }
        Op::ShiftLeft => by_kind!(kind, I32 | U32 => scalar::shl_i32, I64 | U64 => scalar::shl_i64),
        Op::ShiftRight => by_kind!(kind, I32 => scalar::shr_i32, U32 => scalar::shr_u32,
            I64 => scalar::shr_i64, U64 => scalar::shr_u64),
        Op::RotateLeft => by_kind!(kind, I32 | U32 => scalar::rotl_i32, I64 | U64 => scalar::rotl_i64),
        Op::RotateRight => by_kind!(kind, I32 | U32 => scalar::rotr_i32, I64 | U64 => scalar::rotr_i64),
        Op::Equal => by_kind!(kind, Bool | I32 | U32 => scalar::eq_i32, I64 | U64 | Func => scalar::eq_i64,
            F32 => scalar::eq_f32, F64 => scalar::eq_f64),
        Op::NotEqual => by_kind!(kind, Bool | I32 | U32 => scalar::ne_i32, I64 | U64 | Func => scalar::ne_i64,
            F32 => scalar::ne_f32, F64 => scalar::ne_f64),
        Op::LessThan => by_kind!(kind, I32 => scalar::lt_i32, U32 => scalar::lt_u32, I64 => scalar::lt_i64,
            U64 => scalar::lt_u64, F32 => scalar::lt_f32, F64 => scalar::lt_f64),
        Op::LessThanEqual => by_kind!(kind, I32 => scalar::le_i32, U32 => scalar::le_u32, I64 => scalar::le_i64,
            U64 => scalar::le_u64, F32 => scalar::le_f32, F64 => scalar::le_f64),
        Op::GreaterThan => by_kind!(kind, I32 => scalar::gt_i32, U32 => scalar::gt_u32, I64 => scalar::gt_i64,
            U64 => scalar::gt_u64, F32 => scalar::gt_f32, F64 => scalar::gt_f64),
        Op::GreaterThanEqual => by_kind!(kind, I32 => scalar::ge_i32, U32 => scalar::ge_u32, I64 => scalar::ge_i64,
            U64 => scalar::ge_u64, F32 => scalar::ge_f32, F64 => scalar::ge_f64),
        Op::Min => by_kind!(kind, I32 => scalar::min_i32, U32 => scalar::min_u32,
            I64 => scalar::min_i64, U64 => scalar::min_u64),
        Op::Max => by_kind!(kind, I32 => scalar::max_i32, U32 => scalar::max_u32,
            I64 => scalar::max_i64, U64 => scalar::max_u64),
        Op::Remainder => by_kind!(kind, I32 => scalar::remainder_i32, U32 => scalar::remainder_u32,
            I64 => scalar::remainder_i64, U64 => scalar::remainder_u64),
        Op::DivideTrapping => by_kind!(kind, I32 => scalar::div_i32, U32 => scalar::div_u32,
            I64 => scalar::div_i64, U64 => scalar::div_u64),
        Op::RemainderTrapping => by_kind!(kind, I32 => scalar::rem_i32, U32 => scalar::rem_u32,
            I64 => scalar::rem_i64, U64 => scalar::rem_u64),
        _ => None,
    }
}

/// An op that may result in any NaN, with handlers of its own.
pub(super) fn binary_any(op: Op, kind: Kind) -> Option<&'static BinaryForms> {
    use Kind::{F32, F64};
    match op {
        Op::Add => by_kind!(kind, F32 => scalar::add_any_f32, F64 => scalar::add_any_f64),
        Op::Subtract => by_kind!(kind, F32 => scalar::sub_any_f32, F64 => scalar::sub_any_f64),
        Op::Multiply => by_kind!(kind, F32 => scalar::mul_any_f32, F64 => scalar::mul_any_f64),
        Op::Divide => by_kind!(kind, F32 => scalar::div_any_f32, F64 => scalar::div_any_f64),
        _ => None,
    }
}

/// A float's op with one operand twice; `any`: any NaN is allowed.
pub(super) fn twice(op: Op, kind: Kind, any: bool) -> Option<Forms> {
    use Kind::{F32, F64};
    Some(match (op, kind, any) {
        (Op::Add, F32, false) => scalar::add_f32::TWICE,
        (Op::Add, F32, true) => scalar::add_any_f32::TWICE,
        (Op::Add, F64, false) => scalar::add_f64::TWICE,
        (Op::Add, F64, true) => scalar::add_any_f64::TWICE,
        (Op::Multiply, F32, false) => scalar::mul_f32::TWICE,
        (Op::Multiply, F32, true) => scalar::mul_any_f32::TWICE,
        (Op::Multiply, F64, false) => scalar::mul_f64::TWICE,
        (Op::Multiply, F64, true) => scalar::mul_any_f64::TWICE,
        _ => return None,
    })
}

/// An op with one operand.
pub(super) fn unary(op: Op, kind: Kind, result: Kind) -> Option<Forms> {
    use Kind::{F32, F64, I32, I64, U32, U64};
    Some(match (op, kind) {
        (Op::CountLeadingZeros, I32 | U32) => scalar::clz_i32::FORMS,
        (Op::CountLeadingZeros, I64 | U64) => scalar::clz_i64::FORMS,
        (Op::CountTrailingZeros, I32 | U32) => scalar::ctz_i32::FORMS,
        (Op::CountTrailingZeros, I64 | U64) => scalar::ctz_i64::FORMS,
        (Op::BitCount, I32 | U32) => scalar::popcnt_i32::FORMS,
        (Op::BitCount, I64 | U64) => scalar::popcnt_i64::FORMS,
        (Op::LogicalNot, _) => scalar::not_bool::FORMS,
        (Op::BitwiseNot, I32 | U32) => scalar::not_i32::FORMS,
        (Op::BitwiseNot, I64 | U64) => scalar::not_i64::FORMS,
        (Op::Negate, I32 | U32) => scalar::neg_i32::FORMS,
        (Op::Negate, I64 | U64) => scalar::neg_i64::FORMS,
        (Op::Negate, F32) => scalar::neg_f32::FORMS,
        (Op::Negate, F64) => scalar::neg_f64::FORMS,
        (Op::Abs, F32) => scalar::abs_f32::FORMS,
        (Op::Abs, F64) => scalar::abs_f64::FORMS,
        (Op::Sqrt, F32) => scalar::sqrt_f32::FORMS,
        (Op::Sqrt, F64) => scalar::sqrt_f64::FORMS,
        (Op::SignExtend8, I32 | U32) => scalar::extend8_i32::FORMS,
        (Op::SignExtend16, I32 | U32) => scalar::extend16_i32::FORMS,
        (Op::SignExtend8, I64 | U64) => scalar::extend8_i64::FORMS,
        (Op::SignExtend16, I64 | U64) => scalar::extend16_i64::FORMS,
        (Op::SignExtend32, I64 | U64) => scalar::extend32_i64::FORMS,
        (Op::ConstructScalarFromScalar, from) => conversion(from, result)?,
        (Op::TruncateTrapping, F32) => match result {
            I32 => scalar::trunc_f32_i32::FORMS,
            U32 => scalar::trunc_f32_u32::FORMS,
            I64 => scalar::trunc_f32_i64::FORMS,
            U64 => scalar::trunc_f32_u64::FORMS,
            _ => return None,
        },
        (Op::TruncateTrapping, F64) => match result {
            I32 => scalar::trunc_f64_i32::FORMS,
            U32 => scalar::trunc_f64_u32::FORMS,
            I64 => scalar::trunc_f64_i64::FORMS,
            U64 => scalar::trunc_f64_u64::FORMS,
            _ => return None,
        },
        (Op::RefIsNull, _) => scalar::is_zero::FORMS,
        _ => return None,
    })
}

/// Whether an op with one operand leaves the bits of its register unchanged.
pub(super) fn is_copy(op: Op, from: Kind, to: Kind) -> bool {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    match (op, from) {
        (Op::SignExtend32, I32 | U32) | (Op::Bitcast, _) | (Op::Any | Op::All, Bool) => true,
        (Op::ConstructScalarFromScalar, _) => matches!(
            (from, to),
            (I32 | U32 | Bool, I32 | U32)
                | (U32 | Bool, I64 | U64)
                | (I64 | U64, I64 | U64)
                | (Bool, Bool)
                | (F32, F32)
                | (F64, F64)
        ),
        _ => false,
    }
}

/// A conversion of numbers.
fn conversion(from: Kind, to: Kind) -> Option<Forms> {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    Some(match (from, to) {
        (I32, I64 | U64) => scalar::extend32_i64::FORMS,
        (I64 | U64, I32 | U32) => scalar::wrap_i64::FORMS,
        (I32 | U32 | I64 | U64, Bool) => scalar::is_set::FORMS,
        (I32, F32) => scalar::i32_to_f32::FORMS,
        (I32, F64) => scalar::i32_to_f64::FORMS,
        (U32 | Bool, F32) => scalar::u32_to_f32::FORMS,
        (U32 | Bool, F64) => scalar::u32_to_f64::FORMS,
        (I64, F32) => scalar::i64_to_f32::FORMS,
        (I64, F64) => scalar::i64_to_f64::FORMS,
        (U64, F32) => scalar::u64_to_f32::FORMS,
        (U64, F64) => scalar::u64_to_f64::FORMS,
        (F32, F64) => scalar::f32_to_f64::FORMS,
        (F64, F32) => scalar::f64_to_f32::FORMS,
        (F32, I32) => scalar::f32_to_i32::FORMS,
        (F32, U32) => scalar::f32_to_u32::FORMS,
        (F32, I64) => scalar::f32_to_i64::FORMS,
        (F32, U64) => scalar::f32_to_u64::FORMS,
        (F64, I32) => scalar::f64_to_i32::FORMS,
        (F64, U32) => scalar::f64_to_u32::FORMS,
        (F64, I64) => scalar::f64_to_i64::FORMS,
        (F64, U64) => scalar::f64_to_u64::FORMS,
        _ => return None,
    })
}

/// The address of the function that defines a componentwise op on scalars; `None` for ops with handlers.
pub(super) fn function(op: Op, kind: Kind) -> Option<u64> {
    if op == Op::Select || binary(op, kind).is_some() {
        return None;
    }
    generic::definition(op, kind.scalar()?)
}

/// Whether a constant fits the immediate of an instruction.
pub(super) fn fits(kind: Kind, bits: u64) -> bool {
    !matches!(kind, Kind::I64 | Kind::U64 | Kind::Func) || bits as i32 as i64 as u64 == bits
}

/// A table of handlers of the comparisons of 32-bit integers.
macro_rules! word_comparisons {
    ($op:expr, $kind:expr, $table:ident) => {{
        use Kind::{I32, U32};
        use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
        Some(match ($op, $kind) {
            (Equal, I32 | U32) => scalar::eq_i32::$table,
            (NotEqual, I32 | U32) => scalar::ne_i32::$table,
            (LessThan, I32) => scalar::lt_i32::$table,
            (LessThanEqual, I32) => scalar::le_i32::$table,
            (GreaterThan, I32) => scalar::gt_i32::$table,
            (GreaterThanEqual, I32) => scalar::ge_i32::$table,
            (LessThan, U32) => scalar::lt_u32::$table,
            (LessThanEqual, U32) => scalar::le_u32::$table,
            (GreaterThan, U32) => scalar::gt_u32::$table,
            (GreaterThanEqual, U32) => scalar::ge_u32::$table,
            _ => return None,
        })
    }};
}

/// A table of handlers of the integers' comparisons.
macro_rules! integer_comparisons {
    ($op:expr, $kind:expr, $table:ident) => {{
        use Kind::{I64, U64};
        use Op::{Equal, GreaterThan, GreaterThanEqual, LessThan, LessThanEqual, NotEqual};
        Some(match ($op, $kind) {
            (Equal, I64 | U64) => scalar::eq_i64::$table,
            (NotEqual, I64 | U64) => scalar::ne_i64::$table,
            (LessThan, I64) => scalar::lt_i64::$table,
            (LessThanEqual, I64) => scalar::le_i64::$table,
            (GreaterThan, I64) => scalar::gt_i64::$table,
            (GreaterThanEqual, I64) => scalar::ge_i64::$table,
            (LessThan, U64) => scalar::lt_u64::$table,
            (LessThanEqual, U64) => scalar::le_u64::$table,
            (GreaterThan, U64) => scalar::gt_u64::$table,
            (GreaterThanEqual, U64) => scalar::ge_u64::$table,
            _ => return word_comparisons!($op, $kind, $table),
        })
    }};
}

/// The comparison with its operands exchanged.
fn exchanged(op: Op) -> Op {
    match op {
        Op::LessThan => Op::GreaterThan,
        Op::LessThanEqual => Op::GreaterThanEqual,
        Op::GreaterThan => Op::LessThan,
        Op::GreaterThanEqual => Op::LessThanEqual,
        op => op,
    }
}

/// The jumps on a comparison after a step; `mirrored`: with its operands exchanged.
pub(super) fn steps(comparison: Comparison, mirrored: bool) -> Option<[[Pair; 2]; 4]> {
    let op = if mirrored { exchanged(comparison.op) } else { comparison.op };
    integer_comparisons!(op, comparison.kind, STEPS)
}

/// The jumps on a comparison that is kept.
pub(super) fn tests(comparison: Comparison) -> Option<[Pair; 10]> {
    integer_comparisons!(comparison.op, comparison.kind, TESTS)
}

/// The jumps on a comparison of a loaded value; `mirrored`: with its operands exchanged.
pub(super) fn load_jumps(width: Width, signed: bool, comparison: Comparison, mirrored: bool) -> Option<LoadJumps> {
    let op = if mirrored { exchanged(comparison.op) } else { comparison.op };
    match (width, signed) {
        (Width::B8, false) => word_comparisons!(op, comparison.kind, BYTE),
        (Width::B8, true) => word_comparisons!(op, comparison.kind, SIGNED_BYTE),
        (Width::B16, false) => word_comparisons!(op, comparison.kind, HALF),
        (Width::B32, _) => word_comparisons!(op, comparison.kind, WORD),
        _ => None,
    }
}

/// A constant to compare with, if it fits 16 bits.
pub(super) fn small(kind: Kind, bits: u64) -> Option<i16> {
    let value = match kind {
        Kind::F32 | Kind::F64 => return None,
        Kind::I64 | Kind::U64 | Kind::Func | Kind::Extern => bits as i64,
        _ => i64::from(bits as i32),
    };
    i16::try_from(value).ok()
}

/// The jumps on a test.
macro_rules! jump {
    ($a:ident :: $b:ident) => {
        Some(&<$a::$b as Jump>::JUMPS)
    };
}

/// A jump on a comparison.
pub(super) fn jump(comparison: Comparison) -> Option<&'static JumpForms> {
    use Kind::{Bool, Extern, F32, F64, Func, I32, I64, U32, U64};
    if comparison.negated {
        return match (comparison.op, comparison.kind) {
            (Op::Equal, F32) => jump!(scalar::ne_f32),
            (Op::NotEqual, F32) => jump!(scalar::eq_f32),
            (Op::LessThan, F32) => jump!(jumps::nlt_f32),
            (Op::LessThanEqual, F32) => jump!(jumps::nle_f32),
            (Op::GreaterThan, F32) => jump!(jumps::ngt_f32),
            (Op::GreaterThanEqual, F32) => jump!(jumps::nge_f32),
            (Op::Equal, F64) => jump!(scalar::ne_f64),
            (Op::NotEqual, F64) => jump!(scalar::eq_f64),
            (Op::LessThan, F64) => jump!(jumps::nlt_f64),
            (Op::LessThanEqual, F64) => jump!(jumps::nle_f64),
            (Op::GreaterThan, F64) => jump!(jumps::ngt_f64),
            (Op::GreaterThanEqual, F64) => jump!(jumps::nge_f64),
            _ => None,
        };
    }
    match (comparison.op, comparison.kind) {
        (Op::Equal, Bool | I32 | U32) => jump!(scalar::eq_i32),
        (Op::NotEqual, Bool | I32 | U32) => jump!(scalar::ne_i32),
        (Op::LessThan, I32) => jump!(scalar::lt_i32),
        (Op::LessThanEqual, I32) => jump!(scalar::le_i32),
        (Op::GreaterThan, I32) => jump!(scalar::gt_i32),
        (Op::GreaterThanEqual, I32) => jump!(scalar::ge_i32),
        (Op::LessThan, U32) => jump!(scalar::lt_u32),
        (Op::LessThanEqual, U32) => jump!(scalar::le_u32),
        (Op::GreaterThan, U32) => jump!(scalar::gt_u32),
        (Op::GreaterThanEqual, U32) => jump!(scalar::ge_u32),
        (Op::Equal, I64 | U64 | Func | Extern) => jump!(scalar::eq_i64),
        (Op::NotEqual, I64 | U64 | Func | Extern) => jump!(scalar::ne_i64),
        (Op::LessThan, I64) => jump!(scalar::lt_i64),
        (Op::LessThanEqual, I64) => jump!(scalar::le_i64),
        (Op::GreaterThan, I64) => jump!(scalar::gt_i64),
        (Op::GreaterThanEqual, I64) => jump!(scalar::ge_i64),
        (Op::LessThan, U64) => jump!(scalar::lt_u64),
        (Op::LessThanEqual, U64) => jump!(scalar::le_u64),
        (Op::GreaterThan, U64) => jump!(scalar::gt_u64),
        (Op::GreaterThanEqual, U64) => jump!(scalar::ge_u64),
        (Op::Equal, F32) => jump!(scalar::eq_f32),
        (Op::NotEqual, F32) => jump!(scalar::ne_f32),
        (Op::LessThan, F32) => jump!(scalar::lt_f32),
        (Op::LessThanEqual, F32) => jump!(scalar::le_f32),
        (Op::GreaterThan, F32) => jump!(scalar::gt_f32),
        (Op::GreaterThanEqual, F32) => jump!(scalar::ge_f32),
        (Op::Equal, F64) => jump!(scalar::eq_f64),
        (Op::NotEqual, F64) => jump!(scalar::ne_f64),
        (Op::LessThan, F64) => jump!(scalar::lt_f64),
        (Op::LessThanEqual, F64) => jump!(scalar::le_f64),
        (Op::GreaterThan, F64) => jump!(scalar::gt_f64),
        (Op::GreaterThanEqual, F64) => jump!(scalar::ge_f64),
        _ => None,
    }
}

/// A jump if two values have a bit in common, or (`nonzero` is false) none.
pub(super) fn bit_jump(kind: Kind, nonzero: bool) -> &'static JumpForms {
    match (kind.bits(64), nonzero) {
        (64, true) => &jumps::and_i64::JUMPS,
        (64, false) => &jumps::nand_i64::JUMPS,
        (_, true) => &jumps::and_i32::JUMPS,
        (_, false) => &jumps::nand_i32::JUMPS,
    }
}

/// A load from memory 0.
pub(super) fn load(arg: MemArg, result: Kind) -> &'static LoadForms {
    match (arg.width, arg.signed, result.bits(64)) {
        (Width::B8, true, 64) => &bytes::load8_s64::FORMS,
        (Width::B8, true, _) => &bytes::load8_s32::FORMS,
        (Width::B8, false, _) => &bytes::load8_u::FORMS,
        (Width::B16, true, 64) => &bytes::load16_s64::FORMS,
        (Width::B16, true, _) => &bytes::load16_s32::FORMS,
        (Width::B16, false, _) => &bytes::load16_u::FORMS,
        (Width::B32, true, 64) => &bytes::load32_s64::FORMS,
        (Width::B32, ..) if result == Kind::F32 => &bytes::load_f32::FORMS,
        (Width::B32, ..) => &bytes::load32_u::FORMS,
        _ if result == Kind::F64 => &bytes::load_f64::FORMS,
        _ => &bytes::load64::FORMS,
    }
}

/// A store to memory 0.
pub(super) fn store(width: Width, kind: Kind) -> &'static StoreForms {
    match (width, kind) {
        (Width::B8, _) => &bytes::store8::FORMS,
        (Width::B16, _) => &bytes::store16::FORMS,
        (Width::B32, Kind::F32) => &bytes::store_f32::FORMS,
        (Width::B32, _) => &bytes::store32::FORMS,
        (_, Kind::F64) => &bytes::store_f64::FORMS,
        _ => &bytes::store64::FORMS,
    }
}
