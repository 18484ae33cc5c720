//! SARIF 2.1.0, the static analysis results interchange format of OASIS.

use planish_ir::diagnostic::{CODES, Code, Diagnostic, Fix, Severity};
use planish_ir::source::{SourceMap, Span};
use serde_json::{Value, json};

/// The results of one run of the compiler.
///
/// # Example
/// ```
/// use planish::{Compiler, render::SarifLog};
/// let mut compiler = Compiler::default();
/// let found = compiler.compile("a.frag", "void main() { x = 1.0; }").diagnostics;
/// let mut log = SarifLog::default();
/// log.add(&found[0], &compiler.map);
/// assert!(log.finish().contains("\"ruleId\": \"E0301\""));
/// ```
#[derive(Clone, Default, Debug)]
pub struct SarifLog {
    results: Vec<Value>,
    /// Codes that the results have.
    codes: Vec<Code>,
    notifications: Vec<Value>,
}

impl SarifLog {
    /// Appends a diagnostic.
    pub fn add(&mut self, diagnostic: &Diagnostic, map: &SourceMap) {
        let rule = self.codes.iter().position(|code| *code == diagnostic.code).unwrap_or_else(|| {
            self.codes.push(diagnostic.code);
            self.codes.len() - 1
        });
        let level = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "note",
        };
        let more = [&diagnostic.notes, &diagnostic.help].into_iter().flatten();
        let text: Vec<&str> = [&diagnostic.message].into_iter().chain(more).map(String::as_str).collect();
        let mut result = json!({
            "ruleId": diagnostic.code.0,
            "ruleIndex": rule,
            "level": level,
            "message": { "text": text.join("\n") },
        });
        if let Some(mut location) = location(diagnostic.span, map) {
            if !diagnostic.label.is_empty() {
                location["message"] = json!({ "text": diagnostic.label });
            }
            result["locations"] = json!([location]);
        }
        let related = diagnostic.labels.iter().filter_map(|label| {
            let mut location = location(label.span, map)?;
            location["message"] = json!({ "text": label.text });
            Some(location)
        });
        let related: Vec<Value> = related.collect();
        if !related.is_empty() {
            result["relatedLocations"] = related.into();
        }
        if let Some(fix) = diagnostic.fix.as_ref().and_then(|fix| change(fix, map)) {
            result["fixes"] = json!([{ "artifactChanges": [fix] }]);
        }
        self.results.push(result);
    }

    /// Appends what is wrong but in no program, such as a file that cannot be read.
    pub fn notify(&mut self, message: &str) {
        self.notifications.push(json!({ "level": "error", "message": { "text": message } }));
    }

    /// Appends the results of another log.
    pub fn append(&mut self, other: SarifLog) {
        for mut result in other.results {
            let code = result["ruleIndex"].as_u64().and_then(|index| other.codes.get(index as usize)).copied();
            if let Some(code) = code {
                let rule = self.codes.iter().position(|known| *known == code).unwrap_or_else(|| {
                    self.codes.push(code);
                    self.codes.len() - 1
                });
                result["ruleIndex"] = rule.into();
            }
            self.results.push(result);
        }
        self.notifications.extend(other.notifications);
    }

    /// The document, indented, and a line break.
    pub fn finish(&self) -> String {
        let rule = |code: &Code| {
            let info = CODES.iter().find(|info| info.code == *code);
            let mut rule =
                json!({ "id": code.0, "shortDescription": { "text": info.map_or(code.0, |info| info.title) } });
            if let Some(info) = info.filter(|info| !info.name.is_empty()) {
                rule["name"] = info.name.into();
            }
            if let Some(page) = crate::explain(code.0) {
                rule["help"] = json!({ "text": page, "markdown": page });
            }
            rule
        };
        let mut run = json!({
            "tool": { "driver": {
                "name": "planish",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": self.codes.iter().map(rule).collect::<Vec<_>>(),
            } },
            "columnKind": "utf16CodeUnits",
            "results": self.results,
        });
        if !self.notifications.is_empty() {
            run["invocations"] =
                json!([{ "executionSuccessful": false, "toolExecutionNotifications": self.notifications }]);
        }
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [run],
        });
        format!("{log:#}\n")
    }
}

/// A location: lines and columns from 1, or the byte in a binary file. `None` outside of files.
fn location(span: Span, map: &SourceMap) -> Option<Value> {
    let file = map.file_at(span.start).filter(|_| !span.is_none())?;
    let (name, region) = match region(span, map) {
        Some(found) => found,
        None => {
            let offset = span.start - file.start;
            (file.name.to_string(), json!({ "byteOffset": offset, "byteLength": span.end.saturating_sub(span.start) }))
        }
    };
    Some(json!({ "physicalLocation": { "artifactLocation": { "uri": uri(&name) }, "region": region } }))
}

/// The file and the region of a span in a text.
fn region(span: Span, map: &SourceMap) -> Option<(String, Value)> {
    let (start, end) = (map.place_at(span.start)?, map.place_at(span.end)?);
    let mut region = json!({ "startLine": start.at.line.max(1), "startColumn": start.at.utf16 + 1 });
    if end.file == start.file && end.at.line >= start.at.line {
        region["endLine"] = end.at.line.max(1).into();
        region["endColumn"] = (end.at.utf16 + 1).into();
    }
    Some((start.file.to_string(), region))
}

fn change(fix: &Fix, map: &SourceMap) -> Option<Value> {
    let (name, region) = region(fix.span, map)?;
    Some(json!({
        "artifactLocation": { "uri": uri(&name) },
        "replacements": [{ "deletedRegion": region, "insertedContent": { "text": fix.replacement } }],
    }))
}

/// A path as a relative reference or a `file` URI, with all that these reserve in percent.
fn uri(path: &str) -> String {
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(byte.into()),
            b'\\' if cfg!(windows) => text.push('/'),
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}
