//! Reasons for the end of a run without results, and limits of a run.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;

/// Limits of a run; beyond them it stops with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of executed nodes and blocks.
    pub steps: u64,
    /// Maximum size of byte memories and tables in words of 8 bytes.
    pub words: usize,
    /// Maximum depth of calls; deeper ones trap with [`TrapKind::StackOverflow`].
    pub depth: usize,
}

impl Default for Limits {
    /// 10^8 steps, 1 GiB, 1,000 nested calls.
    fn default() -> Self {
        Limits { steps: 100_000_000, words: 1 << 27, depth: 1000 }
    }
}

/// Reason for the end of a run without results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap(TrapKind),
    /// The fragment was discarded or demoted: it has no further observable effects.
    Discarded,
    /// The limit of steps was exceeded.
    StepLimit,
    /// The limit of memory was exceeded.
    MemoryLimit,
    /// The program calls a function without a body that the host does not provide; its name.
    Missing(String),
    /// An op that a single invocation cannot execute.
    Unsupported(Op),
    /// The module is invalid, or the arguments do not fit.
    Malformed(&'static str),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Trap(kind) => write!(f, "the program trapped: {}", kind.name()),
            Stop::Discarded => f.write_str("the fragment was discarded"),
            Stop::StepLimit => f.write_str("the program ran longer than the step limit"),
            Stop::MemoryLimit => f.write_str("the program needs more memory than the limit"),
            Stop::Missing(name) => write!(f, "the function `{name}` has no body"),
            Stop::Unsupported(op) => write!(f, "one invocation cannot run `{}`", op.name()),
            Stop::Malformed(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Stop {}
