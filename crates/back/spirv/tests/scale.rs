//! Long programs: nothing recurses with length, and time grows with length alone.

mod legal;

use std::fmt::Write;
use std::time::{Duration, Instant};

use planish_back_spirv::Options;
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::Name;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::{Language, Module, Stage};
use planish_ir::ops::Op;
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::AddressSpace;

use legal::write;

const HEAD: &str = "#version 300 es\nprecision highp float;\nuniform float u;\nout vec4 color;\n";

fn read(text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("long.frag", text).unwrap();
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).map(|d| &d.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    output.module.unwrap()
}

/// Writes on a stack of 256 KiB; gives the time and the number of words, or the errors.
fn try_on_small_stack(module: Module) -> Result<(Duration, usize), Vec<Diagnostic>> {
    let work = move || {
        let start = Instant::now();
        let output = write(&module, &Options::default())?;
        Ok((start.elapsed(), output.words.len()))
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().expect("no overflow")
}

fn write_on_small_stack(module: Module) -> (Duration, usize) {
    try_on_small_stack(module).unwrap_or_else(|errors| panic!("{:?}", errors.first()))
}

/// `else if` after `else if`: nested in the IR, however flat it looks. Each arm has a variable of its own.
fn chain(n: usize) -> Module {
    let mut module = Module::new(Language::Ir);
    let x = module.add_var(Name::temporary("x"), Type::I32, AddressSpace::Private);
    let func = module.add_func(Name::temporary("chain"), vec![], vec![], Span::NONE);
    let own: Vec<_> =
        (0..n).map(|_| module.add_var(Name::temporary("own"), Type::I32, AddressSpace::Function)).collect();
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let mut merges = Vec::new();
    for (i, own) in own.into_iter().enumerate() {
        let value = b.load(x.into());
        let number = b.i32(i as i32);
        let condition = b.op(Op::Equal, &[value, number]);
        let blocks = b.if_(condition);
        b.switch_to(blocks.then);
        b.declare(own);
        let old = b.load(own.into());
        let new = b.op(Op::Add, &[old, number]);
        b.store(x.into(), new);
        b.merge(&[]);
        merges.push(blocks.merge);
        b.switch_to(blocks.otherwise);
    }
    while let Some(merge) = merges.pop() {
        b.merge(&[]);
        b.switch_to(merge);
    }
    b.ret(&[]);
    b.finish();
    module
}

/// The specification guarantees no more than 1,023 nested constructs.
#[test]
fn an_else_if_chain_is_written_as_deep_as_spirv_allows() {
    let (_, words) = write_on_small_stack(chain(900));
    assert!(words > 900 * 10);
    let errors = try_on_small_stack(chain(50_000)).expect_err("it is too deep");
    assert_eq!(errors[0].code, Code::E0690);
}

#[test]
fn fifty_thousand_ifs_in_a_row() {
    let mut source = format!("{HEAD}void main() {{\n    float x = u;\n");
    for i in 0..50_000 {
        writeln!(source, "    if (x > {i}.0) {{ x += {i}.5; }}").unwrap();
    }
    source.push_str("    color = vec4(x);\n}\n");
    let (_, words) = write_on_small_stack(read(&source));
    assert!(words > 50_000 * 10);
}

/// Time for a program eight times as long, divided by eight times that for the short one.
fn growth(program: impl Fn(usize) -> Module) -> f64 {
    let time = |n| {
        let module = program(n);
        (0..3).map(|_| write_on_small_stack(module.clone()).0).min().unwrap()
    };
    let (short, long) = (time(2000), time(16_000));
    println!("2,000: {short:?}; 16,000: {long:?}");
    long.as_secs_f64() / short.as_secs_f64() / 8.0
}

#[test]
fn time_grows_with_length() {
    let program = |n: usize| {
        let mut source = format!("{HEAD}void main() {{\n    float x = u;\n    vec3 v = vec3(u);\n");
        for i in 0..n {
            writeln!(
                source,
                "    float a{i}; x = x * {i}.5 + sin(v.x); v.yz += vec2(x, {i}.0); if (x > 2.0) a{i} = v.z;"
            )
            .unwrap();
        }
        source.push_str("    color = vec4(v, x);\n}\n");
        read(&source)
    };
    let grown = growth(program);
    // Quadratic time would give 8.
    assert!(grown < 4.0, "{grown:.2}");
}
