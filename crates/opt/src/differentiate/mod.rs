//! Writes the bodies of derivatives that a program asks for ([`Derivatives`]).
//!
//! ```text
//! fn @f(%0: f64) -> (f64) { %1 = multiply %0, %0; return %1 }
//!
//! forward: fn @f_forward(%0: f64, %1: f64) -> (f64, f64)      value and tangent
//! reverse: fn @f_reverse(%0: f64, %1: f64) -> (f64, f64)      value, and adjoint of the parameter by that of the result
//! ```
//!
//! **Forward mode** (`forward`) is the function again, with the same control flow, in which each float that changes has its tangent beside it.
//!
//! **Reverse mode** is two sweeps in one function. The forward sweep (`sweep`) is the function again; what the other one needs, it keeps in
//! variables (`plan` decides what: values in partial derivatives, conditions, by which exit a construct was left, numbers of iterations). Where
//! a variable is written repeatedly, in a loop, its old value is put on a *tape* first, a growable array. The backward sweep (`reverse`) is
//! the function's control flow backwards, a construct for a construct: it undoes each write of a kept variable where it passes it, so at
//! each point all variables have the values that they had there, and the tapes are stacks. It adds to *adjoints*, variables too; lists and
//! slices have arrays of adjoints beside them.
//!
//! A call keeps its arguments only: the backward sweep calls the derivative of the callee, which makes its own forward sweep.
//!
//! The pass runs before all others, as functions without bodies mean nothing to them. It relies on them for the rest: variables become values,
//! derivatives are inlined, what is not needed goes.

mod activity;
mod adjoints;
mod forward;
mod linear;
mod plan;
mod reverse;
mod rules;
mod sweep;

use std::collections::VecDeque;

use planish_ir::builder::Builder;
use planish_ir::decoration::{Name, NameSource};
use planish_ir::derivative::{Derivative, DerivativeMode, Derivatives, Signature};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{CustomOp, Func, Node, Type, Value, Var};
use planish_ir::function::{Body, Exit, Param, ResultType, TrapKind};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, Scalar};
use planish_ir::walk;
use rustc_hash::{FxHashMap, FxHashSet};

use activity::Activity;
use rules::{Rule, number, rule};

/// Derivatives of derivatives: more are taken to be without end.
const MOST_ORDERS: u32 = 8;
/// Nested constructs.
const MOST_NESTING: usize = 500;

/// Derivatives of functions that are called, with respect to all parameters, and of ops of the user's own.
#[derive(Default)]
pub(crate) struct Known {
    forward: FxHashMap<Func, Func>,
    reverse: FxHashMap<Func, Func>,
    partials: FxHashMap<CustomOp, Func>,
}

impl Known {
    fn partials_of(&self, imm: Imm) -> Option<Func> {
        self.partials.get(&imm.as_custom().0).copied()
    }
}

/// Writes all derivatives that are asked for, and those of the functions that they call.
///
/// # Errors
/// E1408: operations without a derivative, each with its place. The module is not complete then.
pub fn run(module: &mut Module, derivatives: &Derivatives) -> Result<(), Vec<Diagnostic>> {
    let mut known = Known { partials: derivatives.partials.iter().copied().collect(), ..Known::default() };
    let mut waiting: VecDeque<Derivative> = derivatives.requests.iter().cloned().collect();
    let mut orders: FxHashMap<Func, u32> = FxHashMap::default();
    let mut errors = Vec::new();
    for request in &waiting {
        note(&mut known, request);
    }
    let mut passed_over = 0;
    while let Some(request) = waiting.pop_front() {
        if module.funcs[request.of].body.is_none() {
            if module.func_imports.iter().any(|(func, _)| *func == request.of) {
                errors.push(refused(request.span, "a function of the host has no derivative"));
                continue;
            }
            passed_over += 1;
            if passed_over > waiting.len() + 1 {
                errors.push(refused(request.span, "this derivative needs itself"));
                break;
            }
            waiting.push_back(request);
            continue;
        }
        passed_over = 0;
        if calls(module, request.of, &mut |_, callee| callee == Some(request.func)) {
            errors.push(refused(request.span, "this derivative needs itself"));
            continue;
        }
        let order = orders.get(&request.of).map_or(1, |order| order + 1);
        if order > MOST_ORDERS {
            errors.push(refused(request.span, "derivatives of derivatives are needed without end"));
            break;
        }
        orders.insert(request.func, order);
        match write(module, &request, &mut known) {
            Ok(more) => waiting.extend(more),
            Err(found) => errors.extend(found),
        }
    }
    errors.dedup();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Calls of a function use the derivative that was asked for, if it is of the form that calls need.
fn note(known: &mut Known, request: &Derivative) {
    if request.slices.is_empty() && request.wrt.iter().all(|&counts| counts) {
        match request.mode {
            DerivativeMode::Forward => known.forward.insert(request.of, request.func),
            DerivativeMode::Reverse => known.reverse.insert(request.of, request.func),
            DerivativeMode::Slope | DerivativeMode::Gradient => None,
        };
    }
}

fn refused(span: Span, message: &str) -> Diagnostic {
    Diagnostic::error(Code::E1408, span, message)
}

/// Writes one derivative; those that it needs besides.
fn write(module: &mut Module, request: &Derivative, known: &mut Known) -> Result<Vec<Derivative>, Vec<Diagnostic>> {
    let source = module.funcs[request.of].body.clone().expect("it has one");
    let tree = Tree::new(&source);
    let inputs = &source.blocks[source.entry].inputs;
    let wrt: Vec<bool> = (0..inputs.len()).map(|index| request.wrt.get(index).copied().unwrap_or(true)).collect();
    let memories = request.slices.iter().map(|slice| slice.memory).collect();
    let activity = Activity::of(module, &source, &tree, &wrt, memories);
    let errors = refusals(module, &source, &activity, request.mode.is_forward(), known);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut more = Vec::new();
    for node in walk::blocks(&source).flat_map(|block| source.blocks[block].nodes.iter().copied()) {
        let is_needed = source.results(node).any(|result| match request.mode.is_forward() {
            true => activity.is_varied(result),
            false => activity.is_active(result),
        });
        if let Some(callee) = source.callee(node).filter(|_| is_needed) {
            more.extend(derivative_of(module, callee, request.mode, source.node(node).span, known));
        }
    }
    if request.mode.is_forward() {
        forward::write(module, request, &source, &activity, known);
    } else {
        let plan = plan::Plan::of(module, request, &source, tree, &activity);
        reverse::write(module, request, &plan, known);
    }
    Ok(more)
}

/// Declares the derivative of a function that is called, unless there is one.
fn derivative_of(
    module: &mut Module,
    of: Func,
    mode: DerivativeMode,
    span: Span,
    known: &mut Known,
) -> Option<Derivative> {
    let (map, mode) = match mode.is_forward() {
        true => (&mut known.forward, DerivativeMode::Forward),
        false => (&mut known.reverse, DerivativeMode::Reverse),
    };
    if map.contains_key(&of) {
        return None;
    }
    let func = declare(module, of, mode);
    map.insert(of, func);
    Some(Derivative { func, of, mode, wrt: Vec::new(), slices: Vec::new(), span })
}

/// Declares a derivative with respect to all parameters.
fn declare(module: &mut Module, of: Func, mode: DerivativeMode) -> Func {
    let Signature { params, results, .. } = Signature::of(module, of, mode, &[], &[]);
    let function = &module.funcs[of];
    let param = |(index, ty)| Param { span: function.span, ..Param::new(Name::temporary(format!("x{index}")), ty) };
    let params = params.into_iter().enumerate().map(param).collect();
    let results = results.into_iter().map(ResultType::new).collect();
    let span = function.span;
    let name = Name::new(format!("{}_{}", function.name.text, mode.suffix()), NameSource::Internal);
    module.add_func(name, params, results, span)
}

fn is_float(module: &Module, ty: Type) -> bool {
    module.types.scalar_of(ty).is_some_and(Scalar::is_float)
}

/// Whether a parameter has a tangent, or an adjoint.
fn has_tangent(module: &Module, request: &Derivative, index: usize, ty: Type) -> bool {
    request.wrt.get(index).copied().unwrap_or(true) && is_float(module, ty)
}

/// The memory argument for the shadow of a slice.
fn with_memory(request: &Derivative, imm: Imm) -> Option<Imm> {
    let mut arg = imm.as_mem_arg();
    arg.memory = request.slices.iter().find(|slice| slice.memory == arg.memory)?.shadow;
    Some(arg.into())
}

/// Stops unless a slice and its shadow have as many elements.
fn check_length(b: &mut Builder<'_, '_>, slice: usize, shadow: usize) {
    let lengths = [b.param(slice), b.param(shadow)];
    let differ = b.op(Op::NotEqual, &lengths);
    let arms = b.if_(differ);
    b.switch_to(arms.then);
    b.exit(Exit::Trap(TrapKind::OutOfBoundsMemory));
    b.switch_to(arms.otherwise);
    b.merge(&[]);
    b.switch_to(arms.merge);
}

/// A new variable of a function; the caller declares it.
fn variable(b: &mut Builder<'_, '_>, name: &str, ty: Type, initial: Option<Value>) -> Var {
    let var = b.module.add_var(Name::new(name, NameSource::Internal), ty, AddressSpace::Function);
    b.module.vars[var].initializer = initial.and_then(|value| value.as_const());
    var
}

/// A variable like one of the function that the derivative is of; the caller declares it.
fn same_variable(b: &mut Builder<'_, '_>, var: Var) -> Var {
    let data = b.module.vars[var].clone();
    let new = b.module.add_var(data.name, data.ty, AddressSpace::Function);
    let copy = &mut b.module.vars[new];
    (copy.initializer, copy.span, copy.decorations) = (data.initializer, data.span, data.decorations);
    new
}

/// The variable for tangents or adjoints of what a variable of floats holds; `None` for other variables.
fn shadow_var(b: &mut Builder<'_, '_>, var: Var, initial: f64) -> Option<Var> {
    let (ty, pointer) = (b.module.vars[var].ty, b.module.vars[var].pointer);
    if let Some(element) = b.module.types.growable(pointer) {
        return is_float(b.module, element).then(|| variable(b, "shadow", ty, None));
    }
    is_float(b.module, ty).then(|| {
        let initial = number(b, ty, initial);
        variable(b, "shadow", ty, Some(initial))
    })
}

/// Whether something holds for a node of a function, or of one that it calls: its op, and what it calls.
fn calls(module: &Module, func: Func, test: &mut dyn FnMut(Op, Option<Func>) -> bool) -> bool {
    let (mut seen, mut next) = (FxHashSet::default(), vec![func]);
    while let Some(func) = next.pop() {
        let Some(body) = module.funcs[func].body.as_ref().filter(|_| seen.insert(func)) else { continue };
        for node in walk::blocks(body).flat_map(|block| body.blocks[block].nodes.iter().copied()) {
            if test(body.node(node).op, body.callee(node)) {
                return true;
            }
            next.extend(body.callee(node));
        }
    }
    false
}

/// The nodes and exits that have no derivative.
fn refusals(module: &Module, source: &Body, activity: &Activity, is_forward: bool, known: &Known) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for block in walk::blocks(source) {
        let data = &source.blocks[block];
        for &node in &data.nodes {
            if let Some(message) = refusal(module, source, activity, is_forward, known, node) {
                errors.push(
                    refused(source.node(node).span, &message)
                        .help("use another operation, or one of the host with partial derivatives (`with_partials`)"),
                );
            }
        }
        if !is_forward && matches!(data.exit, Exit::Passthrough | Exit::Discard) {
            errors.push(refused(
                data.exit_span,
                "a case that goes on with the next one has no derivative in reverse mode",
            ));
        }
    }
    if !is_forward && let Some(span) = walk::deeper_than(source, MOST_NESTING, |_| true) {
        errors.push(refused(
            span,
            &format!("more than {MOST_NESTING} nested constructs have no derivative in reverse mode"),
        ));
    }
    errors
}

fn refusal(
    module: &Module,
    source: &Body,
    activity: &Activity,
    is_forward: bool,
    known: &Known,
    node: Node,
) -> Option<String> {
    let (data, args) = (source.node(node), source.args(node));
    let is_active = |local| if is_forward { activity.is_varied(local) } else { activity.is_active(local) };
    let name = data.op.info().text;
    if data.op.info().class == Class::Custom {
        let is_active = source.results(node).any(is_active);
        let host = module.custom_of(data.op, data.imm).map_or("", |row| &row.name);
        let has_partials = known.partials_of(data.imm).is_some() && source.results(node).len() == 1;
        return (is_active && !has_partials).then(|| format!("`{host}` has no derivative"));
    }
    if data.op.info().class == Class::Memory {
        let base = source.base(args[0]);
        let var = base.as_var().filter(|var| activity.is_varied_var(*var))?;
        let through = source
            .node_of(args[0])
            .is_some_and(|access| source.node(access).op != Op::AccessArrayElement || source.args(access)[0] != base);
        let is_known = matches!(data.op, Op::Load | Op::Store | Op::Append) && !through;
        let ty = module.vars[var].ty;
        let held = module.types.growable(module.vars[var].pointer).unwrap_or(ty);
        let is_whole = module.types.scalar_of(held).is_some();
        return (!is_known || !is_whole).then(|| format!("`{name}` of a part of a variable has no derivative"));
    }
    source.results(node).find(|&result| is_active(result))?;
    if let Some(callee) =
        source.callee(node).filter(|&callee| !is_forward && calls(module, callee, &mut |op, _| op == Op::CustomOrdered))
    {
        let name = &module.funcs[callee].name.text;
        return Some(format!(
            "reverse mode would call `{name}` again, and with it a function of the host whose calls are ordered"
        ));
    }
    let bits = args
        .iter()
        .filter_map(|arg| arg.as_local())
        .find(|&arg| activity.is_any_varied(arg) && !is_float(module, source.local_type(arg)) && data.op != Op::Call);
    let is_known = match rule(data.op) {
        None | Some(Rule::Constant) => false,
        Some(Rule::Sum(_) | Rule::Choice(..)) => source.results(node).len() == 1,
        Some(Rule::Linear | Rule::Other) => true,
    };
    (!is_known || bits.is_some()).then(|| format!("`{name}` has no derivative here"))
}
