//! What naga says about a program, as diagnostics in the user's source.

use std::error::Error;

use naga::front::spv;
use naga::front::wgsl::ParseError;
use naga::valid::ValidationError;
use naga::{Span as NagaSpan, WithSpan};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::{SourceFile, Span};

/// The first word of a SPIR-V binary.
pub(crate) const MAGIC: u32 = 0x0723_0203;

/// Where the program came from, so that naga's offsets become spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Global offset of the first byte of the WGSL text; SPIR-V has none.
    start: Option<u32>,
}

impl Source {
    pub(crate) fn wgsl(file: &SourceFile) -> Self {
        Source { start: Some(file.start) }
    }

    pub(crate) fn spirv() -> Self {
        Source { start: None }
    }

    /// Whether the language says that variables are zero at first.
    pub(crate) fn starts_at_zero(self) -> bool {
        self.start.is_some()
    }

    /// The place in the user's text. Offsets that naga gives for SPIR-V count words of the binary and are no place in a
    /// text.
    pub(crate) fn span(self, span: NagaSpan) -> Span {
        match (self.start, span.to_range()) {
            (Some(start), Some(range)) => Span::new(start + range.start as u32, start + range.end as u32),
            _ => Span::NONE,
        }
    }

    pub(crate) fn parse_error(self, error: &ParseError) -> Diagnostic {
        let mut labels = error.labels();
        let (span, label) = labels.next().unwrap_or((NagaSpan::UNDEFINED, ""));
        let mut diagnostic = Diagnostic::error(Code::E0701, self.span(span), error.message()).label(label);
        for (span, label) in labels {
            diagnostic = diagnostic.also(self.span(span), label);
        }
        for note in error.notes() {
            diagnostic = diagnostic.note(note);
        }
        diagnostic
    }

    pub(crate) fn validation_error(self, error: &WithSpan<ValidationError>) -> Diagnostic {
        let mut spans = error.spans();
        let (span, label) = spans.next().map_or((NagaSpan::UNDEFINED, ""), |(s, l)| (*s, l.as_str()));
        let mut diagnostic = Diagnostic::error(Code::E0702, self.span(span), error.as_inner().to_string()).label(label);
        for (span, label) in spans {
            diagnostic = diagnostic.also(self.span(*span), label.as_str());
        }
        let mut cause = error.as_inner().source();
        while let Some(next) = cause {
            diagnostic = diagnostic.note(next.to_string());
            cause = next.source();
        }
        diagnostic
    }

    pub(crate) fn spirv_error(self, error: &spv::Error) -> Diagnostic {
        Diagnostic::error(Code::E0703, Span::NONE, error.to_string())
    }

    pub(crate) fn malformed(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Code::E0703, Span::NONE, message)
    }

    /// `what` is a construct that the IR cannot hold.
    pub(crate) fn unsupported(self, span: NagaSpan, what: &str) -> Diagnostic {
        Diagnostic::error(Code::E0704, self.span(span), format!("{what} is not supported"))
    }
}
