//! `cargo fuzz run bytes`: see [`planish_testkit::fuzz_targets::any_bytes`].
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: {
        // Panics of naga's reader of SPIR-V are caught and become errors; all others end the run.
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !info.location().is_some_and(|at| at.file().contains("/src/front/spv/")) {
                abort(info);
            }
        }));
    },
    |data: &[u8]| planish_testkit::fuzz_targets::any_bytes(data)
);
