//! Slices of the host that a program works on in place.

use std::marker::PhantomData;
use std::panic::Location;

use bytemuck::Pod;
use planish_ir::builder::Request;
use planish_ir::entity::{Memory, Type, Value};
use planish_ir::function::TrapKind;
use planish_ir::host::HostNumber;
use planish_ir::ops::{MemArg, Op};
use planish_ir::types::Types;

use crate::control::stop_unless;
use crate::derivative::{Floats, Integers, ItemKind};
use crate::params::{Param, Slice};
use crate::rep::{Part, Rep};
use crate::seq::Seq;
use crate::session::{self, BegunSlice, Place, Session};
use crate::staged::{Kind, Stage, Staged, kinds_of, parts_of};

/// A type of the elements of slices: a number of the host, or an array of such.
///
/// | host | program |
/// | --- | --- |
/// | `i32 u32 i64 u64 f32 f64` | the same |
/// | `u8 u16` | `u32`; what is stored loses its upper bits |
/// | `i8 i16` | `i32`, likewise |
/// | `[T; N]` | an array of what `T` becomes |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element of a slice",
    note = "elements are numbers of the host of 8 to 64 bits, and arrays of such, as in `In<[f64]>` and `Out<[[f32; 3]]>`"
)]
pub trait Item: Pod {
    /// The element in the program.
    type Staged: Staged;

    /// Floats or integers.
    #[doc(hidden)]
    type Kind: ItemKind;

    /// The numbers that it consists of, in order; the first lies at `offset`.
    #[doc(hidden)]
    fn fields(offset: u32, out: &mut Vec<Field>);
}

/// A number in memory.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Field {
    offset: u32,
    number: HostNumber,
}

macro_rules! items {
    ($($host:ident $staged:ident $number:ident $kind:ident;)*) => {$(
        impl Item for $host {
            type Staged = Rep<$staged>;
            type Kind = $kind;

            fn fields(offset: u32, out: &mut Vec<Field>) {
                out.push(Field { offset, number: HostNumber::$number });
            }
        }
    )*};
}

items! {
    i8 i32 I8 Integers;
    u8 u32 U8 Integers;
    i16 i32 I16 Integers;
    u16 u32 U16 Integers;
    i32 i32 I32 Integers;
    u32 u32 U32 Integers;
    f32 f32 F32 Floats;
    i64 i64 I64 Integers;
    u64 u64 U64 Integers;
    f64 f64 F64 Floats;
}

impl<T: Item, const N: usize> Item for [T; N]
where
    [T; N]: Pod,
{
    type Staged = [T::Staged; N];
    type Kind = T::Kind;

    fn fields(offset: u32, out: &mut Vec<Field>) {
        (0..N).for_each(|index| T::fields(offset + (index * size_of::<T>()) as u32, out));
    }
}

/// A slice of the host's that the program reads: a parameter `In<[T]>`, for which the host passes a `&[T]`.
///
/// Nothing is copied. What lies behind the slice cannot be reached.
///
/// ```
/// use planish_front_stage::{In, Rep, build};
/// let f = build("dot", |a: In<[f64]>, b: In<[f64]>| a.iter().zip(b.iter()).map(|(x, y)| x * y).sum()).expect("it is valid");
/// ```
pub struct In<S: ?Sized> {
    place: Elements,
    element: PhantomData<*const S>,
}

/// A slice of the host's that the program writes and reads: a parameter `Out<[T]>`, for which the host passes a `&mut [T]`.
///
/// No other slice of the call overlaps it, as Rust demands of the host.
///
/// ```
/// use planish_front_stage::{In, Out, Rep, build};
/// let f = build("scale", |a: Rep<f32>, x: In<[f32]>, y: Out<[f32]>| {
///     x.iter().zip(y.iter()).map(|(x, y)| a * x + y).write_to(y);
/// })
/// .expect("it is valid");
/// ```
pub struct Out<S: ?Sized> {
    place: Elements,
    element: PhantomData<*const S>,
}

/// The elements of a slice.
#[derive(Clone, Copy)]
struct Elements {
    memory: Memory,
    /// Their number, a `u32`.
    len: Rep<u32>,
}

impl Elements {
    fn begin<T: Item>(parts: &mut dyn Iterator<Item = Part>, is_written: bool) -> Self {
        let len = parts.next().expect("the length");
        let fields = fields_of::<T>();
        let (number, count) = (fields.first().map_or(HostNumber::U8, |field| field.number), fields.len() as u32);
        let slice = |memory| BegunSlice { memory, len: len.value, number, count, is_written };
        Elements { memory: session::with(|session| session.slice_memory(slice)), len: Rep::of(len) }
    }

    /// Stops the program unless there is an element at an index.
    fn check(self, index: Rep<u32>, place: Place) {
        let inside = crate::ops::apply::<bool>(Op::LessThan, &[index.part, self.len.part], place);
        session::at_construct(place, || stop_unless(inside, TrapKind::OutOfBoundsMemory, place));
    }

    /// The element at an index that there is.
    fn load<T: Item>(self, index: Rep<u32>, place: Place) -> T::Staged {
        session::with(|session| {
            let kinds = kinds_of::<T::Staged>(&mut session.module.types);
            let address = session.address::<T>(index, place);
            let values: Vec<Value> = fields_of::<T>()
                .into_iter()
                .zip(&kinds)
                .map(|(field, kind)| {
                    let arg = self.argument(field);
                    session.build(place, |b| b.make(Request::new(Op::MemoryLoad, &[address]).imm(arg).ty(kind.ty)))
                })
                .collect();
            session.group(&kinds, &values, place)
        })
    }

    /// Changes the element at an index that there is.
    fn store<T: Item>(self, index: Rep<u32>, element: &T::Staged, place: Place) {
        session::with(|session| {
            let address = session.address::<T>(index, place);
            for (field, part) in fields_of::<T>().into_iter().zip(parts_of(element)) {
                let (value, arg) = (session.used(part, place), self.argument(field));
                session.build(place, |b| b.make_all(Request::new(Op::MemoryStore, &[address, value]).imm(arg)));
            }
        });
    }

    fn argument(self, Field { offset, number }: Field) -> MemArg {
        // (The index has been compared with the length, or comes from a sequence, which has elements up to its length.)
        let (width, signed) = (number.width(), number.extends_sign());
        MemArg { memory: self.memory, offset, width, signed, in_bounds: true }
    }
}

impl Session {
    /// The address of the element at an index that there is: it fits 32 bits, as the size of the slice does.
    fn address<T: Item>(&mut self, index: Rep<u32>, place: Place) -> Value {
        let index = self.used(index.part, place);
        self.build(place, |b| {
            let size = b.u32(size_of::<T>() as u32);
            let offset = b.op(Op::Multiply, &[index, size]);
            b.op_typed(Op::Bitcast, &[offset], Type::I32)
        })
    }
}

fn fields_of<T: Item>() -> Vec<Field> {
    let mut fields = Vec::new();
    T::fields(0, &mut fields);
    fields
}

macro_rules! slices {
    ($($name:ident $is_written:literal $cast:ident ($($reference:tt)*);)*) => {$(
        impl<S: ?Sized> Clone for $name<S> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<S: ?Sized> Copy for $name<S> {}

        impl<T: Item> std::fmt::Debug for $name<[T]> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}<[{}]>", stringify!($name), std::any::type_name::<T>())
            }
        }

        impl<T: Item> Param for $name<[T]> {
            type Host<'a> = $($reference)* [T];

            fn kinds(types: &mut Types, out: &mut Vec<Kind>) {
                Rep::<u32>::types(types, out);
            }

            fn begin(parts: &mut dyn Iterator<Item = Part>) -> Self {
                $name { place: Elements::begin::<T>(parts, $is_written), element: PhantomData }
            }

            fn pass<'a>(host: $($reference)* [T], bits: &mut Vec<u64>, slices: &mut dyn FnMut(Slice<'a>)) {
                bits.push(host.len() as u64);
                slices(Slice::$name(bytemuck::$cast(host)));
            }
        }

        impl<T: Item> $name<[T]> {
            /// The number of elements.
            #[must_use]
            #[allow(clippy::len_without_is_empty, reason = "`len().eq(0)` is a value of the program, too")]
            pub fn len(self) -> Rep<u32> {
                self.place.len
            }

            /// The element at an index. Beyond the end the program stops with an error at this place.
            #[track_caller]
            #[must_use]
            pub fn at(self, index: impl Stage<Rep<u32>>) -> T::Staged {
                let (index, place) = (index.stage(), Location::caller());
                self.place.check(index, place);
                self.place.load::<T>(index, place)
            }

            /// All elements, in order.
            #[track_caller]
            #[must_use]
            pub fn iter<'g>(self) -> Seq<'g, T::Staged> {
                let place = Location::caller();
                Seq::new(self.place.len, move |index| self.place.load::<T>(index, place))
            }
        }
    )*};
}

slices! {
    In false cast_slice (&'a);
    Out true cast_slice_mut (&'a mut);
}

impl<T: Item> Out<[T]> {
    /// Changes the element at an index. Beyond the end the program stops with an error at this place.
    #[track_caller]
    pub fn set(self, index: impl Stage<Rep<u32>>, element: impl Stage<T::Staged>) {
        let (index, element, place) = (index.stage(), element.stage(), Location::caller());
        self.place.check(index, place);
        self.place.store::<T>(index, &element, place);
    }

    /// Changes the element at an index to what a function makes of it.
    #[track_caller]
    pub fn update<N: Stage<T::Staged>>(self, index: impl Stage<Rep<u32>>, change: impl FnOnce(T::Staged) -> N) {
        let (index, place) = (index.stage(), Location::caller());
        self.place.check(index, place);
        let old = self.place.load::<T>(index, place);
        let new = change(old).stage();
        self.place.store::<T>(index, &new, place);
    }

    /// Changes the element at an index that there is.
    pub(crate) fn put(self, index: Rep<u32>, element: &T::Staged, place: Place) {
        self.place.store::<T>(index, element, place);
    }
}
