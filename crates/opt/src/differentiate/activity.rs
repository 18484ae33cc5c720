//! Activity analysis: values that change with the parameters, and values that change the results.

use planish_ir::arena::SideTable;
use planish_ir::entity::{Local, Memory, Node, Var};
use planish_ir::function::{Body, Exit};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::tree::Tree;
use planish_ir::walk;
use rustc_hash::FxHashSet;

use super::rules::{Rule, rule};

/// Facts about the values of a function. Variables and memories count as a whole.
#[derive(Default)]
pub(super) struct Activity {
    varied: SideTable<Local, bool>,
    useful: SideTable<Local, bool>,
    varied_vars: FxHashSet<Var>,
    useful_vars: FxHashSet<Var>,
    is_float: SideTable<Local, bool>,
    memories: FxHashSet<Memory>,
}

impl Activity {
    /// Of a function with these parameters that change, and these memories.
    pub(super) fn of(module: &Module, body: &Body, tree: &Tree, wrt: &[bool], memories: FxHashSet<Memory>) -> Self {
        let mut activity = Activity { memories, ..Activity::default() };
        let is_float =
            |local| module.types.scalar_of(body.local_type(local)).is_some_and(planish_ir::types::Scalar::is_float);
        for block in walk::blocks(body) {
            let data = &body.blocks[block];
            let results = data.nodes.iter().flat_map(|&node| body.results(node));
            for local in data.inputs.iter().copied().chain(results) {
                activity.is_float[local] = is_float(local);
            }
        }
        for (&param, &counts) in body.blocks[body.entry].inputs.iter().zip(wrt) {
            activity.varied[param] = counts && is_float(param);
        }
        while activity.spread(module, body, tree) {}
        while activity.collect(body, tree) {}
        activity
    }

    /// Whether a value is a float that changes with the parameters.
    pub(super) fn is_varied(&self, local: Local) -> bool {
        self.varied[local] && self.is_float[local]
    }

    /// Whether a value changes with the parameters, be it as bits.
    pub(super) fn is_any_varied(&self, local: Local) -> bool {
        self.varied[local]
    }

    /// Whether a value is a float that changes with the parameters, and changes the results.
    pub(super) fn is_active(&self, local: Local) -> bool {
        self.is_varied(local) && self.useful[local]
    }

    pub(super) fn is_varied_var(&self, var: Var) -> bool {
        self.varied_vars.contains(&var)
    }

    pub(super) fn is_active_var(&self, var: Var) -> bool {
        self.varied_vars.contains(&var) && self.useful_vars.contains(&var)
    }

    /// One step of what changes, forwards; whether there was more.
    fn spread(&mut self, module: &Module, body: &Body, tree: &Tree) -> bool {
        let mut more = false;
        for block in walk::blocks(body) {
            for &node in &body.blocks[block].nodes {
                more |= self.spread_node(module, body, node);
            }
            for (target, args) in tree.edges(body, block) {
                for (&arg, &input) in args.iter().zip(&body.blocks[target].inputs) {
                    let is = arg.as_local().is_some_and(|arg| self.varied[arg]);
                    more |= is && !std::mem::replace(&mut self.varied[input], true);
                }
            }
        }
        more
    }

    fn spread_node(&mut self, module: &Module, body: &Body, node: Node) -> bool {
        let (data, args) = (body.node(node), body.args(node));
        let base = |at: usize| body.base(args[at]).as_var();
        let mut varies = args.iter().filter_map(|arg| arg.as_local()).any(|arg| self.varied[arg])
            && !is_constant(module, body, node);
        match data.op {
            Op::Store | Op::Append => {
                let Some(var) = base(0) else { return false };
                return args[1].as_local().is_some_and(|value| self.varied[value]) && self.varied_vars.insert(var);
            }
            Op::AccessArrayElement => return false,
            Op::Load => varies = base(0).is_some_and(|var| self.varied_vars.contains(&var)),
            Op::MemoryLoad => varies = self.memories.contains(&data.imm.as_mem_arg().memory),
            _ => {}
        }
        let mut more = false;
        for result in body.results(node) {
            more |= varies && !std::mem::replace(&mut self.varied[result], true);
        }
        more
    }

    /// One step of what is of use, backwards; whether there was more.
    fn collect(&mut self, body: &Body, tree: &Tree) -> bool {
        let mut more = false;
        let blocks: Vec<_> = walk::blocks(body).collect();
        for &block in blocks.iter().rev() {
            let data = &body.blocks[block];
            if let Exit::Return(args) = &data.exit {
                for arg in args.iter().filter_map(|arg| arg.as_local()) {
                    more |= !std::mem::replace(&mut self.useful[arg], true);
                }
            }
            for (target, args) in tree.edges(body, block) {
                for (&arg, &input) in args.iter().zip(&body.blocks[target].inputs) {
                    let Some(arg) = arg.as_local().filter(|_| self.useful[input]) else { continue };
                    more |= !std::mem::replace(&mut self.useful[arg], true);
                }
            }
            for &node in data.nodes.iter().rev() {
                more |= self.collect_node(body, node);
            }
        }
        more
    }

    fn collect_node(&mut self, body: &Body, node: Node) -> bool {
        let (data, args) = (body.node(node), body.args(node));
        let base = |at: usize| body.base(args[at]).as_var();
        let is_useful = body.results(node).any(|result| self.useful[result]);
        match data.op {
            Op::Load => return is_useful && base(0).is_some_and(|var| self.useful_vars.insert(var)),
            Op::Store | Op::Append => {
                let stored = args[1].as_local().filter(|_| base(0).is_some_and(|var| self.useful_vars.contains(&var)));
                return stored.is_some_and(|value| !std::mem::replace(&mut self.useful[value], true));
            }
            Op::MemoryStore => {
                let stored = args[1].as_local().filter(|_| self.memories.contains(&data.imm.as_mem_arg().memory));
                return stored.is_some_and(|value| !std::mem::replace(&mut self.useful[value], true));
            }
            Op::MemoryLoad => return false,
            op if matches!(rule(op), Some(Rule::Constant)) => return false,
            _ => {}
        }
        let mut more = false;
        for arg in args.iter().filter_map(|arg| arg.as_local()) {
            more |= is_useful && !std::mem::replace(&mut self.useful[arg], true);
        }
        more
    }
}

/// Whether a node's result is constant between jumps.
pub(super) fn is_constant(module: &Module, body: &Body, node: Node) -> bool {
    let data = body.node(node);
    if matches!(rule(data.op), Some(Rule::Constant)) {
        return true;
    }
    let is_float = |ty| module.types.scalar_of(ty).is_some_and(planish_ir::types::Scalar::is_float);
    let is_conversion = matches!(
        data.op,
        Op::ConstructScalarFromScalar | Op::ConstructVectorFromScalar | Op::ConstructVectorFromMultiple
    );
    is_conversion
        && body.result(node).is_some_and(|result| !is_float(body.local_type(result)))
        && body.args(node).iter().any(|&arg| is_float(module.type_of(body, arg)))
}
