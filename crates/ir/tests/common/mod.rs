//! Modules that several tests build by hand.
pub(crate) mod pool;
pub(crate) mod random;

use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Name, NameSource, Precision};
use planish_ir::entity::{Func, Type, Value, Var};
use planish_ir::function::{Exit, Param, ResultType};
use planish_ir::module::{EntryPoint, Language, Module, Stage, StageProperties};
use planish_ir::ops::{Imm, Lanes, Op};
use planish_ir::source::Span;
use planish_ir::types::AddressSpace;

pub(crate) fn local(b: &mut Builder<'_, '_>, name: &str, ty: Type) -> Var {
    let var = b.module.add_var(Name::temporary(name), ty, AddressSpace::Function);
    b.declare(var);
    var
}

pub(crate) fn function(module: &mut Module, name: &str, params: &[Type], results: &[Type]) -> Func {
    let params = params
        .iter()
        .enumerate()
        .map(|(i, &ty)| Param {
            name: Name::temporary(format!("p{i}")),
            ty,
            precision: Precision::None,
            direction: Default::default(),
            span: Span::NONE,
        })
        .collect();
    let results = results.iter().map(|&ty| ResultType { ty, precision: Precision::None }).collect();
    module.add_func(Name::temporary(name), params, results, Span::NONE)
}

fn medium(b: &mut Builder<'_, '_>, op: Op, args: &[Value]) -> Value {
    b.make(Request::new(op, args).precision(Precision::Medium))
}

/// The sample shader of the dump's documentation, as a front end lowers it.
pub(crate) fn sample() -> Module {
    let mut module = Module::new(Language::Glsl { version: 310, es: true });
    let color = module.add_var(Name::new("color", NameSource::Interface), Type::VEC4, AddressSpace::Output);
    module.vars[color].precision = Precision::Medium;
    let main = module.add_func(Name::new("main", NameSource::Internal), vec![], vec![], Span::NONE);
    let properties = StageProperties { early_fragment_tests: true, ..Default::default() };
    let names = vec!["main".into()];
    module.entry_points.push(EntryPoint { names, func: main, stage: Some(Stage::Fragment), properties });
    let mut b = Builder::new(&mut module, main, Policy::PLAIN);
    fill_sample(&mut b, color);
    b.finish();
    module
}

fn fill_sample(b: &mut Builder<'_, '_>, color: Var) {
    let (zero, one) = (b.f32(0.0), b.f32(1.0));
    let (c0, c1) = (zero.as_const().unwrap(), one.as_const().unwrap());
    let result = local(b, "result", Type::VEC2);
    b.module.vars[result].precision = Precision::Medium;
    b.module.vars[result].initializer = Some(b.module.consts.composite(Type::VEC2, [c0, c0]));
    let i = local(b, "i", Type::I32);
    b.module.vars[i].precision = Precision::Medium;
    b.module.vars[i].initializer = Some(b.module.consts.i32(0));

    let blocks = b.loop_(&[], true);
    b.switch_to(blocks.condition);
    let i_value = b.load(i.into());
    let ten = b.i32(10);
    let less = b.op(Op::LessThan, &[i_value, ten]);
    b.loop_if(less);
    b.switch_to(blocks.next.unwrap());
    b.op(Op::PrefixIncrement, &[i.into()]);
    b.continue_(blocks.owner, &[]);
    b.switch_to(blocks.body);
    let yx = b.op_imm(Op::AccessVectorComponentMulti, Lanes::new(&[1, 0]), &[result.into()]);
    let loaded = b.load(i.into());
    let float = b.convert(loaded, Type::F32);
    let exp = medium(b, Op::Exp, &[float]);
    let again = b.load(i.into());
    let pair = b.op_typed(Op::ConstructVectorFromMultiple, &[again, exp], Type::VEC2);
    let old = b.load(yx);
    let sum = b.op(Op::Add, &[old, pair]);
    b.store(yx, sum);
    b.continue_(blocks.owner, &[]);

    b.switch_to(blocks.merge);
    let x = b.op_imm(Op::AccessVectorComponent, Imm::index(0), &[result.into()]);
    let y = b.op_imm(Op::AccessVectorComponent, Imm::index(1), &[result.into()]);
    let y = b.load(y);
    let x = b.load(x);
    let greater = b.op(Op::GreaterThan, &[x, y]);
    let arms = b.if_(greater);
    for (block, parts) in [(arms.then, [c0, c1, c0, c1]), (arms.otherwise, [c1, c0, c0, c1])] {
        b.switch_to(block);
        let vector = b.module.consts.composite(Type::VEC4, parts);
        b.exit(Exit::Merge([vector.into()].into_iter().collect()));
    }
    b.switch_to(arms.merge);
    let value = b.add_input(arms.merge, Type::VEC4, Precision::Medium);
    b.store(color.into(), value);
    b.ret(&[]);
}
