//! Removes redundant labels: a jump to a place that control falls through to is omitted, a jump names the innermost of
//! several blocks that end together, and a block that no jump names is replaced by its body.
//!
//! If blocks end together, the operands on the stack at the end of one are the results of the next one; their types are
//! compared nevertheless, since they may differ after unreachable code.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use wasm_encoder::{BlockType, Instruction as I};

use crate::code::Item;

/// A block of the output, by the places of its beginning and its end.
#[derive(Clone, Copy, Debug)]
struct Frame {
    end: usize,
    ty: BlockType,
    is_loop: bool,
}

struct Labels {
    /// By the place of a beginning.
    frames: Vec<Option<Frame>>,
    /// By place: the place where control that falls through to it goes on.
    goes_on: Vec<usize>,
}

/// Removes redundant labels. `results`: the type of the function's body, `None` if a block needs a function type for
/// it.
pub(crate) fn simplify(items: &mut Vec<Item>, results: Option<BlockType>) {
    let labels = Labels::new(items);
    let used = Jumps { labels: &labels, results, open: Vec::new(), innermost: FxHashMap::default() }.renumber(items);
    remove(items, &labels, &used);
}

fn is_same(a: BlockType, b: BlockType) -> bool {
    match (a, b) {
        (BlockType::Empty, BlockType::Empty) => true,
        (BlockType::Result(a), BlockType::Result(b)) => a == b,
        (BlockType::FunctionType(a), BlockType::FunctionType(b)) => a == b,
        _ => false,
    }
}

fn beginning(item: &Item) -> Option<(BlockType, bool)> {
    match *item {
        Item::Plain(I::Block(ty) | I::If(ty)) => Some((ty, false)),
        Item::Plain(I::Loop(ty)) => Some((ty, true)),
        _ => None,
    }
}

impl Labels {
    fn new(items: &[Item]) -> Self {
        let mut frames = vec![None; items.len()];
        let mut ends = vec![0; items.len()];
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        for (at, item) in items.iter().enumerate() {
            if beginning(item).is_some() {
                open.push((at, None));
            }
            match item {
                Item::Plain(I::Else) => open.last_mut().expect("it is in an `if`").1 = Some(at),
                Item::Plain(I::End) => {
                    let (begin, other) = open.pop().expect("it ends a block");
                    let (ty, is_loop) = beginning(&items[begin]).expect("it began");
                    frames[begin] = Some(Frame { end: at, ty, is_loop });
                    if let Some(other) = other {
                        ends[other] = at;
                    }
                }
                _ => {}
            }
        }
        let mut goes_on: Vec<usize> = (0..=items.len()).collect();
        for (at, item) in items.iter().enumerate().rev() {
            match item {
                Item::Plain(I::End) => goes_on[at] = goes_on[at + 1],
                Item::Plain(I::Else) => goes_on[at] = goes_on[ends[at] + 1],
                _ => {}
            }
        }
        Labels { frames, goes_on }
    }

    fn frame(&self, begin: usize) -> Frame {
        self.frames[begin].expect("a block begins there")
    }
}

/// The walk over all jumps.
struct Jumps<'a> {
    labels: &'a Labels,
    results: Option<BlockType>,
    /// The beginnings of the blocks around, outermost first.
    open: Vec<usize>,
    /// Of the blocks around, but loops, that lead to a place: their numbers in `open`.
    innermost: FxHashMap<usize, SmallVec<[u32; 4]>>,
}

impl Jumps<'_> {
    /// Makes each jump name the innermost block it can, and omits redundant jumps. Returns, for each item, whether it
    /// is kept: blocks if a jump names them, jumps unless redundant, and all others.
    fn renumber(mut self, items: &mut [Item]) -> Vec<bool> {
        let is_block = |item: &Item| matches!(item, Item::Plain(I::Block(_) | I::Loop(_)));
        let mut used: Vec<bool> = items.iter().map(|item| !is_block(item)).collect();
        for at in 0..items.len() {
            match &mut items[at] {
                Item::Plain(I::Br(depth)) => {
                    if self.falls(at + 1, *depth) {
                        used[at] = false;
                    } else {
                        self.name(depth, &mut used);
                    }
                }
                Item::Plain(I::Return) => used[at] = !self.falls(at + 1, self.open.len() as u32),
                Item::Plain(I::BrIf(depth)) => self.name(depth, &mut used),
                Item::Plain(I::BrTable(table, otherwise)) => {
                    table.to_mut().iter_mut().for_each(|depth| self.name(depth, &mut used));
                    self.name(otherwise, &mut used);
                }
                Item::Plain(I::End) => self.leave(),
                item if beginning(item).is_some() => self.enter(at),
                _ => {}
            }
        }
        used
    }

    fn enter(&mut self, begin: usize) {
        let frame = self.labels.frame(begin);
        if !frame.is_loop {
            let target = self.labels.goes_on[frame.end + 1];
            self.innermost.entry(target).or_default().push(self.open.len() as u32);
        }
        self.open.push(begin);
    }

    fn leave(&mut self) {
        let frame = self.labels.frame(self.open.pop().expect("it began"));
        if !frame.is_loop
            && let Some(blocks) = self.innermost.get_mut(&self.labels.goes_on[frame.end + 1])
        {
            blocks.pop();
        }
    }

    /// The block that a depth names; `None`: the function.
    fn named(&self, depth: u32) -> Option<usize> {
        self.open.len().checked_sub(1 + depth as usize)
    }

    /// Target of a jump and type of its label; `None` for the next iteration of a loop.
    fn target(&self, depth: u32) -> Option<(usize, BlockType)> {
        let Some(index) = self.named(depth) else { return Some((self.labels.goes_on.len() - 1, self.results?)) };
        let frame = self.labels.frame(self.open[index]);
        (!frame.is_loop).then(|| (self.labels.goes_on[frame.end + 1], frame.ty))
    }

    /// Makes a jump name the innermost block that it may.
    fn name(&self, depth: &mut u32, used: &mut [bool]) {
        if let Some((target, ty)) = self.target(*depth)
            && let Some(&inner) = self.innermost.get(&target).and_then(|blocks| blocks.last())
            && is_same(self.labels.frame(self.open[inner as usize]).ty, ty)
        {
            *depth = self.open.len() as u32 - 1 - inner;
        }
        if let Some(index) = self.named(*depth) {
            used[self.open[index]] = true;
        }
    }

    /// Whether control that falls through from a place reaches a jump's target, through ends of blocks of the same
    /// type.
    fn falls(&self, at: usize, depth: u32) -> bool {
        let Some((target, ty)) = self.target(depth) else { return false };
        let mut inner = self.open.iter().rev().take(depth as usize);
        self.labels.goes_on[at] == target && inner.all(|&begin| is_same(self.labels.frame(begin).ty, ty))
    }
}

/// Removes unused items, with the ends of such blocks, and adapts the depths of jumps to the blocks that are left.
fn remove(items: &mut Vec<Item>, labels: &Labels, used: &[bool]) {
    let mut keep = used.to_vec();
    for (at, frame) in labels.frames.iter().enumerate() {
        if let (Some(frame), false) = (frame, used[at]) {
            keep[frame.end] = false;
        }
    }
    // By block around: how many of it and those around it stay.
    let mut open: Vec<u32> = Vec::new();
    let staying = |open: &[u32]| open.last().copied().unwrap_or(0);
    for at in 0..items.len() {
        let around = staying(&open);
        let fewer = |depth: &mut u32| {
            *depth = match open.len().checked_sub(1 + *depth as usize) {
                Some(index) => around - open[index],
                None => around,
            };
        };
        match &mut items[at] {
            Item::Plain(I::Br(depth) | I::BrIf(depth)) => fewer(depth),
            Item::Plain(I::BrTable(table, otherwise)) => {
                table.to_mut().iter_mut().for_each(fewer);
                fewer(otherwise);
            }
            Item::Plain(I::End) => {
                open.pop();
            }
            item if beginning(item).is_some() => open.push(around + u32::from(keep[at])),
            _ => {}
        }
    }
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        keep[at - 1]
    });
}
