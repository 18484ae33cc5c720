//! Switches that are being flattened: each case is interpreted where its values match, or the case before falls into it.

use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Args, Case};
use planish_ir::ops::Op;

use crate::restage::construct::Kind;
use crate::restage::engine::{At, Engine};
use crate::restage::join::Edge;

/// A `Switch` that is being flattened.
pub(in crate::restage) struct Cases {
    pub(in crate::restage) source: Block,
    /// The source cases' blocks, and when their values match.
    cases: Vec<(Block, Value)>,
    at: usize,
    /// When the case that is being interpreted was entered.
    pub(in crate::restage) entered: Option<Value>,
    /// The arguments for the merge block if no case matches.
    args: Option<Args>,
}

impl Engine<'_, '_, '_> {
    /// Begins a switch whose selector is not known.
    pub(in crate::restage) fn begin_cases(&mut self, block: Block, selector: Value, cases: &[Case], args: Args) {
        let mut matches: Vec<Value> = Vec::new();
        let mut any: Option<Value> = None;
        for case in cases {
            let mut here: Option<Value> = None;
            for &value in &case.values {
                let equal = self.b.op(Op::Equal, &[selector, value.into()]);
                here = Some(here.map_or(equal, |h| self.b.op(Op::LogicalOr, &[h, equal])));
            }
            if let Some(here) = here {
                any = Some(any.map_or(here, |a| self.b.op(Op::LogicalOr, &[a, here])));
            }
            matches.push(here.unwrap_or(Const::FALSE.into()));
        }
        let has_default = cases.iter().any(|c| c.is_default);
        for (case, matches) in cases.iter().zip(&mut matches) {
            if case.is_default {
                let other = any.map_or(Const::TRUE.into(), |any| self.b.op(Op::LogicalNot, &[any]));
                // Its own values count too.
                let own = *matches;
                *matches = if own == Const::FALSE.into() { other } else { self.b.op(Op::LogicalOr, &[own, other]) };
            }
        }
        let cases = cases.iter().map(|c| c.block).zip(matches).collect();
        let args = (!has_default).then_some(args);
        self.push(Kind::Cases(Cases { source: block, cases, at: 0, entered: None, args }));
        self.enter_flat_case(0, None);
    }

    /// Begins a case; `fallen` is the edge from the case before, if it falls through.
    fn enter_flat_case(&mut self, at: usize, fallen: Option<Edge>) {
        let top = self.stack.len() - 1;
        let ways = self.stack[top].edges.len();
        let Kind::Cases(state) = &mut self.stack[top].kind else { unreachable!("a switch is on top") };
        state.at = at;
        let (block, matches) = state.cases[at];
        state.entered = Some(matches);
        match fallen {
            // The edge that falls through has not exited.
            Some(edge) => {
                let predicate = edge.predicate.expect("a case has a condition");
                let here = Edge { predicate: None, args: Args::new(), delta: Vec::new(), ..edge.clone() };
                let (_, delta) = self.flat_join(&[Edge { args: Args::new(), ..edge }, here]);
                self.state.apply(&delta);
                let entered = self.b.op(Op::LogicalOr, &[predicate, matches]);
                let Kind::Cases(state) = &mut self.stack[top].kind else { unreachable!("a switch is on top") };
                state.entered = Some(entered);
            }
            None => {
                self.stack[top].left = (ways, None);
                self.assume(matches, true);
            }
        }
        self.at = At::begin(block);
    }

    /// A case falls into the next.
    pub(in crate::restage) fn fall_through(&mut self, to: usize) {
        debug_assert_eq!(to + 1, self.stack.len(), "a case falls through at its own end");
        let mut edge = self.edge(to, Args::new());
        if let Some(left) = self.left(to) {
            let stays = self.b.op(Op::LogicalNot, &[left]);
            let predicate = edge.predicate.expect("a case has a condition");
            edge.predicate = Some(self.b.op(Op::LogicalAnd, &[predicate, stays]));
        }
        let log = self.stack[to].log;
        self.state.revert(log);
        let Kind::Cases(state) = &self.stack[to].kind else { unreachable!("a switch is on top") };
        self.enter_flat_case(state.at + 1, Some(edge));
    }

    /// A case has ended. Returns whether the interpretation continues.
    pub(in crate::restage) fn end_flat_case(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let log = self.stack[top].log;
        self.state.revert(log);
        let Kind::Cases(state) = &self.stack[top].kind else { unreachable!("a switch is on top") };
        let next = state.at + 1;
        if next < state.cases.len() {
            self.enter_flat_case(next, None);
            return true;
        }
        let construct = self.stack.pop().expect("a switch is on top");
        let Kind::Cases(state) = construct.kind else { unreachable!("a switch is on top") };
        let mut edges = construct.edges;
        if let Some(args) = state.args {
            let block = construct.owner;
            edges.push(Edge { block, args, delta: Vec::new(), chain: 0, direct: false, predicate: None });
        }
        if edges.is_empty() {
            return false;
        }
        let (args, delta) = self.flat_join(&edges);
        self.state.apply(&delta);
        let source = self.source();
        let merge = source.body.blocks[state.source].exit.merge_block().expect("a switch has a merge block");
        self.bind(merge, &args);
        self.at = At::begin(merge);
        true
    }
}
