//! A program as text in which statements and expressions can be found, so that it can be shrunk without knowing its language.

use std::fmt;

/// A piece of text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Part {
    /// Text that stays.
    Text(String),
    /// An expression.
    Expr(Expr),
    /// Statements, declarations or members, each on lines of its own.
    Block(Vec<Stmt>),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expr {
    /// The smallest expression of its type, by which it may be replaced; empty if nothing may replace it.
    pub(super) zero: String,
    pub(super) parts: Vec<Part>,
}

/// A statement, a declaration or a member.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Stmt(pub(super) Vec<Part>);

impl From<Expr> for Part {
    fn from(expr: Expr) -> Self {
        Part::Expr(expr)
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Part::Text(text)
    }
}

impl From<Vec<Stmt>> for Part {
    fn from(block: Vec<Stmt>) -> Self {
        Part::Block(block)
    }
}

/// The parts of a text in which each `$` stands for the next of `inner`.
pub(super) fn parts(template: &str, inner: Vec<Part>) -> Vec<Part> {
    let mut texts = template.split('$');
    let mut all = vec![Part::Text(texts.next().unwrap_or_default().into())];
    for (text, part) in texts.zip(inner) {
        all.push(part);
        all.push(Part::Text(text.into()));
    }
    debug_assert_eq!(all.len() / 2, template.matches('$').count(), "{template}");
    all
}

/// A statement of a text in which each `$` stands for the next of `inner`.
pub(super) fn stmt(template: &str, inner: Vec<Part>) -> Stmt {
    Stmt(parts(template, inner))
}

/// A statement, or another line, of which no part can be replaced.
pub(super) fn line(text: impl Into<String>) -> Stmt {
    Stmt(vec![Part::Text(text.into())])
}

/// Recursion: as deep as statements and expressions nest, which the generator bounds.
fn write(parts: &[Part], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    parts.iter().try_for_each(|part| match part {
        Part::Text(text) => f.write_str(text),
        Part::Expr(expr) => write(&expr.parts, f),
        Part::Block(block) => block.iter().try_for_each(|stmt| write(&stmt.0, f).and_then(|()| f.write_str("\n"))),
    })
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&self.0, f)
    }
}

/// Makes the statements smaller at position `left`; false, and `left` less by their number, if there are fewer positions.
///
/// Recursion: as deep as statements and expressions nest, which the generator bounds.
pub(super) fn change_block(block: &mut Vec<Stmt>, left: &mut usize) -> bool {
    for i in 0..block.len() {
        if take(left) {
            block.remove(i);
            return true;
        }
        let inner = inside(&block[i]);
        if !inner.is_empty() && take(left) {
            block.splice(i..=i, inner);
            return true;
        }
        if change_parts(&mut block[i].0, left) {
            return true;
        }
    }
    false
}

/// The statements in a statement, to replace it.
fn inside(stmt: &Stmt) -> Vec<Stmt> {
    let block = |part: &Part| if let Part::Block(block) = part { block.clone() } else { vec![] };
    stmt.0.iter().flat_map(block).collect()
}

fn change_parts(parts: &mut [Part], left: &mut usize) -> bool {
    parts.iter_mut().any(|part| match part {
        Part::Text(_) => false,
        Part::Expr(expr) => change_expr(expr, left),
        Part::Block(block) => change_block(block, left),
    })
}

fn change_expr(expr: &mut Expr, left: &mut usize) -> bool {
    let is_zero = matches!(&expr.parts[..], [Part::Text(text)] if *text == expr.zero);
    if !expr.zero.is_empty() && !is_zero {
        if take(left) {
            expr.parts = vec![Part::Text(expr.zero.clone())];
            return true;
        }
        // An operand of the same type.
        let same = |part: &Part| matches!(part, Part::Expr(inner) if inner.zero == expr.zero);
        for i in (0..expr.parts.len()).filter(|&i| same(&expr.parts[i])) {
            if take(left) {
                expr.parts = vec![expr.parts[i].clone()];
                return true;
            }
        }
    }
    change_parts(&mut expr.parts, left)
}

/// Whether this is the position.
fn take(left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    false
}
