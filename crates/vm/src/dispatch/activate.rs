//! Calls from the embedder into code, and from code to functions of the host.

use std::sync::Arc;

use smallvec::SmallVec;

use planish_ir::function::TrapKind;

use super::activation::{Activation, Call, Outcome};
use super::instance::Entry;
use super::world::EntryRef;
use super::{Cx, Fp, Stop};
use crate::calls::{Mark, Ticket};
use crate::error::Error;
use crate::instance::Instance;
use crate::store::{Caller, Store};
use crate::types::Val;

/// The end of a call.
pub(crate) enum Ended {
    /// Words of the results.
    Done(SmallVec<[u64; 8]>),
    /// Why it stopped.
    Stopped(Error),
    /// It can go on when there is fuel.
    OutOfFuel(Suspended),
}

/// A call suspended for lack of fuel.
pub(crate) struct Suspended {
    activation: Box<Activation>,
    ticket: Ticket,
}

// SAFETY: it is used only together with the store that it belongs to, which may go from thread to thread.
unsafe impl Send for Suspended {}

/// Ends a call in progress when it is dropped, also by a panic of a host function.
struct InProgress<T> {
    store: *mut Store<T>,
    mark: Mark,
}

impl<T> Drop for InProgress<T> {
    fn drop(&mut self) {
        // SAFETY: `begin` and `resume` create the guard from the store that they borrow mutably until after it is
        // dropped.
        unsafe { (*self.store).inner.calls.leave(self.mark) }
    }
}

/// Calls a function.
pub(crate) fn begin<T>(store: &mut Store<T>, entry: EntryRef, args: SmallVec<[u64; 8]>) -> Ended {
    let Some(mark) = store.inner.calls.enter() else { return too_deep(store) };
    let (start, limit) = store.inner.world.stack();
    let fuel = store.inner.fuel;
    let interrupt = Arc::as_ptr(store.inner.world.interrupt());
    let raw: *mut Store<T> = store;
    let in_progress = InProgress { store: raw, mark };
    // SAFETY: the entry was checked to be of this store, whose stack has `top` words in use.
    let (activation, outcome) = unsafe {
        let base = start.add(mark.top);
        Activation::begin(Call {
            entry,
            args,
            base,
            limit,
            fuel,
            store: raw.cast(),
            interrupt,
            #[cfg(planish_native)]
            adopt: adopt::<T>,
            host: host::<T>,
        })
    };
    drop(in_progress);
    // SAFETY: the activation has ended, so the store is not aliased.
    ended(unsafe { &mut *raw }, activation, outcome)
}

/// Goes on with a call.
pub(crate) fn resume<T>(store: &mut Store<T>, suspended: Suspended) -> Ended {
    let Suspended { mut activation, ticket } = suspended;
    if let Err(error) = store.inner.calls.wake(&ticket) {
        return Ended::Stopped(error);
    }
    let Some(mark) = store.inner.calls.enter() else { return too_deep(store) };
    let fuel = store.inner.fuel;
    let raw: *mut Store<T> = store;
    let in_progress = InProgress { store: raw, mark };
    // SAFETY: the call belongs to this store, is suspended, and is the topmost on the stack.
    let outcome = unsafe { activation.resume(fuel, raw.cast()) };
    drop(in_progress);
    // SAFETY: the activation has ended, so the store is not aliased.
    ended(unsafe { &mut *raw }, *activation, outcome)
}

/// Gives a call up.
pub(crate) fn end<T>(store: &mut Store<T>, suspended: Suspended) {
    drop(suspended);
    store.inner.calls.forget_unwanted();
}

fn too_deep<T>(store: &Store<T>) -> Ended {
    Ended::Stopped(store.inner.trap(TrapKind::StackOverflow, std::ptr::null()))
}

fn ended<T>(store: &mut Store<T>, activation: Activation, outcome: Outcome) -> Ended {
    store.inner.fuel = activation.fuel();
    match outcome {
        Outcome::Done(words) => Ended::Done(words),
        Outcome::Stopped(Stop::Trap(kind), ip) => Ended::Stopped(store.inner.trap(kind, ip)),
        Outcome::Stopped(Stop::Error(error), _) => Ended::Stopped(error),
        Outcome::OutOfFuel => {
            let (ip, used) = activation.suspended_at(store.inner.world.stack().0);
            let ticket = store.inner.calls.suspend(used + store.inner.frame_at(ip));
            Ended::OutOfFuel(Suspended { activation: Box::new(activation), ticket })
        }
    }
}

/// [`Cx::adopt`].
#[cfg(planish_native)]
unsafe fn adopt<T>(cx: *mut Cx) {
    let inner = &mut (*(*cx).store.cast::<Store<T>>()).inner;
    inner.world.adopt(&inner.engine);
}

/// Calls a function of the host: [`Cx::host`].
unsafe fn host<T>(cx: *mut Cx, entry: *mut Entry, fp: Fp) -> Result<(), Stop> {
    let store = &mut *(*cx).store.cast::<Store<T>>();
    store.inner.fuel = (*cx).fuel;
    let (function, ty) = &store.hosts[(*entry).host as usize];
    // A store keeps all of its functions, and a callee cannot replace the store.
    let (function, ty) = (&*Arc::as_ptr(function), &*Arc::as_ptr(ty));
    let words: SmallVec<[u64; 8]> = (0..(*entry).words.0 as usize).map(|i| *fp.add(i)).collect();
    let args: SmallVec<[Val; 8]> = store.inner.values(ty.params(), &words).collect();
    let mut results: SmallVec<[Val; 4]> = ty.results().iter().map(|&ty| Val::default_of(ty)).collect();
    let mark = store.inner.calls.mark();
    store.inner.calls.top = fp.offset_from_unsigned(store.inner.world.stack().0) + (*entry).host_words();
    let id = store.inner.id;
    let instance = (*cx).instance;
    let instance = (!instance.is_null()).then(|| Instance { store: id, index: (*instance).index });
    let called = function(Caller { store: &mut *store, instance }, &args, &mut results);
    // Calls suspended inside are abandoned: the stack below them is reused.
    store.inner.calls.leave(mark);
    (*cx).fuel = store.inner.fuel;
    called.map_err(Stop::Error)?;
    if !results.iter().map(Val::ty).eq(ty.results().iter().copied()) {
        return Err(Stop::Error(Error::Type(format!("a function of the host has type {ty}, and gave other results"))));
    }
    let mut words = SmallVec::<[u64; 8]>::new();
    results.iter().for_each(|result| result.put(&store.inner, &mut words));
    words.iter().enumerate().for_each(|(i, &word)| *fp.add(i) = word);
    Ok(())
}
