//! Functions of slices in object files, called from C: they do what plain Rust does, in place.

use std::fmt::Write;

use planish::stage::{Effect, Library, Vector, host, list};
use planish::{Artifact, EmitOptions, Target};

use super::*;
use crate::objects::{Form, Project};

fn emitted<A: Params, R: Staged>(
    function: &Function<A, R>,
    prefix: &str,
    triple: Option<&str>,
    form: Form,
) -> Artifact {
    let options =
        EmitOptions { prefix: prefix.to_owned(), triple: triple.map(str::to_owned), ..EmitOptions::default() };
    let target = if form == Form::C { Target::C } else { Target::Object };
    function.emit(target, &options).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The begin of a C program: traps go back to the call.
const BEGIN: &str = r#"
#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
static jmp_buf stopped;
_Noreturn void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {
    (void)function, (void)line, (void)column;
    longjmp(stopped, code + 1);
}
#define SHOW(type, array, len) for (uint32_t i = 0; i != (len); i++) printf(" %lld", (long long)((const type *)(array))[i]); puts(";")
#define TRY(call) { int code = setjmp(stopped); if (code == 0) { call; } else printf(code - 1 == PLANISH_TRAP_OUT_OF_BOUNDS_MEMORY ? "beyond" : "trap"); }
"#;

/// An array of C with a number more, since none is empty.
fn array<T: ToString>(kind: &str, name: &str, numbers: &[T]) -> String {
    let list: String = numbers.iter().map(|x| format!("{}, ", x.to_string())).collect();
    format!("{kind} {name}[] = {{ {list}0 }};")
}

fn shown<T: ToString>(numbers: &[T]) -> String {
    let list: String = numbers.iter().map(|x| format!(" {}", x.to_string())).collect();
    format!("{list};\n")
}

#[test]
fn random_writes() {
    for mut project in Project::in_each_form("slices-writes") {
        let (mut include, mut calls, mut expected) = (String::new(), String::new(), String::new());
        for seed in seeds(0..120) {
            let program = statements(&mut Choices::from_seed(seed), 3);
            project.link(&format!("s{seed}"), emitted(&writes(&program), &format!("s{seed}"), None, project.form));
            writeln!(include, "#include \"s{seed}.h\"").expect("strings take all");
            for (sizes, number) in WRITE_CASES {
                let before = Plain::new(sizes, number);
                let mut after = before.clone();
                match after.run(&program, 0) {
                    Some(()) => expected += &after.number.to_string(),
                    None => expected += "beyond",
                }
                expected += &(shown(&after.bytes) + &shown(&after.shorts) + &shown(&after.longs));
                let [a, b, c] = sizes;
                writeln!(
                    calls,
                    "{{ const {}\n{}\n{}\n\
                 TRY(printf(\"%lld\", (long long)s{seed}_writes(bytes, {a}, shorts, {b}, longs, {c}, {number})))\n\
                 SHOW(uint8_t, bytes, {a}); SHOW(int16_t, shorts, {b}); SHOW(int64_t, longs, {c}); }}",
                    array("uint8_t", "bytes", &before.bytes),
                    array("int16_t", "shorts", &before.shorts),
                    array("int64_t", "longs", &before.longs),
                )
                .expect("strings take all");
            }
        }
        assert!(expected.contains("beyond"), "some stop");
        assert_eq!(project.run(&format!("{include}{BEGIN}int main(void) {{\n{calls}return 0;\n}}\n"), false), expected);
    }
}

#[test]
fn all_numbers_and_vectors() {
    for mut project in Project::in_each_form("slices-numbers") {
        let (mut include, mut calls, mut expected) = (String::new(), String::new(), String::new());
        macro_rules! numbers {
        ($($host:ident $c:literal;)*) => {$({
            let f = made(function("twice", |x: In<[$host]>, y: Out<[[$host; 2]]>| {
                x.iter().map(|x| [x, x + x]).write_to(y)
            }));
            let name = stringify!($host);
            let object = emitted(&f, name, None, project.form);
            let header = object.header.as_deref().expect("a header").to_owned();
            let declared = format!("uint32_t {name}_twice(const {} *x0, uint32_t x0_len, {} *x1, uint32_t x1_len);", $c, $c);
            assert!(header.contains(&declared), "{header}");
            project.link(name, object);
            writeln!(include, "#include \"{name}.h\"").expect("strings take all");
            // (A loop on vectors, and the rest.)
            let x: Vec<$host> = (0..37u8).map(|i| i as $host).collect();
            writeln!(
                calls,
                "{{ const {}\n{} y[80] = {{ 0 }};\nTRY(printf(\"%u:\", (unsigned){name}_twice(x, 37, y, 40)))\nSHOW({}, y, 80); }}",
                array($c, "x", &x), $c, $c
            )
            .expect("strings take all");
            let y: Vec<u32> = (0..37).flat_map(|i| [i, i + i]).chain([0; 6]).collect();
            expected += &format!("37:{}", shown(&y));
        })*};
    }
        numbers! {
            i8 "int8_t"; u8 "uint8_t"; i16 "int16_t"; u16 "uint16_t"; i32 "int32_t"; u32 "uint32_t";
            i64 "int64_t"; u64 "uint64_t"; f32 "float"; f64 "double";
        }
        // Values that are no scalars, functions of the host, and several results between and after slices.
        let f = made(function("mixed", |v: Rep<Vector<f32, 3>>, x: In<[f32]>, on: Rep<bool>, y: Out<[f64]>| {
            let next = host("next", Effect::Ordered, |x: f64| x + 1.0);
            y.set(0, next.call(if_(on, || x.at(2).as_::<f64>(), || v.component(1).as_::<f64>())));
            (x.len(), v.component(0) + x.iter().sum())
        }));
        project.link("m", emitted(&f, "m", None, project.form));
        include += "#include \"m.h\"\n";
        calls +=
        "{ const float x[] = { 1, 2, 3 }; double y[] = { 9, 9 }; planish_f32x3 v = { 10, 20, 30 }; m_mixed_result r;
        m_mixed(&v, x, 3, true, y, 2, &r); printf(\"%u %g %g %g\\n\", (unsigned)r.r0, (double)r.r1, y[0], y[1]);
        m_mixed(&v, x, 0, false, y, 2, &r); printf(\"%u %g %g %g\\n\", (unsigned)r.r0, (double)r.r1, y[0], y[1]);
        TRY(m_mixed(&v, x, 1, true, y, 2, &r)) puts(\"\");
        TRY(m_mixed(&v, x, 1, false, y, 0, &r)) puts(\"\");
        TRY(m_mixed(&v, x, UINT32_MAX, false, y, 1, &r)) puts(\"\");
        TRY(m_mixed(&v, x, 1, false, y, UINT32_MAX / 8 + 1, &r)) puts(\"\"); }\n";
        expected += &format!("3 16 4 9\n0 10 21 9\n{}", "beyond\n".repeat(4));
        let next = "double m_host_next(double x) { return x + 1; }\n";
        assert_eq!(
            project.run(&format!("{include}{BEGIN}{next}int main(void) {{\n{calls}return 0;\n}}\n"), false),
            expected
        );
    }
}

#[test]
fn a_library_has_safe_functions_in_rust() {
    let twice = made(function("twice", |x: In<[[i16; 3]]>, y: Out<[f64]>| {
        x.iter().map(|[a, b, c]| (a + b + c).as_::<f64>()).write_to(y);
    }));
    for (triple, file) in [
        (None, None),
        (Some("x86_64-unknown-linux-gnu"), Some("libkernels.a")),
        (Some("aarch64-apple-darwin"), Some("libkernels.a")),
        (Some("x86_64-pc-windows-msvc"), Some("kernels.lib")),
    ] {
        let mut library = Library::new("kernels", triple);
        library.add(&twice).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(library.rust().contains("pub fn twice(x0: &[[i16; 3]], x1: &mut [f64]) {"), "{}", library.rust());
        assert!(file.is_none_or(|file| library.file_name() == file));
        let archive = library.archive();
        // The index of symbols, and the member.
        let has = |text: &str| archive.windows(text.len()).any(|bytes| bytes == text.as_bytes());
        assert!(archive.starts_with(b"!<arch>\n") && has("kernels_twice") && has("kernels_twice.o"), "{triple:?}");
    }
    let mut library = Library::new("kernels", None);
    library.add(&twice).unwrap_or_else(|errors| panic!("{errors}"));
    fn refused(library: &mut Library, function: &Function<(Rep<f64>,), Rep<f64>>, reason: &str) {
        let error = library.add(function).expect_err("it is refused").to_string();
        assert!(error.contains("error[E1406]") && error.contains(reason) && error.contains("linked.rs"), "{error}");
    }
    let named = |name: &str| made(function(name, |x: Rep<f64>| x + 1.0));
    refused(&mut library, &named("twice"), "the name is taken");
    refused(&mut library, &named("match"), "no word of the language");
    refused(&mut library, &named("a b"), "letters, digits and `_`");
    let hosts = |x: Rep<f64>| host("next", Effect::Ordered, |x: f64| x + 1.0).call(x);
    refused(&mut library, &made(function("hosts", hosts)), "calls `next`, a function of the host");
    let list = |x: Rep<f64>| list(3u32, move |i| i.as_::<f64>() * x).sorted().at(1u32);
    refused(&mut library, &made(function("listed", list)), "such as a state, which lists have");
}

#[test]
fn other_processors_have_slices() {
    let f = made(function("axpy", |a: Rep<f32>, x: In<[f32]>, y: Out<[f32]>| {
        x.iter().zip(y.iter()).map(|(x, y)| a * x + y).write_to(y)
    }));
    for triple in
        ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc", "riscv64gc-unknown-linux-gnu"]
    {
        let object = emitted(&f, "k", Some(triple), Form::Object);
        let declared = "uint32_t k_axpy(float x0, const float *x1, uint32_t x1_len, float *x2, uint32_t x2_len);";
        assert!(object.header.expect("a header").contains(declared), "{triple}");
    }
}
