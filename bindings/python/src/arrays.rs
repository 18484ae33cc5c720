//! NumPy arrays as they lie in memory.

use numpy::{Element, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Dimensions that an array may have.
pub(crate) const MOST_DIMENSIONS: usize = 32;

/// An array of a type, to be read in place. `what` is its name in messages, `wanted` that of the type.
pub(crate) fn readable<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
    what: &str,
    wanted: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let Ok(typed) = array.cast::<PyArrayDyn<T>>() else {
        let dtype = array.dtype();
        let convert = format!("convert it, as by `.astype(numpy.{wanted})`");
        return Err(PyTypeError::new_err(format!("{what} is an array of {dtype}, and {wanted} is wanted; {convert}")));
    };
    if array.ndim() > MOST_DIMENSIONS {
        let message = format!("{what} has {} dimensions, and {MOST_DIMENSIONS} are possible", array.ndim());
        return Err(PyValueError::new_err(message));
    }
    // The steps between elements are counted in elements.
    let is_regular = array.strides().iter().all(|stride| stride.unsigned_abs() % size_of::<T>() == 0);
    if !array.is_aligned() || !is_regular {
        let message = format!("{what} does not lie in memory as an array of {wanted}: pass a copy, `numpy.array(…)`");
        return Err(PyValueError::new_err(message));
    }
    Ok(typed.try_readonly()?)
}

/// Checks that there is an array.
pub(crate) fn array<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    value.cast::<PyUntypedArray>().ok()
}

/// The array that a number of NumPy is (`numpy.float32(1)`); `None` for anything else.
pub(crate) fn of_numpy_number<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    let numpy = value.py().import("numpy")?;
    if !value.is_instance(&numpy.getattr("generic")?)? {
        return Ok(None);
    }
    let array = numpy.call_method1("asarray", (value,))?;
    Ok(array.cast_into::<PyUntypedArray>().ok())
}
