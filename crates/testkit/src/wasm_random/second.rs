//! V8 as the second reference: it decides where wasmi and our engines differ. All modules that are in question go to
//! one process of Node.js.
//!
//! JavaScript can neither give nor take every value (128 bits, the bits of a NaN), so each function is called by a
//! module of its own that holds the arguments as constants, and returns integers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use wasmi::{Engine, Module, ValType};

use super::engines::{CANNOT_START, Seen, Value, argument, sum};

/// V8's view of a module: as [`Seen`], but one of V8's messages may stand for several traps.
pub type Told = BTreeMap<String, Result<Vec<Value>, Vec<&'static str>>>;

/// V8's view of each module (in the binary format), or its reason to refuse the module.
pub fn judge(folder: &Path, modules: &[&[u8]]) -> Vec<Result<Told, String>> {
    let cases: Vec<Result<Case, String>> = modules.iter().map(|wasm| case(wasm)).collect();
    let mut script = String::from(SCRIPT);
    for (number, (case, wasm)) in cases.iter().zip(modules).enumerate() {
        let Ok(case) = case else { continue };
        let calls: Vec<String> = case.functions.iter().map(|f| format!("\"{}\"", hex(&f.wrapper))).collect();
        let memories: Vec<String> = case.memories.iter().map(|name| format!("\"{}\"", hex(name.as_bytes()))).collect();
        let (wasm, calls, memories) = (hex(wasm), calls.join(","), memories.join(","));
        writeln!(script, "judge({number}, \"{wasm}\", [{calls}], [{memories}]);").expect("a string takes all");
    }
    let path = folder.join("second-judge.js");
    std::fs::write(&path, script).expect("a test may write there");
    let output = Command::new("node").args(flags()).arg(&path).output().expect("it was there just now");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    let mut told: Vec<Result<Told, String>> =
        cases.iter().map(|case| case.as_ref().map(|_| Told::new()).map_err(Clone::clone)).collect();
    for line in text.lines() {
        let (number, rest) = line.split_once(' ').expect("a line begins with its module");
        let number: usize = number.parse().expect("a number");
        let case = cases[number].as_ref().expect("only these are asked for");
        match rest.strip_prefix("refused ") {
            Some(why) => told[number] = Err(why.to_owned()),
            None => read_line(case, rest, told[number].as_mut().expect("it was not refused")),
        }
    }
    told
}

/// The first thing that V8 sees otherwise than one of our engines.
pub fn differs(told: &Told, seen: &Seen) -> Option<String> {
    let same = |name: &String| match (told.get(name), seen.get(name)) {
        (Some(Ok(a)), Some(Ok(b))) => a == b,
        (Some(Err(traps)), Some(Err(trap))) => traps.contains(trap),
        _ => false,
    };
    let name = told.keys().chain(seen.keys()).find(|name| !same(name))?;
    Some(format!("{name}:\n  V8      {:?}\n  planish {:?}", told.get(name), seen.get(name)))
}

/// The options for features that this version of V8 does not enable by default.
fn flags() -> Vec<String> {
    let known = Command::new("node").arg("--v8-options").output().map(|output| output.stdout).unwrap_or_default();
    let known = String::from_utf8_lossy(&known).into_owned();
    let wanted = ["extended-const", "return-call", "multi-memory", "reftypes"];
    let flags = wanted.map(|feature| format!("--experimental-wasm-{feature}"));
    flags.into_iter().filter(|flag| known.contains(&format!("{flag} "))).collect()
}

struct Function {
    name: String,
    results: Vec<ValType>,
    /// The module that calls it.
    wrapper: Vec<u8>,
}

struct Case {
    functions: Vec<Function>,
    globals: Vec<(String, ValType)>,
    memories: Vec<String>,
}

fn case(wasm: &[u8]) -> Result<Case, String> {
    let module = Module::new(&Engine::default(), wasm).map_err(|error| error.to_string())?;
    let mut case = Case { functions: vec![], globals: vec![], memories: vec![] };
    let mut imports = String::new();
    for export in module.exports() {
        let name = export.name().to_owned();
        if let Some(global) = export.ty().global() {
            let (number, ty) = (case.globals.len(), text(global.content()));
            let ty = if global.mutability().is_mut() { format!("(mut {ty})") } else { ty.to_owned() };
            write!(imports, "(import \"m\" {} (global $g{number} {ty}))", quoted(&name)).expect("a string takes all");
            case.globals.push((name, global.content()));
        } else if export.ty().memory().is_some() {
            case.memories.push(name);
        }
    }
    for export in module.exports() {
        let Some(ty) = export.ty().func() else { continue };
        let wrapper = wrapper(export.name(), ty.params(), ty.results(), &imports, &case.globals)?;
        case.functions.push(Function { name: export.name().to_owned(), results: ty.results().to_vec(), wrapper });
    }
    Ok(case)
}

/// A module with a function for each call, and one that hands out the globals.
fn wrapper(
    name: &str,
    params: &[ValType],
    results: &[ValType],
    imports: &str,
    globals: &[(String, ValType)],
) -> Result<Vec<u8>, String> {
    let list = |types: &[ValType]| types.iter().map(|&ty| text(ty)).collect::<Vec<_>>().join(" ");
    let handed = |types: &mut dyn Iterator<Item = ValType>| types.map(handed_types).collect::<Vec<_>>().join(" ");
    let mut out = format!(
        "(module (import \"m\" {} (func $f (param {}) (result {}))) {imports}",
        quoted(name),
        list(params),
        list(results)
    );
    for round in 0..3 {
        let arguments: String = params.iter().enumerate().map(|(i, &ty)| constant(ty, argument(round, i))).collect();
        let locals: String = results.iter().enumerate().map(|(i, &ty)| format!("(local $r{i} {})", text(ty))).collect();
        let taken: String = (0..results.len()).rev().map(|i| format!("local.set $r{i} ")).collect();
        let given: String =
            results.iter().enumerate().map(|(i, &ty)| hand_out(ty, &format!("(local.get $r{i})"))).collect();
        let handed = handed(&mut results.iter().copied());
        let body = format!("{arguments} call $f {taken} {given}");
        out += &format!("(func (export \"call{round}\") (result {handed}) {locals} {body})");
    }
    let handed = handed(&mut globals.iter().map(|(_, ty)| *ty));
    let given: String =
        globals.iter().enumerate().map(|(i, (_, ty))| hand_out(*ty, &format!("(global.get $g{i})"))).collect();
    out += &format!("(func (export \"globals\") (result {handed}) {given}))");
    binary(&out)
}

/// The binary format of a module in the text format.
pub fn binary(text: &str) -> Result<Vec<u8>, String> {
    let buffer = wast::parser::ParseBuffer::new(text).map_err(|error| error.to_string())?;
    let mut wat = wast::parser::parse::<wast::Wat<'_>>(&buffer).map_err(|error| error.to_string())?;
    wat.encode().map_err(|error| error.to_string())
}

/// A name as a text, whatever its characters.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.bytes().map(|byte| format!("\\{byte:02x}")).collect::<String>())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn text(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 => "i32",
        ValType::I64 => "i64",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        ValType::V128 => "v128",
        ValType::FuncRef => "funcref",
        ValType::ExternRef => "externref",
    }
}

fn constant(ty: ValType, word: u128) -> String {
    match ty {
        ValType::I32 => format!("(i32.const {})", word as i32),
        ValType::I64 => format!("(i64.const {})", word as i64),
        ValType::F32 => format!("(f32.reinterpret_i32 (i32.const {}))", word as i32),
        ValType::F64 => format!("(f64.reinterpret_i64 (i64.const {}))", word as i64),
        ValType::V128 => format!("(v128.const i64x2 {} {})", word as i64, (word >> 64) as i64),
        ValType::FuncRef => "(ref.null func)".into(),
        ValType::ExternRef => "(ref.null extern)".into(),
    }
}

/// The integers that a value is handed out as.
fn handed_types(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 | ValType::F32 | ValType::FuncRef | ValType::ExternRef => "i32",
        ValType::I64 | ValType::F64 => "i64",
        ValType::V128 => "i64 i64",
    }
}

fn hand_out(ty: ValType, value: &str) -> String {
    match ty {
        ValType::I32 | ValType::I64 => value.to_owned(),
        ValType::F32 => format!("(i32.reinterpret_f32 {value})"),
        ValType::F64 => format!("(i64.reinterpret_f64 {value})"),
        ValType::V128 => format!("(i64x2.extract_lane 0 {value}) (i64x2.extract_lane 1 {value})"),
        ValType::FuncRef | ValType::ExternRef => format!("(ref.is_null {value})"),
    }
}

/// The values that were handed out as these integers.
fn values(types: &mut dyn Iterator<Item = ValType>, words: &str) -> Vec<Value> {
    let mut words = words.split_whitespace().map(|word| word.parse::<u64>().expect("an integer"));
    let mut next = || u128::from(words.next().expect("as many as were handed out"));
    types
        .map(|ty| match ty {
            ValType::I32 | ValType::F32 => Value::Bits(next(), 32),
            ValType::I64 | ValType::F64 => Value::Bits(next(), 64),
            ValType::V128 => Value::Bits(next() | next() << 64, 128),
            ValType::FuncRef | ValType::ExternRef => Value::Null(next() != 0),
        })
        .collect()
}

/// A line of the script's output: the name of an observation and its values.
fn read_line(case: &Case, line: &str, told: &mut Told) {
    let (function, rest) = line.split_once(' ').expect("the number of a function");
    let function = &case.functions[function.parse::<usize>().expect("a number")];
    let name = &function.name;
    let (what, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    match what {
        "start" => drop(told.insert(name.clone(), Err(vec![CANNOT_START]))),
        "globals" => {
            let values = values(&mut case.globals.iter().map(|(_, ty)| *ty), rest);
            for ((global, _), value) in case.globals.iter().zip(values) {
                told.insert(format!("{name}, then {global}"), Ok(vec![value]));
            }
        }
        "memory" => {
            let mut parts = rest.split_whitespace();
            let mut number = || parts.next().and_then(|n| n.parse::<usize>().ok()).expect("a number");
            let (memory, length) = (number(), number());
            let mut bytes = vec![0; length];
            for part in parts {
                let (start, digits) = part.split_once(':').expect("where, and what");
                let start: usize = start.parse().expect("a number");
                for (i, byte) in bytes[start..].iter_mut().take(digits.len() / 2).enumerate() {
                    *byte = u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal");
                }
            }
            told.insert(format!("{name}, then {}", case.memories[memory]), Ok(vec![sum(&bytes)]));
        }
        call => {
            let outcome = match rest.strip_prefix("trap ") {
                Some(message) => Err(traps(message)),
                None => Ok(values(&mut function.results.iter().copied(), rest)),
            };
            told.insert(format!("{name}, call {call}"), outcome);
        }
    }
}

/// The traps that a message of V8 may stand for.
fn traps(message: &str) -> Vec<&'static str> {
    match message {
        "unreachable" => vec!["unreachable"],
        "memory access out of bounds" => vec!["out of bounds memory access"],
        "divide by zero" | "remainder by zero" => vec!["integer divide by zero"],
        "divide result unrepresentable" => vec!["integer overflow"],
        "float unrepresentable in integer range" => vec!["integer overflow", "invalid conversion to integer"],
        "Maximum call stack size exceeded" => vec!["call stack exhausted"],
        _ if message.contains("function signature") => vec!["uninitialized element", "indirect call type mismatch"],
        _ if message.contains("data segment") => vec!["out of bounds memory access"],
        // Of tables, and of element segments.
        _ if message.contains("out of bounds") => vec!["out of bounds table access"],
        _ => vec![],
    }
}

const SCRIPT: &str = r#"
const bytes = (hex) => Buffer.from(hex, "hex");
const lines = [];
const word = (x) => typeof x === "bigint" ? BigInt.asUintN(64, x) : x >>> 0;
const words = (x) => x === undefined ? "" : Array.isArray(x) ? x.map(word).join(" ") : word(x);
function judge(number, wasm, wrappers, memories) {
    let module;
    try { module = new WebAssembly.Module(bytes(wasm)); }
    catch (error) { return console.log(`${number} refused ${error.message.split("\n")[0]}`); }
    wrappers.forEach((wrapper, f) => {
        let exports;
        try { exports = new WebAssembly.Instance(module, {}).exports; }
        catch (error) { return console.log(`${number} ${f} start`); }
        const calls = new WebAssembly.Instance(new WebAssembly.Module(bytes(wrapper)), { m: exports }).exports;
        for (let round = 0; round < 3; round++) {
            let told;
            try { told = words(calls["call" + round]()); }
            catch (error) { told = "trap " + error.message; }
            console.log(`${number} ${f} ${round} ${told}`);
        }
        console.log(`${number} ${f} globals ${words(calls.globals())}`);
        memories.forEach((name, m) => {
            const memory = Buffer.from(exports[bytes(name).toString()].buffer);
            let told = "";
            for (let start = 0; start < memory.length; start += 4096) {
                const part = memory.subarray(start, start + 4096);
                if (part.some((byte) => byte !== 0)) told += ` ${start}:${part.toString("hex")}`;
            }
            console.log(`${number} ${f} memory ${m} ${memory.length}${told}`);
        });
    });
}
"#;
