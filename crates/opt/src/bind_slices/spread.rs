//! Iterations of a loop that several invocations share: of `n` invocations, number `k` runs the iterations `k`, `k + n`, `k + 2 n`, ….
//!
//! ```text
//! before: loop (%i = %a) while %i < %b {          after: loop (%i = %a + k) while %i < %b {
//!           …   next %i + 1                                …   next %i + 1 + (n - 1)
//! ```
//!
//! All other code is run by each invocation, so it may not write, nor read what the loop writes. So any number of work groups does the
//! same. The index does not wrap around: it begins at a constant below 2²⁹, each iteration stores a number of 32 bits at its own index, of which
//! there are at most 2³⁰, and a dispatch has at most 2¹⁶ work groups along an axis.

use planish_ir::builder::Builder;
use planish_ir::decoration::{BuiltIn, Decoration, Name, NameSource};
use planish_ir::entity::{Block, Func, Local, Memory, Type, Value, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Imm, Op};
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk;
use rustc_hash::FxHashSet;

use crate::vectorize_loops::independent_loops;
use crate::widen::{Carried, Iterations};

/// Invocations of a work group.
pub(super) const GROUP: u32 = 64;
/// First indices below it are taken.
const MAX_START: u64 = 1 << 29;

/// A loop whose iterations are shared.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    owner: Block,
    /// The block that ends an iteration.
    last: Block,
    /// By carried value: how much it grows, and its type.
    steps: Vec<(u32, Type)>,
}

/// The loop of a function whose iterations can be shared, if that is all that the function does.
pub(super) fn find(module: &Module, func: Func) -> Option<Spread> {
    let body = module.funcs[func].body.as_ref()?;
    let tree = Tree::new(body);
    let mut found = independent_loops(module, body, &tree).into_iter();
    let Iterations { owner, carried, index, .. } = found.find(|found| is_all(body, &tree, found.owner))?;
    let Exit::Loop { args, condition, body: first, next, .. } = &body.blocks[owner].exit else { return None };
    let start = module.consts.as_bits(args[index].as_const()?)?;
    let step = |(&input, carried): (&Local, &Carried)| match (*carried, body.local_type(input)) {
        (Carried::Counter(step), ty @ (Type::I32 | Type::U32)) => Some((step as u32, ty)),
        _ => None,
    };
    let steps: Option<Vec<(u32, Type)>> = body.blocks[*condition].inputs.iter().zip(&carried).map(step).collect();
    let last = walk::chain_end(body, next.unwrap_or(*first));
    Some(Spread { owner, last, steps: steps.filter(|_| start < MAX_START)? })
}

/// Whether a loop runs once at most, is all that writes, and nothing else depends on it.
fn is_all(body: &Body, tree: &Tree, owner: Block) -> bool {
    let is_loop = |block: Block| matches!(body.blocks[block].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
    let mut around = tree.place(owner).and_then(|place| place.owner);
    while let Some(outer) = around {
        if is_loop(outer) {
            return false;
        }
        around = tree.place(outer).and_then(|place| place.owner);
    }
    let blocks: FxHashSet<Block> = walk::inside(body, owner).collect();
    let mut inside: FxHashSet<Local> = FxHashSet::default();
    let mut written: FxHashSet<Memory> = FxHashSet::default();
    for &block in &blocks {
        inside.extend(&body.blocks[block].inputs);
        for &node in &body.blocks[block].nodes {
            inside.extend(body.results(node));
            if body.node(node).op == Op::MemoryStore {
                written.insert(body.node(node).imm.as_mem_arg().memory);
            }
        }
    }
    let is_inside = |value: Value| value.as_local().is_some_and(|local| inside.contains(&local));
    let Exit::Loop { condition, .. } = body.blocks[owner].exit else { return false };
    let Exit::LoopIf { merge_args, .. } = &body.blocks[condition].exit else { return false };
    let others = || walk::blocks(body).filter(|block| !blocks.contains(block));
    let mut nodes = others().flat_map(|block| body.blocks[block].nodes.iter().copied());
    let is_free = nodes.all(|node| {
        let (op, imm) = (body.node(node).op, body.node(node).imm);
        let is_read = op == Op::MemoryLoad && !written.contains(&imm.as_mem_arg().memory);
        (op.is_pure() || is_read) && !body.args(node).iter().any(|&arg| is_inside(arg))
    });
    let mut depends = merge_args.iter().any(|&arg| is_inside(arg));
    others().for_each(|block| body.blocks[block].exit.for_each_operand(|value| depends |= is_inside(value)));
    is_free && !depends && !written.is_empty()
}

/// The share of an invocation.
#[derive(Debug)]
pub(super) struct Share {
    spread: Spread,
    /// Built-in variables: the number of the invocation, and that of work groups.
    invocation: Var,
    groups: Var,
    /// The number of the invocation, whether that is 0, and the number of all without it.
    values: Option<[Value; 3]>,
}

impl Share {
    pub(super) fn new(module: &mut Module, spread: Spread) -> Self {
        let mut input = |name: &str, built_in| {
            let var = module.add_var(Name::new(name, NameSource::Interface), Type::UVEC3, AddressSpace::Input);
            module.vars[var].decorations.add(Decoration::BuiltIn(built_in));
            var
        };
        let invocation = input("gl_GlobalInvocationID", BuiltIn::GlobalInvocationId);
        let groups = input("gl_NumWorkGroups", BuiltIn::NumWorkGroups);
        Share { spread, invocation, groups, values: None }
    }

    /// Computes the share, at the begin of the function.
    pub(super) fn begin(&mut self, builder: &mut Builder<'_, '_>) {
        let [number, groups] = [self.invocation, self.groups].map(|var| {
            let all = builder.load(var.into());
            builder.op_imm(Op::ExtractVectorComponent, Imm::index(0), &[all])
        });
        let [zero, one, size] = [0, 1, GROUP].map(|word| builder.u32(word));
        let all = builder.op(Op::Multiply, &[groups, size]);
        let others = builder.op(Op::Subtract, &[all, one]);
        self.values = Some([number, builder.op(Op::Equal, &[number, zero]), others]);
    }

    /// Whether an invocation is the first.
    pub(super) fn is_first(&self) -> Value {
        self.values.expect("the share is computed at the begin")[1]
    }

    /// The exit of a block: the loop begins with the first iteration of the share, and goes on with the next one.
    pub(super) fn leave(&self, block: Block, mut exit: Exit, builder: &mut Builder<'_, '_>) -> Exit {
        let [number, _, others] = self.values.expect("the share is computed at the begin");
        let (args, by) = match &mut exit {
            Exit::Loop { args, .. } if block == self.spread.owner => (args, number),
            Exit::Continue(_, args) if block == self.spread.last => (args, others),
            _ => return exit,
        };
        for (arg, &(step, ty)) in args.iter_mut().zip(&self.spread.steps) {
            let step = builder.u32(step);
            let more = builder.op(Op::Multiply, &[by, step]);
            let more = if ty == Type::U32 { more } else { builder.op_typed(Op::Bitcast, &[more], ty) };
            *arg = builder.op(Op::Add, &[*arg, more]);
        }
        exit
    }
}
