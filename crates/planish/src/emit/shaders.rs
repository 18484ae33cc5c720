//! The languages of shaders: GLSL, WGSL, SPIR-V, MSL and HLSL; SPIR-V also through naga.

#[cfg(feature = "spirv-naga")]
use planish_back_naga as naga_back;
use planish_front_glsl::version::{Profile, Version};
use planish_interface::{Direct3dRegister, MetalArgument, NameInfo};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Language, Module};
use planish_opt::build_records::Lists;
use planish_target::legal::TargetInfo;

use super::reflection::numbering;
use super::{Artifact, EmitOptions};
use crate::kind::Target;

/// Writes a module in a language of shaders.
pub(super) fn write(module: &Module, target: Target, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    match target {
        Target::Glsl => emit_glsl(module, options),
        Target::Spirv => emit_spirv(module, options),
        #[cfg(feature = "spirv-naga")]
        Target::SpirvNaga => emit_spirv_of_naga(module, options),
        Target::Wgsl => emit_wgsl(module, options),
        Target::Msl => emit_msl(module, options),
        Target::Hlsl => emit_hlsl(module, options),
        other => unreachable!("{other:?} is no language of shaders"),
    }
}

/// Operations that a language of shaders has; `None`: every op, or no language of shaders.
pub(super) fn info(module: &Module, target: Target, options: &EmitOptions) -> Option<TargetInfo<'static>> {
    match target {
        Target::Glsl => {
            let version = glsl_version(module, options);
            planish_back_glsl::info(version.number, version.is_es())
        }
        Target::Spirv => Some(planish_back_spirv::INFO),
        Target::Wgsl => Some(planish_back_wgsl::info()),
        #[cfg(feature = "spirv-naga")]
        Target::SpirvNaga => Some(naga_back::info(naga_back::Target::Spirv)),
        Target::Msl => Some(planish_back_msl::info()),
        Target::Hlsl => Some(planish_back_hlsl::info(options.shader_model)),
        _ => None,
    }
}

/// True if the target is GLSL ES 1.00, which has arrays in memory only.
pub(super) fn is_es_100(module: &Module, target: Target, options: &EmitOptions) -> bool {
    target == Target::Glsl && glsl_version(module, options) == Version::es(100)
}

/// True if the target has only combined samplers: GLSL that is not for Vulkan.
pub(super) fn lacks_samplers(target: Target, options: &EmitOptions) -> bool {
    target == Target::Glsl && !options.vulkan
}

/// Lists that functions of a version take and return: ES 3.00 has no arrays of arrays.
pub(super) fn lists(version: Version) -> Lists {
    match version.number {
        100 if version.is_es() => Lists::None,
        number if number >= if version.is_es() { 310 } else { 430 } => Lists::Any,
        _ => Lists::Flat,
    }
}

/// The GLSL version to emit: as requested, or as it was read.
pub(super) fn glsl_version(module: &Module, options: &EmitOptions) -> Version {
    options.version.unwrap_or(match module.language {
        Language::Glsl { version, es: true } => Version::es(version),
        Language::Glsl { version, es: false } => Version { number: version, profile: Profile::Core },
        _ => Version::ES_300,
    })
}

fn emit_glsl(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let version = glsl_version(module, options);
    let options = planish_back_glsl::Options {
        version: version.number,
        es: version.is_es(),
        stage: options.stage,
        minify: options.minify,
        vulkan: options.vulkan,
        entry_point: None,
    };
    let output = planish_back_glsl::write(module, &options)?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: None })
}

fn wgsl_options(options: &EmitOptions) -> planish_back_wgsl::Options {
    planish_back_wgsl::Options {
        flip_y: options.flip_y,
        adjust_depth: options.adjust_depth,
        numbering: numbering(options),
        minify: options.minify,
        ..planish_back_wgsl::Options::default()
    }
}

fn emit_wgsl(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let output = planish_back_wgsl::write(module, &wgsl_options(options))?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: None })
}

/// Names of module scope in WGSL; `None` if that cannot hold the module.
pub(super) fn wgsl_names(module: &Module, options: &EmitOptions) -> Option<Vec<NameInfo>> {
    let output = planish_back_wgsl::write(module, &wgsl_options(options)).ok()?;
    let info =
        |n: planish_back_wgsl::NameEntry| NameInfo::new(n.kind.name(), n.original.to_string(), n.printed.to_string());
    Some(output.names.into_iter().map(info).collect())
}

fn msl_options(options: &EmitOptions) -> planish_back_msl::Options {
    planish_back_msl::Options {
        shading: planish_back_msl::ShadingOptions {
            flip_y: options.flip_y,
            adjust_depth: options.adjust_depth,
            numbering: numbering(options),
            minify: options.minify,
            ..planish_back_msl::ShadingOptions::default()
        },
        version: options.msl_version,
        indices: options.msl_indices.clone(),
        argument_buffers: options.msl_argument_buffers,
    }
}

fn emit_msl(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let output = planish_back_msl::write(module, &msl_options(options))?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: None })
}

/// Metal's numbers of buffers, textures and samplers, for reflection; `None` if Metal cannot hold the module.
pub(super) fn msl_arguments(module: &Module, options: &EmitOptions) -> Option<Vec<MetalArgument>> {
    let arguments = planish_back_msl::arguments(module, &msl_options(options)).ok()?;
    let argument =
        |a: planish_back_msl::Argument| MetalArgument::new(a.name, (a.table.attribute(), a.index), a.buffer, a.binding);
    Some(arguments.into_iter().map(argument).collect())
}

fn hlsl_options(options: &EmitOptions) -> planish_back_hlsl::Options {
    let shading = planish_back_wgsl::Options {
        flip_y: options.flip_y,
        adjust_depth: options.adjust_depth,
        numbering: numbering(options),
        minify: options.minify,
        ..planish_back_wgsl::Options::default()
    };
    planish_back_hlsl::Options { version: options.shader_model, shading }
}

/// Direct3D's registers, for reflection; `None` if HLSL cannot hold the module.
pub(super) fn hlsl_registers(module: &Module, options: &EmitOptions) -> Option<Vec<Direct3dRegister>> {
    let registers = planish_back_hlsl::registers(module, &hlsl_options(options)).ok()?;
    let of = |bound: planish_back_hlsl::Bound| {
        let register = (bound.register.class, bound.register.number, bound.register.space);
        Direct3dRegister::new(bound.name, register, bound.binding)
    };
    Some(registers.into_iter().map(of).collect())
}

fn emit_hlsl(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let output = planish_back_hlsl::write(module, &hlsl_options(options))?;
    Ok(Artifact { bytes: output.text.into_bytes(), diagnostics: output.warnings, header: None })
}

fn emit_spirv(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let options = planish_back_spirv::Options {
        version: options.spirv_version,
        lines: options.debug_info.as_ref(),
        flip_y: options.flip_y,
        adjust_depth: options.adjust_depth,
        numbering: numbering(options),
        ..planish_back_spirv::Options::default()
    };
    let mut output = planish_back_spirv::write(module, &options)?;
    Ok(Artifact { bytes: output.bytes(), diagnostics: std::mem::take(&mut output.warnings), header: None })
}

#[cfg(feature = "spirv-naga")]
fn naga_options(target: naga_back::Target, options: &EmitOptions) -> naga_back::Options {
    naga_back::Options {
        flip_y: options.flip_y,
        adjust_depth: options.adjust_depth,
        numbering: numbering(options),
        ..naga_back::Options::new(target)
    }
}

/// A module lowered for WGSL, of which nothing is written yet.
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
pub(super) fn lower_wgsl(module: &Module, options: &EmitOptions) -> Result<naga_back::Lowered, Vec<Diagnostic>> {
    naga_back::lower(module, &naga_options(naga_back::Target::Wgsl, options))
}

#[cfg(feature = "spirv-naga")]
fn emit_spirv_of_naga(module: &Module, options: &EmitOptions) -> Result<Artifact, Vec<Diagnostic>> {
    let mut lowered = naga_back::lower(module, &naga_options(naga_back::Target::Spirv, options))?;
    let words = naga_back::write_spirv(&lowered)?;
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(Artifact { bytes, diagnostics: std::mem::take(&mut lowered.warnings), header: None })
}
