//! Atomic operations on floats, and derivatives in compute shaders: from GLSL to SPIR-V and GLSL, and back.

use planish::eval::shade::{Compute, DrawOptions};
use planish::{EmitOptions, Optimizer, SpirvVersion, Target, emit};

use crate::common::compile;
use crate::halves::desktop;
use crate::spirv::objection;

/// The shader, what GLSL has of it, and the instructions of SPIR-V by number.
const SHADERS: &[(&str, &[&str], &[u32])] = &[
    (
        include_str!("../../front/glsl/tests/accept/float_atomics_450.comp"),
        &["GL_EXT_shader_atomic_float ", "GL_EXT_shader_atomic_float2", "imageAtomicMin(i, ivec2(0), 1.0)"],
        &[229, 5614, 5615, 6035],
    ),
    (
        include_str!("../../front/glsl/tests/accept/derivative_groups_450.comp"),
        &["derivative_group_quadsNV", "dFdx(", "fwidth(", "texture(s, "],
        &[87, 207, 209],
    ),
    (
        include_str!("../../front/glsl/tests/accept/derivative_groups_khr_450.comp"),
        &["derivative_group_quadsNV", "dFdx("],
        &[87, 207, 209],
    ),
];

/// The opcodes of a binary.
pub(crate) fn opcodes(bytes: &[u8]) -> Vec<u32> {
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut found) = (5, vec![]);
    while let Some(word) = words.get(at) {
        found.push(word & 0xffff);
        at += (word >> 16).max(1) as usize;
    }
    found
}

#[test]
fn they_go_to_spirv_and_glsl_and_back() {
    for (shader, wanted, instructions) in SHADERS {
        let read = compile("x.comp", shader).unwrap_or_else(|e| panic!("{shader}\n{e}"));
        for level in planish::LEVELS {
            let mut module = read.clone();
            Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
            let options = EmitOptions { vulkan: true, ..desktop(450) };
            let glsl = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
            let glsl = String::from_utf8(glsl).expect("text");
            assert!(wanted.iter().all(|part| glsl.contains(part)), "{level}: {glsl}");
            let again = compile("x.comp", &glsl).unwrap_or_else(|e| panic!("{glsl}\n{e}"));
            for (version, environment) in [(SpirvVersion::V1_3, "vulkan1.1"), (SpirvVersion::V1_6, "vulkan1.3")] {
                let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
                let written = |module| emit(module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
                let back = compile("x.spv", written(&module)).unwrap_or_else(|e| panic!("{level}: {e}"));
                for module in [&module, &again, &back] {
                    let bytes = written(module);
                    assert_eq!(objection(&bytes, environment), None, "{level}");
                    let have = opcodes(&bytes);
                    assert!(instructions.iter().all(|op| have.contains(op)), "{level}: {have:?}");
                }
            }
        }
    }
}

/// Each invocation writes its derivatives: two by two invocations of the grid, or four in a row.
#[test]
fn the_evaluator_takes_derivatives_over_the_groups() {
    let run = |group: &str| {
        let source = format!(
            "#version 450\n#extension GL_NV_compute_shader_derivatives : require\n\
             layout(local_size_x = 4, local_size_y = 2) in;\nlayout(derivative_group_{group}NV) in;\n\
             layout(std430, binding = 0) buffer B {{ float o[]; }};\nvoid main() {{\n  float x = float(gl_LocalInvocationID.x);\n\
             float y = float(gl_LocalInvocationID.y);\n\
             o[gl_LocalInvocationIndex] = dFdx(x * x) * 10.0 + dFdy(x * x + y);\n}}\n"
        );
        let module = compile("x.comp", source).unwrap_or_else(|e| panic!("{e}"));
        let mut compute = Compute::new(&module, &DrawOptions::default()).expect("a compute shader");
        let buffer = compute.buffer("B").expect("it is there");
        assert!(compute.set_buffer(buffer, &[0; 32]));
        compute.dispatch([1; 3]).expect("it ends");
        let bytes = compute.buffer_bytes(buffer, 32).expect("floats");
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect::<Vec<f32>>()
    };
    assert_eq!(run("quads"), [11.0, 11.0, 51.0, 51.0, 11.0, 11.0, 51.0, 51.0]);
    // Invocations 0 and 1 are above 2 and 3.
    assert_eq!(run("linear"), [14.0, 18.0, 54.0, 58.0, 14.0, 18.0, 54.0, 58.0]);
}
