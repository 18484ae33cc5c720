//! The dispatch: handlers of instructions, and the transfer from one to the next. The only unsafe code of the crate.
//!
//! Code is a row of 64-bit words. An instruction begins with the address of its handler; its operands follow: registers as
//! 16-bit numbers, jumps as signed 32-bit distances in words, large constants as whole words. A handler does its work and
//! jumps to the handler that the next word names, with the state of the machine in registers of the processor:
//!
//! - `ip`: the instruction;
//! - `fp`: the frame, whose words are the registers of the running function;
//! - `memory`, `size`: the bytes of the instance's memory 0;
//! - `cx`: everything else;
//! - `int`, `single`, `double`: the accumulators.
//!
//! Accumulators save a chain of operations the round trip through memory: every one-word result is also held in the
//! accumulator of its type, and the next instruction has a form that takes an operand from there. If there is no other
//! reader, the register is not written at all. [`crate::encode`] tracks their contents; a handler that does not use
//! them passes them on unchanged. So each handler is written once, as a function of its operation ([`scalar::Binary`]),
//! of the locations of its operands and of its result ([`operands`]); the forms of an instruction are a list of its
//! instances.
//!
//! Frequent pairs of instructions are fused ([`crate::encode`], `merge` and `fused`): a sum and the jump on it, an
//! address and its load. Vectors of 128 bits have two registers and no accumulator ([`simd`]).
//!
//! Soundness: all code is emitted by [`crate::encode`] from directives that name only registers within the frame size
//! that it states; a call checks that the callee's frame fits the stack before it enters; every access to bytes and
//! tables is checked here; and the [`crate::store::Store`] owns everything that `cx` points to while code runs.
//!
//! On targets where the compiler does not turn the call at the end of a handler into a jump (without optimization,
//! under Miri, on other processors), handlers return to a loop instead.

#![allow(unsafe_code)]
// A handler is one unsafe block from beginning to end.
#![allow(unsafe_op_in_unsafe_fn)]

pub(crate) mod activate;
pub(crate) mod activation;
mod bulk;
pub(crate) mod bytes;
pub(crate) mod calls;
pub(crate) mod checkpoints;
#[cfg(planish_native)]
pub(crate) mod faults;
pub(crate) mod generic;
pub(crate) mod instance;
pub(crate) mod jumps;
pub(crate) mod lanes;
pub(crate) mod lend;
pub(crate) mod load_jumps;
#[cfg(planish_native)]
pub(crate) mod native;
pub(crate) mod operands;
pub(crate) mod owned;
#[cfg(planish_native)]
pub(crate) mod reservation;
pub(crate) mod scalar;
pub(crate) mod simd;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
mod sse;
pub(crate) mod storage;
#[cfg(planish_native)]
pub(crate) mod tiers;
pub(crate) mod world;

use std::sync::atomic::AtomicU32;

use planish_ir::function::TrapKind;

use instance::{Entry, InstanceData};

/// A place in code.
pub(crate) type Ip = *const u64;
/// A frame.
pub(crate) type Fp = *mut u64;

/// Executes an instruction and all that follow. The parameters are `ip` and the fields of [`State`].
pub(crate) type Handler =
    unsafe fn(ip: Ip, fp: Fp, memory: *mut u8, size: usize, cx: *mut Cx, int: u64, single: f32, double: f64) -> Signal;

/// State passed between handlers in registers of the processor.
#[derive(Clone, Copy)]
pub(crate) struct State {
    /// The frame of the running function.
    pub(crate) fp: Fp,
    /// The bytes of memory 0.
    pub(crate) memory: *mut u8,
    /// Their number.
    pub(crate) size: usize,
    /// Everything else.
    pub(crate) cx: *mut Cx,
    /// The accumulator of what is no float.
    pub(crate) int: u64,
    /// The accumulator of binary32.
    pub(crate) single: f32,
    /// The accumulator of binary64.
    pub(crate) double: f64,
}

impl State {
    /// The state in a frame of the running instance, with empty accumulators.
    ///
    /// # Safety
    /// An instance is running.
    #[inline(always)]
    pub(crate) unsafe fn fresh(fp: Fp, cx: *mut Cx) -> State {
        let (memory, size) = (*cx).bytes();
        State { fp, memory, size, cx, int: 0, single: 0.0, double: 0.0 }
    }
}

/// The end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub(crate) enum Signal {
    /// The outermost function has returned.
    Done,
    /// It trapped, or a host function failed: see [`Cx::stop`].
    Stopped,
    /// Out of fuel; [`Cx::resume`] is the point to resume at.
    OutOfFuel,
    /// Only if handlers return to a loop: continue at [`Cx::resume`].
    #[cfg_attr(all(planish_threaded, not(miri), not(fuzzing)), allow(dead_code))]
    Next,
}

/// Why running stopped.
pub(crate) enum Stop {
    /// A trap.
    Trap(TrapKind),
    /// Error of a host function or of the compiler.
    Error(crate::Error),
}

impl From<TrapKind> for Stop {
    fn from(kind: TrapKind) -> Stop {
        Stop::Trap(kind)
    }
}

/// Execution state beyond the registers of the processor.
#[repr(C)]
pub(crate) struct Cx {
    /// One past the last word of the stack.
    pub(crate) limit: Fp,
    /// The running instance.
    pub(crate) instance: *mut InstanceData,
    /// Addresses of its globals.
    pub(crate) globals: *const *mut u64,
    /// Remaining fuel.
    pub(crate) fuel: i64,
    /// The point to resume at.
    pub(crate) resume: (Ip, Fp, *mut u8, usize),
    /// Target of the last jump back, see [`jumps`].
    pub(crate) head: Ip,
    /// The accumulators at that point; only if handlers return to a loop.
    pub(crate) accumulators: (u64, f32, f64),
    /// The instruction that stopped.
    pub(crate) stopped_at: Ip,
    /// Why it stopped.
    pub(crate) stop: Option<Stop>,
    /// Callers of functions of other instances: return address, frame, instance.
    pub(crate) crossings: Vec<(Ip, Fp, *mut InstanceData)>,
    /// The store, whose type is known to `host` and `adopt` only.
    pub(crate) store: *mut (),
    /// Not zero if the program is to stop. Another thread may write it.
    pub(crate) interrupt: *const AtomicU32,
    /// The first free word of the stack, while machine code runs.
    #[cfg(planish_native)]
    pub(crate) free: Fp,
    /// The lowest address of the stack that machine code may reach.
    #[cfg(planish_native)]
    pub(crate) lowest: usize,
    /// A panic to go on with when machine code has been left.
    #[cfg(planish_native)]
    pub(crate) panic: native::Panic,
    /// Calls of the virtual machine by machine code that wait for each other.
    #[cfg(planish_native)]
    pub(crate) nested: u32,
    /// Has the instances of the store run as machine code whose modules have it by now.
    #[cfg(planish_native)]
    pub(crate) adopt: unsafe fn(cx: *mut Cx),
    /// Calls a host function, with its arguments in the frame, where it leaves the results.
    pub(crate) host: unsafe fn(cx: *mut Cx, entry: *mut Entry, fp: Fp) -> Result<(), Stop>,
}

impl Cx {
    /// The bytes of memory 0 of the running instance.
    ///
    /// # Safety
    /// An instance is running.
    pub(crate) unsafe fn bytes(&self) -> (*mut u8, usize) {
        (*self.instance).first_memory()
    }

    /// Makes an instance the running one.
    ///
    /// # Safety
    /// It lives as long as code runs in it.
    pub(crate) unsafe fn enter(&mut self, instance: *mut InstanceData) {
        self.instance = instance;
        self.globals = (*instance).globals.as_ptr();
    }
}

/// Handlers: functions of an instruction and a [`State`]. Type parameters are in brackets.
macro_rules! handlers {
    ($($(#[$meta:meta])* fn $name:ident $([$($generics:tt)*])? ($ip:ident, $state:ident) $body:block)*) => { $(
        $(#[$meta])*
        #[allow(unused_variables, unused_mut)]
        pub(crate) unsafe fn $name $(<$($generics)*>)? (
            $ip: $crate::dispatch::Ip,
            fp: $crate::dispatch::Fp,
            memory: *mut u8,
            size: usize,
            cx: *mut $crate::dispatch::Cx,
            int: u64,
            single: f32,
            double: f64,
        ) -> $crate::dispatch::Signal {
            let mut $state = $crate::dispatch::State { fp, memory, size, cx, int, single, double };
            $body
        }
    )* };
}
pub(crate) use handlers;

/// Goes on with the instruction at `ip`.
#[cfg(all(planish_threaded, not(miri), not(fuzzing)))]
macro_rules! next {
    ($ip:expr, $state:expr) => {{
        let ip: $crate::dispatch::Ip = $ip;
        let $crate::dispatch::State { fp, memory, size, cx, int, single, double } = $state;
        let handler: $crate::dispatch::Handler = $crate::dispatch::handler_of(*ip);
        return handler(ip, fp, memory, size, cx, int, single, double);
    }};
}
#[cfg(not(all(planish_threaded, not(miri), not(fuzzing))))]
macro_rules! next {
    ($ip:expr, $state:expr) => {{
        let ip: $crate::dispatch::Ip = $ip;
        let $crate::dispatch::State { fp, memory, size, cx, int, single, double } = $state;
        (*cx).resume = (ip, fp, memory, size);
        (*cx).accumulators = (int, single, double);
        return $crate::dispatch::Signal::Next;
    }};
}
pub(crate) use next;

/// Stops with a trap.
macro_rules! trap {
    ($kind:ident, $ip:expr, $state:expr) => {
        return $crate::dispatch::stop_with($state.cx, $ip, planish_ir::function::TrapKind::$kind)
    };
}
pub(crate) use trap;

/// Notes a trap at an instruction.
#[cold]
#[inline(never)]
pub(crate) unsafe fn stop_with(cx: *mut Cx, ip: Ip, kind: TrapKind) -> Signal {
    (*cx).stopped_at = ip;
    (*cx).stop = Some(Stop::Trap(kind));
    Signal::Stopped
}

/// Notes why an instruction stopped.
#[cold]
#[inline(never)]
pub(crate) unsafe fn stop_as(cx: *mut Cx, ip: Ip, stop: Stop) -> Signal {
    (*cx).stopped_at = ip;
    (*cx).stop = Some(stop);
    Signal::Stopped
}

/// 16-bit operand number `i` of the first operand word.
#[inline(always)]
pub(crate) unsafe fn half(ip: Ip, i: usize) -> usize {
    (*ip.add(1).cast::<u16>().add(i)).into()
}

/// 16-bit operand number `i` of the first operand word, with a sign.
#[inline(always)]
pub(crate) unsafe fn half_signed(ip: Ip, i: usize) -> i16 {
    *ip.add(1).cast::<i16>().add(i)
}

/// The upper 32 bits of the first operand word.
#[inline(always)]
pub(crate) unsafe fn upper(ip: Ip) -> i32 {
    *ip.add(1).cast::<i32>().add(1)
}

/// Register whose number is 16-bit operand `i`.
#[inline(always)]
pub(crate) unsafe fn register(ip: Ip, m: &State, i: usize) -> u64 {
    *m.fp.add(half(ip, i))
}

/// Writes the register whose number is 16-bit operand `i`.
#[inline(always)]
pub(crate) unsafe fn set(ip: Ip, m: &State, i: usize, value: u64) {
    *m.fp.add(half(ip, i)) = value;
}

/// Runs from an instruction until the program returns, stops or is suspended.
///
/// # Safety
/// `ip` is the beginning of an instruction of code compiled for frames that fit between `fp` and the limit of `cx`,
/// whose pointers are valid.
pub(crate) unsafe fn run(ip: Ip, fp: Fp, cx: *mut Cx) -> Signal {
    let (memory, size) = (*cx).bytes();
    #[cfg(all(planish_threaded, not(miri), not(fuzzing)))]
    {
        let handler: Handler = handler_of(*ip);
        handler(ip, fp, memory, size, cx, 0, 0.0, 0.0)
    }
    #[cfg(not(all(planish_threaded, not(miri), not(fuzzing))))]
    {
        (*cx).resume = (ip, fp, memory, size);
        loop {
            let (ip, fp, memory, size) = (*cx).resume;
            let (int, single, double) = (*cx).accumulators;
            let handler: Handler = handler_of(*ip);
            match handler(ip, fp, memory, size, cx, int, single, double) {
                Signal::Next => {}
                signal => return signal,
            }
        }
    }
}

/// The handler that a word names.
#[inline(always)]
pub(crate) unsafe fn handler_of(word: u64) -> Handler {
    std::mem::transmute::<*const (), Handler>(std::ptr::with_exposed_provenance(word as usize))
}

/// The word that names a handler.
pub(crate) fn word(handler: Handler) -> u64 {
    (handler as *const ()).expose_provenance() as u64
}
