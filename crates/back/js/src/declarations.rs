//! TypeScript declarations of the exports of a module.

use planish_ir::entity::{Func, Type};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::signature::{Shape, capitals};
use planish_ir::types::TypeKind;

use crate::module::{Export, Exported};
use crate::names::{Names, is_identifier};
use crate::shapes::{self, Members, key};
use crate::slices::{array_type, is_slice, of_param};

/// The type that values of a type have in TypeScript.
fn type_name(module: &Module, ty: Type) -> &'static str {
    match module.types[ty] {
        TypeKind::Scalar(scalar) if scalar.is_integer() && scalar.bits() == 64 => "bigint",
        TypeKind::Scalar(scalar) if scalar.bits() == 1 => "boolean",
        _ => "number",
    }
}

/// Declarations that are being written.
struct Writer<'a> {
    module: &'a Module,
    slices: &'a [SliceParam],
    /// Names of the file.
    names: Names<'static>,
    /// Interfaces of records: the name and members in the program, and the name in TypeScript.
    records: Vec<(String, Members, String)>,
}

impl Writer<'_> {
    /// Parameters and result, as a declaration (`:`) or as a type (` =>`) has them.
    fn signature(&mut self, func: Func, between: &str) -> String {
        let (module, slices) = (self.module, self.slices);
        let function = &module.funcs[func];
        let outer = Names::new();
        let mut names = Names::inside(&outer);
        if let Some(signature) = module.signature_of(func) {
            let mut types = function.params.iter().map(|p| p.ty);
            let mut params = Vec::with_capacity(signature.params.len());
            for param in &signature.params {
                let ty = self.shape(&param.shape, &mut types);
                params.push(format!("{}: {ty}", names.fresh(&param.name, "p")));
            }
            let mut types = function.results.iter().map(|r| r.ty);
            let result = signature.result.as_ref().map(|shape| self.shape(shape, &mut types));
            return format!("({}){between} {}", params.join(", "), result.as_deref().unwrap_or("void"));
        }
        let params: Vec<String> = function
            .params
            .iter()
            .enumerate()
            .map(|(number, p)| {
                let slice = of_param(slices, func, number);
                let ty = slice.map_or_else(|| type_name(module, p.ty), |slice| array_type(slice.number));
                format!("{}: {ty}", names.fresh(&p.name.text, "p"))
            })
            .collect();
        let results: Vec<&str> = function.results.iter().map(|r| type_name(module, r.ty)).collect();
        let result = match &results[..] {
            [] => "void".to_owned(),
            [one] => (*one).to_owned(),
            _ => format!("[{}]", results.join(", ")),
        };
        format!("({}){between} {result}", params.join(", "))
    }

    fn shape(&mut self, shape: &Shape, types: &mut dyn Iterator<Item = Type>) -> String {
        let module = self.module;
        let (names, records) = (&mut self.names, &mut self.records);
        let mut declare = |name: &str, members: Vec<(String, String)>| {
            let known = records.iter().find(|(own, others, _)| own == name && *others == members);
            if let Some((_, _, known)) = known {
                return known.clone();
            }
            let chosen = names.fresh(&capitals(name), "Record");
            records.push((name.to_owned(), members, chosen.clone()));
            chosen
        };
        shapes::type_text(shape, types, &|ty| type_name(module, ty), &mut declare)
    }

    /// The interfaces of the records, before what uses them.
    fn interfaces(&self) -> String {
        let mut out = String::new();
        for (_, members, name) in &self.records {
            out.push_str(&format!("export interface {name} {{\n"));
            members.iter().for_each(|(key, ty)| out.push_str(&format!("  {key}: {ty};\n")));
            out.push_str("}\n");
        }
        out
    }
}

/// Writes them.
pub(crate) fn write(module: &Module, exports: &[Export], slices: &[SliceParam], takes: bool) -> String {
    let mut names = Names::new();
    exports.iter().flat_map(|export| &export.outside).for_each(|name| names.take(name));
    ["Imports", "Exports"].into_iter().for_each(|name| names.take(name));
    let mut writer = Writer { module, slices, names, records: vec![] };
    let text = if takes { writer.of_instances(exports) } else { writer.of_module(exports) };
    writer.interfaces() + &text
}

/// The names that memories are exported by.
fn memories(module: &Module, slices: &[SliceParam]) -> Vec<String> {
    let own = module.memories.iter().filter(|(memory, _)| !is_slice(slices, *memory));
    let names = own.flat_map(|(_, data)| data.exports.iter());
    names.filter(|n| is_identifier(n)).map(|n| n.to_string()).collect()
}

impl Writer<'_> {
    fn of_module(&mut self, exports: &[Export]) -> String {
        let (module, slices) = (self.module, self.slices);
        let mut out = String::new();
        let mut renamed = Vec::new();
        for name in memories(module, slices) {
            out.push_str(&format!("export let {name}: ArrayBuffer;\n"));
        }
        for export in exports {
            for outside in &export.outside {
                let own = *outside == export.name;
                let name = if own { outside.clone() } else { format!("_{}", renamed.len()) };
                let word = if own { "export" } else { "declare" };
                match export.what {
                    Exported::Func(func) => {
                        out.push_str(&format!("{word} function {name}{};\n", self.signature(func, ":")));
                    }
                    Exported::Var(var) => {
                        let data = &module.vars[var];
                        let kind = if data.is_const { "const" } else { "let" };
                        out.push_str(&format!("{word} {kind} {name}: {};\n", type_name(module, data.ty)));
                    }
                }
                if !own {
                    renamed.push(format!("{name} as {}", key(outside)));
                }
            }
        }
        if !renamed.is_empty() {
            out.push_str(&format!("export {{ {} }};\n", renamed.join(", ")));
        }
        out
    }

    fn of_instances(&mut self, exports: &[Export]) -> String {
        let (module, slices) = (self.module, self.slices);
        let mut out = String::from("export interface Imports {\n");
        let mut modules: Vec<&str> = Vec::new();
        for (_, import) in &module.func_imports {
            if !modules.contains(&&*import.module) {
                modules.push(&import.module);
            }
        }
        for name in modules {
            out.push_str(&format!("  {}: {{\n", key(name)));
            let mut seen: Vec<&str> = Vec::new();
            for (func, import) in module.func_imports.iter().filter(|(_, i)| *i.module == *name) {
                if !seen.contains(&&*import.name) {
                    seen.push(&import.name);
                    out.push_str(&format!("    {}{};\n", key(&import.name), self.signature(*func, ":")));
                }
            }
            out.push_str("  };\n");
        }
        out.push_str("}\nexport interface Exports {\n");
        for name in memories(module, slices) {
            out.push_str(&format!("  readonly {name}: ArrayBuffer;\n"));
        }
        for export in exports {
            for outside in &export.outside {
                match export.what {
                    Exported::Func(func) => {
                        out.push_str(&format!("  {}{};\n", key(outside), self.signature(func, ":")));
                    }
                    Exported::Var(var) => {
                        let data = &module.vars[var];
                        let word = if data.is_const { "readonly " } else { "" };
                        out.push_str(&format!("  {word}{}: {};\n", key(outside), type_name(module, data.ty)));
                    }
                }
            }
        }
        out.push_str("}\nexport function instantiate(imports: Imports): Exports;\n");
        out
    }
}
