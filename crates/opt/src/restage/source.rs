//! A source function: its body, its tree, and the analyses made before it is interpreted.

use std::sync::OnceLock;

pub(crate) use planish_ir::aliasing::{Root, root};
use planish_ir::arena::{Id, SideTable};
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Block, Const, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, TypeKind, Types};
use planish_ir::walk::{self, BlockKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::arguments::{Arguments, stored_in_loops};
use super::spread;
use crate::cost::CostTable;

/// A source function.
pub(crate) struct Source {
    /// Its body, placed.
    pub(crate) body: Body,
    /// The tree of constructs of the blocks.
    pub(crate) tree: Tree,
    /// Roots that cannot become values, since some use needs memory.
    pub(super) pinned: FxHashMap<Root, ()>,
    /// Those of them that have such a use by a node or exit.
    by_use: Vec<Root>,
    /// Those of them that would be merged in too many places.
    pub(super) spread: FxHashSet<Root>,
    /// For each block that ends with an `If`: whether its second arm leaves while the first continues to the merge block.
    pub(crate) leaves_otherwise: SideTable<Block, bool>,
    /// By block that ends with a construct: whether it is left by more than the ends of its own chains.
    pub(crate) left_from_inside: SideTable<Block, bool>,
    /// By block that ends with a loop: whether it has a back edge.
    pub(crate) leads_back: SideTable<Block, bool>,
    /// For each `Loop` (named by the block it ends): values of its condition that are used after it.
    escapes: FxHashMap<Block, Vec<Local>>,
    /// The variables that its blocks declare.
    pub(crate) variables: Vec<Var>,
    /// Whether it is looked at to be flattened: elements may then be chosen when the program runs.
    flat: bool,
    passed: OnceLock<Arguments>,
    stored: OnceLock<FxHashMap<Block, Vec<Root>>>,
    /// By the order of the walk: the cost of the blocks before.
    cost_before: OnceLock<Vec<u64>>,
    /// The same for accesses to elements by an index that is not a constant: their number.
    indexed_before: OnceLock<Vec<u32>>,
}

impl Source {
    /// Looks at a function. `may_inline` says of which callees the calls will be inlined; it is asked for their
    /// parameters.
    pub(crate) fn new(
        module: &Module,
        body: Body,
        limit: u32,
        flat: bool,
        inlined: &dyn Fn(Value, usize) -> bool,
    ) -> Source {
        let tree = Tree::new(&body);
        let mut source = Source {
            tree,
            pinned: FxHashMap::default(),
            by_use: Vec::new(),
            spread: FxHashSet::default(),
            leaves_otherwise: SideTable::new(),
            left_from_inside: SideTable::new(),
            leads_back: SideTable::new(),
            escapes: FxHashMap::default(),
            variables: Vec::new(),
            flat,
            body,
            passed: OnceLock::new(),
            stored: OnceLock::new(),
            cost_before: OnceLock::new(),
            indexed_before: OnceLock::new(),
        };
        source.pinned = pinned_by_uses(module, &source.body, flat, inlined);
        source.by_use = source.pinned.keys().copied().collect();
        source.find_escapes();
        if !flat {
            source.look_at_switches();
        }
        source.look_at_types(module, limit);
        if !flat {
            spread::pin(&mut source);
        }
        for block in walk::blocks(&source.body) {
            if let Exit::If { then, otherwise, .. } = source.body.blocks[block].exit {
                let (then_leaves, otherwise_leaves) =
                    (walk::leaves(&source.body, then), walk::leaves(&source.body, otherwise));
                source.leaves_otherwise[block] = otherwise_leaves && !then_leaves;
            }
        }
        source.look_at_jumps();
        source
    }

    /// The arguments passed to the inputs of its blocks.
    pub(super) fn arguments(&self) -> &Arguments {
        self.passed.get_or_init(|| Arguments::new(&self.body, &self.tree))
    }

    /// The variables and parameters that become values and are stored to in a loop.
    pub(super) fn stored_in(&self, owner: Block) -> &[Root] {
        let stored = self.stored.get_or_init(|| stored_in_loops(&self.body, &self.tree, |root| self.can_promote(root)));
        stored.get(&owner).map_or(&[], |roots| roots)
    }

    /// Cost of the blocks of a construct.
    pub(super) fn cost_inside(&self, module: &Module, owner: Block, costs: &CostTable) -> u32 {
        let before = self.cost_before.get_or_init(|| {
            let mut sum = 0;
            let of_block = |block| {
                sum += u64::from(costs.of_blocks(module, &self.body, std::iter::once(block)));
                sum
            };
            std::iter::once(0).chain(walk::blocks(&self.body).map(of_block)).collect()
        });
        let merge = self.body.blocks[owner].exit.merge_block().expect("a construct has a merge block");
        // The walk goes through a construct before its merge block.
        let cost = before[self.tree.order(merge) as usize] - before[self.tree.order(owner) as usize + 1];
        u32::try_from(cost).unwrap_or(u32::MAX)
    }

    /// Whether a construct has an access to an element of an array by an index that is not a constant.
    pub(super) fn indexes_arrays_inside(&self, owner: Block) -> bool {
        let before = self.indexed_before.get_or_init(|| {
            let is_indexed = |&node: &Node| {
                matches!(self.body.node(node).op, Op::AccessArrayElement | Op::ExtractArrayElement)
                    && self.body.args(node)[1].as_const().is_none()
            };
            let mut sum = 0;
            let of_block = |block: Block| {
                sum += self.body.blocks[block].nodes.iter().filter(|node| is_indexed(node)).count() as u32;
                sum
            };
            std::iter::once(0).chain(walk::blocks(&self.body).map(of_block)).collect()
        });
        let merge = self.body.blocks[owner].exit.merge_block().expect("a construct has a merge block");
        before[self.tree.order(merge) as usize] > before[self.tree.order(owner) as usize + 1]
    }

    /// Whether a variable or parameter can become values.
    pub(crate) fn can_promote(&self, root: Root) -> bool {
        !self.pinned.contains_key(&root)
    }

    /// Whether one of its variables, which a use kept in memory, can become values in its successor, without that use.
    pub(super) fn lets_go(&self, module: &Module, successor: &Body, limit: u32) -> bool {
        let held = |root: &&Root| match **root {
            Root::Var(var) => module.vars[var].space == AddressSpace::Function && fits(module, var, limit),
            Root::Param(_) => false,
        };
        let held: Vec<Root> = self.by_use.iter().filter(held).copied().collect();
        if held.is_empty() {
            return false;
        }
        let pinned = pinned_by_uses(module, successor, self.flat, &|_, _| false);
        let left: FxHashSet<Root> = walk::blocks(successor)
            .flat_map(|block| &successor.blocks[block].variables)
            .map(|&v| Root::Var(v))
            .collect();
        held.iter().any(|root| left.contains(root) && !pinned.contains_key(root))
    }

    /// Values of a `Loop`'s condition that are used after the loop, oldest first.
    pub(crate) fn escapes(&self, owner: Block) -> &[Local] {
        self.escapes.get(&owner).map_or(&[], |v| &v[..])
    }

    fn find_escapes(&mut self) {
        let mut made_in: SideTable<Local, Option<Block>> = SideTable::new();
        let in_condition = |block: Block| {
            let place = self.tree.place(block)?;
            let owner = place.owner.filter(|_| place.kind == BlockKind::Condition)?;
            matches!(self.body.blocks[owner].exit, Exit::Loop { .. }).then_some(owner)
        };
        let conditions: Vec<Block> = walk::blocks(&self.body).filter(|&b| in_condition(b).is_some()).collect();
        if conditions.is_empty() {
            return;
        }
        for &block in &conditions {
            let data = &self.body.blocks[block];
            data.inputs.iter().for_each(|&l| made_in[l] = Some(block));
            data.nodes.iter().flat_map(|&n| self.body.results(n)).for_each(|l| made_in[l] = Some(block));
        }
        let mut escapes: FxHashMap<Block, Vec<Local>> = FxHashMap::default();
        for user in walk::blocks(&self.body) {
            let mut meet = |value: Value| {
                let Some(local) = value.as_local() else { return };
                let mut at = made_in[local].and_then(in_condition);
                while let Some(owner) = at {
                    if self.tree.is_inside(user, owner) {
                        return;
                    }
                    escapes.entry(owner).or_default().push(local);
                    at = in_condition(owner);
                }
            };
            for &node in &self.body.blocks[user].nodes {
                self.body.args(node).iter().copied().for_each(&mut meet);
            }
            self.body.blocks[user].exit.for_each_operand(&mut meet);
        }
        for locals in escapes.values_mut() {
            locals.sort_unstable();
            locals.dedup();
        }
        self.escapes = escapes;
    }

    /// Finds the exits of constructs from nested blocks, and the back edges of loops.
    fn look_at_jumps(&mut self) {
        let mut continued: SideTable<Block, bool> = SideTable::new();
        for block in walk::blocks(&self.body) {
            let place = self.tree.place(block);
            let around = place.and_then(|p| p.owner);
            match self.body.blocks[block].exit {
                Exit::Break(label, _) if around != Some(label) => self.left_from_inside[label] = true,
                Exit::Continue(label, _) => {
                    // The continue block itself only passes its own inputs.
                    let passes_on = around == Some(label) && place.is_some_and(|p| p.kind == BlockKind::Next);
                    continued[label] |= !passes_on;
                }
                Exit::LoopIf { condition, .. } => {
                    let owner = around.expect("a condition belongs to a loop");
                    self.leads_back[owner] = condition.as_const() != Some(Const::FALSE);
                }
                _ => {}
            }
        }
        for block in walk::blocks(&self.body) {
            let leads = continued[block] && self.leads_back[block];
            if leads != self.leads_back[block] {
                self.leads_back[block] = leads;
            }
        }
    }

    fn pin(&mut self, value: Value) {
        if let Some(root) = root(&self.body, value) {
            self.pinned.insert(root, ());
        }
    }

    /// The cases of a switch have no inputs, so variables written by a case that falls through stay in memory.
    fn look_at_switches(&mut self) {
        let falls_through = |&b: &Block| matches!(self.body.blocks[b].exit, Exit::Passthrough);
        let owner = |b: Block| self.tree.place(b).and_then(|p| p.owner);
        let mut owners: Vec<Block> = walk::blocks(&self.body).filter(falls_through).filter_map(owner).collect();
        // From the outside in.
        owners.sort_unstable_by_key(|&owner| self.tree.order(owner));
        owners.dedup();
        let mut around: Option<Block> = None;
        for owner in owners {
            // The blocks in an earlier one have been visited.
            if around.is_some_and(|around| self.tree.is_inside(owner, around)) {
                continue;
            }
            around = Some(owner);
            let inside: Vec<Block> = walk::inside(&self.body, owner).collect();
            for block in inside {
                self.pin_written(block);
            }
        }
    }

    /// Pins the variables that a block does more with than load.
    fn pin_written(&mut self, block: Block) {
        for i in 0..self.body.blocks[block].nodes.len() {
            let node = self.body.blocks[block].nodes[i];
            let op = self.body.node(node).op;
            if op.info().class != Class::Access && op != Op::Load {
                let args = self.body.args(node).to_vec();
                args.into_iter().for_each(|a| self.pin(a));
            }
        }
    }

    fn look_at_types(&mut self, module: &Module, limit: u32) {
        let mut seen: Vec<Root> = Vec::new();
        for block in walk::blocks(&self.body) {
            seen.extend(self.body.blocks[block].variables.iter().map(|&v| Root::Var(v)));
        }
        for root in seen {
            let Root::Var(var) = root else { continue };
            self.variables.push(var);
            if !fits(module, var, limit) {
                self.pinned.insert(root, ());
            }
        }
    }
}

/// The roots that some use needs in memory: any but a load, a store, or an access to a part that is known.
fn pinned_by_uses(
    module: &Module,
    body: &Body,
    flat: bool,
    inlined: &dyn Fn(Value, usize) -> bool,
) -> FxHashMap<Root, ()> {
    let mut pinned = FxHashMap::default();
    for block in walk::blocks(body) {
        for &node in &body.blocks[block].nodes {
            let args = body.args(node);
            for (i, &arg) in args.iter().enumerate() {
                let fits = match body.node(node).op {
                    Op::Load => i == 0 && (flat || !is_swizzled_twice(body, arg)),
                    Op::Store => i == 0,
                    Op::PrefixIncrement | Op::PrefixDecrement | Op::PostfixIncrement | Op::PostfixDecrement => true,
                    Op::AccessStructField
                    | Op::AccessVectorComponent
                    | Op::AccessVectorComponentMulti
                    | Op::AccessVectorComponentDynamic
                    | Op::AccessMatrixColumn => i == 0,
                    Op::AccessArrayElement => i == 0 && (flat || args[1].as_const().is_some()),
                    Op::Call => i > 0 && inlined(args[0], i - 1),
                    _ => false,
                };
                // Only pointers have roots; other values stop here.
                if !fits && is_pointer(&module.types, module.type_of(body, arg)) {
                    pinned.extend(root(body, arg).map(|root| (root, ())));
                }
            }
        }
        body.blocks[block].exit.for_each_operand(|value| pinned.extend(root(body, value).map(|root| (root, ()))));
    }
    pinned
}

/// Whether a pointer is a swizzle of a swizzle in memory: rare, and left in memory.
fn is_swizzled_twice(body: &Body, pointer: Value) -> bool {
    let swizzled = |value: Value| body.node_of(value).filter(|&n| body.node(n).op == Op::AccessVectorComponentMulti);
    swizzled(pointer).is_some_and(|node| swizzled(body.args(node)[0]).is_some())
}

/// Whether a variable's type can be split into values, and into few enough.
pub(crate) fn fits(module: &Module, var: Var, limit: u32) -> bool {
    let data = &module.vars[var];
    // The host may give a specialization constant another value than its initializer.
    let special = |d| matches!(d, Decoration::Volatile | Decoration::Coherent | Decoration::ConstantId(_));
    let special = data.decorations.iter().any(special);
    !special && type_fits(&module.types, data.ty, limit)
}

/// Whether a type can be split into values, and into few enough.
pub(crate) fn type_fits(types: &Types, ty: planish_ir::entity::Type, limit: u32) -> bool {
    leaf_count(types, ty, limit).is_some_and(|n| n <= limit)
}

/// Number of slots a type splits into; `None` if a part of it cannot be a value, or there are too many.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn leaf_count(types: &Types, ty: planish_ir::entity::Type, limit: u32) -> Option<u32> {
    match &types[ty] {
        TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix { .. } => Some(1),
        TypeKind::Array { element, len } => {
            let each = leaf_count(types, *element, limit)?;
            each.checked_mul(*len).filter(|&n| n <= limit)
        }
        TypeKind::Struct(data) => {
            let mut sum = 0;
            for member in &data.members {
                sum += leaf_count(types, member.ty, limit)?;
                if sum > limit {
                    return None;
                }
            }
            Some(sum)
        }
        _ => None,
    }
}

/// Whether a type is that of an address.
pub(crate) fn is_pointer(types: &Types, ty: planish_ir::entity::Type) -> bool {
    matches!(types[ty], TypeKind::Pointer { .. })
}

/// The global variables that only one function uses, with that function.
pub(crate) fn sole_users(module: &Module) -> SideTable<Var, Option<planish_ir::entity::Func>> {
    let mut users: SideTable<Var, Option<planish_ir::entity::Func>> = SideTable::new();
    let mut shared: SideTable<Var, bool> = SideTable::new();
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        let mut meet = |value: Value| {
            let Some(var) = value.as_var() else { return };
            match users[var] {
                None => users[var] = Some(func),
                Some(other) if other != func => shared[var] = true,
                Some(_) => {}
            }
        };
        for block in walk::blocks(body) {
            for &node in &body.blocks[block].nodes {
                body.args(node).iter().copied().for_each(&mut meet);
            }
            body.blocks[block].exit.for_each_operand(&mut meet);
        }
    }
    for index in 0..module.vars.len() {
        let var = Var::new(index);
        if shared[var] || module.vars[var].space == AddressSpace::Function {
            users[var] = None;
        }
    }
    users
}
