//! The last changes of a written function: what Rust requires, and what its compiler warns of.

use planish_back_text::Written;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, List, Stmt, Symbol, Tree};
use planish_ir::entity::Type;
use planish_ir::ops::Op;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashSet;

use crate::flow::{self, Variables};
use crate::writer::Writer;

/// Changes a function; returns the variables that nothing reads.
///
/// - Results of functions that may trap are `Ok`.
/// - Variables have a first value if they may be read before they are assigned to, and `mut` if they are assigned to again.
pub(crate) fn run(w: &mut Writer<'_>, function: &mut Written) -> Vec<Symbol> {
    remove_unreachable(&mut w.tree, function.body);
    remove_labels(&mut w.tree, function.body);
    simplify_expressions(w, function.body);
    if w.trapping.contains(&function.func) {
        wrap_results(w, function);
    }
    let lists = lists_of(&w.tree, function.body);
    if w.known_func(function.func).is_some_and(|symbol| calls_at_once(&w.tree, function.body, symbol)) {
        w.calling_themselves.insert(function.func);
    }
    declare(w, function, &lists);
    if sees_stack(w, function) {
        let call = w.tree.builtin("self.see_to_stack", &[]);
        let mut stmts = vec![Stmt::Expr(w.tree.add(ExprKind::Postfix("?", call)))];
        stmts.extend(w.tree.list(function.body).to_vec());
        w.tree.set_list(function.body, stmts);
    }
    let mut read = FxHashSet::default();
    let mut declared = function.params.clone();
    for stmt in lists.iter().flat_map(|&list| w.tree.list(list)) {
        // (`x += y` alone is no use of `x`.)
        flow::reads(&w.tree, stmt, false, |symbol| _ = read.insert(symbol));
        match stmt {
            Stmt::Decl(decl) => declared.push(decl.symbol),
            Stmt::Results { symbol, .. } => declared.push(*symbol),
            _ => {}
        }
    }
    let variables = Variables::new(&w.tree, &lists, &function.params);
    if flow::has_dead_stores(&w.tree, &variables, &read, &function.params, function.body) {
        w.with_dead_stores.insert(function.func);
    }
    declared.retain(|&symbol| !read.contains(&symbol) && &*w.name(symbol) != "_");
    swap(&mut w.tree, &lists);
    declared
}

/// `core::mem::swap` for the exchange of two variables by a third, which the copies at the end of an iteration make. After the checks
/// of variables, which know assignments only.
fn swap(tree: &mut Tree, lists: &[List]) {
    let name = |tree: &Tree, e: Expr| if let ExprKind::Name(symbol) = tree.kind(e) { Some(symbol) } else { None };
    let swapped = |tree: &Tree, stmts: &[Stmt]| {
        let [
            Stmt::Decl(Decl { symbol: third, init: Some(init), is_assigned: false, .. }),
            Stmt::Assign { target: a, op: None, value: b },
            Stmt::Assign { target: last, op: None, value: kept },
        ] = *stmts
        else {
            return None;
        };
        let (first, second) = (name(tree, a)?, name(tree, b)?);
        let is_swap = name(tree, init) == Some(first) && name(tree, last) == Some(second);
        (is_swap && name(tree, kept) == Some(third)).then_some((third, a, b))
    };
    for &list in lists {
        let mut at = 0;
        while let Some(stmts) = tree.list(list).get(at..at + 3) {
            // The third is read nowhere else: a list is all that sees it.
            if let Some((third, a, b)) = swapped(tree, stmts)
                && !tree.list(list)[at + 3..].iter().any(|stmt| mentions(tree, stmt, third))
            {
                let args = [a, b].map(|e| tree.address_of(e));
                let call = tree.builtin("core::mem::swap", &args);
                let mut stmts = tree.list(list).to_vec();
                stmts.splice(at..at + 3, [Stmt::Expr(call)]);
                tree.set_list(list, stmts);
            }
            at += 1;
        }
    }
}

/// Whether a statement, or one within it, mentions a variable.
fn mentions(tree: &Tree, stmt: &Stmt, symbol: Symbol) -> bool {
    let own = |stmt: &Stmt| {
        let mut found = false;
        stmt.for_each_expr(|e| found |= tree.mentioned(e).contains(&symbol));
        found
    };
    let inner = stmt.lists().into_iter().flat_map(|list| lists_of(tree, list));
    own(stmt) || inner.flat_map(|list| tree.list(list)).any(own)
}

/// Puts the statements of labels that nothing jumps to in their place.
fn remove_labels(tree: &mut Tree, body: List) {
    let lists = lists_of(tree, body);
    let stmts = lists.iter().flat_map(|&list| tree.list(list));
    let used: FxHashSet<Symbol> = stmts
        .filter_map(|stmt| match stmt {
            Stmt::Break(label) | Stmt::Continue(label) => *label,
            _ => None,
        })
        .collect();
    let is_unused = |stmt: &Stmt| matches!(stmt, Stmt::Labelled { label, .. } if !used.contains(label));
    for list in lists {
        while tree.list(list).iter().any(is_unused) {
            let mut stmts = Vec::new();
            for stmt in tree.list(list) {
                match stmt {
                    Stmt::Labelled { body, .. } if is_unused(stmt) => stmts.extend(tree.list(*body).iter().cloned()),
                    _ => stmts.push(stmt.clone()),
                }
            }
            tree.set_list(list, stmts);
        }
    }
}

/// Gives declarations without a value one, or leaves it to the assignments.
fn declare(w: &mut Writer<'_>, function: &mut Written, lists: &[List]) {
    let assigned: FxHashSet<Symbol> =
        lists.iter().flat_map(|&list| w.tree.list(list)).filter_map(|stmt| target(&w.tree, stmt)).collect();
    function.mutable_params.retain(|param| assigned.contains(param));
    let variables = Variables::new(&w.tree, lists, &function.params);
    let found = flow::undefined(&w.tree, &variables, &function.params, function.body);
    for &list in lists {
        let mut stmts = w.tree.list(list).to_vec();
        for stmt in &mut stmts {
            let Stmt::Decl(decl) = stmt else { continue };
            decl.is_assigned = assigned.contains(&decl.symbol);
            if decl.init.is_some() {
                continue;
            }
            match &found {
                Some(found) if !found.read_early.contains(&decl.symbol) => {
                    decl.is_assigned = found.assigned_again.contains(&decl.symbol);
                }
                _ => decl.init = Some(zero(w, decl.ty)),
            }
        }
        w.tree.set_list(list, stmts);
    }
}

/// The variable that a statement assigns to.
fn target(tree: &Tree, stmt: &Stmt) -> Option<Symbol> {
    match *stmt {
        Stmt::Assign { target, .. } => tree.root(target),
        _ => None,
    }
}

/// Removes expressions whose value nothing needs, and takes the values of others: the compiler wants them used.
fn simplify_expressions(w: &mut Writer<'_>, body: List) {
    for list in lists_of(&w.tree, body) {
        if !w.tree.list(list).iter().any(|stmt| matches!(stmt, Stmt::Expr(_))) {
            continue;
        }
        let mut stmts = Vec::new();
        for stmt in w.tree.list(list).to_vec() {
            match stmt {
                Stmt::Expr(e) if !has_effects(&w.tree, e) => {}
                Stmt::Expr(e) if !is_effect(w.tree.kind(e)) => {
                    let symbol = w.tree.add_named("_");
                    stmts.push(Stmt::Decl(Decl { is_assigned: false, ..Decl::plain(symbol, Type::I32, Some(e)) }));
                }
                _ => stmts.push(stmt),
            }
        }
        w.tree.set_list(list, stmts);
    }
}

/// Whether an expression itself has an effect: it may leave the function, calls one, writes a slice, or changes the state.
fn is_effect(kind: ExprKind) -> bool {
    match kind {
        ExprKind::Postfix("?", _) => true,
        ExprKind::Call(callee, _) => matches!(
            callee,
            Callee::User(_) | Callee::BuiltIn("set_element" | "core::mem::take") | Callee::Method("grow")
        ),
        _ => false,
    }
}

/// Whether a function sees to the stack: it is one of an instance, and calls others.
pub(crate) fn sees_stack(w: &Writer<'_>, function: &Written) -> bool {
    let Some(body) = &w.module.funcs[function.func].body else { return false };
    let is_call = |op: Op| matches!(op, Op::Call | Op::TailCall | Op::CallIndirect | Op::TailCallIndirect);
    w.state.is_instance() && body.nodes().any(|(_, data)| is_call(data.op))
}

/// Whether an expression calls a function of the program, or may trap.
fn has_effects(tree: &Tree, e: Expr) -> bool {
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if is_effect(tree.kind(e)) {
            return true;
        }
        tree.children(e, |child| stack.push(child));
    }
    false
}

fn zero(w: &mut Writer<'_>, ty: Type) -> Expr {
    let kind = match w.module.types[ty] {
        TypeKind::Scalar(Scalar::Bool) => ExprKind::Bool(false),
        TypeKind::Scalar(Scalar::F32 | Scalar::F64) => ExprKind::Float(0.0),
        TypeKind::FuncRef | TypeKind::ExternRef => return w.fixed("None"),
        _ => ExprKind::Int(0),
    };
    w.tree.add(kind)
}

/// `Ok(x)` for results.
fn wrap_results(w: &mut Writer<'_>, function: &Written) {
    for list in lists_of(&w.tree, function.body) {
        let mut stmts = w.tree.list(list).to_vec();
        for stmt in &mut stmts {
            let Stmt::Return(value) = stmt else { continue };
            *value = Some(match *value {
                Some(e) if w.errors_out.contains(&e) => continue,
                // `f()?` is what `f` gives.
                Some(e) if let ExprKind::Postfix("?", call) = w.tree.kind(e) => call,
                Some(e) => w.tree.builtin("Ok", &[e]),
                None => w.fixed("Ok(())"),
            });
        }
        w.tree.set_list(list, stmts);
    }
    if w.module.funcs[function.func].results.is_empty() && may_end(&w.tree, function.body) {
        let mut stmts = w.tree.list(function.body).to_vec();
        let done = w.fixed("Ok(())");
        stmts.push(Stmt::Return(Some(done)));
        w.tree.set_list(function.body, stmts);
    }
}

/// Removes statements after one that control never gets behind.
fn remove_unreachable(tree: &mut Tree, body: List) {
    // Inner lists first: how they end says whether their statement does.
    for list in lists_of(tree, body).into_iter().rev() {
        let stmts = tree.list(list);
        if let Some(last) = stmts.iter().position(|stmt| !goes_on(tree, stmt))
            && last + 1 < stmts.len()
        {
            let kept = stmts[..=last].to_vec();
            tree.set_list(list, kept);
        }
    }
}

/// Whether a statement outside of others calls a function.
fn calls_at_once(tree: &Tree, body: List, callee: Symbol) -> bool {
    let mut stack: Vec<Expr> = Vec::new();
    tree.list(body).iter().for_each(|stmt| stmt.for_each_expr(|e| stack.push(e)));
    while let Some(e) = stack.pop() {
        if matches!(tree.kind(e), ExprKind::Call(Callee::User(symbol), _) if symbol == callee) {
            return true;
        }
        tree.children(e, |child| stack.push(child));
    }
    false
}

/// Whether control may get to the end of a list, as the compiler sees it.
/// Recursion: over the statements' nesting, which lowering bounds.
fn may_end(tree: &Tree, list: List) -> bool {
    tree.list(list).last().is_none_or(|stmt| goes_on(tree, stmt))
}

/// Whether control may get behind a statement.
/// Recursion: see [`may_end`].
fn goes_on(tree: &Tree, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Trap(_) => false,
        Stmt::If { then, otherwise, .. } => may_end(tree, *then) || may_end(tree, *otherwise),
        Stmt::Switch { cases, .. } => {
            !cases.iter().any(|case| case.is_default) || cases.iter().any(|case| may_end(tree, case.body))
        }
        Stmt::While { condition, body } => {
            !matches!(tree.kind(*condition), ExprKind::Bool(true)) || breaks(tree, *body, None)
        }
        Stmt::Labelled { label, body } => may_end(tree, *body) || breaks(tree, *body, Some(*label)),
        _ => true,
    }
}

/// Whether a list leaves the loop around it, or the construct of a label.
fn breaks(tree: &Tree, list: List, label: Option<Symbol>) -> bool {
    let mut stack = vec![list];
    while let Some(list) = stack.pop() {
        for stmt in tree.list(list) {
            match stmt {
                Stmt::Break(target) if *target == label => return true,
                // Its breaks without a label are its own.
                Stmt::While { .. } if label.is_none() => {}
                _ => stack.extend(stmt.lists()),
            }
        }
    }
    false
}

/// All lists of a body.
pub(crate) fn lists_of(tree: &Tree, body: List) -> Vec<List> {
    let mut all = vec![body];
    let mut at = 0;
    while let Some(&list) = all.get(at) {
        at += 1;
        all.extend(tree.list(list).iter().flat_map(Stmt::lists));
    }
    all
}

/// Whether a function compares a number with the least or the greatest of its type, which the compiler warns of.
pub(crate) fn compares_with_limits(w: &Writer<'_>, function: &Written) -> bool {
    let is_limit = |e: Expr| match w.tree.kind(e) {
        ExprKind::Int(0) | ExprKind::Uint(0) => true,
        ExprKind::Literal(c) => w.module.consts.as_bits(c).is_some_and(|bits| match w.scalar(w.module.consts[c].ty) {
            Some(Scalar::I32 | Scalar::U32) => matches!(bits as u32, 0 | 0x7fff_ffff | 0x8000_0000 | u32::MAX),
            Some(Scalar::I64 | Scalar::U64) => {
                matches!(bits, 0 | 0x7fff_ffff_ffff_ffff | 0x8000_0000_0000_0000 | u64::MAX)
            }
            _ => false,
        }),
        _ => false,
    };
    let is_unsigned = |e: Expr| match w.tree.kind(e) {
        ExprKind::Literal(c) => matches!(w.scalar(w.module.consts[c].ty), Some(Scalar::U32 | Scalar::U64)),
        ExprKind::Uint(_) => true,
        _ => false,
    };
    let compares = |kind: ExprKind| match kind {
        ExprKind::Infix(Infix::Lt | Infix::Le | Infix::Gt | Infix::Ge, a, b) => {
            // Zero is a limit of unsigned numbers only.
            let found = |e: Expr| is_limit(e) && (is_unsigned(e) || !is_zero(w, e));
            found(a) || found(b)
        }
        _ => false,
    };
    expressions(&w.tree, function).into_iter().any(compares)
}

/// Whether two arms of an `if`, one after the other, are the same: of the program's own, at `-O0`.
pub(crate) fn has_same_arms(tree: &Tree, function: &Written) -> bool {
    // The arm after `then`: that of an `else if`, or `else`.
    let next = |list: List| match tree.list(list) {
        [Stmt::If { then, .. }] => *then,
        _ => list,
    };
    let has = |stmt: &Stmt| match *stmt {
        Stmt::If { then, otherwise, .. } => tree.are_same(then, next(otherwise)),
        _ => false,
    };
    let chooses = |kind: ExprKind| match kind {
        ExprKind::Ternary(_, then, otherwise) => match tree.kind(otherwise) {
            ExprKind::Ternary(_, next, _) => tree.is_same(then, next),
            _ => tree.is_same(then, otherwise),
        },
        _ => false,
    };
    lists_of(tree, function.body).into_iter().any(|list| tree.list(list).iter().any(has))
        || expressions(tree, function).into_iter().any(chooses)
}

fn is_zero(w: &Writer<'_>, e: Expr) -> bool {
    match w.tree.kind(e) {
        ExprKind::Int(number) => number == 0,
        ExprKind::Uint(number) => number == 0,
        ExprKind::Literal(c) => w.module.consts.as_bits(c) == Some(0),
        _ => false,
    }
}

/// All expressions of a function.
pub(crate) fn expressions(tree: &Tree, function: &Written) -> Vec<ExprKind> {
    let mut found = Vec::new();
    let mut stack: Vec<Expr> = Vec::new();
    for list in lists_of(tree, function.body) {
        tree.list(list).iter().for_each(|stmt| stmt.for_each_expr(|e| stack.push(e)));
    }
    while let Some(e) = stack.pop() {
        found.push(tree.kind(e));
        tree.children(e, |child| stack.push(child));
    }
    found
}

/// The functions that a function calls.
pub(crate) fn callees(tree: &Tree, function: &Written) -> Vec<Symbol> {
    let callee = |kind| if let ExprKind::Call(Callee::User(symbol), _) = kind { Some(symbol) } else { None };
    expressions(tree, function).into_iter().filter_map(callee).collect()
}
