//! The checks that the compiler of Rust makes of variables, made before it: which have a value where they are read, which
//! are assigned twice, which stores nothing reads.
//!
//! Loops are gone over until nothing changes. That is several times a level of nesting, so there is a limit, beyond which the
//! worst is assumed.

use planish_back_text::tree::{ExprKind, List, Stmt, Symbol, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits::Bits;

/// Most statements that are looked at, for each statement of a function.
const PASSES: usize = 60;

/// Numbers of the variables of a function.
pub(crate) struct Variables {
    numbers: FxHashMap<Symbol, usize>,
    statements: usize,
}

impl Variables {
    pub(crate) fn new(tree: &Tree, lists: &[List], params: &[Symbol]) -> Self {
        let mut numbers: FxHashMap<Symbol, usize> = params.iter().copied().zip(0..).collect();
        let mut statements = 0;
        for stmt in lists.iter().flat_map(|&list| tree.list(list)) {
            statements += 1;
            if let Stmt::Decl(decl) = stmt {
                let next = numbers.len();
                numbers.insert(decl.symbol, next);
            }
        }
        Variables { numbers, statements }
    }

    fn empty(&self) -> Bits {
        Bits::new(self.numbers.len())
    }

    fn number(&self, symbol: Symbol) -> Option<usize> {
        self.numbers.get(&symbol).copied()
    }
}

/// The variable that a statement assigns to as a whole.
fn assigned(tree: &Tree, stmt: &Stmt) -> Option<Symbol> {
    match *stmt {
        Stmt::Assign { target, .. } => match tree.kind(target) {
            ExprKind::Name(symbol) => Some(symbol),
            _ => None,
        },
        Stmt::Decl(decl) if decl.init.is_some() => Some(decl.symbol),
        _ => None,
    }
}

/// Calls `f` for the variables that a statement reads itself, those of `x += y` if `compound`.
pub(crate) fn reads(tree: &Tree, stmt: &Stmt, compound: bool, mut f: impl FnMut(Symbol)) {
    if let Stmt::Assign { target, op, value } = *stmt
        && let ExprKind::Name(symbol) = tree.kind(target)
    {
        if op.is_some() && compound {
            f(symbol);
        }
        tree.mentioned(value).into_iter().for_each(f);
        return;
    }
    stmt.for_each_expr(|e| tree.mentioned(e).into_iter().for_each(&mut f));
}

/// A place that jumps go to, and what is known there.
struct Target<T> {
    label: Option<Symbol>,
    is_loop: bool,
    at_break: T,
    at_continue: T,
}

fn find<T>(targets: &mut [Target<T>], label: Option<Symbol>) -> Option<&mut Target<T>> {
    targets.iter_mut().rev().find(|target| match label {
        Some(label) => target.label == Some(label),
        None => target.is_loop,
    })
}

/// The statement of a label, if that is a loop.
fn labelled_loop(tree: &Tree, body: List) -> Option<&Stmt> {
    match tree.list(body) {
        [stmt] if stmt.is_loop() => Some(stmt),
        _ => None,
    }
}

// Forwards: values of variables without a first one.

#[derive(Clone, PartialEq)]
struct Values {
    /// Variables that have a value on every way here.
    surely: Bits,
    /// Variables that have one on some way.
    perhaps: Bits,
}

/// Faults of declarations without a first value.
#[derive(Default)]
pub(crate) struct Undefined {
    /// Variables that may be read before they have a value.
    pub(crate) read_early: FxHashSet<Symbol>,
    /// Variables that may be assigned again.
    pub(crate) assigned_again: FxHashSet<Symbol>,
}

struct Forwards<'a> {
    tree: &'a Tree,
    variables: &'a Variables,
    targets: Vec<Target<Option<Values>>>,
    found: Undefined,
    fuel: usize,
}

/// Finds variables whose declaration needs a first value or `mut`; `None` if that takes too long.
pub(crate) fn undefined(tree: &Tree, variables: &Variables, params: &[Symbol], body: List) -> Option<Undefined> {
    let fuel = variables.statements * PASSES + 1000;
    let mut start = Values { surely: variables.empty(), perhaps: variables.empty() };
    for number in params.iter().filter_map(|&param| variables.number(param)) {
        start.surely.insert(number);
        start.perhaps.insert(number);
    }
    let mut forwards = Forwards { tree, variables, targets: Vec::new(), found: Undefined::default(), fuel };
    forwards.list(body, Some(start));
    (forwards.fuel > 0).then_some(forwards.found)
}

fn join(into: &mut Option<Values>, values: Option<Values>) {
    match (into, values) {
        (_, None) => {}
        (into @ None, values) => *into = values,
        (Some(into), Some(values)) => {
            into.surely.keep_common(&values.surely);
            into.perhaps.add_all(&values.perhaps);
        }
    }
}

impl Forwards<'_> {
    /// Recursion: over the statements' nesting, which lowering bounds.
    fn list(&mut self, list: List, mut values: Option<Values>) -> Option<Values> {
        for stmt in self.tree.list(list) {
            values = Some(values?);
            values = self.statement(stmt, values, None);
        }
        values
    }

    fn statement(&mut self, stmt: &Stmt, values: Option<Values>, label: Option<Symbol>) -> Option<Values> {
        self.fuel = self.fuel.saturating_sub(1);
        let mut values = values?;
        if self.fuel == 0 {
            return None;
        }
        let (variables, tree) = (self.variables, self.tree);
        reads(tree, stmt, true, |symbol| {
            if variables.number(symbol).is_some_and(|number| !values.surely.contains(number)) {
                self.found.read_early.insert(symbol);
            }
        });
        if let Some(symbol) = assigned(tree, stmt)
            && let Some(number) = variables.number(symbol)
        {
            if values.perhaps.contains(number) && !matches!(stmt, Stmt::Decl(_)) {
                self.found.assigned_again.insert(symbol);
            }
            values.surely.insert(number);
            values.perhaps.insert(number);
        }
        match stmt {
            // In a loop it is a new one each time.
            Stmt::Decl(decl) if decl.init.is_none() => {
                if let Some(number) = variables.number(decl.symbol) {
                    values.surely.remove(number);
                    values.perhaps.remove(number);
                }
                Some(values)
            }
            Stmt::If { then, otherwise, .. } => {
                let mut after = self.list(*then, Some(values.clone()));
                let other = self.list(*otherwise, Some(values));
                join(&mut after, other);
                after
            }
            Stmt::Switch { cases, .. } => {
                let mut after = None;
                for case in cases {
                    let end = self.list(case.body, Some(values.clone()));
                    join(&mut after, end);
                }
                if !cases.iter().any(|case| case.is_default) {
                    join(&mut after, Some(values));
                }
                after
            }
            Stmt::While { condition, body } => {
                let is_endless = matches!(tree.kind(*condition), ExprKind::Bool(true));
                self.repeat(*body, is_endless, values, label)
            }
            Stmt::Labelled { label, body } => match labelled_loop(tree, *body) {
                Some(stmt) => self.statement(stmt, Some(values), Some(*label)),
                None => {
                    let target = Target { label: Some(*label), is_loop: false, at_break: None, at_continue: None };
                    self.targets.push(target);
                    let mut after = self.list(*body, Some(values));
                    join(&mut after, self.targets.pop()?.at_break);
                    after
                }
            },
            Stmt::Break(label) => {
                join(&mut find(&mut self.targets, *label)?.at_break, Some(values));
                None
            }
            Stmt::Continue(label) => {
                join(&mut find(&mut self.targets, *label)?.at_continue, Some(values));
                None
            }
            Stmt::Return(_) | Stmt::Trap(_) | Stmt::Discard => None,
            _ => Some(values),
        }
    }

    /// Recursion: see [`Forwards::list`].
    fn repeat(&mut self, body: List, is_endless: bool, values: Values, label: Option<Symbol>) -> Option<Values> {
        let mut head = values;
        loop {
            self.targets.push(Target { label, is_loop: true, at_break: None, at_continue: None });
            let mut again = self.list(body, Some(head.clone()));
            let target = self.targets.pop()?;
            join(&mut again, target.at_continue);
            let mut next = Some(head.clone());
            join(&mut next, again);
            let next = next?;
            if next == head || self.fuel == 0 {
                let mut after = target.at_break;
                if !is_endless {
                    join(&mut after, Some(head));
                }
                return after;
            }
            head = next;
        }
    }
}

// Backwards: stores that nothing reads.

struct Backwards<'a> {
    tree: &'a Tree,
    variables: &'a Variables,
    /// Variables that are live where a jump goes.
    targets: Vec<Target<Bits>>,
    /// Variables that are read somewhere.
    read: &'a FxHashSet<Symbol>,
    has_dead: bool,
    /// Within a loop whose live variables are not known yet.
    searching: usize,
    fuel: usize,
}

/// Whether a value is stored in a variable that is not read after it; variables that are never read do not count.
pub(crate) fn has_dead_stores(
    tree: &Tree,
    variables: &Variables,
    read: &FxHashSet<Symbol>,
    params: &[Symbol],
    body: List,
) -> bool {
    let fuel = variables.statements * PASSES + 1000;
    let targets = Vec::new();
    let mut backwards = Backwards { tree, variables, targets, read, has_dead: false, searching: 0, fuel };
    let live = backwards.list(body, variables.empty());
    params.iter().for_each(|&param| backwards.store(param, &live));
    backwards.has_dead || backwards.fuel == 0
}

impl Backwards<'_> {
    fn store(&mut self, symbol: Symbol, live: &Bits) {
        let is_dead = self.variables.number(symbol).is_some_and(|number| !live.contains(number));
        if is_dead && self.searching == 0 && self.read.contains(&symbol) {
            self.has_dead = true;
        }
    }

    /// Recursion: over the statements' nesting, which lowering bounds.
    fn list(&mut self, list: List, mut live: Bits) -> Bits {
        for stmt in self.tree.list(list).iter().rev() {
            live = self.statement(stmt, live, None);
        }
        live
    }

    /// The variables that are live before a statement.
    fn statement(&mut self, stmt: &Stmt, after: Bits, label: Option<Symbol>) -> Bits {
        self.fuel = self.fuel.saturating_sub(1);
        if self.fuel == 0 {
            return after;
        }
        let (tree, variables) = (self.tree, self.variables);
        let mut live = match stmt {
            Stmt::If { then, otherwise, .. } => {
                let mut live = self.list(*then, after.clone());
                live.add_all(&self.list(*otherwise, after));
                live
            }
            Stmt::Switch { cases, .. } => {
                let has_default = cases.iter().any(|case| case.is_default);
                let mut live = if has_default { variables.empty() } else { after.clone() };
                for case in cases {
                    live.add_all(&self.list(case.body, after.clone()));
                }
                live
            }
            Stmt::While { condition, body } => return self.repeat(*condition, *body, &after, label),
            Stmt::Labelled { label, body } => match labelled_loop(tree, *body) {
                Some(stmt) => return self.statement(stmt, after, Some(*label)),
                None => {
                    let (at_break, at_continue) = (after.clone(), after.clone());
                    self.targets.push(Target { label: Some(*label), is_loop: false, at_break, at_continue });
                    let live = self.list(*body, after);
                    self.targets.pop();
                    live
                }
            },
            Stmt::Break(label) => find(&mut self.targets, *label).map_or(after, |target| target.at_break.clone()),
            Stmt::Continue(label) => find(&mut self.targets, *label).map_or(after, |target| target.at_continue.clone()),
            Stmt::Return(_) | Stmt::Trap(_) | Stmt::Discard => variables.empty(),
            _ => after,
        };
        if let Some(symbol) = assigned(tree, stmt) {
            self.store(symbol, &live);
            // `x += y` reads `x` for nothing but `x`: it is live before if it is after.
            let is_compound = matches!(stmt, Stmt::Assign { op: Some(_), .. });
            if let Some(number) = variables.number(symbol).filter(|_| !is_compound) {
                live.remove(number);
            }
        }
        self.read(stmt, &mut live);
        live
    }

    fn read(&self, stmt: &Stmt, live: &mut Bits) {
        reads(self.tree, stmt, false, |symbol| {
            if let Some(number) = self.variables.number(symbol) {
                live.insert(number);
            }
        });
    }

    /// Recursion: see [`Backwards::list`].
    fn repeat(
        &mut self,
        condition: planish_back_text::tree::Expr,
        body: List,
        after: &Bits,
        label: Option<Symbol>,
    ) -> Bits {
        let is_endless = matches!(self.tree.kind(condition), ExprKind::Bool(true));
        let mut head = if is_endless { self.variables.empty() } else { after.clone() };
        for symbol in self.tree.mentioned(condition) {
            if let Some(number) = self.variables.number(symbol) {
                head.insert(number);
            }
        }
        self.searching += 1;
        loop {
            let mut next = self.iteration(body, &head, after, label);
            next.add_all(&head);
            if next == head || self.fuel == 0 {
                break;
            }
            head = next;
        }
        self.searching -= 1;
        if self.searching == 0 {
            self.iteration(body, &head, after, label);
        }
        head
    }

    fn iteration(&mut self, body: List, head: &Bits, after: &Bits, label: Option<Symbol>) -> Bits {
        let (at_break, at_continue) = (after.clone(), head.clone());
        self.targets.push(Target { label, is_loop: true, at_break, at_continue });
        let live = self.list(body, head.clone());
        self.targets.pop();
        live
    }
}
