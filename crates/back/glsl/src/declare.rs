//! Text before the functions: extensions, default precisions, structs, blocks and global variables.

use planish_back_text::Dialect;
use planish_ir::decoration::{
    BlockLayout, BuiltIn, Decoration, Decorations, Interpolation, NameSource, Precision, Sampling,
};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Type, Var};
use planish_ir::module::{Language, Stage};
use planish_ir::types::{AddressSpace, ImageFormat, ImageKind, Scalar, TypeKind};

use crate::target::NEVER;
use crate::writer::Writer;

/// Default precisions in force.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaults {
    pub(crate) float: Precision,
    pub(crate) int: Precision,
}

impl Defaults {
    /// The default precision of a sampler type, if the language gives it one.
    pub(crate) fn sampler(&self, name: &str, _version: u16) -> Option<Precision> {
        matches!(name, "sampler2D" | "samplerCube" | "samplerExternalOES").then_some(Precision::Low)
    }
}

/// The precisions that most declarations have.
pub(crate) fn choose_defaults(w: &Writer<'_>) -> Defaults {
    // Votes for none, low, medium, high.
    let mut votes = [[0u32; 4]; 2];
    let mut vote = |ty: Type, precision: Precision| {
        let scalar = match w.module.types[ty] {
            TypeKind::Pointer { pointee, .. } => w.module.types.scalar_of(pointee),
            _ => w.module.types.scalar_of(ty),
        };
        match scalar {
            Some(Scalar::F32) => votes[0][precision as usize] += 1,
            Some(Scalar::I32 | Scalar::U32) => votes[1][precision as usize] += 1,
            _ => {}
        }
    };
    for data in w.module.vars.values() {
        vote(data.ty, data.precision);
    }
    for function in w.module.funcs.values() {
        function.params.iter().for_each(|p| vote(p.ty, p.precision));
        function.results.iter().for_each(|r| vote(r.ty, r.precision));
    }
    let pick = |votes: [u32; 4], default: Precision| {
        let known = [Precision::Low, Precision::Medium, Precision::High];
        let best = known.into_iter().max_by_key(|&p| (votes[p as usize], p)).unwrap_or(Precision::High);
        if votes[best as usize] == 0 { default } else { best }
    };
    let int_default =
        if w.source_is_es() && w.target.stage == Stage::Fragment { Precision::Medium } else { Precision::High };
    Defaults { float: pick(votes[0], Precision::High), int: pick(votes[1], int_default) }
}

impl Writer<'_> {
    /// `precision` statements that differ from the defaults of the language.
    pub(crate) fn precision_lines(&self, defaults: &Defaults) -> Vec<String> {
        if !self.target.es {
            return vec![];
        }
        let mut lines = Vec::new();
        let fragment = self.target.stage == Stage::Fragment;
        if fragment || defaults.float != Precision::High {
            lines.push(format!("precision {} float;", defaults.float.keyword()));
        }
        if defaults.int != if fragment { Precision::Medium } else { Precision::High } {
            lines.push(format!("precision {} int;", defaults.int.keyword()));
        }
        lines
    }

    /// The declaration of a struct.
    pub(crate) fn struct_lines(&self, ty: Type, defaults: &Defaults) -> Vec<String> {
        let (Some(structure), Some(symbol)) = (self.module.types.as_struct(ty), self.known_struct(ty)) else {
            return vec![];
        };
        if structure.is_block || self.target.has_struct(&structure.name) {
            return vec![];
        }
        let mut lines = self.struct_comment(ty);
        lines.push(format!("struct {} {{", self.name(symbol)));
        lines.extend(self.member_lines(ty, defaults, false));
        lines.push("};".into());
        lines
    }

    fn member_lines(&self, ty: Type, defaults: &Defaults, block: bool) -> Vec<String> {
        let Some(structure) = self.module.types.as_struct(ty) else { return vec![] };
        let line = |(i, m): (usize, &planish_ir::types::Member)| {
            let (base, sizes) = self.type_parts(m.ty);
            let mut words = Vec::new();
            if block {
                let layout = self.member_layout(&m.decorations);
                if !layout.is_empty() {
                    words.push(format!("layout({})", layout.join(", ")));
                }
                words.extend(self.memory_words(&m.decorations));
                words.extend(self.varying_words(&m.decorations).into_iter().filter(|word| word != "patch"));
            }
            let precision = self.precision_word(m.ty, m.precision, defaults);
            if !precision.is_empty() {
                words.push(precision.to_owned());
            }
            words.push(base);
            let name = match m.decorations.builtin() {
                Some(builtin) => builtin.glsl_name().into(),
                None => self.member_name(ty, i as u32),
            };
            words.push(format!("{name}{sizes}"));
            let mut lines = self.member_comment(ty, i as u32);
            lines.push(format!("    {};", words.join(" ")));
            lines
        };
        structure.members.iter().enumerate().flat_map(line).collect()
    }

    fn member_layout(&self, decorations: &Decorations) -> Vec<String> {
        let mut layout = Vec::new();
        let explicit = self.target.at_least(NEVER, 440);
        for d in decorations.iter() {
            match d {
                Decoration::RowMajor => layout.push("row_major".into()),
                Decoration::ColumnMajor => layout.push("column_major".into()),
                Decoration::Offset(n) if explicit => layout.push(format!("offset = {n}")),
                Decoration::XfbOffset(n) => layout.push(format!("xfb_offset = {n}")),
                Decoration::Align(n) if explicit => layout.push(format!("align = {n}")),
                Decoration::Location(n) if self.target.at_least(320, 440) => layout.push(format!("location = {n}")),
                _ => {}
            }
        }
        layout
    }

    fn memory_words(&self, decorations: &Decorations) -> Vec<String> {
        let word = |d| match d {
            Decoration::Coherent => Some("coherent"),
            Decoration::Volatile => Some("volatile"),
            Decoration::Restrict => Some("restrict"),
            Decoration::ReadOnly => Some("readonly"),
            Decoration::WriteOnly => Some("writeonly"),
            _ => None,
        };
        decorations.iter().filter_map(word).map(str::to_owned).collect()
    }

    fn varying_words(&self, decorations: &Decorations) -> Vec<String> {
        let mut words = Vec::new();
        let modern = self.target.is_modern();
        for d in decorations.iter() {
            let word = match d {
                Decoration::Interpolation(Interpolation::Flat) if modern => "flat",
                Decoration::Interpolation(Interpolation::NoPerspective) if self.target.at_least(NEVER, 130) => {
                    "noperspective"
                }
                Decoration::Sampling(Sampling::Centroid) if modern => "centroid",
                Decoration::Sampling(Sampling::Sample) if self.target.at_least(320, 400) => "sample",
                Decoration::Interpolation(Interpolation::PerVertex) => "pervertexEXT",
                Decoration::Patch => "patch",
                _ => continue,
            };
            words.push(word.to_owned());
        }
        words
    }

    /// Whether a global is declared in the output.
    pub(crate) fn is_declared(&self, var: Var) -> bool {
        let data = &self.module.vars[var];
        let mentioned = self.known_global(var).is_some();
        if self.is_fixed_pipeline(var) {
            return false;
        }
        if let Some(builtin) = data.decorations.builtin() {
            let _ = builtin;
            return self.fragment_output.is_some_and(|(v, _)| v == var);
        }
        match data.space {
            AddressSpace::Private | AddressSpace::Workgroup => mentioned,
            AddressSpace::Function | AddressSpace::Spirv => false,
            AddressSpace::Output if self.target.stage == Stage::Fragment && !self.target.is_modern() => false,
            AddressSpace::Output
            | AddressSpace::Input
            | AddressSpace::Uniform
            | AddressSpace::Storage
            | AddressSpace::PushConstant
            | AddressSpace::Handle => true,
        }
    }

    /// Reports parts of a global's declaration that the target lacks, and makes its symbols.
    pub(crate) fn prepare_global(&mut self, var: Var) {
        let data = &self.module.vars[var];
        if data.decorations.builtin().is_some() {
            return;
        }
        self.global_symbol(var);
        let block = self.is_block(data.ty);
        let span = data.span;
        let lacks = match data.space {
            AddressSpace::Storage if !self.target.at_least(310, 430) => Some("storage block"),
            AddressSpace::Uniform if block && !self.target.at_least(300, 140) => Some("uniform block"),
            AddressSpace::PushConstant if !self.target.vulkan => Some("push constant"),
            AddressSpace::Workgroup if !self.target.at_least(310, 430) => Some("shared variable"),
            AddressSpace::Input | AddressSpace::Output if block && !self.target.at_least(320, 150) => {
                Some("input or output block")
            }
            _ if self.module.types.is_open_array(data.ty) && !self.target.vulkan => {
                Some("array of textures or blocks without a length")
            }
            AddressSpace::Uniform if !block && self.target.vulkan => Some("uniform outside of a block"),
            _ => None,
        };
        if let Some(what) = lacks {
            let target = self.target.describe();
            self.error(Code::E0607, span, format!("{target} has no {what}"));
        }
        if self.module.types.is_open_array(data.ty) {
            self.extension("GL_EXT_nonuniform_qualifier");
        }
        let io = matches!(data.space, AddressSpace::Input | AddressSpace::Output);
        // ES gives the outputs of a fragment shader no locations, where there are several.
        let several = self.target.es
            && self.target.version >= 300
            && (data.space, self.target.stage) == (AddressSpace::Output, Stage::Fragment)
            && self.fragment_outputs > 1;
        if io && (self.target.vulkan || several) && !block && data.decorations.location().is_none() {
            let message = format!("{} needs a `layout(location = …)` for `{}`", self.target.describe(), data.name.text);
            self.error(Code::E0609, span, message);
        }
        if data.space == AddressSpace::Uniform && data.initializer.is_some() && self.target.es {
            let message = format!("{} has no uniform with a first value", self.target.describe());
            self.error(Code::E0607, span, message);
        }
        if io {
            self.check_varying(var);
        }
        for d in data.decorations.iter() {
            let extension = match d {
                Decoration::Component(n) if !self.target.at_least(NEVER, 440) => {
                    // A location is needed, too.
                    if self.target.es || self.target.version < 410 {
                        if n != 0 {
                            self.unsupported("`component`", span);
                        }
                        continue;
                    }
                    "GL_ARB_enhanced_layouts"
                }
                Decoration::BlockLayout(BlockLayout::Scalar) => "GL_EXT_scalar_block_layout",
                Decoration::FramebufferFetch => "GL_EXT_shader_framebuffer_fetch",
                Decoration::Index(n) if n > 0 && self.target.es => "GL_EXT_blend_func_extended",
                Decoration::Interpolation(Interpolation::NoPerspective) if self.target.es => {
                    self.unsupported("`noperspective`", span);
                    continue;
                }
                Decoration::Interpolation(Interpolation::PerVertex) if !self.target.at_least(320, 450) => {
                    self.unsupported("`pervertexEXT`", span);
                    continue;
                }
                Decoration::Interpolation(Interpolation::PerVertex) => "GL_EXT_fragment_shader_barycentric",
                Decoration::Interpolation(Interpolation::Flat) if !self.target.is_modern() => {
                    self.unsupported("`flat`", span);
                    continue;
                }
                Decoration::Sampling(Sampling::Sample) if self.target.es && self.target.version < 320 => {
                    "GL_OES_shader_multisample_interpolation"
                }
                _ => continue,
            };
            self.extension(extension);
        }
    }

    /// Whether it is one of the variables that the fixed pipeline of desktop GLSL before 1.40 has, and the target has it too.
    pub(crate) fn is_fixed_pipeline(&self, var: Var) -> bool {
        let name = &self.module.vars[var].name;
        let own = name.source == NameSource::BuiltIn && self.module.vars[var].decorations.builtin().is_none();
        own && name.text.starts_with("gl_") && !self.target.at_least(0, 140)
    }

    /// Reports types that a stage input or output may not hold.
    fn check_varying(&mut self, var: Var) {
        let data = &self.module.vars[var];
        let (ty, span, target) = (data.ty, data.span, self.target.describe());
        let varies = matches!(
            (data.space, self.target.stage),
            (AddressSpace::Input, Stage::Fragment) | (AddressSpace::Output, Stage::Vertex)
        );
        let types = &self.module.types;
        let is_struct = |kind: &TypeKind| matches!(kind, TypeKind::Struct(_));
        let is_array = |kind: &TypeKind| matches!(kind, TypeKind::Array { .. });
        let lacks = match types[ty].clone() {
            _ if self.is_block(ty) => None,
            _ if !self.target.is_modern() && types.contains(ty, &mut is_integer) => Some("integers"),
            TypeKind::Struct(s) if varies => {
                let inside = |wanted: &dyn Fn(&TypeKind) -> bool| {
                    s.members.iter().any(|m| types.contains(m.ty, &mut |kind| wanted(kind)))
                };
                let old = !self.target.at_least(300, 150);
                let nested = self.target.es && (inside(&is_struct) || inside(&is_array));
                let what = if old { "structures" } else { "structures that hold structures or arrays" };
                (old || nested).then_some(what)
            }
            TypeKind::Array { element, .. }
                if varies && self.target.es && types.contains(element, &mut |k| is_struct(k)) =>
            {
                Some("arrays of structures")
            }
            _ => None,
        };
        if let Some(what) = lacks {
            let way = if data.space == AddressSpace::Input { "inputs" } else { "outputs" };
            self.error(Code::E0609, span, format!("{target} has no {way} that are {what}"));
        }
    }

    /// Inputs are invariant where outputs are; only old versions require it on both.
    fn may_be_invariant(&self, var: Var) -> bool {
        self.module.vars[var].space != AddressSpace::Input
            || self.target.stage != Stage::Vertex && !self.target.at_least(300, 420)
    }

    /// ES 3.00 requires `flat` on integers in both stages; later versions in the fragment shader only.
    fn must_be_flat(&self, var: Var) -> bool {
        let data = &self.module.vars[var];
        let es_300 = self.target.es && self.target.version == 300;
        es_300
            && (data.space, self.target.stage) == (AddressSpace::Output, Stage::Vertex)
            && data.decorations.builtin().is_none()
            && self.module.types.contains(data.ty, &mut is_integer)
    }

    /// The declaration of a global, as lines.
    pub(crate) fn global_lines(&self, var: Var, defaults: &Defaults) -> Vec<String> {
        let data = &self.module.vars[var];
        let builtin_output = self.fragment_output.filter(|(v, _)| *v == var);
        let mut words = Vec::new();
        let mut layout = self.global_layout(var);
        if builtin_output.is_some() && self.target.at_least(300, 330) {
            layout.push("location = 0".into());
        }
        if !layout.is_empty() {
            words.push(format!("layout({})", layout.join(", ")));
        }
        if data.decorations.has(Decoration::Invariant) && self.may_be_invariant(var) {
            words.push("invariant".into());
        }
        if data.decorations.has(Decoration::Precise) && self.target.at_least(320, 400) {
            words.push("precise".into());
        }
        words.extend(self.varying_words(&data.decorations));
        if self.must_be_flat(var) && !words.iter().any(|word| word == "flat") {
            words.push("flat".into());
        }
        words.extend(self.memory_words(&data.decorations));
        words.extend(self.storage_word(var).map(str::to_owned));
        if self.is_block(data.ty) {
            return self.block_lines(var, words, defaults);
        }
        let precision = self.precision_word(data.ty, data.precision, defaults);
        if !precision.is_empty() {
            words.push(precision.to_owned());
        }
        let (base, sizes) = self.type_parts(data.ty);
        let symbol = builtin_output.map(|(_, s)| s).or(self.known_global(var));
        let Some(symbol) = symbol else { return vec![] };
        words.push(base);
        words.push(format!("{}{sizes}", self.name(symbol)));
        let mut line = words.join(" ");
        if let Some(init) = data.initializer
            && data.space != AddressSpace::Handle
        {
            line.push_str(" = ");
            line.push_str(&crate::constants::constant(self, init));
        }
        vec![format!("{line};")]
    }

    fn block_lines(&self, var: Var, mut words: Vec<String>, defaults: &Defaults) -> Vec<String> {
        let data = &self.module.vars[var];
        let mut ty = data.ty;
        let mut sizes = String::new();
        while let TypeKind::Array { element, .. } | TypeKind::RuntimeArray { element } = self.module.types[ty] {
            match self.module.types[ty] {
                TypeKind::Array { len, .. } => sizes.push_str(&format!("[{len}]")),
                _ => sizes.push_str("[]"),
            }
            ty = element;
        }
        let Some(block) = self.known_struct(ty) else { return vec![] };
        // Binaries say it of each member.
        let members = self.module.types.as_struct(ty).map_or(&[][..], |s| &s.members);
        let is_patch = members.iter().any(|member| member.decorations.has(Decoration::Patch));
        if is_patch && !data.decorations.has(Decoration::Patch) {
            words.insert(words.len().saturating_sub(1), "patch".into());
        }
        words.push(self.name(block).to_string());
        let mut lines = vec![format!("{} {{", words.join(" "))];
        lines.extend(self.member_lines(ty, defaults, true));
        let instance = match self.known_global(var) {
            Some(symbol) if !data.name.text.is_empty() => format!(" {}{sizes}", self.name(symbol)),
            _ => String::new(),
        };
        lines.push(format!("}}{instance};"));
        lines
    }

    fn storage_word(&self, var: Var) -> Option<&'static str> {
        let data = &self.module.vars[var];
        let modern = self.target.is_modern();
        Some(match data.space {
            AddressSpace::Input if modern => "in",
            AddressSpace::Input if self.target.stage == Stage::Vertex => "attribute",
            AddressSpace::Input => "varying",
            AddressSpace::Output if data.decorations.has(Decoration::FramebufferFetch) => "inout",
            AddressSpace::Output if modern => "out",
            AddressSpace::Output => "varying",
            AddressSpace::Uniform | AddressSpace::PushConstant | AddressSpace::Handle => "uniform",
            AddressSpace::Storage => "buffer",
            AddressSpace::Workgroup => "shared",
            AddressSpace::Private if data.is_const && data.initializer.is_some() => "const",
            AddressSpace::Private | AddressSpace::Function | AddressSpace::Spirv => return None,
        })
    }

    /// Qualifiers in `layout(...)` of a global.
    fn global_layout(&self, var: Var) -> Vec<String> {
        let data = &self.module.vars[var];
        let mut layout = Vec::new();
        let t = &self.target;
        let stage_edge = matches!(
            (data.space, t.stage),
            (AddressSpace::Input, Stage::Vertex) | (AddressSpace::Output, Stage::Fragment)
        );
        let locations = match data.space {
            AddressSpace::Input | AddressSpace::Output if stage_edge => t.at_least(300, 330),
            AddressSpace::Input | AddressSpace::Output => t.at_least(310, 410),
            _ => t.at_least(310, 430) && !t.vulkan,
        };
        let block = self.is_block(data.ty);
        for d in data.decorations.iter() {
            let text = match d {
                Decoration::Location(n) if locations => format!("location = {n}"),
                Decoration::Index(n) if t.at_least(300, 330) && n > 0 => format!("index = {n}"),
                Decoration::Component(n) if t.at_least(NEVER, 410) => format!("component = {n}"),
                Decoration::XfbOffset(n) if data.decorations.captured().is_some() => {
                    let (buffer, _) = data.decorations.captured().unwrap_or_default();
                    format!("xfb_buffer = {buffer}, xfb_offset = {n}")
                }
                Decoration::Set(n) if t.vulkan => format!("set = {n}"),
                Decoration::Binding(n) if t.vulkan || t.at_least(310, 420) => format!("binding = {n}"),
                Decoration::Offset(n) => format!("offset = {n}"),
                Decoration::InputAttachmentIndex(n) if t.vulkan => format!("input_attachment_index = {n}"),
                Decoration::ConstantId(n) if t.vulkan => format!("constant_id = {n}"),
                Decoration::BlockLayout(layout) if block => self.block_layout(layout, data.space),
                Decoration::RowMajor if block => "row_major".into(),
                Decoration::NonCoherent => "noncoherent".into(),
                Decoration::Yuv => "yuv".into(),
                _ => continue,
            };
            if !text.is_empty() {
                layout.push(text);
            }
        }
        let members = self.module.types.as_struct(data.ty).filter(|_| data.space == AddressSpace::Output);
        let captured = members.and_then(|s| s.members.iter().find_map(|m| m.decorations.captured()));
        layout.extend(captured.map(|(buffer, _)| format!("xfb_buffer = {buffer}")));
        if data.space == AddressSpace::PushConstant {
            layout.retain(|l| l != "std430");
            layout.insert(0, "push_constant".into());
        }
        let mut ty = data.ty;
        while let TypeKind::Array { element, .. } = self.module.types[ty] {
            ty = element;
        }
        if let Some(ImageKind::Storage(format)) = self.module.types.as_image(ty).map(|i| i.kind)
            && format != ImageFormat::Unknown
        {
            layout.push(format.name().into());
        }
        layout
    }

    fn block_layout(&self, layout: BlockLayout, space: AddressSpace) -> String {
        match layout {
            BlockLayout::Std140 => "std140",
            BlockLayout::Std430 => "std430",
            // The default of uniform and storage blocks.
            BlockLayout::Shared => "",
            BlockLayout::Packed if self.target.vulkan => "std140",
            BlockLayout::Packed => "packed",
            BlockLayout::Scalar => "scalar",
        }
        .replace("shared", if space == AddressSpace::Storage { "shared" } else { "" })
    }

    /// `invariant gl_Position;` and arrays with a size of their own.
    pub(crate) fn builtin_lines(&self, var: Var) -> Vec<String> {
        let data = &self.module.vars[var];
        let Some(builtin) = data.decorations.builtin() else { return vec![] };
        let name = builtin.glsl_name();
        let mut lines = Vec::new();
        // Later versions have neither of the two: the variable in their place carries the qualifier.
        let is_gone = matches!(builtin, BuiltIn::FragColor | BuiltIn::FragData) && self.target.is_modern();
        if data.decorations.has(Decoration::Invariant) && !is_gone {
            lines.push(format!("invariant {name};"));
        }
        if let Some(captured) = self.captured_builtins(var) {
            lines.extend(captured);
            return lines;
        }
        let sized = matches!(builtin, BuiltIn::ClipDistance | BuiltIn::CullDistance);
        if sized && self.mentions(name) {
            let (base, sizes) = self.type_parts(data.ty);
            let word = if data.space == AddressSpace::Input { "in" } else { "out" };
            let precision = if self.target.es { "highp " } else { "" };
            lines.push(format!("{word} {precision}{base} {name}{sizes};"));
        }
        lines
    }

    /// Extensions that the source asked for and that still mean something in the target, though no construct of the
    /// module shows it.
    pub(crate) fn keep_extensions(&mut self) {
        let same = matches!(self.module.language, Language::Glsl { version, es } if version == self.target.version && es == self.target.es);
        if !same {
            return;
        }
        for &known in KEPT {
            if self.source_has(known) {
                self.extension(known);
            }
        }
    }
}

fn is_integer(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Scalar(s) | TypeKind::Vector(s, _) if s.is_integer())
}

/// Extensions without a trace in the IR.
const KEPT: &[&str] = &["GL_EXT_conservative_depth", "GL_OES_sample_variables", "GL_KHR_blend_equation_advanced"];
