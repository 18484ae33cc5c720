//! Random WebAssembly modules, of `wasm-smith` and of our own ([`trees`]): the virtual machine and the evaluator, at -O0 and at -O2, see what wasmi sees.
//!
//! What is seen: of every exported function, called three times on an instance of its own, the results or the trap, and then
//! all globals and the bytes of all memories. NaNs are canonicalized by the generator, and every function ends because it
//! pays for its loops and calls from a global that the generator adds. `PLANISH_SEEDS=FROM..TO` runs other modules than the
//! usual ones.
//!
//! wasmi is not always right. Where it and an engine of the house differ, a second judge decides ([`second`]).

mod trees;

use std::collections::BTreeMap;
use std::iter::StepBy;
use std::ops::Range;
use std::panic::AssertUnwindSafe;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use planish_generate::Choices;
use planish_testkit::wasm_random::engines::{self, Seen};
use planish_testkit::wasm_random::modules::{difference, module};
use planish_testkit::wasm_random::second;
use planish_testkit::{has_tool, scratch, seeds};

/// Bytes that look random, the same for a seed everywhere.
fn bytes(seed: u64) -> Vec<u8> {
    let mut random = Choices::from_seed(seed);
    let length = 500 + random.below(3000);
    random.bytes(length)
}

/// A module on which wasmi and the engines of the house may differ.
struct Question {
    /// In the binary format.
    wasm: Vec<u8>,
    /// The view of each engine of the house.
    ours: Vec<(&'static str, Seen)>,
    /// The first thing that one of them sees otherwise than wasmi; `None` if there is none.
    difference: Option<String>,
}

/// One module of so many is shown to the reference, too, and to the second judge though nobody differs, so that it is known to
/// judge.
const SAMPLE: u64 = 25;

/// Shows a module to all engines. An error is a fault without a question.
fn look(wasm: &[u8], sample: bool, seen: &AtomicUsize) -> Result<Question, String> {
    let look = || {
        let expected = engines::wasmi(wasm).map_err(|error| format!("wasmi: {error}"))?;
        seen.fetch_add(expected.len(), Ordering::Relaxed);
        let engines = engines::OURS.iter().chain(sample.then_some(&engines::REFERENCE));
        let ours = engines.map(|(engine, see)| match see(wasm) {
            Ok(seen) => Ok((*engine, seen)),
            Err(error) => Err(format!("{engine}: {error}")),
        });
        let ours = ours.collect::<Result<Vec<_>, _>>()?;
        let differs =
            |(engine, seen): &(&str, Seen)| difference(&expected, seen).map(|text| format!("{engine}, {text}"));
        let difference = ours.iter().find_map(differs);
        let binary = match std::str::from_utf8(wasm) {
            Ok(text) if !text.starts_with('\0') => second::binary(text)?,
            _ => wasm.to_vec(),
        };
        Ok(Question { wasm: binary, ours, difference })
    };
    std::panic::catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panics: {}", text.or_else(|| panic.downcast_ref().copied()).unwrap_or("for no reason given")))
    })
}

/// The faults of the modules of seeds, by seed; the number of modules, and of things to see.
fn faults(
    seeds: &StepBy<Range<u64>>,
    make: impl Fn(u64) -> Option<Vec<u8>> + Sync,
    kind: &str,
) -> (BTreeMap<u64, String>, usize, usize) {
    let (made, seen) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (faults, questions) = (Mutex::new(BTreeMap::new()), Mutex::new(BTreeMap::new()));
    let threads = 2;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let mine = seeds.clone().filter(move |seed| seed % threads == thread);
            let (made, seen, faults, questions, make) = (&made, &seen, &faults, &questions, &make);
            scope.spawn(move || {
                for seed in mine {
                    let Some(wasm) = make(seed) else { continue };
                    made.fetch_add(1, Ordering::Relaxed);
                    let sample = seed % SAMPLE == 0;
                    match look(&wasm, sample, seen) {
                        Ok(question) if sample || question.difference.is_some() => {
                            questions.lock().expect("no thread panics").insert(seed, question);
                        }
                        Ok(_) => {}
                        Err(fault) => drop(faults.lock().expect("no thread panics").insert(seed, fault)),
                    }
                }
            });
        }
    });
    let mut faults = faults.into_inner().expect("no thread panics");
    faults.extend(decide(questions.into_inner().expect("no thread panics"), kind));
    for (seed, fault) in &mut faults {
        let path = std::env::temp_dir().join(format!("planish-{seed}.{kind}"));
        if let Some(wasm) = make(*seed)
            && std::fs::write(&path, wasm).is_ok()
        {
            *fault = format!("{} {fault}", path.display());
        }
    }
    (faults, made.into_inner(), seen.into_inner())
}

/// The questions that the second judge does not decide for the engines of the house, by seed.
fn decide(questions: BTreeMap<u64, Question>, kind: &str) -> BTreeMap<u64, String> {
    let folder = scratch(&format!("wasm-random-{kind}"));
    let modules: Vec<&[u8]> = questions.values().map(|question| &question.wasm[..]).collect();
    let told = has_tool("node").then(|| second::judge(&folder, &modules));
    let mut faults = BTreeMap::new();
    let (mut judged, mut for_us) = (0, 0);
    for (i, (seed, question)) in questions.iter().enumerate() {
        let fault = match told.as_ref().map(|told| &told[i]) {
            // Without a second judge the engines of the house must at least agree.
            None if agreed(question) => None,
            None => question.difference.clone(),
            // A sample of which the judge does not know a feature.
            Some(Err(_)) if question.difference.is_none() => None,
            Some(Err(why)) => Some(format!("no judge decides ({why}): {:?}", question.difference)),
            Some(Ok(told)) => {
                judged += 1;
                let difference = question
                    .ours
                    .iter()
                    .find_map(|(engine, seen)| second::differs(told, seen).map(|text| format!("{engine}, {text}")));
                for_us += usize::from(difference.is_none() && question.difference.is_some());
                // If WebAssembly leaves the bits undefined, every engine may be right.
                difference.filter(|_| !(agreed(question) && engines::leaves_bits_open(&question.wasm)))
            }
        };
        faults.extend(fault.map(|fault| (*seed, fault)));
    }
    println!("{kind}: V8 judged {judged} of {} modules, {for_us} of them against wasmi", questions.len());
    let samples = questions.values().filter(|question| question.difference.is_none()).count();
    assert!(told.is_none() || 2 * judged >= samples, "V8 judged only {judged} of {samples} samples");
    faults
}

/// Whether all engines of the house see the same.
fn agreed(question: &Question) -> bool {
    question.ours.iter().all(|(_, seen)| *seen == question.ours[0].1)
}

#[test]
fn all_engines_see_the_same() {
    let seeds = seeds(0..2000);
    let (faults, made, seen) = faults(&seeds, |seed| module(&bytes(seed)), "wasm");
    assert!(made * 2 > seeds.clone().count() && seen > made, "only {made} modules and {seen} things to see");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn all_engines_see_the_same_of_trees() {
    let seeds = seeds(0..300);
    let (faults, _, seen) = faults(&seeds, |seed| Some(trees::module(seed).into_bytes()), "wat");
    assert!(faults.is_empty(), "{faults:#?}");
    // Two functions, each called three times and then the memory.
    assert_eq!(seen, 8 * seeds.count());
}

#[test]
fn all_engines_see_the_same_of_accesses() {
    let seeds = seeds(0..300);
    let module = |seed| Some(planish_generate::accesses(&mut Choices::from_seed(seed)).into_bytes());
    let (faults, _, seen) = faults(&seeds, module, "accesses.wat");
    assert!(faults.is_empty(), "{faults:#?}");
    // Two functions, each called three times and then the global and the memories.
    assert!(seen >= 10 * seeds.count());
}
