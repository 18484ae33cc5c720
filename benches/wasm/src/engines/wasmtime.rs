//! wasmtime, on one thread: native code by Cranelift, and Pulley, its interpreter.

use sqlite_driver::{Machine, Value, answer};
use wasmtime::{AsContextMut, Caller, Config, Extern, ExternType, Linker, Memory, Module, Store, TypedFunc, Val};

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

    fn sqlite(&self) -> Result<Box<dyn Machine>, Error> {
        let mut store = Store::new(self.engine(), ());
        let mut linker = Linker::new(self.engine());
        for item in self.imports() {
            let ExternType::Func(ty) = item.ty() else { return Err("only functions can be imported".into()) };
            let own = item.name().to_string();
            let func = move |caller: Caller<'_, ()>, args: &[Val], results: &mut [Val]| {
                import(caller, &own, args, results).map_err(wasmtime::Error::msg)
            };
            linker.func_new(item.module(), item.name(), ty, func).map_err(|e| e.to_string())?;
        }
        let instance = linker.instantiate(&mut store, self).map_err(|e| e.to_string())?;
        let memory = instance.get_memory(&mut store, "memory").ok_or("no memory is exported")?;
        Ok(Box::new(Sqlite { bytes: Bytes(store, memory), instance }))
    }
}

fn import(mut caller: Caller<'_, ()>, name: &str, args: &[Val], results: &mut [Val]) -> Result<(), String> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory).ok_or("no memory is exported")?;
    let args: Vec<i64> = args.iter().map(|arg| arg.i64().or(arg.i32().map(i64::from)).unwrap_or(0)).collect();
    let value = match answer(&mut Bytes(caller, memory), name, &args)? {
        Value::I32(value) => Val::I32(value),
        Value::F64(value) => Val::F64(value.to_bits()),
    };
    results.iter_mut().for_each(|result| *result = value);
    Ok(())
}

/// A memory, with the store that it is in.
struct Bytes<C>(C, Memory);

impl<C: AsContextMut> sqlite_driver::Memory for Bytes<C> {
    fn read(&self, at: u32, bytes: &mut [u8]) -> Result<(), String> {
        self.1.read(&self.0, at as usize, bytes).map_err(|e| e.to_string())
    }

    fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), String> {
        self.1.write(&mut self.0, at as usize, bytes).map_err(|e| e.to_string())
    }

    fn pages(&self) -> u32 {
        self.1.size(&self.0) as u32
    }

    fn grow(&mut self, pages: u32) -> bool {
        self.1.grow(&mut self.0, pages.into()).is_ok()
    }
}

struct Sqlite {
    bytes: Bytes<Store<()>>,
    instance: wasmtime::Instance,
}

impl Machine for Sqlite {
    fn memory(&mut self) -> &mut dyn sqlite_driver::Memory {
        &mut self.bytes
    }

    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String> {
        let store = &mut self.bytes.0;
        let func = self.instance.get_func(&mut *store, name).ok_or(format!("no function is exported as `{name}`"))?;
        let args: Vec<Val> = args.iter().map(|&arg| Val::I32(arg)).collect();
        let mut results = vec![Val::I32(0); func.ty(&*store).results().len()];
        func.call(store, &args, &mut results).map_err(|e| format!("{name}: {e}"))?;
        Ok(results.first().and_then(Val::i32).unwrap_or(0))
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
