//! A shader in WGSL as a function of Rust, which `build.rs` has made of it: no compiler, no device and no unsafe code. From the same source, WGSL
//! and SPIR-V for devices.
//!
//! ```
//! let picture = build_shader::draw([64, 48], 1.5);
//! assert!(picture.iter().all(|color| color[3] == 1.0));
//! ```

/// The functions of the shader, as [`planish::Target::Rust`] has them.
///
/// [`planish::Target::Rust`]: https://docs.rs/planish
pub mod rings {
    include!(concat!(env!("OUT_DIR"), "/rings.rs"));
}

/// The same shader in WGSL.
pub const WGSL: &str = include_str!(concat!(env!("OUT_DIR"), "/rings.wgsl"));

/// The same shader in SPIR-V.
pub const SPIRV: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/rings.spv"));

/// Draws a picture on the processor: the color of each pixel, rows from the top.
pub fn draw(size: [u32; 2], time: f32) -> Vec<[f32; 4]> {
    let [width, height] = size.map(|n| n as f32);
    let uniforms = rings::MainUniforms { params: rings::Params { resolution: [width, height], time } };
    let pixels = (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| [x as f32 + 0.5, y as f32 + 0.5, 0.5, 1.0]));
    pixels.map(|at| rings::main(&uniforms, &rings::MainInputs { at }).color).collect()
}

/// Draws the picture on a device, with the WGSL.
///
/// # Errors
/// If there is no device of the name, or it fails.
#[cfg(feature = "gpu")]
pub fn draw_on_device(name: Option<&str>, size: [u32; 2], time: f32) -> Result<Vec<[f32; 4]>, planish::gpu::GpuError> {
    let device = planish::gpu::Gpu::open(name)?;
    let module = planish::Compiler::default().compile("rings.wgsl", WGSL).module.expect("what is written is valid");
    Ok(planish::gpu::draw(&device, &module, &options(size, time))?.float)
}

/// The options with which the evaluator and devices draw the same picture.
#[cfg(any(feature = "gpu", test))]
fn options(size: [u32; 2], time: f32) -> planish::eval::shade::DrawOptions<'static> {
    let [width, height] = size.map(f64::from);
    let uniforms = [("params.resolution", vec![width, height]), ("params.time", vec![f64::from(time)])];
    let uniforms = uniforms.into_iter().map(|(name, values)| (name.to_owned(), values)).collect();
    planish::eval::shade::DrawOptions { size, uniforms, ..planish::eval::shade::DrawOptions::default() }
}

/// The greatest difference of two pictures in a component.
pub fn difference(a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    let parts = a.iter().flatten().zip(b.iter().flatten());
    parts.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use planish::eval::shade::draw as evaluate;

    use super::*;

    const SIZE: [u32; 2] = [80, 45];

    /// From the source, and from each of the files that the build script has written.
    #[test]
    fn the_function_draws_the_evaluators_picture() {
        let mut compiler = planish::Compiler::default();
        let source = compiler.compile("rings.wgsl", include_str!("rings.wgsl")).module.expect("valid");
        let wgsl = compiler.compile("written.wgsl", WGSL).module.expect("valid");
        let spirv = compiler.compile("written.spv", SPIRV).module.expect("valid");
        for time in [0.0, 2.75] {
            let picture = draw(SIZE, time);
            let expected = evaluate(&source, &options(SIZE, time)).expect("it is drawn").float;
            assert_eq!(picture, expected, "{time}");
            for module in [&wgsl, &spirv] {
                let expected = evaluate(module, &options(SIZE, time)).expect("it is drawn").float;
                assert!(difference(&picture, &expected) < 1e-5, "{time}");
            }
        }
        assert!(difference(&draw(SIZE, 0.0), &draw(SIZE, 2.75)) > 0.1, "it moves");
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn a_device_draws_the_same_picture() {
        let name = std::env::var("PLANISH_GPU").unwrap_or_else(|_| "llvmpipe".into());
        match draw_on_device(Some(&name), SIZE, 2.75) {
            Ok(picture) => {
                let most = difference(&picture, &draw(SIZE, 2.75));
                assert!(most < 1e-3, "{most}");
            }
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "CI has a software device, but {why}");
                eprintln!("SKIPPED: {why}");
            }
        }
    }
}
