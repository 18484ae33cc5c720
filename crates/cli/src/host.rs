//! The system that a program of WASI sees.

use planish_vm::{Error, Linker};
pub(crate) use planish_wasi::WasiCtx;
use planish_wasi::{Access, Exit, WasiCtxBuilder};

use crate::Stop;
use crate::args::Run;

/// The program's environment: the command's own streams, and the directories and variables of the command line.
pub(crate) fn context(args: &Run) -> Result<WasiCtx, Stop> {
    let usage = |error: std::io::Error| Stop::usage(error.to_string());
    let mut builder = WasiCtxBuilder::new().inherit_stdio();
    if args.invoke.is_none() {
        let program = args.file.to_string_lossy().into_owned();
        builder = builder.args([program].into_iter().chain(args.arguments.iter().cloned())).map_err(usage)?;
    }
    for text in &args.env {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (&**text, std::env::var(text).map_err(|_| not_in_environment(text))?),
        };
        builder = builder.env(name, &value).map_err(usage)?;
    }
    for text in &args.dirs {
        let (host, guest) = text.split_once("::").unwrap_or((text, text));
        builder = builder
            .preopen(host, guest, Access::ReadWrite)
            .map_err(|error| Stop::usage(format!("cannot open the directory {host}: {error}")))?;
    }
    Ok(builder.build())
}

fn not_in_environment(name: &str) -> Stop {
    Stop::usage(format!("the environment has no `{name}`, or it is not UTF-8; --env {name}=VALUE sets it"))
}

pub(crate) fn add_to_linker(linker: &mut Linker<WasiCtx>) {
    planish_wasi::add_to_linker(linker, |ctx: &mut WasiCtx| ctx);
}

/// The status of a program that has ended itself.
pub(crate) fn exit_status(error: &Error) -> Option<i32> {
    Exit::of(error).map(|Exit(status)| status)
}
