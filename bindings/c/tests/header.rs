//! `planish.h` is what cbindgen makes of the functions.

use std::path::Path;

use cbindgen::{Builder, Config, DocumentationStyle, EnumConfig, Language, RenameRule, Style};

const SOURCES: [&str; 7] = ["call", "draw", "message", "output", "program", "settings", "text"];

#[test]
fn the_header_has_the_functions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = folder.join("include/planish.h");
    let header = header(folder);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, header).expect("the header can be written");
        return;
    }
    let there = std::fs::read_to_string(&path).expect("the header is there");
    assert!(there == header, "planish.h is not what cbindgen makes: run with BLESS=1");
}

fn header(folder: &Path) -> String {
    let about = "// Planish: compiles shaders, WebAssembly and VL to what their next tool accepts. docs/c-library.md tells how to use it.";
    let mut config = Config {
        language: Language::C,
        header: Some(about.to_owned()),
        autogen_warning: Some("// Made of bindings/c/src by `BLESS=1 cargo test -p planish-c`.".to_owned()),
        include_guard: Some("PLANISH_H".to_owned()),
        cpp_compat: true,
        no_includes: true,
        sys_includes: ["stdbool.h", "stddef.h", "stdint.h"].map(str::to_owned).to_vec(),
        style: Style::Both,
        documentation_style: DocumentationStyle::C99,
        usize_is_size_t: true,
        line_length: 120,
        enumeration: EnumConfig {
            prefix_with_name: true,
            rename_variants: RenameRule::ScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    };
    // It is given as a number, so that any number may be given.
    config.export.include = vec!["planish_format".to_owned()];
    let sources = SOURCES.map(|name| folder.join("src").join(format!("{name}.rs")));
    let builder = sources.iter().fold(Builder::new().with_config(config), |builder, source| builder.with_src(source));
    let mut bytes = vec![];
    builder.generate().expect("cbindgen reads the sources").write(&mut bytes);
    for_c(&String::from_utf8(bytes).expect("is text"))
}

/// Without what comments say to callers in Rust.
fn for_c(header: &str) -> String {
    let (mut text, mut is_for_rust) = (String::new(), false);
    for line in header.lines() {
        let comment = line.trim_start().strip_prefix("//");
        match comment {
            Some(comment) if comment.trim() == "# Safety" => {
                is_for_rust = true;
                // The empty line before.
                text.truncate(text.trim_end_matches(['/', '\n', ' ']).len());
                text.push('\n');
            }
            Some(_) if is_for_rust => {}
            _ => {
                is_for_rust = false;
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
    }
    text
}
