//! Geometry and tessellation stages, which come in as GLSL, SPIR-V or IR: out as SPIR-V, in again, and as GLSL.

use planish::module::Module;
use planish::{EmitOptions, Optimizer, SpirvVersion, Target, Version, emit};

use crate::common::compile;
use crate::halves::complaint;
use crate::spirv::{objection, versions};

const PROGRAMS: [(&str, &str); 5] = [
    ("control", include_str!("geometry_stages/control.ir")),
    ("evaluation", include_str!("geometry_stages/evaluation.ir")),
    ("geometry", include_str!("geometry_stages/geometry.ir")),
    ("emitted", include_str!("geometry_stages/emitted.ir")),
    ("shared_output", include_str!("geometry_stages/shared_output.ir")),
];

fn program(name: &str) -> Module {
    let (name, text) = PROGRAMS.iter().find(|program| program.0 == name).expect("one of them");
    compile(&format!("{name}.ir"), text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn optimized(mut module: Module, level: &str) -> Module {
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    module
}

fn glsl(module: &Module) -> String {
    let options = EmitOptions { version: Some(Version::desktop(450)), ..EmitOptions::default() };
    let output = emit(module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{e:#?}"));
    String::from_utf8(output.bytes).expect("text")
}

#[test]
fn binaries_are_valid_and_read_again() {
    for (name, _) in PROGRAMS {
        for level in ["0", "1", "2", "s"] {
            let module = optimized(program(name), level);
            let expected = glsl(&module);
            for (version, environment) in versions() {
                let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
                let bytes = emit(&module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{name}: {e:#?}")).bytes;
                assert_eq!(objection(&bytes, environment), None, "{name} -O{level}");
                let again = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
                let entry = |module: &Module| module.entry_points[0].properties.clone();
                assert_eq!(entry(&again), entry(&module), "{name}");
                let lines = |text: &str| text.lines().filter(|line| line.contains("layout(")).count();
                assert_eq!(lines(&glsl(&again)), lines(&expected), "{name}\n{}\n{expected}", glsl(&again));
            }
        }
    }
}

#[test]
fn glsl_has_the_layouts() {
    for (name, layout) in [
        ("control", "layout(vertices = 3) out;"),
        ("evaluation", "layout(triangles, fractional_odd_spacing, ccw, point_mode) in;"),
        ("geometry", "layout(triangles, invocations = 1) in;\nlayout(triangle_strip, max_vertices = 4) out;"),
    ] {
        let text = glsl(&program(name));
        assert!(text.contains(layout), "{text}");
    }
    let text = glsl(&program("control")) + &glsl(&program("evaluation"));
    assert!(text.contains("patch out vec4 p;") && text.contains("patch in vec4 p;"), "{text}");
}

#[test]
fn a_control_stage_that_tells_the_tessellator_is_no_glsl() {
    let (_, text) = PROGRAMS[0];
    let module = compile("a.ir", text.replace("vertices(3)", "vertices(3) spacing(equal)")).expect("valid");
    let options = EmitOptions { version: Some(Version::desktop(450)), ..EmitOptions::default() };
    let errors = emit(&module, Target::Glsl, &options).expect_err("the evaluation stage does");
    assert!(errors[0].message.contains("tells the tessellator"), "{errors:#?}");
    emit(&module, Target::Spirv, &EmitOptions::default()).expect("SPIR-V may");
}

#[test]
fn a_barrier_makes_outputs_of_other_invocations_seen() {
    let text = glsl(&optimized(program("shared_output"), "2"));
    let (before, after) = text.split_once("barrier();").expect("it stays");
    assert!(before.contains("o[1]") && after.contains("o[1]"), "{text}");
}

#[test]
fn what_is_written_for_a_vertex_stays_before_it() {
    let text = glsl(&optimized(program("emitted"), "2"));
    let vertices: Vec<&str> = text.split("EmitVertex();").collect();
    assert_eq!(vertices.len(), 4, "{text}");
    for (vertex, value) in vertices.iter().zip(["t = 1.0", "t = 2.0", "t = 4.0"]) {
        assert!(vertex.contains(value) && vertex.contains("gl_Position ="), "{text}");
    }
}

/// Shaders in GLSL: file, text, and parts of GLSL out.
const SHADERS: [(&str, &str, &[&str]); 5] = [
    (
        "a.geom",
        include_str!("../../front/glsl/tests/accept/geometry_450.geom"),
        &["layout(triangles, invocations = 2) in;", "layout(triangle_strip, max_vertices = 6) out;", "} vertex[3];"],
    ),
    (
        "b.geom",
        include_str!("../../front/glsl/tests/accept/points_320.geom"),
        &["layout(lines_adjacency) in;", "layout(points, max_vertices = 1) out;", "vec2 v[4];"],
    ),
    (
        "a.tesc",
        include_str!("../../front/glsl/tests/accept/control_450.tesc"),
        &["layout(vertices = 3) out;", "patch out Patch {", "barrier();", "vec3 normal[32];"],
    ),
    (
        "a.tese",
        include_str!("../../front/glsl/tests/accept/evaluation_450.tese"),
        &["layout(quads, fractional_odd_spacing, cw, point_mode) in;", "patch in vec4 whole;", "} point[32];"],
    ),
    (
        "b.tese",
        include_str!("../../front/glsl/tests/accept/isolines_320.tese"),
        &["layout(isolines, equal_spacing) in;", "patch in vec2 p;"],
    ),
];

#[test]
fn glsl_goes_to_spirv_and_glsl_and_back() {
    for (name, text, wanted) in SHADERS {
        let read = compile(name, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        for level in planish::LEVELS {
            let module = optimized(read.clone(), level);
            let version = if text.contains("320 es") { Version::ES_320 } else { Version::desktop(450) };
            let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
            let written = emit(&module, Target::Glsl, &options).unwrap_or_else(|e| panic!("{name}: {e:#?}")).bytes;
            let written = String::from_utf8(written).expect("text");
            assert!(wanted.iter().all(|part| written.contains(part)), "{name} -O{level}: {written}");
            let again = compile(name, &written).unwrap_or_else(|e| panic!("{written}\n{e}"));
            assert_eq!(again.entry_points[0].properties, module.entry_points[0].properties, "{name}");
            for (version, environment) in versions() {
                let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
                for module in [&module, &again] {
                    let bytes =
                        emit(module, Target::Spirv, &options).unwrap_or_else(|e| panic!("{name}: {e:#?}")).bytes;
                    assert_eq!(objection(&bytes, environment), None, "{name} -O{level}");
                    let back = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
                    let text = glsl(&back);
                    let stage = name.split_once('.').expect("a stage").1;
                    if version == SpirvVersion::V1_3 {
                        assert_eq!(complaint(stage, &text), None, "{name} -O{level}: {text}");
                    }
                }
            }
        }
    }
}
