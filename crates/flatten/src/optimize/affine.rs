//! Combines uniform scalings and offsets of a value into one scaling and one offset.
//!
//! ```text
//! (x + 0.5) * 2.0            x * 2.0 + 1.0
//! ((x * a + b) * c + d) * e  x * (a * c * e) + ((b * c + d) * e)
//! lerp(a, b, x * 2.0 - 1.0)  x * ((b - a) * 2.0) + (a - (b - a))
//! (x * 0.5 + 0.5) * y * a    (x * (a * 0.5) + a * 0.5) * y
//! ```
//!
//! Per pixel one product and one sum remain, which is one node for a target with `mad`; for others there is no gain,
//! and nothing is done. Floats need fast-math. Each step must have no other user.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::meaning::float_value;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;

use crate::fold::chains::joins;

/// An affine form of a varying value: `base * scale + offset`.
#[derive(Clone, Copy)]
struct Form {
    base: Value,
    scale: Scale,
    /// `None`: 0.
    offset: Option<Value>,
    /// Whether a product followed a sum, so that the form differs from the source.
    distributes: bool,
}

/// A factor.
#[derive(Clone, Copy)]
enum Scale {
    One,
    MinusOne,
    By(Value),
}

/// The forms of the values of a function, by source value; base, scale and offset are new values.
#[derive(Default)]
pub(super) struct Affine {
    forms: SideTable<Local, Option<Form>>,
}

/// Construction of nodes for a value.
struct Maker<'b, 'm, 'r> {
    b: &'b mut Builder<'m, 'r>,
    ty: Type,
    precision: Precision,
}

impl Affine {
    /// The replacement of a source node, whose operands are `args` in the new function; `is_once` and `is_uniform` are of
    /// source values.
    pub(super) fn find(
        &mut self,
        source: &Body,
        node: Node,
        args: &[Value],
        is_once: &dyn Fn(Value) -> bool,
        is_uniform: &dyn Fn(Value) -> bool,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let data = *source.node(node);
        let result = source.result(node)?;
        let olds = source.args(node);
        let varying = olds.iter().position(|&v| !is_uniform(v))?;
        if olds.iter().skip(varying + 1).any(|&v| !is_uniform(v)) {
            return None;
        }
        let known = self.known(source, olds[varying], data.precision).filter(|_| is_once(olds[varying]));
        let plain = Form { base: args[varying], scale: Scale::One, offset: None, distributes: false };
        let form = known.unwrap_or(plain);
        b.set_precise(false);
        let mut maker = Maker { b, ty: source.local_type(result), precision: data.precision };
        let form = match (data.op, args) {
            (Op::Multiply, &[x, y]) => maker.scaled(form, if varying == 0 { y } else { x }),
            (Op::Add, &[x, y]) => maker.moved(form, Op::Add, if varying == 0 { y } else { x }),
            (Op::Subtract, &[_, y]) if varying == 0 => maker.moved(form, Op::Subtract, y),
            (Op::Subtract, &[x, _]) => {
                let form = maker.opposite(form);
                maker.moved(form, Op::Add, x)
            }
            (Op::Negate, _) if known.is_some() => maker.opposite(form),
            (Op::Lerp | Op::Mix, &[x, y, _]) if varying == 2 && known.is_some() => {
                let difference = maker.make(Op::Subtract, &[y, x]);
                let form = maker.scaled(form, difference);
                maker.moved(form, Op::Add, x)
            }
            (Op::ConstructVectorFromScalar, _) if known.is_some() => {
                // The replacement is the scalar, and this its splat.
                self.forms[result] = Some(maker.spread(form));
                return None;
            }
            _ => return None,
        };
        self.forms[result] = Some(form);
        (form.distributes && maker.is_finite(form)).then(|| maker.value(form))
    }

    /// The form of a source value, if it is a step at the same precision.
    fn known(&self, source: &Body, value: Value, precision: Precision) -> Option<Form> {
        let is_step = source.node_of(value).is_some_and(|n| joins(source.node(n).precision, precision));
        self.forms[value.as_local()?].filter(|_| is_step)
    }

    /// Whether a source factor of a product can absorb a uniform factor without an additional node: it ends with a sum.
    pub(super) fn absorbs(&self, source: &Body, value: Value, precision: Precision) -> bool {
        self.known(source, value, precision).is_some_and(|form| form.offset.is_some())
    }

    /// Such a factor multiplied by the uniform factor `by`.
    pub(super) fn absorbed(
        &self,
        source: &Body,
        value: Value,
        precision: Precision,
        by: Value,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let form = self.known(source, value, precision)?;
        let mut maker = Maker { ty: b.type_of(by), b, precision };
        let form = maker.scaled(form, by);
        maker.is_finite(form).then(|| maker.value(form))
    }
}

impl Maker<'_, '_, '_> {
    fn make(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.make(Request::new(op, args).precision(self.precision))
    }

    /// `(x * s + o) * w`
    fn scaled(&mut self, form: Form, w: Value) -> Form {
        let scale = match form.scale {
            Scale::One => w,
            Scale::MinusOne => self.make(Op::Negate, &[w]),
            Scale::By(s) => self.make(Op::Multiply, &[s, w]),
        };
        let offset = form.offset.map(|o| self.make(Op::Multiply, &[o, w]));
        let distributes = form.distributes || offset.is_some();
        Form { scale: Scale::By(scale), offset, distributes, ..form }
    }

    /// `x * s + o ± u`
    fn moved(&mut self, form: Form, op: Op, u: Value) -> Form {
        let offset = match (form.offset, op) {
            (Some(o), op) => self.make(op, &[o, u]),
            (None, Op::Subtract) => self.make(Op::Negate, &[u]),
            (None, _) => u,
        };
        Form { offset: Some(offset), ..form }
    }

    /// `-(x * s + o)`
    fn opposite(&mut self, form: Form) -> Form {
        let offset = form.offset.map(|o| self.make(Op::Negate, &[o]));
        let scale = match form.scale {
            Scale::One => Scale::MinusOne,
            Scale::MinusOne => Scale::One,
            Scale::By(s) => Scale::By(self.make(Op::Negate, &[s])),
        };
        Form { scale, offset, ..form }
    }

    /// The form of a splat.
    fn spread(&mut self, form: Form) -> Form {
        let mut splat = |v: Value| {
            let args = [v];
            let request = Request::new(Op::ConstructVectorFromScalar, &args).ty(self.ty);
            self.b.make(request.precision(self.precision))
        };
        let scale = if let Scale::By(s) = form.scale { Scale::By(splat(s)) } else { form.scale };
        Form { base: splat(form.base), scale, offset: form.offset.map(splat), ..form }
    }

    /// Whether the constants are finite.
    fn is_finite(&self, form: Form) -> bool {
        let module = &*self.b.module;
        let scale = if let Scale::By(s) = form.scale { Some(s) } else { None };
        scale.into_iter().chain(form.offset).all(|v| is_finite(module, self.ty, v))
    }

    /// The nodes of a form with a scale.
    fn value(&mut self, form: Form) -> Value {
        let Scale::By(scale) = form.scale else { return form.base };
        let product = self.make(Op::Multiply, &[form.base, scale]);
        form.offset.map_or(product, |o| self.make(Op::Add, &[product, o]))
    }
}

/// Whether a value is not a constant, or a constant of finite numbers.
fn is_finite(module: &Module, ty: Type, value: Value) -> bool {
    let Some(c) = value.as_const() else { return true };
    let mut bits = Vec::new();
    let finite = |&bits: &u64| match module.types.scalar_of(ty) {
        Some(scalar) if scalar.is_float() => float_value(scalar, bits).is_finite(),
        _ => true,
    };
    module.consts.flatten(c, &mut bits) && bits.iter().all(finite)
}

/// Whether the value of a node may be regrouped: integers; floats with fast-math.
pub(super) fn may_distribute(module: &Module, source: &Body, node: Node, fast_math: bool) -> bool {
    use Op::{Add, ConstructVectorFromScalar, Lerp, Mix, Multiply, Negate, Subtract};
    let data = source.node(node);
    if !matches!(data.op, Multiply | Add | Subtract | Negate | Lerp | Mix | ConstructVectorFromScalar) {
        return false;
    }
    let scalar_of = |ty: Type| match module.types[ty] {
        TypeKind::Scalar(s) | TypeKind::Vector(s, _) => Some(s),
        _ => None,
    };
    let of = scalar_of(module.type_of(source, source.args(node)[0]));
    source.result(node).and_then(|r| scalar_of(source.local_type(r))).is_some_and(|s| {
        // A splat with a conversion is another value.
        of == Some(s) && (s.is_integer() || s.is_float() && fast_math && !data.precise)
    })
}
