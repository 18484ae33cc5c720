//! `#[specialize]`: a function that is made once for each value of its known parameters.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit::{self, Visit};
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, PatType, ReturnType, Type};

/// A parameter whose value is known while the program is made.
struct Known<'a> {
    name: &'a Ident,
    /// The target's type, of a reference.
    target: Option<&'a Type>,
}

pub(crate) fn specialize(tokens: TokenStream) -> Result<TokenStream, Error> {
    let mut function: ItemFn = syn::parse2(tokens)?;
    let mut typed: Vec<PatType> = Vec::new();
    for input in &mut function.sig.inputs {
        match input {
            FnArg::Typed(param) => typed.push(param.clone()),
            FnArg::Receiver(receiver) => {
                let message = "`#[specialize]` is for functions without `self`: pass it as a parameter";
                return Err(Error::new(receiver.self_token.span, message));
            }
        }
    }
    let marks = typed.iter().any(|param| param.attrs.iter().any(is_mark));
    let is_known = |param: &PatType| match marks {
        true => param.attrs.iter().any(is_mark),
        false => !mentions_rep(&param.ty),
    };
    let (mut known, mut staged) = (Vec::new(), Vec::new());
    for param in &typed {
        let Pat::Ident(pattern) = &*param.pat else {
            return Err(Error::new_spanned(&param.pat, "a parameter of a specialized function has a name"));
        };
        match (is_known(param), &*param.ty) {
            (true, Type::Reference(reference)) if reference.mutability.is_some() => {
                let message = "a known parameter is not changed: it tells the functions that are made apart";
                return Err(Error::new_spanned(reference, message));
            }
            (true, Type::Reference(reference)) => {
                known.push(Known { name: &pattern.ident, target: Some(&reference.elem) });
            }
            (true, _) => known.push(Known { name: &pattern.ident, target: None }),
            (false, ty) => staged.push((pattern, ty)),
        }
    }
    if known.is_empty() {
        let message = "no parameter is known while the program is made: mark those that are with `#[known]`";
        return Err(Error::new_spanned(&function.sig, message));
    }
    let keys: Vec<_> = known.iter().map(|known| key(known)).collect();
    let names: Vec<&Ident> = known.iter().map(|known| known.name).collect();
    let owned: Vec<Ident> = names.iter().map(|name| format_ident!("__{name}")).collect();
    let values: Vec<_> = known.iter().zip(&owned).map(|(known, owned)| value(known, owned)).collect();
    let args: Vec<&Ident> = staged.iter().map(|(pattern, _)| &pattern.ident).collect();
    let (patterns, types): (Vec<_>, Vec<_>) = staged.iter().copied().unzip();
    let name = function.sig.ident.to_string();
    let result = match &function.sig.output {
        ReturnType::Type(_, ty) => quote!(#ty),
        ReturnType::Default => quote!(()),
    };
    let block = &function.block;
    let body = quote!({
        let __body = move |(#(#owned,)*), (#(#patterns,)*): (#(#types,)*)| -> #result { #(#values)* #block };
        ::planish::stage::specialized(#name, (#(#keys,)*), (#(#args,)*), __body)
    });
    let mut sig = function.sig.clone();
    for input in &mut sig.inputs {
        if let FnArg::Typed(param) = input {
            param.attrs.retain(|attr| !is_mark(attr));
            if let Pat::Ident(pattern) = &mut *param.pat {
                pattern.mutability = None;
            }
        }
    }
    let (attrs, visibility) = (&function.attrs, &function.vis);
    Ok(quote!(#(#attrs)* #visibility #sig #body))
}

fn key(known: &Known<'_>) -> TokenStream {
    let name = known.name;
    match known.target {
        Some(_) => quote!(::std::borrow::ToOwned::to_owned(#name)),
        None => quote!(::core::clone::Clone::clone(&#name)),
    }
}

fn value(known: &Known<'_>, owned: &Ident) -> TokenStream {
    let name = known.name;
    match known.target {
        Some(ty) => quote!(let #name: &#ty = ::core::borrow::Borrow::borrow(&#owned);),
        None => quote!(let #name = #owned;),
    }
}

fn is_mark(attr: &Attribute) -> bool {
    attr.path().is_ident("known")
}

/// Whether a type is made of staged values, as far as its text tells.
fn mentions_rep(ty: &Type) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_path_segment(&mut self, node: &syn::PathSegment) {
            self.0 |= node.ident == "Rep";
            visit::visit_path_segment(self, node);
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}
