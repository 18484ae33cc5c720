//! Programs that are images: a procedure from points to colours is also compiled to a fragment shader.
//!
//! The point is in units of half the picture's height: the origin in the middle, x to the right, y up.

use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource, Precision};
use planish_ir::entity::{Func, Type, Value as IrValue};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::module::{EntryPoint, Module, Stage, StageProperties};
use planish_ir::ops::{Imm, Op};
use planish_ir::types::AddressSpace;

use super::Generator;
use crate::analyze::Exposed;
use crate::analyze::value::{Value, ValueId, Values};

/// Adds the shader, if the function is an image and there is no shader yet.
pub(super) fn add(generator: &mut Generator<'_, '_>, module: &mut Module, exposed: &Exposed, image: Func) {
    let (values, real) = (&generator.analysis.values, generator.real);
    let [(_, argument, _)] = exposed.applications[..] else { return };
    let is_point = list(values, argument).is_some_and(|items| items == [Values::REAL; 2])
        || values.get(argument) == Value::Pair(Values::REAL, Values::REAL);
    let Some(color) = list(values, exposed.result).filter(|items| (3..=4).contains(&items.len())) else { return };
    let is_color = color.iter().all(|&item| matches!(values.get(item), Value::Real(_) | Value::AnyReal));
    if !is_point || !is_color || module.entry_point(Some(Stage::Fragment)).is_some() {
        return;
    }
    let interface = |name: &str| Name::new(name, NameSource::Interface);
    let size = module.add_var(interface("u_resolution"), Type::VEC2, AddressSpace::Uniform);
    let output = module.add_var(interface("color"), Type::VEC4, AddressSpace::Output);
    module.vars[output].decorations.add(Decoration::Location(0));
    let position = module.add_var(Name::new("gl_FragCoord", NameSource::BuiltIn), Type::VEC4, AddressSpace::Input);
    module.vars[position].decorations.add(Decoration::BuiltIn(BuiltIn::FragCoord));
    for var in [size, output, position] {
        module.vars[var].precision = Precision::High;
    }
    let name = Name::new(generator.names.unique("image"), NameSource::Temporary);
    let func = module.add_func(name, vec![], vec![], module.funcs[image].span);
    let mut b = Builder::new(module, func, Policy::PLAIN);
    let component = |b: &mut Builder<'_, '_>, var: planish_ir::entity::Var, index: u32| {
        let vector = b.load(var.into());
        let scalar = b.op_imm(Op::ExtractVectorComponent, Imm::index(index), &[vector]);
        b.convert(scalar, real)
    };
    let height = component(&mut b, size, 1);
    let two: IrValue = b.module.consts.bits(real, 2f64.to_bits()).into();
    let mut point = Vec::new();
    for index in 0..2 {
        let at = component(&mut b, position, index);
        let extent = component(&mut b, size, index);
        let doubled = b.op(Op::Multiply, &[at, two]);
        let from_middle = b.op(Op::Subtract, &[doubled, extent]);
        point.push(b.op(Op::Divide, &[from_middle, height]));
    }
    let results = b.call(image.into(), &point);
    if exposed.result == Values::BOTTOM {
        b.exit(Exit::Trap(TrapKind::Unreachable));
        b.finish();
        return;
    }
    let mut components: Vec<IrValue> = results.into_iter().map(|value| b.convert(value, Type::F32)).collect();
    if components.len() == 3 {
        components.push(b.f32(1.0));
    }
    let vector = b.op_typed(Op::ConstructVectorFromMultiple, &components, Type::VEC4);
    b.store(output.into(), vector);
    b.ret(&[]);
    b.finish();
    module.entry_points.push(EntryPoint {
        names: vec!["main".into()],
        func,
        stage: Some(Stage::Fragment),
        properties: StageProperties::default(),
    });
}

fn list(values: &Values, value: ValueId) -> Option<Vec<ValueId>> {
    let (mut items, mut rest) = (Vec::new(), value);
    while let Value::Pair(item, tail) = values.get(rest) {
        items.push(item);
        rest = tail;
    }
    (rest == Values::NIL).then_some(items)
}
