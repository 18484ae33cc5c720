//! File tests of the stages: `stages/STAGE/CASE.ir` holds a module, the line `// strict` and what the stage makes of its last
//! function, and the line `// fast` and the same under fast-math. `BLESS=1` rewrites what stands after these lines.

use std::fs;
use std::path::{Path, PathBuf};

use planish_flatten::{Options, stage};
use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;

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

/// What a stage makes of the last function of a module, as text; an error as its message.
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
    let once = print(&module);
    (stage.run)(&mut module, func, &options).expect("what could be done once can be done twice");
    assert_eq!(print(&module), once, "{}: twice", path.display());
    once
}

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
