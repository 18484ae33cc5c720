//! Two operations on 128 bits that are one on 256: the lower and the upper half of the lanes.
//!
//! ```text
//!  a = load p          b = load p + 16          ab = load p                     32 bytes
//!  c = fmul a, k       d = fmul b, k            cd = fmul ab, kk                one instruction
//!  e = insertlane …    f = insertlane …         e, f as before                  no such instruction
//!  g = fadd c, e       h = fadd d, f            gh = fadd cd, pack(e, f)
//! ```
//!
//! Lowering writes each operation on lanes as one for every 128 bits. Where those are among the others is not known. So each value gets
//! the number of its computation, the same for both halves, and a side: those of loads side by side, of parameters and of results of
//! calls, from where they spread to all that is computed from them, lane by lane, too. Instructions with one number and both sides
//! are a pair. A pair need not be found for the code to be right, nor be useful.
//!
//! ```text
//!  a: 1 lower   b: 1 upper   c = fmul a, k: 2 lower   e = fadd c, c: 3 lower   d = fmul b, k: 2 upper   …
//! ```

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Inst, InstructionData, Opcode, Type, Value, types};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};

use super::values::{Folded, Place, Values, is_vector};

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

/// An instruction without the side that it works on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    opcode: Opcode,
    ty: Type,
    folded: Option<Folded>,
    /// Condition, lane, mask of a shuffle, constant.
    detail: u64,
    /// Numbers of the operands.
    operands: SmallVec<[u32; 4]>,
}

/// The half that a value is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Lower,
    Upper,
    /// It is the same for both.
    Any,
    /// Both.
    Mixed,
}

impl Side {
    /// That of a value that is computed from two others.
    fn and(self, other: Side) -> Side {
        match (self, other) {
            (Side::Any, side) | (side, Side::Any) => side,
            (x, y) if x == y => x,
            _ => Side::Mixed,
        }
    }
}

/// The number of a value's computation, and its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Number {
    number: u32,
    side: Side,
}

impl Pairs {
    pub(super) fn new(values: &Values<'_>) -> Self {
        let mut finder = Finder {
            values,
            pairs: Pairs::default(),
            uses: uses(values),
            edges: edges(values),
            numbers: SecondaryMap::new(),
            known: FxHashMap::default(),
            count: 0,
        };
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
            for &arg in values.f.dfg.inst_args(inst) {
                let mut hasher = FxHasher::default();
                (data.opcode(), detail(values, data)).hash(&mut hasher);
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
        InstructionData::UnaryImm { imm, .. } => imm.hash(&mut hasher),
        InstructionData::UnaryIeee32 { imm, .. } => imm.bits().hash(&mut hasher),
        InstructionData::UnaryIeee64 { imm, .. } => imm.bits().hash(&mut hasher),
        // Lanes may have constants of their own, which differ from one half to the other.
        InstructionData::UnaryConst { constant_handle, .. } => {
            let bytes = values.f.dfg.constants.get(constant_handle).as_slice();
            if bytes.chunks(4).all(|lane| lane == &bytes[..4]) || bytes.chunks(8).all(|lane| lane == &bytes[..8]) {
                bytes.hash(&mut hasher);
            }
        }
        InstructionData::Load { offset, .. } => i32::from(offset).hash(&mut hasher),
        _ => {}
    }
    hasher.finish()
}

struct Finder<'v, 'f> {
    values: &'v Values<'f>,
    pairs: Pairs,
    uses: SecondaryMap<Value, u64>,
    edges: FxHashMap<Block, Vec<Vec<Value>>>,
    numbers: SecondaryMap<Value, Option<Number>>,
    known: FxHashMap<Key, u32>,
    /// Number of numbers.
    count: u32,
}

/// Instructions of a block by number, that wait for one of the other side.
#[derive(Default)]
struct Waiting {
    lower: FxHashMap<u32, VecDeque<Inst>>,
    upper: FxHashMap<u32, VecDeque<Inst>>,
}

impl Finder<'_, '_> {
    fn new_number(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    /// The number of a value; one of its own if its computation is not known.
    fn number(&mut self, value: Value) -> Number {
        if let Some(found) = self.numbers[value] {
            return found;
        }
        let number = Number { number: self.new_number(), side: Side::Any };
        self.numbers[value] = Some(number);
        number
    }

    /// Makes two values a pair that nothing is known of before.
    fn found(&mut self, lower: Value, upper: Value) {
        self.pairs.add(lower, upper);
        let number = self.new_number();
        self.numbers[lower] = Some(Number { number, side: Side::Lower });
        self.numbers[upper] = Some(Number { number, side: Side::Upper });
    }

    /// Parameters side by side.
    fn params(&mut self, block: Block) {
        let params = self.values.f.dfg.block_params(block);
        let is_entry = self.values.f.layout.entry_block() == Some(block);
        let vectors: Vec<usize> = (0..params.len()).filter(|&i| is_vector(self.values.ty(params[i]))).collect();
        let mut at = 0;
        while at + 1 < vectors.len() {
            let [i, j] = [vectors[at], vectors[at + 1]];
            if j == i + 1 && (is_entry || self.match_params(block, i, [params[i], params[j]])) {
                self.found(params[i], params[j]);
                at += 2;
            } else {
                at += 1;
            }
        }
    }

    fn match_params(&self, block: Block, i: usize, [x, y]: [Value; 2]) -> bool {
        let mut known = false;
        for args in self.edges.get(&block).into_iter().flatten() {
            let [a, b] = [args[i], args[i + 1]].map(|arg| self.numbers[arg]);
            let side = |number: Option<Number>| number.map_or(Side::Any, |number| number.side);
            if side(a) == Side::Upper || side(b) == Side::Lower {
                return false;
            }
            known |= side(a) == Side::Lower
                && side(b) == Side::Upper
                && a.map(|number| number.number) == b.map(|number| number.number);
        }
        known || self.uses[x] == self.uses[y]
    }

    fn instructions(&mut self, block: Block) {
        let f = self.values.f;
        let insts: Vec<Inst> = f.layout.block_insts(block).filter(|&inst| self.values.live[inst]).collect();
        self.loads(&insts);
        let mut waiting = Waiting::default();
        let mut stores: Vec<(Place, Inst)> = Vec::new();
        for inst in insts {
            let data = &f.dfg.insts[inst];
            match *data {
                InstructionData::Store { opcode: Opcode::Store, args, offset, .. } => {
                    let place = self.values.numbered_place(args[1], offset.into());
                    self.store(inst, self.values.root(args[0]), place, &mut stores);
                }
                _ if data.opcode().is_call() => self.results(f.dfg.inst_results(inst)),
                _ => self.computation(inst, data, &mut waiting),
            }
        }
    }

    fn join(&mut self, lower: Inst, upper: Inst) {
        self.pairs.partners[lower] = Some((upper, false));
        self.pairs.partners[upper] = Some((lower, true));
        self.pairs.count += 1;
    }

    /// Loads 16 bytes after another one. Of pairs that begin at each load, the first one is taken; of several loads from one place, between
    /// which it may have been written, the nearest.
    fn loads(&mut self, insts: &[Inst]) {
        let f = self.values.f;
        let mut loads: FxHashMap<Place, Vec<(usize, Inst)>> = FxHashMap::default();
        let mut places: Vec<(Place, usize, Inst)> = Vec::new();
        for (i, &inst) in insts.iter().enumerate() {
            let InstructionData::Load { opcode: Opcode::Load, arg, offset, .. } = f.dfg.insts[inst] else { continue };
            if is_vector(self.values.ty(f.dfg.first_result(inst))) {
                let place = self.values.numbered_place(arg, offset.into());
                loads.entry(place).or_default().push((i, inst));
                places.push((place, i, inst));
            }
        }
        places.sort_by_key(|(place, ..)| place.offset);
        let stop = |inst: Inst| self.values.fault(inst).map(|(_, stop)| stop);
        for (place, i, lower) in places {
            let next = Place { offset: place.offset + 16, ..place };
            let nearest = |all: &Vec<(usize, Inst)>| all.iter().min_by_key(|(j, _)| i.abs_diff(*j)).copied();
            let Some((_, upper)) = loads.get(&next).and_then(nearest) else { continue };
            let [x, y] = [lower, upper].map(|inst| f.dfg.first_result(inst));
            if [x, y].iter().all(|&value| self.pairs.halves[value].is_none()) {
                self.found(x, y);
                // A fault of both is that of either one; else they stay two loads.
                if stop(lower) == stop(upper) {
                    self.join(lower, upper);
                }
            }
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
        let mut i = 0;
        while i + 1 < results.len() {
            if results[i..i + 2].iter().all(|&result| is_vector(self.values.ty(result))) {
                self.found(results[i], results[i + 1]);
                i += 1;
            }
            i += 1;
        }
    }

    /// Gives the result of a computation its number and side, and looks for the other half.
    fn computation(&mut self, inst: Inst, data: &InstructionData, waiting: &mut Waiting) {
        let f = self.values.f;
        let &[result] = f.dfg.inst_results(inst) else { return };
        if self.values.root(result) != result || self.numbers[result].is_some() {
            return;
        }
        let mut side = Side::Any;
        let (mut operands, mut folded) = (SmallVec::new(), None);
        let args: SmallVec<[Value; 4]> = match *data {
            InstructionData::Load { arg, offset, .. } => {
                let place = self.values.numbered_place(arg, offset.into());
                place.base.ok().into_iter().chain(place.index).collect()
            }
            _ => {
                let (is, operands) = self.values.operands(inst);
                folded = is;
                operands
            }
        };
        for arg in args {
            let Number { number, side: of } = self.number(arg);
            side = side.and(of);
            operands.push(number);
        }
        let (opcode, ty) = (data.opcode(), self.values.ty(result));
        let key = Key { opcode, ty, folded, detail: detail(self.values, data), operands };
        let next = self.count + 1;
        let number = *self.known.entry(key).or_insert(next);
        self.count = self.count.max(number);
        self.numbers[result] = Some(Number { number, side });
        if !can_pair(self.values, inst, data) {
            return;
        }
        let (same, others) = match side {
            Side::Lower => (&mut waiting.lower, &mut waiting.upper),
            Side::Upper => (&mut waiting.upper, &mut waiting.lower),
            Side::Any | Side::Mixed => return,
        };
        let Some(other) = others.get_mut(&number).and_then(VecDeque::pop_front) else {
            return same.entry(number).or_default().push_back(inst);
        };
        let [lower, upper] = if side == Side::Upper { [other, inst] } else { [inst, other] };
        self.join(lower, upper);
        self.pairs.add(f.dfg.first_result(lower), f.dfg.first_result(upper));
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
        FcvtFromSint | Snarrow => words || values.operands(inst).0.is_some(),
        FcvtFromUint | FcvtToSintSat | FcvtToUintSat | X86Cvtt2dq => words,
        Shuffle | FvpromoteLow | Fvdemote => true,
        _ => false,
    }
}
