//! Values of the generated program.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use planish_ir::entity::{Type, Value};
use planish_ir::types::{Scalar, Types};

use crate::session::{self, Place};

/// A type of values of generated programs: scalars, vectors and matrices.
pub trait Element: Copy + fmt::Debug + 'static {
    /// Number of its scalars.
    const SCALARS: usize;
    /// Its scalars' type.
    const SCALAR: Scalar;

    /// Its type in the IR.
    #[doc(hidden)]
    fn ty(types: &mut Types) -> Type;

    /// The bits of its scalars.
    #[doc(hidden)]
    fn bits(self, out: &mut Vec<u64>);

    /// The value of these bits.
    #[doc(hidden)]
    fn from_bits(bits: &mut dyn Iterator<Item = u64>) -> Self;
}

macro_rules! scalars {
    ($($name:ident $scalar:ident, |$x:ident| $to:expr, |$bits:ident| $from:expr;)*) => {$(
        impl Element for $name {
            const SCALARS: usize = 1;
            const SCALAR: Scalar = Scalar::$scalar;

            fn ty(types: &mut Types) -> Type {
                types.scalar(Scalar::$scalar)
            }

            fn bits(self, out: &mut Vec<u64>) {
                let $x = self;
                out.push($to);
            }

            fn from_bits(bits: &mut dyn Iterator<Item = u64>) -> Self {
                let $bits = bits.next().expect("bits of each scalar");
                $from
            }
        }
    )*};
}

scalars! {
    bool Bool, |x| x.into(), |bits| bits != 0;
    i32 I32, |x| u64::from(x as u32), |bits| bits as i32;
    u32 U32, |x| x.into(), |bits| bits as u32;
    i64 I64, |x| x as u64, |bits| bits as i64;
    u64 U64, |x| x, |bits| bits;
    f32 F32, |x| x.to_bits().into(), |bits| f32::from_bits(bits as u32);
    f64 F64, |x| x.to_bits(), |bits| f64::from_bits(bits);
}

/// A value of the generated program, of type `T`.
///
/// It may be used where it is visible in that program: in the function and the block that computes it, and in blocks nested in
/// it. Another use is an error of the program (`planish explain E1401`).
pub struct Rep<T> {
    pub(crate) part: Part,
    element: PhantomData<*const T>,
}

impl<T> Clone for Rep<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Rep<T> {}

impl<T: Element> fmt::Debug for Rep<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rep<{}> of {}", std::any::type_name::<T>(), self.part.place)
    }
}

/// A value of the generated program, without its type in Rust.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub(crate) value: Value,
    pub(crate) scope: u64,
    pub(crate) session: u64,
    pub(crate) place: Place,
    pub(crate) ty: fn(&mut Types) -> Type,
}

impl<T: Element> Rep<T> {
    pub(crate) fn of(part: Part) -> Self {
        Rep { part, element: PhantomData }
    }

    /// A constant.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let place = Location::caller();
        session::with(|session| {
            let mut bits = Vec::with_capacity(T::SCALARS);
            value.bits(&mut bits);
            let ty = T::ty(&mut session.module.types);
            let module = &mut session.module;
            let constant = module.consts.unflatten(&mut module.types, ty, &mut bits.into_iter());
            let value = constant.expect("each scalar has its bits").into();
            Rep::of(session.part(value, place, T::ty))
        })
    }
}
