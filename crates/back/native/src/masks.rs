//! Vectors whose 32-bit lanes are all ones or all zeros: a selection by one is a single instruction of x86-64, by any other three.
//!
//! ```text
//! m = simd_less_than x, y                 a mask
//! loop (n = m) { n' = simd_and n, k … }   a mask, if k is one
//! ```

use planish_ir::ops::Op;
use planish_machine::code::{Arg, ArgKind, Code, Node, What};
use planish_machine::isa::Kind;

use crate::body::outs_of;

/// Whether each value is a mask. Empty if there are no selections of vectors.
pub(crate) fn masks(code: &Code) -> Vec<bool> {
    if !code.nodes.iter().any(|node| node.op == Op::SimdSelect && node.what == What::Operation) {
        return Vec::new();
    }
    let mut masks = vec![false; code.values.len()];
    let mut reads: Vec<(Arg, u32)> = Vec::new();
    for node in &code.nodes {
        for v in outs_of(node).filter(|&v| code.values[v as usize].kind == Kind::V128) {
            masks[v as usize] = operands(code, node, v, &mut |arg| reads.push((arg, v)));
        }
    }
    // A value is a mask until an operand is found not to be.
    retract(&mut masks, &reads, |masks, arg, _| is_mask(code, masks, arg));
    masks
}

/// Finds the values with a property that each has if all arguments that it reads have it, loops included: takes the property from those that read
/// one without it. `reads`: pairs of an argument and the value that reads it; `has`: whether such an argument has the property, by those of all
/// values. O(n log n) in reads.
pub(crate) fn retract(holds: &mut [bool], reads: &[(Arg, u32)], has: impl Fn(&[bool], Arg, u32) -> bool) {
    let mut pending: Vec<u32> = reads.iter().filter(|&&(arg, v)| !has(holds, arg, v)).map(|&(_, v)| v).collect();
    let mut readers: Vec<(u32, u32)> = reads.iter().filter_map(|&(arg, v)| Some((arg.as_value()?, v))).collect();
    readers.sort_unstable();
    while let Some(v) = pending.pop() {
        if std::mem::replace(&mut holds[v as usize], false) {
            let first = readers.partition_point(|&(read, _)| read < v);
            pending.extend(readers[first..].iter().take_while(|reader| reader.0 == v).map(|reader| reader.1));
        }
    }
}

/// Whether value `v` of a node is a mask if the operands that it reports are.
fn operands(code: &Code, node: &Node, v: u32, report: &mut dyn FnMut(Arg)) -> bool {
    use Op::*;
    let args = code.args_of(node);
    match (node.what, node.op) {
        (What::Label(label) | What::Loop { label, .. }, _) => {
            code.incoming(label, v).for_each(report);
            return true;
        }
        (What::Constant, _) => report(args[0]),
        (What::Operation, SimdAnd | SimdAndNot | SimdOr | SimdXor | SimdNot | SimdSelect) => {
            args.iter().for_each(|&arg| report(arg));
        }
        (What::Operation, SimdShuffle) => {
            let ArgKind::Const(which) = args[2].kind() else { return false };
            let moves_lanes = |lane: &[u8]| lane[0].is_multiple_of(4) && (1..4).all(|i| lane[i] == lane[0] + i as u8);
            args[..2].iter().for_each(|&arg| report(arg));
            return code.bits(which).to_le_bytes().chunks(4).all(moves_lanes);
        }
        (What::Operation, SimdExtendLow | SimdExtendHigh) => {
            report(args[0]);
            return node.imm.as_shape().is_signed() && node.imm.as_shape().bits() == 64;
        }
        (What::Operation, SimdSplat) => return is_truth(code, args[0]),
        (What::Operation, SimdEqual | SimdNotEqual | SimdLessThan | SimdLessThanEqual | SimdGreaterThan)
        | (What::Operation, SimdGreaterThanEqual) => return node.imm.as_shape().bits() >= 32,
        _ => return false,
    }
    true
}

/// Whether an argument is a mask, of which values are known.
pub(crate) fn is_mask(code: &Code, masks: &[bool], arg: Arg) -> bool {
    match arg.kind() {
        ArgKind::Value(v) => masks.get(v as usize) == Some(&true),
        ArgKind::Const(c) => {
            let bits = code.bits(c);
            (0..4).all(|lane| matches!((bits >> (32 * lane)) as u32, 0 | u32::MAX))
        }
        _ => false,
    }
}

/// Whether a scalar of 32 bits is a choice between ones and zeros.
fn is_truth(code: &Code, arg: Arg) -> bool {
    let Some(v) = arg.as_value() else { return false };
    let node = &code.nodes[code.values[v as usize].node as usize];
    let is_one = |arg: &Arg| match arg.kind() {
        ArgKind::Const(c) => matches!(code.bits(c) as u32, 0 | u32::MAX),
        _ => false,
    };
    node.what == What::Operation && node.op == Op::Select && code.args_of(node)[1..].iter().all(is_one)
}
