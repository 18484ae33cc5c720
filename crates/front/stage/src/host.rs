//! Functions of the host that the generated program calls.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use planish_ir::custom::{CustomEffect, CustomOpData, Meaning};
use planish_ir::entity::CustomOp;
use planish_ir::types::Scalar;

use crate::floats::Float;
use crate::function::Generator;
use crate::rep::{Element, Rep};
use crate::session::{self, Place};
use crate::staged::{Stage, Staged, scalars_of};

/// The phase that lowers calls of the host to calls of imported functions.
pub const HOST_PHASE: &str = "host";

type OnBits = dyn Fn(&mut dyn Iterator<Item = u64>, &mut Vec<u64>) + Send + Sync;

/// A function of the host, on the bits of scalars.
#[derive(Clone)]
pub struct HostFunction {
    /// The name of its op.
    pub name: Arc<str>,
    /// Scalars of the parameters.
    pub params: Vec<Scalar>,
    /// Scalars of the results.
    pub results: Vec<Scalar>,
    function: Arc<OnBits>,
}

impl HostFunction {
    /// Calls it: appends the bits of the results.
    pub fn call(&self, args: &mut dyn Iterator<Item = u64>, results: &mut Vec<u64>) {
        (self.function)(args, results);
    }
}

impl fmt::Debug for HostFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A closure of the host, from the parameters `A` to `R`.
#[diagnostic::on_unimplemented(
    message = "this is no function of the host for a staged program",
    note = "it is a closure of numbers, as `|x: f64, n: u32| …`, that returns one, and is `Send + Sync + 'static`"
)]
pub trait OnHost<A, R>: Send + Sync + 'static {
    /// Calls the closure.
    #[doc(hidden)]
    fn on_bits(&self, args: &mut dyn Iterator<Item = u64>, results: &mut Vec<u64>);
}

/// A function of the host, for calls in the program: [`host`].
pub struct Host<A, R> {
    op: CustomOp,
    session: u64,
    place: Place,
    signature: PhantomData<fn(A) -> R>,
}

impl<A, R> Clone for Host<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for Host<A, R> {}

/// Lets the program call a closure of the host.
///
/// `effect` is a promise, which the optimizer relies on: a `Pure` one gives equal results for equal arguments and does nothing else, so calls
/// are shared, moved and dropped, and made at once if the arguments are constants; calls of an `Ordered` one happen as often and in the order that
/// the program says.
///
/// ```
/// use planish_front_stage::{Effect, Rep, build, host};
/// let f = build("gain", |decibel: Rep<f64>| {
///     let ten_to_the = host("ten_to_the", Effect::Pure, |x: f64| 10f64.powf(x));
///     ten_to_the.call(decibel / 20.0)
/// })
/// .expect("it is valid");
/// assert_eq!(f.hosts.len(), 1);
/// ```
#[track_caller]
pub fn host<A: Staged, R: Staged>(name: &str, effect: CustomEffect, function: impl OnHost<A, R>) -> Host<A, R> {
    let place = Location::caller();
    session::with(|session| {
        let names = (1..).map(|number| if number == 1 { name.to_owned() } else { format!("{name}_{number}") });
        let name: Arc<str> =
            names.map(Arc::from).find(|name| session.module.custom_op(name).is_none()).expect("a free one");
        let types = &mut session.module.types;
        let (params, results) = (session::types_of::<A>(types), session::types_of::<R>(types));
        let signature = types.function(&params, &results);
        let function: Arc<OnBits> = Arc::new(move |args, results| function.on_bits(args, results));
        let host = HostFunction {
            name: name.clone(),
            params: scalars_of::<A>(),
            results: scalars_of::<R>(),
            function: function.clone(),
        };
        let meaning = Meaning::new(move |call, out| {
            let mut args = call.operands.iter().flat_map(|operand| operand.bits.iter().copied());
            function(&mut args, out);
            Ok(())
        });
        let row = CustomOpData {
            signature: Some(signature),
            effect,
            // (A call costs more than most operations.)
            cost: 20,
            phase: HOST_PHASE.into(),
            meaning: Some(meaning),
            ..CustomOpData::new(&name)
        };
        let op = session.module.add_custom_op(row);
        session.hosts.push(host);
        Host { op, session: session.number(), place, signature: PhantomData }
    })
}

impl<A: Staged, R: Staged> Host<A, R> {
    fn call_with(self, args: &A, place: Place) -> R {
        session::with(|session| {
            let values = session.values(args, place);
            session.call_of(self.session, self.place, place, |b| b.custom(self.op, &values))
        })
    }
}

impl<A: Staged, T: Float> Host<A, Rep<T>> {
    /// Gives the partial derivatives of the result by each parameter, for derivatives of functions that call it.
    ///
    /// ```
    /// use planish_front_stage::{Effect, Rep, build, func, host};
    /// let f = build("slope", |x: Rep<f64>| {
    ///     let cube = host("cube", Effect::Pure, |x: f64| x * x * x).with_partials(|x: Rep<f64>| (3.0 * x * x,));
    ///     func("f", move |x: Rep<f64>| cube.call(x)).derivative().call(x)
    /// })
    /// .expect("it is valid");
    /// assert_eq!(f.derivatives.partials.len(), 1);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn with_partials<R: Stage<A>>(self, partials: impl Generator<A, R>) -> Self {
        let name = session::with(|session| format!("{}_partials", session.module.custom_ops[self.op].name));
        let made = crate::function::make_at(&name, Location::caller(), |args: A| partials.generate(args).stage());
        session::with(|session| session.derivatives.partials.push((self.op, made.func)));
        self
    }
}

macro_rules! arities {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        impl<Function, Result: Element, $($name: Element,)*> OnHost<($(Rep<$name>,)*), Rep<Result>> for Function
        where
            Function: Fn($($name),*) -> Result + Send + Sync + 'static,
        {
            #[allow(unused_variables, reason = "there are functions without parameters")]
            fn on_bits(&self, args: &mut dyn Iterator<Item = u64>, results: &mut Vec<u64>) {
                self($($name::from_bits(args)),*).bits(results);
            }
        }

        impl<Result: Staged, $($name: Element,)*> Host<($(Rep<$name>,)*), Result> {
            /// Calls the function.
            #[track_caller]
            #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
            pub fn call(self, $($arg: impl Stage<Rep<$name>>),*) -> Result {
                let place = Location::caller();
                self.call_with(&($($arg.stage(),)*), place)
            }
        }
    )*};
}

crate::for_each_arity!(arities);
