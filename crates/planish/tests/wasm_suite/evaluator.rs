//! The evaluator as an engine.

use std::collections::HashMap;
use std::convert::identity;

use planish::eval::world::{Extern, FuncType, Instance, InstantiateError, Val, ValType, World};
use planish::eval::{Limits, Stop};
use planish::module::Module;

use super::spectest::{GLOBALS, MEMORY, PRINTS, TABLE, conversions};
use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};

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
        // Registered exports are looked up first: the world is borrowed while a module is linked.
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

conversions!(identity, identity);

/// The host's module of the suite.
fn spectest(world: &mut World<'static>) -> HashMap<&'static str, Extern> {
    let mut host = HashMap::new();
    for (name, params) in PRINTS {
        host.insert(name, world.host_func(FuncType::new(params.iter().copied(), []), |_, _| Ok(vec![])));
    }
    for (name, value) in GLOBALS {
        host.insert(name, world.host_global(to_val(value), false).expect("small"));
    }
    host.insert("table", world.host_table(ValType::FuncRef, TABLE.0, Some(TABLE.1)).expect("small"));
    host.insert("memory", world.host_memory(MEMORY.0, Some(MEMORY.1)).expect("small"));
    host
}
