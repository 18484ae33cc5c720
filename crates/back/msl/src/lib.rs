//! MSL out: from the IR of `planish-ir` to Metal as people write it.
//!
//! Names are the user's. Inputs with locations are a `[[stage_in]]` struct, what the host binds are parameters of the entry point,
//! numbered from 0 in the order of the program unless [`Options::indices`] says otherwise ([`Output::arguments`]). Functions get
//! what they need of them as parameters, and variables of the program by reference.
//!
//! ```
//! use planish_back_msl::{Options, write};
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
//!     "#include <metal_stdlib>\n\
//!      using namespace metal;\n\
//!      \n\
//!      struct FragmentInput {\n    float uv [[user(locn0)]];\n};\n\
//!      \n\
//!      fragment float4 fragment_main(FragmentInput in [[stage_in]]) {\n    return float4(in.uv);\n}\n"
//! );
//! ```
#![forbid(unsafe_code)]

mod counters;
mod groups;
mod images;
mod indices;
mod integers;
mod language;
mod legal;
mod memory;
mod ops;
mod syntax;
mod texture;
mod version;
mod words;

use std::collections::BTreeMap;

pub use indices::{Argument, Table};
pub use legal::info;
pub use planish_back_shading::Options as ShadingOptions;
pub use planish_back_text::names::{NameEntry, Named};
pub use planish_interface::{Numbering, Plan};
pub use syntax::scalar_name;
pub use version::Version;

use planish_back_shading::globals::{Kind, Prepared};
use planish_back_shading::{Language, assign_names};
use planish_back_text::tree::Symbol;
use planish_back_text::{Printer, Syntax, Written};
use planish_ir::arena::Id;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;

use crate::language::{State, Writer};

/// Options of the back end.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Those that all shading languages have.
    pub shading: ShadingOptions,
    /// The version.
    pub version: Version,
    /// Numbers of buffers, textures and samplers by the names of [`Argument`]; all others are numbered from 0 in their order.
    pub indices: BTreeMap<String, u32>,
    /// Whether the resources of each group are members of one struct, an argument buffer, which is one argument.
    pub argument_buffers: bool,
}

/// Result of the back end.
#[derive(Clone, Debug)]
pub struct Output {
    /// The shaders.
    pub text: String,
    /// Placement of everything that the host sees.
    pub plan: Plan,
    /// Metal's numbers of what the host binds.
    pub arguments: Vec<Argument>,
    /// Names of module scope in module and output, in the order in which they were assigned.
    pub names: Vec<NameEntry>,
    /// Constructs that were dropped or approximated.
    pub warnings: Vec<Diagnostic>,
}

/// Writes all entry points of a verified module, which is legal for [`info`] and in placed form, and all that they reach.
///
/// # Errors
/// Everything that the version of Metal cannot hold, each with its place in the source.
pub fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    planish_back_shading::write(module, State::new(options), &options.shading, assemble)
}

/// Metal's numbers of everything that the host binds, as [`write()`] numbers it.
///
/// # Errors
/// Variables that Metal cannot declare.
pub fn arguments(module: &Module, options: &Options) -> Result<Vec<Argument>, Vec<Diagnostic>> {
    let mut state = State::new(options);
    let mut module = module.clone();
    let mut prepared = Prepared::new(&state, &mut module, &options.shading.numbering)?;
    state.extend(&mut module, &mut prepared);
    Ok(state.indices.all())
}

/// Puts the parts together.
fn assemble(mut w: Writer<'_>, functions: &[Written]) -> Output {
    for (i, declared) in w.prepared.declared.clone().iter().enumerate() {
        if matches!(declared.kind, Kind::Override(_)) && declared.init.is_some() {
            let given = w.tree.add_symbol(format!("{}_given", declared.name));
            w.language.given.push((Symbol(i as u32), given));
        }
    }
    groups::name_structs(&mut w);
    let structs = w.language.groups.iter().map(|g| g.1);
    let given: Vec<Symbol> = w.language.given.iter().map(|g| g.1).chain(structs).collect();
    let names = assign_names(&mut w, functions, &given, &[]);
    let module = w.module;
    for (ty, _) in w.structs.clone() {
        for member in module.types.as_struct(ty).map(|s| s.members.clone()).unwrap_or_default() {
            let (size, _) = w.prepared.memory.size_align(&module.types, member.ty);
            w.language.sizes.insert(member.ty, size);
        }
    }
    let mut p = Printer::new(&w);
    p.directive("#include <metal_stdlib>");
    p.lines(&["using namespace metal;".into()]);
    p.gap();
    for &(ty, _) in &w.structs {
        p.lines(&syntax::struct_lines(&w, ty));
        p.gap();
    }
    for &(func, symbol) in &w.results {
        let mut lines = vec![format!("struct {} {{", w.name(symbol))];
        let results = &w.module.funcs[func].results;
        lines.extend(results.iter().enumerate().map(|(i, r)| format!("    {} r{i};", w.type_name(r.ty))));
        lines.push("};".into());
        p.lines(&lines);
        p.gap();
    }
    for &(group, symbol) in &w.language.groups {
        p.lines(&groups::struct_lines(&w, group, symbol));
        p.gap();
    }
    for (i, declared) in w.prepared.declared.iter().enumerate() {
        let lines = syntax::declaration(&w, Symbol(i as u32), declared);
        p.lines(&if lines.is_empty() { vec![] } else { w.comment(declared.span) });
        p.lines(&lines);
    }
    for &(constant, symbol) in &w.tables {
        let ty = w.type_name(w.module.consts[constant].ty);
        let mut line = format!("constant {ty} {} = ", w.name(symbol));
        syntax::push_constant(&w, constant, false, &mut line);
        p.lines(&[line + ";"]);
    }
    // A function is declared before it is called.
    let mut order: Vec<&Written> = functions.iter().collect();
    let mut at = vec![0; w.module.funcs.len()];
    w.prepared.reach.funcs.iter().enumerate().for_each(|(i, f)| at[f.index()] = i);
    order.sort_by_key(|f| at[f.func.index()]);
    order.into_iter().for_each(|f| p.function(f));
    let mut text = p.finish();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let arguments = w.language.indices.all();
    Output { text, plan: w.prepared.plan, arguments, names, warnings: w.text.warnings }
}
