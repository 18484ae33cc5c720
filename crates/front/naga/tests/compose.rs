//! WGSL of several files: directives, includes and imports.

use std::collections::HashMap;
use std::sync::Arc;

use planish_eval::{Evaluator, Limits};
use planish_front_naga::{Options, read_wgsl};
use planish_ir::module::Module;
use planish_ir::source::{IncludeResolver, SourceMap};

use crate::common;

struct Files(HashMap<&'static str, &'static str>);

impl IncludeResolver for Files {
    fn resolve(&mut self, name: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        self.0.get(name).map(|text| (name.to_owned(), Arc::from(*text)))
    }
}

fn read(main: &str, files: &[File], defines: &[(&str, &str)]) -> Result<Module, String> {
    let mut files = Files(files.iter().copied().collect());
    let defines: Vec<(String, String)> = defines.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    let mut map = SourceMap::new();
    let file = map.add("main.wgsl", main).expect("small");
    let mut options = Options { defines: &defines, includes: Some(&mut files), ..Options::default() };
    let places = |map: &SourceMap, diagnostics: &[planish_ir::diagnostic::Diagnostic]| {
        let line = |d: &planish_ir::diagnostic::Diagnostic| {
            let place = map.place(d.span).unwrap_or_else(|| "-".into());
            format!("{} {place} {}", d.code, d.message)
        };
        diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
    };
    match read_wgsl(&file, &mut map, &mut options) {
        Ok((module, _)) => Ok(common::verified("main.wgsl", module)),
        Err(errors) => Err(places(&map, &errors)),
    }
}

/// The result of `f`.
fn value(module: &Module) -> f32 {
    let func = module.funcs.iter().find(|(_, data)| &*data.name.text == "f").expect("it is there").0;
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it has no inputs");
    let result = evaluator.call(func, &[]).expect("it runs");
    f32::from_bits(result[0].bits[0] as u32)
}

/// Name and text.
type File = (&'static str, &'static str);

const SHAPES: File = (
    "shapes/circle.wgsl",
    "#define_import_path shapes::circle\nstruct Circle { radius: f32, area: f32 }\nconst PI = 3.0;\n\
     fn area(radius: f32) -> f32 { var c: Circle; c.radius = radius; c.area = PI * c.radius * radius; return c.area; }\n\
     fn round_up(x: f32) -> f32 { return ceil(x); }\n",
);

#[test]
fn names_of_modules_are_found_in_every_form_of_import() {
    let uses = [
        ("#import shapes::circle", "circle::area(x)", 3.0),
        ("#import shapes::circle as c", "c::area(x) + c::PI", 6.0),
        ("#import shapes::circle::area", "area(x)", 3.0),
        ("#import shapes::circle::{area as size, PI}", "size(x) * PI", 9.0),
        ("#import shapes::{\n    circle::{PI, // three\n    area},\n}", "area(x) * PI", 9.0),
        ("#import \"shapes/circle.wgsl\"::area;", "area(x)", 3.0),
        ("#import \"shapes/circle.wgsl\" as file", "file::area(x)", 3.0),
        ("#ifdef NOTHING\n#endif", "shapes::circle::area(x)", 3.0),
        // The module's names do not meet the file's own.
        (
            "#import shapes::circle::area as size\nconst PI = 4.0;\nfn area() -> f32 { return 5.0; }",
            "size(x) + PI + area()",
            12.0,
        ),
        ("#import shapes::circle::{area, PI}\nconst PI = 4.0;", "area(x) + PI", 7.0),
        // Nor local ones, members or built-in functions of the same name.
        (
            "#import shapes::circle::{area, round_up as ceil}\nstruct S { area: f32 }",
            "ceil(S(area(x) + 0.5).area)",
            4.0,
        ),
    ];
    for (import, expression, expected) in uses {
        let text = format!("{import}\nfn f() -> f32 {{ let x = 1.0; return {expression}; }}\n");
        let module = read(&text, &[SHAPES], &[]).unwrap_or_else(|errors| panic!("{text}: {errors}"));
        assert_eq!(value(&module), expected, "{text}");
    }
}

#[test]
fn modules_import_each_other_once() {
    let files = [
        (
            "a.wgsl",
            "#import b\n#import c::both\nenable f16;\nfn one() -> f32 { return b::one() + both() + f32(1.0h); }",
        ),
        ("b.wgsl", "#import c::both\nfn one() -> f32 { return 10.0 * both(); }"),
        ("c.wgsl", "#import a\nfn both() -> f32 { return 2.0; }\nfn again() -> f32 { return a::one(); }"),
    ];
    let module =
        read("#import a\n#import b as b\nfn f() -> f32 { let x = 1.0; return a::one() + b::one() + x; }", &files, &[]);
    assert_eq!(value(&module.unwrap()), 44.0);
}

#[test]
fn conditions_select_lines() {
    let text = "#ifdef A\nconst x0 = 1.0;\n#else ifdef B\nconst x0 = 2.0;\n#else\nconst x0 = 3.0;\n#endif\n\
                #if N >= 4\n#ifndef A\nconst x1 = 10.0;\n#else\nconst x1 = 20.0;\n#endif\n#else if N == 3\nconst x1 = 30.0;\n#else\nconst x1 = 40.0;\n#endif\n\
                /* a comment\n#endif\n*/ const x2 = #{N}.0 * 100.0; // #{NOTHING}\n\
                fn f() -> f32 { let x = 1.0; return x * 0.0 + x0 + x1 + x2; }\n";
    let value = |defines: &[(&str, &str)]| value(&read(text, &[], defines).unwrap_or_else(|errors| panic!("{errors}")));
    assert_eq!(value(&[("N", "5")]), 513.0);
    assert_eq!(value(&[("N", "3"), ("B", "true")]), 332.0);
    assert_eq!(value(&[("N", "2"), ("A", "1"), ("B", "1")]), 241.0);
    assert_eq!(value(&[("N", "4"), ("A", "1")]), 421.0);
}

#[test]
fn macros_and_included_files() {
    let files = [("part.wgsl", "#ifndef PART\n#define PART\nconst part = #{SIZE}.0 + 1.0;\n#endif\n")];
    let text =
        "#define SIZE 4\n#include \"part.wgsl\"\n#include \"part.wgsl\"\nfn f() -> f32 { let x = 1.0; return part; }";
    assert_eq!(value(&read(text, &files, &[]).unwrap()), 5.0);
}

/// Preludes are known without an import: declarations, macros, `enable`. What the program declares itself comes before them.
#[test]
fn preludes_come_before_the_program() {
    let mut map = SourceMap::new();
    let one = map
        .add("one.wgsl", "enable f16;\n#define SIZE 3\nconst a = 1.0h;\nfn b() -> f32 { return 10.0; }\n")
        .expect("small");
    let two = map
        .add("two.wgsl", "fn c() -> f32 { return b() * 2.0; }\nfn unused() -> f32 { return nothing; }\n")
        .expect("small");
    let text = "diagnostic(off, derivative_uniformity);\nfn b() -> f32 { return 100.0; }\n\
                fn f() -> f32 { return f32(a) + b() + c() + #{SIZE}.0; }";
    let file = map.add("main.wgsl", text).expect("small");
    let mut options = Options { preludes: &[one, two], ..Options::default() };
    let (module, _) = read_wgsl(&file, &mut map, &mut options).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(value(&common::verified("main.wgsl", module)), 124.0);
    let file = map.add("plain.wgsl", "fn f() -> f32 { return c() + d; }").expect("small");
    let errors = read_wgsl(&file, &mut map, &mut options).expect_err("there is no `d`");
    assert_eq!(map.place(errors[0].span).as_deref(), Some("plain.wgsl:1:30"));
}

#[test]
fn a_macro_needs_no_braces() {
    let text = "fn f() -> f32 { return #SIZE.0 / 2.0; /* #12 */ } // #SIZE";
    assert_eq!(value(&read(text, &[], &[("SIZE", "6")]).unwrap()), 3.0);
    let said = read("fn f() { let x = 1 # 2; }\n#ifdef A\n#endif", &[], &[]).unwrap_err();
    assert!(said.starts_with("E0701 main.wgsl:1:20 "), "{said}");
}

/// Errors are shown in the file and at the place that has them.
#[test]
fn errors_are_at_their_place() {
    let cases: [(&str, &[File], &str); 12] = [
        ("#import shapes::square\nfn f() {}", &[SHAPES], "E0112 main.wgsl:1:1 there is no module `shapes::square`"),
        (
            // One that is not used may be missing, as where a condition leaves it out.
            "#import shapes::circle::{aera, nothing}\nfn f() { _ = aera(1.0); }",
            &[SHAPES],
            "E0112 main.wgsl:2:14 shapes/circle.wgsl declares no `aera`",
        ),
        (
            "#import shapes::circle\nfn f() { _ = circle::aera(1.0); }",
            &[SHAPES],
            "E0112 main.wgsl:2:14 shapes/circle.wgsl declares no `aera`",
        ),
        ("#import shapes::circle\nfn f() { let x: i32 = circle::area(1.0); }", &[SHAPES], "E0701 main.wgsl:2:14 "),
        (
            "#import bad::area\nfn f() { _ = area(1.0); }",
            &[("bad.wgsl", "\n\nfn area(x: f32) -> f32 { return x + true; }")],
            "E0702 bad.wgsl:3:33 ",
        ),
        (
            "#import bad\nfn f() { bad::g(); }",
            &[("bad.wgsl", "#ifdef X\nfn g() {}\n")],
            "E0713 bad.wgsl:1:1 `#if` without `#endif`",
        ),
        ("#include \"no.wgsl\"\nfn f() {}", &[], "E0112 main.wgsl:1:1 cannot find `no.wgsl`"),
        ("#endif", &[], "E0713 main.wgsl:1:1 `#endif` without `#if`"),
        ("fn f() {}\n#if N == 3\n#endif", &[], "E0713 main.wgsl:2:1 `N` is not defined"),
        ("const a = #{N};\n#ifdef A\n#endif", &[], "E0713 main.wgsl:1:11 `N` is not defined"),
        ("#ifdef A\n#endfi\n#else\n#endfi\n#endif", &[], "E0713 main.wgsl:4:1 unknown directive `#endfi`"),
        ("#import a::{b\nfn f() {}", &[], "E0713 main.wgsl:1:1 "),
    ];
    for (text, files, expected) in cases {
        let said = read(text, files, &[]).expect_err(text);
        assert!(said.starts_with(expected), "{text}\n{said}\nexpected {expected}");
    }
    let twice = [("r.wgsl", "#include \"r.wgsl\"\n#include \"r.wgsl\"\n")];
    assert!(read("#include \"r.wgsl\"\n", &twice, &[]).unwrap_err().contains("deep"));
    let recursive = [("r.wgsl", "#include \"r.wgsl\"\n")];
    assert!(read("#include \"r.wgsl\"\n", &recursive, &[]).unwrap_err().contains("deep"));
}

/// Cut out of or added to anywhere, a program is read or refused.
#[test]
fn damaged_programs_are_refused() {
    let whole = "#define_import_path m::n\n#import shapes::{circle::{area as size, PI}, circle as c}\n#import \"part.wgsl\"::{x}\n\
                 #ifdef A\n#if B >= 2\nconst é = 1; /* #{B} */\n#else ifndef C\nfn a() { let b = #{B}; }\n#else\n#endif\n#endif\n\
                 @id(1) override k: f32 = 2.0 * PI;\nstruct S { @align(16) area: f32, b: array<f32, 3> }\n\
                 fn f(p: ptr<function, S>) -> f32 { return size((*p).area) + c::area(x) + shapes::circle::PI + k; }\n#include \"part.wgsl\"\n";
    let part = ("part.wgsl", "const x = 1.0;\n#ifndef D\n#define D\n#endif");
    let (mut state, mut read_as_it_is) = (0x2545_f491_4f6c_dd1d_u64, 0);
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    for _ in 0..400 {
        let mut text: Vec<char> = whole.chars().collect();
        for _ in 0..1 + below(3) {
            let (at, count) = (below(text.len()), below(8));
            match below(3) {
                0 => drop(text.drain(at..(at + count).min(text.len()))),
                1 => text.insert(at, ['#', '{', '}', ':', '"', '\n', '/', '*', 'é', '@'][below(10)]),
                _ => text[at] = ['<', '(', ';', '#', ' ', '0', 'a', '>', ',', '='][below(10)],
            }
        }
        let text: String = text.into_iter().collect();
        read_as_it_is += usize::from(read(&text, &[SHAPES, part], &[("A", "1"), ("B", "2")]).is_ok());
    }
    assert!(read_as_it_is < 400, "no error was made");
}
