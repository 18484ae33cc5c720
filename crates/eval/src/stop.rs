//! Why an evaluation ended without results, and how far it may go.

use planish_ir::function::TrapKind;
use planish_ir::source::Span;

/// How far an evaluation may go. What goes further stops with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes and blocks executed, counted once for all lanes together.
    pub steps: u64,
    /// Words (of 8 bytes) of registers, variables and byte memories.
    pub words: usize,
    /// Nested calls; more trap with [`TrapKind::StackOverflow`].
    pub depth: usize,
}

impl Default for Limits {
    /// A thousand million steps, 1 GiB, 1,000 calls deep.
    fn default() -> Self {
        Limits { steps: 1_000_000_000, words: 1 << 27, depth: 1000 }
    }
}

/// Why an evaluation ended without results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap {
        /// How.
        kind: TrapKind,
        /// Where.
        span: Span,
    },
    /// More steps than the limit.
    StepLimit,
    /// It needs more memory than [`Limits::words`], or than there is room for.
    MemoryLimit,
    /// The program calls a function that has no body, and the host has none of its name.
    Missing {
        /// Its name.
        name: String,
    },
    /// The host stopped the program.
    Host {
        /// Why, in words for the user.
        why: String,
    },
    /// The program does what this evaluator cannot, or the caller gave it what does not fit.
    Unsupported {
        /// What.
        what: String,
        /// Where.
        span: Span,
    },
}

impl Stop {
    pub(crate) fn unsupported(what: impl Into<String>, span: Span) -> Self {
        Stop::Unsupported { what: what.into(), span }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Trap { kind, .. } => write!(f, "the program trapped: {}", kind.name()),
            Stop::StepLimit => f.write_str("the program ran longer than the step limit"),
            Stop::MemoryLimit => f.write_str("the program needs more memory than the limit"),
            Stop::Host { why } => f.write_str(why),
            Stop::Missing { name } => write!(f, "the function `{name}` has no body"),
            Stop::Unsupported { what, .. } => f.write_str(what),
        }
    }
}

impl std::error::Error for Stop {}
