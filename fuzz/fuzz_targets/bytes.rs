//! Any bytes, as any language: no panic, no hang, bounded memory. `cargo fuzz run bytes`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planish::{Compiler, EmitOptions, InputKind, TARGETS, emit, pipeline, run_passes};

const KINDS: [InputKind; 4] = [InputKind::Glsl, InputKind::Wgsl, InputKind::Spirv, InputKind::Ir];

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let mut compiler = Compiler::default();
    compiler.options.from = Some(KINDS[*first as usize % KINDS.len()]);
    let compilation = compiler.compile("fuzz", rest);
    for diagnostic in &compilation.diagnostics {
        planish::render::human(diagnostic, &compiler.map, false);
        planish::render::json(diagnostic, &compiler.map);
    }
    let Some(mut module) = compilation.module else {
        assert!(compilation.has_errors(), "no module and no error");
        return;
    };
    assert_eq!(planish::ir::verify::verify(&module), []);
    run_passes(&mut module, &pipeline("1").unwrap(), &mut |_, _| {});
    for target in TARGETS {
        let _ = emit(&module, target.target, &EmitOptions::default());
    }
});
