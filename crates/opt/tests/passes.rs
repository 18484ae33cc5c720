//! File tests of the passes: `passes/PASS/CASE.ir` holds a module, a line `// after`, and the module that the pass makes
//! of it. `BLESS=1` rewrites what stands after that line. A first line `// costs: NAME` chooses the table of costs.

use std::fs;
use std::path::{Path, PathBuf};

use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;
use planish_opt::cost::CostTable;
use planish_opt::restage::{Identity, restage};
use planish_opt::{Context, Options, PASSES, pipeline, run_passes};

const AFTER: &str = "// after\n";

fn cases() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    let mut cases = Vec::new();
    for folder in fs::read_dir(root).expect("the folder is there").map(|e| e.expect("can be listed").path()) {
        let pass = folder.file_name().expect("has a name").to_string_lossy().into_owned();
        for case in fs::read_dir(&folder).expect("can be listed") {
            cases.push((pass.clone(), case.expect("can be listed").path()));
        }
    }
    cases.sort();
    cases
}

/// What the passes are told where a case begins like this.
fn told(case: &str) -> Context {
    let named = |name| CostTable::named(name).unwrap_or_else(|| panic!("there is no table {name}"));
    let costs = case.lines().next().and_then(|line| line.strip_prefix("// costs: ")).map(named);
    Context::new(Options { costs, ..Options::default() })
}

#[test]
fn each_pass_makes_what_its_files_say() {
    let mut failures = Vec::new();
    for (pass, path) in cases() {
        let text = fs::read_to_string(&path).expect("can be read");
        let (before, expected) = text.split_once(AFTER).unwrap_or((&text, ""));
        let mut module = parse_str(before).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        assert_eq!(verify(&module), [], "{}", path.display());
        let pass = PASSES.iter().find(|p| p.name == pass).unwrap_or_else(|| panic!("there is no pass {pass}"));
        run_passes(&mut module, &[pass], &mut told(&text), &mut |_, _| {});
        assert_eq!(verify(&module), [], "{}", path.display());
        let after = print(&module);
        if after == expected {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, format!("{before}{AFTER}{after}")).expect("can be written");
        } else {
            failures.push(format!("{}\n--- expected\n{expected}\n+++ got\n{after}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_pass_has_a_case() {
    let cases = cases();
    for pass in PASSES {
        assert!(cases.iter().any(|(name, _)| name == pass.name), "passes/{} is missing", pass.name);
    }
}

/// A pass that runs twice finds nothing the second time, and copying changes nothing.
#[test]
fn passes_are_idempotent_and_restaging_copies() {
    for (pass, path) in cases() {
        let text = fs::read_to_string(&path).expect("can be read");
        let (_, after) = text.split_once(AFTER).expect("has been blessed");
        let mut module = parse_str(after).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        let pass = PASSES.iter().find(|p| p.name == pass).expect("has been checked");
        run_passes(&mut module, &[pass], &mut told(&text), &mut |_, _| {});
        assert_eq!(print(&module), after, "{}: twice", path.display());
        let funcs: Vec<_> = module.funcs.keys().collect();
        for func in funcs {
            restage(&mut module, func, planish_ir::builder::Policy::PLAIN, &mut Identity);
        }
        assert_eq!(print(&module), after, "{}: copied", path.display());
    }
}

/// Passes that have nothing to do, and functions that a rewrite would leave as they are, are skipped. By itself, with nothing
/// known of those before it, no pass skips anything.
#[test]
fn what_is_skipped_would_have_changed_nothing() {
    let passes = pipeline("2").expect("it is a level");
    let mut skipped = 0;
    for (_, path) in cases() {
        let text = fs::read_to_string(&path).expect("can be read");
        let (before, _) = text.split_once(AFTER).expect("has been blessed");
        let together = &mut parse_str(before).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        let alone = &mut together.clone();
        let mut context = told(&text);
        run_passes(together, &passes, &mut context, &mut |_, _| {});
        passes.iter().for_each(|pass| run_passes(alone, &[pass], &mut told(&text), &mut |_, _| {}));
        assert_eq!(print(together), print(alone), "{}", path.display());
        skipped += context.stats.iter().filter(|(_, name, _)| *name == "FunctionsSettled").map(|s| s.2).sum::<u64>();
    }
    assert!(skipped > 10, "only {skipped} functions");
}
