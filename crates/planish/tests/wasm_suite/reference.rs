//! The reference as an engine. It knows one instance at a time: modules that import anything but functions of the host are
//! skipped, and so is what follows once a script lets its modules import from each other.

use planish::module::Module;
use planish_reference::{Limits, Reference, Stop, Value as Tree};

use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};

/// The instances of a script.
pub(crate) struct Interpreter {
    instances: Vec<(&'static Module, Reference<'static>)>,
    /// Whether modules may import from others.
    links: bool,
}

/// Why something is not run.
pub(crate) const SEVERAL: &str = "it needs several instances";

impl Engine for Interpreter {
    const NAME: &'static str = "reference";

    fn new() -> Self {
        Interpreter { instances: Vec::new(), links: false }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        let imports = module.func_imports.iter().any(|(_, import)| &*import.module != "spectest")
            || module.memories.values().any(|memory| memory.import.is_some())
            || module.tables.values().any(|table| table.import.is_some())
            || module.globals.iter().any(|&v| module.vars[v].linkage.as_ref().is_some_and(|l| l.import.is_some()));
        if imports || self.links {
            return Err(Failure::Skipped(SEVERAL.into()));
        }
        let mut instance = Reference::new(module, Limits::default()).map_err(failure)?;
        instance.provide(|_| Ok(Vec::new()));
        instance.start().map_err(failure)?;
        self.instances.push((module, instance));
        Ok(self.instances.len() - 1)
    }

    fn register(&mut self, _: &str, _: usize) {
        self.links = true;
    }

    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>> {
        self.is_alone()?;
        let (module, instance) = &mut self.instances[instance];
        let entry = module.entry_points.iter().find(|entry| entry.names.iter().any(|n| **n == *name));
        let func = entry.ok_or_else(|| Failure::Broken(format!("no function {name}")))?.func;
        let args: Vec<Tree> = args.iter().map(|&arg| to_tree(arg)).collect();
        let results = instance.call(func, &args).map_err(failure)?;
        Ok(results.iter().map(from_tree).collect())
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        self.is_alone()?;
        let (module, instance) = &self.instances[instance];
        let is_it = |var: &&planish::ir::entity::Var| {
            module.vars[**var].linkage.as_ref().is_some_and(|linkage| linkage.exports.iter().any(|n| **n == *name))
        };
        let var = module.globals.iter().find(is_it).ok_or_else(|| Failure::Broken(format!("no global {name}")))?;
        Ok(from_tree(instance.get(*var)))
    }
}

impl Interpreter {
    fn is_alone(&self) -> Outcome<()> {
        if self.links { Err(Failure::Skipped(SEVERAL.into())) } else { Ok(()) }
    }
}

fn failure(stop: Stop) -> Failure {
    match stop {
        Stop::Trap(kind) => Failure::Trap(kind),
        other => Failure::Broken(other.to_string()),
    }
}

fn to_tree(value: Value) -> Tree {
    match value {
        Value::I32(x) => Tree::I32(x as i32),
        Value::I64(x) => Tree::I64(x as i64),
        Value::F32(x) => Tree::F32(f32::from_bits(x)),
        Value::F64(x) => Tree::F64(f64::from_bits(x)),
        Value::V128(x) => Tree::V128(x),
        // Scripts can only hand over null.
        Value::Func(_) => Tree::FuncRef(None),
        Value::Extern(x) => Tree::ExternRef(x.map(u64::from)),
    }
}

fn from_tree(value: &Tree) -> Value {
    match *value {
        Tree::I32(x) => Value::I32(x as u32),
        Tree::I64(x) => Value::I64(x as u64),
        Tree::F32(x) => Value::F32(x.to_bits()),
        Tree::F64(x) => Value::F64(x.to_bits()),
        Tree::V128(x) => Value::V128(x),
        Tree::FuncRef(x) => Value::Func(x.is_some()),
        Tree::ExternRef(x) => Value::Extern(x.map(|x| x as u32)),
        ref other => panic!("{other:?} is no value of WebAssembly"),
    }
}
