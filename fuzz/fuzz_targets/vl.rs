//! `cargo fuzz run vl`: see [`planish_fuzz::any_vl`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::any_vl(data));
