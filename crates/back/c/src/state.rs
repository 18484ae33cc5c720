//! The state of an instance: memories, tables, segments and variables, with their names in its structure.

use planish_back_header::interface::identifier;
use planish_back_header::{Interface, Shaders};
use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Data, Elem, Memory, Table, Var};
use planish_ir::module::Module;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, TypeKind};
use planish_target::instance::Used;
use rustc_hash::FxHashSet;

/// Names of the members of an instance.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) memories: Vec<String>,
    pub(crate) tables: Vec<String>,
    /// By data segment: its length, if it changes.
    pub(crate) data: Vec<Option<String>>,
    /// By element segment: its length, if it changes.
    pub(crate) elems: Vec<Option<String>>,
    pub(crate) has_tokens: bool,
    /// Texture ops find the uniforms of the call in it.
    pub(crate) has_textures: bool,
    /// Variables in use.
    pub(crate) vars: Vec<(Var, String)>,
    pub(crate) by_var: SideTable<Var, Option<u32>>,
}

impl State {
    /// The state of a module.
    ///
    /// # Errors
    /// E0602 for variables that C cannot hold.
    pub(crate) fn new(module: &Module, interface: &Interface, shaders: &Shaders) -> Result<State, Vec<Diagnostic>> {
        let mut state = State::default();
        let mut taken: FxHashSet<String> =
            ["user", "stack_limit", "token", "resources"].map(str::to_owned).into_iter().collect();
        let mut unique = |hint: &str| {
            let name = identifier(if hint.is_empty() { "v" } else { hint });
            let mut found = name.clone();
            let mut n = 2;
            while !taken.insert(found.clone()) {
                found = format!("{name}_{n}");
                n += 1;
            }
            found
        };
        for data in module.memories.values() {
            state.memories.push(unique(data.exports.first().map_or("memory", |name| name)));
        }
        for data in module.tables.values() {
            state.tables.push(unique(data.exports.first().map_or("table", |name| name)));
        }
        let mut used = Used::of(module);
        interface.vars.iter().for_each(|exported| used.vars[exported.2] = true);
        for id in module.data.keys() {
            state.data.push(used.data[id].then(|| unique("data_length")));
        }
        for id in module.elems.keys() {
            state.elems.push(used.elems[id].then(|| unique("elements_length")));
        }
        (state.has_tokens, state.has_textures) = (used.tokens, !shaders.textures.is_empty());
        let mut errors = Vec::new();
        for &var in module.globals.iter().filter(|&&var| used.vars[var]) {
            let data = &module.vars[var];
            let is_value = matches!(
                module.types[data.ty],
                TypeKind::Scalar(_) | TypeKind::V128 | TypeKind::FuncRef | TypeKind::ExternRef | TypeKind::Token
            );
            if data.space != AddressSpace::Private || !is_value {
                let text = format!("C has no variable like `{}`", data.name.text);
                errors.push(Diagnostic::error(Code::E0602, data.span, text));
                continue;
            }
            state.by_var[var] = Some(state.vars.len() as u32);
            state.vars.push((var, unique(&data.name.text)));
        }
        if errors.is_empty() { Ok(state) } else { Err(errors) }
    }

    /// Whether there are vectors in it.
    pub(crate) fn has_vectors(&self, module: &Module) -> bool {
        self.vars.iter().any(|&(var, _)| matches!(module.types[module.vars[var].ty], TypeKind::V128))
    }

    /// Whether there is anything in it.
    pub(crate) fn is_any(&self) -> bool {
        let any_segment = self.data.iter().chain(&self.elems).any(Option::is_some);
        let any_item = !self.memories.is_empty() || !self.tables.is_empty() || !self.vars.is_empty();
        any_item || any_segment || self.has_tokens || self.has_textures
    }

    /// The name of a variable.
    pub(crate) fn var(&self, var: Var) -> &str {
        self.by_var[var].map_or("missing", |at| &self.vars[at as usize].1)
    }

    /// A memory as an argument: its address.
    pub(crate) fn memory(&self, module: &Module, memory: Memory) -> String {
        let and = if module.memories[memory].import.is_some() { "" } else { "&" };
        format!("{and}self->{}", self.memories[memory.as_u32() as usize])
    }

    /// A table as an argument: its address.
    pub(crate) fn table(&self, table: Table) -> String {
        format!("&self->{}", self.tables[table.as_u32() as usize])
    }

    /// The length of a data segment.
    pub(crate) fn data_length(&self, module: &Module, data: Data) -> String {
        match &self.data[data.as_u32() as usize] {
            Some(name) => format!("self->{name}"),
            None => format!("{}u", module.data[data].bytes.len()),
        }
    }

    /// The length of an element segment.
    pub(crate) fn elem_length(&self, module: &Module, elem: Elem) -> String {
        match &self.elems[elem.as_u32() as usize] {
            Some(name) => format!("self->{name}"),
            None => format!("{}u", module.elems[elem].items.len()),
        }
    }

    /// The members of the structure, a line each.
    pub(crate) fn members(&self, module: &Module) -> Vec<String> {
        let mut lines = Vec::new();
        for ((_, data), name) in module.memories.iter().zip(&self.memories) {
            let star = if data.import.is_some() { "*" } else { "" };
            lines.push(format!("planish_memory {star}{name};"));
        }
        lines.extend(self.tables.iter().map(|name| format!("planish_table {name};")));
        lines.extend(self.data.iter().chain(&self.elems).flatten().map(|name| format!("uint32_t {name};")));
        if self.has_tokens {
            lines.push("uint64_t token;".to_owned());
        }
        if self.has_textures {
            lines.push("const void *resources;".to_owned());
        }
        for (var, name) in &self.vars {
            lines.push(declared(module, *var, name) + ";");
        }
        lines
    }
}

/// The declaration of a variable.
fn declared(module: &Module, var: Var, name: &str) -> String {
    // (The type of vectors in the program is not one of the header.)
    let ty = match &module.types[module.vars[var].ty] {
        TypeKind::V128 => "planish_v128",
        kind => crate::syntax::type_text(kind),
    };
    let space = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{space}{name}")
}

/// The message that an instance has too many bytes for a frame.
pub(crate) fn too_large(bytes: u64) -> Diagnostic {
    let text =
        format!("the program's arrays take {bytes} bytes, and a function of C has them in its frame: 1 MiB at most");
    Diagnostic::error(Code::E0604, Span::NONE, text)
        .help("a variable at file scope, or a memory, gives the program a state, which the caller allocates")
}
