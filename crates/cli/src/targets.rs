//! `planish targets`, `planish passes` and `planish explain`.

use std::fmt::Write as _;

use planish::diagnostic::{CODES, did_you_mean};
use planish::{INPUTS, TARGETS};

use crate::Stop;
use crate::args::Color;
use crate::output::write_stdout;
use crate::page::{self, Style};

pub(crate) fn targets() -> Result<(), Stop> {
    let mut text = String::from("Languages that go in (--from):\n");
    for input in INPUTS {
        line(&mut text, input.name, input.extensions, input.about);
    }
    text.push_str("\nTargets that come out (--emit, or the extension of -o):\n");
    for target in TARGETS {
        line(&mut text, target.name, target.extensions, target.about);
    }
    write_stdout(text.as_bytes(), false)
}

fn line(text: &mut String, name: &str, extensions: &[&str], about: &str) {
    let extensions: Vec<String> = extensions.iter().map(|e| format!(".{e}")).collect();
    writeln!(text, "  {name:10} {about}\n             {}", extensions.join(" ")).expect("a string takes all");
}

pub(crate) fn passes(color: Color) -> Result<(), Stop> {
    write_stdout(page::render(&planish::optimizer::reference(), Style::of(color)).as_bytes(), false)
}

pub(crate) fn explain(code: &str, color: Color) -> Result<(), Stop> {
    match planish::explain(code) {
        Some(page) => write_stdout(page::render(page, Style::of(color)).as_bytes(), false),
        None => {
            let code = code.to_ascii_uppercase();
            let hint = did_you_mean(&code, CODES.iter().map(|c| c.code.0)).map(|c| format!("; did you mean {c}?"));
            Err(Stop::usage(format!("there is no diagnostic `{code}`{}", hint.unwrap_or_default())))
        }
    }
}
