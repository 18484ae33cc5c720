//! Copying: the same form and the same constructs again. Memory and time are linear in the function; nesting costs an
//! entry of an explicit stack, not a stack frame.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request, Results, Scratch};
use planish_ir::entity::{Block, Func, Local, Node, Type, Value, Var};
use planish_ir::function::{Args, Body, Exit, Form};
use planish_ir::module::Module;
use planish_ir::tree::Tree;
use planish_ir::walk::{Event, events};
use smallvec::SmallVec;

use super::exits::{CopyExit, copy_exit};

/// The differences of a pass from copying. Every method's default copies.
pub trait Stage {
    /// Builds the replacement of `node`, whose operands are `args` in the new function: one value for each of its results.
    fn node(&mut self, source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
        let _ = self;
        copy_node(source, node, args, builder)
    }

    /// The block where the source body begins in the new function, whose entry block the builder is at.
    fn enter(&mut self, builder: &mut Builder<'_, '_>) -> Block {
        let _ = self;
        builder.block()
    }

    /// The exit of a block, if it is not a copy of the source exit. It must own no other blocks.
    fn exit(&mut self, block: Block) -> Option<Exit> {
        let _ = (self, block);
        None
    }

    /// The exit of a source block in place of the new one, with its values. Nodes may be added before it, and constructs if it owns no blocks.
    fn leave(&mut self, block: Block, exit: Exit, builder: &mut Builder<'_, '_>) -> Exit {
        let _ = (self, block, builder);
        exit
    }

    /// The value of a parameter of the source function; `None` if no kept node uses it.
    fn param(&mut self, index: usize, builder: &mut Builder<'_, '_>) -> Option<Value> {
        let _ = self;
        Some(builder.param(index))
    }

    /// Whether a result of the function is left out.
    fn drops_result(&self, index: usize) -> bool {
        let _ = (self, index);
        false
    }

    /// Whether a node of the source function is left out; nothing that is kept may use it.
    fn drops(&self, node: Node) -> bool {
        let _ = node;
        false
    }

    /// Whether an input of a block of the source function is left out, with its arguments; no kept node may use it.
    fn drops_input(&self, input: Local) -> bool {
        let _ = input;
        false
    }

    /// Whether a local variable is left out; nothing that is kept may use it.
    fn drops_variable(&self, var: Var) -> bool {
        let _ = var;
        false
    }

    /// Whether a construct of the source function (named by the block that it ends) is replaced by its merge block, which
    /// then follows at once; nothing in its sub-blocks has an effect, and its merge block has no inputs that are kept.
    fn drops_construct(&self, owner: Block) -> bool {
        let _ = owner;
        false
    }

    /// The block that ends with the loop which a labelled block (by its owner) is replaced by: nothing is in the labelled
    /// block but what leads to the loop, and all that leaves the loop leaves the labelled block.
    fn joins(&self, owner: Block) -> Option<Block> {
        let _ = (self, owner);
        None
    }

    /// The type of the new input for an input of a block.
    fn input_type(&self, ty: Type) -> Type {
        let _ = self;
        ty
    }

    /// The replacement of a value that is not local to the function: a constant, a variable or a function.
    fn outer_value(&mut self, value: Value) -> Value {
        let _ = self;
        value
    }
}

/// The stage that only copies.
#[derive(Debug, Default)]
pub struct Identity;

impl Stage for Identity {}

/// Makes the same node on new operands.
pub fn copy_node(source: &Body, node: Node, args: &[Value], builder: &mut Builder<'_, '_>) -> Results {
    let data = source.node(node);
    let ty = source.result(node).map(|r| source.local_type(r));
    builder.set_precise(data.precise);
    builder.make_all(Request { op: data.op, imm: data.imm, args, ty, precision: Some(data.precision) })
}

/// Rewrites the body of a function through a stage; imports are left alone.
pub fn restage(module: &mut Module, func: Func, policy: Policy<'_>, stage: &mut dyn Stage) {
    let Some(source) = module.funcs[func].body.take() else { return };
    let mut builder = Builder::with_scratch(module, func, policy, Scratch::for_copy(&source));
    let mut copy = Copier {
        source: &source,
        tree: Tree::new(&source),
        stage,
        values: SideTable::new(),
        blocks: SideTable::new(),
        skip: None,
        joined: Vec::new(),
        unreached: Vec::new(),
    };
    copy.body(&mut builder);
    builder.finish();
}

struct Copier<'a> {
    source: &'a Body,
    tree: Tree,
    stage: &'a mut dyn Stage,
    values: SideTable<Local, Option<Value>>,
    /// For each source block, where its new one begins, and (once it has ended) the block that ends with its exit.
    blocks: SideTable<Block, (Option<Block>, Option<Block>)>,
    /// The depth from which on blocks of a dropped construct are skipped.
    skip: Option<u32>,
    /// Loops that replace labelled blocks: the block that ends with the loop, that with the labelled block, the new merge block.
    joined: Vec<(Block, Block, Block)>,
    /// The merge blocks of those loops.
    unreached: Vec<Block>,
}

impl Copier<'_> {
    fn body(&mut self, builder: &mut Builder<'_, '_>) {
        let source = self.source;
        let entry = self.stage.enter(builder);
        self.blocks[source.entry].0 = Some(entry);
        for (i, &input) in source.blocks[source.entry].inputs.iter().enumerate() {
            let param = self.stage.param(i, builder);
            param.into_iter().for_each(|value| builder.keep_origin(source, input, value));
            self.values[input] = param;
        }
        for event in events(source, source.entry) {
            let Event::Enter { block, depth, .. } = event else { continue };
            match self.skip {
                Some(limit) if depth > limit => continue,
                _ => self.skip = None,
            }
            if let Some(at) = self.unreached.iter().position(|&unreached| unreached == block) {
                // With all that follows it.
                self.unreached.swap_remove(at);
                self.skip = Some(depth - 1);
                continue;
            }
            self.block(block, depth, builder);
        }
    }

    fn block(&mut self, block: Block, depth: u32, builder: &mut Builder<'_, '_>) {
        let data = &self.source.blocks[block];
        let begin = self.blocks[block].0.expect("a block is made before its owner ends");
        builder.switch_to(begin);
        for &var in &data.variables {
            if !self.stage.drops_variable(var) {
                builder.declare(var);
            }
        }
        for &node in &data.nodes {
            if self.stage.drops(node) {
                continue;
            }
            self.node(node, builder);
        }
        builder.at(data.exit_span);
        if self.stage.drops_construct(block) {
            // The code after it continues in the same block.
            let merge = data.exit.merge_block().expect("only constructs are dropped");
            self.blocks[merge].0 = Some(builder.block());
            self.skip = Some(depth);
            return;
        }
        if let (Some(inner), Exit::Labelled { merge, .. }) = (self.stage.joins(block), &data.exit) {
            let merge = self.open(*merge, builder);
            self.blocks[inner].0 = Some(builder.block());
            self.joined.push((inner, block, merge));
            return;
        }
        self.blocks[block].1 = Some(builder.block());
        if self.joined.last().is_some_and(|&(inner, ..)| inner == block) {
            self.join_loop(block, builder);
            return;
        }
        let exit = match self.stage.exit(block) {
            Some(exit) => exit,
            None => copy_exit(self.source, block, self, builder),
        };
        let exit = self.stage.leave(block, exit, builder);
        builder.exit(exit);
    }

    /// Ends with a loop that continues where the labelled block around it went on.
    fn join_loop(&mut self, block: Block, builder: &mut Builder<'_, '_>) {
        let Some((_, labelled, merge)) = self.joined.pop() else { return };
        self.blocks[labelled].1 = self.blocks[block].1;
        let Exit::Loop { condition, body, next, merge: unreached, .. } = &self.source.blocks[block].exit else {
            panic!("{block} does not end with a loop")
        };
        let args = self.fed(block, 0, builder);
        let condition = self.open(*condition, builder);
        let body = self.open(*body, builder);
        let next = next.map(|next| self.open(next, builder));
        self.unreached.push(*unreached);
        builder.exit(Exit::Loop { args, condition, body, next, merge });
    }

    fn node(&mut self, node: Node, builder: &mut Builder<'_, '_>) {
        let args: SmallVec<[Value; 8]> = self.source.args(node).iter().map(|&a| self.value(a, builder)).collect();
        builder.at(self.source.node(node).span);
        let results = self.stage.node(self.source, node, &args, builder);
        for (local, value) in self.source.results(node).zip(results) {
            builder.keep_origin(self.source, local, value);
            self.values[local] = Some(value);
        }
    }

    /// Makes the floating node of a value after those it needs, without recursion.
    fn float(&mut self, local: Local, builder: &mut Builder<'_, '_>) {
        let span = builder.span();
        let mut stack: Vec<Node> = self.source.node_of(local.into()).into_iter().collect();
        while let Some(&node) = stack.last() {
            let pending = self.source.args(node).iter().filter_map(|a| a.as_local());
            let pending = pending.filter(|&l| self.values[l].is_none()).filter_map(|l| self.source.node_of(l.into()));
            let before = stack.len();
            stack.extend(pending.collect::<SmallVec<[Node; 4]>>());
            if stack.len() == before {
                stack.pop();
                let done = self.source.result(node).is_some_and(|r| self.values[r].is_some());
                if !done {
                    self.node(node, builder);
                }
            }
        }
        builder.at(span);
    }
}

impl CopyExit for Copier<'_> {
    /// The new value of a source value. A floating node is made when its first user is.
    fn value(&mut self, value: Value, builder: &mut Builder<'_, '_>) -> Value {
        let Some(local) = value.as_local() else { return self.stage.outer_value(value) };
        if self.values[local].is_none() && self.source.form == Form::Floating {
            self.float(local, builder);
        }
        self.values[local].unwrap_or_else(|| panic!("{local} is used before it is made"))
    }

    /// The new values for the kept inputs of the target of jump number `jump` of a block.
    fn fed(&mut self, block: Block, jump: usize, builder: &mut Builder<'_, '_>) -> Args {
        let edges = self.tree.edges(self.source, block);
        let (target, args) = edges[jump];
        let inputs = &self.source.blocks[target].inputs;
        let kept = args.iter().zip(inputs).filter(|&(_, &input)| !self.stage.drops_input(input));
        let kept: Args = kept.map(|(&arg, _)| arg).collect();
        kept.into_iter().map(|arg| self.value(arg, builder)).collect()
    }

    fn returned(&mut self, args: &[Value], builder: &mut Builder<'_, '_>) -> Args {
        let kept = args.iter().enumerate().filter(|&(i, _)| !self.stage.drops_result(i));
        let kept: Args = kept.map(|(_, &a)| a).collect();
        kept.into_iter().map(|a| self.value(a, builder)).collect()
    }

    /// A new block for a source one, with the inputs that are kept.
    fn open(&mut self, block: Block, builder: &mut Builder<'_, '_>) -> Block {
        let new = builder.new_block();
        self.blocks[block].0 = Some(new);
        for &input in &self.source.blocks[block].inputs {
            if !self.stage.drops_input(input) {
                let data = self.source.local(input);
                let value = builder.add_input(new, self.stage.input_type(data.ty), data.precision);
                builder.keep_origin(self.source, input, value);
                self.values[input] = Some(value);
            }
        }
        new
    }

    /// The new owner of a construct.
    fn label(&self, owner: Block) -> Block {
        self.blocks[owner].1.expect("a construct begins before it is left")
    }
}
