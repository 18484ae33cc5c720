//! SPIR-V: what we write, read back, draws the same bits; `spirv-val`, where it is installed, takes it in every version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use planish::eval::shade::{DrawOptions, draw};
use planish::module::{Module, Stage};
use planish::{Compiler, EmitOptions, Optimizer, SpirvVersion, Target, emit};
use planish_generate::{Choices, Program, glsl, reduce};

use crate::common::{compile, picture};

fn spirv(module: &Module, options: &EmitOptions) -> Result<Vec<u8>, String> {
    emit(module, Target::Spirv, options).map(|a| a.bytes).map_err(|d| format!("not written: {d:#?}"))
}

/// Why a module is not the same after the way through SPIR-V; `None` if it is.
fn fault_of(module: &Module, size: [u32; 2]) -> Option<String> {
    let expected = match picture(module, size) {
        Ok(picture) => picture,
        Err(error) => return Some(format!("cannot be drawn: {error}")),
    };
    let bytes = match spirv(module, &EmitOptions::default()) {
        Ok(bytes) => bytes,
        Err(error) => return Some(error),
    };
    let again = match compile("again.spv", &bytes) {
        Ok(module) => module,
        Err(errors) => return Some(format!("the output is not read: {errors}")),
    };
    match picture(&again, size) {
        Ok(picture) if picture == expected => None,
        Ok(picture) => {
            let at = expected.iter().zip(&picture).position(|(a, b)| a != b).unwrap_or(0);
            let show = |p: [u32; 4]| p.map(f32::from_bits);
            let (want, have) = (show(expected[at]), show(picture[at]));
            Some(format!("the output draws something else: pixel {at} is {have:?}, not {want:?}"))
        }
        Err(error) => Some(format!("the output cannot be drawn: {error}")),
    }
}

/// Levels of optimization, each with what it makes of a module.
fn levels(module: &Module) -> Vec<(&'static str, Module)> {
    let mut levels = vec![];
    for level in planish::LEVELS {
        let mut module = module.clone();
        Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        levels.push((*level, module));
    }
    levels
}

/// Errors of `spirv-val` for a module; `None` if it accepts it or is not installed.
pub(crate) fn objection(bytes: &[u8], environment: &str) -> Option<String> {
    use std::io::Write as _;
    let command = Command::new("spirv-val")
        .args(["--target-env", environment, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = command else {
        eprintln!("skipped: there is no spirv-val");
        return None;
    };
    child.stdin.take().expect("piped").write_all(bytes).expect("spirv-val reads");
    let output = child.wait_with_output().expect("spirv-val ends");
    let said = [output.stdout, output.stderr].map(|s| String::from_utf8_lossy(&s).into_owned()).concat();
    (!output.status.success()).then_some(said)
}

fn shaders(folder: &str, least: usize) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("shaders")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| ["frag", "vert", "comp"].iter().any(|x| e == *x)))
        .collect();
    files.sort();
    assert!(files.len() >= least, "{} has too few shaders", folder.display());
    files
}

fn all_shaders() -> Vec<PathBuf> {
    let mut all = shaders("../../examples/shaders", 70);
    all.extend(shaders("../back/naga/tests/cases", 8));
    all
}

/// Every version, and the environment by which `spirv-val` knows it.
pub(crate) fn versions() -> impl Iterator<Item = (SpirvVersion, &'static str)> {
    let environments = ["vulkan1.0", "spv1.1", "spv1.2", "vulkan1.1", "vulkan1.1spv1.4", "vulkan1.2", "vulkan1.3"];
    SpirvVersion::ALL.into_iter().zip(environments)
}

#[test]
fn shaders_are_valid_in_every_version() {
    for file in all_shaders() {
        let source = std::fs::read_to_string(&file).expect("a shader");
        let mut compiler = Compiler::default();
        let compilation = compiler.compile(&file.to_string_lossy(), &source);
        let module = compilation.module.unwrap_or_else(|| panic!("{}: not accepted", file.display()));
        for (level, module) in levels(&module) {
            // The optimized program in all versions, the others in the usual one.
            let wanted = |version: &SpirvVersion| level == "2" || *version == SpirvVersion::default();
            for (version, environment) in versions().filter(|(v, _)| wanted(v)) {
                let debug_info = Some(compiler.map.clone()).filter(|_| version == SpirvVersion::V1_3);
                let options = EmitOptions { spirv_version: version, debug_info, ..EmitOptions::default() };
                let bytes = spirv(&module, &options).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                if let Some(said) = objection(&bytes, environment) {
                    panic!("{} at level {level}, {version:?}: {said}", file.display());
                }
                // The IR has a name for all that we write of GLSL.
                let again = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                let unknown: Vec<&str> = again.custom_ops.values().map(|row| &*row.name).collect();
                assert!(!again.has_spirv_parts(), "{} at level {level}: {unknown:?}", file.display());
            }
        }
    }
}

#[test]
fn shaders_draw_the_same_picture() {
    let mut faults = vec![];
    for file in all_shaders() {
        let source = std::fs::read_to_string(&file).expect("a shader");
        let module = compile(&file.to_string_lossy(), &source).expect("accepted");
        let is_fragment = module.entry_points[0].stage == Some(Stage::Fragment);
        // Samplers in structs get other names, and with them other default textures.
        let renamed = file.ends_with("textures.frag");
        // Booleans in buffers are integers, which have other default values.
        let has_booleans = ["blocks.frag", "uniforms.frag"].iter().any(|name| file.ends_with(name));
        if !is_fragment || renamed || has_booleans || source.contains("// no picture") {
            continue;
        }
        for (level, module) in levels(&module) {
            if let Some(why) = fault_of(&module, [12, 10]) {
                faults.push(format!("{} at level {level}: {why}", file.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

pub(crate) fn fault(program: &Program) -> Option<String> {
    let module = match compile("random.frag", program.to_string()) {
        Ok(module) => module,
        Err(errors) => return Some(format!("not accepted: {errors}")),
    };
    levels(&module).into_iter().find_map(|(level, module)| {
        let why = fault_of(&module, [4, 4])?;
        Some(format!("{why} (level {level})"))
    })
}

#[test]
fn random_programs_survive_the_way_through_spirv() {
    let given = std::env::var("PLANISH_SEEDS").ok();
    let given = given.as_deref().and_then(|s| s.split_once(".."));
    let seeds = given.and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?)).unwrap_or(0u64..400);
    for seed in seeds {
        let program = glsl(&mut Choices::from_seed(seed));
        let Some(why) = fault(&program) else { continue };
        let kind = |why: &str| why.split(':').next().unwrap_or_default().to_owned();
        let small = reduce(&program, 2000, &mut |p| fault(p).is_some_and(|w| kind(&w) == kind(&why)));
        let why = fault(&small).unwrap_or(why);
        panic!("seed {seed}: {why}\n--- program\n{small}");
    }
}

/// The output of a tool for words that it reads; `None` if it is not installed.
fn filtered(command: &str, args: &[&str], bytes: &[u8]) -> Option<Vec<u8>> {
    use std::io::Write as _;
    let piped = Command::new(command).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = piped else {
        eprintln!("skipped: there is no {command}");
        return None;
    };
    child.stdin.take().expect("piped").write_all(bytes).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{command} {args:?} fails");
    Some(output.stdout)
}

/// Output of passes of `spirv-opt` that rewrite control flow draws the same picture, and is valid SPIR-V again.
#[test]
fn examples_survive_spirv_opt() {
    // None that change floats.
    let passes = [
        "--target-env=vulkan1.1",
        "--wrap-opkill",
        "--eliminate-dead-branches",
        "--merge-return",
        "--inline-entry-points-exhaustive",
        "--ssa-rewrite",
        "--eliminate-dead-branches",
        "--merge-blocks",
        "--cfg-cleanup",
        "--eliminate-dead-code-aggressive",
        "--if-conversion",
        "--redundancy-elimination",
        "--code-sink",
        "-",
        "-o",
        "-",
    ];
    let (mut same, mut faults) = (0, vec![]);
    for file in shaders("../../examples/shaders", 70) {
        let source = std::fs::read_to_string(&file).expect("a shader");
        let module = compile(&file.to_string_lossy(), &source).expect("accepted");
        let bytes = spirv(&module, &EmitOptions::default()).expect("written");
        let Some(rewritten) = filtered("spirv-opt", &passes, &bytes) else { return };
        let again = match compile("again.spv", &rewritten) {
            Ok(again) => again,
            Err(error) => {
                faults.push(format!("{} is not read: {error}", file.display()));
                continue;
            }
        };
        match picture(&again, [12, 10]) == picture(&module, [12, 10]) {
            true => same += 1,
            false => faults.push(format!("{} draws something else", file.display())),
        }
        let output = spirv(&again, &EmitOptions::default()).expect("written again");
        faults.extend(objection(&output, "vulkan1.1").map(|said| format!("{}: {said}", file.display())));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(same > 70, "only {same} are read");
}

/// Whether pictures are the same but for the rounding of a few operations: glslang folds constants with doubles.
fn are_near(a: &[[u32; 4]], b: &[[u32; 4]]) -> bool {
    let near = |(a, b): (&u32, &u32)| a == b || (f32::from_bits(*a) - f32::from_bits(*b)).abs() < 1e-3;
    a.len() == b.len() && a.iter().flatten().zip(b.iter().flatten()).all(near)
}

/// Binaries of glslang, with debug information and names, draw the picture of their source, and are valid when they are written
/// again; so are those that `spirv-opt` makes smaller or faster.
#[test]
fn examples_survive_glslang() {
    let path = std::env::temp_dir().join(format!("planish-glslang-{}", std::process::id()));
    let (source_path, binary_path) = (path.with_extension("frag"), path.with_extension("spv"));
    let (mut same, mut faults) = (0, vec![]);
    for file in shaders("../../examples/shaders", 70) {
        let source = std::fs::read_to_string(&file).expect("a shader");
        let is_fragment = file.extension().is_some_and(|e| e == "frag");
        if !is_fragment || !source.contains("#version 300 es") || source.contains("// no picture") {
            continue;
        }
        // The oldest version of ES that glslang turns into SPIR-V.
        let source = source.replace("#version 300 es", "#version 310 es");
        std::fs::write(&source_path, &source).expect("can be written");
        let status = Command::new("glslangValidator")
            .args(["-V", "-g", "-R", "--auto-map-locations", "--auto-map-bindings", "--target-env", "vulkan1.1", "-o"])
            .args([&binary_path, &source_path])
            .stdout(Stdio::null())
            .status();
        let Ok(status) = status else {
            eprintln!("skipped: there is no glslangValidator");
            return;
        };
        if !status.success() {
            continue;
        }
        let bytes = std::fs::read(&binary_path).expect("written");
        let name = file.file_name().expect("a file").to_string_lossy();
        let module = compile("again.frag", &source).expect("accepted");
        let expected = picture(&module, [12, 10]).expect("drawn");
        match compile("again.spv", &bytes) {
            Ok(module) if picture(&module, [12, 10]).is_ok_and(|found| are_near(&found, &expected)) => same += 1,
            Ok(_) => faults.push(format!("{name} draws something else")),
            Err(errors) => faults.push(format!("{name} is not read: {errors}")),
        }
        for level in ["-O", "-Os"] {
            let Some(better) = filtered("spirv-opt", &[level, "-", "-o", "-"], &bytes) else { break };
            let again = compile("again.spv", &better).and_then(|module| spirv(&module, &EmitOptions::default()));
            match again {
                Ok(output) => {
                    faults.extend(objection(&output, "vulkan1.1").map(|said| format!("{name}, {level}: {said}")))
                }
                Err(errors) => faults.push(format!("{name}, {level}: {errors}")),
            }
        }
    }
    let _ = (std::fs::remove_file(&source_path), std::fs::remove_file(&binary_path));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(same > 40, "only {same} draw the same");
}

/// WGSL places the columns of a matrix of two rows every 8 bytes; Vulkan takes no such matrix in a uniform block.
#[test]
fn uniform_matrices_of_two_rows_are_valid() {
    const SOURCE: &str = "\
struct Inner { turn: mat2x2f, last: f32 }
struct Block { move_by: mat3x2f, @align(16) scale: f32, @align(16) inner: Inner, @align(16) column: u32, @align(16) wide: mat4x2f }
@group(0) @binding(0) var<uniform> block: Block;

@fragment
fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let inner = block.inner;
    let whole = block.move_by * vec3f(at.xy, 1);
    let computed = block.move_by[block.column][u32(at.x)] + block.wide[u32(at.y)].y;
    return vec4f(whole + block.move_by[1] * block.scale, inner.turn[1].x + inner.last, computed);
}
";
    let module = compile("uniforms.wgsl", SOURCE.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    // By member; in SPIR-V, columns are members.
    let values: [(&str, &[&[f64]]); 6] = [
        ("move_by", &[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]),
        ("scale", &[&[0.5]]),
        ("inner.turn", &[&[7.0, 8.0], &[9.0, 10.0]]),
        ("inner.last", &[&[11.0]]),
        ("column", &[&[2.0]]),
        ("wide", &[&[12.0, 13.0], &[14.0, 15.0], &[16.0, 17.0], &[18.0, 19.0]]),
    ];
    let drawn = |module: &Module, split: bool| {
        let mut uniforms = vec![];
        for (name, columns) in values {
            match split && columns.len() > 1 {
                true => uniforms
                    .extend(columns.iter().enumerate().map(|(i, c)| (format!("block.{name}.column_{i}"), c.to_vec()))),
                false => uniforms.push((format!("block.{name}"), columns.concat())),
            }
        }
        let options = DrawOptions { size: [2, 2], threads: 1, uniforms, ..DrawOptions::default() };
        draw(module, &options).unwrap_or_else(|e| panic!("{e}")).float
    };
    let expected = drawn(&module, false);
    assert!(expected.iter().flatten().all(|x| *x > 1.0), "{expected:?}");
    let close = SOURCE.replace("@align(16) scale", "scale");
    let close = compile("uniforms.wgsl", close.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let refused = spirv(&close, &EmitOptions::default()).expect_err("a struct takes 16 bytes");
    assert!(refused.contains("Vulkan cannot place `scale`"), "{refused}");
    for (level, module) in levels(&module) {
        for version in [SpirvVersion::V1_0, SpirvVersion::V1_5] {
            let options = EmitOptions { spirv_version: version, ..EmitOptions::default() };
            let bytes = spirv(&module, &options).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(objection(&bytes, "vulkan1.2"), None, "{level}");
            let again = compile("again.spv", &bytes).unwrap_or_else(|e| panic!("{level}: {e}"));
            assert_eq!(drawn(&again, true), expected, "{level}, {version:?}");
        }
    }
}

/// Each entry point clears shared memory, and has what it reads for that in its interface.
#[test]
fn several_entry_points_have_what_they_read_in_their_interface() {
    let text = "module spirv\nvar workgroup @s: f32\nvar input builtin @gl_LocalInvocationIndex: u32 builtin(gl_LocalInvocationIndex)\n\
        struct $B block {\n  n: u32\n}\nvar storage interface @b: $B set(0) binding(0) std430\n\n\
        fn @first() {\nb0:\n  store @s, 1.0\n  return\n}\n\n\
        fn @second() {\nb0:\n  store @s, 2.0\n  %0 = load @gl_LocalInvocationIndex\n  %1 = access_struct_field[0] @b\n  \
        store %1, %0\n  return\n}\n\
        entry compute @first \"first\" local_size(4, 1, 1)\nentry compute @second \"second\" local_size(4, 1, 1)\n\
        entry compute @second \"third\" local_size(4, 1, 1)\n";
    let module = compile("x.ir", text).unwrap_or_else(|e| panic!("{e}"));
    let bytes = emit(&module, Target::Spirv, &EmitOptions::default()).expect("written").bytes;
    assert_eq!(objection(&bytes, "vulkan1.1"), None);
    // A function that is the entry point by two names is not called.
    let words: Vec<u32> = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    let (mut at, mut calls) = (5, 0);
    while at < words.len() {
        calls += usize::from(words[at] & 0xffff == 57);
        at += (words[at] >> 16) as usize;
    }
    assert_eq!(calls, 0);
}
