//! `cargo fuzz run reference`: see [`planish_fuzz::mean_the_same`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::mean_the_same(data));
