//! All of the output: what goes before and between the functions.

use planish_back_text::program::{order_functions, write_functions};
use planish_back_text::tree::{Callee, ExprKind, Symbol};
use planish_back_text::{Dialect, Printer, Words, Written, names, nan};
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Node, Type};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Stage;
use crate::exports::{self, Export, Structs};
use crate::helpers::{self, HELPERS};
use crate::names::RustWords;
use crate::state::{State, is_made};
use crate::writer::{Writer, variant};
use crate::{flow, instance, memories, ops, polish};

/// See [`crate::write`].
pub(crate) fn write(
    source: &Module,
    module: &Module,
    slices: &[SliceParam],
    stages: &[Stage],
) -> Result<String, Vec<Diagnostic>> {
    custom::check(module)?;
    refuse(source, module)?;
    let mut own = module.clone();
    let scalars: FxHashMap<Scalar, Type> =
        Scalar::ALL.into_iter().map(|scalar| (scalar, own.types.scalar(scalar))).collect();
    let state = State::new(source, &own, slices, !stages.is_empty())?;
    let has_frames = state.has_methods() && !state.is_instance();
    let exports = exports::find(source, &own, (slices, has_frames), stages, |name| public_name(&RustWords, name))?;
    let direct = exports.iter().filter(|e| e.is_direct).map(|e| (e.func, e.name.clone())).collect();
    let trapping = trapping(&own, &state, slices);
    let mut w = Writer::new(&own, &scalars, &direct, (&trapping, &state), slices);
    // WebAssembly leaves the bits open.
    w.sees_bits = !own.facts.nan_bits && nan::sees_bits(&own);
    let Some(functions) = functions(&mut w, &exports) else {
        return Err(w.text.errors.into_iter().map(with_way_out).collect());
    };
    Ok(assemble(&mut w, source, &functions, &exports))
}

/// A message with what there is instead.
fn with_way_out(error: Diagnostic) -> Diagnostic {
    if error.help.is_empty() { error.help("C has it: `-o FILE.c`; so have WebAssembly and JavaScript") } else { error }
}

/// The name of a public function: one that no word of the language is.
fn public_name(words: &RustWords, name: &str) -> String {
    local_name(words, name)
}

/// A name that no word of the language is.
pub(crate) fn local_name(words: &RustWords, name: &str) -> String {
    let name = words.sanitize(name);
    if words.is_reserved(&name) || words.is_builtin(&name) { format!("{name}_1") } else { name }
}

/// Refuses entry points of stages, which `planish::emit` makes functions of, and vectors.
fn refuse(source: &Module, module: &Module) -> Result<(), Vec<Diagnostic>> {
    if let Some(entry) = source.entry_points.iter().find(|entry| entry.stage.is_some()) {
        let name = entry.names.first().map_or("main", |name| name);
        let text = format!("Rust out has no shaders, as `{name}` is");
        let error = Diagnostic::error(Code::E0604, source.place_of(entry.func), text);
        return Err(vec![error.help("`planish::emit` writes them: it makes functions of them")]);
    }
    let is_vector = |ty: Type| matches!(module.types[ty], TypeKind::V128);
    for (func, function) in module.funcs.iter() {
        let signature = function.params.iter().map(|param| param.ty).chain(function.results.iter().map(|r| r.ty));
        let in_signature = signature.into_iter().any(is_vector).then_some(Span::NONE);
        let of_body = |body: &Body| {
            let takes = |node: Node| body.args(node).iter().any(|&arg| is_vector(module.type_of(body, arg)));
            let gives = |node: Node| body.results(node).any(|result| is_vector(body.local_type(result)));
            body.nodes().find(|&(node, _)| takes(node) || gives(node)).map(|(_, data)| data.span)
        };
        let Some(span) = in_signature.or_else(|| of_body(function.body.as_ref()?)) else { continue };
        let text = format!("Rust out has no 128-bit vectors, as `{}` uses", function.name.text);
        let span = if span.is_none() { module.place_of(func) } else { span };
        let help = "C has them: `-o FILE.c`; so have object files, WebAssembly and JavaScript";
        return Err(vec![Diagnostic::error(Code::E0604, span, text).help(help)]);
    }
    Ok(())
}

/// The functions that may trap: those with such an operation or exit, and those that call one.
fn trapping(module: &Module, state: &State, slices: &[SliceParam]) -> FxHashSet<Func> {
    let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
    // A slice may be too long.
    let mut found: FxHashSet<Func> = slices.iter().map(|slice| slice.func).collect();
    found.extend(state.imports.iter().map(|imported| imported.func));
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        let ends = body.blocks.values().any(|block| matches!(block.exit, Exit::Trap(_)));
        // The stack may end at a call.
        let is_call = |op: Op| matches!(op, Op::Call | Op::TailCall) && state.is_instance();
        if ends || body.nodes().any(|(_, data)| ops::traps(data.op) || is_call(data.op)) {
            found.insert(func);
        }
        for (node, data) in body.nodes() {
            if let (Op::Call | Op::TailCall, Some(callee)) =
                (data.op, body.args(node).first().and_then(|a| a.as_func()))
            {
                callers.entry(callee).or_default().push(func);
            }
        }
    }
    let mut stack: Vec<Func> = found.iter().copied().collect();
    while let Some(func) = stack.pop() {
        stack.extend(callers.get(&func).into_iter().flatten().copied().filter(|&caller| found.insert(caller)));
    }
    found
}

/// The functions that anything outside of functions calls or refers to.
fn roots(w: &Writer<'_>, exports: &[Export]) -> Vec<Func> {
    let module = w.module;
    let mut roots: Vec<Func> = exports.iter().map(|export| export.func).collect();
    roots.extend(module.start);
    let computed = |var: &planish_ir::entity::Var| module.vars[*var].linkage.as_ref()?.computed;
    roots.extend(w.state.vars.iter().filter_map(|(var, _)| computed(var)));
    roots
}

/// The functions that there may be references to.
fn referenced(module: &Module) -> Vec<Func> {
    let mut found: Vec<Func> = module.elems.values().flat_map(|e| &e.items).filter_map(|i| i.as_func()).collect();
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        let references = body.nodes().filter(|(_, data)| data.op == Op::RefFunc);
        found.extend(references.filter_map(|(node, _)| body.args(node)[0].as_func()));
    }
    found
}

/// The functions of the program that the exports reach, written and named. `None` if there are errors.
fn functions(w: &mut Writer<'_>, exports: &[Export]) -> Option<Vec<Written>> {
    let roots = roots(w, exports);
    let mut all = roots.clone();
    all.extend(referenced(w.module));
    all.dedup();
    let order = order_functions(w, &all, None)?;
    let mut functions = write_functions(w, &order)?;
    let unread: Vec<Symbol> = functions.iter_mut().flat_map(|function| polish::run(w, function)).collect();
    if w.state.has_methods() {
        instance::needs(w);
    }
    all.iter().for_each(|&func| _ = w.func_symbol(func));
    let functions = called(w, functions, &roots);
    read_fields(w, &functions);
    w.sees_stack = functions.iter().any(|function| polish::sees_stack(w, function));
    let taken: Vec<Symbol> =
        exports.iter().filter(|e| !e.is_direct).map(|e| w.tree.add_symbol(e.name.clone())).collect();
    // Their names are taken first, so that no function of the program has one.
    for (&symbol, export) in taken.iter().zip(exports.iter().filter(|e| !e.is_direct)) {
        w.tree.symbol_mut(symbol).name = Some(export.name.as_str().into());
    }
    let mut first = taken;
    first.extend(w.direct.keys().filter_map(|&func| w.known_func(func)));
    let inner: FxHashSet<Func> = exports.iter().filter(|e| !e.is_direct).map(|e| e.func).collect();
    for func in inner.into_iter().filter(|func| !w.direct.contains_key(func)) {
        let symbol = w.func_symbol(func);
        let hint = format!("{}_parts", w.tree.symbol(symbol).hint);
        w.tree.symbol_mut(symbol).hint = hint.into();
    }
    names::assign(w, &names::Scope { functions: &functions, first: &first, ..names::Scope::default() });
    for symbol in unread {
        let name = format!("_{}", w.name(symbol));
        w.tree.symbol_mut(symbol).name = Some(name.into());
    }
    for function in functions.iter().filter(|_| w.state.has_methods()) {
        let symbol = w.func_symbol(function.func);
        let name = format!("self.{}", w.name(symbol));
        w.tree.symbol_mut(symbol).name = Some(name.into());
    }
    Some(functions)
}

/// Notes the fields of the state that anything reads.
fn read_fields(w: &mut Writer<'_>, functions: &[Written]) {
    let mut found: FxHashSet<String> = instance::read_by_new(w).into_iter().collect();
    found.extend(w.indirect.iter().map(|call| w.state.table(call.0).to_owned()));
    let lists = functions.iter().flat_map(|function| polish::lists_of(&w.tree, function.body));
    for stmt in lists.flat_map(|list| w.tree.list(list)) {
        flow::reads(&w.tree, stmt, false, |symbol| {
            let name = w.name(symbol);
            let text = name.trim_start_matches('&').strip_prefix("self.").unwrap_or_default();
            found.insert(text.split('.').next().unwrap_or_default().to_owned());
        });
    }
    w.read_fields = found;
}

/// The functions that are still called: calls whose results nothing needs are not written.
fn called(w: &Writer<'_>, functions: Vec<Written>, roots: &[Func]) -> Vec<Written> {
    let by_symbol: FxHashMap<Symbol, &Written> =
        functions.iter().filter_map(|f| Some((w.known_func(f.func)?, f))).collect();
    let bodies: FxHashMap<Func, &Written> = functions.iter().map(|f| (f.func, f)).collect();
    let mut reached: FxHashSet<Func> = roots.iter().copied().collect();
    // (Indirect calls may get to any function of their type that there is a reference to.)
    let types: FxHashSet<Type> = w.indirect.iter().map(|call| call.1).collect();
    reached.extend(w.references.iter().copied().filter(|&func| types.contains(&w.module.funcs[func].ty)));
    let mut stack: Vec<&Written> = reached.iter().filter_map(|func| bodies.get(func).copied()).collect();
    while let Some(function) = stack.pop() {
        for callee in polish::callees(&w.tree, function) {
            if let Some(callee) = by_symbol.get(&callee)
                && reached.insert(callee.func)
            {
                stack.push(callee);
            }
        }
    }
    functions.into_iter().filter(|function| reached.contains(&function.func)).collect()
}

/// Puts the parts together.
fn assemble(w: &mut Writer<'_>, source: &Module, functions: &[Written], exports: &[Export]) -> String {
    let mut needs = std::mem::take(&mut w.needs);
    if !w.slices.is_empty() {
        needs.insert("length");
    }
    helpers::close(&mut needs);
    let mut methods = std::mem::take(&mut w.methods);
    memories::close(&mut methods);
    let w: &Writer<'_> = w;
    let used = HELPERS.iter().filter(|helper| needs.contains(helper.name));
    let mut p = Printer::new(w);
    let is_libm = |text: &str| text.contains("libm::");
    let calls_libm =
        w.tree.kinds().any(|kind| matches!(kind, ExprKind::Call(Callee::BuiltIn(name), _) if is_libm(name)));
    let needs_libm = calls_libm || used.clone().any(|helper| is_libm(helper.text));
    let [has_memory, has_table] = ["Memory::new", "Table::new"].map(|name| methods.contains(name));
    let is_allocated = has_memory || has_table || w.elems.iter().any(|&id| is_made(&w.module.elems[id]));
    p.lines(&lines(&head(is_allocated, needs_libm)));
    if is_allocated {
        p.gap();
        p.lines(&["extern crate alloc;".to_owned()]);
    }
    let kinds = kinds_of_traps(w, used.clone().flat_map(|helper| helper.traps), &methods);
    let makes_state = w.state.has_methods() && instance::may_trap(w);
    let has_host = !w.state.imports.is_empty();
    let is_any = functions.iter().any(|function| w.trapping.contains(&function.func));
    if is_any || makes_state || has_host {
        p.gap();
        p.lines(&lines(&trap_type(&kinds)));
    }
    let structs = Structs::new(source, exports, w.state, &|name: &str| local_name(&RustWords, name));
    for declaration in structs.declarations(source) {
        p.gap();
        p.lines(&lines(&declaration));
    }
    exports.iter().for_each(|export| parts(&mut p, &structs.of_stage(source, export)));
    let adapters = exports.iter().filter(|export| !export.is_direct);
    let adapters: Vec<String> = adapters.map(|export| exports::adapter(w, source, &structs, export)).collect();
    if !w.state.is_instance() {
        parts(&mut p, &adapters);
    }
    let (direct, others): (Vec<&Written>, Vec<&Written>) =
        functions.iter().partition(|function| w.direct.contains_key(&function.func));
    if w.state.has_methods() {
        state(&mut p, (source, &structs), &methods, (&adapters, &direct, &others));
    } else {
        others.iter().for_each(|function| p.function(function));
    }
    parts(&mut p, &used.map(|helper| helper.text.to_owned()).collect::<Vec<_>>());
    if w.state.has_methods() {
        parts(&mut p, &instance::segments(w));
    } else {
        direct.iter().for_each(|function| p.function(function));
    }
    p.finish()
}

/// Parts of the file, each after an empty line.
fn parts<'m>(p: &mut Printer<'_, 'm, Writer<'m>>, texts: &[String]) {
    for text in texts {
        p.gap();
        p.lines(&lines(text));
    }
}

/// The types of the state, its functions, and those of the program.
fn state<'m>(
    p: &mut Printer<'_, 'm, Writer<'m>>,
    (source, structs): (&Module, &Structs),
    methods: &FxHashSet<&'static str>,
    (adapters, direct, others): (&[String], &[&Written], &[&Written]),
) {
    let w = p.writer();
    let state = w.state;
    if !state.imports.is_empty() {
        parts(p, &[instance::imports(w, source, structs)]);
    }
    parts(p, &[instance::declaration(w)]);
    let generics = if state.imports.is_empty() { "" } else { "<I: Imports>" };
    p.block(&format!("impl{generics} {}", state.type_text()), |p| {
        parts(p, &[instance::new(w)]);
        if state.is_instance() {
            parts(p, adapters);
        }
        direct.iter().chain(others).for_each(|function| p.function(function));
        for imported in state.imports.iter().filter(|imported| !imported.is_plain) {
            parts(p, &[instance::import_adapter(w, source, structs, imported)]);
        }
        for &(table, ty) in &w.indirect {
            parts(p, &[instance::indirect_call(w, table, ty)]);
        }
        if w.sees_stack {
            parts(p, &[instance::SEE_TO_STACK.to_owned()]);
        }
        if state.has_tokens {
            parts(p, &[instance::NEW_TOKEN.to_owned()]);
        }
    });
    for (ty, text) in [("Memory", memories::MEMORY), ("Table", memories::TABLE)] {
        if methods.iter().any(|name| name.split("::").next() == Some(ty)) {
            // Hidden from hosts that have no way to it.
            let own = |text: &str| if state.is_instance() { text.to_owned() } else { text.replace("pub ", "") };
            parts(p, &[own(text)]);
            let body: Vec<String> = memories::methods(ty, methods).iter().map(|line| own(line)).collect();
            p.block(&format!("impl {ty}"), |p| p.lines(&body));
        }
    }
}

/// The kinds of traps that may occur, by their variants.
fn kinds_of_traps<'a>(
    w: &Writer<'_>,
    of_helpers: impl Iterator<Item = &'a &'static str>,
    methods: &FxHashSet<&'static str>,
) -> Vec<String> {
    let mut kinds: Vec<String> = w.traps.iter().map(|&kind| variant(kind)).collect();
    kinds.extend(of_helpers.map(|&name| name.to_owned()));
    kinds.extend(memories::used(methods).flat_map(|method| method.traps).map(|&name| name.to_owned()));
    if !w.indirect.is_empty() {
        kinds.push(variant(TrapKind::IndirectCallType));
    }
    if w.sees_stack {
        kinds.push(variant(TrapKind::StackOverflow));
    }
    if !w.state.imports.is_empty() {
        kinds.push(OTHERS[1].0.to_owned());
    }
    if w.module.memories.values().any(|data| data.import.is_some() && data.min_pages > 0) {
        kinds.push(OTHERS[0].0.to_owned());
    }
    kinds
}

/// The first line.
fn head(is_allocated: bool, needs_libm: bool) -> String {
    let what = match (is_allocated, needs_libm) {
        (false, false) => "`core`",
        (false, true) => "`core` and the crate `libm`, version 0.2",
        (true, false) => "`core` and `alloc`",
        (true, true) => "`core`, `alloc` and the crate `libm`, version 0.2",
    };
    format!("// Written by Planish: safe Rust, edition 2024, which needs nothing but {what}.\n")
}

/// Kinds of traps that are none of the program's, and their words.
const OTHERS: [(&str, &str); 2] = [("ImportMismatch", "import mismatch"), ("Host", "a function of the host failed")];

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The type of traps if none occurs.
const NO_TRAPS: &str = "\
/// The reason why a function has no result: there is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Trap {}

impl core::fmt::Display for Trap {
    fn fmt(&self, _: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {}
    }
}

impl core::error::Error for Trap {}
";

/// The type of traps, with those that occur.
fn trap_type(kinds: &[String]) -> String {
    let used: Vec<TrapKind> = TrapKind::ALL.into_iter().filter(|&kind| kinds.contains(&variant(kind))).collect();
    let words = |kind: TrapKind| kind.name().replace('_', " ");
    let mut text = "/// The reason why a function has no result.\n\
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\npub enum Trap {\n"
        .to_owned();
    let others = OTHERS.into_iter().filter(|(name, _)| kinds.iter().any(|kind| kind == name));
    let all = used.iter().map(|&kind| (variant(kind), words(kind)));
    let all: Vec<(String, String)> = all.chain(others.map(|(a, b)| (a.to_owned(), b.to_owned()))).collect();
    if all.is_empty() {
        // (The operations that trap were none that the program needs.)
        return NO_TRAPS.to_owned();
    }
    for (name, words) in &all {
        text.push_str(&format!("    /// {words}.\n    {name},\n"));
    }
    text.push_str(
        "}\n\nimpl core::fmt::Display for Trap {\n    \
         fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {\n        \
         f.write_str(match *self {\n",
    );
    for (name, words) in &all {
        text.push_str(&format!("            Trap::{name} => \"{words}\",\n"));
    }
    text.push_str("        })\n    }\n}\n\nimpl core::error::Error for Trap {}\n");
    text
}
