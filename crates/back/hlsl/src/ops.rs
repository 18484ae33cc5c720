//! Nodes without memory: from an op and its operands to an expression.

use planish_back_shading::globals::{Declared, DeclaredType, Kind};
use planish_back_shading::images::Access;
use planish_back_shading::ops::{combine, operands};
use planish_back_shading::places::{Index, element, index};
use planish_back_shading::transfers;
use planish_back_text::Dialect;
use planish_back_text::effects::node_effects;
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Stmt, Symbol};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::ops::{Class, Lanes, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_target::legal::Operation;

use crate::atomics;
use crate::helpers::Helper;
use crate::language::{Lower, Writer};
use crate::legal::{function, info, subgroup_function};
use crate::version::ShaderModel;

/// The operator of `a = a op b` as `a op= b`. `*` of a matrix is by components.
pub(crate) fn assign_operator(w: &Writer<'_>, body: &Body, node: Node) -> Option<Infix> {
    let op = body.node(node).op;
    let load = body.node_of(*body.args(node).first()?)?;
    let pointer = *body.args(load).first()?;
    let is_simple = body.base(pointer).as_var().is_none_or(|var| w.is_simple(var));
    let is_product = matches!(op, Op::MatrixTimesVector | Op::VectorTimesMatrix | Op::MatrixTimesMatrix);
    Infix::of(op).filter(|infix| infix.has_assignment() && !is_product && is_simple)
}

/// An op without an expression, as an error says it.
pub(crate) fn lacks(l: &Lower<'_, '_>, node: Node) -> (Code, String) {
    let text = match info(l.w.language.version).has(l.w.module, l.body, node) {
        true => format!("`{}`", l.body.node(node).op.text()),
        false => Operation::of(l.w.module, l.body, node).text(),
    };
    (Code::E0604, format!("{} has no {text}", l.w.target_name))
}

fn call(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    let exprs = operands(l, args);
    l.w.tree.builtin(name, &exprs)
}

fn helper(l: &mut Lower<'_, '_>, helper: Helper, args: &[Value]) -> Expr {
    let exprs = operands(l, args);
    call_helper(l.w, helper, &exprs)
}

/// A call of a function that the output brings along.
pub(crate) fn call_helper(w: &mut Writer<'_>, helper: Helper, args: &[Expr]) -> Expr {
    let symbol = helper_symbol(w, helper);
    w.tree.call(Callee::User(symbol), args)
}

/// The symbol of a function that the output brings along.
pub(crate) fn helper_symbol(w: &mut Writer<'_>, helper: Helper) -> Symbol {
    if let Some(known) = w.language.helpers.iter().find(|h| h.0 == helper) {
        return known.1;
    }
    let symbol = w.tree.add_symbol(helper.name());
    w.language.helpers.push((helper, symbol));
    symbol
}

pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let op = data.op;
    let args = l.body.args(node);
    let ty = l.body.result(node).map_or(Type::VOID, |r| l.body.local_type(r));
    if !info(l.w.language.version).has(l.w.module, l.body, node) {
        return None;
    }
    if ty != Type::VOID {
        l.w.check_type(ty, l.span);
    }
    let first = args.first().map_or(Type::VOID, |&a| l.type_of(a));
    let is_scalar = |l: &Lower<'_, '_>, ty: Type| matches!(l.w.module.types[ty], TypeKind::Scalar(_));
    match op.info().class {
        Class::Construct => return construct(l, op, args, ty),
        Class::Extract => return extract(l, node),
        Class::Stage if matches!(op, Op::InterpolateAtCentroid | Op::InterpolateAtSample) => {}
        Class::Subgroup => {
            let operation = Operation::of(l.w.module, l.body, node);
            if l.w.language.version < ShaderModel::V6_0 {
                let message = format!("{} has no {}; shader model 6.0 has", l.w.target_name, operation.text());
                let span = l.span;
                l.w.error(Code::E0604, span, message);
            }
            let name = subgroup_function(&operation)?;
            let exprs = operands(l, args);
            return Some(l.w.tree.builtin(name, &exprs));
        }
        Class::Stage | Class::Machine | Class::Simd | Class::Token | Class::Custom | Class::Memory => return None,
        _ => {}
    }
    if matches!(op, Op::Dfdx | Op::Dfdy | Op::Fwidth | Op::DfdxFine | Op::DfdyFine | Op::FwidthFine)
        || matches!(op, Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse)
    {
        l.w.needs_fragment(l.span);
    }
    if op == Op::Mix {
        let mut e = operands(l, args);
        // The factor may be a scalar.
        let has_vector = e[..2].iter().any(|&e| !matches!(l.w.tree.kind(e), ExprKind::Splat(..)));
        if has_vector {
            e[2] = l.unsplat(e[2]);
        }
        return Some(l.w.tree.builtin("lerp", &e));
    }
    if op == Op::BitReverse {
        let reversed = call(l, "reversebits", args);
        return Some(if ty_is_signed(l, ty) { l.w.cast(ty, reversed) } else { reversed });
    }
    if let Some(name) = function(op) {
        return Some(call(l, name, args));
    }
    Some(match op {
        Op::LogicalAnd | Op::LogicalOr => {
            // Both sides are computed.
            let left = l.operand(args[0]);
            let right = l.conditional_operand(args[1]);
            l.w.tree.infix(Infix::of(op)?, left, right)
        }
        Op::LogicalXor => {
            let (a, b) = (l.operand(args[0]), l.operand(args[1]));
            l.w.tree.infix(Infix::Ne, a, b)
        }
        Op::Negate => prefix(l, "-", args[0]),
        Op::BitwiseNot => prefix(l, "~", args[0]),
        Op::LogicalNot => {
            let a = l.operand(args[0]);
            if is_scalar(l, ty) { l.w.tree.not(a) } else { l.w.tree.add(ExprKind::Prefix("!", a)) }
        }
        Op::Sign => {
            let sign = call(l, "sign", args);
            if ty_is_signed(l, ty) { sign } else { l.w.cast(ty, sign) }
        }
        Op::ArrayLength => {
            let e = l.operand(args[0]);
            let length = transfers::array_length(l, e);
            if ty == Type::I32 { length } else { l.w.cast(ty, length) }
        }
        Op::BitCount | Op::FindLsb | Op::FindMsb => {
            let name = match op {
                Op::BitCount => "countbits",
                Op::FindLsb => "firstbitlow",
                _ => "firstbithigh",
            };
            let found = call(l, name, args);
            l.w.cast(ty, found)
        }
        Op::FwidthFine => width(l, ["ddx_fine", "ddy_fine"], args[0]),
        Op::FwidthCoarse => width(l, ["ddx_coarse", "ddy_coarse"], args[0]),
        Op::Fma if l.w.module.types.scalar_of(ty) == Some(Scalar::F64) => call(l, "fma", args),
        Op::Fma if !data.precise => {
            let [a, b, c] = [l.operand(args[0]), l.operand(args[1]), l.operand(args[2])];
            let product = l.w.tree.infix(Infix::Mul, a, b);
            l.w.tree.infix(Infix::Add, product, c)
        }
        Op::Ldexp => helper(l, Helper::Ldexp(l.w.module.types.vector_size(ty).unwrap_or(1)), args),
        Op::PackHalf2x16 => helper(l, Helper::PackHalf, args),
        Op::UnpackHalf2x16 => helper(l, Helper::UnpackHalf, args),
        Op::PackSnorm2x16 => helper(l, Helper::Pack { signed: true, lanes: 2 }, args),
        Op::PackUnorm2x16 => helper(l, Helper::Pack { signed: false, lanes: 2 }, args),
        Op::PackSnorm4x8 => helper(l, Helper::Pack { signed: true, lanes: 4 }, args),
        Op::PackUnorm4x8 => helper(l, Helper::Pack { signed: false, lanes: 4 }, args),
        Op::UnpackSnorm2x16 => helper(l, Helper::Unpack { signed: true, lanes: 2 }, args),
        Op::UnpackUnorm2x16 => helper(l, Helper::Unpack { signed: false, lanes: 2 }, args),
        Op::UnpackSnorm4x8 => helper(l, Helper::Unpack { signed: true, lanes: 4 }, args),
        Op::UnpackUnorm4x8 => helper(l, Helper::Unpack { signed: false, lanes: 4 }, args),
        Op::Select => {
            let c = l.operand(args[0]);
            let (a, b) = (l.operand(args[1]), l.operand(args[2]));
            l.choose(c, a, b)
        }
        Op::MatrixTimesVector | Op::VectorTimesMatrix | Op::MatrixTimesMatrix => {
            // Rows of HLSL are columns of the program: all products are the other way round.
            let (a, b) = (l.operand(args[0]), l.operand(args[1]));
            l.w.tree.builtin("mul", &[b, a])
        }
        Op::MatrixComponentMultiply => {
            let (a, b) = (l.operand(args[0]), l.operand(args[1]));
            l.w.tree.infix(Infix::Mul, a, b)
        }
        Op::InterpolateAtCentroid => call(l, "EvaluateAttributeAtCentroid", args),
        Op::InterpolateAtSample => {
            let (input, sample) = (l.operand(args[0]), l.operand(args[1]));
            let sample = l.w.cast(Type::U32, sample);
            l.w.tree.builtin("EvaluateAttributeAtSample", &[input, sample])
        }
        _ => infix(l, op, args, first)?,
    })
}

fn ty_is_signed(l: &Lower<'_, '_>, ty: Type) -> bool {
    l.w.module.types.scalar_of(ty) == Some(Scalar::I32)
}

fn prefix(l: &mut Lower<'_, '_>, operator: &'static str, value: Value) -> Expr {
    let a = l.operand(value);
    l.w.tree.add(ExprKind::Prefix(operator, a))
}

/// `abs(ddx_fine(x)) + abs(ddy_fine(x))`
fn width(l: &mut Lower<'_, '_>, names: [&'static str; 2], value: Value) -> Expr {
    let x = l.stable_operand(value);
    let [a, b] = names.map(|name| {
        let change = l.w.tree.builtin(name, &[x]);
        l.w.tree.builtin("abs", &[change])
    });
    l.w.tree.infix(Infix::Add, a, b)
}

fn infix(l: &mut Lower<'_, '_>, op: Op, args: &[Value], first: Type) -> Option<Expr> {
    let infix = Infix::of(op)?;
    let (a, mut b) = (l.operand(args[0]), l.operand(args[1]));
    let is_16_bits = l.w.module.types.scalar_of(first).is_some_and(|scalar| scalar.bits() == 16);
    if matches!(op, Op::ShiftLeft | Op::ShiftRight) && is_16_bits && l.type_of(args[1]) != first {
        // Both sides are converted to one type.
        b = l.w.cast(first, b);
    }
    Some(combine(l, infix, [a, b], first, op != Op::MatrixTimesScalar))
}

fn construct(l: &mut Lower<'_, '_>, op: Op, args: &[Value], ty: Type) -> Option<Expr> {
    let types = &l.w.module.types;
    let (from, to) = (types.scalar_of(l.type_of(args[0])), types.scalar_of(ty));
    Some(match op {
        Op::ConstructVectorFromScalar => {
            let x = l.operand(args[0]);
            l.w.tree.add(ExprKind::Splat(ty, x))
        }
        Op::ConstructScalarFromScalar | Op::ConstructVectorFromMultiple if args.len() == 1 => {
            let x = l.operand(args[0]);
            if from == to { x } else { l.w.cast(ty, x) }
        }
        Op::ConstructVectorFromMultiple | Op::ConstructMatrixFromMultiple => {
            let parts = operands(l, args);
            l.w.tree.call(Callee::Type(ty), &parts)
        }
        Op::ConstructStruct | Op::ConstructArray => {
            let parts = operands(l, args);
            l.w.tree.call(Callee::Type(ty), &parts)
        }
        Op::Bitcast => {
            let x = l.operand(args[0]);
            match (from?, to?) {
                (a, b) if a == b => x,
                (Scalar::I32 | Scalar::U32, Scalar::F32) => l.w.tree.builtin("asfloat", &[x]),
                (Scalar::F32, Scalar::I32) => l.w.tree.builtin("asint", &[x]),
                (Scalar::F32, Scalar::U32) => l.w.tree.builtin("asuint", &[x]),
                (Scalar::F16, Scalar::I16) => l.w.tree.builtin("asint16", &[x]),
                (Scalar::F16, Scalar::U16) => l.w.tree.builtin("asuint16", &[x]),
                (Scalar::I16 | Scalar::U16, Scalar::F16) => l.w.tree.builtin("asfloat16", &[x]),
                (a, b) if a.bits() != b.bits() => return None,
                _ => l.w.cast(ty, x),
            }
        }
        _ => return None,
    })
}

fn extract(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let composite = l.type_of(args[0]);
    match data.op {
        Op::ExtractVectorComponent => {
            let a = l.operand(args[0]);
            Some(l.swizzle(a, Lanes::new(&[data.imm.as_index() as u8])))
        }
        Op::ExtractVectorComponentMulti => {
            let a = l.operand(args[0]);
            Some(l.swizzle(a, data.imm.as_lanes()))
        }
        Op::ExtractStructField => {
            let a = l.operand(args[0]);
            l.w.check_type(composite, l.span);
            Some(l.w.tree.add(ExprKind::Member(a, composite, data.imm.as_index())))
        }
        op => {
            let a = l.operand(args[0]);
            let len = l.w.module.types.part_count(composite);
            match index(l, args[1], len, false) {
                Index::Const(i) if op == Op::ExtractVectorComponentDynamic => {
                    Some(l.swizzle(a, Lanes::new(&[i as u8])))
                }
                i => Some(element(l.w, a, i)),
            }
        }
    }
}

/// A node that is written by statements.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    if !info(l.w.language.version).has(l.w.module, l.body, node) {
        return false;
    }
    match op {
        Op::Frexp => {
            let results: Vec<_> = l.body.results(node).collect();
            let &[fraction, exponent] = &results[..] else { return false };
            let n = l.w.module.types.vector_size(l.type_of(args[0])).unwrap_or(1);
            let x = l.operand(args[0]);
            let symbol = helper_symbol(l.w, Helper::Frexp(n));
            l.begin();
            let target = l.set_result(exponent, None);
            let call = l.w.tree.call(Callee::User(symbol), &[x, target]);
            match l.use_count(fraction) {
                0 => l.push(Stmt::Expr(call)),
                _ => {
                    l.set_result(fraction, Some(call));
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
        Op::Demote => {
            l.w.needs_fragment(l.span);
            let symbol = l.w.tree.add_named("discard");
            let e = l.w.tree.name(symbol);
            l.push(Stmt::Expr(e));
            true
        }
        Op::ControlBarrier => {
            let writes = l.w.prepared.declared.iter().any(is_written);
            barrier(l, node, if writes { "AllMemoryBarrierWithGroupSync" } else { "GroupMemoryBarrierWithGroupSync" });
            true
        }
        // Invocations of a wave run together: what is left is the order of memory.
        Op::SubgroupBarrier => {
            barrier(l, node, "AllMemoryBarrier");
            true
        }
        Op::MemoryBarrier => {
            let only_shared = l.body.node(node).imm.0 == 4;
            barrier(l, node, if only_shared { "GroupMemoryBarrier" } else { "AllMemoryBarrier" });
            true
        }
        op if atomics::name(op).is_some() && op.info().class != Class::Texture => atomics::write(l, node),
        _ => false,
    }
}

/// Whether a declaration is memory of buffers or textures that the shader may write.
fn is_written(declared: &Declared) -> bool {
    match declared.kind {
        Kind::Storage { read_only, .. } => !read_only,
        _ => matches!(&declared.ty, DeclaredType::Texture { access, .. } if *access != Access::Read),
    }
}

fn barrier(l: &mut Lower<'_, '_>, node: Node, name: &'static str) {
    if let Some(stage) = l.w.drawing_stage(l.func) {
        let span = l.span;
        let message = format!("{} has no barriers in the {} stage", l.w.target_name, stage.name());
        l.w.error(Code::E0604, span, message);
        return;
    }
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    l.begin();
    l.order(&own);
    let e = l.w.tree.builtin(name, &[]);
    l.push(Stmt::Expr(e));
}
