//! No back end that reports its operations expands one: of each op of the table on each combination of types that a target
//! takes as it is, the output is a few instructions, which read each operand once.

use std::collections::BTreeMap;

use planish::ir::builder::{Builder, Policy, Request};
use planish::ir::decoration::{Name, Precision};
use planish::ir::entity::Type;
use planish::ir::function::{Direction, Param, ResultType};
use planish::ir::ops::{Class, Op};
use planish::ir::source::Span;
use planish::module::{EntryPoint, Language, Module, StageProperties};
use planish::{EmitOptions, Target, Version, emit};
use planish_opt::{Context, remove_unreachable_functions};
use planish_target::legal::TargetInfo;
use planish_testkit::op_cases::{self, Case};

/// Most instructions or operators of a node, besides a conversion of each operand and of the result.
const MOST: usize = 2;

/// Names of the operands in text.
const NAMES: [&str; 4] = ["first", "second", "third", "fourth"];

/// The module of one op on the operands of a case, exported.
fn single(module: &Module, case: &Case) -> Module {
    let mut module = module.clone();
    let (precision, span) = (Precision::None, Span::NONE);
    let named = case.operands.iter().zip(NAMES);
    let param = |(&ty, name)| Param { name: Name::temporary(name), ty, precision, direction: Direction::In, span };
    let params: Vec<Param> = named.map(param).collect();
    let results = case.results.iter().map(|&ty| ResultType { ty, precision }).collect();
    let func = module.add_func(Name::temporary("it"), params, results, span);
    let mut b = Builder::new(&mut module, func, Policy::VERBATIM);
    let args: Vec<_> = (0..case.operands.len()).map(|i| b.param(i)).collect();
    let request = Request { ty: case.explicit, ..Request::new(case.op, &args).imm(case.imm) };
    let made = b.make_all(request);
    b.ret(&made);
    b.finish();
    let names = vec!["it".into()];
    module.entry_points = vec![EntryPoint { names, func, stage: None, properties: StageProperties::default() }];
    remove_unreachable_functions::run(&mut module, &mut Context::default());
    module
}

/// Cases of an op, one for each list of scalars, of vectors and without.
fn cases(module: &mut Module, op: Op) -> Vec<Case> {
    let mut seen = std::collections::BTreeSet::new();
    let all = op_cases::cases_of(module, &|other| other == op);
    let kind = |case: &Case| {
        let types = || case.operands.iter().chain(&case.results);
        let scalars: Vec<_> = types().map(|&ty| module.types.scalar_of(ty)).collect();
        let sizes: Vec<_> = types().map(|&ty| module.types.vector_size(ty).map(|n| n.min(2))).collect();
        (scalars, sizes)
    };
    // Structs and arrays are written by their parts.
    let is_number = |ty: &Type| module.types.scalar_of(*ty).is_some() && module.types.part_count(*ty) <= Some(4);
    let fits =
        |case: &Case| case.operands.len() <= NAMES.len() && case.operands.iter().chain(&case.results).all(is_number);
    all.into_iter().filter(|case| fits(case) && seen.insert(kind(case))).collect()
}

/// Checks what a target's output of each case reports as wrong. Returns the number of cases that the target takes.
fn check(
    target: Target,
    info: &TargetInfo<'_>,
    options: &EmitOptions,
    wrong: fn(&[u8], &Case) -> Option<String>,
) -> usize {
    let (mut taken, mut faults) = (0, BTreeMap::new());
    for op in Op::all().filter(|&op| !op_cases::cannot_run(op)) {
        // Constructors are written by their parts.
        if matches!(op.info().class, Class::Construct | Class::Extract | Class::Simd) {
            continue;
        }
        let mut module = Module::new(Language::Glsl { version: 450, es: false });
        for case in cases(&mut module, op) {
            let module = single(&module, &case);
            let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("it has a body");
            if !body.nodes().all(|(node, _)| info.has(&module, body, node)) {
                continue;
            }
            // Types that the target lacks.
            let Ok(artifact) = emit(&module, target, options) else { continue };
            taken += 1;
            if let Some(fault) = wrong(&artifact.bytes, &case) {
                let operands: Vec<_> = case.operands.iter().map(|&ty| module.types[ty].clone()).collect();
                faults.entry(op.text()).or_insert(format!("{operands:?}: {fault}"));
            }
        }
    }
    assert!(faults.is_empty(), "{target:?}: {} ops: {faults:#?}", faults.len());
    taken
}

/// The instructions of the function, but those that name parameters, take results together and return.
fn spirv(bytes: &[u8], case: &Case) -> Option<String> {
    const SKIPPED: [u32; 8] = [54, 55, 56, 80, 81, 248, 253, 254];
    let words: Vec<u32> = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let (mut at, mut inside, mut found) = (5, false, Vec::new());
    while at < words.len() {
        let (code, len) = (words[at] & 0xffff, words[at] >> 16);
        inside |= code == 54;
        if inside && !SKIPPED.contains(&code) {
            found.push(code);
        }
        at += len as usize;
    }
    (found.len() > most(case)).then(|| format!("instructions {found:?}"))
}

/// As [`spirv`], without those that move operands.
fn wasm(bytes: &[u8], case: &Case) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().map(str::trim).skip_while(|line| !line.starts_with("(func"));
    let found: Vec<&str> = lines.skip(1).filter(|line| !line.starts_with(['(', ')'])).collect();
    let operations = found.iter().filter(|line| !line.starts_with("local.") && !line.contains(".const")).count();
    (operations > most(case)).then(|| found.join("; "))
}

fn most(case: &Case) -> usize {
    MOST + case.operands.len().saturating_sub(2) + 2 * (case.results.len() - 1)
}

/// Mentions of operands in the last function of a text, besides its head and asm.js's types of parameters.
fn text(bytes: &[u8], case: &Case) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_head = |line: &&str| {
        let line = line.trim();
        line.contains("it(") || NAMES.iter().any(|name| line.starts_with(&format!("{name} = ")))
    };
    let lines: Vec<&str> =
        text.lines().skip_while(|line| !line.contains("it(")).filter(|line| !is_head(line)).collect();
    let whole = lines.join("\n");
    let words: Vec<&str> = whole.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let twice = NAMES[..case.operands.len()].iter().any(|name| words.iter().filter(|word| word == &name).count() > 1);
    twice.then_some(whole)
}

#[test]
fn spirv_has_an_instruction_for_each_node() {
    let taken = check(Target::Spirv, &planish_back_spirv::INFO, &EmitOptions::default(), spirv);
    assert!(taken > 300, "{taken}");
}

#[test]
fn webassembly_has_an_instruction_for_each_node() {
    let taken = check(Target::Wat, &planish_back_wasm::info(), &EmitOptions::default(), wasm);
    assert!(taken > 150, "{taken}");
}

#[test]
fn javascript_reads_each_operand_once() {
    for target in [Target::Js, Target::AsmJs] {
        let taken = check(target, &planish_back_js::info(), &EmitOptions::default(), text);
        assert!(taken > 80, "{target:?}: {taken}");
    }
}

#[test]
fn shading_languages_read_each_operand_once() {
    for (number, es) in [(300, true), (330, false), (450, false)] {
        let version = if es { Version::es(number) } else { Version::desktop(number) };
        let options = EmitOptions { version: Some(version), ..EmitOptions::default() };
        let info = planish_back_glsl::info(number, es).expect("a table");
        let taken = check(Target::Glsl, &info, &options, text);
        assert!(taken > 200, "GLSL {number}: {taken}");
    }
    // MSL and HLSL are naga's writing of the same module.
    let info = planish_back_naga::info(planish_back_naga::Target::Wgsl);
    let taken = check(Target::Wgsl, &info, &EmitOptions::default(), text);
    assert!(taken > 200, "WGSL: {taken}");
}
