//! Transform feedback: outputs that are written to buffers (GLSL 4.60.8, section 4.4.2.1).

use planish_ir::decoration::{Decoration, Decorations};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Type;
use planish_ir::module::Stage;
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};

use super::Checker;
use super::layouts::{Key, Layout, SHADER_OUT};

/// Number of buffers.
const BUFFERS: u32 = 4;

/// Buffers of a shader, and the outputs that are written to them.
#[derive(Clone, Debug, Default)]
pub(super) struct Captures {
    /// The buffer of outputs that name none.
    buffer: u32,
    /// Bytes of a vertex in each buffer, and where the shader says so.
    strides: [Option<(u32, Span)>; BUFFERS as usize],
    /// Of each output: buffer, offset, bytes, alignment, place.
    outputs: Vec<(u32, u32, u32, u32, Span)>,
}

impl Checker<'_, '_> {
    /// Notes the buffers and strides of a layout, and completes the decorations of an output.
    pub(super) fn capture_layout(&mut self, layout: &Layout, places: u16, set: &mut Decorations) {
        let own = layout.find(Key::XfbBuffer);
        let uses = [own, layout.find(Key::XfbOffset), layout.find(Key::XfbStride)];
        let Some(&(_, span)) = uses.iter().flatten().next() else { return };
        if !matches!(self.stage(), Stage::Vertex | Stage::Geometry | Stage::TessellationEvaluation) {
            self.fail(Code::E0404, span, "outputs of this stage are not written to buffers");
            return;
        }
        if let Some((_, span)) = own.filter(|&(buffer, _)| buffer >= BUFFERS) {
            self.fail(Code::E0404, span, format!("`xfb_buffer` is 0 to {}", BUFFERS - 1));
            set.remove(Decoration::XfbBuffer(own.map_or(0, |o| o.0)));
            return;
        }
        let buffer = own.map_or(self.captures.buffer, |(buffer, _)| buffer);
        if places & SHADER_OUT != 0 && own.is_some() {
            self.captures.buffer = buffer;
        }
        if let Some((stride, span)) = layout.find(Key::XfbStride) {
            let earlier = self.captures.strides[buffer as usize].replace((stride, span));
            if let Some((_, at)) = earlier.filter(|&(other, _)| other != stride) {
                self.error(
                    Diagnostic::error(Code::E0404, span, format!("buffer {buffer} has another stride"))
                        .also(at, "which is given here"),
                );
            }
            if stride % 4 != 0 {
                self.fail(Code::E0404, span, "`xfb_stride` is a multiple of 4");
            }
        }
        if layout.find(Key::XfbOffset).is_some() {
            set.add(Decoration::XfbBuffer(buffer));
        }
    }

    /// Notes an output that is captured.
    pub(super) fn capture(&mut self, ty: Type, decorations: &Decorations, span: Span) {
        let Some((buffer, offset)) = decorations.captured() else { return };
        let Some((size, align)) = self.captured_size(ty) else {
            self.fail(Code::E0404, span, "an output of this type is not written to a buffer");
            return;
        };
        if offset % align != 0 {
            self.fail(Code::E0404, span, format!("`xfb_offset` is a multiple of {align} here"));
            return;
        }
        let end = offset.saturating_add(size);
        let overlaps = |&&(b, start, size, ..): &&(u32, u32, u32, u32, Span)| {
            b == buffer && offset < start.saturating_add(size) && start < end
        };
        if let Some(&(.., other)) = self.captures.outputs.iter().find(overlaps) {
            self.error(
                Diagnostic::error(Code::E0404, span, format!("bytes {offset} to {end} of buffer {buffer} are taken"))
                    .also(other, "by this output"),
            );
            return;
        }
        self.captures.outputs.push((buffer, offset, size, align, span));
    }

    /// Reports a member of a block of outputs that names another buffer than the block's.
    pub(super) fn check_buffer_of_member(&mut self, member: &Layout, block: &Layout) {
        let of_block = block.find(Key::XfbBuffer).map_or(self.captures.buffer, |(buffer, _)| buffer);
        if let Some((_, span)) = member.find(Key::XfbBuffer).filter(|(buffer, _)| *buffer != of_block) {
            self.error(
                Diagnostic::error(Code::E0404, span, format!("the block is written to buffer {of_block}"))
                    .note("all members of a block are written to one buffer"),
            );
        }
    }

    /// The place of a member of a block; `next`: the first free byte, if the block is captured as a whole.
    pub(super) fn capture_member(
        &mut self,
        ty: Type,
        decorations: &mut Decorations,
        block: &Layout,
        next: &mut Option<u32>,
        span: Span,
    ) {
        let (own, size) = (decorations.captured(), self.captured_size(ty));
        let Some(offset) = own.map(|(_, offset)| offset).or(*next) else { return };
        let buffer = block.find(Key::XfbBuffer).or(own.map(|(buffer, _)| (buffer, span)));
        let (buffer, _) = buffer.unwrap_or((self.captures.buffer, span));
        match own {
            Some((own, _)) => decorations.remove(Decoration::XfbBuffer(own)),
            None => {
                let align = size.map_or(4, |(_, align)| align);
                decorations.add(Decoration::XfbOffset(offset.next_multiple_of(align)));
            }
        };
        decorations.add(Decoration::XfbBuffer(buffer));
        self.capture(ty, decorations, span);
        if let (Some(next), Some((_, offset)), Some((size, _))) = (next.as_mut(), decorations.captured(), size) {
            *next = offset.saturating_add(size);
        }
    }

    /// The strides of all buffers, in which all outputs have room.
    pub(super) fn finish_captures(&mut self) {
        let captures = std::mem::take(&mut self.captures);
        for &(buffer, offset, size, align, span) in &captures.outputs {
            let end = offset.saturating_add(size).next_multiple_of(align);
            let stride = &mut self.properties.xfb_strides[buffer as usize];
            match captures.strides[buffer as usize] {
                Some((given, at)) if end > given => {
                    self.error(
                        Diagnostic::error(Code::E0404, span, format!("this output ends at byte {end}"))
                            .also(at, "the stride of the buffer is smaller"),
                    );
                }
                Some((given, _)) => *stride = Some(given),
                None => *stride = Some(stride.unwrap_or(0).max(end)),
            }
        }
    }

    /// Bytes and alignment of an output in a buffer: its components one after the other.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn captured_size(&self, ty: Type) -> Option<(u32, u32)> {
        let of = |scalar: Scalar, count: u32| match scalar.bits() {
            64 => Some((8 * count, 8)),
            32 if scalar != Scalar::Bool => Some((4 * count, 4)),
            _ => None,
        };
        match self.kind(ty) {
            TypeKind::Scalar(scalar) => of(*scalar, 1),
            TypeKind::Vector(scalar, size) => of(*scalar, (*size).into()),
            TypeKind::Matrix { scalar, columns, rows } => of(*scalar, u32::from(*columns) * u32::from(*rows)),
            TypeKind::Array { element, len } => {
                let (size, align) = self.captured_size(*element)?;
                Some((size.checked_mul(*len)?, align))
            }
            TypeKind::Struct(s) => {
                let (mut size, mut align) = (0u32, 4);
                for member in &s.members {
                    let (part, by) = self.captured_size(member.ty)?;
                    size = size.checked_next_multiple_of(by)?.checked_add(part)?;
                    align = align.max(by);
                }
                Some((size.checked_next_multiple_of(align)?, align))
            }
            _ => None,
        }
    }
}
