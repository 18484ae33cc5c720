//! The names of a module's functions, parameters and globals: from its `name` section, else from its exports and imports.

use std::sync::Arc;

use planish_ir::decoration::Name;
use planish_ir::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use wasmparser::{KnownCustom, Name as Section, NameSectionReader};

/// What the `name` section says. A part of it that is malformed is left out: names mean nothing.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    functions: FxHashMap<u32, &'a str>,
    /// By function and number of the parameter.
    params: FxHashMap<(u32, u32), &'a str>,
    globals: FxHashMap<u32, &'a str>,
}

impl<'a> Names<'a> {
    /// Reads a custom section, if it is the one.
    pub(crate) fn read(&mut self, section: KnownCustom<'a>) {
        if let KnownCustom::Name(section) = section {
            self.read_names(section);
        }
    }

    fn read_names(&mut self, section: NameSectionReader<'a>) {
        for part in section.into_iter().map_while(Result::ok) {
            match part {
                Section::Function(map) => {
                    self.functions.extend(map.map_while(Result::ok).map(|n| (n.index, n.name)));
                }
                Section::Global(map) => {
                    self.globals.extend(map.map_while(Result::ok).map(|n| (n.index, n.name)));
                }
                Section::Local(map) => {
                    for function in map.map_while(Result::ok) {
                        let names = function.names.map_while(Result::ok);
                        self.params.extend(names.map(|n| ((function.index, n.index), n.name)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Names the functions with these numbers, their parameters, and the globals. No two functions have one name.
    pub(crate) fn give(&self, module: &mut Module, funcs: usize, globals: &[planish_ir::entity::Var]) {
        let mut taken: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut outside: FxHashMap<u32, Arc<str>> = FxHashMap::default();
        for (func, import) in &module.func_imports {
            outside.insert(func.as_u32(), import.name.clone());
        }
        for entry in &module.entry_points {
            if let Some(name) = entry.names.first() {
                outside.insert(entry.func.as_u32(), name.clone());
            }
        }
        for (func, function) in module.funcs.values_mut().take(funcs).enumerate() {
            let index = func as u32;
            let own = self.functions.get(&index).map(|&name| Arc::from(name));
            let name = own.or_else(|| outside.get(&index).cloned()).unwrap_or_else(|| format!("func{index}").into());
            function.name = Name::temporary(unique(name, &mut taken));
            for (number, param) in function.params.iter_mut().enumerate() {
                if let Some(&name) = self.params.get(&(index, number as u32)) {
                    param.name = Name::temporary(name);
                }
            }
        }
        for (index, &var) in globals.iter().enumerate() {
            let data = &mut module.vars[var];
            let linked = data.linkage.as_ref();
            let own = self.globals.get(&(index as u32)).map(|&name| Arc::from(name));
            let exported = || linked.and_then(|linkage| linkage.exports.first().cloned());
            let imported = || linked.and_then(|linkage| Some(linkage.import.as_ref()?.name.clone()));
            let name = own.or_else(exported).or_else(imported);
            data.name = Name::temporary(name.unwrap_or_else(|| format!("global{index}").into()));
        }
    }
}

/// The name, or where it is taken the name with a number behind it.
fn unique(name: Arc<str>, taken: &mut FxHashSet<Arc<str>>) -> Arc<str> {
    let mut tried = name.clone();
    let mut number = 1;
    while !taken.insert(tried.clone()) {
        tried = format!("{name}.{number}").into();
        // In steps that grow, so that a module of nothing but one name stays fast.
        number += 1 + number / 2;
    }
    tried
}
