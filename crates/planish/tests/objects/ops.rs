//! Every op on values gives the evaluator's bits in an object that a C program calls.
//!
//! The program has a function for each case; it reads arguments from a file, and writes results, as bytes of C.

use std::fmt::Write as _;
use std::process::Command;

use planish::ir::arena::Id;
use planish::ir::entity::Type;
use planish::ir::function::TrapKind;
use planish::ir::ops::OPS;
use planish::ir::types::{Scalar, TypeKind};
use planish::module::{EntryPoint, Language, Module, StageProperties};
use planish::source::SourceMap;
use planish_testkit::op_cases::{self, Case, Question};
use planish_testkit::{runs_all, share};

use super::{Form, Project, Source, output_of};

/// Cases of an op, at most: every other one, say, so that all kinds of types are among them.
const CASES: usize = 16;

/// Questions for each case.
const TIMES: usize = 6;

/// Ops that C out refuses: conversions of colours, whose standards are values of their own.
const REFUSED: &[&str] = &["rgb_to_yuv", "yuv_to_rgb"];

/// Units in the last place by which elementary functions of C may differ: `docs/numerics.md`.
const TOLERANCE: u64 = 4;

#[test]
fn every_op_on_values_gives_the_evaluators_bits_in_c() {
    compare_ops(Form::Object);
}

#[test]
fn every_op_on_values_gives_the_evaluators_bits_in_a_source_in_c() {
    compare_ops(Form::C);
}

fn compare_ops(form: Form) {
    let Some(mut project) = Project::of("ops", form) else { return };
    let mut refused = Vec::new();
    let (mut includes, mut functions, mut table) = (String::new(), String::new(), String::new());
    let (mut input, mut wanted) = (Vec::new(), Vec::new());
    let mut number = 0;
    for (row, info) in share(OPS.iter().enumerate()) {
        let mut module = Module::new(Language::Ir);
        let all = op_cases::cases_of(&mut module, &|op| op == info.op);
        if all.is_empty() {
            continue;
        }
        let step = all.len().div_ceil(CASES);
        let cases: Vec<Case> = all.into_iter().step_by(step).collect();
        for case in &cases {
            let (names, properties) = (vec![format!("f{}", case.func.index()).into()], StageProperties::default());
            module.entry_points.push(EntryPoint { names, func: case.func, stage: None, properties });
        }
        let questions = op_cases::questions(&module, &cases, TIMES);
        let name = format!("o{row}");
        let source = Source { module, map: SourceMap::new() };
        if form == Form::C && source.source_in_c(&name).is_err() {
            refused.push(info.text);
            continue;
        }
        project.add(&name, &source);
        let _ = writeln!(includes, "#include \"{name}.h\"");
        for (at, case) in cases.iter().enumerate() {
            functions.push_str(&case_function(&source.module, case, &name, number + at));
            let _ = writeln!(table, "    case_{},", number + at);
        }
        for question in &questions {
            let case = &cases[question.case];
            ask(&source.module, case, question, number + question.case, &mut input);
            let answer = answer(&source.module, case, question);
            wanted.push((format!("{} on {:x?}", case.op.name(), question.args), answer, is_near(&source.module, case)));
        }
        number += cases.len();
    }
    if form == Form::C && runs_all() {
        assert_eq!(refused, REFUSED);
    }
    assert!(number > if runs_all() { 1000 } else { 250 }, "only {number} cases");
    let program = format!(
        "{includes}{PROGRAM_BEGIN}{functions}static function *const functions[] = {{\n{table}}};\n{PROGRAM_END}"
    );
    project.write("input", input);
    project.write("main.c", program);
    project.check_by_clang();
    let mut cc = Command::new(super::compiler());
    cc.args(["-std=c11", "-O0", "main.c", "-o", "main"]).args(&project.objects);
    match form {
        Form::Object => cc.arg(super::runtime()),
        Form::C => cc.args(super::C_OPTIONS).args(super::SANITIZERS),
    };
    output_of(cc.args(["-lpthread", "-ldl", "-lm"]).current_dir(&project.folder));
    output_of(Command::new(project.folder.join("main")).current_dir(&project.folder));
    let output = std::fs::read(project.folder.join("output")).expect("the program has written it");
    let mut rest = &output[..];
    for (question, want, near) in wanted {
        let (got, others) = rest.split_at(want.len().min(rest.len()));
        if form == Form::Object || !is_same(got, &want, near) {
            assert_eq!(got, want, "{question}");
        }
        rest = others;
    }
    assert!(rest.is_empty());
}

/// The scalar of results that may differ in their last place, or in the bits of a NaN.
fn is_near(module: &Module, case: &Case) -> Option<(Scalar, u64)> {
    let scalar = case.results.iter().find_map(|&ty| module.types.scalar_of(ty)).filter(|scalar| scalar.is_float())?;
    Some((scalar, if case.op.is_transcendental() { TOLERANCE } else { 0 }))
}

/// Whether floats of C are those of the evaluator, but for the bits of a NaN and a tolerance.
fn is_same(got: &[u8], want: &[u8], near: Option<(Scalar, u64)>) -> bool {
    let Some((scalar, tolerance)) = near else { return got == want };
    let size = scalar.bits() as usize / 8;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let number = |bits: u64| if size == 4 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let sign = 1u64 << (size * 8 - 1);
    let order = |bits: u64| if bits & sign != 0 { -i128::from(bits & !sign) } else { i128::from(bits) };
    let close = |(a, b): (&[u8], &[u8])| {
        let (a, b) = (word(a), word(b));
        a == b
            || number(a).is_nan() && number(b).is_nan()
            || tolerance > 0 && order(a).abs_diff(order(b)) <= u128::from(tolerance)
    };
    got.len() == want.len()
        && got.first() == want.first()
        && got[1.min(got.len())..].chunks(size).zip(want[1.min(want.len())..].chunks(size)).all(close)
}

const PROGRAM_BEGIN: &str = r#"#include <setjmp.h>
#include <stdio.h>
#include <string.h>
typedef void function(const unsigned char *in, unsigned char *out, uint32_t *size);
static jmp_buf here;
void planish_trap(int code, const char *function, uint32_t line, uint32_t column) {
    (void)function, (void)line, (void)column;
    longjmp(here, code);
}
"#;

const PROGRAM_END: &str = r#"
int main(void) {
    FILE *input = fopen("input", "rb"), *output = fopen("output", "wb");
    static unsigned char in[65536], out[65536];
    uint32_t head[2];
    while (fread(head, sizeof head, 1, input) == 1) {
        if (fread(in, 1, head[1], input) != head[1]) return 1;
        uint32_t size = 0;
        unsigned char code = setjmp(here);
        if (code == 0) functions[head[0]](in, out, &size);
        fwrite(&code, 1, 1, output);
        fwrite(out, 1, size, output);
    }
    return fclose(output);
}
"#;

/// The declaration of a name with a type.
fn declare(module: &Module, prefix: &str, ty: Type, name: &str) -> String {
    match &module.types[ty] {
        TypeKind::Array { element, len } => declare(module, prefix, *element, &format!("{name}[{len}]")),
        TypeKind::Vector(scalar, n) => format!("planish_{}x{n} {name}", scalar.name()),
        TypeKind::Matrix { scalar, columns, rows } => format!("planish_{}m{columns}x{rows} {name}", scalar.name()),
        TypeKind::Struct(s) => format!("{prefix}_{} {name}", s.name),
        TypeKind::V128 => format!("planish_v128 {name}"),
        TypeKind::Scalar(scalar) => format!("{} {name}", scalar_name(*scalar)),
        TypeKind::YuvCsc => format!("uint32_t {name}"),
        other => panic!("no case has a value of type {other:?}"),
    }
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 | Scalar::I16 | Scalar::I32 => "int32_t",
        Scalar::U8 | Scalar::U16 | Scalar::U32 => "uint32_t",
        Scalar::I64 => "int64_t",
        Scalar::U64 => "uint64_t",
        // Of 16 bits they are lowered before.
        Scalar::F16 | Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}

/// Whether C passes a type by value.
fn is_scalar(module: &Module, ty: Type) -> bool {
    matches!(module.types[ty], TypeKind::Scalar(_) | TypeKind::YuvCsc)
}

/// A function of the program that reads arguments, calls a case, and writes its results.
fn case_function(module: &Module, case: &Case, prefix: &str, number: usize) -> String {
    let mut text =
        format!("static void case_{number}(const unsigned char *in, unsigned char *out, uint32_t *size) {{\n");
    let params: Vec<Type> = case.operands.iter().copied().chain([Type::BOOL]).collect();
    let mut args = Vec::new();
    for (i, &ty) in params.iter().enumerate() {
        let name = format!("a{i}");
        let declaration = declare(module, prefix, ty, &name);
        let _ = writeln!(text, "    {declaration};\n    memcpy(&{name}, in, sizeof {name});\n    in += sizeof {name};");
        let is_plain = is_scalar(module, ty) || matches!(module.types[ty], TypeKind::Array { .. });
        args.push(if is_plain { name } else { format!("&{name}") });
    }
    let function = format!("{prefix}_f{}", case.func.index());
    let (declaration, argument) = match case.results[..] {
        [ty] if is_scalar(module, ty) => (declare(module, prefix, ty, "r"), None),
        [ty] if matches!(module.types[ty], TypeKind::Array { .. }) => (declare(module, prefix, ty, "r"), Some("r")),
        [ty] => (declare(module, prefix, ty, "r"), Some("&r")),
        _ => (format!("{function}_result r"), Some("&r")),
    };
    let target = if argument.is_none() { "r = " } else { "" };
    args.extend(argument.map(str::to_owned));
    let _ = writeln!(
        text,
        "    {declaration};\n    memset(&r, 0, sizeof r);\n    {target}{function}({});",
        args.join(", ")
    );
    text.push_str("    memcpy(out, &r, sizeof r);\n    *size = sizeof r;\n}\n");
    text
}

/// Appends a value as C has it in memory, aligned to a place relative to `start`; the alignment of its type.
fn put(module: &Module, ty: Type, start: usize, words: &mut dyn Iterator<Item = u64>, bytes: &mut Vec<u8>) -> usize {
    let mut scalar = |size: usize, bytes: &mut Vec<u8>| {
        while !(bytes.len() - start).is_multiple_of(size) {
            bytes.push(0);
        }
        bytes.extend_from_slice(&words.next().expect("a word for each component").to_le_bytes()[..size]);
        size
    };
    let size_of = |of: Scalar| if of == Scalar::Bool { 1 } else { of.bits() as usize / 8 };
    match &module.types[ty] {
        &TypeKind::Scalar(of) => scalar(size_of(of), bytes),
        TypeKind::YuvCsc => scalar(4, bytes),
        &TypeKind::Vector(of, n) => (0..n).map(|_| scalar(size_of(of), bytes)).max().unwrap_or(1),
        &TypeKind::Matrix { scalar: of, columns, rows } => {
            (0..columns * rows).map(|_| scalar(size_of(of), bytes)).max().unwrap_or(1)
        }
        TypeKind::V128 => {
            bytes.extend((0..2).flat_map(|_| words.next().expect("two words").to_le_bytes()));
            1
        }
        &TypeKind::Array { element, len } => {
            (0..len).map(|_| put(module, element, start, words, bytes)).max().unwrap_or(1)
        }
        TypeKind::Struct(s) => {
            let align = s.members.iter().map(|member| put(module, member.ty, start, words, bytes)).max().unwrap_or(1);
            while !(bytes.len() - start).is_multiple_of(align) {
                bytes.push(0);
            }
            align
        }
        other => panic!("no case has a value of type {other:?}"),
    }
}

/// Appends a question: the case, the size of its arguments, the arguments.
fn ask(module: &Module, case: &Case, question: &Question, number: usize, input: &mut Vec<u8>) {
    let mut bytes = Vec::new();
    for (arg, ty) in question.args.iter().zip(case.operands.iter().copied().chain([Type::BOOL])) {
        let start = bytes.len();
        put(module, ty, start, &mut arg.bits.iter().copied(), &mut bytes);
    }
    input.extend((number as u32).to_le_bytes());
    input.extend((bytes.len() as u32).to_le_bytes());
    input.extend(bytes);
}

/// The bytes of the answer: the code of the trap, or 0 and the results.
fn answer(module: &Module, case: &Case, question: &Question) -> Vec<u8> {
    match &question.want {
        Err(kind) => vec![TrapKind::ALL.iter().position(|of| of == kind).expect("all are listed") as u8 + 1],
        Ok(words) => {
            let mut bytes = Vec::new();
            let mut words = words.iter().copied();
            let aligns: Vec<usize> =
                case.results.iter().map(|&ty| put(module, ty, 0, &mut words, &mut bytes)).collect();
            let align = aligns.into_iter().max().unwrap_or(1);
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            bytes.insert(0, 0);
            bytes
        }
    }
}
