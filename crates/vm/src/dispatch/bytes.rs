//! Loads and stores of memory 0. An address and the offset of the instruction are added without wrapping.
//!
//! ```text
//! load, at a register:  address out offset            at a constant: out, and a word with the address
//! store, at a register: address value offset          at a constant: value, and a word with the address
//!        of a constant: address _ offset, and a word with the value
//! at a sum, load:       a b out offset                 with a constant: a out offset, and a word with the constant
//!           store:      a b value offset               with a constant: a value offset, and a word with the constant
//!           of a constant: a _ offset, and words with what is added and the value
//! ```

use super::{Fp, Ip, half, handlers, next, register, set, trap, upper};

// Places are counted in 64 bits on every machine: the largest address and the largest offset together have 33.

/// The place that an instruction with an address in a register means.
#[inline(always)]
unsafe fn place(ip: Ip, fp: Fp) -> u64 {
    u64::from(register(ip, fp, 0) as u32) + u64::from(upper(ip) as u32)
}

/// The place that an instruction with a sum of registers means; the sum wraps, the offset does not.
#[inline(always)]
unsafe fn sum(ip: Ip, fp: Fp) -> u64 {
    u64::from((register(ip, fp, 0) as u32).wrapping_add(register(ip, fp, 1) as u32)) + half(ip, 3) as u64
}

/// The place that an instruction with a sum of a register and a constant means.
#[inline(always)]
unsafe fn plus(ip: Ip, fp: Fp) -> u64 {
    u64::from((register(ip, fp, 0) as u32).wrapping_add(*ip.add(2) as u32)) + u64::from(upper(ip) as u32)
}

/// The place that an instruction names itself.
#[inline(always)]
unsafe fn constant(ip: Ip, _: Fp) -> u64 {
    *ip.add(2)
}

/// Handlers of accesses to a value of type `$t`: for each form its name, how it finds its place, its length in words, and
/// what it does with the place, which lies within the memory.
macro_rules! accesses {
    ($t:ident |$ip:ident, $fp:ident, $at:ident| $($form:ident $place:ident $len:literal: $body:expr;)*) => {
        handlers! { $(
            fn $form($ip, $fp, memory, size, cx) {
                let place = $place($ip, $fp);
                if place + size_of::<$t>() as u64 > size as u64 {
                    trap!(OutOfBoundsMemory, $ip, $fp, cx)
                }
                let $at = memory.add(place as usize).cast::<$t>();
                $body;
                next!($ip.add($len), $fp, memory, size, cx)
            }
        )* }
    };
}

/// Loads: modules of `r`, `p`, `s` and `c`.
macro_rules! loads {
    ($($name:ident $t:ident |$x:ident| $value:expr;)*) => { $(
        pub(crate) mod $name {
            use super::*;
            #[inline(always)]
            unsafe fn read(at: *const $t) -> u64 {
                let $x = at.read_unaligned();
                $value
            }
            accesses! { $t |ip, fp, at|
                r place 2: set(ip, fp, 1, read(at));
                p plus 3: set(ip, fp, 1, read(at));
                s sum 2: set(ip, fp, 2, read(at));
                c constant 3: set(ip, fp, 0, read(at));
            }
        }
    )* };
}

loads! {
    load8_u u8 |x| x.into();
    load16_u u16 |x| u16::from_le(x).into();
    load32_u u32 |x| u32::from_le(x).into();
    load64 u64 |x| u64::from_le(x);
    load8_s32 i8 |x| x as i32 as u32 as u64;
    load16_s32 i16 |x| i16::from_le(x) as i32 as u32 as u64;
    load8_s64 i8 |x| x as i64 as u64;
    load16_s64 i16 |x| i16::from_le(x) as i64 as u64;
    load32_s64 i32 |x| i32::from_le(x) as i64 as u64;
}

/// Stores: modules of `r`, `p`, `s`, `c`, and of constants `k` and `q`.
macro_rules! stores {
    ($($name:ident $t:ident;)*) => { $(
        pub(crate) mod $name {
            use super::*;
            #[inline(always)]
            unsafe fn write(at: *mut $t, word: u64) {
                at.write_unaligned((word as $t).to_le());
            }
            accesses! { $t |ip, fp, at|
                r place 2: write(at, register(ip, fp, 1));
                p plus 3: write(at, register(ip, fp, 1));
                s sum 2: write(at, register(ip, fp, 2));
                c constant 3: write(at, register(ip, fp, 0));
                k place 3: write(at, *ip.add(2));
                q plus 4: write(at, *ip.add(3));
            }
        }
    )* };
}

stores! {
    store8 u8;
    store16 u16;
    store32 u32;
    store64 u64;
}
