//! The struct of a program's state: its declaration, the function that makes one, the trait of the host's functions.

use std::fmt::Write as _;

use planish_back_text::tree::Symbol;
use planish_ir::entity::{Const, Func, Table, Type};
use planish_ir::module::{ElemItem, MemoryData, Module, Offset};
use planish_ir::types::TypeKind;

use crate::exports::{Structs, one_line, plain_result, shown_results, type_text};
use crate::machine::indirect_name;
use crate::number::literal;
use crate::state::{Imported, is_made, value_type};
use crate::writer::Writer;

/// The methods and segments that `new` uses.
pub(crate) fn needs(w: &mut Writer<'_>) {
    let module = w.module;
    if w.state.memories.iter().any(Option::is_some) {
        w.methods.extend(["Memory::new", "Memory::pages"]);
        if w.state.is_instance() {
            w.methods.insert("Memory::bytes");
        }
    }
    if !module.tables.is_empty() {
        w.methods.insert("Table::new");
    }
    for (id, data) in module.data.iter() {
        if data.active.is_some() {
            w.methods.insert("Memory::init");
        }
        let is_mentioned = data.active.is_some() || w.state.data[id.as_u32() as usize].is_some();
        if is_mentioned && !data.bytes.is_empty() {
            w.data.insert(id);
        }
    }
    for (id, elem) in module.elems.iter() {
        if elem.active.is_some() || w.state.elems[id.as_u32() as usize].is_some() {
            w.elems.insert(id);
        }
        if elem.active.is_some() {
            w.methods.insert("Table::init");
            if elem.items.iter().any(|item| matches!(item, ElemItem::Var(_))) {
                w.methods.insert("Table::set");
            }
        }
    }
    let items = w.elems.iter().flat_map(|&id| &module.elems[id].items).filter_map(|item| item.as_func());
    let items: Vec<Func> = items.collect();
    w.references.extend(items);
}

/// Fields that `new` reads.
pub(crate) fn read_by_new(w: &Writer<'_>) -> Vec<String> {
    let module = w.module;
    let offsets = module.data.values().filter_map(|data| Some(data.active?.1));
    let offsets = offsets.chain(module.elems.values().filter_map(|elem| Some(elem.active?.1)));
    let offsets = offsets.filter_map(|offset| if let Offset::Var(var) = offset { Some(var) } else { None });
    let items = module.elems.values().flat_map(|elem| &elem.items);
    let items = items.filter_map(|item| if let ElemItem::Var(var) = *item { Some(var) } else { None });
    let targets = module.data.values().filter_map(|data| Some(w.state.memory(data.active?.0).to_owned()));
    let tables = module.elems.values().filter_map(|elem| Some(w.state.table(elem.active?.0).to_owned()));
    offsets.chain(items).map(|var| w.state.var(var).to_owned()).chain(targets).chain(tables).collect()
}

/// Whether `new` may trap.
pub(crate) fn may_trap(w: &Writer<'_>) -> bool {
    let module = w.module;
    let is_trapping = |func: Func| w.trapping.contains(&func);
    w.state.memories.iter().any(Option::is_some)
        || !module.tables.is_empty()
        || module.start.is_some_and(is_trapping)
        || computed(w).any(|(_, func)| is_trapping(func))
}

fn computed<'a>(w: &'a Writer<'_>) -> impl Iterator<Item = (&'a str, Func)> {
    let of = |(var, name): &'a (planish_ir::entity::Var, String)| {
        Some((name.as_str(), w.module.vars[*var].linkage.as_ref()?.computed?))
    };
    w.state.vars.iter().filter_map(of)
}

/// The call of a function of the program, from `owner`: `self` or `module`.
pub(crate) fn call_text(w: &Writer<'_>, func: Func, owner: &str, args: &[String]) -> String {
    let name = w.known_func(func).map(|symbol: Symbol| w.name(symbol)).unwrap_or_default();
    match name.strip_prefix("self.") {
        Some(name) => format!("{owner}.{name}({})", args.join(", ")),
        None if name.starts_with("I::") => {
            let owner = if owner == "self" { owner.to_owned() } else { format!("&mut {owner}") };
            format!("{name}({})", [std::slice::from_ref(&owner), args].concat().join(", "))
        }
        None => format!("{name}({})", args.join(", ")),
    }
}

/// Such a call, whose trap is handed on.
fn checked_call(w: &Writer<'_>, func: Func) -> String {
    let mark = if w.trapping.contains(&func) { "?" } else { "" };
    call_text(w, func, "module", &[]) + mark
}

/// The declaration of the struct.
pub(crate) fn declaration(w: &Writer<'_>) -> String {
    let (module, state) = (w.module, w.state);
    let is_instance = state.is_instance();
    let mut out = String::new();
    out.push_str(match is_instance {
        true => "/// An instance of the program.\n#[derive(Clone, Debug)]\npub ",
        false => "/// The memory of one call.\n",
    });
    let head = if state.imports.is_empty() { state.type_text() } else { "Module<I: Imports>" };
    let _ = writeln!(out, "struct {head} {{");
    if !state.imports.is_empty() {
        out.push_str("    /// The host's own.\n    pub imports: I,\n");
    }
    if is_instance && w.sees_stack {
        out.push_str("    /// Calls do not begin below this address of the stack: 0 for no limit.\n    pub stack_limit: usize,\n");
    }
    let unread = |out: &mut String, name: &str| {
        if !w.read_fields.contains(name) {
            out.push_str("    #[allow(dead_code)]\n");
        }
    };
    let exported = |out: &mut String, what: &str, exports: &[std::sync::Arc<str>]| match exports.first() {
        Some(name) if is_instance => {
            let _ = writeln!(out, "    /// The {what} `{}`.", one_line(name));
            "pub "
        }
        _ => "",
    };
    for (data, name) in module.memories.values().zip(&state.memories) {
        let Some(name) = name else { continue };
        // (What the host gave it may take back.)
        let visible = match &data.import {
            Some(import) if data.exports.is_empty() => {
                let [name, of] = [&import.name, &import.module].map(|text| one_line(text));
                let _ = writeln!(out, "    /// `{name}` of `{of}`.");
                "pub "
            }
            _ => exported(&mut out, "memory", &data.exports),
        };
        if visible.is_empty() {
            unread(&mut out, name);
        }
        let _ = writeln!(out, "    {visible}{name}: Memory,");
    }
    for name in &state.tables {
        unread(&mut out, name);
        let _ = writeln!(out, "    {name}: Table,");
    }
    for name in state.data.iter().flatten() {
        unread(&mut out, name);
        let _ = writeln!(out, "    {name}: &'static [u8],");
    }
    for (elem, name) in module.elems.values().zip(&state.elems) {
        let ty = if is_made(elem) { "alloc::vec::Vec<Option<u32>>" } else { "&'static [Option<u32>]" };
        if let Some(name) = name {
            unread(&mut out, name);
            let _ = writeln!(out, "    {name}: {ty},");
        }
    }
    if state.has_tokens {
        out.push_str("    token: u64,\n");
    }
    for (var, name) in &state.vars {
        let data = &module.vars[*var];
        let exports = data.linkage.as_ref().map(|linkage| &linkage.exports[..]).unwrap_or_default();
        let visible = exported(&mut out, "variable", exports);
        if visible.is_empty() {
            unread(&mut out, name);
        }
        let ty = value_type(&module.types[data.ty]).unwrap_or("()");
        let _ = writeln!(out, "    {visible}{name}: {ty},");
    }
    out + "}\n"
}

/// The text of a constant.
fn constant(module: &Module, c: Const) -> String {
    match (&module.types[module.consts[c].ty], module.consts.as_bits(c)) {
        (TypeKind::Scalar(scalar), Some(bits)) => literal(*scalar, bits, false),
        (TypeKind::Token, bits) => bits.unwrap_or(0).to_string(),
        _ => "None".to_owned(),
    }
}

fn first_value(module: &Module, var: planish_ir::entity::Var) -> String {
    let data = &module.vars[var];
    match (data.initializer, &module.types[data.ty]) {
        (Some(c), _) => constant(module, c),
        (None, TypeKind::Scalar(scalar)) => literal(*scalar, 0, false),
        (None, TypeKind::Token) => "0".to_owned(),
        (None, _) => "None".to_owned(),
    }
}

fn offset(w: &Writer<'_>, offset: Offset) -> String {
    match offset {
        Offset::Const(at) => at.to_string(),
        Offset::Var(var) => format!("module.{} as u32", w.state.var(var)),
    }
}

/// Statements after the fields have their first values, in the order of an instantiation.
fn fill(w: &Writer<'_>, out: &mut String) {
    let (module, state) = (w.module, w.state);
    for (memory, data) in module.memories.iter().filter(|(_, data)| data.import.is_some()) {
        if data.min_pages > 0 {
            let name = state.memory(memory);
            let _ = write!(
                out,
                "    if module.{name}.pages() < {} {{\n        return Err(Trap::ImportMismatch);\n    }}\n",
                data.min_pages
            );
        }
    }
    for (name, func) in computed(w) {
        let _ = writeln!(out, "    module.{name} = {};", checked_call(w, func));
    }
    for (id, elem) in module.elems.iter() {
        let number = id.as_u32();
        let items = elem.items.iter().enumerate();
        let vars = items.filter_map(|(i, item)| if let ElemItem::Var(var) = *item { Some((i, var)) } else { None });
        let Some((table, at)) = elem.active else {
            if let Some(name) = state.elems[number as usize].as_ref().filter(|_| is_made(elem)) {
                vars.for_each(|(i, var)| _ = writeln!(out, "    module.{name}[{i}] = module.{};", state.var(var)));
            }
            continue;
        };
        let (table, at, len) = (state.table(table), offset(w, at), elem.items.len());
        let _ = writeln!(out, "    module.{table}.init(&ELEMENTS_{number}, {at}, 0, {len})?;");
        vars.for_each(|(i, var)| {
            let at = match elem.active {
                Some((_, Offset::Const(at))) => at.wrapping_add(i as u32).to_string(),
                _ => format!("({at}).wrapping_add({i})"),
            };
            let _ = writeln!(out, "    module.{table}.set({at}, module.{})?;", state.var(var));
        });
    }
    for (id, data) in module.data.iter() {
        let Some((memory, at)) = data.active else { continue };
        let bytes = if data.bytes.is_empty() { "&[]".to_owned() } else { format!("&DATA_{}", id.as_u32()) };
        let (memory, at, len) = (state.memory(memory), offset(w, at), data.bytes.len());
        let _ = writeln!(out, "    module.{memory}.init({bytes}, {at}, 0, {len})?;");
    }
    if let Some(start) = module.start {
        let _ = writeln!(out, "    {};", checked_call(w, start));
    }
}

/// The function `new`.
pub(crate) fn new(w: &Writer<'_>) -> String {
    let (module, state) = (w.module, w.state);
    let mut params: Vec<String> = Vec::new();
    let mut fields: Vec<String> = Vec::new();
    if !state.imports.is_empty() {
        params.push("imports: I".to_owned());
        fields.push("imports".to_owned());
    }
    if state.is_instance() && w.sees_stack {
        fields.push("stack_limit: 0".to_owned());
    }
    for (data, name) in module.memories.values().zip(&state.memories) {
        let Some(name) = name else { continue };
        if data.import.is_some() {
            params.push(format!("{name}: Memory"));
            fields.push(name.clone());
            continue;
        }
        let most = data.max_pages.unwrap_or(MemoryData::MAX_PAGES);
        fields.push(format!("{name}: Memory::new({}, {most})?", data.min_pages));
    }
    for (data, name) in module.tables.values().zip(&state.tables) {
        fields.push(format!("{name}: Table::new({}, {})?", data.min, data.max.unwrap_or(u32::MAX)));
    }
    for ((id, data), name) in module.data.iter().zip(&state.data) {
        // An active segment is dropped once it is copied.
        let is_empty = data.active.is_some() || data.bytes.is_empty();
        let bytes = if is_empty { "&[]".to_owned() } else { format!("&DATA_{}", id.as_u32()) };
        fields.extend(name.iter().map(|name| format!("{name}: {bytes}")));
    }
    for ((id, elem), name) in module.elems.iter().zip(&state.elems) {
        let items = match (elem.active, is_made(elem)) {
            (Some(_), _) => "&[]".to_owned(),
            (None, true) => format!("ELEMENTS_{}.to_vec()", id.as_u32()),
            (None, false) => format!("&ELEMENTS_{}", id.as_u32()),
        };
        fields.extend(name.iter().map(|name| format!("{name}: {items}")));
    }
    if state.has_tokens {
        fields.push("token: 0".to_owned());
    }
    for (var, name) in &state.vars {
        let data = &module.vars[*var];
        if data.linkage.as_ref().is_some_and(|linkage| linkage.import.is_some()) {
            params.push(format!("{name}: {}", value_type(&module.types[data.ty]).unwrap_or("()")));
            fields.push(name.clone());
        } else {
            fields.push(format!("{name}: {}", first_value(module, *var)));
        }
    }
    let mut rest = String::new();
    fill(w, &mut rest);
    let traps = may_trap(w);
    let result = if traps { "Result<Self, Trap>" } else { "Self" };
    let (mut out, visible) = (String::new(), if state.is_instance() { "pub " } else { "" });
    if state.is_instance() {
        out.push_str("/// A new instance.\n");
    }
    if state.is_instance() && traps {
        out.push_str("///\n/// # Errors\n/// A [`Trap`], of which an instance can begin with.\n");
    }
    if params.len() > 7 {
        out.push_str("#[allow(clippy::too_many_arguments)]\n");
    }
    let _ = writeln!(out, "{visible}fn new({}) -> {result} {{", params.join(", "));
    let value = |indent: &str| {
        let lines: String = fields.iter().map(|field| format!("{indent}    {field},\n")).collect();
        format!("Self {{\n{lines}{indent}}}")
    };
    let done = |text: &str| if traps { format!("    Ok({text})\n") } else { format!("    {text}\n") };
    match rest.is_empty() {
        true => out.push_str(&done(&value("    "))),
        false => _ = write!(out, "    let mut module = {};\n{rest}{}", value("    "), done("module")),
    }
    out + "}\n"
}

/// The function that traps where the stack ends.
pub(crate) const SEE_TO_STACK: &str = "\
/// Traps if the stack is used up.
#[inline]
fn see_to_stack(&self) -> Result<(), Trap> {
    let here = 0u8;
    if core::ptr::from_ref(&here).addr() < self.stack_limit { Err(Trap::StackOverflow) } else { Ok(()) }
}
";

/// The function that makes tokens.
pub(crate) const NEW_TOKEN: &str = "\
fn new_token(&mut self) -> u64 {
    self.token += 1;
    self.token
}
";

/// The trait of the host's functions.
pub(crate) fn imports(w: &Writer<'_>, source: &Module, structs: &Structs) -> String {
    let mut out = "/// The functions that the host gives.\npub trait Imports: Sized {\n".to_owned();
    for (i, imported) in w.state.imports.iter().enumerate() {
        let data = &source.funcs[imported.func];
        let param = |(i, param): (usize, &planish_ir::function::Param)| {
            format!("p{i}: {}", type_text(source, structs, param.ty))
        };
        let params: Vec<String> = std::iter::once("module: &mut Module<Self>".to_owned())
            .chain(data.params.iter().enumerate().map(param))
            .collect();
        let shown = shown_results(source, structs, data.results.iter().map(|result| result.ty));
        let (name, of) = (one_line(&imported.import.name), one_line(&imported.import.module));
        let gap = if i == 0 { "" } else { "\n" };
        let _ = write!(
            out,
            "{gap}    /// `{name}` of `{of}`.\n    ///\n    /// # Errors\n    /// A [`Trap`], with which the program ends.\n"
        );
        if params.len() > 7 {
            out.push_str("    #[allow(clippy::too_many_arguments)]\n");
        }
        let _ = writeln!(out, "    fn {}({}) -> Result<{shown}, Trap>;", imported.name, params.join(", "));
    }
    out + "}\n"
}

/// The method that calls a function of the host whose values are not those of the program.
pub(crate) fn import_adapter(w: &Writer<'_>, source: &Module, structs: &Structs, imported: &Imported) -> String {
    let (data, own) = (&source.funcs[imported.func], &w.module.funcs[imported.func]);
    let params: Vec<String> = own
        .params
        .iter()
        .enumerate()
        .map(|(i, param)| format!("p{i}: {}", value_type(&w.module.types[param.ty]).unwrap_or("()")))
        .collect();
    let mut next = 0..own.params.len();
    let mut part = || next.next().map(|i| format!("p{i}")).unwrap_or_default();
    let args: Vec<String> = std::iter::once("self".to_owned())
        .chain(data.params.iter().map(|param| crate::exports::put_together(source, structs, param.ty, &mut part)))
        .collect();
    let result = w.results_text(imported.func);
    let mut values = Vec::new();
    let types: Vec<Type> = data.results.iter().map(|result| result.ty).collect();
    for (i, &ty) in types.iter().enumerate() {
        let base = if types.len() == 1 { "result".to_owned() } else { format!("result.{i}") };
        crate::exports::take_apart(source, structs, ty, &base, &mut values);
    }
    let all: Vec<String> = std::iter::once("&mut self".to_owned()).chain(params).collect();
    let lint = if all.len() > 7 { "#[allow(clippy::too_many_arguments)]\n" } else { "" };
    format!(
        "{lint}fn import_{}({}) -> {result} {{\n    let result = I::{}({})?;\n    Ok({})\n}}\n",
        imported.func.as_u32(),
        all.join(", "),
        imported.name,
        args.join(", "),
        plain_result(&values)
    )
}

/// The method that calls the element of a table, if it has a type.
pub(crate) fn indirect_call(w: &Writer<'_>, table: Table, ty: Type) -> String {
    let TypeKind::Function { params, results } = &w.module.types[ty] else { return String::new() };
    let text = |ty: &Type| value_type(&w.module.types[*ty]).unwrap_or("()");
    let declared: Vec<String> = ["&mut self".to_owned(), "index: u32".to_owned()]
        .into_iter()
        .chain(params.iter().enumerate().map(|(i, ty)| format!("p{i}: {}", text(ty))))
        .collect();
    let given: Vec<String> = (0..params.len()).map(|i| format!("p{i}")).collect();
    let types: Vec<String> = results.iter().map(|ty| text(ty).to_owned()).collect();
    let result = plain_result(&types);
    let mut callees: Vec<Func> = w.references.iter().copied().filter(|&func| w.module.funcs[func].ty == ty).collect();
    callees.sort();
    let mut arms = String::new();
    for func in callees {
        let call = call_text(w, func, "self", &given);
        let value = match (w.trapping.contains(&func), results.is_empty()) {
            (true, _) => call,
            (false, false) => format!("Ok({call})"),
            (false, true) => format!("{{\n            {call};\n            Ok(())\n        }}"),
        };
        let _ = writeln!(arms, "        {} => {value},", func.as_u32());
    }
    let lint = if declared.len() > 7 { "#[allow(clippy::too_many_arguments)]\n" } else { "" };
    let (name, table) = (indirect_name(table, ty), w.state.table(table));
    let head = format!("{lint}fn {name}({}) -> Result<{result}, Trap> {{\n", declared.join(", "));
    if arms.is_empty() {
        let unused: Vec<String> = given.iter().map(|name| format!("&{name}")).collect();
        let unused = if unused.is_empty() { String::new() } else { format!("    let _ = ({},);\n", unused.join(", ")) };
        return format!("{head}{unused}    self.{table}.callee(index)?;\n    Err(Trap::IndirectCallType)\n}}\n");
    }
    format!(
        "{head}    match self.{table}.callee(index)? {{\n{arms}        _ => Err(Trap::IndirectCallType),\n    }}\n}}\n"
    )
}

/// The segments that are read.
pub(crate) fn segments(w: &Writer<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for (id, data) in w.module.data.iter().filter(|(id, _)| w.data.contains(id)) {
        all.push(format!(
            "static DATA_{}: [u8; {}] = *b\"{}\";\n",
            id.as_u32(),
            data.bytes.len(),
            byte_string(&data.bytes)
        ));
    }
    for (id, elem) in w.module.elems.iter().filter(|(id, _)| w.elems.contains(id)) {
        let item = |item: &ElemItem| item.as_func().map_or("None".to_owned(), |f| format!("Some({})", f.as_u32()));
        let mut text = format!("static ELEMENTS_{}: [Option<u32>; {}] = [", id.as_u32(), elem.items.len());
        for (i, one) in elem.items.iter().enumerate() {
            text.push_str(if i % 10 == 0 { "\n    " } else { " " });
            text.push_str(&item(one));
            text.push(',');
        }
        text.push_str(if elem.items.is_empty() { "];\n" } else { "\n];\n" });
        all.push(text);
    }
    all
}

/// The contents of a byte string, in lines.
fn byte_string(bytes: &[u8]) -> String {
    const WIDTH: usize = 110;
    let mut out = String::new();
    let mut width = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        let is_first = width == 0 && i > 0;
        let text = match byte {
            // At the begin of a line, it would be none of the string's.
            b' ' if is_first => "\\x20".to_owned(),
            b'\'' => "'".to_owned(),
            0 => "\\0".to_owned(),
            _ => byte.escape_ascii().to_string(),
        };
        width += text.len();
        out.push_str(&text);
        if width >= WIDTH && i + 1 < bytes.len() {
            out.push_str("\\\n");
            width = 0;
        }
    }
    out
}
