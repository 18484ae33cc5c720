//! Analysis to IR: a function for every binding that is not constant, with the unknown scalars as parameters and
//! results.
//!
//! The constant parts of a value are in the code; a computed value is the list of its unknown scalars, in order: those
//! of a pair are those of its parts, those of a procedure its captures', those of a dual number its primal's and its
//! tangent's. So a pair, a closure, a token costs nothing in the IR, and no pass has to split it. Only entry points
//! return constant scalars, too ([`whole`]): the host depends on shapes, not on the results of the analysis.

mod answer;
mod convert;
mod function;
mod image;
mod names;
mod record;
mod shapes;
mod whole;

use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Func, Type};
use planish_ir::function::{Param, ResultType};
use planish_ir::module::{EntryPoint, Import, Language, Module, StageProperties};
use planish_ir::source::Span;
use planish_ir::types::Scalar;
use rustc_hash::FxHashMap;

use crate::analyze::value::{Value, ValueId, Values};
use crate::analyze::{Analysis, BindingId, Exposed, MAIN};
pub use answer::{Answer, Output};
use function::Code;
use names::Names;

/// The module that host functions come from.
const HOST: &str = "planish";

/// A program as IR.
pub struct Program {
    /// The functions; `main` computes the program's value, unless it has none or it is a procedure.
    pub module: Module,
    /// The meaning of the results of `main` and of the exports.
    pub answer: Answer,
}

struct Generator<'a, 'c> {
    analysis: &'a Analysis<'c>,
    funcs: FxHashMap<BindingId, Func>,
    names: Names,
    /// If the program reads or writes.
    host: Option<Host>,
    /// The type of reals.
    real: Type,
}

/// Functions of the world.
#[derive(Clone, Copy)]
struct Host {
    read: Func,
    write: Func,
}

/// Makes IR of an analysed program.
pub(crate) fn generate(analysis: &Analysis<'_>) -> Program {
    let mut module = Module::new(Language::Vl);
    let needed = analysis.needed();
    let real = module.types.scalar(Scalar::F64);
    let uses_host = needed.iter().any(|&id| analysis.binding(id).effects.io);
    let host = uses_host.then(|| {
        // For targets without host functions.
        let place = place_of_io(analysis, &needed);
        Host {
            read: import(&mut module, "read_real", vec![], vec![ResultType::new(real)], place),
            write: import(&mut module, "write_real", vec![param("value", real)], vec![], place),
        }
    });
    let mut generator = Generator { analysis, funcs: FxHashMap::default(), names: Names::default(), host, real };
    for &id in needed.iter().filter(|&&id| id != MAIN) {
        generator.declare(&mut module, id);
    }
    for &id in needed.iter().filter(|&&id| id != MAIN) {
        if let Some(&func) = generator.funcs.get(&id) {
            Code::binding(&generator, &mut module, func, id);
        }
    }
    let mut answer = Answer { outputs: vec![], bindings: needed.len(), errors: analysis.core.errors() };
    if analysis.core.has_value && !analysis.exposed.iter().any(|e| e.export.is_none()) {
        let value = analysis.binding(MAIN).value;
        let func = generator.add_main(&mut module, value);
        Code::main(&generator, &mut module, func);
        entry(&mut module, "main", func);
        module.funcs[func].signature = generator.signature_of_value(value);
        answer.outputs.push(Output::new(analysis, "main", value, None));
    }
    for exposed in &analysis.exposed {
        generator.expose(&mut module, exposed, &mut answer);
    }
    Program { module, answer }
}

/// A procedure of the program that does input or output, else its value.
fn place_of_io(analysis: &Analysis<'_>, needed: &[BindingId]) -> Span {
    let bindings = needed.iter().map(|&id| analysis.binding(id)).filter(|binding| binding.effects.io);
    let mut lambdas = bindings.filter_map(|binding| Some(analysis.core.lambda(binding.procedure?.0)));
    lambdas.find(|lambda| !lambda.in_library).map_or(analysis.core.span, |lambda| lambda.span)
}

fn import(module: &mut Module, name: &str, params: Vec<Param>, results: Vec<ResultType>, span: Span) -> Func {
    let func = module.add_func(Name::new(name, NameSource::Interface), params, results, span);
    module.func_imports.push((func, Import { module: HOST.into(), name: name.into() }));
    func
}

fn param(name: &str, ty: Type) -> Param {
    Param::new(Name::temporary(name), ty)
}

fn entry(module: &mut Module, name: &str, func: Func) {
    module.entry_points.push(EntryPoint {
        names: vec![name.into()],
        func,
        stage: None,
        properties: StageProperties::default(),
    });
}

impl Generator<'_, '_> {
    /// The types of the unknown scalars of a value, in order.
    /// Recursion: as deep as the value nests, at most `MAX_HEIGHT`; tails of lists are a loop.
    fn types(&self, value: ValueId, types: &mut Vec<Type>) {
        let values = &self.analysis.values;
        if values.width(value) == 0 {
            return;
        }
        match values.get(value) {
            Value::AnyReal => types.push(self.real),
            Value::AnyBool => types.push(Type::BOOL),
            Value::Bundle(_, primal, tangent) => {
                self.types(primal, types);
                self.types(tangent, types);
            }
            Value::Closure(_, env) => values.env(env).iter().for_each(|&part| self.types(part, types)),
            Value::Pair(..) => {
                let mut rest = value;
                while let Value::Pair(item, tail) = values.get(rest) {
                    self.types(item, types);
                    rest = tail;
                }
                self.types(rest, types);
            }
            _ => {}
        }
    }

    fn types_of(&self, value: ValueId) -> Vec<Type> {
        let mut types = Vec::new();
        self.types(value, &mut types);
        types
    }

    /// Whether code has to be generated for a binding.
    fn is_needed(&self, id: BindingId) -> bool {
        let binding = self.analysis.binding(id);
        binding.effects.any()
            || binding.value == Values::BOTTOM
            || self.analysis.values.width(binding.value) > 0
            || self.analysis.recorded_width(&binding.definitions) > 0
    }

    fn declare(&mut self, module: &mut Module, id: BindingId) {
        let binding = self.analysis.binding(id);
        let Some((lambda, env)) = binding.procedure.filter(|_| self.is_needed(id)) else { return };
        let lambda = self.analysis.core.lambda(lambda);
        let mut params = Vec::new();
        for (name, &value) in lambda.captures.iter().zip(&**self.analysis.values.env(env)) {
            self.params(name, value, &mut params);
        }
        self.argument(lambda, binding.argument, &mut params);
        let results = self.given_types(binding).into_iter().map(ResultType::new).collect();
        let name = self.names.function(self.analysis, id);
        let func = module.add_func(Name::new(name, NameSource::Temporary), params, results, lambda.span);
        self.funcs.insert(id, func);
    }

    /// The parameters for a value.
    fn params(&self, name: &str, value: ValueId, params: &mut Vec<Param>) {
        let types = self.types_of(value);
        let is_single = types.len() == 1;
        for (index, ty) in types.into_iter().enumerate() {
            let name = if is_single { name.to_owned() } else { format!("{name}_{}", index + 1) };
            params.push(param(&name, ty));
        }
    }

    /// The parameters for an argument, with the names of the procedure's parameters.
    fn argument(&self, lambda: &crate::core::Lambda, argument: ValueId, params: &mut Vec<Param>) {
        let mut names = lambda.parameters.iter();
        self.matched(&lambda.pattern, argument, &mut names, params);
    }

    /// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
    fn matched(
        &self,
        pattern: &crate::terms::Pattern<u32>,
        value: ValueId,
        names: &mut std::slice::Iter<'_, std::sync::Arc<str>>,
        params: &mut Vec<Param>,
    ) {
        use crate::terms::Pattern;
        match (pattern, self.analysis.values.get(value)) {
            (Pattern::Pair(parts), Value::Pair(a, b)) => {
                self.matched(&parts.0, a, names, params);
                self.matched(&parts.1, b, names, params);
            }
            (Pattern::Var(_), _) => {
                let name = names.next().map_or("x", |name| &**name);
                self.params(name, value, params);
            }
            _ => self.params("ignored", value, params),
        }
    }

    fn add_main(&mut self, module: &mut Module, value: ValueId) -> Func {
        let results = self.whole_types(value).into_iter().map(ResultType::new).collect();
        let name = self.names.unique("main");
        module.add_func(Name::new(name, NameSource::Temporary), vec![], results, self.analysis.core.span)
    }

    /// A function for the world: computes the procedure, and applies it.
    fn expose(&mut self, module: &mut Module, exposed: &Exposed, answer: &mut Answer) {
        let core = self.analysis.core;
        let (name, span) = match exposed.export {
            Some(index) => (core.exports[index].name.clone(), core.exports[index].span),
            None => (core.value_name.clone().unwrap_or_else(|| "main".into()), core.span),
        };
        let mut params = Vec::new();
        for &(function, argument, _) in &exposed.applications {
            match self.analysis.values.get(function) {
                Value::Closure(lambda, _) => self.argument(core.lambda(lambda), argument, &mut params),
                _ => self.params("x", argument, &mut params),
            }
        }
        names::make_unique(&mut params);
        let results = self.whole_types(exposed.result).into_iter().map(ResultType::new).collect();
        let func = module.add_func(Name::new(self.names.unique(&name), NameSource::Temporary), params, results, span);
        module.funcs[func].signature = self.signature(exposed);
        Code::exposed(self, module, func, exposed);
        entry(module, &name, func);
        let declared = exposed.export.and_then(|index| core.exports[index].result.as_ref());
        answer.outputs.push(Output::new(self.analysis, &name, exposed.result, declared));
        image::add(self, module, exposed, func);
    }
}
