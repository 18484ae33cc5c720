//! Nodes without memory: from an op and its operands to an expression.

use planish_back_shading::ops::{atomic_transfer, combine, infix_of, is_word, operands};
use planish_back_text::effects::{Effects, node_effects};
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Stmt, Symbol};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Const, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::convert;
use planish_ir::ops::{Class, Lanes, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_target::legal::Operation;

use planish_back_shading::globals;
use planish_back_shading::places::{Index, Place, element, index};
use planish_back_shading::transfers;

use crate::barriers;
use crate::language::{Lower, Writer};
use crate::legal::{function, info, subgroup_function};

/// The operator of `a = a op b` as `a op= b`. Shifts and vectors of bits need operands of exactly one type, which an operand that is
/// written with a compound assignment may not be.
pub(crate) fn assign_operator(w: &Writer<'_>, body: &Body, node: Node) -> Option<Infix> {
    let op = body.node(node).op;
    let args = body.args(node);
    let is_scalar = |v: &Value| matches!(w.module.types[w.module.type_of(body, *v)], TypeKind::Scalar(_));
    let fits = match op {
        Op::MatrixTimesVector => false,
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => args.iter().all(is_scalar),
        Op::ShiftLeft | Op::ShiftRight => false,
        _ => true,
    };
    let load = body.node_of(*args.first()?)?;
    let pointer = *body.args(load).first()?;
    let is_simple = match body.base(pointer).as_var() {
        Some(var) => w.is_simple(var),
        None => true,
    };
    Infix::of(op).filter(|i| i.has_assignment() && fits && is_simple)
}

/// An op without an expression, as an error says it.
pub(crate) fn lacks(l: &Lower<'_, '_>, node: Node) -> (Code, String) {
    let op = l.body.node(node).op;
    if !info().has(l.w.module, l.body, node) {
        // Legalization has an expansion, or reports the same error.
        return (Code::E0604, format!("WGSL has no {}", Operation::of(l.w.module, l.body, node).text()));
    }
    (Code::E0604, format!("WGSL has no `{}`", op.text()))
}

/// Whether all operands are known when the module is created: then so is the result, and one that is no number is an error.
fn is_known(l: &Lower<'_, '_>, args: &[Expr]) -> bool {
    args.iter().all(|&e| match l.w.tree.kind(e) {
        ExprKind::Splat(_, inner) => l.w.tree.is_literal(inner),
        _ => l.w.tree.is_literal(e),
    })
}

/// Whether a component is known to be zero. As a divisor it is an error for some readers, though the others are not known.
/// Recursion: over the expression, whose depth lowering bounds.
fn has_zero(l: &Lower<'_, '_>, e: Expr) -> bool {
    match l.w.tree.kind(e) {
        ExprKind::Int(0) | ExprKind::Uint(0) => true,
        ExprKind::Literal(c) => {
            let mut bits = vec![];
            l.w.module.consts.flatten(c, &mut bits) && bits.contains(&0)
        }
        ExprKind::Splat(_, inner) | ExprKind::Cast(_, inner) => has_zero(l, inner),
        ExprKind::Call(Callee::Type(_), args) => l.w.tree.args(args).iter().any(|&e| has_zero(l, e)),
        _ => false,
    }
}

/// As [`has_zero`], through names. Recursion: `depth` levels.
fn is_partly_zero(l: &Lower<'_, '_>, value: Value, depth: u32) -> bool {
    if let Some(c) = value.as_const() {
        let mut bits = vec![];
        return l.w.module.consts.flatten(c, &mut bits) && bits.contains(&0);
    }
    let Some(node) = l.body.node_of(value).filter(|_| depth > 0) else { return false };
    let op = l.body.node(node).op;
    let is_part = matches!(op.info().class, Class::Construct | Class::Extract);
    is_part && l.body.args(node).iter().any(|&a| is_partly_zero(l, a, depth - 1))
}

/// A literal in a variable, so that its value is not known when the module is created.
fn hidden(l: &mut Lower<'_, '_>, e: Expr, ty: Type) -> Expr {
    let symbol = l.w.tree.add_symbol("t");
    l.w.opaque_values.push(symbol);
    l.push(Stmt::Decl(Decl::plain(symbol, ty, Some(e))));
    l.w.tree.name(symbol)
}

/// A built-in function of all operands.
fn call(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    let mut exprs = operands(l, args);
    if is_known(l, &exprs)
        && let (Some(first), Some(&value)) = (exprs.first_mut(), args.first())
    {
        let ty = l.type_of(value);
        *first = hidden(l, *first, ty);
    }
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
    l.w.check_scalar(ty, l.span);
    let first = args.first().map_or(Type::VOID, |&a| l.type_of(a));
    let is_scalar = |l: &Lower<'_, '_>, ty: Type| matches!(l.w.module.types[ty], TypeKind::Scalar(_));
    match data.op.info().class {
        Class::Construct => return construct(l, op, args, ty),
        Class::Extract => return extract(l, node, ty),
        Class::Subgroup => {
            let name = subgroup_function(&Operation::of(l.w.module, l.body, node))?;
            l.w.language.has_subgroups = true;
            let exprs = operands(l, args);
            return Some(l.w.tree.builtin(name, &exprs));
        }
        Class::Stage | Class::Machine | Class::Simd | Class::Token | Class::Custom => return None,
        Class::Memory => return atomic(l, node),
        _ => {}
    }
    if op == Op::Mix {
        let mut e = operands(l, args);
        if l.scalar_of_splat(e[2]).is_some() && !is_known(l, &e) {
            e[2] = l.unsplat(e[2]);
        } else if is_known(l, &e) {
            e[0] = hidden(l, e[0], first);
        }
        return Some(l.w.tree.builtin("mix", &e));
    }
    if op == Op::Ldexp && args[1].as_const().is_some() {
        // A constant exponent above 128 is an error.
        let (x, by) = (l.operand(args[0]), l.operand(args[1]));
        let exponent = l.type_of(args[1]);
        let by = hidden(l, by, exponent);
        return Some(l.w.tree.builtin("ldexp", &[x, by]));
    }
    if let Some(name) = function(op) {
        return Some(call(l, name, args));
    }
    Some(match op {
        Op::LogicalAnd | Op::LogicalOr if is_scalar(l, ty) => {
            let left = l.operand(args[0]);
            let right = l.conditional_operand(args[1]);
            l.w.tree.infix(Infix::of(op)?, left, right)
        }
        Op::Negate => {
            let a = l.operand(args[0]);
            l.w.tree.add(ExprKind::Prefix("-", a))
        }
        Op::LogicalNot => {
            let a = l.operand(args[0]);
            if is_scalar(l, ty) { l.w.tree.not(a) } else { l.w.tree.add(ExprKind::Prefix("!", a)) }
        }
        Op::BitwiseNot => {
            let a = l.operand(args[0]);
            l.w.tree.add(ExprKind::Prefix("~", a))
        }
        Op::ArrayLength => {
            let e = l.operand(args[0]);
            transfers::array_length(l, e)
        }
        Op::Any => call(l, "any", args),
        Op::All => call(l, "all", args),
        Op::BitCount | Op::FindLsb | Op::FindMsb => {
            let name = match op {
                Op::BitCount => "countOneBits",
                Op::FindLsb => "firstTrailingBit",
                _ => "firstLeadingBit",
            };
            let found = call(l, name, args);
            if first == ty { found } else { l.w.cast(ty, found) }
        }
        Op::Dfdx => derivative(l, "dpdx", args),
        Op::Dfdy => derivative(l, "dpdy", args),
        Op::Fwidth => derivative(l, "fwidth", args),
        Op::DfdxFine => derivative(l, "dpdxFine", args),
        Op::DfdyFine => derivative(l, "dpdyFine", args),
        Op::FwidthFine => derivative(l, "fwidthFine", args),
        Op::DfdxCoarse => derivative(l, "dpdxCoarse", args),
        Op::DfdyCoarse => derivative(l, "dpdyCoarse", args),
        Op::FwidthCoarse => derivative(l, "fwidthCoarse", args),
        Op::ShiftLeft | Op::ShiftRight => shift(l, op, args)?,
        Op::BitfieldExtract | Op::BitfieldInsert => bitfield(l, op, args),
        Op::Select => {
            let c = l.operand(args[0]);
            let (a, b) = (l.operand(args[1]), l.operand(args[2]));
            if is_scalar(l, first) { l.choose(c, a, b) } else { l.w.tree.builtin("select", &[b, a, c]) }
        }
        _ => infix(l, op, args, ty)?,
    })
}

/// A node that is written by statements.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    match op {
        Op::Frexp | Op::Modf if info().has(l.w.module, l.body, node) => {
            let names: [&str; 2] = if op == Op::Frexp { [".fract", ".exp"] } else { [".fract", ".whole"] };
            let function = if op == Op::Frexp { "frexp" } else { "modf" };
            let mut x = l.stable_operand(args[0]);
            l.begin();
            if is_known(l, &[x]) {
                let ty = l.type_of(args[0]);
                x = hidden(l, x, ty);
            }
            let results: Vec<_> = l.body.results(node).filter(|&r| l.use_count(r) > 0).collect();
            let mut both = l.w.tree.builtin(function, &[x]);
            if results.len() > 1 {
                let symbol = l.w.tree.add_symbol("parts");
                l.push(Stmt::Decl(Decl::plain(symbol, Type::F32, Some(both))));
                both = l.w.tree.name(symbol);
            }
            for (result, name) in l.body.results(node).zip(names) {
                if results.contains(&result) {
                    let part = l.w.tree.add(ExprKind::Postfix(name, both));
                    l.begin();
                    l.finish(result, part, &Effects::default());
                }
            }
            true
        }
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
            let symbol = l.w.tree.add_named("discard");
            let e = l.w.tree.name(symbol);
            l.push(Stmt::Expr(e));
            true
        }
        _ => barriers::statement(l, node),
    }
}

fn derivative(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    l.w.needs_fragment(l.span);
    l.w.language.takes_derivatives = true;
    call(l, name, args)
}

/// `x << u32(n)`
fn shift(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Option<Expr> {
    let x = l.operand(args[0]);
    let amount = l.type_of(args[1]);
    let n = l.w.module.types.vector_size(amount).unwrap_or(1);
    let ty = l.w.vector_type(Scalar::U32, n);
    let is_unsigned = l.w.module.types.scalar_of(amount) == Some(Scalar::U32);
    let by = match args[1].as_const().filter(|_| !is_unsigned) {
        Some(c) => {
            let mut bits = vec![];
            l.w.module.consts.flatten(c, &mut bits);
            let parts: Vec<Expr> = bits.iter().map(|&b| l.w.uint(b as u32)).collect();
            match &parts[..] {
                [one] => *one,
                parts if bits.iter().all(|b| *b == bits[0]) => l.w.tree.add(ExprKind::Splat(ty, parts[0])),
                parts => l.w.tree.call(Callee::Type(ty), parts),
            }
        }
        None => {
            let by = l.operand(args[1]);
            if is_unsigned { by } else { l.w.cast(ty, by) }
        }
    };
    let x = if is_known(l, &[x]) && !l.w.tree.is_literal(by) { hidden_if_literal(l, x, args[0]) } else { x };
    Some(l.w.tree.infix(Infix::of(op)?, x, by))
}

/// A shift of a literal has the literal's type only if that has one.
fn hidden_if_literal(l: &mut Lower<'_, '_>, x: Expr, value: Value) -> Expr {
    let ty = l.type_of(value);
    match l.w.module.types.scalar_of(ty) {
        Some(Scalar::I32) => l.w.tree.add(ExprKind::Cast(ty, x)),
        _ => x,
    }
}

fn bitfield(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Expr {
    let (values, field) = args.split_at(args.len() - 2);
    let mut e = operands(l, values);
    let bits = |l: &Lower<'_, '_>, v: Value| v.as_const().and_then(|c| l.w.module.consts.as_bits(c));
    let known: Vec<Option<u64>> = field.iter().map(|&f| bits(l, f)).collect();
    let is_wrong = known.iter().flatten().sum::<u64>() > 32;
    for (&f, known) in field.iter().zip(known) {
        let ty = l.type_of(f);
        let mut value = match known {
            Some(bits) => l.w.uint(bits as u32),
            None => l.operand(f),
        };
        if known.is_some() && is_wrong {
            value = hidden(l, value, Type::U32);
        }
        e.push(if ty == Type::U32 || known.is_some() { value } else { l.w.cast(Type::U32, value) });
    }
    if is_known(l, &e) {
        let ty = l.type_of(args[0]);
        e[0] = hidden(l, e[0], ty);
    }
    l.w.tree.builtin(if op == Op::BitfieldExtract { "extractBits" } else { "insertBits" }, &e)
}

fn infix(l: &mut Lower<'_, '_>, op: Op, args: &[Value], ty: Type) -> Option<Expr> {
    let is_scalar = matches!(l.w.module.types[ty], TypeKind::Scalar(_));
    let infix = infix_of(op, is_scalar)?;
    let mut a = l.operand(args[0]);
    let mut b = l.operand(args[1]);
    let componentwise = matches!(op, Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder);
    let scalar = l.w.module.types.scalar_of(l.type_of(args[0]));
    if is_known(l, &[a, b]) {
        let first = l.type_of(args[0]);
        a = hidden(l, a, first);
    }
    if matches!(op, Op::Divide | Op::Remainder)
        && scalar.is_some_and(Scalar::is_integer)
        && (has_zero(l, b) || is_partly_zero(l, args[1], 8))
    {
        let second = l.type_of(args[1]);
        b = hidden(l, b, second);
    }
    let first = l.type_of(args[0]);
    Some(combine(l, infix, [a, b], first, componentwise))
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
            if from == to {
                return Some(x);
            }
            let x = if is_known(l, &[x]) {
                let ty = l.type_of(args[0]);
                hidden(l, x, ty)
            } else {
                x
            };
            l.w.cast(ty, x)
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
            let x = l.operand(args[0]);
            if from == to {
                return Some(x);
            }
            let n = l.w.module.types.vector_size(ty).unwrap_or(1);
            let is_int = |s: Option<Scalar>| matches!(s, Some(Scalar::I32 | Scalar::U32));
            if is_int(from) && is_int(to) && !is_known(l, &[x]) {
                return Some(l.w.cast(ty, x));
            }
            let x = if is_known(l, &[x]) {
                let ty = l.type_of(args[0]);
                hidden(l, x, ty)
            } else {
                x
            };
            l.w.tree.builtin(bitcast_name(to?, n)?, &[x])
        }
        _ => return None,
    })
}

fn bitcast_name(to: Scalar, n: u8) -> Option<&'static str> {
    Some(match (to, n) {
        (Scalar::F32, 1) => "bitcast<f32>",
        (Scalar::F32, 2) => "bitcast<vec2f>",
        (Scalar::F32, 3) => "bitcast<vec3f>",
        (Scalar::F32, 4) => "bitcast<vec4f>",
        (Scalar::I32, 1) => "bitcast<i32>",
        (Scalar::I32, 2) => "bitcast<vec2i>",
        (Scalar::I32, 3) => "bitcast<vec3i>",
        (Scalar::I32, 4) => "bitcast<vec4i>",
        (Scalar::U32, 1) => "bitcast<u32>",
        (Scalar::U32, 2) => "bitcast<vec2u>",
        (Scalar::U32, 3) => "bitcast<vec3u>",
        (Scalar::U32, 4) => "bitcast<vec4u>",
        _ => return None,
    })
}

fn extract(l: &mut Lower<'_, '_>, node: Node, ty: Type) -> Option<Expr> {
    let data = l.body.node(node);
    let (op, imm) = (data.op, data.imm);
    let args = l.body.args(node);
    let composite = l.type_of(args[0]);
    match op {
        Op::ExtractVectorComponent => {
            let a = l.operand(args[0]);
            Some(l.swizzle(a, Lanes::new(&[imm.as_index() as u8])))
        }
        Op::ExtractVectorComponentMulti => {
            let a = l.operand(args[0]);
            Some(l.swizzle(a, imm.as_lanes()))
        }
        Op::ExtractStructField => {
            let a = l.operand(args[0]);
            l.w.check_type_of(composite, l.span);
            Some(l.w.tree.add(ExprKind::Member(a, composite, imm.as_index())))
        }
        _ => {
            let mut a = l.operand(args[0]);
            let len = l.w.module.types.part_count(composite);
            let i = index(l, args[1], len, false);
            if op == Op::ExtractVectorComponentDynamic
                && let Index::Const(i) = i
            {
                return Some(l.swizzle(a, Lanes::new(&[i as u8])));
            }
            // No computed index into a matrix by value, nor one that is known.
            let is_value = !matches!(l.w.tree.kind(a), ExprKind::Name(_) if op != Op::ExtractMatrixColumn);
            if let (Index::Value(_), true) = (i, is_value) {
                a = hidden(l, a, composite);
            }
            let _ = ty;
            Some(element(l.w, a, i))
        }
    }
}

// Atomic operations.

fn atomic_name(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::AtomicAdd => "atomicAdd",
        Op::AtomicMin => "atomicMin",
        Op::AtomicMax => "atomicMax",
        Op::AtomicAnd => "atomicAnd",
        Op::AtomicOr => "atomicOr",
        Op::AtomicXor => "atomicXor",
        Op::AtomicExchange => "atomicExchange",
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
            let address = l.w.tree.address_of(place);
            let value = l.w.tree.builtin(name, &[address, value]);
            vec![Stmt::Assign { target, op: None, value }]
        });
        l.push(switch);
        return Some(target);
    }
    let address = l.w.tree.address_of(pointer);
    Some(l.w.tree.builtin(name, &[address, value]))
}

/// The exchange of WGSL may fail although the value is the expected one; then it is tried again.
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
    let target = l.set_result(result, None);
    let one = |l: &mut Lower<'_, '_>, place: Expr| {
        let address = l.w.tree.address_of(place);
        let call = l.w.tree.builtin("atomicCompareExchangeWeak", &[address, compare, value]);
        let symbol = l.w.tree.add_symbol("exchange");
        let decl = Stmt::Decl(Decl { is_assigned: false, ..Decl::plain(symbol, Type::U32, Some(call)) });
        let name = l.w.tree.name(symbol);
        let old = l.w.tree.add(ExprKind::Postfix(".old_value", name));
        let assign = Stmt::Assign { target, op: None, value: old };
        let exchanged = l.w.tree.add(ExprKind::Postfix(".exchanged", name));
        let other = l.w.tree.infix(Infix::Ne, target, compare);
        let done = l.w.tree.infix(Infix::LogicOr, exchanged, other);
        let then = l.w.tree.add_list(vec![Stmt::Break(None)]);
        let otherwise = l.w.tree.add_list(vec![]);
        let leave = Stmt::If { condition: done, then, otherwise };
        let body = l.w.tree.add_list(vec![decl, assign, leave]);
        let condition = l.w.tree.add(ExprKind::Bool(true));
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

/// A constant that holds NaN or infinity, put together from what is no constant.
/// Recursion: over the type of the constant, at most `MAX_TYPE_NESTING` levels.
pub(crate) fn nonfinite(w: &mut Writer<'_>, c: Const) -> Expr {
    if let Some(parts) = w.module.consts.as_parts(c) {
        let parts: Vec<Expr> = parts
            .iter()
            .map(|&p| if globals::is_finite(w.module, p) { w.tree.add(ExprKind::Literal(p)) } else { nonfinite(w, p) })
            .collect();
        let ty = w.module.consts[c].ty;
        return w.tree.call(Callee::Type(ty), &parts);
    }
    let (ty, bits) = (w.module.consts[c].ty, w.module.consts.as_bits(c).unwrap_or(0));
    let is_half = w.module.types.scalar_of(ty) == Some(Scalar::F16);
    let bits = if is_half { convert(bits, Scalar::F16, Scalar::F32) } else { bits } as u32;
    let symbol = bits_symbol(w, bits);
    let name = w.tree.name(symbol);
    let value = w.tree.builtin("bitcast<f32>", &[name]);
    if is_half { w.cast(ty, value) } else { value }
}

/// The private variable that holds the bits of a float.
fn bits_symbol(w: &mut Writer<'_>, bits: u32) -> Symbol {
    if let Some(known) = w.language.bits.iter().find(|b| b.0 == bits) {
        return known.1;
    }
    let name = match (f32::from_bits(bits).is_nan(), bits >> 31) {
        (true, _) => "nan_bits",
        (false, 0) => "infinity_bits",
        (false, _) => "negative_infinity_bits",
    };
    let symbol = w.tree.add_symbol(name);
    w.language.bits.push((bits, symbol));
    symbol
}
