//! `cargo fuzz run wasm`: see [`planish_fuzz::any_wasm`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::any_wasm(data));
