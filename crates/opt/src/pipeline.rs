//! The pipelines: which passes run, in which order.

use crate::pass::Pass;
use crate::{
    eliminate_dead_code, expand_fused_ops, fuse_loops, initialize_variables, inline_functions, leave_loops,
    loop_tail_calls, lower_custom_ops, lower_growable_arrays, promote_variables, propagate_precision,
    remove_dead_stores, remove_unreachable_functions, return_tail_calls, scalarize_constructors, schedule,
    simplify_callees, specialize_functions, unroll_loops, vectorize_loops,
};

/// Every pass there is.
pub static PASSES: &[Pass] = &[
    Pass {
        name: "remove_unreachable_functions",
        about: "removes functions that no entry point calls",
        run: remove_unreachable_functions::run,
    },
    Pass {
        name: "scalarize_constructors",
        about: "converts the operands of constructors to the component type",
        run: scalarize_constructors::run,
    },
    Pass {
        name: "remove_dead_stores",
        about: "removes stores that are overwritten, or end, before anything reads them",
        run: remove_dead_stores::run,
    },
    Pass {
        name: "eliminate_dead_code",
        about: "removes nodes, stores and constructs that nothing needs",
        run: eliminate_dead_code::run,
    },
    Pass {
        name: "propagate_precision",
        about: "gives values without a precision that of their use",
        run: propagate_precision::run,
    },
    Pass {
        name: "promote_variables",
        about: "promotes variables to values, and applies the rewrite rules",
        run: promote_variables::run,
    },
    Pass {
        name: "simplify_callees",
        about: "promotes variables to values in functions that may become small enough to inline",
        run: simplify_callees::run,
    },
    Pass { name: "loop_tail_calls", about: "turns self tail calls into loops", run: loop_tail_calls::run },
    Pass {
        name: "leave_loops",
        about: "breaks out of a loop directly where only the exit of the enclosing block follows",
        run: leave_loops::run,
    },
    Pass {
        name: "return_tail_calls",
        about: "returns the results of tail calls directly",
        run: return_tail_calls::run,
    },
    Pass { name: "inline_functions", about: "inlines functions", run: inline_functions::run },
    Pass {
        name: "specialize_functions",
        about: "specializes functions to their calls: copies for constant arguments, no constant and unused parameters, no unused results",
        run: specialize_functions::run,
    },
    Pass { name: "unroll_loops", about: "unrolls loops with few iterations", run: unroll_loops::run },
    Pass { name: "schedule", about: "moves every node to where it runs least often", run: schedule::run },
    Pass {
        name: "initialize_variables",
        about: "sets variables without an initializer to zero",
        run: initialize_variables::run,
    },
    Pass {
        name: "lower_custom_ops",
        about: "lowers custom ops: those of the first phase that has any",
        run: lower_custom_ops::run,
    },
    Pass { name: "fuse_loops", about: "runs loops over the same elements together", run: fuse_loops::run },
    Pass {
        name: "lower_growable_arrays",
        about: "puts growable arrays into a byte memory",
        run: lower_growable_arrays::run_where_possible,
    },
    Pass {
        name: "vectorize_loops",
        about: "runs several iterations of a loop at once, where they are independent",
        run: vectorize_loops::run,
    },
    Pass {
        name: "expand_fused_ops",
        about: "expands the fused ops of flattening into multiplications and additions",
        run: expand_fused_ops::run,
    },
];

/// The optimization levels, as `-O` takes them.
pub const LEVELS: &[&str] = &["0", "1", "2", "s"];

/// A step of a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// One pass, by name.
    Once(&'static str),
    /// Passes, by name, repeated in order until none of them changes anything, up to the given number of times. Functions converge one by
    /// one: a pass skips those in which it found nothing more to do and that no other pass has changed since.
    Repeat(u32, &'static [&'static str]),
}

use Step::{Once, Repeat};

/// `-O0` changes nothing; `-O1` runs the passes that clean every target's output.
const O1: &[Step] = &[Once("remove_unreachable_functions"), Once("eliminate_dead_code"), Once("propagate_precision")];

/// The passes that search the whole module for what others have left to them.
pub(crate) const SEARCHES: &[&str] =
    &["inline_functions", "specialize_functions", "unroll_loops", "remove_dead_stores"];

/// `-O2` and `-Os` make the program better; they differ in [`crate::Goal`].
const O2: &[Step] = &[
    Once("remove_unreachable_functions"),
    // The other functions are simplified together with the calls inlined into them.
    Once("simplify_callees"),
    // Recursion that a constant ends is no loop.
    Once("specialize_functions"),
    // A loop can be inlined.
    Once("loop_tail_calls"),
    // Functions that have become small are inlined, those with constant arguments specialized; with fewer variables in
    // memory, the next iteration has a freer hand.
    Repeat(
        3,
        &[
            "inline_functions",
            "remove_unreachable_functions",
            "specialize_functions",
            "unroll_loops",
            "remove_dead_stores",
        ],
    ),
    Once("fuse_loops"),
    Once("eliminate_dead_code"),
    // Variables that nothing names any more.
    Once("remove_unreachable_functions"),
    Once("leave_loops"),
    // After all that merges several exits into one.
    Once("return_tail_calls"),
    Once("propagate_precision"),
];

/// The steps of a level; `None` if there is no such level.
pub fn steps(level: &str) -> Option<&'static [Step]> {
    match level {
        "0" => Some(&[]),
        "1" => Some(O1),
        "2" | "s" => Some(O2),
        _ => None,
    }
}

/// The passes of a level in the order they run, repeated ones as often as they may; `None` if there is no such level.
/// [`run_passes`](crate::run_passes) skips iterations in which nothing is left to change.
pub fn pipeline(level: &str) -> Option<Vec<&'static Pass>> {
    let names = steps(level)?.iter().flat_map(|step| match step {
        Once(name) => vec![*name],
        Repeat(most, names) => names.repeat(*most as usize),
    });
    Some(names.map(|name| PASSES.iter().find(|p| p.name == name).expect("the pipeline names passes")).collect())
}
