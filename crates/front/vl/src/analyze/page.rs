//! The analysis as a page that steps through it: bindings in the order in which they were found, with their results.

use std::fmt::Write as _;

use planish_ir::source::{SourceFile, Span};

use super::{Analysis, BindingId, Printer};

const PAGE: &str = include_str!("page.html");

impl Analysis<'_> {
    /// A page that needs nothing else.
    pub(crate) fn page(&self, file: &SourceFile) -> String {
        let printer = Printer::new(self);
        // Bindings evaluated only with intermediate values are not part of the result.
        let mut is_needed = vec![false; self.bindings.len()];
        self.needed().iter().for_each(|id| is_needed[id.0 as usize] = true);
        let events = self.events.iter().filter(|(id, _)| is_needed[id.0 as usize]);
        let events: Vec<String> =
            events.map(|&(id, value)| format!("[{},{}]", id.0, quoted(&printer.numbered(value)))).collect();
        let mut bindings = Vec::new();
        for (index, &is_needed) in is_needed.iter().enumerate() {
            bindings.push(match is_needed {
                true => self.entry_data(&printer, BindingId(index as u32), file),
                false => "0".into(),
            });
        }
        let legend: Vec<String> = printer.legend().iter().map(|line| quoted(line)).collect();
        let data = format!(
            "{{\"source\":{},\"events\":[{}],\"bindings\":[{}],\"where\":[{}]}}",
            quoted(&file.text),
            events.join(","),
            bindings.join(","),
            legend.join(",")
        );
        PAGE.replace("@NAME@", &escaped(&file.name)).replace("@DATA@", &data)
    }

    fn entry_data(&self, printer: &Printer<'_, '_>, id: BindingId, file: &SourceFile) -> String {
        let lambda = self.binding(id).procedure.map(|(lambda, _)| self.core.lambda(lambda));
        let span =
            lambda.map(|lambda| lambda.span).filter(|span| file.span().start <= span.start && span.end <= file.end());
        format!(
            "{{\"text\":{},\"library\":{},\"span\":{}}}",
            quoted(&printer.application(id)),
            lambda.is_some_and(|lambda| lambda.in_library),
            span.map_or_else(|| "null".into(), |span| units(file, span))
        )
    }
}

/// A place as a range of UTF-16 units, as browsers count.
fn units(file: &SourceFile, span: Span) -> String {
    let count = |offset: u32| file.text[..(offset - file.start) as usize].encode_utf16().count();
    format!("[{},{}]", count(span.start), count(span.end))
}

/// A text as a JSON string that can be embedded in a script.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // `</script>` would end the script.
            '<' | '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => {
                write!(quoted, "\\u{:04x}", c as u32).expect("a string takes all");
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
