//! Memory that would be merged in too many places: a value that changes in a construct is brought to its merge block
//! by every edge that leads there, so `n` variables in `n` nested constructs take n² values. What would take
//! most of them stays in memory where the function would grow beyond what is in proportion to it, and nothing is known of that memory.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Var};
use planish_ir::function::Exit;
use planish_ir::walk;
use rustc_hash::FxHashMap;

use super::arguments::stores;
use super::source::{Root, Source};

/// Number of values that edges may pass regardless of the size of the function.
const FREE: u64 = 16_384;

/// Number of values that edges may pass for each node and block.
const EACH: u64 = 4;

/// Finds the roots that are to stay in memory.
pub(super) fn pin(source: &mut Source) {
    let body = &source.body;
    let owner_of = |block: Block| source.tree.place(block).and_then(|place| place.owner);
    // By block that ends with a construct: the edges to its merge block, and back edges.
    let mut ways: SideTable<Block, u32> = SideTable::new();
    let (mut all_ways, mut size, mut brought) = (0u64, 0u64, 0u64);
    for block in walk::blocks(body) {
        size += 1 + body.blocks[block].nodes.len() as u64;
        brought += body.blocks[block].inputs.len() as u64;
        let to = match body.blocks[block].exit {
            Exit::Break(label, _) | Exit::Continue(label, _) => Some(label),
            Exit::Merge(_) | Exit::LoopIf { .. } => owner_of(block),
            _ => None,
        };
        if let Some(to) = to {
            ways[to] += 1;
            all_ways += 1;
        }
    }
    // The inputs that an earlier rewrite made of variables count.
    let budget = FREE + (EACH * size).saturating_sub(EACH * brought);
    let stored: u64 = source.variables.len() as u64 + 64;
    if stored * all_ways <= budget {
        return;
    }
    let mut declared: FxHashMap<Var, Option<Block>> = FxHashMap::default();
    let mut order: Vec<Root> = Vec::new();
    let mut by_root: FxHashMap<Root, Vec<Block>> = FxHashMap::default();
    for block in walk::blocks(body) {
        declared.extend(body.blocks[block].variables.iter().map(|&var| (var, owner_of(block))));
        for root in body.blocks[block].nodes.iter().flat_map(|&node| stores(body, node)) {
            if source.can_promote(root) {
                by_root.entry(root).or_insert_with(|| {
                    order.push(root);
                    Vec::new()
                });
                by_root.entry(root).or_default().push(block);
            }
        }
    }
    let mut seen: SideTable<Block, u32> = SideTable::new();
    let mut steps = 0;
    let mut costs: Vec<(u64, Root)> = Vec::new();
    for (number, &root) in (1..).zip(&order) {
        let around = match root {
            Root::Var(var) => declared.get(&var).copied().flatten(),
            Root::Param(_) => None,
        };
        let mut cost = 0;
        for &block in &by_root[&root] {
            let mut at = owner_of(block);
            // Constructs up to here have been visited.
            while let Some(owner) = at.filter(|&at| Some(at) != around && seen[at] != number && steps < budget) {
                seen[owner] = number;
                cost += u64::from(ways[owner]);
                steps += 1;
                at = owner_of(owner);
            }
        }
        costs.push((if steps < budget { cost } else { u64::MAX / 2 }, root));
    }
    costs.sort_unstable();
    let mut sum = 0u64;
    for (cost, root) in costs {
        sum = sum.saturating_add(cost);
        if sum > budget {
            source.pinned.insert(root, ());
            source.spread.insert(root);
        }
    }
}
