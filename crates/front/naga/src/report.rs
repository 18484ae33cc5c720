//! naga's errors as diagnostics in the user's source.

use std::error::Error;

use naga::front::wgsl::ParseError;
use naga::valid::ValidationError;
use naga::{Span as NagaSpan, WithSpan};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use crate::compose::Text;

/// Origin of the program, to convert naga's offsets to spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t>(pub(crate) &'t Text);

impl Source<'_> {
    /// The place in the user's text.
    pub(crate) fn span(self, span: NagaSpan) -> Span {
        span.to_range().map_or(Span::NONE, |range| self.0.span(range))
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

    /// The innermost cause is the message and the narrowest span the primary one; the causes around it are notes.
    pub(crate) fn validation_error(self, error: &WithSpan<ValidationError>, module: &naga::Module) -> Diagnostic {
        let mut causes = vec![without_handles(&error.as_inner().to_string())];
        let mut cause = error.as_inner().source();
        while let Some(next) = cause {
            causes.push(without_handles(&next.to_string()));
            cause = next.source();
        }
        let message = causes.pop().unwrap_or_default();
        let mut spans: Vec<(Span, &str)> = error.spans().map(|(s, l)| (self.span(*s), place(l))).collect();
        spans.sort_by_key(|(span, _)| (span.is_none(), span.end - span.start));
        let (span, label) = spans.first().copied().unwrap_or((self.entry_span(error.as_inner(), module), ""));
        let mut diagnostic = Diagnostic::error(Code::E0702, span, message).label(without_handles(label));
        for (span, label) in spans.into_iter().skip(1) {
            diagnostic = diagnostic.also(span, without_handles(label));
        }
        causes.into_iter().fold(diagnostic, Diagnostic::note)
    }

    /// Span of an entry point, which naga does not record: that of its first statement.
    fn entry_span(self, error: &ValidationError, module: &naga::Module) -> Span {
        let ValidationError::EntryPoint { name, .. } = error else { return Span::NONE };
        let entry = module.entry_points.iter().find(|e| e.name == *name);
        let first = entry.and_then(|e| e.function.body.span_iter().next());
        first.map_or(Span::NONE, |(_, span)| self.span(*span))
    }

    /// The error for a construct that the IR does not support.
    pub(crate) fn unsupported(self, span: NagaSpan, what: &str) -> Diagnostic {
        Diagnostic::error(Code::E0704, self.span(span), format!("{what} is not supported"))
    }
}

/// naga's label, unless it is the name of one of its own types.
fn place(label: &str) -> &str {
    if label.starts_with("naga::") { "" } else { label }
}

/// naga's words without the numbers of its handles (`[12]`), which mean nothing to a user.
fn without_handles(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('[') {
        let (before, from) = rest.split_at(at);
        let digits = from[1..].bytes().take_while(u8::is_ascii_digit).count();
        out.push_str(before);
        match from[1 + digits..].strip_prefix(']') {
            Some(after) if digits > 0 => rest = after.strip_prefix(' ').unwrap_or(after),
            _ => {
                out.push('[');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    let out = out.replace(" Some()", "").replace(" expression None", " expression");
    let mut letters = out.trim_end().chars();
    match (letters.next(), letters.clone().next()) {
        // Messages begin in lower case, except for names such as `WGSL`.
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => out,
    }
}
