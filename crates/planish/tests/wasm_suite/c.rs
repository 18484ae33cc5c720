//! The suite through C: the modules of a script and all its commands become one program, which shows what the evaluator, which is right
//! about all of them, gives.
//!
//! A program links no modules with each other: scripts are followed up to their first module that is registered, and modules that import
//! more than functions and numbers of the host are left out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;

use planish::ir::function::TrapKind;
use planish::module::Module;
use planish::{EmitOptions, Optimizer, Target, emit};
use planish_testkit::wasm_suite::engine::{Engine, Failure, Outcome, Value};
use planish_testkit::wasm_suite::script;
use planish_testkit::{has_tool, runs_all};

use super::evaluator::Evaluator;
use super::{is_alone, is_same_word};
use crate::objects::programs::BEGIN;
use crate::objects::{Form, Project, compiler};

/// A program that follows a script.
#[derive(Default)]
struct Program {
    /// Sources with their headers.
    files: Vec<(String, planish::Artifact)>,
    calls: Vec<String>,
    wanted: Vec<String>,
    /// Modules that C refuses, or that are linked with others.
    left_out: usize,
}

thread_local! {
    static PROGRAM: RefCell<Program> = RefCell::default();
}

/// The evaluator, and the program that does the same.
struct Recorder {
    evaluator: Evaluator,
    /// By instance of the evaluator: its module in C.
    modules: HashMap<usize, InC>,
    links: bool,
}

/// A module in C, as its header declares it.
#[derive(Clone)]
struct InC {
    prefix: String,
    has_instance: bool,
    /// By name in the program: the name in C, the result, and whether the first of several parameters is the instance.
    functions: HashMap<String, (String, String)>,
    variables: HashMap<String, (String, String)>,
}

impl InC {
    fn read(prefix: &str, header: &str) -> InC {
        let (mut functions, mut variables) = (HashMap::new(), HashMap::new());
        let before_imports = header.split("/* Imports:").next().unwrap_or_default();
        let lines: Vec<&str> = before_imports.lines().collect();
        for pair in lines.windows(2) {
            let Some((result, name)) = pair[1].split_once('(').and_then(|(head, _)| head.rsplit_once([' ', '*']))
            else {
                continue;
            };
            let entry = (name.to_owned(), result.trim().to_owned());
            if let Some(original) = pair[0].strip_prefix("/* `").and_then(|line| line.strip_suffix("` */")) {
                functions.insert(original.to_owned(), entry);
            } else if let Some(original) =
                pair[0].strip_prefix("/* The variable `").and_then(|line| line.strip_suffix("` */"))
            {
                variables.insert(original.to_owned(), entry);
            }
        }
        InC { prefix: prefix.to_owned(), has_instance: header.contains("_init("), functions, variables }
    }
}

/// Definitions of the functions that a header imports.
fn imports(header: &str) -> String {
    let Some((_, imported)) = header.split_once("/* Imports:") else { return String::new() };
    let declared = imported.lines().filter(|line| line.ends_with(");") && line.starts_with("void "));
    declared.map(|line| line.trim_end_matches(';').to_owned() + " {}\n").collect()
}

fn argument(value: Value) -> Option<String> {
    Some(match value {
        Value::I32(x) => format!("(int32_t){x}u"),
        Value::I64(x) => format!("(int64_t)UINT64_C({x})"),
        Value::F32(x) => format!("f32({x}u)"),
        Value::F64(x) => format!("f64(UINT64_C({x}))"),
        Value::V128(x) => {
            let bytes = x.to_le_bytes().map(|byte| byte.to_string());
            format!("&(planish_v128){{{{{}}}}}", bytes.join(", "))
        }
        Value::Extern(None) => "NULL".to_owned(),
        Value::Extern(Some(x)) => format!("(void *)(uintptr_t){}u", x + 1),
        Value::Func(_) => return None,
    })
}

/// A statement that shows a value, and the words that it shows.
fn shown(value: Value, text: &str) -> Option<(String, String)> {
    Some(match value {
        Value::I32(x) => (format!("show((uint32_t){text})"), format!(" {x:x}")),
        Value::I64(x) => (format!("show((uint64_t){text})"), format!(" {x:x}")),
        Value::F32(x) => (format!("show_f32({text})"), format!(" {x:x}")),
        Value::F64(x) => (format!("show_f64({text})"), format!(" {x:x}")),
        Value::V128(x) => (format!("show_bytes({text}.bytes)"), format!(" {x:032x}")),
        Value::Extern(x) => {
            (format!("show((uint64_t)(uintptr_t){text})"), format!(" {:x}", x.map_or(0, |x| u64::from(x) + 1)))
        }
        Value::Func(_) => return None,
    })
}

fn trap(failure: &Failure) -> Option<String> {
    let Failure::Trap(kind) = failure else { return None };
    let code = TrapKind::ALL.iter().position(|other| other == kind)? + 1;
    Some(format!(" trap {code}"))
}

fn record(call: String, wanted: String) {
    PROGRAM.with_borrow_mut(|program| {
        program.calls.push(call);
        program.wanted.push(wanted);
    });
}

impl Engine for Recorder {
    const NAME: &'static str = "C";

    fn new() -> Self {
        Recorder { evaluator: Evaluator::new(), modules: HashMap::new(), links: false }
    }

    fn instantiate(&mut self, module: &'static Module) -> Outcome<usize> {
        let result = self.evaluator.instantiate(module);
        if self.links || matches!(result, Err(Failure::Unlinkable(_))) {
            return result;
        }
        let is_alone = is_alone(module);
        let made = PROGRAM.with_borrow_mut(|program| {
            let prefix = format!("m{}", program.files.len());
            let options = EmitOptions { prefix: prefix.clone(), ..EmitOptions::default() };
            match emit(module, Target::C, &options) {
                Ok(artifact) if is_alone => {
                    let made = InC::read(&prefix, artifact.header.as_deref().expect("C has a header"));
                    program.files.push((prefix, artifact));
                    Some(made)
                }
                _ => {
                    program.left_out += 1;
                    None
                }
            }
        });
        let Some(made) = made else { return result };
        let header = PROGRAM.with_borrow(|program| program.files.last().and_then(|file| file.1.header.clone()));
        let head = header.unwrap_or_default();
        let line = head.lines().find(|line| line.contains("_init(")).unwrap_or_default().to_owned();
        // Imported numbers are parameters: all but two of them are 666.
        let extra: String = line
            .split(", ")
            .skip(2)
            .map(|param| match param {
                _ if param.contains("global_f32") => ", f32(0x4426a666u)",
                _ if param.contains("global_f64") => ", 666.6",
                _ => ", 666",
            })
            .collect();
        let name = &made.prefix;
        let call = match made.has_instance {
            true => format!("TRY({name}_init(&{name}_i, NULL{extra}); {name}_i.stack_limit = lowest)"),
            false => "TRY((void)0)".to_owned(),
        };
        match &result {
            Ok(_) => record(call, String::new()),
            Err(failure) => trap(failure).into_iter().for_each(|wanted| record(call.clone(), wanted)),
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
        let Some((c_name, kind)) = made.functions.get(name) else { return result };
        let given: Option<Vec<String>> = args.iter().map(|&arg| argument(arg)).collect();
        let Some(given) = given else { return result };
        let own = made.has_instance.then(|| format!("&{}_i", made.prefix));
        let args: Vec<String> = own.into_iter().chain(given).collect();
        let with = |last: &str| {
            let all: Vec<&str> = args.iter().map(String::as_str).chain((!last.is_empty()).then_some(last)).collect();
            format!("{c_name}({})", all.join(", "))
        };
        match &result {
            Ok(values) => {
                let several = values.len() > 1;
                let is_vector = values.iter().any(|value| matches!(value, Value::V128(_)));
                let places: Vec<String> = match (&values[..], several) {
                    ([_], false) if is_vector => vec!["r".to_owned()],
                    ([_], false) => vec![with("")],
                    _ => (0..values.len()).map(|i| format!("r.r{i}")).collect(),
                };
                let shows: Option<Vec<(String, String)>> =
                    values.iter().zip(&places).map(|(&value, place)| shown(value, place)).collect();
                let Some(shows) = shows else { return result };
                let statements: Vec<String> = shows.iter().map(|show| show.0.clone()).collect();
                let wanted: String = shows.iter().map(|show| show.1.as_str()).collect();
                let call = match (several, is_vector) {
                    (true, _) => format!("{c_name}_result r; {}; {}", with("&r"), statements.join("; ")),
                    (false, true) => format!("planish_v128 r; {}; {}", with("&r"), statements.join("; ")),
                    _ if values.is_empty() => with(""),
                    _ => statements.join("; "),
                };
                record(format!("TRY({call})"), wanted);
            }
            Err(failure) => {
                let Some(wanted) = trap(failure) else { return result };
                // The type of a result that is not there is in the header only.
                let declared = kind == "void";
                let pointer = PROGRAM.with_borrow(|program| result_pointer(program, &made.prefix, c_name));
                let call = match (declared, pointer) {
                    (true, Some(ty)) => format!("{ty} r; {}", with("&r")),
                    _ => format!("(void){}", with("")),
                };
                record(format!("TRY({call})"), wanted);
            }
        }
        result
    }

    fn global(&mut self, instance: usize, name: &str) -> Outcome<Value> {
        let result = self.evaluator.global(instance, name);
        let made = self.modules.get(&instance).filter(|_| !self.links);
        if let (Some(made), Ok(value)) = (made, &result)
            && let Some((c_name, _)) = made.variables.get(name)
            && let Some((show, wanted)) = shown(*value, &format!("*{c_name}(&{}_i)", made.prefix))
        {
            record(format!("TRY({show})"), wanted);
        }
        result
    }
}

/// The type of the last parameter of a function, if that is the place of its results.
fn result_pointer(program: &Program, prefix: &str, c_name: &str) -> Option<String> {
    let header = program.files.iter().find(|file| file.0 == prefix)?.1.header.as_deref()?;
    let line = header.lines().find(|line| line.contains(&format!(" {c_name}(")))?;
    let (before, _) = line.strip_suffix(" *result);")?.rsplit_once([',', '(']).map(|(_, ty)| (ty.trim(), ()))?;
    Some(before.to_owned())
}

/// Compiles and runs the program of a script: how many commands it has followed.
fn check(file: &str, program: Program) -> usize {
    let test = format!("suite-{}", file.replace(['/', '.'], "-"));
    let Some(mut project) = Project::of(&test, Form::C) else { return 0 };
    let mut text = String::from("#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n");
    let mut rest = String::new();
    for (prefix, artifact) in program.files {
        let header = artifact.header.clone().expect("C has a header");
        let _ = writeln!(text, "#include \"{prefix}.h\"");
        rest += &imports(&header);
        if header.contains("_init(") {
            let _ = writeln!(rest, "static {prefix} {prefix}_i;");
        }
        project.link(&prefix, artifact);
    }
    text += BEGIN;
    text += "static uintptr_t lowest;\nstatic inline void show_bytes(const uint8_t *bytes) {\n    putchar(' ');\n    \
             for (int i = 16; i-- > 0;) printf(\"%02x\", bytes[i]);\n}\n";
    text += &rest;
    let parts: Vec<&[String]> = program.calls.chunks(200).collect();
    for (i, part) in parts.iter().enumerate() {
        let _ = writeln!(text, "static void part_{i}(void) {{");
        part.iter().for_each(|call| _ = writeln!(text, "    {call};"));
        text += "}\n";
    }
    text += "int main(void) {\n    char here = 0;\n    lowest = (uintptr_t)&here - 4000000u;\n    (void)lowest;\n";
    (0..parts.len()).for_each(|i| _ = writeln!(text, "    part_{i}();"));
    text += "    return 0;\n}\n";
    if program.calls.is_empty() {
        return 0;
    }
    let got = project.run(&text, false);
    let mut lines = got.lines();
    let deep = trap(&Failure::Trap(TrapKind::StackOverflow)).expect("a trap");
    for (number, want) in program.wanted.iter().enumerate() {
        let got = lines.next().unwrap_or("nothing");
        // Tail calls of C are calls, which end where the stack does.
        let is_deep = file.starts_with("tail-call/") && got == deep;
        // A call that nothing needs but for its end is not written.
        let is_left_out = *want == deep && got.is_empty();
        let same = got == want || is_deep || is_left_out || {
            let (got, want): (Vec<&str>, Vec<&str>) = (got.split(' ').collect(), want.split(' ').collect());
            got.len() == want.len() && got.iter().zip(&want).all(|(got, want)| is_same_word(got, want))
        };
        assert!(same, "{file}: {} shows{got}, not{want}", program.calls[number]);
    }
    program.calls.len()
}

#[test]
fn c_gives_what_the_evaluator_gives() {
    if !has_tool(&compiler()) {
        return;
    }
    let (mut followed, mut left_out) = (0, 0);
    // Compilers are slow: `cargo xtask c --whole` has all files, other runs one in thirty.
    let whole = runs_all() && std::env::var_os("PLANISH_CC").is_some();
    for (number, file) in super::files().step_by(if whole { 1 } else { 30 }).enumerate() {
        let optimizer = Optimizer::level(if number % 2 == 0 { "2" } else { "0" }).expect("a level");
        PROGRAM.take();
        script::run::<Recorder>(&file, &|module| {
            optimizer.run(module, &mut |_, _| {});
        });
        let program = PROGRAM.take();
        left_out += program.left_out;
        followed += check(&format!("{}/{}", file.parent(), file.name()), program);
    }
    println!("C: {followed} commands followed, {left_out} modules left out");
    assert!(followed > if whole { 30_000 } else { 200 }, "only {followed} commands");
}
