//! Folds a flat function: simplification independent of the inputs.
//!
//! ```text
//! before: %1 = add 0.5, %x         after: %1 = add %x, 1.1
//!         %2 = add %1, 0.6
//! ```
//!
//! Most of it is done by the rules of the optimizer. The rest needs use counts, since a rule sees one node and not the
//! users of its operands:
//!
//! - [`chains`]: terms of a sum and factors of a product are collected, cancelled, and ordered;
//! - [`assume`]: conditions of selects are constants in their arms;
//! - [`arms`]: equal operations in both arms of a select;
//! - [`lanes`]: components multiplied by zero;
//! - [`swizzles`]: constructors used by a swizzle only;
//! - [`inputs`]: constructors of the components of an input;
//! - [`expand`]: ops that are combinations of arithmetic.
//!
//! Steps enable each other, so they are repeated to a fixpoint. Holds before: a flat function. Left alone: effects, the
//! order of stores.

mod arms;
mod assume;
pub(crate) mod chains;
mod expand;
mod inputs;
pub(crate) mod lanes;
pub(crate) mod swizzles;
pub(crate) mod terms;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Results};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::uniform::uniform_values;
use planish_opt::restage::{Stage, copy_node};
use planish_opt::rules::{RULE_SETS, RuleSet, Rules};
use smallvec::{SmallVec, smallvec};

use crate::dynamic::DYNAMIC;
use crate::options::Options;
use crate::place::Order;
use crate::rebuild::rebuild_with;
use crate::same::same;
use crate::sharing::Sharing;
use arms::Arms;
use assume::Assumptions;
use chains::Chains;

/// Maximum number of sweeps over a function.
const MAX_SWEEPS: usize = 16;

/// Folds `func` to a fixpoint.
pub(crate) fn fold(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    let mut changed = false;
    let rules = rules(options);
    for sweep in 0..MAX_SWEEPS {
        let Some(source) = module.funcs[func].body.clone() else { return Ok(false) };
        // Use counts are exact only after value numbering.
        let mut stage = if sweep == 0 { Fold::plain(&rules) } else { Fold::new(module, &source, &rules, options) };
        rebuild_with(module, func, options, &rules, &mut stage, Order::AsMade);
        let new = module.funcs[func].body.as_ref().expect("it was rebuilt");
        let is_same = same(&source, new);
        changed |= !is_same;
        if is_same && sweep > 0 {
            break;
        }
    }
    Ok(changed)
}

/// The rule sets of folding, later ones first.
fn sets(options: &Options) -> Vec<RuleSet> {
    let mut sets = RULE_SETS.to_vec();
    sets.push(expand::EXPAND);
    sets.push(expand::KNOWING);
    if options.expand_lerp {
        sets.push(expand::EXPAND_LERP);
    }
    sets.push(DYNAMIC);
    sets
}

/// The rules of folding, without those that [`chains`] replaces.
pub(crate) fn rules(options: &Options) -> Rules {
    Rules::with_sets(&options.optimizer(), &sets(options)).without(REPLACED).sparing(SPARED)
}

/// Rules that regroup without use counts.
const REPLACED: &[&str] =
    &["constant_of_product_last", "constants_of_two_float_sums", "constants_of_two_sums", "scale_twice"];

/// Rules that replace two nodes by two: they pay if one of the two has no other user.
const SPARED: &[&str] = &[
    "and_of_negations",
    "bits_of_booleans",
    "common_divisor",
    "common_factor",
    "common_factor_of_conditions",
    "common_float_factor",
    "divide_quotient",
    "negate_quotient",
    "scaled_matrix_times_vector",
    "splat_of_chosen_constants",
];

/// State of a sweep, besides the rules.
struct Fold<'a> {
    rules: &'a Rules,
    sharing: Sharing,
    chains: Chains,
    assumptions: Assumptions,
    arms: Arms,
    /// By source value: whether it is uniform.
    uniform: SideTable<Local, bool>,
    /// Whether the source function has been value-numbered.
    is_shared: bool,
    fast_math: bool,
}

impl<'a> Fold<'a> {
    /// A sweep without facts of the function: rules and value numbering only.
    fn plain(rules: &'a Rules) -> Self {
        Fold {
            rules,
            sharing: Sharing::default(),
            chains: Chains::default(),
            assumptions: Assumptions::default(),
            arms: Arms::default(),
            uniform: SideTable::new(),
            is_shared: false,
            fast_math: false,
        }
    }

    fn new(module: &Module, source: &Body, rules: &'a Rules, options: &Options) -> Self {
        let uniform = uniform_values(module, source, &options.barriers);
        Fold {
            chains: Chains::find(module, source, options.fast_math, Some(&uniform)),
            assumptions: Assumptions::find(module, source),
            uniform,
            is_shared: true,
            fast_math: options.fast_math,
            ..Fold::plain(rules)
        }
    }

    /// Whether an operand of a node has no other user, so that a rule may split it. A uniform operand of a varying node
    /// is excluded: it would be computed per pixel.
    fn takes_apart_what_falls_away(&self, source: &Body, node: Node) -> bool {
        let divides = source.node(node).op == Op::Divide;
        let is_uniform = |local: Local| self.uniform[local];
        let varies = source.results(node).any(|local| !is_uniform(local));
        source.args(node).iter().any(|&arg| {
            let is_candidate = source.node_of(arg).is_some_and(|n| !divides || source.node(n).op == Op::Divide);
            let counts = arg.as_local().is_some_and(|local| !(varies && is_uniform(local)));
            is_candidate && counts && self.chains.is_used_once(arg)
        })
    }

    /// The replacement of a node by facts of the whole function; `None` if there is none.
    fn better(
        &mut self,
        source: &Body,
        node: Node,
        args: &[Value],
        varies: bool,
        b: &mut Builder<'_, '_>,
    ) -> Option<Value> {
        if !self.is_shared {
            return None;
        }
        let better = match source.node(node).op {
            Op::Load => inputs::component(args, source.node(node).precision, b),
            Op::ConstructVectorFromMultiple => inputs::whole(source, node, args, &self.chains, b),
            Op::Multiply => lanes::kill_zero_lanes(source, node, args, &self.chains, self.fast_math, b),
            Op::ExtractVectorComponentMulti => swizzles::narrowed(source, node, args, &self.chains, b),
            Op::InsertVectorComponent => lanes::drop_overwritten(source, node, args, &self.chains, b),
            Op::Select => self.arms.merged(source, node, args, varies, b),
            _ => None,
        };
        better.or_else(|| self.chains.root(source, node, args, b))
    }
}

impl Stage for Fold<'_> {
    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let mut known: SmallVec<[Value; 8]> = SmallVec::from_slice(args);
        self.assumptions.replace(source, node, &mut known, builder);
        let args = &known[..];
        self.rules.spare(!self.takes_apart_what_falls_away(source, node));
        if let Some(same) = self.sharing.find(source, node, args, builder) {
            return same;
        }
        let varies = source.result(node).is_some_and(|r| !self.uniform[r]);
        let results = match self.better(source, node, args, varies, builder) {
            Some(value) => smallvec![value],
            None => copy_node(source, node, args, builder),
        };
        self.chains.record(node, &results);
        let once = source.result(node).is_some_and(|r| self.chains.is_used_once(r.into()));
        self.arms.record(&results, once, varies);
        self.sharing.record(source, node, args, builder, &results);
        results
    }
}
