//! Macros of staged Rust, which `planish::stage` exports.

mod specialize;
mod stage;
mod staged;
#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes a struct of staged values a group of values, which blocks and functions of the generated program take and give.
///
/// Each field is such a group itself: a `Rep<T>`, a tuple, an array, another struct with this attribute, or an `Enum<T>`. A host passes the struct
/// as the tuple of what it passes for the fields.
///
/// Of an enum `T`, `Enum<T>` is such a group: a value whose variant the generated program knows. A host passes it as the enum that
/// `#[staged(host = …)]` names, whose variants have the same names and hold what a host passes for the fields. Without, it is the enum itself if its variants
/// have no fields, else a `Tagged<T>`, which the host gets from one function and passes to another.
#[proc_macro_derive(Staged, attributes(staged))]
pub fn derive_staged(input: TokenStream) -> TokenStream {
    staged::derive(input.into()).unwrap_or_else(|error| error.into_compile_error()).into()
}

/// Lets Rust's own control flow write that of the generated program.
///
/// `if`, `while`, `for`, `loop`, `match` on numbers, `&&`, `||`, comparisons, `break`, `continue` and `return` become calls of the library where
/// a condition or a bound is a `Rep`, and `match`, `if let`, `while let`, `let else` and `matches!` where the value is an `Enum`; where it is a plain Rust
/// value, they run now, as everywhere.
#[proc_macro_attribute]
pub fn stage(args: TokenStream, item: TokenStream) -> TokenStream {
    stage::item(&args.into(), item.into()).into()
}

/// As [`macro@stage`], of an expression: a closure.
#[proc_macro]
pub fn staged(expression: TokenStream) -> TokenStream {
    stage::expression(expression.into()).into()
}

/// Makes a function of the program for each value of the known parameters, once: those whose types have no `Rep` and no `Enum` in them, or, if
/// any has the mark, those with `#[known]`. Known parameters can be compared, hashed and printed; of a reference, the target is copied.
///
/// Below `#[stage]`, if both are on a function.
#[proc_macro_attribute]
pub fn specialize(args: TokenStream, item: TokenStream) -> TokenStream {
    specialize::specialize(&args.into(), item.into()).unwrap_or_else(|error| error.into_compile_error()).into()
}
