//! Barriers.

use planish_back_shading::ops::next_op;
use planish_back_text::effects::node_effects;
use planish_back_text::tree::Stmt;
use planish_ir::diagnostic::Code;
use planish_ir::entity::Node;
use planish_ir::function::Exit;
use planish_ir::ops::Op;
use planish_ir::walk;

use crate::language::Lower;

/// Writes a barrier; false for other nodes.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    match l.body.node(node).op {
        Op::ControlBarrier => {
            if !refuse(l, node) {
                of_work_group(l, node);
            }
            true
        }
        Op::SubgroupBarrier => {
            if refuse(l, node) {
                return true;
            }
            if gets_everyone(l, node) {
                of_work_group(l, node);
            } else {
                let message = "WGSL has no barrier of a subgroup; that of the work group takes its place only outside of branches, loops and \
                               functions, and before no other `return`";
                let span = l.span;
                l.w.error(Code::E0604, span, message.to_owned());
            }
            true
        }
        Op::MemoryBarrier => {
            if refuse(l, node) {
                return true;
            }
            // The barriers of WGSL synchronize execution and memory at once.
            if !matches!(next_op(l, node), Some(Op::ControlBarrier | Op::MemoryBarrier)) {
                let span = l.span;
                let message = "WGSL has no memory barrier without a `barrier()` after it".to_owned();
                l.w.error(Code::E0604, span, message);
            }
            true
        }
        _ => false,
    }
}

/// The barriers of WGSL are for memory of one kind each.
fn of_work_group(l: &mut Lower<'_, '_>, node: Node) {
    for name in ["storageBarrier", "workgroupBarrier"] {
        write(l, node, name);
    }
}

/// Whether all invocations of the work group get to a node: it is in an entry point, in none of its constructs, and nothing returns before.
/// Then a barrier of the work group is one of each subgroup, too.
fn gets_everyone(l: &Lower<'_, '_>, node: Node) -> bool {
    let is_entry = l.w.entries.iter().any(|entry| entry.func == l.func);
    let (mut block, mut is_outside) = (l.body.entry, false);
    loop {
        is_outside |= l.body.blocks[block].nodes.contains(&node);
        let Some(merge) = l.body.blocks[block].exit.merge_block() else { break };
        block = merge;
    }
    let returns = |b: &planish_ir::entity::Block| *b != block && matches!(l.body.blocks[*b].exit, Exit::Return(_));
    is_entry && is_outside && !walk::blocks(l.body).any(|b| returns(&b))
}

fn write(l: &mut Lower<'_, '_>, node: Node, name: &'static str) {
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    l.begin();
    l.order(&own);
    let e = l.w.tree.builtin(name, &[]);
    l.push(Stmt::Expr(e));
}

fn refuse(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let Some(stage) = l.w.drawing_stage(l.func) else { return false };
    let span = l.body.node(node).span;
    l.w.error(Code::E0604, span, format!("WGSL has no barriers in the {} stage", stage.name()));
    true
}
