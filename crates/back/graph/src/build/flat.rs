//! Recognition of flat functions: blocks in sequence.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::source::Span;
use smallvec::SmallVec;

/// A mask at the end of a block: if the condition is `when`, execution stops.
#[derive(Clone, Copy)]
pub(super) struct Mask {
    pub(super) condition: Value,
    pub(super) when: bool,
    /// Kind of the trap; `None`: the fragment is discarded.
    pub(super) trap: Option<TrapKind>,
}

/// A block of the flat function, and the mask at its end.
pub(super) type Straight = SmallVec<[(Block, Option<Mask>); 2]>;

/// The blocks of a flat function, in order: only `NextBlock`, `if mask { discard }` and `if mask { trap }` between
/// them.
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
                let ends = |arm: Block| only(body, arm, |exit| matches!(exit, Exit::Discard | Exit::Trap(_)));
                let stays = |arm: Block| only(body, arm, |exit| matches!(exit, Exit::Merge(_)));
                let (arm, when) = match () {
                    () if ends(then) && stays(otherwise) => (then, true),
                    () if stays(then) && ends(otherwise) => (otherwise, false),
                    () => return Err(not_flat("a conditional", data.exit_span)),
                };
                let trap = if let Exit::Trap(kind) = body.blocks[arm].exit { Some(kind) } else { None };
                blocks.push((at, Some(Mask { condition, when, trap })));
                at = merge;
            }
            Exit::If { .. } => return Err(not_flat("a conditional", data.exit_span)),
            Exit::Loop { .. } | Exit::DoLoop { .. } => return Err(not_flat("a loop", data.exit_span)),
            Exit::Switch { .. } => return Err(not_flat("a `switch`", data.exit_span)),
            Exit::Labelled { .. } => return Err(not_flat("a block that is left early", data.exit_span)),
            Exit::Discard => return Err(not_flat("a `discard` without a condition", data.exit_span)),
            Exit::Trap(_) => return Err(not_flat("a trap without a condition", data.exit_span)),
            _ => return Err(not_flat("a jump", data.exit_span)),
        }
    }
}

/// Whether a block is empty and ends with such an exit.
fn only(body: &Body, block: Block, exit: impl Fn(&Exit) -> bool) -> bool {
    let data = &body.blocks[block];
    exit(&data.exit)
        && data.nodes.iter().all(|&n| body.node(n).op.is_droppable(body.node(n).imm))
        && data.inputs.is_empty()
}

fn not_flat(what: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("{what} in a dataflow graph, which has no control flow");
    Box::new(Diagnostic::error(Code::E0608, span, message).help("flatten the function first: `--flatten`"))
}
