//! The code of one function: the steps of its procedure, with the abstract value of each.

use planish_ir::builder::{Builder, Policy};
use planish_ir::entity::{Func, Value as IrValue};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::module::Module;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Generator, Host};
use crate::analyze::value::{EnvId, Value, ValueId, Values};
use crate::analyze::{Binding, BindingId, Call, Exposed, MAIN};
use crate::core::{Atom, Block, LambdaId, Operation, Step};
use crate::primitive::{Action, Primitive};
use crate::terms::Pattern;

/// The unknown scalars of a value.
pub(super) type Parts = SmallVec<[IrValue; 4]>;

/// A function under construction.
pub(super) struct Code<'g, 'a, 'c, 'm> {
    pub(super) generator: &'g Generator<'a, 'c>,
    pub(super) b: Builder<'m, 'static>,
    pub(super) binding: &'a Binding,
    group: &'a [LambdaId],
    env: Option<EnvId>,
    /// The scalars of what was captured.
    captured: Parts,
    slots: Vec<Parts>,
    /// The scalars of nodes.
    pub(super) nodes: FxHashMap<u32, Parts>,
}

impl<'g, 'a, 'c, 'm> Code<'g, 'a, 'c, 'm> {
    fn new(generator: &'g Generator<'a, 'c>, module: &'m mut Module, func: Func, id: BindingId) -> Self {
        let analysis = generator.analysis;
        let binding = analysis.binding(id);
        let span = module.funcs[func].span;
        let mut b = Builder::new(module, func, Policy::PLAIN);
        b.at(span);
        Code {
            generator,
            b,
            binding,
            group: binding.procedure.map_or(&[], |(lambda, _)| &analysis.core.lambda(lambda).group),
            env: binding.procedure.map(|(_, env)| env),
            captured: Parts::new(),
            slots: vec![Parts::new(); binding.slots.len()],
            nodes: FxHashMap::default(),
        }
    }

    /// The function of a binding: its parameters are the captures, then the argument.
    pub(super) fn binding(generator: &'g Generator<'a, 'c>, module: &'m mut Module, func: Func, id: BindingId) {
        let mut code = Code::new(generator, module, func, id);
        let Some((lambda, env)) = code.binding.procedure else { return };
        let lambda = generator.analysis.core.lambda(lambda);
        let values = &generator.analysis.values;
        let captured = values.env_width(env);
        code.captured = (0..captured).map(|index| code.b.param(index)).collect();
        let argument: Parts =
            (captured..captured + values.width(code.binding.argument)).map(|index| code.b.param(index)).collect();
        code.fill(&lambda.pattern, code.binding.argument, &argument);
        code.name_parameters(func);
        if let Some(mut parts) = code.result(&lambda.body) {
            parts.extend(code.returned_nodes());
            code.b.ret(&parts);
        }
        code.b.finish();
    }

    /// Preserves the names of parameters that become loop-carried: a variable for each as the values' origin, without
    /// code.
    fn name_parameters(&mut self, func: Func) {
        let params = self.b.module.funcs[func].params.clone();
        for (index, param) in params.into_iter().enumerate().filter(|(_, p)| !p.name.text.starts_with('%')) {
            let var = self.b.module.add_var(param.name, param.ty, planish_ir::types::AddressSpace::Function);
            let value = self.b.param(index);
            self.b.stands_for(value, var);
        }
    }

    /// The function that computes the program's value.
    pub(super) fn main(generator: &'g Generator<'a, 'c>, module: &'m mut Module, func: Func) {
        let mut code = Code::new(generator, module, func, MAIN);
        if let Some(parts) = code.result(&generator.analysis.core.main) {
            let parts = code.whole(code.binding.value, &parts);
            code.b.ret(&parts);
        }
        code.b.finish();
    }

    /// The scalars of the binding's result, after its body; `None` if that does not return.
    fn result(&mut self, body: &'a Block) -> Option<Parts> {
        let (_, parts) = self.block(body)?;
        // Tokens have the numbers of the binding there.
        Some(self.convert(&parts, self.binding.latest, self.binding.value))
    }

    /// A function for the host: the top level up to the procedure, then the applications.
    pub(super) fn exposed(generator: &'g Generator<'a, 'c>, module: &'m mut Module, func: Func, exposed: &Exposed) {
        let analysis = generator.analysis;
        let core = analysis.core;
        let mut code = Code::new(generator, module, func, MAIN);
        let procedure = exposed.applications[0].0;
        let mut parts = Parts::new();
        if analysis.values.width(procedure) > 0 {
            let Some((_, value)) = code.block(&core.main) else {
                code.b.finish();
                return;
            };
            parts = match exposed.export {
                Some(index) => code.atom(core.exports[index].value).1,
                None => value,
            };
        }
        let mut next_param = 0;
        for (index, &(procedure, argument, binding)) in exposed.applications.iter().enumerate() {
            let width = analysis.values.width(argument);
            let argument_parts: Parts = (next_param..next_param + width).map(|index| code.b.param(index)).collect();
            next_param += width;
            let result = exposed.applications.get(index + 1).map_or(exposed.result, |next| next.0);
            let applied = match (analysis.values.get(procedure), binding) {
                (Value::Primitive(primitive), _) => Some(code.primitive(primitive, argument, &argument_parts, result)),
                (_, Some(binding)) => {
                    // The definitions of its nodes are not needed.
                    let call = Call { slot: 0, binding, first_node: u32::MAX / 2 };
                    code.call(call, &parts, &argument_parts)
                }
                _ => None,
            };
            match applied {
                Some(applied) => parts = applied,
                None => {
                    code.b.finish();
                    return;
                }
            }
        }
        let parts = code.whole(exposed.result, &parts);
        code.b.ret(&parts);
        code.b.finish();
    }

    /// Recursion: over the pattern, at most `reader::MAX_DEPTH` lists of `MAX_PARAMETERS` each.
    fn fill(&mut self, pattern: &Pattern<u32>, value: ValueId, parts: &[IrValue]) {
        let values = &self.generator.analysis.values;
        match (pattern, values.get(value)) {
            (&Pattern::Var(slot), _) => self.slots[slot as usize] = parts.into(),
            (Pattern::Pair(patterns), Value::Pair(a, b)) => {
                let (first, second) = parts.split_at(values.width(a));
                self.fill(&patterns.0, a, first);
                self.fill(&patterns.1, b, second);
            }
            _ => {}
        }
    }

    fn atom(&mut self, atom: Atom) -> (ValueId, Parts) {
        let values = &self.generator.analysis.values;
        match (atom, self.env) {
            (Atom::Slot(slot), _) => (self.binding.slots[slot as usize], self.slots[slot as usize].clone()),
            (Atom::Captured(index), Some(env)) => {
                let captures = values.env(env);
                let start: usize = captures[..index as usize].iter().map(|&v| values.width(v)).sum();
                let value = captures[index as usize];
                (value, self.captured[start..start + values.width(value)].into())
            }
            (Atom::Member(index), Some(env)) => {
                let closure = values.find(Value::Closure(self.group[index as usize], env));
                (closure, self.captured.clone())
            }
            (Atom::Const(constant), _) => (values.find_constant(constant), Parts::new()),
            (Atom::Captured(_) | Atom::Member(_), None) => unreachable!("the top level captures nothing"),
        }
    }

    /// The value of a block; `None` if it does not return, in which case its end has been emitted.
    /// Recursion: as deep as conditionals nest, at most `expand::MAX_DEPTH`.
    fn block(&mut self, block: &'a Block) -> Option<(ValueId, Parts)> {
        for step in &block.steps {
            self.b.at(step.span);
            if let Operation::Match(pattern, atom) = &step.operation {
                let (value, parts) = self.atom(*atom);
                self.fill(pattern, value, &parts);
                continue;
            }
            let parts = self.step(step)?;
            if let Operation::Close(group, _) = &step.operation {
                for index in 1..group.len() {
                    self.slots[step.slot as usize + index] = parts.clone();
                }
            }
            self.slots[step.slot as usize] = parts;
        }
        Some(self.atom(block.value))
    }

    fn step(&mut self, step: &'a Step) -> Option<Parts> {
        let value = self.binding.slots[step.slot as usize];
        match &step.operation {
            Operation::Pair(a, b) => {
                let (_, mut parts) = self.atom(*a);
                parts.extend(self.atom(*b).1);
                Some(parts)
            }
            Operation::Close(_, captures) => Some(captures.iter().flat_map(|&atom| self.atom(atom).1).collect()),
            Operation::Apply(procedure, argument) => {
                let (procedure, captured) = self.atom(*procedure);
                let (argument, parts) = self.atom(*argument);
                match self.generator.analysis.values.get(procedure) {
                    Value::Primitive(primitive) if primitive.action() == Action::PropagateBack => {
                        self.propagate_back(step, argument, &parts)
                    }
                    Value::Primitive(primitive) => Some(self.primitive(primitive, argument, &parts, value)),
                    _ => {
                        let call = self.binding.calls(step.slot).next().expect("the analysis has been here");
                        self.call(call, &captured, &parts)
                    }
                }
            }
            Operation::If(test, blocks) => {
                let (test, parts) = self.atom(*test);
                match self.generator.analysis.values.get(test) {
                    Value::AnyBool => self.either(step.slot, parts[0], blocks, value),
                    Value::Bool(false) => self.block(&blocks.1).map(|(_, parts)| parts),
                    _ => self.block(&blocks.0).map(|(_, parts)| parts),
                }
            }
            Operation::Error(_) => {
                self.b.exit(Exit::Trap(TrapKind::User));
                None
            }
            Operation::Match(..) => unreachable!("a match fills several slots"),
        }
    }

    fn either(&mut self, slot: u32, test: IrValue, blocks: &'a (Block, Block), joined: ValueId) -> Option<Parts> {
        let span = self.b.span();
        let kept = self.kept(slot, joined);
        let ifs = self.b.if_(test);
        for (start, block) in [(ifs.then, &blocks.0), (ifs.otherwise, &blocks.1)] {
            self.b.switch_to(start);
            if let Some((value, parts)) = self.block(block) {
                let mut parts = self.convert(&parts, value, joined);
                if let Some(kept) = &kept {
                    self.keep(kept, start == ifs.then, &mut parts);
                }
                self.b.at(span).merge(&parts);
            }
        }
        self.b.at(span).switch_to(ifs.merge);
        if joined == Values::BOTTOM {
            // Unreachable.
            self.b.exit(Exit::Trap(TrapKind::Unreachable));
            return None;
        }
        let types = self.generator.types_of(joined);
        let parts = types
            .into_iter()
            .map(|ty| self.b.add_input(ifs.merge, ty, planish_ir::decoration::Precision::None))
            .collect();
        if let Some(kept) = &kept {
            self.know(kept, test, &ifs);
        }
        Some(parts)
    }

    /// Calls the function of a binding, if there is code for it.
    pub(super) fn call(&mut self, call: Call, captured: &[IrValue], argument: &[IrValue]) -> Option<Parts> {
        let gives_nothing = self.generator.analysis.binding(call.binding).value == Values::BOTTOM;
        let mut results = match self.generator.funcs.get(&call.binding) {
            Some(&func) => {
                let args: Parts = captured.iter().chain(argument).copied().collect();
                self.b.call(func.into(), &args).into_iter().collect()
            }
            None => Parts::new(),
        };
        if gives_nothing {
            self.b.exit(Exit::Trap(TrapKind::Unreachable));
            return None;
        }
        self.receive(call, &mut results);
        Some(results)
    }

    /// The result of a primitive.
    fn primitive(&mut self, primitive: Primitive, argument: ValueId, parts: &[IrValue], result: ValueId) -> Parts {
        let values = &self.generator.analysis.values;
        let is_solved = values.width(result) == 0;
        let first_width = |value| match values.get(value) {
            Value::Pair(first, _) | Value::Bundle(_, first, _) => values.width(first),
            _ => 0,
        };
        match primitive.action() {
            Action::Node => {
                let Value::Node(node) = values.get(result) else { unreachable!("the analysis has been here") };
                self.nodes.insert(node, parts.into());
                Parts::new()
            }
            Action::PropagateBack => unreachable!("it calls procedures"),
            Action::Car | Action::BundlePrimal => parts[..first_width(argument)].into(),
            Action::Cdr | Action::BundleTangent => parts[first_width(argument)..].into(),
            Action::Bundle => parts.into(),
            Action::ReadReal => {
                let read = self.host().read;
                self.b.call(read.into(), &[]).into_iter().collect()
            }
            Action::WriteReal => {
                let write = self.host().write;
                let scalar = self.scalar(argument, parts);
                self.b.call(write.into(), &[scalar]);
                parts.into()
            }
            Action::Real => [self.scalar(argument, parts)].into_iter().collect(),
            _ if is_solved => Parts::new(),
            Action::Unary(op) => {
                let x = self.scalar(argument, parts);
                [self.b.op(op, &[x])].into_iter().collect()
            }
            Action::Binary(op) | Action::Compare(op) => {
                let args = self.two(argument, parts);
                [self.b.op(op, &args)].into_iter().collect()
            }
            Action::GensymEqual | Action::GensymLess => {
                unreachable!("the analysis refuses what it cannot decide")
            }
            Action::Is(_) | Action::Gensym | Action::BundleToken => Parts::new(),
        }
    }

    fn host(&self) -> Host {
        self.generator.host.expect("who reads or writes has this effect")
    }

    /// A real as a scalar.
    fn scalar(&mut self, value: ValueId, parts: &[IrValue]) -> IrValue {
        match self.generator.analysis.values.get(value) {
            Value::Real(bits) => self.real(bits),
            _ => parts[0],
        }
    }

    fn two(&mut self, pair: ValueId, parts: &[IrValue]) -> [IrValue; 2] {
        let values = &self.generator.analysis.values;
        let Value::Pair(a, b) = values.get(pair) else { unreachable!("the analysis has been here") };
        let (first, second) = parts.split_at(values.width(a));
        [self.scalar(a, first), self.scalar(b, second)]
    }
}
