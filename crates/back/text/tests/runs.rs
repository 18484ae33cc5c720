//! Control flow and values as optimized code has them: written in each language, run there, and compared with the
//! evaluator.

use std::process::Command;

use planish_back_text::Abilities;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_testkit::structured::{run, runs};
use planish_testkit::{has_tool, scratch};

use crate::tiny::{Flavour, abilities, read, write};

const ADD: &str = "fn add2(a: [i32; 2], b: [i32; 2]) -> [i32; 2] { [a[0] + b[0], a[1] + b[1]] }\n";
const PROGRAMS: &str = include_str!("data/structured.ir");

fn module() -> Module {
    read(PROGRAMS)
}

fn expected() -> Vec<i32> {
    let module = module();
    let runs = runs(PROGRAMS);
    assert!(runs.len() > 30);
    runs.iter().map(|(name, args)| run(&module, name, args)).collect()
}

fn text(flavour: Flavour, abilities: Abilities, minify: bool) -> String {
    write(&module(), flavour, abilities, minify, false).unwrap_or_else(|e| panic!("{flavour:?}: {e:#?}"))
}

/// Calls of all functions, which `print` prints.
fn calls(text: &str, print: impl Fn(&str) -> String) -> String {
    let call = |(name, args): (String, Vec<i32>)| {
        assert!(text.contains(&format!("{name}(")), "{name} keeps its name");
        let args: Vec<String> = args.iter().map(i32::to_string).collect();
        print(&format!("{name}({})", args.join(", ")))
    };
    runs(PROGRAMS).into_iter().map(call).collect()
}

/// Compiles a program, runs it, and compares the numbers that it prints.
fn check(text: &str, file: &str, compile: &[&str]) {
    let folder = scratch(&file.replace('.', "_"));
    std::fs::write(folder.join(file), text).expect("writable");
    let output = Command::new(compile[0]).args(&compile[1..]).args(["-o", "run", file]).current_dir(&folder).output();
    let output = output.expect("a compiler");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(folder.join("run")).output().expect("the program runs");
    let actual: Vec<i32> = String::from_utf8_lossy(&output.stdout).lines().map(|l| l.parse().unwrap()).collect();
    for (((name, args), expected), actual) in runs(PROGRAMS).iter().zip(expected()).zip(&actual) {
        assert_eq!(expected, *actual, "{name}{args:?}\n{text}");
    }
    assert_eq!(actual.len(), runs(PROGRAMS).len());
}

fn check_c(file: &str, abilities: Abilities) {
    if !has_tool("gcc") {
        return;
    }
    let text = text(Flavour::C, abilities, false);
    let calls = calls(&text, |call| format!("printf(\"%d\\n\", {call});\n"));
    let head = "#include <stdbool.h>\n#include <stdio.h>\ntypedef struct { int x, y; } int2;\n\
                typedef struct { int x, y, z; } int3;\n\
                static int2 add2(int2 a, int2 b) { return (int2){a.x + b.x, a.y + b.y}; }\n";
    check(&format!("{head}{text}\nint main(void) {{\n{calls}}}\n"), file, &["gcc", "-std=gnu11", "-O1", "-fwrapv"]);
}

#[test]
fn c_with_goto() {
    check_c("goto.c", Abilities::C);
}

/// Every ability that C has is one that a language may lack.
#[test]
fn c_with_fewer_abilities() {
    use planish_back_text::{Choice, FarJumps, ForLoops, Results};
    let fewer = Abilities {
        far_jumps: FarJumps::Flags,
        for_loops: ForLoops::None,
        do_while: false,
        switches: false,
        choice: Choice::None,
        several_results: Results::Parameters,
        mutable_parameters: false,
        compound_assignment: false,
        increments: false,
        ..Abilities::C
    };
    check_c("fewer.c", fewer);
    let goto = Abilities { far_jumps: FarJumps::Goto, fallthrough: false, pointers_to_parts: false, ..fewer };
    check_c("fewer_goto.c", goto);
}

#[test]
fn rust_with_labels() {
    if !has_tool("rustc") {
        return;
    }
    let text = text(Flavour::Rust, Abilities::RUST, false);
    let calls = calls(&text, |call| format!("println!(\"{{}}\", {call});\n"));
    let text = format!("#![allow(warnings)]\n{ADD}{text}\nfn main() {{ unsafe {{\n{calls}}} }}\n");
    check(&text, "labels.rs", &["rustc", "--edition=2021", "-Coverflow-checks=off"]);
}

#[test]
fn wgsl_read_back() {
    for continuing in [true, false] {
        let text = text(Flavour::Wgsl, Abilities { continuing, ..Abilities::WGSL }, false);
        let mut map = SourceMap::new();
        let file = map.add("test.wgsl", &*text).unwrap();
        let (after, _) = planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default())
            .unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
        for ((name, args), expected) in runs(PROGRAMS).iter().zip(expected()) {
            assert_eq!(expected, run(&after, name, args), "{name}{args:?}\n{text}");
        }
    }
}

#[test]
fn minified_programs_are_shorter() {
    for flavour in [Flavour::C, Flavour::Wgsl, Flavour::Rust] {
        let [long, short] = [false, true].map(|minify| text(flavour, abilities(flavour), minify));
        assert!(short.len() * 3 < long.len() * 2, "{} {}\n{short}", long.len(), short.len());
    }
}
