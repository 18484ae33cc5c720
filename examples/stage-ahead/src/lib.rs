//! Staged functions that the build script has compiled: machine code in this library, and no compiler.
//!
//! ```
//! assert_eq!(stage_ahead::dot(&[1.0, 2.0], &[10.0, 100.0]), 210.0);
//! ```

/// The functions of `kernels.rs`, with their declarations and safe wrappers, as [`planish::stage::Library`] writes them.
#[allow(unsafe_code)]
mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

pub use kernels::{blur, dot, summary, turn};
