//! Two operations on 128 bits that are one on 256: the lower and the upper half of the lanes.
//!
//! ```text
//!  a = load p          b = load p + 16          ab = load p                     32 bytes
//!  c = fmul a, k       d = fmul b, k            cd = fmul ab, kk                one instruction
//!  e = insertlane …    f = insertlane …         e, f as before                  no such instruction
//!  g = fadd c, e       h = fadd d, f            gh = fadd cd, pack(e, f)
//! ```
//!
//! Lowering writes each operation on lanes as one for every 128 bits, in order. Functions are read forwards: parameters of a block
//! are pairs where they lie side by side and are read and passed alike; two instructions of a block are, if they do the same to
//! both halves of their operands. A pair need not be found for the code to be right, nor be useful.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Inst, InstructionData, Opcode, Value, types};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};

use super::values::{Place, Values, is_vector};

/// Half of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Half {
    pub(super) pair: u32,
    pub(super) upper: bool,
}

/// The pairs of a function.
#[derive(Default)]
pub(super) struct Pairs {
    /// Lower and upper halves by number.
    pub(super) all: Vec<[Value; 2]>,
    /// By value: the half that it is.
    pub(super) halves: SecondaryMap<Value, Option<Half>>,
    /// By instruction: the other one of its pair; lower and upper.
    pub(super) partners: SecondaryMap<Inst, Option<(Inst, bool)>>,
    /// Number of pairs of instructions.
    pub(super) count: usize,
}

/// An operand of an instruction, equal for both instructions of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operand {
    Pair(u32),
    Same(Value),
    Constant(u128),
    /// A value in no pair, by the opcode of its definition.
    Other(Option<Opcode>),
}

/// An instruction without the half that it works on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    opcode: Opcode,
    ty: cranelift_codegen::ir::Type,
    /// Condition, lane, shape of a shuffle.
    detail: u64,
    operands: SmallVec<[Operand; 3]>,
}

/// The half that an instruction works on, as far as its operands tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
    Any,
}

impl Pairs {
    pub(super) fn new(values: &Values<'_>) -> Self {
        let mut finder = Finder { values, pairs: Pairs::default(), uses: uses(values), edges: edges(values) };
        for block in values.f.layout.blocks() {
            finder.params(block);
            finder.instructions(block);
        }
        finder.pairs
    }

    /// The pair of which two values are the halves.
    pub(super) fn of(&self, lower: Value, upper: Value) -> Option<u32> {
        match (self.halves[lower], self.halves[upper]) {
            (Some(Half { pair, upper: false }), Some(Half { pair: other, upper: true })) if pair == other => Some(pair),
            _ => None,
        }
    }

    fn add(&mut self, lower: Value, upper: Value) {
        debug_assert!(self.halves[lower].is_none() && self.halves[upper].is_none(), "a value is in one pair");
        let pair = self.all.len() as u32;
        self.all.push([lower, upper]);
        self.halves[lower] = Some(Half { pair, upper: false });
        self.halves[upper] = Some(Half { pair, upper: true });
    }

    /// Gives up that two instructions are one.
    pub(super) fn dissolve(&mut self, values: &Values<'_>, inst: Inst) {
        let Some((other, _)) = self.partners[inst].take() else { return };
        self.partners[other] = None;
        self.count -= 1;
        for inst in [inst, other] {
            for &result in values.f.dfg.inst_results(inst) {
                self.halves[result] = None;
            }
        }
    }
}

/// A hash of the reads of each vector, the same for halves of a pair.
fn uses(values: &Values<'_>) -> SecondaryMap<Value, u64> {
    let mut uses: SecondaryMap<Value, u64> = SecondaryMap::new();
    for block in values.f.layout.blocks() {
        for inst in values.f.layout.block_insts(block).filter(|&inst| values.live[inst]) {
            let data = &values.f.dfg.insts[inst];
            if data.opcode().is_branch() {
                continue;
            }
            for (i, &arg) in values.f.dfg.inst_args(inst).iter().enumerate() {
                let mut hasher = FxHasher::default();
                (data.opcode(), detail(values, data), i).hash(&mut hasher);
                let at = values.root(arg);
                uses[at] = uses[at].wrapping_add(hasher.finish());
            }
        }
    }
    uses
}

/// By block: the arguments of its edges from blocks before it in the layout, vectors looked through.
fn edges(values: &Values<'_>) -> FxHashMap<Block, Vec<Vec<Value>>> {
    let f = values.f;
    let mut edges: FxHashMap<Block, Vec<Vec<Value>>> = FxHashMap::default();
    for block in f.layout.blocks() {
        let Some(last) = f.layout.last_inst(block) else { continue };
        let data = &f.dfg.insts[last];
        for call in data.branch_destination(&f.dfg.jump_tables, &f.dfg.exception_tables) {
            let args = call.args(&f.dfg.value_lists).filter_map(|arg| arg.as_value()).map(|arg| values.root(arg));
            edges.entry(call.block(&f.dfg.value_lists)).or_default().push(args.collect());
        }
    }
    edges
}

/// The part of an instruction besides opcode, type and operands.
fn detail(values: &Values<'_>, data: &InstructionData) -> u64 {
    let mut hasher = FxHasher::default();
    match *data {
        InstructionData::IntCompare { cond, .. } => cond.hash(&mut hasher),
        InstructionData::FloatCompare { cond, .. } => cond.hash(&mut hasher),
        InstructionData::BinaryImm8 { imm, .. } | InstructionData::TernaryImm8 { imm, .. } => imm.hash(&mut hasher),
        InstructionData::Shuffle { imm, .. } => {
            values.f.dfg.immediates[imm].as_slice().hash(&mut hasher);
        }
        _ => {}
    }
    hasher.finish()
}

struct Finder<'v, 'f> {
    values: &'v Values<'f>,
    pairs: Pairs,
    uses: SecondaryMap<Value, u64>,
    edges: FxHashMap<Block, Vec<Vec<Value>>>,
}

impl Finder<'_, '_> {
    /// Parameters side by side.
    fn params(&mut self, block: Block) {
        let params = self.values.f.dfg.block_params(block);
        let is_entry = self.values.f.layout.entry_block() == Some(block);
        let vectors: Vec<usize> = (0..params.len()).filter(|&i| is_vector(self.values.ty(params[i]))).collect();
        let mut at = 0;
        while at + 1 < vectors.len() {
            let [i, j] = [vectors[at], vectors[at + 1]];
            if j == i + 1 && (is_entry || self.match_params(block, i, [params[i], params[j]])) {
                self.pairs.add(params[i], params[j]);
                at += 2;
            } else {
                at += 1;
            }
        }
    }

    fn match_params(&self, block: Block, i: usize, [x, y]: [Value; 2]) -> bool {
        let same_uses = self.uses[x] == self.uses[y];
        let mut known = false;
        for args in self.edges.get(&block).into_iter().flatten() {
            let [a, b] = [args[i], args[i + 1]];
            if self.pairs.of(a, b).is_some() {
                known = true;
                continue;
            }
            if self.pairs.halves[a].is_some() || self.pairs.halves[b].is_some() {
                return false;
            }
        }
        known || same_uses
    }

    fn instructions(&mut self, block: Block) {
        let f = self.values.f;
        let mut lower: FxHashMap<Key, Vec<Inst>> = FxHashMap::default();
        let mut loads: FxHashMap<Place, Inst> = FxHashMap::default();
        let mut stores: Vec<(Place, Inst)> = Vec::new();
        for inst in f.layout.block_insts(block).filter(|&inst| self.values.live[inst]) {
            match f.dfg.insts[inst] {
                InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } => {
                    if is_vector(self.values.ty(f.dfg.first_result(inst))) {
                        self.load(inst, self.values.numbered_place(arg, offset.into()), &mut loads);
                    }
                }
                InstructionData::Store { opcode: Opcode::Store, args, offset, .. } => {
                    let place = self.values.numbered_place(args[1], offset.into());
                    self.store(inst, self.values.root(args[0]), place, &mut stores);
                }
                ref data if data.opcode().is_call() => self.results(f.dfg.inst_results(inst)),
                ref data => {
                    if can_pair(self.values, inst, data) {
                        self.operation(inst, &mut lower);
                    }
                }
            }
        }
    }

    fn join(&mut self, lower: Inst, upper: Inst) {
        self.pairs.partners[lower] = Some((upper, false));
        self.pairs.partners[upper] = Some((lower, true));
        self.pairs.count += 1;
    }

    /// A load 16 bytes after, or before, another one.
    fn load(&mut self, inst: Inst, place: Place, loads: &mut FxHashMap<Place, Inst>) {
        let f = self.values.f;
        let at = |bytes: i64| Place { offset: place.offset + bytes, ..place };
        let free = |this: &Self, other: Option<&Inst>| {
            let is_free = |&i: &Inst| this.pairs.halves[f.dfg.first_result(i)].is_none();
            other.copied().filter(|i| this.pairs.partners[*i].is_none() && is_free(i))
        };
        // Places of lanes begin at multiples of their size, so the first one found is the right one.
        let stop = |inst: Inst| self.values.fault(inst).map(|(_, stop)| stop);
        let pair = match (free(self, loads.get(&at(-16))), free(self, loads.get(&at(16)))) {
            (Some(before), _) => Some([before, inst]),
            (None, Some(after)) => Some([inst, after]),
            _ => None,
        };
        // A fault of both is that of either one.
        let pair = pair.filter(|&[lower, upper]| stop(lower) == stop(upper));
        loads.insert(place, inst);
        if let Some([lower, upper]) = pair {
            self.join(lower, upper);
            self.pairs.add(f.dfg.first_result(lower), f.dfg.first_result(upper));
        }
    }

    /// Stores of both halves of a pair side by side. Of those that may fault, the first one has an effect although the second one
    /// faults.
    fn store(&mut self, inst: Inst, value: Value, place: Place, stores: &mut Vec<(Place, Inst)>) {
        let Some(half) = self.pairs.halves[value].filter(|_| self.values.fault(inst).is_none()) else { return };
        let f = self.values.f;
        let wanted = if half.upper { -16 } else { 16 };
        let found = stores.iter().rev().take(16).find(|&&(other, before)| {
            let InstructionData::Store { args, .. } = f.dfg.insts[before] else { return false };
            let other_half = self.pairs.halves[self.values.root(args[0])];
            other == Place { offset: place.offset + wanted, ..place }
                && other_half == Some(Half { pair: half.pair, upper: !half.upper })
                && self.pairs.partners[before].is_none()
        });
        match found {
            Some(&(_, before)) if half.upper => self.join(before, inst),
            Some(&(_, before)) => self.join(inst, before),
            None => {}
        }
        stores.push((place, inst));
    }

    /// Results of a call, side by side.
    fn results(&mut self, results: &[Value]) {
        let vectors: Vec<Value> = results.iter().copied().filter(|&v| is_vector(self.values.ty(v))).collect();
        let mut at = 0;
        while at + 1 < vectors.len() {
            if self.uses[vectors[at]] == self.uses[vectors[at + 1]] {
                self.pairs.add(vectors[at], vectors[at + 1]);
                at += 2;
            } else {
                at += 1;
            }
        }
    }

    /// The operands of an instruction, and the half that it works on; with values that are in no pair by their opcodes if `others`.
    fn key(&self, inst: Inst, others: bool) -> Option<(Key, Side)> {
        let f = self.values.f;
        let data = &f.dfg.insts[inst];
        let mut side = Side::Any;
        let mut operands = SmallVec::new();
        let mut has_others = false;
        for &arg in f.dfg.inst_args(inst) {
            let arg = self.values.root(arg);
            let operand = match self.pairs.halves[arg] {
                Some(Half { pair, upper }) => {
                    let this = if upper { Side::Upper } else { Side::Lower };
                    if side != Side::Any && side != this {
                        return None;
                    }
                    side = this;
                    Operand::Pair(pair)
                }
                None => match self.values.vector_constant(arg) {
                    Some(bits) => Operand::Constant(bits),
                    None if others && self.is_other(arg) => {
                        has_others = true;
                        Operand::Other(self.values.data(arg).map(InstructionData::opcode))
                    }
                    None => Operand::Same(self.values.numbered(arg)),
                },
            };
            operands.push(operand);
        }
        if others && !has_others {
            return None;
        }
        let ty = f.dfg.ctrl_typevar(inst);
        let detail = detail(self.values, data);
        Some((Key { opcode: data.opcode(), ty, detail, operands }, side))
    }

    /// Whether a value in no pair may be half of one.
    fn is_other(&self, value: Value) -> bool {
        if !is_vector(self.values.ty(value)) {
            return false;
        }
        !matches!(self.values.data(value).map(InstructionData::opcode), Some(Opcode::Splat | Opcode::Vconst))
    }

    /// Looks for the lower half of an instruction.
    fn operation(&mut self, inst: Inst, lower: &mut FxHashMap<Key, Vec<Inst>>) {
        for others in [false, true] {
            let Some((key, side)) = self.key(inst, others) else { continue };
            if side == Side::Lower || side == Side::Any && others {
                // (Either half may come first; the lower one does, where lanes are split.)
                let found = if side == Side::Any { self.free(lower, &key, inst) } else { None };
                if let Some(before) = found {
                    return self.pair(before, inst, others);
                }
                lower.entry(key).or_default().push(inst);
                continue;
            }
            if side == Side::Upper
                && let Some(before) = self.free(lower, &key, inst)
            {
                return self.pair(before, inst, others);
            }
        }
    }

    /// The last instruction with a key that can be one with another.
    fn free(&self, lower: &FxHashMap<Key, Vec<Inst>>, key: &Key, upper: Inst) -> Option<Inst> {
        lower.get(key)?.iter().rev().copied().find(|&inst| self.can_join(inst, upper))
    }

    /// Whether two instructions are in no pair, and their results in none with others.
    fn can_join(&self, lower: Inst, upper: Inst) -> bool {
        let [x, y] = [lower, upper].map(|inst| self.values.f.dfg.first_result(inst));
        let is_free = |inst: Inst| self.pairs.partners[inst].is_none();
        let fits = self.pairs.of(x, y).is_some() || [x, y].iter().all(|&value| self.pairs.halves[value].is_none());
        is_free(lower) && is_free(upper) && fits
    }

    fn pair(&mut self, lower: Inst, upper: Inst, others: bool) {
        let f = self.values.f;
        if others {
            // Values that come in no pair are one from now on, wherever they are read.
            let args = |inst: Inst| f.dfg.inst_args(inst).iter().map(|&arg| self.values.root(arg));
            let halves: SmallVec<[(Value, Value); 3]> = args(lower).zip(args(upper)).collect();
            for (x, y) in halves {
                let free = self.pairs.halves[x].is_none() && self.pairs.halves[y].is_none();
                if x != y && free && self.is_other(x) && self.is_other(y) {
                    self.pairs.add(x, y);
                }
            }
        }
        // (One of them may read the other one.)
        if !self.can_join(lower, upper) {
            return;
        }
        self.join(lower, upper);
        let [x, y] = [lower, upper].map(|inst| f.dfg.first_result(inst));
        if self.pairs.of(x, y).is_none() {
            self.pairs.add(x, y);
        }
    }
}

/// Whether two of an instruction are one on 256 bits.
fn can_pair(values: &Values<'_>, inst: Inst, data: &InstructionData) -> bool {
    use Opcode::*;
    let Some(&result) = values.f.dfg.inst_results(inst).first() else { return false };
    let ty = values.ty(result);
    if !is_vector(ty) {
        return false;
    }
    let words = matches!(ty, types::I32X4 | types::F32X4);
    match data.opcode() {
        Fadd | Fsub | Fmul | Fdiv | Fmin | Fmax | Sqrt | Floor | Ceil | Trunc | Nearest | Fabs | Fneg | Fcmp => true,
        Band | Bor | Bxor | Bnot | Bitselect | Blendv | Select => true,
        Iadd | Isub | Ineg => words || ty == types::I64X2,
        Icmp | Imul | Iabs | Smin | Smax | Umin | Umax => words,
        Ishl | Ushr => words || ty == types::I64X2,
        Sshr => words,
        FcvtFromSint | FcvtFromUint | FcvtToSintSat | FcvtToUintSat => words,
        Shuffle | FvpromoteLow | Fvdemote => true,
        _ => false,
    }
}
