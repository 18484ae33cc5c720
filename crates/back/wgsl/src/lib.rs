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

mod barriers;
mod blocks;
mod images;
mod language;
mod legal;
mod ops;
mod syntax;
mod texture;
mod words;

pub use legal::info;
pub use planish_back_shading::Options;
pub use planish_back_text::names::{NameEntry, Named};
pub use planish_interface::{Numbering, Plan};

use planish_back_shading::assign_names;
use planish_back_shading::entry::{Attribute, Location};
use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Syntax, Written};
use planish_ir::decoration::BuiltIn;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::types::Scalar;

use crate::language::{State, Writer};

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
    planish_back_shading::write(module, State::default(), options, assemble)
}

/// Puts the parts together.
fn assemble(mut w: Writer<'_>, functions: &[Written]) -> Output {
    let bits: Vec<Symbol> = w.language.bits.iter().map(|b| b.1).collect();
    let names = assign_names(&mut w, functions, &bits, &[]);
    let mut p = Printer::new(&w);
    p.lines(&directives(&w));
    p.gap();
    for &(ty, _) in &w.structs {
        p.lines(&syntax::struct_lines(&w, ty));
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
        p.lines(&w.comment(declared.span));
        p.lines(&[syntax::declaration(&w, Symbol(i as u32), declared)]);
    }
    for &(bits, symbol) in &w.language.bits {
        p.lines(&[format!("var<private> {} = {bits:#x}u;", w.name(symbol))]);
    }
    for &(constant, symbol) in &w.tables {
        let mut line = format!("const {} = ", w.name(symbol));
        syntax::push_constant(&w, constant, false, &mut line);
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
    if w.language.takes_derivatives {
        lines.push("diagnostic(off, derivative_uniformity);".to_owned());
    }
    if w.language.has_subgroups {
        lines.push("diagnostic(off, subgroup_uniformity);".to_owned());
    }
    let outputs = || w.entries.iter().flat_map(|e| &e.outputs).map(|o| &o.part.attribute);
    let inputs = || w.attributes.values().map(|a| &a.0);
    let is_blended = |a: &Attribute| matches!(a, Attribute::Location(Location { blend_source: Some(_), .. }));
    let is = |a: &Attribute, wanted| matches!(a, Attribute::BuiltIn { builtin, .. } if *builtin == wanted);
    let mut enable = |condition: bool, extension: &str| {
        if condition {
            lines.push(format!("enable {extension};"));
        }
    };
    enable(w.prepared.reach.uses(w.module, Scalar::F16), "f16");
    let is_of_subgroups = |a: &Attribute| is(a, BuiltIn::SubgroupSize) || is(a, BuiltIn::SubgroupInvocationId);
    enable(w.language.has_subgroups || inputs().any(is_of_subgroups), "subgroups");
    enable(outputs().any(is_blended), "dual_source_blending");
    enable(outputs().any(|a| is(a, BuiltIn::ClipDistance)), "clip_distances");
    enable(inputs().any(|a| is(a, BuiltIn::PrimitiveId)), "primitive_index");
    lines
}
