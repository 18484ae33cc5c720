//! Derivatives of functions of the generated program.

use std::ops::Deref;
use std::panic::Location;

use planish_ir::derivative::{Derivative, DerivativeMode, Signature};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Type};
use planish_ir::types::{Scalar, Types};

use crate::floats::Float;
use crate::function::Callable;
use crate::params::{Param, Params, Slice};
use crate::rep::{Part, Rep};
use crate::session::{self, Place, Session, types_of};
use crate::slices::{In, Item, Out};
use crate::staged::{Kind, Staged, kinds_of};
use crate::vector::{Matrix, Vector};

/// Groups of staged values that change continuously, or not at all.
///
/// The tangent of a group has the floats of it, and nothing in place of its integers and truth values. A struct with `#[derive(Staged)]` of
/// floats is its own tangent: `impl Differentiable for Complex { type Tangent = Complex; }`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangent",
    note = "a `Rep<T>`, tuples and arrays have one; for a struct, say which: `impl Differentiable for {Self} {{ type Tangent = …; }}`"
)]
pub trait Differentiable: Staged {
    /// The group of the floats, in order.
    type Tangent: Differentiable;
}

/// A staged float.
pub trait Real: Differentiable<Tangent = Self> {}

impl Real for Rep<f32> {}
impl Real for Rep<f64> {}

macro_rules! tangents {
    ($($scalar:ty => $tangent:ty;)*) => {
        $(impl Differentiable for Rep<$scalar> {
            type Tangent = $tangent;
        })*
    };
}

tangents! {
    f32 => Self;
    f64 => Self;
    i32 => ();
    u32 => ();
    i64 => ();
    u64 => ();
    bool => ();
}

impl<T: Float, const N: usize> Differentiable for Rep<Vector<T, N>> {
    type Tangent = Self;
}

impl<T: Float, const COLUMNS: usize, const ROWS: usize> Differentiable for Rep<Matrix<T, COLUMNS, ROWS>> {
    type Tangent = Self;
}

impl<S: Differentiable, const N: usize> Differentiable for [S; N] {
    type Tangent = [S::Tangent; N];
}

/// A parameter of a function that the host calls, by which the function has a derivative, or that is taken to be constant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no parameter by which a function has a derivative",
    note = "`Fixed<{Self}>` is a parameter that a derivative takes to be constant"
)]
pub trait DifferentiableParam: Param {
    /// The parameter beside it in forward mode: its tangent; for a slice of floats, another one.
    type Tangent: DifferentiableParam;
    /// The result for it in reverse mode: the tangent of a group of values, nothing for slices.
    type Gradient: Differentiable;
    /// The parameter beside it in reverse mode: for a slice of floats, a slice that is written; nothing for values.
    type Shadow: DifferentiableParam;

    /// For each of its values, whether it counts.
    #[doc(hidden)]
    fn counts(out: &mut Vec<bool>);
}

impl<S: Differentiable> DifferentiableParam for S {
    type Tangent = S::Tangent;
    type Gradient = S::Tangent;
    type Shadow = ();

    fn counts(out: &mut Vec<bool>) {
        out.extend(kinds_of::<S>(&mut Types::new()).iter().map(|kind| kind.scalar.is_float()));
    }
}

/// Floats, or other numbers.
#[doc(hidden)]
pub trait ItemKind {
    /// Whether they are floats.
    const IS_FLOAT: bool;
    /// The tangent of a slice that is read.
    type In<T: Item>: DifferentiableParam;
    /// The tangent of a slice that is written, and the adjoint of each slice.
    type Out<T: Item>: DifferentiableParam;
}

/// Slices of floats.
#[doc(hidden)]
#[derive(Debug)]
pub enum Floats {}

/// Slices of integers.
#[doc(hidden)]
#[derive(Debug)]
pub enum Integers {}

impl ItemKind for Floats {
    const IS_FLOAT: bool = true;
    type In<T: Item> = In<[T]>;
    type Out<T: Item> = Out<[T]>;
}

impl ItemKind for Integers {
    const IS_FLOAT: bool = false;
    type In<T: Item> = ();
    type Out<T: Item> = ();
}

macro_rules! slices {
    ($($name:ident)*) => {$(
        impl<T: Item> DifferentiableParam for $name<[T]> {
            type Tangent = <T::Kind as ItemKind>::$name<T>;
            type Gradient = ();
            type Shadow = <T::Kind as ItemKind>::Out<T>;

            fn counts(out: &mut Vec<bool>) {
                out.push(T::Kind::IS_FLOAT);
            }
        }
    )*};
}

slices!(In Out);

/// A parameter that derivatives take to be constant: of `|x: Fixed<In<[f64]>>, w: In<[f64]>|` by `w` only. It is used as what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Fixed<P>(pub P);

impl<P> Deref for Fixed<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.0
    }
}

/// A tuple of parameters as one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Group<A>(pub A);

macro_rules! wrappers {
    ($($name:ident $bound:ident;)*) => {$(
        impl<P: $bound> Param for $name<P> {
            type Host<'a> = P::Host<'a>;

            fn kinds(types: &mut Types, out: &mut Vec<Kind>) {
                P::kinds(types, out);
            }

            fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self {
                $name(P::begin(parts))
            }

            fn pass<'a>(host: P::Host<'a>, bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>)) {
                P::pass(host, bits, slices);
            }
        }
    )*};
}

wrappers! {
    Fixed Param;
    Group Params;
}

impl<P: Param> DifferentiableParam for Fixed<P> {
    type Tangent = ();
    type Gradient = ();
    type Shadow = ();

    fn counts(out: &mut Vec<bool>) {
        let mut kinds = Vec::new();
        P::kinds(&mut Types::new(), &mut kinds);
        out.extend(kinds.iter().map(|_| false));
    }
}

impl<A: DifferentiableParams> DifferentiableParam for Group<A> {
    type Tangent = Group<A::Tangent>;
    type Gradient = A::Gradient;
    type Shadow = Group<A::Shadow>;

    fn counts(out: &mut Vec<bool>) {
        A::counts(out);
    }
}

/// A tuple of parameters by which a function has derivatives.
pub trait DifferentiableParams: Params {
    /// As [`DifferentiableParam::Tangent`].
    type Tangent: DifferentiableParams;
    /// As [`DifferentiableParam::Gradient`].
    type Gradient: Differentiable;
    /// As [`DifferentiableParam::Shadow`].
    type Shadow: DifferentiableParams;

    /// As [`DifferentiableParam::counts`].
    #[doc(hidden)]
    fn counts(out: &mut Vec<bool>);
}

macro_rules! tuples {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        impl<$($name: Differentiable),*> Differentiable for ($($name,)*) {
            type Tangent = ($($name::Tangent,)*);
        }

        impl<$($name: DifferentiableParam),*> DifferentiableParams for ($($name,)*) {
            type Tangent = ($($name::Tangent,)*);
            type Gradient = ($($name::Gradient,)*);
            type Shadow = ($($name::Shadow,)*);

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn counts(out: &mut Vec<bool>) {
                $($name::counts(out);)*
            }
        }
    )*};
}

crate::for_each_arity!(tuples);

/// Derivatives. They are written when the program is complete, so a function may call those of functions that are still being made.
impl<A: Differentiable, R: Differentiable> Callable<A, R> {
    /// Forward mode: of the parameters, and a tangent for each float of them, the results and their tangents.
    ///
    /// ```
    /// use planish_front_stage::{Rep, build, func};
    /// let f = build("f", |x: Rep<f64>, y: Rep<f64>| {
    ///     let product = func("product", |x: Rep<f64>, y: Rep<f64>| x * y);
    ///     let (value, tangent) = product.forward().call((x, y), (1.0, 0.0));
    ///     value + tangent
    /// })
    /// .expect("it is valid");
    /// assert_eq!(f.derivatives.requests.len(), 1);
    /// ```
    #[track_caller]
    #[must_use]
    pub fn forward(self) -> Callable<(A, A::Tangent), (R, R::Tangent)> {
        self.derived::<A, R, _, _>(DerivativeMode::Forward, Location::caller())
    }

    /// Reverse mode: of the parameters, and an adjoint for each float of the results, the results, and the adjoints of the parameters: the
    /// sums of the results' derivatives by each, times the adjoints given.
    #[track_caller]
    #[must_use]
    pub fn reverse(self) -> Callable<(A, R::Tangent), (R, A::Tangent)> {
        self.derived::<A, R, _, _>(DerivativeMode::Reverse, Location::caller())
    }

    /// The result, and its derivative by each float of the parameters.
    #[track_caller]
    #[must_use]
    pub fn gradient(self) -> Callable<A, (R, A::Tangent)>
    where
        R: Real,
    {
        self.derived::<A, R, _, _>(DerivativeMode::Gradient, Location::caller())
    }
}

impl<T: Float, R: Differentiable> Callable<(Rep<T>,), R>
where
    Rep<T>: Real,
{
    /// The derivative of a function of one float.
    ///
    /// ```
    /// use planish_front_stage::{Rep, build, fold, func};
    /// // Newton's method.
    /// let f = build("root", |start: Rep<f64>| {
    ///     let f = func("f", |x: Rep<f64>| x * x - 2.0);
    ///     fold(0u32, 10u32, start, |_, x: Rep<f64>| x - f.call(x) / f.derivative().call(x))
    /// })
    /// .expect("it is valid");
    /// ```
    #[track_caller]
    #[must_use]
    pub fn derivative(self) -> Callable<(Rep<T>,), R::Tangent> {
        self.derived::<(Rep<T>,), R, _, _>(DerivativeMode::Slope, Location::caller())
    }
}

impl<A, R> Callable<A, R> {
    fn derived<P: Differentiable, S: Differentiable, B, Q>(self, mode: DerivativeMode, place: Place) -> Callable<B, Q> {
        session::with(|session| {
            if self.session != session.number() {
                // (A call says so.)
                return self.other(self.func);
            }
            for (group, tangent) in [
                (types_of::<P>(&mut session.module.types), types_of::<P::Tangent>(&mut session.module.types)),
                (types_of::<S>(&mut session.module.types), types_of::<S::Tangent>(&mut session.module.types)),
            ] {
                if floats(&session.module.types, &group) != tangent {
                    let span = session.span(place);
                    let message = "the tangent of a group of values has other values than the floats of it";
                    session.error(Diagnostic::error(Code::E1408, span, message));
                    return self.other(self.func);
                }
            }
            let func = session.derivative(self.func, mode, place);
            self.other(func)
        })
    }
}

/// The types of floats among others.
fn floats(types: &Types, all: &[Type]) -> Vec<Type> {
    all.iter().copied().filter(|&ty| types.scalar_of(ty).is_some_and(Scalar::is_float)).collect()
}

impl Session {
    /// Declares the derivative of a function of this program.
    fn derivative(&mut self, of: Func, mode: DerivativeMode, place: Place) -> Func {
        if let Some(request) = self.derivatives.requests.iter().find(|known| (known.of, known.mode) == (of, mode)) {
            return request.func;
        }
        let name = format!("{}_{}", self.module.funcs[of].name.text, mode.suffix());
        let Signature { params, results, .. } = Signature::of(&self.module, of, mode, &[], &[]);
        let func = self.declare(&name, params, &results, place);
        let span = self.span(place);
        self.derivatives.requests.push(Derivative { func, of, mode, wrt: Vec::new(), slices: Vec::new(), span });
        func
    }
}

/// For each value of parameters, whether derivatives are by it.
#[doc(hidden)]
pub fn counts_of<A: DifferentiableParams>() -> Vec<bool> {
    let mut counts = Vec::new();
    A::counts(&mut counts);
    counts
}
