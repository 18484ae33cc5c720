//! The machine as an engine: one module at a time, and of the host's module the variables, the memory and the table.

use planish_ir::arena::Id;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::{Import, Module};
use planish_ir::ops::Effect;
use planish_ir::text::type_text;
use planish_ir::types::{Scalar, TypeKind};
use zk_machine::{Program, Stop};

use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};

/// The instances of a script.
pub(crate) struct ZkMachine {
    instances: Vec<Instance>,
}

struct Instance {
    module: &'static Module,
    program: Program<'static>,
    /// Whether the script wanted something of it that the machine cannot do, so that it may be in another state than the
    /// script thinks.
    is_lost: bool,
}

impl Instance {
    /// A function could not be called, or stopped halfway. Unless it changes nothing, the script thinks otherwise now.
    fn lose(&mut self, func: Func) {
        self.is_lost |= may_change(self.module, func);
    }

    fn check(&self) -> Outcome<()> {
        if self.is_lost { Err(Failure::Skipped("comes after what could not be done".into())) } else { Ok(()) }
    }
}

impl Engine for ZkMachine {
    const NAME: &'static str = "zk";

    fn new() -> Self {
        ZkMachine { instances: vec![] }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        let mut legal = module.clone();
        // Functions that it cannot express are counted at their calls.
        let _ = zk_machine::legalize(&mut legal);
        let module: &'static Module = Box::leak(Box::new(legal));
        let mut program = Program::compiled(module);
        if let Err(failure) = link(module, &mut program) {
            // It would have got hold of something of theirs.
            self.instances.iter_mut().for_each(|instance| instance.is_lost = true);
            return Err(failure);
        }
        program.set_up().map_err(|stop| failure(&program, stop))?;
        self.instances.push(Instance { module, program, is_lost: false });
        Ok(self.instances.len() - 1)
    }

    fn register(&mut self, _: &str, _: usize) {}

    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>> {
        let instance = &mut self.instances[instance];
        instance.check()?;
        let module = instance.module;
        let entry = module.entry_points.iter().find(|entry| entry.names.iter().any(|n| &**n == name));
        let func = entry.ok_or_else(|| Failure::Broken(format!("no function {name}")))?.func;
        let function = &module.funcs[func];
        let mut words = vec![];
        for arg in args {
            match *arg {
                Value::I32(x) | Value::F32(x) => words.push(x),
                Value::I64(x) | Value::F64(x) => words.extend([x as u32, (x >> 32) as u32]),
                Value::Func(_) => words.push(0),
                Value::V128(_) | Value::Extern(_) => {
                    instance.lose(func);
                    return Err(Failure::Skipped("an argument is a vector or a reference of the host".into()));
                }
            }
        }
        let types: Vec<Type> = function.results.iter().map(|result| result.ty).collect();
        let count = types.iter().map(|&ty| if is_wide(module, ty) { 2 } else { 1 }).sum();
        let results = match instance.program.call(func, &words, count) {
            Ok(results) => results,
            Err(stop) => {
                let failure = failure(&instance.program, stop);
                if matches!(failure, Failure::Skipped(_)) {
                    instance.lose(func);
                }
                return Err(failure);
            }
        };
        let mut words = results.into_iter();
        let mut next = || words.next().expect("as many as there are");
        Ok(types.into_iter().map(|ty| value(module, ty, &mut next)).collect())
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        let instance = &self.instances[instance];
        instance.check()?;
        let (module, program) = (instance.module, &instance.program);
        let is_it = |var: &&Var| module.vars[**var].linkage.iter().any(|l| l.exports.iter().any(|n| &**n == name));
        let var = *module.globals.iter().find(is_it).ok_or_else(|| Failure::Broken(format!("no global {name}")))?;
        let ty = module.vars[var].ty;
        let bits = program.get(var);
        let mut words = [bits as u32, (bits >> 32) as u32].into_iter();
        Ok(value(module, ty, &mut || words.next().expect("two")))
    }
}

/// Gives a module what it imports from the host's module.
fn link(module: &Module, program: &mut Program<'_>) -> Outcome<()> {
    let others = || Err(Failure::Skipped("imports from another module, or that do not fit".into()));
    let fits = |import: &Import, names: &[&str]| &*import.module == "spectest" && names.contains(&&*import.name);
    for (func, import) in &module.func_imports {
        let function = &module.funcs[*func];
        let types = function.params.iter().map(|param| format!("_{}", type_text(&module.types, param.ty)));
        let name = format!("print{}", types.collect::<String>());
        if !fits(import, &[&name]) || !function.results.is_empty() {
            return others();
        }
    }
    for &var in &module.globals {
        let Some(import) = module.vars[var].linkage.as_ref().and_then(|linkage| linkage.import.as_ref()) else {
            continue;
        };
        let name = format!("global_{}", type_text(&module.types, module.vars[var].ty));
        if !name.contains("_i") || !fits(import, &[&name]) || !module.vars[var].is_const {
            return others();
        }
        program.set(var, 666);
    }
    for (memory, data) in module.memories.iter() {
        match &data.import {
            Some(import)
                if fits(import, &["memory"]) && data.min_pages <= 1 && data.max_pages.is_none_or(|most| most >= 2) =>
            {
                program.resize_memory(memory, 1, 2);
            }
            Some(_) => return others(),
            None => {}
        }
    }
    for (table, data) in module.tables.iter() {
        match &data.import {
            Some(import) if fits(import, &["table"]) && data.min <= 10 && data.max.is_none_or(|most| most >= 20) => {
                program.resize_table(table, 10);
            }
            Some(_) => return others(),
            None => {}
        }
    }
    Ok(())
}

fn failure(program: &Program<'_>, stop: Stop) -> Failure {
    match stop {
        Stop::Trap(kind) => Failure::Trap(kind),
        Stop::Missing(func) => Failure::Skipped(program.why_not(func).unwrap_or("not there").to_owned()),
    }
}

/// Whether a function may write anything that others see, itself or by those that it calls.
fn may_change(module: &Module, func: Func) -> bool {
    let (mut seen, mut waiting) = (vec![false; module.funcs.len()], vec![func]);
    while let Some(func) = waiting.pop() {
        let Some(body) = module.funcs[func].body.as_ref().filter(|_| !std::mem::replace(&mut seen[func.index()], true))
        else {
            continue;
        };
        for (node, data) in body.nodes() {
            match data.op.info().effect {
                Effect::Pure | Effect::MayTrap | Effect::Load | Effect::MemoryLoad | Effect::TableLoad => {}
                Effect::Call => match body.args(node).first().and_then(|callee| callee.as_func()) {
                    Some(callee) => waiting.push(callee),
                    None => return true,
                },
                _ => return true,
            }
        }
    }
    false
}

fn is_wide(module: &Module, ty: Type) -> bool {
    matches!(module.types[ty], TypeKind::Scalar(Scalar::I64 | Scalar::F64))
}

fn value(module: &Module, ty: Type, next: &mut dyn FnMut() -> u32) -> Value {
    match module.types[ty] {
        TypeKind::Scalar(Scalar::I64) => Value::I64(u64::from(next()) | u64::from(next()) << 32),
        TypeKind::Scalar(Scalar::F64) => Value::F64(u64::from(next()) | u64::from(next()) << 32),
        TypeKind::Scalar(Scalar::F32) => Value::F32(next()),
        TypeKind::FuncRef => Value::Func(next() != 0),
        TypeKind::ExternRef => Value::Extern(next().checked_sub(1)),
        _ => Value::I32(next()),
    }
}
