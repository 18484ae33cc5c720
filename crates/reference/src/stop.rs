//! The reasons for which a run ends without results, and its limits.

use planish_ir::function::TrapKind;
use planish_ir::ops::Op;

/// Limits of a run; beyond them it stops with an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nodes and blocks executed.
    pub steps: u64,
    /// Words (of 8 bytes) of byte memories and tables.
    pub words: usize,
    /// Nested calls; more trap with [`TrapKind::StackOverflow`].
    pub depth: usize,
}

impl Default for Limits {
    /// A hundred million steps, 1 GiB, 1,000 calls deep.
    fn default() -> Self {
        Limits { steps: 100_000_000, words: 1 << 27, depth: 1000 }
    }
}

/// Why a run ended without results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program trapped.
    Trap(TrapKind),
    /// The fragment was discarded, or demoted: nothing that it does from there on can be seen.
    Discarded,
    /// More steps than the limit.
    StepLimit,
    /// More memory than the limit.
    MemoryLimit,
    /// The program calls a function that has no body, and the host has none of its name.
    Missing(String),
    /// An op that one invocation on its own cannot give a meaning to.
    Unsupported(Op),
    /// The module is not valid, or the arguments do not fit.
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
