//! The programs of `tests/ir` and their `// run:` lines.

use std::path::Path;

use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::types::{Scalar, TypeKind};

/// Every program, with its file's name, text and module.
pub fn all() -> Vec<(String, String, Module)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut paths: Vec<_> = std::fs::read_dir(directory)
        .expect("tests/ir is part of the repository")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "ir"))
        .collect();
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("readable");
            let module = parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), text, module)
        })
        .collect()
}

/// The calls that the `// run:` lines ask for, with the words of the arguments.
pub fn calls(text: &str, module: &Module) -> Vec<(Func, Vec<u64>)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("// run: @"))
        .map(|line| {
            let (call, _) = line.split_once(") = ").expect("a call and its results");
            let (name, args) = call.split_once('(').expect("arguments");
            let func = module.funcs.iter().find(|(_, f)| &*f.name.text == name).expect("the function").0;
            let params = module.funcs[func].params.iter();
            let texts = args.split(',').map(str::trim).filter(|t| !t.is_empty());
            let words = texts.zip(params).flat_map(|(text, param)| match module.types[param.ty] {
                TypeKind::Scalar(s) => vec![word(text, s)],
                TypeKind::V128 => {
                    let digits = text.strip_prefix("wide_").expect("a v128");
                    let bits = u128::from_str_radix(digits, 16).expect("hexadecimal");
                    vec![bits as u64, (bits >> 64) as u64]
                }
                ref other => panic!("run lines have no {other:?}"),
            });
            (func, words.collect())
        })
        .collect()
}

/// The bits of a scalar as the text form writes it.
fn word(text: &str, scalar: Scalar) -> u64 {
    let digits = text.trim_end_matches(['u', 'l', 'd']);
    let special = |name: &str| u64::from_str_radix(name, 16).expect("hexadecimal");
    match scalar {
        Scalar::Bool => u64::from(text == "true"),
        Scalar::F32 => match text.strip_prefix("nan_") {
            Some(bits) => special(bits),
            None => digits.parse::<f32>().expect("a float").to_bits().into(),
        },
        Scalar::F64 => match text.strip_prefix("nand_") {
            Some(bits) => special(bits),
            None => digits.parse::<f64>().expect("a float").to_bits(),
        },
        _ => {
            let (digits, negative) = digits.strip_prefix('-').map_or((digits, false), |rest| (rest, true));
            let magnitude = match digits.strip_prefix("0x") {
                Some(hex) => special(hex),
                None => digits.parse().expect("an integer"),
            };
            let bits = if negative { u64::wrapping_neg(magnitude) } else { magnitude };
            if scalar.bits() == 32 { bits & 0xffff_ffff } else { bits }
        }
    }
}
