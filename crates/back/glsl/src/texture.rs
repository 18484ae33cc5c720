//! Texture and image ops: the functions of old and new versions, and how their operands are put together.

use planish_back_text::tree::{Callee, Expr, ExprKind};
use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::{Module, Stage};
use planish_ir::ops::{Lanes, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType};

use crate::dialect::Lower;
use crate::target::NEVER;

/// Level of detail: implicit, given, or by derivatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Implicit,
    Lod,
    Grad,
}

/// The lanes of a GLSL coordinate that the IR's coordinate has, and the lane of the depth.
fn shadow_lanes(image: ImageType, proj: bool) -> Option<(&'static [u8], u8, u8)> {
    Some(match (image.dim, image.arrayed, proj) {
        (Dim::D1, false, true) => (&[0, 3], 2, 4),
        (Dim::D2 | Dim::Rect, false, true) => (&[0, 1, 3], 2, 4),
        (Dim::D1, false, false) => (&[0], 2, 3),
        (Dim::D1, true, false) | (Dim::D2 | Dim::Rect, false, false) => (&[0, 1], 2, 3),
        (Dim::D2, true, false) | (Dim::Cube, false, false) => (&[0, 1, 2], 3, 4),
        _ => return None,
    })
}

/// The vector of which a shadow sample's coordinate and depth are the parts, as GLSL has them, if nothing else uses the
/// parts.
pub(crate) fn shadow_source(module: &Module, body: &Body, raw: &SideTable<Local, u32>, node: Node) -> Option<Value> {
    let data = body.node(node);
    if !matches!(data.op, Op::TextureSample | Op::TextureSampleLod | Op::TextureSampleGrad) {
        return None;
    }
    let flags = data.imm.as_texture();
    if !flags.has(TextureFlags::COMPARE) {
        return None;
    }
    let args = body.args(node);
    let image = module.types.as_image(module.type_of(body, args[0]))?;
    let (lanes, depth, size) = shadow_lanes(image, flags.has(TextureFlags::PROJ))?;
    let parts = [args[1], args[2]];
    if parts.iter().any(|p| p.as_local().is_none_or(|l| raw[l] != 1)) {
        return None;
    }
    let (coordinate, compare) = (body.node_of(args[1])?, body.node_of(args[2])?);
    let whole = body.args(coordinate).first().copied()?;
    let imm = body.node(coordinate).imm;
    let same_lanes = match body.node(coordinate).op {
        Op::ExtractVectorComponentMulti => imm.as_lanes().iter().eq(lanes.iter().copied()),
        Op::ExtractVectorComponent => lanes == [imm.as_index() as u8],
        _ => false,
    };
    let same_depth = body.node(compare).op == Op::ExtractVectorComponent
        && body.args(compare)[0] == whole
        && body.node(compare).imm.as_index() == depth.into();
    let fits = module.types.vector_size(module.type_of(body, whole)) == Some(size);
    (same_lanes && same_depth && fits).then_some(whole)
}

fn modern_name(proj: bool, level: Level, offset: bool) -> &'static str {
    match (proj, level, offset) {
        (false, Level::Implicit, false) => "texture",
        (false, Level::Implicit, true) => "textureOffset",
        (false, Level::Lod, false) => "textureLod",
        (false, Level::Lod, true) => "textureLodOffset",
        (false, Level::Grad, false) => "textureGrad",
        (false, Level::Grad, true) => "textureGradOffset",
        (true, Level::Implicit, false) => "textureProj",
        (true, Level::Implicit, true) => "textureProjOffset",
        (true, Level::Lod, false) => "textureProjLod",
        (true, Level::Lod, true) => "textureProjLodOffset",
        (true, Level::Grad, false) => "textureProjGrad",
        (true, Level::Grad, true) => "textureProjGradOffset",
    }
}

/// The function of ES 1.00 and desktop 1.20, without the suffix that an extension adds.
fn old_name(image: ImageType, proj: bool, level: Level) -> Option<&'static str> {
    let lod = level == Level::Lod;
    Some(match (image.dim, image.shadow, proj, lod) {
        (Dim::D2 | Dim::External, false, false, false) => "texture2D",
        (Dim::D2 | Dim::External, false, true, false) => "texture2DProj",
        (Dim::D2, false, false, true) => "texture2DLod",
        (Dim::D2, false, true, true) => "texture2DProjLod",
        (Dim::Cube, false, false, false) => "textureCube",
        (Dim::Cube, false, false, true) => "textureCubeLod",
        (Dim::D3, false, false, false) => "texture3D",
        (Dim::D3, false, true, false) => "texture3DProj",
        (Dim::D3, false, false, true) => "texture3DLod",
        (Dim::D3, false, true, true) => "texture3DProjLod",
        (Dim::D1, false, false, false) => "texture1D",
        (Dim::D1, false, true, false) => "texture1DProj",
        (Dim::D1, false, false, true) => "texture1DLod",
        (Dim::D1, false, true, true) => "texture1DProjLod",
        (Dim::D1, true, false, false) => "shadow1D",
        (Dim::D1, true, true, false) => "shadow1DProj",
        (Dim::D1, true, false, true) => "shadow1DLod",
        (Dim::D2, true, false, false) => "shadow2D",
        (Dim::D2, true, true, false) => "shadow2DProj",
        (Dim::D2, true, false, true) => "shadow2DLod",
        (Dim::Rect, false, false, false) => "texture2DRect",
        (Dim::Rect, false, true, false) => "texture2DRectProj",
        _ => return None,
    })
}

/// The name with the suffix of the extension.
fn with_suffix(name: &str, level: Level, es: bool) -> Option<&'static str> {
    Some(match (name, level, es) {
        ("texture2DLod", _, true) => "texture2DLodEXT",
        ("texture2DProjLod", _, true) => "texture2DProjLodEXT",
        ("textureCubeLod", _, true) => "textureCubeLodEXT",
        ("texture2D", Level::Grad, true) => "texture2DGradEXT",
        ("texture2DProj", Level::Grad, true) => "texture2DProjGradEXT",
        ("textureCube", Level::Grad, true) => "textureCubeGradEXT",
        ("texture2D", Level::Grad, false) => "texture2DGradARB",
        ("texture2DProj", Level::Grad, false) => "texture2DProjGradARB",
        ("textureCube", Level::Grad, false) => "textureCubeGradARB",
        ("texture3D", Level::Grad, false) => "texture3DGradARB",
        ("shadow2D", Level::Implicit, true) => "shadow2DEXT",
        ("shadow2DProj", Level::Implicit, true) => "shadow2DProjEXT",
        _ => return None,
    })
}

/// A texture or image op.
pub(crate) fn texture(l: &mut Lower<'_, '_>, node: Node) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let flags = data.imm.as_texture();
    let image_type = l.type_of(args[0]);
    match data.op {
        Op::CombineSampler => {
            let result = l.body.result(node)?;
            let ty = l.body.local_type(result);
            let exprs = [l.operand(args[0]), l.operand(args[1])];
            return Some(l.w.tree.call(Callee::Type(ty), &exprs));
        }
        Op::TextureSample => return sample(l, node, Level::Implicit),
        Op::TextureSampleLod => return sample(l, node, Level::Lod),
        Op::TextureSampleGrad => return sample(l, node, Level::Grad),
        _ => {}
    }
    let image = l.w.module.types.as_image(image_type)?;
    match data.op {
        Op::TextureGather => gather(l, args, flags),
        Op::TextureFetch => fetch(l, args, flags, image),
        Op::TextureSize => {
            let levels = !image.multisampled && !matches!(image.dim, Dim::Rect | Dim::Buffer);
            let mut exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
            if levels && exprs.len() == 1 {
                exprs.push(l.w.tree.add(ExprKind::Int(0)));
            }
            since(l, "textureSize", 300, 130, &exprs)
        }
        Op::TextureQueryLod => plain_call(l, "textureQueryLod", NEVER, 400, args),
        Op::TextureQueryLevels => plain_call(l, "textureQueryLevels", NEVER, 430, args),
        Op::TextureQuerySamples => plain_call(l, "textureSamples", NEVER, 450, args),
        Op::ImageLoad => plain_call(l, "imageLoad", 310, 420, args),
        Op::ImageStore => plain_call(l, "imageStore", 310, 420, args),
        Op::ImageAtomicAdd => plain_call(l, "imageAtomicAdd", 320, 420, args),
        Op::ImageAtomicMin => plain_call(l, "imageAtomicMin", 320, 420, args),
        Op::ImageAtomicMax => plain_call(l, "imageAtomicMax", 320, 420, args),
        Op::ImageAtomicAnd => plain_call(l, "imageAtomicAnd", 320, 420, args),
        Op::ImageAtomicOr => plain_call(l, "imageAtomicOr", 320, 420, args),
        Op::ImageAtomicXor => plain_call(l, "imageAtomicXor", 320, 420, args),
        Op::ImageAtomicExchange => plain_call(l, "imageAtomicExchange", 320, 420, args),
        Op::ImageAtomicCompareExchange => plain_call(l, "imageAtomicCompSwap", 320, 420, args),
        Op::ImageSize => plain_call(l, "imageSize", 310, 430, args),
        Op::ImageSamples => plain_call(l, "imageSamples", NEVER, 450, args),
        _ => None,
    }
}

/// A texture op in the words of GLSL.
pub(crate) fn words_for(l: &Lower<'_, '_>, node: Node) -> String {
    let data = l.body.node(node);
    let flags = data.imm.as_texture();
    let level = match data.op {
        Op::TextureSample => Level::Implicit,
        Op::TextureSampleLod => Level::Lod,
        Op::TextureSampleGrad => Level::Grad,
        op => return format!("operation `{}`", op.text()),
    };
    let name = modern_name(flags.has(TextureFlags::PROJ), level, flags.has(TextureFlags::OFFSET));
    let image = l.type_of(l.body.args(node)[0]);
    format!("`{name}` for `{}`", crate::types::image_name_of(l.w.module, image))
}

fn plain_call(l: &mut Lower<'_, '_>, name: &'static str, es: u16, desktop: u16, args: &[Value]) -> Option<Expr> {
    let exprs: Vec<Expr> = args.iter().map(|&a| l.operand(a)).collect();
    since(l, name, es, desktop, &exprs)
}

fn since(l: &mut Lower<'_, '_>, name: &'static str, es: u16, desktop: u16, exprs: &[Expr]) -> Option<Expr> {
    if !l.w.target.at_least(es, desktop) && !l.w.enable_named(name) {
        l.w.unsupported(&format!("`{name}`"), l.span);
    }
    Some(l.w.tree.builtin(name, exprs))
}

fn at(l: &mut Lower<'_, '_>, args: &[Value], flags: TextureFlags, flag: TextureFlags) -> Option<Expr> {
    flags.operand(flag).map(|i| l.operand(args[i]))
}

fn fetch(l: &mut Lower<'_, '_>, args: &[Value], flags: TextureFlags, image: ImageType) -> Option<Expr> {
    if image.kind == ImageKind::Texture {
        l.w.extension("GL_EXT_samplerless_texture_functions");
    }
    let mut exprs = vec![l.operand(args[0]), l.operand(args[1])];
    let sample = at(l, args, flags, TextureFlags::SAMPLE);
    let lod = at(l, args, flags, TextureFlags::LOD);
    match sample.or(lod) {
        Some(e) => exprs.push(e),
        None if matches!(image.dim, Dim::Rect | Dim::Buffer) => {}
        None => exprs.push(l.w.tree.add(ExprKind::Int(0))),
    }
    let offset = at(l, args, flags, TextureFlags::OFFSET);
    exprs.extend(offset);
    since(l, if offset.is_some() { "texelFetchOffset" } else { "texelFetch" }, 300, 130, &exprs)
}

fn gather(l: &mut Lower<'_, '_>, args: &[Value], flags: TextureFlags) -> Option<Expr> {
    let mut exprs = vec![l.operand(args[0]), l.operand(args[1])];
    exprs.extend(at(l, args, flags, TextureFlags::COMPARE));
    let offset = at(l, args, flags, TextureFlags::OFFSET);
    let offsets = at(l, args, flags, TextureFlags::OFFSETS);
    exprs.extend(offset);
    exprs.extend(offsets);
    if flags.component() != 0 {
        exprs.push(l.w.tree.add(ExprKind::Int(flags.component().into())));
    }
    let (name, es) = match (offset, offsets) {
        (_, Some(_)) => ("textureGatherOffsets", 320),
        (Some(_), _) => ("textureGatherOffset", 310),
        _ => ("textureGather", 310),
    };
    since(l, name, es, 400, &exprs)
}

fn sample(l: &mut Lower<'_, '_>, node: Node, level: Level) -> Option<Expr> {
    let data = l.body.node(node);
    let args = l.body.args(node);
    let flags = data.imm.as_texture();
    let image_type = l.type_of(args[0]);
    let image = l.w.module.types.as_image(image_type)?;
    if flags.has(TextureFlags::MIN_LOD) {
        return None;
    }
    let sampler = l.operand(args[0]);
    let proj = flags.has(TextureFlags::PROJ);
    let (coordinate, compare) = coordinate(l, node, image, flags)?;
    let mut exprs = vec![sampler, coordinate];
    exprs.extend(compare);
    exprs.extend(at(l, args, flags, TextureFlags::LOD));
    if let Some(i) = flags.operand(TextureFlags::GRAD) {
        exprs.extend([l.operand(args[i]), l.operand(args[i + 1])]);
    }
    let offset = at(l, args, flags, TextureFlags::OFFSET);
    exprs.extend(offset);
    exprs.extend(at(l, args, flags, TextureFlags::BIAS));
    if l.w.target.is_modern() {
        let name = modern_name(proj, level, offset.is_some());
        return Some(l.w.tree.builtin(name, &exprs));
    }
    if offset.is_some() || image.arrayed {
        return None;
    }
    old_sample(l, image, proj, level, &exprs)
}

fn old_sample(l: &mut Lower<'_, '_>, image: ImageType, proj: bool, level: Level, exprs: &[Expr]) -> Option<Expr> {
    let name = old_name(image, proj, level)?;
    let fragment = l.w.target.stage == Stage::Fragment;
    let es = l.w.target.es;
    let extended = match level {
        Level::Implicit => image.shadow && es,
        Level::Lod => fragment,
        Level::Grad => true,
    };
    if image.dim == Dim::D3 && es {
        l.w.extension("GL_OES_texture_3D");
    }
    if !extended {
        let call = l.w.tree.builtin(name, exprs);
        // Old desktop shadow functions give four equal components.
        let red = image.shadow && !es;
        return Some(if red { l.w.tree.add(ExprKind::Swizzle(call, Lanes::new(&[0]))) } else { call });
    }
    l.w.extension(match (level, es) {
        (Level::Implicit, _) => "GL_EXT_shadow_samplers",
        (_, true) => "GL_EXT_shader_texture_lod",
        (_, false) => "GL_ARB_shader_texture_lod",
    });
    let name = match with_suffix(name, level, es) {
        Some(name) => name,
        None if level == Level::Lod && !es => name,
        None => return None,
    };
    let call = l.w.tree.builtin(name, exprs);
    let red = image.shadow && !es;
    Some(if red { l.w.tree.add(ExprKind::Swizzle(call, Lanes::new(&[0]))) } else { call })
}

/// The GLSL coordinate, with the depth to compare in it, or beside it if it has no free component.
fn coordinate(
    l: &mut Lower<'_, '_>,
    node: Node,
    image: ImageType,
    flags: TextureFlags,
) -> Option<(Expr, Option<Expr>)> {
    let args = l.body.args(node);
    if let Some(whole) = l.whole_operand(node) {
        return Some((l.operand(whole), None));
    }
    let Some(compare) = flags.operand(TextureFlags::COMPARE) else { return Some((l.operand(args[1]), None)) };
    let proj = flags.has(TextureFlags::PROJ);
    if image.dim == Dim::Cube && image.arrayed {
        return Some((l.operand(args[1]), Some(l.operand(args[compare]))));
    }
    let (_, _, size) = shadow_lanes(image, proj)?;
    let coordinate = if proj { l.stable_operand(args[1]) } else { l.operand(args[1]) };
    let depth = l.operand(args[compare]);
    let given = l.w.module.types.vector_size(l.type_of(args[1]))?;
    let unused = |l: &mut Lower<'_, '_>| l.w.tree.add(ExprKind::Float(0.0));
    let parts = if proj {
        let divisor = l.swizzle(coordinate, Lanes::new(&[given - 1]));
        if image.dim == Dim::D1 {
            let s = l.swizzle(coordinate, Lanes::new(&[0]));
            let zero = unused(l);
            vec![s, zero, depth, divisor]
        } else {
            let st = l.swizzle(coordinate, Lanes::new(&[0, 1]));
            vec![st, depth, divisor]
        }
    } else if image.dim == Dim::D1 && !image.arrayed {
        let zero = unused(l);
        vec![coordinate, zero, depth]
    } else {
        vec![coordinate, depth]
    };
    let ty = if size == 3 { Type::VEC3 } else { Type::VEC4 };
    Some((l.w.tree.call(Callee::Type(ty), &parts), None))
}
