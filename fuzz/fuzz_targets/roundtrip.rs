//! `cargo fuzz run roundtrip`: see [`planish_fuzz::round_trip`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::round_trip(data));
