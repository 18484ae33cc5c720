//! Textures, samplers and storage images.

use planish_back_shading::globals::Leaf;
use planish_back_shading::ops::whole_texel;
use planish_back_shading::texture::{
    Level, Sample, constant_offset, coordinate, each, refuse, sampler_of, texture_of, warn,
};
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_interface::Implicit;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::ops::TextureFlags;
use planish_ir::types::{Dim, ImageType, Scalar};

use crate::language::Lower;

fn level(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value]) -> Option<Level> {
    if flags.has(TextureFlags::MIN_LOD) {
        return refuse(l, Code::E0605, "WGSL has no lower bound of the level");
    }
    if let Some(i) = flags.operand(TextureFlags::GRAD) {
        if image.shadow {
            return refuse(l, Code::E0605, "a shadow sampler with given derivatives is not supported");
        }
        let (x, y) = (l.stable_operand(args[i]), l.stable_operand(args[i + 1]));
        return Some(Level::Gradient(x, y));
    }
    if let Some(lod) = flags.operand(TextureFlags::LOD).map(|i| args[i]) {
        if image.shadow {
            let zero = lod.as_const().and_then(|c| l.w.module.consts.as_bits(c)) == Some(0);
            if !zero {
                return refuse(l, Code::E0605, "the level of a shadow sampler can only be 0 in WGSL");
            }
            return Some(Level::Zero);
        }
        return Some(Level::Exact(l.stable_operand(lod)));
    }
    let bias = flags.operand(TextureFlags::BIAS).map(|i| args[i]);
    match l.w.prepared.derivatives.of(l.func) {
        Implicit::Exist => {}
        Implicit::Missing => {
            let bias = bias.filter(|_| !image.shadow).map(|bias| l.stable_operand(bias));
            return Some(bias.map_or(Level::Zero, Level::Exact));
        }
        Implicit::Mixed => {
            let text =
                "a function that fragment shaders and other stages call cannot sample at an implicit level of detail";
            return refuse(l, Code::E0605, text);
        }
    }
    if let Some(bias) = bias {
        if image.shadow || image.dim == Dim::D1 {
            return refuse(l, Code::E0605, "WGSL has no level bias for this kind of sampler");
        }
        return Some(Level::Bias(l.stable_operand(bias)));
    }
    Some(Level::Auto)
}

pub(crate) fn sample(
    l: &mut Lower<'_, '_>,
    image: ImageType,
    flags: TextureFlags,
    args: &[Value],
    ty: Type,
) -> Option<Expr> {
    let (coordinate, layer, divisor) = coordinate(l, image, flags, args[1]);
    if image.sampled != Scalar::F32 {
        return sample_integers(l, image, flags, args, coordinate, layer);
    }
    let depth = flags.operand(TextureFlags::COMPARE).map(|i| {
        let depth = l.operand(args[i]);
        match divisor {
            Some(q) => l.w.tree.infix(Infix::Div, depth, q),
            None => depth,
        }
    });
    let offset = constant_offset(l, flags, args)?;
    let level = level(l, image, flags, args)?;
    let sample = Sample { image, coordinate, layer, offset, level, depth, gather: None };
    each(l, args[0], &mut |l, leaf| sample_one(l, leaf, &sample, ty))
}

pub(crate) fn sample_one(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample, ty: Type) -> Option<Expr> {
    let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
    let mut coordinate = sample.coordinate;
    if sample.image.dim == Dim::Rect {
        let size = l.w.tree.builtin("textureDimensions", &[texture]);
        let ty = l.w.vector_type(Scalar::F32, 2);
        let size = l.w.cast(ty, size);
        coordinate = l.w.tree.infix(Infix::Div, coordinate, size);
    }
    let mut list: Vec<Expr> = [texture, sampler, coordinate].into_iter().chain(sample.layer).collect();
    if let Some(of) = sample.gather {
        if !leaf.depth {
            let of = l.w.tree.add(ExprKind::Int(of.into()));
            list.insert(0, of);
        }
        list.extend(sample.depth);
        list.extend(sample.offset);
        let name = if sample.depth.is_some() { "textureGatherCompare" } else { "textureGather" };
        return Some(l.w.tree.builtin(name, &list));
    }
    if let Some(depth) = sample.depth {
        list.push(depth);
        list.extend(sample.offset);
        let name = match sample.level {
            Level::Auto => {
                l.w.language.takes_derivatives = true;
                "textureSampleCompare"
            }
            _ => "textureSampleCompareLevel",
        };
        return Some(l.w.tree.builtin(name, &list));
    }
    let name = match sample.level {
        Level::Auto => {
            l.w.language.takes_derivatives = true;
            "textureSample"
        }
        Level::Zero => {
            let zero = match leaf.depth {
                true => l.w.tree.add(ExprKind::Int(0)),
                false => l.w.tree.add(ExprKind::Float(0.0)),
            };
            list.push(zero);
            "textureSampleLevel"
        }
        Level::Exact(lod) => {
            list.push(if leaf.depth { l.w.cast(Type::I32, lod) } else { lod });
            "textureSampleLevel"
        }
        Level::Bias(bias) => {
            l.w.language.takes_derivatives = true;
            list.push(bias);
            "textureSampleBias"
        }
        Level::Gradient(x, y) => {
            list.extend([x, y]);
            "textureSampleGrad"
        }
    };
    list.extend(sample.offset);
    let result = l.w.tree.builtin(name, &list);
    let n = l.w.module.types.vector_size(ty).unwrap_or(1);
    Some(if leaf.depth && n == 4 { whole_texel(l, result, ty) } else { result })
}

/// Samples of integer textures, which are never filtered: a load of the nearest texel. The wrapping of the sampler is not
/// to be known, so coordinates are clamped to the edge.
fn sample_integers(
    l: &mut Lower<'_, '_>,
    image: ImageType,
    flags: TextureFlags,
    args: &[Value],
    coordinate: Expr,
    layer: Option<Expr>,
) -> Option<Expr> {
    if image.dim == Dim::Cube || flags.has(TextureFlags::GRAD) {
        let span = l.span;
        let error = Diagnostic::error(Code::E0605, span, "WGSL cannot sample this integer texture");
        l.w.errors.push(error.help("use `texelFetch`"));
        return None;
    }
    warn(l, Code::W0152, "WGSL cannot sample integer textures: the nearest texel is loaded instead");
    let lod = match flags.operand(TextureFlags::LOD) {
        Some(i) => {
            let lod = l.stable_operand(args[i]);
            let lod = l.w.tree.builtin("round", &[lod]);
            l.w.cast(Type::I32, lod)
        }
        None => l.w.tree.add(ExprKind::Int(0)),
    };
    let offset = constant_offset(l, flags, args)?;
    let n = image.dim.coordinates();
    let (ints, floats) = (l.w.vector_type(Scalar::I32, n), l.w.vector_type(Scalar::F32, n));
    each(l, args[0], &mut |l, leaf| {
        let texture = texture_of(l, leaf)?;
        let list: &[Expr] = if image.multisampled { &[texture] } else { &[texture, lod] };
        let size = l.w.tree.builtin("textureDimensions", list);
        let mut position = coordinate;
        if image.dim != Dim::Rect {
            let extent = l.w.cast(floats, size);
            position = l.w.tree.infix(Infix::Mul, coordinate, extent);
        }
        let position = l.w.tree.builtin("floor", &[position]);
        let mut texel = l.w.cast(ints, position);
        if let Some(offset) = offset {
            texel = l.w.tree.infix(Infix::Add, texel, offset);
        }
        let (zero, one) = (l.w.tree.add(ExprKind::Int(0)), l.w.tree.add(ExprKind::Int(1)));
        let low = if n == 1 { zero } else { l.w.tree.add(ExprKind::Splat(ints, zero)) };
        let size = l.w.cast(ints, size);
        let last = l.w.tree.infix(Infix::Sub, size, one);
        let texel = l.w.tree.builtin("clamp", &[texel, low, last]);
        let list: Vec<Expr> = [texture, texel].into_iter().chain(layer).chain([lod]).collect();
        Some(l.w.tree.builtin("textureLoad", &list))
    })
}

/// A texel of a level or sample, or of a storage image.
pub(crate) fn texel(
    l: &mut Lower<'_, '_>,
    leaf: Leaf,
    image: ImageType,
    (coordinate, layer): (Expr, Option<Expr>),
    level: Option<Expr>,
) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let list: Vec<Expr> = [texture, coordinate].into_iter().chain(layer).chain(level).collect();
    let texel = l.w.tree.builtin("textureLoad", &list);
    let four = l.w.vector_type(image.sampled, 4);
    Some(if leaf.depth { whole_texel(l, texel, four) } else { texel })
}

pub(crate) fn store_texel(
    l: &mut Lower<'_, '_>,
    leaf: Leaf,
    (coordinate, layer): (Expr, Option<Expr>),
    value: Expr,
) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let list: Vec<Expr> = [texture, coordinate].into_iter().chain(layer).chain([value]).collect();
    Some(l.w.tree.builtin("textureStore", &list))
}

pub(crate) fn size(l: &mut Lower<'_, '_>, leaf: Leaf, image: ImageType, level: Option<Expr>, ty: Type) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let list: Vec<Expr> = [texture].into_iter().chain(level).collect();
    let size = l.w.tree.builtin("textureDimensions", &list);
    // The size of a cube is that of a face.
    if !image.arrayed {
        return Some(l.w.cast(ty, size));
    }
    let n = l.w.module.types.vector_size(ty).unwrap_or(3) - 1;
    let plane = l.w.vector_type(Scalar::I32, n);
    let size = l.w.cast(plane, size);
    let layers = l.w.tree.builtin("textureNumLayers", &[texture]);
    let layers = l.w.cast(Type::I32, layers);
    Some(l.w.tree.call(Callee::Type(ty), &[size, layers]))
}

pub(crate) fn count(l: &mut Lower<'_, '_>, leaf: Leaf, name: &'static str) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let count = l.w.tree.builtin(name, &[texture]);
    Some(l.w.cast(Type::I32, count))
}
