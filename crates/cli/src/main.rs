//! The program `planish`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(planish_cli::run(std::env::args_os(), None))
}
