//! Ops on the bits of integers of 8 and 16 bits, which targets have of 32 bits only: by words.

use planish_ir::builder::{Builder, Request};
use planish_ir::entity::Value;
use planish_ir::ops::{Imm, Op};

use super::{Legalizer, integer};

/// The value of an op on an integer of 8 or 16 bits, as that of an op on a word; `None` for other ops, which are expanded as those on words are.
pub(super) fn by_words(l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, request: &Request<'_>) -> Option<Value> {
    let x = *request.args.first()?;
    let scalar = b.module.types.scalar_of(b.type_of(x)).filter(|scalar| scalar.is_small_integer())?;
    let (width, word) = (scalar.bits(), scalar.widened());
    // With copies of the sign above the bits, or with zeros.
    let extended = |l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>, x: Value| l.convert(b, Imm::NONE, x, word);
    let bits = |l: &mut Legalizer<'_>, b: &mut Builder<'_, '_>| {
        let x = l.bitcast(b, x, scalar.unsigned())?;
        l.convert(b, Imm::NONE, x, word.unsigned())
    };
    let value = match (request.op, request.args) {
        (Op::FindLsb | Op::FindMsb, _) => {
            let x = extended(l, b, x)?;
            return l.op(b, request.op, &[x]);
        }
        (Op::BitCount, _) => {
            let x = bits(l, b)?;
            return l.op(b, Op::BitCount, &[x]);
        }
        (Op::CountLeadingZeros, _) => {
            let x = bits(l, b)?;
            let (zeros, more) = (l.op(b, Op::CountLeadingZeros, &[x])?, integer(b, b.type_of(x), (32 - width).into()));
            l.op(b, Op::Subtract, &[zeros, more])?
        }
        (Op::CountTrailingZeros, _) => {
            let x = bits(l, b)?;
            let end = integer(b, b.type_of(x), 1 << width);
            let ended = l.op(b, Op::BitwiseOr, &[x, end])?;
            l.op(b, Op::CountTrailingZeros, &[ended])?
        }
        (Op::BitReverse, _) => {
            let x = extended(l, b, x)?;
            let (reversed, by) = (l.op(b, Op::BitReverse, &[x])?, integer(b, b.type_of(x), (32 - width).into()));
            l.op(b, Op::ShiftRight, &[reversed, by])?
        }
        (Op::BitfieldExtract, &[_, offset, count]) => {
            let x = extended(l, b, x)?;
            let field = l.make(b, Request::new(Op::BitfieldExtract, &[x, offset, count]).imm(request.imm))?;
            if request.imm.is_guarded() || !scalar.is_signed() {
                field
            } else {
                // Beyond the width there are no bits, though the word has copies of the sign.
                let zero = integer(b, b.type_of(x), 0);
                let offset = l.bitcast(b, offset, word.unsigned())?;
                let end = integer(b, b.type_of(offset), width.into());
                let beyond = l.op(b, Op::GreaterThanEqual, &[offset, end])?;
                l.select(b, beyond, zero, field)?
            }
        }
        (Op::BitfieldInsert, &[_, inserted, offset, count]) => {
            let (x, inserted) = (extended(l, b, x)?, extended(l, b, inserted)?);
            l.make(b, Request::new(Op::BitfieldInsert, &[x, inserted, offset, count]).imm(request.imm))?
        }
        _ => return None,
    };
    l.convert(b, Imm::NONE, value, scalar)
}
