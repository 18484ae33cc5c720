//! Prints a module in the text form. It accepts any module whose types and constants are valid, even if it is otherwise
//! invalid; parts that cannot be read back are marked with a question mark.

use std::fmt::Write;

use super::body::write_body;
use super::constants::write_const;
use super::labels::Taken;
use super::signature::write_signature;
use super::types::write_type;
use super::words::{
    DIRECTIONS, SOURCES, is_identifier, property_texts, word_of, write_decorations, write_precision, write_quoted,
};
use crate::arena::Id;
use crate::decoration::Name;
use crate::entity::{Func, Type, Var};
use crate::function::Function;
use crate::module::ElemItem;
use crate::module::{EntryPoint, Import, Language, Module, Offset, VarData};
use crate::spirv::{SpirvNeeds, SpirvOperand};
use crate::types::{AddressSpace, StructType};

/// The text form of a module.
///
/// # Example
/// ```
/// use planish_ir::module::{Language, Module};
/// assert_eq!(planish_ir::text::print(&Module::new(Language::Ir)), "module ir\n");
/// ```
pub fn print(module: &Module) -> String {
    let mut names = Names::new(module);
    let mut out = String::new();
    write_header(&mut out, module);
    write_structs(&mut out, module, &names);
    write_custom_ops(&mut out, module, &names);
    for &var in &module.globals {
        let Some(data) = module.vars.get(var) else { continue };
        write_var(&mut out, module, &names, var, data);
        out.push('\n');
    }
    write_machine(&mut out, module, &names);
    for (func, function) in module.funcs.iter() {
        write_function(&mut out, module, &mut names, func, function);
    }
    for (func, import) in &module.func_imports {
        let _ = write!(out, "import @{}", names.func(*func));
        write_import(&mut out, import);
        out.push('\n');
    }
    for entry in &module.entry_points {
        write_entry(&mut out, &names, entry);
    }
    out
}

/// The text form of one function, with the labels it has in the text form of its module.
pub fn print_function(module: &Module, func: Func) -> String {
    let mut names = Names::new(module);
    let mut out = String::new();
    if let Some(function) = module.funcs.get(func) {
        write_function(&mut out, module, &mut names, func, function);
    }
    out.trim_start().to_owned()
}

/// The labels of a module.
pub(super) struct Names {
    structs: Vec<String>,
    vars: Vec<String>,
    funcs: Vec<String>,
    taken: Taken,
    local: Taken,
}

impl Names {
    fn new(module: &Module) -> Self {
        let mut taken = Taken::default();
        let mut vars = vec![String::new(); module.vars.len()];
        for &var in &module.globals {
            if let Some(data) = module.vars.get(var) {
                vars[var.index()] = taken.label(&data.name.text, None);
            }
        }
        let funcs = module.funcs.values().map(|f| taken.label(&f.name.text, None)).collect();
        let mut taken_structs = Taken::default();
        let structs = module
            .types
            .iter()
            .map(|(ty, _)| module.types.as_struct(ty).map_or(String::new(), |s| taken_structs.label(&s.name, None)))
            .collect();
        Names { structs, vars, funcs, taken, local: Taken::default() }
    }

    pub(super) fn declare(&mut self, module: &Module, var: Var) {
        if let Some(data) = module.vars.get(var) {
            self.vars[var.index()] = self.local.label(&data.name.text, Some(&self.taken));
        }
    }

    pub(super) fn var(&self, var: Var) -> String {
        match self.vars.get(var.index()) {
            Some(label) if !label.is_empty() => label.clone(),
            _ => format!("?{var}"),
        }
    }

    pub(super) fn func(&self, func: Func) -> String {
        self.funcs.get(func.index()).cloned().unwrap_or_else(|| format!("?{func}"))
    }

    pub(super) fn write_type(&self, out: &mut String, module: &Module, ty: Type) {
        write_type(out, &module.types, ty, &|ty| format!("${}", self.structs[ty.index()]));
    }
}

fn write_header(out: &mut String, module: &Module) {
    let _ = match module.language {
        Language::Ir => writeln!(out, "module ir"),
        Language::Glsl { version, es } => writeln!(out, "module glsl {version}{}", if es { " es" } else { "" }),
        Language::Wgsl => writeln!(out, "module wgsl"),
        Language::Spirv => writeln!(out, "module spirv"),
        Language::Wasm => writeln!(out, "module wasm"),
        Language::Vl => writeln!(out, "module vl"),
    };
    for ((name, holds), (_, usually)) in module.facts.iter().zip(module.language.facts().iter()) {
        if holds != usually {
            let _ = writeln!(out, "{} {name}", if holds { "with" } else { "without" });
        }
    }
    for extension in &module.extensions {
        out.push_str("extension ");
        write_quoted(out, extension.as_bytes());
        out.push('\n');
    }
    let needs = &module.spirv_needs;
    if *needs != SpirvNeeds::default() {
        let _ = write!(out, "needs spirv 1.{}", needs.minor_version);
        out.push_str(if needs.vulkan_memory_model { " vulkan" } else { "" });
        for capability in &needs.capabilities {
            let _ = write!(out, " capability {capability}");
        }
        for extension in &needs.extensions {
            out.push_str(" extension ");
            write_quoted(out, extension.as_bytes());
        }
        out.push('\n');
    }
}

/// The label, followed by the name if they differ.
fn write_label(out: &mut String, sigil: char, label: &str, name: &str) {
    let _ = write!(out, "{sigil}{label}");
    if label != name {
        out.push(' ');
        write_quoted(out, name.as_bytes());
    }
}

pub(super) fn write_name(out: &mut String, name: &str) {
    if is_identifier(name) { out.push_str(name) } else { write_quoted(out, name.as_bytes()) }
}

fn write_source(out: &mut String, name: &Name) {
    let word = word_of(SOURCES, &name.source);
    if !word.is_empty() {
        let _ = write!(out, "{word} ");
    }
}

fn write_structs(out: &mut String, module: &Module, names: &Names) {
    for (ty, _) in module.types.iter() {
        if let Some(data) = module.types.as_struct(ty) {
            write_struct(out, module, names, ty, data);
        }
    }
}

fn write_struct(out: &mut String, module: &Module, names: &Names, ty: Type, data: &StructType) {
    out.push_str("\nstruct ");
    write_label(out, '$', &names.structs[ty.index()], &data.name);
    out.push_str(if data.is_block { " block {\n" } else { " {\n" });
    for member in &data.members {
        out.push_str("  ");
        write_name(out, &member.name);
        out.push_str(": ");
        names.write_type(out, module, member.ty);
        write_precision(out, member.precision);
        write_decorations(out, &member.decorations);
        out.push('\n');
    }
    out.push_str("}\n");
}

fn write_custom_ops(out: &mut String, module: &Module, names: &Names) {
    for row in module.custom_ops.values() {
        out.push_str("op ");
        write_name(out, &row.name);
        if let Some(signature) = row.signature {
            out.push(' ');
            names.write_type(out, module, signature);
        }
        let _ = write!(out, " {} cost {}", row.effect.name(), row.cost);
        if !row.phase.is_empty() {
            out.push_str(" phase ");
            write_name(out, &row.phase);
        }
        if let Some(instruction) = &row.spirv {
            let _ = write!(out, " spirv {}", instruction.opcode);
            if let Some(set) = &instruction.set {
                out.push_str(" of ");
                write_quoted(out, set.as_bytes());
            }
            out.push_str(" [");
            for (i, operand) in instruction.operands.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                match operand {
                    SpirvOperand::Value => out.push('_'),
                    SpirvOperand::Image => out.push_str("image"),
                    SpirvOperand::Literal(word) => {
                        let _ = write!(out, "{word}");
                    }
                    SpirvOperand::Texel(ty) | SpirvOperand::Type(ty) => {
                        out.push_str(if matches!(operand, SpirvOperand::Type(_)) { "type " } else { "texel " });
                        names.write_type(out, module, *ty);
                    }
                }
            }
            out.push(']');
            out.push_str(if instruction.ends { " ends" } else { "" });
        }
        out.push('\n');
    }
}

/// The declaration of a variable, without indentation and line end.
pub(super) fn write_var(out: &mut String, module: &Module, names: &Names, var: Var, data: &VarData) {
    out.push_str("var ");
    if data.space != AddressSpace::Function {
        let _ = write!(out, "{} ", data.space.name());
    }
    write_source(out, &data.name);
    if data.is_const {
        out.push_str("const ");
    }
    write_label(out, '@', &names.var(var), &data.name.text);
    out.push_str(": ");
    names.write_type(out, module, data.ty);
    write_precision(out, data.precision);
    write_decorations(out, &data.decorations);
    if let Some(initializer) = data.initializer {
        out.push_str(" = ");
        write_const(out, module, names, initializer);
    }
    if let Some(linkage) = &data.linkage {
        write_outside(out, linkage.import.as_ref(), &linkage.exports);
        if let Some(computed) = linkage.computed {
            let _ = write!(out, " computed @{}", names.func(computed));
        }
    }
}

fn write_import(out: &mut String, import: &Import) {
    for name in [&import.module, &import.name] {
        out.push(' ');
        write_quoted(out, name.as_bytes());
    }
}

fn write_outside(out: &mut String, import: Option<&Import>, exports: &[std::sync::Arc<str>]) {
    if let Some(import) = import {
        out.push_str(" import");
        write_import(out, import);
    }
    for name in exports {
        out.push_str(" export ");
        write_quoted(out, name.as_bytes());
    }
}

/// Memories, tables and segments.
fn write_machine(out: &mut String, module: &Module, names: &Names) {
    for (id, data) in module.memories.iter() {
        let _ = write!(out, "memory {id} min {}", data.min_pages);
        if let Some(max) = data.max_pages {
            let _ = write!(out, " max {max}");
        }
        write_outside(out, data.import.as_ref(), &data.exports);
        out.push('\n');
    }
    for (id, data) in module.tables.iter() {
        let _ = write!(out, "table {id} ");
        names.write_type(out, module, data.element);
        let _ = write!(out, " min {}", data.min);
        if let Some(max) = data.max {
            let _ = write!(out, " max {max}");
        }
        write_outside(out, data.import.as_ref(), &data.exports);
        out.push('\n');
    }
    for (id, data) in module.data.iter() {
        let _ = write!(out, "data {id} ");
        if let Some((memory, offset)) = data.active {
            let _ = write!(out, "in {memory} at {} ", offset_text(names, offset));
        }
        write_quoted(out, &data.bytes);
        out.push('\n');
    }
    for (id, data) in module.elems.iter() {
        let _ = write!(out, "elem {id} ");
        names.write_type(out, module, data.element);
        out.push(' ');
        if let Some((table, offset)) = data.active {
            let _ = write!(out, "in {table} at {} ", offset_text(names, offset));
        }
        let items: Vec<String> = data.items.iter().map(|&item| item_text(names, item)).collect();
        let _ = writeln!(out, "[{}]", items.join(", "));
    }
    if let Some(start) = module.start {
        let _ = writeln!(out, "start @{}", names.func(start));
    }
}

fn item_text(names: &Names, item: ElemItem) -> String {
    match item {
        ElemItem::Null => "null".into(),
        ElemItem::Func(func) => format!("@{}", names.func(func)),
        ElemItem::Var(var) => format!("@{}", names.var(var)),
    }
}

fn offset_text(names: &Names, offset: Offset) -> String {
    match offset {
        Offset::Const(n) => n.to_string(),
        Offset::Var(var) => format!("@{}", names.var(var)),
    }
}

fn write_function(out: &mut String, module: &Module, names: &mut Names, func: Func, function: &Function) {
    names.local = Taken::default();
    out.push_str("\nfn ");
    write_source(out, &function.name);
    write_label(out, '@', &names.func(func), &function.name.text);
    out.push('(');
    for (i, param) in function.params.iter().enumerate() {
        out.push_str(if i > 0 { ", " } else { "" });
        let direction = word_of(DIRECTIONS, &param.direction);
        if !direction.is_empty() {
            let _ = write!(out, "{direction} ");
        }
        write_source(out, &param.name);
        let _ = write!(out, "%{i}");
        if !param.name.text.is_empty() {
            out.push(' ');
            write_name(out, &param.name.text);
        }
        out.push_str(": ");
        names.write_type(out, module, param.ty);
        write_precision(out, param.precision);
    }
    out.push(')');
    if !function.results.is_empty() {
        out.push_str(" -> (");
        for (i, result) in function.results.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            names.write_type(out, module, result.ty);
            write_precision(out, result.precision);
        }
        out.push(')');
    }
    if let Some(signature) = &function.signature {
        out.push_str(" shape");
        write_signature(out, signature);
    }
    write_decorations(out, &function.decorations);
    if let Some(body) = &function.body {
        write_body(out, module, names, body);
    }
    out.push('\n');
}

fn write_entry(out: &mut String, names: &Names, entry: &EntryPoint) {
    match entry.stage {
        Some(stage) => {
            let _ = write!(out, "entry {} ", stage.name());
        }
        None => out.push_str("export "),
    }
    let _ = write!(out, "@{}", names.func(entry.func));
    for name in &entry.names {
        out.push(' ');
        write_quoted(out, name.as_bytes());
    }
    for word in property_texts(&entry.properties) {
        let _ = write!(out, " {word}");
    }
    out.push('\n');
}
