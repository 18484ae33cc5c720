//! Accesses that trap by a fault of the processor: the stop that an instruction stands for.
//!
//! Cranelift tells at which instructions code may trap, with a small number that the access was given, and the place that
//! an instruction had. An access has its ordinal in the function as its place, and its ordinal modulo [`CODES`] as its
//! number. An instruction may have taken in an access and yet have the place of another node (`add` with an operand in
//! memory): the number is right, and the place is near. So the stop is that of the access nearest to the place of those with
//! the number, which is exact in functions with at most [`CODES`] accesses, and in others unless code has been moved past as many.

use cranelift_codegen::CompiledCode;
use cranelift_codegen::ir::{SourceLoc, TrapCode};
use planish_ir::function::TrapKind;
use rustc_hash::FxHashMap;

use crate::body::Builder;
use crate::compile::Stops;
use crate::{Reason, Stop};

/// Number of the codes of accesses: from 1 on.
const CODES: u32 = 249;

/// The code of an instruction that is never reached.
pub(crate) fn never() -> TrapCode {
    TrapCode::unwrap_user(CODES as u8 + 1)
}

impl Builder<'_, '_> {
    /// The code of an access at the present place, which may fault.
    pub(crate) fn fault(&mut self, kind: TrapKind) -> TrapCode {
        let ordinal = self.accesses.len() as u32;
        self.accesses.push(Stop { reason: Reason::Trap(kind), span: self.span });
        TrapCode::unwrap_user((ordinal % CODES) as u8 + 1)
    }

    /// Gives the instructions to come their place: the number of accesses before them.
    pub(crate) fn mark_place(&mut self) {
        if self.env.options.guard_pages {
            self.b.set_srcloc(SourceLoc::new(self.accesses.len() as u32));
        }
    }

    /// All stops, of faults too.
    pub(crate) fn numbered_stops(&mut self) -> Stops {
        let mut all = std::mem::take(&mut self.stops);
        let mut numbers = FxHashMap::default();
        let of_accesses = self.accesses.iter().map(|&stop| {
            *numbers.entry((stop.reason, stop.span)).or_insert_with(|| {
                all.push(stop);
                all.len() as u32 - 1
            })
        });
        let of_accesses = of_accesses.collect();
        Stops { all, of_accesses }
    }
}

/// The instructions of a function with `count` accesses that may fault, by their first byte, in order, with the ordinals of
/// their accesses.
pub(crate) fn faults(code: &CompiledCode, count: u32) -> Vec<(u32, u32)> {
    let places = code.buffer.get_srclocs_sorted();
    let mut last = 0;
    let mut faults = Vec::with_capacity(count as usize);
    for trap in code.buffer.traps() {
        let number = u32::from(trap.code.as_raw().get()) - 1;
        if number >= CODES {
            continue;
        }
        let place = places.partition_point(|place| place.end <= trap.offset);
        let place = places.get(place).filter(|place| place.start <= trap.offset && !place.loc.is_default());
        last = nearest(place.map_or(last, |place| place.loc.bits()), number, count);
        faults.push((trap.offset, last));
    }
    faults.sort_unstable();
    faults
}

/// The ordinal of an access with a code, at a place, in a function with `count` accesses; the code may be that of an
/// instruction that is never reached.
pub(crate) fn ordinal(place: u32, code: TrapCode, count: u32) -> u32 {
    let number = u32::from(code.as_raw().get()) - 1;
    nearest(place.min(count.saturating_sub(1)), number, count)
}

/// The ordinal below `count` nearest to a place of those with a number.
fn nearest(place: u32, number: u32, count: u32) -> u32 {
    let below = place.checked_sub(number).map(|more| place - more % CODES);
    let above = below.map_or(number, |below| below + CODES);
    match below {
        Some(below) if above >= count || place - below <= above - place => below.min(last_of(number, count)),
        _ => above,
    }
}

/// The last ordinal below `count` with a number.
fn last_of(number: u32, count: u32) -> u32 {
    debug_assert!(number < count, "a code is that of an access");
    count - 1 - (count - 1 - number) % CODES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_access_with_a_number_is_found() {
        for (place, number, count, expected) in [
            (0, 0, 1, 0),
            (5, 3, 10, 3),
            (3, 9, 10, 9),
            (260, 9, 1000, 258),
            (200, 9, 1000, 258),
            (100, 9, 1000, 9),
            (200, 9, 250, 9),
            (999, 0, 250, 249),
        ] {
            assert_eq!(nearest(place, number, count), expected, "{place} {number} {count}");
        }
    }
}
