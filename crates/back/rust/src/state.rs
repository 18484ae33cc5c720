//! The state of a program: memories, tables, segments and variables, with their names as fields of its struct.

use planish_back_text::Words as _;
use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Data, Elem, Func, Memory, Table, Type, Var};
use planish_ir::host::SliceParam;
use planish_ir::module::{ElemItem, ElemSegment, Import, Module};
use planish_ir::types::{AddressSpace, TypeKind};
use planish_target::instance::Used;
use rustc_hash::FxHashSet;

use crate::exports::count;
use crate::names::RustWords;

/// Place of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Place {
    /// There is none: the functions are functions of the module.
    #[default]
    None,
    /// In the frame of the function that the host calls: memories that only the lowered program has.
    Frame,
    /// In an instance of the host's.
    Instance,
}

/// A function that the host gives.
pub(crate) struct Imported {
    pub(crate) func: Func,
    /// The name of the method of the trait.
    pub(crate) name: String,
    pub(crate) import: Import,
    /// Whether its parameters and results are those of the program.
    pub(crate) is_plain: bool,
}

/// Names of the fields of the state.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) place: Place,
    /// By memory; those of slices are not in the state.
    pub(crate) memories: Vec<Option<String>>,
    pub(crate) tables: Vec<String>,
    /// By data segment: its bytes, if they change.
    pub(crate) data: Vec<Option<String>>,
    /// By element segment: its elements, if they change.
    pub(crate) elems: Vec<Option<String>>,
    pub(crate) has_tokens: bool,
    /// Variables in use.
    pub(crate) vars: Vec<(Var, String)>,
    by_var: SideTable<Var, Option<u32>>,
    pub(crate) imports: Vec<Imported>,
}

/// Names that fields and parameters of `new` do not get.
const TAKEN: [&str; 4] = ["imports", "stack_limit", "module", "token"];

impl State {
    /// The state of a module. `source` is the program before it was lowered; `per_call`: each call of the host has its own, as a shader has.
    ///
    /// # Errors
    /// E0602 and E0604 for what Rust cannot hold.
    pub(crate) fn new(
        source: &Module,
        module: &Module,
        slices: &[SliceParam],
        per_call: bool,
    ) -> Result<State, Vec<Diagnostic>> {
        let mut state = State::default();
        let mut errors = Vec::new();
        let mut taken: FxHashSet<String> = TAKEN.into_iter().map(str::to_owned).collect();
        let mut unique = |hint: &str| crate::exports::unique(field_name(hint), "_", &mut taken);
        for (memory, data) in module.memories.iter() {
            let is_slice = slices.iter().any(|slice| slice.memory == memory);
            let name = || unique(data.exports.first().map_or("memory", |name| name));
            state.memories.push((!is_slice).then(name));
        }
        for data in module.tables.values() {
            state.tables.push(unique(data.exports.first().map_or("table", |name| name)));
            if let Some(import) = &data.import {
                let text = format!("Rust out cannot import a table (`{}` of `{}`)", import.name, import.module);
                let error = Diagnostic::error(Code::E0604, first_place(module), text);
                errors.push(error.help("references to functions do not leave their module: link the modules before"));
            }
        }
        let mut used = Used::of(module);
        for &var in &module.globals {
            used.vars[var] |= module.vars[var].linkage.as_ref().is_some_and(|linkage| !linkage.exports.is_empty());
        }
        for (id, data) in module.data.iter() {
            let changes = used.data[id];
            state.data.push(changes.then(|| unique(&format!("data_{}", id.as_u32()))));
            debug_assert!(data.bytes.len() <= u32::MAX as usize, "segments are below 4 GiB");
        }
        for (id, elem) in module.elems.iter() {
            // (Those with values of variables are made with the instance.)
            let changes = used.elems[id] || is_made(elem);
            state.elems.push(changes.then(|| unique(&format!("elements_{}", id.as_u32()))));
        }
        state.has_tokens = used.tokens;
        for &var in module.globals.iter().filter(|&&var| used.vars[var]) {
            let data = &module.vars[var];
            if data.space != AddressSpace::Private || !is_value(module, data.ty) {
                let what =
                    if matches!(module.types[data.ty], TypeKind::V128) { "128-bit vectors" } else { "variables" };
                let text = format!("Rust out has no {what} like `{}`", data.name.text);
                let error = Diagnostic::error(Code::E0602, data.span, text);
                errors.push(error.help("C has it: `-o FILE.c`; so have WebAssembly and JavaScript"));
                continue;
            }
            let import = data.linkage.as_ref().and_then(|linkage| linkage.import.as_ref());
            if let Some(import) = import.filter(|_| !data.is_const) {
                let text = format!("Rust out cannot import the variable `{}` of `{}`", import.name, import.module);
                let error = Diagnostic::error(Code::E0604, data.span, text);
                errors.push(error.help("only constants are imported, as parameters of `new`"));
            }
            state.by_var[var] = Some(state.vars.len() as u32);
            state.vars.push((var, unique(&data.name.text)));
        }
        state.imports(source, module, &mut errors);
        state.place = match (!per_call && state.is_of_program(source, slices), state.is_any()) {
            (true, _) => Place::Instance,
            (false, true) => Place::Frame,
            (false, false) => Place::None,
        };
        if state.place == Place::Instance && !slices.is_empty() {
            let text = "Rust out has no functions of slices in a program with memories, variables or imports";
            errors
                .push(Diagnostic::error(Code::E0604, first_place(module), text).help("pass the values as parameters"));
        }
        if errors.is_empty() { Ok(state) } else { Err(errors) }
    }

    fn imports(&mut self, source: &Module, module: &Module, errors: &mut Vec<Diagnostic>) {
        let mut taken = FxHashSet::default();
        for (func, import) in &source.func_imports {
            let data = &source.funcs[*func];
            let types = || data.params.iter().map(|p| p.ty).chain(data.results.iter().map(|r| r.ty));
            if let Some(ty) = types().find(|&ty| count(source, ty).is_none()) {
                let name = planish_ir::text::type_text(&source.types, ty);
                let text = format!("`{}` cannot be given by Rust: it has a value of type `{name}`", import.name);
                let error = Diagnostic::error(Code::E0602, source.place_of(*func), text);
                errors.push(error.help("import a function of numbers, vectors, matrices, arrays and structs"));
                continue;
            }
            let hint = field_name(&format!("{}_{}", import.module, import.name));
            let name = crate::exports::unique(hint, "_", &mut taken);
            let is_plain = types().all(|ty| is_value(module, ty));
            self.imports.push(Imported { func: *func, name, import: import.clone(), is_plain });
        }
    }

    /// Whether the program itself has a state, or needs functions of the host.
    fn is_of_program(&self, source: &Module, slices: &[SliceParam]) -> bool {
        let used = Used::of(source);
        let is_exported =
            |var: &Var| source.vars[*var].linkage.as_ref().is_some_and(|linkage| !linkage.exports.is_empty());
        source.memories.len() > slices.len()
            || !source.tables.is_empty()
            || !self.imports.is_empty()
            || source.start.is_some()
            || used.tokens
            || source.globals.iter().any(|var| used.vars[*var] || is_exported(var))
    }

    fn is_any(&self) -> bool {
        let any_segment = self.data.iter().chain(&self.elems).any(Option::is_some);
        let any_item = self.memories.iter().any(Option::is_some) || !self.tables.is_empty() || !self.vars.is_empty();
        any_item || any_segment || self.has_tokens
    }

    /// Whether functions are methods of the state.
    pub(crate) fn has_methods(&self) -> bool {
        self.place != Place::None
    }

    /// Whether the state is the host's.
    pub(crate) fn is_instance(&self) -> bool {
        self.place == Place::Instance
    }

    /// The struct of the state, with its parameters.
    pub(crate) fn type_text(&self) -> &'static str {
        match (self.place, self.imports.is_empty()) {
            (Place::Instance, true) => "Module",
            (Place::Instance, false) => "Module<I>",
            _ => "State",
        }
    }

    /// The field of a variable.
    pub(crate) fn var(&self, var: Var) -> &str {
        self.by_var[var].map_or("missing", |at| &self.vars[at as usize].1)
    }

    /// The field of a memory.
    pub(crate) fn memory(&self, memory: Memory) -> &str {
        self.memories[memory.as_u32() as usize].as_deref().unwrap_or("missing")
    }

    /// The field of a table.
    pub(crate) fn table(&self, table: Table) -> &str {
        &self.tables[table.as_u32() as usize]
    }

    /// The bytes of a data segment, as an argument.
    pub(crate) fn data(&self, data: Data) -> String {
        match &self.data[data.as_u32() as usize] {
            Some(name) => format!("self.{name}"),
            None => format!("&DATA_{}", data.as_u32()),
        }
    }

    /// The elements of a segment, as an argument.
    pub(crate) fn elems(&self, module: &Module, elem: Elem) -> String {
        match &self.elems[elem.as_u32() as usize] {
            Some(name) if is_made(&module.elems[elem]) => format!("&self.{name}"),
            Some(name) => format!("self.{name}"),
            None => format!("&ELEMENTS_{}", elem.as_u32()),
        }
    }
}

/// Whether a segment that stays has values of variables, so that it is made with the instance.
pub(crate) fn is_made(elem: &ElemSegment) -> bool {
    elem.active.is_none() && elem.items.iter().any(|item| matches!(item, ElemItem::Var(_)))
}

/// Whether values of a type are single values in Rust: numbers, references, tokens.
pub(crate) fn is_value(module: &Module, ty: Type) -> bool {
    matches!(module.types[ty], TypeKind::Scalar(_) | TypeKind::FuncRef | TypeKind::ExternRef | TypeKind::Token)
}

/// The type of such a value.
pub(crate) fn value_type(kind: &TypeKind) -> Option<&'static str> {
    Some(match kind {
        TypeKind::Scalar(scalar) => scalar.name(),
        TypeKind::FuncRef | TypeKind::ExternRef => "Option<u32>",
        TypeKind::Token => "u64",
        _ => return None,
    })
}

fn field_name(hint: &str) -> String {
    crate::output::local_name(&RustWords, if RustWords.sanitize(hint) == "t" { "field" } else { hint })
}

/// A place for messages about what has none of its own: the first function that has one.
pub(crate) fn first_place(module: &Module) -> planish_ir::source::Span {
    let places = module.funcs.keys().map(|func| module.place_of(func));
    places.into_iter().find(|span| !span.is_none()).unwrap_or(planish_ir::source::Span::NONE)
}
