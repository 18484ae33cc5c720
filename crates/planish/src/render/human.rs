//! The form for people: rustc's layout.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Patch, Renderer, Snippet};
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

/// One snippet a file: that of the main place first.
fn snippets<'a>(diagnostic: &'a Diagnostic, map: &'a SourceMap) -> Vec<Snippet<'a, Annotation<'a>>> {
    let mut places = vec![(diagnostic.span, diagnostic.label.as_str(), AnnotationKind::Primary)];
    places.extend(diagnostic.labels.iter().map(|l| (l.span, l.text.as_str(), AnnotationKind::Context)));
    let mut files: Vec<(&SourceFile, Vec<Annotation<'a>>)> = Vec::new();
    for (span, text, kind) in places {
        let Some((file, range)) = locate(span, map) else { continue };
        let mut annotation = kind.span(range);
        if !text.is_empty() {
            annotation = annotation.label(text);
        }
        match files.iter_mut().find(|(f, _)| f.start == file.start) {
            Some((_, annotations)) => annotations.push(annotation),
            None => files.push((file, vec![annotation])),
        }
    }
    files
        .into_iter()
        .map(|(file, annotations)| Snippet::source(&*file.text).path(&*file.name).annotations(annotations))
        .collect()
}

fn patch<'a>(fix: &'a Fix, map: &'a SourceMap) -> Option<Snippet<'a, Patch<'a>>> {
    let (file, range) = locate(fix.span, map)?;
    let patch = Patch::new(range, fix.replacement.as_str());
    Some(Snippet::source(&*file.text).path(&*file.name).patch(patch))
}

/// The file of a span and the bytes in it, widened to whole characters.
fn locate(span: Span, map: &SourceMap) -> Option<(&SourceFile, Range<usize>)> {
    if span.is_none() {
        return None;
    }
    let file = map.file_at(span.start)?;
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
