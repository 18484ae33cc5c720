//! Constructs: from the IR's tree of blocks to WebAssembly's blocks and jumps.
//!
//! ```text
//! Labelled     block (results) body end
//! If           if (results) … else … end;  cond br_if label;  if (what leaves) end …
//! Loop         [block] loop cond if body br 0 else … end end [end]
//! DoLoop       [block] loop [block] body [end] condition br_if 0 end [end]
//! Switch       block block … selector br_table end case end case end
//! ```
//!
//! Arguments of a block go into the local variables of its inputs, unless they are there already, or are left on the stack
//! at the end of the construct, as [`crate::share`] chooses. All values are on the stack before the first variable is set,
//! so copies need no order.

use std::convert::Infallible;

use planish_ir::diagnostic::Code as ErrorCode;
use planish_ir::entity::{Block, Local, Memory, Value, ValueKind};
use planish_ir::function::{Exit, TrapKind};
use planish_ir::ops::{MemArg, Width};
use planish_ir::types::Scalar;
use planish_ir::walk::leaves;
use planish_target::expressions::ExprWriter;
use planish_target::structure::{Arm, Arms, If, Jump, Label, Loop, LoopIf, Only, StructuredWriter, Switch};
use smallvec::SmallVec;
use wasm_encoder::{Instruction as I, ValType};

use crate::code::Slot;
use crate::function::Emitter;
use crate::ops::load;

/// Arguments of a block, without those that are in their slot already.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    /// Evaluated, all of them before the first slot is set.
    values: SmallVec<[Value; 4]>,
    /// The slots of the last ones of these values.
    slots: SmallVec<[Slot; 4]>,
    /// Constants and their slots; evaluated last, as writes to slots do not change them.
    constants: SmallVec<[(Value, Slot); 2]>,
}

impl Passed {
    /// Whether nothing has to be done.
    fn is_empty(&self) -> bool {
        self.values.is_empty() && self.constants.is_empty()
    }

    fn sets(&self, slot: Slot) -> bool {
        self.slots.contains(&slot) || self.constants.iter().any(|c| c.1 == slot)
    }
}

/// A block of the output that is being written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// The place that jumps to it go to, if any do by name.
    label: Option<(Block, Label)>,
    is_loop: bool,
}

/// A kind of block of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Begin {
    Block,
    Loop,
    If,
}

/// Entries of a table for each case at most; where there would be more, the cases are compared one after the other.
const SPARSE: i128 = 4;

impl<'a> StructuredWriter<'a> for Emitter<'a> {
    type Error = Infallible;

    fn block(&mut self, block: Block) -> Result<bool, Infallible> {
        Ok(!self.nodes(block))
    }

    fn begin_if(&mut self, branch: &If<'a>) -> Result<Arms, Infallible> {
        let &If { condition, ref arms, merge, .. } = branch;
        self.finish(&[condition]);
        for (arm, other, negated) in [(&arms[0], &arms[1], false), (&arms[1], &arms[0], true)] {
            if let Some((depth, along)) = self.bare_jump(arm) {
                // It stays on the stack where there is no jump.
                self.values(along.as_slice());
                self.condition(condition, negated);
                self.code.push(I::BrIf(depth));
                if along.is_some() {
                    self.code.push(I::Drop);
                }
                return Ok(Arms::rest(other.block));
            }
        }
        for (arm, other, negated) in [(&arms[0], &arms[1], false), (&arms[1], &arms[0], true)] {
            if leaves(self.body, arm.block) {
                self.condition(condition, negated);
                self.begin(Begin::If, &[], None);
                return Ok(Arms::early(arm.block, other.block));
            }
        }
        let results = self.stacked_types(merge);
        let swap = self.is_empty(&arms[0], merge);
        let (first, second) = if swap { (&arms[1], &arms[0]) } else { (&arms[0], &arms[1]) };
        self.condition(condition, swap);
        self.begin(Begin::If, &results, None);
        let second = (!self.is_empty(second, merge)).then_some(second.block);
        Ok(Arms { inside: [Some(first.block), second], after: None })
    }

    fn else_(&mut self, _: Block) -> Result<(), Infallible> {
        self.code.push(I::Else);
        Ok(())
    }

    fn end_if(&mut self, _: Block) -> Result<(), Infallible> {
        self.end();
        Ok(())
    }

    fn begin_loop(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        let first = self.passed(l.head, l.args);
        self.pass_last(&first);
        let results = self.stacked_types(l.merge);
        if self.uses.broken[l.owner] {
            self.begin(Begin::Block, &results, Some((l.owner, Label::Merge)));
        }
        self.begin(Begin::Loop, &results, Some((l.owner, Label::Head)));
        self.loop_ifs.push(None);
        Ok(())
    }

    fn loop_if(&mut self, l: &Loop<'a>, test: &LoopIf<'a>) -> Result<(), Infallible> {
        self.finish(&[test.condition]);
        let to_body = self.passed(l.body, test.body_args);
        let to_merge = self.passed(l.merge, test.merge_args);
        if l.tests_last {
            self.repeat_if(l, test.condition, &to_body, &to_merge);
        } else {
            self.go_on_if(l, test, &to_body, to_merge);
        }
        Ok(())
    }

    fn begin_body(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        if let Some(next) = l.next.filter(|_| self.uses.continued[l.owner]) {
            let results = self.stacked_types(next);
            self.begin(Begin::Block, &results, Some((l.owner, Label::Next)));
        }
        Ok(())
    }

    fn end_body(&mut self, l: &Loop<'a>, _: bool) -> Result<bool, Infallible> {
        let Some(next) = l.next else { return Ok(false) };
        if self.uses.continued[l.owner] {
            self.end();
        }
        self.take_inputs(next);
        Ok(true)
    }

    fn end_loop(&mut self, l: &Loop<'a>) -> Result<(), Infallible> {
        if let Some(passed) = self.loop_ifs.pop().flatten() {
            if !passed.is_empty() {
                self.code.push(I::Else);
                self.pass(&passed);
            }
            self.end();
        }
        self.end();
        if self.uses.broken[l.owner] {
            self.end();
        }
        Ok(())
    }

    fn begin_switch(&mut self, switch: &Switch<'a>, _: &[Arm<'a>]) -> Result<(), Infallible> {
        let &Switch { owner, selector, cases, args, merge } = switch;
        let default_case = switch.default_case();
        let passed = self.passed(merge, args);
        let passes = default_case.is_none() && !passed.is_empty();
        self.finish(&[selector]);
        let results = self.stacked_types(merge);
        // The blocks around are there before the selector is evaluated, which reads no labels.
        self.begin(Begin::Block, &results, Some((owner, Label::Merge)));
        (0..cases.len() + usize::from(passes)).for_each(|_| self.begin(Begin::Block, &[], None));
        let inner = u32::from(passes);
        let otherwise = match default_case {
            Some(case) => case as u32,
            None if passes => 0,
            None => cases.len() as u32,
        };
        let module = self.module;
        let targets = cases.iter().zip(inner..).flat_map(|(case, depth)| {
            case.values.iter().filter_map(move |&c| Some((module.consts.as_integer(&module.types, c)?, depth)))
        });
        let targets: Vec<(i128, u32)> = targets.collect();
        self.select_case(selector, &targets, otherwise);
        if passes {
            self.end();
            self.pass(&passed);
            self.branch_to(owner, Label::Merge);
        }
        Ok(())
    }

    fn begin_case(&mut self, _: &Switch<'a>, _: usize) -> Result<bool, Infallible> {
        self.end();
        Ok(true)
    }

    fn end_switch(&mut self, _: &Switch<'a>) -> Result<(), Infallible> {
        self.end();
        Ok(())
    }

    fn begin_labelled(&mut self, owner: Block, merge: Block) -> Result<(), Infallible> {
        self.finish(&[]);
        if self.uses.broken[owner] {
            let results = self.stacked_types(merge);
            self.begin(Begin::Block, &results, Some((owner, Label::Merge)));
        }
        Ok(())
    }

    fn end_labelled(&mut self, owner: Block) -> Result<(), Infallible> {
        if self.uses.broken[owner] {
            self.end();
        }
        Ok(())
    }

    fn merge(&mut self, _: Block, merge: Block, _: bool) -> Result<bool, Infallible> {
        // Inputs of unreachable blocks are consumed too: the validator does not know that they are unreachable.
        self.take_inputs(merge);
        Ok(true)
    }

    fn next_block(&mut self, _: Block) -> Result<(), Infallible> {
        self.finish(&[]);
        Ok(())
    }

    fn jump(&mut self, jump: &Jump<'a>) -> Result<(), Infallible> {
        let passed = self.passed(jump.block, jump.args);
        self.pass_last(&passed);
        // The end of a loop's code does not go back.
        if !jump.falls || jump.label == Label::Head {
            self.branch_to(jump.owner, jump.label);
        }
        Ok(())
    }

    fn leave(&mut self, block: Block, exit: &'a Exit) -> Result<(), Infallible> {
        match exit {
            Exit::Return(args) => {
                self.finish(args);
                self.values(args);
                self.code.push(I::Return);
            }
            Exit::Discard => {
                let text = "WebAssembly has no fragments to discard".to_owned();
                self.error(ErrorCode::E0608, self.body.blocks[block].exit_span, text);
            }
            Exit::Trap(kind) => {
                self.finish(&[]);
                self.trap(*kind);
            }
            _ => unreachable!("a valid module has no open block"),
        }
        Ok(())
    }
}

impl<'a> Emitter<'a> {
    /// Begins a block of the output, with a label if something jumps there.
    fn begin(&mut self, kind: Begin, results: &[ValType], label: Option<(Block, Label)>) {
        let ty = self.signatures.block(results);
        self.code.push(match kind {
            Begin::Block => I::Block(ty),
            Begin::Loop => I::Loop(ty),
            Begin::If => I::If(ty),
        });
        if let Some(label) = label {
            self.depths.insert(label, self.frames.len());
        }
        self.frames.push(Frame { label, is_loop: kind == Begin::Loop });
    }

    /// Ends the innermost block of the output.
    fn end(&mut self) {
        let frame = self.frames.pop().expect("a block was begun");
        frame.label.map(|label| self.depths.remove(&label));
        self.code.end(frame.is_loop);
    }

    /// Pops the inputs of a block that come to it on the stack.
    fn take_inputs(&mut self, block: Block) {
        for input in self.stacked(block).into_iter().rev() {
            let slot = self.slot(input);
            self.code.set(slot);
        }
    }

    /// The inputs of a block that come to it on the stack.
    fn stacked(&self, block: Block) -> SmallVec<[Local; 4]> {
        let inputs = self.body.blocks[block].inputs.iter().copied();
        inputs.filter(|&i| self.is_read(i) && !self.shared.in_slot[i]).collect()
    }

    fn stacked_types(&mut self, block: Block) -> Vec<ValType> {
        let span = self.body.blocks[block].exit_span;
        self.stacked(block).into_iter().map(|i| self.type_of(i.into(), span)).collect()
    }

    /// Whether an input has its slot from the value that it gets, which then stays where it is.
    fn is_there(&self, input: Local, value: Value) -> bool {
        let value = self.uses.resolve(value).as_local();
        self.shared.in_slot[input] && value.is_some_and(|v| self.shared.root(v) == self.shared.root(input))
    }

    /// The arguments that a jump has to evaluate, in the order of evaluation.
    fn passed(&mut self, block: Block, args: &[Value]) -> Passed {
        let body = self.body;
        let mut passed = Passed::default();
        for in_slot in [false, true] {
            for (&input, &arg) in body.blocks[block].inputs.iter().zip(args) {
                if !self.is_read(input) || self.shared.in_slot[input] != in_slot || self.is_there(input, arg) {
                    continue;
                }
                if in_slot && self.uses.resolve(arg).as_const().is_some() {
                    passed.constants.push((arg, self.slot(input)));
                    continue;
                }
                passed.values.push(arg);
                if in_slot {
                    passed.slots.push(self.slot(input));
                }
            }
        }
        passed
    }

    /// Depth of a label, in blocks of the output.
    fn depth(&self, owner: Block, label: Label) -> u32 {
        (self.frames.len() - 1 - self.depths[&(owner, label)]) as u32
    }

    fn branch_to(&mut self, owner: Block, label: Label) {
        let depth = self.depth(owner, label);
        self.code.push(I::Br(depth));
    }

    /// Puts arguments where the inputs of a block expect them.
    fn pass(&mut self, passed: &Passed) {
        self.values(&passed.values);
        for &slot in passed.slots.iter().rev() {
            self.code.set(slot);
        }
        for &(constant, slot) in &passed.constants {
            self.value(constant);
            self.code.set(slot);
        }
    }

    /// As [`Self::pass`], at the end of a block.
    fn pass_last(&mut self, passed: &Passed) {
        self.finish(&passed.values);
        self.pass(passed);
    }

    /// Ends the program. WebAssembly has one instruction for that; traps of other kinds are made by an operation that
    /// traps so.
    fn trap(&mut self, kind: TrapKind) {
        // No memory reaches as far.
        let beyond =
            MemArg { memory: Memory::from_u32(0), offset: u32::MAX, width: Width::B8, signed: false, in_bounds: false };
        let beyond = load(beyond, 0, Some(Scalar::U32)).expect("bytes can be loaded");
        let code: &[I<'static>] = match kind {
            TrapKind::DivisionByZero => &[I::I32Const(1), I::I32Const(0), I::I32DivU, I::Drop],
            TrapKind::IntegerOverflow => &[I::I32Const(i32::MIN), I::I32Const(-1), I::I32DivS, I::Drop],
            TrapKind::InvalidConversion => {
                &[I::F32Const(wasm_encoder::Ieee32::new(0x7fc0_0000)), I::I32TruncF32S, I::Drop]
            }
            TrapKind::OutOfBoundsMemory if !self.module.memories.is_empty() => &[I::I32Const(-1), beyond, I::Drop],
            TrapKind::Unreachable
            | TrapKind::OutOfBoundsMemory
            | TrapKind::OutOfBoundsTable
            | TrapKind::UninitializedElement
            | TrapKind::IndirectCallType
            | TrapKind::StackOverflow
            | TrapKind::User
            | TrapKind::OutOfMemory => &[],
        };
        for instruction in code {
            self.code.push(instruction.clone());
        }
        if !self.code.has_left() {
            self.code.push(I::Unreachable);
        }
    }

    /// The condition at the end of an iteration.
    fn repeat_if(&mut self, l: &Loop<'a>, condition: Value, to_body: &Passed, to_merge: &Passed) {
        self.condition(condition, false);
        // Slots that are set before the jump are set on the exit path, too.
        let inputs = &self.body.blocks[l.merge].inputs;
        let kept: SmallVec<[Local; 4]> = inputs.iter().copied().filter(|&i| self.is_read(i)).collect();
        let spoils = kept.into_iter().any(|input| to_body.sets(self.slot(input)));
        let depth = self.depth(l.owner, Label::Head);
        if to_body.is_empty() || to_merge.is_empty() && !spoils {
            self.pass(to_body);
            self.code.push(I::BrIf(depth));
        } else {
            self.code.push(I::If(wasm_encoder::BlockType::Empty));
            self.pass(to_body);
            self.code.push(I::Br(depth + 1));
            self.code.push(I::End);
        }
        self.pass(to_merge);
    }

    /// The condition at the beginning of an iteration.
    fn go_on_if(&mut self, l: &Loop<'a>, test: &LoopIf<'a>, to_body: &Passed, to_merge: Passed) {
        if test.always() {
        } else if self.uses.broken[l.owner] && to_merge.is_empty() {
            self.condition(test.condition, true);
            let depth = self.depth(l.owner, Label::Merge);
            self.code.push(I::BrIf(depth));
        } else {
            let results = self.stacked_types(l.merge);
            self.condition(test.condition, false);
            self.begin(Begin::If, &results, None);
            *self.loop_ifs.last_mut().expect("a loop was begun") = Some(to_merge);
        }
        self.pass(to_body);
    }

    /// The jump that an arm consists of: its depth, and the value that it passes, if any. `None` for other arms.
    fn bare_jump(&mut self, arm: &Arm<'a>) -> Option<(u32, Option<Value>)> {
        let (depth, values) = match arm.only? {
            Only::Jump(jump) if arm.only_merges().is_none() => {
                let passed = self.passed(jump.block, jump.args);
                if !passed.slots.is_empty() || !passed.constants.is_empty() {
                    return None;
                }
                (self.depth(jump.owner, jump.label), passed.values)
            }
            Only::Leave(Exit::Return(args)) => (self.frames.len() as u32, args.clone()),
            _ => return None,
        };
        let is_at_hand = |value: Value| match self.uses.resolve(value).kind() {
            ValueKind::Const(_) => true,
            ValueKind::Local(local) => self.deferred.get(local).is_none(),
            ValueKind::Var(_) | ValueKind::Func(_) => false,
        };
        match values[..] {
            [] => Some((depth, None)),
            [value] if is_at_hand(value) => Some((depth, Some(value))),
            _ => None,
        }
    }

    /// Whether an arm does nothing.
    fn is_empty(&self, arm: &Arm<'a>, merge: Block) -> bool {
        let there = |(&input, &arg): (&Local, &Value)| !self.is_read(input) || self.is_there(input, arg);
        arm.only_merges().is_some_and(|args| self.body.blocks[merge].inputs.iter().zip(args).all(there))
    }

    /// A jump to the target of the selector's value.
    fn select_case(&mut self, selector: Value, targets: &[(i128, u32)], otherwise: u32) {
        let ty = self.module.type_of(self.body, selector);
        let scalar = self.module.types.scalar_of(ty).unwrap_or(Scalar::I32);
        let low = targets.iter().map(|t| t.0).min().unwrap_or(0);
        let high = targets.iter().map(|t| t.0).max().unwrap_or(0);
        let low = if (0..=2).contains(&low) { 0 } else { low };
        let is_dense = high - low < SPARSE * targets.len() as i128 + SPARSE;
        self.value(selector);
        if is_dense && scalar.bits() == 32 {
            if low != 0 {
                self.integer(low as i64, scalar);
                self.code.push(I::I32Sub);
            }
            let mut table = vec![otherwise; if targets.is_empty() { 0 } else { (high - low + 1) as usize }];
            for &(value, depth) in targets {
                table[(value - low) as usize] = depth;
            }
            self.code.push(I::BrTable(table.into(), otherwise));
            return;
        }
        let slot = self.code.slot(if scalar.bits() == 64 { ValType::I64 } else { ValType::I32 });
        self.code.set(slot);
        for &(value, depth) in targets {
            self.code.get(slot);
            self.integer(value as i64, scalar);
            self.code.push(crate::ops::arithmetic(planish_ir::ops::Op::Equal, scalar).expect("every number has it"));
            self.code.push(I::BrIf(depth));
        }
        self.code.push(I::Br(otherwise));
    }
}
