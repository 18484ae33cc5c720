//! The optimizer of Planish: passes over the IR, all of them restagings (the old function is interpreted with the
//! builder, which writes a new one), and the pipeline that lists them.

#![forbid(unsafe_code)]

pub mod context;
pub mod eliminate_dead_code;
pub mod initialize_variables;
mod limits;
mod pass;
mod pipeline;
pub mod propagate_precision;
pub mod remove_unreachable_functions;
pub mod restage;
pub mod rules;
pub mod scalarize_constructors;

pub use context::{Context, Goal, Options, Remark, RemarkKind, Stats};
pub use limits::{LIMITS, LimitInfo, Limits};
pub use pass::{Pass, run_passes};
pub use pipeline::{LEVELS, PASSES, pipeline};
