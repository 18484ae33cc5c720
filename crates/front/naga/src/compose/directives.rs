//! Directives: lines that begin with `#`. What remains of a file is its text without them, with the values of macros.

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::{SourceFile, Span};
use rustc_hash::FxHashMap;

use super::text::Text;
use crate::limits::comment_end;

/// Values of macros; a boolean is `true` or `false`.
pub(crate) type Macros = FxHashMap<String, String>;

/// A file without its directives.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) text: Text,
    /// The path of `#define_import_path`.
    pub(crate) path: Option<String>,
    /// The texts after `#import`, with their places.
    pub(crate) imports: Vec<(String, Span)>,
}

/// Names that begin directives.
const WORDS: [&str; 9] =
    ["define_import_path", "import", "include", "ifdef", "ifndef", "if", "else", "endif", "define"];

/// Finds the file of an `#include`, or says why it cannot.
pub(crate) type Include<'i> = dyn FnMut(&str, &SourceFile, Span) -> Result<SourceFile, Box<Diagnostic>> + 'i;

/// Whether a text has directives or values of macros. (WGSL has no `#`.)
pub(crate) fn has_directives(text: &str, defines: &[(String, String)]) -> bool {
    let has_macro = |(name, _): &(String, String)| text.contains(&format!("#{name}"));
    text.contains('#') && (defines.iter().any(has_macro) || has_lines(text))
}

fn has_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start();
        line.strip_prefix('#').is_some_and(|rest| WORDS.contains(&word(rest.trim_start()))) || line.contains("#{")
    })
}

/// A branch of `#if`.
struct Branch {
    /// Whether the text around is kept.
    around: bool,
    /// Whether this branch or one before it was taken.
    taken: bool,
    active: bool,
    is_else: bool,
    span: Span,
}

struct Reader<'r, 'i> {
    read: Read,
    macros: &'r mut Macros,
    include: &'r mut Include<'i>,
    errors: Vec<Diagnostic>,
    depth: usize,
    included: usize,
}

/// Greatest depth of files that include each other.
const DEEPEST: usize = 64;

/// Greatest number of files that one may include, in all.
const MOST_INCLUDED: usize = 10_000;

/// Reads a file; `#define` adds to the macros.
pub(crate) fn read(file: &SourceFile, macros: &mut Macros, include: &mut Include<'_>) -> Result<Read, Vec<Diagnostic>> {
    let read = Read { text: Text::default(), path: None, imports: vec![] };
    let mut reader = Reader { read, macros, include, errors: vec![], depth: 0, included: 0 };
    reader.file(file);
    if reader.errors.is_empty() { Ok(reader.read) } else { Err(reader.errors) }
}

impl Reader<'_, '_> {
    /// Recursion: at most `DEEPEST` files deep.
    fn file(&mut self, file: &SourceFile) {
        let text = &*file.text;
        let mut branches: Vec<Branch> = vec![];
        let mut at = 0;
        while at < text.len() {
            let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
            let line = &text[at..end];
            let start = at + line.len() - line.trim_start().len();
            let rest = text[start..end].strip_prefix('#').map_or("", str::trim_start);
            let name = word(rest);
            let active = branches.last().is_none_or(|branch| branch.active);
            if !WORDS.contains(&name) || text[start..].starts_with("#{") {
                let unknown = active
                    && text[start..end].starts_with('#')
                    && !text[start..].starts_with("#{")
                    && !self.macros.contains_key(name);
                if unknown {
                    let span = span(file, start, end);
                    let mut error = wrong(span, format!("unknown directive `#{name}`"));
                    if let Some(near) = did_you_mean(name, WORDS) {
                        error = error.help(format!("did you mean `#{near}`?"));
                    }
                    self.errors.push(error);
                    at = end;
                    continue;
                }
                at = if active { self.line(file, at, end) } else { end };
                continue;
            }
            let argument = without_comment(&rest[name.len()..]).trim();
            let place = span(file, start, end);
            at = end;
            match name {
                "ifdef" | "ifndef" | "if" => {
                    let holds = active && self.holds(name, argument, place);
                    branches.push(Branch { around: active, taken: holds, active: holds, is_else: false, span: place });
                }
                "else" => self.other_branch(&mut branches, argument, place),
                "endif" => {
                    if branches.pop().is_none() {
                        self.errors.push(wrong(place, "`#endif` without `#if`".into()));
                    }
                }
                _ if !active => {}
                "define_import_path" => self.read.path = Some(argument.trim_end_matches(';').to_owned()),
                "define" => {
                    let name = word(argument);
                    let value = argument[name.len()..].trim();
                    if name.is_empty() {
                        self.errors.push(wrong(place, "`#define` needs a name".into()));
                    }
                    self.macros.insert(name.to_owned(), if value.is_empty() { "true" } else { value }.to_owned());
                }
                "include" => self.include(file, argument, place),
                _ => {
                    // Braces may go over several lines.
                    let mut import = argument.to_owned();
                    while import.matches('{').count() > import.matches('}').count() && at < text.len() {
                        let end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
                        import.push(' ');
                        import.push_str(without_comment(&text[at..end]).trim());
                        at = end;
                    }
                    self.read.imports.push((import, span(file, start, at)));
                }
            }
            // Lines keep their number for those who print the text.
            self.read.text.replace("\n", place);
        }
        for branch in branches {
            self.errors.push(wrong(branch.span, "`#if` without `#endif`".into()));
        }
    }

    fn other_branch(&mut self, branches: &mut [Branch], argument: &str, place: Span) {
        let Some(branch) = branches.last_mut().filter(|branch| !branch.is_else) else {
            self.errors.push(wrong(place, "`#else` without `#if`".into()));
            return;
        };
        let name = word(argument);
        branch.is_else = name.is_empty();
        let (open, taken) = (branch.around && !branch.taken, branch.taken);
        let holds = match name {
            "" => open,
            "if" | "ifdef" | "ifndef" => open && self.holds(name, argument[name.len()..].trim(), place),
            _ => {
                self.errors
                    .push(wrong(place, format!("`#else {name}`: only `if`, `ifdef` and `ifndef` follow `#else`")));
                false
            }
        };
        branch.active = holds;
        branch.taken = taken || holds;
    }

    fn include(&mut self, file: &SourceFile, argument: &str, place: Span) {
        let name = argument.trim_matches(['"', '<', '>']);
        self.included += 1;
        if self.depth == DEEPEST || self.included > MOST_INCLUDED {
            let message = match self.depth == DEEPEST {
                true => format!("files include each other more than {DEEPEST} deep"),
                false => format!("more than {MOST_INCLUDED} files are included"),
            };
            // (What includes itself twice would go on for ever.)
            self.included = MOST_INCLUDED;
            if self.errors.iter().all(|error| error.message != message) {
                self.errors.push(wrong(place, message));
            }
            return;
        }
        match (self.include)(name, file, place) {
            Ok(included) => {
                self.depth += 1;
                self.file(&included);
                self.depth -= 1;
            }
            Err(error) => self.errors.push(*error),
        }
    }

    /// Whether a condition holds.
    fn holds(&mut self, kind: &str, argument: &str, place: Span) -> bool {
        let name = word(argument);
        let rest = argument[name.len()..].trim();
        if name.is_empty() || kind != "if" && !rest.is_empty() {
            self.errors.push(wrong(place, format!("`#{kind}` needs the name of one macro")));
            return false;
        }
        let value = self.macros.get(name);
        if kind != "if" {
            return value.is_some() == (kind == "ifdef");
        }
        let Some(value) = value.cloned() else {
            let mut error = wrong(place, format!("`{name}` is not defined"));
            if let Some(near) = did_you_mean(name, self.macros.keys().map(String::as_str)) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.errors.push(error.help(format!("define it, as with `-D {name}=1`, or ask for it with `#ifdef`")));
            return false;
        };
        let operator = rest.trim_start_matches(|c: char| !"=!<>".contains(c));
        let operator = &operator[..operator.len() - operator.trim_start_matches(['=', '!', '<', '>']).len()];
        let other = rest.strip_prefix(operator).map_or("", str::trim);
        let other = self.macros.get(other).map_or(other, |value| value);
        match (operator, compared(&value, other)) {
            ("", _) if rest.is_empty() => compared(&value, "false") != Some(std::cmp::Ordering::Equal),
            ("==", order) if !other.is_empty() => order.map_or(value == other, |order| order.is_eq()),
            ("!=", order) if !other.is_empty() => order.map_or(value != other, |order| order.is_ne()),
            ("<", Some(order)) => order.is_lt(),
            ("<=", Some(order)) => order.is_le(),
            (">", Some(order)) => order.is_gt(),
            (">=", Some(order)) => order.is_ge(),
            _ => {
                let message = format!(
                    "`{argument}` is no condition: a name is compared with a number, `true` or `false` by ==, !=, <, <=, > or >="
                );
                self.errors.push(wrong(place, message));
                false
            }
        }
    }

    /// Copies a line, and the rest of a comment that begins in it, with the values of macros. Returns where it ends.
    fn line(&mut self, file: &SourceFile, from: usize, mut end: usize) -> usize {
        let (text, bytes) = (&*file.text, file.text.as_bytes());
        let (mut at, mut copied) = (from, from);
        while at < end {
            match (bytes[at], bytes.get(at + 1)) {
                (b'/', Some(b'/')) => break,
                (b'/', Some(b'*')) => {
                    at = comment_end(bytes, at);
                    if at > end {
                        end = text[at..].find('\n').map_or(text.len(), |n| at + n + 1);
                    }
                }
                (b'#', _) => {
                    let braced = bytes.get(at + 1) == Some(&b'{');
                    let name = if braced {
                        text[at + 2..end].split('}').next().unwrap_or("")
                    } else {
                        word(&text[at + 1..end])
                    };
                    if name.is_empty() {
                        // No directive: the reader of WGSL refuses it.
                        at += 1;
                        continue;
                    }
                    let after = at + name.len() + if braced { 3 } else { 1 };
                    let place = span(file, at, after.min(end));
                    self.read.text.copy_file(file, copied..at);
                    match self.macros.get(name.trim()) {
                        Some(value) => self.read.text.replace(value, place),
                        None => {
                            let error = wrong(place, format!("`{}` is not defined", name.trim()));
                            self.errors.push(error.help(format!("define it, as with `-D {}=1`", name.trim())));
                        }
                    }
                    (at, copied) = (after.min(end), after.min(end));
                }
                _ => at += 1,
            }
        }
        self.read.text.copy_file(file, copied..end);
        end
    }
}

/// The order of two values, if both are numbers or booleans.
fn compared(one: &str, other: &str) -> Option<std::cmp::Ordering> {
    let number = |text: &str| match text {
        "true" => Some(1),
        "false" => Some(0),
        _ => text.trim_end_matches(['u', 'i']).parse::<i64>().ok(),
    };
    Some(number(one)?.cmp(&number(other)?))
}

/// The name that a text begins with.
pub(super) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

fn without_comment(line: &str) -> &str {
    let end = [line.find("//"), line.find("/*")].into_iter().flatten().min();
    &line[..end.unwrap_or(line.len())]
}

fn span(file: &SourceFile, start: usize, end: usize) -> Span {
    let end = start + file.text[start..end].trim_end().len();
    Span::new(file.start + start as u32, file.start + end as u32)
}

pub(super) fn wrong(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(Code::E0713, span, message)
}
