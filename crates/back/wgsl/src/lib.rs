//! WGSL out: from the IR of `planish-ir` to text as people write it.
//!
//! Names are the user's. An entry point has parameters and a result, uniforms are in their blocks, loose ones in one
//! block; combined samplers become a texture and a sampler. Bindings and locations are those of `planish-interface`.
//!
//! ```
//! use planish_back_wgsl::{Options, write};
//! use planish_ir::builder::{Builder, Policy};
//! use planish_ir::decoration::{Decoration, Name, NameSource};
//! use planish_ir::entity::Type;
//! use planish_ir::module::{EntryPoint, Language, Module, Stage, StageProperties};
//! use planish_ir::ops::Op;
//! use planish_ir::source::Span;
//! use planish_ir::types::AddressSpace;
//!
//! let mut module = Module::new(Language::Ir);
//! let color = module.add_var(Name::new("color", NameSource::Interface), Type::VEC4, AddressSpace::Output);
//! let uv = module.add_var(Name::new("uv", NameSource::Interface), Type::F32, AddressSpace::Input);
//! let func = module.add_func(Name::temporary("main"), vec![], vec![], Span::NONE);
//! let mut b = Builder::new(&mut module, func, Policy::PLAIN);
//! let value = b.load(uv.into());
//! let grey = b.op_typed(Op::ConstructVectorFromScalar, &[value], Type::VEC4);
//! b.store(color.into(), grey);
//! b.ret(&[]);
//! b.finish();
//! let stage = Some(Stage::Fragment);
//! let properties = StageProperties::default();
//! module.entry_points.push(EntryPoint { names: vec!["main".into()], func, stage, properties });
//!
//! let output = write(&module, &Options::default()).unwrap();
//! assert_eq!(
//!     output.text,
//!     "@fragment\n\
//!      fn main(@location(0) uv: f32) -> @location(0) vec4f {\n    return vec4f(uv);\n}\n"
//! );
//! ```
#![forbid(unsafe_code)]

mod dialect;
mod entry;
mod globals;
mod images;
mod legal;
mod memory;
mod ops;
mod places;
mod syntax;
mod texture;
mod transfers;
mod words;
mod writer;

pub use legal::info;
pub use planish_back_text::names::{NameEntry, Named};
pub use planish_interface::{Numbering, Plan};

use planish_back_text::lower::write_function;
use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Syntax, Written, names, program};
use planish_interface::Reach;
use planish_ir::arena::Id;
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::module::{Module, Stage};
use planish_ir::ops::Op;
use planish_ir::source::Span;

use crate::globals::{DeclaredType, Prepared};
use crate::writer::Writer;

/// Options of the back end.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Negate the y of `gl_Position` at the end of vertex shaders.
    pub flip_y: bool,
    /// Map the depth of `gl_Position` from OpenGL's -w to w to 0 to w at the end of vertex shaders.
    pub adjust_depth: bool,
    /// Replaces `gl_PointCoord`, which WGSL lacks, by the middle of the point, which is right for the one-pixel points that it
    /// draws. If false, it is an error.
    pub point_coord_is_centre: bool,
    /// Numbering of resources, varyings and attributes without a number.
    pub numbering: Numbering,
    /// Short names, no spaces.
    pub minify: bool,
}

/// Result of the back end.
#[derive(Clone, Debug)]
pub struct Output {
    /// The shaders.
    pub text: String,
    /// Placement of everything that the host sees.
    pub plan: Plan,
    /// Names of module scope in module and output, in the order in which they were assigned.
    pub names: Vec<NameEntry>,
    /// Constructs that were dropped or approximated.
    pub warnings: Vec<Diagnostic>,
}

/// Writes all entry points of a verified module, which is legal for [`info`] and in placed form, and all that they reach.
///
/// # Errors
/// Everything that WGSL cannot hold, each with its place in the source.
pub fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    custom::check(module)?;
    check_stages(module)?;
    let mut module = module.clone();
    separate_entry_points(&mut module);
    let mut prepared = Prepared::new(&mut module, &options.numbering)?;
    let (mut entries, mut errors, mut warnings) = (vec![], vec![], vec![]);
    for entry in module.entry_points.clone().iter().filter(|e| e.stage.is_some()) {
        match entry::plan(&mut module, &mut prepared, entry, options, &mut warnings) {
            Ok(entry) => entries.push(entry),
            Err(error) => errors.push(*error),
        }
    }
    errors.extend(check_arguments(&module, &prepared.reach));
    if !errors.is_empty() {
        return Err(errors);
    }
    let stages = drawing_stages(&module)?;
    let mut w = Writer::new(&module, prepared, entries, stages, options);
    w.warnings = warnings;
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

fn write_functions(w: &mut Writer<'_>) -> Vec<Written> {
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
        let first = w.begin_function(func);
        if let Some(mut written) = write_function(w, func) {
            w.end_function(&mut written, first);
            w.keep_variables(&written);
            functions.push(written);
        }
    }
    functions
}

fn check_stages(module: &Module) -> Result<(), Vec<Diagnostic>> {
    let mut errors = vec![];
    for entry in &module.entry_points {
        // Without a stage it is a function for others to call.
        if let Some(stage) = entry.stage
            && !matches!(stage, Stage::Vertex | Stage::Fragment | Stage::Compute)
        {
            let message = format!("WGSL has no {} stage", stage.name().replace('_', " "));
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
fn check_arguments(module: &Module, reach: &Reach) -> Vec<Diagnostic> {
    let mut errors = vec![];
    for &func in &reach.funcs {
        let data = &module.funcs[func];
        for param in &data.params {
            let ty = module.types.pointee(param.ty).map_or(param.ty, |(ty, _)| ty);
            errors.extend(places::refused_param(module, ty, param.span));
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

/// Puts the parts together.
fn assemble(mut w: Writer<'_>, functions: &[Written]) -> Output {
    let names = assign_names(&mut w, functions);
    let mut p = Printer::new(&w);
    p.lines(&directives(&w));
    p.gap();
    for &(ty, _) in &w.structs {
        p.lines(&w.struct_lines(ty));
        p.gap();
    }
    for &(func, symbol) in &w.results {
        let mut lines = vec![format!("struct {} {{", w.name(symbol))];
        let results = &w.module.funcs[func].results;
        lines.extend(results.iter().enumerate().map(|(i, r)| format!("    r{i}: {},", w.type_name(r.ty))));
        lines.push("}".into());
        p.lines(&lines);
        p.gap();
    }
    for (i, declared) in w.prepared.declared.iter().enumerate() {
        let name = w.name(Symbol(i as u32));
        let mut line = format!("{} {name}", declared.head);
        match &declared.ty {
            DeclaredType::Handle(text) => line.push_str(&format!(": {text}")),
            DeclaredType::Type(ty) if declared.init.is_none() || declared.head.ends_with("override") => {
                line.push_str(&format!(": {}", w.type_name(*ty)));
            }
            DeclaredType::Type(_) => {}
        }
        if let Some(init) = declared.init {
            line.push_str(" = ");
            w.push_constant(init, false, &mut line);
        }
        p.lines(&[line + ";"]);
    }
    for &(bits, symbol) in &w.bits {
        p.lines(&[format!("var<private> {} = {bits:#x}u;", w.name(symbol))]);
    }
    for &(constant, symbol) in &w.tables {
        let mut line = format!("const {} = ", w.name(symbol));
        w.push_constant(constant, false, &mut line);
        p.lines(&[line + ";"]);
    }
    functions.iter().for_each(|f| p.function(f));
    let mut text = p.finish();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Output { text, plan: w.prepared.plan, names, warnings: w.text.warnings }
}

/// `enable` and `diagnostic`. Where a fragment shader takes derivatives, the check that control flow is uniform there is off, as
/// GLSL has none; browsers refuse many shaders otherwise.
fn directives(w: &Writer<'_>) -> Vec<String> {
    let mut lines = vec![];
    if w.takes_derivatives {
        lines.push("diagnostic(off, derivative_uniformity);".to_owned());
    }
    let outputs = || w.entries.iter().flat_map(|e| &e.outputs).map(|o| &o.part.attribute);
    let inputs = || w.attributes.values().map(|a| &a.0);
    for (attribute, extension) in [
        ("@blend_src", "dual_source_blending"),
        ("clip_distances", "clip_distances"),
        ("primitive_index", "primitive_index"),
    ] {
        if outputs().chain(inputs()).any(|a| a.contains(attribute)) {
            lines.push(format!("enable {extension};"));
        }
    }
    lines
}

fn assign_names(w: &mut Writer<'_>, functions: &[Written]) -> Vec<NameEntry> {
    for (ty, _) in w.structs.clone() {
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
    others.extend(w.bits.iter().map(|b| (b.1, false)));
    let helpers: Vec<Symbol> = w.results.iter().map(|r| r.1).collect();
    names::assign(w, &names::Scope { globals: &[], first: &first, functions, variables: &others, helpers: &helpers })
}
