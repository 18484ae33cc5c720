//! What the fuzz targets (`fuzz`, outside the workspace) once failed on, and the targets themselves, so that they compile.

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)]
mod targets;

use std::path::Path;

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
    for seed in 0..50_u32 {
        let bytes: Vec<u8> = (0..400_u32)
            .map(|i| (seed + 1).wrapping_mul(i * i + 77).wrapping_mul(0x9e37_79b9).to_be_bytes()[0])
            .collect();
        targets::round_trip(&bytes);
        targets::flatten_program(&bytes);
    }
}
