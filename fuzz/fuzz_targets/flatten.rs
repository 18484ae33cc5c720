//! `cargo fuzz run flatten`: see [`planish_testkit::fuzz_targets::flatten_program`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::flatten_program(data));
