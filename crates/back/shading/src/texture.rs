//! Textures, samplers and storage images.

use std::rc::Rc;

use planish_back_text::tree::{Callee, Expr, ExprKind, Infix};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Node, Type, Value};
use planish_ir::ops::{Lanes, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar};

use crate::dialect::Lower;
use crate::globals::{Leaf, Tree};
use crate::language::Language;
use crate::places::{Opaque, Place};
use crate::transfers::select_of;

/// Level of detail of a sample.
#[derive(Clone, Copy)]
pub enum Level {
    /// By the derivatives of the coordinate.
    Auto,
    /// Level 0.
    Zero,
    /// This level.
    Exact(Expr),
    /// By the derivatives of the coordinate, to which this is added.
    Bias(Expr),
    /// By these derivatives along x and y.
    Gradient(Expr, Expr),
}

/// Operands of a sample, besides texture and sampler.
pub struct Sample {
    /// The type of the texture.
    pub image: ImageType,
    /// The coordinate, divided, without the layer.
    pub coordinate: Expr,
    /// The layer, an `i32`.
    pub layer: Option<Expr>,
    /// The constant offset in texels.
    pub offset: Option<Expr>,
    /// The level.
    pub level: Level,
    /// The depth to compare with.
    pub depth: Option<Expr>,
    /// The component to gather.
    pub gather: Option<u8>,
}

/// Reports an error at the node.
pub fn refuse<L: Language, T>(l: &mut Lower<'_, '_, L>, code: Code, message: impl Into<String>) -> Option<T> {
    let span = l.span;
    l.w.error(code, span, message.into());
    None
}

/// Reports a warning at the node, once.
pub fn warn<L: Language>(l: &mut Lower<'_, '_, L>, code: Code, message: impl Into<String>) {
    let warning = Diagnostic::warning(code, l.span, message);
    if !l.w.warnings.contains(&warning) {
        l.w.warnings.push(warning);
    }
}

/// The expression of a texture op.
pub fn texture<L: Language>(l: &mut Lower<'_, '_, L>, node: Node) -> Option<Expr> {
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
        Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad => L::sample(l, image, flags, args, ty),
        Op::TextureGather => gather(l, image, flags, args, ty),
        Op::TextureFetch => fetch(l, image, flags, args),
        Op::TextureSize => {
            let has_level = flags.has(TextureFlags::LOD) && !image.multisampled;
            let level = has_level.then(|| l.stable_operand(args[1]));
            each(l, args[0], &mut |l, leaf| L::texture_size(l, leaf, image, level, ty))
        }
        Op::ImageSize => each(l, args[0], &mut |l, leaf| L::texture_size(l, leaf, image, None, ty)),
        Op::TextureQueryLevels => each(l, args[0], &mut |l, leaf| L::texture_count(l, leaf, true)),
        Op::TextureQuerySamples => each(l, args[0], &mut |l, leaf| L::texture_count(l, leaf, false)),
        Op::ImageLoad => {
            let (coordinate, layer) = texel(l, image, args[1]);
            each(l, args[0], &mut |l, leaf| L::texel(l, leaf, image, (coordinate, layer), None))
        }
        Op::ImageStore => {
            let (coordinate, layer) = texel(l, image, args[1]);
            let value = l.operand(args[args.len() - 1]);
            let (leaves, index) = candidates(l, args[0])?;
            let ([leaf], None) = (&leaves[..], index) else {
                return refuse(l, Code::E0605, "an image to store to cannot be chosen by a computed index");
            };
            L::store_texel(l, *leaf, image, (coordinate, layer), value)
        }
        _ => L::other_texture(l, node),
    }
}

/// A texture and a sampler as one.
fn combine<L: Language>(l: &mut Lower<'_, '_, L>, args: &[Value]) -> Option<Expr> {
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

fn opaque<L: Language>(l: &mut Lower<'_, '_, L>, value: Value) -> Option<Opaque> {
    let e = l.operand(value);
    match l.w.places.get(&e) {
        Some(Place::Opaque(opaque)) => Some(opaque.clone()),
        _ => refuse(l, Code::E0605, "a texture or sampler was expected"),
    }
}

/// The images that a value may be, and the index of the one that it is (`None` if there is one only).
pub fn candidates<L: Language>(l: &mut Lower<'_, '_, L>, value: Value) -> Option<(Vec<Leaf>, Option<Expr>)> {
    let opaque = opaque(l, value)?;
    Some((all_leaves(&opaque), opaque.index))
}

/// The result of `f` for the texture that is meant. Where a computed index chooses, `f` runs for all, and the results are
/// selected.
pub fn each<'m, L: Language>(
    l: &mut Lower<'_, 'm, L>,
    value: Value,
    f: &mut dyn FnMut(&mut Lower<'_, 'm, L>, Leaf) -> Option<Expr>,
) -> Option<Expr> {
    let (leaves, index) = candidates(l, value)?;
    let results: Vec<Expr> = leaves.into_iter().map(|leaf| f(l, leaf)).collect::<Option<_>>()?;
    match index {
        Some(index) => Some(select_of(l.w, index, &results)),
        None => results.first().copied(),
    }
}

/// The texture as an expression.
pub fn texture_of<L: Language>(l: &mut Lower<'_, '_, L>, leaf: Leaf) -> Option<Expr> {
    match leaf.texture {
        Some(symbol) => Some(l.w.tree.name(symbol)),
        None => refuse(l, Code::E0605, "a texture was expected"),
    }
}

/// The sampler as an expression.
pub fn sampler_of<L: Language>(l: &mut Lower<'_, '_, L>, leaf: Leaf) -> Option<Expr> {
    match leaf.sampler {
        Some(symbol) => Some(l.w.tree.name(symbol)),
        None => refuse(l, Code::E0605, "a sampler was expected"),
    }
}

/// A component of a vector.
pub fn component<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr, n: u8) -> Expr {
    l.swizzle(e, Lanes::new(&[n]))
}

/// The first components of a vector.
pub fn first_lanes<L: Language>(l: &mut Lower<'_, '_, L>, e: Expr, n: u8) -> Expr {
    let lanes: Vec<u8> = (0..n).collect();
    l.swizzle(e, Lanes::new(&lanes))
}

/// The number of components of an operand.
pub fn size_of_value<L: Language>(l: &Lower<'_, '_, L>, value: Value) -> u8 {
    l.w.module.types.vector_size(l.type_of(value)).unwrap_or(1)
}

/// The float coordinate without divisor and layer, the layer, and the divisor.
pub fn coordinate<L: Language>(
    l: &mut Lower<'_, '_, L>,
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
        let layer = l.w.tree.builtin(L::ROUND, &[layer]);
        l.w.cast(Type::I32, layer)
    });
    (at, layer, divisor)
}

/// The constant offset of a sample: `None` is a refusal, `Some(None)` no offset.
pub fn constant_offset<L: Language>(
    l: &mut Lower<'_, '_, L>,
    flags: TextureFlags,
    args: &[Value],
) -> Option<Option<Expr>> {
    let Some(i) = flags.operand(TextureFlags::OFFSET) else { return Some(None) };
    match args[i].as_const() {
        Some(c) => Some(Some(l.constant(c))),
        None => {
            let message = format!("{} needs a constant offset", l.w.target_name);
            refuse(l, Code::E0605, message)
        }
    }
}

fn gather<L: Language>(
    l: &mut Lower<'_, '_, L>,
    image: ImageType,
    flags: TextureFlags,
    args: &[Value],
    ty: Type,
) -> Option<Expr> {
    let (coordinate, layer, _) = coordinate(l, image, flags, args[1]);
    let depth = flags.operand(TextureFlags::COMPARE).map(|i| l.stable_operand(args[i]));
    let of = if image.shadow { 0 } else { flags.component() };
    let offset = constant_offset(l, flags, args)?;
    let mut sample = Sample { image, coordinate, layer, offset, level: Level::Zero, depth, gather: Some(of) };
    let Some(i) = flags.operand(TextureFlags::OFFSETS) else {
        return each(l, args[0], &mut |l, leaf| L::gather(l, leaf, &sample, ty));
    };
    // Four offsets: of each footprint the texel (i0, j0), which a gather gives last.
    let parts = args[i].as_const().and_then(|c| l.w.module.consts.as_parts(c));
    let Some(parts) = parts.map(<[_]>::to_vec) else {
        let message = format!("{} needs constant offsets", l.w.target_name);
        return refuse(l, Code::E0605, message);
    };
    let mut components = vec![];
    for part in parts {
        sample.offset = Some(l.constant(part));
        let four = each(l, args[0], &mut |l, leaf| L::gather(l, leaf, &sample, ty))?;
        components.push(component(l, four, 3));
    }
    Some(l.w.tree.call(Callee::Type(ty), &components))
}

/// The integer coordinate without layer, and the layer. A cube as a storage image is an array of faces.
pub fn texel<L: Language>(l: &mut Lower<'_, '_, L>, image: ImageType, value: Value) -> (Expr, Option<Expr>) {
    let cube = image.dim == Dim::Cube && matches!(image.kind, ImageKind::Storage(_));
    let n = if cube { 2 } else { image.dim.coordinates() };
    if !image.arrayed && !cube {
        return (l.operand(value), None);
    }
    let whole = l.stable_operand(value);
    let coordinate = first_lanes(l, whole, n);
    (coordinate, Some(component(l, whole, n)))
}

fn fetch<L: Language>(l: &mut Lower<'_, '_, L>, image: ImageType, flags: TextureFlags, args: &[Value]) -> Option<Expr> {
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
    each(l, args[0], &mut |l, leaf| L::texel(l, leaf, image, (coordinate, layer), Some(last)))
}
