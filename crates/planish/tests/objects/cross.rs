//! Objects for other processors and systems: what they define, need and relocate.

use std::collections::BTreeSet;
use std::process::Command;

use object::{Architecture, BinaryFormat, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget};
use planish_testkit::{has_tool, scratch};

use super::{Source, compile};

/// Processors and systems, with what their files say.
const TRIPLES: [(&str, Architecture, BinaryFormat); 8] = [
    ("x86_64-unknown-linux-gnu", Architecture::X86_64, BinaryFormat::Elf),
    ("aarch64-unknown-linux-gnu", Architecture::Aarch64, BinaryFormat::Elf),
    ("riscv64gc-unknown-linux-gnu", Architecture::Riscv64, BinaryFormat::Elf),
    ("x86_64-apple-darwin", Architecture::X86_64, BinaryFormat::MachO),
    ("aarch64-apple-darwin", Architecture::Aarch64, BinaryFormat::MachO),
    ("x86_64-pc-windows-msvc", Architecture::X86_64, BinaryFormat::Coff),
    ("x86_64-pc-windows-gnu", Architecture::X86_64, BinaryFormat::Coff),
    ("aarch64-pc-windows-msvc", Architecture::Aarch64, BinaryFormat::Coff),
];

const VL: &str = "
(define (wave x y) (* (sin x) (if (< x y) (wave (+ x 1) y) y)))
(export wave (real real))
";

const WASM: &str = r#"(module
  (import "env" "log" (func $log (param i32 f64)))
  (memory (export "memory") 1) (table 2 funcref) (elem (i32.const 0) $f) (data (i32.const 0) "x")
  (global $g (mut i64) (i64.const 5))
  (func $many (result i32 i64 f32 f64 i32 i64 f32 f64)
    (call $log (i32.const 1) (f64.const 2))
    (i32.const 1) (i64.const 2) (f32.const 3) (f64.const 4) (i32.const 5) (i64.const 6) (f32.const 7) (f64.const 8))
  (func $f (export "f") (param i32) (result i32)
    (call $log (local.get 0) (f64.const 1)) (global.set $g (i64.const 7))
    (call $many) drop drop drop drop drop drop drop drop
    (i32.div_u (i32.load (local.get 0)) (call_indirect (param i32) (result i32) (i32.const 1) (local.get 0)))))
"#;

const SHADER: &str = "#version 300 es
precision highp float; in vec2 uv; uniform float t; out vec4 c;
void main() { c = vec4(cos(uv.x * t), uv, 1.0); }";

/// A program, the symbols that it defines, and those that it needs.
fn programs() -> Vec<(Source, &'static [&'static str], &'static [&'static str])> {
    vec![
        (compile("v.vl", VL, "1"), &["p_wave"], &["planish_sin_f64"]),
        (
            compile("m.wat", WASM, "1"),
            &["p_f", "p_free", "p_init", "p_memory"],
            &[
                "p_env_log",
                "planish_memory_free",
                "planish_memory_init",
                "planish_memory_new",
                "planish_table_free",
                "planish_table_init",
                "planish_table_new",
                "planish_trap",
            ],
        ),
        (compile("s.frag", SHADER, "1"), &["p_main"], &["planish_cos_f32"]),
    ]
}

#[test]
fn objects_of_every_system_define_and_need_the_same() {
    for (source, defined, needed) in programs() {
        for (triple, architecture, format) in TRIPLES {
            let artifact = source.emit("p", Some(triple)).unwrap_or_else(|errors| panic!("{triple}: {errors:?}"));
            let again = source.emit("p", Some(triple)).expect("as before");
            assert!(artifact.bytes == again.bytes && artifact.header == again.header, "{triple}: the same twice");
            let file = object::File::parse(&*artifact.bytes).unwrap_or_else(|error| panic!("{triple}: {error}"));
            assert_eq!((file.architecture(), file.format()), (architecture, format), "{triple}");
            let plain = |name: &str| match format {
                BinaryFormat::MachO => name.strip_prefix('_').expect("names begin with an underscore").to_owned(),
                _ => name.to_owned(),
            };
            let names = |wanted: &dyn Fn(&object::Symbol<'_, '_>) -> bool| -> BTreeSet<String> {
                let symbols =
                    file.symbols().filter(|symbol| wanted(symbol) && !symbol.name_bytes().unwrap().is_empty());
                symbols.map(|symbol| plain(symbol.name().expect("it is text"))).collect()
            };
            let set = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
            assert_eq!(names(&|symbol| symbol.is_global() && symbol.is_definition()), set(defined), "{triple}");
            assert_eq!(names(&|symbol| symbol.is_undefined()), set(needed), "{triple}");
            // Relocations lead to all that is needed, and to nothing else outside of the file.
            let mut relocated = BTreeSet::new();
            for section in file.sections() {
                for (offset, relocation) in section.relocations() {
                    assert!(offset < section.size(), "{triple}");
                    let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
                    let symbol = file.symbol_by_index(symbol).expect("relocations name symbols");
                    if symbol.is_undefined() {
                        relocated.insert(plain(symbol.name().expect("it is text")));
                    }
                }
            }
            assert_eq!(relocated, set(needed), "{triple}");
            if format == BinaryFormat::Elf {
                let stack = file.section_by_name(".note.GNU-stack").expect("the stack is not executable");
                assert_eq!(stack.size(), 0);
            }
        }
    }
}

#[test]
fn linkers_take_objects_of_other_processors() {
    if !has_tool("ld.lld") {
        return;
    }
    let folder = scratch("objects-cross");
    for (at, (source, _, needed)) in programs().into_iter().enumerate() {
        for (triple, _, format) in TRIPLES {
            if format != BinaryFormat::Elf {
                continue;
            }
            let artifact = source.emit("p", Some(triple)).unwrap_or_else(|errors| panic!("{triple}: {errors:?}"));
            let name = format!("{at}-{triple}");
            std::fs::write(folder.join(format!("{name}.o")), &artifact.bytes).expect("files of tests can be written");
            // As a shared library, and at fixed addresses, with everything else at some.
            for shared in [true, false] {
                let mut linker = Command::new("ld.lld");
                linker.args([&format!("{name}.o"), "-o", &format!("{name}.out")]).current_dir(&folder);
                if shared {
                    linker.args(["-shared", "-z", "text"]);
                } else {
                    linker.args(["-e", "0"]);
                    needed.iter().for_each(|name| {
                        linker.arg(format!("--defsym={name}=0x210000"));
                    });
                }
                let output = linker.output().expect("there is a linker");
                assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
}

#[test]
fn what_an_object_cannot_have_is_an_error_with_its_place() {
    let refused = |file: &str, text: &str, triple: Option<&str>, message: &str| {
        let errors = compile(file, text, "1").emit("p", triple).expect_err("it is refused");
        assert!(errors.iter().all(|error| error.code.0 == "E0604"), "{errors:?}");
        assert!(errors.iter().any(|error| error.message.contains(message)), "{errors:?}");
    };
    let slope = "#version 300 es\nprecision highp float; in vec2 uv; out vec4 c; void main() { c = vec4(dFdx(uv.x)); }";
    refused("s.frag", slope, Some("riscv64gc-unknown-linux-gnu"), "vectors of 128 bits");
    let table = "(module (import \"a\" \"t\" (table 1 funcref)) (func (export \"f\")))";
    refused("t.wat", table, None, "cannot import a table");
    let global =
        "(module (import \"a\" \"g\" (global $g (mut i32))) (func (export \"f\") (global.set $g (i32.const 1))))";
    refused("g.wat", global, None, "cannot import the variable `g`");
    let vectors = [
        "(module (func (export \"f\") (result v128) (v128.const i64x2 1 2)))",
        "(module (func (export \"f\") (param v128)))",
        "(module (func (export \"f\") (param i32) (result i32)
            (i32x4.extract_lane 0 (i32x4.splat (local.get 0)))))",
    ];
    vectors.iter().for_each(|text| refused("v.wat", text, Some("riscv64gc-unknown-linux-gnu"), "128 bits"));
    refused("v.vl", VL, Some("sparc-unknown-linux-gnu"), "no code for sparc");
    refused("v.vl", VL, Some("x86_64-unknown-nowhere"), "x86_64-unknown-nowhere");
    refused("v.vl", VL, Some("wasm32-unknown-unknown"), "no system with object files");
}

#[test]
fn exports_that_c_lacks_are_warnings() {
    let text = "(module (func (export \"f\") (result funcref) (ref.null func)) (func (export \"g\")))";
    let artifact = compile("f.wat", text, "1").emit("p", None).expect("the other function is exported");
    let [warning] = &artifact.diagnostics[..] else { panic!("{:?}", artifact.diagnostics) };
    assert!(warning.message.contains("`f` cannot be called from C"), "{}", warning.message);
    let header = artifact.header.expect("an object has a header");
    assert!(header.contains("void p_g(void);") && !header.contains("p_f("), "{header}");
}

#[test]
fn names_are_those_of_c() {
    let text =
        "(module (func (export \"a-b\")) (func (export \"a.b\")) (func (export \"int\")) (func (export \"\u{e4}!\")))";
    let header = |prefix: &str| {
        let artifact = compile("n.wat", text, "1").emit(prefix, None).expect("it is written");
        artifact.header.expect("an object has a header")
    };
    for name in ["p_a_b(", "p_a_b_2(", "p_int(", "p_uE4u21("] {
        assert!(header("p").contains(name), "{name}");
    }
    for name in [" a_b(", " int_(", " uE4u21("] {
        assert!(header("").contains(name), "{name}");
    }
    assert!(header("3-d").contains("void _3_d_a_b(void);"));
}

#[test]
fn headers_are_c_and_cxx_with_the_sizes_of_the_code() {
    if !has_tool("cc") || !has_tool("c++") {
        return;
    }
    let folder = scratch("objects-headers");
    let composites = super::linked::COMPOSITES;
    let sources = [("s", compile("s.frag", super::linked::SHADER, "1")), ("c", compile("c.ir", composites, "1"))];
    let mut text = String::from("#include \"s.h\"\n#include \"c.h\"\n#include \"s.h\"\n");
    text.push_str("#ifdef __cplusplus\n#define SAME(a, b) static_assert((a) == (b), #a)\n#else\n");
    text.push_str("#define SAME(a, b) _Static_assert((a) == (b), #a)\n#endif\n");
    let mut compared = 0;
    for (name, source) in &sources {
        let header = source.object(name).header.expect("an object has a header");
        for line in header.lines().filter_map(|line| line.strip_prefix("} ")) {
            let Some((ty, rest)) = line.split_once("; /* ") else { continue };
            let size = rest.split(' ').next().expect("the size comes first");
            text.push_str(&format!("SAME(sizeof({ty}), {size});\n"));
            compared += 1;
        }
        std::fs::write(folder.join(format!("{name}.h")), header).expect("files of tests can be written");
    }
    assert!(compared >= 6, "only {compared} structures");
    for (compiler, file, standard) in [("cc", "h.c", "-std=c11"), ("c++", "h.cc", "-std=c++11")] {
        std::fs::write(folder.join(file), &text).expect("files of tests can be written");
        let mut command = Command::new(compiler);
        command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", file, "-o", "h.o"]);
        super::output_of(command.current_dir(&folder));
    }
}
