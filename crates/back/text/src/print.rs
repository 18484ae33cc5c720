//! The output tree as text. Expressions recurse, within the depth that lowering keeps; statements do not.
//! A language gives its spelling as a [`Syntax`].

mod expressions;
pub(crate) mod precedence;
mod statements;

use std::marker::PhantomData;

pub use precedence::needs_parentheses;

use crate::lower::Written;
use crate::syntax::Syntax;

/// Writes the text of an output: lines of module scope, and functions.
pub struct Printer<'a, 'm, S> {
    w: &'a S,
    out: String,
    indent: usize,
    /// Text before the name in the last line of module scope.
    last_head: Option<String>,
    module: PhantomData<&'m ()>,
}

/// Deeper blocks are indented no further, so that a deep program's text stays linear in its size.
const MOST_INDENTED: usize = 32;

impl<'a, 'm, S: Syntax<'m>> Printer<'a, 'm, S> {
    /// Begins the text of an output whose names are assigned.
    pub fn new(w: &'a S) -> Self {
        Printer { w, out: String::new(), indent: 0, last_head: None, module: PhantomData }
    }

    /// The dialect.
    pub fn writer(&self) -> &'a S {
        self.w
    }

    /// The text.
    pub fn finish(self) -> String {
        self.out
    }

    /// Lines that are text already. Minified, spaces that separate nothing go.
    pub fn lines(&mut self, lines: &[String]) {
        for line in lines {
            if self.w.minify {
                self.squeezed(&squeeze(line));
            } else {
                self.out.push_str(line);
                self.out.push('\n');
            }
        }
    }

    /// A declaration of module scope; `uniform vec2 a;uniform vec2 b;` becomes `uniform vec2 a,b;`.
    fn squeezed(&mut self, line: &str) {
        let (head, rest) = line.rsplit_once(' ').unwrap_or(("", line));
        let is_plain = self.w.abilities.declaration_lists
            && !head.is_empty()
            && rest.ends_with(';')
            && !line.contains(['{', '(', '=', '}']);
        if is_plain && self.last_head.as_deref() == Some(head) {
            self.out.pop();
            self.out.push(',');
            self.out.push_str(rest);
        } else {
            self.out.push_str(line);
        }
        self.last_head = (is_plain && !head.starts_with("precision")).then(|| head.to_owned());
    }

    /// A line that ends with a line break even when minified: `#version`, `#extension`.
    pub fn directive(&mut self, line: &str) {
        self.last_head = None;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// An empty line between parts.
    pub fn gap(&mut self) {
        if !self.w.minify && !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn space(&mut self) {
        if !self.w.minify {
            self.out.push(' ');
        }
    }

    fn begin(&mut self) {
        if !self.w.minify {
            for _ in 0..self.indent.min(MOST_INDENTED) {
                self.out.push_str("    ");
            }
        }
    }

    fn newline(&mut self) {
        if !self.w.minify {
            self.out.push('\n');
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn semicolon(&mut self) {
        self.out.push(';');
        self.newline();
    }

    // Functions.

    /// The declaration of a function that comes later.
    pub fn prototype(&mut self, function: &Written) {
        self.head(function);
        self.semicolon();
    }

    fn head(&mut self, function: &Written) {
        self.last_head = None;
        self.w.function_head(function, &mut self.out);
    }

    /// Text in braces after a head, indented: `impl S { … }`.
    pub fn block(&mut self, head: &str, inner: impl FnOnce(&mut Self)) {
        self.gap();
        self.text(head);
        self.text(" {\n");
        let start = self.out.len();
        inner(self);
        let body = self.out.split_off(start);
        for line in body.trim_start_matches('\n').lines() {
            if !line.is_empty() {
                self.text("    ");
                self.text(line);
            }
            self.text("\n");
        }
        self.text("}\n");
    }

    /// A function.
    pub fn function(&mut self, function: &Written) {
        self.gap();
        self.lines(&self.w.comment(self.w.module.funcs[function.func].span));
        self.head(function);
        self.space();
        self.text("{");
        self.newline();
        self.indent += 1;
        self.body(function.body);
        self.indent -= 1;
        self.text("}");
        self.newline();
    }
}

/// Text without the spaces that separate nothing; for heads of functions and other text of a language when minified.
pub fn squeeze(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.trim().chars().peekable();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    while let Some(c) = chars.next() {
        if c == ' ' {
            let before = out.chars().last();
            let after = chars.peek().copied();
            let both_words = before.is_some_and(word) && after.is_some_and(word);
            let same_sign = before == after && matches!(before, Some('-' | '+'));
            if !both_words && !same_sign {
                continue;
            }
        }
        out.push(c);
    }
    out
}
