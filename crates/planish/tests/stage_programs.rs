//! Staged functions and exports of VL as programs: written as bytes, read from any bytes, called with columns.

use planish::Compiler;
use planish::diagnostic::Code;
use planish::ir::host::HostNumber;
use planish::ir::types::Scalar;
use planish::stage::{
    Argument, Batch, Column, Effect, Enum, Errors, In, Input, Nulls, Out, Program, Rep, Value, function, host, if_,
};
use planish::vm::{Config, Engine, Strategy};

fn engines() -> [Engine; 2] {
    [Strategy::Vm, Strategy::Native].map(|strategy| Engine::new(Config::default().strategy(strategy)))
}

fn code(errors: &Errors) -> Code {
    errors.diagnostics[0].code
}

/// A program with slices, lists, loops, functions and traps.
fn sample() -> Program {
    let made = function("sample", |a: Rep<f64>, x: In<[f64]>, n: In<[i16]>, out: Out<[f64]>| {
        let kept = x.iter().zip(n.iter()).map(|(x, n)| x * a + (100 / n).as_::<f64>()).collect();
        let sum = kept.iter().fold(0.0, |sum: Rep<f64>, x| sum + x);
        let written = kept.iter().map(move |x| if_(x.gt(0.0), || x / sum, || -x)).write_to(out);
        (written, sum.gt(1e6), sum)
    });
    made.unwrap_or_else(|errors| panic!("{errors}")).program()
}

/// The results of [`sample`] and what it writes.
fn run_sample(program: &Program, engine: &Engine, n: &[i16]) -> Result<(Vec<Value>, Vec<f64>), String> {
    let x: Vec<f64> = (0..n.len()).map(|i| i as f64 - 3.5).collect();
    let mut out = vec![0.0; n.len()];
    let compiled = program.compile_on(engine).unwrap_or_else(|errors| panic!("{errors}"));
    let args = [Argument::from(2.5), Argument::from(&x[..]), Argument::from(n), Argument::from(&mut out[..])];
    let results = compiled.call_columns(args).map_err(|stopped| stopped.to_string())?;
    Ok((results, out))
}

#[test]
fn a_program_is_the_same_after_it_was_written_and_read() {
    let program = sample();
    let bytes = program.to_bytes().unwrap_or_else(|errors| panic!("{errors}"));
    let read = Program::from_bytes(&bytes).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(program.signature().to_string(), "(f64, In<[f64]>, In<[i16]>, Out<[f64]>) -> (u32, bool, f64)");
    assert_eq!((read.signature(), read.name()), (program.signature(), "sample"));
    assert_eq!(read.to_bytes().unwrap_or_else(|errors| panic!("{errors}")), bytes);
    for engine in engines() {
        let n = [1, 2, -3, 4, 50, 60, 7, 8];
        assert_eq!(run_sample(&read, &engine, &n), run_sample(&program, &engine, &n));
        // The place of the division that traps is that in the user's Rust.
        let stopped = run_sample(&read, &engine, &[1, 0]).expect_err("it divides by zero");
        assert!(stopped.contains("stage_programs.rs:23:"), "{stopped}");
        assert_eq!(run_sample(&program, &engine, &[1, 0]), Err(stopped));
    }
}

#[test]
fn an_export_of_vl_is_a_program() {
    let text = "(define (hermite n x) (if (< n 1) 1 (- (* 2 x (hermite (- n 1) x)) (((derivative hermite*) x) n))))
        (define (slope x) ((derivative (lambda (x) (* x (sin x)))) x))
        (define (area (list w h)) (list (* w h) (< w h)))
        (export slope (real)) (export area ((list real real))) slope";
    let text = text.lines().skip(1).collect::<Vec<_>>().join("\n");
    let mut compiler = Compiler::default();
    let module = compiler.compile("a.vl", &text).module.expect("it is valid");
    let of = |name| Program::of_export(&module, &compiler.map, name);
    let slope = of("slope").unwrap_or_else(|errors| panic!("{errors}"));
    let read =
        Program::from_bytes(&slope.to_bytes().expect("it can be written")).unwrap_or_else(|errors| panic!("{errors}"));
    for engine in engines() {
        let result = read.compile_on(&engine).expect("it fits").call_columns([0.5.into()]).expect("it ends");
        assert_eq!(result[0].get::<f64>(), Some(0.5f64.sin() + 0.5 * 0.5f64.cos()));
    }
    assert_eq!(of("area").expect("it is one").signature().to_string(), "(f64, f64) -> (f64, bool)");
    assert_eq!(code(&of("volume").expect_err("there is none")), Code::E1421);
    let reading =
        compiler.compile("b.vl", "(define (f x) (+ x (read-real))) (export f (real)) f").module.expect("valid");
    assert_eq!(code(&Program::of_export(&reading, &compiler.map, "f").expect_err("it reads")), Code::E1421);
}

#[test]
fn a_trap_of_vl_has_its_line() {
    let text = "(define (f x)\n  (if (< x 0)\n      (error \"negative\")\n      (sqrt x)))\n(export f (real)) f";
    let mut compiler = Compiler::default();
    let module = compiler.compile("f.vl", text).module.expect("it is valid");
    let program = Program::of_export(&module, &compiler.map, "f").unwrap_or_else(|errors| panic!("{errors}"));
    let read = Program::from_bytes(&program.to_bytes().expect("it can be written")).expect("it can be read");
    let compiled = read.compile().expect("it fits");
    assert_eq!(compiled.call_columns([4.0.into()]).expect("it ends"), [Value::from(2.0)]);
    let stopped = compiled.call_columns([(-4.0).into()]).expect_err("it does not");
    assert_eq!(stopped.place.as_deref(), Some("f.vl:3:7"));
}

#[test]
fn a_program_that_calls_its_host_is_not_written() {
    let gain = function("gain", |x: Rep<f64>| {
        let ten_to_the = host("ten_to_the", Effect::Pure, |x: f64| 10f64.powf(x));
        ten_to_the.call(x / 20.0)
    });
    let program = gain.expect("it is valid").program();
    let errors = program.to_bytes().expect_err("it calls its host");
    assert_eq!(code(&errors), Code::E1422);
    let text = errors.to_string();
    assert!(text.contains("stage_programs.rs:") && text.contains("`ten_to_the`"), "{text}");
    // Here it runs.
    let results = program.compile().expect("it fits").call_columns([20.0.into()]).expect("it ends");
    assert_eq!(results, [Value::from(10.0)]);
}

#[test]
fn errors_tell_what_the_bytes_are() {
    let bytes = sample().to_bytes().expect("it can be written");
    let error = |bytes: &[u8]| code(&Program::from_bytes(bytes).expect_err("it is none"));
    assert_eq!(error(b""), Code::E1423);
    assert_eq!(error(b"\0asm\x01\0\0\0"), Code::E1423);
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(error(&newer), Code::E1424);
    for len in 8..bytes.len() {
        assert_eq!(error(&bytes[..len]), Code::E1425, "{len}");
    }
    let other = function("f", |x: Rep<f64>| x).expect("it is valid").program().signature();
    let errors = Program::from_bytes_as(&bytes, &other).expect_err("it is another");
    assert_eq!(code(&errors), Code::E1426);
    let expected =
        "`sample` is (f64, In<[f64]>, In<[i16]>, Out<[f64]>) -> (u32, bool, f64), and should be (f64) -> (f64)";
    assert!(errors.to_string().contains(expected), "{errors}");
}

/// Bytes with the length and the checksum that fit them: what a writer with bad intentions would send.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let rest = bytes.len() as u32 - 20;
    bytes[12..16].copy_from_slice(&rest.to_le_bytes());
    let mut sum = !0u32;
    for &byte in &bytes[20..] {
        sum ^= u32::from(byte);
        (0..8).for_each(|_| sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 });
    }
    bytes[16..20].copy_from_slice(&(!sum).to_le_bytes());
    bytes
}

#[test]
fn no_bytes_make_it_panic() {
    let good = sample().to_bytes().expect("it can be written");
    assert_eq!(sealed(good.clone()), good);
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let (mut read, mut compiled) = (0, 0);
    for round in 0..3000 {
        let mut bytes = good.clone();
        for _ in 0..=next(3) {
            let at = 20 + next(bytes.len() - 20);
            match next(5) {
                0 => bytes[at] = next(256) as u8,
                1 => bytes[at] ^= 1 << next(8),
                2 => drop(bytes.remove(at)),
                3 => bytes.truncate(at.max(21)),
                // A piece of the text elsewhere.
                _ => {
                    let from = 20 + next(bytes.len() - 20);
                    let piece = bytes[from..bytes.len().min(from + 1 + next(40))].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
        }
        if bytes == good {
            continue;
        }
        // The checksum finds it, and without it the reader does, or it is another valid program.
        let damaged = Program::from_bytes(&bytes).map(|_| ()).expect_err("it is damaged");
        assert_eq!(code(&damaged), Code::E1425);
        match Program::from_bytes(&sealed(bytes)) {
            Err(errors) => assert_eq!(code(&errors), Code::E1425, "{errors}"),
            Ok(program) => {
                read += 1;
                if round % 10 == 0 {
                    compiled += usize::from(program.compile_on(&engines()[0]).is_ok());
                }
            }
        }
    }
    assert!(read > 50 && compiled > 5, "{read} {compiled}");
}

#[test]
fn arguments_are_compared_with_the_parameters() {
    let compiled = sample().compile().expect("it fits");
    let call = |args: Vec<Argument<'_>>| compiled.call_columns(args).expect_err("it does not fit").to_string();
    assert!(call(vec![]).contains("`sample` takes 4 arguments, not 0"));
    let (x, n) = ([1.0], [1i16]);
    let mut out = [0.0];
    let wrong = vec![1.0f32.into(), Argument::from(&x[..]), Argument::from(&n[..]), Argument::from(&mut out[..])];
    assert!(call(wrong).contains("argument 0 of `sample` is f32, and its parameter f64"));
    let wrong = vec![1.0.into(), Argument::from(&x[..]), Argument::from(&n[..]), Argument::from(&x[..])];
    assert!(call(wrong).contains("argument 3 of `sample` is In<[f64]>, and its parameter Out<[f64]>"));
    let odd =
        vec![1.0.into(), Argument::In(HostNumber::F64, &[0; 7]), Argument::from(&n[..]), Argument::from(&mut out[..])];
    assert!(call(odd).contains("argument 1 of `sample`"));
}

const NUMBERS: [HostNumber; 4] = [HostNumber::F64, HostNumber::I32, HostNumber::U8, HostNumber::F32];

fn plain(number: HostNumber) -> Input {
    Input { column: Column::Numbers(number), nulls: Nulls::Unseen }
}

/// Bits of some rows.
fn bits_of(rows: usize, first: usize, is_set: impl Fn(usize) -> bool) -> Vec<u8> {
    let mut bits = vec![0; (rows + first).div_ceil(8)];
    (0..rows).filter(|&row| is_set(row)).for_each(|row| bits[(row + first) / 8] |= 1 << ((row + first) % 8));
    bits
}

const SIZES: [usize; 8] = [0, 1, 7, 8, 9, 63, 64, 1000];

#[test]
fn a_function_runs_over_rows() {
    let f = function("f", |a: Rep<f64>, n: Rep<i32>, b: Rep<u32>, c: Rep<f64>| {
        a * n.as_::<f64>() + (b ^ 7).as_::<f64>() * c
    });
    let f = f.expect("it is valid").program();
    assert!(f.is_total());
    for (masked, first) in [(false, 0), (true, 0), (true, 3)] {
        let program = f.over(Batch::Rows, masked, &NUMBERS.map(plain)).unwrap_or_else(|errors| panic!("{errors}"));
        for (engine, rows) in engines().iter().flat_map(|engine| SIZES.map(|rows| (engine, rows))) {
            let a: Vec<f64> = (0..rows).map(|i| i as f64 * 0.5 - 3.0).collect();
            let n: Vec<i32> = (0..rows).map(|i| 5 - i as i32).collect();
            let b: Vec<u8> = (0..rows).map(|i| (i * 37) as u8).collect();
            let c: Vec<f32> = (0..rows).map(|i| i as f32 * 0.25).collect();
            let mut out = vec![0.0; rows];
            let counts = |row: usize| !masked || row % 3 != 1;
            let mask = bits_of(rows, first, counts);
            let mut args = vec![Argument::from(rows as u32)];
            if masked {
                args.extend([Argument::from(&mask[..]), Argument::from(first as u32)]);
            }
            args.extend([
                Argument::from(&a[..]),
                Argument::from(&n[..]),
                Argument::from(&b[..]),
                Argument::from(&c[..]),
            ]);
            args.push(Argument::from(&mut out[..]));
            program.compile_on(engine).expect("it fits").call_columns(args).expect("it ends");
            let expected = |i: usize| a[i] * f64::from(n[i]) + f64::from(u32::from(b[i]) ^ 7) * f64::from(c[i]);
            let expected: Vec<f64> = (0..rows).map(|i| if counts(i) { expected(i) } else { 0.0 }).collect();
            assert_eq!(out, expected, "{rows} rows");
        }
    }
}

#[test]
fn truth_values_and_options_are_bits() {
    // `None` where both are none or the sum is odd, with a truth value as a parameter.
    let f = function("f", |a: Enum<Option<Rep<i32>>>, flip: Enum<Option<Rep<bool>>>| {
        let (x, is_some) = (a.match_(|a| a.unwrap_or(Rep::new(100))), flip.is(Option::is_some));
        let flip = flip.match_(|flip| flip.unwrap_or(Rep::new(false)));
        let even = (x & 1).eq(0);
        let result: Enum<Option<Rep<bool>>> = if_(is_some | even, || Some(even ^ flip), || None);
        result
    });
    let f = f.unwrap_or_else(|errors| panic!("{errors}")).program();
    let inputs = [
        Input { column: Column::Numbers(HostNumber::I8), nulls: Nulls::Some },
        Input { column: Column::Bits, nulls: Nulls::Some },
    ];
    let program = f.over(Batch::Rows, false, &inputs).unwrap_or_else(|errors| panic!("{errors}"));
    for (engine, rows) in engines().iter().flat_map(|engine| SIZES.map(|rows| (engine, rows))) {
        let a: Vec<i8> = (0..rows).map(|i| (i * 31) as i8).collect();
        let (has_a, flip, has_flip) = (|i: usize| i % 5 != 2, |i: usize| i.is_multiple_of(3), |i: usize| i % 7 < 4);
        let bits = [bits_of(rows, 1, has_a), bits_of(rows, 6, flip), bits_of(rows, 0, has_flip)];
        let (mut out, mut valid) = (vec![0u8; rows.div_ceil(8)], vec![0u8; rows.div_ceil(8)]);
        let mut args = vec![Argument::from(rows as u32), Argument::from(&a[..])];
        for (bits, first) in bits.iter().zip([1u32, 6, 0]) {
            args.extend([Argument::from(&bits[..]), Argument::from(first)]);
        }
        args.extend([Argument::from(&mut out[..]), Argument::from(&mut valid[..])]);
        program.compile_on(engine).expect("it fits").call_columns(args).unwrap_or_else(|stopped| panic!("{stopped}"));
        let is_even = |i: usize| (if has_a(i) { i32::from(a[i]) } else { 100 }) & 1 == 0;
        let is_some = |i: usize| has_flip(i) || is_even(i);
        assert_eq!(valid, bits_of(rows, 0, is_some), "{rows} rows");
        assert_eq!(out, bits_of(rows, 0, |i| is_some(i) && is_even(i) ^ (has_flip(i) && flip(i))), "{rows} rows");
    }
}

#[test]
fn a_state_goes_through_rows_and_groups() {
    // The sum of what is above the largest so far, and whether there was anything.
    let f = function("f", |sum: Rep<f64>, largest: Rep<f64>, any: Rep<bool>, x: Rep<f64>, factor: Rep<f64>| {
        let is_above = x.gt(largest) | !any;
        (if_(is_above, || sum + x * factor, || sum), if_(is_above, || x, || largest), any | is_above)
    });
    let f = f.unwrap_or_else(|errors| panic!("{errors}")).program();
    let inputs = [plain(HostNumber::F64), Input { column: Column::Constant, nulls: Nulls::Unseen }];
    let step = |(sum, largest, any): (f64, f64, bool), x: f64| match x > largest || !any {
        true => (sum + x * 2.0, x, true),
        false => (sum, largest, any),
    };
    let fold = f.over(Batch::Fold, true, &inputs).unwrap_or_else(|errors| panic!("{errors}"));
    let groups = f.over(Batch::Groups, true, &inputs).unwrap_or_else(|errors| panic!("{errors}"));
    for (engine, rows) in engines().iter().flat_map(|engine| SIZES.map(|rows| (engine, rows))) {
        let x: Vec<f64> = (0..rows).map(|i| (i as f64 * 0.7).sin() * i as f64).collect();
        let counts = |i: usize| i % 4 != 1;
        let (mask, group) = (bits_of(rows, 5, counts), (0..rows).map(|i| (i * i % 7) as u64).collect::<Vec<_>>());
        let head = [Argument::from(rows as u32), Argument::from(&mask[..]), Argument::from(5u32)];
        let args = head.into_iter().chain([0.0.into(), 0.0.into(), false.into(), Argument::from(&x[..]), 2.0.into()]);
        let result = fold.compile_on(engine).expect("it fits").call_columns(args).expect("it ends");
        let (sum, largest, any) =
            (0..rows).filter(|&i| counts(i)).fold((0.0, 0.0, false), |state, i| step(state, x[i]));
        assert_eq!(result, [Value::from(sum), Value::from(largest), Value::from(any)]);

        let (mut sums, mut largest, mut any) = ([0.0; 7], [0.0; 7], [0u8; 7]);
        let head = [Argument::from(rows as u32), Argument::from(&mask[..]), Argument::from(5u32)];
        let args = head.into_iter().chain([Argument::from(&group[..]), Argument::from(&x[..]), 2.0.into()]);
        let states = [Argument::from(&mut sums[..]), Argument::from(&mut largest[..]), Argument::from(&mut any[..])];
        let compiled = groups.compile_on(engine).expect("it fits");
        compiled.call_columns(args.chain(states)).expect("it ends");
        let mut expected = [(0.0, 0.0, false); 7];
        (0..rows)
            .filter(|&i| counts(i))
            .for_each(|i| expected[group[i] as usize] = step(expected[group[i] as usize], x[i]));
        let found: Vec<_> = (0..7).map(|i| (sums[i], largest[i], any[i] == 1)).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn columns_that_do_not_fit_are_errors() {
    let f = function("f", |x: Rep<i32>| x).expect("it is valid").program();
    let error = |batch, inputs: &[Input]| f.over(batch, false, inputs).expect_err("it does not fit").to_string();
    assert!(error(Batch::Rows, &[plain(HostNumber::I64)]).contains("its parameter for column 0 is a i32"));
    assert!(error(Batch::Rows, &[]).contains("it has more parameters than the 0 columns"));
    assert!(error(Batch::Rows, &[plain(HostNumber::I32); 2]).contains("it has no parameter for column 1"));
    let seen = Input { nulls: Nulls::Some, ..plain(HostNumber::I32) };
    assert!(error(Batch::Rows, &[seen]).contains("is no `Option`"));
    let pair = function("pair", |x: Rep<i32>| (x, 1.0)).expect("it is valid").program();
    let errors = pair.over(Batch::Fold, false, &[]).expect_err("it is no state").to_string();
    assert!(errors.contains("does not begin with the state"), "{errors}");
    assert_eq!(pair.signature().results, [Scalar::I32, Scalar::F64]);
    // A column that is too short stops the program before it begins.
    let batch = f.over(Batch::Rows, false, &[plain(HostNumber::I32)]).expect("it fits").compile().expect("it fits");
    let mut out = [0i32; 4];
    let args = [Argument::from(4u32), Argument::from(&[1i32, 2, 3][..]), Argument::from(&mut out[..])];
    assert!(batch.call_columns(args).is_err());
    assert_eq!(out, [0; 4]);
}
