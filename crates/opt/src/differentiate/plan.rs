//! The plan of reverse mode: values that the backward sweep needs, and the place of each.

use planish_ir::arena::SideTable;
use planish_ir::derivative::Derivative;
use planish_ir::entity::{Block, Local, Memory, Node, Value};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Effect, Op};
use planish_ir::tree::Tree;
use planish_ir::types::TypeKind;
use planish_ir::walk::{self, BlockKind, Event, events};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::activity::Activity;
use super::linear;
use super::rules::{Needs, Rule, rule};

/// Cost of computing a value again, up to which it is not kept on a tape.
const MOST_AGAIN: u32 = 12;

/// The place of a value of the function in the backward sweep.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Home {
    /// It is not needed.
    #[default]
    Nowhere,
    /// In a variable.
    Kept,
    /// It is computed again.
    Again,
    /// It is the index of a counted loop, whose iterations the backward sweep counts.
    Counted,
}

/// A jump.
pub(super) struct Edge {
    pub(super) from: Block,
    /// The block that it leads to; `None`: the end of the function.
    pub(super) target: Option<Block>,
    pub(super) args: SmallVec<[Value; 4]>,
}

/// A loop with an index that is counted up by one from a first number to below an end, and which nothing else leaves.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) index: Local,
    pub(super) first: Value,
    pub(super) end: Value,
}

/// Facts about a function before its derivative is written.
pub(super) struct Plan<'a> {
    pub(super) source: &'a Body,
    pub(super) tree: Tree,
    pub(super) activity: &'a Activity,
    /// Number of loops around a block.
    pub(super) depth: SideTable<Block, u32>,
    /// All jumps in the order of the walk; their numbers identify them.
    pub(super) edges: Vec<Edge>,
    /// The jumps at the end of a block.
    pub(super) from: SideTable<Block, SmallVec<[u32; 2]>>,
    /// The jumps to a block; of the first block of a loop, without the one that enters it.
    pub(super) into: SideTable<Block, SmallVec<[u32; 4]>>,
    /// The jump that enters a loop, by the block that ends with it.
    pub(super) entering: SideTable<Block, Option<u32>>,
    /// The ends of the function.
    pub(super) returns: SmallVec<[u32; 4]>,
    pub(super) counted: SideTable<Block, Option<Counted>>,
    pub(super) homes: SideTable<Local, Home>,
    block_of: SideTable<Local, Option<Block>>,
    /// The blocks that use a value.
    uses: SideTable<Local, SmallVec<[Block; 4]>>,
    written: FxHashSet<Memory>,
}

impl<'a> Plan<'a> {
    pub(super) fn of(
        module: &Module,
        request: &Derivative,
        source: &'a Body,
        tree: Tree,
        activity: &'a Activity,
    ) -> Self {
        let mut plan = Plan {
            source,
            tree,
            activity,
            depth: SideTable::new(),
            edges: Vec::new(),
            from: SideTable::new(),
            into: SideTable::new(),
            entering: SideTable::new(),
            returns: SmallVec::new(),
            counted: SideTable::new(),
            homes: SideTable::new(),
            block_of: SideTable::new(),
            uses: SideTable::new(),
            written: FxHashSet::default(),
        };
        plan.walk();
        for block in walk::blocks(source) {
            plan.counted[block] = plan.count(module, block);
        }
        for block in walk::blocks(source) {
            plan.need_of_block(request, block);
        }
        plan
    }

    /// The blocks of a chain of merges.
    pub(super) fn chain(&self, head: Block) -> Vec<Block> {
        std::iter::successors(Some(head), |&block| self.source.blocks[block].exit.merge_block()).collect()
    }

    /// The first block of the iterations of a loop.
    pub(super) fn header(&self, owner: Block) -> Option<Block> {
        match self.source.blocks[owner].exit {
            Exit::Loop { condition, .. } => Some(condition),
            Exit::DoLoop { body, .. } => Some(body),
            _ => None,
        }
    }

    /// Whether the backward sweep must know by which of several jumps a block was entered.
    pub(super) fn is_told(&self, target: Block) -> bool {
        let is_arm =
            self.tree.merged(target).is_some_and(|owner| matches!(self.source.blocks[owner].exit, Exit::If { .. }));
        self.into[target].len() > 1 && !is_arm
    }

    fn walk(&mut self) {
        let source = self.source;
        for event in events(source, source.entry) {
            let Event::Enter { block, kind, parent, .. } = event else { continue };
            let is_loop = matches!(source.blocks[parent].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
            let is_inside = is_loop && matches!(kind, BlockKind::Condition | BlockKind::LoopBody | BlockKind::Next);
            self.depth[block] = if block == source.entry { 0 } else { self.depth[parent] + u32::from(is_inside) };
            let data = &source.blocks[block];
            let results = data.nodes.iter().flat_map(|&node| source.results(node));
            for local in data.inputs.iter().copied().chain(results) {
                self.block_of[local] = Some(block);
            }
            for &node in data.nodes.iter().filter(|&&node| source.node(node).op == Op::MemoryStore) {
                self.written.insert(source.node(node).imm.as_mem_arg().memory);
            }
            let mut used: SmallVec<[Local; 16]> = SmallVec::new();
            for &node in &data.nodes {
                used.extend(source.args(node).iter().filter_map(|arg| arg.as_local()));
            }
            data.exit.for_each_operand(|operand| used.extend(operand.as_local()));
            for local in used {
                self.uses[local].push(block);
            }
            self.note_edges(block);
        }
    }

    fn note_edges(&mut self, block: Block) {
        let exit = &self.source.blocks[block].exit;
        if let Exit::Return(args) = exit {
            let number = self.edges.len() as u32;
            self.edges.push(Edge { from: block, target: None, args: args.iter().copied().collect() });
            self.returns.push(number);
            self.from[block].push(number);
            return;
        }
        if let Exit::Switch { cases, .. } = exit
            && cases.iter().any(|case| case.is_default)
        {
            return;
        }
        for (target, args) in self.tree.edges(self.source, block) {
            let number = self.edges.len() as u32;
            self.edges.push(Edge { from: block, target: Some(target), args: args.iter().copied().collect() });
            if matches!(exit, Exit::Loop { .. } | Exit::DoLoop { .. }) {
                self.entering[block] = Some(number);
            } else {
                self.from[block].push(number);
                self.into[target].push(number);
            }
        }
    }

    /// The index of a loop that counts, if nothing else leaves it.
    fn count(&self, module: &Module, owner: Block) -> Option<Counted> {
        let source = self.source;
        let Exit::Loop { args, condition, next: None, merge, .. } = &source.blocks[owner].exit else { return None };
        let Exit::LoopIf { condition: test, .. } = source.blocks[*condition].exit else { return None };
        let test = source.node_of(test).filter(|&node| source.node(node).op == Op::LessThan)?;
        let &[index, end] = source.args(test) else { return None };
        let index = index.as_local()?;
        let LocalDef::Input(block, at) = source.local(index).def else { return None };
        let is_integer = matches!(module.types[source.local_type(index)], TypeKind::Scalar(s) if s.is_integer());
        let is_outer = |value: Value| {
            value
                .as_local()
                .is_none_or(|local| self.block_of[local].is_some_and(|block| !self.tree.is_inside(block, owner)))
        };
        let &[again] = &self.into[*condition][..] else { return None };
        let step = source.node_of(*self.edges[again as usize].args.get(usize::from(at))?)?;
        let one = |value: Value| {
            let constant = value.as_const()?;
            (module.consts.as_integer(&module.types, constant)? == 1).then_some(())
        };
        let &[x, y] = source.args(step) else { return None };
        let by_one = x == index.into() && one(y).is_some() || y == index.into() && one(x).is_some();
        let counts = source.node(step).op == Op::Add && by_one;
        let leaves = self
            .edges
            .iter()
            .filter(|edge| self.tree.is_inside(edge.from, owner))
            .filter(|edge| edge.target.is_none_or(|target| !self.tree.is_inside(target, owner)));
        let leaves: Vec<&Edge> = leaves.collect();
        let is_whole = matches!(leaves[..], [edge] if edge.from == *condition && edge.target == Some(*merge));
        // (What is computed of it beside the condition would be seen after the loop, too.)
        let computed = source.blocks[block].nodes.iter().flat_map(|&node| source.results(node));
        let stays = std::iter::once(index).chain(computed).all(|local| self.stays_inside(local, owner));
        (block == *condition && is_integer && is_outer(end) && counts && is_whole && stays).then_some(Counted {
            index,
            first: args[usize::from(at)],
            end,
        })
    }

    /// Whether all uses of a value are in a loop.
    fn stays_inside(&self, local: Local, owner: Block) -> bool {
        let is_given = |edge: &u32| self.edges[*edge as usize].args.contains(&local.into());
        let merge = self.source.blocks[owner].exit.merge_block();
        self.uses[local].iter().all(|&block| self.tree.is_inside(block, owner))
            && merge.is_none_or(|merge| !self.into[merge].iter().any(is_given))
    }

    fn need_of_block(&mut self, request: &Derivative, block: Block) {
        let source = self.source;
        for &node in &source.blocks[block].nodes {
            let needs = self.needs(request, node);
            for (index, &arg) in source.args(node).iter().enumerate() {
                if needs.args >> index.min(31) & 1 != 0 {
                    self.need(arg);
                }
            }
            if let Some(result) = source.result(node).filter(|_| needs.result) {
                self.need(result.into());
            }
        }
        if let Exit::If { condition, merge, .. } = source.blocks[block].exit
            && self.into[merge].len() > 1
        {
            self.need(condition);
        }
        if let Some(Counted { first, end, .. }) = self.counted[block] {
            self.need(first);
            self.need(end);
        }
    }

    /// The operands, and whether the result, that the backward sweep needs at a node.
    pub(super) fn needs(&self, request: &Derivative, node: Node) -> Needs {
        let source = self.source;
        let (data, args) = (source.node(node), source.args(node));
        let is_active = source.results(node).any(|result| self.activity.is_active(result));
        let mut needs = Needs::default();
        let shadowed = |at: usize| source.base(args[at]).as_var().is_some_and(|var| self.activity.is_active_var(var));
        match data.op {
            // (Of elements of lists the index.)
            Op::AccessArrayElement if shadowed(0) => return Needs::of_args(2),
            Op::MemoryLoad if is_active => return Needs::of_args(1),
            Op::MemoryStore if request.slices.iter().any(|s| s.memory == data.imm.as_mem_arg().memory) => {
                return Needs::of_args(1);
            }
            _ if !is_active => return needs,
            Op::Call => return Needs::of_args(u32::MAX << 1),
            Op::Custom | Op::CustomTrapping | Op::CustomOrdered => return Needs::of_args(u32::MAX),
            _ => {}
        }
        let active = |at: usize| args[at].as_local().is_some_and(|arg| self.activity.is_active(arg));
        match rule(data.op) {
            Some(Rule::Sum(partials)) => {
                (0..args.len()).filter(|&at| active(at)).for_each(|at| needs.add(partials[at].needs()));
            }
            Some(Rule::Choice(condition, ..)) => needs.add(condition.needs()),
            Some(Rule::Linear) => {
                (0..args.len()).filter(|&at| active(at)).for_each(|at| needs.add(linear::needs(data.op, at)));
            }
            _ => {}
        }
        needs
    }

    /// Decides where a value is found.
    /// Recursion: into the operands of what is computed again, whose cost together is bounded.
    fn need(&mut self, value: Value) {
        let Some(local) = value.as_local() else { return };
        let Some(block) = self.block_of[local] else { return };
        if self.homes[local] != Home::Nowhere || block == self.source.entry && self.source.node_of(value).is_none() {
            return;
        }
        if self.is_index(local) {
            self.homes[local] = Home::Counted;
            return;
        }
        let is_once = self.depth[block] == 0;
        let node = self.source.node_of(value);
        if let Some(node) = node.filter(|_| !is_once && self.price(value, MOST_AGAIN, true).is_some()) {
            self.homes[local] = Home::Again;
            let args: SmallVec<[Value; 4]> = self.source.args(node).iter().copied().collect();
            args.into_iter().for_each(|arg| self.need(arg));
            return;
        }
        self.homes[local] = Home::Kept;
    }

    /// Whether a value is the index of a counted loop.
    pub(super) fn is_index(&self, local: Local) -> bool {
        let LocalDef::Input(block, _) = self.source.local(local).def else { return false };
        let owner = self.tree.place(block).and_then(|place| place.owner);
        owner.and_then(|owner| self.counted[owner]).is_some_and(|counted| counted.index == local)
    }

    /// Cost of having a value in the backward sweep without a tape; `None` if it is not possible, or above a bound.
    /// Recursion: each step lowers the bound.
    fn price(&self, value: Value, most: u32, is_first: bool) -> Option<u32> {
        let Some(local) = value.as_local() else { return Some(0) };
        let block = self.block_of[local]?;
        let node = self.source.node_of(value);
        if block == self.source.entry && node.is_none() || self.is_index(local) {
            return Some(0);
        }
        if !is_first && (self.depth[block] == 0 || self.homes[local] == Home::Kept) {
            return Some(1);
        }
        let node = node?;
        let data = self.source.node(node);
        let own = match data.op {
            Op::MemoryLoad if !self.written.contains(&data.imm.as_mem_arg().memory) => 3,
            op if op.info().effect != Effect::Pure || data.result_count() != 1 => return None,
            Op::Custom => return None,
            Op::Divide | Op::Remainder | Op::Sqrt | Op::InverseSqrt => 6,
            op if matches!(
                op.info().meaning,
                planish_ir::ops::Meaning::Transcendental | planish_ir::ops::Meaning::Algebra
            ) =>
            {
                return None;
            }
            _ => 1,
        };
        let mut sum = own;
        for &arg in self.source.args(node) {
            sum += self.price(arg, most.checked_sub(sum)?, false)?;
        }
        (sum <= most).then_some(sum)
    }
}
