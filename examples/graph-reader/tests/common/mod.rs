//! Support of the tests: runs a function in the evaluator and in the reader, on the same values.
use graph_reader::{Machine, NoHost, Program, Scalar, Type};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::entity::{Func, Var};
use planish::ir::meaning::Shape;
use planish::ir::types::TypeKind;
use planish::module::Module;
use planish::{EmitOptions, Target, emit};
use planish_generate::Choices;

/// Floats where rules differ: zeros, subnormals, halves, ends, infinities, NaN of several kinds.
const FLOATS: [u32; 40] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4049_0fdb,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0000,
    0x7fc1_2345,
    0x7f81_2345,
    0x4b00_0000,
    0x4b7f_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5f00_0000,
    0x477f_e000,
    0x477f_f000,
    0x3880_0000,
    0x387f_c000,
    0x3300_0000,
    0x3dcc_cccd,
    0x42c8_8000,
    0xc0e8_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0xb500_0000,
    0x3eaa_aaab,
];

/// Integers where rules differ.
const INTEGERS: [u32; 16] =
    [0, 1, 2, 3, 7, 31, 32, 33, 0x7f, 0x80, 0x8000, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff, 0xffff_fffe];

/// A random component: one value in three is a special one; of `tame` ones none.
pub(crate) fn word(random: &mut Choices<'_>, scalar: Scalar, tame: bool) -> u32 {
    let special = !tame && random.below(3) == 0;
    match scalar {
        Scalar::Bool => random.below(2) as u32,
        Scalar::F32 if special => random.pick(&FLOATS),
        Scalar::F32 => (random.below(2_000_001) as f32 / 250_000.0 - 4.0).to_bits(),
        _ if special => random.pick(&INTEGERS),
        _ if tame => random.below(64) as u32,
        _ => [random.bits(), random.below(40) as u32, (random.below(9) as u32).wrapping_sub(4)][random.below(3)],
    }
}

/// A random value.
pub(crate) fn value(random: &mut Choices<'_>, ty: &Type, tame: bool) -> Vec<u32> {
    ty.scalars().into_iter().map(|scalar| word(random, scalar, tame)).collect()
}

/// The graph of a function, read by the reader.
pub(crate) fn read(module: &Module, func: Func) -> Result<Program, String> {
    let function = Some(module.funcs[func].name.text.to_string());
    let options = EmitOptions { function, ..EmitOptions::default() };
    let json = emit(module, Target::Graph, &options).map_err(|errors| format!("{errors:#?}"))?;
    Program::read(&String::from_utf8_lossy(&json.bytes)).map_err(|e| e.to_string())
}

/// Runs a function of values on random arguments in both hands. `flat` is its flat form, of which the graph is made; `module`
/// has it as it was. O(`rounds`).
pub(crate) fn compare(module: &Module, flat: &Module, func: Func, rounds: usize, tame: bool) {
    let name = &module.funcs[func].name.text;
    let program = read(flat, func).unwrap_or_else(|e| panic!("{name}: {e}\n{}", planish::ir::text::print(flat)));
    let mut machine = Machine::new(&program);
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it can be run");
    let mut random = Choices::from_seed(name.len() as u64);
    for _ in 0..rounds {
        let params = &module.funcs[func].params;
        let mut arguments = vec![];
        for (i, param) in params.iter().enumerate() {
            let row = program.inputs.iter().position(|input| *input.name == *param_name(&param.name.text, i));
            let count = module.types.components(param.ty).expect("a parameter has a size");
            let words = match row {
                Some(row) => {
                    let words = value(&mut random, &program.inputs[row].ty, tame);
                    machine.set_input(row, &words);
                    words
                }
                // The function does not need it.
                None => vec![0; count],
            };
            arguments.push(EvalValue { ty: param.ty, bits: words.into_iter().map(u64::from).collect() });
        }
        let expected = evaluator.call(func, &arguments).expect("it runs");
        machine.preshader(&mut NoHost).expect("it runs");
        machine.pixel(&mut NoHost).expect("it runs");
        for (i, expected) in expected.iter().enumerate() {
            let expected: Vec<u32> = expected.bits.iter().map(|&b| b as u32).collect();
            let shown =
                |words: &[u32]| words.iter().map(|w| format!("{w:08x} ({})", f32::from_bits(*w))).collect::<Vec<_>>();
            assert_eq!(
                shown(machine.output(i)),
                shown(&expected),
                "{name}, result {i}, of {:?}",
                arguments
                    .iter()
                    .map(|a| shown(&a.bits.iter().map(|&b| b as u32).collect::<Vec<_>>()))
                    .collect::<Vec<_>>()
            );
        }
    }
}

fn param_name(name: &str, index: usize) -> String {
    if name.is_empty() { format!("parameter {index}") } else { name.into() }
}

/// The variable that a name such as `lights[2].colour` begins with, and where the components of the part begin.
pub(crate) fn locate(module: &Module, name: &str) -> Option<(Var, usize)> {
    let root = name.split(['.', '[']).next()?;
    let var = module.globals.iter().copied().find(|&v| *module.vars[v].name.text == *root)?;
    let (mut ty, mut at) = (module.vars[var].ty, 0);
    for step in name[root.len()..].split(['.', '[']).filter(|s| !s.is_empty()) {
        let size = |ty| module.types.components(ty).unwrap_or(0);
        match &module.types[ty] {
            TypeKind::Struct(s) => {
                let index = s.members.iter().position(|m| *m.name == *step)?;
                at += s.members[..index].iter().map(|m| size(m.ty)).sum::<usize>();
                ty = s.members[index].ty;
            }
            &TypeKind::Array { element, .. } => {
                at += size(element) * step.strip_suffix(']')?.parse::<usize>().ok()?;
                ty = element;
            }
            _ => return None,
        }
    }
    Some((var, at))
}

/// Runs an entry point on random inputs and uniforms in both hands; gives how many of the pixels were not discarded.
pub(crate) fn compare_pixels(what: &str, module: &Module, program: &Program, func: Func, pixels: usize) -> usize {
    let mut random = Choices::from_seed(what.bytes().fold(7, |hash, b| hash.wrapping_mul(31) + u64::from(b)));
    let mut kept = 0;
    for _ in 0..pixels {
        // A fresh evaluator and machine, so that a run does not see the variables of the run before.
        let mut evaluator = Evaluator::new(module, Limits::default()).expect("it can be run");
        let mut machine = Machine::new(program);
        let mut values: Vec<(Var, Vec<u64>)> = vec![];
        let mut give = |name: &str, words: &[u32]| {
            let (var, at) = locate(module, name).unwrap_or_else(|| panic!("{what}: there is no {name}"));
            if !values.iter().any(|v| v.0 == var) {
                let zero = EvalValue::zero(&module.types, module.vars[var].ty).expect("it has a size");
                values.push((var, zero.bits));
            }
            let all = &mut values.iter_mut().find(|v| v.0 == var).expect("just put there").1;
            all[at..at + words.len()].iter_mut().zip(words).for_each(|(to, &from)| *to = from.into());
        };
        for (i, uniform) in program.uniforms.iter().enumerate() {
            let words = value(&mut random, &uniform.ty, true);
            give(&uniform.name, &words);
            machine.set_uniform(i, &words);
        }
        for (i, input) in program.inputs.iter().enumerate() {
            let words = value(&mut random, &input.ty, true);
            give(&input.name, &words);
            machine.set_input(i, &words);
        }
        for (var, bits) in values {
            evaluator.set(var, &EvalValue { ty: module.vars[var].ty, bits });
        }
        evaluator.call(func, &[]).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        machine.preshader(&mut NoHost).expect("it runs");
        if !machine.pixel(&mut NoHost).expect("it runs") {
            continue;
        }
        kept += 1;
        for (i, output) in program.outputs.iter().enumerate() {
            let (var, at) = locate(module, &output.name).expect("an output");
            // Which NaN it is, the language does not say.
            let plain = |w: u32| if f32::from_bits(w).is_nan() { 0x7fc0_0000 } else { w };
            let found: Vec<u32> = machine.output(i).iter().copied().map(plain).collect();
            let expected: Vec<u32> = evaluator.get(var, 0)[at..].iter().map(|&w| plain(w as u32)).collect();
            assert_eq!(found, expected[..found.len()], "{what}, {}", output.name);
        }
    }
    kept
}
