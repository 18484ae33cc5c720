//! Random programs, made from the fuzzer's bytes: source → IR → GLSL → IR draws the same. `cargo fuzz run roundtrip`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;
use planish::{Compiler, EmitOptions, Target, emit, pipeline, run_passes};
use planish_generate::{Choices, glsl};

fn compile(source: &str) -> Module {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile("random.frag", source);
    let shown = |d| planish::render::human(d, &compiler.map, false);
    compilation.module.unwrap_or_else(|| {
        let errors: Vec<String> = compilation.diagnostics.iter().map(shown).collect();
        panic!("{}\n{source}", errors.join("\n"))
    })
}

fn picture(module: &Module) -> Vec<[u32; 4]> {
    let options = DrawOptions { size: [4, 4], threads: 1, ..DrawOptions::default() };
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    let image = draw(module, &options).expect("a generated program ends");
    image.float.iter().map(|p| p.map(bits)).collect()
}

fuzz_target!(|data: &[u8]| {
    let source = glsl(&mut Choices::from_bytes(data)).to_string();
    let mut module = compile(&source);
    let expected = picture(&module);
    run_passes(&mut module, &pipeline("1").unwrap(), &mut |_, _| {});
    assert_eq!(picture(&module), expected, "the passes change the picture of\n{source}");
    let text = emit(&module, Target::Glsl, &EmitOptions::default()).expect("can be printed");
    let text = String::from_utf8_lossy(&text.bytes).into_owned();
    assert_eq!(picture(&compile(&text)), expected, "the output draws something else:\n{source}\n---\n{text}");
});
