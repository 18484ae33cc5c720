//! Interned names: an [`Interner`] maps every spelling to a [`Symbol`]; words of GLSL have fixed symbols, so that a
//! parser can `match` on constants such as [`kw::FOR`].

mod words;

use std::hash::{BuildHasher, BuildHasherDefault};
use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

pub(crate) use words::{FIXED, WORDS};
pub use words::{kw, sym};

use crate::preprocess::extensions::EXTENSIONS;

/// An interned spelling. Equal spellings of one [`Interner`] have equal symbols; words of GLSL ([`kw`], [`sym`]) have
/// the same symbol in all of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

impl Symbol {
    /// The symbol as an index of a dense table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether some version of GLSL has it as a keyword or reserves it; then it is one of [`kw`].
    pub const fn is_word(self) -> bool {
        self.index() < WORDS.len()
    }
}

/// The table of spellings of one compilation.
///
/// # Example
/// ```
/// use planish_front_glsl::symbol::{Interner, kw};
/// let mut names = Interner::new();
/// let colour = names.intern("colour");
/// assert_eq!(names.intern("colour"), colour);
/// assert_eq!(names.intern("for"), kw::FOR);
/// assert_eq!(names.resolve(colour), "colour");
/// ```
#[derive(Clone)]
pub struct Interner {
    /// All spellings in a row.
    text: String,
    /// End of the spelling of each symbol, which is the beginning of the next.
    ends: Vec<u32>,
    table: HashTable<Symbol>,
}

/// The interner with the fixed symbols; copying it is several times as quick as hashing some 700 words anew.
static FRESH: LazyLock<Interner> = LazyLock::new(|| {
    let mut fresh =
        Interner { text: String::with_capacity(16 << 10), ends: Vec::with_capacity(1 << 10), table: HashTable::new() };
    let fixed = WORDS.iter().map(|w| w.0).chain(words::NAMES.iter().copied()).chain(EXTENSIONS.iter().map(|e| e.name));
    for (index, name) in fixed.enumerate() {
        let symbol = fresh.intern(name);
        assert_eq!(symbol.index(), index, "`{name}` stands twice in the tables of words");
    }
    fresh
});

fn hash(text: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(text)
}

impl Interner {
    /// An interner with the words of GLSL.
    pub fn new() -> Self {
        FRESH.clone()
    }

    /// The symbol of a spelling.
    ///
    /// # Panics
    /// Past 4 GiB of different spellings, more than a [`SourceMap`](planish_ir::source::SourceMap) can hold.
    pub fn intern(&mut self, text: &str) -> Symbol {
        let Interner { text: all, ends, table } = self;
        let same = |s: &Symbol| &all.as_bytes()[extent(ends, *s)] == text.as_bytes();
        let hash_of = |s: &Symbol| hash(spelling(all, ends, *s));
        match table.entry(hash(text), same, hash_of) {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let symbol = Symbol(ends.len() as u32);
                entry.insert(symbol);
                all.push_str(text);
                ends.push(u32::try_from(all.len()).expect("4 GiB of names"));
                symbol
            }
        }
    }

    /// The symbol of a spelling that was interned before.
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.table.find(hash(text), |s| spelling(&self.text, &self.ends, *s) == text).copied()
    }

    /// The spelling of a symbol of this interner.
    pub fn resolve(&self, symbol: Symbol) -> &str {
        spelling(&self.text, &self.ends, symbol)
    }

    /// Number of symbols, which are `0..len`.
    #[allow(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
}

impl Default for Interner {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Interner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Interner({} symbols)", self.len())
    }
}

fn spelling<'a>(all: &'a str, ends: &[u32], symbol: Symbol) -> &'a str {
    &all[extent(ends, symbol)]
}

/// Range of the spelling of a symbol.
#[inline]
fn extent(ends: &[u32], symbol: Symbol) -> Range<usize> {
    let start = symbol.index().checked_sub(1).map_or(0, |before| ends[before] as usize);
    start..ends[symbol.index()] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_fixed_symbols() {
        let mut names = Interner::new();
        assert_eq!(names.intern("break"), Symbol(0));
        assert_eq!(names.intern("isampler2DMSArray"), kw::ISAMPLER2DMSARRAY);
        assert_eq!(names.resolve(kw::DMAT3X4), "dmat3x4");
        assert_eq!(names.resolve(sym::MAIN_IMAGE), "mainImage");
        assert_eq!(names.resolve(Symbol(FIXED)), EXTENSIONS[0].name);
        assert!(kw::PACKED.is_word() && !sym::MAIN.is_word());
    }

    #[test]
    fn new_names_follow() {
        let mut names = Interner::new();
        let first = names.len() as u32;
        assert_eq!(names.get("zebra"), None);
        assert_eq!(names.intern("zebra"), Symbol(first));
        assert_eq!(names.intern("é"), Symbol(first + 1));
        assert_eq!(names.intern("zebra"), Symbol(first));
        assert_eq!(names.get("zebra"), Some(Symbol(first)));
        for i in 0..10_000 {
            let name = format!("n{i}");
            let symbol = names.intern(&name);
            assert_eq!(names.resolve(symbol), name);
        }
        assert_eq!(names.intern("for"), kw::FOR);
    }
}
