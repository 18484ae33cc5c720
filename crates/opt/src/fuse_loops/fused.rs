//! Writes a function in which two loops run together.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy};
use planish_ir::decoration::{Name, NameSource};
use planish_ir::entity::{Block, Func, Local, Node, Value, Var};
use planish_ir::function::{Args, Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk::{self, Event, events};
use smallvec::SmallVec;

use super::plan::{First, Plan, Sites};
use crate::restage::{CopyExit, copy_exit, copy_node};

/// Writes the function with the loops of a plan fused.
pub(super) fn write(module: &mut Module, func: Func, plan: &Plan) {
    let source = module.funcs[func].body.take().expect("it has loops");
    let tree = Tree::new(&source);
    let Exit::Loop { condition, body, .. } = source.blocks[plan.consumer].exit else { panic!("no loop") };
    let inputs = &source.blocks[condition].inputs;
    let carried = inputs.iter().map(|&input| {
        let name = Name::new("carried", NameSource::Temporary);
        module.add_var(name, source.local_type(input), AddressSpace::Function)
    });
    let carried = carried.collect();
    let mut builder = Builder::new(module, func, Policy::PLAIN);
    let mut fuser = Fuser {
        source: &source,
        tree,
        plan,
        condition,
        body,
        carried,
        values: SideTable::new(),
        blocks: SideTable::new(),
        site: 0,
        skip: None,
    };
    for (index, &input) in source.blocks[source.entry].inputs.iter().enumerate() {
        let param = builder.param(index);
        builder.keep_origin(&source, input, param);
        fuser.values[input] = Some(param);
    }
    fuser.blocks[source.entry].0 = Some(builder.block());
    fuser.walk(source.entry, &mut builder);
    builder.finish();
}

struct Fuser<'a> {
    source: &'a Body,
    tree: Tree,
    plan: &'a Plan,
    /// The condition and the body of the loop that is moved.
    condition: Block,
    body: Block,
    /// Variables with the values that it carries.
    carried: Vec<Var>,
    values: SideTable<Local, Option<Value>>,
    /// For each source block, where its new one begins, and (once it has ended) the block that ends with its exit.
    blocks: SideTable<Block, (Option<Block>, Option<Block>)>,
    /// The number of the place where an iteration is written.
    site: usize,
    /// The depth from which on blocks are skipped: those of the loop in its old place.
    skip: Option<u32>,
}

impl Fuser<'_> {
    /// Writes a chain of blocks.
    /// Recursion: one level deep, for the body of the loop that is moved.
    fn walk(&mut self, chain: Block, b: &mut Builder<'_, '_>) {
        for event in events(self.source, chain) {
            let Event::Enter { block, depth, .. } = event else { continue };
            match self.skip {
                Some(limit) if depth > limit => continue,
                _ => self.skip = None,
            }
            self.block(block, depth, b);
        }
    }

    fn block(&mut self, block: Block, depth: u32, b: &mut Builder<'_, '_>) {
        let data = &self.source.blocks[block];
        b.switch_to(self.blocks[block].0.expect("a block is made before its owner ends"));
        let moved = &self.plan.needs.variables;
        data.variables.iter().filter(|var| !moved.contains(var)).for_each(|&var| b.declare(var));
        let begins = |with_nodes: bool| self.plan.first == First { block, with_nodes };
        let (begins_first, begins_last) = (begins(true), begins(false));
        if begins_first {
            self.begin(b);
        }
        for &node in &data.nodes {
            self.node(node, block, b);
        }
        b.at(data.exit_span);
        if begins_last {
            self.begin(b);
        }
        if block == self.plan.consumer {
            self.end(b);
            let merge = data.exit.merge_block().expect("it is a loop");
            self.blocks[merge].0 = Some(b.block());
            self.skip = Some(depth);
            return;
        }
        if let Sites::End { block: end, index } = self.plan.sites
            && end == block
        {
            let index = self.value(index.into(), b);
            self.splice(index, b);
        }
        self.blocks[block].1 = Some(b.block());
        // (The body of the moved loop goes on with what follows where it runs.)
        if block == walk::chain_end(self.source, self.body) {
            return;
        }
        let exit = copy_exit(self.source, block, self, b);
        b.exit(exit);
    }

    fn node(&mut self, node: Node, block: Block, b: &mut Builder<'_, '_>) {
        if let Some(value) = self.known(node, block, b) {
            self.values[self.source.result(node).expect("it has one")] = Some(value);
            return;
        }
        self.copy(node, b);
        if let Sites::Appends(sites) = &self.plan.sites
            && let Some(number) = sites.iter().position(|site| site.after == node)
        {
            self.site = number;
            let index = b.load(self.carried[self.plan.index].into());
            self.splice(index, b);
        }
    }

    /// Elements that have just been added.
    fn known(&mut self, node: Node, block: Block, b: &mut Builder<'_, '_>) -> Option<Value> {
        let Sites::Appends(sites) = &self.plan.sites else { return None };
        let args = self.source.args(node);
        let base = self.source.base(*args.first()?).as_var()?;
        let &(_, added) = sites[self.site].elements.iter().find(|(var, _)| *var == base)?;
        if !self.tree.is_inside(block, self.plan.consumer) {
            return None;
        }
        match self.source.node(node).op {
            Op::Load => Some(self.value(added, b)),
            // Nothing but such loads uses it.
            Op::AccessArrayElement => Some(b.i32(0)),
            _ => None,
        }
    }

    fn copy(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let args: SmallVec<[Value; 8]> = self.source.args(node).iter().map(|&arg| self.value(arg, b)).collect();
        b.at(self.source.node(node).span);
        let results = copy_node(self.source, node, &args, b);
        for (local, value) in self.source.results(node).zip(results) {
            b.keep_origin(self.source, local, value);
            self.values[local] = Some(value);
        }
    }

    /// Before all else: the initial values of the second.
    fn begin(&mut self, b: &mut Builder<'_, '_>) {
        for &node in &self.plan.needs.nodes {
            self.copy(node, b);
        }
        self.plan.needs.variables.iter().for_each(|&var| b.declare(var));
        let Exit::Loop { args, .. } = &self.source.blocks[self.plan.consumer].exit else { panic!("no loop") };
        for (&var, &arg) in self.carried.clone().iter().zip(args) {
            let initial = self.value(arg, b);
            b.declare(var);
            b.store(var.into(), initial);
        }
    }

    /// An iteration of the second loop.
    fn splice(&mut self, index: Value, b: &mut Builder<'_, '_>) {
        let span = b.span();
        let inputs = &self.source.blocks[self.condition].inputs;
        for (number, (&input, &var)) in inputs.iter().zip(&self.carried.clone()).enumerate() {
            let value = if number == self.plan.index { index } else { b.load(var.into()) };
            self.values[input] = Some(value);
        }
        self.tests(b);
        self.blocks[self.body].0 = Some(b.block());
        self.walk(self.body, b);
        let Exit::Continue(_, again) = &self.source.blocks[walk::chain_end(self.source, self.body)].exit else {
            panic!("the body does not begin the loop again")
        };
        let again: Vec<Value> = again.iter().map(|&value| self.value(value, b)).collect();
        for (&var, value) in self.carried.iter().zip(again) {
            b.store(var.into(), value);
        }
        b.at(span);
    }

    /// Writes the values that the second loop leaves, at its place.
    fn end(&mut self, b: &mut Builder<'_, '_>) {
        let inputs = &self.source.blocks[self.condition].inputs;
        for (&input, &var) in inputs.iter().zip(&self.carried.clone()) {
            self.values[input] = Some(b.load(var.into()));
        }
        self.tests(b);
    }

    /// The nodes of the condition but the test itself, which nothing else uses.
    fn tests(&mut self, b: &mut Builder<'_, '_>) {
        let data = &self.source.blocks[self.condition];
        let Exit::LoopIf { condition, .. } = data.exit else { panic!("no condition") };
        for &node in data.nodes.iter().filter(|&&node| self.source.node_of(condition) != Some(node)) {
            self.copy(node, b);
        }
    }
}

impl CopyExit for Fuser<'_> {
    fn value(&mut self, value: Value, _: &mut Builder<'_, '_>) -> Value {
        let Some(local) = value.as_local() else { return value };
        self.values[local].unwrap_or_else(|| panic!("{local} is used before it is made"))
    }

    fn fed(&mut self, block: Block, jump: usize, b: &mut Builder<'_, '_>) -> Args {
        let (_, args) = self.tree.edges(self.source, block)[jump];
        args.iter().map(|&arg| self.value(arg, b)).collect()
    }

    fn open(&mut self, block: Block, b: &mut Builder<'_, '_>) -> Block {
        let new = b.new_block();
        self.blocks[block].0 = Some(new);
        for &input in &self.source.blocks[block].inputs {
            let data = self.source.local(input);
            let value = b.add_input(new, data.ty, data.precision);
            b.keep_origin(self.source, input, value);
            self.values[input] = Some(value);
        }
        new
    }

    fn label(&self, owner: Block) -> Block {
        self.blocks[owner].1.expect("a construct begins before it is left")
    }
}
