//! Registers are known: instructions as bytes, the frame, and the tables beside the code.

use cranelift_codegen::binemit::Reloc;
use planish_ir::entity::Func;
use regalloc2::{Allocation, Block, Edit, Function, InstOrEdit, MachineEnv, Output, PReg, PRegSet, RegClass};
use smallvec::SmallVec;

use super::calls::Direct;
use super::encode::{Address, Base, Buffer, Label, RBP, RSP, Rm};
use super::lower::Lowered;
use super::ops::{self, Form, Vex};
use super::vcode::{
    CALLEE_SAVED, CALLER_SAVED, Condition, Convention, DIRECT_VECTORS, Extension, Memory, Op, Origin, VCode,
};
use crate::link::{Jump, Made};

/// Bytes of a page: a larger frame touches each of its pages.
const PAGE: u32 = 4096;

/// The registers of the processor that a function may use.
pub(super) fn environment(convention: Convention) -> MachineEnv {
    let set = |numbers: &mut dyn Iterator<Item = usize>, class: RegClass| -> PRegSet {
        numbers.map(|number| PReg::new(number, class)).collect()
    };
    let none = PRegSet::empty();
    MachineEnv {
        preferred_regs_by_class: [
            set(&mut CALLER_SAVED.into_iter(), RegClass::Int),
            set(&mut (0..if convention == Convention::Direct { DIRECT_VECTORS } else { 16 }), RegClass::Float),
            none,
        ],
        // (Saving one costs more than a spilled value in a small function.)
        non_preferred_regs_by_class: [
            if convention != Convention::Cranelift { none } else { set(&mut CALLEE_SAVED.into_iter(), RegClass::Int) },
            none,
            none,
        ],
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

/// All that the frame of a function has, but for the spilled registers.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    /// Bytes of arguments of callees, and of slots.
    pub(super) outgoing: u32,
    pub(super) slots: u32,
    /// Bytes of arguments that the caller has put on the stack.
    pub(super) incoming: u32,
}

/// Writes the code of a function.
pub(super) fn emit(lowered: &Lowered, output: &Output) -> Made {
    let Lowered { code, frame, constants, wrapper, convention, .. } = lowered;
    let frame = *frame;
    let slots_at = frame.outgoing.next_multiple_of(32);
    let spills_at = (slots_at + frame.slots).next_multiple_of(32);
    let calls_others = code.ops.iter().any(|op| matches!(op, Op::Call { convention: Convention::Cranelift, .. }));
    let kept: Vec<u8> = match (convention, wrapper) {
        (Convention::Seldom, Some([_, results])) => {
            let results = vectors(results);
            (0..16).filter(|&reg| results.iter().all(|(_, (result, _))| *result != reg)).collect()
        }
        (Convention::Direct, _) if calls_others => (DIRECT_VECTORS as u8..16).collect(),
        _ => Vec::new(),
    };
    let kept_at = (spills_at + 8 * output.num_spillslots as u32).next_multiple_of(32);
    let saved_at = kept_at + 32 * kept.len() as u32;
    let saved: Vec<u8> = CALLEE_SAVED.into_iter().filter(|&reg| uses(output, reg)).map(|reg| reg as u8).collect();
    let size = (saved_at + 8 * saved.len() as u32).next_multiple_of(32);
    let mut buffer = Buffer::default();
    let labels = (0..code.num_blocks()).map(|_| buffer.new_label()).collect();
    // Direct calls pass 256 bits, too.
    let has_long = |op: &Op| {
        matches!(op, Op::Vex { long: true, .. } | Op::Call { convention: Convention::Direct | Convention::Seldom, .. })
    };
    let is_long = wrapper.is_some() || code.ops.iter().any(has_long);
    let mut emitter = Emitter {
        code,
        output,
        frame,
        slots_at,
        spills_at,
        saved_at,
        saved,
        size,
        buffer,
        labels,
        is_long,
        kept,
        kept_at,
        convention: *convention,
        faults: Vec::new(),
        jumps: Vec::new(),
    };
    let direct = wrapper.as_ref().map_or(0, |[params, results]| emitter.wrapper(params, results));
    emitter.prologue();
    for block in 0..code.num_blocks() {
        emitter.block(Block::new(block));
    }
    let Emitter { mut buffer, faults, jumps, .. } = emitter;
    buffer.finish(constants);
    // With return address, frame pointer, and bytes lost to alignment.
    Made { bytes: buffer.bytes, alignment: 32, frame: size + 80, direct, jumps, faults }
}

/// Whether a register holds anything.
fn uses(output: &Output, reg: usize) -> bool {
    let is = |allocation: Allocation| allocation.as_reg() == Some(PReg::new(reg, RegClass::Int));
    output.allocs.iter().any(|&allocation| is(allocation))
        || output.edits.iter().any(|(_, Edit::Move { from, to })| is(*from) || is(*to))
}

struct Emitter<'a> {
    code: &'a VCode,
    output: &'a Output,
    frame: Frame,
    slots_at: u32,
    spills_at: u32,
    saved_at: u32,
    saved: Vec<u8>,
    size: u32,
    buffer: Buffer,
    labels: Vec<Label>,
    /// Whether the function has 256-bit values: their upper halves are cleared before other code runs, which may be of the old form.
    is_long: bool,
    /// Vector registers that are kept, and their place in the frame: while the function runs, if it is seldom called; else while it calls
    /// another one.
    kept: Vec<u8>,
    kept_at: u32,
    convention: Convention,
    faults: Vec<(u32, u32)>,
    jumps: Vec<Jump>,
}

/// The vectors among arguments or results: the number of the register of a half by Cranelift's convention, the register of direct calls,
/// and whether it holds two of them.
fn vectors(places: &[Direct]) -> Vec<(u8, (u8, bool))> {
    let mut halves = 0;
    let mut all = Vec::new();
    for place in places {
        match *place {
            Direct::One(reg) if reg.class() == RegClass::Float => all.push((halves, (reg.hw_enc() as u8, false))),
            Direct::Lower(reg) => all.push((halves, (reg.hw_enc() as u8, true))),
            Direct::Upper => {}
            Direct::One(_) => continue,
        }
        halves += 1;
    }
    all
}

/// An address in the frame.
fn in_frame(disp: u32) -> Rm {
    Rm::Memory(Address { base: Base::Reg(RSP), index: None, disp: disp as i32 })
}

type Regs = SmallVec<[u8; 8]>;

impl Emitter<'_> {
    fn prologue(&mut self) {
        // push rbp; mov rbp, rsp
        self.buffer.all(&[0x55, 0x48, 0x89, 0xe5]);
        for page in 1..=self.size / PAGE {
            let disp = -((page * PAGE) as i32);
            let below = Rm::Memory(Address { base: Base::Reg(RSP), index: None, disp });
            self.buffer.int((0, &[0x89]), false, 0, below, (0, false));
        }
        self.buffer.int_constant(5, true, Rm::Reg(RSP), self.size as i32);
        self.buffer.int_constant(4, true, Rm::Reg(RSP), -32);
        for (i, reg) in self.saved.clone().into_iter().enumerate() {
            self.buffer.int((0, &[0x89]), true, reg, in_frame(self.saved_at + 8 * i as u32), (0, false));
        }
        if self.convention == Convention::Seldom {
            self.keep(ops::STOREUPS);
        }
    }

    fn epilogue(&mut self) {
        if self.convention == Convention::Seldom {
            self.keep(ops::LOADUPS);
        }
        for (i, reg) in self.saved.clone().into_iter().enumerate() {
            self.buffer.int((0, &[0x8b]), true, reg, in_frame(self.saved_at + 8 * i as u32), (0, false));
        }
        if self.convention == Convention::Cranelift {
            self.clear_upper();
        }
        // mov rsp, rbp; pop rbp
        self.buffer.all(&[0x48, 0x89, 0xec, 0x5d]);
        if self.frame.incoming == 0 {
            self.buffer.byte(0xc3);
        } else {
            self.buffer.byte(0xc2);
            self.buffer.all(&(self.frame.incoming as u16).to_le_bytes());
        }
    }

    /// `vzeroupper`
    fn clear_upper(&mut self) {
        if self.is_long {
            self.buffer.all(&[0xc5, 0xf8, 0x77]);
        }
    }

    fn block(&mut self, block: Block) {
        self.buffer.bind(self.labels[block.index()]);
        let (code, output) = (self.code, self.output);
        for item in output.block_insts_and_edits(code, block) {
            match item {
                InstOrEdit::Edit(&Edit::Move { from, to }) => self.moved(from, to),
                InstOrEdit::Inst(inst) => {
                    let allocations = output.inst_allocs(inst).iter();
                    let regs = allocations.map(|a| a.as_reg().expect("all operands are in registers").hw_enc() as u8);
                    self.instruction(&code.ops[inst.index()], &regs.collect::<Regs>(), block);
                }
            }
        }
    }

    fn spilled(&self, allocation: Allocation) -> Rm {
        let slot = allocation.as_stack().expect("it is a register or a slot");
        in_frame(self.spills_at + 8 * slot.index() as u32)
    }

    fn moved(&mut self, from: Allocation, to: Allocation) {
        if from == to {
            return;
        }
        let class = from.as_reg().or(to.as_reg()).expect("one of both is a register").class();
        let number = |a: Allocation| a.as_reg().map(|reg| reg.hw_enc() as u8);
        match (number(from), number(to), class) {
            (None, Some(reg), RegClass::Float) => self.vector(ops::LOADUPS, self.is_long, reg, 0, self.spilled(from)),
            (Some(reg), None, _) if class == RegClass::Float => {
                self.vector(ops::STOREUPS, self.is_long, reg, 0, self.spilled(to));
            }
            (Some(from), Some(to), RegClass::Float) => {
                self.vector(ops::MOVAPS, self.is_long, to, 0, Rm::Reg(from));
            }
            (Some(reg), None, _) => self.buffer.int((0, &[0x89]), true, reg, self.spilled(to), (0, false)),
            (None, Some(reg), _) => self.buffer.int((0, &[0x8b]), true, reg, self.spilled(from), (0, false)),
            (Some(from), Some(to), _) => self.buffer.int((0, &[0x8b]), true, to, Rm::Reg(from), (0, false)),
            (None, None, _) => unreachable!("the allocator makes no moves between slots"),
        }
    }

    fn vector(&mut self, of: Vex, long: bool, reg: u8, second: u8, rm: Rm) {
        self.buffer.vex(of.encoding, long, reg, second, rm, None);
    }

    /// The operand in memory of an instruction; `registers` are base and index. Notes where it may fault.
    fn address(&mut self, memory: &Memory, registers: &[u8]) -> Rm {
        if let Some(ordinal) = memory.fault {
            self.faults.push((self.buffer.here(), ordinal));
        }
        let (base, disp) = match memory.origin {
            Origin::Register => (Base::Reg(registers[0]), 0),
            Origin::Constant(constant) => (Base::Constant(constant), 0),
            Origin::Slot => (Base::Reg(RSP), self.slots_at as i32),
            Origin::Outgoing => (Base::Reg(RSP), 0),
            Origin::Incoming => (Base::Reg(RBP), 16),
        };
        let index = memory.scale.map(|scale| (*registers.last().expect("it has an index"), scale));
        Rm::Memory(Address { base, index, disp: disp + memory.disp })
    }

    fn instruction(&mut self, op: &Op, regs: &[u8], block: Block) {
        match *op {
            Op::Params => {}
            Op::Vex { of, long, imm, memory } => self.vex((of, long, imm), memory.as_ref(), regs),
            Op::Int { opcode, wide } => {
                // `imul` has its operands the other way round.
                let (reg, rm) = if opcode.len() == 2 { (regs[0], regs[2]) } else { (regs[2], regs[0]) };
                self.buffer.int((0, opcode), wide, reg, Rm::Reg(rm), (0, false));
            }
            Op::IntConstant { number, wide, imm } => self.buffer.int_constant(number, wide, Rm::Reg(regs[0]), imm),
            Op::IntUnary { number, wide } => {
                self.buffer.int((0, &[0xf7]), wide, number, Rm::Reg(regs[0]), (0, false));
            }
            Op::Count { opcode, wide } => {
                self.buffer.int((0xf3, &[0x0f, opcode]), wide, regs[0], Rm::Reg(regs[1]), (0, false));
            }
            Op::SwapBytes { wide } => {
                let rex = u8::from(wide) << 3 | u8::from(regs[0] > 7);
                if rex != 0 {
                    self.buffer.byte(0x40 | rex);
                }
                self.buffer.all(&[0x0f, 0xc8 | regs[0] & 7]);
            }
            Op::Lea { wide, memory } => {
                let address = self.address(&memory, &regs[1..]);
                self.buffer.int((0, &[0x8d]), wide, regs[0], address, (0, false));
            }
            Op::ShiftConstant { number, wide, by } => {
                self.buffer.int((0, &[0xc1]), wide, number, Rm::Reg(regs[0]), (1, false));
                self.buffer.byte(by);
            }
            Op::Rotate { number, wide } => {
                self.buffer.int((0, &[0xd3]), wide, number, Rm::Reg(regs[0]), (0, false));
            }
            Op::Divide { signed, wide } => {
                if signed {
                    // cdq, cqo
                    self.buffer.all(if wide { &[0x48, 0x99] } else { &[0x99] });
                } else {
                    self.buffer.move_constant(2, 0);
                }
                let number = if signed { 7 } else { 6 };
                self.buffer.int((0, &[0xf7]), wide, number, Rm::Reg(regs[3]), (0, false));
            }
            Op::Constant { bits } => self.buffer.move_constant(regs[0], bits),
            Op::Move { extension, memory } => self.extended(extension, memory.as_ref(), regs),
            Op::Store { bytes, memory } => self.store(bytes, &memory, regs),
            Op::Compare { wide, imm: Some(0) } => {
                self.buffer.int((0, &[0x85]), wide, regs[0], Rm::Reg(regs[0]), (0, false));
            }
            Op::Compare { wide, imm: Some(imm) } => self.buffer.int_constant(7, wide, Rm::Reg(regs[0]), imm),
            Op::Compare { wide, imm: None } => {
                self.buffer.int((0, &[0x39]), wide, regs[1], Rm::Reg(regs[0]), (0, false));
            }
            Op::Test { bytes } => {
                let opcode: &[u8] = if bytes == 1 { &[0x84] } else { &[0x85] };
                self.buffer.int((0, opcode), bytes == 8, regs[0], Rm::Reg(regs[0]), (0, bytes == 1));
            }
            Op::Set { condition } => self.set(condition, regs),
            Op::Choose { condition } => self.unless(condition.inverse(), |this| {
                this.buffer.int((0, &[0x8b]), true, regs[0], Rm::Reg(regs[2]), (0, false));
            }),
            Op::ChooseVector { condition } => self.unless(condition.inverse(), |this| {
                this.vector(ops::MOVAPS, this.is_long, regs[0], 0, Rm::Reg(regs[2]));
            }),
            Op::StackPointer => self.buffer.int((0, &[0x8b]), true, regs[0], Rm::Reg(RSP), (0, false)),
            Op::Call { target, pops, convention } => self.call(target, pops, convention, regs),
            Op::Branch { condition } => {
                let [to, other] = [0, 1].map(|i| self.code.block_succs(block)[i]);
                if to.index() == block.index() + 1 {
                    self.jump_if(condition.inverse(), other);
                } else {
                    self.jump_if(condition, to);
                    self.jump(block, other);
                }
            }
            Op::Table => self.table(regs[0], block),
            Op::Jump => self.jump(block, self.code.block_succs(block)[0]),
            Op::Return => self.epilogue(),
            Op::Trap => self.buffer.all(&[0x0f, 0x0b]),
        }
    }

    fn vex(&mut self, (of, long, imm): (Vex, bool, Option<u8>), memory: Option<&Memory>, regs: &[u8]) {
        // Operands before the one that may be in memory, and that one.
        let before = match of.form {
            Form::Three | Form::Blend => 2,
            _ => 1,
        };
        let mut reg = regs[0];
        let rm = |this: &mut Self, at: usize, end: usize| match memory {
            Some(memory) => this.address(memory, &regs[at..end]),
            None => Rm::Reg(regs[at]),
        };
        let (second, rm, imm) = match of.form {
            Form::Three => (regs[1], rm(self, before, regs.len()), imm),
            Form::Two | Form::Flags => (0, rm(self, before, regs.len()), imm),
            Form::Reverse if memory.is_some() => (0, rm(self, before, regs.len()), imm),
            Form::Reverse => {
                reg = regs[1];
                (0, Rm::Reg(regs[0]), imm)
            }
            Form::Shift(number) => {
                reg = number;
                (regs[0], Rm::Reg(regs[1]), imm)
            }
            Form::Blend => (regs[1], Rm::Reg(regs[2]), Some(regs[3] << 4)),
            Form::Count => (regs[2], Rm::Reg(regs[1]), imm),
        };
        self.buffer.vex(of.encoding, long, reg, second, rm, imm);
    }

    fn extended(&mut self, extension: Extension, memory: Option<&Memory>, regs: &[u8]) {
        let rm = match memory {
            Some(memory) => self.address(memory, &regs[1..]),
            None => Rm::Reg(regs[1]),
        };
        let (opcode, wide): (&[u8], bool) = match extension {
            Extension::Zero8 => (&[0x0f, 0xb6], false),
            Extension::Zero16 => (&[0x0f, 0xb7], false),
            Extension::Zero32 => (&[0x8b], false),
            Extension::Sign8 => (&[0x0f, 0xbe], false),
            Extension::Sign16 => (&[0x0f, 0xbf], false),
            Extension::Sign8To64 => (&[0x0f, 0xbe], true),
            Extension::Sign16To64 => (&[0x0f, 0xbf], true),
            Extension::Sign32 => (&[0x63], true),
            Extension::Whole => (&[0x8b], true),
        };
        let is_byte =
            memory.is_none() && matches!(extension, Extension::Zero8 | Extension::Sign8 | Extension::Sign8To64);
        let small = is_byte && regs[1] > 3;
        self.buffer.int((0, opcode), wide, regs[0], rm, (0, small));
    }

    fn store(&mut self, bytes: u8, memory: &Memory, regs: &[u8]) {
        let address = self.address(memory, &regs[1..]);
        let (prefix, opcode): (u8, &[u8]) = match bytes {
            1 => (0, &[0x88]),
            2 => (0x66, &[0x89]),
            _ => (0, &[0x89]),
        };
        self.buffer.int((prefix, opcode), bytes == 8, regs[0], address, (0, bytes == 1));
    }

    fn set(&mut self, condition: Condition, regs: &[u8]) {
        let mut set = |number: u8, reg: u8| {
            self.buffer.int((0, &[0x0f, 0x90 | number]), false, 0, Rm::Reg(reg), (0, true));
        };
        match condition {
            Condition::Plain(number) => set(number, regs[0]),
            Condition::FloatEqual | Condition::FloatNotEqual => {
                let equal = condition == Condition::FloatEqual;
                set(if equal { 4 } else { 5 }, regs[0]);
                set(if equal { 11 } else { 10 }, regs[1]);
                let opcode: &[u8] = if equal { &[0x20] } else { &[0x08] };
                self.buffer.int((0, opcode), false, regs[1], Rm::Reg(regs[0]), (0, true));
            }
        }
        let small = regs[0] > 3;
        self.buffer.int((0, &[0x0f, 0xb6]), false, regs[0], Rm::Reg(regs[0]), (0, small));
    }

    /// Writes instructions that are jumped over if a condition holds.
    fn unless(&mut self, condition: Condition, write: impl FnOnce(&mut Self)) {
        let end = self.buffer.new_label();
        self.branch(condition, end);
        write(self);
        self.buffer.bind(end);
    }

    fn jump_if(&mut self, condition: Condition, to: Block) {
        self.branch(condition, self.labels[to.index()]);
    }

    /// Jumps to a label if a condition holds. Of floats that are not ordered, the parity flag tells.
    fn branch(&mut self, condition: Condition, label: Label) {
        match condition {
            Condition::Plain(number) => self.buffer.jump(Some(number), label),
            Condition::FloatNotEqual => {
                self.buffer.jump(Some(5), label);
                self.buffer.jump(Some(10), label);
            }
            Condition::FloatEqual => {
                let not = self.buffer.new_label();
                self.buffer.jump(Some(10), not);
                self.buffer.jump(Some(4), label);
                self.buffer.bind(not);
            }
        }
    }

    fn jump(&mut self, from: Block, to: Block) {
        if to.index() != from.index() + 1 {
            self.buffer.jump(None, self.labels[to.index()]);
        }
    }

    fn table(&mut self, index: u8, block: Block) {
        let succs: Vec<Block> = self.code.block_succs(block).into();
        let (&last, others) = succs.split_last().expect("a table has a default");
        for (i, to) in others.iter().enumerate() {
            self.buffer.int_constant(7, false, Rm::Reg(index), i as i32);
            self.buffer.jump(Some(4), self.labels[to.index()]);
        }
        self.jump(block, last);
    }

    /// The adapter for all calls but direct ones, before the function: puts halves of vectors together, and takes results apart.
    /// Returns the first byte of the function.
    fn wrapper(&mut self, params: &[Direct], results: &[Direct]) -> u32 {
        // push rbp; mov rbp, rsp
        self.buffer.all(&[0x55, 0x48, 0x89, 0xe5]);
        for (from, (to, is_pair)) in vectors(params) {
            if is_pair {
                self.buffer.vex(ops::INSERTF128.encoding, true, to, from, Rm::Reg(from + 1), Some(1));
            } else {
                self.vector(ops::MOVAPS, false, to, 0, Rm::Reg(from));
            }
        }
        let body = self.buffer.new_label();
        self.buffer.call(body);
        for (to, (from, is_pair)) in vectors(results).into_iter().rev() {
            if is_pair {
                self.buffer.vex(ops::EXTRACTF128.encoding, true, from, 0, Rm::Reg(to + 1), Some(1));
            }
            if from != to {
                self.vector(ops::MOVAPS, false, to, 0, Rm::Reg(from));
            }
        }
        // vzeroupper; pop rbp; ret
        self.buffer.all(&[0xc5, 0xf8, 0x77, 0x5d, 0xc3]);
        while !self.buffer.here().is_multiple_of(32) {
            self.buffer.byte(0xcc);
        }
        self.buffer.bind(body);
        self.buffer.here()
    }

    /// Stores or loads the registers that are kept.
    fn keep(&mut self, of: Vex) {
        for (i, reg) in self.kept.clone().into_iter().enumerate() {
            self.vector(of, true, reg, 0, in_frame(self.kept_at + 32 * i as u32));
        }
    }

    fn call(&mut self, target: Option<Func>, pops: u32, convention: Convention, regs: &[u8]) {
        let keeps = convention == Convention::Cranelift && self.convention == Convention::Direct;
        if keeps {
            self.keep(ops::STOREUPS);
        }
        if convention == Convention::Cranelift {
            self.clear_upper();
        }
        match target {
            Some(to) => {
                self.buffer.byte(0xe8);
                self.jumps.push(Jump { at: self.buffer.here(), kind: Reloc::X86CallPCRel4, addend: -4, to });
                self.buffer.all(&[0; 4]);
            }
            // The code's address is the last operand.
            None => {
                let code = *regs.last().expect("an address");
                self.buffer.int((0, &[0xff]), false, 2, Rm::Reg(code), (0, false));
            }
        }
        if pops != 0 {
            self.buffer.int_constant(5, true, Rm::Reg(RSP), pops as i32);
        }
        if keeps {
            self.keep(ops::LOADUPS);
        }
    }
}
