//! Rules, costs, ops and phases of the user's own, from outside the crate.

use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;
use planish_opt::cost::{GPU, MACHINE};
use planish_opt::rules::{CustomRule, Law};
use planish_opt::{Context, Options, PASSES, Phase, RemarkKind, pipeline, run_passes};

fn module(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(verify(&module), []);
    module
}

fn optimized(text: &str, options: Options) -> (String, Context) {
    let mut module = module(text);
    let mut context = Context::new(options);
    run_passes(&mut module, &pipeline("2").expect("a level"), &mut context, &mut |_, _| {});
    assert_eq!(verify(&module), []);
    (print(&module), context)
}

fn lower(module: &mut Module, context: &mut Context) {
    let lower = PASSES.iter().find(|pass| pass.name == "lower_custom_ops").expect("it is a pass");
    run_passes(module, &[lower], context, &mut |_, _| {});
}

/// A function of one `f32` with an op `f` to `h` of each phase.
fn function(body: &str) -> String {
    let ops = ["f", "g", "h"].map(|op| format!("op {op} fn(f32) -> (f32) pure cost 1 phase {op}s\n")).concat();
    format!("module ir\n{ops}\nfn @main(%0 x: f32, %1 c: bool) -> (f32) {{\nb0:\n{body}}}\nexport @main \"main\"\n")
}

#[test]
fn a_rule_sees_through_variables_branches_and_loops() {
    // Three applications of `f` are one of `g`.
    let rule = CustomRule::on("f", "three", Law::Exact, "f(f(f(x))) → g(x)", |s| {
        let once = s.custom_args(s.arg(0), "f")?;
        let twice = s.custom_args(once[0], "f")?;
        s.make_custom("g", &[twice[0]])
    });
    let text = function(
        "  var @v: f32\n  store @v, %0\n  %2 = load @v\n  %3 = custom[f] %2\n  store @v, %3\n  if %1 {\n  then b1:\n    \
         %4 = load @v\n    %5 = custom[f] %4\n    store @v, %5\n    merge\n  else b2:\n    return 1.0\n  }\nb3:\n  loop 0 {\n  \
         cond b4(%6: i32):\n    %7 = less_than %6, 1\n    loop_if %7\n  body b5:\n    %8 = load @v\n    %9 = custom[f] %8\n    \
         store @v, %9\n    %10 = add %6, 1\n    continue b3, %10\n  }\nb6:\n  %11 = load @v\n  return %11\n",
    );
    let (after, context) = optimized(&text, Options { rules: vec![rule], ..Options::default() });
    assert!(after.contains("custom[g] %0") && !after.contains("custom[f]"), "{after}");
    assert!(context.stats.iter().any(|(_, name, _)| name == "three"));
}

#[test]
fn rules_that_chase_each_other_end_and_say_so() {
    let swap = |from: &'static str, to: &'static str, name| {
        CustomRule::on(from, name, Law::Exact, "→", move |s| s.make_custom(to, &[s.arg(0)]))
    };
    let rules = vec![swap("f", "g", "f_to_g"), swap("g", "f", "g_to_f")];
    let (_, context) =
        optimized(&function("  %2 = custom[f] %0\n  return %2\n"), Options { rules, ..Options::default() });
    assert!(context.stats.iter().any(|(_, name, count)| name == "RuleDepthReached" && count > 0));
    let remark = context.remarks.iter().find(|remark| remark.name == "RuleDepthReached").expect("it is told");
    assert_eq!((remark.kind, &*remark.function), (RemarkKind::Limit, "main"));
    assert_eq!(remark.message, "stopped after 64 nested rules: `f_to_g`, `g_to_f` rewrite their own results");
    assert!(!remark.span.is_none());
}

/// A rule that makes two of each node would make 2^64 of them.
#[test]
fn rules_that_multiply_end() {
    let rule = CustomRule::on("f", "doubles", Law::Exact, "f(x) → f(x + 1) + f(x - 1)", |s| {
        let one = s.b.f32(1.0);
        let (above, below) = (s.make(Op::Add, &[s.arg(0), one]), s.make(Op::Subtract, &[s.arg(0), one]));
        let (above, below) = (s.make_custom("f", &[above])?, s.make_custom("f", &[below])?);
        Some(s.make(Op::Multiply, &[above, below]))
    });
    let options = Options { rules: vec![rule], ..Options::default() };
    let mut module = module(&function("  %2 = custom[f] %0\n  return %2\n"));
    let mut context = Context::new(options);
    let promote = PASSES.iter().find(|pass| pass.name == "promote_variables").expect("it is a pass");
    run_passes(&mut module, &[promote], &mut context, &mut |_, _| {});
    assert!(context.stats.get("promote_variables", "RuleDepthReached") > 0);
    let hits = context.stats.get("promote_variables", "doubles");
    // Rules that were being applied when the fuel ended are finished.
    assert!((64..=4096 + 64).contains(&hits), "{hits}");
}

#[test]
fn a_rule_comes_before_the_built_in_ones_and_obeys_the_laws() {
    let rule = |law| CustomRule::new("zero", &[Op::Multiply], law, "x * y → 0", |s| Some(s.zero()));
    let text = function("  %2 = add %0, 1.0\n  %3 = multiply %0, %2\n  return %3\n");
    let with = |law, fast_math| optimized(&text, Options { rules: vec![rule(law)], fast_math, ..Options::default() }).0;
    assert!(with(Law::Exact, false).contains("return 0.0"));
    assert!(with(Law::Associative, false).contains("multiply"));
    assert!(with(Law::Associative, true).contains("return 0.0"));
}

#[test]
fn costs_of_the_users_own_decide() {
    // On a `gpu` a small conditional is a select; where branches cost nothing, it stays one.
    let text = function(
        "  if %1 {\n  then b1:\n    %2 = multiply %0, %0\n    %3 = add %2, 3.0\n    merge %3\n  else b2:\n    merge %0\n  }\n\
         b3(%4: f32):\n  return %4\n",
    );
    let mut cheap = GPU.clone();
    (cheap.name, cheap.branch) = ("predicting", 0);
    let with = |costs| optimized(&text, Options { costs: Some(costs), ..Options::default() }).0;
    assert!(with((&GPU).into()).contains("select"));
    assert!(with(cheap.into()).contains("if %1"));
    // An op of the user's own has the cost of its row.
    let custom = function(
        "  if %1 {\n  then b1:\n    %2 = custom[f] %0\n    merge %2\n  else b2:\n    merge %0\n  }\nb3(%4: f32):\n  return %4\n",
    );
    let with = |text: &str| optimized(text, Options::default()).0;
    assert!(with(&custom).contains("select"));
    assert!(
        with(&custom.replace("f fn(f32) -> (f32) pure cost 1", "f fn(f32) -> (f32) pure cost 50")).contains("if %1")
    );
    assert_eq!(MACHINE.clone().with(Op::Sin, 99).of(Op::Sin), 99);
}

#[test]
fn effects_decide_what_is_shared_and_dropped() {
    let text =
        function("  %2 = custom[f] %0\n  %3 = custom[f] %0\n  %4 = custom[f] %2\n  %5 = add %2, %3\n  return %5\n");
    assert_eq!(optimized(&text, Options::default()).0.matches("custom[f]").count(), 1);
    for (effect, op) in [("may_trap", "custom_trapping"), ("ordered", "custom_ordered")] {
        let text = text.replace("f fn(f32) -> (f32) pure", &format!("f fn(f32) -> (f32) {effect}"));
        let after = optimized(&text.replace("custom[f]", &format!("{op}[f]")), Options::default()).0;
        // Equal ones trap together; none with an effect is shared, and none of the two is dropped.
        let expected = if effect == "ordered" { 3 } else { 2 };
        assert_eq!(after.matches(&format!("{op}[f]")).count(), expected, "{after}");
    }
}

#[test]
fn phases_run_in_order_each_with_what_the_last_has_made() {
    let next = |name: &'static str, next: &'static str| {
        Phase::new(&format!("{name}s")).lower(name, move |site| {
            let next = site.b.module.custom_op(next).expect("it is declared");
            let once = site.b.custom(next, &[site.args()[0]])[0];
            vec![site.b.op(Op::Add, &[once, once])]
        })
    };
    let last = Phase::new("hs").lower("h", |site| vec![site.b.op(Op::Negate, &[site.args()[0]])]);
    let mut context =
        Context::new(Options { phases: vec![next("f", "g"), next("g", "h"), last], ..Options::default() });
    let mut module = module(&function("  %2 = custom[f] %0\n  return %2\n"));
    let left = |module: &Module| ["f", "g", "h"].map(|op| print(module).contains(&format!("custom[{op}]")));
    for expected in [[false, true, false], [false, false, true], [false, false, false]] {
        lower(&mut module, &mut context);
        assert_eq!(left(&module), expected);
    }
    assert_eq!(context.stats.get("lower_custom_ops", "Lowered"), 3);
}

#[test]
fn what_is_lowered_to_itself_ends_with_a_remark() {
    let phase = Phase::new("fs").lower("f", |site| {
        let f = site.b.module.custom_op("f").expect("it is declared");
        site.b.custom(f, &[site.args()[0]]).to_vec()
    });
    let mut context = Context::new(Options { phases: vec![phase], ..Options::default() });
    lower(&mut module(&function("  %2 = custom[f] %0\n  return %2\n")), &mut context);
    assert!(context.remarks.iter().any(|remark| (remark.kind, remark.name) == (RemarkKind::Limit, "NotLowered")));
}

/// Memory that a pointer leads to is as unknown after the op as after a call, here and in callers.
#[test]
fn ordered_ops_may_write_to_what_their_operands_point_to() {
    let text = "module ir\nop get ordered cost 1\nvar private @p: f32\n\n\
        fn @both(noalias %0 a: *private f32, inout %1 b: *function f32) {\nb0:\n  custom_ordered[get fn(*private f32) -> ()] %0\n  \
        custom_ordered[get fn(*function f32) -> ()] %1\n  return\n}\n\n\
        fn @direct() -> (f32) {\nb0:\n  var @v: f32\n  store @v, 1.0\n  store @p, 2.0\n  \
        custom_ordered[get fn(*function f32) -> ()] @v\n  custom_ordered[get fn(*private f32) -> ()] @p\n  %0 = load @v\n  \
        %1 = load @p\n  %2 = add %0, %1\n  return %2\n}\n\n\
        fn @called() -> (f32) {\nb0:\n  var @w: f32\n  loop 0 {\n  cond b1(%0: i32):\n    %1 = less_than %0, 9\n    loop_if %1\n  \
        body b2:\n    store @w, 1.0\n    store @p, 2.0\n    call @both, @p, @w\n    %2 = load @w\n    %3 = load @p\n    \
        %4 = add %2, %3\n    store @w, %4\n    %5 = add %0, 1\n    continue b0, %5\n  }\nb3:\n  %6 = load @w\n  return %6\n}\n\
        export @direct \"direct\"\nexport @called \"called\"\n";
    let (after, _) = optimized(text, Options::default());
    let part = |name: &str| after.split("\nfn ").find(|f| f.starts_with(name)).expect("it is there").to_owned();
    for name in ["@direct", "@called"] {
        let body = part(name);
        assert_eq!(body.matches("= load @").count(), if name == "@direct" { 2 } else { 3 }, "{body}");
        assert!(body.matches("store @").count() >= 2, "{body}");
    }
}
