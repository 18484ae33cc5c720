//! Test scaffolding of several crates: files of the repository, programs and ops to run, engines to run them. A dev-dependency only;
//! integration tests use it, unit tests of `planish-ir` would see a second copy of its types.

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "fields and methods of helpers have names that say it")]

mod files;
#[cfg(feature = "fuzz")]
pub mod fuzz_targets;
pub mod glsl_features;
pub mod nests;
pub mod node;
#[cfg(feature = "fuzz")]
pub mod one_fragment;
#[cfg(feature = "eval")]
pub mod op_cases;
pub mod random_programs;
pub mod run_lines;
pub mod straight_line;
#[cfg(feature = "eval")]
pub mod structured;
#[cfg(feature = "vl")]
pub mod vl;
#[cfg(feature = "wasm")]
pub mod wasm_random;
#[cfg(feature = "wasm")]
pub mod wasm_suite;

pub use files::{SHARE, committed, files, folder, has_tool, is_bless, on_a_stack_of, runs_all, scratch, seeds, share};
