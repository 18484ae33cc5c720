//! The nesting depth of the output. Readers of GLSL recurse, our own among them, and bound it.

use planish_ir::function::{Body, Exit};
use planish_ir::source::Span;
use planish_ir::walk::{self, Event};
use planish_target::jumps;

use crate::tree::{List, Stmt, Tree};

/// Maximum nesting depth of statements. Our reader takes 256 levels, of which `if (…) {` are two, and expressions need
/// some.
pub(crate) const MOST: usize = 110;

/// Whether statements nest deeper than [`MOST`]; an `else if` is as deep as its `if`.
pub(crate) fn is_too_deep(tree: &Tree, body: List) -> bool {
    let mut open = vec![(body, 0)];
    while let Some((list, depth)) = open.pop() {
        if depth > MOST {
            return true;
        }
        for stmt in tree.list(list) {
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    open.push((*then, depth + 1));
                    let is_ladder = matches!(tree.list(*otherwise), [Stmt::If { .. }]);
                    open.push((*otherwise, if is_ladder { depth } else { depth + 1 }));
                }
                Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => {
                    open.push((*body, depth + 1));
                }
                Stmt::Switch { cases, .. } => open.extend(cases.iter().map(|case| (case.body, depth + 1))),
                _ => {}
            }
        }
    }
    false
}

/// The place of the first construct that is that deep.
pub(crate) fn place(body: &Body) -> Span {
    let mut parents = walk::events(body, body.entry).filter_map(|event| match event {
        Event::Enter { parent, depth, .. } if depth as usize > MOST => Some(parent),
        _ => None,
    });
    parents.next().map_or(Span::NONE, |parent| body.blocks[parent].exit_span)
}

/// The place of a loop or block that is deeper than [`MOST`] however the `if`s around it are written. Checked before
/// the function is lowered, as each jump over several constructs adds a test after each.
pub(crate) fn certainly_too_deep(body: &Body) -> Option<Span> {
    let left = jumps::broken(body);
    walk::deeper_than(body, MOST, |owner| match body.blocks[owner].exit {
        Exit::Loop { .. } | Exit::DoLoop { .. } => true,
        Exit::Labelled { .. } => left[owner],
        _ => false,
    })
}
