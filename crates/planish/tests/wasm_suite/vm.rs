//! The virtual machine as an engine.

use planish::module::Module;
use planish::vm::{
    self, Error, Extern, ExternRef, FuncType, Global, Instance, Linker, Memory, Store, Table, Val, ValType,
};

use super::engine::{Engine, Failure, Outcome, Value};

/// A store, and what modules may import.
pub(crate) struct Vm {
    store: Store<()>,
    linker: Linker<()>,
    instances: Vec<Instance>,
}

impl Engine for Vm {
    const NAME: &'static str = "vm";

    fn new() -> Self {
        let mut store = Store::new(&vm::Engine::default(), ());
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

fn to_val(value: Value) -> Val {
    match value {
        Value::I32(x) => Val::I32(x as i32),
        Value::I64(x) => Val::I64(x as i64),
        Value::F32(x) => Val::F32(x),
        Value::F64(x) => Val::F64(x),
        Value::V128(x) => Val::V128(x),
        // Scripts can only hand over null.
        Value::Func(_) => Val::FuncRef(None),
        Value::Extern(x) => Val::ExternRef(x.map(ExternRef)),
    }
}

fn from_val(value: Val) -> Value {
    match value {
        Val::I32(x) => Value::I32(x as u32),
        Val::I64(x) => Value::I64(x as u64),
        Val::F32(x) => Value::F32(x),
        Val::F64(x) => Value::F64(x),
        Val::V128(x) => Value::V128(x),
        Val::FuncRef(x) => Value::Func(x.is_some()),
        Val::ExternRef(x) => Value::Extern(x.map(|x| x.0)),
    }
}

/// The host's module of the suite.
fn spectest(store: &mut Store<()>) -> Linker<()> {
    use ValType::{F32, F64, I32, I64};
    let mut linker = Linker::new();
    let prints: [(&str, &[ValType]); 7] = [
        ("print", &[]),
        ("print_i32", &[I32]),
        ("print_i64", &[I64]),
        ("print_f32", &[F32]),
        ("print_f64", &[F64]),
        ("print_i32_f32", &[I32, F32]),
        ("print_f64_f64", &[F64, F64]),
    ];
    for (name, params) in prints {
        let ty = FuncType::new(params.iter().copied(), []);
        // One function, also for those who compare what they import.
        linker.define("spectest", name, vm::Func::new(&mut *store, ty, |_, _, _| Ok(())));
    }
    let globals = [
        ("global_i32", Val::I32(666)),
        ("global_i64", Val::I64(666)),
        ("global_f32", Val::F32(666.6f32.to_bits())),
        ("global_f64", Val::F64(666.6f64.to_bits())),
    ];
    for (name, value) in globals {
        linker.define("spectest", name, Global::new(&mut *store, value, false));
    }
    let table = Table::new(&mut *store, 10, Some(20), Val::FuncRef(None)).expect("small");
    linker.define("spectest", "table", table);
    linker.define("spectest", "memory", Memory::new(&mut *store, 1, Some(2)).expect("small"));
    linker
}
