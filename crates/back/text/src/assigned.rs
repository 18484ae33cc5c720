//! Which variables are assigned again after their declaration, for languages that say so: `let` and `var`, `let mut`.

use rustc_hash::FxHashSet;

use crate::lower::Written;
use crate::tree::{Expr, ExprKind, List, Stmt, Symbol, Tree};

/// Finds [`Decl::is_assigned`](crate::tree::Decl::is_assigned) and [`Written::mutable_params`] of a function. A variable
/// whose declaration has no value counts as assigned.
pub(crate) fn find(tree: &mut Tree, function: &mut Written) {
    let mut assigned: FxHashSet<Symbol> = FxHashSet::default();
    let lists = lists_of(tree, function.body);
    for &list in &lists {
        for stmt in tree.list(list) {
            if let Stmt::Assign { target, .. } = *stmt {
                assigned.extend(tree.root(target));
            }
            stmt.for_each_expr(|e| note_changes(tree, e, &mut assigned));
        }
    }
    for list in lists {
        for stmt in tree.list_mut(list) {
            if let Stmt::Decl(decl) = stmt {
                decl.is_assigned = decl.init.is_none() || assigned.contains(&decl.symbol);
            }
        }
    }
    let params = function.params.iter().copied();
    function.mutable_params = params.filter(|p| assigned.contains(p)).collect();
}

/// The list and all within its statements.
fn lists_of(tree: &Tree, body: List) -> Vec<List> {
    let mut found = vec![body];
    let mut at = 0;
    while let Some(&list) = found.get(at) {
        tree.list(list).iter().for_each(|s| found.extend(s.lists()));
        at += 1;
    }
    found
}

/// Adds the variables whose address an expression takes, or that it increments.
fn note_changes(tree: &Tree, e: Expr, assigned: &mut FxHashSet<Symbol>) {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let ExprKind::AddressOf(a) | ExprKind::Postfix("++" | "--", a) | ExprKind::Prefix("++" | "--", a) =
            tree.kind(e)
        {
            assigned.extend(tree.root(a));
        }
        tree.children(e, |child| stack.push(child));
    }
}
