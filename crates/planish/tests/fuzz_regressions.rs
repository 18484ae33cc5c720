//! Inputs that the fuzz targets (`fuzz`, outside the workspace) once failed on, and the targets themselves, so that
//! they compile.

use std::path::Path;

use planish_testkit::fuzz_targets as targets;
use planish_testkit::share;

#[test]
fn what_was_found_stays_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    for entry in std::fs::read_dir(folder).expect("is there") {
        let path = entry.expect("can be read").path();
        eprintln!("{}", path.display());
        targets::any_bytes(&std::fs::read(path).expect("can be read"));
    }
}

#[test]
fn random_bytes_make_programs_that_survive() {
    for seed in share(0..50_u32) {
        let bytes: Vec<u8> = (0..400_u32)
            .map(|i| (seed + 1).wrapping_mul(i * i + 77).wrapping_mul(0x9e37_79b9).to_be_bytes()[0])
            .collect();
        targets::round_trip(&bytes);
        targets::flatten_program(&bytes);
        targets::mean_the_same(&bytes);
        targets::exports_mean_the_same(&bytes);
        targets::nested_shapes(&bytes);
    }
}

#[test]
fn damaged_modules_are_refused_or_read() {
    // A type, a function, and its inside, of which each byte is changed in turn.
    let whole = b"\x01\x05\x01\x60\0\x01\x7f\x03\x02\x01\0\x0a\x09\x01\x07\0\x41\x01\x41\x02\x6a\x0b";
    targets::any_wasm(whole);
    for at in 0..whole.len() {
        for change in [1, 0x40, 0x80, 0xff] {
            let mut damaged = whole.to_vec();
            damaged[at] ^= change;
            targets::any_wasm(&damaged);
        }
        targets::any_wasm(&whole[..at]);
    }
}

#[test]
fn any_text_is_a_program_in_vl_or_an_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vl/closures");
    for entry in std::fs::read_dir(folder).expect("there are programs") {
        let text = std::fs::read(entry.expect("can be listed").path()).expect("can be read");
        targets::any_vl(&text);
        // Cut off, and with a byte changed.
        targets::any_vl(&text[..text.len() * 2 / 3]);
        let mut damaged = text.clone();
        let at = text.len() / 2;
        damaged[at] = b"() '#.1a"[at % 8];
        targets::any_vl(&damaged);
    }
}
