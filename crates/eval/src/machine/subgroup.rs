//! Ops on the invocations of a subgroup: `SUBGROUP_SIZE` lanes that follow each other, as in a GPU's hardware.
//!
//! The lanes that are active are those of the running block, as for a barrier: lanes that a branch has taken elsewhere take no part. The
//! lanes of a compute shader are numbered as `gl_LocalInvocationIndex`, those of a fragment shader by quads. Where a language leaves a
//! result open (the value of a lane that is not active or does not exist), it is 0.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Type;
use planish_ir::function::Body;
use planish_ir::meaning::{Kernel, Shape, kernel, reduction};
use planish_ir::ops::{GroupOperation, Op};
use planish_ir::types::Scalar;

use super::Machine;
use crate::program::{Code, Inst};
use crate::stop::Stop;

/// Lanes of a subgroup.
const SUBGROUP_SIZE: usize = 32;

impl<'m> Machine<'m> {
    /// Executes an op on subgroups in the running lanes.
    pub(super) fn subgroup(&mut self, body: &Body, code: &Code, inst: &Inst) -> Result<(), Stop> {
        if inst.op == Op::SubgroupBarrier {
            return Ok(());
        }
        let types = &self.program().module.types;
        let ty = body.args(inst.node).first().map_or(Type::U32, |&arg| self.program().module.type_of(body, arg));
        let shape = (types.scalar_of(ty).unwrap_or(Scalar::U32), types.components(ty).unwrap_or(1));
        let active: Vec<usize> = self.cx.active.lanes().collect();
        for lanes in active.chunk_by(|a, b| a / SUBGROUP_SIZE == b / SUBGROUP_SIZE) {
            self.one_subgroup(code, inst, shape, lanes)?;
        }
        Ok(())
    }

    /// Executes it for the active lanes of one subgroup, in ascending order; `shape`: the type of the first operand's numbers, and how many.
    fn one_subgroup(&mut self, code: &Code, inst: &Inst, shape: (Scalar, usize), lanes: &[usize]) -> Result<(), Stop> {
        let args = code.args(inst);
        let number = |lane: usize| lane % SUBGROUP_SIZE;
        match inst.op {
            Op::SubgroupElect => {
                for &lane in lanes {
                    self.write_lane(inst, 0, lane, (lane == lanes[0]).into());
                }
            }
            Op::SubgroupAll | Op::SubgroupAny => {
                let mut values = lanes.iter().map(|&lane| self.read(args[0], 0, lane) != 0);
                let result = if inst.op == Op::SubgroupAll { values.all(|x| x) } else { values.any(|x| x) };
                lanes.iter().for_each(|&lane| self.write_lane(inst, 0, lane, result.into()));
            }
            Op::SubgroupAllEqual => {
                let (scalar, count) = shape;
                let Some(Kernel::Binary(equal)) = kernel(Op::Equal, scalar) else { return Err(self.no_kernel(inst)) };
                let result = (0..count).all(|c| {
                    let first = self.read(args[0], c, lanes[0]);
                    lanes.iter().all(|&lane| (equal.one)(first, self.read(args[0], c, lane)) != 0)
                });
                lanes.iter().for_each(|&lane| self.write_lane(inst, 0, lane, result.into()));
            }
            Op::SubgroupBallot => {
                let voters = lanes.iter().filter(|&&lane| self.read(args[0], 0, lane) != 0);
                let word = voters.fold(0u64, |word, &lane| word | 1 << number(lane));
                for &lane in lanes {
                    (0..4).for_each(|c| self.write_lane(inst, c, lane, if c == 0 { word } else { 0 }));
                }
            }
            Op::SubgroupInverseBallot
            | Op::SubgroupBallotBitExtract
            | Op::SubgroupBallotBitCount
            | Op::SubgroupBallotFindLsb
            | Op::SubgroupBallotFindMsb => {
                for &lane in lanes {
                    let word = self.read(args[0], 0, lane) as u32;
                    let below = (1u32 << number(lane)) - 1;
                    let result = match inst.op {
                        Op::SubgroupInverseBallot => word >> number(lane) & 1,
                        Op::SubgroupBallotBitExtract => {
                            let bit = self.read(args[1], 0, lane) as u32;
                            word.checked_shr(bit).unwrap_or(0) & 1
                        }
                        Op::SubgroupBallotFindLsb => word.trailing_zeros() % 32,
                        Op::SubgroupBallotFindMsb => word.checked_ilog2().unwrap_or(0),
                        _ => match inst.imm.as_group() {
                            GroupOperation::InclusiveScan => (word & (below << 1 | 1)).count_ones(),
                            GroupOperation::ExclusiveScan => (word & below).count_ones(),
                            _ => word.count_ones(),
                        },
                    };
                    self.write_lane(inst, 0, lane, result.into());
                }
            }
            Op::SubgroupAdd
            | Op::SubgroupMultiply
            | Op::SubgroupMin
            | Op::SubgroupMax
            | Op::SubgroupAnd
            | Op::SubgroupOr
            | Op::SubgroupXor => return self.combine(code, inst, shape, lanes),
            _ => {
                let sources: Vec<Option<usize>> =
                    lanes.iter().map(|&lane| self.source(code, inst, lanes, lane)).collect();
                for c in 0..inst.out.1 as usize {
                    let read = |source: &Option<usize>| source.map_or(0, |lane| self.read(args[0], c, lane));
                    let values: Vec<u64> = sources.iter().map(read).collect();
                    lanes.iter().zip(values).for_each(|(&lane, bits)| self.write_lane(inst, c, lane, bits));
                }
            }
        }
        Ok(())
    }

    /// The lane whose operand a lane gets; `None` if that is not active.
    fn source(&self, code: &Code, inst: &Inst, lanes: &[usize], lane: usize) -> Option<usize> {
        let index = code.args(inst).get(1).map_or(0, |&index| self.read(index, 0, lane) as usize);
        let (base, own) = (lane - lane % SUBGROUP_SIZE, lane % SUBGROUP_SIZE);
        let source = match inst.op {
            Op::SubgroupBroadcastFirst => return Some(lanes[0]),
            Op::SubgroupShuffleXor => own ^ index,
            Op::SubgroupShuffleUp => own.checked_sub(index)?,
            Op::SubgroupShuffleDown => own + index,
            Op::QuadBroadcast if index > 3 => return None,
            Op::QuadBroadcast => own & !3 | index,
            Op::QuadSwapHorizontal => own ^ 1,
            Op::QuadSwapVertical => own ^ 2,
            Op::QuadSwapDiagonal => own ^ 3,
            _ => index,
        };
        (source < SUBGROUP_SIZE && lanes.binary_search(&(base + source)).is_ok()).then_some(base + source)
    }

    /// Executes a reduction or scan.
    fn combine(
        &mut self,
        code: &Code,
        inst: &Inst,
        (scalar, count): (Scalar, usize),
        lanes: &[usize],
    ) -> Result<(), Stop> {
        let found = reduction(inst.op, scalar).and_then(|(op, identity)| Some((kernel(op, scalar)?, identity)));
        let Some((Kernel::Binary(function), identity)) = found else { return Err(self.no_kernel(inst)) };
        let operand = code.args(inst)[0];
        for c in 0..count {
            let values: Vec<u64> = lanes.iter().map(|&lane| self.read(operand, c, lane)).collect();
            let over = |range: &[u64]| range.iter().copied().reduce(function.one);
            let results: Vec<u64> = match inst.imm.as_group() {
                GroupOperation::Reduce => vec![over(&values).unwrap_or(0); lanes.len()],
                GroupOperation::ClusteredReduce(size) => {
                    let cluster = |lane: usize| lane % SUBGROUP_SIZE / size as usize;
                    let of = |&lane: &usize| {
                        let first = lanes.partition_point(|&other| cluster(other) < cluster(lane));
                        let end = lanes.partition_point(|&other| cluster(other) <= cluster(lane));
                        over(&values[first..end]).unwrap_or(0)
                    };
                    lanes.iter().map(of).collect()
                }
                scan => {
                    let includes_own = scan == GroupOperation::InclusiveScan;
                    let mut sum = None;
                    let step = |&value: &u64| {
                        let before = sum.unwrap_or(identity);
                        let after = sum.map_or(value, |sum| (function.one)(sum, value));
                        sum = Some(after);
                        if includes_own { after } else { before }
                    };
                    values.iter().map(step).collect()
                }
            };
            lanes.iter().zip(results).for_each(|(&lane, bits)| self.write_lane(inst, c, lane, bits));
        }
        Ok(())
    }

    /// Sets the built-in variables of subgroups in the lanes that are about to run.
    pub(crate) fn set_subgroups(&mut self, lanes: usize) {
        for (var, data) in self.program().module.vars.iter() {
            let Some(of) = data.decorations.builtin() else { continue };
            for lane in 0..lanes {
                let Some(word) = builtin(of, lane, lanes) else { break };
                if let Some(column) = self.lane_column_mut(var, 0) {
                    column[lane] = word.into();
                }
            }
        }
    }

    fn no_kernel(&self, inst: &Inst) -> Stop {
        Stop::unsupported(format!("`{}` cannot be evaluated on these operands", inst.op.name()), self.span())
    }
}

/// The first component of a built-in variable of subgroups in a lane, if there are `lanes` of them; `None` for other variables. (The others
/// are 0.)
fn builtin(builtin: BuiltIn, lane: usize, lanes: usize) -> Option<u32> {
    let own = lane % SUBGROUP_SIZE;
    let (at, below) = (1u32 << own, (1u32 << own) - 1);
    Some(match builtin {
        BuiltIn::NumSubgroups => lanes.div_ceil(SUBGROUP_SIZE) as u32,
        BuiltIn::SubgroupId => (lane / SUBGROUP_SIZE) as u32,
        BuiltIn::SubgroupSize => SUBGROUP_SIZE as u32,
        BuiltIn::SubgroupInvocationId => own as u32,
        BuiltIn::SubgroupEqMask => at,
        BuiltIn::SubgroupGeMask => !below,
        BuiltIn::SubgroupGtMask => !(below | at),
        BuiltIn::SubgroupLeMask => below | at,
        BuiltIn::SubgroupLtMask => below,
        _ => return None,
    })
}
