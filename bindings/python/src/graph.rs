//! Dataflow graphs, which notebooks show.

use planish::Target;
use pyo3::prelude::*;

use crate::error::{guarded, raise};

/// The dataflow graph of a flat function: without branches, loops and calls.
#[pyclass(frozen, module = "planish")]
pub(crate) struct Graph {
    pub(crate) program: planish::Program,
}

impl Graph {
    fn written(&self, py: Python<'_>, target: Target) -> PyResult<String> {
        let artifact = guarded(py, || self.program.emit(target))?.map_err(|error| raise(py, &error))?;
        Ok(String::from_utf8_lossy(&artifact.bytes).into_owned())
    }
}

#[pymethods]
impl Graph {
    /// The graph as JSON.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Target::Graph)
    }

    /// A drawing of it.
    fn to_svg(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Target::GraphSvg)
    }

    /// The graph for Graphviz.
    fn to_dot(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Target::GraphDot)
    }

    /// The listing: a node a line.
    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.written(py, Target::GraphText)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        self.to_svg(py)
    }
}
