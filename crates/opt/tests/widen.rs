//! Widened functions compute in each active lane what the function computes in one invocation, bit for bit.

use planish_eval::{EvalValue, Evaluator, Limits};
use planish_generate::Choices;
use planish_ir::entity::{Func, Type};
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::text::{parse_str, print};
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::widen::{LANES, WidenOptions, widen};
use planish_opt::{Context, Options, lower_to_scalars, pipeline, run_passes};
use planish_target::legal::TargetInfo;
use planish_testkit::seeds;
use planish_testkit::{nests, random_programs};

const LIMITS: Limits = Limits { steps: 2_000_000, words: 1 << 24, depth: 1000 };

/// Results of each lane; `None` of those that trap or do not end.
fn alone(module: &Module, func: Func, args: &[Vec<EvalValue>]) -> Vec<Option<Vec<EvalValue>>> {
    let run = |args: &Vec<EvalValue>| {
        let mut evaluator = Evaluator::new(module, LIMITS).expect("needs no memory");
        evaluator.call(func, args).ok()
    };
    args.iter().map(run).collect()
}

/// Calls a widened function; the bits of its results, by lane.
fn together(module: &Module, func: Func, active: &[bool], args: &[Vec<EvalValue>]) -> Result<Vec<Vec<u64>>, String> {
    let params = &module.funcs[func].params;
    let mut columns = vec![active.iter().map(|&a| u64::from(a)).collect::<Vec<u64>>()];
    let flat: Vec<Vec<u64>> =
        args.iter().map(|lane| lane.iter().flat_map(|v| v.bits.iter().copied()).collect()).collect();
    columns.extend((0..params.len() - 1).map(|c| flat.iter().map(|lane| lane[c]).collect()));
    let values: Vec<EvalValue> = params.iter().zip(columns).map(|(p, bits)| EvalValue { ty: p.ty, bits }).collect();
    let mut evaluator = Evaluator::new(module, LIMITS).expect("needs no memory");
    let results = evaluator.call(func, &values).map_err(|stop| stop.to_string())?;
    Ok((0..active.len()).map(|lane| results.iter().map(|result| result.bits[lane]).collect()).collect())
}

/// The 128-bit values of lanes, as two words each.
pub(crate) fn packed(scalar: Scalar, lanes: &[u64]) -> Vec<Vec<u64>> {
    let word = |chunk: &[u64]| match (scalar.bits(), scalar) {
        (64, _) => chunk[0],
        (_, Scalar::Bool) => [0, 0xffff_ffff][chunk[0] as usize] | [0, 0xffff_ffff << 32][chunk[1] as usize],
        _ => chunk[0] | chunk[1] << 32,
    };
    let words: Vec<u64> = lanes.chunks(if scalar.bits() == 64 { 1 } else { 2 }).map(word).collect();
    words.chunks(2).map(<[u64]>::to_vec).collect()
}

/// The lanes of 128-bit values.
pub(crate) fn unpacked(scalar: Scalar, words: &[u64]) -> Vec<u64> {
    match (scalar.bits(), scalar) {
        (64, _) => words.to_vec(),
        (_, Scalar::Bool) => words.iter().flat_map(|w| [w & 1, w >> 32 & 1]).collect(),
        _ => words.iter().flat_map(|w| [w & 0xffff_ffff, w >> 32]).collect(),
    }
}

/// As [`together`], of a function whose lanes are lowered to 128-bit values; `lanes` is the function before.
fn on_v128(
    module: &Module,
    (before, func): &(Module, Func),
    active: &[bool],
    args: &[Vec<EvalValue>],
) -> Result<Vec<Vec<u64>>, String> {
    let lanes = &before.funcs[*func];
    let scalar = |ty: Type| before.types.scalar_of(ty).expect("lanes");
    let flat: Vec<Vec<u64>> =
        args.iter().map(|lane| lane.iter().flat_map(|v| v.bits.iter().copied()).collect()).collect();
    let mut columns = vec![active.iter().map(|&a| u64::from(a)).collect::<Vec<u64>>()];
    columns.extend((0..lanes.params.len() - 1).map(|c| flat.iter().map(|lane| lane[c]).collect()));
    let words = lanes.params.iter().zip(&columns).flat_map(|(param, column)| packed(scalar(param.ty), column));
    let lowered = module.entry_points[0].func;
    let params = &module.funcs[lowered].params;
    let values: Vec<EvalValue> = params.iter().zip(words).map(|(p, bits)| EvalValue { ty: p.ty, bits }).collect();
    let mut evaluator = Evaluator::new(module, LIMITS).expect("needs no memory");
    let mut results = evaluator.call(lowered, &values).map_err(|stop| stop.to_string())?.into_iter();
    let mut found: Vec<Vec<u64>> = vec![Vec::new(); active.len()];
    for result in &lanes.results {
        let scalar = scalar(result.ty);
        let parts = active.len() * if scalar.bits() == 64 { 2 } else { 1 } / 4;
        let words: Vec<u64> = results.by_ref().take(parts).flat_map(|value| value.bits).collect();
        found.iter_mut().zip(unpacked(scalar, &words)).for_each(|(lane, bits)| lane.push(bits));
    }
    Ok(found)
}

/// The module with a function widened, and what `-O2` makes of it.
fn widened(module: &Module, func: Func, n: u8) -> [(Module, Func); 2] {
    let mut plain = module.clone();
    let options = WidenOptions { lanes: n, ..WidenOptions::default() };
    let widened = widen(&mut plain, func, &options).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(verify(&plain), [], "{}", print(&plain));
    let names = vec!["lanes".into()];
    plain.entry_points =
        vec![EntryPoint { names, func: widened.func, stage: None, properties: StageProperties::default() }];
    let mut optimized = plain.clone();
    run_passes(&mut optimized, &pipeline("2").expect("a level"), &mut Context::new(Options::default()), &mut |_, _| {});
    assert_eq!(verify(&optimized), [], "{}", print(&optimized));
    let found = optimized.entry_points[0].func;
    [(plain, widened.func), (optimized, found)]
}

fn special(random: &mut Choices<'_>, scalar: Option<Scalar>) -> u64 {
    let small = random.below(9) as i64 - 2;
    match scalar {
        Some(Scalar::Bool) => (small & 1) as u64,
        Some(Scalar::F32) => u64::from([small as f32, small as f32 / 4.0, f32::NAN, -0.0][random.below(4)].to_bits()),
        Some(Scalar::F64) => (small as f64 / 4.0).to_bits(),
        Some(Scalar::I64 | Scalar::U64) => small as u64,
        _ => u64::from(small as u32),
    }
}

/// Compares a function with its widened ones, on arguments drawn at random; the number of comparisons.
fn compare(name: &str, module: &Module, func: Func, random: &mut Choices<'_>) -> usize {
    let types: Vec<Type> = module.funcs[func].params.iter().map(|p| p.ty).collect();
    let mut compared = 0;
    for n in LANES {
        let modules = widened(module, func, n);
        let lowered = modules.clone().map(|(mut module, _)| {
            run_passes(&mut module, &pipeline("1").expect("a level"), &mut Context::default(), &mut |_, _| {});
            lower_to_scalars::run_on_lanes(&mut module, &TargetInfo::EVERYTHING, &mut Context::default(), n)
                .unwrap_or_else(|errors| panic!("{errors:#?}"));
            assert_eq!(verify(&module), [], "{}", print(&module));
            module
        });
        for _ in 0..3 {
            let mut args: Vec<Vec<EvalValue>> = Vec::new();
            for _ in 0..n {
                let one = |&ty: &Type| EvalValue { ty, bits: vec![special(random, module.types.scalar_of(ty))] };
                args.push(types.iter().map(one).collect());
            }
            let expected = alone(module, func, &args);
            let active: Vec<bool> = expected.iter().map(|e| e.is_some() && random.below(4) > 0).collect();
            for which in 0..4 {
                let module = if which < 2 { &modules[which].0 } else { &lowered[which - 2] };
                let found = match which {
                    0 | 1 => together(module, modules[which].1, &active, &args),
                    _ => on_v128(module, &modules[which - 2], &active, &args),
                };
                let found =
                    found.unwrap_or_else(|stop| panic!("{name}, {n} lanes, {which}: {stop}\n{}", print(module)));
                for lane in (0..usize::from(n)).filter(|&lane| active[lane]) {
                    let wanted: Vec<u64> =
                        expected[lane].iter().flatten().flat_map(|v| v.bits.iter().copied()).collect();
                    let is = |(x, y): (&u64, &u64)| x == y || which > 0 && nan(*x) && nan(*y);
                    assert!(
                        wanted.iter().zip(&found[lane]).all(is),
                        "{name}, {n} lanes, lane {lane} of {active:?}, {which}: {wanted:x?}, found {:x?} of {:x?}\n{}",
                        found[lane],
                        args[lane],
                        print(module)
                    );
                    compared += 1;
                }
            }
        }
    }
    compared
}

/// Whether bits may be a NaN of `f32`, of which the optimizer may give any.
fn nan(bits: u64) -> bool {
    f32::from_bits(bits as u32).is_nan()
}

#[test]
fn random_nests_compute_the_same_in_every_lane() {
    let (mut compared, seeds) = (0, seeds(0..60));
    for seed in seeds.clone() {
        let mut random = Choices::from_seed(seed);
        let bytes: Vec<u8> = (0..400).map(|_| random.below(256) as u8).collect();
        let text = nests::random(&bytes, 1 + seed as usize % 5);
        let module = parse_str(&text).expect("valid");
        let func = module.entry_points[0].func;
        compared += compare(&format!("seed {seed}"), &module, func, &mut random);
    }
    assert!(compared > 15 * seeds.count(), "only {compared} lanes were compared");
}

#[test]
fn random_functions_compute_the_same_in_every_lane() {
    let (mut compared, seeds) = (0, seeds(0..60));
    for seed in seeds.clone() {
        for scalar in [Scalar::I64, Scalar::U32] {
            let module = random_programs::generate_of(scalar, seed, 40);
            let func = module.funcs.keys().last().expect("it has functions");
            compared += compare(&format!("seed {seed} {scalar:?}"), &module, func, &mut Choices::from_seed(seed));
        }
    }
    assert!(compared > 15 * seeds.count(), "only {compared} lanes were compared");
}

/// Functions of several lanes at once, with memory: the evaluator's lanes, and the widened function.
fn compare_together(text: &str, buffer: Option<&str>, args: impl Fn(u64, usize) -> Vec<u64>) {
    let module = parse_str(text).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!(verify(&module), []);
    let func = module.funcs_named("f").next().expect("it has a function @f");
    let var = |module: &Module| {
        let named = |var: &planish_ir::entity::Var| Some(&*module.vars[*var].name.text) == buffer;
        module.globals.iter().copied().find(named)
    };
    for n in LANES {
        for (which, (module_of_lanes, func_of_lanes)) in widened(&module, func, n).into_iter().enumerate() {
            for seed in 0..8 {
                let active: Vec<bool> = (0..n).map(|lane| (seed * 37 + u64::from(lane) * 11) % 4 != 1).collect();
                let lanes: Vec<Vec<u64>> = (0..usize::from(n)).map(|lane| args(seed, lane)).collect();
                let columns: Vec<Vec<u64>> =
                    (0..lanes[0].len()).map(|c| lanes.iter().map(|lane| lane[c]).collect()).collect();
                let mut one = Evaluator::with_lanes(&module, LIMITS, n.into()).expect("needs little memory");
                let expected = one.call_active(func, &active, &[], &columns).expect("it ends");
                let mut other = Evaluator::new(&module_of_lanes, LIMITS).expect("needs little memory");
                let mask = active.iter().map(|&a| u64::from(a)).collect();
                let values = std::iter::once(mask).chain(columns);
                let params = &module_of_lanes.funcs[func_of_lanes].params;
                let values: Vec<EvalValue> =
                    params.iter().zip(values).map(|(p, bits)| EvalValue { ty: p.ty, bits }).collect();
                let found = other.call(func_of_lanes, &values).expect("it ends");
                for lane in (0..usize::from(n)).filter(|&lane| active[lane]) {
                    let expected: Vec<u64> = expected.iter().map(|column| column[lane]).collect();
                    let found: Vec<u64> = found.iter().map(|value| value.bits[lane]).collect();
                    assert_eq!(
                        found,
                        expected,
                        "{n} lanes, lane {lane} of {active:?}, {which}\n{}",
                        print(&module_of_lanes)
                    );
                }
                if let (Some(a), Some(b)) = (var(&module), var(&module_of_lanes)) {
                    assert_eq!(other.get(b, 0), one.get(a, 0), "{n} lanes of {active:?}, {which}");
                }
            }
        }
    }
}

#[test]
fn shared_memory_is_written_in_the_order_of_lanes() {
    let text = "module ir

struct $B \"B\" block {
  n: u32
  log: [24 x u32]
}
var storage @b: $B

fn @f(%0 x: u32, %1 i: i32) -> (u32, u32) {
b0:
  %2 = access_struct_field[0] @b
  %3 = access_struct_field[1] @b
  %4 = less_than %0, 3u
  if %4 {
  then b1:
    %5 = atomic_add %2, %0
    %6 = access_array_element %3, %1
    store %6, %5
    %7 = atomic_max %6, 2u
    merge %5
  else b2:
    %8 = load %2
    merge %8
  }
b3(%9: u32):
  %10 = access_array_element %3, %0
  %11 = load %10
  return %9, %11
}
";
    compare_together(text, Some("b"), |seed, lane| vec![(seed + lane as u64) % 5, (lane as u64 * 5 + seed) % 9]);
}

#[test]
fn pointers_to_elements_that_vary_are_passed_by_copy() {
    let text = "module ir

fn @f(%0 x: f32, %1 i: i32) -> (f32, f32) {
b0:
  var @a: [5 x vec3]
  %2 = access_array_element @a, %1
  %3 = access_vector_component[1] %2
  store %3, 2.0
  %4 = call @g, %3, %0
  %5 = access_array_element @a, 2
  %6 = call @h, %5, %1
  %7 = access_vector_component_dynamic %2, %1
  %8 = load %7
  %9 = add %4, %6
  return %8, %9
}

fn @g(inout %0 p: *function f32, %1 x: f32) -> (f32) {
b0:
  %2 = load %0
  %3 = less_than %1, 1.0
  if %3 {
  then b1:
    store %0, %1
    return %2
  else b2:
    merge
  }
b3:
  %4 = add %2, %1
  store %0, %4
  return %4
}

fn @h(inout %0 p: *function vec3, %1 i: i32) -> (f32) {
b0:
  %2 = access_vector_component_dynamic %0, %1
  %3 = load %2
  store %2, 7.0
  return %3
}
";
    let number = |x: u64| u64::from((x as f32 / 2.0).to_bits());
    compare_together(text, None, |seed, lane| vec![number((seed + lane as u64) % 6), (lane as u64 * 3 + seed) % 7]);
}

#[test]
fn derivatives_and_demoted_lanes_are_those_of_the_evaluator() {
    let text = "module ir

var private @seen: f32

fn @f(%0 x: f32, %1 y: f32) -> (f32, f32, f32, f32) {
b0:
  %2 = dfdx %0
  %3 = less_than %0, %1
  if %3 {
  then b1:
    %4 = multiply %0, %1
    %5 = fwidth_coarse %4
    %6 = dfdy_fine %4
    demote
    merge %5, %6
  else b2:
    loop %0 {
    cond b3(%7: f32):
      %8 = less_than %7, 4.0
      loop_if %8
    body b4:
      %9 = dfdy %7
      %10 = abs %9
      %11 = add %7, %10
      %12 = add %11, 0.75
      continue b2, %12
    }
  b5:
    %13 = dfdx_coarse %7
    merge %7, %13
  }
b6(%14: f32, %15: f32):
  %16 = dfdy_coarse %14
  return %2, %14, %15, %16
}
";
    let number = |x: u64| u64::from((x as f32 / 4.0).to_bits());
    compare_together(text, None, |seed, lane| {
        vec![number((seed * 3 + lane as u64 * 7) % 13), number((lane as u64 * 5 + seed) % 11)]
    });
}
