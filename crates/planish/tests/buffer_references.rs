//! References to buffers in GLSL: to SPIR-V, to GLSL, and back, at all levels; and the offsets that another compiler computes.

use std::process::{Command, Stdio};

use planish::module::Module;
use planish::{EmitOptions, Optimizer, SpirvVersion, Target, emit};

use crate::common::compile;
use crate::halves::desktop;
use crate::spirv::objection;

const SHADER: &str = include_str!("../../front/glsl/tests/accept/references_450.comp");

fn optimized(module: &Module, level: &str) -> Module {
    let mut module = module.clone();
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn spirv(module: &Module, version: SpirvVersion) -> Vec<u8> {
    let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
    emit(module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes
}

#[test]
fn references_go_to_spirv_and_glsl_and_back() {
    let read = compile("references.comp", SHADER).unwrap_or_else(|e| panic!("{e}"));
    for level in planish::LEVELS {
        let module = optimized(&read, level);
        let printed = planish::ir::text::print(&module);
        let again = compile("x.ir", &printed).unwrap_or_else(|e| panic!("{printed}\n{e}"));
        assert_eq!(planish::ir::text::print(&again), printed, "{level}");
        let options = EmitOptions { vulkan: true, ..desktop(450) };
        let glsl = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{e:#?}")).bytes;
        let from_glsl =
            compile("x.comp", &glsl).unwrap_or_else(|e| panic!("{level}: {}\n{e}", String::from_utf8_lossy(&glsl)));
        let from_spirv =
            compile("x.spv", spirv(&module, SpirvVersion::V1_3)).unwrap_or_else(|e| panic!("{level}: {e}"));
        for module in [&module, &from_glsl, &from_spirv] {
            let module = optimized(module, level);
            for (version, environment) in [(SpirvVersion::V1_3, "vulkan1.1"), (SpirvVersion::V1_6, "spv1.6")] {
                assert_eq!(objection(&spirv(&module, version), environment), None, "{level}");
            }
        }
    }
}

const LAYOUTS: &str = "\
#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 1) in;
struct Inner { float f; vec3 v; double d; bool b; mat2 m[2]; };
layout(buffer_reference, LAYOUT buffer_reference_align = ALIGN) buffer Node {
    int value;
    vec3 at;
    mat3 m;
    layout(row_major) mat2x3 r;
    bvec3 flags;
    f16vec2 halves[3];
    Inner inner[2];
    layout(row_major) Inner by_rows;
    vec4 w;
};
layout(push_constant) uniform Push { Node n; } push;
layout(set = 0, binding = 0) buffer Out { float o[]; };
void main() {
    Node n = push.n;
    o[0] = float(n.value) + n.at.y + n.m[1].z + n.r[1].z + float(n.flags.z) + float(n.halves[2].y);
    o[1] = n.inner[1].v.y + float(n.inner[1].d) + n.inner[1].m[1][1].x + n.by_rows.m[1][1].x + n[3].w.z;
    o[2] = float(n.inner[1].b);
    n[2].by_rows.v = vec3(1);
}
";

/// The offsets and accesses of a module, in the order of their text.
fn offsets(module: &Module) -> Vec<String> {
    let text = planish::ir::text::print(&optimized(module, "2"));
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let is_offset = |word: &&str| word.starts_with("reference_") || word.ends_with("ul") && word.len() > 2;
    let mut found: Vec<String> = words.filter(is_offset).map(str::to_owned).collect();
    found.sort();
    found
}

#[test]
fn offsets_are_those_of_glslang() {
    let path = std::env::temp_dir().join(format!("planish-references-{}", std::process::id()));
    let (from, to) = (path.with_extension("comp"), path.with_extension("spv"));
    for layout in ["", "std430,", "std140,", "scalar,"] {
        for align in ["16", "64", "4"] {
            let source = LAYOUTS.replace("LAYOUT", layout).replace("ALIGN", align);
            let ours = offsets(&compile("x.comp", &source).unwrap_or_else(|e| panic!("{e}")));
            assert!(ours.len() > 20, "{ours:?}");
            std::fs::write(&from, &source).expect("it is written");
            let mut command = Command::new("glslangValidator");
            command.args(["-V", "--target-env", "vulkan1.2", "-o"]).args([&to, &from]).stdout(Stdio::null());
            let Ok(status) = command.status() else {
                eprintln!("skipped: there is no glslangValidator");
                std::fs::remove_file(&from).expect("it is there");
                return;
            };
            assert!(status.success(), "{source}");
            let theirs = offsets(&compile("x.spv", std::fs::read(&to).expect("it is there")).expect("is read"));
            assert_eq!(ours, theirs, "{layout} {align}");
        }
    }
    std::fs::remove_file(&from).and_then(|()| std::fs::remove_file(&to)).expect("they are there");
}
