//! Texture and image ops: each is outlined to a function over one invocation, and called by an import over all lanes, which the host
//! provides. It runs the outlined function in the active lanes, together, since it may compare coordinates in a quad.

use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::{Param, ResultType};
use planish_ir::module::Import;
use planish_ir::ops::{Effect, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::control::Widener;
use super::lanes::broadcast;
use super::places::Step;
use crate::lower_to_scalars::values::Parts;

/// The module that [`Outlined`] operations are imported from.
pub const IMPORTS: &str = "lanes";

/// An operation that the host runs for all lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outlined {
    /// The import: parameters are the mask of the active lanes, that of helper invocations if there is one, and the components of each
    /// parameter of `func`; results the components of its results. Lanes that are not active may be given anything.
    pub import: Func,
    /// Whether the mask of helper invocations is the second parameter: they read, but do not write.
    pub has_helpers: bool,
    /// Its name in the module [`IMPORTS`].
    pub name: String,
    /// A function over one invocation, with the operation alone. Nothing calls it.
    pub func: Func,
}

/// An operand of an outlined op.
enum Operand {
    /// A parameter, of a type of the source, with its components.
    Value(Type, Parts),
    /// A handle in memory: a variable, the steps from there, and the parameter of each step that is an index.
    Handle(Value, Vec<Step>),
    /// A texture and a sampler.
    Combined(Box<[Operand; 2]>),
}

impl Widener<'_, '_> {
    pub(super) fn texture(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        if data.op == Op::CombineSampler {
            // Its users outline it with them.
            return Some(());
        }
        let mut operands = Vec::new();
        for &arg in self.body.args(node) {
            operands.push(self.operand(arg, b)?);
        }
        let effect = data.op.info().effect;
        let mask = if effect == Effect::ImageStore { self.live(self.active, b) } else { self.active };
        let has_helpers = effect == Effect::ImageModify && self.has_helpers();
        let results: Vec<Type> = self.body.results(node).map(|local| self.body.local_type(local)).collect();
        let mut params = Vec::new();
        let mut args = vec![mask];
        if has_helpers {
            args.push(b.load(self.work.helpers.into()));
        }
        for operand in &operands {
            operand.params(b, &mut params, &mut args);
        }
        let outlined = self.outline(node, &operands, (&params, has_helpers), &results, b)?;
        for arg in &mut args {
            *arg = broadcast(b, *arg, self.n);
        }
        let values = b.call(outlined.into(), &args);
        if let Some(result) = self.body.result(node) {
            self.set(result, values.into_iter().collect(), b);
        }
        Some(())
    }

    fn operand(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Option<Operand> {
        let ty = self.old.type_of(self.body, value);
        if !matches!(self.old.types[ty], TypeKind::Image(_) | TypeKind::Sampler { .. }) {
            return Some(Operand::Value(ty, self.parts(value, b)));
        }
        let node = self.body.node_of(value)?;
        if self.body.node(node).op == Op::CombineSampler {
            let &[texture, sampler] = self.body.args(node) else { return None };
            return Some(Operand::Combined(Box::new([self.handle(texture)?, self.handle(sampler)?])));
        }
        self.handle(value)
    }

    /// A texture or a sampler in memory, which is never a combination.
    fn handle(&self, value: Value) -> Option<Operand> {
        let place = self.places[value.as_local()?].clone()?;
        let (pointer, steps) = place.path();
        pointer.as_var()?;
        Some(Operand::Handle(pointer, steps.to_vec()))
    }

    /// Adds the function over one invocation, and the import over all lanes.
    fn outline(
        &mut self,
        node: Node,
        operands: &[Operand],
        (params, has_helpers): (&[Type], bool),
        results: &[Type],
        b: &mut Builder<'_, '_>,
    ) -> Option<Func> {
        let data = *self.body.node(node);
        let name = format!("{}_{}", data.op.text(), self.work.outlined.len());
        let param = |ty| Param { span: data.span, ..Param::new(Name::new("p", NameSource::Internal), ty) };
        let own_name = Name::new(name.clone(), NameSource::Internal);
        let func = b.module.add_func(
            own_name.clone(),
            params.iter().copied().map(param).collect(),
            results.iter().map(|&ty| ResultType::new(ty)).collect(),
            data.span,
        );
        let mut inner = Builder::new(b.module, func, Policy::PLAIN);
        inner.at(data.span);
        let mut next = 0;
        let args: Parts = operands.iter().map(|operand| operand.write(&mut inner, &mut next)).collect();
        let ty = results.first().copied();
        let values = inner.make_all(Request { ty, ..Request::new(data.op, &args).imm(data.imm) });
        inner.ret(&values);
        inner.finish();
        let mask = b.module.types.vector(Scalar::Bool, self.n);
        let mut types = vec![mask; 1 + usize::from(has_helpers)];
        for &ty in params {
            types.extend(self.work.types_of(b.module, ty)?);
        }
        let mut lanes = Vec::new();
        for &ty in results {
            lanes.extend(self.work.types_of(b.module, ty)?);
        }
        let import = b.module.add_func(
            own_name,
            types.into_iter().map(param).collect(),
            lanes.into_iter().map(ResultType::new).collect(),
            Span::NONE,
        );
        b.module.func_imports.push((import, Import { module: IMPORTS.into(), name: name.clone().into() }));
        self.work.outlined.push(Outlined { import, has_helpers, name, func });
        Some(import)
    }
}

impl Operand {
    /// Appends the types of its parameters, and the components of its arguments.
    fn params(&self, b: &mut Builder<'_, '_>, types: &mut Vec<Type>, args: &mut Vec<Value>) {
        match self {
            Operand::Value(ty, parts) => {
                types.push(*ty);
                args.extend(parts);
            }
            Operand::Handle(_, steps) => {
                for step in steps {
                    if let Step::Element(index) = step {
                        let scalar = b.module.types.scalar_of(b.type_of(*index)).expect("an index is a number");
                        types.push(b.module.types.scalar(scalar));
                        args.push(*index);
                    }
                }
            }
            Operand::Combined(both) => both.iter().for_each(|operand| operand.params(b, types, args)),
        }
    }

    /// The operand in the function over one invocation; `next` counts its parameters. Recursion: once, for a combination.
    fn write(&self, b: &mut Builder<'_, '_>, next: &mut usize) -> Value {
        let mut param = |b: &Builder<'_, '_>| {
            *next += 1;
            b.param(*next - 1)
        };
        match self {
            Operand::Value(..) => param(b),
            Operand::Handle(pointer, steps) => {
                let mut pointer = *pointer;
                for step in steps {
                    pointer = match *step {
                        Step::Field(index) => {
                            b.op_imm(Op::AccessStructField, planish_ir::ops::Imm::index(index), &[pointer])
                        }
                        Step::Element(_) => {
                            let index = param(b);
                            b.op(Op::AccessArrayElement, &[pointer, index])
                        }
                    };
                }
                b.load(pointer)
            }
            Operand::Combined(both) => {
                let operands = [both[0].write(b, next), both[1].write(b, next)];
                b.op(Op::CombineSampler, &operands)
            }
        }
    }
}
