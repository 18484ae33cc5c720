//! The checkers on the output of flattening: of the shaders under `examples/flatten`, of the file tests of the
//! stages, and of random programs, with and without fast-math.
//!
//! `flatten_oracles.txt` is the allowance: for each check how many residuals are known and not yet seen to. It can only
//! shrink: more residuals fail, fewer fail as well until `BLESS=1` with
//! `PLANISH_TESTS=all` has written the smaller number.
//! `PLANISH_SHOW=CHECK` shows each residual of a check.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use planish::Compiler;
use planish::flatten::checker::{Residual, fold_residuals, optimize_residuals};
use planish::flatten::{Options, STAGES};
use planish::ir::entity::Func;
use planish::ir::text::print_function;
use planish::module::Module;
use planish_generate::{Choices, glsl};
use planish_testkit::{runs_all, share};

const SEEDS: u64 = 2_000;

/// Number of residuals of each check in each set of programs; a key is "tier strict multiply_add".
type Counts = BTreeMap<String, usize>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn show(set: &str, name: &str, module: &Module, func: Func, found: &[Residual]) {
    let Ok(wanted) = std::env::var("PLANISH_SHOW") else { return };
    let of_check: Vec<&Residual> = found.iter().filter(|r| wanted == "all" || r.check == wanted).collect();
    if !of_check.is_empty() {
        println!("==== {set} {name}");
        of_check.iter().for_each(|r| println!("{}: {}\n    {}", r.check, r.node, r.description));
        if std::env::var_os("PLANISH_TEXT").is_some() {
            println!("{}", print_function(module, func));
        }
    }
}

/// Flattens a function and counts the findings of the checkers; none for a function that cannot be flattened.
fn count(set: &str, name: &str, module: &Module, func: Func, counts: &mut Counts) {
    for fast_math in [false, true] {
        let mut options = Options { fast_math, ..Options::default() };
        // Loops without a bound are refused sooner.
        options.limits.flat_iterations = 512;
        let set = format!("{set} {}", if fast_math { "fast" } else { "strict" });
        let mut module = module.clone();
        for stage in STAGES {
            if (stage.run)(&mut module, func, &options).is_err() {
                return;
            }
        }
        let mut found = fold_residuals(&module, func, &options);
        found.extend(optimize_residuals(&module, func, &options));
        show(&set, name, &module, func, &found);
        for residual in found {
            *counts.entry(format!("{set}: {}", residual.check)).or_default() += 1;
        }
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("can be listed") {
            let path = entry.expect("can be listed").path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// The shaders in a folder.
fn shaders(folder: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let is_shader = |p: &PathBuf| p.extension().is_some_and(|e| e == "frag" || e == "wgsl");
    files(folder).into_iter().filter(is_shader)
}

/// Shaders, compiled; those that cannot be count for nothing.
fn compiled(shaders: impl Iterator<Item = PathBuf>) -> impl Iterator<Item = (String, Module, Func)> {
    shaders.filter_map(|path| {
        let name = path.file_name().expect("has a name").to_string_lossy().into_owned();
        let module = Compiler::default().compile(&name, fs::read(path).expect("can be read")).module?;
        let func = module.entry_points.first()?.func;
        Some((name, module, func))
    })
}

fn all_counts() -> Counts {
    let mut counts = Counts::new();
    for (set, folder) in [("tier", "examples/flatten"), ("gallery", "examples/shaders")] {
        let mut any = false;
        for (name, module, func) in compiled(share(shaders(folder))) {
            count(set, &name, &module, func, &mut counts);
            any = true;
        }
        assert!(any, "{folder} has no shaders");
    }
    for path in share(files("crates/flatten/tests/stages")) {
        let name = path.file_name().expect("has a name").to_string_lossy();
        let text = fs::read_to_string(&path).expect("can be read");
        let before = text.split("// strict\n").next().expect("the module comes first");
        let module = planish::ir::text::parse_str(before).expect("is valid");
        let func = module.funcs.keys().last().expect("has a function");
        count("stages", &name, &module, func, &mut counts);
    }
    for seed in share(0..SEEDS) {
        let source = glsl(&mut Choices::from_seed(seed)).to_string();
        let module = Compiler::default().compile("random.frag", source).module.expect("is valid");
        count("random", &seed.to_string(), &module, module.entry_points[0].func, &mut counts);
    }
    counts
}

/// The checkers have findings in the shaders before the stage that removes them.
#[test]
fn what_a_stage_is_there_for_is_found_before_it() {
    let before = [
        ("fold", &["add_zero", "divide_by_constant", "lerp_selector", "multiply_one", "scattered_terms"][..]),
        ("optimize", &["divide_by_uniform", "scattered_uniforms", "uniform_after_varying"][..]),
        ("fuse", &["horizontal_sum", "lane_sum", "multiply_add", "shared_factor", "vectorizable_lanes"][..]),
    ];
    let options = Options { fast_math: true, ..Options::default() };
    let mut counts = Counts::new();
    for (_, mut module, func) in compiled(shaders("examples/flatten")) {
        for stage in STAGES {
            if before.iter().any(|(name, _)| *name == stage.name) {
                let mut found = fold_residuals(&module, func, &options);
                found.extend(optimize_residuals(&module, func, &options));
                let name = |check: &str| format!("{}: {check}", stage.name);
                found.into_iter().for_each(|r| *counts.entry(name(r.check)).or_default() += 1);
            }
            (stage.run)(&mut module, func, &options).expect("the shaders are there to be flattened");
        }
    }
    for (stage, checks) in before {
        for check in checks {
            let count = counts.get(&format!("{stage}: {check}")).copied().unwrap_or_default();
            assert!(count > 10, "before {stage}: {check}: only {count}\n{counts:#?}");
        }
    }
}

/// Shows what is left of shaders elsewhere: `PLANISH_SHADERS=FOLDER`, as far as they become flat.
#[test]
fn shaders_elsewhere_are_looked_at() {
    let Some(folder) = std::env::var_os("PLANISH_SHADERS") else { return };
    let mut counts = Counts::new();
    for (name, module, func) in compiled(shaders(&folder.to_string_lossy())) {
        let start = std::time::Instant::now();
        count("elsewhere", &name, &module, func, &mut counts);
        println!("{name}: {:?}", start.elapsed());
    }
    println!("{counts:#?}");
}

#[test]
fn nothing_is_left_but_what_is_allowed() {
    let path = root().join("crates/planish/tests/flatten_oracles.txt");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let allowed: Counts = text
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(name, count)| (name.to_owned(), count.parse().expect("a number")))
        .collect();
    let found = all_counts();
    let mut after = String::new();
    found.iter().for_each(|(name, count)| writeln!(after, "{name} {count}").expect("can be written"));
    let more: Vec<_> = found.iter().filter(|(name, count)| *count > allowed.get(*name).unwrap_or(&0)).collect();
    if std::env::var_os("PLANISH_SHOW").is_some() {
        println!("{after}");
    }
    assert!(more.is_empty(), "more residuals than allowed (PLANISH_SHOW=CHECK shows them): {more:#?}");
    // A share has fewer.
    if after != text && runs_all() {
        assert!(
            std::env::var_os("BLESS").is_some(),
            "fewer residuals than allowed: BLESS=1 takes the rest back\n{after}"
        );
        fs::write(path, after).expect("can be written");
    }
}
