//! Textures, samplers and storage images.

use std::rc::Rc;

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_interface::Implicit;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Lanes, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

use crate::dialect::Lower;
use crate::globals::{Leaf, Tree};
use crate::places::{Opaque, Place};
use crate::transfers::select_of;

/// Level of detail of a sample.
#[derive(Clone, Copy)]
enum Level {
    Auto,
    Zero,
    Exact(Expr),
    Bias(Expr),
    Gradient(Expr, Expr),
}

/// Operands of a sample, besides texture and sampler.
struct Sample {
    image: ImageType,
    coordinate: Expr,
    layer: Option<Expr>,
    offset: Option<Expr>,
    level: Level,
    depth: Option<Expr>,
    gather: Option<u8>,
}

fn refuse<T>(l: &mut Lower<'_, '_>, code: Code, message: impl Into<String>) -> Option<T> {
    let span = l.span;
    l.w.error(code, span, message.into());
    None
}

fn warn(l: &mut Lower<'_, '_>, code: Code, message: impl Into<String>) {
    let warning = Diagnostic::warning(code, l.span, message);
    if !l.w.warnings.contains(&warning) {
        l.w.warnings.push(warning);
    }
}

/// The expression of a texture op.
pub(crate) fn texture(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let (op, flags) = (data.op, data.imm.as_texture());
    let args = l.body.args(node);
    let ty = l.body.result(node).map_or(Type::VOID, |r| l.body.local_type(r));
    if op == Op::CombineSampler {
        return combine(l, args);
    }
    let image_type = l.type_of(args[0]);
    let Some(image) = l.w.module.types.as_image(image_type) else {
        return refuse(l, Code::E0699, "an image was expected");
    };
    match op {
        Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => sample(l, image, flags, args, ty),
        Op::TextureGather => gather(l, image, flags, args, ty),
        Op::TextureFetch => fetch(l, image, flags, args),
        Op::TextureSize => {
            let has_level = flags.has(TextureFlags::LOD) && !image.multisampled;
            let level = has_level.then(|| l.stable_operand(args[1]));
            size(l, args[0], image, level, ty)
        }
        Op::ImageSize => size(l, args[0], image, None, ty),
        Op::TextureQueryLevels => count(l, args[0], "textureNumLevels"),
        Op::TextureQuerySamples => count(l, args[0], "textureNumSamples"),
        Op::ImageLoad => {
            let (coordinate, layer) = texel(l, image, args[1]);
            each(l, args[0], &mut |l, leaf| {
                let texture = texture_of(l, leaf)?;
                let list: Vec<Expr> = [texture, coordinate].into_iter().chain(layer).collect();
                Some(l.w.tree.builtin("textureLoad", &list))
            })
        }
        Op::ImageStore => {
            let (coordinate, layer) = texel(l, image, args[1]);
            let value = l.operand(args[args.len() - 1]);
            let (leaves, index) = candidates(l, args[0])?;
            let ([leaf], None) = (&leaves[..], index) else {
                return refuse(l, Code::E0605, "an image to store to cannot be chosen by a computed index");
            };
            let texture = texture_of(l, *leaf)?;
            let list: Vec<Expr> = [texture, coordinate].into_iter().chain(layer).chain([value]).collect();
            Some(l.w.tree.builtin("textureStore", &list))
        }
        _ => None,
    }
}

/// A texture and a sampler as one.
fn combine(l: &mut Lower<'_, '_>, args: &[Value]) -> Option<Expr> {
    let (textures, samplers) = (opaque(l, args[0])?, opaque(l, args[1])?);
    let index = match (textures.index, samplers.index) {
        (Some(_), Some(_)) => {
            return refuse(l, Code::E0605, "texture and sampler cannot both be chosen by a computed index");
        }
        (a, b) => a.or(b),
    };
    let mut pairs = vec![];
    for t in all_leaves(&textures) {
        let pair = |s: Leaf| Rc::new(Tree::Leaf(Leaf { sampler: s.sampler, ..t }));
        pairs.extend(all_leaves(&samplers).into_iter().map(pair));
    }
    if pairs.is_empty() {
        return refuse(l, Code::E0605, "a texture was expected");
    }
    Some(l.w.opaque(Opaque { candidates: pairs, index }))
}

fn all_leaves(opaque: &Opaque) -> Vec<Leaf> {
    let leaf = |t: &Rc<Tree>| if let Tree::Leaf(leaf) = **t { Some(leaf) } else { None };
    opaque.candidates.iter().filter_map(leaf).collect()
}

fn opaque(l: &mut Lower<'_, '_>, value: Value) -> Option<Opaque> {
    let e = l.operand(value);
    match l.w.places.get(&e) {
        Some(Place::Opaque(opaque)) => Some(opaque.clone()),
        _ => refuse(l, Code::E0605, "a texture or sampler was expected"),
    }
}

/// The images that a value may be, and the index of the one that it is (`None` if there is one only).
fn candidates(l: &mut Lower<'_, '_>, value: Value) -> Option<(Vec<Leaf>, Option<Expr>)> {
    let opaque = opaque(l, value)?;
    Some((all_leaves(&opaque), opaque.index))
}

/// The result of `f` for the texture that is meant. Where a computed index chooses, `f` runs for all, and the results are
/// selected.
fn each<'m>(
    l: &mut Lower<'_, 'm>,
    value: Value,
    f: &mut dyn FnMut(&mut Lower<'_, 'm>, Leaf) -> Option<Expr>,
) -> Option<Expr> {
    let (leaves, index) = candidates(l, value)?;
    let results: Vec<Expr> = leaves.into_iter().map(|leaf| f(l, leaf)).collect::<Option<_>>()?;
    match index {
        Some(index) => Some(select_of(l.w, index, &results)),
        None => results.first().copied(),
    }
}

fn texture_of(l: &mut Lower<'_, '_>, leaf: Leaf) -> Option<Expr> {
    match leaf.texture {
        Some(symbol) => Some(l.w.tree.name(symbol)),
        None => refuse(l, Code::E0605, "a texture was expected"),
    }
}

fn sampler_of(l: &mut Lower<'_, '_>, leaf: Leaf) -> Option<Expr> {
    match leaf.sampler {
        Some(symbol) => Some(l.w.tree.name(symbol)),
        None => refuse(l, Code::E0605, "a sampler was expected"),
    }
}

fn component(l: &mut Lower<'_, '_>, e: Expr, n: u8) -> Expr {
    l.swizzle(e, Lanes::new(&[n]))
}

fn first_lanes(l: &mut Lower<'_, '_>, e: Expr, n: u8) -> Expr {
    let lanes: Vec<u8> = (0..n).collect();
    l.swizzle(e, Lanes::new(&lanes))
}

fn size_of_value(l: &Lower<'_, '_>, value: Value) -> u8 {
    l.w.module.types.vector_size(l.type_of(value)).unwrap_or(1)
}

/// The float coordinate without divisor and layer, the layer, and the divisor.
fn coordinate(
    l: &mut Lower<'_, '_>,
    image: ImageType,
    flags: TextureFlags,
    value: Value,
) -> (Expr, Option<Expr>, Option<Expr>) {
    let size = size_of_value(l, value);
    let n = image.dim.coordinates();
    let is_mentioned_again = size != n || image.dim == Dim::Rect || image.sampled != Scalar::F32;
    let whole = if is_mentioned_again { l.stable_operand(value) } else { l.operand(value) };
    let mut at = if size == n { whole } else { first_lanes(l, whole, n) };
    let mut divisor = None;
    if flags.has(TextureFlags::PROJ) {
        let q = component(l, whole, size - 1);
        at = l.w.tree.infix(Infix::Div, at, q);
        divisor = Some(q);
    }
    let layer = image.arrayed.then(|| {
        let layer = component(l, whole, n);
        let layer = l.w.tree.builtin("round", &[layer]);
        l.w.cast(Type::I32, layer)
    });
    (at, layer, divisor)
}

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

fn sample(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Option<Expr> {
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

fn constant_offset(l: &mut Lower<'_, '_>, flags: TextureFlags, args: &[Value]) -> Option<Option<Expr>> {
    let Some(i) = flags.operand(TextureFlags::OFFSET) else { return Some(None) };
    match args[i].as_const() {
        Some(c) => Some(Some(l.constant(c))),
        None => refuse(l, Code::E0605, "WGSL needs a constant offset"),
    }
}

fn sample_one(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample, ty: Type) -> Option<Expr> {
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
                l.w.takes_derivatives = true;
                "textureSampleCompare"
            }
            _ => "textureSampleCompareLevel",
        };
        return Some(l.w.tree.builtin(name, &list));
    }
    let name = match sample.level {
        Level::Auto => {
            l.w.takes_derivatives = true;
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
            l.w.takes_derivatives = true;
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

/// `vec4f(depth, 0, 0, 1)`
fn whole_texel(l: &mut Lower<'_, '_>, depth: Expr, ty: Type) -> Expr {
    let (zero, one) = (l.w.tree.add(ExprKind::Float(0.0)), l.w.tree.add(ExprKind::Float(1.0)));
    l.w.tree.call(Callee::Type(ty), &[depth, zero, zero, one])
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

fn gather(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value], ty: Type) -> Option<Expr> {
    let (coordinate, layer, _) = coordinate(l, image, flags, args[1]);
    let depth = flags.operand(TextureFlags::COMPARE).map(|i| l.stable_operand(args[i]));
    let of = if image.shadow { 0 } else { flags.component() };
    let offset = constant_offset(l, flags, args)?;
    let mut sample = Sample { image, coordinate, layer, offset, level: Level::Zero, depth, gather: Some(of) };
    let Some(i) = flags.operand(TextureFlags::OFFSETS) else {
        return each(l, args[0], &mut |l, leaf| sample_one(l, leaf, &sample, ty));
    };
    // Four offsets: of each footprint the texel (i0, j0), which a gather gives last.
    let parts = args[i].as_const().and_then(|c| l.w.module.consts.as_parts(c));
    let Some(parts) = parts.map(<[_]>::to_vec) else {
        return refuse(l, Code::E0605, "WGSL needs constant offsets");
    };
    let mut components = vec![];
    for part in parts {
        sample.offset = Some(l.constant(part));
        let four = each(l, args[0], &mut |l, leaf| sample_one(l, leaf, &sample, ty))?;
        components.push(component(l, four, 3));
    }
    Some(l.w.tree.call(Callee::Type(ty), &components))
}

/// The integer coordinate without layer, and the layer. A cube as a storage image is an array of faces.
fn texel(l: &mut Lower<'_, '_>, image: ImageType, value: Value) -> (Expr, Option<Expr>) {
    let cube = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
    let n = if cube { 2 } else { image.dim.coordinates() };
    if !image.arrayed && !cube {
        return (l.operand(value), None);
    }
    let whole = l.stable_operand(value);
    let coordinate = first_lanes(l, whole, n);
    (coordinate, Some(component(l, whole, n)))
}

fn fetch(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value]) -> Option<Expr> {
    let (mut coordinate, layer) = texel(l, image, args[1]);
    if let Some(i) = flags.operand(TextureFlags::OFFSET) {
        let offset = l.operand(args[i]);
        coordinate = l.w.tree.infix(Infix::Add, coordinate, offset);
    }
    let last = match (flags.operand(TextureFlags::SAMPLE), flags.operand(TextureFlags::LOD)) {
        (Some(i), _) => l.operand(args[i]),
        (None, Some(i)) if !image.multisampled => l.operand(args[i]),
        _ => l.w.tree.add(ExprKind::Int(0)),
    };
    let four = l.w.vector_type(image.sampled, 4);
    each(l, args[0], &mut |l, leaf| {
        let texture = texture_of(l, leaf)?;
        let list: Vec<Expr> = [texture, coordinate].into_iter().chain(layer).chain([last]).collect();
        let texel = l.w.tree.builtin("textureLoad", &list);
        Some(if leaf.depth { whole_texel(l, texel, four) } else { texel })
    })
}

fn size(l: &mut Lower<'_, '_>, value: Value, image: ImageType, level: Option<Expr>, ty: Type) -> Option<Expr> {
    each(l, value, &mut |l, leaf| {
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
    })
}

fn count(l: &mut Lower<'_, '_>, value: Value, name: &'static str) -> Option<Expr> {
    each(l, value, &mut |l, leaf| {
        let texture = texture_of(l, leaf)?;
        let count = l.w.tree.builtin(name, &[texture]);
        Some(l.w.cast(Type::I32, count))
    })
}
