//! TypeScript declarations of the exports of a module.

use planish_ir::entity::{Func, Type};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::types::TypeKind;

use crate::module::{Export, Exported};
use crate::names::{Names, is_identifier};
use crate::slices::{array_type, is_slice, of_param};

/// The type that values of a type have in TypeScript.
fn type_name(module: &Module, ty: Type) -> &'static str {
    match module.types[ty] {
        TypeKind::Scalar(scalar) if scalar.is_integer() && scalar.bits() == 64 => "bigint",
        TypeKind::Scalar(scalar) if scalar.bits() == 1 => "boolean",
        _ => "number",
    }
}

/// Parameters and result, as a declaration (`:`) or as a type (` =>`) has them.
fn signature(module: &Module, func: Func, slices: &[SliceParam], between: &str) -> String {
    let function = &module.funcs[func];
    let outer = Names::new();
    let mut names = Names::inside(&outer);
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

fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { format!("{name:?}") }
}

/// Writes them.
pub(crate) fn write(module: &Module, exports: &[Export], slices: &[SliceParam], takes: bool) -> String {
    if takes { of_instances(module, exports, slices) } else { of_module(module, exports, slices) }
}

/// The names that memories are exported by.
fn memories(module: &Module, slices: &[SliceParam]) -> Vec<String> {
    let own = module.memories.iter().filter(|(memory, _)| !is_slice(slices, *memory));
    let names = own.flat_map(|(_, data)| data.exports.iter());
    names.filter(|n| is_identifier(n)).map(|n| n.to_string()).collect()
}

fn of_module(module: &Module, exports: &[Export], slices: &[SliceParam]) -> String {
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
                    out.push_str(&format!("{word} function {name}{};\n", signature(module, func, slices, ":")));
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

fn of_instances(module: &Module, exports: &[Export], slices: &[SliceParam]) -> String {
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
                out.push_str(&format!("    {}{};\n", key(&import.name), signature(module, *func, slices, ":")));
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
                    out.push_str(&format!("  {}{};\n", key(outside), signature(module, func, slices, ":")));
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
