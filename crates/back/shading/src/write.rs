//! From a module to written functions.

use planish_back_text::lower::write_function;
use planish_back_text::names::NameEntry;
use planish_back_text::tree::Symbol;
use planish_back_text::{Dialect, Written, names, program};
use planish_interface::Reach;
use planish_ir::arena::Id;
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::module::{Module, Stage};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{TypeKind, Types};
use rustc_hash::FxHashSet;

use crate::globals::{DeclaredType, GlobalRef, Kind, Prepared};
use crate::language::Language;
use crate::writer::Writer;
use crate::{Options, entry, places};

/// Writes the functions of a verified module in placed form, which is legal for the language, and calls `assemble` with them:
/// it [assigns the names](assign_names), and puts the parts together.
///
/// # Errors
/// Everything that the language cannot hold, each with its place in the source.
pub fn write<L: Language, R>(
    module: &Module,
    mut language: L,
    options: &Options,
    assemble: impl FnOnce(Writer<'_, L>, &[Written]) -> R,
) -> Result<R, Vec<Diagnostic>> {
    custom::check(module)?;
    check_stages(module, &language)?;
    let mut module = module.clone();
    separate_entry_points(&mut module);
    let mut prepared = Prepared::new(&language, &mut module, &options.numbering)?;
    language.extend(&mut module, &mut prepared);
    let (mut entries, mut errors, mut warnings) = (vec![], vec![], vec![]);
    for entry in module.entry_points.clone().iter().filter(|e| e.stage.is_some()) {
        match entry::plan(&language, &mut module, &mut prepared, entry, options, &mut warnings) {
            Ok(entry) => entries.push(entry),
            Err(error) => errors.push(*error),
        }
    }
    errors.extend(check_arguments(&module, &language, &prepared.reach));
    if !errors.is_empty() {
        return Err(errors);
    }
    let stages = drawing_stages(&module)?;
    let mut w = Writer::new(language, &module, prepared, entries, stages, options);
    w.warnings = warnings;
    if w.language.passes_globals() {
        w.passed = passed(&module, &w.prepared);
    }
    for declared in w.prepared.declared.clone() {
        if let DeclaredType::Type(ty) = declared.ty {
            w.check_type_of(ty, Span::NONE);
        }
    }
    let functions = write_functions(&mut w);
    if !w.errors.is_empty() {
        let mut errors = w.text.errors;
        errors.dedup();
        return Err(errors);
    }
    Ok(assemble(w, &functions))
}

fn write_functions<L: Language>(w: &mut Writer<'_, L>) -> Vec<Written> {
    let module = w.module;
    let mut roots: Vec<Func> = module.entry_points.iter().map(|e| e.func).collect();
    if roots.is_empty() {
        roots = module.funcs.keys().collect();
    }
    let Some(order) = program::order_functions(w, &roots, None) else { return vec![] };
    let mut functions = vec![];
    for &func in &order {
        let data = &module.funcs[func];
        if data.body.is_none() {
            let message = format!("function `{}` has no body", data.name.text);
            w.error(Code::E0608, module.place_of(func), message);
            continue;
        }
        if data.results.len() > 1 {
            w.results_symbol(func);
        }
        L::begin_function(w, func);
        let first = w.begin_function(func);
        if let Some(mut written) = write_function(w, func) {
            w.end_function(&mut written, first);
            w.keep_variables(&written);
            functions.push(written);
        }
    }
    functions
}

fn check_stages<L: Language>(module: &Module, language: &L) -> Result<(), Vec<Diagnostic>> {
    let mut errors = vec![];
    for entry in &module.entry_points {
        // Without a stage it is a function for others to call.
        if let Some(stage) = entry.stage
            && !language.has_stage(stage)
        {
            let message = format!("{} has no {} stage", language.target_name(), stage.name().replace('_', " "));
            errors.push(Diagnostic::error(Code::E0601, module.funcs[entry.func].span, message));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Gives each entry point a function of its own, as no other may call it.
fn separate_entry_points(module: &mut Module) {
    let mut called = vec![false; module.funcs.len()];
    for body in module.funcs.values().filter_map(|f| f.body.as_ref()) {
        planish_interface::for_each_operand(body, |value| {
            if let Some(func) = value.as_func() {
                called[func.index()] = true;
            }
        });
    }
    for i in 0..module.entry_points.len() {
        let func = module.entry_points[i].func;
        if module.entry_points[i].stage.is_none() {
            called[func.index()] = true;
        } else if std::mem::replace(&mut called[func.index()], true) {
            let copy = module.funcs[func].clone();
            module.entry_points[i].func = module.funcs.push(copy);
            called.push(true);
        }
    }
}

/// By function number, a vertex or fragment stage that calls it.
fn drawing_stages(module: &Module) -> Result<Vec<Option<Stage>>, Vec<Diagnostic>> {
    let mut stages = vec![None; module.funcs.len()];
    for entry in module.entry_points.iter().filter(|e| matches!(e.stage, Some(Stage::Vertex | Stage::Fragment))) {
        let reach = Reach::from_roots(module, vec![entry.func]).map_err(|e| vec![*e])?;
        for func in reach.funcs {
            stages[func.index()] = entry.stage;
        }
    }
    Ok(stages)
}

/// Refuses textures that no argument can be.
fn check_arguments<L: Language>(module: &Module, language: &L, reach: &Reach) -> Vec<Diagnostic> {
    let mut errors = vec![];
    let name = language.target_name();
    for &func in &reach.funcs {
        let data = &module.funcs[func];
        for param in &data.params {
            let ty = module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty);
            errors.extend(places::refused_param(module, (&name, language.passes_images()), ty, param.span));
        }
        let Some(body) = &data.body else { continue };
        for (node, _) in body.nodes().filter(|(_, data)| data.op == Op::Call) {
            for &arg in &body.args(node)[1..] {
                if module.types.is_opaque(pointee(module, module.type_of(body, arg))) && places::is_chosen(body, arg) {
                    let message = "a sampler chosen by a computed index cannot be passed to a function";
                    errors.push(Diagnostic::error(Code::E0605, body.node(node).span, message));
                }
            }
        }
    }
    errors
}

fn pointee(module: &Module, ty: Type) -> Type {
    module.types.pointee(ty).map_or(ty, |(ty, _)| ty)
}

/// Assigns every name: entry points and what the host sees first. `variables` are further variables of module scope, `helpers`
/// functions that the output brings along.
pub fn assign_names<L: Language>(
    w: &mut Writer<'_, L>,
    functions: &[Written],
    variables: &[Symbol],
    helpers: &[Symbol],
) -> Vec<NameEntry> {
    let short_structs = w.minify && w.language.has_short_structs();
    let shared = structs_of_the_host(w);
    for (ty, _) in w.structs.clone().into_iter().filter(|(ty, _)| short_structs && !shared.contains(ty)) {
        for i in 0..w.module.types.as_struct(ty).map_or(0, |s| s.members.len() as u32) {
            let symbol = w.member_symbol(ty, i);
            w.text.tree.symbol_mut(symbol).name = None;
        }
    }
    for (ty, _) in w.structs.clone().into_iter().filter(|(ty, _)| !short_structs || shared.contains(ty)) {
        let Some(s) = w.module.types.as_struct(ty) else { continue };
        for i in 0..s.members.len() as u32 {
            if let Some(symbol) = w.known_member(ty, i) {
                let data = w.text.tree.symbol_mut(symbol);
                data.name = Some(data.name.take().unwrap_or_else(|| data.hint.clone()));
            }
        }
    }
    let entries: Vec<Func> = w.entries.iter().map(|e| e.func).collect();
    let mut first: Vec<Symbol> = entries.into_iter().filter_map(|f| w.known_func(f)).collect();
    let mut others: Vec<(Symbol, bool)> = vec![];
    for (i, declared) in w.prepared.declared.iter().enumerate() {
        match declared.is_interface {
            true => first.push(Symbol(i as u32)),
            false => others.push((Symbol(i as u32), false)),
        }
    }
    others.extend(variables.iter().map(|&symbol| (symbol, false)));
    let helpers: Vec<Symbol> = w.results.iter().map(|r| r.1).chain(helpers.iter().copied()).collect();
    names::assign(
        w,
        &names::Scope { globals: &[], first: &first, functions, variables: &others, helpers: &helpers, short_structs },
    )
}

/// Structs in memory that the host shares: its members are known by their names, too.
fn structs_of_the_host<L: Language>(w: &Writer<'_, L>) -> FxHashSet<Type> {
    let mut found = FxHashSet::default();
    for declared in w.prepared.declared.iter().filter(|declared| declared.is_interface) {
        if let DeclaredType::Type(ty) = declared.ty {
            add_structs(&w.module.types, ty, &mut found);
        }
    }
    found
}

/// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
fn add_structs(types: &Types, ty: Type, found: &mut FxHashSet<Type>) {
    match &types[ty] {
        TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => add_structs(types, *element, found),
        TypeKind::Struct(s) if found.insert(ty) => s.members.iter().for_each(|m| add_structs(types, m.ty, found)),
        _ => {}
    }
}

/// By function number, the declarations that a function takes as parameters: those that it and its callees mention, but for
/// constants.
fn passed(module: &Module, prepared: &Prepared) -> Vec<Vec<Symbol>> {
    let mut passed: Vec<Vec<Symbol>> = vec![vec![]; module.funcs.len()];
    for &func in &prepared.reach.funcs {
        let Some(body) = &module.funcs[func].body else { continue };
        let mut own = vec![];
        planish_interface::for_each_operand(body, |value| {
            if let Some(var) = value.as_var()
                && let Some(global) = &prepared.refs[var.index()]
            {
                symbols_of(global, &mut own);
                if own.iter().any(|s| prepared.is_sized(module, *s)) {
                    own.extend(prepared.sizes);
                }
            }
            if let Some(callee) = value.as_func() {
                own.extend(passed[callee.index()].iter().copied());
            }
        });
        own.retain(|s| !matches!(prepared.declared[s.0 as usize].kind, Kind::Const | Kind::Override(_)));
        own.sort_unstable_by_key(|s| s.0);
        own.dedup();
        passed[func.index()] = own;
    }
    passed
}

/// Recursion: one level, as the memory of `Mixed` is a variable or a member of one.
fn symbols_of(global: &GlobalRef, out: &mut Vec<Symbol>) {
    match global {
        GlobalRef::Memory { symbol, .. } | GlobalRef::Member { symbol, .. } => out.push(*symbol),
        GlobalRef::Blocks { symbols, .. } => out.extend(symbols.iter().copied()),
        GlobalRef::Opaque(tree) => places::leaves(tree, out),
        GlobalRef::Mixed { memory, tree } => {
            memory.iter().for_each(|m| symbols_of(m, out));
            places::leaves(tree, out);
        }
    }
}
