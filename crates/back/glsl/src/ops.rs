//! Nodes without memory: from an op and its operands to an expression.
//! whole: one table, one row an op.

use planish_ir::arena::Id;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::ops::{Class, Op};
use planish_ir::types::{ImageKind, ImageType, Scalar, TypeKind};

use crate::effects::{Effects, node_effects};
use crate::function::{Lower, Slot};
use crate::helper::Helper;
use crate::target::NEVER;
use crate::tree::{Callee, Decl, Expr, ExprKind, Infix, Stmt};

/// The infix operator of an op.
pub(crate) fn infix_of(op: Op) -> Option<Infix> {
    Some(match op {
        Op::Add => Infix::Add,
        Op::Subtract => Infix::Sub,
        Op::Multiply
        | Op::MatrixTimesScalar
        | Op::MatrixTimesVector
        | Op::VectorTimesMatrix
        | Op::MatrixTimesMatrix => Infix::Mul,
        Op::Divide => Infix::Div,
        Op::Remainder => Infix::Rem,
        Op::BitwiseAnd => Infix::And,
        Op::BitwiseOr => Infix::Or,
        Op::BitwiseXor => Infix::Xor,
        Op::ShiftLeft => Infix::Shl,
        Op::ShiftRight => Infix::Shr,
        Op::Equal => Infix::Eq,
        Op::NotEqual => Infix::Ne,
        Op::LessThan => Infix::Lt,
        Op::LessThanEqual => Infix::Le,
        Op::GreaterThan => Infix::Gt,
        Op::GreaterThanEqual => Infix::Ge,
        Op::LogicalAnd => Infix::LogicAnd,
        Op::LogicalOr => Infix::LogicOr,
        Op::LogicalXor => Infix::LogicXor,
        _ => return None,
    })
}

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

impl Lower<'_, '_> {
    /// A node that is neither memory access, call nor pointer.
    pub(crate) fn compute(&mut self, node: Node) {
        let data = self.body.node(node);
        let own = node_effects(self.w.module, self.body, &self.w.summaries, node);
        if self.body.results(node).len() == 2 {
            self.two_results(node);
            return;
        }
        if let Some(result) = self.body.result(node)
            && crate::coalesce::is_insert(data.op)
        {
            self.insert(node, result);
            return;
        }
        let expr = if data.op.info().class == Class::Texture { self.texture(node) } else { self.expression(node) };
        let Some(expr) = expr else {
            self.refuse(node);
            return;
        };
        match self.body.result(node) {
            Some(result) => self.finish(result, expr, &own),
            None => {
                self.begin();
                self.order(&own);
                self.push(Stmt::Expr(expr));
            }
        }
    }

    /// Reports that the target has no such op, and goes on with a placeholder value.
    fn refuse(&mut self, node: Node) {
        let data = self.body.node(node);
        if data.op.info().class == Class::Texture {
            let name = self.texture_words(node);
            let message = format!("{} has no {name}", self.w.target.describe());
            self.w.error(Code::E0605, self.span, message);
        } else {
            let what = self.words_for(data.op);
            self.w.unsupported(&what, self.span);
        }
        self.begin();
        // The operands that were not taken yet never will be.
        for local in self.body.args(node).iter().filter_map(|a| a.as_local()) {
            if matches!(self.slots[local.index()], Slot::Pending { .. }) {
                self.forget(local);
            }
        }
        for result in self.body.results(node) {
            let zero = self.w.tree.add(ExprKind::Int(0));
            self.slots[result.index()] = Slot::Stable(zero);
        }
    }

    /// An op in the words of GLSL.
    fn words_for(&self, op: Op) -> String {
        if let Some((name, ..)) = function_of(op) {
            return format!("`{name}`");
        }
        match infix_of(op) {
            Some(infix) => format!("operator `{}` on these operands", infix.text()),
            None if op == Op::MemoryBarrier => "`memoryBarrier`".into(),
            None if op == Op::ConstructArray => "array constructor".into(),
            None if op == Op::BitwiseNot => "operator `~`".into(),
            None => format!("operation `{}`", op.text()),
        }
    }

    fn expression(&mut self, node: Node) -> Option<Expr> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let op = data.op;
        let result = self.body.result(node);
        let ty = result.map(|r| self.body.local_type(r));
        let is_vector = |l: &Self, v: Value| {
            let ty = l.w.module.type_of(l.body, v);
            matches!(l.w.module.types[ty], TypeKind::Vector(..))
        };
        match op {
            Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual | Op::Equal | Op::NotEqual
                if is_vector(self, args[0]) =>
            {
                let name = match op {
                    Op::LessThan => "lessThan",
                    Op::LessThanEqual => "lessThanEqual",
                    Op::GreaterThan => "greaterThan",
                    Op::GreaterThanEqual => "greaterThanEqual",
                    Op::Equal => "equal",
                    _ => "notEqual",
                };
                Some(self.simple_call(name, args))
            }
            Op::LogicalAnd | Op::LogicalOr => {
                let left = self.operand(args[0]);
                let right = self.conditional_operand(args[1]);
                Some(self.w.tree.infix(infix_of(op)?, left, right))
            }
            Op::Remainder
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
            | Op::ShiftLeft
            | Op::ShiftRight
            | Op::BitwiseNot
                if !self.w.target.is_modern() =>
            {
                None
            }
            _ if infix_of(op).is_some() => self.infix(op, args),
            Op::Negate => {
                let a = self.operand(args[0]);
                Some(self.w.tree.add(ExprKind::Prefix("-", a)))
            }
            Op::LogicalNot if is_vector(self, args[0]) => Some(self.simple_call("not", args)),
            Op::LogicalNot => {
                let a = self.operand(args[0]);
                Some(self.w.tree.not(a))
            }
            Op::BitwiseNot => {
                let a = self.operand(args[0]);
                Some(self.w.tree.add(ExprKind::Prefix("~", a)))
            }
            Op::PrefixIncrement | Op::PrefixDecrement => {
                let a = self.operand(args[0]);
                let text = if op == Op::PrefixIncrement { "++" } else { "--" };
                Some(self.w.tree.add(ExprKind::Prefix(text, a)))
            }
            Op::PostfixIncrement | Op::PostfixDecrement => {
                let a = self.operand(args[0]);
                let text = if op == Op::PostfixIncrement { "++" } else { "--" };
                Some(self.w.tree.add(ExprKind::Postfix(text, a)))
            }
            Op::ArrayLength => {
                let a = self.operand(args[0]);
                Some(self.w.tree.add(ExprKind::Length(a)))
            }
            Op::Any | Op::All => {
                let whole = self.aggregate_compare(op, args[0]);
                whole.or_else(|| self.named_function(op, args))
            }
            Op::AggregateEqual => {
                let a = self.operand(args[0]);
                let b = self.operand(args[1]);
                Some(self.w.tree.infix(Infix::Eq, a, b))
            }
            Op::Select => self.select(args),
            Op::Bitcast => self.bitcast(args[0], ty?),
            Op::ConstructScalarFromScalar
            | Op::ConstructVectorFromMultiple
            | Op::ConstructMatrixFromScalar
            | Op::ConstructMatrixFromMultiple
            | Op::ConstructMatrixFromMatrix
            | Op::ConstructStruct => self.construct(args, ty?),
            Op::ConstructVectorFromScalar => {
                let a = self.operand(args[0]);
                let from = self.w.module.type_of(self.body, args[0]);
                let scalar = self.w.module.types.scalar_of(from);
                let same = scalar == self.w.module.types.scalar_of(ty?);
                Some(if same {
                    self.w.tree.add(ExprKind::Splat(ty?, a))
                } else {
                    self.w.tree.call(Callee::Type(ty?), &[a])
                })
            }
            Op::ConstructArray if self.w.target.at_least(300, 120) => self.construct(args, ty?),
            Op::ExtractVectorComponent => {
                let a = self.operand(args[0]);
                let lane = planish_ir::ops::Lanes::new(&[data.imm.as_index() as u8]);
                Some(self.swizzle(a, lane))
            }
            Op::ExtractVectorComponentMulti => {
                let a = self.operand(args[0]);
                Some(self.swizzle(a, data.imm.as_lanes()))
            }
            Op::ExtractVectorComponentDynamic | Op::ExtractMatrixColumn | Op::ExtractArrayElement => {
                let a = self.operand(args[0]);
                let i = self.operand(args[1]);
                Some(self.w.tree.add(ExprKind::Index(a, i)))
            }
            Op::ExtractStructField => {
                let a = self.operand(args[0]);
                let ty = self.w.module.type_of(self.body, args[0]);
                Some(self.w.tree.add(ExprKind::Member(a, ty, data.imm.as_index())))
            }
            Op::MemoryBarrier => self.memory_barrier(data.imm.0),
            Op::Demote => {
                self.w.extension("GL_EXT_demote_to_helper_invocation");
                self.w.unsupported("`demote`", self.span);
                None
            }
            Op::SubpassLoad => Some(self.simple_call("subpassLoad", args)),
            Op::Fma if !self.w.target.at_least(320, 400) && !data.precise => {
                let [a, b, c] = [self.operand(args[0]), self.operand(args[1]), self.operand(args[2])];
                let product = self.w.tree.infix(Infix::Mul, a, b);
                Some(self.w.tree.infix(Infix::Add, product, c))
            }
            _ => self.named_function(op, args),
        }
    }

    fn simple_call(&mut self, name: &'static str, args: &[Value]) -> Expr {
        let exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        self.w.tree.builtin(name, &exprs)
    }

    /// A built-in function, or where the target lacks it a helper that is written into the output.
    fn named_function(&mut self, op: Op, args: &[Value]) -> Option<Expr> {
        let Some((name, es, desktop)) = function_of(op) else {
            return self.helper_call(op, args);
        };
        if !self.w.target.at_least(es, desktop) && !self.w.enable_function(op) {
            return self.helper_call(op, args);
        }
        self.w.note_function(op);
        let mut exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        let mask = scalar_operands(op);
        if mask != 0 {
            let any_vector = exprs
                .iter()
                .enumerate()
                .any(|(i, &e)| mask >> i & 1 == 0 && !matches!(self.w.tree.kind(e), ExprKind::Splat(..)));
            // All scalar operands together, or none: there is no overload for a part of them.
            let all = exprs.iter().enumerate().all(|(i, &e)| mask >> i & 1 == 0 || self.scalar_of_splat(e).is_some());
            if any_vector && all {
                for (i, e) in exprs.iter_mut().enumerate() {
                    if mask >> i & 1 == 1 {
                        *e = self.unsplat(*e);
                    }
                }
            }
        }
        Some(self.w.tree.builtin(name, &exprs))
    }

    fn helper_call(&mut self, op: Op, args: &[Value]) -> Option<Expr> {
        let helper = Helper::for_op(op)?;
        let exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        let ty = self.w.module.type_of(self.body, args[0]);
        let symbol = self.w.helper_symbol(helper, ty)?;
        Some(self.w.tree.call(Callee::User(symbol), &exprs))
    }

    // Operators.

    fn infix(&mut self, op: Op, args: &[Value]) -> Option<Expr> {
        let infix = infix_of(op)?;
        let mut a = self.operand(args[0]);
        let mut b = self.operand(args[1]);
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
            b = self.unsplat(b);
        } else if componentwise {
            if self.scalar_of_splat(b).is_some() {
                b = self.unsplat(b);
            } else {
                a = self.unsplat(a);
            }
        }
        // a + -1.0  →  a - 1.0, which is the same number
        if infix == Infix::Add
            && let Some(positive) = self.negated_literal(b)
        {
            return Some(self.w.tree.infix(Infix::Sub, a, positive));
        }
        let compares = matches!(op, Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual);
        let scalar = self.w.module.types.scalar_of(self.w.module.type_of(self.body, args[0]));
        if compares && scalar.is_some_and(Scalar::is_integer) {
            return Some(self.w.tree.ordered_compare(infix, a, b));
        }
        Some(self.w.tree.infix(infix, a, b))
    }

    fn negated_literal(&mut self, e: Expr) -> Option<Expr> {
        match self.w.tree.kind(e) {
            ExprKind::Literal(c) => {
                let ty = self.w.module.consts[c].ty;
                let bits = self.w.module.consts.as_bits(c)?;
                let value = f32::from_bits(bits as u32);
                (ty == Type::F32 && value < 0.0 && value.is_finite()).then(|| self.w.tree.add(ExprKind::Float(-value)))
            }
            ExprKind::Float(f) if f < 0.0 => Some(self.w.tree.add(ExprKind::Float(-f))),
            _ => None,
        }
    }

    /// The scalar that an expression repeats in every component.
    fn scalar_of_splat(&self, e: Expr) -> Option<ExprKind> {
        match self.w.tree.kind(e) {
            ExprKind::Splat(_, inner) => Some(self.w.tree.kind(inner)),
            ExprKind::Literal(c) => self.w.splat_part(c).map(ExprKind::Literal),
            _ => None,
        }
    }

    /// `vec3(s)` → `s`.
    pub(crate) fn unsplat(&mut self, e: Expr) -> Expr {
        match self.w.tree.kind(e) {
            ExprKind::Splat(_, inner) => inner,
            ExprKind::Literal(c) => match self.w.splat_part(c) {
                Some(part) => self.w.const_expr(part, self.span),
                None => e,
            },
            _ => e,
        }
    }

    /// `all(equal(a, b))` → `a == b`; `any(notEqual(a, b))` → `a != b`.
    fn aggregate_compare(&mut self, op: Op, value: Value) -> Option<Expr> {
        let local = value.as_local()?;
        let Slot::Pending { expr, .. } = self.slots[local.index()] else { return None };
        let ExprKind::Call(Callee::BuiltIn(name), args) = self.w.tree.kind(expr) else { return None };
        let infix = match (op, name) {
            (Op::All, "equal") => Infix::Eq,
            (Op::Any, "notEqual") => Infix::Ne,
            _ => return None,
        };
        let &[a, b] = self.w.tree.args(args) else { return None };
        self.operand(value);
        Some(self.w.tree.infix(infix, a, b))
    }

    fn select(&mut self, args: &[Value]) -> Option<Expr> {
        let condition = self.w.module.type_of(self.body, args[0]);
        if condition == Type::BOOL {
            let c = self.operand(args[0]);
            let a = self.conditional_operand(args[1]);
            let b = self.conditional_operand(args[2]);
            return Some(self.choose(c, a, b));
        }
        let [c, a, b] = [0, 1, 2].map(|i| self.operand(args[i]));
        Some(self.w.tree.builtin("mix", &[b, a, c]))
    }

    fn bitcast(&mut self, value: Value, ty: Type) -> Option<Expr> {
        let from = self.w.module.types.scalar_of(self.w.module.type_of(self.body, value))?;
        let to = self.w.module.types.scalar_of(ty)?;
        let callee = match (from, to) {
            (a, b) if a == b => return Some(self.operand(value)),
            (Scalar::I32, Scalar::U32) | (Scalar::U32, Scalar::I32) => Callee::Type(ty),
            _ if !self.w.target.at_least(300, 330) => return None,
            (Scalar::F32, Scalar::I32) => Callee::BuiltIn("floatBitsToInt"),
            (Scalar::F32, Scalar::U32) => Callee::BuiltIn("floatBitsToUint"),
            (Scalar::I32, Scalar::F32) => Callee::BuiltIn("intBitsToFloat"),
            (Scalar::U32, Scalar::F32) => Callee::BuiltIn("uintBitsToFloat"),
            _ => return None,
        };
        let e = self.operand(value);
        Some(self.w.tree.call(callee, &[e]))
    }

    // Composites.

    fn construct(&mut self, args: &[Value], ty: Type) -> Option<Expr> {
        self.w.check_type(ty, self.span);
        let exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        Some(self.w.tree.call(Callee::Type(ty), &exprs))
    }

    /// `v.yx`; a swizzle of a swizzle is one. A scalar has no components to name.
    pub(crate) fn swizzle(&mut self, e: Expr, lanes: planish_ir::ops::Lanes) -> Expr {
        match self.w.tree.kind(e) {
            ExprKind::Swizzle(inner, under) => {
                let through: Vec<u8> = lanes.iter().map(|l| under.get(l as usize)).collect();
                self.w.tree.add(ExprKind::Swizzle(inner, planish_ir::ops::Lanes::new(&through)))
            }
            ExprKind::Splat(_, inner) if lanes.len() == 1 => inner,
            ExprKind::Literal(c) if lanes.len() == 1 => {
                let part = self.w.module.consts.as_parts(c).and_then(|p| p.get(lanes.get(0) as usize).copied());
                match part {
                    Some(part) => self.w.const_expr(part, self.span),
                    None => self.w.tree.add(ExprKind::Swizzle(e, lanes)),
                }
            }
            _ => self.w.tree.add(ExprKind::Swizzle(e, lanes)),
        }
    }

    // Several results.

    /// `modf`, `frexp` and the like: their second result is an `out` parameter in GLSL.
    fn two_results(&mut self, node: Node) {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let results: Vec<Local> = self.body.results(node).collect();
        let &[first, second] = &results[..] else { return };
        let (name, es, desktop) = match data.op {
            Op::Modf => ("modf", 300, 130),
            Op::Frexp => ("frexp", 310, 400),
            Op::AddCarry => ("uaddCarry", 310, 400),
            Op::SubtractBorrow => ("usubBorrow", 310, 400),
            Op::MultiplyExtended => {
                let ty = self.w.module.types.scalar_of(self.body.local_type(first));
                (if ty == Some(Scalar::U32) { "umulExtended" } else { "imulExtended" }, 310, 400)
            }
            _ => return self.refuse(node),
        };
        if !self.w.target.at_least(es, desktop) {
            return self.split_modf(node, first, second);
        }
        let mut exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        self.begin();
        let declare = |l: &mut Self, local: Local, init: Option<Expr>| {
            let symbol = l.set(local, init, l.frames.len() - 1);
            l.w.tree.name(symbol)
        };
        if data.op == Op::MultiplyExtended {
            exprs.push(declare(self, first, None));
            exprs.push(declare(self, second, None));
            let call = self.w.tree.builtin(name, &exprs);
            self.push(Stmt::Expr(call));
            return;
        }
        exprs.push(declare(self, second, None));
        let call = self.w.tree.builtin(name, &exprs);
        if self.uses.count[first] == 0 {
            self.push(Stmt::Expr(call));
        } else {
            declare(self, first, Some(call));
        }
    }

    /// `modf` for targets without: the whole part is `sign(x) * floor(abs(x))`.
    fn split_modf(&mut self, node: Node, fraction: Local, whole: Local) {
        if self.body.node(node).op != Op::Modf {
            return self.refuse(node);
        }
        let args = self.body.args(node);
        let x = self.stable_operand(args[0]);
        self.begin();
        let sign = self.w.tree.builtin("sign", &[x]);
        let abs = self.w.tree.builtin("abs", &[x]);
        let floor = self.w.tree.builtin("floor", &[abs]);
        let value = self.w.tree.infix(Infix::Mul, sign, floor);
        let symbol = self.set(whole, Some(value), self.frames.len() - 1);
        let name = self.w.tree.name(symbol);
        let rest = self.w.tree.infix(Infix::Sub, x, name);
        self.finish(fraction, rest, &Effects::default());
    }

    fn memory_barrier(&mut self, bits: u64) -> Option<Expr> {
        if !self.w.target.at_least(310, 420) {
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
        Some(self.w.tree.builtin(name, &[]))
    }

    /// The pointer to a part.
    pub(crate) fn access(&mut self, node: Node) -> Expr {
        let data = self.body.node(node);
        let args = self.body.args(node);
        if data.op == Op::AccessStructField
            && let Some(var) = args[0].as_var()
            && let Some(bare) = self.w.bare_member(var, data.imm.as_index())
        {
            return bare;
        }
        let base = self.operand(args[0]);
        match data.op {
            Op::AccessVectorComponent => {
                let lane = planish_ir::ops::Lanes::new(&[data.imm.as_index() as u8]);
                self.swizzle(base, lane)
            }
            Op::AccessVectorComponentMulti => self.swizzle(base, data.imm.as_lanes()),
            Op::AccessStructField => {
                let pointer = self.w.module.type_of(self.body, args[0]);
                let ty = self.w.module.types.pointee(pointer).map_or(pointer, |(ty, _)| ty);
                self.w.tree.add(ExprKind::Member(base, ty, data.imm.as_index()))
            }
            _ => {
                self.check_sampler_index(args[0], args[1]);
                let index = self.operand(args[1]);
                self.w.tree.add(ExprKind::Index(base, index))
            }
        }
    }

    /// ES 3.00 and 3.10 index arrays of samplers by constants.
    fn check_sampler_index(&mut self, pointer: Value, index: Value) {
        let target = &self.w.target;
        if !target.es || !target.at_least(300, 0) || target.at_least(320, 0) || index.as_const().is_some() {
            return;
        }
        let types = &self.w.module.types;
        let pointee = types.pointee(self.w.module.type_of(self.body, pointer)).map(|(ty, _)| ty);
        let is_combined = |ty: Type| matches!(types[ty], TypeKind::Image(ImageType { kind: ImageKind::Combined, .. }));
        let is_sampler = pointee
            .is_some_and(|array| matches!(types[array], TypeKind::Array { element, .. } if is_combined(element)));
        if !is_sampler {
            return;
        }
        let known = ["GL_EXT_gpu_shader5", "GL_OES_gpu_shader5"];
        match known.into_iter().find(|name| target.at_least(310, 0) && self.w.source_has(name)) {
            Some(name) => self.w.extension(name),
            None => {
                let message = format!("{} has no index of samplers that is not constant", target.describe());
                self.w.error(Code::E0605, self.span, message);
            }
        }
    }
}

/// A declaration of a plain variable.
pub(crate) fn plain_decl(symbol: crate::tree::Symbol, ty: Type, init: Option<Expr>) -> Stmt {
    Stmt::Decl(Decl {
        symbol,
        ty,
        precision: planish_ir::decoration::Precision::None,
        precise: false,
        is_const: false,
        init,
    })
}
