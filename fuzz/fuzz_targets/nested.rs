//! `cargo fuzz run nested`: see [`planish_testkit::fuzz_targets::nested_shapes`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::nested_shapes(data));
