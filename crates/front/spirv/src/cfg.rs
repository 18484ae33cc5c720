//! The blocks of a function that can be reached, in reverse postorder, with their dominators and loops.

use rustc_hash::FxHashMap;
use spirv::Op;

use crate::report::Res;
use crate::words::{Binary, FunctionRange, Inst};

/// The end of a block. Blocks are numbers in reverse postorder.
#[derive(Clone, Debug)]
pub(crate) enum Term {
    Branch(usize),
    /// Condition, block if true, block if false; not the same.
    If(u32, usize, usize),
    /// Selector, default, values with their blocks.
    Switch(u32, usize, Vec<(u64, usize)>),
    /// A result, or none.
    Return(Option<u32>),
    Kill,
    Unreachable,
}

/// A block.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) label: u32,
    /// Instructions between the label and those that end the block.
    pub(crate) insts: std::ops::Range<usize>,
    /// Index of the instruction that ends it.
    pub(crate) end: usize,
    pub(crate) term: Term,
    /// Merge block of a selection or loop, if it can be reached.
    pub(crate) merge: Option<usize>,
    /// Continue target of a loop, if it can be reached.
    pub(crate) next: Option<usize>,
    pub(crate) is_loop: bool,
    /// Blocks that jump here, without repetition.
    pub(crate) preds: Vec<usize>,
    /// Immediate dominator; of the first block itself.
    pub(crate) idom: usize,
    /// Blocks that this one immediately dominates, in order.
    pub(crate) children: Vec<usize>,
    /// Numbers of the block in a walk of the dominator tree: before and after its subtree.
    enter: usize,
    leave: usize,
}

/// A function's blocks.
pub(crate) struct Cfg {
    pub(crate) nodes: Vec<Node>,
    /// By label.
    pub(crate) numbers: FxHashMap<u32, usize>,
}

impl Node {
    /// The blocks that it jumps to; may contain repetitions.
    pub(crate) fn succs(&self) -> Vec<usize> {
        match &self.term {
            Term::Branch(to) => vec![*to],
            Term::If(_, a, b) => vec![*a, *b],
            Term::Switch(_, default, cases) => cases.iter().map(|c| c.1).chain([*default]).collect(),
            _ => vec![],
        }
    }
}

impl Cfg {
    /// Whether a block is on every path to another.
    pub(crate) fn dominates(&self, a: usize, b: usize) -> bool {
        self.nodes[a].enter <= self.nodes[b].enter && self.nodes[b].leave <= self.nodes[a].leave
    }

    /// Whether an edge leads back to the beginning of its loop.
    pub(crate) fn is_back_edge(&self, from: usize, to: usize) -> bool {
        self.dominates(to, from)
    }

    /// Whether a block is the beginning of a loop.
    pub(crate) fn is_header(&self, node: usize) -> bool {
        self.nodes[node].is_loop
    }

    /// Number of blocks that jump here, without those of the loop that begins here.
    pub(crate) fn forward_preds(&self, node: usize) -> usize {
        self.nodes[node].preds.iter().filter(|&&p| !self.is_back_edge(p, node)).count()
    }
}

/// A block as the binary has it: blocks by labels.
struct Raw {
    label: u32,
    insts: std::ops::Range<usize>,
    end: usize,
    merge: Option<u32>,
    next: Option<u32>,
    succs: Vec<u32>,
}

/// Finds the blocks of a function; `None` if it has no body.
pub(crate) fn build(binary: &Binary<'_>, function: &FunctionRange) -> Res<Option<Cfg>> {
    let raw = split(binary, function)?;
    let Some(first) = raw.first() else { return Ok(None) };
    let by_label: FxHashMap<u32, usize> = raw.iter().enumerate().map(|(i, b)| (b.label, i)).collect();
    for block in &raw {
        let inst = &binary.insts[block.end];
        for to in &block.succs {
            if !by_label.contains_key(to) {
                return inst.invalid(&format!("%{to} is no block of the function"));
            }
            if *to == first.label {
                return inst.invalid("a branch to the first block of the function");
            }
        }
    }
    let order = reverse_postorder(&raw, &by_label);
    let mut numbers = FxHashMap::default();
    for (number, &index) in order.iter().enumerate() {
        numbers.insert(raw[index].label, number);
    }
    let mut nodes = vec![];
    for &index in &order {
        let block = &raw[index];
        nodes.push(Node {
            label: block.label,
            insts: block.insts.clone(),
            end: block.end,
            term: term(binary, &binary.insts[block.end], &numbers)?,
            merge: block.merge.and_then(|m| numbers.get(&m).copied()),
            next: block.next.and_then(|n| numbers.get(&n).copied()),
            is_loop: false,
            preds: vec![],
            idom: 0,
            children: vec![],
            enter: 0,
            leave: 0,
        });
    }
    for from in 0..nodes.len() {
        for to in nodes[from].succs() {
            if !nodes[to].preds.contains(&from) {
                nodes[to].preds.push(from);
            }
        }
    }
    let mut cfg = Cfg { nodes, numbers };
    dominators(&mut cfg);
    for from in 0..cfg.nodes.len() {
        for to in cfg.nodes[from].succs() {
            if to <= from {
                if !cfg.is_back_edge(from, to) {
                    let inst = &binary.insts[cfg.nodes[from].end];
                    return inst.unsupported("a loop with several entries");
                }
                cfg.nodes[to].is_loop = true;
            }
        }
    }
    Ok(Some(cfg))
}

fn split(binary: &Binary<'_>, function: &FunctionRange) -> Res<Vec<Raw>> {
    let mut blocks: Vec<Raw> = vec![];
    let mut open: Option<(u32, usize)> = None;
    let (mut merge, mut next) = (None, None);
    for index in function.range.clone() {
        let inst = &binary.insts[index];
        match inst.op {
            Op::Label => {
                if open.is_some() {
                    return inst.invalid("the block before it does not end");
                }
                open = Some((inst.result, index + 1));
            }
            Op::SelectionMerge => merge = Some(inst.word(0)?),
            Op::LoopMerge => (merge, next) = (Some(inst.word(0)?), Some(inst.word(1)?)),
            _ if is_end(inst.op) => {
                let Some((label, start)) = open.take() else { return inst.invalid("it is in no block") };
                let succs = targets(binary, inst)?;
                let (merge, next) = (merge.take(), next.take());
                blocks.push(Raw { label, insts: start..index, end: index, merge, next, succs });
            }
            Op::Function | Op::FunctionParameter | Op::Line | Op::NoLine | Op::Nop => {}
            // Debug information may stand between blocks.
            _ if open.is_none() && binary.is_non_semantic(inst) => {}
            _ if open.is_none() => return inst.invalid("it is in no block"),
            _ => {}
        }
    }
    match open {
        Some((label, _)) => match binary.def(label) {
            Some(inst) => inst.invalid("the block does not end"),
            None => Ok(blocks),
        },
        None => Ok(blocks),
    }
}

/// Whether an instruction ends a block.
pub(crate) fn is_end(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::Unreachable
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}

fn targets(binary: &Binary<'_>, inst: &Inst<'_>) -> Res<Vec<u32>> {
    Ok(match inst.op {
        Op::Branch => vec![inst.word(0)?],
        Op::BranchConditional => vec![inst.word(1)?, inst.word(2)?],
        Op::Switch => {
            let cases = cases(binary, inst)?;
            cases.into_iter().map(|c| c.1).chain([inst.word(1)?]).collect()
        }
        _ => vec![],
    })
}

/// Values and labels of a switch; values have the width of the selector.
fn cases(binary: &Binary<'_>, inst: &Inst<'_>) -> Res<Vec<(u64, u32)>> {
    let selector = binary.def(inst.word(0)?).and_then(|def| binary.def(def.ty));
    let is_wide = selector.is_some_and(|ty| ty.op == Op::TypeInt && ty.operands.first() == Some(&64));
    let words = inst.rest(2);
    let size = if is_wide { 3 } else { 2 };
    if !words.len().is_multiple_of(size) {
        return inst.invalid("operands are missing");
    }
    let case = |c: &[u32]| match c {
        [low, high, label] => (u64::from(*low) | u64::from(*high) << 32, *label),
        [value, label] => (u64::from(*value), *label),
        _ => (0, 0),
    };
    Ok(words.chunks_exact(size).map(case).collect())
}

fn term(binary: &Binary<'_>, inst: &Inst<'_>, numbers: &FxHashMap<u32, usize>) -> Res<Term> {
    let number = |label: u32| match numbers.get(&label) {
        Some(&number) => Ok(number),
        None => inst.invalid(&format!("%{label} is no block of the function")),
    };
    Ok(match inst.op {
        Op::Branch => Term::Branch(number(inst.word(0)?)?),
        Op::BranchConditional => {
            let (a, b) = (number(inst.word(1)?)?, number(inst.word(2)?)?);
            if a == b { Term::Branch(a) } else { Term::If(inst.word(0)?, a, b) }
        }
        Op::Switch => {
            let default = number(inst.word(1)?)?;
            let mut list = vec![];
            for (value, label) in cases(binary, inst)? {
                list.push((value, number(label)?));
            }
            if list.iter().all(|c| c.1 == default) {
                Term::Branch(default)
            } else {
                Term::Switch(inst.word(0)?, default, list)
            }
        }
        Op::Return => Term::Return(None),
        Op::ReturnValue => Term::Return(Some(inst.word(0)?)),
        Op::Kill | Op::TerminateInvocation => Term::Kill,
        _ => Term::Unreachable,
    })
}

fn reverse_postorder(raw: &[Raw], by_label: &FxHashMap<u32, usize>) -> Vec<usize> {
    let mut seen = vec![false; raw.len()];
    let mut order = vec![];
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, at)) = stack.pop() {
        // The last successor is visited first, so that the first one precedes it in the order.
        let succs = &raw[block].succs;
        match succs.len().checked_sub(at + 1).map(|i| by_label[&succs[i]]) {
            Some(to) => {
                stack.push((block, at + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}

/// Immediate dominators, after Cooper, Harvey and Kennedy: "A Simple, Fast Dominance Algorithm".
fn dominators(cfg: &mut Cfg) {
    let count = cfg.nodes.len();
    let mut idom: Vec<Option<usize>> = vec![None; count];
    idom[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..count {
            let mut new: Option<usize> = None;
            for &pred in &cfg.nodes[node].preds {
                if idom[pred].is_some() {
                    new = Some(new.map_or(pred, |other| meet(&idom, pred, other)));
                }
            }
            if new.is_some() && idom[node] != new {
                idom[node] = new;
                changed = true;
            }
        }
    }
    for (node, parent) in idom.iter().enumerate().skip(1) {
        let parent = parent.unwrap_or(0);
        cfg.nodes[node].idom = parent;
        cfg.nodes[parent].children.push(node);
    }
    let mut clock = 0;
    let mut stack = vec![(0, 0)];
    while let Some((node, at)) = stack.pop() {
        if at == 0 {
            cfg.nodes[node].enter = clock;
            clock += 1;
        }
        match cfg.nodes[node].children.get(at) {
            Some(&child) => {
                stack.push((node, at + 1));
                stack.push((child, 0));
            }
            None => {
                cfg.nodes[node].leave = clock;
                clock += 1;
            }
        }
    }
}

fn meet(idom: &[Option<usize>], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while a > b {
            a = idom[a].unwrap_or(0);
        }
        while b > a {
            b = idom[b].unwrap_or(0);
        }
    }
    a
}
