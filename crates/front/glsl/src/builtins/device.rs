//! Functions that are instructions of SPIR-V: of ray tracing, ray queries and meshes (`GL_EXT_ray_tracing`, `GL_EXT_ray_query`,
//! `GL_EXT_mesh_shader`), and of streams of vertices. In their signatures, `rt` is an acceleration structure, `@rq` a ray query `m` a `mat4x3` and `p` three
//! places.

use planish_ir::module::Stage;
use planish_ir::ops::Op;

use super::Action;
use super::table::{Row, Stages, row};
use crate::device::{self, Instruction, Last};

const RAYS: &[&str] = &["GL_EXT_ray_tracing"];
/// Older names of the same.
const RAYS_NV: &[&str] = &["GL_NV_ray_tracing"];
const QUERIES: &[&str] = &["GL_EXT_ray_query"];
const MESHES: &[&str] = &["GL_EXT_mesh_shader"];

/// The function that writes its last argument.
pub(crate) const POSITIONS: &str = "rayQueryGetIntersectionTriangleVertexPositionsEXT";

/// Stages that start rays.
const TRACING: &[Stage] = &[Stage::RayGeneration, Stage::ClosestHit, Stage::Miss];
/// Stages that call `.rcall`.
const CALLING: &[Stage] = &[Stage::RayGeneration, Stage::ClosestHit, Stage::Miss, Stage::Callable];

const fn device(name: &'static str, signature: &'static str, instruction: Instruction) -> Row {
    row(name, signature, (0, 0), Op::CustomOrdered).does(Action::Device(instruction))
}

const fn query(name: &'static str, signature: &'static str, spirv: &'static str, opcode: u32) -> Row {
    let instruction = device::instruction(spirv, opcode, Last::Plain, &device::RAY_QUERY);
    device(name, signature, instruction).with(QUERIES)
}

/// A function whose last argument says whether it asks about the intersection that is committed.
const fn of_intersection(name: &'static str, signature: &'static str, spirv: &'static str, opcode: u32) -> Row {
    let instruction = device::instruction(spirv, opcode, Last::Number, &device::RAY_QUERY);
    device(name, signature, instruction).with(QUERIES)
}

const fn ray(
    name: &'static str,
    signature: &'static str,
    spirv: &'static str,
    opcode: u32,
    last: Last,
    stages: &'static [Stage],
) -> Row {
    let instruction = device::instruction(spirv, opcode, last, &device::RAY_TRACING);
    device(name, signature, instruction).with(RAYS).only(Stages::These(stages))
}

/// A function of streams of vertices.
const fn stream(name: &'static str, opcode: u32) -> Row {
    let instruction = device::instruction(name, opcode, Last::Plain, &device::STREAMS);
    let row = row(name, "v(!i)", (0, 400), Op::CustomOrdered).does(Action::Device(instruction));
    row.with(&["GL_ARB_gpu_shader5"]).only(Stages::Geometry)
}

const fn mesh(name: &'static str, signature: &'static str, instruction: Instruction, stages: &'static [Stage]) -> Row {
    device(name, signature, instruction).with(MESHES).only(Stages::These(stages))
}

#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    ray("traceRayEXT", "v(rt,u,u,u,u,u,f3,f,f3,f,!i)", "TraceRayKHR", 4445, Last::Payload, TRACING),
    ray("executeCallableEXT", "v(u,!i)", "ExecuteCallableKHR", 4446, Last::Callable, CALLING),
    ray("reportIntersectionEXT", "b(f,u)", "ReportIntersectionKHR", 5334, Last::Plain, &[Stage::Intersection]),
    ray("traceNV", "v(rt,u,u,u,u,u,f3,f,f3,f,!i)", "TraceRayKHR", 4445, Last::Payload, TRACING).with(RAYS_NV),
    ray("executeCallableNV", "v(u,!i)", "ExecuteCallableKHR", 4446, Last::Callable, CALLING).with(RAYS_NV),
    ray("reportIntersectionNV", "b(f,u)", "ReportIntersectionKHR", 5334, Last::Plain, &[Stage::Intersection]).with(RAYS_NV),
    device("ignoreIntersectionNV", "v()", device::IGNORE_INTERSECTION).with(RAYS_NV).only(Stages::These(&[Stage::AnyHit])),
    device("terminateRayNV", "v()", device::TERMINATE_RAY).with(RAYS_NV).only(Stages::These(&[Stage::AnyHit])),
    stream("EmitStreamVertex", 220),
    stream("EndStreamPrimitive", 221),
    query("rayQueryInitializeEXT", "v(@rq,rt,u,u,f3,f,f3,f)", "RayQueryInitializeKHR", 4473),
    query("rayQueryTerminateEXT", "v(@rq)", "RayQueryTerminateKHR", 4474),
    query("rayQueryGenerateIntersectionEXT", "v(@rq,f)", "RayQueryGenerateIntersectionKHR", 4475),
    query("rayQueryConfirmIntersectionEXT", "v(@rq)", "RayQueryConfirmIntersectionKHR", 4476),
    query("rayQueryProceedEXT", "b(@rq)", "RayQueryProceedKHR", 4477),
    query("rayQueryGetRayTMinEXT", "f(@rq)", "RayQueryGetRayTMinKHR", 6016),
    query("rayQueryGetRayFlagsEXT", "u(@rq)", "RayQueryGetRayFlagsKHR", 6017),
    query("rayQueryGetWorldRayDirectionEXT", "f3(@rq)", "RayQueryGetWorldRayDirectionKHR", 6029),
    query("rayQueryGetWorldRayOriginEXT", "f3(@rq)", "RayQueryGetWorldRayOriginKHR", 6030),
    query("rayQueryGetIntersectionCandidateAABBOpaqueEXT", "b(@rq)", "RayQueryGetIntersectionCandidateAABBOpaqueKHR", 6026),
    of_intersection("rayQueryGetIntersectionTypeEXT", "u(@rq,!b)", "RayQueryGetIntersectionTypeKHR", 4479),
    of_intersection("rayQueryGetIntersectionTEXT", "f(@rq,!b)", "RayQueryGetIntersectionTKHR", 6018),
    of_intersection("rayQueryGetIntersectionInstanceCustomIndexEXT", "i(@rq,!b)", "RayQueryGetIntersectionInstanceCustomIndexKHR", 6019),
    of_intersection("rayQueryGetIntersectionInstanceIdEXT", "i(@rq,!b)", "RayQueryGetIntersectionInstanceIdKHR", 6020),
    of_intersection("rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT", "u(@rq,!b)", "RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR", 6021),
    of_intersection("rayQueryGetIntersectionGeometryIndexEXT", "i(@rq,!b)", "RayQueryGetIntersectionGeometryIndexKHR", 6022),
    of_intersection("rayQueryGetIntersectionPrimitiveIndexEXT", "i(@rq,!b)", "RayQueryGetIntersectionPrimitiveIndexKHR", 6023),
    of_intersection("rayQueryGetIntersectionBarycentricsEXT", "f2(@rq,!b)", "RayQueryGetIntersectionBarycentricsKHR", 6024),
    of_intersection("rayQueryGetIntersectionFrontFaceEXT", "b(@rq,!b)", "RayQueryGetIntersectionFrontFaceKHR", 6025),
    of_intersection("rayQueryGetIntersectionObjectRayDirectionEXT", "f3(@rq,!b)", "RayQueryGetIntersectionObjectRayDirectionKHR", 6027),
    of_intersection("rayQueryGetIntersectionObjectRayOriginEXT", "f3(@rq,!b)", "RayQueryGetIntersectionObjectRayOriginKHR", 6028),
    of_intersection("rayQueryGetIntersectionObjectToWorldEXT", "m(@rq,!b)", "RayQueryGetIntersectionObjectToWorldKHR", 6031),
    of_intersection("rayQueryGetIntersectionWorldToObjectEXT", "m(@rq,!b)", "RayQueryGetIntersectionWorldToObjectKHR", 6032),
    device(POSITIONS, "v(@rq,!b,>p)", device::instruction("RayQueryGetIntersectionTriangleVertexPositionsKHR", 5340, Last::Positions, &device::QUERY_POSITIONS)).with(&["GL_EXT_ray_tracing_position_fetch"]),
    mesh("SetMeshOutputsEXT", "v(u,u)", device::instruction("SetMeshOutputsEXT", 5295, Last::Plain, &device::MESHES), &[Stage::Mesh]),
    mesh("EmitMeshTasksEXT", "v(u,u,u)", Instruction { ends: true, ..device::instruction("EmitMeshTasksEXT", 5294, Last::Task, &device::MESHES) }, &[Stage::Task]),
];
