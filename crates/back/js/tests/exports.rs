//! Text around the functions: imports, exports, state, declarations; and errors.

use planish_back_js::{Options, Output, write_asm, write_module};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_testkit::node::node;
use planish_testkit::{has_tool, scratch};

fn parsed(text: &str) -> Module {
    let module = parse_str(text).unwrap_or_else(|e| panic!("{e:#?}"));
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{errors:#?}");
    module
}

fn module_of(text: &str) -> Output {
    write_module(&parsed(text), &Options::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn asm_of(text: &str) -> Output {
    write_asm(&parsed(text), &Options::default()).unwrap_or_else(|e| panic!("{e:#?}"))
}

/// Runs a script beside the two forms of a program, which it finds as `m.mjs` and (evaluated) as `program`.
fn run(test: &str, text: &str, script: &str) -> Option<String> {
    let (module, asm) = (module_of(text), asm_of(text));
    if !has_tool("node") {
        return None;
    }
    let folder = scratch(&format!("js-{test}"));
    let loader = "import { readFileSync } from \"node:fs\";
const program = (0, eval)(`${readFileSync(new URL(\"p.js\", import.meta.url), \"utf8\")}; program`);
const checked = (...args) => {
  const exports = program(globalThis, ...args);
  if (!%IsAsmWasmCode(program)) throw new Error(\"this is no asm.js\");
  return exports;
};
";
    for (name, text) in [("m.mjs", &module.text), ("p.js", &asm.text), ("s.mjs", &format!("{loader}{script}"))] {
        std::fs::write(folder.join(name), text).expect("can be written");
    }
    Some(node(&folder.join("s.mjs"), &["--allow-natives-syntax"]))
}

/// A module as of a functional language: imports and exports of numbers, several results, tests.
const WORLD: &str = "module vl
fn @read_real() -> (f64)
fn @write_real(%0 x: f64)
fn @is_small(%0 x: f64) -> (bool) {
b0:
  %1 = less_than %0, 10.0d
  return %1
}
fn internal @divide(%0 x: f64, %1 y: f64) -> (f64, f64, bool) {
b0:
  %2 = divide %0, %1
  %3 = floor %2
  %4 = multiply %3, %1
  %5 = subtract %0, %4
  %6 = equal %5, 0.0d
  return %3, %5, %6
}
fn @echo(%0 times: f64) -> (f64, f64, bool) {
b0:
  loop 0.0d, 0.0d {
  cond b1(%1: f64, %2: f64):
    %3 = less_than %1, %0
    loop_if %3 merge(%2)
  body b2:
    %4 = call @read_real
    %5 = call @is_small, %4
    %6 = negate %4
    %7 = select %5, %4, %6
    call @write_real, %7
    %8 = add %1, 1.0d
    %9 = add %2, %4
    continue b0, %8, %9
  }
b3(%10: f64):
  %11, %12, %13 = call @divide, %10, 4.0d
  return %11, %12, %13
}
import @read_real \"env\" \"read_real\"
import @write_real \"env\" \"write_real\"
export @echo \"echo\"
export @divide \"delete\" \"divide it\"
";

#[test]
fn the_world_gives_functions_and_gets_them() {
    let output = module_of(WORLD);
    assert_eq!(
        output.declarations,
        "export interface Imports {
  env: {
    read_real(): number;
    write_real(x: number): void;
  };
}
export interface Exports {
  echo(times: number): [number, number, boolean];
  delete(x: number, y: number): [number, number, boolean];
  \"divide it\"(x: number, y: number): [number, number, boolean];
}
export function instantiate(imports: Imports): Exports;
"
    );
    let script = "
import { instantiate } from \"./m.mjs\";
const numbers = [1, 20, 3, 7.5];
const host = () => {
  let at = 0;
  const written = [];
  return { written, read_real: () => numbers[at++], write_real: (x) => { written.push(x); } };
};
const a = host();
const m = instantiate({ env: a });
console.log(m.echo(4), a.written, m[\"divide it\"](9, 2), m.delete(8, 2));
const b = host();
const heap = new ArrayBuffer(program.bytes);
const s = checked(b, heap);
const f64 = new Float64Array(heap), i32 = new Int32Array(heap);
console.log([s.echo(4), f64[1], i32[4]], b.written);
";
    let Some(text) = run("world", WORLD, script) else { return };
    assert_eq!(
        text,
        "[ 7, 3.5, false ] [ 1, -20, 3, 7.5 ] [ 4, 1, false ] [ 4, 0, true ]\n[ 7, 3.5, 0 ] [ 1, -20, 3, 7.5 ]\n"
    );
}

#[test]
fn variables_of_the_module_are_kept_and_reached() {
    let text = "module ir
var private @count: i32 = 40 export \"count\"
var private @level: f64 = -0.0d
fn @next(%0 by: i32) -> (i32) {
b0:
  %1 = load @count
  %2 = add %1, %0
  store @count, %2
  %3 = load @level
  store @level, 1.5d
  return %2
}
export @next \"next\"
";
    let output = module_of(text);
    assert_eq!(
        output.text,
        "let count = 40;
let level = -0;
export function next(by) {
  const v = count + by | 0;
  count = v;
  level = 1.5;
  return v;
}
export { count };
"
    );
    assert_eq!(output.declarations, "export function next(by: number): number;\nexport let count: number;\n");
    let script = "
import * as m from \"./m.mjs\";
m.next(1);
const s = checked({}, undefined);
s.next(1);
s.set_count(s.get_count() + 1 | 0);
console.log(m.next(1), m.count, s.next(1), s.get_count());
";
    let Some(text) = run("variables", text, script) else { return };
    assert_eq!(text, "42 42 43 43\n");
}

#[test]
fn variables_of_every_type_begin_with_what_they_hold() {
    let text = "module ir
var private @mask: u32 = 4294967295u export \"mask\"
var private @gain: f32 = 0.1 export \"gain\"
var private @on: bool = true export \"on\"
var private @far: f64 = -1.0e300d export \"far\"
fn @get_mask(%0 by: f32) -> (u32) {
b0:
  %1 = load @gain
  %2 = multiply %1, %0
  store @gain, %2
  %3 = load @on
  %4 = logical_not %3
  store @on, %4
  %5 = load @far
  %6 = negate %5
  store @far, %6
  %7 = load @mask
  %8 = shift_right %7, 1
  store @mask, %8
  return %7
}
export @get_mask \"get_mask\"
";
    let script = "
import * as m from \"./m.mjs\";
const s = checked({}, undefined);
console.log(m.get_mask(2) === 4294967295, m.mask, m.gain, m.on, m.far);
console.log(s.get_mask(2) === -1, s.get_mask1(), s.get_gain(), s.get_on(), s.get_far());
";
    let Some(text) = run("types", text, script) else { return };
    assert_eq!(
        text,
        "true 2147483647 0.20000000298023224 false 1e+300\ntrue 2147483647 0.20000000298023224 0 1e+300\n"
    );
}

#[test]
fn traps_say_what_they_are() {
    let text = "module ir
fn @divide(%0 x: i32, %1 y: i32) -> (i32) {
b0:
  %2 = divide_trapping %0, %1
  return %2
}
fn @stop() -> (f64) {
b0:
  trap user
}
export @divide \"divide\"
export @stop \"stop\"
";
    let script = "
import * as m from \"./m.mjs\";
const told = (f) => { try { return f(); } catch (e) { return `${e.name} ${e.kind} ${e.message}`; } };
const s = checked({ trap(kind) { throw Object.assign(new Error(\"it\"), { kind }); } }, undefined);
for (const p of [m, s]) {
  console.log(told(() => p.divide(7, 0)), told(() => p.divide(-2147483648, -1)), told(() => p.stop()), p.divide(7, -2));
}
";
    let Some(text) = run("traps", text, script) else { return };
    assert_eq!(
        text,
        "Trap division_by_zero division by zero Trap integer_overflow integer overflow Trap user user -3\n\
         Error 1 it Error 2 it Error 9 it -3\n"
    );
}

fn refused(result: Result<Output, Vec<Diagnostic>>, code: Code, words: &str) {
    let errors = result.expect_err("it cannot be written");
    let text = format!("{errors:#?}");
    assert!(errors.iter().any(|e| e.code == code && e.message.contains(words)), "{text}");
}

#[test]
fn what_cannot_be_held_is_an_error_with_its_place() {
    let wide =
        parsed("module ir\nfn @f(%0: i64) -> (i64) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\nexport @f \"f\"\n");
    let errors = write_asm(&wide, &Options::default()).expect_err("64 bits");
    assert!(errors.iter().all(|e| e.code == Code::E0602 && !e.span.is_none()), "{errors:#?}");
    assert!(write_module(&wide, &Options::default()).is_ok());
    let vector =
        parsed("module ir\nfn @f(%0: vec2) -> (vec2) {\nb0:\n  %1 = add %0, %0\n  return %1\n}\nexport @f \"f\"\n");
    refused(write_module(&vector, &Options::default()), Code::E0602, "`vec2`");
    let slope = parsed("module ir\nfn @f(%0: f32) -> (f32) {\nb0:\n  %1 = dfdx %0\n  return %1\n}\nexport @f \"f\"\n");
    refused(write_module(&slope, &Options::default()), Code::E0604, "`dfdx`");
    refused(write_asm(&slope, &Options::default()), Code::E0604, "`dfdx`");
}

#[test]
fn functions_as_values_are_refused_before_they_are_lowered() {
    let text = "module ir
fn @twice(%0: f64) -> (f64) {
b0:
  %1 = add %0, %0
  return %1
}
fn @apply(%0: fn(f64) -> (f64), %1: f64) -> (f64) {
b0:
  %2 = call %0, %1
  return %2
}
export @apply \"apply\"
";
    let mut module = parsed(text);
    let errors =
        planish_opt::lower_to_scalars::run(&mut module, &planish_back_js::info(), &mut planish_opt::Context::default())
            .expect_err("it has no numbers");
    assert!(errors.iter().all(|e| e.code == Code::E0604 && !e.span.is_none()), "{errors:#?}");
    assert!(errors[0].message.contains("`apply`"), "{errors:#?}");
}

/// `view.setInt32(at, grown())` would look at the view before it is another one.
#[test]
fn what_is_stored_goes_to_the_memory_that_has_grown() {
    let text = "module ir
memory memory0 min 1 max 9 export \"memory\"
fn internal @grown() -> (i32) {
b0:
  %0 = memory_grow[memory0] 1
  %1 = add %0, 6
  return %1
}
fn @put() -> (i32) {
b0:
  %0 = call @grown
  memory_store[memory0 u32] 16, %0
  %1: i32 = memory_load[memory0 u32] 16
  return %1
}
export @put \"put\"
";
    let script = "
import * as m from \"./m.mjs\";
const s = checked({ trap() {} }, new ArrayBuffer(program.bytes));
console.log(m.put(), m.put(), s.put());
";
    let Some(text) = run("grown", text, script) else { return };
    assert_eq!(text, "7 8 5\n");
}

#[test]
fn a_memory_grows_and_shows_its_data() {
    let text = "module ir
memory memory0 min 1 max 3 export \"memory\"
data data0 in memory0 at 8 \"\\01\\02\\03\\04\\05\"
fn @sum(%0 at: i32) -> (i32) {
b0:
  %1: i32 = memory_load[memory0 u32] %0
  %2: i32 = memory_load[memory0 u8 offset 4] %0
  %3 = add %1, %2
  memory_store[memory0 u16 offset 2] %0, %3
  %4 = memory_size[memory0]
  %5 = add %3, %4
  return %5
}
fn @grow(%0 pages: i32) -> (i32) {
b0:
  %1 = memory_grow[memory0] %0
  return %1
}
export @sum \"sum\"
export @grow \"grow\"
";
    let script = "
import * as m from \"./m.mjs\";
const world = { trap(kind) { throw new Error(`trap ${kind}`); } };
const told = (f) => { try { return f(); } catch (e) { return e.message; } };
const heap = new ArrayBuffer(program.bytes);
const s = checked(world, heap);
s.initialize();
console.log(m.sum(8).toString(16), m.sum(9).toString(16), told(() => m.sum(65535)), m.grow(1), m.grow(5), m.grow(0));
console.log(s.sum(8).toString(16), s.sum(9).toString(16), told(() => s.sum(65535)), s.grow(1), s.grow(0));
console.log(m.memory.byteLength, new Uint8Array(m.memory, 8, 6).join(), new Uint8Array(heap, 8, 6).join());
console.log(m.sum(65536));
";
    let Some(text) = run("memory", text, script) else { return };
    assert_eq!(
        text,
        "4030207 5020603 Offset is outside the bounds of the DataView 1 -1 2
4030207 5020603 trap 4 -1 1
131072 1,2,6,2,6,0 1,2,6,2,6,0
2
"
    );
}
