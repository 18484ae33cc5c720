//! `planish check`.

use std::path::PathBuf;

use crate::Stop;
use crate::args::Check;
use crate::input;
use crate::parallel::in_order;
use crate::report::Reporter;

/// Checks files on all cores; the messages come in the order of the files.
pub(crate) fn check(args: &Check, reporter: &Reporter) -> Result<(), Stop> {
    let read = |file: &PathBuf| {
        let own = reporter.fork();
        input::read(file, &args.input, &own).map(|_| own)
    };
    // `check` has no other result: when standard error is closed, the remaining files are skipped.
    in_order(&args.files, args.jobs, read, |own| if reporter.join(&own?) { Ok(()) } else { Err(Stop::Errors) })?;
    reporter.finish(args.deny_warnings)
}
