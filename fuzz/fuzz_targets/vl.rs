//! `cargo fuzz run vl`: see [`planish_testkit::fuzz_targets::any_vl`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::any_vl(data));
