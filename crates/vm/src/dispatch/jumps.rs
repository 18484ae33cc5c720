//! Jumps. A distance counts words from the beginning of the instruction.
//!
//! ```text
//! rr: a b distance        ri: a constant distance        rw: a _ distance, and a word with the constant
//! ```

// `!(x < y)` is not `x >= y`: one of them may be no number.
#![allow(clippy::neg_cmp_op_on_partial_ord)]

use super::scalar::Number;
use super::{Signal, Stop};
use super::{half_signed, handlers, next, register, stop_as, upper};

/// Where a jump with the distance in the upper half of its operand word goes.
#[inline(always)]
unsafe fn target(ip: super::Ip) -> super::Ip {
    ip.offset(upper(ip) as isize)
}

/// Jumps on comparisons.
macro_rules! jumps {
    ($($name:ident $t:ident $small:ident |$a:ident, $b:ident| $condition:expr;)*) => { $(
        #[allow(unused)]
        pub(crate) mod $name {
            use super::*;
            type T = $t;
            #[inline(always)]
            fn holds($a: T, $b: T) -> bool { $condition }
            handlers! {
                fn rr(ip, fp, memory, size, cx) {
                    let holds = holds(T::get(register(ip, fp, 0)), T::get(register(ip, fp, 1)));
                    next!(if holds { target(ip) } else { ip.add(2) }, fp, memory, size, cx)
                }
                fn ri(ip, fp, memory, size, cx) {
                    let holds = holds(T::get(register(ip, fp, 0)), half_signed(ip, 1) as $small as T);
                    next!(if holds { target(ip) } else { ip.add(2) }, fp, memory, size, cx)
                }
                fn rw(ip, fp, memory, size, cx) {
                    let holds = holds(T::get(register(ip, fp, 0)), T::get(*ip.add(2)));
                    next!(if holds { target(ip) } else { ip.add(3) }, fp, memory, size, cx)
                }
            }
        }
    )* };
}

jumps! {
    eq_i32 u32 i32 |a, b| a == b;
    ne_i32 u32 i32 |a, b| a != b;
    lt_i32 i32 i32 |a, b| a < b;
    le_i32 i32 i32 |a, b| a <= b;
    gt_i32 i32 i32 |a, b| a > b;
    ge_i32 i32 i32 |a, b| a >= b;
    lt_u32 u32 i32 |a, b| a < b;
    le_u32 u32 i32 |a, b| a <= b;
    gt_u32 u32 i32 |a, b| a > b;
    ge_u32 u32 i32 |a, b| a >= b;
    eq_i64 u64 i64 |a, b| a == b;
    ne_i64 u64 i64 |a, b| a != b;
    lt_i64 i64 i64 |a, b| a < b;
    le_i64 i64 i64 |a, b| a <= b;
    gt_i64 i64 i64 |a, b| a > b;
    ge_i64 i64 i64 |a, b| a >= b;
    lt_u64 u64 i64 |a, b| a < b;
    le_u64 u64 i64 |a, b| a <= b;
    gt_u64 u64 i64 |a, b| a > b;
    ge_u64 u64 i64 |a, b| a >= b;
    and_i32 u32 i32 |a, b| a & b != 0;
    nand_i32 u32 i32 |a, b| a & b == 0;
    and_i64 u64 i64 |a, b| a & b != 0;
    nand_i64 u64 i64 |a, b| a & b == 0;
    eq_f32 f32 i32 |a, b| a == b;
    ne_f32 f32 i32 |a, b| a != b;
    lt_f32 f32 i32 |a, b| a < b;
    le_f32 f32 i32 |a, b| a <= b;
    nlt_f32 f32 i32 |a, b| !(a < b);
    nle_f32 f32 i32 |a, b| !(a <= b);
    gt_f32 f32 i32 |a, b| a > b;
    ge_f32 f32 i32 |a, b| a >= b;
    ngt_f32 f32 i32 |a, b| !(a > b);
    nge_f32 f32 i32 |a, b| !(a >= b);
    eq_f64 f64 i64 |a, b| a == b;
    ne_f64 f64 i64 |a, b| a != b;
    lt_f64 f64 i64 |a, b| a < b;
    le_f64 f64 i64 |a, b| a <= b;
    nlt_f64 f64 i64 |a, b| !(a < b);
    nle_f64 f64 i64 |a, b| !(a <= b);
    gt_f64 f64 i64 |a, b| a > b;
    ge_f64 f64 i64 |a, b| a >= b;
    ngt_f64 f64 i64 |a, b| !(a > b);
    nge_f64 f64 i64 |a, b| !(a >= b);
}

handlers! {
    /// `_ _ distance`
    fn jump(ip, fp, memory, size, cx) {
        next!(target(ip), fp, memory, size, cx)
    }
    /// To where a table says: `index _ length`, then distances from here, two a word; the last is for every index beyond.
    fn table(ip, fp, memory, size, cx) {
        let last = upper(ip) as u32 as usize - 1;
        let index = (register(ip, fp, 0) as u32 as usize).min(last);
        let distance = *ip.add(2).cast::<i32>().add(index);
        next!(ip.offset(distance as isize), fp, memory, size, cx)
    }
    /// `_ _ kind`
    fn trap(ip, fp, memory, size, cx) {
        let kind = planish_ir::function::TrapKind::ALL[upper(ip) as usize];
        stop_as(cx, ip, Stop::Trap(kind))
    }
    /// Burns fuel: `_ _ amount`
    fn burn(ip, fp, memory, size, cx) {
        let left = (*cx).fuel - i64::from(upper(ip));
        if left < 0 {
            (*cx).resume = (ip, fp, memory, size);
            return Signal::OutOfFuel;
        }
        (*cx).fuel = left;
        next!(ip.add(2), fp, memory, size, cx)
    }
}
