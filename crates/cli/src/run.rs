//! `planish run`: draws a shader.

use crate::Stop;
use crate::args::Run;
use crate::report::Reporter;

pub(crate) fn run(args: &Run, _reporter: &mut Reporter) -> Result<(), Stop> {
    Err(Stop::usage(format!("cannot run {} yet", args.file.display())))
}
