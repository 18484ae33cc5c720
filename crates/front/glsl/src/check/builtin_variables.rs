//! The built-in variables of each version and stage, as a table. Facts from chapter 7 of the specifications (GLSL ES
//! 1.00.17, 3.20.8; GLSL 1.20.8, 4.60.8) and the extensions named.

use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Name as IrName, NameSource, Precision};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Member, StructType, TypeKind};

use super::builtin_constants;
use super::device_variables;
use super::names::{Access, Entity};
use super::{Checked, Checker};
use crate::builtins;
use crate::symbol::Symbol;
use crate::version::{Profile, Version};

/// The type of a row.
#[derive(Clone, Copy)]
enum Of {
    One(Type),
    /// An array of this length; a redeclaration may change it.
    Many(Type, u32),
    Struct(&'static Structure),
    Structs(&'static Structure, u32),
    /// An array with a block for each vertex.
    Vertices,
}
use Of::{Many, One, Struct, Structs, Vertices};

/// A built-in struct: its name and the types and names of its members.
struct Structure {
    name: &'static str,
    members: &'static [(Type, &'static [&'static str])],
}

static DEPTH_RANGE: Structure =
    Structure { name: "gl_DepthRangeParameters", members: &[(Type::F32, &["near", "far", "diff"])] };

// The state of the fixed-function pipeline (GLSL 1.20.8, section 7.5).

static POINT: Structure = Structure {
    name: "gl_PointParameters",
    members: &[(
        Type::F32,
        &[
            "size",
            "sizeMin",
            "sizeMax",
            "fadeThresholdSize",
            "distanceConstantAttenuation",
            "distanceLinearAttenuation",
            "distanceQuadraticAttenuation",
        ],
    )],
};
static MATERIAL: Structure = Structure {
    name: "gl_MaterialParameters",
    members: &[(Type::VEC4, &["emission", "ambient", "diffuse", "specular"]), (Type::F32, &["shininess"])],
};
static LIGHT_SOURCE: Structure = Structure {
    name: "gl_LightSourceParameters",
    members: &[
        (Type::VEC4, &["ambient", "diffuse", "specular", "position", "halfVector"]),
        (Type::VEC3, &["spotDirection"]),
        (
            Type::F32,
            &[
                "spotExponent",
                "spotCutoff",
                "spotCosCutoff",
                "constantAttenuation",
                "linearAttenuation",
                "quadraticAttenuation",
            ],
        ),
    ],
};
static LIGHT_MODEL: Structure = Structure { name: "gl_LightModelParameters", members: &[(Type::VEC4, &["ambient"])] };
static LIGHT_MODEL_PRODUCT: Structure =
    Structure { name: "gl_LightModelProducts", members: &[(Type::VEC4, &["sceneColor"])] };
static LIGHT_PRODUCT: Structure =
    Structure { name: "gl_LightProducts", members: &[(Type::VEC4, &["ambient", "diffuse", "specular"])] };
static FOG: Structure = Structure {
    name: "gl_FogParameters",
    members: &[(Type::VEC4, &["color"]), (Type::F32, &["density", "start", "end", "scale"])],
};

/// The stages of a row, as bits.
const V: u8 = 1;
const F: u8 = 2;
const C: u8 = 4;
const G: u8 = 8;
/// Tessellation: control and evaluation.
const T: u8 = 16;
const E: u8 = 32;
const ALL: u8 = 63;

const GEOMETRY: &[&str; 2] = &["GL_EXT_geometry_shader", "GL_OES_geometry_shader"];
const TESSELLATION: &[&str; 3] =
    &["GL_ARB_tessellation_shader", "GL_EXT_tessellation_shader", "GL_OES_tessellation_shader"];

/// Access to a row from the stage.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StageAccess {
    In,
    Out,
    Uniform,
}
use StageAccess::{In, Out, Uniform};

/// A row: name, type, stages, access, first and last ES version, first and last desktop version, extensions that also
/// make it available, precision in ES, meaning.
struct Row {
    name: &'static str,
    ty: Of,
    stages: u8,
    access: StageAccess,
    es: (u16, u16),
    desktop: (u16, u16),
    extensions: &'static [&'static str],
    precision: Precision,
    meaning: Option<BuiltIn>,
}

const NONE: (u16, u16) = (0, 0);
/// From this version on.
const fn since(version: u16) -> (u16, u16) {
    (version, u16::MAX)
}

macro_rules! rows {
    ($($name:ident $ty:expr, $stages:expr, $access:ident, $es:expr, $desktop:expr, $precision:ident, $ext:expr, $meaning:expr;)*) => {
        &[$(Row {
            name: stringify!($name),
            ty: $ty,
            stages: $stages,
            access: $access,
            es: $es,
            desktop: $desktop,
            extensions: &$ext,
            precision: Precision::$precision,
            meaning: $meaning,
        }),*]
    };
}

/// Desktop versions whose core profile still has the features deprecated in 1.30; compatibility profiles always have
/// them.
const OLD: (u16, u16) = (110, 410);
/// Only in versions before 1.40 and in compatibility profiles.
const FIXED: (u16, u16) = (110, 130);

const FETCH: &[&str; 2] = &["GL_EXT_shader_framebuffer_fetch", "GL_NV_shader_framebuffer_fetch"];

// A row a line: tables are read by columns.
#[rustfmt::skip]
static ROWS: &[Row] = rows! {
    gl_Position One(Type::VEC4), V | G | E, Out, since(100), since(110), High, [], Some(BuiltIn::Position);
    gl_PointSize One(Type::F32), V | G | E, Out, since(100), since(110), High, [], Some(BuiltIn::PointSize);
    gl_FragCoord One(Type::VEC4), F, In, since(100), since(110), High, [], Some(BuiltIn::FragCoord);
    gl_FrontFacing One(Type::BOOL), F, In, since(100), since(110), None, [], Some(BuiltIn::FrontFacing);
    gl_PointCoord One(Type::VEC2), F, In, since(100), since(120), Medium, [], Some(BuiltIn::PointCoord);
    gl_FragColor One(Type::VEC4), F, Out, (100, 100), OLD, Medium, [], Some(BuiltIn::FragColor);
    gl_FragData Many(Type::VEC4, builtin_constants::MAX_DRAW_BUFFERS), F, Out, (100, 100), OLD, Medium, [], Some(BuiltIn::FragData);
    gl_FragDepth One(Type::F32), F, Out, since(300), since(110), High, [], Some(BuiltIn::FragDepth);
    gl_FragDepthEXT One(Type::F32), F, Out, NONE, NONE, High, ["GL_EXT_frag_depth"], Some(BuiltIn::FragDepth);
    gl_SecondaryFragColorEXT One(Type::VEC4), F, Out, NONE, NONE, Medium, ["GL_EXT_blend_func_extended"], Some(BuiltIn::SecondaryFragColor);
    gl_SecondaryFragDataEXT Many(Type::VEC4, 1), F, Out, NONE, NONE, Medium, ["GL_EXT_blend_func_extended"], Some(BuiltIn::SecondaryFragData);
    gl_LastFragData Many(Type::VEC4, builtin_constants::MAX_DRAW_BUFFERS), F, In, NONE, NONE, Medium, *FETCH, Some(BuiltIn::LastFragData);
    gl_LastFragColorARM One(Type::VEC4), F, In, NONE, NONE, Medium, ["GL_ARM_shader_framebuffer_fetch"], Some(BuiltIn::LastFragColor);
    gl_VertexID One(Type::I32), V, In, since(300), since(130), High, ["GL_EXT_gpu_shader4"], Some(BuiltIn::VertexId);
    gl_InstanceID One(Type::I32), V, In, since(300), since(140), High, ["GL_EXT_gpu_shader4", "GL_EXT_draw_instanced", "GL_ARB_draw_instanced"], Some(BuiltIn::InstanceId);
    gl_VertexIndex One(Type::I32), V, In, since(310), since(140), High, [], Some(BuiltIn::VertexIndex);
    gl_InstanceIndex One(Type::I32), V, In, since(310), since(140), High, [], Some(BuiltIn::InstanceIndex);
    gl_BaseVertex One(Type::I32), V, In, NONE, since(460), High, ["GL_ANGLE_base_vertex_base_instance_shader_builtin"], Some(BuiltIn::BaseVertex);
    gl_BaseInstance One(Type::I32), V, In, NONE, since(460), High, ["GL_ANGLE_base_vertex_base_instance_shader_builtin"], Some(BuiltIn::BaseInstance);
    gl_BaseVertexARB One(Type::I32), V, In, NONE, NONE, High, ["GL_ARB_shader_draw_parameters"], Some(BuiltIn::BaseVertex);
    gl_BaseInstanceARB One(Type::I32), V, In, NONE, NONE, High, ["GL_ARB_shader_draw_parameters"], Some(BuiltIn::BaseInstance);
    gl_DrawID One(Type::I32), V, In, NONE, since(460), High, ["GL_ANGLE_multi_draw"], Some(BuiltIn::DrawId);
    gl_DrawIDARB One(Type::I32), V, In, NONE, NONE, High, ["GL_ARB_shader_draw_parameters"], Some(BuiltIn::DrawId);
    gl_ViewID_OVR One(Type::U32), V | F, In, NONE, NONE, High, ["GL_OVR_multiview", "GL_OVR_multiview2"], Some(BuiltIn::ViewId);
    gl_DepthRange Struct(&DEPTH_RANGE), V | F | G | T | E, Uniform, since(100), since(110), High, [], Some(BuiltIn::DepthRange);
    gl_SampleID One(Type::I32), F, In, since(320), since(400), Low, ["GL_OES_sample_variables", "GL_ARB_sample_shading"], Some(BuiltIn::SampleId);
    gl_SamplePosition One(Type::VEC2), F, In, since(320), since(400), Medium, ["GL_OES_sample_variables", "GL_ARB_sample_shading"], Some(BuiltIn::SamplePosition);
    gl_SampleMaskIn Many(Type::I32, 1), F, In, since(320), since(400), High, ["GL_OES_sample_variables"], Some(BuiltIn::SampleMaskIn);
    gl_SampleMask Many(Type::I32, 1), F, Out, since(320), since(400), High, ["GL_OES_sample_variables", "GL_ARB_sample_shading"], Some(BuiltIn::SampleMask);
    gl_NumSamples One(Type::I32), F, Uniform, since(320), since(400), Low, ["GL_OES_sample_variables"], Some(BuiltIn::NumSamples);
    gl_HelperInvocation One(Type::BOOL), F, In, since(310), since(450), None, [], Some(BuiltIn::HelperInvocation);
    gl_FragStencilRefARB One(Type::I32), F, Out, NONE, NONE, High, ["GL_ARB_shader_stencil_export"], Some(BuiltIn::FragStencilRef);
    gl_BaryCoordEXT One(Type::VEC3), F, In, NONE, NONE, High, ["GL_EXT_fragment_shader_barycentric"], Some(BuiltIn::BaryCoord);
    gl_BaryCoordNoPerspEXT One(Type::VEC3), F, In, NONE, NONE, High, ["GL_EXT_fragment_shader_barycentric"], Some(BuiltIn::BaryCoordNoPerspective);
    gl_FragFullyCoveredNV One(Type::BOOL), F, In, NONE, NONE, None, ["GL_NV_conservative_raster_underestimation"], Some(BuiltIn::FullyCovered);
    gl_FragSizeEXT One(Type::IVEC2), F, In, NONE, NONE, High, ["GL_EXT_fragment_invocation_density"], Some(BuiltIn::FragSize);
    gl_FragInvocationCountEXT One(Type::I32), F, In, NONE, NONE, High, ["GL_EXT_fragment_invocation_density"], Some(BuiltIn::FragInvocationCount);
    gl_ShadingRateEXT One(Type::I32), F, In, NONE, NONE, High, ["GL_EXT_fragment_shading_rate"], Some(BuiltIn::ShadingRate);
    gl_PrimitiveShadingRateEXT One(Type::I32), V, Out, NONE, NONE, High, ["GL_EXT_fragment_shading_rate"], Some(BuiltIn::PrimitiveShadingRate);
    gl_DeviceIndex One(Type::I32), ALL, In, NONE, NONE, High, ["GL_EXT_device_group"], Some(BuiltIn::DeviceIndex);
    gl_ClipDistance Many(Type::F32, 8), V | G | E, Out, NONE, since(130), High, ["GL_EXT_clip_cull_distance", "GL_ANGLE_clip_cull_distance", "GL_APPLE_clip_distance"], Some(BuiltIn::ClipDistance);
    gl_ClipDistance Many(Type::F32, 8), F, In, NONE, since(130), High, ["GL_EXT_clip_cull_distance", "GL_ANGLE_clip_cull_distance"], Some(BuiltIn::ClipDistance);
    gl_CullDistance Many(Type::F32, 8), V | G | E, Out, NONE, since(450), High, ["GL_EXT_clip_cull_distance", "GL_ANGLE_clip_cull_distance", "GL_ARB_cull_distance"], Some(BuiltIn::CullDistance);
    gl_CullDistance Many(Type::F32, 8), F, In, NONE, since(450), High, ["GL_EXT_clip_cull_distance", "GL_ANGLE_clip_cull_distance", "GL_ARB_cull_distance"], Some(BuiltIn::CullDistance);
    gl_Layer One(Type::I32), F, In, since(320), since(430), High, ["GL_EXT_geometry_shader", "GL_OES_geometry_shader"], Some(BuiltIn::Layer);
    gl_Layer One(Type::I32), V | E, Out, NONE, NONE, High, ["GL_ARB_shader_viewport_layer_array"], Some(BuiltIn::Layer);
    gl_ViewportIndex One(Type::I32), V | E, Out, NONE, NONE, High, ["GL_ARB_shader_viewport_layer_array"], Some(BuiltIn::ViewportIndex);
    gl_ViewportIndex One(Type::I32), F, In, NONE, since(430), High, [], Some(BuiltIn::ViewportIndex);
    gl_PrimitiveID One(Type::I32), F, In, since(320), since(150), High, ["GL_EXT_geometry_shader", "GL_OES_geometry_shader"], Some(BuiltIn::PrimitiveId);
    gl_in Vertices, G, In, since(320), since(150), None, *GEOMETRY, Some(BuiltIn::PerVertexIn);
    gl_in Vertices, T | E, In, since(320), since(400), None, *TESSELLATION, Some(BuiltIn::PerVertexIn);
    gl_out Vertices, T, Out, since(320), since(400), None, *TESSELLATION, Some(BuiltIn::PerVertexOut);
    gl_InvocationID One(Type::I32), G, In, since(320), since(400), High, *GEOMETRY, Some(BuiltIn::InvocationId);
    gl_InvocationID One(Type::I32), T, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::InvocationId);
    gl_PrimitiveIDIn One(Type::I32), G, In, since(320), since(150), High, *GEOMETRY, Some(BuiltIn::PrimitiveIdIn);
    gl_PrimitiveID One(Type::I32), G, Out, since(320), since(150), High, *GEOMETRY, Some(BuiltIn::PrimitiveId);
    gl_PrimitiveID One(Type::I32), T | E, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::PrimitiveId);
    gl_Layer One(Type::I32), G, Out, since(320), since(150), High, *GEOMETRY, Some(BuiltIn::Layer);
    gl_ViewportIndex One(Type::I32), G, Out, NONE, since(410), High, ["GL_ARB_viewport_array"], Some(BuiltIn::ViewportIndex);
    gl_PatchVerticesIn One(Type::I32), T | E, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::PatchVerticesIn);
    gl_TessLevelOuter Many(Type::F32, 4), T, Out, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::TessLevelOuter);
    gl_TessLevelInner Many(Type::F32, 2), T, Out, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::TessLevelInner);
    gl_TessLevelOuter Many(Type::F32, 4), E, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::TessLevelOuter);
    gl_TessLevelInner Many(Type::F32, 2), E, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::TessLevelInner);
    gl_TessCoord One(Type::VEC3), E, In, since(320), since(400), High, *TESSELLATION, Some(BuiltIn::TessCoord);
    gl_NumWorkGroups One(Type::UVEC3), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::NumWorkGroups);
    gl_WorkGroupID One(Type::UVEC3), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::WorkGroupId);
    gl_LocalInvocationID One(Type::UVEC3), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::LocalInvocationId);
    gl_GlobalInvocationID One(Type::UVEC3), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::GlobalInvocationId);
    gl_LocalInvocationIndex One(Type::U32), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::LocalInvocationIndex);
    gl_NumSubgroups One(Type::U32), C, In, NONE, NONE, High, *builtins::SUBGROUP_BASIC, Some(BuiltIn::NumSubgroups);
    gl_SubgroupID One(Type::U32), C, In, NONE, NONE, High, *builtins::SUBGROUP_BASIC, Some(BuiltIn::SubgroupId);
    gl_SubgroupSize One(Type::U32), ALL, In, NONE, NONE, High, *builtins::SUBGROUP_BASIC, Some(BuiltIn::SubgroupSize);
    gl_SubgroupInvocationID One(Type::U32), ALL, In, NONE, NONE, High, *builtins::SUBGROUP_BASIC, Some(BuiltIn::SubgroupInvocationId);
    gl_SubgroupEqMask One(Type::UVEC4), ALL, In, NONE, NONE, High, ["GL_KHR_shader_subgroup_ballot"], Some(BuiltIn::SubgroupEqMask);
    gl_SubgroupGeMask One(Type::UVEC4), ALL, In, NONE, NONE, High, ["GL_KHR_shader_subgroup_ballot"], Some(BuiltIn::SubgroupGeMask);
    gl_SubgroupGtMask One(Type::UVEC4), ALL, In, NONE, NONE, High, ["GL_KHR_shader_subgroup_ballot"], Some(BuiltIn::SubgroupGtMask);
    gl_SubgroupLeMask One(Type::UVEC4), ALL, In, NONE, NONE, High, ["GL_KHR_shader_subgroup_ballot"], Some(BuiltIn::SubgroupLeMask);
    gl_SubgroupLtMask One(Type::UVEC4), ALL, In, NONE, NONE, High, ["GL_KHR_shader_subgroup_ballot"], Some(BuiltIn::SubgroupLtMask);
    // The fixed-function pipeline of early desktop versions.
    gl_Vertex One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_Normal One(Type::VEC3), V, In, NONE, FIXED, None, [], None;
    gl_Color One(Type::VEC4), V | F, In, NONE, FIXED, None, [], None;
    gl_SecondaryColor One(Type::VEC4), V | F, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord0 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord1 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord2 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord3 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord4 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord5 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord6 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_MultiTexCoord7 One(Type::VEC4), V, In, NONE, FIXED, None, [], None;
    gl_FogCoord One(Type::F32), V, In, NONE, FIXED, None, [], None;
    gl_ClipVertex One(Type::VEC4), V, Out, NONE, FIXED, None, [], None;
    gl_FrontColor One(Type::VEC4), V, Out, NONE, FIXED, None, [], None;
    gl_BackColor One(Type::VEC4), V, Out, NONE, FIXED, None, [], None;
    gl_FrontSecondaryColor One(Type::VEC4), V, Out, NONE, FIXED, None, [], None;
    gl_BackSecondaryColor One(Type::VEC4), V, Out, NONE, FIXED, None, [], None;
    gl_TexCoord Many(Type::VEC4, 8), V, Out, NONE, FIXED, None, [], None;
    gl_TexCoord Many(Type::VEC4, 8), F, In, NONE, FIXED, None, [], None;
    gl_FogFragCoord One(Type::F32), V, Out, NONE, FIXED, None, [], None;
    gl_FogFragCoord One(Type::F32), F, In, NONE, FIXED, None, [], None;
    gl_ModelViewMatrix One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ProjectionMatrix One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewProjectionMatrix One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_TextureMatrix Many(Type::MAT4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_NormalMatrix One(Type::MAT3), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_NormalScale One(Type::F32), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewMatrixInverse One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ProjectionMatrixInverse One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewProjectionMatrixInverse One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewMatrixTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ProjectionMatrixTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewProjectionMatrixTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewMatrixInverseTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ProjectionMatrixInverseTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ModelViewProjectionMatrixInverseTranspose One(Type::MAT4), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_TextureMatrixInverse Many(Type::MAT4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_TextureMatrixTranspose Many(Type::MAT4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_TextureMatrixInverseTranspose Many(Type::MAT4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ClipPlane Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_TextureEnvColor Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_EyePlaneS Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_EyePlaneT Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_EyePlaneR Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_EyePlaneQ Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ObjectPlaneS Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ObjectPlaneT Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ObjectPlaneR Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_ObjectPlaneQ Many(Type::VEC4, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_Point Struct(&POINT), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_FrontMaterial Struct(&MATERIAL), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_BackMaterial Struct(&MATERIAL), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_LightSource Structs(&LIGHT_SOURCE, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_LightModel Struct(&LIGHT_MODEL), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_FrontLightModelProduct Struct(&LIGHT_MODEL_PRODUCT), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_BackLightModelProduct Struct(&LIGHT_MODEL_PRODUCT), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_FrontLightProduct Structs(&LIGHT_PRODUCT, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_BackLightProduct Structs(&LIGHT_PRODUCT, 8), V | F, Uniform, NONE, FIXED, None, [], None;
    gl_Fog Struct(&FOG), V | F, Uniform, NONE, FIXED, None, [], None;
};

impl Row {
    fn in_stage(&self, stage: Stage) -> bool {
        let bit = match stage {
            Stage::Vertex => V,
            Stage::Fragment => F,
            Stage::Compute => C,
            Stage::Geometry => G,
            Stage::TessellationControl => T,
            Stage::TessellationEvaluation => E,
            // Stages that only SPIR-V has.
            _ => 0,
        };
        self.stages & bit != 0
    }

    fn in_version(&self, version: Version) -> bool {
        let (first, last) = if version.is_es() { self.es } else { self.desktop };
        let kept = last != u16::MAX && version.profile == Profile::Compatibility;
        first != 0 && first <= version.number && (version.number <= last || kept)
    }

    fn is_here(&self, checker: &Checker<'_, '_>) -> bool {
        self.in_stage(checker.stage())
            && (self.in_version(checker.version) || self.extensions.iter().any(|e| checker.has_extension(e)))
    }

    fn access(&self) -> Access {
        match self.access {
            In => Access::BuiltIn,
            Out => Access::ReadWrite,
            Uniform => Access::Uniform,
        }
    }
}

/// Arrays whose length a declaration gives, or the constant indices of the program.
const OPEN: [&str; 3] = ["gl_ClipDistance", "gl_CullDistance", "gl_TexCoord"];

/// The names that a version and stage have, for suggestions.
pub(super) fn names(version: Version, stage: Stage) -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(move |r| r.in_stage(stage) && r.in_version(version)).map(|r| r.name)
}

/// The names that any version and stage has.
pub(super) fn names_of_any_stage() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name)
}

/// `gl_WorkGroupSize` if it depends on specialization constants; otherwise it is a constant.
static WORK_GROUP_SIZE: &[Row] = rows! {
    gl_WorkGroupSize One(Type::UVEC3), C, In, since(310), since(430), High, ["GL_ARB_compute_shader"], Some(BuiltIn::WorkGroupSize);
};

/// The reason why a built-in variable or constant is unavailable, if it exists in any version.
pub(super) fn needs(name: &str, version: Version, stage: Stage) -> Option<String> {
    let rows = || ROWS.iter().filter(|r| r.name == name);
    let Some(row) = rows().find(|r| r.in_stage(stage)) else {
        let stages = rows().fold(0, |stages, row| stages | row.stages);
        let words = [
            (V, "vertex"),
            (T, "tessellation control"),
            (E, "tessellation evaluation"),
            (G, "geometry"),
            (F, "fragment"),
            (C, "compute"),
        ];
        let words: Vec<&str> = words.iter().filter(|(bit, _)| stages & bit != 0).map(|(_, word)| *word).collect();
        let (last, first) = words.split_last()?;
        let list = if first.is_empty() { (*last).to_owned() } else { format!("{} and {last}", first.join(", ")) };
        return Some(format!("`{name}` is only in {list} shaders"));
    };
    let (es, desktop) = (row.es, row.desktop);
    let (first, last, family) = if version.is_es() { (es.0, es.1, "GLSL ES") } else { (desktop.0, desktop.1, "GLSL") };
    let number = |v: u16| format!("{family} {}.{:02}", v / 100, v % 100);
    if first != 0 && version.number < first {
        return Some(format!("`{name}` needs {}", number(first)));
    }
    if first != 0 && version.number > last {
        let instead =
            if name == "gl_FragColor" || name == "gl_FragData" { ": declare an output, `out vec4 color;`" } else { "" };
        return Some(format!("{} was the last version with `{name}`{instead}", number(last)));
    }
    row.extensions.first().map(|e| format!("`{name}` needs the extension `{e}`"))
}

/// The built-in variable or constant of a name, if it is available; created at its first use.
pub(super) fn resolve(checker: &mut Checker<'_, '_>, symbol: Symbol, span: Span) -> Option<Checked<Entity>> {
    let name = checker.text(symbol);
    if !name.starts_with("gl_") {
        return checker.shadertoy_uniform(name, span).map(Ok);
    }
    if name == "gl_WorkGroupSize" && checker.stage().has_work_groups() {
        return Some(work_group_size(checker, span));
    }
    if let Some(entity) = device_variables::resolve(checker, name, span) {
        return Some(entity);
    }
    if let Some(value) = builtin_constants::find(name, version_for(checker, name), checker.settings.webgl) {
        let value = checker.b.i32(value);
        return Some(Ok(Entity::Value { value, ty: Type::I32 }));
    }
    if let Some(ty) = structure(checker, name) {
        return Some(Ok(Entity::Struct(ty)));
    }
    let row = ROWS.iter().find(|r| r.name == name && r.is_here(checker))?;
    Some(make(checker, row, span))
}

/// The version whose limits the program has: extensions bring those of their stages.
fn version_for(checker: &Checker<'_, '_>, name: &str) -> Version {
    let of_tessellation = name.starts_with("gl_MaxTess") || name == "gl_MaxPatchVertices";
    let extensions: &[&str] = match name {
        _ if of_tessellation => TESSELLATION,
        _ if name.starts_with("gl_MaxGeometry") => GEOMETRY,
        _ => return checker.version,
    };
    let mut version = checker.version;
    if extensions.iter().any(|extension| checker.has_extension(extension)) {
        version.number = version.number.max(if version.is_es() { 320 } else { 400 });
    }
    version
}

/// An available built-in variable, whether or not the source uses it.
pub(super) fn by_name(checker: &mut Checker<'_, '_>, name: &str) -> Option<Entity> {
    let existing =
        checker.b.module.vars.iter().find(|(_, v)| v.name.source == NameSource::BuiltIn && &*v.name.text == name);
    if let Some((var, data)) = existing {
        return Some(Entity::Variable { address: var.into(), ty: data.ty, access: Access::BuiltIn });
    }
    let row = ROWS.iter().find(|r| r.name == name && r.is_here(checker))?;
    let entity = make(checker, row, Span::NONE).ok()?;
    if let Some(symbol) = checker.program.interner.get(name) {
        checker.builtins.insert(symbol, entity);
    }
    Some(entity)
}

fn make(checker: &mut Checker<'_, '_>, row: &Row, span: Span) -> Checked<Entity> {
    let ty = match row.ty {
        One(ty) => ty,
        Many(element, len) => {
            let len = if OPEN.contains(&row.name) { checker.indexed_elements(row.name, len) } else { len };
            checker.b.module.types.array(element, len)
        }
        Struct(structure) => structure_type(checker, structure),
        Structs(structure, len) => {
            let element = structure_type(checker, structure);
            checker.b.module.types.array(element, len)
        }
        Vertices => checker.vertices_type(row.access == In, span)?,
    };
    let space = match row.access {
        In => AddressSpace::Input,
        Out => AddressSpace::Output,
        Uniform => AddressSpace::Uniform,
    };
    let var = checker.b.module.add_var(IrName::new(row.name, NameSource::BuiltIn), ty, space);
    if OPEN.contains(&row.name) {
        checker.program_facts.open_arrays.insert(var);
    }
    let data = &mut checker.b.module.vars[var];
    data.span = span;
    if checker.version.is_es() {
        data.precision = precision(row, checker.version);
    }
    if checker.invariant_all && row.access == Out && checker.settings.stage == Stage::Vertex {
        data.decorations.add(Decoration::Invariant);
    }
    if let Some(meaning) = row.meaning {
        data.decorations.add(Decoration::BuiltIn(meaning));
        checker.note_builtin_use(meaning, span);
    }
    Ok(Entity::Variable { address: var.into(), ty, access: row.access() })
}

/// Precision of a row: `mediump` in ES 1.00 if it is `highp` in later versions.
fn precision(row: &Row, version: Version) -> Precision {
    let lower = ["gl_FragCoord", "gl_PointSize"];
    if version.is_es_100() && lower.contains(&row.name) { Precision::Medium } else { row.precision }
}

fn structure_type(checker: &mut Checker<'_, '_>, structure: &Structure) -> Type {
    let precision = if checker.version.is_es() { Precision::High } else { Precision::None };
    let member = |ty: Type, name: &str| Member { name: name.into(), ty, precision, decorations: Decorations::new() };
    let members = structure.members.iter().flat_map(|&(ty, names)| names.iter().map(move |name| member(ty, name)));
    let data = StructType { name: structure.name.into(), members: members.collect(), is_block: false };
    checker.b.module.types.intern(TypeKind::Struct(data.into()))
}

/// The built-in struct of a name, if a variable of its type is available.
pub(super) fn structure(checker: &mut Checker<'_, '_>, name: &str) -> Option<Type> {
    let found = ROWS.iter().filter(|row| row.is_here(checker)).find_map(|row| match row.ty {
        Struct(structure) | Structs(structure, _) if structure.name == name => Some(structure),
        _ => None,
    });
    found.map(|structure| structure_type(checker, structure))
}

/// `gl_WorkGroupSize` is a constant after the size is declared; if the host may replace it, it is a variable.
fn work_group_size(checker: &mut Checker<'_, '_>, span: Span) -> Checked<Entity> {
    let Some(size) = checker.properties.local_size else {
        return Err(checker.error(
            Diagnostic::error(Code::E0301, span, "`gl_WorkGroupSize` is used before the size is declared")
                .help("write `layout(local_size_x = …) in;` before it"),
        ));
    };
    if checker.properties.local_size_ids.iter().any(Option::is_some) {
        return make(checker, &WORK_GROUP_SIZE[0], span);
    }
    let consts = &mut checker.b.module.consts;
    let parts = size.map(|n| consts.u32(n));
    let value = consts.composite(Type::UVEC3, parts);
    Ok(Entity::Value { value: value.into(), ty: Type::UVEC3 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_lists_of_built_ins_agree_on_names() {
        let arm = ["gl_FragDepthEXT", "gl_BaseVertexARB", "gl_BaseInstanceARB", "gl_DrawIDARB"];
        for row in ROWS {
            assert!(row.name.starts_with("gl_"));
            if let Some(meaning) = row.meaning {
                assert!(row.name == meaning.glsl_name() || arm.contains(&row.name), "{}", row.name);
            }
        }
    }
}
