//! The programs of `tests/ir`: each `// run: @name(args) = results` is called and compared bit for bit.
use std::fs;
use std::path::Path;

use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_ir::entity::Type;
use planish_ir::module::Module;
use planish_ir::text::parse_str;
use planish_ir::types::{Scalar, TypeKind};

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
    let digits = digits.trim_end_matches(['u', 'l']);
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap_or_else(|e| panic!("{text}: {e}")),
        None => digits.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    if scalar.bits() == 32 { value & 0xffff_ffff } else { value }
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

fn value(module: &Module, text: &str, ty: Type) -> EvalValue {
    match module.types[ty] {
        TypeKind::Scalar(s) => EvalValue { ty, bits: vec![scalar(text, s)] },
        ref other => panic!("run lines have scalars, not {other:?}"),
    }
}

fn list(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).collect()
}

#[test]
fn every_run_line_gives_its_results() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut count = 0;
    for entry in fs::read_dir(directory).expect("tests/ir is part of the repository") {
        let path = entry.expect("readable").path();
        if path.extension().is_none_or(|e| e != "ir") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let module = parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
        for line in text.lines().filter_map(|l| l.strip_prefix("// run: @")) {
            run(&module, line);
            count += 1;
        }
    }
    assert!(count > 100, "only {count} run lines");
}

fn run(module: &Module, line: &str) {
    let (call, expected) = line.split_once(") = ").expect("a call and its results");
    let (name, args) = call.split_once('(').expect("arguments");
    let func = module.funcs.iter().find(|(_, f)| &*f.name.text == name).map(|(f, _)| f).expect("the function");
    let function = &module.funcs[func];
    let args: Vec<EvalValue> =
        list(args).iter().zip(&function.params).map(|(text, p)| value(module, text, p.ty)).collect();
    let mut evaluator = Evaluator::new(module, Limits::default()).expect("instantiates");
    let results = evaluator.call(func, &args);
    if let Some(kind) = expected.strip_prefix("trap ") {
        match results {
            Err(Stop::Trap { kind: got, .. }) => assert_eq!(got.name(), kind, "{line}"),
            other => panic!("{line}: {other:?}"),
        }
        return;
    }
    let results = results.unwrap_or_else(|stop| panic!("{line}: {stop}"));
    let expected: Vec<EvalValue> =
        list(expected).iter().zip(&function.results).map(|(text, r)| value(module, text, r.ty)).collect();
    assert_eq!(expected.len(), function.results.len(), "{line}");
    for (got, want) in results.iter().zip(&expected) {
        // A `nan` without payload stands for any.
        assert_eq!(got.bits, want.bits, "{line}: {results:x?}");
    }
}
