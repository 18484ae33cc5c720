//! Calls and returns.
//!
//! A callee's frame overlaps its caller's: its first word is a register of the caller. Its arguments and results are
//! followed by the return address (an instruction) and the caller's frame.
//!
//! ```text
//! call:          base prelude, and a word: the function's code     tail_call: _, and that word
//! call_import:   base prelude number
//! call_table:    index base prelude, and a word: table and type    tail_table: index _ prelude, and that word
//! call_value:    reference base prelude
//! return:        prelude
//! ```

use std::sync::LazyLock;

use super::instance::Entry;
use super::{Cx, Fp, Ip, Signal, State, half, handlers, next, register, stop_as, stop_with, trap, upper};
use crate::code::FuncCode;

/// The code that the outermost function returns to.
pub(crate) fn halt_code() -> Ip {
    static CODE: LazyLock<u64> = LazyLock::new(|| super::word(halt));
    &raw const *CODE
}

/// The return code of a function that was called from another instance. Not inlined into handlers, as [`ask_host`].
#[inline(never)]
fn back_code() -> Ip {
    static CODE: LazyLock<u64> = LazyLock::new(|| super::word(back));
    &raw const *CODE
}

/// Enters a function of the running instance.
macro_rules! enter {
    ($code:expr, $back:expr, $base:expr, $prelude:expr, $ip:expr, $state:expr) => {{
        let code: *const FuncCode = $code;
        let (base, prelude): (Fp, usize) = ($base, $prelude);
        let (start, frame) = (*code).start();
        // In words, since a pointer past the end of the stack must not be formed.
        if (*$state.cx).limit.offset_from_unsigned(base) < frame {
            trap!(StackOverflow, $ip, $state)
        }
        *base.add(prelude) = $back.expose_provenance() as u64;
        *base.add(prelude + 1) = $state.fp.expose_provenance() as u64;
        next!(start, State { fp: base, ..$state })
    }};
}

/// The function whose code a word names.
#[inline(always)]
pub(super) unsafe fn code_of(word: u64) -> *const FuncCode {
    std::ptr::with_exposed_provenance(word as usize)
}

/// The return address and the caller's frame, from the prelude of a frame.
#[inline(always)]
pub(super) unsafe fn caller_of(fp: Fp, prelude: usize) -> (Ip, Fp) {
    let back = std::ptr::with_exposed_provenance(*fp.add(prelude) as usize);
    (back, std::ptr::with_exposed_provenance_mut(*fp.add(prelude + 1) as usize))
}

/// The function that a reference means.
#[inline(always)]
unsafe fn entry_of(word: u64) -> *mut Entry {
    std::ptr::with_exposed_provenance_mut(word as usize)
}

handlers! {
    fn call(ip, m) {
        let code = code_of(*ip.add(2));
        enter!(code, ip.add(3), m.fp.add(half(ip, 0)), half(ip, 1), ip, m)
    }
    fn tail_call(ip, m) {
        let (start, frame) = (*code_of(*ip.add(2))).start();
        if (*m.cx).limit.offset_from_unsigned(m.fp) < frame {
            trap!(StackOverflow, ip, m)
        }
        next!(start, m)
    }
    fn ret(ip, m) {
        let (back, fp) = caller_of(m.fp, half(ip, 0));
        m.fp = fp;
        next!(back, m)
    }
    fn halt(ip, m) {
        Signal::Done
    }
    fn back(ip, m) {
        let Some((ip, fp, instance)) = (*m.cx).crossings.pop() else { return Signal::Done };
        (*m.cx).enter(instance);
        next!(ip, State::fresh(fp, m.cx))
    }
    fn call_import(ip, m) {
        let entry = (*(*m.cx).instance).import(upper(ip) as u32);
        leave(entry, ip, ip.add(2), m.fp, m.fp.add(half(ip, 0)), half(ip, 1), m.cx)
    }
    fn call_value(ip, m) {
        let entry = entry_of(register(ip, &m, 0));
        if (*entry).instance == (*m.cx).instance {
            enter!((*entry).code, ip.add(2), m.fp.add(half(ip, 1)), half(ip, 2), ip, m)
        }
        leave(entry, ip, ip.add(2), m.fp, m.fp.add(half(ip, 1)), half(ip, 2), m.cx)
    }
    fn call_table(ip, m) {
        let entry = match (*(*m.cx).instance).callee(*ip.add(2), register(ip, &m, 0) as u32) {
            Ok(entry) => entry,
            Err(kind) => return stop_with(m.cx, ip, kind),
        };
        if (*entry).instance == (*m.cx).instance {
            enter!((*entry).code, ip.add(3), m.fp.add(half(ip, 1)), half(ip, 2), ip, m)
        }
        leave(entry, ip, ip.add(3), m.fp, m.fp.add(half(ip, 1)), half(ip, 2), m.cx)
    }
    fn tail_table(ip, m) {
        let entry = match (*(*m.cx).instance).callee(*ip.add(2), register(ip, &m, 0) as u32) {
            Ok(entry) => entry,
            Err(kind) => return stop_with(m.cx, ip, kind),
        };
        tail_leave(entry, ip, m)
    }
    fn tail_value(ip, m) {
        tail_leave(entry_of(register(ip, &m, 0)), ip, m)
    }
    /// The code of a function before its first call; a word names the function.
    fn compile(ip, m) {
        let code = code_of(*ip.add(1));
        if !ask_compiler(code, ip, m.cx) {
            return Signal::Stopped;
        }
        let (start, frame) = (*code).start();
        if (*m.cx).limit.offset_from_unsigned(m.fp) < frame {
            trap!(StackOverflow, ip, m)
        }
        next!(start, State::fresh(m.fp, m.cx))
    }
}

#[cfg(planish_native)]
handlers! {
    /// Stands for the code of a function that has machine code; a word names the function.
    fn enter_code(ip, m) {
        let code = code_of(*ip.add(1));
        if !super::tiers::call(code, m.fp, m.cx) {
            return Signal::Stopped;
        }
        let (back, fp) = caller_of(m.fp, (*code).prelude());
        next!(back, State::fresh(fp, m.cx))
    }
}

/// The instruction in place of a function's code when it has machine code.
#[cfg(planish_native)]
pub(crate) fn entrance(code: &FuncCode) -> Box<[u64]> {
    [super::word(enter_code), (&raw const *code).expose_provenance() as u64].into()
}

/// Calls a function of the host, or of another instance. Inlined, since a dispatch must be at the end of a handler.
#[inline(always)]
unsafe fn leave(entry: *mut Entry, ip: Ip, after: Ip, fp: Fp, base: Fp, prelude: usize, cx: *mut Cx) -> Signal {
    if (*entry).is_host() {
        if !ask_host(entry, ip, base, cx) {
            return Signal::Stopped;
        }
        next!(after, State::fresh(fp, cx))
    }
    if (*cx).crossings.len() >= MAX_CROSSINGS {
        return stop_with(cx, ip, planish_ir::function::TrapKind::StackOverflow);
    }
    let caller = (*cx).instance;
    (*cx).crossings.push((after, fp, caller));
    (*cx).enter((*entry).instance);
    let m = State::fresh(fp, cx);
    enter!((*entry).code, back_code(), base, prelude, ip, m)
}

/// Maximum number of open calls between instances.
const MAX_CROSSINGS: usize = 1 << 20;

/// Calls a host function; `false` if it stops the program. Not inlined into handlers: results passed through memory
/// would prevent their last calls from becoming jumps.
#[inline(never)]
unsafe fn ask_host(entry: *mut Entry, ip: Ip, base: Fp, cx: *mut Cx) -> bool {
    if (*cx).limit.offset_from_unsigned(base) < (*entry).host_words() {
        stop_with(cx, ip, planish_ir::function::TrapKind::StackOverflow);
        return false;
    }
    (*cx).stopped_at = ip;
    match ((*cx).host)(cx, entry, base) {
        Ok(()) => true,
        Err(stop) => {
            stop_as(cx, ip, stop);
            false
        }
    }
}

/// Compiles a function; `false` on an error.
#[inline(never)]
unsafe fn ask_compiler(code: *const FuncCode, ip: Ip, cx: *mut Cx) -> bool {
    let module = std::sync::Arc::clone(&(*(*cx).instance).module);
    #[cfg(planish_native)]
    let compiled = crate::tier::with_room(|| module.compile((*code).func));
    #[cfg(not(planish_native))]
    let compiled = module.compile((*code).func);
    match compiled {
        Ok(()) => true,
        Err(error) => {
            stop_as(cx, ip, super::Stop::Error(error));
            false
        }
    }
}

/// Gives the frame up to a function that a reference means.
#[inline(always)]
unsafe fn tail_leave(entry: *mut Entry, ip: Ip, m: State) -> Signal {
    let (fp, cx) = (m.fp, m.cx);
    let prelude = half(ip, 2);
    let (back, frame) = (*fp.add(prelude), *fp.add(prelude + 1));
    if (*entry).is_host() {
        if !ask_host(entry, ip, fp, cx) {
            return Signal::Stopped;
        }
        let back: Ip = std::ptr::with_exposed_provenance(back as usize);
        let frame: Fp = std::ptr::with_exposed_provenance_mut(frame as usize);
        next!(back, State::fresh(frame, cx))
    }
    let (start, words) = (*(*entry).code).start();
    if (*cx).limit.offset_from_unsigned(fp) < words {
        trap!(StackOverflow, ip, m)
    }
    if (*entry).instance == (*cx).instance {
        next!(start, m)
    }
    if (*cx).crossings.len() >= MAX_CROSSINGS {
        trap!(StackOverflow, ip, m)
    }
    let caller_state: (Ip, Fp) =
        (std::ptr::with_exposed_provenance(back as usize), std::ptr::with_exposed_provenance_mut(frame as usize));
    // A tail call from a cross-instance callee returns through the existing crossing.
    if caller_state.0 != back_code() {
        note_crossing(cx, caller_state.0, caller_state.1);
    }
    (*cx).enter((*entry).instance);
    *fp.add(prelude) = back_code().expose_provenance() as u64;
    next!(start, State::fresh(fp, cx))
}

/// Notes the caller of a function of another instance. Not inlined into handlers, as [`ask_host`].
#[inline(never)]
unsafe fn note_crossing(cx: *mut Cx, back: Ip, fp: Fp) {
    let caller = (*cx).instance;
    (*cx).crossings.push((back, fp, caller));
}

/// The code of a function until it is compiled.
pub(crate) fn stub(code: &FuncCode) -> Box<[u64]> {
    [super::word(compile), (&raw const *code).expose_provenance() as u64].into()
}
