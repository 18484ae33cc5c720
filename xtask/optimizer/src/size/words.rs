//! Counts of a SPIR-V module: a walk over its words.

use serde::{Deserialize, Serialize};

/// Instructions of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// All words of function bodies.
    pub(crate) body: u32,
    /// Those that compute: no memory, no control, no calls, no bookkeeping.
    pub(crate) arithmetic: u32,
    /// Conditional branches and switches.
    #[serde(default)]
    pub(crate) branches: u32,
    /// Loops.
    #[serde(default)]
    pub(crate) loops: u32,
}

const OP_LINE: u32 = 8;
const OP_NO_LINE: u32 = 317;
const OP_NOP: u32 = 0;
const OP_LOOP_MERGE: u32 = 246;
const OP_BRANCH_CONDITIONAL: u32 = 250;
const OP_SWITCH: u32 = 251;
const OP_FUNCTION: u32 = 54;
const OP_FUNCTION_PARAMETER: u32 = 55;
const OP_FUNCTION_END: u32 = 56;

/// Neither arithmetic: OpUndef, OpFunctionCall, OpVariable, OpLoad, OpStore, OpCopyMemory, OpAccessChain,
/// OpInBoundsAccessChain; OpPhi, OpLoopMerge, OpSelectionMerge, OpLabel, OpBranch, OpBranchConditional, OpSwitch, OpKill,
/// OpReturn, OpReturnValue, OpUnreachable; OpTerminateInvocation, OpDemoteToHelperInvocation.
const NO_ARITHMETIC: [u32; 21] =
    [1, 57, 59, 61, 62, 63, 65, 66, 245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 4416, 5380];

/// Counts the instructions of a module.
///
/// # Errors
/// If the bytes are no SPIR-V module.
pub(crate) fn count(bytes: &[u8]) -> Result<Counts, String> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    if !bytes.len().is_multiple_of(4) || words.len() < 5 || words[0] != 0x0723_0203 {
        return Err("no SPIR-V module".into());
    }
    let mut counts = Counts::default();
    let mut in_function = false;
    let mut at = 5;
    while let Some(&word) = words.get(at) {
        let (length, op) = ((word >> 16) as usize, word & 0xffff);
        if length == 0 || at + length > words.len() {
            return Err(format!("the instruction at word {at} is cut off"));
        }
        at += length;
        match op {
            OP_FUNCTION => in_function = true,
            OP_FUNCTION_END => in_function = false,
            OP_FUNCTION_PARAMETER | OP_LINE | OP_NO_LINE | OP_NOP => {}
            _ if in_function => {
                counts.body += 1;
                counts.arithmetic += u32::from(!NO_ARITHMETIC.contains(&op));
                counts.branches += u32::from(matches!(op, OP_BRANCH_CONDITIONAL | OP_SWITCH));
                counts.loops += u32::from(op == OP_LOOP_MERGE);
            }
            _ => {}
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(instructions: &[(u32, usize)]) -> Vec<u8> {
        let mut words = vec![0x0723_0203, 0x1_0000, 0, 9, 0];
        for &(op, length) in instructions {
            words.push((length as u32) << 16 | op);
            words.extend(std::iter::repeat_n(0, length - 1));
        }
        words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }

    #[test]
    fn only_what_stands_in_bodies_counts() {
        // OpTypeFloat; OpFunction, OpFunctionParameter, OpLabel, OpLine, OpLoad, OpFAdd, OpExtInst, OpReturn, OpFunctionEnd.
        let bytes = module(&[
            (22, 3),
            (54, 5),
            (55, 3),
            (248, 2),
            (8, 4),
            (61, 4),
            (129, 5),
            (12, 6),
            (253, 1),
            (56, 1),
            (129, 5),
        ]);
        assert_eq!(count(&bytes), Ok(Counts { body: 5, arithmetic: 2, ..Counts::default() }));
        assert!(count(&bytes[..bytes.len() - 4]).is_err());
        assert!(count(b"glsl").is_err());
    }
}
