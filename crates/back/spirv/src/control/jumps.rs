//! Jumps: leaving constructs and going on with loops, over any distance.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Type, Value};
use planish_ir::function::Exit;
use spirv::Op;

use super::{Form, Frame, Values};
use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::types::{Res, fail};

/// A branch to a merge block.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The block that it comes from.
    pub(crate) from: Id,
    /// Which of the construct's passing jumps it is; `None`: it goes on behind the merge block.
    pub(crate) way: Option<usize>,
    /// What it feeds to the inputs of its target.
    pub(crate) values: Values,
}

/// A jump; constructs are counted from the outermost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Jump {
    /// To the merge block of a construct.
    Leave(usize),
    /// To the next round of a loop.
    Next(usize),
}

impl FunctionWriter<'_, '_> {
    fn construct_of(&self, owner: Block) -> Option<usize> {
        self.control.frame(|c| c.owner == owner && !c.is_wrapper)
    }

    pub(super) fn break_(&mut self, owner: Block, args: &[Value]) -> Res<()> {
        let Some(target) = self.construct_of(owner) else {
            return fail(Code::E0699, self.span, "a break to nowhere");
        };
        let values = self.values(args)?;
        self.jump(Jump::Leave(target), values)
    }

    pub(super) fn continue_(&mut self, owner: Block, args: &[Value]) -> Res<()> {
        let values = self.values(args)?;
        if let Some(wrapper) = self.control.frame(|c| c.owner == owner && c.is_wrapper) {
            return self.jump(Jump::Leave(wrapper), values);
        }
        let Some(target) = self.construct_of(owner) else {
            return fail(Code::E0699, self.span, "a continue to nowhere");
        };
        if self.control.constructs[target].loop_.as_ref().is_some_and(|l| l.in_place_now) {
            return self.close_round(values);
        }
        self.jump(Jump::Next(target), values)
    }

    /// Whether a branch does a jump at once; `from` is the innermost construct that can be left.
    fn is_direct(&self, jump: Jump, from: usize) -> bool {
        match jump {
            Jump::Leave(target) => target == from,
            // No other loop in between.
            Jump::Next(target) => self.control.frame(|c| c.frame == Some(Frame::Loop)) == Some(target),
        }
    }

    /// Does a jump, or its first step.
    pub(super) fn jump(&mut self, jump: Jump, values: Values) -> Res<()> {
        let from = self.label();
        let Some(&top) = self.control.frames.last() else {
            return fail(Code::E0699, self.span, "a jump out of nothing");
        };
        if !self.is_direct(jump, top) {
            let around = &mut self.control.constructs[top];
            let known = around.passing.iter().position(|j| *j == jump);
            let way = known.unwrap_or_else(|| {
                around.passing.push(jump);
                around.passing.len() - 1
            });
            around.arrivals.push(Arrival { from, way: Some(way), values });
            let label = around.label;
            self.end(Op::Branch, &[label]);
            return Ok(());
        }
        let arrival = Arrival { from, way: None, values };
        let label = match jump {
            Jump::Leave(target) => {
                self.control.constructs[target].arrivals.push(arrival);
                self.control.constructs[target].label
            }
            Jump::Next(target) => {
                let Some(state) = self.control.constructs[target].loop_.as_mut() else {
                    return fail(Code::E0699, self.span, "a continue without a loop");
                };
                state.continues.push(arrival);
                state.continue_label
            }
        };
        self.end(Op::Branch, &[label]);
        Ok(())
    }

    /// Ends the innermost construct: begins its merge block, makes its inputs, and sends the jumps on that pass through.
    /// Gives whether what follows is reached.
    pub(super) fn finish(&mut self) -> Res<bool> {
        let construct = self.control.pop();
        let inputs = self.body.blocks[construct.merge].inputs.clone();
        match &construct.form {
            Form::Merged => {}
            Form::Inline => {
                let Some(arrival) = construct.arrivals.first() else { return Ok(false) };
                for (&input, &value) in inputs.iter().zip(&arrival.values) {
                    self.define_input(input, value);
                }
                return Ok(true);
            }
            Form::Selected(values) => {
                for (&input, &value) in inputs.iter().zip(values) {
                    self.define_input(input, value);
                }
                return Ok(true);
            }
        }
        self.start_block(construct.label);
        let arrivals = &construct.arrivals;
        if arrivals.is_empty() {
            self.end(Op::Unreachable, &[]);
            return Ok(false);
        }
        let goes_on = arrivals.iter().any(|a| a.way.is_none());
        // All phis come first.
        if goes_on {
            self.take_inputs(construct.merge, arrivals)?;
        }
        let mut fed = vec![];
        for (way, &jump) in construct.passing.iter().enumerate() {
            fed.push(self.fed_by_way(jump, way, arrivals)?);
        }
        let asked = self.way_phi(&construct.passing, goes_on, arrivals)?;
        let count = construct.passing.len();
        for (way, (&jump, values)) in construct.passing.iter().zip(fed).enumerate() {
            if way + 1 == count && !goes_on {
                self.jump(jump, values)?;
                return Ok(false);
            }
            let Some((ty, asked)) = asked else { continue };
            let test = if ty == Type::BOOL {
                asked
            } else {
                let number = self.cx.u32(way as u32 + 1);
                self.op2(Op::IEqual, Type::BOOL, asked, number)
            };
            let (take, rest) = (self.cx.out.id(), self.cx.out.id());
            self.emit_void(Op::SelectionMerge, &[rest, 0]);
            self.end(Op::BranchConditional, &[test, take, rest]);
            self.start_block(take);
            self.jump(jump, values)?;
            self.start_block(rest);
        }
        Ok(true)
    }

    /// Which way the arrivals want to go, if there is a choice: a boolean for one of two, else a number (0: on).
    fn way_phi(&mut self, passing: &[Jump], goes_on: bool, arrivals: &[Arrival]) -> Res<Option<(Type, Id)>> {
        let ways = passing.len() + usize::from(goes_on);
        if ways < 2 {
            return Ok(None);
        }
        let mut incoming = vec![];
        for arrival in arrivals {
            let value = if ways == 2 {
                // Without a way on, the first jump is the one that is asked for.
                let yes = if goes_on { arrival.way.is_some() } else { arrival.way == Some(0) };
                self.cx.scalar(planish_ir::types::Scalar::Bool, yes.into())
            } else {
                self.cx.u32(arrival.way.map_or(0, |way| way as u32 + 1))
            };
            incoming.push((value, arrival.from));
        }
        let ty = if ways == 2 { Type::BOOL } else { Type::U32 };
        Ok(Some((ty, self.phi(ty, incoming)?)))
    }

    /// The values that a passing jump carries on.
    fn fed_by_way(&mut self, jump: Jump, way: usize, arrivals: &[Arrival]) -> Res<Values> {
        let target = match jump {
            Jump::Leave(number) => Some(self.control.constructs[number].merge),
            Jump::Next(number) => self.control.constructs[number].loop_.as_ref().map(|l| l.continue_inputs),
        };
        let Some(target) = target else { return fail(Code::E0699, self.span, "a jump to nowhere") };
        debug_assert!(self.body.blocks[target].exit != Exit::Open, "functions are finished");
        let inputs = self.body.blocks[target].inputs.clone();
        let mut values = Values::new();
        for (i, &input) in inputs.iter().enumerate() {
            let ty = self.body.local_type(input);
            values.push(self.phi_of(ty, arrivals, Some(way), i)?);
        }
        Ok(values)
    }
}
