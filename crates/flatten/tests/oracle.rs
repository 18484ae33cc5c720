//! File tests of the checkers: `oracle/CHECK.ir` has functions with the residual and near misses, followed by the findings
//! of both checkers for each function, after `// strict` and `// fast`. `BLESS=1` rewrites these.

use std::fs;
use std::path::{Path, PathBuf};

use planish_flatten::checker::{Residual, fold_checks, fold_residuals, optimize_checks, optimize_residuals};
use planish_flatten::{Options, Visible};
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;
use planish_ir::text::{parse, parse_str};
use planish_ir::verify::verify;

const STRICT: &str = "// strict\n";
const FAST: &str = "// fast\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle")
}

fn residuals(module: &Module, func: Func, options: &Options) -> Vec<Residual> {
    let mut all = fold_residuals(module, func, options);
    all.extend(optimize_residuals(module, func, options));
    all
}

/// A line for each residual of each function, and the functions without any.
fn report(module: &Module, fast_math: bool) -> (String, Vec<String>) {
    let options = Options { fast_math, ..Options::default() };
    let (mut text, mut clean) = (String::new(), Vec::new());
    for (func, function) in module.funcs.iter() {
        let found = residuals(module, func, &options);
        if found.is_empty() {
            clean.push(function.name.text.to_string());
        }
        for Residual { check, node, description, .. } in found {
            text += &format!("// @{}: {check}: {node}: {description}\n", function.name.text);
        }
    }
    (text, clean)
}

#[test]
fn each_check_finds_what_its_file_says_and_leaves_the_near_misses_alone() {
    let mut failures = Vec::new();
    for check in fold_checks().chain(optimize_checks()) {
        let path = folder().join(check).with_extension("ir");
        let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{check} has no file {}", path.display()));
        let before = text.split(STRICT).next().expect("the functions come first");
        let module = parse_str(before).unwrap_or_else(|errors| panic!("{check}: {errors:#?}"));
        assert_eq!(verify(&module), [], "{check}");
        let ((strict, clean), (fast, clean_fast)) = (report(&module, false), report(&module, true));
        let found = format!("{before}{STRICT}{strict}{FAST}{fast}");
        let itself = format!(": {check}: ");
        if !strict.contains(&itself) && !fast.contains(&itself) {
            failures.push(format!("{check}: nothing in its file has it\n{found}"));
        }
        if !clean.iter().any(|name| clean_fast.contains(name)) {
            failures.push(format!("{check}: no near miss in its file is clean\n{found}"));
        }
        let named_clean = |name: &str| name.starts_with("clean");
        let not_clean = |list: &[String]| {
            module.funcs.values().any(|f| named_clean(&f.name.text) && !list.contains(&f.name.text.to_string()))
        };
        if not_clean(&clean) || not_clean(&clean_fast) {
            failures.push(format!("{check}: what is named clean is not\n{found}"));
        }
        if found != text {
            if std::env::var_os("BLESS").is_some() {
                fs::write(&path, found).expect("can be written");
            } else {
                failures.push(format!("{}\n--- expected\n{text}\n+++ got\n{found}", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_file_is_of_a_check() {
    for entry in fs::read_dir(folder()).expect("can be listed") {
        let path = entry.expect("can be listed").path();
        let name = path.file_stem().expect("has a name").to_string_lossy().into_owned();
        assert!(fold_checks().chain(optimize_checks()).any(|c| c == name), "{}", path.display());
    }
}

#[test]
fn a_residual_points_at_its_source() {
    let mut map = SourceMap::new();
    let file =
        map.add("f.ir", "module ir\nfn @f(%0 x: f32) -> (f32) {\nb0:\n  %1 = multiply %0, 1.0\n  return %1\n}\n");
    let module = parse(&file.expect("is small")).expect("can be read");
    let func = module.funcs.keys().next().expect("has a function");
    let [residual] = &fold_residuals(&module, func, &Options::default())[..] else { panic!("there is one") };
    assert_eq!(map.text(residual.span), "%1 = multiply %0, 1.0");
}

/// Ops that a target lacks are not residuals.
#[test]
fn invisible_ops_are_not_missed() {
    let invisible = Visible::NONE;
    for check in ["multiply_add", "lerp_shape", "lane_sum", "horizontal_sum"] {
        let path = folder().join(check).with_extension("ir");
        let module = parse_str(&fs::read_to_string(path).expect("has a file")).expect("can be read");
        for fast_math in [false, true] {
            let options = Options { fast_math, visible: invisible, ..Options::default() };
            for func in module.funcs.keys() {
                assert!(optimize_residuals(&module, func, &options).iter().all(|r| r.check != check), "{check}");
            }
        }
    }
}

#[test]
fn imported_functions_have_no_residuals() {
    let module = parse_str("module ir\nfn @f(%0 x: f32) -> (f32)\nimport @f \"m\" \"f\"\n").expect("can be read");
    let func = module.funcs.keys().next().expect("has a function");
    assert_eq!(residuals(&module, func, &Options::default()), []);
}

/// Time that grows with the square of the length would not end here.
#[test]
fn long_functions_are_looked_at_once() {
    const LENGTH: usize = 20_000;
    let mut text =
        "module ir\nfn @f(%0 x: f32, %1 y: f32, %2 c: bool, %3 v: vec4) -> (f32, f32, f32, vec4, f32) {\nb0:\n"
            .to_owned();
    let mut at = 3;
    let mut chain = |first: &str, line: &dyn Fn(&str, usize) -> String| {
        let mut last = first.to_owned();
        for i in 0..LENGTH {
            at += 1;
            text += &format!("  %{at} = {}\n", line(&last, i));
            last = format!("%{at}");
        }
        last
    };
    let sum = chain("%0", &|last, i| format!("{} {last}, {i}.5", ["add", "subtract"][i % 2]));
    let product = chain("%0", &|last, i| format!("multiply_add {last}, %1, {i}.25"));
    let choice = chain("%0", &|last, _| format!("select %2, {last}, %1"));
    let inserted = chain("%3", &|last, i| format!("insert_vector_component[{}] {last}, %1", i % 4));
    let shared = chain("%0", &|last, _| format!("add {last}, {last}"));
    text += &format!("  return {sum}, {product}, {choice}, {inserted}, {shared}\n}}\n");
    let module = parse_str(&text).expect("can be read");
    let func = module.funcs.keys().next().expect("has a function");
    for fast_math in [false, true] {
        let found = residuals(&module, func, &Options { fast_math, ..Options::default() });
        assert!(found.len() > 2 * LENGTH - 8, "only {}", found.len());
    }
}
