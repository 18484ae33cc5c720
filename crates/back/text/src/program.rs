//! From a module to written functions: the steps that all languages have before names are assigned.

use planish_ir::diagnostic::Code;
use planish_ir::entity::Func;
use planish_ir::function::Form;

use crate::dialect::Dialect;
use crate::effects;
use crate::lower::{Written, write_function};
use crate::order;
use crate::shrink;

/// Finds the functions that `roots` reach, in the order in which they are written, and their effects. `main` keeps its
/// place even if a pass has made it. `None` if there are errors.
pub fn order_functions<'m, D: Dialect<'m>>(w: &mut D, roots: &[Func], main: Option<Func>) -> Option<Vec<Func>> {
    let module = w.module;
    let order = order::call_order(module, roots);
    if let Some(func) = order.recursive.filter(|_| !w.abilities.recursion) {
        let data = &module.funcs[func];
        let message = format!("{} has no recursion, but `{}` calls itself", w.target_name, data.name.text);
        w.error(Code::E0608, data.span, message);
        return None;
    }
    let is_placed = |f: Func| module.funcs[f].body.as_ref().is_none_or(|b| b.form == Form::Placed);
    if let Some(&func) = order.functions.iter().find(|&&f| !is_placed(f)) {
        w.internal("the function is not scheduled", module.funcs[func].span);
        return None;
    }
    w.summaries = effects::summaries(module, &order.functions);
    Some(order::source_order(module, &order.functions, main))
}

/// Writes functions, in this order. Those without a body are errors, unless the language [imports](Dialect::imports) them.
/// `None` if there are errors.
pub fn write_functions<'m, D: Dialect<'m>>(w: &mut D, order: &[Func]) -> Option<Vec<Written>> {
    let module = w.module;
    let functions: Vec<Written> = order.iter().filter_map(|&f| write_function(w, f)).collect();
    for &func in order {
        if module.funcs[func].body.is_none() && !w.imports(func) {
            w.unsupported("imported function", module.place_of(func));
        }
    }
    if !w.errors.is_empty() {
        return None;
    }
    if w.minify && w.abilities.declaration_lists {
        functions.iter().for_each(|f| shrink::join_declarations(w, f));
    }
    Some(functions)
}
