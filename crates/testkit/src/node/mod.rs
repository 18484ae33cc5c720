//! Running output in Node.js: many programs and many calls of them in one process.
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use planish_ir::module::Module;
use planish_ir::signature::{Field, Shape, Signature};
use planish_ir::types::{Scalar, TypeKind};

use crate::{has_tool, scratch};

/// The script that runs them.
const RUNNER: &str = include_str!("runner.mjs");

/// A program that was written.
pub struct Program {
    /// Its text.
    pub text: String,
    /// Whether it is asm.js.
    pub asm: bool,
    /// Pages of its heap (asm.js).
    pub pages: u32,
    /// Whether every call gets a new instance.
    pub fresh: bool,
}

/// A call of a program's function.
pub struct Call {
    /// The number of the program.
    pub program: usize,
    /// Name of the called function.
    pub function: String,
    /// Types of the arguments.
    pub params: Vec<Scalar>,
    /// Their bits.
    pub args: Vec<u64>,
    /// Types of the results.
    pub results: Vec<Scalar>,
    /// The structure that a module gives them; ignored for asm.js.
    pub signature: Option<Arc<Signature>>,
    /// Input of the program: the bits of `f64`s. Its output then follows its results.
    pub tape: Option<Vec<u64>>,
}

impl Call {
    /// A call of an exported function of scalars.
    pub fn new(program: usize, module: &Module, func: planish_ir::entity::Func, name: &str, args: Vec<u64>) -> Self {
        let scalar = |ty| match module.types[ty] {
            TypeKind::Scalar(scalar) => scalar,
            ref other => panic!("{name} has a {other:?}"),
        };
        let function = &module.funcs[func];
        Call {
            program,
            function: name.to_owned(),
            params: function.params.iter().map(|p| scalar(p.ty)).collect(),
            args,
            results: function.results.iter().map(|r| scalar(r.ty)).collect(),
            signature: module.signature_of(func).cloned(),
            tape: None,
        }
    }
}

/// A signature for the runner: a scalar is 0, a list or a record without names an array, another record an object.
fn json(signature: &Signature) -> String {
    /// Recursion: over the shape, at most `MAX_TYPE_NESTING` levels.
    fn shape_json(shape: &Shape) -> String {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
        match shape {
            Shape::Scalar => "0".to_owned(),
            Shape::List { element, len } => list(vec![shape_json(element); *len as usize]),
            Shape::Record { fields, .. } if !shape.is_named() => {
                list(fields.iter().map(|field| shape_json(&field.shape)).collect())
            }
            Shape::Record { fields, .. } => {
                let member = |field: &Field| format!("{:?}:{}", field.name, shape_json(&field.shape));
                format!("{{{}}}", fields.iter().map(member).collect::<Vec<_>>().join(","))
            }
        }
    }
    let params: Vec<String> = signature.params.iter().map(|param| shape_json(&param.shape)).collect();
    let result = signature.result.as_ref().map_or_else(|| "null".to_owned(), shape_json);
    format!("{{\"params\":[{}],\"result\":{result}}}", params.join(","))
}

/// The words of the results, or the name of the trap.
pub type Outcome = Result<Vec<u64>, String>;

/// Runs a script; returns its output.
pub fn node(script: &Path, args: &[&str]) -> String {
    let output = Command::new("node").args(args).arg(script).output().expect("it was there just now");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}\n{text}", script.display());
    assert!(!errors.contains("asm.js"), "{}: {errors}", script.display());
    text
}

/// Runs all calls. Every program of asm.js must be valid, as the engine sees it. `None` where there is no Node.js.
pub fn run(test: &str, programs: &[Program], calls: &[Call]) -> Option<Vec<Outcome>> {
    if !has_tool("node") {
        return None;
    }
    let folder = scratch(&format!("js-{test}"));
    let mut list = String::new();
    for (number, program) in programs.iter().enumerate() {
        let (kind, end) = if program.asm { ("asm", "js") } else { ("module", "mjs") };
        let file = folder.join(format!("p{number}.{end}"));
        std::fs::write(&file, &program.text).expect("files of tests can be written");
        let fresh = u8::from(program.fresh);
        writeln!(list, "{kind} {} {} {fresh}", file.display(), program.pages).expect("strings take all");
    }
    for call in calls {
        if let Some(tape) = &call.tape {
            let words: Vec<String> = tape.iter().map(|word| format!("{word:#x}")).collect();
            writeln!(list, "tape [{}]", words.join(",")).expect("strings take all");
        }
        let types = |list: &[Scalar]| list.iter().map(|s| s.name()).collect::<Vec<_>>().join(",");
        let args: Vec<String> = call.args.iter().map(|a| format!("{a:#x}")).collect();
        let (params, results) = (types(&call.params), types(&call.results));
        let signature = call.signature.as_ref().map_or_else(|| "0".to_owned(), |signature| json(signature));
        let args = args.join(",");
        writeln!(list, "call {} {} [{params}] [{args}] [{results}] {signature}", call.program, call.function)
            .expect("strings take all");
    }
    std::fs::write(folder.join("list.txt"), list).expect("files of tests can be written");
    let runner = folder.join("runner.mjs");
    std::fs::write(&runner, RUNNER).expect("files of tests can be written");
    let text = node(&runner, &["--allow-natives-syntax"]);
    let mut outcomes = Vec::new();
    let mut valid = 0;
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("trap", kind)) => outcomes.push(Err(kind.to_owned())),
            Some(("is", words)) => {
                let words = words.split(' ').filter(|w| !w.is_empty());
                outcomes.push(Ok(words.map(|w| u64::from_str_radix(w, 16).expect("hexadecimal")).collect()));
            }
            Some(("valid", _)) => valid += 1,
            _ => panic!("{line}"),
        }
    }
    assert_eq!(valid, programs.iter().filter(|p| p.asm).count(), "every program is converted to WebAssembly");
    assert_eq!(outcomes.len(), calls.len());
    Some(outcomes)
}
