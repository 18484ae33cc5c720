//! Alias analysis of byte memories.
//!
//! The address operand of an access is its *root* plus constants, each added modulo 2³²; the offset is added without wrapping. The
//! *displacement* is the sum of the constants and the offset modulo 2³². An access that does not trap ends at or below 2³², the
//! largest size of a memory, so its first byte is at (root + displacement) mod 2³², whatever wrapped on the way. Hence of two
//! accesses to one memory with one root that did not trap
//!
//! - equal displacements are the same place, and
//! - displacements whose ranges do not overlap modulo 2³² are disjoint places;
//!
//! and nothing is known of two roots. An equal displacement does not tell that the second access does not trap: with `%1 = %0 - 16`,
//! `%0 + 0` may be in bounds where `%1 + 16` is not.

use smallvec::SmallVec;

use crate::entity::{Memory, Value};
use crate::function::Body;
use crate::module::Module;
use crate::ops::{MemArg, Op, Width};

/// Sums with constants that are looked through to the root of an address.
const MOST_SUMS: usize = 4;

/// An address as the sum of a value (`None`: 0) and a constant, modulo 2³².
pub type Sum = (Option<Value>, u32);

/// The bytes of an access that did not trap.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bytes {
    /// The memory.
    pub memory: Memory,
    /// The value that the address is made of; `None` if it is a constant.
    pub root: Option<Value>,
    /// The distance of the first byte from the root, modulo 2³².
    pub displacement: u32,
    /// Their number.
    pub width: Width,
}

impl Bytes {
    /// The bytes of an access.
    pub fn of(module: &Module, body: &Body, address: Value, arg: MemArg) -> Self {
        let &(root, sum) = sums(module, body, address).last().expect("an address is a sum of itself");
        Bytes { memory: arg.memory, root, displacement: sum.wrapping_add(arg.offset), width: arg.width }
    }

    /// Whether they have no byte in common with others of the same memory.
    pub fn is_beside(&self, other: &Bytes) -> bool {
        let forward = other.displacement.wrapping_sub(self.displacement);
        let back = self.displacement.wrapping_sub(other.displacement);
        self.root == other.root && forward >= self.width.bytes() && back >= other.width.bytes()
    }

    /// Whether they contain all of others.
    pub fn covers(&self, other: &Bytes) -> bool {
        let distance = u64::from(other.displacement.wrapping_sub(self.displacement));
        let fits = distance + u64::from(other.width.bytes()) <= u64::from(self.width.bytes());
        (self.memory, self.root) == (other.memory, other.root) && fits
    }

    /// Whether a write to these may change others.
    pub fn may_meet(&self, module: &Module, other: &Bytes) -> bool {
        may_be_one_memory(module, self.memory, other.memory) && !self.is_beside(other)
    }
}

/// Whether two memories of a module may be the same: an instance may be given one for several imports.
pub fn may_be_one_memory(module: &Module, a: Memory, b: Memory) -> bool {
    let is_import = |memory: Memory| module.memories[memory].import.is_some();
    a == b || is_import(a) && is_import(b)
}

/// The sums that an address is, itself first, each of a value that the one before is made of.
pub fn sums(module: &Module, body: &Body, address: Value) -> SmallVec<[Sum; MOST_SUMS]> {
    let mut sums: SmallVec<[Sum; MOST_SUMS]> = SmallVec::new();
    let (mut at, mut sum) = (address, 0u32);
    while sums.len() < MOST_SUMS {
        if let Some(constant) = word(module, at) {
            sums.push((None, sum.wrapping_add(constant)));
            break;
        }
        sums.push((Some(at), sum));
        let Some(node) = body.node_of(at) else { break };
        let constant = |args: &[Value]| word(module, args[1]);
        let constant = match body.node(node).op {
            Op::Add => constant(body.args(node)),
            Op::Subtract => constant(body.args(node)).map(u32::wrapping_neg),
            _ => None,
        };
        let Some(constant) = constant else { break };
        (at, sum) = (body.args(node)[0], sum.wrapping_add(constant));
    }
    sums
}

/// A constant of 32 bits, or the low ones of others.
pub fn word(module: &Module, value: Value) -> Option<u32> {
    module.consts.as_bits(value.as_const()?).map(|bits| bits as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Const;

    fn bytes(displacement: u32, width: Width) -> Bytes {
        Bytes { memory: Memory::from_u32(0), root: Some(Const::from_u32(7).into()), displacement, width }
    }

    /// Compared with the sets of bytes themselves.
    #[test]
    fn ranges_overlap_modulo_the_address_space() {
        let near = [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, u32::MAX, u32::MAX - 1, u32::MAX - 3, u32::MAX - 7, u32::MAX - 15];
        let widths = [Width::B8, Width::B16, Width::B32, Width::B64, Width::B128];
        let all = || near.into_iter().flat_map(|at| widths.map(|width| bytes(at, width)));
        let set = |b: Bytes| (0..b.width.bytes()).map(move |i| b.displacement.wrapping_add(i)).collect::<Vec<u32>>();
        for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
            let (in_a, in_b) = (set(a), set(b));
            assert_eq!(a.is_beside(&b), !in_a.iter().any(|byte| in_b.contains(byte)), "{a:?} {b:?}");
            assert_eq!(a.covers(&b), in_b.iter().all(|byte| in_a.contains(byte)), "{a:?} {b:?}");
        }
    }

    #[test]
    fn nothing_is_known_of_two_roots() {
        let a = bytes(0, Width::B32);
        let b = Bytes { root: Some(Const::from_u32(8).into()), displacement: 100, ..a };
        assert!(!a.is_beside(&b) && !a.covers(&b) && !b.covers(&a));
    }
}
