//! Macros of staged Rust, which `planish::stage` exports.

mod specialize;
mod stage;
mod staged;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes a struct of staged values a group of values, which blocks and functions of the generated program take and give.
///
/// Each field is such a group itself: a `Rep<T>`, a tuple, an array or another struct with this attribute. A host passes the struct as the
/// tuple of what it passes for the fields.
#[proc_macro_derive(Staged)]
pub fn derive_staged(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    staged::derive(&input).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Lets Rust's own control flow write that of the generated program.
///
/// `if`, `while`, `for`, `loop`, `match` on numbers, `&&`, `||`, comparisons, `break`, `continue` and `return` become calls of the library where
/// a condition or a bound is a `Rep`; where it is a plain Rust value, they run now, as everywhere.
#[proc_macro_attribute]
pub fn stage(_: TokenStream, item: TokenStream) -> TokenStream {
    stage::item(item.into()).into()
}

/// As [`macro@stage`], of an expression: a closure.
#[proc_macro]
pub fn staged(expression: TokenStream) -> TokenStream {
    stage::expression(expression.into()).into()
}

/// Makes a function of the program for each value of the known parameters, once: those whose types have no `Rep` in them, or, if any has the mark, those
/// with `#[known]`. Known parameters can be compared, hashed and printed; of a reference, the target is copied.
///
/// Below `#[stage]`, if both are on a function.
#[proc_macro_attribute]
pub fn specialize(_: TokenStream, item: TokenStream) -> TokenStream {
    specialize::specialize(item.into()).unwrap_or_else(|error| error.into_compile_error()).into()
}
