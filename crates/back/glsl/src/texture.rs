//! Texture and image ops: the functions of old and new versions, and how their operands are put together.

use planish_ir::entity::{Local, Node, Type, Value};
use planish_ir::function::Body;
use planish_ir::module::{Module, Stage};
use planish_ir::ops::{Lanes, Op, TextureFlags};
use planish_ir::types::{Dim, ImageKind, ImageType};

use planish_ir::arena::SideTable;

use crate::function::Lower;
use crate::target::NEVER;
use crate::tree::{Callee, Expr, ExprKind};

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

impl Lower<'_, '_> {
    /// A texture or image op.
    pub(crate) fn texture(&mut self, node: Node) -> Option<Expr> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let flags = data.imm.as_texture();
        let image_type = self.w.module.type_of(self.body, args[0]);
        match data.op {
            Op::CombineSampler => {
                let result = self.body.result(node)?;
                let ty = self.body.local_type(result);
                let exprs = [self.operand(args[0]), self.operand(args[1])];
                return Some(self.w.tree.call(Callee::Type(ty), &exprs));
            }
            Op::TextureSample => return self.sample(node, Level::Implicit),
            Op::TextureSampleLod => return self.sample(node, Level::Lod),
            Op::TextureSampleGrad => return self.sample(node, Level::Grad),
            _ => {}
        }
        let image = self.w.module.types.as_image(image_type)?;
        match data.op {
            Op::TextureGather => self.gather(args, flags),
            Op::TextureFetch => self.fetch(args, flags, image),
            Op::TextureSize => {
                let levels = !image.multisampled && !matches!(image.dim, Dim::Rect | Dim::Buffer);
                let mut exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
                if levels && exprs.len() == 1 {
                    exprs.push(self.w.tree.add(ExprKind::Int(0)));
                }
                self.since("textureSize", 300, 130, &exprs)
            }
            Op::TextureQueryLod => self.plain_call("textureQueryLod", NEVER, 400, args),
            Op::TextureQueryLevels => self.plain_call("textureQueryLevels", NEVER, 430, args),
            Op::TextureQuerySamples => self.plain_call("textureSamples", NEVER, 450, args),
            Op::ImageLoad => self.plain_call("imageLoad", 310, 420, args),
            Op::ImageStore => self.plain_call("imageStore", 310, 420, args),
            Op::ImageAtomicAdd => self.plain_call("imageAtomicAdd", 320, 420, args),
            Op::ImageAtomicMin => self.plain_call("imageAtomicMin", 320, 420, args),
            Op::ImageAtomicMax => self.plain_call("imageAtomicMax", 320, 420, args),
            Op::ImageAtomicAnd => self.plain_call("imageAtomicAnd", 320, 420, args),
            Op::ImageAtomicOr => self.plain_call("imageAtomicOr", 320, 420, args),
            Op::ImageAtomicXor => self.plain_call("imageAtomicXor", 320, 420, args),
            Op::ImageAtomicExchange => self.plain_call("imageAtomicExchange", 320, 420, args),
            Op::ImageAtomicCompareExchange => self.plain_call("imageAtomicCompSwap", 320, 420, args),
            Op::ImageSize => self.plain_call("imageSize", 310, 430, args),
            Op::ImageSamples => self.plain_call("imageSamples", NEVER, 450, args),
            _ => None,
        }
    }

    /// A texture op in the words of GLSL.
    pub(crate) fn texture_words(&self, node: Node) -> String {
        let data = self.body.node(node);
        let flags = data.imm.as_texture();
        let level = match data.op {
            Op::TextureSample => Level::Implicit,
            Op::TextureSampleLod => Level::Lod,
            Op::TextureSampleGrad => Level::Grad,
            op => return format!("operation `{}`", op.text()),
        };
        let name = modern_name(flags.has(TextureFlags::PROJ), level, flags.has(TextureFlags::OFFSET));
        let image = self.w.module.type_of(self.body, self.body.args(node)[0]);
        format!("`{name}` for `{}`", crate::types::image_name_of(self.w.module, image))
    }

    fn plain_call(&mut self, name: &'static str, es: u16, desktop: u16, args: &[Value]) -> Option<Expr> {
        let exprs: Vec<Expr> = args.iter().map(|&a| self.operand(a)).collect();
        self.since(name, es, desktop, &exprs)
    }

    fn since(&mut self, name: &'static str, es: u16, desktop: u16, exprs: &[Expr]) -> Option<Expr> {
        if !self.w.target.at_least(es, desktop) && !self.w.enable_named(name) {
            self.w.unsupported(&format!("`{name}`"), self.span);
        }
        Some(self.w.tree.builtin(name, exprs))
    }

    fn at(&mut self, args: &[Value], flags: TextureFlags, flag: TextureFlags) -> Option<Expr> {
        flags.operand(flag).map(|i| self.operand(args[i]))
    }

    fn fetch(&mut self, args: &[Value], flags: TextureFlags, image: ImageType) -> Option<Expr> {
        if image.kind == ImageKind::Texture {
            self.w.extension("GL_EXT_samplerless_texture_functions");
        }
        let mut exprs = vec![self.operand(args[0]), self.operand(args[1])];
        let sample = self.at(args, flags, TextureFlags::SAMPLE);
        let lod = self.at(args, flags, TextureFlags::LOD);
        match sample.or(lod) {
            Some(e) => exprs.push(e),
            None if matches!(image.dim, Dim::Rect | Dim::Buffer) => {}
            None => exprs.push(self.w.tree.add(ExprKind::Int(0))),
        }
        let offset = self.at(args, flags, TextureFlags::OFFSET);
        exprs.extend(offset);
        self.since(if offset.is_some() { "texelFetchOffset" } else { "texelFetch" }, 300, 130, &exprs)
    }

    fn gather(&mut self, args: &[Value], flags: TextureFlags) -> Option<Expr> {
        let mut exprs = vec![self.operand(args[0]), self.operand(args[1])];
        exprs.extend(self.at(args, flags, TextureFlags::COMPARE));
        let offset = self.at(args, flags, TextureFlags::OFFSET);
        let offsets = self.at(args, flags, TextureFlags::OFFSETS);
        exprs.extend(offset);
        exprs.extend(offsets);
        if flags.component() != 0 {
            exprs.push(self.w.tree.add(ExprKind::Int(flags.component().into())));
        }
        let (name, es) = match (offset, offsets) {
            (_, Some(_)) => ("textureGatherOffsets", 320),
            (Some(_), _) => ("textureGatherOffset", 310),
            _ => ("textureGather", 310),
        };
        self.since(name, es, 400, &exprs)
    }

    fn sample(&mut self, node: Node, level: Level) -> Option<Expr> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let flags = data.imm.as_texture();
        let image_type = self.w.module.type_of(self.body, args[0]);
        let image = self.w.module.types.as_image(image_type)?;
        if flags.has(TextureFlags::MIN_LOD) {
            return None;
        }
        let sampler = self.operand(args[0]);
        let proj = flags.has(TextureFlags::PROJ);
        let (coordinate, compare) = self.coordinate(node, image, flags)?;
        let mut exprs = vec![sampler, coordinate];
        exprs.extend(compare);
        exprs.extend(self.at(args, flags, TextureFlags::LOD));
        if let Some(i) = flags.operand(TextureFlags::GRAD) {
            exprs.extend([self.operand(args[i]), self.operand(args[i + 1])]);
        }
        let offset = self.at(args, flags, TextureFlags::OFFSET);
        exprs.extend(offset);
        exprs.extend(self.at(args, flags, TextureFlags::BIAS));
        if self.w.target.is_modern() {
            let name = modern_name(proj, level, offset.is_some());
            return Some(self.w.tree.builtin(name, &exprs));
        }
        if offset.is_some() || image.arrayed {
            return None;
        }
        self.old_sample(image, proj, level, &exprs)
    }

    fn old_sample(&mut self, image: ImageType, proj: bool, level: Level, exprs: &[Expr]) -> Option<Expr> {
        let name = old_name(image, proj, level)?;
        let fragment = self.w.target.stage == Stage::Fragment;
        let es = self.w.target.es;
        let extended = match level {
            Level::Implicit => image.shadow && es,
            Level::Lod => fragment,
            Level::Grad => true,
        };
        if image.dim == Dim::D3 && es {
            self.w.extension("GL_OES_texture_3D");
        }
        if !extended {
            let call = self.w.tree.builtin(name, exprs);
            // Old desktop shadow functions give four equal components.
            let red = image.shadow && !es;
            return Some(if red { self.w.tree.add(ExprKind::Swizzle(call, Lanes::new(&[0]))) } else { call });
        }
        self.w.extension(match (level, es) {
            (Level::Implicit, _) => "GL_EXT_shadow_samplers",
            (_, true) => "GL_EXT_shader_texture_lod",
            (_, false) => "GL_ARB_shader_texture_lod",
        });
        let name = match with_suffix(name, level, es) {
            Some(name) => name,
            None if level == Level::Lod && !es => name,
            None => return None,
        };
        let call = self.w.tree.builtin(name, exprs);
        let red = image.shadow && !es;
        Some(if red { self.w.tree.add(ExprKind::Swizzle(call, Lanes::new(&[0]))) } else { call })
    }

    /// The GLSL coordinate, with the depth to compare in it, or beside it if it has no free component.
    fn coordinate(&mut self, node: Node, image: ImageType, flags: TextureFlags) -> Option<(Expr, Option<Expr>)> {
        let args = self.body.args(node);
        if let Some(&whole) = self.uses.shadow.get(&node) {
            return Some((self.operand(whole), None));
        }
        let Some(compare) = flags.operand(TextureFlags::COMPARE) else { return Some((self.operand(args[1]), None)) };
        let proj = flags.has(TextureFlags::PROJ);
        if image.dim == Dim::Cube && image.arrayed {
            return Some((self.operand(args[1]), Some(self.operand(args[compare]))));
        }
        let (_, _, size) = shadow_lanes(image, proj)?;
        let coordinate = if proj { self.stable_operand(args[1]) } else { self.operand(args[1]) };
        let depth = self.operand(args[compare]);
        let given = self.w.module.types.vector_size(self.w.module.type_of(self.body, args[1]))?;
        let unused = |l: &mut Self| l.w.tree.add(ExprKind::Float(0.0));
        let parts = if proj {
            let divisor = self.swizzle(coordinate, Lanes::new(&[given - 1]));
            if image.dim == Dim::D1 {
                let s = self.swizzle(coordinate, Lanes::new(&[0]));
                let zero = unused(self);
                vec![s, zero, depth, divisor]
            } else {
                let st = self.swizzle(coordinate, Lanes::new(&[0, 1]));
                vec![st, depth, divisor]
            }
        } else if image.dim == Dim::D1 && !image.arrayed {
            let zero = unused(self);
            vec![coordinate, zero, depth]
        } else {
            vec![coordinate, depth]
        };
        let ty = if size == 3 { Type::VEC3 } else { Type::VEC4 };
        Some((self.w.tree.call(Callee::Type(ty), &parts), None))
    }
}
