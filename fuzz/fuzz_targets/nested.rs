//! `cargo fuzz run nested`: see [`planish_fuzz::nested_shapes`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| planish_fuzz::nested_shapes(data));
