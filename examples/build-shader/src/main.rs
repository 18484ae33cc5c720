//! Draws the shader on the processor, and writes the picture as PPM to standard output. With the feature `gpu`, a device draws it, too,
//! and the difference is reported.

use std::io::{Write as _, stdout};

const SIZE: [u32; 2] = [480, 270];
const TIME: f32 = 2.75;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let picture = build_shader::draw(SIZE, TIME);
    #[cfg(feature = "gpu")]
    {
        let on_device = build_shader::draw_on_device(None, SIZE, TIME)?;
        eprintln!("greatest difference from the device: {}", build_shader::difference(&picture, &on_device));
    }
    let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
    let bytes: Vec<u8> = picture.iter().flat_map(|color| [byte(color[0]), byte(color[1]), byte(color[2])]).collect();
    let mut out = stdout().lock();
    write!(out, "P6\n{} {}\n255\n", SIZE[0], SIZE[1])?;
    Ok(out.write_all(&bytes)?)
}
