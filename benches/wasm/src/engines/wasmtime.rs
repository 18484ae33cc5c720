//! wasmtime, on one thread: native code by Cranelift, and Pulley, its interpreter.

use wasmtime::{Config, Linker, Module, Store, TypedFunc};

use super::{Engine, Error, Instance, Program};

pub(super) struct Wasmtime {
    name: &'static str,
    target: Option<&'static str>,
}

impl Wasmtime {
    pub(super) fn cranelift() -> Self {
        Wasmtime { name: "cranelift", target: None }
    }

    pub(super) fn pulley() -> Self {
        Wasmtime { name: "pulley", target: Some("pulley64") }
    }
}

impl Engine for Wasmtime {
    fn name(&self) -> &'static str {
        self.name
    }

    fn load(&self, wasm: &[u8]) -> Result<Box<dyn Program>, Error> {
        let mut config = Config::new();
        if let Some(target) = self.target {
            config.target(target).map_err(|e| e.to_string())?;
        }
        let engine = wasmtime::Engine::new(&config).map_err(|e| e.to_string())?;
        Ok(Box::new(Module::new(&engine, wasm).map_err(|e| e.to_string())?))
    }
}

impl Program for Module {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Error> {
        let mut store = Store::new(self.engine(), ());
        let mut linker = Linker::new(self.engine());
        linker.define_unknown_imports_as_traps(self).map_err(|e| e.to_string())?;
        let instance = linker.instantiate(&mut store, self).map_err(|e| e.to_string())?;
        let run = instance.get_typed_func(&mut store, "run").ok();
        Ok(Box::new(Running { store, run }))
    }
}

struct Running {
    store: Store<()>,
    run: Option<TypedFunc<i32, i64>>,
}

impl Instance for Running {
    fn run(&mut self, size: i32) -> Result<i64, Error> {
        let run = self.run.as_ref().ok_or("no `run`")?;
        run.call(&mut self.store, size).map_err(|e| e.to_string().into())
    }
}
