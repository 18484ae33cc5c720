//! `layout(…)`: a table of its words, the places that allow them, and their translation.

use planish_ir::decoration::{BlockLayout, Decoration, Decorations};
use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::entity::Type;
use planish_ir::module::{DepthLayout, DerivativeGroup, Interlock, Primitive, Spacing, Stage, Winding};
use planish_ir::source::Span;
use planish_ir::types::{ImageFormat, ImageKind, TypeKind};

use super::Checker;
use super::qualifiers::{Qualifiers, Storage};
use crate::ast::*;
use crate::webgl::WebGl;

/// A word of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    Location,
    Component,
    Index,
    Set,
    Binding,
    Offset,
    Align,
    Memory(BlockLayout),
    RowMajor,
    ColumnMajor,
    Format(ImageFormat),
    PushConstant,
    ConstantId,
    InputAttachmentIndex,
    LocalSize(u8),
    LocalSizeId(u8),
    EarlyFragmentTests,
    Depth(DepthLayout),
    OriginUpperLeft,
    PixelCenterInteger,
    Interlock(Interlock),
    DerivativeGroup(DerivativeGroup),
    XfbBuffer,
    XfbOffset,
    XfbStride,
    NumViews,
    NonCoherent,
    Yuv,
    BlendSupport,
    BufferReference,
    BufferReferenceAlign,
    Primitive(Primitive),
    Spacing(Spacing),
    Winding(Winding),
    PointMode,
    Invocations,
    MaxVertices,
    MaxPrimitives,
    Vertices,
    Stream,
    ShaderRecord,
    PrimitiveCulling,
}

// Places of a word, as bits.

pub(super) const INPUT: u16 = 1;
pub(super) const OUTPUT: u16 = 2;
pub(super) const UNIFORM: u16 = 4;
pub(super) const OPAQUE: u16 = 8;
pub(super) const IMAGE: u16 = 16;
pub(super) const UNIFORM_BLOCK: u16 = 32;
pub(super) const BUFFER_BLOCK: u16 = 64;
pub(super) const MEMBER: u16 = 128;
pub(super) const SHADER_IN: u16 = 256;
pub(super) const SHADER_OUT: u16 = 512;
pub(super) const CONST: u16 = 1024;
pub(super) const DEFAULTS: u16 = 2048;
pub(super) const PASSED: u16 = 4096;
const STANDALONE: u16 = 8192;
pub(super) const BLOCKS: u16 = UNIFORM_BLOCK | BUFFER_BLOCK;

struct Word {
    name: &'static str,
    key: Key,
    /// Whether `= value` follows.
    value: bool,
    places: u16,
}

const fn word(name: &'static str, key: Key, value: bool, places: u16) -> Word {
    Word { name, key, value, places }
}

const WORDS: &[Word] = &[
    word("location", Key::Location, true, INPUT | OUTPUT | UNIFORM | OPAQUE | MEMBER | BLOCKS | PASSED),
    word("component", Key::Component, true, INPUT | OUTPUT | MEMBER),
    word("index", Key::Index, true, OUTPUT),
    word("xfb_buffer", Key::XfbBuffer, true, OUTPUT | MEMBER | SHADER_OUT),
    word("xfb_offset", Key::XfbOffset, true, OUTPUT | MEMBER),
    word("xfb_stride", Key::XfbStride, true, OUTPUT | MEMBER | SHADER_OUT),
    word("derivative_group_quadsNV", Key::DerivativeGroup(DerivativeGroup::Quads), false, SHADER_IN),
    word("derivative_group_linearNV", Key::DerivativeGroup(DerivativeGroup::Linear), false, SHADER_IN),
    word("derivative_group_quadsKHR", Key::DerivativeGroup(DerivativeGroup::Quads), false, SHADER_IN),
    word("derivative_group_linearKHR", Key::DerivativeGroup(DerivativeGroup::Linear), false, SHADER_IN),
    word("set", Key::Set, true, OPAQUE | UNIFORM | BLOCKS),
    word("binding", Key::Binding, true, OPAQUE | UNIFORM | BLOCKS),
    word("offset", Key::Offset, true, MEMBER | OPAQUE | BLOCKS),
    word("align", Key::Align, true, MEMBER | BLOCKS),
    word("std140", Key::Memory(BlockLayout::Std140), false, BLOCKS | DEFAULTS),
    word("std430", Key::Memory(BlockLayout::Std430), false, BLOCKS | DEFAULTS),
    word("shared", Key::Memory(BlockLayout::Shared), false, BLOCKS | DEFAULTS),
    word("packed", Key::Memory(BlockLayout::Packed), false, BLOCKS | DEFAULTS),
    word("scalar", Key::Memory(BlockLayout::Scalar), false, BLOCKS | DEFAULTS),
    word("row_major", Key::RowMajor, false, BLOCKS | MEMBER | DEFAULTS),
    word("column_major", Key::ColumnMajor, false, BLOCKS | MEMBER | DEFAULTS),
    word("buffer_reference", Key::BufferReference, false, BUFFER_BLOCK),
    word("buffer_reference_align", Key::BufferReferenceAlign, true, BUFFER_BLOCK),
    word("push_constant", Key::PushConstant, false, UNIFORM_BLOCK),
    word("constant_id", Key::ConstantId, true, CONST),
    word("input_attachment_index", Key::InputAttachmentIndex, true, OPAQUE),
    word("local_size_x", Key::LocalSize(0), true, SHADER_IN),
    word("local_size_y", Key::LocalSize(1), true, SHADER_IN),
    word("local_size_z", Key::LocalSize(2), true, SHADER_IN),
    word("local_size_x_id", Key::LocalSizeId(0), true, SHADER_IN),
    word("local_size_y_id", Key::LocalSizeId(1), true, SHADER_IN),
    word("local_size_z_id", Key::LocalSizeId(2), true, SHADER_IN),
    word("early_fragment_tests", Key::EarlyFragmentTests, false, SHADER_IN),
    word("pixel_interlock_ordered", Key::Interlock(Interlock::PixelOrdered), false, SHADER_IN),
    word("pixel_interlock_unordered", Key::Interlock(Interlock::PixelUnordered), false, SHADER_IN),
    word("sample_interlock_ordered", Key::Interlock(Interlock::SampleOrdered), false, SHADER_IN),
    word("sample_interlock_unordered", Key::Interlock(Interlock::SampleUnordered), false, SHADER_IN),
    word("depth_any", Key::Depth(DepthLayout::Any), false, OUTPUT),
    word("depth_greater", Key::Depth(DepthLayout::Greater), false, OUTPUT),
    word("depth_less", Key::Depth(DepthLayout::Less), false, OUTPUT),
    word("depth_unchanged", Key::Depth(DepthLayout::Unchanged), false, OUTPUT),
    word("origin_upper_left", Key::OriginUpperLeft, false, INPUT),
    word("pixel_center_integer", Key::PixelCenterInteger, false, INPUT),
    word("num_views", Key::NumViews, true, SHADER_IN),
    word("noncoherent", Key::NonCoherent, false, OUTPUT),
    word("yuv", Key::Yuv, false, OUTPUT),
    word("blend_support_all_equations", Key::BlendSupport, false, SHADER_OUT),
    word("points", Key::Primitive(Primitive::Points), false, SHADER_IN | SHADER_OUT),
    word("lines", Key::Primitive(Primitive::Lines), false, SHADER_IN | SHADER_OUT),
    word("lines_adjacency", Key::Primitive(Primitive::LinesAdjacency), false, SHADER_IN),
    word("triangles", Key::Primitive(Primitive::Triangles), false, SHADER_IN | SHADER_OUT),
    word("triangles_adjacency", Key::Primitive(Primitive::TrianglesAdjacency), false, SHADER_IN),
    word("quads", Key::Primitive(Primitive::Quads), false, SHADER_IN),
    word("isolines", Key::Primitive(Primitive::Isolines), false, SHADER_IN),
    word("line_strip", Key::Primitive(Primitive::LineStrip), false, SHADER_OUT),
    word("triangle_strip", Key::Primitive(Primitive::TriangleStrip), false, SHADER_OUT),
    word("equal_spacing", Key::Spacing(Spacing::Equal), false, SHADER_IN),
    word("fractional_even_spacing", Key::Spacing(Spacing::FractionalEven), false, SHADER_IN),
    word("fractional_odd_spacing", Key::Spacing(Spacing::FractionalOdd), false, SHADER_IN),
    word("cw", Key::Winding(Winding::Clockwise), false, SHADER_IN),
    word("ccw", Key::Winding(Winding::CounterClockwise), false, SHADER_IN),
    word("point_mode", Key::PointMode, false, SHADER_IN),
    word("invocations", Key::Invocations, true, SHADER_IN),
    word("max_vertices", Key::MaxVertices, true, SHADER_OUT),
    word("max_primitives", Key::MaxPrimitives, true, SHADER_OUT),
    word("shaderRecordEXT", Key::ShaderRecord, false, BUFFER_BLOCK),
    word("shaderRecordNV", Key::ShaderRecord, false, BUFFER_BLOCK),
    word("primitive_culling", Key::PrimitiveCulling, false, STANDALONE),
    word("vertices", Key::Vertices, true, SHADER_OUT),
    word("stream", Key::Stream, true, SHADER_OUT | OUTPUT | MEMBER),
];

/// Extensions with bindings.
const BINDINGS: &[&str] = &[
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shader_atomic_counters",
    "GL_ARB_gl_spirv",
    "GL_KHR_vulkan_glsl",
];

/// Extensions with interlocks of fragments.
const INTERLOCK: &[&str] = &["GL_ARB_fragment_shader_interlock", "GL_NV_fragment_shader_interlock"];

/// The items of all `layout(…)` of a declaration: word, value (0 if it has none), place.
#[derive(Clone, Default, Debug)]
pub(super) struct Layout {
    pub(super) items: Vec<(Key, u32, Span)>,
}

impl Layout {
    pub(super) fn find(&self, key: Key) -> Option<(u32, Span)> {
        self.items.iter().rev().find(|(k, ..)| *k == key).map(|&(_, value, span)| (value, span))
    }

    fn memory(&self) -> Option<BlockLayout> {
        self.items.iter().rev().find_map(|(k, ..)| if let Key::Memory(m) = k { Some(*m) } else { None })
    }

    fn row_major(&self) -> Option<bool> {
        self.items.iter().rev().find_map(|(k, ..)| match k {
            Key::RowMajor => Some(true),
            Key::ColumnMajor => Some(false),
            _ => None,
        })
    }

    /// The format of a storage image.
    pub(super) fn format(&self) -> Option<ImageFormat> {
        self.items.iter().rev().find_map(|(k, ..)| if let Key::Format(f) = k { Some(*f) } else { None })
    }
}

/// Defaults for the blocks after `layout(std140) uniform;` and the like.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct BlockDefaults {
    uniform: (Option<BlockLayout>, bool),
    buffer: (Option<BlockLayout>, bool),
}

impl BlockDefaults {
    /// The layout before any declaration: in WebGL 2 `std140`, which is the only one (WebGL 2.0, section 5.25).
    pub(super) fn new(webgl: WebGl) -> Self {
        let layout = webgl.is_on().then_some(BlockLayout::Std140);
        BlockDefaults { uniform: (layout, false), ..BlockDefaults::default() }
    }
}

impl Checker<'_, '_> {
    /// Appends the items of one `layout(…)`.
    pub(super) fn layout_items(&mut self, layout: &mut Layout, items: List<LayoutItem>) {
        let ast = self.ast;
        let before = layout.items.len();
        // (GLSL 4.40.9 and 4.20.11, section 4.4; GLSL ES 3.10.4, section 4.4.)
        let enhanced = self.version.at_least(310, 440) || self.has_extension("GL_ARB_enhanced_layouts");
        let several = self.version.at_least(310, 420) || self.has_extension("GL_ARB_shading_language_420pack");
        if before > 0 && !several && !enhanced {
            let span = ast[items].first().map_or(Span::NONE, |item| item.span);
            self.error(
                Diagnostic::error(Code::E0402, span, "a second `layout` qualifier")
                    .also(layout.items[0].2, "the first one")
                    .help("put all into one, with commas between them"),
            );
        }
        for item in &ast[items] {
            let text = self.text(item.name.symbol);
            // Their case counts only in ES (GLSL 4.60.8 and GLSL ES 3.20.8, section 4.4).
            let any_case = !self.is_es();
            let is = |name: &str| name == text || any_case && name.eq_ignore_ascii_case(text);
            let (key, takes_value) = match WORDS.iter().find(|w| is(w.name)) {
                Some(word) => (word.key, word.value),
                None => match ImageFormat::ALL.iter().find(|f| is(f.name())) {
                    Some(&format) => (Key::Format(format), false),
                    None => {
                        self.unknown_layout(text, item.name.span);
                        continue;
                    }
                },
            };
            if let Some(&(_, _, earlier)) = layout.items[before..].iter().find(|(k, ..)| *k == key)
                && takes_value
                && !enhanced
            {
                self.error(
                    Diagnostic::error(Code::E0404, item.span, format!("`{text}` stands twice in one layout"))
                        .also(earlier, "the first one"),
                );
                continue;
            }
            let value = match item.value {
                Some(expr) if takes_value => match self.constant_integer(expr, "the value of a layout") {
                    Ok(value) if value >= 0 && !enhanced && !matches!(ast[expr].kind, ExprKind::Int { .. }) => {
                        let version = self.version;
                        self.error(
                            Diagnostic::error(Code::E0404, self.span_of(expr), "the value of a layout is no number")
                                .note(format!("{version} has no constant expressions here"))
                                .help(format!("write {value}")),
                        );
                        continue;
                    }
                    Ok(value) if value >= 0 => value as u32,
                    Ok(value) => {
                        self.fail(Code::E0404, item.span, format!("`{text}` cannot be {value}"));
                        continue;
                    }
                    Err(_) => continue,
                },
                Some(_) => {
                    self.fail(Code::E0404, item.span, format!("`{text}` takes no value"));
                    continue;
                }
                None if takes_value => {
                    let d = Diagnostic::error(Code::E0404, item.span, format!("`{text}` needs a value"))
                        .help(format!("write `{text} = …`"));
                    self.error(d);
                    continue;
                }
                None => 0,
            };
            layout.items.push((key, value, item.span));
        }
    }

    #[cold]
    fn unknown_layout(&mut self, text: &str, span: Span) {
        let mut d = Diagnostic::error(Code::E0404, span, format!("unknown layout `{text}`"));
        let known = WORDS.iter().map(|w| w.name).chain(ImageFormat::ALL.iter().map(|f| f.name()));
        if let Some(near) = did_you_mean(text, known) {
            d = d.help(format!("did you mean `{near}`?")).fix(span, near);
        }
        self.error(d);
    }

    /// Reports words that this version does not have at a place.
    fn check_layout_version(&mut self, key: Key, places: u16, span: Span) {
        let stage = self.stage();
        let edge =
            (stage == Stage::Vertex && places & INPUT != 0) || (stage == Stage::Fragment && places & OUTPUT != 0);
        let (es, desktop, extensions): (u16, u16, &[&str]) = match key {
            Key::Location if edge => (300, 330, &["GL_ARB_explicit_attrib_location"]),
            Key::Location if places & (INPUT | OUTPUT | MEMBER | BLOCKS) != 0 => (
                310,
                410,
                &["GL_ARB_separate_shader_objects", "GL_EXT_separate_shader_objects", "GL_ARB_enhanced_layouts"],
            ),
            Key::Location => (310, 430, &["GL_ARB_explicit_uniform_location"]),
            Key::Binding => (310, 420, BINDINGS),
            Key::Memory(BlockLayout::Std430) => (310, 430, &["GL_ARB_shader_storage_buffer_object"]),
            Key::EarlyFragmentTests | Key::Format(_) => (310, 420, &["GL_ARB_shader_image_load_store"]),
            Key::XfbBuffer | Key::XfbOffset | Key::XfbStride => (0, 440, &["GL_ARB_enhanced_layouts"]),
            Key::DerivativeGroup(_) => (0, 0, crate::builtins::COMPUTE_DERIVATIVES),
            Key::Interlock(_) => (0, 0, INTERLOCK),
            Key::Depth(_) => (0, 420, &["GL_ARB_conservative_depth", "GL_EXT_conservative_depth"]),
            Key::Index => (0, 330, &["GL_EXT_blend_func_extended", "GL_ARB_explicit_attrib_location"]),
            Key::Component => (0, 440, &["GL_ARB_enhanced_layouts"]),
            _ => return,
        };
        if self.version.at_least(es, desktop) || extensions.iter().any(|e| self.has_extension(e)) {
            return;
        }
        let name = WORDS.iter().find(|w| w.key == key).map_or("format", |w| w.name);
        let version = self.version;
        let number = if self.is_es() { es } else { desktop };
        let mut d = Diagnostic::error(Code::E0404, span, format!("{version} has no `{name}` here"));
        if number != 0 {
            let family = if self.is_es() { "GLSL ES" } else { "GLSL" };
            d = d.note(format!("it needs {family} {}.{:02}", number / 100, number % 100));
        }
        self.error(d);
    }

    /// Reports items that are not allowed in a place, and converts the others to decorations.
    pub(super) fn layout_decorations(&mut self, layout: &Layout, places: u16, what: &str) -> Decorations {
        let mut set = Decorations::new();
        for &(key, value, span) in &layout.items {
            let row = WORDS.iter().find(|w| w.key == key);
            let allowed = match row {
                Some(row) => row.places & places != 0,
                None => places & IMAGE != 0,
            };
            if !allowed {
                let name = row.map_or("a format", |r| r.name);
                self.fail(Code::E0404, span, format!("`{name}` does not fit {what}"));
                continue;
            }
            self.check_layout_version(key, places, span);
            if let Key::Memory(BlockLayout::Shared | BlockLayout::Packed) = key
                && self.settings.webgl.is_on()
            {
                self.error(
                    Diagnostic::error(Code::E0505, span, "WebGL 2 has only the layout `std140`")
                        .help("write `layout(std140)`, or nothing"),
                );
            }
            match key {
                Key::Location => set.add(Decoration::Location(value)),
                Key::Component => {
                    if value > 3 {
                        self.fail(Code::E0404, span, "`component` is 0 to 3");
                    }
                    set.add(Decoration::Component(value));
                }
                Key::Index => set.add(Decoration::Index(value)),
                Key::XfbBuffer if places & SHADER_OUT == 0 => set.add(Decoration::XfbBuffer(value)),
                Key::XfbOffset => set.add(Decoration::XfbOffset(value)),
                Key::Set => set.add(Decoration::Set(value)),
                Key::Binding => set.add(Decoration::Binding(value)),
                Key::Offset => set.add(Decoration::Offset(value)),
                Key::Align => {
                    if !value.is_power_of_two() {
                        self.fail(Code::E0404, span, "`align` is a power of two");
                    }
                    set.add(Decoration::Align(value));
                }
                Key::RowMajor if places & MEMBER != 0 => set.add(Decoration::RowMajor),
                Key::ColumnMajor if places & MEMBER != 0 => set.add(Decoration::ColumnMajor),
                Key::ConstantId => set.add(Decoration::ConstantId(value)),
                Key::InputAttachmentIndex => set.add(Decoration::InputAttachmentIndex(value)),
                Key::NonCoherent => set.add(Decoration::NonCoherent),
                Key::Yuv => set.add(Decoration::Yuv),
                Key::Stream => self.check_stream(value, places & SHADER_OUT != 0, span),
                Key::PrimitiveCulling => self.primitive_culling(span),
                Key::Depth(depth) => self.properties.depth = Some(depth),
                Key::OriginUpperLeft => self.properties.origin_upper_left = true,
                Key::PixelCenterInteger => self.properties.pixel_center_integer = true,
                _ => {}
            }
        }
        self.capture_layout(layout, places, &mut set);
        set
    }

    /// The memory layout of a block, and whether its matrices are row-major.
    pub(super) fn block_layout(&self, layout: &Layout, storage: Storage) -> (BlockLayout, bool) {
        let (memory, row_major) = match storage {
            Storage::Buffer => self.block_defaults.buffer,
            _ => self.block_defaults.uniform,
        };
        let push_constant = layout.find(Key::PushConstant).is_some();
        let is_reference = layout.find(Key::BufferReference).is_some();
        let is_record = layout.find(Key::ShaderRecord).is_some();
        let otherwise =
            if push_constant || is_reference || is_record { BlockLayout::Std430 } else { BlockLayout::Shared };
        (layout.memory().or(memory).unwrap_or(otherwise), layout.row_major().unwrap_or(row_major))
    }

    /// `layout(…) in;`, `layout(…) out;`, `layout(…) uniform;`, `layout(…) buffer;`
    pub(super) fn shader_layout(&mut self, q: &Qualifiers, span: Span) {
        let places = match q.storage_kind() {
            Some(Storage::In) => SHADER_IN,
            Some(Storage::Out) => SHADER_OUT,
            Some(Storage::Uniform | Storage::Buffer) => DEFAULTS,
            None if q.layout.find(Key::PrimitiveCulling).is_some() => {
                self.layout_decorations(&q.layout, STANDALONE, "a layout of nothing");
                return;
            }
            _ => {
                self.fail(Code::E0404, span, "a layout of nothing");
                return;
            }
        };
        let word = q.storage_kind().map_or("", Storage::keyword);
        self.layout_decorations(&q.layout, places, &format!("`layout(…) {word};`"));
        if places == DEFAULTS {
            let buffer = q.storage_kind() == Some(Storage::Buffer);
            let slot = if buffer { &mut self.block_defaults.buffer } else { &mut self.block_defaults.uniform };
            slot.0 = q.layout.memory().or(slot.0);
            slot.1 = q.layout.row_major().unwrap_or(slot.1);
            return;
        }
        for &(key, value, span) in &q.layout.items {
            if WORDS.iter().any(|word| word.key == key && word.places & places == 0) {
                // It has been reported.
                continue;
            }
            match key {
                // Within a declaration, the last one counts (GLSL 4.60.8, section 4.4).
                _ if q.layout.find(key).is_some_and(|(_, last)| last != span) => {}
                Key::LocalSize(axis) => self.local_size(axis, value, span),
                Key::EarlyFragmentTests if self.stage() == Stage::Fragment => {
                    self.properties.early_fragment_tests = true;
                }
                Key::EarlyFragmentTests => {
                    self.fail(Code::E0404, span, "`early_fragment_tests` is only in fragment shaders");
                }
                Key::Interlock(interlock) if self.stage() == Stage::Fragment => self.interlock(interlock, span),
                Key::DerivativeGroup(group) if self.stage() == Stage::Compute => {
                    self.derivative_group(group, span);
                }
                Key::DerivativeGroup(_) => {
                    self.fail(Code::E0404, span, "groups of derivatives are only in compute shaders");
                }
                Key::Interlock(_) => {
                    self.fail(Code::E0404, span, "an interlock is only in fragment shaders");
                }
                Key::NumViews => self.properties.num_views = Some(value),
                Key::BlendSupport => self.properties.blend_equations = u32::MAX,
                Key::LocalSizeId(axis) => self.local_size_id(axis, value, span),
                Key::Primitive(_)
                | Key::Spacing(_)
                | Key::Winding(_)
                | Key::PointMode
                | Key::Invocations
                | Key::MaxVertices
                | Key::MaxPrimitives
                | Key::Vertices
                | Key::Stream => self.stage_layout(key, value, places == SHADER_IN, span),
                _ => {}
            }
        }
    }

    fn interlock(&mut self, interlock: Interlock, span: Span) {
        let earlier = self.properties.interlock.replace(interlock);
        if earlier.is_some_and(|earlier| earlier != interlock) {
            self.error(
                Diagnostic::error(Code::E0404, span, "a shader has one interlock")
                    .note("an earlier `layout(…) in;` names another")
                    .help("remove one of the two"),
            );
        }
    }

    fn local_size(&mut self, axis: u8, value: u32, span: Span) {
        if !self.stage().has_work_groups() {
            self.fail(Code::E0404, span, "a work group's size is only in compute, task and mesh shaders");
        } else if value == 0 {
            self.fail(Code::E0404, span, "a work group has at least one invocation in each direction");
        } else {
            let earlier = self.program_facts.local_size[usize::from(axis)].replace((value, span));
            if let Some((_, at)) = earlier.filter(|(earlier, _)| *earlier != value) {
                self.error(
                    Diagnostic::error(Code::E0404, span, "the work group has another size in this direction")
                        .also(at, "which is given here"),
                );
            }
            let size = self.properties.local_size.get_or_insert([1; 3]);
            let changed = std::mem::replace(&mut size[usize::from(axis)], value) != value;
            self.check_size_is_not_used(changed, span);
        }
    }

    /// The specialization constant of the size in a direction, which is 1 unless `local_size_x` (or y, z) is declared.
    fn local_size_id(&mut self, axis: u8, id: u32, span: Span) {
        if !self.stage().has_work_groups() {
            self.fail(Code::E0404, span, "a work group's size is only in compute, task and mesh shaders");
        } else {
            self.properties.local_size.get_or_insert([1; 3]);
            let before = self.properties.local_size_ids[usize::from(axis)].replace(id);
            self.check_size_is_not_used(before != Some(id), span);
        }
    }

    /// Reports a change of `gl_WorkGroupSize` after its first use.
    fn check_size_is_not_used(&mut self, changed: bool, span: Span) {
        if changed && self.builtins.keys().any(|&name| self.text(name) == "gl_WorkGroupSize") {
            self.fail(Code::E0404, span, "`gl_WorkGroupSize` was used before this part of it is declared");
        }
    }

    /// A storage image's type with the format of its layout.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(super) fn with_format(&mut self, ty: Type, q: &Qualifiers) -> Type {
        let Some(format) = q.layout.format() else { return ty };
        match *self.kind(ty) {
            TypeKind::Image(mut image) if matches!(image.kind, ImageKind::Storage(_)) => {
                if image.sampled != format.scalar() {
                    let name = self.type_name(ty);
                    self.fail(Code::E0404, q.span, format!("the format `{}` does not fit `{name}`", format.name()));
                }
                image.kind = ImageKind::Storage(format);
                self.b.module.types.intern(TypeKind::Image(image))
            }
            TypeKind::Array { element, len } => {
                let element = self.with_format(element, q);
                self.b.module.types.array(element, len)
            }
            _ => ty,
        }
    }
}
