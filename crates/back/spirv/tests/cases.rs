//! Shaders that use what the examples do not: each is valid in every version that `spirv-val` checks, with and without
//! debug information, and declares just the capabilities that it needs.

use std::path::{Path, PathBuf};

use planish_back_spirv::{Options, Version};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;
use spirv::{Capability, Op};

use crate::judge;
use crate::legal::write;

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("the cases").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 6, "cases are missing");
    files
}

fn read(name: &str, text: &str) -> (SourceMap, Module) {
    let stage = match name.rsplit('.').next() {
        Some("vert") => Stage::Vertex,
        Some("comp") => Stage::Compute,
        _ => Stage::Fragment,
    };
    let mut map = SourceMap::new();
    let file = map.add(name, text).expect("small");
    let output = compile(&mut map, &file, &mut FrontOptions::new(stage));
    assert!(!output.has_errors(), "{name}: {:#?}", output.diagnostics);
    (map, output.module.expect("a module"))
}

fn words(text: &str, name: &str, options: &Options<'_>) -> Vec<u32> {
    let (_, module) = read(name, text);
    write(&module, options).unwrap_or_else(|e| panic!("{name}: {e:#?}")).words
}

#[test]
fn all_cases_are_valid_in_all_versions() {
    for path in cases() {
        let text = std::fs::read_to_string(&path).expect("a case");
        let (map, module) = read(&path.to_string_lossy(), &text);
        for version in Version::ALL {
            for lines in [None, Some(&map)] {
                let options = Options { version, lines, ..Options::default() };
                let output = write(&module, &options).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
                // The newest Vulkan takes every version, and demands the most.
                judge::accepts(&output.words, "vulkan1.3");
            }
        }
    }
}

/// The operands of all instructions of an opcode.
fn operands(words: &[u32], op: Op) -> Vec<Vec<u32>> {
    judge::instructions(words).filter(|i| i[0] & 0xffff == op as u32).map(|i| i[1..].to_vec()).collect()
}

#[test]
fn specialization_constants_size_a_work_group() {
    let text = "#version 450\nlayout(local_size_x = 8, local_size_x_id = 7, local_size_y_id = 9) in;\nvoid main() {}";
    let words = words(text, "a.comp", &Options::default());
    let constants = operands(&words, Op::SpecConstant);
    assert_eq!(constants.iter().map(|c| c[2]).collect::<Vec<_>>(), [8, 1], "the defaults");
    let [size] = &operands(&words, Op::SpecConstantComposite)[..] else { panic!("one size") };
    assert_eq!(size[2..4], [constants[0][1], constants[1][1]]);
    let decorations = operands(&words, Op::Decorate);
    let numbers = decorations.iter().filter(|d| d[1] == spirv::Decoration::SpecId as u32);
    assert_eq!(numbers.map(|d| (d[0], d[2])).collect::<Vec<_>>(), [(constants[0][1], 7), (constants[1][1], 9)]);
    let workgroup_size = [size[1], spirv::Decoration::BuiltIn as u32, spirv::BuiltIn::WorkgroupSize as u32];
    assert!(decorations.iter().any(|d| d[..] == workgroup_size));
}

#[test]
fn a_plain_shader_needs_nothing_special() {
    let text = "#version 310 es\nprecision highp float;\nuniform sampler2D map;\nin vec2 uv;\nout vec4 c;\n\
                void main() { c = texture(map, uv); }";
    let words = words(text, "a.frag", &Options::default());
    assert_eq!(operands(&words, Op::Capability), [[Capability::Shader as u32]]);
    assert_eq!(operands(&words, Op::Extension), [[0; 0]; 0]);
    assert!(operands(&words, Op::ExtInstImport).is_empty());
    // A combined sampler is one variable: with the input and the output, three.
    assert_eq!(operands(&words, Op::Variable).len(), 3);
}

#[test]
fn constant_operands_need_no_guards() {
    let head = "#version 310 es\nprecision highp int;\nflat in ivec4 a;\nout ivec4 c;\n";
    let count = |expression: &str| {
        let text = format!("{head}void main() {{ ivec4 b = a; c = {expression}; }}");
        let words = words(&text, "a.frag", &Options::default());
        // Instructions of the function, without load, store and return.
        let all: Vec<u32> = judge::instructions(&words).map(|i| i[0] & 0xffff).collect();
        let start = all.iter().position(|&op| op == Op::Label as u32).expect("a function");
        all[start..]
            .iter()
            .filter(|&&op| {
                ![Op::Label, Op::Load, Op::Store, Op::Return, Op::FunctionEnd, Op::Variable, Op::AccessChain]
                    .iter()
                    .any(|&o| op == o as u32)
            })
            .count()
    };
    assert_eq!(count("b / 3"), 1);
    assert_eq!(count("b << 3"), 1);
    assert_eq!(count("b % 5"), 3, "x - x / 5 * 5");
    assert_eq!(count("ivec4(a[2])"), 1);
    assert_eq!(count("bitfieldExtract(b, 3, 4)"), 1);
    assert_eq!(count("clamp(b, 1, 4)"), 1);
    assert!(count("b / b.yxzw") > 4);
    assert!(count("b << b.yxwz") > 2);
    assert!(count("ivec4(a[b.x])") > 2);
}

#[test]
fn precision_and_precise_are_decorations() {
    let text = "#version 320 es\nprecision mediump float;\nin highp float h;\nin float m;\nout vec4 c;\n\
                void main() { precise highp float p = h * h + h; c = vec4(m * m, p, h * h, 1.0); }";
    let words = words(text, "a.frag", &Options::default());
    let decorated = |decoration: spirv::Decoration| -> Vec<u32> {
        operands(&words, Op::Decorate).iter().filter(|o| o[1] == decoration as u32).map(|o| o[0]).collect()
    };
    let products: Vec<u32> = operands(&words, Op::FMul).iter().map(|o| o[1]).collect();
    let relaxed = decorated(spirv::Decoration::RelaxedPrecision);
    let exact = decorated(spirv::Decoration::NoContraction);
    assert_eq!(products.iter().map(|p| exact.contains(p)).collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(products.iter().map(|p| relaxed.contains(p)).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn names_and_lines_are_there_on_request() {
    let text = "#version 310 es\nprecision highp float;\nout vec4 c;\nvoid main() {\n  c = vec4(1.0);\n}";
    let (map, module) = read("a.frag", text);
    let bare = write(&module, &Options { names: false, ..Options::default() }).unwrap().words;
    assert!(operands(&bare, Op::Name).is_empty() && operands(&bare, Op::Line).is_empty());
    let full = write(&module, &Options { lines: Some(&map), ..Options::default() }).unwrap().words;
    assert!(operands(&full, Op::Line).iter().any(|o| o[1..] == [5, 3]), "the store is in line 5");
    assert_eq!(operands(&full, Op::Source)[0][..2], [spirv::SourceLanguage::ESSL as u32, 310]);
}

#[test]
fn the_interface_holds_more_from_1_4_on() {
    let text = "#version 310 es\nprecision highp float;\nuniform float u;\nfloat g;\nin float i;\nout vec4 c;\n\
                void main() { g += i; c = vec4(u + g); }";
    let interface = |version| {
        let words = words(text, "a.frag", &Options { version, ..Options::default() });
        operands(&words, Op::EntryPoint)[0].len() - 4
    };
    assert_eq!((interface(Version::V1_3), interface(Version::V1_4)), (2, 4));
}

#[test]
fn vertex_shaders_are_turned_on_request() {
    let text =
        "#version 310 es\nin vec4 p;\nvoid main() { gl_Position = p; if (p.x > 0.0) return; gl_Position = p.yxzw; }";
    let negations = |flip_y| {
        let words = words(text, "a.vert", &Options { flip_y, ..Options::default() });
        judge::accepts(&words, "vulkan1.1");
        operands(&words, Op::FNegate).len()
    };
    assert_eq!((negations(false), negations(true)), (0, 2), "before each return");
}
