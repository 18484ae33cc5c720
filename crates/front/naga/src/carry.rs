//! Values that the continuing block of a loop takes from its body.
//!
//! In naga, expressions evaluated in the body of a loop are visible in its continuing block. In the IR they are not,
//! because a `continue` may precede them. Such values are passed in variables; addresses are recomputed.

use naga::{Block, Expression, Handle, Statement};
use rustc_hash::FxHashSet;

/// Expressions that statements of the body (from `skip` on) evaluate and that the continuing block or the condition at
/// its end uses, in the order of their definition.
pub(crate) fn carried(
    expressions: &naga::Arena<Expression>,
    body: &[Statement],
    continuing: &Block,
    break_if: Option<Handle<Expression>>,
) -> Vec<Handle<Expression>> {
    let mut used = Used { expressions, seen: FxHashSet::default() };
    used.block(continuing);
    if let Some(condition) = break_if {
        used.expression(condition);
    }
    if used.seen.is_empty() {
        return Vec::new();
    }
    let mut defined = Vec::new();
    defined_in(body, &mut defined);
    let mut carried: Vec<_> = defined.into_iter().filter(|h| used.seen.contains(h)).collect();
    carried.sort_unstable();
    carried.dedup();
    carried
}

/// Expressions evaluated by statements, and visible after them.
fn defined_in(statements: &[Statement], out: &mut Vec<Handle<Expression>>) {
    for statement in statements {
        match statement {
            Statement::Emit(range) => out.extend(range.clone()),
            Statement::Call { result, .. } | Statement::Atomic { result, .. } => out.extend(*result),
            Statement::WorkGroupUniformLoad { result, .. }
            | Statement::SubgroupBallot { result, .. }
            | Statement::SubgroupGather { result, .. }
            | Statement::SubgroupCollectiveOperation { result, .. } => out.push(*result),
            _ => {}
        }
    }
}

struct Used<'a> {
    expressions: &'a naga::Arena<Expression>,
    seen: FxHashSet<Handle<Expression>>,
}

impl Used<'_> {
    /// Marks an expression and all of its operands, which are older, so that the work list ends.
    fn expression(&mut self, handle: Handle<Expression>) {
        let mut stack = vec![handle];
        while let Some(handle) = stack.pop() {
            if self.seen.insert(handle) {
                for_each_operand(&self.expressions[handle], &mut |operand| stack.push(operand));
            }
        }
    }

    /// Recurses as deep as blocks are nested, which the readers limit.
    fn block(&mut self, block: &[Statement]) {
        for statement in block {
            match statement {
                Statement::Emit(range) => range.clone().for_each(|h| self.expression(h)),
                Statement::Block(inner) => self.block(inner),
                Statement::If { condition, accept, reject } => {
                    self.expression(*condition);
                    self.block(accept);
                    self.block(reject);
                }
                Statement::Switch { selector, cases } => {
                    self.expression(*selector);
                    cases.iter().for_each(|case| self.block(&case.body));
                }
                Statement::Loop { body, continuing, break_if } => {
                    self.block(body);
                    self.block(continuing);
                    break_if.iter().for_each(|c| self.expression(*c));
                }
                Statement::Return { value } => value.iter().for_each(|v| self.expression(*v)),
                Statement::Store { pointer, value } => {
                    self.expression(*pointer);
                    self.expression(*value);
                }
                Statement::ImageStore { image, coordinate, array_index, value } => {
                    [*image, *coordinate, *value].into_iter().for_each(|h| self.expression(h));
                    array_index.iter().for_each(|h| self.expression(*h));
                }
                Statement::Atomic { pointer, fun, value, .. } => {
                    self.expression(*pointer);
                    self.expression(*value);
                    self.atomic(fun);
                }
                Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                    [*image, *coordinate, *value].into_iter().for_each(|h| self.expression(h));
                    array_index.iter().for_each(|h| self.expression(*h));
                    self.atomic(fun);
                }
                Statement::WorkGroupUniformLoad { pointer, .. } => self.expression(*pointer),
                Statement::Call { arguments, .. } => arguments.iter().for_each(|h| self.expression(*h)),
                Statement::SubgroupBallot { predicate, .. } => predicate.iter().for_each(|h| self.expression(*h)),
                Statement::SubgroupGather { mode, argument, .. } => {
                    self.expression(*argument);
                    self.gather(*mode);
                }
                Statement::SubgroupCollectiveOperation { argument, .. } => self.expression(*argument),
                // No operands, or refused when they are lowered.
                _ => {}
            }
        }
    }

    fn gather(&mut self, mode: naga::GatherMode) {
        use naga::GatherMode as Mode;
        match mode {
            Mode::BroadcastFirst | Mode::QuadSwap(_) => {}
            Mode::Broadcast(index)
            | Mode::Shuffle(index)
            | Mode::ShuffleDown(index)
            | Mode::ShuffleUp(index)
            | Mode::ShuffleXor(index)
            | Mode::QuadBroadcast(index) => self.expression(index),
        }
    }

    fn atomic(&mut self, function: &naga::AtomicFunction) {
        if let naga::AtomicFunction::Exchange { compare: Some(compare) } = function {
            self.expression(*compare);
        }
    }
}

/// The operands of an expression.
pub(crate) fn for_each_operand(expression: &Expression, f: &mut dyn FnMut(Handle<Expression>)) {
    let mut each = |operands: &[Option<Handle<Expression>>]| operands.iter().flatten().for_each(|h| f(*h));
    match *expression {
        Expression::Compose { ref components, .. } => components.iter().for_each(|h| f(*h)),
        Expression::Access { base, index } => each(&[Some(base), Some(index)]),
        Expression::AccessIndex { base, .. } => f(base),
        Expression::Splat { value, .. } => f(value),
        Expression::Swizzle { vector, .. } => f(vector),
        Expression::Load { pointer } => f(pointer),
        Expression::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            each(&[Some(image), Some(sampler), Some(coordinate), array_index, offset, depth_ref]);
            match level {
                naga::SampleLevel::Auto | naga::SampleLevel::Zero => {}
                naga::SampleLevel::Exact(h) | naga::SampleLevel::Bias(h) => f(h),
                naga::SampleLevel::Gradient { x, y } => {
                    f(x);
                    f(y);
                }
            }
        }
        Expression::ImageLoad { image, coordinate, array_index, sample, level } => {
            each(&[Some(image), Some(coordinate), array_index, sample, level]);
        }
        Expression::ImageQuery { image, query } => {
            f(image);
            if let naga::ImageQuery::Size { level: Some(level) } = query {
                f(level);
            }
        }
        Expression::Unary { expr, .. } | Expression::Derivative { expr, .. } | Expression::As { expr, .. } => f(expr),
        Expression::Binary { left, right, .. } => each(&[Some(left), Some(right)]),
        Expression::Select { condition, accept, reject } => each(&[Some(condition), Some(accept), Some(reject)]),
        Expression::Relational { argument, .. } => f(argument),
        Expression::Math { arg, arg1, arg2, arg3, .. } => each(&[Some(arg), arg1, arg2, arg3]),
        Expression::ArrayLength(array) => f(array),
        // Leaves, results of statements, and expressions that the lowering refuses.
        _ => {}
    }
}
