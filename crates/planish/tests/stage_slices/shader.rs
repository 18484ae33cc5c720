//! Functions of slices as compute shaders: what the WGSL and the SPIR-V that are written, read again, leave in buffers is what plain Rust does.

use planish::eval::shade::{Compute, DrawOptions};
use planish::ir::decoration::Decoration;
use planish::ir::module::{Module, VarData};
use planish::stage::{Callable, Vector, check, recursive};
use planish::{Compiler, EmitOptions, Target};

use super::*;

/// A function as a compute shader.
struct Shader {
    modules: [Module; 2],
}

impl Shader {
    fn new<A: Params, R: Staged>(function: &Function<A, R>) -> Self {
        let modules = [(Target::Wgsl, "k.wgsl"), (Target::SpirvNaga, "k.spv")].map(|(target, file)| {
            let written = function.emit(target, &EmitOptions::default());
            let written = written.unwrap_or_else(|errors| panic!("{errors}"));
            let compilation = Compiler::default().compile(file, &written.bytes);
            compilation.module.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
        });
        Shader { modules }
    }

    /// Runs it on slices and words of arguments: the words of the slices afterwards, and those of the results; `None` if it was stopped.
    fn run(&self, slices: &[&[u32]], arguments: &[u32], results: usize) -> (Vec<Vec<u32>>, Option<Vec<u32>>) {
        self.run_groups(1, slices, arguments, results)
    }

    fn run_groups(
        &self,
        groups: u32,
        slices: &[&[u32]],
        arguments: &[u32],
        results: usize,
    ) -> (Vec<Vec<u32>>, Option<Vec<u32>>) {
        let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut outcomes = self.modules.iter().map(|module| {
            let options = DrawOptions::default();
            let mut compute = Compute::new(module, &options).expect("it is a compute shader");
            let before = vec![0xa5a5_a5a5; results + 1];
            // (A buffer that the shader does not use is not there.)
            let buffer = |binding: u32| {
                let is_it = |data: &VarData| data.decorations.iter().any(|d| d == Decoration::Binding(binding));
                module.vars.iter().find(|(_, data)| is_it(data)).map(|(var, _)| var)
            };
            for (binding, words) in (0..).zip(slices.iter().copied().chain([arguments, &before])) {
                if let Some(var) = buffer(binding) {
                    assert!(compute.set_buffer(var, &bytes(words)), "{binding}");
                }
            }
            compute.dispatch([groups, 1, 1]).expect("it ends");
            let words = |binding: u32, before: &[u32]| match buffer(binding) {
                None => before.to_vec(),
                Some(var) => {
                    let bytes = compute.buffer_bytes(var, before.len() * 4).expect("it has numbers");
                    bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().expect("four"))).collect()
                }
            };
            let after: Vec<Vec<u32>> = (0..).zip(slices).map(|(binding, before)| words(binding, before)).collect();
            let results = words(slices.len() as u32 + 1, &before);
            (after, (results[0] == 0).then(|| results[1..].to_vec()))
        });
        let (first, second) = (outcomes.next().expect("WGSL"), outcomes.next().expect("SPIR-V"));
        assert_eq!(first, second, "WGSL, and SPIR-V");
        first
    }
}

fn words(numbers: &[i32]) -> Vec<u32> {
    numbers.iter().map(|x| *x as u32).collect()
}

fn floats(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn random_pipelines() {
    for seed in seeds(0..60) {
        let mut choices = Choices::from_seed(seed);
        let (first, then) = (narrow::firsts(&mut choices), narrow::steps(&mut choices, 1));
        let shader = Shader::new(&narrow::pipeline(&first, &then));
        for size in [0, 1, 2, 5, 40] {
            let ([a, b], expected) = narrow::pipeline_case(seed, size, &first, &then);
            let (a, b) = (words(&a), words(&b));
            // A buffer has an element at least.
            let buffer = [&a[..], &[77]].concat();
            let arguments = [a.len() as u32, b.len() as u32];
            let (_, results) = shader.run(&[&buffer, &b], &arguments, 2);
            assert_eq!(results, Some(vec![expected.0 as u32, expected.1]), "seed {seed}, {size}: {first:?} {then:?}");
        }
    }
}

#[test]
fn results_are_written_in_place() {
    let f = made(function("f", |a: Rep<f32>, x: In<[f32]>, negate: Rep<bool>, y: Out<[[f32; 3]]>, n: Out<[u32]>| {
        x.iter().map(|x| if_(negate, || -x, || x)).chunks::<2>().map(|[p, q]| [a * p, q, p + q]).write_to(y);
        n.update(1u32, |n| n + x.len());
        (negate & x.len().gt(3), x.at(0))
    }));
    let shader = Shader::new(&f);
    let x = floats(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let y = floats(&[9.0; 9]);
    let call = |negate: u32, lens: [u32; 3]| {
        let arguments = [10f32.to_bits(), lens[0], negate, lens[1], lens[2]];
        shader.run(&[&x, &y, &[5, 6]], &arguments, 2)
    };
    let (after, results) = call(1, [4, 2, 2]);
    assert_eq!(after[1], floats(&[-10.0, -2.0, -3.0, -30.0, -4.0, -7.0, 9.0, 9.0, 9.0]));
    assert_eq!((&after[2][..], results), (&[5, 10][..], Some(vec![1, 1f32.to_bits()])));
    let (after, results) = call(0, [2, 1, 2]);
    assert_eq!(after[1], floats(&[10.0, 2.0, 3.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]));
    assert_eq!((&after[2][..], results), (&[5, 8][..], Some(vec![0, 1f32.to_bits()])));
    // Lengths that the buffers do not have stop it at once.
    for lens in [[6, 3, 2], [4, 4, 2], [4, 3, 3], [u32::MAX, 3, 2]] {
        let (after, results) = call(1, lens);
        assert_eq!((&after[1], &after[2][..], results), (&y, &[5, 6][..], None), "{lens:?}");
    }
    // An index beyond the end stops it where it is.
    let (after, results) = call(1, [4, 2, 1]);
    assert_eq!((after[1][0], &after[2][..], results), ((-10f32).to_bits(), &[5, 6][..], None));
    let (after, results) = call(1, [4, 1, 2]);
    assert_eq!((&after[1], &after[2][..], results), (&y, &[5, 6][..], None));
}

#[test]
fn vectors_are_arguments_and_results() {
    let f = made(function("f", |x: In<[i32]>, v: Rep<Vector<f32, 3>>, i: Rep<u32>| (v * 2.0, x.at(i))));
    let shader = Shader::new(&f);
    // The layout is that of WGSL: a vector of three begins at a multiple of 16 bytes.
    let arguments = [&[2, 0, 0, 0][..], &floats(&[1.0, 2.0, 3.0]), &[1]].concat();
    let (_, results) = shader.run(&[&words(&[7, -8])], &arguments, 7);
    let results = results.expect("it ends");
    assert_eq!((&results[3..6], results[6]), (&floats(&[2.0, 4.0, 6.0])[..], -8i32 as u32));
}

/// Whether several invocations share a loop.
fn is_shared<A: Params, R: Staged>(function: &Function<A, R>) -> bool {
    let text = function.emit(Target::Wgsl, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let text = String::from_utf8(text.bytes).expect("it is text");
    assert_eq!(text.contains("@workgroup_size(64)"), text.contains("global_invocation_id"), "{text}");
    text.contains("@workgroup_size(64)")
}

#[test]
fn independent_iterations_are_shared() {
    let f = made(function("axpy", |a: Rep<i32>, x: In<[i32]>, y: Out<[i32]>, z: Out<[i32]>| {
        let k = x.at(0u32) & 1;
        for_(1u32, x.len().min(y.len()).min(z.len()), |i| {
            let sum = a * x.at(i) + y.at(i) + i.as_::<i32>();
            y.set(i, if_(sum.gt(0), || sum, || k - sum));
            z.set(i, x.at(i - 1) ^ sum);
        });
        check(x.at(1u32).ne(-1));
        x.len()
    }));
    // (The program's own tests of indices are in the loop, but never fail there.)
    let simple = made(function("simple", |a: Rep<i32>, x: In<[i32]>, y: Out<[i32]>, z: Out<[i32]>| {
        let sums = x.iter().zip(y.iter()).map(|(x, y)| a * x + y);
        check(a.ne(13));
        let count = sums.zip(range(5, x.len() + 5)).map(|(s, i)| if_(s.gt(0), || s, || i.as_::<i32>() - s)).write_to(y);
        check(z.len().gt(1));
        count
    }));
    assert!(is_shared(&simple));
    let (f, simple) = (Shader::new(&f), Shader::new(&simple));
    for n in [2usize, 3, 63, 64, 65, 129, 1000] {
        let x: Vec<i32> = (0..n as i32).map(|i| i * 31 % 17 - 8).collect();
        let y: Vec<i32> = (0..n as i32 + 2).map(|i| 40 - i * 7).collect();
        let (mut all, mut of_simple, mut z) = (y.clone(), y.clone(), vec![3; n + 1]);
        for i in 1..n {
            let sum = 5i32 * x[i] + y[i] + i as i32;
            all[i] = if sum > 0 { sum } else { (x[0] & 1) - sum };
            z[i] = x[i - 1] ^ sum;
        }
        for i in 0..n {
            let sum = 5 * x[i] + y[i];
            of_simple[i] = if sum > 0 { sum } else { i as i32 + 5 - sum };
        }
        for groups in [1, 2, 5] {
            let slices: [&[u32]; 3] = [&words(&x), &words(&y), &words(&vec![3; n + 1])];
            let arguments = [5, n as u32, n as u32 + 2, n as u32 + 1];
            // Work that is not shared has one group.
            let (after, results) = f.run(&slices, &arguments, 1);
            assert_eq!((&after[1], &after[2]), (&words(&all), &words(&z)), "{n}");
            assert_eq!(results, (x[1] != -1).then(|| vec![n as u32]));
            let (after, results) = simple.run_groups(groups, &slices, &arguments, 1);
            assert_eq!((&after[1], results), (&words(&of_simple), Some(vec![n as u32])), "{n}, {groups}");
            let (after, results) = simple.run_groups(groups, &slices, &[13, n as u32, n as u32, n as u32], 1);
            assert_eq!((&after[1], results), (&words(&y), None));
        }
        // A trap after the loop.
        let slices: [&[u32]; 3] = [&words(&x), &words(&y), &[3]];
        let (after, results) = simple.run_groups(2, &slices, &[5, n as u32, n as u32 + 2, 1], 1);
        assert_eq!((&after[1], results), (&words(&of_simple), None));
    }
}

#[test]
fn dependent_iterations_are_not_shared() {
    type Both = (In<[u32]>, Out<[u32]>);
    fn check_one<R: Staged>(name: &str, function: Result<Function<Both, R>, planish::stage::Errors>) {
        assert!(!is_shared(&made(function)), "{name}");
    }
    check_one(
        "sums",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            x.iter().stream().scan(0u32, |sum: Rep<u32>, x| sum + x).write_to(y)
        }),
    );
    check_one(
        "a histogram",
        function("f", |x: In<[u32]>, y: Out<[u32]>| for_(0u32, x.len(), |i| y.update(x.at(i), |n| n + 1))),
    );
    check_one(
        "a neighbour",
        function("f", |x: In<[u32]>, y: Out<[u32]>| y.iter().windows::<2>().map(|[a, b]| a + b + x.len()).write_to(y)),
    );
    check_one(
        "a write before",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            y.set(0u32, 1u32);
            x.iter().write_to(y)
        }),
    );
    check_one(
        "a read of what is written",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            let first = y.at(0u32);
            x.iter().map(|x| x + first).write_to(y)
        }),
    );
    check_one(
        "a result",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            x.iter().write_to(y);
            y.at(0u32)
        }),
    );
    check_one(
        "a loop around",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            for_(0u32, 3u32, |_| {
                let _ = x.iter().zip(y.iter()).map(|(x, y)| x + y).write_to(y);
            });
        }),
    );
    check_one(
        "two loops",
        function("f", |x: In<[u32]>, y: Out<[u32]>| {
            x.iter().write_to(y);
            x.iter().map(|x| x + 1).write_to(y)
        }),
    );
}

#[test]
fn other_shading_languages() {
    let f = made(function("scale", |a: Rep<f32>, x: In<[f32]>, y: Out<[f32]>| x.iter().map(|x| a * x).write_to(y)));
    for (target, parts) in
        [(Target::Msl, &["kernel void"][..]), (Target::Hlsl, &["RWByteAddressBuffer", "{ uint3 num_work_groups; }"])]
    {
        let written = f.emit(target, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
        let text = String::from_utf8(written.bytes).expect("it is text");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
    assert!(f.emit(Target::Spirv, &EmitOptions::default()).is_ok());
}

#[test]
fn what_buffers_do_not_hold_is_refused() {
    let refused = |result: Result<planish::Artifact, planish::stage::Errors>, reason: &str| {
        let error = result.expect_err("buffers have no such numbers").to_string();
        assert!(error.contains("shader.rs") && error.contains("error[E1406]") && error.contains(reason), "{error}");
    };
    let options = EmitOptions::default();
    let small = made(function("small", |x: In<[u8]>| x.iter().sum()));
    refused(small.emit(Target::Wgsl, &options), "elements of u8");
    let large = made(function("large", |x: In<[f64]>| x.iter().sum()));
    refused(large.emit(Target::Wgsl, &options), "elements of f64");
    let argument = made(function("argument", |x: In<[u32]>, a: Rep<u64>| a + x.len().as_::<u64>()));
    refused(argument.emit(Target::Wgsl, &options), "64 bits");
    let called = made(function("called", |x: In<[u32]>| {
        let product = recursive("product", |me: Callable<(Rep<u32>,), Rep<u32>>, (n,)| {
            check(n.ne(7));
            if_(n.eq(0), || 1u32, || me.call(n - 1) * n)
        });
        product.call(x.at(0))
    }));
    refused(called.emit(Target::Wgsl, &options), "`product`, which it calls, may stop the program");
}
