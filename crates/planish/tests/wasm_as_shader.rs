//! Functions of WebAssembly without memory, as functions of a shader: flattened, written as GLSL and read again they give the
//! numbers that they gave before, bit for bit, and the other shading languages hold them too.

use planish::{Compiler, EmitOptions, Flattener, Optimizer, Target, Version, emit};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_ir::entity::{Func, Type};
use planish_ir::module::Module;

const SOURCE: &str = include_str!("wasm_as_shader.wat");

/// Of each parameter's type, what it is called with.
fn arguments(module: &Module, func: Func) -> Vec<Vec<EvalValue>> {
    let floats = [0.0, -0.0, 1.5, -2.75, 1e-40, 3.0e38, f32::INFINITY, f32::NEG_INFINITY, 0.1, 100.0];
    let ints = [0, 1, -1, 5, 12345, i32::MAX, i32::MIN, 27, 6, -40];
    let value = |ty: Type, i: usize| match ty {
        Type::F32 => EvalValue::f32(floats[i % floats.len()]),
        Type::I32 => EvalValue::i32(ints[i % ints.len()]),
        _ => panic!("an argument of another type"),
    };
    let params = &module.funcs[func].params;
    (0..30)
        .map(|round| params.iter().enumerate().map(|(i, p)| value(p.ty, round + 7 * i * (round / 10))).collect())
        .collect()
}

fn results(module: &Module, func: Func, args: &[EvalValue]) -> Vec<u64> {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("can be set up");
    let mut args = args.to_vec();
    // Results after the first leave GLSL through parameters behind the others.
    let outs = module.funcs[func].params.len() - args.len();
    args.extend((0..outs).map(|_| EvalValue::i32(0)));
    let behind = args.len() - outs;
    let mut values = evaluator.call_with(func, &mut args).expect("does not trap");
    values.extend(args.drain(behind..));
    values.into_iter().flat_map(|v| v.bits).collect()
}

fn find(module: &Module, name: &str) -> Func {
    let mut found = module.funcs.keys().filter(|&f| **module.outside_name(f) == *name);
    found.next().unwrap_or_else(|| panic!("no function `{name}`"))
}

#[test]
fn flat_functions_give_the_same_numbers_in_a_shader() {
    let original = Compiler::default().compile("functions.wat", SOURCE).module.expect("is valid");
    let names: Vec<String> = original.entry_points.iter().map(|e| e.names[0].to_string()).collect();
    assert!(names.len() >= 7, "{names:?}");
    for level in ["0", "2"] {
        let mut flat = original.clone();
        Optimizer::level(level).expect("a level").run(&mut flat, &mut |_, _| {});
        let flattener = Flattener { entry_points: true, ..Flattener::default() };
        flattener.run(&mut flat, &mut |_, _| {}).expect("can be flat");
        for target in [Target::Wgsl, Target::Hlsl, Target::Msl, Target::Spirv] {
            emit(&flat, target, &EmitOptions::default()).unwrap_or_else(|e| panic!("{target:?}: {e:#?}"));
        }
        // Each writes some operations in another way.
        for version in [Version::ES_300, Version::desktop(330), Version::desktop(450)] {
            let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
            let glsl = emit(&flat, Target::Glsl, &options).expect("can be written");
            let text = String::from_utf8(glsl.bytes).expect("is text") + "void main() {}\n";
            for word in ["if (", "for (", "while (", "switch ("] {
                assert!(!text.contains(word), "{text}");
            }
            let shader = Compiler::default().compile("flat.frag", &text);
            let shader = shader.module.unwrap_or_else(|| panic!("{:#?}\n{text}", shader.diagnostics));
            for name in &names {
                let (before, after) = (find(&original, name), find(&shader, name));
                for args in arguments(&original, before) {
                    let (told, written) = (results(&original, before, &args), results(&shader, after, &args));
                    assert_eq!(told, written, "{name} of {args:?}\n{text}");
                }
            }
        }
    }
}
