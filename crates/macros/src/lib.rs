//! Shaders compiled where they are used: [`include_shader!`].
//!
//! For a whole folder with types for what shaders share with the host, there is the crate `planish-build`.

#![forbid(unsafe_code)]

mod expand;

use std::path::PathBuf;

/// The code of a shader, compiled when the crate is: a `&'static str`, or a `&'static [u8; N]` of SPIR-V and other binary targets.
///
/// The path begins at the folder of the crate's `Cargo.toml`, and selects language and stage by its extension. `target` is any target
/// that `planish targets` lists; WGSL without it. Other settings have the names of the options of `planish compile`, with `_` for `-`
/// (`level` for `-O`, `2` without it): a text, a number, or `true`; those that may be given several times are. `include_path` is a folder for `#include`, after that of the
/// including file.
///
/// The crate is compiled again when one of the files changes that were read. Errors of the shader are errors of the compilation, with
/// its lines; so are warnings that `deny` names.
///
/// ```
/// let wgsl: &str = planish_macros::include_shader!("tests/shaders/sky.frag");
/// assert!(wgsl.contains("@fragment"));
///
/// let spirv: &[u8] = planish_macros::include_shader!("tests/shaders/sky.frag", target = "spirv", define = "STARS=3");
/// assert_eq!(spirv[..4], 0x0723_0203_u32.to_le_bytes());
/// ```
///
/// ```compile_fail
/// let missing = planish_macros::include_shader!("tests/shaders/none.frag");
/// ```
#[proc_macro]
pub fn include_shader(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    // Cargo sets it; without Cargo the path begins at the current folder.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    expand::expand(input.into(), &root).unwrap_or_else(|error| error.into_compile_error()).into()
}
