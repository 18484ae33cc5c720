//! WGSL of several files: conditions and macros, `#include`, and modules with `#import`, in the form that naga_oil and Bevy have.
//!
//! A program becomes one text that knows where its parts are from ([`Text`]): the file itself, then of each module that it imports the
//! declarations that are used. One keeps its name if nothing else has it; otherwise it gets that of its module before it. Since all
//! uses of a name in a file are renamed alike, also local ones, none is captured.

mod directives;
mod imports;
mod text;

use std::ops::Range;

use planish_ir::diagnostic::{Code, Diagnostic, did_you_mean};
use planish_ir::source::{IncludeResolver, SourceFile, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use directives::has_directives;
pub(crate) use text::Text;

use crate::Options;
use crate::limits::{comment_end, line_end};
use directives::{Macros, wrong};
use imports::Import;

/// The most modules of a program.
const MOST_MODULES: usize = 4096;

/// The text of a program in one file without directives, or in several.
///
/// # Errors
/// Directives that are wrong, and files, modules and declarations that there are not.
pub(crate) fn compose(
    file: &SourceFile,
    map: &mut SourceMap,
    options: &mut Options<'_>,
) -> Result<Text, Vec<Diagnostic>> {
    let macros = options.defines.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    let includes = options.includes.as_mut().map(|includes| &mut **includes as &mut dyn IncludeResolver);
    let mut program =
        Program { map, macros, includes, units: vec![], preludes: 0, known: FxHashMap::default(), errors: vec![] };
    let preludes = options.preludes;
    for prelude in preludes {
        program.add(prelude, None);
    }
    program.add(file, None);
    if !program.errors.is_empty() {
        return Err(program.errors);
    }
    // The program's own file is the first one. (Nothing has numbers of units yet.)
    program.units.rotate_right(1);
    program.preludes = preludes.len();
    let mut next = 0;
    while next < program.units.len() {
        program.resolve(next);
        next += 1;
        if program.units.len() > MOST_MODULES {
            program.errors.push(wrong(Span::NONE, format!("the program has more than {MOST_MODULES} modules")));
            break;
        }
    }
    if !program.errors.is_empty() {
        return Err(program.errors);
    }
    let parts = program.used_parts();
    let errors = program.errors_of(&parts);
    if errors.is_empty() { Ok(program.text(&parts)) } else { Err(errors) }
}

/// A file: the program's own, or a module.
struct Unit {
    text: Text,
    file: SourceFile,
    /// The last part of the module's path.
    name: String,
    imports: Vec<(String, Span)>,
    tokens: Vec<Token>,
    /// Declarations of module scope.
    parts: Vec<Part>,
    /// Names that are not found, by the token.
    errors: Vec<(usize, Diagnostic)>,
    /// Names of declarations of other modules, by the token's index: the last token of the path, the unit and the declaration.
    uses: FxHashMap<usize, (usize, usize, String)>,
}

/// A word of WGSL, or a sign of one byte (`::` is one of two).
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) bytes: Range<usize>,
    is_word: bool,
    /// Whether it may be renamed: no member, attribute or the like.
    is_name: bool,
}

/// A declaration of module scope.
#[derive(Debug)]
pub(crate) struct Part {
    /// Its name; `None` of an assertion, which is always kept.
    name: Option<String>,
    pub(crate) tokens: Range<usize>,
}

struct Program<'p> {
    map: &'p mut SourceMap,
    macros: Macros,
    includes: Option<&'p mut (dyn IncludeResolver + 'p)>,
    units: Vec<Unit>,
    /// Number of preludes, which are the units after the first.
    preludes: usize,
    /// Units by their path; `None`: there is none.
    known: FxHashMap<String, Option<usize>>,
    errors: Vec<Diagnostic>,
}

impl Program<'_> {
    /// Reads a file as a unit.
    fn add(&mut self, file: &SourceFile, path: Option<&str>) -> Option<usize> {
        let Program { map, includes, macros, .. } = self;
        let mut include = |name: &str, from: &SourceFile, place: Span| {
            let found = includes.as_mut().and_then(|includes| includes.resolve(name, &from.name, false));
            let Some((name, text)) = found else {
                return Err(Box::new(not_found(place, format!("cannot find `{name}`"))));
            };
            map.add(name, text).map_err(|_| Box::new(wrong(place, "the files are larger than 4 GiB".into())))
        };
        let read = match directives::read(file, macros, &mut include) {
            Ok(read) => read,
            Err(errors) => {
                self.errors.extend(errors);
                return None;
            }
        };
        let tokens = tokens(&read.text.text);
        let parts = parts(&read.text.text, &tokens);
        let path = path.map(str::to_owned).or(read.path).unwrap_or_default();
        let name = path.rsplit("::").next().unwrap_or_default();
        let name = name.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default().to_owned();
        let unit = Unit {
            text: read.text,
            file: file.clone(),
            name,
            imports: read.imports,
            tokens,
            parts,
            errors: vec![],
            uses: FxHashMap::default(),
        };
        self.units.push(unit);
        Some(self.units.len() - 1)
    }

    /// The unit of a module; a path in quotes is the name of a file.
    fn module(&mut self, path: &str, from: usize) -> Option<usize> {
        let from = self.units[from].file.name.clone();
        // Files are found beside the one that imports them.
        let key = if path.starts_with('"') { format!("{from}\0{path}") } else { path.to_owned() };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = match path.strip_prefix('"') {
            Some(file) => {
                self.includes.as_mut().and_then(|includes| includes.resolve(file.trim_end_matches('"'), &from, false))
            }
            None => self.includes.as_mut().and_then(|includes| includes.module(path, &from)),
        };
        let Some((name, text)) = found else {
            self.known.insert(key, None);
            return None;
        };
        let file = format!("\0{name}");
        if let Some(known) = self.known.get(&file).copied() {
            self.known.insert(key, known);
            return known;
        }
        let unit = self.map.add(name, text).ok().and_then(|file| self.add(&file, Some(path.trim_matches('"'))));
        self.known.insert(file, unit);
        self.known.insert(key, unit);
        unit
    }

    /// The longest part of a path that is a module, and what remains.
    fn longest_module(&mut self, path: &[String], from: usize) -> Option<(usize, usize)> {
        (1..=path.len()).rev().find_map(|len| Some((self.module(&path[..len].join("::"), from)?, len)))
    }

    /// Finds what the names of a unit stand for, and reads the modules that are needed for that.
    fn resolve(&mut self, of: usize) {
        // Names that imports bind: to a module, or to a declaration of one.
        let (mut modules, mut declared) = (FxHashMap::default(), FxHashMap::default());
        // The program knows all preludes, and each prelude the ones before it.
        let preludes = match of {
            0 => 1..self.preludes + 1,
            _ if of <= self.preludes => 1..of,
            _ => 0..0,
        };
        for unit in preludes {
            let names = self.units[unit].parts.iter().filter_map(|part| part.name.clone());
            declared.extend(names.map(|name| (name.clone(), (unit, name))));
        }
        for (text, place) in std::mem::take(&mut self.units[of].imports) {
            let imports = match imports::parse(&text) {
                Ok(imports) => imports,
                Err(why) => {
                    self.errors.push(wrong(place, why));
                    continue;
                }
            };
            for Import { path, name } in imports {
                let before = self.errors.len();
                match self.longest_module(&path, of) {
                    Some((unit, len)) if len == path.len() => _ = modules.insert(name, unit),
                    // (Whether there is such a declaration is asked where it is used: conditions may leave out both.)
                    Some((unit, len)) if len + 1 == path.len() => {
                        declared.insert(name, (unit, path[len].clone()));
                    }
                    _ if self.errors.len() > before => {}
                    _ => {
                        let message = format!("there is no module `{}`", path.join("::"));
                        let help =
                            "a module is a file that begins with `#define_import_path`; give its folder with `-I`";
                        self.errors.push(not_found(place, message).help(help));
                    }
                }
            }
        }
        // A declaration of the file's own comes before one that is imported.
        self.units[of].parts.iter().filter_map(|part| part.name.as_ref()).for_each(|own| _ = declared.remove(own));
        let (text, tokens) = (self.units[of].text.text.clone(), self.units[of].tokens.clone());
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            at += 1;
            if !tokens[start].is_name {
                continue;
            }
            let mut path = vec![text[tokens[start].bytes.clone()].to_owned()];
            while let [colons, word, ..] = &tokens[at..]
                && &text[colons.bytes.clone()] == "::"
                && word.is_word
            {
                path.push(text[word.bytes.clone()].to_owned());
                at += 2;
            }
            let place = self.units[of].text.span(tokens[start].bytes.start..tokens[at - 1].bytes.end);
            let used = match &path[..] {
                [name] => declared.get(name).cloned(),
                [first, item] if modules.contains_key(first) => Some((modules[first], item.clone())),
                [.., item] => {
                    let before = self.errors.len();
                    match self.longest_module(&path[..path.len() - 1], of) {
                        Some((unit, len)) if len + 1 == path.len() => Some((unit, item.clone())),
                        _ => {
                            if self.errors.len() == before {
                                let message = format!("there is no module `{}`", path[..path.len() - 1].join("::"));
                                self.units[of].errors.push((start, not_found(place, message)));
                            }
                            None
                        }
                    }
                }
                [] => None,
            };
            let Some((unit, item)) = used else { continue };
            match self.missing(unit, &item, place) {
                None => _ = self.units[of].uses.insert(start, (at - 1, unit, item)),
                Some(error) => self.units[of].errors.push((start, error)),
            }
        }
    }

    /// The error of a declaration that a unit has not.
    fn missing(&self, unit: usize, item: &str, place: Span) -> Option<Diagnostic> {
        let Unit { parts, file, .. } = &self.units[unit];
        let mut names = parts.iter().filter_map(|part| part.name.as_deref());
        if names.clone().any(|known| known == item) {
            return None;
        }
        let error = not_found(place, format!("{} declares no `{item}`", file.name));
        let near = did_you_mean(item, &mut names);
        Some(match near {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        })
    }

    /// For each unit whether its declarations are used: the program's own are, and what those use.
    fn used_parts(&self) -> Vec<Vec<bool>> {
        let mut used: Vec<Vec<bool>> = self.units.iter().map(|unit| vec![false; unit.parts.len()]).collect();
        let mut by_name: FxHashMap<(usize, &str), Vec<usize>> = FxHashMap::default();
        let mut todo = vec![];
        for (index, unit) in self.units.iter().enumerate() {
            for (at, part) in unit.parts.iter().enumerate() {
                match &part.name {
                    Some(name) if index > 0 => by_name.entry((index, name.as_str())).or_default().push(at),
                    _ => todo.push((index, at)),
                }
            }
        }
        while let Some((index, part)) = todo.pop() {
            if std::mem::replace(&mut used[index][part], true) {
                continue;
            }
            let unit = &self.units[index];
            for at in unit.parts[part].tokens.clone() {
                let (of, name) = match unit.uses.get(&at) {
                    Some((_, of, item)) => (*of, item.as_str()),
                    None => (index, &unit.text.text[unit.tokens[at].bytes.clone()]),
                };
                todo.extend(by_name.get(&(of, name)).into_iter().flatten().map(|part| (of, *part)));
            }
        }
        used
    }

    /// The errors of names in declarations that are used, one a name.
    fn errors_of(&mut self, used: &[Vec<bool>]) -> Vec<Diagnostic> {
        let mut errors: Vec<Diagnostic> = vec![];
        for (unit, used) in self.units.iter_mut().zip(used) {
            for (at, error) in std::mem::take(&mut unit.errors) {
                let is_used = unit.parts.iter().zip(used).any(|(part, used)| *used && part.tokens.contains(&at));
                if is_used && errors.iter().all(|known| known.message != error.message) {
                    errors.push(error);
                }
            }
        }
        errors
    }

    /// The whole program.
    fn text(&self, used: &[Vec<bool>]) -> Text {
        let printed = self.names(used);
        let mut text = Text::default();
        let mut seen = FxHashSet::default();
        // `enable` and the like stand before all declarations. The file's own do so already.
        let heads: Vec<usize> = self.units.iter().map(|unit| head_end(&unit.text.text, &unit.tokens)).collect();
        for (unit, &end) in self.units.iter().zip(&heads).skip(1) {
            let mut line = String::new();
            for token in unit.tokens.iter().take_while(|token| token.bytes.end <= end) {
                line.push_str(&unit.text.text[token.bytes.clone()]);
                line.push(' ');
                if line.ends_with("; ") {
                    if seen.insert(line.clone()) {
                        text.replace(&line, unit.text.span(token.bytes.clone()));
                    }
                    line.clear();
                }
            }
        }
        for (index, unit) in self.units.iter().enumerate() {
            if index == 0 {
                self.copy(&mut text, &printed, 0, 0..unit.text.text.len(), 0..unit.tokens.len());
                continue;
            }
            for (part, _) in unit.parts.iter().zip(&used[index]).filter(|(_, used)| **used) {
                let end = unit.tokens[part.tokens.end - 1].bytes.end;
                text.replace("\n", unit.text.span(unit.tokens[part.tokens.start].bytes.clone()));
                let bytes = unit.tokens[part.tokens.start].bytes.start..end;
                self.copy(&mut text, &printed, index, bytes, part.tokens.clone());
            }
        }
        text
    }

    /// Copies a part of a unit with the names in the text.
    fn copy(&self, text: &mut Text, printed: &Printed<'_>, index: usize, bytes: Range<usize>, tokens: Range<usize>) {
        let unit = &self.units[index];
        let (mut copied, mut skip_to) = (bytes.start, 0);
        for at in tokens {
            let token = &unit.tokens[at];
            let word = &unit.text.text[token.bytes.clone()];
            let (end, name) = match unit.uses.get(&at) {
                Some((last, of, item)) => (unit.tokens[*last].bytes.end, &printed[&(*of, item.as_str())]),
                None if at >= skip_to && token.is_name => match printed.get(&(index, word)) {
                    Some(name) if name != word => (token.bytes.end, name),
                    _ => continue,
                },
                None => continue,
            };
            skip_to = unit.uses.get(&at).map_or(at, |(last, ..)| *last) + 1;
            text.copy(&unit.text, copied..token.bytes.start);
            text.replace(name, unit.text.span(token.bytes.start..end));
            copied = end;
        }
        text.copy(&unit.text, copied..bytes.end);
    }

    /// The names of all declarations in the text. The program's own stay.
    fn names(&self, used: &[Vec<bool>]) -> Printed<'_> {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut printed = FxHashMap::default();
        for (index, unit) in self.units.iter().enumerate() {
            let own: FxHashSet<&str> = unit.parts.iter().filter_map(|part| part.name.as_deref()).collect();
            let parts = unit.parts.iter().zip(&used[index]).filter(|(_, used)| **used);
            let mut skip_to = 0;
            for at in parts.flat_map(|(part, _)| part.tokens.clone()) {
                if let Some((last, ..)) = unit.uses.get(&at) {
                    skip_to = last + 1;
                }
                let word = &unit.text.text[unit.tokens[at].bytes.clone()];
                if at >= skip_to && unit.tokens[at].is_name && (index == 0 || !own.contains(word)) {
                    taken.insert(word.to_owned());
                }
            }
        }
        for (index, unit) in self.units.iter().enumerate() {
            for (part, _) in unit.parts.iter().zip(&used[index]).filter(|(_, used)| **used) {
                let Some(item) = part.name.as_deref() else { continue };
                if index == 0 {
                    printed.insert((0, item), item.to_owned());
                    continue;
                }
                if printed.contains_key(&(index, item)) {
                    // Declared twice: an error of the program.
                    continue;
                }
                let mut name = item.to_owned();
                let mut number = 1;
                while !taken.insert(name.clone()) {
                    let base = if unit.name.is_empty() { item.to_owned() } else { format!("{}_{item}", unit.name) };
                    name = if number == 1 { base } else { format!("{base}_{number}") };
                    number += 1;
                }
                printed.insert((index, item), name);
            }
        }
        printed
    }
}

/// Names of declarations in the text, by unit and name.
type Printed<'u> = FxHashMap<(usize, &'u str), String>;

fn not_found(place: Span, message: String) -> Diagnostic {
    Diagnostic::error(Code::E0112, place, message)
}

/// Words of WGSL that begin declarations.
fn declares(word: &str) -> bool {
    matches!(word, "fn" | "struct" | "const" | "override" | "alias" | "var")
}

/// Attributes whose arguments are words of the language.
fn has_words(attribute: &str) -> bool {
    matches!(attribute, "builtin" | "interpolate" | "diagnostic" | "blend_src")
}

/// The words and signs of a text, without its comments.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = vec![];
    let mut at = 0;
    // Depth of brackets, that of the attribute's arguments, and that of a struct's members.
    let (mut depth, mut words_from, mut members) = (0usize, None, None);
    let mut is_struct = false;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = comment_end(bytes, at),
            byte if byte.is_ascii_whitespace() => at += 1,
            byte if byte.is_ascii_digit() => {
                // (Also of `1.5f` and `0x1p-3`, as far as it matters: no letter of it is a word.)
                at +=
                    bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_' || **b == b'.').count();
                tokens.push(Token { bytes: start..at, is_word: false, is_name: false });
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii() => {
                at += bytes[at..]
                    .iter()
                    .take_while(|b| b.is_ascii_alphanumeric() || **b == b'_' || !b.is_ascii())
                    .count();
                let before = tokens.last().map_or("", |token| &text[token.bytes.clone()]);
                let next = text[at..].trim_start();
                let is_member =
                    members == Some(depth) && next.starts_with(':') && !next.starts_with("::") && before != ":";
                let is_name = before != "." && before != "@" && !is_member && words_from.is_none();
                if before == "@" && has_words(&text[start..at]) {
                    words_from = Some(depth);
                }
                is_struct |= &text[start..at] == "struct" && depth == 0;
                tokens.push(Token { bytes: start..at, is_word: true, is_name });
            }
            byte => {
                at += if text[at..].starts_with("::") { 2 } else { 1 };
                match byte {
                    b'(' | b'[' | b'{' => {
                        depth += 1;
                        if std::mem::take(&mut is_struct) {
                            members = Some(depth);
                        }
                    }
                    b')' | b']' | b'}' => {
                        depth = depth.saturating_sub(1);
                        members = members.filter(|members| *members <= depth);
                        words_from = words_from.filter(|from| *from != depth);
                    }
                    _ => {}
                }
                tokens.push(Token { bytes: start..at, is_word: false, is_name: false });
            }
        }
    }
    tokens
}

/// The declarations of a text, without the directives before them.
pub(crate) fn parts(text: &str, tokens: &[Token]) -> Vec<Part> {
    let word = |at: usize| tokens.get(at).map_or("", |token: &Token| &text[token.bytes.clone()]);
    let head = head_end(text, tokens);
    let first = tokens.partition_point(|token| token.bytes.end <= head);
    let mut start = first;
    let (mut parts, mut name, mut depth) = (vec![], None, 0usize);
    for at in first..tokens.len() {
        let mut ends = false;
        match word(at) {
            "(" | "[" | "{" => depth += 1,
            close @ (")" | "]" | "}") => {
                depth = depth.saturating_sub(1);
                ends = depth == 0 && close == "}";
            }
            ";" => ends = depth == 0,
            keyword if depth == 0 && name.is_none() && tokens[at].is_word && declares(keyword) => {
                // `var<storage, read_write> name`
                let mut next = at + 1;
                if word(next) == "<" {
                    next +=
                        tokens[next..].iter().position(|token| &text[token.bytes.clone()] == ">").map_or(0, |n| n + 1);
                }
                name = tokens.get(next).filter(|token| token.is_word).map(|token| text[token.bytes.clone()].to_owned());
            }
            _ => {}
        }
        if ends || at + 1 == tokens.len() {
            let name = name.take();
            // (A `;` by itself is nothing.)
            if start < at || name.is_some() {
                parts.push(Part { name, tokens: start..at + 1 });
            }
            start = at + 1;
        }
    }
    parts
}

/// The end of the directives that a text begins with.
fn head_end(text: &str, tokens: &[Token]) -> usize {
    let mut end = 0;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if !matches!(&text[token.bytes.clone()], "enable" | "requires" | "diagnostic") {
            break;
        }
        while tokens.get(at).is_some_and(|token| &text[token.bytes.clone()] != ";") {
            at += 1;
        }
        at += 1;
        end = tokens.get(at - 1).map_or(text.len(), |token| token.bytes.end);
    }
    end
}
