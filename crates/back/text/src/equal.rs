//! Whether statements are the same but for the names of the variables that they declare.

use rustc_hash::FxHashMap;

use crate::tree::{Args, Callee, Expr, ExprKind, List, Stmt, Symbol, Tree};

impl Tree {
    /// Whether two lists of statements do the same.
    pub fn are_same(&self, a: List, b: List) -> bool {
        Compare { tree: self, renamed: FxHashMap::default() }.lists(a, b)
    }

    /// Whether two expressions compute the same.
    pub fn is_same(&self, a: Expr, b: Expr) -> bool {
        Compare { tree: self, renamed: FxHashMap::default() }.expressions(a, b)
    }
}

struct Compare<'t> {
    tree: &'t Tree,
    /// Variables declared in the first list, each with its counterpart in the second.
    renamed: FxHashMap<Symbol, Symbol>,
}

impl Compare<'_> {
    /// Recursion: over the statements' nesting, which lowering bounds.
    fn lists(&mut self, a: List, b: List) -> bool {
        let (a, b) = (self.tree.list(a), self.tree.list(b));
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.statements(a, b))
    }

    /// Recursion: see [`Compare::lists`].
    fn statements(&mut self, a: &Stmt, b: &Stmt) -> bool {
        let own = match (a, b) {
            (Stmt::Decl(a), Stmt::Decl(b)) => {
                self.renamed.insert(a.symbol, b.symbol);
                a.ty == b.ty && a.is_const == b.is_const && a.init.is_some() == b.init.is_some()
            }
            (Stmt::Results { symbol: a, func: f, .. }, Stmt::Results { symbol: b, func: g, .. }) => {
                self.renamed.insert(*a, *b);
                f == g
            }
            (Stmt::Assign { op: a, .. }, Stmt::Assign { op: b, .. }) => a == b,
            (Stmt::Switch { cases: a, .. }, Stmt::Switch { cases: b, .. }) => {
                let are_same = |(a, b): (&crate::tree::SwitchCase, &crate::tree::SwitchCase)| {
                    a.values == b.values && a.is_default == b.is_default && a.falls == b.falls
                };
                a.len() == b.len() && a.iter().zip(b).all(are_same)
            }
            (Stmt::Labelled { label: a, .. }, Stmt::Labelled { label: b, .. }) => {
                self.renamed.insert(*a, *b);
                true
            }
            (Stmt::Break(a), Stmt::Break(b)) | (Stmt::Continue(a), Stmt::Continue(b)) => {
                a.map(|a| self.counterpart(a)) == *b
            }
            (Stmt::Goto(a), Stmt::Goto(b)) => self.counterpart(*a) == *b,
            (Stmt::Trap(a), Stmt::Trap(b)) => a == b,
            // Names of places are used once.
            (Stmt::Label(_), _) => false,
            _ => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        own && {
            let of = |stmt: &Stmt| {
                let mut all = Vec::new();
                stmt.for_each_expr(|e| all.push(e));
                all
            };
            let ((x, y), (xs, ys)) = ((of(a), of(b)), (a.lists(), b.lists()));
            x.len() == y.len()
                && x.into_iter().zip(y).all(|(a, b)| self.expressions(a, b))
                && xs.len() == ys.len()
                && xs.into_iter().zip(ys).all(|(a, b)| self.lists(a, b))
        }
    }

    fn expressions(&self, a: Expr, b: Expr) -> bool {
        let mut stack = vec![(a, b)];
        while let Some((a, b)) = stack.pop() {
            if self.shape(a, true) != self.shape(b, false) {
                return false;
            }
            let of = |e: Expr| {
                let mut all = Vec::new();
                self.tree.children(e, |child| all.push(child));
                all
            };
            let (a, b) = (of(a), of(b));
            if a.len() != b.len() {
                return false;
            }
            stack.extend(a.into_iter().zip(b));
        }
        true
    }

    fn counterpart(&self, symbol: Symbol) -> Symbol {
        self.renamed.get(&symbol).copied().unwrap_or(symbol)
    }

    /// An expression without its operands, in the names of the second list.
    fn shape(&self, e: Expr, is_first: bool) -> ExprKind {
        let name = |symbol| if is_first { self.counterpart(symbol) } else { symbol };
        let none = Expr(0);
        match self.tree.kind(e) {
            ExprKind::Name(symbol) => ExprKind::Name(name(symbol)),
            ExprKind::Result(symbol, i) => ExprKind::Result(name(symbol), i),
            ExprKind::Prefix(op, _) => ExprKind::Prefix(op, none),
            ExprKind::Postfix(op, _) => ExprKind::Postfix(op, none),
            ExprKind::Infix(op, ..) => ExprKind::Infix(op, none, none),
            ExprKind::Ternary(..) => ExprKind::Ternary(none, none, none),
            ExprKind::Call(callee, _) => {
                let callee = if let Callee::User(symbol) = callee { Callee::User(name(symbol)) } else { callee };
                ExprKind::Call(callee, Args::NONE)
            }
            ExprKind::Index(..) => ExprKind::Index(none, none),
            ExprKind::Member(_, ty, i) => ExprKind::Member(none, ty, i),
            ExprKind::Field(_, symbol) => ExprKind::Field(none, symbol),
            ExprKind::Swizzle(_, lanes) => ExprKind::Swizzle(none, lanes),
            ExprKind::Splat(ty, _) => ExprKind::Splat(ty, none),
            ExprKind::Cast(ty, _) => ExprKind::Cast(ty, none),
            ExprKind::AddressOf(_) => ExprKind::AddressOf(none),
            ExprKind::Deref(_) => ExprKind::Deref(none),
            ExprKind::Results(func, _) => ExprKind::Results(func, Args::NONE),
            kind @ (ExprKind::Literal(_)
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Uint(_)
            | ExprKind::Float(_)) => kind,
        }
    }
}
