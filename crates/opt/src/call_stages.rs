//! Entry points of shaders become functions of their uniforms and inputs, for targets that call them.
//!
//! ```text
//! before: fn @main() { %a = load @tint; … store @color, %b }    after: fn @main_stage(%tint) -> (color) {
//!                                                                        store @tint, %tint; call @main(); return load @color }
//! ```
//!
//! The variables of uniforms, inputs and outputs are private ones afterwards. Holds before: the entry points have neither parameters nor
//! results, and no function takes a pointer to such a variable.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Node, Value, Var};
use planish_ir::function::{Body, Direction, Param, ResultType};
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::ops::Class;
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;
use std::sync::Arc;

use crate::restage::{Stage, copy_node, restage};

/// An entry point that is called.
#[derive(Clone, Debug)]
pub struct Called {
    /// Its function.
    pub entry: Func,
    /// The name that the new function has outside.
    pub name: Arc<str>,
    /// Variables with parameters.
    pub given: Vec<Var>,
    /// Variables whose values are results.
    pub wanted: Vec<Var>,
}

/// Replaces the entry points of a module by functions, in the same order.
pub fn run(module: &mut Module, stages: &[Called]) {
    for var in module.globals.clone() {
        let data = &mut module.vars[var];
        if is_of_stages(data.space) {
            (data.space, data.is_const) = (AddressSpace::Private, false);
            data.pointer = module.types.pointer(data.ty, AddressSpace::Private);
        }
    }
    let funcs: Vec<Func> = module.funcs.iter().filter(|(_, f)| f.body.is_some()).map(|(func, _)| func).collect();
    for func in funcs {
        restage(module, func, Policy::PLAIN, &mut Retype);
    }
    let entries: Vec<EntryPoint> = stages
        .iter()
        .map(|stage| EntryPoint {
            names: vec![stage.name.clone()],
            func: caller(module, stage),
            stage: None,
            properties: StageProperties::default(),
        })
        .collect();
    module.entry_points = entries;
}

fn is_of_stages(space: AddressSpace) -> bool {
    matches!(space, AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Input | AddressSpace::Output)
}

/// Infers the types of pointers anew.
struct Retype;

impl Stage for Retype {
    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        if data.op.info().class != Class::Access {
            return copy_node(source, node, args, builder);
        }
        builder.make_all(Request { op: data.op, imm: data.imm, args, ty: None, precision: Some(data.precision) })
    }
}

/// A function that stores its parameters in variables, calls the entry point, and gives the values of other variables.
fn caller(module: &mut Module, stage: &Called) -> Func {
    let param = |&var: &Var| Param {
        name: module.vars[var].name.clone(),
        ty: module.vars[var].ty,
        precision: Precision::None,
        direction: Direction::In,
        span: module.vars[var].span,
    };
    let params: Vec<Param> = stage.given.iter().map(param).collect();
    let results = stage.wanted.iter().map(|&var| ResultType::new(module.vars[var].ty)).collect();
    let name = Name::new(format!("{}_stage", module.funcs[stage.entry].name.text), NameSource::Internal);
    let func = module.add_func(name, params, results, Span::NONE);
    let mut b = Builder::new(module, func, Policy::PLAIN);
    for (i, &var) in stage.given.iter().enumerate() {
        let value = b.param(i);
        b.store(var.into(), value);
    }
    b.call(stage.entry.into(), &[]);
    let values: Vec<Value> = stage.wanted.iter().map(|&var| b.load(var.into())).collect();
    b.ret(&values);
    b.finish();
    func
}
