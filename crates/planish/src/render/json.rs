//! The form for tools: one JSON object a line. Positions count lines from 0 and UTF-16 code units, as in the language
//! server protocol.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::source::{SourceMap, Span};
use serde_json::{Map, Value, json};

use super::severity_name;

/// Number of the object's layout; it grows with every incompatible change.
pub const JSON_SCHEMA: u32 = 1;

/// One JSON object and a line break.
pub fn json(diagnostic: &Diagnostic, map: &SourceMap) -> String {
    format!("{}\n", Value::Object(object(diagnostic, map)))
}

/// The object of a diagnostic.
pub(super) fn object(diagnostic: &Diagnostic, map: &SourceMap) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("schema".into(), json!(JSON_SCHEMA));
    object.insert("severity".into(), json!(severity_name(diagnostic.severity)));
    object.insert("code".into(), json!(diagnostic.code.0));
    object.insert("message".into(), json!(diagnostic.message));
    place(&mut object, diagnostic.span, map);
    object.insert("label".into(), json!(diagnostic.label));
    let related = diagnostic.labels.iter().map(|label| {
        let mut object = Map::new();
        place(&mut object, label.span, map);
        object.insert("message".into(), json!(label.text));
        Value::Object(object)
    });
    object.insert("related".into(), related.collect());
    object.insert("notes".into(), json!(diagnostic.notes));
    object.insert("help".into(), json!(diagnostic.help));
    if let Some(fix) = &diagnostic.fix {
        let mut edit = Map::new();
        place(&mut edit, fix.span, map);
        edit.insert("newText".into(), json!(fix.replacement));
        object.insert("fix".into(), Value::Object(edit));
    }
    object
}

/// Adds `file` and `range`, in a binary file `file`, `offset` and `place` (the offset and the enclosing function, for
/// people); nothing for a span outside of files.
fn place(object: &mut Map<String, Value>, span: Span, map: &SourceMap) {
    if span.is_none() {
        return;
    }
    if let Some(file) = map.file_at(span.start)
        && let Some(place) = file.binary_place(span.start)
    {
        object.insert("file".into(), json!(&*file.name));
        object.insert("offset".into(), json!(span.start - file.start));
        object.insert("place".into(), json!(place));
        return;
    }
    let Some((start, end)) = map.ends_of(span) else { return };
    object.insert("file".into(), json!(&*start.file));
    let (start, end) = (start.at, end.at);
    object.insert(
        "range".into(),
        json!({
            "start": { "line": start.line.saturating_sub(1), "character": start.utf16 },
            "end": { "line": end.line.saturating_sub(1), "character": end.utf16 },
        }),
    );
}
