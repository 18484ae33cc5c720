//! Forward mode: the function again, in which each float that changes has its tangent beside it.

use planish_ir::arena::SideTable;
use planish_ir::builder::{Builder, Policy, Request};
use planish_ir::derivative::{Derivative, DerivativeMode};
use planish_ir::entity::{Block, Local, Node, Value, Var};
use planish_ir::function::{Args, Body};
use planish_ir::module::Module;
use planish_ir::ops::Op;
use planish_ir::tree::Tree;
use planish_ir::walk::{Event, events};
use rustc_hash::FxHashMap;

use super::activity::Activity;
use super::rules::{Primal, Rule, apply, choose, number, rule};
use super::{Known, linear, shadow_var, with_memory};
use crate::restage::{CopyExit, copy_exit, copy_node};

/// Writes the body of a derivative in forward mode.
pub(super) fn write(module: &mut Module, request: &Derivative, source: &Body, activity: &Activity, known: &Known) {
    let mut b = Builder::new(module, request.func, Policy::PLAIN);
    let mut forward = Forward {
        source,
        tree: Tree::new(source),
        activity,
        known,
        request,
        values: SideTable::new(),
        tangents: SideTable::new(),
        blocks: SideTable::new(),
        vars: FxHashMap::default(),
        shadows: FxHashMap::default(),
    };
    forward.params(&mut b);
    for event in events(source, source.entry) {
        if let Event::Enter { block, .. } = event {
            forward.block(block, &mut b);
        }
    }
    b.finish();
}

struct Forward<'a> {
    source: &'a Body,
    tree: Tree,
    activity: &'a Activity,
    known: &'a Known,
    request: &'a Derivative,
    values: SideTable<Local, Option<Value>>,
    tangents: SideTable<Local, Option<Value>>,
    /// The beginning of the new block, and the block that ends with its exit.
    blocks: SideTable<Block, (Option<Block>, Option<Block>)>,
    /// By variable of the function, the same of the derivative.
    vars: FxHashMap<Var, Var>,
    /// By variable of the function, that of its tangents.
    shadows: FxHashMap<Var, Var>,
}

/// The operands and the result of a node that has been copied.
struct Copied<'a> {
    args: &'a [Value],
    result: Option<Value>,
}

impl Primal for Copied<'_> {
    fn arg(&mut self, index: usize, _: &mut Builder<'_, '_>) -> Value {
        self.args[index]
    }

    fn result(&mut self, _: &mut Builder<'_, '_>) -> Value {
        self.result.expect("it has been made")
    }
}

impl Forward<'_> {
    fn params(&mut self, b: &mut Builder<'_, '_>) {
        let inputs = &self.source.blocks[self.source.entry].inputs;
        let mut next = inputs.len();
        for (index, &input) in inputs.iter().enumerate() {
            self.values[input] = Some(b.param(index));
            let tangent = super::has_tangent(b.module, self.request, index, self.source.local_type(input));
            let is_slice = self.request.slices.iter().any(|slice| slice.param == index);
            if is_slice {
                super::check_length(b, index, next);
                next += 1;
            } else if tangent {
                self.tangents[input] = Some(match self.request.mode {
                    DerivativeMode::Slope => number(b, self.source.local_type(input), 1.0),
                    _ => b.param(next),
                });
                next += usize::from(self.request.mode != DerivativeMode::Slope);
            }
        }
        self.blocks[self.source.entry].0 = Some(b.block());
    }

    fn block(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let data = &self.source.blocks[block];
        b.switch_to(self.blocks[block].0.expect("a block is made before its owner ends"));
        for &var in &data.variables {
            let new = super::same_variable(b, var);
            b.declare(new);
            self.vars.insert(var, new);
            if self.activity.is_varied_var(var)
                && let Some(shadow) = shadow_var(b, var, 0.0)
            {
                b.declare(shadow);
                self.shadows.insert(var, shadow);
            }
        }
        for &node in &data.nodes {
            self.node(node, b);
        }
        b.at(data.exit_span);
        self.blocks[block].1 = Some(b.block());
        let exit = copy_exit(self.source, block, self, b);
        b.exit(exit);
    }

    fn node(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let source = self.source;
        let args: Vec<Value> = source.args(node).iter().map(|&arg| self.new_value(arg)).collect();
        b.at(source.node(node).span);
        if source.node(node).op == Op::Call && source.results(node).any(|result| self.activity.is_varied(result)) {
            return self.call(node, &args, b);
        }
        let results = copy_node(source, node, &args, b);
        for (local, &value) in source.results(node).zip(&results) {
            b.keep_origin(source, local, value);
            self.values[local] = Some(value);
        }
        let tangent = self.tangent_of(node, &args, results.first().copied(), b);
        if let (Some(local), Some(tangent)) = (source.result(node), tangent) {
            self.tangents[local] = Some(tangent);
        }
    }

    /// The tangent of an operand, of one that changes.
    fn tangent(&self, value: Value) -> Option<Value> {
        let local = value.as_local()?;
        self.tangents[local].filter(|_| self.activity.is_varied(local))
    }

    fn tangent_or_zero(&self, value: Value, b: &mut Builder<'_, '_>) -> Value {
        self.tangent(value).unwrap_or_else(|| {
            let ty = b.module.type_of(self.source, value);
            number(b, ty, 0.0)
        })
    }

    fn tangent_of(&self, node: Node, args: &[Value], result: Option<Value>, b: &mut Builder<'_, '_>) -> Option<Value> {
        let (source, data) = (self.source, *self.source.node(node));
        let is_varied = source.result(node).is_some_and(|result| self.activity.is_varied(result));
        let shadow = |arg: Value| arg.as_var().and_then(|var| self.shadows.get(&var)).copied().map(Value::from);
        let old = source.args(node);
        match data.op {
            // (Pointers have that to the tangent for their tangent.)
            Op::AccessArrayElement => {
                let shadow = shadow(old[0])?;
                return Some(b.op(data.op, &[shadow, args[1]]));
            }
            Op::Load => {
                let shadow = shadow(old[0]).or_else(|| self.tangents[old[0].as_local()?])?;
                return Some(b.load(shadow));
            }
            Op::Store => {
                let shadow = shadow(old[0]).or_else(|| self.tangents[old[0].as_local()?])?;
                let tangent = self.tangent_or_zero(old[1], b);
                b.store(shadow, tangent);
                return None;
            }
            Op::Append => {
                let (shadow, tangent) = (shadow(old[0])?, self.tangent_or_zero(old[1], b));
                b.make_all(Request::new(Op::Append, &[shadow, tangent]));
                return None;
            }
            Op::MemoryLoad if is_varied => {
                let imm = with_memory(self.request, data.imm)?;
                let ty = source.local_type(source.result(node)?);
                return Some(b.make(Request::new(Op::MemoryLoad, args).imm(imm).ty(ty)));
            }
            Op::MemoryStore => {
                let imm = with_memory(self.request, data.imm)?;
                let tangent = self.tangent_or_zero(old[1], b);
                b.make_all(Request::new(Op::MemoryStore, &[args[0], tangent]).imm(imm));
                return None;
            }
            _ if !is_varied => return None,
            _ => {}
        }
        let tangents: Vec<Option<Value>> = old.iter().map(|&arg| self.tangent(arg)).collect();
        let mut primal = Copied { args, result };
        let changes = tangents.iter().enumerate().filter_map(|(index, tangent)| Some((index, (*tangent)?)));
        let parts: Vec<Value> = match rule(data.op)? {
            Rule::Choice(condition, x, y) => {
                return choose(&condition, [tangents[usize::from(x)], tangents[usize::from(y)]], &mut primal, b);
            }
            Rule::Sum(partials) => {
                changes.filter_map(|(index, tangent)| apply(&partials[index], tangent, &mut primal, b)).collect()
            }
            Rule::Linear if linear::is_linear_together(data.op) => {
                return Some(linear::together(source, node, &tangents, &mut primal, b));
            }
            Rule::Linear => {
                changes.map(|(index, tangent)| linear::tangent(source, node, index, tangent, &mut primal, b)).collect()
            }
            Rule::Other => {
                // An op of the user's own.
                let partials = self.known.partials_of(data.imm)?;
                let partials = b.call(partials.into(), args);
                changes.map(|(index, tangent)| b.op(Op::Multiply, &[partials[index], tangent])).collect()
            }
            Rule::Constant => return None,
        };
        parts.into_iter().reduce(|sum, part| b.op(Op::Add, &[sum, part]))
    }

    fn call(&mut self, node: Node, args: &[Value], b: &mut Builder<'_, '_>) {
        let source = self.source;
        let callee = source.callee(node).expect("a call of a function");
        let derivative = self.known.forward[&callee];
        let mut all: Vec<Value> = args[1..].to_vec();
        for &arg in &source.args(node)[1..] {
            if super::is_float(b.module, b.module.type_of(source, arg)) {
                all.push(self.tangent_or_zero(arg, b));
            }
        }
        let made = b.call(derivative.into(), &all);
        let count = source.results(node).len();
        let mut tangents = made[count..].iter();
        for (local, &value) in source.results(node).zip(&made[..count]) {
            self.values[local] = Some(value);
            if super::is_float(b.module, source.local_type(local)) {
                self.tangents[local] = tangents.next().copied();
            }
        }
    }

    fn new_value(&self, value: Value) -> Value {
        if let Some(var) = value.as_var() {
            return self.vars.get(&var).copied().unwrap_or(var).into();
        }
        let Some(local) = value.as_local() else { return value };
        self.values[local].unwrap_or_else(|| panic!("{local} is used before it is made"))
    }
}

impl CopyExit for Forward<'_> {
    fn value(&mut self, value: Value, _: &mut Builder<'_, '_>) -> Value {
        self.new_value(value)
    }

    fn fed(&mut self, block: Block, jump: usize, b: &mut Builder<'_, '_>) -> Args {
        let edges = self.tree.edges(self.source, block);
        let (target, args) = edges[jump];
        let mut fed: Args = args.iter().map(|&arg| self.new_value(arg)).collect();
        for (&arg, &input) in args.iter().zip(&self.source.blocks[target].inputs) {
            if self.activity.is_varied(input) {
                fed.push(self.tangent_or_zero(arg, b));
            }
        }
        fed
    }

    fn returned(&mut self, args: &[Value], b: &mut Builder<'_, '_>) -> Args {
        let mut all = Args::new();
        if self.request.mode != DerivativeMode::Slope {
            all.extend(args.iter().map(|&arg| self.new_value(arg)));
        }
        for &arg in args {
            if super::is_float(b.module, b.module.type_of(self.source, arg)) {
                all.push(self.tangent_or_zero(arg, b));
            }
        }
        all
    }

    fn open(&mut self, block: Block, b: &mut Builder<'_, '_>) -> Block {
        let new = b.new_block();
        self.blocks[block].0 = Some(new);
        let inputs = &self.source.blocks[block].inputs;
        for &input in inputs {
            let data = *self.source.local(input);
            let value = b.add_input(new, data.ty, data.precision);
            b.keep_origin(self.source, input, value);
            self.values[input] = Some(value);
        }
        for &input in inputs {
            if self.activity.is_varied(input) {
                let data = *self.source.local(input);
                self.tangents[input] = Some(b.add_input(new, data.ty, data.precision));
            }
        }
        new
    }

    fn label(&self, owner: Block) -> Block {
        self.blocks[owner].1.expect("a construct begins before it is left")
    }
}
