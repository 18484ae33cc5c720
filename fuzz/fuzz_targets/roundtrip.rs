//! `cargo fuzz run roundtrip`: see [`planish_testkit::fuzz_targets::round_trip`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_testkit::fuzz_targets::round_trip(data));
