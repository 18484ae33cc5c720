//! Names: interface names as they are, the user's names where they can be kept, short ones when minifying.

use std::sync::Arc;

use planish_ir::decoration::NameSource;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::types::{AddressSpace, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dialect::{Dialect, Words};
use crate::lower::Written;
use crate::text::Text;
use crate::tree::{Callee, ExprKind, List, Stmt, Symbol};

/// Kind of entity that an entry of the name map names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A global variable, a block or a bare member of one.
    Global,
    /// A function.
    Function,
    /// A struct type.
    Struct,
    /// A member of a struct, as `Light.position`.
    Member,
}

impl Named {
    /// Its name in a name map.
    pub const fn name(self) -> &'static str {
        match self {
            Named::Global => "global",
            Named::Function => "function",
            Named::Struct => "struct",
            Named::Member => "member",
        }
    }
}

/// A name of the source and its name in the output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameEntry {
    /// Kind of the entity.
    pub kind: Named,
    /// The name in the module.
    pub original: Arc<str>,
    /// The name in the output.
    pub printed: Arc<str>,
}

/// Everything of module scope that gets a name.
#[derive(Default)]
pub struct Scope<'a> {
    /// Global variables that are declared. Those that the host sees keep their names.
    pub globals: &'a [Var],
    /// Symbols that are named before all others, without a message if a name has to change, and keep their names when
    /// minified.
    pub first: &'a [Symbol],
    /// Functions that are written.
    pub functions: &'a [Written],
    /// Further variables, and whether they keep their names when minified.
    pub variables: &'a [(Symbol, bool)],
    /// Functions and types that the output brings along.
    pub helpers: &'a [Symbol],
    /// Whether structs have short names when minified, and members that have no name yet.
    pub short_structs: bool,
}

/// Assigns every name: those of the host, of structs, functions, other globals, [`Text::tables`], and those within each
/// function. A name within a function may come again where the other is out of scope, but none hides another.
pub fn assign<'m, D: Dialect<'m>>(w: &mut D, scope: &Scope<'_>) -> Vec<NameEntry> {
    let mut names = Names {
        words: w.words(),
        taken: FxHashSet::default(),
        next: FxHashMap::default(),
        called: called(w),
        short_locals: Vec::new(),
        next_local: 0,
    };
    count_mentions(w);
    let mut map = Vec::new();
    // Entry points have their names, which nothing else may have.
    for function in scope.functions {
        let symbol = w.func_symbol(function.func);
        names.taken.extend(w.tree.symbol(symbol).name.clone());
    }
    names.first(w, scope.first);
    names.interface(w, scope.globals, &mut map);
    let short = scope.short_structs && w.minify;
    names.structs(w, short, &mut map);
    names.functions(w, scope.functions, &mut map);
    names.others(w, scope, &mut map);
    for function in scope.functions {
        if w.minify { names.short_locals(w, function) } else { names.locals(w, function) }
    }
    map
}

/// Built-in functions that the output calls: no variable may hide them.
fn called(w: &Text<'_>) -> FxHashSet<&'static str> {
    let name = |kind| if let ExprKind::Call(Callee::BuiltIn(name), _) = kind { Some(name) } else { None };
    w.tree.kinds().filter_map(name).collect()
}

fn count_mentions(w: &mut Text<'_>) {
    let mut counts: Vec<u32> = vec![0; w.tree.symbol_count()];
    for kind in w.tree.kinds() {
        match kind {
            ExprKind::Name(s) | ExprKind::Call(Callee::User(s), _) | ExprKind::Result(s, _) | ExprKind::Field(_, s) => {
                counts[s.0 as usize] += 1
            }
            _ => {}
        }
    }
    for (i, count) in counts.into_iter().enumerate() {
        w.tree.symbol_mut(Symbol(i as u32)).count = count;
    }
}

struct Names<W> {
    words: W,
    /// Names of module scope.
    taken: FxHashSet<Arc<str>>,
    /// The next number to append to a name.
    next: FxHashMap<Arc<str>, u32>,
    called: FxHashSet<&'static str>,
    /// Short names that locals may have, in order: the same in all functions, after those of module scope are assigned.
    short_locals: Vec<Arc<str>>,
    /// The number of the short name that is tried next.
    next_local: u32,
}

/// Functions of one name.
struct Overloads {
    /// The parameters in front of their own ones.
    added: Vec<Symbol>,
    /// Types of the own parameters of each.
    params: Vec<Vec<Type>>,
}

impl<W: Words> Names<W> {
    fn first(&mut self, w: &mut Text<'_>, symbols: &[Symbol]) {
        for &symbol in symbols {
            let hint = match &w.tree.symbol(symbol).name {
                Some(fixed) => fixed.clone(),
                None => {
                    let words = self.words;
                    let hint = words.sanitize(&w.tree.symbol(symbol).hint);
                    self.fresh(&hint, |n| words.is_builtin(n))
                }
            };
            self.assign(w, symbol, hint);
        }
    }

    /// Names that the host sees.
    fn interface<'m, D: Dialect<'m>>(&mut self, w: &mut D, globals: &[Var], map: &mut Vec<NameEntry>) {
        for &var in globals {
            let module = w.module;
            let data = &module.vars[var];
            let mut ty = data.ty;
            while let TypeKind::Array { element, .. } = w.module.types[ty] {
                ty = element;
            }
            let block = module.types.as_struct(ty).filter(|s| s.is_block);
            if let Some(block) = block {
                let symbol = w.struct_symbol(ty);
                self.exact(w, symbol, var, map);
                if data.name.text.is_empty() {
                    for i in 0..block.members.len() as u32 {
                        let member = w.member_symbol(ty, i);
                        self.exact(w, member, var, map);
                    }
                    continue;
                }
                for i in 0..block.members.len() as u32 {
                    let member = w.member_symbol(ty, i);
                    let hint = w.tree.symbol(member).hint.clone();
                    w.tree.symbol_mut(member).name = Some(hint);
                }
            }
            let host = data.name.source == NameSource::Interface
                || !matches!(data.space, AddressSpace::Private | AddressSpace::Workgroup);
            if host && data.decorations.builtin().is_none() {
                let symbol = w.global_symbol(var);
                self.exact(w, symbol, var, map);
            }
        }
    }

    /// Keeps a name, or warns that the target does not allow it.
    fn exact(&mut self, w: &mut Text<'_>, symbol: Symbol, var: Var, map: &mut Vec<NameEntry>) {
        if w.tree.symbol(symbol).name.is_some() {
            return;
        }
        let mut wanted = w.tree.symbol(symbol).hint.clone();
        if w.module.vars[var].name.source == NameSource::BuiltIn {
            // A variable of the fixed pipeline, which this version has not.
            wanted = w.module.vars[var].name.text.clone();
        }
        let well_formed = !wanted.is_empty()
            && wanted.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            && !wanted.starts_with(|c: char| c.is_ascii_digit());
        let refused = self.called.contains(&*wanted) || self.words.is_refused(&wanted);
        let name = if well_formed && !refused && !self.taken.contains(&wanted) {
            wanted.clone()
        } else {
            let words = self.words;
            let name = self.fresh(&words.sanitize(&wanted), |n| words.is_builtin(n));
            let message = format!("`{wanted}` cannot be a name in {}; it is called `{name}`", w.target_name);
            let span = w.module.vars[var].span;
            w.warnings.push(Diagnostic::warning(Code::W0153, span, message));
            name
        };
        self.assign(w, symbol, name.clone());
        map.push(NameEntry { kind: Named::Global, original: wanted, printed: name });
    }

    fn assign(&mut self, w: &mut Text<'_>, symbol: Symbol, name: Arc<str>) {
        self.taken.insert(name.clone());
        w.tree.symbol_mut(symbol).name = Some(name);
    }

    /// `hint`, or `hint` followed by a number.
    fn fresh(&mut self, hint: &str, also_taken: impl Fn(&str) -> bool) -> Arc<str> {
        let taken = &self.taken;
        unused(&self.words, hint, &mut self.next, |name| !taken.contains(name) && !also_taken(name))
    }

    fn structs<'m, D: Dialect<'m>>(&mut self, w: &mut D, short: bool, map: &mut Vec<NameEntry>) {
        for (ty, symbol) in w.structs.clone() {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let name = if short {
                self.short()
            } else {
                let hint = self.words.sanitize(&w.tree.symbol(symbol).hint);
                self.fresh(&hint, |_| false)
            };
            self.assign(w, symbol, name.clone());
            let original = w.module.types.as_struct(ty).map(|s| s.name.clone()).unwrap_or_default();
            map.push(NameEntry { kind: Named::Struct, original: original.clone(), printed: name });
            if short {
                self.short_members(w, ty, &original, map);
            }
        }
    }

    /// Names members, which have a scope of their own, by the number of their mentions.
    fn short_members<'m, D: Dialect<'m>>(&self, w: &mut D, ty: Type, of: &str, map: &mut Vec<NameEntry>) {
        let count = w.module.types.as_struct(ty).map_or(0, |s| s.members.len() as u32);
        let mut members: Vec<Symbol> = (0..count).map(|i| w.member_symbol(ty, i)).collect();
        members.retain(|&s| w.tree.symbol(s).name.is_none());
        members.sort_by_key(|&s| std::cmp::Reverse(w.tree.symbol(s).count));
        let mut free = (0..).map(short_name).filter(|name| !self.words.is_reserved(name));
        for (symbol, name) in members.into_iter().zip(free.by_ref()) {
            let printed: Arc<str> = name.into();
            let original = format!("{of}.{}", w.tree.symbol(symbol).hint).into();
            map.push(NameEntry { kind: Named::Member, original, printed: printed.clone() });
            w.tree.symbol_mut(symbol).name = Some(printed);
        }
    }

    /// Names functions; overloads keep a common name. Functions that the host calls are named first.
    fn functions<'m, D: Dialect<'m>>(&mut self, w: &mut D, functions: &[Written], map: &mut Vec<NameEntry>) {
        let mut overloads: FxHashMap<Arc<str>, Overloads> = FxHashMap::default();
        let mut order: Vec<(&Written, Symbol)> = functions.iter().map(|f| (f, w.func_symbol(f.func))).collect();
        let entries = &w.module.entry_points;
        let is_exported = |f: &Written| entries.iter().any(|e| e.func == f.func && e.stage.is_none());
        if w.minify {
            order.sort_by_key(|(_, symbol)| std::cmp::Reverse(w.tree.symbol(*symbol).count));
        }
        order.sort_by_key(|(f, _)| !is_exported(f));
        for (function, symbol) in order {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let data = &w.module.funcs[function.func];
            let original = data.name.text.clone();
            let params: Vec<Type> = data.params.iter().map(|p| plain(w, p.ty)).collect();
            let hint = w.tree.symbol(symbol).hint.clone();
            let added = w.added_params(function.func).to_vec();
            let known = overloads.get(&hint).is_some_and(|o| o.added == added && !o.params.contains(&params));
            let name = if w.minify && !is_exported(function) {
                self.short()
            } else if known && w.abilities.overloads && function.result_params.is_empty() {
                hint.clone()
            } else {
                let words = self.words;
                self.fresh(&hint, |n| words.is_builtin(n))
            };
            overloads.entry(name.clone()).or_insert(Overloads { added, params: vec![] }).params.push(params);
            self.assign(w, symbol, name.clone());
            map.push(NameEntry { kind: Named::Function, original, printed: name });
        }
    }

    /// Private variables, constant tables and helpers.
    fn others<'m, D: Dialect<'m>>(&mut self, w: &mut D, scope: &Scope<'_>, map: &mut Vec<NameEntry>) {
        let mut rest: Vec<(Symbol, bool)> = Vec::new();
        for &var in scope.globals {
            if w.module.vars[var].decorations.builtin().is_none() {
                rest.push((w.global_symbol(var), false));
            }
        }
        rest.extend(scope.variables);
        rest.extend(w.tables.iter().map(|t| (t.1, false)));
        rest.extend(scope.helpers.iter().map(|&s| (s, false)));
        for (symbol, keeps) in rest {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let hint = w.tree.symbol(symbol).hint.clone();
            let words = self.words;
            let name = if w.minify && !keeps { self.short() } else { self.fresh(&hint, |n| words.is_builtin(n)) };
            self.assign(w, symbol, name.clone());
            map.push(NameEntry { kind: Named::Global, original: hint, printed: name });
        }
    }

    /// Locals of a function: a name may come again where the other is out of scope, but none hides another.
    fn locals(&mut self, w: &mut Text<'_>, function: &Written) {
        let mut scopes = Scopes { active: FxHashSet::default(), log: Vec::new(), next: FxHashMap::default() };
        for symbol in function.symbols() {
            self.local(w, &mut scopes, symbol);
        }
        walk_scopes(w, function.body, &mut scopes, &mut |w, scopes, symbol| self.local(w, scopes, symbol));
    }

    fn local(&self, w: &mut Text<'_>, scopes: &mut Scopes, symbol: Symbol) {
        if w.tree.symbol(symbol).name.is_some() {
            return;
        }
        let hint = w.tree.symbol(symbol).hint.clone();
        let active = &scopes.active;
        let name = unused(&self.words, &hint, &mut scopes.next, |name| {
            !active.contains(name) && !self.taken.contains(name) && !self.called.contains(name)
        });
        scopes.active.insert(name.clone());
        scopes.log.push(name.clone());
        w.tree.symbol_mut(symbol).name = Some(name);
    }

    fn short_locals(&mut self, w: &mut Text<'_>, function: &Written) {
        let mut symbols: Vec<Symbol> = function.symbols().collect();
        let mut scopes = Scopes { active: FxHashSet::default(), log: Vec::new(), next: FxHashMap::default() };
        walk_scopes(w, function.body, &mut scopes, &mut |_, _, symbol| symbols.push(symbol));
        symbols.sort_by_key(|&s| std::cmp::Reverse(w.tree.symbol(s).count));
        symbols.retain(|&s| w.tree.symbol(s).name.is_none());
        for (number, symbol) in symbols.into_iter().enumerate() {
            w.tree.symbol_mut(symbol).name = Some(self.short_local(number));
        }
    }

    /// A short name for a local of any function, by number.
    fn short_local(&mut self, number: usize) -> Arc<str> {
        while self.short_locals.len() <= number {
            let name = short_name(self.next_local);
            self.next_local += 1;
            if !self.taken.contains(&*name) && !self.called.contains(&*name) && !self.words.is_reserved(&name) {
                self.short_locals.push(name.into());
            }
        }
        self.short_locals[number].clone()
    }

    fn short(&mut self) -> Arc<str> {
        let key: Arc<str> = "".into();
        let mut n = self.next.get(&key).copied().unwrap_or(0);
        loop {
            let name = short_name(n);
            n += 1;
            let free = !self.taken.contains(&*name) && !self.words.is_reserved(&name) && !self.words.is_builtin(&name);
            if free {
                self.next.insert(key, n);
                return name.into();
            }
        }
    }
}

/// `hint` if that is free and no reserved word, else followed by a number: the first that no earlier call has given for
/// the same beginning. It ends if `is_free` refuses finitely many names: no numbered name is reserved.
pub fn unused(
    words: &impl Words,
    hint: &str,
    next: &mut FxHashMap<Arc<str>, u32>,
    is_free: impl Fn(&str) -> bool,
) -> Arc<str> {
    if !hint.is_empty() && is_free(hint) && !words.is_reserved(hint) {
        return hint.into();
    }
    let base = numberable(words, hint);
    let next = next.entry(base.as_str().into()).or_insert(1);
    loop {
        let name = format!("{base}_{next}");
        *next += 1;
        if is_free(&name) {
            return name.into();
        }
    }
}

/// The beginning of names that is most like `hint` and gives no reserved word when `_` and a number follow it: `a__b`
/// would with any (two underscores), and so would `gl`. The same of built-in functions that have their first word in common.
fn numberable(words: &impl Words, hint: &str) -> String {
    let name = words.sanitize(hint);
    let base = name.trim_end_matches('_');
    let first = format!("{base}_1");
    match base {
        "" => "t".to_owned(),
        _ if words.is_reserved(&first) || words.is_builtin(&first) => format!("t_{}", base.trim_start_matches('_')),
        _ => base.to_owned(),
    }
}

fn plain(w: &Text<'_>, ty: Type) -> Type {
    w.module.types.pointee(ty).map_or(ty, |(ty, _)| ty)
}

/// a, b, …, Z, aa, …
fn short_name(mut n: u32) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const REST: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut name = vec![LETTERS[n as usize % LETTERS.len()]];
    n /= LETTERS.len() as u32;
    while n > 0 {
        n -= 1;
        name.push(REST[n as usize % REST.len()]);
        n /= REST.len() as u32;
    }
    String::from_utf8(name).unwrap_or_default()
}

/// Names that are visible.
struct Scopes {
    active: FxHashSet<Arc<str>>,
    log: Vec<Arc<str>>,
    next: FxHashMap<Arc<str>, u32>,
}

enum Step {
    List(List, usize),
    /// The scope ends: names beyond this many go.
    Leave(usize),
}

/// Calls `declare` for each declared variable, in order, within its scope.
fn walk_scopes(
    w: &mut Text<'_>,
    body: List,
    scopes: &mut Scopes,
    declare: &mut dyn FnMut(&mut Text<'_>, &mut Scopes, Symbol),
) {
    let mut stack = vec![Step::List(body, 0)];
    while let Some(step) = stack.pop() {
        let (list, at) = match step {
            Step::List(list, at) => (list, at),
            Step::Leave(len) => {
                while scopes.log.len() > len {
                    if let Some(name) = scopes.log.pop() {
                        scopes.active.remove(&name);
                    }
                }
                continue;
            }
        };
        let Some(stmt) = w.tree.list(list).get(at).cloned() else { continue };
        stack.push(Step::List(list, at + 1));
        let len = scopes.log.len();
        match stmt {
            Stmt::Decl(decl) => declare(w, scopes, decl.symbol),
            Stmt::Results { symbol, .. } => declare(w, scopes, symbol),
            // One scope: the declaration in the head of a `for`, and all cases unless they have braces; treated as one,
            // which is right for both.
            Stmt::For { .. } | Stmt::Loop { .. } | Stmt::Switch { .. } => {
                let leaks = matches!(stmt, Stmt::For { .. }) && w.abilities.leaking_loop_heads;
                if !leaks {
                    stack.push(Step::Leave(len));
                }
                stack.extend(stmt.lists().into_iter().rev().map(|list| Step::List(list, 0)));
            }
            _ => {
                for list in stmt.lists().into_iter().rev() {
                    stack.push(Step::Leave(len));
                    stack.push(Step::List(list, 0));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::sanitize;

    #[derive(Clone, Copy)]
    struct NoNumbers;

    impl Words for NoNumbers {
        fn is_reserved(&self, word: &str) -> bool {
            word == "main" || word.contains("__") || word.starts_with("gl_")
        }

        fn is_builtin(&self, _: &str) -> bool {
            false
        }

        fn sanitize(&self, text: &str) -> String {
            sanitize(text, &["gl_"])
        }
    }

    /// Every hint gives any number of names, all different and none reserved.
    #[test]
    fn any_hint_can_be_numbered() {
        let hints = ["a__b", "x_", "__", "", "gl", "gl_x", "main", "a.b", "3d", "t_", "n-body"];
        for hint in hints {
            let mut next = FxHashMap::default();
            let mut taken: FxHashSet<Arc<str>> = FxHashSet::default();
            for _ in 0..5 {
                let name = unused(&NoNumbers, hint, &mut next, |name| !taken.contains(name));
                assert!(!NoNumbers.is_reserved(&name), "{hint} became {name}");
                assert!(taken.insert(name));
            }
        }
    }

    #[test]
    fn short_names_are_all_different() {
        let names: FxHashSet<String> = (0..10_000).map(short_name).collect();
        assert_eq!(names.len(), 10_000);
        assert_eq!([short_name(0), short_name(51), short_name(52)], ["a", "Z", "aa"]);
    }
}
