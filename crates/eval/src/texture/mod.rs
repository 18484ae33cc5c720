//! Textures, samplers and storage images.

mod data;
mod sample;
mod storage;

use std::sync::Arc;

pub use data::TextureData;
pub use storage::StorageImage;

pub(crate) use sample::{Lod, Query, Sampling, fetch, gather, query_lod, sample};

/// The texels of a texture. Any source of them can be sampled: a file, a function, another program's output.
pub trait Texture: Send + Sync {
    /// Number of levels, at least one. Each is half the size of the one before, rounded down, at least one.
    fn levels(&self) -> u32;
    /// Width, height, and depth or number of layers of a level. A cube has six layers (+x -x +y -y +z -z), an array of
    /// cubes six for each.
    fn size(&self, level: u32) -> [u32; 3];
    /// The texel at a place that lies within the level: four components, each the bits of an `f32`, or of an `i32` or
    /// `u32` for integer textures. The first row is that of the smallest `v`.
    fn texel(&self, at: [u32; 3], level: u32) -> [u32; 4];
}

/// Between texels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// The nearest.
    Nearest,
    /// A mean weighted by nearness.
    Linear,
}

/// Outside 0 to 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The texel at the edge.
    Clamp,
    /// The texture again.
    Repeat,
    /// The texture again, every second time mirrored.
    Mirror,
    /// Zero.
    Border,
}

/// How a depth is compared with the texel's: `compare(depth, texel)`.
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

/// How a texture is sampled.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SamplerState {
    /// Where a texel covers more than a pixel.
    pub magnify: Filter,
    /// Where a texel covers less than a pixel.
    pub minify: Filter,
    /// Between levels; `None`: the first level only.
    pub mipmap: Option<Filter>,
    /// Along each axis.
    pub wrap: [Wrap; 3],
    /// For shadow samplers.
    pub compare: Comparison,
}

impl Default for SamplerState {
    /// Linear in all ways, repeating, less-or-equal.
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

/// What a module's handles name. A handle is a word: the texture's number, and (combined) the sampler's above it.
#[derive(Clone)]
pub(crate) struct Textures {
    images: Vec<Arc<dyn Texture>>,
    samplers: Vec<SamplerState>,
    pub(crate) storage: Vec<StorageImage>,
}

impl Default for Textures {
    /// Number zero of everything: one opaque black texel, the default sampler, no storage.
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

    /// The texture of a handle; the black one for a word that is none.
    pub(crate) fn image(&self, handle: u64) -> &dyn Texture {
        let index = (handle & 0xffff_ffff) as usize;
        &**self.images.get(index).unwrap_or(&self.images[0])
    }

    /// The sampler of a combined handle.
    pub(crate) fn sampler(&self, handle: u64) -> SamplerState {
        self.samplers.get((handle >> SAMPLER_SHIFT) as usize).copied().unwrap_or_default()
    }
}
