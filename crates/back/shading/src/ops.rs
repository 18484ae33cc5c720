//! Expressions of ops that shading languages write alike.

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_interface::describe;
use planish_ir::constant::ConstValue;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Node, Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use crate::Lower;
use crate::language::Language;
use crate::places::Place;

/// The operands of a node, in their order.
pub fn operands<L: Language>(l: &mut Lower<'_, '_, L>, args: &[Value]) -> Vec<Expr> {
    args.iter().map(|&a| l.operand(a)).collect()
}

/// The atomic load or store that an op of the IR is, which has neither: one that leaves what is there, or whose old value nobody reads.
pub fn atomic_transfer<L: Language>(l: &mut Lower<'_, '_, L>, node: Node, pointer: Expr, value: Expr) -> Option<Expr> {
    if matches!(l.w.places.get(&pointer), Some(Place::Choice { .. })) {
        return None;
    }
    if l.w.module.is_atomic_load(l.body, node) {
        return Some(L::atomic_load(l, pointer));
    }
    let is_used = l.body.result(node).is_some_and(|result| l.use_count(result) > 0);
    (l.body.node(node).op == Op::AtomicExchange && !is_used).then(|| L::atomic_store(l, pointer, value))
}

/// The operator of an op, in languages whose `&&` and `||` are of scalars.
pub fn infix_of(op: Op, is_scalar: bool) -> Option<Infix> {
    Some(match op {
        Op::LogicalXor => Infix::Ne,
        Op::LogicalAnd if !is_scalar => Infix::And,
        Op::LogicalOr if !is_scalar => Infix::Or,
        _ => return Infix::of(op),
    })
}

/// `a infix b` as people write it. The operands are of the type `first`; where the operator is `componentwise`, one of them may be a
/// scalar for a vector of equal components.
pub fn combine<L: Language>(
    l: &mut Lower<'_, '_, L>,
    infix: Infix,
    [mut a, mut b]: [Expr; 2],
    first: Type,
    componentwise: bool,
) -> Expr {
    if componentwise {
        if l.scalar_of_splat(b).is_some() {
            b = l.unsplat(b);
        } else {
            a = l.unsplat(a);
        }
    }
    // a + -1.0  →  a - 1.0, which is the same number
    if infix == Infix::Add
        && let Some(positive) = negated_literal(l, b)
    {
        return l.w.tree.infix(Infix::Sub, a, positive);
    }
    let is_order = matches!(infix, Infix::Lt | Infix::Le | Infix::Gt | Infix::Ge);
    if is_order && matches!(l.w.module.types[first], TypeKind::Scalar(s) if s.is_integer()) {
        return l.w.tree.ordered_compare(infix, a, b);
    }
    l.w.tree.infix(infix, a, b)
}

/// The float of which an expression is the negative literal.
fn negated_literal<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr) -> Option<Expr> {
    let ExprKind::Literal(c) = l.w.tree.kind(e) else { return None };
    let bits = l.w.module.consts.as_bits(c)?;
    if l.w.module.consts[c].ty != Type::F32 {
        return None;
    }
    let value = f32::from_bits(bits as u32);
    (value < 0.0 && value.is_finite()).then(|| l.w.tree.add(ExprKind::Float(-value)))
}

/// The op behind a node in its block. O(nodes of the function).
pub fn next_op<L: Language>(l: &Lower<'_, '_, L>, node: Node) -> Option<Op> {
    let block = l.body.blocks.values().find(|b| b.nodes.contains(&node))?;
    let at = block.nodes.iter().position(|&n| n == node)?;
    block.nodes.get(at + 1).map(|&n| l.body.node(n).op)
}

/// True if a value is an integer of 32 bits, as those of atomic operations; else it is an error.
pub fn is_word<L: Language>(l: &mut Lower<'_, '_, L>, op: Op, value: Value) -> bool {
    let ty = l.type_of(value);
    if matches!(ty, Type::I32 | Type::U32) {
        return true;
    }
    let span = l.span;
    let text = format!("{} has no `{}` of {}", l.w.target_name, op.text(), describe(&l.w.module.types[ty]));
    l.w.error(Code::E0604, span, text);
    false
}

/// `vec4(depth, 0, 0, 1)`
pub fn whole_texel<L: Language>(l: &mut Lower<'_, '_, L>, depth: Expr, ty: Type) -> Expr {
    let (zero, one) = (l.w.tree.add(ExprKind::Float(0.0)), l.w.tree.add(ExprKind::Float(1.0)));
    l.w.tree.call(Callee::Type(ty), &[depth, zero, zero, one])
}

/// True if a constant has no bits set. Recursion: over its type.
pub fn is_zero(module: &Module, c: Const) -> bool {
    match &module.consts[c].value {
        ConstValue::Bits(bits) => *bits == 0,
        ConstValue::Composite(parts) => parts.iter().all(|&p| is_zero(module, p)),
        _ => true,
    }
}
