//! Preprocessed tokens, the parser's input.

use planish_ir::meaning::shortest_half;
use planish_ir::source::Span;

use crate::symbol::{Interner, Symbol};

/// A token and its span.
///
/// A token from a macro's definition has the span of the macro's use in the user's text; one from an argument keeps its
/// own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Token {
    /// The kind of token.
    pub kind: TokenKind,
    /// Its span.
    pub span: Span,
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident $text:literal)*) => {
        /// A kind of token.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum TokenKind {
            /// A name, keyword or reserved word, depending on the version.
            Ident(Symbol),
            /// An integer literal: its 32 bits, and whether it had the suffix `u`.
            Int {
                /// The bits.
                bits: u32,
                /// Whether it had the suffix `u`.
                unsigned: bool,
            },
            /// A literal with the suffix `s` or `us`: its 16 bits, and whether it had the `u`.
            Short {
                /// The bits.
                bits: u16,
                /// Whether it had the suffix `us`.
                unsigned: bool,
            },
            /// A literal with the suffix `l` or `ul`: its 64 bits, and whether it had the `u`.
            Long {
                /// The bits.
                bits: u64,
                /// Whether it had the suffix `ul`.
                unsigned: bool,
            },
            /// A float literal, correctly rounded.
            Float(f32),
            /// The bits of a literal with the suffix `hf`, correctly rounded.
            Half(u16),
            /// A literal with the suffix `lf`, correctly rounded.
            Double(f64),
            $(#[doc = concat!("`", $text, "`")] $name,)*
            /// The end of the program; always the last token, and no other.
            Eof,
        }

        impl TokenKind {
            /// The spelling of a punctuator or operator.
            pub const fn punctuation(self) -> Option<&'static str> {
                match self {
                    $(TokenKind::$name => Some($text),)*
                    _ => None,
                }
            }
        }

        /// A punctuator or operator alone: a byte where a [`TokenKind`] takes sixteen.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Punct {
            $($name,)*
        }

        impl Punct {
            /// As the parser sees it.
            pub(crate) const fn token(self) -> TokenKind {
                match self {
                    $(Punct::$name => TokenKind::$name,)*
                }
            }

            /// The spelling.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    $(Punct::$name => $text,)*
                }
            }
        }

        /// Every punctuator and operator.
        #[cfg(test)]
        pub(crate) const PUNCTUATION: &[Punct] = &[$(Punct::$name),*];
    };
}

tokens! {
    LeftParen "("
    RightParen ")"
    LeftBracket "["
    RightBracket "]"
    LeftBrace "{"
    RightBrace "}"
    Dot "."
    Comma ","
    Semicolon ";"
    Colon ":"
    Question "?"
    Equal "="
    EqualEqual "=="
    BangEqual "!="
    Bang "!"
    Less "<"
    LessEqual "<="
    LessLess "<<"
    LessLessEqual "<<="
    Greater ">"
    GreaterEqual ">="
    GreaterGreater ">>"
    GreaterGreaterEqual ">>="
    Plus "+"
    PlusPlus "++"
    PlusEqual "+="
    Minus "-"
    MinusMinus "--"
    MinusEqual "-="
    Star "*"
    StarEqual "*="
    Slash "/"
    SlashEqual "/="
    Percent "%"
    PercentEqual "%="
    Amp "&"
    AmpAmp "&&"
    AmpEqual "&="
    Pipe "|"
    PipePipe "||"
    PipeEqual "|="
    Caret "^"
    CaretCaret "^^"
    CaretEqual "^="
    Tilde "~"
}

impl TokenKind {
    /// The token as a diagnostic names it: `` `;` ``, `` `colour` ``, `number 1.5`, `end of file`.
    pub fn describe(self, names: &Interner) -> String {
        match self {
            TokenKind::Ident(symbol) => format!("`{}`", names.resolve(symbol)),
            TokenKind::Int { .. } | TokenKind::Short { .. } | TokenKind::Long { .. } => {
                format!("number {}", self.text(names))
            }
            TokenKind::Float(_) | TokenKind::Half(_) | TokenKind::Double(_) => {
                format!("number {}", self.text(names))
            }
            TokenKind::Eof => "end of file".to_owned(),
            _ => format!("`{}`", self.punctuation().unwrap_or_default()),
        }
    }

    /// A spelling of the token; numbers as the shortest that reads back the same.
    pub fn text(self, names: &Interner) -> String {
        match self {
            TokenKind::Ident(symbol) => names.resolve(symbol).to_owned(),
            TokenKind::Int { bits, unsigned: true } => format!("{bits}u"),
            TokenKind::Int { bits, unsigned: false } => bits.to_string(),
            TokenKind::Short { bits, unsigned: true } => format!("{bits}us"),
            TokenKind::Long { bits, unsigned } => format!("{bits}{}", if unsigned { "ul" } else { "l" }),
            TokenKind::Short { bits, unsigned: false } => format!("{bits}s"),
            TokenKind::Float(value) => format!("{value:?}"),
            TokenKind::Half(bits) => format!("{:?}hf", shortest_half(bits)),
            TokenKind::Double(value) => format!("{value:?}lf"),
            TokenKind::Eof => String::new(),
            _ => self.punctuation().unwrap_or_default().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_small() {
        assert!(size_of::<Token>() <= 24);
    }

    #[test]
    fn tokens_say_what_they_are() {
        let mut names = Interner::new();
        let colour = names.intern("colour");
        assert_eq!(TokenKind::Ident(colour).describe(&names), "`colour`");
        assert_eq!(TokenKind::GreaterGreaterEqual.describe(&names), "`>>=`");
        assert_eq!(TokenKind::Float(1.0).describe(&names), "number 1.0");
        assert_eq!(TokenKind::Int { bits: 7, unsigned: true }.text(&names), "7u");
        assert_eq!(TokenKind::Eof.describe(&names), "end of file");
    }
}
