//! The names of a module's functions, local variables and globals: from its `name` section, else from its exports and imports.

use std::sync::Arc;

use planish_ir::decoration::Name;
use planish_ir::entity::{Type, Var};
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;
use rustc_hash::{FxHashMap, FxHashSet};
use wasmparser::{BinaryReader, FunctionBody, KnownCustom, Name as Section, NameSectionReader};

use crate::environment::Environment;

/// Contents of the `name` section. A malformed part is skipped: names have no meaning.
#[derive(Debug, Default)]
pub(crate) struct Names<'a> {
    functions: FxHashMap<u32, &'a str>,
    /// By function: numbers and names of its parameters and local variables.
    locals: FxHashMap<u32, Vec<(u32, &'a str)>>,
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
                        self.locals.entry(function.index).or_default().extend(names.map(|n| (n.index, n.name)));
                    }
                }
                _ => {}
            }
        }
    }

    /// Names the functions with these numbers, their parameters, and the globals. Function names are made unique.
    pub(crate) fn give(&self, module: &mut Module, funcs: usize, globals: &[Var]) {
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
            for &(number, name) in self.locals.get(&index).into_iter().flatten() {
                if let Some(param) = function.params.get_mut(number as usize) {
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

impl Names<'_> {
    /// A variable for each named local one of a function with a body. No code refers to them: they are the origin of
    /// values ([`planish_ir::function::Body::origin`]), from which outputs take names.
    pub(crate) fn variables(
        &self,
        module: &mut Module,
        env: &Environment,
        bytes: &[u8],
    ) -> FxHashMap<u32, Vec<(u32, Var)>> {
        let mut variables = FxHashMap::default();
        // In the order of the functions, so that a module is always the same.
        for (index, range) in env.bodies.iter().enumerate() {
            let func = (env.imported_funcs + index) as u32;
            let Some(names) = self.locals.get(&func) else { continue };
            let mut names = names.clone();
            names.sort_by_key(|(number, _)| *number);
            names.dedup_by_key(|(number, _)| *number);
            let groups = groups(func, env, &bytes[range.clone()]);
            let variable = |(number, name): (u32, &str)| {
                let ty = groups.get(groups.partition_point(|(end, _)| *end <= u64::from(number)))?.1;
                Some((number, module.add_var(Name::temporary(name), ty, AddressSpace::Function)))
            };
            variables.insert(func, names.into_iter().filter_map(variable).collect());
        }
        variables
    }
}

/// The types of a function's local variables, each with the number at which its run ends. Empty for code that cannot be
/// decoded, which is reported elsewhere.
fn groups(func: u32, env: &Environment, body: &[u8]) -> Vec<(u64, Type)> {
    let params = env.signature_of(func).params.iter();
    let mut groups: Vec<(u64, Type)> = (1..).zip(params.copied()).collect();
    let mut end = groups.len() as u64;
    let body = FunctionBody::new(BinaryReader::new_features(body, 0, env.features));
    for (count, ty) in body.get_locals_reader().into_iter().flatten().map_while(Result::ok) {
        end += u64::from(count);
        groups.push((end, env.values.of(ty)));
    }
    groups
}

/// The name, with a number appended if it is taken.
fn unique(name: Arc<str>, taken: &mut FxHashSet<Arc<str>>) -> Arc<str> {
    let mut tried = name.clone();
    let mut number = 1;
    while !taken.insert(tried.clone()) {
        tried = format!("{name}.{number}").into();
        // In growing steps, so that a module of equal names is not quadratic.
        number += 1 + number / 2;
    }
    tried
}
