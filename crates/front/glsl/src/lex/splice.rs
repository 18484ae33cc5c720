//! Line continuations: a backslash at the end of a line joins it to the next, before anything else is looked at.
//!
//! Specified from ES 3.00 and 4.20 on; compilers in practice accept them in all versions.

use std::sync::Arc;

/// A text without line continuations, and their positions.
#[derive(Debug)]
pub(crate) struct Spliced {
    pub(crate) text: Arc<str>,
    /// `(position in text, bytes left out before it)`, rising.
    cuts: Vec<(u32, u32)>,
}

/// Takes out all line continuations.
pub(crate) fn splice(text: &Arc<str>) -> Spliced {
    let bytes = text.as_bytes();
    let mut joined = String::new();
    let mut cuts = vec![];
    let mut kept = 0;
    let mut pos = 0;
    while let Some(offset) = memchr::memchr(b'\\', &bytes[pos..]) {
        pos += offset;
        let length = match &bytes[pos + 1..] {
            [b'\r', b'\n', ..] => 3,
            [b'\n' | b'\r', ..] => 2,
            _ => {
                pos += 1;
                continue;
            }
        };
        joined.push_str(&text[kept..pos]);
        pos += length;
        kept = pos;
        cuts.push((joined.len() as u32, (pos - joined.len()) as u32));
    }
    if cuts.is_empty() {
        return Spliced { text: text.clone(), cuts };
    }
    joined.push_str(&text[kept..]);
    Spliced { text: joined.into(), cuts }
}

impl Spliced {
    /// The position in the original text of a position in this one; after a continuation at that position.
    #[inline]
    pub(crate) fn original(&self, pos: usize) -> u32 {
        let pos = pos as u32;
        if self.cuts.is_empty() {
            return pos;
        }
        let index = self.cuts.partition_point(|(cut, _)| *cut <= pos);
        pos + index.checked_sub(1).map_or(0, |i| self.cuts[i].1)
    }

    /// The first continuation in `start..end`, as its position in this text.
    pub(crate) fn cut_in(&self, start: usize, end: usize) -> Option<usize> {
        let index = self.cuts.partition_point(|(cut, _)| (*cut as usize) < start);
        self.cuts.get(index).map(|(cut, _)| *cut as usize).filter(|cut| *cut < end)
    }

    /// Whether there are any continuations.
    pub(crate) fn has_cuts(&self) -> bool {
        !self.cuts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_joined_and_positions_kept() {
        let spliced = splice(&"ab\\\ncd\\\r\nef\\g\\\rh".into());
        assert_eq!(&*spliced.text, "abcdef\\gh");
        let back: Vec<u32> = (0..=9).map(|p| spliced.original(p)).collect();
        assert_eq!(back, [0, 1, 4, 5, 9, 10, 11, 12, 15, 16]);
        assert_eq!(spliced.cut_in(0, 2), None);
        assert_eq!(spliced.cut_in(0, 3), Some(2));
        assert_eq!(spliced.cut_in(3, 9), Some(4));
    }

    #[test]
    fn a_text_without_continuations_is_shared() {
        let text: Arc<str> = "a \\ b\n".into();
        assert!(Arc::ptr_eq(&splice(&text).text, &text));
    }

    #[test]
    fn continuations_may_follow_each_other_and_end_the_text() {
        let spliced = splice(&"a\\\n\\\nb\\\n".into());
        assert_eq!(&*spliced.text, "ab");
        assert_eq!(spliced.original(1), 5);
        assert_eq!(spliced.original(2), 8);
    }
}
