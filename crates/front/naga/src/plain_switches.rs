//! Removes the literals of a SPIR-V binary's switches that lead to the default: naga's reader makes a case of each,
//! which falls through to the next case.
//!
//! ```text
//! OpSwitch %x %default 0 %default 1 %one     ->     OpSwitch %x %default 1 %one
//! ```

use std::borrow::Cow;

/// Opcode of the SPIR-V specification, 3.52.
const SWITCH: u32 = 251;

/// Words before the first instruction.
const HEADER: usize = 5;

/// The binary without such literals. Malformed binaries are left as they are. Switches over 64 bits, whose literals
/// have two words, are not recognized here; naga refuses them.
pub(crate) fn plain_switches(words: &[u32]) -> Cow<'_, [u32]> {
    let Some(header) = words.get(..HEADER) else { return Cow::Borrowed(words) };
    let (mut out, mut changed) = (header.to_vec(), false);
    let mut rest = &words[HEADER..];
    while let Some(&first) = rest.first() {
        let length = (first >> 16) as usize;
        let Some(instruction) = rest.get(..length).filter(|i| !i.is_empty()) else { return Cow::Borrowed(words) };
        rest = &rest[length..];
        let pairs = instruction.get(3..).unwrap_or(&[]).as_chunks::<2>();
        if first & 0xffff != SWITCH || !pairs.1.is_empty() || pairs.0.iter().all(|p| p[1] != instruction[2]) {
            out.extend_from_slice(instruction);
            continue;
        }
        changed = true;
        let start = out.len();
        out.extend_from_slice(&instruction[..3]);
        out.extend(pairs.0.iter().filter(|p| p[1] != instruction[2]).flatten());
        out[start] = ((out.len() - start) as u32) << 16 | SWITCH;
    }
    if changed { Cow::Owned(out) } else { Cow::Borrowed(words) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_default_go() {
        let switch = |operands: &[u32]| {
            let mut words = vec![0; HEADER];
            words.push((operands.len() as u32 + 1) << 16 | SWITCH);
            words.extend_from_slice(operands);
            words
        };
        let before = switch(&[1, 9, 0, 9, 4, 8, 5, 9]);
        assert_eq!(*plain_switches(&before), switch(&[1, 9, 4, 8]));
        let plain = switch(&[1, 9, 4, 8]);
        assert!(matches!(plain_switches(&plain), Cow::Borrowed(_)));
        let cut_off = [&before[..], &[7 << 16 | SWITCH]].concat();
        assert_eq!(*plain_switches(&cut_off), cut_off);
    }
}
