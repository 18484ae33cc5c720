//! The GLSL preprocessor: from source text to the tokens that the parser reads.
//!
//! Everything happens in one pass over the text: [`read`](reader::read) scans it, does the directives it meets, expands
//! the macros it meets, and turns numbers into values. Nothing recurses with the length of the program or the nesting of
//! its macros, and time and memory are bounded by the limits below.
//!
//! ```
//! use planish_front_glsl::preprocess::{PreprocessOptions, preprocess};
//! use planish_ir::source::SourceMap;
//! let mut map = SourceMap::new();
//! let file = map.add("a.frag", "#define TWICE(x) ((x) + (x))\nfloat a = TWICE(b);").unwrap();
//! let program = preprocess(&mut map, &file, &mut PreprocessOptions::default());
//! let text: Vec<String> = program.tokens.iter().map(|t| t.kind.text(&program.interner)).collect();
//! assert_eq!(text.join(" "), "float a = ( ( b ) + ( b ) ) ; ");
//! ```

mod characters;
mod conditions;
mod define;
mod directives;
mod expand;
mod expression;
pub mod extensions;
mod macros;
mod pp_token;
mod reader;
mod source;
mod version_directive;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::{SourceFile, SourceMap, Span};

use crate::lex::excerpt;
use crate::symbol::{Interner, Symbol};
use crate::token::Token;
use crate::version::Version;

use planish_ir::source::IncludeResolver;

/// How deep macros may be nested in macros while they expand.
pub const MAX_EXPANSION_DEPTH: usize = 4096;
/// How many tokens macro expansion may read and make in one program; a token that `##` makes counts as one a byte.
pub const MAX_EXPANDED_TOKENS: usize = 1 << 22;
/// How many parameters a macro may have.
pub const MAX_MACRO_PARAMETERS: usize = 1024;
/// How deep `#if`s may be nested.
pub const MAX_CONDITION_DEPTH: usize = 1024;
/// How deep files may include each other.
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// How many files one program may include.
pub const MAX_INCLUDES: usize = 10_000;
/// How many bytes one program may include.
pub const MAX_INCLUDED_BYTES: usize = 64 << 20;
/// After how many errors reading stops.
pub const MAX_ERRORS: usize = 1000;

/// What the preprocessor is told from outside.
pub struct PreprocessOptions<'a> {
    /// Macros defined before the first line, as `-D NAME=VALUE`; the name may have parameters: `SQUARE(x)`.
    pub defines: Vec<(String, String)>,
    /// Where `#include` finds its text; none: every `#include` is an error.
    pub includes: Option<&'a mut dyn IncludeResolver>,
    /// The version of a program without `#version`.
    pub default_version: Version,
    /// Whether the additional rules of WebGL hold.
    pub webgl: bool,
}

impl Default for PreprocessOptions<'_> {
    fn default() -> Self {
        PreprocessOptions { defines: vec![], includes: None, default_version: Version::ES_100, webgl: false }
    }
}

/// What an `#extension` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Behavior {
    /// It must be there.
    Require,
    /// Use it if it is there.
    Enable,
    /// Use it if it is there, and warn of each use.
    Warn,
    /// As if it were not there.
    Disable,
}

/// An `#extension` directive.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExtensionDirective {
    /// The name; `all` stands for every one.
    pub name: Symbol,
    /// What it asks for.
    pub behavior: Behavior,
    /// The directive.
    pub span: Span,
    /// How many tokens of the program stand before it.
    pub position: usize,
}

/// What a `#pragma` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PragmaKind {
    /// `#pragma STDGL invariant(all)`
    InvariantAll,
    /// `#pragma optimize(on)` or `(off)`
    Optimize(bool),
    /// `#pragma debug(on)` or `(off)`
    Debug(bool),
    /// `#pragma planish WORDS`: the words, for the compiler's own switches.
    Planish(Vec<String>),
    /// Any other, which GLSL says to ignore.
    Other,
}

/// A `#pragma` directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// What it says.
    pub kind: PragmaKind,
    /// What stands behind `#pragma`, one space between the tokens that have any between them.
    pub text: String,
    /// The directive.
    pub span: Span,
    /// How many tokens of the program stand before it.
    pub position: usize,
}

/// A use of a macro in the user's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The name of the macro, and its arguments; tokens out of the definition have this span.
    pub site: Span,
    /// The macro.
    pub name: Symbol,
    /// The name in its `#define`; [`Span::NONE`] for a macro that is built in.
    pub definition: Span,
}

/// All uses of macros, by place, and the files that were included.
#[derive(Clone, Default, Debug)]
pub struct Expansions {
    sites: Vec<Expansion>,
    /// Each included file with the name in its `#include`, by place.
    includes: Vec<(Span, Span)>,
}

impl Expansions {
    /// The use of a macro that a span stands for, if tokens of this span came out of a definition.
    pub fn at(&self, span: Span) -> Option<&Expansion> {
        let index = self.sites.binary_search_by_key(&span, |e| e.site).ok()?;
        Some(&self.sites[index])
    }

    /// Says how a diagnostic came about: "in the expansion of macro `M`" if its place is the use of a macro, and
    /// "included from here" if it is in an included file.
    pub fn explain(&self, mut diagnostic: Diagnostic, names: &Interner) -> Diagnostic {
        if let Some(e) = self.at(diagnostic.span).filter(|e| !e.definition.is_none()) {
            let text = format!("in the expansion of macro `{}`", excerpt(names.resolve(e.name)));
            diagnostic = diagnostic.also(e.definition, text);
        }
        let mut place = diagnostic.span;
        // A file that includes itself would fill the screen.
        for _ in 0..4 {
            let Some(at) = self.include_of(place) else { break };
            diagnostic = diagnostic.also(at, "included from here");
            place = at;
        }
        diagnostic
    }

    /// The `#include` that brought the file of a place.
    fn include_of(&self, place: Span) -> Option<Span> {
        let index = self.includes.partition_point(|(file, _)| file.start <= place.start).checked_sub(1)?;
        let (file, at) = self.includes[index];
        (place.start <= file.end).then_some(at)
    }
}

/// A program behind the preprocessor.
#[derive(Debug)]
pub struct Preprocessed {
    /// The tokens; the last one is [`Eof`](crate::token::TokenKind::Eof), and no other is.
    pub tokens: Vec<Token>,
    /// The version the program is in.
    pub version: Version,
    /// The `#version` directive, if there is one.
    pub version_span: Option<Span>,
    /// The `#extension` directives, in order.
    pub extensions: Vec<ExtensionDirective>,
    /// The `#pragma` directives, in order.
    pub pragmas: Vec<Pragma>,
    /// The spellings of all names.
    pub interner: Interner,
    /// What is wrong. There are tokens nevertheless.
    pub diagnostics: Vec<Diagnostic>,
    /// Where macros were used.
    pub expansions: Expansions,
}

/// Reads a file that is in `map` already; the files it includes are added to `map`.
///
/// Never fails: what is wrong stands in [`Preprocessed::diagnostics`], and the tokens are those of the rest.
pub fn preprocess(map: &mut SourceMap, file: &SourceFile, options: &mut PreprocessOptions<'_>) -> Preprocessed {
    reader::read(map, file, options)
}
