//! Enums whose variant only the generated program knows.

use std::any::TypeId;
use std::cell::RefCell;
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

use planish_ir::types::Types;
use rustc_hash::FxHashMap;

use crate::constructs::StagedMatch;
use crate::rep::{Part, Rep};
use crate::session;
use crate::staged::{Kind, Stage, Staged, kinds_of, parts_of};

/// An enum with groups of staged values in its variants: one with `#[derive(Clone, Staged)]`, an `Option` or a `Result`.
///
/// A value of such an enum has a variant that is known now. [`Enum`] is a value whose variant the generated program knows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum of staged values",
    note = "an enum with `#[derive(Clone, Staged)]`, an `Option` and a `Result` of staged values are"
)]
pub trait Variants: Clone + 'static {
    /// The value that a compiled function takes or gives for an `Enum` of it.
    type Host;

    /// The payloads of all variants, one after the other.
    #[doc(hidden)]
    type Payloads: Staged;

    /// Number of variants.
    #[doc(hidden)]
    const COUNT: u32;

    /// Types of the values of a variant.
    #[doc(hidden)]
    fn types(variant: u32, types: &mut Types, out: &mut Vec<Kind>);

    /// The number of its variant.
    #[doc(hidden)]
    fn variant(&self) -> u32;

    /// The values of its variant.
    #[doc(hidden)]
    fn parts(&self, out: &mut Vec<Part>);

    /// A variant, made of these values.
    #[doc(hidden)]
    fn from_parts(variant: u32, parts: &mut dyn Iterator<Item = Part>) -> Self;

    /// The bits of the scalars of a host value, and the number of its variant.
    #[doc(hidden)]
    fn host_bits(host: Self::Host, out: &mut Vec<u64>) -> u32;

    /// The host value of a variant of these bits.
    #[doc(hidden)]
    fn from_host_bits(variant: u32, bits: &mut dyn Iterator<Item = u64>) -> Self::Host;
}

/// A value of the enum `T` whose variant the generated program knows: the number of the variant, and values that its variants share.
///
/// ```
/// use planish_front_stage::{Enum, Rep, Stage, build, if_};
/// let f = build("root", |x: Rep<f64>| {
///     let root: Enum<Option<Rep<f64>>> = if_(x.lt(0.0), || None, || Some(x.sqrt()));
///     root.match_(|root| match root {
///         Some(root) => root,
///         None => Rep::new(-1.0),
///     })
/// })
/// .expect("it is valid");
/// ```
pub struct Enum<T: Variants> {
    variant: Rep<u32>,
    payloads: T::Payloads,
}

impl<T: Variants> Clone for Enum<T> {
    fn clone(&self) -> Self {
        Enum { variant: self.variant, payloads: self.payloads.clone() }
    }
}

impl<T: Variants<Payloads: Copy>> Copy for Enum<T> {}

impl<T: Variants> fmt::Debug for Enum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Enum<{}> of {}", std::any::type_name::<T>(), self.variant.part.place)
    }
}

impl<T: Variants> Enum<T> {
    /// A value of a variant that is known now.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let (place, layout) = (Location::caller(), Layout::of::<T>());
        let (number, mut own) = (value.variant(), Vec::new());
        value.parts(&mut own);
        let variant = Rep::new(number);
        let slots = session::with(|session| {
            let zero = |kind: &Kind| {
                let ty = (kind.make)(&mut session.module.types);
                let zero = session.zero(ty);
                session.part(zero, place, kind.make)
            };
            let mut slots: Vec<Part> = layout.slots.iter().map(zero).collect();
            layout.slots_of(number).iter().zip(own).for_each(|(&slot, part)| slots[slot] = part);
            slots
        });
        Self::of(variant, &layout, &slots)
    }

    fn of(variant: Rep<u32>, layout: &Layout, slots: &[Part]) -> Self {
        let mut parts = layout.variants.iter().flatten().map(|&slot| slots[slot]);
        Enum { variant, payloads: T::Payloads::from_parts(&mut parts) }
    }

    /// The number of the variant, from 0.
    #[must_use]
    pub fn variant(&self) -> Rep<u32> {
        self.variant
    }

    /// As a variant, with the values that it has if it is that one.
    pub(crate) fn as_variant(&self, variant: u32) -> T {
        let (layout, parts) = (Layout::of::<T>(), parts_of(&self.payloads));
        let before: usize = layout.variants[..variant as usize].iter().map(Vec::len).sum();
        T::from_parts(variant, &mut parts[before..].iter().copied())
    }

    /// One of several blocks, by the variant. The closure writes the block of each variant: it runs once for each, with its payload.
    ///
    /// ```
    /// use planish_front_stage::{Enum, Rep, build};
    /// let f = build("either", |x: Enum<Result<Rep<f64>, Rep<i32>>>| {
    ///     x.match_(|x| match x {
    ///         Ok(x) => x,
    ///         Err(code) => code.as_::<f64>(),
    ///     })
    /// })
    /// .expect("it is valid");
    /// ```
    #[track_caller]
    pub fn match_<S: Staged, R: Stage<S>>(&self, mut arm: impl FnMut(T) -> R) -> S {
        let mut construct = StagedMatch::<T, S>::of_variants(self.clone());
        construct.enter(&mut []);
        loop {
            let value = arm(construct.variant());
            let given = construct.value(value);
            if !construct.again(given, &mut []) {
                return construct.finish(&mut []).value();
            }
        }
    }

    /// Whether the variant is one of those that a closure tells of. It is called now, for each variant.
    ///
    /// ```
    /// use planish_front_stage::{Enum, Rep, build};
    /// let f = build("is_one", |x: Enum<Option<Rep<f64>>>| x.is(Option::is_some)).expect("it is valid");
    /// ```
    #[track_caller]
    pub fn is(&self, test: impl Fn(&T) -> bool) -> Rep<bool> {
        let variants = (0..T::COUNT).filter(|&variant| test(&self.as_variant(variant)));
        let is_one = variants.map(|variant| self.variant.eq(variant));
        is_one.reduce(|one, other| one | other).unwrap_or_else(|| Rep::new(false))
    }
}

impl<T: Variants> Staged for Enum<T> {
    type Host = T::Host;

    fn types(types: &mut Types, out: &mut Vec<Kind>) {
        Rep::<u32>::types(types, out);
        let slots = Layout::of::<T>();
        out.extend(slots.slots.iter().map(|&kind| Kind { ty: (kind.make)(types), ..kind }));
    }

    fn parts(&self, out: &mut Vec<Part>) {
        out.push(self.variant.part);
        let (layout, parts) = (Layout::of::<T>(), parts_of(&self.payloads));
        out.extend(layout.first_uses.iter().map(|&index| parts[index]));
    }

    fn from_parts(parts: &mut dyn Iterator<Item = Part>) -> Self {
        let (layout, variant) = (Layout::of::<T>(), Rep::from_parts(parts));
        let slots: Vec<Part> = parts.take(layout.slots.len()).collect();
        Self::of(variant, &layout, &slots)
    }

    fn host_bits(host: T::Host, out: &mut Vec<u64>) {
        let (layout, mut own) = (Layout::of::<T>(), Vec::new());
        let variant = T::host_bits(host, &mut own);
        out.push(variant.into());
        let mut slots: Vec<Vec<u64>> = layout.slots.iter().map(|kind| vec![0; kind.scalars]).collect();
        let mut own = own.into_iter();
        for &slot in layout.slots_of(variant) {
            slots[slot].iter_mut().zip(&mut own).for_each(|(to, bits)| *to = bits);
        }
        out.extend(slots.into_iter().flatten());
    }

    fn from_host_bits(bits: &mut dyn Iterator<Item = u64>) -> T::Host {
        let layout = Layout::of::<T>();
        let variant = Rep::<u32>::from_host_bits(bits);
        let mut slots: Vec<Vec<u64>> = Vec::with_capacity(layout.slots.len());
        for kind in &layout.slots {
            slots.push(bits.take(kind.scalars).collect());
        }
        let own: Vec<u64> = layout.slots_of(variant).iter().flat_map(|&slot| slots[slot].clone()).collect();
        T::from_host_bits(variant, &mut own.into_iter())
    }
}

impl<T: Variants> Stage<Enum<T>> for Enum<T> {
    fn stage(self) -> Self {
        self
    }
}

impl<T: Variants> Stage<Enum<T>> for T {
    #[track_caller]
    fn stage(self) -> Enum<T> {
        Enum::new(self)
    }
}

/// The values that the variants of an enum share. Value number `n` of a type in each variant is the same.
struct Layout {
    slots: Vec<Kind>,
    /// The slots of each variant's values.
    variants: Vec<Vec<usize>>,
    /// The first of all variants' values that is in each slot.
    first_uses: Vec<usize>,
}

thread_local! {
    static LAYOUTS: RefCell<FxHashMap<TypeId, Rc<Layout>>> = RefCell::default();
}

impl Layout {
    fn of<T: Variants>() -> Rc<Layout> {
        let id = TypeId::of::<T>();
        if let Some(known) = LAYOUTS.with_borrow(|layouts| layouts.get(&id).cloned()) {
            return known;
        }
        // (Enums in the payload have layouts of their own.)
        let layout = Rc::new(Self::new::<T>());
        LAYOUTS.with_borrow_mut(|layouts| layouts.insert(id, layout.clone()));
        layout
    }

    fn new<T: Variants>() -> Layout {
        let mut types = Types::new();
        let mut layout = Layout { slots: Vec::new(), variants: Vec::new(), first_uses: Vec::new() };
        let mut uses = 0;
        for variant in 0..T::COUNT {
            let mut kinds = Vec::new();
            T::types(variant, &mut types, &mut kinds);
            let mut own: Vec<usize> = Vec::new();
            for kind in kinds {
                let free = |slot: &usize| layout.slots[*slot].ty == kind.ty && !own.contains(slot);
                let slot = (0..layout.slots.len()).find(free).unwrap_or_else(|| {
                    layout.slots.push(kind);
                    layout.first_uses.push(uses);
                    layout.slots.len() - 1
                });
                own.push(slot);
                uses += 1;
            }
            layout.variants.push(own);
        }
        debug_assert_eq!(uses, kinds_of::<T::Payloads>(&mut types).len());
        layout
    }

    fn slots_of(&self, variant: u32) -> &[usize] {
        &self.variants[variant as usize]
    }
}

/// A value of an enum for the host that has no type of its own there (`#[staged(host = …)]` gives it one): a compiled function gives it, and takes it
/// again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tagged<T> {
    variant: u32,
    bits: Vec<u64>,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T: Variants> Tagged<T> {
    /// The number of its variant, from 0.
    #[must_use]
    pub fn variant(&self) -> u32 {
        self.variant
    }

    #[doc(hidden)]
    pub fn host_bits(self, out: &mut Vec<u64>) -> u32 {
        out.extend(self.bits);
        self.variant
    }

    #[doc(hidden)]
    pub fn from_host_bits(variant: u32, bits: &mut dyn Iterator<Item = u64>) -> Self {
        Tagged { variant, bits: bits.collect(), of: std::marker::PhantomData }
    }
}

impl<S: Staged> Variants for Option<S> {
    type Host = Option<S::Host>;
    type Payloads = (S,);
    const COUNT: u32 = 2;

    fn types(variant: u32, types: &mut Types, out: &mut Vec<Kind>) {
        if variant == 1 {
            S::types(types, out);
        }
    }

    fn variant(&self) -> u32 {
        self.is_some().into()
    }

    fn parts(&self, out: &mut Vec<Part>) {
        self.iter().for_each(|staged| staged.parts(out));
    }

    fn from_parts(variant: u32, parts: &mut dyn Iterator<Item = Part>) -> Self {
        (variant == 1).then(|| S::from_parts(parts))
    }

    fn host_bits(host: Self::Host, out: &mut Vec<u64>) -> u32 {
        let variant = host.is_some().into();
        host.into_iter().for_each(|host| S::host_bits(host, out));
        variant
    }

    fn from_host_bits(variant: u32, bits: &mut dyn Iterator<Item = u64>) -> Self::Host {
        (variant == 1).then(|| S::from_host_bits(bits))
    }
}

impl<S: Staged, E: Staged> Variants for Result<S, E> {
    type Host = Result<S::Host, E::Host>;
    type Payloads = (S, E);
    const COUNT: u32 = 2;

    fn types(variant: u32, types: &mut Types, out: &mut Vec<Kind>) {
        match variant {
            0 => S::types(types, out),
            _ => E::types(types, out),
        }
    }

    fn variant(&self) -> u32 {
        self.is_err().into()
    }

    fn parts(&self, out: &mut Vec<Part>) {
        match self {
            Ok(staged) => staged.parts(out),
            Err(staged) => staged.parts(out),
        }
    }

    fn from_parts(variant: u32, parts: &mut dyn Iterator<Item = Part>) -> Self {
        match variant {
            0 => Ok(S::from_parts(parts)),
            _ => Err(E::from_parts(parts)),
        }
    }

    fn host_bits(host: Self::Host, out: &mut Vec<u64>) -> u32 {
        match host {
            Ok(host) => {
                S::host_bits(host, out);
                0
            }
            Err(host) => {
                E::host_bits(host, out);
                1
            }
        }
    }

    fn from_host_bits(variant: u32, bits: &mut dyn Iterator<Item = u64>) -> Self::Host {
        match variant {
            0 => Ok(S::from_host_bits(bits)),
            _ => Err(E::from_host_bits(bits)),
        }
    }
}

impl<S: Staged> Enum<Option<S>> {
    /// Whether there is a value.
    #[track_caller]
    #[must_use]
    pub fn is_some(&self) -> Rep<bool> {
        self.variant.eq(1)
    }

    /// Whether there is no value.
    #[track_caller]
    #[must_use]
    pub fn is_none(&self) -> Rep<bool> {
        self.variant.eq(0)
    }

    /// The value, or another one if there is none.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(&self, other: impl Stage<S>) -> S {
        let mut other = Some(other.stage());
        self.match_(|value| value.or_else(|| other.take()).expect("there is one arm without a value"))
    }

    /// The option of what a closure makes of the value.
    #[track_caller]
    pub fn map<U: Staged, R: Stage<U>>(&self, change: impl FnOnce(S) -> R) -> Enum<Option<U>> {
        let mut change = Some(change);
        self.match_(|value| value.map(|value| change.take().expect("there is one arm with a value")(value).stage()))
    }
}

impl<S: Staged, E: Staged> Enum<Result<S, E>> {
    /// Whether it is `Ok`.
    #[track_caller]
    #[must_use]
    pub fn is_ok(&self) -> Rep<bool> {
        self.variant.eq(0)
    }

    /// Whether it is `Err`.
    #[track_caller]
    #[must_use]
    pub fn is_err(&self) -> Rep<bool> {
        self.variant.eq(1)
    }

    /// The value, or another one if there is none.
    #[track_caller]
    #[must_use]
    pub fn unwrap_or(&self, other: impl Stage<S>) -> S {
        let mut other = Some(other.stage());
        self.match_(|value| value.unwrap_or_else(|_| other.take().expect("there is one arm without a value")))
    }
}
