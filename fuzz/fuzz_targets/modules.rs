//! `cargo fuzz run modules`: see [`planish_fuzz::exports_mean_the_same`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::exports_mean_the_same(data));
