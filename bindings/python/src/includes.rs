//! Files of `#include`: of a `dict`, or those that a function finds.

use std::collections::HashMap;
use std::sync::Arc;

use planish::IncludeResolver;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{guarded, type_name};

/// Texts of what a compilation has included, by name, including file, and whether the name was in `<>`.
pub(crate) type Record = HashMap<(String, String, bool), Option<Arc<str>>>;

/// A source of included files.
pub(crate) enum Includes {
    /// Texts by name.
    Files(HashMap<String, Arc<str>>),
    /// A function of name, including file, and whether the name was in `<>`.
    Function(Py<PyAny>),
    /// The answers of another compilation.
    Record(Record),
}

impl Includes {
    /// Of an argument `includes`.
    pub(crate) fn parse(of: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(of) = of else { return Ok(Includes::Files(HashMap::new())) };
        if let Ok(dict) = of.cast::<PyDict>() {
            let mut files = HashMap::new();
            for (name, text) in dict.iter() {
                let (Ok(name), Ok(text)) = (name.cast::<PyString>(), text.cast::<PyString>()) else {
                    return Err(PyTypeError::new_err("`includes` has names and texts, both str"));
                };
                files.insert(name.to_cow()?.into_owned(), (*text.to_cow()?).into());
            }
            return Ok(Includes::Files(files));
        }
        if of.is_callable() {
            return Ok(Includes::Function(of.clone().unbind()));
        }
        let given = type_name(of);
        Err(PyTypeError::new_err(format!("`includes` is a dict, or a function of name, file and system, not {given}")))
    }

    /// Runs a compilation with these files, without the interpreter; its result, and what it has included. An exception of the function
    /// comes out when the compilation has ended.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn IncludeResolver) -> T + Send,
    ) -> PyResult<(T, Record)> {
        let mut resolver = Resolver { includes: self, record: Record::new(), exception: None };
        let result = guarded(py, || work(&mut resolver));
        match resolver.exception {
            Some(exception) => Err(exception),
            None => Ok((result?, resolver.record)),
        }
    }
}

struct Resolver<'i> {
    includes: &'i Includes,
    record: Record,
    exception: Option<PyErr>,
}

impl Resolver<'_> {
    fn call(&mut self, function: &Py<PyAny>, name: &str, from: &str, system: bool) -> Option<Arc<str>> {
        if self.exception.is_some() {
            return None;
        }
        let called = Python::attach(|py| {
            let found = function.bind(py).call1((name, from, system))?;
            if found.is_none() {
                return Ok(None);
            }
            match found.cast::<PyString>() {
                Ok(text) => Ok(Some((*text.to_cow()?).into())),
                Err(_) => {
                    let given = type_name(&found);
                    Err(PyTypeError::new_err(format!("`includes` must return a str or None, not {given}")))
                }
            }
        });
        called.unwrap_or_else(|exception| {
            self.exception = Some(exception);
            None
        })
    }
}

impl IncludeResolver for Resolver<'_> {
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)> {
        let key = (name.to_owned(), from.to_owned(), system);
        let includes = self.includes;
        let text = match includes {
            Includes::Files(files) => files.get(name).cloned(),
            Includes::Function(function) => self.call(function, name, from, system),
            Includes::Record(record) => record.get(&key).cloned().flatten(),
        };
        self.record.insert(key, text.clone());
        text.map(|text| (name.to_owned(), text))
    }
}
