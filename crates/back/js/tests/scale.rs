//! Long programs: nothing recurses with length, and the output's size is linear in length.

use planish_back_js::{Options, write_asm, write_module};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, Precision};
use planish_ir::entity::Type;
use planish_ir::function::{Direction, Param, ResultType};
use planish_ir::module::{EntryPoint, Language, Module, StageProperties};
use planish_ir::ops::Op;
use planish_ir::source::Span;

/// A function from `i32` to `i32`, that `build` makes.
fn program(build: &dyn Fn(&mut Builder<'_, '_>)) -> Module {
    let mut module = Module::new(Language::Ir);
    let (precision, span) = (Precision::None, Span::NONE);
    let param = Param { name: Name::temporary("x"), ty: Type::I32, precision, direction: Direction::In, span };
    let results = vec![ResultType { ty: Type::I32, precision }];
    let func = module.add_func(Name::temporary("f"), vec![param], results, span);
    module.entry_points.push(EntryPoint {
        names: vec!["f".into()],
        func,
        stage: None,
        properties: StageProperties::default(),
    });
    let mut b = Builder::new(&mut module, func, Policy::VERBATIM);
    build(&mut b);
    b.finish();
    module
}

/// `else if` after `else if`: nested in the IR, however flat it looks.
fn chain(n: usize) -> Module {
    program(&|b| {
        let x = b.param(0);
        let mut merges = Vec::new();
        for i in 0..n {
            let number = b.i32(i as i32);
            let condition = b.op(Op::Equal, &[x, number]);
            let blocks = b.if_(condition);
            let input = b.add_input(blocks.merge, Type::I32, Precision::None);
            b.switch_to(blocks.then);
            let value = b.op(Op::Multiply, &[x, number]);
            b.merge(&[value]);
            merges.push((blocks.merge, input));
            b.switch_to(blocks.otherwise);
        }
        let mut last = x;
        while let Some((merge, input)) = merges.pop() {
            b.merge(&[last]);
            b.switch_to(merge);
            last = input;
        }
        b.ret(&[last]);
    })
}

/// One statement after the other, each of the last two.
fn straight(n: usize) -> Module {
    program(&|b| {
        let (mut x, mut y) = (b.param(0), b.param(0));
        for _ in 0..n {
            (x, y) = (y, b.op(Op::Add, &[x, y]));
        }
        b.ret(&[y]);
    })
}

/// One conditional after the other.
fn conditionals(n: usize) -> Module {
    program(&|b| {
        let mut x = b.param(0);
        for i in 0..n {
            let number = b.i32(i as i32);
            let condition = b.op(Op::LessThan, &[x, number]);
            let blocks = b.if_(condition);
            let input = b.add_input(blocks.merge, Type::I32, Precision::None);
            b.switch_to(blocks.then);
            let next = b.op(Op::Add, &[x, number]);
            b.merge(&[next]);
            b.switch_to(blocks.otherwise);
            b.merge(&[x]);
            b.switch_to(blocks.merge);
            x = input;
        }
        b.ret(&[x]);
    })
}

/// Bytes of both forms, written on a stack of 256 KiB.
fn written(module: Module) -> [usize; 2] {
    let work = move || {
        [write_module, write_asm]
            .map(|write| write(&module, &Options::default()).unwrap_or_else(|e| panic!("{:?}", e.first())).text.len())
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().expect("no overflow")
}

#[test]
fn what_is_written_grows_as_the_program_does() {
    for (name, make, n) in [
        ("chain", chain as fn(usize) -> Module, 4_000),
        ("straight", straight, 20_000),
        ("conditionals", conditionals, 8_000),
    ] {
        let (one, two) = (written(make(n)), written(make(2 * n)));
        for (one, two) in one.into_iter().zip(two) {
            assert!(one > 10 * n && two < one * 5 / 2, "{name}: {one} and {two} bytes");
        }
    }
}
