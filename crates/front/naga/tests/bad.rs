//! Programs that are wrong, each with the code, line and column of its first error on its first line.

use planish_ir::source::SourceMap;

use crate::common;

#[test]
fn wrong_programs_are_told_about_where_they_are_wrong() {
    let mut failures = Vec::new();
    let programs = common::programs("bad", "wgsl");
    assert!(programs.len() >= 20);
    for (name, text) in programs {
        let expected = text.lines().next().and_then(|l| l.strip_prefix("// ")).expect("what is expected").to_owned();
        let mut map = SourceMap::new();
        let file = map.add(name.as_str(), text).expect("small");
        let Err(diagnostics) = planish_front_naga::read_wgsl(&file, &[]) else {
            failures.push(format!("{name}: is read"));
            continue;
        };
        let said = common::describe(&map, &diagnostics);
        if !said.starts_with(&format!("{expected} ")) {
            failures.push(format!("{name}: expected {expected}, said {said}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
