//! File tests of the passes: `passes/PASS/CASE.ir` holds a module, a line `// after`, and the module that the pass makes of it, or
//! the errors, one a line. `BLESS=1` rewrites the text after that line. `PASS` is a name of [`PASSES`] or of [`LOWERINGS`].
//!
//! Comments at the top configure the case:
//!
//! ```text
//! // costs: machine                   the table of costs
//! // goal: size                       as -Os does
//! // fast-math                        also: inline-all, keep-selects
//! // limit: inline_cost = 0           one of the limits
//! // lacks: fract, dot                for lower_to_scalars and legalize: ops that the target does not have
//! // guards: divide                   for legalize: ops that are undefined for some operands
//! // calls: inverse                   for legalize: ops that a function computes
//! // assumes-no-nan                   for legalize
//! // lanes: 4                         for widen, of the function @f; also: interface, helpers
//! // promoted                         what promote_variables leaves of it
//! // run: @f(7, 2) = 3                a call with its results (or `= trap KIND`), the same before and after
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::custom::Meaning;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Func, Type};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};
use planish_ir::types::{AddressSpace, Scalar, TypeKind};
use planish_ir::verify::verify;
use planish_opt::cost::CostTable;
use planish_opt::restage::{Identity, restage};
use planish_opt::widen::{WidenOptions, widen};
use planish_opt::{Context, Goal, LEVELS, LIMITS, Options, PASSES, Pass, Phase, pipeline, run_passes};
use planish_opt::{combine_samplers, fold_uniforms, legalize, lower_to_scalars, narrow_floats, split_array_values};
use planish_target::legal::{Operation, Support, TargetInfo};
use planish_testkit::run_lines;

const AFTER: &str = "// after\n";
/// The transformations that no level runs: back ends ask for them.
const LOWERINGS: [&str; 7] = [
    "combine_samplers",
    "fold_uniforms",
    "legalize",
    "lower_to_scalars",
    "narrow_floats",
    "split_array_values",
    "widen",
];
/// FIXME: in these, the pass finds something more when it runs again.
const NOT_CONVERGED: [&str; 1] = ["unroll_loops/a_break_leaves_the_rounds_that_follow"];
/// Files that a pass has at least.
const CASES_OF_EACH: usize = 10;

const INTS: [u64; 7] = [0, 1, 2, 3, 5, 16, 0xffff_fffd];
const FLOATS: [f32; 7] = [0.0, -0.0, 1.0, 2.0, 3.5, -7.25, f32::NAN];

/// A file.
struct Case {
    pass: String,
    path: PathBuf,
    before: String,
    after: String,
    options: Options,
    /// Ops that the target of a lowering does not have as they are; of others it has all.
    lacks: Vec<(Op, Support)>,
    assumes_no_nan: bool,
    widen: WidenOptions,
    promoted: bool,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let entries = |path: &Path| fs::read_dir(path).expect("a folder").map(|e| e.expect("can be listed").path());
    let mut paths: Vec<PathBuf> = entries(&root).flat_map(|folder| entries(&folder)).collect();
    paths.sort();
    paths.into_iter().map(Case::read).collect()
}

impl Case {
    fn read(path: PathBuf) -> Case {
        let text = fs::read_to_string(&path).expect("can be read");
        let (before, after) = text.split_once(AFTER).unwrap_or((&text, ""));
        let pass = path.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
        let (before, after) = (before.to_owned(), after.to_owned());
        let mut case = Case {
            pass,
            path,
            before,
            after,
            options: Options::default(),
            lacks: Vec::new(),
            assumes_no_nan: false,
            widen: WidenOptions { lanes: 4, ..WidenOptions::default() },
            promoted: false,
        };
        for line in case.before.clone().lines().map_while(|line| line.strip_prefix("// ")) {
            case.configure(line);
        }
        case
    }

    /// Reads a comment at the top; prose has no colon behind its first word.
    fn configure(&mut self, line: &str) {
        let (key, value) = line.split_once(':').map_or((line, ""), |(key, value)| (key, value.trim()));
        match key {
            "costs" => self.options.costs = Some(CostTable::named(value).expect("a table of costs").into()),
            "goal" => self.options.goal = if value == "size" { Goal::Size } else { Goal::Speed },
            "fast-math" => self.options.fast_math = true,
            "inline-all" => self.options.inline_all = true,
            "keep-selects" => self.options.keep_selects = true,
            "limit" => {
                let (name, value) = value.split_once(" = ").expect("a limit and its value");
                let limit = LIMITS.iter().find(|limit| limit.name == name).expect("a limit");
                limit.set(&mut self.options.limits, value.parse().expect("a number"));
            }
            "lacks" => self.lack(value, Support::Expand),
            "guards" => self.lack(value, Support::Guard),
            "calls" => self.lack(value, Support::Call),
            "assumes-no-nan" => self.assumes_no_nan = true,
            "lanes" => self.widen.lanes = value.parse().expect("a number"),
            "interface" => (self.widen.interface, self.widen.all_active) = (true, true),
            "helpers" => self.widen.helpers = true,
            "promoted" => self.promoted = true,
            "run" => {}
            other => assert!(other.contains(' '), "{}: no such key: {other}", self.path.display()),
        }
    }

    fn lack(&mut self, names: &str, support: Support) {
        let op = |name: &str| Op::all().find(|op| op.info().text == name).expect("an op");
        self.lacks.extend(names.split(", ").map(|name| (op(name), support)));
    }

    fn support(&self, op: Op) -> Support {
        self.lacks.iter().find(|(lacked, _)| *lacked == op).map_or(Support::Yes, |&(_, support)| support)
    }

    fn name(&self) -> String {
        format!("{}/{}", self.pass, self.path.file_stem().expect("a file").to_string_lossy())
    }

    fn module(&self, text: &str) -> Module {
        self.parsed(text).unwrap_or_else(|message| panic!("{message}"))
    }

    /// # Errors
    /// The mistakes in the text, each with its line.
    fn parsed(&self, text: &str) -> Result<Module, String> {
        let line = |start: u32| text.as_bytes()[..start as usize].split(|&b| b == b'\n').count();
        let say = |e: &Diagnostic| format!("{}:{}: {}\n", self.path.display(), line(e.span.start), e.message);
        let mut module = parse_str(text).map_err(|errors| errors.iter().map(say).collect::<String>())?;
        give_meanings(&mut module);
        let errors = verify(&module);
        if errors.is_empty() { Ok(module) } else { Err(format!("{}: {errors:#?}", self.path.display())) }
    }

    fn context(&self) -> Context {
        Context::new(Options { phases: phases(), ..self.options.clone() })
    }

    /// The pass; `None` of a lowering.
    fn pass(&self) -> Option<&'static Pass> {
        let pass = PASSES.iter().find(|p| p.name == self.pass);
        assert!(pass.is_some() || LOWERINGS.contains(&&*self.pass), "there is no pass {}", self.pass);
        pass
    }

    fn run(&self, module: &mut Module) -> Result<(), Vec<Diagnostic>> {
        if let Some(pass) = self.pass() {
            run_passes(module, &[pass], &mut self.context(), &mut |_, _| {});
            return Ok(());
        }
        let support = |operation: &Operation| self.support(operation.op);
        let target = TargetInfo { name: "the target", support: &support, is_shading_language: self.assumes_no_nan };
        match &*self.pass {
            "legalize" => {
                legalize::run(module, &target, &mut self.context())?;
                assert!(!legalize::is_needed(module, &target), "{}", self.path.display());
            }
            "lower_to_scalars" if lower_to_scalars::is_needed(module, &target) => {
                lower_to_scalars::run(module, &target, &mut self.context())?;
            }
            "combine_samplers" => {
                combine_samplers::run(module, &mut self.context())?;
                assert!(!combine_samplers::is_needed(module), "{}", self.path.display());
            }
            "narrow_floats" if narrow_floats::is_needed(module) => narrow_floats::run(module)?,
            "fold_uniforms" => {
                // The initializers.
                let uniforms = module.globals.iter().filter(|&&var| module.vars[var].space == AddressSpace::Uniform);
                let known: Vec<_> = uniforms.filter_map(|&var| Some((var, module.vars[var].initializer?))).collect();
                fold_uniforms::run(module, &known);
            }
            "widen" => {
                let func = module.funcs_named("f").next().expect("it has a function @f");
                widen(module, func, &self.widen)?;
                if self.promoted {
                    let pass = PASSES.iter().find(|pass| pass.name == "promote_variables").expect("a pass");
                    run_passes(module, &[pass], &mut self.context(), &mut |_, _| {});
                }
            }
            "split_array_values" if split_array_values::is_needed(module) => {
                split_array_values::run(module, &mut self.context());
            }
            _ => {}
        }
        assert_eq!(verify(module), [], "{}", self.path.display());
        Ok(())
    }

    /// The text after the pass.
    fn transformed(&self) -> Result<String, String> {
        let mut module = self.parsed(&self.before)?;
        Ok(match self.run(&mut module) {
            Ok(()) => print(&module),
            Err(errors) => errors.iter().map(|e| format!("// error {}: {}\n", e.code, e.message)).collect(),
        })
    }

    /// The modules after the pass that are to be compared with the one before: of errors there are none.
    fn written(&self) -> Option<Module> {
        (!self.after.starts_with("// error")).then(|| self.module(&self.after))
    }
}

/// The phase of the cases of `lower_custom_ops`.
fn phases() -> Vec<Phase> {
    let scalars = Phase::new("scalars")
        .lower("twice", |site| {
            let x = site.arg(0);
            vec![site.b.op(Op::Add, &[x, x])]
        })
        .lower("four_times", |site| {
            let twice = site.b.module.custom_op("twice").expect("it is declared");
            let once = site.b.custom(twice, &[site.arg(0)]);
            site.b.custom(twice, &once).to_vec()
        })
        .lower("swap", |site| vec![site.arg(1), site.arg(0)])
        .lower("power", |site| {
            let (x, one) = (site.arg(0), site.b.f32(1.0));
            site.repeat(5, &[one], &|b, _, so_far| vec![b.op(Op::Multiply, &[so_far[0], x])])
        });
    vec![scalars]
}

/// Gives the ops of the cases of `lower_custom_ops` their meanings.
fn give_meanings(module: &mut Module) {
    for row in module.custom_ops.values_mut() {
        let of: fn(f32) -> f32 = match &*row.name {
            "twice" => |x| x + x,
            "four_times" => |x| (x + x) + (x + x),
            "power" => |x| (0..5).fold(1.0, |power, _| power * x),
            _ => continue,
        };
        row.meaning = Some(Meaning::new(move |call, results| {
            let x = f32::from_bits(call.operands[0].bits[0] as u32);
            results.push(of(x).to_bits().into());
            Ok(())
        }));
    }
}

#[test]
fn each_pass_makes_what_its_files_say() {
    let mut failures = Vec::new();
    for case in cases() {
        match case.transformed() {
            Ok(got) if got == case.after => {}
            Ok(got) if std::env::var_os("BLESS").is_some() => {
                fs::write(&case.path, format!("{}{AFTER}{got}", case.before)).expect("can be written");
            }
            Ok(got) => {
                failures.push(format!("{}\n--- expected\n{}\n+++ got\n{got}", case.path.display(), case.after));
            }
            Err(message) => failures.push(message),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_pass_has_ten_cases() {
    let cases = cases();
    for pass in PASSES.iter().map(|pass| pass.name).chain(LOWERINGS) {
        let count = cases.iter().filter(|case| case.pass == pass).count();
        assert!(count >= CASES_OF_EACH, "passes/{pass} has {count} files, and must have {CASES_OF_EACH}");
    }
}

/// A pass that runs twice finds nothing the second time, and copying changes nothing.
#[test]
fn passes_are_idempotent_and_restaging_copies() {
    let mut not_converged = Vec::new();
    for case in cases().iter().filter(|case| case.pass().is_some()) {
        let mut module = case.module(&case.after);
        case.run(&mut module).expect("passes have no errors");
        if print(&module) != case.after {
            not_converged.push(case.name());
            continue;
        }
        let funcs: Vec<_> = module.funcs.keys().collect();
        for func in funcs {
            restage(&mut module, func, planish_ir::builder::Policy::PLAIN, &mut Identity);
        }
        assert_eq!(print(&module), case.after, "{}: copied", case.path.display());
    }
    assert_eq!(not_converged, NOT_CONVERGED);
}

/// Passes that have nothing to do, and functions that a rewrite would leave as they are, are skipped. By itself, with nothing
/// known of those before it, no pass skips anything.
#[test]
fn what_is_skipped_would_have_changed_nothing() {
    let passes = pipeline("2").expect("it is a level");
    let (mut skipped, mut too_early) = (0, Vec::new());
    for case in cases() {
        let together = &mut case.module(&case.before);
        let alone = &mut together.clone();
        let mut context = case.context();
        run_passes(together, &passes, &mut context, &mut |_, _| {});
        passes.iter().for_each(|pass| run_passes(alone, &[pass], &mut case.context(), &mut |_, _| {}));
        if print(together) != print(alone) {
            too_early.push(case.name());
        }
        skipped += context.stats.iter().filter(|(_, name, _)| *name == "FunctionsConverged").map(|s| s.2).sum::<u64>();
    }
    assert!(too_early.is_empty(), "a rewrite that was skipped would have found something: {too_early:?}");
    assert!(skipped > 10, "only {skipped} functions");
}

/// The words of the results, or the reason why there are none.
type Outcome = Result<Vec<EvalValue>, String>;

fn call(module: &Module, func: Func, args: &[EvalValue]) -> Outcome {
    let limits = Limits { steps: 100_000, depth: 1_000, ..Limits::default() };
    let outcome = Evaluator::new(module, limits).and_then(|mut evaluator| evaluator.call(func, args));
    outcome.map_err(|stop| match stop {
        Stop::Trap { kind, .. } => format!("trap {}", kind.name()),
        other => other.to_string(),
    })
}

/// Whether two values are the same: one NaN is as good as another.
fn is_same(module: &Module, ty: Type, a: &[u64], b: &[u64]) -> bool {
    let is_nan = |bits: &[u64]| match module.types[ty] {
        TypeKind::Scalar(Scalar::F32) => f32::from_bits(bits[0] as u32).is_nan(),
        TypeKind::Scalar(Scalar::F64) => f64::from_bits(bits[0]).is_nan(),
        _ => false,
    };
    a == b || is_nan(a) && is_nan(b)
}

#[test]
fn run_lines_give_their_results_before_and_after() {
    let mut count = 0;
    for case in cases() {
        for line in case.before.lines().filter_map(|line| line.strip_prefix("// run: @")) {
            count += 1;
            let modules = std::iter::once(case.module(&case.before)).chain(case.written());
            for (when, module) in ["before", "after"].into_iter().zip(modules) {
                let line = run_lines::read(&module, line);
                let params = module.funcs[line.func].params.iter();
                let args = params.zip(&line.args).map(|(p, bits)| EvalValue { ty: p.ty, bits: bits.clone() });
                let got = call(&module, line.func, &args.collect::<Vec<_>>());
                let agrees = match (&got, &line.results) {
                    (Ok(got), Ok(expected)) => {
                        got.iter().zip(expected).all(|(got, bits)| is_same(&module, got.ty, &got.bits, bits))
                    }
                    (Err(got), Err(expected)) => got.strip_prefix("trap ") == Some(*expected),
                    _ => false,
                };
                assert!(agrees, "{} {when}: {} gives {got:?}", case.path.display(), line.text);
            }
        }
    }
    assert!(count > 50, "only {count} run lines");
}

/// The outcomes of a function for rows of arguments; `None` if it takes something else than scalars, or does not end.
fn outcomes(module: &Module, name: &str) -> Option<Vec<Outcome>> {
    let func = module.funcs_named(name).next()?;
    let value = |(i, ty): (usize, Type), row: usize| {
        let pick = if i % 2 == 0 { row % 7 } else { (row / 7 + i / 2) % 7 };
        let bits = match module.types[ty] {
            TypeKind::Scalar(Scalar::I32 | Scalar::U32) => INTS[pick],
            TypeKind::Scalar(Scalar::F32) => FLOATS[pick].to_bits().into(),
            TypeKind::Scalar(Scalar::Bool) => pick as u64 % 2,
            _ => return None,
        };
        Some(EvalValue { ty, bits: vec![bits] })
    };
    let row = |row| {
        let params = module.funcs[func].params.iter().map(|p| p.ty).enumerate();
        let outcome = call(module, func, &params.map(|param| value(param, row)).collect::<Option<Vec<_>>>()?);
        (outcome.is_ok() || outcome.as_ref().is_err_and(|e| e.starts_with("trap "))).then_some(outcome)
    };
    (0..49).map(row).collect()
}

/// Whether a module gives for a function the outcomes expected; where calls became too deep, it may now go on.
fn agrees(module: &Module, name: &str, expected: &[Outcome]) -> bool {
    let overflow = |outcome: &Outcome| outcome.as_ref().is_err_and(|e| e == "trap stack_overflow");
    let Some(got) = outcomes(module, name) else { return expected.iter().any(overflow) };
    got.iter().zip(expected).all(|(got, expected)| match (got, expected) {
        (Ok(got), Ok(expected)) => got.iter().zip(expected).all(|(a, b)| is_same(module, a.ty, &a.bits, &b.bits)),
        (got, expected) => got == expected || overflow(expected),
    })
}

/// Every function that takes and gives scalars gives the same after the pass, and after whole levels, as before.
#[test]
fn file_tests_mean_the_same_after_as_before() {
    let mut compared = 0;
    // Doubles that become floats are rounded more often; the laws of real numbers change results, too.
    for case in cases().iter().filter(|case| case.pass != "narrow_floats" && !case.options.fast_math) {
        let before = case.module(&case.before);
        let mut others: Vec<(String, Module)> =
            case.written().map(|module| (case.pass.clone(), module)).into_iter().collect();
        for (level, goal) in [("1", Goal::Speed), ("2", Goal::Speed), ("s", Goal::Size)] {
            let mut module = before.clone();
            let mut context = Context::new(Options { goal, ..case.options.clone() });
            run_passes(&mut module, &pipeline(level).expect("it is a level"), &mut context, &mut |_, _| {});
            others.push((format!("-O{level}"), module));
        }
        for function in before.funcs.values() {
            let name = &*function.name.text;
            let Some(expected) = outcomes(&before, name) else { continue };
            for (how, after) in &others {
                // Parameters and results may have gone.
                let shape = after.funcs_named(name).next().map(|f| &after.funcs[f]);
                if shape.is_some_and(|f| {
                    (f.params.len(), f.results.len()) == (function.params.len(), function.results.len())
                }) {
                    assert!(agrees(after, name, &expected), "{}: @{name}: {how}", case.path.display());
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "only {compared} comparisons");
}

#[test]
fn every_level_has_a_pipeline() {
    for level in LEVELS {
        assert!(pipeline(level).is_some(), "{level}");
    }
}
