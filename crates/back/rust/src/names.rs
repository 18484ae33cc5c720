//! Words that no name of the program may be.

use planish_back_text::Words;
use planish_back_text::dialect::sanitize;

use crate::helpers::HELPERS;
use crate::slices::is_name;

/// Words of Rust, and of what the output defines.
#[derive(Clone, Copy)]
pub(crate) struct RustWords;

impl Words for RustWords {
    fn is_reserved(&self, word: &str) -> bool {
        // (Two underscores are no snake case.)
        KEYWORDS.contains(&word)
            || word.contains("__")
            || HELPERS.iter().any(|helper| helper.name == word)
            || is_name(word)
            || METHODS.contains(&word)
            || ["call_", "import_"].iter().any(|&begin| is_numbered(word, begin))
    }

    fn is_builtin(&self, word: &str) -> bool {
        BUILT_IN.contains(&word)
    }

    fn sanitize(&self, text: &str) -> String {
        sanitize(&snake_case(text), &["_"])
    }
}

/// A name as Rust has names of functions, variables and modules, and no keyword: `fooBar` is `foo_bar`, `2d-sky` is `n2d_sky`, `fn` is `fn_`.
pub fn identifier(text: &str) -> String {
    let name = RustWords.sanitize(text);
    if KEYWORDS.contains(&&*name) { name + "_" } else { name }
}

/// Methods of the state.
const METHODS: [&str; 3] = ["new", "see_to_stack", "new_token"];

/// Whether a word is such a begin, with nothing but numbers after it.
fn is_numbered(word: &str, begin: &str) -> bool {
    word.strip_prefix(begin).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b'_'))
}

/// A name as Rust has names of functions and variables: `fooBar` and `foo-bar` are `foo_bar`.
fn snake_case(text: &str) -> String {
    let mut out = String::new();
    let mut before = ' ';
    for c in text.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_alphanumeric() && !before.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
        before = c;
    }
    out
}

/// Keywords, also those to come.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types and crates that the output names.
const BUILT_IN: &[&str] = &[
    "bool", "i32", "u32", "i64", "u64", "f32", "f64", "u8", "i8", "i16", "u16", "usize", "alloc", "core", "libm",
    "std", "state",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_rust_has_them() {
        let name = |text| RustWords.sanitize(text);
        assert_eq!([name("fooBar"), name("foo-bar"), name("X"), name("_a__b")], ["foo_bar", "foo_bar", "x", "a_b"]);
        assert_eq!(["2d-sky", "fn", "Self", "a b"].map(identifier), ["n2d_sky", "fn_", "self_", "a_b"]);
        assert_eq!([name("HTTPServer2"), name("x1Y"), name("3d")], ["httpserver2", "x1_y", "n3d"]);
    }
}
