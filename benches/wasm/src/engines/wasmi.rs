//! wasmi, with its default settings except for lazy translation.

use sqlite_driver::{Machine, Value, answer};
use wasmi::{
    AsContextMut, Caller, CompilationMode, Config, Extern, ExternType, Func, Linker, Memory, Module, Store, TypedFunc,
    Val,
};

use super::{Engine, Error, Instance, Program};

pub(super) struct Wasmi {
    name: &'static str,
    mode: CompilationMode,
}

impl Wasmi {
    pub(super) fn eager() -> Self {
        Wasmi { name: "wasmi", mode: CompilationMode::Eager }
    }

    /// Validates everything in advance, and translates each function at its first call.
    pub(super) fn checked() -> Self {
        Wasmi { name: "wasmi, lazy", mode: CompilationMode::LazyTranslation }
    }

    /// Does both when functions are called.
    pub(super) fn lazy() -> Self {
        Wasmi { name: "wasmi, unchecked", mode: CompilationMode::Lazy }
    }
}

impl Engine for Wasmi {
    fn name(&self) -> &'static str {
        self.name
    }

    fn load(&self, wasm: &[u8]) -> Result<Box<dyn Program>, Error> {
        let mut config = Config::default();
        config.compilation_mode(self.mode);
        Ok(Box::new(Module::new(&wasmi::Engine::new(&config), wasm)?))
    }
}

impl Program for Module {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Error> {
        let stub = |_: Caller<'_, ()>, _: &str, _: &[Val], _: &mut [Val]| Err(wasmi::Error::new("not there"));
        let (store, instance) = instantiate(self, stub)?;
        let run = instance.get_typed_func(&store, "run").ok();
        Ok(Box::new(Running { store, run }))
    }

    fn sqlite(&self) -> Result<Box<dyn Machine>, Error> {
        let (store, instance) = instantiate(self, import)?;
        let memory = instance.get_memory(&store, "memory").ok_or("no memory is exported")?;
        Ok(Box::new(Sqlite { bytes: Bytes(store, memory), instance }))
    }
}

/// Implementation of the imported function of a name.
type Import = fn(Caller<'_, ()>, &str, &[Val], &mut [Val]) -> Result<(), wasmi::Error>;

fn instantiate(module: &Module, import: Import) -> Result<(Store<()>, wasmi::Instance), Error> {
    let mut store = Store::new(module.engine(), ());
    let mut linker = Linker::new(module.engine());
    for item in module.imports() {
        let ExternType::Func(ty) = item.ty() else { return Err("only functions can be imported".into()) };
        let own = item.name().to_string();
        let func =
            Func::new(&mut store, ty.clone(), move |caller, args, results| import(caller, &own, args, results));
        // Repeated imports are defined once.
        let _ = linker.define(item.module(), item.name(), Extern::Func(func));
    }
    let instance = linker.instantiate_and_start(&mut store, module)?;
    Ok((store, instance))
}

fn import(caller: Caller<'_, ()>, name: &str, args: &[Val], results: &mut [Val]) -> Result<(), wasmi::Error> {
    let memory = caller.get_export("memory").and_then(Extern::into_memory);
    let memory = memory.ok_or_else(|| wasmi::Error::new("no memory is exported"))?;
    let args: Vec<i64> = args.iter().map(|arg| arg.i64().or(arg.i32().map(i64::from)).unwrap_or(0)).collect();
    let value = match answer(&mut Bytes(caller, memory), name, &args).map_err(wasmi::Error::new)? {
        Value::I32(value) => Val::I32(value),
        Value::F64(value) => Val::F64(value.into()),
    };
    results.iter_mut().for_each(|result| *result = value.clone());
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
    instance: wasmi::Instance,
}

impl Machine for Sqlite {
    fn memory(&mut self) -> &mut dyn sqlite_driver::Memory {
        &mut self.bytes
    }

    fn call(&mut self, name: &str, args: &[i32]) -> Result<i32, String> {
        let store = &mut self.bytes.0;
        let func = self.instance.get_func(&*store, name).ok_or(format!("no function is exported as `{name}`"))?;
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
        Ok(self.run.ok_or("no `run`")?.call(&mut self.store, size)?)
    }
}
