//! Planish as a library: compiles shaders, WebAssembly and VL through one IR to what their next tool accepts. It reads
//! and writes no files and runs in the browser.
//!
//! In one call:
//!
//! ```
//! use planish::{Settings, Target};
//!
//! let source = "precision mediump float;\nvarying vec2 uv;\nvoid main() { gl_FragColor = vec4(uv, 0.5, 1.0); }";
//! let mut settings = Settings::default();
//! settings.set("level", "2").expect("there is a level 2");
//! match planish::compile("uv.frag", source, Target::Wgsl, &settings) {
//!     Ok(wgsl) => assert!(String::from_utf8_lossy(&wgsl.bytes).contains("@fragment")),
//!     Err(error) => panic!("{error}"),
//! }
//! ```
//!
//! Step by step:
//!
//! ```
//! use planish::{Compiler, EmitOptions, Target, emit};
//!
//! let source = "#version 300 es
//!     precision mediump float;
//!     in vec2 uv;
//!     out vec4 color;
//!     void main() { color = vec4(uv, 0.5, 1.0); }";
//! let mut compiler = Compiler::default();
//! let compilation = compiler.compile("uv.frag", source);
//! for diagnostic in &compilation.diagnostics {
//!     eprint!("{}", planish::render::human(diagnostic, &compiler.map, false));
//! }
//! let module = compilation.module.expect("the shader is valid");
//! let wgsl = emit(&module, Target::Wgsl, &EmitOptions::default()).expect("WGSL can hold it");
//! assert!(String::from_utf8_lossy(&wgsl.bytes).contains("@fragment"));
//! ```

#![forbid(unsafe_code)]

mod comments;
mod compiler;
mod depfile;
mod emit;
mod explain;
mod feature;
mod flattener;
mod flip;
mod floating;
#[cfg(all(feature = "gpu", not(target_family = "wasm")))]
pub mod gpu;
mod hints;
mod kind;
pub mod lanes;
mod levels;
mod link;
mod load;
pub mod optimizer;
mod overrides;
mod place;
mod prelude;
mod program;
pub mod reflection;
pub mod render;
mod settings;
#[cfg(feature = "stage")]
pub mod stage;
mod unused;

pub use comments::keep_comments;
pub use compiler::{Compilation, Compiler, Options};
pub use depfile::{Rule, depfile};
#[cfg(feature = "graphs")]
pub use emit::graph;
pub use emit::{Artifact, EmitOptions, check_machine_code, check_triple, emit, reflect};
pub use explain::explain;
pub use feature::Feature;
pub use flattener::{Flattener, parse_ops};
pub use flip::{FrameHeight, flip_all, flip_frag_coord};
pub use hints::colors;
pub use kind::{INPUTS, InputInfo, InputKind, TARGETS, Target, TargetInfo, stage_from_file, suggest};
pub use levels::{Level, Levels};
pub use link::{Linked, Locations, SharedUniforms, link};
pub use load::{Loaded, load};
pub use optimizer::Optimizer;
pub use overrides::{override_all, set_overrides};
#[cfg(feature = "graphs")]
pub use planish_back_graph as dataflow;
#[cfg(feature = "shaders")]
pub use planish_back_hlsl::ShaderModel;
#[cfg(feature = "shaders")]
pub use planish_back_msl::Version as MslVersion;
#[cfg(feature = "code")]
pub use planish_back_rust::identifier as rust_identifier;
#[cfg(feature = "shaders")]
pub use planish_back_spirv::Version as SpirvVersion;
pub use planish_eval as eval;
pub use planish_flatten as flatten;
#[cfg(feature = "shaders")]
pub use planish_front_glsl::{WebGl, version::Version};
#[cfg(feature = "vl")]
pub use planish_front_vl as vl;
#[cfg(feature = "wasm")]
pub use planish_front_wasm as wasm;
pub use planish_ir as ir;
pub use planish_ir::meaning::parse_scalar;
pub use planish_ir::source::IncludeResolver;
pub use planish_ir::{diagnostic, module, source};
pub use planish_machine as machine;
pub use planish_opt as opt;
pub use planish_opt::{Context, LEVELS, PASSES, Pass, pipeline, run_passes};
pub use planish_vm as vm;
pub use prelude::{PRELUDES, Prelude, text_of_chunk};
pub use program::{Draft, Error, Functions, NumberType, Program, Source, compile, compile_with};
pub use settings::{SETTINGS, Setting, SettingKind, Settings, parse_lanes, parse_location, parse_place};
pub use unused::unused_settings;

/// The page that registries show, whose example is a test.
#[cfg(all(doctest, feature = "shaders"))]
#[doc = include_str!("../README.md")]
struct Readme;
