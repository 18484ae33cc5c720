//! The GLSL preprocessor: from source text to the tokens that the parser reads.
//!
//! Everything happens in one pass over the text: [`read`](reader::read) scans it, executes directives, expands macros,
//! and converts numbers. Nothing recurses with the length of the program or the nesting of its macros, and time and
//! memory are bounded by the limits below.
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

/// Maximum nesting depth of macro expansions.
pub const MAX_EXPANSION_DEPTH: usize = 4096;
/// Maximum number of tokens that macro expansion reads and creates in one program; a token created by `##` counts as
/// one a byte.
pub const MAX_EXPANDED_TOKENS: usize = 1 << 22;
/// Maximum number of parameters of a macro.
pub const MAX_MACRO_PARAMETERS: usize = 1024;
/// Maximum nesting depth of `#if`s.
pub const MAX_CONDITION_DEPTH: usize = 1024;
/// Maximum nesting depth of includes.
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// Maximum number of files included in one program.
pub const MAX_INCLUDES: usize = 10_000;
/// Maximum number of bytes included in one program.
pub const MAX_INCLUDED_BYTES: usize = 64 << 20;
/// After how many errors reading stops.
pub const MAX_ERRORS: usize = 1000;

/// Options of the preprocessor.
pub struct PreprocessOptions<'a> {
    /// Macros defined before the first line, as `-D NAME=VALUE`; the name may have parameters: `SQUARE(x)`.
    pub defines: Vec<(String, String)>,
    /// Resolver of `#include`. `None`: every `#include` is an error.
    pub includes: Option<&'a mut dyn IncludeResolver>,
    /// The version of a program without `#version`.
    pub default_version: Version,
    /// Whether to check the additional rules of WebGL.
    pub webgl: bool,
    /// Files of the map, one after the other, that are read before the program, after `#version` and `#extension`.
    pub preludes: Vec<SourceFile>,
    /// Whether `#include` needs no extension.
    pub free_includes: bool,
}

impl Default for PreprocessOptions<'_> {
    fn default() -> Self {
        PreprocessOptions {
            defines: vec![],
            includes: None,
            default_version: Version::ES_100,
            webgl: false,
            preludes: vec![],
            free_includes: false,
        }
    }
}

/// The behavior requested by an `#extension`.
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
    /// The name, or `all`.
    pub name: Symbol,
    /// The requested behavior.
    pub behavior: Behavior,
    /// The directive.
    pub span: Span,
    /// Number of tokens of the program before it.
    pub position: usize,
}

/// The meaning of a `#pragma`.
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
    /// Any other, ignored as GLSL requires.
    Other,
}

/// A `#pragma` directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pragma {
    /// Its meaning.
    pub kind: PragmaKind,
    /// The text after `#pragma`, with white space between tokens reduced to one space.
    pub text: String,
    /// The directive.
    pub span: Span,
    /// Number of tokens of the program before it.
    pub position: usize,
}

/// A use of a macro in the user's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The name of the macro, and its arguments; tokens of the definition have this span.
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
    /// The macro use that a span represents, if tokens with this span come from a definition.
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

/// A preprocessed program.
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
    /// Errors and warnings. There are tokens nevertheless.
    pub diagnostics: Vec<Diagnostic>,
    /// Uses of macros.
    pub expansions: Expansions,
}

/// Reads a file of `map`; included files are added to `map`.
///
/// Never fails: errors are in [`Preprocessed::diagnostics`], and the tokens are those of the rest.
pub fn preprocess(map: &mut SourceMap, file: &SourceFile, options: &mut PreprocessOptions<'_>) -> Preprocessed {
    reader::read(map, file, options)
}
