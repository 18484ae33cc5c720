//! Random programs and the programs of the gallery, flattened: the flat twin draws the same bits after every stage.

use std::fmt::Write as _;
use std::path::Path;

use planish::flatten::{Options, STAGES, is_flat};
use planish::ir::text::print;
use planish::ir::walk;
use planish::module::Module;
use planish::{Compiler, Flattener};
use planish_generate::{Program, glsl, tame_glsl};
use planish_testkit::{committed, share};

use crate::common::seeds::{compile, for_each_seed, picture};

/// Why a program does not survive flattening.
pub(crate) fn survives(program: &Program) -> Option<String> {
    match compile(&program.to_string()) {
        Ok(module) => flat(module, None).err(),
        Err(errors) => Some(format!("not accepted:\n{errors}")),
    }
}

/// The same, and with fast-math it becomes flat and valid too. What it draws then cannot be compared: random programs have
/// infinities and NaN on their way, which fast-math takes to be none (the gallery is compared, and random expressions in the
/// tests of the stages).
fn survives_fast(program: &Program) -> Option<String> {
    let told = survives(program);
    if told.is_some() {
        return told;
    }
    let module = compile(&program.to_string()).expect("it was accepted");
    let fast = Options { fast_math: true, ..Options::default() };
    flat(module, Some(fast)).err().filter(|why| !why.contains(FAR))
}

/// Flattens a shader; the nodes after each stage.
///
/// # Errors
/// What is wrong after which stage.
fn flat(mut module: Module, options: Option<Options>) -> Result<Vec<usize>, String> {
    let expected = picture(&module).map_err(|error| format!("cannot be drawn: {error}"))?;
    let func = module.entry_points[0].func;
    let mut counts = Vec::new();
    let is_strict = options.is_none();
    let options = options.unwrap_or_default();
    for stage in STAGES {
        if let Err(errors) = (stage.run)(&mut module, func, &options) {
            return Err(format!("{} refuses: {errors:#?}", stage.name));
        }
        let errors = planish::ir::verify::verify(&module);
        if !errors.is_empty() {
            return Err(format!("not valid after {}: {errors:#?}\n{}", stage.name, print(&module)));
        }
        if is_strict && picture(&module).as_ref() != Ok(&expected) {
            return Err(format!("{} changes the picture:\n{}", stage.name, print(&module)));
        }
        let body = module.funcs[func].body.as_ref().expect("it has one");
        if !is_flat(&module, body) {
            return Err(format!("not flat after {}:\n{}", stage.name, print(&module)));
        }
        counts.push(walk::node_count(body));
    }
    let far =
        picture(&module)?.iter().flatten().zip(expected.iter().flatten()).filter(|&(&a, &b)| !is_near(a, b)).count();
    if far * 20 > expected.len() * 4 {
        return Err(format!(
            "{far} of {} numbers are far from what they were:\n{}",
            expected.len() * 4,
            print(&module)
        ));
    }
    Ok(counts)
}

const FAR: &str = "numbers are far from what they were";

/// Whether two numbers of a picture look the same: what fast-math may change. A branch that goes the other way for it may
/// change more, in a few places.
fn is_near(a: u32, b: u32) -> bool {
    let (a, b) = (f32::from_bits(a), f32::from_bits(b));
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 0.002 * a.abs().max(1.0)
}

/// Seeds that once found something; kept for ever.
const ONCE: [u64; 0] = [];
const ONCE_TAME: [u64; 0] = [];

#[test]
fn random_programs_draw_the_same_when_they_are_flat() {
    for_each_seed(0..300, &ONCE, glsl, survives);
    for_each_seed(0..300, &ONCE_TAME, tame_glsl, survives_fast);
}

/// The gallery: every shader becomes flat and draws the same bits, and has so many nodes after each stage.
#[test]
fn the_gallery_is_flat() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/flatten");
    let mut files: Vec<_> = folder.read_dir().expect("the folder is there").flatten().map(|e| e.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "frag" || e == "wgsl"));
    files.sort();
    assert!(files.len() >= 60, "only {} shaders", files.len());
    let names: Vec<&str> = STAGES.iter().map(|s| s.name).collect();
    let mut told = format!(
        "# Nodes after each stage: strict, then with fast-math. `BLESS=1` writes this file.\n# {}\n",
        names.join(" ")
    );
    let mut failures = Vec::new();
    let before = std::fs::read_to_string(folder.join("nodes.txt")).unwrap_or_default();
    let chosen: Vec<_> = share(&files).collect();
    for path in &files {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        if !chosen.contains(&path) {
            // As it was.
            let row = before.lines().find(|row| row.starts_with(&format!("{name}: ")));
            told.extend([row.unwrap_or_else(|| panic!("no row for {name}: BLESS=1 PLANISH_TESTS=all")), "\n"]);
            continue;
        }
        let source = std::fs::read_to_string(path).expect("can be read");
        let compilation = Compiler::default().compile(&name, &source);
        let module = compilation.module.unwrap_or_else(|| panic!("{name} has errors"));
        let fast = Options { fast_math: true, ..Options::default() };
        match (flat(module.clone(), None), flat(module, Some(fast))) {
            (Ok(strict), Ok(fast)) => {
                let row = |counts: Vec<usize>| counts.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
                writeln!(told, "{name}: {}; {}", row(strict), row(fast)).expect("a string grows");
            }
            (strict, fast) => {
                failures.extend([strict, fast].into_iter().filter_map(Result::err).map(|e| format!("{name}: {e}")))
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    committed("examples/flatten/nodes.txt", &told);
}

/// Lanes of a vector are of one type: a byte as a word of 16 bits and as one of 32 are not.
#[test]
fn conversions_to_other_types_are_not_packed_together() {
    let module = compile(
        "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n\
         layout(location = 0) out vec4 color;\nuint16_t word;\nvoid main() {\n\
         u8vec4 bytes = u8vec4(uvec4(gl_FragCoord.xyyx) * uvec4(77u, 85u, 131u, 1u));\n\
         word >>= ++word + pack16(bytes.yw);\nuint hash = uint(word) + uint(bytes.x);\n\
         color = vec4(vec2(hash & 0xffffu, hash >> 16) / 65536.0, color.zw);\n}\n",
    );
    let counts = flat(module.unwrap_or_else(|errors| panic!("{errors}")), None);
    assert!(counts.is_ok(), "{counts:?}");
}

/// A fraction is one of two results: an op of both, which no select can choose.
#[test]
fn fractions_in_both_arms_stay_there() {
    let module = compile(
        "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\nuniform int16_t divisor;\n\
         uniform u8vec4 bytes;\nlayout(location = 0) out vec4 color;\nfloat16_t tiny;\nfloat whole;\nvoid main() {\n\
         for (int i = 0; i < 4; ++i) {\n\
         if (modf(whole, whole) >= 0.0) { if (isinf(f16vec4(bytes).y)) break; }\ntiny /= float16_t(divisor);\n}\n\
         color = vec4(whole, tiny, 0.0, 1.0);\n}\n",
    );
    let counts = flat(module.unwrap_or_else(|errors| panic!("{errors}")), None);
    assert!(counts.is_ok(), "{counts:?}");
}

/// `#pragma planish flatten` marks the function behind it; elsewhere it says that it does nothing.
#[test]
fn the_source_says_what_is_flat() {
    let source = |first: &str, second: &str| {
        format!(
            "#version 300 es\nprecision highp float;\nout vec4 c;\n{first}\nfloat f(float x) {{ if (x > 1.0) return 2.0; return x; }}\n\
             {second}\nfloat u = 1.0;\nvoid main() {{ if (u > f(gl_FragCoord.x)) c = vec4(1.0); }}\n"
        )
    };
    let told = |text: &str| {
        let mut compiler = Compiler::default();
        let compilation = compiler.compile("a.frag", text);
        let codes: Vec<String> = compilation.diagnostics.iter().map(|d| d.code.to_string()).collect();
        let mut module = compilation.module.expect("is valid");
        Flattener::default().run(&mut module, &mut |_, _| {}).expect("can be flat");
        let body = |name: &str| {
            let found = module.funcs.values().find(|f| &*f.name.text == name).expect("is there");
            walk::blocks(found.body.as_ref().expect("has an inside")).count()
        };
        (codes, body("f"), body("main"))
    };
    assert_eq!(told(&source("", "")), (vec![], 4, 4));
    assert_eq!(told(&source("#pragma planish flatten", "")), (vec![], 1, 4));
    assert_eq!(told(&source("", "#pragma planish flatten")), (vec!["W0109".into()], 4, 4));
    assert_eq!(told(&source("#pragma planish flaten", "")), (vec!["W0109".into()], 4, 4));
}

#[test]
fn graphs_of_binaries_name_places_in_them() {
    let binary = include_bytes!("../../front/spirv/tests/binaries/falls_into_case.frag.spv");
    let mut compiler = Compiler::default();
    let mut module = compiler.compile("falls_into_case.frag.spv", &binary[..]).module.expect("it is valid");
    let flattener = Flattener { entry_points: true, ..Flattener::default() };
    flattener.run(&mut module, &mut |_, _| {}).expect("it can be flat");
    let options = planish::EmitOptions { debug_info: Some(compiler.map), ..planish::EmitOptions::default() };
    for target in [planish::Target::Graph, planish::Target::GraphSvg] {
        let graph = planish::emit(&module, target, &options).expect("it is a graph");
        assert!(!graph.bytes.is_empty());
    }
}
