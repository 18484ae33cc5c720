//! Calls that are inlined.

use std::sync::Arc;

use planish_ir::entity::{Node, Value};
use planish_ir::ops::{Class, Op};

use super::construct::Kind;
use super::engine::{At, Deeper, Engine, Frame};
use super::source::Source;

impl Engine<'_, '_, '_> {
    /// Begins to inline the callee of a call, if that is to be; the interpreter continues in the callee.
    pub(super) fn begins_inlining(&mut self, source: &Source, node: Node, resume: At) -> bool {
        let data = source.body.node(node);
        if data.op.info().class != Class::Call || data.op != Op::Call {
            return false;
        }
        let Some(callee) = source.body.args(node)[0].as_func() else { return false };
        if !self.env.inline[callee] {
            return false;
        }
        let limits = self.context.options.limits;
        let too_much =
            self.b.body().node_count() as u32 > limits.inline_nodes || self.stack.len() as u32 > limits.nesting;
        if too_much && !self.mode.inlines_all() {
            // Variables that were promoted in the belief that it would be inlined have no address.
            if !self.has_promoted_args(source, node) {
                return false;
            }
        }
        let limit = self.mode.most_components(&limits);
        let body = self.env.body(self.b.module, callee, limit);
        let args = source.body.args(node);
        let values: Vec<Option<Value>> =
            args[1..].iter().map(|&a| if self.place(a).is_some() { None } else { Some(self.value(a)) }).collect();
        let places: Vec<_> = args[1..].iter().map(|&a| self.place(a)).collect();
        let new_body = self.mode.body_block(self);
        let path = self.frame().path_into(Deeper::Call(node));
        self.push(Kind::Inline { node, resume, body: new_body });
        let mut frame = Frame::new(callee, Arc::clone(&body), path);
        frame.body = self.stack.last().expect("the call is on the stack").id;
        for (i, &input) in body.body.blocks[body.body.entry].inputs.iter().enumerate() {
            frame.values[input] = values[i];
            frame.places[input] = places[i].clone();
        }
        self.frames.push(frame);
        self.b.switch_to(new_body);
        self.at = At::begin(body.body.entry);
        true
    }

    fn has_promoted_args(&self, source: &Source, node: Node) -> bool {
        source.body.args(node)[1..].iter().any(|&a| self.place(a).is_some())
    }
}
