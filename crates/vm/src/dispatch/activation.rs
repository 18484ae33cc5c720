//! Activations: running or suspended programs.

use std::sync::atomic::AtomicU32;

use planish_ir::function::TrapKind;
use smallvec::SmallVec;

use super::instance::Entry;
use super::world::EntryRef;
use super::{Cx, Fp, Ip, Signal, Stop, calls, run};

/// Arguments of an activation.
pub(crate) struct Call {
    /// The callee.
    pub(crate) entry: EntryRef,
    /// Words of the arguments.
    pub(crate) args: SmallVec<[u64; 8]>,
    /// The first free word of the stack.
    pub(crate) base: Fp,
    /// One past the last one.
    pub(crate) limit: Fp,
    /// Fuel limit.
    pub(crate) fuel: i64,
    /// The store, for `host` and `adopt`.
    pub(crate) store: *mut (),
    /// As [`Cx::interrupt`].
    pub(crate) interrupt: *const AtomicU32,
    /// As [`Cx::adopt`].
    #[cfg(planish_native)]
    pub(crate) adopt: unsafe fn(*mut Cx),
    /// As [`Cx::host`].
    pub(crate) host: unsafe fn(*mut Cx, *mut Entry, Fp) -> Result<(), Stop>,
}

/// A running or suspended program.
pub(crate) struct Activation {
    cx: Cx,
    base: Fp,
    results: u32,
}

/// The end of a run, for the store.
pub(crate) enum Outcome {
    /// It is done; words of the results.
    Done(SmallVec<[u64; 8]>),
    /// It stopped, at an instruction.
    Stopped(Stop, Ip),
    /// Suspended for lack of fuel.
    OutOfFuel,
}

impl Activation {
    /// Begins a call.
    ///
    /// # Safety
    /// `call.entry` belongs to the world whose stack `base` and `limit` are in and that lives until the activation has
    /// ended; so do `store` and `host`.
    pub(crate) unsafe fn begin(call: Call) -> (Activation, Outcome) {
        let entry: *mut Entry = std::ptr::with_exposed_provenance_mut(call.entry.word() as usize);
        let cx = Cx {
            limit: call.limit,
            instance: (*entry).instance,
            globals: std::ptr::null(),
            fuel: call.fuel,
            resume: (std::ptr::null(), std::ptr::null_mut(), std::ptr::null_mut(), 0),
            head: std::ptr::null(),
            accumulators: (0, 0.0, 0.0),
            stopped_at: std::ptr::null(),
            stop: None,
            crossings: Vec::new(),
            store: call.store,
            interrupt: call.interrupt,
            #[cfg(planish_native)]
            free: call.base,
            #[cfg(planish_native)]
            lowest: 0,
            #[cfg(planish_native)]
            panic: None,
            #[cfg(planish_native)]
            nested: 0,
            #[cfg(planish_native)]
            adopt: call.adopt,
            host: call.host,
        };
        let words = (*entry).words;
        let available = call.limit.offset_from_unsigned(call.base);
        let needed = words.0.max(words.1) as usize + 2;
        if available < needed {
            let activation = Activation { cx, base: call.base, results: 0 };
            return (activation, Outcome::Stopped(Stop::Trap(TrapKind::StackOverflow), std::ptr::null()));
        }
        for (i, &word) in call.args.iter().enumerate() {
            *call.base.add(i) = word;
        }
        let mut activation = Activation { cx, base: call.base, results: words.1 };
        let cx = &raw mut activation.cx;
        if (*entry).is_host() {
            let outcome = match ((*cx).host)(cx, entry, call.base) {
                Ok(()) => activation.results(),
                Err(stop) => Outcome::Stopped(stop, std::ptr::null()),
            };
            return (activation, outcome);
        }
        #[cfg(planish_native)]
        if super::tiers::has_code(entry, cx) {
            let module = &(*(*entry).instance).module;
            (*cx).free = call.base.add(words.0.max(words.1) as usize);
            let called = match super::native::prepare(entry, module) {
                Ok(()) => super::native::run(cx, entry, call.base, 8 * module.engine.config().stack_words),
                Err(error) => Err(Stop::Error(error)),
            };
            let outcome = match called {
                Ok(()) => activation.results(),
                Err(stop) => Outcome::Stopped(stop, activation.cx.stopped_at),
            };
            return (activation, outcome);
        }
        (*cx).enter((*entry).instance);
        let (start, frame) = (*(*entry).code).start();
        if available < frame {
            return (activation, Outcome::Stopped(Stop::Trap(TrapKind::StackOverflow), std::ptr::null()));
        }
        let prelude = words.0.max(words.1) as usize;
        *call.base.add(prelude) = calls::halt_code().expose_provenance() as u64;
        *call.base.add(prelude + 1) = call.base.expose_provenance() as u64;
        #[cfg(planish_native)]
        if !(*entry).callee.runtime.is_null() {
            let module = &(*(*entry).instance).module;
            let stack_bytes = 8 * module.engine.config().stack_words;
            let runtime = (*entry).callee.runtime;
            let signal = super::native::with_stack(cx, runtime, stack_bytes, || run(start, call.base, cx));
            let outcome = activation.outcome(signal);
            return (activation, outcome);
        }
        let signal = run(start, call.base, cx);
        let outcome = activation.outcome(signal);
        (activation, outcome)
    }

    /// Resumes with more fuel.
    ///
    /// # Safety
    /// It ran out of fuel, the conditions of [`Activation::begin`] still hold, and `store` is the current address of
    /// the store.
    pub(crate) unsafe fn resume(&mut self, fuel: i64, store: *mut ()) -> Outcome {
        self.cx.fuel = fuel;
        self.cx.store = store;
        let (ip, fp, ..) = self.cx.resume;
        let cx = &raw mut self.cx;
        let signal = run(ip, fp, cx);
        self.outcome(signal)
    }

    /// The instruction to resume at, and the words of the stack below its frame.
    pub(crate) fn suspended_at(&self, stack: Fp) -> (Ip, usize) {
        let (ip, fp, ..) = self.cx.resume;
        // SAFETY: frames lie in the stack.
        (ip, unsafe { fp.offset_from_unsigned(stack) })
    }

    /// Remaining fuel.
    pub(crate) fn fuel(&self) -> i64 {
        self.cx.fuel
    }

    unsafe fn outcome(&mut self, signal: Signal) -> Outcome {
        match signal {
            Signal::Done => self.results(),
            Signal::OutOfFuel => Outcome::OutOfFuel,
            Signal::Stopped | Signal::Next => {
                let stop = self.cx.stop.take().unwrap_or(Stop::Trap(TrapKind::Unreachable));
                Outcome::Stopped(stop, self.cx.stopped_at)
            }
        }
    }

    unsafe fn results(&self) -> Outcome {
        Outcome::Done((0..self.results as usize).map(|i| *self.base.add(i)).collect())
    }
}
