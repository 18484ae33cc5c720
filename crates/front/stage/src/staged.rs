//! Groups of staged values: what blocks and functions of the generated program take and give.

use planish_ir::entity::Type;
use planish_ir::types::{Scalar, Types};

use crate::rep::{Element, Part, Rep};

/// A fixed number of staged values: a [`Rep`], an [`Enum`](crate::Enum), a tuple or an array of such groups, or a struct of them with `#[derive(Staged)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of staged values",
    note = "such a group is a `Rep<T>`, a tuple or an array of groups, a struct with `#[derive(Clone, Staged)]`, or `Enum<T>` of an enum with it",
    note = "a list, a slice or a variable of the program is memory, and no value: use its elements, write them to an `Out<[T]>`, or copy them into a list"
)]
pub trait Staged: Clone + Stage<Self> + 'static {
    /// The value that a compiled function takes or gives for it.
    type Host;

    /// Types of its values.
    #[doc(hidden)]
    fn types(types: &mut Types, out: &mut Vec<Kind>);

    /// Its values.
    #[doc(hidden)]
    fn parts(&self, out: &mut Vec<Part>);

    /// Made of these values.
    #[doc(hidden)]
    fn from_parts(parts: &mut dyn Iterator<Item = Part>) -> Self;

    /// The bits of the scalars of a host value.
    #[doc(hidden)]
    fn host_bits(host: Self::Host, out: &mut Vec<u64>);

    /// The host value of these bits.
    #[doc(hidden)]
    fn from_host_bits(bits: &mut dyn Iterator<Item = u64>) -> Self::Host;
}

/// The type of a value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub(crate) ty: Type,
    pub(crate) scalar: Scalar,
    pub(crate) scalars: usize,
    pub(crate) make: fn(&mut Types) -> Type,
}

/// Values that become the staged values `S`: those values themselves, constants of their types, and tuples and arrays of both.
///
/// Methods and functions that take `impl Stage<Rep<T>>` take a `Rep<T>` as well as a `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not become `{S}` in the generated program",
    note = "a `Rep<T>` and a `T` become a `Rep<T>`; a tuple becomes the tuple of what its parts become; `as_` converts numbers",
    note = "a list, a slice or a variable of the program is memory, and no value: use its elements, write them to an `Out<[T]>`, or copy them into a list"
)]
pub trait Stage<S> {
    /// Makes them.
    #[track_caller]
    fn stage(self) -> S;
}

impl<T: Element> Staged for Rep<T> {
    type Host = T;

    fn types(types: &mut Types, out: &mut Vec<Kind>) {
        out.push(Kind { ty: T::ty(types), scalar: T::SCALAR, scalars: T::SCALARS, make: T::ty });
    }

    fn parts(&self, out: &mut Vec<Part>) {
        out.push(self.part);
    }

    fn from_parts(parts: &mut dyn Iterator<Item = Part>) -> Self {
        Rep::of(parts.next().expect("a part for each value"))
    }

    fn host_bits(host: T, out: &mut Vec<u64>) {
        host.bits(out);
    }

    fn from_host_bits(bits: &mut dyn Iterator<Item = u64>) -> T {
        T::from_bits(bits)
    }
}

impl<T: Element> Stage<Rep<T>> for Rep<T> {
    fn stage(self) -> Self {
        self
    }
}

impl<T: Element> Stage<Rep<T>> for T {
    #[track_caller]
    fn stage(self) -> Rep<T> {
        Rep::new(self)
    }
}

macro_rules! tuples {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        impl<$($name: Staged),*> Staged for ($($name,)*) {
            type Host = ($($name::Host,)*);

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn types(types: &mut Types, out: &mut Vec<Kind>) {
                $($name::types(types, out);)*
            }

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn parts(&self, out: &mut Vec<Part>) {
                $(self.$index.parts(out);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no parts")]
            fn from_parts(parts: &mut dyn Iterator<Item = Part>) -> Self {
                ($($name::from_parts(parts),)*)
            }

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn host_bits(host: Self::Host, out: &mut Vec<u64>) {
                $($name::host_bits(host.$index, out);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no parts")]
            fn from_host_bits(bits: &mut dyn Iterator<Item = u64>) -> Self::Host {
                ($($name::from_host_bits(bits),)*)
            }
        }

        impl<$($name, $from: Stage<$name>),*> Stage<($($name,)*)> for ($($from,)*) {
            #[track_caller]
            #[allow(clippy::unused_unit, reason = "the empty tuple has no parts")]
            fn stage(self) -> ($($name,)*) {
                ($(self.$index.stage(),)*)
            }
        }
    )*};
}

crate::for_each_arity!(tuples);

impl<S: Staged, const N: usize> Staged for [S; N] {
    type Host = [S::Host; N];

    fn types(types: &mut Types, out: &mut Vec<Kind>) {
        (0..N).for_each(|_| S::types(types, out));
    }

    fn parts(&self, out: &mut Vec<Part>) {
        self.iter().for_each(|staged| staged.parts(out));
    }

    fn from_parts(parts: &mut dyn Iterator<Item = Part>) -> Self {
        std::array::from_fn(|_| S::from_parts(parts))
    }

    fn host_bits(host: Self::Host, out: &mut Vec<u64>) {
        host.into_iter().for_each(|host| S::host_bits(host, out));
    }

    fn from_host_bits(bits: &mut dyn Iterator<Item = u64>) -> Self::Host {
        std::array::from_fn(|_| S::from_host_bits(bits))
    }
}

impl<S, T: Stage<S>, const N: usize> Stage<[S; N]> for [T; N] {
    #[track_caller]
    fn stage(self) -> [S; N] {
        self.map(T::stage)
    }
}

/// The scalars that a host passes for a group, in order.
pub fn scalars_of<S: Staged>() -> Vec<Scalar> {
    let kinds = kinds_of::<S>(&mut Types::new());
    kinds.iter().flat_map(|kind| std::iter::repeat_n(kind.scalar, kind.scalars)).collect()
}

/// The types of the values of a group.
pub(crate) fn kinds_of<S: Staged>(types: &mut Types) -> Vec<Kind> {
    let mut kinds = Vec::new();
    S::types(types, &mut kinds);
    kinds
}

/// The values of a group.
pub(crate) fn parts_of<S: Staged>(staged: &S) -> Vec<Part> {
    let mut parts = Vec::new();
    staged.parts(&mut parts);
    parts
}
