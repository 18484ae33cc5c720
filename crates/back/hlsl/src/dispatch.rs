//! The number of work groups, which HLSL has no semantic for: a constant buffer of the host's, as push constants are.

use std::borrow::Cow;

use planish_ir::decoration::{BuiltIn, Decoration, Decorations, Name, NameSource};
use planish_ir::entity::Var;
use planish_ir::module::Module;
use planish_ir::types::AddressSpace;

/// The module with `gl_NumWorkGroups` as a push constant. One that has push constants already stays as it is.
pub(crate) fn with_work_groups(module: &Module) -> Cow<'_, Module> {
    let is_push_constant = |var: &Var| module.vars[*var].space == AddressSpace::PushConstant;
    let is_it = |var: &&Var| module.vars[**var].decorations.builtin() == Some(BuiltIn::NumWorkGroups);
    let Some(&var) = module.globals.iter().find(is_it).filter(|_| !module.globals.iter().any(is_push_constant)) else {
        return Cow::Borrowed(module);
    };
    let mut changed = module.clone();
    let pointer = changed.types.pointer(changed.vars[var].ty, AddressSpace::PushConstant);
    let data = &mut changed.vars[var];
    let others = data.decorations.iter().filter(|d| !matches!(d, Decoration::BuiltIn(_)));
    data.decorations = others.collect::<Decorations>();
    data.name = Name::new("num_work_groups", NameSource::Interface);
    (data.space, data.pointer) = (AddressSpace::PushConstant, pointer);
    Cow::Owned(changed)
}
