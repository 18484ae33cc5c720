//! `#[derive(Staged)]` of enums.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{DataEnum, DeriveInput, Error, Fields, Ident, PathArguments, Type, TypePath};

use super::{bounded, members, types};

pub(super) fn derive(input: &DeriveInput, data: &DataEnum) -> Result<TokenStream, Error> {
    let name = &input.ident;
    if data.variants.is_empty() {
        let message = "an enum without variants has no value, so it is in no program";
        return Err(Error::new(name.span(), message));
    }
    let host = host_type(input)?;
    let own = (0..).zip(&data.variants).map(|(number, variant)| Arm::new(number, &variant.ident, &variant.fields));
    let own: Vec<Arm<'_>> = own.collect::<Result<_, Error>>()?;
    let all: Vec<&Type> = own.iter().flat_map(|arm| &arm.types).copied().collect();
    let generics = bounded(&input.generics, &all);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let payloads = all.iter().rev().fold(quote!(()), |rest, ty| quote!((#ty, #rest)));
    let count = data.variants.len() as u32;
    let types_of = own.iter().map(|arm| {
        let (number, types) = (arm.number, &arm.types);
        quote!(#number => { #(<#types as __stage::Staged>::types(types, out);)* })
    });
    let numbers = own.iter().map(|arm| {
        let (number, variant) = (arm.number, arm.variant);
        quote!(#name::#variant { .. } => #number)
    });
    let parts = own.iter().map(|arm| {
        let (pattern, names) = (arm.pattern(name), &arm.names);
        quote!(#pattern => { #(__stage::Staged::parts(#names, out);)* })
    });
    let from_parts = own.iter().map(|arm| {
        let (number, variant, members) = (arm.number, arm.variant, &arm.members);
        quote!(#number => #name::#variant { #(#members: __stage::Staged::from_parts(parts)),* })
    });
    let is_plain = all.is_empty();
    let (host, to_bits, from_bits) = match host {
        None if !is_plain => (
            quote!(__stage::Tagged<Self>),
            quote!(__stage::Tagged::host_bits(host, out)),
            quote!(__stage::Tagged::from_host_bits(variant, bits)),
        ),
        // An enum of names alone is its own host type.
        host => {
            let (ty, path) = match host {
                Some((ty, path)) => (quote!(#ty), path),
                None => (quote!(Self), quote!(#name)),
            };
            let to_bits = own.iter().map(|arm| {
                let (number, names, types) = (arm.number, &arm.names, &arm.types);
                let pattern = arm.pattern(&path);
                quote!(#pattern => { #(<#types as __stage::Staged>::host_bits(#names, out);)* #number })
            });
            let from_bits = own.iter().map(|arm| {
                let (number, variant, members, types) = (arm.number, arm.variant, &arm.members, &arm.types);
                let value =
                    quote!(#path::#variant { #(#members: <#types as __stage::Staged>::from_host_bits(bits)),* });
                quote!(#number => #value)
            });
            let to_bits = quote!(match host { #(#to_bits,)* });
            (ty, to_bits, quote!(match variant { #(#from_bits,)* _ => ::core::unreachable!("a variant of the enum") }))
        }
    };
    Ok(quote! {
        const _: () = {
            use ::planish::stage as __stage;

            #[allow(unused_variables, reason = "variants may have no payload")]
            impl #impl_generics __stage::Variants for #name #ty_generics #where_clause {
                type Host = #host;
                type Payloads = #payloads;
                const COUNT: u32 = #count;

                fn types(
                    variant: u32,
                    types: &mut ::planish::ir::types::Types,
                    out: &mut ::std::vec::Vec<__stage::Kind>,
                ) {
                    match variant { #(#types_of)* _ => {} }
                }

                fn variant(&self) -> u32 {
                    match self { #(#numbers,)* }
                }

                fn parts(&self, out: &mut ::std::vec::Vec<__stage::Part>) {
                    match self { #(#parts)* }
                }

                fn from_parts(variant: u32, parts: &mut dyn ::core::iter::Iterator<Item = __stage::Part>) -> Self {
                    match variant { #(#from_parts,)* _ => ::core::unreachable!("a variant of the enum") }
                }

                fn host_bits(host: Self::Host, out: &mut ::std::vec::Vec<u64>) -> u32 {
                    #to_bits
                }

                fn from_host_bits(variant: u32, bits: &mut dyn ::core::iter::Iterator<Item = u64>) -> Self::Host {
                    #from_bits
                }
            }
        };
    })
}

/// A variant.
struct Arm<'a> {
    number: u32,
    variant: &'a Ident,
    members: Vec<syn::Member>,
    names: Vec<Ident>,
    types: Vec<&'a Type>,
}

impl<'a> Arm<'a> {
    fn new(number: u32, variant: &'a Ident, fields: &'a Fields) -> Result<Self, Error> {
        let names = (0..fields.len()).map(|index| format_ident!("__field{index}")).collect();
        Ok(Arm { number, variant, members: members(fields), names, types: types(fields)? })
    }

    /// A pattern with a name for each field.
    fn pattern(&self, of: &impl quote::ToTokens) -> TokenStream {
        let (variant, members, names) = (self.variant, &self.members, &self.names);
        quote!(#of::#variant { #(#members: #names),* })
    }
}

/// The type of `#[staged(host = …)]`, and the path of its variants.
fn host_type(input: &DeriveInput) -> Result<Option<(Type, TokenStream)>, Error> {
    let mut found: Option<Type> = None;
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("staged")) {
        attr.parse_nested_meta(|meta| {
            if !meta.path.is_ident("host") {
                return Err(meta.error("expected `host = …`, the enum that a host passes"));
            }
            if found.is_some() {
                return Err(meta.error("the host type is given twice"));
            }
            found = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    let Some(ty) = found else { return Ok(None) };
    let Type::Path(TypePath { qself: None, path }) = &ty else {
        return Err(Error::new(ty.span(), "the host type is an enum with the same variants"));
    };
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = PathArguments::None);
    let path = quote!(#path);
    Ok(Some((ty, path)))
}
