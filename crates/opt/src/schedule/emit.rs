//! Writes the placed function.

use planish_ir::arena::SideTable;
use planish_ir::builder::Builder;
use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::{Args, Body, Exit};
use planish_ir::ops::{Op, Width};
use planish_ir::tree::Tree;
use planish_ir::walk::{Event, events};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::place::Placement;
use super::tree::Spot;
use crate::analysis::needs::Needs;
use crate::context::Context;
use crate::restage::exits::{CopyExit, copy_exit};

/// Number of 128-bit parts of the largest store that is computed before it is written: 8 lanes of 64 bits.
const PARTS: usize = 4;

/// Writes every block that is needed.
pub(super) fn emit(
    old: &Body,
    needs: &Needs,
    placement: Placement,
    builder: &mut Builder<'_, '_>,
    context: &mut Context,
) {
    let mut emitter = Emitter {
        old,
        needs,
        values: SideTable::with_capacity(old.local_count()),
        begun: SideTable::new(),
        ended: SideTable::new(),
        ready: SideTable::with_capacity(old.node_count()),
        in_progress: vec![false; placement.groups.len()],
        placement,
        at_once: context.options.costs(builder.module).reads_at_once.then(SideTable::new),
        branches: 0,
    };
    emitter.body(builder);
    context.count("SelectsToBranches", emitter.branches);
}

struct Emitter<'a> {
    old: &'a Body,
    needs: &'a Needs,
    placement: Placement,
    values: SideTable<Local, Option<Value>>,
    /// For each old block: where its new one begins.
    begun: SideTable<Block, Option<Block>>,
    /// For each old block: the new one that ends with its exit.
    ended: SideTable<Block, Option<Block>>,
    /// Nodes that are made, or made of nothing that a block lists further down.
    ready: SideTable<Node, bool>,
    /// Groups whose `If` is being made ready.
    in_progress: Vec<bool>,
    /// If users of listed nodes follow them at once: the nodes for which that is so.
    at_once: Option<SideTable<Node, bool>>,
    branches: u64,
}

/// Something that is to be made.
#[derive(Clone, Copy)]
enum Task {
    Node(Node),
    /// A node as it is, even if it is a select whose group becomes an `If`.
    Plain(Node),
    /// A node whose operands are made.
    Ready(Node),
    Group(usize),
    /// A group, all that it needs is made.
    Branch(usize),
}

impl Emitter<'_> {
    fn body(&mut self, b: &mut Builder<'_, '_>) {
        let old = self.old;
        self.begun[old.entry] = Some(b.block());
        let inputs = &old.blocks[old.entry].inputs;
        for (i, &input) in inputs.iter().enumerate() {
            b.keep_origin(old, input, b.param(i));
            self.values[input] = Some(b.param(i));
        }
        for event in events(old, old.entry) {
            let Event::Enter { block, .. } = event else { continue };
            if let Some(spot) = self.placement.tree.of(block) {
                self.block(block, spot, b);
            }
        }
    }

    fn block(&mut self, block: Block, spot: Spot, b: &mut Builder<'_, '_>) {
        let old = self.old;
        let data = &old.blocks[block];
        b.switch_to(self.begun[block].expect("a block is begun before it is reached"));
        for &var in data.variables.iter().filter(|&&v| !self.needs.drops_variable(v)) {
            b.declare(var);
        }
        self.forget_copies(spot);
        let mut due = 0;
        for (i, &node) in data.nodes.iter().enumerate().filter(|&(_, &n)| !self.needs.drops(n)) {
            self.make_at_once(spot, &mut due, node, b);
            // All parts of a wide store are computed before the first is written, so that equal operations on them are next to each other.
            let needs = self.needs;
            let parts = data.nodes[i..].iter().take(PARTS).take_while(|&&n| is_store_of_lanes(old, n));
            for &part in parts.filter(|&&n| !needs.drops(n)) {
                self.make_operands(old.args(part), b);
            }
            if data.nodes.last() == Some(&node) && self.decides(node, &data.exit) {
                self.make_besides(spot, node, b);
            }
            self.make_operands(old.args(node), b);
            self.copy(node, b);
        }
        // Nodes that only blocks below need.
        for i in 0..self.placement.members[spot].len() {
            let node = self.placement.members[spot][i];
            self.make(Task::Node(node), b);
        }
        b.at(data.exit_span);
        let goes_on = matches!(data.exit, Exit::NextBlock { .. }) || self.needs.drops_construct(block);
        if goes_on {
            let merge = data.exit.merge_block().expect("only constructs are dropped");
            self.begun[merge] = Some(b.block());
            return;
        }
        self.ended[block] = Some(b.block());
        let exit = copy_exit(old, block, self, b);
        b.exit(exit);
    }

    /// Makes the nodes of a point that are older than a listed one, and depend on listed ones. Nodes that depend on other
    /// values are deferred until they are needed: the values are often overwritten with them.
    fn make_at_once(&mut self, spot: Spot, due: &mut usize, listed: Node, b: &mut Builder<'_, '_>) {
        while self.at_once.is_some()
            && let Some(&node) = self.placement.members[spot].get(*due).filter(|&&n| n < listed)
        {
            *due += 1;
            let Some(at_once) = &mut self.at_once else { return };
            let follows =
                |&a: &Value| self.old.node_of(a).is_some_and(|n| at_once[n] && self.placement.spots[n] == Some(spot));
            if self.placement.group_of[node] == 0 && self.old.args(node).iter().any(follows) {
                at_once[node] = true;
                self.make(Task::Node(node), b);
            }
        }
        if let Some(at_once) = &mut self.at_once {
            at_once[listed] = true;
        }
    }

    /// Whether the exit of a block depends on a node, or a comparison of it.
    fn decides(&self, node: Node, exit: &Exit) -> bool {
        let (Exit::If { condition: value, .. } | Exit::Switch { selector: value, .. }) = exit else { return false };
        let of = |value: Value| self.old.node_of(value);
        let test = of(*value);
        self.at_once.is_some()
            && (test == Some(node) || test.is_some_and(|test| self.old.args(test).iter().any(|&a| of(a) == Some(node))))
    }

    /// Makes the nodes of a point that have nothing to do with a listed one, so that they do not stand between it and what is
    /// decided on it: neither made of it nor of what it, or its operands, are made of.
    fn make_besides(&mut self, spot: Spot, listed: Node, b: &mut Builder<'_, '_>) {
        let old = self.old;
        let mut near: SmallVec<[Value; 8]> =
            old.args(listed).iter().copied().filter(|a| a.as_const().is_none()).collect();
        for i in 0..near.len() {
            let of_operand = old.node_of(near[i]).map_or(&[][..], |n| old.args(n));
            near.extend(of_operand.iter().copied().filter(|a| a.as_const().is_none()));
        }
        near.extend(old.result(listed).map(Value::from));
        for i in 0..self.placement.members[spot].len() {
            let node = self.placement.members[spot][i];
            let args = old.args(node);
            let made = |&a: &Value| old.node_of(a).is_none_or(|n| self.is_made(n));
            let besides = args.iter().all(|a| made(a) && !near.contains(a));
            if self.placement.group_of[node] == 0 && besides {
                self.make(Task::Node(node), b);
            }
        }
    }

    /// Forgets the copies of nodes, which each branch computes anew.
    fn forget_copies(&mut self, spot: Spot) {
        for &node in &self.placement.members[spot] {
            if self.placement.copied[node] {
                self.old.results(node).for_each(|r| self.values[r] = None);
            }
        }
    }

    fn copy(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let mut args: SmallVec<[Value; 8]> = SmallVec::new();
        for &arg in self.old.args(node) {
            args.push(self.made(arg));
        }
        // Older before newer, as a builder that shares nodes has them, so that another rewrite finds nothing to exchange.
        if self.old.node(node).op.info().commutative && args.len() == 2 && args[0] > args[1] {
            args.swap(0, 1);
        }
        b.at(self.old.node(node).span);
        let results = b.make_again(self.old, node, &args);
        for (local, value) in self.old.results(node).zip(results) {
            b.keep_origin(self.old, local, value);
            self.values[local] = Some(value);
        }
    }

    fn made(&self, value: Value) -> Value {
        match value.as_local() {
            None => value,
            Some(local) => self.values[local].unwrap_or_else(|| panic!("{local} is used before it is made")),
        }
    }

    fn is_made(&self, node: Node) -> bool {
        self.old.result(node).is_none_or(|r| self.values[r].is_some())
    }

    fn make_operands(&mut self, values: &[Value], b: &mut Builder<'_, '_>) {
        for &value in values {
            if let Some(node) = self.old.node_of(value) {
                self.make(Task::Node(node), b);
            }
        }
    }

    /// Makes a node of this point, and before it its operands, without recursion but for the branches of groups.
    fn make(&mut self, root: Task, b: &mut Builder<'_, '_>) {
        let mut stack: Vec<Task> = vec![root];
        while let Some(&task) = stack.last() {
            match task {
                Task::Node(node) if self.is_made(node) => {
                    stack.pop();
                }
                Task::Node(node) => {
                    let group = self.placement.group_of[node];
                    *stack.last_mut().expect("a task is there") = match group {
                        0 => Task::Plain(node),
                        // It depends on itself through another select of the group: then it stays a select.
                        group if self.in_progress[group as usize - 1] => Task::Plain(node),
                        group if self.is_ready(group as usize - 1) => Task::Group(group as usize - 1),
                        group => {
                            self.dissolve(group as usize - 1);
                            Task::Plain(node)
                        }
                    };
                }
                Task::Plain(node) => {
                    *stack.last_mut().expect("a task is there") = Task::Ready(node);
                    self.push_unmade(self.old.args(node), &mut stack);
                }
                Task::Ready(node) => {
                    stack.pop();
                    if !self.is_made(node) {
                        self.copy(node, b);
                    }
                }
                Task::Group(group) => {
                    *stack.last_mut().expect("a task is there") = Task::Branch(group);
                    self.in_progress[group] = true;
                    self.push_needs_of_group(group, &mut stack);
                }
                Task::Branch(group) => {
                    stack.pop();
                    self.branch(group, b);
                    self.in_progress[group] = false;
                }
            }
        }
    }

    /// Whether all that the selects of a group are made of is there, or floats: what a block lists further down cannot be
    /// made for them now.
    fn is_ready(&mut self, group: usize) -> bool {
        let mut seen: FxHashSet<Node> = FxHashSet::default();
        let mut stack: Vec<Node> = self.placement.groups[group].selects.clone();
        while let Some(node) = stack.pop() {
            if self.ready[node] || self.is_made(node) || !seen.insert(node) {
                continue;
            }
            if self.placement.listed[node] {
                return false;
            }
            stack.extend(self.old.args(node).iter().filter_map(|&a| self.old.node_of(a)));
        }
        // It stays so: nodes made later only leave less to do.
        seen.into_iter().for_each(|node| self.ready[node] = true);
        true
    }

    /// The selects of a group stay selects; the nodes of its arms are made where they are needed.
    fn dissolve(&mut self, group: usize) {
        for i in 0..self.placement.groups[group].selects.len() {
            let select = self.placement.groups[group].selects[i];
            self.placement.group_of[select] = 0;
        }
    }

    fn push_unmade(&self, values: &[Value], stack: &mut Vec<Task>) {
        let nodes = values.iter().rev().filter_map(|&v| self.old.node_of(v));
        stack.extend(nodes.filter(|&n| !self.is_made(n)).map(Task::Node));
    }

    /// Pushes the operands of a group that are not computed in its branches, in their old order, so that a second run gives
    /// the same.
    fn push_needs_of_group(&self, group: usize, stack: &mut Vec<Task>) {
        let data = &self.placement.groups[group];
        let inside = |node: Node| {
            let spot = self.placement.spots[node].expect("what is needed has a spot");
            data.sides.iter().any(|&side| self.placement.tree.is_above(side, spot))
        };
        let mut needs: Vec<Node> = self.old.node_of(data.condition).into_iter().filter(|&n| !self.is_made(n)).collect();
        let mut outside = |values: &[Value]| {
            let nodes = values.iter().filter_map(|&v| self.old.node_of(v));
            needs.extend(nodes.filter(|&n| !self.is_made(n) && !inside(n)));
        };
        for &select in &data.selects {
            outside(&self.old.args(select)[1..]);
        }
        let mut sides: Vec<Spot> = data.sides.to_vec();
        while let Some(side) = sides.pop() {
            for &node in &self.placement.members[side] {
                outside(self.old.args(node));
                // Branches within a branch.
                if let group @ 1.. = self.placement.group_of[node]
                    && self.placement.groups[group as usize - 1].selects.last() == Some(&node)
                {
                    sides.extend(self.placement.groups[group as usize - 1].sides);
                }
            }
        }
        needs.sort_unstable();
        needs.dedup();
        stack.extend(needs.into_iter().rev().map(Task::Node));
    }

    /// Makes the `If` of a group; continues after it.
    fn branch(&mut self, group: usize, b: &mut Builder<'_, '_>) {
        let data = &self.placement.groups[group];
        let sides = data.sides;
        let selects: Vec<Node> = data.selects.iter().rev().copied().filter(|&s| !self.is_made(s)).collect();
        let condition = self.made(data.condition);
        if let Some(&select) = selects.first() {
            b.at(self.old.node(select).span);
        }
        let blocks = b.if_(condition);
        for (side, (arm, block)) in sides.into_iter().zip([(1, blocks.then), (2, blocks.otherwise)]) {
            b.switch_to(block);
            for i in 0..self.placement.members[side].len() {
                let node = self.placement.members[side][i];
                self.make(Task::Node(node), b);
            }
            let passed_args: Args = selects.iter().map(|&s| self.made(self.old.args(s)[arm])).collect();
            b.exit(Exit::Merge(passed_args));
        }
        b.switch_to(blocks.merge);
        for select in selects {
            let result = self.old.result(select).expect("a select has a result");
            let data = self.old.local(result);
            let value = b.add_input(blocks.merge, data.ty, data.precision);
            b.keep_origin(self.old, result, value);
            self.values[result] = Some(value);
        }
        self.branches += 1;
    }
}

impl CopyExit for Emitter<'_> {
    fn value(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Value {
        let _ = b;
        self.made(value)
    }

    fn fed(&mut self, block: Block, jump: usize, b: &mut Builder<'_, '_>) -> Args {
        let _ = b;
        let edges = self.blocks().edges(self.old, block);
        let (target, args) = edges[jump];
        let inputs = &self.old.blocks[target].inputs;
        args.iter()
            .zip(inputs)
            .filter(|&(_, &input)| !self.needs.drops_input(input))
            .map(|(&a, _)| self.made(a))
            .collect()
    }

    fn open(&mut self, block: Block, b: &mut Builder<'_, '_>) -> Block {
        let new = b.new_block();
        self.begun[block] = Some(new);
        for &input in &self.old.blocks[block].inputs {
            if !self.needs.drops_input(input) {
                let data = self.old.local(input);
                let value = b.add_input(new, data.ty, data.precision);
                b.keep_origin(self.old, input, value);
                self.values[input] = Some(value);
            }
        }
        new
    }

    fn label(&self, owner: Block) -> Block {
        self.ended[owner].expect("a construct begins before it is left")
    }
}

impl Emitter<'_> {
    fn blocks(&self) -> &Tree {
        &self.needs.tree
    }
}

/// Whether a node stores a vector of 128 bits to a byte memory.
fn is_store_of_lanes(body: &Body, node: Node) -> bool {
    let data = body.node(node);
    data.op == Op::MemoryStore && data.imm.as_mem_arg().width == Width::B128
}
