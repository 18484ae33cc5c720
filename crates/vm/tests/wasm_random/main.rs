//! Random WebAssembly modules, of `wasm-smith` and of our own ([`trees`]): the virtual machine and the evaluator, at -O0 and at -O2, see what wasmi sees.
//!
//! What is seen: of every exported function, called three times on an instance of its own, the results or the trap, and then
//! all globals and the bytes of all memories. NaNs are canonicalized by the generator, and every function ends because it
//! pays for its loops and calls from a global that the generator adds. `PLANISH_SEEDS=FROM..TO` runs other modules than the
//! usual ones.

mod engines;
mod modules;
mod trees;

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use modules::{difference, module};
use trees::Random;

/// Seeds whose modules compute with bits that WebAssembly leaves open: the generator canonicalizes the NaNs of all ops but
/// `f64x2.promote_low_f32x4` and `f32x4.demote_f64x2_zero`.
const OPEN: &[u64] = &[694];

/// Seeds of trees of which wasmi 2.0.0 gives another value than V8 and all of ours do.
const OTHERWISE: &[u64] = &[128, 243, 320, 1010, 1379];

/// Bytes that look random, the same for a seed everywhere.
fn bytes(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let length = 500 + random.next() % 3000;
    (0..length / 8).flat_map(|_| random.next().to_le_bytes()).collect()
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

/// What is wrong with the modules of seeds, by seed; how many modules there were, and things to see.
fn faults(
    seeds: &Range<u64>,
    make: impl Fn(u64) -> Option<Vec<u8>> + Sync,
    kind: &str,
) -> (BTreeMap<u64, String>, usize, usize) {
    let (made, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let faults = Mutex::new(BTreeMap::new());
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().filter(move |seed| seed % threads == thread);
            let (made, seen, faults, make) = (&made, &seen, &faults, &make);
            scope.spawn(move || {
                for seed in mine {
                    let Some(wasm) = make(seed) else { continue };
                    made.fetch_add(1, Ordering::Relaxed);
                    if let Some(fault) = fault(&wasm, seen) {
                        let path = std::env::temp_dir().join(format!("planish-{seed}.{kind}"));
                        let _ = std::fs::write(&path, &wasm);
                        faults.lock().expect("no thread panics").insert(seed, format!("{} {fault}", path.display()));
                    }
                }
            });
        }
    });
    (faults.into_inner().expect("no thread panics"), made.into_inner(), seen.into_inner())
}

/// All faults are known, and all that are known are there.
fn assert_known(faults: &BTreeMap<u64, String>, known: &[u64], seeds: &Range<u64>) {
    let new: Vec<_> = faults.iter().filter(|(seed, _)| !known.contains(seed)).collect();
    assert!(new.is_empty(), "{new:#?}");
    let mended: Vec<_> = known.iter().filter(|seed| seeds.contains(seed) && !faults.contains_key(seed)).collect();
    assert!(mended.is_empty(), "take these seeds off the list: {mended:?}");
}

#[test]
fn all_engines_see_the_same() {
    let seeds = seeds(0..2000);
    let (faults, made, seen) = faults(&seeds, |seed| module(&bytes(seed)), "wasm");
    assert!(made * 2 > seeds.clone().count() && seen > made, "only {made} modules and {seen} things to see");
    assert_known(&faults, OPEN, &seeds);
}

#[test]
fn all_engines_see_the_same_of_trees() {
    let seeds = seeds(0..2000);
    let (faults, _, seen) = faults(&seeds, |seed| Some(trees::module(seed).into_bytes()), "wat");
    assert_known(&faults, OTHERWISE, &seeds);
    // Two functions, each called three times and then the memory.
    assert_eq!(seen, 8 * seeds.count());
}
