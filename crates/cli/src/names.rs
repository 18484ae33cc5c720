//! Suggestions for misspelled values of the command line.

pub(crate) use planish::suggest;
use planish::{INPUTS, TARGETS};

pub(crate) fn targets() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().map(|target| target.name)
}

pub(crate) fn target_extensions() -> impl Iterator<Item = &'static str> {
    TARGETS.iter().flat_map(|target| target.extensions.iter().copied())
}

pub(crate) fn languages() -> impl Iterator<Item = &'static str> {
    INPUTS.iter().map(|input| input.name)
}
