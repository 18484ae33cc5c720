//! Lowering as the library does it: operations that the target lacks are expanded, then naga gets the module.

use planish_back_naga::{Lowered, Options, info};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_opt::{Context, legalize};

/// Legalizes a copy of a module and lowers it.
pub(crate) fn lower(module: &Module, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let mut legal = module.clone();
    legalize::run(&mut legal, &info(options.target), &mut Context::default())?;
    planish_back_naga::lower(&legal, options)
}
