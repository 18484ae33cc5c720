//! Several errors of one text: naga stops at the first, so the function that has it gets a body without one, and the text is read again.

use std::ops::Range;

use planish_ir::diagnostic::Diagnostic;

use crate::ReadResult;
use crate::compose::{Part, Text, parts, tokens};

/// Greatest number of times that a text is read again.
const ROUNDS: usize = 20;

/// The result of `read`, with the errors of other functions if there is one. Errors outside of the bodies of functions end it, since what
/// they cause is not known.
pub(crate) fn read_with_all_errors(source: &Text, mut read: impl FnMut(&str) -> ReadResult) -> ReadResult {
    let mut found = match read(&source.text) {
        Ok(result) => return Ok(result),
        Err(errors) => errors,
    };
    let mut bodies = bodies(&source.text);
    let mut text = source.text.as_bytes().to_vec();
    let mut all: Vec<Diagnostic> = vec![];
    for _ in 0..ROUNDS {
        let mut goes_on = true;
        let emptied_before =
            |bodies: &[Body], at| bodies.iter().any(|body| body.is_empty && body.whole().contains(&at));
        let places: Vec<Option<usize>> =
            found.iter().map(|error| source.offset_of(error.span.start).filter(|_| !error.span.is_none())).collect();
        // An error of an empty body is due to something else, and may have been told.
        let is_new = |at: &Option<usize>| !at.is_some_and(|at| emptied_before(&bodies, at));
        let new: Vec<bool> = places.iter().map(is_new).collect();
        for ((error, at), is_new) in found.drain(..).zip(places).zip(new) {
            if error.is_error() {
                goes_on &= is_new && at.is_some_and(|at| empty(&mut text, &mut bodies, at));
            }
            if is_new && !all.contains(&error) {
                all.push(error);
            }
        }
        let Some(text) = std::str::from_utf8(&text).ok().filter(|_| goes_on) else { break };
        match read(text) {
            Ok(_) => break,
            Err(errors) => found = errors,
        }
    }
    all.sort_by_key(|error| (error.span.is_none(), error.span.start));
    Err(all)
}

/// The body of a function, with its braces, and the type of its result.
#[derive(PartialEq, Eq, Debug)]
struct Body {
    /// The whole function starts here: some errors are about all of it.
    start: usize,
    bytes: Range<usize>,
    result: Option<String>,
    is_empty: bool,
}

impl Body {
    fn whole(&self) -> Range<usize> {
        self.start..self.bytes.end
    }
}

/// Gives the function around a place a body that is right for its type. Whether there is one, and it has room for that.
///
/// All bytes of the text stay where they are. A zero of the result's type is a constant after its end, with a short name that the text
/// has not.
fn empty(text: &mut Vec<u8>, bodies: &mut [Body], at: usize) -> bool {
    let Some(body) = bodies.iter_mut().find(|body| body.whole().contains(&at)) else { return false };
    if body.is_empty {
        // A second error of it.
        return true;
    }
    let (mut statement, mut constant) = (String::new(), String::new());
    if let Some(result) = &body.result {
        let has = |name: &str| text.windows(name.len()).any(|part| part == name.as_bytes());
        let Some(name) = ('\u{531}'..='\u{556}').map(String::from).find(|name| !has(name)) else { return false };
        statement = format!("return {name};");
        constant = format!("\nconst {name} = {result}();");
    }
    let inner = body.bytes.start + 1..body.bytes.end - 1;
    if statement.len() > inner.len() {
        return false;
    }
    body.is_empty = true;
    text[inner.clone()].iter_mut().for_each(|byte| *byte = if *byte == b'\n' { b'\n' } else { b' ' });
    text[inner.start..inner.start + statement.len()].copy_from_slice(statement.as_bytes());
    text.extend(constant.bytes());
    true
}

/// The bodies of all functions, by their brackets alone.
fn bodies(text: &str) -> Vec<Body> {
    let tokens = tokens(text);
    let word = |at: usize| &text[tokens[at].bytes.clone()];
    let body = |part: Part| {
        let (mut start, mut result, mut depth) = (None, None, 0usize);
        for at in part.tokens.clone() {
            let bytes = &tokens[at].bytes;
            match word(at) {
                "fn" if depth == 0 => start = Some(bytes.start),
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                ">" if depth == 0 && result.is_none() && at > 0 && word(at - 1) == "-" => result = Some(bytes.end),
                "{" if depth == 0 => {
                    let last = part.tokens.end - 1;
                    let result = result.map(|from| without_attributes(&text[from..bytes.start]).to_owned());
                    let bytes = bytes.start..tokens[last].bytes.end;
                    return start.filter(|_| word(last) == "}").map(|start| Body {
                        start,
                        bytes,
                        result,
                        is_empty: false,
                    });
                }
                _ => {}
            }
        }
        None
    };
    parts(text, &tokens).into_iter().filter_map(body).collect()
}

/// A type without `@location(0)` and the like before it.
fn without_attributes(ty: &str) -> &str {
    let mut rest = ty.trim();
    while let Some(attribute) = rest.strip_prefix('@') {
        let name = attribute.trim_start().trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim_start();
        let arguments = name.strip_prefix('(').and_then(|arguments| arguments.split_once(')'));
        rest = arguments.map_or(name, |(_, rest)| rest).trim_start();
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::{bodies, empty, without_attributes};

    #[test]
    fn bodies_of_functions_are_found_and_emptied() {
        let text = "const a = array(1, 2); // fn no() {}\nstruct S { x: f32 }\n@fragment fn f(a: array<f32, 2>) -> @location(0) @interpolate(flat) vec4<u32> {\n  if x { y(); }\n}\n\
                    fn g() { /* } */ let s = S(1.0); }\nfn of(fn_: i32) -> i32 { return 1; }\n";
        let mut found = bodies(text);
        let parts: Vec<_> = found.iter().map(|body| (&text[body.bytes.clone()], body.result.as_deref())).collect();
        let expected =
            [("{\n  if x { y(); }\n}", None), ("{ /* } */ let s = S(1.0); }", None), ("{ return 1; }", Some("i32"))];
        assert_eq!(parts[1..], expected[1..]);
        assert_eq!(parts[0], (expected[0].0, Some("vec4<u32>")));
        let mut emptied = text.as_bytes().to_vec();
        assert!(!empty(&mut emptied, &mut found, 3), "not in a function");
        assert!(empty(&mut emptied, &mut found, text.find("y()").unwrap()));
        assert!(empty(&mut emptied, &mut found, text.find("S(1").unwrap()));
        assert!(empty(&mut emptied, &mut found, text.find("1; }").unwrap()));
        let emptied = String::from_utf8(emptied).unwrap();
        assert!(emptied.contains("vec4<u32> {return \u{531};"), "{emptied}");
        assert!(emptied.contains("fn g() {                         }"), "{emptied}");
        assert!(emptied.ends_with("}\n\nconst \u{531} = vec4<u32>();\nconst \u{532} = i32();"), "{emptied}");
        assert_eq!(emptied.find("fn of"), text.find("fn of"));
    }

    #[test]
    fn attributes_of_results_go() {
        assert_eq!(without_attributes(" @builtin(position) @invariant vec4f "), "vec4f");
        assert_eq!(without_attributes("array<vec2<f32>, 3>"), "array<vec2<f32>, 3>");
        assert_eq!(without_attributes("@ location ( 0 ) f32"), "f32");
    }
}
