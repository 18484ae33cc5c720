//! Loads and stores of memory 0. An address and the offset of the instruction are added without wrapping.
//!
//! ```text
//! load, at a register:  address out offset            at a constant: out, and a word with the address
//! store, at a register: address value offset          at a constant: value, and a word with the address
//!        of a constant: address _ offset, and a word with the value
//! at a sum, load:       a b out offset                 with a constant: a out offset, and a word with the constant
//!           store:      a b value offset               with a constant: a value offset, and a word with the constant
//!           of a constant: a b _ offset, and a word with the value; a _ offset, and words with what is added and the value
//! load at a shifted register and another or a constant: a amount b out, and a word with the offset and the constant
//! ```

#![allow(non_camel_case_types)]

use super::lanes::make;
use super::operands::{
    Acc, At, AtConstant, AtPlus, AtScaled, AtSum, Forms, Number, Out, Pair, Pass, Place, Sink, Slot, Source, Word,
};
use super::{Handler, State, handlers, next, register, trap};

/// A load, by the bytes that it reads.
pub(crate) trait Load: Sized + 'static {
    /// The bytes.
    type Bytes: Copy;
    /// The result.
    type R: Number;
    /// Converts the bytes to the result.
    fn value(bytes: Self::Bytes) -> Self::R;
    /// Its handlers.
    const FORMS: LoadForms = LoadForms {
        register: &[load_pair::<Self, At<Slot<0>>, 1>(), load_pair::<Self, At<Acc>, 1>()],
        constant: &[load_pair::<Self, AtConstant, 0>()],
        sum: &[load_pair::<Self, AtSum<Slot<0>>, 2>(), load_pair::<Self, AtSum<Acc>, 2>()],
        plus: &[load_pair::<Self, AtPlus<Slot<0>>, 1>(), load_pair::<Self, AtPlus<Acc>, 1>()],
        scaled: &[
            load_pair::<Self, AtScaled<Slot<0>, false>, 3>(),
            load_pair::<Self, AtScaled<Acc, false>, 3>(),
            load_pair::<Self, AtScaled<Slot<0>, true>, 3>(),
            load_pair::<Self, AtScaled<Acc, true>, 3>(),
        ],
    };
}

/// Handlers of a [`Load`], by its address.
#[derive(Clone, Copy)]
pub(crate) struct LoadForms {
    /// In a register.
    pub(crate) register: Forms,
    /// A constant.
    pub(crate) constant: Forms,
    /// The sum of registers.
    pub(crate) sum: Forms,
    /// The sum of a register and a constant.
    pub(crate) plus: Forms,
    /// The sum of a shifted register or accumulator, and a register; then, and a constant.
    pub(crate) scaled: Forms,
}

const fn load_pair<L: Load, P: Place, const OUT: usize>() -> Pair {
    [load::<L, P, Out<OUT>> as Handler, load::<L, P, Pass>]
}

macro_rules! loads {
    ($($name:ident $t:ident $r:ident |$x:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Load for $name {
            type Bytes = $t;
            type R = $r;
            #[inline(always)]
            fn value($x: $t) -> $r {
                $value
            }
        }
    )* };
}

loads! {
    load8_u u8 u64 |x| x.into();
    load16_u u16 u64 |x| u16::from_le(x).into();
    load32_u u32 u64 |x| u32::from_le(x).into();
    load64 u64 u64 |x| u64::from_le(x);
    load8_s32 i8 i32 |x| x.into();
    load16_s32 i16 i32 |x| i16::from_le(x).into();
    load8_s64 i8 i64 |x| x.into();
    load16_s64 i16 i64 |x| i16::from_le(x).into();
    load32_s64 i32 i64 |x| i32::from_le(x).into();
    load_f32 u32 f32 |x| f32::from_bits(u32::from_le(x));
    load_f64 u64 f64 |x| f64::from_bits(u64::from_le(x));
}

/// A store, by the bytes that it writes.
pub(crate) trait Store: Sized + 'static {
    /// The bytes.
    type Bytes: Copy;
    /// The operand.
    type T: Number;
    /// Converts the operand to bytes.
    fn bytes(value: Self::T) -> Self::Bytes;
    /// Its handlers.
    const FORMS: StoreForms = StoreForms {
        register: &[
            [store::<Self, At<Slot<0>>, Slot<1>>; 2],
            [store::<Self, At<Acc>, Slot<1>>; 2],
            [store::<Self, At<Slot<0>>, Acc>; 2],
        ],
        constant: &[[store::<Self, AtConstant, Slot<0>>; 2], [store::<Self, AtConstant, Acc>; 2]],
        sum: &[
            [store::<Self, AtSum<Slot<0>>, Slot<2>>; 2],
            [store::<Self, AtSum<Acc>, Slot<2>>; 2],
            [store::<Self, AtSum<Slot<0>>, Acc>; 2],
        ],
        plus: &[
            [store::<Self, AtPlus<Slot<0>>, Slot<1>>; 2],
            [store::<Self, AtPlus<Acc>, Slot<1>>; 2],
            [store::<Self, AtPlus<Slot<0>>, Acc>; 2],
        ],
        of_constant: &[[store::<Self, At<Slot<0>>, Word<2>>; 2], [store::<Self, At<Acc>, Word<2>>; 2]],
        of_constant_sum: &[[store::<Self, AtSum<Slot<0>>, Word<2>>; 2], [store::<Self, AtSum<Acc>, Word<2>>; 2]],
        of_constant_plus: &[[store::<Self, AtPlus<Slot<0>>, Word<3>>; 2], [store::<Self, AtPlus<Acc>, Word<3>>; 2]],
    };
}

/// Handlers of a [`Store`], by its address and what it stores.
#[derive(Clone, Copy)]
pub(crate) struct StoreForms {
    /// At a register.
    pub(crate) register: Forms,
    /// At a constant.
    pub(crate) constant: Forms,
    /// At the sum of registers.
    pub(crate) sum: Forms,
    /// At the sum of a register and a constant.
    pub(crate) plus: Forms,
    /// A constant, at a register.
    pub(crate) of_constant: Forms,
    /// A constant, at the sum of registers.
    pub(crate) of_constant_sum: Forms,
    /// A constant, at the sum of a register and a constant.
    pub(crate) of_constant_plus: Forms,
}

macro_rules! stores {
    ($($name:ident $t:ident $bytes:ident |$x:ident| $value:expr;)*) => { $(
        pub(crate) struct $name;
        impl Store for $name {
            type Bytes = $bytes;
            type T = $t;
            #[inline(always)]
            fn bytes($x: $t) -> $bytes {
                $value
            }
        }
    )* };
}

stores! {
    store8 u64 u8 |x| x as u8;
    store16 u64 u16 |x| (x as u16).to_le();
    store32 u64 u32 |x| (x as u32).to_le();
    store64 u64 u64 |x| x.to_le();
    store_f32 f32 u32 |x| x.to_bits().to_le();
    store_f64 f64 u64 |x| x.to_bits().to_le();
}

handlers! {
    fn load[L: Load, P: Place, O: Sink](ip, m) {
        let place = P::place(ip, &m);
        if place + size_of::<L::Bytes>() as u64 > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        let value = L::value(m.memory.add(place as usize).cast::<L::Bytes>().read_unaligned());
        O::put(ip, &mut m, value);
        next!(ip.add(P::WORDS), m)
    }
    fn store[S: Store, P: Place, V: Source](ip, m) {
        let place = P::place(ip, &m);
        if place + size_of::<S::Bytes>() as u64 > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        let bytes = S::bytes(V::get(ip, &m));
        m.memory.add(place as usize).cast::<S::Bytes>().write_unaligned(bytes);
        next!(ip.add(P::WORDS.max(V::words::<S::T>())), m)
    }
    /// Bytes to another place, which may overlap: `to from length`
    fn copy(ip, m) {
        let [to, from, length] = make(|i| u64::from(register(ip, &m, i) as u32));
        if to + length > m.size as u64 || from + length > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        m.memory.add(to as usize).copy_from(m.memory.add(from as usize), length as usize);
        next!(ip.add(2), State { int: 0, single: 0.0, double: 0.0, ..m })
    }
    /// One byte to all places: `to byte length`
    fn fill(ip, m) {
        let [to, byte, length] = make(|i| register(ip, &m, i) as u32);
        if u64::from(to) + u64::from(length) > m.size as u64 {
            trap!(OutOfBoundsMemory, ip, m)
        }
        m.memory.add(to as usize).write_bytes(byte as u8, length as usize);
        next!(ip.add(2), State { int: 0, single: 0.0, double: 0.0, ..m })
    }
}
