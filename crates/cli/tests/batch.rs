//! `planish compile --out-dir`: many programs at once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{Folder, text};

const GOOD: &str =
    "#version 300 es\nprecision highp float;\nin vec2 uv;\nout vec4 c;\nvoid main() { c = vec4(uv, 0.5, 1.0); }\n";
const VERTEX: &str = "#version 300 es\nin vec2 at;\nout float depth;\nout vec2 uv;\nvoid main() { uv = at; depth = at.x; gl_Position = vec4(at, 0.0, 1.0); }\n";
const BAD: &str = "#version 300 es\nprecision highp float;\nout vec4 c;\nvoid main() { c = nothing; }\n";

/// All files below a folder, by their paths in it.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in std::fs::read_dir(next).expect("can be read").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("is below").to_string_lossy().into_owned();
            found.insert(name, std::fs::read(&path).expect("can be read"));
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    tree(folder).into_keys().collect()
}

fn shaders(name: &str) -> Folder {
    let folder = Folder::new(name);
    std::fs::create_dir_all(folder.path().join("shaders/post")).expect("can be made");
    folder.write("shaders/sky.frag", GOOD);
    folder.write("shaders/sky.vert", VERTEX);
    folder.write("shaders/post/blur.frag", GOOD);
    folder
}

#[test]
fn all_that_compile_are_written_below_the_folder() {
    let folder = shaders("batch");
    folder.write("shaders/bad.frag", BAD);
    let files = ["shaders/bad.frag", "shaders/post/blur.frag", "shaders/sky.frag"];
    let args = [&["compile"], &files[..], &["--emit=wgsl,spirv", "--out-dir", "build/out"]].concat();
    let output = folder.planish(&args, "");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    let written = ["post/blur.frag.spv", "post/blur.frag.wgsl", "sky.frag.spv", "sky.frag.wgsl"];
    assert_eq!(names(&folder.path().join("build/out")), written);
    assert!(message.contains("shaders/bad.frag:4:19"), "{message}");
    assert_eq!(message.lines().last(), Some("compiled 2 of 3 files to 4 outputs; 1 error"), "{message}");
    // Each is what it is when it is compiled alone.
    let alone = folder.planish(&["compile", "shaders/sky.frag", "--emit=wgsl"], "");
    assert_eq!(text(&alone.stdout), folder.read("build/out/sky.frag.wgsl"));
}

#[test]
fn a_file_that_is_not_there_leaves_the_others() {
    let folder = shaders("missing");
    let output =
        folder.planish(&["compile", "shaders/none.frag", "shaders/sky.frag", "--emit=ir", "--out-dir", "b"], "");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.starts_with("error: cannot read shaders/none.frag: "), "{message}");
    assert!(message.ends_with("compiled 1 of 2 files to 1 output; 1 error\n"), "{message}");
    assert_eq!(names(&folder.path().join("b")), ["sky.frag.ir"]);
}

#[test]
fn results_and_messages_are_those_of_one_thread() {
    let folder = shaders("threads");
    let mut files = vec![];
    for i in 0..12 {
        let name = format!("shaders/s{i}.frag");
        let source = if i % 3 == 1 { BAD.to_owned() } else { GOOD.replace("0.5", &format!("0.{i}5")) };
        folder.write(&name, source);
        files.push(name);
    }
    let run = |jobs: &str| {
        let mut args = vec!["compile", "--emit=wgsl,glsl,spirv", "--out-dir", "out", "-O2", "--stats", "-j", jobs];
        args.extend(files.iter().map(String::as_str));
        let output = folder.planish(&args, "");
        let out = folder.path().join("out");
        let found = tree(&out);
        std::fs::remove_dir_all(out).expect("is there");
        (output.status.code(), text(&output.stderr), found)
    };
    let one = run("1");
    assert_eq!((one.0, one.2.len()), (Some(1), 24), "{}", one.1);
    assert_eq!(run("7"), one);
}

#[test]
fn the_tree_is_that_below_a_folder_that_may_be_given() {
    let folder = shaders("base");
    let compile = |args: &[&str]| {
        let all = [&["compile", "--emit=ir", "--out-dir", "out"], args].concat();
        let output = folder.planish(&all, "");
        (output.status.code(), text(&output.stderr))
    };
    let file = "shaders/post/blur.frag";
    assert_eq!(compile(&[file]).0, Some(0));
    assert_eq!(compile(&[file, "--out-base", "shaders"]).0, Some(0));
    assert_eq!(compile(&["./shaders/../shaders/post/blur.frag", "--out-base=."]).0, Some(0));
    let all = ["blur.frag.ir", "post/blur.frag.ir", "shaders/post/blur.frag.ir"];
    assert_eq!(names(&folder.path().join("out")), all);
    let (code, message) = compile(&["shaders/sky.frag", "--out-base", "shaders/post"]);
    assert_eq!(code, Some(2));
    assert!(message.contains("shaders/sky.frag is not below "), "{message}");
}

#[test]
fn one_output_has_one_input() {
    let folder = shaders("clash");
    let refused = |args: &[&str], message: &str| {
        let all = [&["compile", "--out-dir", "out"], args].concat();
        let output = folder.planish(&all, "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), format!("error: {message}\n")), "{args:?}");
        assert!(!folder.path().join("out").exists(), "{args:?}");
    };
    refused(
        &["shaders/sky.frag", "./shaders/sky.frag", "--emit=wgsl"],
        "shaders/sky.frag and ./shaders/sky.frag would both be written to out/sky.frag.wgsl; give each file once",
    );
    refused(
        &["shaders/sky.frag", "--emit=wgsl,wgsl"],
        "the wgsl output and the wgsl output would both go to out/sky.frag.wgsl; give each a file of its own (-o FILE)",
    );
    refused(&["shaders/sky.frag"], "give targets: --out-dir goes with --emit=TARGET,…");
    refused(&["-", "--emit=ir"], "--out-dir needs a name for standard input: --stdin-name NAME");
}

#[test]
fn stages_are_alone_or_grouped() {
    let folder = shaders("stages-of-many");
    let compile = |args: &[&str]| {
        let files = ["shaders/sky.vert", "shaders/sky.frag", "shaders/post/blur.frag"];
        let output = folder.planish(&[&["compile", "--emit=wgsl", "--out-dir", "out"], &files[..], args].concat(), "");
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stderr), folder.read("out/sky.vert.wgsl"))
    };
    // Alone, the vertex shader counts `depth` first, which the fragment shader does not read.
    let (alone, grouped) = (compile(&[]), compile(&["--group-stages"]));
    assert!(alone.1.contains("@location(1) uv") && alone.0.contains("compiled 3 files to 3 outputs"), "{alone:?}");
    assert!(grouped.1.contains("@location(0) uv"), "{grouped:?}");
    assert!(grouped.0.contains("compiled 2 programs to 3 outputs"), "{grouped:?}");
}

#[test]
fn an_input_is_never_overwritten() {
    let folder = shaders("overwrite");
    folder.write("shaders/sky.frag.glsl", GOOD);
    let args = ["compile", "shaders/sky.frag", "shaders/sky.frag.glsl", "--emit=glsl", "--out-dir", "shaders"];
    let output = folder.planish(&args, "");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("would overwrite shaders/sky.frag.glsl, which is read"), "{message}");
}

#[test]
fn what_no_program_has_is_said_once() {
    let folder = shaders("names-of-many");
    folder
        .write("shaders/tinted.frag", GOOD.replace("in vec2", "uniform vec3 tint;\nin vec2").replace("0.5", "tint.x"));
    let compile = |bind: &str| {
        let files = ["shaders/tinted.frag", "shaders/sky.frag", "shaders/post/blur.frag"];
        let args = [&["compile", "--emit=wgsl", "--out-dir", "out", "--location", bind], &files[..]].concat();
        text(&folder.planish(&args, "").stderr)
    };
    let stray = compile("uw=3");
    assert_eq!(stray.matches("there is no input or output `uw` in use").count(), 1, "{stray}");
    assert!(!compile("uv=3").contains("warning"));
}
