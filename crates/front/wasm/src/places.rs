//! Positions in the user's file: in a binary its offsets, in a text the source of the binary.

use planish_ir::source::Span;

/// Positions of the instructions of a module.
#[derive(Clone, Debug)]
pub(crate) enum Places {
    /// The module is a file that begins at this global offset.
    Binary(u32),
    /// The module was read from a text.
    Text(TextPlaces),
}

/// Positions of each part of a module in its text.
#[derive(Clone, Debug)]
pub(crate) struct TextPlaces {
    /// The module.
    pub(crate) module: Span,
    /// The functions with a body, in order.
    pub(crate) functions: Vec<TextFunction>,
}

/// A function's place in a text.
#[derive(Clone, Debug)]
pub(crate) struct TextFunction {
    pub(crate) span: Span,
    /// The first word of each instruction; the last `end` has none.
    pub(crate) instructions: Vec<Span>,
}

/// Positions of the instructions of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FunctionPlaces<'p> {
    Binary(u32),
    Text(Option<&'p TextFunction>),
}

impl Places {
    /// A place in the binary outside of functions; in a text, the whole module.
    pub(crate) fn at(&self, start: u64, end: u64) -> Span {
        match self {
            Places::Binary(base) => shifted(*base, start, end),
            Places::Text(text) => text.module,
        }
    }

    /// Those in the function with this number among those with a body.
    pub(crate) fn function(&self, index: usize) -> FunctionPlaces<'_> {
        match self {
            Places::Binary(base) => FunctionPlaces::Binary(*base),
            Places::Text(text) => FunctionPlaces::Text(text.functions.get(index)),
        }
    }
}

impl FunctionPlaces<'_> {
    /// The span of the instruction with this number, which has these offsets in the binary.
    pub(crate) fn instruction(self, index: usize, start: u64, end: u64) -> Span {
        match self {
            FunctionPlaces::Binary(base) => shifted(base, start, end),
            FunctionPlaces::Text(None) => Span::NONE,
            FunctionPlaces::Text(Some(text)) => text.instructions.get(index).copied().unwrap_or(text.span),
        }
    }

    /// The span of the function itself, whose body has these offsets in the binary.
    pub(crate) fn whole(self, start: u64, end: u64) -> Span {
        match self {
            FunctionPlaces::Binary(base) => shifted(base, start, end),
            FunctionPlaces::Text(text) => text.map_or(Span::NONE, |text| text.span),
        }
    }
}

/// Offsets fit: a file that does not fit the 32-bit space of offsets is refused before it is read.
fn shifted(base: u32, start: u64, end: u64) -> Span {
    Span::new(base.saturating_add(start as u32), base.saturating_add(end as u32))
}
