//! Merge blocks that jumps go through ([`planish_target::jumps`]), written with few stores.
//!
//! A flag is a variable that is false except on the path of its jump: it is reset where the jump goes on, so that other
//! edges need not set it. The values that a jump brings are stored to the variables of its target at once, and an edge
//! stores nothing that is not read on its way.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Const, Local, Value};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

/// A jump that goes through a merge block.
struct Route {
    /// The input that is its flag.
    flag: usize,
    /// The inputs that it reads, and those of them that nothing else does.
    reads: FxHashSet<usize>,
    own: FxHashSet<usize>,
}

/// The routes of a function.
#[derive(Default)]
pub(crate) struct Routes {
    by_merge: FxHashMap<Block, Vec<Route>>,
    /// By block that goes on with a jump: its flag.
    pub(crate) resets: FxHashMap<Block, Local>,
    /// By input that a jump brings on: the input of its target.
    pub(crate) aliases: FxHashMap<Local, Local>,
}

impl Routes {
    /// Finds them. O(size of the function).
    pub(crate) fn of(body: &Body) -> Self {
        let tree = Tree::new(body);
        let mut counts: SideTable<Local, u32> = SideTable::new();
        let mut dynamic: SideTable<Local, bool> = SideTable::new();
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            let mut count = |value: Value| value.as_local().into_iter().for_each(|local| counts[local] += 1);
            data.nodes.iter().flat_map(|&node| body.args(node)).for_each(|&arg| count(arg));
            data.exit.for_each_operand(count);
            for (target, args) in tree.edges(body, block) {
                for (&input, arg) in body.blocks[target].inputs.iter().zip(args) {
                    dynamic[input] |= ![Some(Const::TRUE), Some(Const::FALSE)].contains(&arg.as_const());
                }
            }
        }
        let mut routes = Routes::default();
        for merge in walk::blocks(body).filter_map(|block| body.blocks[block].exit.merge_block()) {
            let input = |value: Value| match body.local(value.as_local()?).def {
                LocalDef::Input(block, index) if block == merge => Some(usize::from(index)),
                _ => None,
            };
            let is_bare = |block: Block| body.blocks[block].nodes.is_empty() && body.blocks[block].variables.is_empty();
            let mut at = merge;
            while let Exit::If { condition, then, otherwise, merge: next } = body.blocks[at].exit {
                let Some(flag) = input(condition) else { break };
                let local = body.blocks[merge].inputs[flag];
                let goes_on = matches!(&body.blocks[otherwise].exit, Exit::Merge(args) if args.is_empty());
                let jumps = matches!(body.blocks[then].exit, Exit::Break(..) | Exit::Continue(..));
                let bare = [at, then, otherwise].into_iter().all(is_bare);
                if !(goes_on && jumps && bare) || counts[local] != 1 || dynamic[local] {
                    break;
                }
                let (target, args) = tree.edges(body, then)[0];
                let mut route = Route { flag, reads: FxHashSet::default(), own: FxHashSet::from_iter([flag]) };
                for (&to, &arg) in body.blocks[target].inputs.iter().zip(args) {
                    let Some(index) = input(arg) else { continue };
                    route.reads.insert(index);
                    let from = body.blocks[merge].inputs[index];
                    if counts[from] == 1 {
                        route.own.insert(index);
                        routes.aliases.insert(from, to);
                    }
                }
                routes.resets.insert(then, local);
                routes.by_merge.entry(merge).or_default().push(route);
                at = next;
            }
        }
        routes
    }

    /// Whether nothing reads argument number `index` of an edge to a block.
    pub(crate) fn skips(&self, block: Block, args: &[Value], index: usize) -> bool {
        let Some(routes) = self.by_merge.get(&block) else { return false };
        let is_taken = |route: &&Route| args[route.flag].as_const() == Some(Const::TRUE);
        match routes.iter().find(is_taken) {
            Some(route) => index != route.flag && !route.reads.contains(&index),
            None => routes.iter().any(|route| route.own.contains(&index)),
        }
    }
}
