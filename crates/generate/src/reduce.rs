//! Shrinks a failing program: statements are removed or replaced by their substatements, expressions by their operands
//! or by zero, functions and declarations removed.

use crate::print::zero;
use crate::program::{Expr, Program, Stmt, Ty};

/// The smallest program found for which `fails` returns true. `fails` must return false for invalid programs, which a
/// step may produce. Calls `fails` at most `budget` times.
pub fn reduce(program: &Program, budget: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = budget;
    loop {
        let mut shrunk = false;
        let mut step = 0;
        while left > 0 {
            // Step `n` changes position `n`; one past the last changes nothing.
            let Some(candidate) = change(&best, step) else { break };
            left -= 1;
            if candidate != best && fails(&candidate) {
                best = candidate;
                shrunk = true;
            } else {
                step += 1;
            }
        }
        if !shrunk || left == 0 {
            return best;
        }
    }
}

/// The program made smaller at position `step`; `None` if there are fewer positions.
fn change(program: &Program, step: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut left = step;
    let functions = program.functions.len();
    for i in 0..functions.saturating_sub(1) {
        if take(&mut left) {
            program.functions.remove(i);
            return Some(program);
        }
    }
    for i in 0..program.globals.len() {
        if take(&mut left) {
            program.globals.remove(i);
            return Some(program);
        }
    }
    for i in 0..program.uniforms.len() {
        if take(&mut left) {
            program.uniforms.remove(i);
            return Some(program);
        }
    }
    let structs = program.structs.clone();
    for function in &mut program.functions {
        if change_block(&mut function.body, &mut left, &structs)
            || function.value.as_mut().is_some_and(|v| change_expr(v, &mut left, &structs))
        {
            return Some(program);
        }
    }
    None
}

/// Whether this is the position.
fn take(left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}

type Structs = [Vec<(Ty, String)>];

/// Recursion: as deep as statements nest, at most `MAX_NESTING`.
fn change_block(stmts: &mut Vec<Stmt>, left: &mut usize, structs: &Structs) -> bool {
    for i in 0..stmts.len() {
        if take(left) {
            stmts.remove(i);
            return true;
        }
        if take(left) {
            let inner = inside(&stmts[i]);
            stmts.splice(i..=i, inner);
            return true;
        }
        if change_stmt(&mut stmts[i], left, structs) {
            return true;
        }
    }
    false
}

/// The substatements of a compound statement, to replace it.
fn inside(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::If(_, then, otherwise) => then.iter().chain(otherwise).cloned().collect(),
        Stmt::For(_, _, body) | Stmt::While(_, _, body) | Stmt::DoWhile(_, _, body) | Stmt::Block(body) => body.clone(),
        Stmt::Switch(_, cases) => cases.iter().flat_map(|c| c.0.clone()).collect(),
        _ => vec![stmt.clone()],
    }
}

fn change_stmt(stmt: &mut Stmt, left: &mut usize, structs: &Structs) -> bool {
    match stmt {
        Stmt::Declare(_, _, value) => value.as_mut().is_some_and(|v| change_expr(v, left, structs)),
        Stmt::Expr(Expr::Binary(_, op, _, value)) if op.ends_with('=') => change_expr(value, left, structs),
        Stmt::Expr(e) | Stmt::Break(e) | Stmt::Continue(e) | Stmt::Discard(e) => change_expr(e, left, structs),
        Stmt::If(c, then, otherwise) => {
            change_expr(c, left, structs) || change_block(then, left, structs) || change_block(otherwise, left, structs)
        }
        Stmt::For(_, _, body) | Stmt::While(_, _, body) | Stmt::DoWhile(_, _, body) | Stmt::Block(body) => {
            change_block(body, left, structs)
        }
        Stmt::Switch(selector, cases) => {
            change_expr(selector, left, structs) || cases.iter_mut().any(|c| change_block(&mut c.0, left, structs))
        }
        Stmt::Return(c, value) => {
            change_expr(c, left, structs) || value.as_mut().is_some_and(|v| change_expr(v, left, structs))
        }
    }
}

/// Recursion: as deep as expressions nest, which the generator bounds (`MAX_EXPRESSION`).
fn change_expr(expr: &mut Expr, left: &mut usize, structs: &Structs) -> bool {
    let ty = expr.ty();
    if !matches!(expr, Expr::Literal(..)) && take(left) {
        *expr = zero(ty, structs);
        return true;
    }
    // An operand of the same type instead of the expression.
    let same: Vec<Expr> = parts(expr).into_iter().filter(|p| p.ty() == ty).cloned().collect();
    for part in same {
        if take(left) {
            *expr = part;
            return true;
        }
    }
    match expr {
        Expr::Literal(..) | Expr::Var(..) => false,
        Expr::Prefix(_, _, x) | Expr::Postfix(_, _, x) | Expr::Field(_, x, _) => change_expr(x, left, structs),
        Expr::Binary(_, _, x, y) | Expr::Index(_, x, y) => {
            change_expr(x, left, structs) || change_expr(y, left, structs)
        }
        Expr::Ternary(c, x, y) => {
            change_expr(c, left, structs) || change_expr(x, left, structs) || change_expr(y, left, structs)
        }
        Expr::Call(_, _, args) => args.iter_mut().any(|a| change_expr(a, left, structs)),
    }
}

fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Literal(..) | Expr::Var(..) => vec![],
        Expr::Prefix(_, _, x) | Expr::Postfix(_, _, x) | Expr::Field(_, x, _) => vec![x],
        Expr::Binary(_, _, x, y) | Expr::Index(_, x, y) => vec![x, y],
        Expr::Ternary(c, x, y) => vec![c, x, y],
        Expr::Call(_, _, args) => args.iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choices, glsl};

    #[test]
    fn a_failure_shrinks_to_its_cause() {
        // The "failure": the program contains a sine.
        let fails = |p: &Program| p.to_string().contains("sin(");
        let seed = (0..).find(|&s| fails(&glsl(&mut Choices::from_seed(s)))).expect("some program takes a sine");
        let program = glsl(&mut Choices::from_seed(seed));
        let small = reduce(&program, 20_000, &mut { fails });
        assert!(fails(&small));
        assert!(small.to_string().len() < 300, "{small}");
    }
}
