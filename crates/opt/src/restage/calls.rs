//! Calls: which are inlined, and what the others do.

use std::rc::Rc;

use planish_ir::entity::{Func, Node, Value, Var};
use planish_ir::function::Body;
use planish_ir::module::Module;
use planish_ir::ops::{Class, Effect, Op};
use planish_ir::types::AddressSpace;
use planish_ir::walk;

use super::engine::{At, Engine, Frame, Kind};
use super::old::{Old, Root, root};

/// What a function does for others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// Orders itself with everything, or touches memory that other invocations see.
    pub(crate) world: bool,
    /// Variables of the module that it writes.
    pub(crate) writes: Vec<Var>,
    /// Pointer parameters that it writes through.
    pub(crate) params: Vec<u32>,
}

impl Summary {
    /// Looks at a function whose callees' summaries are known; `None` if one is not.
    pub(crate) fn of(module: &Module, body: &Body, of: &dyn Fn(Func) -> Option<Rc<Summary>>) -> Option<Summary> {
        let mut summary = Summary::default();
        for node in walk::blocks(body).flat_map(|b| body.blocks[b].nodes.iter().copied()) {
            let op = body.node(node).op;
            let args = body.args(node);
            match op.info().effect {
                Effect::Pure | Effect::MayTrap | Effect::Quad | Effect::Load | Effect::ImageLoad | Effect::NewToken => {
                }
                Effect::MemoryLoad | Effect::TableLoad => {}
                Effect::Store | Effect::Modify => summary.write(module, body, args[0])?,
                Effect::Call if op == Op::Call => {
                    let callee = of(args[0].as_func()?)?;
                    summary.world |= callee.world;
                    summary.writes.extend(&callee.writes);
                    for &param in &callee.params {
                        summary.write(module, body, args[param as usize + 1])?;
                    }
                }
                Effect::Call => return None,
                _ => summary.world = true,
            }
        }
        summary.writes.sort_unstable();
        summary.writes.dedup();
        summary.params.sort_unstable();
        summary.params.dedup();
        Some(summary)
    }

    fn write(&mut self, module: &Module, body: &Body, pointer: Value) -> Option<()> {
        match root(body, pointer)? {
            Root::Var(var) if module.vars[var].space == AddressSpace::Function => {}
            Root::Var(var) => self.writes.push(var),
            Root::Param(param) => self.params.push(param),
        }
        Some(())
    }
}

impl Engine<'_, '_, '_> {
    /// Begins to inline the callee of a call, if that is to be; the interpreter goes on in the callee.
    pub(super) fn begins_inlining(&mut self, old: &Old, node: Node, resume: At) -> bool {
        let data = old.body.node(node);
        if data.op.info().class != Class::Call || data.op != Op::Call {
            return false;
        }
        let Some(callee) = old.body.args(node)[0].as_func() else { return false };
        if !self.env.inline[callee] {
            return false;
        }
        let limits = self.context.options.limits;
        if self.b.body().node_count() as u32 > limits.inline_nodes || self.stack.len() as u32 > limits.nesting {
            // Variables that were promoted in the belief that it would be inlined have no address.
            if !self.has_promoted_args(old, node) {
                return false;
            }
        }
        let body = self.env.body(self.b.module, callee, limits.split_components);
        let args = old.body.args(node);
        let values: Vec<Option<Value>> =
            args[1..].iter().map(|&a| if self.place(a).is_some() { None } else { Some(self.value(a)) }).collect();
        let places: Vec<_> = args[1..].iter().map(|&a| self.place(a)).collect();
        let new_body = self.b.new_block();
        let path = (self.frame().path ^ u64::from(node.as_u32())).wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
        self.push(Kind::Inline { node, resume, body: new_body });
        let mut frame = Frame::new(callee, Rc::clone(&body), path);
        for (i, &input) in body.body.blocks[body.body.entry].inputs.iter().enumerate() {
            frame.values[input] = values[i];
            frame.places[input] = places[i].clone();
        }
        self.frames.push(frame);
        self.b.switch_to(new_body);
        self.at = At::begin(body.body.entry);
        true
    }

    fn has_promoted_args(&self, old: &Old, node: Node) -> bool {
        old.body.args(node)[1..].iter().any(|&a| self.place(a).is_some())
    }
}
