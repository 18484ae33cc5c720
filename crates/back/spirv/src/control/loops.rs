//! Loops.
//!
//! ```text
//! %header    phis; OpLoopMerge %merge %continue; OpBranch %first
//! %first     the condition (of a loop that decides at its end: the body) …
//! %continue  the continue block (or the condition) …; back to %header
//! ```
//!
//! A continue block that leaves the function, or the loop otherwise than by its condition, cannot stand in SPIR-V's continue
//! construct. Then a construct that can be left is put around the body, the continue block stands behind it as ordinary
//! code, and SPIR-V's continue block does nothing but go back.

use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Value};
use planish_ir::function::Exit;
use planish_ir::walk::{self, Event};
use rustc_hash::FxHashSet;
use spirv::Op;

use super::{Arrival, Construct, Frame, Values};
use crate::assemble::Id;
use crate::function::{FunctionWriter, Phi, Val};
use crate::types::{Res, fail};

/// What a loop needs until it is done.
#[derive(Debug)]
pub(crate) struct LoopState {
    /// The header, and the number of its block in the function.
    header: (Id, usize),
    /// The block of the IR whose inputs are the header's phis.
    first: Block,
    pub(super) continue_label: Id,
    /// The block of the IR whose inputs are fed by who goes on with the next round.
    pub(super) continue_inputs: Block,
    pub(super) continues: Vec<Arrival>,
    /// Whether the continue block (or the condition at the end) stands in the continue construct, if there is one.
    in_place: bool,
    /// Whether that is being written.
    pub(super) in_place_now: bool,
    /// Whether the header has its second predecessor.
    closed: bool,
    /// The body of a loop with its condition at the beginning, and whether the condition gets there.
    body_label: Id,
    body_arrival: Option<Arrival>,
}

impl FunctionWriter<'_, '_> {
    /// Whether a chain may stand in a continue construct: its only way out is its end, which it reaches.
    fn fits_continue(&self, start: Block, owner: Block) -> bool {
        let body = self.body;
        let mut inner = FxHashSet::default();
        let mut top_level = FxHashSet::default();
        for event in walk::events(body, start) {
            if let Event::Enter { block, depth, .. } = event {
                inner.insert(block);
                if depth == 0 {
                    top_level.insert(block);
                }
            }
        }
        inner.iter().all(|&b| match &body.blocks[b].exit {
            Exit::Return(_) | Exit::Discard | Exit::Trap(_) | Exit::Loop { .. } | Exit::DoLoop { .. } => false,
            Exit::Break(target, _) => inner.contains(target),
            Exit::Continue(target, _) => *target == owner && top_level.contains(&b),
            _ => true,
        })
    }

    pub(super) fn loop_(&mut self, owner: Block) -> Res<()> {
        let (args, first, behind, merge) = match &self.body.blocks[owner].exit {
            Exit::Loop { args, condition, next, merge, .. } => (args, *condition, *next, *merge),
            Exit::DoLoop { args, body, condition, merge } => (args, *body, Some(*condition), *merge),
            _ => return fail(Code::E0699, self.span, "not a loop"),
        };
        let in_place = behind.is_some_and(|b| self.fits_continue(b, owner));
        let entering = self.values(args)?;
        let from = self.label();
        let (header, label, continue_label) = (self.cx.out.id(), self.cx.out.id(), self.cx.out.id());
        let (inside, body_label) = (self.cx.out.id(), self.cx.out.id());
        self.end(Op::Branch, &[header]);
        self.start_block(header);
        let number = self.blocks.len() - 1;
        for (&input, value) in self.body.blocks[first].inputs.iter().zip(entering) {
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
            first,
            continue_label,
            continue_inputs: behind.filter(|_| in_place).unwrap_or(first),
            continues: vec![],
            in_place,
            in_place_now: false,
            closed: false,
            body_label,
            body_arrival: None,
        };
        let construct = Construct::new(owner, merge, label, Some(Frame::Loop));
        self.control.push(Construct { loop_: Some(Box::new(state)), ..construct });
        Ok(())
    }

    fn is_do_loop(&self, owner: Block) -> bool {
        matches!(self.body.blocks[owner].exit, Exit::DoLoop { .. })
    }

    fn state(&mut self) -> &mut LoopState {
        self.control.top().loop_.as_mut().expect("the innermost construct is a loop")
    }

    /// Opens the construct around the body of a loop whose continue block is ordinary code.
    fn wrap_body(&mut self, owner: Block) {
        let behind = match &self.body.blocks[owner].exit {
            Exit::Loop { next, .. } => *next,
            Exit::DoLoop { condition, .. } => Some(*condition),
            _ => None,
        };
        let Some(behind) = behind.filter(|_| !self.state().in_place) else { return };
        self.breakable(owner, behind);
        self.control.top().is_wrapper = true;
    }

    pub(super) fn enter_condition(&mut self, block: Block, owner: Block) -> Res<()> {
        if self.is_do_loop(owner) { self.enter_behind(block) } else { Ok(()) }
    }

    pub(super) fn enter_body(&mut self, block: Block, owner: Block) -> Res<()> {
        if !self.is_do_loop(owner) {
            let state = self.state();
            let label = state.body_label;
            let Some(arrival) = state.body_arrival.take() else {
                self.control.die();
                return Ok(());
            };
            self.start_block(label);
            self.take_inputs(block, &[arrival])?;
        }
        self.wrap_body(owner);
        Ok(())
    }

    pub(super) fn enter_next(&mut self, block: Block) -> Res<()> {
        self.enter_behind(block)
    }

    /// Begins what comes behind the body: the continue block, or the condition at the end.
    fn enter_behind(&mut self, block: Block) -> Res<()> {
        if self.control.top().is_wrapper {
            if !self.finish()? {
                self.control.die();
            }
            return Ok(());
        }
        let state = self.state();
        if !state.in_place || state.continues.is_empty() {
            // Without a wrapper the body was not reached.
            self.control.die();
            return Ok(());
        }
        let (label, arrivals) = (state.continue_label, std::mem::take(&mut state.continues));
        state.in_place_now = true;
        self.start_block(label);
        self.take_inputs(block, &arrivals)
    }

    /// The condition of a loop.
    pub(super) fn loop_if(&mut self, condition: Value, body_args: &[Value], merge_args: &[Value]) -> Res<()> {
        let always = self.is_true(condition);
        let (to_body, to_merge) = (self.values(body_args)?, self.values(merge_args)?);
        let test = self.id(condition)?;
        let from = self.label();
        let owner = self.control.top().owner;
        let at_end = self.is_do_loop(owner);
        let merge = self.control.top().label;
        let state = self.state();
        let target = match (at_end, state.in_place) {
            (false, _) => state.body_label,
            (true, true) => state.header.0,
            (true, false) => state.continue_label,
        };
        let arrival = Arrival { from, way: None, values: to_body };
        match (at_end, state.in_place) {
            (false, _) => state.body_arrival = Some(arrival),
            (true, true) => self.feed_header(from, arrival.values),
            (true, false) => state.continues.push(arrival),
        }
        if always {
            self.end(Op::Branch, &[target]);
            return Ok(());
        }
        self.control.top().arrivals.push(Arrival { from, way: None, values: to_merge });
        self.end(Op::BranchConditional, &[test, target, merge]);
        Ok(())
    }

    /// The end of a continue block in its place: back to the header.
    pub(super) fn close_round(&mut self, values: Values) -> Res<()> {
        let from = self.label();
        let header = self.state().header.0;
        self.feed_header(from, values);
        self.end(Op::Branch, &[header]);
        Ok(())
    }

    fn feed_header(&mut self, from: Id, values: Values) {
        let state = self.state();
        state.closed = true;
        state.in_place_now = false;
        let number = state.header.1;
        for (phi, value) in self.blocks[number].phis.iter_mut().zip(values) {
            phi.incoming.push((value, from));
        }
    }

    /// Before the merge block: a loop that has no continue construct yet gets one that only goes back.
    pub(super) fn close_loop(&mut self) -> Res<()> {
        if self.control.top().is_wrapper || self.state().closed {
            return Ok(());
        }
        let state = self.state();
        let (label, header, first) = (state.continue_label, state.header.0, state.first);
        let arrivals = std::mem::take(&mut state.continues);
        self.start_block(label);
        let inputs = self.body.blocks[first].inputs.clone();
        let mut values = Values::new();
        for (i, &input) in inputs.iter().enumerate() {
            let ty = self.body.local_type(input);
            values.push(if arrivals.is_empty() {
                self.cx.null(ty, self.span)?
            } else {
                self.phi_of(ty, &arrivals, None, i)?
            });
        }
        self.feed_header(label, values);
        self.end(Op::Branch, &[header]);
        Ok(())
    }
}
