//! Grammatical class of each name: a keyword of some kind, a type, or just a name. One byte a symbol.

use crate::symbol::{Symbol, kw};
use crate::version::{WordClass, WordTable};

/// The grammatical class of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// No word at all: a number, an operator, …
    None,
    /// A variable, a function, or unknown.
    Name,
    /// A struct in scope.
    Struct,
    /// The keyword of a type.
    Type,
    /// A type where only a type is allowed, a name elsewhere (`texture2D`).
    Contextual,
    /// The keyword of a qualifier.
    Qualifier,
    /// A keyword of statements.
    Statement,
    /// `struct`
    StructKeyword,
    /// `precision`
    PrecisionKeyword,
    /// `true`, `false`
    Bool,
    /// A word that the version reserves.
    Reserved,
    /// A reserved word that has been reported, and that other languages have before a type (`static`).
    ForeignQualifier,
    /// A reserved word that has been reported, and that other languages have as a type (`half`).
    ForeignType,
}

/// The class of a word in the versions or languages that have it.
pub(super) fn role(word: Symbol) -> Word {
    let within = |first: Symbol, last: Symbol| first <= word && word <= last;
    match word {
        kw::TRUE | kw::FALSE => Word::Bool,
        kw::STRUCT => Word::StructKeyword,
        kw::CONST | kw::NONUNIFORMEXT => Word::Qualifier,
        kw::PRECISION => Word::PrecisionKeyword,
        kw::DEMOTE | kw::IGNOREINTERSECTIONEXT | kw::TERMINATERAYEXT => Word::Statement,
        kw::STATIC | kw::EXTERN | kw::EXTERNAL | kw::INLINE | kw::NOINLINE | kw::PUBLIC | kw::UNSIGNED | kw::SUPERP => {
            Word::ForeignQualifier
        }
        kw::LONG | kw::SHORT | kw::HALF | kw::FIXED | kw::SAMPLER3DRECT => Word::ForeignType,
        _ if within(kw::HVEC2, kw::FVEC4) => Word::ForeignType,
        _ if within(kw::IMAGE1DSHADOW, kw::IMAGE2DARRAYSHADOW) => Word::ForeignType,
        _ if within(kw::BREAK, kw::CASE) => Word::Statement,
        _ if within(kw::ATTRIBUTE, kw::HIGHP) => Word::Qualifier,
        _ if within(kw::PERVERTEXEXT, kw::NONPRIVATE) => Word::Qualifier,
        _ if within(kw::VOID, kw::SAMPLERSHADOW) => Word::Type,
        _ => Word::Name,
    }
}

/// The meaning of every symbol at the place the parser is at.
pub(super) struct Words {
    meaning: Vec<Word>,
    /// Classes changed by declarations of the open scopes, to be restored at their ends.
    changed: Vec<(Symbol, Word)>,
}

/// The begin of a scope.
#[derive(Clone, Copy)]
pub(super) struct Scope(usize);

impl Words {
    /// The words of a table, for symbols `0..symbols`.
    pub(super) fn new(table: &WordTable, symbols: usize) -> Self {
        let mut meaning = vec![Word::Name; symbols];
        let words = meaning.iter_mut().enumerate().map(|(index, meaning)| (Symbol(index as u32), meaning));
        for (word, meaning) in words.take_while(|(word, _)| word.is_word()) {
            *meaning = match table.class(word) {
                WordClass::Identifier => Word::Name,
                WordClass::Keyword => role(word),
                WordClass::Reserved => Word::Reserved,
                WordClass::Contextual => Word::Contextual,
            };
        }
        Words { meaning, changed: vec![] }
    }

    pub(super) fn get(&self, symbol: Symbol) -> Word {
        self.meaning[symbol.index()]
    }

    /// Changes a word for the rest of the program.
    pub(super) fn set(&mut self, symbol: Symbol, word: Word) {
        self.meaning[symbol.index()] = word;
    }

    pub(super) fn enter(&self) -> Scope {
        Scope(self.changed.len())
    }

    pub(super) fn leave(&mut self, scope: Scope) {
        for (symbol, before) in self.changed.drain(scope.0..).rev() {
            self.meaning[symbol.index()] = before;
        }
    }

    /// A variable's name hides a type's until the end of the scope.
    pub(super) fn declare_variable(&mut self, symbol: Symbol) {
        self.declare(symbol, Word::Name);
    }

    /// A struct's name is a type until the end of the scope.
    pub(super) fn declare_struct(&mut self, symbol: Symbol) {
        self.declare(symbol, Word::Struct);
    }

    fn declare(&mut self, symbol: Symbol, word: Word) {
        let before = self.get(symbol);
        if before != word && matches!(before, Word::Name | Word::Struct | Word::Contextual) {
            self.changed.push((symbol, before));
            self.meaning[symbol.index()] = word;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::version::Version;

    #[test]
    fn words_have_roles() {
        let cases = [
            (kw::VOID, Word::Type),
            (kw::DMAT4X4, Word::Type),
            (kw::SAMPLEREXTERNALOES, Word::Type),
            (kw::UIMAGE2DMSARRAY, Word::Type),
            (kw::SAMPLERSHADOW, Word::Type),
            (kw::ATOMIC_UINT, Word::Type),
            (kw::LAYOUT, Word::Qualifier),
            (kw::VOLATILE, Word::Qualifier),
            (kw::HIGHP, Word::Qualifier),
            (kw::PRECISION, Word::PrecisionKeyword),
            (kw::CASE, Word::Statement),
            (kw::RETURN, Word::Statement),
            (kw::STRUCT, Word::StructKeyword),
            (kw::HVEC3, Word::ForeignType),
            (kw::STATIC, Word::ForeignQualifier),
            (kw::ASM, Word::Name),
            (kw::RESOURCE, Word::Name),
        ];
        for (word, expected) in cases {
            assert_eq!(role(word), expected, "{word:?}");
        }
    }

    #[test]
    fn scopes_end() {
        let mut words = Words::new(&Version::ES_300.words(), 2000);
        let (name, other) = (Symbol(1500), Symbol(1501));
        words.declare_struct(name);
        let scope = words.enter();
        words.declare_variable(name);
        words.declare_struct(other);
        assert_eq!((words.get(name), words.get(other)), (Word::Name, Word::Struct));
        words.leave(scope);
        assert_eq!((words.get(name), words.get(other)), (Word::Struct, Word::Name));
    }
}
