//! The fuzz targets, as functions of bytes. A test of `planish` runs them on earlier findings (`fuzz/regressions`).

use crate::one_fragment;
use planish::eval::shade::{DrawOptions, draw};
use planish::flatten;
use planish::ir::verify::verify;
use planish::module::{Module, Stage};
use planish::source::SourceMap;
use planish::{Compiler, Context, EmitOptions, InputKind, TARGETS, Target, emit, pipeline, run_passes};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::modules::{self, Number};
use planish_generate::{Choices, glsl, narrow_glsl, nested, tame_glsl};

const KINDS: [InputKind; 4] = [InputKind::Glsl, InputKind::Wgsl, InputKind::Spirv, InputKind::Ir];
/// Maximum nesting depth.
const MOST_NESTED: usize = 400;
const STAGES: [Stage; 3] = [Stage::Fragment, Stage::Vertex, Stage::Compute];

/// Any bytes, in any language: no panic, no hang, bounded memory. The first byte selects the language (bits 0 and 1),
/// the rules of WebGL (bit 2) and the stage (bits 3 and 4).
pub fn any_bytes(data: &[u8]) {
    let Some((&first, rest)) = data.split_first() else { return };
    let mut compiler = Compiler::default();
    compiler.options.from = Some(KINDS[first as usize % 4]);
    compiler.options.webgl = (first & 4 != 0).into();
    compiler.options.stage = STAGES.get(first as usize >> 3 & 3).copied();
    let compilation = compiler.compile("fuzz", rest);
    for diagnostic in &compilation.diagnostics {
        planish::render::human(diagnostic, &compiler.map, false);
        planish::render::json(diagnostic, &compiler.map);
    }
    let Some(mut module) = compilation.module else {
        assert!(compilation.has_errors(), "no module and no error");
        return;
    };
    assert_eq!(verify(&module), []);
    let write = |module: &Module| {
        for target in TARGETS {
            let _ = emit(module, target.target, &EmitOptions::default());
        }
    };
    write(&module);
    optimize(&mut module);
    assert_eq!(verify(&module), []);
    write(&module);
}

/// A world without input that discards output.
struct Nothing;

impl planish::vl::World for Nothing {
    fn read_real(&mut self) -> Option<f64> {
        None
    }

    fn write_real(&mut self, _: f64) {}
}

/// Any text as VL: no panic, no hang, bounded memory; compiled modules are valid, before and after the passes, and
/// errors are at positions that can be shown. The interpreter runs a limited number of steps.
pub fn any_vl(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let mut map = SourceMap::new();
    let file = map.add("fuzz.vl", text).expect("small");
    let _ = planish::vl::interpret(&file, &mut map, None, &mut Nothing, 10_000);
    let limits = planish::vl::Limits { bindings: 5_000, steps: 500_000 };
    let mut module = match planish::vl::translate_within(&file, &mut map, None, limits) {
        Ok((program, _)) => program.module,
        Err(errors) => {
            assert!(!errors.is_empty(), "no module and no error");
            errors.iter().for_each(|error| drop(planish::render::human(error, &map, false)));
            return;
        }
    };
    assert_eq!(verify(&module), []);
    optimize(&mut module);
    assert_eq!(verify(&module), []);
}

/// Any bytes as a WebAssembly binary: no panic, no hang, bounded memory; an accepted module verifies, is the same when
/// its functions are translated one by one, and a rejected one has an error at a position that can be shown.
pub fn any_wasm(data: &[u8]) {
    let bytes = [b"\0asm\x01\0\0\0", data].concat();
    let mut map = SourceMap::new();
    let file = map.add_binary("fuzz.wasm", bytes.len()).expect("small");
    let options = planish::wasm::Options { threads: 1, ..Default::default() };
    let module = match planish::wasm::translate(&file, &bytes, &options) {
        Ok((module, _)) => module,
        Err(errors) => {
            assert!(!errors.is_empty(), "no module and no error");
            errors.iter().for_each(|error| drop(planish::render::human(error, &map, false)));
            return;
        }
    };
    assert_eq!(verify(&module), []);
    let mut parsed = planish::wasm::Parsed::new(&file, &bytes, &options).expect("it was read before");
    for func in parsed.defined() {
        parsed.translate_function(func).expect("it was translated before");
    }
    let again = parsed.into_module().expect("all is translated");
    assert_eq!(planish::ir::text::print(&module), planish::ir::text::print(&again));
}

/// Random programs, derived from the fuzzer's bytes: source → IR → GLSL → IR draws the same.
pub fn round_trip(data: &[u8]) {
    let source = glsl(&mut Choices::from_bytes(data)).to_string();
    let mut module = compile(&source);
    let expected = picture(&module);
    optimize(&mut module);
    assert_eq!(picture(&module), expected, "the passes change the picture of\n{source}");
    let text = emit(&module, Target::Glsl, &EmitOptions::default()).expect("can be printed");
    let text = String::from_utf8_lossy(&text.bytes).into_owned();
    assert_eq!(picture(&compile(&text)), expected, "the output draws something else:\n{source}\n---\n{text}");
}

/// Random programs, derived from the fuzzer's bytes: valid and flat after every stage of flattening; without fast-math
/// they draw the same.
pub fn flatten_program(data: &[u8]) {
    let source = tame_glsl(&mut Choices::from_bytes(data)).to_string();
    let module = compile(&source);
    let expected = picture(&module);
    for fast_math in [false, true] {
        let options = flatten::Options { fast_math, ..flatten::Options::default() };
        let mut flat = module.clone();
        let func = flat.entry_points[0].func;
        for stage in flatten::STAGES {
            (stage.run)(&mut flat, func, &options).expect("all loops have bounds");
            assert_eq!(verify(&flat), [], "{} breaks\n{source}", stage.name);
            let body = flat.funcs[func].body.as_ref().expect("it has one");
            assert!(flatten::is_flat(&flat, body), "{} leaves branches in\n{source}", stage.name);
            if !fast_math {
                assert_eq!(picture(&flat), expected, "{} changes the picture of\n{source}", stage.name);
            }
        }
    }
}

/// Random programs, derived from the fuzzer's bytes: the evaluator agrees with the reference, also after `-O2`. The
/// first byte selects the generator, and the second the values of uniforms and inputs.
pub fn mean_the_same(data: &[u8]) {
    let [kind, seed, rest @ ..] = data else { return };
    let generate = if kind & 2 != 0 { narrow_glsl } else { [glsl, tame_glsl][usize::from(kind & 1)] };
    let source = generate(&mut Choices::from_bytes(rest)).to_string();
    // Programs that need more than one invocation are skipped.
    let outcome = one_fragment::compare(&compile(&source), (*seed).into(), Some("2"));
    use planish_reference::Stop;
    assert!(matches!(outcome, Ok(()) | Err(Stop::Discarded | Stop::Unsupported(_))), "{outcome:?}\n{source}");
}

/// Random modules without stages, derived from the fuzzer's bytes: calls of their exports return the same as written,
/// after every pass of `-O2`, and in the reference. The first byte selects the generator.
pub fn exports_mean_the_same(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let generate =
        if kind & 2 != 0 { modules::narrow } else { [modules::plain, modules::aliasing][usize::from(kind & 1)] };
    let program = generate(&mut Choices::from_bytes(rest));
    let mut module = planish::ir::text::parse_str(&program.text).expect("the generator writes the IR's text");
    assert_eq!(verify(&module), [], "{}", program.text);
    let expected = called(&module, &program);
    assert_eq!(called_in_reference(&module, &program), expected, "in the reference\n{}", program.text);
    let passes = pipeline("2").expect("there is a level 2");
    run_passes(&mut module, &passes, &mut Context::default(), &mut |pass, module| {
        assert_eq!(called(module, &program), expected, "after {pass}\n{}", program.text);
    });
}

/// The results of a module's calls in the evaluator; all NaNs are one.
fn called(module: &Module, program: &modules::Module) -> Vec<u64> {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("imports nothing");
    let call = |call: &modules::Call| {
        let export = &program.exports[call.export];
        let func = module.funcs_named(&export.name).next().expect("is exported");
        let types = module.funcs[func].params.iter().map(|param| param.ty);
        let args: Vec<EvalValue> =
            types.zip(&call.args).map(|(ty, &bits)| EvalValue { ty, bits: vec![bits] }).collect();
        let results = evaluator.call(func, &args).expect("it ends");
        one_nan(export.result, results[0].bits[0])
    };
    program.calls.iter().map(call).collect()
}

fn called_in_reference(module: &Module, program: &modules::Module) -> Vec<u64> {
    use planish_reference::{Limits, Reference, Value};
    let mut reference = Reference::new(module, Limits::default()).expect("imports nothing");
    let value = |number: Number, bits: u64| match number {
        Number::I32 => Value::I32(bits as i32),
        Number::U32 => Value::U32(bits as u32),
        Number::F32 => Value::F32(f32::from_bits(bits as u32)),
        Number::F64 => Value::F64(f64::from_bits(bits)),
        Number::Bool => Value::Bool(bits != 0),
        narrow => panic!("the host sees no {}", narrow.name()),
    };
    let bits = |value: &Value| match *value {
        Value::I32(x) => x as u32 as u64,
        Value::U32(x) => x.into(),
        Value::F32(x) => x.to_bits().into(),
        Value::F64(x) => x.to_bits(),
        Value::Bool(x) => x.into(),
        ref other => panic!("{other:?} is no number"),
    };
    let call = |call: &modules::Call| {
        let export = &program.exports[call.export];
        let func = module.funcs_named(&export.name).next().expect("is exported");
        let args: Vec<Value> = export.params.iter().zip(&call.args).map(|(&n, &b)| value(n, b)).collect();
        let results = reference.call(func, &args).expect("it ends");
        one_nan(export.result, bits(&results[0]))
    };
    program.calls.iter().map(call).collect()
}

fn one_nan(number: Number, bits: u64) -> u64 {
    match number {
        Number::F32 if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        Number::F64 if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

/// A construct, nested or repeated: the first byte selects it, the next two its number. No panic, no hang, bounded
/// memory from the front end to every target, at -O0 and -O2.
pub fn nested_shapes(data: &[u8]) {
    let &[shape, high, low, ..] = data else { return };
    let all: Vec<_> = nested::shapes().collect();
    let shape = all[shape as usize % all.len()];
    let n = 1 + usize::from(u16::from_be_bytes([high, low])) % MOST_NESTED;
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(shape.language.file(), shape.text(n));
    let Some(mut module) = compilation.module else {
        assert!(compilation.has_errors(), "no module and no error");
        return;
    };
    for level in ["0", "2"] {
        let passes = pipeline(level).expect("is a level");
        run_passes(&mut module, &passes, &mut Context::default(), &mut |_, _| {});
        assert_eq!(verify(&module), []);
        for target in TARGETS {
            let _ = emit(&module, target.target, &EmitOptions::default());
        }
    }
}

fn optimize(module: &mut Module) {
    let passes = pipeline("1").expect("there is a level 1");
    run_passes(module, &passes, &mut Context::default(), &mut |_, _| {});
}

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
