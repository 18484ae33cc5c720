//! Source files and positions in them.
//!
//! Every file that a compilation reads gets a range of one global offset space, so that a [`Span`] is eight bytes and
//! needs no file number. A [`SourceMap`] turns a span back into file, line and column.

use std::fmt;
use std::sync::{Arc, OnceLock};

use memchr::memchr2_iter;

/// Source of the text of `#include`s; the library does not access files.
pub trait IncludeResolver {
    /// The full name and text of `name`, included from the file `from`; `system` if it was written in `<>`. `None` if
    /// not found.
    fn resolve(&mut self, name: &str, from: &str, system: bool) -> Option<(String, Arc<str>)>;

    /// The full name and text of a module of WGSL by its path (`shapes::circle`), imported by the file `from`. `None` if not found.
    ///
    /// Unless it is given, it is the file `shapes/circle.wgsl`.
    fn module(&mut self, path: &str, from: &str) -> Option<(String, Arc<str>)> {
        self.resolve(&format!("{}.wgsl", path.replace("::", "/")), from, false)
    }
}

/// A half-open range of bytes in the global offset space of a [`SourceMap`].
///
/// Offset 0 belongs to no file: [`Span::NONE`] is the span of code without a source location.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of code without a source location.
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// The span from `start` to `end`, in bytes of the global offset space.
    pub const fn new(start: u32, end: u32) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both; `NONE` is the identity.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            other
        } else if other.is_none() {
            self
        } else {
            Span::new(self.start.min(other.start), self.end.max(other.end))
        }
    }

    /// The empty span right after this one, for "expected `;` here".
    pub fn after(self) -> Span {
        Span::new(self.end, self.end)
    }

    /// Whether it is [`Span::NONE`].
    pub const fn is_none(self) -> bool {
        self.start == 0 && self.end == 0
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// One file of a [`SourceMap`]. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name shown to the user, as given.
    pub name: Arc<str>,
    /// The text.
    pub text: Arc<str>,
    /// The global offset of the first byte.
    pub start: u32,
    /// Offsets of line starts, computed on first use.
    line_starts: Arc<OnceLock<Box<[u32]>>>,
    /// Lines that are counted otherwise, sorted; set once.
    numbering: Arc<OnceLock<Box<[Numbering]>>>,
    content: Content,
}

/// Other numbers of the lines of a file from one line on, as `#line` sets them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbering {
    /// The first line that is counted so, from 0.
    pub line: u32,
    /// Its number.
    pub number: u32,
    /// Name of the file that the lines are from; `None`: this one.
    pub file: Option<Arc<str>>,
}

/// Kind of a file.
#[derive(Clone, Debug)]
enum Content {
    /// The text is there.
    Text,
    /// Bytes, whose locations are offsets.
    Binary(Arc<Binary>),
    /// A text that is elsewhere: a location is line × [`COLUMNS`] + column, both from 1.
    Lines,
}

/// Columns of a line that are told apart in a text that is elsewhere.
const COLUMNS: u32 = 1 << 8;
/// Lines that are told apart in a text that is elsewhere.
const LINES: u32 = 1 << 16;

/// A named part of a binary file: offset of its start, one past its end, and a description (`function $f`).
pub type NamedPart = (u32, u32, Arc<str>);

/// A binary file: locations in it are offsets.
#[derive(Debug)]
struct Binary {
    len: u32,
    /// Sorted by offset; set once.
    parts: OnceLock<Box<[NamedPart]>>,
}

impl SourceFile {
    /// One past the last global offset of the file.
    pub fn end(&self) -> u32 {
        self.start + self.len() as u32
    }

    /// Offsets that belong to the file.
    fn len(&self) -> usize {
        match &self.content {
            Content::Text => self.text.len(),
            Content::Binary(binary) => binary.len as usize,
            Content::Lines => (LINES * COLUMNS) as usize,
        }
    }

    /// Whether it is a binary file, whose locations have no lines.
    pub fn is_binary(&self) -> bool {
        matches!(self.content, Content::Binary(_))
    }

    /// Whether its text is there.
    pub fn has_text(&self) -> bool {
        matches!(self.content, Content::Text)
    }

    /// A location in a text that is elsewhere ([`SourceMap::add_lines`]), both numbers from 1. The last line and the last column that
    /// can be told apart, 65,535 and 254, stand for those that follow.
    pub fn at_line(&self, line: u32, column: u32) -> Span {
        let start = self.start + line.min(LINES - 1) * COLUMNS + column.min(COLUMNS - 2);
        Span::new(start, start + 1)
    }

    /// Sets the named parts of a binary file, sorted by offset. Only the first call has an effect; none for a text.
    pub fn set_parts(&self, parts: impl Into<Box<[NamedPart]>>) {
        if let Content::Binary(binary) = &self.content {
            // Later calls would set the same.
            let _ = binary.parts.set(parts.into());
        }
    }

    /// Sets the numbers of lines, sorted by line. Only the first call has an effect.
    pub fn set_numbering(&self, numbering: impl Into<Box<[Numbering]>>) {
        // Later calls would set the same.
        let _ = self.numbering.set(numbering.into());
    }

    /// The numbering that holds for a line, counted from 0; `None` if it is the file's own.
    pub fn numbering_of(&self, line: usize) -> Option<&Numbering> {
        let all = self.numbering.get()?;
        all.partition_point(|numbering| numbering.line as usize <= line).checked_sub(1).map(|index| &all[index])
    }

    /// Description of a location in a binary file: `offset 0x1a2b in function $f`. `None` for a text.
    pub fn binary_place(&self, offset: u32) -> Option<String> {
        let Content::Binary(binary) = &self.content else { return None };
        let at = offset - self.start;
        let parts = binary.parts.get().map_or(&[][..], |parts| parts);
        let part = parts.partition_point(|part| part.0 <= at).checked_sub(1).map(|index| &parts[index]);
        Some(match part.filter(|part| at < part.1) {
            Some((_, _, name)) => format!("offset {at:#x} in {name}"),
            None => format!("offset {at:#x}"),
        })
    }

    /// The span of the whole file.
    pub fn span(&self) -> Span {
        Span::new(self.start, self.end())
    }

    /// Line starts as offsets in the text, ascending from 0. A line ends with LF, CR or CR LF.
    pub fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let ends = memchr2_iter(b'\n', b'\r', bytes)
                .filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
                .map(|at| at as u32 + 1);
            std::iter::once(0).chain(ends).collect()
        })
    }

    /// The line of an offset in the text, from 0; O(log lines) after the first call.
    pub fn line_at(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset) - 1
    }
}

/// A position in the units of users and editors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in Unicode scalar values, from 1.
    pub column: u32,
    /// Column in UTF-16 code units, from 0, as the language server protocol counts.
    pub utf16: u32,
}

/// A place as the user knows it: after `#line`, in the file and line that it names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Name of the file.
    pub file: Arc<str>,
    /// Line and column.
    pub at: LineColumn,
}

/// All files of one compilation.
///
/// # Example
/// ```
/// use planish_ir::source::{SourceMap, Span};
/// let mut map = SourceMap::new();
/// let file = map.add("a.frag", "void main()\n{ }\n").unwrap();
/// let span = Span::new(file.start + 12, file.start + 13);
/// let at = map.line_column(span.start).unwrap();
/// assert_eq!((at.line, at.column), (2, 1));
/// assert_eq!(map.text(span), "{");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

/// More than 4 GiB of source in one compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceTooLarge;

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a file.
    ///
    /// # Errors
    /// [`SourceTooLarge`] if the offsets no longer fit 32 bits.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Result<SourceFile, SourceTooLarge> {
        self.push(name.into(), text.into(), Content::Text)
    }

    /// Appends a binary file of `len` bytes. [`SourceFile::set_parts`] may name its parts later.
    ///
    /// # Errors
    /// See [`SourceMap::add`].
    pub fn add_binary(&mut self, name: impl Into<Arc<str>>, len: usize) -> Result<SourceFile, SourceTooLarge> {
        let len = u32::try_from(len).map_err(|_| SourceTooLarge)?;
        self.push(name.into(), "".into(), Content::Binary(Arc::new(Binary { len, parts: OnceLock::new() })))
    }

    /// Appends a file whose text is elsewhere, such as a program in Rust that makes code: its locations have lines and columns
    /// ([`SourceFile::at_line`]).
    ///
    /// # Errors
    /// See [`SourceMap::add`]. About 250 such files fit.
    pub fn add_lines(&mut self, name: impl Into<Arc<str>>) -> Result<SourceFile, SourceTooLarge> {
        self.push(name.into(), "".into(), Content::Lines)
    }

    fn push(&mut self, name: Arc<str>, text: Arc<str>, content: Content) -> Result<SourceFile, SourceTooLarge> {
        // One offset lies between two files, so that an empty span at the end of one is not in the next.
        let start = self.files.last().map_or(1, |f| f.end() + 1);
        let file = SourceFile { name, text, start, line_starts: Arc::default(), numbering: Arc::default(), content };
        u32::try_from(file.len()).ok().and_then(|n| start.checked_add(n)?.checked_add(1)).ok_or(SourceTooLarge)?;
        self.files.push(file.clone());
        Ok(file)
    }

    /// The files, in the order of their addition.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file that contains a global offset (its end included); `None` if no file does.
    pub fn file_at(&self, offset: u32) -> Option<&SourceFile> {
        let index = self.files.partition_point(|f| f.start <= offset).checked_sub(1)?;
        let file = &self.files[index];
        (offset <= file.end()).then_some(file)
    }

    /// The place of a span, for people: `sky.frag:12:5`, or in a binary file `prog.wasm: offset 0x1a2b in function $f`. `None` outside all files.
    pub fn place(&self, span: Span) -> Option<String> {
        let file = self.file_at(span.start).filter(|_| !span.is_none())?;
        match self.place_at(span.start) {
            Some(Place { file, at }) => Some(format!("{file}:{}:{}", at.line, at.column)),
            None => Some(format!("{}: {}", file.name, file.binary_place(span.start)?)),
        }
    }

    /// Line and column of a global offset; `None` in a binary file or outside all files. O(length of the line), on the
    /// first call for a file O(its length).
    pub fn line_column(&self, offset: u32) -> Option<LineColumn> {
        let file = self.file_at(offset).filter(|file| !file.is_binary())?;
        let mut local = (offset - file.start) as usize;
        if !file.has_text() {
            let (line, column) = (local as u32 / COLUMNS, local as u32 % COLUMNS);
            return Some(LineColumn { line, column, utf16: column.saturating_sub(1) });
        }
        while !file.text.is_char_boundary(local) {
            local -= 1;
        }
        let line = file.line_at(local as u32);
        let in_line = &file.text[file.line_starts()[line] as usize..local];
        Some(LineColumn {
            line: line as u32 + 1,
            column: in_line.chars().count() as u32 + 1,
            utf16: in_line.encode_utf16().count() as u32,
        })
    }

    /// The place of a global offset as the user knows it; `None` where [`SourceMap::line_column`] is.
    pub fn place_at(&self, offset: u32) -> Option<Place> {
        let file = self.file_at(offset)?;
        let at = self.line_column(offset)?;
        let Some(numbering) = file.numbering_of(at.line as usize - 1) else {
            return Some(Place { file: file.name.clone(), at });
        };
        let line = numbering.number.saturating_add(at.line - 1 - numbering.line);
        Some(Place { file: numbering.file.as_ref().unwrap_or(&file.name).clone(), at: LineColumn { line, ..at } })
    }

    /// The places of a span's begin and end; `None` if it is in no text.
    pub fn ends_of(&self, span: Span) -> Option<(Place, Place)> {
        if span.is_none() { None } else { self.place_at(span.start).zip(self.place_at(span.end)) }
    }

    /// The text of a span; empty if it is in no file.
    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.file_at(span.start) else { return "" };
        let start = (span.start - file.start) as usize;
        let end = (span.end.min(file.end()) - file.start) as usize;
        file.text.get(start..end).unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_binary_files_are_offsets() {
        let mut map = SourceMap::new();
        let file = map.add_binary("a.wasm", 100).unwrap();
        let next = map.add("b", "text").unwrap();
        file.set_parts([(10, 20, "function $f".into()), (20, 30, "function $g".into())]);
        let place = |at: u32| map.file_at(file.start + at).and_then(|f| f.binary_place(file.start + at));
        assert_eq!(place(9).as_deref(), Some("offset 0x9"));
        assert_eq!(place(19).as_deref(), Some("offset 0x13 in function $f"));
        assert_eq!(place(20).as_deref(), Some("offset 0x14 in function $g"));
        assert_eq!(place(30).as_deref(), Some("offset 0x1e"));
        assert_eq!((map.line_column(file.start), map.text(file.span())), (None, ""));
        assert_eq!(map.text(next.span()), "text");
    }

    #[test]
    fn places_in_texts_elsewhere_are_lines() {
        let mut map = SourceMap::new();
        map.add("first", "x").unwrap();
        let file = map.add_lines("main.rs").unwrap();
        let next = map.add("b", "text").unwrap();
        let span = file.at_line(12, 34);
        let place = map.line_column(span.start).map(|at| (at.line, at.column, at.utf16));
        assert_eq!((place, map.text(span), file.has_text()), (Some((12, 34, 33)), "", false));
        assert_eq!(map.file_at(file.at_line(u32::MAX, u32::MAX).end).map(|file| &*file.name), Some("main.rs"));
        assert_eq!(map.text(next.span()), "text");
    }

    #[test]
    fn places_follow_the_numbers_of_lines() {
        let mut map = SourceMap::new();
        let file = map.add("all.frag", "a\n#line 7 \"x\"\nb\n#line 1\nc\n").unwrap();
        let x: Option<Arc<str>> = Some("x".into());
        file.set_numbering([
            Numbering { line: 2, number: 7, file: x.clone() },
            Numbering { line: 4, number: 1, file: x },
        ]);
        let place = |at: u32| map.place(Span::new(file.start + at, file.start + at + 1)).unwrap();
        let at = ["a\n", "b\n", "c\n"].map(|text| place(file.text.find(text).unwrap() as u32));
        assert_eq!(at, ["all.frag:1:1", "x:7:1", "x:1:1"]);
    }

    #[test]
    fn lines_end_in_three_ways() {
        let mut map = SourceMap::new();
        map.add("first", "x\n").unwrap();
        let file = map.add("a", "a\nb\r\nçd\re\r\r\n").unwrap();
        let at = |offset: u32| map.line_column(file.start + offset).map(|at| (at.line, at.column, at.utf16));
        // `a`, LF, `b`, CR, LF, `ç` and its second byte, `d`, CR, `e`, CR, CR, LF, the end.
        let places = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map(|offset| at(offset).expect("in the file"));
        let lines = [1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6];
        let columns = [1, 2, 1, 2, 3, 1, 1, 2, 3, 1, 2, 1, 2, 1];
        for (i, place) in places.into_iter().enumerate() {
            assert_eq!(place, (lines[i], columns[i], columns[i] - 1), "offset {i}");
        }
        assert_eq!(at(14), None);
    }
}
