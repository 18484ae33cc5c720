//! Nodes without memory: from an op and its operands to an expression.

use planish_back_shading::ops::{atomic_transfer, combine, infix_of, is_word, next_op, operands};
use planish_back_shading::places::{Index, Place, element, index};
use planish_back_shading::transfers;
use planish_back_text::effects::node_effects;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Stmt};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::convert;
use planish_ir::ops::{Class, Lanes, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_target::legal::Operation;

use crate::integers::{bitcast_name, converted_back, is_promoted, negated, overflows, unsigned, wrapping};
use crate::language::{Lower, Writer};
use crate::legal::{function, info, subgroup_function};
use crate::memory;
use crate::version::Version;

/// The operator of `a = a op b` as `a op= b`.
pub(crate) fn assign_operator(w: &Writer<'_>, body: &Body, node: Node) -> Option<Infix> {
    let op = body.node(node).op;
    let args = body.args(node);
    let &first = args.first()?;
    let ty = w.module.type_of(body, first);
    let load = body.node_of(first)?;
    let pointer = *body.args(load).first()?;
    let is_simple = match body.base(pointer).as_var() {
        Some(var) => w.is_simple(var),
        None => true,
    };
    let wraps = overflows(w, op, ty) && !w.language.steps.contains(&node);
    // Metal's library has the operators of matrices, but not their assignments.
    let types = &w.module.types;
    let any_matrix = args.iter().any(|&a| matches!(types[w.module.type_of(body, a)], TypeKind::Matrix { .. }));
    let fits = !any_matrix && is_simple && !wraps;
    Infix::of(op).filter(|i| i.has_assignment() && fits)
}

/// An op without an expression, as an error says it.
pub(crate) fn lacks(l: &Lower<'_, '_>, node: Node) -> (Code, String) {
    let op = l.body.node(node).op;
    let name = &l.w.target_name;
    if !info().has(l.w.module, l.body, node) {
        // Legalization has an expansion, or reports the same error.
        return (Code::E0604, format!("{name} has no {}", Operation::of(l.w.module, l.body, node).text()));
    }
    (Code::E0604, format!("{name} has no `{}`", op.text()))
}

/// A built-in function of all operands.
fn call(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    let exprs = operands(l, args);
    l.w.tree.builtin(name, &exprs)
}

pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let op = data.op;
    let args = l.body.args(node);
    let ty = l.body.result(node).map_or(Type::VOID, |r| l.body.local_type(r));
    if !info().has(l.w.module, l.body, node) {
        return None;
    }
    if ty != Type::VOID {
        l.w.check_type_of(ty, l.span);
    }
    let first = args.first().map_or(Type::VOID, |&a| l.type_of(a));
    let is_scalar = |l: &Lower<'_, '_>, ty: Type| matches!(l.w.module.types[ty], TypeKind::Scalar(_));
    match data.op.info().class {
        Class::Construct => return construct(l, op, args, ty),
        Class::Extract => return extract(l, node),
        Class::Subgroup => return subgroup(l, node, args),
        Class::Stage | Class::Machine | Class::Simd | Class::Token | Class::Custom => return None,
        Class::Memory => return atomic(l, node),
        _ => {}
    }
    match op {
        Op::Mix => {
            let mut e = operands(l, args);
            e[2] = l.unsplat(e[2]);
            return Some(l.w.tree.builtin("mix", &e));
        }
        Op::PackHalf2x16 => {
            let halves = call(l, "half2", args);
            return Some(l.w.tree.builtin("as_type<uint>", &[halves]));
        }
        Op::UnpackHalf2x16 => {
            let halves = call(l, "as_type<half2>", args);
            return Some(l.w.tree.call(Callee::Type(ty), &[halves]));
        }
        _ => {}
    }
    if let Some(name) = function(op) {
        let value = call(l, name, args);
        // A count of an unsigned number is unsigned.
        return Some(if op == Op::BitCount && ty != first { l.w.cast(ty, value) } else { value });
    }
    Some(match op {
        Op::LogicalAnd | Op::LogicalOr if is_scalar(l, ty) => {
            let left = l.operand(args[0]);
            let right = l.conditional_operand(args[1]);
            l.w.tree.infix(Infix::of(op)?, left, right)
        }
        Op::Negate => {
            let a = l.operand(args[0]);
            if overflows(l.w, op, ty) {
                return Some(negated(l, a, ty));
            }
            let e = l.w.tree.add(ExprKind::Prefix("-", a));
            converted_back(l.w, ty, e)
        }
        Op::LogicalNot => {
            let a = l.operand(args[0]);
            if is_scalar(l, ty) { l.w.tree.not(a) } else { l.w.tree.add(ExprKind::Prefix("!", a)) }
        }
        Op::BitwiseNot => {
            let a = l.operand(args[0]);
            let e = l.w.tree.add(ExprKind::Prefix("~", a));
            converted_back(l.w, ty, e)
        }
        Op::ArrayLength => {
            let e = l.operand(args[0]);
            transfers::array_length(l, e)
        }
        Op::Any => call(l, "any", args),
        Op::All => call(l, "all", args),
        Op::Dfdx | Op::DfdxFine | Op::DfdxCoarse => derivative(l, "dfdx", args),
        Op::Dfdy | Op::DfdyFine | Op::DfdyCoarse => derivative(l, "dfdy", args),
        Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse => derivative(l, "fwidth", args),
        Op::BitfieldExtract | Op::BitfieldInsert => bitfield(l, op, args),
        Op::Select => {
            let c = l.operand(args[0]);
            let (a, b) = (l.operand(args[1]), l.operand(args[2]));
            if is_scalar(l, first) { l.choose(c, a, b) } else { l.w.tree.builtin("select", &[b, a, c]) }
        }
        _ => infix(l, node, ty)?,
    })
}

fn bitfield(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Expr {
    let count = args.len() - 2;
    let mut e = operands(l, &args[..count]);
    for &field in &args[count..] {
        let value = l.operand(field);
        e.push(if l.type_of(field) == Type::U32 { value } else { unsigned(l.w, Type::U32, value) });
    }
    l.w.tree.builtin(if op == Op::BitfieldExtract { "extract_bits" } else { "insert_bits" }, &e)
}

/// A node that is written by statements.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    match op {
        Op::Select if !l.w.may_select(l.type_of(args[1])) => {
            let c = l.operand(args[0]);
            let (a, b) = (l.operand(args[1]), l.operand(args[2]));
            let Some(result) = l.body.result(node) else { return true };
            l.begin();
            let target = l.set_result(result, Some(b));
            let then = l.w.tree.add_list(vec![Stmt::Assign { target, op: None, value: a }]);
            let otherwise = l.w.tree.add_list(vec![]);
            l.push(Stmt::If { condition: c, then, otherwise });
            true
        }
        Op::AtomicCompareExchange => compare_exchange(l, node),
        Op::Demote => {
            l.w.needs_fragment(l.span);
            let e = l.w.tree.builtin("discard_fragment", &[]);
            l.push(Stmt::Expr(e));
            true
        }
        Op::ControlBarrier => {
            if !refuse_barrier(l, node) {
                barrier(l, node, "threadgroup_barrier", &["mem_flags::mem_device | mem_flags::mem_threadgroup"]);
            }
            true
        }
        Op::SubgroupBarrier => {
            barrier(l, node, "simdgroup_barrier", &["mem_flags::mem_device | mem_flags::mem_threadgroup"]);
            true
        }
        Op::MemoryBarrier => {
            let is_covered = matches!(next_op(l, node), Some(Op::ControlBarrier | Op::MemoryBarrier));
            if is_covered {
                // The barrier that follows orders memory, too.
            } else if l.w.language.version >= Version::V3_2 {
                let args = [
                    "mem_flags::mem_device | mem_flags::mem_threadgroup",
                    "memory_order_seq_cst",
                    "thread_scope_device",
                ];
                barrier(l, node, "atomic_thread_fence", &args);
            } else {
                let span = l.body.node(node).span;
                let name = l.w.target_name.clone();
                let message = format!("{name} has no memory barrier without a `barrier()` after it; MSL 3.2 has");
                l.w.error(Code::E0604, span, message);
            }
            true
        }
        _ => false,
    }
}

fn barrier(l: &mut Lower<'_, '_>, node: Node, name: &'static str, args: &[&'static str]) {
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    l.begin();
    l.order(&own);
    let args: Vec<Expr> = args
        .iter()
        .map(|&text| {
            let symbol = l.w.tree.add_named(text);
            l.w.tree.name(symbol)
        })
        .collect();
    let e = l.w.tree.builtin(name, &args);
    l.push(Stmt::Expr(e));
}

fn refuse_barrier(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let Some(stage) = l.w.drawing_stage(l.func) else { return false };
    let span = l.body.node(node).span;
    let message = format!("{} has no barriers in the {} stage", l.w.target_name, stage.name());
    l.w.error(Code::E0604, span, message);
    true
}

fn derivative(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    l.w.needs_fragment(l.span);
    call(l, name, args)
}

fn infix(l: &mut Lower<'_, '_>, node: Node, ty: Type) -> Option<Expr> {
    let (op, args) = (l.body.node(node).op, l.body.args(node));
    let is_scalar = matches!(l.w.module.types[ty], TypeKind::Scalar(_));
    let infix = infix_of(op, is_scalar)?;
    let a = l.operand(args[0]);
    let b = l.operand(args[1]);
    let (first, second) = (l.type_of(args[0]), l.type_of(args[1]));
    let is_step = l.w.language.steps.contains(&node);
    if overflows(l.w, op, first) && !is_step {
        return Some(wrapping(l, infix, [(a, first), (b, second)], ty));
    }
    let componentwise = matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder);
    let e = combine(l, infix, [a, b], first, componentwise);
    Some(converted_back(l.w, ty, e))
}

fn construct(l: &mut Lower<'_, '_>, op: Op, args: &[Value], ty: Type) -> Option<Expr> {
    let types = &l.w.module.types;
    let (from, to) = (types.scalar_of(l.type_of(args[0])), types.scalar_of(ty));
    Some(match op {
        Op::ConstructVectorFromScalar => {
            let x = l.operand(args[0]);
            match from == to {
                true => l.w.tree.add(ExprKind::Splat(ty, x)),
                false => l.w.tree.call(Callee::Type(ty), &[x]),
            }
        }
        Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple if args.len() == 1 => {
            let x = l.operand(args[0]);
            if from == to { x } else { l.w.cast(ty, x) }
        }
        Op::ConstructVectorFromMultiple
        | Op::ConstructMatrixFromMultiple
        | Op::ConstructStruct
        | Op::ConstructArray => {
            l.w.check_type_of(ty, l.span);
            let parts = operands(l, args);
            l.w.tree.call(Callee::Type(ty), &parts)
        }
        Op::Bitcast => {
            let (from, to) = (from?, to?);
            let x = l.operand(args[0]);
            if from == to {
                return Some(x);
            }
            let n = l.w.module.types.vector_size(ty).unwrap_or(1);
            if !from.is_integer() || !to.is_integer() || from.bits() != to.bits() {
                return Some(l.w.tree.builtin(bitcast_name(to, n)?, &[x]));
            }
            if !to.is_signed() {
                return Some(unsigned(l.w, ty, x));
            }
            let e = l.w.cast(ty, x);
            if !is_promoted(l.w, ty) {
                l.w.language.wrapped.insert(e);
            }
            e
        }
        _ => return None,
    })
}

fn extract(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let (op, imm) = (data.op, data.imm);
    let args = l.body.args(node);
    let composite = l.type_of(args[0]);
    let a = l.operand(args[0]);
    Some(match op {
        Op::ExtractVectorComponent => l.swizzle(a, Lanes::new(&[imm.as_index() as u8])),
        Op::ExtractVectorComponentMulti => l.swizzle(a, imm.as_lanes()),
        Op::ExtractStructField => {
            l.w.check_type_of(composite, l.span);
            l.w.tree.add(ExprKind::Member(a, composite, imm.as_index()))
        }
        _ => {
            let len = l.w.module.types.part_count(composite);
            match index(l, args[1], len, false) {
                Index::Const(i) if op == Op::ExtractVectorComponentDynamic => l.swizzle(a, Lanes::new(&[i as u8])),
                i => element(l.w, a, i),
            }
        }
    })
}

// Atomic operations.

fn atomic_name(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::AtomicAdd => "atomic_fetch_add_explicit",
        Op::AtomicMin => "atomic_fetch_min_explicit",
        Op::AtomicMax => "atomic_fetch_max_explicit",
        Op::AtomicAnd => "atomic_fetch_and_explicit",
        Op::AtomicOr => "atomic_fetch_or_explicit",
        Op::AtomicXor => "atomic_fetch_xor_explicit",
        Op::AtomicExchange => "atomic_exchange_explicit",
        _ => return None,
    })
}

fn atomic(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    let name = atomic_name(op)?;
    if !is_word(l, op, args[1]) {
        return None;
    }
    let pointer = l.operand(args[0]);
    let value = l.operand(args[1]);
    if let Some(transfer) = atomic_transfer(l, node, pointer, value) {
        return Some(transfer);
    }
    if let Some(Place::Choice { index, places, .. }) = l.w.places.get(&pointer).cloned() {
        let symbol = l.w.tree.add_symbol("before");
        let ty = l.type_of(args[1]);
        l.push(Stmt::Decl(Decl::plain(symbol, ty, None)));
        let target = l.w.tree.name(symbol);
        let switch = transfers::switch_of(l, index, &places, &mut |l, place| {
            let value = memory::atomic(l, name, place, &[value]);
            vec![Stmt::Assign { target, op: None, value }]
        });
        l.push(switch);
        return Some(target);
    }
    Some(memory::atomic(l, name, pointer, &[value]))
}

/// The exchange of Metal may fail although the value is the expected one; then it is tried again.
///
/// ```text
/// int old = expected;
/// while (!atomic_compare_exchange_weak_explicit(&x, &old, value, …) && old == expected) {}
/// ```
fn compare_exchange(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let args = l.body.args(node);
    let Some(result) = l.body.result(node) else { return false };
    if !is_word(l, Op::AtomicCompareExchange, args[1]) {
        return false;
    }
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    let compare = l.stable_operand(args[1]);
    let value = l.stable_operand(args[2]);
    let pointer = l.operand(args[0]);
    l.begin();
    l.order(&own);
    let target = l.set_result(result, Some(compare));
    let one = |l: &mut Lower<'_, '_>, place: Expr| {
        let names = ["memory_order_relaxed"; 2].map(|n| {
            let symbol = l.w.tree.add_named(n);
            l.w.tree.name(symbol)
        });
        let address = l.w.tree.address_of(place);
        let old = l.w.tree.address_of(target);
        let args = [address, old, value, names[0], names[1]];
        let exchanged = l.w.tree.builtin("atomic_compare_exchange_weak_explicit", &args);
        let failed = l.w.tree.not(exchanged);
        let same = l.w.tree.infix(Infix::Eq, target, compare);
        let condition = l.w.tree.infix(Infix::LogicAnd, failed, same);
        let body = l.w.tree.add_list(vec![]);
        Stmt::While { condition, body }
    };
    if let Some(Place::Choice { index, places, .. }) = l.w.places.get(&pointer).cloned() {
        let switch = transfers::switch_of(l, index, &places, &mut |l, place| vec![one(l, place)]);
        l.push(switch);
    } else {
        let stmt = one(l, pointer);
        l.push(stmt);
    }
    true
}

/// A constant that holds NaN or infinity, by its bits, as compilers assume that there are none.
/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn nonfinite(w: &mut Writer<'_>, c: Const) -> Expr {
    if let Some(parts) = w.module.consts.as_parts(c) {
        let parts: Vec<Expr> = parts
            .iter()
            .map(|&p| {
                let is_finite = planish_back_shading::globals::is_finite(w.module, p);
                if is_finite { w.tree.add(ExprKind::Literal(p)) } else { nonfinite(w, p) }
            })
            .collect();
        let ty = w.module.consts[c].ty;
        return w.tree.call(Callee::Type(ty), &parts);
    }
    let (ty, bits) = (w.module.consts[c].ty, w.module.consts.as_bits(c).unwrap_or(0));
    let is_half = w.module.types.scalar_of(ty) == Some(Scalar::F16);
    let bits = w.uint(if is_half { convert(bits, Scalar::F16, Scalar::F32) } else { bits } as u32);
    let value = w.tree.builtin("as_type<float>", &[bits]);
    if is_half { w.cast(ty, value) } else { value }
}

/// An op on the invocations of a subgroup.
fn subgroup(l: &mut Lower<'_, '_>, node: Node, args: &[Value]) -> Option<Expr> {
    let operation = Operation::of(l.w.module, l.body, node);
    if l.w.language.version < Version::V2_2 {
        let message = format!("{} has no {}; MSL 2.2 has", l.w.target_name, operation.text());
        let span = l.span;
        l.w.error(Code::E0604, span, message);
    }
    let name = subgroup_function(&operation)?;
    let mut exprs = operands(l, args);
    match operation.op {
        // Two words of a long one.
        Op::SubgroupBallot => {
            let vote = l.w.tree.builtin(name, &exprs);
            let long = l.w.tree.builtin("(simd_vote::vote_t)", &[vote]);
            let words = l.w.tree.builtin("as_type<uint2>", &[long]);
            let zero = l.w.tree.add(ExprKind::Uint(0));
            return Some(l.w.tree.call(Callee::Type(Type::UVEC4), &[words, zero, zero]));
        }
        Op::QuadSwapHorizontal => exprs.push(l.w.tree.add(ExprKind::Uint(1))),
        Op::QuadSwapVertical => exprs.push(l.w.tree.add(ExprKind::Uint(2))),
        Op::QuadSwapDiagonal => exprs.push(l.w.tree.add(ExprKind::Uint(3))),
        _ => {}
    }
    Some(l.w.tree.builtin(name, &exprs))
}
