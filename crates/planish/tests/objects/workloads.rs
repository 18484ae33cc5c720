//! The workloads of `examples/wasm` as objects give what their C sources give.

use std::fmt::Write as _;
use std::fs;

use planish_testkit::folder;

use super::{Project, compile};

#[test]
fn workloads_as_objects_give_what_their_sources_give() {
    let Some(mut project) = Project::new("workloads") else { return };
    let folder = folder("examples/wasm");
    let table = fs::read_to_string(folder.join("workloads.txt")).expect("the table is committed");
    let (mut includes, mut calls, mut want) = (String::new(), String::new(), String::new());
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let [name, size, sum, ..] = words[..] else { panic!("a row has name, size and sum: {row}") };
        let text = fs::read_to_string(folder.join(name).with_extension("wat")).expect("every row has a text");
        for level in ["0", "2"] {
            let prefix = format!("{name}_{level}");
            project.add(&prefix, &compile(&format!("{name}.wat"), &text, level));
            let _ = writeln!(includes, "#include \"{prefix}.h\"");
            let run = format!("{prefix}_run(&i, {size})");
            let _ = writeln!(
                calls,
                "    {{ static {prefix} i; {prefix}_init(&i, 0); show(\"{prefix}\", {run}); {prefix}_free(&i); }}"
            );
            let _ = writeln!(want, "{prefix} {sum}");
        }
    }
    let show = "static void show(const char *name, int64_t sum) { printf(\"%s %lld\\n\", name, (long long)sum); }";
    let program = format!("{includes}#include <stdio.h>\n{show}\nint main(void) {{\n{calls}    return 0;\n}}\n");
    assert_eq!(project.run(&program, true), want);
}
