//! Levels of warnings: some may be errors, others may be left out.

use planish_ir::diagnostic::{CODES, Diagnostic, Severity};

use crate::kind::suggest;

/// Treatment of a warning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// It is not shown.
    Allow,
    /// It is a warning.
    Warn,
    /// It is an error.
    Deny,
}

/// A level of all warnings, and levels of some of them.
///
/// # Example
/// ```
/// use planish::{Compiler, Level, Levels};
/// let mut levels = Levels::default();
/// levels.set("unused-variable", Level::Deny).unwrap();
/// let source = "precision highp float;\nvoid main() { float unused; gl_FragColor = vec4(1.0); }";
/// let found = Compiler::default().compile("a.frag", source).diagnostics;
/// assert!(!found[0].is_error() && levels.apply(found)[0].is_error());
/// ```
#[derive(Clone, Default, Debug)]
pub struct Levels {
    all: Option<Level>,
    /// Codes and their levels.
    some: Vec<(&'static str, Level)>,
}

impl Levels {
    /// Sets the level of a warning by its name (`unused-variable`) or code (`W0101`; of a warning that is an error elsewhere too, the
    /// error's), or of `all`. A level of one warning holds whatever that of all is.
    ///
    /// # Errors
    /// If there is no such warning, or if it has another level already; in words for the user.
    pub fn set(&mut self, name: &str, level: Level) -> Result<(), String> {
        let conflict = |old: Level| format!("`{name}` cannot be of two levels, {} and {}", old.name(), level.name());
        if name == "all" {
            let old = self.all.replace(level).filter(|old| *old != level);
            return old.map_or(Ok(()), |old| Err(conflict(old)));
        }
        let upper = name.to_ascii_uppercase();
        let found = CODES.iter().find(|info| info.code.0 == upper || !info.name.is_empty() && info.name == name);
        let Some(info) = found else {
            let known = CODES.iter().map(|info| info.name).chain(CODES.iter().map(|info| info.code.0)).chain(["all"]);
            let near = suggest(name, known.filter(|name| !name.is_empty()));
            return Err(format!("there is no warning `{name}`{near}"));
        };
        match self.some.iter().find(|(code, _)| *code == info.code.0) {
            Some((_, old)) if *old != level => Err(conflict(*old)),
            Some(_) => Ok(()),
            None => {
                self.some.push((info.code.0, level));
                Ok(())
            }
        }
    }

    /// The diagnostics without warnings that are allowed, and with errors in place of warnings that are denied.
    pub fn apply(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.retain_mut(|diagnostic| {
            if diagnostic.severity != Severity::Warning {
                return true;
            }
            match self.of(diagnostic.code.0) {
                Level::Allow => return false,
                Level::Warn => {}
                Level::Deny => {
                    diagnostic.severity = Severity::Error;
                    diagnostic.notes.push("it is a warning, which --deny makes an error".into());
                }
            }
            true
        });
        diagnostics
    }

    fn of(&self, code: &str) -> Level {
        let own = self.some.iter().find(|(known, _)| *known == code).map(|(_, level)| *level);
        own.or(self.all).unwrap_or(Level::Warn)
    }
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Allow => "allow",
            Level::Warn => "warn",
            Level::Deny => "deny",
        }
    }
}
