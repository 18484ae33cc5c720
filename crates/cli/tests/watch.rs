//! `planish compile --watch`: changes of files, with much more time than they need.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Folder, text};

/// More than any machine needs to see a change and compile.
const PATIENCE: Duration = Duration::from_secs(120);

const SHADER: &str = "#version 300 es
#extension GL_GOOGLE_include_directive : enable
precision highp float;
#include \"lib.glsl\"
out vec4 color;
void main() { color = vec4(shade()); }
";

/// The command, ended with the test.
struct Watching(Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until a file has a text in it.
fn wait_for(folder: &Folder, file: &str, words: &str) {
    let end = Instant::now() + PATIENCE;
    let mut found = String::new();
    while Instant::now() < end {
        found = std::fs::read(folder.path().join(file)).map_or(String::new(), |bytes| text(&bytes));
        if found.contains(words) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{file} has no `{words}` after a long time:\n{found}");
}

fn lib(value: &str) -> String {
    format!("float shade() {{ return {value}; }}\n")
}

#[test]
fn a_change_of_any_file_compiles_again_and_errors_do_not_end_it() {
    let folder = Folder::new("watch");
    folder.write("a.frag", SHADER);
    folder.write("lib.glsl", lib("0.125"));
    let messages = std::fs::File::create(folder.path().join("messages")).expect("can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
    command.args(["compile", "a.frag", "-o", "a.wgsl", "--depfile", "a.d", "--watch"]).current_dir(folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
    let watching = Watching(command.spawn().expect("the command starts"));
    wait_for(&folder, "messages", "compiled; watching 2 files\n");
    assert!(folder.read("a.wgsl").contains("0.125"));
    assert!(folder.read("a.d").contains("lib.glsl"));
    folder.write("lib.glsl", lib("0.0625"));
    wait_for(&folder, "a.wgsl", "0.0625");
    wait_for(&folder, "messages", "changed: lib.glsl\ncompiled; watching 2 files\n");
    folder.write("lib.glsl", lib("nothing_at_all"));
    wait_for(&folder, "messages", "lib.glsl:1:24");
    wait_for(&folder, "messages", "1 error\nnot compiled; watching 2 files\n");
    assert!(folder.read("a.wgsl").contains("0.0625"), "the output stays");
    // A file that is not there is waited for.
    std::fs::remove_file(folder.path().join("a.frag")).expect("is there");
    folder.write("lib.glsl", lib("0.03125"));
    wait_for(&folder, "messages", "cannot read a.frag");
    folder.write("a.frag", SHADER.replace("shade())", "shade() * 4096.5)"));
    wait_for(&folder, "a.wgsl", "4096.5");
    drop(watching);
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let folder = Folder::new("watch-refused");
    folder.write("a.frag", SHADER);
    for (args, words) in [
        (&["-", "-o", "a.wgsl"][..], "--watch looks at files"),
        (&["a.frag", "-o", "a.wgsl", "--message-format=sarif"], "--watch has none"),
        (&["a.frag", "-o", "a.frag"], "would overwrite a.frag"),
        (&["a.frag", "--emit=cobol"], "cobol"),
    ] {
        let output = folder.planish(&[&["compile", "--watch"], args].concat(), "");
        assert!(text(&output.stderr).contains(words), "{args:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}
