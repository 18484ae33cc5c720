//! Damaged binaries: a diagnostic, or a module that verifies; never a crash.

use planish_front_spirv::{read, words_of};
use planish_ir::source::SourceMap;

use crate::binaries::all;

fn words(bytes: &[u8]) -> Vec<u32> {
    let file = SourceMap::new().add_binary("whole.spv", bytes.len()).expect("small");
    words_of(&file, bytes).expect("whole words")
}

/// Reads on a stack of a test's size; the module verifies, or an error says what is wrong and how to go on.
fn check(name: &str, words: &[u32]) {
    match read(name, words) {
        Ok((module, _)) => assert_eq!(planish_ir::verify::verify(&module), [], "{name}"),
        Err(errors) => {
            assert!(!errors.is_empty(), "{name}: no module and no error");
            assert!(
                errors.iter().all(|e| !e.message.is_empty() && !e.help.is_empty()
                    || e.code.to_string() == "E0706"
                    || e.code.to_string() == "E0707"),
                "{name}: {errors:#?}"
            );
        }
    }
}

#[test]
fn what_is_no_binary_is_refused() {
    let file = SourceMap::new().add_binary("odd.spv", 3).expect("small");
    assert!(words_of(&file, &[3, 2, 35]).is_err());
    for words in [&[][..], &[0x0723_0203], &[0x0723_0203, 0x10000, 0, 0xffff_ffff, 0], &[1, 2, 3, 4, 5, 6]] {
        assert!(read("none.spv", words).is_err(), "{words:?}");
    }
    // A module without anything in it is one.
    check("empty.spv", &[0x0723_0203, 0x10000, 0, 10, 0]);
}

#[test]
fn damaged_binaries_are_refused_or_valid() {
    // A small generator of reproducible damage.
    let mut state = 12345u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    let (mut accepted, mut refused) = (0, 0);
    for (name, bytes) in all() {
        let whole = words(&bytes);
        for _ in 0..400 {
            let mut damaged = whole.clone();
            let at = 5 + next(whole.len() - 5);
            match next(5) {
                0 => damaged.truncate(at),
                1 => damaged[at] ^= 1 << next(32),
                2 => damaged[at] = next(64) as u32,
                // Another id, or another instruction of the same length.
                3 => damaged[at] = whole[3].saturating_sub(1 + next(20) as u32),
                _ => {
                    let other = 5 + next(whole.len() - 5);
                    damaged.swap(at, other);
                }
            }
            check(&name, &damaged);
            match read(&name, &damaged) {
                Ok(_) => accepted += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(accepted > 100 && refused > 1000, "{accepted} accepted, {refused} refused");
}
