//! Staged functions on a device: the bits of the virtual machine for integers, and for sums and products of floats apart (a device may
//! fuse them), and the rounding of WGSL for what else there is. The device is Mesa's, or the one that `PLANISH_GPU` names.

use planish::gpu::{Gpu, GpuError};
use planish::stage::{
    Effect, Function, In, Out, Params, Rep, Staged, Stopped, Vector, check, for_, function, host, if_, range,
};
use planish::vm::{Config, Engine, Strategy, TrapKind};
use planish_generate::Choices;
use planish_testkit::seeds;

use crate::stage_slices::narrow;

const SIZES: [usize; 6] = [0, 1, 63, 64, 65, 1000];

/// The device; `None`, and said so, if there is none.
fn device() -> Option<Gpu> {
    let name = std::env::var("PLANISH_GPU").unwrap_or_else(|_| "llvmpipe".into());
    match Gpu::open(Some(&name)) {
        Ok(gpu) => Some(gpu),
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "CI has a software device, but {why}");
            eprintln!("SKIPPED: {why}");
            None
        }
    }
}

fn made<A: Params, R: Staged>(function: Result<Function<A, R>, planish::stage::Errors>) -> Function<A, R> {
    function.unwrap_or_else(|errors| panic!("{errors}"))
}

fn machine() -> Engine {
    Engine::new(Config::default().strategy(Strategy::Vm))
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn random_pipelines() {
    let Some(gpu) = device() else { return };
    for seed in seeds(0..40) {
        let mut choices = Choices::from_seed(seed);
        let (first, then) = (narrow::firsts(&mut choices), narrow::steps(&mut choices, 1));
        let kernel = narrow::pipeline(&first, &then).compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}"));
        for size in SIZES {
            let ([a, b], expected) = narrow::pipeline_case(seed, size as i32, &first, &then);
            let found = kernel.call(&a, &b).unwrap_or_else(|stopped| panic!("{stopped}"));
            assert_eq!(found, expected, "seed {seed}, {size}: {first:?} {then:?}");
        }
    }
}

#[test]
fn sums_and_products_have_the_bits_of_the_virtual_machine() {
    let Some(gpu) = device() else { return };
    // The iterations of the first are shared by invocations; the second is one.
    let shared = made(function("shared", |a: Rep<f32>, x: In<[f32]>, n: In<[i32]>, y: Out<[f32]>, m: Out<[i32]>| {
        let both = x.iter().zip(n.iter()).zip(range(0u32, x.len()));
        both.for_each(|((x, n), i): ((Rep<f32>, Rep<i32>), Rep<u32>)| {
            y.set(i, if_((n & 1).eq(0), || a * x * x, || (x - a).abs().min(x) - 0.5));
            m.set(i, ((n * 77_777) ^ (n >> 3)).max(n << 5) + x.floor().as_::<i32>());
        });
        x.len()
    }));
    let ordered = made(function("ordered", |a: Rep<f32>, x: In<[f32]>, n: In<[i32]>, y: Out<[f32]>, m: Out<[i32]>| {
        x.iter().stream().scan(a, |sum: Rep<f32>, x| sum + x).write_to(y);
        n.iter().for_each(|n: Rep<i32>| m.update((n & 7).as_::<u32>(), |m| m * 3 + n));
        x.iter().sum()
    }));
    let case = |size: usize| {
        let x: Vec<f32> = (0..size).map(|i| (i * 7919 % 1009) as f32 * 0.37 - 100.0).collect();
        let n: Vec<i32> = (0..size as i32).map(|i| i.wrapping_mul(2_000_003) - 5).collect();
        (x, n, vec![1.5f32; size + 1], vec![3i32; size + 8])
    };
    macro_rules! same {
        ($function:ident, $bits:expr) => {{
            let on_vm = $function.compile_on(&machine()).unwrap_or_else(|errors| panic!("{errors}"));
            let on_gpu = $function.compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}"));
            for size in SIZES {
                let ((x, n, mut y, mut m), (.., mut z, mut k)) = (case(size), case(size));
                let expected = on_vm.call(0.75, &x, &n, &mut y, &mut m).expect("it does not trap");
                let found = on_gpu.call(0.75, &x, &n, &mut z, &mut k).expect("it does not trap");
                assert_eq!(($bits(found), bits(&z), k), ($bits(expected), bits(&y), m), "{size}");
            }
        }};
    }
    same!(shared, u32::from);
    same!(ordered, f32::to_bits);
}

/// The distance of two floats, counted in floats.
fn steps(a: f32, b: f32) -> u32 {
    let order = |x: f32| if x < 0.0 { -i64::from(x.to_bits() & 0x7fff_ffff) } else { i64::from(x.to_bits()) };
    if a.is_nan() && b.is_nan() { 0 } else { order(a).abs_diff(order(b)) as u32 }
}

#[test]
fn what_rounds_is_within_the_tolerance_of_wgsl() {
    let Some(gpu) = device() else { return };
    let f = made(function("f", |x: In<[f32]>, y: Out<[[f32; 6]]>| {
        x.iter().map(|x: Rep<f32>| [1.0 / x, x.sqrt(), x.exp(), x.sin(), x.cos(), (x + 1.0).ln()]).write_to(y)
    }));
    let x: Vec<f32> = (0..1000).map(|i| i as f32 * 3.1 / 999.0 + 0.01).collect();
    let (mut expected, mut found) = (vec![[0.0; 6]; 1000], vec![[0.0; 6]; 1000]);
    f.compile_on(&machine()).expect("VM").call(&x, &mut expected).expect("it does not trap");
    f.compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}")).call(&x, &mut found).expect("it does not trap");
    for ((x, expected), found) in x.iter().zip(&expected).zip(&found) {
        let off: [u32; 6] = std::array::from_fn(|k| steps(expected[k], found[k]));
        let far: [f32; 6] = std::array::from_fn(|k| (expected[k] - found[k]).abs());
        let within = off[0] <= 3 && off[1] <= 5 && off[2] <= 4 + 2 * *x as u32;
        assert!(within && far[3..5].iter().all(|far| *far <= 1.0 / 2048.0), "{x}: {expected:?}, {found:?}");
        assert!(off[5] <= 4 || far[5] <= 1.0 / 2_097_152.0, "{x}: {expected:?}, {found:?}");
    }
}

fn trap(result: Result<impl Sized, Stopped>, kind: TrapKind, line: u32) {
    let Err(stopped) = result else { panic!("it traps") };
    assert_eq!(stopped.error.as_trap().expect("a trap").kind, kind);
    let place = stopped.place.as_deref().unwrap_or_default();
    assert!(place.contains("stage_gpu.rs") && place.contains(&format!(":{line}:")), "{stopped}, not in line {line}");
}

#[test]
fn a_trap_has_the_place_in_rust() {
    let Some(gpu) = device() else { return };
    let line = line!();
    let f = made(function("f", |x: In<[i32]>, y: Out<[i32]>, i: Rep<u32>| {
        y.set(0u32, 7);
        let found = x.at(i);
        check(found.ne(3));
        y.set(i, found);
        check(y.at(2u32).ne(9));
        found.div_or_self(x.at(0u32))
    }));
    let (kernel, x) = (f.compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}")), [0, 2, 3, 4]);
    let mut y = [0; 3];
    trap(kernel.call(&x, &mut y, 4), TrapKind::OutOfBoundsMemory, line + 3);
    assert_eq!(y, [7, 0, 0], "what was written before stays");
    trap(kernel.call(&x, &mut y, 2), TrapKind::User, line + 4);
    trap(kernel.call(&x, &mut y, 3), TrapKind::OutOfBoundsMemory, line + 5);
    trap(kernel.call(&x, &mut [1, 1, 9], 1), TrapKind::User, line + 6);
    trap(kernel.call(&x, &mut [0], 0), TrapKind::OutOfBoundsMemory, line + 6);
    trap(kernel.call(&x, &mut [], 1), TrapKind::OutOfBoundsMemory, line + 2);
    assert_eq!((kernel.call(&[2, 9], &mut y, 1).expect("it ends"), y), (4, [7, 9, 0]));
}

#[test]
fn arguments_and_results_of_all_shapes() {
    let Some(gpu) = device() else { return };
    let mixed = made(function("mixed", |(on, n): (Rep<bool>, Rep<u32>), v: Rep<Vector<f32, 3>>, k: [Rep<i32>; 2]| {
        (!on, (v * 2.0, n + 1), if_(on, || k[0], || k[1]), v.component(2).gt(2.5))
    }));
    let kernel = mixed.compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}"));
    let v = Vector([1.0, 2.0, 3.0]);
    let found = kernel.call((true, 7), v, [-5, 6]).expect("it ends");
    assert_eq!(found, (false, (Vector([2.0, 4.0, 6.0]), 8), -5, true));
    assert_eq!(kernel.call((false, u32::MAX), v, [-5, 6]).expect("it ends").2, 6);
    let none = made(function("none", || Rep::new(42)));
    assert_eq!(none.compile_on(&gpu).expect("a device").call().expect("it ends"), 42);
    let nothing = made(function("nothing", |x: Out<[u32]>| for_(0u32, x.len(), |i| x.set(i, i * i))));
    let mut x = [9; 5];
    nothing.compile_on(&gpu).expect("a device").call(&mut x).expect("it ends");
    assert_eq!(x, [0, 1, 4, 9, 16]);
}

#[test]
fn a_kernel_is_called_by_several_threads() {
    let Some(gpu) = device() else { return };
    let f = made(function("f", |a: Rep<u32>, x: In<[u32]>, y: Out<[u32]>| x.iter().map(|x| a * x).write_to(y)));
    let kernel = f.compile_on(&gpu).unwrap_or_else(|errors| panic!("{errors}"));
    std::thread::scope(|scope| {
        for thread in 1..5u32 {
            let kernel = &kernel;
            scope.spawn(move || {
                for n in [100, 3, 0, 1000, 64] {
                    let (x, mut y) = ((0..n).collect::<Vec<u32>>(), vec![7; n as usize + 1]);
                    assert_eq!(kernel.call(thread, &x, &mut y).expect("it ends"), n);
                    assert!(y.iter().zip(&x).all(|(y, x)| *y == x * thread) && y[n as usize] == 7);
                }
            });
        }
    });
}

#[test]
fn what_a_device_lacks_is_refused() {
    match Gpu::open(Some("no device has such a name")) {
        Err(error @ GpuError::NoDevice(_)) => assert!(error.to_string().contains("device"), "{error}"),
        other => panic!("{:?}", other.err()),
    }
    let Some(gpu) = device() else { return };
    fn refused<A: Params, R: Staged>(gpu: &Gpu, function: Function<A, R>, code: &str, reason: &str) {
        let error = function.compile_on(gpu).expect_err("the device lacks it").to_string();
        assert!(error.contains(code) && error.contains(reason) && error.contains(".rs:"), "{error}");
    }
    refused(&gpu, made(function("large", |x: In<[f64]>| x.iter().sum())), "E1406", "elements of f64");
    refused(&gpu, made(function("small", |x: In<[u8]>| x.iter().sum())), "E1406", "elements of u8");
    refused(&gpu, made(function("wide", |x: Rep<u64>| x + 1)), "E1406", "64 bits");
    let called = function("called", |x: In<[f32]>| host("noted", Effect::Ordered, |x: f32| x).call(x.at(0u32)));
    refused(&gpu, made(called), "E1406", "calls `noted`, a function of the host");
    let inside = function("inside", |x: In<[f32]>| (x.at(0u32).as_::<f64>() * 1.1).as_::<f32>());
    refused(&gpu, made(inside), "E06", "WGSL");
    let divided = function("divided", |x: In<[i32]>| x.at(0u32) / x.at(1u32));
    refused(&gpu, made(divided), "E0604", "divide_trapping");
    let list = function("list", |x: In<[u32]>| x.iter().collect().sorted().at(0u32));
    refused(&gpu, made(list), "E0610", "arrays that grow");
    let f = made(function("f", |x: In<[u32]>| x.len()));
    assert_eq!(f.compile_on(&gpu).expect("a device").call(&[1, 2]).expect("it ends"), 2);
}
