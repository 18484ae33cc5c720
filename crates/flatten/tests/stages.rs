//! File tests of the stages: `stages/STAGE/CASE.ir` holds a module, the line `// strict` and what the stage makes of its last
//! function, and the line `// fast` and the same under fast-math. `BLESS=1` rewrites what stands after these lines. What a
//! stage makes in the strict setting gives the same bits as before.

use std::fs;
use std::path::{Path, PathBuf};

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_flatten::{Options, Visible, stage};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func, Type};
use planish_ir::meaning::Shape;
use planish_ir::module::Module;
use planish_ir::ops::{OPS, Op};
use planish_ir::text::{parse_str, print};
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_target::ops::OpSet;

const STRICT: &str = "// strict\n";
const FAST: &str = "// fast\n";

fn cases() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages");
    let mut cases = Vec::new();
    let folders = fs::read_dir(root).into_iter().flatten().map(|e| e.expect("can be listed").path());
    for folder in folders {
        let stage = folder.file_name().expect("has a name").to_string_lossy().into_owned();
        for case in fs::read_dir(&folder).expect("can be listed") {
            cases.push((stage.clone(), case.expect("can be listed").path()));
        }
    }
    cases.sort();
    cases
}

/// Runs a stage on the last function of a module; returns its text, or the error message.
fn run(name: &str, before: &str, fast_math: bool, path: &Path) -> String {
    let mut module = parse_str(before).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
    assert_eq!(verify(&module), [], "{}", path.display());
    let func = module.funcs.keys().last().expect("a case has a function");
    let options = Options { fast_math, ..Options::default() };
    let stage = stage(name).unwrap_or_else(|| panic!("there is no stage {name}"));
    if let Err(errors) = (stage.run)(&mut module, func, &options) {
        return errors.iter().map(|e| format!("// {}: {}\n", e.code, e.message)).collect();
    }
    assert_eq!(verify(&module), [], "{}: {}", path.display(), print(&module));
    if !fast_math && module.entry_points.is_empty() {
        let before = parse_str(before).expect("it has been parsed");
        compare(&before, &module, func, path);
    }
    let once = print(&module);
    (stage.run)(&mut module, func, &options).expect("what could be done once can be done twice");
    assert_eq!(print(&module), once, "{}: twice", path.display());
    once
}

/// Calls a function before and after with the same arguments, odd ones among them.
fn compare(before: &Module, after: &Module, func: Func, path: &Path) {
    let types: Vec<Type> = before.funcs[func].params.iter().map(|p| p.ty).collect();
    let behind = |ty: Type| before.types.pointee(ty).map_or(ty, |(ty, _)| ty);
    let mut state = 1u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    for round in 0..200 {
        let args: Option<Vec<EvalValue>> = types
            .iter()
            .map(|&ty| {
                let ty = behind(ty);
                let scalar = before.types.scalar_of(ty)?;
                let bits = (0..before.types.components(ty)?).map(|_| match scalar {
                    Scalar::F32 => u64::from(FLOATS[random() % FLOATS.len()].to_bits()),
                    Scalar::F64 => f64::from(FLOATS[random() % FLOATS.len()]).to_bits(),
                    Scalar::Bool => (random() % 2) as u64,
                    _ => u64::from(INTEGERS[random() % INTEGERS.len()] as u32),
                });
                Some(EvalValue { ty, bits: bits.collect() })
            })
            .collect();
        let Some(args) = args else { return };
        let told = |module: &Module| {
            let mut args = args.clone();
            let mut evaluator = Evaluator::new(module, Limits::default()).expect("it can be evaluated");
            let results = evaluator.call_with(func, &mut args);
            let bits = |values: Vec<EvalValue>| -> Vec<u64> {
                values.into_iter().flat_map(|v| v.bits.into_iter().map(move |b| canonical(module, v.ty, b))).collect()
            };
            let globals = before.globals.iter().flat_map(|&var| evaluator.get(var, 0)).collect::<Vec<u64>>();
            (results.map(bits), bits(args), globals)
        };
        assert_eq!(told(before), told(after), "{}, round {round}: {args:?}", path.display());
    }
}

/// One NaN is as good as another.
fn canonical(module: &Module, ty: Type, bits: u64) -> u64 {
    match module.types.scalar_of(ty) {
        Some(Scalar::F32) if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        _ => bits,
    }
}

const FLOATS: [f32; 16] =
    [0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 5.0, 9.0, -1.0, -0.25, -7.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
const INTEGERS: [i32; 9] = [0, 1, 2, 3, 4, 7, -1, -5, i32::MIN];

#[test]
fn each_stage_makes_what_its_files_say() {
    let mut failures = Vec::new();
    for (stage, path) in cases() {
        let text = fs::read_to_string(&path).expect("can be read");
        let before = text.split(STRICT).next().expect("the module comes first");
        let strict = run(&stage, before, false, &path);
        let fast = run(&stage, before, true, &path);
        let found = format!("{before}{STRICT}{strict}{FAST}{fast}");
        if found == text {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, found).expect("can be written");
        } else {
            failures.push(format!("{}\n--- expected\n{text}\n+++ got\n{found}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// An op that the target lacks is rejected, and the function is unchanged.
#[test]
fn ops_that_the_target_does_not_have_are_refused() {
    let text = "module ir\n\nfn @f(%0 x: f32) -> (f32) {\nb0:\n  %1 = greater_than %0, 0.5\n  if %1 {\n  then b1:\n    %2 = sin %0\n    \
                return %2\n  else b2:\n    merge\n  }\nb3:\n  return %0\n}\n";
    let mut module = parse_str(text).expect("is right");
    let func = module.funcs.keys().next().expect("is there");
    let lower = stage("lower").expect("is there").run;
    let options = Options { ops: Some(ops_without_sine()), ..Options::default() };
    let errors = lower(&mut module, func, &options).expect_err("there is no sine");
    assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), [Code::E1105]);
    assert_eq!(print(&module), text);
    assert_eq!(lower(&mut module, func, &Options::default()), Ok(true));
}

fn ops_without_sine() -> OpSet {
    OPS.iter().map(|info| info.op).filter(|&op| op != Op::Sin).collect()
}

/// Ops outside of the set are expanded before the other stages, and again at the end, if their rules make such; the values stay.
#[test]
fn ops_outside_of_the_set_are_expanded() {
    let text = "module ir\n\nfn @f(%0 x: f32, %1 y: f32, %2 t: f32) -> (f32) {\nb0:\n  %3 = saturate %0\n  %4 = mix %3, %1, %2\n  \
                %5 = smooth_step 0.25, 0.75, %4\n  return %5\n}\n";
    let options = |ops: &str| {
        let ops = OpSet::parse(ops, &[]).expect("they are ops");
        Options { visible: Visible::ALL.among(&ops), ops: Some(ops), ..Options::default() }
    };
    let flat = |options: &Options| {
        let mut module = parse_str(text).expect("is right");
        let func = module.funcs.keys().next().expect("is there");
        planish_flatten::flatten(&mut module, func, options, None, &mut |_, _| {}).map(|()| module)
    };
    let whole = flat(&Options::default()).expect("it is flat");
    let few = options("add, sub, mul, div, select, less_than, greater_than, compare");
    let module = flat(&few).expect("all of them have expansions");
    let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("has a body");
    let set = few.ops.as_ref().expect("is given");
    assert!(body.nodes().all(|(_, data)| set.has(data.op)), "{}", print(&module));
    assert!(print(&module).contains("select") && !print(&module).contains("mix"));
    for x in [-1.0f32, -0.0, 0.3, 0.9, 2.0, f32::NAN, f32::INFINITY] {
        for (y, t) in [(0.5, 0.5), (1.0, 0.25), (-2.0, 1.0), (f32::NAN, 0.0)] {
            assert_eq!(value(&module, &[x, y, t]), value(&whole, &[x, y, t]), "{x} {y} {t}");
        }
    }
    let errors = flat(&options("add, sub, mul, div, select")).expect_err("no comparison");
    let text = format!("{errors:?}");
    assert!(errors.iter().all(|e| e.code == Code::E1105), "{text}");
    assert!(text.contains("the graph may not hold `saturate`"), "{text}");
    assert!(text.contains("add `saturate` to the ops, or `clamp`, of which it can be made"), "{text}");
}

/// The bits of the only result.
fn value(module: &Module, args: &[f32]) -> u32 {
    let func = module.funcs.keys().next().expect("is there");
    let bits = |x: &f32| EvalValue { ty: Type::F32, bits: vec![x.to_bits().into()] };
    let args: Vec<EvalValue> = args.iter().map(bits).collect();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("it is valid");
    let results = evaluator.call(func, &args).expect("nothing traps");
    results[0].bits[0] as u32
}
