//! The suite through Rust: the modules of some scripts and all their commands become one program, which shows what the evaluator, which
//! is right about all of them, gives.
//!
//! A program links no modules with each other: scripts are followed up to their first module that is registered, and modules that import
//! more than functions and numbers of the host are left out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::process::Command;

use planish::ir::function::TrapKind;
use planish::module::Module;
use planish::{EmitOptions, Optimizer, Target, emit};
use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};
use planish_testkit::wasm_suite::script;
use planish_testkit::{runs_all, scratch};

use super::evaluator::Evaluator;
use super::{is_alone, is_same_word};
use crate::rust_out::{HEAD, libm, output_of};

/// A program that follows scripts.
#[derive(Default)]
struct Program {
    modules: String,
    /// Fields with the instances.
    fields: String,
    calls: Vec<String>,
    wanted: Vec<Wanted>,
    count: usize,
    /// Modules that Rust refuses, or that are linked with others.
    left_out: usize,
}

/// The line that a command shows.
struct Wanted {
    text: String,
    script: String,
}

thread_local! {
    static PROGRAM: RefCell<Program> = RefCell::default();
    static SCRIPT: RefCell<String> = RefCell::default();
}

/// The evaluator, and the program that does the same.
struct Recorder {
    evaluator: Evaluator,
    /// By instance of the evaluator: its module in Rust.
    modules: HashMap<usize, InRust>,
    links: bool,
}

/// A module in Rust.
struct InRust {
    number: usize,
    has_state: bool,
    /// By name in the program: the name in Rust, and whether it gives a `Result`.
    functions: HashMap<String, (String, bool)>,
    variables: HashMap<String, String>,
}

impl InRust {
    fn read(number: usize, text: &str) -> InRust {
        let (mut functions, mut variables) = (HashMap::new(), HashMap::new());
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (i, line) in lines.iter().enumerate() {
            let named = |begin: &str| line.strip_prefix(begin)?.strip_suffix("`.").map(str::to_owned);
            if let Some(name) = named("/// The function `") {
                let head = lines[i..].iter().find_map(|line| line.strip_prefix("pub fn ")).expect("a function");
                let own = head.split('(').next().expect("a name").to_owned();
                functions.insert(name, (own, head.contains("-> Result<")));
            } else if let Some(name) = named("/// The variable `") {
                let own = lines[i + 1].strip_prefix("pub ").and_then(|rest| rest.split(':').next());
                variables.insert(name, own.expect("a field").to_owned());
            }
        }
        InRust { number, has_state: text.contains("\npub struct Module"), functions, variables }
    }

    /// The expression of the instance, or of the module if it has none.
    fn owner(&self) -> String {
        let number = self.number;
        if self.has_state { format!("all.i{number}.as_mut().unwrap().") } else { format!("m{number}::") }
    }
}

/// The host's functions, which do nothing.
fn host(number: usize, text: &str) -> String {
    let Some((_, after)) = text.split_once("pub trait Imports: Sized {\n") else { return String::new() };
    let own = after.split("\n}\n").next().unwrap_or_default();
    let functions = own.lines().filter(|line| line.starts_with("    fn "));
    let functions = functions.map(|line| {
        let line =
            line.replace("Module<", &format!("m{number}::Module<")).replace("Trap>", &format!("m{number}::Trap>"));
        format!("    #[allow(unused_variables)]\n{}\n", line.replace(';', " { Ok(()) }"))
    });
    format!("impl m{number}::Imports for Host {{\n{}}}\n", functions.collect::<String>())
}

/// The call of `new`, with its result; statements that make the instance known.
fn instantiation(number: usize, text: &str) -> String {
    let head = text.lines().map(str::trim_start).find_map(|line| line.strip_prefix("pub fn new("));
    let (params, result) = head.expect("a module with a state has it").split_once(") -> ").expect("a result");
    // Imported numbers: all but two of them are 666.
    let arg = |param: &str| match param {
        "imports: I" => "Host".to_owned(),
        _ if param.ends_with(": f32") => "f32::from_bits(0x4426a666)".to_owned(),
        _ if param.ends_with(": f64") => "666.6".to_owned(),
        _ => "666".to_owned(),
    };
    let args: Vec<String> = params.split(", ").filter(|param| !param.is_empty()).map(arg).collect();
    let limit = if text.contains("pub stack_limit: usize") { "m.stack_limit = all.lowest; " } else { "" };
    let mutable = if limit.is_empty() { "" } else { "mut " };
    let call = format!("m{number}::Module::new({})", args.join(", "));
    let keep = format!("{limit}all.i{number} = Some(m); show(out, &[])");
    match result.starts_with("Result") {
        true => {
            format!(
                "match {call} {{ Ok({mutable}m) => {{ {keep} }} Err(e) => writeln!(out, \"trap {{e}}\").unwrap() }}"
            )
        }
        false => format!("{{ let {mutable}m = {call}; {keep} }}"),
    }
}

fn argument(value: Value) -> Option<String> {
    Some(match value {
        Value::I32(x) => format!("{}i32", x as i32),
        Value::I64(x) => format!("{}i64", x as i64),
        Value::F32(x) => format!("f32::from_bits({x:#x})"),
        Value::F64(x) => format!("f64::from_bits({x:#x})"),
        Value::Extern(None) => "None".to_owned(),
        Value::Extern(Some(x)) => format!("Some({x})"),
        Value::V128(_) | Value::Func(_) => return None,
    })
}

fn word(value: Value) -> Option<u64> {
    Some(match value {
        Value::I32(x) => x.into(),
        Value::I64(x) => x,
        Value::F32(x) if f32::from_bits(x).is_nan() => 0x7fc0_0000,
        Value::F32(x) => x.into(),
        Value::F64(x) if f64::from_bits(x).is_nan() => 0x7ff8_0000_0000_0000,
        Value::F64(x) => x,
        Value::Extern(x) => x.map_or(0, |x| u64::from(x) + 1),
        Value::V128(_) | Value::Func(_) => return None,
    })
}

fn trap(failure: &Failure) -> Option<String> {
    let Failure::Trap(kind) = failure else { return None };
    Some(format!("trap {}", kind.name().replace('_', " ")))
}

fn record(call: String, text: String) {
    PROGRAM.with_borrow_mut(|program| {
        program.calls.push(call);
        program.wanted.push(Wanted { text, script: SCRIPT.with_borrow(Clone::clone) });
    });
}

impl Engine for Recorder {
    const NAME: &'static str = "Rust";

    fn new() -> Self {
        Recorder { evaluator: Evaluator::new(), modules: HashMap::new(), links: false }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        let result = self.evaluator.instantiate(module);
        if self.links || matches!(result, Err(Failure::Unlinkable(_))) {
            return result;
        }
        let made = PROGRAM.with_borrow_mut(|program| match emit(module, Target::Rust, &EmitOptions::default()) {
            Ok(artifact) if is_alone(module) => {
                let number = program.count;
                program.count += 1;
                let text = String::from_utf8(artifact.bytes).expect("a text");
                let made = InRust::read(number, &text);
                let _ = writeln!(
                    program.modules,
                    "#[allow(dead_code)]\nmod m{number} {{\n{text}}}\n{}",
                    host(number, &text)
                );
                let generics = if text.contains("pub trait Imports") { "<Host>" } else { "" };
                if made.has_state {
                    let _ = writeln!(program.fields, "    i{number}: Option<m{number}::Module{generics}>,");
                }
                Some((made, text))
            }
            Ok(_) => {
                program.left_out += 1;
                None
            }
            Err(errors) => {
                let known = ["E0602", "E0604", "E0690"];
                assert!(errors.iter().all(|error| known.contains(&error.code.0)), "{errors:#?}");
                assert!(errors.iter().all(|error| !error.help.is_empty() || error.code.0 == "E0690"), "{errors:#?}");
                program.left_out += 1;
                None
            }
        });
        let Some((made, text)) = made else { return result };
        if made.has_state {
            let call = instantiation(made.number, &text);
            match &result {
                Ok(_) => record(call, "[]".to_owned()),
                Err(failure) => trap(failure).into_iter().for_each(|wanted| record(call.clone(), wanted)),
            }
        }
        if let Ok(instance) = result {
            self.modules.insert(instance, made);
        }
        result
    }

    fn register(&mut self, name: &str, instance: usize) {
        self.links = true;
        self.evaluator.register(name, instance);
    }

    fn invoke(&mut self, instance: usize, name: &str, args: &[Value]) -> Outcome<Vec<Value>> {
        let result = self.evaluator.invoke(instance, name, args);
        let Some(made) = self.modules.get(&instance).filter(|_| !self.links) else { return result };
        // (Tail calls are calls, which nothing ends in a program without a state.)
        if !made.has_state && SCRIPT.with_borrow(|script| script.starts_with("tail-call/")) {
            return result;
        }
        let Some((own, checks)) = made.functions.get(name) else { return result };
        let given: Option<Vec<String>> = args.iter().map(|&arg| argument(arg)).collect();
        let Some(given) = given else { return result };
        let call = format!("{}{own}({})", made.owner(), given.join(", "));
        let count = result.as_ref().map_or(0, Vec::len);
        let parts: Vec<String> = match count {
            1 => vec!["r.word()".to_owned()],
            n => (0..n).map(|i| format!("r.{i}.word()")).collect(),
        };
        let shows = format!("let _ = &r; show(out, &[{}])", parts.join(", "));
        let wanted = match &result {
            Ok(values) => {
                let Some(words) = values.iter().map(|&value| word(value)).collect::<Option<Vec<u64>>>() else {
                    return result;
                };
                format!("{words:x?}")
            }
            Err(failure) => match trap(failure) {
                // (Without a state nothing sees to the stack.)
                Some(wanted) if *checks && (made.has_state || !wanted.ends_with("stack overflow")) => wanted,
                _ => return result,
            },
        };
        record(
            match checks {
                true => format!(
                    "match {call} {{ Ok(r) => {{ {shows} }} Err(e) => writeln!(out, \"trap {{e}}\").unwrap() }}"
                ),
                false => format!("{{ #[allow(clippy::let_unit_value)] let r = {call}; {shows} }}"),
            },
            wanted,
        );
        result
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        let result = self.evaluator.global(instance, name);
        let made = self.modules.get(&instance).filter(|_| !self.links);
        if let (Some(made), Ok(value)) = (made, &result)
            && let (Some(own), Some(word)) = (made.variables.get(name), word(*value))
        {
            let words = [word];
            record(format!("show(out, &[{}{own}.word()])", made.owner()), format!("{words:x?}"));
        }
        result
    }
}

/// Compiles and runs the program of scripts: how many commands it has followed.
fn check(test: &str, program: &Program) -> usize {
    let mut text = format!("{HEAD}#[allow(dead_code)]\n#[derive(Clone, Debug)]\nstruct Host;\n{}", program.modules);
    let _ = writeln!(
        text,
        "#[derive(Default)]\n#[allow(dead_code)]\nstruct All {{\n    lowest: usize,\n{}}}",
        program.fields
    );
    let parts: Vec<&[String]> = program.calls.chunks(100).collect();
    for (i, part) in parts.iter().enumerate() {
        let head = format!("#[allow(unused_variables)]\nfn part_{i}(all: &mut All, out: &mut std::io::StdoutLock<'_>)");
        let _ = writeln!(text, "{head} {{\n    {};\n}}", part.join(";\n    "));
    }
    let calls: String = (0..parts.len()).map(|i| format!("    part_{i}(&mut all, &mut out);\n")).collect();
    let _ = writeln!(
        text,
        "fn run() {{\n    let here = 0u8;\n    let mut all = All::default();\n    \
         all.lowest = core::ptr::from_ref(&here).addr() - 12_000_000;\n    let mut out = std::io::stdout().lock();\n{calls}}}\n\
         fn main() {{\n    std::thread::Builder::new().stack_size(16_000_000).spawn(run).unwrap().join().unwrap();\n}}"
    );
    let folder = scratch(&format!("rust-suite-{test}"));
    std::fs::write(folder.join("main.rs"), &text).expect("writable");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition=2024", "-Dwarnings", "--extern"]).arg(format!("libm={}", libm().display()));
    output_of(rustc.args(["-Coverflow-checks=on", "-o", "run", "main.rs"]).current_dir(&folder));
    let output = output_of(&mut Command::new(folder.join("run")));
    let mut lines = output.lines();
    let deep = trap(&Failure::Trap(TrapKind::StackOverflow)).expect("a trap");
    for (call, Wanted { text: want, script }) in program.calls.iter().zip(&program.wanted) {
        let got = lines.next().unwrap_or("nothing");
        // Tail calls are calls, which end where the stack does.
        let is_deep = script.starts_with("tail-call/") && got == deep;
        // A call that nothing needs but for its end is not written.
        let is_left_out = *want == deep && got == "[]";
        let words = |line: &str| line.trim_matches(['[', ']']).split(", ").map(str::to_owned).collect::<Vec<_>>();
        let (a, b) = (words(got), words(want));
        let same = a.len() == b.len() && a.iter().zip(&b).all(|(got, want)| is_same_word(got, want));
        assert!(same || is_deep || is_left_out, "{script}: {call} shows {got}, not {want}, in {}", folder.display());
    }
    program.calls.len()
}

#[test]
fn rust_gives_what_the_evaluator_gives() {
    let (mut followed, mut left_out) = (0, 0);
    // The compiler is slow: `cargo xtask rust` has all files, other runs one in thirty.
    let whole = runs_all() && std::env::var_os("PLANISH_RUST").is_some();
    PROGRAM.take();
    let mut programs = 0;
    for (number, file) in super::files().step_by(if whole { 1 } else { 30 }).enumerate() {
        let optimizer = Optimizer::level(if number % 2 == 0 { "2" } else { "0" }).expect("a level");
        // (Rust out has no vectors.)
        if file.parent().contains("simd") {
            continue;
        }
        SCRIPT.set(format!("{}/{}", file.parent(), file.name()));
        script::run::<Recorder>(&file, &|module| {
            optimizer.run(module, &mut |_, _| {});
        });
        let is_full = PROGRAM.with_borrow(|program| program.modules.len() > 2_000_000 || program.calls.len() > 4000);
        if is_full {
            let program = PROGRAM.take();
            left_out += program.left_out;
            followed += check(&programs.to_string(), &program);
            programs += 1;
        }
    }
    let program = PROGRAM.take();
    left_out += program.left_out;
    followed += check("last", &program);
    println!("Rust: {followed} commands followed, {left_out} modules left out");
    assert!(followed > if whole { 15_000 } else { 200 }, "only {followed} commands");
}
