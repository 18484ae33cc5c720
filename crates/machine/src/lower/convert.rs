//! Conversions between scalars: many change no bit of a register, and are only another name.

use planish_ir::ops::{Imm, Op};

use super::{Fallible, Lower};
use crate::code::Arg;
use crate::isa::{Kind, Machine};

impl<I: Machine> Lower<'_, I> {
    /// `construct_scalar_from_scalar`.
    pub(super) fn convert(&mut self, arg: Arg, from: Kind, to: Kind) -> Fallible<Arg> {
        if changes_nothing::<I>(from, to) {
            return Ok(arg);
        }
        if to == Kind::Bool {
            let zero = self.bits(from, 0);
            return self.operation(Op::NotEqual, Imm::NONE, from, Kind::Bool, &[arg, zero]);
        }
        self.operation(Op::ConstructScalarFromScalar, Imm::NONE, from, to, &[arg])
    }
}

/// Whether a register holds the same word before and after the conversion.
pub(crate) fn changes_nothing<I: Machine>(from: Kind, to: Kind) -> bool {
    let same_words = from.words(I::WORD_BITS) == to.words(I::WORD_BITS);
    match (from, to) {
        _ if from == to => true,
        (Kind::Bool | Kind::U32, _) => to.is_integer() && same_words,
        (Kind::I32, Kind::U32) | (Kind::I64, Kind::U64) | (Kind::U64, Kind::I64) => true,
        _ => false,
    }
}
