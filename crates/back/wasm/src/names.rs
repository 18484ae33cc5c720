//! The `name` section.

use planish_ir::entity::{Func, Var};
use planish_ir::module::{Import, Module};
use rustc_hash::{FxHashMap, FxHashSet};
use wasm_encoder as w;

use crate::indices::Indices;

/// The section. `locals`: for functions with code, in the order of their numbers, the variable that gives each local
/// variable its name.
pub(crate) fn section(module: &Module, indices: &Indices, locals: &[(Func, Vec<Option<Var>>)]) -> w::NameSection {
    let mut names = w::NameSection::new();
    names.functions(&functions(module, indices));
    let (mut all, mut any) = (w::IndirectNameMap::new(), false);
    for (func, variables) in locals {
        let map = of_function(module, *func, variables);
        if !map.is_empty() {
            all.append(indices.func(*func), &map);
            any = true;
        }
    }
    if any {
        names.locals(&all);
    }
    let linked = |import: &Option<Import>, exports: &[std::sync::Arc<str>]| {
        let name = exports.first().cloned();
        name.or_else(|| import.as_ref().map(|import| import.name.clone()))
    };
    let tables = module.tables.iter().map(|(t, data)| (indices.table(t), linked(&data.import, &data.exports)));
    let memories = module.memories.iter().map(|(m, data)| (indices.memory(m), linked(&data.import, &data.exports)));
    let var = |var: &Var| Some((indices.global(*var)?, Some(module.vars[*var].name.text.clone())));
    let (tables, memories, globals) =
        (map(tables.collect()), map(memories.collect()), map(module.globals.iter().filter_map(var).collect()));
    if !tables.is_empty() {
        names.tables(&tables);
    }
    if !memories.is_empty() {
        names.memories(&memories);
    }
    if !globals.is_empty() {
        names.globals(&globals);
    }
    names
}

fn functions(module: &Module, indices: &Indices) -> w::NameMap {
    let own = module.funcs.iter().filter_map(|(f, d)| Some((indices.funcs[f]?, Some(d.name.text.clone()))));
    let math = indices.math.iter().map(|&(name, index)| (index, Some(name.into())));
    map(own.chain(math).filter(|(index, _)| *index != u32::MAX).collect())
}

/// The names that there are, in the order of the numbers.
fn map(mut names: Vec<(u32, Option<std::sync::Arc<str>>)>) -> w::NameMap {
    names.sort_unstable_by_key(|(index, _)| *index);
    let mut map = w::NameMap::new();
    for (index, name) in &names {
        if let Some(name) = name.as_ref().filter(|name| !name.is_empty()) {
            map.append(*index, name);
        }
    }
    map
}

/// The names of parameters and local variables. No two are alike: the second `x` is `x.1`.
fn of_function(module: &Module, func: Func, variables: &[Option<Var>]) -> w::NameMap {
    let params = &module.funcs[func].params;
    let (mut taken, mut repeated) = (FxHashSet::default(), FxHashMap::default());
    let mut map = w::NameMap::new();
    for (number, var) in (0..).zip(variables) {
        let own = params.get(number as usize).map(|param| &*param.name.text).filter(|name| !name.is_empty());
        let Some(name) = own.or_else(|| var.map(|var| &*module.vars[var].name.text)).filter(|name| !name.is_empty())
        else {
            continue;
        };
        let mut tried = name.to_string();
        while !taken.insert(tried.clone()) {
            // Counted on by name, so that a function with one name for everything stays fast.
            let again: &mut u32 = repeated.entry(name).or_default();
            *again += 1;
            tried = format!("{name}.{again}");
        }
        map.append(number, &tried);
    }
    map
}
