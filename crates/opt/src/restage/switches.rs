//! Switches: known ones go; the cases of others are interpreted one after the other.

use planish_ir::entity::{Block, Value};
use planish_ir::function::{Args, Case, Exit};

use super::construct::Kind;
use super::engine::{At, Engine};
use super::join::{Edge, Join};
use super::source::Source;
use super::state::{Delta, Key};

/// A `Switch` that is being interpreted.
pub(super) struct SwitchState {
    pub(super) source: Block,
    pub(super) selector: Value,
    /// The new cases.
    pub(super) cases: Vec<Case>,
    /// The source cases' blocks.
    pub(super) source_cases: Vec<Block>,
    pub(super) at: usize,
    /// The arguments for the merge block if no case matches.
    pub(super) args: Args,
    pub(super) has_default: bool,
}
impl Engine<'_, '_, '_> {
    pub(super) fn begin_switch(
        &mut self,
        source: &Source,
        block: Block,
        selector: Value,
        cases: &[Case],
        args: &[Value],
    ) {
        let selector = self.value(selector);
        let args = self.values(args);
        let only = matches!(cases, [case] if case.is_default);
        let known = selector.as_const();
        if only || known.is_some() {
            let found = cases.iter().position(|c| known.is_some_and(|k| c.values.contains(&k)));
            let found = found.or_else(|| cases.iter().position(|c| c.is_default));
            self.push(Kind::Resolved { source: block });
            match found {
                Some(case) if !source.left_from_inside[block] => self.at = At::begin(cases[case].block),
                None => {
                    let known = self.stack.len() - 1;
                    self.go_on(known, block, &args);
                }
                Some(case) => {
                    // A nested block exits it: it becomes a labelled block.
                    self.stack.pop();
                    self.begin_labelled(block, cases[case].block);
                }
            }
            return;
        }
        self.mode.begin_switch(self, block, selector, cases, args);
    }

    /// Begins a `Switch` that stays one.
    pub(super) fn begin_structured_switch(&mut self, block: Block, selector: Value, cases: &[Case], args: Args) {
        let new_cases: Vec<Case> = cases
            .iter()
            .map(|c| Case { values: c.values.clone(), is_default: c.is_default, block: self.b.new_block() })
            .collect();
        let state = SwitchState {
            source: block,
            selector,
            source_cases: cases.iter().map(|c| c.block).collect(),
            has_default: cases.iter().any(|c| c.is_default),
            cases: new_cases,
            at: 0,
            args,
        };
        self.push(Kind::Switch(state));
        if cases.is_empty() {
            self.end_chain();
        } else {
            self.enter_case(0, None);
        }
    }

    /// Begins a case; `fallen` is the state at the end of the case before, if it falls through.
    pub(super) fn enter_case(&mut self, at: usize, fallen: Option<Delta>) {
        let top = self.stack.len() - 1;
        let Kind::Switch(state) = &mut self.stack[top].kind else { unreachable!("a switch is on top") };
        state.at = at;
        let (source_case, selector) = (state.source_cases[at], state.selector);
        let case = state.cases[at].clone();
        self.b.switch_to(case.block);
        self.begin_epoch();
        match fallen {
            // The state at the end of the previous case differs.
            Some(delta) => delta.iter().for_each(|&(key, value)| match (key, self.state.get(key)) {
                (Key::Slot(_), None) => {}
                (Key::Slot(_), now) => {
                    debug_assert_eq!(now, value, "what a case that falls through writes stays in memory")
                }
                _ => self.state.set(key, None),
            }),
            None => self.assume_case(selector, &case),
        }
        self.at = At::begin(source_case);
    }

    pub(super) fn assume_case(&mut self, selector: Value, case: &Case) {
        if let ([value], false) = (&case.values[..], case.is_default) {
            self.state.set(Key::Fact(selector), Some((*value).into()));
        }
    }

    pub(super) fn passthrough(&mut self) {
        let to = self.chain_owner();
        match &self.stack[to].kind {
            Kind::Switch(state) => {
                let (at, log) = (state.at, self.stack[to].log);
                debug_assert_eq!(to + 1, self.stack.len(), "a case falls through at its own end");
                self.b.exit(Exit::Passthrough);
                let fallen = self.state.changes(log);
                self.state.revert(log);
                self.enter_case(at + 1, Some(fallen));
            }
            Kind::Cases(_) => self.fall_through(to),
            // A switch that was known: the next case follows.
            Kind::Resolved { source } | Kind::Labelled { source, .. } => {
                let owner = *source;
                self.at = At::begin(self.next_case(owner));
            }
            _ => panic!("nothing to fall through"),
        }
    }

    /// The case after the one that is being interpreted in a source switch that was known.
    pub(super) fn next_case(&self, owner: Block) -> Block {
        let source = self.source();
        let Exit::Switch { cases, .. } = &source.body.blocks[owner].exit else { panic!("only switches fall through") };
        let chain =
            |case: &Case| std::iter::successors(Some(case.block), |&b| source.body.blocks[b].exit.merge_block());
        let at = cases.iter().position(|c| chain(c).any(|b| b == self.at.block)).expect("a case is interpreted");
        cases[at + 1].block
    }

    pub(super) fn end_case(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let log = self.stack[top].log;
        self.state.revert(log);
        let Kind::Switch(state) = &self.stack[top].kind else { unreachable!("a switch is on top") };
        let next = state.at + 1;
        if next < state.cases.len() {
            self.enter_case(next, None);
            return true;
        }
        self.close_switch()
    }

    pub(super) fn close_switch(&mut self) -> bool {
        let types = self.target_inputs(self.stack.len() - 1);
        let construct = self.stack.pop().expect("a switch is on top");
        let Kind::Switch(state) = construct.kind else { unreachable!("a switch is on top") };
        let owner = construct.owner;
        let merge = self.b.new_block();
        let mut edges = construct.edges;
        if !state.has_default {
            // No case matches: straight from the owner.
            edges.push(Edge {
                block: owner,
                args: state.args,
                delta: Vec::new(),
                chain: 0,
                direct: false,
                predicate: None,
            });
        }
        self.b.switch_to(merge);
        let joined = self.join(&Join { edges: &edges, inputs: &types, limit: construct.limit, select: None, merge });
        let mut passed = joined.passed;
        let mut args = Args::new();
        if !state.has_default {
            edges.pop();
            args = passed.pop().expect("one for each edge");
        }
        let reachable = !edges.is_empty() || !state.has_default;
        self.end_edges(&edges, passed, |_, passed_args| Exit::Break(owner, passed_args));
        self.b.exit_block(owner, Exit::Switch { selector: state.selector, cases: state.cases, args, merge });
        if !reachable {
            self.end_unreachable(merge);
            return false;
        }
        self.state.apply(&joined.delta);
        self.end_epoch(construct.epoch, construct.departures);
        let source = self.source();
        let source_merge = source.body.blocks[state.source].exit.merge_block().expect("a switch has a merge block");
        self.bind(source_merge, &joined.args);
        self.at = At::begin(source_merge);
        true
    }
}
