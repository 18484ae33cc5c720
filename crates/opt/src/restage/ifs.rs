//! Conditionals: resolved ones go, rows on one condition are merged, and code after an arm that exits may be sunk into the other.

use planish_ir::decoration::Precision;
use planish_ir::entity::{Block, Local, Type, Value};
use planish_ir::function::{Args, Exit};
use planish_ir::ops::Class;

use super::construct::{Construct, IfState, Kind};
use super::engine::{At, Engine};
use super::join::{Edge, Join, input_types};
use super::source::Source;
use super::state::Delta;

/// The values that are made between the first and the last of a row of `If`s.
pub(super) fn row_values(source: &Source, first: Block, end: Block) -> Vec<Local> {
    let mut values = Vec::new();
    let mut block = first;
    while block != end {
        block = source.body.blocks[block].exit.merge_block().expect("an if has a merge block");
        let data = &source.body.blocks[block];
        values.extend(data.inputs.iter().copied());
        values.extend(data.nodes.iter().flat_map(|&n| source.body.results(n)));
    }
    values
}

/// Types of the arguments that an `If`, or the row that it begins, passes to the merge block.
pub(super) fn if_types(source: &Source, state: &IfState) -> Vec<(Type, Precision)> {
    let merge = source.body.blocks[state.end].exit.merge_block().expect("an if has a merge block");
    let mut types = input_types(&source.body, merge);
    let between = row_values(source, state.source, state.end);
    types.extend(between.into_iter().map(|l| (source.body.local(l).ty, source.body.local(l).precision)));
    types
}
impl Engine<'_, '_, '_> {
    /// Whether a source `If` whose condition was known is the last of a row, whose first is being interpreted.
    pub(super) fn ends_row(&self, known: usize, source: Block) -> bool {
        let below = self.find(self.stack[known - 1].firm);
        let frames = self.stack[known].frames;
        below.is_some_and(|below| {
            let c = &self.stack[below];
            let row =
                matches!(&c.kind, Kind::If(state) if state.nested.is_none() && state.end == source && state.source != source);
            row && c.frames == frames
        })
    }

    /// The last of the `If`s on the same condition that follow each other from a source block on, with nothing but pure nodes
    /// between them.
    pub(super) fn end_of_row(&self, source: &Source, block: Block, condition: Value) -> Block {
        let mut end = block;
        if !self.policy.facts {
            return end;
        }
        while let Some(merge) = source.body.blocks[end].exit.merge_block() {
            let data = &source.body.blocks[merge];
            let floats = |&n: &planish_ir::entity::Node| {
                self.b.module.floats(&source.body, source.body.node(n).op, source.body.args(n))
            };
            let same = matches!(data.exit, Exit::If { condition: next, .. } if next == condition);
            let access = |&n: &planish_ir::entity::Node| source.body.node(n).op.info().class == Class::Access;
            if !same || data.nodes.iter().any(access) || !data.variables.is_empty() || !data.nodes.iter().all(floats) {
                break;
            }
            end = merge;
        }
        end
    }

    pub(super) fn begin_if(&mut self, source: &Source, block: Block, condition: Value, arms: [Block; 2]) {
        let source_condition = condition;
        let condition = self.condition(condition);
        if let Some(known) = self.known_bool(condition) {
            self.push(Kind::Resolved { source: block });
            self.at = At::begin(arms[usize::from(!known)]);
            return;
        }
        self.mode.begin_if(self, source, block, [source_condition, condition], arms);
    }

    /// Begins an `If` that stays one.
    pub(super) fn begin_structured_if(
        &mut self,
        source: &Source,
        block: Block,
        [source_condition, condition]: [Value; 2],
        arms: [Block; 2],
    ) {
        let end = self.end_of_row(source, block, source_condition);
        let first = self.context.options.vary_choice(u64::from(block.as_u32()), source.leaves_otherwise[block]);
        let first = usize::from(first);
        let new_arms = [self.b.new_block(), self.b.new_block()];
        let state = IfState { source: block, end, condition, arms: new_arms, first, second: false, nested: None };
        self.push(Kind::If(state));
        self.enter_arm(arms[first], new_arms[first], condition, first == 0);
    }

    pub(super) fn enter_arm(&mut self, source_arm: Block, new_arm: Block, condition: Value, truth: bool) {
        self.b.switch_to(new_arm);
        self.begin_epoch();
        self.assume(condition, truth);
        self.at = At::begin(source_arm);
    }

    /// An arm has ended. Returns whether the interpretation continues.
    pub(super) fn end_arm(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let Kind::If(state) = &self.stack[top].kind else { unreachable!("an if is on top") };
        if state.second {
            return if state.nested.is_some() { self.close_nested() } else { self.close_if() };
        }
        let (source_owner, condition, first, arms) = (state.source, state.condition, state.first, state.arms);
        let second = 1 - first;
        let log = self.stack[top].log;
        self.state.revert(log);
        let source = self.source();
        let Exit::If { then, otherwise, .. } = source.body.blocks[source_owner].exit else {
            unreachable!("it was an if")
        };
        let source_arms = [then, otherwise];
        // Discarded fragments may still help their neighbours after the `If`, but not in the arm that they are not in.
        let discarded = self.b.body().blocks[self.b.block()].exit == Exit::Discard;
        if discarded || !self.stack[top].edges.is_empty() {
            let Kind::If(state) = &mut self.stack[top].kind else { unreachable!("an if is on top") };
            state.second = true;
            self.enter_arm(source_arms[second], arms[second], condition, second == 0);
            return true;
        }
        // The first arm exited. The code after the `If` goes into the second arm if both reach the same target, else after it.
        if let Some(block) = self.left_to_chain_owner(top) {
            let Kind::If(state) = &mut self.stack[top].kind else { unreachable!("an if is on top") };
            state.second = true;
            state.nested = Some(block);
            self.stack[top].new = self.stack[top - 1].new;
            self.push(Kind::Resolved { source: source_owner });
            self.enter_arm(source_arms[second], arms[second], condition, second == 0);
            return true;
        }
        let construct = self.stack.pop().expect("an if is on top");
        if let Some(&to) = self.edge_targets[construct.ways..].last() {
            let (owner, block) = (self.new_chain_owner(), self.b.block());
            self.stack[owner].loose_arms.push((to, block));
        }
        let merge = self.b.new_block();
        self.b.exit_block(arms[second], Exit::Merge(Args::new()));
        self.end_if(construct.owner, condition, arms, merge);
        self.b.switch_to(merge);
        self.push(Kind::Resolved { source: source_owner });
        self.enter_arm(source_arms[second], merge, condition, second == 0);
        true
    }

    pub(super) fn end_if(&mut self, owner: Block, condition: Value, arms: [Block; 2], merge: Block) {
        self.b.exit_block(owner, Exit::If { condition, then: arms[0], otherwise: arms[1], merge });
    }

    /// If the first arm of the `If` at `top` has just left to the construct whose chain the `If` is in, the block with
    /// which it did.
    pub(super) fn left_to_chain_owner(&self, top: usize) -> Option<Block> {
        let owner = self.may_nest_in(top)?;
        let block = self.b.block();
        let chain = self.stack[top].id;
        // It is the last one.
        self.chain_edges(owner).last().is_some_and(|e| e.block == block && e.chain == chain).then_some(block)
    }

    /// The construct whose chain a construct is in, if the rest of that chain may go into an arm.
    fn may_nest_in(&self, top: usize) -> Option<usize> {
        let nest = self.context.options.vary_choice(self.stack.len() as u64, self.policy.nest);
        if self.stack.len() as u32 > self.context.options.limits.nesting || !nest {
            return None;
        }
        let owner = self.chain_owner_below(top);
        (!matches!(self.stack[owner].kind, Kind::If(_) | Kind::Switch(_))).then_some(owner)
    }

    /// Both arms have ended, and the first left to the construct around: if the second did too, they leave together.
    pub(super) fn close_nested(&mut self) -> bool {
        let construct = self.stack.pop().expect("an if is on top");
        let Kind::If(state) = construct.kind else { unreachable!("an if is on top") };
        self.state.revert(construct.log);
        let first = state.nested.expect("it is nested");
        let owner = self.new_chain_owner();
        let last = self.b.block();
        let chain = self.stack[owner].id;
        let ways = self.chain_edges_mut(owner);
        let at = ways.iter().rposition(|e| e.block == first).expect("the first arm left to here");
        let mut both = vec![ways.remove(at)];
        if ways.last().is_some_and(|e| e.block == last && e.chain == chain) {
            both.extend(ways.pop());
        }
        if state.first == 1 && both.len() == 2 {
            both.swap(0, 1);
        }
        // Their deltas are relative to the construct around; here they are relative to this `If`.
        for way in &mut both {
            way.delta.retain(|(key, value)| self.state.get(*key) != *value);
        }
        if both.len() == 1
            && let Some(outer) = self.outer_chain_left(owner)
        {
            let way = both.pop().expect("there is one");
            self.go_on_in_first_arm(Construct { kind: Kind::If(state), ..construct }, owner, outer, way);
            return true;
        }
        if let [only] = &both[..] {
            self.note_full_arm(only, &state);
        }
        let merge = self.b.new_block();
        let target = self.target_inputs(owner);
        let (block, args, delta) =
            self.join_arms(construct.owner, state.condition, state.arms, &both, &target, construct.limit, merge);
        self.b.switch_to(block);
        self.state.apply(&delta);
        self.begin_epoch();
        let edge = self.edge(owner, args);
        self.chain_edges_mut(owner).push(edge);
        false
    }

    /// If the chain of a labelled block has just ended with an edge to the end of the chain around it, and nothing else is left to
    /// go to the merge block than what the caller holds: the construct that the chain around belongs to.
    fn outer_chain_left(&self, labelled: usize) -> Option<usize> {
        let construct = &self.stack[labelled];
        // The states above it are resolved.
        let is_next = self.stack.last().is_some_and(|top| top.firm == construct.id);
        if !matches!(construct.kind, Kind::Labelled { .. }) || !construct.edges.is_empty() || !is_next {
            return None;
        }
        self.may_nest_in(labelled).filter(|&outer| {
            let block = self.b.block();
            self.chain_edges(outer).last().is_some_and(|e| e.block == block && e.chain == construct.id)
        })
    }

    /// The second arm of an `If` left to where the chain around a labelled block ends, and the first arm is all that leads to
    /// the merge block: the code after the labelled block continues there. So the former first arm is the second.
    fn go_on_in_first_arm(&mut self, mut construct: Construct, labelled: usize, outer: usize, way: Edge) {
        let Kind::If(state) = &mut construct.kind else { unreachable!("it is an if") };
        state.first = 1 - state.first;
        state.nested = Some(self.b.block());
        self.stack.truncate(labelled + 1);
        let gone = self.stack.pop().expect("it is on the stack");
        let Kind::Labelled { source, body } = gone.kind else { unreachable!("it is labelled") };
        self.b.exit_block(gone.owner, Exit::NextBlock { merge: body });
        self.rechain(gone);
        debug_assert_eq!(self.new_chain_owner(), outer, "what is between them is gone");
        let top = self.stack.last().expect("the function is on the stack");
        (construct.new, construct.tried, construct.loops) = (top.new, top.tried, top.loops);
        self.stack.push(construct);
        self.b.switch_to(way.block);
        self.begin_epoch();
        self.state.apply(&way.delta);
        self.go_on_behind(Kind::Labelled { source, body }, &way.args);
    }

    /// Only the first arm of an `If` continues after it, since the second left: if that is known before, the first's code would
    /// be after the `If`.
    fn note_full_arm(&mut self, stays: &Edge, state: &IfState) {
        let head = state.arms[state.first];
        let is_full = stays.block != head || !self.b.body().blocks[head].nodes.is_empty();
        // If an arm discards, nothing else can be done.
        let last = self.b.block();
        if is_full && stays.block != last && self.b.body().blocks[last].exit != Exit::Discard {
            self.leftovers.push(head);
        }
    }

    pub(super) fn close_if(&mut self) -> bool {
        let construct = self.stack.pop().expect("an if is on top");
        let Kind::If(state) = construct.kind else { unreachable!("an if is on top") };
        self.state.revert(construct.log);
        let source = self.source();
        let source_merge = source.body.blocks[state.end].exit.merge_block().expect("an if has a merge block");
        let mut edges = construct.edges;
        if state.first == 1 && edges.len() == 2 {
            edges.swap(0, 1);
        }
        if let [only] = &edges[..] {
            self.note_full_arm(only, &state);
        }
        let merge = self.b.new_block();
        if edges.is_empty() {
            self.end_if(construct.owner, state.condition, state.arms, merge);
            self.end_unreachable(merge);
            return false;
        }
        let types = if_types(&source, &state);
        let (block, args, delta) =
            self.join_arms(construct.owner, state.condition, state.arms, &edges, &types, construct.limit, merge);
        self.b.switch_to(block);
        self.state.apply(&delta);
        self.end_epoch(construct.epoch, construct.departures);
        let between = row_values(&source, state.source, state.end);
        let (args, values) = args.split_at(args.len() - between.len());
        for (local, &value) in between.into_iter().zip(values) {
            self.frame_mut().values[local] = Some(value);
        }
        self.bind(source_merge, args);
        self.at = At::begin(source_merge);
        true
    }

    /// Brings the arms of an `If` together (the one for true first; or only one, if the other left). Without anything in
    /// them the `If` is gone, and its owner continues.
    pub(super) fn join_arms(
        &mut self,
        owner: Block,
        condition: Value,
        arms: [Block; 2],
        edges: &[Edge],
        inputs: &[(Type, Precision)],
        limit: u32,
        merge: Block,
    ) -> (Block, Args, Delta) {
        self.b.switch_to(owner);
        let both = edges.len() == 2;
        let bare = both
            && edges.iter().zip(arms).all(|(e, arm)| {
                let data = &self.b.body().blocks[arm];
                e.block == arm && data.nodes.is_empty() && data.variables.is_empty()
            });
        // A branch that stays anyway chooses at no cost.
        let select =
            (both && (bare || self.context.options.costs(self.b.module).selects_beside_branches)).then_some(condition);
        let joined = self.join(&Join { edges, inputs, limit, select, merge });
        if bare && joined.passed.iter().all(|f| f.is_empty()) {
            return (owner, joined.args, joined.delta);
        }
        self.end_edges(edges, joined.passed, |_, passed_args| Exit::Merge(passed_args));
        self.end_if(owner, condition, arms, merge);
        (merge, joined.args, joined.delta)
    }
}
