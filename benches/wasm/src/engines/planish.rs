//! Planish: the front end, at some level the optimizer, the virtual machine or machine code. The front end has one thread, but for
//! totals.

use planish_front_wasm::{Options, Parsed};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func as IrFunc;
use planish_ir::function::Body;
use planish_ir::module::Module as IrModule;
use planish_ir::source::SourceMap;
use planish_opt::cost::NATIVE;
use planish_opt::{Context, pipeline, run_passes};
use planish_vm::{Config, Func, Linker, Module, Source, Store, Strategy, TypedFunc};
use sqlite_driver::Machine;

use super::{Engine, Error, Instance, Program};

pub(super) struct Planish {
    name: &'static str,
    level: &'static str,
    when: When,
    strategy: Strategy,
    /// Of the front end; 0: all.
    threads: usize,
}

#[derive(PartialEq, Eq)]
enum When {
    /// All before anything runs.
    Eager,
    /// Validates everything in advance, and translates each function at its first call.
    Checked,
    /// All when a function is called.
    Lazy,
}

impl Planish {
    pub(super) fn eager(level: &'static str) -> Self {
        let name = match level {
            "0" => "planish -O0",
            "1" => "planish -O1",
            _ => "planish -O2",
        };
        Planish { name, level, when: When::Eager, strategy: Strategy::Vm, threads: 1 }
    }

    pub(super) fn native(level: &'static str) -> Self {
        let name = match level {
            "0" => "native -O0",
            "1" => "native -O1",
            _ => "native -O2",
        };
        Planish { name, level, when: When::Eager, strategy: Strategy::Native, threads: 1 }
    }

    /// Machine code takes over while programs run.
    pub(super) fn tiered(level: &'static str) -> Self {
        let name = if level == "0" { "tiered -O0" } else { "tiered -O2" };
        Planish { name, level, when: When::Checked, strategy: Strategy::Tiered, threads: 1 }
    }

    /// As a user has it: on all processors, and functions of the virtual machine at their first call.
    pub(super) fn for_totals(self) -> Self {
        let when = if self.strategy == Strategy::Native { When::Eager } else { When::Checked };
        Planish { threads: 0, when, ..self }
    }

    pub(super) fn checked() -> Self {
        Planish { name: "planish, lazy", level: "0", when: When::Checked, strategy: Strategy::Vm, threads: 1 }
    }

    pub(super) fn lazy() -> Self {
        Planish { name: "planish, unchecked", level: "0", when: When::Lazy, strategy: Strategy::Vm, threads: 1 }
    }
}

fn to_error(errors: Vec<Diagnostic>) -> Error {
    errors.first().map_or_else(String::new, |e| e.message.clone()).into()
}

impl Engine for Planish {
    fn name(&self) -> &'static str {
        self.name
    }

    fn load(&self, wasm: &[u8]) -> Result<Box<dyn Program>, Error> {
        let engine = planish_vm::Engine::new(Config::default().strategy(self.strategy));
        let file = SourceMap::new().add_binary("a.wasm", wasm.len()).map_err(|_| "too large")?;
        let options = Options { threads: self.threads, check_lazily: self.when != When::Checked, ..Options::default() };
        let parsed = Parsed::new(&file, wasm, &options).map_err(to_error)?;
        let module = if self.level == "0" {
            // Each function is compiled while its IR is in the caches; there is never a whole module of IR.
            Module::new(&engine, LazySource(parsed))?
        } else {
            let mut module = parsed.into_module().map_err(to_error)?;
            let passes = pipeline(self.level).ok_or("no such level")?;
            let costs = (self.strategy == Strategy::Native).then(|| (&NATIVE).into());
            let options = planish_opt::Options { costs, ..planish_opt::Options::default() };
            run_passes(&mut module, &passes, &mut Context::new(options), &mut |_, _| {});
            Module::new(&engine, module)?
        };
        if self.when == When::Eager {
            module.compile_all()?;
        }
        Ok(Box::new(module))
    }
}

struct LazySource(Parsed);

impl Source for LazySource {
    fn module(&mut self) -> &mut IrModule {
        self.0.module_mut()
    }

    fn provide(&mut self, func: IrFunc) -> Result<(), planish_vm::Error> {
        self.0.translate_function(func).map_err(planish_vm::Error::from)
    }

    fn reuse(&mut self, body: Body) {
        self.0.reuse(body);
    }
}

impl Program for Module {
    fn instantiate(&self) -> Result<Box<dyn Instance>, Error> {
        let mut store = Store::new(self.engine(), ());
        let mut linker = Linker::new();
        for (module, name, ty) in self.imported_funcs() {
            let stub = Func::new(&mut store, ty.clone(), |_, _, _| Err(planish_vm::Error::host("not there")));
            linker.define(module, name, stub);
        }
        let instance = linker.instantiate(&mut store, self)?;
        let run = instance.get_typed_func(&store, "run").ok();
        Ok(Box::new(Running { store, run }))
    }

    fn sqlite(&self) -> Result<Box<dyn Machine>, Error> {
        Ok(Box::new(sqlite_driver::instantiate(self)?))
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
