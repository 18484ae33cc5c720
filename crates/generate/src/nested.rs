//! Programs of one construct nested `n` times, or repeated `n` times in sequence: a shape of every construct of every
//! language that is read as text. They reveal recursion, and growth faster than the size of the program.
//!
//! ```
//! use planish_generate::nested::{Language, shapes};
//! let shape = shapes().find(|s| s.language == Language::Glsl && s.name == "parentheses").unwrap();
//! assert!(shape.text(3).contains("(((u + 1.0)"));
//! ```

mod glsl;
mod ir;
mod vl;
mod wat;
mod wgsl;

/// The language of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// GLSL: a fragment shader.
    Glsl,
    /// WebAssembly text: a module that exports `f`, from `i32` to `i32`.
    Wat,
    /// WGSL: a fragment shader.
    Wgsl,
    /// VL: a program that reads one number.
    Vl,
    /// The IR's text: a module that exports `f`, from `i32` to `i32`.
    Ir,
}

impl Language {
    /// The name of a file of this language, from which the compiler detects it.
    pub const fn file(self) -> &'static str {
        match self {
            Language::Glsl => "nested.frag",
            Language::Wat => "nested.wat",
            Language::Wgsl => "nested.wgsl",
            Language::Vl => "nested.vl",
            Language::Ir => "nested.ir",
        }
    }
}

/// The direction in which a shape grows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Growth {
    /// Each construct is nested in the previous one.
    Deep,
    /// Each construct follows the previous one.
    Long,
}

/// A family of programs, one for each number of constructs.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its language.
    pub language: Language,
    /// Unique within its language.
    pub name: &'static str,
    /// Nesting or sequence.
    pub growth: Growth,
    text: fn(usize) -> String,
}

impl Shape {
    /// The program with `n` constructs. Its length is proportional to `n`, except for the digits of numbers.
    pub fn text(&self, n: usize) -> String {
        (self.text)(n)
    }
}

/// Every shape of every language.
pub fn shapes() -> impl Iterator<Item = &'static Shape> {
    [glsl::SHAPES, wat::SHAPES, wgsl::SHAPES, vl::SHAPES, ir::SHAPES].into_iter().flatten()
}

const fn deep(language: Language, name: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { language, name, growth: Growth::Deep, text }
}

const fn long(language: Language, name: &'static str, text: fn(usize) -> String) -> Shape {
    Shape { language, name, growth: Growth::Long, text }
}

/// `open(0) open(1) … inside … close(1) close(0)`
fn around(n: usize, open: impl Fn(usize) -> String, inside: &str, close: impl Fn(usize) -> String) -> String {
    let mut text: String = (0..n).map(open).collect();
    text.push_str(inside);
    text.extend((0..n).rev().map(close));
    text
}

/// `part(0) part(1) …`
fn row(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_texts_grow_with_their_number() {
        let mut names = std::collections::HashSet::new();
        for shape in shapes() {
            assert!(names.insert((shape.language, shape.name)), "{shape:?}");
            let (one, two) = (shape.text(1_000).len(), shape.text(2_000).len());
            assert!(one > 900 && two > one + 900 && two < 3 * one, "{shape:?}: {one} and {two} bytes");
        }
    }
}
