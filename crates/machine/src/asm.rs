//! Result of compiling a function.

use planish_ir::entity::Func;
use planish_ir::source::Span;

/// A function as linear code: directives and the size of its frame.
///
/// Registers count from the frame's first word. On a call the arguments are in the registers from 0 on; on return so
/// are the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionAsm<D> {
    /// The function of the module.
    pub func: Func,
    /// The code. Execution starts at the first directive.
    pub directives: Vec<D>,
    /// Source span of each directive.
    pub spans: Spans,
    /// Upper bound (exclusive) of label numbers.
    pub labels: u32,
    /// Size of the frame in words: an upper bound (exclusive) of all registers in the code, and of the arguments,
    /// results and prelude of callees (but not of the rest of their frames).
    pub frame: u32,
    /// Number of words of the arguments.
    pub args: u32,
    /// Number of words of the results.
    pub results: u32,
}

/// Source spans of directives, run-length encoded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spans {
    /// First directive and span of each run, ascending.
    pieces: Vec<(u32, Span)>,
}

impl Spans {
    /// Appends the span of directive number `directive`, the next one.
    #[inline]
    pub fn push(&mut self, directive: usize, span: Span) {
        if self.pieces.last().is_none_or(|last| last.1 != span) {
            self.pieces.push((directive as u32, span));
        }
    }

    /// Removes the directives from number `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.pieces.pop_if(|piece| piece.0 as usize >= len).is_some() {}
    }

    /// The span of a directive; [`Span::NONE`] for one before the first run.
    pub fn at(&self, directive: usize) -> Span {
        let behind = self.pieces.partition_point(|&(first, _)| first as usize <= directive);
        behind.checked_sub(1).map_or(Span::NONE, |piece| self.pieces[piece].1)
    }

    /// First directive and span of each run, ascending.
    pub fn pieces(&self) -> &[(u32, Span)] {
        &self.pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_with_one_span_are_one_piece() {
        let (a, b) = (Span::new(1, 2), Span::new(3, 4));
        let mut spans = Spans::default();
        assert_eq!(spans.at(0), Span::NONE);
        for (directive, span) in [a, a, b, b, a].into_iter().enumerate() {
            spans.push(directive, span);
        }
        assert_eq!(spans.pieces(), [(0, a), (2, b), (4, a)]);
        assert_eq!([0, 1, 2, 3, 4].map(|directive| spans.at(directive)), [a, a, b, b, a]);
        // The third directive is replaced.
        spans.truncate(2);
        spans.push(2, a);
        assert_eq!(spans.pieces(), [(0, a)]);
    }
}
