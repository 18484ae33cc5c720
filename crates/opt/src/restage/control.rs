//! Exits of constructs and their continuations, labelled blocks, and the function itself.

use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Args, Exit, TrapKind};

use super::construct::{Construct, IfState, Kind};
use super::engine::{At, Engine};
use super::flat::{Cases, Choice};
use super::ifs::{if_types, row_values};
use super::join::{Edge, Join, input_types};
use super::state::Key;

impl Engine<'_, '_, '_> {
    // Leaving.

    /// The construct that the current chain belongs to: `If`s in whose second arm the rest of a chain is interpreted belong
    /// to the same chain.
    pub(super) fn chain_owner(&self) -> usize {
        let nested = |c: &Construct| matches!(&c.kind, Kind::If(state) if state.nested.is_some());
        self.stack.iter().rposition(|c| !nested(c)).expect("the function is on the stack")
    }

    /// As [`Engine::chain_owner`], without source constructs that are gone.
    pub(super) fn new_chain_owner(&self) -> usize {
        self.chain_owner_below(self.stack.len())
    }

    pub(super) fn chain_owner_below(&self, top: usize) -> usize {
        self.find(self.stack[top - 1].new).expect("the function is on the stack")
    }

    /// An edge from the current block to a construct.
    pub(super) fn edge(&mut self, to: usize, args: Args) -> Edge {
        let chain = self.new_chain_owner();
        let log = self.stack[to].log;
        // Nothing follows a return.
        let slots = !self.mode.carries_facts() || matches!(self.stack[to].kind, Kind::Root);
        let delta = if slots { self.state.changed_slots(log) } else { self.state.changes(log) };
        let predicate = self.mode.predicate(self, to);
        self.carried += (args.len() + delta.len()) as u64;
        let id = self.stack[to].id;
        self.edge_targets.push(id);
        self.stack[chain].chain_leaves.push(id);
        Edge { block: self.b.block(), args, delta, chain: self.stack[chain].id, direct: chain == to, predicate }
    }

    /// Notes that not all fragments go where the current chain continues.
    pub(super) fn note_departure(&mut self, edge: &Edge) {
        self.departures += u32::from(!edge.direct);
    }

    /// Ends the current block with an edge to the merge block of a construct.
    pub(super) fn leave(&mut self, to: usize, args: Args) {
        let edge = self.edge(to, args);
        self.note_departure(&edge);
        self.stack[to].edges.push(edge);
        self.end_chain();
    }

    /// The construct of the innermost function that corresponds to the one that ended the source block `label`.
    pub(super) fn target(&self, label: Block) -> usize {
        self.find(self.frame().left[label]).unwrap_or_else(|| panic!("{label} is left, but not around"))
    }

    pub(super) fn break_to(&mut self, label: Block, args: &[Value]) {
        let values = self.values(args);
        let to = self.target(label);
        if let Kind::Resolved { source } = self.stack[to].kind {
            self.go_on(to, source, &values);
            return;
        }
        let values = self.with_escapes(to, values);
        self.leave(to, values);
    }

    /// The arguments for the merge block of an unrolled loop: also the values its condition computed in this iteration, if used
    /// after the loop.
    pub(super) fn with_escapes(&self, to: usize, mut values: Args) -> Args {
        let Kind::Unrolled(state) = &self.stack[to].kind else { return values };
        let frame = &self.frames[self.stack[to].frames - 1];
        // A local without a value is an address of promoted memory.
        values.extend(frame.source.escapes(state.source).iter().filter_map(|&l| frame.values[l]));
        values
    }

    pub(super) fn continue_to(&mut self, label: Block, args: &[Value]) {
        let values = self.values(args);
        let to = self.find(self.frame().rounds[label]).unwrap_or_else(|| self.target(label));
        match self.stack[to].kind {
            // From the continue block of an unrolled loop: the next iteration.
            Kind::Unrolled(_) => self.next_iteration(to, &values),
            _ => {
                let edge = self.edge(to, values);
                self.note_departure(&edge);
                self.chain_edges_mut(to).push(edge);
                self.end_chain();
            }
        }
    }

    /// `Merge` of an arm or a labelled body.
    pub(super) fn merge(&mut self, args: &[Value]) {
        let values = self.values(args);
        let to = self.chain_owner();
        match &self.stack[to].kind {
            Kind::Resolved { source } => {
                let source = *source;
                if self.ends_row(to, source) {
                    self.stack.remove(to);
                    let to = self.chain_owner();
                    let Kind::If(state) = &self.stack[to].kind else { unreachable!("a row begins with an if") };
                    let between = row_values(&self.frame().source, state.source, state.end);
                    let known = between.into_iter().map(|l| self.frame().values[l].expect("the row was interpreted"));
                    let values = values.into_iter().chain(known).collect();
                    self.leave(to, values);
                } else {
                    self.go_on(to, source, &values);
                }
            }
            // The next `If` on the same condition belongs to this arm.
            Kind::If(state) if state.end != state.source => {
                let source = self.source();
                let merge = source.body.blocks[state.source].exit.merge_block().expect("an if has a merge block");
                self.bind(merge, &values);
                self.at = At::begin(merge);
            }
            _ => self.leave(to, values),
        }
    }

    /// Continues after a source construct that is gone. Constructs nested in it since belong to the chain around it.
    pub(super) fn go_on(&mut self, known: usize, source_owner: Block, values: &[Value]) {
        // All other exits inside it are final.
        let nested = |c: &Construct| matches!(&c.kind, Kind::If(state) if state.nested.is_some());
        debug_assert!(self.stack[known + 1..].iter().all(nested), "a known construct is left from its own chain");
        self.stack.remove(known);
        let source = self.source();
        let merge = source.body.blocks[source_owner].exit.merge_block().expect("only constructs are known");
        self.bind(merge, values);
        self.at = At::begin(merge);
    }

    /// The current chain has ended: continues with the construct on top of the stack.
    pub(super) fn end_chain(&mut self) {
        loop {
            let top = self.stack.last().expect("the function is on the stack");
            let ended = match &top.kind {
                // It was left for good.
                Kind::Resolved { .. } => {
                    self.stack.pop();
                    false
                }
                Kind::Choice(_) => self.end_choice(),
                Kind::Cases(_) => self.end_flat_case(),
                Kind::If(_) => self.end_arm(),
                Kind::Labelled { .. } | Kind::Inline { .. } | Kind::Iteration { .. } | Kind::Unrolled(_) => {
                    self.mode.close_labelled(self)
                }
                Kind::Switch(_) => self.end_case(),
                Kind::Loop(_) => self.end_loop_part(),
                Kind::Root => {
                    self.mode.close_root(self);
                    true
                }
            };
            if ended {
                return;
            }
        }
    }

    // The function.

    pub(super) fn close_root(&mut self) {
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
    pub(super) fn write_outputs(&mut self, edge: &Edge) {
        for i in 0..self.outputs.len() {
            let var = self.outputs[i];
            let shape = self.slots.shape_of(var);
            for (slot, pointer) in self.slots.pointers(&mut self.b, shape, var.into()) {
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

    /// The edges that end the chain which a construct interprets now.
    pub(super) fn chain_edges_mut(&mut self, construct: usize) -> &mut Vec<Edge> {
        let construct = &mut self.stack[construct];
        match &mut construct.kind {
            Kind::Loop(state) => state.chain_edges_mut(),
            _ => &mut construct.edges,
        }
    }

    /// As [`Engine::chain_edges_mut`], to look at.
    pub(super) fn chain_edges(&self, construct: usize) -> &[Edge] {
        let construct = &self.stack[construct];
        match &construct.kind {
            Kind::Loop(state) => state.chain_edges(),
            _ => &construct.edges,
        }
    }

    /// Types of the arguments of the edges that end the chain which a construct interprets now.
    pub(super) fn target_inputs(
        &self,
        construct: usize,
    ) -> Vec<(planish_ir::entity::Type, planish_ir::decoration::Precision)> {
        let source = &self.frames[self.stack[construct].frames - 1].source.body;
        let merge = |block: Block| source.blocks[block].exit.merge_block().expect("constructs have merge blocks");
        match &self.stack[construct].kind {
            Kind::Root => self.result_types(self.frames[0].func),
            Kind::Inline { .. } => self.result_types(self.frames[self.stack[construct].frames].func),
            Kind::If(state) => if_types(&self.frames[self.stack[construct].frames - 1].source, state),
            Kind::Resolved { source: block } | Kind::Labelled { source: block, .. } => {
                input_types(source, merge(*block))
            }
            Kind::Choice(Choice { source: block, .. }) | Kind::Cases(Cases { source: block, .. }) => {
                input_types(source, merge(*block))
            }
            Kind::Switch(state) => input_types(source, merge(state.source)),
            Kind::Unrolled(state) => {
                let frame = &self.frames[self.stack[construct].frames - 1];
                let escapes = frame.source.escapes(state.source).iter().filter(|&&l| frame.values[l].is_some());
                let mut types = input_types(source, merge(state.source));
                types.extend(escapes.map(|&l| (source.local(l).ty, source.local(l).precision)));
                types
            }
            Kind::Iteration { source: block, .. } => input_types(source, super::loops::continue_target(source, *block)),
            Kind::Loop(state) => input_types(source, state.chain_target(source)),
        }
    }

    pub(super) fn result_types(
        &self,
        func: planish_ir::entity::Func,
    ) -> Vec<(planish_ir::entity::Type, planish_ir::decoration::Precision)> {
        self.b.module.funcs[func].results.iter().map(|r| (r.ty, r.precision)).collect()
    }

    // Labelled.

    pub(super) fn begin_labelled(&mut self, block: Block, source_body: Block) {
        let body = self.mode.body_block(self);
        self.push(Kind::Labelled { source: block, body });
        self.b.switch_to(body);
        self.at = At::begin(source_body);
    }

    /// A labelled block, or a construct used as one, has ended. Returns whether the interpretation continues.
    pub(super) fn close_structured_labelled(&mut self) -> bool {
        let top = self.stack.len() - 1;
        let types = self.target_inputs(top);
        let construct = self.stack.pop().expect("a construct is on top");
        if let Kind::Unrolled(state) = &construct.kind {
            self.frame_mut().path = state.path;
        }
        let body = match &construct.kind {
            Kind::Labelled { body, .. } | Kind::Inline { body, .. } | Kind::Iteration { body, .. } => *body,
            Kind::Unrolled(state) => state.body,
            _ => unreachable!("it can be left"),
        };
        self.state.revert(construct.log);
        let args = match &construct.edges[..] {
            [] => {
                self.b.exit_block(construct.owner, Exit::NextBlock { merge: body });
                self.leave_frame(&construct.kind);
                self.rechain(construct);
                return false;
            }
            [only] if only.direct => {
                self.b.exit_block(construct.owner, Exit::NextBlock { merge: body });
                self.hand_on_loose_arms(&construct);
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
                self.end_edges(edges, joined.passed, |edge, passed_args| {
                    if edge.direct { Exit::Merge(passed_args) } else { Exit::Break(owner, passed_args) }
                });
                self.b.exit_block(owner, Exit::Labelled { body, merge });
                self.state.apply(&joined.delta);
                self.begin_epoch();
                joined.args
            }
        };
        self.go_on_behind(construct.kind, &args);
        true
    }

    /// A construct is gone, and its chain belongs to the construct around: the rest of that one's chain could follow an arm that
    /// leaves to its end.
    fn hand_on_loose_arms(&mut self, gone: &Construct) {
        let owner = self.new_chain_owner();
        for &(to, block) in &gone.loose_arms {
            if self.stack[owner].id == to && self.chain_edges(owner).iter().any(|edge| edge.block == block) {
                self.leftovers.push(block);
            }
        }
        self.stack[owner].loose_arms.extend_from_slice(&gone.loose_arms);
    }

    /// A construct is gone, and what ended its chain ends that of the construct around.
    pub(super) fn rechain(&mut self, gone: Construct) {
        self.hand_on_loose_arms(&gone);
        let owner = self.new_chain_owner();
        let chain = self.stack[owner].id;
        for id in gone.chain_leaves {
            let Some(to) = self.find(id) else { continue };
            let construct = &mut self.stack[to];
            let ways = match &mut construct.kind {
                Kind::Loop(state) => state.chain_edges_mut().last_mut(),
                _ => None,
            };
            let mut found = false;
            for way in construct.edges.last_mut().into_iter().chain(ways).filter(|way| way.chain == gone.id) {
                way.chain = chain;
                way.direct = owner == to;
                found = true;
            }
            if found {
                self.stack[owner].chain_leaves.push(id);
            }
        }
    }

    /// Goes on only where a condition is true; else leaves to a construct, whose chain this is.
    pub(super) fn leave_unless(&mut self, to: usize, condition: Value, args: Args) {
        let arms = [self.b.new_block(), self.b.new_block()];
        let Kind::Unrolled(unrolled) = &self.stack[to].kind else { unreachable!("only conditions of loops do") };
        let (source, end) = (unrolled.source, unrolled.source);
        let state = IfState { source, end, condition, arms, first: 1, second: true, nested: Some(arms[1]) };
        self.push(Kind::If(state));
        let log = self.state.mark();
        self.departures += 1;
        self.begin_epoch();
        self.b.switch_to(arms[1]);
        self.assume(condition, false);
        let edge = self.edge(to, args);
        self.stack[to].edges.push(edge);
        self.state.revert(log);
        self.b.switch_to(arms[0]);
        self.assume(condition, true);
    }

    /// A construct that can be left has ended: where to go on.
    pub(super) fn go_on_behind(&mut self, kind: Kind, args: &[Value]) {
        match kind {
            Kind::Labelled { .. } | Kind::Unrolled(_) => {
                let block = match kind {
                    Kind::Labelled { source, .. } => source,
                    Kind::Unrolled(state) => state.source,
                    _ => unreachable!("one of the two"),
                };
                let source = self.source();
                let count =
                    source.body.blocks[block].exit.merge_block().map_or(0, |m| source.body.blocks[m].inputs.len());
                let (args, escaped) = args.split_at(count);
                let escapes: Vec<_> =
                    source.escapes(block).iter().copied().filter(|&l| self.frame().values[l].is_some()).collect();
                for (local, &value) in escapes.into_iter().zip(escaped) {
                    self.frame_mut().values[local] = Some(value);
                }
                let merge = source.body.blocks[block].exit.merge_block().expect("constructs have merge blocks");
                self.bind(merge, args);
                self.at = At::begin(merge);
            }
            Kind::Inline { node, resume, .. } => {
                self.forget_variables();
                self.frames.pop();
                let source = self.source();
                self.bind_results(&source, node, args);
                self.at = resume;
            }
            Kind::Iteration { source: block, .. } => self.end_iteration(block, args),
            _ => unreachable!("it can be left"),
        }
    }

    /// The variables of the function that is left are out of scope.
    fn forget_variables(&mut self) {
        let source = self.source();
        for &var in &source.variables {
            self.slots.forget(&mut self.state, var);
        }
    }

    pub(super) fn leave_frame(&mut self, kind: &Kind) {
        if matches!(kind, Kind::Inline { .. }) {
            self.frames.pop();
        }
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
