//! Long programs: the stack is bounded by nesting, not by length, and time and text grow with length alone.

use std::fmt::Write;
use std::time::{Duration, Instant};

use planish_back_glsl::{Options, write};
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::Name;
use planish_ir::entity::Type;
use planish_ir::module::{Language, Module, Stage};
use planish_ir::ops::Op;
use planish_ir::source::{SourceMap, Span};
use planish_ir::types::AddressSpace;

const HEAD: &str = "#version 300 es\nprecision highp float;\nuniform float u;\nout vec4 color;\n";

fn read(text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add("long.frag", text).unwrap();
    let output = compile(&mut map, &file, &mut FrontOptions::new(Stage::Fragment));
    let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).map(|d| &d.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    output.module.unwrap()
}

/// Writes on a stack of one MiB; gives the time and the text.
fn write_on_small_stack(module: Module, options: Options) -> (Duration, String) {
    let work = move || {
        let start = Instant::now();
        let output = write(&module, &options).unwrap_or_else(|e| panic!("{:?}", e.first()));
        (start.elapsed(), output.text)
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().expect("no overflow")
}

/// The longest line, and the deepest nesting of parentheses.
fn shape(text: &str) -> (usize, usize) {
    let (mut depth, mut deepest) = (0usize, 0);
    for c in text.bytes() {
        match c {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    (text.lines().map(str::len).max().unwrap_or(0), deepest)
}

#[test]
fn fifty_thousand_ifs_in_a_row() {
    let mut source = format!("{HEAD}void main() {{\n    float x = u;\n");
    for i in 0..50_000 {
        writeln!(source, "    if (x > {i}.0) {{ x += {i}.5; }}").unwrap();
    }
    source.push_str("    color = vec4(x);\n}\n");
    for options in [Options::es(300), Options { minify: true, ..Options::es(300) }] {
        let (_, text) = write_on_small_stack(read(&source), options);
        assert_eq!(text.matches("if (").count() + text.matches("if(").count(), 50_000);
    }
}

#[test]
fn a_sum_of_a_hundred_thousand() {
    let sum = vec!["u"; 100_000].join(" + ");
    let source = format!("{HEAD}void main() {{ color = vec4({sum}); }}\n");
    let (_, text) = write_on_small_stack(read(&source), Options::es(300));
    assert_eq!(text.matches(" + ").count(), 99_999);
    let (longest, _) = shape(&text);
    assert!(longest < 2000, "{longest}");
}

#[test]
fn expressions_do_not_grow_without_bound() {
    let mut source = format!("{HEAD}float f(float x) {{ return sin(x); }}\nvoid main() {{\n    float x = u;\n");
    source.push_str("    x = ");
    for _ in 0..120 {
        source.push_str("f(1.0 + ");
    }
    source.push('x');
    source.push_str(&")".repeat(120));
    source.push_str(";\n    color = vec4(x);\n}\n");
    let (_, text) = write_on_small_stack(read(&source), Options::es(300));
    assert!(shape(&text).1 < 100, "{text}");
}

#[test]
fn time_grows_with_length() {
    let program = |n: usize| {
        let mut source = format!("{HEAD}void main() {{\n    float x = u;\n    vec3 v = vec3(u);\n");
        for i in 0..n {
            writeln!(source, "    x = x * {i}.5 + sin(v.x); v.yz += vec2(x, {i}.0); if (x > 2.0) v = v.zyx;").unwrap();
        }
        source.push_str("    color = vec4(v, x);\n}\n");
        read(&source)
    };
    let time = |n| {
        let module = program(n);
        (0..3).map(|_| write_on_small_stack(module.clone(), Options::es(300)).0).min().unwrap()
    };
    let (short, long) = (time(1000), time(8_000));
    let growth = long.as_secs_f64() / short.as_secs_f64() / 8.0;
    println!("1,000 groups: {short:?}; 8,000 groups: {long:?}; growth per group {growth:.2}");
    // Quadratic time would give 8.
    assert!(growth < 4.0, "{short:?} for 1,000 groups, {long:?} for 8,000");
}

/// An `else if` ladder is nested in the IR, however flat it looks.
#[test]
fn a_long_else_if_chain() {
    const N: usize = 50_000;
    let mut module = Module::new(Language::Ir);
    let x = module.add_var(Name::temporary("x"), Type::I32, AddressSpace::Private);
    let func = module.add_func(Name::temporary("chain"), vec![], vec![], Span::NONE);
    let mut b = Builder::new(&mut module, func, Policy::PLAIN);
    let mut merges = Vec::new();
    for i in 0..N as i32 {
        let value = b.load(x.into());
        let number = b.i32(i);
        let condition = b.op(Op::Equal, &[value, number]);
        let blocks = b.if_(condition);
        b.switch_to(blocks.then);
        b.store(x.into(), number);
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
    let (_, text) = write_on_small_stack(module, Options::es(300));
    assert_eq!(text.matches("else if").count(), N - 1);
    assert!(!text.contains("            "), "the chain is not indented");
}
