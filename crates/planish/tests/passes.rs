//! Passes through the library, where functions run: the file tests are in `crates/opt/tests/passes.rs`.

use planish::Optimizer;
use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::ir::function::TrapKind;
use planish::ir::text::parse_str;
use planish::module::Module;

/// A function that calls itself last is a loop, and runs as long as it likes.
#[test]
fn deep_recursion_is_a_loop() {
    let text = "module ir\n\nfn @sum(%0 n: i32, %1 sum: u32) -> (u32) {\nb0:\n  %2 = equal %0, 0\n  if %2 {\n  then b1:\n    return %1\n  \
        else b2:\n    merge\n  }\nb3:\n  %3 = subtract %0, 1\n  %4 : u32 = construct_scalar_from_scalar %0\n  %5 = add %1, %4\n  \
        %6 = call @sum, %3, %5\n  return %6\n}\n\nfn @main(%0 n: i32) -> (u32) {\nb0:\n  %1 = call @sum, %0, 0u\n  return %1\n}\n\
        export @main \"main\"\n";
    let module = parse_str(text).expect("it is well-formed");
    let call = |module: &Module| {
        let (func, function) = module.funcs.iter().find(|(_, f)| &*f.name.text == "main").expect("it is there");
        let n = EvalValue { ty: function.params[0].ty, bits: vec![100_000] };
        let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
        evaluator.call(func, &[n]).map(|values| values[0].bits.clone())
    };
    assert!(matches!(call(&module), Err(Stop::Trap { kind: TrapKind::StackOverflow, .. })));
    for level in ["2", "s"] {
        let mut looped = module.clone();
        let told = Optimizer::level(level).expect("it is a level").run(&mut looped, &mut |_, _| {});
        assert_eq!(call(&looped), Ok(vec![5_000_050_000 & 0xffff_ffff]), "-O{level}");
        assert_eq!(looped.funcs.len(), 1, "-O{level}: it is inlined");
        assert!(told.remarks.iter().all(|r| r.name != "NotInlined"), "{:?}", told.remarks);
    }
}
