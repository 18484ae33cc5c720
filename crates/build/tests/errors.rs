//! Each wrong build is an error with the whole message, and writes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use planish_build::planish::Target;
use planish_build::{Build, Error};
use planish_testkit::scratch;

pub(crate) const GOOD: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = vec4(1.0); }\n";

/// A folder with files.
pub(crate) fn folder_with(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(test);
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(file, text).expect("it can be written");
    }
    folder
}

/// The error of a build into `out` below a folder, which stays empty.
fn error_of(build: &Build, folder: &Path) -> Error {
    let out = folder.join("out");
    let error = build.compile_to(&out).expect_err("it is wrong");
    assert!(!out.exists(), "something was written: {error}");
    // `unwrap` and `?` in `main` show the same as `Display`.
    assert_eq!(format!("{error:?}"), format!("\n{error}"));
    error
}

#[test]
fn folders_that_are_missing_or_empty() {
    let folder = folder_with("build-folders", &[("empty/common.glsl", "float x;"), ("empty/.hidden.frag", GOOD)]);
    let missing = error_of(&Build::new().folder(folder.join("missing")), &folder).to_string();
    assert!(missing.starts_with("error: cannot read the folder ") && missing.contains("missing"), "{missing}");
    let empty = error_of(&Build::new().folder(folder.join("empty")), &folder).to_string();
    assert!(empty.contains("no shaders in ") && empty.contains(".frag"), "{empty}");
    let none = error_of(&Build::new(), &folder).to_string();
    assert!(none.contains("nothing to compile"), "{none}");
    let file = error_of(&Build::new().file(folder.join("no.frag")), &folder).to_string();
    assert!(file.contains("cannot read ") && file.contains("no.frag"), "{file}");
}

/// `cargo test` sets no `OUT_DIR` for a crate without a build script.
#[test]
fn outside_of_a_build_script() {
    assert!(std::env::var_os("OUT_DIR").is_none(), "the test is of no use with it");
    let error = Build::new().folder("shaders").compile().expect_err("no folder to write to").to_string();
    assert!(error.contains("OUT_DIR is not set") && error.contains("compile_to"), "{error}");
}

#[test]
fn an_error_in_an_include_shows_its_line() {
    let include = "// One.\nfloat half_of(float x) {\n    return x * wrong;\n}\n";
    let main = "#version 300 es\n#extension GL_GOOGLE_include_directive : require\nprecision highp float;\n#include \"lib/half.glsl\"\n\
                out vec4 c;\nvoid main() { c = vec4(half_of(1.0)); }\n";
    let files =
        [("shaders/a.frag", main), ("shaders/lib/half.glsl", include), ("shaders/b.frag", "void main() { x; }")];
    let folder = folder_with("build-include", &files);
    let error = error_of(&Build::new().folder(folder.join("shaders")), &folder);
    let text = error.to_string();
    let place = Path::new("lib").join("half.glsl").display().to_string();
    assert!(text.contains(&format!("{place}:3:16")) && text.contains("3 |     return x * wrong;"), "{text}");
    // The errors of all shaders.
    assert!(text.contains("b.frag:1:15") && text.ends_with("the shaders are not compiled: 2 errors"), "{text}");
    assert_eq!(error.diagnostics().len(), 2);
}

#[test]
fn two_shaders_of_one_name() {
    let files =
        [("a/sky.frag", GOOD), ("b/sky.frag", GOOD), ("c/sky.vert", GOOD), ("d/a-b.frag", GOOD), ("d/a_b.frag", GOOD)];
    let folder = folder_with("build-names", &files);
    let of = |names: &[&str]| {
        let build = names.iter().fold(Build::new(), |build, name| build.folder(folder.join(name)));
        error_of(&build, &folder).to_string()
    };
    assert!(of(&["a", "b"]).ends_with("would be two shaders of one name"), "{}", of(&["a", "b"]));
    assert!(of(&["a", "c"]).contains("two modules of the name `sky`; `group_stages`"), "{}", of(&["a", "c"]));
    assert!(of(&["d"]).contains("two modules of the name `a_b`; rename one of them"), "{}", of(&["d"]));
}

#[test]
fn names_that_are_no_identifiers_become_some() {
    let folder =
        folder_with("build-identifiers", &[("s/2d-sky.frag", GOOD), ("s/fn.frag", GOOD), ("s/in/übrig.frag", GOOD)]);
    let output = Build::new().folder(folder.join("s")).compile_to(folder.join("out")).expect("they are shaders");
    let text = fs::read_to_string(output.module).expect("it is written");
    for name in ["n2d_sky", "fn_", "in_brig"] {
        assert!(text.contains(&format!("pub mod {name} {{")), "{name} in {text}");
    }
}

#[test]
fn a_folder_that_cannot_be_written() {
    let folder = folder_with("build-unwritable", &[("a.frag", GOOD), ("out", "a file")]);
    let error = Build::new().file(folder.join("a.frag")).compile_to(folder.join("out")).expect_err("a file is there");
    assert!(error.to_string().starts_with("error: cannot write "), "{error}");
    assert_eq!(fs::read_to_string(folder.join("out")).expect("it is there"), "a file");
}

#[test]
fn a_target_that_cannot_hold_the_shader() {
    let source = "#version 450\nlayout(location = 0) out vec4 c;\nlayout(location = 0) flat in int i;\n\
                  void main() { c = vec4(float(sin(double(i)))); }\n";
    let source = source.replace("sin(", "sqrt(");
    let folder = folder_with("build-targets", &[("a.frag", &source)]);
    let file = folder.join("a.frag");
    let error = error_of(&Build::new().file(&file).targets([Target::Spirv, Target::Wgsl]), &folder).to_string();
    assert!(error.contains("a.frag:4") && error.contains("sqrt"), "{error}");
    Build::new().file(&file).target(Target::Spirv).compile_to(folder.join("spirv")).expect("SPIR-V has doubles");
}

#[test]
fn options_that_are_wrong() {
    let folder = folder_with("build-options", &[("a.frag", GOOD)]);
    let build = || Build::new().file(folder.join("a.frag"));
    let of = |build: Build| error_of(&build, &folder).to_string();
    assert!(of(build().set("level", "3")).contains("no optimization level `3`; there are 0, 1, 2, s"));
    assert!(of(build().set("minfy", "true")).contains("did you mean `minify`?"));
    assert!(of(build().target(Target::Spirv).wgpu(true)).contains("`wgpu` is for WGSL"));
    assert!(of(build().name("a b")).contains("`a b` is no name for a module"));
    assert!(of(build().set("override", "COUNT=3")).contains("no specialization constant `COUNT`"));
    let missing = of(build().prelude_file(folder.join("p.glsl")));
    assert!(missing.contains("cannot read ") && missing.contains("p.glsl"), "{missing}");
}

/// In the layout `scalar`, structs have no padding at their end, as those of Rust have.
#[test]
fn a_layout_that_rust_cannot_hold() {
    let source = "#version 450\n#extension GL_EXT_scalar_block_layout : require\nstruct S { double d; float f; };\n\
                  layout(scalar, binding = 0) buffer B { S s; float g; } b;\nlayout(location = 0) out vec4 c;\n\
                  void main() { c = vec4(b.s.f + b.g + float(b.s.d)); }\n";
    let folder = folder_with("build-layout", &[("a.frag", source)]);
    let build = Build::new().file(folder.join("a.frag")).target(Target::Spirv);
    let error = error_of(&build, &folder).to_string();
    assert!(
        error.contains("a.frag: ") && error.contains("the size 12 of `S`") && error.contains("types(false)"),
        "{error}"
    );
    build.types(false).compile_to(folder.join("untyped")).expect("without types there is nothing to hold");
}
