//! Gives every variable of a function and every private variable without an initializer the value zero, so
//! that no target reads their former content. Not part of a level: asked for by `--passes`.
//!
//! ```text
//! before: declare v1                          after: declare v1 = 0.0
//! ```
//!
//! Holds before: a valid module. Left alone: types without constants (images, samplers), and variables whose first value is imported or
//! computed.

use planish_ir::entity::Var;
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;

use crate::context::Context;

/// Runs on the module.
pub fn run(module: &mut Module, context: &mut Context) {
    let vars: Vec<Var> = module.vars.keys().collect();
    for var in vars {
        let data = &module.vars[var];
        let own = matches!(data.space, AddressSpace::Function | AddressSpace::Private);
        let linkage = data.linkage.as_ref();
        let begins_otherwise = linkage.is_some_and(|linkage| linkage.import.is_some() || linkage.computed.is_some());
        if own && data.initializer.is_none() && !begins_otherwise {
            let ty = data.ty;
            context.changed();
            module.vars[var].initializer = module.consts.zero(&mut module.types, ty);
        }
    }
}
