//! `cargo fuzz run bytes`: see [`planish_testkit::fuzz_targets::any_bytes`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::any_bytes(data));
