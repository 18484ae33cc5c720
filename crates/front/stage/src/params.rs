//! Parameters of the function that the host calls: groups of staged values, and slices.

use planish_ir::types::{Scalar, Types};

use crate::rep::Part;
use crate::staged::{Kind, Staged};

/// A parameter of a function that the host calls: a group of staged values, or a slice ([`In`](crate::In), [`Out`](crate::Out)).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no parameter of a staged function",
    note = "a parameter is a group of staged values, or a slice `In<[T]>` or `Out<[T]>` of numbers of the host"
)]
pub trait Param: Sized + 'static {
    /// The value that the host passes.
    type Host<'a>;

    /// Types of its values.
    #[doc(hidden)]
    fn kinds(types: &mut Types, out: &mut Vec<Kind>);

    /// Made of these values, while no other parameter is.
    #[doc(hidden)]
    fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self;

    /// The bits of its scalars, and its slices.
    #[doc(hidden)]
    fn pass<'a>(host: Self::Host<'a>, bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>));
}

/// A slice of the host's as bytes.
#[derive(Debug)]
pub enum Slice<'a> {
    /// For reading.
    In(&'a [u8]),
    /// For reading and writing.
    Out(&'a mut [u8]),
}

impl<S: Staged> Param for S {
    type Host<'a> = S::Host;

    fn kinds(types: &mut Types, out: &mut Vec<Kind>) {
        S::types(types, out);
    }

    fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self {
        S::from_parts(parts)
    }

    fn pass<'a>(host: S::Host, bits: &mut Vec<u64>, _: &mut dyn FnMut(Slice<'a>)) {
        S::host_bits(host, bits);
    }
}

/// A tuple of parameters.
pub trait Params: Sized + 'static {
    /// The values that the host passes.
    type Host<'a>;

    /// As [`Param::kinds`].
    #[doc(hidden)]
    fn kinds(types: &mut Types, out: &mut Vec<Kind>);

    /// As [`Param::begin`].
    #[doc(hidden)]
    fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self;

    /// As [`Param::pass`].
    #[doc(hidden)]
    fn pass<'a>(host: Self::Host<'a>, bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>));
}

macro_rules! tuples {
    ($($($name:ident $from:ident $arg:ident $index:tt)*;)*) => {$(
        impl<$($name: Param),*> Params for ($($name,)*) {
            type Host<'a> = ($($name::Host<'a>,)*);

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn kinds(types: &mut Types, out: &mut Vec<Kind>) {
                $($name::kinds(types, out);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no parts")]
            fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self {
                ($($name::begin(parts),)*)
            }

            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn pass<'a>(host: Self::Host<'a>, bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>)) {
                $($name::pass(host.$index, bits, slices);)*
            }
        }
    )*};
}

crate::for_each_arity!(tuples);

/// The scalars that a host passes for parameters, in order; for a slice, its length.
pub fn params_of<A: Params>() -> Vec<Scalar> {
    let (mut types, mut kinds) = (Types::new(), Vec::new());
    A::kinds(&mut types, &mut kinds);
    kinds.iter().flat_map(|kind| std::iter::repeat_n(kind.scalar, kind.scalars)).collect()
}
