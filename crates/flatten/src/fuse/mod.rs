//! Fuses operations into the combined ops of the target.
//!
//! ```text
//! a * b + c                        → mad(a, b, c)            the same bits
//! (b - a) * t + a                  → lerp(a, b, t)           the same bits
//! a * (1 - t) + b * t              → mix(a, b, t)            the same bits
//! v.x * 0.3 + v.y + b              → dot(v, (0.3, 1)) + b    fast-math
//! a + b + c + d                    → hadd((a, b, c, d))      fast-math
//! (a.x + 1, a.y + 2)               → a + (1, 2)              the same bits
//! (a * 2) * 3                      → a * 6                   fast-math
//! min(min(min(a, b), c), d)        → hmin((a, b, c, d))      the same bits
//! ```
//!
//! A function is read in order and rewritten, to a fixpoint. Patterns match the source function, with its use counts, so
//! that every rewrite knows which nodes become dead; new nodes have operands in the new function. An iteration is
//! linear. Uniform and varying sums stay separate.
//!
//! Every rewrite removes nodes, or (`lerp` for `mad` and `mix`, a `dot` for a sum of two with other users) keeps their
//! number but removes a sum or a `mad`; so the iteration terminates.

mod arith;
mod extremes;
mod facts;
mod lanes;
mod ordered;
mod pack;
mod scalars;
mod scale;
mod site;
mod sums;
mod terms;
mod twins;
mod weave;

use std::cell::Cell;

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Results};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Local, Node, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::uniform::uniform_values;
use planish_ir::walk;
use planish_opt::restage::{self, copy_node};
use planish_opt::rules::Rules;
use smallvec::smallvec;

use crate::fold;
use crate::legalize::legalize;
use crate::optimize;
use crate::options::Options;
use crate::place::order_of;
use crate::rebuild::rebuild_with;
use crate::uses::node_count;
use facts::Facts;
use site::Site;
use twins::Twins;

/// Maximum number of iterations. The last one finds nothing; more than a few are needed only if each matches results of
/// the one before.
const MAX_ROUNDS: u32 = 64;

/// Maximum number of tuples visited in an iteration, per node of the function.
const TUPLES_PER_NODE: usize = 16;

/// Consequence of an iteration that made more nodes than it removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OnMore {
    /// An internal error, in debug builds.
    Fail,
    /// The iteration is undone: of a form of the function that is only tried.
    Undo,
}

/// Patterns of an iteration.
#[derive(Clone, Copy)]
enum Goal {
    /// Single nodes.
    Fuse,
    /// Isomorphic operands of one vector or sum.
    Pack,
    /// Isomorphic computations anywhere.
    Twins,
}

/// Fuses, to a fixpoint.
pub(crate) fn run(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    Ok(rounds(module, func, options, OnMore::Fail))
}

/// Packs, and fuses the results, to a fixpoint; in the ops of the target.
pub(crate) fn run_pack(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    let mut changed = false;
    for _ in 0..if options.pack { MAX_ROUNDS } else { 0 } {
        let source = module.funcs[func].body.clone();
        let packs = pack_all(module, func, options, OnMore::Fail);
        // Fast-math regroups the sums of components in another order than those of vectors; hashes show it.
        let source = source.filter(|_| !options.fast_math);
        let splits = source.is_some_and(|source| pack_components(module, func, options, source));
        if !packs && !splits {
            break;
        }
        changed = true;
    }
    // Rules may have made ops that the target lacks.
    changed |= legalize(module, func, options)?;
    Ok(changed)
}

fn pack_all(module: &mut Module, func: Func, options: &Options, on_more: OnMore) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        let packs = |module: &mut Module, goal| round(module, func, options, goal, on_more);
        if !packs(module, Goal::Twins) && !packs(module, Goal::Pack) {
            break;
        }
        changed = true;
        rounds(module, func, options, on_more);
    }
    changed
}

/// Packs the components of all vectors, of the function as it was before; keeps the result if it has fewer nodes.
fn pack_components(module: &mut Module, func: Func, options: &Options, source: Body) -> bool {
    let packed = module.funcs[func].body.replace(source);
    let before = packed.as_ref().map(|body| counts(module, body, options));
    if scalars::split(module, func, options) {
        // Constants of some components only may now be folded. Neither stage refuses anything.
        let _ = fold::fold(module, func, options);
        let _ = optimize::optimize(module, func, options);
        // The lanes of reductions and vectors first: they say which scalars belong together.
        round(module, func, options, Goal::Pack, OnMore::Undo);
        rounds(module, func, options, OnMore::Undo);
        pack_all(module, func, options, OnMore::Undo);
        // Packing leaves operations on copies of one scalar.
        let _ = fold::fold(module, func, options);
        let _ = optimize::optimize(module, func, options);
        rounds(module, func, options, OnMore::Undo);
        let after = module.funcs[func].body.as_ref().map(|body| counts(module, body, options));
        let is_better =
            |([all, own], [all_before, own_before]): ([usize; 2], [usize; 2])| all < all_before && own <= own_before;
        if after.zip(before).is_some_and(is_better) {
            return true;
        }
    }
    module.funcs[func].body = packed;
    false
}

/// Number of nodes: of all, and of those per invocation.
fn counts(module: &Module, body: &Body, options: &Options) -> [usize; 2] {
    let uniform = uniform_values(module, body, &options.barriers);
    let nodes = walk::blocks(body).flat_map(|block| &body.blocks[block].nodes);
    let is_uniform = |&&node: &&Node| body.results(node).len() > 0 && body.results(node).all(|local| uniform[local]);
    let all = node_count(module, body);
    [all, all - nodes.filter(is_uniform).count().min(all)]
}

fn rounds(module: &mut Module, func: Func, options: &Options, on_more: OnMore) -> bool {
    let mut changed = false;
    for _ in 0..MAX_ROUNDS {
        if !round(module, func, options, Goal::Fuse, on_more) {
            break;
        }
        changed = true;
    }
    changed
}

/// One iteration; returns whether it changed the function.
fn round(module: &mut Module, func: Func, options: &Options, goal: Goal, on_more: OnMore) -> bool {
    let Some(source) = module.funcs[func].body.clone() else { return false };
    let mut read = source.clone();
    if let Goal::Twins = goal {
        twins::level(module, &mut read);
    }
    let facts = Facts::new(module, &read, options);
    let budget = Cell::new(TUPLES_PER_NODE * source.node_count());
    let twins = match goal {
        Goal::Twins => match find_twins(module, &read, &facts, options, &budget) {
            Some(twins) => Some(twins),
            None => return false,
        },
        Goal::Fuse | Goal::Pack => None,
    };
    let params: Vec<Local> = read.blocks[read.entry].inputs.to_vec();
    module.funcs[func].body = Some(read);
    let values = SideTable::with_capacity(source.local_count());
    let mut stage = Fuse { goal, budget, twins, facts, options, params: &params, values, found: 0 };
    let rules = Rules::with_sets(&options.optimizer(), &[]);
    rebuild_with(module, func, options, &rules, &mut stage, order_of(module, &source, options.barriers));
    let listed = |body: &Body| body.blocks.values().map(|b| b.nodes.len()).sum::<usize>();
    let shared = module.funcs[func].body.as_ref().is_some_and(|new| listed(new) < listed(&source));
    if stage.found == 0 && !shared {
        module.funcs[func].body = Some(source);
        return false;
    }
    if cfg!(debug_assertions) || on_more == OnMore::Undo {
        let new = module.funcs[func].body.as_ref().expect("it has been built");
        let (before, after) = (node_count(module, &source), node_count(module, new));
        if after > before && on_more == OnMore::Undo {
            module.funcs[func].body = Some(source);
            return false;
        }
        if after > before {
            let made = planish_ir::text::print(module);
            module.funcs[func].body = Some(source);
            panic!("fusing made {after} nodes of {before}\n{}\n{made}", planish_ir::text::print(module));
        }
    }
    true
}

/// Isomorphic computations of a function; `None` if there are none.
fn find_twins(
    module: &mut Module,
    source: &Body,
    facts: &Facts,
    options: &Options,
    budget: &Cell<usize>,
) -> Option<Twins> {
    let mut values: SideTable<Local, Option<Value>> = SideTable::new();
    for &input in &source.blocks[source.entry].inputs {
        values[input] = Some(input.into());
    }
    // A search only: it makes nothing but constants.
    let mut builder = Builder::outside(module, Policy::SHARED);
    Twins::find(&mut Site { source, facts, options, values: &values, b: &mut builder, budget })
}

struct Fuse<'a> {
    goal: Goal,
    budget: Cell<usize>,
    twins: Option<Twins>,
    facts: Facts,
    options: &'a Options,
    params: &'a [Local],
    /// New values of source values that have been read.
    values: SideTable<Local, Option<Value>>,
    found: u64,
}

impl restage::Stage for Fuse<'_> {
    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        let param = builder.param(index);
        self.values[self.params[index]] = Some(param);
        Some(param)
    }

    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        for (from, &to) in source.args(node).iter().zip(args) {
            if let Some(local) = from.as_local() {
                self.values[local] = Some(to);
            }
        }
        let mut site = Site {
            source,
            facts: &self.facts,
            options: self.options,
            values: &self.values,
            b: &mut *builder,
            budget: &self.budget,
        };
        let better = match self.goal {
            Goal::Fuse => fused(&mut site, node),
            Goal::Pack => packed(&mut site, node),
            Goal::Twins => self.twins.as_mut().and_then(|twins| twins.component(&mut site, node)),
        };
        let results = match better {
            Some(better) => {
                self.found += 1;
                smallvec![better]
            }
            None => copy_node(source, node, args, builder),
        };
        for (local, &value) in source.results(node).zip(&results) {
            self.values[local] = Some(value);
        }
        results
    }
}

/// The packed replacement of a node and the nodes that become dead with it.
fn packed(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    match site.node(node).op {
        Op::Add | Op::Subtract | Op::MultiplyAdd | Op::Negate => pack::sum(site, node),
        Op::Min | Op::Max => extremes::chain(site, node),
        Op::ConstructVectorFromMultiple => weave::constructor(site, node, usize::MAX),
        _ => None,
    }
}

/// The fused replacement of a node and the nodes that become dead with it.
fn fused(site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
    match site.node(node).op {
        Op::Add | Op::Subtract | Op::MultiplyAdd | Op::Negate => arith::interpolation(site, node)
            .or_else(|| sums::sum(site, node))
            .or_else(|| ordered::sum(site, node))
            .or_else(|| arith::arithmetic(site, node))
            .or_else(|| scale::multiply_add(site, node)),
        Op::Multiply => scale::product(site, node),
        Op::Mix => arith::mix(site, node),
        // One gather may replace the constructor.
        Op::ConstructVectorFromMultiple => weave::constructor(site, node, 1),
        Op::Dot => arith::dot(site, node),
        Op::HorizontalAdd => arith::sum_of_products(site, node),
        _ => None,
    }
}
