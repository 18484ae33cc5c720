//! Nodes that only this crate can make: ill-typed, without operands, newer than their users.

use super::verify;
use crate::arena::Id;
use crate::decoration::{Name, Precision};
use crate::entity::{Const, Func, Local, Type, Value, Var};
use crate::function::{Args, Body, Exit, Form, NodeRequest};
use crate::module::{Language, Module};
use crate::ops::{Imm, Op, TextureFlags};
use crate::source::Span;

struct Made<'a> {
    op: Op,
    imm: Imm,
    args: &'a [Value],
    results: &'a [(Type, Precision)],
    precision: Precision,
}

/// The errors of a function with this only node.
fn errors_of(form: Form, made: &Made<'_>) -> Vec<String> {
    let mut module = Module::new(Language::Ir);
    let func = module.add_func(Name::temporary("f"), vec![], vec![], Span::NONE);
    let mut body = Body::new();
    body.form = form;
    let request = NodeRequest {
        op: made.op,
        imm: made.imm,
        args: made.args,
        precision: made.precision,
        precise: false,
        span: Span::NONE,
    };
    let node = body.push_node(request, made.results.iter().copied());
    let entry = body.entry;
    body.blocks[entry].exit = Exit::Return(Args::new());
    body.blocks[entry].nodes.push(node);
    module.funcs[func].body = Some(body);
    verify(&module).iter().map(|e| e.to_string()).collect()
}

fn errors(op: Op, args: &[Value], results: &[(Type, Precision)]) -> Vec<String> {
    errors_of(Form::Placed, &Made { op, imm: Imm::NONE, args, results, precision: Precision::None })
}

const NONE: Precision = Precision::None;
const ONE: Const = Const::F32_ONE;

#[test]
fn operands_and_results_have_the_types_of_the_table() {
    let one = Value::from(ONE);
    assert_eq!(errors(Op::Add, &[one, one], &[(Type::F32, NONE)]), [""; 0]);
    assert_eq!(
        errors(Op::Add, &[one, Const::I32_ONE.into()], &[(Type::F32, NONE)]),
        ["f0, b0, n0: `add` of (f32, i32): the operands must have one type"]
    );
    assert_eq!(errors(Op::Add, &[one], &[(Type::F32, NONE)]), ["f0, b0, n0: `add` of (f32): takes 2 operands, not 1"]);
    assert_eq!(
        errors(Op::Add, &[one, one], &[(Type::I32, NONE)]),
        ["f0, b0, n0: `add` gives (f32), but its results have types (i32)"]
    );
    assert_eq!(errors(Op::Add, &[one, one], &[]), ["f0, b0, n0: `add` gives (f32), but its results have types ()"]);
    assert_eq!(
        errors(Op::Modf, &[one], &[(Type::F32, NONE)]),
        ["f0, b0, n0: `modf` gives (f32, f32), but its results have types (f32)"]
    );
    assert_eq!(errors(Op::Add, &[one, one], &[(Type::new(500), NONE)]), ["f0, b0, n0: `add`: a type does not exist"]);
}

#[test]
fn operands_exist_and_are_older() {
    let one = Value::from(ONE);
    let missing = [
        (Value::from(Local::new(9)), "r9"),
        (Value::from(Const::new(99)), "c99"),
        (Value::from(Var::new(3)), "v3"),
        (Value::from(Func::new(4)), "f4"),
    ];
    for (value, text) in missing {
        let expected = format!("f0, b0, n0: operand 1 is {text}, which does not exist");
        assert_eq!(errors(Op::Add, &[one, value], &[(Type::F32, NONE)]), [expected]);
    }
    let itself = Value::from(Local::new(0));
    assert_eq!(
        errors(Op::Add, &[one, itself], &[(Type::F32, NONE)]),
        [
            "f0, b0, n0: operand 1 is r0, which is not made before",
            "f0, b0, n0: operand 1 of `add` is not older than it"
        ]
    );
}

#[test]
fn a_floating_node_that_needs_itself_ends_the_search() {
    let mut module = Module::new(Language::Ir);
    let func = module.add_func(Name::temporary("f"), vec![], vec![], Span::NONE);
    let mut body = Body::new();
    body.form = Form::Floating;
    let itself = Value::from(Local::new(0));
    let results = [(Type::F32, NONE)];
    let request = NodeRequest {
        op: Op::Add,
        imm: Imm::NONE,
        args: &[itself, itself],
        precision: NONE,
        precise: false,
        span: Span::NONE,
    };
    body.push_node(request, results.into_iter());
    let entry = body.entry;
    body.blocks[entry].exit = Exit::Return([itself].into_iter().collect());
    module.funcs[func].body = Some(body);
    let messages: Vec<String> = verify(&module).iter().map(|e| e.to_string()).collect();
    assert!(messages.contains(&"f0, b0, n0: operand 0 of `add` is not older than it".to_owned()), "{messages:?}");
}

#[test]
fn precisions_follow_the_node() {
    let one = Value::from(ONE);
    let made = |ty, precision| Made {
        op: if ty == Type::BOOL { Op::LessThan } else { Op::Add },
        imm: Imm::NONE,
        args: &[],
        results: &[],
        precision,
    };
    let args = [one, one];
    let results = [(Type::F32, Precision::High)];
    assert_eq!(
        errors_of(Form::Placed, &Made { args: &args, results: &results, ..made(Type::F32, Precision::Low) }),
        ["f0, b0, n0: r0, a result of `add`, does not have the node's precision"]
    );
    let results = [(Type::BOOL, Precision::High)];
    assert_eq!(
        errors_of(Form::Placed, &Made { args: &args, results: &results, ..made(Type::BOOL, Precision::High) }),
        ["f0, b0, n0: r0, a result of `less_than`, must have no precision"]
    );
    let results = [(Type::BOOL, NONE)];
    assert_eq!(
        errors_of(Form::Placed, &Made { args: &args, results: &results, ..made(Type::BOOL, Precision::High) }),
        [""; 0]
    );
}

#[test]
fn immediates_have_meaning() {
    let one = Value::from(ONE);
    let args = [one, one];
    let results = [(Type::F32, NONE)];
    let made = Made { op: Op::Atan2, imm: Imm(7), args: &args, results: &results, precision: NONE };
    assert_eq!(errors_of(Form::Placed, &made), ["f0, b0, n0: `atan2`: it takes no immediate"]);
    let made = Made { op: Op::Add, imm: Imm(2), args: &args, results: &results, precision: NONE };
    assert_eq!(errors_of(Form::Placed, &made), ["f0, b0, n0: `add`: the immediate has bits without a meaning"]);
    let made = Made { op: Op::Add, imm: Imm::REASSOCIABLE, args: &args, results: &results, precision: NONE };
    assert_eq!(errors_of(Form::Placed, &made), [""; 0]);
    let flags = Imm(TextureFlags::LOD.0 as u64 | 1 << 40);
    let made = Made { op: Op::TextureSample, imm: flags, args: &args, results: &results, precision: NONE };
    assert_eq!(
        errors_of(Form::Placed, &made),
        ["f0, b0, n0: `texture_sample`: the immediate has bits without a meaning"]
    );
    let made = Made { op: Op::MemoryBarrier, imm: Imm(32), args: &[], results: &[], precision: NONE };
    assert_eq!(
        errors_of(Form::Placed, &made),
        ["f0, b0, n0: `memory_barrier`: the immediate has bits without a meaning"]
    );
    let made = Made { op: Op::MemorySize, imm: Imm::pair(0, 1), args: &[], results: &[], precision: NONE };
    assert_eq!(errors_of(Form::Placed, &made), ["f0, b0, n0: `memory_size`: memory0 does not exist"]);
}
