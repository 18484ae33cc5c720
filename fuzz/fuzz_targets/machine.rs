//! `cargo fuzz run machine`: the virtual machine runs modules derived from the fuzzer's bytes.
//!
//! If the first byte is even, `wasm-smith` builds a module from the others: the machine and the evaluator, at -O0 and
//! at -O2, must agree with wasmi (or with V8 if wasmi differs), and the code must pass the checker. Otherwise they are
//! the module, without the first eight bytes of a binary: valid modules must be translated, and run until they trap,
//! end or exhaust their fuel, without a panic.
#![no_main]

use planish_ir::source::SourceMap;
use planish_testkit::has_tool;
use planish_testkit::wasm_random::{engines, modules, second};
use planish_vm::{Config, Engine, Linker, Module, Store, Val};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    match data.split_first() {
        Some((first, rest)) if first % 2 == 0 => compare(rest),
        Some((_, rest)) => survive(rest),
        None => {}
    }
});

fn compare(bytes: &[u8]) {
    let Some(wasm) = modules::module(bytes) else { return };
    let expected = engines::wasmi(&wasm).expect("wasmi takes what the generator makes");
    for (engine, see) in engines::OURS {
        let seen = see(&wasm).unwrap_or_else(|error| panic!("{engine}: {error}"));
        let Some(text) = modules::difference(&expected, &seen) else { continue };
        // Each process of the fuzzer has a directory of its own for its requests.
        let folder = std::env::temp_dir().join(format!("planish-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a fuzzer may write there");
        let told = has_tool("node").then(|| second::judge(&folder, &[&wasm]).remove(0));
        let is_right = matches!(&told, Some(Ok(told)) if second::differs(told, &seen).is_none());
        if !is_right && !engines::leaves_bits_open(&wasm) {
            panic!("{engine}, {text}");
        }
    }
}

fn survive(bytes: &[u8]) {
    let wasm = [b"\0asm\x01\0\0\0", bytes].concat();
    let file = SourceMap::new().add_binary("fuzz.wasm", wasm.len()).expect("small");
    let options = planish_front_wasm::Options { threads: 1, ..Default::default() };
    let Ok((module, _)) = planish_front_wasm::translate(&file, &wasm, &options) else { return };
    let mut config = Config::default();
    let engine = Engine::new(config.consume_fuel(true).memory_limit(16).table_limit(1000));
    let Ok(module) = Module::new(&engine, module) else { return };
    let _ = module.compile_all();
    let mut store = Store::new(&engine, ());
    store.set_fuel(10_000);
    let Ok(instance) = Linker::new().instantiate(&mut store, &module) else { return };
    for (name, ty) in module.exported_funcs() {
        let func = instance.get_func(&store, name).expect("it is exported");
        let args: Vec<Val> = ty.params().iter().map(|&ty| Val::default_of(ty)).collect();
        let mut results: Vec<Val> = ty.results().iter().map(|&ty| Val::default_of(ty)).collect();
        store.set_fuel(10_000);
        let _ = func.call(&mut store, &args, &mut results);
    }
}
