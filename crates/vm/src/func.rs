//! Functions: calls into programs, and functions of the host.

use std::marker::PhantomData;
use std::sync::Arc;

use planish_ir::host::{FuncType, ValType};
use smallvec::SmallVec;

use crate::dispatch::activate::{self, Ended};
use crate::dispatch::world::EntryRef;
use crate::error::Error;
use crate::store::{AsContext, AsContextMut, Caller, StoreInner};
use crate::types::Val;

/// A function of the host: gets the arguments, fills the results.
pub(crate) type HostFn<T> = dyn Fn(Caller<'_, T>, &[Val], &mut [Val]) -> Result<(), Error> + Send + Sync;

/// A function of a store: of an instance, or of the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Func {
    pub(crate) store: u64,
    pub(crate) entry: EntryRef,
}

impl Func {
    /// A function of the host.
    pub fn new<T>(
        mut store: impl AsContextMut<Data = T>,
        ty: FuncType,
        function: impl Fn(Caller<'_, T>, &[Val], &mut [Val]) -> Result<(), Error> + Send + Sync + 'static,
    ) -> Self {
        Self::from_shared(store.as_context_mut().0, ty, Arc::new(function))
    }

    pub(crate) fn from_shared<T>(store: &mut crate::store::Store<T>, ty: FuncType, function: Arc<HostFn<T>>) -> Self {
        let host = store.hosts.len() as u32;
        store.hosts.push((function, Arc::new(ty.clone())));
        let inner = &mut store.inner;
        let number = inner.engine.type_id(&ty);
        let entry = inner.world.add_host(&inner.engine, host, number, ty.words());
        Func { store: inner.id, entry }
    }

    /// Its type. Vectors and other composites are passed as their components; the target of a pointer parameter is a
    /// parameter, and another result after the others. Empty for a function that only programs can call: one with
    /// references to functions of one type, images, or types that registers cannot hold.
    pub fn ty(&self, store: impl AsContext) -> FuncType {
        self.shared_type(&store.as_context().0.inner).map_or_else(FuncType::default, |ty| (*ty).clone())
    }

    /// Its type; `None` if only programs can call it.
    pub(crate) fn shared_type(&self, inner: &StoreInner) -> Option<Arc<FuncType>> {
        inner.check(self.store);
        inner.engine.func_type(inner.world.type_of(self.entry))
    }

    /// Calls it.
    ///
    /// # Errors
    /// If it traps, burns all fuel, or `args` and `results` do not fit its type.
    pub fn call<T>(
        &self,
        mut store: impl AsContextMut<Data = T>,
        args: &[Val],
        results: &mut [Val],
    ) -> Result<(), Error> {
        match self.begin(store.as_context_mut().0, args, results)? {
            ResumableCall::Finished => Ok(()),
            ResumableCall::OutOfFuel(invocation) => {
                invocation.end(store.as_context_mut().0);
                Err(Error::OutOfFuel)
            }
        }
    }

    /// Calls it so that it can be resumed after running out of fuel. Only the virtual machine can: as machine code, a call that
    /// runs out of fuel has ended.
    ///
    /// # Errors
    /// As [`Func::call`], but for fuel: [`Error::CannotResume`] where the engine runs machine code.
    pub fn call_resumable<T>(
        &self,
        mut store: impl AsContextMut<Data = T>,
        args: &[Val],
        results: &mut [Val],
    ) -> Result<ResumableCall, Error> {
        self.begin(store.as_context_mut().0, args, results).map_err(|error| match error {
            Error::OutOfFuel => Error::CannotResume,
            other => other,
        })
    }

    fn begin<T>(
        &self,
        store: &mut crate::store::Store<T>,
        args: &[Val],
        results: &mut [Val],
    ) -> Result<ResumableCall, Error> {
        let Some(ty) = self.shared_type(&store.inner) else {
            return Err(Error::Type("the function has parameters or results that the host cannot represent".into()));
        };
        let fits = args.iter().map(Val::ty).eq(ty.params().iter().copied()) && results.len() == ty.results().len();
        if !fits {
            return Err(Error::Type(format!("the function has type {ty}; other arguments or results were given")));
        }
        let mut words = SmallVec::<[u64; 8]>::new();
        args.iter().for_each(|arg| arg.put(&store.inner, &mut words));
        let ended = activate::begin(store, self.entry, words);
        finish(store, ended, ty, results)
    }

    /// The function with a static type.
    ///
    /// # Errors
    /// If it has another type.
    pub fn typed<P: Values, R: Values>(&self, store: impl AsContext) -> Result<TypedFunc<P, R>, Error> {
        match self.shared_type(&store.as_context().0.inner) {
            Some(ty) if ty.params() == P::types() && ty.results() == R::types() => {
                Ok(TypedFunc { func: *self, types: PhantomData })
            }
            Some(ty) => Err(Error::Type(format!("the function has type {ty}"))),
            None => Err(Error::Type("the function has parameters or results that the host cannot represent".into())),
        }
    }
}

fn finish<T>(
    store: &mut crate::store::Store<T>,
    ended: Ended,
    ty: Arc<FuncType>,
    results: &mut [Val],
) -> Result<ResumableCall, Error> {
    match ended {
        Ended::Done(words) => {
            results.iter_mut().zip(store.inner.values(ty.results(), &words)).for_each(|(r, v)| *r = v);
            Ok(ResumableCall::Finished)
        }
        Ended::Stopped(error) => Err(error),
        Ended::OutOfFuel(suspended) => {
            Ok(ResumableCall::OutOfFuel(Invocation { store: store.inner.id, suspended, ty }))
        }
    }
}

/// The end of a resumable call.
pub enum ResumableCall {
    /// It is done.
    Finished,
    /// It has burnt all fuel, and can go on.
    OutOfFuel(Invocation),
}

/// A call that ran out of fuel. Dropping it abandons it, as [`Invocation::end`] does.
///
/// All calls of a store share one stack. Of several suspended ones only the last can be resumed; the others can after
/// it is done or abandoned. Calls that a host function leaves suspended are abandoned when it returns.
pub struct Invocation {
    store: u64,
    suspended: activate::Suspended,
    ty: Arc<FuncType>,
}

impl Invocation {
    /// Resumes it, with the fuel of the store.
    ///
    /// # Errors
    /// As [`Func::call_resumable`]. If it is not the topmost call of its store, it is abandoned.
    pub fn resume<T>(
        self,
        mut store: impl AsContextMut<Data = T>,
        results: &mut [Val],
    ) -> Result<ResumableCall, Error> {
        let store = store.as_context_mut().0;
        store.inner.check(self.store);
        let ended = activate::resume(store, self.suspended);
        finish(store, ended, self.ty, results)
    }

    /// Gives the call up.
    pub fn end<T>(self, mut store: impl AsContextMut<Data = T>) {
        let store = store.as_context_mut().0;
        store.inner.check(self.store);
        activate::end(store, self.suspended);
    }
}

/// A function with a static type.
#[derive(Debug)]
pub struct TypedFunc<P, R> {
    func: Func,
    types: PhantomData<fn(P) -> R>,
}

impl<P, R> Clone for TypedFunc<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for TypedFunc<P, R> {}

impl<P: Values, R: Values> TypedFunc<P, R> {
    /// Calls it.
    ///
    /// # Errors
    /// If it traps or burns all fuel.
    pub fn call<T>(&self, mut store: impl AsContextMut<Data = T>, params: P) -> Result<R, Error> {
        let store = store.as_context_mut().0;
        store.inner.check(self.func.store);
        let mut words = SmallVec::<[u64; 8]>::new();
        params.put(&mut words);
        match activate::begin(store, self.func.entry, words) {
            Ended::Done(words) => Ok(R::get(&words)),
            Ended::Stopped(error) => Err(error),
            Ended::OutOfFuel(suspended) => {
                activate::end(store, suspended);
                Err(Error::OutOfFuel)
            }
        }
    }

    /// The function without its type.
    pub fn func(&self) -> &Func {
        &self.func
    }
}

/// Sealed: a foreign implementation could pass any word to code as a reference.
mod sealed {
    pub trait Sealed {}
}

/// A number that can be an argument or result of functions.
pub trait Value: Copy + sealed::Sealed {
    /// Its type in the program.
    const TYPE: ValType;
    /// From a register.
    fn from_word(word: u64) -> Self;
    /// Into a register.
    fn into_word(self) -> u64;
}

macro_rules! values {
    ($($t:ident $ty:ident |$w:ident| $get:expr, |$x:ident| $put:expr;)*) => { $(
        impl sealed::Sealed for $t {}
        impl Value for $t {
            const TYPE: ValType = ValType::$ty;
            fn from_word($w: u64) -> Self { $get }
            fn into_word(self) -> u64 { let $x = self; $put }
        }
        impl Values for $t {
            fn types() -> Vec<ValType> { vec![<$t>::TYPE] }
            fn put(self, words: &mut SmallVec<[u64; 8]>) { words.push(self.into_word()) }
            fn get(words: &[u64]) -> Self { <$t>::from_word(words[0]) }
        }
    )* };
}

/// Arguments or results of functions: none, one, or a tuple.
pub trait Values: sealed::Sealed {
    /// Their types.
    fn types() -> Vec<ValType>;
    /// Appends their words.
    fn put(self, words: &mut SmallVec<[u64; 8]>);
    /// Out of words.
    fn get(words: &[u64]) -> Self;
}

values! {
    i32 I32 |w| w as i32, |x| x as u32 as u64;
    u32 I32 |w| w as u32, |x| x.into();
    i64 I64 |w| w as i64, |x| x as u64;
    u64 I64 |w| w, |x| x;
    f32 F32 |w| f32::from_bits(w as u32), |x| x.to_bits().into();
    f64 F64 |w| f64::from_bits(w), |x| x.to_bits();
}

macro_rules! tuples {
    ($(($($t:ident $i:tt),*))*) => { $(
        impl<$($t: Value),*> sealed::Sealed for ($($t,)*) {}
        impl<$($t: Value),*> Values for ($($t,)*) {
            fn types() -> Vec<ValType> { vec![$($t::TYPE),*] }
            #[allow(unused_variables)]
            fn put(self, words: &mut SmallVec<[u64; 8]>) { $(words.push(self.$i.into_word());)* }
            #[allow(unused_variables, clippy::unused_unit)]
            fn get(words: &[u64]) -> Self { ($($t::from_word(words[$i]),)*) }
        }
    )* };
}

tuples! {
    ()
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8)
}
