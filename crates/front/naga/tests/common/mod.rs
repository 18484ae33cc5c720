//! Support of this crate's tests: the programs on disk, and reading them.
use std::path::{Path, PathBuf};

use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_ir::source::SourceMap;

/// A directory of test programs.
pub(crate) fn directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Names and texts of the programs in a directory of tests.
pub(crate) fn programs(name: &str, extension: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(directory(name)).expect("the test programs are there");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == extension));
    paths.sort();
    assert!(!paths.is_empty(), "no programs in {name}");
    let name = |p: &Path| p.file_name().expect("a file").to_string_lossy().into_owned();
    paths.into_iter().map(|p| (name(&p), std::fs::read_to_string(&p).expect("readable"))).collect()
}

/// Diagnostics, one a line, with line and column.
pub(crate) fn describe(map: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| {
        let at = map.line_column(d.span.start).map_or("-".into(), |p| format!("{}:{}", p.line, p.column));
        format!("{} {at} {}", d.code, d.message)
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads a program that is right, and verifies what comes of it.
pub(crate) fn read_wgsl(name: &str, text: &str) -> Module {
    let mut map = SourceMap::new();
    let file = map.add(name, text).expect("small");
    match planish_front_naga::read_wgsl(&file, &mut map, &mut planish_front_naga::Options::default()) {
        Ok((module, _)) => verified(name, module),
        Err(diagnostics) => panic!("{name}: {}", describe(&map, &diagnostics)),
    }
}

/// The module, if the verifier finds nothing.
pub(crate) fn verified(name: &str, module: Module) -> Module {
    let errors = planish_ir::verify::verify(&module);
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{}", planish_ir::text::print(&module));
    module
}
