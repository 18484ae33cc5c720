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

use super::{half, handlers, next, register, set, trap, upper};

/// The place that an instruction with an address in a register means.
#[inline(always)]
unsafe fn place(ip: super::Ip, fp: super::Fp) -> usize {
    register(ip, fp, 0) as u32 as usize + upper(ip) as u32 as usize
}

/// The place that an instruction with a sum of registers means; the sum wraps, the offset does not.
#[inline(always)]
unsafe fn sum(ip: super::Ip, fp: super::Fp) -> usize {
    (register(ip, fp, 0) as u32).wrapping_add(register(ip, fp, 1) as u32) as usize + half(ip, 3)
}

/// The place that an instruction with a sum of a register and a constant means.
#[inline(always)]
unsafe fn plus(ip: super::Ip, fp: super::Fp) -> usize {
    (register(ip, fp, 0) as u32).wrapping_add(*ip.add(2) as u32) as usize + upper(ip) as u32 as usize
}

/// Loads: modules of `r`, `c`, `s` and `p`.
macro_rules! loads {
    ($($name:ident $t:ident |$x:ident| $value:expr;)*) => { $(
        pub(crate) mod $name {
            use super::*;
            const BYTES: usize = size_of::<$t>();
            handlers! {
                fn r(ip, fp, memory, size, cx) {
                    let at = place(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    let $x = memory.add(at).cast::<$t>().read_unaligned();
                    set(ip, fp, 1, $value);
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn p(ip, fp, memory, size, cx) {
                    let at = plus(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    let $x = memory.add(at).cast::<$t>().read_unaligned();
                    set(ip, fp, 1, $value);
                    next!(ip.add(3), fp, memory, size, cx)
                }
                fn s(ip, fp, memory, size, cx) {
                    let at = sum(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    let $x = memory.add(at).cast::<$t>().read_unaligned();
                    set(ip, fp, 2, $value);
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn c(ip, fp, memory, size, cx) {
                    let at = *ip.add(2) as usize;
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    let $x = memory.add(at).cast::<$t>().read_unaligned();
                    set(ip, fp, 0, $value);
                    next!(ip.add(3), fp, memory, size, cx)
                }
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

/// Stores: modules of `r`, `c`, `k`, `s`, `p` and `q`.
macro_rules! stores {
    ($($name:ident $t:ident;)*) => { $(
        pub(crate) mod $name {
            use super::*;
            const BYTES: usize = size_of::<$t>();
            handlers! {
                fn r(ip, fp, memory, size, cx) {
                    let at = place(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((register(ip, fp, 1) as $t).to_le());
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn c(ip, fp, memory, size, cx) {
                    let at = *ip.add(2) as usize;
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((register(ip, fp, 0) as $t).to_le());
                    next!(ip.add(3), fp, memory, size, cx)
                }
                fn p(ip, fp, memory, size, cx) {
                    let at = plus(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((register(ip, fp, 1) as $t).to_le());
                    next!(ip.add(3), fp, memory, size, cx)
                }
                fn q(ip, fp, memory, size, cx) {
                    let at = plus(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((*ip.add(3) as $t).to_le());
                    next!(ip.add(4), fp, memory, size, cx)
                }
                fn s(ip, fp, memory, size, cx) {
                    let at = sum(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((register(ip, fp, 2) as $t).to_le());
                    next!(ip.add(2), fp, memory, size, cx)
                }
                fn k(ip, fp, memory, size, cx) {
                    let at = place(ip, fp);
                    if at + BYTES > size {
                        trap!(OutOfBoundsMemory, ip, fp, cx)
                    }
                    memory.add(at).cast::<$t>().write_unaligned((*ip.add(2) as $t).to_le());
                    next!(ip.add(3), fp, memory, size, cx)
                }
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
