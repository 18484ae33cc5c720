//! Textures in the memory of the machine, for the shaders that sample them there ([`planish_opt::sample_textures`]).

use std::sync::Arc;

use planish_eval::shade::{DrawOptions, TextureUse, texture, textures};
use planish_eval::texture::{SamplerState, Texture};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Type, Var};
use planish_ir::module::Module;
use planish_ir::types::{AddressSpace, Dim, Scalar, TypeKind};
use planish_opt::sample_textures::{self, Texels};

/// Texels with all levels of a texture that is copied to memory; greater ones are sampled by the host. 16 bytes each, on every thread.
const MAX_TEXELS: u64 = 1 << 20;

/// The texture of a variable: what was given, or `None` for the default.
pub(super) type Source = (Var, Option<(Arc<dyn Texture>, SamplerState)>);

/// The textures of a drawing.
pub(super) fn sources(module: &Module, options: &DrawOptions<'_>) -> Vec<Source> {
    let given = |of: TextureUse| of.given.map(|_| texture(module, options, of.var, 0));
    textures(module, options).into_iter().map(|of| (of.var, given(of))).collect()
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
pub(super) fn copy(module: &mut Module, source: &Module, options: &DrawOptions<'_>, is_exact: bool) -> Vec<Copied> {
    let mut copied = Vec::new();
    let mut pass = sample_textures::Options { single: !is_exact, ..Default::default() };
    for of in textures(source, options) {
        let is_plain = source.types.as_image(source.vars[of.var].ty).is_some_and(|image| {
            image.dim == Dim::D2 && !image.arrayed && !image.shadow && image.sampled == Scalar::F32
        });
        if !is_plain || !module.is_named(of.var) {
            continue;
        }
        let (texture, state) = texture(source, options, of.var, 0);
        let Some((sizes, bytes)) = bytes(&*texture) else { continue };
        let array = module.types.array(Type::VEC4, bytes.len() as u32 / 16);
        let name = Name::new("texels", NameSource::Internal);
        let texels = module.add_var(name, array, AddressSpace::Uniform);
        if !module.globals.contains(&texels) {
            module.globals.push(texels);
        }
        copied.push(Copied { texels, bytes });
        pass.textures.push(Texels { var: of.var, texels, sizes, sampler: state });
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
fn bytes(texture: &dyn Texture) -> Option<(Vec<[u32; 2]>, Vec<u8>)> {
    let levels = texture.levels().max(1);
    let sizes: Vec<[u32; 2]> = (0..levels.min(32)).map(|level| [0, 1].map(|axis| texture.size(level)[axis])).collect();
    let counts = || sizes.iter().map(|&[width, height]| u64::from(width) * u64::from(height));
    if levels > 32 || counts().any(|count| count == 0) || counts().sum::<u64>() > MAX_TEXELS {
        return None;
    }
    let mut words: Vec<u32> = Vec::new();
    let mut start = u64::from(levels);
    for (&[width, height], count) in sizes.iter().zip(counts()) {
        words.extend([width as f32, height as f32, start as f32, 0.0].map(f32::to_bits));
        start += count;
    }
    for (level, &[width, height]) in (0..).zip(&sizes) {
        for y in 0..height {
            (0..width).for_each(|x| words.extend(texture.texel([x, y, 0], level)));
        }
    }
    Some((sizes, words.into_iter().flat_map(u32::to_le_bytes).collect()))
}
