//! Quality of the code as a committed table, so that changes appear as diffs. `BLESS=1` rewrites it.

use std::fmt::Write;

use planish_ir::module::Module;
use planish_machine::reference::Directive;
use planish_testkit::committed;
use planish_testkit::random_programs::generate;
use planish_testkit::run_lines::programs;

use crate::common;

fn rows(module: &Module, out: &mut String) -> [usize; 4] {
    let mut sum = [0; 4];
    for asm in common::compile_all(module).into_iter().flatten() {
        let count = |test: fn(&Directive) -> bool| asm.directives.iter().filter(|d| test(d)).count();
        let row = [
            asm.frame as usize,
            count(|d| !matches!(d, Directive::Label(_))),
            count(|d| matches!(d, Directive::Copy { .. })),
            count(|d| matches!(d, Directive::Call { .. } | Directive::TailCall { .. })),
        ];
        let [frame, directives, copies, calls] = row;
        let name = &module.funcs[asm.func].name.text;
        let _ = writeln!(out, "  {name:24} {frame:4} {directives:4} {copies:4} {calls:4}");
        sum.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
    }
    sum
}

#[test]
fn registers_and_copies_are_as_committed() {
    let mut out = String::from("function                frame code copies calls\n");
    for (name, _, module) in programs() {
        if name != "floating" {
            let _ = writeln!(out, "{name}");
            rows(&module, &mut out);
        }
    }
    let mut sum = [0; 4];
    for seed in 1..=50 {
        let rows = rows(&generate(seed, 40), &mut String::new());
        sum.iter_mut().zip(rows).for_each(|(sum, n)| *sum += n);
    }
    let [frame, directives, copies, calls] = sum;
    let _ = writeln!(out, "200 random functions\n  {:24} {frame:4} {directives:4} {copies:4} {calls:4}", "in all");
    committed("crates/machine/tests/quality.txt", &out);
}
