//! Wrong programs get a message at a place, and no input makes the macros panic.

mod wrong;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::specialize::specialize;
use crate::stage::{expression, item};
use crate::staged::derive;

/// The messages of an expansion, with their places.
fn messages(tokens: TokenStream) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut last: Vec<TokenTree> = Vec::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token {
            let names: Vec<String> = last.iter().rev().take(2).map(ToString::to_string).collect();
            if names == ["!", "compile_error"] {
                let literal = group.stream().into_iter().next().expect("a message");
                let text: syn::LitStr = syn::parse2(literal.clone().into()).expect("a string");
                // (The start of the place that the error is at.)
                let at = last[last.len() - 2].span().start();
                found.push((text.value(), at.line, at.column + 1));
            }
            found.extend(messages(group.stream()));
        }
        last.push(token);
    }
    found
}

/// Sources with all that Rust has of control flow: of this crate, and of others (from `crates`).
const SOURCES: [&str; 3] =
    [include_str!("stage.rs"), include_str!("stage/names.rs"), include_str!("stage/patterns.rs")];
const OTHERS: [&str; 5] = [
    "planish/tests/stage_macro.rs",
    "planish/tests/stage_enums.rs",
    "planish/tests/stage_enum_values.rs",
    "front/stage/src/control.rs",
    "front/stage/src/session.rs",
];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_repository() -> bool {
    crates().join("planish/tests").is_dir()
}

/// The texts of all sources; a crate that was published has its own only.
fn sources() -> Vec<String> {
    let crates = crates();
    let read = |path: &&str| std::fs::read_to_string(crates.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let others = OTHERS.iter().filter(|_| is_repository()).map(read);
    SOURCES.into_iter().map(String::from).chain(others).collect()
}

/// All functions and types that the sources hold, as tokens.
#[derive(Default)]
struct Sources {
    functions: Vec<TokenStream>,
    types: Vec<TokenStream>,
}

impl Sources {
    fn all() -> Self {
        let mut all = Sources::default();
        for source in sources() {
            let file: syn::File = syn::parse_str(&source).expect("a source");
            let before = all.functions.len();
            all.take(&file.items);
            assert!(all.functions.len() > before, "no functions: {source}");
        }
        all
    }

    /// Recursion: as deep as modules are nested.
    fn take(&mut self, items: &[syn::Item]) {
        for item in items {
            match item {
                syn::Item::Fn(_) | syn::Item::Impl(_) => self.functions.push(quote::quote!(#item)),
                syn::Item::Struct(_) | syn::Item::Enum(_) => self.types.push(quote::quote!(#item)),
                syn::Item::Mod(module) => self.take(module.content.as_ref().map_or(&[], |(_, items)| items)),
                // Items that a macro writes twice.
                syn::Item::Macro(node) => {
                    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
                    let tokens: TokenStream =
                        node.mac.tokens.clone().into_iter().filter(|token| !is_end(token)).collect();
                    if let Ok(file) = syn::parse2::<syn::File>(tokens) {
                        self.take(&file.items);
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn every_function_expands_to_rust() {
    let all = Sources::all().functions;
    for function in all {
        let text = function.to_string();
        let expanded = item(&TokenStream::new(), function);
        // A variable without a value and such are refused; all else is Rust again.
        let file = syn::parse2::<syn::File>(expanded.clone());
        assert!(file.is_ok(), "{text}\n{expanded}\n{:?}", file.err());
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

/// The tokens with a few dropped, doubled, exchanged or taken from elsewhere.
fn damaged(tokens: TokenStream, random: &mut Random, spare: &[TokenTree]) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let token = match token {
            TokenTree::Group(group) => {
                let delimiter = match random.below(200) {
                    0 => Delimiter::Parenthesis,
                    1 => Delimiter::Brace,
                    _ => group.delimiter(),
                };
                Group::new(delimiter, damaged(group.stream(), random, spare)).into()
            }
            other => other,
        };
        match random.below(120) {
            0 => {}
            1 => out.extend([token.clone(), token]),
            2 => out.extend([spare[random.below(spare.len())].clone(), token]),
            3 if !out.is_empty() => {
                let before = out.pop().expect("there is one");
                out.extend([token, before]);
            }
            _ => out.push(token),
        }
    }
    out.into_iter().collect()
}

#[test]
fn no_input_makes_the_macros_panic() {
    let spare: Vec<TokenTree> = TokenStream::from_str(
        "if while for loop match let else break continue return 'a || && == < .. ..= ! ? => : ; , mut ref self _ 1 1.5 true | & * -",
    )
    .expect("tokens")
    .into_iter()
    .collect();
    let mut random = Random(0x1234_5678_9abc_def1);
    let (sources, mut parsed, mut derived) = (Sources::all(), 0, 0);
    for _ in 0..8 {
        for function in &sources.functions {
            let input = damaged(function.clone(), &mut random, &spare);
            parsed += u32::from(syn::parse2::<syn::Item>(input.clone()).is_ok());
            let _ = specialize(&TokenStream::new(), input.clone());
            let (as_item, as_expression) = (item(&TokenStream::new(), input.clone()), expression(input));
            assert!(!as_item.is_empty() && !as_expression.is_empty());
        }
        for ty in &sources.types {
            let attr = quote::quote!(#[staged(host = Other<u32>)] #ty);
            for input in [damaged(ty.clone(), &mut random, &spare), damaged(attr, &mut random, &spare)] {
                derived += u32::from(derive(input).is_ok());
            }
        }
    }
    let least = if is_repository() { 50 } else { 30 };
    assert!(parsed > least && derived > least, "{parsed}, {derived}");
}
