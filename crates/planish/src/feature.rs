//! Features of this crate: groups of languages that a build can leave out, and engines that it can add.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::source::Span;

use crate::kind::{InputKind, Target};

/// A feature of this crate. A language whose feature is off is known, and refused with E0711.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Feature {
    /// JavaScript, C, Rust and register code out.
    Code,
    /// Dataflow graphs out.
    Graphs,
    /// GLSL, WGSL and SPIR-V in; these, MSL and HLSL out.
    Shaders,
    /// SPIR-V as naga writes it, out.
    SpirvNaga,
    /// WebAssembly in and out.
    Wasm,
    /// VL in.
    Vl,
    /// Object files out; not in a build for WebAssembly.
    Objects,
    /// Shaders on a device; off by default, not in a build for WebAssembly.
    Gpu,
}

impl Feature {
    /// Its name in `Cargo.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Code => "code",
            Feature::Graphs => "graphs",
            Feature::Shaders => "shaders",
            Feature::SpirvNaga => "spirv-naga",
            Feature::Wasm => "wasm",
            Feature::Vl => "vl",
            Feature::Objects => "objects",
            Feature::Gpu => "gpu",
        }
    }

    /// True if this build has it.
    pub fn is_on(self) -> bool {
        match self {
            Feature::Code => cfg!(feature = "code"),
            Feature::Graphs => cfg!(feature = "graphs"),
            Feature::Shaders => cfg!(feature = "shaders"),
            Feature::SpirvNaga => cfg!(feature = "spirv-naga"),
            Feature::Wasm => cfg!(feature = "wasm"),
            Feature::Vl => cfg!(feature = "vl"),
            Feature::Objects => cfg!(all(feature = "objects", not(target_family = "wasm"))),
            Feature::Gpu => cfg!(all(feature = "gpu", not(target_family = "wasm"))),
        }
    }

    /// The error for a language (its name for `--from` or `--emit`) that needs this feature.
    fn missing(self, verb: &str, language: &str) -> Diagnostic {
        let name = self.name();
        Diagnostic::error(Code::E0711, Span::NONE, format!("this build of Planish does not {verb} `{language}`"))
            .help(format!("enable the feature `{name}` of the crate `planish`"))
    }
}

impl InputKind {
    /// The feature that reads it; `None`: every build does.
    pub fn feature(self) -> Option<Feature> {
        match self {
            InputKind::Glsl | InputKind::Wgsl | InputKind::Spirv => Some(Feature::Shaders),
            InputKind::Wasm => Some(Feature::Wasm),
            InputKind::Vl => Some(Feature::Vl),
            InputKind::Ir => None,
        }
    }

    /// E0711 if this build does not read it.
    pub(crate) fn check(self) -> Result<(), Vec<Diagnostic>> {
        match self.feature().filter(|feature| !feature.is_on()) {
            Some(feature) => Err(vec![feature.missing("read", self.info().name)]),
            None => Ok(()),
        }
    }
}

impl Target {
    /// The feature that writes it; `None`: every build does.
    pub fn feature(self) -> Option<Feature> {
        match self {
            Target::Wasm | Target::Wat => Some(Feature::Wasm),
            Target::SpirvNaga => Some(Feature::SpirvNaga),
            Target::Js | Target::AsmJs | Target::Dts | Target::C | Target::Rust => Some(Feature::Code),
            Target::Asm | Target::Alloc => Some(Feature::Code),
            _ if self.is_graph() => Some(Feature::Graphs),
            Target::Analysis => Some(Feature::Vl),
            Target::Object | Target::Header => Some(Feature::Objects),
            _ => self.is_shading_language().then_some(Feature::Shaders),
        }
    }

    /// E0711 if this build does not write it.
    pub(crate) fn check(self) -> Result<(), Vec<Diagnostic>> {
        match self.feature().filter(|feature| !feature.is_on()) {
            Some(feature) => Err(vec![feature.missing("write", self.info().name)]),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{INPUTS, TARGETS};

    #[test]
    fn the_error_names_the_language_and_the_feature() {
        let error = Feature::Wasm.missing("read", "wasm");
        assert_eq!(error.message, "this build of Planish does not read `wasm`");
        assert_eq!(error.help, ["enable the feature `wasm` of the crate `planish`"]);
    }

    #[test]
    fn a_build_with_all_features_refuses_nothing() {
        assert!(INPUTS.iter().all(|info| info.kind.check().is_ok()));
        assert!(TARGETS.iter().all(|info| info.target.check().is_ok()));
    }
}
