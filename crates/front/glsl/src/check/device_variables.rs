//! Built-in variables and constants of ray tracing, ray queries and meshes: inputs and outputs that only SPIR-V has. (`GL_EXT_ray_tracing`,
//! `GL_EXT_ray_query`, `GL_EXT_mesh_shader`; those of subgroups, work groups and draws in these stages.)

use std::borrow::Cow;

use planish_ir::decoration::{Decoration, Decorations, Name as IrName, NameSource};
use planish_ir::entity::{Const, Type};
use planish_ir::module::Stage;
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Scalar};

use super::meshes::Output;
use super::names::{Access, Entity};
use super::operand::Operand;
use super::{Checked, Checker, scopes};
use crate::builtins::{SCOPES, SUBGROUP_BASIC, list};
use crate::device::{self, Feature};
use crate::symbol::Symbol;

/// The type of a row.
#[derive(Clone, Copy)]
enum Of {
    One(Type),
    /// `mat4x3`
    Transform,
    /// `vec3[3]`
    Triangle,
}
use Of::{One, Transform, Triangle};

/// Stages, as bits.
const R: u16 = 1;
const I: u16 = 2;
const A: u16 = 4;
const C: u16 = 8;
const M: u16 = 16;
const L: u16 = 32;
const T: u16 = 64;
const X: u16 = 128;
/// Of ray tracing.
const RAYS: u16 = R | I | A | C | M | L;
/// With an intersection.
const HIT: u16 = I | A | C;
/// With a ray.
const RAY: u16 = HIT | M;
/// Of meshes.
const MESHES: u16 = T | X;

const STAGES: &[(Stage, u16)] = &[
    (Stage::RayGeneration, R),
    (Stage::Intersection, I),
    (Stage::AnyHit, A),
    (Stage::ClosestHit, C),
    (Stage::Miss, M),
    (Stage::Callable, L),
    (Stage::Task, T),
    (Stage::Mesh, X),
];

/// An input of the stage.
struct Row {
    name: &'static str,
    ty: Of,
    stages: u16,
    /// Number of the built-in.
    number: u32,
    /// The extensions of GLSL that have it.
    extensions: &'static [&'static str],
    /// Of SPIR-V.
    needs: &'static Feature,
}

const RAY_TRACING: &[&str] = &["GL_EXT_ray_tracing", "GL_NV_ray_tracing"];
const CULL_MASK: &[&str] = &["GL_EXT_ray_cull_mask"];
const POSITION_FETCH: &[&str] = &["GL_EXT_ray_tracing_position_fetch"];
const MESH: &[&str] = &["GL_EXT_mesh_shader"];
const BALLOT: &[&str] = &["GL_KHR_shader_subgroup_ballot"];

const fn row(
    name: &'static str,
    ty: Of,
    stages: u16,
    number: u32,
    extensions: &'static [&'static str],
    needs: &'static Feature,
) -> Row {
    Row { name, ty, stages, number, extensions, needs }
}

#[rustfmt::skip]
static ROWS: &[Row] = &[
    row("gl_LaunchIDEXT", One(Type::UVEC3), RAYS, 5319, RAY_TRACING, &device::RAY_TRACING),
    row("gl_LaunchSizeEXT", One(Type::UVEC3), RAYS, 5320, RAY_TRACING, &device::RAY_TRACING),
    row("gl_PrimitiveID", One(Type::I32), HIT, 7, RAY_TRACING, &device::RAY_TRACING),
    row("gl_InstanceID", One(Type::I32), HIT, 6, RAY_TRACING, &device::RAY_TRACING),
    row("gl_InstanceCustomIndexEXT", One(Type::I32), HIT, 5327, RAY_TRACING, &device::RAY_TRACING),
    row("gl_GeometryIndexEXT", One(Type::I32), HIT, 5352, RAY_TRACING, &device::RAY_TRACING),
    row("gl_WorldRayOriginEXT", One(Type::VEC3), RAY, 5321, RAY_TRACING, &device::RAY_TRACING),
    row("gl_WorldRayDirectionEXT", One(Type::VEC3), RAY, 5322, RAY_TRACING, &device::RAY_TRACING),
    row("gl_ObjectRayOriginEXT", One(Type::VEC3), HIT, 5323, RAY_TRACING, &device::RAY_TRACING),
    row("gl_ObjectRayDirectionEXT", One(Type::VEC3), HIT, 5324, RAY_TRACING, &device::RAY_TRACING),
    row("gl_RayTminEXT", One(Type::F32), RAY, 5325, RAY_TRACING, &device::RAY_TRACING),
    row("gl_RayTmaxEXT", One(Type::F32), RAY, 5326, RAY_TRACING, &device::RAY_TRACING),
    row("gl_HitTEXT", One(Type::F32), A | C, 5326, RAY_TRACING, &device::RAY_TRACING),
    row("gl_HitKindEXT", One(Type::U32), A | C, 5333, RAY_TRACING, &device::RAY_TRACING),
    row("gl_IncomingRayFlagsEXT", One(Type::U32), RAY, 5351, RAY_TRACING, &device::RAY_TRACING),
    row("gl_ObjectToWorldEXT", Transform, HIT, 5330, RAY_TRACING, &device::RAY_TRACING),
    row("gl_WorldToObjectEXT", Transform, HIT, 5331, RAY_TRACING, &device::RAY_TRACING),
    row("gl_ObjectToWorld3x4EXT", Transform, HIT, 5330, RAY_TRACING, &device::RAY_TRACING),
    row("gl_WorldToObject3x4EXT", Transform, HIT, 5331, RAY_TRACING, &device::RAY_TRACING),
    row("gl_CullMaskEXT", One(Type::U32), RAY, 6021, CULL_MASK, &device::CULL_MASK),
    row("gl_HitTriangleVertexPositionsEXT", Triangle, A | C, 5335, POSITION_FETCH, &device::POSITION_FETCH),
    row("gl_NumWorkGroups", One(Type::UVEC3), MESHES, 24, MESH, &device::MESHES),
    row("gl_WorkGroupID", One(Type::UVEC3), MESHES, 26, MESH, &device::MESHES),
    row("gl_LocalInvocationID", One(Type::UVEC3), MESHES, 27, MESH, &device::MESHES),
    row("gl_GlobalInvocationID", One(Type::UVEC3), MESHES, 28, MESH, &device::MESHES),
    row("gl_LocalInvocationIndex", One(Type::U32), MESHES, 29, MESH, &device::MESHES),
    row("gl_DrawID", One(Type::I32), MESHES, 4426, MESH, &device::DRAWS),
    row("gl_DrawIDARB", One(Type::I32), MESHES, 4426, &["GL_ARB_shader_draw_parameters"], &device::DRAWS),
    row("gl_ViewIndex", One(Type::I32), MESHES, 4440, &["GL_EXT_multiview"], &device::VIEWS),
    row("gl_DeviceIndex", One(Type::I32), MESHES | RAYS, 4438, &["GL_EXT_device_group"], &device::DEVICES),
    row("gl_NumSubgroups", One(Type::U32), MESHES, 38, SUBGROUP_BASIC, &device::SUBGROUPS),
    row("gl_SubgroupID", One(Type::U32), MESHES, 40, SUBGROUP_BASIC, &device::SUBGROUPS),
    row("gl_SubgroupSize", One(Type::U32), MESHES | RAYS, 36, SUBGROUP_BASIC, &device::SUBGROUPS),
    row("gl_SubgroupInvocationID", One(Type::U32), MESHES | RAYS, 41, SUBGROUP_BASIC, &device::SUBGROUPS),
    row("gl_SubgroupEqMask", One(Type::UVEC4), MESHES | RAYS, 4416, BALLOT, &device::BALLOTS),
    row("gl_SubgroupGeMask", One(Type::UVEC4), MESHES | RAYS, 4417, BALLOT, &device::BALLOTS),
    row("gl_SubgroupGtMask", One(Type::UVEC4), MESHES | RAYS, 4418, BALLOT, &device::BALLOTS),
    row("gl_SubgroupLeMask", One(Type::UVEC4), MESHES | RAYS, 4419, BALLOT, &device::BALLOTS),
    row("gl_SubgroupLtMask", One(Type::UVEC4), MESHES | RAYS, 4420, BALLOT, &device::BALLOTS),
];

/// A constant: name, whether it is a `uint`, value, the extensions that have it.
type Constant = (&'static str, bool, u32, &'static [&'static str]);

const FLAGS: &[&str] = &["GL_EXT_ray_tracing", "GL_EXT_ray_query", "GL_NV_ray_tracing"];
const QUERY: &[&str] = &["GL_EXT_ray_query"];

static CONSTANTS: &[Constant] = &[
    ("gl_RayFlagsNoneEXT", true, 0, FLAGS),
    ("gl_RayFlagsOpaqueEXT", true, 1, FLAGS),
    ("gl_RayFlagsNoOpaqueEXT", true, 2, FLAGS),
    ("gl_RayFlagsTerminateOnFirstHitEXT", true, 4, FLAGS),
    ("gl_RayFlagsSkipClosestHitShaderEXT", true, 8, FLAGS),
    ("gl_RayFlagsCullBackFacingTrianglesEXT", true, 16, FLAGS),
    ("gl_RayFlagsCullFrontFacingTrianglesEXT", true, 32, FLAGS),
    ("gl_RayFlagsCullOpaqueEXT", true, 64, FLAGS),
    ("gl_RayFlagsCullNoOpaqueEXT", true, 128, FLAGS),
    ("gl_RayFlagsSkipTrianglesEXT", true, 256, &["GL_EXT_ray_flags_primitive_culling"]),
    ("gl_RayFlagsSkipAABBEXT", true, 512, &["GL_EXT_ray_flags_primitive_culling"]),
    ("gl_RayFlagsForceOpacityMicromap2StateEXT", true, 1024, &["GL_EXT_opacity_micromap"]),
    ("gl_HitKindFrontFacingTriangleEXT", true, 0xfe, &["GL_EXT_ray_tracing"]),
    ("gl_HitKindBackFacingTriangleEXT", true, 0xff, &["GL_EXT_ray_tracing"]),
    ("gl_RayQueryCommittedIntersectionNoneEXT", true, 0, QUERY),
    ("gl_RayQueryCommittedIntersectionTriangleEXT", true, 1, QUERY),
    ("gl_RayQueryCommittedIntersectionGeneratedEXT", true, 2, QUERY),
    ("gl_RayQueryCandidateIntersectionTriangleEXT", true, 0, QUERY),
    ("gl_RayQueryCandidateIntersectionAABBEXT", true, 1, QUERY),
    ("gl_MaxMeshOutputVerticesEXT", false, super::meshes::MAX_OUTPUTS, MESH),
    ("gl_MaxMeshOutputPrimitivesEXT", false, super::meshes::MAX_OUTPUTS, MESH),
    ("gl_MaxMeshViewCountEXT", false, 4, MESH),
];

/// Constants that are sizes of work groups.
const SIZES: [&str; 2] = ["gl_MaxMeshWorkGroupSizeEXT", "gl_MaxTaskWorkGroupSizeEXT"];

fn has_any(checker: &Checker<'_, '_>, extensions: &[&str]) -> bool {
    extensions.iter().any(|extension| checker.has_extension(extension))
}

fn bit(stage: Stage) -> u16 {
    STAGES.iter().find(|row| row.0 == stage).map_or(0, |row| row.1)
}

/// The name in `GL_EXT_ray_tracing` of what `GL_NV_ray_tracing` has.
fn newer_name<'n>(checker: &Checker<'_, '_>, name: &'n str) -> Cow<'n, str> {
    match name.strip_suffix("NV") {
        Some(stem) if checker.has_extension("GL_NV_ray_tracing") => format!("{stem}EXT").into(),
        _ => name.into(),
    }
}

/// The variable or constant of a name, if it is here.
pub(super) fn resolve(checker: &mut Checker<'_, '_>, name: &str, span: Span) -> Option<Checked<Entity>> {
    let name = &*newer_name(checker, name);
    if let Some(&(_, unsigned, value, extensions)) = CONSTANTS.iter().find(|row| row.0 == name) {
        if !has_any(checker, extensions) {
            return None;
        }
        if name.starts_with("gl_RayFlagsForce") {
            device::need(checker.b.module, &device::MICROMAP);
        }
        let value = if unsigned { checker.b.u32(value) } else { checker.b.i32(value as i32) };
        return Some(Ok(Entity::Value { value, ty: if unsigned { Type::U32 } else { Type::I32 } }));
    }
    if let Some(&(_, value)) = scopes::CONSTANTS.iter().find(|row| row.0 == name)
        && has_any(checker, SCOPES)
    {
        return Some(Ok(Entity::Value { value: checker.b.i32(value as i32), ty: Type::I32 }));
    }
    if name == "gl_ScopeShaderCallEXT" && has_any(checker, SCOPES) && has_any(checker, RAY_TRACING) {
        return Some(Ok(Entity::Value { value: checker.b.i32(6), ty: Type::I32 }));
    }
    if SIZES.contains(&name) && has_any(checker, MESH) {
        let size = checker.b.module.consts.u32(128);
        let size: Const = checker.b.module.consts.bits(Type::I32, checker.b.module.consts.as_bits(size)?);
        let value = checker.b.module.consts.composite(Type::IVEC3, [size; 3]);
        return Some(Ok(Entity::Value { value: value.into(), ty: Type::IVEC3 }));
    }
    if let Some(output) = Output::named(name).filter(|_| checker.stage() == Stage::Mesh && has_any(checker, MESH)) {
        return Some(checker.mesh_output(output, span));
    }
    let here = bit(checker.stage());
    let row = ROWS.iter().find(|row| row.name == name && row.stages & here != 0)?;
    has_any(checker, row.extensions).then(|| Ok(make(checker, row, span)))
}

fn make(checker: &mut Checker<'_, '_>, row: &Row, span: Span) -> Entity {
    device::need(checker.b.module, row.needs);
    let types = &mut checker.b.module.types;
    let ty = match row.ty {
        One(ty) => ty,
        Transform => types.matrix(Scalar::F32, 4, 3),
        Triangle => types.array(Type::VEC3, 3),
    };
    let decoration = device::builtin(row.number);
    // Two names of one thing are one variable: an entry point has each built-in once.
    let same = checker.b.module.vars.iter().find(|(_, data)| data.decorations.has(decoration));
    let var = match same {
        Some((var, _)) => var,
        None => {
            let mut decorations: Decorations = [decoration].into_iter().collect();
            // Its invocations may move to another subgroup when they call, and its rays end sooner when they meet something.
            let is_of_subgroup = matches!(row.number, 36 | 41 | 4416..=4420) && bit(checker.stage()) & RAYS != 0;
            if is_of_subgroup || row.number == 5326 && checker.stage() == Stage::Intersection {
                decorations.add(device::VOLATILE);
                decorations.add(Decoration::Volatile);
            }
            let name = IrName::new(row.name, NameSource::BuiltIn);
            checker.spirv_variable(name, ty, device::class::INPUT, decorations, span)
        }
    };
    Entity::Variable { address: var.into(), ty, access: Access::BuiltIn }
}

/// The reason why a name is unavailable, if it is one of these.
pub(super) fn needs(name: &str, checker: &Checker<'_, '_>) -> Option<String> {
    let extension = |extensions: &[&str]| format!("`{name}` needs the extension `{}`", extensions[0]);
    if let Some((.., extensions)) = CONSTANTS.iter().find(|row| row.0 == name) {
        return Some(extension(extensions));
    }
    if SIZES.contains(&name) {
        return Some(extension(MESH));
    }
    if scopes::CONSTANTS.iter().any(|row| row.0 == name) || name == "gl_ScopeShaderCallEXT" {
        return Some(extension(SCOPES));
    }
    if Output::named(name).is_some() {
        return Some(match checker.stage() {
            Stage::Mesh => extension(MESH),
            _ => format!("`{name}` is only in mesh shaders"),
        });
    }
    let stages = ROWS.iter().filter(|row| row.name == name).fold(0, |stages, row| stages | row.stages);
    let row = ROWS.iter().find(|row| row.name == name)?;
    if stages & bit(checker.stage()) != 0 {
        return Some(extension(row.extensions));
    }
    let names: Vec<String> =
        STAGES.iter().filter(|(_, bit)| stages & bit != 0).map(|(stage, _)| stage.name().replace('_', " ")).collect();
    let is_elsewhere = super::builtin_variables::names_of_any_stage().any(|other| other == name);
    (!is_elsewhere).then(|| format!("`{name}` is only in {} shaders", list(&names)))
}

/// The names that a stage has, for suggestions.
pub(super) fn names(stage: Stage) -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter(move |row| row.stages & bit(stage) != 0).map(|row| row.name)
}

impl Checker<'_, '_> {
    /// A variable in a storage class of SPIR-V.
    pub(super) fn spirv_variable(
        &mut self,
        name: IrName,
        ty: Type,
        class: u32,
        mut decorations: Decorations,
        span: Span,
    ) -> planish_ir::entity::Var {
        let ty = self.ir_type(ty);
        let var = self.b.module.add_var(name, ty, AddressSpace::Spirv);
        decorations.add(Decoration::StorageClass(class));
        let data = &mut self.b.module.vars[var];
        data.decorations = decorations;
        data.span = span;
        var
    }

    /// `gl_ObjectToWorld3x4EXT` and `gl_WorldToObject3x4EXT`: matrices of SPIR-V, transposed.
    pub(super) fn transposed_builtin(&mut self, symbol: Symbol, operand: Operand) -> Operand {
        if !operand.place || !matches!(self.text(symbol), "gl_ObjectToWorld3x4EXT" | "gl_WorldToObject3x4EXT") {
            return operand;
        }
        let value = self.load(operand);
        let value = self.node(Op::Transpose, &[value]);
        Operand::value(value, self.b.type_of(value))
    }
}
