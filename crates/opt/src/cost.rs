//! What ops cost: about the number of simple operations, for a machine that computes vectors at once. One table for every
//! decision: inlining, unrolling, selects or branches.

use planish_ir::entity::Block;
use planish_ir::function::{Body, Exit};
use planish_ir::ops::{Class, Effect, Op};

/// A branch with its labels and merges.
pub const BRANCH: u32 = 6;

/// What an op costs.
pub fn of(op: Op) -> u32 {
    use Op::*;
    match op {
        Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Exp | Log
        | Exp2 | Log2 | Pow | Sqrt | InverseSqrt | Divide | Remainder | DivideTrapping | RemainderTrapping | Mod => 4,
        Normalize | Length | Distance | Reflect | Refract | SmoothStep | FaceForward => 4,
        MatrixTimesVector | VectorTimesMatrix => 4,
        MatrixTimesMatrix => 16,
        Determinant => 12,
        Inverse => 32,
        _ => match op.info().class {
            Class::Texture => 16,
            Class::Call => 8,
            Class::Extract | Class::Access => 1,
            _ if op.info().effect == Effect::Pure => 1,
            _ => 2,
        },
    }
}

/// What the nodes and constructs of these blocks cost.
pub fn of_blocks(body: &Body, blocks: impl Iterator<Item = Block>) -> u32 {
    let of_block = |block: Block| {
        let data = &body.blocks[block];
        let branches = data.exit.merge_block().is_some() && !matches!(data.exit, Exit::NextBlock { .. });
        u32::from(branches) * BRANCH + data.nodes.iter().map(|&n| of(body.node(n).op)).sum::<u32>()
    };
    blocks.map(of_block).sum()
}
