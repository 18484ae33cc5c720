//! `planish reduce`, with commands that search. They are those of a Unix shell.
#![cfg(unix)]

use std::process::{Command, Output, Stdio};

use crate::common::{Folder, text};

const FRAGMENT: &str = "#version 300 es
precision highp float;
uniform float u;
out vec4 color;
// {([ in a comment
float half_of(float x) { return x * 0.5; }
float twice(float x) {
    if (x > 1.0) {
        for (int i = 0; i < 4; i++) { x += sin(half_of(x) + 2.0); }
    }
    return x * 2.0;
}
void main() { color = vec4(twice(u), half_of(u), 0.0, 1.0); }
";

fn reduced(file: &str, source: &str, command: &str) -> String {
    let folder = Folder::new(&format!("reduce-{}", file.replace('.', "-")));
    folder.write(file, source);
    let output = folder.planish(&["reduce", file, "--while", command], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(folder.read(file), source, "the input stays as it is");
    assert_eq!(folder.contents().len(), 2, "{:?}", folder.contents().keys());
    let (stem, extension) = file.split_once('.').expect("it has an extension");
    folder.read(&format!("{stem}.reduced.{extension}"))
}

#[test]
fn what_the_command_searches_stays() {
    assert_eq!(reduced("a.frag", FRAGMENT, "grep -q 'sin(' {}"), "sin(\n");
    assert_eq!(reduced("b.frag", FRAGMENT, "grep -q half_of \"$1\" && grep -q vec4 \"$1\""), "vec4half_of\n");
    // The path comes last if nothing says otherwise.
    assert_eq!(reduced("c.frag", FRAGMENT, "grep -q precision"), "precision\n");
    let vl = "(define (f x) (if (> x 0) (+ x 1) (* x (sqrt x))))\n(export f (real))\n(f (real 3))\n";
    assert_eq!(reduced("d.vl", vl, "grep -q '(sqrt x)' {}"), "(sqrt x)\n");
}

/// Reduces with temporary files in a folder of the test.
fn in_own_folder(folder: &Folder, args: &[&str]) -> Output {
    let own = folder.path().join("own");
    std::fs::create_dir_all(&own).expect("can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
    command.arg("reduce").args(args).current_dir(folder.path()).env("TMPDIR", own).stdin(Stdio::null());
    command.output().expect("the command runs")
}

/// The usual way: a message of the compiler that stays the same.
#[test]
fn a_program_stays_valid_or_wrong_as_the_command_says() {
    let planish = env!("CARGO_BIN_EXE_planish");
    let valid = reduced("v.frag", FRAGMENT, &format!("{planish} check {{}} && grep -q 'sin(' {{}}"));
    assert!(valid.contains("sin(") && valid.contains("main()") && !valid.contains("half_of"), "{valid}");
    assert!(!valid.contains("for") && valid.len() < FRAGMENT.len() / 3, "{valid}");
    let wrong = FRAGMENT.replace("x * 0.5", "x * nothing");
    let wrong = reduced("w.frag", &wrong, &format!("{planish} check {{}} 2>&1 | grep -q 'E0301.*nothing'"));
    assert!(wrong.contains("nothing") && wrong.len() < 100, "{wrong}");
}

#[test]
fn the_result_is_the_same_each_time_and_can_go_anywhere() {
    let folder = Folder::new("reduce-output");
    folder.write("a b's.frag", FRAGMENT);
    let run = |output: &str| {
        let command = "grep -q sin {} && grep -q twice {}";
        let output = in_own_folder(&folder, &["a b's.frag", "--while", command, "-o", output]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        output
    };
    let told = text(&run("one").stderr);
    assert!(told.starts_with("lines ") && told.contains(" bytes after "), "{told}");
    let sum = format!("reduced {} bytes to {} in ", FRAGMENT.len(), folder.read("one").len());
    assert!(told.contains(&sum) && told.trim_end().ends_with(" tests: one"), "{told}");
    assert_eq!(text(&run("-").stdout), folder.read("one"));
    assert_eq!(std::fs::read_dir(folder.path().join("own")).expect("was made").count(), 0, "candidates are removed");
}

/// The output is written each time, so that an interruption leaves the best.
#[test]
fn the_best_so_far_is_there_at_any_time() {
    let folder = Folder::new("reduce-interrupted");
    folder.write("a.frag", FRAGMENT);
    // The twelfth test ends the reducer. (Not as Ctrl-C does, which a job in the background may ignore.)
    let command = "echo >> count; [ $(wc -l < count) -lt 12 ] || kill -KILL $PPID; grep -q sin {}";
    let output = in_own_folder(&folder, &["a.frag", "--while", command]);
    assert!(!output.status.success());
    let best = folder.read("a.reduced.frag");
    assert!(best.contains("sin") && best.len() < FRAGMENT.len(), "{best}");
    assert_eq!(folder.read("a.frag"), FRAGMENT);
}

#[test]
fn what_cannot_be_reduced_is_refused() {
    let folder = Folder::new("reduce-refused");
    folder.write("a.frag", FRAGMENT);
    folder.write("m.wasm", b"\0asm\x01\0\0\0\x01");
    folder.write("s.spv", [0x03, 0x02, 0x23, 0x07, 0, 0, 1, 0]);
    folder.write("o.o", b"\x7fELF\x02\0");
    for (args, words) in [
        (&["a.frag", "--while", "grep -q nowhere {}"][..], "the command fails for a.frag itself"),
        (&["a.frag", "--while", "true", "-o", "a.frag"], "would overwrite a.frag, which is read"),
        (&["no.frag", "--while", "true"], "cannot read no.frag"),
        (&["-", "--while", "true"], "reduce takes a file"),
        (&["m.wasm", "--while", "true"], "m.wasm is a binary of WebAssembly that cannot be taken apart: "),
        (
            &["s.spv", "--while", "true"],
            "s.spv is a binary of SPIR-V that cannot be taken apart: an instruction is cut off",
        ),
        (&["o.o", "--while", "true"], "o.o is binary; reduce takes texts, WebAssembly and SPIR-V"),
        (&["a.frag"], "--while"),
    ] {
        let before = folder.contents();
        let output = folder.planish(&[&["reduce"], args].concat(), "");
        assert!(text(&output.stderr).contains(words), "{args:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(folder.contents(), before, "{args:?}");
    }
    let all = folder.planish(&["reduce", "a.frag", "--while", "true"], "");
    assert!(text(&all.stderr).contains("succeeds for an empty file too"), "{}", text(&all.stderr));
    assert_eq!(folder.read("a.reduced.frag"), "");
}

/// Compiles a program to a binary in the folder, reduces it with a command that sees `planish` as `$planish`, and returns both.
fn reduced_binary(folder: &Folder, file: &str, source: &str, binary: &str, command: &str) -> [Vec<u8>; 2] {
    folder.write(file, source);
    let compiled = folder.planish(&["compile", file, "-O0", "-o", binary], "");
    assert!(compiled.status.success(), "{}", text(&compiled.stderr));
    let command = command.replace("$planish", env!("CARGO_BIN_EXE_planish"));
    let output = in_own_folder(folder, &[binary, "--while", &command]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (stem, extension) = binary.split_once('.').expect("it has an extension");
    let files = [binary.to_owned(), format!("{stem}.reduced.{extension}")];
    let files = files.map(|name| std::fs::read(folder.path().join(name)).expect("was written"));
    let sum = format!("reduced {} bytes to {} in ", files[0].len(), files[1].len());
    assert!(text(&output.stderr).contains(&sum), "{}", text(&output.stderr));
    files
}

const MODULE: &str = r#"(module
  (import "host" "log" (func $log (param i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "some bytes")
  (func $add (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "twice") (param i32) (result i32) (call $add (local.get 0) (local.get 0)))
  (func (export "divide") (param i32 i32) (result i32)
    (call $log (i32.const 7))
    (if (i32.eqz (local.get 1)) (then (return (i32.const 0))))
    (i32.div_s (local.get 0) (local.get 1))))"#;

#[test]
fn binaries_of_webassembly_are_reduced() {
    let folder = Folder::new("reduce-wasm");
    let command = "$planish check {} && $planish print {} | grep -q '= divide_trapping '";
    let [whole, least] = reduced_binary(&folder, "m.wat", MODULE, "m.wasm", command);
    assert!(least.starts_with(b"\0asm") && least.len() < 70 && whole.len() > 150, "{} of {}", least.len(), whole.len());
    let shown = text(&folder.planish(&["print", "m.reduced.wasm"], "").stdout);
    assert!(shown.contains("= divide_trapping ") && !shown.contains("equal") && !shown.contains("memory"), "{shown}");
    assert_eq!(shown.matches("fn ").count(), 1, "{shown}");
    // The same, again.
    let again = reduced_binary(&folder, "m.wat", MODULE, "m.wasm", command);
    assert_eq!(again, [whole, least]);
}

#[test]
fn binaries_of_spirv_are_reduced() {
    let folder = Folder::new("reduce-spirv");
    let command = "$planish check {} && $planish print {} | grep -q 'sin '";
    let [whole, least] = reduced_binary(&folder, "a.frag", FRAGMENT, "a.spv", command);
    assert!(least.len() < whole.len() / 3, "{} of {}", least.len(), whole.len());
    let shown = text(&folder.planish(&["print", "a.reduced.spv"], "").stdout);
    assert!(shown.contains("sin ") && !shown.contains("less_than") && !shown.contains("multiply"), "{shown}");
    // A command that looks at bytes gets them as they are at first.
    let empty = reduced_binary(&folder, "a.frag", FRAGMENT, "a.spv", "head -c 4 {} | od -An -tx4 | grep -q 07230203");
    assert_eq!(empty[1].len(), 20);
}
