//! Random command lines in a folder: whatever is asked for, nothing but the outputs changes, and the exit status says how it ended.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Stdio;

use crate::common::{Folder, text};
use planish_generate::{Choices, for_each_seed};

const HEAD: &str = "#version 300 es\n#extension GL_GOOGLE_include_directive : enable\nprecision highp float;\n";

/// Programs, and what is in the way.
fn fill(folder: &Folder) {
    folder.write("lib.glsl", "highp float half_of(highp float x) { return x * 0.5; }\n");
    let main = "uniform float u;\nout vec4 c;\nvoid main() { c = vec4(half_of(u), gl_FragCoord.xy, 1.0); }\n";
    folder.write("a.frag", format!("{HEAD}#include \"lib.glsl\"\n{main}"));
    folder.write("a.vert", format!("{HEAD}in vec4 p;\nvoid main() {{ gl_Position = p; }}\n"));
    folder.write(
        "b.glsl",
        format!("{HEAD}out vec4 c;\nvoid main() {{ if (gl_FragCoord.x > 9.0) discard; c = vec4(0.5); }}\n"),
    );
    folder.write("broken.frag", format!("{HEAD}out vec4 c;\nvoid main() {{ c = nothing; }}\n"));
    let compute = "layout(local_size_x = 2) in;\nlayout(std430, binding = 0) buffer B { float x[]; };\nvoid main() { x[gl_GlobalInvocationID.x] += 1.0; }\n";
    folder.write("s.comp", format!("#version 310 es\n{compute}"));
    folder.write("w.wgsl", "@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0); }\n");
    folder.write(
        "m.wat",
        "(module (func (export \"f\") (param i32) (result i32) (i32.add (local.get 0) (i32.const 1))))\n",
    );
    folder.write("broken.wat", "(module (func (result i32) f32.const 1))\n");
    folder.write("p.vl", "(define (f x) (* x x))\n(export f (real))\n(f (real 3))\n");
    folder.write("i.ir", "module ir\n\nfn @f(%0: f32) -> (f32) {\nb0:\n  %1 = sqrt %0\n  return %1\n}\n");
    folder.write("noise.spv", b"\x03\x02\x23\x07 no module");
    folder.write("empty.frag", "");
    folder.write("numbers.bin", [0; 16]);
    for old in ["a.wgsl", "a.vert.wgsl", "m.ir", "out.hlsl", "picture.png"] {
        folder.write(old, format!("what {old} was"));
    }
    std::fs::create_dir(folder.path().join("folder.ir")).expect("can be made");
    #[cfg(unix)]
    {
        let path = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("b.glsl", path("link.frag")).expect("can be linked");
        std::os::unix::fs::symlink("away.dump", path("link.dump")).expect("can be linked");
        std::fs::hard_link(path("i.ir"), path("hard.ir")).expect("can be linked");
    }
}

/// Some more often than others: those that are right.
const INPUTS: &[&str] = &[
    "a.frag",
    "b.glsl",
    "w.wgsl",
    "i.ir",
    "a.frag",
    "a.vert",
    "b.glsl",
    "broken.frag",
    "s.comp",
    "w.wgsl",
    "m.wat",
    "broken.wat",
    "p.vl",
    "i.ir",
    "noise.spv",
    "empty.frag",
    "link.frag",
    "missing.frag",
    "-",
    "./a.frag",
    "folder.ir",
];

const OUTPUTS: &[&str] = &[
    "new.wgsl",
    "out.hlsl",
    "a.wgsl",
    "-",
    "a.frag",
    "./a.frag",
    "lib.glsl",
    "b.glsl",
    "link.dump",
    "folder.ir",
    "hard.ir",
    "no/folder.ir",
    "new.ir",
    "./new.ir",
    "x.js",
    "x.asm.js",
    "x.o",
    "x.h",
    "x.graph",
    "/dev/null",
    "picture.png",
];

const TARGETS: &[&str] = &[
    "glsl",
    "wgsl",
    "spirv",
    "spirv-naga",
    "msl",
    "hlsl",
    "wasm",
    "wat",
    "js",
    "asmjs",
    "dts",
    "c",
    "object",
    "header",
    "reflect",
    "graph",
    "graph-text",
    "graph-dot",
    "graph-svg",
    "asm",
    "ir",
    "wgsl",
    "glsl",
    "alloc",
    "analysis",
    "ir",
    "dump",
    "cobol",
];

const OPTIONS: &[&str] = &[
    "-O0",
    "-O2",
    "-Os",
    "-O9",
    "--flatten",
    "--flatten=f",
    "--leaf=half_of",
    "--fast-math",
    "--stats",
    "--time-passes",
    "--remarks",
    "--message-format=json",
    "--message-format=short",
    "--color=always",
    "--log-cse",
    "--remarks-yaml=new.yaml",
    "--remarks-yaml=a.wgsl",
    "--remarks-yaml=a.vert",
    "--passes=eliminate_dead_code",
    "--limit=nesting=3",
    "-DX=1",
    "-I.",
    "--webgl",
    "--from=glsl",
    "--from=ir",
    "--stage=fragment",
    "--target=aarch64-apple-darwin",
    "--target=pdp11",
    "--prefix=p",
];

/// A command line, and the files that it may write.
struct Line {
    args: Vec<&'static str>,
    outputs: BTreeSet<PathBuf>,
}

fn line(choices: &mut Choices<'_>) -> Line {
    let command =
        choices.pick(&["compile", "compile", "compile", "compile", "print", "run", "check", "repl", "passes"]);
    let mut args = vec![command];
    let mut outputs: BTreeSet<PathBuf> = BTreeSet::new();
    let several = matches!(command, "compile" | "check");
    let inputs: Vec<&str> = match command {
        "repl" | "passes" => vec![],
        _ if several && choices.chance(40) => (0..1 + choices.below(3)).map(|_| choices.pick(INPUTS)).collect(),
        _ => vec![choices.pick(INPUTS)],
    };
    args.extend(&inputs);
    if command == "compile" {
        let targets: Vec<&'static str> = (0..choices.below(4)).map(|_| choices.pick(TARGETS)).collect();
        let named = if targets.is_empty() || choices.chance(50) { 1 + choices.below(3) } else { 0 };
        targets.iter().for_each(|target| args.extend(["--emit", target]));
        for _ in 0..named {
            let output = choices.pick(OUTPUTS);
            args.extend(["-o", output]);
            outputs.insert(output.into());
        }
        // The header of an object file, or of a program in C.
        let has_header = |file: &&PathBuf| ["o", "c"].iter().any(|e| file.extension() == Some(e.as_ref()));
        let any_header = targets.contains(&"object") || targets.contains(&"c");
        let objects = outputs.iter().filter(|file| any_header || has_header(file));
        let headers: Vec<PathBuf> = objects.map(|file| file.with_extension("h")).collect();
        outputs.extend(headers);
        if named == 0 {
            outputs.extend(inputs.iter().flat_map(|input| targets.iter().flat_map(|target| derived(input, target))));
        }
    }
    if command == "run" {
        args.push("--size=4x3");
        if choices.chance(70) {
            let output = choices.pick(OUTPUTS);
            args.extend(["-o", output]);
            outputs.insert(output.into());
        }
        if choices.chance(20) {
            args.extend(["--buffer", "B=@numbers.bin"]);
        }
        if choices.chance(20) {
            args.push("--invoke=f");
        }
    }
    if command != "passes" {
        for _ in 0..choices.below(4) {
            let option = choices.pick(OPTIONS);
            args.push(option);
            outputs.extend(option.strip_prefix("--remarks-yaml=").map(PathBuf::from));
        }
    }
    Line { args, outputs }
}

/// The names that an output may get without `-o`: the input's with another extension, or with one more.
fn derived(input: &str, target: &str) -> Vec<PathBuf> {
    let extensions: &[&str] = match target {
        "spirv" => &["spv"],
        "spirv-naga" => &["naga.spv"],
        "msl" => &["metal"],
        "asmjs" => &["asm.js"],
        "dts" => &["d.ts"],
        "object" => &["o", "h"],
        "c" => &["c", "h"],
        "header" => &["h"],
        "reflect" => &["json"],
        "graph" => &["graph.json"],
        "graph-text" => &["graph.txt"],
        "graph-dot" => &["dot"],
        "graph-svg" => &["svg"],
        "alloc" => &["html"],
        "analysis" => &["analysis.html"],
        other => &[other],
    };
    let input = if input == "-" { "out" } else { input };
    extensions.iter().flat_map(|e| [PathBuf::from(input).with_extension(e), format!("{input}.{e}").into()]).collect()
}

#[test]
fn nothing_but_the_outputs_of_a_command_line_changes() {
    let (mut statuses, mut written) = ([0; 3], 0);
    for_each_seed(0..200, 64, |bytes| {
        let mut choices = Choices::from_bytes(bytes);
        let Line { args, outputs } = line(&mut choices);
        let folder = Folder::new("lines");
        fill(&folder);
        let before = folder.contents();
        let input = choices.pick(&["", "(+ 1 2)\n", "#version 300 es\nvoid main() { gl_Position = vec4(1.0); }\n"]);
        let streams = [(); 2].map(|()| {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            if choices.chance(15) { Stdio::from(writer) } else { Stdio::piped() }
        });
        let [out, err] = streams;
        let output = folder.planish_with(&args, input, out, err);
        let told = text(&output.stderr);
        let status = output.status.code();
        assert!(matches!(status, Some(0..=2)), "{args:?}: {status:?}\n{told}");
        statuses[status.unwrap_or_default() as usize] += 1;
        // Links lead to what is written.
        let link = PathBuf::from("link.dump");
        let outputs: BTreeSet<String> = outputs
            .iter()
            .map(|path| {
                if *path == link {
                    "away.dump".into()
                } else {
                    path.strip_prefix("./").unwrap_or(path).display().to_string()
                }
            })
            .collect();
        let after = folder.contents();
        for (name, bytes) in &before {
            let may_change = outputs.contains(name) && !inputs(&args).contains(&&**name);
            assert!(may_change || after.get(name) == Some(bytes), "{args:?} changed {name}\n{told}");
            written += usize::from(after.get(name) != Some(bytes));
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            assert!(outputs.contains(name), "{args:?} made {name}\n{told}");
            written += 1;
        }
    });
    // It would show nothing if all were refused.
    assert!(statuses.iter().all(|&n| n >= 10) && written >= 20, "{statuses:?}, {written} written");
}

/// The files that a command line names to be read, as the folder calls them.
fn inputs(args: &[&'static str]) -> Vec<&'static str> {
    let mut read: Vec<&str> =
        args[1..].iter().take_while(|arg| INPUTS.contains(arg)).map(|arg| arg.trim_start_matches("./")).collect();
    if read.contains(&"link.frag") {
        read.push("b.glsl");
    }
    if read.contains(&"a.frag") {
        read.push("lib.glsl");
    }
    if read.contains(&"i.ir") {
        read.push("hard.ir");
    }
    read
}
