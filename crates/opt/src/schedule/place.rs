//! The schedule point of each node.

use planish_ir::arena::{Id, SideTable};
use planish_ir::entity::{Block, Node, Value, Var};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::TypeKind;
use planish_ir::walk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::tree::{Spot, SpotTree};
use crate::analysis::needs::Needs;
use crate::context::{Goal, Options};
use crate::cost::Costs;

/// Selects on one condition at one schedule point, and the branches that an `If` for them has.
pub(super) struct Group {
    /// The condition.
    pub(super) condition: Value,
    /// Its schedule point.
    pub(super) at: Spot,
    /// For true, for false.
    pub(super) sides: [Spot; 2],
    /// The selects.
    pub(super) selects: Vec<Node>,
    /// Whether it becomes an `If`.
    pub(super) branches: bool,
}

/// The schedule point of each node.
pub(super) struct Placement {
    pub(super) tree: SpotTree,
    /// By node: where it is made; `None` if nothing needs it.
    pub(super) spots: SideTable<Node, Option<Spot>>,
    /// Nodes that a block lists: they are made in its order, and never because of a user.
    pub(super) listed: SideTable<Node, bool>,
    /// Nodes that are made in more than one branch.
    pub(super) copied: SideTable<Node, bool>,
    /// By point: the floating nodes that are made there, oldest first.
    pub(super) members: SideTable<Spot, Vec<Node>>,
    pub(super) groups: Vec<Group>,
    /// By select: 1 + its group, if that becomes an `If`.
    pub(super) group_of: SideTable<Node, u32>,
    /// For [`super::explain`]: nodes that are in fewer loops than where they are used, and the operands of none that is.
    pub(super) hoisted: Vec<Node>,
    /// For [`super::explain`]: listed or guarded nodes in a loop that need nothing which is made in it.
    pub(super) stuck: Vec<Node>,
}

/// Cost from which a node is worth to be made twice.
const WORTH_A_COPY: u32 = 4;
/// So many nodes of a function pay for one more copy in branches that exclude each other.
const NODES_PER_COPY: usize = 4;
/// Maximum number of uses listed for a node.
const MAX_USES: usize = 16;

/// The uses of a node.
#[derive(Clone, Debug)]
enum Uses {
    Few(SmallVec<[Spot; 4]>),
    Many,
}

impl Default for Uses {
    fn default() -> Self {
        Uses::Few(SmallVec::new())
    }
}

impl Uses {
    fn add(&mut self, at: Spot) {
        match self {
            Uses::Few(spots) if spots.contains(&at) => {}
            Uses::Few(spots) if spots.len() < MAX_USES => spots.push(at),
            _ => *self = Uses::Many,
        }
    }
}

struct Finder<'a> {
    module: &'a Module,
    body: &'a Body,
    needs: &'a Needs,
    costs: Costs,
    tree: SpotTree,
    /// By node: the lowest point above all users so far.
    late: SideTable<Node, Option<Spot>>,
    /// By node: the lowest point that one of its operands is bound at.
    early: SideTable<Node, Option<Spot>>,
    /// Nodes that stay under the conditions of their users, and their own users.
    guarded: SideTable<Node, bool>,
    declared: SideTable<Var, Option<Spot>>,
    /// By node: its uses, as far as they are few.
    uses: SideTable<Node, Uses>,
    /// Nodes that are made in more than one branch, and where else.
    copies: Vec<(Node, Spot)>,
    /// The remaining budget for copies.
    budget: u32,
    /// Remaining number of copies of which at most one is run.
    sinking: usize,
    groups: Vec<Group>,
    by_condition: FxHashMap<(Spot, Value), usize>,
    group_of: SideTable<Node, u32>,
    hoisted: Vec<Node>,
}

impl Placement {
    pub(super) fn find(module: &Module, body: &Body, needs: &Needs, options: &Options) -> Placement {
        let mut finder = Finder {
            module,
            body,
            needs,
            costs: options.costs(module),
            tree: SpotTree::new(body, needs),
            late: SideTable::with_capacity(body.node_count()),
            early: SideTable::with_capacity(body.node_count()),
            guarded: SideTable::new(),
            declared: SideTable::new(),
            uses: SideTable::with_capacity(body.node_count()),
            copies: Vec::new(),
            budget: match options.goal {
                Goal::Speed => options.limits.duplication,
                Goal::Size => 0,
            },
            sinking: match (options.goal, options.costs(module).sinks) {
                (Goal::Speed, true) => body.node_count() / NODES_PER_COPY,
                _ => 0,
            },
            groups: Vec::new(),
            by_condition: FxHashMap::default(),
            group_of: SideTable::with_capacity(body.node_count()),
            hoisted: Vec::new(),
        };
        let mut listed: SideTable<Node, bool> = SideTable::with_capacity(body.node_count());
        let reached: Vec<Block> = walk::blocks(body).filter(|&b| finder.tree.of(b).is_some()).collect();
        for &block in &reached {
            let spot = finder.tree.of(block).expect("it is reached");
            for &var in &body.blocks[block].variables {
                finder.declared[var] = Some(spot);
            }
            for &node in body.blocks[block].nodes.iter().filter(|&&n| !needs.drops(n)) {
                listed[node] = true;
                finder.early[node] = Some(spot);
            }
        }
        finder.find_early(&listed);
        for &block in &reached {
            finder.use_in_block(block);
        }
        let mut spots: SideTable<Node, Option<Spot>> = SideTable::with_capacity(body.node_count());
        for index in (0..body.node_count()).rev() {
            let node = Node::new(index);
            if listed[node] {
                spots[node] = finder.early[node];
            } else if let Some(late) = finder.late[node] {
                let spot = match finder.copy_into_branches(node, late) {
                    Some(spots) => {
                        for &other in &spots[1..] {
                            finder.copies.push((node, other));
                            finder.use_operands(node, other);
                        }
                        spots[0]
                    }
                    None => finder.place(node, late),
                };
                if options.explain && finder.tree.loops(spot) < finder.tree.loops(late) {
                    finder.hoisted.push(node);
                }
                spots[node] = Some(spot);
                finder.use_operands(node, spot);
            }
        }
        finder.decide(&mut spots, &listed, options);
        let stuck = if options.explain { finder.stuck(&spots, &listed) } else { Vec::new() };
        let mut members: SideTable<Spot, Vec<Node>> = SideTable::with_capacity(finder.tree.len());
        for index in 0..body.node_count() {
            let node = Node::new(index);
            if let (Some(spot), false) = (spots[node], listed[node]) {
                members[spot].push(node);
            }
        }
        let mut copied: SideTable<Node, bool> = SideTable::new();
        let Finder { tree, groups, group_of, copies, hoisted, .. } = finder;
        let mut grown: Vec<Spot> = Vec::new();
        for (node, spot) in copies {
            copied[node] = true;
            members[spot].push(node);
            grown.push(spot);
        }
        grown.sort_unstable();
        grown.dedup();
        grown.into_iter().for_each(|spot| members[spot].sort_unstable());
        Placement { tree, spots, listed, copied, members, groups, group_of, hoisted, stuck }
    }
}

impl Finder<'_> {
    fn find_early(&mut self, listed: &SideTable<Node, bool>) {
        let root = self.tree.of(self.body.entry).expect("the entry block is reached");
        for index in 0..self.body.node_count() {
            let node = Node::new(index);
            if listed[node] || self.needs.drops(node) {
                continue;
            }
            let mut early = root;
            for &arg in self.body.args(node) {
                if let Some(spot) = self.bound_at(arg)
                    && self.tree.depth(spot) > self.tree.depth(early)
                {
                    early = spot;
                }
            }
            self.early[node] = Some(early);
            // If its users leave loops, it would have to follow.
            let follows = |a: &Value| self.body.node_of(*a).is_some_and(|n| self.guarded[n]);
            if self.is_guarded(node) || self.body.args(node).iter().any(follows) {
                self.guarded[node] = true;
            }
        }
    }

    /// The point that a value is bound at, if it is bound somewhere below the entry.
    fn bound_at(&self, value: Value) -> Option<Spot> {
        if let Some(var) = value.as_var() {
            return self.declared[var];
        }
        match self.body.local(value.as_local()?).def {
            LocalDef::Input(block, _) => self.tree.of(block),
            LocalDef::Result(node, _) => self.early[node],
        }
    }

    fn use_value(&mut self, value: Value, at: Spot) {
        let Some(local) = value.as_local() else { return };
        let LocalDef::Result(node, _) = self.body.local(local).def else { return };
        self.uses[node].add(at);
        self.late[node] = Some(match self.late[node] {
            None => at,
            Some(late) => self.tree.common(late, at),
        });
    }

    fn use_in_block(&mut self, block: Block) {
        let (body, needs) = (self.body, self.needs);
        let spot = self.tree.of(block).expect("it is reached");
        for &node in body.blocks[block].nodes.iter().filter(|&&n| !self.needs.drops(n)) {
            body.args(node).iter().for_each(|&a| self.use_value(a, spot));
        }
        if self.needs.drops_construct(block) {
            return;
        }
        match &body.blocks[block].exit {
            Exit::If { condition: value, .. }
            | Exit::Switch { selector: value, .. }
            | Exit::LoopIf { condition: value, .. } => self.use_value(*value, spot),
            Exit::Return(args) => args.iter().for_each(|&a| self.use_value(a, spot)),
            _ => {}
        }
        for (target, args) in needs.tree.edges(body, block) {
            for (&arg, &input) in args.iter().zip(&body.blocks[target].inputs) {
                if !needs.drops_input(input) {
                    self.use_value(arg, spot);
                }
            }
        }
    }

    fn place(&mut self, node: Node, late: Spot) -> Spot {
        let early = self.early[node].expect("operands are placed first");
        if self.guarded[node] {
            return late;
        }
        self.tree.out_of_loops(early, late)
    }

    /// Several points for a node that is used in some branches only, so that it is not made where none of them is taken: two for
    /// one that is expensive, neither of them always taken; any number if the branches exclude each other, where that is for
    /// nothing.
    fn copy_into_branches(&mut self, node: Node, late: Spot) -> Option<SmallVec<[Spot; 4]>> {
        let cost = self.costs.of_node(self.module, self.body.node(node));
        let expensive = (WORTH_A_COPY..=self.budget).contains(&cost);
        if !expensive && self.sinking == 0 || self.body.node(node).op == Op::Select {
            return None;
        }
        if let Some(spots) = self.copy_into_ways(node, late) {
            self.sinking -= spots.len();
            return Some(spots);
        }
        let Uses::Few(uses) = &self.uses[node] else { return None };
        let mut branches: SmallVec<[(Spot, Spot); 4]> = SmallVec::new();
        for &at in uses.iter() {
            if at == late {
                return None;
            }
            let towards = self.tree.towards(late, at);
            match branches.iter_mut().find(|b| b.0 == towards) {
                Some(branch) => branch.1 = self.tree.common(branch.1, at),
                None => branches.push((towards, at)),
            }
        }
        let behind = self.tree.conditions(late);
        let early = self.early[node].expect("operands are placed first");
        let guarded = self.guarded[node];
        let spots: SmallVec<[Spot; 4]> =
            branches.iter().map(|&(_, s)| if guarded { s } else { self.tree.out_of_loops(early, s) }).collect();
        let pays = spots.iter().all(|&s| {
            // In a branch of the function: the arms of selects may yet go.
            self.tree.conditions(s) > behind && self.tree.is_block(s) && !self.tree.is_above(s, late)
        });
        // Below one block, only the nodes that its branches begin with are conditional.
        let exclusive = branches.iter().all(|&(b, _)| self.tree.is_block(b) && self.tree.conditions(b) > behind);
        if !pays {
            return None;
        }
        if exclusive && spots.len() <= self.sinking {
            self.sinking -= spots.len();
        } else if expensive && spots.len() == 2 {
            self.budget -= cost;
        } else {
            return None;
        }
        Some(spots)
    }

    /// As [`Finder::copy_into_branches`], of exiting branches that do not lead to each other, but may be nested: the cases of
    /// a `switch` that breaks out of labelled blocks.
    fn copy_into_ways(&self, node: Node, late: Spot) -> Option<SmallVec<[Spot; 4]>> {
        let Uses::Few(uses) = &self.uses[node] else { return None };
        if uses.len() > self.sinking {
            return None;
        }
        let mut ways: SmallVec<[(Spot, Spot); 4]> = SmallVec::new();
        for &at in uses.iter() {
            let way = self.tree.way(at, late).filter(|_| self.tree.loops(at) == self.tree.loops(late))?;
            match ways.iter_mut().find(|w| w.0 == way) {
                Some(known) => known.1 = self.tree.common(known.1, at),
                None => ways.push((way, at)),
            }
        }
        let stand_in = |a: Spot, b: Spot| a != b && self.tree.is_above(a, b);
        let apart = ways.iter().all(|a| ways.iter().all(|b| !stand_in(a.0, b.0)));
        let blocks = ways.iter().all(|w| self.tree.is_block(w.1));
        (apart && blocks && ways.len() > 1).then(|| ways.iter().map(|w| w.1).collect())
    }

    /// Whether a node stays under the conditions of its users: a division by a value that may be zero has a meaning
    /// here, but not in every target, so that it takes a test of the divisor where it is made. Only the result may then be
    /// without a meaning: [`Finder::decide`] may still compute it for both arms of a select, which drops it. What may trap is
    /// listed by its block and comes here only to be counted: it never runs where its guard is false.
    fn is_guarded(&self, node: Node) -> bool {
        let data = self.body.node(node);
        let divides = matches!(data.op, Op::Divide | Op::Remainder) && !data.imm.is_guarded();
        let integer = |v: Value| {
            let ty = self.module.type_of(self.body, v);
            self.module.types.scalar_of(ty).is_some_and(|s| s.is_integer())
        };
        divides && integer(self.body.args(node)[1]) && self.body.args(node)[1].as_const().is_none()
    }

    /// Nodes that stay in a loop though all they need is made outside: those with an effect, and those that are guarded.
    fn stuck(&self, spots: &SideTable<Node, Option<Spot>>, listed: &SideTable<Node, bool>) -> Vec<Node> {
        let is = |&node: &Node| {
            let Some(spot) = spots[node].filter(|_| listed[node] || self.guarded[node]) else { return false };
            let outside = self.tree.outside(spot);
            let bound_outside = |&arg: &Value| match self.bound_at(arg) {
                Some(bound) => self.tree.is_above(bound, outside),
                None => true,
            };
            // Users of a guarded node stay because that does.
            let follows = |arg: &Value| self.body.node_of(*arg).is_some_and(|n| self.guarded[n]);
            let args = self.body.args(node);
            self.tree.loops(spot) > 0 && args.iter().all(bound_outside) && !args.iter().any(follows)
        };
        (0..self.body.node_count()).map(Node::new).filter(is).collect()
    }

    /// Operands are used where the node is; the operands that a select picks, in the branches of its group.
    fn use_operands(&mut self, node: Node, spot: Spot) {
        let body = self.body;
        let args = body.args(node);
        if body.node(node).op != Op::Select || self.module.type_of(body, args[0]) != planish_ir::entity::Type::BOOL {
            args.iter().for_each(|&a| self.use_value(a, spot));
            return;
        }
        self.use_value(args[0], spot);
        let group = self.group(node, args[0], spot);
        let sides = self.groups[group].sides;
        self.use_value(args[1], sides[0]);
        self.use_value(args[2], sides[1]);
    }

    fn group(&mut self, node: Node, condition: Value, at: Spot) -> usize {
        let group = match self.by_condition.get(&(at, condition)) {
            Some(&group) => group,
            None => {
                let sides = self.tree.add_sides(at);
                self.groups.push(Group { condition, at, sides, selects: Vec::new(), branches: false });
                self.by_condition.insert((at, condition), self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        self.groups[group].selects.push(node);
        self.group_of[node] = group as u32 + 1;
        group
    }

    /// Decides which groups become branches; the nodes in the arms of the others go to the point of the group.
    fn decide(&mut self, spots: &mut SideTable<Node, Option<Spot>>, listed: &SideTable<Node, bool>, options: &Options) {
        let mut costs: SideTable<Spot, u32> = SideTable::with_capacity(self.tree.len());
        for index in 0..self.body.node_count() {
            let node = Node::new(index);
            if let (Some(spot), false) = (spots[node], listed[node]) {
                costs[spot] = costs[spot].saturating_add(self.costs.of_node(self.module, self.body.node(node)));
            }
        }
        let worth = self.costs.worth_a_branch(options.goal);
        // Inner groups were made after outer ones.
        for (number, group) in self.groups.iter_mut().enumerate().rev() {
            let worth = options.vary(number as u64, worth);
            let within = costs[group.sides[0]].saturating_add(costs[group.sides[1]]);
            costs[group.at] = costs[group.at].saturating_add(within);
            let types = &self.module.types;
            let forced = group.selects.iter().any(|&s| {
                let ty = self.body.local_type(self.body.result(s).expect("a select has a result"));
                !matches!(types[ty], TypeKind::Scalar(_) | TypeKind::Vector(..))
            });
            let pays = self.costs.branch_pays(within, group.selects.len(), worth) && !self.tree.in_condition(group.at);
            group.branches = !options.keep_selects && (forced || pays);
        }
        // From outer to inner: the place of an arm that is no branch.
        let mut stands_for: SideTable<Spot, Option<Spot>> = SideTable::new();
        let mut nesting: SideTable<Spot, u32> = SideTable::new();
        for group in &mut self.groups {
            let at = stands_for[group.at].unwrap_or(group.at);
            group.at = at;
            let depth = nesting[at] + 1;
            group.branches &= depth <= options.limits.nesting;
            for side in group.sides {
                if group.branches {
                    nesting[side] = depth;
                } else {
                    stands_for[side] = Some(at);
                }
            }
            if !group.branches {
                group.selects.iter().for_each(|&s| self.group_of[s] = 0);
            }
        }
        for index in 0..self.body.node_count() {
            let node = Node::new(index);
            if let Some(spot) = spots[node] {
                spots[node] = Some(stands_for[spot].unwrap_or(spot));
            }
        }
    }
}
