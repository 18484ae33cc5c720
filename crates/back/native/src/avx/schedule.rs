//! The order of a block's instructions, with both of a pair at one place.
//!
//! An instruction comes after those that it reads, and after accesses and calls that it must not be exchanged with; else the order
//! stays. A pair that would have to come before itself is given up.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{Block, Inst, InstructionData, Opcode};

use super::pairs::Pairs;
use super::values::{Place, Values};

/// An instruction, or a pair of them: the one on the lower half first.
pub(super) type Unit = (Inst, Option<Inst>);

/// An instruction that reads or writes memory, or whose place matters otherwise.
struct Access {
    inst: Inst,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Load(Region),
    Store(Region),
    Other,
}

/// Memory that an access reaches: a region of its own, the address, the number of bytes.
#[derive(Clone, Copy)]
struct Region {
    region: Option<u32>,
    place: Place,
    bytes: i64,
    /// The number of the stop, if it may fault.
    stop: Option<u32>,
}

impl Region {
    /// Whether it can be told which of two accesses faults first.
    fn stops_apart(&self, other: &Region) -> bool {
        self.stop.is_some() && other.stop.is_some() && self.stop != other.stop
    }

    fn meets(&self, other: &Region) -> bool {
        if let (Some(a), Some(b)) = (self.region, other.region)
            && a != b
        {
            return false;
        }
        let (a, b) = (&self.place, &other.place);
        if let (Err(x), Err(y)) = (a.base, b.base)
            && x != y
        {
            return false;
        }
        let same = a.base == b.base && a.index == b.index;
        !same || a.offset < b.offset + other.bytes && b.offset < a.offset + self.bytes
    }
}

/// The units of a block but its last instruction, in order.
pub(super) fn schedule(values: &Values<'_>, pairs: &mut Pairs, block: Block) -> Vec<Unit> {
    let order = order(values, block);
    loop {
        match attempt(values, pairs, &order) {
            Ok(units) => return units,
            Err(inst) => pairs.dissolve(values, inst),
        }
    }
}

/// The instructions of a block that are needed, each with those that come before it.
fn order(values: &Values<'_>, block: Block) -> Vec<(Inst, Vec<Inst>)> {
    let f = values.f;
    let last = f.layout.last_inst(block);
    let mut accesses: Vec<Access> = Vec::new();
    let mut all = Vec::new();
    for inst in f.layout.block_insts(block).filter(|&inst| values.live[inst] && Some(inst) != last) {
        let reads = values.reads(inst);
        let mut before: Vec<Inst> = reads
            .iter()
            .filter_map(|&read| values.definition(read))
            .filter(|&inst| f.layout.inst_block(inst) == Some(block))
            .collect();
        if let Some(kind) = kind(values, inst) {
            for access in &accesses {
                let ordered = match (kind, access.kind) {
                    (Kind::Load(x), Kind::Load(y)) => x.stops_apart(&y),
                    (Kind::Load(x) | Kind::Store(x), Kind::Load(y) | Kind::Store(y)) => {
                        x.meets(&y) || x.stop.is_some() && y.stop.is_some()
                    }
                    _ => true,
                };
                if ordered {
                    before.push(access.inst);
                }
            }
            accesses.push(Access { inst, kind });
        }
        all.push((inst, before));
    }
    all
}

fn kind(values: &Values<'_>, inst: Inst) -> Option<Kind> {
    let f = values.f;
    let data = &f.dfg.insts[inst];
    let region = |flags, address, offset: i32, bytes: u32| {
        let flags: cranelift_codegen::ir::MemFlagsData = values.flags(flags);
        let region = flags.alias_region().map(|region| region.as_u32());
        let stop = values.fault(inst).map(|(_, stop)| stop);
        Region { region, place: values.numbered_place(address, offset), bytes: bytes.into(), stop }
    };
    match *data {
        InstructionData::Load { flags, .. } if values.flags(flags).readonly() && values.flags(flags).can_move() => None,
        InstructionData::Load { opcode, arg, flags, offset } => {
            let bytes = if opcode == Opcode::Load { values.ty(f.dfg.first_result(inst)).bytes() } else { 4 };
            Some(Kind::Load(region(flags, arg, offset.into(), bytes)))
        }
        InstructionData::Store { opcode, args, flags, offset } => {
            let bytes = if opcode == Opcode::Store { values.ty(args[0]).bytes() } else { 4 };
            Some(Kind::Store(region(flags, args[1], offset.into(), bytes)))
        }
        _ if data.opcode().is_call() || data.opcode() == Opcode::AtomicLoad => Some(Kind::Other),
        _ => None,
    }
}

/// Puts the instructions in order; or a pair that comes before itself.
fn attempt(values: &Values<'_>, pairs: &Pairs, order: &[(Inst, Vec<Inst>)]) -> Result<Vec<Unit>, Inst> {
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let _ = values;
    let mut state: SecondaryMap<Inst, State> = SecondaryMap::new();
    let mut at: SecondaryMap<Inst, u32> = SecondaryMap::new();
    order.iter().enumerate().for_each(|(i, &(inst, _))| at[inst] = i as u32);
    let unit = |inst: Inst| match pairs.partners[inst] {
        Some((other, true)) => (other, Some(inst)),
        Some((other, false)) => (inst, Some(other)),
        None => (inst, None),
    };
    let mut units = Vec::with_capacity(order.len());
    let mut stack: Vec<Inst> = Vec::new();
    for &(inst, _) in order {
        stack.push(unit(inst).0);
        while let Some(&top) = stack.last() {
            if state[top] == State::Done {
                stack.pop();
                continue;
            }
            let this = unit(top);
            let is_open = state[top] == State::Open;
            state[top] = State::Open;
            let depth = stack.len();
            for member in [Some(this.0), this.1].into_iter().flatten() {
                for &before in &order[at[member] as usize].1 {
                    let before = unit(before).0;
                    match state[before] {
                        State::Done => {}
                        State::New => stack.push(before),
                        State::Open => {
                            // A cycle: one of its pairs is given up.
                            let pair =
                                stack.iter().rev().find(|&&i| state[i] == State::Open && pairs.partners[i].is_some());
                            return Err(*pair.expect("instructions alone have an order"));
                        }
                    }
                }
            }
            if stack.len() == depth {
                let _ = is_open;
                state[top] = State::Done;
                stack.pop();
                units.push(this);
            } else {
                // The first one that is read comes first.
                stack[depth..].reverse();
            }
        }
    }
    Ok(units)
}
