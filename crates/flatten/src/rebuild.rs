//! One step over a flat function: it is read in order and written again, floating and value-numbered, through a stage
//! and rule sets, and placed again.

use planish_ir::builder::Policy;
use planish_ir::entity::Func;
use planish_ir::function::Form;
use planish_ir::module::Module;
use planish_opt::restage::{Stage, restage};
use planish_opt::rules::Rules;
use planish_opt::{Context, schedule};

use crate::options::Options;
use crate::place::{Order, place};

/// Rewrites `func` through `stage`; new nodes are folded, value-numbered, and rewritten by the rules, and placed in the
/// given order.
pub(crate) fn rebuild_with(
    module: &mut Module,
    func: Func,
    options: &Options,
    rules: &Rules,
    stage: &mut dyn Stage,
    order: Order,
) {
    let policy = Policy { form: Form::Floating, fold: true, share: true, rules: Some(rules) };
    restage(module, func, policy, stage);
    if !place(module, func, order) {
        schedule::place(module, func, &mut Context::new(options.optimizer()));
    }
}
