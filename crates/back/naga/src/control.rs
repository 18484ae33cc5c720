//! Control flow: from the IR's constructs to naga's `If`, `Loop` and `Switch`.
//!
//! naga's `Break` and `Continue` know the innermost construct only: [`planish_target::jumps`] has rewritten jumps that
//! go further.

use naga::{BinaryOperator as Bin, Expression, Literal, Statement, SwitchCase, SwitchValue, UnaryOperator};
use planish_ir::diagnostic::{Code, Diagnostic};
use planish_ir::entity::{Block, Const, Value};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::walk;
use planish_target::jumps;
use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, StructuredWriter, Switch};

use crate::function::{Ex, FunctionLowering, Val};
use crate::types::{Res, fail};

/// The jumps that are written.
pub(crate) const FRAMES: jumps::Frames = jumps::Frames { labelled: jumps::Frame::Switch, loops_in_next: true };

/// An `If` whose second arm is being lowered.
pub(crate) struct OpenIf {
    condition: Ex,
    accept: naga::Block,
}

/// A loop that is being lowered.
#[derive(Default)]
pub(crate) struct OpenLoop {
    /// The body, once the continuing block has begun.
    body: Option<naga::Block>,
    break_if: Option<Ex>,
}

/// A switch that is being lowered.
pub(crate) struct OpenSwitch {
    selector: Ex,
    /// Cases of the output.
    cases: Vec<SwitchCase>,
    /// Values of the cases before that are one with the next.
    values: Vec<SwitchValue>,
    /// Number of blocks that the cases so far lead to.
    groups: u32,
    /// The variable with the number of the block, where cases fall through.
    number: Option<Ex>,
    /// The condition of the block that is being written.
    condition: Option<Ex>,
}

impl<'m> StructuredWriter<'m> for FunctionLowering<'_, 'm> {
    type Error = Box<Diagnostic>;

    fn block(&mut self, block: Block) -> Res<bool> {
        let body = self.body;
        let data = &body.blocks[block];
        let in_loop = !self.loops.is_empty();
        if let Some(&flag) = self.routes.resets.get(&block) {
            let (pointer, value) = (self.slot(flag)?, self.literal(Literal::Bool(false)));
            self.push(Statement::Store { pointer, value });
        }
        for &var in &data.variables {
            self.declare(var, in_loop)?;
        }
        for (i, &node) in data.nodes.iter().enumerate() {
            self.next_op = data.nodes.get(i + 1).map(|&n| body.node(n).op);
            self.node(node)?;
        }
        self.span = data.exit_span;
        Ok(true)
    }

    fn begin_if(&mut self, branch: &If<'m>) -> Res<Arms> {
        if self.try_select(branch)? {
            return Ok(Arms::default());
        }
        let condition = self.expr(branch.condition)?;
        self.ifs.push(OpenIf { condition, accept: naga::Block::new() });
        self.open(1)?;
        Ok(Arms::both(branch))
    }

    fn else_(&mut self, _: Block) -> Res<()> {
        let accept = self.close();
        self.ifs.last_mut().expect("an `If` was begun").accept = accept;
        self.open(1)
    }

    fn end_if(&mut self, _: Block) -> Res<()> {
        let reject = self.close();
        let OpenIf { condition, accept } = self.ifs.pop().expect("an `If` was begun");
        let (condition, accept, reject) = if accept.is_empty() && !reject.is_empty() {
            (self.unary(UnaryOperator::LogicalNot, condition), reject, accept)
        } else {
            (condition, accept, reject)
        };
        self.push(Statement::If { condition, accept, reject });
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'m>) -> Res<()> {
        self.pass(l.head, l.args)?;
        self.frames.push(l.owner);
        self.loops.push((l.owner, OpenLoop::default()));
        self.open(1)?;
        self.take_inputs(l.head)
    }

    fn loop_if(&mut self, l: &Loop<'m>, test: &LoopIf<'m>) -> Res<()> {
        if l.tests_last {
            self.pass(l.merge, test.merge_args)?;
            self.pass(l.body, test.body_args)?;
            if !test.always() {
                let leave = self.not(test.condition)?;
                self.loops.last_mut().expect("a loop was begun").1.break_if = Some(leave);
            }
            return Ok(());
        }
        if !test.always() {
            let condition = self.not(test.condition)?;
            let (accept, ()) = self.nested(|s| {
                s.pass(l.merge, test.merge_args)?;
                s.push(Statement::Break);
                Ok(())
            })?;
            self.push(Statement::If { condition, accept, reject: naga::Block::new() });
        }
        self.pass(l.body, test.body_args)
    }

    fn begin_body(&mut self, l: &Loop<'m>) -> Res<()> {
        if l.tests_last { Ok(()) } else { self.take_inputs(l.body) }
    }

    fn end_body(&mut self, l: &Loop<'m>, reached: bool) -> Res<bool> {
        if let Some(next) = l.next.filter(|_| reached) {
            let body = self.close();
            self.loops.last_mut().expect("a loop was begun").1.body = Some(body);
            self.open(2)?;
            self.take_inputs(next)?;
        }
        Ok(reached)
    }

    fn end_loop(&mut self, _: &Loop<'m>) -> Res<()> {
        let last = self.close();
        self.frames.pop();
        let (_, OpenLoop { body, break_if }) = self.loops.pop().expect("a loop was begun");
        let (body, continuing) = match body {
            Some(body) => (body, last),
            None => (last, naga::Block::new()),
        };
        self.push(Statement::Loop { body, continuing, break_if });
        Ok(())
    }

    fn begin_switch(&mut self, switch: &Switch<'m>, _: &[Arm<'m>]) -> Res<()> {
        self.switch(switch)
    }

    fn begin_case(&mut self, switch: &Switch<'m>, number: usize) -> Res<bool> {
        self.open_case(switch, number)
    }

    fn end_case(&mut self, switch: &Switch<'m>, number: usize) -> Res<()> {
        if !is_one_with_next(self.body, switch, number) {
            self.close_case();
        }
        Ok(())
    }

    fn end_switch(&mut self, switch: &Switch<'m>) -> Res<()> {
        self.close_switch(switch)
    }

    fn begin_labelled(&mut self, owner: Block, _: Block) -> Res<()> {
        if self.broken[owner] {
            self.frames.push(owner);
            self.open(2)?;
        }
        Ok(())
    }

    fn end_labelled(&mut self, owner: Block) -> Res<()> {
        if self.broken[owner] {
            self.frames.pop();
            let block = self.close();
            self.breakable(block);
        }
        Ok(())
    }

    fn merge(&mut self, _: Block, merge: Block, reached: bool) -> Res<bool> {
        if reached {
            self.take_inputs(merge)?;
        }
        Ok(reached)
    }

    fn jump(&mut self, jump: &Jump<'m>) -> Res<()> {
        self.pass(jump.block, jump.args)?;
        let innermost = match jump.label {
            Label::Case(_) => {
                self.fall_through();
                return Ok(());
            }
            _ if jump.falls => return Ok(()),
            Label::Merge => self.frames.last(),
            Label::Head | Label::Next => self.loops.last().map(|open| &open.0),
        };
        if innermost != Some(&jump.owner) {
            let message = "a jump over several constructs passes what cannot be chosen by control flow";
            return fail(Code::E0604, self.span, message);
        }
        self.push(if jump.label == Label::Merge { Statement::Break } else { Statement::Continue });
        Ok(())
    }

    fn leave(&mut self, _: Block, exit: &'m Exit) -> Res<()> {
        match exit {
            Exit::Return(values) => self.return_(values)?,
            Exit::Discard => self.push(Statement::Kill),
            Exit::Trap(TrapKind::Unreachable) | Exit::Open => {
                let value = match &self.fun.result {
                    Some(result) => {
                        let ty = result.ty;
                        Some(self.pre(Expression::ZeroValue(ty)))
                    }
                    None => None,
                };
                self.push(Statement::Return { value });
            }
            Exit::Trap(kind) => {
                let message = format!("{} has no traps ({})", self.cx.target(), kind.name());
                return fail(Code::E0608, self.span, message);
            }
            _ => return fail(Code::E0699, self.span, "the exit does not leave"),
        }
        Ok(())
    }
}

/// Whether a case leads to the block of the next one.
fn is_one_with_next(body: &planish_ir::function::Body, switch: &Switch<'_>, number: usize) -> bool {
    number + 1 < switch.cases.len() && switch.is_empty_case(body, number)
}

impl FunctionLowering<'_, '_> {
    fn return_(&mut self, values: &[Value]) -> Res<()> {
        let value = match (values, self.results) {
            ([], _) => None,
            ([value], None) => Some(self.expr(*value)?),
            (_, ty) => {
                let mut components = vec![];
                for &v in values {
                    components.push(self.expr(v)?);
                }
                let ty = ty.expect("a struct of several results");
                Some(self.add(Expression::Compose { ty, components }))
            }
        };
        self.push(Statement::Return { value });
        Ok(())
    }

    /// Arms with nothing in them that only choose a value are a `select`. Arms that compute something stay arms: the
    /// schedule has decided that the branch is worth its cost.
    fn try_select(&mut self, branch: &If<'_>) -> Res<bool> {
        let body = self.body;
        let inputs = &body.blocks[branch.merge].inputs;
        let [Some(a), Some(b)] = branch.arms.map(|arm| arm.only_merges()) else { return Ok(false) };
        let selectable = |l| self.cx.types.ir.vector_size(body.local_type(l)).is_some();
        if inputs.is_empty() || !inputs.iter().all(|&l| selectable(l)) {
            return Ok(false);
        }
        let test = self.expr(branch.condition)?;
        for (i, &input) in inputs.iter().enumerate() {
            let (accept, reject) = (self.expr(a[i])?, self.expr(b[i])?);
            let value = self.select(test, accept, reject);
            self.define(input, Val::Expr(value))?;
            self.ready.insert(input);
        }
        Ok(true)
    }

    fn not(&mut self, condition: Value) -> Res<Ex> {
        let condition = self.expr(condition)?;
        Ok(self.unary(UnaryOperator::LogicalNot, condition))
    }

    /// A block that `Break` leaves: a switch with one case.
    fn breakable(&mut self, body: naga::Block) {
        let selector = self.i32(0);
        let cases = vec![SwitchCase { value: SwitchValue::Default, body, fall_through: false }];
        self.push(Statement::Switch { selector, cases });
    }

    // Switches.

    /// The values of a case, and of those before that are one with it.
    fn take_values(&mut self, switch: &Switch<'_>, number: usize) {
        let case = &switch.cases[number];
        let unsigned = self.type_of(switch.selector) == planish_ir::entity::Type::U32;
        let consts = &self.cx.module.consts;
        let value = |&c: &Const| {
            let bits = consts.as_bits(c)? as u32;
            Some(if unsigned { SwitchValue::U32(bits) } else { SwitchValue::I32(bits as i32) })
        };
        let values: Vec<SwitchValue> = case.values.iter().filter_map(value).collect();
        let open = self.switches.last_mut().expect("a switch was begun");
        open.values.extend(values);
        if case.is_default {
            open.values.push(SwitchValue::Default);
        }
    }

    /// A case of the output for the values that were taken.
    fn add_case(&mut self, body: naga::Block) {
        let open = self.switches.last_mut().expect("a switch was begun");
        // The default comes last, with the block.
        let mut values = std::mem::take(&mut open.values);
        if let Some(at) = values.iter().position(|value| matches!(value, SwitchValue::Default)) {
            let default = values.remove(at);
            values.push(default);
        }
        let Some(last) = values.pop() else { return };
        let empty = |value| SwitchCase { value, body: naga::Block::new(), fall_through: true };
        open.cases.extend(values.into_iter().map(empty));
        open.cases.push(SwitchCase { value: last, body, fall_through: false });
    }

    /// With fall-through, which WGSL does not have, a switch computes the number of the block; the blocks follow it one
    /// after the other, each under the test for its number, in a construct that `break` leaves.
    fn switch(&mut self, switch: &Switch<'_>) -> Res<()> {
        let (body, count) = (self.body, switch.cases.len());
        if self.shape(self.type_of(switch.selector)).0.bits() != 32 {
            return fail(Code::E0602, self.span, "a switch needs a 32-bit selector");
        }
        let falls = |number: usize| {
            let end = walk::chain_end(body, switch.cases[number].block);
            body.blocks[end].exit == Exit::Passthrough && !is_one_with_next(body, switch, number)
        };
        let selector = self.expr(switch.selector)?;
        let mut open = OpenSwitch { selector, cases: vec![], values: vec![], groups: 0, number: None, condition: None };
        if !(0..count).any(falls) {
            self.frames.push(switch.owner);
            self.switches.push(open);
            return Ok(());
        }
        let ty = self.cx.types.vector(naga::Scalar::U32, 1);
        let pointer = self.local(Some("case_number".into()), ty, None);
        open.number = Some(pointer);
        self.switches.push(open);
        let mut groups = 0;
        for number in 0..count {
            self.take_values(switch, number);
            if !is_one_with_next(body, switch, number) {
                self.add_number(pointer, groups, None)?;
                groups += 1;
            }
        }
        if switch.default_case().is_none() {
            self.add_number(pointer, groups, Some(switch))?;
        }
        let cases = std::mem::take(&mut self.switches.last_mut().expect("a switch was begun").cases);
        self.push(Statement::Switch { selector, cases });
        self.frames.push(switch.owner);
        self.open(2)
    }

    /// Adds a case that only stores its number; an added default case also stores the merge block's arguments for no
    /// match.
    fn add_number(&mut self, pointer: Ex, number: u32, default: Option<&Switch<'_>>) -> Res<()> {
        let value = self.u32(number);
        let (body, ()) = self.nested(|s| {
            if let Some(switch) = default {
                s.pass(switch.merge, switch.args)?;
            }
            s.push(Statement::Store { pointer, value });
            Ok(())
        })?;
        if default.is_some() {
            self.switches.last_mut().expect("a switch was begun").values.push(SwitchValue::Default);
        }
        self.add_case(body);
        Ok(())
    }

    fn open_case(&mut self, switch: &Switch<'_>, number: usize) -> Res<bool> {
        let &OpenSwitch { number: pointer, groups, .. } = self.switches.last().expect("a switch was begun");
        let Some(pointer) = pointer else {
            self.take_values(switch, number);
            if is_one_with_next(self.body, switch, number) {
                return Ok(false);
            }
            self.open(2)?;
            return Ok(true);
        };
        if is_one_with_next(self.body, switch, number) {
            return Ok(false);
        }
        let now = self.load_pointer(pointer);
        let this = self.u32(groups);
        let condition = self.binary(Bin::Equal, now, this);
        self.switches.last_mut().expect("a switch was begun").condition = Some(condition);
        self.open(1)?;
        Ok(true)
    }

    fn close_case(&mut self) {
        let mut body = self.close();
        let open = self.switches.last_mut().expect("a switch was begun");
        open.groups += 1;
        match open.condition.take() {
            Some(condition) => self.push(Statement::If { condition, accept: body, reject: naga::Block::new() }),
            None => {
                let len = body.len();
                if matches!(body.last(), Some(Statement::Break)) {
                    body.cull(len - 1..len);
                }
                self.add_case(body);
            }
        }
    }

    /// The end of a case that goes on with the next.
    fn fall_through(&mut self) {
        let open = self.switches.last().expect("a switch was begun");
        if let (Some(pointer), next) = (open.number, open.groups + 1) {
            let value = self.u32(next);
            self.push(Statement::Store { pointer, value });
        }
    }

    fn close_switch(&mut self, switch: &Switch<'_>) -> Res<()> {
        if self.switches.last().is_some_and(|open| open.number.is_some()) {
            let block = self.close();
            self.breakable(block);
        } else {
            if switch.default_case().is_none() {
                let (body, ()) = self.nested(|s| s.pass(switch.merge, switch.args))?;
                self.switches.last_mut().expect("a switch was begun").values.push(SwitchValue::Default);
                self.add_case(body);
            }
            let open = self.switches.last_mut().expect("a switch was begun");
            let (selector, cases) = (open.selector, std::mem::take(&mut open.cases));
            self.push(Statement::Switch { selector, cases });
        }
        self.switches.pop();
        self.frames.pop();
        Ok(())
    }
}
