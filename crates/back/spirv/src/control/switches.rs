//! Switches.
//!
//! A case that goes on with the next one branches to its block, which SPIR-V allows if the next one's values follow its
//! own directly. Cases whose block does nothing but go on with the next are one with it.
//!
//! If control falls into or out of a default case that is not the last, naga's reader, which puts the default last,
//! would take it for another case. Then the cases are written one after the other, each under a test of whether it
//! matches or was fallen into:
//!
//! ```text
//! OpSwitch … (nothing but a default: a construct that can be left)
//!   if (selector is of case 1)             { case 1; falls: to %next with true }
//!   %next: falling = phi(false, true)
//!   if (falling || selector is of case 2)  { case 2; leaves }
//! ```

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Type, Value};
use planish_ir::function::Exit;
use planish_ir::types::Scalar;
use planish_ir::walk;
use planish_target::structure::Switch;
use spirv::Op;

use super::{Arrival, Construct, Values};
use crate::assemble::Id;
use crate::function::FunctionWriter;
use crate::types::{Res, fail};

/// State of a switch that is being written.
#[derive(Debug)]
pub(crate) struct SwitchState {
    /// For each case the label of its block; `None`: it is one with the next.
    labels: Vec<Option<Id>>,
    /// The case being written.
    at: usize,
    /// Flags of fall-through; `None` if the cases are blocks of an `OpSwitch`.
    falls: Option<Falls>,
}

#[derive(Debug)]
struct Falls {
    /// For each case, whether the selector is of it.
    tests: Vec<Option<Id>>,
    /// The block after the case being written: its label, and the predecessors, each with its value of `falling`.
    next: Option<(Id, Vec<(Id, Id)>)>,
    /// Arguments of the merge block if no case matches.
    none: Option<Values>,
}

impl FunctionWriter<'_, '_> {
    /// Whether something falls into or out of a default case that is not the last.
    fn falls_around_default(&self, switch: &Switch<'_>, labels: &[Option<Id>]) -> bool {
        let full: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].is_some()).collect();
        let Some(default) = switch.default_case() else { return false };
        // An empty default is one with the next case.
        let Some(place) = full.iter().position(|&i| i >= default) else { return false };
        let falls = |place: usize| {
            let end = walk::chain_end(self.body, switch.cases[full[place]].block);
            self.body.blocks[end].exit == Exit::Passthrough
        };
        place + 1 < full.len() && (falls(place) || place > 0 && falls(place - 1))
    }

    pub(super) fn switch(&mut self, switch: &Switch<'_>) -> Res<()> {
        let &Switch { owner, selector, cases, args, .. } = switch;
        let test = self.id(selector)?;
        let none = if switch.default_case().is_some() { None } else { Some(self.values(args)?) };
        let mut labels = vec![None; cases.len()];
        for (i, label) in labels.iter_mut().enumerate() {
            *label = (!switch.is_empty_case(self.body, i)).then(|| self.cx.out.id());
        }
        if self.falls_around_default(switch, &labels) {
            return self.falling_switch(switch, labels, none);
        }
        let label = self.cx.out.id();
        // The label of each case: that of its block, or of the next block that is written.
        let mut targets: Vec<Id> = vec![];
        for own in labels.iter().rev() {
            targets.push(own.or(targets.last().copied()).unwrap_or(label));
        }
        targets.reverse();
        let mut construct = Construct::new(owner, label);
        if let Some(values) = none {
            construct.arrivals.push(Arrival { from: self.label(), values });
        }
        let scalar = self.shape(self.type_of(selector)).0;
        let default = switch.default_case().map_or(label, |i| targets[i]);
        let mut operands = vec![];
        for (case, &target) in cases.iter().zip(&targets) {
            // Cases that share the default's block need no value; naga's reader would take it for a case of its own.
            for &value in case.values.iter().filter(|_| target != default) {
                let bits = self.cx.module.consts.as_bits(value).unwrap_or(0);
                operands.push(bits as u32);
                if scalar.bits() == 64 {
                    operands.push((bits >> 32) as u32);
                }
                operands.push(target);
            }
        }
        if crate::assemble::Sections::fits(operands.len() + 2).is_err() {
            return fail(Code::E0608, self.span, "the switch has too many cases for SPIR-V");
        }
        operands.splice(0..0, [test, default]);
        self.emit_void(Op::SelectionMerge, &[label, 0]);
        self.end(Op::Switch, &operands);
        construct.switch = Some(Box::new(SwitchState { labels, at: 0, falls: None }));
        self.control.push_frame(construct);
        Ok(())
    }

    fn falling_switch(&mut self, switch: &Switch<'_>, labels: Vec<Option<Id>>, none: Option<Values>) -> Res<()> {
        let &Switch { owner, selector, cases, .. } = switch;
        let mut tests = vec![None; cases.len()];
        let mut all = None;
        let mut default = None;
        let mut mine = None;
        for (i, case) in cases.iter().enumerate() {
            for &value in &case.values {
                let is_this = self.is_value(selector, value)?;
                mine = Some(self.or(mine, is_this));
                all = Some(self.or(all, is_this));
            }
            let is_default = case.is_default || default.is_some_and(|d| d == i);
            if labels[i].is_none() {
                // One with the next case.
                if is_default {
                    default = Some(i + 1);
                }
                continue;
            }
            if is_default {
                default = Some(i);
            }
            tests[i] = mine.take();
        }
        if let Some(i) = default {
            let no = match all {
                Some(all) => self.op1(Op::LogicalNot, Type::BOOL, all),
                None => self.cx.scalar(Scalar::Bool, 1),
            };
            tests[i] = Some(self.or(tests[i], no));
        }
        self.breakable(owner);
        let falls = Falls { tests, next: None, none };
        self.control.top().switch = Some(Box::new(SwitchState { labels, at: 0, falls: Some(falls) }));
        Ok(())
    }

    fn is_value(&mut self, selector: Value, value: Const) -> Res<Id> {
        let (a, b) = (self.id(selector)?, self.cx.constant(value, self.span)?);
        Ok(self.op2(Op::IEqual, Type::BOOL, a, b))
    }

    fn or(&mut self, a: Option<Id>, b: Id) -> Id {
        match a {
            Some(a) => self.op2(Op::LogicalOr, Type::BOOL, a, b),
            None => b,
        }
    }

    fn switch_state(&mut self) -> &mut SwitchState {
        self.control.top().switch.as_mut().expect("the innermost construct is a switch")
    }

    pub(super) fn enter_case(&mut self, number: usize) -> Res<bool> {
        let state = self.switch_state();
        state.at = number;
        let Some(label) = state.labels[number] else { return Ok(false) };
        let Some(falls) = &mut state.falls else {
            self.start_block(label);
            return Ok(true);
        };
        let (test, behind) = (falls.tests[number], falls.next.take());
        let falling = match behind {
            Some((next, answers)) => Some(self.start_next(next, answers)?),
            None => None,
        };
        let no = self.cx.scalar(Scalar::Bool, 0);
        let run = match (test, falling.filter(|&f| f != no)) {
            (Some(test), falling) => self.or(falling, test),
            (None, falling) => falling.unwrap_or(no),
        };
        let next = self.cx.out.id();
        let from = self.label();
        self.emit_void(Op::SelectionMerge, &[next, 0]);
        self.end(Op::BranchConditional, &[run, label, next]);
        self.start_block(label);
        if let Some(falls) = &mut self.switch_state().falls {
            falls.next = Some((next, vec![(no, from)]));
        }
        Ok(true)
    }

    /// Begins the block after a case; returns whether the case fell through, a `bool` value.
    fn start_next(&mut self, next: Id, answers: Vec<(Id, Id)>) -> Res<Id> {
        self.start_block(next);
        self.phi(Type::BOOL, answers)
    }

    pub(super) fn pass_through(&mut self) -> Res<()> {
        let from = self.label();
        let yes = self.cx.scalar(Scalar::Bool, 1);
        let state = self.switch_state();
        let next = match &mut state.falls {
            Some(falls) => falls.next.as_mut().map(|(label, answers)| {
                answers.push((yes, from));
                *label
            }),
            None => state.labels[state.at + 1..].iter().flatten().next().copied(),
        };
        let Some(next) = next else { return fail(Code::E0699, self.span, "a switch without a next case") };
        self.end(Op::Branch, &[next]);
        Ok(())
    }

    /// Ends the last case of those written one after the other, before the merge block.
    pub(super) fn close_switch(&mut self, switch: &Switch<'_>) -> Res<()> {
        let Some(falls) = self.switch_state().falls.take() else { return Ok(()) };
        let Some((next, answers)) = falls.next else { return Ok(()) };
        self.start_next(next, answers)?;
        let values = match falls.none {
            Some(values) => values,
            // With a default case, one of the cases ran.
            None => {
                let mut nulls = Values::new();
                for &input in &self.body.blocks[switch.merge].inputs {
                    nulls.push(self.cx.null(self.body.local_type(input), self.span)?);
                }
                nulls
            }
        };
        self.leave_construct(switch.owner, values)
    }
}
