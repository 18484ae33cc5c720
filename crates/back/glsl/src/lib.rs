//! GLSL out: from the IR of `planish-ir` to GLSL text for ES 1.00, 3.00, 3.10 and 3.20 and desktop 1.20 to 4.60.
//!
//! The output is for people: names are kept, `for`, `while`, `switch`, `?:`, `&&` and `+=` come back, and a value gets a
//! variable only if it needs one. What the target cannot hold is written in another way where that is exact, or refused
//! with a message that points at the source.
//!
//! ```
//! use planish_back_glsl::{Options, write};
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
//! module.vars[color].decorations.add(Decoration::Location(0));
//! let func = module.add_func(Name::temporary("main"), vec![], vec![], Span::NONE);
//! let mut b = Builder::new(&mut module, func, Policy::PLAIN);
//! let half = b.f32(0.5);
//! let grey = b.op_typed(Op::ConstructVectorFromScalar, &[half], Type::VEC4);
//! b.store(color.into(), grey);
//! b.ret(&[]);
//! b.finish();
//! let stage = Some(Stage::Fragment);
//! let properties = StageProperties::default();
//! module.entry_points.push(EntryPoint { names: vec!["main".into()], func, stage, properties });
//!
//! let output = write(&module, &Options::es(300)).unwrap();
//! assert_eq!(
//!     output.text,
//!     "#version 300 es\n\
//!      precision highp float;\n\
//!      precision highp int;\n\
//!      \n\
//!      layout(location = 0) out vec4 color;\n\
//!      \n\
//!      void main() {\n    color = vec4(0.5);\n}\n"
//! );
//! ```
#![forbid(unsafe_code)]

mod constants;
mod declare;
mod dialect;
mod helper;
mod legal;
mod ops;
mod stage;
mod subgroups;
mod syntax;
mod target;
mod texture;
mod types;
mod words;
mod writer;

pub use legal::info;
pub use planish_back_text::names::{NameEntry, Named};
pub use target::Target;

use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Syntax, Written, names, order, program};
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Var};
use planish_ir::module::{EntryPoint, Module, Stage};
use planish_ir::source::Span;
use planish_ir::types::TypeKind;

use crate::writer::Writer;

/// Options of the back end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// One of [`Target::VERSIONS`].
    pub version: u16,
    /// Whether the version is one of OpenGL ES.
    pub es: bool,
    /// GLSL for Vulkan.
    pub vulkan: bool,
    /// The stage whose entry point is written; without one, the first entry point. If that has no stage, it is a function
    /// for others to call, and is written with all others of its kind.
    pub stage: Option<Stage>,
    /// The entry point's name, if the module has several of the stage.
    pub entry_point: Option<String>,
    /// Short names, no spaces.
    pub minify: bool,
}

impl Options {
    /// Readable GLSL ES of a version.
    pub fn es(version: u16) -> Self {
        Options { version, es: true, vulkan: false, stage: None, entry_point: None, minify: false }
    }

    /// Readable desktop GLSL of a version.
    pub fn desktop(version: u16) -> Self {
        Options { es: false, ..Options::es(version) }
    }
}

/// Result of the back end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// The shader.
    pub text: String,
    /// Names of module scope in module and output, in the order in which they were assigned.
    pub names: Vec<NameEntry>,
    /// Notes for the user, such as an interface name that had to change.
    pub warnings: Vec<Diagnostic>,
}

/// Writes one entry point of a verified module, whose functions are in placed form, as GLSL.
///
/// Time and memory are linear in the size of the module; the stack is bounded.
///
/// # Errors
/// Everything that the target cannot hold, each with the place in the source. The module must be one that the verifier
/// accepts; another gives an error too, or text without meaning, but no panic.
pub fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    custom::check(module)?;
    let entries = find_entries(module, options)?;
    let entry = entries.first().copied().filter(|e| e.stage.is_some());
    let stage = entry.and_then(|e| e.stage).or(options.stage).unwrap_or(Stage::Fragment);
    let target = Target { version: options.version, es: options.es, vulkan: options.vulkan, stage };
    // `GL_KHR_vulkan_glsl` is there from these versions on.
    let has_vulkan = target.at_least(310, 140);
    if !Target::VERSIONS.contains(&(options.version, options.es)) || options.vulkan && !has_vulkan {
        let message = format!("there is no {}", target.describe());
        return Err(vec![Diagnostic::error(Code::E0601, Span::NONE, message)]);
    }
    let mut w = Writer::new(module, target, options.minify);
    check_stage(&mut w, entry);
    let roots: Vec<Func> = match &entries[..] {
        [] => module.funcs.keys().collect(),
        entries => entries.iter().map(|e| e.func).collect(),
    };
    w.main = entry.map(|e| e.func);
    let main = w.main;
    let Some(order) = program::order_functions(&mut w, &roots, main) else { return Err(w.text.errors) };
    let globals: Vec<Var> = module.globals.iter().copied().filter(|&v| w.is_declared(v)).collect();
    globals.into_iter().for_each(|v| w.prepare_global(v));
    let Some(functions) = program::write_functions(&mut w, &order) else { return Err(w.text.errors) };
    let stage_lines = entry.map(|e| w.stage_lines(e)).unwrap_or_default();
    if !w.text.errors.is_empty() {
        return Err(w.text.errors);
    }
    Ok(assemble(w, &stage_lines, &functions))
}

/// The entry point to write; or all that fit, if they have no stage; none, if there are none.
fn find_entries<'m>(module: &'m Module, options: &Options) -> Result<Vec<&'m EntryPoint>, Vec<Diagnostic>> {
    let is_named = |e: &&EntryPoint| options.entry_point.as_ref().is_none_or(|n| e.names.iter().any(|m| **m == **n));
    let named = || module.entry_points.iter().filter(is_named);
    let fits = |e: &&EntryPoint| options.stage.is_none() || e.stage.is_none() || e.stage == options.stage;
    match named().find(fits) {
        Some(entry) if entry.stage.is_some() => Ok(vec![entry]),
        Some(_) => Ok(named().filter(|e| e.stage.is_none()).collect()),
        None if module.entry_points.is_empty() && options.entry_point.is_none() => Ok(vec![]),
        None => {
            let what = match (&options.entry_point, options.stage) {
                (Some(name), _) => format!("there is no entry point `{name}`"),
                (None, stage) => format!("there is no entry point of stage {}", stage.map_or("any", Stage::name)),
            };
            Err(vec![Diagnostic::error(Code::E0601, Span::NONE, what)])
        }
    }
}

fn check_stage(w: &mut Writer<'_>, entry: Option<&EntryPoint>) {
    let (es, desktop) = match w.target.stage {
        Stage::Vertex | Stage::Fragment => return,
        Stage::Compute => (310, 430),
        Stage::Geometry => (320, 150),
        Stage::TessellationControl | Stage::TessellationEvaluation => (320, 400),
        _ => (u16::MAX, u16::MAX),
    };
    if !w.target.at_least(es, desktop) {
        let span = entry.map_or(Span::NONE, |e| w.module.funcs[e.func].span);
        let message = format!("{} has no {} shaders", w.target.describe(), w.target.stage.name());
        w.error(Code::E0601, span, message);
    }
}

/// Puts the parts together.
fn assemble(mut w: Writer<'_>, stage_lines: &[String], functions: &[Written]) -> Output {
    w.keep_extensions();
    let names = assign_names(&mut w, functions);
    w.defaults = declare::choose_defaults(&w);
    let defaults = w.defaults;
    let helpers: Vec<Vec<String>> =
        w.helpers.iter().map(|&(helper, ty, symbol)| helper_lines(&w, helper, ty, symbol)).collect();
    let mut p = Printer::new(&w);
    p.directive(w.target.version_line().trim_end());
    for extension in &w.extensions {
        p.directive(&format!("#extension {extension} : {}", behaviour(extension)));
    }
    p.lines(&w.precision_lines(&defaults));
    p.gap();
    p.lines(stage_lines);
    for &(ty, _) in &w.structs {
        let lines = w.struct_lines(ty, &defaults);
        if !lines.is_empty() {
            p.lines(&lines);
            p.gap();
        }
    }
    for &var in &w.module.globals {
        p.lines(&w.builtin_lines(var));
        if w.is_declared(var) {
            p.lines(&w.comment(w.module.vars[var].span));
            p.lines(&w.global_lines(var, &defaults));
        }
    }
    for &(constant, symbol) in &w.tables {
        let (base, sizes) = w.type_parts(w.module.consts[constant].ty);
        let value = constants::constant(&w, constant);
        p.lines(&[format!("const {base} {}{sizes} = {value};", w.name(symbol))]);
    }
    for lines in &helpers {
        p.gap();
        p.lines(lines);
    }
    let prototypes = order::called_early(w.module, functions);
    p.gap();
    for function in functions.iter().filter(|f| prototypes.contains(&f.func)) {
        p.prototype(function);
    }
    for function in functions {
        p.function(function);
    }
    let mut text = p.finish();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Output { text, names, warnings: w.text.warnings }
}

fn assign_names(w: &mut Writer<'_>, functions: &[Written]) -> Vec<NameEntry> {
    let globals: Vec<Var> = w.module.globals.iter().copied().filter(|&v| w.is_declared(v)).collect();
    // The output variable is looked for by people, not by programs.
    let variables: Vec<(Symbol, bool)> = w.fragment_output.iter().map(|o| (o.1, true)).collect();
    let helpers: Vec<Symbol> = w.helpers.iter().map(|h| h.2).collect();
    names::assign(
        w,
        &names::Scope {
            globals: &globals,
            functions,
            variables: &variables,
            helpers: &helpers,
            first: &[],
            short_structs: false,
        },
    )
}

/// Most extensions are required. Some hosts enable these on their own and refuse `require`.
fn behaviour(extension: &str) -> &'static str {
    match extension {
        "GL_ANGLE_multi_draw" | "GL_ANGLE_clip_cull_distance" | "GL_OVR_multiview2" | "GL_OVR_multiview" => "require",
        _ => "enable",
    }
}

fn helper_lines(w: &Writer<'_>, helper: helper::Helper, ty: planish_ir::entity::Type, symbol: Symbol) -> Vec<String> {
    let is_scalar = matches!(w.module.types[ty], TypeKind::Scalar(_));
    helper.define(&w.name(symbol), &w.type_name(ty), is_scalar)
}
