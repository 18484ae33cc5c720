//! The files that a build reads and writes.

use std::fs;
use std::path::Path;

use planish_build::Build;
use planish_build::planish::{Settings, Target};

use crate::errors::{GOOD, folder_with};

fn names(paths: &[std::path::PathBuf], folder: &Path) -> Vec<String> {
    let name = |path: &std::path::PathBuf| path.strip_prefix(folder).expect("it is below").display().to_string();
    paths.iter().map(|path| name(path).replace('\\', "/")).collect()
}

#[test]
fn everything_that_is_read_is_watched_and_nothing_is_written_twice() {
    let include = "#version 300 es\n#extension GL_GOOGLE_include_directive : require\nprecision highp float;\n#include \"half.glsl\"\n\
                   out vec4 c;\nvoid main() { c = vec4(half_of(LEVEL)); }\n";
    let files = [
        ("s/a.frag", include),
        ("s/more/b.frag", GOOD),
        ("s/more/notes.txt", "none"),
        ("lib/half.glsl", "float half_of(float x) { return x / 2.0; }\n"),
        ("p.glsl", "#define LEVEL 3.0\n"),
    ];
    let folder = folder_with("build-files", &files);
    let build = Build::new().folder(folder.join("s")).include(folder.join("lib")).prelude_file(folder.join("p.glsl"));
    let build = build.targets([Target::Wgsl, Target::Spirv, Target::Glsl, Target::Msl, Target::Hlsl, Target::Reflect]);
    let output = build.compile_to(folder.join("out")).expect("it is valid");
    assert_eq!(names(&output.read, &folder), ["s", "p.glsl", "s/a.frag", "lib/half.glsl", "s/more/b.frag"]);
    let written = names(&output.files, &folder);
    for name in ["out/shaders.rs", "out/shaders/a.frag.wgsl", "out/shaders/a.frag.spv", "out/shaders/more/b.frag.metal"]
    {
        assert!(written.iter().any(|file| file == name), "{name} in {written:?}");
    }
    assert_eq!(written.len(), 13);
    let wgsl = fs::read_to_string(folder.join("out/shaders/a.frag.wgsl")).expect("it is written");
    assert!(wgsl.contains("1.5"), "{wgsl}");
    // Times of files that stay the same stay, too: what includes them is not compiled again.
    let times = || -> Vec<_> {
        output
            .files
            .iter()
            .map(|file| fs::metadata(file).and_then(|about| about.modified()).expect("it is there"))
            .collect()
    };
    let before = times();
    assert_eq!(build.compile_to(folder.join("out")).expect("it is valid"), output);
    assert_eq!(times(), before);
    fs::write(folder.join("s/more/b.frag"), GOOD.replace("1.0", "0.25")).expect("writable");
    build.compile_to(folder.join("out")).expect("it is valid");
    let changed: Vec<bool> = times().iter().zip(&before).map(|(now, before)| now != before).collect();
    let of_b: Vec<bool> = written.iter().map(|name| name.contains("/b.frag")).collect();
    // (Reflection does not depend on the number.)
    let is_reflection = |name: &String| name.ends_with(".json");
    for ((changed, of_b), name) in changed.into_iter().zip(of_b).zip(&written) {
        assert_eq!(changed, of_b && !is_reflection(name), "{name}");
    }
    // Nothing temporary is left.
    assert_eq!(fs::read_dir(folder.join("out")).expect("a folder").count(), 2);
}

#[test]
fn stages_of_one_name_are_one_program() {
    let vertex = "#version 300 es\nuniform float size;\nin vec2 at;\nout vec3 second;\nout vec2 first;\n\
                  void main() { first = at; second = vec3(size); gl_Position = vec4(at, 0.0, 1.0); }\n";
    let fragment = "#version 300 es\nprecision highp float;\nuniform float light;\nin vec2 first;\nin vec3 second;\nout vec4 c;\n\
                    void main() { c = vec4(first, second.x * light, 1.0); }\n";
    let folder = folder_with("build-stages", &[("s/sky.vert", vertex), ("s/sky.frag", fragment)]);
    let build = Build::new().folder(folder.join("s")).group_stages(true);
    let output = build.compile_to(folder.join("out")).expect("it is valid");
    let text = fs::read_to_string(&output.module).expect("it is written");
    for part in
        ["pub mod sky {", "    pub mod vertex {", "    pub mod fragment {", "pub struct Uniforms", "pub const UNIFORMS"]
    {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    // One block with the uniforms of both.
    assert!(text.contains("pub const fn new(light: f32, size: f32) -> Self"), "{text}");
    let wgsl = |stage| fs::read_to_string(folder.join(format!("out/shaders/sky.{stage}.wgsl"))).expect("it is written");
    for varying in ["@location(1) second", "@location(0) first"] {
        assert!(wgsl("vert").contains(varying) && wgsl("frag").contains(varying), "{}\n{}", wgsl("vert"), wgsl("frag"));
    }
    // A mistake between stages is found.
    fs::write(
        folder.join("s/sky.vert"),
        vertex.replace("vec3(size)", "vec2(size)").replace("vec3 second", "vec2 second"),
    )
    .expect("writable");
    let error = build.compile_to(folder.join("out")).expect_err("the types differ").to_string();
    assert!(error.contains("`second` has another type in the vertex shader"), "{error}");
}

#[test]
fn macros_come_from_the_environment_and_options_of_the_library_are_taken() {
    let source = GOOD.replace("vec4(1.0)", "vec4(CARGO_PKG_VERSION_MAJOR, NUMBER, NUMBER, NUMBER)");
    let source = source.replace("void main", "uniform T { vec4 t; };\nvoid main").replace("NUMBER, NUMBER)", "t.xy)");
    let folder = folder_with("build-environment", &[("a.frag", &source)]);
    let mut settings = Settings::default();
    settings.emit.group = Some(2);
    let build =
        Build::new().file(folder.join("a.frag")).settings(settings).set("minify", "true").define("NUMBER", "0.625");
    build.clone().compile_to(folder.join("out")).expect_err("the macro is not there");
    let build = build.define_from_env("CARGO_PKG_VERSION_MAJOR").define_from_env("PLANISH_BUILD_IS_NOT_SET");
    let output = build.compile_to(folder.join("out")).expect("it is valid");
    let wgsl = fs::read_to_string(folder.join("out/shaders/a.frag.wgsl")).expect("it is written");
    assert!(wgsl.contains(".625") && wgsl.contains("@group(2)"), "{wgsl}");
    let module = fs::read_to_string(output.module).expect("it is written");
    assert!(module.contains("Binding { group: 2, binding: 0 }"), "{module}");
}

#[test]
fn warnings_are_given_with_their_lines() {
    let source = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { float x; c = vec4(x); }\n";
    let folder = folder_with("build-warnings", &[("a.frag", source)]);
    let output = Build::new().file(folder.join("a.frag")).compile_to(folder.join("out")).expect("it is valid");
    let [warning] = &output.warnings[..] else { panic!("{:?}", output.warnings) };
    assert!(warning.starts_with("warning") && warning.contains("a.frag:4:"), "{warning}");
}

/// An override is known if one of the programs has the constant.
#[test]
fn overrides_are_those_of_any_program() {
    let source = "#version 450\nlayout(constant_id = 3) const int COUNT = 4;\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(COUNT); }\n";
    let folder = folder_with("build-overrides", &[("s/a.frag", source), ("s/b.frag", GOOD)]);
    let build = Build::new().folder(folder.join("s")).set("override", "COUNT=75");
    build.compile_to(folder.join("out")).expect("one of them has it");
    let wgsl = fs::read_to_string(folder.join("out/shaders/a.frag.wgsl")).expect("it is written");
    assert!(wgsl.contains("75") && !wgsl.contains("override"), "{wgsl}");
    let error = build.set("override", "COUNTS=75").compile_to(folder.join("out")).expect_err("none has it").to_string();
    assert!(error.contains("no specialization constant `COUNTS`"), "{error}");
}

/// A module of WGSL is no program, and is read by those that import it; an override without a number is known by its name.
#[test]
fn modules_of_wgsl_are_imported() {
    let main = "#import shared::glow\noverride power: f32 = 2.0;\n@id(7) override base: f32 = 1.0;\n\
                @fragment fn main() -> @location(0) vec4f { return vec4f(glow::scaled(base) * power); }\n";
    let files = [
        ("s/main.wgsl", main),
        ("s/lib/glow.wgsl", "#define_import_path shared::glow\nfn scaled(x: f32) -> f32 { return x * 3.0; }\n"),
    ];
    let folder = folder_with("build-modules", &files);
    let build = Build::new().folder(folder.join("s")).include(folder.join("s")).targets([Target::Wgsl]);
    let output = build.compile_to(folder.join("out")).expect("it is valid");
    assert_eq!(names(&output.read, &folder), ["s", "s/main.wgsl", "s/lib/glow.wgsl"]);
    assert_eq!(names(&output.files, &folder), ["out/shaders/main.wgsl.wgsl", "out/shaders.rs"]);
    let module = fs::read_to_string(folder.join("out/shaders.rs")).expect("it is written");
    for part in ["pub const POWER: &str = \"power\";", "pub const BASE: u32 = 7;"] {
        assert!(module.contains(part), "{part} in {module}");
    }
}
