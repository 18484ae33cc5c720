//! The command `planish`, as the wheel installs it.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs the command, to which the process then belongs; its exit status. `arguments` begin with its name; `module` is the file of this
/// module.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>, module: PathBuf) -> u8 {
    py.detach(|| planish_cli::run(arguments, Some(module)))
}
