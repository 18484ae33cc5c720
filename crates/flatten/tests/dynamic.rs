//! Dynamic indices into values: the choices that replace them give the same part, whatever the index is.

use planish_flatten::DYNAMIC;
use planish_ir::builder::Policy;
use planish_ir::entity::Node;
use planish_ir::function::{Body, Form};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::text::{parse_str, print};
use planish_ir::types::Scalar;
use planish_ir::verify::verify;
use planish_opt::Options;
use planish_opt::restage::{Identity, restage};
use planish_opt::rules::{RULE_SETS, Rules};
use planish_testkit::straight_line::{Random, input, returned, special};

/// Parameters, result and nodes; the last node is what is returned.
const CASES: &[(&str, &str)] = &[
    ("(%0 a: [4 x f32], %1 i: i32) -> (f32)", "%r = extract_array_element %0, %1"),
    ("(%0 a: [4 x f32], %1 i: u32) -> (f32)", "%r = extract_array_element %0, %1"),
    ("(%0 a: [1 x f32], %1 i: i32) -> (f32)", "%r = extract_array_element %0, %1"),
    ("(%1 i: i32) -> (i32)", "%r = extract_array_element [5 x i32]{7, 8, 8, 9, 9}, %1"),
    (
        "(%0 a: [2 x [3 x f32]], %1 i: i32, %2 j: u32) -> (f32)",
        "%3 = extract_array_element %0, %1\n%r = extract_array_element %3, %2",
    ),
    ("(%0 m: mat3x2, %1 i: i32) -> (vec2)", "%r = extract_matrix_column %0, %1"),
    ("(%0 v: vec4, %1 i: i64) -> (f32)", "%r = extract_vector_component_dynamic %0, %1"),
    ("(%0 a: [4 x f32], %1 i: i32, %2 x: f32) -> ([4 x f32])", "%r = insert_array_element %0, %2, %1"),
    ("(%0 a: [3 x f32], %1 i: u32, %2 x: f32) -> ([3 x f32])", "%r = insert_array_element %0, %2, %1"),
    ("(%0 a: [1 x f32], %1 i: i32, %2 x: f32) -> ([1 x f32])", "%r = insert_array_element %0, %2, %1"),
    ("(%0 m: mat3x2, %1 i: i32, %2 x: vec2) -> (mat3x2)", "%r = insert_matrix_column %0, %2, %1"),
    ("(%0 v: ivec3, %1 i: i32, %2 x: i32) -> (ivec3)", "%r = insert_vector_component_dynamic %0, %2, %1"),
    ("(%0 v: vec4, %1 i: u64, %2 x: f32) -> (vec4)", "%r = insert_vector_component_dynamic %0, %2, %1"),
    ("(%0 v: vec2, %1 i: i64, %2 x: f32) -> (vec2)", "%r = insert_vector_component_dynamic %0, %2, %1"),
    (
        "(%0 a: [3 x f32], %1 b: [3 x f32], %2 c: bool, %3 i: i32, %4 x: f32, %5 j: i32) -> (f32)",
        "%6 = insert_array_element %0, %4, %3\n%7 = select %2, %6, %1\n%r = extract_array_element %7, %5",
    ),
];

fn module(language: &str, signature: &str, nodes: &str) -> Module {
    let text = format!("module {language}\nfn internal @f{signature} {{\nb0:\n{nodes}\nreturn %r\n}}\n");
    let module = parse_str(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:#?}"));
    assert_eq!(verify(&module), [], "{text}");
    module
}

/// Whether a node of the floating body indexes by what is no constant.
fn is_dynamic(body: &Body, node: Node) -> bool {
    use Op::*;
    let index = || body.args(node).last().is_some_and(|a| a.as_const().is_some());
    match body.node(node).op {
        ExtractArrayElement | ExtractMatrixColumn | InsertArrayElement | InsertMatrixColumn => !index(),
        op => matches!(op, ExtractVectorComponentDynamic | InsertVectorComponentDynamic),
    }
}

/// An input on which an index is often in range.
fn number(random: &mut Random, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 if random.chance(50) => random.below(6) as u64,
        _ => special(random, scalar),
    }
}

#[test]
fn choices_give_the_part_that_the_index_means() {
    let mut random = Random::new(4);
    for language in ["ir", "glsl 100 es"] {
        for (signature, nodes) in CASES {
            let before = module(language, signature, nodes);
            let func = before.funcs.keys().next().expect("a function");
            let mut after = before.clone();
            let sets = [RULE_SETS, &[DYNAMIC]].concat();
            let rules = Rules::with_sets(&Options::default(), &sets);
            let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(&rules) };
            restage(&mut after, func, policy, &mut Identity);
            assert_eq!(verify(&after), [], "{}", print(&after));
            let (old, new) = (before.funcs[func].body.as_ref(), after.funcs[func].body.as_ref());
            let (old, new) = (old.expect("has a body"), new.expect("has a body"));
            assert!(!new.nodes().any(|(node, _)| is_dynamic(new, node)), "{}", print(&after));
            for _ in 0..100 {
                let params = before.funcs[func].params.iter();
                let inputs: Vec<Vec<u64>> = params
                    .map(|p| {
                        input(&before.types, p.ty, &mut |s| number(&mut random, s)).expect("it is made of numbers")
                    })
                    .collect();
                let wanted = returned(&before, old, &inputs).expect("can be computed").0;
                let got = returned(&after, new, &inputs).expect("can be computed").0;
                assert_eq!(wanted, got, "{inputs:x?}\n{}", print(&after));
            }
        }
    }
}
