//! Texts as people read them: of the cases of `planish-back-naga`, readable and short.

use std::path::{Path, PathBuf};

use planish_back_hlsl::Options;
use planish_generate::Choices;
use planish_ir::module::{Module, Stage};

use crate::{compile, try_write};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../naga/tests/cases");
    let found = folder.read_dir().expect("the cases").flatten().map(|entry| entry.path());
    let is_source = |p: &PathBuf| p.extension().is_some_and(|e| e == "frag" || e == "vert" || e == "comp" || e == "ir");
    let mut files: Vec<PathBuf> = found.filter(is_source).collect();
    files.sort();
    assert!(files.len() >= 12, "cases are missing");
    files
}

fn read(path: &Path) -> Module {
    let text = std::fs::read_to_string(path).expect("a case");
    match path.extension().and_then(|e| e.to_str()) {
        Some("ir") => planish_ir::text::parse_str(&text).unwrap_or_else(|e| panic!("{}: {e:#?}", path.display())),
        Some("vert") => compile(Stage::Vertex, &text),
        Some("comp") => compile(Stage::Compute, &text),
        _ => compile(Stage::Fragment, &text),
    }
}

#[test]
fn cases_read_well() {
    for path in cases() {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let module = read(&path);
        let mut options = Options::default();
        options.shading.point_coord_is_centre = true;
        let text = try_write(&module, &options).unwrap_or_else(|errors| panic!("{name}: {errors:#?}")).text;
        planish_testkit::committed(&format!("crates/back/hlsl/tests/cases/{name}.hlsl"), &text);
        options.shading.minify = true;
        let short = try_write(&module, &options).expect("it is the same").text;
        assert!(short.len() < text.len(), "{name}:\n{short}");
    }
}

/// Random programs are written; `cargo xtask hlsl` draws what compilers make of HLSL.
#[test]
fn random_programs_are_written() {
    let mut written = 0;
    for seed in planish_testkit::share(0..60) {
        let program = planish_generate::glsl(&mut Choices::from_seed(seed));
        let module = compile(Stage::Fragment, &program.to_string());
        let errors = try_write(&module, &Options::default()).err();
        assert!(errors.is_none(), "{errors:#?}\n{program}");
        written += 1;
    }
    assert!(written > 5, "only {written}");
}
