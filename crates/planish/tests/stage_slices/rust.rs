//! Functions of slices as Rust, which the compiler takes without a warning: they do what plain Rust does, in place.

use std::fmt::Write;
use std::process::Command;

use planish::{EmitOptions, Target};
use planish_testkit::{has_tool, scratch};

use super::*;

fn text<A: Params, R: Staged>(function: &Function<A, R>) -> String {
    let artifact = function.emit(Target::Rust, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    String::from_utf8(artifact.bytes).expect("a text")
}

/// Compiles and runs a program of modules and of lines in `main`.
fn run(test: &str, modules: &str, lines: &str) -> Option<String> {
    if !has_tool("rustc") {
        return None;
    }
    let folder = scratch(test);
    let program = format!("#![forbid(unsafe_code)]\n#![deny(warnings)]\n{modules}\nfn main() {{\n{lines}}}\n");
    std::fs::write(folder.join("main.rs"), program).expect("files of tests can be written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-C", "debug-assertions=on", "main.rs", "-o", "main"]).current_dir(&folder);
    for command in [&mut rustc, &mut Command::new(folder.join("main"))] {
        let output = command.output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        if output.stdout.is_empty() {
            continue;
        }
        return Some(String::from_utf8(output.stdout).expect("a text"));
    }
    Some(String::new())
}

#[test]
fn random_writes() {
    let (mut modules, mut calls, mut expected) = (String::new(), String::new(), String::new());
    for seed in seeds(0..120) {
        let program = statements(&mut Choices::from_seed(seed), 3);
        writeln!(modules, "#[allow(dead_code)]\nmod s{seed} {{\n{}}}", text(&writes(&program)))
            .expect("strings take all");
        for (sizes, number) in WRITE_CASES {
            let before = Plain::new(sizes, number);
            let mut after = before.clone();
            let result = after.run(&program, 0).map(|()| after.number);
            writeln!(
                expected,
                "{} {:?} {:?} {:?}",
                result.map_or_else(|| "out of bounds memory".to_owned(), |number| number.to_string()),
                after.bytes,
                after.shorts,
                after.longs
            )
            .expect("strings take all");
            writeln!(
                calls,
                "{{ let (mut a, mut b, mut c): (Vec<u8>, Vec<i16>, Vec<i64>) = (vec!{:?}, vec!{:?}, vec!{:?}); \
                 let r = s{seed}::writes(&mut a, &mut b, &mut c, {number}); \
                 let r = r.map_or_else(|trap| trap.to_string(), |number| number.to_string()); \
                 println!(\"{{r}} {{a:?}} {{b:?}} {{c:?}}\"); }}",
                before.bytes, before.shorts, before.longs
            )
            .expect("strings take all");
        }
    }
    if let Some(found) = run("rust-slices-writes", &modules, &calls) {
        assert_eq!(found, expected);
    }
}

#[test]
fn all_numbers_are_elements() {
    let (mut modules, mut calls, mut expected) = (String::new(), String::new(), String::new());
    macro_rules! numbers {
        ($($host:ident $values:expr;)*) => {$({
            let f = made(function("copies", |from: In<[$host]>, to: Out<[$host]>, wide: Out<[[$host; 2]]>| {
                from.iter().write_to(to);
                from.iter().chunks::<2>().map(|[a, b]| [b, a]).write_to(wide)
            }));
            let name = stringify!($host);
            let text = text(&f);
            let head = format!("pub fn copies(x0: &[{name}], x1: &mut [{name}], x2: &mut [[{name}; 2]]) -> Result<u32, Trap> {{");
            assert!(text.contains(&head), "{text}");
            writeln!(modules, "#[allow(dead_code)]\nmod of_{name} {{\n{text}}}").expect("strings take all");
            let values: [$host; 5] = $values;
            let [a, b, c, d, e] = values;
            let zero = $host::default();
            let (to, wide) = ([a, b, c, d, e, zero], [[b, a], [d, c], [zero, zero]]);
            writeln!(
                calls,
                "{{ let (mut to, mut wide) = ([{zero:?}; 6], [[{zero:?}; 2]; 3]); \
                 let r = of_{name}::copies(&{values:?}, &mut to, &mut wide); println!(\"{{r:?}} {{to:?}} {{wide:?}}\"); \
                 println!(\"{{:?}}\", of_{name}::copies(&{values:?}, &mut to[..4], &mut wide)); }}"
            )
            .expect("strings take all");
            writeln!(expected, "Ok(2) {to:?} {wide:?}\nErr(OutOfBoundsMemory)").expect("strings take all");
        })*};
    }
    numbers! {
        i8 [0, 1, -1, 127, -128];
        u8 [0, 1, 255, 127, 128];
        i16 [0, 1, -1, 32_767, -32_768];
        u16 [0, 1, 65_535, 32_767, 32_768];
        i32 [0, 1, -1, i32::MAX, i32::MIN];
        u32 [0, 1, u32::MAX, 1 << 31, 77];
        i64 [0, 1, -1, i64::MAX, i64::MIN];
        u64 [0, 1, u64::MAX, 1 << 63, 77];
        f32 [-0.0, -1.5, 8.0, f32::MIN_POSITIVE, f32::MAX];
        f64 [-0.0, -1.5, 8.0, f64::MIN_POSITIVE, f64::MAX];
    }
    // Small numbers become large ones with their sign.
    let f = made(function("sums", |a: In<[i8]>, b: In<[u8]>| (a.iter().sum(), b.iter().sum())));
    writeln!(modules, "mod small {{\n{}}}", text(&f)).expect("strings take all");
    calls += "println!(\"{:?}\", small::sums(&[-128, -1, 3], &[255, 255]));\n";
    expected += "Ok((-126, 510))\n";
    if let Some(found) = run("rust-slices-numbers", &modules, &calls) {
        assert_eq!(found, expected);
    }
}
