//! Takes fused ops apart, for targets that have none of them.
//!
//! ```text
//! before: %4 = multiply_add %a, %b, %c      after: %4 = multiply %a, %b    %5 = add %4, %c
//!         %5 = lerp %x, %y, %t                     %6 = subtract %y, %x    %7 = multiply %6, %t    %8 = add %7, %x
//!         %6 = horizontal_add %v                   %9 = component 0 of %v  %10 = component 1       %11 = add %9, %10
//! ```
//!
//! Each op is defined as these steps (`docs/numerics.md`), so no bit changes; `hypot` too. Holds before: a valid module; fused ops come
//! from flattening, no language has them.

use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_target::legal::{Operation, Support, TargetInfo};

use crate::context::Context;
use crate::legalize;

/// A target that has every op but the fused ones.
const UNFUSED: TargetInfo<'_> = TargetInfo { name: "a language", support: &support, is_shading_language: false };

fn support(operation: &Operation) -> Support {
    match operation.op {
        Op::MultiplyAdd | Op::Lerp | Op::HorizontalAdd | Op::HorizontalMin | Op::HorizontalMax | Op::Hypot => {
            Support::Expand
        }
        _ => Support::Yes,
    }
}

/// Runs on every function that has a fused op.
pub fn run(module: &mut Module, context: &mut Context) {
    legalize::run(module, &UNFUSED, context).expect("fused ops have expansions");
}

/// Whether a function of the module has a fused op.
pub fn is_needed(module: &Module) -> bool {
    legalize::is_needed(module, &UNFUSED)
}
