//! The workloads of `examples/wasm` as objects give what their C sources give.

use std::fmt::Write as _;
use std::fs;

use planish_testkit::{folder, runs_all};

use super::{Form, Project, compile};

#[test]
fn workloads_as_objects_give_what_their_sources_give() {
    for mut project in Project::in_each_form("workloads") {
        let folder = folder("examples/wasm");
        let table = fs::read_to_string(folder.join("workloads.txt")).expect("the table is committed");
        let (mut includes, mut calls, mut want) = (String::new(), String::new(), String::new());
        for row in table.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = row.split_whitespace().collect();
            let [name, size, sum, ..] = words[..] else { panic!("a row has name, size and sum: {row}") };
            let text = fs::read_to_string(folder.join(name).with_extension("wat")).expect("every row has a text");
            for level in ["0", "2"] {
                let prefix = format!("{name}_{level}");
                // (C at both levels takes half a minute.)
                if project.form == Form::C && level == "0" && !runs_all() {
                    continue;
                }
                let source = compile(&format!("{name}.wat"), &text, level);
                if project.form == Form::C
                    && let Err(errors) = source.source_in_c(&prefix)
                {
                    assert!(errors.iter().all(|e| e.message.contains("vectors of 128 bits")), "{name}: {errors:?}");
                    continue;
                }
                project.add(&prefix, &source);
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
        assert!(want.lines().count() > 10, "{want}");
        assert_eq!(project.run(&program, true), want);
    }
}
