//! The work of `include_shader!`, on tokens that tests can make.

use std::path::{Path, PathBuf};

use planish::diagnostic::Diagnostic;
use planish::{Error, SETTINGS, Settings, Target, compile_with};
use planish_files::Includes;
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, LitStr, Token};

/// `"sky.frag", target = "spirv", minify = true`
struct Arguments {
    file: LitStr,
    settings: Punctuated<Setting, Token![,]>,
}

/// `minify = true`
struct Setting {
    name: Ident,
    value: Lit,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let file = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok(Arguments { file, settings: Punctuated::parse_terminated(input)? })
    }
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Setting { name, value: input.parse()? })
    }
}

/// The text of a value.
fn text(value: &Lit) -> syn::Result<String> {
    Ok(match value {
        Lit::Str(text) => text.value(),
        Lit::Int(number) => number.base10_digits().to_owned(),
        Lit::Float(number) => number.base10_digits().to_owned(),
        Lit::Bool(truth) => truth.value.to_string(),
        other => return Err(syn::Error::new(other.span(), "a setting is a text, a number, `true` or `false`")),
    })
}

/// The expression in place of the macro.
///
/// # Errors
/// Wrong arguments, and errors of the shader, at the argument that is to blame.
pub(crate) fn expand(input: TokenStream, root: &Path) -> syn::Result<TokenStream> {
    let Arguments { file, settings: given } = syn::parse2(input)?;
    let mut settings = Settings::default();
    settings.set("level", "2").expect("there is the level");
    let (mut target, mut folders): (Target, Vec<PathBuf>) = (Target::Wgsl, vec![]);
    for Setting { name, value } in given {
        let text = text(&value)?;
        let wrong = |message: String| syn::Error::new(name.span().join(value.span()).unwrap_or(name.span()), message);
        match name.to_string().replace('_', "-").as_str() {
            "target" => target = text.parse().map_err(wrong)?,
            "include-path" => folders.push(root.join(text)),
            // The option `--target` of `planish compile` is of object files, and `--emit` that of all targets.
            "emit" => return Err(wrong("the target is given by `target`".into())),
            setting => settings.set(setting, &text).map_err(|message| wrong(known(message)))?,
        }
    }
    let path = root.join(file.value());
    let bytes = std::fs::read(&path)
        .map_err(|error| syn::Error::new(file.span(), format!("cannot read {}: {error}", path.display())))?;
    let name = file.value();
    let mut includes = Includes::new(folders, &settings.read);
    let source = planish::Source { name: &path.display().to_string(), bytes: &bytes };
    let compiled = compile_with(source, target, &settings, Some(&mut includes));
    let (artifact, _) = compiled.map_err(|error| syn::Error::new(file.span(), shown(&error, &path, &name)))?;
    let code = match String::from_utf8(artifact.bytes) {
        Ok(text) if !target.info().binary => Literal::string(&text),
        Ok(text) => Literal::byte_string(text.as_bytes()),
        Err(binary) => Literal::byte_string(binary.as_bytes()),
    };
    // So that the compiler of Rust knows of the files.
    let read = std::iter::once(path).chain(includes.into_found()).map(|path| path.display().to_string());
    let read = read.map(|path| LitStr::new(&path, Span::call_site()));
    Ok(quote! {{
        #(const _: &[u8] = ::core::include_bytes!(#read);)*
        #code
    }})
}

/// A message about settings in the names that the macro takes.
fn known(message: String) -> String {
    let names = SETTINGS.iter().filter(|setting| setting.name.contains('-'));
    names.fold(message, |message, setting| message.replace(setting.name, &setting.name.replace('-', "_")))
}

/// Errors as for people, with the path of the shader as it was given.
fn shown(error: &Error, path: &Path, name: &str) -> String {
    let errors: Vec<Diagnostic> = error.diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
    let text = Error { diagnostics: errors, map: error.map.clone() }.to_string();
    format!("{name} cannot be compiled\n{}", text.replace(&path.display().to_string(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
    }

    fn error(arguments: &str) -> String {
        expand(arguments.parse().expect("they are tokens"), &root()).expect_err("they are wrong").to_string()
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(error("").contains("expected string literal"));
        assert!(error("\"shaders/none.frag\"").contains("cannot read "));
        assert!(error("\"shaders/sky.frag\" 3").contains("expected `,`"));
        assert!(error("\"shaders/sky.frag\", target = \"wsgl\"").contains("did you mean `wgsl`?"));
        assert!(error("\"shaders/sky.frag\", minfy = true").contains("did you mean `minify`?"));
        assert!(error("\"shaders/sky.frag\", flipy = true").contains("did you mean `flip_y`?"));
        assert!(error("\"shaders/sky.frag\", level = 7").contains("there is no optimization level `7`"));
        assert!(error("\"shaders/sky.frag\", level = 'c'").contains("a setting is a text"));
        assert!(error("\"shaders/sky.frag\", emit = \"wgsl\"").contains("`target`"));
    }

    #[test]
    fn errors_of_the_shader_have_its_lines() {
        let text = error("\"shaders/wrong.frag\"");
        assert!(text.starts_with("shaders/wrong.frag cannot be compiled\nerror[E0301]: unknown name `star`"), "{text}");
        assert!(text.contains("--> shaders/wrong.frag:5:23") && text.contains("stars"), "{text}");
    }

    #[test]
    fn warnings_are_errors_where_they_are_denied() {
        let expanded = expand("\"shaders/unused.frag\"".parse().expect("tokens"), &root());
        assert!(expanded.is_ok(), "it is a warning");
        let text = error("\"shaders/unused.frag\", deny = \"unused-variable\"");
        assert!(text.contains("error[W0101]") || text.contains("error[E0101]"), "{text}");
        assert!(text.contains("shaders/unused.frag:5:11"), "{text}");
    }

    #[test]
    fn all_files_are_known_to_the_compiler() {
        let arguments = "\"shaders/sky.frag\", include_path = \"lib\", define = \"LIBRARY\"".parse().expect("tokens");
        let code = expand(arguments, &root()).expect("it is right").to_string();
        assert_eq!(code.matches("include_bytes").count(), 2, "{code}");
        assert!(code.contains("noise.glsl"), "{code}");
    }
}
