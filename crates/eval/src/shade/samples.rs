//! Several samples a pixel, each shaded.

use super::{DrawOptions, Image};

/// The places of four samples in a pixel, from its lower left corner: the standard ones of Direct3D and Vulkan.
pub const SAMPLES: [[f64; 2]; 4] = [[0.375, 0.875], [0.875, 0.625], [0.125, 0.375], [0.625, 0.125]];

/// A picture of which each pixel is the mean of four samples: of the values of the output, before they are rounded to bytes. A sample
/// that is discarded counts as zero. Each sample is a drawing of its own, which finds buffers as they are at first.
///
/// ```
/// use planish_eval::shade::{DrawOptions, Image, multisampled};
///
/// let options = DrawOptions { size: [1, 1], ..DrawOptions::default() };
/// let draw = |options: &DrawOptions<'_>| {
///     let x = options.sample.expect("it is given") as f32;
///     Ok::<_, ()>(Image::new([1, 1], vec![[x, 1.0, 0.0, 1.0]]))
/// };
/// assert_eq!(multisampled(&options, draw).unwrap().float, [[1.5, 1.0, 0.0, 1.0]]);
/// ```
///
/// # Errors
/// Those of `draw`.
pub fn multisampled<E>(
    options: &DrawOptions<'_>,
    mut draw: impl FnMut(&DrawOptions<'_>) -> Result<Image, E>,
) -> Result<Image, E> {
    let mut sums: Vec<[f32; 4]> = Vec::new();
    let mut size = [0; 2];
    for sample in 0..SAMPLES.len() {
        let image = draw(&DrawOptions { sample: Some(sample), ..options.clone() })?;
        size = [image.width, image.height];
        sums.resize(image.float.len(), [0.0; 4]);
        for (sum, pixel) in sums.iter_mut().flatten().zip(image.float.iter().flatten()) {
            *sum += pixel;
        }
    }
    sums.iter_mut().flatten().for_each(|sum| *sum /= SAMPLES.len() as f32);
    Ok(Image::new(size, sums))
}
