//! Flattening as a mode of the interpreter: everything goes into one block, under predicates.

use planish_ir::builder::Results;
use planish_ir::entity::{Block, Node, Value, Var};
use planish_ir::function::{Args, Case, Exit, TrapKind};
use planish_ir::source::Span;

use crate::limits::Limits;
use crate::restage::construct::Kind;
use crate::restage::engine::Engine;
use crate::restage::mode::Mode;
use crate::restage::source::{Root, Source};

/// Branches become selects, loops are written out.
pub(super) struct Predicated;

impl Mode for Predicated {
    fn body_block(&self, e: &mut Engine<'_, '_, '_>) -> Block {
        e.b.block()
    }

    fn is_exhausted(&self, e: &mut Engine<'_, '_, '_>, span: Span) -> bool {
        e.is_too_much(span)
    }

    fn promotes(&self, e: &mut Engine<'_, '_, '_>, _: &Source, var: Var) -> bool {
        // A variable that cannot be promoted is reported here; the partial output is discarded.
        e.can_flatten(Root::Var(var), var.into())
    }

    fn most_components(&self, limits: &Limits) -> u32 {
        limits.flat_components
    }

    fn inlines_all(&self) -> bool {
        true
    }

    fn predicate(&self, e: &mut Engine<'_, '_, '_>, to: usize) -> Option<Value> {
        e.predicate_of_edge(to)
    }

    /// Flattening does not merge facts: loads and derivatives are deduplicated by `flat_once`.
    fn carries_facts(&self) -> bool {
        false
    }

    fn effect(&self, e: &mut Engine<'_, '_, '_>, source: &Source, node: Node, args: &[Value]) -> Results {
        e.flat_effect(source, node, args)
    }

    fn begin_if(
        &self,
        e: &mut Engine<'_, '_, '_>,
        _: &Source,
        block: Block,
        [_, condition]: [Value; 2],
        arms: [Block; 2],
    ) {
        e.begin_choice(block, condition, arms);
    }

    fn begin_switch(&self, e: &mut Engine<'_, '_, '_>, block: Block, selector: Value, cases: &[Case], args: Args) {
        if cases.is_empty() {
            e.push(Kind::Resolved { source: block });
            return e.go_on(e.stack.len() - 1, block, &args);
        }
        e.begin_cases(block, selector, cases, args);
    }

    fn begin_loop(&self, e: &mut Engine<'_, '_, '_>, source: &Source, block: Block, entry: Args) {
        // The condition at the head is asked once more, when there are no more iterations.
        let asked_first = matches!(source.body.blocks[block].exit, Exit::Loop { .. });
        let rounds = e.context.options.limits.flat_iterations.saturating_add(asked_first.into());
        let forecast = e.begin_forecast();
        e.begin_unrolled(block, &entry, rounds);
        let top = e.target(block);
        if let Kind::Unrolled(state) = &mut e.stack[top].kind {
            state.forecast = Some(forecast);
        }
    }

    fn prepare_iteration(&self, e: &mut Engine<'_, '_, '_>, owner: Block) {
        e.forget_iteration(owner);
    }

    fn unrolled_condition(
        &self,
        e: &mut Engine<'_, '_, '_>,
        (to, owner, rounds): (usize, Block, u32),
        condition: Value,
        body_args: &Args,
        merge_args: Args,
    ) {
        // A function that is refused needs no more iterations.
        let known = match e.known_bool(condition) {
            _ if e.leaves_loops() => Some(false),
            None => e.decided_by_ranges(condition),
            known => known,
        };
        match known {
            Some(false) => e.leave_unrolled(to, merge_args),
            Some(true) if rounds == 0 => {
                e.report_too_many_iterations(owner);
                e.leave_unrolled(to, merge_args);
            }
            Some(true) if e.is_hopeless_within(owner, rounds) => {
                e.report_unbounded(owner);
                e.leave_unrolled(to, merge_args);
            }
            Some(true) if e.will_be_too_large(to) => e.finish(),
            Some(true) => e.enter_iteration(owner, body_args),
            None => {
                let args = e.with_escapes(to, merge_args);
                e.flat_condition(to, condition, args, body_args);
            }
        }
    }

    fn close_labelled(&self, e: &mut Engine<'_, '_, '_>) -> bool {
        e.close_flat()
    }

    fn close_root(&self, e: &mut Engine<'_, '_, '_>) {
        e.close_flat_root();
    }

    fn discard(&self, e: &mut Engine<'_, '_, '_>) {
        e.end_here(None, false);
        e.end_chain();
    }

    fn trap(&self, e: &mut Engine<'_, '_, '_>, kind: TrapKind) {
        e.end_here(Some(kind), false);
        e.end_chain();
    }
}
