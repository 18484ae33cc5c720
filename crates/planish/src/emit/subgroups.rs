//! Inputs of subgroups that shading languages lack and that can be computed.

use std::borrow::Cow;

use planish_ir::decoration::BuiltIn;
use planish_ir::module::Module;
use planish_opt::{Context, lower_subgroup_inputs};

use super::EmitOptions;
use crate::floating;
use crate::kind::Target;

/// Those that a target lacks. WGSL has names for the number of a subgroup and that of subgroups in its newest version only.
fn lacking(target: Target, options: &EmitOptions) -> &'static [BuiltIn] {
    match target {
        Target::Wgsl => lower_subgroup_inputs::ALL,
        Target::Msl => lower_subgroup_inputs::MASKS,
        #[cfg(feature = "shaders")]
        // Before, there are no subgroups.
        Target::Hlsl if options.shader_model >= crate::ShaderModel::V6_0 => lower_subgroup_inputs::ALL,
        _ => {
            let _ = options;
            &[]
        }
    }
}

/// The module, with what the target lacks computed.
pub(super) fn with_computed_inputs<'m>(
    mut module: Cow<'m, Module>,
    target: Target,
    options: &EmitOptions,
) -> Cow<'m, Module> {
    let lacking = lacking(target, options);
    if lower_subgroup_inputs::is_needed(&module, lacking) {
        let own = module.to_mut();
        floating::place_all(own);
        lower_subgroup_inputs::run(own, lacking, &mut Context::default());
    }
    module
}
