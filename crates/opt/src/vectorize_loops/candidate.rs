//! Loops whose iterations are independent.

use planish_ir::aliasing::bytes::{Bytes, may_be_one_memory};
use planish_ir::arena::SideTable;
use planish_ir::decoration::Decoration;
use planish_ir::entity::{Block, Local, Node, Type, Value};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, MemArg, Op};
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::{Scalar, TypeKind};
use planish_ir::walk;
use rustc_hash::FxHashSet;

use crate::widen::{Carried, Divergence, Iterations, stopping_arm};

/// Pages of a memory in which addresses do not wrap around.
const PAGES: u32 = 1 << 16;

/// An obstacle, with its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    pub(crate) span: Span,
    pub(crate) reason: &'static str,
}

impl Refusal {
    pub(super) fn new(span: Span, reason: &'static str) -> Self {
        Refusal { span, reason }
    }
}

/// A loop that can be vectorized. With `any_order` all reductions of floats may be computed in another order, not only those that are marked.
pub(crate) fn find(
    module: &Module,
    body: &Body,
    tree: &Tree,
    owner: Block,
    any_order: bool,
) -> Result<Iterations, Refusal> {
    let Exit::Loop { ref args, condition, body: first, next, .. } = body.blocks[owner].exit else { panic!("no loop") };
    let span = body.blocks[owner].exit_span;
    let refuse = |reason| Refusal::new(span, reason);
    if args.iter().any(|&arg| is_of_lanes(module, body, arg)) {
        return Err(refuse("it runs the last iterations of one that is"));
    }
    let blocks: Vec<Block> = walk::inside(body, owner).collect();
    let mut inside: FxHashSet<Local> = FxHashSet::default();
    for &block in &blocks {
        inside.extend(&body.blocks[block].inputs);
        inside.extend(body.blocks[block].nodes.iter().flat_map(|&node| body.results(node)));
    }
    let (strides, plain) = (SideTable::new(), SideTable::new());
    let mut search = Search { module, body, tree, owner, any_order, blocks, inside, strides, plain };
    search.exits(&[Some(first), next])?;

    let Exit::LoopIf { condition: test, .. } = &body.blocks[condition].exit else {
        return Err(refuse("its condition has several blocks"));
    };
    let last = walk::chain_end(body, next.unwrap_or(first));
    let Exit::Continue(_, again) = &body.blocks[last].exit else { return Err(refuse("it never begins again")) };
    if next.is_some_and(|next| !body.blocks[next].inputs.is_empty()) {
        return Err(refuse("it is left in several ways"));
    }
    let inputs = &body.blocks[condition].inputs;
    let (index, bound) =
        search.test(*test, inputs).ok_or(refuse("its condition is not that an index is below a bound"))?;
    let carried: Option<Vec<Carried>> =
        inputs.iter().zip(again).map(|(&input, &value)| search.carried(input, value)).collect();
    let carried = carried.ok_or(refuse("an iteration needs a result of the one before"))?;
    if carried[index] != Carried::Counter(1) {
        return Err(refuse("its index does not grow by 1"));
    }
    let divergence = Divergence::of_iterations(body, tree, owner);
    search.find_strides(inputs, &carried, &divergence);
    search.nodes(&divergence)?;
    let outside = search.outside(condition)?;
    let may_trap = search.blocks.iter().any(|&block| matches!(body.blocks[block].exit, Exit::Trap(_)));
    Ok(Iterations { owner, carried, index, bound, outside, may_trap, strides: search.strides })
}

/// Whether a value is the result of a function of lanes.
fn is_of_lanes(module: &Module, body: &Body, value: Value) -> bool {
    let callee = body.node_of(value).and_then(|node| body.callee(node));
    callee.is_some_and(|func| module.funcs[func].decorations.has(Decoration::Vectorized))
}

struct Search<'a> {
    module: &'a Module,
    body: &'a Body,
    tree: &'a Tree,
    owner: Block,
    any_order: bool,
    /// Of the loop.
    blocks: Vec<Block>,
    /// Values of the loop.
    inside: FxHashSet<Local>,
    strides: SideTable<Local, Option<u64>>,
    /// Values made of counters, constants and values from outside.
    plain: SideTable<Local, bool>,
}

/// An access to memory.
struct Access {
    span: Span,
    is_store: bool,
    address: Value,
    arg: MemArg,
}

impl Search<'_> {
    fn is_inside(&self, value: Value) -> bool {
        value.as_local().is_some_and(|local| self.inside.contains(&local))
    }

    /// Whether a value consists of numbers and truth values, which lanes can hold.
    fn is_number(&self, local: Local) -> bool {
        let kind = &self.module.types[self.body.local_type(local)];
        matches!(kind, TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix { .. })
    }

    /// Whether a value is made of counters, constants and values from outside.
    fn is_plain(&self, value: Value) -> bool {
        !self.is_inside(value) || value.as_local().is_some_and(|local| self.plain[local])
    }

    /// The growth of a value with each iteration.
    fn stride_of(&self, value: Value, divergence: &Divergence) -> Option<u64> {
        match value.as_local() {
            Some(local) if divergence.is_varying(value) => self.strides[local],
            _ => Some(0),
        }
    }

    fn constant(&self, value: Value) -> Option<u64> {
        self.module.consts.as_bits(value.as_const()?)
    }

    fn integer(&self, ty: Type) -> Option<Scalar> {
        match self.module.types[ty] {
            TypeKind::Scalar(scalar) if scalar.is_integer() => Some(scalar),
            _ => None,
        }
    }

    /// All exits stay in the loop, and only the ends of its chains begin it again.
    fn exits(&self, chains: &[Option<Block>]) -> Result<(), Refusal> {
        let ends: Vec<Block> = chains.iter().flatten().map(|&chain| walk::chain_end(self.body, chain)).collect();
        for &block in &self.blocks {
            let data = &self.body.blocks[block];
            let refuse = |reason| Err(Refusal::new(data.exit_span, reason));
            if !data.variables.is_empty() {
                return refuse("it has variables in memory");
            }
            match data.exit {
                Exit::Trap(_) => self.trap(block)?,
                Exit::Return(_) | Exit::Discard | Exit::Open => return refuse("an iteration may be the last one"),
                Exit::Break(label, _) if !self.tree.is_inside(label, self.owner) => {
                    return refuse("an iteration may be the last one");
                }
                Exit::Continue(label, _)
                    if !self.tree.is_inside(label, self.owner) && (label != self.owner || !ends.contains(&block)) =>
                {
                    return refuse("it is left in several ways");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A trap is an arm of an `If`, before which the iteration stores nothing: the batch of that iteration can be given up and begun again.
    fn trap(&self, block: Block) -> Result<(), Refusal> {
        let refuse = |reason| Err(Refusal::new(self.body.blocks[block].exit_span, reason));
        let owner = self.tree.place(block).and_then(|place| place.owner);
        let is_arm =
            |owner: &Block| stopping_arm(self.body, *owner).is_some_and(|arm| arms(self.body, *owner)[arm] == block);
        let Some(owner) = owner.filter(is_arm) else { return refuse("an iteration may be the last one") };
        let stores = |block: &Block| {
            self.body.blocks[*block].nodes.iter().any(|&node| self.body.node(node).op == Op::MemoryStore)
        };
        let mut before = self.blocks.iter().take_while(|&&other| other != block);
        // In a loop, what comes later may have run before.
        let mut around =
            std::iter::successors(Some(owner), |&owner| self.tree.place(owner).and_then(|place| place.owner))
                .take_while(|&owner| owner != self.owner)
                .filter(|&owner| matches!(self.body.blocks[owner].exit, Exit::Loop { .. } | Exit::DoLoop { .. }));
        match before.any(stores) || around.any(|owner| walk::inside(self.body, owner).any(|block| stores(&block))) {
            true => refuse("an iteration may be the last one, after it has stored something"),
            false => Ok(()),
        }
    }

    /// The number of the input that is the index, and the bound.
    fn test(&self, test: Value, inputs: &[Local]) -> Option<(usize, Value)> {
        let node = self.body.node_of(test)?;
        let args = self.body.args(node);
        let (index, bound) = match self.body.node(node).op {
            Op::LessThan => (args[0], args[1]),
            Op::GreaterThan => (args[1], args[0]),
            _ => return None,
        };
        let local = index.as_local()?;
        self.integer(self.body.local_type(local))?;
        let number = inputs.iter().position(|&input| input == local)?;
        (!self.is_inside(bound)).then_some((number, bound))
    }

    fn carried(&self, input: Local, again: Value) -> Option<Carried> {
        let ty = self.body.local_type(input);
        if let Some(scalar) = self.integer(ty)
            && let Some(node) = self.body.node_of(again)
            && let &[x, y] = self.body.args(node)
        {
            let all = u64::MAX >> (64 - scalar.bits());
            let step = match self.body.node(node).op {
                Op::Add if x == input.into() => self.constant(y),
                Op::Add if y == input.into() => self.constant(x),
                Op::Subtract if x == input.into() => self.constant(y).map(|step| step.wrapping_neg() & all),
                _ => None,
            };
            if let Some(step) = step {
                return Some(Carried::Counter(step));
            }
        }
        let op = self.reduction(input, again)?;
        Some(Carried::Reduction(op))
    }

    /// The op of a reduction: all that is made of the value are its results, and choices of them.
    fn reduction(&self, input: Local, again: Value) -> Option<Op> {
        matches!(self.module.types[self.body.local_type(input)], TypeKind::Scalar(_)).then_some(())?;
        let mut found: Option<Op> = None;
        let mut of_it: FxHashSet<Value> = FxHashSet::from_iter([input.into()]);
        // Blocks in the order of the walk: operands come before.
        for &block in &self.blocks {
            let data = &self.body.blocks[block];
            for &node in &data.nodes {
                let args = self.body.args(node);
                let uses = args.iter().filter(|arg| of_it.contains(arg)).count();
                if uses == 0 {
                    continue;
                }
                let is_choice = self.body.node(node).op == Op::Select && uses == 2 && !of_it.contains(&args[0]);
                if !is_choice {
                    // (What the value is subtracted from is no sum of it.)
                    let is_first = self.body.node(node).op != Op::Subtract || of_it.contains(&args[0]);
                    let op = self.step(node).filter(|_| uses == 1 && is_first)?;
                    found.is_none_or(|other| other == op).then_some(())?;
                    found = Some(op);
                }
                of_it.extend(self.body.results(node).map(Value::from));
            }
            let chooses = match data.exit {
                Exit::If { condition, .. } | Exit::LoopIf { condition, .. } => of_it.contains(&condition),
                Exit::Switch { selector, .. } => of_it.contains(&selector),
                _ => false,
            };
            if chooses {
                return None;
            }
            // (What is passed to the loop's own merge block is used outside.)
            for (target, args) in self.edges_inside(block) {
                for (&to, arg) in self.body.blocks[target].inputs.iter().zip(args) {
                    if to != input && of_it.contains(arg) {
                        self.is_merge_of_if(target).then_some(())?;
                        of_it.insert(to.into());
                    }
                }
            }
        }
        // Each way to a merge must bring one of the values.
        for &block in &self.blocks {
            for (target, args) in self.edges_inside(block) {
                let inputs = self.body.blocks[target].inputs.iter();
                let brings_another =
                    |(&to, arg): (&Local, &Value)| to != input && of_it.contains(&to.into()) && !of_it.contains(arg);
                (!inputs.zip(args).any(brings_another)).then_some(())?;
            }
        }
        found.filter(|_| of_it.contains(&again))
    }

    /// The op by which a node is a step of a reduction: one that may be made in any order. What is subtracted is added in the end.
    fn step(&self, node: Node) -> Option<Op> {
        let data = self.body.node(node);
        let op = if data.op == Op::Subtract { Op::Add } else { data.op };
        let is_exact = match self.module.types[self.body.local_type(self.body.result(node)?)] {
            TypeKind::Scalar(scalar) if scalar.is_float() => matches!(op, Op::Minimum | Op::Maximum),
            _ => true,
        };
        let is_free = is_exact || (data.imm.is_reassociable() || self.any_order) && !data.precise;
        (is_reduction(op) && is_free).then_some(op)
    }

    /// The edges of a block to blocks of the loop.
    fn edges_inside(&self, block: Block) -> impl Iterator<Item = (Block, &[Value])> {
        self.tree.edges(self.body, block).into_iter().filter(|&(target, _)| self.tree.is_inside(target, self.owner))
    }

    /// Whether a block is where the arms of an `If` meet.
    fn is_merge_of_if(&self, block: Block) -> bool {
        self.tree.merged(block).is_some_and(|owner| matches!(self.body.blocks[owner].exit, Exit::If { .. }))
    }

    fn find_strides(&mut self, inputs: &[Local], carried: &[Carried], divergence: &Divergence) {
        for (&input, &carried) in inputs.iter().zip(carried) {
            if let Carried::Counter(step) = carried {
                self.strides[input] = Some(step);
                self.plain[input] = true;
            }
        }
        for i in 0..self.blocks.len() {
            for &node in &self.body.blocks[self.blocks[i]].nodes {
                let Some(result) = self.body.result(node) else { continue };
                let args = self.body.args(node);
                self.strides[result] = match divergence.is_varying(result.into()) {
                    true => self.stride(node, result, divergence),
                    false => Some(0),
                };
                self.plain[result] = self.body.node(node).op.is_pure() && args.iter().all(|&arg| self.is_plain(arg));
            }
        }
    }

    fn stride(&self, node: Node, result: Local, divergence: &Divergence) -> Option<u64> {
        let scalar = self.integer(self.body.local_type(result))?;
        let args = self.body.args(node);
        let of = |value: Value| self.stride_of(value, divergence);
        let stride = match self.body.node(node).op {
            Op::Add => of(args[0])?.wrapping_add(of(args[1])?),
            Op::Subtract => of(args[0])?.wrapping_sub(of(args[1])?),
            Op::Negate => of(args[0])?.wrapping_neg(),
            Op::Multiply => match (self.constant(args[0]), self.constant(args[1])) {
                (_, Some(factor)) => of(args[0])?.wrapping_mul(factor),
                (Some(factor), _) => of(args[1])?.wrapping_mul(factor),
                _ => return None,
            },
            Op::ShiftLeft => of(args[0])? << (self.constant(args[1])? & u64::from(scalar.bits() - 1)),
            Op::Bitcast | Op::ConstructScalarFromScalar => {
                let from = self.integer(self.body.local_type(args[0].as_local()?))?;
                (from.bits() >= scalar.bits()).then_some(())?;
                of(args[0])?
            }
            _ => return None,
        };
        Some(stride & u64::MAX >> (64 - scalar.bits()))
    }

    /// Every node can be widened, and no access to memory meets that of another iteration.
    fn nodes(&self, divergence: &Divergence) -> Result<(), Refusal> {
        let mut accesses: Vec<Access> = Vec::new();
        for &block in &self.blocks {
            for &node in &self.body.blocks[block].nodes {
                let data = self.body.node(node);
                let refuse = |reason| Err(Refusal::new(data.span, reason));
                if !self.body.results(node).all(|local| self.is_number(local)) {
                    return refuse("it computes something else than numbers");
                }
                match data.op {
                    Op::MemoryLoad | Op::MemoryStore => {
                        if self.is_conditional(block, divergence) {
                            return refuse("an access to memory depends on a condition");
                        }
                        let address = self.body.args(node)[0];
                        let is_store = data.op == Op::MemoryStore;
                        accesses.push(Access { span: data.span, is_store, address, arg: data.imm.as_mem_arg() });
                    }
                    op if !op.is_pure() => return refuse("it has an effect that cannot be moved, or may trap"),
                    _ => match data.op.info().class {
                        Class::Unary
                        | Class::Binary
                        | Class::Compare
                        | Class::BuiltIn
                        | Class::Construct
                        | Class::Extract => {}
                        _ => return refuse("it has an operation that lanes lack"),
                    },
                }
            }
        }
        accesses.iter().try_for_each(|access| self.access(access, &accesses, divergence))
    }

    fn is_conditional(&self, block: Block, divergence: &Divergence) -> bool {
        let mut at = self.tree.place(block).and_then(|place| place.owner);
        while let Some(owner) = at.filter(|&owner| owner != self.owner) {
            if divergence.is_apart(owner) || divergence.leaks(owner) {
                return true;
            }
            at = self.tree.place(owner).and_then(|place| place.owner);
        }
        false
    }

    fn access(&self, access: &Access, all: &[Access], divergence: &Divergence) -> Result<(), Refusal> {
        let refuse = |reason| Err(Refusal::new(access.span, reason));
        if !access.arg.in_bounds {
            return refuse("it may access memory out of bounds");
        }
        let memory = &self.module.memories[access.arg.memory];
        if memory.max_pages.is_none_or(|most| most >= PAGES) {
            return refuse("addresses of the memory may wrap around");
        }
        let stride = |access: &Access| self.stride_of(access.address, divergence);
        let follows = |access: &Access| stride(access) == Some(access.arg.width.bytes().into());
        match (access.is_store, follows(access)) {
            (false, _) => return Ok(()),
            (true, false) => return refuse("elements that it stores do not follow each other"),
            (true, true) => {}
        }
        let place = |access: &Access| Bytes::of(self.module, self.body, access.address, access.arg);
        for other in all.iter().filter(|other| may_be_one_memory(self.module, access.arg.memory, other.arg.memory)) {
            let same = place(access) == place(other) && follows(other);
            if !(same && self.is_plain(access.address) && self.is_plain(other.address)) {
                return refuse("an iteration may need what another one stores");
            }
        }
        Ok(())
    }

    /// Values from outside that the loop uses.
    fn outside(&self, condition: Block) -> Result<Vec<Local>, Refusal> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        let mut note = |value: Value| {
            if let Some(local) = value.as_local().filter(|local| !self.inside.contains(local))
                && seen.insert(local)
            {
                found.push(local);
            }
        };
        for &block in &self.blocks {
            let data = &self.body.blocks[block];
            data.nodes.iter().for_each(|&node| self.body.args(node).iter().copied().for_each(&mut note));
            match &data.exit {
                Exit::LoopIf { body_args, .. } if block == condition => body_args.iter().copied().for_each(&mut note),
                exit => exit.for_each_operand(&mut note),
            }
        }
        if !found.iter().all(|&local| self.is_number(local)) {
            let span = self.body.blocks[self.owner].exit_span;
            return Err(Refusal::new(span, "it uses something else than numbers"));
        }
        Ok(found)
    }
}

/// The arms of an `If`.
fn arms(body: &Body, owner: Block) -> [Block; 2] {
    match body.blocks[owner].exit {
        Exit::If { then, otherwise, .. } => [then, otherwise],
        _ => panic!("no `If`"),
    }
}

/// Whether the op is associative and commutative, in each bit of an integer or truth value.
fn is_reduction(op: Op) -> bool {
    use Op::{Add, BitwiseAnd, BitwiseOr, BitwiseXor, LogicalAnd, LogicalOr, LogicalXor, Multiply};
    use Op::{Max, Maximum, Min, Minimum};
    matches!(
        op,
        Add | Multiply
            | BitwiseAnd
            | BitwiseOr
            | BitwiseXor
            | LogicalAnd
            | LogicalOr
            | LogicalXor
            | Min
            | Max
            | Minimum
            | Maximum
    )
}
