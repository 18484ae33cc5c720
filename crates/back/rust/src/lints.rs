//! Lints that a function would not pass: about a program that is written so, not about its Rust.

use planish_back_text::Written;
use planish_back_text::tree::{ExprKind, Infix, Stmt};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;

use crate::polish;
use crate::writer::Writer;

/// Constants of `core` that `approx_constant` knows.
const KNOWN: [f64; 20] = {
    use std::f64::consts::{
        E, FRAC_1_PI, FRAC_1_SQRT_2, FRAC_2_PI, FRAC_2_SQRT_PI, FRAC_PI_2, FRAC_PI_3, FRAC_PI_4, FRAC_PI_6, FRAC_PI_8,
        LN_2, LN_10, LOG2_10, LOG2_E, LOG10_2, LOG10_E, PI, SQRT_2, TAU,
    };
    [
        E,
        FRAC_1_PI,
        FRAC_1_SQRT_2,
        FRAC_2_PI,
        FRAC_2_SQRT_PI,
        FRAC_PI_2,
        FRAC_PI_3,
        FRAC_PI_4,
        FRAC_PI_6,
        FRAC_PI_8,
        LN_2,
        LN_10,
        LOG2_10,
        LOG2_E,
        LOG10_2,
        LOG10_E,
        PI,
        SQRT_2,
        TAU,
        // The golden ratio.
        1.618033988749895,
    ]
};

/// The lints of a function, with their paths. It has `own` parameters besides those of the program, slices perhaps.
pub(crate) fn of(w: &Writer<'_>, function: &Written, own: usize, has_slices: bool) -> Vec<&'static str> {
    let func = function.func;
    let mut lints = of_statements(w, function);
    let Some(body) = &w.module.funcs[func].body else { return lints };
    // (Loads that nothing reads are not written.)
    if has_slices {
        lints.push("unused_variables");
    }
    if w.module.funcs[func].params.len() + own > 7 {
        lints.push("clippy::too_many_arguments");
    }
    if w.module.funcs[func].results.len() > 4 {
        lints.push("clippy::type_complexity");
    }
    let calls_itself = |args: &[planish_ir::entity::Value]| args.first().and_then(|arg| arg.as_func()) == Some(func);
    if body.nodes().any(|(node, data)| matches!(data.op, Op::Call | Op::TailCall) && calls_itself(body.args(node))) {
        lints.push("clippy::only_used_in_recursion");
    }
    let number = |value: planish_ir::entity::Value| {
        let constant = value.as_const()?;
        let bits = w.module.consts.as_bits(constant)?;
        match w.scalar(w.module.consts[constant].ty)? {
            Scalar::F32 => Some(f64::from(f32::from_bits(bits as u32))),
            Scalar::F64 => Some(f64::from_bits(bits)),
            Scalar::I32 => Some(f64::from(bits as i32)),
            Scalar::I64 => Some(bits as i64 as f64),
            _ => None,
        }
    };
    let is_negation = |(node, data): (planish_ir::entity::Node, &planish_ir::function::NodeData)| {
        data.op == Op::Multiply && body.args(node).iter().any(|&arg| number(arg) == Some(-1.0))
    };
    if body.nodes().any(is_negation) {
        lints.push("clippy::neg_multiply");
    }
    let is_truth = |arg: &planish_ir::entity::Value| {
        arg.as_const().is_some_and(|c| w.scalar(w.module.consts[c].ty) == Some(Scalar::Bool))
    };
    let chooses = |(node, data): (planish_ir::entity::Node, &planish_ir::function::NodeData)| {
        data.op == Op::Select && body.args(node)[1..].iter().any(is_truth)
    };
    if body.nodes().any(chooses) {
        lints.push("clippy::needless_bool");
    }
    let is_known = |x: f64| KNOWN.iter().any(|known| (x.abs() - known).abs() < 1e-2);
    let mut found = body.nodes().any(|(node, _)| body.args(node).iter().any(|&arg| number(arg).is_some_and(is_known)));
    for block in body.blocks.values() {
        block.exit.for_each_operand(&mut |value| found |= number(value).is_some_and(is_known));
    }
    if found {
        lints.push("clippy::approx_constant");
    }
    lints
}

/// Lints about how a function is written.
fn of_statements(w: &Writer<'_>, function: &Written) -> Vec<&'static str> {
    let mut lints = Vec::new();
    let lists = polish::lists_of(&w.tree, function.body);
    let mut stmts = lists.iter().flat_map(|&list| w.tree.list(list));
    // (The arms of a construct set a variable.)
    if stmts.any(|stmt| matches!(stmt, Stmt::Decl(decl) if decl.init.is_none())) {
        lints.push("clippy::needless_late_init");
    }
    // (Of floats, which may be NaN; the opposite of a comparison of integers is another one.)
    let is_negated = |kind: ExprKind| match kind {
        ExprKind::Prefix("!", e) => {
            matches!(w.tree.kind(e), ExprKind::Infix(Infix::Lt | Infix::Le | Infix::Gt | Infix::Ge, ..))
        }
        _ => false,
    };
    if polish::expressions(&w.tree, function).into_iter().any(is_negated) {
        lints.push("clippy::neg_cmp_op_on_partial_ord");
    }
    if polish::has_same_arms(&w.tree, function) {
        lints.push("clippy::if_same_then_else");
    }
    lints
}
