//! Exits of blocks, as `planish_ir::function::Exit` describes them.

use planish_ir::entity::{Block, Value as Operand};
use planish_ir::function::Exit;

use crate::machine::Reference;
use crate::stop::Stop;
use crate::value::Value;

/// A construct around the running block.
pub(crate) struct Construct {
    /// The block that the construct ends, which identifies it.
    owner: Block,
    /// The part of it that contains the running block.
    inside: Inside,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// An arm of an `If`, or the body of a `Labelled`.
    Arm,
    /// The condition or the body of a loop.
    Loop,
    /// The continue block of a `Loop`.
    Next,
    /// A case of a `Switch`, by index.
    Case(usize),
}

impl<'m> Reference<'m> {
    /// Executes the exit of the running block. Returns the results once the outermost function has returned.
    pub(crate) fn exit(&mut self, exit: &Exit) -> Result<Option<Vec<Value>>, Stop> {
        let owner = self.frame().block;
        match exit {
            Exit::Open => return Err(Stop::Malformed("a block without an end")),
            Exit::If { condition, then, otherwise, .. } => {
                let arm = if self.is_true(*condition)? { *then } else { *otherwise };
                self.enter_construct(owner, Inside::Arm, arm)?;
            }
            Exit::Labelled { body, .. } => self.enter_construct(owner, Inside::Arm, *body)?,
            Exit::Loop { args, condition: first, .. } | Exit::DoLoop { args, body: first, .. } => {
                self.pass_arguments(*first, args)?;
                self.enter_construct(owner, Inside::Loop, *first)?;
            }
            Exit::Switch { selector, cases, args, merge } => {
                let selector = self.operand(*selector)?;
                let is_it = |case: &planish_ir::function::Case| {
                    case.values.iter().any(|&value| Value::constant(self.module, value) == selector)
                };
                match cases.iter().position(is_it).or_else(|| cases.iter().position(|case| case.is_default)) {
                    Some(case) => self.enter_construct(owner, Inside::Case(case), cases[case].block)?,
                    None => {
                        self.pass_arguments(*merge, args)?;
                        self.go_to(*merge)?;
                    }
                }
            }
            Exit::NextBlock { merge } => self.go_to(*merge)?,
            Exit::Merge(args) => {
                let construct = self.innermost()?;
                self.leave(construct, args)?;
            }
            Exit::Break(label, args) => self.leave(*label, args)?,
            Exit::Continue(label, args) => self.continue_with(*label, args)?,
            Exit::LoopIf { condition, body_args, merge_args } => {
                let construct = self.innermost()?;
                if self.is_true(*condition)? {
                    let (Exit::Loop { body, .. } | Exit::DoLoop { body, .. }) = self.exit_of(construct) else {
                        return Err(Stop::Malformed("a loop's condition outside a loop"));
                    };
                    self.pass_arguments(*body, body_args)?;
                    self.go_to(*body)?;
                } else {
                    self.leave(construct, merge_args)?;
                }
            }
            Exit::Passthrough => self.pass_through()?,
            Exit::Return(args) => {
                let results = self.operands(args)?;
                return self.return_with(results);
            }
            Exit::Discard => return Err(Stop::Discarded),
            Exit::Trap(kind) => return Err(Stop::Trap(*kind)),
        }
        Ok(None)
    }

    fn is_true(&mut self, condition: Operand) -> Result<bool, Stop> {
        match self.operand(condition)? {
            Value::Bool(condition) => Ok(condition),
            _ => Err(Stop::Malformed("a condition that is not a boolean")),
        }
    }

    /// Assigns the inputs of a block. All operands are read before any input is written.
    fn pass_arguments(&mut self, block: Block, args: &[Operand]) -> Result<(), Stop> {
        let values = self.operands(args)?;
        let inputs = self.frame().body.blocks[block].inputs.clone();
        inputs.into_iter().zip(values).for_each(|(input, value)| self.set_local(input, value));
        Ok(())
    }

    fn enter_construct(&mut self, owner: Block, inside: Inside, block: Block) -> Result<(), Stop> {
        self.frame().constructs.push(Construct { owner, inside });
        self.go_to(block)
    }

    /// The exit of a construct.
    fn exit_of(&mut self, construct: Block) -> &'m Exit {
        let body = self.frame().body;
        &body.blocks[construct].exit
    }

    fn innermost(&mut self) -> Result<Block, Stop> {
        let construct = self.frame().constructs.last().ok_or(Stop::Malformed("an exit without a construct"))?;
        Ok(construct.owner)
    }

    /// Leaves all constructs inside the labelled one, which is then the innermost.
    fn leave_until(&mut self, label: Block) -> Result<(), Stop> {
        let constructs = &mut self.frame().constructs;
        let at = constructs.iter().rposition(|construct| construct.owner == label);
        constructs.truncate(at.ok_or(Stop::Malformed("an exit out of a construct that is not around it"))? + 1);
        Ok(())
    }

    /// Leaves a construct and continues with its merge block.
    fn leave(&mut self, label: Block, args: &[Operand]) -> Result<(), Stop> {
        self.leave_until(label)?;
        self.frame().constructs.pop();
        let merge = self.exit_of(label).merge_block().ok_or(Stop::Malformed("a construct without a merge block"))?;
        self.pass_arguments(merge, args)?;
        self.go_to(merge)
    }

    /// Jumps to a loop's continue block, if it has one and is not in it; otherwise to its condition.
    fn continue_with(&mut self, label: Block, args: &[Operand]) -> Result<(), Stop> {
        self.leave_until(label)?;
        let now = self.frame().constructs.last().map(|construct| construct.inside);
        let (target, inside) = match *self.exit_of(label) {
            Exit::Loop { next: Some(next), .. } if now != Some(Inside::Next) => (next, Inside::Next),
            Exit::Loop { condition, .. } | Exit::DoLoop { condition, .. } => (condition, Inside::Loop),
            _ => return Err(Stop::Malformed("a continue of no loop")),
        };
        if let Some(construct) = self.frame().constructs.last_mut() {
            construct.inside = inside;
        }
        self.pass_arguments(target, args)?;
        self.go_to(target)
    }

    /// Continues with the next case of the switch, or after the last with the merge block.
    fn pass_through(&mut self) -> Result<(), Stop> {
        let label = self.innermost()?;
        let constructs = &mut self.frame().constructs;
        let Some(Construct { inside: Inside::Case(case), .. }) = constructs.last_mut() else {
            return Err(Stop::Malformed("a passthrough outside a switch"));
        };
        *case += 1;
        let next = *case;
        match self.exit_of(label) {
            Exit::Switch { cases, .. } if next < cases.len() => {
                let block = cases[next].block;
                self.go_to(block)
            }
            _ => self.leave(label, &[]),
        }
    }
}
