//! Gathers the pages of `docs/errors` into a table for `planish explain`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../docs/errors");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut pages: Vec<_> = fs::read_dir(&root)
        .map(|dir| dir.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "md")).collect())
        .unwrap_or_default();
    pages.sort();
    let mut table = String::from("static PAGES: &[(&str, &str)] = &[\n");
    for page in pages {
        let code = page.file_stem().expect("has a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&page).expect("the page can be read");
        println!("cargo::rerun-if-changed={}", page.display());
        writeln!(table, "    ({code:?}, {text:?}),").expect("a string takes all");
    }
    table.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("error_pages.rs");
    fs::write(out, table).expect("the table can be written");
}
