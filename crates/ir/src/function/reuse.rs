//! Reuse of the memory of a body for the next function.

use super::{Body, NodeList};
use crate::entity::{Block, Node};

/// Maximum number of nodes of a body that is copied into arenas of exact size; a larger one is moved.
const MAX_NODES_TO_COPY: usize = 4096;

/// Maximum number of node lists kept for reuse, and maximum capacity of each.
const MAX_SPARE_LISTS: usize = 128;
const MAX_SPARE_LIST: usize = 256;

impl Body {
    /// Takes the body out and leaves an empty one of the same form. The empty body reuses the memory of `spare`, if
    /// given; otherwise a small body is copied into arenas of exact size, and its memory is left for the next function.
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

    /// Appends a node to a block's list.
    #[inline]
    pub(crate) fn list(&mut self, block: Block, node: Node) {
        let nodes = &mut self.blocks[block].nodes;
        if nodes.len() == nodes.inline_size() && !nodes.spilled() {
            self.spill(block);
        }
        self.blocks[block].nodes.push(node);
    }

    /// Moves a full inline list to the heap, into a spare list if there is one.
    #[cold]
    fn spill(&mut self, block: Block) {
        if let Some(mut list) = self.spare_lists.pop() {
            let nodes = &mut self.blocks[block].nodes;
            list.extend_from_slice(nodes);
            *nodes = list;
        }
    }

    /// Keeps the heap storage of the blocks' lists.
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

    /// Clears the body like [`Body::new`], but keeps its form and memory.
    fn clear(&mut self) {
        self.spare_lists();
        self.note = 0;
        self.blocks.truncate(0);
        self.nodes.truncate(0);
        self.locals.truncate(0);
        self.pool.clear();
        self.origins.clear();
        self.entry = self.new_block();
    }
}
