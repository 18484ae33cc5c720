//! Programs that cannot be flattened: each of `tests/flatten-errors` is refused with the errors that its first lines
//! name.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn what_cannot_be_flat_is_told_with_its_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/flatten-errors");
    let mut failures = Vec::new();
    let mut count = 0;
    let mut files: Vec<_> = folder.read_dir().expect("the folder is there").flatten().map(|e| e.path()).collect();
    files.sort();
    for path in files.iter().filter(|p| p.extension().is_some_and(|e| e != "md")) {
        let text = std::fs::read_to_string(path).expect("can be read");
        let wanted: Vec<&str> = text
            .lines()
            .map_while(|line| line.strip_prefix("// error: ").or(line.strip_prefix(";; error: ")))
            .collect();
        assert!(!wanted.is_empty(), "{} names no error", path.display());
        let more: Vec<&str> =
            text.lines().filter_map(|l| l.strip_prefix("// with: ")).flat_map(str::split_whitespace).collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
        command.arg("compile").arg(path).arg("--message-format=short").args(&more);
        if !more.contains(&"--emit") {
            command.arg("--emit=ir");
        }
        if !more.iter().any(|arg| arg.starts_with("--flatten")) {
            command.arg("--flatten");
        }
        let output = command.output().expect("the command starts");
        let told = String::from_utf8_lossy(&output.stderr);
        let found: Vec<String> = told.lines().filter_map(error).collect();
        if output.status.code() != Some(1) || !output.stdout.is_empty() || found != wanted {
            failures.push(format!("{}: wanted {wanted:?}, got {found:?}:\n{told}", path.display()));
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 25, "only {count} programs");
}

/// `FILE:LINE:COLUMN: error[CODE]: …` as `CODE LINE`; nothing for a warning.
fn error(line: &str) -> Option<String> {
    let (place, rest) = line.split_once(": error[")?;
    let code = rest.split(']').next()?;
    let mut numbers = place.rsplit(':');
    let _column = numbers.next()?;
    Some(format!("{code} {}", numbers.next()?))
}

/// A function that is named is there, and is called as it was, whatever the passes before would make of it.
#[test]
fn a_named_function_stays_for_flattening() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/flatten");
    let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
    command.args(["compile", "--flatten=glow", "-O2", "--emit=graph-text", "--from=glsl", "--stage=fragment", "-"]);
    let source = "#version 300 es\nprecision highp float;\nout vec4 c;\nfloat glow(float x, float r) { if (x > r) return 1.0; return x; }\n\
                  void main() { c = vec4(glow(gl_FragCoord.x, 2.0)); }\n";
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).current_dir(folder).spawn().expect("starts");
    child.stdin.take().expect("is piped").write_all(source.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("graph glow") && told.contains("f32 x") && told.contains("f32 r"), "{told}");
}

/// Loads from byte memory are there from the start, so nothing is written out to find them.
#[test]
fn a_function_that_can_never_be_flat_is_refused_at_once() {
    let start = std::time::Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_planish"))
        .args(["compile", "../../examples/wasm/matrix.wat", "--flatten", "--emit=ir", "--message-format=short"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.lines().filter_map(error).any(|found| found == "E1103 273"), "{told}");
    assert!(told.lines().all(|line| line.contains("error[E1103]: ")), "{told}");
    // It took a minute and more, built as tests are.
    assert!(start.elapsed().as_secs() < 10, "it took {:?}", start.elapsed());
}

const LEAVES: &str = "#version 300 es
precision highp float;
uniform float u;
out vec4 c;
float noise(vec2 p);
float noise(float x) { return fract(sin(x) * 43758.5); }
float twice(float x) { return x * 2.0; }
void main() {
    float a = noise(gl_FragCoord.xy) + noise(u) * noise(u);
    if (gl_FragCoord.x > 3.0) a += noise(twice(gl_FragCoord.y));
    float dead = noise(vec2(7.0));
    c = vec4(a);
}
";

/// The listing of the graph of a shader, and what is said of it.
fn listing(source: &str, args: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
    command.args(["compile", "--flatten", "--emit=graph-text", "--from=glsl", "--stage=fragment", "-"]).args(args);
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().expect("starts");
    // A command that is used wrongly does not read.
    let _ = child.stdin.take().expect("is piped").write_all(source.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// At every level, of all functions of the name, also where there is only a prototype; once for equal arguments, not at all where
/// nothing needs it.
#[test]
fn calls_of_a_leaf_stay() {
    for level in ["-O0", "-O1", "-O2", "-Os"] {
        let (graph, told) = listing(LEAVES, &["--leaf=noise", level]);
        assert_eq!(graph.matches("call[noise]").count(), 3, "{level}: {graph}{told}");
        assert!(!graph.contains("sin") && !graph.contains("call[twice]"), "{level}: {graph}");
        let (before, after) = graph.split_once("per pixel").expect("there are both parts");
        assert!(
            before.contains("preshader\n  %4 f32 call[noise] %1 "),
            "what is uniform is called once a draw: {graph}"
        );
        assert_eq!(after.matches("call[noise]").count(), 2, "{level}: {graph}");
        // As a barrier it is called for each pixel, but for equal arguments once.
        let (graph, _) = listing(LEAVES, &["--leaf=noise:barrier", level]);
        let (_, after) = graph.split_once("per pixel").expect("it is there");
        assert_eq!(after.matches("call[noise]").count(), 3, "{level}: {graph}");
    }
}

#[test]
fn a_leaf_is_there_and_is_written_as_it_should_be() {
    let (graph, told) = listing(LEAVES, &["--leaf=noise", "--leaf=twise"]);
    assert!(graph.is_empty() && told.contains("error[E0503]: there is no function `twise`"), "{told}");
    assert!(told.contains("did you mean `twice`?"), "{told}");
    let (graph, told) = listing(LEAVES, &["--leaf=noise:pixel"]);
    assert_eq!((&*graph, &*told), ("", "error: `noise:pixel` is no leaf: write FUNCTION, or FUNCTION:barrier\n"));
    let (graph, told) = listing(LEAVES, &[]);
    assert!(
        graph.is_empty() && told.contains("error[E0503]: `float noise(vec2)` is called, but not defined"),
        "{told}"
    );
}
