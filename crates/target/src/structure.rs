//! Structured control flow: one walk over the tree of blocks, and the hooks with which a target writes it.
//!
//! A back end implements [`StructuredWriter`] and calls [`write`]. The walk keeps a stack of its own, so that nesting
//! costs no stack frame. It knows which construct a chain of blocks belongs to, where every jump goes and whether
//! control gets there without one ([`Jump::falls`]), and which merge blocks are reached; the hooks only say how the
//! target spells it. Their order, with the chains of blocks that are walked between them:
//!
//! ```text
//! If         begin_if  first arm  else_  second arm  end_if  [arm after the construct]   merge
//! Loop       begin_loop  condition  loop_if  begin_body  body  end_body  [next]  end_loop  merge
//! DoLoop     begin_loop  begin_body  body  end_body  condition  loop_if  end_loop          merge
//! Switch     begin_switch  (begin_case  case  end_case)…  end_switch                       merge
//! Labelled   begin_labelled  body  end_labelled                                            merge
//! NextBlock  next_block
//! ```
//!
//! Each chain consists of `block` for every block in it, and at its end `jump`, `loop_if` (of a condition) or `leave`.
//!
//! # Example
//! A target with braces, `break` and `continue` to labels, and values of inputs in variables:
//! ```
//! use std::convert::Infallible;
//! use std::fmt::Write;
//!
//! use planish_ir::entity::{Block, Value};
//! use planish_ir::function::{Body, Exit};
//! use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch, write};
//!
//! struct Printer<'b>(&'b Body, String);
//!
//! impl Printer<'_> {
//!     fn line(&mut self, text: String) {
//!         self.1.push_str(&text);
//!         self.1.push('\n');
//!     }
//!     fn set(&mut self, block: Block, args: &[Value]) {
//!         let inputs = self.0.blocks[block].inputs.clone();
//!         inputs.iter().zip(args).for_each(|(input, arg)| self.line(format!("{input} = {arg:?};")));
//!     }
//! }
//!
//! impl<'b> StructuredWriter<'b> for Printer<'b> {
//!     type Error = Infallible;
//!     fn block(&mut self, block: Block) -> Result<bool, Infallible> {
//!         let nodes = &self.0.blocks[block].nodes;
//!         nodes.iter().for_each(|&n| self.line(format!("{};", self.0.node(n).op.text())));
//!         Ok(true)
//!     }
//!     fn begin_if(&mut self, branch: &If<'b>) -> Result<Arms, Infallible> {
//!         self.line(format!("if {:?} {{", branch.condition));
//!         Ok(Arms::both(branch))
//!     }
//!     fn else_(&mut self, _: Block) -> Result<(), Infallible> {
//!         Ok(self.line("} else {".into()))
//!     }
//!     fn end_if(&mut self, _: Block) -> Result<(), Infallible> {
//!         Ok(self.line("}".into()))
//!     }
//!     fn begin_loop(&mut self, l: &Loop<'b>) -> Result<(), Infallible> {
//!         self.set(l.head, l.args);
//!         Ok(self.line(format!("{}: loop {{", l.owner)))
//!     }
//!     fn loop_if(&mut self, l: &Loop<'b>, test: &LoopIf<'b>) -> Result<(), Infallible> {
//!         if !test.always() {
//!             self.line(format!("if !{:?} {{", test.condition));
//!             self.set(l.merge, test.merge_args);
//!             self.line(format!("break {}; }}", l.owner));
//!         }
//!         Ok(self.set(l.body, test.body_args))
//!     }
//!     fn begin_body(&mut self, l: &Loop<'b>) -> Result<(), Infallible> {
//!         l.next.into_iter().for_each(|next| self.line(format!("{next}: {{")));
//!         Ok(())
//!     }
//!     fn end_body(&mut self, l: &Loop<'b>, reached: bool) -> Result<bool, Infallible> {
//!         l.next.into_iter().for_each(|_| self.line("}".into()));
//!         Ok(reached)
//!     }
//!     fn end_loop(&mut self, _: &Loop<'b>) -> Result<(), Infallible> {
//!         Ok(self.line("}".into()))
//!     }
//!     fn begin_switch(&mut self, s: &Switch<'b>, _: &[Arm<'b>]) -> Result<(), Infallible> {
//!         Ok(self.line(format!("{}: switch {:?} {{", s.owner, s.selector)))
//!     }
//!     fn begin_case(&mut self, s: &Switch<'b>, number: usize) -> Result<bool, Infallible> {
//!         self.line(format!("case {:?}:", s.cases[number].values));
//!         Ok(true)
//!     }
//!     fn end_switch(&mut self, _: &Switch<'b>) -> Result<(), Infallible> {
//!         Ok(self.line("}".into()))
//!     }
//!     fn begin_labelled(&mut self, owner: Block, _: Block) -> Result<(), Infallible> {
//!         Ok(self.line(format!("{owner}: {{")))
//!     }
//!     fn end_labelled(&mut self, _: Block) -> Result<(), Infallible> {
//!         Ok(self.line("}".into()))
//!     }
//!     fn jump(&mut self, jump: &Jump<'b>) -> Result<(), Infallible> {
//!         self.set(jump.block, jump.args);
//!         let word = if jump.label == Label::Head { "continue" } else { "break" };
//!         let label = if jump.label == Label::Next { jump.block } else { jump.owner };
//!         Ok(if !jump.falls { self.line(format!("{word} {label};")) })
//!     }
//!     fn leave(&mut self, _: Block, exit: &'b Exit) -> Result<(), Infallible> {
//!         if let Exit::Return(values) = exit { self.line(format!("return {values:?};")) }
//!         Ok(())
//!     }
//! }
//!
//! let text = "module ir
//!
//! fn @count(%0 n: i32) -> (i32) {
//! b0:
//!   loop %0 {
//!   cond b1(%1: i32):
//!     %2 = less_than %1, %0
//!     loop_if %2
//!   body b2:
//!     %3 = add %1, 1
//!     continue b0, %3
//!   }
//! b3:
//!   return %1
//! }
//! ";
//! let module = planish_ir::text::parse_str(text).unwrap();
//! let body = module.funcs.values().next().unwrap().body.as_ref().unwrap();
//! let mut printer = Printer(body, String::new());
//! let Ok(()) = write(&mut printer, body);
//! let expected = "r1 = r0;
//! b0: loop {
//! less_than;
//! if !r2 {
//! break b0; }
//! add;
//! r1 = r3;
//! }
//! return [r1];
//! ";
//! assert_eq!(printer.1, expected);
//! ```

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Body, Case, Exit};
use planish_ir::walk::BlockKind;
use smallvec::SmallVec;

/// A place that control jumps to, within the construct that a block ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Label {
    /// After the construct.
    Merge,
    /// The beginning of an iteration.
    Head,
    /// The continue block of a `Loop`, the condition of a `DoLoop`.
    Next,
    /// A case of a `Switch`, by number.
    Case(u32),
}

/// A jump with the values that it passes.
#[derive(Clone, Copy, Debug)]
pub struct Jump<'b> {
    /// The construct, by the block that it ends.
    pub owner: Block,
    /// The place in it.
    pub label: Label,
    /// The block there.
    pub block: Block,
    /// Arguments for the inputs of that block.
    pub args: &'b [Value],
    /// Whether control gets there from the end of the chain without a jump, as constructs are nested. (The end of a case is
    /// taken to go on with the next case, the end of an iteration with the next iteration.)
    pub falls: bool,
}

/// The only thing that an arm without nodes and variables does.
#[derive(Clone, Copy, Debug)]
pub enum Only<'b> {
    /// It jumps.
    Jump(Jump<'b>),
    /// It leaves the function.
    Leave(&'b Exit),
}

/// An arm of an [`If`], or a case of a [`Switch`].
#[derive(Clone, Copy, Debug)]
pub struct Arm<'b> {
    /// Its first block.
    pub block: Block,
    /// Its only exit, if it consists of nothing else.
    pub only: Option<Only<'b>>,
}

impl<'b> Arm<'b> {
    /// Arguments for the merge block, if the arm does nothing but pass them.
    pub fn only_merges(&self) -> Option<&'b [Value]> {
        match self.only {
            Some(Only::Jump(Jump { label: Label::Merge, falls: true, args, .. })) => Some(args),
            _ => None,
        }
    }
}

/// An `If`.
#[derive(Clone, Copy, Debug)]
pub struct If<'b> {
    /// The block that it ends.
    pub owner: Block,
    /// A `bool`.
    pub condition: Value,
    /// Runs if it is true; runs if it is false.
    pub arms: [Arm<'b>; 2],
    /// Goes on.
    pub merge: Block,
}

/// The arms of an [`If`] that are walked. Others were written by [`StructuredWriter::begin_if`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Arms {
    /// Arms in the construct, in this order. Hooks `else_` and `end_if` are called if there is a second or a first one.
    pub inside: [Option<Block>; 2],
    /// Arm that is written after the end of the construct.
    pub after: Option<Block>,
}

impl Arms {
    /// Both in the construct.
    pub fn both(branch: &If<'_>) -> Arms {
        Arms { inside: branch.arms.map(|arm| Some(arm.block)), after: None }
    }

    /// One in the construct, which it leaves, and the other after it.
    pub fn early(inside: Block, after: Block) -> Arms {
        Arms { inside: [Some(inside), None], after: Some(after) }
    }

    /// Only one, without a construct.
    pub fn rest(arm: Block) -> Arms {
        Arms { inside: [None; 2], after: Some(arm) }
    }
}

/// A `Loop` or `DoLoop`.
#[derive(Clone, Copy, Debug)]
pub struct Loop<'b> {
    /// The block that it ends.
    pub owner: Block,
    /// First values of the loop-carried inputs.
    pub args: &'b [Value],
    /// The block that iterations begin with; its inputs are the loop-carried values.
    pub head: Block,
    /// The block whose chain ends with `LoopIf`.
    pub condition: Block,
    /// The body.
    pub body: Block,
    /// The chain after the body in an iteration: the continue block of a `Loop`, the condition of a `DoLoop`.
    pub next: Option<Block>,
    /// Goes on.
    pub merge: Block,
    /// Whether it is a `DoLoop`: the condition comes last in an iteration.
    pub tests_last: bool,
}

impl<'b> Loop<'b> {
    /// The loop that a block ends with.
    pub fn of(body: &'b Body, owner: Block) -> Option<Loop<'b>> {
        Some(match &body.blocks[owner].exit {
            &Exit::Loop { ref args, condition, body, next, merge } => {
                Loop { owner, args, head: condition, condition, body, next, merge, tests_last: false }
            }
            &Exit::DoLoop { ref args, body, condition, merge } => {
                Loop { owner, args, head: body, condition, body, next: Some(condition), merge, tests_last: true }
            }
            _ => return None,
        })
    }
}

/// The end of a loop's condition.
#[derive(Clone, Copy, Debug)]
pub struct LoopIf<'b> {
    /// The block that it ends.
    pub block: Block,
    /// A `bool`.
    pub condition: Value,
    /// Arguments for the body: of a `DoLoop`, for the next iteration.
    pub body_args: &'b [Value],
    /// Arguments for the merge block.
    pub merge_args: &'b [Value],
}

impl LoopIf<'_> {
    /// Whether the condition is the constant `true`.
    pub fn always(&self) -> bool {
        self.condition.as_const() == Some(Const::TRUE)
    }
}

/// A `Switch`.
#[derive(Clone, Copy, Debug)]
pub struct Switch<'b> {
    /// The block that it ends.
    pub owner: Block,
    /// An integer scalar.
    pub selector: Value,
    /// The cases in order.
    pub cases: &'b [Case],
    /// Arguments for the merge block if no case matches.
    pub args: &'b [Value],
    /// Goes on.
    pub merge: Block,
}

impl<'b> Switch<'b> {
    /// The switch that a block ends with.
    pub fn of(body: &'b Body, owner: Block) -> Option<Switch<'b>> {
        match &body.blocks[owner].exit {
            &Exit::Switch { selector, ref cases, ref args, merge } => {
                Some(Switch { owner, selector, cases, args, merge })
            }
            _ => None,
        }
    }

    /// Number of the default case.
    pub fn default_case(&self) -> Option<usize> {
        self.cases.iter().position(|case| case.is_default)
    }

    /// Whether a case does nothing but fall through to the next: its values can be added to that one.
    pub fn is_empty_case(&self, body: &Body, number: usize) -> bool {
        let data = &body.blocks[self.cases[number].block];
        data.nodes.is_empty() && data.variables.is_empty() && data.exit == Exit::Passthrough
    }
}

/// The constructs and jumps of a target; see the [module's documentation](self).
pub trait StructuredWriter<'b> {
    /// The reason why something cannot be written; [`std::convert::Infallible`] where everything can.
    type Error;

    /// Writes variables and nodes of a block. `false` if that has left the function: the exit is not written.
    ///
    /// # Errors
    /// The target cannot express it; so for all hooks.
    fn block(&mut self, block: Block) -> Result<bool, Self::Error>;

    /// Begins an `If`, and chooses how its arms are written.
    fn begin_if(&mut self, branch: &If<'b>) -> Result<Arms, Self::Error>;

    /// Between the two arms in the construct.
    fn else_(&mut self, owner: Block) -> Result<(), Self::Error>;

    /// After the arms in the construct.
    fn end_if(&mut self, owner: Block) -> Result<(), Self::Error> {
        let _ = owner;
        Ok(())
    }

    /// Begins a loop: passes the first values of the loop-carried inputs.
    fn begin_loop(&mut self, l: &Loop<'b>) -> Result<(), Self::Error>;

    /// Ends the condition: leaves the loop, or goes on with the body (of a `DoLoop`, with the next iteration).
    fn loop_if(&mut self, l: &Loop<'b>, test: &LoopIf<'b>) -> Result<(), Self::Error>;

    /// Begins the body, if it is reached.
    fn begin_body(&mut self, l: &Loop<'b>) -> Result<(), Self::Error> {
        let _ = l;
        Ok(())
    }

    /// Ends the body, if it was begun; [`Label::Next`] is here. `reached` tells whether something jumps there; the result,
    /// whether the chain there is written.
    fn end_body(&mut self, l: &Loop<'b>, reached: bool) -> Result<bool, Self::Error> {
        let _ = l;
        Ok(reached)
    }

    /// Ends a loop.
    fn end_loop(&mut self, l: &Loop<'b>) -> Result<(), Self::Error>;

    /// Begins a switch; `arms` are its cases.
    fn begin_switch(&mut self, switch: &Switch<'b>, arms: &[Arm<'b>]) -> Result<(), Self::Error>;

    /// Begins a case; whether its block is written.
    fn begin_case(&mut self, switch: &Switch<'b>, number: usize) -> Result<bool, Self::Error>;

    /// Ends a case.
    fn end_case(&mut self, switch: &Switch<'b>, number: usize) -> Result<(), Self::Error> {
        let _ = (switch, number);
        Ok(())
    }

    /// Ends a switch.
    fn end_switch(&mut self, switch: &Switch<'b>) -> Result<(), Self::Error> {
        let _ = switch;
        Ok(())
    }

    /// Begins a labelled block.
    fn begin_labelled(&mut self, owner: Block, merge: Block) -> Result<(), Self::Error>;

    /// Ends a labelled block.
    fn end_labelled(&mut self, owner: Block) -> Result<(), Self::Error> {
        let _ = owner;
        Ok(())
    }

    /// Before the merge block of a construct; [`Label::Merge`] is here. `reached` tells whether something jumps there; the
    /// result, whether the rest of the chain is written.
    fn merge(&mut self, owner: Block, merge: Block, reached: bool) -> Result<bool, Self::Error> {
        let _ = (owner, merge);
        Ok(reached)
    }

    /// Before the block after a `NextBlock`, which is always reached.
    fn next_block(&mut self, block: Block) -> Result<(), Self::Error> {
        let _ = block;
        Ok(())
    }

    /// Passes the arguments of a jump and, unless control falls there, jumps.
    fn jump(&mut self, jump: &Jump<'b>) -> Result<(), Self::Error>;

    /// Leaves the function, ends the fragment or the program.
    fn leave(&mut self, block: Block, exit: &'b Exit) -> Result<(), Self::Error>;
}

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
    /// As [`write`].
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
