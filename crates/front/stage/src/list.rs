//! Arrays of the program's own, which grow.

use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::Location;
use std::rc::Rc;

use planish_ir::builder::Request;
use planish_ir::decoration::{Name, NameSource};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Type, Value};
use planish_ir::function::TrapKind;
use planish_ir::ops::Op;
use planish_ir::types::{AddressSpace, TypeKind};

use crate::control::stop_unless;
use crate::rep::{Part, Rep};
use crate::seq::Seq;
use crate::session::{self, Place};
use crate::staged::{Kind, Stage, Staged, kinds_of, parts_of};
use crate::stream::Stream;

/// A growable array of the generated program: [`List::new`], [`Stream::collect`].
///
/// Each value of an element has an array of its own: a list of structs is a struct of arrays. A list exists in the block that it is made in, and
/// in blocks nested in it; where the block begins again, it is empty again. Its memory ends with the function.
///
/// ```
/// use planish_front_stage::{In, List, Rep, build, range, when};
/// let f = build("median_of_positives", |x: In<[f64]>| {
///     let positive = x.iter().filter(|x| x.gt(0.0)).collect().sorted();
///     positive.at(positive.len() / 2)
/// })
/// .expect("it is valid");
/// ```
pub struct List<S> {
    /// Pointers, in the order of the parts; of elements without parts, one to what stands for them.
    arrays: Rc<[(Part, Kind)]>,
    /// The place where it was frozen.
    frozen: Rc<Cell<Option<Place>>>,
    element: PhantomData<fn() -> S>,
}

impl<S> Clone for List<S> {
    fn clone(&self) -> Self {
        List { arrays: Rc::clone(&self.arrays), frozen: Rc::clone(&self.frozen), element: PhantomData }
    }
}

impl<S> std::fmt::Debug for List<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("List").finish_non_exhaustive()
    }
}

impl<S: Staged> Default for List<S> {
    #[track_caller]
    fn default() -> Self {
        List::new()
    }
}

impl<S: Staged> List<S> {
    /// A list without elements.
    #[track_caller]
    #[must_use]
    pub fn new() -> Self {
        let place = Location::caller();
        session::with(|session| {
            let mut kinds = kinds_of::<S>(&mut session.module.types);
            if kinds.is_empty() {
                kinds = kinds_of::<Rep<bool>>(&mut session.module.types);
            }
            let array = |kind: Kind| {
                let var = session.build(place, |b| {
                    let ty = b.module.types.intern(TypeKind::RuntimeArray { element: kind.ty });
                    let var = b.module.add_var(Name::new("list", NameSource::Temporary), ty, AddressSpace::Function);
                    b.module.vars[var].span = b.span();
                    b.declare(var);
                    var
                });
                (session.part(var.into(), place, kind.make), kind)
            };
            List { arrays: kinds.into_iter().map(array).collect(), frozen: Rc::default(), element: PhantomData }
        })
    }

    /// Adds an element at the end.
    #[track_caller]
    pub fn push(&self, element: impl Stage<S>) {
        let place = Location::caller();
        let mut parts = parts_of(&element.stage());
        if parts.is_empty() {
            parts = parts_of(&Rep::new(false));
        }
        session::with(|session| {
            self.changes(session, place);
            for (part, &(array, _)) in parts.into_iter().zip(&*self.arrays) {
                let value = session.used(part, place);
                if let Some(array) = session.used_pointer(array, place) {
                    session.build(place, |b| b.make_all(Request::new(Op::Append, &[array, value])));
                }
            }
        });
    }

    /// The number of elements.
    #[track_caller]
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "`len().eq(0)` is a value of the program, too")]
    pub fn len(&self) -> Rep<u32> {
        let place = Location::caller();
        session::with(|session| {
            let Some(array) = session.used_pointer(self.arrays[0].0, place) else {
                let zero = session.zero(Type::U32);
                return Rep::of(session.part(zero, place, |_| Type::U32));
            };
            let len = session.build(place, |b| {
                let len = b.op(Op::ArrayLength, &[array]);
                b.op_typed(Op::Bitcast, &[len], Type::U32)
            });
            Rep::of(session.part(len, place, |_| Type::U32))
        })
    }

    /// The element at an index. Beyond the end the program stops with an error at this place.
    #[track_caller]
    #[must_use]
    pub fn at(&self, index: impl Stage<Rep<u32>>) -> S {
        let (index, place) = (index.stage(), Location::caller());
        self.check(index, place);
        self.load(index, place)
    }

    /// Changes the element at an index. Beyond the end the program stops with an error at this place.
    #[track_caller]
    pub fn set(&self, index: impl Stage<Rep<u32>>, element: impl Stage<S>) {
        let (index, element, place) = (index.stage(), element.stage(), Location::caller());
        self.check(index, place);
        self.store(index, &element, place);
    }

    /// Changes the element at an index to what a function makes of it. Beyond the end the program stops with an error at this place.
    #[track_caller]
    pub fn update<N: Stage<S>>(&self, index: impl Stage<Rep<u32>>, change: impl FnOnce(S) -> N) {
        let (index, place) = (index.stage(), Location::caller());
        self.check(index, place);
        let new = change(self.load(index, place)).stage();
        self.store(index, &new, place);
    }

    /// All elements that there are now, in order.
    #[track_caller]
    #[must_use]
    pub fn iter<'g>(&self) -> Seq<'g, S> {
        let (place, list) = (Location::caller(), self.clone());
        Seq::new(self.len(), move |index| list.load(index, place))
    }

    /// All elements, which do not change any more: a later `push`, `set` or `update` is an error of the program, with both places
    /// (`planish explain E1407`). So is a call in a block inside of that where the list was made, which may run again.
    #[track_caller]
    #[must_use]
    pub fn freeze<'g>(self) -> Seq<'g, S> {
        let place = Location::caller();
        session::with(|session| {
            let made = self.arrays[0].0;
            if made.scope != session.scope() && session.is_open(made.scope) {
                let (here, there) = (session.span(place), session.span(made.place));
                let message = "this list is frozen in a block inside of the one that made it";
                let error = Diagnostic::error(Code::E1407, here, message).also(there, "the list is made here");
                session.error(
                    error.help("freeze it in the same block, or a copy of it: `list.iter().collect().freeze()`"),
                );
            }
        });
        self.frozen.set(Some(place));
        session::at_construct(place, || self.iter())
    }

    /// Reports a change of a list that is frozen.
    fn changes(&self, session: &mut session::Session, place: Place) {
        if let Some(frozen) = self.frozen.get() {
            let (here, there) = (session.span(place), session.span(frozen));
            let error = Diagnostic::error(Code::E1407, here, "this list is changed, but has been frozen");
            session.error(
                error.also(there, "it is frozen here").help("change it before, or a copy: `list.iter().collect()`"),
            );
        }
    }

    fn check(&self, index: Rep<u32>, place: Place) {
        session::at_construct(place, || stop_unless(index.lt(self.len()), TrapKind::OutOfBoundsMemory, place));
    }

    /// The element at an index that there is.
    pub(crate) fn load(&self, index: Rep<u32>, place: Place) -> S {
        session::with(|session| {
            let index = session.used(index.part, place);
            let mut parts = Vec::with_capacity(self.arrays.len());
            for &(array, kind) in &*self.arrays {
                let value = match session.used_pointer(array, place) {
                    Some(array) => session.build(place, |b| {
                        let pointer = b.op(Op::AccessArrayElement, &[array, index]);
                        b.load(pointer)
                    }),
                    None => session.zero(kind.ty),
                };
                parts.push(session.part(value, place, kind.make));
            }
            S::from_parts(&mut parts.into_iter())
        })
    }

    /// Changes the element at an index that there is.
    pub(crate) fn store(&self, index: Rep<u32>, element: &S, place: Place) {
        session::with(|session| {
            self.changes(session, place);
            let index = session.used(index.part, place);
            let values: Vec<Value> = parts_of(element).into_iter().map(|part| session.used(part, place)).collect();
            for (value, &(array, _)) in values.into_iter().zip(&*self.arrays) {
                if let Some(array) = session.used_pointer(array, place) {
                    session.build(place, |b| {
                        let pointer = b.op(Op::AccessArrayElement, &[array, index]);
                        b.store(pointer, value);
                    });
                }
            }
        });
    }
}

impl<'g, T: Staged> Stream<'g, T> {
    /// A list of all elements, in order.
    #[track_caller]
    #[must_use]
    pub fn collect(self) -> List<T> {
        let place = Location::caller();
        session::at_construct(place, || {
            let list = List::new();
            self.for_each(|element| list.push(element));
            list
        })
    }
}

impl<'g, T: Staged> Seq<'g, T> {
    /// A list of all elements, in order.
    #[track_caller]
    #[must_use]
    pub fn collect(self) -> List<T> {
        let place = Location::caller();
        session::at_construct(place, || self.stream().collect())
    }
}
