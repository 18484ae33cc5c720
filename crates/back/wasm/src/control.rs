//! Constructs: from the IR's tree of blocks to WebAssembly's blocks and jumps.
//!
//! ```text
//! Labelled     block (results) body end
//! If           if (results) … else … end;  cond br_if label;  if (what leaves) end …
//! Loop         [block] loop cond if body br 0 else … end end [end]
//! DoLoop       [block] loop [block] body [end] condition br_if 0 end [end]
//! Switch       block block … selector br_table end case end case end
//! ```
//!
//! What feeds the inputs of a block goes into their local variables, unless it is there already, or is left on the stack at
//! the end of the construct, as [`crate::share`] says. All values are on the stack before the first variable is set, so
//! copies need no order.
//!
//! The tree is walked with a list of what is still to do, so nesting costs no stack frame.

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Block, Local, Value, ValueKind};
use planish_ir::expressions::Effects;
use planish_ir::function::{Case, Exit, TrapKind};
use planish_ir::types::Scalar;
use smallvec::SmallVec;
use wasm_encoder::{Instruction as I, ValType};

use crate::code::Slot;
use crate::function::Emitter;

/// What a label of the output is to the construct that it belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Role {
    /// Leaving it.
    Merge,
    /// The next round of a loop.
    Head,
    /// The continue block of a `Loop`, the condition of a `DoLoop`.
    Next,
}

/// Something still to do.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// A chain of blocks.
    Block(Block),
    /// The values on the stack are inputs of a block.
    Inputs(Block),
    /// An output block begins.
    Begin(Begin, Vec<ValType>, Option<(Block, Role)>),
    /// The other arm of an `if`.
    Else,
    /// The innermost output block ends.
    End,
    /// What the inputs of a block get.
    Feed(Fed),
    /// A jump.
    Jump(Block, Role),
}

/// What the inputs of a block get.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fed {
    /// What is evaluated, all of it before the first slot is set.
    values: SmallVec<[Value; 4]>,
    /// Where the last ones of these values go.
    slots: SmallVec<[Slot; 4]>,
    /// Constants stay what they are while slots are set.
    constants: SmallVec<[(Value, Slot); 2]>,
}

impl Fed {
    /// Whether there is nothing to do.
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.constants.is_empty()
    }

    fn sets(&self, slot: Slot) -> bool {
        self.slots.contains(&slot) || self.constants.iter().any(|c| c.1 == slot)
    }
}

/// A kind of block of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begin {
    Block,
    Loop,
    If,
}

/// Entries of a table for each case at most; where there would be more, the cases are compared one after the other.
const SPARSE: i128 = 4;

impl Emitter<'_> {
    pub(crate) fn task(&mut self, task: Task) {
        match task {
            Task::Block(block) => {
                if !self.nodes(block) {
                    self.exit(block);
                }
            }
            Task::Inputs(block) => {
                for input in self.stacked(block).into_iter().rev() {
                    let slot = self.slot(input);
                    self.code.set(slot);
                }
            }
            Task::Begin(kind, results, label) => {
                let ty = self.signatures.block(&results);
                self.code.push(match kind {
                    Begin::Block => I::Block(ty),
                    Begin::Loop => I::Loop(ty),
                    Begin::If => I::If(ty),
                });
                if let Some(label) = label {
                    self.depths.insert(label, self.frames.len());
                }
                self.frames.push(label);
                self.loops.push(kind == Begin::Loop);
            }
            Task::Else => self.code.push(I::Else),
            Task::End => {
                if let Some(label) = self.frames.pop().flatten() {
                    self.depths.remove(&label);
                }
                let is_loop = self.loops.pop().unwrap_or(false);
                self.code.end(is_loop);
            }
            Task::Feed(fed) => self.feed(&fed),
            Task::Jump(owner, role) => self.jump(owner, role),
        }
    }

    /// Does these next, in this order.
    fn then(&mut self, tasks: impl IntoIterator<Item = Task, IntoIter: DoubleEndedIterator>) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The inputs of a block that come to it on the stack.
    fn stacked(&self, block: Block) -> SmallVec<[Local; 4]> {
        let inputs = self.body.blocks[block].inputs.iter().copied();
        inputs.filter(|&i| self.is_read(i) && !self.shared.in_slot[i]).collect()
    }

    fn stacked_types(&mut self, block: Block) -> Vec<ValType> {
        let span = self.body.blocks[block].exit_span;
        self.stacked(block).into_iter().map(|i| self.type_of(i.into(), span)).collect()
    }

    /// Whether an input has its slot from the value that it gets, which then stays where it is.
    fn is_there(&self, input: Local, value: Value) -> bool {
        let value = self.uses.resolve(value).as_local();
        self.shared.in_slot[input] && value.is_some_and(|v| self.shared.root(v) == self.shared.root(input))
    }

    /// What must be done to feed a block.
    fn fed(&mut self, block: Block, args: &[Value]) -> Fed {
        let body = self.body;
        let mut fed = Fed::default();
        for in_slot in [false, true] {
            for (&input, &arg) in body.blocks[block].inputs.iter().zip(args) {
                if !self.is_read(input) || self.shared.in_slot[input] != in_slot || self.is_there(input, arg) {
                    continue;
                }
                if in_slot && self.uses.resolve(arg).as_const().is_some() {
                    fed.constants.push((arg, self.slot(input)));
                    continue;
                }
                fed.values.push(arg);
                if in_slot {
                    fed.slots.push(self.slot(input));
                }
            }
        }
        fed
    }

    /// Whether nothing must be done to feed a block.
    fn is_fed(&self, block: Block, args: &[Value]) -> bool {
        let mut inputs = self.body.blocks[block].inputs.iter().zip(args);
        inputs.all(|(&input, &arg)| !self.is_read(input) || self.is_there(input, arg))
    }

    /// How many blocks out a label is.
    fn depth(&self, owner: Block, role: Role) -> u32 {
        (self.frames.len() - 1 - self.depths[&(owner, role)]) as u32
    }

    fn jump(&mut self, owner: Block, role: Role) {
        let depth = self.depth(owner, role);
        self.code.push(I::Br(depth));
    }

    /// Evaluates all that waits, and then these values, on the stack; what else waits comes before.
    fn last(&mut self, values: &[Value]) {
        self.settle(values, Some(Effects::ALL));
        self.evaluate_waiting(values);
        self.take(values);
        self.values(values);
    }

    /// Puts the values for the inputs of a block where they belong.
    fn feed(&mut self, fed: &Fed) {
        self.values(&fed.values);
        for &slot in fed.slots.iter().rev() {
            self.code.set(slot);
        }
        for &(constant, slot) in &fed.constants {
            self.value(constant);
            self.code.set(slot);
        }
    }

    /// As [`Self::feed`], at the end of a block.
    fn feed_last(&mut self, fed: &Fed) {
        self.settle(&fed.values, Some(Effects::ALL));
        self.evaluate_waiting(&fed.values);
        self.take(&fed.values);
        self.feed(fed);
    }

    fn exit(&mut self, block: Block) {
        let body = self.body;
        let data = &body.blocks[block];
        let target = |index: usize| self.uses.tree.edges(body, block)[index].0;
        match &data.exit {
            Exit::Open => unreachable!("a valid module has no open block"),
            Exit::If { condition, then, otherwise, merge } => self.branch(*condition, [*then, *otherwise], *merge),
            Exit::Loop { args, condition, merge, .. } => {
                let fed = self.fed(*condition, args);
                self.feed_last(&fed);
                self.enter_loop(block, *merge, vec![Task::Block(*condition)]);
            }
            Exit::DoLoop { args, body: rounds, condition, merge } => {
                let fed = self.fed(*rounds, args);
                self.feed_last(&fed);
                let tasks = self.round(block, *rounds, *condition);
                self.enter_loop(block, *merge, tasks);
            }
            Exit::Switch { selector, cases, args, merge } => self.switch(block, *selector, cases, args, *merge),
            Exit::Labelled { body: inside, merge } => {
                self.last(&[]);
                let inside = Task::Block(*inside);
                let tasks = self.labelled(block, *merge, vec![inside]);
                self.then(tasks);
            }
            Exit::NextBlock { merge } => {
                self.last(&[]);
                self.then([Task::Block(*merge)]);
            }
            Exit::Merge(args) => {
                let merge = self.uses.tree.place(block).and_then(|p| p.owner).map(|o| &body.blocks[o].exit);
                let merge = merge.and_then(Exit::merge_block).expect("arms hang from a construct");
                let fed = self.fed(merge, args);
                self.feed_last(&fed);
            }
            Exit::Break(owner, args) => {
                let fed = self.fed(target(0), args);
                self.feed_last(&fed);
                self.jump(*owner, Role::Merge);
            }
            Exit::Continue(owner, args) => self.next_round(*owner, target(0), args),
            Exit::LoopIf { .. } => self.loop_if(block),
            Exit::Passthrough => self.last(&[]),
            Exit::Return(args) => {
                self.last(args);
                if !self.frames.is_empty() || !self.tasks.is_empty() {
                    self.code.push(I::Return);
                }
            }
            Exit::Discard => {
                let text = "WebAssembly has no fragments to discard".to_owned();
                self.error(ErrorCode::E0608, data.exit_span, text);
            }
            Exit::Trap(kind) => {
                self.last(&[]);
                self.trap(*kind);
            }
        }
    }

    /// The end of the program. WebAssembly has one instruction that does nothing else; a trap of another kind is what it is
    /// of the operation that has it.
    fn trap(&mut self, kind: TrapKind) {
        let code: &[I<'static>] = match kind {
            TrapKind::DivisionByZero => &[I::I32Const(1), I::I32Const(0), I::I32DivU, I::Drop],
            TrapKind::IntegerOverflow => &[I::I32Const(i32::MIN), I::I32Const(-1), I::I32DivS, I::Drop],
            TrapKind::InvalidConversion => {
                &[I::F32Const(wasm_encoder::Ieee32::new(0x7fc0_0000)), I::I32TruncF32S, I::Drop]
            }
            TrapKind::Unreachable
            | TrapKind::OutOfBoundsMemory
            | TrapKind::OutOfBoundsTable
            | TrapKind::UninitializedElement
            | TrapKind::IndirectCallType
            | TrapKind::StackOverflow
            | TrapKind::User => &[],
        };
        for instruction in code {
            self.code.push(instruction.clone());
        }
        if !self.code.has_left() {
            self.code.push(I::Unreachable);
        }
    }

    /// What goes around the inside of a construct that inner jumps may leave, and what follows it.
    fn labelled(&mut self, owner: Block, merge: Block, inside: Vec<Task>) -> Vec<Task> {
        let mut tasks = inside;
        if self.uses.broken[owner] {
            let results = self.stacked_types(merge);
            tasks.insert(0, Task::Begin(Begin::Block, results, Some((owner, Role::Merge))));
            tasks.push(Task::End);
        }
        tasks.extend([Task::Inputs(merge), Task::Block(merge)]);
        tasks
    }

    fn enter_loop(&mut self, owner: Block, merge: Block, rounds: Vec<Task>) {
        let results = self.stacked_types(merge);
        let mut inside = vec![Task::Begin(Begin::Loop, results, Some((owner, Role::Head)))];
        inside.extend(rounds);
        inside.push(Task::End);
        let tasks = self.labelled(owner, merge, inside);
        self.then(tasks);
    }

    /// The body of a loop and what follows it in a round.
    fn round(&mut self, owner: Block, inside: Block, next: Block) -> Vec<Task> {
        let mut tasks = vec![Task::Block(inside)];
        if self.uses.continued[owner] {
            let results = self.stacked_types(next);
            tasks.insert(0, Task::Begin(Begin::Block, results, Some((owner, Role::Next))));
            tasks.push(Task::End);
        }
        tasks.extend([Task::Inputs(next), Task::Block(next)]);
        tasks
    }

    fn next_round(&mut self, owner: Block, target: Block, args: &[Value]) {
        let fed = self.fed(target, args);
        self.feed_last(&fed);
        let to_head = matches!(self.body.blocks[owner].exit, Exit::Loop { condition, .. } if condition == target);
        if to_head {
            self.jump(owner, Role::Head);
        } else if self.uses.continued[owner] {
            self.jump(owner, Role::Next);
        }
    }

    fn loop_if(&mut self, block: Block) {
        let body = self.body;
        let Exit::LoopIf { condition, body_args, merge_args } = &body.blocks[block].exit else { return };
        let owner = self.uses.tree.place(block).and_then(|p| p.owner).expect("it ends the condition of a loop");
        let merge = body.blocks[owner].exit.merge_block().expect("loops have one");
        let merged = self.fed(merge, merge_args);
        self.settle(&[*condition], Some(Effects::ALL));
        self.evaluate_waiting(&[*condition]);
        self.take(&[*condition]);
        match body.blocks[owner].exit {
            Exit::DoLoop { body: rounds, .. } => {
                let fed = self.fed(rounds, body_args);
                self.repeat_if(owner, *condition, &fed, (merge, &merged));
            }
            Exit::Loop { body: inside, next, .. } => {
                let fed = self.fed(inside, body_args);
                let round = match next {
                    Some(next) => self.round(owner, inside, next),
                    None => vec![Task::Block(inside)],
                };
                self.go_on_if(owner, *condition, &fed, merged, round);
            }
            _ => unreachable!("only loops have a condition"),
        }
    }

    /// The condition at the end of a round.
    fn repeat_if(&mut self, owner: Block, condition: Value, fed: &Fed, (merge, merged): (Block, &Fed)) {
        self.condition(condition, false);
        // What is fed before the jump is fed on the way out, too.
        let inputs = &self.body.blocks[merge].inputs;
        let kept: SmallVec<[Local; 4]> = inputs.iter().copied().filter(|&i| self.is_read(i)).collect();
        let spoils = kept.into_iter().any(|input| fed.sets(self.slot(input)));
        if fed.is_empty() || merged.is_empty() && !spoils {
            self.feed(fed);
            let depth = self.depth(owner, Role::Head);
            self.code.push(I::BrIf(depth));
        } else {
            self.code.push(I::If(wasm_encoder::BlockType::Empty));
            self.feed(fed);
            let depth = self.depth(owner, Role::Head) + 1;
            self.code.push(I::Br(depth));
            self.code.push(I::End);
        }
        self.feed(merged);
    }

    /// The condition at the beginning of a round.
    fn go_on_if(&mut self, owner: Block, condition: Value, fed: &Fed, merged: Fed, round: Vec<Task>) {
        let always = condition.as_const().is_some_and(|c| self.module.consts.as_bits(c) == Some(1));
        if always {
            self.feed(fed);
            self.then(round);
        } else if self.uses.broken[owner] && merged.is_empty() {
            self.condition(condition, true);
            let depth = self.depth(owner, Role::Merge);
            self.code.push(I::BrIf(depth));
            self.feed(fed);
            self.then(round);
        } else {
            let merge = self.body.blocks[owner].exit.merge_block().expect("loops have one");
            let results = self.stacked_types(merge);
            self.condition(condition, false);
            self.task(Task::Begin(Begin::If, results, None));
            self.feed(fed);
            let mut tasks = round;
            if !merged.is_empty() {
                tasks.extend([Task::Else, Task::Feed(merged)]);
            }
            tasks.push(Task::End);
            self.then(tasks);
        }
    }

    /// The jump that is all there is of an arm: how far it goes, and what it takes along, if that is one value at hand.
    fn bare_jump(&mut self, arm: Block) -> Option<(u32, Option<Value>)> {
        let data = &self.body.blocks[arm];
        if !data.nodes.is_empty() || !data.variables.is_empty() {
            return None;
        }
        let (depth, values) = match &data.exit {
            Exit::Break(owner, args) | Exit::Continue(owner, args) => {
                let target = self.uses.tree.edges(self.body, arm)[0].0;
                let role = match (&data.exit, &self.body.blocks[*owner].exit) {
                    (Exit::Break(..), _) => Role::Merge,
                    (_, Exit::Loop { condition, .. }) if *condition == target => Role::Head,
                    _ => Role::Next,
                };
                let fed = self.fed(target, args);
                if !fed.slots.is_empty() || !fed.constants.is_empty() {
                    return None;
                }
                (self.depth(*owner, role), fed.values)
            }
            Exit::Return(args) => (self.frames.len() as u32, args.clone()),
            _ => return None,
        };
        let is_at_hand = |value: Value| match self.uses.resolve(value).kind() {
            ValueKind::Const(_) => true,
            ValueKind::Local(local) => self.waiting.get(local).is_none(),
            ValueKind::Var(_) | ValueKind::Func(_) => false,
        };
        match values[..] {
            [] => Some((depth, None)),
            [value] if is_at_hand(value) => Some((depth, Some(value))),
            _ => None,
        }
    }

    /// Whether nothing happens in an arm, and nothing must be done with what comes of it.
    fn is_empty(&self, arm: Block, merge: Block) -> bool {
        let data = &self.body.blocks[arm];
        let Exit::Merge(args) = &data.exit else { return false };
        data.nodes.is_empty() && data.variables.is_empty() && self.is_fed(merge, args)
    }

    /// Whether the chain that begins with an arm ends somewhere else than where the arms meet.
    fn leaves(&self, arm: Block) -> bool {
        let mut block = arm;
        while let Some(merge) = self.body.blocks[block].exit.merge_block() {
            block = merge;
        }
        !matches!(self.body.blocks[block].exit, Exit::Merge(_))
    }

    fn branch(&mut self, condition: Value, arms: [Block; 2], merge: Block) {
        self.settle(&[condition], Some(Effects::ALL));
        self.evaluate_waiting(&[condition]);
        self.take(&[condition]);
        let [then, otherwise] = arms;
        let behind = [Task::Inputs(merge), Task::Block(merge)];
        for (arm, other, negated) in [(then, otherwise, false), (otherwise, then, true)] {
            if let Some((depth, along)) = self.bare_jump(arm) {
                // It stays on the stack where there is no jump.
                self.values(along.as_slice());
                self.condition(condition, negated);
                self.code.push(I::BrIf(depth));
                if along.is_some() {
                    self.code.push(I::Drop);
                }
                self.then([Task::Block(other)].into_iter().chain(behind));
                return;
            }
        }
        let begin = |results| Task::Begin(Begin::If, results, None);
        for (arm, other, negated) in [(then, otherwise, false), (otherwise, then, true)] {
            if self.leaves(arm) {
                self.condition(condition, negated);
                let tasks = [begin(vec![]), Task::Block(arm), Task::End, Task::Block(other)];
                self.then(tasks.into_iter().chain(behind));
                return;
            }
        }
        let results = self.stacked_types(merge);
        let swap = self.is_empty(then, merge);
        let (first, second) = if swap { (otherwise, then) } else { (then, otherwise) };
        self.condition(condition, swap);
        let mut tasks = vec![begin(results.clone()), Task::Block(first)];
        if !self.is_empty(second, merge) {
            tasks.extend([Task::Else, Task::Block(second)]);
        }
        tasks.push(Task::End);
        self.then(tasks.into_iter().chain(behind));
    }

    fn switch(&mut self, owner: Block, selector: Value, cases: &[Case], args: &[Value], merge: Block) {
        let fed = self.fed(merge, args);
        self.settle(&[selector], Some(Effects::ALL));
        self.evaluate_waiting(&[selector]);
        self.take(&[selector]);
        let results = self.stacked_types(merge);
        // The blocks around are there before the selector is evaluated, which reads no labels.
        self.task(Task::Begin(Begin::Block, results, Some((owner, Role::Merge))));
        for _ in cases {
            self.task(Task::Begin(Begin::Block, vec![], None));
        }
        let fallback = cases.iter().position(|c| c.is_default);
        let feeds = fallback.is_none() && !fed.is_empty();
        if feeds {
            self.task(Task::Begin(Begin::Block, vec![], None));
        }
        let inner = u32::from(feeds);
        let otherwise = match fallback {
            Some(case) => case as u32,
            None if feeds => 0,
            None => cases.len() as u32,
        };
        let module = self.module;
        let targets = cases.iter().zip(inner..).flat_map(|(case, depth)| {
            case.values.iter().filter_map(move |&c| Some((module.consts.as_integer(&module.types, c)?, depth)))
        });
        let targets: Vec<(i128, u32)> = targets.collect();
        self.select_case(selector, &targets, otherwise);
        let mut tasks = Vec::new();
        if feeds {
            tasks.extend([Task::End, Task::Feed(fed), Task::Jump(owner, Role::Merge)]);
        }
        for case in cases {
            tasks.extend([Task::End, Task::Block(case.block)]);
        }
        tasks.extend([Task::End, Task::Inputs(merge), Task::Block(merge)]);
        self.then(tasks);
    }

    /// A jump to the target of the selector's value.
    fn select_case(&mut self, selector: Value, targets: &[(i128, u32)], otherwise: u32) {
        let ty = self.module.type_of(self.body, selector);
        let scalar = self.module.types.scalar_of(ty).unwrap_or(Scalar::I32);
        let low = targets.iter().map(|t| t.0).min().unwrap_or(0);
        let high = targets.iter().map(|t| t.0).max().unwrap_or(0);
        let low = if (0..=2).contains(&low) { 0 } else { low };
        let is_dense = high - low < SPARSE * targets.len() as i128 + SPARSE;
        self.value(selector);
        if is_dense && scalar.bits() == 32 {
            if low != 0 {
                self.integer(low as i64, scalar);
                self.code.push(I::I32Sub);
            }
            let mut table = vec![otherwise; if targets.is_empty() { 0 } else { (high - low + 1) as usize }];
            for &(value, depth) in targets {
                table[(value - low) as usize] = depth;
            }
            self.code.push(I::BrTable(table.into(), otherwise));
            return;
        }
        let slot = self.code.slot(if scalar.bits() == 64 { ValType::I64 } else { ValType::I32 });
        self.code.set(slot);
        for &(value, depth) in targets {
            self.code.get(slot);
            self.integer(value as i64, scalar);
            self.plain(planish_ir::ops::Op::Equal, scalar);
            self.code.push(I::BrIf(depth));
        }
        self.code.push(I::Br(otherwise));
    }
}
