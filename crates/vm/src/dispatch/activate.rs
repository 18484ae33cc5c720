//! Calls from the embedder into code, and from code to functions of the host.

use smallvec::SmallVec;

use planish_ir::function::TrapKind;

use super::world::{Activation, Call, Entry, EntryRef, Outcome};
use super::{Cx, Fp, Stop};
use crate::error::Error;
use crate::instance::Instance;
use crate::store::{Caller, Store};
use crate::types::Val;

/// Calls of the embedder's that may be in progress inside each other. Each takes native stack.
const MAX_DEPTH: u32 = 200;

/// How a call ended.
pub(crate) enum Ended {
    /// Words of the results.
    Done(SmallVec<[u64; 8]>),
    /// Why it stopped.
    Stopped(Error),
    /// It can go on when there is fuel.
    OutOfFuel(Suspended),
}

/// A call that waits for fuel.
pub(crate) struct Suspended {
    activation: Box<Activation>,
    /// Words of the stack that were in use when it began.
    top: usize,
}

// SAFETY: it is used only together with the store that it belongs to, which may go from thread to thread.
unsafe impl Send for Suspended {}

/// Calls a function.
pub(crate) fn begin<T>(store: &mut Store<T>, entry: EntryRef, args: SmallVec<[u64; 8]>) -> Ended {
    if store.inner.depth >= MAX_DEPTH {
        return Ended::Stopped(store.inner.trap(TrapKind::StackOverflow, std::ptr::null()));
    }
    let (start, limit) = store.inner.world.stack();
    let top = store.inner.top;
    store.inner.depth += 1;
    let fuel = store.inner.fuel;
    let raw: *mut Store<T> = store;
    // SAFETY: the entry was checked to be of this store, whose stack has `top` words in use.
    let (activation, outcome) = unsafe {
        let base = start.add(top);
        Activation::begin(Call { entry, args, base, limit, fuel, store: raw.cast(), host: host::<T> })
    };
    // SAFETY: nobody else has the store now.
    let store = unsafe { &mut *raw };
    store.inner.depth -= 1;
    ended(store, Box::new(activation), outcome, top)
}

/// Goes on with a call.
pub(crate) fn resume<T>(store: &mut Store<T>, mut suspended: Suspended) -> Ended {
    let fuel = store.inner.fuel;
    store.inner.depth += 1;
    let raw: *mut Store<T> = store;
    // SAFETY: it is of this store, and waits for fuel.
    let outcome = unsafe { suspended.activation.resume(fuel, raw.cast()) };
    // SAFETY: nobody else has the store now.
    let store = unsafe { &mut *raw };
    store.inner.depth -= 1;
    ended(store, suspended.activation, outcome, suspended.top)
}

/// Gives a call up.
pub(crate) fn end<T>(store: &mut Store<T>, suspended: Suspended) {
    store.inner.top = suspended.top;
}

fn ended<T>(store: &mut Store<T>, activation: Box<Activation>, outcome: Outcome, top: usize) -> Ended {
    store.inner.fuel = activation.fuel();
    store.inner.top = top;
    match outcome {
        Outcome::Done(words) => Ended::Done(words),
        Outcome::Stopped(Stop::Trap(kind), ip) => Ended::Stopped(store.inner.trap(kind, ip)),
        Outcome::Stopped(Stop::Error(error), _) => Ended::Stopped(error),
        Outcome::OutOfFuel => {
            let (ip, used) = activation.suspended_at(store.inner.world.stack().0);
            store.inner.top = used + store.inner.frame_at(ip);
            Ended::OutOfFuel(Suspended { activation, top })
        }
    }
}

/// Calls a function of the host: [`Cx::host`].
unsafe fn host<T>(cx: *mut Cx, entry: *mut Entry, fp: Fp) -> Result<(), Stop> {
    let store = &mut *(*cx).store.cast::<Store<T>>();
    store.inner.fuel = (*cx).fuel;
    let (function, ty) = &store.hosts[(*entry).host as usize];
    let (function, ty) = (std::sync::Arc::clone(function), std::sync::Arc::clone(ty));
    let words: SmallVec<[u64; 8]> = (0..(*entry).words.0 as usize).map(|i| *fp.add(i)).collect();
    let args: SmallVec<[Val; 8]> = store.inner.values(ty.params(), &words).collect();
    let mut results: SmallVec<[Val; 4]> = ty.results().iter().map(|&ty| Val::default_of(ty)).collect();
    let top = store.inner.top;
    store.inner.top = fp.offset_from_unsigned(store.inner.world.stack().0) + (*entry).host_words();
    let id = store.inner.id;
    let instance = (*cx).instance;
    let instance = (!instance.is_null()).then(|| Instance { store: id, index: (*instance).index });
    let called = function(Caller { store: &mut *store, instance }, &args, &mut results);
    store.inner.top = top;
    (*cx).fuel = store.inner.fuel;
    called.map_err(Stop::Error)?;
    if !results.iter().map(Val::ty).eq(ty.results().iter().copied()) {
        return Err(Stop::Error(Error::Type(format!("a function of the host has type {ty}, and gave other results"))));
    }
    let mut words = SmallVec::<[u64; 8]>::new();
    results.iter().for_each(|result| result.put(&mut words));
    words.iter().enumerate().for_each(|(i, &word)| *fp.add(i) = word);
    Ok(())
}
