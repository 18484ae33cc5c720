//! `planish run` on WebAssembly.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A program in a file of its own, gone when the test ends.
struct Program(PathBuf);

impl Program {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("planish-cli-{}-{name}.wat", std::process::id()));
        std::fs::write(&path, text).expect("can be written");
        Program(path)
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
        command.arg("run").arg(&self.0).args(args).stdin(Stdio::null()).env("PLANISH_TEST", "of the command");
        command.output().expect("the command runs")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes its arguments or environment (`args`, `environ`) with their zero bytes to standard output, and ends with `status`.
fn echo(what: &str, status: i32) -> String {
    format!(
        r#"(module
        (import "wasi_snapshot_preview1" "{what}_sizes_get" (func $sizes (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "{what}_get" (func $get (param i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1)
        (func (export "_start")
            (drop (call $sizes (i32.const 0) (i32.const 12)))
            (drop (call $get (i32.const 1024) (i32.const 2048)))
            (i32.store (i32.const 8) (i32.const 2048))
            (drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const 16)))
            (call $exit (i32.const {status}))))"#
    )
}

#[test]
fn a_program_gets_its_arguments_and_gives_its_status() {
    let program = Program::new("arguments", &echo("args", 7));
    let output = program.run(&["--", "one", "--two"]);
    let out = text(&output.stdout);
    assert_eq!(out.split_once('\0').map(|(_, rest)| rest), Some("one\0--two\0"), "{out}{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_failure_stays_one_in_eight_bits() {
    assert_eq!(Program::new("status0", &echo("args", 0)).run(&[]).status.code(), Some(0));
    assert_eq!(Program::new("status256", &echo("args", 256)).run(&[]).status.code(), Some(1));
}

#[test]
fn a_program_sees_only_the_environment_it_is_given() {
    let program = Program::new("environment", &echo("environ", 0));
    assert_eq!(text(&program.run(&[]).stdout), "");
    let output = program.run(&["--env", "A=b=c", "--env", "PLANISH_TEST"]);
    assert_eq!(text(&output.stdout), "A=b=c\0PLANISH_TEST=of the command\0");
    let output = program.run(&["--env", "PLANISH_TEST_NOT_THERE"]);
    assert_eq!(output.status.code(), Some(2));
    let output = program.run(&["--dir", "/nonexistent/folder"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot open the directory /nonexistent/folder"));
}

#[test]
fn exports_are_called_and_traps_are_shown() {
    let program = Program::new(
        "exports",
        r#"(module
        (func (export "swap") (param i32 i64 f64) (result f64 i64 i32) local.get 2 local.get 1 local.get 0)
        (func (export "divide") (param i32) (result i32) i32.const 1 local.get 0 i32.div_s))"#,
    );
    let output = program.run(&["--invoke", "swap", "--", "-1", "18446744073709551615", "0.5"]);
    assert_eq!(text(&output.stdout), "0.5\n-1\n-1\n");
    let output = program.run(&["--invoke", "divide", "0"]);
    assert_eq!(output.status.code(), Some(1));
    let error = text(&output.stderr);
    assert!(
        error.contains("E1301") && error.contains("integer divide by zero") && error.contains("i32.div_s"),
        "{error}"
    );
    let output = program.run(&["--invoke", "nothing"]);
    assert!(text(&output.stderr).contains("exports no function `nothing`"));
    let output = program.run(&[]);
    assert!(text(&output.stderr).contains("exports no `_start`"));
    assert_eq!(output.status.code(), Some(2));
}

/// The checker goes over the code of every function, before it is shown or run.
#[test]
fn the_code_is_verified_on_request() {
    let text_of_two = r#"(module
        (func $twice (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
        (func (export "sum") (param i32) (result i32) (local $sum i32)
            (loop $again
                (local.set $sum (i32.add (local.get $sum) (call $twice (local.get 0))))
                (br_if $again (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
            (local.get $sum)))"#;
    let program = Program::new("verify", text_of_two);
    let output = program.run(&["-O0", "--verify", "--invoke", "sum", "4"]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("20\n", Some(0)));
    assert_eq!(text(&output.stderr), "verified: the code of 2 functions\n");
    let compile = |target: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_planish"));
        command.arg("compile").arg(&program.0).args([target, "-O0", "--verify"]).output().expect("the command runs")
    };
    let output = compile("--emit=asm");
    assert_eq!(text(&output.stderr), "verified: the code of 2 functions\n");
    assert!(text(&output.stdout).contains("i32.multiply"), "{}", text(&output.stdout));
    let output = compile("--emit=wasm");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

/// Errors in a call are reported with the signature or names that would be right.
#[test]
fn mistaken_calls_are_told_what_there_is() {
    let program = Program::new(
        "mistakes",
        r#"(module (memory (export "memory") 1)
            (func (export "sum") (param i64 i64) (result i64) (i64.add (local.get 0) (local.get 1)))
            (func (export "same") (param v128) (result v128) (local.get 0)))"#,
    );
    let told = |args: &[&str], words: &str| {
        let output = program.run(args);
        let said = text(&output.stderr);
        assert!(said.contains(words) && output.status.code() == Some(2), "{args:?}: {said}");
    };
    told(&[], "no `_start`; --invoke NAME calls another function: `sum`, `same`");
    told(&["--invoke", "some"], "no function `some`; did you mean `same`?");
    told(&["--invoke", "memory"], "it exports `sum`, `same`");
    told(&["--invoke", "sum", "1"], "takes 2 arguments (i64, i64), not 1");
    told(&["--invoke", "sum", "1", "x"], "`x` is no i64, which `sum` takes: write a whole number from");
    told(&["--invoke", "same", "1"], "0x and up to 32 hexadecimal digits");
    let nothing = Program::new("nothing", "hello");
    let output = nothing.run(&[]);
    assert!(text(&output.stderr).contains("begins with the bytes 00 61 73 6d"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn every_engine_runs_programs_and_stops_at_the_same_place() {
    let program = Program::new("engines", &echo("args", 3));
    let by = |engine: &str| {
        let output = program.run(&["--engine", engine, "one", "two"]);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (status, out, errors) = by("vm");
    assert!(status == Some(3) && out.contains("one\0two\0") && errors.is_empty(), "{status:?} {out} {errors}");
    let expected = (status, out, errors);
    assert_eq!(by("native"), expected);
    assert_eq!(by("tiered"), expected);
    let trap = Program::new(
        "engine-traps",
        "(module (func (export \"f\") (result i32) (i32.div_u (i32.const 1) (i32.const 0))))",
    );
    let by = |engine: &str| text(&trap.run(&["--engine", engine, "--invoke", "f"]).stderr);
    assert!(by("vm").contains("integer divide by zero"), "{}", by("vm"));
    assert_eq!(by("native"), by("vm"));
    assert_eq!(by("tiered"), by("vm"));
    let refused = trap.run(&["--engine", "eval", "--invoke", "f"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("--engine eval runs shaders"));
    let refused = trap.run(&["--engine", "native", "--verify", "--invoke", "f"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("use --engine vm"));
}

/// Code of an earlier run is taken, a directory that cannot keep any is a warning.
#[test]
fn code_is_kept_in_a_directory() {
    let program = Program::new("cache", "(module (func (export \"f\") (result i32) i32.const 42))");
    let directory = program.0.with_extension("code");
    let run = |directory: &std::path::Path| {
        let directory = directory.to_str().expect("a path in UTF-8");
        let output = program.run(&["--engine", "native", "--cache", directory, "--invoke", "f"]);
        (text(&output.stdout), text(&output.stderr), output.status.code())
    };
    let answer = "42\n".to_owned();
    for _ in 0..2 {
        assert_eq!(run(&directory), (answer.clone(), String::new(), Some(0)));
        assert_eq!(std::fs::read_dir(&directory).expect("it was made").count(), 1);
    }
    std::fs::remove_dir_all(&directory).expect("it is there");
    let (out, told, status) = run(&program.0);
    assert_eq!((out, status), (answer, Some(0)));
    assert!(told.contains("cannot keep code") && told.contains("code is made for this run alone"), "{told}");
}
