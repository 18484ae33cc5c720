//! Pictures of fragment shaders.

use std::sync::Arc;

use numpy::ndarray::{Array3, ArrayViewD};
use numpy::{IntoPyArray, PyUntypedArray, PyUntypedArrayMethods};
use planish::eval::shade::{DrawOptions, TextureBinding};
use planish::eval::texture::{SamplerState, TextureData};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use crate::arrays::{array, readable};
use crate::error::{guarded, raise, type_name};

/// Pixels of a picture, or texels of a texture, in each direction.
const MOST: usize = 16384;

/// The arguments of a drawing.
pub(crate) struct DrawArguments<'a, 'py> {
    pub(crate) size: &'a Bound<'py, PyAny>,
    pub(crate) time: f32,
    pub(crate) frame: u32,
    pub(crate) mouse: Option<Vec<f32>>,
    pub(crate) textures: Option<&'a Bound<'py, PyDict>>,
    pub(crate) output: Option<String>,
    /// Of the argument `uniforms`, and by their names.
    pub(crate) uniforms: [Option<&'a Bound<'py, PyDict>>; 2],
}

/// Draws a program: an array `planish.Picture`.
pub(crate) fn draw<'py>(
    py: Python<'py>,
    program: &planish::Program,
    arguments: DrawArguments<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    static PICTURE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let options = arguments.options()?;
    let image = guarded(py, || program.draw(&options))?.map_err(|error| raise(py, &error))?;
    let shape = (image.height as usize, image.width as usize, 4);
    let array = Array3::from_shape_vec(shape, image.float.into_flattened()).expect("four floats a pixel");
    let class = PICTURE.import(py, "planish._picture", "Picture")?;
    array.into_pyarray(py).call_method1("view", (class,))
}

impl DrawArguments<'_, '_> {
    fn options(self) -> PyResult<DrawOptions<'static>> {
        let mut options =
            DrawOptions { time: self.time, frame: self.frame, output: self.output, ..DrawOptions::default() };
        options.size = size(self.size)?;
        options.mouse = match self.mouse.as_deref() {
            None => [0.0; 4],
            Some(&[x, y]) => [x, y, 0.0, 0.0],
            Some(&[x, y, click_x, click_y]) => [x, y, click_x, click_y],
            Some(other) => {
                let message =
                    format!("`mouse` has 2 or 4 numbers, x and y in pixels from the lower left, not {}", other.len());
                return Err(PyValueError::new_err(message));
            }
        };
        for (name, value) in self.uniforms.into_iter().flatten().flatten() {
            let name: String = name.extract().map_err(|_| PyTypeError::new_err("names of uniforms are str"))?;
            if options.uniforms.iter().any(|(known, _)| *known == name) {
                return Err(PyTypeError::new_err(format!("the uniform `{name}` is given twice")));
            }
            let value = components(&name, &value)?;
            options.uniforms.push((name, value));
        }
        for (name, value) in self.textures.into_iter().flatten() {
            let name: String = name.extract().map_err(|_| PyTypeError::new_err("names of textures are str"))?;
            let Some(array) = array(&value) else {
                let given = type_name(&value);
                return Err(PyTypeError::new_err(format!("the texture `{name}` is a NumPy array, not {given}")));
            };
            let texture = Arc::new(texture(&name, array)?.with_mipmaps(false));
            options.textures.push(TextureBinding { name, texture, sampler: SamplerState::default() });
        }
        Ok(options)
    }
}

fn size(of: &Bound<'_, PyAny>) -> PyResult<[u32; 2]> {
    let (width, height): (i64, i64) = of
        .extract()
        .map_err(|_| PyTypeError::new_err("`size` is a tuple of width and height in pixels, such as (640, 360)"))?;
    let side = |side: i64| u32::try_from(side).ok().filter(|side| (1..=MOST as u32).contains(side));
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok([width, height]),
        _ => Err(PyValueError::new_err(format!(
            "{width}x{height} is no size of a picture: each of the two is from 1 to {MOST}"
        ))),
    }
}

/// The components of a uniform: a number, a bool, or a sequence of them.
fn components(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    if array(value).is_some_and(|array| array.ndim() > 1) {
        return Err(PyTypeError::new_err(format!(
            "the uniform `{name}` takes its components in one row: of an array of vectors `.ravel()`, of a matrix `.T.ravel()`, as its \
             columns go one after the other"
        )));
    }
    let one = value.extract::<f64>().map(|one| vec![one]);
    one.or_else(|_| value.extract::<Vec<f64>>()).map_err(|_| {
        let given = type_name(value);
        PyTypeError::new_err(format!("the uniform `{name}` takes a number or a sequence of numbers, not {given}"))
    })
}

/// A texture of rows from the top: of the shape (height, width), or (height, width, components).
fn texture(name: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<TextureData> {
    let shape = array.shape();
    let side = |side: usize| (1..=MOST).contains(&side);
    let (height, width, count) = match *shape {
        [height, width] if side(height) && side(width) => (height, width, None),
        [height, width, count @ 1..=4] if side(height) && side(width) => (height, width, Some(count)),
        _ => {
            return Err(PyValueError::new_err(format!(
                "the texture `{name}` has the shape (height, width) or (height, width, 1 to 4), with at most {MOST} rows and columns, not {shape:?}"
            )));
        }
    };
    let texels = Texels { width, height, count };
    let what = format!("the texture `{name}`");
    if let Ok(bytes) = readable::<u8>(array, &what, "uint8") {
        return Ok(texels.read(&bytes.as_array(), |byte| f32::from(byte) / 255.0));
    }
    let floats = readable::<f32>(array, &what, "float32, or of uint8,")?;
    Ok(texels.read(&floats.as_array(), |float| float))
}

/// The form of an array of texels.
struct Texels {
    width: usize,
    height: usize,
    /// `None`: no dimension of its own.
    count: Option<usize>,
}

impl Texels {
    fn read<T: Copy>(&self, array: &ArrayViewD<'_, T>, to_float: impl Fn(T) -> f32) -> TextureData {
        let size = [self.width as u32, self.height as u32];
        TextureData::from_rows(size, self.count.unwrap_or(1), |row, column, component| match self.count {
            None => to_float(array[[row, column].as_slice()]),
            Some(_) => to_float(array[[row, column, component].as_slice()]),
        })
    }
}
