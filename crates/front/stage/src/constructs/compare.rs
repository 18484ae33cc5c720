//! Comparisons and truth values.

use crate::rep::{Element, Rep};
use crate::staged::Stage;

/// Truth values that `&&` and `||` join.
pub trait Logic<B> {
    /// Their result.
    type Output;
    /// Both; the other is only computed if this one holds.
    fn both(self, other: impl FnOnce() -> B) -> Self::Output;
    /// At least one; the other is only computed if this one does not hold.
    fn either(self, other: impl FnOnce() -> B) -> Self::Output;
}

impl Logic<bool> for bool {
    type Output = bool;

    fn both(self, other: impl FnOnce() -> bool) -> bool {
        self && other()
    }

    fn either(self, other: impl FnOnce() -> bool) -> bool {
        self || other()
    }
}

impl Logic<Rep<bool>> for bool {
    type Output = Rep<bool>;

    #[track_caller]
    fn both(self, other: impl FnOnce() -> Rep<bool>) -> Rep<bool> {
        if self { other() } else { Rep::new(false) }
    }

    #[track_caller]
    fn either(self, other: impl FnOnce() -> Rep<bool>) -> Rep<bool> {
        if self { Rep::new(true) } else { other() }
    }
}

impl<B: Stage<Rep<bool>>> Logic<B> for Rep<bool> {
    type Output = Rep<bool>;

    #[track_caller]
    fn both(self, other: impl FnOnce() -> B) -> Rep<bool> {
        self.and(other)
    }

    #[track_caller]
    fn either(self, other: impl FnOnce() -> B) -> Rep<bool> {
        self.or(other)
    }
}

/// Two operands of a comparison, whose types choose between staged and present ones.
#[derive(Debug)]
pub struct Compare<'a, A: ?Sized, B: ?Sized>(pub &'a A, pub &'a B);

macro_rules! comparisons {
    ($($equality:ident: $($name:ident $mirrored:ident $operator:tt),*;)*) => {
        /// Comparisons of the generated program.
        pub trait CompareStaged {
            $($(#[doc = concat!("`", stringify!($operator), "`")]
            fn $name(self) -> Rep<bool>;)*)*
        }

        impl<T: Element, B: Stage<Rep<T>> + Clone> CompareStaged for &&Compare<'_, Rep<T>, B> {
            $($(#[track_caller]
            fn $name(self) -> Rep<bool> {
                Rep::$name(*self.0, self.1.clone())
            })*)*
        }

        impl<T: Element> CompareStaged for &&Compare<'_, T, Rep<T>> {
            $($(#[track_caller]
            fn $name(self) -> Rep<bool> {
                Rep::$mirrored(*self.1, *self.0)
            })*)*
        }

        $(/// Comparisons of the code that runs now.
        pub trait $equality {
            $(#[doc = concat!("`", stringify!($operator), "`")]
            fn $name(self) -> bool;)*
        })*

        impl<A: PartialEq<B> + ?Sized, B: ?Sized> CompareEqual for &Compare<'_, A, B> {
            fn eq(self) -> bool {
                *self.0 == *self.1
            }

            fn ne(self) -> bool {
                *self.0 != *self.1
            }
        }

        impl<A: PartialOrd<B> + ?Sized, B: ?Sized> CompareOrder for &Compare<'_, A, B> {
            fn lt(self) -> bool {
                *self.0 < *self.1
            }

            fn le(self) -> bool {
                *self.0 <= *self.1
            }

            fn gt(self) -> bool {
                *self.0 > *self.1
            }

            fn ge(self) -> bool {
                *self.0 >= *self.1
            }
        }
    };
}

comparisons! {
    CompareEqual: eq eq ==, ne ne !=;
    CompareOrder: lt gt <, le ge <=, gt lt >, ge le >=;
}
