//! Loops run while a lane runs. The values that a lane carries are frozen in the inputs of the merge block when it leaves.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, LoopBlocks};
use planish_ir::entity::{Block, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::walk::{self, BlockKind};
use rustc_hash::FxHashSet;

use super::control::{Arrivals, Construct, Task, Widener};
use super::lanes::{and, and_not};

impl Widener<'_, '_> {
    pub(super) fn begin_loop(&mut self, owner: Block, args: &[Value], first: Block, b: &mut Builder<'_, '_>) {
        self.begin(owner, b);
        for block in self.body.blocks[owner].exit.sub_blocks() {
            self.declare_inputs(block, b);
        }
        let again = self.arrivals(owner, "again", b);
        if let Arrivals::Mask(var) = again {
            b.store(var.into(), self.active);
        }
        let escapes = self.escapes(owner, b);
        if let Some(construct) = &mut self.constructs[owner] {
            (construct.again, construct.escapes) = (again, escapes);
        }
        self.pass(owner, first, args, b);
        if self.is_natural(owner, first) {
            return self.begin_natural_loop(owner, first, b);
        }
        let blocks = b.do_loop(&[]);
        b.switch_to(blocks.body);
        self.loops += 1;
        if let Arrivals::Mask(var) = again {
            self.active = b.load(var.into());
        }
        self.clear(again, b);
        let is_do = matches!(self.body.blocks[owner].exit, Exit::DoLoop { .. });
        if is_do || matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            let continued = self.arrivals(owner, "continued", b);
            if let Some(construct) = &mut self.constructs[owner] {
                construct.continued = continued;
            }
        }
        self.tasks.push(Task::EndLoop(owner, blocks));
        if is_do {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    /// Whether a loop has its test at its beginning, which then is that of the widened one too: in one block, and, where lanes run
    /// together, as the only way out.
    pub(super) fn is_natural(&self, owner: Block, first: Block) -> bool {
        let body = self.body;
        let is_break = |block: Block| matches!(body.blocks[block].exit, Exit::Break(label, _) if label == owner);
        matches!(body.blocks[owner].exit, Exit::Loop { .. })
            && matches!(body.blocks[first].exit, Exit::LoopIf { .. })
            && (self.divergence.is_apart(owner)
                || !self.divergence.leaks(owner) && !walk::inside(body, owner).any(is_break))
    }

    pub(super) fn begin_natural_loop(&mut self, owner: Block, first: Block, b: &mut Builder<'_, '_>) {
        let blocks = b.loop_(&[], false);
        b.switch_to(blocks.condition);
        self.loops += 1;
        let again = self.construct(owner).again;
        if let Arrivals::Mask(var) = again {
            self.active = b.load(var.into());
        }
        self.clear(again, b);
        if let Some(construct) = &mut self.constructs[owner] {
            construct.natural = Some(blocks);
        }
        self.tasks.push(Task::Chain(first));
    }

    /// The condition of a loop with its test at its beginning.
    pub(super) fn natural_test(
        &mut self,
        owner: Block,
        blocks: LoopBlocks,
        (test, varies): (Value, bool),
        (first, body_args): (Block, &[Value]),
        merge_args: &[Value],
        b: &mut Builder<'_, '_>,
    ) {
        let active = self.active;
        let yes = if varies { and(b, active, test, self.n) } else { active };
        let mut goes = test;
        if varies || self.has_helpers() || self.divergence.is_apart(owner) {
            let going = if self.has_helpers() { self.live(yes, b) } else { yes };
            let any = b.op(Op::Any, &[going]);
            goes = if varies { any } else { b.op(Op::LogicalAnd, &[test, any]) };
        }
        self.active = match self.construct(owner).merged {
            _ if varies => and_not(b, active, test, self.n),
            // Arguments of the last iteration count.
            Arrivals::All => active,
            _ => and_not(b, active, goes, self.n),
        };
        self.leave_to_merge(owner, merge_args, b);
        if varies && self.has_helpers() {
            // Helpers alone leave.
            self.active = and_not(b, yes, goes, self.n);
            self.arrive(owner, b);
        }
        b.loop_if(goes);
        b.switch_to(blocks.body);
        self.active = yes;
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            let continued = self.arrivals(owner, "continued", b);
            if let Some(construct) = &mut self.constructs[owner] {
                construct.continued = continued;
            }
        }
        self.pass(owner, first, body_args, b);
        self.tasks.push(Task::EndLoop(owner, blocks));
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    /// Values of the condition of a loop that are used after it, with variables for those that are no pointers.
    pub(super) fn escapes(&mut self, owner: Block, b: &mut Builder<'_, '_>) -> Vec<(Local, Vec<Var>)> {
        let body = self.body;
        let &Exit::Loop { condition, .. } = &body.blocks[owner].exit else { return Vec::new() };
        let mut order = Vec::new();
        let mut chain = Some(condition);
        while let Some(block) = chain {
            let data = &body.blocks[block];
            let locals = data.inputs.iter().copied().chain(data.nodes.iter().flat_map(|&node| body.results(node)));
            order.extend(locals);
            chain = data.exit.merge_block();
        }
        // A pointer is made again, from its index.
        let defined: FxHashSet<Local> = order.iter().copied().collect();
        let mut used: FxHashSet<Local> = order.iter().copied().filter(|&local| self.escaping[local]).collect();
        for &local in order.iter().rev() {
            if let Some(node) =
                body.node_of(local.into()).filter(|&node| used.contains(&local) && is_access(body, node))
            {
                let args = body.args(node).iter().filter_map(|arg| arg.as_local());
                used.extend(args.filter(|arg| defined.contains(arg)));
            }
        }
        let mut found = Vec::new();
        for local in order.into_iter().filter(|local| used.contains(local)) {
            let mut vars = Vec::new();
            if !body.node_of(local.into()).is_some_and(|node| is_access(body, node)) {
                let mut scalars = Vec::new();
                let _ = super::scalars_of(b.module, body.local_type(local), &mut scalars);
                let n = if self.divergence.is_varying(local.into()) { self.n } else { 1 };
                for scalar in scalars {
                    let ty = b.module.types.vector(scalar, n);
                    vars.push(self.declare(ty, "last", b));
                }
            }
            found.push((local, vars));
        }
        found
    }

    pub(super) fn loop_if(
        &mut self,
        owner: Block,
        condition: Value,
        body_args: &[Value],
        merge_args: &[Value],
        b: &mut Builder<'_, '_>,
    ) {
        for (local, vars) in self.construct(owner).escapes.clone() {
            for (var, part) in vars.into_iter().zip(self.parts(local.into(), b)) {
                match self.divergence.is_varying(local.into()) {
                    true => self.store_lanes(var.into(), part, b),
                    false => b.store(var.into(), part),
                }
            }
        }
        let (first, is_do) = match self.body.blocks[owner].exit {
            Exit::Loop { body, .. } => (body, false),
            Exit::DoLoop { body, .. } => (body, true),
            _ => panic!("a condition without a loop"),
        };
        let active = self.active;
        let test = self.parts(condition, b)[0];
        let varies = self.divergence.is_varying(condition);
        if let Some(blocks) = self.construct(owner).natural {
            return self.natural_test(owner, blocks, (test, varies), (first, body_args), merge_args, b);
        }
        if !varies {
            let mut test = test;
            if self.has_helpers() {
                let live = self.live(active, b);
                let any = b.op(Op::Any, &[live]);
                test = b.op(Op::LogicalAnd, &[test, any]);
            }
            let blocks = b.if_(test);
            b.switch_to(blocks.otherwise);
            let merge = self.body.blocks[owner].exit.merge_block().expect("a loop has a merge block");
            self.pass(owner, merge, merge_args, b);
            self.arrive(owner, b);
            b.merge(&[]);
            b.switch_to(blocks.then);
            self.tasks.extend([Task::To(blocks.merge), Task::End]);
        } else {
            let yes = and(b, active, test, self.n);
            self.active = and_not(b, active, test, self.n);
            self.leave_to_merge(owner, merge_args, b);
            let mut going = yes;
            if self.has_helpers() {
                going = self.live(yes, b);
            }
            let any = b.op(Op::Any, &[going]);
            if self.has_helpers() {
                // Helpers alone leave.
                self.active = and_not(b, yes, any, self.n);
                self.arrive(owner, b);
            }
            self.only_if(any, yes, b);
        }
        self.pass(owner, first, body_args, b);
        if is_do {
            let again = self.construct(owner).again;
            self.add(again, b);
            return;
        }
        if matches!(self.body.blocks[owner].exit, Exit::Loop { next: Some(_), .. }) {
            self.tasks.push(Task::Second(owner));
        }
        self.tasks.push(Task::Chain(first));
    }

    pub(super) fn second(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let chain = match self.body.blocks[owner].exit {
            Exit::Loop { next: Some(next), .. } => next,
            Exit::DoLoop { condition, .. } => condition,
            _ => return,
        };
        let &Construct { entry, continued, .. } = self.construct(owner);
        match continued {
            Arrivals::All => {}
            Arrivals::Mask(var) => {
                let mask = b.load(var.into());
                self.guarded(mask, chain, b);
            }
            Arrivals::Flag(var) => {
                let flag = b.load(var.into());
                self.only_if(flag, entry, b);
                self.tasks.push(Task::Chain(chain));
            }
        }
    }

    pub(super) fn continue_(&mut self, block: Block, label: Block, args: &[Value], b: &mut Builder<'_, '_>) {
        let Some((target, _)) = self.tree.edges(self.body, block).first().copied() else { return };
        self.pass(label, target, args, b);
        let construct = self.construct(label);
        let waits = match self.body.blocks[label].exit {
            Exit::Loop { condition, .. } if target == condition => construct.again,
            _ => construct.continued,
        };
        self.add(waits, b);
    }

    pub(super) fn end_loop(&mut self, owner: Block, blocks: LoopBlocks, b: &mut Builder<'_, '_>) {
        self.loops -= 1;
        b.continue_(blocks.owner, &[]);
        if self.construct(owner).natural.is_some() {
            b.switch_to(blocks.merge);
            return self.tasks.extend([Task::After(owner), Task::Left(owner)]);
        }
        b.switch_to(blocks.condition);
        let goes = match self.construct(owner).again {
            Arrivals::All => b.bool(true),
            Arrivals::Flag(var) => b.load(var.into()),
            Arrivals::Mask(var) => {
                let mut mask = b.load(var.into());
                if self.has_helpers() {
                    mask = self.live(mask, b);
                }
                b.op(Op::Any, &[mask])
            }
        };
        b.loop_if(goes);
        b.switch_to(blocks.merge);
        self.tasks.extend([Task::After(owner), Task::Left(owner)]);
    }

    /// Helpers that would iterate alone leave the loop.
    pub(super) fn left(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        if let Arrivals::Mask(var) = self.construct(owner).again
            && self.has_helpers()
        {
            self.active = b.load(var.into());
            self.arrive(owner, b);
        }
    }
}

/// The values of conditions of loops that are used after their loop.
pub(super) fn escaping(body: &Body, tree: &Tree) -> SideTable<Local, bool> {
    let mut defined: SideTable<Local, Option<Block>> = SideTable::with_capacity(body.local_count());
    let mut escaping: SideTable<Local, bool> = SideTable::new();
    let mut is_used = |defined: &SideTable<Local, Option<Block>>, value: Value, user: Block| {
        let Some(local) = value.as_local() else { return };
        let Some(place) = defined[local].and_then(|block| tree.place(block)) else { return };
        let Some(owner) = place.owner.filter(|_| place.kind == BlockKind::Condition) else { return };
        if matches!(body.blocks[owner].exit, Exit::Loop { .. }) && !tree.is_inside(user, owner) {
            escaping[local] = true;
        }
    };
    for block in walk::blocks(body) {
        let data = &body.blocks[block];
        data.inputs.iter().for_each(|&input| defined[input] = Some(block));
        for &node in &data.nodes {
            body.args(node).iter().for_each(|&arg| is_used(&defined, arg, block));
            body.results(node).for_each(|local| defined[local] = Some(block));
        }
        data.exit.for_each_operand(|value| is_used(&defined, value, block));
    }
    escaping
}

fn is_access(body: &Body, node: Node) -> bool {
    body.node(node).op.info().class == Class::Access
}
