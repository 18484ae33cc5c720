//! Table of the stages in order: name, description, function.

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::module::Module;

use crate::options::Options;

/// A stage of flattening: valid, placed functions with the same meaning before and after.
#[derive(Clone, Copy)]
pub struct Stage {
    /// Name of the stage, its file, its test folder, and for `--after=`.
    pub name: &'static str,
    /// Description, one sentence.
    pub about: &'static str,
    /// Transforms one function. Returns whether it changed; on error it is unchanged.
    pub run: fn(&mut Module, Func, &Options) -> Result<bool, Vec<Diagnostic>>,
}

impl std::fmt::Debug for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Every stage, in order.
pub static STAGES: &[Stage] = &[
    Stage {
        name: "lower",
        about: "inlines calls, unrolls loops, and turns branches into selects",
        run: crate::lower::lower,
    },
    Stage {
        name: "fold",
        about: "applies rules, collects terms and removes products with zero, to a fixpoint",
        run: crate::fold::fold,
    },
    Stage {
        name: "optimize",
        about: "groups uniform operands and shares common subexpressions, to a fixpoint",
        run: crate::optimize::optimize,
    },
    Stage {
        name: "fuse",
        about: "fuses products and sums, and sums of components, into combined operations",
        run: crate::fuse::run,
    },
    Stage {
        name: "pack",
        about: "turns isomorphic scalar operations into vector operations",
        run: crate::fuse::run_pack,
    },
];

/// The stage of this name; `None` if there is none.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().find(|s| s.name == name)
}
