//! Iterations of a loop as lanes.
//!
//! ```text
//! before: loop (%i = %i0) while %i < %end { … }     after: fn @f_lanes(%i0, %end, …) -> (%i) {
//!                                                            loop (%i = %i0) while %i != %last { … of 8 iterations; %i + 8 }
//! ```
//!
//! The function that is written runs all iterations but the last few, so many at once as there are lanes. A value that is
//! the same in each of them stays a scalar; one that grows by a constant from one to the next is kept as that of the first lane.
//! A reduction has a partial result for each lane, until the loop ends. Where an iteration would trap, the function ends before its batch.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Decoration, Name, NameSource, Precision};
use planish_ir::diagnostic::Diagnostic;
use planish_ir::entity::{Block, Func, Local, Node, Type, Value};
use planish_ir::function::{Exit, Param, ResultType};
use planish_ir::meaning::float_bits;
use planish_ir::module::Module;
use planish_ir::ops::{Imm, MemArg, Op};
use planish_ir::tree::Tree;
use planish_ir::types::Scalar;
use planish_ir::walk;
use smallvec::SmallVec;

use super::control::{Arrivals, Construct, Task, Widener};
use super::divergence::Divergence;
use super::lanes::{and, and_not, broadcast, disassemble, join, lane, mask};
use super::{WidenOptions, Work};
use crate::legalize::integer;
use crate::lower_to_scalars::values::Parts;

/// A value that a loop carries from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carried {
    /// An integer that grows by a constant, modulo its width.
    Counter(u64),
    /// The result of an op that is associative and commutative: exactly, or as far as the program asks for.
    Reduction(Op),
}

/// A loop `while index < bound`, in one block of its condition, with one back edge, that is left there only.
#[derive(Debug)]
pub(crate) struct Iterations {
    /// The block that it ends.
    pub(crate) owner: Block,
    /// By input of its condition.
    pub(crate) carried: Vec<Carried>,
    /// The input that is the index.
    pub(crate) index: usize,
    /// Made outside of the loop.
    pub(crate) bound: Value,
    /// Values from outside that it uses, but constants and functions.
    pub(crate) outside: Vec<Local>,
    /// Whether an iteration may trap. Those before it have then run, and it has stored nothing.
    pub(crate) may_trap: bool,
    /// By value of the loop: how much it grows with each iteration, modulo its width; 0 if it is the same in all. `None` if nothing is known.
    pub(crate) strides: SideTable<Local, Option<u64>>,
}

/// The iterations that are being written.
pub(super) struct Affine<'a> {
    pub(super) strides: &'a SideTable<Local, Option<u64>>,
    /// Values of the first lane.
    firsts: SideTable<Local, Option<Value>>,
    /// The block that the loop over batches ends.
    batches: Option<Block>,
}

/// Writes a function over most iterations of a loop. Its parameters are the initial values that the loop carries, the bound, and the values
/// from outside; its results are those with which the rest of the iterations begins.
///
/// # Errors
/// Constructs that cannot be widened, each with its place. The module then holds an unfinished function.
pub(crate) fn widen_iterations(
    module: &mut Module,
    old: &Module,
    func: Func,
    found: &Iterations,
    n: u8,
) -> Result<Func, Vec<Diagnostic>> {
    let body = old.funcs[func].body.as_ref().expect("it has loops");
    let Exit::Loop { condition, .. } = body.blocks[found.owner].exit else { panic!("no loop") };
    let inputs = &body.blocks[condition].inputs;
    let types: Vec<Type> = inputs.iter().map(|&input| body.local_type(input)).collect();
    let param = |ty: Type| Param::new(Name::new("x", NameSource::Internal), ty);
    let bound = types[found.index];
    let all = types.iter().copied().chain([bound]).chain(found.outside.iter().map(|&local| body.local_type(local)));
    let (params, results) = (all.map(param).collect(), types.iter().copied().map(ResultType::new).collect());
    let name = Name::new(format!("{}_lanes", old.funcs[func].name.text), NameSource::Internal);
    let target = module.add_func(name, params, results, body.blocks[found.owner].exit_span);
    module.funcs[target].decorations.add(Decoration::Vectorized);
    let options = WidenOptions { lanes: n, all_active: true, helpers: false, interface: true };
    let mut work = Work::new(module, &options);
    work.has_helpers = false;
    let mut builder = Builder::new(module, target, Policy::PLAIN);
    let active = mask(&mut builder, true, n);
    let tree = Tree::new(body);
    let divergence = Divergence::of_iterations(body, &tree, found.owner);
    let mut widener = Widener::new((old, body), (tree, divergence), active, &mut work);
    widener.affine = Some(Affine { strides: &found.strides, firsts: SideTable::new(), batches: None });
    widener.iterations(found, &mut builder);
    builder.finish();
    if work.errors.is_empty() { Ok(target) } else { Err(work.errors) }
}

impl Widener<'_, '_> {
    fn iterations(&mut self, found: &Iterations, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let Exit::Loop { condition, body: first, next, .. } = body.blocks[found.owner].exit else { return };
        let inputs = &body.blocks[condition].inputs;
        for (i, &local) in found.outside.iter().enumerate() {
            let mut parts = Parts::new();
            let value = b.param(inputs.len() + 1 + i);
            if disassemble(b, value, &mut parts).is_none() {
                self.work.error(body.blocks[found.owner].exit_span, "a value of this type");
            }
            self.values[local] = Some(parts);
        }
        let (start, count) = self.whole_batches(found, inputs.len(), b);
        let identities: Vec<Option<Value>> = (found.carried.iter().zip(inputs))
            .map(|(&carried, &input)| {
                let Carried::Reduction(op) = carried else { return None };
                let scalar = b.module.types.scalar_of(body.local_type(input)).expect("a number or a truth value");
                let lanes = b.module.types.vector(scalar, self.n);
                Some(identity(b, op, lanes))
            })
            .collect();

        // The loop counts what has been done, in iterations.
        let ty = b.type_of(count);
        let zero = integer(b, ty, 0);
        let first_values: Parts = [zero].into_iter().chain(identities.iter().copied().flatten()).collect();
        let blocks = b.loop_(&first_values, false);
        self.affine.as_mut().expect("it is there").batches = Some(blocks.owner);
        let done = b.add_input(blocks.condition, ty, Precision::None);
        // Lanes of reductions, of whole batches.
        let accumulators: Vec<Option<Value>> = (identities.iter())
            .map(|&identity| {
                let ty = b.type_of(identity?);
                Some(b.add_input(blocks.condition, ty, Precision::None))
            })
            .collect();
        b.switch_to(blocks.condition);
        let goes = b.op(Op::NotEqual, &[done, count]);
        b.loop_if(goes);
        b.switch_to(blocks.body);
        for (i, (&carried, &input)) in found.carried.iter().zip(inputs).enumerate() {
            match (carried, accumulators[i]) {
                (Carried::Counter(step), _) => {
                    let value = after(b, (start[i], step), done);
                    self.affine.as_mut().expect("it is there").firsts[input] = Some(value);
                }
                (_, Some(lanes)) => {
                    self.values[input] = Some(Parts::from_slice(&[lanes]));
                }
                _ => {}
            }
        }
        self.constructs[found.owner] = Some(Construct::plain(self.active));
        for &node in &body.blocks[condition].nodes {
            self.node(node, b);
        }
        if let Exit::LoopIf { body_args, .. } = &body.blocks[condition].exit {
            for (&input, &arg) in body.blocks[first].inputs.iter().zip(body_args) {
                let parts = self.parts(arg, b);
                self.set(input, parts, b);
            }
        }
        self.walk_from(first, b);
        next.into_iter().for_each(|next| self.walk_from(next, b));
        let mut reduced = Parts::new();
        if let Exit::Continue(_, args) = &body.blocks[walk::chain_end(body, next.unwrap_or(first))].exit {
            for (_, &arg) in accumulators.iter().zip(args).filter(|(lanes, _)| lanes.is_some()) {
                let value = self.parts(arg, b)[0];
                reduced.push(broadcast(b, value, self.n));
            }
        }
        let step = integer(b, ty, u64::from(self.n));
        let more = b.op(Op::Add, &[done, step]);
        let again: Parts = [more].into_iter().chain(reduced).collect();
        b.continue_(blocks.owner, &again);

        b.switch_to(blocks.merge);
        let mut results = Parts::new();
        for (i, &carried) in found.carried.iter().enumerate() {
            results.push(match (carried, accumulators[i]) {
                (Carried::Reduction(op), Some(lanes)) => {
                    let reduced = self.reduced(op, lanes, start[i], b);
                    // (Of no iteration, a NaN keeps its bits.)
                    let any = b.op(Op::NotEqual, &[done, zero]);
                    b.op(Op::Select, &[any, reduced, start[i]])
                }
                (Carried::Counter(step), _) => after(b, (start[i], step), done),
                _ => start[i],
            });
        }
        b.ret(&results);
    }

    /// The first values that the loop carries, and the number of iterations in whole batches of lanes, an unsigned integer.
    fn whole_batches(&self, found: &Iterations, carried: usize, b: &mut Builder<'_, '_>) -> (Parts, Value) {
        let start: Parts = (0..carried).map(|i| b.param(i)).collect();
        let (index, bound) = (start[found.index], b.param(carried));
        let wide = b.module.types.scalar_of(b.type_of(index)).is_some_and(|scalar| scalar.bits() == 64);
        let unsigned = b.module.types.scalar(if wide { Scalar::U64 } else { Scalar::U32 });
        let runs = b.op(Op::LessThan, &[index, bound]);
        let count = b.op(Op::Subtract, &[bound, index]);
        let count = if b.type_of(count) == unsigned { count } else { b.op_typed(Op::Bitcast, &[count], unsigned) };
        let whole = integer(b, unsigned, u64::from(self.n).wrapping_neg());
        let count = b.op(Op::BitwiseAnd, &[count, whole]);
        let none = integer(b, unsigned, 0);
        (start, b.op(Op::Select, &[runs, count, none]))
    }

    /// Ends the loop over batches before this one if an active lane takes the arm of an `If` that traps: its iteration is then one of the rest, which
    /// run one after the other. Goes on in the other arm.
    pub(super) fn stop_before(
        &mut self,
        block: Block,
        (condition, arms, arm): (Value, [Block; 2], usize),
        b: &mut Builder<'_, '_>,
    ) {
        let test = self.parts(condition, b)[0];
        let stops = match (self.divergence.is_varying(condition), arm) {
            (true, 0) => and(b, self.active, test, self.n),
            (true, _) => and_not(b, self.active, test, self.n),
            (false, 0) => test,
            (false, _) => b.op(Op::LogicalNot, &[test]),
        };
        let stops = if self.divergence.is_varying(condition) { b.op(Op::Any, &[stops]) } else { stops };
        let blocks = b.if_(stops);
        b.switch_to(blocks.then);
        let batches = self.affine.as_ref().and_then(|affine| affine.batches).expect("iterations are in a loop");
        b.break_(batches, &[]);
        b.switch_to(blocks.otherwise);
        b.merge(&[]);
        b.switch_to(blocks.merge);
        self.tasks.extend([Task::After(block), Task::Chain(arms[1 - arm])]);
    }

    /// The lanes of a reduction, and the value it began with, as one.
    fn reduced(&self, op: Op, lanes: Value, start: Value, b: &mut Builder<'_, '_>) -> Value {
        let mut values: Vec<Value> = (0..self.n).map(|l| lane(b, lanes, l)).collect();
        while values.len() > 1 {
            values = values.chunks(2).map(|pair| b.op(op, pair)).collect();
        }
        b.op(op, &[start, values[0]])
    }

    /// A value that is computed for the first lane only; whether it is one.
    pub(super) fn first_of(&mut self, node: Node, b: &mut Builder<'_, '_>) -> bool {
        let Some(affine) = &self.affine else { return false };
        let Some(result) = self.body.result(node) else { return false };
        if affine.strides[result].is_none() || !self.divergence.is_varying(result.into()) {
            return false;
        }
        let data = *self.body.node(node);
        let args: Option<Parts> = self.body.args(node).iter().map(|&arg| self.first(arg, b)).collect();
        let Some(args) = args else { return false };
        let ty = self.body.local_type(result);
        let value = b.make(Request::new(data.op, &args).imm(data.imm).ty(ty));
        if let Some(affine) = &mut self.affine {
            affine.firsts[result] = Some(value);
        }
        true
    }

    /// Forgets the value of the first lane: the value is one that comes from elsewhere now.
    pub(super) fn forget_first(&mut self, local: Local) {
        if let Some(affine) = &mut self.affine {
            affine.firsts[local] = None;
        }
    }

    /// The value of the first lane, of a scalar that is the same in all or grows by a constant.
    fn first(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Option<Value> {
        if !self.divergence.is_varying(value) {
            return self.parts(value, b).first().copied();
        }
        self.affine.as_ref()?.firsts[value.as_local()?]
    }

    /// The lanes of a value that grows by a constant; `None` of others.
    pub(super) fn grown(&self, local: Local, b: &mut Builder<'_, '_>) -> Option<Value> {
        let affine = self.affine.as_ref()?;
        let (first, stride) = (affine.firsts[local]?, affine.strides[local]?);
        let scalar = b.module.types.scalar_of(b.type_of(first))?;
        let (ty, bits) = (b.module.types.vector(scalar, self.n), scalar.bits());
        let all = u64::MAX >> (64 - bits);
        let mut steps = (0..u64::from(self.n)).map(|l| l.wrapping_mul(stride) & all);
        let module = &mut *b.module;
        let steps = module.consts.unflatten(&mut module.types, ty, &mut steps)?;
        let first = broadcast(b, first, self.n);
        Some(b.op(Op::Add, &[first, steps.into()]))
    }

    /// Loads and stores of byte memory, by all lanes.
    pub(super) fn bytes(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = *self.body.node(node);
        let (args, arg) = (self.body.args(node), data.imm.as_mem_arg());
        let address = args[0];
        if data.op == Op::MemoryLoad && !self.divergence.is_varying(address) {
            let (result, address) = (self.body.result(node)?, self.first(address, b)?);
            let value = b.make(Request::new(data.op, &[address]).imm(data.imm).ty(self.body.local_type(result)));
            self.set(result, Parts::from_slice(&[value]), b);
            return Some(());
        }
        let stride = self.affine.as_ref()?.strides[address.as_local()?];
        let addresses = match stride {
            Some(stride) if stride == u64::from(arg.width.bytes()) => Addresses::Following(self.first(address, b)?),
            _ => Addresses::Apart(self.parts(address, b)[0]),
        };
        let one = |l: u8, b: &mut Builder<'_, '_>| -> Option<(Value, Imm)> {
            Some(match addresses {
                Addresses::Following(first) => {
                    let offset = arg.offset.checked_add(u32::from(l) * arg.width.bytes())?;
                    (first, MemArg { offset, ..arg }.into())
                }
                Addresses::Apart(lanes) => (lane(b, lanes, l), data.imm),
            })
        };
        match data.op {
            Op::MemoryLoad => {
                let result = self.body.result(node)?;
                let mut values = Parts::new();
                for l in 0..self.n {
                    let (address, imm) = one(l, b)?;
                    let request = Request { op: data.op, imm, args: &[address], ty: None, precision: None };
                    values.push(b.make(request.ty(self.body.local_type(result))));
                }
                let lanes = join(b, &values);
                self.set(result, Parts::from_slice(&[lanes]), b);
            }
            Op::MemoryStore => {
                let value = self.parts(args[1], b)[0];
                let value = broadcast(b, value, self.n);
                for l in 0..self.n {
                    let ((address, imm), value) = (one(l, b)?, lane(b, value, l));
                    b.make_all(Request { op: data.op, imm, args: &[address, value], ty: None, precision: None });
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// The addresses of an access.
#[derive(Clone, Copy)]
enum Addresses {
    /// One after the other, from the first lane's on.
    Following(Value),
    /// Lanes.
    Apart(Value),
}

impl Construct {
    /// A construct that all lanes leave together.
    fn plain(entry: Value) -> Self {
        Construct {
            entry,
            merged: Arrivals::All,
            choice: None,
            loops: 0,
            passed: SmallVec::new(),
            continued: Arrivals::All,
            again: Arrivals::All,
            natural: None,
            escapes: Vec::new(),
        }
    }
}

/// A counter after a number of iterations.
pub(crate) fn after(b: &mut Builder<'_, '_>, (start, step): (Value, u64), done: Value) -> Value {
    let ty = b.type_of(start);
    let from = b.module.types.scalar_of(b.type_of(done));
    let to = b.module.types.scalar_of(ty);
    let same_width = from.map(Scalar::bits) == to.map(Scalar::bits);
    let done = match same_width {
        _ if b.type_of(done) == ty => done,
        true => b.op_typed(Op::Bitcast, &[done], ty),
        false => b.convert(done, ty),
    };
    let step = integer(b, ty, step);
    let grown = b.op(Op::Multiply, &[done, step]);
    b.op(Op::Add, &[start, grown])
}

/// The lanes that leave what a reduction is combined with as it is.
pub(crate) fn identity(b: &mut Builder<'_, '_>, op: Op, lanes: Type) -> Value {
    let scalar = b.module.types.scalar_of(lanes).expect("lanes of numbers");
    if scalar.is_float() {
        let value = match op {
            Op::Multiply => 1.0,
            Op::Min | Op::Minimum => f64::INFINITY,
            Op::Max | Op::Maximum => f64::NEG_INFINITY,
            _ => -0.0,
        };
        let bits = float_bits(scalar, value);
        return b.module.consts.splat(&mut b.module.types, lanes, bits).expect("lanes of floats").into();
    }
    let bits = if scalar == Scalar::Bool { 1 } else { scalar.bits() };
    let all = u64::MAX >> (64 - bits);
    let least = if scalar.is_signed() { 1 << (bits - 1) } else { 0 };
    let value = match op {
        Op::Multiply => 1,
        Op::BitwiseAnd | Op::LogicalAnd => all,
        Op::Min => all ^ least,
        Op::Max => least,
        _ => 0,
    };
    b.module.consts.splat(&mut b.module.types, lanes, value).expect("lanes of integers").into()
}
