//! Parses immediates: the square brackets after an op.

use smallvec::SmallVec;

use super::body::pair_kind;
use super::lex::{Parsed, Token};
use super::parse_value::Reader;
use crate::entity::{Memory, Table};
use crate::module::Module;
use crate::ops::{
    BARRIER_NAMES, CONVERSION_NAMES, GUARD_NAMES, GroupOperation, Imm, ImmKind, LaneShape, Lanes, MemArg, ORDER_NAMES,
    Op, PairPart, TextureFlags, Width,
};
use crate::types::TypeKind;

impl Reader<'_> {
    /// The immediate of an op; `Imm::None` for ops without one.
    pub(super) fn parse_imm(&mut self, module: &mut Module, op: Op) -> Parsed<Imm> {
        let kind = op.info().imm;
        let optional =
            matches!(kind, ImmKind::Texture | ImmKind::Barrier | ImmKind::Conversion | ImmKind::Guard | ImmKind::Order);
        if kind == ImmKind::None || optional && self.cursor.peek() != Token::Mark(b'[') {
            return Ok(Imm::NONE);
        }
        self.cursor.mark(b'[')?;
        let here = self.cursor.here();
        let imm = match kind {
            ImmKind::None => Imm::NONE,
            ImmKind::Index => Imm::index(self.cursor.u32()?),
            ImmKind::Lanes => self.lanes()?.into(),
            ImmKind::Texture => self.texture_flags()?.into(),
            ImmKind::Group => self.group()?.into(),
            ImmKind::Barrier => Imm(self.bits(&BARRIER_NAMES)?),
            ImmKind::Conversion => Imm(self.bits(&CONVERSION_NAMES)?),
            ImmKind::Guard => Imm(self.bits(&GUARD_NAMES)?),
            ImmKind::Order => Imm(self.bits(&ORDER_NAMES)?),
            ImmKind::MemArg => self.mem_arg()?.into(),
            ImmKind::Shape => self.shape()?.into(),
            ImmKind::Lane => {
                let shape = self.shape()?;
                let here = self.cursor.here();
                match self.cursor.u32()? {
                    lane if lane < shape.lanes() => Imm::lane(shape, lane as u8),
                    _ => return Err(self.cursor.error(here, "there is no such lane")),
                }
            }
            ImmKind::Pair => {
                let (low, high) = op.pair_parts();
                let low = self.pair_index(low)?;
                if high != PairPart::Nothing {
                    self.cursor.mark(b',')?;
                }
                Imm::pair(low, self.pair_index(high)?)
            }
            ImmKind::Custom => self.custom(module)?,
            ImmKind::TableType => {
                let table = Table::from_u32(self.parse_index("table")?);
                let ty = self.parse_type(module)?;
                if !matches!(module.types[ty], TypeKind::Function { .. }) {
                    return Err(self.cursor.error(here, "expected the type of a function"));
                }
                Imm::table_type(table, ty)
            }
        };
        self.cursor.mark(b']')?;
        Ok(imm)
    }

    /// `mat_vec fn(…) -> (…)`; without the type, that of the row.
    fn custom(&mut self, module: &mut Module) -> Parsed<Imm> {
        let here = self.cursor.here();
        let name = self.parse_name()?;
        let Some(op) = module.custom_op(&name) else {
            let near = self.near(&name, module.custom_ops.values().map(|row| &*row.name));
            return Err(self.unknown(here, "op", &name, near));
        };
        let here = self.cursor.here();
        let ty = match module.custom_ops[op].signature {
            Some(signature) => signature,
            None => self.parse_type(module)?,
        };
        match module.types[ty] {
            TypeKind::Function { .. } => Ok(Imm::custom(op, ty)),
            _ => Err(self.cursor.error(here, "expected the type of a function")),
        }
    }

    fn shape(&mut self) -> Parsed<LaneShape> {
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, "the shape of lanes, such as `i32x4`")?;
        match LaneShape::ALL.into_iter().find(|s| s.name() == word) {
            Some(shape) => Ok(shape),
            None => {
                let near = self.near(word, LaneShape::ALL.map(LaneShape::name));
                Err(self.unknown(here, "shape of lanes", word, near))
            }
        }
    }

    fn lanes(&mut self) -> Parsed<Lanes> {
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, "a swizzle")?;
        let lanes: Option<SmallVec<[u8; 4]>> =
            word.bytes().map(|b| b"xyzw".iter().position(|c| *c == b).map(|i| i as u8)).collect();
        match lanes {
            Some(lanes) if lanes.len() <= 4 => Ok(Lanes::new(&lanes)),
            _ => Err(self.cursor.error(here, "a swizzle is one to four of `x`, `y`, `z` and `w`")),
        }
    }

    fn group(&mut self) -> Parsed<GroupOperation> {
        use GroupOperation::{ClusteredReduce, ExclusiveScan, InclusiveScan, Reduce};
        let all = [Reduce, InclusiveScan, ExclusiveScan, ClusteredReduce(0)];
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, "the invocations to combine, such as `reduce`")?;
        match all.into_iter().find(|operation| operation.name() == word) {
            Some(ClusteredReduce(_)) => Ok(ClusteredReduce(self.cursor.u32()?)),
            Some(operation) => Ok(operation),
            None => {
                let near = self.near(word, all.map(GroupOperation::name));
                Err(self.unknown(here, "group operation", word, near))
            }
        }
    }

    /// A sequence of words from `names`, as bits.
    fn bits(&mut self, names: &[&str]) -> Parsed<u64> {
        let mut bits = 0;
        while self.cursor.peek() == Token::Word {
            let Some(i) = names.iter().position(|n| *n == self.cursor.text()) else { break };
            self.cursor.bump();
            bits |= 1 << i;
        }
        Ok(bits)
    }

    fn texture_flags(&mut self) -> Parsed<TextureFlags> {
        let flags = TextureFlags(self.bits(&TextureFlags::NAMES)? as u32);
        if !self.cursor.eat_word("component") {
            return Ok(flags);
        }
        let here = self.cursor.here();
        match self.cursor.u32()? {
            component @ 0..=3 => Ok(flags.with_component(component as u8)),
            _ => Err(self.cursor.error(here, "a component is 0 to 3")),
        }
    }

    fn mem_arg(&mut self) -> Parsed<MemArg> {
        let here = self.cursor.here();
        let memory = self.parse_index("memory")?;
        if memory > 0xffff {
            return Err(self.cursor.error(here, "there is no such memory"));
        }
        let here = self.cursor.here();
        let word = self.cursor.take(Token::Word, "a sign and a width, such as `u8`")?;
        let width = match word.get(1..) {
            Some("8") => Some(Width::B8),
            Some("16") => Some(Width::B16),
            Some("32") => Some(Width::B32),
            Some("64") => Some(Width::B64),
            Some("128") => Some(Width::B128),
            _ => None,
        };
        let signed = word.starts_with('s');
        let Some(width) = width.filter(|_| signed || word.starts_with('u')) else {
            return Err(self.cursor.error(here, "expected a sign and a width, such as `u8`"));
        };
        let offset = if self.cursor.eat_word("offset") { self.cursor.u32()? } else { 0 };
        let in_bounds = self.cursor.eat_word("in_bounds");
        Ok(MemArg { memory: Memory::from_u32(memory), offset, width, signed, in_bounds })
    }

    fn pair_index(&mut self, part: PairPart) -> Parsed<u32> {
        match pair_kind(part) {
            "" => Ok(0),
            kind => self.parse_index(kind),
        }
    }
}
