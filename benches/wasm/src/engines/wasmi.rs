//! wasmi, with the settings that it has by default but for when it translates.

use wasmi::{CompilationMode, Config, Extern, ExternType, Func, Linker, Module, Store, TypedFunc, Val};

use super::{Engine, Error, Instance, Program};

pub(super) struct Wasmi {
    name: &'static str,
    mode: CompilationMode,
}

impl Wasmi {
    pub(super) fn eager() -> Self {
        Wasmi { name: "wasmi", mode: CompilationMode::Eager }
    }

    /// Validates all, translates when functions are called.
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
        let mut store = Store::new(self.engine(), ());
        let mut linker = Linker::new(self.engine());
        for import in self.imports() {
            let ExternType::Func(ty) = import.ty() else { return Err("only functions can be imported".into()) };
            let stub = |_: wasmi::Caller<'_, ()>, _: &[Val], _: &mut [Val]| Err(wasmi::Error::new("not there"));
            let func = Func::new(&mut store, ty.clone(), stub);
            // What is imported twice is defined once.
            let _ = linker.define(import.module(), import.name(), Extern::Func(func));
        }
        let instance = linker.instantiate_and_start(&mut store, self)?;
        let run = instance.get_typed_func(&store, "run").ok();
        Ok(Box::new(Running { store, run }))
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
