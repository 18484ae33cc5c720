//! Comments of declarations, from the source into the module.

use std::collections::HashMap;
use std::sync::Arc;

use planish_ir::comments::Comments;
use planish_ir::module::{Language, Module};
use planish_ir::source::{SourceFile, SourceMap, Span};
use planish_ir::types::AddressSpace;

/// Keeps the comments of declarations, above them or behind them on their line: targets that write a programming language repeat them
/// unless the output is minified.
///
/// Functions, variables of module scope, structs and their members have comments if the source is GLSL, WGSL or VL. What an
/// optimizer removes takes its comment along.
///
/// # Example
/// ```
/// use planish::{Compiler, EmitOptions, Target, emit, keep_comments};
/// let source = "precision highp float;\n// Seconds since the start.\nuniform float time;\nvoid main() { gl_FragColor = vec4(time); }";
/// let mut compiler = Compiler::default();
/// let mut module = compiler.compile("a.frag", source).module.unwrap();
/// keep_comments(&mut module, &compiler.map);
/// let text = emit(&module, Target::Wgsl, &EmitOptions::default()).unwrap().bytes;
/// assert!(String::from_utf8(text).unwrap().contains("    // Seconds since the start.\n"));
/// ```
pub fn keep_comments(module: &mut Module, map: &SourceMap) {
    let mut comments = Comments::default();
    let marker = match module.language {
        Language::Glsl { .. } | Language::Wgsl => "//",
        Language::Vl => ";",
        _ => return,
    };
    let heads: Vec<HashMap<&str, usize>> = match module.language {
        Language::Wgsl => map.files().iter().map(heads).collect(),
        _ => vec![],
    };
    for function in module.funcs.values() {
        let Some((file, mut at)) = place(map, function.span) else { continue };
        // Entry points of WGSL have the place of their first statement.
        at = heads.iter().find_map(|heads| heads.get(&*function.name.text).copied()).unwrap_or(at);
        comments.add(function.span, &above(&file.text, at, marker));
    }
    for &var in &module.globals {
        let data = &module.vars[var];
        let Some((file, at)) = place(map, data.span) else { continue };
        let comment = around(&file.text, at, marker);
        if data.space == AddressSpace::Uniform {
            comments.add_member(planish_interface::GATHERED, &data.name.text, &comment);
        }
        comments.add(data.span, &comment);
    }
    if marker == "//" {
        map.files().iter().filter(|file| file.has_text()).for_each(|file| structs(&file.text, &mut comments));
    }
    module.comments = Some(Arc::new(comments));
}

/// The file of a declaration, and its offset there.
fn place(map: &SourceMap, span: Span) -> Option<(&SourceFile, usize)> {
    let file = map.file_at(span.start).filter(|file| file.has_text() && !span.is_none())?;
    Some((file, (span.start - file.start) as usize))
}

/// The offsets of the functions in a text in WGSL, which is one file.
fn heads(file: &SourceFile) -> HashMap<&str, usize> {
    let tokens = if file.has_text() { tokens(&file.text) } else { vec![] };
    tokens.windows(2).filter(|pair| pair[0].1 == "fn").map(|pair| (pair[1].1, pair[0].0)).collect()
}

/// The comment above a line, and what stands behind the declaration.
fn around(text: &str, at: usize, marker: &str) -> Vec<String> {
    let mut lines = above(text, at, marker);
    lines.extend(behind(text, at, marker));
    lines
}

/// Comments that end on the line before, and have lines of their own.
fn above(text: &str, at: usize, marker: &str) -> Vec<String> {
    let Some(begin) = text.get(..at).map(|before| before.rfind('\n').map_or(0, |n| n + 1)) else { return vec![] };
    let mut before = &text[..begin];
    let mut lines = Vec::new();
    while let Some(rest) = before.strip_suffix('\n') {
        let start = rest.rfind('\n').map_or(0, |n| n + 1);
        let line = rest[start..].trim();
        if line.starts_with(marker) {
            lines.push(bare(line, marker));
            before = &rest[..start];
        } else if marker == "//" && line.ends_with("*/") {
            let Some(open) = rest.rfind("/*") else { break };
            let first = rest[..open].rfind('\n').map_or(0, |n| n + 1);
            if !rest[first..open].trim().is_empty() {
                break;
            }
            lines.extend(block(&rest[open..]).into_iter().rev());
            before = &rest[..first];
        } else if lines.is_empty() && is_part(line, marker) {
            before = &rest[..start];
        } else {
            break;
        }
    }
    lines.reverse();
    lines
}

/// Whether a line above a declaration is a part of it: attributes, a layout.
fn is_part(line: &str, marker: &str) -> bool {
    let has_code_only = !line.contains("//") && !line.contains("/*") && !line.contains([';', '{', '}']);
    marker == "//" && has_code_only && (line.starts_with('@') || line.starts_with("layout") && line.ends_with(')'))
}

/// A comment on the line of a declaration, behind it.
fn behind(text: &str, at: usize, marker: &str) -> Vec<String> {
    let line = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let to_the_end = line.find(marker);
    let enclosed = line.find("/*").filter(|_| marker == "//");
    match (to_the_end, enclosed) {
        (Some(n), other) if other.is_none_or(|m| n < m) => vec![bare(&line[n..], marker)],
        (_, Some(m)) => line[m..].find("*/").map(|n| block(&line[m..m + n + 2])).unwrap_or_default(),
        _ => vec![],
    }
}

/// The text of a comment to the end of the line.
fn bare(line: &str, marker: &str) -> String {
    let text = line.trim_start_matches(marker.chars().next().unwrap_or(' '));
    let text = text.strip_prefix('!').filter(|_| marker == "//").unwrap_or(text);
    text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned()
}

/// The lines of a comment in `/*` and `*/`, without the stars at their beginnings.
fn block(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('/').trim_start_matches(['*', '!']);
    let inner = inner.strip_suffix('/').unwrap_or(inner).trim_end_matches('*');
    let line = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix('*').unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
    };
    let lines: Vec<String> = inner.lines().map(line).collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(lines.len());
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(first, |n| n + 1);
    lines[first..last].to_vec()
}

/// A word or a character that is none, with its offset.
type Token<'t> = (usize, &'t str);

/// The tokens of a text, without comments and directives.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut begins_line) = (0, true);
    let skip_to = |at: usize, end: &str| text[at..].find(end).map_or(text.len(), |n| at + n);
    while at < bytes.len() {
        let rest = &text[at..];
        let begin = at;
        if rest.starts_with("//") || begins_line && rest.starts_with('#') {
            at = skip_to(at, "\n");
            continue;
        }
        if rest.starts_with("/*") {
            at = (skip_to(at + 2, "*/") + 2).min(text.len());
            continue;
        }
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let c = rest.chars().next().unwrap_or(' ');
        if is_word(&bytes[at]) {
            at += bytes[at..].iter().take_while(|b| is_word(b)).count();
        } else {
            at += c.len_utf8();
        }
        if !c.is_whitespace() {
            tokens.push((begin, &text[begin..at]));
        }
        begins_line = c == '\n' || begins_line && c.is_whitespace();
    }
    tokens
}

/// Adds the comments of the structs and blocks of a text, and of their members.
fn structs(text: &str, comments: &mut Comments) {
    let tokens = tokens(text);
    let is_word = |token: &str| token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    for i in 2..tokens.len() {
        let (before, (at, name)) = (tokens[i - 2].1, tokens[i - 1]);
        let is_open = tokens[i].1 == "{" && is_word(name);
        if !is_open || !matches!(before, "struct" | "uniform" | "buffer" | "in" | "out" | "readonly" | "writeonly") {
            continue;
        }
        comments.add_struct(name, &above(text, at, "//"));
        let members = &tokens[i + 1..];
        let members = &members[..members.iter().position(|token| token.1 == "}").unwrap_or(members.len())];
        for member in members.split(|token| token.1 == ";") {
            // In WGSL a name is before its type, and a comma ends a member.
            let colons = (1..member.len()).filter(|&n| member[n].1 == ":" && is_word(member[n - 1].1));
            let mut names: Vec<Token<'_>> = colons.map(|n| member[n - 1]).collect();
            if names.is_empty() {
                let in_brackets = member.iter().scan(0, |depth: &mut i32, token| {
                    *depth += i32::from(token.1 == "[") - i32::from(token.1 == "]");
                    Some(*depth > 0)
                });
                let outside = member.iter().zip(in_brackets).filter(|(token, inside)| !inside && is_word(token.1));
                names.extend(outside.last().map(|(&token, _)| token));
            }
            for (at, member) in names {
                comments.add_member(name, member, &around(text, at, "//"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_above_or_behind() {
        let text = "// of another\n\n/// One,\n/* two,\n * three. */\nuniform float a; // four\nfloat b; /* five */ float c;\n";
        let at = |name: &str| text.find(name).expect("it is there");
        assert_eq!(around(text, at("a; "), "//"), ["One,", "two,", "three.", "four"]);
        assert_eq!(around(text, at("b; "), "//"), ["five"]);
        assert_eq!(around(text, at("c;"), "//"), Vec::<String>::new());
        assert_eq!(around("f ; x\r\n", 0, ";"), ["x"]);
    }

    #[test]
    fn structs_and_members_have_comments() {
        let glsl = "/*\n  A lamp.\n\n  Of any kind.\n*/\nstruct Lamp {\n  vec3 at[2]; // m\n  // cd\n  float power;\n};\nvoid f() { }";
        let wgsl = "// Of rows\nstruct Rows { // all\n    // first\n    @size(16) a: vec2<f32>, b: array<f32, 2>, // second\n}\n";
        let mut comments = Comments::default();
        structs(glsl, &mut comments);
        structs(wgsl, &mut comments);
        assert_eq!(comments.of_struct("Lamp"), ["A lamp.", "", "Of any kind."]);
        assert_eq!(
            (comments.of_member("Lamp", "at"), comments.of_member("Lamp", "power")),
            (&["m".into()][..], &["cd".into()][..])
        );
        assert_eq!(comments.of_struct("Rows"), ["Of rows"]);
        assert_eq!(comments.of_member("Rows", "a"), ["first", "second"]);
    }
}
