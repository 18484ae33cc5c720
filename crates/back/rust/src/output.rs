//! All of the output: what goes before and between the functions.

use planish_back_text::program::{order_functions, write_functions};
use planish_back_text::tree::{Callee, ExprKind, Symbol};
use planish_back_text::{Dialect, Printer, Words, Written, names, nan};
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::exports::{self, Export, Structs};
use crate::helpers::{self, HELPERS};
use crate::names::RustWords;
use crate::writer::{Writer, variant};
use crate::{ops, polish, slices};

/// See [`crate::write`].
pub(crate) fn write(source: &Module, module: &Module, slices: &[SliceParam]) -> Result<String, Vec<Diagnostic>> {
    custom::check(module)?;
    refuse(source, module, slices)?;
    let mut own = module.clone();
    let scalars: FxHashMap<Scalar, Type> =
        Scalar::ALL.into_iter().map(|scalar| (scalar, own.types.scalar(scalar))).collect();
    let exports = exports::find(source, &own, slices, |name| public_name(&RustWords, name))?;
    let direct = exports.iter().filter(|e| e.is_direct).map(|e| (e.func, e.name.clone())).collect();
    let trapping = trapping(&own, slices);
    let mut w = Writer::new(&own, &scalars, &direct, &trapping, slices);
    w.sees_bits = nan::sees_bits(&own);
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

/// Refuses what Rust out does not hold: stages, memories, tables, variables of the module.
fn refuse(source: &Module, module: &Module, slices: &[SliceParam]) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if let Some(entry) = source.entry_points.iter().find(|entry| entry.stage.is_some()) {
        let name = entry.names.first().map_or("main", |name| name);
        let text = format!("Rust out has no shaders, as `{name}` is");
        let error = Diagnostic::error(Code::E0604, source.place_of(entry.func), text);
        errors.push(error.help("a function of the shader can be exported, or written as an object file: `-o FILE.o`"));
    }
    errors.extend(with_memory(source, module, slices));
    for &var in &module.globals {
        let data = &module.vars[var];
        let is_used = module
            .funcs
            .values()
            .filter_map(|function| function.body.as_ref())
            .any(|body| body.nodes().any(|(node, _)| body.args(node).iter().any(|arg| arg.as_var() == Some(var))));
        if is_used {
            let text = format!("Rust out has no variables of the module, as `{}` is", data.name.text);
            let error = Diagnostic::error(Code::E0602, data.span, text);
            errors.push(error.help("pass it as a parameter and return it as a result, or write C, which has them"));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The first use of a memory or table, as an error: of arrays with computed indices, for one.
fn with_memory(source: &Module, module: &Module, slices: &[SliceParam]) -> Option<Diagnostic> {
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        for (_, data) in body.nodes() {
            let is_machine = matches!(data.op.info().class, planish_ir::ops::Class::Machine);
            if is_machine && !ops::traps(data.op) && !slices::is_access(slices, data.op, data.imm) {
                let text = format!("Rust out has no memories and tables, which `{}` needs", function.name.text);
                let span = if data.span == planish_ir::source::Span::NONE { source.place_of(func) } else { data.span };
                let help = "C has them: `-o FILE.c`; arrays whose indices are known at `-O2` need none";
                return Some(Diagnostic::error(Code::E0604, span, text).help(help));
            }
        }
    }
    None
}

/// The functions that may trap: those with such an operation or exit, and those that call one.
fn trapping(module: &Module, slices: &[SliceParam]) -> FxHashSet<Func> {
    let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
    // A slice may be too long.
    let mut found: FxHashSet<Func> = slices.iter().map(|slice| slice.func).collect();
    for (func, function) in module.funcs.iter() {
        let Some(body) = &function.body else { continue };
        let ends = body.blocks.values().any(|block| matches!(block.exit, Exit::Trap(_)));
        if ends || body.nodes().any(|(_, data)| ops::traps(data.op)) {
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

/// The functions of the program that the exports reach, written and named. `None` if there are errors.
fn functions(w: &mut Writer<'_>, exports: &[Export]) -> Option<Vec<Written>> {
    let mut roots: Vec<Func> = exports.iter().map(|export| export.func).collect();
    roots.dedup();
    let order = order_functions(w, &roots, None)?;
    let mut functions = write_functions(w, &order)?;
    let unread: Vec<Symbol> = functions.iter_mut().flat_map(|function| polish::run(w, function)).collect();
    let functions = called(w, functions, &roots);
    let taken: Vec<Symbol> =
        exports.iter().filter(|e| !e.is_direct).map(|e| w.tree.add_symbol(e.name.clone())).collect();
    // Their names are taken first, so that no function of the program has one.
    for (&symbol, export) in taken.iter().zip(exports.iter().filter(|e| !e.is_direct)) {
        w.tree.symbol_mut(symbol).name = Some(export.name.as_str().into());
    }
    let inner: FxHashSet<Func> = exports.iter().filter(|e| !e.is_direct).map(|e| e.func).collect();
    for func in inner.into_iter().filter(|func| !w.direct.contains_key(func)) {
        let symbol = w.func_symbol(func);
        let hint = format!("{}_parts", w.tree.symbol(symbol).hint);
        w.tree.symbol_mut(symbol).hint = hint.into();
    }
    names::assign(w, &names::Scope { functions: &functions, ..names::Scope::default() });
    for symbol in unread {
        let name = format!("_{}", w.name(symbol));
        w.tree.symbol_mut(symbol).name = Some(name.into());
    }
    Some(functions)
}

/// The functions that are still called: calls whose results nothing needs are not written.
fn called(w: &Writer<'_>, functions: Vec<Written>, roots: &[Func]) -> Vec<Written> {
    let by_symbol: FxHashMap<Symbol, &Written> =
        functions.iter().filter_map(|f| Some((w.known_func(f.func)?, f))).collect();
    let bodies: FxHashMap<Func, &Written> = functions.iter().map(|f| (f.func, f)).collect();
    let mut reached: FxHashSet<Func> = roots.iter().copied().collect();
    let mut stack: Vec<&Written> = roots.iter().filter_map(|func| bodies.get(func).copied()).collect();
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
    let w: &Writer<'_> = w;
    let used = HELPERS.iter().filter(|helper| needs.contains(helper.name));
    let mut p = Printer::new(w);
    let is_libm = |text: &str| text.contains("libm::");
    let calls_libm =
        w.tree.kinds().any(|kind| matches!(kind, ExprKind::Call(Callee::BuiltIn(name), _) if is_libm(name)));
    let needs_libm = calls_libm || used.clone().any(|helper| is_libm(helper.text));
    p.lines(&lines(if needs_libm { HEAD_WITH_LIBM } else { HEAD }));
    let mut kinds: Vec<String> = w.traps.iter().map(|&kind| variant(kind)).collect();
    kinds.extend(used.clone().flat_map(|helper| helper.traps).map(|&name| name.to_owned()));
    let is_any = functions.iter().any(|function| w.trapping.contains(&function.func));
    if is_any {
        p.gap();
        p.lines(&lines(&trap_type(&kinds)));
    }
    let (mut direct, mut others): (Vec<&Written>, Vec<&Written>) = (Vec::new(), Vec::new());
    for function in functions {
        if w.direct.contains_key(&function.func) { direct.push(function) } else { others.push(function) }
    }
    let structs = Structs::new(source, exports, &|name: &str| local_name(&RustWords, name));
    for declaration in structs.declarations(source) {
        p.gap();
        p.lines(&lines(&declaration));
    }
    for export in exports.iter().filter(|export| !export.is_direct) {
        p.gap();
        p.lines(&lines(&exports::adapter(w, source, &structs, export)));
    }
    others.into_iter().for_each(|function| p.function(function));
    for helper in used {
        p.gap();
        p.lines(&lines(helper.text));
    }
    direct.into_iter().for_each(|function| p.function(function));
    p.finish()
}

const HEAD: &str = "\
// Written by Planish: safe Rust, edition 2024, which needs nothing but `core`.
";

const HEAD_WITH_LIBM: &str = "\
// Written by Planish: safe Rust, edition 2024, which needs nothing but `core` and the crate `libm`, version 0.2.
";

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// The type of traps, with those that occur.
fn trap_type(kinds: &[String]) -> String {
    let used: Vec<TrapKind> = TrapKind::ALL.into_iter().filter(|&kind| kinds.contains(&variant(kind))).collect();
    let words = |kind: TrapKind| kind.name().replace('_', " ");
    let mut text = "/// The reason why a function has no result.\n\
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\npub enum Trap {\n"
        .to_owned();
    for &kind in &used {
        text.push_str(&format!("    /// {}.\n    {},\n", words(kind), variant(kind)));
    }
    text.push_str(
        "}\n\nimpl core::fmt::Display for Trap {\n    \
         fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {\n        \
         f.write_str(match *self {\n",
    );
    for &kind in &used {
        text.push_str(&format!("            Trap::{} => \"{}\",\n", variant(kind), words(kind)));
    }
    text.push_str("        })\n    }\n}\n\nimpl core::error::Error for Trap {}\n");
    text
}
