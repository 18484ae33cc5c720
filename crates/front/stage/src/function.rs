//! Functions of the generated program.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;

use planish_ir::builder::{Builder, Results};
use planish_ir::derivative::Derivatives;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Value};
use planish_ir::host::SliceParam;
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::source::SourceMap;
use planish_ir::types::Types;
use planish_ir::verify::verify;
use rustc_hash::FxHasher;

use crate::host::HostFunction;
use crate::params::Params;
use crate::rep::Part;
use crate::session::{self, BegunSlice, Made, Place, Session, types_of};
use crate::staged::{Kind, Stage, Staged, kinds_of};

/// A generated program with one exported function, from `A` to `R`.
pub struct Built<A, R> {
    /// The program.
    pub module: Module,
    /// Places in the Rust that made it.
    pub map: SourceMap,
    /// The name of the function.
    pub name: String,
    /// Functions of the host that it calls.
    pub hosts: Vec<HostFunction>,
    /// Slices among the parameters, in order; their memories are all that the program has.
    pub slices: Vec<SliceParam>,
    /// Derivatives that it asks for: functions without bodies, until `planish_opt::differentiate` writes them.
    pub derivatives: Derivatives,
    signature: PhantomData<fn(A) -> R>,
}

impl<A, R> Clone for Built<A, R> {
    fn clone(&self) -> Self {
        let Built { module, map, name, hosts, slices, derivatives, signature } = self;
        Built {
            module: module.clone(),
            map: map.clone(),
            name: name.clone(),
            hosts: hosts.clone(),
            slices: slices.clone(),
            derivatives: derivatives.clone(),
            signature: *signature,
        }
    }
}

impl<A, R> fmt::Debug for Built<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Built").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The errors of a generated program.
#[derive(Clone, Debug)]
pub struct Errors {
    /// The errors.
    pub diagnostics: Vec<Diagnostic>,
    /// Places in the Rust that made the program.
    pub map: SourceMap,
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |span| self.map.place(span).map_or_else(String::new, |place| format!("{place}: "));
        for (index, error) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}error[{}]: {}", place(error.span), error.code, error.message)?;
            for label in &error.labels {
                write!(f, "\n  {}{}", place(label.span), label.text)?;
            }
            for help in &error.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// A closure that makes a function from `A` (a tuple of its parameters) to `R`.
#[diagnostic::on_unimplemented(
    message = "this is no closure of a staged function",
    note = "it has eight parameters at most, whose types are written; a tuple, an array or a struct of values counts as one"
)]
pub trait Generator<A, R> {
    /// Calls the closure.
    #[doc(hidden)]
    fn generate(self, args: A) -> R;
}

/// A function of the generated program, for calls in it.
pub struct Callable<A, R> {
    pub(crate) func: Func,
    pub(crate) session: u64,
    place: Place,
    signature: PhantomData<fn(A) -> R>,
}

impl<A, R> Clone for Callable<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Callable<A, R> {}

impl<A, R> Callable<A, R> {
    /// Another function of the same program.
    pub(crate) fn other<B, Q>(self, func: Func) -> Callable<B, Q> {
        Callable { func, session: self.session, place: self.place, signature: PhantomData }
    }
}

macro_rules! arities {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        impl<Function, Result, $($name,)*> Generator<($($name,)*), Result> for Function
        where
            Function: FnOnce($($name),*) -> Result,
        {
            fn generate(self, ($($arg,)*): ($($name,)*)) -> Result {
                self($($arg),*)
            }
        }

        impl<Result: Staged, $($name: Staged,)*> Callable<($($name,)*), Result> {
            /// Calls the function.
            #[track_caller]
            #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
            pub fn call(self, $($arg: impl Stage<$name>),*) -> Result {
                let place = Location::caller();
                self.call_with(&($($arg.stage(),)*), place)
            }
        }
    )*};
}

crate::for_each_arity!(arities);

impl<A: Staged, R: Staged> Callable<A, R> {
    fn call_with(self, args: &A, place: Place) -> R {
        session::with(|session| {
            let values = session.values(args, place);
            session.call_of(self.session, self.place, place, |b| b.call(self.func.into(), &values))
        })
    }
}

impl Session {
    /// The results of a call of something that was made at `made` in the session of number `number`.
    pub(crate) fn call_of<R: Staged>(
        &mut self,
        number: u64,
        made: Place,
        place: Place,
        call: impl FnOnce(&mut Builder<'_, '_>) -> Results,
    ) -> R {
        let kinds = kinds_of::<R>(&mut self.module.types);
        if number == self.number() {
            let results = self.build(place, call);
            return self.group(&kinds, &results, place);
        }
        let (here, there) = (self.span(place), self.span(made));
        let error = Diagnostic::error(Code::E1401, here, "this function belongs to another program");
        self.error(error.also(there, "it is made here").help("make the function inside of `function`"));
        let zeros: Vec<Value> = kinds.iter().map(|kind| self.zero(kind.ty)).collect();
        self.group(&kinds, &zeros, place)
    }

    /// Values that are computed here, as a group.
    pub(crate) fn group<S: Staged>(&self, kinds: &[Kind], values: &[Value], place: Place) -> S {
        S::from_parts(&mut self.parts(kinds, values, place).into_iter())
    }

    fn parts(&self, kinds: &[Kind], values: &[Value], place: Place) -> Vec<Part> {
        kinds.iter().zip(values).map(|(kind, &value)| self.part(value, place, kind.make)).collect()
    }
}

/// Makes a program with one function.
///
/// # Errors
/// The errors of the program, with places in the Rust that makes it.
///
/// ```
/// use planish_front_stage::{Rep, build};
/// let square = build("square", |x: Rep<f64>| x * x).expect("it is valid");
/// let text = planish_ir::text::print(&square.module);
/// assert!(text.contains("%1 = multiply %0, %0"), "{text}");
/// ```
#[track_caller]
pub fn build<A: Params, S: Staged, R: Stage<S>>(name: &str, body: impl Generator<A, R>) -> Result<Built<A, S>, Errors> {
    let place = Location::caller();
    let (func, made) = session::in_session(|| {
        let signature = Signature { kinds: A::kinds, group: A::begin };
        let body = |_: Callable<A, S>, args: A| body.generate(args).stage();
        let made = make_noted(name, name.to_owned(), place, signature, |_, _| (), body);
        session::with(|session| {
            session.module.entry_points.push(EntryPoint {
                names: vec![name.into()],
                func: made.func,
                stage: None,
                properties: StageProperties::default(),
            });
        });
        made.func
    });
    let Made { module, map, hosts, slices, derivatives, errors: diagnostics } = made;
    if !diagnostics.is_empty() {
        return Err(Errors { diagnostics, map });
    }
    debug_assert_eq!(verify(&module), [], "{}", planish_ir::text::print(&module));
    let slices = slices.iter().map(|slice| slice_param(&module, func, slice)).collect();
    Ok(Built { module, map, name: name.to_owned(), hosts, slices, derivatives, signature: PhantomData })
}

impl<A, R> Built<A, R> {
    /// Another function in place of this one.
    #[doc(hidden)]
    pub fn replaced<B, Q>(&self, name: String, module: Module, slices: Vec<SliceParam>) -> Built<B, Q> {
        let Built { map, hosts, derivatives, .. } = self.clone();
        Built { module, map, name, hosts, slices, derivatives, signature: PhantomData }
    }
}

/// A slice by the number of its parameter.
fn slice_param(module: &Module, func: Func, slice: &BegunSlice) -> SliceParam {
    let BegunSlice { memory, len, number, count, is_written } = *slice;
    let body = module.funcs[func].body.as_ref().expect("it was made");
    let mut params = body.blocks[body.entry].inputs.iter();
    let param = params.position(|&input| len == input.into()).expect("the length is a parameter");
    SliceParam { func, param, memory, number, count, is_written }
}

/// Makes a function of the program that is being made.
///
/// ```
/// use planish_front_stage::{Rep, build, func};
/// let f = build("norm", |x: Rep<f64>, y: Rep<f64>| {
///     let square = func("square", |x: Rep<f64>| x * x);
///     (square.call(x) + square.call(y)).sqrt()
/// })
/// .expect("it is valid");
/// assert_eq!(f.module.funcs.len(), 2);
/// ```
#[track_caller]
pub fn func<A: Staged, S: Staged, R: Stage<S>>(name: &str, body: impl Generator<A, R>) -> Callable<A, S> {
    make(name, name.to_owned(), Location::caller(), |_, args: A| body.generate(args).stage())
}

/// Makes a function that may call itself. The closure gets the function, and the tuple of its parameters.
///
/// ```
/// use planish_front_stage::{Callable, Rep, build, if_, recursive};
/// let f = build("fibonacci", |n: Rep<u32>| {
///     let fibonacci = recursive("fib", |fib: Callable<(Rep<u32>,), Rep<u64>>, (n,)| {
///         if_(n.lt(2), || n.as_::<u64>(), || fib.call(n - 1) + fib.call(n - 2))
///     });
///     fibonacci.call(n)
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn recursive<A: Staged, S: Staged, R: Stage<S>>(
    name: &str,
    body: impl FnOnce(Callable<A, S>, A) -> R,
) -> Callable<A, S> {
    make(name, name.to_owned(), Location::caller(), |me, args| body(me, args).stage())
}

/// Calls a function that is made once for each value of `key`, which the closure can compute with now: an interpreter of a program
/// that is known becomes a compiler.
///
/// A function for a key may ask for itself, or for other keys, while it is made: the calls then form a loop. The same place in the
/// Rust with an equal key, and with arguments and results of the same types, is the same function.
///
/// ```
/// use planish_front_stage::{Rep, build, if_, specialized};
/// // One function for each of the two states of "an even number of ones".
/// fn parity(odd: bool, bits: Rep<u32>) -> Rep<bool> {
///     specialized("parity", odd, (bits,), |odd, (bits,)| {
///         if_(bits.eq(0), || odd, || if_((bits & 1).eq(1), || parity(!odd, bits >> 1), || parity(odd, bits >> 1)))
///     })
/// }
/// let f = build("is_odd", |bits: Rep<u32>| parity(false, bits)).expect("it is valid");
/// assert_eq!(f.module.funcs.len(), 3);
/// ```
#[track_caller]
pub fn specialized<K, A, S, R>(name: &str, key: K, args: impl Stage<A>, body: impl FnOnce(K, A) -> R) -> S
where
    K: Hash + Eq + Clone + fmt::Debug + 'static,
    A: Staged,
    S: Staged,
    R: Stage<S>,
{
    let place = Location::caller();
    let args: A = args.stage();
    let whole = (key.clone(), TypeId::of::<(A, S)>());
    let mut hasher = FxHasher::default();
    whole.hash(&mut hasher);
    let hash = hasher.finish();
    let label = format!("{name}({key:?})");
    let (known, may_begin) = session::with(|session| {
        let known = session.find_specialized(place, hash, &whole);
        (known, known.is_some() || session.may_begin(&label, place))
    });
    let func = match known {
        Some(func) => func,
        // The error is noted; nothing calls this function.
        None if !may_begin => return crate::trap().stage(),
        None => {
            let note = |session: &mut Session, func| session.note_specialized(place, hash, whole, func);
            let body = |_: Callable<A, S>, args| body(key, args).stage();
            make_noted(name, label, place, Signature::of_group(), note, body).func
        }
    };
    let session = session::with(|session| session.number());
    Callable::<A, S> { func, session, place, signature: PhantomData }.call_with(&args, place)
}

/// Makes a function for a place.
pub(crate) fn make_at<A: Staged, R: Staged>(name: &str, place: Place, body: impl FnOnce(A) -> R) -> Callable<A, R> {
    make(name, name.to_owned(), place, |_, args| body(args))
}

fn make<A: Staged, R: Staged>(
    name: &str,
    label: String,
    place: Place,
    body: impl FnOnce(Callable<A, R>, A) -> R,
) -> Callable<A, R> {
    make_noted(name, label, place, Signature::of_group(), |_, _| (), body)
}

/// The parameters of a function.
struct Signature<A> {
    /// Types of their values.
    kinds: fn(&mut Types, &mut Vec<Kind>),
    /// Makes them of their values.
    group: fn(&mut dyn Iterator<Item = Part>) -> A,
}

impl<A: Staged> Signature<A> {
    /// Of a function of the program.
    fn of_group() -> Self {
        Signature { kinds: A::types, group: A::from_parts }
    }
}

/// Makes a function, after `note` has seen its declaration.
fn make_noted<A, R: Staged>(
    name: &str,
    label: String,
    place: Place,
    signature: Signature<A>,
    note: impl FnOnce(&mut Session, Func),
    body: impl FnOnce(Callable<A, R>, A) -> R,
) -> Callable<A, R> {
    let (made, params, results) = session::with(|session| {
        let types = &mut session.module.types;
        let (mut params, results) = (Vec::new(), types_of::<R>(types));
        (signature.kinds)(types, &mut params);
        let func = session.declare(name, params.iter().map(|kind| kind.ty).collect(), &results, place);
        note(session, func);
        let made = Callable { func, session: session.number(), place, signature: PhantomData };
        (made, params, results)
    });
    session::in_function(made.func, label, results, place, || {
        let parts = session::with(|session| {
            let values: Vec<Value> = session.build(place, |b| (0..params.len()).map(|index| b.param(index)).collect());
            session.parts(&params, &values, place)
        });
        let args = (signature.group)(&mut parts.into_iter());
        let result = body(made, args);
        session::with(|session| {
            let values = session.values(&result, place);
            session.build(place, |b| b.ret(&values));
        });
    });
    made
}
