//! Appends the `return` that naga's validator requires to functions that end with an endless loop.
//!
//! ```text
//! fn f() -> i32 { loop { if c { return 1; } } }     naga: loop { … } return;     ->   loop { … } return i32();
//! ```
//!
//! WGSL accepts such a function, because control does not leave the loop. naga's reader appends an empty `return`,
//! which its validator then refuses. The value is never used. A loop with a `break` is left alone, and so is its error.

use naga::{Expression, Handle, Span, Statement};

/// Mends all functions of a module that was read from WGSL.
pub(crate) fn end_endless_loops(module: &mut naga::Module) {
    let entries = module.entry_points.iter_mut().map(|e| &mut e.function);
    for function in module.functions.iter_mut().map(|(_, f)| f).chain(entries) {
        let Some(ty) = function.result.as_ref().map(|r| r.ty) else { continue };
        let expressions = &mut function.expressions;
        let mut zero = None;
        mend(&mut function.body, &mut || {
            *zero.get_or_insert_with(|| expressions.append(Expression::ZeroValue(ty), Span::UNDEFINED))
        });
    }
}

/// Corrects the end of a block, where naga puts its `return`. Recurses as deep as blocks are nested, which the readers limit.
fn mend(block: &mut naga::Block, zero: &mut dyn FnMut() -> Handle<Expression>) {
    match &mut block[..] {
        [.., Statement::Loop { body, break_if: None, .. }, Statement::Return { value: value @ None }]
            if !leaves(body) =>
        {
            *value = Some(zero());
        }
        [.., Statement::Block(inner)] => mend(inner, zero),
        [.., Statement::If { accept, reject, .. }] => {
            mend(accept, zero);
            mend(reject, zero);
        }
        [.., Statement::Switch { cases, .. }] => cases.iter_mut().for_each(|case| mend(&mut case.body, zero)),
        _ => {}
    }
}

/// Whether the block contains a `break` out of it. Inner loops and switches catch their own.
/// Recursion: as deep as blocks are nested, which the readers limit.
fn leaves(block: &naga::Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break => true,
        Statement::Block(inner) => leaves(inner),
        Statement::If { accept, reject, .. } => leaves(accept) || leaves(reject),
        _ => false,
    })
}
