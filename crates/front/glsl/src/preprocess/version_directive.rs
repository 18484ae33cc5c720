//! `#version`.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use super::macros::MacroTable;
use super::pp_token::{PpKind, PpToken};
use super::reader::Reader;
use crate::lex::{LexKind, Scanner};
use crate::symbol::{Symbol, sym};
use crate::version::{DESKTOP_VERSIONS, ES_VERSIONS, Profile, Version};

impl Reader<'_> {
    /// Reads a `#version` that only white space and comments precede.
    pub(super) fn leading_version(&mut self) {
        let Some(source) = self.sources.last_mut() else { return };
        let text = source.spliced.text.clone();
        let mut scanner = Scanner::new(&text, source.pos);
        let hash = loop {
            let lexeme = scanner.next();
            match lexeme.kind {
                LexKind::Newline => {}
                LexKind::Hash => break lexeme,
                _ => return,
            }
        };
        let word = scanner.next();
        if word.kind != LexKind::Ident || scanner.text(word) != "version" {
            return;
        }
        source.pos = scanner.pos;
        let span = source.span(hash.start, word.end);
        let first_line = !text[..hash.start].contains(['\n', '\r']);
        let line = self.rest_of_line();
        let whole = line.last().map_or(span, |last| span.to(last.span));
        self.version = self.read_version(&line, span);
        self.version_span = Some(whole);
        self.macros = MacroTable::new(self.version);
        if self.webgl && !self.version.is_es_100() && !first_line {
            let diagnostic = Diagnostic::error(Code::E0105, whole, "`#version 300 es` must be on the first line")
                .note("WebGL 2 takes neither lines nor comments before it");
            self.report(diagnostic);
        }
    }

    /// A `#version` anywhere else.
    pub(super) fn late_version(&mut self, span: Span) {
        let line = self.rest_of_line();
        let whole = line.last().map_or(span, |last| span.to(last.span));
        let diagnostic = match self.version_span {
            Some(first) => {
                Diagnostic::error(Code::E0105, whole, "`#version` is given twice").also(first, "this one is in effect")
            }
            None => Diagnostic::error(Code::E0105, whole, "`#version` must come before everything else")
                .note("only white space and comments may precede it")
                .note(format!("the program is read as {}", self.version)),
        };
        self.report(diagnostic);
    }

    /// The version of a line; reports errors and returns the nearest version.
    fn read_version(&mut self, line: &[PpToken], span: Span) -> Version {
        let Some(&PpToken { kind: PpKind::Number(number), span: at, .. }) = line.first() else {
            let at = line.first().map_or(span.after(), |t| t.span);
            let diagnostic = Diagnostic::error(Code::E0105, at, "`#version` needs a number")
                .help("for example `#version 300 es` or `#version 450`");
            self.report(diagnostic);
            return self.version;
        };
        let (profile, profile_span) = match line.get(1) {
            Some(token) => (token.ident(), token.span),
            None => (None, at),
        };
        if let (Some(extra), Some(last)) = (line.get(2), line.last()) {
            self.report_extra(extra.span.to(last.span), "#version");
        }
        if line.len() > 1 && !matches!(profile, Some(sym::ES | sym::CORE | sym::COMPATIBILITY)) {
            let found = line[1].describe(&self.names);
            let diagnostic = Diagnostic::error(Code::E0105, profile_span, format!("{found} is not a profile"))
                .help("profiles are `es`, `core` and `compatibility`");
            self.report(diagnostic);
        }
        let text = self.names.resolve(number).to_owned();
        let Some(number) = text.parse().ok().filter(|n| is_version(*n)) else {
            return self.report_unknown_version(&text, at, profile);
        };
        self.with_profile(number, profile, at, profile_span)
    }

    fn report_unknown_version(&mut self, text: &str, at: Span, profile: Option<Symbol>) -> Version {
        let versions = if profile == Some(sym::ES) { ES_VERSIONS } else { DESKTOP_VERSIONS };
        let wanted: u32 = text.parse().unwrap_or(u32::MAX);
        let nearest =
            versions.iter().rev().find(|v| u32::from(**v) <= wanted).or(versions.first()).copied().unwrap_or(110);
        let suffix = if profile == Some(sym::ES) { " es" } else { "" };
        let diagnostic = Diagnostic::error(Code::E0105, at, format!("there is no version {text} of GLSL"))
            .note("ES versions are 100, 300 es, 310 es and 320 es; desktop versions are 110 to 150, 330 and 400 to 460 in tens")
            .help(format!("the nearest is `#version {nearest}{suffix}`"));
        self.report(diagnostic);
        if suffix.is_empty() { Version::desktop(nearest) } else { Version::es(nearest) }
    }

    /// Combines a known number with a profile; reports a mismatch.
    fn with_profile(&mut self, number: u16, profile: Option<Symbol>, at: Span, profile_span: Span) -> Version {
        let is_es = ES_VERSIONS.contains(&number);
        let wrong = |span, message: String, replacement: String| {
            Diagnostic::error(Code::E0105, span, message)
                .help(format!("write `#version {replacement}`"))
                .fix(at.to(profile_span), replacement)
        };
        let diagnostic = match profile {
            None if is_es && number > 100 => {
                Some(wrong(at, format!("version {number} needs the profile `es`"), format!("{number} es")))
            }
            Some(sym::ES) if number == 100 => {
                Some(wrong(profile_span, "version 100 is written without `es`".to_owned(), "100".to_owned()))
            }
            Some(sym::ES) if !is_es => {
                Some(wrong(profile_span, format!("version {number} has no profile `es`"), number.to_string()))
            }
            Some(sym::CORE | sym::COMPATIBILITY) if is_es => {
                let right = if number == 100 { "100".to_owned() } else { format!("{number} es") };
                Some(wrong(profile_span, format!("version {number} is one of GLSL ES"), right))
            }
            Some(sym::CORE | sym::COMPATIBILITY) if number < 150 => {
                Some(wrong(profile_span, format!("version {number} has no profiles"), number.to_string()))
            }
            _ => None,
        };
        if let Some(diagnostic) = diagnostic {
            self.report(diagnostic);
        }
        match profile {
            _ if is_es => Version::es(number),
            Some(sym::COMPATIBILITY) => Version { number, profile: Profile::Compatibility },
            _ => Version::desktop(number),
        }
    }
}

fn is_version(number: u16) -> bool {
    ES_VERSIONS.contains(&number) || DESKTOP_VERSIONS.contains(&number)
}
