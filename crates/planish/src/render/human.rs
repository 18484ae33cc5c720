//! The form for people: rustc's layout.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use planish_ir::diagnostic::{Diagnostic, Fix, Severity};
use planish_ir::source::{SourceFile, SourceMap, Span};

/// Several lines: title, source with the places underlined, notes, help, the mended line.
pub fn human(diagnostic: &Diagnostic, map: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Remark => Level::INFO.with_name("remark"),
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code.0);
    let mut group = Group::with_title(title);
    for snippet in snippets(diagnostic, map) {
        group = group.element(snippet);
    }
    if let Some(place) = place_without_text(diagnostic.span, map) {
        group = group.element(Origin::path(place));
        if !diagnostic.label.is_empty() {
            group = group.element(Level::NOTE.message(&diagnostic.label));
        }
    }
    for label in &diagnostic.labels {
        if let Some(place) = place_without_text(label.span, map) {
            group = group.element(Level::NOTE.message(&label.text)).element(Origin::path(place));
        }
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note));
    }
    let mut report = vec![group];
    match diagnostic.fix.as_ref().and_then(|fix| patch(fix, map)) {
        Some(snippet) => {
            let (title, rest) = diagnostic.help.split_first().map_or(("try", &[][..]), |(t, r)| (t.as_str(), r));
            let mut help = Group::with_title(Level::HELP.secondary_title(title)).element(snippet);
            for text in rest {
                help = help.element(Level::HELP.message(text));
            }
            report.push(help);
        }
        None => {
            for text in &diagnostic.help {
                let group = report.pop().expect("the first group is there");
                report.push(group.element(Level::HELP.message(text)));
            }
        }
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&report);
    text.push('\n');
    text
}

/// A place in a file: the bytes, the text to write there, and its style.
type Place<'a> = (Range<usize>, &'a str, AnnotationKind);

/// One snippet a file: that of the primary span first.
fn snippets<'a>(diagnostic: &'a Diagnostic, map: &'a SourceMap) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mut spans = vec![(diagnostic.span, diagnostic.label.as_str(), AnnotationKind::Primary)];
    spans.extend(diagnostic.labels.iter().map(|l| (l.span, l.text.as_str(), AnnotationKind::Context)));
    let mut files: Vec<(&SourceFile, Option<u32>, Vec<Place<'a>>)> = Vec::new();
    for (span, text, kind) in spans {
        let Some((file, range)) = locate(span, map) else { continue };
        // Lines on both sides of a `#line` have numbers that do not follow each other.
        let part = file.numbering_of(file.line_at(range.start as u32)).map(|numbering| numbering.line);
        match files.iter_mut().find(|(f, p, _)| f.start == file.start && *p == part) {
            Some((.., places)) => places.push((range, text, kind)),
            None => files.push((file, part, vec![(range, text, kind)])),
        }
    }
    files.into_iter().map(|(file, _, places)| snippet(file, places)).collect()
}

fn snippet<'a>(file: &'a SourceFile, places: Vec<Place<'a>>) -> Snippet<'a, Annotation<'a>> {
    let start = places.iter().map(|(range, ..)| range.start).min().unwrap_or(0);
    let end = places.iter().map(|(range, ..)| range.end).max().unwrap_or(0);
    let (lines, number, name) = lines_around(file, start..end);
    let annotations = places.into_iter().map(|(range, text, kind)| {
        let annotation = kind.span(range.start - lines.start..range.end - lines.start);
        if text.is_empty() { annotation } else { annotation.label(text) }
    });
    Snippet::source(shown(&file.text[lines.clone()])).line_start(number).path(name).annotations(annotations)
}

fn patch<'a>(fix: &'a Fix, map: &'a SourceMap) -> Option<Snippet<'a, Patch<'a>>> {
    let (file, range) = locate(fix.span, map)?;
    let (lines, number, name) = lines_around(file, range.clone());
    let patch = Patch::new(range.start - lines.start..range.end - lines.start, fix.replacement.as_str());
    Some(Snippet::source(shown(&file.text[lines])).line_start(number).path(name).patch(patch))
}

/// The lines that contain these bytes and the following one, the number of the first, and its file. The renderer scans all text
/// that it is given, so a message gets no more of a long program.
fn lines_around(file: &SourceFile, range: Range<usize>) -> (Range<usize>, usize, &str) {
    let starts = file.line_starts();
    let first = file.line_at(range.start as u32);
    let after = file.line_at(range.end as u32) + 2;
    let end = starts.get(after).map_or(file.text.len(), |&start| start as usize);
    let lines = starts[first] as usize..end;
    match file.numbering_of(first) {
        None => (lines, first + 1, &file.name),
        Some(numbering) => {
            let number = numbering.number as usize + first - numbering.line as usize;
            (lines, number, numbering.file.as_ref().unwrap_or(&file.name))
        }
    }
}

/// The text for the renderer, which does not recognize lines that end with CR alone.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return text.into();
    }
    let mut rest = text.chars().peekable();
    let mut shown = String::with_capacity(text.len());
    while let Some(c) = rest.next() {
        shown.push(if c == '\r' && rest.peek() != Some(&'\n') { '\n' } else { c });
    }
    shown.into()
}

/// A place in a file whose text is not there: `prog.wasm: offset 0x1a2b in function $f`, `main.rs:12:5`.
fn place_without_text(span: Span, map: &SourceMap) -> Option<String> {
    map.file_at(span.start).filter(|file| !file.has_text()).and_then(|_| map.place(span))
}

/// The file of a span and the bytes in it, widened to whole characters.
fn locate(span: Span, map: &SourceMap) -> Option<(&SourceFile, Range<usize>)> {
    if span.is_none() {
        return None;
    }
    let file = map.file_at(span.start).filter(|file| file.has_text())?;
    let mut start = (span.start - file.start) as usize;
    let mut end = (span.end.clamp(span.start, file.end()) - file.start) as usize;
    while !file.text.is_char_boundary(start) {
        start -= 1;
    }
    while !file.text.is_char_boundary(end) {
        end += 1;
    }
    Some((file, start..end))
}

#[cfg(test)]
mod tests {
    use planish_ir::diagnostic::Code;

    use super::*;

    #[test]
    fn lines_have_their_numbers_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["one", "two", "three", "four", "five"].map(|line| format!("{line}{end}")).concat();
            let mut map = SourceMap::new();
            let file = map.add("a", text.as_str()).unwrap();
            let span = |word: &str| {
                let at = file.start + text.find(word).expect("is there") as u32;
                Span::new(at, at + word.len() as u32)
            };
            let mut diagnostic = Diagnostic::error(Code::E0301, span("four"), "what").also(span("two"), "other");
            let shown = human(&diagnostic, &map, false);
            assert!(shown.contains("--> a:4:1\n"), "{shown}");
            diagnostic.labels.clear();
            let shown = human(&diagnostic.fix(span("four"), "4"), &map, false);
            assert!(shown.contains("--> a:4:1\n") && shown.contains("4 | four"), "{shown}");
        }
    }
}
