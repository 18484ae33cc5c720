//! Texture and image functions: their overloads follow from the name and from the type of the first argument. Facts from
//! GLSL ES 3.20.8 section 8.9 and 8.14, GLSL 4.60.8 sections 8.9 and 8.12, GLSL ES 1.00.17 section 8.7, and the texts of
//! the extensions named.

use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::ops::{Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType, Scalar, TypeKind, Types};
use smallvec::{SmallVec, smallvec};

use super::scopes;
use super::table::{FLOAT_ATOMICS, FLOAT_ATOMICS_2, needs};
use super::{Action, Availability, Lookup, Overload, Param, ParamKind, TextureAction};

/// Names without the dimension in them.
pub(super) const MODERN_NAMES: &[&str] = &[
    "texture",
    "textureProj",
    "textureLod",
    "textureOffset",
    "texelFetch",
    "texelFetchOffset",
    "textureProjOffset",
    "textureLodOffset",
    "textureProjLod",
    "textureProjLodOffset",
    "textureGrad",
    "textureGradOffset",
    "textureProjGrad",
    "textureProjGradOffset",
    "textureGather",
    "textureGatherOffset",
    "textureGatherOffsets",
    "textureSize",
    "textureQueryLod",
    "textureQueryLOD",
    "textureQueryLevels",
    "textureSamples",
    "imageLoad",
    "imageStore",
    "imageSize",
    "imageSamples",
    "imageAtomicAdd",
    "imageAtomicMin",
    "imageAtomicMax",
    "imageAtomicAnd",
    "imageAtomicOr",
    "imageAtomicXor",
    "imageAtomicExchange",
    "imageAtomicCompSwap",
    "imageAtomicLoad",
    "imageAtomicStore",
    "subpassLoad",
];

/// A sampling function's name, parsed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
struct Name {
    proj: bool,
    lod: bool,
    grad: bool,
    offset: bool,
    gather: bool,
    offsets: bool,
    fetch: bool,
    /// Old names: dimension, arrayed, shadow.
    old: Option<(Dim, bool, bool)>,
    suffix: Suffix,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Suffix {
    #[default]
    None,
    Ext,
    Arb,
}

fn parse_name(name: &str) -> Option<Name> {
    let mut parsed = Name::default();
    let mut rest = if let Some(rest) = name.strip_prefix("texelFetch") {
        parsed.fetch = true;
        rest
    } else if let Some(rest) = name.strip_prefix("textureGather") {
        parsed.gather = true;
        rest
    } else if let Some(rest) = name.strip_prefix("shadow") {
        let (old, rest) = old_dimension(rest)?;
        parsed.old = Some((old.0, old.1, true));
        rest
    } else {
        let rest = name.strip_prefix("texture")?;
        match old_dimension(rest) {
            Some((old, rest)) => {
                parsed.old = Some((old.0, old.1, false));
                rest
            }
            None => rest,
        }
    };
    if parsed.old.is_some() {
        if let Some(r) = rest.strip_suffix("EXT") {
            (rest, parsed.suffix) = (r, Suffix::Ext);
        } else if let Some(r) = rest.strip_suffix("ARB") {
            (rest, parsed.suffix) = (r, Suffix::Arb);
        }
    }
    if let Some(r) = rest.strip_suffix("Offsets") {
        (rest, parsed.offsets) = (r, true);
    } else if let Some(r) = rest.strip_suffix("Offset") {
        (rest, parsed.offset) = (r, true);
    }
    if let Some(r) = rest.strip_suffix("Lod") {
        (rest, parsed.lod) = (r, true);
    } else if let Some(r) = rest.strip_suffix("Grad") {
        (rest, parsed.grad) = (r, true);
    }
    if let Some(r) = rest.strip_suffix("Proj") {
        (rest, parsed.proj) = (r, true);
    }
    let plain = !parsed.proj && !parsed.lod && !parsed.grad;
    let combination_is_known = match parsed {
        _ if !rest.is_empty() => false,
        Name { fetch: true, .. } => plain && !parsed.offsets,
        Name { gather: true, .. } => plain,
        _ => !parsed.offsets,
    };
    combination_is_known.then_some(parsed)
}

/// The dimension at the beginning of a legacy name, and the rest.
fn old_dimension(text: &str) -> Option<((Dim, bool), &str)> {
    const DIMENSIONS: &[(&str, Dim, bool)] = &[
        ("1DArray", Dim::D1, true),
        ("2DArray", Dim::D2, true),
        ("2DRect", Dim::Rect, false),
        ("1D", Dim::D1, false),
        ("2D", Dim::D2, false),
        ("3D", Dim::D3, false),
        ("Cube", Dim::Cube, false),
    ];
    DIMENSIONS.iter().find_map(|&(prefix, dim, arrayed)| Some(((dim, arrayed), text.strip_prefix(prefix)?)))
}

/// Whether some version has a texture or image function of this name.
pub(super) fn is_name(name: &str) -> bool {
    MODERN_NAMES.contains(&name) || parse_name(name).is_some_and(|n| n.old.is_some())
}

/// Whether [`lookup`] considers the name at all.
pub(super) fn may_be_name(name: &str) -> bool {
    ["image", "tex", "shadow"].iter().any(|start| name.starts_with(start)) || name == "subpassLoad"
}

/// The overloads of a texture or image function; `None` if the name is none.
pub(super) fn lookup(types: &mut Types, name: &str, args: &[Type], cx: &Availability<'_>) -> Option<Lookup> {
    if !may_be_name(name) {
        return None;
    }
    if name.starts_with("image") || name == "subpassLoad" {
        let found = image_function(types, scopes::plain_image_function(name), args, cx)?;
        let is_atomic = name.starts_with("imageAtomic");
        return Some(if is_atomic { scopes::with_scopes(types, name, found, cx) } else { found });
    }
    if let Some(query) = query_function(types, name, args, cx) {
        return Some(query);
    }
    let parsed = parse_name(name)?;
    if let Err(reason) = available(parsed, cx) {
        return Some(Lookup::Unavailable(reason));
    }
    let image = args.first().and_then(|&a| types.as_image(a));
    let images: SmallVec<[ImageType; 1]> = match image {
        Some(image) if image.kind == ImageKind::Combined && name_takes(parsed, image) => smallvec![image],
        // Fetches need no sampler.
        Some(image) if image.kind == ImageKind::Texture && parsed.fetch => smallvec![image],
        // The first argument is wrong: show what it should be.
        _ => typical_images(parsed),
    };
    let mut out = Vec::new();
    for image in images {
        sample_overloads(types, parsed, image, cx, &mut out);
    }
    Some(Lookup::Found(out))
}

fn name_takes(name: Name, image: ImageType) -> bool {
    match name.old {
        None => true,
        Some((dim, arrayed, shadow)) => {
            let external = matches!(image.dim, Dim::External | Dim::ExternalYuv) && dim == Dim::D2;
            (image.dim == dim || external) && image.arrayed == arrayed && image.shadow == shadow
        }
    }
}

fn typical_images(name: Name) -> SmallVec<[ImageType; 1]> {
    let image = |dim, arrayed, shadow| ImageType {
        kind: ImageKind::Combined,
        dim,
        arrayed,
        multisampled: false,
        shadow,
        sampled: Scalar::F32,
    };
    match name.old {
        Some((dim, arrayed, shadow)) => smallvec![image(dim, arrayed, shadow)],
        None => smallvec![image(Dim::D2, false, false)],
    }
}

const ES_LOD: &[&str] = &["GL_EXT_shader_texture_lod"];
const ARB_LOD: &[&str] = &["GL_ARB_shader_texture_lod", "GL_EXT_gpu_shader4"];

/// Whether a sampling function is available, or its requirement.
fn available(name: Name, cx: &Availability<'_>) -> Result<(), String> {
    if let Some(old) = name.old {
        return old_available(name, old, cx);
    }
    let (since, extensions): ((u16, u16), &[&str]) = if name.gather {
        let extensions: &[&str] = if name.offsets {
            &["GL_EXT_gpu_shader5", "GL_OES_gpu_shader5", "GL_ARB_gpu_shader5"]
        } else {
            &["GL_ARB_texture_gather", "GL_ARB_gpu_shader5"]
        };
        (if name.offsets { (320, 400) } else { (310, 400) }, extensions)
    } else {
        ((300, 130), &["GL_EXT_gpu_shader4"])
    };
    if cx.version.at_least(since.0, since.1) || cx.any_extension(extensions) {
        Ok(())
    } else {
        let old = (cx.version.is_es_100() && !name.gather && !name.fetch)
            .then_some("; GLSL ES 1.00 has `texture2D` and `textureCube`");
        Err(needs(cx, since, extensions) + old.unwrap_or_default())
    }
}

fn old_available(name: Name, old: (Dim, bool, bool), cx: &Availability<'_>) -> Result<(), String> {
    let (dim, arrayed, shadow) = old;
    let explicit = name.lod || name.grad;
    if cx.version.is_es() {
        if !cx.version.is_es_100() {
            return Err(
                "is only in GLSL ES 1.00; from 3.00 on it is called `texture`, `textureProj`, `textureLod`, …".into()
            );
        }
        if matches!(dim, Dim::D1 | Dim::Rect) || arrayed || name.offset {
            return Err("is not in GLSL ES".into());
        }
        if dim == Dim::D3 && !cx.any_extension(&["GL_OES_texture_3D"]) {
            return Err("needs the extension `GL_OES_texture_3D`".into());
        }
        return match (shadow, explicit, name.suffix) {
            (true, false, Suffix::Ext) if cx.any_extension(&["GL_EXT_shadow_samplers"]) => Ok(()),
            (true, ..) => Err("needs the extension `GL_EXT_shadow_samplers`".into()),
            (false, false, Suffix::None) => Ok(()),
            (false, true, Suffix::Ext) if cx.any_extension(ES_LOD) => Ok(()),
            // WebGL has no level functions in vertex shaders with the suffix, and none in fragment shaders without.
            (false, true, Suffix::None) if name.lod && cx.stage == Stage::Vertex => Ok(()),
            (false, true, _) => Err("needs the extension `GL_EXT_shader_texture_lod` (with the suffix `EXT`)".into()),
            _ => Err("is not in GLSL ES 1.00".into()),
        };
    }
    let still = cx.version.number < 420 || cx.version.profile == crate::version::Profile::Compatibility;
    let suffix = match name.suffix {
        Suffix::None => true,
        Suffix::Arb => name.grad && cx.any_extension(ARB_LOD),
        Suffix::Ext => false,
    };
    let plain_grad = name.grad && name.suffix == Suffix::None;
    // (GLSL 1.20.8, section 8.7.)
    let is_early = name.lod && cx.stage != Stage::Vertex && cx.version.number < 130;
    if !still {
        Err("was removed from the core profile; it is called `texture`, `textureProj`, `textureLod`, …".into())
    } else if !suffix || ((plain_grad || is_early) && !cx.any_extension(ARB_LOD)) {
        Err("needs the extension `GL_ARB_shader_texture_lod`".into())
    } else if dim == Dim::Rect && !cx.any_extension(&["GL_ARB_texture_rectangle"]) && cx.version.number < 140 {
        Err("needs the extension `GL_ARB_texture_rectangle`".into())
    } else {
        Ok(())
    }
}

/// Builds the overloads of one sampling function on one image type.
fn sample_overloads(types: &mut Types, name: Name, image: ImageType, cx: &Availability<'_>, out: &mut Vec<Overload>) {
    if name.fetch {
        fetch_overloads(types, name, image, out);
        return;
    }
    // Not sampled: only fetched. And combinations that the language leaves out.
    if image.multisampled || image.dim == Dim::Buffer {
        return;
    }
    let cube = image.dim == Dim::Cube;
    let no_proj = cube || image.arrayed;
    if (name.proj && no_proj) || (name.offset && cube) || (name.lod && image.dim == Dim::Rect) {
        return;
    }
    if name.gather {
        gather_overloads(types, name, image, out);
        return;
    }
    // Lookups with a reference depth that only an extension has (GLSL ES 3.20.8 and GLSL 4.60.8, section 8.9).
    let layered_shadow = image.shadow && image.arrayed && image.dim != Dim::D1;
    let extended = cx.any_extension(&["GL_EXT_texture_shadow_lod"]);
    let no_level = layered_shadow || (image.shadow && cube);
    if (name.lod && no_level && !extended)
        || (name.grad && cube && layered_shadow)
        || (name.offset && layered_shadow && !name.grad && cx.version.is_es() && !extended)
    {
        return;
    }
    let sizes: &[u8] = match (name.proj, image.dim, image.shadow) {
        (true, _, true) | (true, Dim::D3, _) => &[4],
        (true, Dim::D1, false) => &[2, 4],
        (true, ..) => &[3, 4],
        (false, ..) => &[0],
    };
    for &size in sizes {
        let Some((mut action, coordinate)) = coordinate(types, name, image, size) else { continue };
        let mut params: SmallVec<[Param; 5]> = smallvec![sampler(types, image), input(coordinate)];
        if action.compare_argument {
            params.push(input(Type::F32));
        }
        let mut flags = action.flags;
        if name.lod {
            params.push(input(Type::F32));
            flags = flags.with(TextureFlags::LOD);
        } else if name.grad {
            let vector = types.vector(Scalar::F32, image.dim.coordinates());
            params.extend([input(vector), input(vector)]);
            flags = flags.with(TextureFlags::GRAD);
        }
        if name.offset {
            let texels = types.vector(Scalar::I32, image.dim.coordinates());
            params.push(Param { ty: texels, kind: ParamKind::Const });
            flags = flags.with(TextureFlags::OFFSET);
        }
        let result = if image.shadow && !action.splat { Type::F32 } else { types.vector(image.sampled, 4) };
        action.op = match (name.lod, name.grad) {
            (true, _) => Op::TextureSampleLod,
            (_, true) => Op::TextureSampleGrad,
            _ => Op::TextureSample,
        };
        action.flags = flags;
        out.push(Overload { params: params.clone(), result, action: Action::Texture(action) });
        let no_bias = layered_shadow && !extended;
        let biased = !name.lod && !name.grad && cx.has_quads() && image.dim != Dim::Rect && !no_bias;
        if biased {
            params.push(input(Type::F32));
            let action = TextureAction { flags: flags.with(TextureFlags::BIAS), ..action };
            out.push(Overload { params, result, action: Action::Texture(action) });
        }
    }
}

fn input(ty: Type) -> Param {
    Param { ty, kind: ParamKind::In }
}

fn sampler(types: &mut Types, image: ImageType) -> Param {
    input(types.intern(TypeKind::Image(image)))
}

/// Mapping of the GLSL coordinate, of `size` components if projected, and its type.
fn coordinate(types: &mut Types, name: Name, image: ImageType, size: u8) -> Option<(TextureAction, Type)> {
    let mut action = TextureAction {
        op: Op::TextureSample,
        flags: TextureFlags::NONE,
        coordinate: [0; 4],
        coordinate_len: 0,
        compare: None,
        compare_argument: false,
        component_argument: false,
        splat: image.shadow && name.old.is_some() && name.suffix != Suffix::Ext,
    };
    let plain = image.coordinates();
    let mut total = plain;
    if name.proj {
        action.flags = TextureFlags::PROJ;
        total = size;
    }
    if image.shadow {
        action.flags = action.flags.with(TextureFlags::COMPARE);
        if name.proj {
            // (s, t, depth, q), or (s, unused, depth, q).
            let lanes: &[u8] = if image.dim == Dim::D1 { &[0, 3] } else { &[0, 1, 3] };
            take_lanes(&mut action, lanes);
            action.compare = Some(2);
        } else if plain == 4 {
            action.compare_argument = true;
        } else if image.dim == Dim::D1 && !image.arrayed {
            // (s, unused, depth).
            take_lanes(&mut action, &[0]);
            action.compare = Some(2);
            total = 3;
        } else {
            take_lanes(&mut action, &[0, 1, 2, 3][..plain as usize]);
            action.compare = Some(plain);
            total = plain + 1;
        }
    }
    (total <= 4).then(|| (action, types.vector(Scalar::F32, total)))
}

fn take_lanes(action: &mut TextureAction, lanes: &[u8]) {
    action.coordinate[..lanes.len()].copy_from_slice(lanes);
    action.coordinate_len = lanes.len() as u8;
}

fn plain_action(op: Op, flags: TextureFlags) -> TextureAction {
    TextureAction {
        op,
        flags,
        coordinate: [0; 4],
        coordinate_len: 0,
        compare: None,
        compare_argument: false,
        component_argument: false,
        splat: false,
    }
}

fn fetch_overloads(types: &mut Types, name: Name, image: ImageType, out: &mut Vec<Overload>) {
    if image.shadow || image.dim == Dim::Cube {
        return;
    }
    let coordinate = types.vector(Scalar::I32, image.coordinates());
    let mut params: SmallVec<[Param; 5]> = smallvec![sampler(types, image), input(coordinate)];
    let mut flags = TextureFlags::NONE;
    if image.multisampled {
        flags = TextureFlags::SAMPLE;
        params.push(input(Type::I32));
    } else if !matches!(image.dim, Dim::Rect | Dim::Buffer) {
        flags = TextureFlags::LOD;
        params.push(input(Type::I32));
    }
    if name.offset {
        if image.multisampled || image.dim == Dim::Buffer {
            return;
        }
        flags = flags.with(TextureFlags::OFFSET);
        let ty = types.vector(Scalar::I32, image.dim.coordinates());
        params.push(Param { ty, kind: ParamKind::Const });
    }
    let result = types.vector(image.sampled, 4);
    out.push(Overload { params, result, action: Action::Texture(plain_action(Op::TextureFetch, flags)) });
}

fn gather_overloads(types: &mut Types, name: Name, image: ImageType, out: &mut Vec<Overload>) {
    let dims = matches!(image.dim, Dim::D2 | Dim::Rect | Dim::Cube);
    if !dims || ((name.offset || name.offsets) && image.dim == Dim::Cube) {
        return;
    }
    let coordinate = types.vector(Scalar::F32, image.coordinates());
    let mut params: SmallVec<[Param; 5]> = smallvec![sampler(types, image), input(coordinate)];
    let mut action = plain_action(Op::TextureGather, TextureFlags::NONE);
    if image.shadow {
        params.push(input(Type::F32));
        action.flags = TextureFlags::COMPARE;
        action.compare_argument = true;
    }
    if name.offset {
        action.flags = action.flags.with(TextureFlags::OFFSET);
        // Need not be constant in a gather.
        params.push(input(Type::IVEC2));
    } else if name.offsets {
        action.flags = action.flags.with(TextureFlags::OFFSETS);
        let ty = types.array(Type::IVEC2, 4);
        params.push(Param { ty, kind: ParamKind::Const });
    }
    let result = types.vector(image.sampled, 4);
    out.push(Overload { params: params.clone(), result, action: Action::Texture(action) });
    if !image.shadow {
        params.push(Param { ty: Type::I32, kind: ParamKind::Const });
        action.component_argument = true;
        out.push(Overload { params, result, action: Action::Texture(action) });
    }
}

/// `textureSize`, `textureQueryLod`, `textureQueryLevels`, `textureSamples`.
fn query_function(types: &mut Types, name: &str, args: &[Type], cx: &Availability<'_>) -> Option<Lookup> {
    let (since, extensions): ((u16, u16), &[&str]) = match name {
        "textureSize" => ((300, 130), &["GL_EXT_gpu_shader4"]),
        "textureQueryLod" => ((0, 400), &["GL_EXT_texture_query_lod"]),
        "textureQueryLOD" => ((0, 0), &["GL_ARB_texture_query_lod"]),
        "textureQueryLevels" => ((0, 430), &["GL_ARB_texture_query_levels"]),
        "textureSamples" => ((0, 450), &["GL_ARB_shader_texture_image_samples"]),
        _ => return None,
    };
    if !cx.version.at_least(since.0, since.1) && !cx.any_extension(extensions) {
        return Some(Lookup::Unavailable(needs(cx, since, extensions)));
    }
    // It takes derivatives of the coordinate.
    if name.starts_with("textureQueryL") && name != "textureQueryLevels" && !cx.has_quads() {
        return Some(Lookup::Unavailable("is only in fragment shaders".into()));
    }
    let image = args.first().and_then(|&a| types.as_image(a)).filter(|i| !matches!(i.kind, ImageKind::Storage(_)));
    let image = image.unwrap_or(typical_images(Name::default())[0]);
    let mut params: SmallVec<[Param; 5]> = smallvec![sampler(types, image)];
    let no_level = image.multisampled || matches!(image.dim, Dim::Rect | Dim::Buffer);
    let (result, action) = match name {
        "textureSize" => {
            if !no_level {
                params.push(input(Type::I32));
            }
            (size_type(types, image), Action::TextureSize(!no_level))
        }
        "textureQueryLevels" => (Type::I32, Action::Op(Op::TextureQueryLevels)),
        "textureSamples" => (Type::I32, Action::Op(Op::TextureQuerySamples)),
        _ => {
            params.push(input(types.vector(Scalar::F32, image.dim.coordinates())));
            (Type::VEC2, Action::Op(Op::TextureQueryLod))
        }
    };
    Some(Lookup::Found(vec![Overload { params, result, action }]))
}

fn size_type(types: &mut Types, image: ImageType) -> Type {
    let size = match image.dim {
        Dim::D1 | Dim::Buffer => 1,
        Dim::D3 => 3,
        _ => 2,
    };
    types.vector(Scalar::I32, size + image.arrayed as u8)
}

fn needs_of_floats(cx: &Availability<'_>, extensions: &[&str]) -> String {
    format!("of floats {}", needs(cx, (0, 0), extensions))
}

fn image_function(types: &mut Types, name: &str, args: &[Type], cx: &Availability<'_>) -> Option<Lookup> {
    const LOAD: &[&str] = &["GL_ARB_shader_image_load_store", "GL_EXT_shader_image_load_store"];
    const ATOMIC: &[&str] = &["GL_OES_shader_image_atomic", "GL_ARB_shader_image_load_store"];
    let atomic = ((320, 420), ATOMIC);
    let (op, (since, extensions)) = match name {
        "imageLoad" => (Op::ImageLoad, ((310, 420), LOAD)),
        "imageStore" => (Op::ImageStore, ((310, 420), LOAD)),
        "imageSize" => (Op::ImageSize, ((310, 430), &["GL_ARB_shader_image_size"][..])),
        "imageSamples" => (Op::ImageSamples, ((0, 450), &["GL_ARB_shader_texture_image_samples"][..])),
        "imageAtomicAdd" => (Op::ImageAtomicAdd, atomic),
        "imageAtomicMin" => (Op::ImageAtomicMin, atomic),
        "imageAtomicMax" => (Op::ImageAtomicMax, atomic),
        "imageAtomicAnd" => (Op::ImageAtomicAnd, atomic),
        "imageAtomicOr" => (Op::ImageAtomicOr, atomic),
        "imageAtomicXor" => (Op::ImageAtomicXor, atomic),
        "imageAtomicExchange" => (Op::ImageAtomicExchange, atomic),
        "imageAtomicCompSwap" => (Op::ImageAtomicCompareExchange, atomic),
        "subpassLoad" => (Op::SubpassLoad, ((0, 450), &[][..])),
        _ => return None,
    };
    if !cx.version.at_least(since.0, since.1) && !cx.any_extension(extensions) {
        return Some(Lookup::Unavailable(needs(cx, since, extensions)));
    }
    if args.first().and_then(|&a| types.as_image(a)).is_some_and(|image| image.sampled.is_float()) {
        match op {
            Op::ImageAtomicAdd if !cx.any_extension(FLOAT_ATOMICS) => {
                return Some(Lookup::Unavailable(needs_of_floats(cx, FLOAT_ATOMICS)));
            }
            Op::ImageAtomicExchange
                if !cx.version.at_least(310, 450) && !cx.any_extension(&["GL_EXT_shader_image_load_store"]) =>
            {
                return Some(Lookup::Unavailable(format!("of floats {}", needs(cx, (310, 450), &[]))));
            }
            Op::ImageAtomicMin | Op::ImageAtomicMax if !cx.any_extension(FLOAT_ATOMICS_2) => {
                return Some(Lookup::Unavailable(needs_of_floats(cx, FLOAT_ATOMICS_2)));
            }
            Op::ImageAtomicAnd | Op::ImageAtomicOr | Op::ImageAtomicXor | Op::ImageAtomicCompareExchange => {
                return Some(Lookup::Unavailable("takes only images of integers".into()));
            }
            _ => {}
        }
    }
    let subpass = op == Op::SubpassLoad;
    let image = args
        .first()
        .and_then(|&a| types.as_image(a))
        .filter(|i| matches!(i.kind, ImageKind::Storage(_)) || subpass && i.dim == Dim::Subpass);
    let image = image.unwrap_or(ImageType {
        kind: ImageKind::Storage(planish_ir::types::ImageFormat::Unknown),
        dim: Dim::D2,
        arrayed: false,
        multisampled: false,
        shadow: false,
        sampled: Scalar::F32,
    });
    let mut params: SmallVec<[Param; 5]> = smallvec![sampler(types, image)];
    let texel = types.vector(image.sampled, 4);
    let one = types.scalar(image.sampled);
    if !matches!(op, Op::ImageSize | Op::ImageSamples | Op::SubpassLoad) {
        // A cube array is addressed by one number for layer and face.
        let layer = image.dim == Dim::Cube && image.arrayed;
        params.push(input(types.vector(Scalar::I32, image.coordinates() - layer as u8)));
    }
    if image.multisampled && !matches!(op, Op::ImageSize | Op::ImageSamples) {
        params.push(input(Type::I32));
    }
    let result = match op {
        Op::ImageLoad | Op::SubpassLoad => texel,
        Op::ImageStore => {
            params.push(input(texel));
            Type::VOID
        }
        Op::ImageSize => size_type(types, image),
        Op::ImageSamples => Type::I32,
        Op::ImageAtomicCompareExchange => {
            params.extend([input(one), input(one)]);
            one
        }
        _ => {
            params.push(input(one));
            one
        }
    };
    let sampled = image.multisampled && !matches!(op, Op::ImageSize | Op::ImageSamples);
    Some(Lookup::Found(vec![Overload { params, result, action: Action::Image(op, sampled) }]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Version;

    fn count(version: Version, stage: Stage, name: &str, image: ImageType) -> usize {
        let mut types = Types::new();
        let ty = types.intern(TypeKind::Image(image));
        let cx = Availability { version, stage, extension: &|_| false };
        match lookup(&mut types, name, &[ty], &cx) {
            Some(Lookup::Found(found)) => found.len(),
            _ => 0,
        }
    }

    #[test]
    fn the_overloads_of_common_functions() {
        let plain = ImageType {
            kind: ImageKind::Combined,
            dim: Dim::D2,
            arrayed: false,
            multisampled: false,
            shadow: false,
            sampled: Scalar::F32,
        };
        let shadow = ImageType { shadow: true, ..plain };
        assert_eq!(count(Version::ES_100, Stage::Fragment, "texture2D", plain), 2);
        assert_eq!(count(Version::ES_100, Stage::Vertex, "texture2D", plain), 1);
        assert_eq!(count(Version::ES_100, Stage::Fragment, "texture2DProj", plain), 4);
        assert_eq!(count(Version::ES_100, Stage::Fragment, "texture2DLod", plain), 0);
        assert_eq!(count(Version::ES_100, Stage::Fragment, "texture", plain), 0);
        assert_eq!(count(Version::ES_300, Stage::Fragment, "texture", shadow), 2);
        assert_eq!(count(Version::ES_300, Stage::Fragment, "texture2D", plain), 0);
        assert_eq!(count(Version::ES_310, Stage::Fragment, "textureGather", plain), 2);
        assert_eq!(count(Version::ES_300, Stage::Fragment, "textureSize", plain), 1);
    }

    #[test]
    fn nonsense_is_no_name() {
        for name in ["textureLodGrad", "texture2DFoo", "textureGatherLod", "shadowy", "texelFetchLod"] {
            assert!(parse_name(name).is_none(), "{name}");
        }
    }
}
