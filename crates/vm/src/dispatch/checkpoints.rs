//! Instructions at the beginning of functions and iterations, where another thread may stop a program, and where machine
//! code takes over ([`crate::tier`]). Code has them only if the configuration asks for it.
//!
//! ```text
//! heed_interrupt:   no operand           count_call:  a word: the function's code
//! count_iteration:  words: the function's code, the label of the outermost loop
//! loop_head:        words: the function's code, the loop's frame
//! ```

use std::sync::atomic::Ordering;

use super::calls::code_of;
use super::{Cx, Fp, Ip, Signal, State, Stop, handlers, next, stop_as};
use crate::code::LoopFrame;
use crate::error::Error;

handlers! {
    fn heed_interrupt(ip, m) {
        if (*(*m.cx).interrupt).load(Ordering::Relaxed) != 0 {
            return stop_as(m.cx, ip, Stop::Error(Error::Interrupted));
        }
        next!(ip.add(1), m)
    }
    fn count_call(ip, m) {
        let code = code_of(*ip.add(1));
        if (*code).count() && is_compiled(ip, m.cx) {
            // The arguments are where they were: the call begins again.
            next!((*code).start().0, m)
        }
        next!(ip.add(2), m)
    }
    fn count_iteration(ip, m) {
        if (*code_of(*ip.add(1))).count() {
            is_hot(ip, m.cx);
        }
        next!(ip.add(3), m)
    }
    fn loop_head(ip, m) {
        let code = code_of(*ip.add(1));
        let counted = (*code).count();
        if counted || (*frame_of(*ip.add(2))).has_code.load(Ordering::Acquire) {
            match take_over(ip, m.fp, m.cx) {
                TakenOver::No => {}
                TakenOver::Returned => {
                    let (back, fp) = super::calls::caller_of(m.fp, (*code).prelude());
                    next!(back, State::fresh(fp, m.cx))
                }
                TakenOver::Stopped => return Signal::Stopped,
            }
        }
        next!(ip.add(3), m)
    }
}

/// The loop that a word names.
#[inline(always)]
unsafe fn frame_of(word: u64) -> *const LoopFrame {
    std::ptr::with_exposed_provenance(word as usize)
}

/// The end of an attempt to go on in machine code.
pub(super) enum TakenOver {
    /// There is none yet.
    No,
    /// The function has returned.
    #[cfg_attr(not(planish_native), allow(dead_code))]
    Returned,
    /// The program has stopped.
    #[cfg_attr(not(planish_native), allow(dead_code))]
    Stopped,
}

/// A function is called often: whether it has machine code now.
#[cold]
#[inline(never)]
unsafe fn is_compiled(ip: Ip, cx: *mut Cx) -> bool {
    #[cfg(planish_native)]
    return super::tiers::is_compiled(code_of(*ip.add(1)), cx);
    #[cfg(not(planish_native))]
    {
        let _ = (ip, cx);
        false
    }
}

/// A loop runs often.
#[cold]
#[inline(never)]
unsafe fn is_hot(ip: Ip, cx: *mut Cx) {
    #[cfg(planish_native)]
    super::tiers::is_hot(code_of(*ip.add(1)), *ip.add(2) as u32, cx);
    let _ = (ip, cx);
}

/// Goes on with a loop in machine code, if there is some.
#[cold]
#[inline(never)]
unsafe fn take_over(ip: Ip, fp: Fp, cx: *mut Cx) -> TakenOver {
    #[cfg(planish_native)]
    return super::tiers::take_over(code_of(*ip.add(1)), frame_of(*ip.add(2)), fp, cx);
    #[cfg(not(planish_native))]
    {
        let _ = (ip, fp, cx);
        TakenOver::No
    }
}
