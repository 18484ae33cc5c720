//! `#[derive(Staged)]`.

mod enums;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Field, Fields, Generics, Index, Member, Type, parse_quote};

pub(crate) fn derive(input: TokenStream) -> Result<TokenStream, Error> {
    let input: &DeriveInput = &syn::parse2(input)?;
    if let Some(lifetime) = input.generics.lifetimes().next() {
        return Err(Error::new_spanned(lifetime, "a group of values of the program borrows nothing of the host"));
    }
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => return enums::derive(input, data),
        Data::Union(data) => {
            return Err(Error::new(data.union_token.span, "`Staged` is for structs and enums"));
        }
    };
    if let Some(attr) = input.attrs.iter().find(|attr| attr.path().is_ident("staged")) {
        let message = "a struct has no host type of its own: a host passes it as the tuple of its fields";
        return Err(Error::new_spanned(attr, message));
    }
    let (members, types) = (members(fields), types(fields)?);
    let name = &input.ident;
    let generics = bounded(&input.generics, &types);
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    let hosts: Vec<_> = (0..types.len()).map(|index| format_ident!("host{index}")).collect();
    Ok(quote! {
        const _: () = {
            use ::planish::stage as __stage;

            impl #impl_generics __stage::Staged for #name #ty_generics #where_clause {
                type Host = (#(<#types as __stage::Staged>::Host,)*);

                fn types(types: &mut ::planish::ir::types::Types, out: &mut ::std::vec::Vec<__stage::Kind>) {
                    #(<#types as __stage::Staged>::types(types, out);)*
                }

                fn parts(&self, out: &mut ::std::vec::Vec<__stage::Part>) {
                    #(__stage::Staged::parts(&self.#members, out);)*
                }

                fn from_parts(parts: &mut dyn ::core::iter::Iterator<Item = __stage::Part>) -> Self {
                    #name { #(#members: __stage::Staged::from_parts(parts)),* }
                }

                fn host_bits(host: Self::Host, out: &mut ::std::vec::Vec<u64>) {
                    let (#(#hosts,)*) = host;
                    #(<#types as __stage::Staged>::host_bits(#hosts, out);)*
                }

                fn from_host_bits(bits: &mut dyn ::core::iter::Iterator<Item = u64>) -> Self::Host {
                    (#(<#types as __stage::Staged>::from_host_bits(bits),)*)
                }
            }

            impl #impl_generics __stage::Stage<#name #ty_generics> for #name #ty_generics #where_clause {
                fn stage(self) -> Self {
                    self
                }
            }
        };
    })
}

fn members(fields: &Fields) -> Vec<Member> {
    let member = |(index, field): (usize, &Field)| match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(index)),
    };
    fields.iter().enumerate().map(member).collect()
}

/// The types of fields.
fn types(fields: &Fields) -> Result<Vec<&Type>, Error> {
    let ty = |field: &'_ Field| -> Result<(), Error> {
        let message = match &field.ty {
            Type::Reference(_) | Type::Ptr(_) => {
                "a value of the program is not behind a reference: hold the value itself"
            }
            Type::BareFn(_) => "a function is no value of the program: `func` makes one of the program",
            Type::Slice(_) => "a group has a fixed number of values: use an array",
            _ => return Ok(()),
        };
        Err(Error::new_spanned(&field.ty, message))
    };
    fields.iter().try_for_each(ty)?;
    Ok(fields.iter().map(|field| &field.ty).collect())
}

/// The generics of a type with fields of these types.
fn bounded(generics: &Generics, types: &[&Type]) -> Generics {
    let mut generics = generics.clone();
    if !generics.params.is_empty() {
        let bounds = generics.make_where_clause();
        bounds.predicates.push(parse_quote!(Self: ::core::clone::Clone + 'static));
        for ty in types {
            bounds.predicates.push(parse_quote!(#ty: __stage::Staged));
        }
    }
    generics
}
