//! The programs of `tests/ir` are valid, and reading and writing them loses nothing. What they compute is for the
//! evaluator's tests.

use std::fs;

use planish_ir::source::SourceMap;
use planish_ir::text::{parse, parse_str, print};
use planish_ir::verify::verify;
use planish_testkit::files;

#[test]
fn the_programs_are_valid() {
    assert!(files("tests/ir", "ir").len() >= 6);
    for path in files("tests/ir", "ir") {
        let text = fs::read_to_string(&path).expect("readable");
        let mut map = SourceMap::new();
        let file = map.add(path.display().to_string(), text).expect("small");
        let module = match parse(&file) {
            Ok(module) => module,
            Err(errors) => {
                let lines: Vec<String> = errors
                    .iter()
                    .map(|e| format!("{}: {}", map.line_column(e.span.start).map_or(0, |p| p.line), e.message))
                    .collect();
                panic!("{}:\n{}", path.display(), lines.join("\n"));
            }
        };
        let errors: Vec<String> =
            verify(&module).iter().map(|e| format!("{e} at {:?}", map.line_column(e.span.start))).collect();
        assert!(errors.is_empty(), "{}:\n{}", path.display(), errors.join("\n"));
        let printed = print(&module);
        let again = parse_str(&printed).unwrap_or_else(|e| panic!("{e:#?}\n{printed}"));
        assert_eq!(print(&again), printed);
    }
}

#[test]
fn every_run_line_names_a_function_and_its_results() {
    let mut count = 0;
    for path in files("tests/ir", "ir") {
        let text = fs::read_to_string(&path).expect("readable");
        for line in text.lines().filter_map(|l| l.strip_prefix("// run: ")) {
            let (call, results) = line.split_once(") = ").unwrap_or_else(|| panic!("{line}"));
            let (name, _) = call.strip_prefix('@').and_then(|c| c.split_once('(')).unwrap_or_else(|| panic!("{line}"));
            assert!(text.contains(&format!("fn @{name}(")), "{line}");
            assert!(!results.is_empty(), "{line}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}
