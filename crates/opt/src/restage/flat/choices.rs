//! Merges in a function that is being flattened: selects choose among the values of the edges.

use planish_ir::entity::{Block, Value};
use planish_ir::function::Args;
use planish_ir::ops::Op;
use smallvec::SmallVec;

use crate::restage::construct::Kind;
use crate::restage::engine::{At, Engine};
use crate::restage::join::Edge;
use crate::restage::state::{Delta, Key};

/// An `If` that is being flattened.
pub(in crate::restage) struct Choice {
    pub(in crate::restage) source: Block,
    pub(super) condition: Value,
    otherwise: Block,
    /// Once the second arm is interpreted: the edges of the first to the merge block.
    pub(super) first: Option<usize>,
}

impl Engine<'_, '_, '_> {
    /// The arguments of merged edges for the inputs of their target, and the changes of the state since the
    /// construct was entered.
    pub(in crate::restage) fn flat_join(&mut self, edges: &[Edge]) -> (Args, Delta) {
        let always = |e: &Edge| e.predicate.is_none_or(|g| self.known_bool(g) == Some(true));
        let never = |e: &Edge| e.predicate.is_some_and(|g| self.known_bool(g) == Some(false));
        let last = edges.iter().position(always).unwrap_or(edges.len() - 1);
        let ways: Vec<&Edge> = edges[..last].iter().filter(|e| !never(e)).chain([&edges[last]]).collect();
        let predicates: Vec<Value> =
            ways[..ways.len() - 1].iter().map(|e| e.predicate.expect("has a predicate")).collect();
        let mut args = Args::new();
        for i in 0..edges[last].args.len() {
            let values: Vec<Value> = ways.iter().map(|e| e.args[i]).collect();
            args.push(self.choose_edge(&predicates, &values));
        }
        let mut keys: Vec<Key> = ways.iter().flat_map(|e| e.delta.iter().map(|d| d.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut delta = Delta::new();
        for key in keys {
            // A slot that is not in scope outside needs no value.
            let Some(first) = self.state.get(key) else { continue };
            let now = |e: &&Edge| match e.delta.binary_search_by_key(&key, |d| d.0) {
                Ok(at) => e.delta[at].1,
                Err(_) => Some(first),
            };
            let Some(values) = ways.iter().map(now).collect::<Option<Vec<Value>>>() else { continue };
            let value = self.choose_edge(&predicates, &values);
            if value != first {
                delta.push((key, Some(value)));
            }
        }
        (args, delta)
    }

    /// The value of the first edge whose predicate holds; the last has none. Neighbours with equal values are one edge.
    fn choose_edge(&mut self, predicates: &[Value], values: &[Value]) -> Value {
        let mut runs: SmallVec<[(Value, Value); 4]> = SmallVec::new();
        let (&last, values) = values.split_last().expect("a merge has edges");
        for (&predicate, &value) in predicates.iter().zip(values) {
            match runs.last().copied() {
                Some((either, same)) if same == value => {
                    let either = self.or(Some(either), predicate);
                    *runs.last_mut().expect("it is there") = (either, value);
                }
                _ => runs.push((predicate, value)),
            }
        }
        runs.into_iter().rev().fold(last, |rest, (predicate, value)| {
            if value == rest { rest } else { self.b.op(Op::Select, &[predicate, value, rest]) }
        })
    }

    pub(in crate::restage) fn begin_choice(&mut self, block: Block, condition: Value, arms: [Block; 2]) {
        self.push(Kind::Choice(Choice { source: block, condition, otherwise: arms[1], first: None }));
        self.assume(condition, true);
        self.at = At::begin(arms[0]);
    }

    /// An arm has ended. Returns whether the interpretation continues.
    pub(in crate::restage) fn end_choice(&mut self) -> bool {
        let top = self.stack.last_mut().expect("a choice is on top");
        let (log, ways) = (top.log, top.edges.len());
        let Kind::Choice(choice) = &mut top.kind else { unreachable!("a choice is on top") };
        let (condition, otherwise, source_owner) = (choice.condition, choice.otherwise, choice.source);
        let first = choice.first.replace(ways);
        self.state.revert(log);
        let Some(first) = first else {
            self.assume(condition, false);
            self.at = At::begin(otherwise);
            return true;
        };
        let mut edges = self.stack.pop().expect("a choice is on top").edges;
        let args = match (first > 0, edges.len() > first) {
            (false, false) => return false,
            (true, true) => {
                edges[0].predicate = Some(condition);
                edges[1].predicate = None;
                let (args, delta) = self.flat_join(&edges);
                self.state.apply(&delta);
                args
            }
            (truth, _) => {
                // The other arm left.
                self.state.apply(&edges[0].delta);
                self.assume(condition, truth);
                std::mem::take(&mut edges[0].args)
            }
        };
        let source = self.source();
        let merge = source.body.blocks[source_owner].exit.merge_block().expect("an if has a merge block");
        self.bind(merge, &args);
        self.at = At::begin(merge);
        true
    }

    /// Something that can be left has ended. Returns whether the interpretation continues.
    pub(in crate::restage) fn close_flat(&mut self) -> bool {
        let construct = self.stack.pop().expect("a construct is on top");
        self.state.revert(construct.log);
        if construct.edges.is_empty() {
            self.leave_frame(&construct.kind);
            return false;
        }
        let (args, delta) = self.flat_join(&construct.edges);
        self.state.apply(&delta);
        self.go_on_behind(construct.kind, &args);
        true
    }
}
