//! Macros of staged Rust, which `planish::stage` exports.

mod staged;

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
