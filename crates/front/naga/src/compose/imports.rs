//! Imports: `a::b`, `a::b as c`, `a::{b, c as d, e::f}`, `"file.wgsl"::{a, b}`.

use super::directives::word;

/// One path, and the name that it is imported as.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Import {
    /// Its parts; the name of a file is one, in quotes.
    pub(super) path: Vec<String>,
    pub(super) name: String,
}

/// Greatest depth of braces.
const NESTING: usize = 32;

/// The paths of an import.
///
/// # Errors
/// A message for one that is malformed.
pub(super) fn parse(text: &str) -> Result<Vec<Import>, String> {
    let mut parser = Parser { rest: text.trim().trim_end_matches(';').trim_end(), found: vec![] };
    parser.list(&[], 0)?;
    if !parser.rest.is_empty() {
        return Err(format!("`{}` does not belong to the import", parser.rest));
    }
    if parser.found.is_empty() {
        return Err("`#import` needs a path, as in `#import shapes::circle`".into());
    }
    Ok(parser.found)
}

struct Parser<'t> {
    rest: &'t str,
    found: Vec<Import>,
}

impl Parser<'_> {
    fn takes(&mut self, sign: &str) -> bool {
        let found = self.rest.strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest).trim_start();
        found.is_some()
    }

    /// Recursion: over braces, at most `NESTING` deep.
    fn list(&mut self, around: &[String], depth: usize) -> Result<(), String> {
        if depth > NESTING {
            return Err(format!("braces nest deeper than {NESTING}"));
        }
        while !self.rest.is_empty() && !self.rest.starts_with('}') {
            let mut path = around.to_vec();
            loop {
                if let Some(quoted) = self.rest.strip_prefix('"') {
                    let end = quoted.find('"').ok_or("the name of the file is not closed with `\"`")?;
                    path.push(self.rest[..end + 2].to_owned());
                    self.rest = quoted[end + 1..].trim_start();
                } else {
                    let part = word(self.rest);
                    if part.is_empty() {
                        return Err(match self.rest {
                            "" => "the import ends after `::`".into(),
                            rest => format!("a name is expected before `{rest}`"),
                        });
                    }
                    path.push(part.to_owned());
                    self.rest = self.rest[part.len()..].trim_start();
                }
                if !self.takes("::") {
                    let mut name = path.last().cloned().unwrap_or_default();
                    if word(self.rest) == "as" {
                        self.rest = self.rest[2..].trim_start();
                        word(self.rest).clone_into(&mut name);
                        self.rest = self.rest[name.len()..].trim_start();
                    }
                    self.found.push(Import { path, name });
                    break;
                }
                if self.takes("{") {
                    self.list(&path, depth + 1)?;
                    if !self.takes("}") {
                        return Err("the braces are not closed with `}`".into());
                    }
                    break;
                }
            }
            if !self.takes(",") {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn imports_are_read() {
        let read = |text: &str| {
            let one = |import: super::Import| format!("{}={}", import.name, import.path.join("."));
            parse(text).map(|all| all.into_iter().map(one).collect::<Vec<_>>().join(" "))
        };
        let cases = [
            ("a", "a=a"),
            ("a::b::c;", "c=a.b.c"),
            ("a::b as m", "m=a.b"),
            ("a::{ b, c as d, e::{f, g}, }", "b=a.b d=a.c f=a.e.f g=a.e.g"),
            ("\"x/y.wgsl\"::{a, b}, c", "a=\"x/y.wgsl\".a b=\"x/y.wgsl\".b c=c"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "a::", "a::{b", "a b", "\"x", "a::{b}}", "::a"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
