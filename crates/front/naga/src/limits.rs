//! Limits that keep naga's recursive reader on a small stack: nesting of brackets, blocks and operators.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;
use planish_ir::types::MAX_TYPE_NESTING;

use crate::compose::Text;

/// Brackets, braces and template lists around a place in WGSL.
pub(crate) const NESTING: usize = 200;

/// Maximum number of operators and selectors in one expression or type of WGSL.
pub(crate) const OPERATORS: usize = 2_000;

/// Maximum length of a chain of `else if` in WGSL: each `if` is nested in the one before.
pub(crate) const RUNGS: usize = 300;

/// Maximum size of a variable of the address space `immediate` in WGSL, in bytes.
const MOST_IMMEDIATES: u32 = 256;

/// Depth of declarations for which any thread's stack suffices.
const MOST_DECLARED: usize = 500;

fn too_deep(span: Span, message: String) -> Diagnostic {
    Diagnostic::error(Code::E0707, span, message)
}

/// Refuses WGSL that nests too deep, in one pass over its bytes.
pub(crate) fn check_wgsl(source: &Text) -> Result<(), Box<Diagnostic>> {
    let text = source.text.as_bytes();
    let (mut at, mut depth, mut operators) = (0, 0usize, 0usize);
    let mut types = 0;
    // Lengths of the enclosing `else if` chains, and their values at each open brace.
    let (mut ladders, mut rungs): (Vec<usize>, usize) = (vec![], 0);
    while at < text.len() {
        match text[at] {
            b'/' if text.get(at + 1) == Some(&b'/') => at = line_end(text, at),
            b'/' if text.get(at + 1) == Some(&b'*') => {
                at = comment_end(text, at);
                continue;
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                operators = if text[at] == b'{' { 0 } else { operators + 1 };
                if text[at] == b'{' {
                    ladders.push(rungs);
                }
                if depth > NESTING {
                    return Err(Box::new(too_deep(
                        source.span(at..at + 1),
                        format!("brackets nest deeper than {NESTING}"),
                    )));
                }
            }
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if text[at] == b'}' {
                    operators = 0;
                    let opened = ladders.pop().unwrap_or(0);
                    let around = ladders.last().copied().unwrap_or(0);
                    rungs = ladder_goes_on(text, at + 1).map_or(around, |rung| opened + usize::from(rung));
                    if rungs > RUNGS {
                        let help = "a `switch`, or a function that returns in each case, has no such limit";
                        let message = format!("more than {RUNGS} times `else if`");
                        return Err(Box::new(too_deep(source.span(at..at + 1), message).help(help)));
                    }
                }
            }
            b';' => (operators, types) = (0, 0),
            b'<' if opens_type(&text[..at]) => {
                types += 1;
                if types > MAX_TYPE_NESTING {
                    let message = format!("types are nested more than {MAX_TYPE_NESTING} levels deep here");
                    return Err(Box::new(too_deep(source.span(at..at + 1), message)));
                }
            }
            b'>' if types > 0 => types -= 1,
            b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^' | b'!' | b'~' | b'<' | b'>' | b'.' => {
                operators += 1;
                if operators > OPERATORS {
                    let message = format!("more than {OPERATORS} operators in one statement");
                    let help = "put parts of it into variables of their own";
                    return Err(Box::new(too_deep(source.span(at..at + 1), message).help(help)));
                }
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Parses with enough stack for chains of declarations that use later ones: naga's parser recurses over them.
pub(crate) fn parse_wgsl(text: &str) -> Result<naga::Module, naga::front::wgsl::ParseError> {
    let declares = |word: &&str| matches!(*word, "fn" | "struct" | "const" | "alias" | "override" | "var");
    let count = text.split(|c: char| !c.is_alphanumeric()).filter(declares).count();
    if count <= MOST_DECLARED {
        return naga::front::wgsl::parse_str(text);
    }
    planish_ir::stack::with_stack((1 << 20) + count * 1024, || naga::front::wgsl::parse_str(text))
}

/// Converts the error for naga's own recursion limits, an internal error without a place, to one at the deepest bracket
/// (template lists included).
pub(crate) fn locate_recursion_error(error: Diagnostic, source: &Text) -> Diagnostic {
    if !error.span.is_none() || !error.notes.iter().any(|note| note.contains("recursion limit")) {
        return error;
    }
    let (mut depth, mut deepest, mut place) = (0usize, 0, 0);
    for (at, byte) in source.text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > deepest {
            (deepest, place) = (depth, at);
        }
    }
    too_deep(source.span(place..place + 1), "this is nested deeper than the reader of WGSL goes".into())
}

/// Refuses types that nest too deep: naga's validator recurses into them.
pub(crate) fn check_types(module: &naga::Module, source: crate::report::Source<'_>) -> Result<(), Box<Diagnostic>> {
    use naga::TypeInner::{Array, BindingArray, Pointer, Struct};
    let mut levels: Vec<u32> = Vec::with_capacity(module.types.len());
    for (handle, ty) in module.types.iter() {
        let nesting_of = |ty: naga::Handle<naga::Type>| levels.get(ty.index()).map_or(0, |n| n + 1);
        let nesting = match &ty.inner {
            Array { base, .. } | BindingArray { base, .. } | Pointer { base, .. } => nesting_of(*base),
            Struct { members, .. } => members.iter().map(|m| nesting_of(m.ty)).max().unwrap_or(0),
            _ => 0,
        };
        if nesting > MAX_TYPE_NESTING {
            let message = format!("types are nested more than {MAX_TYPE_NESTING} levels deep here");
            return Err(Box::new(too_deep(source.span(module.types.get_span(handle)), message)));
        }
        levels.push(nesting);
    }
    check_immediates(module, source)
}

/// Refuses more push constants than naga's validator can count.
fn check_immediates(module: &naga::Module, source: crate::report::Source<'_>) -> Result<(), Box<Diagnostic>> {
    for (handle, variable) in module.global_variables.iter() {
        let is_immediate = variable.space == naga::AddressSpace::Immediate;
        let size = if is_immediate { module.types[variable.ty].inner.size(module.to_ctx()) } else { 0 };
        if size > MOST_IMMEDIATES {
            let message = format!("the variable has {size} bytes, more than the {MOST_IMMEDIATES} of `immediate`");
            return Err(Box::new(too_deep(source.span(module.global_variables.get_span(handle)), message)));
        }
    }
    Ok(())
}

/// Whether the text before `<` is the name of a type with a type parameter.
fn opens_type(before: &[u8]) -> bool {
    ["array", "ptr", "binding_array"].iter().any(|word| before.trim_ascii_end().ends_with(word.as_bytes()))
}

/// Whether `else` follows, and if so, whether `if` follows that.
fn ladder_goes_on(text: &[u8], at: usize) -> Option<bool> {
    let rest = text[blank_end(text, at)..].strip_prefix(b"else")?;
    let at = text.len() - rest.len();
    Some(text[blank_end(text, at)..].starts_with(b"if"))
}

/// The end of the spaces and comments that begin here.
fn blank_end(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < text.len() {
        at = match (text[at], text.get(at + 1)) {
            (b'/', Some(b'/')) => line_end(text, at),
            (b'/', Some(b'*')) => comment_end(text, at),
            (byte, _) if byte.is_ascii_whitespace() => at + 1,
            _ => break,
        };
    }
    at
}

pub(crate) fn line_end(text: &[u8], from: usize) -> usize {
    text[from..].iter().position(|b| *b == b'\n').map_or(text.len(), |n| from + n)
}

/// WGSL's block comments nest.
pub(crate) fn comment_end(text: &[u8], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0usize);
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'/', Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (b'*', Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}
