//! State of one output beside what all languages have: extensions, built-in variables, helpers.
//! whole: all other modules of this crate share it.

use std::collections::BTreeSet;

use planish_back_text::tree::{Expr, ExprKind, Infix, Symbol};
use planish_back_text::{Dialect, Text};
use planish_ir::decoration::{BuiltIn, Precision};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::module::{Language, Module, Stage};
use planish_ir::ops::Op;
use planish_ir::source::Span;
use planish_ir::types::{AddressSpace, Dim, ImageFormat, ImageKind, Scalar, TypeKind};
use rustc_hash::FxHashMap;

use crate::declare::Defaults;
use crate::dialect::abilities;
use crate::helper::Helper;
use crate::target::{NEVER, Target};

/// The state of one output.
pub(crate) struct Writer<'m> {
    pub(crate) text: Text<'m>,
    pub(crate) target: Target,
    pub(crate) extensions: BTreeSet<&'static str>,
    /// The function that is written as `main`.
    pub(crate) main: Option<Func>,
    /// Helper functions in the order in which they were first needed.
    pub(crate) helpers: Vec<(Helper, Type, Symbol)>,
    /// Built-in variables by name.
    fixed: FxHashMap<&'static str, Symbol>,
    /// The user output that replaces `gl_FragColor` or `gl_FragData`.
    pub(crate) fragment_output: Option<(Var, Symbol)>,
    pub(crate) fragment_outputs: u32,
    /// Default precisions, known before anything is printed.
    pub(crate) defaults: Defaults,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(module: &'m Module, target: Target, minify: bool) -> Self {
        let is_output = |v: &&Var| {
            let data = &module.vars[**v];
            data.space == AddressSpace::Output && data.decorations.builtin().is_none()
        };
        let mut text = Text::new(module, "GLSL", target.describe(), abilities(&target));
        text.minify = minify;
        Writer {
            text,
            target,
            extensions: BTreeSet::new(),
            main: None,
            helpers: Vec::new(),
            fixed: FxHashMap::default(),
            fragment_output: None,
            fragment_outputs: module.globals.iter().filter(is_output).count() as u32,
            defaults: Defaults { float: Precision::High, int: Precision::High },
        }
    }

    /// Requires an extension.
    pub(crate) fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Whether the source enables an extension.
    pub(crate) fn source_has(&self, name: &str) -> bool {
        self.module.extensions.iter().any(|e| &**e == name)
    }

    /// The symbol of a helper function for operands of a type; `None` if there is none for it.
    pub(crate) fn helper_symbol(&mut self, helper: Helper, ty: Type) -> Option<Symbol> {
        if let Some(known) = self.helpers.iter().find(|h| h.0 == helper && h.1 == ty) {
            return Some(known.2);
        }
        if !helper.takes(&self.module.types[ty]) {
            return None;
        }
        let symbol = self.tree.add_symbol(helper.name());
        self.helpers.push((helper, ty, symbol));
        Some(symbol)
    }

    /// Whether an extension gives the function of an op to a target that is too old for it.
    pub(crate) fn enable_function(&mut self, op: Op) -> bool {
        let name = match op {
            Op::DfdxFine | Op::DfdyFine | Op::FwidthFine | Op::DfdxCoarse | Op::DfdyCoarse | Op::FwidthCoarse => {
                if self.target.es || self.target.version < 400 {
                    return false;
                }
                "GL_ARB_derivative_control"
            }
            Op::InterpolateAtCentroid | Op::InterpolateAtSample | Op::InterpolateAtOffset
                if self.target.es && self.target.version >= 300 =>
            {
                "GL_OES_shader_multisample_interpolation"
            }
            _ => return false,
        };
        self.extension(name);
        true
    }

    /// As [`Writer::enable_function`], by the function's name.
    pub(crate) fn enable_named(&mut self, name: &str) -> bool {
        let desktop = !self.target.es;
        let extension = match name {
            "textureQueryLevels" if desktop && self.target.version >= 330 => "GL_ARB_texture_query_levels",
            "textureQueryLod" if desktop && self.target.version >= 130 => "GL_ARB_texture_query_lod",
            "textureGather" | "textureGatherOffset" if desktop && self.target.version >= 150 => "GL_ARB_gpu_shader5",
            "textureGatherOffsets" if !desktop && self.target.version >= 310 => "GL_EXT_gpu_shader5",
            n if n.starts_with("imageAtomic") && !desktop && self.target.version >= 310 => "GL_OES_shader_image_atomic",
            _ => return false,
        };
        self.extension(extension);
        true
    }

    /// Extensions that a function needs in a target that knows it.
    pub(crate) fn note_function(&mut self, op: Op) {
        let derivative = matches!(op, Op::Dfdx | Op::Dfdy | Op::Fwidth);
        if derivative && self.target.es && self.target.version == 100 {
            self.extension("GL_OES_standard_derivatives");
        }
        if matches!(op, Op::YuvToRgb | Op::RgbToYuv) {
            self.extension("GL_EXT_YUV_target");
        }
    }

    fn fixed(&mut self, name: &'static str) -> Expr {
        let symbol = match self.fixed.get(name) {
            Some(&symbol) => symbol,
            None => {
                let symbol = self.tree.add_named(name);
                self.fixed.insert(name, symbol);
                symbol
            }
        };
        self.tree.name(symbol)
    }

    /// Whether the built-in variable of this name is mentioned.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.fixed.contains_key(name)
    }

    /// A global variable as an expression.
    pub(crate) fn global_expr(&mut self, var: Var) -> Expr {
        let data = &self.module.vars[var];
        if let Some(builtin) = data.decorations.builtin() {
            return self.builtin_expr(var, builtin);
        }
        let fragment = self.target.stage == Stage::Fragment && data.space == AddressSpace::Output;
        if fragment && !self.target.is_modern() {
            return self.old_output(var);
        }
        let symbol = self.global_symbol(var);
        self.tree.name(symbol)
    }

    /// A fragment output of the user's in a version that has only `gl_FragColor` and `gl_FragData`.
    fn old_output(&mut self, var: Var) -> Expr {
        let data = &self.module.vars[var];
        let location = data.decorations.location().unwrap_or(0);
        if let TypeKind::Array { element: Type::VEC4, .. } = self.module.types[data.ty] {
            self.extension_for_outputs();
            return self.fixed("gl_FragData");
        }
        if data.ty != Type::VEC4 {
            let target = self.target.describe();
            let message = format!("{target} has no fragment output of another type than `vec4`");
            self.error(Code::E0609, data.span, message);
        }
        if self.fragment_outputs == 1 && location == 0 {
            return self.fixed("gl_FragColor");
        }
        self.extension_for_outputs();
        let array = self.fixed("gl_FragData");
        let index = self.tree.add(ExprKind::Int(location as i32));
        self.tree.add(ExprKind::Index(array, index))
    }

    fn extension_for_outputs(&mut self) {
        if self.target.es {
            self.extension("GL_EXT_draw_buffers");
        }
    }

    fn builtin_expr(&mut self, var: Var, builtin: BuiltIn) -> Expr {
        let modern = self.target.is_modern();
        let data = &self.module.vars[var];
        match builtin {
            BuiltIn::FragColor | BuiltIn::FragData if modern && (self.target.es || self.target.version >= 140) => {
                let symbol = match self.fragment_output {
                    Some((known, symbol)) if known == var => symbol,
                    _ => {
                        let name = if builtin == BuiltIn::FragColor { "fragColor" } else { "fragData" };
                        let symbol = self.tree.add_symbol(name);
                        self.fragment_output = Some((var, symbol));
                        symbol
                    }
                };
                return self.tree.name(symbol);
            }
            BuiltIn::FragData if self.source_has("GL_EXT_draw_buffers") => self.extension_for_outputs(),
            _ => {}
        }
        let span = data.span;
        if let Some(expr) = self.index_with_base(builtin) {
            return expr;
        }
        match self.builtin_name(builtin) {
            Some(name) => self.fixed(name),
            None => {
                let target = self.target.describe();
                let message = format!("{target} has no `{}`", builtin.glsl_name());
                self.error(Code::E0603, span, message);
                self.fixed(builtin.glsl_name())
            }
        }
    }

    /// OpenGL's instance number begins with 0, Vulkan's with the first instance of the draw. (ES has no first instance.)
    fn index_with_base(&mut self, builtin: BuiltIn) -> Option<Expr> {
        let op = match builtin {
            BuiltIn::InstanceId if self.target.vulkan => Infix::Sub,
            BuiltIn::InstanceIndex if !self.target.vulkan && !self.target.es => Infix::Add,
            _ => return None,
        };
        let base = if self.target.version >= 460 {
            "gl_BaseInstance"
        } else {
            self.extension("GL_ARB_shader_draw_parameters");
            "gl_BaseInstanceARB"
        };
        let number = self.fixed(if self.target.vulkan { "gl_InstanceIndex" } else { "gl_InstanceID" });
        let base = self.fixed(base);
        Some(self.tree.infix(op, number, base))
    }

    /// Requires an extension of subgroups, by the end of its name.
    pub(crate) fn subgroup_extension(&mut self, name: &str, span: Span) {
        if !self.target.at_least(310, 140) {
            self.unsupported("an operation on subgroups", span);
        }
        self.extension(match name {
            "vote" => "GL_KHR_shader_subgroup_vote",
            "ballot" => "GL_KHR_shader_subgroup_ballot",
            "shuffle" => "GL_KHR_shader_subgroup_shuffle",
            "shuffle_relative" => "GL_KHR_shader_subgroup_shuffle_relative",
            "arithmetic" => "GL_KHR_shader_subgroup_arithmetic",
            "clustered" => "GL_KHR_shader_subgroup_clustered",
            "quad" => "GL_KHR_shader_subgroup_quad",
            _ => "GL_KHR_shader_subgroup_basic",
        });
    }

    /// The target's name of a built-in variable; requires the extension that it needs.
    pub(crate) fn builtin_name(&mut self, builtin: BuiltIn) -> Option<&'static str> {
        let es = self.target.es;
        let version = self.target.version;
        let (since_es, since_desktop) = match builtin {
            BuiltIn::Position | BuiltIn::PointSize | BuiltIn::FragCoord | BuiltIn::FrontFacing => (100, 110),
            BuiltIn::PointCoord => (100, 120),
            BuiltIn::DepthRange | BuiltIn::FragColor | BuiltIn::FragData => (100, 110),
            BuiltIn::FragDepth => {
                if es && version == 100 {
                    self.extension("GL_EXT_frag_depth");
                    return Some("gl_FragDepthEXT");
                }
                (300, 110)
            }
            BuiltIn::VertexId | BuiltIn::VertexIndex if self.target.vulkan => return Some("gl_VertexIndex"),
            BuiltIn::InstanceIndex if self.target.vulkan => return Some("gl_InstanceIndex"),
            BuiltIn::VertexIndex => return self.target.at_least(300, 130).then_some("gl_VertexID"),
            BuiltIn::InstanceIndex => return self.target.at_least(300, 140).then_some("gl_InstanceID"),
            BuiltIn::VertexId => (300, 130),
            BuiltIn::InstanceId => (300, 140),
            // No version of ES has them; a program that enables the extension keeps it.
            BuiltIn::ClipDistance if es && version >= 300 => {
                let known = ["GL_ANGLE_clip_cull_distance", "GL_EXT_clip_cull_distance"];
                let name = known.into_iter().find(|name| self.source_has(name))?;
                self.extension(name);
                (300, 130)
            }
            BuiltIn::ClipDistance => (NEVER, 130),
            BuiltIn::CullDistance if es && version >= 300 && self.source_has("GL_EXT_clip_cull_distance") => {
                self.extension("GL_EXT_clip_cull_distance");
                (300, 450)
            }
            BuiltIn::CullDistance => (NEVER, 450),
            BuiltIn::DrawId => {
                if es && version >= 300 || self.source_has("GL_ANGLE_multi_draw") {
                    self.extension("GL_ANGLE_multi_draw");
                    return Some("gl_DrawID");
                }
                (NEVER, 460)
            }
            BuiltIn::BaseVertex | BuiltIn::BaseInstance => (NEVER, 460),
            BuiltIn::ViewId => {
                let name = if self.source_has("GL_OVR_multiview") { "GL_OVR_multiview" } else { "GL_OVR_multiview2" };
                self.extension(name);
                (300, 330)
            }
            BuiltIn::LastFragData => {
                self.extension("GL_EXT_shader_framebuffer_fetch");
                (100, NEVER)
            }
            BuiltIn::LastFragColor => {
                self.extension("GL_ARM_shader_framebuffer_fetch");
                (100, NEVER)
            }
            BuiltIn::LastFragDepth | BuiltIn::LastFragStencil => {
                self.extension("GL_ARM_shader_framebuffer_fetch_depth_stencil");
                (100, NEVER)
            }
            BuiltIn::SecondaryFragColor | BuiltIn::SecondaryFragData => {
                self.extension("GL_EXT_blend_func_extended");
                (100, NEVER)
            }
            BuiltIn::SampleId | BuiltIn::SamplePosition | BuiltIn::SampleMask | BuiltIn::SampleMaskIn => (320, 400),
            BuiltIn::NumSamples => (320, 430),
            BuiltIn::HelperInvocation => (310, 450),
            BuiltIn::FragStencilRef => {
                self.extension("GL_ARB_shader_stencil_export");
                (NEVER, 140)
            }
            BuiltIn::BaryCoord | BuiltIn::BaryCoordNoPerspective => {
                self.extension("GL_EXT_fragment_shader_barycentric");
                (320, 450)
            }
            BuiltIn::FullyCovered => {
                self.extension("GL_NV_conservative_raster_underestimation");
                (NEVER, 450)
            }
            BuiltIn::FragSize | BuiltIn::FragInvocationCount => {
                self.extension("GL_EXT_fragment_invocation_density");
                (310, 450)
            }
            BuiltIn::ShadingRate | BuiltIn::PrimitiveShadingRate => {
                self.extension("GL_EXT_fragment_shading_rate");
                (310, 450)
            }
            BuiltIn::DeviceIndex => {
                self.extension("GL_EXT_device_group");
                (310, 140)
            }
            BuiltIn::Layer | BuiltIn::ViewportIndex
                if matches!(self.target.stage, Stage::Vertex | Stage::TessellationEvaluation) =>
            {
                self.extension("GL_ARB_shader_viewport_layer_array");
                (NEVER, 410)
            }
            BuiltIn::Layer | BuiltIn::PrimitiveId => (320, 150),
            BuiltIn::ViewportIndex => (NEVER, 410),
            BuiltIn::PerVertexIn | BuiltIn::PrimitiveIdIn | BuiltIn::InvocationId => (320, 150),
            BuiltIn::PerVertexOut
            | BuiltIn::PatchVerticesIn
            | BuiltIn::TessLevelOuter
            | BuiltIn::TessLevelInner
            | BuiltIn::TessCoord => (320, 400),
            BuiltIn::BoundingBox => (320, NEVER),
            BuiltIn::NumSubgroups | BuiltIn::SubgroupId | BuiltIn::SubgroupSize | BuiltIn::SubgroupInvocationId => {
                self.extension("GL_KHR_shader_subgroup_basic");
                (310, 140)
            }
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => {
                self.extension("GL_KHR_shader_subgroup_ballot");
                (310, 140)
            }
            BuiltIn::NumWorkGroups
            | BuiltIn::WorkGroupSize
            | BuiltIn::WorkGroupId
            | BuiltIn::LocalInvocationId
            | BuiltIn::GlobalInvocationId
            | BuiltIn::LocalInvocationIndex => (310, 430),
        };
        self.target.at_least(since_es, since_desktop).then_some(builtin.glsl_name())
    }

    /// The member of a block without an instance name, which is written bare.
    pub(crate) fn bare_member(&mut self, var: Var, index: u32) -> Option<Expr> {
        let data = &self.module.vars[var];
        let structure = self.module.types.as_struct(data.ty)?;
        if !structure.is_block || !data.name.text.is_empty() || data.decorations.builtin().is_some() {
            return None;
        }
        if let Some(builtin) = structure.members.get(index as usize).and_then(|m| m.decorations.builtin()) {
            self.global_symbol(var);
            let name = self.builtin_name(builtin).unwrap_or(builtin.glsl_name());
            return Some(self.fixed(name));
        }
        self.global_symbol(var);
        let symbol = self.member_symbol(data.ty, index);
        Some(self.tree.name(symbol))
    }

    /// Reports a type that the target lacks, whose parts are fine.
    pub(crate) fn check_kind_of(&mut self, ty: Type, span: Span) {
        match self.module.types[ty].clone() {
            TypeKind::Scalar(s) | TypeKind::Vector(s, _) => self.check_scalar(s, span),
            TypeKind::Matrix { scalar, columns, rows } => {
                self.check_scalar(scalar, span);
                if columns != rows && !self.target.at_least(300, 120) {
                    self.lacks_type("matrix that is not square", span);
                }
            }
            TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } => {
                let nested =
                    matches!(self.module.types[element], TypeKind::Array { .. } | TypeKind::RuntimeArray { .. });
                if nested && !self.target.at_least(310, 430) {
                    self.lacks_type("array of arrays", span);
                }
            }
            TypeKind::Image(image) => self.check_image(image, span),
            TypeKind::Sampler { .. } => {
                if !self.target.vulkan {
                    self.lacks_type("sampler without a texture", span);
                }
            }
            TypeKind::Struct(_) | TypeKind::Pointer { .. } | TypeKind::Void | TypeKind::YuvCsc => {}
            TypeKind::AtomicCounter => {
                if !self.target.at_least(310, 420) {
                    self.lacks_type("atomic counter", span);
                }
            }
            TypeKind::Function { .. } | TypeKind::FuncRef | TypeKind::ExternRef => {
                self.lacks_type("reference", span);
            }
            TypeKind::V128 => self.lacks_type("128-bit value", span),
            TypeKind::Token => self.lacks_type("token", span),
            TypeKind::Spirv(_) => self.lacks_type("value of SPIR-V only", span),
        }
    }

    fn check_scalar(&mut self, scalar: Scalar, span: Span) {
        match scalar {
            Scalar::U32 if !self.target.is_modern() => self.lacks_type("unsigned integer", span),
            Scalar::F16 if self.target.at_least(NEVER, 450) => {
                self.extension("GL_EXT_shader_explicit_arithmetic_types_float16");
            }
            Scalar::F16 => self.lacks_type("16-bit float", span),
            Scalar::I8 | Scalar::U8 if self.target.at_least(NEVER, 450) => {
                self.extension("GL_EXT_shader_explicit_arithmetic_types_int8");
            }
            Scalar::I16 | Scalar::U16 if self.target.at_least(NEVER, 450) => {
                self.extension("GL_EXT_shader_explicit_arithmetic_types_int16");
            }
            Scalar::I8 | Scalar::U8 => self.lacks_type("8-bit integer", span),
            Scalar::I16 | Scalar::U16 => self.lacks_type("16-bit integer", span),
            Scalar::F64 if !self.target.at_least(NEVER, 400) => self.lacks_type("`double`", span),
            Scalar::I64 | Scalar::U64 => {
                if self.target.at_least(NEVER, 400) {
                    self.extension("GL_ARB_gpu_shader_int64");
                } else {
                    self.lacks_type("64-bit integer", span);
                }
            }
            _ => {}
        }
    }

    fn check_image(&mut self, image: planish_ir::types::ImageType, span: Span) {
        let name = image.glsl_name();
        let separate = image.kind == ImageKind::Texture || image.dim == Dim::Subpass;
        if separate && !self.target.vulkan {
            return self.lacks_type(&format!("`{name}` without a sampler"), span);
        }
        if matches!(image.kind, ImageKind::Storage(_)) && !self.target.at_least(310, 420) {
            return self.lacks_type(&format!("`{name}`"), span);
        }
        if image.kind == ImageKind::Storage(ImageFormat::Unknown) && self.target.es {
            return self.lacks_type(&format!("`{name}` without a format"), span);
        }
        if let Some(extension) = self.image_extension(&image) {
            return self.extension(extension);
        }
        let (es, desktop) = match image.dim {
            Dim::D1 | Dim::Rect => (NEVER, 110),
            Dim::D2 if image.multisampled => (if image.arrayed { 320 } else { 310 }, 150),
            Dim::D2 if image.arrayed => (300, 130),
            Dim::D2 if image.shadow => (300, 110),
            Dim::D2 => (100, 110),
            Dim::D3 => (300, 110),
            Dim::Cube if image.arrayed => (320, 400),
            Dim::Cube if image.shadow => (300, 130),
            Dim::Cube => (100, 110),
            Dim::Buffer => (320, 140),
            Dim::Subpass => (310, 140),
            Dim::External | Dim::ExternalYuv => (NEVER, NEVER),
        };
        let integer = image.sampled != Scalar::F32 && !self.target.is_modern();
        if integer || !self.target.at_least(es, desktop) {
            self.lacks_type(&format!("`{name}`"), span);
        }
    }

    fn image_extension(&self, image: &planish_ir::types::ImageType) -> Option<&'static str> {
        let Target { es, version, .. } = self.target;
        match image.dim {
            Dim::External if es && version >= 300 => Some("GL_OES_EGL_image_external_essl3"),
            Dim::External if es => Some("GL_OES_EGL_image_external"),
            Dim::ExternalYuv if es && version >= 300 => Some("GL_EXT_YUV_target"),
            Dim::D3 if es && version == 100 => Some("GL_OES_texture_3D"),
            Dim::D2 if es && version == 100 && image.shadow => Some("GL_EXT_shadow_samplers"),
            Dim::Cube if es && version == 310 && image.arrayed => Some("GL_EXT_texture_cube_map_array"),
            Dim::Buffer if es && version == 310 => Some("GL_EXT_texture_buffer"),
            Dim::D2 if es && version == 310 && image.multisampled && image.arrayed => {
                Some("GL_OES_texture_storage_multisample_2d_array")
            }
            _ => None,
        }
    }

    /// Whether the source has precisions.
    pub(crate) fn source_is_es(&self) -> bool {
        matches!(self.module.language, Language::Glsl { es: true, .. })
    }

    /// The precision that is written for a declaration, or nothing.
    pub(crate) fn precision_word(&self, ty: Type, precision: Precision, defaults: &Defaults) -> &'static str {
        if !self.target.es {
            return "";
        }
        let mut element = ty;
        while let TypeKind::Array { element: e, .. } | TypeKind::RuntimeArray { element: e } =
            self.module.types[element]
        {
            element = e;
        }
        let default = match &self.module.types[element] {
            TypeKind::Image(_) => {
                let name = crate::types::image_name_of(self.module, element);
                let has = defaults.sampler(&name, self.target.version);
                return match (precision, has) {
                    (p, Some(d)) if p == d || p == Precision::None => "",
                    (Precision::None, None) => "highp",
                    (p, _) => p.keyword(),
                };
            }
            TypeKind::AtomicCounter => return "",
            kind => match kind {
                TypeKind::Scalar(s) | TypeKind::Vector(s, _) | TypeKind::Matrix { scalar: s, .. } => match s {
                    Scalar::F32 => defaults.float,
                    Scalar::I32 | Scalar::U32 => defaults.int,
                    _ => return "",
                },
                _ => return "",
            },
        };
        if precision == default { "" } else { precision.keyword() }
    }
}
