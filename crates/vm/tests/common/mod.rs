//! Support of this crate's tests.
use planish_ir::module::{self as ir, EntryPoint, StageProperties};
use planish_ir::source::SourceMap;
use planish_vm::{Config, Engine, Func, Linker, Module, Store, Strategy, WideVectors};

/// A module out of WebAssembly's text.
pub(crate) fn module(engine: &Engine, wat: &str) -> Module {
    Module::new(engine, read(wat)).expect("the machine has what WebAssembly has")
}

/// The IR of WebAssembly's text.
pub(crate) fn read(wat: &str) -> ir::Module {
    let file = SourceMap::new().add("test.wat", wat).expect("small");
    let read = planish_front_wasm::translate(&file, wat.as_bytes(), &planish_front_wasm::Options::default());
    read.unwrap_or_else(|errors| panic!("{errors:#?}")).0
}

/// A module out of the text of the IR.
pub(crate) fn ir_module(engine: &Engine, text: &str) -> Module {
    let module = planish_ir::text::parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(planish_ir::verify::verify(&module), []);
    Module::new(engine, exported(module)).expect("the machine has it")
}

/// The module, with every function exported by its number.
pub(crate) fn exported(mut module: ir::Module) -> ir::Module {
    for func in module.funcs.keys().collect::<Vec<_>>() {
        let (names, properties) = (vec![func.as_u32().to_string().into()], StageProperties::default());
        module.entry_points.push(EntryPoint { names, func, stage: None, properties });
    }
    module
}

/// The functions of a new instance of such a module.
pub(crate) fn all_functions(store: &mut Store<()>, module: &Module) -> Vec<Func> {
    let instance = Linker::new().instantiate(&mut *store, module).expect("it imports nothing");
    let exports = instance.exports(&*store).into_iter();
    exports.map(|(_, item)| item.into_func().expect("only functions are exported")).collect()
}

/// The configurations of all engines that run programs: with tiers, functions and loops go on as machine code after a few
/// calls and iterations.
pub(crate) fn all_engines() -> [Config; 6] {
    let of = |strategy| Config::default().strategy(strategy).tiers_in_background(false).clone();
    let tiers = |threshold| of(Strategy::Tiered).tier_threshold(threshold).clone();
    let without_guard_pages = tiers(3).signals_based_traps(false).clone();
    let wide = of(Strategy::Native).wide_vectors(WideVectors::Always).clone();
    [of(Strategy::Vm), of(Strategy::Native), wide, tiers(1), tiers(7), without_guard_pages]
}

/// An engine whose programs burn fuel.
pub(crate) fn engine_with_fuel() -> Engine {
    Engine::new(Config::default().consume_fuel(true))
}
