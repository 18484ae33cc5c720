//! Optimizes a folded flat function for a target that computes uniform values once per draw, and all others once per
//! pixel.
//!
//! ```text
//! before: %3 = divide %x, %u            after: %3 = divide 1.0, %u         uniform, once a draw
//!         %4 = divide %y, %u                   %4 = multiply %x, %3
//!         %5 = subtract %4, %w                 %5 = multiply %y, %3
//!         %6 = add %5, 1.0    (1.0 - %w lives)  %6 = add %5, (1.0 - %w)
//! ```
//!
//! - Division of a varying by a uniform value becomes a product with one reciprocal (fast-math).
//! - [`regroup`]: uniform terms of a sum are added first, once per draw; two terms whose sum is available are replaced
//!   by it. The same for products.
//! - [`affine`]: uniform scalings and offsets are combined.
//! - [`comparisons`]: a comparison and its negation are merged.
//! - Equal derivatives and samples are shared (the builder shares all other nodes); a value has no second name in the
//!   IR, so there are no aliases to eliminate.
//! - Uniform nodes are placed first: the preshader. [`crate::names`] names the parts.
//!
//! Steps enable each other, so they are repeated to a fixpoint. Holds before: a flat, folded function. Exact except
//! where fast-math is named.

mod affine;
mod comparisons;
mod regroup;

use planish_ir::arena::{Id, SideTable};
use planish_ir::builder::{Builder, Request, Results};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_ir::uniform::uniform_values;
use planish_opt::restage::{Stage, copy_node};
use planish_opt::rules::number_bits;
use smallvec::smallvec;

use crate::fold::chains::Chains;
use crate::fold::lanes::kill_zero_lanes;
use crate::fold::rules;
use crate::options::Options;
use crate::place::Order;
use crate::rebuild::rebuild_with;
use crate::same::same;
use crate::sharing::Sharing;
use affine::Affine;
use comparisons::Comparisons;
use regroup::Regroup;

/// Maximum number of sweeps over a function.
const MAX_SWEEPS: usize = 16;

/// Optimizes `func` to a fixpoint.
pub(crate) fn optimize(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    let rules = rules(options);
    // The rules must not undo the regrouping.
    rules.spare(true);
    let order = Order::UniformFirst(options.barriers);
    for sweep in 0..MAX_SWEEPS {
        let Some(source) = module.funcs[func].body.clone() else { return Ok(false) };
        let mut stage = Optimize::new(module, &source, options);
        rebuild_with(module, func, options, &rules, &mut stage, order);
        let new = module.funcs[func].body.as_ref().expect("it was rebuilt");
        if same(&source, new) {
            return Ok(sweep > 0);
        }
    }
    Ok(true)
}

/// State of a sweep, besides the rules.
struct Optimize {
    fast_math: bool,
    /// By source value: whether it is uniform.
    uniform: SideTable<Local, bool>,
    /// By source value: its new value.
    values: SideTable<Local, Option<Value>>,
    sharing: Sharing,
    comparisons: Comparisons,
    regroup: Regroup,
    affine: Option<Affine>,
}

impl Optimize {
    fn new(module: &Module, source: &Body, options: &Options) -> Self {
        let uniform = uniform_values(module, source, &options.barriers);
        let chains = Chains::find(module, source, options.fast_math, None);
        Optimize {
            fast_math: options.fast_math,
            values: SideTable::with_capacity(source.local_count()),
            sharing: Sharing::default(),
            comparisons: Comparisons::find(module, source, options.fast_math),
            regroup: Regroup::find(source, chains),
            affine: options.visible.mad.then(Affine::default),
            uniform,
        }
    }

    /// Whether a source value is uniform.
    fn is_uniform(&self, value: Value) -> bool {
        value.as_local().is_none_or(|local| self.uniform[local])
    }

    /// The replacement of a chain of uniform steps that ends with a source node; `None` if there is none.
    fn affine(&mut self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Value> {
        let (uniform, regroup) = (&self.uniform, &self.regroup);
        let is_uniform = |v: Value| v.as_local().is_none_or(|local| uniform[local]);
        let affine = self.affine.as_mut().filter(|_| affine::may_distribute(b.module, source, node, self.fast_math))?;
        affine.find(source, node, args, &|v| regroup.is_used_once(v), &is_uniform, b)
    }

    /// `x / u → x * (1 / u)`, for varying `x` and uniform `u`.
    fn divide(&self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Option<Value> {
        let (&[x, u], data) = (source.args(node), *source.node(node)) else { return None };
        let precise = data.precise || !self.fast_math;
        if data.op != Op::Divide || precise || self.is_uniform(x) || !self.is_uniform(u) || u.as_const().is_some() {
            return None;
        }
        let ty = b.type_of(args[1]);
        let scalar = match b.module.types[ty] {
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) if scalar.is_float() => scalar,
            _ => return None,
        };
        let one = number_bits(scalar, 1.0)?;
        let one = b.module.consts.splat(&mut b.module.types, ty, one)?;
        b.set_precise(false);
        let reciprocal = b.make(Request::new(Op::Divide, &[one.into(), args[1]]).precision(data.precision));
        Some(b.make(Request::new(Op::Multiply, &[args[0], reciprocal]).precision(data.precision)))
    }
}

impl Stage for Optimize {
    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        let param = builder.param(index);
        // Parameters have the same numbers in both functions.
        self.values[Local::new(index)] = Some(param);
        Some(param)
    }

    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let results = self.make(source, node, args, builder);
        self.regroup.record(node, &results);
        for (local, &value) in source.results(node).zip(&results) {
            self.values[local] = Some(value);
        }
        results
    }
}

impl Optimize {
    fn make(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        if let Some(same) = self.sharing.find(source, node, args, builder) {
            return same;
        }
        if let Some(value) = self.divide(source, node, args, builder) {
            return smallvec![value];
        }
        if let Some(value) = self.comparisons.swapped(source, node, args, &self.values, builder) {
            return smallvec![value];
        }
        let chains = self.regroup.chains();
        if source.node(node).op == Op::Multiply
            && let Some(value) = kill_zero_lanes(source, node, args, chains, self.fast_math, builder)
        {
            return smallvec![value];
        }
        if let Some(value) = self.affine(source, node, args, builder) {
            return smallvec![value];
        }
        if let Some(value) = self.regroup.root(source, node, &self.uniform, &self.values, self.affine.as_ref(), builder)
        {
            return smallvec![value];
        }
        // A value that has become uniform may be a sum or product with an already uniform one.
        if source.result(node).is_some_and(|r| self.uniform[r])
            && let Some(value) = self.regroup.folded(source, node, args, builder)
        {
            return smallvec![value];
        }
        let results = copy_node(source, node, args, builder);
        self.sharing.record(source, node, args, builder, &results);
        results
    }
}
