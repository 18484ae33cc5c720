//! Public functions: those whose parameters and results are numbers are the program's own, and the others take arrays, structs
//! and tuples apart for it.

use planish_back_text::Dialect;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::function::Function;
use planish_ir::host::SliceParam;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::signature::capitals;
use planish_ir::types::{Member, Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::state::{State, is_value, value_type};
use crate::writer::Writer;
use crate::{Stage, instance, slices};

/// A function that the host calls.
pub(crate) struct Export {
    pub(crate) func: Func,
    /// Its name in Rust.
    pub(crate) name: String,
    /// Its name in the program.
    pub(crate) outside: String,
    /// Whether it is the function of the program itself.
    pub(crate) is_direct: bool,
    /// The stage of a shader that it is.
    pub(crate) stage: Option<Stage>,
}

/// The exports of a module.
///
/// # Errors
/// E0602 for types of parameters and results that Rust does not show.
pub(crate) fn find(
    source: &Module,
    lowered: &Module,
    (slices, has_frames): (&[SliceParam], bool),
    stages: &[Stage],
    sanitize: impl Fn(&str) -> String,
) -> Result<Vec<Export>, Vec<Diagnostic>> {
    let mut found: Vec<Export> = Vec::new();
    let mut errors = Vec::new();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let mut direct: FxHashSet<Func> = FxHashSet::default();
    // A module without exports is a library.
    let all = if source.entry_points.is_empty() { own_functions(source) } else { Vec::new() };
    let stages = stages.iter().cloned().map(Some).chain(std::iter::repeat(None));
    for (entry, stage) in source.entry_points.iter().chain(&all).zip(stages) {
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
        let is_scalar = types().all(|ty| is_value(source, ty)) && !slices.iter().any(|slice| slice.func == entry.func);
        for outside in &entry.names {
            let name = unique(sanitize(outside), "_", &mut taken);
            let is_direct =
                is_scalar && !has_frames && stage.is_none() && data.body.is_some() && direct.insert(entry.func);
            found.push(Export {
                func: entry.func,
                name,
                outside: outside.to_string(),
                is_direct,
                stage: stage.clone(),
            });
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
pub(crate) fn count(module: &Module, ty: Type) -> Option<usize> {
    Some(match &module.types[ty] {
        TypeKind::Scalar(_) | TypeKind::FuncRef | TypeKind::ExternRef => 1,
        TypeKind::Vector(_, n) => usize::from(*n),
        TypeKind::Matrix { columns, rows, .. } => usize::from(*columns) * usize::from(*rows),
        TypeKind::Array { element, len } => count(module, *element)? * (*len as usize),
        TypeKind::Struct(structure) => {
            structure.members.iter().map(|member| count(module, member.ty)).sum::<Option<usize>>()?
        }
        _ => return None,
    })
}

/// A public struct.
struct Struct {
    name: String,
    fields: Vec<String>,
    /// Its name in the program, and those of its members.
    outside: (String, Vec<String>),
}

/// The public structs, by type. A struct without a name is a tuple.
#[derive(Default)]
pub(crate) struct Structs {
    of: FxHashMap<Type, Struct>,
    /// In the order in which they are declared.
    order: Vec<Type>,
    /// The first part of the names of the structs of a stage, by the name of its function.
    stages: FxHashMap<String, String>,
}

/// The last part of the names of the structs of a stage.
const GROUPS: [&str; 3] = ["Uniforms", "Inputs", "Outputs"];

/// Types that the output names.
const TYPES: [&str; 14] = [
    "Trap", "Result", "Ok", "Err", "Some", "None", "Self", "Option", "Module", "State", "Memory", "Table", "Imports",
    "I",
];

impl Structs {
    /// The structs in parameters and results of the exports.
    pub(crate) fn new(module: &Module, exports: &[Export], state: &State, local: &impl Fn(&str) -> String) -> Structs {
        let mut structs = Structs::default();
        let mut taken: FxHashSet<String> = TYPES.iter().map(|name| (*name).to_owned()).collect();
        let funcs = exports.iter().map(|export| export.func);
        for func in funcs.chain(state.imports.iter().map(|imported| imported.func)) {
            let data = &module.funcs[func];
            for ty in data.params.iter().map(|param| param.ty).chain(data.results.iter().map(|result| result.ty)) {
                structs.add(module, ty, &mut taken, local);
            }
        }
        for export in exports.iter().filter(|export| export.stage.is_some()) {
            let words: String = capitals(&export.name).chars().filter(char::is_ascii_alphanumeric).collect();
            let mut name = words.clone();
            let mut number = 2;
            while GROUPS.iter().any(|group| taken.contains(&format!("{name}{group}"))) {
                name = format!("{words}{number}");
                number += 1;
            }
            taken.extend(GROUPS.iter().map(|group| format!("{name}{group}")));
            structs.stages.insert(export.name.clone(), name);
        }
        structs
    }

    /// The declarations of the structs of a stage.
    pub(crate) fn of_stage(&self, module: &Module, export: &Export) -> Vec<String> {
        let Some(groups) = self.groups(module, export) else { return vec![] };
        let name = &self.stages[&export.name];
        let mut all = Vec::new();
        for (group, fields) in GROUPS.iter().zip(groups).filter(|(_, fields)| !fields.is_empty()) {
            let what = group.to_ascii_lowercase();
            let mut text = format!("/// The {what} of `{}`.\n", one_line(&export.outside));
            text.push_str(&format!("#[derive(Clone, Copy, PartialEq, Debug)]\npub struct {name}{group} {{\n"));
            for (field, outside, ty) in fields {
                let ty = type_text(module, self, ty);
                text.push_str(&format!("    /// `{}`.\n    pub {field}: {ty},\n", one_line(&outside)));
            }
            all.push(text + "}\n");
        }
        all
    }

    /// Uniforms, inputs and outputs of a stage: names in Rust and outside, and types. `None` for other functions.
    fn groups(&self, module: &Module, export: &Export) -> Option<[Vec<(String, String, Type)>; 3]> {
        let stage = export.stage.as_ref()?;
        let data = &module.funcs[export.func];
        let params = data.params.iter().map(|param| (param.name.text.to_string(), param.ty));
        let (uniforms, inputs): (Vec<_>, Vec<_>) = params.enumerate().partition(|(i, _)| *i < stage.uniforms);
        let given = |all: Vec<(usize, (String, Type))>| all.into_iter().map(|(_, one)| one).collect::<Vec<_>>();
        let outputs = stage.outputs.iter().cloned().zip(data.results.iter().map(|result| result.ty)).collect();
        let named = |all: Vec<(String, Type)>| {
            let mut taken = FxHashSet::default();
            let field = |(outside, ty): (String, Type)| {
                let name = crate::output::local_name(&crate::names::RustWords, &outside);
                (unique(name, "_", &mut taken), outside, ty)
            };
            all.into_iter().map(field).collect()
        };
        Some([named(given(uniforms)), named(given(inputs)), named(outputs)])
    }

    /// Recursion: see [`count`].
    fn add(&mut self, module: &Module, ty: Type, taken: &mut FxHashSet<String>, local: &impl Fn(&str) -> String) {
        match &module.types[ty] {
            TypeKind::Array { element, .. } => self.add(module, *element, taken, local),
            TypeKind::Struct(data) if !self.of.contains_key(&ty) => {
                data.members.iter().for_each(|member| self.add(module, member.ty, taken, local));
                if data.name.is_empty() {
                    return;
                }
                let name: String = capitals(&data.name).chars().filter(char::is_ascii_alphanumeric).collect();
                let is_name = name.starts_with(|c: char| c.is_ascii_uppercase());
                let name = unique(if is_name { name } else { format!("Struct{name}") }, "", taken);
                let mut fields = FxHashSet::default();
                let mut field = |(index, member): (usize, &Member)| {
                    let text = if member.name.is_empty() { format!("m{index}") } else { local(&member.name) };
                    unique(text, "_", &mut fields)
                };
                let fields = data.members.iter().enumerate().map(&mut field).collect();
                let members = data.members.iter().map(|member| one_line(&member.name)).collect();
                self.of.insert(ty, Struct { name, fields, outside: (one_line(&data.name), members) });
                self.order.push(ty);
            }
            _ => {}
        }
    }

    /// The declarations.
    pub(crate) fn declarations(&self, module: &Module) -> Vec<String> {
        let one = |ty: &Type| {
            let (own, data) = (&self.of[ty], module.types.as_struct(*ty).expect("it is a struct"));
            let mut text = format!("/// The record `{}`.\n", own.outside.0);
            text.push_str("#[derive(Clone, Copy, PartialEq, Debug)]\n");
            text.push_str(&format!("pub struct {} {{\n", own.name));
            for ((name, member), outside) in own.fields.iter().zip(&data.members).zip(&own.outside.1) {
                let ty = type_text(module, self, member.ty);
                text.push_str(&format!("    /// The part `{outside}`.\n    pub {name}: {ty},\n"));
            }
            text + "}\n"
        };
        self.order.iter().map(one).collect()
    }
}

/// A name that is not taken: with a number after it, if the name is.
pub(crate) fn unique(base: String, joint: &str, taken: &mut FxHashSet<String>) -> String {
    let mut name = base.clone();
    let mut number = 2;
    // (Two underscores are no snake case.)
    let joint = if base.ends_with('_') { "" } else { joint };
    while !taken.insert(name.clone()) {
        name = format!("{base}{joint}{number}");
        number += 1;
    }
    name
}

/// A name in a comment: in one line, without characters that are not seen.
pub(crate) fn one_line(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let part = |c: char| match c {
        '\n' | '\r' => " ".to_owned(),
        c if is_hidden(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    text.chars().map(part).collect()
}

/// A type as the host sees it: vectors and matrices are arrays.
/// Recursion: see [`count`].
pub(crate) fn type_text(module: &Module, structs: &Structs, ty: Type) -> String {
    let array = |scalar: &Scalar, n: u8| format!("[{}; {n}]", scalar.name());
    match &module.types[ty] {
        TypeKind::Vector(scalar, n) => array(scalar, *n),
        TypeKind::Matrix { scalar, columns, rows } => format!("[{}; {columns}]", array(scalar, *rows)),
        TypeKind::Array { element, len } => format!("[{}; {len}]", type_text(module, structs, *element)),
        TypeKind::Struct(structure) => match structs.of.get(&ty) {
            Some(own) => own.name.clone(),
            None => tuple(structure.members.iter().map(|member| type_text(module, structs, member.ty)).collect()),
        },
        kind => value_type(kind).unwrap_or("()").to_owned(),
    }
}

/// The type of results.
pub(crate) fn shown_results(module: &Module, structs: &Structs, types: impl Iterator<Item = Type>) -> String {
    plain_result(&types.map(|ty| type_text(module, structs, ty)).collect::<Vec<_>>())
}

/// Results, or their types, as one.
pub(crate) fn plain_result(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        _ => tuple(parts.to_vec()),
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
pub(crate) fn take_apart(module: &Module, structs: &Structs, ty: Type, value: &str, out: &mut Vec<String>) {
    match &module.types[ty] {
        TypeKind::Vector(_, n) => out.extend((0..*n).map(|i| format!("{value}[{i}]"))),
        TypeKind::Matrix { columns, rows, .. } => {
            for column in 0..*columns {
                out.extend((0..*rows).map(|row| format!("{value}[{column}][{row}]")));
            }
        }
        TypeKind::Array { element, len } => {
            (0..*len).for_each(|i| take_apart(module, structs, *element, &format!("{value}[{i}]"), out));
        }
        TypeKind::Struct(structure) => {
            for (i, member) in structure.members.iter().enumerate() {
                let field = structs.of.get(&ty).map_or_else(|| i.to_string(), |own| own.fields[i].clone());
                take_apart(module, structs, member.ty, &format!("{value}.{field}"), out);
            }
        }
        _ => out.push(value.to_owned()),
    }
}

/// A value made of numbers.
/// Recursion: see [`count`].
pub(crate) fn put_together(module: &Module, structs: &Structs, ty: Type, next: &mut dyn FnMut() -> String) -> String {
    match &module.types[ty] {
        TypeKind::Vector(_, n) => format!("[{}]", (0..*n).map(|_| next()).collect::<Vec<_>>().join(", ")),
        TypeKind::Matrix { columns, rows, .. } => {
            let mut column = || format!("[{}]", (0..*rows).map(|_| next()).collect::<Vec<_>>().join(", "));
            format!("[{}]", (0..*columns).map(|_| column()).collect::<Vec<_>>().join(", "))
        }
        TypeKind::Array { element, len } => {
            let parts: Vec<String> = (0..*len).map(|_| put_together(module, structs, *element, next)).collect();
            format!("[{}]", parts.join(", "))
        }
        TypeKind::Struct(structure) => {
            let mut parts = Vec::with_capacity(structure.members.len());
            for member in &structure.members {
                parts.push(put_together(module, structs, member.ty, next));
            }
            let Some(own) = structs.of.get(&ty) else { return tuple(parts) };
            let field = |(name, part): (&String, String)| format!("{name}: {part}");
            let fields: Vec<String> = own.fields.iter().zip(parts).map(field).collect();
            format!("{} {{ {} }}", own.name, fields.join(", "))
        }
        _ => next(),
    }
}

/// The type of a parameter that is a slice: an element of several numbers is an array.
fn slice_type(slice: &SliceParam) -> String {
    let text = slices::type_text(slice);
    let number = slice.number.name();
    match slice.count {
        1 => text,
        count => text.replace(&format!("[{number}]"), &format!("[[{number}; {count}]]")),
    }
}

/// The numbers of a slice.
fn flattened(slice: &SliceParam, name: &str) -> String {
    match (slice.count, slice.is_written) {
        (1, _) => name.to_owned(),
        (_, false) => format!("{name}.as_flattened()"),
        (_, true) => format!("{name}.as_flattened_mut()"),
    }
}

/// The text of a public function that calls one of the program.
pub(crate) fn adapter(w: &Writer<'_>, source: &Module, structs: &Structs, export: &Export) -> String {
    let data = &source.funcs[export.func];
    let mut names: FxHashMap<String, u32> = FxHashMap::default();
    let (mut params, mut args) = (Vec::new(), Vec::new());
    let mut lengths = String::new();
    // The inner function takes slices before all else.
    let mut elements = Vec::new();
    let groups = structs.groups(source, export);
    for (i, group) in groups.iter().flat_map(|groups| groups[..2].iter().enumerate()) {
        if !group.is_empty() {
            let name = GROUPS[i].to_ascii_lowercase();
            params.push(format!("{name}: &{}{}", structs.stages[&export.name], GROUPS[i]));
            group.iter().for_each(|(field, _, ty)| {
                take_apart(source, structs, *ty, &format!("{name}.{field}"), &mut args);
            });
        }
    }
    for (number, param) in data.params.iter().enumerate().filter(|_| groups.is_none()) {
        let hint = crate::output::local_name(&w.words(), &param.name.text);
        let times = names.entry(hint.clone()).or_default();
        *times += 1;
        let name = if *times == 1 { hint } else { format!("{hint}_{times}") };
        if let Some(slice) = w.slices.iter().find(|slice| slice.func == export.func && slice.param == number) {
            params.push(format!("{name}: {}", slice_type(slice)));
            lengths.push_str(&format!("    let {name}_len = length({name})?;\n"));
            args.push(format!("{name}_len"));
            elements.push((slice.memory, flattened(slice, &name)));
            continue;
        }
        params.push(format!("{name}: {}", type_text(source, structs, param.ty)));
        take_apart(source, structs, param.ty, &name, &mut args);
    }
    let used = slices::of_function(w.module, w.slices, export.func);
    let first = used.iter().filter_map(|slice| elements.iter().find(|(memory, _)| *memory == slice.memory));
    let args: Vec<String> = first.map(|(_, text)| text.clone()).chain(args).collect();
    let outputs = groups.as_ref().map(|groups| &groups[2]).filter(|outputs| !outputs.is_empty());
    let shown = match outputs {
        Some(_) => format!("{}Outputs", structs.stages[&export.name]),
        None => shown_results(source, structs, data.results.iter().map(|result| result.ty)),
    };
    let makes_state = w.state.has_methods() && !w.state.is_instance();
    let call = instance::call_text(w, export.func, if makes_state { "state" } else { "self" }, &args);
    let inner_traps = w.trapping.contains(&export.func);
    let traps = inner_traps || makes_state && instance::may_trap(w);
    let count = w.module.funcs[export.func].results.len();
    let is_same = outputs.is_none() && data.results.iter().all(|result| is_value(source, result.ty));
    let outside = one_line(&export.outside);
    let mut text = format!("/// The function `{outside}`.\n");
    if traps {
        text.push_str("///\n/// # Errors\n/// A [`Trap`].\n");
    }
    let shown_outputs = shown.clone();
    let shown = if traps { format!("Result<{shown}, Trap>") } else { shown };
    let arrow = if shown == "()" { String::new() } else { format!(" -> {shown}") };
    if w.state.is_instance() {
        params.insert(0, "&mut self".to_owned());
    }
    if params.len() > 7 {
        text.push_str("#[allow(clippy::too_many_arguments)]\n");
    }
    // (A record of lists of numbers is one value of the program.)
    if arrow.matches(['(', '[']).count() > 3 {
        text.push_str("#[allow(clippy::type_complexity)]\n");
    }
    text.push_str(&format!("#[inline]\npub fn {}({}){arrow} {{\n", export.name, params.join(", ")));
    text.push_str(&lengths);
    if makes_state {
        let mark = if instance::may_trap(w) { "?" } else { "" };
        text.push_str(&format!("    let mut state = State::new(){mark};\n"));
    }
    if is_same && inner_traps == traps {
        text.push_str(&format!("    {call}\n}}\n"));
        return text;
    }
    let mark = if inner_traps { "?" } else { "" };
    let mut at = 0;
    let mut next = || {
        at += 1;
        if count == 1 { "result".to_owned() } else { format!("result.{}", at - 1) }
    };
    let values: Vec<String> = data.results.iter().map(|r| put_together(source, structs, r.ty, &mut next)).collect();
    let value = match outputs {
        Some(outputs) => {
            let field = |(value, (field, ..)): (&String, &(String, String, Type))| format!("{field}: {value}");
            let fields: Vec<String> = values.iter().zip(outputs).map(field).collect();
            format!("{shown_outputs} {{ {} }}", fields.join(", "))
        }
        // (A tuple is one already.)
        None if is_same && count > 1 => "result".to_owned(),
        None => plain_result(&values),
    };
    let head = if count == 0 { format!("    {call}{mark};\n") } else { format!("    let result = {call}{mark};\n") };
    text.push_str(&head);
    text.push_str(&if traps { format!("    Ok({value})\n}}\n") } else { format!("    {value}\n}}\n") });
    text
}
