//! Shaders as WebAssembly: what the written module, read again, computes from inputs in its memory is what the evaluator
//! computes of the shader, bit for bit, at `-O0` and `-O2`.

use std::fs;
use std::path::Path;

use planish::source::SourceMap;
use planish::wasm::{Options, translate};
use planish::{Compiler, EmitOptions, Target, emit};
use planish_eval::world::{Extern, FuncType, Instance, Val, ValType, World};
use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::entity::{Type, Var};
use planish_ir::layout::{Rule, is_row_major, layout_of};
use planish_ir::meaning::{Kernel, Shape, kernel};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::types::{AddressSpace, Scalar, TypeKind, Types};
use planish_opt::{Context, pipeline};

/// Calls `f` with each scalar of a type in memory and its offset.
fn for_each_scalar(types: &Types, ty: Type, rule: Rule, row_major: bool, at: usize, f: &mut dyn FnMut(usize, Scalar)) {
    let layout = layout_of(types, ty, rule, row_major).expect("it has a layout");
    let stride = layout.stride as usize;
    let unit = |s: Scalar| if s.bits() == 64 { 8 } else { 4 };
    match types[ty].clone() {
        TypeKind::Scalar(s) => f(at, s),
        TypeKind::Vector(s, n) => (0..usize::from(n)).for_each(|i| f(at + i * unit(s), s)),
        TypeKind::Matrix { scalar, columns, rows } => {
            for c in 0..usize::from(columns) {
                for r in 0..usize::from(rows) {
                    let (major, minor) = if row_major { (r, c) } else { (c, r) };
                    f(at + major * stride + minor * unit(scalar), scalar);
                }
            }
        }
        TypeKind::Array { element, len } => {
            (0..len as usize).for_each(|i| for_each_scalar(types, element, rule, row_major, at + i * stride, f));
        }
        TypeKind::Struct(s) => {
            for (member, place) in s.members.iter().zip(&layout.members) {
                let row_major = is_row_major(&member.decorations, row_major);
                for_each_scalar(types, member.ty, rule, row_major, at + place.offset as usize, f);
            }
        }
        other => panic!("{other:?} in memory"),
    }
}

/// The rule by which a variable that the host sees lies in memory (`docs/targets/wasm.md`).
fn rule(module: &Module, var: Var) -> Rule {
    use planish_ir::decoration::Decoration;
    let data = &module.vars[var];
    let given = data.decorations.find(|d| if let Decoration::BlockLayout(l) = d { Some(Rule::from(l)) } else { None });
    let block = module.types.as_struct(data.ty).is_some_and(|s| s.is_block);
    given.unwrap_or(if block && data.space == AddressSpace::Uniform { Rule::Std140 } else { Rule::Std430 })
}

/// The bits of a random scalar.
fn word(random: &mut Choices<'_>, scalar: Scalar) -> u64 {
    let x = random.below(4096) as f32 / 1024.0 - 1.0;
    match scalar {
        Scalar::Bool => random.below(2) as u64,
        Scalar::F32 => x.to_bits().into(),
        Scalar::F64 => f64::from(x).to_bits(),
        _ => random.below(7) as u64,
    }
}

/// A written module in the evaluator.
struct Machine<'m> {
    world: World<'m>,
    instance: Instance,
}

impl<'m> Machine<'m> {
    /// With the functions of the IR as those of the host.
    fn new(module: &'m Module) -> Self {
        let mut world = World::new(Limits { steps: 50_000_000, ..Limits::default() });
        let mut host: Vec<(&str, Extern)> = Vec::new();
        for op in Op::all() {
            let Some((name, count)) = planish_back_wasm::math::function(op) else { continue };
            let kernel = kernel(op, Scalar::F64).expect("floats have it");
            let call = move |args: &[Val]| match (kernel, args) {
                (Kernel::Unary(f), &[Val::F64(x)]) => Ok(vec![Val::F64((f.one)(x))]),
                (Kernel::Binary(f), &[Val::F64(x), Val::F64(y)]) => Ok(vec![Val::F64((f.one)(x, y))]),
                _ => panic!("they take one or two numbers"),
            };
            let ty = FuncType::new(vec![ValType::F64; count], [ValType::F64]);
            host.push((name, world.host_func(ty, move |_, args| call(args))));
        }
        let find = |_: &str, name: &str| host.iter().find(|(n, _)| *n == name).map(|h| h.1);
        let instance = world.instantiate(module, find).unwrap_or_else(|e| panic!("{e:?}"));
        Machine { world, instance }
    }

    fn global(&self, name: &str) -> Option<i32> {
        match self.world.export(self.instance, name) {
            Some(Extern::Global(global)) => match self.world.get_global(global) {
                Val::I32(x) => Some(x),
                _ => None,
            },
            _ => None,
        }
    }

    /// The bytes from an address on.
    fn bytes(&mut self, at: usize, width: usize) -> &mut [u8] {
        match self.world.export(self.instance, "memory") {
            Some(Extern::Memory(memory)) => &mut self.world.memory_mut(memory)[at..at + width],
            _ => panic!("what has an address has a memory"),
        }
    }
}

/// The name of the exported address of a variable.
fn export_name(module: &Module, var: Var) -> String {
    let data = &module.vars[var];
    let of_block = module.types.as_struct(data.ty).map(|s| s.name.to_string());
    if data.name.text.is_empty() { of_block.unwrap_or_default() } else { data.name.text.to_string() }
}

/// Runs one shader at some points; how many were compared.
fn compare(name: &str, module: &Module, written: &Module) -> usize {
    let shared = |spaces: &[AddressSpace]| -> Vec<Var> {
        module.globals.iter().copied().filter(|&v| spaces.contains(&module.vars[v].space)).collect()
    };
    let entry = &module.entry_points[0];
    let mut random = Choices::from_seed(1);
    let mut compared = 0;
    for point in 0..6 {
        let mut machine = Machine::new(written);
        let limits = Limits { steps: 20_000_000, ..Limits::default() };
        let mut evaluator = Evaluator::new(module, limits).expect("instantiates");
        for var in shared(&[AddressSpace::Input, AddressSpace::Uniform]) {
            let data = &module.vars[var];
            let mut cells = Vec::new();
            for_each_scalar(&module.types, data.ty, rule(module, var), false, 0, &mut |at, s| cells.push((at, s)));
            let words: Vec<u64> = cells.iter().map(|&(_, s)| word(&mut random, s)).collect();
            assert_eq!(Some(words.len()), module.types.components(data.ty));
            evaluator.set(var, &EvalValue { ty: data.ty, bits: words.clone() });
            let Some(base) = machine.global(&export_name(module, var)) else { continue };
            for ((at, s), word) in cells.into_iter().zip(words) {
                let width = if s.bits() == 64 { 8 } else { 4 };
                machine.bytes(base as usize + at, width).copy_from_slice(&word.to_le_bytes()[..width]);
            }
        }
        if evaluator.call(entry.func, &[]).is_err() {
            continue;
        }
        machine.world.invoke(machine.instance, &entry.names[0], &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
        if machine.global("discarded").is_some_and(|d| d != 0) {
            continue;
        }
        for var in shared(&[AddressSpace::Output]) {
            let data = &module.vars[var];
            let want = evaluator.get(var, 0);
            let base = machine.global(&export_name(module, var));
            let base = base.unwrap_or_else(|| panic!("{name}: `{}` is not exported", data.name.text));
            let mut index = 0;
            for_each_scalar(&module.types, data.ty, Rule::Std430, false, base as usize, &mut |at, s| {
                let mut word = [0; 8];
                let width = if s.bits() == 64 { 8 } else { 4 };
                word[..width].copy_from_slice(machine.bytes(at, width));
                let got = u64::from_le_bytes(word);
                let nan = |bits: u64| s == Scalar::F32 && f32::from_bits(bits as u32).is_nan();
                let same = got == want[index] || nan(got) && nan(want[index]);
                assert!(same, "{name}, point {point}, `{}`[{index}]: {got:x}, not {:x}", data.name.text, want[index]);
                index += 1;
                compared += 1;
            });
        }
    }
    compared
}

#[test]
fn shaders_compute_what_the_evaluator_computes() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shaders");
    let (mut compared, mut written, mut refused) = (0, 0, Vec::new());
    let mut paths: Vec<_> =
        fs::read_dir(directory).expect("the gallery").map(|e| e.expect("readable").path()).collect();
    paths.sort();
    for path in paths.into_iter().filter(|p| p.extension().is_some_and(|e| e == "frag")) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable");
        let module = Compiler::default().compile(&name, &text).module.unwrap_or_else(|| panic!("{name}"));
        for level in ["0", "2"] {
            let mut optimized = module.clone();
            let mut context = Context::default();
            pipeline(level).expect("a level").into_iter().for_each(|pass| (pass.run)(&mut optimized, &mut context));
            match emit(&optimized, Target::Wasm, &EmitOptions::default()) {
                Ok(artifact) => {
                    written += 1;
                    let file = SourceMap::new().add_binary("written.wasm", artifact.bytes.len()).expect("small");
                    let read = translate(&file, &artifact.bytes, &Options::default());
                    let read = read.unwrap_or_else(|e| panic!("{name}: {e:#?}")).0;
                    compared += compare(&format!("{name} -O{level}"), &optimized, &read);
                }
                Err(errors) => {
                    // Textures, derivatives, and what has no definition in numbers yet.
                    let known = ["E0604", "E0605"];
                    assert!(errors.iter().all(|e| known.contains(&e.code.0)), "{name}: {errors:#?}");
                    refused.push(format!("{name} -O{level}: {}", errors[0].message));
                }
            }
        }
    }
    println!("{written} written, {compared} numbers compared, refused:\n{}", refused.join("\n"));
    assert!(written >= 60 && compared > 1000, "{written} written, {compared} numbers compared\n{}", refused.join("\n"));
}

/// Names of functions, local variables, globals, memories and tables go through the IR and come out again.
#[test]
fn names_survive() {
    let text = r#"(module
        (memory $m (export "heap") 1)
        (table $t (export "jumps") 1 funcref)
        (global $total (mut i32) (i32.const 0))
        (func $gcd (export "g") (param $left i32) (param $right i32) (result i32) (local $rest i32)
            (loop $again (result i32)
                (local.set $rest (i32.rem_u (local.get $left) (local.get $right)))
                (local.set $left (local.get $right))
                (local.set $right (local.get $rest))
                (global.set $total (i32.add (global.get $total) (local.get $rest)))
                (br_if $again (i32.const 7) (local.get $rest))
                (drop)
                (local.get $left))))"#;
    let compilation = Compiler::default().compile("gcd.wat", text);
    let module = compilation.module.unwrap_or_else(|| panic!("{:#?}", compilation.diagnostics));
    for level in ["0", "1", "2", "s"] {
        let mut module = module.clone();
        planish::Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
        let print = |minify| {
            let written = emit(&module, Target::Wat, &EmitOptions { minify, ..EmitOptions::default() });
            String::from_utf8(written.expect("WebAssembly holds it").bytes).expect("text")
        };
        let out = print(false);
        for name in ["$gcd", "(param $left i32) (param $right i32)", "$rest", "global $total", "memory $heap", "$jumps"]
        {
            assert!(out.contains(name), "-O{level} has no {name}:\n{out}");
        }
        let out = print(true);
        assert!(!out.contains("$gcd") && !out.contains("$left") && !out.contains("$rest"), "-O{level}:\n{out}");
        // The text is read again.
        assert!(Compiler::default().compile("again.wat", &out).module.is_some(), "{out}");
    }
}
