//! Text around the functions: imports, variables, exports.

use planish_ir::arena::SideTable;
use planish_ir::custom;
use planish_ir::diagnostic::{Code as ErrorCode, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::{Import, Module};
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::function::{self, Context};
use crate::helpers::{self, Needs, prelude};
use crate::names::{Names, is_identifier};
use crate::ops::OpWriter;
use crate::state::Memories;
use crate::tables::Tables;
use crate::{Dialect, Options, Output, declarations, slices};

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
    custom::check(module)?;
    let mut names = Names::new();
    helpers::names(dialect).into_iter().for_each(|name| names.take(name));
    let program = names.fresh(&options.name, "program");
    let mut writer = Writer {
        module,
        dialect,
        errors: Vec::new(),
        needs: Needs::new(),
        funcs: SideTable::new(),
        vars: FxHashMap::default(),
        exports: Vec::new(),
        accessors: Vec::new(),
    };
    writer.choose(&mut names);
    if dialect == Dialect::Asm {
        slices::refuse(module, &options.slices, &mut writer.errors);
    }
    let memories = Memories::new(module, dialect, &options.slices, &mut names, &mut writer.errors);
    let tables = Tables::new(module, dialect, &mut names, &mut writer.errors);
    let context = Context {
        module,
        dialect,
        names: &names,
        funcs: &writer.funcs,
        vars: &writer.vars,
        views: &memories.views,
        growths: &memories.growths,
        data: &memories.data,
        slices: &options.slices,
        tables: &tables,
        results: memories.bytes,
    };
    let mut functions = Vec::new();
    for (func, _) in module.funcs.iter().filter(|(_, f)| f.body.is_some()) {
        functions.push((func, function::emit(&context, func, &mut writer.needs, &mut writer.errors)));
    }
    let text = match dialect {
        Dialect::Asm => writer.asm(&program, &functions, &memories),
        Dialect::Module => writer.es_module(&functions, &memories, &tables),
    };
    let declarations = match dialect {
        Dialect::Asm => String::new(),
        Dialect::Module => declarations::write(module, &writer.exports, &options.slices, writer.takes()),
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

/// The exported entity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// Of exported variables that change: the functions that get and set them (asm.js).
    accessors: Vec<(Var, [String; 2])>,
}

/// The name of an imported thing in the host's object of imports.
fn path(root: &str, import: &Import) -> String {
    let part = |name: &str| if is_identifier(name) { format!(".{name}") } else { format!("[{name:?}]") };
    format!("{root}{}{}", part(&import.module), part(&import.name))
}

impl Writer<'_> {
    /// Names everything; exports first, so that they keep their names.
    fn choose(&mut self, names: &mut Names<'_>) {
        let module = self.module;
        let mut given: FxHashSet<String> = FxHashSet::default();
        for entry in &module.entry_points {
            // Stages may have one name each and the same.
            let outside = entry.names.iter().map(|n| {
                let mut name = n.to_string();
                while !given.insert(name.clone()) {
                    name = format!("{name}_{}", entry.stage.map_or("again", planish_ir::module::Stage::name));
                }
                name
            });
            let outside: Vec<String> = outside.collect();
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
                if self.dialect == Dialect::Asm && !data.is_const {
                    let both = ["get", "set"].map(|word| names.fresh(&format!("{word}_{}", outside[0]), word));
                    self.accessors.push((var, both));
                }
                self.exports.push(Export { what: Exported::Var(var), name, outside });
            }
        }
        // A module without exports is a library: all that it has is for others.
        let is_library = self.exports.is_empty() && module.start.is_none();
        for (func, function) in module.funcs.iter() {
            if self.funcs[func].is_empty() {
                self.funcs[func] = names.fresh(&function.name.text, "f");
            }
            if is_library && function.body.is_some() {
                let name = self.funcs[func].clone();
                self.exports.push(Export { what: Exported::Func(func), outside: vec![name.clone()], name });
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
        let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
        let named = bodies.flat_map(|b| b.nodes().flat_map(|(node, _)| b.args(node))).filter_map(|a| a.as_var());
        let exported =
            self.exports.iter().filter_map(|e| if let Exported::Var(var) = e.what { Some(var) } else { None });
        let wanted: FxHashSet<Var> = named.chain(exported).collect();
        for &var in
            module.globals.iter().filter(|&v| wanted.contains(v) && self.vars.contains_key(v)).collect::<Vec<_>>()
        {
            let data = &module.vars[var];
            let scalar = match scalar_of(self.dialect, module, data.ty, data.span) {
                Ok(scalar) => scalar,
                Err(error) => {
                    self.errors.push(*error);
                    continue;
                }
            };
            let name = self.vars[&var].clone();
            let import = data.linkage.as_ref().and_then(|l| l.import.as_ref());
            let computed = data.linkage.as_ref().and_then(|l| l.computed).filter(|_| self.dialect == Dialect::Module);
            if let Some(import) = import {
                if !data.is_const {
                    let text = format!("`{}` is the host's to change, which a program in JavaScript cannot see", name);
                    self.error(ErrorCode::E0608, data.span, text);
                }
                out.push_str(&self.imported(&name, import, scalar));
                continue;
            }
            let bits = data.initializer.and_then(|c| module.consts.as_bits(c)).unwrap_or(0);
            let mut writer = OpWriter { dialect: self.dialect, needs: &mut self.needs };
            // A variable of asm.js begins with a signed integer.
            let unsigned = self.dialect == Dialect::Asm && scalar == Scalar::U32;
            let value = writer.literal(if unsigned { Scalar::I32 } else { scalar }, bits).text;
            let value = computed.map_or(value, |func| format!("{}()", self.funcs[func]));
            let word = match (self.dialect, data.is_const) {
                (Dialect::Asm, _) => "var",
                (_, true) => "const",
                (_, false) => "let",
            };
            out.push_str(&format!("{word} {name} = {value};\n"));
        }
        out
    }

    /// A variable that the host gives the value of.
    fn imported(&mut self, name: &str, import: &Import, scalar: Scalar) -> String {
        if self.dialect == Dialect::Module {
            return format!("const {name} = {};\n", path("imports", import));
        }
        let place = flat_path(import);
        match scalar {
            Scalar::F64 => format!("var {name} = +{place};\n"),
            Scalar::F32 => {
                self.needs.insert("fround");
                format!("var {name} = fround({place});\n")
            }
            _ => format!("var {name} = {place} | 0;\n"),
        }
    }

    /// Whether the host must give something before there is anything to call.
    fn takes(&self) -> bool {
        let of_var = |l: &planish_ir::module::Linkage| l.import.is_some();
        let is_imported = |v: &Var| self.module.vars[*v].linkage.as_ref().is_some_and(|l| of_var(l));
        !self.module.func_imports.is_empty() || self.module.globals.iter().any(is_imported)
    }

    // asm.js.

    fn asm(&mut self, program: &str, functions: &[(Func, String)], memories: &Memories) -> String {
        let variables = self.variables();
        let begin = self.begin_asm(memories);
        helpers::close(&mut self.needs);
        let prelude = prelude(self.dialect, &self.needs, memories.bytes);
        let mut inside = prelude.imports;
        for (func, import) in &self.module.func_imports {
            inside.push_str(&format!("var {} = {};\n", self.funcs[*func], flat_path(import)));
        }
        inside.push_str(&variables);
        inside.push_str(&prelude.functions);
        functions.iter().for_each(|(_, text)| inside.push_str(text));
        inside.push_str(&begin);
        inside.push_str(&self.accessors());
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
        if begin.is_empty() && list.is_empty() {
            // There must be something to export.
            inside.push_str("function initialize() {}\n");
        }
        if !begin.is_empty() || list.is_empty() {
            list.push("initialize: initialize".to_owned());
        }
        list.extend(self.accessors.iter().flat_map(|(_, names)| names.iter().map(|n| format!("{n}: {n}"))));
        inside.push_str(&format!("return {{ {} }};\n", list.join(", ")));
        let mut out = format!("function {program}(stdlib, foreign, heap) {{\n  \"use asm\";\n");
        for line in inside.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        out.push_str("}\n");
        out.push_str(&self.properties(program, memories));
        out
    }

    /// The functions that reach exported variables which change (asm.js).
    fn accessors(&self) -> String {
        let mut out = String::new();
        for (var, [get, set]) in &self.accessors {
            let name = &self.vars[var];
            let taken = |what: &str| match self.module.types.scalar_of(self.module.vars[*var].ty) {
                Some(Scalar::F64) => format!("+{what}"),
                Some(Scalar::F32) => format!("fround({what})"),
                _ => format!("{what} | 0"),
            };
            out.push_str(&format!("function {get}() {{ return {}; }}\n", taken(name)));
            out.push_str(&format!("function {set}(x) {{ x = {}; {name} = x; }}\n", taken("x")));
        }
        out
    }

    /// The function that runs before the first call: data, computed initial values, and the start function (asm.js).
    /// Empty if it has nothing to do.
    fn begin_asm(&mut self, memories: &Memories) -> String {
        let mut lines = memories.stores(self.module, &mut self.needs);
        for &var in &self.module.globals {
            let data = &self.module.vars[var];
            if let Some(func) = data.linkage.as_ref().and_then(|l| l.computed) {
                let call = format!("{}()", self.funcs[func]);
                let value = match self.module.types.scalar_of(data.ty) {
                    Some(Scalar::F64) => format!("+{call}"),
                    Some(Scalar::F32) => format!("fround({call})"),
                    _ => format!("{call} | 0"),
                };
                lines.push(format!("{} = {value};", self.vars[&var]));
            }
        }
        lines.extend(self.module.start.map(|func| format!("{}();", self.funcs[func])));
        if lines.is_empty() {
            return String::new();
        }
        let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        format!("function initialize() {{\n{lines}}}\n")
    }

    /// Properties for the host of asm.js: size of the heap in bytes, and addresses of exported variables.
    fn properties(&self, program: &str, memories: &Memories) -> String {
        let mut out = String::new();
        if helpers::has_views(&self.needs) {
            out.push_str(&format!("{program}.bytes = {};\n", (memories.bytes + RESULTS).next_power_of_two()));
        }
        let mut addresses = Vec::new();
        for export in &self.exports {
            let Exported::Var(var) = export.what else { continue };
            let data = &self.module.vars[var];
            let value = data.initializer.filter(|_| data.is_const);
            if let Some(value) = value.and_then(|c| self.module.consts.as_integer(&self.module.types, c)) {
                let key = |name: &String| if is_identifier(name) { name.clone() } else { format!("{name:?}") };
                addresses.extend(export.outside.iter().map(|n| format!("{}: {value}", key(n))));
            }
        }
        if !addresses.is_empty() {
            out.push_str(&format!("{program}.addresses = {{ {} }};\n", addresses.join(", ")));
        }
        out
    }

    // Modules.

    fn es_module(&mut self, functions: &[(Func, String)], memories: &Memories, tables: &Tables) -> String {
        let variables = self.variables();
        let prelude = prelude(self.dialect, &self.needs, 0);
        let mut out = prelude.imports + &prelude.functions;
        let takes = self.takes();
        let mut inside = String::new();
        for (func, import) in &self.module.func_imports {
            inside.push_str(&format!("const {} = {};\n", self.funcs[*func], path("imports", import)));
        }
        inside.push_str(&memories.declared(self.module));
        inside.push_str(&tables.declared(self.module, &|func| self.funcs[func].clone()));
        inside.push_str(&variables);
        let outside = self.exports.iter().flat_map(|e| e.outside.iter().map(move |n| (e.what, n)));
        let exported: FxHashSet<(Exported, &String)> = outside.collect();
        for (func, text) in functions {
            let is_exported = exported.contains(&(Exported::Func(*func), &self.funcs[*func]));
            inside.push_str(if is_exported && !takes { "export " } else { "" });
            inside.push_str(text);
        }
        if let Some(start) = self.module.start {
            inside.push_str(&format!("{}();\n", self.funcs[start]));
        }
        if !takes {
            out.push_str(&inside);
            out.push_str(&self.other_exports(memories));
            return out;
        }
        out.push_str("export function instantiate(imports) {\n");
        for line in inside.lines() {
            out.push_str(&format!("  {line}\n"));
        }
        out.push_str(&format!("  return {{ {} }};\n}}\n", self.members(memories).join(", ")));
        out
    }

    /// The exports that are not said where something is declared.
    fn other_exports(&self, memories: &Memories) -> String {
        let mut list: Vec<String> = Vec::new();
        for (name, outside) in memories.exports(self.module) {
            list.push(if name == outside { name } else { format!("{name} as {outside}") });
        }
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

    /// The members of the object that `instantiate` returns.
    fn members(&self, memories: &Memories) -> Vec<String> {
        let mut list = Vec::new();
        for (name, outside) in memories.exports(self.module) {
            list.push(format!("get {outside}() {{ return {name}; }}"));
        }
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

/// Bytes after the memory for results.
const RESULTS: u32 = 1 << 16;

/// asm.js takes its imports from one object: by the second name alone.
fn flat_path(import: &Import) -> String {
    let name = if is_identifier(&import.name) { import.name.to_string() } else { "_".to_owned() };
    format!("foreign.{name}")
}
