//! Diagnostics as data: message, location, reason, and a way to fix it. Rendering is up to the driver.

mod codes;

pub use codes::{CODES, Code, CodeInfo};

use crate::source::Span;

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// A remark: an optimization, or a missed one with its reason.
    Remark,
    /// The program is valid, but probably not intended.
    Warning,
    /// The program cannot be compiled.
    Error,
}

/// A text at a location.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Label {
    /// Location.
    pub span: Span,
    /// Text.
    pub text: String,
}

/// A replacement that would fix the program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fix {
    /// Range to replace (empty: insert here).
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// A message for the user.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Diagnostic {
    /// The stable code; `planish explain` has a page for it.
    pub code: Code,
    /// Severity.
    pub severity: Severity,
    /// One sentence, lower case, no full stop, in the words of the user's language.
    pub message: String,
    /// Primary location.
    pub span: Span,
    /// Text at the primary location, in a few words (may be empty).
    pub label: String,
    /// Secondary locations.
    pub labels: Vec<Label>,
    /// Background.
    pub notes: Vec<String>,
    /// Ways to fix it.
    pub help: Vec<String>,
    /// A mechanical fix.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    fn new(severity: Severity, code: Code, span: Span, message: String) -> Self {
        Diagnostic {
            code,
            severity,
            message,
            span,
            label: String::new(),
            labels: vec![],
            notes: vec![],
            help: vec![],
            fix: None,
        }
    }

    /// An error.
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message.into())
    }

    /// A warning.
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message.into())
    }

    /// A remark.
    pub fn remark(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Remark, code, span, message.into())
    }

    /// Sets the text at the primary location.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// Adds a secondary location.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Adds background.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way to fix it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Sets a replacement that would fix the program.
    pub fn fix(mut self, span: Span, replacement: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into() });
        self
    }

    /// Whether it stops compilation.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The known name nearest to `unknown`; `None` if none is near enough to suggest.
///
/// The measure is the optimal string alignment distance (insert, delete, replace, swap neighbours; case changes count
/// half), at most a third of the name's length.
pub fn did_you_mean<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = unknown.chars().count();
    let limit = (length * 2).div_ceil(3).max(2);
    // Longer names are not compared: time and memory are quadratic in the length.
    let longest = 128;
    known
        .into_iter()
        .filter(|k| *k != unknown && length <= longest && k.chars().count().abs_diff(length) * 2 <= limit)
        .map(|k| (distance(unknown, k), k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, k)| (*d, k.len()))
        .map(|(_, k)| k)
}

/// Optimal string alignment distance, in half steps.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = 2 * i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = 2 * j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replace = match (a[i - 1], b[j - 1]) {
                (x, y) if x == y => 0,
                (x, y) if x.eq_ignore_ascii_case(&y) => 1,
                _ => 2,
            };
            let mut best = (rows[i - 1][j - 1] + replace).min(rows[i - 1][j] + 2).min(rows[i][j - 1] + 2);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 2);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn suggests_the_nearest_name() {
        let known = ["normalize", "reflect", "refract", "texture2D"];
        assert_eq!(did_you_mean("normalise", known), Some("normalize"));
        assert_eq!(did_you_mean("texture2d", known), Some("texture2D"));
        assert_eq!(did_you_mean("reflcet", known), Some("reflect"));
        assert_eq!(did_you_mean("zzz", known), None);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn diagnostics_are_objects() {
        use super::{Code, Diagnostic};
        use crate::source::Span;

        let diagnostic = Diagnostic::warning(Code::W0101, Span::new(3, 5), "no use").help("remove it");
        let expected = serde_json::json!({"code": "W0101", "severity": "warning", "message": "no use", "span": {"start": 3, "end": 5},
            "label": "", "labels": [], "notes": [], "help": ["remove it"], "fix": null});
        assert_eq!(serde_json::to_value(diagnostic).unwrap(), expected);
    }
}
