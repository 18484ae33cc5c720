//! `#[specialize]`: a function that is made once for each value of its known parameters.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::visit::{self, Visit};
use syn::{Attribute, Error, FnArg, Ident, ItemFn, Pat, PatType, ReturnType, Type};

/// A parameter whose value is known while the program is made.
struct Known<'a> {
    name: &'a Ident,
    ty: &'a Type,
    /// The target's type, of a reference.
    target: Option<&'a Type>,
}

pub(crate) fn specialize(args: &TokenStream, tokens: TokenStream) -> Result<TokenStream, Error> {
    if !args.is_empty() {
        return Err(Error::new_spanned(args, "`#[specialize]` has no arguments: mark parameters with `#[known]`"));
    }
    let mut function: ItemFn = syn::parse2(tokens)?;
    if let Some(asyncness) = &function.sig.asyncness {
        return Err(Error::new(asyncness.span, "an `async` function makes no program"));
    }
    if let Some(constness) = &function.sig.constness {
        return Err(Error::new(constness.span, "a `const` function makes no program"));
    }
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
        false => !is_staged(&param.ty),
    };
    let (mut known, mut staged) = (Vec::new(), Vec::new());
    for param in &typed {
        let Pat::Ident(pattern) = &*param.pat else {
            return Err(Error::new_spanned(&param.pat, "a parameter of a specialized function has a name"));
        };
        if marks && is_known(param) && is_staged(&param.ty) {
            let message = "a value of the program is not known while the program is made";
            return Err(Error::new_spanned(&param.ty, message));
        }
        match (is_known(param), &*param.ty) {
            (true, Type::Reference(reference)) if reference.mutability.is_some() => {
                let message = "a known parameter is not changed: it tells the functions that are made apart";
                return Err(Error::new_spanned(reference, message));
            }
            (true, Type::Reference(reference)) => {
                known.push(Known { name: &pattern.ident, ty: &param.ty, target: Some(&reference.elem) });
            }
            (true, ty) => known.push(Known { name: &pattern.ident, ty, target: None }),
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
        // (A variable has no such type.)
        None if matches!(known.ty, Type::ImplTrait(_)) => quote!(let #name = #owned;),
        None => {
            let ty = known.ty;
            quote!(let #name: #ty = #owned;)
        }
    }
}

pub(crate) fn is_mark(attr: &Attribute) -> bool {
    attr.path().is_ident("known")
}

/// Whether a type is made of staged values, as far as its text tells.
fn is_staged(ty: &Type) -> bool {
    struct Find(bool);
    impl Visit<'_> for Find {
        fn visit_path_segment(&mut self, node: &syn::PathSegment) {
            self.0 |= node.ident == "Rep" || node.ident == "Enum";
            visit::visit_path_segment(self, node);
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}
