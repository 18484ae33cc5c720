//! Every shader of `tests/invalid/semantics` is wrong, and says in its first lines what the whole front end must report:
//! `// ERROR: CODE LINE:COLUMN`, all errors in the order of the source. (`// REFUSED BY:` names other compilers that refuse it when
//! it was added.) And the pages of the errors and warnings of the
//! checker have true examples.

use std::fs;
use std::path::{Path, PathBuf};

use planish_front_glsl::{Options, WebGl, compile};
use planish_ir::diagnostic::{CODES, Severity};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// Severity, `CODE LINE:COLUMN` and message of all that is said.
fn said(name: &str, text: &str, stage: Stage, webgl: WebGl) -> Vec<(Severity, String, String)> {
    let mut map = SourceMap::new();
    let file = map.add(name, text).expect("small enough");
    let output = compile(&mut map, &file, &mut Options { webgl, ..Options::new(stage) });
    assert_eq!(output.module.is_none(), output.has_errors(), "{name}");
    let place = |d: &planish_ir::diagnostic::Diagnostic| {
        let at = map.line_column(d.span.start).expect("every error has a place");
        (d.severity, format!("{} {}:{}", d.code, at.line, at.column), d.message.clone())
    };
    output.diagnostics.iter().map(place).collect()
}

fn stage_of(path: &Path) -> Stage {
    path.extension().and_then(|e| e.to_str()).and_then(Stage::of_file_extension).unwrap_or(Stage::Fragment)
}

/// By the beginning of the name: `webgl_` for the rules, `webgl1_` and `webgl2_` also for the limits.
fn webgl_of(name: &str) -> WebGl {
    match name.split('_').next() {
        Some("webgl") => WebGl::Rules,
        Some("webgl1") => WebGl::One,
        Some("webgl2") => WebGl::Two,
        _ => WebGl::Off,
    }
}

/// The lines about errors at the beginning, before which there may be a `#version`.
fn expected(text: &str) -> Vec<&str> {
    let lines = text.lines().skip_while(|line| line.starts_with("#version"));
    lines.map_while(|line| line.strip_prefix("// ERROR: ")).collect()
}

#[test]
fn invalid_shaders_are_reported_as_they_say() {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder("tests/invalid/semantics")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 450, "only {} shaders", paths.len());
    let mut wrong = vec![];
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let expected: Vec<&str> = expected(&text);
        assert!(!expected.is_empty(), "{}: no `// ERROR:` line", path.display());
        let name = path.file_name().unwrap().to_string_lossy();
        let mut found = said(&name, &text, stage_of(path), webgl_of(&name));
        found.retain(|(severity, ..)| *severity == Severity::Error);
        if found.iter().map(|(_, place, _)| place).ne(&expected) {
            wrong.push(format!("{name}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} shaders:\n{}", wrong.len(), paths.len(), wrong.join("\n"));
}

#[test]
fn pages_explain_with_true_examples() {
    let mut pages = 0;
    for info in CODES {
        let code = info.code.0;
        let checker = ["E03", "E04", "E05"].iter().any(|range| code.starts_with(range))
            || ["W0101", "W0102", "W0103", "W0104", "W0105"].contains(&code);
        if !checker {
            continue;
        }
        let page = fs::read_to_string(folder("crates/planish/errors").join(format!("{code}.md"))).unwrap();
        let programs: Vec<&str> = page.split("```glsl\n").skip(1).filter_map(|part| part.split("```").next()).collect();
        let [wrong, right] = programs[..] else { panic!("{code}: {} programs", programs.len()) };
        let stage = if page.contains("local_size") { Stage::Compute } else { Stage::Fragment };
        let webgl = (code == "E0505").into();
        let found = said(code, wrong, stage, webgl);
        assert!(found.iter().any(|(_, place, _)| place.starts_with(code)), "{code}: {found:?}");
        let found = said(code, right, stage, webgl);
        assert!(found.is_empty(), "{code}: {found:?}");
        pages += 1;
    }
    assert!(pages >= 40, "only {pages} pages");
}
