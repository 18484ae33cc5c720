//! Lowering as in the library: the module is legalized for the target, then lowered to naga.

use planish_back_naga::{Lowered, Options, info};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_opt::{Context, legalize, remove_unreachable_functions};

/// Legalizes a copy of a module and lowers it.
pub(crate) fn lower(module: &Module, options: &Options) -> Result<Lowered, Vec<Diagnostic>> {
    let mut legal = module.clone();
    remove_unreachable_functions::run(&mut legal, &mut Context::default());
    legalize::run(&mut legal, &info(options.target), &mut Context::default())?;
    assert_eq!(planish_ir::verify::verify(&legal), []);
    planish_back_naga::lower(&legal, options)
}
