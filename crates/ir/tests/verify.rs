//! What the verifier accepts and what it refuses.
mod common;

use planish_ir::verify::verify;

#[test]
fn the_sample_is_valid() {
    assert_eq!(verify(&common::sample()), []);
}
