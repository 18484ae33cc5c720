//! Writing as the library does it: what the version lacks becomes what it has, then the back end gets the module.

use planish_back_glsl::{Options, Output, info};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::module::Module;
use planish_opt::{Context, legalize};

/// Legalizes a copy of a module and writes it.
pub(crate) fn write(module: &Module, options: &Options) -> Result<Output, Vec<Diagnostic>> {
    let mut legal = module.clone();
    if let Some(info) = info(options.version, options.es) {
        legalize::run(&mut legal, &info, &mut Context::default())?;
        assert_eq!(planish_ir::verify::verify(&legal), []);
    }
    planish_back_glsl::write(&legal, options)
}
