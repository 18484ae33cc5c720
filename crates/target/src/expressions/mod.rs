//! Values that are written where they are read.
//!
//! A value that is read once, in the block that computes it, needs no variable: it is *deferred* until its reader is
//! written, and then evaluated there together with its operands. Values with effects are deferred in a list; evaluating
//! the list in order would always be correct. Before anything observable overtakes an entry of the list, the entry is
//! *materialized*: evaluated into a variable. [`Deferred`] keeps the list, [`Uses`] counts readers, [`Effects`] tell
//! whether an order is observable, and [`ExprWriter`] puts the three together.

mod deferred;
mod effects;
mod uses;

use planish_ir::entity::{Block, Local, Node, Value};
use planish_ir::function::Body;

pub use deferred::{Deferred, Pending};
pub use effects::Effects;
pub use uses::{ReportUses, Uses};

/// A back end that writes values where they are read. It implements [`ExprWriter::materialize`] and calls
/// [`ExprWriter::defer`] for each node; the other methods make the operands of a node or exit ready to be written.
pub trait ExprWriter {
    /// The function, its uses, and the deferred values.
    fn parts(&mut self) -> (&Body, &Uses, &mut Deferred);

    /// Evaluates a deferred value into its variable.
    fn materialize(&mut self, local: Local);

    /// Materializes values that must be evaluated before something that reads `read`. Afterwards every deferred value
    /// of `read` may be evaluated, in the order of reading, and (if `here`, the effects of the whole, is given) ahead
    /// of all other deferred values.
    fn make_way(&mut self, read: &[Value], here: Option<Effects>) {
        let (_, uses, deferred) = self.parts();
        let first = deferred.before(uses, read, here);
        self.materialize_each(&first);
    }

    /// Materializes every deferred value with an effect, except those in `keep`.
    fn materialize_all(&mut self, keep: &[Value]) {
        let (_, uses, deferred) = self.parts();
        let first = deferred.all_but(uses, keep);
        self.materialize_each(&first);
    }

    /// Materializes deferred values, in this order.
    fn materialize_each(&mut self, locals: &[Local]) {
        self.parts().2.remove(locals);
        locals.iter().for_each(|&local| self.materialize(local));
    }

    /// Takes `read` off the list of deferred values: the caller evaluates them next.
    fn consume(&mut self, read: &[Value]) {
        let (_, uses, deferred) = self.parts();
        let read = deferred.among(uses, read);
        deferred.remove(&read);
    }

    /// Gets ready for the end of a block that reads `read`: everything else is materialized.
    fn finish(&mut self, read: &[Value]) {
        self.make_way(read, Some(Effects::ALL));
        self.materialize_all(read);
        self.consume(read);
    }

    /// Combined effects of evaluating `read`.
    fn effects_of(&mut self, read: &[Value]) -> Effects {
        let (_, uses, deferred) = self.parts();
        deferred.effects(uses, read, Effects::PURE)
    }

    /// Defers the result of a node that reads `operands`, if one reader in the same block follows and its `height` is at
    /// most `most`; else gets its operands ready and returns `false`: the caller writes the node now.
    fn defer(&mut self, block: Block, node: Node, operands: &[Value], height: u32, most: u32) -> bool {
        let (body, uses, deferred) = self.parts();
        let own = Effects::of(body.node(node).op);
        let effects = deferred.effects(uses, operands, own);
        let has_one_reader = |&r: &Local| uses.counts[r] == 1 && uses.readers[r] == Some(block);
        let one_result = body.node(node).result_count() == 1 && height <= most;
        let Some(result) = body.result(node).filter(has_one_reader).filter(|_| one_result) else {
            self.make_way(operands, Some(effects));
            self.consume(operands);
            return false;
        };
        self.make_way(operands, None);
        let (_, uses, deferred) = self.parts();
        // Operands that were materialized just now have no effect any more.
        let effects = deferred.effects(uses, operands, own);
        self.consume(operands);
        if let Some(oldest) = self.parts().2.defer(result, Pending { effects, height }) {
            self.materialize_each(&[oldest]);
        }
        true
    }
}
