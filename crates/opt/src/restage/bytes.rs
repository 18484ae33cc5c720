//! Byte memories: the values of known places, and accesses that are known to be in bounds.
//!
//! ```text
//! memory_store[memory0 u32 offset 4] %0, %1
//! %2: i32 = memory_load[memory0 u32 offset 4] %0               %1
//! memory_store[memory0 u32 offset 8] %0, %3
//! %4: i32 = memory_load[memory0 u16 offset 4] %0               %1 & 0xffff
//! %5: i32 = memory_load[memory0 u32] %0                        memory_load[memory0 u32 in_bounds] %0
//! ```
//!
//! Places are those of [`planish_ir::aliasing::bytes`]. A place is known on the assumption that the access does not trap, so a load is only
//! replaced if it is known to be in bounds besides.
//!
//! # Bounds
//!
//! A memory never shrinks. After an access, each other from the same address operand that ends no later is in bounds for good, across
//! stores and calls. If `x + end` is in bounds then so is `(x + c) + (end - c)` for each `c` from 0 to `end`: `x + c` does not wrap.
//! For a negative `c` it may, and nothing is concluded. Addresses that are constant, or bounded by their definition, are compared
//! with the least size of the memory.
//!
//! Only accesses that were not known to be in bounds tell something new, and those are never dropped; so the mark `in_bounds` of
//! another holds as long as their order does.

use std::hash::{Hash, Hasher};

use planish_ir::aliasing::bytes::{Bytes, may_be_one_memory, sums, word};
use planish_ir::builder::{Request, Results};
use planish_ir::entity::{Memory, Node, Type, Value};
use planish_ir::module::{MemoryData, Module};
use planish_ir::ops::{MemArg, Op, Width};
use planish_ir::types::{Scalar, TypeKind};
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::engine::Engine;
use super::source::Source;
use super::state::{Key, MOST_BYTES, number, numbered};

/// Keys in which one place may be kept.
const WAYS: u32 = 4;

/// Maximum depth of the operands that are examined for an upper bound of an address.
const DEPTH: u32 = 4;

/// A place and the value whose low bits it holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Content {
    place: Bytes,
    value: Value,
}

/// A value (`None`: 0) as an address in a memory.
type Address = (Memory, Option<Value>);

/// The contents and addresses of which something was known somewhere, by number.
#[derive(Default)]
pub(super) struct Contents {
    all: Vec<Content>,
    numbers: FxHashMap<Content, u32>,
    addresses: Vec<Address>,
    address_numbers: FxHashMap<Address, u32>,
}

impl Contents {
    fn number(&mut self, content: Content) -> u32 {
        *self.numbers.entry(content).or_insert_with(|| {
            self.all.push(content);
            self.all.len() as u32 - 1
        })
    }

    fn address_number(&mut self, address: Address) -> u32 {
        *self.address_numbers.entry(address).or_insert_with(|| {
            self.addresses.push(address);
            self.addresses.len() as u32 - 1
        })
    }
}

impl Engine<'_, '_, '_> {
    /// Makes a load from a byte memory, or takes the value that is known to be there.
    pub(super) fn load_bytes(&mut self, source: &Source, node: Node, address: Value) -> Results {
        if !self.policy.facts {
            return self.b.make_again(&source.body, node, &[address]);
        }
        let arg = source.body.node(node).imm.as_mem_arg();
        let ty = source.body.local_type(source.body.result(node).expect("a load has a result"));
        let place = Bytes::of(self.b.module, self.b.body(), address, arg);
        let in_bounds = arg.in_bounds || self.is_in_bounds(address, arg);
        if in_bounds
            && let Some(known) = self.known_bytes(&place)
            && let Some(value) = self.as_loaded(known, arg, ty)
        {
            self.context.count("LoadsForwarded", 1);
            return std::iter::once(value).collect();
        }
        let results = self.access_bytes(source, node, MemArg { in_bounds, ..arg }, &[address]);
        self.remember_bytes(place, results[0]);
        results
    }

    /// Makes a store to a byte memory, unless the place is known to hold the value.
    pub(super) fn store_bytes(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        if !self.policy.facts {
            return self.b.make_again(&source.body, node, args);
        }
        let arg = source.body.node(node).imm.as_mem_arg();
        let place = Bytes::of(self.b.module, self.b.body(), args[0], arg);
        let in_bounds = arg.in_bounds || self.is_in_bounds(args[0], arg);
        if in_bounds && self.known_bytes(&place) == Some(args[1]) {
            self.context.count("StoresRemoved", 1);
            return Results::new();
        }
        let results = self.access_bytes(source, node, MemArg { in_bounds, ..arg }, args);
        self.forget_bytes(|module, known| place.may_meet(module, known));
        self.remember_bytes(place, args[1]);
        results
    }

    /// Makes an op on a range of a byte memory.
    pub(super) fn modify_bytes(&mut self, source: &Source, node: Node, args: &[Value]) -> Results {
        let results = self.b.make_again(&source.body, node, args);
        let data = source.body.node(node);
        // A memory that grows keeps its bytes.
        if data.op != Op::MemoryGrow {
            let written = Memory::from_u32(data.imm.as_pair().0);
            self.forget_bytes(|module, known| may_be_one_memory(module, written, known.memory));
        }
        results
    }

    /// Any byte memory may have been written.
    pub(super) fn forget_all_bytes(&mut self) {
        for key in self.state.known_bytes() {
            self.state.set(Key::Bytes(key), None);
        }
    }

    /// Whether a key of bytes is about values that are visible at a merge.
    pub(super) fn are_bytes_visible(&mut self, held: Value, limit: u32) -> bool {
        let Content { place, value } = self.contents.all[numbered(held) as usize];
        place.root.is_none_or(|root| self.is_visible(root, limit)) && self.is_visible(value, limit)
    }

    /// Whether the address that a key is about is visible at a merge.
    pub(super) fn is_address_visible(&mut self, number: u32, limit: u32) -> bool {
        self.contents.addresses[number as usize].1.is_none_or(|address| self.is_visible(address, limit))
    }

    fn access_bytes(&mut self, source: &Source, node: Node, arg: MemArg, args: &[Value]) -> Results {
        let data = source.body.node(node);
        let types: SmallVec<[Type; 1]> = source.body.results(node).map(|r| source.body.local_type(r)).collect();
        self.b.set_precise(data.precise);
        let (ty, precision) = (types.first().copied(), Some(data.precision));
        let results = self.b.make_known(Request { op: data.op, imm: arg.into(), args, ty, precision }, &types);
        if !arg.in_bounds {
            self.note_bounds(args[0], arg);
        }
        results
    }

    /// Forgets the known bytes with a property.
    fn forget_bytes(&mut self, may_change: impl Fn(&Module, &Bytes) -> bool) {
        for key in self.state.known_bytes() {
            let held = self.state.get(Key::Bytes(key)).expect("it is known");
            if may_change(self.b.module, &self.contents.all[numbered(held) as usize].place) {
                self.state.set(Key::Bytes(key), None);
            }
        }
    }

    fn known_bytes(&mut self, place: &Bytes) -> Option<Value> {
        let held = keys_of(place).find_map(|key| {
            let held = self.state.get(Key::Bytes(key))?;
            let content = self.contents.all[numbered(held) as usize];
            (content.place == *place).then_some(content.value)
        })?;
        Some(self.state.get(Key::Fact(held)).unwrap_or(held))
    }

    fn remember_bytes(&mut self, place: Bytes, value: Value) {
        let content = number(self.contents.number(Content { place, value }));
        let same = |engine: &Self, key: u32| {
            let held = engine.state.get(Key::Bytes(key));
            held.is_some_and(|held| engine.contents.all[numbered(held) as usize].place == place)
        };
        let is_free = |engine: &Self, key: u32| engine.state.get(Key::Bytes(key)).is_none();
        let key = keys_of(&place).find(|&key| same(self, key)).or_else(|| keys_of(&place).find(|&k| is_free(self, k)));
        // If all are taken, one is forgotten.
        let key = key.unwrap_or_else(|| keys_of(&place).next().expect("there are some"));
        self.state.set(Key::Bytes(key), Some(content));
    }

    /// Whether an access is in bounds here because of an earlier one, or whatever its operands are.
    fn is_in_bounds(&self, address: Value, arg: MemArg) -> bool {
        let (mut end, mut before) = (arg.end(), 0);
        for (at, sum) in sums(self.b.module, self.b.body(), address) {
            // Each step adds its constant without wrapping, if what follows is in bounds.
            end += u64::from(sum.wrapping_sub(before));
            before = sum;
            if self.is_known_end(arg.memory, at, end) {
                return true;
            }
        }
        let least = u64::from(self.b.module.memories[arg.memory].min_pages) * MemoryData::PAGE as u64;
        u64::from(self.greatest(address, DEPTH)) + arg.end() <= least
    }

    fn is_known_end(&self, memory: Memory, address: Option<Value>, end: u64) -> bool {
        let number = self.contents.address_numbers.get(&(memory, address));
        let known = number.and_then(|&number| self.state.get(Key::End(number)));
        known.is_some_and(|known| end <= u64::from(numbered(known)))
    }

    /// From here on, accesses from an address are in bounds that end no later than this one.
    fn note_bounds(&mut self, address: Value, arg: MemArg) {
        let (address, end) = match word(self.b.module, address) {
            Some(constant) => (None, u64::from(constant) + arg.end()),
            None => (Some(address), arg.end()),
        };
        // Those beyond the numbers that a key holds stay unmarked.
        if end < 1 << 30 && !self.is_known_end(arg.memory, address, end) {
            let address = self.contents.address_number((arg.memory, address));
            self.state.set(Key::End(address), Some(number(end as u32)));
        }
    }

    /// An upper bound of an address as an unsigned number, by its definition.
    /// Recursion: at most `depth` levels of operands.
    fn greatest(&self, value: Value, depth: u32) -> u32 {
        if let Some(constant) = word(self.b.module, value) {
            return constant;
        }
        let Some((op, imm, args)) = self.b.definition(value).filter(|_| depth > 0) else { return u32::MAX };
        let of = |i: usize| self.greatest(args[i], depth - 1);
        let is_word =
            |v: Value| matches!(self.b.module.types.scalar_of(self.b.type_of(v)), Some(Scalar::I32 | Scalar::U32));
        match op {
            Op::BitwiseAnd => of(0).min(of(1)),
            Op::BitwiseOr | Op::BitwiseXor => match (of(0) | of(1)).checked_add(1) {
                Some(above) => above.checked_next_power_of_two().map_or(u32::MAX, |power| power - 1),
                None => u32::MAX,
            },
            Op::Add => of(0).saturating_add(of(1)),
            Op::Multiply => of(0).saturating_mul(of(1)),
            Op::ShiftLeft => match word(self.b.module, args[1]) {
                Some(by) => of(0).saturating_mul(1 << (by & 31)),
                None => u32::MAX,
            },
            Op::ShiftRight => match (word(self.b.module, args[1]), of(0)) {
                // The sign is copied.
                (_, high) if high > i32::MAX as u32 && self.b.type_of(value) == Type::I32 => u32::MAX,
                (Some(by), high) => high >> (by & 31),
                (None, high) => high,
            },
            Op::Select => of(1).max(of(2)),
            Op::Bitcast if is_word(args[0]) => of(0),
            Op::MemoryLoad => match imm.as_mem_arg() {
                MemArg { width: Width::B8, signed: false, .. } => 0xff,
                MemArg { width: Width::B16, signed: false, .. } => 0xffff,
                _ => u32::MAX,
            },
            _ => u32::MAX,
        }
    }

    /// The result of a load of the low bits of a value; `None` if no ops make it.
    fn as_loaded(&mut self, value: Value, arg: MemArg, ty: Type) -> Option<Value> {
        let held = self.b.type_of(value);
        if let (true, Some((Op::MemoryLoad, imm, _))) = (held == ty, self.b.definition(value))
            && (MemArg { width: arg.width, signed: arg.signed, ..imm.as_mem_arg() }) == imm.as_mem_arg()
        {
            return Some(value);
        }
        let bits = arg.width.bytes() * 8;
        let types = &self.b.module.types;
        let (TypeKind::Scalar(have), TypeKind::Scalar(want)) = (&types[held], &types[ty]) else {
            return (held == ty).then_some(value);
        };
        let (have, want) = (*have, *want);
        if have == want && have.bits() == bits {
            return Some(value);
        }
        if have == Scalar::Bool || want == Scalar::Bool {
            return None;
        }
        let mut value = if have.is_float() { self.cast(value, integer(have, true)) } else { value };
        if want.bits() < have.bits() {
            value = self.convert_to(value, integer(want, true));
        }
        if bits < want.bits().min(have.bits()) {
            value = self.low_bits(value, arg);
        }
        if want.bits() > have.bits() {
            value = self.cast(value, integer(have, arg.signed));
            value = self.convert_to(value, integer(want, true));
        }
        Some(self.cast(value, want))
    }

    /// The low bits of an integer, extended to its type as a load does.
    fn low_bits(&mut self, value: Value, arg: MemArg) -> Value {
        let extend = match arg.width {
            Width::B8 => Op::SignExtend8,
            Width::B16 => Op::SignExtend16,
            _ => Op::SignExtend32,
        };
        if arg.signed {
            return self.b.op(extend, &[value]);
        }
        let ty = self.b.type_of(value);
        let mask = self.b.module.consts.bits(ty, (1 << (arg.width.bytes() * 8)) - 1);
        self.b.op(Op::BitwiseAnd, &[value, mask.into()])
    }

    /// The same bits as another scalar of the width.
    fn cast(&mut self, value: Value, to: Scalar) -> Value {
        let ty = self.b.module.types.scalar(to);
        if self.b.type_of(value) == ty { value } else { self.b.op_typed(Op::Bitcast, &[value], ty) }
    }

    fn convert_to(&mut self, value: Value, to: Scalar) -> Value {
        let ty = self.b.module.types.scalar(to);
        self.b.op_typed(Op::ConstructScalarFromScalar, &[value], ty)
    }
}

/// The integer of the width of a scalar.
fn integer(scalar: Scalar, signed: bool) -> Scalar {
    match (scalar.bits(), signed) {
        (64, true) => Scalar::I64,
        (64, false) => Scalar::U64,
        (_, true) => Scalar::I32,
        (_, false) => Scalar::U32,
    }
}

/// The keys in which the content of a place may be kept.
fn keys_of(place: &Bytes) -> impl Iterator<Item = u32> + use<> {
    let mut hasher = FxHasher::default();
    place.hash(&mut hasher);
    let hash = hasher.finish();
    let first = (hash >> 32) as u32 % (MOST_BYTES / WAYS) * WAYS;
    let turn = hash as u32;
    (0..WAYS).map(move |way| first + way.wrapping_add(turn) % WAYS)
}
