//! `planish run` on VL: computes the program's value on the virtual machine, or calls what it exports.

use std::io::BufRead;

use planish::diagnostic::{Code, Diagnostic};
use planish::ir::entity::Type;
use planish::ir::types::{Scalar, TypeKind};
use planish::module::Module as IrModule;
use planish::parse_scalar;
use planish::source::SourceMap;
use planish::vl::Answer;
use planish_vm::{Engine, Error, FuncType, Linker, Module, Store, Val, ValType};

use crate::Stop;
use crate::args::Run;
use crate::engine;
use crate::limits;
use crate::output;
use crate::report::Reporter;

/// The source of `read-real`.
struct Input {
    /// Words of the last line read, in reverse order.
    words: Vec<String>,
}

/// Error that ends a program which writes numbers to a closed pipe.
#[derive(Debug)]
struct Closed;

impl std::error::Error for Closed {}

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("standard output is closed")
    }
}

/// Prints the value of the program, or the result of calling the procedure named by `--invoke`.
pub(crate) fn run(
    args: &Run,
    module: IrModule,
    answer: &Answer,
    map: &SourceMap,
    reporter: &Reporter,
) -> Result<(), Stop> {
    let name = args.invoke.as_deref().unwrap_or("main");
    let Some(output) = answer.output(name) else {
        let names: Vec<String> = answer.outputs.iter().map(|o| format!("`{}`", o.name)).collect();
        return Err(Stop::usage(match args.invoke {
            Some(_) => format!("the program exports no `{name}`; it exports {}", names.join(", ")),
            None => format!("the program has no value of its own; --invoke NAME calls an export: {}", names.join(", ")),
        }));
    };
    let Some(entry) = module.entry_points.iter().find(|e| e.stage.is_none() && e.names.iter().any(|n| &**n == name))
    else {
        return Err(Stop::usage(format!("there is no function `{name}`")));
    };
    let params: Vec<Type> = module.funcs[entry.func].params.iter().map(|p| p.ty).collect();
    let values = arguments(name, &params, &args.arguments, &module)?;
    limits::check_memory(args, &module, reporter)?;
    match call(&engine::of(args)?, args.fuel, module, name, &values, output.width()) {
        Ok(scalars) => output::write_stdout(format!("{}\n", output.show(&scalars)).as_bytes(), false),
        Err(Error::Host(error)) if error.is::<Closed>() => Err(Stop::Closed),
        Err(error) => {
            let diagnostic = limits::of_error(args, &error).or_else(|| stopped(&error, answer));
            reporter.show(&[diagnostic.ok_or_else(|| Stop::usage(error.to_string()))?], map);
            Err(Stop::Errors)
        }
    }
}

/// Calls an export on an engine, which consumes fuel if that is limited; the bits of its results.
pub(crate) fn call(
    engine: &Engine,
    fuel: Option<u64>,
    module: IrModule,
    name: &str,
    arguments: &[Val],
    width: usize,
) -> Result<Vec<u64>, Error> {
    let mut store = Store::new(engine, Input { words: vec![] });
    limits::fuel(&mut store, fuel);
    let module = Module::new(engine, module)?;
    let instance = linker().instantiate(&mut store, &module)?;
    let func = instance.get_func(&store, name).expect("an export of the module");
    let mut results = vec![Val::I32(0); width];
    func.call(&mut store, arguments, &mut results)?;
    Ok(results.iter().map(bits).collect())
}

/// The reason for the program's end, as stated by the program if it does; `None` if it is not about the program.
pub(crate) fn stopped(error: &Error, answer: &Answer) -> Option<Diagnostic> {
    match error {
        Error::Trap(trap) => {
            let message = answer.error_at(trap.span).map_or_else(|| error.to_string(), str::to_owned);
            Some(Diagnostic::error(Code::E1301, trap.span, message))
        }
        Error::Compile(diagnostic) => Some((**diagnostic).clone()),
        _ => None,
    }
}

fn arguments(name: &str, params: &[Type], texts: &[String], module: &IrModule) -> Result<Vec<Val>, Stop> {
    if params.len() != texts.len() {
        return Err(Stop::usage(format!("`{name}` takes {} numbers, not {}", params.len(), texts.len())));
    }
    let value = |(&ty, text): (&Type, &String)| match module.types[ty] {
        TypeKind::Scalar(Scalar::Bool) => match &**text {
            "#t" | "true" => Ok(Val::I32(1)),
            "#f" | "false" => Ok(Val::I32(0)),
            _ => Err(Stop::usage(format!("`{text}` is no boolean: write #t or #f"))),
        },
        _ => parse_scalar(Scalar::F64, text)
            .map(Val::F64)
            .ok_or_else(|| Stop::usage(format!("`{text}` is no number, such as 1.5, -2e10, inf or nan"))),
    };
    params.iter().zip(texts).map(value).collect()
}

fn bits(value: &Val) -> u64 {
    match *value {
        Val::F64(bits) => bits,
        Val::I32(x) => u64::from(x as u32),
        _ => 0,
    }
}

/// Reads numbers from standard input, and writes numbers to standard output, each on a line of its own.
fn linker() -> Linker<Input> {
    let mut linker = Linker::new();
    linker.func_new("planish", "read_real", FuncType::new([], [ValType::F64]), |mut caller, _, results| {
        results[0] = Val::F64(read(caller.data_mut())?.to_bits());
        Ok(())
    });
    linker.func_new("planish", "write_real", FuncType::new([ValType::F64], []), |_, args, _| {
        let text = format!("{}\n", planish::vl::show_real(bits(&args[0])));
        output::write_open_stdout(text.as_bytes()).map_err(|stop| match stop {
            Stop::Usage(message) => Error::host(message),
            _ => Error::host(Closed),
        })
    });
    linker
}

fn read(input: &mut Input) -> Result<f64, Error> {
    while input.words.is_empty() {
        let mut line = String::new();
        let count = std::io::stdin().lock().read_line(&mut line).map_err(|error| Error::host(error.to_string()))?;
        if count == 0 {
            return Err(Error::host("there is no more input for `read-real`".to_owned()));
        }
        input.words = line.split_whitespace().rev().map(str::to_owned).collect();
    }
    let word = input.words.pop().unwrap_or_default();
    planish::vl::parse_real(&word).ok_or_else(|| Error::host(format!("`{word}` in the input is no number")))
}
