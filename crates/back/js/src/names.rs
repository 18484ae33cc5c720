//! Names: the user's where JavaScript lets them be, and never one twice.

use rustc_hash::{FxHashMap, FxHashSet};

/// Words that no name may be: those of the language, and the globals that the output reads.
const RESERVED: &str = "\
arguments await break case catch class const continue debugger default delete do else enum eval export extends false \
finally for function if implements import in instanceof interface let new null package private protected public return \
static super switch this throw true try typeof undefined var void while with yield async of get set \
Math BigInt Number Object Error Array ArrayBuffer DataView Float32Array Float64Array Int8Array Uint8Array Int16Array \
Uint16Array Int32Array Uint32Array Infinity NaN globalThis stdlib foreign heap imports exports";

/// Whether a text is an identifier of JavaScript.
pub(crate) fn is_identifier(text: &str) -> bool {
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '$');
    begins && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}

/// A text with other signs where a name has none of its own; empty if nothing of it can stay.
fn sanitize(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '$' { c } else { '_' }).collect();
    match name.bytes().next() {
        Some(b) if b.is_ascii_digit() => format!("_{name}"),
        _ if name.bytes().all(|b| b == b'_') => String::new(),
        _ => name,
    }
}

/// The names that are taken in a scope, and in the one around it.
#[derive(Default)]
pub(crate) struct Names<'o> {
    outer: Option<&'o Names<'o>>,
    taken: FxHashSet<String>,
    /// The next number to append to a name.
    next: FxHashMap<String, u32>,
}

impl<'o> Names<'o> {
    /// The names of a module.
    pub(crate) fn new() -> Self {
        let taken = RESERVED.split_whitespace().map(str::to_owned).collect();
        Names { taken, ..Names::default() }
    }

    /// The names within a function.
    pub(crate) fn inside(outer: &'o Names<'o>) -> Self {
        Names { outer: Some(outer), ..Names::default() }
    }

    fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name) || self.outer.is_some_and(|o| o.is_taken(name))
    }

    /// Marks a name as taken.
    pub(crate) fn take(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// A unique name, like the one that is wanted, or like `otherwise` if no character of it can be kept.
    pub(crate) fn fresh(&mut self, wanted: &str, otherwise: &str) -> String {
        let mut base = sanitize(wanted);
        if base.is_empty() {
            base = otherwise.to_owned();
        }
        let mut name = base.clone();
        while self.is_taken(&name) {
            let number = self.next.entry(base.clone()).or_insert(1);
            let joint = if base.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
            name = format!("{base}{joint}{number}");
            *number += 1;
        }
        self.taken.insert(name.clone());
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let mut outer = Names::new();
        assert_eq!(outer.fresh("shade", "f"), "shade");
        assert_eq!(outer.fresh("delete", "f"), "delete1");
        let mut inner = Names::inside(&outer);
        assert_eq!(inner.fresh("shade", "v"), "shade1");
        assert_eq!(inner.fresh("x", "v"), "x");
        assert_eq!(inner.fresh("x", "v"), "x1");
        assert_eq!(inner.fresh("x1", "v"), "x1_1");
        assert_eq!(inner.fresh("a.b", "v"), "a_b");
        assert_eq!(inner.fresh("", "v"), "v");
        assert_eq!(inner.fresh("2d", "v"), "_2d");
    }
}
