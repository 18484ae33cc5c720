//! Which functions are flat: their blocks follow one another.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::source::Span;
use smallvec::SmallVec;

/// A block of the flat function, and the mask that ends it: whether the fragment goes when it is true.
pub(super) type Straight = SmallVec<[(Block, Option<(Value, bool)>); 2]>;

/// The blocks in which everything is computed, one after the other: only `NextBlock` and `if mask { discard }` between them.
pub(super) fn straight_blocks(body: &Body) -> Result<Straight, Box<Diagnostic>> {
    let mut blocks = Straight::new();
    let mut at = body.entry;
    loop {
        let data = &body.blocks[at];
        match &data.exit {
            Exit::Return(_) => {
                blocks.push((at, None));
                return Ok(blocks);
            }
            Exit::NextBlock { merge } => {
                blocks.push((at, None));
                at = *merge;
            }
            &Exit::If { condition, then, otherwise, merge } if body.blocks[merge].inputs.is_empty() => {
                let goes = |arm: Block| only(body, arm, |exit| matches!(exit, Exit::Discard));
                let traps = |arm: Block| only(body, arm, |exit| matches!(exit, Exit::Trap(_)));
                let stays = |arm: Block| only(body, arm, |exit| matches!(exit, Exit::Merge(_)));
                let discards_if = match () {
                    () if goes(then) && stays(otherwise) => true,
                    () if stays(then) && goes(otherwise) => false,
                    () if traps(then) || traps(otherwise) => return Err(not_flat("a trap", data.exit_span)),
                    () => return Err(not_flat("a conditional", data.exit_span)),
                };
                blocks.push((at, Some((condition, discards_if))));
                at = merge;
            }
            Exit::If { .. } => return Err(not_flat("a conditional", data.exit_span)),
            Exit::Loop { .. } | Exit::DoLoop { .. } => return Err(not_flat("a loop", data.exit_span)),
            Exit::Switch { .. } => return Err(not_flat("a `switch`", data.exit_span)),
            Exit::Labelled { .. } => return Err(not_flat("a block that is left early", data.exit_span)),
            Exit::Discard => return Err(not_flat("a `discard` without a condition", data.exit_span)),
            Exit::Trap(_) => return Err(not_flat("a trap", data.exit_span)),
            _ => return Err(not_flat("a jump", data.exit_span)),
        }
    }
}

/// Whether a block does nothing and ends in such a way.
fn only(body: &Body, block: Block, exit: impl Fn(&Exit) -> bool) -> bool {
    let data = &body.blocks[block];
    exit(&data.exit) && data.nodes.iter().all(|&n| body.node(n).op.is_droppable()) && data.inputs.is_empty()
}

fn not_flat(what: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("{what} in a dataflow graph, which has no control flow");
    Box::new(Diagnostic::error(Code::E0608, span, message).help("flatten the function first: `--flatten`"))
}
