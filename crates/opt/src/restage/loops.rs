//! Loops: rewritten under the assumption that nothing changes in them, and again with what was found to change, until the
//! assumption holds. An inner loop begins with what it was found to change the last time, and one that was found not to repeat is
//! written as what it is, code that runs once, until a back edge is met.
//!
//! Each time that a loop is rewritten, so is all in it, and a nest would cost its depth for each level. So only the
//! [`MOST_TRIED`] outermost loops of a nest are rewritten like that, each of them [`MOST_TIMES`] times before it is taken to change
//! all that is stored to in it. Of the inner loops, this is assumed from the start: they are written once and stay loops, also
//! where none of them repeats; the next rewrite sees that in the tree. So whatever the program, each of its blocks is
//! interpreted a bounded number of times.

use planish_ir::entity::{Block, Type, Value};
use planish_ir::function::{Args, Body, Exit, Mark};

use super::construct::{Kind, forget_edges_from};
use super::engine::{At, Engine, Noted};
use super::join::{Edge, Join, input_types};
use super::share::Finished;
use super::source::{Root, Source};
use super::state::Key;

/// Maximum depth of nested loops that are interpreted again after changes are found in them.
const MOST_TRIED: u32 = 6;

/// Times that a loop is interpreted again for something more that changes in it.
const MOST_TIMES: u32 = 6;

/// The loop-carried values and memory of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Varying {
    /// Inputs of the source header.
    inputs: Vec<bool>,
    /// Parts of the state, sorted.
    keys: Vec<Key>,
    /// Whether all memory may change that is not in values.
    memory: bool,
}

/// Findings about a loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Finding {
    varying: Varying,
    /// Number of times that more was found to be loop-carried.
    times: u32,
    /// Whether it repeats, as far as that has been found: once it did where it was thought not to, it is a loop for good.
    repeats: Option<bool>,
}

/// The state at the entry of a loop, to interpret it again.
pub(super) struct Start {
    mark: Mark,
    noted: Noted,
    entry: Args,
}

/// Which part of a loop is being interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part {
    Condition,
    Body,
    Next,
}

/// A loop that is being interpreted.
pub(super) struct LoopState {
    pub(super) source: Block,
    is_do: bool,
    /// Whether it is interpreted again after changes are found in it.
    pub(super) is_tried: bool,
    mark: Mark,
    noted: Noted,
    /// The initial values of the source header's inputs.
    entry: Args,
    varying: Varying,
    /// New inputs of the header for the loop-carried values: inputs, then keys.
    carried: Args,
    header: Block,
    /// Blocks of the new loop; a `do` loop's condition is not its header.
    body: Block,
    next: Option<Block>,
    condition: Option<Block>,
    part: Part,
    /// Ways that end the body.
    continues: Vec<Edge>,
    /// Ways back to the header.
    backs: Vec<Edge>,
    /// The end of the condition.
    end: Option<ConditionEnd>,
    /// Local values made before the body.
    body_limit: u32,
}

/// The end of a loop's condition.
struct ConditionEnd {
    block: Block,
    condition: Value,
    /// Whether the loop is left when it is false; not if it is always true.
    leaves: bool,
    /// The back edge of a `do` loop to its body; `None` if the condition is always false.
    back: Option<Edge>,
}

/// The source block that `Continue` from the body of a loop goes to.
pub(super) fn continue_target(source: &Body, owner: Block) -> Block {
    match source.blocks[owner].exit {
        Exit::Loop { condition, next, .. } => next.unwrap_or(condition),
        Exit::DoLoop { condition, .. } => condition,
        _ => panic!("only loops go on"),
    }
}

/// The source block whose inputs are loop-carried.
pub(super) fn header_of(source: &Body, owner: Block) -> Block {
    match source.blocks[owner].exit {
        Exit::Loop { condition, .. } => condition,
        Exit::DoLoop { body, .. } => body,
        _ => panic!("only loops have headers"),
    }
}

impl LoopState {
    /// The edges that end the chain which is interpreted now.
    pub(super) fn chain_edges(&self) -> &Vec<Edge> {
        if self.part == Part::Next { &self.backs } else { &self.continues }
    }

    pub(super) fn chain_edges_mut(&mut self) -> &mut Vec<Edge> {
        if self.part == Part::Next { &mut self.backs } else { &mut self.continues }
    }

    /// Forgets edges from blocks that are no more.
    pub(super) fn forget_edges_from(&mut self, blocks: usize) {
        forget_edges_from(&mut self.continues, blocks);
        forget_edges_from(&mut self.backs, blocks);
    }

    /// The source block they go to.
    pub(super) fn chain_target(&self, source: &Body) -> Block {
        if self.part == Part::Next { header_of(source, self.source) } else { continue_target(source, self.source) }
    }
}

impl Engine<'_, '_, '_> {
    pub(super) fn begin_loop(&mut self, source: &Source, block: Block, args: &[Value]) {
        let entry = self.values(args);
        self.mode.begin_loop(self, source, block, entry);
    }

    /// Begins a loop that is not written out whatever its number of iterations.
    pub(super) fn begin_structured_loop(&mut self, source: &Source, block: Block, entry: Args) {
        if !source.leads_back[block] {
            self.context.count("LoopsThatDoNotRepeat", 1);
            return self.begin_once(block, &entry, None);
        }
        if self.begins_unrolling(source, block, &entry) {
            return;
        }
        self.enter_loop(source, block, entry);
    }

    fn enter_loop(&mut self, source: &Source, block: Block, entry: Args) {
        let is_tried = self.stack.last().is_none_or(|around| around.tried < MOST_TRIED);
        let found = self.findings.get(&(self.frame().path, block)).filter(|_| is_tried);
        let (mark, noted) = (self.b.mark(), self.noted());
        if found.is_some_and(|found| found.repeats == Some(false)) {
            self.begin_once(block, &entry.clone(), Some(Start { mark, noted, entry }));
            return;
        }
        let mut varying = match found {
            Some(found) => found.varying.clone(),
            None if is_tried => Varying::default(),
            None => self.may_vary(source, block),
        };
        // Of one that was only found not to repeat, nothing else is known.
        varying.inputs.resize(entry.len(), false);
        let state = LoopState {
            source: block,
            is_do: matches!(source.body.blocks[block].exit, Exit::DoLoop { .. }),
            is_tried,
            mark,
            noted,
            entry,
            varying,
            carried: Args::new(),
            header: block,
            body: block,
            next: None,
            condition: None,
            part: Part::Condition,
            continues: Vec::new(),
            backs: Vec::new(),
            end: None,
            body_limit: 0,
        };
        self.push(Kind::Loop(Box::new(state)));
        self.interpret_loop();
    }

    fn loop_state(&mut self) -> &mut LoopState {
        match &mut self.stack.last_mut().expect("a loop is on the stack").kind {
            Kind::Loop(state) => state,
            _ => panic!("a loop is on top"),
        }
    }

    /// Begins the header under the present assumption.
    fn interpret_loop(&mut self) {
        self.context.count("LoopsInterpreted", 1);
        let source = self.source();
        let header = self.b.new_block();
        let top = self.stack.last_mut().expect("a loop is on the stack");
        top.edges.clear();
        let Kind::Loop(state) = &mut top.kind else { panic!("a loop is on top") };
        state.header = header;
        state.continues.clear();
        state.backs.clear();
        state.end = None;
        let (owner, is_do, entry, varying) = (state.source, state.is_do, state.entry.clone(), state.varying.clone());
        let source_header = header_of(&source.body, owner);
        let types = input_types(&source.body, source_header);
        self.b.switch_to(header);
        self.begin_epoch();
        let mut carried = Args::new();
        let mut values = entry;
        for (i, &(ty, precision)) in types.iter().enumerate() {
            if varying.inputs[i] {
                values[i] = self.b.add_input(header, ty, precision);
                carried.push(values[i]);
            }
        }
        for &key in &varying.keys {
            let value = match key {
                Key::Slot(slot) => {
                    let leaf = self.slots.leaf(slot);
                    let precision = self.input_precision(leaf.ty, leaf.precision);
                    let input = self.b.add_input(header, leaf.ty, precision);
                    if let Some(var) = leaf.var {
                        self.b.stands_for(input, var);
                    }
                    carried.push(input);
                    Some(input)
                }
                Key::Memory(_) | Key::Fact(_) | Key::Made(_) | Key::Bytes(_) | Key::End(_) => None,
            };
            self.state.set(key, value);
        }
        if varying.memory {
            self.forget_all();
        }
        self.bind(source_header, &values);
        let limit = self.b.body().local_count() as u32;
        let state = self.loop_state();
        state.carried = carried;
        state.body = header;
        state.body_limit = limit;
        state.part = if is_do { Part::Body } else { Part::Condition };
        self.at = At::begin(source_header);
    }

    /// The end of a loop's condition.
    pub(super) fn loop_if(&mut self, condition: Value, body_args: &[Value], merge_args: &[Value]) {
        let condition = self.condition(condition);
        let body_values = self.values(body_args);
        let merge_values = self.values(merge_args);
        let to = self.new_chain_owner();
        if matches!(self.stack[to].kind, Kind::Unrolled(_)) {
            self.unrolled_condition(to, condition, &body_values, merge_values);
            return;
        }
        let known = self.known_bool(condition);
        let block = self.b.block();
        let exit = (known != Some(true)).then(|| self.edge(to, merge_values));
        let back = (known != Some(false)).then(|| self.edge(to, body_values.clone()));
        let leaves = exit.is_some();
        self.stack[to].edges.extend(exit);
        let is_do = self.loop_state().is_do;
        let end = ConditionEnd { block, condition, leaves, back: back.filter(|_| is_do) };
        let limit = self.b.body().local_count() as u32;
        let state = self.loop_state();
        state.end = Some(end);
        if is_do || known == Some(false) {
            self.end_loop();
            return;
        }
        state.part = Part::Body;
        state.body_limit = limit;
        let owner = state.source;
        let body = self.b.new_block();
        self.loop_state().body = body;
        self.b.switch_to(body);
        self.begin_epoch();
        self.assume(condition, true);
        let source = self.source();
        let Exit::Loop { body: source_body, .. } = source.body.blocks[owner].exit else { unreachable!("it is a loop") };
        self.bind(source_body, &body_values);
        self.at = At::begin(source_body);
    }

    /// The chain of a loop's part has ended. Returns whether the interpretation continues.
    pub(super) fn end_loop_part(&mut self) -> bool {
        match self.loop_state().part {
            // The condition left for good: there is no loop.
            Part::Condition => {
                self.end_loop();
                true
            }
            Part::Body => {
                let state = self.loop_state();
                let goes_on = !state.continues.is_empty();
                if !goes_on {
                    self.end_loop();
                    return true;
                }
                let owner = state.source;
                let source = self.source();
                match source.body.blocks[owner].exit {
                    Exit::Loop { next: Some(next), .. } if self.ends_alone() => self.append_next(next),
                    Exit::Loop { next: Some(next), .. } => self.enter_part(next, Part::Next),
                    Exit::DoLoop { condition, .. } => self.enter_part(condition, Part::Condition),
                    _ => {
                        let state = self.loop_state();
                        state.backs = std::mem::take(&mut state.continues);
                        self.end_loop();
                    }
                }
                true
            }
            Part::Next => {
                self.end_loop();
                true
            }
        }
    }

    /// Whether only the end of the body's own chain continues with the next iteration.
    fn ends_alone(&mut self) -> bool {
        let id = self.stack[self.stack.len() - 1].id;
        matches!(&self.loop_state().continues[..], [only] if only.chain == id)
    }

    /// The continue block goes to the end of the body.
    fn append_next(&mut self, source_block: Block) {
        let log = self.stack[self.stack.len() - 1].log;
        self.state.revert(log);
        let edge = self.loop_state().continues.pop().expect("there is one");
        self.b.switch_to(edge.block);
        self.state.apply(&edge.delta);
        self.bind(source_block, &edge.args);
        self.loop_state().part = Part::Next;
        self.at = At::begin(source_block);
    }

    /// Merges the edges that ended the body, in the block that comes next.
    fn enter_part(&mut self, source_block: Block, part: Part) {
        let source = self.source();
        let top = self.stack.len() - 1;
        let log = self.stack[top].log;
        let limit = self.stack[top].limit;
        let state = self.loop_state();
        let edges = std::mem::take(&mut state.continues);
        let (is_do, body_limit) = (state.is_do, state.body_limit);
        let block = self.b.new_block();
        // Deltas of edges are relative to the state before the loop; carried values included.
        self.state.revert(log);
        let types = input_types(&source.body, source_block);
        // Values of the condition of a `while` are visible in `next`; inputs of a `do` loop's header are not in its condition.
        let limit = if is_do { limit } else { body_limit };
        let joined = self.join(&Join { edges: &edges, inputs: &types, limit, select: None, merge: block });
        let owner = self.stack[top].owner;
        self.end_edges(&edges, joined.passed, |_, passed_args| Exit::Continue(owner, passed_args));
        self.b.switch_to(block);
        self.begin_epoch();
        self.state.apply(&joined.delta);
        self.bind(source_block, &joined.args);
        let state = self.loop_state();
        state.part = part;
        match part {
            Part::Next => state.next = Some(block),
            _ => state.condition = Some(block),
        }
        // Ways out of the parts that are done are in `edges`; those of this part come.
        self.at = At::begin(source_block);
    }

    /// All parts have been interpreted: repeats with the changes found, or ends.
    fn end_loop(&mut self) {
        let top = self.stack.len() - 1;
        let log = self.stack[top].log;
        self.state.revert(log);
        if self.finds_more_varying() {
            self.restart(|engine| engine.interpret_loop());
            return;
        }
        let repeats = match &self.stack[top].kind {
            Kind::Loop(state) => !state.backs.is_empty() || state.end.as_ref().is_some_and(|end| end.back.is_some()),
            _ => unreachable!("a loop is on top"),
        };
        if repeats {
            self.close_loop();
            return;
        }
        let (path, state) = (self.frame().path, self.loop_state());
        let (is_tried, block) = (state.is_tried, state.source);
        let found = self.findings.entry((path, block)).or_default();
        if !is_tried || found.repeats == Some(true) {
            // The next rewrite finds no back edge in it.
            self.leftovers.push(self.b.block());
            self.close_loop();
            return;
        }
        found.repeats = Some(false);
        self.context.count("LoopsThatDoNotRepeat", 1);
        self.restart(|engine| {
            let construct = engine.stack.pop().expect("a loop is on top");
            let Kind::Loop(state) = construct.kind else { unreachable!("a loop is on top") };
            let start = Start { mark: state.mark, noted: state.noted, entry: state.entry.clone() };
            engine.begin_once(block, &state.entry, Some(start));
        });
    }

    /// Goes back to where the loop was entered.
    fn restart(&mut self, again: impl FnOnce(&mut Self)) {
        let state = self.loop_state();
        let (mark, noted) = (state.mark, state.noted);
        self.go_back(mark, noted);
        again(self);
    }

    /// Goes back to where the construct on top was entered.
    fn go_back(&mut self, mark: Mark, noted: Noted) {
        let top = self.stack.last().expect("a loop is on top");
        let (owner, log, frames, ways) = (top.owner, top.log, top.frames, top.ways);
        (self.epoch, self.departures) = (top.epoch, top.departures);
        self.frames.truncate(frames);
        self.roll_back(owner, mark, log, noted);
        // Edges from the discarded body to constructs around are dropped.
        let blocks = self.b.body().blocks.len();
        while self.edge_targets.len() > ways {
            let to = self.edge_targets.pop().and_then(|id| self.find(id));
            to.into_iter().for_each(|to| self.stack[to].forget_edges_from(blocks));
        }
    }

    /// A loop that was assumed not to repeat has a back edge: it is interpreted as a loop.
    pub(super) fn repeat_after_all(&mut self, unrolled: usize, start: Start) {
        self.stack.truncate(unrolled + 1);
        self.go_back(start.mark, start.noted);
        let construct = self.stack.pop().expect("the loop is on top");
        let Kind::Unrolled(state) = construct.kind else { unreachable!("it is unrolled") };
        self.frame_mut().path = state.path;
        self.findings.entry((state.path, state.source)).or_default().repeats = Some(true);
        let source = self.source();
        self.enter_loop(&source, state.source, start.entry);
    }

    /// All keys that may change in a loop by its tree: the slots stored to in it, and the known memory.
    fn may_vary(&self, source: &Source, block: Block) -> Varying {
        let header = header_of(&source.body, block);
        let inputs = &source.body.blocks[header].inputs;
        let inputs = inputs.iter().map(|&input| !source.arguments().stays(input)).collect();
        let frame = self.frame();
        let mut keys: Vec<Key> = Vec::new();
        for &root in source.stored_in(block) {
            let place = match root {
                Root::Var(var) => self.place(var.into()),
                Root::Param(param) => {
                    let input = source.body.blocks[source.body.entry].inputs[param as usize];
                    frame.places[input].clone()
                }
            };
            let slots = place.map(|place| self.slots.slots_of(&place)).unwrap_or_default();
            keys.extend(slots.into_iter().map(Key::Slot).filter(|&key| self.state.get(key).is_some()));
        }
        keys.sort_unstable();
        keys.dedup();
        Varying { inputs, keys, memory: true }
    }

    /// Whether something that was assumed not to change does; it is then assumed to.
    fn finds_more_varying(&mut self) -> bool {
        let path = self.frame().path;
        let source = self.source();
        let state = &self.state;
        let Kind::Loop(this) = &mut self.stack.last_mut().expect("a loop is on top").kind else {
            unreachable!("a loop is on top")
        };
        let before = this.varying.clone();
        let ends = this.end.as_ref().and_then(|end| end.back.as_ref());
        for edge in this.backs.iter().chain(ends) {
            for (i, (&now, &first)) in edge.args.iter().zip(&this.entry).enumerate() {
                if now != first {
                    this.varying.inputs[i] = true;
                }
            }
            for &(key, value) in &edge.delta {
                let first = state.get(key);
                // Values unknown at first need not be kept, and those out of scope are gone.
                // Facts about values that are older than the loop stay.
                let counts = match key {
                    Key::Slot(_) => true,
                    // Memories never shrink.
                    Key::End(_) => false,
                    _ => !this.varying.memory,
                };
                let changes = counts && first.is_some() && value != first;
                if changes && before.keys.binary_search(&key).is_err() {
                    this.varying.keys.push(key);
                }
            }
        }
        this.varying.keys.sort_unstable();
        this.varying.keys.dedup();
        if this.varying == before {
            return false;
        }
        let (block, mut varying) = (this.source, this.varying.clone());
        let found = self.findings.entry((path, block)).or_default();
        found.times += 1;
        if found.times >= MOST_TIMES {
            let more = self.may_vary(&source, block);
            varying.keys.extend(more.keys);
            varying.keys.sort_unstable();
            varying.keys.dedup();
            varying.inputs.iter_mut().zip(more.inputs).for_each(|(varies, may)| *varies |= may);
            varying.memory = true;
            self.loop_state().varying = varying.clone();
        }
        self.findings.entry((path, block)).or_default().varying = varying;
        true
    }

    /// The arguments that a back edge passes to the header.
    fn carried_by(&self, state: &LoopState, edge: &Edge) -> Args {
        let inputs = edge.args.iter().zip(&state.varying.inputs).filter(|p| *p.1).map(|p| *p.0);
        let keys = state.varying.keys.iter().filter(|k| matches!(k, Key::Slot(_))).map(|key| {
            let now = match edge.delta.binary_search_by_key(key, |d| d.0) {
                Ok(at) => edge.delta[at].1,
                Err(_) => self.state.get(*key),
            };
            now.expect("a slot that varies is in scope")
        });
        inputs.chain(keys).collect()
    }

    /// Blocks for the parts of a loop that nothing leads to.
    fn add_parts(&mut self) {
        let state = self.loop_state();
        let (is_do, condition, ended) = (state.is_do, state.condition, state.end.is_some());
        if is_do && condition.is_some() || !is_do && ended && state.body != state.header {
            return;
        }
        let part = self.b.new_block();
        self.end_unreachable(part);
        let state = self.loop_state();
        if is_do {
            state.condition = Some(part);
        } else {
            state.body = part;
        }
    }

    /// Writes the exits of the new loop, and continues after it.
    fn close_loop(&mut self) {
        self.add_parts();
        let types = {
            let source = self.source();
            let owner = self.loop_state().source;
            input_types(&source.body, source.body.blocks[owner].exit.merge_block().expect("a loop has a merge block"))
        };
        let construct = self.stack.pop().expect("a loop is on top");
        let Kind::Loop(state) = construct.kind else { unreachable!("a loop is on top") };
        let owner = construct.owner;
        let first = Edge {
            block: owner,
            args: state.entry.clone(),
            delta: Vec::new(),
            chain: 0,
            direct: false,
            predicate: None,
        };
        let args = self.carried_by(&state, &first);
        for edge in &state.backs {
            let passed_args = self.carried_by(&state, edge);
            self.b.exit_block(edge.block, Exit::Continue(owner, passed_args));
        }
        let end = state.end.as_ref();
        let merge = self.b.new_block();
        self.b.switch_to(merge);
        // Values of the condition of a `while` are visible after the loop.
        let hands_on = end.is_none_or(|end| !end.leaves) && self.context.options.costs(self.b.module).closes_loops;
        let limit = if state.is_do || hands_on { construct.limit } else { state.body_limit };
        let edges = &construct.edges;
        let joined = self.join(&Join { edges, inputs: &types, limit, select: None, merge });
        let mut merge_args = None;
        let (joined_args, joined_delta, mut passed) = (joined.args, joined.delta, joined.passed);
        for (edge, passed_args) in edges.iter().zip(passed.drain(..)) {
            if end.is_some_and(|end| edge.block == end.block && end.leaves) && merge_args.is_none() {
                merge_args = Some(passed_args);
            } else {
                self.b.exit_block(edge.block, Exit::Break(owner, passed_args));
            }
        }
        if let Some(end) = end {
            let merge_args = merge_args.unwrap_or_else(|| self.nothing_for(merge));
            let body_args = end
                .back
                .as_ref()
                .map(|edge| self.carried_by(&state, edge))
                .unwrap_or_else(|| if state.is_do { self.nothing_for(state.header) } else { Args::new() });
            self.b.exit_block(end.block, Exit::LoopIf { condition: end.condition, body_args, merge_args });
        }
        let chains: Vec<Block> = match (state.is_do, state.condition) {
            (true, Some(condition)) => vec![state.header, condition],
            _ => [Some(state.header), Some(state.body), state.next].into_iter().flatten().collect(),
        };
        let (limit, log) = (construct.limit, construct.log);
        let (this_args, this_delta) = (&joined_args[..], &joined_delta);
        let source_owner = state.source;
        let finished = Finished {
            source: source_owner,
            owner,
            chains: &chains,
            merge,
            entry: &args,
            args: this_args,
            delta: this_delta,
            limit,
        };
        let found = if edges.is_empty() { None } else { self.find_equal(&finished) };
        if let Some(shared) = found {
            self.context.count("LoopsShared", 1);
            self.roll_back(owner, state.mark, log, state.noted);
            self.state.apply(&shared.delta);
            self.end_epoch(construct.epoch, construct.departures);
            for (local, value) in shared.escaped {
                self.frame_mut().values[local] = Some(value);
            }
            let source = self.source();
            let source_merge = source.body.blocks[state.source].exit.merge_block().expect("a loop has a merge block");
            self.bind(source_merge, &shared.args);
            self.at = At::begin(source_merge);
            return;
        }
        let exit = if state.is_do {
            let condition = state.condition.expect("a loop that repeats has a condition");
            Exit::DoLoop { args, body: state.header, condition, merge }
        } else {
            Exit::Loop { args, condition: state.header, body: state.body, next: state.next, merge }
        };
        self.b.exit_block(owner, exit);
        if edges.is_empty() {
            self.end_unreachable(merge);
            self.end_chain();
            return;
        }
        self.state.apply(&joined_delta);
        self.end_epoch(construct.epoch, construct.departures);
        let source = self.source();
        let source_merge = source.body.blocks[state.source].exit.merge_block().expect("a loop has a merge block");
        self.bind(source_merge, &joined_args);
        self.at = At::begin(source_merge);
    }

    /// Values for inputs that are never passed.
    fn nothing_for(&mut self, block: Block) -> Args {
        let inputs = self.b.body().blocks[block].inputs.clone();
        inputs
            .into_iter()
            .map(|input| {
                let ty: Type = self.b.body().local_type(input);
                let module = &mut *self.b.module;
                module.consts.zero(&mut module.types, ty).map_or(input.into(), Value::from)
            })
            .collect()
    }
}
