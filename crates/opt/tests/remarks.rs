//! Remarks of the schedule on loops, with `Options::explain`.

use planish_ir::text::parse_str;
use planish_opt::{Context, Options, RemarkKind, pipeline, run_passes};

const LOOP: &str = "module ir
var uniform @u: f32
var private @p: f32
var storage @b: f32

fn @touch() {
b0:
  store @p, 1.0
  return
}

fn @main(%0 x: f32, %1 n: i32, %2 d: i32) -> (f32) {
b0:
  %3 = exp %0
  loop 0, 0.0 {
  cond b1(%4: i32, %5: f32):
    %6 = less_than %4, %1
    loop_if %6
  body b2:
    %7 = sin %0
    %8 = multiply %7, 3.0
    %9 = dfdx %0
    %10 = divide_trapping %1, %2
    %11 = divide %1, %2
    %12 = load @b
    %13 = add %8, %9
    %14: f32 = construct_scalar_from_scalar %10
    %15: f32 = construct_scalar_from_scalar %11
    %16 = add %13, %14
    %17 = add %16, %15
    %18 = add %17, %12
    %19 = add %18, %3
    %20 = add %5, %19
    store @b, %20
    %21 = add %4, 1
    continue b0, %21, %20
  }
b3:
  return %5
}
export @main \"main\"
";

fn remarks(explain: bool) -> Vec<(RemarkKind, &'static str, String)> {
    let mut module = parse_str(LOOP).expect("it is well-formed");
    let mut context = Context::new(Options { explain, ..Options::default() });
    run_passes(&mut module, &pipeline("2").expect("it is a level"), &mut context, &mut |_, _| {});
    let of_schedule = context.remarks.into_iter().filter(|r| r.pass == "schedule");
    of_schedule.map(|r| (r.kind, r.name, r.message)).collect()
}

#[test]
fn what_leaves_a_loop_is_told_once_and_what_cannot_with_the_reason() {
    let told = remarks(true);
    let text: Vec<String> = told.iter().map(|(kind, name, message)| format!("{kind:?} {name}: {message}")).collect();
    let stays = |op: &str, why: &str| {
        format!("Missed NotHoisted: `{op}` stays in the loop, though its operands do not change there: {why}")
    };
    let expected = [
        "Passed Hoisted: `multiply` and its operands are moved out of a loop".to_owned(),
        stays("dfdx", "it depends on the neighbours of the fragment, who may not run the loop"),
        stays("divide_trapping", "it may trap, and the loop may not run"),
        stays("divide", "it divides by what may be zero where the loop does not run"),
    ];
    for line in &expected {
        assert_eq!(text.iter().filter(|t| *t == line).count(), 1, "{line}\n{text:#?}");
    }
    assert!(!text.iter().any(|t| t.contains("`exp`") || t.contains("`sin`")), "{text:#?}");
}

#[test]
fn nobody_asks_nothing_is_told() {
    assert_eq!(remarks(false), []);
}
