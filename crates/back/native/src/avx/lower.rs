//! Cranelift's form of a function as instructions of the processor on virtual registers: values, blocks and edges.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, StackSlot, Type, Value, types};
use planish_ir::entity::Func;
use regalloc2::{Operand, RegClass, VReg};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::calls::{Direct, Directs, direct_signature};
use super::emit::Frame;
use super::ops::{self, Vex};
use super::pairs::{Half, Pairs};
use super::schedule::{Unit, schedule};
use super::values::Values;
use super::vcode::{Convention, Extension, Instruction, Memory, Op, Origin, Part, VCode};

/// An instruction of Cranelift's that this back end does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// Its name, with the type that it works on.
    pub(crate) what: String,
}

pub(super) type Result<T = ()> = std::result::Result<T, Missing>;

/// A register, or an operand in memory with the registers of its address.
#[derive(Clone)]
pub(super) enum RegMem {
    Reg(VReg),
    Mem(Memory, SmallVec<[VReg; 2]>),
}

impl From<VReg> for RegMem {
    fn from(reg: VReg) -> Self {
        RegMem::Reg(reg)
    }
}

/// Both halves of a vector; the same value twice if the instruction is in no pair.
pub(super) type Halves = [Value; 2];

/// A function that has been lowered.
pub(crate) struct Lowered {
    pub(super) code: VCode,
    pub(super) frame: Frame,
    pub(super) constants: Vec<[u8; 32]>,
    /// Arguments and results, if it is called directly.
    pub(super) wrapper: Option<[SmallVec<[Direct; 8]>; 2]>,
    pub(super) convention: Convention,
    /// Number of pairs of instructions that are one.
    pub(crate) pairs: usize,
}

/// Writes a function.
pub(super) struct Lower<'a> {
    pub(super) f: &'a Function,
    /// Functions that are called directly, and the convention of this one.
    pub(super) direct: &'a Directs,
    pub(super) convention: Convention,
    pub(super) values: &'a Values<'a>,
    pub(super) pairs: &'a Pairs,
    pub(super) classes: usize,
    /// By register: whether both halves hold the same vector.
    pub(super) doubled: Vec<bool>,
    /// By register: whether the upper 32 bits are 0.
    pub(super) extended: Vec<bool>,
    /// By value: the register of one that is in no pair, or a half in a register of its own.
    pub(super) singles: SecondaryMap<Value, Option<VReg>>,
    /// By pair: its register.
    pub(super) wides: Vec<Option<VReg>>,
    /// Upper halves and pairs that were put together in this block.
    pub(super) uppers: FxHashMap<u32, VReg>,
    pub(super) packed: FxHashMap<Halves, VReg>,
    /// Integer computations of this block, by number.
    pub(super) available: FxHashMap<Value, VReg>,
    constants: Vec<[u8; 32]>,
    constant_numbers: FxHashMap<[u8; 32], u32>,
    pub(super) parts: Vec<Part>,
    pub(super) part: usize,
    pub(super) positions: usize,
    pub(super) blocks: SecondaryMap<Block, Option<usize>>,
    pub(super) predecessors: SecondaryMap<Block, u32>,
    pub(super) frame: Frame,
    slots: SecondaryMap<StackSlot, u32>,
}

/// Lowers a function; `stops` are the numbers of the stops of accesses that may fault, `direct` the functions that are called directly,
/// and the number of this one.
///
/// # Errors
/// The first instruction that is missing here.
pub(crate) fn lower(f: &Function, stops: &[u32], (direct, func): (&Directs, Func)) -> Result<Lowered> {
    let convention = direct.get(&func).copied().unwrap_or(Convention::Cranelift);
    let values = Values::new(f, stops);
    let mut pairs = Pairs::new(&values);
    let blocks: Vec<Block> = f.layout.blocks().collect();
    let units: Vec<Vec<Unit>> = blocks.iter().map(|&block| schedule(&values, &mut pairs, block)).collect();
    let mut lower = Lower {
        f,
        direct,
        convention,
        values: &values,
        pairs: &pairs,
        classes: 0,
        doubled: Vec::new(),
        extended: Vec::new(),
        singles: SecondaryMap::new(),
        wides: vec![None; pairs.all.len()],
        uppers: FxHashMap::default(),
        packed: FxHashMap::default(),
        available: FxHashMap::default(),
        constants: Vec::new(),
        constant_numbers: FxHashMap::default(),
        parts: Vec::new(),
        part: 0,
        positions: 0,
        blocks: SecondaryMap::new(),
        predecessors: SecondaryMap::new(),
        frame: Frame::default(),
        slots: SecondaryMap::new(),
    };
    lower.place_slots();
    for &block in &blocks {
        let last = f.layout.last_inst(block).expect("a block has an end");
        let data = &f.dfg.insts[last];
        for call in data.branch_destination(&f.dfg.jump_tables, &f.dfg.exception_tables) {
            lower.predecessors[call.block(&f.dfg.value_lists)] += 1;
        }
    }
    for (i, (&block, units)) in blocks.iter().zip(&units).enumerate() {
        if i == 0 {
            lower.part_of(block);
        }
        if lower.blocks[block].is_some() {
            lower.block(block, units, i == 0)?;
        }
    }
    let Lower { parts, classes, frame, constants, .. } = lower;
    let code = VCode::new(parts, classes);
    let is_direct = convention != Convention::Cranelift;
    let wrapper = if is_direct { direct_signature(&f.signature) } else { None };
    Ok(Lowered { code, frame, constants, wrapper, convention, pairs: pairs.count })
}

impl Lower<'_> {
    fn place_slots(&mut self) {
        for (slot, data) in self.f.sized_stack_slots.iter() {
            self.frame.slots = self.frame.slots.next_multiple_of(32);
            self.slots[slot] = self.frame.slots;
            self.frame.slots += data.size;
        }
    }

    pub(super) fn missing<T>(&self, inst: Inst) -> Result<T> {
        let data = &self.f.dfg.insts[inst];
        let ty = self.f.dfg.ctrl_typevar(inst);
        let opcode = data.opcode();
        Err(Missing { what: if ty.is_invalid() { opcode.to_string() } else { format!("{opcode}.{ty}") } })
    }

    // Registers and instructions

    pub(super) fn new_reg(&mut self, class: RegClass) -> VReg {
        self.classes += 1;
        self.doubled.push(false);
        self.extended.push(false);
        VReg::new(self.classes - 1, class)
    }

    pub(super) fn vector_reg(&mut self) -> VReg {
        self.new_reg(RegClass::Float)
    }

    pub(super) fn int_reg(&mut self) -> VReg {
        self.new_reg(RegClass::Int)
    }

    pub(super) fn push(&mut self, op: Op, operands: impl IntoIterator<Item = Operand>) {
        let operands = operands.into_iter().collect();
        self.parts[self.part].instructions.push(Instruction { op, operands });
    }

    /// An instruction with registers and perhaps an operand in memory.
    fn with_operand(op: Op, first: &[Operand], rm: &RegMem) -> Instruction {
        let mut operands: SmallVec<[Operand; 4]> = first.into();
        match rm {
            RegMem::Reg(reg) => operands.push(Operand::reg_use(*reg)),
            RegMem::Mem(_, regs) => operands.extend(regs.iter().map(|&reg| Operand::reg_use(reg))),
        }
        Instruction { op, operands }
    }

    fn memory_of(rm: &RegMem) -> Option<Memory> {
        match rm {
            RegMem::Reg(_) => None,
            RegMem::Mem(memory, _) => Some(*memory),
        }
    }

    /// An instruction of two operands.
    pub(super) fn three(&mut self, of: Vex, long: bool, x: VReg, y: impl Into<RegMem>, imm: Option<u8>) -> VReg {
        let (to, y) = (self.vector_reg(), y.into());
        let op = Op::Vex { of, long, imm, memory: Self::memory_of(&y) };
        let instruction = Self::with_operand(op, &[Operand::reg_def(to), Operand::reg_use(x)], &y);
        self.parts[self.part].instructions.push(instruction);
        to
    }

    /// An instruction of one operand, into a register of a class.
    pub(super) fn two_to(
        &mut self,
        class: RegClass,
        of: Vex,
        long: bool,
        x: impl Into<RegMem>,
        imm: Option<u8>,
    ) -> VReg {
        let (to, x) = (self.new_reg(class), x.into());
        let op = Op::Vex { of, long, imm, memory: Self::memory_of(&x) };
        let instruction = Self::with_operand(op, &[Operand::reg_def(to)], &x);
        self.parts[self.part].instructions.push(instruction);
        to
    }

    pub(super) fn two(&mut self, of: Vex, long: bool, x: impl Into<RegMem>, imm: Option<u8>) -> VReg {
        self.two_to(RegClass::Float, of, long, x, imm)
    }

    /// An instruction that has flags as its result.
    pub(super) fn flags(&mut self, of: Vex, long: bool, x: VReg, y: impl Into<RegMem>) {
        let y = y.into();
        let op = Op::Vex { of, long, imm: None, memory: Self::memory_of(&y) };
        let instruction = Self::with_operand(op, &[Operand::reg_use(x)], &y);
        self.parts[self.part].instructions.push(instruction);
    }

    /// Stores a vector register.
    pub(super) fn store_vector(&mut self, of: Vex, long: bool, imm: Option<u8>, x: VReg, to: &RegMem) {
        let op = Op::Vex { of, long, imm, memory: Self::memory_of(to) };
        let instruction = Self::with_operand(op, &[Operand::reg_use(x)], to);
        self.parts[self.part].instructions.push(instruction);
    }

    pub(super) fn select_lanes(&mut self, of: Vex, long: bool, if_not: VReg, if_set: VReg, mask: VReg) -> VReg {
        let to = self.vector_reg();
        let op = Op::Vex { of, long, imm: None, memory: None };
        let uses = [if_not, if_set, mask].map(Operand::reg_use);
        self.push(op, [Operand::reg_def(to)].into_iter().chain(uses));
        to
    }

    /// An integer instruction with a result that is not one of its operands' registers.
    pub(super) fn int_op(&mut self, op: Op, uses: &[VReg]) -> VReg {
        let to = self.int_reg();
        self.push(op, [Operand::reg_def(to)].into_iter().chain(uses.iter().map(|&reg| Operand::reg_use(reg))));
        to
    }

    /// An integer instruction that works on its first operand's register.
    pub(super) fn int_on(&mut self, op: Op, uses: &[VReg]) -> VReg {
        let to = self.int_reg();
        let uses = uses.iter().map(|&reg| Operand::reg_use(reg));
        self.push(op, [Operand::reg_reuse_def(to, 1)].into_iter().chain(uses));
        to
    }

    pub(super) fn int_memory(&mut self, extension: Extension, from: &RegMem) -> VReg {
        let to = self.int_reg();
        let op = Op::Move { extension, memory: Self::memory_of(from) };
        let instruction = Self::with_operand(op, &[Operand::reg_def(to)], from);
        self.parts[self.part].instructions.push(instruction);
        self.extended[to.vreg()] = matches!(extension, Extension::Zero8 | Extension::Zero16 | Extension::Zero32);
        to
    }

    pub(super) fn store_int(&mut self, bytes: u8, x: VReg, to: &RegMem) {
        let memory = Self::memory_of(to).expect("a store is to memory");
        let instruction = Self::with_operand(Op::Store { bytes, memory }, &[Operand::reg_use(x)], to);
        self.parts[self.part].instructions.push(instruction);
    }

    // Constants

    /// A constant in memory, in both halves.
    pub(super) fn constant(&mut self, halves: [u128; 2]) -> RegMem {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&halves[0].to_le_bytes());
        bytes[16..].copy_from_slice(&halves[1].to_le_bytes());
        let next = self.constants.len() as u32;
        let number = *self.constant_numbers.entry(bytes).or_insert(next);
        if number == next {
            self.constants.push(bytes);
        }
        RegMem::Mem(Memory { origin: Origin::Constant(number), scale: None, disp: 0, fault: None }, SmallVec::new())
    }

    /// A constant with the same 32 bits in all lanes.
    pub(super) fn words(&mut self, bits: u32) -> RegMem {
        let all = (0..4).fold(0, |all, lane| all | u128::from(bits) << (32 * lane));
        self.constant([all; 2])
    }

    /// A constant with the same 64 bits in all lanes.
    pub(super) fn pairs_of_words(&mut self, bits: u64) -> RegMem {
        self.constant([u128::from(bits) << 64 | u128::from(bits); 2])
    }

    pub(super) fn in_vector_reg(&mut self, from: RegMem, long: bool) -> VReg {
        match from {
            RegMem::Reg(reg) => reg,
            memory => self.two(ops::LOADUPS, long, memory, None),
        }
    }

    /// The bits of a constant vector or float, in both halves.
    fn vector_bits(&self, value: Value) -> Option<u128> {
        if let Some(bits) = self.values.vector_constant(value) {
            return Some(bits);
        }
        match *self.values.data(value)? {
            InstructionData::UnaryIeee32 { imm, .. } => {
                let bits = u128::from(imm.bits());
                Some((0..4).fold(0, |all, lane| all | bits << (32 * lane)))
            }
            InstructionData::UnaryIeee64 { imm, .. } => Some(u128::from(imm.bits()) << 64 | u128::from(imm.bits())),
            _ => None,
        }
    }

    // Values

    /// A vector of 128 bits, or a float.
    pub(super) fn x(&mut self, value: Value) -> VReg {
        let value = self.values.root(value);
        if let Some(bits) = self.vector_bits(value) {
            let constant = self.constant([bits; 2]);
            return self.in_vector_reg(constant, false);
        }
        if let Some(reg) = self.singles[value] {
            return reg;
        }
        let Half { pair, upper } = self.pairs.halves[value].expect("a value is defined before it is read");
        let wide = self.wides[pair as usize].expect("a pair is defined before it is read");
        if !upper {
            return wide;
        }
        if let Some(&found) = self.uppers.get(&pair) {
            return found;
        }
        let reg = self.two(ops::EXTRACTF128, true, wide, Some(1));
        self.uppers.insert(pair, reg);
        reg
    }

    /// The register of the pair of which a value is the upper half, if the half is in no register of its own.
    pub(super) fn upper_of(&self, value: Value) -> Option<VReg> {
        let half = self.pairs.halves[value].filter(|half| half.upper && self.singles[value].is_none())?;
        if self.uppers.contains_key(&half.pair) { None } else { self.wides[half.pair as usize] }
    }

    /// Bytes from the begin of all slots to one.
    pub(super) fn slot_offset(&self, slot: u32) -> i32 {
        self.slots[StackSlot::from_u32(slot)] as i32
    }

    /// As [`Lower::x`], perhaps in memory.
    pub(super) fn x_or_memory(&mut self, value: Value) -> RegMem {
        match self.vector_bits(self.values.root(value)) {
            Some(bits) => self.constant([bits; 2]),
            None => self.x(value).into(),
        }
    }

    /// Whether a value lies in both halves of a register.
    pub(super) fn is_doubled(&self, value: Value) -> bool {
        let value = self.values.root(value);
        self.vector_bits(value).is_some() || self.singles[value].is_some_and(|reg| self.doubled[reg.vreg()])
    }

    /// Both halves in a register.
    pub(super) fn y(&mut self, halves: Halves) -> VReg {
        let rm = self.y_or_memory(halves);
        self.in_vector_reg(rm, true)
    }

    pub(super) fn y_or_memory(&mut self, halves: Halves) -> RegMem {
        let halves = halves.map(|half| self.values.root(half));
        let [lower, upper] = halves;
        if let (Some(a), Some(b)) = (self.vector_bits(lower), self.vector_bits(upper)) {
            return self.constant([a, b]);
        }
        if let Some(pair) = self.pairs.of(lower, upper)
            && let Some(wide) = self.wides[pair as usize]
        {
            return wide.into();
        }
        if lower == upper && self.is_doubled(lower) {
            return self.x(lower).into();
        }
        if let Some(&found) = self.packed.get(&halves) {
            return found.into();
        }
        let (x, y) = (self.x(lower), self.x(upper));
        let reg = self.three(ops::INSERTF128, true, x, y, Some(1));
        self.packed.insert(halves, reg);
        reg.into()
    }

    /// A vector operand, of 256 bits or 128.
    pub(super) fn vector(&mut self, halves: Halves, long: bool) -> VReg {
        if long { self.y(halves) } else { self.x(halves[0]) }
    }

    pub(super) fn vector_or_memory(&mut self, halves: Halves, long: bool) -> RegMem {
        if long { self.y_or_memory(halves) } else { self.x_or_memory(halves[0]) }
    }

    /// An integer.
    pub(super) fn int(&mut self, value: Value) -> VReg {
        let value = self.values.root(value);
        if let Some(bits) = self.values.constant(value) {
            let bits = match self.values.ty(value) {
                types::I64 => bits as u64,
                types::I32 => u64::from(bits as u32),
                types::I16 => u64::from(bits as u16),
                _ => u64::from(bits as u8),
            };
            let reg = self.int_op(Op::Constant { bits }, &[]);
            self.extended[reg.vreg()] = bits >> 32 == 0;
            return reg;
        }
        self.singles[value].expect("a value is defined before it is read")
    }

    /// Gives a value its register.
    pub(super) fn set(&mut self, value: Value, reg: VReg) {
        self.singles[value] = Some(reg);
    }

    /// Gives two vectors side by side, parameters of the function or results of a call, one register.
    pub(super) fn set_pair(&mut self, [lower, upper]: Halves, reg: VReg) {
        let pair = self.pairs.of(lower, upper).expect("vectors side by side are a pair");
        self.wides[pair as usize] = Some(reg);
    }

    /// Gives the result of a vector instruction, or of both of a pair, its register.
    pub(super) fn set_vector(&mut self, (inst, other): Unit, reg: VReg, long: bool) {
        let result = self.f.dfg.first_result(inst);
        match other {
            Some(_) => {
                let half = self.pairs.halves[result].expect("it is half of a pair");
                self.wides[half.pair as usize] = Some(reg);
            }
            None => {
                self.singles[result] = Some(reg);
                self.doubled[reg.vreg()] = long;
            }
        }
    }

    // Memory

    /// The address of an access.
    pub(super) fn address(&mut self, inst: Inst, address: Value, offset: i32) -> Result<RegMem> {
        let place = self.values.place(address, offset);
        let fault = self.values.fault(inst).map(|(ordinal, _)| ordinal);
        let mut regs: SmallVec<[VReg; 2]> = SmallVec::new();
        let (origin, base) = match place.base {
            Ok(base) => {
                regs.push(self.int(base));
                (Origin::Register, 0)
            }
            Err(slot) => (Origin::Slot, i64::from(self.slots[StackSlot::from_u32(slot)])),
        };
        let mut scale = None;
        if let Some(index) = place.index {
            let (index, shift) = self.scaled(index);
            regs.push(self.int(index));
            scale = Some(shift);
        }
        let Ok(disp) = i32::try_from(base + place.offset) else { return self.missing(inst) };
        Ok(RegMem::Mem(Memory { origin, scale, disp, fault }, regs))
    }

    /// An index without a shift to the left by at most three bits.
    fn scaled(&self, index: Value) -> (Value, u8) {
        if let Some(InstructionData::Binary { opcode: Opcode::Ishl, args, .. }) = self.values.data(index)
            && let Some(shift @ 0..=3) = self.values.constant(args[1])
            && self.values.constant(args[0]).is_none()
        {
            return (self.values.root(args[0]), shift as u8);
        }
        (index, 0)
    }
}

/// The class of the registers of a type.
pub(super) fn class_of(ty: Type) -> RegClass {
    if ty.is_vector() || ty.is_float() { RegClass::Float } else { RegClass::Int }
}
