//! Operation fusion: operations that the machine can execute in one directive become nested.
//!
//! ```text
//!  v3 = less_than v1, v2          BrCompare less_than v1, v2 → L1
//!  BrIf v3 → L1
//!
//!  v4 = add v1, v2                v5 = memory_load [add v1, v2]
//!  v5 = memory_load v4
//! ```
//!
//! An operation moves if it is pure, has one reader, and no label or loop is between them. An operation that costs
//! nothing inside its readers ([`Isa::repeats`]) is repeated in each of several, if all allow it.

use planish_ir::ops::Op;

use crate::code::{Arg, ArgKind, Code, Constant, NONE, Node, RETURN, What};
use crate::isa::{Comparison, Isa, User, is_comparison};

/// Fuses operations that `isa` absorbs. `uses` is the number of readers of each value.
pub(crate) fn fuse<I: Isa>(isa: &I, code: &mut Code, uses: &[u32]) {
    repeat_sums(isa, code, uses);
    // Nodes before the last label are in other basic blocks.
    let mut way = 0;
    for i in 0..code.nodes.len() {
        match code.nodes[i].what {
            What::Label(_) | What::Loop { .. } => way = i,
            What::Operation => operands(isa, code, uses, way, i),
            What::BrIf(_) | What::BrIfZero(_) => {
                stay_in_loop(code, i);
                condition(isa, code, uses, way, i);
            }
            _ => {}
        }
    }
}

/// Repeats a sum with a constant or another value in all of its readers, if they compute it at no cost and are in the
/// same iteration of the same loop. (After a loop, the operands' live ranges might have to be extended.)
///
/// ```text
///  v3 = add v1, 16
///  v4 = memory_load v3             v4 = memory_load [add v1, 16]
///  memory_store v3, v5             memory_store [add v1, 16], v5
/// ```
fn repeat_sums<I: Isa>(isa: &I, code: &mut Code, uses: &[u32]) {
    // For each reader: the operand, and the sum.
    let mut readers: Vec<(u32, u32)> = Vec::new();
    let mut last_boundary = 0;
    for i in 0..code.nodes.len() {
        let node = &code.nodes[i];
        match node.what {
            What::Loop { .. } | What::LoopEnd(_) => last_boundary = i,
            What::Operation if node.args_len > 0 => {
                let Some(v) = code.args[node.args as usize].as_value() else { continue };
                let inner = code.values[v as usize].node as usize;
                let user = User::Operation(node.op, node.imm, node.operand, node.result);
                if inner > last_boundary && may_repeat(isa, code, uses, user, inner) {
                    readers.push((inner as u32, node.args));
                }
            }
            _ => {}
        }
    }
    readers.sort_unstable();
    for of_one in readers.chunk_by(|a, b| a.0 == b.0) {
        let inner = of_one[0].0 as usize;
        if uses[code.nodes[inner].outs as usize] as usize == of_one.len() {
            add_instead(code, inner);
            code.nodes[inner].what = What::Nothing;
            of_one.iter().for_each(|&(_, at)| code.args[at as usize] = Arg::nested(inner as u32));
        }
    }
}

/// Whether a node is a sum of two values, or a sum or difference of a value and a constant, that `user` computes at no
/// cost as its first operand, and that has no nested operation.
fn may_repeat<I: Isa>(isa: &I, code: &Code, uses: &[u32], user: User, inner: usize) -> bool {
    let node = &code.nodes[inner];
    if !matches!(node.what, What::Operation) || !matches!(node.op, Op::Add | Op::Subtract) || !node.operand.is_integer()
    {
        return false;
    }
    let [a, b] = code.args_of(node) else { return false };
    let of_constant = matches!(b.kind(), ArgKind::Const(_));
    let takes = |(i, arg): (usize, &Arg)| {
        let Some(v) = arg.as_value() else { return false };
        let operand = &code.nodes[code.values[v as usize].node as usize];
        matches!(operand.what, What::Operation)
            && uses[v as usize] == 1
            && isa.absorbs(
                User::Operation(node.op, node.imm, node.operand, node.result),
                i,
                (operand.op, operand.operand, operand.result),
            )
    };
    a.as_value().is_some()
        && (of_constant || node.op == Op::Add && b.as_value().is_some())
        && !code.args_of(node).iter().enumerate().any(takes)
        && isa.repeats(user, (Op::Add, node.operand, node.result), of_constant)
}

/// Turns the difference of a value and a constant into a sum.
fn add_instead(code: &mut Code, n: usize) {
    let node = code.nodes[n];
    let at = node.args as usize + 1;
    if let (Op::Subtract, ArgKind::Const(c)) = (node.op, code.args[at].kind()) {
        let Constant { bits, kind } = code.consts[c as usize];
        let mask = u64::MAX >> (64 - kind.bits(64));
        code.consts.push(Constant { bits: bits.wrapping_neg() & mask, kind });
        code.args[at] = Arg::constant(code.consts.len() as u32 - 1);
        code.nodes[n].op = Op::Add;
    }
}

/// Inverts the exit condition at the end of an iteration, so that the back edge takes one jump instead of two.
///
/// ```text
/// before: BrIf v1 → out        or: BrIfZero v1 → next        after: BrIfZero v1 → loop
///         Br → loop                Br → out                         Br → out
///                                  next: Br → loop
/// ```
fn stay_in_loop(code: &mut Code, i: usize) {
    let after = |code: &Code, i: usize| (i + 1..code.nodes.len()).find(|&n| code.nodes[n].what != What::Nothing);
    let what = |code: &Code, n: Option<usize>| n.map_or(What::Nothing, |n| code.nodes[n].what);
    let leads_back = |code: &Code, edge: u32| {
        let label = code.edges[edge as usize].label;
        let node = if label == RETURN { NONE } else { code.labels[label as usize].node };
        (node as usize) < i && matches!(code.nodes[node as usize].what, What::Loop { .. })
    };
    let (edge, holds) = match code.nodes[i].what {
        What::BrIf(edge) => (edge, true),
        What::BrIfZero(edge) => (edge, false),
        _ => return,
    };
    let branch = |edge: u32, holds: bool| if holds { What::BrIf(edge) } else { What::BrIfZero(edge) };
    let next = after(code, i);
    let (Some(n), What::Br(other)) = (next, what(code, next)) else { return };
    if leads_back(code, other) && !leads_back(code, edge) {
        code.nodes[i].what = branch(other, !holds);
        code.nodes[n].what = What::Br(edge);
        return;
    }
    let place = after(code, n);
    let (Some(p), What::Label(label)) = (place, what(code, place)) else { return };
    let end = after(code, p);
    let (Some(e), What::Br(back)) = (end, what(code, end)) else { return };
    let data = &code.labels[label as usize];
    let only_here = code.edges[edge as usize].label == label && data.edge_count == 1 && data.inputs_len == 0;
    if only_here && leads_back(code, back) && !leads_back(code, other) {
        code.nodes[i].what = branch(back, holds);
        code.nodes[p].what = What::Nothing;
        code.nodes[e].what = What::Nothing;
    }
}

/// The node of an operation that may move to its only reader.
#[inline]
fn movable(code: &Code, uses: &[u32], way: usize, arg: Arg) -> Option<usize> {
    let v = arg.as_value().filter(|&v| uses[v as usize] == 1)?;
    let n = code.values[v as usize].node as usize;
    let node = &code.nodes[n];
    (n > way && matches!(node.what, What::Operation) && node.op.is_pure() && node.outs_len == 1).then_some(n)
}

fn has_nested(code: &Code, n: usize) -> bool {
    code.args_of(&code.nodes[n]).iter().any(|arg| matches!(arg.kind(), ArgKind::Nested(_)))
}

fn operands<I: Isa>(isa: &I, code: &mut Code, uses: &[u32], way: usize, i: usize) {
    let Node { args, args_len, .. } = code.nodes[i];
    for k in 0..args_len as usize {
        let at = args as usize + k;
        let Some(inner) = movable(code, uses, way, code.args[at]) else { continue };
        let node = &code.nodes[i];
        let user = User::Operation(node.op, node.imm, node.operand, node.result);
        absorb(isa, code, user, k, at, inner);
    }
}

fn absorb<I: Isa>(isa: &I, code: &mut Code, user: User, operand: usize, at: usize, inner: usize) {
    let node = code.nodes[inner];
    if isa.absorbs(user, operand, (node.op, node.operand, node.result)) && !has_nested(code, inner) {
        code.args[at] = Arg::nested(inner as u32);
        code.nodes[inner].what = What::Nothing;
    }
}

/// Fuses a comparison into a conditional edge. A comparison with zero becomes the condition itself.
fn condition<I: Isa>(isa: &I, code: &mut Code, uses: &[u32], way: usize, i: usize) {
    while let node = code.nodes[i]
        && let Some(n) = movable(code, uses, way, code.args[node.args as usize])
    {
        let (edge, holds) = match node.what {
            What::BrIf(edge) => (edge, true),
            What::BrIfZero(edge) => (edge, false),
            _ => return,
        };
        let test = code.nodes[n];
        if test.op == Op::LogicalNot {
            code.args[node.args as usize] = code.args[test.args as usize];
            code.nodes[i].what = if holds { What::BrIfZero(edge) } else { What::BrIf(edge) };
            code.nodes[n].what = What::Nothing;
            continue;
        }
        if !is_comparison(test.op) || has_nested(code, n) {
            return absorb(isa, code, User::Jump, 0, node.args as usize, n);
        }
        let (mut op, args) = (test.op, test.args as usize);
        if matches!(code.args[args].kind(), ArgKind::Const(_)) {
            code.args.swap(args, args + 1);
            op = mirrored(op);
        }
        let constant = match code.args[args + 1].kind() {
            ArgKind::Const(c) => Some(code.consts[c as usize].bits),
            _ => None,
        };
        let one_word = test.operand.words(I::WORD_BITS) == 1 && !test.operand.is_float();
        if constant == Some(0) && one_word && matches!(op, Op::Equal | Op::NotEqual) {
            let nonzero = (op == Op::NotEqual) == holds;
            code.args[node.args as usize] = code.args[args];
            code.nodes[i].what = if nonzero { What::BrIf(edge) } else { What::BrIfZero(edge) };
            code.nodes[n].what = What::Nothing;
            continue;
        }
        let mut comparison = Comparison { op, kind: test.operand, negated: false };
        if !holds {
            comparison = comparison.inverse();
        }
        let constants_only = matches!(code.args[args].kind(), ArgKind::Const(_));
        if !constants_only && (isa.jumps_on(comparison, constant) || isa.jumps_on(comparison.inverse(), constant)) {
            let jump = &mut code.nodes[i];
            jump.what = What::BrCompare { edge, negated: comparison.negated };
            (jump.op, jump.operand) = (comparison.op, comparison.kind);
            (jump.args, jump.args_len) = (test.args, 2);
            code.nodes[n].what = What::Nothing;
        } else {
            code.nodes[n].op = op;
        }
        return;
    }
}

/// The comparison with exchanged operands.
fn mirrored(op: Op) -> Op {
    match op {
        Op::LessThan => Op::GreaterThan,
        Op::LessThanEqual => Op::GreaterThanEqual,
        Op::GreaterThan => Op::LessThan,
        Op::GreaterThanEqual => Op::LessThanEqual,
        other => other,
    }
}
