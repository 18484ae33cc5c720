//! Facts about the values of a function: casts are looked through, equal addresses are found, and those that are not needed.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{
    Function, Inst, InstructionData, MemFlagsData, Opcode, Type, Value, ValueDef,
    condcodes::{FloatCC, IntCC},
    types,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::faults;

/// The address of an access: a base, perhaps an index, and an offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    /// A value, or a slot of the frame (by its number).
    pub(super) base: Result<Value, u32>,
    pub(super) index: Option<Value>,
    pub(super) offset: i64,
}

/// An instruction with one of those that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Folded {
    /// `!x & y`
    Not,
    /// The lower two of four integers as `f64`.
    Widened,
    /// Two numbers of `f64` as integers of 32 bits, above them zeros.
    Converted,
    /// `x < y ? x : y`, or `y < x ? x : y`, of `f32` or `f64`.
    Extreme { least: bool, doubles: bool },
}

/// Facts about the values of a function.
pub(super) struct Values<'f> {
    pub(super) f: &'f Function,
    /// Numbers of the stops of accesses that may fault.
    stops: &'f [u32],
    /// By value: the one of which it is a cast to other lanes, or itself.
    roots: SecondaryMap<Value, Option<Value>>,
    /// By value: the first one with the same definition.
    numbers: SecondaryMap<Value, Option<Value>>,
    pub(super) live: SecondaryMap<Inst, bool>,
}

/// Whether a type is that of a vector.
pub(super) fn is_vector(ty: Type) -> bool {
    ty.is_vector()
}

impl<'f> Values<'f> {
    pub(super) fn new(f: &'f Function, stops: &'f [u32]) -> Self {
        let (roots, numbers) = (SecondaryMap::new(), SecondaryMap::new());
        let mut values = Values { f, stops, roots, numbers, live: SecondaryMap::new() };
        let mut known: FxHashMap<(InstructionData, Type), Value> = FxHashMap::default();
        for block in f.layout.blocks() {
            for inst in f.layout.block_insts(block) {
                values.look_through(inst);
                values.number(inst, &mut known);
            }
        }
        values.find_live();
        values
    }

    fn look_through(&mut self, inst: Inst) {
        if let InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. } = self.f.dfg.insts[inst] {
            self.cast(inst, arg);
        }
    }

    fn cast(&mut self, inst: Inst, arg: Value) {
        let result = self.f.dfg.first_result(inst);
        if is_vector(self.ty(result)) && is_vector(self.ty(arg)) {
            self.roots[result] = Some(self.root(arg));
        }
    }

    /// Gives integer computations without effect the number of an equal one.
    fn number(&mut self, inst: Inst, known: &mut FxHashMap<(InstructionData, Type), Value>) {
        let f = self.f;
        let mut data = f.dfg.insts[inst];
        let is_pure = match data {
            InstructionData::Load { flags, .. } => self.flags(flags).readonly() && self.flags(flags).can_move(),
            InstructionData::UnaryImm { .. } | InstructionData::StackAddr { .. } => true,
            InstructionData::Binary { .. } | InstructionData::Unary { .. } => {
                let ty = f.dfg.value_type(f.dfg.first_result(inst));
                ty.is_int()
                    && matches!(
                        data.opcode(),
                        Opcode::Iadd | Opcode::Isub | Opcode::Uextend | Opcode::Ishl | Opcode::Imul
                    )
            }
            _ => false,
        };
        if !is_pure {
            return;
        }
        let result = f.dfg.first_result(inst);
        match &mut data {
            InstructionData::Binary { args, .. } => args.iter_mut().for_each(|arg| *arg = self.numbered(*arg)),
            InstructionData::Unary { arg, .. } | InstructionData::Load { arg, .. } => *arg = self.numbered(*arg),
            _ => {}
        }
        let first = *known.entry((data, f.dfg.value_type(result))).or_insert(result);
        self.numbers[result] = Some(first);
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.f.dfg.value_type(value)
    }

    pub(super) fn flags(&self, flags: cranelift_codegen::ir::MemFlags) -> MemFlagsData {
        self.f.dfg.mem_flags[flags]
    }

    /// The ordinal of an access that may fault, and the number of its stop.
    pub(super) fn fault(&self, inst: Inst) -> Option<(u32, u32)> {
        let (InstructionData::Load { flags, .. } | InstructionData::Store { flags, .. }) = self.f.dfg.insts[inst]
        else {
            return None;
        };
        let code = self.flags(flags).trap_code()?;
        let at = self.f.srcloc(inst);
        let at = if at.is_default() { 0 } else { at.bits() };
        let ordinal = faults::ordinal(at, code, self.stops.len() as u32);
        Some((ordinal, self.stops[ordinal as usize]))
    }

    /// The value that others are casts of.
    pub(super) fn root(&self, value: Value) -> Value {
        let value = self.f.dfg.resolve_aliases(value);
        self.roots[value].unwrap_or(value)
    }

    /// The first value with the same definition.
    pub(super) fn numbered(&self, value: Value) -> Value {
        let value = self.root(value);
        self.numbers[value].unwrap_or(value)
    }

    /// The instruction that defines a value.
    pub(super) fn definition(&self, value: Value) -> Option<Inst> {
        match self.f.dfg.value_def(value) {
            ValueDef::Result(inst, _) => Some(inst),
            _ => None,
        }
    }

    pub(super) fn data(&self, value: Value) -> Option<&InstructionData> {
        self.definition(value).map(|inst| &self.f.dfg.insts[inst])
    }

    /// The bits of an integer constant.
    pub(super) fn constant(&self, value: Value) -> Option<i64> {
        match self.data(self.root(value))? {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// The bits of a constant vector.
    pub(super) fn vector_constant(&self, value: Value) -> Option<u128> {
        match self.data(self.root(value))? {
            InstructionData::UnaryConst { constant_handle, .. } => {
                let data = self.f.dfg.constants.get(*constant_handle);
                Some(u128::from_le_bytes(data.as_slice().try_into().ok()?))
            }
            _ => None,
        }
    }

    /// The address of an access, taken apart.
    pub(super) fn place(&self, address: Value, offset: i32) -> Place {
        let address = self.root(address);
        let mut place = Place { base: Ok(address), index: None, offset: offset.into() };
        match self.data(address) {
            Some(InstructionData::Binary { opcode: Opcode::Iadd, args: [x, y] }) => match self.constant(*y) {
                Some(more) => {
                    place.base = Ok(self.root(*x));
                    place.offset += more;
                }
                None => (place.base, place.index) = (Ok(self.root(*x)), Some(self.root(*y))),
            },
            Some(InstructionData::StackAddr { stack_slot, offset, .. }) => {
                place.base = Err(stack_slot.as_u32());
                place.offset += i64::from(i32::from(*offset));
                return place;
            }
            _ => return place,
        }
        if let Ok(base) = place.base
            && let Some(InstructionData::StackAddr { stack_slot, offset, .. }) = self.data(base)
        {
            place.base = Err(stack_slot.as_u32());
            place.offset += i64::from(i32::from(*offset));
        }
        // An index that is known.
        if let Some(index) = place.index
            && let Some(known) = self.known_index(index)
        {
            place.index = None;
            place.offset += known;
        }
        place
    }

    fn known_index(&self, index: Value) -> Option<i64> {
        if let Some(bits) = self.constant(index) {
            return Some(bits);
        }
        match self.data(index)? {
            InstructionData::Unary { opcode: Opcode::Uextend, arg } if self.ty(*arg) == types::I32 => {
                self.constant(*arg).map(|bits| i64::from(bits as u32))
            }
            _ => None,
        }
    }

    /// As [`Values::place`], equal for equal addresses.
    pub(super) fn numbered_place(&self, address: Value, offset: i32) -> Place {
        let place = self.place(address, offset);
        Place {
            base: place.base.map(|base| self.numbered(base)),
            index: place.index.map(|index| self.numbered(index)),
            offset: place.offset,
        }
    }

    /// The test behind a truth value: the value that is compared with 0 is taken for it, and whether the test is negated.
    pub(super) fn tested(&self, value: Value) -> (Value, bool) {
        let (mut value, mut negated) = (self.root(value), false);
        loop {
            match self.data(value) {
                Some(InstructionData::Unary { opcode: Opcode::Uextend, arg }) => value = self.root(*arg),
                Some(InstructionData::IntCompare { cond: cond @ (IntCC::Equal | IntCC::NotEqual), args, .. })
                    if self.constant(args[1]) == Some(0) && self.is_truth(args[0]) =>
                {
                    negated ^= *cond == IntCC::Equal;
                    value = self.root(args[0]);
                }
                _ => return (value, negated),
            }
        }
    }

    /// Whether a value is 0 or 1 by an instruction that can be repeated as a test.
    /// Recursion: one level, since nothing is extended to 8 bits.
    fn is_truth(&self, value: Value) -> bool {
        match self.data(self.root(value)) {
            Some(InstructionData::Unary { opcode: Opcode::Uextend, arg }) => {
                self.ty(*arg) == types::I8 && self.is_truth(*arg)
            }
            Some(InstructionData::Unary { opcode: Opcode::VanyTrue | Opcode::VallTrue, .. }) => true,
            Some(InstructionData::IntCompare { args, .. } | InstructionData::FloatCompare { args, .. }) => {
                !is_vector(self.ty(args[0]))
            }
            _ => false,
        }
    }

    /// Operands of a test of a value: those of the comparison that is repeated there, or the value itself.
    pub(super) fn test_operands(&self, value: Value) -> SmallVec<[Value; 2]> {
        let (value, _) = self.tested(value);
        match self.data(value) {
            Some(InstructionData::IntCompare { args, .. } | InstructionData::FloatCompare { args, .. })
                if !is_vector(self.ty(args[0])) =>
            {
                args.iter().map(|&arg| self.root(arg)).collect()
            }
            Some(&InstructionData::Unary { opcode: opcode @ (Opcode::VanyTrue | Opcode::VallTrue), arg }) => {
                let mut leaves = SmallVec::new();
                self.leaves(if opcode == Opcode::VanyTrue { Opcode::Bor } else { Opcode::Band }, arg, 3, &mut leaves);
                leaves
            }
            _ => SmallVec::from_slice(&[value]),
        }
    }

    /// The vectors that are joined by an operation. Recursion: at most `depth` levels.
    fn leaves(&self, join: Opcode, value: Value, depth: u32, leaves: &mut SmallVec<[Value; 2]>) {
        let value = self.root(value);
        match self.data(value) {
            Some(InstructionData::Binary { opcode, args }) if *opcode == join && depth > 0 => {
                args.iter().for_each(|&arg| self.leaves(join, arg, depth - 1, leaves));
            }
            _ => leaves.push(value),
        }
    }

    /// The instruction that an operand comes from, if it is one with it here; and the operands, looked through.
    pub(super) fn operands(&self, inst: Inst) -> (Option<Folded>, SmallVec<[Value; 4]>) {
        let args = self.f.dfg.inst_args(inst);
        let roots = || args.iter().map(|&arg| self.root(arg)).collect();
        let of = |arg: Value| match self.data(self.root(arg)) {
            Some(&InstructionData::Unary { opcode, arg: inner }) => Some((opcode, self.ty(arg), self.root(inner))),
            _ => None,
        };
        match self.f.dfg.insts[inst].opcode() {
            Opcode::Band if is_vector(self.ty(args[0])) => match (of(args[0]), of(args[1])) {
                (_, Some((Opcode::Bnot, _, y))) => (Some(Folded::Not), SmallVec::from_slice(&[y, self.root(args[0])])),
                (Some((Opcode::Bnot, _, x)), _) => (Some(Folded::Not), SmallVec::from_slice(&[x, self.root(args[1])])),
                _ => (None, roots()),
            },
            Opcode::FcvtFromSint if self.ty(args[0]) == types::I64X2 => match of(args[0]) {
                Some((Opcode::SwidenLow, _, x)) if self.ty(x).lane_bits() != 64 => {
                    (Some(Folded::Widened), SmallVec::from_slice(&[x]))
                }
                _ => (None, roots()),
            },
            Opcode::Snarrow if self.vector_constant(args[1]) == Some(0) => match of(args[0]) {
                Some((Opcode::FcvtToSintSat, types::I64X2, x)) => (Some(Folded::Converted), SmallVec::from_slice(&[x])),
                _ => (None, roots()),
            },
            Opcode::Bitselect => match self.extreme([args[0], args[1], args[2]]) {
                Some((extreme, operands)) => (Some(extreme), SmallVec::from_slice(&operands)),
                None => (None, roots()),
            },
            _ => (None, roots()),
        }
    }

    /// `a < b ? a : b` and `a < b ? b : a` as the processor's minimum and maximum.
    fn extreme(&self, args: [Value; 3]) -> Option<(Folded, [Value; 2])> {
        let [mask, x, y] = args.map(|arg| self.root(arg));
        let Some(&InstructionData::FloatCompare { cond: FloatCC::LessThan, args: [a, b], .. }) = self.data(mask) else {
            return None;
        };
        let doubles = self.ty(a).lane_bits() == 64;
        let (a, b) = (self.root(a), self.root(b));
        match () {
            () if (x, y) == (a, b) => Some((Folded::Extreme { least: true, doubles }, [a, b])),
            () if (x, y) == (b, a) => Some((Folded::Extreme { least: false, doubles }, [b, a])),
            () => None,
        }
    }

    /// Whether 32-bit lanes are known to be at most 2^31 - 1 without a sign.
    pub(super) fn is_below_sign(&self, value: Value) -> bool {
        let value = self.root(value);
        match self.data(value) {
            Some(InstructionData::Binary { opcode: Opcode::Ushr, args }) => {
                self.ty(value) == types::I32X4 && self.constant(args[1]).is_some_and(|by| by & 31 != 0)
            }
            Some(InstructionData::Binary { opcode: Opcode::Band, args }) => args.iter().any(|&arg| {
                let signs = (0..4).fold(0, |all, lane| all | 1u128 << (32 * lane + 31));
                self.vector_constant(arg).is_some_and(|bits| bits & signs == 0)
            }),
            _ => false,
        }
    }

    /// Values that an instruction reads, looked through; a test reads the operands of its comparison.
    pub(super) fn reads(&self, inst: Inst) -> SmallVec<[Value; 4]> {
        let f = self.f;
        let data = &f.dfg.insts[inst];
        let mut reads = SmallVec::new();
        match data {
            InstructionData::Brif { arg, .. } => reads.extend(self.test_operands(*arg)),
            InstructionData::Ternary { opcode: Opcode::Select, args } => {
                reads.extend(self.test_operands(args[0]));
                reads.extend(args[1..].iter().map(|&arg| self.root(arg)));
            }
            InstructionData::Load { arg, offset, .. } => self.place_reads(*arg, i32::from(*offset), &mut reads),
            InstructionData::Store { args, offset, .. } => {
                reads.push(self.root(args[0]));
                self.place_reads(args[1], i32::from(*offset), &mut reads);
            }
            _ => reads.extend(self.operands(inst).1),
        }
        for destination in data.branch_destination(&f.dfg.jump_tables, &f.dfg.exception_tables) {
            let args = destination.args(&f.dfg.value_lists);
            reads.extend(args.filter_map(|arg| arg.as_value()).map(|arg| self.root(arg)));
        }
        reads
    }

    fn place_reads(&self, address: Value, offset: i32, reads: &mut SmallVec<[Value; 4]>) {
        let place = self.place(address, offset);
        reads.extend(place.base.ok());
        reads.extend(place.index);
    }

    fn find_live(&mut self) {
        let f = self.f;
        let mut needed: SecondaryMap<Value, bool> = SecondaryMap::new();
        let blocks: Vec<_> = f.layout.blocks().collect();
        for &block in blocks.iter().rev() {
            let insts: Vec<Inst> = f.layout.block_insts(block).collect();
            for &inst in insts.iter().rev() {
                let data = &f.dfg.insts[inst];
                let opcode = data.opcode();
                let faults = match data {
                    InstructionData::Load { flags, .. } => self.flags(*flags).trap_code().is_some(),
                    _ => false,
                };
                let acts = faults
                    || opcode.is_terminator()
                    || opcode.is_branch()
                    || opcode.is_call()
                    || opcode.can_store()
                    || opcode == Opcode::AtomicLoad;
                if acts || f.dfg.inst_results(inst).iter().any(|&value| needed[value]) {
                    self.live[inst] = true;
                    for read in self.reads(inst) {
                        needed[read] = true;
                    }
                }
            }
        }
    }
}
