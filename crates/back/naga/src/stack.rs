//! Nesting. naga's validator and writers recurse into the blocks of a function: the nesting depth is bounded here, and
//! functions that are deeper than usual run on a stack of their own, large enough for the maximum depth.

use planish_ir::module::Module;
use planish_ir::walk::{self, Event};

use crate::Target;

/// Bytes of that stack.
const STACK: usize = 32 << 20;

/// Nesting depth for which the stack of any thread is large enough.
const SHALLOW: u32 = 12;

impl Target {
    /// Maximum nesting depth of braces, from those of the function on. WGSL's own limit (section 2.4) is 127; those of
    /// SPIR-V's readers are at 256.
    pub(crate) const fn most_braces(self) -> u32 {
        match self {
            Target::Wgsl => 127,
            Target::Spirv => 250,
        }
    }
}

/// Whether some function has constructs so deep that they need the stack of [`with_stack`].
pub(crate) fn is_deep(module: &Module) -> bool {
    let bodies = module.funcs.values().filter_map(|f| f.body.as_ref());
    let mut events = bodies.flat_map(|body| walk::events(body, body.entry));
    events.any(|event| matches!(event, Event::Enter { depth, .. } if depth > SHALLOW))
}

/// Does some work with that stack.
pub(crate) fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    planish_ir::stack::with_stack(STACK, work)
}
