//! A text made of parts of files, which knows where each of its bytes is from.

use std::ops::Range;

use planish_ir::source::{SourceFile, Span};

/// A text with the places of its parts.
#[derive(Clone, Default, Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// In the order of the text, without gaps.
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    /// First byte in the text.
    at: usize,
    source: Span,
    /// Whether the bytes are those of the source. Otherwise the whole piece is from the whole span.
    same: bool,
}

impl Text {
    /// A text that is a file.
    pub(crate) fn of_file(file: &SourceFile, text: String) -> Text {
        let source = Span::new(file.start, file.start + text.len() as u32);
        Text { text, pieces: vec![Piece { at: 0, source, same: true }] }
    }

    /// Appends bytes of a file.
    pub(crate) fn copy_file(&mut self, file: &SourceFile, bytes: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        let source = Span::new(file.start + bytes.start as u32, file.start + bytes.end as u32);
        self.pieces.push(Piece { at: self.text.len(), source, same: true });
        self.text.push_str(&file.text[bytes]);
    }

    /// Appends another text in place of what is in the source.
    pub(crate) fn replace(&mut self, new: &str, source: Span) {
        if !new.is_empty() {
            self.pieces.push(Piece { at: self.text.len(), source, same: false });
            self.text.push_str(new);
        }
    }

    /// Appends a part of another text.
    pub(crate) fn copy(&mut self, from: &Text, bytes: Range<usize>) {
        let mut at = bytes.start;
        while at < bytes.end {
            let index = from.piece_at(at);
            let piece = &from.pieces[index];
            let piece_end = from.pieces.get(index + 1).map_or(from.text.len(), |next| next.at);
            let end = piece_end.min(bytes.end);
            let source = match piece.same {
                true => from.span(at..end),
                false => piece.source,
            };
            self.pieces.push(Piece { at: self.text.len(), source, same: piece.same });
            self.text.push_str(&from.text[at..end]);
            at = end;
        }
    }

    fn piece_at(&self, at: usize) -> usize {
        self.pieces.partition_point(|piece| piece.at <= at).saturating_sub(1)
    }

    /// The place in the sources of some bytes. What begins in one file and ends in another is placed where it begins.
    pub(crate) fn span(&self, bytes: Range<usize>) -> Span {
        // A text that ends too early does so at the last byte.
        let bytes = bytes.start.min(self.text.len())..bytes.end.min(self.text.len());
        let place = |at: usize| {
            let piece = self.pieces.get(self.piece_at(at))?;
            let at = (at - piece.at) as u32;
            Some(if piece.same {
                Span::new(piece.source.start + at, piece.source.start + at + 1)
            } else {
                piece.source
            })
        };
        let Some(first) = place(bytes.start) else { return Span::NONE };
        match place(bytes.end.saturating_sub(1).max(bytes.start)) {
            Some(last) if bytes.is_empty() => Span::new(first.start, last.start),
            Some(last) if last.end >= first.end && self.is_one(bytes) => Span::new(first.start, last.end),
            _ => first,
        }
    }

    /// Whether bytes are from places that follow each other.
    fn is_one(&self, bytes: Range<usize>) -> bool {
        let pieces =
            &self.pieces[self.piece_at(bytes.start)..=self.piece_at(bytes.end.saturating_sub(1).max(bytes.start))];
        pieces.windows(2).all(|pair| pair[0].source.end <= pair[1].source.start)
    }

    /// The first byte that is from a place in the sources.
    pub(crate) fn offset_of(&self, source: u32) -> Option<usize> {
        let piece = self.pieces.iter().find(|piece| (piece.source.start..piece.source.end).contains(&source))?;
        Some(if piece.same { piece.at + (source - piece.source.start) as usize } else { piece.at })
    }
}
