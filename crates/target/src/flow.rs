//! Positions in a function: blocks and nodes numbered in the order of the dump, the scope of each block's statements in
//! the output, and the edges with arguments.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Node, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::tree::Tree;
use planish_ir::walk::{BlockKind, Event, chain_end, events};
use smallvec::SmallVec;

/// A statement list of the output: of the function, of an arm, or of a part of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scope(u32);

/// A jump with block arguments.
#[derive(Clone, Debug)]
pub struct Edge<'b> {
    /// The block with the exit.
    pub from: Block,
    /// The target.
    pub to: Block,
    /// Arguments for the inputs of the target.
    pub args: &'b [Value],
}

/// The positions in a placed body.
#[derive(Clone, Debug)]
pub struct Flow<'b> {
    /// Blocks in the order of the dump.
    pub blocks: Vec<Block>,
    /// Position of the start of a block; its nodes follow at distances from 1.
    pub start: SideTable<Block, u32>,
    /// Position of each listed node.
    pub place: SideTable<Node, u32>,
    /// Position of a block's exit.
    pub end: SideTable<Block, u32>,
    /// Statement list of each block.
    pub scope: SideTable<Block, Scope>,
    /// Number of loops around a block.
    pub loops: SideTable<Block, u32>,
    /// All edges with arguments, in the order of their source blocks.
    pub edges: Vec<Edge<'b>>,
    preds: SideTable<Block, SmallVec<[Block; 2]>>,
    /// Parent and depth of each statement list.
    scopes: Vec<(Scope, u32)>,
}

impl<'b> Flow<'b> {
    /// Computes the positions in one walk; O(blocks and nodes).
    pub fn of(body: &'b Body) -> Flow<'b> {
        let mut flow = Flow {
            blocks: Vec::new(),
            start: SideTable::with_capacity(body.blocks.len()),
            place: SideTable::with_capacity(body.node_count()),
            end: SideTable::with_capacity(body.blocks.len()),
            scope: SideTable::with_capacity(body.blocks.len()),
            loops: SideTable::with_capacity(body.blocks.len()),
            edges: Vec::new(),
            preds: SideTable::with_capacity(body.blocks.len()),
            scopes: Vec::new(),
        };
        let mut place = 0;
        for event in events(body, body.entry) {
            let Event::Enter { block, kind, parent, depth } = event else { continue };
            flow.blocks.push(block);
            flow.start[block] = place;
            for &node in &body.blocks[block].nodes {
                place += 1;
                flow.place[node] = place;
            }
            flow.end[block] = place + 1;
            place += 2;
            if kind == BlockKind::Merge {
                flow.scope[block] = flow.scope[parent];
                flow.loops[block] = flow.loops[parent];
                continue;
            }
            flow.scopes.push((flow.scope[parent], depth));
            flow.scope[block] = Scope(flow.scopes.len() as u32 - 1);
            let in_loop = matches!(kind, BlockKind::Condition | BlockKind::LoopBody | BlockKind::Next);
            flow.loops[block] = flow.loops[parent] + u32::from(in_loop);
        }
        flow.find_edges(body);
        flow
    }

    fn find_edges(&mut self, body: &'b Body) {
        let tree = Tree::new(body);
        for i in 0..self.blocks.len() {
            let from = self.blocks[i];
            let exit = &body.blocks[from].exit;
            for (to, args) in tree.edges(body, from) {
                // With a default case, some case is executed.
                let never = matches!(exit, Exit::Switch { cases, .. } if cases.iter().any(|c| c.is_default));
                if !never {
                    self.preds[to].push(from);
                    self.edges.push(Edge { from, to, args });
                }
            }
            match exit {
                Exit::If { then, otherwise, .. } => [then, otherwise].iter().for_each(|&&b| self.preds[b].push(from)),
                Exit::Switch { cases, .. } => {
                    cases.iter().for_each(|c| self.preds[c.block].push(from));
                    let next = cases.windows(2).map(|pair| (pair[0].block, pair[1].block));
                    next.for_each(|(case, next)| self.fall_through(body, case, next));
                }
                Exit::Labelled { body, .. } => self.preds[*body].push(from),
                Exit::NextBlock { merge } => self.preds[*merge].push(from),
                _ => {}
            }
        }
    }

    /// A case that ends with `Passthrough` goes on with the next one.
    fn fall_through(&mut self, body: &Body, case: Block, next: Block) {
        let end = chain_end(body, case);
        if matches!(body.blocks[end].exit, Exit::Passthrough) {
            self.preds[next].push(end);
        }
    }

    /// The blocks that may run just before a block.
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[block]
    }

    /// Edges with arguments of a block's exit.
    pub fn edges_from(&self, block: Block) -> &[Edge<'b>] {
        let place = |e: &Edge<'_>| self.start[e.from];
        let first = self.edges.partition_point(|e| place(e) < self.start[block]);
        let count = self.edges[first..].partition_point(|e| place(e) == self.start[block]);
        &self.edges[first..first + count]
    }

    /// The block of a position.
    pub fn block_at(&self, place: u32) -> Block {
        self.blocks[self.blocks.partition_point(|&b| self.start[b] <= place).saturating_sub(1)]
    }

    /// The innermost statement list that contains both.
    pub fn common(&self, mut a: Scope, mut b: Scope) -> Scope {
        while a != b {
            let (x, y) = (self.scopes[a.0 as usize], self.scopes[b.0 as usize]);
            if x.1 >= y.1 {
                a = x.0;
            }
            if y.1 >= x.1 {
                b = y.0;
            }
        }
        a
    }

    /// Number of enclosing statement lists.
    pub fn depth(&self, scope: Scope) -> u32 {
        self.scopes[scope.0 as usize].1
    }
}
