//! Textures, samplers and storage images.

mod data;
mod sample;
mod storage;

use std::sync::Arc;

pub use data::TextureData;
pub use storage::StorageImage;

pub(crate) use sample::{Lod, Query, Sampling, fetch, gather, query_lod, sample};

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest.
    Nearest,
    /// Linear interpolation.
    Linear,
}

/// Wrapping of coordinates outside of 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Clone, Copy, PartialEq, Debug)]
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

/// Objects of a module's handles. A handle is a word: the index of the texture, and (combined) that of the sampler in
/// the high half.
#[derive(Clone)]
pub(crate) struct Textures {
    images: Vec<Arc<dyn Texture>>,
    samplers: Vec<SamplerState>,
    pub(crate) storage: Vec<StorageImage>,
}

impl Default for Textures {
    /// Index zero of each kind: one opaque black texel, the default sampler, no storage.
    fn default() -> Self {
        let black = TextureData::constant([0.0, 0.0, 0.0, 1.0]);
        Textures { images: vec![Arc::new(black)], samplers: vec![SamplerState::default()], storage: Vec::new() }
    }
}

const SAMPLER_SHIFT: u32 = 32;

impl Textures {
    pub(crate) fn add(&mut self, image: Arc<dyn Texture>) -> u64 {
        self.images.push(image);
        (self.images.len() - 1) as u64
    }

    pub(crate) fn add_sampler(&mut self, state: SamplerState) -> u64 {
        self.samplers.push(state);
        (self.samplers.len() - 1) as u64
    }

    pub(crate) fn add_storage(&mut self, image: StorageImage) -> u64 {
        self.storage.push(image);
        (self.storage.len() - 1) as u64
    }

    /// Texture and sampler as one handle.
    pub(crate) fn combine(image: u64, sampler: u64) -> u64 {
        image & 0xffff_ffff | sampler << SAMPLER_SHIFT
    }

    /// The texture of a handle; the black one for an invalid word.
    pub(crate) fn image(&self, handle: u64) -> &dyn Texture {
        let index = (handle & 0xffff_ffff) as usize;
        &**self.images.get(index).unwrap_or(&self.images[0])
    }

    /// The sampler of a combined handle.
    pub(crate) fn sampler(&self, handle: u64) -> SamplerState {
        self.samplers.get((handle >> SAMPLER_SHIFT) as usize).copied().unwrap_or_default()
    }
}
