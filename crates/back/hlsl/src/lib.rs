//! HLSL out: from the IR of `planish-ir` to text as people write it, for shader models 5.0 to 6.6.
//!
//! Names are the user's. Uniform blocks are constant buffers with the offsets of the source, storage blocks are buffers that are
//! addressed by bytes, combined samplers become a texture and a sampler. Registers, semantics and locations are those of
//! `planish-interface`.
//!
//! ```
//! use planish_back_hlsl::{Options, write};
//! use planish_ir::builder::{Builder, Policy};
//! use planish_ir::decoration::{Name, NameSource};
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
//!     "float4 main(float uv : TEXCOORD0) : SV_Target0 {\n    return (float4)uv;\n}\n"
//! );
//! ```
#![forbid(unsafe_code)]

mod aggregates;
mod atomics;
mod dispatch;
mod helpers;
mod initialize;
mod language;
mod legal;
mod memory;
mod ops;
mod position;
mod registers;
mod semantics;
mod syntax;
mod texture;
mod version;
mod words;

pub use legal::info;
pub use planish_back_text::names::{NameEntry, Named};
pub use planish_interface::{Numbering, Plan};
pub use registers::{Bound, Register};
pub use version::ShaderModel;

use planish_back_shading::assign_names;
use planish_back_shading::globals::Prepared;
use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Written, order};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;

use crate::language::{State, Writer};

/// First part of the name of the macro that replaces a constant.
const MACRO: &str = "CONSTANT_";

/// Options of the back end.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The version of HLSL.
    pub version: ShaderModel,
    /// Options that all such languages have.
    pub shading: planish_back_shading::Options,
}

/// Result of the back end.
#[derive(Clone, Debug)]
pub struct Output {
    /// The shaders.
    pub text: String,
    /// Placement of everything that the host sees.
    pub plan: Plan,
    /// The register of each resource.
    pub registers: Vec<Bound>,
    /// Names of module scope in module and output, in the order in which they were assigned.
    pub names: Vec<NameEntry>,
    /// Constructs that were dropped or approximated.
    pub warnings: Vec<Diagnostic>,
}

/// Writes all entry points of a verified module, which is legal for [`info`] and in placed form, and all that they reach.
///
/// # Errors
/// Everything that the version of HLSL cannot hold, each with its place in the source.
pub fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let state = State::new(options.version, position::leaves_w_alone(module));
    planish_back_shading::write(&dispatch::with_work_groups(module), state, &options.shading, assemble)
}

/// The registers of everything that the host binds, as [`write()`] numbers it.
///
/// # Errors
/// Variables that HLSL cannot declare.
pub fn registers(module: &Module, options: &Options) -> Result<Vec<Bound>, Vec<Diagnostic>> {
    let mut module = dispatch::with_work_groups(module).into_owned();
    let state = State::new(options.version, true);
    let prepared = Prepared::new(&state, &mut module, &options.shading.numbering)?;
    Ok(registers::of_host(&prepared.declared, &registers::assign(options.version, &prepared.declared)))
}

/// Puts the parts together.
fn assemble(mut w: Writer<'_>, functions: &[Written]) -> Output {
    initialize::zeros(&mut w, functions);
    aggregates::spell(&mut w, functions);
    w.language.registers = registers::assign(w.language.version, &w.prepared.declared);
    let state = &w.language;
    let helpers: Vec<Symbol> = state
        .helpers
        .iter()
        .map(|h| h.1)
        .chain(state.arrays.iter().map(|a| a.1))
        .chain(state.makers.iter().map(|m| m.1))
        .collect();
    let names = assign_names(&mut w, functions, &[], &helpers);
    let mut p = Printer::new(&w);
    for &(ty, _) in &w.structs {
        p.lines(&semantics::struct_lines(&w, ty));
        p.gap();
    }
    for &(ty, symbol) in &w.language.arrays {
        let (base, sizes) = syntax::type_parts(&w, ty);
        p.lines(&[format!("typedef {base} {}{sizes};", w.name(symbol))]);
    }
    for (i, declared) in w.prepared.declared.iter().enumerate() {
        let lines = syntax::declaration(&w, Symbol(i as u32), declared);
        p.lines(&if lines.is_empty() { vec![] } else { w.comment(declared.span) });
        for line in lines {
            match line.starts_with('#') {
                true => p.directive(&line),
                false => p.lines(&[line]),
            }
        }
    }
    for &(constant, symbol) in &w.tables {
        let (base, sizes) = syntax::type_parts(&w, w.module.consts[constant].ty);
        let mut line = format!("static const {base} {}{sizes} = ", w.name(symbol));
        syntax::push_constant(&w, constant, &mut line);
        p.lines(&[line + ";"]);
    }
    for &(helper, symbol) in &w.language.helpers {
        p.gap();
        p.lines(&helper.define(&w.name(symbol)));
    }
    for &(ty, symbol) in &w.language.makers {
        p.gap();
        p.lines(&aggregates::maker_lines(&w, ty, &w.name(symbol)));
    }
    let prototypes = order::called_early(w.module, functions);
    p.gap();
    for function in functions.iter().filter(|f| prototypes.contains(&f.func)) {
        p.prototype(function);
    }
    functions.iter().for_each(|f| p.function(f));
    let mut text = p.finish();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let registers = registers::of_host(&w.prepared.declared, &w.language.registers);
    Output { text, plan: w.prepared.plan, registers, names, warnings: w.text.warnings }
}
