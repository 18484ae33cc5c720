//! Exceptions: errors with their diagnostics, and mistakes of Planish's own.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use planish::diagnostic::Diagnostic;
use planish::render::{human, severity_name};
use planish::source::SourceMap;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static INTERNAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static WARNING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
static DIAGNOSTIC: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// The classes are written in Python, in this module.
const MODULE: &str = "planish._errors";

/// `planish.Error` of an error.
pub(crate) fn raise(py: Python<'_>, error: &planish::Error) -> PyErr {
    let make = || {
        let list = diagnostics(py, &error.diagnostics, &error.map)?;
        ERROR.import(py, MODULE, "Error")?.call1((error.to_string(), list))
    };
    match make() {
        Ok(value) => PyErr::from_value(value),
        Err(other) => other,
    }
}

/// Gives each of them to `warnings.warn`, as a `planish.PlanishWarning` about the line of Python that has called the module.
///
/// # Errors
/// The first of them that a filter of the user's makes an error.
pub(crate) fn warn(py: Python<'_>, of: &[Diagnostic], map: &SourceMap) -> PyResult<()> {
    if of.is_empty() {
        return Ok(());
    }
    let (class, warn) = (WARNING.import(py, MODULE, "PlanishWarning")?, py.import("warnings")?.getattr("warn")?);
    for one in of {
        warn.call1((class.call1((diagnostic(py, one, map)?,))?,))?;
    }
    Ok(())
}

/// A list of `planish.Diagnostic`.
pub(crate) fn diagnostics<'py>(py: Python<'py>, of: &[Diagnostic], map: &SourceMap) -> PyResult<Bound<'py, PyList>> {
    let all = of.iter().map(|one| diagnostic(py, one, map)).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, all)
}

fn diagnostic<'py>(py: Python<'py>, of: &Diagnostic, map: &SourceMap) -> PyResult<Bound<'py, PyAny>> {
    let severity = severity_name(of.severity);
    let ends = map.ends_of(of.span);
    let file = ends.as_ref().map(|(start, _)| start.file.to_string());
    let [line, column, end_line, end_column] = match &ends {
        Some((start, end)) => [start.at.line, start.at.column, end.at.line, end.at.column].map(Some),
        None => [None; 4],
    };
    let (notes, help) = (PyList::new(py, &of.notes)?, PyList::new(py, &of.help)?);
    let class = DIAGNOSTIC.import(py, MODULE, "Diagnostic")?;
    let (code, rendered) = (of.code.0, human(of, map, false));
    class.call1((
        severity,
        code,
        &of.message,
        file,
        line,
        column,
        end_line,
        end_column,
        notes.to_tuple(),
        help.to_tuple(),
        rendered,
    ))
}

/// Runs work of the compiler without the interpreter. A panic, which is a mistake of Planish's own, is a `planish.InternalError`.
pub(crate) fn guarded<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work)).map_err(|panic| text_of(&*panic))).map_err(|text| match INTERNAL
        .import(py, MODULE, "InternalError")
        .and_then(|class| class.call1((text,)))
    {
        Ok(value) => PyErr::from_value(value),
        Err(other) => other,
    })
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
    format!("internal error of Planish: {text}")
}

/// Name of the type of an object, for messages.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "another object".into(), |name| name.to_string())
}
