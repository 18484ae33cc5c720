//! Loops.
//!
//! ```text
//! %header    phis; OpLoopMerge %merge %continue; OpBranch %first
//! %first     the condition (of a loop that decides at its end: the body) …
//! %continue  the continue block (or the condition) …; back to %header
//! ```
//!
//! A continue block is written as `%continue` only if it does nothing but continue the loop: [`planish_target::jumps`]
//! has turned others into ordinary code.

use planish_ir::entity::Block;
use planish_target::structure::{Jump, Label, Loop, LoopIf};
use spirv::Op;

use super::{Arrival, Construct, Values};
use crate::assemble::Id;
use crate::function::{FunctionWriter, Phi, Val};
use crate::types::Res;

/// A loop that is being written.
#[derive(Debug)]
pub(crate) struct LoopState {
    /// The header, and the number of its block in the function.
    header: (Id, usize),
    continue_label: Id,
    continues: Vec<Arrival>,
    /// Whether the header has its second predecessor.
    closed: bool,
    /// The body of a loop with its condition at the beginning, and the edge from that.
    body_label: Id,
    body_arrival: Option<Arrival>,
}

impl FunctionWriter<'_, '_> {
    pub(super) fn loop_(&mut self, l: &Loop<'_>) -> Res<()> {
        let entering = self.values(l.args)?;
        let from = self.label();
        let (header, label, continue_label) = (self.cx.out.id(), self.cx.out.id(), self.cx.out.id());
        let (inside, body_label) = (self.cx.out.id(), self.cx.out.id());
        self.end(Op::Branch, &[header]);
        self.start_block(header);
        let number = self.blocks.len() - 1;
        for (&input, value) in self.body.blocks[l.head].inputs.iter().zip(entering) {
            let ty = self.cx.value_type(self.body.local_type(input), self.span)?;
            let id = self.cx.out.id();
            self.blocks[number].phis.push(Phi { id, ty, incoming: vec![(value, from)] });
            self.relax(input, id);
            self.set(input, Val::Id(id));
        }
        self.emit_void(Op::LoopMerge, &[label, continue_label, 0]);
        self.end(Op::Branch, &[inside]);
        self.start_block(inside);
        let state = LoopState {
            header: (header, number),
            continue_label,
            continues: vec![],
            closed: false,
            body_label,
            body_arrival: None,
        };
        self.control.push_frame(Construct { loop_: Some(Box::new(state)), ..Construct::new(l.owner, label) });
        Ok(())
    }

    fn state(&mut self) -> &mut LoopState {
        self.control.top().loop_.as_mut().expect("the innermost construct is a loop")
    }

    pub(super) fn enter_body(&mut self, l: &Loop<'_>) -> Res<()> {
        let state = self.state();
        let label = state.body_label;
        if let Some(arrival) = state.body_arrival.take() {
            self.start_block(label);
            self.take_inputs(l.body, &[arrival])?;
        }
        Ok(())
    }

    /// Begins the continue block, or the condition at the end.
    pub(super) fn enter_next(&mut self, next: Block) -> Res<()> {
        let state = self.state();
        let (label, arrivals) = (state.continue_label, std::mem::take(&mut state.continues));
        self.start_block(label);
        self.take_inputs(next, &arrivals)
    }

    /// The end of a loop's condition.
    pub(super) fn test(&mut self, l: &Loop<'_>, test: &LoopIf<'_>) -> Res<()> {
        let (to_body, to_merge) = (self.values(test.body_args)?, self.values(test.merge_args)?);
        let condition = self.id(test.condition)?;
        let from = self.label();
        let merge = self.control.top().label;
        let state = self.state();
        let target = if l.tests_last { state.header.0 } else { state.body_label };
        if l.tests_last {
            self.pass_to_header(from, to_body);
        } else {
            state.body_arrival = Some(Arrival { from, values: to_body });
        }
        if test.always() {
            self.end(Op::Branch, &[target]);
            return Ok(());
        }
        self.control.top().arrivals.push(Arrival { from, values: to_merge });
        self.end(Op::BranchConditional, &[condition, target, merge]);
        Ok(())
    }

    /// Goes on with a loop.
    pub(super) fn continue_(&mut self, jump: &Jump<'_>, values: Values) -> Res<()> {
        let from = self.label();
        let has_next = Loop::of(self.body, jump.owner).is_some_and(|l| l.next.is_some());
        if jump.label == Label::Head && has_next {
            // The end of the continue block.
            let header = self.state().header.0;
            self.pass_to_header(from, values);
            self.end(Op::Branch, &[header]);
            return Ok(());
        }
        let Some(construct) = self.control.target(jump.owner, jump.label) else { return self.too_far() };
        let state = construct.loop_.as_mut().expect("only loops go on");
        state.continues.push(Arrival { from, values });
        let label = state.continue_label;
        self.end(Op::Branch, &[label]);
        Ok(())
    }

    fn pass_to_header(&mut self, from: Id, values: Values) {
        let state = self.state();
        state.closed = true;
        let number = state.header.1;
        for (phi, value) in self.blocks[number].phis.iter_mut().zip(values) {
            phi.incoming.push((value, from));
        }
    }

    /// Before the merge block: a loop that has no continue construct yet gets one that only goes back.
    pub(super) fn close_loop(&mut self, l: &Loop<'_>) -> Res<()> {
        let state = self.state();
        if state.closed {
            return Ok(());
        }
        let (label, header) = (state.continue_label, state.header.0);
        let arrivals = std::mem::take(&mut state.continues);
        self.start_block(label);
        let inputs = self.body.blocks[l.head].inputs.clone();
        let mut values = Values::new();
        for (i, &input) in inputs.iter().enumerate() {
            let ty = self.body.local_type(input);
            values.push(if arrivals.is_empty() {
                self.cx.null(ty, self.span)?
            } else {
                self.phi_of(ty, &arrivals, i)?
            });
        }
        self.pass_to_header(label, values);
        self.end(Op::Branch, &[header]);
        Ok(())
    }
}
