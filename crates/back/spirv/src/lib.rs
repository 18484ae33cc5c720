//! From the IR to SPIR-V, binary.
//!
//! [`write()`] takes a module in the placed form. Values become result ids and block inputs become `OpPhi`; only what is a
//! variable in the IR is one in the output. What SPIR-V cannot hold is an error that names the construct and its place in
//! the source.
//!
//! # How the IR's world becomes SPIR-V's
//!
//! - **Structured control.** The IR's constructs are SPIR-V's, merge blocks included. A jump over several constructs,
//!   which SPIR-V (or the readers that matter) does not have, passes the merge blocks on its path a number that selects
//!   the block to go on with; see `control`.
//! - **What SPIR-V lacks, or leaves undefined where the IR does not** (division by zero, shifts by the width, conversions out of
//!   range), is other ops already: the module is legalized for [`INFO`] before. Indices out of bounds are guarded here; see
//!   `places`.
//! - **Combined samplers** stay combined. Arrays of samplers and of blocks are one variable; samplers in structs are
//!   variables of their own.
//! - **Loose uniforms** become members of one uniform block; bindings and locations are those of the
//!   [plan](planish_interface::Plan), so that the reflection describes the output.
//! - **Memory that the host shares** has a type of its own, with offsets and strides, and words for booleans.
//!
//! # Example
//! ```
//! use planish_back_spirv::{Options, write};
//! use planish_ir::source::SourceMap;
//!
//! let text = "module glsl 310 es\n\
//!     var output interface @color: vec4\n\
//!     fn @main() {\nb0:\n  store @color, vec4{0.0, 1.0, 0.0, 1.0}\n  return\n}\n\
//!     entry fragment @main \"main\"\n";
//! let file = SourceMap::new().add("green.ir", text).unwrap();
//! let module = planish_ir::text::parse(&file).unwrap();
//! let output = write(&module, &Options::default()).unwrap();
//! assert_eq!(output.words[0], 0x0723_0203);
//! ```

#![forbid(unsafe_code)]

mod arithmetic;
mod assemble;
mod atomics;
mod builtins;
mod calls;
mod composites;
mod constants;
mod control;
mod entry;
mod function;
mod globals;
mod lines;
mod memory_model;
mod module;
mod nodes;
mod ops;
mod places;
mod spirv_parts;
mod splats;
mod subgroups;
mod textures;
mod types;

pub use ops::INFO;

use planish_interface::{Numbering, Plan};
use planish_ir::custom;
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::{Language, Module};
use planish_ir::source::SourceMap;

/// A version of SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Version {
    /// 1.0, for Vulkan 1.0.
    V1_0,
    /// 1.1
    V1_1,
    /// 1.2
    V1_2,
    /// 1.3, for Vulkan 1.1.
    #[default]
    V1_3,
    /// 1.4
    V1_4,
    /// 1.5, for Vulkan 1.2.
    V1_5,
    /// 1.6, for Vulkan 1.3.
    V1_6,
}

impl Version {
    /// Every version.
    pub const ALL: [Version; 7] =
        [Version::V1_0, Version::V1_1, Version::V1_2, Version::V1_3, Version::V1_4, Version::V1_5, Version::V1_6];

    /// Major and minor number.
    pub const fn number(self) -> (u8, u8) {
        (1, self as u8)
    }

    /// The version that is written so: `1.3`.
    pub fn from_name(name: &str) -> Option<Version> {
        let minor = name.strip_prefix("1.")?;
        Version::ALL.into_iter().find(|v| v.number().1.to_string() == minor)
    }
}

/// Options of [`write()`].
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// The version.
    pub version: Version,
    /// Whether things have their names (`OpName`).
    pub names: bool,
    /// The source, if the output shall hold it with the line of every instruction (`OpSource`, `OpLine`), and the names of values.
    pub lines: Option<&'a SourceMap>,
    /// Negate the y of `gl_Position` at the end of vertex shaders.
    pub flip_y: bool,
    /// Map the depth of `gl_Position` from OpenGL's -w to w to 0 to w at the end of vertex shaders.
    pub adjust_depth: bool,
    /// Numbering of resources, varyings and attributes without a number.
    pub numbering: Numbering,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            version: Version::default(),
            names: true,
            lines: None,
            flip_y: false,
            adjust_depth: false,
            numbering: Numbering::default(),
        }
    }
}

/// Result of [`write()`].
#[derive(Clone, Debug)]
pub struct Output {
    /// The module, in the byte order of the machine.
    pub words: Vec<u32>,
    /// Placement of everything that the host sees.
    pub plan: Plan,
    /// Constructs that were dropped or approximated.
    pub warnings: Vec<Diagnostic>,
}

impl Output {
    /// The module as bytes, little endian.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|w| w.to_le_bytes()).collect()
    }
}

/// Writes all entry points of a module, which is legal for [`INFO`], and all that they reach; time and memory are
/// linear in its size.
///
/// # Errors
/// Constructs that SPIR-V cannot hold, or that are not legal (`E06xx`), each with its place.
pub fn write(module: &Module, options: &Options<'_>) -> Result<Output, Vec<Diagnostic>> {
    custom::check_for(module, Some(Language::Spirv))?;
    let mut options = options.clone();
    if module.has_spirv_parts() {
        let needed = Version::ALL.get(usize::from(module.spirv_needs.minor_version));
        options.version = options.version.max(needed.copied().unwrap_or_default());
    }
    let module = planish_target::jumps::shorten(module, &control::FRAMES);
    module::write(&module, &options)
}
