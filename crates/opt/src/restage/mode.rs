//! The mode of a rewrite: constructs are written as they are, or flattened to one block with predicates.

use planish_ir::builder::Results;
use planish_ir::entity::{Block, Node, Value, Var};
use planish_ir::function::{Args, Case, Exit, TrapKind};
use planish_ir::source::Span;

use super::engine::Engine;
use super::source::{Root, Source};
use crate::limits::Limits;

/// Steps of the interpreter that differ from mode to mode. By default constructs stay constructs
/// ([`Structured`]); flattening overrides them (`flat/mode.rs`).
pub(super) trait Mode {
    /// A block for the body of a construct.
    fn body_block(&self, e: &mut Engine<'_, '_, '_>) -> Block {
        e.b.new_block()
    }

    /// Whether the interpretation ends before the next node, which is at a place of the source.
    fn is_exhausted(&self, _: &mut Engine<'_, '_, '_>, _: Span) -> bool {
        false
    }

    /// Whether a variable that is declared becomes values.
    fn promotes(&self, e: &mut Engine<'_, '_, '_>, source: &Source, var: Var) -> bool {
        e.policy.promote && source.can_promote(Root::Var(var))
    }

    /// Number of components that a variable may have that becomes values.
    fn most_components(&self, limits: &Limits) -> u32 {
        limits.split_components
    }

    /// Whether calls are inlined whatever the size of the function.
    fn inlines_all(&self) -> bool {
        false
    }

    /// The predicate of an edge from here to a construct; `None`: always taken.
    fn predicate(&self, _: &mut Engine<'_, '_, '_>, _to: usize) -> Option<Value> {
        None
    }

    /// Whether edges carry facts and known memory besides slots.
    fn carries_facts(&self) -> bool {
        true
    }

    /// Makes a node on new operands.
    fn effect(&self, e: &mut Engine<'_, '_, '_>, source: &Source, node: Node, args: &[Value]) -> Results {
        e.structured_effect(source, node, args)
    }

    /// Begins an `If` whose condition is not known; `asked` is its condition in the source.
    fn begin_if(
        &self,
        e: &mut Engine<'_, '_, '_>,
        source: &Source,
        block: Block,
        [asked, condition]: [Value; 2],
        arms: [Block; 2],
    ) {
        e.begin_structured_if(source, block, [asked, condition], arms);
    }

    /// Begins a `Switch` whose selector is not known.
    fn begin_switch(&self, e: &mut Engine<'_, '_, '_>, block: Block, selector: Value, cases: &[Case], args: Args) {
        e.begin_structured_switch(block, selector, cases, args);
    }

    /// Begins a loop.
    fn begin_loop(&self, e: &mut Engine<'_, '_, '_>, source: &Source, block: Block, entry: Args) {
        e.begin_structured_loop(source, block, entry);
    }

    /// Begins another iteration of an unrolled loop.
    fn prepare_iteration(&self, _: &mut Engine<'_, '_, '_>, _owner: Block) {}

    /// The condition of the unrolled loop at `to` ends, with `rounds` iterations left.
    fn unrolled_condition(
        &self,
        e: &mut Engine<'_, '_, '_>,
        (to, owner, rounds): (usize, Block, u32),
        condition: Value,
        body_args: &Args,
        merge_args: Args,
    ) {
        match e.known_bool(condition) {
            Some(false) => e.leave_unrolled(to, merge_args),
            Some(true) => e.enter_iteration(owner, body_args),
            None => {
                debug_assert_eq!(rounds, 0, "only the last iteration of an unrolled loop is uncertain");
                let args = e.with_escapes(to, merge_args);
                e.leave_unless(to, condition, args);
                e.enter_iteration(owner, body_args);
            }
        }
    }

    /// Something that can be left has ended. Returns whether the interpretation continues.
    fn close_labelled(&self, e: &mut Engine<'_, '_, '_>) -> bool {
        e.close_structured_labelled()
    }

    /// The function has ended.
    fn close_root(&self, e: &mut Engine<'_, '_, '_>) {
        e.close_root();
    }

    /// The fragment is discarded here.
    fn discard(&self, e: &mut Engine<'_, '_, '_>) {
        e.departures += 1;
        e.b.exit(Exit::Discard);
        e.end_chain();
    }

    /// The program traps here.
    fn trap(&self, e: &mut Engine<'_, '_, '_>, kind: TrapKind) {
        e.departures += 1;
        e.b.exit(Exit::Trap(kind));
        e.end_chain();
    }
}

/// Constructs are written as constructs.
pub(super) struct Structured;

impl Mode for Structured {}
