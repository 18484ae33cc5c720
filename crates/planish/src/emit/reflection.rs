//! The interface of a program: numbers of resources, and the reflection.

use std::borrow::Cow;

#[cfg(feature = "shaders")]
use planish_interface::CombinedInfo;
use planish_interface::{Numbering, Reflection};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
#[cfg(feature = "shaders")]
use planish_opt::{Context, combine_samplers};

use super::{Artifact, EmitOptions};
#[cfg(feature = "shaders")]
use super::{for_target, shaders};
#[cfg(feature = "shaders")]
use crate::floating;
#[cfg(feature = "shaders")]
use crate::kind::Target;

/// The module, with the uniforms of all stages if they are `wanted`.
pub(super) fn with_shared_uniforms<'m>(module: &'m Module, options: &EmitOptions, wanted: bool) -> Cow<'m, Module> {
    let mut module = Cow::Borrowed(module);
    if let Some(shared) = options.uniforms.as_ref().filter(|_| wanted) {
        shared.declare_in(module.to_mut());
    }
    module
}

/// Numbers for resources and varyings whose declaration has none.
pub(super) fn numbering(options: &EmitOptions) -> Numbering {
    Numbering {
        group: options.group,
        locations: options.locations.clone(),
        bindings: options.bindings.clone(),
        shared_uniforms: options.uniforms.as_ref().map(|shared| shared.place(options.group.unwrap_or(0))),
    }
}

/// The interface of what [`emit`](crate::emit) writes for shading languages other than GLSL: bindings, locations, offsets.
///
/// # Errors
/// Recursion, uniforms without a layout, bindings that clash.
///
/// # Example
/// ```
/// let source = "#version 300 es\nprecision highp float;\nuniform sampler2D map;\nout vec4 color;\n\
///               void main() { color = texture(map, vec2(0.5)); }\n";
/// let module = planish::Compiler::default().compile("a.frag", source).module.unwrap();
/// let bindings = [("map".to_owned(), (2, 5))].into();
/// let reflection = planish::reflect(&module, &planish::EmitOptions { bindings, ..Default::default() }).unwrap();
/// assert_eq!((reflection.textures[0].group, reflection.textures[0].binding), (2, 5));
/// assert_eq!((&*reflection.samplers[0].variable, reflection.samplers[0].group), ("map_sampler", 1));
/// ```
pub fn reflect(module: &Module, options: &EmitOptions) -> Result<Reflection, Vec<Diagnostic>> {
    let module = with_shared_uniforms(module, options, true);
    #[cfg_attr(
        not(feature = "shaders"),
        expect(unused_mut, reason = "only shaders have numbers of Metal and Direct3D")
    )]
    let mut reflection = planish_interface::reflect(&module, &numbering(options))?;
    #[cfg(feature = "shaders")]
    {
        reflection.combined = combined(&module, &reflection);
        reflection.metal = shaders::msl_arguments(&module, options);
        reflection.direct3d = shaders::hlsl_registers(&module, options);
        if options.minify {
            let lowered = for_target(&module, Target::Wgsl, options).ok();
            reflection.names = lowered.and_then(|module| shaders::wgsl_names(&module, options));
        }
    }
    Ok(reflection)
}

/// Combined samplers that GLSL without Vulkan has; none if it cannot hold the program.
#[cfg(feature = "shaders")]
fn combined(module: &Module, reflection: &Reflection) -> Vec<CombinedInfo> {
    if !combine_samplers::is_needed(module) {
        return vec![];
    }
    let mut own = module.clone();
    floating::place_all(&mut own);
    let pairs = combine_samplers::run(&mut own, &mut Context::default()).unwrap_or_default();
    let elements = pairs.into_iter().flat_map(|pair| pair.elements);
    let info = |e: combine_samplers::Element| CombinedInfo::find(reflection, e.name, &e.texture, e.sampler.as_deref());
    elements.filter_map(info).collect()
}

/// The interface as JSON.
pub(super) fn write(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let reflection = reflect(module, options)?;
    let mut text = serde_json::to_string_pretty(&reflection).expect("JSON of strings and numbers can be written");
    text.push('\n');
    Ok(Artifact::text(text))
}
