//! Writing as in the library: the module is legalized for SPIR-V, then written.

use planish_back_spirv::{INFO, Options, Output};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_opt::{Context, legalize};

/// Legalizes a copy of a module and writes it.
pub(crate) fn write(module: &Module, options: &Options<'_>) -> Result<Output, Vec<Diagnostic>> {
    let mut legal = module.clone();
    legalize::run(&mut legal, &INFO, &mut Context::default())?;
    assert_eq!(planish_ir::verify::verify(&legal), []);
    planish_back_spirv::write(&legal, options)
}
