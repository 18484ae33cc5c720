//! Keywords for the variants of enums: one table each, shared by the printer, the parser and the dump.

use std::fmt::Write;

use crate::decoration::{
    BlockLayout, BuiltIn, Decoration, Decorations, Interpolation, NameSource, Precision, Sampling, SliceLength,
};
use crate::function::Direction;
use crate::module::{DepthLayout, DerivativeGroup, Interlock, Primitive, Spacing, StageProperties, Winding};
use crate::spirv::SpirvMode;

/// A table of keywords and variants.
pub(crate) type Words<T> = &'static [(&'static str, T)];

/// The keyword of a variant.
pub(crate) fn word_of<T: PartialEq>(words: Words<T>, thing: &T) -> &'static str {
    words.iter().find(|(_, t)| t == thing).map_or("", |(word, _)| word)
}

/// The variant of a keyword.
pub(crate) fn thing_of<T: Copy>(words: Words<T>, word: &str) -> Option<T> {
    words.iter().find(|(w, _)| *w == word).map(|(_, thing)| *thing)
}

pub(crate) const SOURCES: Words<NameSource> = &[
    ("interface", NameSource::Interface),
    ("builtin", NameSource::BuiltIn),
    ("internal", NameSource::Internal),
    ("", NameSource::Temporary),
];

pub(crate) const PRECISIONS: Words<Precision> =
    &[("", Precision::None), ("lowp", Precision::Low), ("mediump", Precision::Medium), ("highp", Precision::High)];

pub(crate) const DIRECTIONS: Words<Direction> =
    &[("", Direction::In), ("out", Direction::Out), ("inout", Direction::InOut), ("noalias", Direction::NoAlias)];

pub(crate) const DEPTHS: Words<DepthLayout> = &[
    ("any", DepthLayout::Any),
    ("greater", DepthLayout::Greater),
    ("less", DepthLayout::Less),
    ("unchanged", DepthLayout::Unchanged),
];

pub(crate) const INTERLOCKS: Words<Interlock> = &[
    ("pixel_ordered", Interlock::PixelOrdered),
    ("pixel_unordered", Interlock::PixelUnordered),
    ("sample_ordered", Interlock::SampleOrdered),
    ("sample_unordered", Interlock::SampleUnordered),
    ("shading_rate_ordered", Interlock::ShadingRateOrdered),
    ("shading_rate_unordered", Interlock::ShadingRateUnordered),
];

pub(crate) const DERIVATIVE_GROUPS: Words<DerivativeGroup> =
    &[("quads", DerivativeGroup::Quads), ("linear", DerivativeGroup::Linear)];

pub(crate) const PRIMITIVES: Words<Primitive> = &[
    ("points", Primitive::Points),
    ("lines", Primitive::Lines),
    ("lines_adjacency", Primitive::LinesAdjacency),
    ("triangles", Primitive::Triangles),
    ("triangles_adjacency", Primitive::TrianglesAdjacency),
    ("quads", Primitive::Quads),
    ("isolines", Primitive::Isolines),
    ("line_strip", Primitive::LineStrip),
    ("triangle_strip", Primitive::TriangleStrip),
];

pub(crate) const SPACINGS: Words<Spacing> = &[
    ("equal", Spacing::Equal),
    ("fractional_even", Spacing::FractionalEven),
    ("fractional_odd", Spacing::FractionalOdd),
];

pub(crate) const WINDINGS: Words<Winding> = &[("cw", Winding::Clockwise), ("ccw", Winding::CounterClockwise)];

/// Decorations of one word.
const PLAIN_DECORATIONS: Words<Decoration> = &[
    ("invariant", Decoration::Invariant),
    ("precise", Decoration::Precise),
    ("smooth", Decoration::Interpolation(Interpolation::Smooth)),
    ("flat", Decoration::Interpolation(Interpolation::Flat)),
    ("noperspective", Decoration::Interpolation(Interpolation::NoPerspective)),
    ("pervertex", Decoration::Interpolation(Interpolation::PerVertex)),
    ("centroid", Decoration::Sampling(Sampling::Centroid)),
    ("sample", Decoration::Sampling(Sampling::Sample)),
    ("patch", Decoration::Patch),
    ("std140", Decoration::BlockLayout(BlockLayout::Std140)),
    ("std430", Decoration::BlockLayout(BlockLayout::Std430)),
    ("shared", Decoration::BlockLayout(BlockLayout::Shared)),
    ("packed", Decoration::BlockLayout(BlockLayout::Packed)),
    ("scalar", Decoration::BlockLayout(BlockLayout::Scalar)),
    ("row_major", Decoration::RowMajor),
    ("column_major", Decoration::ColumnMajor),
    ("readonly", Decoration::ReadOnly),
    ("writeonly", Decoration::WriteOnly),
    ("coherent", Decoration::Coherent),
    ("volatile", Decoration::Volatile),
    ("restrict", Decoration::Restrict),
    ("nonuniform", Decoration::NonUniform),
    ("noncoherent", Decoration::NonCoherent),
    ("framebuffer_fetch", Decoration::FramebufferFetch),
    ("yuv", Decoration::Yuv),
    ("unnumbered", Decoration::Unnumbered),
    ("flatten", Decoration::Flatten),
    ("leaf", Decoration::Leaf),
    ("leaf_barrier", Decoration::LeafBarrier),
    ("vectorized", Decoration::Vectorized),
];

/// Decorations with a number.
const NUMBERED_DECORATIONS: Words<fn(u32) -> Decoration> = &[
    ("location", Decoration::Location),
    ("index", Decoration::Index),
    ("component", Decoration::Component),
    ("xfb_buffer", Decoration::XfbBuffer),
    ("xfb_offset", Decoration::XfbOffset),
    ("set", Decoration::Set),
    ("binding", Decoration::Binding),
    ("offset", Decoration::Offset),
    ("align", Decoration::Align),
    ("input_attachment_index", Decoration::InputAttachmentIndex),
    ("constant_id", Decoration::ConstantId),
    ("storage_class", Decoration::StorageClass),
];

fn number_of(decoration: Decoration) -> Option<u32> {
    match decoration {
        Decoration::Location(n)
        | Decoration::Index(n)
        | Decoration::Component(n)
        | Decoration::XfbBuffer(n)
        | Decoration::XfbOffset(n)
        | Decoration::Set(n)
        | Decoration::Binding(n)
        | Decoration::Offset(n)
        | Decoration::Align(n)
        | Decoration::InputAttachmentIndex(n)
        | Decoration::StorageClass(n)
        | Decoration::ConstantId(n) => Some(n),
        _ => None,
    }
}

/// The text of a decoration, in the text form and the dump.
pub(crate) fn decoration_text(decoration: Decoration) -> String {
    if let Decoration::BuiltIn(builtin) = decoration {
        return format!("builtin({})", builtin.glsl_name());
    }
    if let Decoration::Length(SliceLength { param, memory, stride }) = decoration {
        return format!("length({param}, {memory}, {stride})");
    }
    if let Decoration::Spirv(number, operand) = decoration {
        let operand = operand.map(|operand| format!(", {operand}")).unwrap_or_default();
        return format!("spirv({number}{operand})");
    }
    match number_of(decoration) {
        Some(n) => {
            let word = NUMBERED_DECORATIONS.iter().find(|(_, make)| make(n) == decoration).map_or("", |(w, _)| w);
            format!("{word}({n})")
        }
        None => word_of(PLAIN_DECORATIONS, &decoration).to_owned(),
    }
}

/// Continuation of a decoration after its first word.
pub(crate) enum DecorationWord {
    /// Complete.
    Plain(Decoration),
    /// A number.
    Numbered(fn(u32) -> Decoration),
    /// The name of a built-in.
    BuiltIn,
    /// Parameter, memory and bytes of an element.
    Length,
    /// Number and operand of a decoration of SPIR-V.
    Spirv,
}

/// The decoration that begins with a word.
pub(crate) fn decoration_word(word: &str) -> Option<DecorationWord> {
    if word == "builtin" {
        return Some(DecorationWord::BuiltIn);
    }
    if word == "length" {
        return Some(DecorationWord::Length);
    }
    if word == "spirv" {
        return Some(DecorationWord::Spirv);
    }
    let plain = thing_of(PLAIN_DECORATIONS, word).map(DecorationWord::Plain);
    plain.or_else(|| thing_of(NUMBERED_DECORATIONS, word).map(DecorationWord::Numbered))
}

/// The built-in with this GLSL name.
pub(crate) fn builtin_of(name: &str) -> Option<BuiltIn> {
    BuiltIn::ALL.iter().copied().find(|b| b.glsl_name() == name)
}

/// Appends each decoration after a space.
pub(crate) fn write_decorations(out: &mut String, decorations: &Decorations) {
    for d in decorations.iter() {
        let _ = write!(out, " {}", decoration_text(d));
    }
}

/// Appends a precision after a space, if there is one.
pub(crate) fn write_precision(out: &mut String, precision: Precision) {
    if precision != Precision::None {
        let _ = write!(out, " {}", precision.keyword());
    }
}

/// The words of [`StageProperties::local_size_ids`].
pub(crate) const LOCAL_SIZE_IDS: [&str; 3] = ["local_size_x_id", "local_size_y_id", "local_size_z_id"];

/// The stage properties that are set, as words.
pub(crate) fn property_texts(p: &StageProperties) -> Vec<String> {
    let mut words = Vec::new();
    let mut flag = |set: bool, word: &str| {
        if set {
            words.push(word.to_owned());
        }
    };
    flag(p.early_fragment_tests, "early_fragment_tests");
    flag(p.origin_upper_left, "origin_upper_left");
    flag(p.pixel_center_integer, "pixel_center_integer");
    words.extend(p.depth.map(|d| format!("depth({})", word_of(DEPTHS, &d))));
    words.extend(p.interlock.map(|i| format!("interlock({})", word_of(INTERLOCKS, &i))));
    words.extend(p.local_size.map(|[x, y, z]| format!("local_size({x}, {y}, {z})")));
    let ids = LOCAL_SIZE_IDS.iter().zip(p.local_size_ids);
    words.extend(ids.filter_map(|(word, id)| Some(format!("{word}({})", id?))));
    words.extend(p.input_primitive.map(|t| format!("input_primitive({})", word_of(PRIMITIVES, &t))));
    words.extend(p.output_primitive.map(|t| format!("output_primitive({})", word_of(PRIMITIVES, &t))));
    words.extend(p.max_vertices.map(|n| format!("max_vertices({n})")));
    words.extend(p.invocations.map(|n| format!("invocations({n})")));
    words.extend(p.vertices.map(|n| format!("vertices({n})")));
    words.extend(p.spacing.map(|s| format!("spacing({})", word_of(SPACINGS, &s))));
    words.extend(p.winding.map(|w| format!("winding({})", word_of(WINDINGS, &w))));
    words.extend(p.point_mode.then(|| "point_mode".to_owned()));
    for (buffer, stride) in p.xfb_strides.iter().enumerate() {
        words.extend(stride.map(|stride| format!("xfb_stride({buffer}, {stride})")));
    }
    words.extend(p.derivative_group.map(|g| format!("derivative_group({})", word_of(DERIVATIVE_GROUPS, &g))));
    for SpirvMode { mode, operands } in &p.spirv_modes {
        let operands: String = operands.iter().map(|operand| format!(", {operand}")).collect();
        words.push(format!("mode({mode}{operands})"));
    }
    words.extend(p.num_views.map(|n| format!("num_views({n})")));
    words.extend((p.blend_equations != 0).then(|| format!("blend({})", p.blend_equations)));
    words
}

/// Whether a name needs no quotes.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Appends bytes in quotes. Bytes that are not UTF-8, and control characters, become `\hh`.
pub(crate) fn write_quoted(out: &mut String, bytes: &[u8]) {
    out.push('"');
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                c if (c as u32) < 0x20 || c == '\x7f' => {
                    let _ = write!(out, "\\{:02x}", c as u32);
                }
                c => out.push(c),
            }
        }
        for b in chunk.invalid() {
            let _ = write!(out, "\\{b:02x}");
        }
    }
    out.push('"');
}
