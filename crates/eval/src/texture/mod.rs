//! Textures, samplers and storage images.

mod data;
mod storage;

use std::sync::Arc;

pub use data::TextureData;
pub use planish_ir::texture::{Comparison, Filter, SamplerState, Texture, Wrap};
pub use storage::StorageImage;

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
