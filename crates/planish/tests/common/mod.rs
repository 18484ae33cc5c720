//! Support of tests that compare pictures: compiling and drawing.

pub(crate) mod seeds;

use planish::Compiler;
use planish::eval::shade::{DrawOptions, draw};
use planish::module::Module;

/// A picture that a program draws: the bits of every component of every pixel.
pub(crate) type Picture = Vec<[u32; 4]>;

/// Compiles a program that is named so; its errors as text.
pub(crate) fn compile(name: &str, source: impl AsRef<[u8]>) -> Result<Module, String> {
    let mut compiler = Compiler::default();
    let compilation = compiler.compile(name, source);
    let errors: Vec<String> = compilation
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| planish::render::short(d, &compiler.map))
        .collect();
    compilation.module.ok_or_else(|| errors.join(""))
}

/// Draws a picture.
pub(crate) fn picture(module: &Module, size: [u32; 2]) -> Result<Picture, String> {
    // The uniforms of every program, at values that take different branches.
    let options = DrawOptions { size, threads: 1, time: 0.7, ..DrawOptions::default() };
    let image = draw(module, &options).map_err(|e| e.to_string())?;
    // A NaN is a NaN: which one it is, the language does not say.
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    Ok(image.float.iter().map(|p| p.map(bits)).collect())
}
