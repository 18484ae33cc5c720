//! Statements: control flow as the IR's structured exits, and everything with an effect.

use naga::{Expression, Handle, Statement, SwitchValue};
use planish_ir::builder::Request;
use planish_ir::decoration::Name;
use planish_ir::entity::{Block, Value, Var};
use planish_ir::function::{Case, Direction, Exit};
use planish_ir::ops::{BARRIER_NAMES, Imm, Op};
use planish_ir::types::AddressSpace;
use smallvec::SmallVec;

use crate::carry::carried;
use crate::function::Scope;
use crate::module::Lower;

/// A loop or switch that may be left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// The block that ends with it.
    owner: Block,
    is_loop: bool,
}

/// Variable that passes a value from a loop's body to its continuing block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carry {
    /// The block that the loop ends.
    pub(crate) block: Block,
    /// The variable, if the value needs one, after its creation.
    pub(crate) var: Option<Var>,
}

impl Scope<'_, '_> {
    /// Lowers statements. Recurses as deep as blocks are nested, which the readers limit.
    pub(crate) fn block(&mut self, block: &naga::Block) -> Lower<()> {
        self.statements(block.span_iter())
    }

    fn statements<'s>(&mut self, statements: impl Iterator<Item = (&'s Statement, &'s naga::Span)>) -> Lower<()> {
        for (statement, span) in statements {
            if !self.b.is_open() {
                // Statements after a jump are unreachable.
                let unreachable = self.b.new_block();
                self.b.switch_to(unreachable);
            }
            self.at(*span);
            self.statement(statement, *span)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, span: naga::Span) -> Lower<()> {
        match *statement {
            Statement::Emit(ref range) => {
                for handle in range.clone() {
                    self.emit(handle)?;
                }
            }
            Statement::Block(ref block) => self.block(block)?,
            Statement::If { condition, ref accept, ref reject } => self.if_statement(condition, accept, reject)?,
            Statement::Switch { selector, ref cases } => self.switch_statement(selector, cases)?,
            Statement::Loop { ref body, ref continuing, break_if } => {
                self.loop_statement(body, continuing, break_if)?
            }
            Statement::Break => {
                if let Some(label) = self.labels.last().copied() {
                    self.b.break_(label.owner, &[]);
                }
            }
            Statement::Continue => {
                if let Some(label) = self.labels.iter().rev().find(|l| l.is_loop).copied() {
                    self.b.continue_(label.owner, &[]);
                }
            }
            Statement::Return { value } => self.return_statement(value)?,
            Statement::Kill => self.b.exit(Exit::Discard),
            Statement::ControlBarrier(flags) => self.barrier(flags, true),
            Statement::MemoryBarrier(flags) => self.barrier(flags, false),
            Statement::Store { pointer, value } => {
                let is_atomic = self.is_atomic(pointer);
                let (pointer, value) = (self.value(pointer)?, self.value(value)?);
                self.at(span);
                if is_atomic {
                    // The old value is of no use.
                    self.b.op(Op::AtomicExchange, &[pointer, value]);
                } else {
                    self.store(pointer, value);
                }
            }
            Statement::ImageStore { image, coordinate, array_index, value } => {
                self.image_store(image, coordinate, array_index, value)?;
            }
            Statement::Atomic { pointer, fun, value, result } => self.atomic(pointer, fun, value, result, span)?,
            Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                self.image_atomic(image, coordinate, array_index, fun, value)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let pointer = self.value(pointer)?;
                self.barrier(naga::Barrier::WORK_GROUP, true);
                let value = self.load(pointer);
                self.barrier(naga::Barrier::WORK_GROUP, true);
                self.define(result, value);
            }
            Statement::Call { function, ref arguments, result } => self.call(function, arguments, result, span)?,
            Statement::RayQuery { .. } => return Err(self.maps.unsupported(span, "a ray query")),
            Statement::RayPipelineFunction(_) => return Err(self.maps.unsupported(span, "ray tracing")),
            Statement::SubgroupBallot { result, predicate } => self.ballot(predicate, result)?,
            Statement::SubgroupGather { mode, argument, result } => self.gather(mode, argument, result)?,
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(op, collective_op, argument, result)?;
            }
            Statement::CooperativeStore { .. } => return Err(self.maps.unsupported(span, "a cooperative matrix")),
        }
        Ok(())
    }

    fn if_statement(&mut self, condition: Handle<Expression>, accept: &naga::Block, reject: &naga::Block) -> Lower<()> {
        let condition = self.value(condition)?;
        let blocks = self.b.if_(condition);
        for (block, arm) in [(blocks.then, accept), (blocks.otherwise, reject)] {
            self.b.switch_to(block);
            self.block(arm)?;
            if self.b.is_open() {
                self.b.merge(&[]);
            }
        }
        self.b.switch_to(blocks.merge);
        Ok(())
    }

    fn switch_statement(&mut self, selector: Handle<Expression>, cases: &[naga::SwitchCase]) -> Lower<()> {
        let selector = self.value(selector)?;
        let owner = self.b.block();
        let mut made: Vec<Case> = Vec::new();
        let mut bodies: Vec<&naga::SwitchCase> = Vec::new();
        let (mut values, mut is_default) = (SmallVec::new(), false);
        for (i, case) in cases.iter().enumerate() {
            match case.value {
                SwitchValue::I32(x) => values.push(self.b.module.consts.i32(x)),
                SwitchValue::U32(x) => values.push(self.b.module.consts.u32(x)),
                SwitchValue::Default => is_default = true,
            }
            // `case 1, 2:` is a case without statements that falls through to the next.
            if case.fall_through && case.body.is_empty() && i + 1 < cases.len() {
                continue;
            }
            let block = self.b.new_block();
            made.push(Case { values: std::mem::take(&mut values), is_default, block });
            bodies.push(case);
            is_default = false;
        }
        let blocks: Vec<Block> = made.iter().map(|c| c.block).collect();
        let merge = self.b.switch(selector, made, &[]);
        self.labels.push(Label { owner, is_loop: false });
        for (i, (case, &block)) in bodies.iter().zip(&blocks).enumerate() {
            self.b.switch_to(block);
            self.block(&case.body)?;
            if self.b.is_open() {
                match case.fall_through && i + 1 < blocks.len() {
                    true => self.b.exit(Exit::Passthrough),
                    false => self.b.break_(owner, &[]),
                }
            }
        }
        self.labels.pop();
        self.b.switch_to(merge);
        Ok(())
    }

    /// `loop`, `while` and `for`. A condition that leaves at the top becomes the IR's condition block.
    fn loop_statement(
        &mut self,
        body: &naga::Block,
        continuing: &naga::Block,
        break_if: Option<Handle<Expression>>,
    ) -> Lower<()> {
        match break_if {
            Some(condition) => self.do_loop(body, continuing, condition),
            None => self.while_loop(body, continuing),
        }
    }

    fn while_loop(&mut self, body: &naga::Block, continuing: &naga::Block) -> Lower<()> {
        let (skip, condition) = leading_condition(body).unwrap_or((0, None));
        let carried = carried(self.expressions, &body[skip..], continuing, None);
        self.carry(&carried);
        let blocks = self.b.loop_(&[], !continuing.is_empty());
        self.b.switch_to(blocks.condition);
        // The condition's own statement is the last of those that are skipped.
        self.statements(body.span_iter().take(skip.saturating_sub(1)))?;
        let holds = match condition {
            Some((condition, leaves_if)) => {
                let value = self.value(condition)?;
                if leaves_if { self.b.op(Op::LogicalNot, &[value]) } else { value }
            }
            None => self.b.bool(true),
        };
        self.b.loop_if(holds);
        self.labels.push(Label { owner: blocks.owner, is_loop: true });
        self.b.switch_to(blocks.body);
        self.statements(body.span_iter().skip(skip))?;
        if self.b.is_open() {
            self.b.continue_(blocks.owner, &[]);
        }
        if let Some(next) = blocks.next {
            self.b.switch_to(next);
            self.take_carried(&carried)?;
            self.block(continuing)?;
            if self.b.is_open() {
                self.b.continue_(blocks.owner, &[]);
            }
        }
        self.labels.pop();
        self.b.switch_to(blocks.merge);
        Ok(())
    }

    fn do_loop(&mut self, body: &naga::Block, continuing: &naga::Block, break_if: Handle<Expression>) -> Lower<()> {
        let carried = carried(self.expressions, body, continuing, Some(break_if));
        self.carry(&carried);
        let blocks = self.b.do_loop(&[]);
        self.labels.push(Label { owner: blocks.owner, is_loop: true });
        self.b.switch_to(blocks.body);
        self.block(body)?;
        if self.b.is_open() {
            self.b.continue_(blocks.owner, &[]);
        }
        self.b.switch_to(blocks.condition);
        self.take_carried(&carried)?;
        self.block(continuing)?;
        let leaves = self.value(break_if)?;
        let again = self.b.op(Op::LogicalNot, &[leaves]);
        self.b.loop_if(again);
        self.labels.pop();
        self.b.switch_to(blocks.merge);
        Ok(())
    }

    /// Prepares values of these expressions for use in a continuing block: those that are neither constants nor
    /// addresses get a variable in the current block, which the loop ends.
    fn carry(&mut self, carried: &[Handle<Expression>]) {
        let block = self.b.block();
        self.carried.extend(carried.iter().map(|&handle| (handle, Carry { block, var: None })));
    }

    /// Reads the values passed from the loop's body; addresses are recomputed from their operands.
    fn take_carried(&mut self, carried: &[Handle<Expression>]) -> Lower<()> {
        for &handle in carried {
            match self.carried.remove(&handle).and_then(|carry| carry.var) {
                Some(var) => {
                    let value = self.b.load(var.into());
                    self.define(handle, value);
                }
                None => {
                    self.forget(handle);
                    self.emit(handle)?;
                }
            }
        }
        Ok(())
    }

    fn return_statement(&mut self, value: Option<Handle<Expression>>) -> Lower<()> {
        let value = match value {
            Some(value) => Some(self.value(value)?),
            None => None,
        };
        let Some(outputs) = self.outputs.take() else {
            self.b.ret(value.as_slice());
            return Ok(());
        };
        if let Some(value) = value {
            outputs.store(&mut self.b, value);
        }
        self.outputs = Some(outputs);
        self.b.ret(&[]);
        Ok(())
    }

    fn barrier(&mut self, flags: naga::Barrier, control: bool) {
        if flags.contains(naga::Barrier::SUB_GROUP) {
            self.b.make_all(Request::new(Op::SubgroupBarrier, &[]));
            return;
        }
        let names = [
            (naga::Barrier::STORAGE, "buffer"),
            (naga::Barrier::TEXTURE, "image"),
            (naga::Barrier::WORK_GROUP, "shared"),
        ];
        let mut bits = 0;
        for (flag, name) in names {
            if flags.contains(flag) {
                bits |= BARRIER_NAMES.iter().position(|n| *n == name).map_or(0, |i| 1 << i);
            }
        }
        if bits != 0 {
            self.b.make_all(Request::new(Op::MemoryBarrier, &[]).imm(Imm(bits)));
        }
        if control {
            self.b.make_all(Request::new(Op::ControlBarrier, &[]));
        }
    }

    fn atomic(
        &mut self,
        pointer: Handle<Expression>,
        function: naga::AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
        span: naga::Span,
    ) -> Lower<()> {
        use naga::AtomicFunction as A;
        let (pointer, mut value) = (self.value(pointer)?, self.value(value)?);
        self.at(span);
        let op = match function {
            A::Add => Op::AtomicAdd,
            A::Subtract => {
                value = self.negative(value);
                Op::AtomicAdd
            }
            A::And => Op::AtomicAnd,
            A::ExclusiveOr => Op::AtomicXor,
            A::InclusiveOr => Op::AtomicOr,
            A::Min => Op::AtomicMin,
            A::Max => Op::AtomicMax,
            A::Exchange { compare: None } => Op::AtomicExchange,
            A::Exchange { compare: Some(compare) } => {
                let compare = self.value(compare)?;
                let old = self.b.op(Op::AtomicCompareExchange, &[pointer, compare, value]);
                return self.compare_exchange_result(old, compare, result);
            }
        };
        let old = self.b.op(op, &[pointer, value]);
        if let Some(result) = result {
            self.define(result, old);
        }
        Ok(())
    }

    /// The result of WGSL: the old value and whether it was the expected one.
    fn compare_exchange_result(&mut self, old: Value, compare: Value, result: Option<Handle<Expression>>) -> Lower<()> {
        let Some(result) = result else { return Ok(()) };
        let value = match self.expressions[result] {
            Expression::AtomicResult { ty, comparison: true } => {
                let ty = self.maps.ty(ty, self.span(result))?;
                let exchanged = self.b.op(Op::Equal, &[old, compare]);
                self.b.op_typed(Op::ConstructStruct, &[old, exchanged], ty)
            }
            _ => old,
        };
        self.define(result, value);
        Ok(())
    }

    fn call(
        &mut self,
        function: Handle<naga::Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
        span: naga::Span,
    ) -> Lower<()> {
        let callee = self.maps.function(function)?;
        let mut operands = Vec::with_capacity(arguments.len());
        let mut copied = Vec::new();
        for (i, &argument) in arguments.iter().enumerate() {
            let mut value = self.value(argument)?;
            let by_address = self.b.module.funcs[callee].params[i].direction == Direction::InOut;
            if by_address
                && let Some((pointee, space)) = self.pointee(value)
                && space != AddressSpace::Function
            {
                let temporary = self.b.module.add_var(Name::temporary(""), pointee, AddressSpace::Function);
                self.b.declare(temporary);
                let before = self.b.load(value);
                self.b.store(temporary.into(), before);
                copied.push((value, temporary));
                value = temporary.into();
            }
            operands.push(value);
        }
        self.at(span);
        let results = self.b.call(callee.into(), &operands);
        for (address, temporary) in copied {
            let after = self.b.load(temporary.into());
            self.b.store(address, after);
        }
        if let (Some(result), Some(&value)) = (result, results.first()) {
            self.define(result, value);
        }
        Ok(())
    }
}

/// The condition at the beginning of a loop's body: the number of statements up to and including the `if`, the
/// condition, and its value when the loop ends.
type Leading = (usize, Option<(Handle<Expression>, bool)>);

/// `if c {} else { break; }` or `if c { break; }`, preceded only by the computation of `c`.
fn leading_condition(body: &naga::Block) -> Option<Leading> {
    let is_break = |block: &naga::Block| matches!(block[..], [Statement::Break]);
    for (i, statement) in body.iter().enumerate() {
        match statement {
            Statement::Emit(_) | Statement::Call { .. } => {}
            Statement::If { condition, accept, reject } if accept.is_empty() && is_break(reject) => {
                return Some((i + 1, Some((*condition, false))));
            }
            Statement::If { condition, accept, reject } if reject.is_empty() && is_break(accept) => {
                return Some((i + 1, Some((*condition, true))));
            }
            _ => return None,
        }
    }
    None
}
