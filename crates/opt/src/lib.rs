//! The optimizer of Planish: passes over the IR, all of them restagings (the old function is interpreted with the
//! builder, which writes a new one), and the pipeline that lists them.

#![forbid(unsafe_code)]

mod analysis;
pub mod approximate_functions;
pub mod bind_slices;
pub mod build_records;
pub mod call_stages;
pub mod combine_samplers;
pub mod context;
pub mod cost;
pub mod differentiate;
pub mod eliminate_dead_code;
pub mod expand_fused_ops;
pub mod flip_fragment_rows;
pub mod fold_uniforms;
pub mod fuse_loops;
pub mod initialize_variables;
pub mod inline_functions;
mod input_parts;
pub mod join_slices;
pub mod leave_loops;
pub mod legalize;
mod limits;
pub mod loop_tail_calls;
pub mod lower_custom_ops;
pub mod lower_growable_arrays;
pub mod lower_halves;
pub mod lower_integers;
pub mod lower_small;
pub mod lower_subgroup_inputs;
pub mod lower_to_scalars;
pub mod narrow_floats;
mod pass;
mod pipeline;
pub mod promote_variables;
pub mod propagate_precision;
pub mod remove_dead_stores;
pub mod remove_unreachable_functions;
pub mod restage;
pub mod return_tail_calls;
mod retype;
pub mod rules;
pub mod sample_textures;
pub mod scalarize_constructors;
pub mod schedule;
pub mod simplify_callees;
pub mod specialize_functions;
pub mod split_array_values;
pub mod split_iterations;
pub mod unroll_loops;
pub mod vectorize_loops;
pub mod widen;

pub use analysis::call_graph;
pub use context::{Context, Goal, Options, Remark, RemarkKind, Stats};
pub use limits::{LIMITS, LimitInfo, Limits};
pub use lower_custom_ops::{IterationBody, LowerSite, Phase, repeat};
pub use pass::{Pass, run_passes};
pub use pipeline::{LEVELS, PASSES, Step, pipeline, steps};
