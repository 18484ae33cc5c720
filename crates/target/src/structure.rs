//! Structured control flow: one walk over the tree of blocks, and the hooks with which a target writes it.
//!
//! A back end implements [`StructuredWriter`] and calls [`write()`]. The walk keeps a stack of its own, so that nesting
//! costs no stack frame. It knows which construct a merge chain belongs to, where every jump goes and whether control
//! gets there without one ([`Jump::falls`]), and which merge blocks are reached; the hooks only spell it for the
//! target. Their order, with the chains of blocks that are walked between them:
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
//! A target with braces, `break` and `continue` to labels, and inputs in variables:
//! ```
//! use std::convert::Infallible;
//!
//! use planish_ir::entity::{Block, Value};
//! use planish_ir::function::{Body, Exit};
//! use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch, write};
//!
//! type Done<T = ()> = Result<T, Infallible>;
//! struct Printer<'b>(&'b Body, String);
//!
//! impl Printer<'_> {
//!     fn line(&mut self, text: String) -> Done { Ok(self.1 += &(text + "\n")) }
//!     fn set(&mut self, block: Block, args: &[Value]) -> Done {
//!         let inputs = self.0.blocks[block].inputs.clone();
//!         inputs.iter().zip(args).try_for_each(|(input, arg)| self.line(format!("{input} = {arg:?};")))
//!     }
//! }
//!
//! impl<'b> StructuredWriter<'b> for Printer<'b> {
//!     type Error = Infallible;
//!     fn block(&mut self, block: Block) -> Done<bool> {
//!         let nodes = &self.0.blocks[block].nodes;
//!         nodes.iter().try_for_each(|&n| self.line(format!("{};", self.0.node(n).op.text())))?;
//!         Ok(true)
//!     }
//!     fn begin_if(&mut self, branch: &If<'b>) -> Done<Arms> {
//!         self.line(format!("if {:?} {{", branch.condition))?;
//!         Ok(Arms::both(branch))
//!     }
//!     fn else_(&mut self, _: Block) -> Done { self.line("} else {".into()) }
//!     fn end_if(&mut self, _: Block) -> Done { self.line("}".into()) }
//!     fn begin_loop(&mut self, l: &Loop<'b>) -> Done {
//!         self.set(l.head, l.args)?;
//!         self.line(format!("{}: loop {{", l.owner))
//!     }
//!     fn loop_if(&mut self, l: &Loop<'b>, test: &LoopIf<'b>) -> Done {
//!         if !test.always() {
//!             self.line(format!("if !{:?} {{", test.condition))?;
//!             self.set(l.merge, test.merge_args)?;
//!             self.line(format!("break {}; }}", l.owner))?;
//!         }
//!         self.set(l.body, test.body_args)
//!     }
//!     fn begin_body(&mut self, l: &Loop<'b>) -> Done {
//!         l.next.map_or(Ok(()), |next| self.line(format!("{next}: {{")))
//!     }
//!     fn end_body(&mut self, l: &Loop<'b>, reached: bool) -> Done<bool> {
//!         l.next.map_or(Ok(()), |_| self.line("}".into()))?;
//!         Ok(reached)
//!     }
//!     fn end_loop(&mut self, _: &Loop<'b>) -> Done { self.line("}".into()) }
//!     fn begin_switch(&mut self, s: &Switch<'b>, _: &[Arm<'b>]) -> Done {
//!         self.line(format!("{}: switch {:?} {{", s.owner, s.selector))
//!     }
//!     fn begin_case(&mut self, s: &Switch<'b>, number: usize) -> Done<bool> {
//!         self.line(format!("case {:?}:", s.cases[number].values))?;
//!         Ok(true)
//!     }
//!     fn end_switch(&mut self, _: &Switch<'b>) -> Done { self.line("}".into()) }
//!     fn begin_labelled(&mut self, owner: Block, _: Block) -> Done { self.line(format!("{owner}: {{")) }
//!     fn end_labelled(&mut self, _: Block) -> Done { self.line("}".into()) }
//!     fn jump(&mut self, jump: &Jump<'b>) -> Done {
//!         self.set(jump.block, jump.args)?;
//!         let word = if jump.label == Label::Head { "continue" } else { "break" };
//!         let label = if jump.label == Label::Next { jump.block } else { jump.owner };
//!         if jump.falls { Ok(()) } else { self.line(format!("{word} {label};")) }
//!     }
//!     fn leave(&mut self, _: Block, exit: &'b Exit) -> Done {
//!         if let Exit::Return(values) = exit { self.line(format!("return {values:?};")) } else { Ok(()) }
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

mod walk;

use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Body, Case, Exit};

pub use walk::{Walk, write};

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
        Some(match body.blocks[owner].exit {
            Exit::Loop { ref args, condition, body, next, merge } => {
                Loop { owner, args, head: condition, condition, body, next, merge, tests_last: false }
            }
            Exit::DoLoop { ref args, body, condition, merge } => {
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

    /// Ends the body, if it was begun; [`Label::Next`] is here. `reached`: whether a jump goes there. Returns whether
    /// the merge chain there is to be written.
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

    /// Before the merge block of a construct; [`Label::Merge`] is here. `reached`: whether a jump goes there. Returns
    /// whether the rest of the merge chain is to be written.
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
