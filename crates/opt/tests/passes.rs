//! File tests of the passes: `passes/PASS/CASE.ir` holds a module, a line `// after`, and the module that the pass makes
//! of it. `BLESS=1` rewrites what stands after that line.

use std::fs;
use std::path::{Path, PathBuf};

use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;
use planish_opt::restage::{Identity, restage};
use planish_opt::{Context, PASSES, run_passes};

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

#[test]
fn each_pass_makes_what_its_files_say() {
    let mut failures = Vec::new();
    for (pass, path) in cases() {
        let text = fs::read_to_string(&path).expect("can be read");
        let (before, expected) = text.split_once(AFTER).unwrap_or((&text, ""));
        let mut module = parse_str(before).unwrap_or_else(|errors| panic!("{}: {errors:#?}", path.display()));
        assert_eq!(verify(&module), [], "{}", path.display());
        let pass = PASSES.iter().find(|p| p.name == pass).unwrap_or_else(|| panic!("there is no pass {pass}"));
        run_passes(&mut module, &[pass], &mut Context::default(), &mut |_, _| {});
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
        run_passes(&mut module, &[pass], &mut Context::default(), &mut |_, _| {});
        assert_eq!(print(&module), after, "{}: twice", path.display());
        let funcs: Vec<_> = module.funcs.keys().collect();
        for func in funcs {
            restage(&mut module, func, planish_ir::builder::Policy::PLAIN, &mut Identity);
        }
        assert_eq!(print(&module), after, "{}: copied", path.display());
    }
}
