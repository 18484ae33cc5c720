//! A loop of independent iterations as functions that run some of them: chunks for several threads.
//!
//! ```text
//! fn @f(…) -> (r)             fn @bounds(…, first) -> (n, from…)        the number of iterations; where iteration `first` writes, in bytes
//!   …                         fn @chunk(…, first, end, from…) -> (p…)    iterations first..end; partial results of reductions
//!   loop                      fn @combine(p…, q…) -> (p…)                those of a chunk and of the next one
//!   … return r                fn @finish(…, n, p…) -> (r)                what follows the loop
//! ```
//!
//! A chunk writes nothing but its own elements, which follow each other: of a memory that the loop writes, it is given the bytes from `from` on
//! as the whole memory. What comes before the loop is pure, and each of the functions computes it again.
//!
//! **Holds before:** a valid, placed module.

use planish_ir::builder::{Builder, Policy, Request, Results};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Block, Func, Local, Memory, Node, Type, Value};
use planish_ir::function::{Args, Body, Exit, Param, ResultType};
use planish_ir::module::{EntryPoint, Module, StageProperties};
use planish_ir::ops::{MemArg, Op};
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::Scalar;
use planish_ir::walk;
use rustc_hash::FxHashSet;

use crate::restage::{Stage, copy_node, restage};
use crate::vectorize_loops::candidate::{Refusal, find};
use crate::widen::{Carried, Iterations, after, identity};

/// Depth of the expression of an address.
const MAX_DEPTH: u32 = 64;

/// The functions of a loop that was split; each is an entry point of the module.
#[derive(Clone, Debug)]
pub struct Split {
    /// See the module's documentation.
    pub bounds: String,
    /// See the module's documentation.
    pub chunk: String,
    /// See the module's documentation.
    pub combine: String,
    /// See the module's documentation.
    pub finish: String,
    /// The memories that the loop writes, in the order of `from…`.
    pub written: Vec<Memory>,
    /// Other memories that a chunk reads; nothing writes them.
    pub read: Vec<Memory>,
    /// The types of the partial results.
    pub partial: Vec<Scalar>,
}

/// A loop that can be split.
struct Found {
    iterations: Iterations,
    /// One address of each memory that is written.
    written: Vec<(Memory, Value, MemArg)>,
    /// By carried value.
    types: Vec<Type>,
    /// Memories that are read only.
    read: Vec<Memory>,
}

/// Splits the first loop of a function that has iterations to share.
///
/// # Errors
/// The place and the reason, if there is no such loop.
pub fn run(module: &mut Module, func: Func) -> Result<Split, (Span, &'static str)> {
    let found = search(module, func)?;
    let body = module.funcs[func].body.clone().expect("it has a loop");
    let name = module.funcs[func].name.text.to_string();
    let named = |part: &str| format!("{name}: {part}");
    let split = Split {
        bounds: named("bounds"),
        chunk: named("chunk"),
        combine: named("combine"),
        finish: named("finish"),
        written: found.written.iter().map(|(memory, ..)| *memory).collect(),
        read: found.read.clone(),
        partial: found.reductions().map(|(_, _, ty)| module.types.scalar_of(ty).expect("a scalar")).collect(),
    };
    let source = Source { func, body: &body, found: &found };
    source.bounds(module, &split.bounds);
    source.chunk(module, &split.chunk);
    source.finish(module, &split.finish);
    combine(module, &split.combine, &found);
    Ok(split)
}

impl Found {
    /// The reductions: number of the carried value, op, type.
    fn reductions(&self) -> impl Iterator<Item = (usize, Op, Type)> {
        let carried = self.iterations.carried.iter().zip(&self.types).enumerate();
        carried.filter_map(|(i, (&carried, &ty))| match carried {
            Carried::Reduction(op) => Some((i, op, ty)),
            Carried::Counter(_) => None,
        })
    }
}

fn search(module: &Module, func: Func) -> Result<Found, (Span, &'static str)> {
    let span = module.funcs[func].span;
    let Some(body) = module.funcs[func].body.as_ref() else { return Err((span, "it has no body")) };
    let tree = Tree::new(body);
    // Loops before the first one that is split would be run by each chunk.
    let is_loop = |&block: &Block| matches!(body.blocks[block].exit, Exit::Loop { .. } | Exit::DoLoop { .. });
    let Some(owner) = walk::blocks(body).find(is_loop) else { return Err((span, "it has no loop")) };
    let loop_span = body.blocks[owner].exit_span;
    let Exit::Loop { condition, .. } = body.blocks[owner].exit else {
        return Err((loop_span, "its first loop tests at its end"));
    };
    let iterations = find(module, body, &tree, owner, false).map_err(|Refusal { span, reason }| (span, reason))?;
    let types: Vec<Type> = body.blocks[condition].inputs.iter().map(|&input| body.local_type(input)).collect();
    if module.types.scalar_of(types[iterations.index]).is_some_and(|scalar| scalar.bits() != 32) {
        return Err((loop_span, "its index has other than 32 bits"));
    }
    let mut written: Vec<(Memory, Value, MemArg)> = Vec::new();
    for block in walk::inside(body, owner) {
        for &node in &body.blocks[block].nodes {
            let arg = body.node(node).imm.as_mem_arg();
            if body.node(node).op == Op::MemoryStore && written.iter().all(|(memory, ..)| *memory != arg.memory) {
                written.push((arg.memory, body.args(node)[0], arg));
            }
        }
    }
    let behind: FxHashSet<Block> = behind(body, owner);
    let inside: FxHashSet<Block> = walk::inside(body, owner).collect();
    let before: Vec<Block> =
        walk::blocks(body).filter(|block| !inside.contains(block) && !behind.contains(block)).collect();
    before.iter().try_for_each(|&block| repeats(body, block, &written))?;
    let read = read(module, body, before.into_iter().chain(inside), &written)
        .ok_or((loop_span, "it reads a slice that is written after the loop"))?;
    Ok(Found { iterations, written, types, read })
}

/// A block before the loop does the same for each chunk.
fn repeats(body: &Body, block: Block, written: &[(Memory, Value, MemArg)]) -> Result<(), (Span, &'static str)> {
    let data = &body.blocks[block];
    if !data.variables.is_empty() {
        return Err((data.exit_span, "it has variables in memory"));
    }
    let repeats = |&node: &Node| {
        let data = body.node(node);
        let is_read = || written.iter().all(|(memory, ..)| *memory != data.imm.as_mem_arg().memory);
        data.op.is_pure() || data.op == Op::MemoryLoad && is_read()
    };
    match data.nodes.iter().find(|node| !repeats(node)) {
        Some(&node) => {
            let span = body.node(node).span;
            Err((span, "something before the loop has an effect, or depends on what the loop writes"))
        }
        None => Ok(()),
    }
}

/// The memories that blocks read and the loop does not write; `None` if something else writes one.
fn read(
    module: &Module,
    body: &Body,
    blocks: impl Iterator<Item = Block>,
    written: &[(Memory, Value, MemArg)],
) -> Option<Vec<Memory>> {
    let mut found: Vec<Memory> = Vec::new();
    for block in blocks {
        for &node in &body.blocks[block].nodes {
            let memory = body.node(node).imm.as_mem_arg().memory;
            let is_new = body.node(node).op == Op::MemoryLoad
                && written.iter().all(|(other, ..)| *other != memory)
                && !found.contains(&memory);
            if is_new {
                found.push(memory);
            }
        }
    }
    let stores = |body: &Body| {
        body.nodes().any(|(_, data)| data.op == Op::MemoryStore && found.contains(&data.imm.as_mem_arg().memory))
    };
    let is_changed = module.funcs.values().filter_map(|function| function.body.as_ref()).any(stores);
    (!is_changed).then_some(found)
}

/// Blocks that are reached through the end of a loop only: its merge chain, and what is nested in that.
fn behind(body: &Body, owner: Block) -> FxHashSet<Block> {
    let mut found = FxHashSet::default();
    let mut next = body.blocks[owner].exit.merge_block();
    while let Some(block) = next {
        found.insert(block);
        found.extend(walk::inside(body, block));
        next = body.blocks[block].exit.merge_block();
    }
    found
}

/// The material of the functions.
struct Source<'a> {
    func: Func,
    body: &'a Body,
    found: &'a Found,
}

impl Source<'_> {
    fn add(&self, module: &mut Module, name: &str, extra: &[Type], results: &[Type], body: Body) -> Func {
        let mut params = module.funcs[self.func].params.clone();
        params.extend(extra.iter().map(|&ty| Param::new(Name::new("x", NameSource::Internal), ty)));
        let added = add(module, name, params, results);
        module.funcs[added].body = Some(body);
        added
    }

    fn owner(&self) -> Block {
        self.found.iterations.owner
    }

    fn params(&self) -> usize {
        self.body.blocks[self.body.entry].inputs.len()
    }

    fn start(&self) -> &Args {
        match &self.body.blocks[self.owner()].exit {
            Exit::Loop { args, .. } => args,
            _ => panic!("no loop"),
        }
    }

    fn bounds(&self, module: &mut Module, name: &str) {
        let mut body = self.body.clone();
        // The stage takes these values out of the exit.
        let Iterations { bound, ref outside, .. } = self.found.iterations;
        let values = self.start().iter().copied().chain([bound]).chain(outside.iter().map(|&local| local.into()));
        body.blocks[self.owner()].exit = Exit::Return(values.collect());
        let results = vec![Type::U32; 1 + self.found.written.len()];
        let added = self.add(module, name, &[Type::U32], &results, body);
        restage(module, added, Policy::PLAIN, &mut Bounds { source: self, results: results.len() });
    }

    fn chunk(&self, module: &mut Module, name: &str) {
        let mut body = self.body.clone();
        let Exit::Loop { merge, condition, .. } = body.blocks[self.owner()].exit else { panic!("no loop") };
        body.blocks[merge].nodes.clear();
        body.blocks[merge].variables.clear();
        let inputs = &body.blocks[condition].inputs;
        let partial: Args = self.found.reductions().map(|(i, ..)| inputs[i].into()).collect();
        body.blocks[merge].exit = Exit::Return(partial);
        let results: Vec<Type> = self.found.reductions().map(|(.., ty)| ty).collect();
        let extra = vec![Type::U32; 2 + self.found.written.len()];
        let added = self.add(module, name, &extra, &results, body);
        restage(module, added, Policy::PLAIN, &mut Chunk { source: self, merge, condition, end: None });
    }

    fn finish(&self, module: &mut Module, name: &str) {
        let results: Vec<Type> = module.funcs[self.func].results.iter().map(|result| result.ty).collect();
        let extra: Vec<Type> = [Type::U32].into_iter().chain(self.found.reductions().map(|(.., ty)| ty)).collect();
        let added = self.add(module, name, &extra, &results, self.body.clone());
        restage(module, added, Policy::PLAIN, &mut Finish { source: self });
    }
}

fn add(module: &mut Module, name: &str, params: Vec<Param>, results: &[Type]) -> Func {
    let results = results.iter().map(|&ty| ResultType::new(ty)).collect();
    let func = module.add_func(Name::new(name, NameSource::Internal), params, results, Span::NONE);
    let names = vec![name.into()];
    module.entry_points.push(EntryPoint { names, func, stage: None, properties: StageProperties::default() });
    func
}

/// Writes the function that combines partial results.
fn combine(module: &mut Module, name: &str, found: &Found) {
    let reductions: Vec<(Op, Type)> = found.reductions().map(|(_, op, ty)| (op, ty)).collect();
    let types: Vec<Type> = reductions.iter().map(|(_, ty)| *ty).collect();
    let param = |&ty: &Type| Param::new(Name::new("x", NameSource::Internal), ty);
    let params = types.iter().chain(&types).map(param).collect();
    let added = add(module, name, params, &types);
    let mut b = Builder::new(module, added, Policy::PLAIN);
    let count = types.len();
    let combined: Vec<Value> = (reductions.iter().enumerate())
        .map(|(i, (op, _))| {
            let args = [b.param(i), b.param(count + i)];
            b.op(*op, &args)
        })
        .collect();
    b.ret(&combined);
    b.finish();
}

/// The number of iterations, and the addresses of one.
struct Bounds<'a> {
    source: &'a Source<'a>,
    results: usize,
}

impl Stage for Bounds<'_> {
    fn leave(&mut self, block: Block, exit: Exit, b: &mut Builder<'_, '_>) -> Exit {
        let Exit::Return(values) = exit else { return exit };
        if block != self.source.owner() {
            // The loop does not begin.
            return Exit::Return((0..self.results).map(|_| b.u32(0)).collect());
        }
        let found = self.source.found;
        let count = found.types.len();
        let (start, bound) = (&values[..count], values[count]);
        let index = start[found.iterations.index];
        let runs = b.op(Op::LessThan, &[index, bound]);
        let length = b.op(Op::Subtract, &[bound, index]);
        let (length, none) = (as_u32(b, length), b.u32(0));
        let mut results: Args = [b.op(Op::Select, &[runs, length, none])].into_iter().collect();
        let first = b.param(self.source.params());
        for (_, address, arg) in &found.written {
            let address = self.rebuilt(*address, &values, first, b, 0);
            let (address, offset) = (as_u32(b, address), b.u32(arg.offset));
            results.push(b.op(Op::Add, &[address, offset]));
        }
        Exit::Return(results)
    }
}

impl Bounds<'_> {
    /// A value that is made of counters, constants and values from outside, in iteration `first`. Recursion: the depth of the expression of
    /// an address.
    fn rebuilt(&self, value: Value, values: &[Value], first: Value, b: &mut Builder<'_, '_>, depth: u32) -> Value {
        let (body, found) = (self.source.body, self.source.found);
        let Some(local) = value.as_local() else { return value };
        let count = found.types.len();
        if let Some(number) = found.iterations.outside.iter().position(|&outside| outside == local) {
            return values[count + 1 + number];
        }
        if let Some(number) = carried_number(self.source, local)
            && let Carried::Counter(step) = found.iterations.carried[number]
        {
            return after(b, (values[number], step), first);
        }
        let node =
            body.node_of(value).filter(|_| depth < MAX_DEPTH).expect("an address is made of counters and constants");
        let args: Vec<Value> =
            body.args(node).iter().map(|&arg| self.rebuilt(arg, values, first, b, depth + 1)).collect();
        let data = body.node(node);
        b.make(Request::new(data.op, &args).imm(data.imm).ty(body.local_type(local)))
    }
}

/// The number of a carried value.
fn carried_number(source: &Source<'_>, local: Local) -> Option<usize> {
    let Exit::Loop { condition, .. } = source.body.blocks[source.owner()].exit else { return None };
    source.body.blocks[condition].inputs.iter().position(|&input| input == local)
}

/// Some iterations.
struct Chunk<'a> {
    source: &'a Source<'a>,
    /// Of the loop.
    merge: Block,
    condition: Block,
    /// The index behind the last one.
    end: Option<Value>,
}

impl Stage for Chunk<'_> {
    fn node(&mut self, source: &Body, node: Node, args: &[Value], b: &mut Builder<'_, '_>) -> Results {
        let data = source.node(node);
        let is_access = matches!(data.op, Op::MemoryLoad | Op::MemoryStore);
        let arg = data.imm.as_mem_arg();
        let number = self.source.found.written.iter().position(|(memory, ..)| is_access && *memory == arg.memory);
        let Some(number) = number else { return copy_node(source, node, args, b) };
        // (Without the offset, which may be what brings an address to its element.)
        let (from, offset) = (b.param(self.source.params() + 2 + number), b.u32(arg.offset));
        let base = b.op(Op::Subtract, &[from, offset]);
        let mut args = args.to_vec();
        let ty = b.type_of(args[0]);
        let base = if ty == Type::U32 { base } else { b.op_typed(Op::Bitcast, &[base], ty) };
        args[0] = b.op(Op::Subtract, &[args[0], base]);
        let imm = MemArg { offset: 0, ..arg }.into();
        let ty = source.result(node).map(|result| source.local_type(result));
        b.make_all(Request { op: data.op, imm, args: &args, ty, precision: Some(data.precision) })
    }

    fn leave(&mut self, block: Block, mut exit: Exit, b: &mut Builder<'_, '_>) -> Exit {
        let (found, params) = (self.source.found, self.source.params());
        match &mut exit {
            Exit::Loop { args, .. } if block == self.source.owner() => {
                let [first, end] = [0, 1].map(|i| b.param(params + i));
                self.end = Some(after(b, (args[found.iterations.index], 1), end));
                for (i, arg) in args.iter_mut().enumerate() {
                    *arg = match found.iterations.carried[i] {
                        Carried::Counter(step) => after(b, (*arg, step), first),
                        Carried::Reduction(op) => identity(b, op, found.types[i]),
                    };
                }
            }
            Exit::LoopIf { condition, .. } if block == self.condition => {
                let index = self.source.body.blocks[block].inputs[found.iterations.index];
                let node = b.body().node_of(*condition).expect("it is a comparison");
                let args = b.body().args(node);
                let number = usize::from(b.body().node(node).op == Op::GreaterThan);
                let (index, end) = (args[number], self.end.unwrap_or(index.into()));
                *condition = b.op(Op::LessThan, &[index, end]);
            }
            Exit::Return(args) if block != self.merge => {
                *args = found.reductions().map(|(_, op, ty)| identity(b, op, ty)).collect();
            }
            _ => {}
        }
        exit
    }
}

/// The code behind the loop.
struct Finish<'a> {
    source: &'a Source<'a>,
}

impl Stage for Finish<'_> {
    fn leave(&mut self, block: Block, mut exit: Exit, b: &mut Builder<'_, '_>) -> Exit {
        let (found, params) = (self.source.found, self.source.params());
        if let Exit::Loop { args, .. } = &mut exit
            && block == self.source.owner()
        {
            let (count, mut partial) = (b.param(params), params + 1..);
            for (i, arg) in args.iter_mut().enumerate() {
                *arg = match found.iterations.carried[i] {
                    Carried::Counter(step) => after(b, (*arg, step), count),
                    Carried::Reduction(op) => {
                        let partial = b.param(partial.next().expect("there is no last one"));
                        b.op(op, &[*arg, partial])
                    }
                };
            }
        }
        exit
    }
}

fn as_u32(b: &mut Builder<'_, '_>, value: Value) -> Value {
    if b.type_of(value) == Type::U32 { value } else { b.op_typed(Op::Bitcast, &[value], Type::U32) }
}
