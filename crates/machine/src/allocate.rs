//! Register allocation: a linear scan over intervals, with an unlimited number of registers.
//!
//! Two phases, because a callee's frame begins right after the values that are live across its call:
//!
//! 1. parameters (in the caller's registers), slots, and the values that are live across a call. When the scan reaches
//!    a call, all of them have registers, so the callee's frame is known;
//! 2. all other values, in the gaps, with the frames of callees as hints for arguments.
//!
//! A value is allocated to the register that its last reader prefers (a loop's or label's input, an argument of a call,
//! a return slot), else to that of its source (the callee's result, the edges' arguments), else to the lowest register
//! that is free for its interval. The register of a loop's input is *held* until the loop ends: between the input's
//! last reader and the back edge only the next iteration's value may use it.
//!
//! If a value is defined right before the edge that passes it to an input, and the preferred register holds a value of
//! the other arm of an `if`, it *borrows* the register: on this path the other value is dead.
//!
//! Each value is visited a bounded number of times; expiring values are in a list for each node.

use crate::code::{Arg, ArgKind, Code, NONE, RETURN, What};
use crate::isa::{Frame, Isa, Kind, Reg};
use crate::liveness::{Hint, Liveness};

/// Result of the allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocation {
    /// First register of each needed value.
    pub(crate) regs: Vec<u32>,
    /// First register of each callee's frame, in the order of the calls.
    pub(crate) bases: Vec<u32>,
    /// Size of the frame in words.
    pub(crate) frame: u32,
    /// By node, the first of the values that end there; linked list by value.
    pub(crate) ending: Vec<u32>,
    pub(crate) next_ending: Vec<u32>,
    registers: Registers,
    /// By input of a label: the register of its first edge's argument.
    wanted: Vec<u32>,
    /// By value: flags, a set of the constants below.
    flags: Vec<u8>,
    /// By register: the node up to which it is lent to a borrowing value.
    lent: Vec<u32>,
    /// By node: whether an interval of the first phase begins, ends or rests there.
    concerned: Vec<bool>,
    /// By node, the first of the loop inputs that rest from there on; linked list by value.
    resting: Vec<u32>,
    next_resting: Vec<u32>,
}

/// State of the registers at one node.
#[derive(Clone, Debug, Default)]
struct Registers {
    /// Bit set of registers that hold a value or are held for one.
    busy: Vec<u64>,
    /// The loop input for which a register is held; with [`TAKEN`] while another value occupies it.
    held: Vec<u32>,
    /// By register: its next interval of the first phase, an index into `fixed`.
    next_fixed: Vec<u32>,
    last_fixed: Vec<u32>,
    /// Start of an interval, and the next one of the same register.
    fixed: Vec<(u32, u32)>,
    /// All words of `busy` below this index are full.
    gaps_from: usize,
    /// One past the highest register ever used.
    top: u32,
}

/// The value was allocated in the first phase.
const EARLY: u8 = 1;
/// It borrows the register of another value.
const BORROWS: u8 = 2;
/// It was allocated to a register held for another value.
const SITS_IN_HELD: u8 = 4;
/// It is an input of a loop.
const LOOP_INPUT: u8 = 8;

/// The held register is occupied.
const TAKEN: u32 = 1 << 31;

/// Maximum number of edges searched for a register, and of nodes searched for an interference.
const MAX_EDGES: usize = 4;
const MAX_NODES: usize = 16;

/// Maximum number of gaps probed before a fresh register is allocated.
const MAX_TRIES: u32 = 48;

impl Registers {
    fn clear(&mut self) {
        self.busy.clear();
        self.held.clear();
        self.next_fixed.clear();
        self.last_fixed.clear();
        self.fixed.clear();
        (self.gaps_from, self.top) = (0, 0);
    }

    /// Frees all registers, as before the scan, but keeps the intervals of the first phase.
    fn rewind(&mut self) {
        self.busy.fill(0);
        self.held.fill(NONE);
        self.gaps_from = 0;
    }

    #[inline]
    fn grow(&mut self, end: u32) {
        if end as usize > self.held.len() {
            self.grow_tables(end as usize);
        }
        self.top = self.top.max(end);
    }

    #[cold]
    fn grow_tables(&mut self, end: usize) {
        let len = end.next_multiple_of(64);
        self.busy.resize(len / 64, 0);
        self.held.resize(len, NONE);
        self.next_fixed.resize(len, NONE);
        self.last_fixed.resize(len, NONE);
    }

    #[inline]
    fn is_busy(&self, r: u32) -> bool {
        self.busy.get(r as usize / 64).is_some_and(|word| word >> (r % 64) & 1 != 0)
    }

    /// Whether one of the registers was held.
    #[inline]
    fn take(&mut self, reg: u32, words: u32) -> bool {
        self.grow(reg + words);
        let mut was_held = false;
        for r in reg..reg + words {
            self.busy[r as usize / 64] |= 1 << (r % 64);
            let held = &mut self.held[r as usize];
            was_held |= *held != NONE;
            // (Held registers stay held.)
            *held |= TAKEN;
        }
        was_held
    }

    #[inline]
    fn free(&mut self, reg: u32, words: u32) {
        for r in reg..reg + words {
            let held = &mut self.held[r as usize];
            if *held != NONE {
                *held &= !TAKEN;
            } else {
                self.busy[r as usize / 64] &= !(1 << (r % 64));
                self.gaps_from = self.gaps_from.min(r as usize / 64);
            }
        }
    }

    /// Whether the registers have no interval of the first phase before `end`.
    #[inline]
    fn is_unfixed(&self, reg: u32, words: u32, end: u32) -> bool {
        (reg..reg + words).all(|r| {
            let next = self.next_fixed.get(r as usize).copied().unwrap_or(NONE);
            next == NONE || self.fixed[next as usize].0 >= end
        })
    }

    #[inline]
    fn fits(&self, reg: u32, words: u32, end: u32) -> bool {
        (reg..reg + words).all(|r| !self.is_busy(r)) && self.is_unfixed(reg, words, end)
    }

    /// The lowest registers that are free until `end`.
    fn lowest(&mut self, words: u32, end: u32) -> u32 {
        while self.busy.get(self.gaps_from) == Some(&u64::MAX) {
            self.gaps_from += 1;
        }
        let mut tries = 0;
        for k in self.gaps_from..self.busy.len() {
            let mut gaps = !self.busy[k];
            while gaps != 0 {
                let reg = k as u32 * 64 + gaps.trailing_zeros();
                if (1..words).all(|j| !self.is_busy(reg + j)) && self.is_unfixed(reg, words, end) {
                    return reg;
                }
                gaps &= gaps - 1;
                tries += 1;
                if tries > MAX_TRIES {
                    return self.top;
                }
            }
        }
        self.busy.len() as u32 * 64
    }

    fn fix(&mut self, reg: u32, words: u32, start: u32) {
        for r in reg..reg + words {
            let entry = self.fixed.len() as u32;
            self.fixed.push((start, NONE));
            match std::mem::replace(&mut self.last_fixed[r as usize], entry) {
                NONE => self.next_fixed[r as usize] = entry,
                last => self.fixed[last as usize].1 = entry,
            }
        }
    }

    fn unfix(&mut self, reg: u32, words: u32) {
        for r in reg..reg + words {
            let entry = self.next_fixed[r as usize];
            self.next_fixed[r as usize] = self.fixed[entry as usize].1;
        }
    }

    fn highest(&self) -> u32 {
        let word = self.busy.iter().rposition(|&word| word != 0);
        word.map_or(0, |k| k as u32 * 64 + 64 - self.busy[k].leading_zeros())
    }
}

/// Order of allocation of several results of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// A single result.
    Only,
    /// Results with a preference.
    Preferred,
    /// Results without a preference.
    Rest,
}

/// Phase of the allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    First,
    Second,
}

impl Allocation {
    /// Allocates registers. `code` has been analyzed by [`Liveness`].
    pub(crate) fn run<I: Isa>(&mut self, isa: &I, code: &Code, live: &Liveness) {
        let n = code.values.len();
        for table in [&mut self.regs, &mut self.wanted, &mut self.next_ending, &mut self.next_resting] {
            table.clear();
            table.resize(n, NONE);
        }
        self.lent.clear();
        self.flags.clear();
        self.flags.resize(n, 0);
        for label in code.labels.iter().filter(|label| label.end > 0) {
            self.flags[label.inputs as usize..][..label.inputs_len as usize].fill(LOOP_INPUT);
        }
        self.bases.clear();
        self.registers.clear();
        self.list_ends(code, live);
        self.registers.grow(code.arg_words.max(code.result_words) + I::PRELUDE_WORDS);
        self.place_fixed::<I>(code, live);
        if code.has_calls {
            self.scan(isa, code, live, Phase::First);
        }
        self.registers.rewind();
        self.scan(isa, code, live, Phase::Second);
        self.frame = self.registers.top;
    }

    /// A value without readers ends after its node.
    fn list_ends(&mut self, code: &Code, live: &Liveness) {
        self.ending.clear();
        self.ending.resize(code.nodes.len() + 1, NONE);
        self.resting.clear();
        self.resting.resize(code.nodes.len() + 1, NONE);
        self.concerned.clear();
        self.concerned.resize(code.nodes.len() + 1, false);
        for (v, &rest) in live.rests.iter().enumerate() {
            if rest != NONE {
                self.concerned[rest as usize] = true;
                self.next_resting[v] = std::mem::replace(&mut self.resting[rest as usize], v as u32);
            }
        }
        for (v, (data, &end)) in code.values.iter().zip(&live.ends).enumerate() {
            if end == 0 || data.kind == Kind::None {
                continue;
            }
            self.next_ending[v] = std::mem::replace(&mut self.ending[end as usize], v as u32);
            if code.has_calls && (data.node == 0 || crosses(live, data.node, end)) {
                self.concerned[data.node as usize] = true;
                self.concerned[end as usize] = true;
            }
        }
    }

    fn has(&self, v: u32, flag: u8) -> bool {
        self.flags[v as usize] & flag != 0
    }

    /// Whether a value borrows the register of another one.
    #[inline]
    pub(crate) fn borrows(&self, v: u32) -> bool {
        self.has(v, BORROWS)
    }

    /// Allocates parameters and slots.
    fn place_fixed<I: Isa>(&mut self, code: &Code, live: &Liveness) {
        let inputs = &code.nodes[0];
        let mut reg = 0;
        for v in inputs.outs..inputs.outs + u32::from(inputs.outs_len) {
            if live.uses[v as usize] > 0 {
                self.regs[v as usize] = reg;
                self.flags[v as usize] |= EARLY;
            }
            reg += code.values[v as usize].words;
        }
        reg = code.arg_words.max(code.result_words) + I::PRELUDE_WORDS;
        for &slot in &code.slots {
            self.regs[slot as usize] = reg;
            reg += code.values[slot as usize].words;
        }
        self.registers.grow(reg);
    }

    /// Reserves the prelude and the slots.
    fn take_fixed<I: Isa>(&mut self, code: &Code) {
        let prelude = code.arg_words.max(code.result_words);
        self.registers.take(prelude, I::PRELUDE_WORDS);
        for &slot in &code.slots {
            self.registers.take(self.regs[slot as usize], code.values[slot as usize].words);
        }
    }

    fn scan<I: Isa>(&mut self, isa: &I, code: &Code, live: &Liveness, phase: Phase) {
        self.take_fixed::<I>(code);
        for (i, node) in code.nodes.iter().enumerate() {
            let passed = phase == Phase::First && !self.concerned[i];
            let i = i as u32;
            if node.what == What::Nothing {
                self.release(code, i);
                continue;
            }
            if passed && !matches!(node.what, What::Call(_) | What::TailCall(_) | What::LoopEnd(_)) {
                continue;
            }
            let keeps_operands = node.what == What::Operation && isa.writes_early(node.op, node.operand, node.result);
            if !keeps_operands {
                self.release(code, i);
            }
            if phase == Phase::First && matches!(node.what, What::Call(_) | What::TailCall(_)) {
                self.bases.push(self.registers.highest());
            }
            let start = 2 * i + u32::from(!keeps_operands);
            match node.outs_len {
                0 => {}
                1 if !matches!(node.what, What::Call(_)) => {
                    self.result(code, live, phase, (i, start), node.outs, Pass::Only);
                }
                _ => self.results(code, live, phase, i, start),
            }
            if keeps_operands {
                self.release(code, i);
            }
            if let What::LoopEnd(label) = node.what {
                self.release_held(code, live, label);
            }
        }
        self.release(code, code.nodes.len() as u32);
    }

    /// Frees the registers of values that end at a node.
    #[inline]
    fn release(&mut self, code: &Code, i: u32) {
        let mut v = self.ending[i as usize];
        while v != NONE {
            let (reg, flags) = (self.regs[v as usize], self.flags[v as usize]);
            // In the first phase not every value has a register.
            if reg != NONE && flags & BORROWS == 0 {
                if flags & LOOP_INPUT != 0 {
                    self.hold(code, v, i);
                }
                self.registers.free(reg, code.values[v as usize].words);
            }
            v = self.next_ending[v as usize];
        }
        if self.resting[i as usize] != NONE {
            self.rest(code, i);
        }
    }

    /// Holds the registers of loop inputs that rest from a node on.
    fn rest(&mut self, code: &Code, i: u32) {
        let mut v = self.resting[i as usize];
        while v != NONE {
            if self.regs[v as usize] != NONE {
                self.hold(code, v, i);
            }
            v = self.next_resting[v as usize];
        }
    }

    /// Reserves the register of a loop's input for the value of the next iteration. If the register is already held for
    /// an outer loop, that reservation stays, and the input's next value may use it too.
    fn hold(&mut self, code: &Code, v: u32, i: u32) {
        if loop_end(code, v).is_none_or(|end| i >= end) {
            return;
        }
        let (reg, words) = (self.regs[v as usize], code.values[v as usize].words);
        for held in &mut self.registers.held[reg as usize..(reg + words) as usize] {
            *held = if *held == NONE { v } else { *held & !TAKEN };
        }
    }

    /// Ends the reservations of a loop. An input that is read after the loop occupies its register again.
    fn release_held(&mut self, code: &Code, live: &Liveness, label: u32) {
        let data = &code.labels[label as usize];
        for v in data.inputs..data.inputs + data.inputs_len {
            let (reg, words) = (self.regs[v as usize], code.values[v as usize].words);
            if reg == NONE || self.borrows(v) {
                continue;
            }
            let goes_on = live.ends[v as usize] > data.end;
            for r in reg..reg + words {
                let held = &mut self.registers.held[r as usize];
                if *held == v {
                    *held = NONE;
                    if !goes_on {
                        self.registers.free(r, 1);
                    }
                } else if *held == v | TAKEN {
                    // The next iteration's value is read after the loop.
                    *held = NONE;
                } else if *held != NONE && goes_on {
                    *held |= TAKEN;
                }
            }
        }
    }

    /// Whether the next iteration's value for an input may be in the input's register now.
    fn may_return(&self, input: u32, words: u32) -> bool {
        let reg = self.regs[input as usize] as usize;
        let held = self.registers.held.get(reg..reg + words as usize);
        held.is_some_and(|held| {
            held.iter().all(|&held| held == input || held != NONE && held & TAKEN == 0 && self.has(input, SITS_IN_HELD))
        })
    }

    /// Whether the value in the input's register for the next iteration may also leave the loop there: the input is not
    /// read after the loop, and no outer loop holds the register.
    fn may_leave(&self, live: &Liveness, input: u32, words: u32, last: u32) -> bool {
        let reg = self.regs[input as usize] as usize;
        let held = &self.registers.held[reg..reg + words as usize];
        live.ends[input as usize] <= last && held.iter().all(|&held| held == input)
    }

    /// Marks the register of a value as occupied.
    #[inline]
    fn occupy(&mut self, code: &Code, v: u32) {
        let (reg, words) = (self.regs[v as usize], code.values[v as usize].words);
        let flags = self.flags[v as usize] & !SITS_IN_HELD;
        let was_held = self.registers.take(reg, words);
        self.flags[v as usize] = if was_held { flags | SITS_IN_HELD } else { flags };
    }

    /// Allocates the results of a node with several, or of a call: first those with a preference.
    fn results(&mut self, code: &Code, live: &Liveness, phase: Phase, i: u32, start: u32) {
        let node = &code.nodes[i as usize];
        let outs = node.outs..node.outs + u32::from(node.outs_len);
        if let What::Call(_) = node.what {
            let mut wanted = self.bases.get(live.calls_before[i as usize] as usize).copied().unwrap_or(NONE);
            for v in outs.clone() {
                self.wanted[v as usize] = wanted;
                wanted = wanted.saturating_add(code.values[v as usize].words);
            }
        }
        for v in outs.clone() {
            self.result(code, live, phase, (i, start), v, Pass::Preferred);
        }
        for v in outs {
            self.result(code, live, phase, (i, start), v, Pass::Rest);
        }
    }

    /// Allocates a result of node `i`, whose interval begins at `start`.
    fn result(&mut self, code: &Code, live: &Liveness, phase: Phase, (i, start): (u32, u32), v: u32, pass: Pass) {
        let end = live.ends[v as usize];
        if end == 0 {
            return;
        }
        if self.regs[v as usize] != NONE {
            if pass != Pass::Rest && (phase == Phase::Second || i == 0) {
                self.begin_fixed(code, v, phase, start);
            }
            return;
        }
        if phase == Phase::First && !crosses(live, i, end) {
            return;
        }
        let (end, words) = (2 * end + 1, code.values[v as usize].words);
        let reg = match self.preferred(code, live, v, words, end) {
            Some(reg) => reg,
            None if pass == Pass::Preferred => return,
            None => {
                if let Some(reg) = self.borrow(code, live, v, i) {
                    self.regs[v as usize] = reg;
                    self.flags[v as usize] |= BORROWS;
                    self.lend(reg, words, live.ends[v as usize]);
                    return;
                }
                self.registers.lowest(words, end)
            }
        };
        self.assign(code, live, v, reg);
        if phase == Phase::First {
            self.flags[v as usize] |= EARLY;
            self.registers.fix(reg, words, start);
        }
    }

    /// Starts the interval of a value that has its register already.
    fn begin_fixed(&mut self, code: &Code, v: u32, phase: Phase, start: u32) {
        let (reg, words) = (self.regs[v as usize], code.values[v as usize].words);
        if !self.has(v, EARLY) {
            return;
        }
        self.occupy(code, v);
        match phase {
            Phase::First => {}
            // Parameters are first: no interval precedes them.
            Phase::Second if start <= 1 => {}
            Phase::Second => self.registers.unfix(reg, words),
        }
    }

    #[inline]
    fn assign(&mut self, code: &Code, live: &Liveness, v: u32, reg: u32) {
        self.regs[v as usize] = reg;
        self.occupy(code, v);
        if let Hint::Input(input) | Hint::NextIteration(input) = live.hints[v as usize]
            && self.wanted[input as usize] == NONE
        {
            self.wanted[input as usize] = reg;
        }
    }

    /// The preferred register of a value, which saves a copy, if it is free.
    fn preferred(&self, code: &Code, live: &Liveness, v: u32, words: u32, end: u32) -> Option<u32> {
        let mut hint = live.hints[v as usize];
        // An input without a register passes on its own preference.
        for _ in 0..4 {
            let reg = match hint {
                Hint::None => NONE,
                Hint::Reg(reg) => reg,
                Hint::Frame(call, offset) => self.bases.get(call as usize).map_or(NONE, |base| base + offset),
                Hint::Input(input) | Hint::NextIteration(input) if self.regs[input as usize] != NONE => {
                    let reg = self.regs[input as usize];
                    if code.values[input as usize].words == words
                        && self.may_return(input, words)
                        && self.registers.is_unfixed(reg, words, end)
                        && loop_end(code, input)
                            .is_some_and(|last| end <= 2 * last + 1 || self.may_leave(live, input, words, last))
                    {
                        return Some(reg);
                    }
                    reg
                }
                Hint::Input(input) | Hint::NextIteration(input) if self.wanted[input as usize] != NONE => {
                    self.wanted[input as usize]
                }
                Hint::Input(input) | Hint::NextIteration(input) => {
                    hint = live.hints[input as usize];
                    continue;
                }
            };
            if reg != NONE && self.registers.fits(reg, words, end) {
                return Some(reg);
            }
            break;
        }
        let reg = self.wanted[v as usize];
        if reg != NONE && self.registers.fits(reg, words, end) {
            return Some(reg);
        }
        match code.nodes[code.values[v as usize].node as usize].what {
            What::Label(label) | What::Loop { label, .. } => {
                self.where_it_comes_from(code, v, label).find(|&reg| self.registers.fits(reg, words, end))
            }
            _ => None,
        }
    }

    /// The registers of the edges' arguments for an input.
    fn where_it_comes_from<'a>(&'a self, code: &'a Code, v: u32, label: u32) -> impl Iterator<Item = u32> + 'a {
        let regs = code.incoming(label, v).take(MAX_EDGES).filter_map(|arg| Some(self.regs[arg.as_value()? as usize]));
        regs.filter(|&reg| reg != NONE)
    }

    fn lend(&mut self, reg: u32, words: u32, until: u32) {
        let end = (reg + words) as usize;
        if self.lent.len() < end {
            self.lent.resize(end, 0);
        }
        self.lent[reg as usize..end].fill(until);
    }

    /// The register of the loop input (through any number of labels) to which a value is passed, if: there are only
    /// operations between the value's node and the edge, none of which reads the input; the edge does not pass the
    /// input elsewhere; and after the edge the input is not read before it gets its next value.
    fn borrow(&self, code: &Code, live: &Liveness, v: u32, i: u32) -> Option<u32> {
        let mut input = v;
        for _ in 0..4 {
            match live.hints[input as usize] {
                Hint::Input(next) => input = next,
                Hint::NextIteration(next) => {
                    input = next;
                    break;
                }
                _ => return None,
            }
        }
        let reg = self.regs[input as usize];
        let (data, words) = (&code.values[input as usize], code.values[v as usize].words);
        // The input itself must occupy it, not its next value.
        let held = self.registers.held.get(reg as usize).copied();
        let What::Loop { label, .. } = code.nodes[data.node as usize].what else { return None };
        if reg == NONE || data.words != words || held != Some(NONE) || live.rests[input as usize] != NONE {
            return None;
        }
        let lent = self.lent.get(reg as usize).copied().unwrap_or(0);
        if live.ends[input as usize] <= i || lent > i || self.borrows(input) {
            return None;
        }
        for n in i as usize + 1..code.nodes.len().min(i as usize + MAX_NODES) {
            let node = &code.nodes[n];
            match node.what {
                What::Nothing => {}
                What::Operation | What::Constant if !reads(code, code.args_of(node), input) => {}
                What::Br(edge) => {
                    let edge = &code.edges[edge as usize];
                    let dead = edge.label == label
                        || edge.label != RETURN
                            && code.labels[edge.label as usize].node > live.ends[input as usize]
                            && code.labels[edge.label as usize].node < code.labels[label as usize].end;
                    let only_here = live.ends[v as usize] == n as u32;
                    return (dead && only_here && !reads(code, code.edge_args(edge), input)).then_some(reg);
                }
                _ => return None,
            }
        }
        None
    }

    /// The frame of a call's callee.
    pub(crate) fn frame_of(&self, call: u32, args: u32, results: u32) -> Frame {
        Frame { base: Reg(self.bases[call as usize]), args, results }
    }
}

/// Whether there is a call between the definition of a value and the end of its interval.
fn crosses(live: &Liveness, made: u32, end: u32) -> bool {
    live.calls_before[end as usize] > live.calls_before[made as usize + 1]
}

/// Whether one of the arguments is the value.
fn reads(code: &Code, args: &[Arg], v: u32) -> bool {
    args.iter().any(|arg| match arg.kind() {
        ArgKind::Value(read) => read == v,
        ArgKind::Nested(n) => code.args_of(&code.nodes[n as usize]).contains(&Arg::value(v)),
        _ => false,
    })
}

/// The end of the loop whose input the value is.
fn loop_end(code: &Code, v: u32) -> Option<u32> {
    match code.nodes[code.values[v as usize].node as usize].what {
        What::Loop { label, .. } => Some(code.labels[label as usize].end),
        _ => None,
    }
}
