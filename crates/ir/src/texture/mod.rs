//! Textures, samplers, and the texture ops of several invocations: coordinates to texels to filtered colours.
//!
//! The evaluator, the runtime of object files and (as code of the IR) `planish_opt::sample_textures` follow these rules.

mod call;
mod ops;
mod sample;

pub use call::{Call, Handle};
pub use ops::{Operands, evaluate, size};
pub use sample::Sampling;

/// A source of texels: a file, a function, another program's output.
pub trait Texture: Send + Sync {
    /// Number of levels, at least one. Each is half the size of the one before, rounded down, at least one.
    fn levels(&self) -> u32;
    /// Width, height, and depth or number of layers of a level. A cube has six layers (+x -x +y -y +z -z), an array of
    /// cubes six for each.
    fn size(&self, level: u32) -> [u32; 3];
    /// The texel at a position within the level: four components, each the bits of an `f32`, or of an `i32` or `u32`
    /// for integer textures. The first row has the smallest `v`.
    fn texel(&self, at: [u32; 3], level: u32) -> [u32; 4];
}

/// Filter between texels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Filter {
    /// The nearest.
    Nearest,
    /// Linear interpolation.
    Linear,
}

/// Wrapping of coordinates outside of 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wrap {
    /// Clamped to the edge.
    Clamp,
    /// Repeated.
    Repeat,
    /// Repeated, with every second repetition mirrored.
    Mirror,
    /// Zero.
    Border,
}

/// Comparison with the texel's depth: `compare(depth, texel)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// Never true.
    Never,
    /// `depth < texel`
    Less,
    /// `depth <= texel`
    LessEqual,
    /// `depth > texel`
    Greater,
    /// `depth >= texel`
    GreaterEqual,
    /// `depth == texel`
    Equal,
    /// `depth != texel`
    NotEqual,
    /// Always true.
    Always,
}

/// State of a sampler.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SamplerState {
    /// Filter for magnification: a texel covers more than a pixel.
    pub magnify: Filter,
    /// Filter for minification: a texel covers less than a pixel.
    pub minify: Filter,
    /// Filter between levels; `None`: the first level only.
    pub mipmap: Option<Filter>,
    /// Wrapping along each axis.
    pub wrap: [Wrap; 3],
    /// Comparison of shadow samplers.
    pub compare: Comparison,
}

impl Default for SamplerState {
    /// Linear filters, repeating, less-or-equal.
    fn default() -> Self {
        SamplerState {
            magnify: Filter::Linear,
            minify: Filter::Linear,
            mipmap: Some(Filter::Linear),
            wrap: [Wrap::Repeat; 3],
            compare: Comparison::LessEqual,
        }
    }
}
