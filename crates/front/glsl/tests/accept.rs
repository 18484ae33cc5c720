//! Valid shaders of every version and stage: each compiles without an error to a module that the verifier likes. And
//! the sample of the listing gives the listing.

use std::path::Path;

use planish_front_glsl::{Options, Output, compile};
use planish_ir::module::Stage;
use planish_ir::source::SourceMap;
use planish_ir::{dump, verify};

fn compile_file(path: &Path) -> (SourceMap, Output) {
    let stage = path.extension().and_then(|e| e.to_str()).and_then(Stage::of_file_extension).unwrap_or(Stage::Fragment);
    let mut map = SourceMap::new();
    let file = map.add(path.display().to_string(), std::fs::read_to_string(path).unwrap()).unwrap();
    let output = compile(&mut map, &file, &mut Options::new(stage));
    (map, output)
}

#[test]
fn valid_shaders_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accept");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (map, output) = compile_file(&path);
        if let Some(d) = output.diagnostics.iter().find(|d| d.is_error()) {
            panic!("{}:{:?}: {}", path.display(), map.line_column(d.span.start), d.message);
        }
        let problems = verify::verify(&output.module.unwrap());
        assert!(problems.is_empty(), "{}: {:?}", path.display(), problems[0].to_diagnostic());
        count += 1;
    }
    assert!(count >= 11);
}

#[test]
fn the_sample_gives_the_listing() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listing");
    let (_, output) = compile_file(&data.join("sample.frag"));
    let listing = dump::dump(&output.module.unwrap());
    let expected = std::fs::read_to_string(data.join("../../../../ir/tests/data/sample.dump")).unwrap();
    let plain = |text: &str| -> Vec<String> {
        text.lines().map(|l| l.trim_end().to_owned()).filter(|l| !l.is_empty()).collect()
    };
    assert_eq!(plain(&listing), plain(&expected));
}
