//! The virtual machine, machine code, and both as engines.

use planish::module::Module;
use planish::vm::{
    self, Error, Extern, ExternRef, FuncType, Global, Instance, Linker, Memory, Store, Strategy, Table, Val,
};

use super::spectest::{GLOBALS, MEMORY, PRINTS, TABLE, conversions};
use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};

/// A store, and what modules may import, for one of [`STRATEGIES`].
pub(crate) struct Vm<const STRATEGY: usize> {
    store: Store<()>,
    linker: Linker<()>,
    instances: Vec<Instance>,
}

/// Means to run programs, with their names.
const STRATEGIES: [(&str, Strategy); 3] =
    [("vm", Strategy::Vm), ("native", Strategy::Native), ("tiers", Strategy::Tiered)];

impl<const STRATEGY: usize> Engine for Vm<STRATEGY> {
    const NAME: &'static str = STRATEGIES[STRATEGY].0;

    fn new() -> Self {
        let mut config = vm::Config::default();
        // The second call of a function has machine code.
        config.strategy(STRATEGIES[STRATEGY].1).tier_threshold(2).tiers_in_background(false);
        let mut store = Store::new(&vm::Engine::new(&config), ());
        let linker = spectest(&mut store);
        Vm { store, linker, instances: vec![] }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        let module = vm::Module::new(self.store.engine(), module.clone()).map_err(failure)?;
        let instance = self.linker.instantiate(&mut self.store, &module).map_err(failure)?;
        self.instances.push(instance);
        Ok(self.instances.len() - 1)
    }

    fn register(&mut self, name: &str, instance: usize) {
        self.linker.instance(&self.store, name, self.instances[instance]);
    }

    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>> {
        let Some(func) = self.instances[instance].get_func(&self.store, name) else {
            return Err(Failure::Broken(format!("no function {name}")));
        };
        let args: Vec<Val> = args.iter().map(|&arg| to_val(arg)).collect();
        let mut results = vec![Val::I32(0); func.ty(&self.store).results().len()];
        func.call(&mut self.store, &args, &mut results).map_err(failure)?;
        Ok(results.into_iter().map(from_val).collect())
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        match self.instances[instance].get_export(&self.store, name) {
            Some(Extern::Global(global)) => Ok(from_val(global.get(&self.store))),
            _ => Err(Failure::Broken(format!("no global {name}"))),
        }
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Trap(trap) => Failure::Trap(trap.kind),
        Error::Link { .. } => Failure::Unlinkable(error.to_string()),
        other => Failure::Broken(other.to_string()),
    }
}

conversions!(|x: Option<u32>| x.map(ExternRef), |x: Option<ExternRef>| x.map(|x| x.0));

/// The host's module of the suite.
fn spectest(store: &mut Store<()>) -> Linker<()> {
    let mut linker = Linker::new();
    for (name, params) in PRINTS {
        let ty = FuncType::new(params.iter().copied(), []);
        // One function, also for those who compare what they import.
        linker.define("spectest", name, vm::Func::new(&mut *store, ty, |_, _, _| Ok(())));
    }
    for (name, value) in GLOBALS {
        linker.define("spectest", name, Global::new(&mut *store, to_val(value), false));
    }
    let table = Table::new(&mut *store, TABLE.0, Some(TABLE.1), Val::FuncRef(None)).expect("small");
    linker.define("spectest", "table", table);
    linker.define("spectest", "memory", Memory::new(&mut *store, MEMORY.0, Some(MEMORY.1)).expect("small"));
    linker
}
