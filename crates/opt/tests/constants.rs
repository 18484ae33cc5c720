//! Calls with constant arguments melt at `-O2`.

use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};
use planish_ir::walk;
use planish_opt::{Context, Options, pipeline, run_passes};

const RECURSIVE: &str = "fn @power(%0 x: f32, %1 n: i32) -> (f32) {\nb0:\n  %2 = equal %1, 0\n  if %2 {\n  then b1:\n    \
     return 1.0\n  else b2:\n    %3 = subtract %1, 1\n    %4 = call @power, %0, %3\n    %5 = multiply %0, %4\n    return %5\n  }\n\
     b3:\n  trap unreachable\n}\n";

const LOOPED: &str = "fn @power(%0 x: f32, %1 n: i32) -> (f32) {\nb0:\n  loop 1.0, 0 {\n  cond b1(%2: f32, %3: i32):\n    \
     %4 = less_than %3, %1\n    loop_if %4\n  body b2:\n    %5 = multiply %2, %0\n    %6 = add %3, 1\n    continue b0, %5, %6\n  \
     }\nb3:\n  return %2\n}\n";

const TAIL: &str = "fn @power(%0 x: f32, %1 n: i32, %2 so_far: f32) -> (f32) {\nb0:\n  %3 = equal %1, 0\n  if %3 {\n  then b1:\n    \
     return %2\n  else b2:\n    %4 = subtract %1, 1\n    %5 = multiply %2, %0\n    %6 = call @power, %0, %4, %5\n    return %6\n  }\n\
     b3:\n  trap unreachable\n}\n";

fn optimized(text: &str) -> (Module, Context) {
    let mut module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let mut context = Context::new(Options::default());
    run_passes(&mut module, &pipeline("2").expect("a level"), &mut context, &mut |_, _| {});
    (module, context)
}

/// Two calls of `power`, with 4 and 5, in a module that keeps the function.
fn calls(power: &str) -> String {
    let more = if power == TAIL { ", 1.0" } else { "" };
    format!(
        "module ir\n\n{power}\nfn @main(%0 x: f32, %1 y: f32) -> (f32) {{\nb0:\n  %2 = call @power, %0, 4{more}\n  \
         %3 = call @power, %1, 5{more}\n  %4 = add %2, %3\n  return %4\n}}\nexport @main \"main\"\n"
    )
}

#[test]
fn a_power_with_a_constant_exponent_is_multiplications() {
    for power in [RECURSIVE, LOOPED, TAIL] {
        let (module, _) = optimized(&calls(power));
        let text = print(&module);
        assert_eq!(module.funcs.len(), 1, "{text}");
        let body = module.funcs.values().next().and_then(|f| f.body.as_ref()).expect("it is there");
        let ops: Vec<Op> = walk::blocks(body)
            .flat_map(|block| body.blocks[block].nodes.iter().map(|&node| body.node(node).op))
            .collect();
        assert!(ops.iter().all(|op| matches!(op, Op::Multiply | Op::Add)), "{text}");
        assert!(ops.len() <= 3 + 4 + 1, "{text}");
    }
}

/// Each call of Ackermann's function and of a recursion that grows asks for others; what is made of them stays bounded.
#[test]
fn recursion_without_end_does_not_grow_the_program() {
    let ackermann = "module ir\n\nfn @a(%0 m: i32, %1 n: i32) -> (i32) {\nb0:\n  %2 = equal %0, 0\n  if %2 {\n  then b1:\n    \
         %3 = add %1, 1\n    return %3\n  else b2:\n    %4 = subtract %0, 1\n    %5 = equal %1, 0\n    if %5 {\n    then b3:\n      \
         %6 = call @a, %4, 1\n      return %6\n    else b4:\n      %7 = subtract %1, 1\n      %8 = call @a, %0, %7\n      \
         %9 = call @a, %4, %8\n      return %9\n    }\n  b5:\n    trap unreachable\n  }\nb6:\n  trap unreachable\n}\n\n\
         fn @main(%0 n: i32) -> (i32) {\nb0:\n  %1 = call @a, 2, %0\n  %2 = call @a, 3, 1\n  %3 = add %1, %2\n  return %3\n}\n\
         export @main \"main\"\n";
    let (module, context) = optimized(ackermann);
    let nodes: usize = module.funcs.values().filter_map(|f| f.body.as_ref()).map(walk::node_count).sum();
    assert!(nodes < 400, "{nodes} nodes\n{}", print(&module));
    assert!(context.stats.iter().all(|(_, name, count)| name != "Copied" || count <= 3 * 32));
}
