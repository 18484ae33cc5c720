//! The functions of `tests/wgsl/*.wgsl` that say what they give (`// expect: …` on the line before) give that in the
//! evaluator.

use planish_eval::{Evaluator, Limits};
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::types::{Scalar, TypeKind, Types};

use crate::common;

/// Component types of a value, depth first.
fn scalars(types: &Types, ty: Type, out: &mut Vec<Scalar>) {
    match &types[ty] {
        TypeKind::Scalar(s) => out.push(*s),
        TypeKind::Vector(s, n) => out.extend(std::iter::repeat_n(*s, (*n).into())),
        TypeKind::Matrix { scalar, columns, rows } => {
            out.extend(std::iter::repeat_n(*scalar, usize::from(columns * rows)));
        }
        TypeKind::Array { element, len } => (0..*len).for_each(|_| scalars(types, *element, out)),
        TypeKind::Struct(s) => s.members.iter().for_each(|m| scalars(types, m.ty, out)),
        other => panic!("a result of type {other:?}"),
    }
}

fn fits(scalar: Scalar, bits: u64, expected: &str) -> bool {
    let hex = expected.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16).expect("hexadecimal"));
    match scalar {
        _ if hex.is_some() => hex == Some(bits),
        Scalar::Bool => expected == if bits != 0 { "true" } else { "false" },
        Scalar::I32 => expected.parse() == Ok(bits as u32 as i32),
        Scalar::U32 => expected.parse() == Ok(bits as u32),
        Scalar::F32 => {
            let (have, want) = (f32::from_bits(bits as u32), expected.parse::<f32>().expect("a number"));
            (have - want).abs() <= 1e-6 * want.abs().max(1.0)
        }
        other => panic!("a component of type {other:?}"),
    }
}

fn check(module: &Module, name: &str, expected: &str) -> Result<(), String> {
    let (func, _) =
        module.funcs.iter().find(|(_, f)| &*f.name.text == name).ok_or_else(|| format!("no function '{name}'"))?;
    let mut evaluator = Evaluator::new(module, Limits::default()).map_err(|stop| format!("{stop:?}"))?;
    let results = evaluator.call(func, &[]).map_err(|stop| format!("{stop:?}"))?;
    let result = &results[0];
    let mut types = Vec::new();
    scalars(&module.types, result.ty, &mut types);
    let words: Vec<&str> = expected.split_whitespace().collect();
    let same = words.len() == result.bits.len()
        && types.iter().zip(&result.bits).zip(&words).all(|((s, b), w)| fits(*s, *b, w));
    if same { Ok(()) } else { Err(format!("{name} gives {:?}, expected {expected}", result.bits)) }
}

/// The expectations of a file: function and result.
fn expectations(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    lines
        .windows(2)
        .filter_map(|pair| {
            let expected = pair[0].strip_prefix("// expect: ")?;
            let name = pair[1].strip_prefix("fn ")?.split('(').next()?;
            Some((name.to_owned(), expected.to_owned()))
        })
        .collect()
}

#[test]
fn functions_give_what_they_say() {
    let (mut failures, mut count) = (Vec::new(), 0);
    for (name, text) in common::programs("wgsl", "wgsl") {
        let expectations = expectations(&text);
        if expectations.is_empty() {
            continue;
        }
        let module = common::read_wgsl(&name, &text);
        for (function, expected) in expectations {
            count += 1;
            if let Err(failure) = check(&module, &function, &expected) {
                failures.push(format!("{name}: {failure}"));
            }
        }
    }
    assert!(count >= 80, "only {count} expectations");
    assert!(failures.is_empty(), "{} of {count} fail:\n{}", failures.len(), failures.join("\n"));
}
