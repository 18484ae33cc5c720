//! Vectors of 128 bits as arrays of lanes.

// Lanes of 64 bits are the words themselves.
#![allow(clippy::useless_transmute)]

/// The words of a vector, the low one first.
pub(crate) type Words = [u64; 2];

/// An array of lanes.
pub(crate) trait Lanes: Copy {
    /// From the words.
    fn of(words: Words) -> Self;
    /// Into words.
    fn words(self) -> Words;
}

/// The type of a lane.
pub(crate) trait Lane: Copy {
    /// All bits set, or none.
    fn ones(set: bool) -> Self;
    /// Whether the highest bit is set.
    fn sign(self) -> bool;
}

/// `f` of each index. Inlined in every build, as [`std::array::from_fn`] and [`array::map`] are not: a handler that passes a place of its
/// frame to another function cannot end with a jump, and frames would pile up.
#[inline(always)]
pub(crate) fn make<R: Copy + Default, const N: usize>(f: impl Fn(usize) -> R) -> [R; N] {
    let mut lanes = [R::default(); N];
    let mut i = 0;
    while i < N {
        lanes[i] = f(i);
        i += 1;
    }
    lanes
}

/// `f` of each lane; as [`make`].
#[inline(always)]
pub(crate) fn each<T: Copy, R: Copy + Default, const N: usize>(lanes: [T; N], f: impl Fn(T) -> R) -> [R; N] {
    make(|i| f(lanes[i]))
}

macro_rules! lane_types {
    ($($t:ident $bits:ident $n:literal)*) => { $(
        impl Lanes for [$t; $n] {
            #[inline(always)]
            fn of(words: Words) -> Self {
                // SAFETY: both are 16 bytes, any of which are good.
                let bytes = unsafe { std::mem::transmute::<Words, [$bits; $n]>(each(words, u64::to_le)) };
                each(bytes, |bits| $t::from_ne_bytes($bits::from_le(bits).to_ne_bytes()))
            }
            #[inline(always)]
            fn words(self) -> Words {
                let bytes = each(self, |lane| $bits::from_ne_bytes(lane.to_ne_bytes()).to_le());
                // SAFETY: both are 16 bytes, any of which are good.
                each(unsafe { std::mem::transmute::<[$bits; $n], Words>(bytes) }, u64::from_le)
            }
        }
        impl Lane for $t {
            #[inline(always)]
            fn ones(set: bool) -> Self {
                $t::from_ne_bytes(if set { $bits::MAX } else { 0 }.to_ne_bytes())
            }
            #[inline(always)]
            fn sign(self) -> bool {
                $bits::from_ne_bytes(self.to_ne_bytes()) >> ($bits::BITS - 1) != 0
            }
        }
    )* };
}

lane_types! { i8 u8 16 u8 u8 16 i16 u16 8 u16 u16 8 i32 u32 4 u32 u32 4 i64 u64 2 u64 u64 2 f32 u32 4 f64 u64 2 }

/// The array of a shape.
macro_rules! array {
    (I8x16) => {
        [i8; 16]
    };
    (U8x16) => {
        [u8; 16]
    };
    (I16x8) => {
        [i16; 8]
    };
    (U16x8) => {
        [u16; 8]
    };
    (I32x4) => {
        [i32; 4]
    };
    (U32x4) => {
        [u32; 4]
    };
    (I64x2) => {
        [i64; 2]
    };
    (U64x2) => {
        [u64; 2]
    };
    (F32x4) => {
        [f32; 4]
    };
    (F64x2) => {
        [f64; 2]
    };
}
pub(crate) use array;
