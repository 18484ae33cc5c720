//! `cargo fuzz run flatten`: see [`planish_fuzz::flatten_program`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::flatten_program(data));
