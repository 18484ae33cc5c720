//! The memory of a function's inside, for the next function.

use super::{Body, NodeList};
use crate::entity::{Block, Node};

/// A body of more nodes is handed over as it is: there copying costs more than growing.
const MAX_NODES_TO_COPY: usize = 4096;

/// So many lists of nodes are kept, of so many nodes each at most.
const MAX_SPARE_LISTS: usize = 128;
const MAX_SPARE_LIST: usize = 256;

impl Body {
    /// What was built; this one is empty again, but for its form. It goes on in the memory of `spare`, if there is one. Else a
    /// small body gets arenas of just its size, and leaves its room to the next function, which then need not grow it anew.
    pub(crate) fn take(&mut self, spare: Option<Body>) -> Body {
        if let Some(mut spare) = spare {
            spare.clear();
            spare.form = self.form;
            return std::mem::replace(self, spare);
        }
        let mut taken = Body::new();
        taken.form = self.form;
        if self.nodes.len() > MAX_NODES_TO_COPY {
            std::mem::swap(self, &mut taken);
            return taken;
        }
        taken.blocks = self.blocks.take();
        taken.nodes = self.nodes.take();
        taken.locals = self.locals.take();
        taken.pool = self.pool.drain(..).collect();
        taken.origins = std::mem::take(&mut self.origins);
        self.entry = self.new_block();
        taken
    }

    /// Lists a node at the end of a block.
    #[inline]
    pub(crate) fn list(&mut self, block: Block, node: Node) {
        let nodes = &mut self.blocks[block].nodes;
        if nodes.len() == nodes.inline_size() && !nodes.spilled() {
            self.spill(block);
        }
        self.blocks[block].nodes.push(node);
    }

    /// A block's nodes are too many for itself: they go to a list that another block has left, if there is one.
    #[cold]
    fn spill(&mut self, block: Block) {
        if let Some(mut list) = self.spare_lists.pop() {
            let nodes = &mut self.blocks[block].nodes;
            list.extend_from_slice(nodes);
            *nodes = list;
        }
    }

    /// Keeps the memory of the blocks' lists.
    fn spare_lists(&mut self) {
        for block in self.blocks.values_mut() {
            let nodes = &mut block.nodes;
            if nodes.spilled() && nodes.capacity() <= MAX_SPARE_LIST && self.spare_lists.len() < MAX_SPARE_LISTS {
                let mut list: NodeList = std::mem::take(nodes);
                list.clear();
                self.spare_lists.push(list);
            }
        }
    }

    /// Empty, as [`Body::new`], but for its form and its memory.
    fn clear(&mut self) {
        self.spare_lists();
        self.blocks.truncate(0);
        self.nodes.truncate(0);
        self.locals.truncate(0);
        self.pool.clear();
        self.origins.clear();
        self.entry = self.new_block();
    }
}
