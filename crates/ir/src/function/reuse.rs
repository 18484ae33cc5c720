//! The memory of a function's inside, for the next function.

use super::Body;

/// A body of more nodes is handed over as it is: there copying costs more than growing.
const MAX_NODES_TO_COPY: usize = 4096;

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

    /// Empty, as [`Body::new`], but for its form and its memory.
    fn clear(&mut self) {
        self.blocks.truncate(0);
        self.nodes.truncate(0);
        self.locals.truncate(0);
        self.pool.clear();
        self.origins.clear();
        self.entry = self.new_block();
    }
}
