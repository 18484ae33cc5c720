//! Results of a shader, bit by bit: the pixels of every output of a fragment shader, the outputs of a vertex shader.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use planish::eval::Limits;
use planish::eval::shade::{
    DrawOptions, ShadeError, UniformInput, VertexOptions, draw, fragment_outputs, inputs, run_vertex, uniform_values,
};
use planish::ir::function::Form;
use planish::ir::types::{AddressSpace, Scalar};
use planish::module::{Language, Module, Stage};

/// Width and height: a few quads of derivatives, in every half of the picture.
const SIZE: [u32; 2] = [8, 6];
/// Pixels of a picture.
const PIXELS: usize = (SIZE[0] * SIZE[1]) as usize;
/// Vertices, all different.
const VERTICES: u32 = 6;
/// Maximum number of operations of one square of fragments, beyond which the shader is not drawn.
const STEPS: u64 = 3_000_000;

/// Every component of every pixel or output; all NaNs are equal.
pub(crate) type Picture = Vec<u64>;

/// The outputs to compare: those of a fragment shader that are written before optimization.
pub(super) fn outputs(module: &Module) -> Vec<Option<String>> {
    let names: Vec<Option<String>> = fragment_outputs(module).into_iter().map(Some).collect();
    // Without outputs, discarded pixels are still visible.
    if names.is_empty() { vec![None] } else { names }
}

/// With which uniforms the shader runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Uniforms<'a> {
    /// Those of a meaningful picture (`docs/drawing.md`).
    Usual,
    /// Others, near those, so that other branches are taken.
    Shifted,
    /// The usual ones of a module that declares them with other types.
    Of(&'a Module),
}

/// Runs the shader.
///
/// # Errors
/// Why it cannot be run.
pub(super) fn picture(module: &Module, outputs: &[Option<String>], uniforms: Uniforms<'_>) -> Result<Picture, String> {
    if module.funcs.values().any(|f| f.body.as_ref().is_some_and(|body| body.form == Form::Floating)) {
        return Err("nodes float: the schedule has not placed them".into());
    }
    let limits = Limits { steps: STEPS, ..Limits::default() };
    let mut options = DrawOptions { size: SIZE, threads: 1, time: 1.5, limits, ..DrawOptions::default() };
    match uniforms {
        Uniforms::Usual => {}
        Uniforms::Shifted => options.uniforms = shifted(module, &options)?,
        Uniforms::Of(other) => options.uniforms = usual_of(other, module, &options)?,
    }
    if module.entry_point(Some(Stage::Fragment)).is_some() {
        return pixels(module, outputs, &options);
    }
    let attributes = attributes(module);
    let options = VertexOptions { common: options, count: VERTICES, instance: 1, attributes };
    let vertices = run_vertex(module, &options).map_err(|e| e.to_string())?;
    // By name: other compilers declare outputs in another order, and all of `gl_PerVertex` where one member is used, of which what is
    // written again has those that something stores to.
    let mut by_name: BTreeMap<String, Picture> = BTreeMap::new();
    for output in vertices.into_iter().flatten() {
        let scalar = module.types.scalar_of(output.value.ty);
        by_name
            .entry(output.name)
            .or_default()
            .extend(output.value.bits.into_iter().map(|bits| canonical(scalar, bits)));
    }
    let is_written = |(name, bits): &(String, Picture)| !name.starts_with("gl_") || bits.iter().any(|&bits| bits != 0);
    Ok(by_name.into_iter().filter(is_written).flat_map(|(_, bits)| bits).collect())
}

fn pixels(module: &Module, outputs: &[Option<String>], options: &DrawOptions<'_>) -> Result<Picture, String> {
    let bits = |x: &f32| u64::from(if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() });
    let is_read = module.language == Language::Spirv;
    let mut picture = vec![];
    for output in outputs {
        match draw(module, &DrawOptions { output: output.clone(), ..options.clone() }) {
            Ok(image) => picture.extend(image.float.iter().flatten().map(bits)),
            // SPIR-V has no output that nothing stores to; it is as if it were zero. (A pass must leave it.)
            Err(ShadeError::UnknownName { name, .. }) if is_read && Some(&name) == output.as_ref() => {
                picture.resize(picture.len() + PIXELS * 4, 0);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(picture)
}

fn canonical(scalar: Option<Scalar>, bits: u64) -> u64 {
    match scalar {
        Some(Scalar::F32) if f32::from_bits(bits as u32).is_nan() => f32::NAN.to_bits().into(),
        Some(Scalar::F64) if f64::from_bits(bits).is_nan() => f64::NAN.to_bits(),
        _ => bits,
    }
}

/// The uniforms of the module, each slightly off its usual value. The offset depends on the name alone, so that a
/// module that has lost a uniform has the same values for the others.
fn shifted(module: &Module, options: &DrawOptions<'_>) -> Result<Vec<(String, Vec<f64>)>, String> {
    let usual = inputs(module, options).map_err(|e| e.to_string())?.uniforms;
    let shift = |uniform: UniformInput| {
        let mut noise = noise_of(&uniform.name);
        let off = |(x, by): (f64, f64)| match uniform.scalar {
            Scalar::Bool => 1.0 - x,
            Scalar::F16 | Scalar::F32 | Scalar::F64 => x + by,
            _ => x + f64::from(by > 0.0),
        };
        let values = uniform.values.iter().map(|&x| off((x, noise()))).collect();
        (uniform.name, values)
    };
    // Opaque ones have no values.
    Ok(usual.into_iter().filter(|u| !u.values.is_empty()).map(shift).collect())
}

/// The usual values of uniforms of one module for those of another, where they may be numbers instead of truth values.
fn usual_of(from: &Module, to: &Module, options: &DrawOptions<'_>) -> Result<Vec<(String, Vec<f64>)>, String> {
    let [from, to] = [from, to].map(|module| uniform_values(module, options).map_err(|e| e.to_string()));
    let (from, to) = (from?, to?);
    let is_known = |name: &str| to.iter().any(|u| u.name == name);
    Ok(from.into_iter().filter(|u| is_known(&u.name)).map(|u| (u.name, u.values)).collect())
}

/// The same numbers for every variable of a name.
fn noise_of(name: &str) -> impl FnMut() -> f64 + use<> {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    noise(hasher.finish() as u32)
}

/// Numbers between -1 and 1, with 0 among them.
fn noise(mut state: u32) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from((state >> 24) as i32 - 128) / 128.0
    }
}

/// Values between -1 and 1 for every attribute, another for each vertex and component, with 0 and whole numbers among
/// them.
fn attributes(module: &Module) -> Vec<(String, Vec<f64>)> {
    let inputs = module.vars.values().filter(|v| v.space == AddressSpace::Input && v.decorations.builtin().is_none());
    let values = |name: &str| {
        let mut next = noise_of(name);
        (0..VERTICES * 16).map(|_| next()).collect()
    };
    inputs.map(|var| (var.name.text.to_string(), values(&var.name.text))).collect()
}
