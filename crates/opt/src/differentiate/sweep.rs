//! The forward sweep of reverse mode: the function, which keeps what the backward sweep needs.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Request};
use planish_ir::derivative::Derivative;
use planish_ir::entity::{Block, Local, Node, Type, Value, Var};
use planish_ir::function::{Args, Exit};
use planish_ir::ops::Op;
use planish_ir::walk::{Event, events};
use rustc_hash::FxHashMap;

use super::plan::{Home, Plan};
use super::{Known, variable};
use crate::restage::{CopyExit, copy_exit, copy_node};

/// A derivative in reverse mode that is being written.
pub(super) struct Writer<'a> {
    pub(super) plan: &'a Plan<'a>,
    pub(super) request: &'a Derivative,
    pub(super) known: &'a Known,
    /// The block that declares variables of the whole function.
    entry: Block,
    /// The block that ends with the forward sweep.
    whole: Block,
    values: SideTable<Local, Option<Value>>,
    /// The beginning of the new block, and the block that ends with its exit.
    blocks: SideTable<Block, (Option<Block>, Option<Block>)>,
    /// Variables for values that are kept.
    kept: SideTable<Local, Option<Var>>,
    /// For nodes that append, the variable with the length before.
    lengths: FxHashMap<Node, Var>,
    /// For blocks that are entered by several jumps, the number of the last one.
    told: SideTable<Block, Option<Var>>,
    /// The number of the jump that ended the function, if there are several.
    pub(super) ended: Option<Var>,
    /// By loop, the number of iterations after the first.
    counts: SideTable<Block, Option<Var>>,
    /// By type, the tape, and the number of its elements that the backward sweep has left.
    pub(super) tapes: FxHashMap<Type, (Var, Var)>,
    pub(super) results: Vec<Var>,
    /// The adjoints of results that are floats, by the result's number.
    pub(super) seed_vars: Vec<(usize, Var)>,
    pub(super) adjoints: SideTable<Local, Option<Var>>,
    /// By variable of the function, the same of the derivative.
    vars: FxHashMap<Var, Var>,
    /// By variable of the function, that of its adjoints.
    pub(super) shadows: FxHashMap<Var, Var>,
    /// In the backward sweep, the index of a counted loop.
    pub(super) indices: SideTable<Local, Option<Value>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, request: &'a Derivative, known: &'a Known, b: &Builder<'_, '_>) -> Self {
        Writer {
            plan,
            request,
            known,
            entry: b.body().entry,
            whole: b.block(),
            values: SideTable::new(),
            blocks: SideTable::new(),
            kept: SideTable::new(),
            lengths: FxHashMap::default(),
            told: SideTable::new(),
            ended: None,
            counts: SideTable::new(),
            tapes: FxHashMap::default(),
            results: Vec::new(),
            seed_vars: Vec::new(),
            adjoints: SideTable::new(),
            vars: FxHashMap::default(),
            shadows: FxHashMap::default(),
            indices: SideTable::new(),
        }
    }

    /// A variable of the whole function, which begins with zero.
    pub(super) fn outer_variable(&self, name: &str, ty: Type, b: &mut Builder<'_, '_>) -> Var {
        let module = &mut *b.module;
        let zero = module.consts.zero(&mut module.types, ty).map(Value::from);
        let var = variable(b, name, ty, zero);
        b.block_mut(self.entry).variables.push(var);
        var
    }

    /// Writes the sweep into a labelled block, and goes on after it.
    pub(super) fn sweep(&mut self, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let results: Vec<Type> = b.module.funcs[self.request.of].results.iter().map(|result| result.ty).collect();
        self.results = results.into_iter().map(|ty| self.outer_variable("result", ty, b)).collect();
        if self.plan.returns.len() > 1 {
            self.ended = Some(self.outer_variable("end", Type::U32, b));
        }
        for (index, &input) in source.blocks[source.entry].inputs.iter().enumerate() {
            self.values[input] = Some(b.param(index));
        }
        self.whole = b.block();
        let (inside, merge) = b.labelled();
        self.blocks[source.entry].0 = Some(inside);
        for event in events(source, source.entry) {
            if let Event::Enter { block, .. } = event {
                self.block(block, b);
            }
        }
        b.switch_to(merge);
    }

    fn block(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let data = &source.blocks[block];
        b.switch_to(self.blocks[block].0.expect("a block is made before its owner ends"));
        for &var in &data.variables {
            let new = super::same_variable(b, var);
            b.declare(new);
            self.vars.insert(var, new);
        }
        if block != source.entry {
            for &input in &data.inputs {
                self.keep(input, block, b);
            }
        }
        for &node in &data.nodes {
            b.at(source.node(node).span);
            if let Some(var) = self.length(node, b) {
                let list = self.new_value(source.args(node)[0]);
                let len = b.op(Op::ArrayLength, &[list]);
                let len = b.op_typed(Op::Bitcast, &[len], Type::U32);
                self.write(var, len, block, b);
            }
            let args: Vec<Value> = source.args(node).iter().map(|&arg| self.new_value(arg)).collect();
            let results = copy_node(source, node, &args, b);
            for (local, value) in source.results(node).zip(results) {
                b.keep_origin(source, local, value);
                self.values[local] = Some(value);
                self.keep(local, block, b);
            }
        }
        b.at(data.exit_span);
        self.blocks[block].1 = Some(b.block());
        self.tell(block, b);
        if let Exit::Return(args) = &data.exit {
            for (&arg, &var) in args.iter().zip(&self.results) {
                let value = self.new_value(arg);
                b.store(var.into(), value);
            }
            b.break_(self.whole, &[]);
            return;
        }
        let exit = copy_exit(source, block, self, b);
        b.exit(exit);
    }

    /// The variable for the length before a node that appends to a list with adjoints.
    pub(super) fn length(&mut self, node: Node, b: &mut Builder<'_, '_>) -> Option<Var> {
        let source = self.plan.source;
        let list = (source.node(node).op == Op::Append).then(|| source.args(node)[0].as_var())??;
        if !self.plan.activity.is_active_var(list) {
            return None;
        }
        if let Some(&var) = self.lengths.get(&node) {
            return Some(var);
        }
        let var = self.outer_variable("length", Type::U32, b);
        self.lengths.insert(node, var);
        Some(var)
    }

    /// The variable of a value that is kept.
    pub(super) fn kept(&mut self, local: Local, b: &mut Builder<'_, '_>) -> Option<Var> {
        if self.plan.homes[local] != Home::Kept {
            return None;
        }
        if self.kept[local].is_none() {
            self.kept[local] = Some(self.outer_variable("kept", self.plan.source.local_type(local), b));
        }
        self.kept[local]
    }

    fn keep(&mut self, local: Local, block: Block, b: &mut Builder<'_, '_>) {
        if let Some(var) = self.kept(local, b) {
            let value = self.values[local].expect("it has just been made");
            self.write(var, value, block, b);
        }
    }

    /// Writes a variable of the whole function; in a loop, its old value is put on the tape.
    fn write(&mut self, var: Var, value: Value, block: Block, b: &mut Builder<'_, '_>) {
        self.save(var, block, b);
        b.store(var.into(), value);
    }

    fn save(&mut self, var: Var, block: Block, b: &mut Builder<'_, '_>) {
        if self.plan.depth[block] == 0 {
            return;
        }
        let old = b.load(var.into());
        let ty = b.type_of(old);
        if !self.tapes.contains_key(&ty) {
            let array = b.module.types.intern(planish_ir::types::TypeKind::RuntimeArray { element: ty });
            let tape = variable(b, "tape", array, None);
            b.block_mut(self.entry).variables.push(tape);
            let left = self.outer_variable("left", Type::U32, b);
            self.tapes.insert(ty, (tape, left));
        }
        let (tape, _) = self.tapes[&ty];
        b.make_all(Request::new(Op::Append, &[tape.into(), old]));
    }

    /// The variable with the number of the jump that a block was entered by, if the backward sweep must know.
    pub(super) fn told(&mut self, target: Block, b: &mut Builder<'_, '_>) -> Option<Var> {
        if !self.plan.is_told(target) {
            return None;
        }
        if self.told[target].is_none() {
            self.told[target] = Some(self.outer_variable("entered", Type::U32, b));
        }
        self.told[target]
    }

    /// Whether the variable of a block is written once in an iteration of a loop: of blocks that begin a part of one.
    pub(super) fn is_told_repeatedly(&self, target: Block) -> bool {
        self.plan.tree.merged(target).is_none()
    }

    /// The variable with the number of iterations of a loop, if its index does not tell.
    pub(super) fn count(&mut self, owner: Block, b: &mut Builder<'_, '_>) -> Option<Var> {
        if self.plan.header(owner).is_none() || self.plan.counted[owner].is_some() {
            return None;
        }
        if self.counts[owner].is_none() {
            self.counts[owner] = Some(self.outer_variable("count", Type::U32, b));
        }
        self.counts[owner]
    }

    /// Keeps how a block ends.
    fn tell(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let plan = self.plan;
        for &number in &plan.from[block] {
            let edge = &plan.edges[number as usize];
            let id = b.u32(number);
            let Some(target) = edge.target else {
                if let Some(ended) = self.ended {
                    b.store(ended.into(), id);
                }
                continue;
            };
            // (A switch without a default case enters its own merge block: said below, where the variable has been saved.)
            if plan.source.blocks[block].exit.merge_block() == Some(target) {
                continue;
            }
            if let Some(var) = self.told(target, b) {
                if self.is_told_repeatedly(target) {
                    self.save(var, block, b);
                }
                b.store(var.into(), id);
            }
            let owner = plan.tree.place(target).and_then(|place| place.owner);
            let again = owner.filter(|&owner| plan.header(owner) == Some(target));
            if let Some(count) = again.and_then(|owner| self.count(owner, b)) {
                self.add_one(count, block, b);
            }
        }
        let Some(merge) = plan.source.blocks[block].exit.merge_block() else { return };
        if let Some(var) = self.told(merge, b) {
            self.save(var, block, b);
            if let Some(&number) = plan.from[block].first() {
                let id = b.u32(number);
                b.store(var.into(), id);
            }
        }
        if let Some(count) = self.count(block, b) {
            let zero = b.u32(0);
            self.write(count, zero, block, b);
        }
    }

    fn add_one(&mut self, count: Var, block: Block, b: &mut Builder<'_, '_>) {
        let (old, one) = (b.load(count.into()), b.u32(1));
        let more = b.op(Op::Add, &[old, one]);
        let new = match self.plan.source.blocks[block].exit {
            Exit::LoopIf { condition, .. } => {
                let condition = self.new_value(condition);
                b.op(Op::Select, &[condition, more, old])
            }
            _ => more,
        };
        b.store(count.into(), new);
    }

    fn new_value(&self, value: Value) -> Value {
        if let Some(var) = value.as_var() {
            return self.vars.get(&var).copied().unwrap_or(var).into();
        }
        let Some(local) = value.as_local() else { return value };
        self.values[local].unwrap_or_else(|| panic!("{local} is used before it is made"))
    }
}

impl CopyExit for Writer<'_> {
    fn value(&mut self, value: Value, _: &mut Builder<'_, '_>) -> Value {
        self.new_value(value)
    }

    fn fed(&mut self, block: Block, jump: usize, _: &mut Builder<'_, '_>) -> Args {
        let edges = self.plan.tree.edges(self.plan.source, block);
        edges[jump].1.iter().map(|&arg| self.new_value(arg)).collect()
    }

    fn open(&mut self, block: Block, b: &mut Builder<'_, '_>) -> Block {
        let new = b.new_block();
        self.blocks[block].0 = Some(new);
        let source = self.plan.source;
        for &input in &source.blocks[block].inputs {
            let data = *source.local(input);
            let value = b.add_input(new, data.ty, data.precision);
            b.keep_origin(source, input, value);
            self.values[input] = Some(value);
        }
        new
    }

    fn label(&self, owner: Block) -> Block {
        self.blocks[owner].1.expect("a construct begins before it is left")
    }
}
