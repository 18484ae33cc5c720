//! Every op that a flat function of `f32`, `i32`, `u32` and `bool` can have, on every choice of operand types, on values where rules
//! differ: the reader gives the bits that the evaluator gives.

use std::fmt::Write;

use graph_reader::Error;
use planish::dataflow::opcodes;
use planish::ir::entity::Type;
use planish::ir::ops::{Class, Effect, Imm, ImmKind, Lanes, OPS, OpInfo, infer};
use planish::ir::text::{parse_str, type_text};
use planish::ir::types::Types;

use crate::common::{self, compare};

/// Ops that the reader refuses.
const REFUSED: [&str; 4] = ["rgb_to_yuv", "yuv_to_rgb", "pack_double2x32", "unpack_double2x32"];

fn pool(types: &mut Types) -> Vec<Type> {
    let arrays = [types.array(Type::F32, 3), types.array(Type::IVEC2, 2)];
    let plain = [
        Type::F32,
        Type::I32,
        Type::U32,
        Type::BOOL,
        Type::VEC2,
        Type::VEC3,
        Type::VEC4,
        Type::IVEC2,
        Type::IVEC4,
        Type::UVEC2,
        Type::UVEC3,
        Type::BVEC2,
        Type::BVEC3,
        Type::BVEC4,
        Type::MAT2,
        Type::MAT3,
        Type::MAT4,
        Type::MAT2X3,
        Type::MAT3X2,
    ];
    plain.into_iter().chain(arrays).collect()
}

fn immediates(info: &OpInfo) -> Vec<(Imm, String)> {
    let lanes = |l: &[u8]| (Imm::from(Lanes::new(l)), format!("[{:?}]", Lanes::new(l)));
    match info.imm {
        ImmKind::Index => {
            vec![(Imm::index(0), "[0]".into()), (Imm::index(1), "[1]".into()), (Imm::index(3), "[3]".into())]
        }
        ImmKind::Lanes => vec![lanes(&[1, 0]), lanes(&[0, 0, 1]), lanes(&[3, 2, 1, 0]), lanes(&[2, 2])],
        _ => vec![(Imm::NONE, String::new())],
    }
}

/// Choices of operand types (and a result type, where the op needs one) that the op takes; of very many some.
fn signatures(types: &mut Types, info: &OpInfo, imm: Imm) -> Vec<(Vec<Type>, Option<Type>)> {
    let pool = pool(types);
    let explicit: Vec<Option<Type>> =
        if info.rule.needs_type() { pool.iter().copied().map(Some).collect() } else { vec![None] };
    let mut found = vec![];
    for arity in 1..=4u32 {
        for choice in 0..pool.len().pow(arity) {
            let operands: Vec<Type> = (0..arity).map(|i| pool[choice / pool.len().pow(i) % pool.len()]).collect();
            // Constructors take any number of anything: three operands tell enough, and not all of them.
            if explicit.len() > 1 && (arity > 3 || arity > 1 && choice % 7 != 0) {
                continue;
            }
            if arity == 4 && operands[2..] != [Type::I32, Type::I32] {
                continue;
            }
            for &ty in &explicit {
                if infer(types, info.op, imm, &operands, ty).is_ok() {
                    found.push((operands.clone(), ty));
                }
            }
        }
    }
    let step = found.len().div_ceil(36).max(1);
    found.into_iter().step_by(step).collect()
}

fn is_tested(info: &OpInfo) -> bool {
    let known = opcodes().any(|op| op == info.text);
    known
        && info.effect == Effect::Pure
        && !matches!(info.class, Class::Texture | Class::Stage)
        && !REFUSED.contains(&info.text)
        && info.text != "construct_struct"
        && !info.text.ends_with("struct_field")
}

#[test]
fn every_op_gives_the_bits_of_the_evaluator() {
    let (mut ops, mut functions) = (0, 0);
    for info in OPS.iter().filter(|info| is_tested(info)) {
        let mut types = Types::new();
        let mut text = "module ir\n".to_string();
        let mut count = 0;
        for (imm, word) in immediates(info) {
            for (operands, explicit) in signatures(&mut types, info, imm) {
                let results = infer(&mut types, info.op, imm, &operands, explicit).expect("it fits");
                let params: Vec<String> =
                    operands.iter().enumerate().map(|(i, t)| format!("%{i} p{i}: {}", type_text(&types, *t))).collect();
                let outs: Vec<String> = results.iter().map(|t| type_text(&types, *t)).collect();
                let args: Vec<String> = (0..operands.len()).map(|i| format!("%{i}")).collect();
                let labels: Vec<String> = (0..results.len()).map(|i| format!("%{}", operands.len() + i)).collect();
                let ty = explicit.map_or(String::new(), |t| format!(": {}", type_text(&types, t)));
                let _ = writeln!(
                    text,
                    "\nfn @{}_{count}({}) -> ({}) {{\nb0:\n  {}{ty} = {}{word} {}\n  return {}\n}}",
                    info.text,
                    params.join(", "),
                    outs.join(", "),
                    labels.join(", "),
                    info.text,
                    args.join(", "),
                    labels.join(", "),
                );
                count += 1;
            }
        }
        assert!(count > 0, "{} takes nothing", info.text);
        let module = parse_str(&text).unwrap_or_else(|e| panic!("{e:#?}\n{text}"));
        for func in module.funcs.keys() {
            compare(&module, &module, func, 60, false);
        }
        ops += 1;
        functions += count;
    }
    assert!(ops > 120 && functions > 600, "only {ops} ops, {functions} functions");
}

/// The reader refuses ops that it does not have, and the list of them is no longer than it must be.
#[test]
fn the_reader_says_what_it_does_not_do() {
    let text = "module ir\nfn @f(%0 c: vec3) -> (vec3) {\nb0:\n  %1 = rgb_to_yuv %0, itu_601\n  return %1\n}\n";
    let module = parse_str(text).expect("it is valid");
    let error = common::read(&module, module.funcs.keys().next().expect("a function")).expect_err("it is refused");
    assert!(error.contains("yuv"), "{error}");
    let text = "module ir\nfn @f(%0 c: vec3) -> (vec3) {\nb0:\n  %1 = dfdx %0\n  return %1\n}\n";
    let module = parse_str(text).expect("it is valid");
    let error = common::read(&module, module.funcs.keys().next().expect("a function")).expect_err("it is refused");
    assert_eq!(error, Error::Unsupported(1, "`dfdx`".into()).to_string());
}
