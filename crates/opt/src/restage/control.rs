//! Ifs, switches, labelled blocks, and what leaves them.

use planish_ir::entity::{Block, Const, Local, Value};
use planish_ir::function::{Args, Case, Exit, TrapKind};
use planish_ir::ops::Class;

use super::engine::{At, Construct, Engine, IfState, Kind};
use super::join::{Edge, Join, input_types};
use super::old::Old;
use super::state::Key;

/// A `Switch` that is being interpreted.
pub(super) struct SwitchState {
    old: Block,
    selector: Value,
    /// The new cases.
    cases: Vec<Case>,
    /// The old cases' blocks.
    old_cases: Vec<Block>,
    at: usize,
    /// What goes to the merge block if no case matches.
    args: Args,
    has_default: bool,
}

/// The values that are made between the first and the last of a row of `If`s.
fn row_values(old: &Old, first: Block, end: Block) -> Vec<Local> {
    let mut values = Vec::new();
    let mut block = first;
    while block != end {
        block = old.body.blocks[block].exit.merge_block().expect("an if has a merge block");
        let data = &old.body.blocks[block];
        values.extend(data.inputs.iter().copied());
        values.extend(data.nodes.iter().flat_map(|&n| old.body.results(n)));
    }
    values
}

/// Types of what an `If`, or the row that it begins, brings to the merge block.
fn if_types(old: &Old, state: &IfState) -> Vec<(planish_ir::entity::Type, planish_ir::decoration::Precision)> {
    let merge = old.body.blocks[state.end].exit.merge_block().expect("an if has a merge block");
    let mut types = input_types(&old.body, merge);
    let between = row_values(old, state.old, state.end);
    types.extend(between.into_iter().map(|l| (old.body.local(l).ty, old.body.local(l).precision)));
    types
}

impl Engine<'_, '_, '_> {
    // Leaving.

    /// The construct that the current chain belongs to: `If`s in whose second arm the rest of a chain is interpreted belong
    /// to the same chain.
    fn chain_owner(&self) -> usize {
        let nested = |c: &Construct| matches!(&c.kind, Kind::If(state) if state.nested.is_some());
        self.stack.iter().rposition(|c| !nested(c)).expect("the function is on the stack")
    }

    /// As [`Engine::chain_owner`], without old constructs that are gone.
    pub(super) fn new_chain_owner(&self) -> usize {
        self.chain_owner_below(self.stack.len())
    }

    fn chain_owner_below(&self, top: usize) -> usize {
        let skipped = |c: &Construct| match &c.kind {
            Kind::Known { .. } => true,
            Kind::If(state) => state.nested.is_some(),
            _ => false,
        };
        self.stack[..top].iter().rposition(|c| !skipped(c)).expect("the function is on the stack")
    }

    /// A way from the current block to a construct.
    pub(super) fn way(&self, to: usize, args: Args) -> Edge {
        let chain = self.new_chain_owner();
        let delta = self.state.changes(self.stack[to].log);
        Edge { block: self.b.block(), args, delta, chain: self.stack[chain].id, direct: chain == to }
    }

    /// Notes that not all fragments go where the current chain goes on.
    fn depart(&mut self, edge: &Edge) {
        self.departures += u32::from(!edge.direct);
    }

    /// Ends the current block with a way to the merge block of a construct.
    pub(super) fn leave(&mut self, to: usize, args: Args) {
        let edge = self.way(to, args);
        self.depart(&edge);
        self.stack[to].edges.push(edge);
        self.end_chain();
    }

    /// The construct of the innermost function that stands for the one that ended the old block `label`.
    fn target(&self, label: Block, is: impl Fn(&Kind) -> bool) -> usize {
        let frames = self.frames.len();
        let at = self.stack.iter().rposition(|c| c.frames == frames && is(&c.kind));
        at.unwrap_or_else(|| panic!("{label} is left, but not around"))
    }

    pub(super) fn break_to(&mut self, label: Block, args: &[Value]) {
        let values = self.values(args);
        let to = self.target(label, |kind| match kind {
            Kind::Labelled { old, .. } | Kind::Known { old } => *old == label,
            Kind::Switch(state) => state.old == label,
            Kind::Loop(state) => state.old == label,
            Kind::Unrolled(state) => state.old == label,
            _ => false,
        });
        if let Kind::Known { old } = self.stack[to].kind {
            self.go_on(to, old, &values);
            return;
        }
        let values = self.with_escapes(to, values);
        self.leave(to, values);
    }

    /// What goes to the merge block of a loop that is unrolled: also what its condition made in this round, if it is used
    /// behind the loop.
    pub(super) fn with_escapes(&self, to: usize, mut values: Args) -> Args {
        let Kind::Unrolled(state) = &self.stack[to].kind else { return values };
        let frame = &self.frames[self.stack[to].frames - 1];
        // What is no value is an address of promoted memory.
        values.extend(frame.old.escapes(state.old).iter().filter_map(|&l| frame.values[l]));
        values
    }

    pub(super) fn continue_to(&mut self, label: Block, args: &[Value]) {
        let values = self.values(args);
        let to = self.target(label, |kind| match kind {
            Kind::Loop(state) => state.old == label,
            Kind::Round { old, .. } => *old == label,
            Kind::Unrolled(state) => state.old == label,
            _ => false,
        });
        match self.stack[to].kind {
            // From the continue block of an unrolled loop: the next round.
            Kind::Unrolled(_) => self.next_round(to, &values),
            _ => {
                let edge = self.way(to, values);
                self.depart(&edge);
                self.chain_ways_mut(to).push(edge);
                self.end_chain();
            }
        }
    }

    /// `Merge` of an arm or a labelled body.
    pub(super) fn merge(&mut self, args: &[Value]) {
        let values = self.values(args);
        let to = self.chain_owner();
        match &self.stack[to].kind {
            Kind::Known { old } => {
                let old = *old;
                if self.ends_row(to, old) {
                    self.stack.remove(to);
                    let to = self.chain_owner();
                    let Kind::If(state) = &self.stack[to].kind else { unreachable!("a row begins with an if") };
                    let between = row_values(&self.frame().old, state.old, state.end);
                    let known = between.into_iter().map(|l| self.frame().values[l].expect("the row was interpreted"));
                    let values = values.into_iter().chain(known).collect();
                    self.leave(to, values);
                } else {
                    self.go_on(to, old, &values);
                }
            }
            // The next `If` on the same condition belongs to this arm.
            Kind::If(state) if state.end != state.old => {
                let old = self.old();
                let merge = old.body.blocks[state.old].exit.merge_block().expect("an if has a merge block");
                self.bind(merge, &values);
                self.at = At::begin(merge);
            }
            _ => self.leave(to, values),
        }
    }

    /// Whether an old `If` whose way was known is the last of a row, whose first is being interpreted.
    fn ends_row(&self, known: usize, old: Block) -> bool {
        let below = self.stack[..known].iter().rev().find(|c| !matches!(c.kind, Kind::Known { .. }));
        let frames = self.stack[known].frames;
        below.is_some_and(|c| {
            let row =
                matches!(&c.kind, Kind::If(state) if state.nested.is_none() && state.end == old && state.old != old);
            row && c.frames == frames
        })
    }

    /// The last of the `If`s on the same condition that follow each other from an old block on, with nothing but pure nodes
    /// between them.
    fn end_of_row(&self, old: &Old, block: Block, condition: Value) -> Block {
        let mut end = block;
        if !self.policy.facts {
            return end;
        }
        while let Some(merge) = old.body.blocks[end].exit.merge_block() {
            let data = &old.body.blocks[merge];
            let floats =
                |&n: &planish_ir::entity::Node| self.b.module.floats(&old.body, old.body.node(n).op, old.body.args(n));
            let same = matches!(data.exit, Exit::If { condition: next, .. } if next == condition);
            let access = |&n: &planish_ir::entity::Node| old.body.node(n).op.info().class == Class::Access;
            if !same || data.nodes.iter().any(access) || !data.variables.is_empty() || !data.nodes.iter().all(floats) {
                break;
            }
            end = merge;
        }
        end
    }

    /// Goes on behind an old construct that is gone. What was nested in it since belongs to the chain around it.
    fn go_on(&mut self, known: usize, old_owner: Block, values: &[Value]) {
        // Whatever else is left inside it was left for good.
        let nested = |c: &Construct| matches!(&c.kind, Kind::If(state) if state.nested.is_some());
        debug_assert!(self.stack[known + 1..].iter().all(nested), "a known construct is left from its own chain");
        self.stack.remove(known);
        let old = self.old();
        let merge = old.body.blocks[old_owner].exit.merge_block().expect("only constructs are known");
        self.bind(merge, values);
        self.at = At::begin(merge);
    }

    /// The current chain has ended: goes on with what is on top of the stack.
    pub(super) fn end_chain(&mut self) {
        loop {
            let top = self.stack.last().expect("the function is on the stack");
            let ended = match &top.kind {
                // It was left for good.
                Kind::Known { .. } => {
                    self.stack.pop();
                    false
                }
                Kind::If(_) => self.end_arm(),
                Kind::Labelled { .. } | Kind::Inline { .. } | Kind::Round { .. } | Kind::Unrolled(_) => {
                    self.close_labelled()
                }
                Kind::Switch(_) => self.end_case(),
                Kind::Loop(_) => self.end_loop_part(),
                Kind::Root => {
                    self.close_root();
                    true
                }
            };
            if ended {
                return;
            }
        }
    }

    // The function.

    fn close_root(&mut self) {
        let root = self.stack.pop().expect("the function is on the stack");
        self.state.revert(root.log);
        for edge in root.edges {
            self.b.switch_to(edge.block);
            self.write_outputs(&edge);
            self.b.exit(Exit::Return(edge.args));
        }
        self.finish();
    }

    /// Promoted outputs get their values.
    fn write_outputs(&mut self, edge: &Edge) {
        for i in 0..self.outputs.len() {
            let var = self.outputs[i];
            for (slot, pointer) in self.slots.pointers(&mut self.b, var) {
                let known = edge.delta.binary_search_by_key(&Key::Slot(slot), |d| d.0);
                let (Ok(at), true) = (known, self.slots.is_written(slot)) else { continue };
                let known = edge.delta[at];
                let value = known.1.expect("an output is always in scope");
                self.b.store(pointer, value);
            }
        }
    }

    /// The end of a block that cannot be reached: a return, since every target has one.
    pub(super) fn end_unreachable(&mut self, block: Block) {
        let types: Vec<_> = self.result_types(self.frames[0].func);
        let module = &mut *self.b.module;
        let zeros = types.iter().map(|&(ty, _)| module.consts.zero(&mut module.types, ty).map(Value::from));
        let exit = zeros.collect::<Option<Args>>().map_or(Exit::Trap(TrapKind::Unreachable), Exit::Return);
        self.b.exit_block(block, exit);
    }

    // If.

    pub(super) fn begin_if(&mut self, old: &Old, block: Block, condition: Value, arms: [Block; 2]) {
        let end = self.end_of_row(old, block, condition);
        let condition = self.condition(condition);
        if let Some(known) = self.known_bool(condition) {
            self.push(Kind::Known { old: block });
            self.at = At::begin(arms[usize::from(!known)]);
            return;
        }
        let first = self.context.options.vary_choice(u64::from(block.as_u32()), old.leaves_otherwise[block]);
        let first = usize::from(first);
        let new_arms = [self.b.new_block(), self.b.new_block()];
        let state = IfState { old: block, end, condition, arms: new_arms, first, second: false, nested: None };
        self.push(Kind::If(state));
        self.enter_arm(arms[first], new_arms[first], condition, first == 0);
    }

    fn enter_arm(&mut self, old_arm: Block, new_arm: Block, condition: Value, truth: bool) {
        self.b.switch_to(new_arm);
        self.begin_region();
        self.assume(condition, truth);
        self.at = At::begin(old_arm);
    }

    /// An arm has ended. Whether the interpretation goes on.
    fn end_arm(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let Kind::If(state) = &self.stack[top].kind else { unreachable!("an if is on top") };
        if state.second {
            return if state.nested.is_some() { self.close_nested() } else { self.close_if() };
        }
        let (old_owner, condition, first, arms) = (state.old, state.condition, state.first, state.arms);
        let second = 1 - first;
        let log = self.stack[top].log;
        self.state.revert(log);
        let old = self.old();
        let Exit::If { then, otherwise, .. } = old.body.blocks[old_owner].exit else { unreachable!("it was an if") };
        let old_arms = [then, otherwise];
        // Discarded fragments may still help their neighbours behind the `If`, but not in the arm that they are not in.
        let discarded = self.b.body().blocks[self.b.block()].exit == Exit::Discard;
        if discarded || !self.stack[top].edges.is_empty() {
            let Kind::If(state) = &mut self.stack[top].kind else { unreachable!("an if is on top") };
            state.second = true;
            self.enter_arm(old_arms[second], arms[second], condition, second == 0);
            return true;
        }
        // The first arm left. What follows goes on in the second arm if both then leave the same way, else behind it.
        if let Some(block) = self.left_to_chain_owner(top) {
            let Kind::If(state) = &mut self.stack[top].kind else { unreachable!("an if is on top") };
            state.second = true;
            state.nested = Some(block);
            self.push(Kind::Known { old: old_owner });
            self.enter_arm(old_arms[second], arms[second], condition, second == 0);
            return true;
        }
        let construct = self.stack.pop().expect("an if is on top");
        let merge = self.b.new_block();
        self.b.exit_block(arms[second], Exit::Merge(Args::new()));
        self.end_if(construct.owner, condition, arms, merge);
        self.b.switch_to(merge);
        self.push(Kind::Known { old: old_owner });
        self.enter_arm(old_arms[second], merge, condition, second == 0);
        true
    }

    fn end_if(&mut self, owner: Block, condition: Value, arms: [Block; 2], merge: Block) {
        self.b.exit_block(owner, Exit::If { condition, then: arms[0], otherwise: arms[1], merge });
    }

    /// If the first arm of the `If` at `top` has just left to the construct whose chain the `If` stands in, the block with
    /// which it did.
    fn left_to_chain_owner(&self, top: usize) -> Option<Block> {
        let nest = self.context.options.vary_choice(self.stack.len() as u64, self.policy.nest);
        if self.stack.len() as u32 > self.context.options.limits.nesting || !nest {
            return None;
        }
        let owner = self.chain_owner_below(top);
        if matches!(self.stack[owner].kind, Kind::If(_) | Kind::Switch(_)) {
            return None;
        }
        let block = self.b.block();
        let ways = match &self.stack[owner].kind {
            Kind::Loop(state) => state.chain_ways(),
            _ => &self.stack[owner].edges,
        };
        let chain = self.stack[top].id;
        ways.iter().any(|e| e.block == block && e.chain == chain).then_some(block)
    }

    /// The ways that end the chain which a construct interprets now.
    fn chain_ways_mut(&mut self, construct: usize) -> &mut Vec<Edge> {
        let construct = &mut self.stack[construct];
        match &mut construct.kind {
            Kind::Loop(state) => state.chain_ways_mut(),
            _ => &mut construct.edges,
        }
    }

    /// Both arms have ended, and the first left to the construct around: if the second did too, they leave together.
    fn close_nested(&mut self) -> bool {
        let construct = self.stack.pop().expect("an if is on top");
        let Kind::If(state) = construct.kind else { unreachable!("an if is on top") };
        self.state.revert(construct.log);
        let first = state.nested.expect("it is nested");
        let owner = self.new_chain_owner();
        let last = self.b.block();
        let chain = self.stack[owner].id;
        let ways = self.chain_ways_mut(owner);
        let at = ways.iter().rposition(|e| e.block == first).expect("the first arm left to here");
        let mut both = vec![ways.remove(at)];
        if ways.last().is_some_and(|e| e.block == last && e.chain == chain) {
            both.extend(ways.pop());
        }
        if state.first == 1 && both.len() == 2 {
            both.swap(0, 1);
        }
        // They say what they know beyond the construct around; here it is what they know beyond this `If`.
        for way in &mut both {
            way.delta.retain(|(key, value)| self.state.get(*key) != *value);
        }
        let merge = self.b.new_block();
        let target = self.target_inputs(owner);
        let (block, args, delta) =
            self.join_arms(construct.owner, state.condition, state.arms, &both, &target, construct.limit, merge);
        self.b.switch_to(block);
        self.state.apply(&delta);
        self.begin_region();
        let edge = self.way(owner, args);
        self.chain_ways_mut(owner).push(edge);
        false
    }

    /// Types of what goes with the ways that end the chain which a construct interprets now.
    fn target_inputs(&self, construct: usize) -> Vec<(planish_ir::entity::Type, planish_ir::decoration::Precision)> {
        let old = &self.frames[self.stack[construct].frames - 1].old.body;
        let merge = |block: Block| old.blocks[block].exit.merge_block().expect("constructs have merge blocks");
        match &self.stack[construct].kind {
            Kind::Root => self.result_types(self.frames[0].func),
            Kind::Inline { .. } => self.result_types(self.frames[self.stack[construct].frames].func),
            Kind::If(state) => if_types(&self.frames[self.stack[construct].frames - 1].old, state),
            Kind::Known { old: block } | Kind::Labelled { old: block, .. } => input_types(old, merge(*block)),
            Kind::Switch(state) => input_types(old, merge(state.old)),
            Kind::Unrolled(state) => {
                let frame = &self.frames[self.stack[construct].frames - 1];
                let escapes = frame.old.escapes(state.old).iter().filter(|&&l| frame.values[l].is_some());
                let mut types = input_types(old, merge(state.old));
                types.extend(escapes.map(|&l| (old.local(l).ty, old.local(l).precision)));
                types
            }
            Kind::Round { old: block, .. } => input_types(old, super::loops::continue_target(old, *block)),
            Kind::Loop(state) => input_types(old, state.chain_target(old)),
        }
    }

    fn result_types(
        &self,
        func: planish_ir::entity::Func,
    ) -> Vec<(planish_ir::entity::Type, planish_ir::decoration::Precision)> {
        self.b.module.funcs[func].results.iter().map(|r| (r.ty, r.precision)).collect()
    }

    fn close_if(&mut self) -> bool {
        let construct = self.stack.pop().expect("an if is on top");
        let Kind::If(state) = construct.kind else { unreachable!("an if is on top") };
        self.state.revert(construct.log);
        let old = self.old();
        let old_merge = old.body.blocks[state.end].exit.merge_block().expect("an if has a merge block");
        let mut edges = construct.edges;
        if state.first == 1 && edges.len() == 2 {
            edges.swap(0, 1);
        }
        let merge = self.b.new_block();
        if edges.is_empty() {
            self.end_if(construct.owner, state.condition, state.arms, merge);
            self.end_unreachable(merge);
            return false;
        }
        let types = if_types(&old, &state);
        let (block, args, delta) =
            self.join_arms(construct.owner, state.condition, state.arms, &edges, &types, construct.limit, merge);
        self.b.switch_to(block);
        self.state.apply(&delta);
        self.end_region(construct.region, construct.departures);
        let between = row_values(&old, state.old, state.end);
        let (args, values) = args.split_at(args.len() - between.len());
        for (local, &value) in between.into_iter().zip(values) {
            self.frame_mut().values[local] = Some(value);
        }
        self.bind(old_merge, args);
        self.at = At::begin(old_merge);
        true
    }

    /// Brings the arms of an `If` together (the one for true first; or only one, if the other left). Without anything in
    /// them the `If` is gone, and its owner goes on.
    fn join_arms(
        &mut self,
        owner: Block,
        condition: Value,
        arms: [Block; 2],
        edges: &[Edge],
        inputs: &[(planish_ir::entity::Type, planish_ir::decoration::Precision)],
        limit: u32,
        merge: Block,
    ) -> (Block, Args, super::state::Delta) {
        self.b.switch_to(owner);
        let both = edges.len() == 2;
        let select = both.then_some(condition);
        let joined = self.join(&Join { edges, inputs, limit, select, merge });
        let empty = both
            && joined.feeds.iter().all(|f| f.is_empty())
            && edges.iter().zip(arms).all(|(e, arm)| {
                let data = &self.b.body().blocks[arm];
                e.block == arm && data.nodes.is_empty() && data.variables.is_empty()
            });
        if empty {
            return (owner, joined.args, joined.delta);
        }
        self.end_edges(edges, joined.feeds, |_, feed| Exit::Merge(feed));
        self.end_if(owner, condition, arms, merge);
        (merge, joined.args, joined.delta)
    }

    // Labelled.

    pub(super) fn begin_labelled(&mut self, block: Block, old_body: Block) {
        let body = self.b.new_block();
        self.push(Kind::Labelled { old: block, body });
        self.b.switch_to(body);
        self.at = At::begin(old_body);
    }

    /// A labelled block, or something that stands for one, has ended. Whether the interpretation goes on.
    fn close_labelled(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let types = self.target_inputs(top);
        let construct = self.stack.pop().expect("a construct is on top");
        let body = match &construct.kind {
            Kind::Labelled { body, .. } | Kind::Inline { body, .. } | Kind::Round { body, .. } => *body,
            Kind::Unrolled(state) => state.body,
            _ => unreachable!("it can be left"),
        };
        self.state.revert(construct.log);
        let args = match &construct.edges[..] {
            [] => {
                self.b.exit_block(construct.owner, Exit::NextBlock { merge: body });
                self.rechain(construct.id);
                self.leave_frame(&construct.kind);
                return false;
            }
            [only] if only.direct => {
                self.b.exit_block(construct.owner, Exit::NextBlock { merge: body });
                self.b.switch_to(only.block);
                self.state.apply(&only.delta);
                only.args.clone()
            }
            edges => {
                let merge = self.b.new_block();
                self.b.switch_to(merge);
                let limit = construct.limit;
                let joined = self.join(&Join { edges, inputs: &types, limit, select: None, merge });
                let owner = construct.owner;
                self.end_edges(edges, joined.feeds, |edge, feed| {
                    if edge.direct { Exit::Merge(feed) } else { Exit::Break(owner, feed) }
                });
                self.b.exit_block(owner, Exit::Labelled { body, merge });
                self.state.apply(&joined.delta);
                self.begin_region();
                joined.args
            }
        };
        self.go_on_behind(construct.kind, &args);
        true
    }

    /// A construct is gone, and what ended its chain ends that of the construct around.
    fn rechain(&mut self, gone: u32) {
        let owner = self.new_chain_owner();
        let chain = self.stack[owner].id;
        for (to, construct) in self.stack.iter_mut().enumerate() {
            let ways = match &mut construct.kind {
                Kind::Loop(state) => state.chain_ways_mut().last_mut(),
                _ => None,
            };
            for way in construct.edges.last_mut().into_iter().chain(ways) {
                if way.chain == gone {
                    way.chain = chain;
                    way.direct = owner == to;
                }
            }
        }
    }

    /// Goes on only where a condition is true; else leaves to a construct, whose chain this is.
    pub(super) fn leave_unless(&mut self, to: usize, condition: Value, args: Args) {
        let arms = [self.b.new_block(), self.b.new_block()];
        let Kind::Unrolled(unrolled) = &self.stack[to].kind else { unreachable!("only conditions of loops do") };
        let (old, end) = (unrolled.old, unrolled.old);
        let state = IfState { old, end, condition, arms, first: 1, second: true, nested: Some(arms[1]) };
        self.push(Kind::If(state));
        let log = self.state.mark();
        self.departures += 1;
        self.begin_region();
        self.b.switch_to(arms[1]);
        self.assume(condition, false);
        let edge = self.way(to, args);
        self.stack[to].edges.push(edge);
        self.state.revert(log);
        self.b.switch_to(arms[0]);
        self.assume(condition, true);
    }

    /// A construct that can be left has ended: where to go on.
    fn go_on_behind(&mut self, kind: Kind, args: &[Value]) {
        match kind {
            Kind::Labelled { .. } | Kind::Unrolled(_) => {
                let block = match kind {
                    Kind::Labelled { old, .. } => old,
                    Kind::Unrolled(state) => state.old,
                    _ => unreachable!("one of the two"),
                };
                let old = self.old();
                let count = old.body.blocks[block].exit.merge_block().map_or(0, |m| old.body.blocks[m].inputs.len());
                let (args, escaped) = args.split_at(count);
                let escapes: Vec<_> =
                    old.escapes(block).iter().copied().filter(|&l| self.frame().values[l].is_some()).collect();
                for (local, &value) in escapes.into_iter().zip(escaped) {
                    self.frame_mut().values[local] = Some(value);
                }
                let merge = old.body.blocks[block].exit.merge_block().expect("constructs have merge blocks");
                self.bind(merge, args);
                self.at = At::begin(merge);
            }
            Kind::Inline { node, resume, .. } => {
                self.frames.pop();
                let old = self.old();
                self.bind_results(&old, node, args);
                self.at = resume;
            }
            Kind::Round { old: block, .. } => self.end_round(block, args),
            _ => unreachable!("it can be left"),
        }
    }

    fn leave_frame(&mut self, kind: &Kind) {
        if matches!(kind, Kind::Inline { .. }) {
            self.frames.pop();
        }
    }

    // Switch.

    pub(super) fn begin_switch(&mut self, old: &Old, block: Block, selector: Value, cases: &[Case], args: &[Value]) {
        let selector = self.value(selector);
        let args = self.values(args);
        if let Some(known) = selector.as_const() {
            let found = cases.iter().position(|c| c.values.contains(&known));
            let found = found.or_else(|| cases.iter().position(|c| c.is_default));
            self.push(Kind::Known { old: block });
            match found {
                Some(case) if self.is_closed(old, block) => self.at = At::begin(cases[case].block),
                None => {
                    let known = self.stack.len() - 1;
                    self.go_on(known, block, &args);
                }
                Some(case) => {
                    // Something inside leaves it: it becomes a labelled block.
                    self.stack.pop();
                    self.begin_labelled(block, cases[case].block);
                }
            }
            return;
        }
        let new_cases: Vec<Case> = cases
            .iter()
            .map(|c| Case { values: c.values.clone(), is_default: c.is_default, block: self.b.new_block() })
            .collect();
        let state = SwitchState {
            old: block,
            selector,
            old_cases: cases.iter().map(|c| c.block).collect(),
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

    /// Whether all that leaves an old switch does so from the end of a case's own chain.
    fn is_closed(&self, old: &Old, owner: Block) -> bool {
        planish_ir::walk::blocks(&old.body).all(|b| match old.body.blocks[b].exit {
            Exit::Break(label, _) => label != owner || old.tree.place(b).and_then(|p| p.owner) == Some(owner),
            _ => true,
        })
    }

    /// Begins a case; `fallen` is what the case before knew at its end, if it falls through.
    fn enter_case(&mut self, at: usize, fallen: Option<super::state::Delta>) {
        let top = self.stack.len() - 1;
        let Kind::Switch(state) = &mut self.stack[top].kind else { unreachable!("a switch is on top") };
        state.at = at;
        let (old_case, selector) = (state.old_cases[at], state.selector);
        let case = state.cases[at].clone();
        self.b.switch_to(case.block);
        self.begin_region();
        match fallen {
            // Whoever comes from above knows something else.
            Some(delta) => delta.iter().for_each(|&(key, value)| match (key, self.state.get(key)) {
                (Key::Slot(_), None) => {}
                (Key::Slot(_), now) => {
                    debug_assert_eq!(now, value, "what a case that falls through writes stays in memory")
                }
                _ => self.state.set(key, None),
            }),
            None => self.assume_case(selector, &case),
        }
        self.at = At::begin(old_case);
    }

    fn assume_case(&mut self, selector: Value, case: &Case) {
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
            // A switch that was known: the next case follows.
            Kind::Known { old } | Kind::Labelled { old, .. } => {
                let owner = *old;
                self.at = At::begin(self.next_case(owner));
            }
            _ => panic!("nothing to fall through"),
        }
    }

    /// The case after the one that is being interpreted in an old switch that was known.
    fn next_case(&self, owner: Block) -> Block {
        let old = self.old();
        let Exit::Switch { cases, .. } = &old.body.blocks[owner].exit else { panic!("only switches fall through") };
        let chain = |case: &Case| std::iter::successors(Some(case.block), |&b| old.body.blocks[b].exit.merge_block());
        let at = cases.iter().position(|c| chain(c).any(|b| b == self.at.block)).expect("a case is interpreted");
        cases[at + 1].block
    }

    fn end_case(&mut self) -> bool {
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

    fn close_switch(&mut self) -> bool {
        let types = self.target_inputs(self.stack.len() - 1);
        let construct = self.stack.pop().expect("a switch is on top");
        let Kind::Switch(state) = construct.kind else { unreachable!("a switch is on top") };
        let owner = construct.owner;
        let merge = self.b.new_block();
        let mut edges = construct.edges;
        if !state.has_default {
            // No case matches: straight from the owner.
            edges.push(Edge { block: owner, args: state.args, delta: Vec::new(), chain: 0, direct: false });
        }
        self.b.switch_to(merge);
        let joined = self.join(&Join { edges: &edges, inputs: &types, limit: construct.limit, select: None, merge });
        let mut feeds = joined.feeds;
        let mut args = Args::new();
        if !state.has_default {
            edges.pop();
            args = feeds.pop().expect("one for each edge");
        }
        let reachable = !edges.is_empty() || !state.has_default;
        self.end_edges(&edges, feeds, |_, feed| Exit::Break(owner, feed));
        self.b.exit_block(owner, Exit::Switch { selector: state.selector, cases: state.cases, args, merge });
        if !reachable {
            self.end_unreachable(merge);
            return false;
        }
        self.state.apply(&joined.delta);
        self.end_region(construct.region, construct.departures);
        let old = self.old();
        let old_merge = old.body.blocks[state.old].exit.merge_block().expect("a switch has a merge block");
        self.bind(old_merge, &joined.args);
        self.at = At::begin(old_merge);
        true
    }

    /// The boolean, if a value is a constant one.
    pub(super) fn known_bool(&self, value: Value) -> Option<bool> {
        match value.as_const()? {
            Const::TRUE => Some(true),
            Const::FALSE => Some(false),
            _ => None,
        }
    }
}
