//! Memory of the generated program that changes.

use std::marker::PhantomData;
use std::ops;
use std::panic::Location;

use planish_ir::decoration::{Name, NameSource};
use planish_ir::types::AddressSpace;

use crate::rep::{Element, Part, Rep};
use crate::session::{self, Place};
use crate::staged::{Kind, Stage, Staged, kinds_of, parts_of};

/// A variable of the generated program: [`var`].
///
/// State of loops needs none: [`while_`](crate::while_) passes it from one iteration to the next. The optimizer turns variables into
/// such values, so both are equally fast.
#[derive(Debug)]
pub struct Var<S> {
    /// Pointers, in the order of the parts.
    pointers: std::rc::Rc<[(Part, Kind)]>,
    staged: PhantomData<fn() -> S>,
}

impl<S> Clone for Var<S> {
    fn clone(&self) -> Self {
        Var { pointers: self.pointers.clone(), staged: PhantomData }
    }
}

/// A new variable. It exists in the block that it is made in, and in blocks nested in it.
///
/// ```
/// use planish_front_stage::{Rep, build, for_, var, when};
/// let f = build("largest_square", |limit: Rep<u32>| {
///     let best = var(0u32);
///     for_(0u32, limit, |i| when((i * i).le(limit), || best.set(i * i)));
///     best.get()
/// })
/// .expect("it is valid");
/// ```
#[track_caller]
pub fn var<S: Staged>(value: impl Stage<S>) -> Var<S> {
    let place = Location::caller();
    let value = value.stage();
    let made = session::with(|session| {
        let kinds = kinds_of::<S>(&mut session.module.types);
        let pointer = |kind: Kind| {
            let var = session.build(place, |b| {
                let var = b.module.add_var(Name::new("v", NameSource::Temporary), kind.ty, AddressSpace::Function);
                b.declare(var);
                var
            });
            (session.part(var.into(), place, kind.make), kind)
        };
        Var { pointers: kinds.into_iter().map(pointer).collect(), staged: PhantomData }
    });
    made.store(&value, place);
    made
}

impl<S: Staged> Var<S> {
    /// The present value.
    #[track_caller]
    #[must_use]
    pub fn get(&self) -> S {
        let place = Location::caller();
        session::with(|session| {
            let mut parts = Vec::with_capacity(self.pointers.len());
            for &(pointer, kind) in &*self.pointers {
                if let Some(pointer) = session.used_pointer(pointer, place) {
                    let value = session.build(place, |b| b.load(pointer));
                    parts.push(session.part(value, place, kind.make));
                } else {
                    let zero = session.zero(kind.ty);
                    parts.push(session.part(zero, place, kind.make));
                }
            }
            S::from_parts(&mut parts.into_iter())
        })
    }

    /// Changes the value.
    #[track_caller]
    pub fn set(&self, value: impl Stage<S>) {
        let place = Location::caller();
        self.store(&value.stage(), place);
    }

    /// Changes the value to what a function makes of it.
    #[track_caller]
    pub fn update<N: Stage<S>>(&self, change: impl FnOnce(S) -> N) {
        let new = change(self.get());
        self.set(new);
    }

    fn store(&self, value: &S, place: Place) {
        session::with(|session| {
            for (part, &(pointer, _)) in parts_of(value).into_iter().zip(&*self.pointers) {
                let value = session.used(part, place);
                if let Some(pointer) = session.used_pointer(pointer, place) {
                    session.build(place, |b| b.store(pointer, value));
                }
            }
        });
    }
}

macro_rules! assign {
    ($($trait:ident $method:ident $op:ident $op_method:ident;)*) => {$(
        impl<T: Element, R: Stage<Rep<T>>> ops::$trait<R> for Var<Rep<T>>
        where
            Rep<T>: ops::$op<Rep<T>, Output = Rep<T>>,
        {
            #[track_caller]
            fn $method(&mut self, other: R) {
                let new = ops::$op::$op_method(self.get(), other.stage());
                self.set(new);
            }
        }
    )*};
}

assign! {
    AddAssign add_assign Add add;
    SubAssign sub_assign Sub sub;
    MulAssign mul_assign Mul mul;
    DivAssign div_assign Div div;
    RemAssign rem_assign Rem rem;
    BitAndAssign bitand_assign BitAnd bitand;
    BitOrAssign bitor_assign BitOr bitor;
    BitXorAssign bitxor_assign BitXor bitxor;
    ShlAssign shl_assign Shl shl;
    ShrAssign shr_assign Shr shr;
}
