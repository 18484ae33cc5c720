//! The text form: what is printed reads back as what it was, and what cannot be read is explained.
mod common;

use planish_ir::module::Module;
use planish_ir::text::{parse_str, print};
use planish_ir::verify::verify;

/// Prints, parses, prints: the texts are the same. Gives the parsed module.
fn round_trip(module: &Module) -> Module {
    let text = print(module);
    let parsed = parse_str(&text).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
    assert_eq!(print(&parsed), text);
    parsed
}

#[test]
fn the_sample_reads_back() {
    let parsed = round_trip(&common::sample());
    println!("{}", print(&parsed));
    assert_eq!(verify(&parsed), []);
}
