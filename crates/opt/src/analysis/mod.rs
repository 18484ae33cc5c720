//! Analyses: properties of functions and modules that passes ask for. They change nothing, and no analysis knows a pass.

pub mod call_graph;
pub(crate) mod needs;
pub(crate) mod reachable;
pub(crate) mod summaries;
