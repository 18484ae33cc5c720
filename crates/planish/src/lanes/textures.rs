//! Textures in the memory of the machine, for the shaders that sample them there ([`planish_opt::sample_textures`]).

use std::sync::Arc;

use planish_eval::shade::{DrawOptions, TextureUse, texture, textures};
use planish_eval::texture::{SamplerState, Texture};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Type, Var};
use planish_ir::module::{Module, Stage};
use planish_ir::types::{AddressSpace, Dim, ImageType, Scalar, TypeKind};
use planish_opt::sample_textures::{self, Texels};

/// Texels with all levels of a texture that is copied to memory; greater ones are sampled by the host. 16 bytes each, on every thread.
const MAX_TEXELS: u64 = 1 << 20;
/// The same of all textures together.
const MAX_ALL_TEXELS: u64 = 1 << 22;

/// The texture of a variable or of an element of it: what was given, or `None` for the default.
pub(super) type Source = ((Var, usize), Option<(Arc<dyn Texture>, SamplerState)>);

/// The textures of a drawing.
pub(super) fn sources(module: &Module, options: &DrawOptions<'_>) -> Vec<Source> {
    let given = |of: TextureUse| of.given.map(|_| texture(module, options, of.var, of.element));
    textures(module, options).into_iter().map(|of| ((of.var, of.element), given(of))).collect()
}

/// Whether the textures are the same objects.
pub(super) fn is_same(one: &[Source], other: &[Source]) -> bool {
    let is_same = |(x, y): (&Source, &Source)| match (&x.1, &y.1) {
        (None, None) => x.0 == y.0,
        (Some(a), Some(b)) => x.0 == y.0 && Arc::ptr_eq(&a.0, &b.0) && a.1 == b.1,
        _ => false,
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

/// A texture in memory.
pub(super) struct Copied {
    /// The array that the shader reads.
    pub(super) texels: Var,
    pub(super) bytes: Vec<u8>,
}

/// Has the textures of a module sampled in memory, as far as they can be; returns those.
pub(super) fn copy(
    module: &mut Module,
    source: &Module,
    options: &DrawOptions<'_>,
    (is_exact, stage): (bool, Stage),
) -> Vec<Copied> {
    let mut copied = Vec::new();
    let has_implicit_levels = stage == Stage::Fragment;
    let mut pass = sample_textures::Options { single: !is_exact, has_implicit_levels, ..Default::default() };
    let mut left = MAX_ALL_TEXELS;
    for of in textures(source, options) {
        let is_sampled = matches!(of.image.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube) && !of.image.multisampled;
        if !is_sampled || !module.is_named(of.var) {
            continue;
        }
        let (texture, state) = texture(source, options, of.var, of.element);
        let Some((sizes, bytes)) = bytes(&*texture, of.image, left) else { continue };
        left -= bytes.len() as u64 / 16;
        let element = module.types.vector(of.image.sampled, 4);
        let array = module.types.array(element, bytes.len() as u32 / 16);
        let name = Name::new("texels", NameSource::Internal);
        let texels = module.add_var(name, array, AddressSpace::Uniform);
        copied.push(Copied { texels, bytes });
        let element = of.element as u32;
        pass.textures.push(Texels { var: of.var, element, image: of.image, texels, sizes, sampler: state });
    }
    let is_sampler = |&(_, data): &(Var, _)| matches!(module.types[ty_of(data)], TypeKind::Sampler { .. });
    let samplers = module.vars.iter().filter(is_sampler).map(|(var, _)| (var, SamplerState::default()));
    pass.samplers = samplers.collect();
    sample_textures::run(module, &pass);
    copied
}

fn ty_of(data: &planish_ir::module::VarData) -> Type {
    data.ty
}

/// The sizes of the levels, and the bytes of the array; `None` if there are too many.
fn bytes(texture: &dyn Texture, image: ImageType, left: u64) -> Option<(Vec<[u32; 3]>, Vec<u8>)> {
    let levels = texture.levels().max(1);
    let sizes: Vec<[u32; 3]> = (0..levels.min(32)).map(|level| texture.size(level)).collect();
    let counts = || sizes.iter().map(|size| size.iter().map(|&extent| u64::from(extent)).product::<u64>());
    let is_whole = image.dim != Dim::Cube || sizes[0][2].is_multiple_of(6);
    if levels > 32 || !is_whole || counts().any(|count| count == 0) || counts().sum::<u64>() > MAX_TEXELS.min(left) {
        return None;
    }
    let mut words: Vec<u32> = Vec::new();
    let mut start = u64::from(levels);
    for (&[width, height, depth], count) in sizes.iter().zip(counts()) {
        let numbers = [width, height, depth, start as u32];
        // (Below 2^24, as all numbers of texels are.)
        words.extend(numbers.map(|n| if image.sampled == Scalar::F32 { (n as f32).to_bits() } else { n }));
        start += count;
    }
    for (level, &[width, height, depth]) in (0..).zip(&sizes) {
        for z in 0..depth {
            for y in 0..height {
                (0..width).for_each(|x| words.extend(texture.texel([x, y, z], level)));
            }
        }
    }
    Some((sizes, words.into_iter().flat_map(u32::to_le_bytes).collect()))
}
