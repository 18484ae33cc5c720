//! Textures, samplers and storage images: methods of objects.

use planish_back_shading::globals::Leaf;
use planish_back_shading::texture::{
    Sample, candidates, component, constant_offset, each, first_lanes, refuse, sampler_of, size_of_value,
    texel as at_texel, texture_of, warn,
};
use planish_back_text::effects::node_effects;
use planish_back_text::tree::{Callee, Expr, ExprKind, Infix, Stmt};
use planish_interface::Implicit;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Lanes, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

use crate::atomics;
use crate::helpers::Helper;
use crate::language::Lower;
use crate::ops::helper_symbol;

fn method(l: &mut Lower<'_, '_>, name: &'static str, list: &[Expr]) -> Expr {
    l.w.tree.call(Callee::Method(name), list)
}

/// The coordinate with the layer, which HLSL rounds itself, and the divisor.
fn coordinate(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, value: Value) -> (Expr, Option<Expr>) {
    let (size, n) = (size_of_value(l, value), image.coordinates());
    let whole = if size == n { l.operand(value) } else { l.stable_operand(value) };
    let at = if size == n { whole } else { first_lanes(l, whole, n) };
    if !flags.has(TextureFlags::PROJ) {
        return (at, None);
    }
    let divisor = component(l, whole, size - 1);
    (l.w.tree.infix(Infix::Div, at, divisor), Some(divisor))
}

/// A coordinate of a rectangle is one of texels.
fn scaled(l: &mut Lower<'_, '_>, image: ImageType, texture: Expr, coordinate: Expr) -> Expr {
    if image.dim != Dim::Rect {
        return coordinate;
    }
    let size = size_call(l, texture, image, None);
    let floats = l.w.vector_type(Scalar::F32, 2);
    let size = l.w.cast(floats, size);
    l.w.tree.infix(Infix::Div, coordinate, size)
}

pub(crate) fn sample(
    l: &mut Lower<'_, '_>,
    image: ImageType,
    flags: TextureFlags,
    args: &[Value],
    _: Type,
) -> Option<Expr> {
    let name = l.w.target_name.clone();
    if flags.has(TextureFlags::MIN_LOD) {
        return refuse(l, Code::E0605, format!("{name} is written without lower bounds of the level"));
    }
    if image.sampled != Scalar::F32 {
        return sample_integers(l, image, flags, args);
    }
    let (coordinate, divisor) = coordinate(l, image, flags, args[1]);
    let depth = flags.operand(TextureFlags::COMPARE).map(|i| {
        let depth = l.operand(args[i]);
        divisor.map_or(depth, |q| l.w.tree.infix(Infix::Div, depth, q))
    });
    let offset = constant_offset(l, flags, args)?;
    let operand = |l: &mut Lower<'_, '_>, flag| flags.operand(flag).map(|i| l.stable_operand(args[i]));
    let bias = operand(l, TextureFlags::BIAS);
    let level = operand(l, TextureFlags::LOD);
    let gradient =
        flags.operand(TextureFlags::GRAD).map(|i| [l.stable_operand(args[i]), l.stable_operand(args[i + 1])]);
    let implicit = level.is_none() && gradient.is_none();
    let has_derivatives = match l.w.prepared.derivatives.of(l.func) {
        _ if !implicit => true,
        Implicit::Exist => true,
        Implicit::Missing => false,
        Implicit::Mixed => {
            let text =
                "a function that fragment shaders and other stages call cannot sample at an implicit level of detail";
            return refuse(l, Code::E0605, text);
        }
    };
    if depth.is_some() {
        let is_zero = flags
            .operand(TextureFlags::LOD)
            .is_none_or(|i| args[i].as_const().and_then(|c| l.w.module.consts.as_bits(c)) == Some(0));
        if !is_zero || gradient.is_some() || bias.is_some() {
            return refuse(l, Code::E0605, format!("{name} compares depths at the level 0 or an implicit one"));
        }
    }
    let zero = l.w.tree.add(ExprKind::Float(0.0));
    each(l, args[0], &mut |l, leaf| {
        let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
        let at = scaled(l, image, texture, coordinate);
        let mut list = vec![texture, sampler, at];
        list.extend(depth);
        let name = match (depth, level, gradient, bias) {
            (Some(_), None, ..) if has_derivatives => "SampleCmp",
            (Some(_), ..) => "SampleCmpLevelZero",
            (None, Some(level), ..) => {
                list.push(level);
                "SampleLevel"
            }
            (None, None, Some(gradient), _) => {
                list.extend(gradient);
                "SampleGrad"
            }
            (None, None, None, bias) if !has_derivatives => {
                list.push(bias.unwrap_or(zero));
                "SampleLevel"
            }
            (None, None, None, Some(bias)) => {
                list.push(bias);
                "SampleBias"
            }
            (None, None, None, None) => "Sample",
        };
        list.extend(offset);
        Some(method(l, name, &list))
    })
}

/// Samples of integer textures, which are never filtered: a load of the nearest texel. The wrapping of the sampler is not
/// to be known, so coordinates are clamped to the edge.
fn sample_integers(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value]) -> Option<Expr> {
    let name = l.w.target_name.clone();
    if image.dim == Dim::Cube || flags.has(TextureFlags::GRAD) {
        return refuse(l, Code::E0605, format!("{name} cannot sample this integer texture: use `texelFetch`"));
    }
    warn(l, Code::W0152, format!("{name} cannot sample integer textures: the nearest texel is loaded instead"));
    let n = image.dim.coordinates();
    let whole = l.stable_operand(args[1]);
    let size = size_of_value(l, args[1]);
    let mut coordinate = if size == n { whole } else { first_lanes(l, whole, n) };
    if flags.has(TextureFlags::PROJ) {
        let divisor = component(l, whole, size - 1);
        coordinate = l.w.tree.infix(Infix::Div, coordinate, divisor);
    }
    let layer = image.arrayed.then(|| {
        let layer = component(l, whole, n);
        let layer = l.w.tree.builtin("round", &[layer]);
        l.w.cast(Type::I32, layer)
    });
    let level = flags.operand(TextureFlags::LOD).map(|i| {
        let level = l.stable_operand(args[i]);
        let level = l.w.tree.builtin("round", &[level]);
        l.w.cast(Type::I32, level)
    });
    let offset = constant_offset(l, flags, args)?;
    let (ints, floats) = (l.w.vector_type(Scalar::I32, n), l.w.vector_type(Scalar::F32, n));
    each(l, args[0], &mut |l, leaf| {
        let texture = texture_of(l, leaf)?;
        let mut extent = size_call(l, texture, image, level);
        if image.arrayed {
            extent = first_lanes(l, extent, n);
        }
        let mut position = coordinate;
        if image.dim != Dim::Rect {
            let extent = l.w.cast(floats, extent);
            position = l.w.tree.infix(Infix::Mul, coordinate, extent);
        }
        let position = l.w.tree.builtin("floor", &[position]);
        let mut at = l.w.cast(ints, position);
        if let Some(offset) = offset {
            at = l.w.tree.infix(Infix::Add, at, offset);
        }
        let (zero, one) = (l.w.tree.add(ExprKind::Int(0)), l.w.tree.add(ExprKind::Int(1)));
        let low = if n == 1 { zero } else { l.w.tree.add(ExprKind::Splat(ints, zero)) };
        let last = l.w.tree.infix(Infix::Sub, extent, one);
        let at = l.w.tree.builtin("clamp", &[at, low, last]);
        texel(l, leaf, image, (at, layer), Some(level.unwrap_or(zero)))
    })
}

pub(crate) fn gather(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample) -> Option<Expr> {
    let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
    let mut at = scaled(l, sample.image, texture, sample.coordinate);
    if let Some(layer) = sample.layer {
        let layer = l.w.cast(Type::F32, layer);
        let ty = l.w.vector_type(Scalar::F32, sample.image.coordinates());
        at = l.w.tree.call(Callee::Type(ty), &[at, layer]);
    }
    let list: Vec<Expr> = [texture, sampler, at].into_iter().chain(sample.depth).chain(sample.offset).collect();
    let name = match (sample.depth, sample.gather) {
        (Some(_), _) => "GatherCmpRed",
        (None, Some(1)) => "GatherGreen",
        (None, Some(2)) => "GatherBlue",
        (None, Some(3)) => "GatherAlpha",
        _ => "GatherRed",
    };
    Some(method(l, name, &list))
}

/// Coordinate, layer and level as one vector of integers.
fn joined(l: &mut Lower<'_, '_>, image: ImageType, at: (Expr, Option<Expr>), level: Option<Expr>) -> Expr {
    if at.1.is_none() && level.is_none() {
        return at.0;
    }
    let is_faces = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
    let n = if is_faces { 3 } else { image.coordinates() } + u8::from(level.is_some());
    let ty = l.w.vector_type(Scalar::I32, n);
    let list: Vec<Expr> = [at.0].into_iter().chain(at.1).chain(level).collect();
    l.w.tree.call(Callee::Type(ty), &list)
}

pub(crate) fn texel(
    l: &mut Lower<'_, '_>,
    leaf: Leaf,
    image: ImageType,
    at: (Expr, Option<Expr>),
    level: Option<Expr>,
) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    if let ImageKind::Storage(format) = image.kind {
        let at = joined(l, image, at, None);
        let texel = l.w.tree.add(ExprKind::Index(texture, at));
        return Some(whole_texel(l, image, texel, format.channels()));
    }
    if image.dim == Dim::Buffer {
        return Some(method(l, "Load", &[texture, at.0]));
    }
    if image.multisampled {
        let at = joined(l, image, at, None);
        let sample = level.unwrap_or_else(|| l.w.tree.add(ExprKind::Int(0)));
        return Some(method(l, "Load", &[texture, at, sample]));
    }
    let at = joined(l, image, at, level);
    Some(method(l, "Load", &[texture, at]))
}

/// A texel of four components: what is missing is 0, the last component 1.
fn whole_texel(l: &mut Lower<'_, '_>, image: ImageType, texel: Expr, channels: u8) -> Expr {
    if channels == 4 {
        return texel;
    }
    let ty = l.w.vector_type(image.sampled, 4);
    let number = |l: &mut Lower<'_, '_>, n: u8| match image.sampled {
        Scalar::I32 => l.w.tree.add(ExprKind::Int(n.into())),
        Scalar::U32 => l.w.uint(n.into()),
        _ => l.w.tree.add(ExprKind::Float(n.into())),
    };
    let mut list = vec![texel];
    for i in channels..4 {
        list.push(number(l, u8::from(i == 3)));
    }
    l.w.tree.call(Callee::Type(ty), &list)
}

/// Stores to images, and atomics on them; false for other nodes.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    if matches!(op, Op::TextureQueryLevels | Op::TextureQuerySamples) {
        return count(l, node);
    }
    if op != Op::ImageStore && atomics::name(op).is_none() {
        return false;
    }
    let args = l.body.args(node);
    let image_type = l.type_of(args[0]);
    let Some(image) = l.w.module.types.as_image(image_type) else { return false };
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    let (coordinate, layer) = at_texel(l, image, args[1]);
    let Some((leaves, index)) = candidates(l, args[0]) else { return true };
    let ([leaf], None) = (&leaves[..], index) else {
        refuse::<_, ()>(l, Code::E0605, "an image to store to cannot be chosen by a computed index");
        return true;
    };
    let Some(texture) = texture_of(l, *leaf) else { return true };
    let at = joined(l, image, (coordinate, layer), None);
    let target = l.w.tree.add(ExprKind::Index(texture, at));
    if op == Op::ImageStore {
        let value = l.operand(args[args.len() - 1]);
        let ImageKind::Storage(format) = image.kind else { return false };
        let lanes: Vec<u8> = (0..format.channels()).collect();
        let value = if lanes.len() == 4 { value } else { l.swizzle(value, Lanes::new(&lanes)) };
        l.order(&own);
        l.push(Stmt::Assign { target, op: None, value });
        return true;
    }
    let (Some(name), Some(result)) = (atomics::name(op), l.body.result(node)) else { return false };
    let first = args.len() - if op == Op::ImageAtomicCompareExchange { 2 } else { 1 };
    let ty = l.type_of(args[first]);
    if !atomics::is_word(l, op, ty) {
        return true;
    }
    let values: Vec<Expr> = args[first..].iter().map(|&a| l.stable_operand(a)).collect();
    l.begin();
    l.order(&own);
    let needs_old = l.use_count(result) > 0 || op == Op::ImageAtomicCompareExchange;
    let old = needs_old.then(|| l.set_result(result, None));
    let list: Vec<Expr> = [target].into_iter().chain(values).chain(old).collect();
    let call = l.w.tree.builtin(name, &list);
    l.push(Stmt::Expr(call));
    true
}

fn size_call(l: &mut Lower<'_, '_>, texture: Expr, image: ImageType, level: Option<Expr>) -> Expr {
    let written = matches!(image.kind, ImageKind::Storage(_));
    let symbol = helper_symbol(l.w, Helper::Size { image, written, level: level.is_some() });
    let list: Vec<Expr> = [texture].into_iter().chain(level).collect();
    l.w.tree.call(Callee::User(symbol), &list)
}

pub(crate) fn size(l: &mut Lower<'_, '_>, leaf: Leaf, image: ImageType, level: Option<Expr>, ty: Type) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let size = size_call(l, texture, image, level);
    let is_signed = l.w.module.types.scalar_of(ty) == Some(Scalar::I32);
    Some(if is_signed { size } else { l.w.cast(ty, size) })
}

/// The number of levels or samples.
fn count(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let levels = l.body.node(node).op == Op::TextureQueryLevels;
    let texture = l.body.args(node)[0];
    let ty = l.type_of(texture);
    let (Some(image), Some(result)) = (l.w.module.types.as_image(ty), l.body.result(node)) else { return false };
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    let symbol = helper_symbol(l.w, Helper::Count { image, levels });
    let count = each(l, texture, &mut |l, leaf| {
        let texture = texture_of(l, leaf)?;
        Some(l.w.tree.call(Callee::User(symbol), &[texture]))
    });
    let count = count.unwrap_or_else(|| l.w.tree.add(ExprKind::Int(0)));
    l.finish(result, count, &own);
    true
}

/// The level of detail of a sample, clamped and as computed.
pub(crate) fn other(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let args = l.body.args(node);
    if l.body.node(node).op != Op::TextureQueryLod {
        return None;
    }
    l.w.needs_fragment(l.span);
    let at = l.stable_operand(args[1]);
    each(l, args[0], &mut |l, leaf| {
        let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
        let clamped = method(l, "CalculateLevelOfDetail", &[texture, sampler, at]);
        let free = method(l, "CalculateLevelOfDetailUnclamped", &[texture, sampler, at]);
        let ty = l.w.vector_type(Scalar::F32, 2);
        Some(l.w.tree.call(Callee::Type(ty), &[clamped, free]))
    })
}
