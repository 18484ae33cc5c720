//! Remarks of passes: as messages in the three forms, and as LLVM's optimization records for tools that read them.

use std::fmt::Write as _;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::SourceMap;
use planish_opt::{Remark, RemarkKind};
use serde_json::{Value, json};

use super::{MessageFormat, github, human, json::object, short};

/// A remark in a form. Ends with a line break.
pub fn remark(remark: &Remark, map: &SourceMap, format: MessageFormat, color: bool) -> String {
    let diagnostic = Diagnostic::remark(Code(remark.name), remark.span, &remark.message);
    let by = format!("{} by `{}` in `{}`", kind_name(remark.kind), remark.pass, remark.function);
    match format {
        MessageFormat::Human => human(&diagnostic.note(by), map, color),
        MessageFormat::Short => {
            let line = short(&diagnostic, map);
            format!("{} ({by})\n", line.trim_end())
        }
        MessageFormat::Github => github(&diagnostic.note(by), map),
        MessageFormat::Json => {
            let mut object = object(&diagnostic, map);
            object.insert("kind".into(), json!(kind_name(remark.kind)));
            object.insert("pass".into(), json!(remark.pass));
            object.insert("function".into(), json!(&*remark.function));
            format!("{}\n", Value::Object(object))
        }
    }
}

/// The kind's name in `--remarks=`.
pub fn kind_name(kind: RemarkKind) -> &'static str {
    match kind {
        RemarkKind::Passed => "passed",
        RemarkKind::Missed => "missed",
        RemarkKind::Limit => "limit",
    }
}

/// Remarks as a YAML stream of LLVM's optimization records: a document each, in the given order.
///
/// ```yaml
/// --- !Missed
/// Pass:            unroll_loops
/// Name:            NotUnrolled
/// DebugLoc:        { File: 'a.frag', Line: 3, Column: 5 }
/// Function:        'main'
/// Args:
///   - String:          'the loop has no constant number of rounds'
/// ...
/// ```
pub fn optimization_records(remarks: &[Remark], map: &SourceMap) -> String {
    let mut text = String::new();
    for remark in remarks {
        let tag = match remark.kind {
            RemarkKind::Passed => "Passed",
            RemarkKind::Missed => "Missed",
            RemarkKind::Limit => "Analysis",
        };
        let _ = writeln!(text, "--- !{tag}\nPass:            {}\nName:            {}", remark.pass, remark.name);
        let start = remark.span.start;
        let place = (!remark.span.is_none()).then(|| Some((map.file_at(start)?, map.line_column(start)?)));
        if let Some((file, at)) = place.flatten() {
            let (name, line, column) = (scalar(&file.name), at.line, at.column);
            let _ = writeln!(text, "DebugLoc:        {{ File: {name}, Line: {line}, Column: {column} }}");
        }
        let _ = writeln!(text, "Function:        {}", scalar(&remark.function));
        let _ = writeln!(text, "Args:\n  - String:          {}\n...", scalar(&remark.message));
    }
    text
}

/// A text as a quoted scalar of YAML; in double quotes only if single ones cannot express it.
fn scalar(text: &str) -> String {
    if !text.chars().any(char::is_control) {
        return format!("'{}'", text.replace('\'', "''"));
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use planish_ir::source::Span;

    fn sample() -> (Remark, SourceMap) {
        let mut map = SourceMap::new();
        let file = map.add("it's.frag", "void main() {\n    f();\n}\n").expect("is small");
        let span = Span::new(file.start + 18, file.start + 21);
        let (function, message) = ("main".into(), "`f` is\nlarge".to_owned());
        let remark =
            Remark { pass: "inline_calls", kind: RemarkKind::Missed, name: "NotInlined", function, span, message };
        (remark, map)
    }

    #[test]
    fn the_forms_of_a_remark() {
        let (mut sample, map) = sample();
        let records = optimization_records(std::slice::from_ref(&sample), &map);
        let wanted = "--- !Missed\nPass:            inline_calls\nName:            NotInlined\n\
            DebugLoc:        { File: 'it''s.frag', Line: 2, Column: 5 }\nFunction:        'main'\n\
            Args:\n  - String:          \"`f` is\\nlarge\"\n...\n";
        assert_eq!(records, wanted);
        sample.message = "`f` is large".into();
        let line = remark(&sample, &map, MessageFormat::Short, false);
        assert_eq!(line, "it's.frag:2:5: remark[NotInlined]: `f` is large (missed by `inline_calls` in `main`)\n");
        let text = remark(&sample, &map, MessageFormat::Human, false);
        assert!(text.starts_with("remark[NotInlined]: `f` is large\n"), "{text}");
        assert!(text.contains("2 |     f();\n  |     ^^^\n"), "{text}");
        let line = remark(&sample, &map, MessageFormat::Json, false);
        for part in ["\"kind\":\"missed\"", "\"pass\":\"inline_calls\"", "\"severity\":\"remark\"", "\"line\":1"] {
            assert!(line.contains(part), "{part} is not in {line}");
        }
        sample.span = Span::NONE;
        assert!(!optimization_records(&[sample], &map).contains("DebugLoc"));
    }
}
