//! Functions of slices as WebAssembly, which is read again and run, and as JavaScript, which Node.js runs: they do what plain Rust does.

use std::fmt::Write;

use planish::stage::{Effect, Vector, host};
use planish::vm::{Error, Func, Linker, Memory, Store, Val};
use planish::{Compiler, EmitOptions, Optimizer, Target};
use planish_testkit::{has_tool, node, scratch};

use super::*;

fn emitted<A: Params, R: Staged>(function: &Function<A, R>, target: Target) -> Vec<u8> {
    function.emit(target, &EmitOptions::default()).unwrap_or_else(|errors| panic!("{errors}")).bytes
}

fn text<A: Params, R: Staged>(function: &Function<A, R>, target: Target) -> String {
    function.source(target).unwrap_or_else(|errors| panic!("{errors}"))
}

// WebAssembly

/// A function of slices in its memory.
pub(crate) struct Wasm {
    pub(crate) store: Store<()>,
    func: Func,
    pub(crate) memory: Memory,
    results: Vec<Val>,
}

/// A slice in memory.
#[derive(Clone, Copy)]
struct Range {
    at: u32,
    len: u32,
}

impl Wasm {
    /// On the virtual machine as it was written; optimized again; and as machine code.
    pub(crate) fn all<A: Params, R: Staged>(function: &Function<A, R>, results: &[Val]) -> [Wasm; 3] {
        let bytes = emitted(function, Target::Wasm);
        let level = Optimizer::level("2").expect("a level");
        [(Strategy::Vm, None), (Strategy::Vm, Some(&level)), (Strategy::Native, Some(&level))].map(
            |(strategy, level)| {
                let engine = Engine::new(Config::default().strategy(strategy));
                let (module, _) = Compiler::default().load(&engine, "slices.wasm", &bytes, level).expect("it is valid");
                let mut store = Store::new(&engine, ());
                let instance = Linker::new().instantiate(&mut store, &module).expect("it imports nothing");
                let name = function.module().entry_points[0].names[0].clone();
                let func = instance.get_func(&store, &name).expect("it is exported");
                let memory = instance.get_memory(&store, "memory").expect("it is exported");
                assert_eq!(memory.data(&store).len(), 1 << 16, "it begins with a page");
                Wasm { store, func, memory, results: results.to_vec() }
            },
        )
    }

    /// Puts bytes into memory, at an odd address and between bytes that nothing may touch.
    fn put(&mut self, next: &mut u32, bytes: &[u8], elements: usize) -> Range {
        let at = (*next + 8) | 1;
        let memory = self.memory.data_mut(&mut self.store);
        memory[*next as usize..at as usize].fill(0xa5);
        memory[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        *next = at + bytes.len() as u32;
        memory[*next as usize..*next as usize + 8].fill(0xa5);
        Range { at, len: elements as u32 }
    }

    /// The bytes of a slice; those around are what they were.
    fn get(&self, range: Range, len: usize) -> &[u8] {
        let (memory, at) = (self.memory.data(&self.store), range.at as usize);
        assert_eq!((memory[at - 1], memory[at + len]), (0xa5, 0xa5));
        &memory[at..at + len]
    }

    /// The results, which are integers.
    pub(crate) fn call(&mut self, args: &[Val]) -> Result<Vec<i64>, Error> {
        self.func.call(&mut self.store, args, &mut self.results)?;
        let integer = |val: &Val| match *val {
            Val::I32(x) => x.into(),
            Val::I64(x) => x,
            _ => panic!("an integer is expected"),
        };
        Ok(self.results.iter().map(integer).collect())
    }
}

impl Range {
    fn args(self) -> [Val; 2] {
        [Val::I32(self.at as i32), Val::I32(self.len as i32)]
    }
}

fn out_of_bounds(result: Result<Vec<i64>, Error>) {
    let error = result.expect_err("it is out of bounds");
    assert_eq!(error.as_trap().expect("a trap").kind, TrapKind::OutOfBoundsMemory);
}

// JavaScript

/// Calls of functions in modules, of which Node.js prints results and arguments.
#[derive(Default)]
struct Script {
    programs: Vec<String>,
    calls: String,
    expected: Vec<String>,
}

const SHOW: &str = r#"
const bits = (x) => new BigUint64Array(Float64Array.of(x).buffer)[0];
const show = (x) => x instanceof Array ? `[${x.map(show)}]` : typeof x === "number" ? bits(x) : `${x}`;
const words = { Float64Array: BigUint64Array, Float32Array: Uint32Array };
const raw = (x) => new (words[x.constructor.name] ?? x.constructor)(x.buffer, x.byteOffset, x.length);
function call(f, ...args) {
  let result;
  try { result = show(f(...args)); } catch (error) { result = error.kind ?? error.name; }
  console.log([result, ...args.filter(ArrayBuffer.isView).map((x) => `${raw(x)}`)].join(" | "));
}
"#;

impl Script {
    fn program<A: Params, R: Staged>(&mut self, function: &Function<A, R>) -> usize {
        self.programs.push(text(function, Target::Js));
        self.programs.len() - 1
    }

    /// A call with arguments as JavaScript, and what is printed: the result or the kind of the error, and the typed arrays.
    fn call(&mut self, program: usize, name: &str, args: &[String], expected: &[String]) {
        let args = args.join(", ");
        writeln!(self.calls, "call(p{program}.{name}, {args});").expect("strings take all");
        self.expected.push(expected.join(" | "));
    }

    fn run(self, test: &str) {
        if !has_tool("node") {
            return;
        }
        let folder = scratch(&format!("js-{test}"));
        let mut script = String::new();
        for (number, program) in self.programs.iter().enumerate() {
            std::fs::write(folder.join(format!("p{number}.mjs")), program).expect("files of tests can be written");
            writeln!(script, "import * as p{number} from './p{number}.mjs';").expect("strings take all");
        }
        let file = folder.join("calls.mjs");
        std::fs::write(&file, script + SHOW + &self.calls).expect("files of tests can be written");
        let printed = node::node(&file, &[]);
        let (printed, calls): (Vec<&str>, Vec<&str>) = (printed.lines().collect(), self.calls.lines().collect());
        assert_eq!(printed.len(), self.expected.len());
        for ((printed, expected), call) in printed.into_iter().zip(self.expected).zip(calls) {
            assert_eq!(printed, expected, "{call} in {}", folder.display());
        }
    }
}

/// Numbers between commas.
fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn bigs(numbers: &[i64]) -> String {
    let list: Vec<String> = numbers.iter().map(|x| format!("{x}n")).collect();
    format!("BigInt64Array.of({})", list.join(", "))
}

fn number(x: f64) -> String {
    x.to_bits().to_string()
}

// Tests

fn long_bytes(numbers: &[i64]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

#[test]
fn random_pipelines() {
    let mut script = Script::default();
    for seed in seeds(0..120) {
        let mut choices = Choices::from_seed(seed);
        let (first, then) = (firsts(&mut choices), steps(&mut choices, 2));
        let f = pipeline(&first, &then);
        let program = script.program(&f);
        let mut wasm = Wasm::all(&f, &[Val::I64(0), Val::I32(0)]);
        for size in [0, 1, 2, 3, 4, 5, 8, 40] {
            let ([a, b], expected) = pipeline_case(seed, size, &first, &then);
            for wasm in &mut wasm {
                let mut next = 0;
                let slices = [&a, &b].map(|x| wasm.put(&mut next, &long_bytes(x), x.len()).args());
                let results = wasm.call(slices.as_flattened()).expect("it does not trap");
                assert_eq!(results, [expected.0, expected.1.into()], "seed {seed}: {first:?} {then:?}");
            }
            let result = format!("[{},{}]", expected.0, number(expected.1.into()));
            script.call(program, "pipeline", &[bigs(&a), bigs(&b)], &[result, list(&a), list(&b)]);
        }
    }
    script.run("slices-pipelines");
}

#[test]
fn random_writes() {
    let (mut script, mut stopped) = (Script::default(), 0);
    for seed in seeds(0..120) {
        let program = statements(&mut Choices::from_seed(seed), 3);
        let f = writes(&program);
        let mut wasm = Wasm::all(&f, &[Val::I64(0)]);
        let js = script.program(&f);
        for (sizes, number) in WRITE_CASES {
            let before = Plain::new(sizes, number);
            let mut after = before.clone();
            let ends = after.run(&program, 0).is_some();
            stopped += u32::from(!ends);
            let of = |x: &Plain| {
                let shorts: Vec<u8> = x.shorts.iter().flat_map(|x| x.to_le_bytes()).collect();
                [(x.bytes.clone(), x.bytes.len()), (shorts, x.shorts.len()), (long_bytes(&x.longs), x.longs.len())]
            };
            for wasm in &mut wasm {
                let mut next = 0;
                let slices = of(&before).map(|(bytes, len)| wasm.put(&mut next, &bytes, len));
                let args: Vec<Val> = slices.iter().flat_map(|s| s.args()).chain([Val::I64(number)]).collect();
                let result = wasm.call(&args);
                match ends {
                    true => assert_eq!(result.expect("it ends"), [after.number], "seed {seed}: {program:?}"),
                    false => out_of_bounds(result),
                }
                for (range, (bytes, _)) in slices.into_iter().zip(of(&after)) {
                    assert_eq!(wasm.get(range, bytes.len()), bytes, "seed {seed}, {sizes:?}: {program:?}");
                }
            }
            let (bytes, shorts) = (list(&before.bytes), list(&before.shorts));
            let args = [
                format!("Uint8Array.of({bytes})"),
                format!("Int16Array.of({shorts})"),
                bigs(&before.longs),
                format!("{number}n"),
            ];
            let result = if ends { after.number.to_string() } else { "out_of_bounds_memory".into() };
            script.call(js, "writes", &args, &[result, list(&after.bytes), list(&after.shorts), list(&after.longs)]);
        }
    }
    assert!(stopped > 5, "{stopped}");
    script.run("slices-writes");
}

#[test]
fn all_numbers_are_elements() {
    let mut script = Script::default();
    macro_rules! numbers {
        ($($host:ident $array:literal $bits:ident $values:expr;)*) => {$({
            let f = made(function("copies", |from: In<[$host]>, to: Out<[$host]>, wide: Out<[[$host; 2]]>| {
                from.iter().write_to(to);
                from.iter().chunks::<2>().map(|[a, b]| [b, a]).write_to(wide)
            }));
            let values: [$host; 5] = $values;
            let [a, b, c, d, e] = values;
            let zero = $host::default();
            let (to, wide) = ([a, b, c, d, e, zero], [b, a, d, c, zero, zero]);
            let bytes = |values: &[$host]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
            for wasm in &mut Wasm::all(&f, &[Val::I32(0)]) {
                let (mut next, zeros) = (0, bytes(&[zero; 6]));
                let slices = [(bytes(&values), 5), (zeros.clone(), 6), (zeros, 3)];
                let slices = slices.map(|(bytes, len)| wasm.put(&mut next, &bytes, len));
                let results = wasm.call(slices.map(Range::args).as_flattened()).expect("it does not trap");
                assert_eq!(results, [2]);
                assert_eq!(wasm.get(slices[1], bytes(&to).len()), bytes(&to));
                assert_eq!(wasm.get(slices[2], bytes(&wide).len()), bytes(&wide));
            }
            let program = script.program(&f);
            // The array is a part of its buffer.
            let from = format!("new {}(Uint8Array.of(9, 9, 9, 9, 9, 9, 9, 9, {}).buffer, 8)", $array, list(&bytes(&values)));
            let zeros = format!("new {}(6)", $array);
            let raw = |values: &[$host]| list(&values.iter().map(|x| $bits(*x)).collect::<Vec<_>>());
            script.call(program, "copies", &[from, zeros.clone(), zeros], &[number(2.0), raw(&values), raw(&to), raw(&wide)]);
        })*};
    }
    fn same<T>(x: T) -> T {
        x
    }
    let (f32_bits, f64_bits) = (f32::to_bits, f64::to_bits);
    numbers! {
        i8 "Int8Array" same [0, 1, -1, 127, -128];
        u8 "Uint8Array" same [0, 1, 255, 127, 128];
        i16 "Int16Array" same [0, 1, -1, 32_767, -32_768];
        u16 "Uint16Array" same [0, 1, 65_535, 32_767, 32_768];
        i32 "Int32Array" same [0, 1, -1, i32::MAX, i32::MIN];
        u32 "Uint32Array" same [0, 1, u32::MAX, 1 << 31, 77];
        i64 "BigInt64Array" same [0, 1, -1, i64::MAX, i64::MIN];
        u64 "BigUint64Array" same [0, 1, u64::MAX, 1 << 63, 77];
        f32 "Float32Array" f32_bits [-0.0, -1.5, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX];
        f64 "Float64Array" f64_bits [-0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX];
    }
    // Small numbers become large ones with their sign.
    let f = made(function("sums", |a: In<[i8]>, b: In<[u8]>| (a.iter().sum(), b.iter().sum())));
    for wasm in &mut Wasm::all(&f, &[Val::I32(0), Val::I32(0)]) {
        let mut next = 0;
        let slices = [wasm.put(&mut next, &[128, 255, 3], 3), wasm.put(&mut next, &[255, 255], 2)];
        let results = wasm.call(slices.map(Range::args).as_flattened()).expect("it does not trap");
        assert_eq!(results, [-126, 510]);
    }
    let program = script.program(&f);
    let args = ["Int8Array.of(-128, -1, 3)", "Uint8Array.of(255, 255)"].map(str::to_owned);
    let result = format!("[{},{}]", number(-126.0), number(510.0));
    script.call(program, "sums", &args, &[result, "-128,-1,3".into(), "255,255".into()]);
    script.run("slices-numbers");
}

#[test]
fn node_runs_webassembly() {
    if !has_tool("node") {
        return;
    }
    let f = made(function("scale", |a: Rep<f64>, x: In<[f64]>, y: Out<[f64]>| x.iter().map(|x| a * x).write_to(y)));
    let folder = scratch("wasm-slices-node");
    std::fs::write(folder.join("scale.wasm"), emitted(&f, Target::Wasm)).expect("files of tests can be written");
    let script = r#"
import { readFileSync } from "node:fs";
const file = new URL("scale.wasm", import.meta.url);
const { scale, memory } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file))).exports;
for (const n of [0, 1, 63, 64, 65, 1000]) {
  const x = new Float64Array(memory.buffer, 0, n), y = new Float64Array(memory.buffer, 8 * n, n + 1);
  x.set(x.map((_, i) => i * 0.5));
  y.fill(7);
  const count = scale(3, x.byteOffset, n, y.byteOffset, n + 1);
  console.log(count, y.slice(0, n).every((y, i) => y === i * 1.5), y[n]);
}
try { scale(3, 0, 2, 0, 1); } catch (error) { console.log(error instanceof WebAssembly.RuntimeError); }
"#;
    let file = folder.join("calls.mjs");
    std::fs::write(&file, script).expect("files of tests can be written");
    let expected = ["0 true 7", "1 true 7", "63 true 7", "64 true 7", "65 true 7", "1000 true 7", "true"];
    assert_eq!(node::node(&file, &[]).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn sources_are_text() {
    let f = made(function("sum", |x: In<[f64]>| x.iter().sum()));
    let error = f.source(Target::Wasm).expect_err("it is binary").to_string();
    assert!(error.contains("`wasm` is no text") && error.contains("call `emit`"), "{error}");
    assert!(text(&f, Target::Wat).starts_with("(module"));
}

#[test]
fn ranges_of_webassembly_lie_within_its_memory() {
    let f = made(function("count", |x: In<[u64]>, y: Out<[[f32; 3]]>| {
        y.iter().map(|[a, b, c]| [a + 1.0, b, c]).write_to(y);
        x.len() + y.len()
    }));
    for wasm in &mut Wasm::all(&f, &[Val::I32(0)]) {
        let before = wasm.memory.data(&wasm.store).to_vec();
        for (x, y, fits) in [
            ([0, 8192], [65_536 - 12, 1], true),
            ([65_536, 0], [65_536, 0], true),
            ([7, 8191], [65_536, 0], true),
            ([0, 8193], [0, 1], false),
            ([65_537, 0], [0, 1], false),
            ([1, 8192], [0, 1], false),
            // The last address, or the size in bytes, does not fit 32 bits.
            ([u32::MAX - 7, 1], [0, 1], false),
            ([u32::MAX - 7, 2], [0, 1], false),
            ([u32::MAX, u32::MAX], [0, 1], false),
            ([0, 1 << 29], [0, 1], false),
            ([8, (1 << 29) - 1], [0, 1], false),
            ([0, 1], [65_536 - 11, 1], false),
            ([0, 1], [12, 357_913_941], false),
            ([0, 1], [0, 1 << 30], false),
        ] {
            let args = [x, y].concat().into_iter().map(|word| Val::I32(word as i32)).collect::<Vec<_>>();
            let result = wasm.call(&args);
            match fits {
                true => assert_eq!(result.expect("it fits"), [i64::from(x[1] + y[1])], "{x:?} {y:?}"),
                false => out_of_bounds(result),
            }
            if !fits {
                assert_eq!(wasm.memory.data(&wasm.store)[..65_000], before[..65_000], "nothing was written");
            }
        }
    }
    // The host makes the memory larger, which the function sees.
    let [mut wasm, ..] = Wasm::all(&f, &[Val::I32(0)]);
    let args = [0, 8193, 0, 0].map(Val::I32);
    out_of_bounds(wasm.call(&args));
    wasm.memory.grow(&mut wasm.store, 1).expect("there is room");
    assert_eq!(wasm.call(&args).expect("it fits"), [8193]);
}

#[test]
fn indices_of_the_program_are_compared_with_the_length() {
    let f = made(function("at", |x: In<[u64]>, i: Rep<u32>, y: Out<[u64]>| {
        y.set(i + 1, x.at(i) + 1);
    }));
    let mut script = Script::default();
    let program = script.program(&f);
    let indices = [0, 1, 2, 3, 1 << 29, (1 << 29) + 1, u32::MAX];
    for wasm in &mut Wasm::all(&f, &[]) {
        for index in indices {
            let mut next = 0;
            let x = wasm.put(&mut next, &long_bytes(&[10, 20, 30]), 3);
            let y = wasm.put(&mut next, &long_bytes(&[4, 5, 6]), 3);
            let ([x0, x1], [y0, y1]) = (x.args(), y.args());
            let result = wasm.call(&[x0, x1, Val::I32(index as i32), y0, y1]);
            let mut expected = [4, 5, 6];
            match index {
                0 | 1 => {
                    result.expect("within bounds");
                    expected[index as usize + 1] = i64::from(index) * 10 + 11;
                }
                _ => out_of_bounds(result),
            }
            assert_eq!(wasm.get(y, 24), long_bytes(&expected));
        }
    }
    for index in indices {
        let (result, after) = match index {
            0 => ("undefined", "4,11,6"),
            1 => ("undefined", "4,5,21"),
            _ => ("out_of_bounds_memory", "4,5,6"),
        };
        let args = ["BigUint64Array.of(10n, 20n, 30n)", &index.to_string(), "BigUint64Array.of(4n, 5n, 6n)"];
        script.call(program, "at", &args.map(str::to_owned), &[result.into(), "10,20,30".into(), after.into()]);
    }
    script.run("slices-indices");
}

#[test]
fn javascript_takes_typed_arrays_of_the_type() {
    let scale = made(function("scale", |v: Rep<Vector<f32, 3>>, x: In<[[f32; 3]]>, y: Out<[f32]>| {
        x.iter().map(|x| v.dot(Rep::<Vector<f32, 3>>::from_components(x))).write_to(y)
    }));
    let declared = text(&scale, Target::Dts);
    let expected =
        "export function scale(x0: number, x0_1: number, x0_2: number, x1: Float32Array, x2: Float32Array): number;";
    assert_eq!(declared.trim(), expected);
    let mut script = Script::default();
    let program = script.program(&scale);
    let raw = |x: &[f32]| list(&x.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    let mut call = |x: &str, y: &str, expected: &[String]| {
        script.call(program, "scale", &["1", "10", "100", x, y].map(str::to_owned), expected);
    };
    let x = "Float32Array.of(1, 2, 3, 4, 5, 6)";
    let of_x = raw(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    call(x, "new Float32Array(3)", &[number(2.0), of_x.clone(), raw(&[321.0, 654.0, 0.0])]);
    call(x, "new Float64Array(1)", &["TypeError".into(), of_x.clone(), "0".into()]);
    call(x, "[0, 0]", &["TypeError".into(), of_x.clone()]);
    call("Float32Array.of(1, 2)", "new Float32Array(1)", &["RangeError".into(), raw(&[1.0, 2.0]), "0".into()]);
    call(x, "new Float32Array(1)", &["out_of_bounds_memory".into(), of_x, "0".into()]);
    script.run("slices-arrays");
}

#[test]
fn functions_of_the_host_are_imports() {
    let f = made(function("apply", |x: In<[f64]>, y: Out<[f64]>| {
        let noted = host("noted", Effect::Ordered, |x: f64| x.sin());
        x.iter().map(|x| noted.call(x)).write_to(y)
    }));
    let js = text(&f, Target::Js);
    assert!(js.contains("export function instantiate(imports)") && js.contains("function apply(x0, x1)"), "{js}");
    let declared = text(&f, Target::Dts);
    assert!(declared.contains("apply(x0: Float64Array, x1: Float64Array): number;"), "{declared}");
    assert!(!declared.contains("ArrayBuffer;"), "{declared}");
    let wat = text(&f, Target::Wat);
    assert!(wat.contains("(import") && wat.contains("(memory $memory (;0;) 1)"), "{wat}");
}

#[test]
fn the_form_that_is_compiled_can_be_printed() {
    let f = made(function("sum", |x: In<[f64]>| x.iter().sum()));
    assert!(text(&f, Target::Ir).contains("memory memory0 min 0 max 0 export \"slice0\""));
}

#[test]
fn other_targets_refuse_slices() {
    let f = made(function("sum", |x: In<[f64]>| x.iter().sum()));
    let empty = made(function("count", |x: In<[[f64; 0]]>| x.len()));
    let refused = |result: Result<planish::Artifact, planish::stage::Errors>, reason: &str| {
        let error = result.expect_err("it takes a slice").to_string();
        assert!(error.contains("targets.rs") && error.contains("error[E1406]") && error.contains(reason), "{error}");
    };
    let options = EmitOptions::default();
    refused(f.emit(Target::AsmJs, &options), "`sum` takes slices, and asm.js has one heap");
    refused(f.emit(Target::Graph, &options), "graphs have no memory");
    refused(empty.emit(Target::Js, &options), "elements without bytes");
}
