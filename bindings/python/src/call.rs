//! Functions of a program in VL or WebAssembly, over numbers and over NumPy arrays.

use std::sync::{Arc, Mutex, PoisonError};

use numpy::ndarray::iter::Iter;
use numpy::ndarray::{ArrayD, ArrayViewD, IxDyn};
use numpy::{Element, IntoPyArray, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use planish::NumberType as Kind;
use planish::vm::{FuncType, Val};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyMappingProxy, PyTuple};

use crate::arrays::{array, of_numpy_number, readable};
use crate::error::{guarded, raise, type_name};

/// Calls between two looks at the signals of the process.
const CALLS_AT_A_TIME: usize = 1 << 16;

/// A function of a program. Of arrays, it is called for each element; shapes are broadcast together.
#[pyclass(frozen, module = "planish")]
pub(crate) struct Function {
    name: String,
    instance: Arc<Mutex<planish::Functions>>,
    /// Its number among the functions of the instance.
    index: usize,
    /// `None`: a type that Python cannot hold here.
    params: Option<Vec<Kind>>,
    results: Option<Vec<Kind>>,
    /// Number of the first result that is returned.
    first: usize,
    ty: String,
}

/// All functions of a program, by name.
pub(crate) fn functions<'py>(py: Python<'py>, program: &planish::Program) -> PyResult<Bound<'py, PyMappingProxy>> {
    let instance = instance(py, program)?;
    let exports = instance.lock().unwrap_or_else(PoisonError::into_inner).exports().to_vec();
    let all = PyDict::new(py);
    for (index, (name, ty)) in exports.iter().enumerate() {
        let function = Function::new(program, &instance, index, name, ty, 0);
        all.set_item(name, Py::new(py, function)?)?;
    }
    Ok(PyMappingProxy::new(py, all.as_mapping()))
}

fn instance(py: Python<'_>, program: &planish::Program) -> PyResult<Arc<Mutex<planish::Functions>>> {
    let instance = guarded(py, || program.instance())?.map_err(|error| raise(py, &error))?;
    Ok(Arc::new(Mutex::new(instance)))
}

impl Function {
    /// The one function of a program that is a gradient.
    pub(crate) fn gradient(py: Python<'_>, program: &planish::Program, name: &str, value: bool) -> PyResult<Self> {
        let instance = instance(py, program)?;
        let exports = instance.lock().unwrap_or_else(PoisonError::into_inner).exports().to_vec();
        let found = exports.iter().enumerate().find(|(_, (known, _))| known == name);
        let (index, (_, ty)) = found.ok_or_else(|| PyValueError::new_err(format!("there is no function `{name}`")))?;
        let mut function = Function::new(program, &instance, index, name, ty, usize::from(!value));
        function.name = format!("{name}_gradient");
        Ok(function)
    }

    fn new(
        program: &planish::Program,
        instance: &Arc<Mutex<planish::Functions>>,
        index: usize,
        name: &str,
        ty: &FuncType,
        first: usize,
    ) -> Self {
        let (params, results) = program.number_types(name, ty).map(|[params, results]| (params, results)).unzip();
        Function {
            name: name.to_owned(),
            instance: instance.clone(),
            index,
            params,
            results,
            first,
            ty: ty.to_string(),
        }
    }

    /// The types that Python can hold.
    fn types(&self) -> PyResult<(&[Kind], &[Kind])> {
        match (&self.params, &self.results) {
            (Some(params), Some(results)) => Ok((params, results)),
            _ => Err(PyTypeError::new_err(format!(
                "`{}` has values that Python cannot hold here: {}",
                self.name, self.ty
            ))),
        }
    }

    /// The value of an argument.
    fn input<'py>(&self, value: &Bound<'py, PyAny>, at: usize, kind: Kind) -> PyResult<Input<'py>> {
        let what = format!("argument {} of `{}`", at + 1, self.name);
        if let Some(array) = array(value) {
            return Input::of_array(array, &what, kind);
        }
        if let Some(array) = of_numpy_number(value)? {
            return Input::of_array(&array, &what, kind);
        }
        let wrong = |wanted: &str| PyTypeError::new_err(format!("{what} is {wanted}, not {}", type_name(value)));
        let large = |_: PyErr| PyOverflowError::new_err(format!("{what} is too large for {}", kind.name()));
        let is_bool = value.is_instance_of::<PyBool>();
        let is_int = value.is_instance_of::<PyInt>() && !is_bool;
        let is_number = is_int || value.is_instance_of::<PyFloat>();
        let value = match kind {
            Kind::Bool if is_bool => Val::I32(i32::from(value.extract::<bool>()?)),
            Kind::Int32 if is_int => Val::I32(value.extract().map_err(large)?),
            Kind::Int64 if is_int => Val::I64(value.extract().map_err(large)?),
            Kind::Float32 if is_number => Val::F32((value.extract::<f64>().map_err(large)? as f32).to_bits()),
            Kind::Float64 if is_number => Val::F64(value.extract::<f64>().map_err(large)?.to_bits()),
            Kind::Bool => return Err(wrong("a bool, or an array of them")),
            Kind::Int32 | Kind::Int64 => return Err(wrong("an int, or an array")),
            Kind::Float32 | Kind::Float64 => return Err(wrong("a number, or an array")),
        };
        Ok(Input::Number(value))
    }
}

#[pymethods]
impl Function {
    /// Calls it: of numbers, the result is a number; of arrays of the parameters' types, an array. Several results are a tuple.
    #[pyo3(signature = (*arguments))]
    fn __call__<'py>(&self, py: Python<'py>, arguments: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (params, results) = self.types()?;
        if params.len() != arguments.len() {
            let (name, given) = (&self.name, arguments.len());
            return Err(PyTypeError::new_err(format!("`{name}` takes {} arguments, not {given}", params.len())));
        }
        let input = |(at, (value, &kind)): (usize, (Bound<'py, PyAny>, &Kind))| self.input(&value, at, kind);
        let inputs = arguments.iter().zip(params).enumerate().map(input).collect::<PyResult<Vec<_>>>()?;
        let shape = broadcast(inputs.iter().map(Input::shape))?;
        let count = shape.iter().try_fold(1usize, |count, &size| count.checked_mul(size));
        let count = count.filter(|&count| count <= isize::MAX as usize / 8);
        let too_many = || PyMemoryError::new_err(format!("a result of the shape {shape:?} is too large"));
        let count = count.ok_or_else(too_many)?;
        let mut outputs = vec![];
        for (at, &kind) in results.iter().enumerate() {
            outputs.push(Output::new(kind, if at < self.first { 0 } else { count }).ok_or_else(too_many)?);
        }
        let outputs = {
            let views: Vec<View<'_>> = inputs.iter().map(Input::view).collect();
            let wide: Vec<View<'_>> = views.iter().map(|view| view.broadcast(&shape)).collect();
            let mut elements: Vec<Elements<'_>> = wide.iter().map(View::elements).collect();
            let outputs = guarded(py, || self.run(&mut elements, outputs, count))?;
            outputs.map_err(|ended| match ended {
                Ended::Error(error) => raise(py, &error),
                Ended::Exception(exception) => exception,
            })?
        };
        let mut values = vec![];
        for output in outputs.into_iter().skip(self.first) {
            values.push(if shape.is_empty() { output.into_number(py)? } else { output.into_array(py, &shape)? });
        }
        Ok(match values.len() {
            0 => None,
            1 => values.pop(),
            _ => Some(PyTuple::new(py, values)?.into_any()),
        })
    }

    /// Its name.
    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    /// Types of its parameters and results, such as `(float64, float64) -> float64`.
    #[getter]
    fn signature(&self) -> String {
        let (Some(params), Some(results)) = (&self.params, &self.results) else { return self.ty.clone() };
        let list = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        let results = match &results[self.first.min(results.len())..] {
            [] => "None".to_owned(),
            [one] => one.name().to_owned(),
            many => format!("({})", list(many)),
        };
        format!("({}) -> {results}", list(params))
    }

    fn __repr__(&self) -> String {
        format!("<planish.Function {}{}>", self.name, self.signature())
    }
}

/// The reason why calls have ended.
enum Ended {
    /// Of the program.
    Error(planish::Error),
    /// Of Python: an interrupt.
    Exception(PyErr),
}

impl Function {
    /// Calls it for all elements, without the interpreter.
    fn run(&self, elements: &mut [Elements<'_>], mut outputs: Vec<Output>, count: usize) -> Result<Vec<Output>, Ended> {
        let mut arguments = vec![Val::I32(0); elements.len()];
        let mut results: Vec<Val> = outputs.iter().map(Output::zero).collect();
        let mut done = 0;
        while done < count {
            let until = count.min(done + CALLS_AT_A_TIME);
            {
                let mut instance = self.instance.lock().unwrap_or_else(PoisonError::into_inner);
                for _ in done..until {
                    for (argument, elements) in arguments.iter_mut().zip(elements.iter_mut()) {
                        *argument = elements.next();
                    }
                    instance.call_number(self.index, &arguments, &mut results).map_err(Ended::Error)?;
                    for (output, value) in outputs.iter_mut().zip(&results).skip(self.first) {
                        output.push(value);
                    }
                }
            }
            done = until;
            if done < count {
                // Without the lock: a handler of signals may call the function.
                Python::attach(|py| py.check_signals()).map_err(Ended::Exception)?;
            }
        }
        Ok(outputs)
    }
}

/// The shape that all shapes can be stretched to, as NumPy does.
fn broadcast<'s>(shapes: impl Iterator<Item = &'s [usize]> + Clone) -> PyResult<Vec<usize>> {
    let mut all: Vec<usize> = vec![1; shapes.clone().map(<[usize]>::len).max().unwrap_or(0)];
    for shape in shapes.clone() {
        for (size, &own) in all.iter_mut().rev().zip(shape.iter().rev()) {
            match (*size, own) {
                (before, own) if before == own || own == 1 => {}
                (1, own) => *size = own,
                _ => {
                    let shapes: Vec<String> = shapes.map(|shape| format!("{shape:?}")).collect();
                    let message = format!("the arguments have shapes that do not go together: {}", shapes.join(", "));
                    return Err(PyValueError::new_err(message));
                }
            }
        }
    }
    Ok(all)
}

/// An argument: a number, or an array that is read where it lies.
enum Input<'py> {
    Number(Val),
    /// Bytes, of which 0 is false.
    Bool(PyReadonlyArrayDyn<'py, u8>),
    Int32(PyReadonlyArrayDyn<'py, i32>),
    Int64(PyReadonlyArrayDyn<'py, i64>),
    Float32(PyReadonlyArrayDyn<'py, f32>),
    Float64(PyReadonlyArrayDyn<'py, f64>),
}

impl<'py> Input<'py> {
    fn of_array(array: &Bound<'py, PyUntypedArray>, what: &str, kind: Kind) -> PyResult<Self> {
        Ok(match kind {
            Kind::Bool => {
                // For the message, if it is none of booleans.
                readable::<bool>(array, what, "bool")?;
                let bytes = array.call_method1("view", ("uint8",))?.cast_into::<PyUntypedArray>()?;
                Input::Bool(readable(&bytes, what, "bool")?)
            }
            Kind::Int32 => Input::Int32(readable(array, what, kind.name())?),
            Kind::Int64 => Input::Int64(readable(array, what, kind.name())?),
            Kind::Float32 => Input::Float32(readable(array, what, kind.name())?),
            Kind::Float64 => Input::Float64(readable(array, what, kind.name())?),
        })
    }

    fn shape(&self) -> &[usize] {
        match self {
            Input::Number(_) => &[],
            Input::Bool(array) => array.shape(),
            Input::Int32(array) => array.shape(),
            Input::Int64(array) => array.shape(),
            Input::Float32(array) => array.shape(),
            Input::Float64(array) => array.shape(),
        }
    }

    fn view(&self) -> View<'_> {
        match self {
            Input::Number(value) => View::Number(*value),
            Input::Bool(array) => View::Bool(array.as_array()),
            Input::Int32(array) => View::Int32(array.as_array()),
            Input::Int64(array) => View::Int64(array.as_array()),
            Input::Float32(array) => View::Float32(array.as_array()),
            Input::Float64(array) => View::Float64(array.as_array()),
        }
    }
}

/// The same without the interpreter.
enum View<'a> {
    Number(Val),
    Bool(ArrayViewD<'a, u8>),
    Int32(ArrayViewD<'a, i32>),
    Int64(ArrayViewD<'a, i64>),
    Float32(ArrayViewD<'a, f32>),
    Float64(ArrayViewD<'a, f64>),
}

impl View<'_> {
    /// The same of a larger shape, in which elements are repeated.
    fn broadcast(&self, shape: &[usize]) -> View<'_> {
        fn wide<'a, T>(view: &'a ArrayViewD<'_, T>, shape: &[usize]) -> ArrayViewD<'a, T> {
            view.broadcast(IxDyn(shape)).expect("it goes together with the shape")
        }
        match self {
            View::Number(value) => View::Number(*value),
            View::Bool(view) => View::Bool(wide(view, shape)),
            View::Int32(view) => View::Int32(wide(view, shape)),
            View::Int64(view) => View::Int64(wide(view, shape)),
            View::Float32(view) => View::Float32(wide(view, shape)),
            View::Float64(view) => View::Float64(wide(view, shape)),
        }
    }

    fn elements(&self) -> Elements<'_> {
        match self {
            View::Number(value) => Elements::Number(*value),
            View::Bool(view) => Elements::Bool(view.iter()),
            View::Int32(view) => Elements::Int32(view.iter()),
            View::Int64(view) => Elements::Int64(view.iter()),
            View::Float32(view) => Elements::Float32(view.iter()),
            View::Float64(view) => Elements::Float64(view.iter()),
        }
    }
}

/// The elements of an argument, rows first.
enum Elements<'a> {
    Number(Val),
    Bool(Iter<'a, u8, IxDyn>),
    Int32(Iter<'a, i32, IxDyn>),
    Int64(Iter<'a, i64, IxDyn>),
    Float32(Iter<'a, f32, IxDyn>),
    Float64(Iter<'a, f64, IxDyn>),
}

impl Elements<'_> {
    fn next(&mut self) -> Val {
        fn take<T: Copy>(elements: &mut Iter<'_, T, IxDyn>) -> T {
            *elements.next().expect("as many as the shape has")
        }
        match self {
            Elements::Number(value) => *value,
            Elements::Bool(elements) => Val::I32(i32::from(take(elements) != 0)),
            Elements::Int32(elements) => Val::I32(take(elements)),
            Elements::Int64(elements) => Val::I64(take(elements)),
            Elements::Float32(elements) => Val::F32(take(elements).to_bits()),
            Elements::Float64(elements) => Val::F64(take(elements).to_bits()),
        }
    }
}

/// The values of a result.
enum Output {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
}

impl Output {
    /// Room for as many values; `None` if memory does not suffice.
    fn new(kind: Kind, count: usize) -> Option<Self> {
        fn room<T>(count: usize) -> Option<Vec<T>> {
            let mut values = vec![];
            values.try_reserve_exact(count).ok().map(|()| values)
        }
        Some(match kind {
            Kind::Bool => Output::Bool(room(count)?),
            Kind::Int32 => Output::Int32(room(count)?),
            Kind::Int64 => Output::Int64(room(count)?),
            Kind::Float32 => Output::Float32(room(count)?),
            Kind::Float64 => Output::Float64(room(count)?),
        })
    }

    fn zero(&self) -> Val {
        match self {
            Output::Bool(_) | Output::Int32(_) => Val::I32(0),
            Output::Int64(_) => Val::I64(0),
            Output::Float32(_) => Val::F32(0),
            Output::Float64(_) => Val::F64(0),
        }
    }

    fn push(&mut self, value: &Val) {
        match (self, value) {
            (Output::Bool(values), Val::I32(value)) => values.push(*value != 0),
            (Output::Int32(values), Val::I32(value)) => values.push(*value),
            (Output::Int64(values), Val::I64(value)) => values.push(*value),
            (Output::Float32(values), Val::F32(bits)) => values.push(f32::from_bits(*bits)),
            (Output::Float64(values), Val::F64(bits)) => values.push(f64::from_bits(*bits)),
            _ => unreachable!("results have the types of the function"),
        }
    }

    fn into_array<'py>(self, py: Python<'py>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
        fn array<'py, T: Element>(py: Python<'py>, values: Vec<T>, shape: &[usize]) -> Bound<'py, PyAny> {
            let array = ArrayD::from_shape_vec(IxDyn(shape), values).expect("as many as the shape has");
            array.into_pyarray(py).into_any()
        }
        Ok(match self {
            Output::Bool(values) => array(py, values, shape),
            Output::Int32(values) => array(py, values, shape),
            Output::Int64(values) => array(py, values, shape),
            Output::Float32(values) => array(py, values, shape),
            Output::Float64(values) => array(py, values, shape),
        })
    }

    /// The only value.
    fn into_number(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Output::Bool(values) => PyBool::new(py, values[0]).to_owned().into_any(),
            Output::Int32(values) => values[0].into_pyobject(py)?.into_any(),
            Output::Int64(values) => values[0].into_pyobject(py)?.into_any(),
            Output::Float32(values) => values[0].into_pyobject(py)?.into_any(),
            Output::Float64(values) => values[0].into_pyobject(py)?.into_any(),
        })
    }
}
