//! `cargo fuzz run bytes`: see [`planish_fuzz::any_bytes`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::any_bytes(data));
