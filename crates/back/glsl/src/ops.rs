//! Nodes without memory: from an op and its operands to an expression.
//! whole: one table, one row an op.

use planish_back_text::Dialect;
use planish_back_text::effects::Effects;
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Stmt};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::ops::{Class, Lanes, Op};
use planish_ir::types::{ImageKind, ImageType, Scalar, TypeKind};

use crate::dialect::Lower;
use crate::helper::Helper;
use crate::subgroups;
use crate::target::NEVER;

/// A built-in function of the same name and operands in all versions from these on (ES, desktop).
fn function_of(op: Op) -> Option<(&'static str, u16, u16)> {
    Some(match op {
        Op::Radians => ("radians", 100, 110),
        Op::Degrees => ("degrees", 100, 110),
        Op::Sin => ("sin", 100, 110),
        Op::Cos => ("cos", 100, 110),
        Op::Tan => ("tan", 100, 110),
        Op::Asin => ("asin", 100, 110),
        Op::Acos => ("acos", 100, 110),
        Op::Atan | Op::Atan2 => ("atan", 100, 110),
        Op::Sinh => ("sinh", 300, 130),
        Op::Cosh => ("cosh", 300, 130),
        Op::Tanh => ("tanh", 300, 130),
        Op::Asinh => ("asinh", 300, 130),
        Op::Acosh => ("acosh", 300, 130),
        Op::Atanh => ("atanh", 300, 130),
        Op::Exp => ("exp", 100, 110),
        Op::Log => ("log", 100, 110),
        Op::Exp2 => ("exp2", 100, 110),
        Op::Log2 => ("log2", 100, 110),
        Op::Sqrt => ("sqrt", 100, 110),
        Op::InverseSqrt => ("inversesqrt", 100, 110),
        Op::Abs => ("abs", 100, 110),
        Op::Sign => ("sign", 100, 110),
        Op::Floor => ("floor", 100, 110),
        Op::Trunc => ("trunc", 300, 130),
        Op::Round => ("round", 300, 130),
        Op::RoundEven => ("roundEven", 300, 130),
        Op::Ceil => ("ceil", 100, 110),
        Op::Fract => ("fract", 100, 110),
        Op::IsNan => ("isnan", 300, 130),
        Op::IsInf => ("isinf", 300, 130),
        Op::Length => ("length", 100, 110),
        Op::Normalize => ("normalize", 100, 110),
        Op::Transpose => ("transpose", 300, 120),
        Op::Determinant => ("determinant", 300, 140),
        Op::Inverse => ("inverse", 300, 140),
        Op::Any => ("any", 100, 110),
        Op::All => ("all", 100, 110),
        Op::BitCount => ("bitCount", 310, 400),
        Op::BitReverse => ("bitfieldReverse", 310, 400),
        Op::FindLsb => ("findLSB", 310, 400),
        Op::FindMsb => ("findMSB", 310, 400),
        Op::PackSnorm2x16 => ("packSnorm2x16", 300, 420),
        Op::PackUnorm2x16 => ("packUnorm2x16", 300, 400),
        Op::PackHalf2x16 => ("packHalf2x16", 300, 420),
        Op::PackSnorm4x8 => ("packSnorm4x8", 310, 400),
        Op::PackUnorm4x8 => ("packUnorm4x8", 310, 400),
        Op::PackDouble2x32 => ("packDouble2x32", NEVER, 400),
        Op::UnpackSnorm2x16 => ("unpackSnorm2x16", 300, 420),
        Op::UnpackUnorm2x16 => ("unpackUnorm2x16", 300, 400),
        Op::UnpackHalf2x16 => ("unpackHalf2x16", 300, 420),
        Op::UnpackSnorm4x8 => ("unpackSnorm4x8", 310, 400),
        Op::UnpackUnorm4x8 => ("unpackUnorm4x8", 310, 400),
        Op::UnpackDouble2x32 => ("unpackDouble2x32", NEVER, 400),
        Op::Dfdx => ("dFdx", 100, 110),
        Op::Dfdy => ("dFdy", 100, 110),
        Op::Fwidth => ("fwidth", 100, 110),
        Op::DfdxFine => ("dFdxFine", NEVER, 450),
        Op::DfdyFine => ("dFdyFine", NEVER, 450),
        Op::FwidthFine => ("fwidthFine", NEVER, 450),
        Op::DfdxCoarse => ("dFdxCoarse", NEVER, 450),
        Op::DfdyCoarse => ("dFdyCoarse", NEVER, 450),
        Op::FwidthCoarse => ("fwidthCoarse", NEVER, 450),
        Op::MatrixComponentMultiply => ("matrixCompMult", 100, 110),
        Op::OuterProduct => ("outerProduct", 300, 120),
        Op::Pow => ("pow", 100, 110),
        Op::Mod => ("mod", 100, 110),
        Op::Min => ("min", 100, 110),
        Op::Max => ("max", 100, 110),
        Op::Step => ("step", 100, 110),
        Op::Distance => ("distance", 100, 110),
        Op::Dot => ("dot", 100, 110),
        Op::Cross => ("cross", 100, 110),
        Op::Reflect => ("reflect", 100, 110),
        Op::Ldexp => ("ldexp", 310, 400),
        Op::Clamp => ("clamp", 100, 110),
        Op::Mix => ("mix", 100, 110),
        Op::SmoothStep => ("smoothstep", 100, 110),
        Op::Fma => ("fma", 320, 400),
        Op::FaceForward => ("faceforward", 100, 110),
        Op::Refract => ("refract", 100, 110),
        Op::BitfieldExtract => ("bitfieldExtract", 310, 400),
        Op::BitfieldInsert => ("bitfieldInsert", 310, 400),
        Op::RgbToYuv => ("rgb_2_yuv", 300, NEVER),
        Op::YuvToRgb => ("yuv_2_rgb", 300, NEVER),
        Op::AtomicAdd => ("atomicAdd", 310, 430),
        Op::AtomicMin => ("atomicMin", 310, 430),
        Op::AtomicMax => ("atomicMax", 310, 430),
        Op::AtomicAnd => ("atomicAnd", 310, 430),
        Op::AtomicOr => ("atomicOr", 310, 430),
        Op::AtomicXor => ("atomicXor", 310, 430),
        Op::AtomicExchange => ("atomicExchange", 310, 430),
        Op::AtomicCompareExchange => ("atomicCompSwap", 310, 430),
        Op::AtomicCounterLoad => ("atomicCounter", 310, 420),
        Op::AtomicCounterIncrement => ("atomicCounterIncrement", 310, 420),
        Op::AtomicCounterDecrement => ("atomicCounterDecrement", 310, 420),
        Op::EmitVertex => ("EmitVertex", 320, 150),
        Op::EndPrimitive => ("EndPrimitive", 320, 150),
        Op::InterpolateAtCentroid => ("interpolateAtCentroid", 320, 400),
        Op::InterpolateAtSample => ("interpolateAtSample", 320, 400),
        Op::InterpolateAtOffset => ("interpolateAtOffset", 320, 400),
        Op::ControlBarrier => ("barrier", 310, 400),
        _ => return None,
    })
}

/// Whether an op is a built-in function of a version, which is at least some versions of ES and of the desktop.
pub(crate) fn has_function(op: Op, at_least: impl Fn(u16, u16) -> bool) -> bool {
    function_of(op).is_some_and(|(_, es, desktop)| at_least(es, desktop))
}

/// Operands of a built-in function that may be scalars where the others are vectors, by a bit mask.
fn scalar_operands(op: Op) -> u32 {
    match op {
        Op::Min | Op::Max | Op::Mod => 0b10,
        Op::Clamp => 0b110,
        Op::Mix => 0b100,
        Op::Step => 0b1,
        Op::SmoothStep => 0b11,
        _ => 0,
    }
}

/// An op in the words of GLSL.
pub(crate) fn words_for(op: Op) -> String {
    if let Some((name, ..)) = function_of(op) {
        return format!("`{name}`");
    }
    match Infix::of(op) {
        Some(infix) => format!("operator `{}` on these operands", infix.text()),
        None if op == Op::MemoryBarrier => "`memoryBarrier`".into(),
        None if op == Op::ConstructArray => "array constructor".into(),
        None if op == Op::BitwiseNot => "operator `~`".into(),
        None => format!("operation `{}`", op.text()),
    }
}

pub(crate) fn expression(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let op = data.op;
    let result = l.body.result(node);
    let ty = result.map(|r| l.body.local_type(r));
    let is_vector = |l: &Lower<'_, '_>, v: Value| {
        let ty = l.type_of(v);
        matches!(l.w.module.types[ty], TypeKind::Vector(..))
    };
    match op {
        Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual | Op::Equal | Op::NotEqual
            if is_vector(l, args[0]) =>
        {
            let name = match op {
                Op::LessThan => "lessThan",
                Op::LessThanEqual => "lessThanEqual",
                Op::GreaterThan => "greaterThan",
                Op::GreaterThanEqual => "greaterThanEqual",
                Op::Equal => "equal",
                _ => "notEqual",
            };
            Some(simple_call(l, name, args))
        }
        Op::LogicalAnd | Op::LogicalOr => {
            let left = l.operand(args[0]);
            let right = l.conditional_operand(args[1]);
            Some(l.w.tree.infix(Infix::of(op)?, left, right))
        }
        Op::Remainder
        | Op::BitwiseAnd
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::ShiftLeft
        | Op::ShiftRight
        | Op::BitwiseNot
            if !l.w.target.is_modern() =>
        {
            None
        }
        _ if Infix::of(op).is_some() => infix(l, op, args),
        Op::Negate => {
            let a = l.operand(args[0]);
            Some(l.w.tree.add(ExprKind::Prefix("-", a)))
        }
        Op::LogicalNot if is_vector(l, args[0]) => Some(simple_call(l, "not", args)),
        Op::LogicalNot => {
            let a = l.operand(args[0]);
            Some(l.w.tree.not(a))
        }
        Op::BitwiseNot => {
            let a = l.operand(args[0]);
            Some(l.w.tree.add(ExprKind::Prefix("~", a)))
        }
        Op::PrefixIncrement | Op::PrefixDecrement => {
            let a = l.operand(args[0]);
            let text = if op == Op::PrefixIncrement { "++" } else { "--" };
            Some(l.w.tree.add(ExprKind::Prefix(text, a)))
        }
        Op::PostfixIncrement | Op::PostfixDecrement => {
            let a = l.operand(args[0]);
            let text = if op == Op::PostfixIncrement { "++" } else { "--" };
            Some(l.w.tree.add(ExprKind::Postfix(text, a)))
        }
        Op::ArrayLength => {
            let a = l.operand(args[0]);
            Some(l.w.tree.call(Callee::Method("length"), &[a]))
        }
        Op::Any | Op::All => {
            let whole = aggregate_compare(l, op, args[0]);
            whole.or_else(|| named_function(l, op, args))
        }
        Op::AggregateEqual => {
            let a = l.operand(args[0]);
            let b = l.operand(args[1]);
            Some(l.w.tree.infix(Infix::Eq, a, b))
        }
        Op::Select => select(l, args),
        Op::Bitcast => bitcast(l, args[0], ty?),
        Op::ConstructScalarFromScalar
        | Op::ConstructVectorFromMultiple
        | Op::ConstructMatrixFromScalar
        | Op::ConstructMatrixFromMultiple
        | Op::ConstructMatrixFromMatrix
        | Op::ConstructStruct => construct(l, args, ty?),
        Op::ConstructVectorFromScalar => {
            l.w.check_type(ty?, l.span);
            let a = l.operand(args[0]);
            let from = l.type_of(args[0]);
            let scalar = l.w.module.types.scalar_of(from);
            let same = scalar == l.w.module.types.scalar_of(ty?);
            Some(if same { l.w.tree.add(ExprKind::Splat(ty?, a)) } else { l.w.tree.call(Callee::Type(ty?), &[a]) })
        }
        Op::ConstructArray if l.w.target.at_least(300, 120) => construct(l, args, ty?),
        Op::ExtractVectorComponent => {
            let a = l.operand(args[0]);
            let lane = Lanes::new(&[data.imm.as_index() as u8]);
            Some(l.swizzle(a, lane))
        }
        Op::ExtractVectorComponentMulti => {
            let a = l.operand(args[0]);
            Some(l.swizzle(a, data.imm.as_lanes()))
        }
        Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
            let a = l.operand(args[0]);
            let i = l.operand(args[1]);
            Some(l.w.tree.add(ExprKind::Index(a, i)))
        }
        Op::ExtractStructField => {
            let a = l.operand(args[0]);
            let ty = l.type_of(args[0]);
            Some(l.w.tree.add(ExprKind::Member(a, ty, data.imm.as_index())))
        }
        Op::MemoryBarrier => memory_barrier(l, data.imm.0),
        op if op.info().class == Class::Subgroup => subgroups::expression(l, node),
        Op::Demote => {
            l.w.extension("GL_EXT_demote_to_helper_invocation");
            if !l.w.target.at_least(310, 140) {
                l.w.unsupported("`demote`", l.span);
            }
            let symbol = l.w.tree.add_named("demote");
            Some(l.w.tree.name(symbol))
        }
        // Said where it is an index: [`non_uniform_access`].
        Op::NonUniform => Some(l.operand(args[0])),
        Op::IsHelper => {
            l.w.extension("GL_EXT_demote_to_helper_invocation");
            Some(simple_call(l, "helperInvocationEXT", args))
        }
        op if op.is_reference() => reference(l, node, args),
        Op::BeginInterlock => interlock(l, node, "beginInvocationInterlockARB", "beginInvocationInterlockNV"),
        Op::EndInterlock => interlock(l, node, "endInvocationInterlockARB", "endInvocationInterlockNV"),
        Op::SubpassLoad => Some(simple_call(l, "subpassLoad", args)),
        Op::Fma if !l.w.target.at_least(320, 400) && !data.precise => {
            let [a, b, c] = [l.operand(args[0]), l.operand(args[1]), l.operand(args[2])];
            let product = l.w.tree.infix(Infix::Mul, a, b);
            Some(l.w.tree.infix(Infix::Add, product, c))
        }
        _ => named_function(l, op, args),
    }
}

fn simple_call(l: &mut Lower<'_, '_>, name: &'static str, args: &[Value]) -> Expr {
    let exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    l.w.tree.builtin(name, &exprs)
}

/// A built-in function, or where the target lacks it a helper that is written into the output.
fn named_function(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Option<Expr> {
    extended_atomic(l, op, args);
    let Some((name, es, desktop)) = function_of(op) else {
        return helper_call(l, op, args);
    };
    if !l.w.target.at_least(es, desktop) && !l.w.enable_function(op) {
        return helper_call(l, op, args);
    }
    l.w.note_function(op);
    let mut exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    let mask = scalar_operands(op);
    if mask != 0 {
        let any_vector = exprs
            .iter()
            .enumerate()
            .any(|(i, &e)| mask >> i & 1 == 0 && !matches!(l.w.tree.kind(e), ExprKind::Splat(..)));
        // All scalar operands together, or none: there is no overload for a part of them.
        let all = exprs.iter().enumerate().all(|(i, &e)| mask >> i & 1 == 0 || l.scalar_of_splat(e).is_some());
        if any_vector && all {
            for (i, e) in exprs.iter_mut().enumerate() {
                if mask >> i & 1 == 1 {
                    *e = l.unsplat(*e);
                }
            }
        }
    }
    Some(l.w.tree.builtin(name, &exprs))
}

fn helper_call(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Option<Expr> {
    let helper = Helper::for_op(op)?;
    let exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    let ty = l.type_of(args[0]);
    let symbol = l.w.helper_symbol(helper, ty)?;
    Some(l.w.tree.call(Callee::User(symbol), &exprs))
}

// Operators.

fn infix(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) -> Option<Expr> {
    let infix = Infix::of(op)?;
    let mut a = l.operand(args[0]);
    let mut b = l.operand(args[1]);
    let componentwise = matches!(
        op,
        Op::Add
            | Op::Subtract
            | Op::Multiply
            | Op::Divide
            | Op::Remainder
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
    );
    if matches!(op, Op::ShiftLeft | Op::ShiftRight) {
        b = l.unsplat(b);
    } else if componentwise {
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
        return Some(l.w.tree.infix(Infix::Sub, a, positive));
    }
    let compares = matches!(op, Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual);
    let scalar = l.w.module.types.scalar_of(l.type_of(args[0]));
    if compares && scalar.is_some_and(Scalar::is_integer) {
        return Some(l.w.tree.ordered_compare(infix, a, b));
    }
    Some(l.w.tree.infix(infix, a, b))
}

fn negated_literal(l: &mut Lower<'_, '_>, e: Expr) -> Option<Expr> {
    match l.w.tree.kind(e) {
        ExprKind::Literal(c) => {
            let ty = l.w.module.consts[c].ty;
            let bits = l.w.module.consts.as_bits(c)?;
            let value = f32::from_bits(bits as u32);
            (ty == Type::F32 && value < 0.0 && value.is_finite()).then(|| l.w.tree.add(ExprKind::Float(-value)))
        }
        ExprKind::Float(f) if f < 0.0 => Some(l.w.tree.add(ExprKind::Float(-f))),
        _ => None,
    }
}

/// `all(equal(a, b))` → `a == b`; `any(notEqual(a, b))` → `a != b`.
fn aggregate_compare(l: &mut Lower<'_, '_>, op: Op, value: Value) -> Option<Expr> {
    let ExprKind::Call(Callee::BuiltIn(name), args) = l.w.tree.kind(l.pending(value)?) else { return None };
    let infix = match (op, name) {
        (Op::All, "equal") => Infix::Eq,
        (Op::Any, "notEqual") => Infix::Ne,
        _ => return None,
    };
    let &[a, b] = l.w.tree.args(args) else { return None };
    l.operand(value);
    Some(l.w.tree.infix(infix, a, b))
}

fn select(l: &mut Lower<'_, '_>, args: &[Value]) -> Option<Expr> {
    let condition = l.type_of(args[0]);
    if condition == Type::BOOL {
        let c = l.operand(args[0]);
        let a = l.conditional_operand(args[1]);
        let b = l.conditional_operand(args[2]);
        return Some(l.choose(c, a, b));
    }
    let [c, a, b] = [0, 1, 2].map(|i| l.operand(args[i]));
    Some(l.w.tree.builtin("mix", &[b, a, c]))
}

fn bitcast(l: &mut Lower<'_, '_>, value: Value, ty: Type) -> Option<Expr> {
    let from = l.w.module.types.scalar_of(l.type_of(value))?;
    let to = l.w.module.types.scalar_of(ty)?;
    let callee = match (from, to) {
        (a, b) if a == b => return Some(l.operand(value)),
        (Scalar::I32, Scalar::U32) | (Scalar::U32, Scalar::I32) => Callee::Type(ty),
        (Scalar::F16, Scalar::I16) => Callee::BuiltIn("float16BitsToInt16"),
        (Scalar::F16, Scalar::U16) => Callee::BuiltIn("float16BitsToUint16"),
        (Scalar::I16, Scalar::F16) => Callee::BuiltIn("int16BitsToFloat16"),
        (Scalar::U16, Scalar::F16) => Callee::BuiltIn("uint16BitsToFloat16"),
        _ if from.is_integer() && to.is_integer() => Callee::Type(ty),
        _ if !l.w.target.at_least(300, 330) => return None,
        (Scalar::F32, Scalar::I32) => Callee::BuiltIn("floatBitsToInt"),
        (Scalar::F32, Scalar::U32) => Callee::BuiltIn("floatBitsToUint"),
        (Scalar::I32, Scalar::F32) => Callee::BuiltIn("intBitsToFloat"),
        (Scalar::U32, Scalar::F32) => Callee::BuiltIn("uintBitsToFloat"),
        _ => return None,
    };
    l.w.check_type(ty, l.span);
    let e = l.operand(value);
    Some(l.w.tree.call(callee, &[e]))
}

// Composites.

fn construct(l: &mut Lower<'_, '_>, args: &[Value], ty: Type) -> Option<Expr> {
    l.w.check_type(ty, l.span);
    let exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    Some(l.w.tree.call(Callee::Type(ty), &exprs))
}

// Several results.

/// `modf`, `frexp` and the like: their second result is an `out` parameter in GLSL.
pub(crate) fn two_results(l: &mut Lower<'_, '_>, node: Node) {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let results: Vec<Local> = l.body.results(node).collect();
    let &[first, second] = &results[..] else { return };
    let (name, es, desktop) = match data.op {
        Op::Modf => ("modf", 300, 130),
        Op::Frexp => ("frexp", 310, 400),
        Op::AddCarry => ("uaddCarry", 310, 400),
        Op::SubtractBorrow => ("usubBorrow", 310, 400),
        Op::MultiplyExtended => {
            let ty = l.w.module.types.scalar_of(l.body.local_type(first));
            (if ty == Some(Scalar::U32) { "umulExtended" } else { "imulExtended" }, 310, 400)
        }
        _ => return l.refuse(node),
    };
    if !l.w.target.at_least(es, desktop) {
        return split_modf(l, node, first, second);
    }
    let mut exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    l.begin();
    if data.op == Op::MultiplyExtended {
        exprs.push(l.set_result(first, None));
        exprs.push(l.set_result(second, None));
        let call = l.w.tree.builtin(name, &exprs);
        l.push(Stmt::Expr(call));
        return;
    }
    exprs.push(l.set_result(second, None));
    let call = l.w.tree.builtin(name, &exprs);
    if l.use_count(first) == 0 {
        l.push(Stmt::Expr(call));
    } else {
        l.set_result(first, Some(call));
    }
}

/// `modf` for targets without: the whole part is `sign(x) * floor(abs(x))`.
fn split_modf(l: &mut Lower<'_, '_>, node: Node, fraction: Local, whole: Local) {
    if l.body.node(node).op != Op::Modf {
        return l.refuse(node);
    }
    let args = l.body.args(node);
    let x = l.stable_operand(args[0]);
    l.begin();
    let sign = l.w.tree.builtin("sign", &[x]);
    let abs = l.w.tree.builtin("abs", &[x]);
    let floor = l.w.tree.builtin("floor", &[abs]);
    let value = l.w.tree.infix(Infix::Mul, sign, floor);
    let name = l.set_result(whole, Some(value));
    let rest = l.w.tree.infix(Infix::Sub, x, name);
    l.finish(fraction, rest, &Effects::default());
}

/// Requires the extension of an atomic op on floats or 64-bit integers.
fn extended_atomic(l: &mut Lower<'_, '_>, op: Op, args: &[Value]) {
    let is_atomic =
        op.info().class == Class::Memory || op.is_reference() && !matches!(op, Op::ReferenceLoad | Op::ReferenceStore);
    match args.last().and_then(|&value| l.w.module.types.scalar_of(l.type_of(value))) {
        Some(scalar) if scalar.is_float() => {}
        Some(scalar) if scalar.bits() == 64 && is_atomic => return l.w.extension("GL_EXT_shader_atomic_int64"),
        _ => return,
    }
    match op {
        Op::AtomicAdd | Op::ImageAtomicAdd | Op::ReferenceAtomicAdd => l.w.extension("GL_EXT_shader_atomic_float"),
        Op::AtomicMin | Op::ImageAtomicMin | Op::ReferenceAtomicMin => l.w.extension("GL_EXT_shader_atomic_float2"),
        Op::AtomicMax | Op::ImageAtomicMax | Op::ReferenceAtomicMax => l.w.extension("GL_EXT_shader_atomic_float2"),
        Op::AtomicExchange | Op::ReferenceAtomicExchange => l.w.extension("GL_EXT_shader_atomic_float"),
        _ => {}
    }
}

/// An access by an address of a buffer: a function around a block that is a reference.
fn reference(l: &mut Lower<'_, '_>, node: Node, args: &[Value]) -> Option<Expr> {
    if !l.w.target.vulkan {
        l.w.unsupported("addresses of buffers", l.span);
    }
    for extension in ["GL_EXT_buffer_reference", "GL_EXT_shader_explicit_arithmetic_types_int64"] {
        l.w.extension(extension);
    }
    let data = l.body.node(node);
    extended_atomic(l, data.op, args);
    let ty = match (args, l.body.result(node)) {
        (_, Some(result)) => l.body.local_type(result),
        (&[_, value, ..], None) => l.type_of(value),
        _ => return None,
    };
    let size = l.w.module.types.scalar_of(ty).map_or(4, |scalar| scalar.bits() / 8);
    let is_atomic = !matches!(data.op, Op::ReferenceLoad | Op::ReferenceStore);
    let align = if is_atomic { size } else { data.imm.as_index().max(size) };
    let exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    let symbol = l.w.helper_symbol(Helper::Reference(data.op, align), ty)?;
    Some(l.w.tree.call(Callee::User(symbol), &exprs))
}

/// GLSL has interlocks in `main`, outside of control flow.
fn interlock(l: &mut Lower<'_, '_>, node: Node, desktop: &'static str, es: &'static str) -> Option<Expr> {
    let is_entry = l.w.module.entry_points.iter().any(|e| e.func == l.func);
    if !is_entry || !l.body.blocks[l.body.entry].nodes.contains(&node) {
        l.w.unsupported("an interlock within a function or control flow", l.span);
    } else if !l.w.target.at_least(310, 450) {
        l.w.unsupported("an interlock", l.span);
    }
    l.w.extension(interlock_extension(l.w.target.es));
    let name = if l.w.target.es { es } else { desktop };
    Some(l.w.tree.builtin(name, &[]))
}

/// The extension with interlocks of fragments.
pub(crate) fn interlock_extension(es: bool) -> &'static str {
    if es { "GL_NV_fragment_shader_interlock" } else { "GL_ARB_fragment_shader_interlock" }
}

fn memory_barrier(l: &mut Lower<'_, '_>, bits: u64) -> Option<Expr> {
    if !l.w.target.at_least(310, 420) {
        return None;
    }
    let name = match bits {
        1 => "memoryBarrierBuffer",
        2 => "memoryBarrierImage",
        4 => "memoryBarrierShared",
        8 => "memoryBarrierAtomicCounter",
        b if b & 16 != 0 => "groupMemoryBarrier",
        _ => "memoryBarrier",
    };
    Some(l.w.tree.builtin(name, &[]))
}

/// An element by an index that differs among invocations, where the target tells such an index from others.
pub(crate) fn non_uniform_access(l: &mut Lower<'_, '_>, pointer: Value, index: Value) -> Option<Expr> {
    let node = l.body.node_of(index)?;
    if l.body.node(node).op != Op::NonUniform || !l.w.target.vulkan {
        return None;
    }
    l.w.extension("GL_EXT_nonuniform_qualifier");
    let (base, index) = (l.operand(pointer), l.operand(index));
    let index = l.w.tree.builtin("nonuniformEXT", &[index]);
    Some(l.w.tree.add(ExprKind::Index(base, index)))
}

/// ES 3.00 and 3.10 index arrays of samplers by constants.
pub(crate) fn check_sampler_index(l: &mut Lower<'_, '_>, pointer: Value, index: Value) {
    let target = &l.w.target;
    if !target.es || !target.at_least(300, 0) || target.at_least(320, 0) || index.as_const().is_some() {
        return;
    }
    let types = &l.w.module.types;
    let pointee = types.pointee(l.type_of(pointer)).map(|(ty, _)| ty);
    let is_combined = |ty: Type| matches!(types[ty], TypeKind::Image(ImageType { kind: ImageKind::Combined, .. }));
    let is_sampler =
        pointee.is_some_and(|array| matches!(types[array], TypeKind::Array { element, .. } if is_combined(element)));
    if !is_sampler {
        return;
    }
    let known = ["GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"];
    match known.into_iter().find(|name| target.at_least(310, 0) && l.w.source_has(name)) {
        Some(name) => l.w.extension(name),
        None => {
            let message = format!("{} has no index of samplers that is not constant", target.describe());
            l.w.error(Code::E0605, l.span, message);
        }
    }
}
