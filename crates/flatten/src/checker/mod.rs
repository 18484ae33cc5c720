//! Checkers: find rewrites that a complete fold and a complete optimization would have applied to a flat function.
//!
//! They share no code with the rules and the stages, and follow the specification alone: each check searches for one
//! pattern, describes its replacement, and changes nothing. A stage that misses a rewrite, or a later one that
//! reintroduces a pattern, is thereby found by independent code. No residuals means complete with respect to the
//! checks, not optimal.
//!
//! A check respects the options: without fast-math, and for `precise` nodes, only exact rewrites count. Time is
//! O(nodes).

mod chains;
mod constants;
mod constructors;
mod fused;
mod identities;
mod lanes;
mod regroup;
mod selects;
mod sharing;
mod text;
mod view;

use planish_ir::entity::{Func, Node};
use planish_ir::module::Module;
use planish_ir::source::Span;

use crate::options::Options;
use sharing::Facts;
use view::View;

/// A missed rewrite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Residual {
    /// Name of the check, in [`fold_checks`] or [`optimize_checks`].
    pub check: &'static str,
    /// Location of the node in the source.
    pub span: Span,
    /// The node: `%4 = %3 * 1.0`, with the value numbers of the text form.
    pub node: String,
    /// The replacement: "`%3 * 1.0` could be `%3`".
    pub description: String,
}

/// Names of the checks of [`fold_residuals`].
pub fn fold_checks() -> impl Iterator<Item = &'static str> {
    FOLD_CHECKS.iter().map(|c| c.0)
}

/// Names of the checks of [`optimize_residuals`].
pub fn optimize_checks() -> impl Iterator<Item = &'static str> {
    OPTIMIZE_CHECKS.iter().map(|c| c.0)
}

/// Rewrites that a complete fold would have applied to a flat, placed function: at most one per node, in node order.
/// Empty for a function without a body.
pub fn fold_residuals(module: &Module, func: Func, options: &Options) -> Vec<Residual> {
    let Some(body) = &module.funcs[func].body else { return Vec::new() };
    let view = View::new(module, body, options);
    let find = |&node: &Node| {
        let (check, description) = FOLD_CHECKS.iter().find_map(|&(name, check)| Some((name, check(&view, node)?)))?;
        Some(residual(&view, node, check, description))
    };
    view.nodes.iter().filter_map(find).collect()
}

/// Rewrites that a complete optimization and fusion would have applied, in the same way.
pub fn optimize_residuals(module: &Module, func: Func, options: &Options) -> Vec<Residual> {
    let Some(body) = &module.funcs[func].body else { return Vec::new() };
    let view = View::new(module, body, options);
    let facts = Facts::new(&view);
    let find = |&node: &Node| {
        let found = OPTIMIZE_CHECKS.iter().find_map(|&(name, check)| Some((name, check(&view, &facts, node)?)));
        let (check, description) = found?;
        Some(residual(&view, node, check, description))
    };
    view.nodes.iter().filter_map(find).collect()
}

fn residual(view: &View<'_>, node: Node, check: &'static str, description: String) -> Residual {
    Residual { check, span: view.body.node(node).span, node: view.node_text(node), description }
}

type FoldCheck = (&'static str, fn(&View<'_>, Node) -> Option<String>);
type OptimizeCheck = (&'static str, fn(&View<'_>, &Facts, Node) -> Option<String>);

/// The checks of a complete fold. The first finding counts for a node. Each check documents its rewrite.
static FOLD_CHECKS: &[FoldCheck] = &[
    ("constant_operands", constants::constant_operands),
    ("own_type", constants::own_type),
    ("add_zero", identities::add_zero),
    ("zero_minus", identities::zero_minus),
    ("multiply_one", identities::multiply_one),
    ("multiply_minus_one", identities::multiply_minus_one),
    ("multiply_zero", identities::multiply_zero),
    ("subtract_itself", identities::subtract_itself),
    ("multiply_add_identity", identities::multiply_add_identity),
    ("bits_identity", identities::bits_identity),
    ("logic_identity", identities::logic_identity),
    ("double_negation", identities::double_negation),
    ("negated_comparison", identities::negated_comparison),
    ("de_morgan", identities::de_morgan),
    ("negated_term", identities::negated_term),
    ("negated_factor", identities::negated_factor),
    ("negated_difference", identities::negated_difference),
    ("select_constant", selects::select_constant),
    ("select_same", selects::select_same),
    ("select_nested", selects::select_nested),
    ("select_boolean", selects::select_boolean),
    ("select_negated", selects::select_negated),
    ("scattered_terms", regroup::scattered_terms),
    ("scattered_factors", regroup::scattered_factors),
    ("cancelling_terms", regroup::cancelling_terms),
    ("divide_by_constant", constants::divide_by_constant),
    ("lerp_selector", constants::lerp_selector),
    ("zero_lane", constants::zero_lane),
    ("part_of_aggregate", constants::part_of_aggregate),
    ("component_load", lanes::component_load),
    ("lane_of_known", lanes::lane_of_known),
    ("swizzle_of_known", lanes::swizzle_of_known),
    ("constructor_of_lanes", lanes::constructor_of_lanes),
    ("nested_constructor", lanes::nested_constructor),
    ("insert_into_known", lanes::insert_into_known),
    ("splat_operands", lanes::splat_operands),
];

/// The checks of a complete optimization and fusion.
static OPTIMIZE_CHECKS: &[OptimizeCheck] = &[
    ("unused", sharing::unused),
    ("computed_twice", sharing::computed_twice),
    ("regrouped_twice", sharing::regrouped_twice),
    ("uniform_after_varying", sharing::uniform_after_varying),
    ("divide_by_uniform", sharing::divide_by_uniform),
    ("scattered_uniforms", sharing::scattered_uniforms),
    ("split_difference", sharing::split_difference),
    ("lane_sum", fused::lane_sum),
    ("lerp_shape", fused::lerp_shape),
    ("multiply_add", fused::multiply_add),
    ("horizontal_sum", fused::horizontal_sum),
    ("angle_conversion", fused::angle_conversion),
    ("shared_factor", |view, _, node| constructors::shared_factor(view, node)),
    ("vectorizable_lanes", |view, _, node| constructors::vectorizable_lanes(view, node)),
    ("majority_factor", |view, _, node| constructors::majority_factor(view, node)),
];
