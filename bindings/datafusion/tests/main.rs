//! Functions in DataFusion against plain Rust and the engine's own expressions, and on a cluster.

mod aggregates;
mod bytes;
#[cfg(feature = "ballista")]
mod cluster;
mod common;
mod scalars;
mod tpch;
mod windows;
