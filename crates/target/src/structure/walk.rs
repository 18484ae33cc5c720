//! The walk that calls the hooks.

use planish_ir::arena::SideTable;
use planish_ir::entity::Block;
use planish_ir::function::{Body, Case, Exit};
use planish_ir::walk::BlockKind;
use smallvec::SmallVec;

use super::{Arm, Arms, If, Jump, Label, Loop, LoopIf, Only, StructuredWriter, Switch};

/// Writes a placed body. O(its size), with memory bounded by the nesting depth and the number of blocks.
///
/// # Errors
/// The first one of a hook.
pub fn write<'b, W: StructuredWriter<'b>>(writer: &mut W, body: &'b Body) -> Result<(), W::Error> {
    Walk::default().write(writer, body)
}

/// The construct that a chain of blocks belongs to, and its part in that.
#[derive(Clone, Copy, Debug)]
struct Chain {
    owner: Block,
    kind: BlockKind,
}

#[derive(Clone, Copy, Debug)]
enum Task {
    Chain(Block, Chain),
    Else(Block),
    EndIf(Block),
    Body(Block),
    EndBody(Block),
    EndLoop(Block),
    Case(Block, usize),
    EndCase(Block, usize),
    EndSwitch(Block),
    EndLabelled(Block),
    Merge(Block, Chain),
}

/// The tables of the walk, which can be reused for the next function.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    tasks: Vec<Task>,
    reached: SideTable<Block, bool>,
    /// Loops (by owner) whose continue block is being walked.
    in_next: SideTable<Block, bool>,
}

impl Walk {
    /// As [`write()`].
    ///
    /// # Errors
    /// The first one of a hook.
    pub fn write<'b, W: StructuredWriter<'b>>(&mut self, writer: &mut W, body: &'b Body) -> Result<(), W::Error> {
        self.tasks.clear();
        self.reached.clear();
        self.in_next.clear();
        self.tasks.push(Task::Chain(body.entry, Chain { owner: body.entry, kind: BlockKind::Entry }));
        while let Some(task) = self.tasks.pop() {
            self.step(writer, body, task)?;
        }
        Ok(())
    }

    fn step<'b, W: StructuredWriter<'b>>(
        &mut self,
        writer: &mut W,
        body: &'b Body,
        task: Task,
    ) -> Result<(), W::Error> {
        let the_loop = |owner| Loop::of(body, owner).expect("a loop was begun");
        let the_switch = |owner| Switch::of(body, owner).expect("a switch was begun");
        match task {
            Task::Chain(block, chain) => {
                if writer.block(block)? {
                    self.exit(writer, body, block, chain)?;
                }
            }
            Task::Else(owner) => writer.else_(owner)?,
            Task::EndIf(owner) => writer.end_if(owner)?,
            Task::Body(owner) => {
                let l = the_loop(owner);
                if self.reached[l.body] {
                    writer.begin_body(&l)?;
                    let chain = Chain { owner, kind: BlockKind::LoopBody };
                    self.tasks.extend([Task::EndBody(owner), Task::Chain(l.body, chain)]);
                }
            }
            Task::EndBody(owner) => {
                let l = the_loop(owner);
                let reached = l.next.is_some_and(|next| self.reached[next]);
                if writer.end_body(&l, reached)?
                    && let Some(next) = l.next
                {
                    self.in_next[owner] = !l.tests_last;
                    let kind = if l.tests_last { BlockKind::Condition } else { BlockKind::Next };
                    self.tasks.push(Task::Chain(next, Chain { owner, kind }));
                }
            }
            Task::EndLoop(owner) => writer.end_loop(&the_loop(owner))?,
            Task::Case(owner, number) => {
                let switch = the_switch(owner);
                self.tasks.push(Task::EndCase(owner, number));
                let (block, chain) =
                    (switch.cases[number].block, Chain { owner, kind: BlockKind::Case(number as u32) });
                if writer.begin_case(&switch, number)? {
                    self.tasks.push(Task::Chain(block, chain));
                } else {
                    let only = self.only(body, block, chain);
                    self.reach(only);
                }
            }
            Task::EndCase(owner, number) => {
                let switch = the_switch(owner);
                writer.end_case(&switch, number)?;
                self.case(owner, number + 1, switch.cases.len());
            }
            Task::EndSwitch(owner) => writer.end_switch(&the_switch(owner))?,
            Task::EndLabelled(owner) => writer.end_labelled(owner)?,
            Task::Merge(owner, chain) => {
                let merge = body.blocks[owner].exit.merge_block().expect("a construct was begun");
                if writer.merge(owner, merge, self.reached[merge])? {
                    self.tasks.push(Task::Chain(merge, chain));
                }
            }
        }
        Ok(())
    }

    fn case(&mut self, owner: Block, number: usize, count: usize) {
        self.tasks.push(if number < count { Task::Case(owner, number) } else { Task::EndSwitch(owner) });
    }

    fn exit<'b, W: StructuredWriter<'b>>(
        &mut self,
        writer: &mut W,
        body: &'b Body,
        block: Block,
        chain: Chain,
    ) -> Result<(), W::Error> {
        let exit = &body.blocks[block].exit;
        match *exit {
            Exit::If { condition, then, otherwise, merge } => {
                let arms = [(then, BlockKind::Then), (otherwise, BlockKind::Otherwise)]
                    .map(|(arm, kind)| Arm { block: arm, only: self.only(body, arm, Chain { owner: block, kind }) });
                self.tasks.push(Task::Merge(block, chain));
                self.branch(writer, &If { owner: block, condition, arms, merge })?;
            }
            Exit::Loop { condition, .. } => {
                writer.begin_loop(&Loop::of(body, block).expect("it is a loop"))?;
                let inside = Chain { owner: block, kind: BlockKind::Condition };
                self.tasks.extend([Task::Merge(block, chain), Task::EndLoop(block), Task::Body(block)]);
                self.tasks.push(Task::Chain(condition, inside));
            }
            Exit::DoLoop { body: first, .. } => {
                writer.begin_loop(&Loop::of(body, block).expect("it is a loop"))?;
                self.reached[first] = true;
                self.tasks.extend([Task::Merge(block, chain), Task::EndLoop(block), Task::Body(block)]);
            }
            Exit::Switch { ref cases, merge, .. } => {
                let switch = Switch::of(body, block).expect("it is a switch");
                let arm = |(number, case): (usize, &Case)| {
                    let chain = Chain { owner: block, kind: BlockKind::Case(number as u32) };
                    Arm { block: case.block, only: self.only(body, case.block, chain) }
                };
                let arms: SmallVec<[Arm<'b>; 8]> = cases.iter().enumerate().map(arm).collect();
                writer.begin_switch(&switch, &arms)?;
                self.reached[merge] |= switch.default_case().is_none();
                self.tasks.push(Task::Merge(block, chain));
                self.case(block, 0, cases.len());
            }
            Exit::Labelled { body: inner, merge } => {
                writer.begin_labelled(block, merge)?;
                let inside = Chain { owner: block, kind: BlockKind::LabelledBody };
                self.tasks.extend([Task::Merge(block, chain), Task::EndLabelled(block), Task::Chain(inner, inside)]);
            }
            Exit::NextBlock { merge } => {
                writer.next_block(block)?;
                self.tasks.push(Task::Chain(merge, chain));
            }
            Exit::LoopIf { condition, ref body_args, ref merge_args } => {
                let l = Loop::of(body, chain.owner).expect("a condition belongs to a loop");
                let test = LoopIf { block, condition, body_args, merge_args };
                writer.loop_if(&l, &test)?;
                self.reached[l.body] = true;
                self.reached[l.merge] |= !test.always();
            }
            Exit::Open | Exit::Return(_) | Exit::Discard | Exit::Trap(_) => writer.leave(block, exit)?,
            Exit::Merge(_) | Exit::Break(..) | Exit::Continue(..) | Exit::Passthrough => {
                let jump = self.jump(body, exit, chain).expect("it is a jump");
                self.reached[jump.block] = true;
                writer.jump(&jump)?;
            }
        }
        Ok(())
    }

    fn branch<'b, W: StructuredWriter<'b>>(&mut self, writer: &mut W, branch: &If<'b>) -> Result<(), W::Error> {
        let owner = branch.owner;
        let Arms { inside: [first, second], after } = writer.begin_if(branch)?;
        for arm in branch.arms {
            if ![first, second, after].contains(&Some(arm.block)) {
                self.reach(arm.only);
            }
        }
        let [then, otherwise] = [BlockKind::Then, BlockKind::Otherwise].map(|kind| Chain { owner, kind });
        let chain = |arm: Block| Task::Chain(arm, if arm == branch.arms[0].block { then } else { otherwise });
        self.tasks.extend(after.map(chain));
        if let Some(first) = first {
            self.tasks.push(Task::EndIf(owner));
            self.tasks.extend(second.into_iter().flat_map(|second| [chain(second), Task::Else(owner)]));
            self.tasks.push(chain(first));
        }
        Ok(())
    }

    /// Notes the jump of an arm that the writer has written itself.
    fn reach(&mut self, only: Option<Only<'_>>) {
        if let Some(Only::Jump(jump)) = only {
            self.reached[jump.block] = true;
        }
    }

    fn only<'b>(&self, body: &'b Body, block: Block, chain: Chain) -> Option<Only<'b>> {
        let data = &body.blocks[block];
        if !data.nodes.is_empty() || !data.variables.is_empty() {
            return None;
        }
        match &data.exit {
            exit @ (Exit::Return(_) | Exit::Discard | Exit::Trap(_)) => Some(Only::Leave(exit)),
            exit => self.jump(body, exit, chain).map(Only::Jump),
        }
    }

    /// The jump that an exit of a chain is.
    fn jump<'b>(&self, body: &'b Body, exit: &'b Exit, chain: Chain) -> Option<Jump<'b>> {
        let merge_of = |owner: Block| body.blocks[owner].exit.merge_block().expect("only constructs are left");
        let jump = |owner, label, block, args, falls| Some(Jump { owner, label, block, args, falls });
        match *exit {
            Exit::Merge(ref args) => jump(chain.owner, Label::Merge, merge_of(chain.owner), args, true),
            Exit::Break(owner, ref args) => {
                let falls = owner == chain.owner && chain.kind == BlockKind::LabelledBody;
                jump(owner, Label::Merge, merge_of(owner), args, falls)
            }
            Exit::Continue(owner, ref args) => {
                let l = Loop::of(body, owner).expect("only loops go on");
                let is_last = |kind| owner == chain.owner && chain.kind == kind;
                match l.next.filter(|_| !self.in_next[owner]) {
                    Some(next) => jump(owner, Label::Next, next, args, is_last(BlockKind::LoopBody)),
                    None => {
                        let last = if l.next.is_some() { BlockKind::Next } else { BlockKind::LoopBody };
                        jump(owner, Label::Head, l.head, args, is_last(last))
                    }
                }
            }
            Exit::Passthrough => {
                let (Exit::Switch { cases, .. }, BlockKind::Case(number)) =
                    (&body.blocks[chain.owner].exit, chain.kind)
                else {
                    return None;
                };
                let next = cases.get(number as usize + 1)?;
                jump(chain.owner, Label::Case(number + 1), next.block, &[], true)
            }
            _ => None,
        }
    }
}
