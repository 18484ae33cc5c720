//! The processor that runs this program, or another one.

use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};

/// A processor with its features, for which code is generated.
#[derive(Clone)]
pub struct Host(pub(crate) OwnedTargetIsa);

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Host({})", self.0.triple())
    }
}

/// The processor that runs this program.
///
/// # Errors
/// If Cranelift has no code for it: the reason.
pub fn host() -> Result<Host, String> {
    let builder = cranelift_native::builder().map_err(str::to_owned)?;
    builder.finish(settings::Flags::new(flags())).map(Host).map_err(|error| error.to_string())
}

/// Settings common to all processors.
fn flags() -> settings::Builder {
    let mut flags = settings::builder();
    let mut set = |name: &str, value: &str| flags.set(name, value).expect("the setting exists");
    set("opt_level", "speed");
    // Code is moved to where there is room; it contains no address.
    set("is_pic", "true");
    set("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" });
    // Tail calls need them.
    set("preserve_frame_pointers", "true");
    // A large frame touches its pages in order, so that it meets the guard page of the stack.
    set("enable_probestack", "true");
    set("probestack_strategy", "inline");
    flags
}

impl Host {
    /// Name of the processor, system and object format, as in `x86_64-unknown-linux-gnu`.
    pub fn triple(&self) -> String {
        self.0.triple().to_string()
    }

    /// Whether the processor rounds floats by an instruction.
    pub(crate) fn rounds(&self) -> bool {
        let has_sse41 =
            || self.0.isa_flags().iter().any(|flag| flag.name == "has_sse41" && flag.as_bool() == Some(true));
        self.0.name() != "x64" || has_sse41()
    }
}
