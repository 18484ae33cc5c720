//! From a module to a target's bytes: selects the back end and its options.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

#[cfg(feature = "graphs")]
use planish_back_graph as graph_back;
#[cfg(feature = "shaders")]
use planish_back_hlsl::ShaderModel;
#[cfg(feature = "shaders")]
use planish_back_spirv::Version as SpirvVersion;
#[cfg(feature = "shaders")]
use planish_front_glsl::version::Version;
use planish_ir::aliasing;
use planish_ir::arena::SideTable;
use planish_ir::custom;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::{Direction, Function, Param};
#[cfg(feature = "code")]
use planish_ir::host::SliceParam;
#[cfg(feature = "code")]
use planish_ir::meaning::Shape;
use planish_ir::module::Language;
use planish_ir::module::{EntryPoint, Module, Stage, VarData};
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::{AddressSpace, MAX_LANGUAGE_VECTOR, TypeKind};
use planish_opt::{
    Context, build_records, combine_samplers, expand_fused_ops, legalize, loop_tail_calls, lower_growable_arrays,
    lower_small, narrow_floats, remove_unreachable_functions, split_array_values,
};
#[cfg(any(feature = "code", feature = "wasm"))]
use planish_opt::{lower_to_scalars, schedule};

use planish_target::legal::TargetInfo;
#[cfg(feature = "code")]
mod c;
#[cfg(feature = "graphs")]
mod graphs;
#[cfg(all(feature = "objects", not(target_family = "wasm")))]
mod objects;
mod reflection;
#[cfg(feature = "code")]
mod rust;
#[cfg(feature = "shaders")]
mod shaders;
#[cfg(feature = "stage")]
mod slices;
#[cfg(feature = "code")]
pub(crate) mod stages;
mod subgroups;

#[cfg(all(feature = "gpu", feature = "stage", not(target_family = "wasm")))]
pub(crate) use slices::as_compute_shader;
#[cfg(feature = "stage")]
pub(crate) use slices::emit_slices;

#[cfg(feature = "graphs")]
pub use graphs::graph;
#[cfg(feature = "graphs")]
use graphs::graph_of;
pub use reflection::reflect;
use reflection::with_shared_uniforms;
use subgroups::with_computed_inputs;

use crate::floating;
use crate::kind::Target;
use crate::optimizer::Optimizer;
use crate::place;

/// Whether there are object files for a processor and system, as in `aarch64-apple-darwin`.
///
/// # Errors
/// The reason why there are none.
pub fn check_triple(triple: &str) -> Result<(), String> {
    #[cfg(all(feature = "objects", not(target_family = "wasm")))]
    return planish_back_native::target(triple).map(drop);
    #[cfg(not(all(feature = "objects", not(target_family = "wasm"))))]
    Err(format!("this build writes no object files (`{triple}`)"))
}

/// Options of a back end.
#[derive(Clone, Debug, Default)]
pub struct EmitOptions {
    /// The version of GLSL output; `None`: that of the source, or ES 3.00 if the source is not GLSL.
    #[cfg(feature = "shaders")]
    pub version: Option<Version>,
    /// GLSL for Vulkan: sets and bindings, no loose uniforms (desktop GLSL from 4.50 on).
    pub vulkan: bool,
    /// Short names and no spaces (GLSL); no names (WebAssembly).
    pub minify: bool,
    /// The stage whose entry point is written; `None`: the first entry point.
    pub stage: Option<Stage>,
    /// Locations of varyings that have none in their declaration, by name; see [`crate::link`] (WGSL, SPIR-V, MSL, HLSL).
    pub locations: crate::link::Locations,
    /// Uniforms outside of blocks that the stages of a program share; see [`crate::link`]: one block for all of them, used here or not
    /// (WGSL, SPIR-V, MSL, HLSL).
    pub uniforms: Option<Arc<crate::link::SharedUniforms>>,
    /// The group (descriptor set) of resources whose declaration gives none; `None`: 1 for fragment shaders, else 0 (WGSL, SPIR-V, MSL,
    /// HLSL).
    pub group: Option<u32>,
    /// Group and binding of resources by name; see [`planish_interface::Numbering::bindings`] (WGSL, SPIR-V, MSL, HLSL).
    pub bindings: BTreeMap<String, (u32, u32)>,
    /// Negate the y of `gl_Position` (WGSL, SPIR-V, MSL, HLSL).
    pub flip_y: bool,
    /// Map depth from OpenGL's range -w..w to 0..w (WGSL, SPIR-V, MSL, HLSL).
    pub adjust_depth: bool,
    /// The version of HLSL output.
    #[cfg(feature = "shaders")]
    pub shader_model: ShaderModel,
    /// The version of SPIR-V output.
    #[cfg(feature = "shaders")]
    pub spirv_version: SpirvVersion,
    /// The version of MSL output.
    #[cfg(feature = "shaders")]
    pub msl_version: planish_back_msl::Version,
    /// Metal's numbers of buffers, textures and samplers, by the names that reflection has for them (`metal`). All others are numbered from 0
    /// in their order.
    pub msl_indices: BTreeMap<String, u32>,
    /// Whether the resources of each group are members of an argument buffer of Metal.
    pub msl_argument_buffers: bool,
    /// The source, to embed in the output with the line of every instruction (SPIR-V), or the line of every node
    /// (graphs) or directive (assembly), or of every trap (object files, C).
    pub debug_info: Option<SourceMap>,
    /// The function whose graph is written; `None`: the entry point's, or the last function (graphs). The function to
    /// write, of those that others call; `None`: all (shading languages).
    pub function: Option<String>,
    /// Functions that the target provides: calls of them are nodes (graphs).
    pub leaves: Vec<String>,
    /// Ops that a graph may hold: what others compute is expanded, or an error. `None`: all that the target has (graphs).
    pub ops: Option<planish_flatten::OpSet>,
    /// Default values of uniforms by name, numbers separated by commas, in place of those of the source (graphs).
    pub defaults: BTreeMap<String, String>,
    /// Names of uniforms that are colours (graphs). See [`crate::colors`].
    pub colors: Vec<String>,
    /// Whether what is added for the target, such as tests of divisors, is shared and leaves loops: for modules that an
    /// optimizer has gone over. Functions to which nothing is added stay as they are.
    pub optimize: bool,
    /// The processor and system of an object file, as in `aarch64-apple-darwin`; `None`: those that Planish runs on.
    pub triple: Option<String>,
    /// The first part of the names in an object file, or in C.
    pub prefix: String,
    /// The name of the header that a program in C includes; `None`: that of the prefix.
    pub header_name: Option<String>,
    /// Number of invocations in a batch of an object file's shaders: 4, 8 or 16. `None`: functions of one invocation if the shaders can be
    /// run alone, else 8.
    pub lanes: Option<u8>,
    /// Whether shaders in batches compute elementary functions on all lanes, within a few units in the last place (object files).
    pub approximate: bool,
}

/// The emitted output.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The bytes; text is UTF-8.
    pub bytes: Vec<u8>,
    /// Warnings: what was dropped or approximated.
    pub diagnostics: Vec<Diagnostic>,
    /// The header of an object file, or of a program in C.
    pub header: Option<String>,
}

impl Artifact {
    fn text(text: String) -> Self {
        Artifact { bytes: text.into_bytes(), diagnostics: vec![], header: None }
    }
}

/// Writes a module for a target.
///
/// # Errors
/// Constructs that the target does not support, each with its place in the source.
pub fn emit(module: &Module, target: Target, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    target.check()?;
    let with_uniforms = with_shared_uniforms(module, options, target.numbers_resources());
    let module = &*with_computed_inputs(with_uniforms, target, options);
    let written = for_target(module, target, options).and_then(|module| {
        check_pointers(&module, target)?;
        check_vectors(&module, target)?;
        write(&module, target, options).map_err(|errors| with_loops_in_sight(&module, target, options, errors))
    });
    written.map_err(|errors| place::at_entry_point(module, errors))
}

/// A module lowered for WGSL, as [`emit`] does before it writes.
///
/// # Errors
/// As [`emit`].
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
pub(crate) fn lower_wgsl(module: &Module) -> Result<planish_back_naga::Lowered, Vec<Diagnostic>> {
    let options = EmitOptions::default();
    let lowered = for_target(module, Target::Wgsl, &options).and_then(|module| {
        check_pointers(&module, Target::Wgsl)?;
        check_vectors(&module, Target::Wgsl)?;
        shaders::lower_wgsl(&module, &options)
    });
    lowered.map_err(|errors| place::at_entry_point(module, errors))
}

/// Refuses calls whose pointers may alias, for targets that pass copies of the pointers' targets.
fn check_pointers(module: &Module, target: Target) -> Result<(), Vec<Diagnostic>> {
    if !target.is_shading_language() && !matches!(target, Target::Asm | Target::Alloc) && !target.is_object() {
        return Ok(());
    }
    let error = |conflict: &aliasing::Conflict| {
        let body = module.funcs[conflict.func].body.as_ref().expect("it has the call");
        Diagnostic::error(Code::E0680, body.node(conflict.node).span, conflict.text(module))
            .help("inline the call, as `-O2` does if the function does not call itself, or copy one of them before")
    };
    let errors: Vec<Diagnostic> = aliasing::conflicts(module).iter().map(error).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Refuses vectors of lanes for shading languages.
fn check_vectors(module: &Module, target: Target) -> Result<(), Vec<Diagnostic>> {
    let is_wide = |ty: Type| {
        let wide = |kind: &TypeKind| matches!(kind, TypeKind::Vector(_, n) if *n > MAX_LANGUAGE_VECTOR);
        module.types.contains(ty, &mut |kind| wide(kind))
    };
    if !target.is_shading_language() || !module.types.iter().any(|(ty, _)| is_wide(ty)) {
        return Ok(());
    }
    let error = |span: Span| {
        let text = format!("{} has no vectors of more than {MAX_LANGUAGE_VECTOR} components", target.info().name);
        Diagnostic::error(Code::E0604, span, text)
    };
    let vars = module.globals.iter().map(|&var| &module.vars[var]).filter(|data| is_wide(data.ty));
    let uses = |function: &Function| {
        let of_body = function.body.iter().flat_map(|body| body.locals().map(|(_, local)| local.ty));
        of_body.chain(function.params.iter().map(|param| param.ty)).any(is_wide)
    };
    let functions = module.funcs.values().filter(|function| uses(function));
    let errors: Vec<Diagnostic> =
        vars.map(|data| error(data.span)).chain(functions.map(|function| error(function.span))).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Pointer parameters without a direction, which shading languages do not have.
fn plain_pointers(module: &Module) -> Vec<(Func, usize)> {
    let is_plain = |param: &Param| {
        let space = module.types.pointee(param.ty).map(|p| p.1);
        matches!(param.direction, Direction::In | Direction::NoAlias)
            && matches!(space, Some(AddressSpace::Function | AddressSpace::Private))
    };
    let of = |(func, function): (Func, &Function)| {
        let params = function.params.iter().enumerate().filter(|(_, param)| is_plain(param));
        params.map(|(i, _)| (func, i)).collect::<Vec<_>>()
    };
    module.funcs.iter().flat_map(of).collect()
}

/// Adds a hint to errors about control flow that is only tail calls, which optimization turns into loops.
fn with_loops_in_sight(
    module: &Module,
    target: Target,
    options: &EmitOptions,
    mut errors: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let is_control_flow = |error: &Diagnostic| error.code == Code::E0608;
    if !errors.iter().any(is_control_flow) {
        return errors;
    }
    let mut looped = module.clone();
    loop_tail_calls::run(&mut looped, &mut Context::default());
    let remains = write(&looped, target, options).is_err_and(|errors| errors.iter().any(is_control_flow));
    for error in errors.iter_mut().filter(|error| is_control_flow(error) && !remains) {
        error.help.push("it calls itself last, which `-O2` makes a loop of".to_owned());
    }
    errors
}

/// Checks that the code of `asm` and `alloc` has every value at its uses; returns the number of functions checked.
///
/// # Errors
/// If a function cannot be compiled (E0604), or the code is wrong, which is an internal error.
pub fn check_machine_code(module: &Module) -> Result<usize, planish_machine::check::Failure> {
    let module = for_target(module, Target::Asm, &EmitOptions::default()).expect("only shading languages lack types");
    planish_machine::check::check_module(&planish_machine::reference::Reference, &module)
}

/// Brings the module into a form that the target supports: placed, without fused ops for languages, with only the entry
/// points that the target has, and for VL with reals of a width that the target has.
fn for_target<'m>(
    module: &'m Module,
    target: Target,
    options: &EmitOptions,
) -> Result<Cow<'m, Module>, Vec<Diagnostic>> {
    let entries = entries_for(module, target, options);
    let keeps_form = matches!(target, Target::Ir | Target::Dump | Target::Reflect);
    if !keeps_form {
        custom::check_for(module, (target == Target::Spirv).then_some(Language::Spirv))?;
    }
    let places = !keeps_form && floating::is_any(module);
    let info = legal_target(module, target, options);
    let expands = is_language(target) && info.is_none() && expand_fused_ops::is_needed(module);
    let narrows = module.facts.reals && narrow_floats::is_needed(module) && !has_doubles(module, target, options);
    // ES 1.00 has arrays in memory only.
    let splits = is_es_100(module, target, options) && split_array_values::is_needed(module);
    let pointers = if target.is_shading_language() { plain_pointers(module) } else { vec![] };
    let words = words_of_records(target).filter(|_| {
        let mut exports = entries.as_ref().unwrap_or(&module.entry_points).iter().filter(|entry| entry.stage.is_none());
        exports.any(|entry| module.signature_of(entry.func).is_some())
    });
    let grows = !keeps_form && lower_growable_arrays::is_needed(module);
    if grows && !has_memories(target) {
        return Err(without_arrays(module, target));
    }
    let combines = lacks_samplers(target, options) && combine_samplers::is_needed(module);
    let has_numbers = |scalar| info.is_some_and(|info| info.is_shading_language && info.has_numbers(scalar));
    let widens = !keeps_form && lower_small::is_needed(module, &has_numbers);
    // Decided after the other steps, which may add operations.
    let legalizes = info.is_some_and(|info| narrows || widens || legalize::is_needed(module, &info));
    let stays =
        entries.is_none() && !places && !expands && !narrows && !splits && !legalizes && !grows && !combines && !widens;
    if stays && pointers.is_empty() && words.is_none() {
        return Ok(Cow::Borrowed(module));
    }
    let mut own = module.clone();
    for (func, param) in pointers {
        own.funcs[func].params[param].direction = Direction::InOut;
    }
    if let Some(entries) = entries {
        let stages = |entries: &[EntryPoint]| entries.iter().filter(|entry| entry.stage.is_some()).count();
        let kept = stages(&entries);
        let stages_go = kept == 0 || kept < stages(&module.entry_points);
        own.entry_points = entries;
        remove_unreachable_functions::run(&mut own, &mut Context::default());
        if stages_go {
            remove_unused_interface(&mut own);
        }
    }
    if places {
        floating::place_all(&mut own);
    }
    if widens {
        let name = info.map_or(target.info().name, |info| info.name);
        lower_small::run(&mut own, name, &has_numbers, &mut Context::default())?;
    }
    if combines {
        combine_samplers::run(&mut own, &mut Context::default())?;
    }
    match words {
        Some(Some(words)) => build_records::run(&mut own, words, lists(module, target, options)),
        Some(None) => build_records::separate(&mut own),
        None => {}
    }
    if grows {
        let mut optimizer = Optimizer::level(if options.optimize { "1" } else { "0" }).expect("it is a level");
        optimizer.options.arrays_in_memory = true;
        optimizer.run(&mut own, &mut |_, _| {});
        lower_growable_arrays::run(&mut own, &mut Context::default())?;
    }
    if expands {
        expand_fused_ops::run(&mut own, &mut Context::default());
    }
    if narrows {
        narrow_floats::run(&mut own)?;
    }
    if let Some(info) = info.filter(|_| legalizes) {
        let mut context = Context::default();
        match options.optimize {
            true => legalize::run_shared(&mut own, &info, &mut context)?,
            false => legalize::run(&mut own, &info, &mut context)?,
        };
    }
    if splits {
        split_array_values::run(&mut own, &mut Context::default());
    }
    Ok(Cow::Owned(own))
}

#[cfg(feature = "shaders")]
use shaders::{is_es_100, lacks_samplers};

#[cfg(not(feature = "shaders"))]
fn lacks_samplers(_: Target, _: &EmitOptions) -> bool {
    false
}

#[cfg(not(feature = "shaders"))]
fn is_es_100(_: &Module, _: Target, _: &EmitOptions) -> bool {
    false
}

/// Lists that functions of a target take and return.
fn lists(module: &Module, target: Target, options: &EmitOptions) -> build_records::Lists {
    #[cfg(feature = "shaders")]
    if target == Target::Glsl {
        return shaders::lists(shaders::glsl_version(module, options));
    }
    let _ = (module, target, options);
    build_records::Lists::Any
}

/// Names of the types of records, for a target whose functions have the signatures of exports; `Some(None)`: it has no types for them, but gives the
/// functions their signatures itself.
fn words_of_records(target: Target) -> Option<Option<build_records::Words>> {
    use build_records::Words;
    match target {
        Target::Rust => Some(Some(Words::Tuples)),
        Target::C => Some(Some(Words::Plain)),
        Target::Js | Target::Dts => Some(None),
        _ if target.is_object() => Some(Some(Words::Plain)),
        _ if target.is_shading_language() => Some(Some(Words::Capitals)),
        _ => None,
    }
}

/// Whether a target has byte memories, where arrays can grow.
fn has_memories(target: Target) -> bool {
    is_language(target) && !target.is_shading_language() || target.is_object()
}

/// The growable arrays of a module, as errors.
fn without_arrays(module: &Module, target: Target) -> Vec<Diagnostic> {
    let declared = module
        .funcs
        .values()
        .filter_map(|function| function.body.as_ref())
        .flat_map(|body| body.blocks.values().flat_map(|block| &block.variables).map(|&var| &module.vars[var]));
    let growable = declared.filter(|data| module.types.growable(data.pointer).is_some());
    let error = |data: &VarData| {
        let text = format!("{} has no arrays that grow, as `{}` does", target.info().name, data.name.text);
        Diagnostic::error(Code::E0610, data.span, text).help("targets with byte memories have, WebAssembly or C, say")
    };
    growable.map(error).collect()
}

/// Operations that a target has; `None`: it takes every op as it is.
#[cfg(feature = "shaders")]
fn legal_target(module: &Module, target: Target, options: &EmitOptions) -> Option<TargetInfo<'static>> {
    shaders::info(module, target, options)
}

#[cfg(not(feature = "shaders"))]
fn legal_target(_: &Module, _: Target, _: &EmitOptions) -> Option<TargetInfo<'static>> {
    None
}

/// Removes unused inputs, outputs and uniforms: those of stages that were removed.
fn remove_unused_interface(module: &mut Module) {
    let mut is_used = SideTable::<Var, bool>::new();
    for body in module.funcs.values().filter_map(|function| function.body.as_ref()) {
        for (node, _) in body.nodes() {
            for var in body.args(node).iter().filter_map(|arg| arg.as_var()) {
                is_used[var] = true;
            }
        }
    }
    let vars = &module.vars;
    let is_interface =
        |var: Var| matches!(vars[var].space, AddressSpace::Input | AddressSpace::Output | AddressSpace::Uniform);
    module.globals.retain(|&var| is_used[var] || !is_interface(var));
}

/// The entry points of this target; `None` if that is all of them. The requested function, if there is one; else, if a
/// program has both stages and plain exports, the stages for shading languages and the exports for other targets.
fn entries_for(module: &Module, target: Target, options: &EmitOptions) -> Option<Vec<EntryPoint>> {
    let (staged, plain): (Vec<&EntryPoint>, Vec<&EntryPoint>) =
        module.entry_points.iter().partition(|entry| entry.stage.is_some());
    let is_shading = target.is_shading_language();
    let wanted = options.function.as_deref().filter(|_| is_shading);
    let wanted = wanted.and_then(|name| module.funcs_named(name).next());
    let chosen: Vec<EntryPoint> = match wanted.filter(|&func| plain.iter().any(|entry| entry.func == func)) {
        Some(func) => plain.into_iter().filter(|entry| entry.func == func).cloned().collect(),
        // A program in GLSL has one stage, and declares nothing of others.
        None if target == Target::Glsl && staged.len() > 1 => {
            let is_stage = |entry: &&EntryPoint| options.stage.is_none() || entry.stage == options.stage;
            staged.into_iter().find(is_stage).cloned().into_iter().collect()
        }
        None if staged.is_empty() || plain.is_empty() => return None,
        None if is_shading => staged.into_iter().cloned().collect(),
        None if is_language(target) => plain.into_iter().cloned().collect(),
        None => return None,
    };
    (!chosen.is_empty() && chosen.len() < module.entry_points.len()).then_some(chosen)
}

/// Whether a target has all operations on `f64` that this module uses. No shading language has functions such as `sin`
/// for it.
#[cfg_attr(not(feature = "shaders"), expect(unused_variables, reason = "only GLSL has versions"))]
fn has_doubles(module: &Module, target: Target, options: &EmitOptions) -> bool {
    let has_type = match target {
        #[cfg(feature = "shaders")]
        Target::Glsl => {
            let version = shaders::glsl_version(module, options);
            !version.is_es() && version.number >= 400
        }
        Target::Spirv => true,
        Target::Wgsl | Target::SpirvNaga | Target::Msl | Target::Hlsl => false,
        _ => return true,
    };
    let bodies = || module.funcs.values().filter_map(|function| function.body.as_ref());
    has_type && bodies().all(|body| body.nodes().all(|(_, data)| !data.op.is_transcendental()))
}

/// Whether the target is a language, which has only ops of its own.
fn is_language(target: Target) -> bool {
    target.is_shading_language()
        || matches!(
            target,
            Target::Wasm
                | Target::Wat
                | Target::Js
                | Target::AsmJs
                | Target::Dts
                | Target::C
                | Target::Rust
                | Target::Asm
                | Target::Alloc
        )
}

/// Line and column of a trap; in a binary file 0 and the offset.
#[cfg(feature = "code")]
fn place_of_trap(options: &EmitOptions, span: Span) -> (u32, u32) {
    match &options.debug_info {
        None => (0, 0),
        Some(map) => match map.line_column(span.start) {
            Some(at) => (at.line, at.column),
            None => (0, map.file_at(span.start).map_or(0, |file| span.start - file.start)),
        },
    }
}

fn write(module: &Module, target: Target, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    match target {
        #[cfg(feature = "shaders")]
        Target::Glsl | Target::Wgsl | Target::Spirv | Target::SpirvNaga | Target::Msl | Target::Hlsl => {
            shaders::write(module, target, options)
        }
        #[cfg(feature = "wasm")]
        Target::Wasm => emit_wasm(module, options),
        #[cfg(feature = "wasm")]
        Target::Wat => emit_wat(module, options),
        #[cfg(feature = "code")]
        Target::Js | Target::AsmJs | Target::Dts => write_js(module, target, options, &[]),
        #[cfg(feature = "code")]
        Target::C => c::write(module, options, &[]),
        #[cfg(feature = "code")]
        Target::Rust => rust::write(module, options, &[]),
        #[cfg(all(feature = "objects", not(target_family = "wasm")))]
        Target::Object | Target::Header => objects::write(module, target, options, &[]),
        Target::Reflect => reflection::write(module, options),
        #[cfg(feature = "graphs")]
        Target::Graph => Ok(Artifact::text(graph_back::json::text(&graph(module, options)?))),
        #[cfg(feature = "graphs")]
        Target::GraphText => Ok(Artifact::text(graph_back::listing::text(&graph(module, options)?))),
        #[cfg(feature = "graphs")]
        Target::GraphDot => Ok(Artifact::text(graph_back::dot::text(&graph(module, options)?))),
        #[cfg(feature = "graphs")]
        Target::GraphSvg => Ok(Artifact::text(graph_back::svg::text(&graph(module, options)?))),
        #[cfg(feature = "graphs")]
        Target::Mtlx => Ok(Artifact::text(graph_back::mtlx::text(&graph_of(module, target, options)?)?)),
        #[cfg(feature = "code")]
        Target::Asm | Target::Alloc => emit_machine(module, target, options),
        Target::Ir => Ok(Artifact::text(planish_ir::text::print(module))),
        Target::Dump => Ok(Artifact::text(planish_ir::dump::dump(module))),
        Target::Analysis => Err(vec![
            Diagnostic::error(Code::E0604, Span::NONE, "a module has no flow analysis any more")
                .help("`Compiler::analyze` gives that of a VL program"),
        ]),
        #[cfg(not(all(
            feature = "code",
            feature = "graphs",
            feature = "objects",
            feature = "shaders",
            feature = "wasm",
            not(target_family = "wasm")
        )))]
        _ => unreachable!("targets that are left out were refused before"),
    }
}

/// Every function as code of the reference machine: a listing, or a page.
#[cfg(feature = "code")]
fn emit_machine(module: &Module, target: Target, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let place = |span: Span| match &options.debug_info {
        Some(map) => match map.line_column(span.start) {
            Some(at) => format!("{}:{}", at.line, at.column),
            None => map.file_at(span.start).and_then(|f| f.binary_place(span.start)).unwrap_or_default(),
        },
        None => String::new(),
    };
    let with_body = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func);
    let funcs: Vec<_> = with_body.collect();
    if target == Target::Alloc {
        let page = planish_machine::report::page(module, &funcs, "Registers", &place).map_err(|e| vec![*e])?;
        return Ok(Artifact::text(page));
    }
    let (mut texts, mut errors) = (vec![], vec![]);
    for func in funcs {
        match planish_machine::report::listing(module, func, &place) {
            Ok(text) => texts.push(text),
            Err(error) => errors.push(*error),
        }
    }
    if errors.is_empty() { Ok(Artifact::text(texts.join("\n"))) } else { Err(errors) }
}

/// The module lowered to operations on scalars that the target has.
#[cfg(any(feature = "code", feature = "wasm"))]
fn lowered<'m>(
    module: &'m Module,
    target: &TargetInfo<'_>,
    options: &EmitOptions,
) -> Result<Cow<'m, Module>, Vec<Diagnostic>> {
    if !lower_to_scalars::is_needed(module, target) {
        return Ok(Cow::Borrowed(module));
    }
    let (mut lowered, mut context) = (module.clone(), Context::default());
    let changed = lower_to_scalars::run(&mut lowered, target, &mut context)?;
    if options.optimize {
        schedule::run_on(&mut lowered, &changed, &mut context);
    }
    Ok(Cow::Owned(lowered))
}

#[cfg(feature = "wasm")]
fn emit_wasm(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let lowered = lowered(module, &planish_back_wasm::info(), options)?;
    let options = planish_back_wasm::Options { names: !options.minify };
    let output = planish_back_wasm::write(&lowered, &options)?;
    Ok(Artifact { bytes: output.bytes, diagnostics: vec![], header: None })
}

/// JavaScript, with typed arrays for slices.
#[cfg(feature = "code")]
fn write_js(
    module: &Module,
    target: Target,
    options: &EmitOptions,
    slices: &[SliceParam],
) -> Result<Artifact, Vec<Diagnostic>> {
    let lowered = lowered(module, &planish_back_js::info(), options)?;
    // A vector before a slice has become its components.
    let components = |slice: &SliceParam| {
        let before = &module.funcs[slice.func].params[..slice.param];
        before.iter().map(|param| module.types.components(param.ty).unwrap_or(1)).sum()
    };
    let is_same = matches!(lowered, Cow::Borrowed(_));
    let slices = slices.iter().map(|s| SliceParam { param: if is_same { s.param } else { components(s) }, ..*s });
    let options = planish_back_js::Options { slices: slices.collect(), ..planish_back_js::Options::default() };
    let module = lowered;
    Ok(Artifact::text(match target {
        Target::AsmJs => planish_back_js::write_asm(&module, &options)?.text,
        Target::Dts => planish_back_js::write_module(&module, &options)?.declarations,
        _ => planish_back_js::write_module(&module, &options)?.text,
    }))
}

/// The binary as text, an instruction a line.
#[cfg(feature = "wasm")]
fn emit_wat(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let binary = emit_wasm(module, options)?;
    let text = wasmprinter::print_bytes(&binary.bytes).expect("what was written can be read");
    Ok(Artifact::text(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The IR keeps fused ops; languages get their expansions.
    #[test]
    fn fused_ops_are_taken_apart_for_targets() {
        let module = planish_ir::text::parse_str(
            "module glsl 300 es
var input interface @v: vec3 highp location(0)
var output interface @color: vec4 highp location(0)
fn internal @main() {
b0:
  %0 = load @v
  %1 = multiply_add %0, %0, vec3{0.5, 0.5, 0.5}
  %2 = lerp %1, %0, %1
  %3 = horizontal_add %2
  %4: vec4 = construct_vector_from_scalar %3
  store @color, %4
  return
}
entry fragment @main \"main\"
",
        )
        .expect("it is a module");
        assert_eq!(planish_ir::verify::verify(&module), []);
        let options = EmitOptions::default();
        let text = |target| {
            let artifact = emit(&module, target, &options).unwrap_or_else(|errors| panic!("{target:?}: {errors:#?}"));
            String::from_utf8_lossy(&artifact.bytes).into_owned()
        };
        assert!(text(Target::Ir).contains("horizontal_add"));
        assert!(text(Target::Dump).contains("HorizontalAdd"));
        assert!(text(Target::Glsl).contains("v * v + "), "{}", text(Target::Glsl));
        assert!(text(Target::Graph).contains("\"op\": \"multiply_add\""));
        for target in [Target::Wgsl, Target::Spirv, Target::SpirvNaga, Target::Msl, Target::Hlsl] {
            assert!(!text(target).is_empty(), "{target:?}");
        }
    }
}
