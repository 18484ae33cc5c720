//! Between the virtual machine and machine code: functions and loops that go on as machine code ([`crate::tier`]), and machine
//! code that calls functions of instances whose modules have none yet.
//!
//! ```text
//!  activation ─► virtual machine ─► call: enter ─► machine code ─► leave: call_machine ─► virtual machine ─► …
//! ```
//!
//! All share one [`Cx`], one stack of words and one stack of the thread, whose limit is that of the activation.
//!
//! # Soundness
//!
//! - A function's arguments and results lie in the same words for the virtual machine and for the adapter that enters its
//!   machine code. The words of a frame from the prelude on stay as they are: code gets those behind it.
//! - A function of an instance has its machine code only when [`super::world::World::adopt`] has made the instance known to
//!   it, on the thread that runs the store. Code calls functions of other instances by the adapters that it sets.
//! - The code of a loop reads the registers that the encoder has listed for its head, all of which are written there, and
//!   writes results where the function would.
//! - [`call_machine`] is called by code, and lets no panic out: its caller catches it.

use std::ffi::c_void;

use planish_ir::arena::Id;
use planish_ir::function::TrapKind;

use super::checkpoints::TakenOver;
use super::instance::Entry;
use super::native::{self, NativeInstance};
use super::{Cx, Fp, Signal, Stop, calls, run, stop_as};
use crate::code::{FuncCode, LoopFrame};
use crate::tier;

/// Calls of the virtual machine by machine code that wait for each other, after which a module is compiled at once: instances
/// whose functions call each other last would need stack for each call.
const MAX_NESTED: u32 = 64;

/// Whether a function of the store runs as machine code.
///
/// # Safety
/// The entry is an instance's, of the store that `cx` runs in.
pub(super) unsafe fn has_code(entry: *mut Entry, cx: *mut Cx) -> bool {
    let instance = (*entry).instance;
    let may_have = {
        let instance = &*instance;
        instance.native.is_none() && instance.module.native.get().is_some()
    };
    if may_have {
        ((*cx).adopt)(cx);
    }
    (*instance).native.is_some()
}

/// The entry of a function of the running instance.
unsafe fn entry_of(code: *const FuncCode, cx: *mut Cx) -> *mut Entry {
    let instance = &*(*cx).instance;
    instance.entries[(*code).func.index()]
}

/// A function of the running instance is called often: whether it has machine code now.
pub(super) unsafe fn is_compiled(code: *const FuncCode, cx: *mut Cx) -> bool {
    let module = &(*(*cx).instance).module;
    (*code).count_from(module.engine.config().tier_threshold);
    tier::request(module);
    (*code).has_entrance()
}

/// A loop of the running function runs often: it has its machine code made, to go on there in the next iteration of the
/// outermost loop around it.
pub(super) unsafe fn is_hot(code: *const FuncCode, label: u32, cx: *mut Cx) {
    let module = &(*(*cx).instance).module;
    (*code).count_from(module.engine.config().tier_threshold);
    tier::request(module);
    tier::request_loop(module, (*code).func, label);
}

/// Calls the machine code of a function of the running instance, with its frame; `false` if it stops the program.
///
/// # Safety
/// The function has an entrance, and the frame its arguments and the prelude.
pub(super) unsafe fn call(code: *const FuncCode, fp: Fp, cx: *mut Cx) -> bool {
    let entry = entry_of(code, cx);
    let module = std::sync::Arc::clone(&(*(*cx).instance).module);
    if !has_code(entry, cx) {
        // The entrance is set after the code is there.
        unreachable!("`{}` is entered without code", module.shell.funcs[(*code).func].name.text);
    }
    if let Err(error) = native::prepare(entry, &module) {
        stop_as(cx, std::ptr::null(), Stop::Error(error));
        return false;
    }
    in_code((*code).prelude(), fp, cx, || native::run_entry(cx, entry, fp))
}

/// Goes on with a loop of the running function in machine code, if there is some.
///
/// # Safety
/// The frame is that of the function, at the head of the loop.
pub(super) unsafe fn take_over(code: *const FuncCode, frame: *const LoopFrame, fp: Fp, cx: *mut Cx) -> TakenOver {
    let label = (*frame).label;
    is_hot(code, label, cx);
    let instance = (*cx).instance;
    let Some(of_loop) = tier::loop_code(&(*instance).module, (*code).func, label) else { return TakenOver::No };
    let entry = entry_of(code, cx);
    if !has_code(entry, cx) {
        return TakenOver::No;
    }
    let Some(start) = of_loop.code_of((*code).func) else { return TakenOver::No };
    let runtime = (*entry).callee.runtime;
    let known = (*instance).loops.iter().find(|native| std::ptr::eq(native.code(), &raw const *of_loop));
    let context: *mut c_void = match known {
        Some(native) => native.context().cast(),
        None => {
            let native = NativeInstance::new(runtime, &of_loop, instance, &*instance);
            native.make_known(runtime);
            let context = native.context().cast();
            (*instance).loops.push(native);
            context
        }
    };
    // The code of a loop has the convention of C, and is its own adapter.
    let run = || native::run_code(cx, runtime, start, context, fp, std::ptr::null());
    if in_code((*code).prelude(), fp, cx, run) { TakenOver::Returned } else { TakenOver::Stopped }
}

/// Runs code in a frame of the virtual machine; `false` if it stops the program.
unsafe fn in_code(prelude: usize, fp: Fp, cx: *mut Cx, f: impl FnOnce() -> Result<(), Stop>) -> bool {
    let (instance, free) = ((*cx).instance, (*cx).free);
    (*cx).free = fp.add(prelude + 2);
    (*cx).stopped_at = std::ptr::null();
    let done = f();
    (*cx).free = free;
    (*cx).enter(instance);
    match done {
        Ok(()) => true,
        Err(stop) => {
            // (A trap of the virtual machine inside has noted its place.)
            stop_as(cx, (*cx).stopped_at, stop);
            false
        }
    }
}

/// Calls a function of an instance without machine code, with its arguments in words and its results there afterwards; `false`
/// if it stops the program.
///
/// # Safety
/// Machine code of the store that `cx` runs in calls it, and its panics are caught.
pub(super) unsafe fn call_machine(entry: *mut Entry, words: *mut u64, cx: *mut Cx) -> bool {
    let (args, results) = (*entry).words;
    let (fp, prelude) = ((*cx).free, args.max(results) as usize);
    if (*cx).limit.offset_from_unsigned(fp) < prelude + 2 {
        (*cx).stop = Some(Stop::Trap(TrapKind::StackOverflow));
        return false;
    }
    (0..args as usize).for_each(|i| *fp.add(i) = *words.add(i));
    let module = std::sync::Arc::clone(&(*(*entry).instance).module);
    if (*cx).nested >= MAX_NESTED {
        tier::wait(&module);
    }
    let before = ((*cx).instance, (*cx).stopped_at);
    (*cx).instance = (*entry).instance;
    (*cx).nested += 1;
    let done = if has_code(entry, cx) { call((*entry).code, fp, cx) } else { call_here(entry, fp, prelude, cx) };
    (*cx).nested -= 1;
    if done {
        (0..results as usize).for_each(|i| *words.add(i) = *fp.add(i));
        ((*cx).instance, (*cx).stopped_at) = before;
    }
    done
}

/// Runs the virtual machine until a function returns; `false` if it stops the program.
unsafe fn call_here(entry: *mut Entry, fp: Fp, prelude: usize, cx: *mut Cx) -> bool {
    (*cx).enter((*entry).instance);
    let (start, frame) = (*(*entry).code).start();
    if (*cx).limit.offset_from_unsigned(fp) < frame {
        (*cx).stop = Some(Stop::Trap(TrapKind::StackOverflow));
        return false;
    }
    *fp.add(prelude) = calls::halt_code().expose_provenance() as u64;
    *fp.add(prelude + 1) = fp.expose_provenance() as u64;
    let crossings = std::mem::take(&mut (*cx).crossings);
    let signal = run(start, fp, cx);
    (*cx).crossings = crossings;
    debug_assert!(signal != Signal::OutOfFuel, "there are no tiers with fuel");
    signal == Signal::Done
}
