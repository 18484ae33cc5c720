//! Programs that nest, with the evaluator: what they give is the same after the optimizer as before, for every shape of
//! `planish_testkit::nests`, and for random constructs in each other.

use planish::eval::{EvalValue, Evaluator, Limits, Stop};
use planish::ir::entity::Type;
use planish::ir::function::TrapKind;
use planish::ir::text::parse_str;
use planish::ir::verify::verify;
use planish::module::Module;
use planish::{Compiler, Optimizer};
use planish_testkit::nests as shapes;

/// Results of the exported function for a few arguments; `None` where it does not end soon.
fn results(module: &Module) -> Vec<Option<Result<Vec<u64>, TrapKind>>> {
    let func = module.entry_points[0].func;
    let arguments = [0, 1, 2, 5].into_iter().flat_map(|x| [false, true].map(|c| (x, c)));
    let call = |(x, c): (u64, bool)| {
        let args = [EvalValue { ty: Type::I32, bits: vec![x] }, EvalValue { ty: Type::BOOL, bits: vec![c.into()] }];
        let limits = Limits { steps: 20_000, ..Limits::default() };
        match Evaluator::new(module, limits).expect("nothing runs before").call(func, &args) {
            Ok(values) => Some(Ok(values.into_iter().flat_map(|v| v.bits).collect())),
            Err(Stop::Trap { kind, .. }) => Some(Err(kind)),
            Err(_) => None,
        }
    };
    arguments.map(call).collect()
}

/// Checks that all levels keep what a program gives; how many results were compared.
fn check(what: &str, text: &str) -> usize {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{what}: {errors:?}\n{text}"));
    assert_eq!(verify(&module), [], "{what}\n{text}");
    let expected = results(&module);
    for level in ["2", "s"] {
        let mut after = module.clone();
        Optimizer::level(level).expect("it is a level").run(&mut after, &mut |_, _| {});
        for (got, expected) in results(&after).into_iter().zip(&expected).filter(|pair| pair.1.is_some()) {
            assert_eq!(got.as_ref(), expected.as_ref(), "{what}, -O{level}\n{text}");
        }
    }
    expected.iter().flatten().count()
}

#[test]
fn shapes_mean_the_same_after_as_before() {
    let mut compared = 0;
    for (name, shape) in shapes::SHAPES {
        for depth in [1, 2, 3, 7, 20] {
            compared += check(&format!("{name}, {depth} deep"), &shape(depth));
        }
    }
    assert!(compared > 500, "only {compared}");
}

/// The inner loop is left in its first round while the outer one is thought to run once, and comes round again later.
#[test]
fn a_loop_that_was_found_not_to_repeat_may_do_so_after_all() {
    let source = "#version 300 es
        precision highp float;
        out vec4 color;
        void main() {
            int rounds = 0;
            int i = 0;
            while (i++ < 2) {
                for (int j = 0; j < 3; ++j) {
                    rounds++;
                    if (0.0 <= vec2(-1.0, 1.0)[i]) break;
                }
            }
            color = vec4(rounds);
        }";
    let module = Compiler::default().compile("rounds.frag", source).module.expect("the shader is valid");
    for level in ["1", "2", "s"] {
        let mut after = module.clone();
        Optimizer::level(level).expect("it is a level").run(&mut after, &mut |_, _| {});
        assert_eq!(verify(&after), [], "-O{level}");
    }
}

#[test]
fn random_nests_mean_the_same_after_as_before() {
    let mut compared = 0;
    planish_generate::for_each_seed(0..200, 400, |bytes| {
        for depth in [4, 9, 14] {
            compared += check("a random nest", &shapes::random(bytes, depth));
        }
    });
    assert!(compared > 2000, "only {compared}");
}
