//! `run --gpu` and `run --window`: usage, and builds without them.

use crate::common::{Folder, text};

const SHADER: &str = "#version 300 es
precision highp float;
in vec2 uv;
out vec4 color;
void main() { color = vec4(uv, 0.0, 1.0); }
";

/// The status and the messages of a run.
fn run(name: &str, args: &[&str]) -> (Option<i32>, String) {
    let folder = Folder::new(name);
    folder.write("s.frag", SHADER);
    let args: Vec<&str> = ["run", "s.frag"].iter().chain(args).copied().collect();
    let output = folder.planish(&args, "");
    (output.status.code(), text(&output.stderr))
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_devices_says_how_to_get_one_that_has() {
    let (status, message) = run("no-gpu", &["--gpu", "-o", "out.png"]);
    assert_eq!(status, Some(2));
    assert_eq!(
        message,
        "error: this build of Planish has no --gpu: `cargo install --path crates/cli --features gpu` installs one that has\n"
    );
}

#[cfg(not(feature = "window"))]
#[test]
fn a_build_without_windows_says_how_to_get_one_that_has() {
    let (status, message) = run("no-window", &["--window"]);
    assert_eq!(status, Some(2));
    assert!(message.contains("no --window: `cargo install --path crates/cli --features window`"), "{message}");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for (name, args, part) in [
        ("gpu-engine", &["--gpu", "--engine", "vm", "-o", "out.png"][..], "cannot be used with"),
        ("compare-alone", &["--compare", "-o", "out.png"], "--gpu"),
        ("window-frames", &["--window", "--frames", "0..2"], "cannot be used with"),
        ("compare-frames", &["--gpu", "--compare", "--frames", "0..2", "-o", "out.png"], "leave out --frames"),
    ] {
        let (status, message) = run(name, args);
        assert_eq!(status, Some(2), "{args:?}: {message}");
        assert!(message.contains(part), "{args:?}: {message}");
    }
}
