//! The backward sweep of reverse mode: the adjoints of the operands of nodes.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::{Block, Local, Node, Type, Value, Var};
use planish_ir::ops::Op;

use super::rules::{Primal, Rule, apply, number, rule, write as write_expr};
use super::sweep::Writer;
use super::{is_float, linear, with_memory};

/// The operands and the result of a node, in the backward sweep.
struct There<'w, 'a> {
    writer: &'w mut Writer<'a>,
    node: Node,
}

impl Primal for There<'_, '_> {
    fn arg(&mut self, index: usize, b: &mut Builder<'_, '_>) -> Value {
        let arg = self.writer.plan.source.args(self.node)[index];
        self.writer.primal(arg, b)
    }

    fn result(&mut self, b: &mut Builder<'_, '_>) -> Value {
        let result = self.writer.plan.source.result(self.node).expect("it has one");
        self.writer.primal(result.into(), b)
    }
}

impl Writer<'_> {
    /// A block backwards, without its exit.
    pub(super) fn block_backwards(&mut self, block: Block, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let data = &source.blocks[block];
        for &node in data.nodes.iter().rev() {
            b.at(source.node(node).span);
            self.node(node, b);
            let results: Vec<Local> = source.results(node).collect();
            for local in results.into_iter().rev() {
                if let Some(var) = self.kept(local, b) {
                    self.undo(var, block, b);
                }
            }
            if let Some(var) = self.length(node, b) {
                self.undo(var, block, b);
            }
        }
        if block != source.entry {
            for &input in data.inputs.iter().rev() {
                if let Some(var) = self.kept(input, b) {
                    self.undo(var, block, b);
                }
            }
        }
    }

    fn node(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let (data, args) = (*source.node(node), source.args(node));
        match data.op {
            Op::Load | Op::Store | Op::Append => return self.variable_access(node, b),
            Op::MemoryLoad | Op::MemoryStore => return self.slice_access(node, b),
            Op::Call => return self.call(node, b),
            _ => {}
        }
        let Some(result) = source.result(node) else { return };
        let Some(adjoint) = self.take(result, b) else { return };
        let active: Vec<usize> = (0..args.len())
            .filter(|&at| args[at].as_local().is_some_and(|arg| self.plan.activity.is_active(arg)))
            .collect();
        match rule(data.op) {
            Some(Rule::Sum(partials)) => {
                for at in active {
                    let part = apply(&partials[at], adjoint, &mut There { writer: self, node }, b);
                    if let Some(part) = part {
                        self.add(args[at], part, b);
                    }
                }
            }
            Some(Rule::Choice(condition, x, y)) => {
                let ty = b.type_of(adjoint);
                let condition = write_expr(&condition, ty, &mut There { writer: self, node }, b);
                let nothing = number(b, ty, -0.0);
                for (at, parts) in [(x, [adjoint, nothing]), (y, [nothing, adjoint])] {
                    let part = b.op(Op::Select, &[condition, parts[0], parts[1]]);
                    self.add(args[usize::from(at)], part, b);
                }
            }
            Some(Rule::Linear) => {
                for at in active {
                    let ty = b.module.type_of(source, args[at]);
                    let part = linear::adjoint(source, node, at, ty, adjoint, &mut There { writer: self, node }, b);
                    self.add(args[at], part, b);
                }
            }
            _ => {
                let Some(partials) = self.known.partials_of(data.imm) else { return };
                let primals: Vec<Value> = args.iter().map(|&arg| self.primal(arg, b)).collect();
                let partials = b.call(partials.into(), &primals);
                for at in active {
                    let part = b.op(Op::Multiply, &[partials[at], adjoint]);
                    self.add(args[at], part, b);
                }
            }
        }
    }

    fn call(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let results: Vec<Local> = source.results(node).collect();
        if !results.iter().any(|&result| self.plan.activity.is_active(result)) {
            return;
        }
        let callee = source.callee(node).expect("a call of a function");
        let args = &source.args(node)[1..];
        let mut all: Vec<Value> = args.iter().map(|&arg| self.primal(arg, b)).collect();
        for &result in &results {
            let ty = source.local_type(result);
            if is_float(b.module, ty) {
                let adjoint = self.take(result, b);
                all.push(adjoint.unwrap_or_else(|| number(b, ty, 0.0)));
            }
        }
        let made = b.call(self.known.reverse[&callee].into(), &all);
        let mut adjoints = made[results.len()..].iter();
        for &arg in args {
            if is_float(b.module, b.module.type_of(source, arg))
                && let Some(&adjoint) = adjoints.next()
            {
                self.add(arg, adjoint, b);
            }
        }
    }

    fn slice_access(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let (data, args) = (*source.node(node), source.args(node));
        let Some(imm) = with_memory(self.request, data.imm) else { return };
        if data.op == Op::MemoryLoad {
            let Some(result) = source.result(node) else { return };
            let Some(adjoint) = self.take(result, b) else { return };
            let address = self.primal(args[0], b);
            let ty = source.local_type(result);
            let sum = b.make(Request::new(Op::MemoryLoad, &[address]).imm(imm).ty(ty));
            let sum = b.op(Op::Add, &[sum, adjoint]);
            b.make_all(Request::new(Op::MemoryStore, &[address, sum]).imm(imm));
            return;
        }
        let address = self.primal(args[0], b);
        let ty = b.module.type_of(source, args[1]);
        let adjoint = b.make(Request::new(Op::MemoryLoad, &[address]).imm(imm).ty(ty));
        let zero = number(b, ty, 0.0);
        b.make_all(Request::new(Op::MemoryStore, &[address, zero]).imm(imm));
        self.add(args[1], adjoint, b);
    }

    fn variable_access(&mut self, node: Node, b: &mut Builder<'_, '_>) {
        let source = self.plan.source;
        let (data, args) = (*source.node(node), source.args(node));
        let Some(&shadow) = source.base(args[0]).as_var().and_then(|var| self.shadows.get(&var)) else { return };
        let pointer = |writer: &mut Self, b: &mut Builder<'_, '_>| match (data.op, source.node_of(args[0])) {
            (Op::Append, _) => {
                let len = writer.length(node, b).expect("a list with adjoints");
                let index = b.load(len.into());
                element(shadow, index, b)
            }
            (_, Some(access)) => {
                let index = writer.primal(source.args(access)[1], b);
                element(shadow, index, b)
            }
            _ => shadow.into(),
        };
        if data.op == Op::Load {
            let result = source.result(node).expect("a load has a result");
            let Some(adjoint) = self.take(result, b) else { return };
            let pointer = pointer(self, b);
            let sum = b.load(pointer);
            let sum = b.op(Op::Add, &[sum, adjoint]);
            b.store(pointer, sum);
            return;
        }
        let pointer = pointer(self, b);
        let adjoint = b.load(pointer);
        let nothing = b.type_of(adjoint);
        let nothing = number(b, nothing, -0.0);
        b.store(pointer, nothing);
        self.add(args[1], adjoint, b);
    }
}

/// A pointer to the adjoint of an element; as many as are missing before it are added.
fn element(shadow: Var, index: Value, b: &mut Builder<'_, '_>) -> Value {
    let at = if b.type_of(index) == Type::U32 { index } else { b.op_typed(Op::Bitcast, &[index], Type::U32) };
    let blocks = b.loop_(&[], false);
    b.switch_to(blocks.condition);
    let len = b.op(Op::ArrayLength, &[shadow.into()]);
    let len = b.op_typed(Op::Bitcast, &[len], Type::U32);
    let is_missing = b.op(Op::LessThanEqual, &[len, at]);
    b.loop_if(is_missing);
    b.switch_to(blocks.body);
    let pointer = b.module.vars[shadow].pointer;
    let held = b.module.types.growable(pointer).expect("a list");
    let nothing = number(b, held, -0.0);
    b.make_all(Request::new(Op::Append, &[shadow.into(), nothing]));
    b.continue_(blocks.owner, &[]);
    b.switch_to(blocks.merge);
    b.op(Op::AccessArrayElement, &[shadow.into(), at])
}
