//! The virtual machine as an instruction set: the linear pass emits the words of its code directly.

mod accumulators;
mod checkpoints;
mod fused;
mod handlers;
mod loop_heads;
mod memory;
mod merge;
mod simd;

use std::cell::{Cell, RefCell};

use planish_ir::arena::SideTable;
use planish_ir::entity::{Func, Type, Var};
use planish_ir::function::TrapKind;
use planish_ir::ops::{Op, Width};
use planish_ir::types::Types;
use planish_machine::isa::{
    Callee, Comparison, Emitter, Frame, Isa, Kind, Label, LoopHead, Machine, Operand, Operation, Reg, TableJumps, User,
    is_comparison, operands_of, works_on_registers,
};

use crate::code::{FuncCode, LoopFrame, Place, Rare, RareOperand};
use crate::dispatch::bytes;
use crate::dispatch::jumps::{Jump as _, JumpForms};
use crate::dispatch::operands::{Bank, Forms, Pair};
use crate::dispatch::scalar::BinaryForms;
use crate::dispatch::{Handler, calls, generic, jumps, scalar, word};
use accumulators::Accumulators;
use merge::Last;

/// Names in the code of a module, besides its functions.
pub(crate) struct Names<'a> {
    /// Addresses of the code of all functions.
    pub(crate) codes: &'a [FuncCode],
    /// Numbers of the cells of the module's variables.
    pub(crate) globals: &'a SideTable<Var, u32>,
    /// Numbers of function types that are the same in all modules of an engine.
    pub(crate) types: &'a SideTable<Type, u32>,
    /// The IR's types.
    pub(crate) ir_types: &'a Types,
    /// Those for the kinds of registers.
    pub(crate) kinds: &'a [Type; 13],
    /// Whether code burns fuel.
    pub(crate) fuel: bool,
    /// Whether code stops when the embedder asks for it.
    pub(crate) interruptible: bool,
    /// Whether code counts calls and iterations, and goes on as machine code ([`crate::tier`]).
    pub(crate) tiers: bool,
}

/// The instruction set, and the state for one function's code.
pub(crate) struct Encoder<'a> {
    names: Names<'a>,
    state: RefCell<State>,
    /// Whether a register number does not fit its operand.
    overflow: Cell<bool>,
}

/// Stands for no place.
const NOWHERE: u32 = u32::MAX;

/// State of the emission of one function; its allocations are reused.
#[derive(Default)]
pub(crate) struct State {
    /// Positions of labels, in words.
    labels: Vec<u32>,
    /// Unresolved distances: position of the 32-bit half, and of the instruction that they are relative to.
    fixups: Vec<(u32, u32, Label)>,
    #[allow(clippy::vec_box)]
    rares: Vec<Box<Rare>>,
    /// The last instruction, unless a label follows it.
    last: Last,
    /// Contents of the accumulators after the last instruction.
    held: Accumulators,
    /// The last instruction that charges fuel, and the number of instructions it charges for.
    burn: Option<(u32, u32)>,
    /// The loops in which machine code can take over.
    #[allow(clippy::vec_box)]
    heads: Vec<Box<LoopFrame>>,
}

/// An encoded function, without its words.
pub(crate) struct Encoded {
    /// Operands that the code refers to by address.
    #[allow(clippy::vec_box)]
    pub(crate) rares: Vec<Box<Rare>>,
    /// The loops in which machine code can take over.
    #[allow(clippy::vec_box)]
    pub(crate) heads: Vec<Box<LoopFrame>>,
    /// Whether its frame exceeds the range of operands.
    pub(crate) too_large: bool,
    /// For the next function.
    pub(crate) state: State,
}

type To<'t, 'e> = &'t mut Emitter<'e, u64>;

impl<'a> Encoder<'a> {
    /// For functions of one module.
    pub(crate) fn new(names: Names<'a>, state: State) -> Self {
        Encoder { names, state: RefCell::new(state), overflow: Cell::new(false) }
    }

    /// Puts the distances of jumps into the code of the function that was emitted.
    pub(crate) fn finish(&self, code: &mut [u64]) -> Encoded {
        let mut state = self.state.take();
        state.end_burning(code);
        state.held.loop_heads.finish(code);
        for &(half, base, label) in &state.fixups {
            let distance = state.labels[label.0 as usize].wrapping_sub(base);
            let (at, shift) = ((half / 2) as usize, 32 * (half % 2));
            code[at] = code[at] & !(0xffff_ffff << shift) | u64::from(distance) << shift;
        }
        let rares = std::mem::take(&mut state.rares);
        let heads = std::mem::take(&mut state.heads);
        state.clear();
        Encoded { rares, heads, too_large: self.overflow.get(), state }
    }

    /// A register as an operand.
    fn half(&self, reg: Reg) -> u64 {
        if reg.0 > 0xffff {
            self.overflow.set(true);
        }
        u64::from(reg.0 & 0xffff)
    }

    /// An operand word of four registers.
    fn regs(&self, regs: [Reg; 4]) -> u64 {
        regs.iter().rev().fold(0, |word, &reg| word << 16 | self.half(reg))
    }

    /// An operand word of two registers and 32 bits.
    fn with_upper(&self, a: Reg, b: Reg, upper: u32) -> u64 {
        self.half(a) | self.half(b) << 16 | u64::from(upper) << 32
    }

    /// An instruction that may read and write any register, and any accumulator.
    fn put(&self, to: To<'_, '_>, handler: Handler, operands: &[u64]) {
        self.state.borrow_mut().held.forget();
        self.put_keeping(to, handler, operands);
    }

    /// An instruction that leaves the accumulators as they are.
    fn put_keeping(&self, to: To<'_, '_>, handler: Handler, operands: &[u64]) {
        self.state.borrow_mut().put(to, self.names.fuel, handler, operands);
    }

    /// Emits an instruction in the form for the locations of its operands. `reads` are its registers in the order of
    /// the forms, followed by those that are never read from an accumulator. Returns the number of the form.
    fn put_form(
        &self,
        to: To<'_, '_>,
        forms: &[Pair],
        reads: &[(Reg, Bank)],
        write: Option<(Reg, Bank)>,
        operands: &[u64],
    ) -> usize {
        let mut state = self.state.borrow_mut();
        let number = state.held.read(to, &reads[..reads.len().min(forms.len() - 1)], reads);
        let form = forms[number];
        state.put(to, self.names.fuel, form[0], operands);
        let at = to.directives.len() - 1 - operands.len();
        if number == 0 {
            for (&(reg, bank), &other) in reads.iter().zip(&forms[1..]) {
                state.held.loop_heads.read(reg, bank, at, form, other);
            }
        }
        if let Some((reg, bank)) = write {
            state.held.write(reg, bank, at, form);
        }
        number
    }

    /// As [`Encoder::put_form`], for a jump: its first operand word has a distance in its upper half.
    fn put_jump_form(&self, to: To<'_, '_>, forms: &[Pair], reads: &[(Reg, Bank)], operands: &[u64], label: Label) {
        let number = self.put_form(to, forms, reads, None, operands);
        let at = to.directives.len() - 1 - operands.len();
        to.directives[at] = word(forms[number][self.state.borrow().direction(label)]);
        self.await_label(to, operands.len(), label);
    }

    /// The last instruction, with `operands` operand words, jumps to the label.
    fn await_label(&self, to: To<'_, '_>, operands: usize, label: Label) {
        let base = (to.directives.len() - 1 - operands) as u32;
        let mut state = self.state.borrow_mut();
        state.held.all_are_read();
        state.jump(2 * (base + 1) + 1, base, label);
    }

    /// A register with the operand's value.
    #[inline]
    fn register(&self, to: To<'_, '_>, operand: Operand<'_>) -> Reg {
        if let Operand::Reg(reg) = operand { reg } else { self.put_into_register(to, operand) }
    }

    #[cold]
    fn put_into_register(&self, to: To<'_, '_>, operand: Operand<'_>) -> Reg {
        match operand {
            Operand::Const(bits) => {
                let reg = to.temporary(1);
                self.emit_constant(to, reg, bits);
                reg
            }
            // An op that was fused as an operand, but is better emitted by itself.
            Operand::Nested(inner) => {
                let reg = to.temporary(1);
                let outside = std::mem::replace(&mut self.state.borrow_mut().held.in_parts, true);
                self.emit_operation(to, &Operation { outs: &[reg], ..*inner });
                self.state.borrow_mut().held.in_parts = outside;
                reg
            }
            Operand::Reg(_) | Operand::Wide(_) => unreachable!("was not agreed to"),
        }
    }

    /// Any op, through its description.
    fn rare(&self, to: To<'_, '_>, operation: &Operation<'_>) {
        let Operation { op, imm, operand, result, outs, args } = *operation;
        let of_op = operands_of(self.names.ir_types, (op, imm), operand, args.len());
        let kinds = of_op.iter().flat_map(|o| std::iter::repeat_n(o.kind, o.count));
        let places = args.iter().zip(kinds).map(|(arg, kind)| match *arg {
            Operand::Reg(reg) if kind.words(64) == 2 => Place::Pair(reg.0),
            Operand::Reg(reg) => Place::Reg(reg.0),
            Operand::Const(bits) => Place::Bits(bits),
            Operand::Wide(bits) => Place::Wide(bits),
            Operand::Nested(_) => unreachable!("was not agreed to"),
        });
        let places = places.collect();
        let operands = RareOperand::of(&of_op, |kind| self.names.kinds[kind as usize]);
        let outs = outs.iter().map(|reg| (reg.0, result.words(64))).collect();
        let result = self.names.kinds[result as usize];
        let rare = Box::new(Rare { op, imm, places, operands, result, outs });
        let address = (&raw const *rare).expose_provenance() as u64;
        self.state.borrow_mut().rares.push(rare);
        self.put(to, generic::rare, &[address]);
    }

    /// An op with two operands that has handlers of its own.
    fn binary(&self, to: To<'_, '_>, forms: &BinaryForms, operation: &Operation<'_>) {
        let (out, kind) = (operation.outs[0], operation.operand);
        let bank = handlers::bank(kind);
        let write = Some((out, handlers::bank(operation.result)));
        let constant = |to: To<'_, '_>, forms: Forms, reg: Reg, bits: u64| match kind {
            Kind::F64 => self.put_form(to, forms, &[(reg, bank)], write, &[self.with_upper(reg, out, 0), bits]),
            _ => self.put_form(to, forms, &[(reg, bank)], write, &[self.with_upper(reg, out, bits as u32)]),
        };
        let before = self.state.borrow().last;
        let form = match *operation.args {
            [Operand::Reg(a), Operand::Const(b)] if kind != Kind::F64 && !handlers::fits(kind, b) => {
                self.put_form(to, forms.word_second, &[(a, bank)], write, &[self.with_upper(a, out, 0), b])
            }
            [Operand::Reg(a), Operand::Const(b)] => constant(to, forms.constant_second, a, b),
            [Operand::Const(a), Operand::Reg(b)] => constant(to, forms.constant_first, b, a),
            [a, b] => {
                let (a, b) = (self.register(to, a), self.register(to, b));
                let operands = self.regs([a, b, out, Reg(0)]);
                match handlers::twice(operation.op, kind, to.only_number).filter(|_| a == b) {
                    Some(forms) => self.put_form(to, forms, &[(a, bank)], write, &[operands]),
                    None => self.put_form(to, forms.registers, &[(a, bank), (b, bank)], write, &[operands]),
                }
            }
            _ => unreachable!("a binary op has two operands"),
        };
        if form == 0 && kind.is_integer() && matches!(operation.op, Op::Add | Op::Subtract) {
            self.note_step(to, operation, to.directives.len() - 2, before);
        } else if operation.result == Kind::Bool && is_comparison(operation.op) {
            self.note_test(operation, form, to.directives.len() - 2);
        }
    }

    /// The cell of a component of a variable.
    fn cell(&self, operation: &Operation<'_>) -> u32 {
        let (var, component) = operation.imm.as_pair();
        self.names.globals[Var::from_u32(var)] + component
    }

    /// A jump on a comparison with its operands.
    fn put_compare(&self, to: To<'_, '_>, forms: &JumpForms, kind: Kind, args: [Operand<'_>; 2], label: Label) {
        let bank = handlers::bank(kind);
        let a = self.register(to, args[0]);
        match args[1] {
            Operand::Const(bits) => match handlers::small(kind, bits) {
                Some(small) => {
                    let operands = [self.half(a) | u64::from(small as u16) << 16];
                    self.put_jump_form(to, forms.small, &[(a, bank)], &operands, label);
                }
                None => self.put_jump_form(to, forms.word, &[(a, bank)], &[self.half(a), bits], label),
            },
            b => {
                let b = self.register(to, b);
                let operands = [self.regs([a, b, Reg(0), Reg(0)])];
                self.put_jump_form(to, forms.registers, &[(a, bank), (b, bank)], &operands, label);
            }
        }
    }
}

impl State {
    /// As new, but for the memory.
    fn clear(&mut self) {
        self.labels.clear();
        self.fixups.clear();
        self.last = Last::default();
        self.held.clear();
        self.burn = None;
        self.heads.clear();
    }

    /// An instruction, which nothing joins yet.
    #[inline]
    fn put(&mut self, to: To<'_, '_>, fuel: bool, handler: Handler, operands: &[u64]) {
        self.last = Last::Other;
        if fuel {
            match &mut self.burn {
                Some(burn) => burn.1 += 1,
                None => self.begin_burning(to),
            }
        }
        to.push(word(handler));
        operands.iter().for_each(|&operand| to.push(operand));
    }

    /// Records an unresolved distance: position of its 32-bit half, and of the instruction that it is relative to.
    fn jump(&mut self, half: u32, base: u32, label: Label) {
        let held = self.held.regs();
        self.held.loop_heads.arrive(label, held);
        self.fixups.push((half, base, label));
    }

    /// Index of the handler of a pair that jumps to a label: 1 if the jump is backward.
    fn direction(&self, label: Label) -> usize {
        self.labels.get(label.0 as usize).is_some_and(|&at| at != NOWHERE).into()
    }

    fn begin_burning(&mut self, to: To<'_, '_>) {
        self.burn = Some((to.directives.len() as u32, 1));
        to.push(word(jumps::burn));
        to.push(0);
    }

    fn end_burning(&mut self, code: &mut [u64]) {
        if let Some((at, count)) = self.burn.take() {
            code[at as usize + 1] = u64::from(count) << 32;
        }
    }
}

impl Machine for Encoder<'_> {
    const WORD_BITS: u32 = 64;

    fn supports(&self, op: Op, operand: Kind, result: Kind) -> bool {
        works_on_registers(op, operand, result)
    }

    fn table_jumps(&self) -> TableJumps {
        TableJumps::TableWithDefault
    }

    fn takes_immediate(&self, op: Op, kind: Kind, operand: usize, bits: u64) -> bool {
        match op {
            Op::MemoryStore if kind == Kind::V128 => operand == 0,
            Op::MemoryLoad | Op::MemoryStore | Op::Store => true,
            // A comparison whose result is 1 or 0.
            Op::Select => kind.is_integer() && operand > 0 && bits <= 1,
            _ if handlers::binary(op, kind).is_some() => operand == 1 || handlers::fits(kind, bits),
            _ => simd::takes_immediate(op, kind, operand).unwrap_or_else(|| handlers::function(op, kind).is_none()),
        }
    }
}

impl Isa for Encoder<'_> {
    type Directive = u64;
    const PRELUDE_WORDS: u32 = 2;

    fn jumps_if(&self, _nonzero: bool) -> bool {
        true
    }

    fn jumps_on(&self, comparison: Comparison, _immediate: Option<u64>) -> bool {
        handlers::jump(comparison).is_some()
    }

    fn absorbs(&self, user: User, operand: usize, (inner, kind, _): (Op, Kind, Kind)) -> bool {
        match user {
            User::Jump => operand == 0 && inner == Op::BitwiseAnd && kind.is_integer(),
            User::Operation(op, imm, of, _) => fused::absorbs(op, imm, of, operand, inner, kind),
        }
    }

    fn repeats(&self, user: User, (inner, kind, _): (Op, Kind, Kind), of_constant: bool) -> bool {
        let User::Operation(op, imm, of, _) = user else { return false };
        matches!(op, Op::MemoryLoad | Op::MemoryStore)
            && fused::absorbs(op, imm, of, 0, inner, kind)
            && (of_constant || fused::fits_sum(imm.as_mem_arg()))
    }

    fn emit_entry(&self, to: To<'_, '_>, func: Func) {
        self.begin_function(to, func);
    }

    fn emit_loop_head(&self, to: To<'_, '_>, head: &LoopHead<'_>) {
        self.begin_loop(to, head);
    }

    fn emit_iteration(&self, to: To<'_, '_>, head: &LoopHead<'_>) {
        self.begin_iteration(to, head);
    }

    fn emit_label(&self, to: To<'_, '_>, label: Label) {
        let mut state = self.state.borrow_mut();
        let at = to.directives.len() as u32;
        if state.labels.len() <= label.0 as usize {
            state.labels.resize(label.0 as usize + 1, NOWHERE);
        }
        state.labels[label.0 as usize] = at;
        state.last = Last::Other;
        // (Charging fuel may stop the program, and does not preserve accumulators.)
        let held = if self.names.fuel { [None; 3] } else { state.held.regs() };
        state.held.forget();
        state.held.loop_heads.begin(label, held);
        state.end_burning(to.directives);
    }

    fn emit_jump(&self, to: To<'_, '_>, target: Label) {
        if !self.join_copies(to, target) && !self.join_sum(to, target) {
            let jump = jumps::JUMP[self.state.borrow().direction(target)];
            self.put_keeping(to, jump, &[0]);
            self.await_label(to, 1, target);
            self.state.borrow_mut().held.forget();
        }
    }

    fn emit_trap(&self, to: To<'_, '_>, kind: TrapKind) {
        let number = TrapKind::ALL.iter().position(|k| *k == kind).expect("all kinds are there");
        self.put(to, jumps::trap, &[(number as u64) << 32]);
    }

    fn emit_copy(&self, to: To<'_, '_>, out: Reg, from: Reg) {
        let operands = self.half(from) | self.half(out) << 16;
        let mut state = self.state.borrow_mut();
        if let Last::Copy { at, number: 0 } = state.last {
            state.held.copy(out, from);
            to.directives[at] = word(scalar::copy2);
            to.directives[at + 1] |= operands << 32;
            state.last = Last::Copies { at };
            return;
        }
        let number = state.held.bank_of(from).map_or(0, |bank| 1 + bank as usize);
        state.held.copy(out, from);
        drop(state);
        self.put_keeping(to, scalar::COPIES[number], &[operands]);
        self.state.borrow_mut().last = Last::Copy { at: to.directives.len() - 2, number };
    }

    fn emit_constant(&self, to: To<'_, '_>, out: Reg, bits: u64) {
        self.state.borrow_mut().held.overwrite(out);
        let Ok(small) = u32::try_from(bits) else {
            return self.put_keeping(to, scalar::constant_wide, &[self.half(out), bits]);
        };
        let last = self.state.borrow().last;
        if let Last::Constant { at, out: first, bits } = last {
            to.directives[at] = word(scalar::constants);
            to.directives[at + 1] = self.half(first) | self.half(out) << 16;
            to.push(u64::from(bits) | u64::from(small) << 32);
            self.state.borrow_mut().last = Last::Other;
            return;
        }
        self.put_keeping(to, scalar::constant, &[self.with_upper(out, Reg(0), small)]);
        self.state.borrow_mut().last = Last::Constant { at: to.directives.len() - 2, out, bits: small };
    }

    fn emit_conditional_jump(&self, to: To<'_, '_>, condition: Operand<'_>, nonzero: bool, target: Label) {
        if let Operand::Nested(inner) = condition {
            let kind = inner.operand;
            let jump = handlers::bit_jump(kind, nonzero);
            // The constant is the second operand.
            let args = match *inner.args {
                [Operand::Const(a), b] => [b, Operand::Const(a)],
                [a, b] => [a, b],
                _ => unreachable!("a binary op has two operands"),
            };
            return self.put_compare(to, jump, kind, args, target);
        }
        let op = if nonzero { Op::NotEqual } else { Op::Equal };
        if self.join_test(to, condition, nonzero, target) {
            return;
        }
        let zero = Comparison { op, kind: Kind::I32, negated: false };
        if self.join_load(to, zero, [condition, Operand::Const(0)], target) {
            return;
        }
        let last = self.state.borrow().last;
        if let (Operand::Reg(_), Last::Step { bits, .. }) = (condition, last) {
            let kind = if bits == 64 { Kind::I64 } else { Kind::I32 };
            let comparison = Comparison { op, kind, negated: false };
            if self.join_step(to, comparison, [condition, Operand::Const(0)], target) {
                return;
            }
        }
        let forms = if nonzero { &scalar::ne_i64::JUMPS } else { &scalar::eq_i64::JUMPS };
        let condition = self.register(to, condition);
        self.put_jump_form(to, forms.small, &[(condition, Bank::Int)], &[self.half(condition)], target);
    }

    fn emit_conditional_jump_compare(
        &self,
        to: To<'_, '_>,
        comparison: Comparison,
        operands: [Operand<'_>; 2],
        target: Label,
    ) {
        if self.join_step(to, comparison, operands, target) || self.join_load(to, comparison, operands, target) {
            return;
        }
        let handlers = handlers::jump(comparison).expect("only what was agreed to");
        self.put_compare(to, handlers, comparison.kind, operands, target);
    }

    fn emit_jump_table(&self, to: To<'_, '_>, index: Reg, targets: &[Label]) {
        let mut operands = vec![self.with_upper(index, Reg(0), targets.len() as u32)];
        operands.resize(1 + targets.len().div_ceil(2), 0);
        self.put_form(to, jumps::TABLE, &[(index, Bank::Int)], None, &operands);
        let base = (to.directives.len() - 1 - operands.len()) as u32;
        let first = 2 * (base + 2);
        let mut state = self.state.borrow_mut();
        state.held.all_are_read();
        for (half, &label) in (first..).zip(targets) {
            state.jump(half, base, label);
        }
        state.held.forget();
    }

    fn emit_return(&self, to: To<'_, '_>, own: Frame) {
        self.put(to, calls::ret, &[self.half(own.prelude())]);
    }

    fn emit_call(&self, to: To<'_, '_>, callee: Callee<'_>, frame: Frame) {
        let prelude = frame.prelude();
        match callee {
            Callee::Func(func) => {
                self.put(to, calls::call, &[self.regs([frame.base, prelude, Reg(0), Reg(0)]), self.address(func)]);
            }
            Callee::Import(func) => {
                self.put(to, calls::call_import, &[self.with_upper(frame.base, prelude, func.as_u32())]);
            }
            Callee::Value(value) => {
                let value = self.register(to, value);
                self.put(to, calls::call_value, &[self.regs([value, frame.base, prelude, Reg(0)])]);
            }
            Callee::Table { table, ty, index } => {
                let index = self.register(to, index);
                let which = u64::from(table.as_u32()) | u64::from(self.names.types[ty]) << 32;
                self.put(to, calls::call_table, &[self.regs([index, frame.base, prelude, Reg(0)]), which]);
            }
        }
    }

    fn emit_tail_call(&self, to: To<'_, '_>, callee: Callee<'_>, frame: Frame, _own: Frame) {
        // The linear pass has put the return address where the callee expects it.
        let prelude = frame.prelude();
        match callee {
            Callee::Func(func) | Callee::Import(func) => {
                self.put(to, calls::tail_call, &[0, self.address(func)]);
            }
            Callee::Value(value) => {
                let value = self.register(to, value);
                self.put(to, calls::tail_value, &[self.regs([value, Reg(0), prelude, Reg(0)])]);
            }
            Callee::Table { table, ty, index } => {
                let index = self.register(to, index);
                let which = u64::from(table.as_u32()) | u64::from(self.names.types[ty]) << 32;
                self.put(to, calls::tail_table, &[self.regs([index, Reg(0), prelude, Reg(0)]), which]);
            }
        }
    }

    fn emit_operation(&self, to: To<'_, '_>, operation: &Operation<'_>) {
        let Operation { op, imm, operand, result, outs, args } = *operation;
        if self.emit_simd(to, operation) || self.emit_fused(to, operation) {
            return;
        }
        match op {
            // Loads at a dynamic index have no handler of their own.
            Op::Load if result.words(64) == 1 && args.is_empty() => {
                let operands = self.with_upper(outs[0], Reg(0), self.cell(operation));
                let write = (outs[0], handlers::bank(result));
                self.state.borrow_mut().held.overwrite(outs[0]);
                match write.1 {
                    Bank::Int => {
                        self.put_form(to, &[scalar::GLOBAL_GET], &[], Some(write), &[operands]);
                    }
                    _ => self.put(to, scalar::GLOBAL_GET[0], &[operands]),
                }
            }
            Op::Store if operand.words(64) == 1 && args.len() == 1 => match args[0] {
                Operand::Const(bits) => {
                    let cell = self.with_upper(Reg(0), Reg(0), self.cell(operation));
                    self.put_keeping(to, scalar::global_set_constant, &[cell, bits]);
                }
                value => {
                    let value = self.register(to, value);
                    let operands = self.with_upper(value, Reg(0), self.cell(operation));
                    self.put_form(to, scalar::GLOBAL_SET, &[(value, Bank::Int)], None, &[operands]);
                }
            },
            Op::MemoryLoad if imm.as_mem_arg().memory.as_u32() == 0 && imm.as_mem_arg().width != Width::B128 => {
                let arg = imm.as_mem_arg();
                self.load(to, handlers::load(arg, result), arg, operation);
            }
            Op::MemoryStore if imm.as_mem_arg().memory.as_u32() == 0 && imm.as_mem_arg().width != Width::B128 => {
                let arg = imm.as_mem_arg();
                self.store(to, handlers::store(arg.width, operand), arg, operation);
            }
            Op::MemoryCopy | Op::MemoryFill
                if imm.as_pair().0 == 0 && (op == Op::MemoryFill || imm.as_pair().1 == 0) =>
            {
                let [a, b, c] = [args[0], args[1], args[2]].map(|arg| self.register(to, arg));
                let handler: Handler = if op == Op::MemoryCopy { bytes::copy } else { bytes::fill };
                self.put(to, handler, &[self.regs([a, b, c, Reg(0)])]);
            }
            Op::Select if operand.words(64) == 1 => {
                let [condition, x, y] = [args[0], args[1], args[2]].map(|arg| self.register(to, arg));
                let reads = [condition, x, y].map(|reg| (reg, Bank::Int));
                let operands = self.regs([condition, x, y, outs[0]]);
                self.put_form(to, scalar::SELECT, &reads, Some((outs[0], Bank::Int)), &[operands]);
            }
            _ => self.emit_value(to, operation),
        }
    }
}

impl Encoder<'_> {
    /// Address of the code of a function.
    fn address(&self, func: Func) -> u64 {
        (&raw const self.names.codes[func.as_u32() as usize]).expose_provenance() as u64
    }

    /// An op on values.
    fn emit_value(&self, to: To<'_, '_>, operation: &Operation<'_>) {
        let Operation { op, operand, result, outs, args, .. } = *operation;
        let any = to.only_number.then(|| handlers::binary_any(op, operand)).flatten();
        if let Some(forms) = any.or_else(|| handlers::binary(op, operand)) {
            return self.binary(to, forms, operation);
        }
        if handlers::is_copy(op, operand, result) {
            let a = self.register(to, args[0]);
            return self.emit_copy(to, outs[0], a);
        }
        if let Some(forms) = handlers::unary(op, operand, result) {
            let a = self.register(to, args[0]);
            let (read, write) = ((a, handlers::bank(operand)), (outs[0], handlers::bank(result)));
            self.put_form(to, forms, &[read], Some(write), &[self.regs([a, outs[0], Reg(0), Reg(0)])]);
            return;
        }
        if let Some(function) = handlers::function(op, operand)
            && outs.len() == 1
        {
            let mut regs = [Reg(0); 4];
            for (reg, &arg) in regs.iter_mut().zip(args) {
                *reg = self.register(to, arg);
            }
            regs[args.len()] = outs[0];
            let handler = [generic::unary as Handler, generic::binary, generic::ternary][args.len() - 1];
            return self.put(to, handler, &[self.regs(regs), function]);
        }
        self.rare(to, operation);
    }
}
