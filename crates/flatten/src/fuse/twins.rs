//! Isomorphic scalars with any users: one vector computation, from which each user takes its component.
//!
//! ```text
//! x = fract(sin(a) * 43758.5)      v = fract(sin((a, b, c, d)) * 43758.5)
//! y = fract(sin(b) * 43758.5)  →   x = v.x   y = v.y   z = v.z   w = v.w
//! …
//! ```
//!
//! A component is a node of its own, so this pays for several steps at once only. A vector must not depend on its own
//! components: all of its operands are available before the first component is needed. For this the nodes are sorted by
//! depth, which keeps all bits.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::lanes::{Shape, Tree, Tuple, are_made_of_each_other, vectorizes};
use super::site::Site;
use super::weave::weave_all;

/// Levels of the structural hash by which scalars are compared, in order.
const LEVELS: [usize; 2] = [3, 1];

/// Maximum difference in depth between members of a group.
const SPREAD: u32 = 4;

/// Sorts the nodes of each block by depth. Nodes that do not float keep their order.
pub(super) fn level(module: &Module, body: &mut Body) {
    let mut depths: SideTable<Local, u32> = SideTable::with_capacity(body.local_count());
    let mut levels: SideTable<Node, u32> = SideTable::with_capacity(body.node_count());
    let blocks: Vec<Block> = walk::blocks(body).collect();
    for &block in &blocks {
        let mut last = 0;
        for &node in &body.blocks[block].nodes {
            let args = body.args(node);
            let mut level = args.iter().filter_map(|a| a.as_local()).map(|l| depths[l] + 1).max().unwrap_or(0);
            if !module.floats(body, body.node(node).op, args) {
                last = level.max(last);
                level = last;
            }
            levels[node] = level;
            body.results(node).for_each(|local| depths[local] = level);
        }
        body.blocks[block].nodes.sort_by_key(|&node| levels[node]);
    }
}

/// A tree and, once the first component is needed, the vectors of its entries.
struct Plan {
    tree: Tree,
    values: Vec<Option<Value>>,
}

/// Plan of vector computations.
pub(super) struct Twins {
    plans: Vec<Plan>,
    /// By value: its plan, entry, and component.
    components: FxHashMap<Value, (usize, usize, u8)>,
    /// Values computed by plans.
    taken: FxHashSet<Value>,
}

impl Twins {
    /// Finds groups, the largest and deepest first; `None` if there are none.
    pub(super) fn find(site: &mut Site<'_, '_, '_, '_>) -> Option<Twins> {
        let mut twins = Twins { plans: Vec::new(), components: FxHashMap::default(), taken: FxHashSet::default() };
        let candidates = candidates(site);
        for level in LEVELS {
            for size in [4, 3, 2] {
                for group in groups(site, &candidates, level, size) {
                    twins.try_group(site, group);
                }
            }
        }
        (!twins.plans.is_empty()).then_some(twins)
    }

    fn try_group(&mut self, site: &mut Site<'_, '_, '_, '_>, group: Tuple) {
        if group.iter().any(|v| self.taken.contains(v)) {
            return;
        }
        let tree = Tree::open(site, group);
        if !matches!(tree.entries[tree.roots[0]].shape, Shape::Apply { .. }) || !tree.balance(site, false).pays(0, 0) {
            return;
        }
        let escapes = &tree.escapes;
        let known = |v: Value| (site.facts.depth(v), site.facts.order(v));
        let early = |leaf: Value| {
            // The input of another block is available in that block only.
            if site.source.node_of(leaf).is_none() && site.found(leaf).is_none() {
                return false;
            }
            let (depth, order) = known(leaf);
            escapes.keys().map(|&v| known(v)).all(|(d, o)| depth < d && order < o)
        };
        let fits = tree
            .leaves()
            .iter()
            .filter(|v| v.as_local().is_some())
            .all(|&leaf| early(leaf) && (!self.taken.contains(&leaf) || self.components.contains_key(&leaf)));
        let applied = |&i: &usize| matches!(tree.entries[i].shape, Shape::Apply { .. });
        let lanes: SmallVec<[Value; 16]> =
            tree.order.iter().filter(|i| applied(i)).flat_map(|&i| tree.entries[i].lanes.iter().copied()).collect();
        if !fits || lanes.iter().any(|v| self.taken.contains(v)) {
            return;
        }
        let number = self.plans.len();
        self.taken.extend(lanes);
        let places = escapes.iter().map(|(&value, &(entry, lane))| (value, (number, entry, lane)));
        self.components.extend(places);
        self.plans.push(Plan { tree, values: Vec::new() });
    }

    /// The vector component that replaces a node; `None` if it is not planned.
    pub(super) fn component(&mut self, site: &mut Site<'_, '_, '_, '_>, node: Node) -> Option<Value> {
        let value: Value = site.source.result(node)?.into();
        let &(number, entry, lane) = self.components.get(&value)?;
        let plan = &mut self.plans[number];
        let manner = site.node(node).manner;
        if plan.values.is_empty() {
            plan.values = weave_all(site, &plan.tree, manner);
        }
        let vector = plan.values[entry].expect("what is taken out has been made");
        Some(site.swizzle(vector, &[lane], manner))
    }
}

/// Varying scalars of ops that vectors have.
fn candidates(site: &Site<'_, '_, '_, '_>) -> Vec<Value> {
    let nodes = walk::blocks(site.source).flat_map(|block| site.source.blocks[block].nodes.iter().copied());
    let results = nodes.filter(|&node| vectorizes(site, site.node(node))).filter_map(|node| site.source.result(node));
    let values = results.map(Value::from);
    values.filter(|&v| site.size(v) == 1 && !site.facts.is_uniform(v)).collect()
}

/// Groups of `size` scalars of one type that are isomorphic down to a level, neighbours in the order of the source function; the
/// deepest first.
fn groups(site: &Site<'_, '_, '_, '_>, candidates: &[Value], level: usize, size: usize) -> Vec<Tuple> {
    let mut buckets: Vec<Vec<Value>> = Vec::new();
    let mut bucket_of: FxHashMap<(Type, u64), usize> = FxHashMap::default();
    for &value in candidates {
        let bucket = *bucket_of.entry((site.ty(value), site.facts.likeness(value, level))).or_insert_with(|| {
            buckets.push(Vec::new());
            buckets.len() - 1
        });
        buckets[bucket].push(value);
    }
    let mut groups: Vec<Tuple> = Vec::new();
    for mut bucket in buckets {
        // In program order: neighbours belong together.
        bucket.sort_unstable_by_key(|v| v.as_local().map_or(0, Id::index));
        // Values of very different depth probably depend on each other, which is not allowed.
        let is_near = |group: &&[Value]| {
            let depths = || group.iter().map(|&v| site.facts.depth(v));
            let near = depths().max().zip(depths().min()).is_some_and(|(last, first)| last - first <= SPREAD);
            near && !are_made_of_each_other(site, group)
        };
        groups.extend(bucket.chunks_exact(size).filter(is_near).map(Tuple::from_slice));
    }
    groups.sort_by_cached_key(|group| std::cmp::Reverse(group.iter().map(|&v| site.facts.depth(v)).min()));
    groups
}
