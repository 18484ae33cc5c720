//! Programs of `tests/vl`, their headers, and two ways to run them: the direct interpreter, and the evaluator on the IR
//! that they become.

pub mod writer;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arbitrary::{Result as Drawn, Unstructured};
use planish_eval::{EvalValue, Evaluator, Limits, Stop};
use planish_front_vl::{Output, World, interpret, translate};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Type;
use planish_ir::source::{IncludeResolver, SourceMap};
use planish_ir::types::{Scalar, TypeKind};

/// Runs a check on random bytes for each seed. Where the bytes do not suffice, there is no case.
pub fn seeded(count: u64, size: usize, mut check: impl FnMut(&mut Unstructured<'_>) -> Drawn<()>) {
    planish_generate::for_each_seed(0..count, size, |bytes| {
        let _ = check(&mut Unstructured::new(bytes));
    });
}

/// Steps that a program may take.
pub const FUEL: u64 = 20_000_000;

/// All files below a folder that end with `.vl`, in the order of their names; without folders of such a name.
pub fn programs(folder: &Path, without: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                if !without.iter().any(|name| path.ends_with(name)) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|e| e == "vl") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The header of a program.
#[derive(Default, Debug)]
pub struct Header {
    /// `; = VALUE`
    pub value: Option<String>,
    /// `; exact`
    pub is_exact: bool,
    /// `; in: 1 2`
    pub input: Vec<f64>,
    /// `; out: 1 2`
    pub output: Vec<String>,
    /// `; call: (f 1 2) = 3`: an expression that the program's end may be, as a caller would have it, and its value
    pub calls: Vec<(String, String)>,
    /// `; error: CODE LINE:COLUMN words of the message`
    pub errors: Vec<String>,
}

/// Reads the comments that a program begins with.
pub fn header(text: &str) -> Header {
    let mut header = Header::default();
    for line in text.lines() {
        let Some(line) = line.strip_prefix("; ") else { break };
        if let Some(value) = line.strip_prefix("= ") {
            header.value = Some(value.trim().to_owned());
        } else if line.trim() == "exact" {
            header.is_exact = true;
        } else if let Some(input) = line.strip_prefix("in: ") {
            header.input = input.split_whitespace().map(|x| x.parse().expect("`; in:` holds numbers")).collect();
        } else if let Some(output) = line.strip_prefix("out: ") {
            header.output = output.split_whitespace().map(str::to_owned).collect();
        } else if let Some(call) = line.strip_prefix("call: ") {
            let (call, value) = call.split_once(" = ").expect("`; call: (f x) = value`");
            header.calls.push((call.trim().to_owned(), value.trim().to_owned()));
        } else if let Some(error) = line.strip_prefix("error: ") {
            header.errors.push(error.trim().to_owned());
        }
    }
    header
}

/// A world with given input, which remembers output.
#[derive(Default)]
pub struct Memory {
    pub input: Vec<f64>,
    pub output: Vec<String>,
    at: usize,
}

impl Memory {
    pub fn new(input: &[f64]) -> Self {
        Memory { input: input.to_vec(), ..Memory::default() }
    }
}

impl World for Memory {
    fn read_real(&mut self) -> Option<f64> {
        self.at += 1;
        self.input.get(self.at - 1).copied()
    }

    fn write_real(&mut self, value: f64) {
        self.output.push(value.to_string());
    }
}

/// Files beside the one that includes them.
pub struct Beside(pub PathBuf);

impl IncludeResolver for Beside {
    fn resolve(&mut self, name: &str, _: &str, _: bool) -> Option<(String, Arc<str>)> {
        let path = self.0.parent()?.join(name);
        Some((path.to_string_lossy().into_owned(), fs::read_to_string(&path).ok()?.into()))
    }
}

/// Value of a program and its output, or its errors with their places.
pub fn run(path: &Path, text: &str, input: &[f64]) -> Result<(String, Vec<String>), Vec<String>> {
    let mut map = SourceMap::new();
    let name = path.to_string_lossy().into_owned();
    let file = map.add(name, text).map_err(|_| vec!["too large".to_owned()])?;
    let mut world = Memory::new(input);
    let mut includes = Beside(path.to_owned());
    match interpret(&file, &mut map, Some(&mut includes), &mut world, FUEL) {
        Ok(value) => Ok((value, world.output)),
        Err(errors) => Err(errors.iter().map(|e| shown(&map, e)).collect()),
    }
}

/// Results of an exported function of the IR for scalars, and its output; `None` if there is no such function.
pub fn evaluate(
    path: &Path,
    text: &str,
    input: &[f64],
    name: &str,
    scalars: &[u64],
) -> Result<Option<(String, Vec<String>)>, Vec<String>> {
    let mut world = Memory::new(input);
    let found = evaluate_in(&mut world, path, text, name, scalars)?;
    Ok(found.map(|(output, results)| {
        let scalars: Vec<u64> = results.iter().map(|(_, bits)| *bits).collect();
        (output.show_lists(&scalars), world.output)
    }))
}

/// The compiler's description of the results of an exported function, and their bits, each with whether it is a boolean.
pub type Scalars = (Output, Vec<(bool, u64)>);

/// The results of an exported function, one by one.
pub fn evaluate_scalars(
    path: &Path,
    text: &str,
    input: &[f64],
    name: &str,
    scalars: &[u64],
) -> Result<Option<Scalars>, Vec<String>> {
    evaluate_in(&mut Memory::new(input), path, text, name, scalars)
}

fn evaluate_in(
    world: &mut Memory,
    path: &Path,
    text: &str,
    name: &str,
    scalars: &[u64],
) -> Result<Option<Scalars>, Vec<String>> {
    let mut map = SourceMap::new();
    let file = map.add(path.to_string_lossy().into_owned(), text).map_err(|_| vec!["too large".to_owned()])?;
    let mut includes = Beside(path.to_owned());
    let (program, _) = translate(&file, &mut map, Some(&mut includes))
        .map_err(|errors| errors.iter().map(|e| shown(&map, e)).collect::<Vec<String>>())?;
    let mut module = program.module;
    let Some(output) = program.answer.output(name) else { return Ok(None) };
    let entry = module.entry_points.iter().find(|e| e.stage.is_none() && e.names.iter().any(|n| &**n == name));
    let func = entry.expect("what has an output is an entry").func;
    let real = module.types.intern(TypeKind::Scalar(Scalar::F64));
    let params: Vec<Type> = module.funcs[func].params.iter().map(|p| p.ty).collect();
    assert_eq!(params.len(), scalars.len(), "{name} takes other arguments");
    let args: Vec<EvalValue> =
        params.iter().zip(scalars).map(|(&ty, &bits)| EvalValue { ty, bits: vec![bits] }).collect();
    let world = RefCell::new(world);
    let stopped = |stop: Stop| vec![format!("{stop:?}")];
    // Loops are calls until they are optimized.
    let limits = Limits { steps: FUEL, depth: 30_000, ..Limits::default() };
    let results = {
        let mut evaluator = Evaluator::new(&module, limits).map_err(stopped)?;
        evaluator.provide("planish", "read_real", |_| {
            let value = world.borrow_mut().read_real().unwrap_or(f64::NAN);
            Ok(vec![EvalValue { ty: real, bits: vec![value.to_bits()] }])
        });
        evaluator.provide("planish", "write_real", |call| {
            world.borrow_mut().write_real(f64::from_bits(call.args[0].bits[0]));
            Ok(vec![])
        });
        evaluator.call(func, &args).map_err(stopped)?
    };
    let scalars = results.iter().map(|value| (value.ty == Type::BOOL, value.bits[0]));
    Ok(Some((output.clone(), scalars.collect())))
}

/// The numbers and booleans of a value as text, in order; booleans are 0 and 1.
pub fn leaves(text: &str) -> Vec<(bool, f64)> {
    let leaf = |word: &String| match &**word {
        "#t" => Some((true, 1.0)),
        "#f" => Some((true, 0.0)),
        word => number(word).map(|number| (false, number)),
    };
    pieces(text).iter().filter_map(leaf).collect()
}

/// The name and the scalars of a call: `((f 1) (list 2 #t))` is `f` and 1, 2, true.
pub fn call_of(call: &str) -> (String, Vec<u64>) {
    let words = pieces(call);
    let mut names = words.iter().filter(|w| *w != "(" && *w != ")" && number(w).is_none() && !w.starts_with('#'));
    let name = names.next().expect("a call has a name").clone();
    let scalars = words.iter().filter_map(|word| match &**word {
        "#t" => Some(1),
        "#f" => Some(0),
        word => number(word).map(f64::to_bits),
    });
    (name, scalars.collect())
}

/// `CODE LINE:COLUMN message`
pub fn shown(map: &SourceMap, error: &Diagnostic) -> String {
    let place = map.line_column(error.span.start).expect("errors have a place in a text");
    format!("{} {}:{} {}", error.code.0, place.line, place.column, error.message)
}

/// Whether two values are the same as text, but for the last digits of numbers.
pub fn agree(expected: &str, found: &str, is_exact: bool) -> bool {
    let (expected, found) = (pieces(expected), pieces(found));
    expected.len() == found.len()
        && expected.iter().zip(&found).all(|(e, f)| match (number(e), number(f)) {
            (Some(e), Some(f)) if is_exact => e.to_bits() == f.to_bits() || (e.is_nan() && f.is_nan()),
            (Some(e), Some(f)) => e == f || (e.is_nan() && f.is_nan()) || (e - f).abs() <= e.abs() * 1e-12 + 1e-15,
            _ => e == f,
        })
}

fn pieces(text: &str) -> Vec<String> {
    text.replace('(', " ( ").replace(')', " ) ").split_whitespace().map(str::to_owned).collect()
}

fn number(text: &str) -> Option<f64> {
    match text {
        "+inf.0" => Some(f64::INFINITY),
        "-inf.0" => Some(f64::NEG_INFINITY),
        "+nan.0" => Some(f64::NAN),
        text => text.parse().ok(),
    }
}
