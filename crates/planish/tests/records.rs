//! Records and lists of exports of VL: a struct, an array or a tuple in every target, with the values of the evaluator.

use planish::eval::{EvalValue, Evaluator, Limits};
use planish::ir::meaning::Shape as _;
use planish::ir::types::{Scalar, TypeKind};
use planish::module::Module;
use planish::{Compiler, EmitOptions, LEVELS, Optimizer, Target, emit};

const PROGRAM: &str = "
(define (moved (list x y) d) (list (+ x d) (+ y d)))
(define (frame size) (list (list 0 0) (list size 1) (< 0 size)))
(define (applied m v) (matrix-vector m v))
(define (mixed x) (list x (list (< 0 x) (* x x)) (list 1 2 3)))
(export moved ((record my-point (x real) (y real)) real) -> (record my-point (x real) (y real)))
(export frame (real)
  -> (record box (low (record my-point (x real) (y real))) (high (record my-point (x real) (y real))) (wide? boolean)))
(export applied ((list (list real real) (list real real)) (list real real)))
(export mixed (real))
";

/// Arguments, all of which a binary32 holds, and the results.
const CALLS: [(&str, &[f64], &[f64]); 5] = [
    ("moved", &[1.0, 2.0, 3.0], &[4.0, 5.0]),
    ("frame", &[2.5], &[0.0, 0.0, 2.5, 1.0, 1.0]),
    ("frame", &[-2.0], &[0.0, 0.0, -2.0, 1.0, 0.0]),
    ("applied", &[1.0, 2.0, 3.0, 4.0, 1.0, 1.0], &[3.0, 7.0]),
    ("mixed", &[3.0], &[3.0, 1.0, 9.0, 1.0, 2.0, 3.0]),
];

fn program(level: &str) -> Module {
    let mut module = Compiler::default().compile("records.vl", PROGRAM).module.expect("a program");
    Optimizer::level(level).expect("a level").run(&mut module, &mut |_, _| {});
    assert_eq!(planish::ir::verify::verify(&module), []);
    module
}

fn written(module: &Module, target: Target) -> String {
    let artifact = emit(module, target, &EmitOptions { prefix: "r".into(), ..EmitOptions::default() });
    String::from_utf8(artifact.unwrap_or_else(|errors| panic!("{target:?}: {errors:?}")).bytes).expect("a text")
}

/// A program of functions in a shading language; GLSL has no files without an entry point.
fn library(module: &Module, target: Target) -> String {
    written(module, target) + if target == Target::Glsl { "\nvoid main() {}\n" } else { "" }
}

fn word(scalar: Scalar, x: f64) -> u64 {
    match scalar {
        Scalar::F32 => (x as f32).to_bits().into(),
        Scalar::F64 => x.to_bits(),
        _ => u64::from(x != 0.0),
    }
}

/// Calls the functions of a module, whose values may have any structure.
fn check(module: &Module, what: &str) {
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("there is nothing to begin with");
    for (name, args, wanted) in CALLS {
        let func = module.funcs_named(name).next().unwrap_or_else(|| panic!("{what}: {name}"));
        let scalars = |ty| {
            let mut scalars = Vec::new();
            module.types.for_each_run(ty, &mut |scalar, n| scalars.extend(std::iter::repeat_n(scalar, n)));
            scalars
        };
        let mut numbers = args.iter().copied();
        let mut value = |ty| {
            let bits = scalars(ty).into_iter().map(|s| word(s, numbers.next().expect("a number"))).collect();
            EvalValue { ty, bits }
        };
        let args: Vec<EvalValue> = module.funcs[func].params.iter().map(|param| value(param.ty)).collect();
        let results = evaluator.call(func, &args).unwrap_or_else(|stop| panic!("{what}: {name}: {stop:?}"));
        let types: Vec<Scalar> = results.iter().flat_map(|result| scalars(result.ty)).collect();
        let found: Vec<u64> = results.iter().flat_map(|result| result.bits.clone()).collect();
        assert_eq!(types.len(), wanted.len(), "{what}: {name}");
        let wanted: Vec<u64> = types.iter().zip(wanted).map(|(&scalar, &x)| word(scalar, x)).collect();
        assert_eq!(found, wanted, "{what}: {name}");
    }
}

/// The functions that are written are read again, and called with structs.
#[test]
fn shading_languages_have_structs_and_arrays() {
    for level in LEVELS {
        let module = program(level);
        check(&module, level);
        for (target, name) in [(Target::Glsl, "r.frag"), (Target::Wgsl, "r.wgsl")] {
            let text = library(&module, target);
            for what in ["struct MyPoint", "struct Box", "struct MixedResult"] {
                assert!(text.contains(what), "{what}: {text}");
            }
            let back = Compiler::default().compile(name, &*text);
            let module = back.module.unwrap_or_else(|| panic!("{text}\n{:?}", back.diagnostics));
            let func = module.funcs_named("moved").next().expect("it is there");
            let function = &module.funcs[func];
            assert_eq!((function.params.len(), function.results.len()), (2, 1), "{text}");
            assert!(matches!(module.types[function.results[0].ty], TypeKind::Struct(_)), "{text}");
            check(&module, &text);
        }
        for target in [Target::Msl, Target::Hlsl] {
            assert!(written(&module, target).contains("struct MyPoint"), "{}", written(&module, target));
        }
    }
}

#[test]
fn typescript_has_interfaces() {
    assert_eq!(
        written(&program("2"), Target::Dts),
        "export interface MyPoint {
  x: number;
  y: number;
}
export interface Box {
  low: MyPoint;
  high: MyPoint;
  \"wide?\": boolean;
}
export function moved(my_point: MyPoint, d: number): MyPoint;
export function frame(size: number): Box;
export function applied(m: [[number, number], [number, number]], v: [number, number]): [number, number];
export function mixed(x: number): [number, [boolean, number], [number, number, number]];
"
    );
}

#[test]
fn rust_and_c_have_structs() {
    let module = program("2");
    let rust = written(&module, Target::Rust);
    for what in [
        "/// The record `my-point`.\n#[derive(Clone, Copy, PartialEq, Debug)]\npub struct MyPoint {\n    /// The part `x`.\n    pub x: f64,",
        "pub fn moved(my_point: MyPoint, d: f64) -> MyPoint {",
        "    pub high: MyPoint,",
        "pub fn applied(m: [[f64; 2]; 2], v: [f64; 2]) -> [f64; 2] {",
        "pub fn mixed(x: f64) -> (f64, (bool, f64), [f64; 3]) {",
    ] {
        assert!(rust.contains(what), "{what}\n{rust}");
    }
    let header = written(&module, Target::Header);
    for what in [
        "typedef struct r_my_point {\n    double x;\n    double y;\n} r_my_point;",
        "void r_moved(const r_my_point *my_point, double d, r_my_point *result);",
        "void r_applied(const double m[2][2], const double v[2], double result[2]);",
        "void r_mixed(double x, r_mixed_result *result);",
    ] {
        assert!(header.contains(what), "{what}\n{header}");
    }
}

/// An export that the program calls itself is a function for the host that calls it.
#[test]
fn exports_that_are_called_have_a_function_for_the_host() {
    let text = "module vl

fn @inner(%0 x: f64, %1 y: f64) -> (f64, f64) shape(p: {x: _, y: _}) -> [2 x _] {
b0:
  %2 = add %0, %1
  return %1, %2
}

fn @outer(%0 x: f64) -> (f64) {
b0:
  %1, %2 = call @inner, %0, 1.0d
  %3 = multiply %1, %2
  return %3
}
export @inner \"inner\"
export @outer \"outer\"
";
    let module = planish::ir::text::parse_str(text).expect("it is a module");
    let js = written(&module, Target::Js);
    assert!(js.contains("({ x, y }) {"), "{js}");
    for target in [Target::Glsl, Target::Wgsl] {
        let name = if target == Target::Glsl { "r.frag" } else { "r.wgsl" };
        let text = library(&module, target);
        let back = Compiler::default().compile(name, &*text).module.unwrap_or_else(|| panic!("{text}"));
        let func = back.funcs_named("outer").next().expect("it is there");
        let ty = back.funcs[func].params[0].ty;
        let two = EvalValue { ty, bits: vec![2f32.to_bits().into()] };
        let found = Evaluator::new(&back, Limits::default()).expect("nothing begins").call(func, &[two]);
        assert_eq!(found.expect("it ends")[0].bits, [u64::from(3f32.to_bits())], "{text}");
    }
}
