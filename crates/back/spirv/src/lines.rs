//! Debug information: the source and the line of every instruction.

use planish_ir::module::Language;
use planish_ir::source::{SourceMap, Span};
use rustc_hash::FxHashMap;
use spirv::{Op, SourceLanguage, Word};

use crate::assemble::{Id, Words};
use crate::module::Context;

/// Line numbers of source positions.
pub(crate) struct Lines<'m> {
    map: Option<&'m SourceMap>,
    /// By the file's first offset.
    files: FxHashMap<u32, File>,
}

struct File {
    id: Id,
    /// Beginning of each line, as a global offset.
    starts: Vec<u32>,
}

impl<'m> Lines<'m> {
    pub(crate) fn new(map: Option<&'m SourceMap>) -> Self {
        Lines { map, files: FxHashMap::default() }
    }
}

/// Bytes of source that one instruction holds.
const CHUNK: usize = 4 * 60_000;

impl Context<'_> {
    /// File, line and column of a span, if lines are wanted.
    pub(crate) fn line_of(&mut self, span: Span) -> Option<[Word; 3]> {
        let map = self.lines.map.filter(|_| !span.is_none())?;
        let file = map.file_at(span.start)?;
        if !self.lines.files.contains_key(&file.start) {
            let id = self.out.id();
            self.out.strings.op_with_text(Op::String, &[id], &file.name, &[]);
            let after = file.text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
            let starts = std::iter::once(0).chain(after).map(|at| at + file.start).collect();
            self.lines.files.insert(file.start, File { id, starts });
        }
        let known = &self.lines.files[&file.start];
        let line = known.starts.partition_point(|&start| start <= span.start);
        let column = span.start - known.starts[line - 1] + 1;
        Some([known.id, line as u32, column])
    }

    /// The text of the files that were referred to.
    pub(crate) fn write_source(&mut self) {
        let Some(map) = self.lines.map else { return };
        let (language, version) = match self.module.language {
            Language::Glsl { version, es: true } => (SourceLanguage::ESSL, version),
            Language::Glsl { version, es: false } => (SourceLanguage::GLSL, version),
            Language::Wgsl if self.since(crate::Version::V1_6) => (SourceLanguage::WGSL, 0),
            _ => (SourceLanguage::Unknown, 0),
        };
        let mut words = Words::default();
        for file in map.files() {
            let Some(known) = self.lines.files.get(&file.start) else { continue };
            let mut rest = &*file.text;
            let mut first = true;
            while first || !rest.is_empty() {
                let mut end = rest.len().min(CHUNK);
                while !rest.is_char_boundary(end) {
                    end -= 1;
                }
                let (chunk, after) = rest.split_at(end);
                if first {
                    words.op_with_text(Op::Source, &[language as u32, version.into(), known.id], chunk, &[]);
                } else {
                    words.op_with_text(Op::SourceContinued, &[], chunk, &[]);
                }
                (first, rest) = (false, after);
            }
        }
        self.out.strings.0.extend(words.0);
    }
}
