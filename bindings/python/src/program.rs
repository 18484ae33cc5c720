//! Programs: read once, written for as many targets as one likes, drawn, and called.

use planish::diagnostic::Diagnostic;
use planish::{Settings, Source, TARGETS, Target};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMappingProxy, PyString};

use crate::call::{Function, functions};
use crate::draw::{DrawArguments, draw};
use crate::error::{diagnostics, guarded, raise, type_name, warn};
use crate::graph::Graph;
use crate::includes::{Includes, Record};
use crate::settings;

/// A program that was read and optimized. It never changes, and several threads may use it.
#[pyclass(frozen, module = "planish")]
pub(crate) struct Program {
    program: planish::Program,
    origin: Origin,
    functions: PyOnceLock<Py<PyMappingProxy>>,
}

/// Everything to read a program once more, with other settings.
struct Origin {
    name: String,
    source: Vec<u8>,
    settings: Settings,
    record: Record,
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (source, *, name = "shader.frag", includes = None, **settings))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        name: &str,
        includes: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (source, settings, includes) = (bytes(source)?, settings::parse(settings)?, Includes::parse(includes)?);
        let (program, record) = read(py, name, &source, &settings, &includes)?;
        let origin = Origin { name: name.to_owned(), source, settings, record };
        Ok(Program { program, origin, functions: PyOnceLock::new() })
    }

    /// Writes it for a target: `str`, or `bytes` for a binary one. Warnings of writing are given to `warnings.warn`.
    fn emit<'py>(&self, py: Python<'py>, target: &str) -> PyResult<Bound<'py, PyAny>> {
        let target = parse_target(target)?;
        let artifact = guarded(py, || self.program.emit(target))?.map_err(|error| raise(py, &error))?;
        warn(py, &artifact.diagnostics, &self.program.map)?;
        Ok(output(py, target, &artifact.bytes))
    }

    /// The header in C of an object file or a program in C; `None` for other targets.
    fn header(&self, py: Python<'_>, target: &str) -> PyResult<Option<String>> {
        let target = parse_target(target)?;
        let artifact = guarded(py, || self.program.emit(target))?.map_err(|error| raise(py, &error))?;
        Ok(artifact.header)
    }

    /// Its interface: inputs, outputs, uniforms, bindings, layouts.
    fn reflect<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let artifact = guarded(py, || self.program.emit(Target::Reflect))?.map_err(|error| raise(py, &error))?;
        py.import("json")?.call_method1("loads", (PyBytes::new(py, &artifact.bytes),))
    }

    /// Warnings about it.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        diagnostics(py, &self.program.warnings, &self.program.map)
    }

    /// Draws its fragment shader on the CPU: floats of the shape (height, width, 4), rows from the top.
    #[pyo3(signature = (size, *, time = 0.0, frame = 0, mouse = None, textures = None, output = None, uniforms = None, **named))]
    fn draw<'py>(
        &self,
        py: Python<'py>,
        size: &Bound<'py, PyAny>,
        time: f32,
        frame: u32,
        mouse: Option<Vec<f32>>,
        textures: Option<&Bound<'py, PyDict>>,
        output: Option<String>,
        uniforms: Option<&Bound<'py, PyDict>>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = DrawArguments { size, time, frame, mouse, textures, output, uniforms: [uniforms, named] };
        draw(py, &self.program, arguments)
    }

    /// Its functions, of a program in VL or WebAssembly, by name. They share the memories and variables of one instance.
    #[getter]
    fn functions(&self, py: Python<'_>) -> PyResult<Py<PyMappingProxy>> {
        let make = || functions(py, &self.program).map(Bound::unbind);
        self.functions.get_or_try_init(py, make).map(|all| all.clone_ref(py))
    }

    /// The derivative of a function in VL, which has one number as result, by each of its parameters that is a float: a function of the same
    /// parameters, in reverse mode. With `value`, the result of the function comes first.
    #[pyo3(signature = (function, *, value = false))]
    fn gradient(&self, py: Python<'_>, function: &str, value: bool) -> PyResult<Function> {
        let derived = guarded(py, || self.program.gradient(function))?.map_err(|error| raise(py, &error))?;
        Function::gradient(py, &derived, function, value)
    }

    /// The dataflow graph of a flattened function: of `function`, or of the shader's entry point.
    #[pyo3(signature = (function = None))]
    fn graph(&self, py: Python<'_>, function: Option<&str>) -> PyResult<Graph> {
        let Origin { name, source, settings, record } = &self.origin;
        let mut settings = settings.for_target(Target::Graph);
        let is_flat = settings.flattener.entry_points || !settings.flattener.functions.is_empty();
        if function.is_some() || !is_flat {
            settings.set("flatten", function.unwrap_or_default()).map_err(PyValueError::new_err)?;
        }
        let (program, _) = read(py, name, source, &settings, &Includes::Record(record.clone()))?;
        Ok(Graph { program })
    }

    fn __repr__(&self) -> String {
        format!("<planish.Program {:?}>", self.origin.name)
    }
}

/// Reads a program and writes it for one target: `str`, or `bytes` for a binary one. Warnings are given to `warnings.warn`.
#[pyfunction]
#[pyo3(signature = (source, target, *, name = "shader.frag", includes = None, **settings))]
pub(crate) fn compile<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    target: &str,
    name: &str,
    includes: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (source, target) = (bytes(source)?, parse_target(target)?);
    let unused = settings::unused(settings, target)?;
    let (settings, includes) = (settings::parse(settings)?, Includes::parse(includes)?);
    let source = Source { name, bytes: &source };
    let (result, _) = includes.run(py, |includes| planish::compile_with(source, target, &settings, Some(includes)))?;
    let (artifact, found) = result.map_err(|error| raise(py, &error))?;
    let unused = settings.levels.apply(unused);
    if unused.iter().any(Diagnostic::is_error) {
        return Err(raise(py, &planish::Error { diagnostics: unused, map: found.map }));
    }
    warn(py, &[unused, found.diagnostics].concat(), &found.map)?;
    Ok(output(py, target, &artifact.bytes))
}

/// Errors and warnings of a program.
#[pyfunction]
#[pyo3(signature = (source, *, name = "shader.frag", includes = None, **settings))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    source: &Bound<'py, PyAny>,
    name: &str,
    includes: Option<&Bound<'py, PyAny>>,
    settings: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyList>> {
    let (source, settings, includes) = (bytes(source)?, settings::parse(settings)?, Includes::parse(includes)?);
    let source = Source { name, bytes: &source };
    let ((found, map), _) = includes.run(py, |includes| planish::Program::check(source, &settings, Some(includes)))?;
    diagnostics(py, &found, &map)
}

/// The page of a code such as `E0301`, in Markdown.
#[pyfunction]
pub(crate) fn explain(code: &str) -> PyResult<&'static str> {
    planish::explain(code).ok_or_else(|| PyValueError::new_err(format!("there is no code `{code}`")))
}

/// Names of the targets.
#[pyfunction]
pub(crate) fn targets() -> Vec<&'static str> {
    TARGETS.iter().map(|target| target.name).collect()
}

fn read(
    py: Python<'_>,
    name: &str,
    source: &[u8],
    settings: &Settings,
    includes: &Includes,
) -> PyResult<(planish::Program, Record)> {
    let source = Source { name, bytes: source };
    let (result, record) =
        includes.run(py, |includes| planish::Program::stages(&[source], settings, Some(includes)))?;
    let mut stages = result.map_err(|error| raise(py, &error))?;
    Ok((stages.remove(0), record))
}

/// A copy of a source.
fn bytes(source: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = source.cast::<PyString>() {
        return Ok(text.to_cow()?.as_bytes().to_vec());
    }
    if let Ok(bytes) = source.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(bytes) = source.cast::<PyByteArray>() {
        return Ok(bytes.to_vec());
    }
    Err(PyTypeError::new_err(format!("the source is a str or bytes, not {}", type_name(source))))
}

fn parse_target(name: &str) -> PyResult<Target> {
    name.parse().map_err(|message: String| PyValueError::new_err(message))
}

fn output<'py>(py: Python<'py>, target: Target, bytes: &[u8]) -> Bound<'py, PyAny> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !target.info().binary => PyString::new(py, text).into_any(),
        _ => PyBytes::new(py, bytes).into_any(),
    }
}
