//! Gathers the pages of `errors` into a table for `planish explain`.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("errors");
    println!("cargo::rerun-if-changed={}", root.display());
    let folder = fs::read_dir(&root).expect("the package has its pages");
    let mut pages: Vec<_> =
        folder.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
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
