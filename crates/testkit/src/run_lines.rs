//! Reads the `// run: @name(args) = results` lines of the programs in `tests/ir`.
use std::path::PathBuf;

use planish_ir::entity::{Func, Type};
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::types::{Scalar, TypeKind};

/// A line.
pub struct RunLine<'a> {
    /// The text of the line.
    pub text: &'a str,
    /// The called function.
    pub func: Func,
    /// Words of each argument.
    pub args: Vec<Vec<u64>>,
    /// Words of each result, or the name of the trap.
    pub results: Result<Vec<Vec<u64>>, &'a str>,
}

/// Calls `f` with each program of `tests/ir` and each of its lines; returns how many there were.
pub fn for_each_line(f: &mut dyn FnMut(&Module, &RunLine<'_>)) -> usize {
    for_each_line_in("tests/ir", f)
}

/// As [`for_each_line`], with another folder. Those of `tests/ir/shading` have constructs that machines lack.
pub fn for_each_line_in(folder: &str, f: &mut dyn FnMut(&Module, &RunLine<'_>)) -> usize {
    let mut count = 0;
    for (_, text, module) in programs_in(folder) {
        for line in lines(&module, &text) {
            f(&module, &line);
            count += 1;
        }
    }
    count
}

/// The programs of `tests/ir`: the name of the file without its extension, the text, the module.
pub fn programs() -> Vec<(String, String, Module)> {
    programs_in("tests/ir")
}

fn programs_in(folder: &str) -> Vec<(String, String, Module)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("readable");
        let module = parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
        (path.file_stem().expect("a name").to_string_lossy().into_owned(), text, module)
    };
    crate::files(folder, "ir").into_iter().map(read).collect()
}

/// The lines of a program.
pub fn lines<'a>(module: &Module, text: &'a str) -> Vec<RunLine<'a>> {
    text.lines().filter_map(|l| l.strip_prefix("// run: @")).map(|line| read(module, line)).collect()
}

/// Reads the rest of a line after `// run: @`.
pub fn read<'a>(module: &Module, text: &'a str) -> RunLine<'a> {
    let (call, expected) = text.split_once(") = ").expect("a call and its results");
    let (name, args) = call.split_once('(').expect("arguments");
    let func = module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(f, _)| f).expect("the function");
    let function = &module.funcs[func];
    let args = list(args).iter().zip(&function.params).map(|(text, p)| words(module, text, p.ty)).collect();
    let results = match expected.strip_prefix("trap ") {
        Some(kind) => Err(kind),
        None => {
            let results = list(expected);
            assert_eq!(results.len(), function.results.len(), "{text}");
            Ok(results.iter().zip(&function.results).map(|(text, r)| words(module, text, r.ty)).collect())
        }
    };
    RunLine { text, func, args, results }
}

/// The bits of a scalar as the text form writes it.
fn scalar(text: &str, scalar: Scalar) -> u64 {
    let text = text.trim();
    let (digits, negative) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    if scalar == Scalar::Bool {
        return u64::from(text == "true");
    }
    if scalar.is_float() {
        return float(digits, negative, scalar);
    }
    let digits = digits.trim_end_matches(['u', 'l', 's', 'y']);
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap_or_else(|e| panic!("{text}: {e}")),
        None => digits.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    value & u64::MAX >> (64 - scalar.bits())
}

fn float(digits: &str, negative: bool, scalar: Scalar) -> u64 {
    let wide = scalar == Scalar::F64;
    if let Some(payload) = digits.strip_prefix("nand_").or_else(|| digits.strip_prefix("nan_")) {
        return u64::from_str_radix(payload, 16).expect("hexadecimal");
    }
    let digits = if wide { digits.trim_end_matches('d') } else { digits };
    let sign = if negative { -1.0 } else { 1.0 };
    if wide {
        let x: f64 = digits.parse().unwrap_or_else(|e| panic!("{digits}: {e}"));
        (sign * x).to_bits()
    } else {
        let x: f32 = digits.parse().unwrap_or_else(|e| panic!("{digits}: {e}"));
        (sign as f32 * x).to_bits().into()
    }
}

/// The words of a value: one, or two of 128 bits.
fn words(module: &Module, text: &str, ty: Type) -> Vec<u64> {
    match module.types[ty] {
        TypeKind::Scalar(s) => vec![scalar(text, s)],
        TypeKind::V128 => {
            let digits = text.strip_prefix("wide_").unwrap_or_else(|| panic!("{text} is not 128 bits"));
            let bits = u128::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("{text}: {e}"));
            vec![bits as u64, (bits >> 64) as u64]
        }
        ref other => panic!("run lines have scalars and 128 bits, not {other:?}"),
    }
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).collect()
}
