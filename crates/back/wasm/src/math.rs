//! Functions that WebAssembly has no instructions for, imported from the host: `"math" "sin"` and so on, on `f64`.
//!
//! They are named and typed as in JavaScript's `Math`, which can be passed as it is. The IR computes the functions of
//! an `f32` in `f64` and rounds, so one import serves both types.

use planish_ir::ops::Op;

/// The module that they are imported from.
pub const MODULE: &str = "math";

/// The name of an op's function and the number of its `f64` parameters; `None` for other ops.
pub fn function(op: Op) -> Option<(&'static str, usize)> {
    Some(match op {
        Op::Sin => ("sin", 1),
        Op::Cos => ("cos", 1),
        Op::Tan => ("tan", 1),
        Op::Asin => ("asin", 1),
        Op::Acos => ("acos", 1),
        Op::Atan => ("atan", 1),
        Op::Sinh => ("sinh", 1),
        Op::Cosh => ("cosh", 1),
        Op::Tanh => ("tanh", 1),
        Op::Asinh => ("asinh", 1),
        Op::Acosh => ("acosh", 1),
        Op::Atanh => ("atanh", 1),
        Op::Exp => ("exp", 1),
        Op::Log => ("log", 1),
        Op::Exp2 => ("exp2", 1),
        Op::Log2 => ("log2", 1),
        Op::Atan2 => ("atan2", 2),
        Op::Pow => ("pow", 2),
        _ => return None,
    })
}
