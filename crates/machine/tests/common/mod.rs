//! Helpers of the tests of this crate.
pub(crate) mod interpreter;
pub(crate) mod quirky;
pub(crate) mod world;

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Func;
use planish_ir::function::TrapKind;
use planish_ir::module::Module;
use planish_machine::reference::{Directive, Reference};
use planish_machine::{Compiler, FunctionAsm};

/// Every function of a module with a body, compiled for the reference machine.
pub(crate) fn compile_all(module: &Module) -> Vec<Option<FunctionAsm<Directive>>> {
    let mut compiler = Compiler::new(&Reference, module);
    module
        .funcs
        .iter()
        .map(|(func, function)| {
            function.body.as_ref()?;
            Some(compiler.compile(func).unwrap_or_else(|d| panic!("{}: {}", function.name.text, d.message)))
        })
        .collect()
}

/// Outcome of a call: the words of the results, or the trap.
pub(crate) type Outcome = Result<Vec<u64>, TrapKind>;

/// Outcome of a call in the evaluator.
pub(crate) fn evaluate(module: &Module, func: Func, args: &[u64]) -> Outcome {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
    let params = &module.funcs[func].params;
    let mut words = args.iter().copied();
    let args: Vec<EvalValue> = params
        .iter()
        .map(|p| {
            let size = planish_ir::meaning::Shape::components(&module.types, p.ty).expect("a size");
            EvalValue { ty: p.ty, bits: words.by_ref().take(size).collect() }
        })
        .collect();
    match evaluator.call(func, &args) {
        Ok(results) => Ok(results.into_iter().flat_map(|r| r.bits).collect()),
        Err(Stop::Trap { kind, .. }) => Err(kind),
        Err(other) => panic!("{other}"),
    }
}
