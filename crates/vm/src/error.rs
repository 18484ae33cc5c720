//! Errors.

use std::fmt;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::function::TrapKind;
use planish_ir::source::Span;

/// The end of a program that did what it must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trap {
    /// The kind of trap.
    pub kind: TrapKind,
    /// The instruction, as a place in the source.
    pub span: Span,
    /// The function it is in, if that has a name.
    pub function: Option<String>,
}

/// Errors of the virtual machine.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program trapped.
    Trap(Trap),
    /// The fuel is used up.
    OutOfFuel,
    /// The fuel is used up in a call of machine code that was to be resumed ([`crate::Func::call_resumable`]), which only calls
    /// of the virtual machine can be: its frames are gone.
    CannotResume,
    /// The embedder has stopped the program: [`crate::InterruptHandle`].
    Interrupted,
    /// Error of a host function.
    Host(Box<dyn std::error::Error + Send + Sync>),
    /// An import is missing, or is of another type.
    Link {
        /// The import's first name.
        module: String,
        /// Its second name.
        name: String,
        /// The error.
        what: String,
    },
    /// A function cannot be compiled: it is too large, or uses a construct that this machine does not support.
    Compile(Box<Diagnostic>),
    /// A limit of the engine, or of memory, is exceeded.
    Limit(String),
    /// Arguments, results or values of another type, or a handle of a missing object.
    Type(String),
}

impl Error {
    /// An error of the host.
    pub fn host(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::Host(error.into())
    }

    /// A construct that this machine does not support.
    pub(crate) fn unsupported(span: Span, what: impl Into<String>) -> Self {
        Box::new(Diagnostic::error(Code::E0604, span, what)).into()
    }

    /// A function whose registers cannot be named.
    pub(crate) fn too_large(span: Span, name: &str) -> Self {
        let message = format!("more than 65,536 values of `{name}` are alive at the same time");
        let help = "split it into several functions, use each value soon after it is computed, or try `-O2`";
        Box::new(Diagnostic::error(Code::E1302, span, message).help(help)).into()
    }

    /// The trap, if it is one.
    pub fn as_trap(&self) -> Option<&Trap> {
        if let Error::Trap(trap) = self { Some(trap) } else { None }
    }
}

/// The name of a trap, as in the WebAssembly test suite.
pub const fn trap_text(kind: TrapKind) -> &'static str {
    match kind {
        TrapKind::Unreachable => "unreachable",
        TrapKind::DivisionByZero => "integer divide by zero",
        TrapKind::IntegerOverflow => "integer overflow",
        TrapKind::InvalidConversion => "invalid conversion to integer",
        TrapKind::OutOfBoundsMemory => "out of bounds memory access",
        TrapKind::OutOfBoundsTable => "out of bounds table access",
        TrapKind::UninitializedElement => "uninitialized element",
        TrapKind::IndirectCallType => "indirect call type mismatch",
        TrapKind::StackOverflow => "call stack exhausted",
        TrapKind::User => "error of the program",
        TrapKind::OutOfMemory => "out of memory",
    }
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trap: {}", trap_text(self.kind))?;
        match &self.function {
            Some(name) => write!(f, ", in `{name}`"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Trap(trap) => trap.fmt(f),
            Error::OutOfFuel => f.write_str("all fuel is used up"),
            Error::CannotResume => f.write_str(
                "all fuel is used up, and machine code cannot go on later: `Strategy::Vm` runs calls that can",
            ),
            Error::Interrupted => f.write_str("the program was interrupted"),
            Error::Host(error) => error.fmt(f),
            Error::Link { module, name, what } => write!(f, "import `{module}` `{name}`: {what}"),
            Error::Compile(diagnostic) => f.write_str(&diagnostic.message),
            Error::Limit(what) | Error::Type(what) => f.write_str(what),
        }
    }
}

impl From<Box<Diagnostic>> for Error {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        Error::Compile(diagnostic)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Error::Host(error) = self { Some(&**error) } else { None }
    }
}
