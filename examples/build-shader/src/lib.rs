//! A shader in WGSL as a function of Rust, which `build.rs` has made of it: no compiler, no device and no unsafe code. From the same source, WGSL
//! and SPIR-V for devices.
//!
//! ```
//! let picture = build_shader::draw([64, 48], 1.5);
//! assert!(picture.iter().all(|color| color[3] == 1.0));
//! ```

#[cfg(feature = "gpu")]
mod options;

mod shaders {
    include!(concat!(env!("OUT_DIR"), "/shaders.rs"));
}

/// The functions of the shader, and the same in WGSL and SPIR-V.
pub use shaders::rings::{SPIRV, WGSL, rust as rings};

/// Draws a picture on the processor: the color of each pixel, rows from the top.
pub fn draw(size: [u32; 2], time: f32) -> Vec<[f32; 4]> {
    let [width, height] = size.map(|n| n as f32);
    let uniforms = rings::MainUniforms { params: rings::Params { resolution: [width, height], time } };
    // (`y` is counted from below.)
    let rows = (0..size[1]).rev();
    let pixels = rows.flat_map(|y| (0..size[0]).map(move |x| [x as f32 + 0.5, y as f32 + 0.5, 0.5, 1.0]));
    pixels.map(|at| rings::main(&uniforms, &rings::MainInputs { gl_frag_coord: at }).out_0).collect()
}

/// Draws the picture on a device, with the WGSL.
///
/// # Errors
/// If there is no device of the name, or it fails.
#[cfg(feature = "gpu")]
pub fn draw_on_device(name: Option<&str>, size: [u32; 2], time: f32) -> Result<Vec<[f32; 4]>, planish::gpu::GpuError> {
    let device = planish::gpu::Gpu::open(name)?;
    let module = planish::Compiler::default().compile("rings.wgsl", WGSL).module.expect("what is written is valid");
    Ok(planish::gpu::draw(&device, &module, &options::options(size, time))?.float)
}

/// The greatest difference of two pictures in a component.
pub fn difference(a: &[[f32; 4]], b: &[[f32; 4]]) -> f32 {
    let parts = a.iter().flatten().zip(b.iter().flatten());
    parts.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
