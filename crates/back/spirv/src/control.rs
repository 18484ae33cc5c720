//! Control flow: the IR's constructs as SPIR-V's, block inputs as phis.
//!
//! The tree of blocks is walked in the order of its events, which is an order that SPIR-V accepts: a block before those it
//! dominates, a loop's continue block behind its body. What a construct needs until it is done stands on a stack of
//! [`Construct`]s; nothing recurses.
//!
//! # Jumps
//! A branch may leave the innermost loop or `switch` (through any number of selections) and go on with the innermost loop
//! (through any number of `switch`es). SPIR-V allows more (leaving a loop from a `switch` in it), but readers of SPIR-V that
//! turn it into statements take that for the end of the `switch`; so it is not written. A jump that goes further feeds the
//! merge block of the innermost construct, together with its *way*, the number of the jump; a normal arrival has way 0.
//! Behind the merge block's phis the way is asked, and the jump goes on from there, perhaps by the next merge block:
//!
//! ```text
//! loop { loop { if (a) break 2 loops; } … }      %inner_merge = OpLabel
//!                                                 %leave = OpPhi %bool %true %from_if %false %from_condition
//!                                                 OpSelectionMerge %go_on None
//!                                                 OpBranchConditional %leave %take %go_on
//!                                         %take = OpLabel
//!                                                 OpBranch %outer_merge
//! ```
//!
//! The other back ends guard such jumps with variables of their own. A common pass on the IR would have to know which
//! constructs a target's `break` leaves (here a labelled block is a `switch`, in GLSL a loop), so each writes its guards.

mod jumps;
mod loops;
mod switches;

use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::module::EntryPoint;
use planish_ir::walk::{self, BlockKind, Event};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use spirv::{Capability, Op};

use crate::Version;
use crate::assemble::Id;
use crate::composites::Test;
use crate::function::{FunctionWriter, Phi, Val};
use crate::types::{Res, fail};
pub(crate) use jumps::{Arrival, Jump};
use loops::LoopState;
use switches::SwitchState;

/// Constructs in each other: the specification's limit is 1,023, and jumps may need some between them.
const MOST_NESTED: u32 = 1_000;

/// Loops and switches in each other.
const MOST_FRAMES: usize = 200;

/// Values that feed the inputs of a block.
pub(crate) type Values = SmallVec<[Id; 2]>;

/// What a branch can leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame {
    /// A loop.
    Loop,
    /// An `OpSwitch`, of a switch or of a labelled block.
    Switch,
}

/// How a construct is written.
#[derive(Debug)]
pub(crate) enum Form {
    /// With a merge block of its own.
    Merged,
    /// Not at all: its one end goes on in the same block.
    Inline,
    /// As selects; its arms are skipped. The values of the merge block's inputs.
    Selected(Values),
}

/// A construct that is being written.
#[derive(Debug)]
pub(crate) struct Construct {
    /// The block of the IR that it ends.
    owner: Block,
    /// Whether it is no construct of the IR, but put around the body of the loop that ends `owner`: what goes on with the
    /// loop leaves it, and `merge` is the loop's continue block (or condition).
    is_wrapper: bool,
    frame: Option<Frame>,
    form: Form,
    /// The merge block.
    label: Id,
    /// Its block of the IR.
    merge: Block,
    arrivals: Vec<Arrival>,
    /// The jumps that pass through; an arrival's way is the number in this list.
    passing: Vec<Jump>,
    loop_: Option<Box<LoopState>>,
    switch: Option<Box<SwitchState>>,
    /// Labels of the arms of an `If`; `None`: the arm is the merge block.
    arms: [Option<Id>; 2],
}

impl Construct {
    fn new(owner: Block, merge: Block, label: Id, frame: Option<Frame>) -> Self {
        Construct {
            owner,
            is_wrapper: false,
            frame,
            form: Form::Merged,
            label,
            merge,
            arrivals: vec![],
            passing: vec![],
            loop_: None,
            switch: None,
            arms: [None; 2],
        }
    }
}

/// The state of the walk.
#[derive(Debug)]
pub(crate) struct Control {
    constructs: Vec<Construct>,
    /// The numbers of those that can be left, and how many of them are loops.
    frames: Vec<usize>,
    loops: usize,
    /// For each chain of blocks that is open, whether it is unreachable from here on.
    dead: Vec<bool>,
    /// The labelled blocks that something breaks out of.
    broken: FxHashSet<Block>,
}

impl Control {
    pub(crate) fn new(body: &Body) -> Self {
        let targets = walk::blocks(body).filter_map(|b| match body.blocks[b].exit {
            Exit::Break(owner, _) => Some(owner),
            _ => None,
        });
        Control { constructs: vec![], frames: vec![], loops: 0, dead: vec![], broken: targets.collect() }
    }

    /// Whether what is being written may run more than once in one activation of the function.
    pub(crate) fn in_loop(&self) -> bool {
        self.loops > 0
    }

    fn push(&mut self, construct: Construct) {
        if let Some(frame) = construct.frame {
            self.frames.push(self.constructs.len());
            self.loops += usize::from(frame == Frame::Loop);
        }
        self.constructs.push(construct);
    }

    fn pop(&mut self) -> Construct {
        let construct = self.constructs.pop().expect("a construct");
        if let Some(frame) = construct.frame {
            self.frames.pop();
            self.loops -= usize::from(frame == Frame::Loop);
        }
        construct
    }

    /// The innermost construct that can be left and that `test` takes.
    fn frame(&self, test: impl Fn(&Construct) -> bool) -> Option<usize> {
        self.frames.iter().rev().copied().find(|&number| test(&self.constructs[number]))
    }

    fn top(&mut self) -> &mut Construct {
        self.constructs.last_mut().expect("a construct")
    }

    fn is_dead(&self) -> bool {
        self.dead.last().copied().unwrap_or(false)
    }

    fn die(&mut self) {
        *self.dead.last_mut().expect("a chain") = true;
    }
}

impl<'m> FunctionWriter<'_, 'm> {
    /// Writes all blocks.
    pub(crate) fn chains(&mut self, entry: Option<&EntryPoint>) -> Res<()> {
        let body = self.body;
        self.check_nesting()?;
        let first = self.cx.out.id();
        self.start_block(first);
        if let Some(entry) = entry {
            self.prologue(entry)?;
        }
        for event in walk::events(body, body.entry) {
            match event {
                Event::Enter { block, kind, parent, .. } => {
                    if !matches!(kind, BlockKind::Merge) {
                        let dead = self.control.is_dead();
                        self.control.dead.push(dead);
                    }
                    if self.control.is_dead() {
                        continue;
                    }
                    self.enter(block, kind, parent)?;
                    if !self.control.is_dead() {
                        self.block(block)?;
                    }
                }
                Event::Leave { .. } => {
                    self.control.dead.pop();
                }
            }
        }
        Ok(())
    }

    /// Refuses constructs deeper in each other than SPIR-V allows (section 2.17), and, of those that a jump may leave, deeper than what
    /// reads it takes: each jump over several of them asks behind each.
    fn check_nesting(&self) -> Res<()> {
        let body = self.body;
        let mut frames = 0;
        let can_be_left = |block: Block| {
            matches!(
                body.blocks[block].exit,
                Exit::Loop { .. } | Exit::DoLoop { .. } | Exit::Switch { .. } | Exit::Labelled { .. }
            )
        };
        let opens = |kind, parent| kind != BlockKind::Merge && kind != BlockKind::Entry && can_be_left(parent);
        let mut parents: Vec<Block> = vec![];
        for event in walk::events(body, body.entry) {
            match event {
                Event::Enter { block, kind, parent, depth } => {
                    if kind != BlockKind::Merge {
                        parents.push(parent);
                        frames += usize::from(opens(kind, parent));
                    }
                    if depth > MOST_NESTED || frames > MOST_FRAMES {
                        let (most, what) = if frames > MOST_FRAMES {
                            (MOST_FRAMES as u32, "loops and switches")
                        } else {
                            (MOST_NESTED, "constructs")
                        };
                        let span = body.blocks[parents.last().copied().unwrap_or(block)].exit_span;
                        let message =
                            format!("SPIR-V is written with at most {most} {what} in each other, and this is deeper");
                        let help = "put a part of it into a function of its own";
                        return Err(Box::new(Diagnostic::error(Code::E0690, span, message).help(help)));
                    }
                }
                Event::Leave { kind, .. } => {
                    if let Some(parent) = parents.pop() {
                        frames -= usize::from(opens(kind, parent));
                    }
                }
            }
        }
        Ok(())
    }

    /// Gets to the beginning of a block; the chain dies if nothing does.
    fn enter(&mut self, block: Block, kind: BlockKind, parent: Block) -> Res<()> {
        match kind {
            BlockKind::Entry => Ok(()),
            BlockKind::Merge => self.enter_merge(block, parent),
            BlockKind::Then => self.enter_arm(0),
            BlockKind::Otherwise => self.enter_arm(1),
            BlockKind::Condition => self.enter_condition(block, parent),
            BlockKind::LoopBody => self.enter_body(block, parent),
            BlockKind::Next => self.enter_next(block),
            BlockKind::Case(number) => self.enter_case(number as usize),
            BlockKind::LabelledBody => Ok(()),
        }
    }

    fn enter_arm(&mut self, number: usize) -> Res<()> {
        match self.control.top().arms[number] {
            Some(label) => self.start_block(label),
            None => self.control.die(),
        }
        Ok(())
    }

    fn enter_merge(&mut self, block: Block, parent: Block) -> Res<()> {
        if let Exit::NextBlock { .. } = self.body.blocks[parent].exit {
            return Ok(());
        }
        let top = self.control.top();
        debug_assert!(top.owner == parent && !top.is_wrapper, "constructs end in order");
        if top.loop_.is_some() {
            self.close_loop()?;
        }
        if self.control.top().switch.is_some() {
            self.close_switch()?;
        }
        if self.finish()? {
            debug_assert!(self.open && self.body.blocks[parent].exit.merge_block() == Some(block));
        } else {
            self.control.die();
        }
        Ok(())
    }

    /// Writes a block that is reached: variables, nodes, exit.
    fn block(&mut self, block: Block) -> Res<()> {
        let body = self.body;
        self.begin_node(body.blocks[block].exit_span, false);
        self.declare_variables(block)?;
        for &node in &body.blocks[block].nodes {
            self.node(node)?;
        }
        self.begin_node(body.blocks[block].exit_span, false);
        match &body.blocks[block].exit {
            Exit::If { condition, then, otherwise, merge } => self.if_(block, *condition, [*then, *otherwise], *merge),
            Exit::Loop { .. } | Exit::DoLoop { .. } => self.loop_(block),
            Exit::Switch { selector, cases, args, merge } => self.switch(block, *selector, cases, args, *merge),
            Exit::Labelled { merge, .. } => self.labelled(block, *merge),
            Exit::NextBlock { .. } => Ok(()),
            leaving => self.leave(block, leaving),
        }
    }

    fn leave(&mut self, block: Block, exit: &Exit) -> Res<()> {
        match exit {
            Exit::Merge(args) => {
                let values = self.values(args)?;
                self.merge(values)
            }
            Exit::Break(owner, args) => self.break_(*owner, args),
            Exit::Continue(owner, args) => self.continue_(*owner, args),
            Exit::LoopIf { condition, body_args, merge_args } => self.loop_if(*condition, body_args, merge_args),
            Exit::Passthrough => self.pass_through(),
            Exit::Return(values) => self.return_(values),
            Exit::Discard => {
                // From 1.6 on, `OpKill` is deprecated.
                let op = if self.cx.since(Version::V1_6) { Op::TerminateInvocation } else { Op::Kill };
                self.end(op, &[]);
                Ok(())
            }
            Exit::Trap(TrapKind::Unreachable) | Exit::Open => self.return_zeros(),
            Exit::Trap(kind) => fail(Code::E0608, self.span, format!("SPIR-V has no traps ({})", kind.name())),
            _ => fail(Code::E0699, self.span, format!("the exit of {block} does not leave")),
        }
    }

    fn return_(&mut self, values: &[Value]) -> Res<()> {
        self.epilogue()?;
        match self.ids(values)?[..] {
            [] => self.end(Op::Return, &[]),
            [one] => self.end(Op::ReturnValue, &[one]),
            ref many => {
                let ty = self.result_struct()?;
                let all = self.emit(Op::CompositeConstruct, ty, many);
                self.end(Op::ReturnValue, &[all]);
            }
        }
        Ok(())
    }

    /// What the language leaves undefined at the end of a function without `return` is zero.
    fn return_zeros(&mut self) -> Res<()> {
        if self.cx.module.funcs[self.func].results.is_empty() {
            return self.return_(&[]);
        }
        let ty = self.result_struct()?;
        let null = self.cx.out.constant(Op::ConstantNull, ty, &[]);
        self.end(Op::ReturnValue, &[null]);
        Ok(())
    }

    /// The type of the function's result.
    fn result_struct(&mut self) -> Res<Id> {
        Ok(self.cx.signature(self.func)?.result)
    }

    // Selections.

    fn if_(&mut self, owner: Block, condition: Value, arms: [Block; 2], merge: Block) -> Res<()> {
        let test = self.id(condition)?;
        let given = [self.only_gives(arms[0]), self.only_gives(arms[1])];
        if let [Some(then), Some(otherwise)] = given
            && self.body.blocks[merge].inputs.iter().all(|&l| self.is_selectable(self.body.local_type(l)))
        {
            let (then, otherwise) = (self.values(then)?, self.values(otherwise)?);
            let mut chosen = Values::new();
            for (i, (a, b)) in then.into_iter().zip(otherwise).enumerate() {
                let input = self.body.blocks[merge].inputs[i];
                let ty = self.body.local_type(input);
                chosen.push(if a == b { a } else { self.select(ty, Test::All(test), a, b)? });
                self.relax_selected(input, a == b, chosen[i]);
            }
            let form = Form::Selected(chosen);
            self.control.push(Construct { form, ..Construct::new(owner, merge, 0, None) });
            return Ok(());
        }
        let label = self.cx.out.id();
        let mut construct = Construct::new(owner, merge, label, None);
        let mut targets = [label; 2];
        for i in [0, 1] {
            // Two arms that only give values still need a block, for the phis to tell them apart.
            match given[i].filter(|_| i == 0 || construct.arms[0].is_some()) {
                Some(args) => {
                    let values = self.values(args)?;
                    construct.arrivals.push(Arrival { from: self.label(), way: None, values });
                }
                None => {
                    targets[i] = self.cx.out.id();
                    construct.arms[i] = Some(targets[i]);
                }
            }
        }
        self.emit_void(Op::SelectionMerge, &[label, 0]);
        self.end(Op::BranchConditional, &[test, targets[0], targets[1]]);
        self.control.push(construct);
        Ok(())
    }

    /// A select has the precision of the input that it stands for.
    fn relax_selected(&mut self, input: planish_ir::entity::Local, same: bool, id: Id) {
        if !same {
            self.relax(input, id);
        }
    }

    /// What an arm gives to the merge block, if it does nothing else.
    fn only_gives(&self, arm: Block) -> Option<&'m [Value]> {
        let body = self.body;
        let data = &body.blocks[arm];
        match &data.exit {
            Exit::Merge(args) if data.nodes.is_empty() && data.variables.is_empty() => Some(args),
            _ => None,
        }
    }

    fn labelled(&mut self, owner: Block, merge: Block) -> Res<()> {
        if !self.control.broken.contains(&owner) {
            self.control.push(Construct { form: Form::Inline, ..Construct::new(owner, merge, 0, None) });
            return Ok(());
        }
        self.breakable(owner, merge);
        Ok(())
    }

    /// Opens a construct that branches can leave: a `switch` with nothing but a default.
    fn breakable(&mut self, owner: Block, merge: Block) {
        let (label, inside) = (self.cx.out.id(), self.cx.out.id());
        let zero = self.cx.scalar(planish_ir::types::Scalar::I32, 0);
        self.emit_void(Op::SelectionMerge, &[label, 0]);
        self.end(Op::Switch, &[zero, inside]);
        self.start_block(inside);
        self.control.push(Construct::new(owner, merge, label, Some(Frame::Switch)));
    }

    // Merge blocks.

    /// Operands of an exit as ids.
    pub(crate) fn values(&mut self, args: &[Value]) -> Res<Values> {
        let mut values = Values::new();
        for &arg in args {
            values.push(match self.val(arg)? {
                Val::Id(id) => id,
                _ => {
                    let message = "pointers, images and samplers cannot be chosen by control flow";
                    return fail(Code::E0604, self.span, message);
                }
            });
        }
        Ok(values)
    }

    /// The end of an arm, or of a labelled block.
    fn merge(&mut self, values: Values) -> Res<()> {
        let from = self.label();
        let top = self.control.top();
        let (label, inline) = (top.label, matches!(top.form, Form::Inline));
        top.arrivals.push(Arrival { from, way: None, values });
        if !inline {
            self.end(Op::Branch, &[label]);
        }
        Ok(())
    }

    /// Makes the inputs of a block out of what arrives: a phi, or the value itself where it is the same from everywhere.
    pub(crate) fn take_inputs(&mut self, block: Block, arrivals: &[Arrival]) -> Res<()> {
        let inputs = self.body.blocks[block].inputs.clone();
        for (i, &input) in inputs.iter().enumerate() {
            let ty = self.body.local_type(input);
            let id = self.phi_of(ty, arrivals, None, i)?;
            self.define_input(input, id);
        }
        Ok(())
    }

    fn define_input(&mut self, input: planish_ir::entity::Local, id: Id) {
        let is_phi = self.blocks.last().is_some_and(|b| b.phis.last().is_some_and(|p| p.id == id));
        if is_phi {
            self.relax(input, id);
            self.name_value(input, id);
        }
        self.set(input, Val::Id(id));
    }

    /// A phi of value number `index` of what arrives by a way; for other ways it is zero.
    pub(crate) fn phi_of(
        &mut self,
        ty: planish_ir::entity::Type,
        arrivals: &[Arrival],
        way: Option<usize>,
        index: usize,
    ) -> Res<Id> {
        let mut incoming = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            let value = if arrival.way == way { arrival.values[index] } else { self.cx.null(ty, self.span)? };
            incoming.push((value, arrival.from));
        }
        self.phi(ty, incoming)
    }

    /// A phi, or the only value.
    pub(crate) fn phi(&mut self, ty: planish_ir::entity::Type, incoming: Vec<(Id, Id)>) -> Res<Id> {
        let first = incoming.first().map(|&(value, _)| value);
        if let Some(value) = first.filter(|v| incoming.iter().all(|(other, _)| other == v)) {
            return Ok(value);
        }
        let ty = self.cx.value_type(ty, self.span)?;
        let id = self.cx.out.id();
        self.blocks.last_mut().expect("a block").phis.push(Phi { id, ty, incoming });
        Ok(id)
    }

    /// Whether a condition is the constant `true`.
    fn is_true(&self, condition: Value) -> bool {
        condition.as_const() == Some(Const::TRUE)
    }

    /// Notes that the module demotes invocations.
    pub(crate) fn demote(&mut self) {
        self.cx.out.need(Capability::DemoteToHelperInvocation);
        if !self.cx.since(Version::V1_6) {
            self.cx.out.need_extension("SPV_EXT_demote_to_helper_invocation");
        }
        self.emit_void(Op::DemoteToHelperInvocation, &[]);
    }
}
