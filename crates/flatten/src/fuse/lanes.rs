//! Isomorphic scalar computations as vectors: a tree of tuples. A tuple has the scalars of one vector, one per lane; if
//! all of them are results of one op, their operands are tuples in turn.
//!
//! ```text
//! (sin(c.x + 0.1), sin(c.y + 0.2))   sin of  (c.x + 0.1, c.y + 0.2)   add of  (c.x, c.y) is c
//!                                                                             (0.1, 0.2) is a constant
//! ```

use planish_ir::entity::Value;
use planish_ir::ops::{Imm, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::site::{Def, Manner, Site};
use crate::uses::is_componentwise;

/// Minimum number of tuples of each tree, even if the budget of the iteration is exhausted; deeper values are gathered.
const MIN_TUPLES: usize = 16;

/// Maximum number of nodes visited to find whether one value depends on another.
const MAX_STEPS: usize = 512;

/// Scalars of the source function, one per lane.
pub(super) type Tuple = SmallVec<[Value; 4]>;

/// Vector form of a tuple.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// Constant lanes.
    Constant,
    /// Equal lanes: a splat, free as an operand.
    Spread,
    /// Components of a vector.
    Part(Value, SmallVec<[u8; 4]>),
    /// An existing vector of the lanes, in the new function.
    There(Value),
    /// A constructor of these: the lanes, or whole vectors of them.
    Gather(SmallVec<[Value; 4]>),
    /// An op on other tuples, by index.
    Apply { op: Op, imm: Imm, manner: Manner, operands: SmallVec<[usize; 3]> },
}

/// A tuple and its form.
pub(super) struct Entry {
    pub(super) lanes: Tuple,
    pub(super) shape: Shape,
}

/// Connected tuples.
pub(super) struct Tree {
    pub(super) entries: Vec<Entry>,
    pub(super) roots: SmallVec<[usize; 2]>,
    /// Whether lanes with other users are extracted from the vectors; otherwise they are also computed as scalars.
    open: bool,
    /// Entries that the roots need, operands first.
    pub(super) order: Vec<usize>,
    /// Nodes of the source function that become dead if the roots are built from the tree: lanes of tuples that become ops,
    /// and components of vectors that are used whole.
    dead: FxHashSet<Value>,
    /// In an open tree: lanes that become ops and have other users, with their entry and lane.
    pub(super) escapes: FxHashMap<Value, (usize, u8)>,
}

/// Change in the number of nodes: of all, and of those per invocation.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Balance {
    pub(super) gone: [usize; 2],
    pub(super) added: [usize; 2],
    pub(super) gathers: usize,
}

impl Balance {
    /// Increase in the number of nodes.
    pub(super) fn rise(&self) -> isize {
        self.added[0] as isize - self.gone[0] as isize
    }

    /// Whether it pays, if `gone` and `added` further nodes of each kind are removed and added.
    pub(super) fn pays(&self, gone: usize, added: usize) -> bool {
        let [all, own] = [0, 1].map(|i| (self.gone[i] + gone, self.added[i] + added));
        own.1 <= own.0 && all.1 <= all.0 && (own.1 < own.0 || all.1 < all.0)
    }
}

impl Tree {
    /// The tree of tuples, each of which is used as a vector.
    pub(super) fn new(site: &mut Site<'_, '_, '_, '_>, roots: &[Tuple]) -> Tree {
        Self::build(site, roots, false)
    }

    /// The tree of a tuple, each lane of which is used as a scalar.
    pub(super) fn open(site: &mut Site<'_, '_, '_, '_>, root: Tuple) -> Tree {
        Self::build(site, &[root], true)
    }

    fn build(site: &mut Site<'_, '_, '_, '_>, roots: &[Tuple], open: bool) -> Tree {
        let mut tree = Tree {
            entries: Vec::new(),
            roots: SmallVec::new(),
            open,
            order: Vec::new(),
            dead: FxHashSet::default(),
            escapes: FxHashMap::default(),
        };
        let mut numbers: FxHashMap<Tuple, usize> = FxHashMap::default();
        for root in roots {
            let number = tree.number(&mut numbers, root.clone());
            tree.roots.push(number);
        }
        let most = site.budget.get().max(MIN_TUPLES);
        let mut next = 0;
        while next < tree.entries.len() {
            let lanes = tree.entries[next].lanes.clone();
            let shape = if tree.roots.contains(&next) { None } else { vector_there(site, &lanes) };
            tree.entries[next].shape = match shape.or_else(|| simple(site, &lanes)) {
                Some(shape) => shape,
                None if tree.entries.len() > most => gather(site, &lanes),
                None => match apply(site, &lanes, open) {
                    Some(found) => {
                        let operands = found.operands.into_iter().map(|t| tree.number(&mut numbers, t)).collect();
                        Shape::Apply { op: found.op, imm: found.imm, manner: found.manner, operands }
                    }
                    None => gather(site, &lanes),
                },
            };
            next += 1;
        }
        site.budget.set(site.budget.get().saturating_sub(tree.entries.len()));
        tree.analyse(site);
        if tree.prune(site) {
            tree.analyse(site);
        }
        tree
    }

    fn number(&mut self, numbers: &mut FxHashMap<Tuple, usize>, lanes: Tuple) -> usize {
        *numbers.entry(lanes).or_insert_with_key(|lanes| {
            self.entries.push(Entry { lanes: lanes.clone(), shape: Shape::Constant });
            self.entries.len() - 1
        })
    }

    fn find_order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.entries.len()];
        let mut stack: Vec<(usize, bool)> = self.roots.iter().map(|&root| (root, false)).collect();
        let mut order = Vec::new();
        while let Some((i, done)) = stack.pop() {
            if done {
                order.push(i);
                continue;
            }
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            stack.push((i, true));
            if let Shape::Apply { operands, .. } = &self.entries[i].shape {
                stack.extend(operands.iter().map(|&operand| (operand, false)));
            }
        }
        order
    }

    /// Finds the entries that the roots need, and the nodes that become dead or stay.
    fn analyse(&mut self, site: &Site<'_, '_, '_, '_>) {
        self.order = self.find_order();
        let (inner, needed) = self.inside(site);
        let replaced = self.replaced();
        let mut uses: FxHashMap<Value, u32> = FxHashMap::default();
        if !self.open {
            for &root in &self.roots {
                self.entries[root].lanes.iter().for_each(|&v| *uses.entry(v).or_default() += 1);
            }
        }
        self.dead.clear();
        self.escapes.clear();
        for value in inner {
            let others = uses.get(&value) != Some(&site.facts.uses(value)) || needed.contains(&value);
            let place = replaced.get(&value);
            if others && place.is_none() {
                continue;
            }
            let Some(def) = site.def(value) else { continue };
            if let (true, Some(&place)) = (others, place) {
                self.escapes.insert(value, place);
            }
            self.dead.insert(value);
            def.args.iter().for_each(|&a| *uses.entry(a).or_default() += 1);
        }
    }

    /// Turns ops that do not pay into gathers: their lanes are needed anyway, or their operands cost as much. Returns
    /// whether there was one.
    fn prune(&mut self, site: &Site<'_, '_, '_, '_>) -> bool {
        let mut pruned = false;
        let mut counted = vec![false; self.entries.len()];
        let mut gains: Vec<i64> = vec![0; self.entries.len()];
        for &i in &self.order {
            let entry = &self.entries[i];
            let escaped = |v: &&Value| self.escapes.get(*v).is_some_and(|&(entry, _)| entry == i);
            let freed = entry.lanes.iter().filter(|v| self.dead.contains(*v)).count() as i64
                - entry.lanes.iter().filter(escaped).count() as i64;
            gains[i] = match &entry.shape {
                Shape::Constant | Shape::Spread | Shape::There(_) => 0,
                Shape::Part(vector, lanes) => freed - i64::from(!is_whole(site, *vector, lanes)),
                Shape::Gather(_) => -1,
                Shape::Apply { operands, .. } => {
                    let fresh = operands.iter().filter(|&&o| !std::mem::replace(&mut counted[o], true));
                    let gain = freed - 1 + fresh.map(|&o| gains[o]).sum::<i64>();
                    if gain <= -1 && !self.roots.contains(&i) {
                        self.entries[i].shape = gather(site, &self.entries[i].lanes);
                        pruned = true;
                    }
                    gain.max(-1)
                }
            };
        }
        pruned
    }

    /// Lanes that become ops, the deepest first, and values that are needed unchanged.
    fn inside(&self, site: &Site<'_, '_, '_, '_>) -> (Vec<Value>, FxHashSet<Value>) {
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        let mut inner: Vec<Value> = Vec::new();
        for &i in &self.order {
            let entry = &self.entries[i];
            match &entry.shape {
                Shape::Spread => needed.extend(&entry.lanes),
                Shape::Gather(parts) => {
                    needed.extend(parts);
                    inner.extend(&entry.lanes);
                }
                _ => inner.extend(&entry.lanes),
            }
        }
        inner.sort_unstable_by_key(|&v| (std::cmp::Reverse(site.facts.depth(v)), v));
        inner.dedup();
        (inner, needed)
    }

    /// In an open tree: entry and lane of each lane that becomes an op.
    fn replaced(&self) -> FxHashMap<Value, (usize, u8)> {
        let mut replaced = FxHashMap::default();
        for &i in self.order.iter().filter(|_| self.open) {
            if let Shape::Apply { .. } = self.entries[i].shape {
                for (lane, &value) in self.entries[i].lanes.iter().enumerate() {
                    replaced.entry(value).or_insert((i, lane as u8));
                }
            }
        }
        replaced
    }

    /// Values that are needed unchanged: gathered or splatted scalars, and vectors.
    pub(super) fn leaves(&self) -> SmallVec<[Value; 8]> {
        let mut leaves = SmallVec::new();
        for &i in &self.order {
            match &self.entries[i].shape {
                Shape::Spread => leaves.push(self.entries[i].lanes[0]),
                Shape::Part(vector, _) => leaves.push(*vector),
                Shape::Gather(parts) => leaves.extend_from_slice(parts),
                Shape::Constant | Shape::There(_) | Shape::Apply { .. } => {}
            }
        }
        leaves
    }

    /// Cost and savings.
    pub(super) fn balance(&self, site: &Site<'_, '_, '_, '_>, for_draw: bool) -> Balance {
        let mut balance = Balance::default();
        for &value in &self.dead {
            balance.gone[0] += 1;
            balance.gone[1] += usize::from(for_draw || !site.facts.is_uniform(value));
        }
        for &value in self.escapes.keys() {
            balance.added[0] += 1;
            balance.added[1] += usize::from(for_draw || !site.facts.is_uniform(value));
        }
        for &i in &self.order {
            let entry = &self.entries[i];
            let adds = match &entry.shape {
                Shape::Constant | Shape::Spread | Shape::There(_) => false,
                Shape::Part(vector, lanes) => !is_whole(site, *vector, lanes),
                Shape::Gather(_) => {
                    balance.gathers += 1;
                    true
                }
                Shape::Apply { .. } => true,
            };
            let own = for_draw || entry.lanes.iter().any(|&v| !site.facts.is_uniform(v));
            balance.added[0] += usize::from(adds);
            balance.added[1] += usize::from(adds && own);
        }
        balance
    }
}

fn is_whole(site: &Site<'_, '_, '_, '_>, vector: Value, lanes: &[u8]) -> bool {
    usize::from(site.size(vector)) == lanes.len() && lanes.iter().enumerate().all(|(i, &l)| i == usize::from(l))
}

/// A tuple without an op: constants, one scalar, components of one vector.
fn simple(site: &Site<'_, '_, '_, '_>, lanes: &Tuple) -> Option<Shape> {
    if lanes.iter().all(|v| v.as_const().is_some()) {
        return Some(Shape::Constant);
    }
    if lanes.iter().all(|v| *v == lanes[0]) {
        return Some(Shape::Spread);
    }
    let (vector, _) = site.component(lanes[0])?;
    let parts = lanes.iter().map(|&v| site.component(v).filter(|c| c.0 == vector).map(|c| c.1));
    Some(Shape::Part(vector, parts.collect::<Option<_>>()?))
}

/// The vector of these lanes, if a constructor that has been read makes it.
fn vector_there(site: &Site<'_, '_, '_, '_>, lanes: &Tuple) -> Option<Shape> {
    let local = lanes.iter().find(|v| v.as_local().is_some())?;
    let node = site.facts.vector(*local).filter(|&node| site.node(node).args == &lanes[..])?;
    site.found(site.source.result(node)?.into()).map(Shape::There)
}

/// A constructor of the lanes, in which all components of a vector are replaced by the vector.
fn gather(site: &Site<'_, '_, '_, '_>, lanes: &Tuple) -> Shape {
    let mut parts = SmallVec::new();
    let mut at = 0;
    while at < lanes.len() {
        let whole = site.component(lanes[at]).filter(|&(vector, index)| {
            let size = usize::from(site.size(vector));
            let run = lanes.get(at..at + size).unwrap_or(&[]);
            let in_order = |(i, &v): (usize, &Value)| site.component(v) == Some((vector, i as u8));
            index == 0 && !run.is_empty() && run.iter().enumerate().all(in_order)
        });
        parts.push(whole.map_or(lanes[at], |(vector, _)| vector));
        at += whole.map_or(1, |(vector, _)| usize::from(site.size(vector)));
    }
    Shape::Gather(parts)
}

/// One op for all lanes.
struct Applied {
    op: Op,
    imm: Imm,
    manner: Manner,
    operands: SmallVec<[Tuple; 3]>,
}

/// The op of all lanes, with its operands; or a constant operation of most lanes, applied to all.
fn apply(site: &mut Site<'_, '_, '_, '_>, lanes: &Tuple, open: bool) -> Option<Applied> {
    if open {
        // Iterations of a loop depend on each other: a vector of two iterations would compute both in each, down to the
        // first one.
        return alike(site, lanes).filter(|_| !are_made_of_each_other(site, lanes));
    }
    alike(site, lanes).or_else(|| padded(site, lanes))
}

/// Whether one of the values depends on another, through a few nodes at most.
pub(super) fn are_made_of_each_other(site: &Site<'_, '_, '_, '_>, values: &[Value]) -> bool {
    values.iter().any(|&a| values.iter().any(|&b| is_made_of(site, a, b)))
}

fn is_made_of(site: &Site<'_, '_, '_, '_>, value: Value, other: Value) -> bool {
    let first = site.facts.depth(other);
    let mut stack: SmallVec<[Value; 16]> = SmallVec::from_slice(&[value]);
    for _ in 0..MAX_STEPS {
        let Some(value) = stack.pop() else { return false };
        let Some(node) = site.source.node_of(value).filter(|_| site.facts.depth(value) > first) else { continue };
        let args = site.source.args(node);
        if args.contains(&other) {
            return true;
        }
        stack.extend_from_slice(args);
    }
    false
}

/// Whether lanes of an op can be computed as a vector.
pub(super) fn vectorizes(site: &Site<'_, '_, '_, '_>, def: Def<'_>) -> bool {
    let Some(scalar) = def.args.first().and_then(|&a| site.scalar_of(a)) else { return false };
    let converts = def.op == Op::ConstructScalarFromScalar;
    def.op.is_pure() && (converts || is_componentwise(def.op, scalar)) && def.args.iter().all(|&a| site.size(a) == 1)
}

fn alike(site: &Site<'_, '_, '_, '_>, lanes: &Tuple) -> Option<Applied> {
    let first = site.def(lanes[0]).filter(|&def| vectorizes(site, def))?;
    let mut manner = first.manner;
    let mut operands: SmallVec<[Tuple; 3]> = first.args.iter().map(|&a| Tuple::from_slice(&[a])).collect();
    for &lane in &lanes[1..] {
        let def = site.def(lane).filter(|def| {
            let fits = |(&a, &b): (&Value, &Value)| site.ty(a) == site.ty(b);
            (def.op, def.imm, def.manner.precise) == (first.op, first.imm, first.manner.precise)
                && def.args.len() == first.args.len()
                && def.args.iter().zip(first.args).all(fits)
        })?;
        manner = manner.and(def.manner);
        let mut args: SmallVec<[Value; 3]> = SmallVec::from_slice(def.args);
        let commutes = def.op.info().commutative || matches!(def.op, Op::MultiplyAdd | Op::Fma);
        if commutes && swap_fits(site, [args[0], args[1]], [first.args[0], first.args[1]]) {
            args.swap(0, 1);
        }
        operands.iter_mut().zip(args).for_each(|(tuple, a)| tuple.push(a));
    }
    Some(Applied { op: first.op, imm: first.imm, manner, operands })
}

/// Whether operands are more similar to those of the first lane when swapped.
pub(super) fn swap_fits(site: &Site<'_, '_, '_, '_>, [a, b]: [Value; 2], [p, q]: [Value; 2]) -> bool {
    let likeness = |x: Value, y: Value| {
        if x == y {
            return 3;
        }
        match (site.def(x), site.def(y)) {
            (Some(f), Some(g)) if f.op == g.op => {
                let component = f.op == Op::ExtractVectorComponent;
                if component && f.args[0] != g.args[0] { 1 } else { 2 + i32::from(component) }
            }
            (None, None) if x.as_const().is_some() == y.as_const().is_some() => 2,
            _ => 0,
        }
    };
    likeness(a, q) + likeness(b, p) > likeness(a, p) + likeness(b, q)
}

/// `(x * 13, y * 13, z) → (x, y, z) * (13, 13, 1)`: lanes without the constant get the neutral element. `x - 13` is `x + -13`, to the bit.
fn padded(site: &mut Site<'_, '_, '_, '_>, lanes: &Tuple) -> Option<Applied> {
    for op in [Op::Multiply, Op::Subtract, Op::Add] {
        let mut parts = |lane: Value| {
            if op == Op::Add
                && site.is_float(lane)
                && let Some(def) = site.def_by(lane, Op::Subtract).filter(|&def| vectorizes(site, def))
                && def.args[1].as_const().is_some()
            {
                return Some((def.args[0], site.b.op(Op::Negate, &[def.args[1]]), def.manner));
            }
            let def = site.def_by(lane, op).filter(|&def| vectorizes(site, def))?;
            match *def.args {
                [x, c] if c.as_const().is_some() => Some((x, c, def.manner)),
                [c, x] if c.as_const().is_some() && op != Op::Subtract => Some((x, c, def.manner)),
                _ => None,
            }
        };
        let found: SmallVec<[_; 4]> = lanes.iter().map(|&lane| parts(lane)).collect();
        let Some(&(_, _, manner)) = found.iter().flatten().next() else { continue };
        let one_precise = found.iter().flatten().all(|f| f.2.precise == manner.precise);
        if found.iter().flatten().count() < 2 || !one_precise {
            continue;
        }
        let ty = site.ty(lanes[0]);
        let neutral = match op {
            Op::Multiply => 1.0,
            Op::Add if site.is_float(lanes[0]) => -0.0,
            _ => 0.0,
        };
        let neutral = site.number(ty, neutral);
        let manner = found.iter().flatten().fold(manner, |m, f| m.and(f.2));
        let values = lanes.iter().zip(&found).map(|(&lane, f)| f.map_or(lane, |f| f.0)).collect();
        let constants = found.iter().map(|f| f.map_or(neutral, |f| f.1)).collect();
        return Some(Applied { op, imm: Imm::NONE, manner, operands: [values, constants].into_iter().collect() });
    }
    None
}
