//! Loads of memory 0 fused with a jump on the result: the words of the load ([`super::bytes`]), and one with the bound,
//! which is a register or a constant of 16 bits, and in its upper half the distance.

use super::bytes::{Load, load8_s32, load8_u, load16_u, load32_u};
use super::jumps::{leap, leap_if, unrelated};
use super::operands::{Acc, At, AtPlus, AtScaled, AtSum, Number, Out, Pair, Place, Sink, Slot};
use super::scalar::Binary;
use super::{handlers, next, trap};

/// The jumps on a comparison, by the load's address: at a register, at a register and a constant, at two registers, each also
/// with the first in the accumulator; at a shifted register or accumulator and a register; then, and a constant. Each with the
/// bound in a register, and a constant.
pub(crate) type LoadJumps = [[Pair; 2]; 10];

/// The comparisons that are fused with loads.
pub(crate) trait Loaded: Binary<R = bool> {
    /// Their handlers, by the load.
    const BYTE: LoadJumps = load_jumps::<load8_u, Self>();
    /// With a sign.
    const SIGNED_BYTE: LoadJumps = load_jumps::<load8_s32, Self>();
    /// Of 16 bits.
    const HALF: LoadJumps = load_jumps::<load16_u, Self>();
    /// Of 32 bits.
    const WORD: LoadJumps = load_jumps::<load32_u, Self>();
}

impl<Op: Binary<R = bool>> Loaded for Op {}

const fn load_jumps<L: Load, Op: Binary<R = bool>>() -> LoadJumps {
    [
        at::<L, At<Slot<0>>, 1, Op>(),
        at::<L, At<Acc>, 1, Op>(),
        at::<L, AtPlus<Slot<0>>, 1, Op>(),
        at::<L, AtPlus<Acc>, 1, Op>(),
        at::<L, AtSum<Slot<0>>, 2, Op>(),
        at::<L, AtSum<Acc>, 2, Op>(),
        at::<L, AtScaled<Slot<0>, false>, 3, Op>(),
        at::<L, AtScaled<Acc, false>, 3, Op>(),
        at::<L, AtScaled<Slot<0>, true>, 3, Op>(),
        at::<L, AtScaled<Acc, true>, 3, Op>(),
    ]
}

const fn at<L: Load, P: Place, const OUT: usize, Op: Binary<R = bool>>() -> [Pair; 2] {
    [
        [test::<L, P, OUT, Op, false, false>, test::<L, P, OUT, Op, false, true>],
        [test::<L, P, OUT, Op, true, false>, test::<L, P, OUT, Op, true, true>],
    ]
}

handlers! {
    fn test[L: Load, P: Place, const OUT: usize, Op: Binary<R = bool>, const BOUND: bool, const BACK: bool](ip, m) {
        let place = P::place(ip, &m);
        if place + size_of::<L::Bytes>() as u64 > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        let value = L::value(m.memory.add(place as usize).cast::<L::Bytes>().read_unaligned());
        Out::<OUT>::put(ip, &mut m, value);
        let word = *ip.add(P::WORDS);
        let bound = if BOUND { Op::T::small(word as i16) } else { Op::T::get(*m.fp.add(word as u16 as usize)) };
        let holds = matches!(Op::value(Op::T::get(value.put()), bound), Ok(true));
        leap_if!(holds, BACK, ip.offset((word >> 32) as i32 as isize), ip.add(P::WORDS + 1), m)
    }
}
