//! The processor that runs this program, or another one.

use std::str::FromStr;

use cranelift_codegen::isa::{self, CallConv, LookupError, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use target_lexicon::{Architecture, BinaryFormat, Triple};

use crate::body::is_riscv;

/// A processor with its features, for which code is generated.
#[derive(Clone)]
pub struct Host(pub(crate) OwnedTargetIsa, Option<Box<Host>>);

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
    let mut as_placed = flags();
    as_placed.set("opt_level", "none").map_err(|error| error.to_string())?;
    let isa = |flags| -> Result<OwnedTargetIsa, String> {
        let builder = cranelift_native::builder().map_err(str::to_owned)?;
        builder.finish(settings::Flags::new(flags)).map_err(|error| error.to_string())
    };
    Ok(Host(isa(flags())?, Some(Box::new(Host(isa(as_placed)?, None)))))
}

/// A processor and system by name, as in `aarch64-apple-darwin`: with the features that all of its kind have, and on
/// `x86_64` those of 2009 (SSE4.2, `popcnt`).
///
/// # Errors
/// If the name is unknown, or this build has no code for it: the reason.
pub fn target(triple: &str) -> Result<Host, String> {
    let triple = Triple::from_str(triple).map_err(|error| error.to_string())?;
    let is_known = matches!(triple.binary_format, BinaryFormat::Elf | BinaryFormat::Macho | BinaryFormat::Coff);
    if !is_known {
        return Err(format!("it names no system with object files: `{triple}`"));
    }
    let is_x86 = triple.architecture == Architecture::X86_64;
    let mut builder = isa::lookup(triple.clone()).map_err(|error| match error {
        LookupError::SupportDisabled => {
            format!("this build has no code for {}: enable the feature `cross`", triple.architecture)
        }
        LookupError::Unsupported => format!("there is no code for {}", triple.architecture),
    })?;
    let features: &[&str] =
        if is_x86 { &["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] } else { &[] };
    for feature in features {
        builder.enable(feature).map_err(|error| error.to_string())?;
    }
    let mut flags = flags();
    if !has_near_data(&triple) {
        flags.set("is_pic", "false").map_err(|error| error.to_string())?;
    }
    builder.finish(settings::Flags::new(flags)).map(|isa| Host(isa, None)).map_err(|error| error.to_string())
}

/// Whether code of object files addresses data by its distance. For `aarch64`, `cranelift-object` writes no such
/// relocations of COFF: there code has addresses.
fn has_near_data(triple: &Triple) -> bool {
    triple.binary_format != BinaryFormat::Coff || triple.architecture == Architecture::X86_64
}

/// The name of the processor and system that run this program.
pub fn native_triple() -> String {
    Triple::host().to_string()
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
    /// The same, with nodes left where they are. Cranelift otherwise takes an operation with a constant operand out of one loop only,
    /// and puts it into the loops around that one.
    pub(crate) fn as_placed(&self) -> &Host {
        self.1.as_deref().unwrap_or(self)
    }

    /// Name of the processor, system and object format, as in `x86_64-unknown-linux-gnu`.
    pub fn triple(&self) -> String {
        self.0.triple().to_string()
    }

    /// Whether the processor rounds floats by an instruction.
    pub(crate) fn rounds(&self) -> bool {
        self.0.name() != "x64" || self.has("has_sse41")
    }

    /// Whether the processor selects lanes by the highest bit of each in one instruction.
    pub(crate) fn blends(&self) -> bool {
        self.0.name() == "x64" && self.has("has_sse41")
    }

    /// Whether code may use vectors of 256 bits ([`crate::Options::wide_vectors`]).
    pub fn has_wide_vectors(&self) -> bool {
        let features = ["has_avx2", "has_bmi1", "has_bmi2", "has_lzcnt", "has_popcnt"];
        let is_unix = self.0.default_call_conv() == CallConv::SystemV;
        is_unix && self.0.name() == "x64" && features.iter().all(|feature| self.has(feature))
    }

    /// Whether code of its object files addresses data by its distance.
    pub(crate) fn has_near_data(&self) -> bool {
        has_near_data(self.0.triple())
    }

    /// Whether it has vectors of 128 bits.
    pub(crate) fn has_vectors(&self) -> bool {
        !is_riscv(&*self.0) || self.has("has_v")
    }

    fn has(&self, feature: &str) -> bool {
        self.0.isa_flags().iter().any(|flag| flag.name == feature && flag.as_bool() == Some(true))
    }
}
