//! The last changes of a written function: what C requires, and what compilers warn of.

use planish_back_text::Written;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, List, Stmt, Symbol, Tree};
use planish_ir::entity::Type;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashSet;

use crate::vectors;
use crate::writer::Writer;

/// Changes a function.
///
/// - Every variable has a first value: no path that a compiler cannot exclude reads one that has none.
/// - Parameters and variables that are not read are mentioned.
/// - A switch does not end in a label.
/// - Functions that call others see to the stack.
pub(crate) fn run(w: &mut Writer<'_>, function: &Written) {
    let lists = lists_of(&w.tree, function.body);
    let mut read = FxHashSet::default();
    for &list in &lists {
        w.tree.list(list).iter().for_each(|stmt| reads(&w.tree, stmt, &mut read));
    }
    let header = |stmt: &Stmt| if let Stmt::For { init, .. } = *stmt { Some(init) } else { None };
    let headers: FxHashSet<List> = lists.iter().flat_map(|&list| w.tree.list(list)).filter_map(header).collect();
    for &list in &lists {
        let mut stmts = Vec::with_capacity(w.tree.list(list).len());
        for mut stmt in w.tree.list(list).to_vec() {
            if let Stmt::Switch { cases, .. } = &mut stmt
                && let Some(last) = cases.last()
                && w.tree.list(last.body).is_empty()
            {
                w.tree.set_list(last.body, vec![Stmt::Break(None)]);
            }
            if let Stmt::Switch { selector, .. } = &mut stmt
                && let ExprKind::Literal(c) = w.tree.kind(*selector)
            {
                // Compilers warn of a constant that no case has.
                let symbol = w.tree.add_symbol("selector");
                stmts.push(Stmt::Decl(Decl::plain(symbol, w.module.consts[c].ty, Some(*selector))));
                *selector = w.tree.name(symbol);
            }
            let Stmt::Decl(decl) = &mut stmt else {
                if !is_idle(w, &stmt) {
                    stmts.push(used(w, stmt, &read));
                }
                continue;
            };
            let symbol = decl.symbol;
            if decl.init.is_none() {
                decl.init = Some(zero(w, decl.ty));
            }
            stmts.push(stmt);
            if !read.contains(&symbol) && !headers.contains(&list) {
                stmts.push(mention(w, symbol));
            }
        }
        w.tree.set_list(list, stmts);
    }
    let mut first = Vec::new();
    let uses_instance = w.of_instance.iter().any(|symbol| read.contains(symbol));
    if w.interface.takes_instance() && calls_any(w, function) {
        let place = w.place(function.func, w.module.funcs[function.func].span);
        let own = w.fixed("self");
        let mut args = vec![own];
        args.extend(place);
        first.push(Stmt::Expr(w.helper("see_to_stack", &args)));
    } else if w.has_instance() && !uses_instance {
        let own = w.fixed("self");
        let void = w.tree.add(ExprKind::Cast(Type::VOID, own));
        first.push(Stmt::Expr(void));
    }
    let unread: Vec<Symbol> = function.params.iter().copied().filter(|symbol| !read.contains(symbol)).collect();
    first.extend(unread.into_iter().map(|symbol| mention(w, symbol)));
    if !first.is_empty() {
        first.extend(w.tree.list(function.body).to_vec());
        w.tree.set_list(function.body, first);
    }
}

/// Whether a statement leaves a variable as it is: `x = x`, `x &= x`, `x |= x`.
fn is_idle(w: &Writer<'_>, stmt: &Stmt) -> bool {
    match *stmt {
        Stmt::Assign { target, op: None | Some(Infix::And | Infix::Or), value } => {
            matches!((w.tree.kind(target), w.tree.kind(value)), (ExprKind::Name(a), ExprKind::Name(b)) if a == b)
        }
        _ => false,
    }
}

/// A statement whose value is ignored says so: `(void)(x + y);`
fn used(w: &mut Writer<'_>, stmt: Stmt, read: &FxHashSet<Symbol>) -> Stmt {
    match stmt {
        Stmt::Results { symbol, call, .. } if !read.contains(&symbol) => Stmt::Expr(call),
        Stmt::Expr(e) => match w.tree.kind(e) {
            ExprKind::Cast(Type::VOID, _) => stmt,
            ExprKind::Cast(..) | ExprKind::Infix(..) | ExprKind::Ternary(..) => {
                Stmt::Expr(w.tree.add(ExprKind::Cast(Type::VOID, e)))
            }
            ExprKind::Prefix(text, _) if text.starts_with(['(', '-', '!', '~']) => {
                Stmt::Expr(w.tree.add(ExprKind::Cast(Type::VOID, e)))
            }
            _ => stmt,
        },
        other => other,
    }
}

/// `(void)x;`
fn mention(w: &mut Writer<'_>, symbol: Symbol) -> Stmt {
    let name = w.tree.name(symbol);
    Stmt::Expr(w.tree.add(ExprKind::Cast(Type::VOID, name)))
}

fn zero(w: &mut Writer<'_>, ty: Type) -> Expr {
    match w.module.types[ty] {
        TypeKind::Scalar(Scalar::Bool) => w.tree.add(ExprKind::Bool(false)),
        TypeKind::Scalar(Scalar::F32) => w.tree.add(ExprKind::Float(0.0)),
        TypeKind::Scalar(Scalar::F64) => w.fixed("0.0"),
        TypeKind::Scalar(Scalar::U32) => w.tree.add(ExprKind::Uint(0)),
        TypeKind::Scalar(_) | TypeKind::Token => w.tree.add(ExprKind::Int(0)),
        TypeKind::V128 => vectors::constant(w, 0),
        _ => w.fixed("NULL"),
    }
}

/// All lists of a body.
fn lists_of(tree: &Tree, body: List) -> Vec<List> {
    let mut all = vec![body];
    let mut at = 0;
    while let Some(&list) = all.get(at) {
        at += 1;
        all.extend(tree.list(list).iter().flat_map(Stmt::lists));
    }
    all
}

/// Adds the variables that a statement reads.
fn reads(tree: &Tree, stmt: &Stmt, out: &mut FxHashSet<Symbol>) {
    if let Stmt::Assign { target, op, value } = *stmt
        && let ExprKind::Name(written) = tree.kind(target)
    {
        let is_idle = matches!(op, None | Some(Infix::And | Infix::Or)) && tree.kind(value) == ExprKind::Name(written);
        out.extend(tree.mentioned(value).into_iter().filter(|_| !is_idle));
        return;
    }
    stmt.for_each_expr(|e| out.extend(tree.mentioned(e)));
}

/// Whether a function calls others.
fn calls_any(w: &Writer<'_>, function: &Written) -> bool {
    let Some(body) = &w.module.funcs[function.func].body else { return false };
    let is_call = |op: Op| matches!(op, Op::Call | Op::TailCall | Op::CallIndirect | Op::TailCallIndirect);
    body.nodes().any(|(_, data)| is_call(data.op))
}

/// The functions that a function calls.
pub(crate) fn callees(w: &Writer<'_>, function: &Written) -> Vec<Symbol> {
    let tree = &w.tree;
    let mut found = Vec::new();
    let mut stack: Vec<Expr> = Vec::new();
    for list in lists_of(tree, function.body) {
        tree.list(list).iter().for_each(|stmt| stmt.for_each_expr(|e| stack.push(e)));
    }
    while let Some(e) = stack.pop() {
        if let ExprKind::Call(Callee::User(symbol), _) = tree.kind(e) {
            found.push(symbol);
        }
        tree.children(e, |child| stack.push(child));
    }
    found
}
