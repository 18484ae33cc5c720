//! The output tree: GLSL statements and expressions in arenas, so that nothing here recurses with program length.

use std::sync::Arc;

use planish_ir::decoration::Precision;
use planish_ir::entity::{Const, Type};
use planish_ir::ops::Lanes;
use rustc_hash::FxHashSet;

/// An expression of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Expr(pub u32);

/// A statement list of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct List(pub u32);

/// Something with a name: variable, parameter, function, struct.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Symbol(pub u32);

/// A range of [`Tree::pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Args {
    start: u32,
    len: u32,
}

/// Infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Infix {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    And,
    Xor,
    Or,
    LogicAnd,
    LogicXor,
    LogicOr,
}

impl Infix {
    /// The text of the operator.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Infix::Mul => "*",
            Infix::Div => "/",
            Infix::Rem => "%",
            Infix::Add => "+",
            Infix::Sub => "-",
            Infix::Shl => "<<",
            Infix::Shr => ">>",
            Infix::Lt => "<",
            Infix::Gt => ">",
            Infix::Le => "<=",
            Infix::Ge => ">=",
            Infix::Eq => "==",
            Infix::Ne => "!=",
            Infix::And => "&",
            Infix::Xor => "^",
            Infix::Or => "|",
            Infix::LogicAnd => "&&",
            Infix::LogicXor => "^^",
            Infix::LogicOr => "||",
        }
    }

    /// Precedence; higher binds tighter.
    pub(crate) const fn precedence(self) -> u8 {
        match self {
            Infix::Mul | Infix::Div | Infix::Rem => 14,
            Infix::Add | Infix::Sub => 13,
            Infix::Shl | Infix::Shr => 12,
            Infix::Lt | Infix::Gt | Infix::Le | Infix::Ge => 11,
            Infix::Eq | Infix::Ne => 10,
            Infix::And => 9,
            Infix::Xor => 8,
            Infix::Or => 7,
            Infix::LogicAnd => 6,
            Infix::LogicXor => 5,
            Infix::LogicOr => 4,
        }
    }
}

/// The function that is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Callee {
    /// A built-in function of the target.
    BuiltIn(&'static str),
    /// A function of the program.
    User(Symbol),
    /// The constructor of a type.
    Type(Type),
}

/// The shape of an [`Expr`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ExprKind {
    /// A constant.
    Literal(Const),
    /// A `bool` that is in no constant table.
    Bool(bool),
    /// A small integer that is in no constant table.
    Int(i32),
    /// A float that is in no constant table.
    Float(f32),
    /// A variable.
    Name(Symbol),
    /// `-x`, `!x`, `~x`, `++x`, `--x`.
    Prefix(&'static str, Expr),
    /// `x++`, `x--`.
    Postfix(&'static str, Expr),
    /// `a op b`.
    Infix(Infix, Expr, Expr),
    /// `c ? a : b`.
    Ternary(Expr, Expr, Expr),
    /// `f(args)`.
    Call(Callee, Args),
    /// `a[i]`.
    Index(Expr, Expr),
    /// `s.member`; the struct type and the member's number.
    Member(Expr, Type, u32),
    /// `v.xyz`.
    Swizzle(Expr, Lanes),
    /// `vec3(s)` with a scalar `s`, which arithmetic may take without the constructor.
    Splat(Type, Expr),
    /// `a.length()`.
    Length(Expr),
}

/// An expression with its measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExprData {
    pub(crate) kind: ExprKind,
    /// Height of the tree, saturating.
    pub(crate) depth: u16,
    /// Names and numbers in it, saturating.
    pub(crate) leaves: u16,
}

/// A declaration of a local variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decl {
    pub(crate) symbol: Symbol,
    pub(crate) ty: Type,
    pub(crate) precision: Precision,
    pub(crate) precise: bool,
    pub(crate) is_const: bool,
    pub(crate) init: Option<Expr>,
}

/// One case of a [`Stmt::Switch`].
#[derive(Clone, Debug)]
pub(crate) struct SwitchCase {
    pub(crate) values: Vec<Const>,
    pub(crate) is_default: bool,
    pub(crate) body: List,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    Decl(Decl),
    /// `target op= value`.
    Assign {
        target: Expr,
        op: Option<Infix>,
        value: Expr,
    },
    Expr(Expr),
    If {
        condition: Expr,
        then: List,
        otherwise: List,
    },
    /// `init` holds declarations of one type, or assignments; `next` expressions and assignments.
    For {
        init: List,
        condition: Option<Expr>,
        next: List,
        body: List,
    },
    While {
        condition: Expr,
        body: List,
    },
    DoWhile {
        body: List,
        condition: Expr,
    },
    Switch {
        selector: Expr,
        cases: Vec<SwitchCase>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    Discard,
}

/// Data of a [`Symbol`].
#[derive(Clone, Debug)]
pub(crate) struct SymbolData {
    /// The preferred name.
    pub(crate) hint: Arc<str>,
    /// The name; `None` until it is assigned.
    pub(crate) name: Option<Arc<str>>,
    /// Number of mentions.
    pub(crate) count: u32,
}

/// All expressions, statement lists and symbols of one output.
#[derive(Default)]
pub(crate) struct Tree {
    exprs: Vec<ExprData>,
    pool: Vec<Expr>,
    lists: Vec<Vec<Stmt>>,
    symbols: Vec<SymbolData>,
    /// Comparisons of integers, whose negation is the opposite comparison.
    ordered: FxHashSet<Expr>,
}

impl Tree {
    /// Adds an expression.
    pub(crate) fn add(&mut self, kind: ExprKind) -> Expr {
        let id = Expr(self.exprs.len() as u32);
        self.exprs.push(ExprData { kind, depth: 0, leaves: 0 });
        let (mut depth, mut leaves) = (0, 0u16);
        self.children(id, |child| {
            let child = self.exprs[child.0 as usize];
            depth = child.depth.max(depth);
            leaves = leaves.saturating_add(child.leaves);
        });
        let data = &mut self.exprs[id.0 as usize];
        (data.depth, data.leaves) = (depth.saturating_add(1), leaves.max(1));
        id
    }

    /// The shape of an expression.
    pub(crate) fn kind(&self, e: Expr) -> ExprKind {
        self.exprs[e.0 as usize].kind
    }

    /// Its height.
    pub(crate) fn depth(&self, e: Expr) -> u16 {
        self.exprs[e.0 as usize].depth
    }

    /// Number of names and numbers in it, saturating.
    pub(crate) fn leaves(&self, e: Expr) -> u16 {
        self.exprs[e.0 as usize].leaves
    }

    /// Replaces the index of an `a[i]`.
    pub(crate) fn set_index(&mut self, e: Expr, index: Expr) {
        if let ExprKind::Index(a, _) = self.exprs[e.0 as usize].kind {
            self.exprs[e.0 as usize].kind = ExprKind::Index(a, index);
        }
    }

    /// Adds an argument list.
    pub(crate) fn add_args(&mut self, args: &[Expr]) -> Args {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    /// The expressions of an argument list.
    pub(crate) fn args(&self, args: Args) -> &[Expr] {
        &self.pool[args.start as usize..][..args.len as usize]
    }

    /// A call.
    pub(crate) fn call(&mut self, callee: Callee, args: &[Expr]) -> Expr {
        let args = self.add_args(args);
        self.add(ExprKind::Call(callee, args))
    }

    /// A call of a built-in function.
    pub(crate) fn builtin(&mut self, name: &'static str, args: &[Expr]) -> Expr {
        self.call(Callee::BuiltIn(name), args)
    }

    /// `a op b`.
    pub(crate) fn infix(&mut self, op: Infix, a: Expr, b: Expr) -> Expr {
        self.add(ExprKind::Infix(op, a, b))
    }

    /// A variable's name.
    pub(crate) fn name(&mut self, symbol: Symbol) -> Expr {
        self.add(ExprKind::Name(symbol))
    }

    /// `a < b` and the like of two integers.
    pub(crate) fn ordered_compare(&mut self, op: Infix, a: Expr, b: Expr) -> Expr {
        let e = self.infix(op, a, b);
        self.ordered.insert(e);
        e
    }

    /// `!e`, or a simpler expression of the same value.
    pub(crate) fn not(&mut self, e: Expr) -> Expr {
        if let ExprKind::Infix(op, a, b) = self.kind(e)
            && self.ordered.contains(&e)
        {
            let opposite = match op {
                Infix::Lt => Infix::Ge,
                Infix::Ge => Infix::Lt,
                Infix::Gt => Infix::Le,
                _ => Infix::Gt,
            };
            return self.ordered_compare(opposite, a, b);
        }
        let kind = match self.kind(e) {
            ExprKind::Prefix("!", inner) => return inner,
            ExprKind::Bool(b) => ExprKind::Bool(!b),
            ExprKind::Literal(Const::TRUE) => ExprKind::Bool(false),
            ExprKind::Literal(Const::FALSE) => ExprKind::Bool(true),
            // Exact for floats too: NaN is unequal.
            ExprKind::Infix(Infix::Eq, a, b) => ExprKind::Infix(Infix::Ne, a, b),
            ExprKind::Infix(Infix::Ne, a, b) => ExprKind::Infix(Infix::Eq, a, b),
            _ => ExprKind::Prefix("!", e),
        };
        self.add(kind)
    }

    /// Whether two expressions are the same variable or the same fixed part of one.
    /// Recursion: over the expressions, whose depth lowering bounds (`MOST_DEPTH`).
    pub(crate) fn is_same_place(&self, a: Expr, b: Expr) -> bool {
        match (self.kind(a), self.kind(b)) {
            (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
            (ExprKind::Swizzle(a, x), ExprKind::Swizzle(b, y)) => x == y && self.is_same_place(a, b),
            (ExprKind::Member(a, _, i), ExprKind::Member(b, _, j)) => i == j && self.is_same_place(a, b),
            _ => false,
        }
    }

    /// The variables that an expression mentions.
    pub(crate) fn mentioned(&self, e: Expr) -> Vec<Symbol> {
        let mut found = Vec::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match self.kind(e) {
                ExprKind::Name(s) => found.push(s),
                _ => self.children(e, |child| stack.push(child)),
            }
        }
        found
    }

    /// Calls `f` for each operand, in order.
    pub(crate) fn children(&self, e: Expr, mut f: impl FnMut(Expr)) {
        match self.kind(e) {
            ExprKind::Literal(_) | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Name(_) => {}
            ExprKind::Prefix(_, a)
            | ExprKind::Postfix(_, a)
            | ExprKind::Member(a, ..)
            | ExprKind::Swizzle(a, _)
            | ExprKind::Splat(_, a)
            | ExprKind::Length(a) => f(a),
            ExprKind::Infix(_, a, b) | ExprKind::Index(a, b) => [a, b].into_iter().for_each(f),
            ExprKind::Ternary(a, b, c) => [a, b, c].into_iter().for_each(f),
            ExprKind::Call(_, args) => self.args(args).iter().copied().for_each(f),
        }
    }

    /// A new list.
    pub(crate) fn add_list(&mut self, stmts: Vec<Stmt>) -> List {
        self.lists.push(stmts);
        List(self.lists.len() as u32 - 1)
    }

    /// Replaces the statements of a list.
    pub(crate) fn set_list(&mut self, list: List, stmts: Vec<Stmt>) {
        self.lists[list.0 as usize] = stmts;
    }

    /// The statements of a list.
    pub(crate) fn list(&self, list: List) -> &[Stmt] {
        &self.lists[list.0 as usize]
    }

    /// A new symbol.
    pub(crate) fn add_symbol(&mut self, hint: impl Into<Arc<str>>) -> Symbol {
        self.symbols.push(SymbolData { hint: hint.into(), name: None, count: 0 });
        Symbol(self.symbols.len() as u32 - 1)
    }

    /// A new symbol with a fixed name.
    pub(crate) fn add_named(&mut self, name: impl Into<Arc<str>>) -> Symbol {
        let symbol = self.add_symbol(name);
        let data = self.symbol_mut(symbol);
        data.name = Some(data.hint.clone());
        symbol
    }

    /// The shapes of all expressions.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = ExprKind> {
        self.exprs.iter().map(|e| e.kind)
    }

    /// Number of symbols.
    pub(crate) fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// A symbol.
    pub(crate) fn symbol(&self, symbol: Symbol) -> &SymbolData {
        &self.symbols[symbol.0 as usize]
    }

    /// A symbol, to change.
    pub(crate) fn symbol_mut(&mut self, symbol: Symbol) -> &mut SymbolData {
        &mut self.symbols[symbol.0 as usize]
    }
}
