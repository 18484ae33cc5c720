//! Types, functions and memory that only SPIR-V has among the targets: ray tracing, ray queries, meshes. They are lowered onto parts of SPIR-V
//! ([`planish_ir::spirv`]), by its numbers.

use std::sync::Arc;

use planish_ir::builder::{Builder, Request};
use planish_ir::custom::{CustomEffect, CustomOpData};
use planish_ir::decoration::{Decoration, Decorations, Interpolation, Sampling};
use planish_ir::entity::{Type, Value};
use planish_ir::module::Module;
use planish_ir::ops::Imm;
use planish_ir::spirv::{SpirvInstruction, SpirvOperand, SpirvType};
use planish_ir::types::{TypeKind, Types};

/// Declarations of a binary that a part of SPIR-V needs.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Feature {
    /// Number of the capability.
    pub(crate) capability: u32,
    /// The extension that has it; empty for none.
    pub(crate) extension: &'static str,
    /// The first minor version that may have it.
    pub(crate) minor: u8,
}

const fn feature(capability: u32, extension: &'static str, minor: u8) -> Feature {
    Feature { capability, extension, minor }
}

pub(crate) static RAY_TRACING: Feature = feature(4479, "SPV_KHR_ray_tracing", 4);
pub(crate) static RAY_QUERY: Feature = feature(4472, "SPV_KHR_ray_query", 4);
pub(crate) static PRIMITIVE_CULLING: Feature = feature(4478, "SPV_KHR_ray_tracing", 4);
pub(crate) static CULL_MASK: Feature = feature(6020, "SPV_KHR_ray_cull_mask", 4);
pub(crate) static POSITION_FETCH: Feature = feature(5336, "SPV_KHR_ray_tracing_position_fetch", 4);
pub(crate) static QUERY_POSITIONS: Feature = feature(5391, "SPV_KHR_ray_tracing_position_fetch", 4);
pub(crate) static MICROMAP: Feature = feature(5381, "SPV_EXT_opacity_micromap", 4);
pub(crate) static MESHES: Feature = feature(5283, "SPV_EXT_mesh_shader", 4);
pub(crate) static CLIP_DISTANCE: Feature = feature(32, "", 0);
pub(crate) static CULL_DISTANCE: Feature = feature(33, "", 0);
pub(crate) static SHADING_RATE: Feature = feature(4422, "SPV_KHR_fragment_shading_rate", 0);
pub(crate) static STREAMS: Feature = feature(54, "", 0);
/// Arrays of bindings without a length.
pub(crate) static OPEN_ARRAYS: Feature = feature(5302, "SPV_EXT_descriptor_indexing", 4);
pub(crate) static INT64_ATOMICS: Feature = feature(12, "", 0);
pub(crate) static SUBGROUPS: Feature = feature(61, "", 3);
pub(crate) static BALLOTS: Feature = feature(64, "", 3);
pub(crate) static DRAWS: Feature = feature(4427, "", 3);
pub(crate) static VIEWS: Feature = feature(4439, "", 3);
pub(crate) static DEVICES: Feature = feature(4437, "", 3);

/// Notes what a module needs.
pub(crate) fn need(module: &mut Module, feature: &Feature) {
    let needs = &mut module.spirv_needs;
    if let Err(at) = needs.capabilities.binary_search(&feature.capability) {
        needs.capabilities.insert(at, feature.capability);
    }
    if !feature.extension.is_empty() && !needs.extensions.iter().any(|name| **name == *feature.extension) {
        needs.extensions.push(feature.extension.into());
    }
    needs.minor_version = needs.minor_version.max(feature.minor);
}

// ---------------------------------------------------------------------------------------------- types

const ACCELERATION_STRUCTURE: u16 = 5341;
const RAY_QUERY_TYPE: u16 = 4472;

fn spirv_type(types: &mut Types, name: &str, opcode: u16) -> Type {
    types.intern(TypeKind::Spirv(Arc::new(SpirvType { name: name.into(), opcode, operands: vec![] })))
}

/// `accelerationStructureEXT`
pub(crate) fn acceleration_structure(types: &mut Types) -> Type {
    spirv_type(types, "TypeAccelerationStructureKHR", ACCELERATION_STRUCTURE)
}

/// `rayQueryEXT`
pub(crate) fn ray_query(types: &mut Types) -> Type {
    spirv_type(types, "TypeRayQueryKHR", RAY_QUERY_TYPE)
}

/// The name of a type of SPIR-V in GLSL.
pub(crate) fn type_name(ty: &SpirvType) -> &'static str {
    if ty.opcode == RAY_QUERY_TYPE { "rayQueryEXT" } else { "accelerationStructureEXT" }
}

/// Whether a type is, or holds, a type of SPIR-V.
pub(crate) fn is_device_type(types: &Types, ty: Type) -> bool {
    types.contains(ty, &mut |kind| matches!(kind, TypeKind::Spirv(_)))
}

/// Whether a type is, or holds, a ray query.
pub(crate) fn is_ray_query(types: &Types, ty: Type) -> bool {
    types.contains(ty, &mut |kind| matches!(kind, TypeKind::Spirv(ty) if ty.opcode == RAY_QUERY_TYPE))
}

// ---------------------------------------------------------------------------------------------- functions

/// Translation of the last argument of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    /// As any other.
    Plain,
    /// A constant boolean: the number 1 or 0.
    Number,
    /// A variable, which gets the result, after a constant boolean.
    Positions,
    /// A constant location: the `rayPayloadEXT` or `rayPayloadInEXT` that has it.
    Payload,
    /// A constant location: the `callableDataEXT` or `callableDataInEXT` that has it.
    Callable,
    /// None: the `taskPayloadSharedEXT`, if there is one, follows the arguments.
    Task,
}

/// The instruction that a function is: the operands are the arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// Its name, without `Op`.
    pub(crate) name: &'static str,
    /// Its number.
    pub(crate) opcode: u32,
    pub(crate) last: Last,
    /// Whether the shader does not go on after it.
    pub(crate) ends: bool,
    /// Whether it depends on nothing but its operands.
    pub(crate) pure: bool,
    pub(crate) needs: &'static Feature,
}

impl Instruction {
    /// Whether it ends a vertex or primitive of a stream.
    pub(crate) fn is_of_streams(&self) -> bool {
        std::ptr::eq(self.needs, &STREAMS)
    }
}

pub(crate) const fn instruction(name: &'static str, opcode: u32, last: Last, needs: &'static Feature) -> Instruction {
    Instruction { name, opcode, last, ends: false, pure: false, needs }
}

pub(crate) const IGNORE_INTERSECTION: Instruction =
    Instruction { ends: true, ..instruction("IgnoreIntersectionKHR", 4448, Last::Plain, &RAY_TRACING) };
pub(crate) const TERMINATE_RAY: Instruction =
    Instruction { ends: true, ..instruction("TerminateRayKHR", 4449, Last::Plain, &RAY_TRACING) };

/// `accelerationStructureEXT(…)`: from a number of 64 bits or a `uvec2`.
pub(crate) const fn to_acceleration_structure(needs: &'static Feature) -> Instruction {
    Instruction { pure: true, ..instruction("ConvertUToAccelerationStructureKHR", 4447, Last::Plain, needs) }
}

/// Builds the node of an instruction, and returns its result if `result` is not `void`.
pub(crate) fn emit(b: &mut Builder<'_, '_>, instruction: &Instruction, args: &[Value], result: Type) -> Option<Value> {
    need(b.module, instruction.needs);
    let spirv = SpirvInstruction {
        opcode: instruction.opcode,
        set: None,
        operands: vec![SpirvOperand::Value; args.len()],
        ends: instruction.ends,
    };
    let effect = if instruction.pure { CustomEffect::Pure } else { CustomEffect::Ordered };
    emit_row(
        b,
        instruction.name,
        CustomOpData { spirv: Some(spirv), effect, ..CustomOpData::new(instruction.name) },
        args,
        result,
    )
}

/// Builds a node of a row.
pub(crate) fn emit_row(
    b: &mut Builder<'_, '_>,
    name: &str,
    row: CustomOpData,
    args: &[Value],
    result: Type,
) -> Option<Value> {
    let effect = row.effect;
    let op = b.module.spirv_op(name, row);
    let operands: Vec<Type> = args.iter().map(|&arg| b.type_of(arg)).collect();
    let results = if result == Type::VOID { vec![] } else { vec![result] };
    let ty = b.module.types.function(&operands, &results);
    b.make_all(Request::new(effect.op(), args).imm(Imm::custom(op, ty))).first().copied()
}

// ---------------------------------------------------------------------------------------------- decorations

/// Numbers of storage classes.
pub(crate) mod class {
    pub(crate) const UNIFORM_CONSTANT: u32 = 0;
    pub(crate) const INPUT: u32 = 1;
    pub(crate) const OUTPUT: u32 = 3;
    pub(crate) const CALLABLE_DATA: u32 = 5328;
    pub(crate) const INCOMING_CALLABLE_DATA: u32 = 5329;
    pub(crate) const RAY_PAYLOAD: u32 = 5338;
    pub(crate) const HIT_ATTRIBUTE: u32 = 5339;
    pub(crate) const INCOMING_RAY_PAYLOAD: u32 = 5342;
    pub(crate) const SHADER_RECORD: u32 = 5343;
    pub(crate) const TASK_PAYLOAD: u32 = 5402;
}

/// Numbers of decorations.
const BUILT_IN: u32 = 11;
const PER_PRIMITIVE: u32 = 5271;

/// The decoration of a built-in variable, by its number.
pub(crate) fn builtin(number: u32) -> Decoration {
    Decoration::Spirv(BUILT_IN, Some(number))
}

/// The stream of vertices that an output belongs to.
pub(crate) fn stream(number: u32) -> Decoration {
    Decoration::Spirv(29, Some(number))
}

/// `Volatile`
pub(crate) const VOLATILE: Decoration = Decoration::Spirv(21, None);

/// `perprimitiveEXT`
pub(crate) const PER_PRIMITIVE_INPUT_OR_OUTPUT: Decoration = Decoration::Spirv(PER_PRIMITIVE, None);

/// Decorations of a variable, or of a member of a block, by their numbers in SPIR-V. Those that SPIR-V has not are dropped.
pub(crate) fn by_number(decorations: &Decorations) -> Decorations {
    decorations.iter().filter_map(number_of).collect()
}

fn number_of(decoration: Decoration) -> Option<Decoration> {
    use Decoration as D;
    let (number, operand) = match decoration {
        D::Interpolation(Interpolation::NoPerspective) => (13, None),
        D::Interpolation(Interpolation::Flat) => (14, None),
        D::Patch => (15, None),
        D::Sampling(Sampling::Centroid) => (16, None),
        D::Sampling(Sampling::Sample) => (17, None),
        D::Invariant => (18, None),
        D::Restrict => (19, None),
        D::Volatile => (21, None),
        D::Coherent => (23, None),
        D::ReadOnly => (24, None),
        D::WriteOnly => (25, None),
        D::Location(n) => (30, Some(n)),
        D::Component(n) => (31, Some(n)),
        D::Index(n) => (32, Some(n)),
        D::Binding(n) => (33, Some(n)),
        D::Set(n) => (34, Some(n)),
        D::XfbOffset(n) => (35, Some(n)),
        D::XfbBuffer(n) => (36, Some(n)),
        D::Spirv(number, operand) => (number, operand),
        _ => return None,
    };
    Some(D::Spirv(number, operand))
}
