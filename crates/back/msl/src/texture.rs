//! Textures, samplers and storage images: methods of textures.

use planish_back_shading::globals::Leaf;
use planish_back_shading::ops::{is_word, whole_texel};
use planish_back_shading::texture::{
    Level, Sample, candidates, component, constant_offset, coordinate, each, refuse, sampler_of, texel as at_texel,
    texture_of,
};
use planish_back_text::effects::node_effects;
use planish_back_text::tree::{Callee, Decl, Expr, ExprKind, Infix, Stmt};
use planish_interface::Implicit;
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

use crate::integers::unsigned;
use crate::language::Lower;
use crate::version::Version;

fn method(l: &mut Lower<'_, '_>, name: &'static str, texture: Expr, args: impl IntoIterator<Item = Expr>) -> Expr {
    let args: Vec<Expr> = [texture].into_iter().chain(args).collect();
    l.w.tree.call(Callee::Method(name), &args)
}

/// The level of detail, as an argument.
struct Detail {
    level: Option<Expr>,
    /// The least level.
    least: Option<Expr>,
}

fn detail(l: &mut Lower<'_, '_>, image: ImageType, flags: TextureFlags, args: &[Value]) -> Option<Detail> {
    let mut level = match implicit(l, flags, args)? {
        Level::Auto => None,
        Level::Zero => {
            let zero = l.w.tree.add(ExprKind::Float(0.0));
            Some(l.w.tree.builtin("level", &[zero]))
        }
        Level::Exact(lod) => Some(l.w.tree.builtin("level", &[lod])),
        Level::Bias(bias) => Some(l.w.tree.builtin("bias", &[bias])),
        Level::Gradient(x, y) => {
            let name = match image.dim {
                Dim::Cube => "gradientcube",
                Dim::D3 => "gradient3d",
                _ => "gradient2d",
            };
            Some(l.w.tree.builtin(name, &[x, y]))
        }
    };
    let mut least = None;
    if let Some(i) = flags.operand(TextureFlags::MIN_LOD) {
        let bound = l.operand(args[i]);
        least = Some(l.w.tree.builtin("min_lod_clamp", &[bound]));
    }
    // A texture of one dimension has one level.
    if image.dim == Dim::D1 {
        (level, least) = (None, None);
    }
    Some(Detail { level, least })
}

fn implicit(l: &mut Lower<'_, '_>, flags: TextureFlags, args: &[Value]) -> Option<Level> {
    if let Some(i) = flags.operand(TextureFlags::GRAD) {
        return Some(Level::Gradient(l.operand(args[i]), l.operand(args[i + 1])));
    }
    if let Some(i) = flags.operand(TextureFlags::LOD) {
        return Some(Level::Exact(l.operand(args[i])));
    }
    let bias = flags.operand(TextureFlags::BIAS).map(|i| args[i]);
    match l.w.prepared.derivatives.of(l.func) {
        Implicit::Exist => Some(match bias {
            Some(bias) => Level::Bias(l.operand(bias)),
            None => Level::Auto,
        }),
        Implicit::Missing => Some(match bias {
            Some(bias) => Level::Exact(l.operand(bias)),
            None => Level::Zero,
        }),
        Implicit::Mixed => {
            let text =
                "a function that fragment shaders and other stages call cannot sample at an implicit level of detail";
            refuse(l, Code::E0605, text)
        }
    }
}

pub(crate) fn sample(
    l: &mut Lower<'_, '_>,
    image: ImageType,
    flags: TextureFlags,
    args: &[Value],
    ty: Type,
) -> Option<Expr> {
    let (coordinate, layer, divisor) = coordinate(l, image, flags, args[1]);
    let depth = flags.operand(TextureFlags::COMPARE).map(|i| {
        let depth = l.operand(args[i]);
        match divisor {
            Some(q) => l.w.tree.infix(Infix::Div, depth, q),
            None => depth,
        }
    });
    let offset = constant_offset(l, flags, args)?;
    let detail = detail(l, image, flags, args)?;
    each(l, args[0], &mut |l, leaf| {
        let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
        let coordinate = scaled(l, image, texture, coordinate);
        let layer = layer.map(|layer| layer_number(l, layer));
        let list = [sampler, coordinate].into_iter().chain(layer).chain(depth);
        let list: Vec<Expr> = list.chain(detail.level).chain(detail.least).chain(offset).collect();
        let name = if depth.is_some() { "sample_compare" } else { "sample" };
        let result = method(l, name, texture, list);
        let n = l.w.module.types.vector_size(ty).unwrap_or(1);
        Some(if leaf.depth && n == 4 { whole_texel(l, result, ty) } else { result })
    })
}

/// The coordinate in textures that the program addresses by texels.
fn scaled(l: &mut Lower<'_, '_>, image: ImageType, texture: Expr, coordinate: Expr) -> Expr {
    if image.dim != Dim::Rect {
        return coordinate;
    }
    let (width, height) = (method(l, "get_width", texture, []), method(l, "get_height", texture, []));
    let ty = l.w.vector_type(Scalar::F32, 2);
    let size = l.w.tree.call(Callee::Type(ty), &[width, height]);
    l.w.tree.infix(Infix::Div, coordinate, size)
}

/// `uint(max(layer, 0))`
fn layer_number(l: &mut Lower<'_, '_>, layer: Expr) -> Expr {
    if let ExprKind::Int(_) | ExprKind::Uint(_) | ExprKind::Literal(_) = l.w.tree.kind(layer) {
        return unsigned(l.w, Type::U32, layer);
    }
    let zero = l.w.tree.add(ExprKind::Int(0));
    let layer = l.w.tree.builtin("max", &[layer, zero]);
    l.w.cast(Type::U32, layer)
}

/// A gather.
pub(crate) fn sample_one(l: &mut Lower<'_, '_>, leaf: Leaf, sample: &Sample, _: Type) -> Option<Expr> {
    let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
    let coordinate = scaled(l, sample.image, texture, sample.coordinate);
    let layer = sample.layer.map(|layer| layer_number(l, layer));
    let mut list: Vec<Expr> = [sampler, coordinate].into_iter().chain(layer).collect();
    if let Some(depth) = sample.depth {
        list.push(depth);
        list.extend(sample.offset);
        return Some(method(l, "gather_compare", texture, list));
    }
    let of = sample.gather.unwrap_or(0);
    match sample.offset {
        Some(offset) => list.push(offset),
        // The component comes after the offset.
        None if of > 0 && !leaf.depth && sample.image.dim != Dim::Cube => {
            let plane = l.w.vector_type(Scalar::I32, 2);
            let zero = l.w.tree.add(ExprKind::Int(0));
            list.push(l.w.tree.add(ExprKind::Splat(plane, zero)));
        }
        None => {}
    }
    if of > 0 && !leaf.depth {
        let names = ["component::x", "component::y", "component::z", "component::w"];
        let symbol = l.w.tree.add_named(names[usize::from(of.min(3))]);
        list.push(l.w.tree.name(symbol));
    }
    Some(method(l, "gather", texture, list))
}

/// A level but 0, which needs no argument.
fn without_zero(l: &Lower<'_, '_>, e: Expr) -> Option<Expr> {
    let is_zero = match l.w.tree.kind(e) {
        ExprKind::Int(0) | ExprKind::Uint(0) => true,
        ExprKind::Literal(c) => l.w.module.consts.as_bits(c) == Some(0),
        _ => false,
    };
    (!is_zero).then_some(e)
}

/// Unsigned coordinates.
fn position(l: &mut Lower<'_, '_>, image: ImageType, coordinate: Expr) -> Expr {
    let is_cube = image.dim == Dim::Cube;
    let n = if is_cube { 2 } else { image.dim.coordinates() };
    let ty = l.w.vector_type(Scalar::U32, n);
    l.w.cast(ty, coordinate)
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
    let at = position(l, image, coordinate);
    let layer = layer.map(|layer| l.w.cast(Type::U32, layer));
    let has_levels = !matches!(image.dim, Dim::D1 | Dim::Buffer | Dim::Rect);
    let level = level.filter(|&e| image.multisampled || has_levels && without_zero(l, e).is_some());
    let level = level.map(|e| unsigned(l.w, Type::U32, e));
    let texel = method(l, "read", texture, [at].into_iter().chain(layer).chain(level));
    let four = l.w.vector_type(image.sampled, 4);
    Some(if leaf.depth { whole_texel(l, texel, four) } else { texel })
}

/// Writes a texel.
pub(crate) fn store_texel(
    l: &mut Lower<'_, '_>,
    leaf: Leaf,
    image: ImageType,
    (coordinate, layer): (Expr, Option<Expr>),
    value: Expr,
) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let at = position(l, image, coordinate);
    let layer = layer.map(|layer| l.w.cast(Type::U32, layer));
    Some(method(l, "write", texture, [value, at].into_iter().chain(layer)))
}

pub(crate) fn size(l: &mut Lower<'_, '_>, leaf: Leaf, image: ImageType, level: Option<Expr>, ty: Type) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let has_levels = !image.multisampled && !matches!(image.dim, Dim::D1 | Dim::Buffer | Dim::Rect);
    let level = level.filter(|&e| has_levels && without_zero(l, e).is_some());
    let level = level.map(|e| unsigned(l.w, Type::U32, e));
    let mut names = vec!["get_width"];
    if !matches!(image.dim, Dim::D1 | Dim::Buffer) {
        names.push("get_height");
    }
    if image.dim == Dim::D3 {
        names.push("get_depth");
    }
    let mut parts: Vec<Expr> = names.into_iter().map(|name| method(l, name, texture, level)).collect();
    if image.arrayed {
        let mut layers = method(l, "get_array_size", texture, []);
        if image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_)) {
            let six = l.w.uint(6);
            layers = l.w.tree.infix(Infix::Div, layers, six);
        }
        parts.push(layers);
    }
    Some(match parts[..] {
        [one] => l.w.cast(ty, one),
        _ => l.w.tree.call(Callee::Type(ty), &parts),
    })
}

pub(crate) fn count(l: &mut Lower<'_, '_>, leaf: Leaf, levels: bool) -> Option<Expr> {
    let texture = texture_of(l, leaf)?;
    let count = method(l, if levels { "get_num_mip_levels" } else { "get_num_samples" }, texture, []);
    Some(l.w.cast(Type::I32, count))
}

/// The method of an atomic operation on an image.
fn atomic_name(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::ImageAtomicAdd => "atomic_fetch_add",
        Op::ImageAtomicMin => "atomic_fetch_min",
        Op::ImageAtomicMax => "atomic_fetch_max",
        Op::ImageAtomicAnd => "atomic_fetch_and",
        Op::ImageAtomicOr => "atomic_fetch_or",
        Op::ImageAtomicXor => "atomic_fetch_xor",
        Op::ImageAtomicExchange => "atomic_exchange",
        Op::ImageAtomicCompareExchange => "atomic_compare_exchange_weak",
        _ => return None,
    })
}

/// Writes an atomic operation on an image, whose texel is the first component of four; false for other nodes.
pub(crate) fn statement(l: &mut Lower<'_, '_>, node: Node) -> bool {
    let op = l.body.node(node).op;
    let args = l.body.args(node);
    let (Some(name), Some(result)) = (atomic_name(op), l.body.result(node)) else { return false };
    let image_type = l.type_of(args[0]);
    let Some(image) = l.w.module.types.as_image(image_type) else { return false };
    if l.w.language.version < Version::V3_1 {
        let message = format!("{} has no `{}`; MSL 3.1 has (`--msl-version=3.1`)", l.w.target_name, op.text());
        refuse::<_, ()>(l, Code::E0604, message);
        return true;
    }
    let own = node_effects(l.w.module, l.body, &l.w.summaries, node);
    let first = args.len() - if op == Op::ImageAtomicCompareExchange { 2 } else { 1 };
    if !is_word(l, op, args[first]) {
        return true;
    }
    if op == Op::ImageAtomicCompareExchange {
        // It is mentioned in a loop.
        l.stable_operand(args[1]);
    }
    let (coordinate, layer) = at_texel(l, image, args[1]);
    let Some((leaves, index)) = candidates(l, args[0]) else { return true };
    let ([leaf], None) = (&leaves[..], index) else {
        refuse::<_, ()>(l, Code::E0605, "an image to store to cannot be chosen by a computed index");
        return true;
    };
    let Some(texture) = texture_of(l, *leaf) else { return true };
    let at = position(l, image, coordinate);
    let layer = layer.map(|layer| l.w.cast(Type::U32, layer));
    let four = l.w.vector_type(image.sampled, 4);
    let values: Vec<Expr> = args[first..].iter().map(|&a| l.stable_operand(a)).collect();
    let wide: Vec<Expr> = values.iter().map(|&value| l.w.tree.add(ExprKind::Splat(four, value))).collect();
    l.begin();
    l.order(&own);
    if op != Op::ImageAtomicCompareExchange {
        let call = method(l, name, texture, [at].into_iter().chain(layer).chain(wide));
        if l.use_count(result) == 0 {
            l.push(Stmt::Expr(call));
        } else {
            let old = component(l, call, 0);
            l.set_result(result, Some(old));
        }
        return true;
    }
    // As on memory, it may fail although the texel is the expected one.
    let symbol = l.w.tree.add_symbol("before");
    l.push(Stmt::Decl(Decl::plain(symbol, four, Some(wide[0]))));
    let before = l.w.tree.name(symbol);
    let address = l.w.tree.address_of(before);
    let call = method(l, name, texture, [at].into_iter().chain(layer).chain([address, wide[1]]));
    let failed = l.w.tree.not(call);
    let old = component(l, before, 0);
    let same = l.w.tree.infix(Infix::Eq, old, values[0]);
    let condition = l.w.tree.infix(Infix::LogicAnd, failed, same);
    let body = l.w.tree.add_list(vec![]);
    l.push(Stmt::While { condition, body });
    l.set_result(result, Some(old));
    true
}

/// The level of detail of a sample.
pub(crate) fn other(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    if data.op != Op::TextureQueryLod {
        return None;
    }
    if l.w.language.version < Version::V2_3 {
        let message = format!("{} has no queries of the level of detail; MSL 2.3 has", l.w.target_name);
        return refuse(l, Code::E0605, message);
    }
    let ty = l.body.result(node).map_or(Type::VOID, |r| l.body.local_type(r));
    let at = l.stable_operand(args[1]);
    each(l, args[0], &mut |l, leaf| {
        let (texture, sampler) = (texture_of(l, leaf)?, sampler_of(l, leaf)?);
        let clamped = method(l, "calculate_clamped_lod", texture, [sampler, at]);
        let exact = method(l, "calculate_unclamped_lod", texture, [sampler, at]);
        Some(l.w.tree.call(Callee::Type(ty), &[clamped, exact]))
    })
}
