//! Ops on vectors by explicit SSE2 instructions that the compiler does not select for the arrays of [`super::simd`]:
//! mostly lanes of 8 and 16 bits. SSE2 is part of every x86-64 processor; only the byte shuffle needs more.

// Some rows of the tables call safe functions only.
#![allow(unused_unsafe)]

use std::arch::x86_64::*;

use planish_ir::ops::{LaneShape, Op};

use super::lanes::Words;
use super::operands::{Acc, Constant, Out, Pair, Pass, Slot};
use super::simd::{Literal, Reduce, Register, Shift, Two, Wide, reduce, set_wide, shift, two};
use super::{Handler, handlers, next};

/// A vector as the processor has it.
#[inline(always)]
fn of(words: Words) -> __m128i {
    // SAFETY: both are 16 bytes, any of which are good.
    unsafe { std::mem::transmute(words) }
}

/// Back again.
#[inline(always)]
fn words(vector: __m128i) -> Words {
    // SAFETY: both are 16 bytes, any of which are good.
    unsafe { std::mem::transmute(vector) }
}

#[inline(always)]
fn not(a: __m128i) -> __m128i {
    // SAFETY: every such processor has SSE2.
    unsafe { _mm_xor_si128(a, _mm_set1_epi8(-1)) }
}

/// `a` where the mask has ones, `b` where it has zeros.
#[inline(always)]
fn choose(mask: __m128i, a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: every such processor has SSE2.
    unsafe { _mm_or_si128(_mm_and_si128(mask, a), _mm_andnot_si128(mask, b)) }
}

/// Lanes of `a` that are at most those of `b`, unsigned: their saturating difference is zero.
#[inline(always)]
fn at_most_u16(a: __m128i, b: __m128i) -> __m128i {
    // SAFETY: every such processor has SSE2.
    unsafe { _mm_cmpeq_epi16(_mm_subs_epu16(a, b), _mm_setzero_si128()) }
}

macro_rules! two_table {
    ($($op:ident $shape:pat, |$a:ident, $b:ident| $value:expr;)*) => {
        /// An op with two vectors: both in registers, the second a constant.
        pub(super) fn binary(op: Op, shape: LaneShape) -> Option<[Handler; 2]> {
            use LaneShape as S;
            Some(match (op, shape) {
                $((Op::$op, $shape) => {
                    struct Row;
                    impl Two for Row {
                        #[inline(always)]
                        fn value(a: Words, b: Words) -> Words {
                            let ($a, $b) = (of(a), of(b));
                            // SAFETY: every such processor has SSE2.
                            words(unsafe { $value })
                        }
                    }
                    [two::<Row, Register<1>>, two::<Row, Literal>]
                })*
                _ => return bytes_moved(op),
            })
        }
    };
}

two_table! {
    SimdAdd S::I8x16, |a, b| _mm_add_epi8(a, b);
    SimdAdd S::I16x8, |a, b| _mm_add_epi16(a, b);
    SimdSubtract S::I8x16, |a, b| _mm_sub_epi8(a, b);
    SimdSubtract S::I16x8, |a, b| _mm_sub_epi16(a, b);
    SimdMultiply S::I16x8, |a, b| _mm_mullo_epi16(a, b);
    SimdAddSaturate S::I8x16, |a, b| _mm_adds_epi8(a, b);
    SimdAddSaturate S::U8x16, |a, b| _mm_adds_epu8(a, b);
    SimdAddSaturate S::I16x8, |a, b| _mm_adds_epi16(a, b);
    SimdAddSaturate S::U16x8, |a, b| _mm_adds_epu16(a, b);
    SimdSubtractSaturate S::I8x16, |a, b| _mm_subs_epi8(a, b);
    SimdSubtractSaturate S::U8x16, |a, b| _mm_subs_epu8(a, b);
    SimdSubtractSaturate S::I16x8, |a, b| _mm_subs_epi16(a, b);
    SimdSubtractSaturate S::U16x8, |a, b| _mm_subs_epu16(a, b);
    SimdAverage S::U8x16, |a, b| _mm_avg_epu8(a, b);
    SimdAverage S::U16x8, |a, b| _mm_avg_epu16(a, b);
    SimdMin S::U8x16, |a, b| _mm_min_epu8(a, b);
    SimdMin S::I8x16, |a, b| choose(_mm_cmpgt_epi8(a, b), b, a);
    SimdMin S::I16x8, |a, b| _mm_min_epi16(a, b);
    SimdMin S::U16x8, |a, b| _mm_sub_epi16(a, _mm_subs_epu16(a, b));
    SimdMax S::U8x16, |a, b| _mm_max_epu8(a, b);
    SimdMax S::I8x16, |a, b| choose(_mm_cmpgt_epi8(a, b), a, b);
    SimdMax S::I16x8, |a, b| _mm_max_epi16(a, b);
    SimdMax S::U16x8, |a, b| _mm_add_epi16(b, _mm_subs_epu16(a, b));
    SimdEqual S::I8x16, |a, b| _mm_cmpeq_epi8(a, b);
    SimdEqual S::I16x8, |a, b| _mm_cmpeq_epi16(a, b);
    SimdNotEqual S::I8x16, |a, b| not(_mm_cmpeq_epi8(a, b));
    SimdNotEqual S::I16x8, |a, b| not(_mm_cmpeq_epi16(a, b));
    SimdLessThan S::I8x16, |a, b| _mm_cmpgt_epi8(b, a);
    SimdLessThan S::U8x16, |a, b| not(_mm_cmpeq_epi8(_mm_max_epu8(a, b), a));
    SimdLessThan S::I16x8, |a, b| _mm_cmpgt_epi16(b, a);
    SimdLessThan S::U16x8, |a, b| not(at_most_u16(b, a));
    SimdLessThanEqual S::I8x16, |a, b| not(_mm_cmpgt_epi8(a, b));
    SimdLessThanEqual S::U8x16, |a, b| _mm_cmpeq_epi8(_mm_min_epu8(a, b), a);
    SimdLessThanEqual S::I16x8, |a, b| not(_mm_cmpgt_epi16(a, b));
    SimdLessThanEqual S::U16x8, |a, b| at_most_u16(a, b);
    SimdGreaterThan S::I8x16, |a, b| _mm_cmpgt_epi8(a, b);
    SimdGreaterThan S::U8x16, |a, b| not(_mm_cmpeq_epi8(_mm_min_epu8(a, b), a));
    SimdGreaterThan S::I16x8, |a, b| _mm_cmpgt_epi16(a, b);
    SimdGreaterThan S::U16x8, |a, b| not(at_most_u16(a, b));
    SimdGreaterThanEqual S::I8x16, |a, b| not(_mm_cmpgt_epi8(b, a));
    SimdGreaterThanEqual S::U8x16, |a, b| _mm_cmpeq_epi8(_mm_max_epu8(a, b), a);
    SimdGreaterThanEqual S::I16x8, |a, b| not(_mm_cmpgt_epi16(b, a));
    SimdGreaterThanEqual S::U16x8, |a, b| at_most_u16(b, a);
    SimdNarrow S::I8x16, |a, b| _mm_packs_epi16(a, b);
    SimdNarrow S::U8x16, |a, b| _mm_packus_epi16(a, b);
    SimdNarrow S::I16x8, |a, b| _mm_packs_epi32(a, b);
    SimdDot _, |a, b| _mm_madd_epi16(a, b);
}

macro_rules! shift_table {
    ($($op:ident $shape:ident |$a:ident, $by:ident| $value:expr;)*) => {
        /// A shift: by a register, by the accumulator, and by a constant.
        pub(super) fn shifts(op: Op, shape: LaneShape) -> Option<([Pair; 3], Handler)> {
            Some(match (op, shape) {
                $((Op::$op, LaneShape::$shape) => {
                    struct Row;
                    impl Shift for Row {
                        #[inline(always)]
                        fn value(a: Words, by: u32) -> Words {
                            let $a = of(a);
                            // SAFETY: every such processor has SSE2.
                            let $by = unsafe { _mm_cvtsi32_si128((by % LaneShape::$shape.bits()) as i32) };
                            // SAFETY: every such processor has SSE2.
                            words(unsafe { $value })
                        }
                    }
                    let register: Handler = shift::<Row, Slot<1>, 2>;
                    ([[register; 2], [register; 2], [shift::<Row, Acc, 2>; 2]], shift::<Row, Constant, 1>)
                })*
                _ => return None,
            })
        }
    };
}

shift_table! {
    SimdShiftLeft I16x8 |a, by| _mm_sll_epi16(a, by);
    SimdShiftLeft I32x4 |a, by| _mm_sll_epi32(a, by);
    SimdShiftLeft I64x2 |a, by| _mm_sll_epi64(a, by);
    SimdShiftRight I16x8 |a, by| _mm_sra_epi16(a, by);
    SimdShiftRight U16x8 |a, by| _mm_srl_epi16(a, by);
    SimdShiftRight I32x4 |a, by| _mm_sra_epi32(a, by);
    SimdShiftRight U32x4 |a, by| _mm_srl_epi32(a, by);
    SimdShiftRight U64x2 |a, by| _mm_srl_epi64(a, by);
}

/// The highest bits of all bytes.
struct ByteSigns;

impl Reduce for ByteSigns {
    #[inline(always)]
    fn value(a: Words) -> u64 {
        // SAFETY: every such processor has SSE2.
        (unsafe { _mm_movemask_epi8(of(a)) }) as u64
    }
}

/// An op that reduces a vector to a number.
pub(super) fn reductions(op: Op, shape: LaneShape) -> Option<Pair> {
    ((op, shape) == (Op::SimdBitmask, LaneShape::I8x16))
        .then_some([reduce::<ByteSigns, Out<1>>, reduce::<ByteSigns, Pass>])
}

/// Ops that move bytes, if the processor can: both in registers, the last a constant.
pub(super) fn bytes_moved(op: Op) -> Option<[Handler; 2]> {
    if !std::arch::is_x86_feature_detected!("ssse3") {
        return None;
    }
    match op {
        Op::SimdSwizzle => Some([swizzle::<Register<1>>, swizzle::<Literal>]),
        Op::SimdShuffle => Some([shuffle::<Register<2>>, shuffle::<Literal>]),
        _ => None,
    }
}

handlers! {
    /// Indices above 15 become at least 128, which select 0.
    #[target_feature(enable = "ssse3")]
    fn swizzle[B: Wide](ip, m) {
        let (a, which) = (of(Register::<0>::get(ip, &m)), of(B::get(ip, &m)));
        set_wide(ip, &m, 2, words(_mm_shuffle_epi8(a, _mm_adds_epu8(which, _mm_set1_epi8(0x70)))));
        next!(ip.add(2 + B::WORDS), m)
    }
    /// As `swizzle` with both operands: indices outside of an operand select 0 there.
    #[target_feature(enable = "ssse3")]
    fn shuffle[C: Wide](ip, m) {
        let (a, b) = (of(Register::<0>::get(ip, &m)), of(Register::<1>::get(ip, &m)));
        let which = _mm_and_si128(of(C::get(ip, &m)), _mm_set1_epi8(31));
        let first = _mm_shuffle_epi8(a, _mm_add_epi8(which, _mm_set1_epi8(0x70)));
        let second = _mm_shuffle_epi8(b, _mm_sub_epi8(which, _mm_set1_epi8(16)));
        set_wide(ip, &m, 3, words(_mm_or_si128(first, second)));
        next!(ip.add(2 + C::WORDS), m)
    }
}
