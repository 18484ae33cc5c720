//! Random WebAssembly modules: the virtual machine and the evaluator, at -O0 and at -O2, see what wasmi sees.
//!
//! What is seen: of every exported function, called three times on an instance of its own, the results or the trap, and then
//! all globals and the bytes of all memories. NaNs are canonicalized by the generator, and every function ends because it
//! pays for its loops and calls from a global that the generator adds. `PLANISH_SEEDS=FROM..TO` runs other modules than the
//! usual ones.

mod engines;
mod modules;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use modules::{difference, module};

/// Seeds whose modules compute with bits that WebAssembly leaves open: the generator canonicalizes the NaNs of all ops but
/// `f64x2.promote_low_f32x4` and `f32x4.demote_f64x2_zero`.
const OPEN: &[u64] = &[694];

/// Bytes that look random, the same for a seed everywhere.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let length = 500 + next() % 3000;
    (0..length / 8).flat_map(|_| next().to_le_bytes()).collect()
}

fn seeds(usual: Range<u64>) -> Range<u64> {
    let given = std::env::var("PLANISH_SEEDS").ok();
    let given =
        given.as_deref().and_then(|s| s.split_once("..")).and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    given.unwrap_or(usual)
}

/// What is wrong with the module of a seed; a panic is a fault like others.
fn fault(wasm: &[u8], seen: &AtomicUsize) -> Option<String> {
    let look = || {
        let expected = match engines::wasmi(wasm) {
            Ok(expected) => expected,
            Err(error) => return Some(format!("wasmi: {error}")),
        };
        seen.fetch_add(expected.len(), Ordering::Relaxed);
        engines::OURS.iter().find_map(|(engine, see)| match see(wasm) {
            Ok(seen) => difference(&expected, &seen).map(|text| format!("{engine}, {text}")),
            Err(error) => Some(format!("{engine}: {error}")),
        })
    };
    std::panic::catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Some(format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("for no reason given")))
    })
}

#[test]
fn all_engines_see_the_same() {
    let seeds = seeds(0..2000);
    let (made, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let faults = Mutex::new(BTreeMap::new());
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().filter(move |seed| seed % threads == thread);
            let (made, seen, faults) = (&made, &seen, &faults);
            scope.spawn(move || {
                for seed in mine {
                    let Some(wasm) = module(&bytes(seed)) else { continue };
                    made.fetch_add(1, Ordering::Relaxed);
                    if let Some(fault) = fault(&wasm, seen) {
                        let path = std::env::temp_dir().join(format!("planish-{seed}.wasm"));
                        let _ = std::fs::write(&path, &wasm);
                        faults.lock().expect("no thread panics").insert(seed, format!("{} {fault}", path.display()));
                    }
                }
            });
        }
    });
    let (made, seen, faults) = (made.into_inner(), seen.into_inner(), faults.into_inner().expect("no thread panics"));
    assert!(made * 2 > seeds.clone().count() && seen > made, "only {made} modules and {seen} things to see");
    let new: Vec<_> = faults.iter().filter(|(seed, _)| !OPEN.contains(seed)).collect();
    assert!(new.is_empty(), "{new:#?}");
    let mended: Vec<_> = OPEN.iter().filter(|seed| seeds.contains(seed) && !faults.contains_key(seed)).collect();
    assert!(mended.is_empty(), "take these seeds off the list: {mended:?}");
}
