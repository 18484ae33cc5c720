//! Size of the code of the workloads of `examples/wasm`: as the C compiler wrote it, and after each level.

use std::fmt::Write;
use std::fs;

use planish::{Compiler, EmitOptions, Optimizer, Target, emit};
use planish_testkit::{committed, files};
use wasmparser::{Parser, Payload};

/// Bytes of the code section.
fn code_size(module: &[u8]) -> usize {
    let sizes = Parser::new(0).parse_all(module).map(|payload| match payload.expect("valid") {
        Payload::CodeSectionStart { size, .. } => size as usize,
        _ => 0,
    });
    sizes.sum()
}

/// The bytes of a module in text form.
fn binary(text: &str) -> Vec<u8> {
    let buffer = wast::parser::ParseBuffer::new(text).expect("a text of WebAssembly");
    wast::parser::parse::<wast::Wat<'_>>(&buffer).and_then(|mut wat| wat.encode()).expect("a module")
}

/// The output of Planish.
fn written(name: &str, text: &str, level: &str) -> Vec<u8> {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(&format!("{name}.wat"), text);
    let mut module = compilation.module.unwrap_or_else(|| panic!("{name}: {:#?}", compilation.diagnostics));
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    let artifact = emit(&module, Target::Wasm, &EmitOptions { minify: true, ..EmitOptions::default() });
    artifact.unwrap_or_else(|errors| panic!("{name}: {errors:#?}")).bytes
}

/// A table that somebody reads.
#[test]
fn sizes_are_as_committed() {
    let mut table = String::from("workload      clang     -O0     -O2     -Os\n");
    let mut all = [0; 4];
    for path in &files("examples/wasm", "wat") {
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        let text = fs::read_to_string(path).expect("it can be read");
        let bytes = binary(&text);
        let [plain, fast, small] = ["0", "2", "s"].map(|level| code_size(&written(&name, &text, level)));
        let sizes = [code_size(&bytes), plain, fast, small];
        writeln!(table, "{name:12} {:6}  {:6}  {:6}  {:6}", sizes[0], sizes[1], sizes[2], sizes[3])
            .expect("strings take all");
        all.iter_mut().zip(sizes).for_each(|(all, size)| *all += size);
    }
    writeln!(table, "{:12} {:6}  {:6}  {:6}  {:6}", "all", all[0], all[1], all[2], all[3]).expect("strings take all");
    committed("crates/planish/tests/wasm_sizes.txt", &table);
}
