//! Names: interface names as they are, the user's names where they can be kept, short ones when minifying.

use std::sync::Arc;

use planish_back_text::tree::{Callee, ExprKind, List, Stmt, Symbol};
use planish_back_text::{Dialect, Written};
use planish_ir::decoration::NameSource;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Var};
use planish_ir::types::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::target::Target;
use crate::words::{is_builtin_function, is_reserved, sanitize};
use crate::writer::Writer;

/// Kind of entity that an entry of the name map names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A global variable, a block or a bare member of one.
    Global,
    /// A function.
    Function,
    /// A struct type.
    Struct,
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

/// Assigns every name.
pub(crate) fn assign(w: &mut Writer<'_>, functions: &[Written]) -> Vec<NameEntry> {
    let mut names = Names { taken: FxHashSet::default(), next: FxHashMap::default(), called: called(w) };
    count_mentions(w);
    let mut map = Vec::new();
    let globals: Vec<Var> = w.module.globals.iter().copied().filter(|&v| w.is_declared(v)).collect();
    names.interface(w, &globals, &mut map);
    names.structs(w, &mut map);
    names.functions(w, functions, &mut map);
    names.others(w, &globals, &mut map);
    for function in functions {
        if w.minify { names.short_locals(w, function) } else { names.locals(w, function) }
    }
    map
}

/// Built-in functions that the output calls: no variable may hide them.
fn called(w: &Writer<'_>) -> FxHashSet<&'static str> {
    let name = |kind| if let ExprKind::Call(Callee::BuiltIn(name), _) = kind { Some(name) } else { None };
    w.tree.kinds().filter_map(name).collect()
}

fn count_mentions(w: &mut Writer<'_>) {
    let mut counts: Vec<u32> = vec![0; w.tree.symbol_count()];
    for kind in w.tree.kinds() {
        match kind {
            ExprKind::Name(s) | ExprKind::Call(Callee::User(s), _) => counts[s.0 as usize] += 1,
            _ => {}
        }
    }
    for (i, count) in counts.into_iter().enumerate() {
        w.tree.symbol_mut(Symbol(i as u32)).count = count;
    }
}

struct Names {
    /// Names of module scope.
    taken: FxHashSet<Arc<str>>,
    /// The next number to append to a name.
    next: FxHashMap<Arc<str>, u32>,
    called: FxHashSet<&'static str>,
}

impl Names {
    /// Names that the host sees.
    fn interface(&mut self, w: &mut Writer<'_>, globals: &[Var], map: &mut Vec<NameEntry>) {
        for &var in globals {
            let data = &w.module.vars[var];
            let mut ty = data.ty;
            while let planish_ir::types::TypeKind::Array { element, .. } = w.module.types[ty] {
                ty = element;
            }
            let block = w.is_block(ty).then(|| w.module.types.as_struct(ty).cloned()).flatten();
            if let Some(block) = &block {
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
    fn exact(&mut self, w: &mut Writer<'_>, symbol: Symbol, var: Var, map: &mut Vec<NameEntry>) {
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
        // Two underscores are reserved, not forbidden, and renaming them would break the host's program.
        let reserved = is_reserved(&w.target, &wanted) && !wanted.contains("__");
        // ES lets nothing hide a built-in function; desktop does, but then it cannot be called.
        let hides = self.called.contains(&*wanted)
            || w.target.es && w.target.version >= 300 && is_builtin_function(&w.target, &wanted);
        let name = if well_formed && !reserved && !hides && !self.taken.contains(&wanted) {
            wanted.clone()
        } else {
            let target = w.target;
            let name = self.fresh(&w.target, &sanitize(&wanted), |n| is_builtin_function(&target, n));
            let target = w.target.describe();
            let message = format!("`{wanted}` cannot be a name in {target}; it is called `{name}`");
            let span = w.module.vars[var].span;
            w.warnings.push(Diagnostic::warning(Code::W0153, span, message));
            name
        };
        self.assign(w, symbol, name.clone());
        map.push(NameEntry { kind: Named::Global, original: wanted, printed: name });
    }

    fn assign(&mut self, w: &mut Writer<'_>, symbol: Symbol, name: Arc<str>) {
        self.taken.insert(name.clone());
        w.tree.symbol_mut(symbol).name = Some(name);
    }

    /// `hint`, or `hint` followed by a number.
    fn fresh(&mut self, target: &Target, hint: &str, also_taken: impl Fn(&str) -> bool) -> Arc<str> {
        let taken = &self.taken;
        unused(target, hint, &mut self.next, |name| !taken.contains(name) && !also_taken(name))
    }

    fn structs(&mut self, w: &mut Writer<'_>, map: &mut Vec<NameEntry>) {
        for (ty, symbol) in w.structs.clone() {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let hint = sanitize(&w.tree.symbol(symbol).hint);
            let name = self.fresh(&w.target, &hint, |_| false);
            self.assign(w, symbol, name.clone());
            let original = w.module.types.as_struct(ty).map(|s| s.name.clone()).unwrap_or_default();
            map.push(NameEntry { kind: Named::Struct, original, printed: name });
        }
    }

    /// Names functions; overloads keep a common name. Functions that the host calls are named first.
    fn functions(&mut self, w: &mut Writer<'_>, functions: &[Written], map: &mut Vec<NameEntry>) {
        let mut overloads: FxHashMap<Arc<str>, Vec<Vec<Type>>> = FxHashMap::default();
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
            let known = overloads.get(&hint).is_some_and(|o| !o.contains(&params));
            let name = if w.minify && !is_exported(function) {
                self.short(&w.target, 0, |_| false)
            } else if known && function.result_params.is_empty() {
                hint.clone()
            } else {
                let target = w.target;
                self.fresh(&w.target, &hint, |n| is_builtin_function(&target, n) || n == "main")
            };
            overloads.entry(name.clone()).or_default().push(params);
            self.assign(w, symbol, name.clone());
            map.push(NameEntry { kind: Named::Function, original, printed: name });
        }
    }

    /// Private variables, constant tables and helpers.
    fn others(&mut self, w: &mut Writer<'_>, globals: &[Var], map: &mut Vec<NameEntry>) {
        let mut rest: Vec<Symbol> = Vec::new();
        for &var in globals {
            if w.module.vars[var].decorations.builtin().is_none() {
                rest.push(w.global_symbol(var));
            }
        }
        rest.extend(w.fragment_output.map(|(_, s)| s));
        rest.extend(w.tables.iter().map(|(_, s)| *s));
        rest.extend(w.helpers.iter().map(|(_, _, s)| *s));
        for symbol in rest {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let hint = w.tree.symbol(symbol).hint.clone();
            let target = w.target;
            // The output variable is looked for by people, not by programs.
            let keep = w.fragment_output.is_some_and(|(_, s)| s == symbol);
            let name = if w.minify && !keep {
                self.short(&w.target, 0, |_| false)
            } else {
                self.fresh(&w.target, &hint, |n| is_builtin_function(&target, n))
            };
            self.assign(w, symbol, name.clone());
            map.push(NameEntry { kind: Named::Global, original: hint, printed: name });
        }
    }

    /// Locals of a function: a name may come again where the other is out of scope, but none hides another.
    fn locals(&mut self, w: &mut Writer<'_>, function: &Written) {
        let mut scopes = Scopes { active: FxHashSet::default(), log: Vec::new(), next: FxHashMap::default() };
        for &symbol in function.params.iter().chain(&function.result_params) {
            self.local(w, &mut scopes, symbol);
        }
        walk_scopes(w, function.body, &mut scopes, &mut |w, scopes, symbol| self.local(w, scopes, symbol));
    }

    fn local(&self, w: &mut Writer<'_>, scopes: &mut Scopes, symbol: Symbol) {
        if w.tree.symbol(symbol).name.is_some() {
            return;
        }
        let hint = w.tree.symbol(symbol).hint.clone();
        let active = &scopes.active;
        let name = unused(&w.target, &hint, &mut scopes.next, |name| {
            !active.contains(name) && !self.taken.contains(name) && !self.called.contains(name)
        });
        scopes.active.insert(name.clone());
        scopes.log.push(name.clone());
        w.tree.symbol_mut(symbol).name = Some(name);
    }

    fn short_locals(&mut self, w: &mut Writer<'_>, function: &Written) {
        let mut symbols: Vec<Symbol> = function.params.iter().chain(&function.result_params).copied().collect();
        let mut scopes = Scopes { active: FxHashSet::default(), log: Vec::new(), next: FxHashMap::default() };
        walk_scopes(w, function.body, &mut scopes, &mut |_, _, symbol| symbols.push(symbol));
        symbols.sort_by_key(|&s| std::cmp::Reverse(w.tree.symbol(s).count));
        let mut next = 0;
        for symbol in symbols {
            if w.tree.symbol(symbol).name.is_some() {
                continue;
            }
            let called = &self.called;
            loop {
                let name = short_name(next);
                next += 1;
                if !self.taken.contains(&*name) && !called.contains(&*name) && !is_reserved(&w.target, &name) {
                    w.tree.symbol_mut(symbol).name = Some(name.into());
                    break;
                }
            }
        }
    }

    fn short(&mut self, target: &Target, from: u32, also_taken: impl Fn(&str) -> bool) -> Arc<str> {
        let key: Arc<str> = "".into();
        let mut n = self.next.get(&key).copied().unwrap_or(from);
        loop {
            let name = short_name(n);
            n += 1;
            let free = !self.taken.contains(&*name)
                && !is_reserved(target, &name)
                && !is_builtin_function(target, &name)
                && !also_taken(&name);
            if free {
                self.next.insert(key, n);
                return name.into();
            }
        }
    }
}

/// `hint` if that is free and no reserved word, else followed by a number: the first that no earlier call has given for
/// the same beginning. It ends if `is_free` refuses finitely many names: no numbered name is reserved.
fn unused(
    target: &Target,
    hint: &str,
    next: &mut FxHashMap<Arc<str>, u32>,
    is_free: impl Fn(&str) -> bool,
) -> Arc<str> {
    if !hint.is_empty() && is_free(hint) && !is_reserved(target, hint) {
        return hint.into();
    }
    let base = numberable(target, hint);
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
/// would with any (two underscores), and so would `gl`.
fn numberable(target: &Target, hint: &str) -> String {
    let name = sanitize(hint);
    let base = name.trim_end_matches('_');
    match base {
        "" => "t".to_owned(),
        _ if is_reserved(target, &format!("{base}_1")) => format!("t_{}", base.trim_start_matches('_')),
        _ => base.to_owned(),
    }
}

fn plain(w: &Writer<'_>, ty: Type) -> Type {
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
    w: &mut Writer<'_>,
    body: List,
    scopes: &mut Scopes,
    declare: &mut dyn FnMut(&mut Writer<'_>, &mut Scopes, Symbol),
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
        let mut scope = |lists: &[List]| {
            for &list in lists.iter().rev() {
                stack.push(Step::Leave(len));
                stack.push(Step::List(list, 0));
            }
        };
        match stmt {
            Stmt::Decl(decl) => declare(w, scopes, decl.symbol),
            Stmt::If { then, otherwise, .. } => scope(&[then, otherwise]),
            Stmt::For { init, body, .. } => {
                stack.push(Step::Leave(len));
                stack.push(Step::List(body, 0));
                stack.push(Step::List(init, 0));
            }
            Stmt::While { body, .. } | Stmt::DoWhile { body, .. } => scope(&[body]),
            Stmt::Switch { cases, .. } => {
                // All cases are one scope unless they have braces; treated as one, which is right for both.
                stack.push(Step::Leave(len));
                cases.iter().rev().for_each(|c| stack.push(Step::List(c.body, 0)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::module::Stage;

    /// Every hint gives any number of names, all different and none reserved.
    #[test]
    fn any_hint_can_be_numbered() {
        let hints = ["a__b", "x_", "__", "", "gl", "webgl", "_webgl", "gl_x", "main", "a.b", "3d", "t_", "n-body"];
        for (version, es) in [(100, true), (300, true), (110, false), (450, false)] {
            let target = Target { version, es, vulkan: false, stage: Stage::Fragment };
            for hint in hints {
                let mut next = FxHashMap::default();
                let mut taken: FxHashSet<Arc<str>> = FxHashSet::default();
                for _ in 0..5 {
                    let name = unused(&target, hint, &mut next, |name| !taken.contains(name));
                    assert!(!is_reserved(&target, &name), "{hint} became {name}");
                    assert!(taken.insert(name));
                }
            }
        }
    }
}
