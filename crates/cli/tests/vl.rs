//! VL from the command line: values, input and output, exports, errors, entries typed one by one.

use crate::common::{planish, text};

#[test]
fn a_program_gives_its_value() {
    let output = planish(&["run", "-O2", "examples/vl/pendulum.vl"], "");
    assert_eq!(text(&output.stdout), "(1.4929239 3.1138322 0.0024188 -4.2781823)\n", "{}", text(&output.stderr));
}

#[test]
fn what_is_exported_is_called_and_drawn() {
    let picture =
        |args: &[&str]| text(&planish(&[&["run", "examples/vl/mandelbrot-image.vl"], args].concat(), "").stdout);
    assert_eq!(picture(&["--invoke", "picture", "0", "0"]), "(0 0 0)\n");
    let output = planish(&["run", "examples/vl/mandelbrot-image.vl"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--invoke NAME calls an export: `picture`"), "{}", text(&output.stderr));
    let file = std::env::temp_dir().join(format!("planish-vl-{}.png", std::process::id()));
    let drawn = planish(
        &["run", "examples/vl/mandelbrot-image.vl", "--size", "24x16", "-o", file.to_str().expect("a plain name")],
        "",
    );
    let bytes = std::fs::read(&file).expect("a picture was written");
    std::fs::remove_file(&file).expect("it is ours");
    assert!(drawn.status.success() && bytes.starts_with(b"\x89PNG"), "{}", text(&drawn.stderr));
}

#[test]
fn a_program_reads_and_writes_numbers_and_ends_with_its_own_words() {
    let program = std::env::temp_dir().join(format!("planish-vl-{}.vl", std::process::id()));
    let source = "(define x (read-real))\n(if (< x 10) (+ (write-real x) (read-real)) (error \"too large\"))\n";
    std::fs::write(&program, source).expect("can be written");
    let name = program.to_str().expect("a plain name");
    let run = |input: &str| planish(&["run", name], input);
    let (small, large, short) = (run("2.5\n-1e30 7"), run("10"), run("1"));
    std::fs::remove_file(&program).expect("it is ours");
    assert_eq!(text(&small.stdout), "2.5\n-1e30\n", "{}", text(&small.stderr));
    assert_eq!(large.status.code(), Some(1));
    assert!(text(&large.stderr).contains("too large"), "{}", text(&large.stderr));
    assert!(text(&short.stderr).contains("there is no more input for `read-real`"), "{}", text(&short.stderr));
}

#[test]
fn entries_know_those_before_them() {
    let entries = "(define (f x)\n  (* x x))\n(f (real 3))\n(car 1)\n(define (f x) (+ x 1))\n(f (real 3))\n:list\n:code\n:analysis\n:what\n";
    let output = planish(&["repl", "-O2"], entries);
    let said = text(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "9", "{said}{}", text(&output.stderr));
    assert!(lines[1].starts_with("; ") && lines[1].ends_with(" shapes of calls analysed"), "{said}");
    assert_eq!(lines[2], "4", "{said}");
    assert!(said.contains("(define (f x) (+ x 1))") && !said.contains("(* x x)"), "{said}");
    assert!(said.contains("return 4.0d"), "{said}");
    assert!(said.contains("f, ℝ ↦ ℝ"), "{said}");
    assert!(said.ends_with("there is no `:what`; `:help` lists the commands\n"), "{said}");
    assert!(text(&output.stderr).contains("error[E0811]"), "{}", text(&output.stderr));
}

#[test]
fn the_analysis_is_printed() {
    let output = planish(&["print", "examples/vl/mandelbrot.vl", "--after=analyze"], "");
    let said = text(&output.stdout);
    assert!(said.contains("iterate, ℝ, closure2, ℝ, ℝ ↦ (ℝ . ℝ)\n"), "{said}");
    let other = planish(&["print", "examples/shaders/planished.frag", "--after=analyze"], "");
    assert!(text(&other.stderr).contains("only programs in VL have a flow analysis"), "{}", text(&other.stderr));
}

#[test]
fn parts_of_a_record_have_their_names() {
    let called =
        |args: &[&str]| text(&planish(&[&["run", "tests/vl/export/record.vl", "--invoke"], args].concat(), "").stdout);
    assert_eq!(called(&["moved", "1", "2", "3"]), "#[point x: 4 y: 5]\n");
    let frame = "#[box low: #[point x: 0 y: 0] high: #[point x: 2 y: 1] is-wide?: #t]\n";
    assert_eq!(called(&["frame", "2"]), frame);
}
