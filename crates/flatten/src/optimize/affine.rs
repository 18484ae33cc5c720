//! Steps of scaling and moving by uniform amounts are one of each.
//!
//! ```text
//! (x + 0.5) * 2.0            x * 2.0 + 1.0
//! ((x * a + b) * c + d) * e  x * (a * c * e) + ((b * c + d) * e)
//! ```
//!
//! What is left varies in one product and one sum, which is one node for a target that has `mad`; for others nothing would be
//! gained, and nothing is done. Of floats this needs fast-math. Each step is needed by the next one only.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request};
use planish_ir::decoration::Precision;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};

/// What a varying value is made of: `base * scale + offset`.
#[derive(Clone, Copy)]
struct Form {
    base: Value,
    scale: Scale,
    /// `None`: 0.
    offset: Option<Value>,
    /// Whether a product came after a sum, so that this is another way to say it.
    distributes: bool,
}

/// A factor.
#[derive(Clone, Copy)]
enum Scale {
    One,
    MinusOne,
    By(Value),
}

/// The forms of the values of a function, by old value; base, scale and offset are new ones.
#[derive(Default)]
pub(super) struct Affine {
    forms: SideTable<Local, Option<Form>>,
}

/// How nodes are made for a value.
struct Maker<'b, 'm, 'r> {
    b: &'b mut Builder<'m, 'r>,
    ty: Type,
    precision: Precision,
}

impl Affine {
    /// What is better than an old node, whose operands are `args` in the new function; `uses` and `is_uniform` are of old
    /// values.
    pub(super) fn find(
        &mut self,
        old: &Body,
        node: Node,
        args: &[Value],
        is_once: &dyn Fn(Value) -> bool,
        is_uniform: &dyn Fn(Value) -> bool,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        let data = *old.node(node);
        let result = old.result(node)?;
        let olds = old.args(node);
        let varying = match *olds {
            [x] if !is_uniform(x) => 0,
            [x, y] if !is_uniform(x) && is_uniform(y) => 0,
            [x, y] if is_uniform(x) && !is_uniform(y) => 1,
            _ => return None,
        };
        let x = olds[varying];
        let same_precision = old.node_of(x).is_some_and(|n| old.node(n).precision == data.precision);
        let known = x.as_local().and_then(|l| self.forms[l]).filter(|_| is_once(x) && same_precision);
        let plain = Form { base: args[varying], scale: Scale::One, offset: None, distributes: false };
        let form = known.unwrap_or(plain);
        b.set_precise(false);
        let mut maker = Maker { b, ty: old.local_type(result), precision: data.precision };
        let uniform = args.get(1 - varying).copied().filter(|_| args.len() == 2);
        let form = match (data.op, uniform) {
            (Op::Multiply, Some(w)) => maker.scaled(form, w),
            (Op::Add, Some(u)) => maker.moved(form, Op::Add, u),
            (Op::Subtract, Some(u)) if varying == 0 => maker.moved(form, Op::Subtract, u),
            (Op::Subtract, Some(u)) => {
                let form = maker.opposite(form);
                maker.moved(form, Op::Add, u)
            }
            (Op::Negate, None) if known.is_some() => maker.opposite(form),
            _ => return None,
        };
        self.forms[result] = Some(form);
        if !form.distributes || !maker.is_finite(form) {
            return None;
        }
        Some(maker.value(form))
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

    /// Constants that have become infinite say nothing any more.
    fn is_finite(&self, form: Form) -> bool {
        let module = &*self.b.module;
        let scale = if let Scale::By(s) = form.scale { Some(s) } else { None };
        scale.into_iter().chain(form.offset).all(|v| is_finite(module, self.ty, v))
    }

    /// The nodes of a form that distributes, so that it has a scale.
    fn value(&mut self, form: Form) -> Value {
        let Scale::By(scale) = form.scale else { return form.base };
        let product = self.make(Op::Multiply, &[form.base, scale]);
        form.offset.map_or(product, |o| self.make(Op::Add, &[product, o]))
    }
}

/// Whether a value is no constant, or one of finite numbers.
fn is_finite(module: &Module, ty: Type, value: Value) -> bool {
    let Some(c) = value.as_const() else { return true };
    let mut bits = Vec::new();
    let finite = |&bits: &u64| match module.types.scalar_of(ty) {
        Some(Scalar::F32) => f32::from_bits(bits as u32).is_finite(),
        Some(Scalar::F64) => f64::from_bits(bits).is_finite(),
        _ => true,
    };
    module.consts.flatten(c, &mut bits) && bits.iter().all(finite)
}

/// Whether the value of a node may be said in another way: of integers; of floats with fast-math.
pub(super) fn may_distribute(module: &Module, old: &Body, node: Node, fast_math: bool) -> bool {
    let data = old.node(node);
    if !matches!(data.op, Op::Multiply | Op::Add | Op::Subtract | Op::Negate) {
        return false;
    }
    old.result(node).is_some_and(|r| match module.types[old.local_type(r)] {
        TypeKind::Scalar(s) | TypeKind::Vector(s, _) => s.is_integer() || fast_math && !data.precise,
        _ => false,
    })
}
