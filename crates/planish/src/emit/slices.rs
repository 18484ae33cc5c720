//! Functions that take slices of the host: how each target passes them.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::host::SliceParam;
use planish_ir::module::Module;
use planish_opt::bind_slices::{self, Interface};
use planish_opt::join_slices;

use super::{Artifact, EmitOptions, emit, for_target, write_js};
#[cfg(all(feature = "objects", not(target_family = "wasm")))]
use super::{check_pointers, objects};
use crate::kind::Target;
use crate::optimizer::Optimizer;

/// Writes an optimized module with a function that takes slices.
///
/// # Errors
/// As [`emit`], and E1406 for a target that has no slices.
pub(crate) fn emit_slices(
    module: &Module,
    slices: &[SliceParam],
    target: Target,
    options: &EmitOptions,
) -> Result<Artifact, Vec<Diagnostic>> {
    let Some(slice) = slices.first() else { return emit(module, target, options) };
    target.check()?;
    if let Some(reason) = refusal(slices, target) {
        let function = &module.funcs[slice.func];
        let message = format!("`{}` takes slices, and {reason}", module.outside_name(slice.func));
        let error = Diagnostic::error(Code::E1406, function.span, message);
        return Err(vec![
            error.help("call `compile`, write it as WebAssembly or JavaScript, or emit the function of one element"),
        ]);
    }
    match target {
        Target::Wasm | Target::Wat => {
            let mut joined = module.clone();
            join_slices::run(&mut joined, slices);
            Optimizer::level("2").expect("there is a level 2").run(&mut joined, &mut |_, _| {});
            emit(&joined, target, options)
        }
        #[cfg(all(feature = "objects", not(target_family = "wasm")))]
        Target::Object | Target::Header => {
            let module = for_target(module, target, options)?;
            check_pointers(&module, target)?;
            objects::write(&module, target, options, slices)
        }
        _ if target.is_shading_language() => {
            let (bound, _) = as_compute_shader(module, slice.func, slices)?;
            emit(&bound, target, options)
        }
        Target::Rust => super::rust::write(&*for_target(module, target, options)?, options, slices),
        Target::C => super::c::write(&*for_target(module, target, options)?, options, slices),
        Target::Js | Target::Dts => write_js(&*for_target(module, target, options)?, target, options, slices),
        _ => emit(module, target, options),
    }
}

/// An optimized function as a compute shader, and its interface.
///
/// # Errors
/// E1406.
pub(crate) fn as_compute_shader(
    module: &Module,
    func: Func,
    slices: &[SliceParam],
) -> Result<(Module, Interface), Vec<Diagnostic>> {
    let mut bound = module.clone();
    let interface = bind_slices::run(&mut bound, func, slices)?;
    Optimizer::level("2").expect("there is a level 2").run(&mut bound, &mut |_, _| {});
    Ok((bound, interface))
}

/// The reason why a target does not have these slices.
fn refusal(slices: &[SliceParam], target: Target) -> Option<&'static str> {
    if slices.iter().any(|slice| slice.count == 0) {
        return Some("one of them has elements without bytes");
    }
    match target {
        Target::Wasm | Target::Wat | Target::Js | Target::Dts | Target::Ir | Target::Dump => None,
        Target::C | Target::Rust | Target::Object | Target::Header => None,
        Target::AsmJs => Some("asm.js has one heap, whose size the program would have to know"),
        Target::Graph | Target::GraphText | Target::GraphDot | Target::GraphSvg | Target::Mtlx => {
            Some("graphs have no memory")
        }
        Target::Asm | Target::Alloc | Target::Reflect | Target::Analysis => Some("this target has no form for them"),
        Target::Glsl | Target::Wgsl | Target::Spirv | Target::SpirvNaga | Target::Msl | Target::Hlsl => None,
    }
}
