//! Public functions: those whose parameters and results are numbers are the program's own, and the others take arrays and
//! tuples apart for it.

use planish_back_text::Dialect;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::function::Function;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::writer::Writer;

/// A function that the host calls.
pub(crate) struct Export {
    pub(crate) func: Func,
    /// Its name in Rust.
    pub(crate) name: String,
    /// Its name in the program.
    pub(crate) outside: String,
    /// Whether it is the function of the program itself.
    pub(crate) is_direct: bool,
}

/// The exports of a module.
///
/// # Errors
/// E0602 for types of parameters and results that Rust does not show.
pub(crate) fn find(
    source: &Module,
    lowered: &Module,
    sanitize: impl Fn(&str) -> String,
) -> Result<Vec<Export>, Vec<Diagnostic>> {
    let mut found: Vec<Export> = Vec::new();
    let mut errors = Vec::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut direct: FxHashSet<Func> = FxHashSet::default();
    // A module without exports is a library.
    let all = if source.entry_points.is_empty() { own_functions(source) } else { Vec::new() };
    for entry in source.entry_points.iter().chain(&all).filter(|entry| entry.stage.is_none()) {
        let data = &source.funcs[entry.func];
        let types = || data.params.iter().map(|p| p.ty).chain(data.results.iter().map(|r| r.ty));
        if let Some(ty) = types().find(|&ty| count(source, ty).is_none()) {
            let name = planish_ir::text::type_text(&source.types, ty);
            let text = format!("`{}` cannot be called from Rust: it has a value of type `{name}`", data.name.text);
            let error = Diagnostic::error(Code::E0602, source.place_of(entry.func), text);
            errors.push(error.help("export a function of numbers, vectors, matrices, arrays and structs"));
            continue;
        }
        let parts = |types: &mut dyn Iterator<Item = Type>| -> usize { types.filter_map(|ty| count(source, ty)).sum() };
        let own = &lowered.funcs[entry.func];
        let is_same = parts(&mut data.params.iter().map(|p| p.ty)) == own.params.len()
            && parts(&mut data.results.iter().map(|r| r.ty)) == own.results.len();
        if !is_same {
            let text = format!("`{}` cannot be called from Rust: it takes a pointer", data.name.text);
            let error = Diagnostic::error(Code::E0604, source.place_of(entry.func), text);
            errors.push(error.help("return the value instead"));
            continue;
        }
        let is_scalar = types().all(|ty| matches!(source.types[ty], TypeKind::Scalar(_)));
        for outside in &entry.names {
            let mut name = sanitize(outside);
            let base = name.clone();
            let mut number = 2;
            while !taken.insert(name.clone()) {
                name = format!("{base}_{number}");
                number += 1;
            }
            let is_direct = is_scalar && data.body.is_some() && direct.insert(entry.func);
            found.push(Export { func: entry.func, name, outside: outside.to_string(), is_direct });
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

/// Every function with a body, under its own name.
fn own_functions(module: &Module) -> Vec<EntryPoint> {
    let with_body = module.funcs.iter().filter(|(_, function)| function.body.is_some());
    let entry = |(func, function): (Func, &Function)| {
        let names = vec![function.name.text.clone()];
        EntryPoint { names, func, stage: None, properties: StageProperties::default() }
    };
    with_body.map(entry).collect()
}

/// The numbers in a value of a type; `None` for types that Rust does not show.
/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn count(module: &Module, ty: Type) -> Option<usize> {
    Some(match &module.types[ty] {
        TypeKind::Scalar(_) => 1,
        TypeKind::Vector(_, n) => usize::from(*n),
        TypeKind::Matrix { columns, rows, .. } => usize::from(*columns) * usize::from(*rows),
        TypeKind::Array { element, len } => count(module, *element)? * (*len as usize),
        TypeKind::Struct(structure) => {
            structure.members.iter().map(|member| count(module, member.ty)).sum::<Option<usize>>()?
        }
        _ => return None,
    })
}

/// A type as the host sees it: vectors and matrices are arrays, structs tuples.
/// Recursion: see [`count`].
fn type_text(module: &Module, ty: Type) -> String {
    let array = |scalar: &Scalar, n: u8| format!("[{}; {n}]", scalar.name());
    match &module.types[ty] {
        TypeKind::Scalar(scalar) => scalar.name().to_owned(),
        TypeKind::Vector(scalar, n) => array(scalar, *n),
        TypeKind::Matrix { scalar, columns, rows } => format!("[{}; {columns}]", array(scalar, *rows)),
        TypeKind::Array { element, len } => format!("[{}; {len}]", type_text(module, *element)),
        TypeKind::Struct(structure) => {
            tuple(structure.members.iter().map(|member| type_text(module, member.ty)).collect())
        }
        _ => "()".to_owned(),
    }
}

fn tuple(parts: Vec<String>) -> String {
    match &parts[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", parts.join(", ")),
    }
}

/// Adds the numbers of a value, as expressions.
/// Recursion: see [`count`].
fn take_apart(module: &Module, ty: Type, value: &str, out: &mut Vec<String>) {
    match &module.types[ty] {
        TypeKind::Vector(_, n) => out.extend((0..*n).map(|i| format!("{value}[{i}]"))),
        TypeKind::Matrix { columns, rows, .. } => {
            for column in 0..*columns {
                out.extend((0..*rows).map(|row| format!("{value}[{column}][{row}]")));
            }
        }
        TypeKind::Array { element, len } => {
            (0..*len).for_each(|i| take_apart(module, *element, &format!("{value}[{i}]"), out));
        }
        TypeKind::Struct(structure) => {
            for (i, member) in structure.members.iter().enumerate() {
                take_apart(module, member.ty, &format!("{value}.{i}"), out);
            }
        }
        _ => out.push(value.to_owned()),
    }
}

/// A value made of numbers.
/// Recursion: see [`count`].
fn put_together(module: &Module, ty: Type, next: &mut dyn FnMut() -> String) -> String {
    match &module.types[ty] {
        TypeKind::Vector(_, n) => format!("[{}]", (0..*n).map(|_| next()).collect::<Vec<_>>().join(", ")),
        TypeKind::Matrix { columns, rows, .. } => {
            let mut column = || format!("[{}]", (0..*rows).map(|_| next()).collect::<Vec<_>>().join(", "));
            format!("[{}]", (0..*columns).map(|_| column()).collect::<Vec<_>>().join(", "))
        }
        TypeKind::Array { element, len } => {
            let parts: Vec<String> = (0..*len).map(|_| put_together(module, *element, next)).collect();
            format!("[{}]", parts.join(", "))
        }
        TypeKind::Struct(structure) => {
            tuple(structure.members.iter().map(|member| put_together(module, member.ty, next)).collect())
        }
        _ => next(),
    }
}

/// The text of a public function that calls one of the program.
pub(crate) fn adapter(w: &Writer<'_>, source: &Module, export: &Export) -> String {
    let data = &source.funcs[export.func];
    let inner = w.known_func(export.func).map(|symbol| w.name(symbol)).unwrap_or_default();
    let mut names: FxHashMap<String, u32> = FxHashMap::default();
    let (mut params, mut args) = (Vec::new(), Vec::new());
    for param in &data.params {
        let hint = crate::output::local_name(&w.words(), &param.name.text);
        let times = names.entry(hint.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { hint } else { format!("{hint}_{times}") };
        params.push(format!("{name}: {}", type_text(source, param.ty)));
        take_apart(source, param.ty, &name, &mut args);
    }
    let call = format!("{inner}({})", args.join(", "));
    let types: Vec<String> = data.results.iter().map(|result| type_text(source, result.ty)).collect();
    let shown = match &types[..] {
        [one] => one.clone(),
        _ => tuple(types),
    };
    let traps = w.trapping.contains(&export.func);
    let count = w.module.funcs[export.func].results.len();
    let is_same = data.results.iter().all(|result| matches!(source.types[result.ty], TypeKind::Scalar(_)));
    let outside = export.outside.replace(['\n', '\r'], " ");
    let mut text = format!("/// The function `{outside}`.\n");
    if traps {
        text.push_str("///\n/// # Errors\n/// A [`Trap`].\n");
    }
    let shown = if traps { format!("Result<{shown}, Trap>") } else { shown };
    let arrow = if shown == "()" { String::new() } else { format!(" -> {shown}") };
    text.push_str(&format!("#[inline]\npub fn {}({}){arrow} {{\n", export.name, params.join(", ")));
    if is_same {
        text.push_str(&format!("    {call}\n}}\n"));
        return text;
    }
    let mark = if traps { "?" } else { "" };
    let mut at = 0;
    let mut next = || {
        at += 1;
        if count == 1 { "result".to_owned() } else { format!("result.{}", at - 1) }
    };
    let values: Vec<String> = data.results.iter().map(|r| put_together(source, r.ty, &mut next)).collect();
    let value = match &values[..] {
        [one] => one.clone(),
        _ => tuple(values),
    };
    let head = if count == 0 { format!("    {call}{mark};\n") } else { format!("    let result = {call}{mark};\n") };
    text.push_str(&head);
    text.push_str(&if traps { format!("    Ok({value})\n}}\n") } else { format!("    {value}\n}}\n") });
    text
}
