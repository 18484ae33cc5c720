//! Floating functions: passes and writers need placed ones. Front ends emit only those, but a program in the text form
//! may be floating.

use planish_ir::entity::Func;
use planish_ir::function::Form;
use planish_ir::module::Module;
use planish_opt::{Context, schedule};

fn floating(module: &Module) -> impl Iterator<Item = Func> {
    let is_floating = |f: &planish_ir::function::Function| f.body.as_ref().is_some_and(|b| b.form == Form::Floating);
    module.funcs.iter().filter(move |(_, f)| is_floating(f)).map(|(func, _)| func)
}

/// Whether any function is floating.
pub(crate) fn is_any(module: &Module) -> bool {
    floating(module).next().is_some()
}

/// Places the functions that float.
pub(crate) fn place_all(module: &mut Module) {
    let funcs: Vec<Func> = floating(module).collect();
    for func in funcs {
        schedule::place(module, func, &mut Context::default());
    }
}
