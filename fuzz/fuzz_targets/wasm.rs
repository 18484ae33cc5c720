//! `cargo fuzz run wasm`: see [`planish_testkit::fuzz_targets::any_wasm`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::any_wasm(data));
