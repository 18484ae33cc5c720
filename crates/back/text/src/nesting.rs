//! The nesting depth of the output. Readers of programs recurse, our own among them, and bound it.

use planish_ir::function::{Body, Exit};
use planish_ir::source::Span;
use planish_ir::walk::{self, Event};
use planish_target::jumps;

use crate::tree::{List, Stmt, Tree};

/// Whether statements nest deeper than `most`; an `else if` is as deep as its `if`.
pub(crate) fn is_too_deep(tree: &Tree, body: List, most: usize) -> bool {
    let mut open = vec![(body, 0)];
    while let Some((list, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        for stmt in tree.list(list) {
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    open.push((*then, depth + 1));
                    let is_ladder = matches!(tree.list(*otherwise), [Stmt::If { .. }]);
                    open.push((*otherwise, if is_ladder { depth } else { depth + 1 }));
                }
                _ => open.extend(stmt.lists().into_iter().map(|list| (list, depth + 1))),
            }
        }
    }
    false
}

/// The place of the first construct that is that deep.
pub(crate) fn place(body: &Body, most: usize) -> Span {
    let mut parents = walk::events(body, body.entry).filter_map(|event| match event {
        Event::Enter { parent, depth, .. } if depth as usize > most => Some(parent),
        _ => None,
    });
    parents.next().map_or(Span::NONE, |parent| body.blocks[parent].exit_span)
}

/// The place of a loop or block that is deeper than `most` however the `if`s around it are written. Checked before
/// the function is lowered, as each jump over several constructs adds a test after each.
pub(crate) fn certainly_too_deep(body: &Body, most: usize) -> Option<Span> {
    let left = jumps::broken(body);
    walk::deeper_than(body, most, |owner| match body.blocks[owner].exit {
        Exit::Loop { .. } | Exit::DoLoop { .. } => true,
        Exit::Labelled { .. } => left[owner],
        _ => false,
    })
}
