//! The evaluator as an engine.

use std::collections::HashMap;

use planish::eval::world::{Extern, FuncType, Instance, InstantiateError, Val, ValType, World};
use planish::eval::{Limits, Stop};
use planish::module::Module;

use super::engine::{Engine, Failure, Outcome, Value};

/// A world, and which of its instances scripts have given names to.
pub(crate) struct Evaluator {
    world: World<'static>,
    host: HashMap<&'static str, Extern>,
    instances: Vec<Instance>,
    registered: HashMap<String, usize>,
}

impl Engine for Evaluator {
    const NAME: &'static str = "evaluator";

    fn new() -> Self {
        let mut world = World::new(Limits::default());
        let host = spectest(&mut world);
        Evaluator { world, host, instances: vec![], registered: HashMap::new() }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        // What is registered is looked up first: the world is borrowed while a module is linked.
        let mut found = HashMap::new();
        for (name, &index) in &self.registered {
            for (export, what) in self.world.exports(self.instances[index]) {
                found.insert((name.clone(), export.to_owned()), what);
            }
        }
        let host = &self.host;
        let find = |module: &str, name: &str| match module {
            "spectest" => host.get(name).copied(),
            _ => found.get(&(module.to_owned(), name.to_owned())).copied(),
        };
        match self.world.instantiate(module, find) {
            Ok(instance) => {
                self.instances.push(instance);
                Ok(self.instances.len() - 1)
            }
            Err(InstantiateError::Link(error)) => Err(Failure::Unlinkable(error.to_string())),
            Err(InstantiateError::Stop(stop)) => Err(failure(stop)),
        }
    }

    fn register(&mut self, name: &str, instance: usize) {
        self.registered.insert(name.to_owned(), instance);
    }

    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>> {
        let args: Vec<Val> = args.iter().map(|&arg| to_val(arg)).collect();
        let results = self.world.invoke(self.instances[instance], name, &args).map_err(failure)?;
        Ok(results.into_iter().map(from_val).collect())
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        match self.world.export(self.instances[instance], name) {
            Some(Extern::Global(global)) => Ok(from_val(self.world.get_global(global))),
            _ => Err(Failure::Broken(format!("no global {name}"))),
        }
    }
}

fn failure(stop: Stop) -> Failure {
    match stop {
        Stop::Trap { kind, .. } => Failure::Trap(kind),
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
        Value::Extern(x) => Val::ExternRef(x),
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
        Val::ExternRef(x) => Value::Extern(x),
    }
}

/// The host's module of the suite.
fn spectest(world: &mut World<'static>) -> HashMap<&'static str, Extern> {
    use ValType::{F32, F64, I32, I64};
    let mut host = HashMap::new();
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
        host.insert(name, world.host_func(FuncType::new(params, []), |_, _| Ok(vec![])));
    }
    let globals = [
        ("global_i32", Val::I32(666)),
        ("global_i64", Val::I64(666)),
        ("global_f32", Val::F32(666.6f32.to_bits())),
        ("global_f64", Val::F64(666.6f64.to_bits())),
    ];
    for (name, value) in globals {
        host.insert(name, world.host_global(value, false).expect("small"));
    }
    host.insert("table", world.host_table(ValType::FuncRef, 10, Some(20)).expect("small"));
    host.insert("memory", world.host_memory(1, Some(2)).expect("small"));
    host
}
