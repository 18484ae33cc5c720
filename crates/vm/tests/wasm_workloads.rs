//! The workloads of `examples/wasm` give what their C sources give, compiled for the machine.

use std::fs;

use planish_ir::source::SourceMap;
use planish_testkit::{committed, files, folder};
use planish_vm::{Config, Engine, Linker, Module, Store, Strategy};

/// A row of `examples/wasm/workloads.txt`.
struct Workload {
    name: String,
    wat: String,
    /// A small size and the result of `run` for it.
    small: (i32, i64),
}

fn workloads() -> Vec<Workload> {
    let folder = folder("examples/wasm");
    let table = fs::read_to_string(folder.join("workloads.txt")).expect("the table is committed");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut words = row.split_whitespace();
        let mut word = || words.next().expect("five words a row");
        let name = word().to_string();
        let small = (word().parse().expect("a size"), word().parse().expect("a sum"));
        let wat = fs::read_to_string(folder.join(&name).with_extension("wat")).expect("every row has a text");
        Workload { name, wat, small }
    })
    .collect()
}

#[test]
fn every_source_has_a_row() {
    assert_eq!(files("examples/wasm", "c").len(), workloads().len(), "`cargo xtask workloads` makes the rows");
}

#[test]
fn wasmi_agrees() {
    for Workload { name, wat, small: (size, sum) } in workloads() {
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, wat).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut store = wasmi::Store::new(&engine, ());
        let instance =
            wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module).expect("it imports nothing");
        let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("every workload has it");
        assert_eq!(run.call(&mut store, size).expect("no workload traps"), sum, "{name} at {size}");
    }
}

fn read(name: &str, wat: &str, level: &str) -> planish_ir::module::Module {
    let file = SourceMap::new().add(name, wat).expect("small");
    let read = planish_front_wasm::translate(&file, wat.as_bytes(), &planish_front_wasm::Options::default());
    let (mut module, _) = read.unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
    let passes = planish_opt::pipeline(level).expect("a level");
    let mut context = planish_opt::Context::new(planish_opt::Options::default());
    planish_opt::run_passes(&mut module, &passes, &mut context, &mut |_, _| {});
    assert_eq!(planish_ir::verify::verify(&module), [], "{name} at -O{level}");
    module
}

fn agrees(config: &Config, levels: &[&str]) {
    for Workload { name, wat, small: (size, sum) } in workloads() {
        for level in levels {
            let engine = Engine::new(config);
            let module = Module::new(&engine, read(&name, &wat, level)).unwrap_or_else(|e| panic!("{name}: {e}"));
            module.check().unwrap_or_else(|problems| panic!("{name} at -O{level}: {problems}"));
            let mut store = Store::new(&engine, ());
            let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
            let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("every workload has it");
            assert_eq!(run.call(&mut store, size).expect("no workload traps"), sum, "{name} at {size}, -O{level}");
        }
    }
}

#[test]
fn the_virtual_machine_agrees() {
    agrees(&Config::default(), &["0", "1", "2", "s"]);
}

#[test]
fn the_virtual_machine_that_can_be_interrupted_agrees() {
    agrees(Config::default().interruptible(true), &["0", "2"]);
}

#[test]
fn machine_code_agrees() {
    agrees(Config::default().strategy(Strategy::Native), &["0", "2"]);
}

#[test]
fn tiers_agree() {
    for threshold in [1, 100, 3000] {
        let mut config = Config::default();
        agrees(config.strategy(Strategy::Tiered).tier_threshold(threshold).tiers_in_background(false), &["0", "2"]);
    }
    // Machine code takes over at some time, or never.
    agrees(Config::default().strategy(Strategy::Tiered), &["0", "2"]);
}

/// Number of instructions of a run at the small size, counted by fuel.
fn instructions(workload: &Workload, level: &str) -> u64 {
    const TANK: u64 = 1 << 40;
    let mut config = Config::default();
    config.consume_fuel(true);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, read(&workload.name, &workload.wat, level)).expect("it has become code before");
    let mut store = Store::new(&engine, ());
    store.set_fuel(TANK);
    let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
    let run = instance.get_typed_func::<i32, i64>(&store, "run").expect("every workload has it");
    run.call(&mut store, workload.small.0).expect("no workload traps");
    TANK - store.fuel()
}

/// The table of instruction counts is as committed, and the optimizer does not increase their geometric mean.
#[test]
fn instructions_are_as_committed() {
    let mut table = String::from("workload           -O0        -O2\n");
    let mut logarithms = 0.0;
    for workload in workloads() {
        let [plain, optimized] = ["0", "2"].map(|level| instructions(&workload, level));
        table.push_str(&format!("{:12} {plain:9}  {optimized:9}\n", workload.name));
        logarithms += (optimized as f64 / plain as f64).ln();
    }
    committed("crates/vm/tests/instructions.txt", &table);
    assert!(logarithms < 0.0, "-O2 makes the workloads longer");
}

#[test]
fn the_evaluator_agrees() {
    use planish_eval::world::{Val, World};
    for Workload { name, wat, small: (size, sum) } in workloads() {
        let module = read(&name, &wat, "0");
        let mut world = World::new(planish_eval::Limits::default());
        let instance = world.instantiate(&module, |_, _| None).expect("it imports nothing");
        let results = world.invoke(instance, "run", &[Val::I32(size)]).expect("no workload traps");
        assert_eq!(results, [Val::I64(sum)], "{name} at {size}");
    }
}
