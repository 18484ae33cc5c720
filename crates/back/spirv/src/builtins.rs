//! Built-in variables: their built-ins in SPIR-V, with the capabilities needed.

use planish_ir::decoration::BuiltIn;
use planish_ir::entity::Value;
use planish_ir::module::{EntryPoint, Stage};
use planish_ir::ops::Op;
use spirv::{BuiltIn as B, Capability as C};

use crate::Version;
use crate::function::FunctionWriter;
use crate::module::Context;

/// The extension with the weights of a triangle's vertices, and their values.
pub(crate) const BARYCENTRIC: &str = "SPV_KHR_fragment_shader_barycentric";
const DENSITY: &str = "SPV_EXT_fragment_invocation_density";
const LAYER: &str = "SPV_EXT_shader_viewport_index_layer";
const SHADING_RATE: &str = "SPV_KHR_fragment_shading_rate";

/// A built-in of SPIR-V.
pub(crate) struct Row {
    pub(crate) builtin: B,
    capability: Option<C>,
    /// The extension that brings it, and the version that has it without, if one has.
    extension: Option<(&'static str, Option<Version>)>,
}

const fn row(builtin: B) -> Row {
    Row { builtin, capability: None, extension: None }
}

const fn with(builtin: B, capability: C) -> Row {
    Row { builtin, capability: Some(capability), extension: None }
}

const fn from(builtin: B, capability: C, extension: &'static str) -> Row {
    Row { builtin, capability: Some(capability), extension: Some((extension, Some(Version::V1_3))) }
}

/// A built-in that an extension brings in all versions.
const fn extended(builtin: B, capability: C, extension: &'static str) -> Row {
    Row { builtin, capability: Some(capability), extension: Some((extension, None)) }
}

/// The row of an input; `None` if SPIR-V or the stage has no such input. `gl_VertexID` and `gl_InstanceID` are Vulkan's
/// indices: the base of a draw is counted in.
fn input(builtin: BuiltIn, stage: Option<Stage>) -> Option<Row> {
    const DRAW: &str = "SPV_KHR_shader_draw_parameters";
    Some(match builtin {
        BuiltIn::VertexId | BuiltIn::VertexIndex => row(B::VertexIndex),
        BuiltIn::InstanceId | BuiltIn::InstanceIndex => row(B::InstanceIndex),
        BuiltIn::BaseVertex => from(B::BaseVertex, C::DrawParameters, DRAW),
        BuiltIn::BaseInstance => from(B::BaseInstance, C::DrawParameters, DRAW),
        BuiltIn::DrawId => from(B::DrawIndex, C::DrawParameters, DRAW),
        BuiltIn::ViewId => from(B::ViewIndex, C::MultiView, "SPV_KHR_multiview"),
        BuiltIn::FragCoord => row(B::FragCoord),
        BuiltIn::FrontFacing => row(B::FrontFacing),
        BuiltIn::PointCoord => row(B::PointCoord),
        BuiltIn::SampleId => with(B::SampleId, C::SampleRateShading),
        BuiltIn::SamplePosition => with(B::SamplePosition, C::SampleRateShading),
        BuiltIn::SampleMaskIn => row(B::SampleMask),
        BuiltIn::DeviceIndex => from(B::DeviceIndex, C::DeviceGroup, "SPV_KHR_device_group"),
        BuiltIn::BaryCoord => extended(B::BaryCoordKHR, C::FragmentBarycentricKHR, BARYCENTRIC),
        BuiltIn::BaryCoordNoPerspective => extended(B::BaryCoordNoPerspKHR, C::FragmentBarycentricKHR, BARYCENTRIC),
        BuiltIn::FullyCovered => {
            extended(B::FullyCoveredEXT, C::FragmentFullyCoveredEXT, "SPV_EXT_fragment_fully_covered")
        }
        BuiltIn::FragSize => extended(B::FragSizeEXT, C::FragmentDensityEXT, DENSITY),
        BuiltIn::FragInvocationCount => extended(B::FragInvocationCountEXT, C::FragmentDensityEXT, DENSITY),
        BuiltIn::ShadingRate => extended(B::ShadingRateKHR, C::FragmentShadingRateKHR, SHADING_RATE),
        BuiltIn::HelperInvocation => row(B::HelperInvocation),
        BuiltIn::ClipDistance => with(B::ClipDistance, C::ClipDistance),
        BuiltIn::CullDistance => with(B::CullDistance, C::CullDistance),
        BuiltIn::Layer if stage == Some(Stage::Fragment) => with(B::Layer, C::Geometry),
        BuiltIn::ViewportIndex if stage == Some(Stage::Fragment) => with(B::ViewportIndex, C::MultiViewport),
        BuiltIn::PrimitiveId if stage == Some(Stage::Fragment) => with(B::PrimitiveId, C::Geometry),
        BuiltIn::Position => row(B::Position),
        BuiltIn::PointSize => row(B::PointSize),
        BuiltIn::InvocationId => row(B::InvocationId),
        BuiltIn::PrimitiveIdIn => row(B::PrimitiveId),
        BuiltIn::PrimitiveId if is_tessellation(stage) => row(B::PrimitiveId),
        BuiltIn::PatchVerticesIn => row(B::PatchVertices),
        BuiltIn::TessCoord => row(B::TessCoord),
        BuiltIn::TessLevelOuter => row(B::TessLevelOuter),
        BuiltIn::TessLevelInner => row(B::TessLevelInner),
        BuiltIn::NumWorkGroups => row(B::NumWorkgroups),
        BuiltIn::WorkGroupId => row(B::WorkgroupId),
        BuiltIn::LocalInvocationId => row(B::LocalInvocationId),
        BuiltIn::GlobalInvocationId => row(B::GlobalInvocationId),
        BuiltIn::LocalInvocationIndex => row(B::LocalInvocationIndex),
        BuiltIn::NumSubgroups => with(B::NumSubgroups, C::GroupNonUniform),
        BuiltIn::SubgroupId => with(B::SubgroupId, C::GroupNonUniform),
        BuiltIn::SubgroupSize => with(B::SubgroupSize, C::GroupNonUniform),
        BuiltIn::SubgroupInvocationId => with(B::SubgroupLocalInvocationId, C::GroupNonUniform),
        BuiltIn::SubgroupEqMask => with(B::SubgroupEqMask, C::GroupNonUniformBallot),
        BuiltIn::SubgroupGeMask => with(B::SubgroupGeMask, C::GroupNonUniformBallot),
        BuiltIn::SubgroupGtMask => with(B::SubgroupGtMask, C::GroupNonUniformBallot),
        BuiltIn::SubgroupLeMask => with(B::SubgroupLeMask, C::GroupNonUniformBallot),
        BuiltIn::SubgroupLtMask => with(B::SubgroupLtMask, C::GroupNonUniformBallot),
        _ => return None,
    })
}

/// The row of an output; `None` if SPIR-V has no such output.
fn output(builtin: BuiltIn, stage: Option<Stage>) -> Option<Row> {
    Some(match builtin {
        BuiltIn::Position => row(B::Position),
        BuiltIn::PointSize if is_tessellation(stage) => with(B::PointSize, C::TessellationPointSize),
        BuiltIn::PointSize if stage == Some(Stage::Geometry) => with(B::PointSize, C::GeometryPointSize),
        BuiltIn::PointSize => row(B::PointSize),
        BuiltIn::PrimitiveId if stage == Some(Stage::Geometry) => row(B::PrimitiveId),
        BuiltIn::Layer if stage == Some(Stage::Geometry) => row(B::Layer),
        BuiltIn::Layer => extended(B::Layer, C::ShaderViewportIndexLayerEXT, LAYER),
        BuiltIn::ViewportIndex if stage == Some(Stage::Geometry) => with(B::ViewportIndex, C::MultiViewport),
        BuiltIn::ViewportIndex => extended(B::ViewportIndex, C::ShaderViewportIndexLayerEXT, LAYER),
        BuiltIn::PrimitiveShadingRate => extended(B::PrimitiveShadingRateKHR, C::FragmentShadingRateKHR, SHADING_RATE),
        BuiltIn::TessLevelOuter => row(B::TessLevelOuter),
        BuiltIn::TessLevelInner => row(B::TessLevelInner),
        BuiltIn::ClipDistance => with(B::ClipDistance, C::ClipDistance),
        BuiltIn::CullDistance => with(B::CullDistance, C::CullDistance),
        BuiltIn::FragDepth => row(B::FragDepth),
        BuiltIn::FragStencilRef => extended(B::FragStencilRefEXT, C::StencilExportEXT, "SPV_EXT_shader_stencil_export"),
        BuiltIn::SampleMask => row(B::SampleMask),
        _ => return None,
    })
}

/// The row of an input before 1.3, whose subgroups are those of an extension: they have no numbers.
fn before_subgroups(builtin: BuiltIn, row: Row) -> Option<Row> {
    Some(match builtin {
        BuiltIn::NumSubgroups | BuiltIn::SubgroupId => return None,
        BuiltIn::SubgroupSize
        | BuiltIn::SubgroupInvocationId
        | BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => extended(row.builtin, C::SubgroupBallotKHR, "SPV_KHR_shader_ballot"),
        _ => row,
    })
}

fn is_tessellation(stage: Option<Stage>) -> bool {
    matches!(stage, Some(Stage::TessellationControl | Stage::TessellationEvaluation))
}

impl Context<'_> {
    fn row(&self, builtin: BuiltIn, is_input: bool) -> Option<Row> {
        if !is_input {
            return output(builtin, self.plan.stage);
        }
        let row = input(builtin, self.plan.stage)?;
        if self.since(Version::V1_3) { Some(row) } else { before_subgroups(builtin, row) }
    }

    /// The built-in of SPIR-V of a member of `gl_in` or `gl_out`, which needs its capability only if it is used.
    pub(crate) fn unused_builtin(&self, builtin: BuiltIn, is_input: bool) -> Option<B> {
        self.row(builtin, is_input).map(|row| row.builtin)
    }

    /// The built-in of SPIR-V; notes the capabilities that it needs.
    pub(crate) fn builtin(&mut self, builtin: BuiltIn, is_input: bool) -> Option<B> {
        let row = self.row(builtin, is_input)?;
        row.capability.into_iter().for_each(|c| self.out.need(c));
        if let Some((name, until)) = row.extension
            && !until.is_some_and(|version| self.since(version))
        {
            self.out.need_extension(name);
        }
        Some(row.builtin)
    }
}

impl FunctionWriter<'_, '_> {
    /// Whether an index is the number of the invocation of a tessellation control shader, which is below the number of vertices that it gives.
    /// Only so may outputs be written.
    pub(crate) fn is_own_vertex(&self, value: Value, len: u32) -> bool {
        let module = self.cx.module;
        let is_loaded = |node| {
            let is_load = self.body.node(node).op == Op::Load;
            let var = self.body.args(node).first().filter(|_| is_load).and_then(|pointer| pointer.as_var());
            var.is_some_and(|var| module.vars[var].decorations.builtin() == Some(BuiltIn::InvocationId))
        };
        let is_control = |entry: &&EntryPoint| entry.stage == Some(Stage::TessellationControl);
        self.cx.plan.stage == Some(Stage::TessellationControl)
            && module.entry_points.iter().find(is_control).is_some_and(|entry| entry.properties.vertices == Some(len))
            && self.body.node_of(value).is_some_and(is_loaded)
    }
}
