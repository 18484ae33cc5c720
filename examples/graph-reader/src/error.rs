//! Errors of graphs.

use std::fmt;

/// Why a graph cannot be read or run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// Not JSON, or not this format.
    Format(String),
    /// A node violates the format: its number, and the violation.
    Node(usize, String),
    /// A node uses an unsupported construct: its number, and the construct.
    Unsupported(usize, String),
    /// The host failed.
    Host(String),
    /// The function traps, for this reason.
    Trap(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Format(what) => write!(f, "not a graph: {what}"),
            Error::Node(id, what) => write!(f, "node {id}: {what}"),
            Error::Unsupported(id, what) => write!(f, "node {id}: this reader has no {what}"),
            Error::Trap(kind) => write!(f, "the function traps: {kind}"),
            Error::Host(what) => write!(f, "the host failed: {what}"),
        }
    }
}

impl std::error::Error for Error {}
