//! The rewriting: one walk, inner constructs before what follows them.

use planish_ir::arena::SideTable;
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Block, Const, Local, Type, Value};
use planish_ir::function::{Args, BlockData, Body, Exit, LocalDef, TrapKind};
use planish_ir::module::Module;
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use super::{Frame, Frames, broken, frame_of, unfit_loops};

/// The edges to the merge block of a construct around.
#[derive(Default)]
struct Around {
    /// Blocks that pass arguments to the merge block, as it is so far, and whether they may do so.
    arrivals: Vec<(Block, bool)>,
    /// Jumps that go through the merge block.
    passing: Vec<Passing>,
}

/// A jump to an outer construct.
struct Passing {
    owner: Block,
    is_continue: bool,
    /// The block that it leads to.
    target: Block,
    arrivals: Vec<(Block, Args)>,
}

impl Passing {
    fn exit(&self, args: Args) -> Exit {
        if self.is_continue { Exit::Continue(self.owner, args) } else { Exit::Break(self.owner, args) }
    }
}

/// Work still to do. `owner`: of the construct that the merge chain belongs to.
#[derive(Clone, Copy)]
enum Task {
    Block { block: Block, owner: Block },
    IfReached { block: Block, owner: Block },
    Next { block: Block, owner: Block },
    Merge { construct: Block, owner: Block },
}

/// Rewrites one function.
pub(super) struct Shortener<'m> {
    module: &'m mut Module,
    body: Body,
    frames: Frames,
    broken: SideTable<Block, bool>,
    /// The constructs around that `break` leaves.
    frames_around: Vec<(Block, Frame)>,
    around: Vec<Around>,
    tasks: Vec<Task>,
    reached: SideTable<Block, bool>,
    in_next: SideTable<Block, bool>,
    /// The block that the contents of a block were moved to, with the construct that it ended.
    moved: SideTable<Block, Option<Block>>,
    /// The chain of each value, by the number of blocks that were entered before.
    entered: SideTable<Block, u32>,
    count: u32,
    homes: SideTable<Local, Option<Block>>,
}

impl<'m> Shortener<'m> {
    pub(super) fn new(module: &'m mut Module, body: Body, frames: &Frames) -> Self {
        Shortener {
            module,
            body,
            frames: *frames,
            broken: SideTable::new(),
            frames_around: vec![],
            around: vec![],
            tasks: vec![],
            reached: SideTable::new(),
            in_next: SideTable::new(),
            moved: SideTable::new(),
            entered: SideTable::new(),
            count: 0,
            homes: SideTable::new(),
        }
    }

    /// The new body; `None` if a value without a zero would be needed.
    pub(super) fn run(mut self) -> Option<Body> {
        self.wrap_bodies()?;
        self.moved.clear();
        self.broken = broken(&self.body);
        let entry = self.body.entry;
        self.tasks.push(Task::Block { block: entry, owner: entry });
        while let Some(task) = self.tasks.pop() {
            self.step(task)?;
        }
        self.rename();
        Some(self.body)
    }

    fn zeros(&mut self, block: Block) -> Option<Args> {
        let inputs = self.body.blocks[block].inputs.clone();
        let types: Vec<Type> = inputs.iter().map(|&input| self.body.local_type(input)).collect();
        let Module { consts, types: all, .. } = &mut *self.module;
        types.into_iter().map(|ty| consts.zero(all, ty).map(Value::from)).collect()
    }

    /// A block that holds nothing but an exit, at the place of another.
    fn new_block(&mut self, exit: Exit, like: Block) -> Block {
        let exit_span = self.body.blocks[like].exit_span;
        self.body.blocks.push(BlockData { exit, exit_span, ..BlockData::default() })
    }

    /// Moves the contents of a block to a new one, which the inputs of the old one dominate.
    fn split(&mut self, block: Block) -> Block {
        let data = &mut self.body.blocks[block];
        let inputs = std::mem::take(&mut data.inputs);
        let contents = std::mem::replace(data, BlockData { inputs, exit_span: data.exit_span, ..BlockData::default() });
        let new = self.body.blocks.push(contents);
        self.moved[block] = Some(new);
        self.broken[new] = self.broken[block];
        new
    }

    fn current(&self, block: Block) -> Block {
        self.moved[block].unwrap_or(block)
    }

    /// Gives constructs whose block has moved their new names.
    fn rename(&mut self) {
        for data in self.body.blocks.values_mut() {
            if let Exit::Break(owner, _) | Exit::Continue(owner, _) = &mut data.exit
                && let Some(new) = self.moved[*owner]
            {
                *owner = new;
            }
        }
    }

    // Continue blocks.

    /// Turns continue blocks that leave into the code after a labelled block.
    fn wrap_bodies(&mut self) -> Option<()> {
        let mut sites: Vec<(Block, Block)> = vec![];
        let unfit = unfit_loops(&self.body, &self.frames);
        let tree = Tree::new(&self.body);
        for block in walk::blocks(&self.body) {
            let Exit::Continue(owner, _) = self.body.blocks[block].exit else { continue };
            let target = tree.edges(&self.body, block)[0].0;
            let to_next = match self.body.blocks[owner].exit {
                Exit::Loop { next, .. } => next == Some(target),
                _ => true,
            };
            if to_next && unfit.contains(&owner) {
                sites.push((block, owner));
            }
        }
        let mut labels: SideTable<Block, Option<Block>> = SideTable::new();
        for owner in unfit {
            labels[owner] = Some(self.wrap_body(owner)?);
        }
        self.rename();
        for (site, owner) in sites {
            let (site, label) = (self.current(site), labels[owner].expect("it was wrapped"));
            let Exit::Continue(_, args) = std::mem::take(&mut self.body.blocks[site].exit) else { return None };
            self.body.blocks[site].exit = Exit::Break(label, args);
        }
        Some(())
    }

    /// The label of the block around the loop's body, to which its `Continue`s become breaks.
    fn wrap_body(&mut self, owner: Block) -> Option<Block> {
        let at = self.current(owner);
        match self.body.blocks[at].exit.clone() {
            Exit::Loop { args, condition, body, next: Some(next), merge } => {
                let inner = self.split(body);
                self.body.blocks[body].exit = Exit::Labelled { body: inner, merge: next };
                self.body.blocks[at].exit = Exit::Loop { args, condition, body, next: None, merge };
                Some(body)
            }
            Exit::DoLoop { args, body, condition, merge } => {
                let inner = self.split(body);
                let merge_args = self.zeros(merge)?;
                let always = Value::from(Const::TRUE);
                let enter = Exit::LoopIf { condition: always, body_args: Args::new(), merge_args };
                self.body.blocks[body].exit = enter;
                let label = self.new_block(Exit::Labelled { body: inner, merge: condition }, at);
                let end = self.current(walk::chain_end(&self.body, condition));
                self.test_last(owner, end);
                self.body.blocks[at].exit = Exit::Loop { args, condition: body, body: label, next: None, merge };
                Some(label)
            }
            _ => None,
        }
    }

    /// `loop_if` at the end of an iteration as ordinary code.
    fn test_last(&mut self, owner: Block, end: Block) {
        let exit = std::mem::take(&mut self.body.blocks[end].exit);
        let Exit::LoopIf { condition, body_args, merge_args } = exit else {
            self.body.blocks[end].exit = exit;
            return;
        };
        let again = Exit::Continue(owner, body_args);
        self.body.blocks[end].exit = if condition.as_const() == Some(Const::TRUE) {
            again
        } else {
            let then = self.new_block(again, end);
            let otherwise = self.new_block(Exit::Break(owner, merge_args), end);
            let merge = self.new_block(Exit::Trap(TrapKind::Unreachable), end);
            Exit::If { condition, then, otherwise, merge }
        };
    }

    // Jumps.

    fn step(&mut self, task: Task) -> Option<()> {
        match task {
            Task::Block { block, owner } => self.block(block, owner),
            Task::IfReached { block, owner } => {
                if self.reached[block] {
                    return self.block(block, owner);
                }
                self.remove(block);
                Some(())
            }
            Task::Next { block, owner } => self.next(block, owner),
            Task::Merge { construct, owner } => self.merge(construct, owner),
        }
    }

    /// The continue block of a `Loop`, or the condition of a `DoLoop`.
    fn next(&mut self, block: Block, owner: Block) -> Option<()> {
        self.in_next[owner] = true;
        if self.reached[block] {
            return self.block(block, owner);
        }
        let (head, merge) = match &mut self.body.blocks[owner].exit {
            Exit::Loop { next, .. } => {
                *next = None;
                return Some(());
            }
            Exit::DoLoop { body, merge, .. } => (*body, *merge),
            _ => return None,
        };
        let (body_args, merge_args) = (self.zeros(head)?, self.zeros(merge)?);
        self.remove(block);
        self.body.blocks[block].exit = Exit::LoopIf { condition: Const::TRUE.into(), body_args, merge_args };
        self.arrive(block, false);
        Some(())
    }

    /// Nothing leads to a block.
    fn remove(&mut self, block: Block) {
        let exit_span = self.body.blocks[block].exit_span;
        let inputs = std::mem::take(&mut self.body.blocks[block].inputs);
        let exit = Exit::Trap(TrapKind::Unreachable);
        self.body.blocks[block] = BlockData { inputs, exit, exit_span, ..BlockData::default() };
    }

    fn block(&mut self, block: Block, owner: Block) -> Option<()> {
        self.count += 1;
        self.entered[block] = self.count;
        for &input in &self.body.blocks[block].inputs {
            self.homes[input] = Some(block);
        }
        for &node in &self.body.blocks[block].nodes {
            for result in self.body.results(node) {
                self.homes[result] = Some(block);
            }
        }
        self.exit(block, owner)
    }

    fn exit(&mut self, block: Block, owner: Block) -> Option<()> {
        if let Some(form) = frame_of(&self.body, block, &self.frames, &self.broken) {
            self.frames_around.push((block, form));
            self.around.push(Around::default());
        }
        match self.body.blocks[block].exit.clone() {
            Exit::If { then, otherwise, .. } => {
                self.tasks.push(Task::Merge { construct: block, owner });
                self.tasks.extend([otherwise, then].map(|arm| Task::Block { block: arm, owner: block }));
            }
            Exit::Loop { condition, body, next, .. } => {
                self.tasks.push(Task::Merge { construct: block, owner });
                self.tasks.extend(next.map(|next| Task::Next { block: next, owner: block }));
                self.tasks.push(Task::IfReached { block: body, owner: block });
                self.tasks.push(Task::Block { block: condition, owner: block });
            }
            Exit::DoLoop { body, condition, .. } => {
                self.tasks.push(Task::Merge { construct: block, owner });
                self.tasks.push(Task::Next { block: condition, owner: block });
                self.tasks.push(Task::Block { block: body, owner: block });
            }
            Exit::Switch { cases, merge, .. } => {
                self.tasks.push(Task::Merge { construct: block, owner });
                if !cases.iter().any(|case| case.is_default) {
                    self.reached[merge] = true;
                    self.arrive(block, true);
                }
                self.tasks.extend(cases.iter().rev().map(|case| Task::Block { block: case.block, owner: block }));
            }
            Exit::Labelled { body, .. } => {
                self.tasks.push(Task::Merge { construct: block, owner });
                self.tasks.push(Task::Block { block: body, owner: block });
            }
            Exit::NextBlock { merge } => self.tasks.push(Task::Block { block: merge, owner }),
            Exit::Merge(_) => {
                let merge = self.merge_of(owner);
                self.reached[merge] = true;
                if self.frames_around.last().is_some_and(|around| around.0 == owner) {
                    self.arrive(block, true);
                }
            }
            Exit::LoopIf { condition, .. } => {
                let always = condition.as_const() == Some(Const::TRUE);
                if let Exit::Loop { body, .. } = self.body.blocks[owner].exit {
                    self.reached[body] = true;
                }
                let merge = self.merge_of(owner);
                self.reached[merge] |= !always;
                self.arrive(block, !always);
            }
            Exit::Break(label, args) => self.jump(block, label, false, args)?,
            Exit::Continue(label, args) => self.jump(block, label, true, args)?,
            Exit::Open | Exit::Passthrough | Exit::Return(_) | Exit::Discard | Exit::Trap(_) => {}
        }
        Some(())
    }

    fn merge_of(&self, owner: Block) -> Block {
        self.body.blocks[owner].exit.merge_block().expect("it owns a chain of blocks")
    }

    /// A block passes arguments to the merge block of the innermost construct.
    fn arrive(&mut self, block: Block, really: bool) {
        self.around.last_mut().expect("a construct is around").arrivals.push((block, really));
    }

    fn jump(&mut self, block: Block, label: Block, is_continue: bool, args: Args) -> Option<()> {
        let owner = self.current(label);
        let target = match self.body.blocks[owner].exit {
            Exit::Loop { condition, next, .. } if is_continue => {
                next.filter(|_| !self.in_next[owner]).unwrap_or(condition)
            }
            Exit::DoLoop { condition, .. } if is_continue => condition,
            _ => self.merge_of(owner),
        };
        let mut inner = self.frames_around.iter().rev();
        let stops = inner.find(|around| !is_continue || around.1 == Frame::Loop);
        if stops.is_some_and(|stops| stops.0 == owner) {
            self.reached[target] = true;
            if !is_continue {
                self.arrive(block, true);
            }
            return Some(());
        }
        let passing = &mut self.around.last_mut()?.passing;
        match passing.iter_mut().find(|p| p.owner == owner && p.is_continue == is_continue) {
            Some(known) => known.arrivals.push((block, args)),
            None => passing.push(Passing { owner, is_continue, target, arrivals: vec![(block, args)] }),
        }
        Some(())
    }

    /// Recursion: once: a block that is reached merges no construct itself.
    fn merge(&mut self, construct: Block, owner: Block) -> Option<()> {
        let merge = self.merge_of(construct);
        if self.frames_around.last().is_some_and(|around| around.0 == construct) {
            self.frames_around.pop();
            if let Some(around) = self.around.pop().filter(|around| !around.passing.is_empty()) {
                return self.pass_through(construct, around, merge, owner);
            }
        }
        self.step(Task::IfReached { block: merge, owner })
    }

    /// Lets jumps go on from a merge block.
    fn pass_through(&mut self, construct: Block, around: Around, merge: Block, owner: Block) -> Option<()> {
        let Around { arrivals, passing } = around;
        let goes_on = arrivals.iter().any(|arrival| arrival.1);
        let last = if goes_on { passing.len() } else { passing.len() - 1 };
        if !goes_on {
            self.remove(merge);
            self.body.blocks[merge].inputs.clear();
        }
        let before = self.zeros(merge)?;
        let mut flags: Vec<Local> = vec![];
        for jump in &passing[..last] {
            let flag = self.body.add_input(merge, Type::BOOL, Precision::None);
            self.name(flag, if jump.is_continue { "go_on" } else { "leave" });
            flags.push(flag);
        }
        // The arguments of each jump: a value that all of them have, or an input.
        let mut brought: Vec<Args> = vec![];
        let mut inputs: Vec<Vec<usize>> = vec![];
        for jump in &passing {
            let (args, own) = self.bring(construct, merge, jump);
            brought.push(args);
            inputs.push(own);
        }
        let zeros = self.zeros(merge)?;
        let flags_from = before.len();
        for &(block, _) in &arrivals {
            // (Without an edge that goes on, the inputs are gone.)
            let args = self.args_to_merge(block);
            args.truncate(flags_from);
            args.extend(zeros[flags_from..].iter().copied());
        }
        let mut at = flags_from + flags.len();
        for (number, jump) in passing.iter().enumerate() {
            for (block, args) in &jump.arrivals {
                let mut all = zeros.clone();
                if number < last {
                    all[flags_from + number] = Const::TRUE.into();
                }
                for (place, &own) in inputs[number].iter().enumerate() {
                    all[at + place] = args[own];
                }
                self.body.blocks[*block].exit = Exit::Break(construct, all);
            }
            at += inputs[number].len();
        }
        self.go_on(merge, owner, &flags, passing, brought, goes_on)
    }

    /// Ends a merge block by tests of the flags; its contents follow them.
    fn go_on(
        &mut self,
        merge: Block,
        owner: Block,
        flags: &[Local],
        passing: Vec<Passing>,
        brought: Vec<Args>,
        goes_on: bool,
    ) -> Option<()> {
        self.count += 1;
        self.entered[merge] = self.count;
        for &input in &self.body.blocks[merge].inputs {
            self.homes[input] = Some(merge);
        }
        let rest = if goes_on { Some(self.split(merge)) } else { None };
        let mut at = merge;
        let mut jumps = passing.iter().zip(brought);
        for &flag in flags {
            let (jump, args) = jumps.next()?;
            let then = self.new_block(jump.exit(args.clone()), merge);
            let otherwise = self.new_block(Exit::Merge(Args::new()), merge);
            let is_last = goes_on && jumps.len() == 0;
            let next = if is_last { rest? } else { self.new_block(Exit::Open, merge) };
            self.body.blocks[at].exit = Exit::If { condition: flag.into(), then, otherwise, merge: next };
            self.jump(then, jump.owner, jump.is_continue, args)?;
            at = next;
        }
        if let Some((jump, args)) = jumps.next() {
            self.body.blocks[at].exit = jump.exit(args.clone());
            return self.jump(at, jump.owner, jump.is_continue, args);
        }
        self.block(rest?, owner)
    }

    /// The arguments that a jump passes on from a merge block, and the numbers of those that come through inputs of it.
    fn bring(&mut self, construct: Block, merge: Block, jump: &Passing) -> (Args, Vec<usize>) {
        let mut args = Args::new();
        let mut own = vec![];
        let inputs = self.body.blocks[jump.target].inputs.clone();
        for (number, &input) in inputs.iter().enumerate() {
            let first = jump.arrivals[0].1[number];
            let is_same = jump.arrivals.iter().all(|(_, args)| args[number] == first);
            if is_same && self.is_visible(first, construct) {
                args.push(first);
                continue;
            }
            let (ty, precision) = (self.body.local_type(input), self.body.local(input).precision);
            let new = self.body.add_input(merge, ty, precision);
            if let Some(var) = self.body.origin(input) {
                self.body.set_origin(new, var);
            }
            args.push(new.into());
            own.push(number);
        }
        (args, own)
    }

    /// Whether a value is there after a construct, as it was before.
    fn is_visible(&self, value: Value, construct: Block) -> bool {
        let Some(local) = value.as_local() else { return true };
        let home = match self.body.local(local).def {
            LocalDef::Input(block, _) => Some(block),
            LocalDef::Result(..) => self.homes[local],
        };
        home.is_some_and(|home| self.entered[home] <= self.entered[construct])
    }

    /// The arguments that a block passes to the merge block of the innermost construct.
    fn args_to_merge(&mut self, block: Block) -> &mut Args {
        match &mut self.body.blocks[block].exit {
            Exit::Merge(args) | Exit::Break(_, args) | Exit::Switch { args, .. } => args,
            Exit::LoopIf { merge_args, .. } => merge_args,
            exit => unreachable!("{exit:?} passes nothing"),
        }
    }

    /// Lets a value be called something in outputs.
    fn name(&mut self, local: Local, name: &str) {
        let known = self.module.vars.iter().find(|(_, data)| data.ty == Type::BOOL && &*data.name.text == name);
        let var = known.map(|(var, _)| var);
        let var = var.unwrap_or_else(|| {
            self.module.add_var(Name::new(name, NameSource::Temporary), Type::BOOL, AddressSpace::Function)
        });
        self.body.set_origin(local, var);
    }
}
