//! Settings of a compilation, as keyword arguments.

use planish::diagnostic::Diagnostic;
use planish::{SETTINGS, Setting, SettingKind, Settings, Target, unused_settings};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::error::type_name;

/// Names of the settings, which are those of the options of the command with `_` for `-`; each with `"flag"` (`True` or `False`), `"one"`
/// (a text or number) or `"many"` (also a list of texts, or a `dict` for `NAME=VALUE`).
#[pyfunction]
pub(crate) fn settings(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for setting in SETTINGS {
        let kind = match setting.kind {
            SettingKind::Flag => "flag",
            SettingKind::Many => "many",
            _ => "one",
        };
        all.set_item(setting.name.replace('-', "_"), kind)?;
    }
    Ok(all)
}

/// The settings of keyword arguments; `None` is a setting that is not set. Names may end in `_`, as `from_` has to.
pub(crate) fn parse(arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Settings> {
    let mut settings = Settings::default();
    let mut given = vec![];
    for (name, value) in arguments.into_iter().flatten() {
        let name: String = name.extract()?;
        match known(&name) {
            Some(setting) => given.push((setting, value)),
            // The message has the name that may be meant.
            None => return Err(PyTypeError::new_err(settings.set(&name, "").err().unwrap_or_default())),
        }
    }
    // A level selects passes, too, and an explicit list of them holds whatever the order is.
    given.sort_by_key(|(setting, _)| setting.name != "level");
    for (setting, value) in given.iter().filter(|(_, value)| !value.is_none()) {
        for text in texts(setting, value)? {
            settings.set(setting.name, &text).map_err(PyValueError::new_err)?;
        }
    }
    Ok(settings)
}

/// The setting of a keyword.
fn known(name: &str) -> Option<&'static Setting> {
    let name = name.trim_end_matches('_').replace('_', "-");
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Warnings about settings that do nothing for a target.
pub(crate) fn unused(arguments: Option<&Bound<'_, PyDict>>, target: Target) -> PyResult<Vec<Diagnostic>> {
    let mut given = vec![];
    for (name, value) in arguments.into_iter().flatten() {
        let is_off = value.is_none() || value.cast::<PyBool>().is_ok_and(|flag| !flag.is_true());
        given.extend(known(&name.extract::<String>()?).filter(|_| !is_off).map(|setting| setting.name));
    }
    Ok(unused_settings(&given, &[target], |name| format!("`{}`", name.replace('-', "_"))))
}

fn texts(setting: &Setting, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let name = setting.name.replace('-', "_");
    let wrong = |wanted: &str| {
        let given = type_name(value);
        PyTypeError::new_err(format!("`{name}` takes {wanted}, not {given}"))
    };
    if setting.kind == SettingKind::Flag {
        let flag = value.cast::<PyBool>().map_err(|_| wrong("True or False"))?;
        return Ok(vec![flag.is_true().to_string()]);
    }
    let text = |value: &Bound<'_, PyAny>| {
        let is_text = value.is_instance_of::<PyString>();
        let is_number = value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>();
        let is_known = (is_text || is_number) && !value.is_instance_of::<PyBool>();
        if is_known { Some(value.str().map(|text| text.to_string())) } else { None }
    };
    if setting.kind == SettingKind::Many {
        let wanted = "a text, a list of texts, or a dict of texts";
        let items: Option<Vec<Bound<'_, PyAny>>> = match (value.cast::<PyList>(), value.cast::<PyTuple>()) {
            (Ok(list), _) => Some(list.iter().collect()),
            (_, Ok(tuple)) => Some(tuple.iter().collect()),
            _ => None,
        };
        if let Some(items) = items {
            return items.iter().map(|item| text(item).unwrap_or_else(|| Err(wrong(wanted)))).collect();
        }
        if let Ok(dict) = value.cast::<PyDict>() {
            let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| match (text(&key), text(&value)) {
                (Some(key), Some(value)) => Ok(format!("{}={}", key?, value?)),
                _ => Err(wrong(wanted)),
            };
            return dict.iter().map(pair).collect();
        }
    }
    Ok(vec![text(value).unwrap_or_else(|| Err(wrong("a text or a number")))?])
}
