//! Snapshots of the output: each shader of `tests/cases`, for the targets that its `// write:` line names, against the
//! committed text beside it. `BLESS=1` rewrites that. `glslangValidator`, if installed, must accept every output.

use std::path::{Path, PathBuf};
use std::process::Command;

use planish_back_glsl::Options;
use planish_front_glsl::{Options as FrontOptions, compile};
use planish_ir::module::{Module, Stage};
use planish_ir::source::SourceMap;

use crate::legal::write;

fn stage_of(path: &Path) -> Option<Stage> {
    Some(match path.extension()?.to_str()? {
        "vert" => Stage::Vertex,
        "frag" | "ir" => Stage::Fragment,
        "comp" => Stage::Compute,
        _ => return None,
    })
}

fn cases() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("the cases are part of the repository")
        .map(|e| e.expect("readable").path())
        .filter(|p| stage_of(p).is_some())
        .collect();
    paths.sort();
    paths
}

/// `es 300`, `desktop 450 vulkan`, `es 300 minify`.
fn parse_options(words: &str, stage: Option<Stage>) -> Options {
    let words: Vec<&str> = words.split_whitespace().collect();
    let version = words[1].parse().expect("a version");
    let base = if words[0] == "es" { Options::es(version) } else { Options::desktop(version) };
    Options { minify: words.contains(&"minify"), vulkan: words.contains(&"vulkan"), stage, ..base }
}

fn read(path: &Path, text: &str) -> Module {
    if path.extension().is_some_and(|e| e == "ir") {
        return planish_ir::text::parse_str(text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display()));
    }
    let mut map = SourceMap::new();
    let file = map.add(path.display().to_string(), text).expect("small");
    let output = compile(&mut map, &file, &mut FrontOptions::new(stage_of(path).expect("a shader")));
    let errors: Vec<_> = output.diagnostics.iter().filter(|d| d.is_error()).map(|d| &d.message).collect();
    assert!(errors.is_empty(), "{}: {errors:?}", path.display());
    output.module.expect("no errors")
}

/// The errors of glslangValidator for a text, empty if it accepts it; `None` if it is not installed.
fn complaint(text: &str, stage: Stage, vulkan: bool, name: &str) -> Option<String> {
    let extension = match stage {
        Stage::Vertex => "vert",
        Stage::Compute => "comp",
        _ => "frag",
    };
    let path = std::env::temp_dir().join(format!("planish-{}-{name}.{extension}", std::process::id()));
    std::fs::write(&path, text).expect("writable");
    let mut command = Command::new("glslangValidator");
    if vulkan {
        command.args(["-V", "-o", "/dev/null"]);
    }
    let result = command.arg(&path).output();
    let _ = std::fs::remove_file(&path);
    let output = result.ok()?;
    Some(if output.status.success() { String::new() } else { String::from_utf8_lossy(&output.stdout).into_owned() })
}

#[test]
fn the_output_is_as_it_was() {
    let bless = std::env::var_os("BLESS").is_some();
    let paths = cases();
    assert!(paths.len() >= 20, "{}", paths.len());
    let mut failures = Vec::new();
    let mut judged = true;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let targets = text.lines().find_map(|l| l.strip_prefix("// write: ")).expect("a `// write:` line");
        let module = read(&path, &text);
        let mut actual = String::new();
        for (i, target) in targets.split(", ").enumerate() {
            let has_entry = !module.entry_points.is_empty();
            let options = parse_options(target, has_entry.then(|| stage_of(&path)).flatten());
            actual.push_str(&format!("=== {target}\n"));
            match write(&module, &options) {
                Ok(output) => {
                    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("case");
                    let judge = has_entry.then(|| {
                        complaint(&output.text, stage_of(&path).unwrap(), options.vulkan, &format!("{name}-{i}"))
                    });
                    match judge {
                        Some(None) => judged = false,
                        Some(Some(errors)) if !errors.is_empty() => {
                            failures.push(format!("{} ({target}): {errors}\n{}", path.display(), output.text));
                        }
                        _ => {}
                    }
                    actual.push_str(&output.text);
                    for warning in &output.warnings {
                        actual.push_str(&format!("warning {}: {}\n", warning.code, warning.message));
                    }
                }
                Err(errors) => {
                    for error in errors {
                        actual.push_str(&format!("{}: {}\n", error.code, error.message));
                    }
                }
            }
        }
        let mut expected_path = path.clone().into_os_string();
        expected_path.push(".expected");
        let expected = std::fs::read_to_string(&expected_path).unwrap_or_default();
        if bless {
            std::fs::write(&expected_path, &actual).expect("writable");
        } else if expected != actual {
            failures.push(format!("{}:\n{actual}\n(expected)\n{expected}", path.display()));
        }
    }
    if !judged {
        eprintln!("SKIPPED: glslangValidator is not installed; nobody has judged whether the outputs are valid");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
