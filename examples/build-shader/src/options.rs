//! Options of the evaluator and of devices. The test has them, too.

use planish::eval::shade::DrawOptions;

/// The options with which they draw the picture of the function.
pub(crate) fn options(size: [u32; 2], time: f32) -> DrawOptions<'static> {
    let [width, height] = size.map(f64::from);
    let uniforms = [("params.resolution", vec![width, height]), ("params.time", vec![f64::from(time)])];
    let uniforms = uniforms.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
    DrawOptions { size, uniforms, ..DrawOptions::default() }
}
