//! The dump: the sample's is the documentation's listing, line for line.
mod common;

use planish_ir::dump::dump;

#[test]
fn the_sample_is_drawn_as_documented() {
    let dump = dump(&common::sample());
    let lines: Vec<&str> = dump.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let expected: Vec<&str> = include_str!("data/sample.dump").lines().collect();
    assert_eq!(expected.len(), 109);
    for (have, want) in lines.iter().zip(&expected) {
        assert_eq!(have, want);
    }
    assert_eq!(lines.len(), expected.len());
}
