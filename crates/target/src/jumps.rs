//! Jumps that a target cannot make, as block inputs and `If`s.
//!
//! A `break` of most targets leaves the innermost loop or `switch`, and their `continue` means the innermost loop. A jump
//! that goes further leaves the innermost construct, with a flag; its merge block tests the flag, and goes on from there,
//! perhaps by the next merge block:
//!
//! ```text
//! before: loop {                        after: loop {
//!           loop {                               loop {
//!             if %a { break outer %x }             if %a { break inner true, %x }
//!           }  (test passes nothing)             }  (test passes false, 0)
//!                                                b(%leave, %y): if %leave { break outer %y }
//!           …                                    …
//!         }                                    }
//! ```
//!
//! A continue block (of a `DoLoop`: a condition) that leaves the function or the loop cannot be written as the target's
//! continue block: a labelled block goes around the body, and the continue block becomes the code after that.
//!
//! ```text
//! loop { body { … continue %x }          loop { body { labelled { … break %x }
//!        next(%n) { …; continue %m } }                 (%n): …; continue %m } }
//! do { body } next { …; loop_if %c }     loop { labelled { body } …; if %c { continue } else { break } }
//! ```
//!
//! Unreachable merge chains are removed. Not rewritten: functions with loops and switches nested deeper than
//! [`MAX_FRAMES`], which back ends refuse, and those with block inputs of types without a zero.

mod rewrite;

use std::borrow::Cow;

use planish_ir::arena::SideTable;
use planish_ir::entity::Block;
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::walk::{self, Event};
use rustc_hash::FxHashSet;

use rewrite::Shortener;

/// Maximum number of loops, switches and labelled blocks around a block.
pub const MAX_FRAMES: usize = 256;

/// A construct that `break` leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// `continue` means the loop around.
    Switch,
    /// `continue` means it.
    Loop,
}

/// The constructs of a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frames {
    /// The form of a labelled block that something breaks out of. (Others are no constructs of the output.)
    pub labelled: Frame,
    /// Whether a continue block may hold loops.
    pub loops_in_next: bool,
}

/// Rewrites all functions with jumps that a target cannot make. O(size of the module) and, where jumps go over several
/// constructs, their number times that of the constructs.
pub fn shorten<'m>(module: &'m Module, frames: &Frames) -> Cow<'m, Module> {
    let is_long = |body: &Body| {
        let rewrites = !unfit_loops(body, frames).is_empty() || has_long_jumps(body, frames);
        rewrites && deeper_than(body, frames, MAX_FRAMES).is_none()
    };
    let funcs = module.funcs.iter().filter(|(_, f)| f.body.as_ref().is_some_and(&is_long));
    let funcs: Vec<_> = funcs.map(|(func, _)| func).collect();
    if funcs.is_empty() {
        return Cow::Borrowed(module);
    }
    let mut own = module.clone();
    for func in funcs {
        let Some(old) = own.funcs[func].body.take() else { continue };
        let new = Shortener::new(&mut own, old.clone(), frames).run();
        own.funcs[func].body = Some(new.unwrap_or(old));
    }
    Cow::Owned(own)
}

/// The constructs (by owner) that something breaks out of.
pub fn broken(body: &Body) -> SideTable<Block, bool> {
    let mut broken = SideTable::new();
    for block in walk::blocks(body) {
        if let Exit::Break(owner, _) = body.blocks[block].exit {
            broken[owner] = true;
        }
    }
    broken
}

/// The form of the construct that a block ends with, if `break` leaves it.
fn frame_of(body: &Body, owner: Block, frames: &Frames, broken: &SideTable<Block, bool>) -> Option<Frame> {
    match body.blocks[owner].exit {
        Exit::Loop { .. } | Exit::DoLoop { .. } => Some(Frame::Loop),
        Exit::Switch { .. } => Some(Frame::Switch),
        Exit::Labelled { .. } => broken[owner].then_some(frames.labelled),
        _ => None,
    }
}

/// The place of a construct that `break` leaves with `most` of them around it; `None` if no function nests them so deep. Of
/// such programs, jumps over many constructs may have been left as they are.
pub fn deeper_than(body: &Body, frames: &Frames, most: usize) -> Option<Span> {
    let broken = broken(body);
    let is_frame = |owner: Block| frame_of(body, owner, frames, &broken).is_some();
    walk::deeper_than(body, most, is_frame)
}

/// Whether a function has jumps over constructs.
fn has_long_jumps(body: &Body, frames: &Frames) -> bool {
    let (broken, tree) = (broken(body), Tree::new(body));
    walk::blocks(body).any(|block| {
        let (owner, is_continue) = match body.blocks[block].exit {
            Exit::Break(owner, _) => (owner, false),
            Exit::Continue(owner, _) => (owner, true),
            _ => return false,
        };
        let around = |&block: &Block| tree.place(block).and_then(|place| place.owner);
        let stops = |&construct: &Block| match frame_of(body, construct, frames, &broken) {
            Some(frame) => !is_continue || frame == Frame::Loop,
            None => false,
        };
        std::iter::successors(around(&block), around).find(stops) != Some(owner)
    })
}

/// Loops whose continue block (or condition, of a `DoLoop`) leaves otherwise than by its end, outer ones first.
fn unfit_loops(body: &Body, frames: &Frames) -> Vec<Block> {
    let next_of = |owner: Block| match body.blocks[owner].exit {
        Exit::Loop { next, .. } => next,
        Exit::DoLoop { condition, .. } => Some(condition),
        _ => None,
    };
    let loops = walk::blocks(body).filter_map(|owner| Some((owner, next_of(owner)?)));
    loops.filter(|&(owner, next)| !fits(body, frames, owner, next)).map(|(owner, _)| owner).collect()
}

/// Whether a chain does nothing but go on with its loop.
fn fits(body: &Body, frames: &Frames, owner: Block, next: Block) -> bool {
    let mut inner: FxHashSet<Block> = FxHashSet::default();
    walk::events(body, next).all(|event| {
        let Event::Enter { block, depth, .. } = event else { return true };
        inner.insert(block);
        match &body.blocks[block].exit {
            Exit::Return(_) | Exit::Discard | Exit::Trap(_) => false,
            Exit::Loop { .. } | Exit::DoLoop { .. } => frames.loops_in_next,
            // (What is left was entered before.)
            Exit::Break(target, _) => inner.contains(target),
            Exit::Continue(target, _) => inner.contains(target) || *target == owner && depth == 0,
            _ => true,
        }
    })
}
