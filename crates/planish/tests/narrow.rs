//! Random programs with floats of 16 bits and integers of 8 and 16 bits: every pass, every way out and back in and every engine
//! keeps their pictures.
//!
//! A failing program is shrunk before it is shown. `PLANISH_SEEDS=FROM..TO` runs other programs than the usual ones.

use planish::module::Module;
use planish::{EmitOptions, Optimizer, TARGETS, Target, Version, emit};
use planish_generate::{Program, narrow_glsl, ordered_narrow_glsl};
use planish_reference::Stop;
use planish_testkit::one_fragment;

use crate::common::seeds::{compile, for_each_seed, picture};
use crate::{common, flatten, halves, lanes, random, spirv, wgsl};

#[test]
fn passes_keep_pictures_of_narrow_numbers() {
    for_each_seed(0..40, &[], narrow_glsl, random::survives);
}

#[test]
fn spirv_keeps_pictures_of_narrow_numbers() {
    for_each_seed(0..40, &[], narrow_glsl, spirv::fault);
}

#[test]
fn wgsl_keeps_pictures_of_narrow_numbers() {
    for_each_seed(0..40, &[], narrow_glsl, wgsl::survives);
}

#[test]
fn flattening_keeps_pictures_of_narrow_numbers() {
    for_each_seed(0..20, &[], narrow_glsl, flatten::survives);
}

#[test]
fn lanes_keep_pictures_of_narrow_numbers() {
    let survives = |program: &Program| {
        let module = compile(&program.to_string()).expect("random programs are valid");
        lanes::compare("it", &module, &lanes::options([16, 8]));
        None
    };
    for_each_seed(0..20, &[], narrow_glsl, survives);
}

#[test]
fn the_reference_has_the_same_narrow_numbers() {
    let survives = |program: &Program| {
        let module = compile(&program.to_string()).expect("random programs are valid");
        match one_fragment::compare(&module, 0, Some("2")) {
            Ok(()) | Err(Stop::Discarded) => None,
            Err(stop) => Some(format!("stops: {stop}")),
        }
    };
    for_each_seed(0..100, &[], narrow_glsl, survives);
}

/// SPIR-V that glslang makes of a random program draws the same, and it accepts the GLSL and the SPIR-V that we make of it.
#[test]
fn outside_tools_agree_about_narrow_numbers() {
    let survives = |program: &Program| {
        let source = program.to_string();
        let module = compile(&source).expect("random programs are valid");
        let expected = picture(&module).ok()?;
        // SPIR-V for OpenGL would have the other origin, which is not supported.
        let extension = "GL_EXT_shader_explicit_arithmetic_types : require\n";
        let origin = format!("{extension}layout(origin_upper_left) in vec4 gl_FragCoord;\n");
        match glslang(&source.replace(extension, &origin))? {
            Err(said) => return Some(format!("glslang refuses it: {said}")),
            // It makes matrices of halves from a scalar with zeros that are floats.
            Ok(bytes) if spirv::objection(&bytes, "opengl4.5").is_some() => {}
            Ok(bytes) => match common::compile("again.spv", bytes) {
                Err(errors) => return Some(format!("SPIR-V of glslang is not read: {errors}")),
                Ok(again) if picture(&again).as_ref() != Ok(&expected) => {
                    return Some(format!("SPIR-V of glslang draws something else: {:?} {expected:?}", picture(&again)));
                }
                Ok(_) => {}
            },
        }
        ["0", "2"].into_iter().find_map(|level| {
            let mut module = module.clone();
            Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
            let output = emit(&module, Target::Spirv, &EmitOptions::default()).ok()?;
            if let Some(said) = spirv::objection(&output.bytes, "vulkan1.1") {
                return Some(format!("spirv-val: -O{level}: {said}"));
            }
            let output = emit(&module, Target::Glsl, &EmitOptions::default()).ok()?;
            let text = String::from_utf8_lossy(&output.bytes);
            // To it, a constant is not made by `uintBitsToFloat`, though GLSL says so.
            let said = halves::complaint("frag", &text).filter(|said| !said.contains("initializers must be constant"));
            said.map(|said| format!("glslangValidator: -O{level}: {said}\n{text}"))
        })
    };
    for_each_seed(0..9, &[], ordered_narrow_glsl, survives);
}

/// SPIR-V of glslang, or its complaints; `None` if it is not installed.
fn glslang(source: &str) -> Option<Result<Vec<u8>, String>> {
    let thread = std::thread::current().id();
    let path = std::env::temp_dir().join(format!("planish-narrow-{}-{thread:?}", std::process::id()));
    let (from, to) = (path.with_extension("frag"), path.with_extension("spv"));
    std::fs::write(&from, source).expect("it is written");
    let output = std::process::Command::new("glslangValidator")
        .args(["-G", "--auto-map-locations", "--target-env", "opengl", "-o"])
        .args([&to, &from])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let bytes = output.status.success().then(|| std::fs::read(&to).expect("it is there"));
    let _ = (std::fs::remove_file(&from), std::fs::remove_file(&to));
    Some(bytes.ok_or(said))
}

/// Why a module is not the same in languages without narrow numbers, or in text; `None` if it is.
fn lowered(level: &str, module: &Module, source: &Module) -> Option<String> {
    let expected = picture(source).ok()?;
    let text = planish::ir::text::print(module);
    match planish::ir::text::parse_str(&text) {
        Ok(again) if planish::ir::text::print(&again) != text => {
            return Some(format!("text differs: -O{level}\n{text}"));
        }
        Ok(again) if picture(&again).as_ref() != Ok(&expected) => {
            return Some(format!("text draws: -O{level}\n{text}"));
        }
        Ok(_) => {}
        Err(errors) => return Some(format!("text is not read: -O{level}: {errors:#?}\n{text}")),
    }
    for version in [Version::desktop(420), Version::es(320)] {
        let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
        let text = match emit(module, Target::Glsl, &options) {
            Ok(artifact) => String::from_utf8_lossy(&artifact.bytes).into_owned(),
            Err(errors) if errors.iter().all(|e| ["E0602", "E0604", "E0605"].contains(&e.code.0)) => continue,
            Err(errors) => return Some(format!("not printed: -O{level}, {version:?}: {errors:#?}")),
        };
        match compile(&text) {
            Ok(again) if picture(&again).as_ref() == Ok(&expected) => {}
            Ok(_) => return Some(format!("the output draws something else: -O{level}, {version:?}\n{text}")),
            Err(errors) => {
                return Some(format!("the output is not accepted: -O{level}, {version:?}\n{errors}\n{text}"));
            }
        }
    }
    TARGETS.iter().find_map(|target| {
        let errors = emit(module, target.target, &EmitOptions::default()).err()?;
        let is_internal = |code: &str| ["E0699", "E0698"].contains(&code);
        errors.iter().any(|e| is_internal(e.code.0)).then(|| format!("{} fails: -O{level}: {errors:#?}", target.name))
    })
}

#[test]
fn targets_without_narrow_numbers_keep_pictures() {
    let survives = |program: &Program| {
        let source = compile(&program.to_string()).expect("random programs are valid");
        ["0", "2"].into_iter().find_map(|level| {
            let mut module = source.clone();
            Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
            lowered(level, &module, &source)
        })
    };
    for_each_seed(0..40, &[], narrow_glsl, survives);
}
