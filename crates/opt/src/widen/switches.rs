//! Switches: one case after the other, each under the mask of its lanes and of those that pass through to it.

use planish_ir::builder::Builder;
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Case, Exit};
use planish_ir::ops::Op;
use planish_ir::types::Scalar;
use planish_ir::walk;

use super::control::{Arrivals, Construct, Task, Widener};
use super::lanes::and;

impl Widener<'_, '_> {
    pub(super) fn begin_switch(
        &mut self,
        block: Block,
        selector: Value,
        (cases, args, merge): (&[Case], &[Value], Block),
        b: &mut Builder<'_, '_>,
    ) {
        self.begin(block, b);
        let passes_through =
            |case: &Case| matches!(self.body.blocks[walk::chain_end(self.body, case.block)].exit, Exit::Passthrough);
        let through = cases.iter().any(passes_through);
        if through {
            let set = self.arrivals(block, "through", b);
            if let Some(construct) = &mut self.constructs[block] {
                construct.continued = set;
            }
        }
        let selected = self.parts(selector, b)[0];
        let ty = b.type_of(selected);
        let mut any: Option<Value> = None;
        let mut hits = Vec::new();
        for case in cases {
            let mut hit: Option<Value> = None;
            for &value in &case.values {
                let bits = b.module.consts.as_bits(value).expect("a number");
                let value = b.module.consts.splat(&mut b.module.types, ty, bits).expect("a number").into();
                let equal = b.op(Op::Equal, &[selected, value]);
                hit = Some(hit.map_or(equal, |hit| b.op(Op::LogicalOr, &[hit, equal])));
            }
            if let Some(hit) = hit {
                any = Some(any.map_or(hit, |any| b.op(Op::LogicalOr, &[any, hit])));
            }
            hits.push(hit);
        }
        let truth = b.module.types.with_scalar(ty, Scalar::Bool);
        let no: Value = b.module.consts.splat(&mut b.module.types, truth, 0).expect("a truth value").into();
        let others = match any {
            Some(any) => b.op(Op::LogicalNot, &[any]),
            None => b.module.consts.splat(&mut b.module.types, truth, 1).expect("a truth value").into(),
        };
        let active = self.active;
        if !cases.iter().any(|case| case.is_default) {
            // Lanes without a case.
            if self.divergence.is_varying(selector) {
                self.active = and(b, active, others, self.n);
                self.pass(block, merge, args, b);
                self.arrive(block, b);
            } else {
                let blocks = b.if_(others);
                b.switch_to(blocks.then);
                self.pass(block, merge, args, b);
                self.arrive(block, b);
                b.merge(&[]);
                b.switch_to(blocks.otherwise);
                b.merge(&[]);
                b.switch_to(blocks.merge);
            }
        }
        self.tasks.extend([Task::After(block), Task::EndCases(block)]);
        for (i, (case, hit)) in cases.iter().zip(hits).enumerate().rev() {
            let hit = match (hit, case.is_default) {
                (Some(hit), true) => b.op(Op::LogicalOr, &[hit, others]),
                (Some(hit), false) => hit,
                (None, true) => others,
                (None, false) => no,
            };
            self.tasks.push(Task::Case(block, i, hit));
        }
    }

    pub(super) fn case(&mut self, owner: Block, case: usize, hit: Value, b: &mut Builder<'_, '_>) {
        let body = self.body;
        let Exit::Switch { cases, .. } = &body.blocks[owner].exit else { return };
        let chain = cases[case].block;
        let &Construct { entry, continued, .. } = self.construct(owner);
        if !self.divergence.is_apart(owner) {
            let hit = match continued {
                Arrivals::Flag(through) => {
                    let through = b.load(through.into());
                    b.op(Op::LogicalOr, &[hit, through])
                }
                _ => hit,
            };
            self.clear(continued, b);
            self.only_if(hit, entry, b);
            self.tasks.push(Task::Chain(chain));
            return;
        }
        let mut mask = and(b, entry, hit, self.n);
        if let Arrivals::Mask(through) = continued {
            let through = b.load(through.into());
            mask = b.op(Op::LogicalOr, &[mask, through]);
            self.clear(continued, b);
        }
        self.guarded(mask, chain, b);
    }

    /// Lanes that pass through the last case arrive at the merge block.
    pub(super) fn end_cases(&mut self, owner: Block, b: &mut Builder<'_, '_>) {
        let &Construct { continued, merged, .. } = self.construct(owner);
        match (continued, merged) {
            (Arrivals::Mask(through), _) => {
                self.active = b.load(through.into());
                self.arrive(owner, b);
            }
            (Arrivals::Flag(through), Arrivals::Flag(merged)) => {
                let (through, old) = (b.load(through.into()), b.load(merged.into()));
                let new = b.op(Op::LogicalOr, &[old, through]);
                b.store(merged.into(), new);
            }
            _ => {}
        }
    }
}
