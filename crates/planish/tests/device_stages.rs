//! Ray tracing, ray queries, meshes and streams of vertices in GLSL: as SPIR-V, read again, and refused by every other target.

use planish::module::{Module, Stage};
use planish::{EmitOptions, Optimizer, Target, emit};

use crate::common::compile;
use crate::compute_features::opcodes;
use crate::spirv::objection;

macro_rules! shader {
    ($name:literal, $stage:ident, $instructions:expr) => {
        ($name, include_str!(concat!("../../front/glsl/tests/accept/", $name)), Stage::$stage, $instructions)
    };
}

/// The shader, its stage, and instructions that it becomes, by number.
const SHADERS: [(&str, &str, Stage, &[u32]); 15] = [
    // OpTraceRayKHR, OpExecuteCallableKHR, OpConvertUToAccelerationStructureKHR
    shader!("rays_460.rgen", RayGeneration, &[4445, 4446, 4447]),
    // OpReportIntersectionKHR
    shader!("rays_460.rint", Intersection, &[5334]),
    // OpIgnoreIntersectionKHR, OpTerminateRayKHR, OpTranspose
    shader!("rays_460.rahit", AnyHit, &[4448, 4449]),
    shader!("rays_nv_460.rahit", AnyHit, &[4448, 4449]),
    // OpTraceRayKHR, OpRayQueryInitializeKHR
    shader!("rays_460.rchit", ClosestHit, &[4445, 4473]),
    shader!("rays_460.rmiss", Miss, &[4446]),
    shader!("rays_460.rcall", Callable, &[]),
    // Initialize, Terminate, GenerateIntersection, ConfirmIntersection, Proceed; CandidateAABBOpaque
    shader!("ray_queries_460.comp", Compute, &[4473, 4474, 4475, 4476, 4477, 6026]),
    shader!("ray_queries_460.frag", Fragment, &[4447, 4473, 4477, 4479]),
    // OpEmitMeshTasksEXT, OpAtomicIAdd
    shader!("meshes_460.task", Task, &[5294, 234]),
    // OpSetMeshOutputsEXT
    shader!("meshes_460.mesh", Mesh, &[5295]),
    shader!("lines_450.mesh", Mesh, &[5295]),
    shader!("primitives_450.frag", Fragment, &[]),
    // OpEmitStreamVertex, OpEndStreamPrimitive
    shader!("streams_450.geom", Geometry, &[220, 221]),
    // OpControlBarrier, OpMemoryBarrier, OpAtomicLoad, …Store, …Exchange, …CompareExchange, …IAdd, …Or
    shader!("scopes_450.comp", Compute, &[224, 225, 227, 228, 229, 230, 234, 241]),
];

fn written(module: &Module, target: Target) -> Result<Vec<u8>, Vec<String>> {
    let options = EmitOptions { vulkan: true, ..EmitOptions::default() };
    let said = |errors: Vec<planish::diagnostic::Diagnostic>| {
        errors.iter().map(|e| format!("{} {}", e.code, e.message)).collect()
    };
    emit(module, target, &options).map(|output| output.bytes).map_err(said)
}

#[test]
fn they_become_spirv_and_are_read_again() {
    for (name, text, stage, instructions) in SHADERS {
        let read = compile(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(read.entry_points[0].stage, Some(stage), "{name}");
        for level in planish::LEVELS {
            let mut module = read.clone();
            Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
            let bytes = written(&module, Target::Spirv).unwrap_or_else(|e| panic!("{name} at {level}: {e:#?}"));
            let again = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{name} at {level}: {e}"));
            let twice = written(&again, Target::Spirv).unwrap_or_else(|e| panic!("{name} at {level}: {e:#?}"));
            for bytes in [&bytes, &twice] {
                for environment in ["vulkan1.2", "vulkan1.3"] {
                    assert_eq!(objection(bytes, environment), None, "{name} at {level}");
                }
            }
            let have = opcodes(&bytes);
            let lacking: Vec<_> = instructions.iter().filter(|opcode| !have.contains(opcode)).collect();
            assert!(lacking.is_empty(), "{name} at {level}: {lacking:?}");
        }
    }
}

#[test]
fn other_targets_say_what_they_lack() {
    let targets =
        [Target::Glsl, Target::Wgsl, Target::Msl, Target::Hlsl, Target::C, Target::Rust, Target::Js, Target::Wasm];
    for (name, text, ..) in SHADERS {
        let module = compile(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for target in targets {
            let errors = written(&module, target).err().unwrap_or_else(|| panic!("{name} as {target:?}"));
            assert!(errors.iter().any(|e| e.contains("only SPIR-V has")), "{name} as {target:?}: {errors:#?}");
        }
    }
}

/// In the words of GLSL.
#[test]
fn messages_name_what_the_shader_names() {
    let said = |name: &str| {
        let (name, text, ..) = SHADERS.iter().find(|shader| shader.0 == name).expect("one of them");
        let module = compile(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        written(&module, Target::Wgsl).expect_err("SPIR-V alone has it").join("\n")
    };
    let (rays, query) = (said("rays_460.rmiss"), said("ray_queries_460.comp"));
    for (text, word) in [
        (&rays, "the stage `miss`"),
        (&rays, "(`rayPayloadInEXT` of GLSL)"),
        (&rays, "has `gl_WorldRayDirectionEXT`"),
        (&query, "(`rayQueryEXT` of GLSL)"),
        (&query, "(`accelerationStructureEXT` of GLSL)"),
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
}

/// Stores before an instruction that reads outputs stay where they are.
#[test]
fn what_is_written_for_a_vertex_stays_before_it() {
    let text = "#version 450\nlayout(points) in;\nlayout(points, max_vertices = 3) out;\nlayout(location = 0) out vec4 a;\n\
        void main() {\n  a = vec4(1.0);\n  EmitStreamVertex(0);\n  a = vec4(2.0);\n  EmitStreamVertex(0);\n}\n";
    let mut module = compile("x.geom", text).unwrap_or_else(|e| panic!("{e}"));
    Optimizer::level("2").expect("a level").run(&mut module, &mut |_, _| {});
    let order: Vec<u32> = opcodes(&written(&module, Target::Spirv).expect("written"));
    // OpStore, OpEmitStreamVertex
    let order: Vec<u32> = order.into_iter().filter(|opcode| matches!(opcode, 62 | 220)).collect();
    assert_eq!(order, [62, 220, 62, 220]);
}

/// An index that differs among invocations marks what is loaded by it, as well as the place.
#[test]
fn a_scene_by_an_index_that_is_not_uniform_is_marked() {
    let (name, text, ..) = SHADERS[0];
    let module = compile(name, text).unwrap_or_else(|e| panic!("{e}"));
    let bytes = written(&module, Target::Spirv).expect("written");
    // NonUniform
    assert_eq!(decorated(&bytes, 5300).len(), 3);
}

/// The operands of all decorations of variables with a number; 0 for one without.
fn decorated(bytes: &[u8], number: u32) -> Vec<u32> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut found) = (5, vec![]);
    while let Some(&word) = words.get(at) {
        let count = (word >> 16).max(1) as usize;
        // OpDecorate
        if word & 0xffff == 71 && words[at + 2] == number {
            found.push(if count > 3 { words[at + 3] } else { 0 });
        }
        at += count;
    }
    found.sort_unstable();
    found
}

/// Bindings and locations that Planish chooses are others than those of what only SPIR-V has.
#[test]
fn numbers_are_not_given_twice() {
    let text = "#version 460\n#extension GL_EXT_ray_query : require\n#extension GL_EXT_mesh_shader : require\n\
        layout(binding = 0) uniform accelerationStructureEXT scene;\nlayout(set = 0) uniform sampler2D s;\n\
        layout(location = 0) perprimitiveEXT in vec4 plane[2];\nin vec2 at;\nout vec4 colour;\n\
        void main() {\n  rayQueryEXT q;\n  rayQueryInitializeEXT(q, scene, 0u, 255u, plane[1].xyz, 0.0, plane[0].xyz, 1.0);\n\
          rayQueryProceedEXT(q);\n  colour = texture(s, at);\n}\n";
    let module = compile("x.frag", text).unwrap_or_else(|e| panic!("{e}"));
    let bytes = written(&module, Target::Spirv).expect("written");
    // Binding, Location
    assert_eq!(decorated(&bytes, 33), [0, 1]);
    assert_eq!(decorated(&bytes, 30), [0, 0, 2]);
}
