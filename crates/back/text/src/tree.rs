//! The output tree: statements and expressions in arenas, so that nothing here recurses with program length.
//! whole: one table of shapes, and the arena that holds them.

use std::sync::Arc;

use planish_ir::decoration::Precision;
use planish_ir::entity::{Const, Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Lanes, Op};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// An expression of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Expr(pub u32);

/// A statement list of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct List(pub u32);

/// Something with a name: variable, parameter, function, struct.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Symbol(pub u32);

/// A range of [`Tree::pool`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Args {
    start: u32,
    len: u32,
}

impl Args {
    pub(crate) const NONE: Args = Args { start: 0, len: 0 };
}

/// Infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Infix {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    And,
    /// `^`
    Xor,
    /// `|`
    Or,
    /// `&&`
    LogicAnd,
    /// `^^`
    LogicXor,
    /// `||`
    LogicOr,
}

impl Infix {
    /// The operator that languages like C have for an op on numbers.
    pub fn of(op: Op) -> Option<Infix> {
        Some(match op {
            Op::Add => Infix::Add,
            Op::Subtract => Infix::Sub,
            Op::Multiply
            | Op::MatrixTimesScalar
            | Op::MatrixTimesVector
            | Op::VectorTimesMatrix
            | Op::MatrixTimesMatrix => Infix::Mul,
            Op::Divide => Infix::Div,
            Op::Remainder => Infix::Rem,
            Op::BitwiseAnd => Infix::And,
            Op::BitwiseOr => Infix::Or,
            Op::BitwiseXor => Infix::Xor,
            Op::ShiftLeft => Infix::Shl,
            Op::ShiftRight => Infix::Shr,
            Op::Equal => Infix::Eq,
            Op::NotEqual => Infix::Ne,
            Op::LessThan => Infix::Lt,
            Op::LessThanEqual => Infix::Le,
            Op::GreaterThan => Infix::Gt,
            Op::GreaterThanEqual => Infix::Ge,
            Op::LogicalAnd => Infix::LogicAnd,
            Op::LogicalOr => Infix::LogicOr,
            Op::LogicalXor => Infix::LogicXor,
            _ => return None,
        })
    }

    /// Whether there is `op=`.
    pub const fn has_assignment(self) -> bool {
        let precedence = self.precedence();
        precedence >= Infix::Or.precedence()
            && !(precedence >= Infix::Ne.precedence() && precedence <= Infix::Lt.precedence())
    }

    /// The text of the operator in C and GLSL.
    pub const fn text(self) -> &'static str {
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

    /// Precedence in C and GLSL; higher binds tighter.
    pub const fn precedence(self) -> u8 {
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
pub enum Callee {
    /// A built-in function of the target.
    BuiltIn(&'static str),
    /// A function of the program, or one of the target with a name that is made ([`Tree::add_named`]).
    User(Symbol),
    /// The constructor of a type: `vec2(x, y)`, or the literal of a struct or array.
    Type(Type),
    /// None: the arguments side by side, as those that one argument of the program becomes (a texture and its sampler).
    Side,
    /// A built-in method, `x.sin()`: the first argument is the receiver.
    Method(&'static str),
}

/// The shape of an [`Expr`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ExprKind {
    /// A constant.
    Literal(Const),
    /// A `bool` that is in no constant table.
    Bool(bool),
    /// A small integer that is in no constant table.
    Int(i32),
    /// An unsigned integer that is in no constant table.
    Uint(u32),
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
    /// `s.name`, of a struct that is no type of the IR.
    Field(Expr, Symbol),
    /// `v.xyz`.
    Swizzle(Expr, Lanes),
    /// `vec3(s)` with a scalar `s`, which arithmetic may take without the constructor.
    Splat(Type, Expr),
    /// A conversion: `(float)x` or `x as f32`.
    Cast(Type, Expr),
    /// `&x`, of a place; printed `&mut x` where a language says so.
    AddressOf(Expr),
    /// `*p`: the place that a pointer leads to.
    Deref(Expr),
    /// All results of a function as one value; see [`Results::Value`](crate::Results::Value).
    Results(Func, Args),
    /// One of the results that a variable of [`Stmt::Results`] holds.
    Result(Symbol, u32),
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
pub struct Decl {
    /// The variable.
    pub symbol: Symbol,
    /// Its type.
    pub ty: Type,
    /// Its precision.
    pub precision: Precision,
    /// Its value must not depend on how expressions are joined.
    pub precise: bool,
    /// A constant of the source: its value is known when the program is compiled.
    pub is_const: bool,
    /// Anything assigns to it after this, or takes its address. Found for languages that ask
    /// ([`Abilities::immutable_declarations`](crate::Abilities::immutable_declarations)), else true.
    pub is_assigned: bool,
    /// The first value.
    pub init: Option<Expr>,
}

impl Decl {
    /// A variable without precision and other properties.
    pub fn plain(symbol: Symbol, ty: Type, init: Option<Expr>) -> Decl {
        Decl { symbol, ty, precision: Precision::None, precise: false, is_const: false, is_assigned: true, init }
    }
}

/// One case of a [`Stmt::Switch`].
#[derive(Clone, Debug)]
pub struct SwitchCase {
    /// Values that it is for.
    pub values: Vec<Const>,
    /// It is for all values that no case has.
    pub is_default: bool,
    /// Its end goes on to the next case. With [`Abilities::case_breaks`](crate::Abilities::case_breaks), the body of any
    /// other case that control gets to the end of ends in a [`Stmt::Break`], but that of the last may not.
    pub falls: bool,
    /// Statements.
    pub body: List,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A declaration.
    Decl(Decl),
    /// `target op= value`.
    Assign {
        /// A place.
        target: Expr,
        /// The operator of a compound assignment.
        op: Option<Infix>,
        /// The value.
        value: Expr,
    },
    /// An expression for its effects: a call, `a++`.
    Expr(Expr),
    /// A variable that holds all results of a call, of which [`ExprKind::Result`] reads one.
    Results {
        /// The variable.
        symbol: Symbol,
        /// The function.
        func: Func,
        /// The call.
        call: Expr,
    },
    /// `if (condition) { then } else { otherwise }`; the latter may be empty.
    If {
        /// A `bool`.
        condition: Expr,
        /// Statements.
        then: List,
        /// Statements.
        otherwise: List,
    },
    /// `init` holds declarations of one type, or assignments; `next` expressions and assignments.
    For {
        /// Before the first iteration.
        init: List,
        /// Tested before each iteration; `None`: true.
        condition: Option<Expr>,
        /// After each iteration.
        next: List,
        /// Statements.
        body: List,
    },
    /// Also the loop without end, with the condition [`ExprKind::Bool`]`(true)`.
    While {
        /// Tested before each iteration.
        condition: Expr,
        /// Statements.
        body: List,
    },
    /// `do { body } while (condition)`.
    DoWhile {
        /// Statements.
        body: List,
        /// Tested after each iteration.
        condition: Expr,
    },
    /// `loop { body continuing { continuing break if break_if; } }`.
    Loop {
        /// Statements.
        body: List,
        /// The target of `continue`.
        continuing: List,
        /// Ends the loop if it is true.
        break_if: Option<Expr>,
    },
    /// `switch (selector) { cases }`.
    Switch {
        /// An integer.
        selector: Expr,
        /// Cases in order; one of them may be the default.
        cases: Vec<SwitchCase>,
    },
    /// `'label: loop { … }`: the list is one loop. `'label: { … }`: any other list.
    Labelled {
        /// The name.
        label: Symbol,
        /// Statements.
        body: List,
    },
    /// `break`, or `break 'label`.
    Break(Option<Symbol>),
    /// `continue`, or `continue 'label`.
    Continue(Option<Symbol>),
    /// `goto label`.
    Goto(Symbol),
    /// `label:`, where a [`Stmt::Goto`] goes.
    Label(Symbol),
    /// `return`. The value is an [`ExprKind::Results`] if there are several results.
    Return(Option<Expr>),
    /// Ends the invocation of a fragment shader.
    Discard,
    /// Ends the program: a trap, or a place that is never reached.
    Trap(TrapKind),
}

impl Stmt {
    /// The lists within a statement, in order.
    #[inline]
    pub fn lists(&self) -> SmallVec<[List; 3]> {
        match self {
            Stmt::If { then, otherwise, .. } => smallvec![*then, *otherwise],
            Stmt::For { init, next, body, .. } => smallvec![*init, *next, *body],
            Stmt::While { body, .. } | Stmt::DoWhile { body, .. } | Stmt::Labelled { body, .. } => smallvec![*body],
            Stmt::Loop { body, continuing, .. } => smallvec![*body, *continuing],
            Stmt::Switch { cases, .. } => cases.iter().map(|c| c.body).collect(),
            Stmt::Decl(_)
            | Stmt::Assign { .. }
            | Stmt::Expr(_)
            | Stmt::Results { .. }
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Goto(_)
            | Stmt::Label(_)
            | Stmt::Return(_)
            | Stmt::Discard
            | Stmt::Trap(_) => smallvec![],
        }
    }

    /// Calls `f` for each expression of the statement itself, in order.
    pub fn for_each_expr(&self, mut f: impl FnMut(Expr)) {
        match *self {
            Stmt::Decl(Decl { init, .. }) => init.into_iter().for_each(f),
            Stmt::Assign { target, value, .. } => [target, value].into_iter().for_each(f),
            Stmt::Expr(e)
            | Stmt::Results { call: e, .. }
            | Stmt::If { condition: e, .. }
            | Stmt::While { condition: e, .. }
            | Stmt::DoWhile { condition: e, .. }
            | Stmt::Switch { selector: e, .. } => f(e),
            Stmt::For { condition: e, .. } | Stmt::Loop { break_if: e, .. } | Stmt::Return(e) => {
                e.into_iter().for_each(f);
            }
            Stmt::Labelled { .. }
            | Stmt::Break(_)
            | Stmt::Continue(_)
            | Stmt::Goto(_)
            | Stmt::Label(_)
            | Stmt::Discard
            | Stmt::Trap(_) => {}
        }
    }

    /// Whether it is a loop, in which statements are repeated.
    pub fn is_loop(&self) -> bool {
        matches!(self, Stmt::For { .. } | Stmt::While { .. } | Stmt::DoWhile { .. } | Stmt::Loop { .. })
    }
}

/// Data of a [`Symbol`].
#[derive(Clone, Debug)]
pub struct SymbolData {
    /// The preferred name.
    pub hint: Arc<str>,
    /// The name; `None` until it is assigned.
    pub name: Option<Arc<str>>,
    /// Number of mentions.
    pub count: u32,
}

/// All expressions, statement lists and symbols of one output.
#[derive(Default)]
pub struct Tree {
    exprs: Vec<ExprData>,
    pool: Vec<Expr>,
    lists: Vec<Vec<Stmt>>,
    symbols: Vec<SymbolData>,
    /// Comparisons of integers, whose negation is the opposite comparison.
    ordered: FxHashSet<Expr>,
}

impl Tree {
    /// Adds an expression.
    #[inline]
    pub fn add(&mut self, kind: ExprKind) -> Expr {
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
    #[inline]
    pub fn kind(&self, e: Expr) -> ExprKind {
        self.exprs[e.0 as usize].kind
    }

    /// Its height.
    #[inline]
    pub fn depth(&self, e: Expr) -> u16 {
        self.exprs[e.0 as usize].depth
    }

    /// Number of names and numbers in it, saturating.
    #[inline]
    pub fn leaves(&self, e: Expr) -> u16 {
        self.exprs[e.0 as usize].leaves
    }

    /// Replaces the index of an `a[i]`.
    pub fn set_index(&mut self, e: Expr, index: Expr) {
        if let ExprKind::Index(a, _) = self.exprs[e.0 as usize].kind {
            self.exprs[e.0 as usize].kind = ExprKind::Index(a, index);
        }
    }

    /// Replaces an expression by another of the same value, wherever it is mentioned.
    pub fn replace(&mut self, e: Expr, kind: ExprKind) {
        self.exprs[e.0 as usize].kind = kind;
    }

    /// Adds an argument list.
    #[inline]
    pub fn add_args(&mut self, args: &[Expr]) -> Args {
        let start = self.pool.len() as u32;
        self.pool.extend_from_slice(args);
        Args { start, len: args.len() as u32 }
    }

    /// The expressions of an argument list.
    #[inline]
    pub fn args(&self, args: Args) -> &[Expr] {
        &self.pool[args.start as usize..][..args.len as usize]
    }

    /// A call.
    #[inline]
    pub fn call(&mut self, callee: Callee, args: &[Expr]) -> Expr {
        let args = self.add_args(args);
        self.add(ExprKind::Call(callee, args))
    }

    /// A call of a built-in function.
    #[inline]
    pub fn builtin(&mut self, name: &'static str, args: &[Expr]) -> Expr {
        self.call(Callee::BuiltIn(name), args)
    }

    /// `a op b`.
    #[inline]
    pub fn infix(&mut self, op: Infix, a: Expr, b: Expr) -> Expr {
        self.add(ExprKind::Infix(op, a, b))
    }

    /// A variable's name.
    #[inline]
    pub fn name(&mut self, symbol: Symbol) -> Expr {
        self.add(ExprKind::Name(symbol))
    }

    /// `a < b` and the like of two integers.
    pub fn ordered_compare(&mut self, op: Infix, a: Expr, b: Expr) -> Expr {
        let e = self.infix(op, a, b);
        self.ordered.insert(e);
        e
    }

    /// `!e`, or a simpler expression of the same value.
    pub fn not(&mut self, e: Expr) -> Expr {
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
    #[inline]
    pub fn is_same_place(&self, a: Expr, b: Expr) -> bool {
        match (self.kind(a), self.kind(b)) {
            (ExprKind::Name(a), ExprKind::Name(b)) => a == b,
            (ExprKind::Swizzle(a, x), ExprKind::Swizzle(b, y)) => x == y && self.is_same_place(a, b),
            (ExprKind::Member(a, _, i), ExprKind::Member(b, _, j)) => i == j && self.is_same_place(a, b),
            (ExprKind::Field(a, i), ExprKind::Field(b, j)) => i == j && self.is_same_place(a, b),
            (ExprKind::Deref(a), ExprKind::Deref(b)) => self.is_same_place(a, b),
            _ => false,
        }
    }

    /// The variables that an expression mentions.
    pub fn mentioned(&self, e: Expr) -> Vec<Symbol> {
        let mut found = Vec::new();
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            match self.kind(e) {
                ExprKind::Name(s) | ExprKind::Result(s, _) => found.push(s),
                _ => self.children(e, |child| stack.push(child)),
            }
        }
        found
    }

    /// Calls `f` for each operand, in order.
    #[inline]
    pub fn children(&self, e: Expr, mut f: impl FnMut(Expr)) {
        match self.kind(e) {
            ExprKind::Literal(_)
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Uint(_)
            | ExprKind::Float(_)
            | ExprKind::Name(_)
            | ExprKind::Result(..) => {}
            ExprKind::Prefix(_, a)
            | ExprKind::Postfix(_, a)
            | ExprKind::Member(a, ..)
            | ExprKind::Field(a, _)
            | ExprKind::Swizzle(a, _)
            | ExprKind::Splat(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::AddressOf(a)
            | ExprKind::Deref(a) => f(a),
            ExprKind::Infix(_, a, b) | ExprKind::Index(a, b) => [a, b].into_iter().for_each(f),
            ExprKind::Ternary(a, b, c) => [a, b, c].into_iter().for_each(f),
            ExprKind::Call(_, args) | ExprKind::Results(_, args) => self.args(args).iter().copied().for_each(f),
        }
    }

    /// The address of a place; of `*p`, `p`.
    pub fn address_of(&mut self, place: Expr) -> Expr {
        match self.kind(place) {
            ExprKind::Deref(pointer) => pointer,
            _ => self.add(ExprKind::AddressOf(place)),
        }
    }

    /// A constant that no variable changes.
    #[inline]
    pub fn is_literal(&self, e: Expr) -> bool {
        matches!(
            self.kind(e),
            ExprKind::Literal(_) | ExprKind::Int(_) | ExprKind::Uint(_) | ExprKind::Float(_) | ExprKind::Bool(_)
        )
    }

    /// The variable that a place is part of: of `a.b[i].x`, `a`. `None` for memory behind a pointer.
    #[inline]
    pub fn root(&self, mut e: Expr) -> Option<Symbol> {
        loop {
            e = match self.kind(e) {
                ExprKind::Name(s) => return Some(s),
                ExprKind::Index(a, _) | ExprKind::Member(a, ..) | ExprKind::Field(a, _) | ExprKind::Swizzle(a, _) => a,
                _ => return None,
            };
        }
    }

    /// A new list.
    #[inline]
    pub fn add_list(&mut self, stmts: Vec<Stmt>) -> List {
        self.lists.push(stmts);
        List(self.lists.len() as u32 - 1)
    }

    /// Replaces the statements of a list.
    pub fn set_list(&mut self, list: List, stmts: Vec<Stmt>) {
        self.lists[list.0 as usize] = stmts;
    }

    /// The statements of a list, to change.
    pub fn list_mut(&mut self, list: List) -> &mut [Stmt] {
        &mut self.lists[list.0 as usize]
    }

    /// The statements of a list.
    #[inline]
    pub fn list(&self, list: List) -> &[Stmt] {
        &self.lists[list.0 as usize]
    }

    /// A new symbol.
    pub fn add_symbol(&mut self, hint: impl Into<Arc<str>>) -> Symbol {
        self.symbols.push(SymbolData { hint: hint.into(), name: None, count: 0 });
        Symbol(self.symbols.len() as u32 - 1)
    }

    /// A new symbol with a fixed name.
    pub fn add_named(&mut self, name: impl Into<Arc<str>>) -> Symbol {
        let symbol = self.add_symbol(name);
        let data = self.symbol_mut(symbol);
        data.name = Some(data.hint.clone());
        symbol
    }

    /// The shapes of all expressions.
    #[inline]
    pub fn kinds(&self) -> impl Iterator<Item = ExprKind> {
        self.exprs.iter().map(|e| e.kind)
    }

    /// Number of symbols.
    pub fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// A symbol.
    #[inline]
    pub fn symbol(&self, symbol: Symbol) -> &SymbolData {
        &self.symbols[symbol.0 as usize]
    }

    /// A symbol, to change.
    #[inline]
    pub fn symbol_mut(&mut self, symbol: Symbol) -> &mut SymbolData {
        &mut self.symbols[symbol.0 as usize]
    }
}
