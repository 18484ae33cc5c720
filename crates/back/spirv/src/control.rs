//! Control flow: the IR's constructs as SPIR-V's, block inputs as phis.
//!
//! The tree of blocks is walked in an order that SPIR-V accepts: a block before those it dominates, a loop's continue block
//! after its body. A construct is on a stack of [`Construct`]s until it is done.
//!
//! A branch may leave the innermost loop or `switch` (through any number of selections) and go on with the innermost loop
//! (through any number of `switch`es). SPIR-V allows more (leaving a loop from a `switch` in it), but readers of SPIR-V that
//! turn it into statements take that for the end of the `switch`; so it is not written: [`planish_target::jumps`] has
//! taken apart what goes further.

mod loops;
mod switches;

use planish_ir::arena::SideTable;
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Value};
use planish_ir::function::{Body, Exit, TrapKind};
use planish_ir::module::EntryPoint;
use planish_ir::walk::{self, Event};
use planish_target::jumps;
use planish_target::structure::{self, Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch};
use smallvec::SmallVec;
use spirv::{Capability, Op};

use crate::Version;
use crate::assemble::Id;
use crate::composites::Test;
use crate::function::{FunctionWriter, Phi, Val};
use crate::types::{Res, fail};
use loops::LoopState;
use switches::SwitchState;

/// The jumps that are written.
pub(crate) const FRAMES: jumps::Frames = jumps::Frames { labelled: jumps::Frame::Switch, loops_in_next: false };

/// Maximum nesting depth of constructs: the specification's limit is 1,023, and jumps may need some between them.
const MOST_NESTED: usize = 1_000;

/// Maximum nesting depth of loops and switches.
const MOST_FRAMES: usize = 200;

/// Arguments for the inputs of a block.
pub(crate) type Values = SmallVec<[Id; 2]>;

/// A branch to a block with inputs.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    /// The block that it comes from.
    pub(crate) from: Id,
    /// The arguments.
    pub(crate) values: Values,
}

/// The form of a construct.
#[derive(Debug)]
pub(crate) enum Form {
    /// With a merge block of its own.
    Merged,
    /// None: its one end goes on in the same block.
    Inline,
    /// As selects. The values of the merge block's inputs.
    Selected(Values),
}

/// A construct that is being written.
#[derive(Debug)]
pub(crate) struct Construct {
    /// The block of the IR that it ends.
    owner: Block,
    form: Form,
    /// The merge block.
    label: Id,
    arrivals: Vec<Arrival>,
    loop_: Option<Box<LoopState>>,
    switch: Option<Box<SwitchState>>,
    /// Label of the second arm of an `If`.
    otherwise: Id,
}

impl Construct {
    fn new(owner: Block, label: Id) -> Self {
        Construct { owner, form: Form::Merged, label, arrivals: vec![], loop_: None, switch: None, otherwise: 0 }
    }
}

/// The state of the walk.
#[derive(Debug)]
pub(crate) struct Control {
    constructs: Vec<Construct>,
    /// Indices of the loops and switches.
    frames: Vec<usize>,
    loops: usize,
    /// The labelled blocks that something breaks out of.
    broken: SideTable<Block, bool>,
}

impl Control {
    pub(crate) fn new(body: &Body) -> Self {
        Control { constructs: vec![], frames: vec![], loops: 0, broken: jumps::broken(body) }
    }

    /// Whether the current instruction may run more than once in one activation of the function.
    pub(crate) fn in_loop(&self) -> bool {
        self.loops > 0
    }

    fn push(&mut self, construct: Construct) {
        self.constructs.push(construct);
    }

    /// A construct that branches can leave.
    fn push_frame(&mut self, construct: Construct) {
        self.frames.push(self.constructs.len());
        self.loops += usize::from(construct.loop_.is_some());
        self.push(construct);
    }

    fn pop(&mut self) -> Construct {
        let construct = self.constructs.pop().expect("a construct");
        if self.frames.last() == Some(&self.constructs.len()) {
            self.frames.pop();
            self.loops -= usize::from(construct.loop_.is_some());
        }
        construct
    }

    fn top(&mut self) -> &mut Construct {
        self.constructs.last_mut().expect("a construct")
    }

    /// The construct that a jump leaves, or the loop that it goes on with; `None` if it is not the innermost.
    fn target(&mut self, owner: Block, label: Label) -> Option<&mut Construct> {
        let constructs = &mut self.constructs;
        let is_target = |construct: &Construct| label == Label::Merge || construct.loop_.is_some();
        let number = match constructs.last() {
            Some(top) if top.owner == owner => constructs.len() - 1,
            _ => *self.frames.iter().rev().find(|&&number| is_target(&constructs[number]))?,
        };
        constructs.get_mut(number).filter(|construct| construct.owner == owner)
    }
}

impl<'m> StructuredWriter<'m> for FunctionWriter<'_, 'm> {
    type Error = Box<Diagnostic>;

    fn block(&mut self, block: Block) -> Res<bool> {
        let body = self.body;
        self.begin_node(body.blocks[block].exit_span, false);
        self.declare_variables(block)?;
        for &node in &body.blocks[block].nodes {
            self.node(node)?;
        }
        self.begin_node(body.blocks[block].exit_span, false);
        Ok(true)
    }

    fn begin_if(&mut self, branch: &If<'m>) -> Res<Arms> {
        self.if_(branch)
    }

    fn else_(&mut self, _: Block) -> Res<()> {
        let label = self.control.top().otherwise;
        self.start_block(label);
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'m>) -> Res<()> {
        self.loop_(l)
    }

    fn loop_if(&mut self, l: &Loop<'m>, test: &LoopIf<'m>) -> Res<()> {
        self.test(l, test)
    }

    fn begin_body(&mut self, l: &Loop<'m>) -> Res<()> {
        self.enter_body(l)
    }

    fn end_body(&mut self, l: &Loop<'m>, reached: bool) -> Res<bool> {
        if let Some(next) = l.next.filter(|_| reached) {
            self.enter_next(next)?;
        }
        Ok(reached)
    }

    fn end_loop(&mut self, l: &Loop<'m>) -> Res<()> {
        self.close_loop(l)
    }

    fn begin_switch(&mut self, switch: &Switch<'m>, _: &[Arm<'m>]) -> Res<()> {
        self.switch(switch)
    }

    fn begin_case(&mut self, _: &Switch<'m>, number: usize) -> Res<bool> {
        self.enter_case(number)
    }

    fn end_switch(&mut self, switch: &Switch<'m>) -> Res<()> {
        self.close_switch(switch)
    }

    fn begin_labelled(&mut self, owner: Block, _: Block) -> Res<()> {
        if self.control.broken[owner] {
            self.breakable(owner);
        } else {
            self.control.push(Construct { form: Form::Inline, ..Construct::new(owner, 0) });
        }
        Ok(())
    }

    fn merge(&mut self, _: Block, merge: Block, _: bool) -> Res<bool> {
        let construct = self.control.pop();
        let values = match construct.form {
            Form::Merged if construct.arrivals.is_empty() => {
                self.start_block(construct.label);
                self.end(Op::Unreachable, &[]);
                return Ok(false);
            }
            Form::Merged => {
                self.start_block(construct.label);
                self.take_inputs(merge, &construct.arrivals)?;
                return Ok(true);
            }
            Form::Inline => match construct.arrivals.into_iter().next() {
                Some(arrival) => arrival.values,
                None => return Ok(false),
            },
            Form::Selected(values) => values,
        };
        let inputs = self.body.blocks[merge].inputs.clone();
        inputs.into_iter().zip(values).for_each(|(input, value)| self.define_input(input, value));
        Ok(true)
    }

    fn jump(&mut self, jump: &Jump<'m>) -> Res<()> {
        let values = self.values(jump.args)?;
        match jump.label {
            Label::Merge => self.leave_construct(jump.owner, values),
            Label::Head | Label::Next => self.continue_(jump, values),
            Label::Case(_) => self.pass_through(),
        }
    }

    fn leave(&mut self, block: Block, exit: &'m Exit) -> Res<()> {
        match exit {
            Exit::Return(values) => self.return_(values),
            Exit::Discard => {
                // From 1.6 on, `OpKill` is deprecated.
                let op = if self.cx.since(Version::V1_6) { Op::TerminateInvocation } else { Op::Kill };
                self.end(op, &[]);
                Ok(())
            }
            // An instruction that only SPIR-V has ended it.
            Exit::Trap(TrapKind::Unreachable) if !self.open => Ok(()),
            Exit::Trap(TrapKind::Unreachable) | Exit::Open => self.return_zeros(),
            Exit::Trap(kind) => fail(Code::E0608, self.span, format!("SPIR-V has no traps ({})", kind.name())),
            _ => fail(Code::E0699, self.span, format!("the exit of {block} does not leave")),
        }
    }
}

impl<'m> FunctionWriter<'_, 'm> {
    /// Writes all blocks.
    pub(crate) fn blocks(&mut self, entry: Option<&EntryPoint>) -> Res<()> {
        let body = self.body;
        self.check_nesting()?;
        let first = self.cx.out.id();
        self.start_block(first);
        if let Some(entry) = entry {
            self.prologue(entry)?;
        }
        structure::write(self, body)
    }

    /// Refuses constructs nested deeper than SPIR-V allows (section 2.17), and constructs that a jump may leave nested
    /// deeper than its readers take: each jump over several of them is tested for after each.
    fn check_nesting(&self) -> Res<()> {
        let body = self.body;
        let frames =
            jumps::deeper_than(body, &FRAMES, MOST_FRAMES).map(|span| (span, MOST_FRAMES, "loops and switches"));
        let deep = walk::events(body, body.entry).find_map(|event| match event {
            Event::Enter { parent, depth, .. } if depth as usize > MOST_NESTED => Some(body.blocks[parent].exit_span),
            _ => None,
        });
        let Some((span, most, what)) = frames.or(deep.map(|span| (span, MOST_NESTED, "constructs"))) else {
            return Ok(());
        };
        let message = format!("SPIR-V is written with at most {most} nested {what}, and this is deeper");
        let help = "put a part of it into a function of its own";
        Err(Box::new(Diagnostic::error(Code::E0690, span, message).help(help)))
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

    /// Results are zero at the end of a function without `return`, where the language leaves them undefined.
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

    fn if_(&mut self, branch: &If<'m>) -> Res<Arms> {
        let &If { owner, condition, arms, merge } = branch;
        let test = self.id(condition)?;
        let given = arms.map(|arm| arm.only_merges());
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
            self.control.push(Construct { form, ..Construct::new(owner, 0) });
            return Ok(Arms::default());
        }
        let label = self.cx.out.id();
        let mut construct = Construct::new(owner, label);
        let mut targets = [label; 2];
        let mut inside = [None; 2];
        for i in [0, 1] {
            // Two arms that only pass values still need a block, for the phis to tell them apart.
            match given[i].filter(|_| i == 0 || inside[0].is_some()) {
                Some(args) => {
                    let values = self.values(args)?;
                    construct.arrivals.push(Arrival { from: self.label(), values });
                }
                None => {
                    targets[i] = self.cx.out.id();
                    inside[i] = Some(arms[i].block);
                }
            }
        }
        construct.otherwise = targets[1];
        self.emit_void(Op::SelectionMerge, &[label, 0]);
        self.end(Op::BranchConditional, &[test, targets[0], targets[1]]);
        self.control.push(construct);
        if inside[0].is_none() {
            inside.swap(0, 1);
            targets.swap(0, 1);
        }
        self.start_block(targets[0]);
        Ok(Arms { inside, after: None })
    }

    /// A select has the precision of the input that it replaces.
    fn relax_selected(&mut self, input: planish_ir::entity::Local, same: bool, id: Id) {
        if !same {
            self.relax(input, id);
        }
    }

    /// Opens a construct that branches can leave: a `switch` with nothing but a default.
    fn breakable(&mut self, owner: Block) {
        let (label, inside) = (self.cx.out.id(), self.cx.out.id());
        let zero = self.cx.scalar(planish_ir::types::Scalar::I32, 0);
        self.emit_void(Op::SelectionMerge, &[label, 0]);
        self.end(Op::Switch, &[zero, inside]);
        self.start_block(inside);
        self.control.push_frame(Construct::new(owner, label));
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

    /// Goes to the merge block of a construct.
    fn leave_construct(&mut self, owner: Block, values: Values) -> Res<()> {
        let from = self.label();
        let Some(construct) = self.control.target(owner, Label::Merge) else { return self.too_far() };
        construct.arrivals.push(Arrival { from, values });
        if let (Form::Merged, label) = (&construct.form, construct.label) {
            self.end(Op::Branch, &[label]);
        }
        Ok(())
    }

    /// A jump that could not be shortened.
    fn too_far<T>(&self) -> Res<T> {
        fail(Code::E0604, self.span, "a jump over several constructs passes what cannot be chosen by control flow")
    }

    /// Defines the inputs of a block from its predecessors: as phis, or as the value itself if it is the same from all.
    pub(crate) fn take_inputs(&mut self, block: Block, arrivals: &[Arrival]) -> Res<()> {
        let inputs = self.body.blocks[block].inputs.clone();
        for (i, &input) in inputs.iter().enumerate() {
            let ty = self.body.local_type(input);
            let id = self.phi_of(ty, arrivals, i)?;
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

    /// A phi of argument number `index` of the predecessors.
    fn phi_of(&mut self, ty: planish_ir::entity::Type, arrivals: &[Arrival], index: usize) -> Res<Id> {
        self.phi(ty, arrivals.iter().map(|arrival| (arrival.values[index], arrival.from)).collect())
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

    /// Notes that the module can demote invocations.
    pub(crate) fn may_demote(&mut self) {
        self.cx.out.need(Capability::DemoteToHelperInvocation);
        if !self.cx.since(Version::V1_6) {
            self.cx.out.need_extension("SPV_EXT_demote_to_helper_invocation");
        }
    }

    /// Demotes the invocation.
    pub(crate) fn demote(&mut self) {
        self.may_demote();
        self.emit_void(Op::DemoteToHelperInvocation, &[]);
    }
}
