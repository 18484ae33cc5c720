//! `planish run` on WebAssembly: runs a program of WASI preview 1, or calls one export, on the virtual machine.

use std::fmt::Write as _;

use planish::diagnostic::{Code, Diagnostic, did_you_mean};
use planish::ir::types::Scalar;
use planish::module::Module as IrModule;
use planish::parse_scalar;
use planish::source::SourceMap;
use planish_vm::{Error, Extern, Func, Instance, Linker, Module, Store, Val, ValType};

use crate::Stop;
use crate::args::Run;
use crate::engine;
use crate::host::{self, WasiCtx};
use crate::limits;
use crate::output;
use crate::report::Reporter;
use crate::values::show_scalar;
use crate::verify;

/// Runs `_start`, or calls the function named by `--invoke` and prints its results.
pub(crate) fn run(args: &Run, module: IrModule, map: &SourceMap, reporter: &Reporter) -> Result<(), Stop> {
    let ctx = host::context(args)?;
    let engine = engine::of(args)?;
    let mut store = Store::new(&engine, ctx);
    limits::fuel(&mut store, args.fuel);
    limits::check_memory(args, &module, reporter)?;
    let module = Module::new(&engine, module);
    if args.verify
        && let Ok(module) = &module
    {
        verify::report(module.check(), map, reporter)?;
    }
    let done = module.and_then(|module| {
        let mut linker = Linker::new();
        host::add_to_linker(&mut linker);
        linker.instantiate(&mut store, &module)
    });
    let done = done.and_then(|instance| match &args.invoke {
        Some(name) => invoke(&mut store, instance, name, &args.arguments),
        None => start(&mut store, instance),
    });
    match done {
        Ok(result) => result,
        Err(error) => stopped(args, &error, map, reporter),
    }
}

fn start(store: &mut Store<WasiCtx>, instance: Instance) -> Result<Result<(), Stop>, Error> {
    let Some(start) = instance.get_func(&*store, "_start") else {
        let others = exported(store, instance);
        return Ok(Err(Stop::usage(match others.is_empty() {
            true => "the program exports no function: there is nothing to run".into(),
            false => format!("the program exports no `_start`; --invoke NAME calls another function: {}", few(&others)),
        })));
    };
    start.call(&mut *store, &[], &mut [])?;
    Ok(Ok(()))
}

/// The names of the functions that can be called.
fn exported(store: &Store<WasiCtx>, instance: Instance) -> Vec<String> {
    let functions = instance.exports(store).into_iter().filter(|(_, what)| matches!(what, Extern::Func(_)));
    functions.map(|(name, _)| name.to_string()).collect()
}

/// Names, as many as a person reads.
fn few(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(8).map(|name| format!("`{name}`")).collect();
    let rest = names.len() - shown.len();
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn no_function(name: &str, exported: &[String]) -> Stop {
    let near = did_you_mean(name, exported.iter().map(String::as_str));
    Stop::usage(match near {
        Some(near) => format!("the program exports no function `{name}`; did you mean `{near}`?"),
        None if exported.is_empty() => format!("the program exports no function `{name}`, nor any other"),
        None => format!("the program exports no function `{name}`; it exports {}", few(exported)),
    })
}

/// Calls an export with numbers, and prints its results.
fn invoke(
    store: &mut Store<WasiCtx>,
    instance: Instance,
    name: &str,
    arguments: &[String],
) -> Result<Result<(), Stop>, Error> {
    let Some(func) = instance.get_func(&*store, name) else {
        return Ok(Err(no_function(name, &exported(store, instance))));
    };
    // A reactor of WASI is initialized once before it is called.
    if let Some(setup) = instance.get_func(&*store, "_initialize").filter(|setup| *setup != func) {
        setup.call(&mut *store, &[], &mut [])?;
    }
    let values = match values(store, func, name, arguments) {
        Ok(values) => values,
        Err(stop) => return Ok(Err(stop)),
    };
    let mut results: Vec<Val> = func.ty(&*store).results().iter().map(|&ty| Val::default_of(ty)).collect();
    func.call(&mut *store, &values, &mut results)?;
    let mut text = String::new();
    for result in &results {
        writeln!(text, "{}", show(result)).expect("a string takes all");
    }
    Ok(output::write_stdout(text.as_bytes(), false))
}

fn values(store: &Store<WasiCtx>, func: Func, name: &str, arguments: &[String]) -> Result<Vec<Val>, Stop> {
    let ty = func.ty(store);
    if ty.params().len() != arguments.len() {
        let types: Vec<String> = ty.params().iter().map(ToString::to_string).collect();
        let wanted = match types.len() {
            0 => "no arguments".into(),
            1 => format!("1 argument ({})", types[0]),
            n => format!("{n} arguments ({})", types.join(", ")),
        };
        return Err(Stop::usage(format!("`{name}` takes {wanted}, not {}", arguments.len())));
    }
    let value = |(&ty, text): (&ValType, &String)| {
        argument(ty, text)
            .ok_or_else(|| Stop::usage(format!("`{text}` is no {ty}, which `{name}` takes: write {}", form(ty))))
    };
    ty.params().iter().zip(arguments).map(value).collect()
}

/// The syntax of a value on the command line.
fn form(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 => "a whole number from -2147483648 to 4294967295",
        ValType::I64 => "a whole number from -9223372036854775808 to 18446744073709551615",
        ValType::F32 | ValType::F64 => "a number, such as 1.5, -2e10, inf or nan",
        ValType::V128 => "0x and up to 32 hexadecimal digits",
        ValType::FuncRef | ValType::ExternRef => "null, the only reference that the command has",
    }
}

fn argument(ty: ValType, text: &str) -> Option<Val> {
    Some(match ty {
        ValType::I32 => Val::I32(parse_scalar(Scalar::I32, text)? as i32),
        ValType::I64 => {
            let signed = parse_scalar(Scalar::I64, text);
            Val::I64(signed.or_else(|| parse_scalar(Scalar::U64, text))? as i64)
        }
        ValType::F32 => Val::F32(parse_scalar(Scalar::F32, text)? as u32),
        ValType::F64 => Val::F64(parse_scalar(Scalar::F64, text)?),
        ValType::V128 => Val::V128(u128::from_str_radix(text.strip_prefix("0x")?, 16).ok()?),
        ValType::FuncRef => (text == "null").then_some(Val::FuncRef(None))?,
        ValType::ExternRef => (text == "null").then_some(Val::ExternRef(None))?,
    })
}

fn show(value: &Val) -> String {
    match *value {
        Val::I32(x) => x.to_string(),
        Val::I64(x) => x.to_string(),
        Val::F32(bits) => show_scalar(Scalar::F32, bits.into()),
        Val::F64(bits) => show_scalar(Scalar::F64, bits),
        Val::V128(x) => format!("{x:#034x}"),
        Val::FuncRef(None) | Val::ExternRef(None) => "null".into(),
        Val::FuncRef(Some(_)) => "a function".into(),
        Val::ExternRef(Some(_)) => "a reference".into(),
    }
}

/// The command's exit when the program ended by an error.
fn stopped(args: &Run, error: &Error, map: &SourceMap, reporter: &Reporter) -> Result<(), Stop> {
    if let Some(status) = host::exit_status(error) {
        return if status == 0 { Ok(()) } else { Err(Stop::Exit(status)) };
    }
    let diagnostic = limits::of_error(args, error).or_else(|| match error {
        Error::Trap(trap) => Some(Diagnostic::error(Code::E1301, trap.span, error.to_string())),
        Error::Compile(diagnostic) => Some((**diagnostic).clone()),
        _ => None,
    });
    let Some(diagnostic) = diagnostic else { return Err(Stop::usage(error.to_string())) };
    reporter.show(&[diagnostic], map);
    Err(Stop::Errors)
}
