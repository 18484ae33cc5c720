//! The walk through a function: every value becomes its scalars, every pointer a place.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::decoration::{Decoration, Precision};
use planish_ir::diagnostic::Code;
use planish_ir::entity::{Block, Const, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Args, Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Op};
use planish_ir::source::Span;
use planish_ir::tree::Tree;
use planish_ir::types::{AddressSpace, TypeKind};
use planish_ir::walk::{Event, events};

use super::Lowering;
use super::arith::{componentwise, is_componentwise, pairs, reduce};
use super::lanes::{Lanes, lanes_of};
use super::memory::{Home, is_increment};
use super::pointers::{Cell, Place, constants, load, store};
use super::values::{Parts, Typed, construct, part};
use crate::legalize::{Legalizer, algebra, number, pack};
use crate::restage::exits::{CopyExit, copy_exit};

/// Constant arrays of more scalars than this lie in memory where they are indexed.
const MAX_TABLE_IN_CODE: usize = 16;

/// Lowers the body of a function, whose signature is lowered already.
pub(super) fn lower<'a>(module: &mut Module, old: &'a Module, func: Func, lowering: &mut Lowering<'a>) {
    let body = old.funcs[func].body.as_ref().expect("it has a body");
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let legalizer = Legalizer::new(lowering.target);
    let needed = needed(old, body, lowering.memory.lanes);
    let mut lowerer = Lowerer {
        old,
        body,
        func,
        tree: Tree::new(body),
        legalizer,
        lowering,
        values: SideTable::new(),
        places: SideTable::new(),
        needed,
        blocks: SideTable::new(),
        before: &[],
    };
    lowerer.body(&mut builder);
    builder.finish();
}

pub(super) struct Lowerer<'a, 'l> {
    pub(super) old: &'a Module,
    pub(super) body: &'a Body,
    func: Func,
    tree: Tree,
    legalizer: Legalizer<'a>,
    lowering: &'l mut Lowering<'a>,
    values: SideTable<Local, Option<Parts>>,
    places: SideTable<Local, Option<Place>>,
    /// Components that something reads, of values with at most 64 of them.
    needed: SideTable<Local, u64>,
    /// First new block of each block, and the new block that ends with its exit.
    blocks: SideTable<Block, (Option<Block>, Option<Block>)>,
    /// The nodes before the one that is lowered, in its block.
    before: &'a [Node],
}

impl Lowerer<'_, '_> {
    /// Number of lanes, in functions over several invocations.
    pub(super) fn lanes(&self) -> Option<u8> {
        self.lowering.memory.lanes
    }

    fn body(&mut self, b: &mut Builder<'_, '_>) {
        let body = self.body;
        self.blocks[body.entry].0 = Some(b.block());
        self.params(b);
        self.begin_stage(b);
        for event in events(body, body.entry) {
            let Event::Enter { block, .. } = event else { continue };
            b.switch_to(self.blocks[block].0.expect("a block is made before its owner ends"));
            self.block(block, b);
        }
    }

    fn params(&mut self, b: &mut Builder<'_, '_>) {
        let mut next = 0;
        for &input in &self.body.blocks[self.body.entry].inputs {
            let ty = self.body.local_type(input);
            let mut types = Vec::new();
            super::scalars(b.module, ty, self.lanes(), &mut types);
            let parts: Parts = (next..next + types.len()).map(|i| b.param(i)).collect();
            next += types.len();
            match b.module.types.pointee(ty) {
                Some((pointee, _)) => {
                    self.lowering.memory.has_addresses();
                    self.places[input] = Some(Place::behind(&self.lowering.memory, parts[0], pointee));
                }
                None => self.values[input] = Some(parts),
            }
        }
    }

    /// Begins a stage: outputs and private variables get their initial values.
    fn begin_stage(&mut self, b: &mut Builder<'_, '_>) {
        if !self.old.entry_points.iter().any(|e| e.func == self.func && e.stage.is_some()) {
            return;
        }
        if let Some(flag) = self.lowering.discarded {
            let zero = b.i32(0);
            b.store(flag.into(), zero);
        }
        for &var in &self.old.globals {
            let data = &self.old.vars[var];
            let read_first = data.decorations.has(Decoration::FramebufferFetch);
            let own = matches!(data.space, AddressSpace::Private | AddressSpace::Output) && !read_first;
            // A constant that the host may specialize holds its value from the start.
            let own = own && !(data.is_const && data.initializer.is_some());
            if own && data.linkage.is_none() && (self.old.is_named(var) || data.space == AddressSpace::Output) {
                self.initialize(b, var);
            }
        }
    }

    /// Stores the initial value of a variable.
    fn initialize(&mut self, b: &mut Builder<'_, '_>, var: Var) {
        let data = &self.old.vars[var];
        let Some(place) = self.place_of(b, var, data.span) else { return };
        let cells = place.cells(&mut self.lowering.memory, b);
        let Some(cells) = cells else { return self.cannot(data.span, "a variable without a size") };
        let values = match data.initializer {
            Some(constant) => constants(b, constant, self.lanes()),
            None => {
                let mut types = Vec::new();
                super::scalars(b.module, data.ty, self.lanes(), &mut types);
                types.into_iter().filter_map(|ty| zero(b, ty)).collect()
            }
        };
        for (cell, value) in cells.into_iter().zip(values) {
            store(b, cell, value);
        }
    }

    fn cannot(&mut self, span: Span, what: &str) {
        self.lowering.error(Code::E0604, span, format!("{what} cannot be lowered to numbers"));
    }

    fn place_of(&mut self, b: &mut Builder<'_, '_>, var: Var, span: Span) -> Option<Place> {
        let place = Place::of(&mut self.lowering.memory, b, var);
        let data = &self.old.vars[var];
        if place.is_none() {
            let text = format!("`{}` is a texture or an image, which numbers cannot stand for", data.name.text);
            self.lowering.error(Code::E0605, span, text);
        }
        let local = data.space == AddressSpace::Function && self.lowering.recursive.contains(&self.func);
        if local && matches!(self.lowering.memory.home(b.module, var), Some(Home::Memory { .. })) {
            let text =
                format!("`{}` lies in memory, of which a function that calls itself has no new one", data.name.text);
            self.lowering.error(Code::E0604, span, text);
        }
        place
    }

    fn block(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let data = &self.body.blocks[block];
        for &var in &data.variables {
            b.at(self.old.vars[var].span);
            if let Some(Home::Parts(parts)) = self.lowering.memory.home(b.module, var) {
                parts.iter().for_each(|&part| b.declare(part));
            }
            self.initialize(b, var);
        }
        let mut at = 0;
        while let Some(&node) = data.nodes.get(at) {
            b.at(self.body.node(node).span);
            at += match self.packed_store(&data.nodes[at..], b) {
                Some(stored) => stored,
                None => {
                    self.before = &data.nodes[..at];
                    self.node(node, b);
                    1
                }
            };
        }
        b.at(data.exit_span);
        self.blocks[block].1 = Some(b.block());
        if data.exit == Exit::Discard {
            return self.discard(b);
        }
        let body = self.body;
        let exit = copy_exit(body, block, self, b);
        b.exit(exit);
    }

    /// Leaves the function; its callers test the flag and leave too.
    fn discard(&mut self, b: &mut Builder<'_, '_>) {
        if let Some(flag) = self.lowering.discarded {
            let one = b.i32(1);
            b.store(flag.into(), one);
        }
        self.leave(b);
    }

    fn leave(&mut self, b: &mut Builder<'_, '_>) {
        let types: Vec<Type> = b.module.funcs[self.func].results.iter().map(|r| r.ty).collect();
        let zeros: Vec<Value> = types.into_iter().filter_map(|ty| zero(b, ty)).collect();
        b.ret(&zeros);
    }

    // Values.

    pub(super) fn parts(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Parts {
        if let Some(constant) = value.as_const() {
            return constants(b, constant, self.lanes());
        }
        let Some(local) = value.as_local() else { return Parts::from_slice(&[value]) };
        match &self.values[local] {
            Some(parts) => parts.clone(),
            None => {
                // An error has been reported where it was made; its users shall not report one more.
                let mut types = Vec::new();
                super::scalars(b.module, self.body.local_type(local), self.lanes(), &mut types);
                types.into_iter().filter_map(|ty| zero(b, ty)).collect()
            }
        }
    }

    fn place(&mut self, pointer: Value, b: &mut Builder<'_, '_>, span: Span) -> Option<Place> {
        match pointer.as_var() {
            Some(var) => self.place_of(b, var, span),
            None => self.places[pointer.as_local()?].clone(),
        }
    }

    pub(super) fn node(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let data = *self.body.node(node);
        let args = self.body.args(node);
        let reported = self.lowering.errors.len();
        let done = match data.op.info().class {
            Class::Access => self.access(node, b),
            Class::Memory => self.memory(node, b),
            _ if is_increment(data.op) => self.memory(node, b),
            Class::Call if matches!(data.op, Op::Call | Op::TailCall) => self.call(node, b),
            Class::Stage if data.op == Op::Demote => {
                let one = b.i32(1);
                self.lowering.discarded.map(|flag| b.store(flag.into(), one))
            }
            // Lanes run in one thread.
            Class::Stage if self.lanes().is_some() && matches!(data.op, Op::ControlBarrier | Op::MemoryBarrier) => {
                Some(())
            }
            Class::Stage | Class::Subgroup | Class::Texture => None,
            Class::Machine | Class::Simd | Class::Token | Class::Call | Class::Custom => self.copy(node, b),
            Class::Unary if data.op == Op::ArrayLength => self.array_length(node, b),
            Class::Unary | Class::Binary | Class::Compare | Class::BuiltIn | Class::Construct | Class::Extract => {
                let typed: Vec<Typed> = args
                    .iter()
                    .map(|&a| Typed { ty: self.old.type_of(self.body, a), parts: self.parts(a, b) })
                    .collect();
                self.pure(node, &typed, b)
            }
        };
        let is_reported = self.lowering.errors.len() > reported || args.iter().any(|&arg| self.has_failed(arg));
        if done.is_none() && !is_reported {
            let op = data.op.text();
            let texture = matches!(data.op.info().class, Class::Texture);
            let code = if texture { Code::E0605 } else { Code::E0604 };
            let message = format!("{} has no `{op}`", self.lowering.target.name);
            self.lowering.error(code, data.span, message);
        }
        self.keep_names(node, b);
    }

    /// Whether a value could not be lowered, which was reported where it is made.
    fn has_failed(&self, value: Value) -> bool {
        value.as_local().is_some_and(|local| self.values[local].is_none() && self.places[local].is_none())
    }

    /// The components of the value of a variable are named after it too, if they are new.
    fn keep_names(&self, node: Node, b: &mut Builder<'_, '_>) {
        let old: Parts =
            self.body.args(node).iter().filter_map(|a| self.values[a.as_local()?].clone()).flatten().collect();
        for result in self.body.results(node).filter(|&r| self.body.origin(r).is_some()) {
            let new = self.values[result].iter().flatten().filter(|part| !old.contains(part));
            new.for_each(|&part| b.keep_origin(self.body, result, part));
        }
    }

    fn pure(&mut self, node: Node, args: &[Typed], b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let results: Vec<Local> = self.body.results(node).collect();
        let result = self.body.local_type(*results.first()?);
        if let Some(n) = self.lanes() {
            let types: Vec<Type> = results.iter().map(|&local| self.body.local_type(local)).collect();
            let all = args.iter().map(|arg| arg.ty).chain(types.iter().copied());
            if all.into_iter().any(|ty| lanes_of(&self.old.types, ty, Some(n)).is_some()) {
                if data.op == Op::ConstructVectorFromMultiple
                    && let Some(parts) = self.packed_load(node, self.before, b)
                {
                    self.values[results[0]] = Some(parts);
                    return Some(());
                }
                let mut lanes = Lanes { legalizer: &mut self.legalizer, n };
                let parts = lanes.pure(b, (data.op, data.imm), args, &types)?;
                results.into_iter().zip(parts).for_each(|(local, parts)| self.values[local] = Some(parts));
                return Some(());
            }
        }
        let scalar = self.old.types.scalar_of(args.first().map_or(result, |a| a.ty));
        if results.len() == 2 {
            let [first, second] = pairs(&mut self.legalizer, b, data.op, args)?;
            self.values[results[0]] = Some(first);
            self.values[results[1]] = Some(second);
            return Some(());
        }
        let parts = match data.op {
            Op::ExtractArrayElement if self.is_table(args) => self.look_up(node, &args[1], b)?,
            op if op.info().class == Class::Extract => part(b, op, data.imm, args)?,
            Op::Any | Op::All | Op::AggregateEqual => {
                let value = reduce(b, data.op, args)?;
                Parts::from_slice(&[value])
            }
            Op::Select if self.old.types.scalar_of(result).is_none() => self.select(args, b),
            op if is_componentwise(op, scalar) => componentwise(&mut self.legalizer, b, op, args, result)?,
            op if op.info().class == Class::Construct => construct(b, op, args, result)?,
            op => {
                let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
                let parts: Vec<Parts> = args.iter().map(|arg| arg.parts.clone()).collect();
                match pack::lower(b, Some(&mut self.legalizer), op, &parts) {
                    Some(parts) => parts,
                    None => algebra::lower(b, op, &types, &parts)?,
                }
            }
        };
        self.values[results[0]] = Some(parts);
        Some(())
    }

    /// Of an array whose length the embedder gives.
    fn array_length(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let place = self.place(self.body.args(node)[0], b, self.body.node(node).span)?;
        let length = b.load(place.length()?.into());
        let length = b.op_typed(Op::Bitcast, &[length], Type::I32);
        self.values[self.body.result(node)?] = Some(Parts::from_slice(&[length]));
        Some(())
    }

    fn select(&mut self, args: &[Typed], b: &mut Builder<'_, '_>) -> Parts {
        let condition = args[0].parts[0];
        let pairs = args[1].parts.iter().zip(&args[2].parts);
        pairs.map(|(&x, &y)| b.op(Op::Select, &[condition, x, y])).collect()
    }

    /// Whether an element is taken out of a constant array at an index that is known only when the program runs.
    fn is_table(&self, args: &[Typed]) -> bool {
        let [array, index] = args else { return false };
        let constant = array.parts.iter().all(|p| p.as_const().is_some());
        array.parts.len() > MAX_TABLE_IN_CODE && constant && index.parts[0].as_const().is_none()
    }

    fn look_up(&mut self, node: Node, index: &Typed, b: &mut Builder<'_, '_>) -> Option<Parts> {
        let constant: Const = self.body.args(node)[0].as_const()?;
        let address = self.lowering.memory.table(b.module, constant)?;
        let array = Place::at(&self.lowering.memory, address, b.module.consts[constant].ty);
        let imm = self.body.node(node).imm;
        let plan = &mut self.lowering.memory;
        let place = array.access(plan, b, Op::AccessArrayElement, imm, Some(index.parts[0]))?;
        let cells = place.cells(plan, b)?;
        Some(cells.into_iter().map(|cell| load(b, cell)).collect())
    }

    /// The same node on the same scalars.
    fn copy(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let args: Vec<Value> = self.body.args(node).iter().map(|&a| self.parts(a, b)[0]).collect();
        let ty = self.body.result(node).map(|r| self.body.local_type(r));
        let results = b.make_all(Request { op: data.op, imm: data.imm, args: &args, ty, precision: None });
        for (local, value) in self.body.results(node).zip(results) {
            self.values[local] = Some(Parts::from_slice(&[value]));
        }
        Some(())
    }

    fn access(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let place = self.place(args[0], b, data.span)?;
        let index = args.get(1).map(|&index| self.parts(index, b)[0]);
        let place = place.access(&mut self.lowering.memory, b, data.op, data.imm, index)?;
        self.places[self.body.result(node)?] = Some(place);
        Some(())
    }

    fn memory(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let place = self.place(args[0], b, data.span)?;
        let cells = place.cells(&mut self.lowering.memory, b)?;
        let operands: Vec<Parts> = args[1..].iter().map(|&a| self.parts(a, b)).collect();
        if data.op == Op::Store {
            for (cell, &value) in cells.into_iter().zip(operands.first()?) {
                store(b, cell, value);
            }
            return Some(());
        }
        let result = self.body.result(node)?;
        let needed = if data.op == Op::Load && cells.len() <= 64 { self.needed[result] } else { u64::MAX };
        let mut old = Parts::new();
        for (i, &cell) in cells.iter().enumerate() {
            let used = needed >> (i & 63) & 1 != 0;
            old.push(if used { load(b, cell) } else { unread(b, cell) });
        }
        let mut given = old.clone();
        if data.op != Op::Load {
            let mut new = Parts::new();
            for (i, &value) in old.iter().enumerate() {
                let operand = |n: usize| operands.get(n).map(|o: &Parts| o[i]);
                new.push(self.modified(b, data.op, value, operand(0), operand(1))?);
            }
            for (cell, &value) in cells.into_iter().zip(&new) {
                store(b, cell, value);
            }
            if matches!(data.op, Op::PrefixIncrement | Op::PrefixDecrement) {
                given = new;
            }
        }
        self.values[result] = Some(given);
        Some(())
    }

    /// The value that a read-modify-write op leaves in memory.
    fn modified(
        &mut self,
        b: &mut Builder<'_, '_>,
        op: Op,
        old: Value,
        operand: Option<Value>,
        other: Option<Value>,
    ) -> Option<Value> {
        let ty = b.type_of(old);
        let mut step =
            |op: Op, value: Value| self.legalizer.legalize(b, Request::new(op, &[old, value]).ty(ty))?.first().copied();
        match op {
            Op::AtomicAdd => step(Op::Add, operand?),
            Op::AtomicMin => step(Op::Min, operand?),
            Op::AtomicMax => step(Op::Max, operand?),
            Op::AtomicAnd => step(Op::BitwiseAnd, operand?),
            Op::AtomicOr => step(Op::BitwiseOr, operand?),
            Op::AtomicXor => step(Op::BitwiseXor, operand?),
            Op::AtomicExchange => operand,
            Op::AtomicCompareExchange => {
                let equal = b.op(Op::Equal, &[old, operand?]);
                Some(b.op(Op::Select, &[equal, other?, old]))
            }
            _ if is_increment(op) => {
                let one = number(b, ty, 1);
                let up = matches!(op, Op::PrefixIncrement | Op::PostfixIncrement);
                Some(b.op(if up { Op::Add } else { Op::Subtract }, &[old, one]))
            }
            _ => None,
        }
    }

    fn call(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<()> {
        let data = self.body.node(node);
        let args = self.body.args(node);
        let callee = args[0].as_func()?;
        let mut operands = vec![args[0]];
        for &arg in &args[1..] {
            let ty = self.old.type_of(self.body, arg);
            if matches!(self.old.types[ty], TypeKind::Pointer { .. }) {
                let place = self.place(arg, b, data.span)?;
                operands.push(place.address(&self.lowering.memory, b)?);
            } else {
                operands.extend(self.parts(arg, b));
            }
        }
        let results = b.make_all(Request::new(data.op, &operands));
        let mut next = 0;
        for result in self.body.results(node) {
            let mut types = Vec::new();
            super::scalars(b.module, self.body.local_type(result), self.lanes(), &mut types);
            self.values[result] = Some(results[next..next + types.len()].into());
            next += types.len();
        }
        if let Some(flag) = self.lowering.discarded.filter(|_| self.lowering.may_discard[callee]) {
            let flag = b.load(flag.into());
            let gone = b.convert(flag, Type::BOOL);
            let blocks = b.if_(gone);
            b.switch_to(blocks.then);
            self.leave(b);
            b.switch_to(blocks.otherwise);
            b.merge(&[]);
            b.switch_to(blocks.merge);
        }
        Some(())
    }
}

impl CopyExit for Lowerer<'_, '_> {
    fn value(&mut self, value: Value, b: &mut Builder<'_, '_>) -> Value {
        self.parts(value, b)[0]
    }

    fn fed(&mut self, block: Block, jump: usize, b: &mut Builder<'_, '_>) -> Args {
        let args: Args = self.tree.edges(self.body, block)[jump].1.into();
        args.into_iter().flat_map(|a| self.parts(a, b)).collect()
    }

    fn returned(&mut self, args: &[Value], b: &mut Builder<'_, '_>) -> Args {
        args.iter().flat_map(|&a| self.parts(a, b)).collect()
    }

    fn open(&mut self, block: Block, b: &mut Builder<'_, '_>) -> Block {
        let new = b.new_block();
        self.blocks[block].0 = Some(new);
        for &input in &self.body.blocks[block].inputs {
            let mut types = Vec::new();
            super::scalars(b.module, self.body.local_type(input), self.lanes(), &mut types);
            let parts: Parts = types.into_iter().map(|ty| b.add_input(new, ty, Precision::None)).collect();
            parts.iter().for_each(|&part| b.keep_origin(self.body, input, part));
            self.values[input] = Some(parts);
        }
        new
    }

    fn label(&self, owner: Block) -> Block {
        self.blocks[owner].1.expect("a construct begins before it is left")
    }
}

/// Which components of each value are read.
fn needed(module: &Module, body: &Body, lanes: Option<u8>) -> SideTable<Local, u64> {
    let mut needed: SideTable<Local, u64> = SideTable::new();
    let range =
        |start: usize, size: usize| (0..64).filter(|i| (start..start + size).contains(i)).fold(0, |m, i| m | 1 << i);
    for (node, data) in body.nodes() {
        for (i, local) in body.args(node).iter().enumerate().filter_map(|(i, a)| Some((i, a.as_local()?))) {
            let part = || planish_ir::meaning::place(&module.types, body.local_type(local), data.imm.as_index());
            needed[local] |= match data.op {
                _ if lanes.is_some() => u64::MAX,
                Op::ExtractVectorComponent | Op::ExtractStructField if i == 0 => {
                    part().map_or(u64::MAX, |(start, size)| range(start, size))
                }
                Op::ExtractVectorComponentMulti => data.imm.as_lanes().iter().fold(0, |mask, lane| mask | 1 << lane),
                _ => u64::MAX,
            };
        }
    }
    for block in body.blocks.values() {
        block.exit.for_each_operand(|value| {
            if let Some(local) = value.as_local() {
                needed[local] = u64::MAX;
            }
        });
    }
    needed
}

/// A placeholder for a component that nothing reads.
fn unread(b: &mut Builder<'_, '_>, cell: Cell) -> Value {
    let ty = match cell {
        Cell::Var(var) => b.module.vars[var].ty,
        Cell::Byte { scalar, .. } | Cell::Lane { scalar, .. } => b.module.types.scalar(scalar),
        Cell::Wide { .. } | Cell::Apart { .. } => b.module.types.intern(TypeKind::V128),
    };
    zero(b, ty).expect("a scalar has a zero")
}

/// The zero of a scalar type.
fn zero(b: &mut Builder<'_, '_>, ty: Type) -> Option<Value> {
    let module = &mut *b.module;
    module.consts.zero(&mut module.types, ty).map(Value::from)
}
