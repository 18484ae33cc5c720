//! Expands what the target lacks, by the legalizer of the optimizer.
//!
//! ```text
//! with add, subtract and multiply:   lerp(a, b, t)  →  (b - a) * t + a
//! ```
//!
//! It runs after branches became selects, so that `fold` and the later stages see the expansions, and again at the end, since their rules may
//! make other ops.

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::Func;
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_opt::legalize::{Legalize, Missing, is_legal};
use planish_opt::rules::Rules;
use planish_target::legal::TargetInfo;
use planish_target::ops::OpSet;

use crate::options::Options;
use crate::place::order_of;
use crate::rebuild::rebuild_with;

/// Maximum number of steps; expansions are nested less deep.
const MAX_ROUNDS: u32 = 16;

/// Brings a flat function into the ops of the options; returns whether it changed.
///
/// # Errors
/// As [`legalize_for`].
pub fn legalize(module: &mut Module, func: Func, options: &Options) -> Result<bool, Vec<Diagnostic>> {
    let Some(ops) = &options.ops else { return Ok(false) };
    let support = |operation: &_| OpSet::support(ops, operation);
    let target = TargetInfo { name: "the graph", support: &support, is_shading_language: false };
    legalize_for(module, func, options, &target)
}

/// Brings a flat function into the operations of a target; returns whether it changed.
///
/// # Errors
/// An op that the target lacks and that has no expansion (E1105), each op once, at its first place. The function is then valid, and flat, with
/// what could be expanded.
pub fn legalize_for(
    module: &mut Module,
    func: Func,
    options: &Options,
    target: &TargetInfo<'_>,
) -> Result<bool, Vec<Diagnostic>> {
    let rules = Rules::with_sets(&options.optimizer(), &[]);
    let mut changed = false;
    // An expansion may hold what has an expansion itself.
    for _ in 0..MAX_ROUNDS {
        let source = module.funcs[func].body.as_ref().filter(|body| !is_legal(module, body, target));
        let Some(source) = source else { break };
        let order = order_of(module, source, options.barriers);
        let mut stage = Legalize::new(target);
        rebuild_with(module, func, options, &rules, &mut stage, order);
        changed = true;
        if !stage.missing.is_empty() {
            return Err(refusals(&stage.missing));
        }
    }
    Ok(changed)
}

/// Each op once, at its first place.
fn refusals(missing: &[Missing]) -> Vec<Diagnostic> {
    let mut errors: Vec<Diagnostic> = Vec::new();
    for error in missing.iter().map(refused) {
        if !errors.iter().any(|e| e.message == error.message) {
            errors.push(error);
        }
    }
    errors
}

fn refused(missing: &Missing) -> Diagnostic {
    let op = missing.operation.op;
    let message = format!("the graph may not hold {}", missing.operation.text());
    let error = Diagnostic::error(Code::E1105, missing.span, message).label("is not among the ops that are given");
    let quoted = |op: &Op| format!("`{}`", op.info().text);
    // An op that is made of itself on numbers of another width is no help: ops are named without their types.
    match missing.needs.as_deref().filter(|needs| !needs.contains(&op)) {
        None | Some([]) => error.help(format!("add {} to the ops; nothing else computes it", quoted(&op))),
        Some([rest @ .., last]) => {
            let rest: Vec<String> = rest.iter().map(quoted).collect();
            let parts =
                if rest.is_empty() { quoted(last) } else { format!("{} and {}", rest.join(", "), quoted(last)) };
            error.help(format!("add {} to the ops, or {parts}, of which it can be made", quoted(&op)))
        }
    }
}
