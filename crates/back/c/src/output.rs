//! All of the output: what goes before and between the functions.

use std::fmt::Write as _;

use planish_back_header::header::{self, Definitions};
use planish_back_header::interface::{identifier, join};
use planish_back_header::{CFunction, CLayout, Interface, Layout, Passing, Shaders, State as Place};
use planish_back_text::program::{order_functions, write_functions};
use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Written, names, order};
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::function::TrapKind;
use planish_ir::module::{ElemItem, Module};
use planish_ir::ops::{LaneShape, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::adapters::{Adapters, has_scalars, is_plain};
use crate::helpers;
use crate::state::State;
use crate::syntax::type_text;
use crate::writer::{Given, Writer};
use crate::{Options, Output, instance, machine, polish};

/// See [`crate::write`].
pub(crate) fn write(source: &Module, module: &Module, options: &Options<'_>) -> Result<Output, Vec<Diagnostic>> {
    custom::check(module)?;
    let prefix = if options.prefix.is_empty() { String::new() } else { identifier(options.prefix) };
    if prefix == "planish" {
        let text = "the prefix `planish` is that of the runtime";
        return Err(vec![Diagnostic::error(Code::E0604, Span::NONE, text).help("choose another one with `--prefix`")]);
    }
    let layout = Layout::new(source).map_err(|error| vec![*error])?;
    let none = Shaders::default();
    let shaders = options.shaders.unwrap_or(&none);
    refuse_stages(source, options)?;
    let mut interface = Interface::new(source, &layout, &prefix, shaders, options.slices)?;
    check_pointers(source, module, &mut interface)?;
    let mut own = module.clone();
    let scalars: FxHashMap<Scalar, Type> =
        Scalar::ALL.into_iter().map(|scalar| (scalar, own.types.scalar(scalar))).collect();
    let state = State::new(&own, &interface, shaders)?;
    let members = state.members(&own);
    let is_instance = interface.state == Place::Instance;
    let types = types_of(&own, &state);
    let written = header::write(source, &interface, &layout, shaders, Definitions::Source(&members, &types));
    let instance = match (is_instance, state.is_any()) {
        (true, _) if prefix.is_empty() => "planish_instance".to_owned(),
        (true, _) => prefix.clone(),
        (false, true) => "planish_state".to_owned(),
        (false, false) => String::new(),
    };
    let direct = direct_functions(&own, &interface, !instance.is_empty());
    let names = taken(&own, &interface, shaders, (&written.types, &instance));
    let given = Given {
        module: &own,
        state: &state,
        interface: &interface,
        options,
        shaders,
        names: &names,
        scalars: &scalars,
        instance: &instance,
        direct: &direct,
    };
    let mut w = Writer::new(given);
    let Some(functions) = functions(&mut w) else { return Err(w.text.errors) };
    let frame = Frame { source, types: &written.types, slices: options.slices, members: &members };
    let text = assemble(&mut w, &functions, &frame)?;
    let warnings = interface.warnings.clone();
    Ok(Output { text, header: written.text, warnings })
}

/// The type of tables, which the headers of programs with tables have.
const TABLE: &str = "#ifndef PLANISH_TABLE_DEFINED
#define PLANISH_TABLE_DEFINED
/* A table of references. */
typedef struct planish_table {
    const void **items;
    uint32_t length;
    uint32_t max_items;
} planish_table;
#endif

";

/// The type of vectors in an instance.
const VECTOR: &str = "#ifndef PLANISH_V128_DEFINED
#define PLANISH_V128_DEFINED
typedef struct planish_v128 {
    uint8_t bytes[16];
} planish_v128;
#endif

";

/// Types that members of an instance have.
fn types_of(module: &Module, state: &State) -> String {
    let table = if module.tables.is_empty() { "" } else { TABLE };
    let vector = if state.has_vectors(module) { VECTOR } else { "" };
    format!("{table}{vector}")
}

fn refuse_stages(module: &Module, options: &Options<'_>) -> Result<(), Vec<Diagnostic>> {
    let staged: Vec<_> = module.entry_points.iter().filter(|entry| entry.stage.is_some()).collect();
    let Some(entry) = staged.first().filter(|_| options.stages.is_empty()) else { return Ok(()) };
    let span = module.funcs[entry.func].span;
    let text = format!("C out has no shaders here, as `{}` is", entry.names.first().map_or("main", |name| name));
    Err(vec![
        Diagnostic::error(Code::E0604, span, text).help("`planish::emit` writes them: it makes functions of them"),
    ])
}

/// Refuses exported functions whose pointers have become addresses.
fn check_pointers(source: &Module, module: &Module, interface: &mut Interface) -> Result<(), Vec<Diagnostic>> {
    let components = |function: &CFunction| -> usize {
        let of = |ty: Type| CLayout::of(source, ty).map_or(1, |layout| layout.parts.len());
        let size = |param: &planish_back_header::CParam| match param.passing {
            Passing::In => of(param.ty),
            Passing::Value(_) | Passing::InOut | Passing::Slice(_) => 1,
        };
        function.params.iter().map(size).sum()
    };
    let mut errors = Vec::new();
    for function in interface.functions.iter().chain(&interface.imports) {
        let by_pointer = function.params.iter().any(|param| param.passing == Passing::InOut);
        let differs = components(function) != module.funcs[function.func].params.len();
        if by_pointer || differs {
            let text = format!("`{}` cannot be called from C: it takes a pointer", function.name);
            let error = Diagnostic::error(Code::E0604, source.place_of(function.func), text);
            errors.push(error.help("return the value instead, or write an object file, which has such functions"));
        }
    }
    for (_, import, var) in &interface.imported_vars {
        if !instance::is_scalar(source, *var) {
            let text = format!("C cannot import the variable `{}` of `{}`", import.name, import.module);
            errors.push(Diagnostic::error(Code::E0604, source.vars[*var].span, text).help("only numbers are imported"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Functions of the program that are those of the interface themselves.
fn direct_functions(module: &Module, interface: &Interface, has_instance: bool) -> FxHashMap<Func, String> {
    let mut times: FxHashMap<Func, u32> = FxHashMap::default();
    interface.functions.iter().for_each(|function| *times.entry(function.func).or_default() += 1);
    let is_direct = |function: &&CFunction| {
        let is_own = module.funcs[function.func].body.is_some();
        is_own && times[&function.func] == 1 && has_scalars(function) && has_instance == interface.takes_instance()
    };
    interface.functions.iter().filter(is_direct).map(|f| (f.func, f.c_name.clone())).collect()
}

/// Names that no function or variable of the program may have.
fn taken(
    module: &Module,
    interface: &Interface,
    shaders: &Shaders,
    (types, instance): (&FxHashMap<Type, String>, &str),
) -> FxHashSet<String> {
    let mut names: FxHashSet<String> = helpers::all().map(|helper| helper.name.to_owned()).collect();
    for function in interface.functions.iter().chain(&interface.imports) {
        names.extend([function.c_name.clone(), format!("{}_result", function.c_name)]);
    }
    names.extend(interface.memories.iter().map(|memory| memory.0.clone()));
    names.extend(interface.vars.iter().map(|var| var.0.clone()));
    names.extend(types.values().cloned());
    let groups = ["uniforms", "inputs", "outputs"];
    for name in interface.stages.iter().map(|stage| &stage.c_name).chain(&interface.shaders) {
        names.extend(groups.iter().map(|group| format!("{name}_{group}")).chain([name.clone()]));
    }
    if !shaders.textures.is_empty() {
        names.extend(crate::shaders::names().map(str::to_owned));
        names.extend(shaders.textures.iter().map(|(func, _)| format!("texture_{}", func.as_u32())));
    }
    names.extend(["init", "free"].map(|name| join(&interface.prefix, name)));
    names.extend([instance.to_owned(), "begin_instance".to_owned(), "see_to_stack".to_owned()]);
    // (Macros and types of vectors.)
    names.extend(["VECTOR_OPERATORS", "LANES", "LANE", "AS"].map(str::to_owned));
    names.extend(LaneShape::ALL.map(|shape| shape.name().to_owned()));
    for func in module.funcs.keys() {
        names.extend(["reference", "import"].map(|name| format!("{name}_{}", func.as_u32())));
    }
    names.extend(module.data.keys().map(|id| format!("data_{}", id.as_u32())));
    names.extend(module.elems.keys().map(|id| format!("elements_{}", id.as_u32())));
    for function in module.funcs.values() {
        if let TypeKind::Function { results, .. } = &module.types[function.ty]
            && results.len() > 1
        {
            let parts: Vec<&str> = results.iter().map(|&ty| type_text(&module.types[ty])).collect();
            names.insert(format!("results_{}", parts.join("_")));
        }
    }
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (_, data) in body.nodes() {
            if matches!(data.op, Op::CallIndirect | Op::TailCallIndirect) {
                let (table, ty) = data.imm.as_table_type();
                names.insert(machine::indirect_name(table, ty));
            }
        }
    }
    names
}

/// Functions of the program that those of the interface call.
fn called_by_c(w: &Writer<'_>) -> Vec<Func> {
    let functions = w.interface.functions.iter().map(|function| function.func);
    let shaders = w.shaders.entries.iter().map(|entry| entry.func);
    functions.chain(shaders).chain(w.options.stages.iter().copied()).collect()
}

/// The functions of the program that anything reaches, written and named. `None` if there are errors.
fn functions(w: &mut Writer<'_>) -> Option<Vec<Written>> {
    let module = w.module;
    let mut roots = called_by_c(w);
    roots.extend(module.start);
    let computed = |var: &planish_ir::entity::Var| module.vars[*var].linkage.as_ref().and_then(|l| l.computed);
    roots.extend(w.state.vars.iter().filter_map(|(var, _)| computed(var)));
    for elem in module.elems.values() {
        roots.extend(elem.items.iter().filter_map(|item: &ElemItem| item.as_func()));
    }
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        let references = body.nodes().filter(|(_, data)| data.op == Op::RefFunc);
        roots.extend(references.filter_map(|(node, _)| body.args(node)[0].as_func()));
    }
    let order = order_functions(w, &roots, None)?;
    let textures = w.shaders.textures.iter().map(|texture| texture.0);
    for func in order.iter().copied().chain(textures) {
        let types = w.results_of(func);
        if types.len() > 1 {
            w.need_results(&types);
        }
    }
    let functions = write_functions(w, &order)?;
    functions.iter().for_each(|function| polish::run(w, function));
    let functions = called(w, functions);
    let has_frame = w.has_instance() && !w.interface.takes_instance();
    instance::needs(w, has_frame);
    names::assign(w, &names::Scope { functions: &functions, ..names::Scope::default() });
    Some(functions)
}

/// The functions that are still called: calls whose results nothing needs are not written.
fn called(w: &Writer<'_>, functions: Vec<Written>) -> Vec<Written> {
    let module = w.module;
    let mut reached: FxHashSet<Func> = called_by_c(w).into_iter().collect();
    reached.extend(module.start);
    let computed = |var: &planish_ir::entity::Var| module.vars[*var].linkage.as_ref().and_then(|l| l.computed);
    reached.extend(w.state.vars.iter().filter_map(|(var, _)| computed(var)));
    let written = module.elems.iter().filter(|(id, elem)| elem.active.is_some() || w.elems.contains(id));
    reached.extend(written.flat_map(|(_, elem)| &elem.items).filter_map(|item| item.as_func()));
    reached.extend(&w.references);
    let by_symbol: FxHashMap<Symbol, Func> =
        functions.iter().filter_map(|f| Some((w.known_func(f.func)?, f.func))).collect();
    let bodies: FxHashMap<Func, &Written> = functions.iter().map(|f| (f.func, f)).collect();
    let mut stack: Vec<Func> = reached.iter().copied().collect();
    while let Some(function) = stack.pop().map(|func| bodies.get(&func)) {
        let Some(function) = function else { continue };
        for callee in polish::callees(w, function) {
            if let Some(&func) = by_symbol.get(&callee)
                && reached.insert(func)
            {
                stack.push(func);
            }
        }
    }
    functions.into_iter().filter(|function| reached.contains(&function.func)).collect()
}

/// Data of the functions of the interface.
struct Frame<'a> {
    source: &'a Module,
    types: &'a FxHashMap<Type, String>,
    slices: &'a [planish_ir::host::SliceParam],
    members: &'a [String],
}

/// Puts the parts together.
fn assemble(w: &mut Writer<'_>, functions: &[Written], frame: &Frame<'_>) -> Result<String, Vec<Diagnostic>> {
    let has_frames = w.has_instance() && !w.interface.takes_instance();
    let text = match has_frames {
        true => instance::frame(w, frame.slices).map_err(|error| vec![*error])?,
        false => instance::FrameText::default(),
    };
    let whole = format!("{}{}", text.statements, text.start);
    let mut needs = std::mem::take(&mut w.needs);
    helpers::close(&mut needs);
    let w: &Writer<'_> = w;
    let adapters = Adapters { w, source: frame.source, types: frame.types, frame: &whole };
    let mut p = Printer::new(w);
    begin_file(&mut p, w);
    if has_frames {
        p.lines(&lines(&types_of(w.module, w.state)));
        let members: String = frame.members.iter().map(|member| format!("    {member}\n")).collect();
        part(&mut p, &format!("typedef struct planish_state {{\n{members}}} planish_state;\n"));
    }
    for helper in helpers::all().filter(|helper| needs.contains(helper.name)) {
        part(&mut p, helper.text);
    }
    for types in &w.result_types {
        let members = types.iter().enumerate().map(|(i, &ty)| {
            let ty = type_text(&w.module.types[ty]);
            format!("    {ty} r{i};\n")
        });
        let (name, members) = (w.results_name(types), members.collect::<String>());
        part(&mut p, &format!("typedef struct {name} {{\n{members}}} {name};\n"));
    }
    if needs.contains("see_to_stack") {
        part(&mut p, &see_to_stack(w.instance));
    }
    for (func, call) in &w.shaders.textures {
        part(&mut p, &adapters.texture(*func, call));
    }
    data(&mut p, w);
    imports(&mut p, w, &adapters, functions);
    prototypes(&mut p, w, functions);
    references(&mut p, w);
    for &(table, ty) in &w.indirect {
        part(&mut p, &indirect_call(w, table, ty));
    }
    for function in functions {
        p.function(function);
    }
    if !text.begin.is_empty() {
        part(&mut p, &text.begin);
    }
    for function in w.interface.functions.iter().filter(|function| !w.direct.contains_key(&function.func)) {
        let name = w.known_func(function.func).map(|symbol| w.name(symbol)).unwrap_or_default();
        part(&mut p, &adapters.export(function, &name));
    }
    let name = |func: Func| w.known_func(func).map(|symbol| w.name(symbol)).unwrap_or_default();
    for (stage, &func) in w.interface.stages.iter().zip(w.options.stages) {
        part(&mut p, &adapters.stage(stage, func, &name(func)));
    }
    let of_shaders = Adapters { frame: &text.statements, ..adapters };
    for (entry, c_name) in w.shaders.entries.iter().zip(&w.interface.shaders) {
        part(&mut p, &of_shaders.shader(entry, c_name, &name(entry.func), text.start));
    }
    if w.interface.takes_instance() {
        part(&mut p, &instance::functions(w));
    }
    let mut text = p.finish();
    if text.contains("planish_trap(") {
        let at = trap_place(&text);
        text.insert_str(at, &trap());
    }
    Ok(text)
}

/// The place before the first function: after the lines for compilers.
fn trap_place(text: &str) -> usize {
    text.find(END_OF_BEGIN).map_or(0, |at| at + END_OF_BEGIN.len())
}

/// The last lines of the begin of the file.
const END_OF_BEGIN: &str = "#pragma STDC FP_CONTRACT OFF\n#endif\n";

/// The function that traps, unless the program defines it.
fn trap() -> String {
    let names = TrapKind::ALL.iter().map(|kind| kind.name().replace('_', " ")).chain(["import mismatch".to_owned()]);
    let names: String = names.map(|name| format!("        \"{name}\",\n")).collect();
    format!(
        "
#ifdef __GNUC__
/* Unless the program defines it. */
__attribute__((weak)) void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {{
    static const char *const names[] = {{
{names}    }};
    const char *place = function != NULL ? function : \"the program\";
    fprintf(stderr, \"planish: trap: %s in `%s` at %lu:%lu\\n\", names[code - 1], place, (unsigned long)line,
            (unsigned long)column);
    abort();
}}
#endif
"
    )
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// A part of the file, after an empty line.
fn part<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, text: &str) {
    p.gap();
    p.lines(&lines(text));
}

fn begin_file<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, w: &Writer<'m>) {
    let header = crate::number::string(w.options.header);
    let text = format!(
        "/* Written by Planish: a program in C11. Floats need the rules of IEEE 754: no `-ffast-math`, and no contraction of
   products and sums, which is turned off here for GCC and Clang (`-ffp-contract=off`). */
#include {header}

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error \"float and double are computed in their own precision\"
#endif
#ifdef __FAST_MATH__
#error \"floats need the rules of IEEE 754\"
#endif
_Static_assert(sizeof(float) == 4 && FLT_RADIX == 2 && FLT_MANT_DIG == 24 && FLT_MAX_EXP == 128, \"float is binary32\");
_Static_assert(sizeof(double) == 8 && DBL_MANT_DIG == 53 && DBL_MAX_EXP == 1024, \"double is binary64\");
_Static_assert(sizeof(int) == 4 && sizeof(size_t) >= 4, \"int has 32 bits, and sizes have as many or more\");
_Static_assert((int32_t)UINT32_MAX == -1 && (-1 >> 1) == -1, \"integers are two's complement\");
#ifdef __GNUC__
#pragma GCC diagnostic ignored \"-Wtype-limits\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize (\"fp-contract=off\")
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif
"
    );
    p.lines(&lines(&text));
}

/// The function that traps where the stack ends.
fn see_to_stack(instance: &str) -> String {
    format!(
        "/* Traps if the stack is used up. */
static inline void see_to_stack(const {instance} *self, const char *function, uint32_t line, uint32_t column) {{
#ifdef __GNUC__
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
#else
    char local = 0;
    uintptr_t here = (uintptr_t)&local;
#endif
    if (here < self->stack_limit) planish_trap(PLANISH_TRAP_STACK_OVERFLOW, function, line, column);
}}
"
    )
}

/// The bytes of data segments.
fn data<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, w: &Writer<'m>) {
    for (id, data) in w.module.data.iter().filter(|(id, _)| w.data.contains(id)) {
        let mut text = format!("static const uint8_t data_{}[] = {{", id.as_u32());
        let bytes: &[u8] = if data.bytes.is_empty() { &[0] } else { &data.bytes };
        for (i, byte) in bytes.iter().enumerate() {
            text.push_str(if i % 20 == 0 { "\n    " } else { " " });
            let _ = write!(text, "{byte},");
        }
        text.push_str("\n};\n");
        part(p, &text);
    }
}

/// Functions that call imports by their interface.
fn imports<'m>(
    p: &mut Printer<'_, 'm, Writer<'m>>,
    w: &Writer<'m>,
    adapters: &Adapters<'_, 'm>,
    functions: &[Written],
) {
    let mut called: FxHashSet<Func> = w.references.iter().copied().collect();
    for function in functions {
        let Some(body) = &w.module.funcs[function.func].body else { continue };
        let calls = body.nodes().filter(|(_, data)| matches!(data.op, Op::Call | Op::TailCall));
        called.extend(calls.filter_map(|(node, _)| body.args(node)[0].as_func()));
    }
    called.extend(w.interface.functions.iter().map(|function| function.func));
    for function in w.interface.imports.iter().filter(|f| called.contains(&f.func) && !is_plain(f, w)) {
        let name = w.known_func(function.func).map(|symbol| w.name(symbol)).unwrap_or_default();
        part(p, &adapters.import(function, &name));
    }
}

fn prototypes<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, w: &Writer<'m>, functions: &[Written]) {
    let early = order::called_early(w.module, functions);
    let is_early =
        |f: &&Written| !w.direct.contains_key(&f.func) && (early.contains(&f.func) || w.references.contains(&f.func));
    p.gap();
    for function in functions.iter().filter(is_early) {
        p.prototype(function);
    }
}

/// Constants that references to functions point to, and those of element segments.
fn references<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, w: &Writer<'m>) {
    p.gap();
    for &func in &w.references {
        let name = w.known_func(func).map(|symbol| w.name(symbol)).unwrap_or_default();
        let (number, ty) = (func.as_u32(), w.module.funcs[func].ty.as_u32());
        p.lines(&[format!("static const reference reference_{number} = {{(void (*)(void)){name}, {ty}u}};")]);
    }
    for (id, elem) in w.module.elems.iter().filter(|(id, _)| w.elems.contains(id)) {
        let item = |item: &ElemItem| match item.as_func() {
            Some(func) => format!("    &reference_{},\n", func.as_u32()),
            None => "    NULL,\n".to_owned(),
        };
        let items: String = elem.items.iter().map(item).collect();
        let items = if items.is_empty() { "    NULL,\n".to_owned() } else { items };
        part(p, &format!("static const void *const elements_{}[] = {{\n{items}}};\n", id.as_u32()));
    }
}

/// The function that calls the element of a table, if it has a type.
fn indirect_call(w: &Writer<'_>, table: planish_ir::entity::Table, ty: Type) -> String {
    let TypeKind::Function { params, results } = &w.module.types[ty] else { return String::new() };
    let (result, instance) = (w.return_type(results), w.instance);
    let types: Vec<&str> = params.iter().map(|&ty| type_text(&w.module.types[ty])).collect();
    let declared: String = types.iter().enumerate().map(|(i, ty)| format!(", {ty} p{i}")).collect();
    let listed: String = types.iter().map(|ty| format!(", {ty}")).collect();
    let given: String = (0..types.len()).map(|i| format!(", p{i}")).collect();
    let (name, table, number) = (machine::indirect_name(table, ty), w.state.table(table), ty.as_u32());
    let give = if results.is_empty() { "" } else { "return " };
    format!(
        "static {result} {name}({instance} *self, uint32_t index{declared}, const char *function, uint32_t line,\n    \
         uint32_t column) {{\n    \
         const reference *callee = callee_of({table}, index, {number}u, function, line, column);\n    \
         {give}(({result} (*)({instance} *{listed}))callee->code)(self{given});\n}}\n"
    )
}
