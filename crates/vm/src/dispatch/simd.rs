//! Ops on 128-bit vectors, which two registers hold. The tables here define ops by lane shape, on arrays that the
//! compiler vectorizes; the results are those of [`planish_ir::meaning`], whose floats have one NaN.
//!
//! ```text
//! one vector: a out            two: a b out        with a constant: a _ out, and two words
//! three: a b c out             with a constant: a b _ out, and two words
//! shift: a amount out          by a constant: a out amount
//! splat: x out                 lane: a out number  lane put in: x a out number
//! ```

use planish_ir::ops::{LaneShape, Op};

use super::lanes::{Lane, Lanes, Words, array, each, make};
use super::operands::{
    Acc, At, AtConstant, AtPlus, AtScaled, AtSum, Constant, Forms, Number, Out, Pair, Pass, Place, Sink, Slot, Source,
};
use super::{Handler, Ip, State, half, handlers, next, trap};

/// An op with one vector.
pub(crate) trait One {
    fn value(a: Words) -> Words;
}

/// An op with two vectors.
pub(crate) trait Two {
    fn value(a: Words, b: Words) -> Words;
}

/// A shift of all lanes by a number below their width.
pub(crate) trait Shift {
    fn value(a: Words, by: u32) -> Words;
}

/// An op that reduces a vector to a number.
pub(crate) trait Reduce {
    fn value(a: Words) -> u64;
}

/// An op that builds a vector from a number.
pub(crate) trait Splat {
    type T: Number;
    fn value(x: Self::T) -> Words;
}

/// A lane as a number, and a number as a lane.
pub(crate) trait Part {
    type T: Number;
    fn get(a: Words, lane: usize) -> Self::T;
    fn put(a: Words, lane: usize, x: Self::T) -> Words;
}

/// Replaces any NaN by the canonical one.
#[inline(always)]
fn canonical32(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(planish_ir::meaning::NAN_F32) } else { x }
}

/// As [`canonical32`].
#[inline(always)]
fn canonical64(x: f64) -> f64 {
    if x.is_nan() { f64::from_bits(planish_ir::meaning::NAN_F64) } else { x }
}

/// Square roots, which the compiler does not see beside [`canonical32`]: it knows that a root may be NaN, assumes that NaNs are
/// interchangeable, and would keep the processor's, with a sign. Of a number, which is passed in registers: a handler that passed a
/// place, as `black_box` does, could not end with a jump.
#[inline(never)]
fn roots32(a: u128) -> u128 {
    number(each(<[f32; 4]>::of(words(a)), f32::sqrt).words())
}

/// As [`roots32`].
#[inline(never)]
fn roots64(a: u128) -> u128 {
    number(each(<[f64; 2]>::of(words(a)), f64::sqrt).words())
}

#[inline(always)]
fn number([low, high]: Words) -> u128 {
    u128::from(low) | u128::from(high) << 64
}

#[inline(always)]
fn words(number: u128) -> Words {
    [number as u64, (number >> 64) as u64]
}

/// IEEE 754-2019 `minimum` and `maximum`.
macro_rules! extremes {
    ($($minimum:ident $maximum:ident $t:ident $canonical:ident;)*) => { $(
        #[inline(always)]
        fn $minimum(x: $t, y: $t) -> $t {
            // Of equal ones only zeros differ, in their signs.
            let least = if x < y { x } else if y < x { y } else { $t::from_bits(x.to_bits() | y.to_bits()) };
            if x.is_nan() || y.is_nan() { $canonical($t::NAN) } else { least }
        }
        #[inline(always)]
        fn $maximum(x: $t, y: $t) -> $t {
            let greatest = if x > y { x } else if y > x { y } else { $t::from_bits(x.to_bits() & y.to_bits()) };
            if x.is_nan() || y.is_nan() { $canonical($t::NAN) } else { greatest }
        }
    )* };
}

extremes! {
    minimum32 maximum32 f32 canonical32;
    minimum64 maximum64 f64 canonical64;
}

/// Ops on each lane: the function that returns their handlers.
macro_rules! lanewise {
    (one $name:ident: $($op:ident $($shape:ident)+ |$a:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<Handler> {
            Some(match (op, shape) {
                $($((Op::$op, LaneShape::$shape) => {
                    struct Row;
                    impl One for Row {
                        #[inline(always)]
                        fn value(a: Words) -> Words {
                            each(<array!($shape)>::of(a), |$a| $value).words()
                        }
                    }
                    one::<Row>
                })+)*
                _ => return None,
            })
        }
    };
    (two $name:ident: $($op:ident $($shape:ident)+ |$a:ident, $b:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<[Handler; 2]> {
            Some(match (op, shape) {
                $($((Op::$op, LaneShape::$shape) => {
                    struct Row;
                    impl Two for Row {
                        #[inline(always)]
                        fn value(a: Words, b: Words) -> Words {
                            let (x, y) = (<array!($shape)>::of(a), <array!($shape)>::of(b));
                            let lanes: array!($shape) = make(|i| {
                                let ($a, $b) = (x[i], y[i]);
                                $value
                            });
                            lanes.words()
                        }
                    }
                    [two::<Row, Register<1>>, two::<Row, Literal>]
                })+)*
                _ => return None,
            })
        }
    };
    (shift $name:ident: $($op:ident $($shape:ident)+ |$a:ident, $by:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<([Pair; 3], Handler)> {
            Some(match (op, shape) {
                $($((Op::$op, LaneShape::$shape) => {
                    struct Row;
                    impl Shift for Row {
                        #[inline(always)]
                        fn value(a: Words, by: u32) -> Words {
                            let $by = by % LaneShape::$shape.bits();
                            each(<array!($shape)>::of(a), |$a| $value).words()
                        }
                    }
                    let register: Handler = shift::<Row, Slot<1>, 2>;
                    ([[register; 2], [register; 2], [shift::<Row, Acc, 2>; 2]], shift::<Row, Constant, 1>)
                })+)*
                _ => return None,
            })
        }
    };
}

/// Ops on whole vectors.
macro_rules! whole {
    (one $name:ident: $($op:ident $shape:pat, |$a:ident $of:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<Handler> {
            Some(match (op, shape) {
                $((Op::$op, $shape) => {
                    struct Row;
                    impl One for Row {
                        #[inline(always)]
                        fn value(a: Words) -> Words {
                            let $a = <array!($of)>::of(a);
                            $value.words()
                        }
                    }
                    one::<Row>
                })*
                _ => return None,
            })
        }
    };
    (two $name:ident: $($op:ident $shape:pat, |$a:ident $of:ident, $b:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<[Handler; 2]> {
            Some(match (op, shape) {
                $((Op::$op, $shape) => {
                    struct Row;
                    impl Two for Row {
                        #[inline(always)]
                        fn value(a: Words, b: Words) -> Words {
                            let ($a, $b) = (<array!($of)>::of(a), <array!($of)>::of(b));
                            $value.words()
                        }
                    }
                    [two::<Row, Register<1>>, two::<Row, Literal>]
                })*
                _ => return None,
            })
        }
    };
    (reduce $name:ident: $($op:ident $shape:pat, |$a:ident $of:ident| $value:expr;)*) => {
        fn $name(op: Op, shape: LaneShape) -> Option<Pair> {
            Some(match (op, shape) {
                $((Op::$op, $shape) => {
                    struct Row;
                    impl Reduce for Row {
                        #[inline(always)]
                        fn value(a: Words) -> u64 {
                            let $a = <array!($of)>::of(a);
                            $value
                        }
                    }
                    [reduce::<Row, Out<1>>, reduce::<Row, Pass>]
                })*
                _ => return None,
            })
        }
    };
}

/// Splats, and lanes taken out and put in.
macro_rules! parts {
    ($($shape:ident $t:ident $of:ident |$x:ident| $number:expr, |$n:ident| $lane:expr;)*) => {
        /// A number in all lanes.
        pub(crate) fn splat(shape: LaneShape) -> Option<Forms> {
            Some(match shape {
                $(LaneShape::$shape => {
                    struct Row;
                    impl Splat for Row {
                        type T = $t;
                        #[inline(always)]
                        fn value($n: $t) -> Words {
                            let lanes: array!($of) = make(|_| $lane);
                            lanes.words()
                        }
                    }
                    &[[splat_of::<Row, Slot<0>>; 2], [splat_of::<Row, Acc>; 2]]
                })*
                _ => return None,
            })
        }
        $(
            /// Takes lanes of the shape out and puts them in.
            pub(crate) enum $shape {}
            impl Part for $shape {
                type T = $t;
                #[inline(always)]
                fn get(a: Words, lane: usize) -> $t {
                    let bits = LaneShape::$shape.bits() as usize;
                    let lanes = 64 / bits;
                    // Shifted out of its word; higher bits are truncated with the number's own.
                    let word = a[lane / lanes % 2] >> (lane % lanes * bits);
                    let $x = word;
                    $number
                }
                #[inline(always)]
                fn put(a: Words, lane: usize, $n: $t) -> Words {
                    let (old, new) = (<array!($of)>::of(a), $lane);
                    let lanes: array!($of) = make(|i| if i == lane { new } else { old[i] });
                    lanes.words()
                }
            }
        )*
        /// A lane as a number.
        pub(crate) fn extract(shape: LaneShape) -> Option<Pair> {
            Some(match shape {
                $(LaneShape::$shape => [extract_of::<$shape, Out<1>>, extract_of::<$shape, Pass>],)*
                _ => return None,
            })
        }
        /// A number as a lane.
        pub(crate) fn insert(shape: LaneShape) -> Option<Forms> {
            Some(match shape {
                $(LaneShape::$shape => &[[insert_into::<$shape, Slot<0>>; 2], [insert_into::<$shape, Acc>; 2]],)*
                _ => return None,
            })
        }
    };
}

parts! {
    I8x16 u32 I8x16 |x| x as i8 as i32 as u32, |n| n as i8;
    U8x16 u32 U8x16 |x| (x as u8).into(), |n| n as u8;
    I16x8 u32 I16x8 |x| x as i16 as i32 as u32, |n| n as i16;
    U16x8 u32 U16x8 |x| (x as u16).into(), |n| n as u16;
    I32x4 u32 U32x4 |x| x as u32, |n| n;
    I64x2 u64 U64x2 |x| x, |n| n;
    F32x4 f32 F32x4 |x| f32::from_bits(x as u32), |n| n;
    F64x2 f64 F64x2 |x| f64::from_bits(x), |n| n;
}

lanewise! { one one_lanewise:
    SimdAbs I8x16 I16x8 I32x4 I64x2 |a| a.wrapping_abs();
    SimdAbs F32x4 |a| f32::from_bits(a.to_bits() & !(1 << 31));
    SimdAbs F64x2 |a| f64::from_bits(a.to_bits() & !(1 << 63));
    SimdNegate I8x16 I16x8 I32x4 I64x2 |a| a.wrapping_neg();
    SimdNegate F32x4 |a| f32::from_bits(a.to_bits() ^ 1 << 31);
    SimdNegate F64x2 |a| f64::from_bits(a.to_bits() ^ 1 << 63);
    SimdBitCount I8x16 |a| a.count_ones() as i8;
    SimdCeil F32x4 |a| canonical32(a.ceil());
    SimdCeil F64x2 |a| canonical64(a.ceil());
    SimdFloor F32x4 |a| canonical32(a.floor());
    SimdFloor F64x2 |a| canonical64(a.floor());
    SimdTrunc F32x4 |a| canonical32(a.trunc());
    SimdTrunc F64x2 |a| canonical64(a.trunc());
    SimdRoundEven F32x4 |a| canonical32(a.round_ties_even());
    SimdRoundEven F64x2 |a| canonical64(a.round_ties_even());
}

lanewise! { two two_lanewise:
    SimdEqual I8x16 I16x8 I32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a == b);
    SimdNotEqual I8x16 I16x8 I32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a != b);
    SimdLessThan I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a < b);
    SimdLessThanEqual I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a <= b);
    SimdGreaterThan I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a > b);
    SimdGreaterThanEqual I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 I64x2 F32x4 F64x2 |a, b| Lane::ones(a >= b);
    SimdAdd I8x16 I16x8 I32x4 I64x2 |a, b| a.wrapping_add(b);
    SimdAdd F32x4 |a, b| canonical32(a + b);
    SimdAdd F64x2 |a, b| canonical64(a + b);
    SimdSubtract I8x16 I16x8 I32x4 I64x2 |a, b| a.wrapping_sub(b);
    SimdSubtract F32x4 |a, b| canonical32(a - b);
    SimdSubtract F64x2 |a, b| canonical64(a - b);
    SimdMultiply I16x8 I32x4 I64x2 |a, b| a.wrapping_mul(b);
    SimdMultiply F32x4 |a, b| canonical32(a * b);
    SimdMultiply F64x2 |a, b| canonical64(a * b);
    SimdDivide F32x4 |a, b| canonical32(a / b);
    SimdDivide F64x2 |a, b| canonical64(a / b);
    SimdAddSaturate I8x16 U8x16 I16x8 U16x8 |a, b| a.saturating_add(b);
    SimdSubtractSaturate I8x16 U8x16 I16x8 U16x8 |a, b| a.saturating_sub(b);
    SimdMin I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 |a, b| a.min(b);
    SimdMin F32x4 |a, b| minimum32(a, b);
    SimdMin F64x2 |a, b| minimum64(a, b);
    SimdMax I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 |a, b| a.max(b);
    SimdMax F32x4 |a, b| maximum32(a, b);
    SimdMax F64x2 |a, b| maximum64(a, b);
    SimdPseudoMin F32x4 F64x2 |a, b| if b < a { b } else { a };
    SimdPseudoMax F32x4 F64x2 |a, b| if a < b { b } else { a };
    SimdAverage U8x16 |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8;
    SimdAverage U16x8 |a, b| (u32::from(a) + u32::from(b)).div_ceil(2) as u16;
}

lanewise! { shift shift_lanewise:
    SimdShiftLeft I8x16 I16x8 I32x4 I64x2 |a, by| a << by;
    SimdShiftRight I8x16 U8x16 I16x8 U16x8 I32x4 U32x4 I64x2 U64x2 |a, by| a >> by;
}

/// Half of the lanes, from number `from` on, each mapped by `f`.
#[inline(always)]
fn half_of<T: Copy, R: Copy + Default, const N: usize, const M: usize>(
    a: [T; N],
    from: usize,
    f: impl Fn(T) -> R,
) -> [R; M] {
    make(|i| f(a[from + i]))
}

/// `f` of each lane of half of them, of two vectors.
#[inline(always)]
fn halves_of<T: Copy, R: Copy + Default, const N: usize, const M: usize>(
    (a, b): ([T; N], [T; N]),
    from: usize,
    f: impl Fn(T, T) -> R,
) -> [R; M] {
    make(|i| f(a[from + i], b[from + i]))
}

/// `f` of each two neighbours.
#[inline(always)]
fn pairs_of<T: Copy, R: Copy + Default, const N: usize, const M: usize>(a: [T; N], f: impl Fn(T, T) -> R) -> [R; M] {
    make(|i| f(a[2 * i], a[2 * i + 1]))
}

/// All lanes of two vectors, each mapped by `f`.
#[inline(always)]
fn joined<T: Copy, R: Copy + Default, const N: usize, const M: usize>(
    a: [T; N],
    b: [T; N],
    f: impl Fn(T) -> R,
) -> [R; M] {
    make(|i| f(if i < N { a[i] } else { b[i - N] }))
}

/// Two lanes of 32 bits, and 0 above.
#[inline(always)]
fn lower<T: Copy + Default, const N: usize>([x, y]: [T; 2], zero: T) -> [T; N] {
    make(|i| [x, y, zero][i.min(2)])
}

use LaneShape as S;

whole! { one one_whole:
    SimdSqrt S::F32x4, |a U64x2| each(<[f32; 4]>::of(words(roots32(number(a)))), canonical32);
    SimdSqrt S::F64x2, |a U64x2| each(<[f64; 2]>::of(words(roots64(number(a)))), canonical64);
    SimdNot _, |a U64x2| each(a, |a| !a);
    SimdExtendLow S::I16x8, |a I8x16| half_of::<_, i16, 16, 8>(a, 0, i16::from);
    SimdExtendLow S::U16x8, |a U8x16| half_of::<_, u16, 16, 8>(a, 0, u16::from);
    SimdExtendLow S::I32x4, |a I16x8| half_of::<_, i32, 8, 4>(a, 0, i32::from);
    SimdExtendLow S::U32x4, |a U16x8| half_of::<_, u32, 8, 4>(a, 0, u32::from);
    SimdExtendLow S::I64x2, |a I32x4| half_of::<_, i64, 4, 2>(a, 0, i64::from);
    SimdExtendLow S::U64x2, |a U32x4| half_of::<_, u64, 4, 2>(a, 0, u64::from);
    SimdExtendHigh S::I16x8, |a I8x16| half_of::<_, i16, 16, 8>(a, 8, i16::from);
    SimdExtendHigh S::U16x8, |a U8x16| half_of::<_, u16, 16, 8>(a, 8, u16::from);
    SimdExtendHigh S::I32x4, |a I16x8| half_of::<_, i32, 8, 4>(a, 4, i32::from);
    SimdExtendHigh S::U32x4, |a U16x8| half_of::<_, u32, 8, 4>(a, 4, u32::from);
    SimdExtendHigh S::I64x2, |a I32x4| half_of::<_, i64, 4, 2>(a, 2, i64::from);
    SimdExtendHigh S::U64x2, |a U32x4| half_of::<_, u64, 4, 2>(a, 2, u64::from);
    SimdAddPairs S::I16x8, |a I8x16| pairs_of::<_, i16, 16, 8>(a, |a, b| i16::from(a) + i16::from(b));
    SimdAddPairs S::U16x8, |a U8x16| pairs_of::<_, u16, 16, 8>(a, |a, b| u16::from(a) + u16::from(b));
    SimdAddPairs S::I32x4, |a I16x8| pairs_of::<_, i32, 8, 4>(a, |a, b| i32::from(a) + i32::from(b));
    SimdAddPairs S::U32x4, |a U16x8| pairs_of::<_, u32, 8, 4>(a, |a, b| u32::from(a) + u32::from(b));
    SimdConvert S::I32x4, |a I32x4| each(a, |a| a as f32);
    SimdConvert S::U32x4, |a U32x4| each(a, |a| a as f32);
    SimdConvertLow S::I32x4, |a I32x4| half_of::<_, f64, 4, 2>(a, 0, f64::from);
    SimdConvertLow S::U32x4, |a U32x4| half_of::<_, f64, 4, 2>(a, 0, f64::from);
    SimdTruncate S::I32x4, |a F32x4| each(a, |a| a as i32);
    SimdTruncate S::U32x4, |a F32x4| each(a, |a| a as u32);
    SimdTruncateLow S::I32x4, |a F64x2| lower::<i32, 4>(each(a, |a| a as i32), 0);
    SimdTruncateLow S::U32x4, |a F64x2| lower::<u32, 4>(each(a, |a| a as u32), 0);
    SimdDemote _, |a F64x2| lower::<f32, 4>(each(a, |a| canonical32(a as f32)), 0.0);
    SimdPromote _, |a F32x4| half_of::<_, f64, 4, 2>(a, 0, |a| canonical64(f64::from(a)));
}

whole! { two two_whole:
    SimdAnd _, |a U64x2, b| [a[0] & b[0], a[1] & b[1]];
    SimdAndNot _, |a U64x2, b| [a[0] & !b[0], a[1] & !b[1]];
    SimdOr _, |a U64x2, b| [a[0] | b[0], a[1] | b[1]];
    SimdXor _, |a U64x2, b| [a[0] ^ b[0], a[1] ^ b[1]];
    SimdSwizzle _, |a U8x16, b| each(b, |at| if at < 16 { a[at as usize % 16] } else { 0 });
    SimdNarrow S::I8x16, |a I16x8, b| joined::<_, i8, 8, 16>(a, b, |x| x.clamp(-0x80, 0x7f) as i8);
    SimdNarrow S::U8x16, |a I16x8, b| joined::<_, u8, 8, 16>(a, b, |x| x.clamp(0, 0xff) as u8);
    SimdNarrow S::I16x8, |a I32x4, b| joined::<_, i16, 4, 8>(a, b, |x| x.clamp(-0x8000, 0x7fff) as i16);
    SimdNarrow S::U16x8, |a I32x4, b| joined::<_, u16, 4, 8>(a, b, |x| x.clamp(0, 0xffff) as u16);
    SimdMultiplyLow S::I16x8, |a I8x16, b| halves_of::<_, i16, 16, 8>((a, b), 0, |a, b| i16::from(a) * i16::from(b));
    SimdMultiplyLow S::U16x8, |a U8x16, b| halves_of::<_, u16, 16, 8>((a, b), 0, |a, b| u16::from(a) * u16::from(b));
    SimdMultiplyLow S::I32x4, |a I16x8, b| halves_of::<_, i32, 8, 4>((a, b), 0, |a, b| i32::from(a) * i32::from(b));
    SimdMultiplyLow S::U32x4, |a U16x8, b| halves_of::<_, u32, 8, 4>((a, b), 0, |a, b| u32::from(a) * u32::from(b));
    SimdMultiplyLow S::I64x2, |a I32x4, b| halves_of::<_, i64, 4, 2>((a, b), 0, |a, b| i64::from(a) * i64::from(b));
    SimdMultiplyLow S::U64x2, |a U32x4, b| halves_of::<_, u64, 4, 2>((a, b), 0, |a, b| u64::from(a) * u64::from(b));
    SimdMultiplyHigh S::I16x8, |a I8x16, b| halves_of::<_, i16, 16, 8>((a, b), 8, |a, b| i16::from(a) * i16::from(b));
    SimdMultiplyHigh S::U16x8, |a U8x16, b| halves_of::<_, u16, 16, 8>((a, b), 8, |a, b| u16::from(a) * u16::from(b));
    SimdMultiplyHigh S::I32x4, |a I16x8, b| halves_of::<_, i32, 8, 4>((a, b), 4, |a, b| i32::from(a) * i32::from(b));
    SimdMultiplyHigh S::U32x4, |a U16x8, b| halves_of::<_, u32, 8, 4>((a, b), 4, |a, b| u32::from(a) * u32::from(b));
    SimdMultiplyHigh S::I64x2, |a I32x4, b| halves_of::<_, i64, 4, 2>((a, b), 2, |a, b| i64::from(a) * i64::from(b));
    SimdMultiplyHigh S::U64x2, |a U32x4, b| halves_of::<_, u64, 4, 2>((a, b), 2, |a, b| u64::from(a) * u64::from(b));
    SimdDot _, |a I16x8, b| {
        let products: [i32; 8] = halves_of((a, b), 0, |a, b| i32::from(a) * i32::from(b));
        pairs_of::<_, i32, 8, 4>(products, i32::wrapping_add)
    };
    SimdMultiplyQ15 _, |a I16x8, b| halves_of::<_, i16, 8, 8>((a, b), 0, |a, b| {
        ((i32::from(a) * i32::from(b) + 0x4000) >> 15).clamp(-0x8000, 0x7fff) as i16
    });
}

/// The highest bits of lanes, lane 0 lowest.
#[inline(always)]
fn mask<T: Lane, const N: usize>(lanes: [T; N]) -> u64 {
    lanes.iter().enumerate().fold(0, |mask, (i, lane)| mask | u64::from(lane.sign()) << i)
}

whole! { reduce reduce_whole:
    SimdAnyTrue _, |a U64x2| (a[0] | a[1] != 0).into();
    SimdAllTrue S::I8x16, |a I8x16| a.iter().all(|&a| a != 0).into();
    SimdAllTrue S::I16x8, |a I16x8| a.iter().all(|&a| a != 0).into();
    SimdAllTrue S::I32x4, |a I32x4| a.iter().all(|&a| a != 0).into();
    SimdAllTrue S::I64x2, |a I64x2| a.iter().all(|&a| a != 0).into();
    SimdBitmask S::I8x16, |a I8x16| mask(a);
    SimdBitmask S::I16x8, |a I16x8| mask(a);
    SimdBitmask S::I32x4, |a I32x4| mask(a);
    SimdBitmask S::I64x2, |a I64x2| mask(a);
}

/// An op with one vector.
pub(crate) fn unary(op: Op, shape: LaneShape) -> Option<Handler> {
    one_lanewise(op, shape).or_else(|| one_whole(op, shape))
}

/// An op with two vectors: both in registers, the second a constant.
pub(crate) fn binary(op: Op, shape: LaneShape) -> Option<[Handler; 2]> {
    own::binary(op, shape).or_else(|| two_lanewise(op, shape)).or_else(|| two_whole(op, shape))
}

/// An op with three vectors: all in registers, the third a constant.
pub(crate) fn ternary(op: Op) -> Option<[Handler; 2]> {
    match op {
        Op::SimdShuffle => own::bytes_moved(op).or(Some([shuffle::<Register<2>>, shuffle::<Literal>])),
        Op::SimdSelect => Some([select_bits::<Register<2>>, select_bits::<Literal>]),
        _ => None,
    }
}

/// A shift: by a register, by the accumulator, and by a constant.
pub(crate) fn shifts(op: Op, shape: LaneShape) -> Option<([Pair; 3], Handler)> {
    own::shifts(op, shape).or_else(|| shift_lanewise(op, shape))
}

/// An op that reduces a vector to a number.
pub(crate) fn reductions(op: Op, shape: LaneShape) -> Option<Pair> {
    own::reductions(op, shape).or_else(|| reduce_whole(op, shape))
}

/// Operations that the processor has and the compiler does not select.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
use super::sse as own;

/// The processor has none.
#[cfg(not(all(target_arch = "x86_64", target_feature = "sse2", not(miri))))]
mod own {
    use super::{Handler, LaneShape, Op, Pair};

    pub(super) fn binary(_: Op, _: LaneShape) -> Option<[Handler; 2]> {
        None
    }
    pub(super) fn bytes_moved(_: Op) -> Option<[Handler; 2]> {
        None
    }
    pub(super) fn shifts(_: Op, _: LaneShape) -> Option<([Pair; 3], Handler)> {
        None
    }
    pub(super) fn reductions(_: Op, _: LaneShape) -> Option<Pair> {
        None
    }
}

/// Loads of a vector, by their addresses.
pub(crate) const LOAD: super::bytes::LoadForms = super::bytes::LoadForms {
    register: &[[load::<At<Slot<0>>, 1>; 2], [load::<At<Acc>, 1>; 2]],
    constant: &[[load::<AtConstant, 0>; 2]],
    sum: &[[load::<AtSum<Slot<0>>, 2>; 2], [load::<AtSum<Acc>, 2>; 2]],
    plus: &[[load::<AtPlus<Slot<0>>, 1>; 2], [load::<AtPlus<Acc>, 1>; 2]],
    scaled: &[
        [load::<AtScaled<Slot<0>, false>, 3>; 2],
        [load::<AtScaled<Acc, false>, 3>; 2],
        [load::<AtScaled<Slot<0>, true>, 3>; 2],
        [load::<AtScaled<Acc, true>, 3>; 2],
    ],
};

/// Stores of a vector, by their addresses; none stores a constant.
pub(crate) const STORE: super::bytes::StoreForms = super::bytes::StoreForms {
    register: &[[store::<At<Slot<0>>, 1>; 2], [store::<At<Acc>, 1>; 2]],
    constant: &[[store::<AtConstant, 0>; 2]],
    sum: &[[store::<AtSum<Slot<0>>, 2>; 2], [store::<AtSum<Acc>, 2>; 2]],
    plus: &[[store::<AtPlus<Slot<0>>, 1>; 2], [store::<AtPlus<Acc>, 1>; 2]],
    of_constant: &[],
    of_constant_sum: &[],
    of_constant_plus: &[],
};

/// Location of a vector.
pub(crate) trait Wide {
    /// Number of words in the instruction.
    const WORDS: usize;
    /// The vector.
    unsafe fn get(ip: Ip, m: &State) -> Words;
}

/// In the register that 16-bit operand number `I` names, and the next one.
pub(crate) struct Register<const I: usize>;
/// In the instruction.
pub(crate) struct Literal;

impl<const I: usize> Wide for Register<I> {
    const WORDS: usize = 0;
    #[inline(always)]
    unsafe fn get(ip: Ip, m: &State) -> Words {
        m.fp.add(half(ip, I)).cast::<Words>().read()
    }
}

impl Wide for Literal {
    const WORDS: usize = 2;
    #[inline(always)]
    unsafe fn get(ip: Ip, _: &State) -> Words {
        ip.add(2).cast::<Words>().read()
    }
}

/// Writes the register that 16-bit operand `i` names, and the next one.
#[inline(always)]
pub(crate) unsafe fn set_wide(ip: Ip, m: &State, i: usize, value: Words) {
    m.fp.add(half(ip, i)).cast::<Words>().write(value);
}

handlers! {
    fn one[Row: One](ip, m) {
        set_wide(ip, &m, 1, Row::value(Register::<0>::get(ip, &m)));
        next!(ip.add(2), m)
    }
    fn two[Row: Two, B: Wide](ip, m) {
        set_wide(ip, &m, 2, Row::value(Register::<0>::get(ip, &m), B::get(ip, &m)));
        next!(ip.add(2 + B::WORDS), m)
    }
    fn shuffle[C: Wide](ip, m) {
        let (a, b) = (<[u8; 16]>::of(Register::<0>::get(ip, &m)), <[u8; 16]>::of(Register::<1>::get(ip, &m)));
        let both: [u8; 32] = joined(a, b, |byte| byte);
        let which = <[u8; 16]>::of(C::get(ip, &m));
        set_wide(ip, &m, 3, each(which, |at| both[at as usize % 32]).words());
        next!(ip.add(2 + C::WORDS), m)
    }
    fn select_bits[C: Wide](ip, m) {
        let (a, b, c) = (Register::<0>::get(ip, &m), Register::<1>::get(ip, &m), C::get(ip, &m));
        set_wide(ip, &m, 3, [a[0] & c[0] | b[0] & !c[0], a[1] & c[1] | b[1] & !c[1]]);
        next!(ip.add(2 + C::WORDS), m)
    }
    fn shift[Row: Shift, B: Source, const OUT: usize](ip, m) {
        set_wide(ip, &m, OUT, Row::value(Register::<0>::get(ip, &m), B::get::<u32>(ip, &m)));
        next!(ip.add(2), m)
    }
    fn reduce[Row: Reduce, O: Sink](ip, m) {
        let value = Row::value(Register::<0>::get(ip, &m));
        O::put(ip, &mut m, value);
        next!(ip.add(2), m)
    }
    fn splat_of[Row: Splat, A: Source](ip, m) {
        set_wide(ip, &m, 1, Row::value(A::get(ip, &m)));
        next!(ip.add(2), m)
    }
    fn extract_of[Row: Part, O: Sink](ip, m) {
        let value = Row::get(Register::<0>::get(ip, &m), half(ip, 2));
        O::put(ip, &mut m, value);
        next!(ip.add(2), m)
    }
    fn insert_into[Row: Part, A: Source](ip, m) {
        set_wide(ip, &m, 2, Row::put(Register::<1>::get(ip, &m), half(ip, 3), A::get(ip, &m)));
        next!(ip.add(2), m)
    }
    /// The number of a register in the low bits, 0 above: `x out`
    fn low(ip, m) {
        set_wide(ip, &m, 1, [super::register(ip, &m, 0), 0]);
        next!(ip.add(2), m)
    }
    /// `condition a b out`
    fn select(ip, m) {
        let from = if super::register(ip, &m, 0) as u32 != 0 { half(ip, 1) } else { half(ip, 2) };
        set_wide(ip, &m, 3, m.fp.add(from).cast::<Words>().read());
        next!(ip.add(2), m)
    }
    fn load[P: Place, const OUT: usize](ip, m) {
        let place = P::place(ip, &m);
        if place + size_of::<Words>() as u64 > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        let words = m.memory.add(place as usize).cast::<Words>().read_unaligned();
        set_wide(ip, &m, OUT, each(words, u64::from_le));
        next!(ip.add(P::WORDS), m)
    }
    fn store[P: Place, const VALUE: usize](ip, m) {
        let place = P::place(ip, &m);
        if place + size_of::<Words>() as u64 > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        let words = m.fp.add(half(ip, VALUE)).cast::<Words>().read();
        m.memory.add(place as usize).cast::<Words>().write_unaligned(each(words, u64::to_le));
        next!(ip.add(P::WORDS), m)
    }
}
