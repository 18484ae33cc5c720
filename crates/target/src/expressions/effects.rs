//! Ordering effects of nodes: two nodes may be reordered unless the difference is observable.

use planish_ir::ops::{Effect, Op};

/// A set of effects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effects(u16);

const READ_BYTES: u16 = 1;
const WRITE_BYTES: u16 = 2;
const READ_TABLE: u16 = 4;
const WRITE_TABLE: u16 = 8;
const READ_VAR: u16 = 16;
const WRITE_VAR: u16 = 32;
/// Everything that cannot be analyzed.
const WORLD: u16 = 64;
const TRAP_BYTES: u16 = 128;
const TRAP_TABLE: u16 = 256;
/// Two bits: a division, say, has two traps, so the order of two divisions can be seen.
const TRAP_NUMBER: u16 = 512 | 1024;

const READS: u16 = READ_BYTES | READ_TABLE | READ_VAR;
const WRITES: u16 = WRITE_BYTES | WRITE_TABLE | WRITE_VAR;
const TRAPS: u16 = TRAP_BYTES | TRAP_TABLE | TRAP_NUMBER;

impl Effects {
    /// No effects.
    pub const PURE: Effects = Effects(0);
    /// Effects that nothing may be reordered with.
    pub const ALL: Effects = Effects(WORLD);

    /// The effects of an op.
    pub fn of(op: Op) -> Effects {
        Effects(match op {
            Op::MemorySize => READ_BYTES,
            Op::MemoryGrow => READ_BYTES | WRITE_BYTES,
            Op::TableSize => READ_TABLE,
            Op::TableGrow => READ_TABLE | WRITE_TABLE,
            _ => match op.info().effect {
                Effect::Pure | Effect::Quad => 0,
                Effect::MayTrap => TRAP_NUMBER,
                Effect::Load => READ_VAR,
                Effect::Store => WRITE_VAR,
                Effect::Modify => READ_VAR | WRITE_VAR,
                Effect::MemoryLoad => READ_BYTES | TRAP_BYTES,
                Effect::MemoryStore => WRITE_BYTES | TRAP_BYTES,
                Effect::MemoryModify => READ_BYTES | WRITE_BYTES | TRAP_BYTES,
                Effect::TableLoad => READ_TABLE | TRAP_TABLE,
                Effect::TableStore => READ_TABLE | WRITE_TABLE | TRAP_TABLE,
                Effect::ImageLoad
                | Effect::ImageStore
                | Effect::ImageModify
                | Effect::Call
                | Effect::NewToken
                | Effect::Subgroup
                | Effect::World => WORLD,
            },
        })
    }

    /// Whether there are none.
    pub fn is_pure(self) -> bool {
        self == Effects::PURE
    }

    /// Union of both.
    pub fn with(self, other: Effects) -> Effects {
        Effects(self.0 | other.0)
    }

    /// Whether the order of the two is observable.
    pub fn conflicts(self, other: Effects) -> bool {
        let (a, b) = (self.0, other.0);
        if a == 0 || b == 0 {
            return false;
        }
        // The bit of a read is the one below that of the write.
        let touches = |writes: u16, other: u16| writes & WRITES & (other | (other & READS) << 1) != 0;
        let traps = (a | b) & TRAPS;
        (a | b) & WORLD != 0
            || touches(a, b)
            || touches(b, a)
            || a & TRAPS != 0 && b & WRITES != 0
            || b & TRAPS != 0 && a & WRITES != 0
            || a & TRAPS != 0 && b & TRAPS != 0 && !traps.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_matters_where_it_can_be_seen() {
        let [load, store, divide, get, set, call, add] =
            [Op::MemoryLoad, Op::MemoryStore, Op::DivideTrapping, Op::Load, Op::Store, Op::Call, Op::Add]
                .map(Effects::of);
        for (a, b, expected) in [
            (load, load, false),
            (load, store, true),
            (store, store, true),
            (load, divide, true),
            (divide, divide, true),
            (divide, get, false),
            (divide, set, true),
            (get, get, false),
            (get, set, true),
            (get, store, false),
            (call, get, true),
            (call, add, false),
            (store, set, true),
        ] {
            assert_eq!(a.conflicts(b), expected, "{a:?} {b:?}");
            assert_eq!(b.conflicts(a), expected, "{b:?} {a:?}");
        }
    }
}
