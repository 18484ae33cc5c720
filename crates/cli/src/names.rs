//! Suggestions for misspelled values of the command line.

use planish::diagnostic::did_you_mean;
use planish::{INPUTS, TARGETS};

/// `; did you mean …?`, if a known name is near.
pub(crate) fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    did_you_mean(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|target| target.name)
}

pub(crate) fn target_extensions() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().flat_map(|target| target.extensions.iter().copied())
}

pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    INPUTS.iter().map(|input| input.name)
}
