//! Needs of a function: the nodes, inputs, variables and constructs on which its effects and results depend. All else can be dropped.
//!
//! Marked backwards from effects and results, each once: O(nodes).

use planish_ir::arena::SideTable;
use planish_ir::entity::{Block, Local, Node, Value, Var};
use planish_ir::function::{Body, Exit, LocalDef};
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::tree::Tree;
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use super::summaries::Summaries;

/// Needed parts of a function.
pub(crate) struct Needs {
    nodes: SideTable<Node, bool>,
    inputs: SideTable<Local, bool>,
    vars: SideTable<Var, bool>,
    constructs: SideTable<Block, bool>,
    /// Blocks of the function that end with a construct which may be dropped if it is not needed.
    droppable: SideTable<Block, bool>,
    /// The tree of constructs of the blocks.
    pub(crate) tree: Tree,
}

impl Needs {
    /// Whether a node is not needed.
    pub(crate) fn drops(&self, node: Node) -> bool {
        !self.nodes[node]
    }

    /// Whether an input of a block is not needed.
    pub(crate) fn drops_input(&self, input: Local) -> bool {
        !self.inputs[input]
    }

    /// Whether a local variable is not needed.
    pub(crate) fn drops_variable(&self, var: Var) -> bool {
        !self.vars[var]
    }

    /// Whether a construct (named by the block it ends) does nothing.
    pub(crate) fn drops_construct(&self, owner: Block) -> bool {
        self.droppable[owner] && !self.constructs[owner]
    }
}

/// State of the search for needs.
struct Search<'a> {
    module: &'a Module,
    unread: &'a SideTable<Var, bool>,
    summaries: &'a Summaries,
    body: &'a Body,
    /// The block each listed node is in.
    block_of: SideTable<Node, Option<Block>>,
    /// Arguments of inputs, with the block that passes each, and 1 + the index of the next one for the same input.
    passed: Vec<(Value, Block, u32)>,
    /// By input: 1 + the index of its first argument in `passed`.
    first_passed: SideTable<Local, u32>,
    /// Nodes that write a local variable and nothing else; they are needed when it is.
    writers: SideTable<Var, Vec<Node>>,
    needs: Needs,
    work: Vec<Need>,
}

enum Need {
    Value(Value),
    Node(Node),
    Block(Block),
}

impl Needs {
    /// Finds the needed parts; `unread` has the variables of the module that no function reads. O(nodes).
    pub(crate) fn find(module: &Module, body: &Body, unread: &SideTable<Var, bool>, summaries: &Summaries) -> Needs {
        let needs = Needs {
            nodes: SideTable::with_capacity(body.node_count()),
            inputs: SideTable::with_capacity(body.local_count()),
            vars: SideTable::new(),
            constructs: SideTable::new(),
            droppable: SideTable::new(),
            tree: Tree::new(body),
        };
        let mut search = Search {
            module,
            unread,
            summaries,
            body,
            block_of: SideTable::with_capacity(body.node_count()),
            passed: Vec::new(),
            first_passed: SideTable::with_capacity(body.local_count()),
            writers: SideTable::new(),
            needs,
            work: Vec::new(),
        };
        // Parameters stay: callers pass them.
        for &input in &body.blocks[body.entry].inputs {
            search.needs.inputs[input] = true;
        }
        let blocks: Vec<Block> = walk::blocks(body).collect();
        for &block in &blocks {
            search.index(block);
        }
        for &block in &blocks {
            search.roots(block);
        }
        search.close();
        search.needs
    }

    pub(crate) fn anything_dead(&self, body: &Body) -> bool {
        walk::blocks(body).any(|block| {
            let data = &body.blocks[block];
            data.nodes.iter().any(|&n| self.drops(n))
                || data.inputs.iter().any(|&i| self.drops_input(i))
                || data.variables.iter().any(|&v| self.drops_variable(v))
                || self.drops_construct(block)
        })
    }
}

impl Search<'_> {
    fn index(&mut self, block: Block) {
        let body = self.body;
        for &node in &body.blocks[block].nodes {
            self.block_of[node] = Some(block);
            if let Some(var) = self.written_local(node) {
                self.writers[var].push(node);
            }
        }
        for (target, args) in self.needs.tree.edges(body, block) {
            for (&arg, &input) in args.iter().zip(&body.blocks[target].inputs) {
                let next = self.first_passed[input];
                self.passed.push((arg, block, next));
                self.first_passed[input] = self.passed.len() as u32;
            }
        }
    }

    /// The local variable that a node writes, if that is all it does for others.
    fn written_local(&self, node: Node) -> Option<Var> {
        let data = self.body.node(node);
        let increments = data.op.info().effect == Effect::Modify && data.op.info().class == Class::Unary;
        if !matches!(data.op, Op::Store | Op::Append) && !increments {
            return None;
        }
        let var = self.body.base(self.body.args(node)[0]).as_var()?;
        (self.module.vars[var].space == AddressSpace::Function || self.unread[var]).then_some(var)
    }

    /// Marks the values and nodes that are needed unconditionally.
    fn roots(&mut self, block: Block) {
        let body = self.body;
        let data = &body.blocks[block];
        for &node in &data.nodes {
            let op = body.node(node).op;
            let summary = self.summaries.of_call(op, body.args(node));
            let droppable =
                op.is_droppable(body.node(node).imm) || summary.is_some_and(|s| s.is_function && !s.has_loops);
            if !droppable && self.written_local(node).is_none() {
                self.work.push(Need::Node(node));
            }
        }
        match &data.exit {
            // Needed if something in its body is.
            Exit::If { .. } | Exit::Switch { .. } => self.needs.droppable[block] = true,
            Exit::Labelled { .. } => self.needs.droppable[block] = true,
            Exit::Loop { .. } | Exit::DoLoop { .. } => self.work.push(Need::Block(block)),
            Exit::LoopIf { condition, .. } => {
                self.work.push(Need::Value(*condition));
                self.need_around(block);
            }
            Exit::Return(args) => {
                self.work.extend(args.iter().map(|&a| Need::Value(a)));
                self.need_around(block);
            }
            Exit::Discard | Exit::Trap(_) | Exit::Continue(..) => self.need_around(block),
            Exit::Break(label, _) => self.need_up_to(block, *label),
            Exit::Merge(_) | Exit::Passthrough | Exit::NextBlock { .. } | Exit::Open => {}
        }
    }

    /// Something in `block` is needed, and so is every construct around it.
    fn need_around(&mut self, block: Block) {
        let mut at = self.needs.tree.place(block).and_then(|p| p.owner);
        while let Some(owner) = at {
            if std::mem::replace(&mut self.needs.constructs[owner], true) {
                return;
            }
            self.work.push(Need::Block(owner));
            at = self.needs.tree.place(owner).and_then(|p| p.owner);
        }
    }

    /// A jump from `block` out of the construct that ends `label`: it needs the constructs nested in that one (since they
    /// decide whether it happens) once that one is needed. Jumps out of the innermost construct add nothing new.
    fn need_up_to(&mut self, block: Block, label: Block) {
        if self.needs.tree.place(block).and_then(|p| p.owner) != Some(label) {
            self.need_around(block);
        }
    }

    fn close(&mut self) {
        while let Some(need) = self.work.pop() {
            match need {
                Need::Value(value) => self.need_value(value),
                Need::Node(node) => self.need_node(node),
                Need::Block(block) => {
                    self.needs.constructs[block] = true;
                    self.need_around(block);
                    match &self.body.blocks[block].exit {
                        Exit::If { condition, .. } => self.work.push(Need::Value(*condition)),
                        Exit::Switch { selector, .. } => self.work.push(Need::Value(*selector)),
                        _ => {}
                    }
                }
            }
        }
    }

    fn need_node(&mut self, node: Node) {
        if std::mem::replace(&mut self.needs.nodes[node], true) {
            return;
        }
        self.work.extend(self.body.args(node).iter().map(|&a| Need::Value(a)));
        if let Some(block) = self.block_of[node] {
            self.need_around(block);
        }
    }

    fn need_value(&mut self, value: Value) {
        if let Some(var) = value.as_var() {
            self.need_var(var);
            return;
        }
        let Some(local) = value.as_local() else { return };
        match self.body.local(local).def {
            LocalDef::Result(node, _) => self.need_node(node),
            LocalDef::Input(..) => {
                if std::mem::replace(&mut self.needs.inputs[local], true) {
                    return;
                }
                let mut at = self.first_passed[local];
                while let Some(&(arg, from, next)) = self.passed.get((at as usize).wrapping_sub(1)) {
                    self.work.push(Need::Value(arg));
                    self.need_around(from);
                    at = next;
                }
            }
        }
    }

    /// A variable that is used at all needs the values stored to it.
    fn need_var(&mut self, var: Var) {
        if !std::mem::replace(&mut self.needs.vars[var], true) {
            let writers = std::mem::take(&mut self.writers[var]);
            self.work.extend(writers.into_iter().map(Need::Node));
        }
    }
}
