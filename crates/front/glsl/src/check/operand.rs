//! Operands: results of expressions, their loads and conversions.

use planish_ir::builder::Request;
use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Const, Type, Value};
use planish_ir::ops::{Imm, ImmKind, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::addresses::SpotId;
use super::names::Entity;
use super::{Checked, Checker};
use crate::ast::{ExprId, ExprKind};

/// The result of an expression: a value, or a place that is loaded when the value is needed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Operand {
    /// The value, or the address of the place.
    pub(crate) value: Value,
    /// The type of the value (for a place, of its contents); `void` for calls of functions without a result.
    pub(crate) ty: Type,
    /// Whether it is a place.
    pub(crate) place: bool,
    /// Of a place that a reference leads to: the rest of its address, which is a number.
    pub(crate) spot: Option<SpotId>,
}

impl Operand {
    pub(crate) fn value(value: impl Into<Value>, ty: Type) -> Self {
        Operand { value: value.into(), ty, place: false, spot: None }
    }

    pub(crate) fn place(address: Value, ty: Type) -> Self {
        Operand { value: address, ty, place: true, spot: None }
    }

    /// A place that a reference leads to.
    pub(crate) fn at_address(address: Value, spot: SpotId, ty: Type) -> Self {
        Operand { value: address, ty, place: true, spot: Some(spot) }
    }

    /// The result of a call of a function without a result.
    pub(crate) fn void() -> Self {
        Operand::value(Const::FALSE, Type::VOID)
    }

    /// The constant, if it is one.
    pub(crate) fn as_const(self) -> Option<Const> {
        if self.place { None } else { self.value.as_const() }
    }
}

impl Checker<'_, '_> {
    /// The value of an operand: loads a place.
    pub(super) fn load(&mut self, operand: Operand) -> Value {
        match operand.spot {
            Some(_) => self.load_at_address(operand),
            None if operand.place => self.b.load(operand.value),
            None => operand.value,
        }
    }

    /// The operand as a value.
    pub(super) fn loaded(&mut self, operand: Operand) -> Operand {
        if operand.place { Operand::value(self.load(operand), operand.ty) } else { operand }
    }

    /// Rank of an implicit conversion: 0 for equal types, smaller is better; `None` if there is no conversion.
    pub(super) fn conversion_rank(&self, from: Type, to: Type) -> Option<u8> {
        if from == to {
            return Some(0);
        }
        let types = &self.b.module.types;
        let shape_fits = match (&types[from], &types[to]) {
            (TypeKind::Scalar(_), TypeKind::Scalar(_)) => true,
            (TypeKind::Vector(_, a), TypeKind::Vector(_, b)) => a == b,
            (TypeKind::Matrix { columns: ac, rows: ar, .. }, TypeKind::Matrix { columns: bc, rows: br, .. }) => {
                ac == bc && ar == br
            }
            _ => false,
        };
        if !shape_fits {
            return None;
        }
        self.scalar_rank(types.scalar_of(from)?, types.scalar_of(to)?)
    }

    fn scalar_rank(&self, from: Scalar, to: Scalar) -> Option<u8> {
        use Scalar::{F16, F32, F64, I32, I64, U32, U64};
        if from.is_small_integer() {
            return self.small_rank(from, to);
        }
        let v = self.version;
        let es_extension = self.is_es() && self.has_extension("GL_EXT_shader_implicit_conversions");
        let to_float = v.at_least(0, 120) || es_extension;
        let to_uint = v.at_least(0, 400) || es_extension || (!self.is_es() && self.has_extension("GL_ARB_gpu_shader5"));
        let doubles = v.has_doubles() || self.has_extension("GL_ARB_gpu_shader_fp64");
        match (from, to) {
            (I32, U32) if to_uint => Some(2),
            (I32 | U32, F32) if to_float => Some(3),
            (F16, F32) if self.computes_with(F16) => Some(1),
            (F16, F64) if self.computes_with(F16) && doubles => Some(2),
            (F32, F64) if doubles => Some(1),
            (I32 | U32, F64) if doubles => Some(4),
            (I32, I64) | (U32, U64) if !self.is_es() => Some(1),
            (I32, U64) | (I64, U64) | (U32, I64) if !self.is_es() => Some(2),
            (I64 | U64, F64) if doubles => Some(4),
            _ => None,
        }
    }

    /// Of an integer of 8 or 16 bits (`GL_EXT_shader_explicit_arithmetic_types`): to `int` it is promoted, to wider integers, to the unsigned one
    /// of its width and to floats it is converted.
    fn small_rank(&self, from: Scalar, to: Scalar) -> Option<u8> {
        let is_wider = to.is_integer() && (to.bits() > from.bits() || to == from.unsigned() && from.is_signed());
        let doubles = self.version.has_doubles() || self.has_extension("GL_ARB_gpu_shader_fp64");
        match to {
            _ if !self.computes_with(from) || !self.computes_with(to) => None,
            Scalar::I32 => Some(1),
            Scalar::I64 | Scalar::U64 if self.is_es() => None,
            Scalar::F16 | Scalar::F32 => Some(3),
            Scalar::F64 if doubles => Some(4),
            _ => is_wider.then_some(2),
        }
    }

    /// A conversion that [`Checker::conversion_rank`] allows, or an explicit one between equal shapes.
    pub(super) fn convert(&mut self, value: Value, from: Type, to: Type) -> Value {
        if from == to {
            return value;
        }
        let op = match self.kind(to) {
            TypeKind::Scalar(_) => Op::ConstructScalarFromScalar,
            TypeKind::Matrix { .. } => Op::ConstructMatrixFromMatrix,
            _ => Op::ConstructVectorFromMultiple,
        };
        self.typed(op, &[value], to)
    }

    /// The common component type that both operands of an operator convert to.
    pub(super) fn common_scalar(&self, a: Scalar, b: Scalar) -> Option<Scalar> {
        if a == b && a.widened() != a {
            self.computes_with(a).then_some(a)
        } else if a == b || self.scalar_rank(b, a).is_some() {
            Some(a)
        } else if self.scalar_rank(a, b).is_some() {
            Some(b)
        } else {
            None
        }
    }

    /// The operand as a value of the type, for `what`; reports where it has another.
    pub(super) fn value_as(&mut self, operand: Operand, to: Type, span: Span, what: &str) -> Checked<Value> {
        if operand.ty == to || self.conversion_rank(operand.ty, to).is_some() {
            let value = self.load(operand);
            return Ok(self.convert(value, operand.ty, to));
        }
        Err(self.mismatch(operand, to, span, what))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn mismatch(&mut self, operand: Operand, to: Type, span: Span, what: &str) -> super::Reported {
        let (from, wanted) = (self.type_name(operand.ty), self.type_name(to));
        let mut d = Diagnostic::error(Code::E0302, span, format!("{what} is `{from}`, but must be `{wanted}`"))
            .label(format!("this is `{from}`"));
        if let Some((help, fix)) = self.conversion_hint(operand, to) {
            d = d.help(help);
            if let Some(fix) = fix {
                d = d.fix(span, fix);
            }
        }
        self.error(d)
    }

    /// The source of a conversion, for a hint: `1` as `1.0`, `n` as `float(n)`.
    fn conversion_hint(&self, operand: Operand, to: Type) -> Option<(String, Option<String>)> {
        let types = &self.b.module.types;
        let same_shape = match (&types[operand.ty], &types[to]) {
            (TypeKind::Scalar(_), TypeKind::Scalar(_)) => true,
            (TypeKind::Vector(_, a), TypeKind::Vector(_, b)) => a == b,
            _ => false,
        };
        let wanted = self.type_name(to);
        if let (Some(c), TypeKind::Scalar(Scalar::F32)) = (operand.as_const(), &types[to])
            && let Some(number) = self.b.module.consts.as_integer(types, c)
        {
            let text = format!("{number}.0");
            return Some((format!("write `{text}`"), Some(text)));
        }
        if same_shape {
            return Some((format!("convert it: `{wanted}(…)`"), None));
        }
        if let (TypeKind::Vector(a, n), TypeKind::Vector(b, m)) = (&types[operand.ty], &types[to])
            && a == b
            && n > m
        {
            let swizzle = &"xyzw"[..*m as usize];
            return Some((format!("take the components that you mean: `.{swizzle}`"), None));
        }
        if let (TypeKind::Scalar(a), TypeKind::Vector(b, _)) = (&types[operand.ty], &types[to])
            && a == b
        {
            return Some((format!("write `{wanted}(…)`"), None));
        }
        None
    }

    // ------------------------------------------------------------------------------------------ constants

    /// The value of a constant integer expression.
    pub(super) fn constant_integer(&mut self, expr: ExprId, what: &str) -> Checked<i64> {
        let span = self.span_of(expr);
        if self.effects.writes(expr) {
            return Err(self.fail(Code::E0309, span, format!("{what} is not a constant expression")));
        }
        let operand = self.expression(expr)?;
        let constant = self.require_constant(operand, span, what)?;
        let module = &self.b.module;
        let is_small = module.types.scalar_of(operand.ty).is_some_and(Scalar::is_small_integer);
        match module.consts.as_integer(&module.types, constant) {
            Some(value) if !is_small => Ok(value as i64),
            _ => {
                let name = self.type_name(operand.ty);
                let wanted = if is_small { "`int` or `uint`" } else { "an integer" };
                Err(self.error(
                    Diagnostic::error(Code::E0302, span, format!("{what} is `{name}`, but must be {wanted}"))
                        .label(format!("this is `{name}`")),
                ))
            }
        }
    }

    /// Reports calls of functions in a constant of GLSL 1.10 (section 4.3.3).
    pub(super) fn check_early_constant(&mut self, init: ExprId) -> Checked<()> {
        if self.is_es() || self.version.number > 110 {
            return Ok(());
        }
        let ast = self.ast;
        let mut called = None;
        ast.for_each_expr_in(init, |e| {
            if let ExprKind::Call { callee, .. } = ast[e].kind
                && let ExprKind::Name(name) = ast[callee].kind
            {
                called = Some((e, name));
            }
        });
        let Some((at, name)) = called else { return Ok(()) };
        if matches!(self.scopes.lookup(name).map(|binding| binding.entity), Some(Entity::Struct(_))) {
            return Ok(());
        }
        Err(self.error(
            Diagnostic::error(Code::E0309, self.span_of(at), "a call of a function in a constant expression")
                .note("GLSL 1.10 calls no functions when it compiles")
                .help("begin the shader with `#version 120`"),
        ))
    }

    pub(super) fn require_constant(&mut self, operand: Operand, span: Span, what: &str) -> Checked<Const> {
        match operand.as_const() {
            Some(c) if operand.ty != Type::VOID => Ok(c),
            _ => Err(self.error(
                Diagnostic::error(Code::E0309, span, format!("{what} is not a constant expression"))
                    .label("its value is not known when the shader is compiled")
                    .note("a constant expression consists of literals, `const` variables with constant initializers, and built-in functions of them"),
            )),
        }
    }

    // ------------------------------------------------------------------------------------------ nodes

    /// A node at the precision of its operands.
    pub(super) fn node(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.op(op, args)
    }

    /// A node of a given type.
    pub(super) fn typed(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        // GLSL leaves conversions of floats out of the integer's range undefined.
        let imm = if op.info().imm == ImmKind::Conversion { Imm::OPEN } else { Imm::NONE };
        let ty = self.ir_type(ty);
        self.b.make(Request::new(op, args).imm(imm).ty(ty))
    }

    /// Writes a value to a place.
    pub(super) fn store_to(&mut self, place: Operand, value: Value) {
        match place.spot {
            Some(_) => self.store_at_address(place, value),
            None => self.store(place.value, value),
        }
    }

    /// Writes a value to memory of the program; a value without precision gets that of the place.
    pub(super) fn store(&mut self, address: Value, value: Value) {
        let precision = self.b.precision_of(address);
        if precision != Precision::None {
            self.b.refine_precision(value, precision);
        }
        self.b.store(address, value);
    }
}
