//! `cargo fuzz run modules`: see [`planish_testkit::fuzz_targets::exports_mean_the_same`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::exports_mean_the_same(data));
