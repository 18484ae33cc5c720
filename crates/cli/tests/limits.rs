//! `planish run` with limits of instructions, time and memory.

use std::process::Output;
use std::time::{Duration, Instant};

use crate::common::{Folder, text};

const FOR_EVER: &str = "(module (memory 2) (func (export \"f\") (result i32)
    (loop $again (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1))) (br $again)) (i32.const 1))
    (func (export \"grow\") (param i32) (result i32) (memory.grow (local.get 0)))
    (func (export \"one\") (result i32) (i32.const 1)))\n";
const NUMBERS: &str = "(define (count x) (if (< x 1e15) (count (+ x 1)) x))\n(count (read-real))\n";
const HEAD: &str = "#version 310 es\nprecision highp float;\nuniform float u;\n";

fn shader(head: &str, result: &str) -> String {
    format!("{HEAD}{head}\nvoid main() {{ float x = u; while (x < 1.0) {{ x += u * 1e-30; }} {result} }}\n")
}

fn fill(folder: &Folder) {
    folder.write("p.wat", FOR_EVER);
    folder.write("p.vl", NUMBERS);
    folder.write("p.frag", shader("out vec4 color;", "color = vec4(x);"));
    folder.write("p.vert", shader("", "gl_Position = vec4(x);"));
    let buffer = "layout(local_size_x = 4) in;\nlayout(std430, binding = 0) buffer B { float y[]; };";
    folder.write("p.comp", shader(buffer, "y[gl_GlobalInvocationID.x] = x;"));
    folder.write("p.ir", "module ir\n\nfn @f(%0: f32) -> (f32) {\nb0:\n  %1 = sqrt %0\n  return %1\n}\n");
}

fn is_reached(output: &Output, words: &str) {
    let told = text(&output.stderr);
    assert!(told.contains("error[E1303]") && told.contains(words), "{told}{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1), "{told}");
}

#[test]
fn fuel_ends_programs_on_every_engine() {
    let folder = Folder::new("fuel");
    fill(&folder);
    for engine in ["vm", "native", "tiered"] {
        let run = |args: &[&str]| folder.planish(&[&["run", "--engine", engine], args].concat(), "0");
        is_reached(&run(&["p.wat", "--fuel=5000", "--invoke=f"]), "all its fuel, 5000 instructions");
        is_reached(&run(&["p.vl", "--fuel=5000"]), "all its fuel, 5000 instructions");
        let enough = run(&["p.wat", "--fuel=5000", "--invoke=one"]);
        assert_eq!((text(&enough.stdout), enough.status.code()), ("1\n".into(), Some(0)), "{}", text(&enough.stderr));
    }
    for engine in ["vm", "native", "eval"] {
        for (file, args) in [("p.frag", &["-o", "p.png", "--size=8x8"][..]), ("p.vert", &[]), ("p.comp", &[])] {
            let run = |more: &[&str]| folder.planish(&[&["run", file, "--engine", engine], args, more].concat(), "");
            is_reached(&run(&["--fuel=20000", "-U", "u=0.5"]), "limit of steps, 20000");
            let enough = run(&["--fuel=20000", "-U", "u=2"]);
            assert!(enough.status.success(), "{}", text(&enough.stderr));
        }
    }
    let function = |fuel: &str| folder.planish(&["run", "p.ir", fuel, "--invoke=f", "4"], "");
    is_reached(&function("--fuel=1"), "limit of steps, 1");
    assert_eq!(text(&function("--fuel=10").stdout), "2\n");
}

/// The time is that of the run: a test allows much more for the rest.
#[test]
fn time_ends_programs_on_every_engine() {
    let folder = Folder::new("timeout");
    fill(&folder);
    let picture = ["p.frag", "-o", "p.png", "--size=8x8", "-U", "u=0.5", "--fuel=1000000000000000"];
    let buffer = ["p.comp", "-U", "u=0.5", "--fuel=1000000000000000"];
    let cases: &[(&[&str], &[&str])] = &[
        (&["p.wat", "--invoke=f"], &["vm", "native", "tiered"]),
        (&["p.vl", "-O2"], &["vm", "native"]),
        (&picture, &["native", "eval"]),
        (&buffer, &["vm", "eval"]),
    ];
    for (args, engines) in cases {
        for engine in *engines {
            let begin = Instant::now();
            let output = folder.planish(&[&["run", "--timeout=0.2", "--engine", engine], *args].concat(), "0");
            is_reached(&output, "longer than --timeout allows, 0.2 s");
            assert!(begin.elapsed() < Duration::from_secs(60), "{args:?}");
        }
    }
    assert!(!folder.path().join("p.png").exists());
    let ends = folder.planish(&["run", "p.wat", "--timeout=600", "--invoke=one"], "");
    assert_eq!((text(&ends.stdout), ends.status.code()), ("1\n".into(), Some(0)));
    let json = folder.planish(&["run", "p.wat", "--timeout=0.1", "--invoke=f", "--message-format=sarif"], "");
    assert!(text(&json.stderr).contains("\"ruleId\"") && text(&json.stderr).trim_end().ends_with('}'));
}

#[test]
fn memory_is_limited() {
    let folder = Folder::new("memory");
    fill(&folder);
    for engine in ["vm", "native"] {
        let run = |limit: &str, name: &[&str]| {
            let args = ["run", "p.wat", "--engine", engine, "--memory-limit", limit];
            folder.planish(&[&args[..], name].concat(), "")
        };
        is_reached(&run("64KiB", &["--invoke=one"]), "begins with 131072 bytes of memory; --memory-limit allows 65536");
        // The program is told, as WebAssembly has it.
        assert_eq!(text(&run("192KiB", &["--invoke=grow", "1"]).stdout), "2\n");
        assert_eq!(text(&run("192KiB", &["--invoke=grow", "2"]).stdout), "-1\n");
    }
    let source = "out vec4 color;\nfloat table[4000];";
    let body = "for (int i = 0; i < 4000; i++) table[i] = u + float(i); color = vec4(table[int(u)]);";
    folder.write("big.frag", format!("{HEAD}{source}\nvoid main() {{ {body} }}\n"));
    for engine in ["native", "eval"] {
        let run = |limit: &str| {
            let args = ["run", "big.frag", "-o", "big.png", "--size=8x8", "--engine", engine, "--memory-limit", limit];
            folder.planish(&args, "")
        };
        is_reached(&run("64KiB"), "more memory than --memory-limit allows, 65536 bytes");
        assert!(run("1GiB").status.success());
    }
}

#[test]
fn limits_that_cannot_be_held_are_refused() {
    let folder = Folder::new("limits");
    fill(&folder);
    for (args, words) in [
        (&["--fuel=0"][..], "0 is not in 1.."),
        (&["--timeout=0"], "a number of seconds above 0 is wanted"),
        (&["--memory-limit=2MB"], "`16MiB`"),
        (&["--gpu", "--fuel=9"], "cannot be used with"),
        (&["--gpu", "--timeout=9"], "cannot be used with"),
        (&["--gpu", "--memory-limit=9K"], "cannot be used with"),
        (&["--window", "--timeout=9"], "cannot be used with"),
    ] {
        let output = folder.planish(&[&["run", "p.frag", "-o", "p.png"], args].concat(), "");
        assert!(text(&output.stderr).contains(words), "{args:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}
