//! Operations of languages that compute with scalars (C, Rust), for the legalizer: one set, so that both are lowered in one way.

use std::sync::LazyLock;

use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use planish_target::legal::{Operation, Support};
use rustc_hash::FxHashSet;

/// Support of an operation by a language with functions of `libm`, where helpers do what its operators do not.
pub fn support(operation: &Operation) -> Support {
    static OPS: LazyLock<FxHashSet<(Op, Scalar)>> = LazyLock::new(|| {
        let pairs = Op::all().flat_map(|op| Scalar::ALL.into_iter().map(move |scalar| (op, scalar)));
        pairs.filter(|&(op, scalar)| has(op, scalar)).collect()
    });
    let op = operation.op;
    // Two results, of which the lowering makes two scalars.
    if op == Op::Frexp {
        return Support::Yes;
    }
    match operation.on_scalars() {
        Err(support) => support,
        Ok(scalar) if OPS.contains(&(op, scalar)) => Support::Yes,
        Ok(_) => Support::Expand,
    }
}

/// Whether such a language has an op on operands of a type.
pub fn has(op: Op, scalar: Scalar) -> bool {
    use Op::{
        Abs, Add, Atan2, BitCount, Bitcast, BitwiseAnd, BitwiseNot, BitwiseOr, BitwiseXor, Ceil,
        ConstructScalarFromScalar, CopySign, CountLeadingZeros, CountTrailingZeros, Divide, DivideTrapping, Equal,
        Floor, Fma, GreaterThan, GreaterThanEqual, Ldexp, LessThan, LessThanEqual, LogicalAnd, LogicalNot, LogicalOr,
        LogicalXor, Maximum, Minimum, Multiply, Negate, NotEqual, Pow, Remainder, RemainderTrapping, RotateLeft,
        RotateRight, Round, RoundEven, Select, ShiftLeft, ShiftRight, SignExtend8, SignExtend16, SignExtend32, Sqrt,
        Subtract, Trunc, TruncateTrapping,
    };
    match op {
        Equal | NotEqual | Select | ConstructScalarFromScalar | Bitcast => return true,
        _ => {}
    }
    if scalar == Scalar::Bool {
        return matches!(op, LogicalAnd | LogicalOr | LogicalXor | LogicalNot);
    }
    let of_numbers = matches!(
        op,
        Add | Subtract | Multiply | Divide | Negate | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual
    );
    let of_floats = || {
        is_elementary(op)
            || matches!(op, Abs | Sqrt | Floor | Ceil | Trunc | Round | RoundEven | Minimum | Maximum | CopySign)
            || matches!(op, Atan2 | Pow | Fma | Ldexp | TruncateTrapping)
    };
    let of_integers = || {
        matches!(op, Remainder | DivideTrapping | RemainderTrapping | BitwiseAnd | BitwiseOr | BitwiseXor | BitwiseNot)
            || matches!(op, ShiftLeft | ShiftRight | RotateLeft | RotateRight)
            || matches!(op, CountLeadingZeros | CountTrailingZeros | BitCount)
            || matches!(op, SignExtend8 | SignExtend16 | SignExtend32)
    };
    of_numbers || if scalar.is_float() { of_floats() } else { of_integers() }
}

/// Whether an op is a function of one float that `libm` has, with an error.
fn is_elementary(op: Op) -> bool {
    use Op::{Acos, Acosh, Asin, Asinh, Atan, Atanh, Cos, Cosh, Exp, Exp2, Log, Log2, Sin, Sinh, Tan, Tanh};
    matches!(op, Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh)
        || matches!(op, Exp | Log | Exp2 | Log2)
}
