//! Flattening: functions as straight-line dataflow without branches and calls, for targets that need this form (shader
//! graphs, node materials, SIMD lanes, tapes, circuits).
//!
//! The stages, each of which takes and returns a valid, placed function, so that a back end can run them separately:
//!
//! ```text
//! lower     calls inlined, loops unrolled, branches predicated: one block
//! fold      the rules of the optimizer, to a fixpoint
//! optimize  uniform values once per draw; common subexpressions
//! fuse      mad, lerp, dot, hadd, isomorphic lanes
//! pack      isomorphic scalars as vectors
//! ```

#![forbid(unsafe_code)]

pub mod checker;
pub mod dynamic;
mod fold;
mod fuse;
mod legalize;
mod lower;
pub mod names;
mod optimize;
mod options;
mod place;
mod rebuild;
mod same;
mod sharing;
mod stages;
pub mod uses;

use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::Func;
use planish_ir::module::Module;

pub use checker::{Residual, fold_residuals, optimize_residuals};
pub use dynamic::DYNAMIC;
pub use legalize::{legalize, legalize_for};
pub use lower::{is_flat, lower};
pub use options::{Leaf, Options, Visible, mark_leaves};
pub use planish_target::ops::{OpSet, UnknownOp};
pub use stages::{STAGES, Stage, stage};

/// Flattens a function in place, through all stages, or through `until` inclusive. `after` is called after each stage
/// with its name.
///
/// # Errors
/// Constructs that cannot be flattened (E1101 to E1107), each with its location; the function is then unchanged.
///
/// # Example
/// ```
/// use planish_flatten::{Options, flatten};
/// use planish_ir::text::{parse_str, print};
///
/// let text = "module ir\n\nfn @shade(%0 x: f32) -> (f32) {\nb0:\n  %1 = greater_than %0, 0.5\n  if %1 {\n  then b1:\n    \
///             return 1.0\n  else b2:\n    merge\n  }\nb3:\n  return %0\n}\n";
/// let mut module = parse_str(text).unwrap();
/// let shade = module.funcs.keys().next().unwrap();
/// flatten(&mut module, shade, &Options::default(), None, &mut |_, _| {}).unwrap();
/// assert!(print(&module).contains("select %1, 1.0, %0"));
/// ```
pub fn flatten(
    module: &mut Module,
    func: Func,
    options: &Options,
    until: Option<&str>,
    after: &mut dyn FnMut(&'static str, &Module),
) -> Result<(), Vec<Diagnostic>> {
    for stage in STAGES {
        (stage.run)(module, func, options)?;
        after(stage.name, module);
        if until == Some(stage.name) {
            break;
        }
    }
    Ok(())
}

/// Adds a copy of a function to the module, to be flattened while the original stays. Its name is that of the function
/// with `_flat`, and a number if the module has that name.
pub fn twin(module: &mut Module, func: Func) -> Func {
    let mut function = module.funcs[func].clone();
    let wanted = format!("{}_flat", function.name.text);
    let is_taken = |name: &str| module.funcs.values().any(|f| &*f.name.text == name);
    let numbered = (1..).map(|n| format!("{wanted}_{n}"));
    let name = std::iter::once(wanted.clone()).chain(numbered).find(|name| !is_taken(name));
    function.name.text = name.expect("some number is free").into();
    let body = function.body.take();
    let results = function.results.clone();
    let twin = module.add_func(function.name, function.params, results, function.span);
    module.funcs[twin].decorations = function.decorations;
    module.funcs[twin].body = body;
    twin
}
