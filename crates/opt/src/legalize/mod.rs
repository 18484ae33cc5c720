//! Legalization: operations that a target lacks become others that it has.
//!
//! ```text
//! before: %4 = is_nan %x             after: %5 = bitcast %x: u32    %6 = bitwise_and %5, 2147483647    %4 = greater_than %6, 2139095040
//!         %5 = divide %n, %d                %7 = equal %d, 0        %8 = select %7, 1, %d              %5 = divide[guarded] %n, %8
//!         %6 = inverse %m                   %6 = call @inverse_of, %m
//! ```
//!
//! A target lists its ops ([`TargetInfo`]); each expansion is the definition in `docs/numerics.md`, so no bit changes.
//! Componentwise ops stay on vectors; ops on matrices become ops on columns.
//!
//! | op | becomes |
//! | --- | --- |
//! | **guards** ([`Support::Guard`]) | |
//! | `divide`, `remainder` of integers | divisor 1 where it is 0 or (not of [`Support::GuardZero`]) the quotient overflows; `[guarded]` |
//! | `pow` | of the absolute value, `[guarded]`; NaN where the base is negative |
//! | `shift_left`, `shift_right` | amount masked; `[guarded]` |
//! | `bitfield_extract`, `bitfield_insert` | offset and count cut to the word; `[guarded]` |
//! | float to integer | operand clamped, the open conversion, then selects for NaN and for what lies above |
//! | `mod`, `clamp`, `smooth_step` | expanded where a constant is out of range |
//! | constructors of vectors and matrices | operands converted and cut, matrices by columns |
//! | **floats** | |
//! | `fract`, `saturate`, `step`, `mix`, `lerp`, `multiply_add`, `radians`, `degrees`, `min`, `max`, `sign` | their definition |
//! | `trunc` | `ceil` of negative numbers, `floor` of others |
//! | `round`, `round_even` | from `floor`, by the fraction |
//! | `is_nan`, `is_inf` | by the bits, where the target assumes that there is no NaN; else by comparison |
//! | `copy_sign` | by the bits |
//! | `minimum`, `maximum` | selects, and the bits of equal zeros |
//! | `inverse_sqrt`, and `sin` and the like where the target has them of `f64` | by `f64` |
//! | `modf` | by `trunc` |
//! | `sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh` | by `exp`, `log` and `sqrt`: not bit for bit |
//! | **integers** | |
//! | `remainder` | `x - x / y * y` |
//! | rotations | two shifts of the unsigned word |
//! | counts and numbers of bits | by each other; of 64 bits by halves; or by five steps of shifts |
//! | `bit_reverse` | neighbours, pairs, … exchanged; of 64 bits by halves |
//! | `sign_extend…` | two shifts |
//! | bits of 8-bit and 16-bit integers | those of a word |
//! | `add_carry`, `subtract_borrow`, `multiply_extended` | comparisons; 64-bit or 16-bit products |
//! | `abs`, `negate` of unsigned numbers | the number; `0 - x` |
//! | **geometry** | `dot` and the like of scalars and vectors: the sequences of `docs/numerics.md` |
//! | `transpose`, `determinant`, `inverse` | by components |
//! | **subgroups** | ballots by their bits, shuffles by one, booleans by words, an inclusive scan by an exclusive one |
//! | **composites** | |
//! | componentwise ops on matrices | on each column |
//! | `outer_product`, `matrix_times_scalar` | on each column |
//! | logic on vectors | `select` |
//! | `any`, `all` of a scalar | the scalar |
//! | `aggregate_equal` | all parts equal |
//! | `select` of vectors and composites by one boolean | a boolean vector; part by part |
//! | `++`, `--` | load, add, store |
//! | conversion to and from `bool` | `select`, `not_equal` |
//! | conversion between integers of different sign and width | widened by its own sign, then the same bits |
//!
//! Holds before: a valid, placed module. Holds after: every node is one that the target has, or an error names it.

pub(crate) mod algebra;
mod bits;
mod calls;
mod composites;
mod floats;
mod guards;
pub(crate) mod pack;
mod small;
mod subgroups;

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::Precision;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Func, Node, Type, Value};
use planish_ir::function::{Body, Form};
use planish_ir::meaning::float_bits;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Imm, Op};
use planish_ir::source::Span;
use planish_ir::types::{Scalar, TypeKind};
use planish_target::legal::{Operation, Support, TargetInfo};
use smallvec::{SmallVec, smallvec};

use crate::context::Context;
use crate::restage::{Stage, copy_node, restage};
use crate::schedule;

/// Whether a module has an operation that the target lacks.
pub fn is_needed(module: &Module, target: &TargetInfo<'_>) -> bool {
    module.funcs.values().any(|f| f.body.as_ref().is_some_and(|body| !is_legal(module, body, target)))
}

/// Whether a target has every operation of a body.
pub fn is_legal(module: &Module, body: &Body, target: &TargetInfo<'_>) -> bool {
    body.nodes().all(|(node, _)| target.has(module, body, node))
}

/// Rewrites every function that has an operation which the target lacks; returns these functions.
///
/// # Errors
/// An operation that has neither an instruction nor an expansion (E0604), each with its place. The module is then valid, but
/// holds operations that the target lacks.
pub fn run(module: &mut Module, target: &TargetInfo<'_>, context: &mut Context) -> Result<Vec<Func>, Vec<Diagnostic>> {
    rewrite(module, target, &|form| Policy { form, ..Policy::PLAIN }, context)
}

/// As [`run`], of a module that was optimized: of equal operations that expansions have one is made, and those that a loop does not
/// change leave it.
///
/// # Errors
/// As [`run`].
pub fn run_shared(
    module: &mut Module,
    target: &TargetInfo<'_>,
    context: &mut Context,
) -> Result<Vec<Func>, Vec<Diagnostic>> {
    let changed = rewrite(module, target, &|_| Policy::SHARED, context);
    schedule::place_all(module, context);
    changed
}

/// Legalizes the functions that need it, under a policy by their form.
fn rewrite(
    module: &mut Module,
    target: &TargetInfo<'_>,
    policy: &dyn Fn(Form) -> Policy<'static>,
    context: &mut Context,
) -> Result<Vec<Func>, Vec<Diagnostic>> {
    let mut changed: Vec<Func> = Vec::new();
    let mut stage = Legalize::new(target);
    let funcs: Vec<Func> = module.funcs.keys().collect();
    for func in funcs {
        let Some(body) = module.funcs[func].body.as_ref().filter(|body| !is_legal(module, body, target)) else {
            continue;
        };
        let policy = policy(body.form);
        restage(module, func, policy, &mut stage);
        context.changed();
        changed.push(func);
    }
    changed.extend(stage.legalizer.write_callees(module, policy(Form::Placed)));
    let message = |missing: &Missing| format!("{} has no {}", target.name, missing.operation.text());
    let error = |missing: &Missing| Diagnostic::error(Code::E0604, missing.span, message(missing));
    let errors: Vec<Diagnostic> = stage.missing.iter().map(error).collect();
    if errors.is_empty() { Ok(changed) } else { Err(errors) }
}

/// An operation that a target has neither as it is nor by an expansion.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Its place.
    pub span: Span,
    /// The operation.
    pub operation: Operation,
    /// Ops of its expansion that the target lacks, if it has an expansion.
    pub needs: Option<Vec<Op>>,
}

/// The stage that replaces operations. A target without [`Support::Call`] needs no other step; the result is valid even if operations are
/// missing.
pub struct Legalize<'t> {
    legalizer: Legalizer<'t>,
    /// Operations that stay although the target lacks them.
    pub missing: Vec<Missing>,
}

impl std::fmt::Debug for Legalize<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Legalize").field("missing", &self.missing).finish_non_exhaustive()
    }
}

impl<'t> Legalize<'t> {
    /// A stage for a target.
    pub fn new(target: &'t TargetInfo<'t>) -> Self {
        Legalize { legalizer: Legalizer::new(target), missing: Vec::new() }
    }

    /// The ops of an operation's expansion that the target lacks; `None` if it has no expansion. Nodes are made for it, and taken back.
    fn needs(&self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Vec<Op>> {
        // The op on other operands may be a part of its own expansion.
        let own = self.legalizer.operation(b, &request);
        let support = |operation: &Operation| if *operation == own { Support::Expand } else { Support::Yes };
        let everything = TargetInfo { support: &support, ..*self.legalizer.target };
        let (first, mark, block) = (b.body().node_count(), b.mark(), b.block());
        let data = &b.body().blocks[block];
        let (listed, exit) = (data.nodes.len(), data.exit.clone());
        let is_known = Legalizer::new(&everything).legalize(b, request).is_some();
        let target = self.legalizer.target;
        let made = b.body().nodes().skip(first).map(|(node, _)| node);
        let lacking = made.filter(|&node| !target.has(b.module, b.body(), node));
        let mut needs: Vec<Op> = lacking.map(|node| b.body().node(node).op).collect();
        needs.sort_unstable();
        needs.dedup();
        b.switch_to(block);
        b.roll_back(mark);
        let data = b.block_mut(block);
        data.nodes.truncate(listed);
        data.exit = exit;
        is_known.then_some(needs)
    }
}

impl Stage for Legalize<'_> {
    fn node(&mut self, old: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let data = old.node(node);
        let ty = old.result(node).map(|local| old.local_type(local));
        let request = Request { op: data.op, imm: data.imm, args, ty, precision: Some(data.precision) };
        builder.set_precise(data.precise);
        if self.legalizer.has(builder, &request) {
            return copy_node(old, node, args, builder);
        }
        if let Some(results) = self.legalizer.legalize(builder, request) {
            return results;
        }
        let operation = self.legalizer.operation(builder, &request);
        let needs = self.needs(builder, request);
        self.missing.push(Missing { span: data.span, operation, needs });
        copy_node(old, node, args, builder)
    }
}

/// Makes operations out of those that a target has.
pub(crate) struct Legalizer<'t> {
    target: &'t TargetInfo<'t>,
    /// The precision of the operation that is expanded; `None`: that of its operands.
    precision: Option<Precision>,
    callees: calls::Callees,
}

impl<'t> Legalizer<'t> {
    pub(crate) fn new(target: &'t TargetInfo<'t>) -> Self {
        Legalizer { target, precision: None, callees: calls::Callees::default() }
    }

    /// The results of an operation; `None` if the target has neither it nor the ops of its expansion.
    pub(crate) fn legalize(&mut self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Results> {
        self.precision = request.precision;
        self.all(b, request)
    }

    fn operation(&self, b: &Builder<'_, '_>, request: &Request<'_>) -> Operation {
        let types: SmallVec<[Type; 2]> = request.args.iter().take(2).map(|&arg| b.type_of(arg)).collect();
        let single = request.args.len() == 1;
        let operands = if single { &types[..1] } else { &types[..] };
        Operation::new(&b.module.types, request.op, request.imm, operands, request.ty)
    }

    fn has(&self, b: &Builder<'_, '_>, request: &Request<'_>) -> bool {
        self.takes(b, request, (self.target.support)(&self.operation(b, request)))
    }

    fn takes(&self, b: &Builder<'_, '_>, request: &Request<'_>, support: Support) -> bool {
        support.takes(b.module, b.body(), (request.op, request.imm), request.args, request.ty)
    }

    /// Whether the target has an op, guarded or unguarded, on scalars or vectors of a component type.
    fn has_op(&self, b: &mut Builder<'_, '_>, op: Op, like: Type, scalar: Scalar) -> bool {
        let ty = b.module.types.with_scalar(like, scalar);
        let operation = Operation::new(&b.module.types, op, Imm::NONE, &[ty, ty], Some(ty));
        !matches!((self.target.support)(&operation), Support::Expand | Support::Call)
    }

    /// Whether the target has an op on values of this type with every operand.
    fn has_total(&self, b: &Builder<'_, '_>, op: Op, like: Value) -> bool {
        let operation = self.operation(b, &Request::new(op, &[like, like]));
        (self.target.support)(&operation) == Support::Yes
    }

    // Steps of expansions.

    fn all(&mut self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Results> {
        let request = Request { precision: request.precision.or(self.precision), ..request };
        let support = (self.target.support)(&self.operation(b, &request));
        if self.takes(b, &request, support) {
            return Some(b.make_all(request));
        }
        match support {
            Support::Yes | Support::Guard | Support::GuardZero | Support::GuardConstants => {
                guards::guard(self, b, request, support)
            }
            Support::Expand => self.expand(b, request),
            Support::Call => self.call(b, request),
        }
    }

    fn expand(&mut self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Results> {
        if request.op.info().class == Class::Subgroup {
            return subgroups::expand(self, b, &request).map(|value| smallvec![value]);
        }
        if let Some(results) = floats::by_singles(self, b, &request) {
            return Some(results);
        }
        if let Some(pair) = bits::pair(self, b, &request) {
            return Some(SmallVec::from(pair));
        }
        let value = small::by_words(self, b, &request)
            .or_else(|| composites::expand(self, b, &request))
            .or_else(|| self.expand_number(b, &request));
        value.map(|value| smallvec![value])
    }

    fn expand_number(&mut self, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
        let ty = b.type_of(*request.args.first()?);
        let scalar = b.module.types.scalar_of(ty)?;
        if matches!(request.op.info().class, Class::Construct | Class::Extract) {
            return None;
        }
        if let Some(value) = algebra::expand(self, b, request) {
            return Some(value);
        }
        b.module.types.vector_size(ty)?;
        match scalar.is_float() {
            true => floats::expand(self, b, request, ty, scalar),
            false => bits::expand(self, b, request, ty, scalar),
        }
        .or_else(|| floats::choice(self, b, request, ty, scalar))
    }

    /// The only result of an op.
    fn op(&mut self, b: &mut Builder<'_, '_>, op: Op, args: &[Value]) -> Option<Value> {
        self.make(b, Request::new(op, args))
    }

    fn make(&mut self, b: &mut Builder<'_, '_>, request: Request<'_>) -> Option<Value> {
        match self.all(b, request)?[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    /// `then` where the condition holds, else `otherwise`.
    fn select(&mut self, b: &mut Builder<'_, '_>, condition: Value, then: Value, otherwise: Value) -> Option<Value> {
        self.op(b, Op::Select, &[condition, then, otherwise])
    }

    /// A scalar or vector with another component type.
    fn convert(&mut self, b: &mut Builder<'_, '_>, imm: Imm, value: Value, scalar: Scalar) -> Option<Value> {
        let from = b.type_of(value);
        let ty = b.module.types.with_scalar(from, scalar);
        let op = match b.module.types[from] {
            _ if from == ty => return Some(value),
            TypeKind::Scalar(_) => Op::ConstructScalarFromScalar,
            TypeKind::Vector(..) => Op::ConstructVectorFromMultiple,
            _ => return None,
        };
        self.make(b, Request::new(op, &[value]).imm(imm).ty(ty))
    }

    /// The same bits with another component type of the same width.
    fn bitcast(&mut self, b: &mut Builder<'_, '_>, value: Value, scalar: Scalar) -> Option<Value> {
        let from = b.type_of(value);
        let ty = b.module.types.with_scalar(from, scalar);
        if from == ty { Some(value) } else { self.make(b, Request::new(Op::Bitcast, &[value]).ty(ty)) }
    }
}

/// An integer in every component; its low bits.
pub(crate) fn integer(b: &mut Builder<'_, '_>, ty: Type, value: u64) -> Value {
    let bits = value & u64::MAX >> (64 - b.module.types.scalar_of(ty).expect("a type of integers").bits());
    b.module.consts.splat(&mut b.module.types, ty, bits).expect("a scalar or vector").into()
}

/// A float in every component.
pub(crate) fn float(b: &mut Builder<'_, '_>, ty: Type, value: f64) -> Value {
    let bits = float_bits(b.module.types.scalar_of(ty).expect("a type of floats"), value);
    b.module.consts.splat(&mut b.module.types, ty, bits).expect("a scalar or vector").into()
}

/// A number in every component.
pub(crate) fn number(b: &mut Builder<'_, '_>, ty: Type, value: i32) -> Value {
    match b.module.types.scalar_of(ty).is_some_and(Scalar::is_float) {
        true => float(b, ty, value.into()),
        false => integer(b, ty, i64::from(value) as u64),
    }
}
