//! Every op on values gives the evaluator's bits in JavaScript, at every combination of types that the table takes.

use std::collections::BTreeSet;

use planish_ir::module::{EntryPoint, Language, Module, StageProperties};
use planish_ir::ops::{Class, OPS, Op};
use planish_ir::types::{Scalar, TypeKind};
use planish_opt::{Context, lower_to_scalars, remove_unreachable_functions};
use planish_testkit::node::{self, Call, Program};

use planish_testkit::op_cases::{self, Case, Question};

/// Ops that are refused: those on numbers that neither dialect has, and those without scalars.
const REFUSED: &[&str] = &["fma", "frexp", "ldexp", "rgb_to_yuv", "yuv_to_rgb"];

/// Ops that asm.js lacks, as they are made of 64 bits.
const REFUSED_ASM: &[&str] = &["multiply_extended", "pack_double2x32", "unpack_double2x32"];

/// Whether a type has no parts of 64-bit integers, 128 bits, or others that no number is.
fn is_small(module: &Module, case: &Case, asm: bool) -> bool {
    case.operands.iter().chain(&case.results).all(|&ty| {
        let wide = |kind: &TypeKind| match kind {
            TypeKind::V128 | TypeKind::YuvCsc => true,
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) => asm && s.is_integer() && s.bits() == 64,
            _ => false,
        };
        !module.types.contains(ty, &mut { wide })
    })
}

/// JavaScript has one NaN.
fn is_odd_nan(scalar: Scalar, word: u64) -> bool {
    match scalar {
        Scalar::F32 => f32::from_bits(word as u32).is_nan() && word != 0x7fc0_0000,
        Scalar::F64 => f64::from_bits(word).is_nan() && word != 0x7ff8_0000_0000_0000,
        _ => false,
    }
}

/// Distance in units in the last place; 0 for two NaN.
fn distance(scalar: Scalar, a: u64, b: u64) -> u64 {
    let (x, y, sign) = match scalar {
        Scalar::F32 => (f64::from(f32::from_bits(a as u32)), f64::from(f32::from_bits(b as u32)), 1u64 << 31),
        Scalar::F64 => (f64::from_bits(a), f64::from_bits(b), 1u64 << 63),
        _ => return u64::from(a != b) * u64::MAX,
    };
    if x.is_nan() || y.is_nan() {
        return if x.is_nan() && y.is_nan() { 0 } else { u64::MAX };
    }
    let order = |bits: u64| if bits & sign != 0 { -((bits & !sign) as i128) } else { bits as i128 };
    order(a).abs_diff(order(b)).try_into().unwrap_or(u64::MAX)
}

/// All cases of scalars, and some of the cases that are lowered to scalars.
fn chosen(module: &Module, cases: Vec<Case>, asm: bool) -> Vec<Case> {
    const SOME: usize = 11;
    let is_scalar = |case: &Case| {
        let mut types = case.operands.iter().chain(&case.results);
        types.all(|&ty| matches!(module.types[ty], TypeKind::Scalar(_)))
    };
    let small = cases.into_iter().filter(|case| is_small(module, case, asm)).enumerate();
    small.filter(|(number, case)| is_scalar(case) || number % SOME == 0).map(|(_, case)| case).collect()
}

/// The module of the cases, lowered, with each exported by its number.
fn lowered(module: &Module, cases: &[Case]) -> Option<Module> {
    let mut module = module.clone();
    for (number, case) in cases.iter().enumerate() {
        let names = vec![format!("f{number}").into()];
        let func = case.func;
        module.entry_points.push(EntryPoint { names, func, stage: None, properties: StageProperties::default() });
    }
    remove_unreachable_functions::run(&mut module, &mut Context::default());
    lower_to_scalars::run(&mut module, &planish_back_js::info(), &mut Context::default()).ok()?;
    Some(module)
}

struct Asked {
    calls: Vec<Call>,
    programs: Vec<Program>,
    questions: Vec<(Op, Question)>,
    refused: BTreeSet<&'static str>,
}

fn ask(asm: bool) -> Asked {
    let mut asked = Asked { calls: vec![], programs: vec![], questions: vec![], refused: BTreeSet::new() };
    for row in OPS.iter().filter(|row| row.class != Class::Simd) {
        let mut module = Module::new(Language::Ir);
        let is_of_values = row.class != Class::Machine;
        let cases = op_cases::cases_of(&mut module, &|op| is_of_values && op == row.op);
        let of_values = !cases.is_empty();
        let cases = chosen(&module, cases, asm);
        if cases.is_empty() {
            asked.refused.extend(of_values.then_some(row.text));
            continue;
        }
        let Some(lowered) = lowered(&module, &cases) else {
            asked.refused.insert(row.text);
            continue;
        };
        let options = planish_back_js::Options::default();
        let write = if asm { planish_back_js::write_asm } else { planish_back_js::write_module };
        let output = match write(&lowered, &options) {
            Ok(output) => output,
            Err(errors) => {
                assert!(errors.iter().all(|e| e.code.0 == "E0602" && asm), "{}: {errors:#?}", row.text);
                asked.refused.insert(row.text);
                continue;
            }
        };
        let pages = lowered.memories.values().map(|m| m.min_pages).sum();
        asked.programs.push(Program { text: output.text, asm, pages, fresh: false });
        let program = asked.programs.len() - 1;
        for question in op_cases::questions(&module, &cases, 8) {
            let name = format!("f{}", question.case);
            let entry = lowered.entry_points.iter().find(|e| *e.names[0] == *name).expect("it was exported");
            let call = Call::new(program, &lowered, entry.func, &name, question.words());
            if call.params.iter().zip(&call.args).any(|(&s, &word)| is_odd_nan(s, word)) {
                continue;
            }
            asked.calls.push(call);
            asked.questions.push((row.op, question));
        }
    }
    asked
}

fn compare(test: &str, asm: bool, tolerance: u64) -> Option<BTreeSet<&'static str>> {
    let asked = ask(asm);
    assert!(asked.calls.len() > 4000, "only {} calls", asked.calls.len());
    let outcomes = node::run(test, &asked.programs, &asked.calls)?;
    let mut wrong = Vec::new();
    for ((call, (op, question)), got) in asked.calls.iter().zip(&asked.questions).zip(outcomes) {
        let want = question.want.as_ref().map_err(|kind| kind.name());
        let right = match (&got, want) {
            (Ok(got), Ok(want)) => {
                let near = if op.is_transcendental() { tolerance } else { 0 };
                got.len() == want.len()
                    && call.results.iter().zip(got.iter().zip(want)).all(|(&s, (&g, &w))| distance(s, g, w) <= near)
            }
            (Err(got), Err(want)) => got == want,
            _ => false,
        };
        if !right {
            wrong.push(format!("{} {}: {:x?} gives {got:x?}, not {want:x?}", op.text(), call.function, question.args));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), asked.calls.len(), &wrong[..wrong.len().min(60)]);
    Some(asked.refused)
}

#[test]
fn every_op_gives_the_evaluators_bits_in_a_module() {
    let Some(refused) = compare("ops", false, 2) else { return };
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), REFUSED);
}

#[test]
fn every_op_gives_the_evaluators_bits_in_asm_js() {
    let Some(refused) = compare("ops-asm", true, 4) else { return };
    let mut all: Vec<&str> = REFUSED.iter().chain(REFUSED_ASM).copied().collect();
    all.sort_unstable();
    assert_eq!(refused.into_iter().collect::<Vec<_>>(), all);
}
