//! Delayed rewriting: vectors and matrices as a library of the user's own, whose ops stay whole until the rules about them rest.

use planish::Optimizer;
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::builder::{Builder, Policy};
use planish::ir::custom::{CustomOpData, TypeRule};
use planish::ir::decoration::Name;
use planish::ir::entity::{Type, Value};
use planish::ir::function::{Param, ResultType};
use planish::ir::module::{EntryPoint, Language, Module, StageProperties};
use planish::ir::ops::Op;
use planish::ir::source::Span;
use planish::ir::text::print;
use planish::ir::types::{AddressSpace, TypeKind};
use planish::opt::rules::{CustomRule, Law};
use planish::opt::{LowerSite, Phase};

use super::steps_of;

/// The rows of the library.
fn add_ops(module: &mut Module) {
    let row = |name: &str| CustomOpData { cost: 50, phase: "arrays".into(), ..CustomOpData::new(name) };
    // (The types of their results are given where a node is made.)
    for name in ["vector_zeros", "vector_at", "vector_literal"] {
        module.add_custom_op(row(name));
    }
    // The result is a vector as the last operand.
    let as_last =
        TypeRule::new(|_, operands| operands.last().map(|&ty| vec![ty]).ok_or_else(|| "takes vectors".into()));
    for name in ["vector_plus", "matrix_times_vector"] {
        module.add_custom_op(CustomOpData { rule: Some(as_last.clone()), ..row(name) });
    }
}

/// The rules of the library.
fn rules() -> Vec<CustomRule> {
    let exact = Law::Exact;
    vec![
        CustomRule::on("vector_plus", "plus_zeros", exact, "v + 0 → v", |s| {
            let is_zeros = |value| s.custom_args(value, "vector_zeros").is_some();
            match s.pair() {
                (v, zeros) if is_zeros(zeros) => Some(v),
                (zeros, v) if is_zeros(zeros) => Some(v),
                _ => None,
            }
        }),
        CustomRule::on("vector_at", "at_literal", exact, "[a, b, …][0] → a", |s| {
            let elements = s.custom_args(s.arg(0), "vector_literal")?;
            let index = s.uniform_bits(s.arg(1))?;
            elements.get(usize::try_from(index).ok()?).copied()
        }),
        CustomRule::on("vector_plus", "common_factor", exact, "M·v + M·w → M·(v + w)", |s| {
            let [x, y] = [0, 1].map(|i| s.custom_args(s.arg(i), "matrix_times_vector"));
            let (x, y) = (x?, y?);
            (x[0] == y[0]).then_some(())?;
            let sum = s.make_custom("vector_plus", &[x[1], y[1]])?;
            s.make_custom("matrix_times_vector", &[x[0], sum])
        }),
    ]
}

/// An array in a local variable.
fn in_memory(b: &mut Builder<'_, '_>, ty: Type) -> Value {
    let var = b.module.add_var(Name::temporary("array"), ty, AddressSpace::Function);
    b.declare(var);
    var.into()
}

fn element(b: &mut Builder<'_, '_>, array: Value, index: Value) -> Value {
    let pointer = b.op(Op::AccessArrayElement, &[array, index]);
    b.load(pointer)
}

fn len_of(b: &Builder<'_, '_>, ty: Type) -> u32 {
    match b.module.types[ty] {
        TypeKind::Array { len, .. } => len,
        _ => panic!("vectors are arrays"),
    }
}

/// The result, of which each element is what a closure makes of its index.
fn fill(site: &mut LowerSite<'_, '_, '_>, make: &dyn Fn(&mut Builder<'_, '_>, Value) -> Value) -> Vec<Value> {
    let ty = site.results()[0];
    let (array, len) = (in_memory(site.b, ty), len_of(site.b, ty));
    site.repeat(len, &[], &|b, index, _| {
        let value = make(b, index);
        let pointer = b.op(Op::AccessArrayElement, &[array, index]);
        b.store(pointer, value);
        vec![]
    });
    vec![site.b.load(array)]
}

fn operand(site: &mut LowerSite<'_, '_, '_>, index: usize) -> Value {
    let value = site.arg(index);
    let array = in_memory(site.b, site.b.type_of(value));
    site.b.store(array, value);
    array
}

/// The phase that makes arrays and loops of what is left.
fn arrays() -> Phase {
    Phase::new("arrays")
        .lower("vector_zeros", |site| fill(site, &|b, _| b.f32(0.0)))
        .lower("vector_plus", |site| {
            let (x, y) = (operand(site, 0), operand(site, 1));
            fill(site, &|b, i| {
                let (x, y) = (element(b, x, i), element(b, y, i));
                b.op(Op::Add, &[x, y])
            })
        })
        .lower("vector_at", |site| {
            let (x, index) = (operand(site, 0), site.arg(1));
            vec![element(site.b, x, index)]
        })
        .lower("vector_literal", |site| {
            let ty = site.results()[0];
            let array = in_memory(site.b, ty);
            let elements = site.args().to_vec();
            for (index, value) in elements.into_iter().enumerate() {
                let index = site.b.i32(index as i32);
                let pointer = site.b.op(Op::AccessArrayElement, &[array, index]);
                site.b.store(pointer, value);
            }
            vec![site.b.load(array)]
        })
        .lower("matrix_times_vector", |site| {
            let (m, v) = (operand(site, 0), operand(site, 1));
            let len = len_of(site.b, site.b.type_of(site.arg(1)));
            fill(site, &|b, row| {
                let zero = b.f32(0.0);
                planish::opt::repeat(b, len, &[zero], &|b, column, sum| {
                    let row = b.op(Op::AccessArrayElement, &[m, row]);
                    let (x, y) = (element(b, row, column), element(b, v, column));
                    let product = b.op(Op::Multiply, &[x, y]);
                    vec![b.op(Op::Add, &[sum[0], product])]
                })[0]
            })
        })
}

/// A program of vectors, in whose builder `b` the ops of the library are made by name.
struct Writer<'a, 'b, 'm> {
    b: &'a mut Builder<'b, 'm>,
}

impl Writer<'_, '_, '_> {
    fn op(&mut self, name: &str, args: &[Value], ty: Type) -> Value {
        let op = self.b.module.custom_op(name).expect("it is an op of the library");
        self.b.custom_typed(op, args, &[ty])[0]
    }

    fn vector(&mut self, len: u32) -> Type {
        self.b.module.types.array(Type::F32, len)
    }
}

/// A module with a function of some parameters.
fn program(
    params: &[Type],
    result: Type,
    module: Module,
    write: impl FnOnce(&mut Writer<'_, '_, '_>) -> Value,
) -> Module {
    let mut module = module;
    let params = params.iter().map(|&ty| Param::new(Name::temporary("x"), ty)).collect();
    let f = module.add_func(Name::temporary("f"), params, vec![ResultType::new(result)], Span::NONE);
    let mut b = Builder::new(&mut module, f, Policy::PLAIN);
    let result = write(&mut Writer { b: &mut b });
    b.ret(&[result]);
    b.finish();
    let names = vec!["f".into()];
    module.entry_points.push(EntryPoint { names, func: f, stage: None, properties: StageProperties::default() });
    module
}

fn new_module() -> Module {
    let mut module = Module::new(Language::Ir);
    add_ops(&mut module);
    module
}

fn optimizer() -> Optimizer {
    let mut optimizer = Optimizer::level("2").expect("a level");
    optimizer.options.rules = rules();
    optimizer.options.phases = vec![arrays()];
    optimizer
}

/// The program before its phase, when the rules rest; and its first result for some arguments.
fn whole_and_result(module: &Module, args: &[EvalValue]) -> (String, u64) {
    let (mut lowered, mut whole) = (module.clone(), None);
    let mut before = String::new();
    optimizer().run(&mut lowered, &mut |label, module| {
        if label == "lower_custom_ops" {
            whole = Some(std::mem::take(&mut before));
        }
        before = print(module);
    });
    assert!(!print(&lowered).contains("custom["), "{}", print(&lowered));
    let mut evaluator = Evaluator::new(&lowered, Limits::default()).expect("it starts");
    let result = evaluator.call(lowered.entry_points[0].func, args).expect("it does not trap");
    (whole.expect("the phase runs"), result[0].bits[0])
}

fn custom_ops(text: &str) -> usize {
    text.matches("custom[").count()
}

/// Sums with zeros are gone before there is a loop.
#[test]
fn worklist_21() {
    let module = program(&[Type::F32], Type::F32, new_module(), |w| {
        let (ty, x) = (w.vector(100), w.b.param(0));
        let (z, y) = (w.op("vector_zeros", &[], ty), w.op("vector_zeros", &[], ty));
        let a = w.op("vector_plus", &[z, y], ty);
        let b = w.op("vector_plus", &[z, a], ty);
        let two = w.b.i32(2);
        let at = w.op("vector_at", &[b, two], Type::F32);
        w.b.op(Op::Add, &[at, x])
    });
    let about =
        "Sums of vectors of zeros: the rule of the library sees them whole, and one vector is left for the phase.";
    let (before, after) = steps_of("61_worklist21", about, &module, &optimizer());
    assert_eq!((before.loops, after.loops), (0, 1));
    let (whole, result) = whole_and_result(&module, &[EvalValue::f32(1.5)]);
    assert_eq!((custom_ops(&whole), whole.matches("custom[vector_plus").count()), (2, 0), "{whole}");
    assert_eq!(result, u64::from(1.5f32.to_bits()));
}

/// An element of a literal is known without an array.
#[test]
fn worklist_22() {
    let module = program(&[Type::F32], Type::F32, new_module(), |w| {
        let (ty, x) = (w.vector(3), w.b.param(0));
        let twice = w.b.op(Op::Add, &[x, x]);
        let y = w.op("vector_literal", &[twice, x, x], ty);
        let zero = w.b.i32(0);
        w.op("vector_at", &[y, zero], Type::F32)
    });
    let about = "The first element of a literal: a shortcut before there are arrays.";
    steps_of("62_worklist22", about, &module, &optimizer());
    let (whole, result) = whole_and_result(&module, &[EvalValue::f32(1.5)]);
    assert_eq!((custom_ops(&whole), result), (0, u64::from(3.0f32.to_bits())));
}

/// A vector that the program chooses, and a sum that becomes a loop.
#[test]
fn worklist_23() {
    let mut module = new_module();
    let vector = module.types.array(Type::F32, 50);
    let module = program(&[Type::BOOL, vector], Type::F32, module, |w| {
        let (c, v) = (w.b.param(0), w.b.param(1));
        let zeros = w.op("vector_zeros", &[], vector);
        let z = w.b.op(Op::Select, &[c, v, zeros]);
        let a = w.op("vector_plus", &[z, v], vector);
        let b = w.op("vector_plus", &[a, zeros], vector);
        let seven = w.b.i32(7);
        w.op("vector_at", &[b, seven], Type::F32)
    });
    let about =
        "A vector that is chosen by a condition is not one of zeros: one of both sums is left, and becomes a loop.";
    let (_, after) = steps_of("63_worklist23", about, &module, &optimizer());
    assert!(after.loops >= 1, "{after:?}");
    for (c, expected) in [(true, 14.0f32), (false, 7.0)] {
        let bits = (0..50u8).map(|i| u64::from(f32::from(i).to_bits())).collect();
        let (whole, result) = whole_and_result(
            &module,
            &[EvalValue { ty: Type::BOOL, bits: vec![c.into()] }, EvalValue { ty: vector, bits }],
        );
        assert_eq!(
            (whole.matches("custom[vector_plus").count(), result),
            (1, u64::from(expected.to_bits())),
            "{whole}"
        );
    }
}

/// Products with one matrix become one product before there are loops.
#[test]
fn a_common_matrix() {
    let mut module = new_module();
    let vector = module.types.array(Type::F32, 4);
    let matrix = module.types.array(vector, 4);
    let module = program(&[matrix, vector, vector], Type::F32, module, |w| {
        let [m, v, x] = [0, 1, 2].map(|i| w.b.param(i));
        let [a, b] = [v, x].map(|v| w.op("matrix_times_vector", &[m, v], vector));
        let sum = w.op("vector_plus", &[a, b], vector);
        let one = w.b.i32(1);
        w.op("vector_at", &[sum, one], Type::F32)
    });
    let about = "M·v + M·w is M·(v + w): 16 multiplications instead of 32, seen while products are ops.";
    steps_of("64_common_matrix", about, &module, &optimizer());
    let value =
        |ty: Type, numbers: &[f32]| EvalValue { ty, bits: numbers.iter().map(|x| x.to_bits().into()).collect() };
    let numbers: Vec<f32> = (0..16u8).map(f32::from).collect();
    let (whole, result) = whole_and_result(
        &module,
        &[value(matrix, &numbers), value(vector, &[1.0, 2.0, 3.0, 4.0]), value(vector, &[1.0, 0.0, -1.0, 2.0])],
    );
    assert_eq!(whole.matches("custom[matrix_times_vector").count(), 1, "{whole}");
    // Row 1 times (2, 2, 2, 6).
    assert_eq!(result, u64::from((4.0f32 * 2.0 + 5.0 * 2.0 + 6.0 * 2.0 + 7.0 * 6.0).to_bits()));
}
