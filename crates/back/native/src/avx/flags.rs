//! Tests of truth values: the flags of the comparison that is behind one.

use cranelift_codegen::ir::{InstructionData, Opcode, Value, types};
use regalloc2::{Operand, VReg};
use smallvec::SmallVec;

use super::lower::{Lower, Result};
use super::ops::{self, Vex};
use super::pairs::Half;
use super::values::is_vector;
use super::vcode::{Condition, Op};

impl Lower<'_> {
    /// Sets flags by which a condition holds if and only if a value is not 0.
    pub(super) fn test(&mut self, value: Value) -> Result<Condition> {
        let (value, negated) = self.values.tested(value);
        let condition = match self.values.definition(value).map(|inst| (inst, self.f.dfg.insts[inst])) {
            Some((inst, InstructionData::IntCompare { cond, args, .. })) if !is_vector(self.values.ty(args[0])) => {
                self.compare(inst, cond, args)?
            }
            Some((_, InstructionData::FloatCompare { cond, args, .. })) if !is_vector(self.values.ty(args[0])) => {
                self.compare_floats(cond, args)
            }
            Some((_, InstructionData::Unary { opcode: Opcode::VanyTrue, .. })) => {
                let leaves = self.values.test_operands(value);
                self.test_any(&leaves);
                Condition::NOT_EQUAL
            }
            Some((inst, InstructionData::Unary { opcode: Opcode::VallTrue, arg })) => {
                if self.values.ty(arg) != types::I32X4 {
                    return self.missing(inst);
                }
                let leaves = self.values.test_operands(value);
                let all = self.join(ops::AND, &leaves);
                let zero = self.words(0);
                let zeros = self.three(ops::PCMPEQD, false, all, zero, None);
                self.flags(ops::PTEST, false, zeros, zeros);
                Condition::EQUAL
            }
            _ => {
                let bytes = self.values.ty(value).bytes() as u8;
                let reg = self.int(value);
                self.push(Op::Test { bytes }, [Operand::reg_use(reg)]);
                Condition::NOT_EQUAL
            }
        };
        Ok(if negated { condition.inverse() } else { condition })
    }

    /// Sets flags by a bit that any of the vectors has: of whole pairs, if all are halves of one that is there.
    fn test_any(&mut self, leaves: &[Value]) {
        let mut wides: SmallVec<[VReg; 4]> = SmallVec::new();
        for &leaf in leaves {
            if let Some(Half { pair, upper }) = self.pairs.halves[leaf] {
                let [lower, other] = self.pairs.all[pair as usize];
                let partner = if upper { lower } else { other };
                if let (true, Some(reg)) = (leaves.contains(&partner), self.wides[pair as usize]) {
                    if !upper {
                        wides.push(reg);
                    }
                    continue;
                }
            }
            let any = self.join(ops::OR, leaves);
            return self.flags(ops::PTEST, false, any, any);
        }
        let (&first, rest) = wides.split_first().expect("there is a pair");
        let any = rest.iter().fold(first, |any, &wide| self.three(ops::OR, true, any, wide, None));
        self.flags(ops::PTEST, true, any, any);
    }

    fn join(&mut self, of: Vex, leaves: &[Value]) -> VReg {
        let mut all = self.x(leaves[0]);
        for &leaf in &leaves[1..] {
            let rm = self.x_or_memory(leaf);
            all = self.three(of, false, all, rm, None);
        }
        all
    }
}
