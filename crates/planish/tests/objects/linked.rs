//! Objects of each language, called from C and from Rust.

use std::fmt::Write as _;
use std::process::Command;

use object::{Object as _, ObjectSymbol as _};
use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::entity::Func;
use planish::module::Module;
use planish_testkit::{has_tool, scratch};

use super::{Form, Project, compile, output_of};

/// Numbers that show how a function treats signs, large and small numbers, and what is not a number.
const NUMBERS: [f64; 12] =
    [0.0, -0.0, 0.5, -1.0, 1.25, 2.5, -3.75, 100.0, 1e-310, 1e300, f64::INFINITY, f64::NEG_INFINITY];

fn exported(module: &Module, name: &str) -> Func {
    let entry = module.entry_points.iter().find(|entry| entry.names.iter().any(|n| **n == *name));
    entry.unwrap_or_else(|| panic!("`{name}` is exported")).func
}

/// The words of the evaluator's results of a function of reals.
fn evaluated(module: &Module, name: &str, args: &[f64]) -> Vec<u64> {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("memory is small");
    evaluator.start().expect("it starts");
    let func = exported(module, name);
    let params = module.funcs[func].params.iter();
    let args: Vec<_> = params.zip(args).map(|(param, x)| EvalValue { ty: param.ty, bits: vec![x.to_bits()] }).collect();
    let results = evaluator.call(func, &args).expect("it does not stop");
    results.into_iter().flat_map(|result| result.bits).collect()
}

const VL: &str = "
(define (wave x y) (+ (* (sin x) y) (- (exp (- x)) (atan y x))))
(define (power x n) (if (<= n 0) 1 (* x (power x (- n 1)))))
(define (pair x) (cons (+ x 1) (cons (> x 0) '())))
(export wave (real real))
(export power (real real))
(export pair (real))
";

#[test]
fn a_vl_program_is_called_from_c() {
    for mut project in Project::in_each_form("vl") {
        let source = compile("v.vl", VL, "1");
        project.add("v", &source);
        let (mut calls, mut want) = (String::new(), String::new());
        for x in NUMBERS {
            for y in NUMBERS {
                let wave = evaluated(&source.module, "wave", &[x, y]);
                let _ = writeln!(want, "{:016x}", wave[0]);
                let _ = writeln!(calls, "    show(v_wave(of({:#x}), of({:#x})));", x.to_bits(), y.to_bits());
            }
            let pair = evaluated(&source.module, "pair", &[x]);
            let _ = writeln!(want, "{:016x}\n{}", pair[0], pair[1]);
            let _ = writeln!(calls, "    v_pair(of({:#x}), &r); show(r.r0); printf(\"%d\\n\", r.r1);", x.to_bits());
        }
        let power = evaluated(&source.module, "power", &[1.1, 30.0]);
        let _ = writeln!(want, "{:016x}", power[0]);
        let _ = writeln!(calls, "    show(v_power(1.1, 30));");
        let program = format!(
            "#include \"v.h\"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
static double of(uint64_t bits) {{ double x; memcpy(&x, &bits, 8); return x; }}
static void show(double x) {{ uint64_t bits; memcpy(&bits, &x, 8); printf(\"%016\" PRIx64 \"\\n\", bits); }}
int main(void) {{
    v_pair_result r;
{calls}    return 0;
}}
"
        );
        let got = project.run(&program, true);
        match project.form {
            Form::Object => assert_eq!(got, want),
            Form::C => assert_near(&got, &want),
        }
    }
}

/// Compares the words of floats, a line each: elementary functions of C may differ in their last places, and NaN in its bits.
fn assert_near(got: &str, want: &str) {
    assert_eq!(got.lines().count(), want.lines().count());
    for (got, want) in got.lines().zip(want.lines()).filter(|(got, want)| got != want) {
        let [x, y] = [got, want].map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("words of floats")));
        assert!(x.is_nan() && y.is_nan() || (x - y).abs() <= 1e-14 * y.abs().max(1.0), "{x:?} is not {y:?}");
    }
}

/// Arithmetic on numbers needs nothing but itself.
const ARITHMETIC: &str = "
(define (horner x a b c) (+ a (* x (+ b (* x c)))))
(define (steps n) (if (< n 1) 0 (+ n (steps (- n 1)))))
(export horner (real real real real))
(export steps (real))
";

#[test]
fn arithmetic_is_called_from_rust_without_a_runtime() {
    let source = compile("arithmetic.vl", ARITHMETIC, "2");
    let artifact = source.object("a");
    let file = object::File::parse(&*artifact.bytes).expect("it is an object file");
    let undefined: Vec<_> = file.symbols().filter(|symbol| symbol.is_undefined()).flat_map(|s| s.name()).collect();
    assert!(undefined.iter().all(|name| name.is_empty()), "{undefined:?}");
    if !has_tool("rustc") || !has_tool("cc") {
        return;
    }
    let folder = scratch("objects-rust");
    std::fs::write(folder.join("a.o"), &artifact.bytes).expect("files of tests can be written");
    let program = "unsafe extern \"C\" {
    safe fn a_horner(x: f64, a: f64, b: f64, c: f64) -> f64;
    safe fn a_steps(n: f64) -> f64;
}
fn main() {
    println!(\"{:016x} {}\", a_horner(0.1, 0.2, 0.3, 0.7).to_bits(), a_steps(100.0));
}
";
    std::fs::write(folder.join("main.rs"), program).expect("files of tests can be written");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-O", "main.rs", "-o", "main", "-C", "link-arg=a.o"]).current_dir(&folder);
    output_of(&mut rustc);
    let want = format!("{:016x} 5050\n", evaluated(&source.module, "horner", &[0.1, 0.2, 0.3, 0.7])[0]);
    assert_eq!(output_of(&mut Command::new(folder.join("main"))), want);
}

/// As a static library, it stands before the runtime's crate, in which the linker then looks for what is missing.
#[test]
fn a_rust_program_has_the_runtime_as_a_crate() {
    if !has_tool("rustc") || !has_tool("ar") {
        return;
    }
    let source = compile("v.vl", VL, "1");
    let folder = scratch("objects-rust-runtime");
    std::fs::write(folder.join("v.o"), source.object("v").bytes).expect("files of tests can be written");
    output_of(Command::new("ar").args(["rcs", "libv.a", "v.o"]).current_dir(&folder));
    let program = "use planish_runtime as _;
#[link(name = \"v\", kind = \"static\")]
unsafe extern \"C\" {
    safe fn v_wave(x: f64, y: f64) -> f64;
}
fn main() {
    println!(\"{:016x}\", v_wave(1.25, -0.5).to_bits());
}
";
    std::fs::write(folder.join("main.rs"), program).expect("files of tests can be written");
    let library = super::runtime().with_extension("rlib");
    let dependencies = library.parent().expect("it is in a folder");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "main.rs", "-o", "main", "-L", "."]).current_dir(&folder);
    rustc.arg("-L").arg(format!("dependency={}", dependencies.display()));
    rustc.arg("--extern").arg(format!("planish_runtime={}", library.display()));
    output_of(&mut rustc);
    let want = format!("{:016x}\n", evaluated(&source.module, "wave", &[1.25, -0.5])[0]);
    assert_eq!(output_of(&mut Command::new(folder.join("main"))), want);
}

const WASM: &str = r#"(module
  (import "env" "log" (func $log (param i32 f64) (result i32)))
  (import "env" "memory-base" (global $base i32))
  (type $t (func (param i32) (result i32)))
  (memory (export "memory") 1 4)
  (table 4 funcref)
  (global $count (export "count") (mut i32) (i32.const 7))
  (elem (i32.const 0) $double $square)
  (data (i32.const 16) "hello\00")
  (data $late "later")
  (func $double (param i32) (result i32) (i32.mul (local.get 0) (i32.const 2)))
  (func $square (param i32) (result i32) (i32.mul (local.get 0) (local.get 0)))
  (func (export "apply") (param i32 i32) (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (call_indirect (type $t) (local.get 1) (local.get 0)))
  (func (export "load") (param i32) (result i32) (i32.load8_u (local.get 0)))
  (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
  (func (export "fill") (param i32 i32 i32) (memory.fill (local.get 0) (local.get 1) (local.get 2)))
  (func (export "late") (param i32)
    (memory.init $late (local.get 0) (i32.const 0) (i32.const 5)) (data.drop $late))
  (func (export "div") (param i32 i32) (result i32) (i32.div_s (local.get 0) (local.get 1)))
  (func (export "two") (param i64) (result i64 f32) (local.get 0) (f32.convert_i64_s (local.get 0)))
  (func (export "log") (param i32) (result i32) (call $log (local.get 0) (f64.const 0.5)))
  (func (export "base") (result i32) (global.get $base))
  (func (export "link") (param i32) (table.set (local.get 0) (ref.func $log-once)))
  (func $log-once (param i32) (result i32) (call $log (local.get 0) (f64.const 2)))
  (func $deep (export "deep") (param i32) (result i32)
    (if (result i32) (local.get 0)
      (then (i32.add (i32.const 1) (call $deep (i32.sub (local.get 0) (i32.const 1)))))
      (else (i32.const 0))))
  (elem declare func $log-once))
"#;

#[test]
fn a_webassembly_module_is_an_instance_in_c() {
    for mut project in Project::in_each_form("wasm") {
        project.add("m", &compile("m.wat", WASM, "1"));
        let program = r#"#include "m.h"
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
static jmp_buf here;
void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {
    printf("trap %d in %s%s\n", code, function ? function : "?", line > 0 && column > 0 ? "" : " nowhere");
    longjmp(here, 1);
}
int32_t m_env_log(m *self, int32_t x, double y) {
    printf("log %d %g for %s\n", x, y, (const char *)self->user);
    return x + 1;
}
#define TRAP(call) do { if (!setjmp(here)) { (void)(call); puts("no trap"); } } while (0)
int main(void) {
    static m a, b;
    m_init(&a, "a", 99);
    m_init(&b, "b", -1);
    printf("%d %d\n", m_apply(&a, 0, 21), m_apply(&a, 1, 12));
    printf("%d %d %d %d\n", *m_count(&a), *m_count(&b), m_base(&a), m_base(&b));
    puts((const char *)m_memory(&a)->data + 16);
    printf("%d", m_grow(&a, 2));
    printf(" %d %zu\n", m_grow(&a, 2), m_memory(&a)->size);
    m_fill(&a, 65536 * 2, 65, 100);
    m_late(&a, 65536);
    printf("%c %.5s %c\n", m_load(&a, 65536 * 2 + 99), (const char *)m_memory(&a)->data + 65536, m_load(&b, 16));
    m_two_result r;
    m_two(&a, -5, &r);
    printf("%lld %g\n", (long long)r.r0, r.r1);
    printf("%d\n", m_log(&a, 4));
    TRAP(m_apply(&b, 3, 1));
    m_link(&b, 3);
    printf("%d\n", m_apply(&b, 3, 1));
    TRAP(m_div(&a, 1, 0));
    TRAP(m_div(&a, -2147483647 - 1, -1));
    TRAP(m_load(&a, 65536 * 3));
    TRAP(m_apply(&a, 9, 1));
    TRAP((m_late(&a, 0), 0));
    a.stack_limit = (uintptr_t)&r - 100000;
    printf("deep %d\n", m_deep(&a, 10));
    TRAP(m_deep(&a, 100000000));
    m_free(&a);
    m_free(&b);
    return 0;
}
"#;
        let want = "42 144\n9 7 99 -1\nhello\n1 -1 196608\nA later h\n-5 -5\nlog 4 0.5 for a\n5\n\
        trap 7 in apply\nlog 1 2 for b\n2\ntrap 2 in div\ntrap 3 in div\ntrap 5 in load\ntrap 6 in apply\ntrap 5 in late\n\
        deep 10\ntrap 9 in deep\n";
        let found = project.run(program, true);
        // The compiler of C may make a loop of the recursion, which needs no stack.
        let has_looped = found == want.replace("trap 9 in deep", "no trap");
        assert!(found == want || has_looped && project.form == Form::C, "{found}");
    }
}

#[test]
fn the_runtimes_trap_tells_reason_and_place() {
    let Some(mut project) = Project::new("trap") else { return };
    let text = "(module (memory 1) (func (export \"f\") (result i32)\n (i32.load (i32.const -1))))";
    project.add("t", &compile("t.wat", text, "1"));
    project.write("main.c", "#include \"t.h\"\nint main(void) { t i; t_init(&i, 0); return t_f(&i); }\n");
    let mut cc = Command::new(super::compiler());
    cc.args(["main.c", "t.o", "-o", "main"]).arg(super::runtime()).args(["-lpthread", "-ldl", "-lm"]);
    output_of(cc.current_dir(&project.folder));
    let output = Command::new(project.folder.join("main")).output().expect("it starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(message, "planish: trap: out of bounds memory in `f` at 2:3\n");
    assert!(!output.status.success());
}

#[test]
fn modules_share_a_memory() {
    for mut project in Project::in_each_form("memories") {
        let owner = "(module (memory (export \"m\") 1) (func (export \"get\") (result i32) (i32.load (i32.const 8))))";
        let user = "(module (import \"owner\" \"m\" (memory 1))
        (func (export \"put\") (param i32) (i32.store (i32.const 8) (local.get 0)))
        (func (export \"grow\") (result i32) (memory.grow (i32.const 1)))
        (func (export \"far\") (param i32) (i32.store (i32.const 65536) (local.get 0)))
        (func (export \"fill\") (memory.fill (i32.const 9) (i32.const 1) (i32.const 1))))";
        project.add("owner", &compile("owner.wat", owner, "1"));
        project.add("user", &compile("user.wat", user, "1"));
        let program = r#"#include "owner.h"
#include "user.h"
#include <stdio.h>
int main(void) {
    owner o;
    user u;
    owner_init(&o, 0);
    user_init(&u, 0, owner_m(&o));
    user_put(&u, 42);
    user_fill(&u);
    int old = user_grow(&u);
    user_far(&u, 7);
    printf("%d %d %d\n", owner_get(&o), old, owner_m(&o)->data[65536]);
    user_free(&u);
    owner_free(&o);
    return 0;
}
"#;
        assert_eq!(project.run(program, true), "298 1 7\n");
    }
}

pub(super) const SHADER: &str = "#version 300 es
precision highp float;
uniform float time;
uniform mat2 rot;
uniform vec3 palette[3];
struct Light { vec3 dir; bool on; float power; };
uniform Light light;
in vec2 uv;
flat in int mode;
layout(location = 0) out vec4 color;
layout(location = 1) out ivec2 extra;
float calls = 0.5;
float shade(vec2 p) { calls += 1.0; return sin(p.x * 10.0 + time) * cos(p.y); }
void main() {
    vec2 p = rot * uv;
    vec3 c = palette[mode] * shade(p);
    for (int i = 0; i < 3; i++) if (light.on) c += palette[i] * 0.1 * light.power;
    color = vec4(c + light.dir * fract(gl_FragCoord.x), calls + shade(c.xy));
    extra = ivec2(mode * 3, int(calls));
}
";

#[test]
fn a_fragment_is_computed_from_c() {
    Project::in_each_form("shader").for_each(a_fragment);
}

fn a_fragment(mut project: Project) {
    for level in ["0", "1", "2"] {
        let source = compile("s.frag", SHADER, level);
        project.objects.clear();
        project.add("s", &source);
        let module = &source.module;
        let var = |name: &str| {
            let found = module.globals.iter().find(|&&var| &*module.vars[var].name.text == name);
            *found.unwrap_or_else(|| panic!("the shader has `{name}`"))
        };
        let (mut calls, mut want) = (String::new(), String::new());
        for i in 0..20 {
            let x = i as f32 * 0.37 - 2.0;
            let mut evaluator = Evaluator::new(module, Limits::default()).expect("memory is small");
            let mut set = |name: &str, words: Vec<u32>| {
                let var = var(name);
                let bits = words.into_iter().map(u64::from).collect();
                evaluator.set(var, &EvalValue { ty: module.vars[var].ty, bits });
            };
            let floats = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
            let palette: Vec<f32> = (0..9).map(|n| n as f32 * 0.11).collect();
            set("time", floats(&[x]));
            set("rot", floats(&[0.8, 0.6, -0.6, 0.8]));
            set("palette", floats(&palette));
            let on = i % 2;
            set("light", [floats(&[1.0, -2.0, x]), vec![on], floats(&[0.25])].concat());
            set("uv", floats(&[x, 0.3]));
            set("mode", vec![i % 3]);
            set("gl_FragCoord", floats(&[x * 1.7, 2.5, 0.5, 1.0]));
            evaluator.call(exported(module, "main"), &[]).expect("it ends");
            for word in evaluator.get(var("color"), 0).into_iter().chain(evaluator.get(var("extra"), 0)) {
                let _ = writeln!(want, "{word:08x}");
            }
            let _ = writeln!(calls, "    run({x:?}f, {}, {on});", i % 3);
        }
        let program = format!(
            "#include \"s.h\"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
static void run(float x, int mode, int on) {{
    s_main_uniforms u = {{ .time = x, .rot = {{ {{ {{ 0.8f, 0.6f }}, {{ -0.6f, 0.8f }} }} }} }};
    for (int i = 0; i < 3; i++)
        u.palette[i] = (planish_f32x3){{ (3 * i) * 0.11f, (3 * i + 1) * 0.11f, (3 * i + 2) * 0.11f }};
    u.light = (s_Light){{ {{ 1, -2, x }}, on, 0.25f }};
    s_main_inputs in = {{ .uv = {{ x, 0.3f }}, .mode = mode, .gl_FragCoord = {{ x * 1.7f, 2.5f, 0.5f, 1 }} }};
    s_main_outputs out;
    s_main(&u, &in, &out);
    uint32_t words[6];
    memcpy(words, &out, sizeof words);
    for (int i = 0; i < 6; i++) printf(\"%08\" PRIx32 \"\\n\", words[i]);
}}
int main(void) {{
{calls}    return 0;
}}
"
        );
        assert_eq!(project.run(&program, true), want, "-O{level}");
    }
}

pub(super) const COMPOSITES: &str = r#"module ir

struct $Pair {
  a: bool
  b: f64
  c: vec3
}

fn @turn(%0 pair: $Pair, %1 m: mat2x3, %2 list: [3 x f32], %3 int: bool, inout %4 p: *function vec4) -> ($Pair, f32) {
b0:
  %5 = load %4
  %6 = multiply %5, %5
  store %4, %6
  %7 = extract_struct_field[2] %0
  %8 = vector_times_matrix %7, %1
  %9 = extract_vector_component[0] %8
  %10 = extract_array_element %2, 2
  %11 = add %9, %10
  %12 = insert_struct_field[0] %0, %3
  return %12, %11
}

fn @swap(%0 x: vec2) -> (vec2) {
b0:
  %1 = extract_vector_component_multi[yx] %0
  return %1
}
export @turn "turn"
export @swap "swap-them"
"#;

#[test]
fn composites_are_structures_of_c() {
    let Some(mut project) = Project::new("composites") else { return };
    for level in ["0", "2"] {
        project.objects.clear();
        project.add("c", &compile("c.ir", COMPOSITES, level));
        let program = r#"#include "c.h"
#include <stdio.h>
int main(void) {
    c_Pair pair = { false, 0.1, { 1, 2, 3 } };
    planish_f32m2x3 m = { { { 1, 2, 3 }, { 4, 5, 6 } } };
    float list[3] = { 7, 8, 0.5f };
    planish_f32x4 p = { 1, 2, 3, 4 };
    c_turn_result r;
    c_turn(&pair, &m, list, true, &p, &r);
    printf("%d %g %g %g\n", r.r0.a, r.r0.b, r.r0.c.z, r.r1);
    printf("%g %g %g %g\n", p.x, p.y, p.z, p.w);
    planish_f32x2 x = { 1, 2 };
    c_swap_them(&x, &x);
    printf("%g %g\n", x.x, x.y);
    return 0;
}
"#;
        assert_eq!(project.run(program, false), "1 0.1 3 14.5\n1 4 9 16\n2 1\n", "-O{level}");
    }
}

/// Functions of C that a program without state imports.
const IMPORTS: &str = r#"module ir
fn @scale(%0: vec3, %1: bool) -> (vec3, i64)
import @scale "host.math" "scale"
fn @twice(%0 x: vec3) -> (vec3, i64) {
b0:
  %1, %2 = call @scale, %0, true
  %3, %4 = call @scale, %1, false
  %5 = add %2, %4
  return %3, %5
}
export @twice "twice"
"#;

#[test]
fn a_program_imports_functions_of_c() {
    for mut project in Project::in_each_form("imports") {
        project.add("i", &compile("i.ir", IMPORTS, "0"));
        let program = r#"#include "i.h"
#include <stdio.h>
void i_host_math_scale(const planish_f32x3 *p0, bool p1, i_host_math_scale_result *result) {
    result->r0 = (planish_f32x3){ p0->x * 2, p0->y * 3, p0->z * (p1 ? 4 : 5) };
    result->r1 = p1 ? -10000000000 : 1;
}
int main(void) {
    planish_f32x3 x = { 1, 1, 1 };
    i_twice_result r;
    i_twice(&x, &r);
    printf("%g %g %g %lld\n", r.r0.x, r.r0.y, r.r0.z, (long long)r.r1);
    return 0;
}
"#;
        assert_eq!(project.run(program, false), "4 9 20 -9999999999\n");
    }
}

const RECORDS: &str = "
(define (moved (list x y) d) (list (+ x d) (+ y d)))
(define (frame size) (list (list 0 0) (list size 1) (< 0 size) 0.5))
(define (applied m v) (matrix-vector m v))
(export moved ((record my-point (x real) (y real)) real) -> (record my-point (x real) (y real)))
(export frame (real) -> (record box (low (record my-point (x real) (y real))) (high (record my-point (x real) (y real)))
                                    (wide? boolean) (depth real)))
(export applied ((list (list real real) (list real real)) (list real real)))
";

/// Structures of C with members of their names, whose layout is C's.
#[test]
fn records_of_vl_are_structs_in_c() {
    for mut project in Project::in_each_form("records") {
        project.add("v", &compile("v.vl", RECORDS, "2"));
        let program = "#include \"v.h\"
#include <stdio.h>
int main(void) {
    v_my_point p = { .x = 1, .y = 2 };
    v_moved(&p, 3, &p);
    printf(\"%g %g\\n\", p.x, p.y);
    v_box b;
    v_frame(2.5, &b);
    printf(\"%g %g %g %g %d %g\\n\", b.low.x, b.low.y, b.high.x, b.high.y, b.wideu3F, b.depth);
    const double m[2][2] = { { 1, 2 }, { 3, 4 } }, v[2] = { 1, 1 };
    double r[2];
    v_applied(m, v, r);
    printf(\"%g %g\\n\", r[0], r[1]);
    return 0;
}
";
        assert_eq!(project.run(program, true), "4 5\n0 0 2.5 1 1 0.5\n3 7\n");
    }
}
