//! First values: a variable of the IR is zero until it is written, one of HLSL is anything, and reading it may be an error.
//! Only those that certainly are written before they are read go without.

use planish_back_text::Written;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, List, Stmt, Symbol};
use planish_ir::function::Direction;

use crate::aggregates::zero;
use crate::language::Writer;

/// Use of a variable along all paths through some statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// None.
    None,
    /// All paths write it first.
    Written,
    /// None, and no path comes to the end.
    Left,
    /// A path may read it first, or leave the function without a value of its result.
    Read,
}

/// Gives variables their first values, and parameters by which functions only write.
pub(crate) fn zeros(w: &mut Writer<'_>, functions: &[Written]) {
    for function in functions {
        let mut lists = vec![function.body];
        while let Some(list) = lists.pop() {
            let stmts = w.tree.list(list).to_vec();
            for (i, stmt) in stmts.iter().enumerate() {
                lists.extend(stmt.lists());
                if let Stmt::Decl(Decl { init: None, symbol, ty, .. }) = *stmt {
                    let is_read = {
                        let flow = Flow { w, functions, symbol, is_result: false };
                        flow.of(&stmts[i + 1..]) == Use::Read
                    };
                    if is_read {
                        let zero = zero(w, ty);
                        if let Stmt::Decl(decl) = &mut w.tree.list_mut(list)[i] {
                            decl.init = Some(zero);
                        }
                    }
                }
            }
        }
        results(w, functions, function);
    }
}

/// `x = (float3)0;` at the begin of a function for each `out` parameter that some path leaves alone.
fn results(w: &mut Writer<'_>, functions: &[Written], function: &Written) {
    let module = w.module;
    let data = &module.funcs[function.func];
    let of_pointers = data.params.iter().zip(&function.params).filter(|(p, _)| p.direction == Direction::Out);
    let of_pointers = of_pointers.map(|(p, &symbol)| (symbol, module.types.pointee(p.ty).map_or(p.ty, |(ty, _)| ty)));
    let of_results = function.result_params.iter().zip(data.results.iter().skip(1)).map(|(&s, r)| (s, r.ty));
    let all: Vec<_> = of_pointers.chain(of_results).collect();
    let mut first = vec![];
    for (symbol, ty) in all {
        let is_written = {
            let flow = Flow { w, functions, symbol, is_result: true };
            matches!(flow.of(w.tree.list(function.body)), Use::Written | Use::Left)
        };
        if !is_written && !module.types.is_opaque(ty) {
            let value = zero(w, ty);
            let target = w.tree.name(symbol);
            first.push(Stmt::Assign { target, op: None, value });
        }
    }
    if !first.is_empty() {
        first.extend(w.tree.list(function.body).iter().cloned());
        w.tree.set_list(function.body, first);
    }
}

struct Flow<'a, 'm> {
    w: &'a Writer<'m>,
    functions: &'a [Written],
    symbol: Symbol,
    /// A path that returns has to write it.
    is_result: bool,
}

impl Flow<'_, '_> {
    fn mentions(&self, e: Expr) -> bool {
        self.w.tree.mentioned(e).contains(&self.symbol)
    }

    fn is_it(&self, e: Expr) -> bool {
        self.w.tree.kind(e) == ExprKind::Name(self.symbol)
    }

    /// Recursion: over nested statements, whose depth lowering bounds.
    fn of(&self, stmts: &[Stmt]) -> Use {
        for stmt in stmts {
            let of_stmt = self.of_one(stmt);
            if of_stmt != Use::None {
                return of_stmt;
            }
        }
        Use::None
    }

    fn list(&self, list: List) -> Use {
        self.of(self.w.tree.list(list))
    }

    fn of_one(&self, stmt: &Stmt) -> Use {
        let mut is_mentioned = false;
        stmt.for_each_expr(|e| is_mentioned |= self.mentions(e));
        match stmt {
            Stmt::Assign { target, op: None, value } if self.is_it(*target) && !self.mentions(*value) => Use::Written,
            Stmt::Expr(e) | Stmt::Assign { op: None, value: e, .. } if self.is_written_by(*e) => Use::Written,
            Stmt::Decl(Decl { init: Some(e), .. }) if self.is_written_by(*e) => Use::Written,
            _ if is_mentioned => Use::Read,
            Stmt::If { then, otherwise, .. } => joined(&[self.list(*then), self.list(*otherwise)]),
            Stmt::Switch { cases, .. } => {
                // The end of a case is a `break`, which leaves the switch, not the statements around it.
                let mut all: Vec<Use> = cases.iter().map(|case| self.of_case(case.body)).collect();
                if !cases.iter().any(|case| case.is_default) {
                    all.push(Use::None);
                }
                joined(&all)
            }
            Stmt::Return(_) if self.is_result => Use::Read,
            Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Discard | Stmt::Trap(_) => Use::Left,
            stmt => match stmt.lists().iter().any(|&list| self.touches(list)) {
                true => Use::Read,
                false => Use::None,
            },
        }
    }

    fn of_case(&self, list: List) -> Use {
        match self.list(list) {
            Use::Left if matches!(self.w.tree.list(list).last(), Some(Stmt::Break(None))) => Use::None,
            other => other,
        }
    }

    /// Whether anything in a list mentions the variable, or returns where that matters.
    fn touches(&self, list: List) -> bool {
        let mut lists = vec![list];
        while let Some(list) = lists.pop() {
            for stmt in self.w.tree.list(list) {
                lists.extend(stmt.lists());
                let mut found = self.is_result && matches!(stmt, Stmt::Return(_));
                stmt.for_each_expr(|e| found |= self.mentions(e));
                if found {
                    return true;
                }
            }
        }
        false
    }

    /// Whether an expression is a call that writes the variable by an `out` argument, and mentions it nowhere else.
    fn is_written_by(&self, e: Expr) -> bool {
        let tree = &self.w.tree;
        let ExprKind::Call(callee, args) = tree.kind(e) else { return false };
        let args = tree.args(args);
        let mentions = args.iter().filter(|&&a| self.mentions(a)).count();
        let Some(at) = args.iter().position(|&a| self.is_it(a)) else { return false };
        let is_out = match callee {
            Callee::BuiltIn(name) | Callee::Method(name) => name.starts_with("Interlocked") && at + 1 == args.len(),
            Callee::User(symbol) => {
                let is_helper = self.w.language.helpers.iter().any(|h| h.1 == symbol);
                let is_it = |f: &&Written| self.w.known_func(f.func) == Some(symbol);
                let param = self.functions.iter().find(is_it).map(|f| &self.w.module.funcs[f.func].params);
                is_helper || param.is_some_and(|params| params.get(at).is_none_or(|p| p.direction == Direction::Out))
            }
            _ => false,
        };
        mentions == 1 && is_out
    }
}

/// Several paths that meet.
fn joined(uses: &[Use]) -> Use {
    let all = |of: &[Use]| uses.iter().all(|u| of.contains(u));
    if all(&[Use::Left]) {
        return Use::Left;
    }
    if all(&[Use::Written, Use::Left]) {
        return Use::Written;
    }
    // A value on some paths only is not known to be read on the others.
    if all(&[Use::None, Use::Left]) { Use::None } else { Use::Read }
}
