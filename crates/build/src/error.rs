//! The error of a build.

use std::fmt;

use planish::diagnostic::Diagnostic;
use planish::render;
use planish::source::SourceMap;

/// The reason why nothing was written. `Display` and `Debug` are the whole message with the lines of the shaders, so that `?` and `unwrap` in a build
/// script show it.
pub struct Error {
    text: String,
    diagnostics: Vec<Diagnostic>,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Error { text: format!("error: {}", text.into()), diagnostics: vec![] }
    }

    /// Errors of the shaders; empty if it is files or the options of the build.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// On a line of its own, since `main` and `unwrap` write words before it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for Error {}

/// Messages about the shaders so far.
#[derive(Default)]
pub(crate) struct Messages {
    errors: Vec<Diagnostic>,
    count: usize,
    /// Errors and warnings as they are shown.
    text: String,
    warnings: Vec<String>,
}

impl Messages {
    pub(crate) fn add(&mut self, diagnostics: Vec<Diagnostic>, map: &SourceMap) {
        for diagnostic in diagnostics {
            let shown = render::human(&diagnostic, map, false);
            self.text += &shown;
            self.text.push('\n');
            match diagnostic.is_error() {
                true => {
                    self.count += 1;
                    self.errors.push(diagnostic);
                }
                false => self.warnings.push(shown),
            }
        }
    }

    /// Adds an error that has no place in a shader.
    pub(crate) fn fail(&mut self, message: &str) {
        self.count += 1;
        self.text += &format!("error: {message}\n\n");
    }

    /// Number of errors.
    pub(crate) fn errors(&self) -> usize {
        self.count
    }

    /// The warnings, each of several lines.
    ///
    /// # Errors
    /// All messages, if one is an error.
    pub(crate) fn finish(self) -> Result<Vec<String>, Error> {
        let count = match self.count {
            0 => return Ok(self.warnings),
            1 => "1 error".to_owned(),
            n => format!("{n} errors"),
        };
        Err(Error { text: format!("{}the shaders are not compiled: {count}", self.text), diagnostics: self.errors })
    }
}
