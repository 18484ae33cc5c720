//! Which handler does which op.

use planish_ir::meaning::{self, Kernel};
use planish_ir::ops::{Imm, MemArg, Op, Rule, Width};
use planish_machine::isa::{Comparison, Kind};

use crate::dispatch::{Handler, bytes, generic, jumps, scalar};

/// `rr`, `ri` and `ir` (or another) of a module.
macro_rules! forms {
    ($a:ident :: $b:ident) => {
        Some([$a::$b::rr as Handler, $a::$b::ri, $a::$b::ir])
    };
    ($a:ident :: $b:ident, $third:ident) => {
        [$a::$b::rr as Handler, $a::$b::ri, $a::$b::$third]
    };
}

/// The forms of a module for each kind.
macro_rules! by_kind {
    ($kind:expr, $($k:pat => $a:ident :: $b:ident),* $(,)?) => {
        match $kind { $($k => forms!($a::$b),)* _ => None }
    };
}

/// An op with two operands; `None` if it has no handlers of its own.
pub(super) fn binary(op: Op, kind: Kind) -> Option<[Handler; 3]> {
    use Kind::{Bool, F32, F64, Func, I32, I64, U32, U64};
    match op {
        Op::Add => by_kind!(kind, I32 | U32 => scalar::add_i32, I64 | U64 => scalar::add_i64,
            F32 => scalar::add_f32, F64 => scalar::add_f64),
        Op::Subtract => by_kind!(kind, I32 | U32 => scalar::sub_i32, I64 | U64 => scalar::sub_i64,
            F32 => scalar::sub_f32, F64 => scalar::sub_f64),
        Op::Multiply => by_kind!(kind, I32 | U32 => scalar::mul_i32, I64 | U64 => scalar::mul_i64,
            F32 => scalar::mul_f32, F64 => scalar::mul_f64),
        Op::Divide => by_kind!(kind, F32 => scalar::div_f32, F64 => scalar::div_f64),
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
        Op::DivideTrapping => Some(match kind {
            I32 => forms!(scalar::div_i32, ri),
            U32 => forms!(scalar::div_u32, ri),
            I64 => forms!(scalar::div_i64, ri),
            U64 => forms!(scalar::div_u64, ri),
            _ => return None,
        }),
        Op::RemainderTrapping => Some(match kind {
            I32 => forms!(scalar::rem_i32, ri),
            U32 => forms!(scalar::rem_u32, ri),
            I64 => forms!(scalar::rem_i64, ri),
            U64 => forms!(scalar::rem_u64, ri),
            _ => return None,
        }),
        _ => None,
    }
}

/// An op with one operand.
pub(super) fn unary(op: Op, kind: Kind, result: Kind) -> Option<Handler> {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    Some(match (op, kind) {
        (Op::CountLeadingZeros, I32 | U32) => scalar::clz_i32,
        (Op::CountLeadingZeros, I64 | U64) => scalar::clz_i64,
        (Op::CountTrailingZeros, I32 | U32) => scalar::ctz_i32,
        (Op::CountTrailingZeros, I64 | U64) => scalar::ctz_i64,
        (Op::BitCount, I32 | U32) => scalar::popcnt_i32,
        (Op::BitCount, I64 | U64) => scalar::popcnt_i64,
        (Op::LogicalNot, _) => scalar::not_bool,
        (Op::BitwiseNot, I32 | U32) => scalar::not_i32,
        (Op::BitwiseNot, I64 | U64) => scalar::not_i64,
        (Op::Negate, I32 | U32) => scalar::neg_i32,
        (Op::Negate, I64 | U64) => scalar::neg_i64,
        (Op::Negate, F32) => scalar::neg_f32,
        (Op::Negate, F64) => scalar::neg_f64,
        (Op::Abs, F32) => scalar::abs_f32,
        (Op::Abs, F64) => scalar::abs_f64,
        (Op::Sqrt, F32) => scalar::sqrt_f32,
        (Op::Sqrt, F64) => scalar::sqrt_f64,
        (Op::SignExtend8, I32 | U32) => scalar::extend8_i32,
        (Op::SignExtend16, I32 | U32) => scalar::extend16_i32,
        (Op::SignExtend8, I64 | U64) => scalar::extend8_i64,
        (Op::SignExtend16, I64 | U64) => scalar::extend16_i64,
        (Op::SignExtend32, I64 | U64) => scalar::extend32_i64,
        (Op::SignExtend32, I32 | U32) | (Op::Bitcast, _) => scalar::copy,
        (Op::ConstructScalarFromScalar, from) => conversion(from, result)?,
        (Op::TruncateTrapping, F32) => match result {
            I32 => scalar::trunc_f32_i32,
            U32 => scalar::trunc_f32_u32,
            I64 => scalar::trunc_f32_i64,
            U64 => scalar::trunc_f32_u64,
            _ => return None,
        },
        (Op::TruncateTrapping, F64) => match result {
            I32 => scalar::trunc_f64_i32,
            U32 => scalar::trunc_f64_u32,
            I64 => scalar::trunc_f64_i64,
            U64 => scalar::trunc_f64_u64,
            _ => return None,
        },
        (Op::RefIsNull, _) => scalar::is_zero,
        (Op::Any | Op::All, Bool) => scalar::copy,
        _ => return None,
    })
}

/// A conversion of numbers.
fn conversion(from: Kind, to: Kind) -> Option<Handler> {
    use Kind::{Bool, F32, F64, I32, I64, U32, U64};
    Some(match (from, to) {
        (I32, I64 | U64) => scalar::extend32_i64,
        (I32 | U32 | Bool, I32 | U32) | (U32 | Bool, I64 | U64) | (I64 | U64, I64 | U64) | (Bool, Bool) => scalar::copy,
        (F32, F32) | (F64, F64) => scalar::copy,
        (I64 | U64, I32 | U32) => scalar::wrap_i64,
        (I32 | U32 | I64 | U64, Bool) => scalar::is_set,
        (I32, F32) => scalar::i32_to_f32,
        (I32, F64) => scalar::i32_to_f64,
        (U32 | Bool, F32) => scalar::u32_to_f32,
        (U32 | Bool, F64) => scalar::u32_to_f64,
        (I64, F32) => scalar::i64_to_f32,
        (I64, F64) => scalar::i64_to_f64,
        (U64, F32) => scalar::u64_to_f32,
        (U64, F64) => scalar::u64_to_f64,
        (F32, F64) => scalar::f32_to_f64,
        (F64, F32) => scalar::f64_to_f32,
        (F32, I32) => scalar::f32_to_i32,
        (F32, U32) => scalar::f32_to_u32,
        (F32, I64) => scalar::f32_to_i64,
        (F32, U64) => scalar::f32_to_u64,
        (F64, I32) => scalar::f64_to_i32,
        (F64, U32) => scalar::f64_to_u32,
        (F64, I64) => scalar::f64_to_i64,
        (F64, U64) => scalar::f64_to_u64,
        _ => return None,
    })
}

/// The address of the function that defines a componentwise op on scalars; of no op that has a handler.
pub(super) fn function(op: Op, kind: Kind) -> Option<u64> {
    if op == Op::Select || binary(op, kind).is_some() {
        return None;
    }
    Some(match meaning::kernel(op, kind.scalar()?)? {
        Kernel::Unary(f) => generic::address(f.one as *const ()),
        Kernel::Binary(f) => generic::address(f.one as *const ()),
        Kernel::Ternary(f) => generic::address(f.one as *const ()),
        Kernel::Quaternary(_) => return None,
    })
}

/// Whether a constant fits an instruction with one.
pub(super) fn fits(kind: Kind, bits: u64) -> bool {
    !matches!(kind, Kind::I64 | Kind::U64 | Kind::Func) || bits as i32 as i64 as u64 == bits
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

/// `rr`, `ri` and `rw` of a jump.
macro_rules! jump {
    ($a:ident :: $b:ident) => {
        Some(forms!($a::$b, rw))
    };
}

/// A jump on a comparison.
pub(super) fn jump(comparison: Comparison) -> Option<[Handler; 3]> {
    use Kind::{Bool, Extern, F32, F64, Func, I32, I64, U32, U64};
    if comparison.negated {
        return match (comparison.op, comparison.kind) {
            (Op::Equal, F32) => jump!(jumps::ne_f32),
            (Op::NotEqual, F32) => jump!(jumps::eq_f32),
            (Op::LessThan, F32) => jump!(jumps::nlt_f32),
            (Op::LessThanEqual, F32) => jump!(jumps::nle_f32),
            (Op::GreaterThan, F32) => jump!(jumps::ngt_f32),
            (Op::GreaterThanEqual, F32) => jump!(jumps::nge_f32),
            (Op::Equal, F64) => jump!(jumps::ne_f64),
            (Op::NotEqual, F64) => jump!(jumps::eq_f64),
            (Op::LessThan, F64) => jump!(jumps::nlt_f64),
            (Op::LessThanEqual, F64) => jump!(jumps::nle_f64),
            (Op::GreaterThan, F64) => jump!(jumps::ngt_f64),
            (Op::GreaterThanEqual, F64) => jump!(jumps::nge_f64),
            _ => None,
        };
    }
    match (comparison.op, comparison.kind) {
        (Op::Equal, Bool | I32 | U32) => jump!(jumps::eq_i32),
        (Op::NotEqual, Bool | I32 | U32) => jump!(jumps::ne_i32),
        (Op::LessThan, I32) => jump!(jumps::lt_i32),
        (Op::LessThanEqual, I32) => jump!(jumps::le_i32),
        (Op::GreaterThan, I32) => jump!(jumps::gt_i32),
        (Op::GreaterThanEqual, I32) => jump!(jumps::ge_i32),
        (Op::LessThan, U32) => jump!(jumps::lt_u32),
        (Op::LessThanEqual, U32) => jump!(jumps::le_u32),
        (Op::GreaterThan, U32) => jump!(jumps::gt_u32),
        (Op::GreaterThanEqual, U32) => jump!(jumps::ge_u32),
        (Op::Equal, I64 | U64 | Func | Extern) => jump!(jumps::eq_i64),
        (Op::NotEqual, I64 | U64 | Func | Extern) => jump!(jumps::ne_i64),
        (Op::LessThan, I64) => jump!(jumps::lt_i64),
        (Op::LessThanEqual, I64) => jump!(jumps::le_i64),
        (Op::GreaterThan, I64) => jump!(jumps::gt_i64),
        (Op::GreaterThanEqual, I64) => jump!(jumps::ge_i64),
        (Op::LessThan, U64) => jump!(jumps::lt_u64),
        (Op::LessThanEqual, U64) => jump!(jumps::le_u64),
        (Op::GreaterThan, U64) => jump!(jumps::gt_u64),
        (Op::GreaterThanEqual, U64) => jump!(jumps::ge_u64),
        (Op::Equal, F32) => jump!(jumps::eq_f32),
        (Op::NotEqual, F32) => jump!(jumps::ne_f32),
        (Op::LessThan, F32) => jump!(jumps::lt_f32),
        (Op::LessThanEqual, F32) => jump!(jumps::le_f32),
        (Op::GreaterThan, F32) => jump!(jumps::gt_f32),
        (Op::GreaterThanEqual, F32) => jump!(jumps::ge_f32),
        (Op::Equal, F64) => jump!(jumps::eq_f64),
        (Op::NotEqual, F64) => jump!(jumps::ne_f64),
        (Op::LessThan, F64) => jump!(jumps::lt_f64),
        (Op::LessThanEqual, F64) => jump!(jumps::le_f64),
        (Op::GreaterThan, F64) => jump!(jumps::gt_f64),
        (Op::GreaterThanEqual, F64) => jump!(jumps::ge_f64),
        _ => None,
    }
}

/// A jump if two values have a bit in common, or (`nonzero` is false) none.
pub(super) fn bit_jump(kind: Kind, nonzero: bool) -> [Handler; 3] {
    match (kind.bits(64), nonzero) {
        (64, true) => forms!(jumps::and_i64, rw),
        (64, false) => forms!(jumps::nand_i64, rw),
        (_, true) => forms!(jumps::and_i32, rw),
        (_, false) => forms!(jumps::nand_i32, rw),
    }
}

/// `r`, `c`, `s` and `p` of a load from memory 0.
pub(super) fn load(arg: MemArg, result: Kind) -> [Handler; 4] {
    macro_rules! load {
        ($a:ident :: $b:ident) => {
            [$a::$b::r as Handler, $a::$b::c, $a::$b::s, $a::$b::p]
        };
    }
    match (arg.width, arg.signed, result.bits(64)) {
        (Width::B8, true, 64) => load!(bytes::load8_s64),
        (Width::B8, true, _) => load!(bytes::load8_s32),
        (Width::B8, false, _) => load!(bytes::load8_u),
        (Width::B16, true, 64) => load!(bytes::load16_s64),
        (Width::B16, true, _) => load!(bytes::load16_s32),
        (Width::B16, false, _) => load!(bytes::load16_u),
        (Width::B32, true, 64) => load!(bytes::load32_s64),
        (Width::B32, ..) => load!(bytes::load32_u),
        _ => load!(bytes::load64),
    }
}

/// `r`, `c`, `k`, `s`, `p` and `q` of a store to memory 0.
pub(super) fn store(width: Width) -> [Handler; 6] {
    macro_rules! store {
        ($a:ident :: $b:ident) => {
            [$a::$b::r as Handler, $a::$b::c, $a::$b::k, $a::$b::s, $a::$b::p, $a::$b::q]
        };
    }
    match width {
        Width::B8 => store!(bytes::store8),
        Width::B16 => store!(bytes::store16),
        Width::B32 => store!(bytes::store32),
        _ => store!(bytes::store64),
    }
}

/// The kind of an operand of an op whose operands differ in kind; `kind` is what the operation says of them.
pub(super) fn kind_of_operand(op: Op, imm: Imm, operand: usize, kind: Kind) -> Kind {
    match (op.info().rule, operand) {
        (Rule::MemoryStore, 0) | (Rule::SimdShift, 1) | (Rule::TableSet | Rule::TableFill, 0) => Kind::I32,
        (Rule::TableFill, 2) | (Rule::TableGrow, 1) => Kind::I32,
        // What is put into a table; all references are one word.
        (Rule::TableSet | Rule::TableFill, 1) => Kind::Func,
        (Rule::Select, 0) => Kind::Bool,
        (Rule::SimdInsert, 0) => Kind::V128,
        (Rule::SimdInsert, 1) => Kind::of(imm.as_shape().scalar()),
        (Rule::Fixed(params, _), i) if params.get(i).is_some() => Kind::I32,
        (Rule::Ldexp, 1) => Kind::I32,
        (Rule::BitfieldExtract, 1 | 2) | (Rule::BitfieldInsert, 2 | 3) => Kind::I32,
        _ => kind,
    }
}
