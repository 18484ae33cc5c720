//! Reasons for the end of an evaluation without results, and limits of an evaluation.

use planish_ir::function::TrapKind;
use planish_ir::source::Span;

/// Limits; exceeding one ends the evaluation with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of executed nodes and blocks, counted once for all lanes.
    pub steps: u64,
    /// Maximum size of registers, variables and byte memories in words of 8 bytes.
    pub words: usize,
    /// Maximum depth of calls; deeper ones trap with [`TrapKind::StackOverflow`].
    pub depth: usize,
}

impl Default for Limits {
    /// 10^9 steps, 1 GiB, 1,000 nested calls.
    fn default() -> Self {
        Limits { steps: 1_000_000_000, words: 1 << 27, depth: 1000 }
    }
}

/// Reason for the end of an evaluation without results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap {
        /// Kind.
        kind: TrapKind,
        /// Location in the source.
        span: Span,
    },
    /// The limit of steps was exceeded.
    StepLimit,
    /// [`Limits::words`] or the available memory was exceeded.
    MemoryLimit,
    /// The program calls a function without a body that the host does not provide.
    Missing {
        /// Its name.
        name: String,
    },
    /// The host stopped the program.
    Host {
        /// Reason, for the user.
        why: String,
    },
    /// The program uses an unsupported operation, or an argument of the caller does not fit.
    Unsupported {
        /// Description.
        what: String,
        /// Location in the source.
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
