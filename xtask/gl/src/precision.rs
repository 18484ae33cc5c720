//! Full precision for every value. llvmpipe computes `mediump` and `lowp` values in 16 bits on processors that can, and
//! the defaults of fragment shaders make integers `mediump` and samplers `lowp`: such a picture is valid, but coarse.

/// The same GLSL ES source with everything `highp`, for comparison with an engine that computes everything in 32 bits.
/// Lines keep their numbers. Desktop sources, where precision means nothing, are returned as they are.
///
/// ```
/// let source = "#version 100\nprecision mediump float;\nvoid main() {}";
/// assert!(planish_gl::in_full_precision(source).contains("precision highp float;\n"));
/// ```
pub fn in_full_precision(source: &str) -> String {
    let version = source.lines().map(str::trim).find(|line| line.starts_with("#version")).unwrap_or("#version 100");
    let old = version.ends_with("100");
    if !old && !version.ends_with("es") {
        return source.to_string();
    }
    let newer = "precision highp sampler3D; precision highp sampler2DArray; ";
    let defaults =
        "precision highp float; precision highp int; precision highp sampler2D; precision highp samplerCube; ";
    let defaults = if old { defaults.to_string() } else { format!("{defaults}{newer}") };
    let place = place_for_defaults(source);
    let mut result = String::with_capacity(source.len() + defaults.len());
    for (i, line) in source.lines().enumerate() {
        if i == place {
            result += &defaults;
        }
        result += &raise(line);
        result.push('\n');
    }
    result
}

/// The line to insert `precision` statements before: after all directives that must come first, outside of `#if`s, not
/// within a directive.
fn place_for_defaults(source: &str) -> usize {
    let is = |line: &str, name| line.strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with(name));
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let first = lines.iter().rposition(|line| is(line, "extension") || is(line, "version")).map_or(0, |i| i + 1);
    let mut depth = 0;
    let mut in_comment = false;
    for (i, line) in lines.iter().enumerate() {
        let continued = i > 0 && lines[i - 1].ends_with('\\');
        if i >= first && depth == 0 && !in_comment && !continued && !line.starts_with('#') {
            return i;
        }
        depth += i32::from(is(line, "if")) - i32::from(is(line, "endif"));
        in_comment = match (line.rfind("/*"), line.rfind("*/")) {
            (Some(open), Some(close)) => open > close,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => in_comment,
        };
    }
    lines.len()
}

/// Replaces the words `mediump` and `lowp` by `highp`.
fn raise(line: &str) -> String {
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        result += before;
        result += if word == "mediump" || word == "lowp" { "highp" } else { word };
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::in_full_precision;

    #[test]
    fn raises_words_and_nothing_else() {
        let source = "#version 300 es\nuniform mediump vec2 a_mediump; lowp int b;\n";
        let raised = in_full_precision(source);
        assert!(raised.ends_with("uniform highp vec2 a_mediump; highp int b;\n"), "{raised}");
        assert_eq!(raised.lines().count(), 2);
        let desktop = "#version 330 core\nmediump float a;";
        assert_eq!(in_full_precision(desktop), desktop);
    }

    #[test]
    fn waits_for_the_directives_that_come_first() {
        let source = "#version 100\n/* about\n*/\n#ifdef GL_OES_standard_derivatives\n#extension GL_OES_standard_derivatives : enable\n#define A \\\n 1\n#endif\nfloat a;";
        let raised = in_full_precision(source);
        let line = raised.lines().nth(8).unwrap();
        assert!(line.starts_with("precision highp float;") && line.ends_with("float a;"), "{raised}");
    }
}
