//! Functions that make instances: `init` and `free` of the interface, or those in the frame of a function that has its own.

use std::fmt::Write as _;

use planish_back_header::interface::join;
use planish_back_header::scalar_of;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Const, Func, Memory, Var};
use planish_ir::host::SliceParam;
use planish_ir::module::{ElemItem, MemoryData, Module, Offset};
use planish_ir::types::{Scalar, TypeKind};

use crate::number::literal;
use crate::state::too_large;
use crate::vectors::{bits, is_vector};
use crate::writer::Writer;

/// Maximum number of bytes of memories in a frame.
const MAX_FRAME: u64 = 1 << 20;

/// The helpers and segments that the functions of this file use.
pub(crate) fn needs(w: &mut Writer<'_>, has_frame: bool) {
    let module = w.module;
    if !has_frame && module.memories.values().any(|data| data.import.is_none()) {
        w.needs.insert("memory_new");
    }
    if !module.tables.is_empty() {
        w.needs.insert("table_new");
    }
    for (id, data) in module.data.iter() {
        if data.active.is_some() && !data.bytes.is_empty() {
            w.needs.insert("memory_init");
            w.data.insert(id);
        }
    }
    for (id, elem) in module.elems.iter() {
        if elem.active.is_some() {
            w.needs.insert("table_init");
            w.elems.insert(id);
        }
        if elem.active.is_some() && elem.items.iter().any(|item| matches!(item, ElemItem::Var(_))) {
            w.needs.insert("table_fill");
        }
    }
    let elems: Vec<_> = w.elems.iter().copied().collect();
    for id in elems {
        for func in module.elems[id].items.iter().filter_map(|item| item.as_func()) {
            w.reference(func);
        }
    }
    vectors(w);
    crate::shaders::needs(w);
    for &(var, _) in &w.state.vars {
        let nan = module.vars[var].initializer.and_then(|c| odd_nan(module, c));
        w.needs.extend(nan);
    }
}

/// Functions between vectors of the program and bytes of the interface.
fn vectors(w: &mut Writer<'_>) {
    let module = w.module;
    let takes = |func: Func| module.funcs[func].params.iter().any(|param| is_vector(&module.types[param.ty]));
    let gives = |func: Func| module.funcs[func].results.iter().any(|result| is_vector(&module.types[result.ty]));
    let (exports, imports) = (&w.interface.functions, &w.interface.imports);
    if exports.iter().any(|f| takes(f.func)) || imports.iter().any(|f| gives(f.func)) {
        w.needs.insert("v128_read");
    }
    let computed = |var: Var| module.vars[var].linkage.as_ref().is_some_and(|linkage| linkage.computed.is_some());
    let is_written =
        w.state.vars.iter().any(|&(var, _)| computed(var) && is_vector(&module.types[module.vars[var].ty]));
    if exports.iter().any(|f| gives(f.func)) || imports.iter().any(|f| takes(f.func)) || is_written {
        w.needs.insert("v128_write");
    }
    if module.funcs.values().any(|f| f.results.iter().any(|result| is_vector(&module.types[result.ty]))) {
        w.needs.insert("v128");
    }
}

/// The helper that makes a NaN that no literal is.
fn odd_nan(module: &Module, c: Const) -> Option<&'static str> {
    let TypeKind::Scalar(scalar) = module.types[module.consts[c].ty] else { return None };
    let bits = module.consts.as_bits(c)?;
    let name = if scalar == Scalar::F32 { "f32_from_bits" } else { "f64_from_bits" };
    literal(scalar, bits).is_none().then_some(name)
}

/// The text of a constant.
fn constant(module: &Module, c: Const) -> String {
    let bits = module.consts.as_bits(c);
    match (module.types[module.consts[c].ty].clone(), bits) {
        (TypeKind::Scalar(scalar), Some(bits)) => literal(scalar, bits).unwrap_or_else(|| match scalar {
            Scalar::F32 => format!("f32_from_bits({bits:#x}u)"),
            _ => format!("f64_from_bits(UINT64_C({bits:#x}))"),
        }),
        (_, Some(bits)) => format!("UINT64_C({bits})"),
        (_, None) => "NULL".to_owned(),
    }
}

/// First values of variables and lengths of segments.
fn values(w: &Writer<'_>, out: &mut String) {
    let module = w.module;
    for (var, name) in &w.state.vars {
        if let Some(c) = module.vars[*var].initializer.filter(|&c| is_vector(&module.types[module.consts[c].ty])) {
            let bits = bits(&module.consts[c].value).to_le_bytes().map(|byte| format!("{byte}u"));
            let _ = writeln!(out, "    self->{name} = (planish_v128){{{{{}}}}};", bits.join(", "));
        } else if let Some(c) = module.vars[*var].initializer.filter(|&c| module.consts.as_bits(c) != Some(0)) {
            let _ = writeln!(out, "    self->{name} = {};", constant(module, c));
        }
    }
    for (data, name) in module.data.values().zip(&w.state.data) {
        if let Some(name) = name.as_ref().filter(|_| data.active.is_none()) {
            let _ = writeln!(out, "    self->{name} = {}u;", data.bytes.len());
        }
    }
    for (elem, name) in module.elems.values().zip(&w.state.elems) {
        if let Some(name) = name.as_ref().filter(|_| elem.active.is_none()) {
            let _ = writeln!(out, "    self->{name} = {}u;", elem.items.len());
        }
    }
}

fn offset(w: &Writer<'_>, offset: Offset) -> String {
    match offset {
        Offset::Const(at) => format!("{at}u"),
        Offset::Var(var) => format!("(uint32_t)self->{}", w.state.var(var)),
    }
}

/// Computed variables, segments, in the order of an instantiation; then the start function.
fn fill(w: &Writer<'_>, out: &mut String) {
    let module = w.module;
    let name = |func: Func| w.known_func(func).map(|symbol| w.name(symbol)).unwrap_or_default();
    for (var, member) in &w.state.vars {
        let computed = module.vars[*var].linkage.as_ref().and_then(|linkage| linkage.computed);
        if let Some(func) = computed {
            let _ = match is_vector(&module.types[module.vars[*var].ty]) {
                true => writeln!(out, "    v128_write(&self->{member}, {}(self));", name(func)),
                false => writeln!(out, "    self->{member} = {}(self);", name(func)),
            };
        }
    }
    for (id, elem) in module.elems.iter() {
        let Some((table, at)) = elem.active else { continue };
        let (table, at, len) = (w.state.table(table), offset(w, at), elem.items.len());
        let number = id.as_u32();
        let _ = writeln!(out, "    table_init({table}, elements_{number}, {len}u, {at}, 0u, {len}u, NULL, 0u, 0u);");
        for (i, item) in elem.items.iter().enumerate() {
            if let ElemItem::Var(var) = *item {
                let var = w.state.var(var);
                let _ = writeln!(out, "    table_fill({table}, {at} + {i}u, self->{var}, 1u, NULL, 0u, 0u);");
            }
        }
    }
    for (id, data) in module.data.iter().filter(|(_, data)| !data.bytes.is_empty()) {
        let Some((memory, at)) = data.active else { continue };
        let (memory, at, len) = (w.state.memory(module, memory), offset(w, at), data.bytes.len());
        let number = id.as_u32();
        let _ = writeln!(out, "    memory_init({memory}, data_{number}, {len}u, {at}, 0u, {len}u, NULL, 0u, 0u);");
    }
    // (An empty segment is checked, too.)
    for data in module.data.values().filter(|data| data.bytes.is_empty()) {
        let Some((memory, at)) = data.active else { continue };
        let memory = w.state.memory(module, memory);
        let memory = memory.strip_prefix('&').map_or(format!("{memory}->"), |memory| format!("{memory}."));
        let at = offset(w, at);
        let _ = writeln!(
            out,
            "    if ({at} > {memory}size) planish_trap(PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY, NULL, 0u, 0u);"
        );
    }
    if let Some(start) = module.start {
        let _ = writeln!(out, "    {}(self);", name(start));
    }
}

/// The functions `init`, `free` and those that give exported memories and variables.
pub(crate) fn functions(w: &Writer<'_>) -> String {
    let (module, interface, instance) = (w.module, w.interface, w.instance);
    let mut out = String::new();
    let _ = write!(out, "void {}({instance} *self, void *user", join(&interface.prefix, "init"));
    for (param, ..) in &interface.imported_memories {
        let _ = write!(out, ", planish_memory *{param}");
    }
    for (param, _, var) in &interface.imported_vars {
        let ty = crate::syntax::type_text(&module.types[module.vars[*var].ty]);
        let _ = write!(out, ", {ty} {param}");
    }
    out.push_str(") {\n    memset(self, 0, sizeof *self);\n    self->user = user;\n");
    values(w, &mut out);
    for (param, _, memory) in &interface.imported_memories {
        let name = &w.state.memories[memory.as_u32() as usize];
        let least = u64::from(module.memories[*memory].min_pages) * MemoryData::PAGE as u64;
        let _ = writeln!(out, "    self->{name} = {param};");
        if least > 0 {
            let _ = writeln!(
                out,
                "    if ({param}->size < UINT64_C({least})) planish_trap(PLANISH_TRAP_IMPORT_MISMATCH, NULL, 0u, 0u);"
            );
        }
    }
    for (param, _, var) in &interface.imported_vars {
        match w.state.by_var[*var] {
            Some(_) => _ = writeln!(out, "    self->{} = {param};", w.state.var(*var)),
            None => _ = writeln!(out, "    (void){param};"),
        }
    }
    for (memory, data) in module.memories.iter().filter(|(_, data)| data.import.is_none()) {
        let most = data.max_pages.unwrap_or(MemoryData::MAX_PAGES);
        let memory = w.state.memory(module, memory);
        let _ = writeln!(out, "    memory_new({memory}, {}u, {most}u);", data.min_pages);
    }
    for (table, data) in module.tables.iter() {
        let most = data.max.unwrap_or(u32::MAX);
        let _ = writeln!(out, "    table_new({}, {}u, {most}u);", w.state.table(table), data.min);
    }
    fill(w, &mut out);
    let _ = write!(out, "}}\n\nvoid {}({instance} *self) {{\n", join(&interface.prefix, "free"));
    let before = out.len();
    for (memory, _) in module.memories.iter().filter(|(_, data)| data.import.is_none()) {
        let _ = writeln!(out, "    free(self->{}.data);", w.state.memories[memory.as_u32() as usize]);
    }
    for name in &w.state.tables {
        let _ = writeln!(out, "    free((void *)self->{name}.items);");
    }
    if out.len() == before {
        out.push_str("    (void)self;\n");
    }
    out.push_str("}\n");
    accessors(w, &mut out);
    out
}

fn accessors(w: &Writer<'_>, out: &mut String) {
    let (module, instance) = (w.module, w.instance);
    for (name, _, memory) in &w.interface.memories {
        let memory = w.state.memory(module, *memory);
        let _ = write!(out, "\nplanish_memory *{name}({instance} *self) {{\n    return {memory};\n}}\n");
    }
    for (name, _, var) in &w.interface.vars {
        let data = &module.vars[*var];
        let constant = if data.is_const { "const " } else { "" };
        let ty = crate::syntax::type_text(&module.types[data.ty]);
        let member = w.state.var(*var);
        let _ = write!(out, "\n{constant}{ty} *{name}({instance} *self) {{\n    return &self->{member};\n}}\n");
    }
}

/// An instance in the frame of a function.
///
/// # Errors
/// E0604 if its memories are too large for a frame.
pub(crate) fn frame(w: &Writer<'_>, slices: &[SliceParam]) -> Result<FrameText, Box<Diagnostic>> {
    let module = w.module;
    let mut first = String::new();
    values(w, &mut first);
    fill(w, &mut first);
    let begin = match first.is_empty() {
        true => String::new(),
        false => format!("static void begin_instance({} *self) {{\n{first}}}\n", w.instance),
    };
    let mut statements =
        format!("    {} planish_frame;\n    memset(&planish_frame, 0, sizeof planish_frame);\n", w.instance);
    let mut bytes = 0;
    for (memory, data) in module.memories.iter() {
        if !w.shaders.is_empty() || slices.iter().any(|slice| slice.memory == memory) {
            continue;
        }
        let size = u64::from(data.min_pages) * MemoryData::PAGE as u64;
        bytes += size;
        let name = member(w, memory);
        let _ = write!(
            statements,
            "    uint8_t {name}_bytes[{size}] = {{0}};\n    planish_frame.{name}.data = {name}_bytes;\n    \
             planish_frame.{name}.size = sizeof {name}_bytes;\n"
        );
    }
    if bytes > MAX_FRAME {
        return Err(Box::new(too_large(bytes)));
    }
    let start = if begin.is_empty() { "" } else { "    begin_instance(&planish_frame);\n" };
    Ok(FrameText { begin, statements, start })
}

/// Texts about an instance in the frame of a function.
#[derive(Default)]
pub(crate) struct FrameText {
    /// The function that gives it its first values; empty if it has none.
    pub(crate) begin: String,
    /// Statements that make one, before its first values.
    pub(crate) statements: String,
    /// The call of that function.
    pub(crate) start: &'static str,
}

fn member<'a>(w: &'a Writer<'_>, memory: Memory) -> &'a str {
    &w.state.memories[memory.as_u32() as usize]
}

/// Whether an imported variable is a scalar, which it has to be.
pub(crate) fn is_scalar(module: &Module, var: Var) -> bool {
    scalar_of(module, module.vars[var].ty).is_some()
}
