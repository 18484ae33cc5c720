//! Memory of constant buffers of Direct3D, whose members are packed into registers of 16 bytes.
//!
//! | | begins | size |
//! | --- | --- | --- |
//! | scalar, vector | after the last member, but in one register | 4 bytes a component |
//! | matrix | with a register | a register for each row (`row_major`) or column (`column_major`), the last as large as it is |
//! | array | with a register | a multiple of 16 bytes for each element, the last as large as it is |
//! | struct | with a register | to the end of its last member |
//!
//! The members keep the offsets of the source: words fill up what lies between. Offsets that no filling gives are refused here,
//! and read word by word ([`crate::bytes`]).

use std::sync::Arc;

use planish_ir::decoration::{Decoration, Decorations, Precision};
use planish_ir::diagnostic::Code;
use planish_ir::entity::Type;
use planish_ir::layout::Rule;
use planish_ir::source::Span;
use planish_ir::types::{Member, Scalar, StructType, TypeKind, Types};

use crate::memory::{Mem, MemId, MemKind, Memory, Res, fail};

/// Bytes of a register.
const REGISTER: u32 = 16;

impl Memory {
    /// Memory of a type as a constant buffer has it; see [`Memory::build`].
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    pub(crate) fn in_registers(
        &mut self,
        types: &mut Types,
        ty: Type,
        rule: Rule,
        row_major: bool,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        if let Some(bits @ (16 | 64)) = types.scalar_of(ty).map(Scalar::bits) {
            // (Blocks that are refused here are read by words.)
            let text = format!(
                "HLSL is written without {bits}-bit numbers in push constants and in uniforms outside of blocks"
            );
            return fail(Code::E0606, span, text);
        }
        Ok(match types[ty].clone() {
            TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _) => {
                let n = types.vector_size(ty).unwrap_or(1);
                (types.vector(Scalar::U32, n), MemKind::Bool)
            }
            TypeKind::Matrix { .. } => {
                let stride = self.layout(types, ty, rule, row_major, span)?.stride;
                if stride != REGISTER {
                    return cannot_place("a matrix", span);
                }
                (ty, MemKind::Plain)
            }
            TypeKind::Array { element, len } => {
                let stride = self.layout(types, ty, rule, row_major, span)?.stride;
                let mut part = self.build(types, element, Some(rule), row_major, None, span)?;
                let own = self.get(part).ty;
                if !stride.is_multiple_of(REGISTER) {
                    return cannot_place("an array", span);
                }
                if self.register_size(types, own, row_major).next_multiple_of(REGISTER) != stride {
                    let TypeKind::Struct(s) = types[element].clone() else { return cannot_place("an array", span) };
                    let (ty, kind) = self.struct_in_registers(types, element, &s, (rule, row_major), stride, span)?;
                    part = self.add(Mem { value: element, ty, kind });
                }
                let own = types.array(self.get(part).ty, len);
                let is_plain = own == ty && matches!(self.get(part).kind, MemKind::Plain);
                (own, if is_plain { MemKind::Plain } else { MemKind::Array(part) })
            }
            TypeKind::RuntimeArray { .. } => return cannot_place("an array that its buffer sizes", span),
            TypeKind::Struct(s) => self.struct_in_registers(types, ty, &s, (rule, row_major), 0, span)?,
            _ => (ty, MemKind::Plain),
        })
    }

    /// The size of a type of memory, without what fills up its last register.
    /// Recursion: over the type, at most `MAX_TYPE_NESTING` levels.
    fn register_size(&self, types: &Types, ty: Type, row_major: bool) -> u32 {
        match types[ty] {
            TypeKind::Vector(_, n) => 4 * u32::from(n),
            TypeKind::Matrix { columns, rows, .. } => {
                let (count, size) = if row_major { (rows, columns) } else { (columns, rows) };
                REGISTER * (u32::from(count) - 1) + 4 * u32::from(size)
            }
            TypeKind::Array { element, len } => {
                let size = self.register_size(types, element, row_major);
                size.next_multiple_of(REGISTER).saturating_mul(len.max(1) - 1).saturating_add(size)
            }
            TypeKind::Struct(_) => self.struct_ends.get(&ty).copied().unwrap_or(0),
            _ => 4,
        }
    }

    /// A struct that takes at least `fill` bytes, with the rest of its last register.
    fn struct_in_registers(
        &mut self,
        types: &mut Types,
        ty: Type,
        s: &StructType,
        (rule, row_major): (Rule, bool),
        fill: u32,
        span: Span,
    ) -> Res<(Type, MemKind)> {
        if s.members.is_empty() {
            return fail(Code::E0602, span, format!("the struct `{}` has no members", s.name));
        }
        let layout = self.layout(types, ty, rule, row_major, span)?;
        let mut order: Vec<usize> = (0..s.members.len()).collect();
        order.sort_by_key(|&i| layout.members[i].offset);
        let mut members = vec![(0, MemId::NONE); s.members.len()];
        let mut shape = Shape { members: vec![], orders: vec![], end: 0 };
        let mut same = !s.is_block && order.is_sorted() && fill == 0;
        for i in order {
            let (member, at) = (&s.members[i], &layout.members[i]);
            let part = self.build(types, member.ty, Some(rule), at.row_major, None, span)?;
            let own = self.get(part).ty;
            let size = self.register_size(types, own, at.row_major);
            let is_vector = matches!(types[own], TypeKind::Scalar(_) | TypeKind::Vector(..));
            let mut decorations = member.decorations.clone();
            let order = types.contains(own, &mut |k| matches!(k, TypeKind::Matrix { .. })).then_some(at.row_major);
            let is_matrix = order.is_some() && !types.contains(own, &mut |k| matches!(k, TypeKind::Struct(_)));
            if is_matrix && at.row_major && !decorations.has(Decoration::RowMajor) {
                // Another type than that of columns.
                decorations.add(Decoration::RowMajor);
                same = false;
            }
            let before = shape.members.len();
            let member = Member { ty: own, decorations, ..member.clone() };
            if !shape.add(types, member, (size, is_vector), at.offset) {
                return cannot_place(&format!("the member `{}`", s.members[i].name), span);
            }
            same &= shape.members.len() == before + 1 && matches!(self.get(part).kind, MemKind::Plain);
            shape.orders.resize(shape.members.len() - 1, None);
            shape.orders.push(order.filter(|_| is_matrix));
            members[i] = (shape.members.len() as u32 - 1, part);
        }
        if fill > 0 {
            shape.fill(types, fill - REGISTER + 4);
        }
        let Shape { members: own_members, orders, end } = shape;
        let own = match same {
            true => ty,
            false => {
                let shape = StructType { name: s.name.clone(), members: own_members, is_block: false };
                types.intern(TypeKind::Struct(Arc::new(shape)))
            }
        };
        self.struct_ends.insert(own, end);
        for (i, order) in orders.into_iter().enumerate() {
            order.into_iter().for_each(|order| {
                self.matrix_orders.insert((own, i as u32), order);
            });
        }
        Ok((own, if same { MemKind::Plain } else { MemKind::Struct(members) }))
    }
}

fn cannot_place<T>(what: &str, span: Span) -> Res<T> {
    fail(Code::E0606, span, format!("a constant buffer cannot hold {what} where the source has it"))
}

/// A struct that is being filled.
struct Shape {
    members: Vec<Member>,
    /// By member: of a matrix, whether it lies by rows.
    orders: Vec<Option<bool>>,
    end: u32,
}

impl Shape {
    /// The next place for a member.
    fn next(&self, (size, is_vector): (u32, bool)) -> u32 {
        let fits = is_vector && self.end % REGISTER + size <= REGISTER;
        if fits { self.end } else { self.end.next_multiple_of(REGISTER) }
    }

    /// Adds a member at an offset; false if it cannot lie there.
    fn add(&mut self, types: &mut Types, member: Member, figures: (u32, bool), offset: u32) -> bool {
        while self.next(figures) < offset {
            self.pad(types, offset);
        }
        if self.next(figures) != offset || !offset.is_multiple_of(4) {
            return false;
        }
        self.members.push(member);
        self.end = offset.saturating_add(figures.0);
        true
    }

    /// One member of words up to an offset or to the end of the register.
    fn pad(&mut self, types: &mut Types, offset: u32) {
        let room = REGISTER - self.end % REGISTER;
        let n = room.min(offset - self.end).div_ceil(4);
        let ty = types.vector(Scalar::U32, n as u8);
        let (name, precision, decorations) = ("pad".into(), Precision::None, Decorations::new());
        self.members.push(Member { name, ty, precision, decorations });
        self.end += 4 * n;
    }

    /// Words up to an offset.
    fn fill(&mut self, types: &mut Types, offset: u32) {
        while self.end < offset {
            self.pad(types, offset);
        }
    }
}
