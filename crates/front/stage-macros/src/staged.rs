//! `#[derive(Staged)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Error, Fields, Index, Member, parse_quote};

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream, Error> {
    let fields = match &input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            let message = "`Staged` is for structs: which variant an enum has is known now, so match it with Rust's `match`, or \
                 keep a number beside the values and use `switch`";
            return Err(Error::new(data.enum_token.span, message));
        }
        Data::Union(data) => return Err(Error::new(data.union_token.span, "`Staged` is for structs")),
    };
    let members: Vec<Member> = match fields {
        Fields::Named(fields) => {
            fields.named.iter().filter_map(|field| field.ident.clone()).map(Member::Named).collect()
        }
        _ => (0..fields.len()).map(|index| Member::Unnamed(Index::from(index))).collect(),
    };
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    let name = &input.ident;
    let mut generics = input.generics.clone();
    if !generics.params.is_empty() {
        let bounds = generics.make_where_clause();
        bounds.predicates.push(parse_quote!(Self: ::core::clone::Clone + 'static));
        for ty in &types {
            bounds.predicates.push(parse_quote!(#ty: __stage::Staged));
        }
    }
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
