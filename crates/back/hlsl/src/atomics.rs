//! Atomic operations, which HLSL has as functions without a result: the old value is an `out` argument.

use planish_back_shading::places::Place;
use planish_back_shading::transfers;
use planish_back_text::effects::node_effects;
use planish_back_text::tree::{Callee, Expr, Stmt};
use planish_interface::describe;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type};
use planish_ir::ops::Op;

use crate::language::Lower;

/// The function of an atomic op.
pub(crate) fn name(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::AtomicAdd | Op::ImageAtomicAdd => "InterlockedAdd",
        Op::AtomicMin | Op::ImageAtomicMin => "InterlockedMin",
        Op::AtomicMax | Op::ImageAtomicMax => "InterlockedMax",
        Op::AtomicAnd | Op::ImageAtomicAnd => "InterlockedAnd",
        Op::AtomicOr | Op::ImageAtomicOr => "InterlockedOr",
        Op::AtomicXor | Op::ImageAtomicXor => "InterlockedXor",
        Op::AtomicExchange | Op::ImageAtomicExchange => "InterlockedExchange",
        Op::AtomicCompareExchange | Op::ImageAtomicCompareExchange => "InterlockedCompareExchange",
        _ => return None,
    })
}

/// Whether HLSL has atomics of a type; else reports it.
pub(crate) fn is_word(l: &mut Lower<'_, '_>, op: Op, ty: Type) -> bool {
    if matches!(ty, Type::I32 | Type::U32) {
        return true;
    }
    let (span, name) = (l.span, l.w.target_name.clone());
    let text = format!("{name} has no `{}` of {}", op.text(), describe(&l.w.module.types[ty]));
    l.w.error(Code::E0604, span, text);
    false
}

/// Writes an atomic op on memory; false if it cannot.
pub(crate) fn write(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    let (Some(name), Some(result)) = (name(op), l.body.result(node)) else { return false };
    let ty = l.type_of(args[1]);
    if !is_word(l, op, ty) {
        return false;
    }
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    let values: Vec<Expr> = args[1..].iter().map(|&a| l.stable_operand(a)).collect();
    let pointer = l.operand(args[0]);
    l.begin();
    l.order(&own);
    // Only a comparison has no form without the old value.
    let needs_old = l.use_count(result) > 0 || op == Op::AtomicCompareExchange;
    let old = needs_old.then(|| l.set_result(result, None));
    if let Some(Place::Choice { index, places, .. }) = l.w.places.get(&pointer).cloned() {
        let switch = transfers::switch_of(l, index, &places, &mut |l, place| vec![one(l, name, place, &values, old)]);
        l.push(switch);
        return true;
    }
    let stmt = one(l, name, pointer, &values, old);
    l.push(stmt);
    true
}

fn one(l: &mut Lower<'_, '_>, name: &'static str, place: Expr, values: &[Expr], old: Option<Expr>) -> Stmt {
    if let Some(Place::Bytes(bytes)) = l.w.places.get(&place).cloned() {
        let offset = bytes.offset(l.w, 0);
        let list: Vec<Expr> = [bytes.buffer, offset].into_iter().chain(values.iter().copied()).chain(old).collect();
        return Stmt::Expr(l.w.tree.call(Callee::Method(name), &list));
    }
    let list: Vec<Expr> = [place].into_iter().chain(values.iter().copied()).chain(old).collect();
    Stmt::Expr(l.w.tree.builtin(name, &list))
}
