//! What stands around the functions: imports, variables, exports.

use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::{Import, Module};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use rustc_hash::FxHashMap;

use crate::function::{self, Context};
use crate::helpers::{self, Needs, prelude};
use crate::names::{Names, is_identifier};
use crate::ops::Speaker;
use crate::{Dialect, Options, Output, declarations};

/// The scalar that values of a type are.
pub(crate) fn scalar_of(dialect: Dialect, module: &Module, ty: Type, span: Span) -> Result<Scalar, Box<Diagnostic>> {
    match module.types[ty] {
        TypeKind::Scalar(scalar) => check(dialect, scalar, span).map(|()| scalar),
        _ => {
            let name = planish_ir::text::type_text(&module.types, ty);
            let text = format!("JavaScript has no values of type `{name}`");
            Err(Box::new(Diagnostic::error(ErrorCode::E0602, span, text)))
        }
    }
}

/// Whether the dialect has a type.
pub(crate) fn check(dialect: Dialect, scalar: Scalar, span: Span) -> Result<(), Box<Diagnostic>> {
    if dialect == Dialect::Asm && scalar.is_integer() && scalar.bits() == 64 {
        let text = format!("asm.js has no values of type `{}`", scalar.name());
        let error = Diagnostic::error(ErrorCode::E0602, span, text);
        return Err(Box::new(error.help("an ES module has, as `BigInt`: `--emit=js`")));
    }
    Ok(())
}

/// Writes a module.
pub(crate) fn write(module: &Module, dialect: Dialect, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let mut names = Names::new();
    helpers::names().for_each(|name| names.take(name));
    let program = names.fresh(&options.name, "program");
    let mut writer = Writer {
        module,
        dialect,
        errors: Vec::new(),
        needs: Needs::new(),
        funcs: SideTable::new(),
        vars: FxHashMap::default(),
        exports: Vec::new(),
    };
    writer.choose(&mut names);
    let context = Context {
        module,
        dialect,
        names: &names,
        funcs: &writer.funcs,
        vars: &writer.vars,
        results: 0,
    };
    let mut functions = Vec::new();
    for (func, _) in module.funcs.iter().filter(|(_, f)| f.body.is_some()) {
        functions.push((func, function::emit(&context, func, &mut writer.needs, &mut writer.errors)));
    }
    let text = match dialect {
        Dialect::Asm => writer.asm(&program, &functions),
        Dialect::Module => writer.es_module(&functions),
    };
    let declarations = match dialect {
        Dialect::Asm => String::new(),
        Dialect::Module => declarations::write(module, &writer.exports),
    };
    if writer.errors.is_empty() { Ok(Output { text, declarations }) } else { Err(writer.errors) }
}

/// Something that the host sees: the name in the output, and those outside.
#[derive(Clone, Debug)]
pub(crate) struct Export {
    pub(crate) what: Exported,
    pub(crate) name: String,
    pub(crate) outside: Vec<String>,
}

/// What is exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exported {
    Func(Func),
    Var(Var),
}

struct Writer<'a> {
    module: &'a Module,
    dialect: Dialect,
    errors: Vec<Diagnostic>,
    needs: Needs,
    funcs: SideTable<Func, String>,
    vars: FxHashMap<Var, String>,
    exports: Vec<Export>,
}

/// The name of an imported thing in the host's object of imports.
fn path(root: &str, import: &Import) -> String {
    let part = |name: &str| if is_identifier(name) { format!(".{name}") } else { format!("[{name:?}]") };
    format!("{root}{}{}", part(&import.module), part(&import.name))
}

impl Writer<'_> {
    /// Names everything; what is exported first, so that it keeps its name.
    fn choose(&mut self, names: &mut Names<'_>) {
        let module = self.module;
        for entry in &module.entry_points {
            let outside: Vec<String> = entry.names.iter().map(|n| n.to_string()).collect();
            if self.funcs[entry.func].is_empty() {
                self.funcs[entry.func] = names.fresh(outside.first().map_or("", |n| n), "f");
            }
            let name = self.funcs[entry.func].clone();
            self.exports.push(Export { what: Exported::Func(entry.func), name, outside });
        }
        for &var in module.globals.iter().filter(|&&v| module.vars[v].space == AddressSpace::Private) {
            let data = &module.vars[var];
            let name = names.fresh(&data.name.text, "g");
            self.vars.insert(var, name.clone());
            let outside: Vec<String> =
                data.linkage.iter().flat_map(|l| l.exports.iter().map(|n| n.to_string())).collect();
            if !outside.is_empty() {
                self.exports.push(Export { what: Exported::Var(var), name, outside });
            }
        }
        for (func, function) in module.funcs.iter() {
            if self.funcs[func].is_empty() {
                self.funcs[func] = names.fresh(&function.name.text, "f");
            }
        }
    }

    fn error(&mut self, code: ErrorCode, span: Span, text: impl Into<String>) {
        self.errors.push(Diagnostic::error(code, span, text.into()));
    }

    /// The variables of the module, a declaration a line.
    fn variables(&mut self) -> String {
        let mut out = String::new();
        let module = self.module;
        let read = module.globals.iter().copied().filter(|v| self.vars.contains_key(v));
        for var in read.collect::<Vec<_>>() {
            let data = &module.vars[var];
            let is_exported = self.exports.iter().any(|e| e.what == Exported::Var(var));
            if !is_exported && !module.is_named(var) {
                continue;
            }
            let scalar = match scalar_of(self.dialect, module, data.ty, data.span) {
                Ok(scalar) => scalar,
                Err(error) => {
                    self.errors.push(*error);
                    continue;
                }
            };
            let import = data.linkage.as_ref().and_then(|l| l.import.as_ref());
            if import.is_some() || data.linkage.as_ref().is_some_and(|l| l.computed.is_some()) {
                let text = format!("JavaScript cannot begin with the value of `{}`", data.name.text);
                self.error(ErrorCode::E0608, data.span, text);
                continue;
            }
            let bits = data.initializer.and_then(|c| module.consts.as_bits(c)).unwrap_or(0);
            let mut speaker = Speaker { dialect: self.dialect, needs: &mut self.needs };
            let value = speaker.literal(scalar, bits).text;
            let word = match (self.dialect, data.is_const) {
                (Dialect::Asm, _) => "var",
                (_, true) => "const",
                (_, false) => "let",
            };
            out.push_str(&format!("{word} {} = {value};\n", self.vars[&var]));
        }
        out
    }

    // asm.js.

    fn asm(&mut self, program: &str, functions: &[(Func, String)]) -> String {
        let variables = self.variables();
        let prelude = prelude(self.dialect, &self.needs, 0);
        let mut inside = prelude.imports;
        if self.needs.contains("trap") || prelude.functions.contains("trap(") {
            inside.push_str("var trap = foreign.trap;\n");
        }
        for (func, import) in &self.module.func_imports {
            inside.push_str(&format!("var {} = {};\n", self.funcs[*func], flat_path(import)));
        }
        for (view, array) in [("i32", "Int32Array"), ("f32", "Float32Array"), ("f64", "Float64Array")] {
            let of_helper = |h: &str| self.needs.contains(h);
            if self.needs.contains(view) || view != "f64" && (of_helper("f32_bits") || of_helper("bits_f32")) {
                inside.push_str(&format!("var {view} = new stdlib.{array}(heap);\n"));
            }
        }
        inside.push_str(&variables);
        inside.push_str(&prelude.functions);
        functions.iter().for_each(|(_, text)| inside.push_str(text));
        let mut exports = Vec::new();
        for export in self.exports.iter().filter(|e| matches!(e.what, Exported::Func(_))) {
            exports.extend(export.outside.iter().map(|n| (export.name.clone(), n.clone())));
        }
        let mut list = Vec::new();
        for (name, outside) in exports {
            if is_identifier(&outside) {
                list.push(format!("{outside}: {name}"));
            } else {
                list.push(format!("{name}: {name}"));
            }
        }
        inside.push_str(&format!("return {{ {} }};\n", list.join(", ")));
        let mut out = format!("function {program}(stdlib, foreign, heap) {{\n  \"use asm\";\n");
        for line in inside.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        out.push_str("}\n");
        out
    }

    // Modules.

    fn es_module(&mut self, functions: &[(Func, String)]) -> String {
        let variables = self.variables();
        let prelude = prelude(self.dialect, &self.needs, 0);
        let mut out = prelude.imports + &prelude.functions;
        let takes = !self.module.func_imports.is_empty();
        let mut inside = String::new();
        for (func, import) in &self.module.func_imports {
            inside.push_str(&format!("const {} = {};\n", self.funcs[*func], path("imports", import)));
        }
        inside.push_str(&variables);
        for (func, text) in functions {
            let name = &self.funcs[*func];
            let exported = self.exports.iter().any(|e| e.what == Exported::Func(*func) && e.outside.contains(name));
            inside.push_str(if exported && !takes { "export " } else { "" });
            inside.push_str(text);
        }
        if !takes {
            out.push_str(&inside);
            out.push_str(&self.other_exports());
            return out;
        }
        out.push_str("export function instantiate(imports) {\n");
        for line in inside.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        out.push_str(&format!("  return {{ {} }};\n}}\n", self.members().join(", ")));
        out
    }

    /// The exports that are not said where something is declared.
    fn other_exports(&self) -> String {
        let mut list = Vec::new();
        for export in &self.exports {
            for outside in &export.outside {
                let declared = matches!(export.what, Exported::Func(_)) && *outside == export.name;
                if !declared {
                    let name = if is_identifier(outside) { outside.clone() } else { format!("{outside:?}") };
                    let same = name == export.name;
                    list.push(if same { name } else { format!("{} as {name}", export.name) });
                }
            }
        }
        if list.is_empty() { String::new() } else { format!("export {{ {} }};\n", list.join(", ")) }
    }

    /// The members of what `instantiate` gives.
    fn members(&self) -> Vec<String> {
        let mut list = Vec::new();
        for export in &self.exports {
            for outside in &export.outside {
                let key = if is_identifier(outside) { outside.clone() } else { format!("{outside:?}") };
                list.push(match export.what {
                    Exported::Func(_) if key == export.name => key,
                    Exported::Func(_) => format!("{key}: {}", export.name),
                    Exported::Var(var) if self.module.vars[var].is_const => format!("{key}: {}", export.name),
                    Exported::Var(_) => {
                        let name = &export.name;
                        format!("get {key}() {{ return {name}; }}, set {key}(value) {{ {name} = value; }}")
                    }
                });
            }
        }
        list
    }
}

/// asm.js takes its imports from one object: by the second name alone.
fn flat_path(import: &Import) -> String {
    let name = if is_identifier(&import.name) { import.name.to_string() } else { "_".to_owned() };
    format!("foreign.{name}")
}
