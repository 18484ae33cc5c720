//! Built-in variables: those of SPIR-V as those of the IR, and their types there.

use planish_ir::decoration::BuiltIn;
use planish_ir::module::Stage;
use planish_ir::types::Scalar;
use spirv::BuiltIn as S;

/// The built-in of the IR; `None` if it has none.
pub(crate) fn builtin(builtin: S, is_output: bool, stage: Option<Stage>) -> Option<BuiltIn> {
    Some(match builtin {
        S::Position => BuiltIn::Position,
        S::PointSize => BuiltIn::PointSize,
        S::ClipDistance => BuiltIn::ClipDistance,
        S::CullDistance => BuiltIn::CullDistance,
        S::VertexId => BuiltIn::VertexId,
        S::InstanceId => BuiltIn::InstanceId,
        S::VertexIndex => BuiltIn::VertexIndex,
        S::InstanceIndex => BuiltIn::InstanceIndex,
        S::BaseVertex => BuiltIn::BaseVertex,
        S::BaseInstance => BuiltIn::BaseInstance,
        S::DrawIndex => BuiltIn::DrawId,
        S::ViewIndex => BuiltIn::ViewId,
        S::FragCoord => BuiltIn::FragCoord,
        S::FrontFacing => BuiltIn::FrontFacing,
        S::PointCoord => BuiltIn::PointCoord,
        S::FragDepth => BuiltIn::FragDepth,
        S::FragStencilRefEXT => BuiltIn::FragStencilRef,
        S::BaryCoordKHR => BuiltIn::BaryCoord,
        S::BaryCoordNoPerspKHR => BuiltIn::BaryCoordNoPerspective,
        S::FullyCoveredEXT => BuiltIn::FullyCovered,
        S::FragSizeEXT => BuiltIn::FragSize,
        S::FragInvocationCountEXT => BuiltIn::FragInvocationCount,
        S::ShadingRateKHR => BuiltIn::ShadingRate,
        S::PrimitiveShadingRateKHR => BuiltIn::PrimitiveShadingRate,
        S::DeviceIndex => BuiltIn::DeviceIndex,
        S::SampleId => BuiltIn::SampleId,
        S::SamplePosition => BuiltIn::SamplePosition,
        S::SampleMask if is_output => BuiltIn::SampleMask,
        S::SampleMask => BuiltIn::SampleMaskIn,
        S::HelperInvocation => BuiltIn::HelperInvocation,
        S::Layer => BuiltIn::Layer,
        S::ViewportIndex => BuiltIn::ViewportIndex,
        S::PrimitiveId if !is_output && stage == Some(Stage::Geometry) => BuiltIn::PrimitiveIdIn,
        S::PrimitiveId => BuiltIn::PrimitiveId,
        S::InvocationId => BuiltIn::InvocationId,
        S::PatchVertices => BuiltIn::PatchVerticesIn,
        S::TessLevelOuter => BuiltIn::TessLevelOuter,
        S::TessLevelInner => BuiltIn::TessLevelInner,
        S::TessCoord => BuiltIn::TessCoord,
        S::NumWorkgroups => BuiltIn::NumWorkGroups,
        S::WorkgroupSize => BuiltIn::WorkGroupSize,
        S::WorkgroupId => BuiltIn::WorkGroupId,
        S::LocalInvocationId => BuiltIn::LocalInvocationId,
        S::GlobalInvocationId => BuiltIn::GlobalInvocationId,
        S::LocalInvocationIndex => BuiltIn::LocalInvocationIndex,
        S::NumSubgroups => BuiltIn::NumSubgroups,
        S::SubgroupId => BuiltIn::SubgroupId,
        S::SubgroupSize => BuiltIn::SubgroupSize,
        S::SubgroupLocalInvocationId => BuiltIn::SubgroupInvocationId,
        S::SubgroupEqMask => BuiltIn::SubgroupEqMask,
        S::SubgroupGeMask => BuiltIn::SubgroupGeMask,
        S::SubgroupGtMask => BuiltIn::SubgroupGtMask,
        S::SubgroupLeMask => BuiltIn::SubgroupLeMask,
        S::SubgroupLtMask => BuiltIn::SubgroupLtMask,
        _ => return None,
    })
}

/// The integer that the components of the built-in are in the IR; `None` if they are something else. Binaries may have either sign.
pub(crate) fn integer(builtin: BuiltIn) -> Option<Scalar> {
    use BuiltIn as B;
    match builtin {
        B::VertexId
        | B::InstanceId
        | B::VertexIndex
        | B::InstanceIndex
        | B::BaseVertex
        | B::BaseInstance
        | B::DrawId
        | B::DeviceIndex
        | B::FragStencilRef
        | B::FragSize
        | B::FragInvocationCount
        | B::ShadingRate
        | B::PrimitiveShadingRate
        | B::SampleId
        | B::SampleMask
        | B::SampleMaskIn
        | B::Layer
        | B::ViewportIndex
        | B::PrimitiveId
        | B::PrimitiveIdIn
        | B::InvocationId
        | B::PatchVerticesIn => Some(Scalar::I32),
        B::ViewId
        | B::NumWorkGroups
        | B::WorkGroupSize
        | B::WorkGroupId
        | B::LocalInvocationId
        | B::GlobalInvocationId
        | B::LocalInvocationIndex
        | B::NumSubgroups
        | B::SubgroupId
        | B::SubgroupSize
        | B::SubgroupInvocationId
        | B::SubgroupEqMask
        | B::SubgroupGeMask
        | B::SubgroupGtMask
        | B::SubgroupLeMask
        | B::SubgroupLtMask => Some(Scalar::U32),
        _ => None,
    }
}
