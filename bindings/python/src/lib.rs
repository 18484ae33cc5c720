//! Planish for Python: the module `planish._planish`, of which the package in `python/planish` makes `planish`.
//!
//! Everything is behind the feature `extension`, so that the workspace builds without Python. A program never changes and may be used by
//! several threads; compilations, drawings and calls release the interpreter. Whatever a caller does wrong is an exception.

#[cfg(feature = "extension")]
mod arrays;
#[cfg(feature = "extension")]
mod call;
#[cfg(feature = "extension")]
mod command;
#[cfg(feature = "extension")]
mod draw;
#[cfg(feature = "extension")]
mod error;
#[cfg(feature = "extension")]
mod graph;
#[cfg(feature = "extension")]
mod includes;
#[cfg(feature = "extension")]
mod program;
#[cfg(feature = "extension")]
mod settings;

#[cfg(feature = "extension")]
#[pyo3::pymodule]
mod _planish {
    #[pymodule_export]
    use super::call::Function;
    #[pymodule_export]
    use super::command::command;
    #[pymodule_export]
    use super::graph::Graph;
    #[pymodule_export]
    use super::program::{Program, check, compile, explain, targets};
    #[pymodule_export]
    use super::settings::settings;
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "as in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
