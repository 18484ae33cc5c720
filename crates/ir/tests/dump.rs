//! The dump: the sample's is the documentation's listing, line for line.

use crate::common;
use planish_ir::dump::dump;

#[test]
fn the_sample_is_drawn_as_documented() {
    let dump = dump(&common::sample());
    let lines: Vec<&str> = dump.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let expected: Vec<&str> = include_str!("data/sample.dump").lines().collect();
    assert_eq!(expected.len(), 109);
    for (have, want) in lines.iter().zip(&expected) {
        assert_eq!(have, want);
    }
    assert_eq!(lines.len(), expected.len());
}

/// The lines of the functions' part of a dump.
fn functions(text: &str) -> String {
    let module = planish_ir::text::parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let dump = dump(&module);
    let functions = dump.split_once("Functions:\n").expect("there is such a part").1;
    functions.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_construct_is_drawn() {
    assert_eq!(functions(include_str!("data/constructs.ir")).trim(), include_str!("data/constructs.dump").trim());
}

#[test]
fn the_six_stages_have_titles() {
    let module = planish_ir::text::parse_str(include_str!("data/declarations.ir")).expect("it is right");
    let dump = dump(&module);
    let head: Vec<&str> = dump.lines().take_while(|l| *l != "Types:").collect();
    let expected = [
        "Fragment Shader f0",
        "[Early fragment tests]",
        "[Origin upper left]",
        "[Pixel center integer]",
        "[Depth: greater]",
        "[Blend equations: 0x5]",
        "Compute Shader f5",
        "[Local size: 8, 8, 1]",
        "[Local size x id: 3]",
        "[Local size z id: 0]",
        "Geometry Shader f5",
        "[Input primitive: lines_adjacency]",
        "[Output primitive: triangle_strip]",
        "[Max vertices: 3]",
        "[Invocations: 2]",
        "Tessellation Control Shader f5",
        "[Vertices: 4]",
        "Tessellation Evaluation Shader f5",
        "[Input primitive: isolines]",
        "Vertex Shader f5",
        "[Views: 2]",
        "[Extension: GL_EXT_one]",
        "[Extension: odd \"quoted\" \\ \t ä]",
        "",
    ];
    assert_eq!(head, expected);
    for line in [
        "  t28: Struct 'Light' {position: t9 [highp], color: t8 [mediump]}",
        "  t32: Interface block 'odd name' {odd member: t27 [highp, offset(0), align(16), row_major], lights: t30 [column_major], rest: t31}",
        "  t39: Struct 'Machine' {code: t88, memory: t36, long: t37, matrix: t38}",
        "  t62: Combined image 2d array shadow of t1",
        "  t66: Storage image 3d of t2, rgba32i",
        "  t88: Function (t2, t29) -> (t2, t33)",
        "  v0 (t40): '_ucolor' [mediump, output, location(0), index(1)]",
        "  v1 (t41): 'gl_FragCoord' [highp, input, builtin(gl_FragCoord)]",
        "  memory0: 1 to 65536 pages, import 'env' 'memory', export 'memory', export 'again'",
        "  table0: 10 funcref",
        "  data0: 7 bytes in memory0 at 1024",
        "  elem0: funcref (f0, null, f1) in table0 at 3",
        "  f1: 'helper', 'helper again'",
    ] {
        assert!(dump.lines().any(|l| l == line), "{line}\n{dump}");
    }
}
