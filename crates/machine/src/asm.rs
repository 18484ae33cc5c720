//! What the compilation of a function gives.

use planish_ir::entity::Func;
use planish_ir::source::Span;

/// A function as linear code: its directives, and what its frame is like.
///
/// Registers count from the frame's first word. When it is called, the arguments are in the registers from 0 on; when it
/// returns, so are the results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionAsm<D> {
    /// Which function of the module.
    pub func: Func,
    /// The code. It begins at the first directive.
    pub directives: Vec<D>,
    /// Where each directive comes from.
    pub spans: Spans,
    /// Labels are numbers below this one.
    pub labels: u32,
    /// Words of the frame: every register that the code names is below this number, and so are the arguments, results and
    /// prelude of its callees (but not what else their frames need).
    pub frame: u32,
    /// Words of the arguments.
    pub args: u32,
    /// Words of the results.
    pub results: u32,
}

/// Where directives come from: neighbours that have one span are one piece.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spans {
    /// The first directive of each piece, rising, and its span.
    pieces: Vec<(u32, Span)>,
}

impl Spans {
    /// The next directive, which has this number.
    #[inline]
    pub fn push(&mut self, directive: usize, span: Span) {
        if self.pieces.last().is_none_or(|last| last.1 != span) {
            self.pieces.push((directive as u32, span));
        }
    }

    /// Forgets the directives from number `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.pieces.pop_if(|piece| piece.0 as usize >= len).is_some() {}
    }

    /// Where a directive comes from; [`Span::NONE`] for one before all that are known.
    pub fn at(&self, directive: usize) -> Span {
        let behind = self.pieces.partition_point(|&(first, _)| first as usize <= directive);
        behind.checked_sub(1).map_or(Span::NONE, |piece| self.pieces[piece].1)
    }

    /// The first directive of each piece, rising, and its span.
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
        // What was the third directive is another one now.
        spans.truncate(2);
        spans.push(2, a);
        assert_eq!(spans.pieces(), [(0, a)]);
    }
}
